"""The reader of foreign logs of any shape: the importer's choice, read as a long table."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from intent.base.errors import DataError, UnknownNameError, located, one_line, shorten
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.importer.axes import INNER, OUTER
from intent.logs.importer.columns import (
    Column,
    columns_of,
    sense_of,
    with_moves_apart,
    with_players_apart,
    with_role,
)
from intent.logs.importer.file_names import is_model
from intent.logs.importer.long import ORDER, seat_of_models, with_rounds_counted, with_seats_counted
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.payoff_tables import with_payoffs_beside
from intent.logs.importer.people import SESSION, people_of, told_apart
from intent.logs.importer.proposals import ALL, Decision, Proposal, Question, choose, examine, laid_out
from intent.logs.importer.sense import absurd_columns, check_sense, declared_against
from intent.logs.importer.sequences import possible_sequences
from intent.logs.importer.shapes import SHAPES
from intent.logs.importer.wide import gaps, is_pattern, possible_rounds, with_matches_apart
from intent.logs.readers.arrays import TidyTable, of_codes, open_table
from intent.logs.readers.reader import Reader, Settings, Source, resolve
from intent.logs.readers.tidy_games import without_practice

__all__ = ["PAIRS", "READER", "Opened", "Weighed", "read_as", "weigh"]

_TREES = 4
"""Tables of a tree that are weighed."""

_MANY = 0.1
"""Share of rows that cannot be read beyond which a reading is not what the table is."""

_FEW = 10
"""Rows that may always be rejected."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A table of a source, and how it lies in it.

    Parameters
    ----------
    table : TidyTable
    rejects : Rejects
        Rows that are no cells.
    rows : mapping, optional
        How the table lies in a tree of JSON (`trees.table_of_plan`).
    names : str
        Pattern by which the names of files became columns (`file_names.NamePattern`).
    notes : tuple of str
        What was done to make it.
    """

    table: TidyTable
    rejects: Rejects
    rows: Mapping[str, Any] | None = None
    names: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Weighed:
    """What a source may be read as.

    Parameters
    ----------
    decision : Decision
    opened : Opened
        The table that it is about.
    """

    decision: Decision
    opened: Opened

    @property
    def refusal(self) -> str:
        """What is open; empty where nothing is."""
        if self.decision.chosen is not None:
            return ""
        columns = columns_of(self.opened.table)
        open_ = self.decision.refusal or gaps(columns) or possible_rounds(columns)
        return open_ or possible_sequences(columns) or _unknown(columns)


_OBJECT = re.compile(r"\s*[\[{]\s*[{\"']")
"""How a cell begins that holds objects of JSON."""


def _unknown(columns: Mapping[str, Column]) -> str:
    """What no column is known to be, where no shape proposes a reading."""
    have = shorten(", ".join(columns), 400)
    nested = [name for name, column in columns.items() if any(map(_OBJECT.match, column.filled[:1]))]
    if nested:
        return (
            f"column {nested[0]} holds JSON in its cells, and no other one holds moves: save each row as an "
            f"object of a JSON file, in which {nested[0]} is a list or an object"
        )
    known = [*with_role(columns.values(), "action"), *with_role(columns.values(), "value")]
    if known:
        return (
            f"column {known[0].name} may hold moves, and no column is known to be the round, of {have}; give "
            "--map round=NAME, of a column of ones if everybody played once"
        )
    return (
        f"no column is known to hold moves, of {have}; give --map round=NAME,action=NAME, or value=NAME if "
        "moves are numbers (intent import --explain says what was looked for)"
    )


def weigh(source: Source, settings: Settings) -> Weighed:
    """What a source is read as; worked out once.

    Of several tables in a tree the one that is read surely is taken, that of the best reading first.

    Raises
    ------
    DataError
        The source holds no table, or a kept mapping does not fit it.
    """
    if "weighed" not in source.memo:
        if settings.plan is None and source.columns:
            resolve(_of_single(settings.mapping), source.columns, source.path)
        opened = (_prepared(one, source, settings) for one in _opened(source, settings.plan))
        ways = [Weighed(_decision(source, o.table, settings), o) for o in opened]
        sure = [way for way in ways if way.decision.chosen is not None]
        source.memo["weighed"] = max(sure, key=_total) if sure else ways[0]
    weighed: Weighed = source.memo["weighed"]
    return weighed


def _prepared(opened: Opened, source: Source, settings: Settings) -> Opened:
    """The table without practice, and with a column for each move where one holds both."""
    table, notes = without_practice(opened.table, settings, source)
    stated = {**(settings.plan.columns if settings.plan else {}), **settings.mapping}
    if stated.get("game_id") == ALL and ALL not in table.columns:  # the user says that all rows are one game
        one = of_codes(np.zeros(len(table), dtype=np.int32), [source.stem])
        table = replace(table, columns={**table.columns, ALL: one})
    table, unfolded = with_matches_apart(table)
    notes += [unfolded] if unfolded else []
    apart = with_moves_apart(table, settings.mapping)
    if apart is not table:
        (name,), words = table.columns.keys() - apart.columns.keys(), [*apart.columns][-2:]
        first = "the own one first" if words[0].endswith("own_move") else "that of seat 1 first"
        notes = [*notes, f"{name} holds both moves of a round, {first}"]
    apart, both = with_players_apart(apart, settings.mapping)
    apart, counted = with_rounds_counted(apart, stated) if opened.rows is None else (apart, "")
    apart, seated = with_seats_counted(apart, stated, listed=opened.rows is not None)
    further = [note for note in (both, counted, seated) if note]
    return replace(opened, table=apart, notes=(*opened.notes, *notes, *further))


def _of_single(mapping: Mapping[str, str]) -> dict[str, str]:
    """The part of a mapping that names one column each, not one for each seat or round."""
    return {
        ours: theirs
        for ours, theirs in mapping.items()
        if "|" not in theirs
        and not is_pattern(theirs)
        and (ours, theirs) not in (("game_id", ALL), ("seat", ORDER))
    }


def _total(way: Weighed) -> float:
    chosen = way.decision.chosen
    return chosen.total if chosen is not None else 0.0


def _opened(source: Source, plan: LogMapping | None) -> Iterator[Opened]:
    """The tables of a source: one, or those of a tree."""
    rejects = Rejects(source.path)
    if source.kind == "folder":
        from intent.logs.importer.sources import folder_table

        pattern = None if plan is None else plan.names or ""
        rows = None if plan is None else plan.rows
        folder = folder_table(source.path, rejects, pattern, rows, source.header)
        yield Opened(folder.table, rejects, folder.plan, folder.pattern, (*folder.how, *folder.questions))
    elif not source.is_json:
        yield Opened(open_table(source, rejects, coded=True), rejects)
    elif plan is not None and plan.rows is not None:
        yield _of_plan(source, plan, plan.rows, rejects)
    else:
        from intent.logs.importer.trees import tables_of_json

        for tree in tables_of_json(source, rejects)[:_TREES]:
            yield Opened(tree.table, rejects, tree.plan, notes=tree.how)


def _of_plan(source: Source, plan: LogMapping, rows: Mapping[str, Any], rejects: Rejects) -> Opened:
    """The table that lies where a kept mapping says; or, where fields bear other names, one with its columns.

    Raises
    ------
    DataError
        There is neither.
    """
    from intent.logs.importer.trees import table_of_plan, tables_of_json

    try:
        return Opened(table_of_plan(source, rows, rejects), rejects, rows)
    except DataError:
        needed = {*SHAPES[plan.shape].needs(plan), *plan.by} if plan.shape in SHAPES else set()
        others = Rejects(source.path)
        for tree in tables_of_json(source, others)[:_TREES]:
            if needed <= tree.table.columns.keys():
                return Opened(tree.table, others, tree.plan, notes=tree.how)
        raise


def _decision(source: Source, table: TidyTable, settings: Settings) -> Decision:
    """The reading that a kept mapping says, if it fits and is not absurd; else what the shapes propose."""
    mapping = settings.plan
    if mapping is None:
        decision = choose(table, SHAPES.values(), settings)
        square = _square(table, settings)
        return (
            replace(decision, chosen=None, refusal=str(square), questions=(square,)) if square else decision
        )
    if mapping.shape not in SHAPES:
        raise UnknownNameError("shape of a mapping", mapping.shape, list(SHAPES))
    shape = SHAPES[mapping.shape]
    missing = [name for name in (*shape.needs(mapping), *mapping.by) if name not in table.columns]
    if missing:
        error = UnknownNameError("column", missing[0], list(table.columns))
        raise DataError(located(source.path, f"the mapping names a column that is not there: {error}"))
    long = laid_out(shape, table, mapping)
    evidence = examine(long, settings)
    proposal = Proposal(mapping, evidence=evidence, long=long)
    if evidence.faults:
        return Decision((proposal,), None, evidence.faults[0])
    return Decision((proposal,), proposal)


def _square(table: TidyTable, settings: Settings) -> Question | None:
    """What is asked of lists in lists of which nothing tells whether rounds or players come first."""
    if not {OUTER, INNER} & table.columns.keys() or "round" in settings.mapping:
        return None
    who = [
        f"player={axis}_player" if f"{axis}_player" in table.columns else f"seat={axis}"
        for axis in (INNER, OUTER)
    ]
    return Question(
        "lists in lists have as many items as there are lists: each list may be a round with a move of each "
        "player (the first answer), or a player with a move in each round (the second)",
        (f"--map round={OUTER},{who[0]}", f"--map round={INNER},{who[1]}"),
    )


def read_as(source: Source, opened: Opened, proposal: Proposal, settings: Settings) -> GameLog:
    """The games of a table as one proposal reads it.

    Raises
    ------
    DataError
        As `tidy.log_of_table`.
    """
    from intent.logs.readers.tidy import log_of_table

    rejects = Rejects(source.path, strict=settings.strict)
    table = opened.table
    rejects.extend(opened.rejects)
    long = proposal.long or laid_out(SHAPES[proposal.mapping.shape], table, proposal.mapping)
    long = long.named_after(source.stem)
    table.memo.clear()  # codes of columns, which take as much memory as the columns
    long.table.memo.clear()
    for row, reason in long.rejected:
        rejects.add(table.line(row), reason, table.text(row))
    evidence, mapping = proposal.evidence, proposal.mapping
    notes = [*opened.notes, *long.notes]
    if evidence.cooperate and not (settings.cooperate or mapping.cooperate):
        notes.append(f"{evidence.cooperate} is cooperation by name: no payoffs are there to check it")
    kind = evidence.payoff_kind
    if kind == "penalty" and not (settings.payoff_kind or mapping.payoff_kind or settings.cooperate):
        notes.append("payoffs are taken for penalties, which the names of the actions or of the payoffs say")
    settings = replace(
        settings,
        mapping={**long.columns, **({"by": "+".join(long.by)} if long.by else {})},
        cooperate=settings.cooperate or mapping.cooperate or evidence.cooperate,
        payoff_kind=settings.payoff_kind or mapping.payoff_kind or evidence.payoff_kind,
        game=settings.game or mapping.game,
        plan=None,
    )
    log = log_of_table(source, long.table, long.columns, settings, rejects, notes)
    reasons = log.rejects["reason"].astype(str)
    if settings.cooperate and ":" in settings.cooperate:  # the user says that other actions are left out
        reasons = reasons[~reasons.str.endswith(" or ".join(settings.cooperate.split(":")))]
    if len(reasons) > max(_FEW, _MANY * len(table)):
        raise DataError(
            located(
                source.path, f"{len(reasons):,} of {len(table):,} rows cannot be read so: {reasons.iloc[0]}"
            )
        )
    check_sense(log, source.path, settings)
    _note(log, declared_against(log, settings))
    _note(log, _players_called_as_models(log, proposal.mapping))
    mapping = mapping_to_keep(opened, proposal, settings)
    log.provenance["mapping"] = mapping.to_json()
    if not set(_OF_PAIRS) <= set(source.columns):  # whose names leave nothing open
        READINGS.info(_reading_line(source, mapping))
    return log


READINGS = logging.getLogger("intent.readings")
"""Told, at level INFO, what a foreign log was read as. The command line shows it on standard error."""

_LETTERS = 160
"""Of the columns that a reading line lists."""


def _reading_line(source: Source, mapping: LogMapping) -> str:
    """What a foreign log was read as, in a line."""
    columns = ", ".join(f"{ours}={theirs}" for ours, theirs in mapping.columns.items())
    by = f", games also by {', '.join(mapping.by)}" if mapping.by else ""
    name = one_line(source.path.name, 60)
    line = (
        f"{name} is read as {SHAPES[mapping.shape].what}: {shorten(one_line(columns + by, 1000), _LETTERS)}"
    )
    if mapping.cooperate:
        line += f"; {one_line(mapping.cooperate, 40)} is cooperation"
    elif mapping.payoff_kind:
        line += f"; cooperation follows from payoffs, each a {mapping.payoff_kind}"
    return f"{line} (intent import says why)"


_SHOWN = 3
"""Names of players that a note lists."""


def _players_called_as_models(log: GameLog, mapping: LogMapping) -> list[str]:
    """A note where players bear names of language models, which may be what is compared, and no people."""
    player = mapping.columns.get("player", "")
    names = log.seats["player"].dropna().astype(str).unique().tolist()
    if mapping.shape != "long" or not player or "model" in mapping.columns or not names:
        return []
    if not all(map(is_model, names)):
        return []
    shown = ", ".join(shorten(name, 30) for name in names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    return [
        f"players are called as models ({shown}): each is one subject in all its games; "
        f"--map model={player} makes it a condition, and every game of it another subject"
    ]


_DECIDED = ("cooperate", "payoff_kind", "game", "practice", "header")
"""Settings that a mapping keeps."""


def mapping_to_keep(opened: Opened, proposal: Proposal, settings: Settings) -> LogMapping:
    """The mapping to keep: what was proposed, and what was decided beside it."""
    decided = {name: getattr(settings, name) for name in _DECIDED}
    where = {"rows": opened.rows and dict(opened.rows), "names": opened.names or None}
    return proposal.mapping.model_copy(update=decided | where)


def _format_of_files(source: Source, settings: Settings) -> Reader | None:
    """The reader of a format of its own that the files of a folder have."""
    if source.kind != "folder" or settings.plan is not None:
        return None
    from intent.logs.importer.sources import format_of_files

    return format_of_files(source, settings)


def _recognises(source: Source, settings: Settings) -> bool:
    """Whether there is one reading that is sure, or a folder of files of a format of their own."""
    return (
        _format_of_files(source, settings) is not None or weigh(source, settings).decision.chosen is not None
    )


def _read(source: Source, settings: Settings) -> GameLog:
    """The games of a foreign log, where the importer is sure of them.

    Raises
    ------
    DataError
        It is not: the line says what is open and which option answers it.
    """
    if (own := _format_of_files(source, settings)) is not None:
        from intent.logs.importer.sources import log_of_files

        return log_of_files(source, own, settings)
    weighed = weigh(source, settings)
    if weighed.decision.chosen is None:
        raise DataError(located(source.path, weighed.refusal))
    return read_as(source, weighed.opened, weighed.decision.chosen, settings)


def _weigh(source: Source, settings: Settings, reader: Reader) -> tuple[str, GameLog]:
    """The games as they are read, with payoffs that lie beside them.

    Raises
    ------
    DataError
        As `_weighed_log`.
    """
    name, log = _weighed_log(source, settings, reader)
    return name, with_payoffs_beside(log, source)


def _weighed_log(source: Source, settings: Settings, reader: Reader) -> tuple[str, GameLog]:
    """The games as a plain reader has them, unless its reading is absurd or it cannot read them.

    Raises
    ------
    DataError
        That of the plain reader, where the importer is not sure either and knows no more; or what is absurd.
    """
    of_importer = len(_of_single(settings.mapping)) < len(settings.mapping) or "total" in settings.mapping
    if reader.name in ("import", "pairs") or of_importer:
        own = _format_of_files(source, settings)
        name = reader.name if reader.name == "pairs" else READER.name
        return name if own is None else own.name, _read(source, settings)
    if reader.name == "tidy" and (_numbers_games(source, settings) or _seats_models(source, settings)):
        weighed = weigh(source, settings)
        if weighed.decision.chosen is not None and _heeds(weighed, settings.mapping, source.columns):
            return "import", read_as(source, weighed.opened, weighed.decision.chosen, settings)
        if weighed.decision.questions:
            raise DataError(located(source.path, weighed.refusal))
    try:
        log = _plain(source, settings) if reader.name == "tidy" else reader.read(source, settings)
        check_sense(log, source.path, settings)
        _check_columns(source, settings, always=bool(settings.mapping))
        _note(log, declared_against(log, settings))
        return reader.name, log
    except DataError:
        weighed = weigh(source, settings)
        if weighed.decision.chosen is None:
            knows_more = weighed.decision.questions or _knows_games(weighed.decision, source)
            if reader.name == "tidy" and knows_more:
                raise DataError(located(source.path, weighed.refusal)) from None
            _check_columns(source, settings)
            for line in (fault for p in weighed.decision.proposals[:1] for fault in p.evidence.absurd):
                raise DataError(located(source.path, line)) from None
            raise
        if not _heeds(weighed, settings.mapping, source.columns):
            raise
        return "import", read_as(source, weighed.opened, weighed.decision.chosen, settings)


def _numbers_games(source: Source, settings: Settings) -> bool:
    """Whether a column's name says that it tells games apart, and none is that of our name or the user's."""
    names = resolve(settings.mapping, source.columns, source.path)
    if {"game", "game_id", "run", "repetition"} & names.keys() or "by" in settings.mapping:
        return False
    return any(sense_of(name).role == "match" for name in source.columns if name not in names.values())


def _seats_models(source: Source, settings: Settings) -> bool:
    """Whether what is called the player numbers seats, each of which several models take."""
    names = resolve(settings.mapping, source.columns, source.path)
    if not {"player", "model"} <= names.keys() or "player" in settings.mapping:
        return False
    columns = columns_of(open_table(source, Rejects(source.path), coded=True))
    chosen = {ours: columns[theirs] for ours, theirs in names.items()}
    return seat_of_models(chosen, [chosen[k] for k in ("game_id", "game") if k in chosen]) is not None


def _plain(source: Source, settings: Settings) -> GameLog:
    """The games of a table whose columns bear our names, its players told apart by session.

    Raises
    ------
    DataError
        As `tidy.read`, or it is not known whether numbers of players are the same people.
    """
    from intent.logs.readers import tidy

    names = resolve(settings.mapping, source.columns, source.path)
    words = {sense_of(name).role for name in source.columns if name not in names.values()}
    if not {SESSION, "treatment"} & {*words, *names}:
        return tidy.READER.read(source, settings)
    rejects = Rejects(source.path, strict=settings.strict)
    table, notes = without_practice(open_table(source, rejects, coded=True), settings, source)
    ours = tidy.columns_of_table(source, table, settings)
    people = people_of(ours, (), columns_of(table, settings.mapping), settings.mapping)
    if people.question is not None:
        raise DataError(located(source.path, str(Question(*people.question))))
    named, ours, apart = told_apart(table, ours, people.within)
    return tidy.log_of_table(source, named, ours, settings, rejects, [*notes, *apart])


def _heeds(weighed: Weighed, mapping: Mapping[str, str], names: Collection[str]) -> bool:
    """Whether the chosen reading uses every column that the user's mapping names, or what was taken apart.

    Parameters
    ----------
    weighed : Weighed
        With a reading that is chosen.
    mapping : mapping of ours -> theirs
    names : collection of str
        The columns of the file.
    """
    proposal = weighed.decision.chosen
    if proposal is None:
        return False
    used = {*names} - {*weighed.opened.table.columns}
    used |= {part for name in proposal.mapping.columns.values() for part in name.split(" | ")}
    used |= {*proposal.mapping.by}
    return all(part.strip() in used for name in mapping.values() for part in re.split(r"[+|]", name))


_TELLING = frozenset(["other", "other_player", "decided"])
"""Columns that say again what others say, so that they may contradict these."""


def _check_columns(source: Source, settings: Settings, *, always: bool = True) -> None:
    """Refuse columns that cannot be what their names or the user's mapping say.

    Parameters
    ----------
    source : Source
    settings : Settings
    always : bool
        Whether to look where no column is there that says again what others say.

    Raises
    ------
    DataError
        The first of `absurd_columns`.
    """
    plain = resolve(settings.mapping, source.columns, source.path)
    if not (always or _TELLING & plain.keys()):
        return
    columns = columns_of(open_table(source, Rejects(source.path), coded=True))
    ours = {role: columns[name] for role, name in plain.items() if name in columns}
    for line in absurd_columns(ours, len(next(iter(columns.values())).codes), settings):
        raise DataError(located(source.path, line))


def _note(log: GameLog, notes: Sequence[str]) -> None:
    if notes:
        log.provenance["notes"] = [*log.provenance.get("notes", ()), *notes]


def _knows_games(decision: Decision, source: Source) -> bool:
    """Whether the importer sees what tells games apart where exact names do not."""
    plain = resolve({}, source.columns, source.path)
    return not {"game", "game_id"} & plain.keys() and any(
        "game_id" in p.mapping.columns for p in decision.proposals[:1]
    )


_OF_PAIRS = ("round", "player1", "player2", "answer1", "answer2")

PAIRS = Reader(
    "pairs",
    f"columns {', '.join(_OF_PAIRS)}, one row per round",
    lambda source, settings: set(_OF_PAIRS) <= set(source.columns),
    _read,
)
"""A row per round with the moves of both players, under names that leave nothing open: the layout of the
public data of Akata et al. 2025, Playing repeated games with large language models, Nature Human Behaviour
9:1380."""

READER = Reader(
    "import",
    "a table that one reading explains (intent import says how it is read)",
    _recognises,
    _read,
    _weigh,
)
