"""The strategy, and the catalogue of every named one.

A strategy is a probabilistic finite automaton, the one table behind play, likelihood and consistency. The
catalogue has each with its synonyms, rule and citation, and the named sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import StrategyError, UnknownNameError, shorten
from intent.base.registry import load, points
from intent.base.wording import cited

__all__ = [
    "CATALOGUE",
    "ENTRY_POINTS",
    "OUTCOMES",
    "SETS",
    "Memory",
    "Noise",
    "Stepper",
    "Strategy",
    "catalogue",
    "coin_flips",
    "draw_automaton",
    "named_set",
    "outcome_code",
    "replay",
    "same_play",
    "state_names",
    "strategy",
    "with_background",
]


OUTCOMES = ("CC", "CD", "DC", "DD")
"""Joint outcomes in the order of `Strategy.next_state`, own move first."""

Memory = Literal["realised", "intended"]


def outcome_code(own: int, other: int) -> int:
    """Index into `OUTCOMES` of two moves (1 = cooperate)."""
    return 3 - 2 * own - other


@dataclass(frozen=True)
class Strategy:
    """A strategy for a repeated two-action game.

    In state ``s`` the player intends to cooperate with probability ``p_cooperate[s]``; after the joint
    outcome ``o`` (index into `OUTCOMES`) it goes to state ``next_state[s][o]``.

    Parameters
    ----------
    name : str
        Canonical name.
    p_cooperate : tuple of float, length n_states
        Probability of intending to cooperate, in [0, 1].
    next_state : tuple of n_states tuples of 4 int
        Next state per joint outcome CC, CD, DC, DD (own move first).
    start : int
        State of round 1.
    synonyms : tuple of str
        Other names in the literature.
    citation : str
        Where the strategy was first described or is defined.
    rule : str
        The strategy in words.
    memory : {"realised", "intended"}
        Whether the state moves on the realised own move (after noise; Dal Bó & Fréchette 2011) or on
        the move that the automaton itself intended (Romero & Rosokha 2018).

    Raises
    ------
    StrategyError
        A probability outside [0, 1], a state index that does not exist, or tables of unequal length.
    """

    name: str
    p_cooperate: tuple[float, ...]
    next_state: tuple[tuple[int, int, int, int], ...]
    start: int = 0
    synonyms: tuple[str, ...] = ()
    citation: str = ""
    rule: str = ""
    memory: Memory = "realised"
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        n = len(self.p_cooperate)
        if n == 0:
            raise StrategyError(f"{self.name}: an automaton needs at least one state")
        if len(self.next_state) != n:
            raise StrategyError(f"{self.name}: {n} states but {len(self.next_state)} rows of next states")
        for s, p in enumerate(self.p_cooperate):
            if not 0.0 <= p <= 1.0:
                raise StrategyError(f"{self.name}: P(cooperate) of state {s} is {p}, expected [0, 1]")
        for s, row in enumerate(self.next_state):
            if len(row) != 4 or any(not 0 <= t < n for t in row):
                raise StrategyError(
                    f"{self.name}: next states {row} of state {s}, expected four of 0..{n - 1}"
                )
        if not 0 <= self.start < n:
            raise StrategyError(f"{self.name}: start state {self.start}, expected 0..{n - 1}")
        if self.memory not in ("realised", "intended"):
            raise StrategyError(f"{self.name}: memory {self.memory!r}, expected 'realised' or 'intended'")
        key = (self.name, self.p_cooperate, self.next_state, self.start, self.memory)
        object.__setattr__(self, "_hash", hash(key))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Strategy], tuple[object, ...]]:
        """Pickle by the fields, since hashes of texts differ between processes."""
        table = (self.name, self.p_cooperate, self.next_state, self.start)
        return type(self), (*table, self.synonyms, self.citation, self.rule, self.memory)

    @classmethod
    def memory_one(
        cls, name: str, p0: float, p_cc: float, p_cd: float, p_dc: float, p_dd: float, **texts: object
    ) -> Strategy:
        """The memory-one strategy that cooperates with `p0` first, then with `p_<last outcome>`.

        States with equal probabilities are merged, so that TFT has two states and ALLC one.

        References
        ----------
        Nowak & Sigmund 1992, Nature 355:250.
        """
        p = (p0, p_cc, p_cd, p_dc, p_dd)
        levels = tuple(dict.fromkeys(p))
        after = tuple(levels.index(x) for x in p[1:])
        row = (after[0], after[1], after[2], after[3])
        return cls(name, levels, (row,) * len(levels), 0, **texts)  # type: ignore[arg-type]

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.p_cooperate)

    @property
    def is_deterministic(self) -> bool:
        """Whether every state plays one action with certainty."""
        return all(p in (0.0, 1.0) for p in self.p_cooperate)

    @property
    def is_background(self) -> bool:
        """Whether every history is equally likely (one state, p = 1/2), as for RANDOM."""
        return set(self.p_cooperate) == {0.5}

    def with_memory(self, memory: Memory) -> Strategy:
        """The same table with the other memory semantics."""
        return replace(self, memory=memory)

    def with_tremble(self, eps: float) -> Strategy:
        """The same states, whose every move is the other one with probability `eps` in [0, .5)."""
        p, nxt = self.arrays()
        q = p + eps * (1 - 2 * p)
        rows = tuple((int(a), int(b), int(c), int(d)) for a, b, c, d in nxt)
        memory: Memory = "realised" if self.observed_path else self.memory
        return replace(self, p_cooperate=tuple(q.tolist()), next_state=rows, memory=memory)

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The tables as arrays: p_cooperate (S,), next_state (S, 4).

        A deterministic automaton that remembers its intentions is returned as the equivalent one on
        realised outcomes, whose next state does not depend on its own realised move.
        """
        p = np.array(self.p_cooperate)
        nxt = np.array(self.next_state, dtype=np.intp)
        if self.memory == "intended" and self.is_deterministic:
            intends = p.astype(np.intp)
            for other in (0, 1):
                column = nxt[np.arange(len(p)), 3 - 2 * intends - other]
                for own in (0, 1):
                    nxt[:, outcome_code(own, other)] = column
        return p, nxt

    @property
    def observed_path(self) -> bool:
        """Whether a full history determines the state path (false for stochastic intentions)."""
        return self.memory == "realised" or self.is_deterministic

    def reachable(self) -> tuple[int, ...]:
        """States that some history reaches from the start, in order of discovery."""
        states = [self.start]
        for s in states:
            states.extend(t for t in dict.fromkeys(self.next_state[s]) if t not in states)
        return tuple(states)

    def memory_one_vector(self) -> tuple[float, float, float, float, float] | None:
        """``(p0, p_cc, p_cd, p_dc, p_dd)``, or None where play depends on more than the last outcome.

        Only outcomes that are possible under execution noise count, which is all four.
        """
        states = self.reachable()
        vector = [self.p_cooperate[self.start]]
        for o in range(4):
            values = {self.p_cooperate[self.next_state[s][o]] for s in states}
            if len(values) > 1:
                return None
            vector.append(values.pop())
        return (vector[0], vector[1], vector[2], vector[3], vector[4])

    def next_code(self, state: int, own: int, other: int) -> int:
        """State after one round (moves: 1 = cooperate)."""
        return self.next_state[state][outcome_code(own, other)]


@dataclass(frozen=True)
class Noise:
    """Probability per move that the intended move is flipped.

    Parameters
    ----------
    own, other : float in [0, .5), probability per move
        Of the focal player and of its opponent.

    Raises
    ------
    StrategyError
        A value outside [0, .5).
    """

    own: float = 0.0
    other: float = 0.0

    def __post_init__(self) -> None:
        for who, eps in (("own", self.own), ("other", self.other)):
            if not 0 <= eps < 0.5:
                raise StrategyError(f"noise of the {who} player is {eps}, expected [0, .5)")


def coin_flips(size: int, p: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Independent Bernoulli(p) draws as 0 and 1, exact for every p.

    Fair coins come from raw random bits. Rare events (p <= .2) are placed by their geometric gaps, so
    the cost is per event and not per draw (Devroye 1986, Non-Uniform Random Variate Generation, X.2).

    Parameters
    ----------
    size : int
    p : float in [0, 1]
    rng : numpy Generator

    Returns
    -------
    (size,) uint8
    """
    if p == 0.0:
        return np.zeros(size, dtype=np.uint8)
    if p == 1.0:
        return np.ones(size, dtype=np.uint8)
    if p == 0.5:
        packed = np.frombuffer(rng.bytes((size + 7) // 8), dtype=np.uint8)
        return np.unpackbits(packed, count=size)
    if p > 0.2:
        return (rng.random(size) < p).view(np.uint8)
    out = np.zeros(size, dtype=np.uint8)
    at = -1
    while True:
        expected = (size - at) * p
        gaps = rng.geometric(p, size=int(expected + 4 * expected**0.5) + 8)
        places = at + np.cumsum(gaps)
        stop = int(np.searchsorted(places, size))
        out[places[:stop]] = 1
        if stop < len(places):
            return out
        at = int(places[-1])


class Stepper:
    """`n` copies of one automaton, stepped together.

    Parameters
    ----------
    strategy : Strategy
    n : int
        Number of trajectories.

    Attributes
    ----------
    state : (n,) uint8, wider where a key of state and outcome does not fit in 8 bits
    """

    def __init__(self, strategy: Strategy, n: int) -> None:
        self.strategy = strategy
        self.n = n
        p, nxt = strategy.arrays()
        self._p = p
        self._certain = p.astype(np.uint8) if strategy.is_deterministic else None
        self._key: Any = np.uint8 if len(p) <= 64 else np.intp
        self._next = nxt.astype(self._key).reshape(-1)
        self._hidden = not strategy.observed_path
        self.state: NDArray[Any] = np.full(n, strategy.start, dtype=self._key)

    def intended(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Intended moves of this round, (n,) uint8, 1 = cooperate."""
        if self._certain is not None:
            if len(self._certain) == 1:
                return np.full(self.n, self._certain[0], dtype=np.uint8)
            return self._certain.take(self.state)
        if len(self._p) == 1:
            return coin_flips(self.n, float(self._p[0]), rng)
        return (rng.random(self.n) < self._p.take(self.state)).view(np.uint8)

    def advance(self, own: NDArray[np.uint8], other: NDArray[np.uint8], intended: NDArray[np.uint8]) -> None:
        """Move every state on the round's outcome (realised moves; own intention where remembered)."""
        if len(self._p) == 1:
            return
        mine = intended if self._hidden else own
        key = self.state << 2
        key += 3
        key -= mine << 1
        key -= other
        self.state = self._next.take(key)


def replay(
    s: Strategy,
    other: NDArray[np.int8],
    eps: ArrayLike,
    rng: np.random.Generator,
    flipped: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Noisy moves of a strategy against given moves of the other.

    An unknown move of the other counts as a fair coin, as in the likelihood.

    Parameters
    ----------
    s : Strategy
    other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    eps : float or (n,) in [0, .5), probability per move that the intended move is flipped
    rng : numpy Generator
    flipped : (T,) or (n, T) bool, optional
        Rounds in which the game plays the opposite of what is decided.

    Returns
    -------
    own : (n, T) int8, decided moves: those played, but for the rounds that the game flips
    states : (n, T), the state in which each was made
    """
    n, horizon = other.shape
    p, nxt = s.arrays()
    flat, noise = nxt.reshape(-1), np.asarray(eps, dtype=float)
    own = np.empty((n, horizon), dtype=np.int8)
    states = np.empty((n, horizon), dtype=np.intp)
    state = np.full(n, s.start, dtype=np.intp)
    for t in range(horizon):
        states[:, t] = state
        chance = p.take(state)
        if s.observed_path:
            realised = rng.random(n) < chance + noise * (1 - 2 * chance)
            remembered = realised if flipped is None else realised ^ flipped[..., t]
        else:
            remembered = rng.random(n) < chance
            realised = remembered ^ (rng.random(n) < noise)
        own[:, t] = realised
        theirs = other[:, t]
        if (theirs < 0).any():
            theirs = np.where(theirs < 0, rng.integers(0, 2, n, dtype=np.int8), theirs)
        state = flat.take(state * 4 + 3 - 2 * remembered.astype(np.intp) - theirs)
    return own, states


def same_play(a: Strategy, b: Strategy) -> bool:
    """Whether two automata cooperate with the same probability after every history, slips included.

    All pairs of states that one history leads to are compared, from the first (Hopcroft & Karp 1971). Two
    that hide random intentions may be the same without being recognised as such.

    Examples
    --------
    >>> same_play(Strategy("A", (1.0,), ((0, 0, 0, 0),)), Strategy.memory_one("B", 1, 1, 1, 1, 1))
    True
    """
    (p, p_next), (q, q_next) = a.arrays(), b.arrays()
    hidden = len({s.observed_path or s.n_states == 1 for s in (a, b)}) > 1
    pairs = [(a.start, b.start)]
    reached = set(pairs)
    for s, t in pairs:
        if p[s] != q[t]:
            return False
        after = {(int(x), int(y)) for x, y in zip(p_next[s], q_next[t], strict=True)} - reached
        reached |= after
        pairs.extend(sorted(after))
    return not hidden


def state_names(strategy: Strategy) -> tuple[str, ...]:
    """Short names of the states: C1, D2, … by what they play, numbered from 1; M for a mixed state."""
    letters = ["C" if p == 1 else "D" if p == 0 else "M" for p in strategy.p_cooperate]
    return tuple(f"{letter}{i}" for i, letter in enumerate(letters, start=1))


def draw_automaton(strategy: Strategy) -> str:
    """The reachable states, one a line, with the outcomes (own move first) that lead on from each."""
    names = state_names(strategy)
    lines = []
    for s in strategy.reachable():
        p = strategy.p_cooperate[s]
        plays = "plays C" if p == 1 else "plays D" if p == 0 else f"plays C with probability {p:.4g}"
        by_target: dict[int, list[str]] = {}
        for outcome, target in zip(OUTCOMES, strategy.next_state[s], strict=True):
            by_target.setdefault(target, []).append(outcome)
        arrow = " → " if s == strategy.start else "   "
        lines.append(f"{arrow}({names[s]}) {plays}")
        for target, outcomes in by_target.items():
            what = "any outcome" if len(outcomes) == 4 else ", ".join(outcomes)
            where = "stays" if target == s else f"({names[target]})"
            lines.append(f"       ├─ {what:<14} ──▶ {where}")
        lines[-1] = lines[-1].replace("├", "└")
    return "\n".join(lines)


_Row = tuple[int, int, int, int]

AXELROD_1984 = cited("axelrod1984")
RR_2018 = cited("romero2018")
FRD_2012 = cited("fudenberg2012")
PD_2012 = cited("press2012")


def _listener(next_c: Sequence[int], next_d: Sequence[int]) -> tuple[_Row, ...]:
    """Next states of an automaton that listens to the other's move only."""
    return tuple((c, d, c, d) for c, d in zip(next_c, next_d, strict=True))


def _grim(k: int) -> tuple[tuple[float, ...], tuple[_Row, ...]]:
    """C until either player has defected in `k` consecutive rounds, then D for ever (k + 1 states)."""
    rows: list[_Row] = [(0, s + 1, s + 1, s + 1) for s in range(k)]
    return (1.0,) * k + (0.0,), (*rows, (k, k, k, k))


def _tits_for_tats(k: int) -> tuple[tuple[float, ...], tuple[_Row, ...]]:
    """C unless the other defected in each of the last `k` rounds (k + 1 states)."""
    return (1.0,) * k + (0.0,), _listener([0] * (k + 1), [min(s + 1, k) for s in range(k + 1)])


def _after_defection(name: str, base: Strategy, citation: str, synonyms: tuple[str, ...] = ()) -> Strategy:
    """D in round 1, then `base` on the whole history, round 1 and the player's own D in it included."""
    shifted = tuple((a + 1, b + 1, c + 1, d + 1) for a, b, c, d in base.next_state)
    after_c, after_d = (row + 1 for row in base.next_state[base.start][2:])
    return Strategy(
        name,
        (0.0, *base.p_cooperate),
        ((after_c, after_d, after_c, after_d), *shifted),
        synonyms=synonyms,
        citation=citation,
        rule=f"D in round 1, then {base.name} on the whole history, round 1 included",
    )


def _random(p: float = 0.5) -> Strategy:
    return Strategy("RANDOM", (p,), ((0, 0, 0, 0),), citation=AXELROD_1984, rule=f"C with probability {p:g}")


def _gtft(g: float = 1 / 3) -> Strategy:
    return Strategy.memory_one(
        "GTFT",
        1,
        1,
        g,
        1,
        g,
        synonyms=("generous tit for tat",),
        citation=f"{cited('nowak1992')}; g = 1/3 as Molander 1985 for payoffs 5, 3, 1, 0",
        rule=f"TFT, but a defection is forgiven with probability {g:.3g}",
    )


_STAY: _Row = (0, 0, 0, 0)

_ROWS = (
    Strategy(
        "ALLC",
        (1.0,),
        (_STAY,),
        synonyms=("AC", "always cooperate", "Cooperator"),
        citation=AXELROD_1984,
        rule="C always",
    ),
    Strategy(
        "ALLD",
        (0.0,),
        (_STAY,),
        synonyms=("AD", "always defect", "Defector"),
        citation=AXELROD_1984,
        rule="D always",
    ),
    _random(),
    Strategy(
        "TFT",
        (1.0, 0.0),
        _listener([0, 0], [1, 1]),
        synonyms=("tit for tat",),
        citation=AXELROD_1984,
        rule="C, then the other's last move",
    ),
    Strategy(
        "DTFT",
        (1.0, 0.0),
        _listener([0, 0], [1, 1]),
        start=1,
        synonyms=("STFT", "suspicious tit for tat", "D-TFT", "exploitive tit for tat"),
        citation=cited("boyd1987"),
        rule="D, then the other's last move",
    ),
    Strategy(
        "WSLS",
        (1.0, 0.0),
        ((0, 1, 1, 0), (0, 1, 1, 0)),
        synonyms=("Pavlov", "PTFT", "win-stay lose-shift", "perfect tit for tat", "simpleton"),
        citation=cited("nowak1993"),
        rule="C, then C iff both made the same move last round",
    ),
    _gtft(),
    Strategy(
        "GRIM",
        *_grim(1),
        synonyms=("grim trigger",),
        citation=cited("friedman1971"),
        rule="C until either player has defected, then D for ever",
    ),
    Strategy(
        "GRUDGER",
        (1.0, 0.0),
        _listener([0, 1], [1, 1]),
        synonyms=("spite", "Friedman"),
        citation=AXELROD_1984,
        rule="C until the other has defected, then D for ever",
    ),
    Strategy(
        "GRIM2",
        *_grim(2),
        synonyms=("lenient grim 2",),
        citation=FRD_2012,
        rule="C until either player has defected in two consecutive rounds, then D for ever",
    ),
    Strategy(
        "GRIM3",
        *_grim(3),
        synonyms=("lenient grim 3",),
        citation=FRD_2012,
        rule="C until either player has defected in three consecutive rounds, then D for ever",
    ),
    Strategy(
        "TF2T",
        *_tits_for_tats(2),
        synonyms=("tit for 2 tats", "tit for two tats"),
        citation=AXELROD_1984,
        rule="C unless the other defected in each of the last 2 rounds",
    ),
    Strategy(
        "TF3T",
        *_tits_for_tats(3),
        synonyms=("tit for 3 tats",),
        citation=FRD_2012,
        rule="C unless the other defected in each of the last 3 rounds",
    ),
    Strategy(
        "2TFT",
        (1.0, 0.0, 0.0),
        _listener([0, 2, 0], [1, 1, 1]),
        synonyms=("two tits for tat",),
        citation=FRD_2012,
        rule="C unless the other defected in either of the last 2 rounds",
    ),
    Strategy(
        "2TF2T",
        (1.0, 1.0, 0.0, 0.0),
        _listener([0, 0, 3, 0], [1, 2, 2, 1]),
        synonyms=("2 tits for 2 tats", "hard tit for 2 tats"),
        citation=FRD_2012,
        rule="C unless the other defected twice in a row within the last 3 rounds",
    ),
    Strategy(
        "T2",
        (1.0, 0.0, 0.0),
        ((0, 1, 1, 1), (2, 2, 2, 2), (0, 0, 0, 0)),
        citation=cited("dalbo2011"),
        rule="C until either defects, then D twice, then back to C whatever happened meanwhile",
    ),
    Strategy(
        "2WSLS",
        (1.0, 1.0, 0.0, 0.0, 1.0, 0.0),
        ((1, 5, 5, 4), (1, 5, 5, 3), (1, 5, 5, 3), (1, 5, 5, 4), (1, 5, 5, 4), (2, 5, 5, 3)),
        synonyms=("2PTFT",),
        citation=FRD_2012,
        rule="C in round 1, WSLS in round 2, then C iff the last two rounds were CC CC, DD DD or DD CC",
    ),
    Strategy(
        "CTOD",
        (1.0, 0.0),
        ((1, 1, 1, 1), (1, 1, 1, 1)),
        citation=RR_2018,
        rule="C in round 1, then D for ever",
    ),
    Strategy(
        "DC",
        (0.0, 1.0),
        ((1, 1, 1, 1), (0, 0, 0, 0)),
        synonyms=("alternator", "D-alternator"),
        citation=FRD_2012,
        rule="D, C, D, C, …",
    ),
    Strategy.memory_one(
        "FBF",
        1,
        1,
        0,
        1,
        2 / 3,
        synonyms=("firm but fair",),
        citation=cited("frean1994"),
        rule="memory-one (1; 1, 0, 1, 2/3)",
    ),
    Strategy.memory_one(
        "EXTORT2",
        1,
        8 / 9,
        1 / 2,
        1 / 3,
        0,
        synonyms=("ZD extort 2",),
        citation=f"{PD_2012}; {cited('stewart2012')}",
        rule="memory-one (1; 8/9, 1/2, 1/3, 0) for T, R, P, S = 5, 3, 1, 0",
    ),
    Strategy.memory_one(
        "ZDGTFT2",
        1,
        1,
        1 / 8,
        1,
        1 / 4,
        synonyms=("ZD GTFT-2",),
        citation=f"{cited('stewart2012')}; after {PD_2012}",
        rule="memory-one (1; 1, 1/8, 1, 1/4) for T, R, P, S = 5, 3, 1, 0",
    ),
    Strategy.memory_one(
        "BULLY",
        0,
        0,
        1,
        0,
        1,
        synonyms=("reverse tit for tat",),
        citation=cited("nachbar1992"),
        rule="D, then the opposite of the other's last move",
    ),
)

_DELAYED = (("DTF2T", "TF2T"), ("DTF3T", "TF3T"), ("DGRIM2", "GRIM2"), ("DGRIM3", "GRIM3"))


def _catalogue() -> dict[str, Strategy]:
    """The rows by name, then those that open with D."""
    table = {s.name: s for s in _ROWS}
    for name, base in _DELAYED:
        citation = FRD_2012 if "TF" in name else RR_2018
        table[name] = _after_defection(name, table[base], citation, (f"D-{base}",))
    return table


CATALOGUE: dict[str, Strategy] = _catalogue()
"""Canonical name -> strategy, in catalogue order (the order that breaks ties)."""

_RR20 = (
    *("ALLC", "ALLD", "TFT", "DTFT", "TF2T", "TF3T", "2TFT", "2TF2T", "T2", "GRIM", "GRIM2", "GRIM3"),
    *("WSLS", "2WSLS", "CTOD", "DTF2T", "DTF3T", "DGRIM2", "DGRIM3", "DC"),
)

SETS: dict[str, tuple[tuple[str, ...], Memory]] = {
    "canonical4": (("ALLC", "ALLD", "TFT", "WSLS"), "realised"),
    "canonical5": (("ALLC", "ALLD", "TFT", "WSLS", "GTFT"), "realised"),
    "canonical6": (("ALLC", "ALLD", "TFT", "WSLS", "GTFT", "GRUDGER"), "realised"),
    "df2011": (("ALLD", "ALLC", "GRIM", "TFT", "WSLS", "T2"), "realised"),
    "rr20": (_RR20, "intended"),
    "all": (tuple(CATALOGUE), "realised"),
}
"""Named sets: names in order and memory semantics (spec: canonical4..6, Dal Bó & Fréchette, R & R)."""

_PARAMETRIC = {"RANDOM": _random, "GTFT": _gtft}
_BY_FOLD = {n.casefold(): s for s in CATALOGUE.values() for n in (*s.synonyms, s.name)}


ENTRY_POINTS = "intent.strategies"
"""Group of entry points of strategies of other packages: a `Strategy` of that name each."""


def catalogue() -> tuple[Strategy, ...]:
    """All strategies of the catalogue, in catalogue order."""
    return tuple(CATALOGUE.values())


def strategy(name: str, own: Sequence[Strategy] = ()) -> Strategy:
    """The strategy of a name, synonym or parametrised name.

    Parameters
    ----------
    name : str
        Case does not matter. ``GTFT(0.1)`` and ``RANDOM(0.7)`` set the parameter.
    own : sequence of Strategy
        Strategies of the user's own, whose names come first.

    Raises
    ------
    UnknownNameError
        No such strategy; the nearest names are suggested.
    StrategyError
        A parameter that is not a probability.
    """
    fold = name.strip().casefold()
    for mine in own:
        if fold in (mine.name.casefold(), *map(str.casefold, mine.synonyms)):
            return mine
    head, bracket, tail = name.strip().partition("(")
    if bracket:
        maker = _PARAMETRIC.get(head.strip().upper())
        if maker is None or not tail.endswith(")"):
            raise UnknownNameError("strategy", name, CATALOGUE)
        try:
            value = float(tail[:-1])
        except ValueError:
            raise StrategyError(f"parameter of {name!r}: expected a probability in [0, 1]") from None
        if not 0 <= value <= 1:
            raise StrategyError(f"parameter of {name!r} is {value:g}, expected a probability in [0, 1]")
        return replace(maker(value), name=f"{head.strip().upper()}({value:g})")
    match = _BY_FOLD.get(fold) or _outside(fold)
    if match is None:
        known = [*(s.name for s in own), *CATALOGUE, *SETS, *points(ENTRY_POINTS)]
        raise UnknownNameError("strategy", name, known)
    return match


def _outside(fold: str) -> Strategy | None:
    """The strategy of another package; its case does not matter either."""
    there = next((there for name, there in points(ENTRY_POINTS).items() if name.casefold() == fold), None)
    if there is None:
        return None
    theirs = load(there)
    if not isinstance(theirs, Strategy) or theirs.name.casefold() != fold:
        got = theirs.name if isinstance(theirs, Strategy) else type(theirs).__name__
        raise StrategyError(
            f"entry point {there.name!r} of group {ENTRY_POINTS} is {shorten(got)}, "
            "expected the Strategy of that name"
        )
    return theirs


def named_set(names: str | Iterable[str | Strategy], own: Sequence[Strategy] = ()) -> tuple[Strategy, ...]:
    """Strategies of a named set, of a comma-separated list, or of a list of names and strategies.

    No file is opened, so that names may come from anyone; `intent.strategies.sets.strategy_set` takes files.

    Parameters
    ----------
    names : str, or iterable of names and Strategy
    own : sequence of Strategy
        As `strategy`.

    Raises
    ------
    UnknownNameError
        A name that is neither a set nor a strategy.
    StrategyError
        An empty list, or one that names a strategy twice.
    """
    if isinstance(names, str):
        if names in SETS:
            members, memory = SETS[names]
            return tuple(CATALOGUE[m].with_memory(memory) for m in members)
        names = [part for part in names.split(",") if part.strip()]
    chosen = tuple(n if isinstance(n, Strategy) else strategy(n, own) for n in names)
    if not chosen:
        raise StrategyError("no strategy given, expected a set name or a list of strategies")
    twice = {s.name for s in chosen if [t.name for t in chosen].count(s.name) > 1}
    if twice:
        raise StrategyError(f"strategy listed twice: {', '.join(sorted(twice))}")
    return chosen


def with_background(strategies: tuple[Strategy, ...], background: bool) -> tuple[Strategy, ...]:
    """The strategies, and RANDOM where a background is wanted and none of them is one."""
    if background and not any(s.is_background for s in strategies):
        return (*strategies, strategy("RANDOM"))
    return strategies
