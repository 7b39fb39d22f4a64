"""What a regression says: terms, coefficients, adjusted shares or means, and what to be careful about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

__all__ = ["Coefficient", "Margin", "MeanModel", "ShareModel", "Term"]


@dataclass(frozen=True)
class Term:
    """Whether a factor, or an interaction, matters at all.

    Parameters
    ----------
    term : str
        The factor, or factors joined by a cross.
    statistic : float
        F: `adjusted_score` in a logit, `hotelling_score` of means.
    df : (float, float) or None
        Of numerator and denominator, which need not be whole; None where it cannot be tested.
    p : float
        NaN where it cannot be tested.
    """

    term: str
    statistic: float
    df: tuple[float, float] | None
    p: float


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: of the log odds of an outcome against the reference outcome, or of the mean.

    Parameters
    ----------
    outcome : str or None
        None for means.
    name : str
        ``model = B``; the reference level has no coefficient.
    estimate, se, low, high, p : float
        t interval and test with C - 1 degrees of freedom.
    """

    outcome: str | None
    name: str
    estimate: float
    se: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Margin:
    """What the model predicts if all rows had one level of a factor, all else as it is.

    Parameters
    ----------
    factor : str
    level : object
    outcome : str or None
        None for means.
    estimate, se, low, high : float
        Adjusted share or mean.
    effect, effect_se, effect_low, effect_high : float
        Its difference to the factor's first level (average marginal effect); 0 for that level.
    p : float
        Of the effect; NaN for the first level.
    """

    factor: str
    level: Any
    outcome: str | None
    estimate: float
    se: float
    low: float
    high: float
    effect: float
    effect_se: float
    effect_low: float
    effect_high: float
    p: float


@dataclass(frozen=True)
class ShareModel:
    """A multinomial logit of outcomes on factors.

    Parameters
    ----------
    outcomes : tuple of str
        Those that the model tells apart; the first is the reference.
    n, n_clusters : int
    log_likelihood : float
    terms : tuple of Term
    coefficients : tuple of Coefficient
    margins : tuple of Margin
    separated : bool
        Whether some outcome never (or always) occurs somewhere, so that coefficients had to be bounded.
    notes : tuple of str
    """

    outcomes: tuple[str, ...]
    n: int
    n_clusters: int
    log_likelihood: float
    terms: tuple[Term, ...]
    coefficients: tuple[Coefficient, ...]
    margins: tuple[Margin, ...]
    separated: bool
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, but for NaN."""
        return asdict(self)

    def table(self) -> pd.DataFrame:
        """Adjusted shares, one row per factor, level and outcome."""
        return pd.DataFrame([asdict(margin) for margin in self.margins])


@dataclass(frozen=True)
class MeanModel:
    """A linear regression of a number on factors; attributes as `ShareModel`."""

    n: int
    n_clusters: int
    r2: float
    terms: tuple[Term, ...]
    coefficients: tuple[Coefficient, ...]
    margins: tuple[Margin, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, but for NaN."""
        return asdict(self)

    def table(self) -> pd.DataFrame:
        """Adjusted means, one row per factor and level."""
        return pd.DataFrame([asdict(margin) for margin in self.margins])
