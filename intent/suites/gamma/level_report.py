"""Levels of reasoning of a group of players, by all estimates, beside what is known of people."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.suites.gamma.cognitive_hierarchy import fit_hierarchy
from intent.suites.gamma.level_mixture import fit_levels
from intent.suites.gamma.levels import HUMAN_MEANS, HUMAN_STEPS, depths, level_points, nearest_levels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["level_report"]

_LEVELS = 4


def level_report(guesses: pd.DataFrame, subjects: pd.Series[Any]) -> dict[str, Any]:
    """What the guesses of players in games of one ratio and range say of their levels.

    Parameters
    ----------
    guesses : DataFrame
        Columns round, guess, reference, ratio (as written), low, high; the last three with one value each.
    subjects : Series
        Who guessed, row by row.

    Returns
    -------
    dict
        ratio, low, high, n_subjects, n_guesses; of the first round first_mean, human_mean and human_source
        (null where no experiment had this ratio on 0 to 100), nearest (level -> share of guesses nearest to
        it), depth (median of the real-valued steps); of all rounds shares (type -> share), error, sd, best
        (type -> players); of the first round tau, tau_se, tau_of_mean, human_tau. What a ratio of 0 or 1
        cannot tell is null.
    """
    first = guesses["round"].to_numpy() == 1
    written = str(guesses["ratio"].iloc[0])
    ratio = float(Fraction(written))
    low, high = (float(guesses[name].iloc[0]) for name in ("low", "high"))
    x = guesses["guess"].to_numpy(dtype=float)
    reference = guesses["reference"].to_numpy(dtype=float)
    known = (low, high) == (0, 100) and written in HUMAN_MEANS
    human = HUMAN_MEANS[written] if known else (None, None)
    found: dict[str, Any] = {
        "ratio": written,
        "low": low,
        "high": high,
        "n_subjects": int(subjects.nunique()),
        "n_guesses": len(x),
        "first_mean": float(x[first].mean()) if first.any() else None,
        "human_mean": human[0],
        "human_source": human[1],
        "human_tau": HUMAN_STEPS,
    }
    found |= dict.fromkeys(
        ("nearest", "depth", "shares", "error", "sd", "best", "tau", "tau_se", "tau_of_mean"), None
    )
    if ratio <= 0 or ratio == 1 or not first.any():
        return found
    points = level_points(reference, ratio, low, high, _LEVELS)
    nearest = np.bincount(nearest_levels(x[first], points[first]), minlength=_LEVELS + 1) / first.sum()
    fit = fit_levels(x, reference, subjects.to_numpy(), ratio=ratio, low=low, high=high, levels=_LEVELS)
    found |= {
        "nearest": {str(level): float(share) for level, share in enumerate(nearest)},
        "depth": float(np.median(depths(x[first], reference[first], ratio))),
        "shares": dict(zip(fit.types, fit.shares, strict=True)),
        "error": fit.error,
        "sd": fit.sd,
        "best": {name: fit.best.count(name) for name in fit.types},
    }
    if first.sum() > 1:
        hierarchy = fit_hierarchy(x[first], ratio=ratio, low=low, high=high)
        found |= {"tau": hierarchy.tau, "tau_se": hierarchy.se, "tau_of_mean": hierarchy.tau_of_mean}
    return found
