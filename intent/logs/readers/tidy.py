"""Reader of long tables: one row per game, round and player, in columns of any name.

The rows of a long table under our names, each cell read as what its column is.

Which action of a long table is cooperation: what the user says, the named game, or the payoffs.

The moves of a long table: those of its rows, and of opponents known only from them.

Tables of games and seats from the rows of a long table, and where its other columns belong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from intent.base import codebook
from intent.base.errors import DataError, IntentError, located, nearest, of_file, shorten
from intent.base.files import bounds
from intent.base.tables import TEXT
from intent.games.normal_form import MatrixGame
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import TidyTable, open_table, texts, truths, typed, whole_numbers
from intent.logs.readers.reader import Reader, Settings, Source, resolve
from intent.logs.readers.stages import (
    HOW,
    NULLS,
    MatrixFit,
    Stage,
    check_two,
    fit_matrix,
    matrix_stage,
    settle,
    unused_game,
    words_for_no_move,
)
from intent.logs.readers.tidy_games import (
    answer_columns,
    assign_games,
    guess_player,
    name_games,
    question_table,
)

__all__ = [
    "READER",
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
    rows = pd.DataFrame(data, index=range(len(table)))
    if "action" not in rows:
        rows["action"] = pd.Series(None, index=rows.index, dtype=TEXT)
    for ours, highest in (("round", bounds().rounds), ("step", bounds().rounds), ("seat", bounds().seats)):
        if ours in rows:
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
            stray = rows[ours].notna() & ~rows[ours].isin(allowed)
            wrong.mark(table, columns[ours], stray, " or ".join(allowed))
    reasons: dict[int, str] = {}
    for row, reason in wrong.items():
        reasons.setdefault(table.origin(row), reason)
    for row, reason in reasons.items():
        rejects.add(table.line(row), reason, table.text(row))
    mapped = set(columns.values())
    for name in table.columns:
        if name not in mapped:
            rows[f"+{name}"] = typed(table.columns[name])
    if "player" not in rows:
        rows["_anonymous"] = True
        rows["player"] = rows["seat"].astype(TEXT) if "seat" in rows else pd.Series(dtype=TEXT)
    return rows.drop(index=table.siblings(wrong)), settings


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
    cooperative = []
    if "cooperative_action" in rows:
        column = rows["cooperative_action"]
        rows["cooperative_action"] = column.mask(column.str.casefold().isin(NULLS))
        cooperative = rows["cooperative_action"].dropna().unique().tolist()
    words = pd.concat([rows[name] for name in actions]).value_counts()
    gone = words_for_no_move(words.index.tolist(), settings.cooperate, cooperative)
    labels = [word for word in words.index if word not in gone]
    silent = rows["action"].isin(gone).eq(rows["action"].notna()).all()
    if (not labels or silent) and ("value" not in rows or rows["value"].isna().all()):
        moved = columns.get("action", "value")
        names = table.sources.get(moved, (moved,))
        raise DataError(f"no move in column{'s' * (len(names) > 1)} {' and '.join(names)}")
    settings = settle(settings, labels)
    if gone:
        listed = ", ".join(f"{word} ({words[word]:,})" for word in gone)
        notes.append(f"read as missing moves: {listed}")
    for name in actions:
        rows[name] = rows[name].mask(rows[name].isin(gone))
        if settings.defect is not None:
            pair = [settings.cooperate, settings.defect]
            stray = rows[name].notna() & ~rows[name].isin(pair)
            wrong.mark(table, columns[name], stray, f"{pair[0]} or {pair[1]}")
    return settings


def _from_zero(numbers: pd.Series[int]) -> bool:
    """Whether zeros are no slips: they come about as often as ones, or alone."""
    zeros, ones = int(numbers.eq(0).sum()), int(numbers.eq(1).sum())
    return 0 < ones <= 2 * zeros or 0 < zeros == int(numbers.notna().sum())


def _outside(numbers: pd.Series[int], highest: int) -> Any:
    return ~numbers.between(1, highest).fillna(True)


def _column(table: TidyTable, ours: str, theirs: str, wrong: _Wrong, *, named: bool) -> pd.Series[Any]:
    column = table.columns[theirs]
    kind = _KINDS.get(ours, "float" if ours == "other_payoff" else "string")
    if kind == "bool":
        values, bad = truths(column)
        wrong.mark(table, theirs, bad, "true or false")
        return values
    cells = texts(column)
    if ours == "repetition" or kind not in ("int", "float"):
        return cells
    if kind == "int":
        number, missing = whole_numbers(column)
        bad = missing if ours in _REQUIRED else missing & cells.notna().to_numpy()
        strange = cells[bad].dropna() if ours == "seat" and not named else cells[:0]
        names = len(strange) and pd.to_numeric(strange, errors="coerce").isna().all()
        hint = f" (names of players: --map player={theirs})" if names else ""
        wrong.mark(table, theirs, bad, f"a whole number{hint}")
        return pd.Series(pd.arrays.IntegerArray(number, missing))
    amount = pd.to_numeric(cells, errors="coerce").astype("float64")
    wrong.mark(table, theirs, cells.notna() & ~np.isfinite(amount), "a number")
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
    heads = rows.groupby("_game")[["_name", *(c for c in _TOLD if c in rows)]].first()
    seats = moves.groupby("game")["seat"].max().clip(lower=2)
    stages: dict[int, Stage] = {}
    wrong = pd.Index([])
    for _, members in heads.groupby(list(heads.columns), dropna=False, sort=False):
        first = members.iloc[0].dropna()
        chosen = replace(
            settings,
            cooperate=settings.cooperate or first.get("cooperative_action"),
            payoff_kind=settings.payoff_kind or first.get("payoff_kind"),
        )
        part = moves[moves["game"].isin(members.index)]
        n_seats = int(seats[members.index].max())
        name = first.get("_name", settings.game)
        counts = part["action"].value_counts()
        check_two({str(action): int(n) for action, n in counts.items()}, chosen.cooperate, first.get("_name"))
        own = tuple(sorted(counts.index)) if len(counts) == 2 or len(labels) > 2 else labels
        stage, contrary = _stage(part, n_seats, name, own, chosen)
        stages.update(dict.fromkeys(members.index, stage))
        wrong = wrong.union(contrary)
    return stages, wrong


def _stage(
    moves: pd.DataFrame, n_seats: int, name: str | None, labels: tuple[str, ...], settings: Settings
) -> tuple[Stage, pd.Index]:
    none = pd.Index([])
    kind = settings.payoff_kind
    if moves["action"].isna().all() and "value" in moves and moves["value"].notna().any():
        return Stage.unknown(name, kind, n_seats, "its moves are numbers: no action is cooperation"), none
    if settings.cooperate is not None:
        stage = Stage.unknown(name, kind, n_seats, "")
        if n_seats == 2 == len(labels) and _beside(moves):
            fit, _ = _fit(moves, name, labels)
            if fit is not None and fit.is_complete:
                stage = matrix_stage(fit, (labels[0], labels[1]), name, kind, settings.cooperate)
        return stage.with_cooperation(settings.cooperate), none
    if name is not None:
        named = _named(name, labels, n_seats)
        if isinstance(named, Stage):
            return named, none
        kind = kind or named
    if n_seats != 2 or len(labels) != 2 or moves["payoff"].isna().all():
        how = HOW if moves["payoff"].notna().any() else "give --cooperate ACTION"
        what = f"the actions are {', '.join(labels[:6])}" + (", …" if len(labels) > 6 else "")
        raise DataError(f"{what}, and nothing tells which one is cooperation; {how}")
    fit, wrong = _fit(moves, name, labels)
    return matrix_stage(fit, (labels[0], labels[1]), name, kind, None), wrong


def _beside(moves: pd.DataFrame) -> bool:
    """Whether payoffs stand in some round in which the moves of both sides are known."""
    known = moves[moves["action"].notna()]
    sides = known.groupby(["game", "round", "step"])["seat"].transform("nunique")
    return bool((known["payoff"].notna() & (sides == 2)).any())


def _fit(moves: pd.DataFrame, name: str | None, labels: tuple[str, ...]) -> tuple[MatrixFit | None, pd.Index]:
    """The payoffs of a game of two players and actions, and the lines of `moves` that contradict them.

    Raises
    ------
    DataError
        Nobody's moves stand beside the other's.
    """
    code = {label: float(i) for i, label in enumerate(labels)}
    wide = moves.assign(action=moves["action"].map(code)).set_index(["game", "round", "step", "seat"])
    action, payoff = wide["action"].unstack(), wide["payoff"].unstack()
    if action.shape[1] != 2 or action.dropna().empty:
        raise DataError(f"in no round are the moves of both sides known; {HOW}")
    if payoff.dropna().empty and not _is_lopsided(name):
        payoff = _mirrored(action, payoff)
    full = (action.notna().all(axis=1) & payoff.notna().all(axis=1)).to_numpy()
    joint = (2 * action[full].iloc[:, 0] + action[full].iloc[:, 1]).to_numpy(dtype="int64")
    fit = fit_matrix(joint, payoff[full].to_numpy(dtype="float64"))
    contrary = action.index[full][~fit.explained] if fit is not None else action.index[:0]
    places = pd.MultiIndex.from_frame(moves[["game", "round", "step"]])
    return fit, moves.index[places.isin(contrary)]


def _mirrored(action: pd.DataFrame, payoff: pd.DataFrame) -> pd.DataFrame:
    """Payoffs of the silent side by symmetry: what the other side got for the mirrored outcome."""
    known = pd.DataFrame({"own": action.iloc[:, 0], "other": action.iloc[:, 1], "payoff": payoff.iloc[:, 0]})
    usual = known.dropna().groupby(["own", "other"])["payoff"].agg(lambda values: values.mode().iloc[0])
    mirror = pd.MultiIndex.from_arrays([action.iloc[:, 1], action.iloc[:, 0]])
    return payoff.assign(**{str(payoff.columns[1]): usual.reindex(mirror).to_numpy()}).iloc[:, [0, -1]]


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


_TEXTS = [c.name for c in codebook.MOVES if c.optional and c.kind == "string"]


def labels_of(rows: pd.DataFrame) -> tuple[str, ...]:
    """All actions, by name."""
    seen = [rows[c] for c in ("action", "other", "decided") if c in rows]
    return tuple(sorted(pd.concat(seen).dropna().unique().tolist()))


def spread_moves(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per game, round, step and seat, with ``row`` (its origin) and ``own`` (whether the row's own).

    The opponent's move in a row becomes a line of its own where no row has that seat.
    """
    own = _lines(rows, rows["_seat"], "action", "payoff").assign(own=True)
    for name in ("value", "status", "decided", *_TEXTS):
        if name in rows:
            own[name] = rows[name]
    if "other" in rows:
        alone = rows[rows.groupby("_game")["_seat"].transform("nunique") == 1]
        theirs = _lines(alone, 3 - alone["_seat"].clip(1, 2), "other", "other_payoff").assign(own=False)
        own = pd.concat([own, theirs])
    statuses = own["status"] if "status" in own else pd.Series(None, index=own.index, dtype=TEXT)
    silent = own["action"].isna() & (own["value"].isna() if "value" in own else True)
    statuses = statuses.mask(silent & (statuses == "parsed"))
    own["status"] = statuses.where(statuses.notna(), np.where(silent, "missing", "parsed"))
    return own.sort_values(["game", "round", "step", "seat"], kind="stable").reset_index(drop=True)


def _cooperation(action: pd.Series[str], target: pd.Series[str]) -> pd.arrays.BooleanArray:
    """Whether each action is the cooperative one of its game and seat; null where either is unknown."""
    known = (action.notna() & target.notna()).to_numpy(dtype=bool)
    same = (action == target).fillna(False).to_numpy(dtype=bool)
    return pd.arrays.BooleanArray(same & known, ~known)


def _lines(rows: pd.DataFrame, seat: pd.Series[int], action: str, payoff: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "row": rows.index,
            "game": rows["_game"],
            "round": rows["round"],
            "step": rows.get("step", 1),
            "seat": seat,
            "action": rows[action],
            "payoff": rows.get(payoff, np.nan),
        }
    )


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
    by_seat = {
        (game, seat): action
        for game, stage in stages.items()
        for seat, action in enumerate(stage.cooperative, start=1)
    }
    places = pd.MultiIndex.from_arrays([moves["game"], moves["seat"]])
    target = pd.Series(by_seat, dtype=TEXT).reindex(places).reset_index(drop=True)
    decided = {"decided": _cooperation(moves["decided"], target)} if "decided" in moves else {}
    origin = moves["row"].where(moves["own"])
    further = {
        free_name(c, "moves"): origin.map(rows[f"+{c}"]).astype(rows[f"+{c}"].dtype) for c in conditions
    }
    data: dict[str, Any] = {
        "game_id": ids.reindex(moves["game"]).to_numpy(),
        **{c: moves[c] for c in ("round", "step", "seat")},
        "action": pd.Categorical(moves["action"], categories=pd.Index(list(labels), dtype=TEXT)),
        "value": moves.get("value", np.nan),
        "cooperated": _cooperation(moves["action"], target),
        **decided,
        "payoff": moves["payoff"],
        "status": moves["status"].astype("category"),
        **{c: moves[c] for c in _TEXTS if c in moves},
        **further,
    }
    return pd.DataFrame(data)


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
    for column in extra:
        values = pd.Series(pd.factorize(rows[column])[0], index=rows.index)
        if _constant(values, [rows["_game"]]):
            placed["games"].append(column[1:])
        elif _constant(values, [rows["_game"], rows["_seat"]]):
            placed["seats"].append(column[1:])
        else:
            placed["moves"].append(column[1:])
    return placed


def _constant(values: pd.Series[int], keys: Sequence[pd.Series[Any]]) -> bool:
    grouped = values.groupby(list(keys), sort=False)
    return bool((grouped.transform("first") == values).all())


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
    of = [stages[game] for game in heads.index]
    data: dict[str, Any] = {
        "game_id": ids.to_numpy(),
        "source": source.path.name,
        "game": pd.array([stage.name for stage in of], dtype=TEXT),
        "payoffs": pd.array([stage.payoffs for stage in of], dtype=TEXT),
        "payoff_kind": pd.array([stage.kind for stage in of], dtype=TEXT),
        "cooperative_action": pd.array([stage.label for stage in of], dtype=TEXT),
        "n_players": moves.groupby("game")["seat"]
        .max()
        .reindex(heads.index)
        .fillna(2)
        .clip(lower=2)
        .to_numpy(),
        "rounds_played": moves.groupby("game")["round"]
        .max()
        .reindex(heads.index)
        .fillna(0)
        .to_numpy(dtype=np.int64),
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
    return games.assign(repetition=keys.groupby(list(keys.columns), dropna=False).cumcount() + 1)


def seat_table(
    rows: pd.DataFrame, moves: pd.DataFrame, ids: pd.Series[str], conditions: Sequence[str]
) -> pd.DataFrame:
    """Table ``seats``: those with rows of their own are focal, opponents known from others' rows are not."""
    heads = rows.groupby(["_game", "_seat"], sort=True).head(1).set_index(["_game", "_seat"])
    known = pd.MultiIndex.from_arrays([moves["game"].astype("int64"), moves["seat"].astype("int64")])
    at = known.append(heads.index).unique().sort_values()
    own = heads.reindex(at).reset_index(drop=True)
    focal = at.isin(heads.index)
    player = own["player"]
    if "_anonymous" in rows:
        player = pd.Series([None] * len(own), dtype=TEXT)
    data: dict[str, Any] = {
        "game_id": ids.reindex(at.get_level_values(0)).to_numpy(),
        "seat": at.get_level_values(1).to_numpy(),
        "player": player.array,
        "focal": focal,
    }
    data |= {c: own[c].array for c in _OF_SEAT if c in own}
    data |= {free_name(c, "seats"): own[f"+{c}"].array for c in conditions}
    seats = pd.DataFrame(data)
    for theirs, ours in (("other_player", "player"), ("other_model", "model")):
        if theirs in heads:
            partner = pd.MultiIndex.from_arrays([at.get_level_values(0), 3 - at.get_level_values(1)])
            partners = heads[theirs].reindex(partner).array
            seats[ours] = (
                seats[ours].where(focal, pd.Series(partners))
                if ours in seats
                else pd.Series(partners).where(~focal)
            )
    return seats


def recognises(source: Source, settings: Settings) -> bool:
    """Whether there are columns for the round and the action, by the mapping or by their names."""
    columns = source.columns
    if settings.mapping:
        return bool(columns)
    return bool(columns) and {"round", "action"} <= resolve({}, columns, source.path).keys()


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a long table; rows that cannot be read go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    table = open_table(source, rejects)
    return log_of_table(source, table, _columns(source, table, settings), settings, rejects)


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
        rows = assign_games(rows, by, table, rejects)
        labels = labels_of(rows)
        moves = spread_moves(rows)
        stages, wrong = decide_stages(rows, moves, labels, settings)
    except DataError as error:
        raise of_file(source.path, error) from None
    for row in dict.fromkeys(map(table.origin, moves.loc[wrong, "row"].tolist())):
        reason = "payoffs contradict those of the other rounds with these actions"
        rejects.add(table.line(row), reason, table.text(row))
    moves = moves.drop(index=wrong).reset_index(drop=True)
    if len(wrong):
        rows = rows[rows["_game"].isin(moves["game"])]
    rejected = rejects.table(len(moves))

    heads = rows.groupby("_game", sort=True).head(1).set_index("_game")
    ids = name_games(heads)
    answers = answer_columns(name for name in table.columns if f"+{name}" in rows)
    answers = {q: parts for q, parts in answers.items() if _is_of_seats(table, parts["answer"])}
    in_answers = {f"+{name}" for parts in answers.values() for name in parts.values()}
    placed = place_conditions(rows, [c for c in rows.columns if c.startswith("+") and c not in in_answers])
    notes += unused_game(settings.game, heads["_name"].astype(object).where(heads["_name"].notna(), None))
    notes += dict.fromkeys(stage.note for stage in stages.values() if stage.note)
    return GameLog(
        game_table(source, heads, ids, stages, moves, placed["games"]),
        seat_table(rows, moves, ids, placed["seats"]),
        moves_table(moves, rows, ids, stages, labels, placed["moves"]),
        question_table(table, rows, ids, answers),
        provenance={"notes": notes, "columns": columns},
        rejects=rejected,
    )


def _is_of_seats(table: TidyTable, name: str) -> bool:
    """Whether a column may differ between the players of a row of the file."""
    n = len(table) // table.parts
    cells = table.columns[name]
    return table.parts == 1 or any(cells[:n] != cells[part * n :][:n] for part in range(1, table.parts))


def _columns(source: Source, table: TidyTable, settings: Settings) -> dict[str, str]:
    """Ours -> theirs."""
    names = tuple(table.columns)
    columns = resolve(settings.mapping, names, source.path)
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
