"""What a table may be read as: proposals with their reasons, what they explain, and the choice among them.

1. Every shape proposes readings of a table (`shapes.SHAPES`).
2. The long table of each one is examined: what it explains speaks for it, what is absurd rules it out.
3. The best one is taken if nothing about it is open and no other one fits alike; else there are questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base.errors import UnknownNameError, shorten
from intent.games.game import MatrixGame, PayoffKind
from intent.logs.importer.columns import COOPERATIVE_WORDS, Column, columns_of, tokens_of
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.people import SESSION, people_of, told_apart
from intent.logs.importer.sense import absurd_columns
from intent.logs.readers.arrays import TidyTable, by_value, encoded, first_rows, keys_of, numbered, order_of
from intent.logs.readers.reader import Settings
from intent.logs.readers.stages import one_sided

__all__ = [
    "ALL",
    "Decision",
    "Evidence",
    "LongTable",
    "Proposal",
    "Question",
    "Reason",
    "Shape",
    "by_words",
    "choose",
    "examine",
    "kind_by_name",
    "kind_word",
    "laid_out",
    "meetings",
    "own_payoffs",
    "restarts",
    "stated_keys",
]


@dataclass(frozen=True)
class Reason:
    """Why a column is taken for what it is.

    Parameters
    ----------
    column : str, theirs
    role : str, ours
    why : str
    """

    column: str
    role: str
    why: str


@dataclass(frozen=True)
class Question:
    """What is not sure, and the options that answer it.

    Parameters
    ----------
    text : str, one line
    answers : tuple of str
        Each one what to add to the command: ``--cooperate C``.
    """

    text: str
    answers: tuple[str, ...]

    def __str__(self) -> str:
        quoted = [
            answer.replace("--map ", '--map "') + '"' if "|" in answer else answer for answer in self.answers
        ]
        return f"{self.text}: give {' or '.join(quoted)}"


@dataclass(frozen=True, eq=False)
class LongTable:
    """One row per game, round and player, for `tidy.log_of_table`.

    Parameters
    ----------
    table : TidyTable
    columns : dict of ours -> theirs
    by : tuple of str
        Further columns that tell games apart.
    notes : tuple of str
        What a user of the log should know.
    rejected : tuple of (int, str)
        Rows of the foreign table that are left out, and why.
    faults : tuple of str
        What is absurd about it, and what would help; one line each.
    payoff_kind : {"reward", "penalty"}, optional
        Where the table decides it.
    numbered : bool
        Whether games are numbered in order, having no name of their own: the file's name goes before.
    alone : bool
        Whether each row of the file was all that one player did, and no column says of whose game.
    """

    table: TidyTable
    columns: dict[str, str]
    by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rejected: tuple[tuple[int, str], ...] = ()
    faults: tuple[str, ...] = ()
    payoff_kind: str | None = None
    numbered: bool = False
    alone: bool = False

    def named_after(self, stem: str) -> LongTable:
        """With the name of the file before the numbers of games that have no name."""
        if not self.numbered:
            return self
        name = self.columns["game_id"]
        prefix = pa.scalar(stem, pa.string())
        cells = encoded(self.table.columns[name])
        named = pc.binary_join_element_wise(prefix, cells.dictionary, "-")
        ids = pa.DictionaryArray.from_arrays(cells.indices, named)
        return replace(self, table=replace(self.table, columns={**self.table.columns, name: ids}))


@dataclass(frozen=True)
class Evidence:
    """What a reading explains.

    Parameters
    ----------
    supports : tuple of str
        What speaks for it, one line each.
    faults : tuple of str
        What is absurd about it, and what would help; one line each. One rules it out.
    questions : tuple of Question
    score : float
        Grows with what is explained.
    cooperate : str, optional
        The action that is cooperation, where its name says so and nothing contradicts it.
    payoff_kind : str, optional
        Where the names of the actions and the payoffs together decide it.
    absurd : tuple of str
        The faults of which its columns themselves are guilty (`sense.absurd_columns`).
    """

    supports: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    score: float = 0.0
    cooperate: str | None = None
    payoff_kind: str | None = None
    absurd: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Proposal:
    """One reading of a table.

    Parameters
    ----------
    mapping : LogMapping
    reasons : tuple of Reason
    score : float
        How well the names of the columns fit; what the reading explains is added.
    questions : tuple of Question
    evidence : Evidence
    long : LongTable, optional
        What the reading makes of the table, of the best reading.
    """

    mapping: LogMapping
    reasons: tuple[Reason, ...] = ()
    score: float = 0.0
    questions: tuple[Question, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    long: LongTable | None = None

    @property
    def total(self) -> float:
        """Score of names and of what is explained."""
        return self.score + self.evidence.score


@dataclass(frozen=True)
class Shape:
    """One way in which people lay out a log.

    Parameters
    ----------
    name : str
    what : str, for people
    propose : callable of (columns, Settings) -> proposals
    lay_out : callable of (TidyTable, LogMapping) -> LongTable
    needs : callable of LogMapping -> names of the columns that it needs
    """

    name: str
    what: str
    propose: Callable[[Mapping[str, Column], Settings], Iterable[Proposal]]
    lay_out: Callable[[TidyTable, LogMapping], LongTable]
    needs: Callable[[LogMapping], Iterable[str]] = lambda mapping: (
        name for theirs in mapping.columns.values() for name in theirs.split(" | ")
    )


@dataclass(frozen=True, eq=False)
class Decision:
    """What a table is read as.

    Parameters
    ----------
    proposals : tuple of Proposal
        By what they explain, the best first; those with faults last.
    chosen : Proposal or None
        None where the choice is open.
    refusal : str
        One line, where it is open.
    questions : tuple of Question
        What would decide it.
    """

    proposals: tuple[Proposal, ...]
    chosen: Proposal | None
    refusal: str = ""
    questions: tuple[Question, ...] = ()


ALL = "all"
"""What the user says in place of a column that tells games apart where all rows are one game."""

_USUAL = 0.9
"""Share of the rounds of a joint move that bring the same payoff, where payoffs follow from the moves."""

_GROUP = 20
"""Most players of a game of numbers."""

_NAMES = 100
"""Most names of games of which each has payoffs of its own."""

_ALIKE = 0.5
"""Difference of scores below which two readings fit alike."""


def choose(table: TidyTable, shapes: Iterable[Shape], settings: Settings) -> Decision:
    """The reading of a table, or what is open about it.

    A column that the user's mapping names is what the mapping says, and no other column is.
    """
    columns = columns_of(table, settings.mapping)
    proposals = []
    for shape in shapes:
        for proposal in shape.propose(columns, settings):
            proposal = _with_people(proposal, columns, settings)
            long = laid_out(shape, table, proposal.mapping)
            evidence = examine(long, settings, columns)
            proposals.append(replace(proposal, evidence=evidence, long=long))
            proposals.sort(key=lambda p: (bool(p.evidence.faults), -p.total))
            proposals[1:] = [replace(p, long=None) for p in proposals[1:]]
    fine = [p for p in proposals if not p.evidence.faults]
    if not fine:
        faults = [fault for p in proposals[:1] for fault in p.evidence.faults]
        return Decision(tuple(proposals), None, faults[0] if faults else "")
    best = fine[0]
    open_questions = [*best.questions, *best.evidence.questions]
    rival = next((p for p in fine[1:] if p.total > best.total - _ALIKE and _differ(p, best)), None)
    if rival is not None:
        open_questions.insert(0, _between(best, rival))
    if open_questions:
        return Decision(tuple(proposals), None, str(open_questions[0]), tuple(open_questions))
    return Decision(tuple(proposals), best)


def _with_people(proposal: Proposal, columns: Mapping[str, Column], settings: Settings) -> Proposal:
    """The reading with what the user says tells games apart, and within which players have their numbers."""
    ours, reasons = proposal.mapping.columns, list(proposal.reasons)
    by = [*proposal.mapping.by, *(name for name in stated_keys(settings) if name in columns)]
    people = people_of(ours, by, columns, settings.mapping)
    role_names = {part for role, name in ours.items() if role != SESSION for part in name.split(" | ")}
    by = [name for name in dict.fromkeys([*by, *people.within, *people.by]) if name not in role_names]
    if people.within:
        ours = {**ours, SESSION: " | ".join(people.within)}
        reasons = [reason for reason in reasons if reason.role != SESSION]
        reasons += [
            Reason(name, SESSION, f"numbers of {ours['player']} begin anew in each") for name in people.within
        ]
    mapping = proposal.mapping.model_copy(update={"columns": ours, "by": tuple(by)})
    questions = [Question(*people.question)] if people.question else []
    return replace(
        proposal,
        mapping=mapping,
        reasons=tuple(reasons),
        questions=(*questions, *proposal.questions),
    )


def laid_out(shape: Shape, table: TidyTable, mapping: LogMapping) -> LongTable:
    """The long table that a mapping makes of a table, its players told apart by session.

    Raises
    ------
    DataError
        As the shape has it.
    """
    columns = dict(mapping.columns)
    within = [name for name in columns.pop(SESSION, "").split(" | ") if name]
    long = shape.lay_out(table, mapping.model_copy(update={"columns": columns}))
    if not within:
        return long
    named, ours, notes = told_apart(long.table, long.columns, within)
    return replace(long, table=named, columns=ours, notes=(*long.notes, *notes))


def _differ(one: Proposal, two: Proposal) -> bool:
    return (one.mapping.shape, one.mapping.columns, one.mapping.by) != (
        two.mapping.shape,
        two.mapping.columns,
        two.mapping.by,
    )


def _between(one: Proposal, two: Proposal) -> Question:
    """Which of two readings that fit alike is meant."""
    ours = [
        role
        for role in {**one.mapping.columns, **two.mapping.columns}
        if one.mapping.columns.get(role) != two.mapping.columns.get(role)
    ]
    role = ours[0] if ours else "round"
    theirs = [p.mapping.columns.get(role) for p in (one, two)]
    if None in theirs:
        return Question(
            f"it can be read as {one.mapping.shape} and as {two.mapping.shape}",
            tuple(f"--map {role}={name}" for name in theirs if name),
        )
    return Question(
        f"columns {theirs[0]} and {theirs[1]} may both be the {role}",
        tuple(f"--map {role}={name}" for name in theirs),
    )


def examine(long: LongTable, settings: Settings, known: Mapping[str, Column] | None = None) -> Evidence:
    """What a long table explains, and what is absurd about it.

    Parameters
    ----------
    long : LongTable
    settings : Settings
    known : mapping of name -> column, optional
        Columns of the table that it was made of.
    """
    columns = columns_of(long.table, known=known)
    ours = {role: columns[theirs] for role, theirs in long.columns.items() if theirs in columns}
    supports: list[str] = []
    further = [columns[name] for name in stated_keys(settings) if name in columns]
    absurd = tuple(absurd_columns(ours, len(long.table), settings, further))
    faults: list[str] = [*long.faults, *absurd]
    questions: list[Question] = []
    score = 0.0
    n = len(long.table)
    keys = [ours[r] for r in ("game_id", "run", "repetition") if r in ours] + [columns[b] for b in long.by]
    numbers = Numbers(n)
    game = numbers.of([k.codes for k in keys])
    who = next((ours[role] for role in ("player", "seat") if role in ours), None)
    player = who.codes if who is not None else np.zeros(n, dtype=np.intp)
    if {"player", "seat"} <= ours.keys():  # who plays against itself bears one name in both seats
        player = numbers.of([player, ours["seat"].codes])
    partner = [ours["other_player"].codes] if "other_player" in ours else []
    places = [ours["seat"].codes] if "seat" in ours and "player" not in ours else []
    seat = numbers.of([game, player, *partner, *places])
    if not keys and "round" in ours:
        seat = restarts(ours["round"], seat)
    if "round" in ours:
        missing = (
            "player=NAME, or seat=order if one plays against itself and both rows of a round stand in order"
            if who is None
            else "game_id=NAME or by=NAME"
        )
        score += _examine_rounds(ours["round"], seat, supports, faults, missing, _copies(long))
    if who is not None and not keys and not {"other", "other_player"} & ours.keys() and len(who.filled) > 2:
        faults.append(
            f"{len(who.filled):,} players, and nothing says who met whom: "
            "give --map other_player=NAME, game_id=NAME, or other=NAME for the other's move"
        )
    elif long.alone and who is not None and len(who.filled) == 2 and not _explain(ours, game):
        questions.append(
            Question(
                f"{' and '.join(map(shorten, who.filled))} have a row each, and nothing says that they "
                "played each other",
                (f"--map game_id={ALL}", "--map other_player=NAME"),
            )
        )
    if who is not None and keys and "other" not in ours:
        free = "game_id" not in settings.mapping and "by" not in settings.mapping
        of_labels = "action" in ours and not ours.keys() & {"value"} and free
        score += _examine_players(
            game,
            player,
            keys,
            long,
            supports,
            faults,
            at_most=2 if of_labels else _GROUP,
            round_=ours.get("round"),
            pairs=numbers.of([game, player]),
        )
    if "value" in ours and "action" not in ours and n and not _has_company(game, numbers.of([game, player])):
        faults.append(
            f"column {ours['value'].name} holds numbers of one player in each game: give --map player=NAME, "
            "or game_id=NAME for a column that is the same for all players of a group"
        )
    cooperate, kind = None, long.payoff_kind
    if {"player", "other_player", "round"} <= ours.keys():
        game = meetings(ours, [key.codes for key in keys])
    if "action" in ours:
        alone = n > 0 and not _has_company(game, numbers.of([game, player]))
        faults += _faults_of_one_move(ours, alone)
        score += _examine_actions(ours["action"], supports, faults, settings)
        tables = _payoffs_of_stages(ours, columns, game)
        cooperate = _cooperation(ours, tables, settings, questions)
        kind = kind or _payoff_kind(ours, tables, settings, supports, questions)
    return Evidence(tuple(supports), tuple(faults), tuple(questions), score, cooperate, kind, absurd)


def _faults_of_one_move(ours: Mapping[str, Column], alone: bool) -> list[str]:
    """What lacks where each row has one move, of players who may each be `alone` in their games."""
    if not ours.keys() & {"other", "other_player", "player", "seat"}:
        return [
            "each row has one move, and nothing says whose it is or what the other one did: give "
            "--map player=NAME, other=NAME, or "
            f'"action={ours["action"].name}|NAME" for columns of both players'
        ]
    if alone and not ours.keys() & {"other", "other_player", "value"}:
        return [one_sided(ours["action"].name)]
    return []


def _payoffs_of_stages(
    ours: Mapping[str, Column], columns: Mapping[str, Column], game: NDArray[np.intp]
) -> list[tuple[float, float, float, float]]:
    """The usual own payoffs of each named game, or of each value of a condition within which they follow."""
    if not {"payoff", "action", "round"} <= ours.keys() or len(ours["action"].labels) != 2:
        return []
    labels = sorted(ours["action"].labels)
    tables = own_payoffs(ours, game, labels)
    if tables or "game" in ours:
        return tables
    spoken = {column.name for column in ours.values()}
    for column in columns.values():
        few = 1 < len(column.filled) <= _STAGES and len(column.codes) >= _ENOUGH * len(column.filled)
        if column.name not in spoken and few:
            within = own_payoffs({**ours, "game": column}, game, labels)
            if len(within) == len(column.values):
                return within
    return []


_ENOUGH = 24
"""Rows for each value of such a column."""

_STAGES = 50
"""Most values of a column by which payoffs may differ."""

_KINDS = {
    **dict.fromkeys(
        ("points", "reward", "rewards", "earning", "earnings", "profit", "profits", "gain"), "reward"
    ),
    **dict.fromkeys(("years", "penalty", "penalties", "cost", "costs", "loss", "fine"), "penalty"),
}
"""Words in the names of payoffs that say what they are."""

_PLURAL = {"reward": "rewards", "penalty": "penalties"}


def kind_by_name(name: str) -> str | None:
    """What payoffs are by the name of their column: points are rewards, years are penalties."""
    return _KINDS.get(kind_word(name))


def kind_word(name: str) -> str:
    """The word in the name of a column of payoffs that says what they are; empty where none does."""
    return next((word for word in tokens_of(name) if word in _KINDS), "")


def _payoff_kind(
    ours: Mapping[str, Column],
    tables: Sequence[tuple[float, float, float, float]],
    settings: Settings,
    supports: list[str],
    questions: list[Question],
) -> str | None:
    """Whether payoffs are rewards or penalties, by their name and by the names of the actions.

    Payoffs as rewards and as penalties make opposite actions cooperation, so that an action whose name says
    that it is cooperation settles the kind, and may contradict the name of the payoffs.
    """
    if settings.payoff_kind or not {"payoff", "action", "round"} <= ours.keys():
        return None
    name = ours["payoff"].name
    by_name = kind_by_name(name)
    if settings.cooperate:
        return by_name
    labels = sorted(ours["action"].labels)
    named = by_words(labels) or _by_column(ours["action"])
    fitting = _kinds_by_words(tables, labels, named[0]) if len(named) == 1 and len(labels) == 2 else []
    if len(fitting) != 1:
        return by_name
    supports.append(f"payoffs make {named[0]} cooperation if they are {_PLURAL[fitting[0]]}")
    if by_name == fitting[0] or (by_name is None and fitting[0] == "reward"):
        return fitting[0]
    other = next(a for a in labels if a != named[0])
    if by_name is None:
        questions.append(
            Question(
                f"{name} may be penalties, by which {named[0]} is cooperation as its name says, or "
                f"rewards, by which {other} is",
                ("--payoff-kind penalty", f"--cooperate {other}"),
            )
        )
        return None
    questions.append(
        Question(
            f"{name} speaks of {_PLURAL[by_name]}, by which {other} would be cooperation and not {named[0]}",
            (f"--payoff-kind {fitting[0]}", f"--cooperate {named[0]}"),
        )
    )
    return None


def by_words(labels: Sequence[str]) -> list[str]:
    """The labels that say by their words that they are cooperation, as their counterparts are there, too."""
    folded = {label.casefold() for label in labels}
    return [label for label in labels if COOPERATIVE_WORDS.get(label.casefold()) in folded]


def _kinds_by_words(
    tables: Sequence[tuple[float, float, float, float]], labels: Sequence[str], cooperative: str
) -> list[str]:
    """The kinds of payoffs by which an action is cooperation, in every named game whose payoffs tell."""
    tables = [table for table in tables if not np.isnan(table).any()]
    kinds: tuple[PayoffKind, ...] = ("reward", "penalty")
    both = labels[0], labels[1]
    fitting = [
        [k for k in kinds if MatrixGame.symmetric("unnamed", both, *t, k).cooperative_label == cooperative]
        for t in tables
    ]
    telling = [one for one in fitting if len(one) == 1]
    return sorted({kind for one in telling for kind in one})


def own_payoffs(
    ours: Mapping[str, Column], game: NDArray[np.intp], labels: Sequence[str]
) -> list[tuple[float, float, float, float]]:
    """The usual own payoff by (own action, other's) in each named game where they follow from both moves.

    NaN where nobody played so.
    """
    payoff = ours["payoff"].numbers
    if payoff is None:
        return []
    code = {label: i for i, label in enumerate(labels)}

    def coded(column: Column) -> NDArray[np.intp]:
        usual = [code.get(column.usual.get(v, v), -1) for v in column.values]
        return np.array(usual, dtype=np.intp)[column.codes]

    own = coded(ours["action"])
    if "other" in ours:
        other = coded(ours["other"])
    else:
        other = np.full(len(own), -1, dtype=np.intp)
        place = number_of([game, ours["round"].codes], len(own))
        two = np.bincount(place) == 2
        first = first_rows(place, len(two))[two]
        last = np.full(len(two), -1, dtype=np.intp)
        last[place] = np.arange(len(place))
        other[first], other[last[two]] = own[last[two]], own[first]
    full = (own >= 0) & (other >= 0) & np.isfinite(payoff)
    ranks = ours["payoff"].ranks
    amounts = np.full(int(ranks.max(initial=-1)) + 1, np.nan)
    amounts[ranks] = payoff
    joint = (2 * own + other)[full] * len(amounts) + ranks[full]
    named = ours.get("game")
    names = named.codes[full] if named is not None and len(named.values) <= _NAMES else np.zeros_like(joint)
    tables = []
    for name in range(int(names.max(initial=-1)) + 1):
        of_name = joint if not names.any() else joint[names == name]
        counts = np.bincount(of_name, minlength=4 * len(amounts)).reshape(4, -1)
        usual = counts.max(axis=1, initial=0)
        if usual.any() and (usual >= _USUAL * counts.sum(axis=1)).all():
            cc, cd, dc, dd = np.where(usual > 0, amounts[counts.argmax(axis=1)], np.nan).tolist()
            tables.append((cc, cd, dc, dd))
    return tables


_TELLING = 4
"""Rounds whose payoffs follow from the moves of two players, if these played each other."""


def _explain(ours: Mapping[str, Column], game: NDArray[np.intp]) -> bool:
    """Whether the payoffs of two players follow from the moves of both."""
    if not {"payoff", "action", "round"} <= ours.keys() or len(ours["action"].labels) != 2:
        return False
    tables = own_payoffs(ours, game, ours["action"].labels)
    values = {v for table in tables for v in table if not np.isnan(v)}
    return len(values) > 2 and len(ours["round"].filled) >= _TELLING


def stated_keys(settings: Settings) -> list[str]:
    """The columns that tell games apart as the user says."""
    names = [name.strip() for name in settings.mapping.get("by", "").split("+")]
    return [name for name in dict.fromkeys(names) if name]


def number_of(codes: Sequence[NDArray[np.integer]], n: int) -> NDArray[np.intp]:
    """(n,) number of the combination of codes of each row, in order of appearance; 0 without codes."""
    return numbered(codes).astype(np.intp) if len(codes) and n else np.zeros(n, dtype=np.intp)


class Numbers:
    """Numbers of combinations of codes as `number_of`, each worked out once.

    Parameters
    ----------
    n : int
        Rows.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._of: dict[tuple[int, ...], tuple[Sequence[NDArray[np.integer]], NDArray[np.intp]]] = {}

    def of(self, codes: Sequence[NDArray[np.integer]]) -> NDArray[np.intp]:
        """(n,), of the same arrays the same number; they stay here, so that none has the place of another."""
        key = tuple(map(id, codes))
        if key not in self._of:
            self._of[key] = codes, number_of(codes, self.n)
        return self._of[key][1]


def meetings(ours: Mapping[str, Column], keys: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """(n,) number of the game that two players who name each other have in each row.

    Where they meet again under the same keys, a round that comes again is one of the next meeting.

    Parameters
    ----------
    ours : mapping of our name -> column, of player, other_player and round
    keys : sequence of (n,) int, what else tells games apart
    """
    player, other = ours["player"], ours["other_player"]
    pool = {value: i for i, value in enumerate(dict.fromkeys([*player.values, *other.values]))}
    one, two = (np.array([pool[v] for v in c.values], dtype=np.intp)[c.codes] for c in (player, other))
    place = number_of([*keys, one, two, ours["round"].codes], len(one))
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    again = np.empty(len(order), dtype=np.intp)
    again[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return number_of([*keys, np.minimum(one, two), np.maximum(one, two), again], len(one))


def restarts(column: Column, seat: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n,) seat and game, where a game of a seat begins whenever its round does not grow."""
    numbers = column.numbers
    if numbers is None:
        return seat
    order = _by_group(seat)
    fresh = np.ones(len(seat), dtype=bool)
    fresh[1:] = (np.diff(seat[order]) != 0) | ~(np.diff(numbers[order]) > 0)
    games = np.empty(len(seat), dtype=np.intp)
    games[order] = np.cumsum(fresh) - 1
    return games


def _examine_rounds(
    column: Column,
    seat: NDArray[np.intp],
    supports: list[str],
    faults: list[str],
    missing: str,
    copies: Callable[[], int] = lambda: 0,
) -> float:
    """Rounds of one player and game run on from the first without a gap or a repeat.

    Parameters
    ----------
    missing : str
        What is not there if they repeat.
    copies : callable
        Rows that are the same as an earlier one in all columns.
    """
    numbers = column.numbers
    if numbers is None or not column.is_whole:
        faults.append(f"column {column.name} has no whole numbers, expected rounds: give --map round=NAME")
        return 0.0
    ranks, readable = column.ranks, np.isfinite(numbers)
    if not readable.all():
        numbers, seat, ranks = numbers[readable], seat[readable], ranks[readable]
    order = order_of(*keys_of([seat, ranks]))
    if order is not None:
        numbers, seat = numbers[order], seat[order]
    step = np.diff(numbers)
    same = seat[1:] == seat[:-1]
    repeats = int((same & (step == 0)).sum())
    runs = float((step[same] == 1).mean()) if same.any() else 0.0
    if same.any() and repeats > 0.1 * len(seat) and (again := copies()) >= 0.9 * repeats:
        faults.append(
            f"{again:,} of {len(seat):,} rows are the same as an earlier one in all columns: leave out the "
            "copies, or add a column that tells the games apart that they are of"
        )
        return 0.0
    if same.any() and repeats > 0.1 * len(seat):
        faults.append(
            f"{repeats:,} of {len(seat):,} rows are a second row for a player and round: "
            f"a column that tells games or players apart is missing, give --map {missing}"
        )
        return 0.0
    if same.any():
        supports.append(f"rounds run on in {runs:.0%} of steps")
    return 2 * runs


def _copies(long: LongTable) -> Callable[[], int]:
    """Counts the rows that are the same as an earlier one in all columns."""

    def count() -> int:
        codes = [by_value(cells)[0] for cells in long.table.columns.values()]
        return len(codes[0]) - len(np.unique(numbered(codes))) if codes else 0

    return count


def _by_group(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows group after group; few groups are sorted by their digits, which is faster."""
    kind = np.min_scalar_type(int(group.max(initial=0)))
    return np.argsort(group.astype(kind), kind="stable")


def _examine_players(
    game: NDArray[np.intp],
    player: NDArray[np.intp],
    keys: Sequence[Column],
    long: LongTable,
    supports: list[str],
    faults: list[str],
    *,
    at_most: int,
    round_: Column | None,
    pairs: NDArray[np.intp],
) -> float:
    """Games have two players each, or one number of them that a group may have.

    Parameters
    ----------
    game, player : (n,) int, of each row
    at_most : int
        Players of a game.
    round_ : column, optional
    pairs : (n,) int
        Number of the game and player of each row.
    """
    sizes = np.bincount(game[first_rows(pairs, int(pairs.max(initial=-1)) + 1)])
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return 0.0
    most, largest = int(np.bincount(sizes).argmax()), int(sizes.max())
    named = " + ".join(k.name for k in keys)
    if largest > at_most and round_ is not None and _is_anew_each_round(game, player, round_):
        what = f"{named} has two players in each {round_.name} and {largest:,} in all"
        if _stay_together(game, player, round_):
            faults.append(
                f"{what}, and most partners are those of the round before: give --map by=MATCH for a column "
                f"that numbers the matches, or by={round_.name} if each round is a game of its own"
            )
        else:
            faults.append(
                f"{what}: partners change from round to round, so that each is a game of its own: give --map "
                f"by={round_.name}"
            )
        return 0.0
    if "other_player" in long.columns:
        return 1.0
    if largest > at_most:
        pairing = _pairing(game, player, long)
        apart = f"--map by={pairing or 'SESSION'} for a column that tells games apart"
        what = f"; two of each {pairing} have" if pairing else ", or nothing says who met whom; give"
        hint = f" one, give {apart}" if pairing else f" --map other_player=PARTNER, {apart}"
        together = f", or --map game_id={keys[0].name} if all of them played together" if at_most == 2 else ""
        faults.append(
            f"a game of {named} would have {largest:,} players: its numbers repeat{what}{hint}{together}"
        )
        return 0.0
    supports.append(f"{len(sizes):,} games by {named}, of {most} players")
    return 2.0 if most == 2 else 0.5


def _is_anew_each_round(game: NDArray[np.intp], player: NDArray[np.intp], round_: Column) -> bool:
    """Whether a game has two players in every round."""
    place = number_of([game, round_.codes], len(game))
    pairs = number_of([place, player], len(game))
    heads = first_rows(pairs, int(pairs.max(initial=-1)) + 1)
    return len(heads) == len(game) and bool((np.bincount(place) == 2).all())


def _stay_together(game: NDArray[np.intp], player: NDArray[np.intp], round_: Column) -> bool:
    """Whether most players have the partner of the round before, where games have two players a round."""
    rounds = round_.numbers
    if rounds is None:
        return False
    order = np.lexsort((game, rounds))
    pairs = player[order].reshape(-1, 2)
    partner = np.empty(len(player), dtype=np.intp)
    partner[order] = pairs[:, ::-1].ravel()
    order = np.lexsort((rounds, player))
    same = player[order][1:] == player[order][:-1]
    stays = partner[order][1:] == partner[order][:-1]
    return bool(2 * (same & stays).sum() > same.sum())


def _has_company(game: NDArray[np.intp], pairs: NDArray[np.intp]) -> bool:
    """Whether some game has more than one player, by the number of the game and player of each row."""
    heads = first_rows(pairs, int(pairs.max(initial=-1)) + 1)
    return bool(np.bincount(game[heads]).max(initial=0) > 1)


def _pairing(game: NDArray[np.intp], player: NDArray[np.intp], long: LongTable) -> str:
    """The one further column within which every game has two players; empty where none or several are."""
    used = {*long.columns.values(), *long.by}
    fitting = []
    for name in [n for n in long.table.columns if n not in used][:_SEARCHED]:
        codes = by_value(long.table.columns[name])[0]
        games = number_of([game, codes], len(game))
        pairs = number_of([games, player], len(game))
        sizes = np.bincount(games[first_rows(pairs, int(pairs.max(initial=-1)) + 1)])
        if (sizes == 2).all():
            fitting.append(name)
    return fitting[0] if len(fitting) == 1 else ""


_SEARCHED = 12
"""Most columns that are tried."""


def _examine_actions(column: Column, supports: list[str], faults: list[str], settings: Settings) -> float:
    """Moves alternate between two labels."""
    labels = column.labels
    if len(labels) == 2:
        supports.append(f"moves are {labels[0]} and {labels[1]}")
        return 2.0
    return 0.0


def _cooperation(
    ours: Mapping[str, Column],
    tables: Sequence[tuple[float, float, float, float]],
    settings: Settings,
    questions: list[Question],
) -> str | None:
    """The action whose name says that it is cooperation; a question where nothing tells."""
    labels = ours["action"].labels
    if settings.cooperate or "cooperative_action" in ours or len(labels) != 2:
        return None
    named = by_words(labels) or _by_column(ours["action"])
    if "payoff" in ours:
        return (
            named[0]
            if len(named) == 1 and tables and all(np.isnan(table).any() for table in tables)
            else None
        )
    if settings.game and (len(named) != 1 or _has_actions(settings.game, labels)):
        return None
    if len(named) == 1:
        return named[0]
    questions.append(
        Question(
            "no payoffs are there to tell which action is cooperation",
            tuple(f"--cooperate {a}" for a in labels),
        )
    )
    return None


def _has_actions(name: str, labels: Sequence[str]) -> bool:
    """Whether the catalogue's game of a name has these actions, and tells their payoffs."""
    from intent.games.catalogue import game

    try:
        return {*labels} <= {*game(name).actions}
    except UnknownNameError:
        return False


_TRUE = frozenset(["1", "1.0", "true", "yes", "y"])
_FALSE = frozenset(["0", "0.0", "false", "no", "n"])


_NEGATIONS = frozenset(["not", "no", "non", "never", "fail", "fails", "failed", "refused", "un"])
"""Words that turn a name round: such a column says nothing unless it is asked."""


def _by_column(column: Column) -> list[str]:
    """The action that a column named after cooperation or defection says is cooperation."""
    words = {*tokens_of(column.name)}
    labels = {label.casefold(): label for label in column.labels}
    yes, no = [v for k, v in labels.items() if k in _TRUE], [v for k, v in labels.items() if k in _FALSE]
    if len(yes) != 1 or len(no) != 1 or words & _NEGATIONS:
        return []
    if any(word.startswith("coop") for word in words):
        return yes
    return no if any(word.startswith("defect") for word in words) else []
