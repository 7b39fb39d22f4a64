"""What a FAIRGAME file that we wrote says of its games: payoffs, their kind and the cooperative action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intent.errors import DataError, GameError, shorten
from intent.games.game import Game
from intent.games.read import game_from_json
from intent.logs.readers.play import Play
from intent.logs.readers.stages import Stage

__all__ = ["TOLD_COLUMNS", "Told", "misfits", "told_stage"]

TOLD_COLUMNS = ("payoffs", "payoff_kind", "cooperative_action")
"""Columns by which a file that we wrote is known (`intent.logs.stores.fairgame_csv`)."""


@dataclass(frozen=True)
class Told:
    """The columns' values for a game, None where a cell is empty."""

    payoffs: str | None
    payoff_kind: str | None
    cooperative_action: str | None


def told_stage(told: Told, name: str | None, n_seats: int, kind: str | None) -> tuple[Stage, Game | None]:
    """The stage that the file describes, and its game where it gives the payoffs.

    Parameters
    ----------
    told : Told
    name : str or None
    n_seats : int
    kind : str or None
        What the user says of the payoffs, against the file.

    Raises
    ------
    DataError
        Payoffs that make no game of so many seats, or cooperative actions that are not one or one a seat.
    """
    label = told.cooperative_action
    by_seat = (None,) * n_seats if label is None else tuple(label.split("|"))
    if len(by_seat) == 1:
        by_seat *= n_seats
    if len(by_seat) != n_seats:
        raise DataError(f"cooperative_action {shorten(label)!r}, expected one label or one for each seat")
    if told.payoffs is None:
        return Stage(name, None, kind or told.payoff_kind, label, by_seat), None
    game = _game(told, name or "unnamed", kind)
    if game.n_players != n_seats:
        raise DataError(f"payoffs of a game of {game.n_players} players, but {n_seats} agents")
    if kind is not None and kind != told.payoff_kind:
        return Stage.of(game, name), game
    return Stage(name, game.to_json(), game.kind, label, by_seat), game


def _game(told: Told, name: str, kind: str | None) -> Game:
    try:
        return game_from_json(told.payoffs or "", name, kind or told.payoff_kind)
    except GameError as error:
        raise DataError(str(error)) from None


def misfits(part: Play, game: Game) -> dict[int, str]:
    """Game -> the first of its rounds that the payoffs contradict, up to rounding."""
    known = game.actions
    joints, which = np.unique(part.actions, axis=0, return_inverse=True)
    labels = [["no move" if code < 0 else part.labels[code] for code in joint] for joint in joints]
    stray = [
        next(
            (label for code, label in zip(codes, joint, strict=True) if code >= 0 and label not in known),
            None,
        )
        for codes, joint in zip(joints, labels, strict=True)
    ]
    paid = [not bad and (codes >= 0).all() for codes, bad in zip(joints, stray, strict=True)]
    expected = np.array(
        [
            game.payoff(joint) if pays else [np.nan] * part.n_seats
            for joint, pays in zip(labels, paid, strict=True)
        ]
    ).reshape(-1, part.n_seats)[which.ravel()]
    near = np.abs(expected - part.scores) <= 1e-9 * np.maximum(1.0, np.abs(expected))
    unpaid = np.isnan(expected) & np.isnan(part.scores)
    foreign = np.array([bad is not None for bad in stray], dtype=bool)[which.ravel()]
    wrong: dict[int, str] = {}
    for at in np.flatnonzero(~(near | unpaid).all(axis=1) | foreign).tolist():
        joint, bad = labels[which.ravel()[at]], stray[which.ravel()[at]]
        got = ", ".join(f"{x:g}" for x in part.scores[at])
        reason = (
            f"action {shorten(bad)!r} is not one of {', '.join(game.actions)}"
            if bad
            else f"{', '.join(joint)} scored {got}, expected {', '.join(f'{x:g}' for x in expected[at])}"
        )
        wrong.setdefault(int(part.game[at]), f"round {part.round[at]}: {reason}")
    return wrong
