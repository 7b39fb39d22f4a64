"""Which game each row of a FAIRGAME file played: its documented table, or the one its scores give.

What a FAIRGAME file that we wrote says of its games: payoffs, their kind and the cooperative action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, GameError, shorten
from intent.games.catalogue import FAIRGAME_ACTIONS, FAIRGAME_KINDS, FAIRGAME_TABLES, named_kind
from intent.games.game import Game, MatrixGame, PublicGoods, game_from_json
from intent.logs.readers.arrays import Play
from intent.logs.readers.reader import Settings
from intent.logs.readers.stages import Stage, fit_matrix, fit_public_goods, matrix_stage

__all__ = ["TOLD_COLUMNS", "Decision", "Group", "Told", "decide", "misfits", "told_stage"]


TOLD_COLUMNS = ("payoffs", "payoff_kind", "cooperative_action")
"""Columns by which a file that we wrote is known (`intent.logs.stores.fairgame`)."""


@dataclass(frozen=True)
class Told:
    """The columns' values for a game, None where a cell is empty."""

    payoffs: str | None
    payoff_kind: str | None
    cooperative_action: str | None


def told_stage(facts: Told, name: str | None, n_seats: int, kind: str | None) -> tuple[Stage, Game | None]:
    """The stage that the file describes, and its game where it gives the payoffs.

    Parameters
    ----------
    facts : Told
    name : str or None
    n_seats : int
    kind : str or None
        What the user says of the payoffs, against the file.

    Raises
    ------
    DataError
        Payoffs that make no game of so many seats, or cooperative actions that are not one or one a seat.
    """
    label = facts.cooperative_action
    by_seat = (None,) * n_seats if label is None else tuple(label.split("|"))
    if len(by_seat) == 1:
        by_seat *= n_seats
    if len(by_seat) != n_seats:
        raise DataError(f"cooperative_action {shorten(label)!r}, expected one label or one for each seat")
    if facts.payoffs is None:
        return Stage(name, None, kind or facts.payoff_kind, label, by_seat), None
    game = _game(facts, name or "unnamed", kind)
    if game.n_players != n_seats:
        raise DataError(f"payoffs of a game of {game.n_players} players, but {n_seats} agents")
    if kind is not None and kind != facts.payoff_kind:
        return Stage.of(game, name), game
    return Stage(name, game.to_json(), game.kind, label, by_seat), game


def _game(facts: Told, name: str, kind: str | None) -> Game:
    try:
        return game_from_json(facts.payoffs or "", name, kind or facts.payoff_kind)
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


@dataclass(frozen=True)
class Group:
    """Games that claim to be the same: a name, a payoff type, a factor on all payoffs, all that we told."""

    game: str | None
    payoff_type: str | None
    scale: float = 1.0
    facts: Told | None = None

    @property
    def tables(self) -> tuple[MatrixGame, ...]:
        """The documented tables; those of all payoff types where the file does not say which."""
        key = (self.game or "").strip().casefold().replace("_", "-")
        if self.payoff_type is not None:
            known = FAIRGAME_TABLES.get((key, self.payoff_type.strip().casefold()), ())
        else:
            known = tuple(t for (game, _), tables in FAIRGAME_TABLES.items() if game == key for t in tables)
        return tuple(t.scaled(self.scale) if self.scale != 1.0 else t for t in known)

    @property
    def kind(self) -> str | None:
        """Reward or penalty, where the documented games say."""
        return FAIRGAME_KINDS.get((self.game or "").strip().casefold().replace("_", "-"))


@dataclass
class Decision:
    """The stage of each game.

    Parameters
    ----------
    stages : list of Stage
    which : (n,) int, row of `stages` for each game
    wrong : dict of game -> why its row contradicts what it claims to be
    """

    which: NDArray[np.intp]
    stages: list[Stage] = field(default_factory=list)
    wrong: dict[int, str] = field(default_factory=dict)

    def put(self, games: NDArray[np.intp], stage: Stage) -> None:
        """Give some games a stage."""
        self.which[games] = len(self.stages)
        self.stages.append(stage)


def decide(
    play: Play,
    groups: Sequence[Group],
    of_game: NDArray[np.intp],
    peers: NDArray[np.intp],
    settings: Settings,
) -> Decision:
    """The stage of every game.

    Parameters
    ----------
    play : Play
    groups : sequence of Group
    of_game : (n,) int, the group of each game
    peers : (n,) int, games of one number are by the same players; they settle which of several tables
        a game belongs to where its own play does not.
    settings : Settings

    Raises
    ------
    DataError
        What cannot be decided from the file, with the options that decide it.
    """
    decision = Decision(np.full(play.n_games, -1, dtype=np.intp))
    order = np.argsort(of_game, kind="stable")
    bounds = np.searchsorted(of_game[order], np.arange(len(groups) + 1))
    for i, group in enumerate(groups):
        games = order[bounds[i] : bounds[i + 1]]
        if not len(games):
            continue
        named = (
            group if group.game or not settings.game else Group(settings.game, group.payoff_type, group.scale)
        )
        part = play.games(games)
        if group.facts is not None:
            _take_described(decision, part, games, group, group.facts, settings)
        elif play.n_seats != 2:
            _public_goods(decision, part, games, named, settings)
        elif not _documented(decision, part, games, named, peers[games], settings):
            _inferred(decision, part, games, named, settings)
    if settings.cooperate is not None:
        decision.stages = [stage.with_cooperation(settings.cooperate) for stage in decision.stages]
    return decision


def _take_described(
    decision: Decision, part: Play, games: NDArray[np.intp], group: Group, facts: Told, settings: Settings
) -> None:
    """Take the game that the file describes."""
    try:
        stage, game = told_stage(facts, group.game, part.n_seats, settings.payoff_kind)
    except DataError as error:
        decision.wrong.update(dict.fromkeys(games.tolist(), str(error)))
        return
    decision.put(games, stage)
    if game is not None:
        decision.wrong.update({int(games[i]): reason for i, reason in misfits(part, game).items()})


def _binary(
    decision: Decision, part: Play, games: NDArray[np.intp], labels: tuple[str, str]
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Actions as 0 and 1 (m, N), and which games have only these (n,); the others are wrong."""
    code = {label: i for i, label in enumerate(labels)}
    table = np.array([code.get(label, -1) for label in part.labels] or [-1], dtype=np.int8)
    actions = table[part.actions]
    stray = np.flatnonzero((actions < 0).any(axis=1))
    fine = np.ones(part.n_games, dtype=bool)
    for at in stray[np.unique(part.game[stray], return_index=True)[1]]:
        fine[part.game[at]] = False
        seat = int(np.flatnonzero(actions[at] < 0)[0])
        decision.wrong[int(games[part.game[at]])] = (
            f"action {part.labels[part.actions[at, seat]]!r} of agent {seat + 1} in round {part.round[at]} "
            f"is not one of {', '.join(labels)}"
        )
    return actions, fine


def _documented(
    decision: Decision,
    part: Play,
    games: NDArray[np.intp],
    group: Group,
    peers: NDArray[np.intp],
    settings: Settings,
) -> bool:
    """Give the games a documented table; False where there is none that any of them follows."""
    tables = group.tables
    used = {part.labels[i] for i in np.unique(part.actions)}
    if not tables or not used & set(FAIRGAME_ACTIONS):
        return False
    _check_cooperation(FAIRGAME_ACTIONS, group, settings)
    trial = Decision(decision.which)
    actions, fine = _binary(trial, part, games, (FAIRGAME_ACTIONS[0], FAIRGAME_ACTIONS[1]))
    joint = np.maximum(2 * actions[:, 0] + actions[:, 1], 0)
    payoffs = np.array([table.payoffs for table in tables]).reshape(len(tables), 4, 2)
    agree = np.array([_close(p[joint], part.scores) for p in payoffs])
    misses = np.array([np.bincount(part.game[~a], minlength=part.n_games) for a in agree])
    fits = (misses == 0) & fine
    if not fits.any():
        return False
    choice = _chosen(fits, peers)
    for v, table in enumerate(tables):
        rows = np.flatnonzero(fits.any(axis=0) & (choice == v))
        if len(rows):
            kind = settings.payoff_kind or table.kind
            game = MatrixGame(
                table.name, table.actions, table.payoffs, "penalty" if kind == "penalty" else "reward"
            )
            decision.put(games[rows], Stage.of(game, group.game))
    nearest = misses.argmin(axis=0)
    for row in np.flatnonzero(fine & ~fits.any(axis=0)):
        at = int(np.flatnonzero((part.game == row) & ~agree[nearest[row]])[0])
        trial.wrong[int(games[row])] = _contradiction(part, at, payoffs[nearest[row]][joint[at]], group.game)
    decision.wrong.update(trial.wrong)
    return True


def _chosen(fits: NDArray[np.bool_], peers: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n,), the table of each game; where several fit, the one that most games of its peers need."""
    choice = fits.argmax(axis=0)
    several = fits.sum(axis=0) > 1
    if several.any() and not several.all():
        needed = np.zeros((len(fits), int(peers.max()) + 1))
        single = fits.sum(axis=0) == 1
        np.add.at(needed, (choice[single], peers[single]), 1)
        votes = np.where(fits, needed[:, peers], -1.0)
        choice = np.where(several, votes.argmax(axis=0), choice)
    return np.asarray(choice, dtype=np.intp)


def _inferred(
    decision: Decision, part: Play, games: NDArray[np.intp], group: Group, settings: Settings
) -> None:
    """Read the table of a two-player game off its scores."""
    labels = _two_labels(part, group, settings)
    actions, fine = _binary(decision, part, games, labels)
    rounds = fine[part.game]
    fit = fit_matrix(2 * actions[rounds, 0] + actions[rounds, 1], part.scores[rounds])
    kind = settings.payoff_kind or group.kind or (named_kind(settings.game) if settings.game else None)
    stage = matrix_stage(fit, labels, group.game, kind, settings.cooperate)
    if group.tables and fit is not None:
        stage = replace(stage, note=f"no row follows the documented payoffs of {group.game}; {stage.note}")
    decision.put(games, stage)
    if fit is None:
        return
    wrong = np.flatnonzero(rounds)[~fit.explained]
    expected = fit.payoffs.reshape(4, 2)
    for at in wrong[np.unique(part.game[wrong], return_index=True)[1]]:
        joint = 2 * actions[at, 0] + actions[at, 1]
        decision.wrong[int(games[part.game[at]])] = _contradiction(part, int(at), expected[joint], group.game)


def _public_goods(
    decision: Decision, part: Play, games: NDArray[np.intp], group: Group, settings: Settings
) -> None:
    """Read cost and factor of a public goods game off its scores."""
    labels = _two_labels(part, group, settings)
    if set(labels) <= set(FAIRGAME_ACTIONS):
        labels = (FAIRGAME_ACTIONS[0], FAIRGAME_ACTIONS[1])
    actions, fine = _binary(decision, part, games, labels)
    rounds = fine[part.game]
    orders = [labels] if labels == FAIRGAME_ACTIONS else [labels, labels[::-1]]
    fits = [
        fit_public_goods(
            actions[rounds] == labels.index(order[0]), part.scores[rounds], part.game[rounds], part.n_games
        )
        for order in orders
    ]
    best = max(range(len(fits)), key=lambda i: int((fits[i].which >= 0).sum()))
    fit, order = fits[best], orders[best]
    name = group.game or "public-goods"
    seats = part.n_seats
    telling = fit.which >= 0
    if 2 * int((fit.explained & fine).sum()) < int(fine.sum()):
        note = f"the scores of {seats} players follow no public goods game"
        if settings.cooperate is None:
            raise DataError(f"{note}, so that no action is known to be cooperation; give --cooperate ACTION")
        decision.put(games, Stage.unknown(name, settings.payoff_kind, seats, note))
        return
    for i, (cost, factor) in enumerate(fit.parameters):
        rows = np.flatnonzero(fit.which == i)
        if len(rows):
            game = PublicGoods(name, seats, float(cost), float(factor), order)
            decision.put(games[rows], Stage.of(game, name, "cost and factor inferred from the scores"))
    rows = np.flatnonzero(~telling & fit.explained)
    if len(rows):
        known = order if labels == FAIRGAME_ACTIONS or telling.any() else (None, None)
        note = "the play does not tell cost and factor"
        decision.put(games[rows], Stage(name, None, "reward", known[0], (known[0],) * seats, note))
    for row in np.flatnonzero(fine & ~fit.explained):
        decision.wrong[int(games[row])] = "scores contradict the public goods game of the other rows"


def _two_labels(part: Play, group: Group, settings: Settings) -> tuple[str, str]:
    """The two actions that the user names, else the most frequent ones, in the order of their names."""
    if settings.cooperate is not None and settings.defect is not None:
        first, second = sorted([settings.cooperate, settings.defect])
        return (first, second)
    labels = _frequent(part)
    _check_cooperation(labels, group, settings)
    return labels


def _check_cooperation(labels: Sequence[str], group: Group, settings: Settings) -> None:
    """Refuse to call every move defection because the cooperative action is that of another game."""
    if settings.cooperate is not None and settings.cooperate not in labels:
        of = f" of {group.game}" if group.game else ""
        raise DataError(f"the actions{of} are {', '.join(labels)}, but --cooperate says {settings.cooperate}")


def _frequent(part: Play) -> tuple[str, str]:
    """The two most frequent actions, in the order of their names."""
    counts = np.bincount(part.actions.ravel(), minlength=len(part.labels))
    top = sorted(np.argsort(-counts, kind="stable")[:2].tolist())
    names = sorted(part.labels[i] for i in top if counts[i])
    if set(names) <= set(FAIRGAME_ACTIONS):
        return (FAIRGAME_ACTIONS[0], FAIRGAME_ACTIONS[1])
    return (names[0], names[1]) if len(names) == 2 else (names[0] if names else "?", "(never played)")


def _contradiction(part: Play, at: int, expected: NDArray[np.float64], game: str | None) -> str:
    played = ", ".join(part.labels[i] for i in part.actions[at])
    got = ", ".join(f"{x:g}" for x in part.scores[at])
    wanted = ", ".join(f"{x:g}" for x in expected)
    of = f" in {game}" if game else ""
    return f"round {part.round[at]}: {played} scored {got}, expected {wanted}{of}"


def _close(expected: NDArray[np.float64], got: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(m,), whether the scores of all seats agree up to rounding."""
    near = np.abs(expected - got) <= 1e-9 * np.maximum(1.0, np.abs(expected))
    return np.asarray(near.all(axis=1), dtype=bool)
