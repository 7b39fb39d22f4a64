"""The opponent moves that separate a set of strategies best, for every number of rounds.

An own move answers the opponent's moves before it, so T own moves meet T - 1 opponent moves that matter:
there are 2**(T - 1) designs. They are grown from their prefixes, which share what they have in common. As
long as all fit into the beam the best one is optimal, beyond that the most promising prefixes are kept.

What no observer can tell apart: equivalent states of automata, and the limit that they set to accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import RecogniserError, UnknownNameError
from intent.recognise.probe.information import Automata, Tree, scores

__all__ = [
    "Design",
    "Objective",
    "accuracy_limit",
    "equivalent_states",
    "search",
    "tied_against",
    "tied_for_ever",
]


Ints = NDArray[np.intp]
Moves = NDArray[np.int8]


def equivalent_states(automata: Automata) -> Ints:
    """Class of every state of every automaton: alike where all play from there on is alike.

    States are parted by what they play, then by the classes that each possible outcome leads to, until
    nothing changes (Moore 1956). Without noise, outcomes that a state never brings about do not count.

    Returns
    -------
    (K, S) intp
    """
    k, size, _ = automata.cooperate.shape
    classes = _numbered([row.round(12).tobytes() for row in automata.cooperate.reshape(k * size, -1)])
    offset = (np.arange(k) * size)[:, None, None]
    following = (automata.following + offset).reshape(k * size, 4)
    q = automata.cooperate.reshape(k * size, -1)
    ignored = np.column_stack([q.max(axis=1) == 0] * 2 + [q.min(axis=1) == 1] * 2)
    while True:
        after = np.where(ignored, -1, classes[following])
        finer = _numbered([row.tobytes() for row in np.column_stack([classes, after])])
        if finer.max() == classes.max():
            return finer.reshape(k, size)
        classes = finer


def _numbered(keys: list[bytes]) -> Ints:
    place = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    return np.array([place[key] for key in keys], dtype=np.intp)


def tied_for_ever(automata: Automata) -> list[tuple[int, ...]]:
    """Groups of strategies that no opponent separates: their start states are equivalent.

    Without noise GRIM, which hears its own slips, is tied with GRUDGER, which does not.
    """
    classes = equivalent_states(automata)
    return _groups(classes[np.arange(len(automata.start)), automata.start].tolist())


def tied_against(automata: Automata, opponent: Moves, rounds: int) -> list[tuple[int, ...]]:
    """Groups of strategies that some rounds against given moves do not separate.

    Parameters
    ----------
    automata : Automata of K strategies
    opponent : (T,) int8, 1 = cooperate; begun again where it ends
    rounds : int
        Own moves that are seen.
    """
    homes: list[int] = []
    for k in range(len(automata.start)):
        leaders = [j for j, home in enumerate(homes) if home == j]
        homes.append(next((j for j in leaders if _alike(automata, j, k, opponent, rounds)), k))
    return _groups(homes)


def _groups(homes: list[int]) -> list[tuple[int, ...]]:
    """Members of the same home, where there are several, in order of their first member."""
    members = [tuple(i for i, home in enumerate(homes) if home == h) for h in dict.fromkeys(homes)]
    return [group for group in members if len(group) > 1]


def _alike(a: Automata, i: int, j: int, opponent: Moves, rounds: int) -> bool:
    """Whether all pairs of states that one history leads to cooperate with equal probability."""
    pairs = {(int(a.start[i]), int(a.start[j]))}
    for t in range(rounds):
        reached = set()
        other = int(opponent[t % len(opponent)])
        for s, r in pairs:
            q = a.cooperate[i, s]
            if not np.allclose(q, a.cooperate[j, r], rtol=0, atol=1e-12):
                return False
            codes = [3 - 2 * own - other for own in (1, 0) if (q.max() > 0 if own else q.min() < 1)]
            reached |= {(int(a.following[i, s, code]), int(a.following[j, r, code])) for code in codes}
        pairs = reached
    return True


def accuracy_limit(tree: Tree, classes: Ints, designs: int) -> NDArray[np.float64]:
    """Accuracy of each design that further rounds cannot exceed, however many, (D,).

    On a branch where two strategies have come to equivalent states only the more probable one can still be
    recognised; all others may be told apart in time, and eps be known.

    Parameters
    ----------
    tree : Tree between two rounds
    classes : (K, S) intp, as `equivalent_states`
    designs : int, D
    """
    k = tree.state.shape[1]
    here = classes[np.arange(k), tree.state]
    total = np.zeros(len(tree))
    for a in range(k):
        winner = tree.weight[:, a].copy()
        for b in range(k):
            same = here[:, a] == here[:, b]
            beaten = tree.weight[:, b] >= winner if b < a else tree.weight[:, b] > winner
            if b != a:
                winner[same[:, None] & beaten] = 0.0
        total += winner.sum(axis=1)
    limit: NDArray[np.float64] = np.bincount(tree.design, total, designs) / k
    return limit


Objective = Literal["information", "accuracy"]

_MOST_ENTRIES = 1 << 23
"""Weights of branches that are held at once, over all designs."""

_BEAM_ENTRIES = 1 << 20
"""The same, once not all designs are kept: a beam gains little from more."""

_FEWEST_DESIGNS = 4
"""Prefixes that are kept however many branches they have; then only some branches are followed."""

_LIMIT_ROUNDS = 6
"""First rounds in which the limit of the accuracy is looked for: early slips are what cannot be mended."""

_DECIMALS = 10
"""Designs that score alike to so many decimals are ranked by the other objective, then C before D."""


@dataclass(frozen=True)
class Design:
    """The best opponent found for a number of rounds.

    Attributes
    ----------
    moves : tuple of T int
        1 = cooperate. The last move comes too late to be answered and is set to 1.
    accuracy, information : float
        What the search expects of it; see `exact`.
    limit : float
        Accuracy that no sequence exceeds, however long it is.
    optimal : bool
        Whether all sequences of this length were compared.
    exact : bool
        Whether accuracy and information are; else they are estimated from some of the branches.
    """

    moves: tuple[int, ...]
    accuracy: float
    information: float
    limit: float
    optimal: bool
    exact: bool


def search(
    automata: Automata,
    rounds: int,
    *,
    objective: str = "information",
    width: int = 512,
    most_entries: int = _MOST_ENTRIES,
) -> Iterator[Design]:
    """The best design of 1, 2, … rounds.

    Parameters
    ----------
    automata : Automata of K strategies
    rounds : int, at least 1
    objective : "information" or "accuracy"
        After the last round; the other one breaks ties.
    width : int, at least 2
        Designs compared in each round: 512 are all of ten rounds.
    most_entries : int
        Bound on branches x strategies x values of eps; fewer designs are kept where it is reached.

    Yields
    ------
    Design
        For each number of rounds from 1.

    Raises
    ------
    UnknownNameError
        No such objective.
    RecogniserError
        Not a single round, or a beam of fewer than two.
    """
    if objective not in get_args(Objective):
        raise UnknownNameError("objective", objective, get_args(Objective))
    if rounds < 1 or width < 2:
        raise RecogniserError(
            f"{rounds} rounds and {width} designs, expected at least one round and two designs"
        )
    tree, prefixes = Tree.root(automata), np.zeros((1, 0), dtype=np.int8)
    classes = equivalent_states(automata)
    limit = float(accuracy_limit(tree, classes, 1)[0])
    optimal = exact = True
    for _ in range(rounds):
        played = tree.own_moves(automata)
        accuracy, information = scores(played, len(prefixes))
        order = _ranked(accuracy, information, objective)
        best = order[0]
        moves = (*prefixes[best].tolist(), 1)
        yield Design(moves, float(accuracy[best]), float(information[best]), limit, optimal, exact)
        sizes = 2 * np.bincount(played.design, minlength=len(prefixes)) * automata.cooperate[:, 0].size
        if 2 * len(prefixes) > width:
            most_entries = min(most_entries, _BEAM_ENTRIES)
        chosen = _affordable(order, sizes, width // 2, most_entries)
        optimal &= len(chosen) == len(prefixes)
        if len(chosen) < len(prefixes):
            played = _only(played, chosen, len(prefixes))
        if sizes[chosen].sum() > most_entries:
            branches = most_entries // (2 * len(chosen) * automata.cooperate[:, 0].size)
            played, exact = _thinned(played, max(1, branches)), False
        prefixes = np.repeat(prefixes[chosen], 2, axis=0)
        prefixes = np.column_stack([prefixes, np.tile(np.array([1, 0], dtype=np.int8), len(chosen))])
        tree = played.each_answer(automata).merged()
        if optimal and len(moves) <= _LIMIT_ROUNDS:
            limit = min(limit, float(accuracy_limit(tree, classes, len(prefixes)).max()))


def _ranked(
    accuracy: NDArray[np.float64], information: NDArray[np.float64], objective: str
) -> NDArray[np.intp]:
    """Designs from best to worst."""
    pair = (information, accuracy) if objective == "information" else (accuracy, information)
    first, second = (-np.round(values, _DECIMALS) for values in pair)
    return np.lexsort((second, first))


def _affordable(
    order: NDArray[np.intp], sizes: NDArray[np.intp], most: int, most_entries: int
) -> NDArray[np.intp]:
    """The best designs that fit, in the order of their moves."""
    fitting = int(np.searchsorted(np.cumsum(sizes[order]), most_entries, side="right"))
    return np.sort(order[: min(most, max(fitting, _FEWEST_DESIGNS))])


def _only(played: Tree, chosen: NDArray[np.intp], designs: int) -> Tree:
    """The branches of some designs, which are numbered anew."""
    place = np.full(designs, -1, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))
    part = played.take(place[played.design] >= 0)
    return Tree(place[part.design], part.state, part.weight, part.own)


def _thinned(played: Tree, most: int) -> Tree:
    """At most so many branches of each design, chosen at equal steps of the cumulated probability.

    A branch that is met n times gets the weight of n steps, so that sums over branches keep their value up to
    the noise of the choice (systematic resampling, Kitagawa 1996, with the offset fixed at one half).
    """
    order = np.argsort(played.design, kind="stable")
    mass, design = played.mass[order], played.design[order]
    total = np.bincount(design, mass)
    before = np.concatenate([[0.0], np.cumsum(total)[:-1]])
    upto = (np.cumsum(mass) - before[design]) / total[design]
    steps = np.floor(np.minimum(upto, 1.0) * most + 0.5)
    first = np.concatenate([[True], design[1:] != design[:-1]])
    met = steps - np.where(first, 0.0, np.concatenate([[0.0], steps[:-1]]))
    rows = np.flatnonzero(met > 0)
    part = played.take(order[rows])
    scale = met[rows] * total[design[rows]] / (most * mass[rows])
    return replace(part, weight=part.weight * scale[:, None, None])
