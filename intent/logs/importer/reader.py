"""The reader of foreign logs of any shape: the importer's choice, read as a long table."""

from __future__ import annotations

from dataclasses import replace

from intent.base.errors import DataError, located
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.importer.proposals import Decision, Proposal, choose
from intent.logs.importer.shapes import SHAPES
from intent.logs.readers.arrays import TidyTable, open_table
from intent.logs.readers.reader import Reader, Settings, Source

__all__ = ["PAIRS", "READER", "decide", "read", "read_as"]


def decide(source: Source, settings: Settings, rejects: Rejects) -> tuple[TidyTable, Decision]:
    """What a source is read as; its table, for `read_as`."""
    table = open_table(source, rejects)
    return table, choose(table, SHAPES.values(), settings)


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a foreign log, where the importer is sure of them.

    Raises
    ------
    DataError
        It is not: the line says what is open and which option answers it.
    """
    rejects = Rejects(source.path, strict=settings.strict)
    table, decision = decide(source, settings, rejects)
    if decision.chosen is None:
        raise DataError(located(source.path, decision.refusal))
    return read_as(source, table, decision.chosen, settings, rejects)


def read_as(
    source: Source, table: TidyTable, proposal: Proposal, settings: Settings, rejects: Rejects
) -> GameLog:
    """The games of a table as one proposal reads it."""
    from intent.logs.readers.tidy import log_of_table

    long = SHAPES[proposal.mapping.shape].lay_out(table, proposal.mapping).named_after(source.stem)
    for row, reason in long.rejected:
        rejects.add(table.line(row), reason, table.text(row))
    evidence = proposal.evidence
    notes = [*long.notes]
    if evidence.cooperate:
        notes.append(f"{evidence.cooperate} is cooperation by its name: no payoffs are there to check it")
    settings = replace(
        settings,
        mapping={**long.columns, **({"by": "+".join(long.by)} if long.by else {})},
        cooperate=settings.cooperate or proposal.mapping.cooperate or evidence.cooperate,
        payoff_kind=settings.payoff_kind or proposal.mapping.payoff_kind or evidence.payoff_kind,
        game=settings.game or proposal.mapping.game,
    )
    return log_of_table(source, long.table, long.columns, settings, rejects, notes)


_OF_PAIRS = ("round", "player1", "player2", "answer1", "answer2")

PAIRS = Reader(
    "pairs",
    f"columns {', '.join(_OF_PAIRS)}, one row per round",
    lambda source, settings: set(_OF_PAIRS) <= set(source.columns),
    read,
)
"""A row per round with the moves of both players, under names that leave nothing open: the layout of the
public data of Akata et al. 2025, Playing repeated games with large language models, Nature Human Behaviour
9:1380."""

READER = Reader(
    "import",
    "a table that one reading explains (intent import says how it is read)",
    lambda source, settings: (
        bool(source.columns) and decide(source, settings, Rejects(source.path))[1].chosen is not None
    ),
    read,
)
