"""Which action of a long table is cooperation: what the user says, the named game, or the payoffs."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from intent.errors import DataError, IntentError
from intent.games.matrix import MatrixGame
from intent.logs.infer import fit_matrix
from intent.logs.readers.actions import check_two
from intent.logs.readers.reader import Settings
from intent.logs.readers.stages import HOW, Stage, matrix_stage

__all__ = ["decide_stages"]

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
    told = rows.groupby("_game")[["_name", *(c for c in _TOLD if c in rows)]].first()
    seats = moves.groupby("game")["seat"].max().clip(lower=2)
    stages: dict[int, Stage] = {}
    wrong = pd.Index([])
    for _, members in told.groupby(list(told.columns), dropna=False, sort=False):
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
        return Stage.unknown(name, kind, n_seats, "").with_cooperation(settings.cooperate), none
    if name is not None:
        named = _named(name, labels, n_seats)
        if isinstance(named, Stage):
            return named, none
        kind = kind or named
    if n_seats != 2 or len(labels) != 2 or moves["payoff"].isna().all():
        how = HOW if moves["payoff"].notna().any() else "give --cooperate ACTION"
        what = f"the actions are {', '.join(labels[:6])}" + (", …" if len(labels) > 6 else "")
        raise DataError(f"{what}, and nothing tells which one is cooperation; {how}")
    code = {label: float(i) for i, label in enumerate(labels)}
    wide = moves.assign(action=moves["action"].map(code)).set_index(["game", "round", "step", "seat"])
    action, payoff = wide["action"].unstack(), wide["payoff"].unstack()
    if action.shape[1] != 2 or action.dropna().empty:
        raise DataError(f"in no round are the moves of both sides known; {HOW}")
    if payoff.dropna().empty:
        payoff = _mirrored(action, payoff)
    full = (action.notna().all(axis=1) & payoff.notna().all(axis=1)).to_numpy()
    joint = (2 * action[full].iloc[:, 0] + action[full].iloc[:, 1]).to_numpy(dtype="int64")
    fit = fit_matrix(joint, payoff[full].to_numpy(dtype="float64"))
    stage = matrix_stage(fit, (labels[0], labels[1]), name, kind, None)
    if fit is None:
        return stage, none
    contrary = action.index[full][~fit.explained]
    places = pd.MultiIndex.from_frame(moves[["game", "round", "step"]])
    return stage, moves.index[places.isin(contrary)]


def _mirrored(action: pd.DataFrame, payoff: pd.DataFrame) -> pd.DataFrame:
    """Payoffs of the silent side by symmetry: what the other side got for the mirrored outcome."""
    known = pd.DataFrame({"own": action.iloc[:, 0], "other": action.iloc[:, 1], "payoff": payoff.iloc[:, 0]})
    usual = known.dropna().groupby(["own", "other"])["payoff"].agg(lambda values: values.mode().iloc[0])
    mirror = pd.MultiIndex.from_arrays([action.iloc[:, 1], action.iloc[:, 0]])
    return payoff.assign(**{str(payoff.columns[1]): usual.reindex(mirror).to_numpy()}).iloc[:, [0, -1]]


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
