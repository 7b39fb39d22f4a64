"""Long tables: a row per game, round and player, and what may stand beside a move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.logs.importer.columns import Column, columns_of, in_catalogue, pair_of, with_role
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.people import SESSION
from intent.logs.importer.proposals import (
    LongTable,
    Proposal,
    Reason,
    Shape,
    kind_word,
    meetings,
    own_payoffs,
    restarts,
    stated_keys,
)
from intent.logs.readers.arrays import TidyTable, first_rows, numbered, of_codes, picked, stacked
from intent.logs.readers.reader import Settings

__all__ = ["ORDER", "SHAPES", "seat_of_models", "with_rounds_counted", "with_seats_counted"]

_LAGGED = "lag_other"
"""Key of a mapping: the other's move of the round before."""

_JOINT = "lag_joint"
"""Key of a mapping: both moves of the round before in one cell, the own one first."""

_HEAD = 10_000

_MOST = 0.8
"""Share of rounds with the rows of both players beyond which both are in the file."""


def _propose_long(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """One row per game, round and player; the other's move may stand beside, or in the next row."""
    every = list(columns.values())
    of_labels = [("action", c) for c in with_role(every, "action") if c.filled]
    moves = of_labels or [("value", c) for c in with_role(every, "value") if c.filled]
    for round_ in with_role(every, "round"):
        for kind, action in moves:
            if action is round_:
                continue
            chosen = {"round": round_, kind: action} | _beside(every, action)
            games = [c for c in _keys_of_games(every) if c not in chosen.values()]
            by_user = [c for c in every if c.name in stated_keys(settings)]
            games += [c for c in by_user if not games and c not in chosen.values()]
            if not games and not chosen.keys() & {"other", "other_player", _LAGGED, _JOINT}:
                games = _of_pairs(every, chosen)
            if games:
                chosen["game_id"] = games[0]
            for column in every:
                if column.sense.exact and column not in chosen.values():
                    chosen.setdefault(_ours(column), column)
            for role in (_LAGGED, _JOINT):
                keys = [*games[1:], *_sessions(every, chosen)]
                if role in chosen and _is_told_twice(chosen, keys, role, action):
                    del chosen[role]
            if "payoff" in chosen and "payoff" not in settings.mapping and _is_total(chosen, action):
                del chosen["payoff"]
            _choose_total(chosen, every, games, settings)
            seats = _by_seat(every) if "seat" in chosen and "player" not in chosen else ()
            sessions = _sessions(every, chosen)
            if "player" not in settings.mapping and (seat := seat_of_models(chosen, [*games, *sessions])):
                chosen.pop("player", None)
                chosen["seat"] = seat
            reasons = [Reason(c.name, role, _why(role, c)) for role, c in chosen.items()]
            score = sum(2.0 if c.sense.exact else 1.0 for c in chosen.values())
            names = {role: c.name for role, c in chosen.items()}
            if seats:
                names["player"] = " | ".join(seats)
                reasons.append(Reason(names["player"], "player", f"a column for each {names['seat']}"))
            by = tuple(c.name for c in (*games[1:], *sessions))
            yield Proposal(LogMapping(shape="long", columns=names, by=by), tuple(reasons), score)


_FEWEST = 3
"""Rounds of the longest game, where the order of rows is that of the rounds."""


def with_rounds_counted(table: TidyTable, stated: Mapping[str, str]) -> tuple[TidyTable, str]:
    """The table with a column of rounds where none says them: rows of a player and match as they stand.

    So only if both players of each match have as many rows, of one move each. Where the user says that each
    round is a game (``by``), a game has one.

    Parameters
    ----------
    table : TidyTable
    stated : mapping of ours -> theirs
        What the user says.
    """
    every, by = _as_stated(table, stated)
    named = with_role(every, "action")  # z-Tree's TimeOKDecision is called so, and holds times
    moves = [c for c in named if len(c.labels) == 2] or named
    if "round" in stated or any(c.sense.role == "round" or c.sense.round for c in every) or len(moves) != 1:
        return table, ""
    beside = _beside(every, moves[0])
    keys = [*_keys_of_games(every), *_sessions(every, beside)]
    keys += [c for c in every if c.name in by and c not in keys]
    if "player" not in beside or not keys or "round" in table.columns:
        return table, ""
    player = beside["player"]
    game = numbered([key.codes for key in keys])
    if "other_player" in beside:
        pool = {v: i for i, v in enumerate(dict.fromkeys([*player.values, *beside["other_player"].values]))}
        who, met = (np.array([pool[v] for v in c.values])[c.codes] for c in (player, beside["other_player"]))
        game = numbered([game, np.minimum(who, met), np.maximum(who, met)])
    series = numbered([game, player.codes])
    heads = first_rows(series, int(series.max(initial=-1)) + 1)
    lengths = np.bincount(series)
    of_game = np.bincount(game[heads])
    order = np.argsort(game[heads], kind="stable")
    if not len(heads) or (of_game != 2).any():
        return table, ""
    pairs = lengths[order].reshape(-1, 2)
    if (pairs[:, 0] != pairs[:, 1]).any() or (int(lengths.max()) < _FEWEST and not by):
        return table, ""
    rows = np.argsort(series, kind="stable")
    starts = np.cumsum(lengths) - lengths
    number = np.empty(len(series), dtype=np.int64)
    number[rows] = np.arange(len(series)) - np.repeat(starts, lengths)
    cells = of_codes(number, [str(i + 1) for i in range(int(lengths.max()))])
    series_of = ", ".join(c.name for c in (*keys, player))
    note = f"no column says the round: the rows of a {series_of} in their order are its rounds"
    return replace(table, columns={**table.columns, "round": cells}), note


def _as_stated(table: TidyTable, stated: Mapping[str, str]) -> tuple[list[Column], list[str]]:
    """The columns, as far as the user says what they are, and the names of those that tell games apart."""
    by = [name.strip() for name in stated.get("by", "").split("+") if name.strip() in table.columns]
    names = {ours: theirs for ours, theirs in stated.items() if theirs in table.columns}
    return [*columns_of(table, {**names, "by": "+".join(by)}).values()], by


ORDER = "order"
"""What the user says in place of a column of seats where the rows of a round stand in their order."""


def with_seats_counted(table: TidyTable, stated: Mapping[str, str], *, listed: bool) -> tuple[TidyTable, str]:
    """The table with a column of seats where both rows of a round bear one name: one plays against itself.

    Parameters
    ----------
    table : TidyTable
    stated : mapping of ours -> theirs
        What the user says.
    listed : bool
        Whether rows are items of lists, which stand in the order of seats.
    """
    by_order = stated.get("seat") == ORDER and ORDER not in table.columns
    if not (by_order or listed) or ("seat" in stated and not by_order):
        return table, ""
    every, by = _as_stated(table, stated)
    rounds, moves = with_role(every, "round"), with_role(every, "action")
    keys = [*_keys_of_games(every), *with_role(every, SESSION)]
    keys += [c for c in every if c.name in by and c not in keys]
    if not rounds or not moves or any(c.sense.role == "seat" for c in every):
        return table, ""
    unknown = [c for c in every if listed and not keys and c.sense.role == "" and len(c.filled) > 1]
    for tried in [keys] if keys else [[c] for c in unknown]:
        place = numbered([*(key.codes for key in tried), rounds[0].codes])
        if (np.bincount(place) == 2).all():
            break
    else:
        return table, ""
    who = [c for c in every if c.sense.role in ("player", "model") and not c.sense.whose]
    apart = numbered([place, *(c.codes for c in who)])
    if not by_order and (not who or len(np.unique(apart)) == len(apart)):
        return table, ""
    pairs = np.argsort(place, kind="stable").reshape(-1, 2)
    second = np.zeros(len(place), dtype=np.int64)
    second[pairs[:, 1]] = 1
    note = "the two rows of each round are seats 1 and 2, in their order"
    seats = {ORDER if by_order else "seat": of_codes(second, ["1", "2"])}
    games = {} if keys or "game_id" in table.columns else {"game_id": tried[0].cells}
    return replace(table, columns={**table.columns, **games, **seats}), note


def seat_of_models(chosen: Mapping[str, Column], keys: Sequence[Column]) -> Column | None:
    """The column that tells the seats of a game apart where models sit there; None where none does.

    1. One called the player, whose two labels are in every game and carry several models each.
    2. The model, where no player is known and every game has two of them, each once a round.

    Parameters
    ----------
    chosen : mapping of our name -> column
    keys : sequence of columns that tell games apart
    """
    if "model" not in chosen or not keys or {"seat", "other_player"} & chosen.keys():
        return None
    who, model = chosen.get("player", chosen["model"]), chosen["model"]
    game = numbered([key.codes for key in keys])
    of_games = numbered([game, who.codes])
    heads = first_rows(of_games, int(of_games.max(initial=-1)) + 1)
    if not (np.bincount(game[heads]) == 2).all():
        return None
    if who is model:
        once = numbered([of_games, chosen["round"].codes])
        return who if int(once.max(initial=-1)) + 1 == len(once) and len(keys[0].filled) > 1 else None
    pairs = numbered([who.codes, model.codes])
    first = first_rows(pairs, int(pairs.max(initial=-1)) + 1)
    several = np.bincount(who.codes[first], minlength=len(who.values)) > 1
    return who if len(who.filled) == 2 and several.all() else None


def _sessions(every: Sequence[Column], chosen: Mapping[str, Column]) -> list[Column]:
    """The columns of sessions; a date and time of each row is none."""
    sessions = [c for c in with_role(every, SESSION) if c not in chosen.values()]
    return [c for c in sessions if c.role is not None or 2 * len(c.filled) <= len(c.codes)]


def _is_told_twice(chosen: Mapping[str, Column], keys: Sequence[Column], role: str, move: Column) -> bool:
    """Whether both players of each game have rows of their own, so that no move is read off the other's.

    What a column says of the round before is then what the other one did in it, by its own row.
    """
    if "player" not in chosen or not {"game_id", "other_player"} & chosen.keys():
        return False
    player, n = chosen["player"], len(chosen["player"].codes)
    codes = [chosen[role].codes for role in ("game_id",) if role in chosen] + [key.codes for key in keys]
    if "other_player" in chosen:
        pool = {value: i for i, value in enumerate(player.values)}
        met = np.array([pool.get(v, -1) for v in chosen["other_player"].values])[chosen["other_player"].codes]
        codes += [np.minimum(player.codes, met), np.maximum(player.codes, met)]
    place = numbered([*codes, chosen["round"].codes])
    sizes = np.bincount(place)
    who = numbered([place, player.codes])
    if (sizes > 2).any() or (sizes == 2).mean() < _MOST or int(who.max(initial=-1)) + 1 < n:
        return False
    every = {column.name: column for column in chosen.values()}
    ours = {role: column.name for role, column in chosen.items()}
    within = [chosen["player"], *keys, *(chosen[key] for key in ("game_id", "other_player") if key in chosen)]
    implied, _ = _from_lag(every, ours, chosen[role].name, within, joint=role == _JOINT)
    order = np.argsort(place, kind="stable")
    order = order[(sizes == 2)[place[order]]].reshape(-1, 2)
    other, own = (np.array([v.casefold() for v in c.values])[c.codes] for c in (Column("", implied), move))
    one, two = other[order].ravel(), own[order[:, ::-1]].ravel()
    known = (one != "") & (two != "")
    return bool((one[known] == two[known]).mean() > _MOST) if known.any() else True


def _keys_of_games(every: Sequence[Column]) -> list[Column]:
    """The columns that tell games apart; one called game names them where another tells them apart."""
    matches = [c for c in every if c.sense.role == "game_id"] + with_role(every, "match")
    games = [
        c
        for c in with_role(every, "game")
        if not (c.name.casefold() == "game" and (matches or in_catalogue(c)))
    ]
    return [*matches, *games]


def _of_pairs(every: Sequence[Column], chosen: Mapping[str, Column]) -> list[Column]:
    """The one column whose every value has two players, once a round; empty where none or several have."""
    if "player" not in chosen:
        return []
    player, round_ = chosen["player"], chosen["round"]
    fitting = []
    for column in every:
        stated = column.role is not None and column.sense.role not in (SESSION, "treatment")
        if column in chosen.values() or stated or len(column.filled) < 2:
            continue
        pairs = numbered([column.codes, player.codes])
        first = first_rows(pairs, int(pairs.max(initial=-1)) + 1)
        sizes = np.bincount(column.codes[first])
        places = numbered([pairs, round_.codes])
        if (sizes[sizes > 0] == 2).all() and int(places.max(initial=-1)) + 1 == len(places):
            fitting.append(column)
    return fitting if len(fitting) == 1 else []


def _beside(every: Sequence[Column], action: Column) -> dict[str, Column]:
    """What is known of the player, the other one, and the payoffs."""
    players = with_role(every, "player") or [c for c in every if c.role is None and _is_id(c)]
    beside = {"player": players[:1], "other": with_role(every, "action", "other")}
    beside |= {"other_player": with_role(every, "player", "other"), "payoff": with_role(every, "payoff")}
    beside |= {"other_payoff": with_role(every, "payoff", "other"), "decided": with_role(every, "decided")}
    beside["player"], beside["other_player"] = pair_of(players, beside["other_player"])
    for role in (
        "message",
        "reasoning",
        "private_thought",
        "reply",
        "prompt",
        "model",
        "language",
        "persona",
    ):
        beside[role] = with_role(every, role)
    if not beside["other"]:
        beside[_LAGGED] = [
            c for c in every if c.sense.lag and c.sense.whose == "other" and c.sense.role == "action"
        ]
    if not beside["other"] and not beside[_LAGGED]:
        beside[_JOINT] = [c for c in with_role(every, "input") if _is_joint(c, action)]
    return {role: fitting[0] for role, fitting in beside.items() if fitting and fitting[0] is not action}


def _is_total(chosen: Mapping[str, Column], move: Column) -> bool:
    """Whether payoffs never change within a game of a player although its moves do: they are its sum."""
    keys = [chosen[role].codes for role in ("game_id", "player", "seat") if role in chosen]
    if not keys:
        return False
    for part in (slice(_HEAD), slice(None)):  # payoffs that vary do so within the first rows
        group = numbered([key[part] for key in keys])
        head = first_rows(group, int(group.max(initial=-1)) + 1)[group]
        moves, payoffs = move.codes[part], chosen["payoff"].codes[part]
        if (payoffs != payoffs[head]).any():
            return False
    return bool((moves != moves[head]).any())


def _choose_total(
    chosen: dict[str, Column], every: Sequence[Column], games: Sequence[Column], settings: Settings
) -> None:
    """A running sum in place of payoffs: what the user says, or one whose steps follow from the moves."""
    stated = [c for c in every if c.name == settings.mapping.get("total")]
    if stated:
        chosen["total"] = stated[0]
        chosen.pop("payoff", None)
        return
    if "payoff" in settings.mapping or "action" not in chosen:
        return
    labels = chosen["action"].labels
    sums = [chosen["payoff"]] if "payoff" in chosen else _sums(every, chosen)
    if not sums or len(labels) != 2 or sums[0].numbers is None:
        return
    keys = [chosen[r] for r in ("game_id", "run") if r in chosen] + [*games[1:]]
    keys += _sessions(every, chosen) if keys else []
    for part in (slice(_HEAD), slice(None)):  # payoffs that are no sums fall within the first rows
        steps = np.nan_to_num(_steps(sums[0], chosen, keys, part))
        if not (steps >= 0).all() and not (steps <= 0).all():
            return
    steps = _steps(sums[0], chosen, keys)
    game = numbered([key.codes for key in keys]).astype(np.intp) if keys else _games_of(chosen)
    if "other_player" in chosen and "player" in chosen:
        game = meetings(chosen, [key.codes for key in keys])
    if "payoff" in chosen and own_payoffs(chosen, game, labels):
        return
    grown = Column("", pa.array(_texts(steps), pa.string()))
    tables = own_payoffs({**chosen, "payoff": grown}, game, labels)
    if tables and not np.isnan(tables).any():
        chosen["total"] = sums[0]
        chosen.pop("payoff", None)


def _sums(every: Sequence[Column], chosen: Mapping[str, Column]) -> list[Column]:
    """The columns whose names speak of sums of payoffs."""
    return [
        c
        for c in every
        if c.sense.total
        and c.sense.role in ("", "payoff")
        and c.sense.whose != "other"
        and not c.sense.numbers
        if c not in chosen.values() and c.numbers is not None
    ]


def _games_of(chosen: Mapping[str, Column]) -> NDArray[np.intp]:
    """(n,) number of game and player, where a game begins whenever the round of a player does not grow."""
    player = next((chosen[r].codes for r in ("player", "seat") if r in chosen), None)
    rounds = chosen["round"]
    return restarts(rounds, np.zeros(len(rounds.codes), dtype=np.intp) if player is None else player)


def _steps(
    sums: Column, chosen: Mapping[str, Column], keys: Sequence[Column], part: slice = slice(None)
) -> NDArray[np.float64]:
    """(n,) what a running sum grows by in each round of a player and game; NaN where a round is missing.

    The sum begins anew in each game, unless most games of players begin with no less than the one before
    ended with.
    """
    amounts, rounds = sums.numbers, chosen["round"].numbers
    n = len(sums.codes[part])
    if amounts is None or rounds is None:
        return np.full(n, np.nan)
    amounts, rounds = amounts[part], rounds[part]
    who = [chosen[r].codes[part] for r in ("player", "seat", "other_player") if r in chosen]
    seat = numbered([*(key.codes[part] for key in keys), *who]) if keys else _games_of(chosen)[part]
    order = np.lexsort((rounds, seat))
    fresh = np.diff(seat[order], prepend=-1) != 0
    grown = np.round(np.diff(amounts[order], prepend=0.0), 9)
    grown[np.diff(rounds[order], prepend=0.0) != 1] = np.nan
    steps = np.empty(n)
    steps[order] = np.where(fresh, amounts[order], grown)
    if "player" in chosen and len(order):
        heads, ends = order[fresh], order[np.append(fresh[1:], True)]
        before = np.zeros(n)
        before[heads] = _brought_along(
            amounts[heads], amounts[ends], chosen["player"].codes[part][heads], heads
        )
        steps -= before
    return steps


def _brought_along(
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    player: NDArray[np.intp],
    heads: NDArray[np.integer],
) -> NDArray[np.float64]:
    """(g,) what a sum stood at before each game of a player; 0 where sums begin anew in each.

    Parameters
    ----------
    first, last : (g,) the sum in the first and last round of each game of a player
    player : (g,) code
    heads : (g,) row of the first round, by which games come one after the other
    """
    order = np.lexsort((heads, player))
    again = np.diff(player[order], prepend=-1) == 0
    before = np.zeros(len(order))
    before[order[again]] = last[order[:-1][again[1:]]]
    goes_on = first >= before
    if not again.any() or not goes_on[order[again]].mean() > _MOST:
        return np.zeros(len(order))
    return np.where(goes_on, before, 0.0)


def _texts(amounts: NDArray[np.float64]) -> list[str]:
    return ["" if np.isnan(amount) else f"{amount:.12g}" for amount in amounts.tolist()]


def _by_seat(every: Sequence[Column]) -> tuple[str, ...]:
    """The columns that name the player of each of two seats; empty where there are none."""
    of_seat = {
        c.sense.seat or (c.sense.numbers or (0,))[0]: c.name for c in every if c.sense.role == "player"
    }
    return (of_seat[1], of_seat[2]) if {1, 2} <= of_seat.keys() else ()


def _is_id(column: Column) -> bool:
    return column.name.casefold() in ("id", "pid", "sid")


def _why(role: str, column: Column) -> str:
    if role == "seat" and column.sense.role != "seat":
        return (
            "its labels are in every game, each with several models"
            if column.sense.role == "player"
            else ("each game has two of them")
        )
    if role == "game_id" and column.sense.role not in ("match", "game", "game_id"):
        return "each of its values has two players"
    if role == "total":
        return "the steps of this sum follow from both moves"
    if role == _LAGGED:
        return "its name says that it is of the round before: each row has the other's move of the last one"
    return "both moves of the round before" if role == _JOINT else "its name says so"


def _is_joint(column: Column, action: Column) -> bool:
    """Whether cells are two of the actions, one after the other."""
    labels = {label.casefold() for label in action.filled}
    pairs = {a + b for a in labels for b in labels}
    return bool(column.filled) and all(cell.casefold() in pairs for cell in column.filled)


def _ours(column: Column) -> str:
    """Our name of a column whose name says it exactly."""
    sense = column.sense
    if sense.whose != "other":
        return sense.role
    return "other" if sense.role == "action" else f"other_{sense.role}"


def _lay_out_long(table: TidyTable, mapping: LogMapping) -> LongTable:
    """The table as it is, with the other's moves from the rows after."""
    ours, columns = dict(mapping.columns), dict(table.columns)
    notes: list[str] = []
    faults: list[str] = []
    every = columns_of(table)
    if " | " in ours.get("player", ""):
        one, two = ours["player"].split(" | ")
        seat = every[ours["seat"]]
        second = seat.codes == seat.values.index(max(seat.filled))
        cells = stacked([columns.pop(one), columns.pop(two)])
        columns["_player"] = picked(cells, np.arange(len(second)) + len(second) * second)
        ours["player"] = "_player"
    if "seat" in ours and not every[ours["seat"]].is_whole:
        seat = every[ours["seat"]]
        keys = [every[n] for r, n in mapping.columns.items() if r in ("game_id", "run", "repetition")]
        columns["_seat"] = _seat_cells(seat, [*keys, *(every[n] for n in mapping.by)])
        if ours["seat"] != ours.get("model"):
            columns["side"] = columns.pop(ours["seat"])
        ours["seat"] = "_seat"
    if (sums := ours.pop("total", None)) is not None:
        chosen = {role: every[name] for role, name in mapping.columns.items() if name in every}
        keys = [chosen[r] for r in ("game_id", "run") if r in chosen]
        keys += [every[name] for name in mapping.by]
        ours["payoff"] = f"_{kind_word(sums) or 'payoff'}"
        columns[ours["payoff"]] = pa.array(_texts(_steps(every[sums], chosen, keys)), pa.string())
        notes.append(f"payoffs are the steps of the running sum {sums}")
    for role in (_LAGGED, _JOINT):
        if (lagged := ours.pop(role, None)) is not None:
            keys = [every[n] for r, n in mapping.columns.items() if r in ("game_id", "player", "run")]
            keys += [every[n] for n in mapping.by]
            columns["_other"], wrong = _from_lag(every, ours, lagged, keys, joint=role == _JOINT)
            if wrong:
                faults.append(
                    f"{wrong:,} cells of {lagged} do not begin with the own move of the round before, "
                    "expected both moves, the own one first: give --map other=NAME for the other's move"
                )
            ours["other"] = "_other"
            columns.pop(lagged, None)
            notes.append(
                f"the other's move is read off {lagged} of the next round; that of a last round is not known"
            )
    long = TidyTable(columns, table.line, table.text)
    return LongTable(long, ours, mapping.by, tuple(dict.fromkeys(notes)), faults=tuple(faults))


def _seat_cells(labels: Column, keys: Sequence[Column]) -> pa.Array:
    """The number of the seat in each row: that of its label, of more than two its place in a game."""
    if len(labels.filled) <= 2:
        order = sorted(labels.filled)
        place = np.array([order.index(v) if v else -1 for v in labels.values], dtype=np.intp)
        return of_codes(place[labels.codes], ["1", "2"])
    game = numbered([key.codes for key in keys])
    of_game = numbered([game, labels.codes])
    heads = first_rows(of_game, int(of_game.max(initial=-1)) + 1)
    order_of_heads = np.lexsort((heads, game[heads]))
    fresh = np.flatnonzero(np.diff(game[heads][order_of_heads], prepend=-1))
    rank = np.empty(len(heads), dtype=np.intp)
    n = len(heads)
    rank[order_of_heads] = np.arange(n) - np.repeat(fresh, np.diff(fresh, append=n))
    return of_codes(rank[of_game], [str(i + 1) for i in range(int(rank.max(initial=0)) + 1)])


def _from_lag(
    every: Mapping[str, Column], ours: Mapping[str, str], name: str, keys: Sequence[Column], *, joint: bool
) -> tuple[pa.Array, int]:
    """(n,) the other's move, from the next row of the player and game; and how many rows contradict it."""
    lag, rounds = every[name], every[ours["round"]].numbers
    n = len(lag.codes)
    numbers = np.arange(n, dtype=float) if rounds is None else rounds
    order = np.lexsort((numbers, *[key.codes for key in keys]))
    same = np.ones(max(n - 1, 0), dtype=bool)
    for key in keys:
        same &= np.diff(key.codes[order]) == 0
    same &= np.diff(numbers[order]) == 1
    cells = np.full(n, -1, dtype=np.intp)
    cells[order[:-1][same]] = lag.codes[order[1:][same]]
    if not joint:
        return of_codes(cells, lag.values), 0
    action = every[ours["action" if "action" in ours else "value"]]
    place = {text.casefold(): i for i, text in enumerate(action.values) if text}
    table = np.full((len(lag.values) + 1, len(action.values)), -1, dtype=np.intp)
    contrary = np.zeros(table.shape, dtype=bool)
    for i, cell in enumerate(lag.values):
        for j, mine in enumerate(action.values) if cell else ():
            table[i, j] = place.get(cell[len(mine) :].casefold(), -1)
            contrary[i, j] = not cell.casefold().startswith(mine.casefold())
    return of_codes(table[cells, action.codes], action.values), int(contrary[cells, action.codes].sum())


def _needs(mapping: LogMapping) -> Iterator[str]:
    return (name for theirs in mapping.columns.values() for name in theirs.split(" | "))


SHAPES = (Shape("long", "a row per game, round and player", _propose_long, _lay_out_long, _needs),)
