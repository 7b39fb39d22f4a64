"""What one opponent reveals, round by round: accuracy of the Bayes rule and information in bits.

After t own moves the Bayes rule is right with probability ``(1/K) sum_h max_k P(h | k)``, and the history
says

    I(strategy; own history) = log2 K - (1/K) sum_h sum_k P(h | k) log2 (sum_j P(h | j) / P(h | k))

bits on the strategy (Lindley 1956, Ann. Math. Stat. 27:986), where the K strategies are equally frequent.
Both are exact as long as the branches fit in memory; from there on sampled histories are followed.

What an opponent could find out that chooses each move by the moves it has seen.

A set of strategies side by side as arrays, with the noise under which they are to be told apart.

All that a set of strategies may do against given opponent moves: a tree whose equal branches are merged.

A branch is a class of own histories. It carries, per strategy k and value of eps, the probability of
its histories, ``weight[k, e] = P(eps_e) P(histories | k, eps_e)``, and the state that each automaton has
reached. Whatever follows depends on the states and is linear in the weights, and what is asked of them (the
probability of a correct guess, the entropy) is homogeneous of degree one. So branches of equal states and
proportional weights are one branch, whose weights are their sum: nothing is lost. Between deterministic
strategies the ratios depend on counts of mismatches only, so the number of branches grows with a
power of the rounds and not as 2**T.

The opponent moves that separate the set best, for every number of rounds.

An own move answers the opponent's moves before it, so T own moves meet T - 1 opponent moves that matter:
there are 2**(T - 1) designs. They are grown from their prefixes, which share what they have in common. As
long as all fit into the beam the best one is optimal, beyond that the most promising prefixes are kept.

What no observer can tell apart: equivalent states of automata, and the limit that they set to accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import RecogniserError, UnknownNameError
from intent.recognise.bayes import eps_nodes
from intent.strategies.catalogue import Strategy
from intent.strategies.likelihood import cooperation_probability

__all__ = [
    "Automata",
    "Design",
    "Objective",
    "Round",
    "Tree",
    "accuracy_limit",
    "adaptive_optimum",
    "checked_noise",
    "contributions",
    "equivalent_states",
    "follow",
    "scores",
    "search",
    "tied_against",
    "tied_for_ever",
]

Ints = NDArray[np.intp]

_MOST_EXACT = 16
"""Rounds up to which the integral over eps is exact; longer play keeps the 9 nodes.

After 60 rounds the error of the accuracy is 1e-10 where eps is in [0, .2], 1e-8 where it is in [0, .45]."""


@dataclass(frozen=True, eq=False)
class Automata:
    """K automata side by side, with the noise.

    Attributes
    ----------
    cooperate : (K, S, E) float64, probability of a realised C per state and eps
    following : (K, S, 4) intp, next state per joint outcome CC, CD, DC, DD
    start : (K,) intp
    chance : (E,) float64, probability of each eps, sums to one
    """

    cooperate: Floats
    following: Ints
    start: Ints
    chance: Floats

    @classmethod
    def of(cls, strategies: Sequence[Strategy], eps: tuple[float, float], rounds: int) -> Self:
        """The tables of some strategies.

        Parameters
        ----------
        strategies : sequence of K Strategy
        eps : (low, high) in [0, .5)
            Noise per move; uniform between the two and not known to the observer where they differ.
        rounds : int
            Longest play.

        Raises
        ------
        RecogniserError
            eps out of range, fewer than two strategies, or one whose states its play does not reveal.
        """
        low, high = checked_noise(eps)
        if len(strategies) < 2:
            raise RecogniserError(f"{len(strategies)} strategy to tell apart, expected at least two")
        hidden = [s.name for s in strategies if not s.observed_path]
        if hidden:
            raise RecogniserError(
                f"{', '.join(hidden)} randomises and remembers its intentions, expected visible states"
            )
        grid, chance = np.array([low]), np.ones(1)
        if low < high:
            grid, chance = eps_nodes((low, high), min(rounds, _MOST_EXACT))
        tables = [s.arrays() for s in strategies]
        size = max(len(p) for p, _ in tables)
        cooperate = np.zeros((len(tables), size, len(grid)))
        following = np.zeros((len(tables), size, 4), dtype=np.intp)
        for k, (p, after) in enumerate(tables):
            cooperate[k, : len(p)] = cooperation_probability(p, grid)
            following[k, : len(p)] = after
        return cls(cooperate, following, np.array([s.start for s in strategies]), chance)

    def intentions(self, state: Ints) -> Floats:
        """Probability of a realised C in each of the states (N, K): (N, K, E)."""
        intended: Floats = self.cooperate[np.arange(state.shape[1]), state]
        return intended


def checked_noise(eps: tuple[float, float]) -> tuple[float, float]:
    """The range of eps.

    Raises
    ------
    RecogniserError
        Not 0 <= low <= high < .5.
    """
    low, high = eps
    if not 0 <= low <= high < 0.5:
        got = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        raise RecogniserError(f"eps {got}, expected probabilities in [0, .5), the lower one first")
    return float(low), float(high)


_DEAD = 1e-13
"""Posterior below which a strategy is taken as excluded on a branch."""

_LOST = 1e-11
"""Probability of the branches that may be forgotten in one round, together."""

_RESOLUTION = 2.0**30
_MULTIPLIER = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False)
class Tree:
    """The branches of one or more designs (opponents that are tried), all after the same round.

    Attributes
    ----------
    design : (N,) intp, the design that a branch belongs to
    state : (N, K) intp
    weight : (N, K, E) float64
    own : (N,) int8, own move of the round under way; -1 before it is made
    """

    design: Ints
    state: Ints
    weight: Floats
    own: NDArray[np.int8]

    @classmethod
    def root(cls, automata: Automata) -> Self:
        """One branch before the first round."""
        k = len(automata.start)
        weight = np.broadcast_to(automata.chance, (1, k, len(automata.chance))).copy()
        return cls(np.zeros(1, dtype=np.intp), automata.start[None], weight, np.full(1, -1, dtype=np.int8))

    def __len__(self) -> int:
        return len(self.design)

    @property
    def mass(self) -> Floats:
        """(N,) probability of each branch, summed over strategies (they are weighed equally, as 1)."""
        total: Floats = self.weight.sum(axis=(1, 2))
        return total

    def take(self, rows: NDArray[np.bool_] | Ints) -> Tree:
        """Some of the branches."""
        return Tree(self.design[rows], self.state[rows], self.weight[rows], self.own[rows])

    def own_moves(self, automata: Automata) -> Tree:
        """Both own moves of the next round on every branch, where they are possible."""
        q = automata.intentions(self.state)
        weight = np.concatenate([self.weight * q, self.weight * (1 - q)])
        own = np.repeat(np.array([1, 0], dtype=np.int8), len(self))
        both = Tree(np.tile(self.design, 2), np.tile(self.state, (2, 1)), weight, own)
        possible = both.mass > 0
        return both if possible.all() else both.take(possible)

    def one_own_move(self, automata: Automata, rng: np.random.Generator) -> Tree:
        """One own move on every branch, drawn with its probability; the branch stays as heavy as it was."""
        mass = self.mass
        cooperating = self.weight * automata.intentions(self.state)
        p = cooperating.sum(axis=(1, 2)) / mass
        own = rng.random(len(self)) < p
        weight = np.where(own[:, None, None], cooperating, self.weight - cooperating)
        weight /= np.where(own, p, 1 - p)[:, None, None]
        return replace(self, weight=weight, own=own.astype(np.int8))

    def answered(self, automata: Automata, other: int | NDArray[np.int8]) -> Tree:
        """The states after the opponent's move of the round (1 = cooperate), one or one per branch."""
        code = (3 - 2 * self.own - other).astype(np.intp)
        after = automata.following[np.arange(self.state.shape[1]), self.state, code[:, None]]
        return replace(self, state=after, own=np.full(len(self), -1, dtype=np.int8))

    def each_answer(self, automata: Automata) -> Tree:
        """Every branch after C, then every branch after D; designs are doubled: 2 d and 2 d + 1."""
        answers = [self.answered(automata, x) for x in (1, 0)]
        return Tree(
            np.concatenate([2 * self.design, 2 * self.design + 1]),
            np.concatenate([a.state for a in answers]),
            np.concatenate([a.weight for a in answers]),
            np.concatenate([a.own for a in answers]),
        )

    def merged(self) -> Tree:
        """Branches of the same design with equal states and proportional weights made one.

        A strategy with a posterior below 1e-13 counts as excluded on its branch; branches that together
        have a probability below 1e-11 in their design are forgotten.
        """
        return self.merged_into()[0]

    def merged_into(self) -> tuple[Tree, Ints]:
        """As `merged`, and where each branch went (N,); -1 where it was forgotten."""
        tidy = self._settled()
        order, first = tidy._groups()
        weight = np.add.reduceat(tidy.weight[order], first, axis=0)
        rows = order[first]
        joined = Tree(tidy.design[rows], tidy.state[rows], weight, tidy.own[rows])
        heavy = joined.mass * np.bincount(joined.design)[joined.design] >= _LOST
        place = np.where(heavy, np.cumsum(heavy) - 1, -1)
        group = np.empty(len(self), dtype=np.intp)
        group[order] = np.repeat(np.arange(len(first)), np.diff([*first.tolist(), len(self)]))
        return (joined if heavy.all() else joined.take(heavy)), place[group]

    def _settled(self) -> Tree:
        """Without what no longer matters: excluded strategies, and eps where one strategy is left."""
        per = self.weight.sum(axis=2)
        dead = per < _DEAD * per.sum(axis=1, keepdims=True)
        alone = (~dead).sum(axis=1) == 1
        if not dead.any():
            return self
        weight = np.where(dead[:, :, None], 0.0, self.weight)
        weight[alone, :, 0] = weight[alone].sum(axis=2)
        weight[alone, :, 1:] = 0.0
        return replace(self, weight=weight, state=np.where(dead | alone[:, None], 0, self.state))

    def _groups(self) -> tuple[Ints, Ints]:
        """Order that puts equal branches side by side, and where each group begins.

        Ratios are compared to a billionth, through a 64-bit hash (polynomial, modulo 2**64).
        """
        key = self.design.astype(np.uint64)
        multiplier, mass = np.uint64(_MULTIPLIER), self.mass
        for state in self.state.T:
            key *= multiplier
            key += state.astype(np.uint64)
        for weight in self.weight.reshape(len(self), -1).T:
            digits = np.log(np.maximum(weight / mass, 1e-200)) * _RESOLUTION
            key *= multiplier
            key += np.rint(digits).astype(np.int64).view(np.uint64)
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        return order, first


Floats = NDArray[np.float64]

_MOST_ENTRIES = 1 << 21
"""Weights of branches (branches x strategies x values of eps) that are followed exactly."""

_SAMPLES = 20_000


@dataclass(frozen=True)
class Round:
    """What is known after some rounds.

    Attributes
    ----------
    round : int, from 1
    accuracy : float, probability that the most probable strategy is the true one
    information : float, bits
    accuracy_error, information_error : float, standard errors; 0 where the values are exact
    """

    round: int
    accuracy: float
    information: float
    accuracy_error: float = 0.0
    information_error: float = 0.0


def follow(
    automata: Automata,
    rounds: int,
    opponent: NDArray[np.int8] | None,
    *,
    rng: np.random.Generator,
    most_entries: int = _MOST_ENTRIES,
    samples: int = _SAMPLES,
) -> Iterator[Round]:
    """The rounds against one opponent, one after the other.

    Parameters
    ----------
    automata : Automata of K strategies
    rounds : int
    opponent : (T,) int8, or None
        Its moves, 1 = cooperate, begun again where they end; None for a fair coin, whose moves are seen.
    rng : numpy Generator
        Draws histories once there are more branches than `most_entries` allow; not touched before.
    most_entries : int
        Bound on branches x strategies x values of eps.
    samples : int
        Histories followed from there on.

    Yields
    ------
    Round
    """
    tree, drawn = Tree.root(automata), False
    for t in range(1, rounds + 1):
        if not drawn and tree.weight.size > most_entries:
            tree, drawn = _sample(tree, samples, rng), True
        played = tree.one_own_move(automata, rng) if drawn else tree.own_moves(automata)
        yield _round(t, played, drawn)
        if drawn and opponent is None:
            tree = played.answered(automata, rng.integers(2, size=len(played), dtype=np.int8))
        elif opponent is None:
            both = played.each_answer(automata)
            tree = replace(both, design=both.design * 0, weight=both.weight / 2)
        else:
            tree = played.answered(automata, int(opponent[(t - 1) % len(opponent)]))
        if not drawn:
            tree = tree.merged()


def scores(played: Tree, designs: int) -> tuple[Floats, Floats]:
    """Accuracy and information (bits) of each design, (D,) each, after the own move."""
    n_strategies = played.state.shape[1]
    best, doubt = contributions(played)
    accuracy = np.bincount(played.design, best, designs) / n_strategies
    missing = np.bincount(played.design, doubt, designs) / n_strategies
    return accuracy, np.maximum(np.log2(n_strategies) - missing, 0.0)


def contributions(played: Tree) -> tuple[Floats, Floats]:
    """Per branch the largest weight of a strategy, and the entropy of the strategies times the mass."""
    per = played.weight.sum(axis=2)
    total = per.sum(axis=1, keepdims=True)
    ratio = np.divide(total, per, out=np.ones_like(per), where=per > 0)
    return per.max(axis=1), (per * np.log2(ratio)).sum(axis=1)


def _round(t: int, played: Tree, drawn: bool) -> Round:
    if not drawn:
        accuracy, information = scores(played, 1)
        return Round(t, float(accuracy[0]), float(information[0]))
    n, k = len(played), played.state.shape[1]
    best, doubt = (n / k * values for values in contributions(played))
    bits = max(0.0, float(np.log2(k) - doubt.mean()))
    return Round(t, float(best.mean()), bits, *(float(v.std() / n**0.5) for v in (best, doubt)))


def _sample(tree: Tree, n: int, rng: np.random.Generator) -> Tree:
    """`n` independent draws of a branch, equally heavy: what follows them is unbiased."""
    mass = tree.mass
    rows = rng.choice(len(tree), size=n, p=mass / mass.sum())
    drawn = tree.take(rows)
    scale = tree.state.shape[1] / (n * mass[rows])
    return replace(drawn, weight=drawn.weight * scale[:, None, None])


_ADAPTIVE_MOST_ENTRIES = 1 << 20
"""Weights of branches of one round, of all opponent moves together, up to which the optimum is computed."""


def adaptive_optimum(
    automata: Automata,
    rounds: int,
    *,
    objective: str = "information",
    most_entries: int = _ADAPTIVE_MOST_ENTRIES,
) -> tuple[float, float] | None:
    """Accuracy and information (bits) of the best adaptive opponent.

    Backward induction: with V_T the value of a branch after the last own move,
    ``V_t(h) = max_x sum_a V_t+1(h, x, a)`` over the opponent's move x and the own move a that follows. V is
    homogeneous of degree one in the weights, so merged branches share it.

    Parameters
    ----------
    automata : Automata of K strategies
    rounds : int, at least 1
    objective : "information" or "accuracy"
        What is maximised; both values are those of the same opponent.
    most_entries : int
        Bound on branches x strategies x values of eps.

    Returns
    -------
    (accuracy, information), or None where there are too many branches
    """
    k = len(automata.start)
    tree = Tree.root(automata)
    steps: list[tuple[Tree, NDArray[np.intp], NDArray[np.float64]]] = []
    played = _own_moves(tree, automata)
    for _ in range(rounds - 1):
        both = played.each_answer(automata)
        tree, place = replace(both, design=both.design * 0).merged_into()
        if tree.weight.size > most_entries:
            return None
        steps.append((played, place, tree.mass))
        played = _own_moves(tree, automata)
    best, doubt = contributions(played)
    for earlier, place, mass in reversed(steps):
        n = len(earlier)
        unit = [np.bincount(played.design, v, len(mass)) / mass for v in (best, doubt)]
        share = np.where(place >= 0, np.tile(earlier.mass, 2), 0.0)
        after = np.stack([u[place] * share for u in unit]).reshape(2, 2, n)
        chosen = after[1].argmin(axis=0) if objective == "information" else after[0].argmax(axis=0)
        best, doubt = after[:, chosen, np.arange(n)]
        played = earlier
    return float(best.sum() / k), float(np.log2(k) - doubt.sum() / k)


def _own_moves(tree: Tree, automata: Automata) -> Tree:
    """The own moves, each with its branch in the place of the design."""
    return replace(tree, design=np.arange(len(tree))).own_moves(automata)


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

_SEARCH_MOST_ENTRIES = 1 << 23
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
    most_entries: int = _SEARCH_MOST_ENTRIES,
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
