"""The game behind the play: its payoffs, their kind, and which action is cooperation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.errors import DataError, GameError
from intent.games.game import Game
from intent.games.matrix import MatrixGame
from intent.logs.infer import MatrixFit

__all__ = ["Stage", "cooperative_codes", "matrix_stage", "named_kind", "show_table", "unused_game"]

HOW = "give --payoff-kind reward or penalty, --game NAME, or --cooperate ACTION"


@dataclass(frozen=True)
class Stage:
    """What is known of the game that a group of games is about.

    Parameters
    ----------
    name, payoffs, kind, label : str or None
        As the columns game, payoffs, payoff_kind and cooperative_action of a game log.
    cooperative : tuple of (str or None)
        The cooperative action by seat.
    note : str
        What a reader of the log should know about it.
    """

    name: str | None
    payoffs: str | None
    kind: str | None
    label: str | None
    cooperative: tuple[str | None, ...]
    note: str = ""

    @classmethod
    def of(cls, game: Game, name: str | None = None, note: str = "") -> Stage:
        """The stage of a known game, under the name that the log gives it."""
        by_seat = tuple(game.cooperative_action(seat) for seat in range(1, game.n_players + 1))
        if game.cooperative_label is None:
            note = "; ".join(filter(None, [note, "no action is cooperation by its payoffs"]))
        return cls(name or game.name, game.to_json(), game.kind, game.cooperative_label, by_seat, note)

    @classmethod
    def unknown(cls, name: str | None, kind: str | None, n_seats: int, note: str) -> Stage:
        """A game whose payoffs the play does not tell."""
        return cls(name, None, kind, None, (None,) * n_seats, note)

    def with_cooperation(self, action: str) -> Stage:
        """The stage in which the user says which action is cooperation."""
        return Stage(self.name, self.payoffs, self.kind, action, (action,) * len(self.cooperative), "")


def cooperative_codes(stages: Sequence[Stage], labels: Sequence[str]) -> NDArray[np.int32]:
    """(stages, N), code of the cooperative action by seat among `labels`; -1 where there is none."""
    code = {label: i for i, label in enumerate(labels)}
    unseen = len(labels)
    rows = [[-1 if a is None else code.get(a, unseen) for a in stage.cooperative] for stage in stages]
    return np.array(rows, dtype=np.int32)


def named_kind(name: str) -> str:
    """Whether the payoffs of a named game are rewards or penalties.

    Raises
    ------
    UnknownNameError
        The catalogue of games does not have it.

    Notes
    -----
    A family of games is asked for one of its members: no parameter changes the kind.
    """
    from intent.games.catalogue import game

    try:
        return game(name).kind
    except GameError:
        return game(f"{name}(2)").kind


def unused_game(given: str | None, told: Iterable[str | None]) -> list[str]:
    """A note where the user names a game and the file names all of its own."""
    names = list(told)
    if given is None or not names or None in names:
        return []
    return [f"--game {given} is not used: the file names its games"]


def matrix_stage(
    fit: MatrixFit | None, labels: tuple[str, str], name: str | None, kind: str | None, cooperate: str | None
) -> Stage:
    """The stage of a two-player game whose payoffs were read off its scores.

    Raises
    ------
    DataError
        The scores give a table, but nobody says whether they are rewards or penalties.
    """
    if fit is None:
        return Stage.unknown(name, kind, 2, "the scores do not follow from the joint actions")
    if not fit.is_complete:
        return Stage.unknown(
            name, kind, 2, "not all joint actions were played, so that the payoffs stay open"
        )
    if kind is None and cooperate is None:
        raise DataError(
            f"nothing says whether the scores {show_table(fit, labels)} are rewards or penalties; {HOW}"
        )
    rows = [[(float(a), float(b)) for a, b in row] for row in fit.payoffs]
    note = "one outcome was never played and is filled in by symmetry" if fit.mirrored else ""
    try:
        game = MatrixGame(
            name or "unnamed",
            labels,
            ((rows[0][0], rows[0][1]), (rows[1][0], rows[1][1])),
            "penalty" if kind == "penalty" else "reward",
        )
    except GameError as error:
        return Stage.unknown(name, kind, 2, str(error))
    stage = Stage.of(game, name, "; ".join(filter(None, ["payoffs inferred from the scores", note])))
    return Stage(name, stage.payoffs, kind, stage.label, stage.cooperative, stage.note)


def show_table(fit: MatrixFit, labels: tuple[str, str]) -> str:
    """The payoffs on one line."""
    cells = [
        f"{labels[i]},{labels[j]}: {fit.payoffs[i, j, 0]:g},{fit.payoffs[i, j, 1]:g}"
        for i in (0, 1)
        for j in (0, 1)
    ]
    return "(" + "; ".join(cells) + ")"
