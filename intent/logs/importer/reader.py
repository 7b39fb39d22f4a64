"""The reader of foreign logs of any shape: the importer's choice, read as a long table."""

from __future__ import annotations

from dataclasses import replace

from intent.base.errors import DataError, UnknownNameError, located
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import Decision, Proposal, choose, examine
from intent.logs.importer.sense import check_sense
from intent.logs.importer.shapes import SHAPES
from intent.logs.readers.arrays import open_table
from intent.logs.readers.reader import Reader, Settings, Source, resolve

__all__ = ["READER", "decide", "read_as", "reading_of"]

_MANY = 0.1
"""Share of rows that cannot be read beyond which a reading is not what the table is."""


def decide(source: Source, settings: Settings) -> Decision:
    """What a source is read as; worked out once.

    Raises
    ------
    DataError
        The source is no table, or a kept mapping does not fit it.
    """
    if "decision" not in source.memo:
        resolve(settings.mapping, source.columns, source.path)
        table = open_table(source, Rejects(source.path))
        if settings.plan is not None:
            decision = _as_planned(source, settings.plan, settings)
        else:
            decision = choose(table, SHAPES.values(), settings)
        source.memo["decision"] = decision
    weighed: Decision = source.memo["decision"]
    return weighed


def _as_planned(source: Source, mapping: LogMapping, settings: Settings) -> Decision:
    """The reading that a kept mapping says, if the table has its columns and it is not absurd."""
    table = open_table(source, Rejects(source.path))
    if mapping.shape not in SHAPES:
        raise UnknownNameError("shape of a mapping", mapping.shape, list(SHAPES))
    missing = [name for name in SHAPES[mapping.shape].needs(mapping) if name not in table.columns]
    if missing:
        error = UnknownNameError("column", missing[0], list(table.columns))
        raise DataError(located(source.path, f"the mapping names a column that is not there: {error}"))
    proposal = Proposal(mapping)
    evidence = examine(SHAPES[mapping.shape].lay_out(table, mapping), settings)
    proposal = replace(proposal, evidence=evidence)
    if evidence.faults:
        return Decision((proposal,), None, evidence.faults[0])
    return Decision((proposal,), proposal)


def read_as(source: Source, proposal: Proposal, settings: Settings) -> GameLog:
    """The games of a source as one proposal reads it.

    Raises
    ------
    DataError
        As `tidy.log_of_table`.
    """
    from intent.logs.readers.tidy import log_of_table

    rejects = Rejects(source.path, strict=settings.strict)
    table = open_table(source, rejects)
    long = SHAPES[proposal.mapping.shape].lay_out(table, proposal.mapping).named_after(source.stem)
    for row, reason in long.rejected:
        rejects.add(table.line(row), reason, table.text(row))
    evidence, mapping = proposal.evidence, proposal.mapping
    notes = [*long.notes]
    if evidence.cooperate and not (settings.cooperate or mapping.cooperate):
        notes.append(f"{evidence.cooperate} is cooperation by name: no payoffs are there to check it")
    settings = replace(
        settings,
        mapping={**long.columns, **({"by": "+".join(long.by)} if long.by else {})},
        cooperate=settings.cooperate or mapping.cooperate or evidence.cooperate,
        payoff_kind=settings.payoff_kind or mapping.payoff_kind or evidence.payoff_kind,
        game=settings.game or mapping.game,
        plan=None,
    )
    log = log_of_table(source, long.table, long.columns, settings, rejects, notes)
    if len(log.rejects) > _MANY * len(table):
        first = log.rejects["reason"].iloc[0]
        raise DataError(
            located(source.path, f"{len(log.rejects):,} of {len(table):,} rows cannot be read so: {first}")
        )
    check_sense(log, source.path)
    log.provenance["mapping"] = mapping_to_keep(proposal, settings).model_dump(
        mode="json", exclude_defaults=True
    )
    return log


def mapping_to_keep(proposal: Proposal, settings: Settings) -> LogMapping:
    """The mapping to keep: what was proposed, and what was decided beside it."""
    return proposal.mapping.model_copy(
        update={name: getattr(settings, name) for name in ("cooperate", "payoff_kind", "game")}
    )


def reading_of(source: Source, settings: Settings) -> tuple[Proposal | None, str]:
    """The reading that is sure, or the line that says what is open."""
    decision = decide(source, settings)
    if decision.chosen is not None:
        return decision.chosen, ""
    return None, decision.refusal or _nothing(source)


def _nothing(source: Source) -> str:
    names = ", ".join(source.columns)
    return (
        f"no column is known to hold moves, of {names}; give --map round=NAME,action=NAME "
        "(intent import --explain says what was looked for)"
    )


def _recognises(source: Source, settings: Settings) -> bool:
    """Whether there is one reading that is sure."""
    return bool(source.columns) and decide(source, settings).chosen is not None


def _read(source: Source, settings: Settings) -> GameLog:
    """The games of a foreign log, where the importer is sure of them.

    Raises
    ------
    DataError
        It is not: the line says what is open and which option answers it.
    """
    proposal, refusal = reading_of(source, settings)
    if proposal is None:
        raise DataError(located(source.path, refusal))
    return read_as(source, proposal, settings)


def _weigh(source: Source, settings: Settings, reader: Reader) -> tuple[str, GameLog]:
    """The games as a plain reader has them, unless its reading is absurd or it cannot read them.

    Raises
    ------
    DataError
        That of the plain reader, where the importer is not sure either; or what is absurd.
    """
    if reader is READER or reader.name == "import":
        return "import", _read(source, settings)
    try:
        log = reader.read(source, settings)
        check_sense(log, source.path)
        return reader.name, log
    except DataError as error:
        proposal, refusal = reading_of(source, settings)
        if proposal is None:
            decision = decide(source, settings)
            open_question = reader.name == "tidy" and (decision.questions or _knows_games(decision, source))
            raise (DataError(located(source.path, refusal)) if open_question else error) from None
        try:
            return "import", read_as(source, proposal, settings)
        except DataError:
            raise error from None


def _knows_games(decision: Decision, source: Source) -> bool:
    """Whether the importer sees what tells games apart where exact names do not."""
    plain = resolve({}, source.columns, source.path)
    return not {"game", "game_id"} & plain.keys() and any(
        "game_id" in p.mapping.columns for p in decision.proposals[:1]
    )


READER = Reader(
    "import",
    "a table that one reading explains (intent import says how it is read)",
    _recognises,
    _read,
    _weigh,
)
