"""The table of behaviour metrics of a log: one row per trajectory, each metric with its denominator.

Among them deception: what a player announced and intended, against what it did.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.announcements import announced_action, intended_action
from intent.base.registry import points
from intent.base.tables import TEXT
from intent.behaviour import measures as behaviour
from intent.behaviour.measures import Metric, adherence, mean_payoff, memory_one, nash_consistency, tool_use
from intent.behaviour.questions import comprehension, question_columns
from intent.games.game import stage
from intent.logs.gamelog import GameLog, Trajectories

__all__ = [
    "COLUMNS",
    "FIRST",
    "METRICS",
    "TAKEN",
    "deception",
    "metric_names",
    "metrics_table",
    "opponents",
    "outside_columns",
    "seat_rows",
    "with_questions",
]

COLUMNS = ("announced", "intended", "taken", "deceptive", "intended_deceptive")


def deception(log: GameLog) -> pd.DataFrame:
    """Announcement, intention and action of every move.

    - announced: the action that the public text of the round commits to (`announced_action`), null where it
      commits to none or to both;
    - intended: the action that the private text commits to last (`intended_action`), else null;
    - taken: the action; null where it is missing or a default that replaced an unreadable reply;
    - deceptive: announced differs from taken; null where one of them is;
    - intended_deceptive: the private text intends what is done, and the public text announced the other
      action; null where one of the three is. False, too, where the player did as announced, or did what it
      did not intend: a change of mind is no lie.

    Parameters
    ----------
    log : GameLog
        Moves without the columns message and private_thought give nulls.

    Returns
    -------
    DataFrame
        game_id, round, seat, then `COLUMNS` (texts and objects True, False, None): one row per move, the
        first step of a round.

    Notes
    -----
    Where the action is read from the announcement itself, as a free text without a line of its own for the
    decision would have it, the two cannot differ and nothing is deceptive; agents here decide in a line of
    its own, which is no announcement.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, reports deception without a measure; this one is ours.
    """
    moves = log.moves[log.moves["step"] == 1]
    labels = _labels(log)
    ids = moves["game_id"].astype(object).to_numpy()
    messages, thoughts = _texts(moves, "message"), _texts(moves, "private_thought")
    actions = moves["action"].astype(object).to_numpy()
    counts = (moves["status"] == "parsed").to_numpy()
    rows: list[tuple[Any, ...]] = []
    for game, action, counted, message, thought in zip(ids, actions, counts, messages, thoughts, strict=True):
        names = labels.get(game, ())
        announced = announced_action(message, names) if message else None
        intended = intended_action(thought, names) if thought else None
        choice = action if counted and isinstance(action, str) else None
        lies = None if announced is None or choice is None else announced != choice
        on_purpose = None if lies is None or intended is None else lies and intended == choice
        rows.append((announced, intended, choice, lies, on_purpose))
    claims = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    keys = {"game_id": ids, "round": moves["round"].to_numpy(), "seat": moves["seat"].to_numpy()}
    table = pd.concat([pd.DataFrame(keys), claims], axis=1)
    return table.astype({"round": np.intp, "seat": np.intp})


def _labels(log: GameLog) -> dict[str, tuple[str, ...]]:
    """The actions of each game: those of its payoffs, else those that were played in it."""
    stages = {text: stage(text) for text in log.games["payoffs"].dropna().unique()}
    labels: dict[str, tuple[str, ...]] = {}
    for game, text in zip(log.games["game_id"], log.games["payoffs"], strict=True):
        game_of_stage = stages.get(text) if isinstance(text, str) else None
        if game_of_stage is not None:
            labels[game] = game_of_stage.actions
    missing = log.moves[~log.moves["game_id"].astype(object).isin(list(labels))]
    played = (
        missing.dropna(subset=["action"])
        .groupby(missing["game_id"].astype(object), observed=True)["action"]
        .unique()
    )
    return labels | {str(game): tuple(sorted(map(str, actions))) for game, actions in played.items()}


def _texts(moves: pd.DataFrame, name: str) -> list[str | None]:
    if name not in moves.columns:
        return [None] * len(moves)
    return [text if isinstance(text, str) else None for text in moves[name].astype(object)]


def seat_rows(log: GameLog, table: pd.DataFrame) -> NDArray[np.intp]:
    """(n,) row in the table of seats of the seat that each row of another table is about.

    Parameters
    ----------
    table : DataFrame with game_id and seat, such as the moves
    """
    ids, seats = pd.Index(log.games["game_id"]), log.seats["seat"].to_numpy(dtype=np.intp)
    width = int(seats.max(initial=0)) + 1
    place = np.full(len(ids) * width, -1, dtype=np.intp)
    place[ids.get_indexer(pd.Index(log.seats["game_id"])) * width + seats] = np.arange(len(seats))
    column = table["game_id"]
    if isinstance(column.dtype, pd.CategoricalDtype):
        games = ids.get_indexer(column.cat.categories)[column.cat.codes.to_numpy()]
    else:
        games = ids.get_indexer(pd.Index(column))
    rows: NDArray[np.intp] = place[games * width + table["seat"].to_numpy(dtype=np.intp)]
    return rows


def opponents(log: GameLog) -> NDArray[np.object_]:
    """(n_seats,) strategy or model of the only other seat, else None; by row of the table of seats."""
    seats = log.seats
    games = pd.Index(log.games["game_id"]).get_indexer(pd.Index(seats["game_id"]))
    rows = np.arange(len(seats))
    sums = np.bincount(games, weights=rows, minlength=len(log.games)).astype(np.intp)
    two = np.bincount(games, minlength=len(log.games))[games] == 2
    names = seats["strategy"].astype(object).where(seats["strategy"].notna(), seats["model"].astype(object))
    named = names.where(names.notna(), None).to_numpy(dtype=object)
    others = np.full(len(seats), None, dtype=object)
    others[two] = named[(sums[games] - rows)[two]]
    return others


METRICS = tuple(
    c.name
    for c in codebook.METRICS
    if c.kind == "float" and not c.name.endswith(("_low", "_high")) and c.name != "mean_payoff"
)
"""Names of the columns that are shares, in the order of the codebook."""

FIRST = ("rounds", "opponent")
"""Columns that a condition column of the same name only fills in."""

TAKEN = frozenset(c.name for c in codebook.METRICS) - {"game_id", "seat", *FIRST}
"""Names that a condition column of a log cannot keep in this table, beside those of `outside_columns`."""


def metric_names() -> tuple[str, ...]:
    """`METRICS`, and those of other packages."""
    return (*METRICS, *points(behaviour.ENTRY_POINTS))


def outside_columns() -> tuple[str, ...]:
    """Columns of the metrics of other packages, each with its occasions."""
    return tuple(column for name in points(behaviour.ENTRY_POINTS) for column in (name, f"{name}_n"))


def metrics_table(
    log: GameLog, X: Trajectories, *, keep_defaulted: bool = False, questions: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Behaviour metrics of trajectories.

    Own moves that are no evidence (a default in place of an unreadable reply) count as unknown; as moves of
    the other they count, since the player saw them.

    Parameters
    ----------
    X : its trajectories of two players, with keys
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    questions : DataFrame, optional
        As `codebook.QUESTIONS`; default: those of the log, as they were scored.

    Returns
    -------
    DataFrame
        As `codebook.METRICS`. A condition column that is called ``rounds`` or ``opponent`` only fills in what
        the log does not tell otherwise; one with the name of a metric is left out.
    """
    assert X.keys is not None
    own = np.where(X.evidence, X.own, np.int8(-1))
    keys = X.keys.reset_index(drop=True)
    at = seat_rows(log, keys)
    ours = {*TAKEN, *FIRST, *outside_columns()}
    data: dict[str, Any] = {name: keys[name].array for name in keys.columns if name not in ours}
    named = pd.array(opponents(log)[at], dtype=cast(Any, TEXT))
    for name, column in zip(FIRST, (_rounds(log, keys), named), strict=True):
        data[name] = _known_first(column, keys.get(name))
    data["n_rounds"] = X.n_rounds
    for name, metric in _of_play(log, keys, own, X.other):
        data |= {name: metric.value, f"{name}_n": metric.occasions}
    data["first_move"] = behaviour.first_move(own, X.other).value
    for name, after in memory_one(own, X.other).items():
        data |= {f"p_{name}": after.value, f"p_{name}_low": after.low, f"p_{name}_high": after.high}
        data[f"p_{name}_n"] = after.n
    rows = seat_rows(log, log.moves)
    data["mean_payoff"] = mean_payoff(log, rows)[at]
    for name, metric in (
        ("adherence", adherence(log, rows, keep_defaulted=keep_defaulted)),
        ("nash_consistency", nash_consistency(log, rows, keep_defaulted=keep_defaulted)),
        ("tool_use", tool_use(log, rows)),
        *_of_texts(log),
    ):
        data |= {name: metric.value[at], f"{name}_n": metric.occasions[at]}
    table = pd.DataFrame(data)
    return with_questions(table, log.questions if questions is None else questions, keys)


def with_questions(table: pd.DataFrame, questions: pd.DataFrame | None, keys: pd.DataFrame) -> pd.DataFrame:
    """The table of metrics with the columns that answers to comprehension questions make."""
    if questions is None or not len(questions):
        return table
    return pd.concat([table, question_columns(comprehension(questions), keys)], axis=1)


def _of_play(
    log: GameLog, keys: pd.DataFrame, own: NDArray[np.int8], other: NDArray[np.int8]
) -> Iterable[tuple[str, Metric]]:
    """Metrics of both players' moves, by name."""
    for name, metric in {**behaviour.METRICS, **behaviour.outside_metrics()}.items():
        yield name, metric(own, other)
    yield "mutual_cooperation", behaviour.mutual_cooperation(own, other)
    of_game = log.games["rounds_played"].to_numpy(dtype=np.int64)
    lengths = of_game[pd.Index(log.games["game_id"]).get_indexer(pd.Index(keys["game_id"]))]
    yield "end_effect", behaviour.end_effect(own, other, lengths)


def _of_texts(log: GameLog) -> Iterable[tuple[str, Metric]]:
    """Deception by row of the table of seats."""
    names = {"deception": "deceptive", "intended_deception": "intended_deceptive"}
    n = len(log.seats)
    spoken = "message" in log.moves and log.moves["message"].notna().any()
    messages = deception(log) if spoken else None
    for name, column in names.items():
        hits = occasions = np.zeros(n, dtype=np.int64)
        if messages is not None:
            known = messages[column].notna().to_numpy()
            rows = seat_rows(log, messages)[known]
            lies = messages[column][known].astype(bool).to_numpy()
            occasions = np.bincount(rows, minlength=n).astype(np.int64)
            hits = np.bincount(rows[lies], minlength=n).astype(np.int64)
        value = np.where(occasions > 0, hits / np.maximum(occasions, 1), np.nan)
        yield name, Metric(value, hits, occasions)


def _rounds(log: GameLog, keys: pd.DataFrame) -> Any:
    """Rounds planned by trajectory, null where the log does not know."""
    planned = log.games["rounds_planned"]
    return planned.take(pd.Index(log.games["game_id"]).get_indexer(pd.Index(keys["game_id"]))).array


def _known_first(values: Any, stand_in: pd.Series | None) -> Any:
    """Values, with those of a condition column of the same name where they are null."""
    known = pd.notna(values)
    if stand_in is None or known.all():
        return values
    if not known.any():
        return stand_in.array
    return np.where(known, np.asarray(values, dtype=object), stand_in.to_numpy(dtype=object))
