"""Reader of wide tables: one row per round with the answers and points of both players.

The layout of the public data of Akata et al. 2025, Playing repeated games with large language models,
Nature Human Behaviour 9:1380, whose points are rewards. Columns ``decided1`` and ``decided2``, where there
are any, hold what the players chose, in the words of the answers, where the game may have played something
else.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import DataError, located, of_file
from intent.base.files import bounds
from intent.base.tables import TEXT
from intent.games.catalogue import named_kind
from intent.logs.delimited import Delimited, read_delimited
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import Play, amounts, by_value, moves_table, texts, typed, whole_numbers
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.stages import (
    Stage,
    check_two,
    cooperative_codes,
    fit_matrix,
    matrix_stage,
    settle,
    words_for_no_move,
)

__all__ = ["READER"]

_NEEDED = ("round", "player1", "player2", "answer1", "answer2")
_POINTS = ("points1", "points2")
_DECIDED = ("decided1", "decided2")
_RUNNING = ("total1", "total2")
_STRAY = -2


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the table has a round, both players and both answers."""
    return set(_NEEDED) <= set(source.columns)


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a wide table: a new one begins where the players change or the round does not grow."""
    rejects = Rejects(source.path, strict=settings.strict)
    table = read_delimited(source.text, rejects, coded=True)
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise DataError(located(source.path, f"no column {missing[0]!r}", 1))
    rounds, bad = whole_numbers(table.columns["round"])
    bad |= (rounds < 1) | (rounds > bounds().rounds)
    notes: list[str] = []
    try:
        words, labels, settings = _answers(table, settings, notes)
    except DataError as error:
        raise of_file(source.path, error) from None
    answers, decided = words[:, :2], words[:, 2:]
    points, odd = _points(table)
    game = _games(table, rounds, ~bad)
    stray = words == _STRAY
    unread = bad | odd if not stray.any() else bad | odd | stray.any(axis=1)
    for row in np.flatnonzero(unread):
        line = int(table.lines[row])
        if bad[row]:
            got = table.columns["round"][int(row)].as_py()
            reason = f"round is {got!r}, expected a whole number from 1 to {bounds().rounds}"
        elif stray[row].any():
            name = (*_NEEDED[3:], *_DECIDED)[int(stray[row].argmax())]
            got = table.columns[name][int(row)].as_py()
            reason = f"{name} is {got!r}, expected {settings.cooperate} or {settings.defect}"
        else:
            reason = "points are no numbers"
        rejects.add(line, reason, table.text.line(line))
    fine = np.flatnonzero(~unread)
    stage, wrong = _stage(source, answers[fine], points[fine], labels, settings)
    for row in fine[wrong]:
        line = int(table.lines[row])
        rejects.add(
            line, "points contradict those of the other rounds with these answers", table.text.line(line)
        )
    fine = fine[~wrong]
    rejected = rejects.table(len(fine))
    notes += [stage.note] if stage.note else []
    if len(fine) < len(table):
        game, rounds, answers, points = game[fine], rounds[fine], answers[fine], points[fine]
    lengths = np.bincount(game)
    play = Play(lengths[lengths > 0], answers, points, labels)
    log = _log(source, table, fine, game, rounds, play, stage, notes, rejected)
    if decided.shape[1]:
        target = np.repeat(cooperative_codes([stage], labels), len(fine), axis=0)
        unknown = (decided[fine] < 0) | (target < 0)
        chosen = pd.arrays.BooleanArray((decided[fine] == target).ravel(), unknown.ravel())
        log.moves["decided"] = chosen
    return log


def _answers(
    table: Delimited, settings: Settings, notes: list[str]
) -> tuple[NDArray[np.int32], tuple[str, ...], Settings]:
    """(n, 2) codes into the labels, -1 where there is no move and -2 where it is a third one.

    Where the table has decisions, (n, 4): they stand behind the answers.
    """
    names = [*_NEEDED[3:], *(_DECIDED if set(_DECIDED) <= set(table.columns) else ())]
    columns = [by_value(table.columns[name]) for name in names]
    counts_of: dict[str, int] = {}
    for codes, values in columns:
        for word, n in zip(values, np.bincount(codes, minlength=len(values)).tolist(), strict=True):
            counts_of[word] = counts_of.get(word, 0) + n
    counts = dict(sorted(counts_of.items()))
    gone = words_for_no_move(counts, settings.cooperate)
    played = {word: n for word, n in counts.items() if word not in gone}
    if not played:
        raise DataError("no move in columns answer1 and answer2")
    settings = settle(settings, played)
    if settings.defect is None:
        check_two(played, settings.cooperate)
    words_read = [word for word in gone if word]
    if words_read:
        notes.append(
            f"read as missing moves: {', '.join(f'{word} ({counts[word]:,})' for word in words_read)}"
        )
    pair = (settings.cooperate, settings.defect)
    labels = tuple(sorted(word for word in (pair if settings.defect else played) if word))
    code = {label: i for i, label in enumerate(labels)} | dict.fromkeys(gone, -1)
    words = np.empty((len(table), len(names)), dtype=np.int32)
    for i, (codes, values) in enumerate(columns):
        words[:, i] = np.array([code.get(value, _STRAY) for value in values], dtype=np.int32)[codes]
    return words, labels, settings


def _points(table: Delimited) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(n, 2) points, NaN where there are none, and the rows where they are no numbers."""
    if not all(name in table.columns for name in _POINTS):
        return np.full((len(table), 2), np.nan), np.zeros(len(table), dtype=bool)
    (first, odd), (second, strange) = (amounts(table.columns[name]) for name in _POINTS)
    return np.column_stack([first, second]), odd | strange


def _games(table: Delimited, rounds: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(n,), number of the game of each row; rows whose round is not known neither begin nor end one."""
    first, second = (by_value(table.columns[name])[0][known] for name in ("player1", "player2"))
    new = np.ones(len(first), dtype=bool)
    new[1:] = (np.diff(rounds[known]) <= 0) | (np.diff(first) != 0) | (np.diff(second) != 0)
    game = np.full(len(table), -1, dtype=np.intp)
    game[known] = np.cumsum(new) - 1
    return game


def _stage(
    source: Source,
    answers: NDArray[np.int32],
    points: NDArray[np.float64],
    labels: tuple[str, ...],
    settings: Settings,
) -> tuple[Stage, NDArray[np.bool_]]:
    none = np.zeros(len(answers), dtype=bool)
    kind = settings.payoff_kind or (named_kind(settings.game) if settings.game else "reward")
    known = (answers[:, 0] >= 0) & (answers[:, 1] >= 0)
    full = np.flatnonzero(known & np.isfinite(points[:, 0]) & np.isfinite(points[:, 1]))
    if len(labels) == 2 and len(full):
        fit = fit_matrix(2 * answers[full, 0] + answers[full, 1], points[full])
        stage = matrix_stage(fit, (labels[0], labels[1]), settings.game, kind, settings.cooperate)
        wrong = none
        if fit is not None:
            wrong[full] = ~fit.explained
    elif settings.cooperate is None:
        what = "no points" if len(labels) == 2 else f"{len(labels)} different answers"
        raise DataError(
            located(
                source.path, f"{what}, so that no answer is known to be cooperation; give --cooperate ACTION"
            )
        )
    else:
        stage, wrong = Stage.unknown(settings.game, kind, 2, "no payoff table"), none
    return (stage.with_cooperation(settings.cooperate) if settings.cooperate else stage), wrong


def _log(
    source: Source,
    table: Delimited,
    rows: NDArray[np.intp],
    game: NDArray[np.intp],
    rounds: NDArray[np.int64],
    play: Play,
    stage: Stage,
    notes: list[str],
    rejected: pd.DataFrame,
) -> GameLog:
    numbers, first = np.unique(game, return_index=True)
    width, stem = len(str(int(numbers[-1]) + 1)), source.stem
    ids = pd.Index([f"{stem}-{number + 1:0{width}d}" for number in numbers.tolist()], dtype=TEXT)
    n = len(ids)
    heads = pa.array(rows[first])
    extra = [c for c in table.columns if c not in (*_NEEDED, *_POINTS, *_RUNNING, *_DECIDED)]
    players = [texts(table.columns[name].take(heads)) for name in ("player1", "player2")]
    games = pd.DataFrame(
        {
            "game_id": ids,
            "source": source.path.name,
            "game": pd.Series([stage.name] * n, dtype=TEXT),
            "payoffs": pd.Series([stage.payoffs] * n, dtype=TEXT),
            "payoff_kind": pd.Series([stage.kind] * n, dtype=TEXT),
            "cooperative_action": pd.Series([stage.label] * n, dtype=TEXT),
            "n_players": 2,
            "rounds_played": np.maximum.reduceat(rounds, first),
            "repetition": pd.DataFrame(dict(enumerate(players))).groupby([0, 1], dropna=False).cumcount() + 1,
            **{name: typed(table.columns[name].take(heads)) for name in extra},
        }
    )
    seats = pd.DataFrame(
        {
            "game_id": ids.repeat(2),
            "seat": np.tile([1, 2], n),
            "player": pd.concat(players)
            .iloc[np.arange(2 * n).reshape(2, n).T.ravel()]
            .reset_index(drop=True),
            "focal": True,
        }
    )
    codes = np.repeat(cooperative_codes([stage], play.labels), n, axis=0)
    moves = moves_table(play, ids, codes)
    moves["round"] = pd.arrays.IntegerArray(np.repeat(rounds, 2), np.zeros(len(moves), dtype=bool))
    varied = [c for c in extra if _varies(by_value(table.columns[c])[0][rows], game)]
    if varied:
        notes.append(f"columns {', '.join(varied)} vary within games; the value of the first round is kept")
    return GameLog(games, seats, moves, provenance={"notes": notes}, rejects=rejected)


def _varies(codes: NDArray[np.intp], game: NDArray[np.intp]) -> bool:
    return bool(((np.diff(codes) != 0) & (np.diff(game) == 0)).any())


READER = Reader("pairs", f"columns {', '.join(_NEEDED)}, one row per round", recognises, read)
