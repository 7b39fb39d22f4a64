"""Reader of long tables: one row per game, round and player, in columns of any name.

The rows of a long table under our names, each cell read as what its column is.

Which action of a long table is cooperation: what the user says, the named game, or the payoffs.

The moves of a long table: those of its rows, and of opponents known only from them.

Tables of games and seats from the rows of a long table, and where its other columns belong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, IntentError, located, nearest, of_file, shorten
from intent.base.files import bounds
from intent.base.tables import TEXT
from intent.games.game import MatrixGame, PayoffKind
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import (
    TidyTable,
    amounts,
    by_value,
    coded,
    codes_of,
    first_rows,
    keys_of,
    numbered,
    open_table,
    order_of,
    plain,
    truths,
    typed,
    whole_numbers,
)
from intent.logs.readers.reader import Reader, Settings, Source, resolve
from intent.logs.readers.stages import (
    HOW,
    NULLS,
    MatrixFit,
    Stage,
    check_two,
    fit_matrix,
    matrix_stage,
    one_sided,
    settle,
    spellings,
    unused_game,
    words_for_no_move,
)
from intent.logs.readers.stated import with_statements
from intent.logs.readers.tidy_games import (
    answer_columns,
    assign_games,
    from_round_one,
    guess_player,
    name_games,
    practice_among,
    question_table,
    without_practice,
)

__all__ = [
    "READER",
    "columns_of_table",
    "decide_stages",
    "game_table",
    "labels_of",
    "log_of_table",
    "moves_table",
    "place_conditions",
    "seat_table",
    "spread_moves",
    "typed_rows",
]


_KINDS = {c.name: c.kind for c in (*codebook.GAMES, *codebook.SEATS, *codebook.MOVES)} | {"decided": "string"}
_REQUIRED = ("round", "seat", "step")


class _Wrong(dict[int, str]):
    """Row -> the first thing that is wrong with it."""

    def __init__(self, rejects: Rejects) -> None:
        super().__init__()
        self.rejects = rejects

    def mark(self, table: TidyTable, column: str, bad: Any, wanted: str) -> None:
        rows = np.flatnonzero(np.asarray(bad, dtype=bool))
        self.rejects.expect(len(rows))
        for row in rows.tolist():
            got = table.columns[column][row].as_py()
            self.setdefault(row, f"{table.source(column, row)} is {got!r}, expected {wanted}")


def typed_rows(
    table: TidyTable, columns: dict[str, str], settings: Settings, rejects: Rejects, notes: list[str]
) -> tuple[pd.DataFrame, Settings]:
    """Mapped columns by our names, others with a leading ``+``; rows with unreadable cells are rejected.

    Texts are categorical: a long table has few that differ.

    Parameters
    ----------
    table : TidyTable
    columns : dict of ours -> theirs
    settings : Settings
    rejects : Rejects
    notes : list of str
        Gets what a reader of the log should know.

    Returns
    -------
    DataFrame, and the settings with both actions where the user names both

    Raises
    ------
    DataError
        No row has a move.
    UsageError
        As `actions.settle`.
    """
    wrong = _Wrong(rejects)
    data: dict[str, Any] = {
        ours: _column(table, ours, theirs, wrong, named="player" in columns)
        for ours, theirs in columns.items()
    }
    rows = pd.DataFrame(data, index=range(len(table)), copy=False)
    if "action" not in rows:
        rows["action"] = _no_texts(len(rows))
    for ours, highest in (("round", bounds().rounds), ("step", bounds().rounds), ("seat", bounds().seats)):
        if ours in rows:
            if ours == "round":
                _shift_practice(rows, columns[ours], settings, notes)
            if _from_zero(rows[ours]):
                rows[ours] += 1
                notes.append(f"{ours}s are numbered from 0 in the file and from 1 here")
            wrong.mark(table, columns[ours], _outside(rows[ours], highest), f"1 to {highest}")
    settings = _read_actions(rows, table, columns, settings, notes, wrong)
    if "implementation_error" in rows:
        error = rows["implementation_error"]
        stray = error.notna() & ~error.between(0, 0.5, inclusive="left")
        wrong.mark(table, columns["implementation_error"], stray, "a probability below .5")
    for ours, allowed in (("status", codebook.MOVE_STATUSES), ("payoff_kind", ("reward", "penalty"))):
        if ours in rows:
            _mark_stray(wrong, table, columns[ours], rows[ours], allowed, " or ".join(allowed))
    reasons: dict[int, str] = {}
    for row, reason in wrong.items():
        reasons.setdefault(table.origin(row), reason)
    for row, reason in reasons.items():
        rejects.add(table.line(row), reason, table.text(row))
    mapped = set(columns.values())
    for name in table.columns:
        if name not in mapped:
            rows[f"+{name}"] = typed(table.columns[name], keep_codes=True)
    if "player" not in rows:
        rows["_anonymous"] = True
        rows["player"] = _texts_of(rows["seat"]) if "seat" in rows else _no_texts(len(rows))
    return rows.drop(index=table.siblings(wrong)) if wrong else rows, settings


def _no_texts(n: int) -> pd.Categorical:
    return pd.Categorical.from_codes(np.full(n, -1), pd.Index([], dtype=TEXT))


def _texts_of(numbers: pd.Series[int]) -> pd.Categorical:
    codes, values = pd.factorize(numbers)
    return pd.Categorical.from_codes(codes, pd.Index([str(value) for value in values.tolist()], dtype=TEXT))


def _read_actions(
    rows: pd.DataFrame,
    table: TidyTable,
    columns: dict[str, str],
    settings: Settings,
    notes: list[str],
    wrong: _Wrong,
) -> Settings:
    """Empty the cells that stand for no move, and mark rows with a third action where the user names two."""
    actions = [name for name in ("action", "other", "decided") if name in rows]
    cooperative: list[str] = []
    if "cooperative_action" in rows:
        column = rows["cooperative_action"]
        rows["cooperative_action"] = _without(column, [w for w in _words(column) if w.casefold() in NULLS])
        cooperative = list(_words(rows["cooperative_action"]))
    words: dict[str, int] = {}
    for name in actions:
        for word, n in _words(rows[name]).items():
            words[word] = words.get(word, 0) + n
    words = dict(sorted(words.items(), key=lambda pair: -pair[1]))
    gone = words_for_no_move(words, settings.cooperate, cooperative)
    labels = [word for word in words if word not in gone]
    silent = set(_words(rows["action"])) <= {*gone}
    if (not labels or silent) and ("value" not in rows or rows["value"].isna().all()):
        moved = columns.get("action", "value")
        names = table.sources.get(moved, (moved,))
        raise DataError(f"no move in column{'s' * (len(names) > 1)} {' and '.join(names)}")
    named = {
        *cooperative,
        *([settings.cooperate, *settings.cooperate.split(":")] if settings.cooperate else []),
    }
    usual = spellings({word: words[word] for word in labels}, named)
    for name in (*actions, *(["cooperative_action"] if cooperative else [])):
        rows[name] = _respelt(rows[name], usual)
    notes += one_spelling(usual)
    settings = settle(settings, list(dict.fromkeys(usual.values())))
    if gone:
        listed = ", ".join(f"{word} ({words[word]:,})" for word in gone)
        notes.append(f"read as missing moves: {listed}")
    for name in actions:
        rows[name] = _without(rows[name], gone)
        if settings.defect is not None:
            pair = [str(settings.cooperate), settings.defect]
            _mark_stray(wrong, table, columns[name], rows[name], pair, f"{pair[0]} or {pair[1]}")
    return settings


def one_spelling(usual: Mapping[str, str]) -> list[str]:
    """A note where labels of several spellings are one action."""
    groups: dict[str, list[str]] = {}
    for label, name in usual.items():
        groups.setdefault(name, []).append(label)
    several = [f"{', '.join(map(shorten, g))} as {shorten(name)}" for name, g in groups.items() if len(g) > 1]
    return [f"spelt in several ways, and read as one action: {'; '.join(several)}"] if several else []


def _respelt(column: pd.Series[str], usual: Mapping[str, str]) -> pd.Series[str]:
    """The column with each label in its usual spelling."""
    names = [usual.get(word, word) for word in column.cat.categories]
    values = list(dict.fromkeys(names))
    if len(values) == len(names) and values == column.cat.categories.tolist():
        return column
    codes = np.array([*(values.index(name) for name in names), -1])[codes_of(column)]
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(values, dtype=TEXT)), index=column.index)


def _words(column: pd.Series[str]) -> dict[str, int]:
    """How often each text of a column comes, in order of appearance."""
    codes, words = codes_of(column), column.cat.categories.tolist()
    if len(words) <= _FEW:
        counts = [int(np.count_nonzero(codes == code)) for code in range(len(words))]
    else:
        counts = np.bincount(codes[codes >= 0], minlength=len(words)).tolist()
    return {word: n for word, n in zip(words, counts, strict=True) if n}


_FEW = 8
"""Texts that are counted one by one, as there are codes of a byte."""


def _without(column: pd.Series[str], words: Collection[str]) -> pd.Series[str]:
    """The column, null where it has one of these texts."""
    gone = [word for word in column.cat.categories if word in words]
    return cast("pd.Series[str]", column.cat.remove_categories(gone))


def _mark_stray(
    wrong: _Wrong,
    table: TidyTable,
    theirs: str,
    column: pd.Series[str],
    allowed: Collection[str],
    wanted: str,
) -> None:
    """Mark rows that have another text than the allowed ones."""
    strays = [word not in allowed for word in column.cat.categories]
    if any(strays):
        wrong.mark(table, theirs, np.array([*strays, False])[codes_of(column)], wanted)


def _from_zero(numbers: pd.Series[int]) -> bool:
    """Whether zeros are no slips: they come about as often as ones, or alone."""
    zeros, ones = int(numbers.eq(0).sum()), int(numbers.eq(1).sum())
    return 0 < ones <= 2 * zeros or 0 < zeros == int(numbers.notna().sum())


def _shift_practice(rows: pd.DataFrame, theirs: str, settings: Settings, notes: list[str]) -> None:
    """Rounds from 1 where practice before them was left out.

    Raises
    ------
    DataError
        More than single rows have rounds below zero, as practice has, and nobody says what they are.
    """
    numbers = rows["round"]
    first = int(numbers.min()) if numbers.notna().any() else 1
    if settings.practice and first > 1:
        rows["round"] = numbers - (first - 1)
        notes.append(f"rounds begin with {first} after practice, and with 1 here")
    below = int(numbers.lt(0).sum())
    if below > max(2, _STRAY * len(rows)):
        n = int(numbers.lt(1).sum())
        raise DataError(
            f"{n:,} of {len(rows):,} rows have a {theirs} below 1, down to {first}, as practice has: give "
            f"--map practice={theirs} to leave them out, or number all rounds from 1"
        )


_STRAY = 0.01
"""Share of rows up to which numbers of rounds below zero are slips."""


def _outside(numbers: pd.Series[int], highest: int) -> NDArray[np.bool_]:
    """Numbers that are there and outside the range from 1."""
    values = numbers.to_numpy(dtype=np.int64, na_value=1)
    return np.asarray((values < 1) | (values > highest))


def _column(table: TidyTable, ours: str, theirs: str, wrong: _Wrong, *, named: bool) -> Any:
    column = table.columns[theirs]
    kind = _KINDS.get(ours, "float" if ours == "other_payoff" else "string")
    if kind == "bool":
        values, bad = truths(column)
        wrong.mark(table, theirs, bad, "true or false")
        return values
    if ours == "repetition" or kind not in ("int", "float"):
        return coded(column)
    if kind == "int":
        number, missing = whole_numbers(column)
        if not missing.any():
            return pd.Series(pd.arrays.IntegerArray(number, missing))
        cells = coded(column)
        bad = missing if ours in _REQUIRED else missing & (cells.codes >= 0)
        strange = pd.Series(cells[bad].dropna() if ours == "seat" and not named else cells[:0], dtype=TEXT)
        names = len(strange) and pd.to_numeric(strange, errors="coerce").isna().all()
        hint = f" (names of players: --map player={theirs})" if names else ""
        wrong.mark(table, theirs, bad, f"a whole number{hint}")
        return pd.Series(pd.arrays.IntegerArray(number, missing))
    amount, bad = amounts(column)
    wrong.mark(table, theirs, bad, "a number")
    return amount


_TOLD = ("cooperative_action", "payoff_kind")


def decide_stages(
    rows: pd.DataFrame, moves: pd.DataFrame, labels: tuple[str, ...], settings: Settings
) -> tuple[dict[int, Stage], pd.Index]:
    """The stage of every game, and the lines of `moves` whose payoffs contradict it.

    Games of one name, and of the same cooperative action and payoff kind where the file has such
    columns, are decided together. They have the actions played in them; where one was never played, that
    of the file.

    Raises
    ------
    DataError
        Nothing tells which action is cooperation (in a game whose moves are not numbers), or a game has
        more than two actions.
    """
    heads = _first_values(rows, ["_name", *(c for c in _TOLD if c in rows)])
    seats = _most(moves, "seat", len(heads), 2)
    kinds = numbered([codes_of(heads[c]) for c in heads])
    first = first_rows(kinds, int(kinds.max()) + 1)
    parts = _parts(kinds[moves["game"].to_numpy()])
    nobody = np.empty(0, dtype=np.int64)
    stages: dict[int, Stage] = {}
    wrong: list[NDArray[np.int64]] = [nobody]
    for number, at in enumerate(first.tolist()):
        head = heads.iloc[at].dropna()
        members = np.flatnonzero(kinds == number)
        chosen = replace(
            settings,
            cooperate=settings.cooperate or head.get("cooperative_action"),
            payoff_kind=settings.payoff_kind or head.get("payoff_kind"),
        )
        rows_of_it = parts.get(number, nobody)
        part = moves if len(first) == 1 else moves.iloc[rows_of_it]
        name = head.get("_name", settings.game)
        counts = _words(part["action"])
        check_two(counts, chosen.cooperate, head.get("_name"))
        own = tuple(sorted(counts)) if len(counts) == 2 or len(labels) > 2 else labels
        n_seats = int(seats[members].max())
        stage, contrary, follows = _stage(part, n_seats, name, own, chosen)
        column = "" if follows else _differ_by(rows, part, own, name)
        if not column:
            stages.update(dict.fromkeys(members.tolist(), stage))
            wrong.append(rows_of_it[contrary])
            continue
        values = _by_game(rows, column)
        for value in np.unique(values[members]).tolist():
            of_value = np.flatnonzero(values[part["game"].to_numpy()] == value)
            stage, contrary, _ = _stage(part.iloc[of_value], n_seats, name, own, chosen)
            note = "; ".join(filter(None, [stage.note, f"payoffs differ by {column[1:]}"]))
            within = members[values[members] == value]
            stages.update(dict.fromkeys(within.tolist(), replace(stage, note=note)))
            wrong.append(rows_of_it[of_value[contrary]])
    return stages, moves.index[np.sort(np.concatenate(wrong))]


_FEW_VALUES = 50
"""Most values of a column by which payoffs may differ."""

_ENOUGH = 24
"""Moves for each value of such a column: payoffs of a few follow from anything."""

_FOLLOW = 0.9
"""Share of the moves whose payoffs follow from those of both sides, if payoffs do."""


def _by_game(rows: pd.DataFrame, column: str) -> NDArray[np.integer]:
    """(games,) what the first row of each game has in a column, as codes."""
    game = rows["_game"].to_numpy()
    first = first_rows(game, int(game.max(initial=-1)) + 1)
    return np.asarray(codes_of(rows[column])[first])


def _differ_by(rows: pd.DataFrame, moves: pd.DataFrame, labels: tuple[str, ...], name: str | None) -> str:
    """The first further column, the same in each game, within whose values payoffs follow from the moves."""
    game, of_moves = rows["_game"].to_numpy(), moves["game"].to_numpy()
    for column in (c for c in rows.columns if c.startswith("+")):
        values = _by_game(rows, column)
        played = np.unique(values[of_moves])
        if not 1 < len(played) <= _FEW_VALUES or len(of_moves) < _ENOUGH * len(played):
            continue
        if (codes_of(rows[column]) != values[game]).any():
            continue
        for value in played.tolist():
            places = _by_place(moves.iloc[np.flatnonzero(values[of_moves] == value)], labels)
            fit, wrong = _fit(places, name) if places.both.any() else (None, np.zeros(0))
            if fit is None or wrong.mean() > 1 - _FOLLOW_WITHIN:
                break
        else:
            return column
    return ""


_FOLLOW_WITHIN = 0.99
"""The same within the values of a column, which is taken for what payoffs differ by."""


def _first_values(rows: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The first value of each game that is no null, by game, in columns of texts."""
    game = rows["_game"].to_numpy()
    n = int(game.max(initial=-1)) + 1
    firsts = {}
    for column in columns:
        codes = codes_of(rows[column])
        known = np.flatnonzero(codes >= 0)
        at = first_rows(game[known], n)
        values = np.where(at >= 0, codes[known[at]], -1) if len(known) else np.full(n, -1)
        categories = rows[column].cat.categories
        firsts[column] = pd.Categorical.from_codes(values, categories).astype(TEXT)
    return pd.DataFrame(firsts, index=range(n))


def _parts(numbers: NDArray[np.integer]) -> dict[int, NDArray[np.int64]]:
    """Number -> the places that have it."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order])) + 1
    values = numbers[order[[0, *starts.tolist()]]] if len(order) else numbers
    return dict(zip(values.tolist(), np.split(order, starts), strict=False))


def _most(moves: pd.DataFrame, column: str, n_games: int, least: int) -> NDArray[np.int64]:
    """(n_games,) the highest number in the moves of each game."""
    most = np.full(n_games, least, dtype=np.int64)
    game = moves["game"].to_numpy()
    if len(game):
        starts = np.flatnonzero(np.append(True, game[1:] != game[:-1]))  # moves of one game follow each other
        most[game[starts]] = np.maximum(np.maximum.reduceat(moves[column].to_numpy(), starts), least)
    return most


def _stage(
    moves: pd.DataFrame, n_seats: int, name: str | None, labels: tuple[str, ...], settings: Settings
) -> tuple[Stage, NDArray[np.bool_], bool]:
    """The stage of games that are decided together, which moves contradict it, and whether payoffs follow."""
    fine = np.zeros(len(moves), dtype=bool)
    kind = settings.payoff_kind
    if moves["action"].isna().all() and "value" in moves and moves["value"].notna().any():
        return (
            Stage.unknown(name, kind, n_seats, "its moves are numbers: no action is cooperation"),
            fine,
            True,
        )
    if settings.cooperate is not None:
        stage, follows = Stage.unknown(name, kind, n_seats, ""), True
        if n_seats == 2 == len(labels) and moves["payoff"].notna().any():
            places = _by_place(moves, labels)
            if places.beside:
                fit, wrong = _fit(places, name)
                follows = fit is not None and bool(wrong.mean() <= 1 - _FOLLOW)
                if fit is not None and fit.is_complete and follows:
                    stage = matrix_stage(fit, (labels[0], labels[1]), name, kind, settings.cooperate)
        return stage.with_cooperation(settings.cooperate), fine, follows
    if name is not None:
        named = _named(name, labels, n_seats)
        payoffs = _seen_payoffs(moves, name, labels, n_seats) if named is not None else None
        if isinstance(named, Stage) and (payoffs is None or named.kind in _kinds(name, payoffs, labels)):
            return named, fine, True
        if isinstance(named, str):
            kinds: set[str] = {named} if payoffs is None else {*_kinds(name, payoffs)}
            kind = kind or (kinds.pop() if len(kinds) == 1 else None)
    if n_seats != 2 or len(labels) != 2 or moves["payoff"].isna().all():
        how = HOW if moves["payoff"].notna().any() else "give --cooperate ACTION"
        what = f"the actions are {', '.join(labels[:6])}" + (", …" if len(labels) > 6 else "")
        raise DataError(f"{what}, and nothing tells which one is cooperation; {how}")
    fit, wrong = _fit(_by_place(moves, labels), name)
    follows = fit is not None and bool(wrong.mean() <= 1 - _FOLLOW)
    return matrix_stage(fit, (labels[0], labels[1]), name, kind, None), wrong, follows


@dataclass(frozen=True, eq=False)
class _Places:
    """Moves and payoffs of two sides by game, round and step.

    Parameters
    ----------
    of : (n,) int
        Place of each move.
    action : (p, 2) int, -1 = none
    payoff : (p, 2) float, NaN = none
    """

    of: NDArray[np.integer]
    action: NDArray[np.int8]
    payoff: NDArray[np.float64]

    @cached_property
    def both(self) -> NDArray[np.bool_]:
        """(p,), where the moves of both sides are known."""
        return np.asarray((self.action[:, 0] >= 0) & (self.action[:, 1] >= 0))

    @property
    def beside(self) -> bool:
        """Whether payoffs stand in some round in which the moves of both sides are known."""
        return bool((self.both & (np.isfinite(self.payoff[:, 0]) | np.isfinite(self.payoff[:, 1]))).any())


def _fit(places: _Places, name: str | None) -> tuple[MatrixFit | None, NDArray[np.bool_]]:
    """The payoffs of a game of two players and actions, and which moves contradict them.

    Raises
    ------
    DataError
        Nobody's moves stand beside the other's.
    """
    action, payoff = places.action, places.payoff
    if not places.both.any():
        raise DataError(f"in no round are the moves of both sides known; {HOW}")
    paid = np.isfinite(payoff[:, 0]) & np.isfinite(payoff[:, 1])
    if not paid.any() and not _is_lopsided(name):
        payoff = np.stack([payoff[:, 0], _mirrored(action, payoff[:, 0])], axis=1)
        paid = np.isfinite(payoff[:, 0]) & np.isfinite(payoff[:, 1])
    full = np.flatnonzero(places.both & paid)
    joint = 2 * action[:, 0] + action[:, 1]
    fit = fit_matrix(joint[full], payoff[full]) if len(full) < len(joint) else fit_matrix(joint, payoff)
    contrary = np.zeros(len(action), dtype=bool)
    if fit is None or fit.explained.all():
        return fit, np.zeros(len(places.of), dtype=bool)
    contrary[full[~fit.explained]] = True
    return fit, contrary[places.of]


def _by_place(moves: pd.DataFrame, labels: tuple[str, ...]) -> _Places:
    """Moves in order of game, round, step and seat, of two seats."""
    fresh = np.zeros(len(moves), dtype=bool)  # moves of one place follow each other
    for column in ("game", "round", "step"):
        values = moves[column].to_numpy()
        fresh[1:] |= values[1:] != values[:-1]
    place = np.cumsum(fresh)
    cell = 2 * place + (moves["seat"].to_numpy() - 1)
    n = int(place[-1]) + 1
    action, payoff = np.full(2 * n, -1, dtype=np.int8), np.full(2 * n, np.nan)
    action[cell] = _recoded(moves["action"], labels)
    payoff[cell] = moves["payoff"].to_numpy()
    return _Places(place, action.reshape(n, 2), payoff.reshape(n, 2))


def _recoded(column: pd.Series[str], labels: Sequence[str]) -> NDArray[np.integer]:
    """(n,), place of each text among the labels, -1 for others and null."""
    place = pd.Index(list(labels), dtype=TEXT).get_indexer(column.cat.categories)
    return np.asarray(np.append(place, -1).astype(np.int32)[codes_of(column)])


def _mirrored(action: NDArray[np.int8], payoff: NDArray[np.float64]) -> NDArray[np.float64]:
    """(p,) payoffs of the silent side by symmetry: what the other side got for the mirrored outcome.

    Parameters
    ----------
    action : (p, 2) int, -1 = unknown
    payoff : (p,) float, of the first side
    """
    joint = np.where((action >= 0).all(axis=1), 2 * action[:, 0] + action[:, 1], 4)
    paid = np.isfinite(payoff)
    usual = np.full(5, np.nan)
    for outcome in range(4):
        if len(got := payoff[(joint == outcome) & paid]):
            usual[outcome] = got[0] if (got == got[0]).all() else _usual(got)
    return usual[[0, 2, 1, 3, 4]][joint]


def _usual(values: NDArray[np.float64]) -> float:
    """The value that comes most often, the least of several."""
    different, counts = np.unique(values, return_counts=True)
    return float(different[counts.argmax()])


def _is_lopsided(name: str | None) -> bool:
    """Whether a named game looks different from its two seats, so that nobody's payoffs tell the other's."""
    from intent.games.catalogue import game

    try:
        known = game(name) if name else None
    except IntentError:
        return False
    return isinstance(known, MatrixGame) and not known.is_symmetric


def _named(name: str, labels: tuple[str, ...], n_seats: int) -> Stage | str | None:
    """The stage of a catalogued game; only its payoff kind where its actions differ; None where unknown."""
    from intent.games.catalogue import game

    try:
        known = game(name)
    except IntentError:
        return None
    if not set(labels) <= set(known.actions) or isinstance(known, MatrixGame) != (n_seats == 2):
        return known.kind
    by_seat = tuple(known.cooperative_action(min(seat, known.n_players)) for seat in range(1, n_seats + 1))
    payoffs = known.to_json() if n_seats == known.n_players else None
    return Stage(name, payoffs, known.kind, known.cooperative_label, by_seat)


def _seen_payoffs(
    moves: pd.DataFrame, name: str, labels: tuple[str, ...], n_seats: int
) -> NDArray[np.float64] | None:
    """(2, 2, 2) payoffs of the joint actions as far as scores tell them; None where they do not."""
    if n_seats != 2 or len(labels) != 2 or moves["payoff"].isna().all():
        return None
    places = _by_place(moves, labels)
    fit = _fit(places, name)[0] if places.beside else None
    return None if fit is None else fit.payoffs


def _kinds(name: str, payoffs: NDArray[np.float64], labels: tuple[str, ...] = ()) -> set[PayoffKind]:
    """The payoff kinds of the catalogued games of a name with these payoffs, or a power of ten times these.

    A name alone does not say what scores are: under the name of a game whose payoffs are years in prison,
    most people score points. Without labels the actions may be in any order.
    """
    from intent.games.catalogue import CATALOGUE, game

    known = game(name)
    kinds: set[PayoffKind] = set()
    for other, one in CATALOGUE.items():
        if not isinstance(one, MatrixGame) or not (other == known.name or other.startswith(f"{known.name}-")):
            continue
        table = np.array(one.payoffs, dtype=float)
        if not labels:
            ways = [table[::i, ::j] for i in (1, -1) for j in (1, -1)]
        elif {*labels} <= {*one.actions}:
            at = [one.actions.index(label) for label in labels]
            ways = [table[np.ix_(at, at)]]
        else:
            ways = []
        if any(_is_scaled(payoffs, way) for way in ways):
            kinds.add(one.kind)
    return kinds


def _is_scaled(payoffs: NDArray[np.float64], table: NDArray[np.float64]) -> bool:
    """Whether payoffs are those of a table times a power of ten, as games are scaled."""
    known = np.isfinite(payoffs)
    one, two = payoffs[known], table[known]
    scale = float(one @ two) / max(float(two @ two), 1e-12)
    tens = np.log10(scale) if scale > 0 else np.nan
    return (
        bool(abs(tens - np.round(tens)) < 1e-9 and np.allclose(one, scale * two, atol=1e-9)) or not one.any()
    )


_TEXTS = [c.name for c in codebook.MOVES if c.optional and c.kind == "string"]


def labels_of(rows: pd.DataFrame) -> tuple[str, ...]:
    """All actions, by name."""
    return tuple(
        sorted({word for c in ("action", "other", "decided") if c in rows for word in _words(rows[c])})
    )


def spread_moves(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per game, round, step and seat, with ``row`` (its origin) and ``own`` (whether the row's own).

    The opponent's move in a row becomes a line of its own where no row has that seat.
    """
    own = _lines(rows, rows["_seat"].to_numpy(), "action", "payoff", own=True)
    own |= {name: rows[name].array for name in ("value", "status", "decided", *_TEXTS) if name in rows}
    if "other" in rows:
        game, seat = rows["_game"].to_numpy(), rows["_seat"].to_numpy()
        lone = np.ones(int(game.max(initial=-1)) + 1, dtype=bool)
        lone[game[seat != seat[first_rows(game, len(lone))[game]]]] = False
        if lone.any():
            alone = rows[[c for c in ("_game", "round", "step", "other", "other_payoff") if c in rows]]
            if not lone.all():
                alone, seat = alone[lone[game]], seat[lone[game]]
            theirs = _lines(alone, 3 - seat.clip(1, 2), "other", "other_payoff", own=False)
            own = {name: _stacked(values, theirs.get(name), len(alone)) for name, values in own.items()}
    silent = own["action"].codes < 0
    if "value" in own:
        silent &= np.asarray(own["value"].isna())
    order = order_of(*keys_of([own[c] for c in ("game", "round", "step", "seat")]))
    if order is not None:
        order = order.astype(np.intp)
        own = {name: values.take(order) for name, values in own.items()}
        silent = silent[order] if silent.any() else silent
    return pd.DataFrame({**own, "status": _statuses(own.get("status"), silent)}, copy=False)


def _stacked(own: Any, theirs: Any | None, n: int) -> Any:
    """One column below the other, with the texts of both by code; n nulls where there is no second one.

    Parameters
    ----------
    own, theirs : array of numbers, or Categorical
    n : int
        Length of the second one.
    """
    if not isinstance(own, pd.Categorical):
        return np.concatenate([own, np.full(n, np.nan) if theirs is None else theirs])
    if theirs is None:
        return pd.Categorical.from_codes(
            np.concatenate([own.codes, np.full(n, -1, dtype=np.int8)]), own.categories, validate=False
        )
    both = own.categories.union(theirs.categories, sort=False)
    place = np.append(both.get_indexer(theirs.categories), -1)
    kind = np.min_scalar_type(-1 - len(both))
    codes = np.concatenate([own.codes.astype(kind), place.astype(kind)[theirs.codes]])
    return pd.Categorical.from_codes(codes, both, validate=False)


def _statuses(statuses: pd.Categorical | None, silent: NDArray[np.bool_]) -> pd.Categorical:
    """What became of each move: as the rows say, else by whether there is one."""
    names = sorted(codebook.MOVE_STATUSES)
    codes = np.where(silent, np.int8(names.index("missing")), np.int8(names.index("parsed")))
    if statuses is not None:
        recorded = _recoded(pd.Series(statuses), names)
        counts = (recorded >= 0) & ~(silent & (recorded == names.index("parsed")))
        codes = np.where(counts, recorded, codes).astype(np.int8)
    return pd.Categorical.from_codes(codes, pd.Index(names, dtype=TEXT), validate=False)


def _cooperation(
    action: NDArray[np.integer], target: NDArray[np.integer] | np.integer
) -> pd.arrays.BooleanArray:
    """Whether each action is the cooperative one of its game and seat; null where either is unknown (-1)."""
    known = (action >= 0) & (target >= 0)
    return pd.arrays.BooleanArray((action == target) & known, ~known)


def _lines(
    rows: pd.DataFrame, seat: NDArray[np.integer], action: str, payoff: str, *, own: bool
) -> dict[str, Any]:
    n = len(rows)
    return {
        "row": rows.index.to_numpy(dtype=np.int32),
        "game": rows["_game"].to_numpy(),
        "round": rows["round"].to_numpy(dtype=np.int32),
        "step": rows["step"].to_numpy(dtype=np.int32) if "step" in rows else np.ones(n, np.int32),
        "seat": seat,
        "action": rows[action].array,
        "payoff": rows[payoff].to_numpy() if payoff in rows else np.full(n, np.nan),
        "own": np.full(n, own),
    }


def moves_table(
    moves: pd.DataFrame,
    rows: pd.DataFrame,
    ids: pd.Series[str],
    stages: Mapping[int, Stage],
    labels: Sequence[str],
    conditions: Sequence[str],
) -> pd.DataFrame:
    """Table ``moves``.

    Parameters
    ----------
    moves : DataFrame
        As `spread_moves`.
    rows : DataFrame
        The rows they come from.
    ids, stages : by game
    labels : sequence of str
        All actions.
    conditions : sequence of str
        Columns of rows (which bear a leading ``+``) that vary from move to move.
    """
    texts = tuple(labels)
    n_seats = int(moves["seat"].max())
    target = _cooperative(stages, texts, n_seats)
    if (target == target[0, 0]).all():
        target = target[0, 0]
    else:
        target = target.ravel()[moves["game"].to_numpy() * np.int64(n_seats) + moves["seat"].to_numpy() - 1]
    action = _recoded(moves["action"], texts)
    decided = {}
    if "decided" in moves:
        decided = {"decided": _cooperation(_recoded(moves["decided"], texts), target)}
    origin = (
        np.where(moves["own"], rows.index.get_indexer(pd.Index(moves["row"])), -1)
        if len(conditions)
        else None
    )
    number = np.zeros(int(ids.index.max()) + 1, dtype=np.int32)
    number[ids.index] = np.arange(len(ids))
    status = moves["status"].cat
    played = [code for code in range(len(status.categories)) if (status.codes == code).any()]
    place = np.zeros(len(status.categories), dtype=np.int8)
    place[played] = np.arange(len(played))
    data: dict[str, Any] = {
        "game_id": pd.Categorical.from_codes(number[moves["game"]], pd.Index(ids)),
        **{c: _whole(moves[c]) for c in ("round", "step", "seat")},
        "action": pd.Categorical.from_codes(action, pd.Index(texts, dtype=TEXT)),
        "value": moves.get("value", np.nan),
        "cooperated": _cooperation(action, target),
        **decided,
        "payoff": moves["payoff"],
        "status": pd.Categorical.from_codes(place[status.codes], status.categories[played], validate=False),
        **{c: moves[c] for c in _TEXTS if c in moves},
        **{free_name(c, "moves"): rows[f"+{c}"].array.take(origin, allow_fill=True) for c in conditions},
    }
    texts_of = {*_TEXTS, *(free_name(c, "moves") for c in conditions)}
    return pd.DataFrame({c: _uncoded(v) if c in texts_of else v for c, v in data.items()}, copy=False)


def _cooperative(stages: Mapping[int, Stage], labels: Sequence[str], n_seats: int) -> NDArray[np.int32]:
    """(games, seats) place of the cooperative action among the labels, -1 where there is none."""
    target = np.full((max(stages) + 1, n_seats), -1, dtype=np.int32)
    code = {label: i for i, label in enumerate(labels)}
    different, which = _different(list(stages.values()))
    table = np.full((len(different), n_seats), -1, dtype=np.int32)
    for row, stage in zip(table, different, strict=True):
        by_seat = stage.cooperative[:n_seats]
        row[: len(by_seat)] = [-1 if a is None else code.get(a, len(code)) for a in by_seat]
    target[np.fromiter(stages, dtype=np.intp, count=len(stages))] = table[which]
    return target


def _different(stages: Sequence[Stage]) -> tuple[list[Stage], NDArray[np.intp]]:
    """The stages that are not the same value, and which of them each is."""
    numbers = np.fromiter(map(id, stages), dtype=np.int64, count=len(stages))
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    return [stages[i] for i in first.tolist()], which.reshape(-1).astype(np.intp)


def _whole(numbers: pd.Series[int]) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(numbers.to_numpy(dtype=np.int64), np.zeros(len(numbers), dtype=bool))


def _uncoded(values: Any) -> Any:
    """Texts themselves where there are codes of them."""
    return values.astype(TEXT) if isinstance(values.dtype, pd.CategoricalDtype) else values


_OF_GAME = ("language", "run", "horizon_known", "rounds_planned", "implementation_error")
_OF_SEAT = ("model", "persona", "architecture", "attitude", "strategy")


def place_conditions(rows: pd.DataFrame, extra: Sequence[str]) -> dict[str, list[str]]:
    """Each further column: a condition of games where no game varies it, else of seats, else of moves.

    Parameters
    ----------
    rows : DataFrame with _game and _seat
    extra : sequence of str
        Columns of rows, each with a leading ``+``.

    Returns
    -------
    dict of table name -> names without the plus
    """
    placed: dict[str, list[str]] = {"games": [], "seats": [], "moves": []}
    game, seat = rows["_game"].to_numpy(), rows["_seat"].to_numpy()
    of_game = first_rows(game, int(game.max(initial=-1)) + 1)[game]
    of_seat: NDArray[np.int64] | None = None
    for column in extra:
        values = codes_of(rows[column])
        if (values == values[of_game]).all():
            placed["games"].append(column[1:])
            continue
        if of_seat is None:
            key, size = keys_of([game, seat])
            of_seat = first_rows(key, size)[key]
        placed["seats" if (values == values[of_seat]).all() else "moves"].append(column[1:])
    return placed


def free_name(name: str, table: str) -> str:
    """A condition's name, prefixed where the codebook has a column of that name in the table."""
    return f"source_{name}" if name in {c.name for c in codebook.TABLES[table]} else name


def game_table(
    source: Source,
    heads: pd.DataFrame,
    ids: pd.Series[str],
    stages: dict[int, Stage],
    moves: pd.DataFrame,
    conditions: Sequence[str],
) -> pd.DataFrame:
    """Table ``games``.

    Parameters
    ----------
    source : Source
    heads : DataFrame, one row per game in order: the first of its rows
    ids : Series of game -> identifier
    stages : by game
    moves : DataFrame with game and round
    conditions : names of columns of heads, which bear a leading ``+``
    """
    different, which = _different([stages[game] for game in heads.index.tolist()])
    n = int(heads.index.max()) + 1
    data: dict[str, Any] = {
        "game_id": ids.to_numpy(),
        "source": source.path.name,
        "game": pd.array([stage.name for stage in different], dtype=TEXT).take(which),
        "payoffs": pd.array([stage.payoffs for stage in different], dtype=TEXT).take(which),
        "payoff_kind": pd.array([stage.kind for stage in different], dtype=TEXT).take(which),
        "cooperative_action": pd.array([stage.label for stage in different], dtype=TEXT).take(which),
        "n_players": _most(moves, "seat", n, 2)[heads.index],
        "rounds_played": _most(moves, "round", n, 0)[heads.index],
    }
    data |= {c: heads[c].array for c in _OF_GAME if c in heads}
    data |= {free_name(c, "games"): heads[f"+{c}"].array for c in conditions}
    games = pd.DataFrame(data)
    if "repetition" in heads:
        number = pd.to_numeric(heads["repetition"], errors="coerce").reset_index(drop=True)
        if number.abs().lt(2**53).all() and (number % 1 == 0).all():
            return games.assign(repetition=number.astype("Int64"))
    players = heads["player"].reset_index(drop=True).rename("_player")
    keys = pd.concat([games.drop(columns=["game_id", "rounds_played"]), players], axis=1)
    return games.assign(
        repetition=keys.groupby(list(keys.columns), dropna=False, observed=True).cumcount() + 1
    )


def seat_table(
    rows: pd.DataFrame, moves: pd.DataFrame, ids: pd.Series[str], conditions: Sequence[str]
) -> pd.DataFrame:
    """Table ``seats``: those with rows of their own are focal, opponents known from others' rows are not."""
    game, seat = rows["_game"].to_numpy(dtype=np.int64), rows["_seat"].to_numpy(dtype=np.int64)
    width = int(max(seat.max(), moves["seat"].max() if len(moves) else 0, 2)) + 1
    head = first_rows(game * width + seat, (int(game.max()) + 1) * width)
    there = head >= 0
    there[moves["game"].to_numpy(dtype=np.int64) * width + moves["seat"].to_numpy()] = True
    at = np.flatnonzero(there)
    focal = head[at] >= 0

    def cells(column: str, place: NDArray[np.int64]) -> Any:
        return _uncoded(rows[column].array.take(place, allow_fill=True))

    player = cells("player", head[at])
    if "_anonymous" in rows:
        player = pd.array([None] * len(at), dtype=TEXT)
    data: dict[str, Any] = {
        "game_id": ids.reindex(at // width).to_numpy(),
        "seat": at % width,
        "player": player,
        "focal": focal,
    }
    data |= {c: cells(c, head[at]) for c in _OF_SEAT if c in rows}
    data |= {free_name(c, "seats"): cells(f"+{c}", head[at]) for c in conditions}
    seats = pd.DataFrame(data)
    other_seat = 3 - at % width
    partner = np.where(other_seat > 0, head[at - at % width + np.maximum(other_seat, 0)], -1)
    for theirs, ours in (("other_player", "player"), ("other_model", "model")):
        if theirs in rows:
            partners = pd.Series(cells(theirs, partner))
            seats[ours] = seats[ours].where(focal, partners) if ours in seats else partners.where(~focal)
    return seats


def recognises(source: Source, settings: Settings) -> bool:
    """Whether there are columns for the round and the action, by the mapping or by their names."""
    columns = source.columns
    if settings.mapping:
        return bool(columns)
    return bool(columns) and {"round", "action"} <= resolve({}, columns, source.path).keys()


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a long table; rows that cannot be read go to the rejects."""
    if "session" in settings.mapping:
        raise DataError(located(source.path, "--map session=NAME is not for --format tidy: leave that out"))
    rejects = Rejects(source.path, strict=settings.strict)
    table, notes = without_practice(open_table(source, rejects, coded=True), settings, source)
    columns = columns_of_table(source, table, settings)
    return log_of_table(source, table, columns, settings, rejects, notes)


def log_of_table(
    source: Source,
    table: TidyTable,
    columns: dict[str, str],
    settings: Settings,
    rejects: Rejects,
    notes: Sequence[str] = (),
) -> GameLog:
    """The games of a long table, however it came about.

    Parameters
    ----------
    source : Source
    table : TidyTable
    columns : dict of ours -> theirs
        With round, and action or value; other columns of the table are conditions.
    settings : Settings
    rejects : Rejects
        Gets the rows that cannot be read.
    notes : sequence of str
        What is known of the log already.

    Raises
    ------
    DataError
        Not one row can be read, or nothing tells what the actions are.
    """
    notes = list(notes)
    try:
        rows, settings = typed_rows(table, columns, settings, rejects, notes)
    except DataError as error:
        raise of_file(source.path, error) from None
    if rows.empty:
        rejects.table(0)
    by = [name.strip() for name in settings.mapping.get("by", "").split("+") if name.strip()]
    try:
        rows = from_round_one(assign_games(rows, by, table, rejects), notes)
        labels = labels_of(rows)
        moves = spread_moves(rows)
        if 2 * len(rows) > len(table):  # else the rows that are left out tell what is wrong
            _check_sides(moves, columns)
        stages, wrong = decide_stages(rows, moves, labels, settings)
    except DataError as error:
        raise of_file(source.path, error) from None
    for row in dict.fromkeys(map(table.origin, moves.loc[wrong, "row"].tolist())):
        reason = "payoffs contradict those of the other rounds with these actions"
        rejects.add(table.line(row), reason, table.text(row))
    if len(wrong):
        moves = moves.drop(index=wrong).reset_index(drop=True)
        rows = rows[np.isin(rows["_game"].to_numpy(), moves["game"].to_numpy())]
    rejected = rejects.table(len(moves))

    answers = answer_columns(name for name in table.columns if f"+{name}" in rows)
    answers = {q: parts for q, parts in answers.items() if _is_of_seats(table, parts["answer"])}
    in_answers = {f"+{name}" for parts in answers.values() for name in parts.values()}
    placed = place_conditions(rows, [c for c in rows.columns if c.startswith("+") and c not in in_answers])
    game = rows["_game"].to_numpy()
    of_game = ("_game", "_own", "_name", "_anonymous", "player", "run", "repetition", *_OF_GAME)
    own_columns = [*dict.fromkeys(c for c in of_game if c in rows), *(f"+{c}" for c in placed["games"])]
    first = first_rows(game, int(game.max()) + 1)
    heads = plain(rows[own_columns].iloc[first[first >= 0]]).set_index("_game")
    ids = name_games(heads)
    notes += unused_game(settings.game, heads["_name"].astype(object).where(heads["_name"].notna(), None))
    notes += dict.fromkeys(stage.note for stage in stages.values() if stage.note)
    notes += practice_among(table, [name for name in table.columns if f"+{name}" in rows])
    log = GameLog(
        game_table(source, heads, ids, stages, moves, placed["games"]),
        seat_table(rows, moves, ids, placed["seats"]),
        moves_table(moves, rows, ids, stages, labels, placed["moves"]),
        question_table(table, rows, ids, answers),
        provenance={"notes": notes, "columns": columns},
        rejects=rejected,
    )
    return with_statements(log, settings.mapping)


def _check_sides(moves: pd.DataFrame, columns: Mapping[str, str]) -> None:
    """Refuse games of two actions of which each one has the moves of one player.

    Raises
    ------
    DataError
    """
    game, seat = moves["game"].to_numpy(), moves["seat"].to_numpy()
    first = first_rows(game, int(game.max(initial=-1)) + 1)
    if "action" in columns and len(game) and (seat == seat[first[game]]).all():
        raise DataError(one_sided(columns["action"]))


def _is_of_seats(table: TidyTable, name: str) -> bool:
    """Whether a column may differ between the players of a row of the file."""
    n = len(table) // table.parts
    if table.parts == 1:
        return True
    codes = by_value(table.columns[name])[0].reshape(table.parts, n)
    return bool((codes != codes[0]).any())


def columns_of_table(source: Source, table: TidyTable, settings: Settings) -> dict[str, str]:
    """Ours -> theirs, of a table whose columns bear our names or are named by the user.

    Raises
    ------
    DataError
        No column is known to be the round or the action.
    """
    names = tuple(table.columns)
    columns = resolve(settings.mapping, names, source.path)
    columns.pop("session", None)
    for needed in ("round", "action"):
        if needed not in columns and not (needed == "action" and "value" in columns):
            near = nearest(needed, names)
            hint = f" (perhaps {near[0]!r})" if near else ""
            have = shorten(", ".join(names), 400)
            reason = f"no column is known to be the {needed}{hint}; give --map {needed}=NAME, of {have}"
            raise DataError(located(source.path, reason))
    player = guess_player(table, columns)
    return {**columns, "player": player} if player else columns


READER = Reader(
    "tidy",
    "one row per game, round and player with columns for round and action (or --map round=…,action=…)",
    recognises,
    read,
)
