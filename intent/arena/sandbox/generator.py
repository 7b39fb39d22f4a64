"""The Mersenne Twister as numpy's legacy ``RandomState`` draws from it; standard library only.

References
----------
Matsumoto & Nishimura 1998, ACM TOMACS 8(1):3, ``init_genrand``, ``init_by_array`` and ``genrand_res53``.
"""

from __future__ import annotations

import _random
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from intent.arena.sandbox.actions import Action, C, D

__all__ = ["Generator"]

_WORD = 0xFFFFFFFF


def _state(seed: int) -> tuple[int, ...]:
    """The 624 words of ``init_genrand(seed)`` and the place behind the last one."""
    words, word = [], seed & _WORD
    for i in range(1, 625):
        words.append(word)
        word = (1812433253 * (word ^ (word >> 30)) + i) & _WORD
    return (*words, 624)


class Generator:
    """Random numbers of one player or match; the words are made when the first one is drawn.

    Parameters
    ----------
    seed : int in [0, 2**128)
        Below 2**32 as ``RandomState(seed)``, else as ``RandomState`` of its 32-bit words, the lowest first.
    """

    __slots__ = ("_bits", "_draw", "_seed")
    _bits: Callable[[int], int]
    _draw: Callable[[], float]

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __getattr__(self, name: str) -> Any:
        if name not in ("_bits", "_draw"):
            raise AttributeError(f"the generator has no {name!r}")
        twister = _random.Random(self._seed)
        if self._seed <= _WORD:
            twister.setstate(_state(self._seed))
        self._bits, self._draw = twister.getrandbits, twister.random
        return self._bits if name == "_bits" else self._draw

    def random_choice(self, p: float = 0.5) -> Action:
        """C with probability `p`, else D; nothing is drawn for 0 and 1."""
        if p == 0:
            return D
        if p == 1:
            return C
        return C if self._draw() < p else D

    def random(self, *shape: int) -> Any:
        """Uniform on [0, 1): one, or nested lists of that shape."""
        return _shaped(self._draw, shape) if shape else self._draw()

    def randint(self, low: float, high: float | None = None, size: Any = None, dtype: Any = None) -> Any:
        """A whole number in [low, high), or in [0, low) where `high` is left out; lists with `size`.

        Raises
        ------
        ValueError
            There is no such number, or it has more than 64 bits.
        """
        least, bound = (0, int(low)) if high is None else (int(low), int(high))
        if least >= bound:
            raise ValueError("low >= high")
        if least < -(2**63) or bound > 2**63:
            raise ValueError("a bound of randint has more than 64 bits")
        span = bound - 1 - least

        def one() -> int:
            return least + self._below(span)

        return one() if size is None else _shaped(one, _tuple(size))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Sequence[float] | None = None) -> Any:
        """One of `a` (or of ``range(a)``), equally likely or by the probabilities `p`; lists with `size`.

        Raises
        ------
        ValueError
            There is nothing to choose from, or `p` is no distribution.
        NotImplementedError
            Several, without replacement.
        """
        items: Any = range(a) if isinstance(a, int) else tuple(a)
        if not items:
            raise ValueError("a cannot be empty")
        if not replace and size is not None:
            raise NotImplementedError("choice without replacement")
        if p is None:

            def one() -> Any:
                return items[self._below(len(items) - 1)]

        else:
            cumulated = list(accumulate(p))
            if len(cumulated) != len(items) or min(p) < 0 or abs(cumulated[-1] - 1) > 1e-8:
                raise ValueError("p is no distribution over a")
            steps = [x / cumulated[-1] for x in cumulated]

            def one() -> Any:
                u = self._draw()
                return items[sum(step <= u for step in steps)]

        return one() if size is None else _shaped(one, _tuple(size))

    def _below(self, span: int) -> int:
        """A whole number in [0, span], by masked rejection on words of 32 or 64 bits."""
        if span == 0:
            return 0
        mask = (1 << span.bit_length()) - 1
        while True:
            word = self._bits(32)
            if span > _WORD:
                word = word << 32 | self._bits(32)
            if (word := word & mask) <= span:
                return word


def _tuple(size: Any) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)


def _shaped(draw: Callable[[], Any], shape: tuple[int, ...]) -> Any:
    if len(shape) == 1:
        return [draw() for _ in range(shape[0])]
    return [_shaped(draw, shape[1:]) for _ in range(shape[0])] if shape else draw()
