"""How much labels hang on the assumed noise: the same recogniser with its noise integrated out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser
    from intent.recognise.verdict import LabelSettings

__all__ = ["changed_rows", "integrated", "is_affordable"]

_MOST_WORK = 50_000_000


def integrated(model: Recogniser) -> Recogniser | None:
    """The recogniser with its noise integrated; None where it is none of Bayes, does so already, or where a
    strategy randomises."""
    from intent.recognise.bayes import BayesRecogniser

    if not isinstance(model, BayesRecogniser) or model.eps_ == "integrate":
        return None
    if not all(s.is_deterministic or s.is_background for s in model.strategies_):
        return None
    return BayesRecogniser(
        model.strategies_, eps="integrate", eps_prior=model.eps_prior, prior=model.prior_
    ).fit()


def is_affordable(n: int, rounds: int, complete: bool) -> bool:
    """Whether integrating takes no longer than the labels: n T^2, and fifty times that with unknown moves."""
    return 0 < n * rounds**2 * (1 if complete else 50) <= _MOST_WORK


def changed_rows(
    table: pd.DataFrame,
    X: Trajectories,
    fresh: Recogniser,
    settings: LabelSettings,
    subjects: NDArray[np.intp] | None = None,
) -> NDArray[np.bool_]:
    """(n,), labels or statuses of a table that differ when `fresh` judges the same play."""
    import numpy as np

    from intent.recognise.verdict import judge

    verdict = judge(X, fresh, settings, np.random.default_rng(0), subjects)
    again = np.where(verdict.status == "confident", fresh.classes_[verdict.best], verdict.status)
    differ: NDArray[np.bool_] = table["label"].fillna(table["status"]).to_numpy(dtype=object) != again
    return differ
