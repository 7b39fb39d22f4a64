"""The catalogue: every named strategy, with its synonyms, rule and citation, and the named sets.

Strategies among several others: an automaton of the table, and how many others count as cooperation.

An automaton answers one other player. Among several it answers their number: the others "cooperated" when at
least k of them did. The automata stay those of the table; k is the only thing added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from intent.base.errors import StrategyError, UnknownNameError, shorten
from intent.base.registry import load, points
from intent.base.wording import cited
from intent.strategies.automaton import Memory, Strategy

__all__ = [
    "CATALOGUE",
    "ENTRY_POINTS",
    "MOST_AUTOMATA",
    "SETS",
    "SIGN",
    "ThresholdStrategy",
    "catalogue",
    "listens",
    "named_set",
    "strategy",
    "threshold_strategies",
    "with_background",
]


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


SIGN = ">="
"""Between name and threshold, as in ``TFT>=2``."""

MOST_AUTOMATA = 200
"""Pairs of strategy and threshold that are fitted at a time."""


@dataclass(frozen=True)
class ThresholdStrategy:
    """A strategy that takes the others to have cooperated when at least `k` of them did.

    Parameters
    ----------
    strategy : Strategy
    k : int, at least 1, or None
        None where the strategy does not listen to others, such as ALLC: any threshold is the same.

    Raises
    ------
    StrategyError
        A threshold below 1, none for a strategy that listens, or one for a strategy that does not.

    References
    ----------
    Boyd & Richerson 1988, Journal of Theoretical Biology 132:337 (T_k, "cooperate if at least k others did").
    """

    strategy: Strategy
    k: int | None

    def __post_init__(self) -> None:
        if (self.k is not None) != listens(self.strategy) or (self.k is not None and self.k < 1):
            expected = "a threshold of at least 1" if listens(self.strategy) else "none: it does not listen"
            raise StrategyError(f"{self.strategy.name}: threshold {self.k}, expected {expected}")

    @property
    def name(self) -> str:
        """``TFT>=2``; the strategy's own name where it does not listen."""
        return self.strategy.name if self.k is None else f"{self.strategy.name}{SIGN}{self.k}"

    @property
    def memory(self) -> Memory:
        """What the automaton remembers of its own moves."""
        return self.strategy.memory

    def with_memory(self, memory: Memory) -> ThresholdStrategy:
        """The same with the other memory semantics."""
        return ThresholdStrategy(self.strategy.with_memory(memory), self.k)


def listens(s: Strategy) -> bool:
    """Whether what the others do can matter: in some state that is reached they decide on the next one."""
    rows = (s.next_state[state] for state in s.reachable())
    return any(cc != cd or dc != dd for cc, cd, dc, dd in rows)


def threshold_strategies(names: str | Sequence[str | Strategy], most: int) -> tuple[ThresholdStrategy, ...]:
    """Strategies with every threshold that there can be, or with the one that is named.

    Parameters
    ----------
    names : set name, comma-separated names, or sequence of names and Strategy
        ``TFT`` stands for ``TFT>=1`` .. ``TFT>=most``, and ``TFT>=2`` for itself.
    most : int, the largest number of others

    Raises
    ------
    UnknownNameError
        A name that is neither a set nor a strategy.
    StrategyError
        A threshold that no number of others can meet, a pair listed twice, or more than 200 pairs.

    Examples
    --------
    >>> [s.name for s in threshold_strategies("ALLC,TFT,GRIM>=2", 2)]
    ['ALLC', 'TFT>=1', 'TFT>=2', 'GRIM>=2']
    """
    parts: Sequence[str | Strategy]
    if isinstance(names, str):
        parts = named_set(names) if names in SETS else [p for p in names.split(",") if p.strip()]
    else:
        parts = names
    pairs: list[ThresholdStrategy] = []
    for part in parts:
        name, sign, text = part.rpartition(SIGN) if isinstance(part, str) else ("", "", "")
        if sign:
            pairs.append(ThresholdStrategy(strategy(name), _threshold(str(part), text, most)))
            continue
        s = strategy(part) if isinstance(part, str) else part
        if listens(s) and most + len(pairs) > MOST_AUTOMATA:
            raise StrategyError(
                f"{s.name} with thresholds 1 to {most:,} makes more than {MOST_AUTOMATA} automata; "
                f"name some, as in {s.name}{SIGN}1,{s.name}{SIGN}{most}"
            )
        pairs += (
            [ThresholdStrategy(s, k) for k in range(1, most + 1)]
            if listens(s)
            else [ThresholdStrategy(s, None)]
        )
    all_names = [s.name for s in pairs]
    twice = sorted({name for name in all_names if all_names.count(name) > 1})
    if twice:
        raise StrategyError(f"strategy listed twice: {', '.join(twice)}")
    if not pairs or len(pairs) > MOST_AUTOMATA:
        raise StrategyError(f"{len(pairs)} pairs of strategy and threshold, expected 1 to {MOST_AUTOMATA}")
    return tuple(pairs)


def _threshold(part: str, text: str, most: int) -> int:
    k = int(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 8 else 0
    if not 1 <= k <= most:
        raise StrategyError(
            f"strategy {shorten(part)!r}: expected a threshold of 1 to {most}, the others there are"
        )
    return k
