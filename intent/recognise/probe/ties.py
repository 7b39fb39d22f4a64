"""What no observer can tell apart: equivalent states of automata, and the limit that they set to accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.recognise.probe.automata import Automata
from intent.recognise.probe.tree import Tree

__all__ = ["accuracy_limit", "equivalent_states", "tied_against", "tied_for_ever"]

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
    found = _numbered([row.round(12).tobytes() for row in automata.cooperate.reshape(k * size, -1)])
    offset = (np.arange(k) * size)[:, None, None]
    following = (automata.following + offset).reshape(k * size, 4)
    q = automata.cooperate.reshape(k * size, -1)
    ignored = np.column_stack([q.max(axis=1) == 0] * 2 + [q.min(axis=1) == 1] * 2)
    while True:
        after = np.where(ignored, -1, found[following])
        finer = _numbered([row.tobytes() for row in np.column_stack([found, after])])
        if finer.max() == found.max():
            return finer.reshape(k, size)
        found = finer


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
