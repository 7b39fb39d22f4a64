"""The distributions that a model may be asked to sample from, with their parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.errors import UnknownNameError, UsageError, shorten

__all__ = ["DEFAULTS", "Distribution", "parse_distributions"]

DEFAULTS = {"gaussian": (0.0, 1.0), "poisson": (4.0,), "uniform": (0.0, 1.0)}
"""Name -> parameters: mean and standard deviation; mean; lower and upper end.

References
----------
Poje et al. 2024, Entropy 26:524, figure 2, asks for these three and gives no parameters.
"""

_ITEM = re.compile(r"\s*([^(),]{1,40})(?:\(([^()]{0,80})\))?\s*(?:,|$)")


@dataclass(frozen=True)
class Distribution:
    """A distribution.

    Parameters
    ----------
    name : {"gaussian", "poisson", "uniform"}
    parameters : tuple of float
        As in `DEFAULTS`.

    Raises
    ------
    UnknownNameError
        Another name.
    UsageError
        Parameters that make no such distribution.
    """

    name: str
    parameters: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.name not in DEFAULTS:
            raise UnknownNameError("distribution", self.name, DEFAULTS)
        if not self._sound():
            got = ", ".join(f"{p:g}" for p in self.parameters)
            wanted = {"gaussian": "mean and positive deviation", "poisson": "a mean between 0 and 1000"}
            expected = wanted.get(self.name, "lower and upper end")
            raise UsageError(f"{self.name}({got}): expected {expected}")

    def _sound(self) -> bool:
        if len(self.parameters) != len(DEFAULTS[self.name]) or not all(map(math.isfinite, self.parameters)):
            return False
        if self.name == "poisson":
            return 0 < self.parameters[0] <= 1000
        low, high = self.parameters
        return high > 0 if self.name == "gaussian" else high > low

    @property
    def discrete(self) -> bool:
        """Whether its values are whole numbers."""
        return self.name == "poisson"

    @property
    def frozen(self) -> Any:
        """The distribution of scipy."""
        from scipy import stats

        makers: dict[str, Callable[..., Any]] = {
            "gaussian": stats.norm,
            "poisson": stats.poisson,
            "uniform": lambda low, high: stats.uniform(low, high - low),
        }
        return makers[self.name](*self.parameters)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{p:g}' for p in self.parameters)})"

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """(n,), an honest sample."""
        return np.asarray(self.frozen.rvs(size=n, random_state=rng), dtype=float)

    def possible(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each value can come from it."""
        if self.name == "gaussian":
            return np.ones(len(values), dtype=bool)
        whole = self.name == "poisson"
        low, high = (0.0, np.inf) if whole else self.parameters
        inside: NDArray[np.bool_] = (values >= low) & (values <= high)
        return inside & (values == np.floor(values)) if whole else inside


def parse_distributions(text: str) -> tuple[Distribution, ...]:
    """Distributions from text such as ``gaussian,poisson(4),uniform(0,1)``.

    Raises
    ------
    UnknownNameError
        Another name.
    UsageError
        No name, one twice, or parameters that are none.
    """
    found: list[Distribution] = []
    place = 0
    while place < len(text) or not found:
        match = _ITEM.match(text, place)
        if match is None or match.end() == place:
            raise UsageError(
                f"--distributions {shorten(text)!r}, expected names such as gaussian,poisson(4),uniform(0,1)"
            )
        name, given = match[1].strip().casefold(), match[2]
        found.append(Distribution(name, DEFAULTS.get(name, ()) if given is None else _numbers(name, given)))
        place = match.end()
    if len({str(d) for d in found}) < len(found):
        raise UsageError(f"--distributions {shorten(text)!r} names one twice")
    return tuple(found)


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"{name}({shorten(text)}): expected numbers") from None
