"""Which rows of a long table are one game, who sits where, and what the games are called.

Second rows for one player and round of a long table: rejected one by one, or a sign of a wrong reading.

Rows of practice, which count or are left out as the user says.

Which column of a long table names the players, where none bears a name that says so.

Questions put to players beside their moves, with their answers: ``question_1, answer_q1, correct_1``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import DataError, IntentError, UnknownNameError, located
from intent.base.tables import TEXT
from intent.logs.gamelog import Rejects
from intent.logs.readers.arrays import (
    TidyTable,
    by_value,
    codes_of,
    first_rows,
    keys_of,
    numbered,
    texts,
)
from intent.logs.readers.reader import Settings, Source

__all__ = [
    "PLAYERS",
    "answer_columns",
    "assign_games",
    "from_round_one",
    "guess_player",
    "name_games",
    "practice_among",
    "question_table",
    "without_practice",
    "without_repeats",
]


PLAYERS = ("id", "subject_id", "pid", "participant")
"""Names that may be the player's, or a row's, or something else's."""

_PRACTICE = frozenset(["practice", "practise", "warmup", "warm-up", "warm up"])
"""Words by which columns or cells say that rounds were played for practice."""

_YES = frozenset(["1", "1.0", "true", "yes", "y", "t"])
_NO = frozenset(["", "0", "0.0", "false", "no", "n", "f"])

_KINDS_OF_ROWS = 20
"""Most different cells of a column that may say what a row is for."""


def without_practice(table: TidyTable, settings: Settings, source: Source) -> tuple[TidyTable, list[str]]:
    """The rows that are no practice by the column that the user names, and a note on the others.

    Practice is a cell that says yes or practice, or else a number below 1.

    Raises
    ------
    DataError
        The table has no such column, or it does not say what is practice.
    """
    name = settings.practice
    if name is None:
        return table, []
    if name not in table.columns:
        error = UnknownNameError("column", name, list(table.columns))
        raise DataError(located(source.path, f"--map practice={name}: {error}"))
    marked = _marked(table.columns[name], name)
    if marked is None:
        codes, values = by_value(table.columns[name])
        marked = np.array([bool(_NUMBER.fullmatch(value)) and float(value) < 1 for value in values])[codes]
    if not marked.any() and settings.plan is not None:  # of files alike one may have none
        return table, []
    if not marked.any() or marked.all():
        what = "every row" if marked.all() else "no row"
        raise DataError(
            located(
                source.path,
                f"--map practice={name}: {what} would be practice, expected yes, practice or a number below "
                "1 in some",
            )
        )
    note = f"{int(marked.sum()):,} of {len(table):,} rows are practice by column {name}, and left out"
    return table.rows(np.flatnonzero(~marked)), [note]


_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{0,15})?")


def _marked(column: pa.Array, name: str) -> NDArray[np.bool_] | None:
    """(n,) whether a cell says that its row is practice; None where no cell and no name can say so."""
    codes, values = by_value(column)
    folded = [value.casefold() for value in values]
    if len(folded) > _KINDS_OF_ROWS:
        return None
    words = [*map(_speaks, folded)]
    if any(words):
        return np.array(words)[codes]
    numbers_rounds = re.search("round|period|turn", name.casefold()) and not _speaks(name)
    if {*folded} <= _YES | _NO and not numbers_rounds:
        return np.array([value in _YES for value in folded])[codes]
    return None


def _speaks(text: str) -> bool:
    """Whether a name or cell speaks of practice."""
    folded = text.casefold()
    return any(word in folded for word in _PRACTICE)


def practice_among(table: TidyTable, names: Iterable[str]) -> list[str]:
    """A note on the first column that marks some rows as practice, which nobody said to leave out.

    Parameters
    ----------
    table : TidyTable
    names : iterable of str
        Columns of which nothing else is known.
    """
    for name in names:
        marked = _marked(table.columns[name], name)
        if marked is None or not marked.any() or marked.all():
            continue
        if _speaks(name) or any(map(_speaks, by_value(table.columns[name])[1])):
            n, of = int(marked.sum()) // table.parts, len(marked) // table.parts
            return [
                f"{n:,} of {of:,} rows are practice by column {name}, and count like the others: give --map "
                f"practice={name} to leave them out"
            ]
    return []


_PLACE = ("game_id", "game", "run", "repetition", "seat", "round", "step")


def guess_player(table: TidyTable, columns: Mapping[str, str]) -> str | None:
    """The column that names the players.

    A column of one of the names `PLAYERS` does, unless it differs in every row of a game of several
    rounds, if

    1. the table has the opponent's move or further columns on the other (``other.…``), or
    2. game and round fit several rows, which the column tells apart.

    Parameters
    ----------
    table : TidyTable
    columns : mapping of ours -> theirs
    """
    if "player" in columns or "seat" in columns:
        return None
    role_names = set(columns.values())
    names = {name.casefold(): name for name in reversed(list(table.columns))}
    candidates = [names[name] for name in PLAYERS if name in names and names[name] not in role_names]
    place = [columns[key] for key in _PLACE if key in columns]
    about_other = "other" in columns or any(name.startswith(("other.", "other_")) for name in names)
    for name in candidates:
        several_rounds = _distinct(table, [columns["round"]]) > 1
        if several_rounds and _distinct(table, [name]) == len(table):
            continue
        tells_apart = _distinct(table, place) < _distinct(table, [*place, name]) == len(table)
        if about_other or tells_apart:
            return name
    return None


def _distinct(table: TidyTable, names: list[str]) -> int:
    """Number of different combinations of some columns."""
    coded = {}
    for name in names:
        codes, values = by_value(table.columns[name])
        coded[name] = pa.array(codes).cast(pa.int64()) if values else pa.array([], pa.int64())
    return int(pa.table(coded).group_by(names).aggregate([]).num_rows)


_MANY = 0.1
"""Share of second rows beyond which a column is looked for that tells them apart."""

_SEARCHED = 12
"""Most columns that are tried."""

_STRAY = 0.01
"""Share of second rows that a column may leave and still be said to tell the rows apart."""


def without_repeats(
    rows: pd.DataFrame, keys: Sequence[str], table: TidyTable, rejects: Rejects
) -> pd.DataFrame:
    """The rows without those that agree in all keys with an earlier one; these are rejected.

    Raises
    ------
    DataError
        So many that the table is not what it is taken for: half of the rows where no column names the
        players, or a tenth where another column tells them apart.
    """
    present = [c for c in keys if c in rows and not (c == "player" and "_anonymous" in rows)]
    key, size = keys_of([codes_of(rows[c]) for c in present])
    repeated = _repeated(key, size)
    if repeated is None:
        return rows
    if int(repeated.sum()) > _MANY * len(rows):
        _refuse(rows, present, int(repeated.sum()))
    rejects.expect(int(repeated.sum()))
    again = rows.loc[repeated, present]
    for row, which in zip(again.index.tolist(), _places(again), strict=True):
        rejects.add(table.line(row), f"a second row for {which}", table.text(row))
    return rows[~repeated]


def _repeated(key: NDArray[np.integer], size: int) -> NDArray[np.bool_] | None:
    """(n,), whether the number of a row, below `size`, is that of an earlier one; None: all differ."""
    if size <= _ROOM * len(key):
        present = np.zeros(size, dtype=bool)
        present[key] = True
        if int(present.sum()) == len(key):
            return None
    again = pd.Series(key).duplicated().to_numpy()
    return again if again.any() else None


_ROOM = 64
"""Numbers for each row up to which a mark for each one is cheaper than looking them up."""


def _places(rows: pd.DataFrame) -> list[str]:
    """The keys of each row, as ``game a, player x, round 1``."""
    parts = []
    for column in rows.columns:
        values = rows[column].astype(object)
        name = str(column).lstrip("+_")
        gone = values.isna().tolist()
        parts.append(
            ["" if no else f"{name} {value}" for no, value in zip(gone, values.tolist(), strict=True)]
        )
    return [", ".join(filter(None, row)) for row in zip(*parts, strict=True)]


def _refuse(rows: pd.DataFrame, present: list[str], n: int) -> None:
    anonymous = "_anonymous" in rows and "seat" not in present
    most = 2 * n >= len(rows)
    telling = _telling(rows, present)
    if not telling and not (anonymous and most):
        return
    named = ", ".join(c.lstrip("+_") for c in present if rows[c].notna().any())
    missing = "no column is known to be the player, and " if anonymous else ""
    what = f"{missing}{n:,} of {len(rows):,} rows are a second row for the same {named}"
    if not telling:
        raise DataError(f"{what}; no column tells them apart, expected one row per player and round")
    first = telling[0]
    keys = ("player", "by") if anonymous else ("by", "by")
    hint = f"{keys[0]}={first[0]}" if len(first) == 1 else _two(keys, first)
    others = ", ".join(name for (name,) in telling[1:4]) if len(first) == 1 else ""
    also = f" (so would {others})" if others else ""
    raise DataError(f"{what}; {' and '.join(first)} would tell them apart{also}: give --map {hint}")


def _two(keys: tuple[str, str], names: tuple[str, ...]) -> str:
    return f"{keys[0]}={names[0]},{keys[1]}={names[1]}" if keys[0] != keys[1] else f"by={'+'.join(names)}"


def _telling(rows: pd.DataFrame, present: list[str]) -> list[tuple[str, ...]]:
    """Columns, or else pairs of them, that recur and tell all but a few rows apart; likely ones first."""
    distinct = {c: rows[c].nunique() for c in rows.columns if str(c).startswith("+")}
    recurring = [c for c, count in distinct.items() if 1 < count <= len(rows) // 2][:_SEARCHED]
    for size in (1, 2):
        sets = [
            tuple(sorted(columns, key=lambda c: (c[1:].casefold() not in PLAYERS, -distinct[c])))
            for columns in combinations(recurring, size)
            if rows.duplicated([*present, *columns]).sum() <= _STRAY * len(rows)
        ]
        if sets:
            sets.sort(key=lambda columns: columns[0][1:].casefold() not in PLAYERS)
            return [tuple(c[1:] for c in columns) for columns in sets]
    return []


def assign_games(rows: pd.DataFrame, by: Sequence[str], table: TidyTable, rejects: Rejects) -> pd.DataFrame:
    """The rows with columns ``_game`` (number), ``_seat``, ``_own`` (own value) and ``_name`` (of the game).

    The column game tells games apart unless there is a game_id, or all its values are names of games
    that the catalogue has. A second row for the same player and round is rejected.

    Parameters
    ----------
    rows : DataFrame
        As `tidy_rows.typed_rows`.
    by : sequence of str
        Condition columns; games of one value under different conditions are different games.
    table, rejects
        Where rejected rows come from and go to.

    Raises
    ------
    DataError
        More than two players, and nothing tells games apart; seats beyond 2 with one opponent; or most
        rows are second rows for a player and round.
    """
    if "other" in rows and "seat" in rows and (rows["seat"] > 2).any():
        raise DataError(
            f"seats go up to {rows['seat'].max():,}, but each row has the move of one opponent, expected "
            "seats 1 and 2; give --map player=NAME for a column that names the players"
        )
    own = "game_id" if "game_id" in rows else "game" if "game" in rows else None
    if own == "game" and _names_games(rows["game"]):
        own = None
    name = rows["game"] if "game" in rows and own != "game" else None
    nothing = pd.Series(
        pd.Categorical.from_codes(np.full(len(rows), -1), pd.Index([], dtype=TEXT)), rows.index
    )
    rows = rows.assign(
        _own=rows[own] if own else nothing, _name=nothing if name is None else name.astype("category")
    )
    keys = [own] if own else []
    keys += [c for c in ("run", "repetition") if c in rows]
    if keys:
        keys += [f"+{c}" for c in by if f"+{c}" in rows] + ["_name"]
    elif "other" not in rows and not _paired(rows) and rows["player"].nunique() > 2:
        raise DataError(
            f"{rows['player'].nunique()} players and no column tells games apart; give --map game=NAME"
        )
    placed = _placed(rows, keys)
    if _repeated(*keys_of([codes_of(placed[c]) for c in _PLACES if c in placed])) is None:
        return placed
    if keys:  # rows that agree in what the file says agree in game and seat, but are told by what it says
        by_file = [*keys, "player", "other_player", "seat", "round", "step"]
        placed = _placed(without_repeats(rows, by_file, table, rejects), keys)
    return without_repeats(placed, _PLACES, table, rejects)


_PLACES = ("_game", "_seat", "round", "step")


def _placed(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The rows with ``_game`` and ``_seat``."""
    game = _codes(rows, keys)
    seat = rows["seat"].to_numpy(dtype=np.int32) if "seat" in rows else _seats(rows, game)
    return rows.assign(_game=game, _seat=seat)


def from_round_one(rows: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The rows with rounds that begin with 1 in each game, where numbers run on over the games of a player.

    z-Tree and others count periods over a whole session, and its supergames besides. Numbers run on where no
    player has one number in two games, at least half of the games that begin after round 1 follow another one
    of their players, and as many have several rounds (else what tells games apart may number something else).
    Otherwise a game that begins later lacks its first rounds, and a note says so.

    Parameters
    ----------
    rows : DataFrame
        As `assign_games` returns them.
    notes : list of str
        Gets what a reader of the log should know.
    """
    game, when = rows["_game"].to_numpy(), rows["round"].to_numpy(dtype=np.int64)
    first = np.full(int(game.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, game, when)
    late = (first > 1) & (first < np.iinfo(np.int64).max)
    if not late.any():
        return rows
    if _runs_on(rows, late, first):
        notes.append(
            "rounds run on over the games of a player in the file, and begin with 1 in each game here"
        )
        return rows.assign(round=when - (first[game] - 1))
    n = len(np.unique(game))
    notes.append(
        f"{int(late.sum()):,} of {n:,} games begin after round 1: what was played before counts as unknown"
    )
    return rows


def _runs_on(rows: pd.DataFrame, late: NDArray[np.bool_], first: NDArray[np.int64]) -> bool:
    """Whether the games of each player follow each other by the numbers of their rounds."""
    game, when = rows["_game"].to_numpy(), rows["round"].to_numpy(dtype=np.int64)
    who = codes_of(rows["player"]).astype(np.int64)
    who = np.where(who >= 0, who, -1 - rows["_seat"].to_numpy(dtype=np.int64))
    part = numbered([who, game])
    heads = first_rows(part, int(part.max(initial=-1)) + 1)
    ends = np.zeros(len(heads), dtype=np.int64)
    np.maximum.at(ends, part, when)
    player, place = who[heads], game[heads]
    order = np.lexsort((first[place], player))
    follows = player[order][1:] == player[order][:-1]
    if (follows & (first[place][order][1:] <= ends[order][:-1])).any():
        return False
    following, long = np.zeros((2, len(first)), dtype=bool)
    following[place[order][1:][follows]] = True
    long[game[when > first[game]]] = True
    return bool(2 * min((late & following).sum(), (late & long).sum()) >= late.sum())


def _names_games(values: pd.Series[str]) -> bool:
    """Whether all values are names of games in the catalogue."""
    from intent.games.catalogue import game

    distinct = values.dropna().unique().tolist()
    if not 0 < len(distinct) <= 100:
        return False
    try:
        return all(game(value) for value in distinct)
    except IntentError:
        return False


def _codes(rows: pd.DataFrame, keys: Sequence[str]) -> NDArray[np.int32]:
    """The game of each row.

    1. Rows belong together that agree in `keys`; without any, a player begins a new game where the
       round does not grow or the name of the game changes.
    2. Where the opponent is named, the pair decides, and without keys the number of its meeting: a new one
       begins where its round does not grow, or jumps after rounds with somebody else.
    3. Where only the opponent's move is known, the two players of a value are one game if each one's
       rows mirror the other's; else each player's rows are a game of their own.
    """
    player = codes_of(rows["player"])
    base, size = keys_of([codes_of(rows[key]) for key in keys]) if keys else (_restarts(rows, player), 0)
    if size > len(rows):
        base = numbered([base])
    if _paired(rows):
        other = _same_codes(rows["other_player"], rows["player"])
        base = base if keys else _meetings(rows, player, other)
        return numbered([base, np.minimum(player, other), np.maximum(player, other)])
    if "other" not in rows:
        return numbered([base])
    return numbered([base, np.where(_mirrored(rows, base, player), -1, player)])


def _paired(rows: pd.DataFrame) -> bool:
    """Whether every row names its player and the other one."""
    return (
        "other_player" in rows
        and len(rows) > 0
        and all(bool((codes_of(rows[c]) >= 0).all()) for c in ("player", "other_player"))
    )


def _restarts(rows: pd.DataFrame, player: NDArray[np.integer]) -> NDArray[np.int64]:
    """How often the player of each row began a new game before or with it."""
    order = np.argsort(player, kind="stable")
    who, when = player[order], rows["round"].to_numpy(dtype=np.int64)[order]
    name = codes_of(rows["_name"])[order]
    same = who[1:] == who[:-1]
    fresh = np.zeros(len(rows), dtype=np.int64)
    fresh[1:] = same & ((when[1:] <= when[:-1]) | (name[1:] != name[:-1]))
    total = np.cumsum(fresh)
    starts = np.flatnonzero(np.concatenate([[True], ~same]))[: len(rows)]
    total -= np.repeat(total[starts], np.diff(np.append(starts, len(rows))))
    base = np.empty(len(rows), dtype=np.int64)
    base[order] = total
    return base


def _meetings(
    rows: pd.DataFrame, player: NDArray[np.integer], other: NDArray[np.integer]
) -> NDArray[np.int64]:
    """(n,) how often the player of each row began to meet the same opponent before or with it.

    A meeting is new if it is so for one of the two: the other one may have sat out.
    """
    n = len(rows)
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(player, kind="stable")] = np.arange(n)
    order = np.lexsort((np.arange(n), other, player))
    who, met, when, at = (
        values[order] for values in (player, other, rows["round"].to_numpy(dtype=np.int64), place)
    )
    same = (who[1:] == who[:-1]) & (met[1:] == met[:-1])
    step = np.diff(when)
    fresh = np.zeros(n, dtype=bool)
    fresh[1:] = same & ((step <= 0) | ((step > 1) & (np.diff(at) > 1)))
    starts = np.flatnonzero(np.concatenate([[True], ~same]))[:n]
    nth = np.arange(n) - np.repeat(starts, np.diff(np.append(starts, n)))
    meeting = numbered([np.minimum(who, met), np.maximum(who, met), nth])
    new = np.zeros(int(meeting.max(initial=-1)) + 1, dtype=bool)
    np.logical_or.at(new, meeting, fresh)
    total = np.cumsum(new[meeting]).astype(np.int64)
    total -= np.repeat(total[starts], np.diff(np.append(starts, n)))
    base = np.empty(n, dtype=np.int64)
    base[order] = total
    return base


def _same_codes(values: pd.Series, as_those: pd.Series) -> NDArray[np.int32]:
    """Codes of texts by the categories of other ones, further numbers for texts that these lack."""
    own, theirs = (column.astype("category").cat for column in (values, as_those))
    place = theirs.categories.get_indexer(own.categories)
    place = np.where(place < 0, len(theirs.categories) + np.arange(len(place)), place)
    return np.append(place, -1).astype(np.int32)[own.codes.to_numpy()]


def _mirrored(
    rows: pd.DataFrame, base: NDArray[np.integer], player: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether the value of each row has two players who tell the same story from both sides."""
    n = int(base.max(initial=-1)) + 1
    named = np.flatnonzero(player >= 0)
    heads = named[first_rows(pair := numbered([base[named], player[named]]), int(pair.max(initial=-1)) + 1)]
    two = (np.bincount(base[heads], minlength=n) == 2)[base]
    head = first_rows(base[named], n)
    at = np.flatnonzero(two)
    leads = player[at] == player[named[head[base[at]]]]
    action, other = codes_of(rows["action"])[at], _same_codes(rows["other"], rows["action"])[at]
    mine, yours = np.where(leads, action, other), np.where(leads, other, action)
    place = numbered([base[at], rows["round"].to_numpy(dtype=np.int64)[at]])
    first = first_rows(place, int(place.max(initial=-1)) + 1)
    alike = (mine == mine[first[place]]) & (yours == yours[first[place]]) & (mine >= 0) & (yours >= 0)
    sides = np.zeros((2, len(first)), dtype=bool)
    sides[leads.astype(np.intp), place] = True
    differ = np.zeros(n, dtype=bool)
    differ[base[at[~alike]]] = True
    differ[base[at[first[~sides.all(axis=0)]]]] = True
    return np.asarray(two & ~differ[base])


def _seats(rows: pd.DataFrame, game: NDArray[np.int32]) -> NDArray[np.int32]:
    """Seats from 1 in the order in which the players of a game appear."""
    pair = numbered([game, codes_of(rows["player"])])
    heads = game[first_rows(pair, int(pair.max(initial=-1)) + 1)]
    seat = pd.Series(heads).groupby(heads, observed=True).cumcount().to_numpy() + 1
    return np.asarray(seat, dtype=np.int32)[pair]


def name_games(heads: pd.DataFrame) -> pd.Series[str]:
    """Identifiers: a game's own value where no other has it, else with the player, the run or a number.

    Parameters
    ----------
    heads : DataFrame
        The first row of each game, with ``_own`` and ``player``, and perhaps ``run`` and ``repetition``.
    """
    names = heads["_own"].astype(TEXT).fillna("game").tolist()
    for column in ("player", "run", "repetition"):
        if column not in heads or (column == "player" and "_anonymous" in heads):
            continue
        twice = _shared(names)
        if not any(twice):
            break
        cells, gone = heads[column].astype(object).tolist(), heads[column].isna().tolist()
        names = [
            f"{name}-{cell}" if again and not no else name
            for name, again, cell, no in zip(names, twice, cells, gone, strict=True)
        ]
    twice = _shared(names)
    if not any(twice):
        return pd.Series(names, index=heads.index, dtype=TEXT)
    reserved, counts, unique = set(names), dict.fromkeys(names, 0), []
    for name, shared in zip(names, twice, strict=True):
        chosen = name
        while shared and (chosen == name or chosen in reserved):
            counts[name] += 1
            chosen = f"{name}-{counts[name]}"
        reserved.add(chosen)
        unique.append(chosen)
    return pd.Series(unique, index=heads.index, dtype=TEXT)


def _shared(names: list[str]) -> list[bool]:
    """Whether each name is that of another, too."""
    shared: list[bool] = pd.Series(names, dtype=object).duplicated(keep=False).tolist()
    return shared


_QUESTION = frozenset(["q", "question", "questions", "quiz", "comprehension"])
_EXPECTED = frozenset(["expected", "solution", "truth", "right"])
_ANSWER = frozenset(["answer", "answers", "response", "reply"])
_PARTS = ("question", "answer", "expected", "correct")


def answer_columns(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Number of each question -> its columns: question, answer, expected, correct; an answer is always there.

    Columns without a number belong together where one says that there is a question.
    """
    groups: dict[str, dict[str, str]] = {}
    questioned = False
    for name in names:
        tokens = [t.casefold() for t in re.findall(r"[A-Za-z][a-z]*|\d+", name)]
        words, numbers = {t for t in tokens if not t.isdecimal()}, [t for t in tokens if t.isdecimal()]
        about = bool(words & _QUESTION)
        part = _part(words, about)
        if part and len(numbers) < 2:
            groups.setdefault("".join(numbers), {}).setdefault(part, name)
            questioned |= about
    fitting = {number: parts for number, parts in groups.items() if "answer" in parts and len(parts) > 1}
    return fitting if questioned else {}


def _part(words: Collection[str], about: bool) -> str:
    """What a column of a question holds, by the words of its name."""
    if _EXPECTED & {*words} or {"correct", "answer"} <= {*words}:
        return "expected"
    if "correct" in words:
        return "correct"
    if _ANSWER & {*words}:
        return "answer"
    return "question" if about and {*words} <= _QUESTION | {"text", "agent", "player"} else ""


def question_table(
    table: TidyTable, rows: pd.DataFrame, ids: pd.Series[str], answers: Mapping[str, Mapping[str, str]]
) -> pd.DataFrame | None:
    """Table ``questions``: one row per row of a long table and question with an answer or a question there.

    Parameters
    ----------
    table : TidyTable
    rows : DataFrame with _game, _seat and round, by row of the table
    ids : by game
    answers : as `answer_columns`

    Notes
    -----
    Where nothing says whether an answer is correct, it is if it is the expected one, but for case.
    """
    at = pa.array(rows.index.to_numpy(dtype=np.int64))
    blocks = []
    for number, parts in answers.items():
        cells = {part: texts(table.columns[name].take(at)) for part, name in parts.items()}
        empty = pd.Series(pd.array([None] * len(rows), dtype=TEXT))
        answer, expected = cells["answer"], cells.get("expected", empty)
        correct = _truth(cells["correct"]) if "correct" in cells else _equal(answer, expected)
        label = f"q{number}" if number else "question"
        block: dict[str, Any] = {
            "game_id": ids.reindex(rows["_game"]).to_numpy(),
            "round": rows["round"].to_numpy(),
            "seat": rows["_seat"].to_numpy(),
            "question": cells.get("question", empty).fillna(label),
            "answer": answer,
            "parsed": answer,
            "expected": expected,
            "correct": correct,
        }
        present = answer.notna() | (cells["question"].notna() if "question" in cells else False)
        blocks.append(pd.DataFrame(block)[present.to_numpy()])
    return pd.concat(blocks, ignore_index=True) if blocks else None


def _truth(cells: pd.Series[str]) -> pd.Series[bool]:
    folded = cells.str.casefold().str.removesuffix(".0")
    return folded.isin(_YES).astype("boolean").mask(~folded.isin((_YES | _NO) - {""}))


def _equal(answer: pd.Series[str], expected: pd.Series[str]) -> pd.Series[bool]:
    same = answer.str.casefold().str.strip() == expected.str.casefold().str.strip()
    return same.astype("boolean").mask(answer.isna() | expected.isna())
