"""Strategies among several others: an automaton of the table, and how many others count as cooperation.

An automaton answers one other player. Among several it answers their number: the others "cooperated" when at
least k of them did. The automata stay those of the table; k is the only thing added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.errors import StrategyError, shorten
from intent.strategies.automaton import Memory, Strategy
from intent.strategies.catalogue import SETS, strategy, strategy_set

__all__ = ["MOST_AUTOMATA", "SIGN", "ThresholdStrategy", "listens", "threshold_strategies"]

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
        parts = strategy_set(names) if names in SETS else [p for p in names.split(",") if p.strip()]
    else:
        parts = names
    found: list[ThresholdStrategy] = []
    for part in parts:
        name, sign, text = part.rpartition(SIGN) if isinstance(part, str) else ("", "", "")
        if sign:
            found.append(ThresholdStrategy(strategy(name), _threshold(str(part), text, most)))
            continue
        s = strategy(part) if isinstance(part, str) else part
        if listens(s) and most + len(found) > MOST_AUTOMATA:
            raise StrategyError(
                f"{s.name} with thresholds 1 to {most:,} makes more than {MOST_AUTOMATA} automata; "
                f"name some, as in {s.name}{SIGN}1,{s.name}{SIGN}{most}"
            )
        found += (
            [ThresholdStrategy(s, k) for k in range(1, most + 1)]
            if listens(s)
            else [ThresholdStrategy(s, None)]
        )
    names_found = [s.name for s in found]
    twice = sorted({name for name in names_found if names_found.count(name) > 1})
    if twice:
        raise StrategyError(f"strategy listed twice: {', '.join(twice)}")
    if not found or len(found) > MOST_AUTOMATA:
        raise StrategyError(f"{len(found)} pairs of strategy and threshold, expected 1 to {MOST_AUTOMATA}")
    return tuple(found)


def _threshold(part: str, text: str, most: int) -> int:
    k = int(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 8 else 0
    if not 1 <= k <= most:
        raise StrategyError(
            f"strategy {shorten(part)!r}: expected a threshold of 1 to {most}, the others there are"
        )
    return k
