"""The reliability of probabilities as a table of bins, and where it is written: a diagram or a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.result_files import write_result

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["TOP", "reliability_table", "write_reliability"]

TOP = "(most probable)"
"""Name of the bins of the most probable class, which the ECE is computed from."""


def reliability_table(
    proba: NDArray[np.float64],
    truth: NDArray[np.intp],
    classes: Sequence[str],
    *,
    per_class: bool = False,
) -> pd.DataFrame:
    """Bins of the most probable class, and of every class where asked.

    Parameters
    ----------
    proba : (n, K)
    truth : (n,), index of the true class
    classes : K names
    per_class : bool

    Returns
    -------
    DataFrame with columns class, bin, low, high, n, confidence, accuracy
    """
    from dataclasses import asdict

    import pandas as pd

    from intent.recognise.base import most_probable
    from intent.recognise.reliability import reliability_bins
    from intent.recognise.scores import ECE_BINS

    curves = {}
    if len(proba):
        curves[TOP] = (proba.max(axis=1), most_probable(proba) == truth)
    if per_class:
        curves |= {name: (proba[:, k], truth == k) for k, name in enumerate(classes)}
    rows = [
        {"class": name, "bin": i, **asdict(found)}
        for name, curve in curves.items()
        for i, found in enumerate(reliability_bins(*curve, ECE_BINS), 1)
    ]
    columns = ["class", "bin", "low", "high", "n", "confidence", "accuracy"]
    return pd.DataFrame(rows, columns=columns)


def write_reliability(
    bins: pd.DataFrame,
    scores: Mapping[str, Any],
    path: str | Path,
    facts: Mapping[str, Any],
    *,
    overwrite: bool = False,
) -> Path:
    """Draw the diagram, or write the table; the suffix says which.

    Parameters
    ----------
    bins : of `reliability_table`
    scores : mapping with n, accuracy, ece, brier
    path : path
    facts : mapping
        Origin of the figures: the log, the recogniser.
    overwrite : bool

    Raises
    ------
    OutputError
        An unknown suffix, or the path cannot be written.
    """
    from intent.report.reliability import write_diagram

    measured = {name: scores[name] for name in ("n", "accuracy", "ece", "brier")}
    origin = {**facts, **measured}
    return write_result(
        path,
        figure=lambda target: write_diagram(
            bins,
            target,
            title=f"Reliability of {Path(str(facts['recogniser'])).name}",
            remarks=[
                f"{measured['n']:,} trajectories, accuracy {measured['accuracy']:.4f}, "
                f"ECE {measured['ece']:.4f} (most probable class), Brier score {measured['brier']:.4f}.",
                f"Play: {facts['log'].get('source', 'a log in memory')}",
            ],
            description=json.dumps(facts, ensure_ascii=False),
            overwrite=overwrite,
        ),
        table=lambda: bins,
        payload=lambda: {**origin, "bins": bins.to_dict("records")},
        facts=origin,
        overwrite=overwrite,
    )
