"""The reliability of probabilities as a table of bins, and where it is written: a diagram or a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["TOP", "claim_reliability", "reliability_table", "write_reliability"]

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


def claim_reliability(path: str | Path, *, overwrite: bool = False) -> None:
    """Make sure, before any work, that the path may be written.

    Raises
    ------
    OutputError
        As `write_reliability`.
    """
    from intent.errors import OutputError
    from intent.logs.output import claim
    from intent.logs.tablefile import claim_table
    from intent.report.style import SUFFIXES

    suffix = Path(path).suffix.lower()
    if suffix in (".csv", ".parquet", ".jsonl"):
        claim_table(path, overwrite=overwrite)
        return
    if suffix not in (*SUFFIXES, ".json"):
        kinds = ", ".join((*SUFFIXES, ".csv", ".json", ".jsonl", ".parquet"))
        raise OutputError(f"cannot write {path}: suffix {suffix!r}, expected one of {kinds}")
    claim(path, overwrite=overwrite)


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
    from intent.logs.output import writing
    from intent.logs.tablefile import write_table
    from intent.report.reliability import write_diagram

    claim_reliability(path, overwrite=overwrite)
    target = Path(path)
    measured = {name: scores[name] for name in ("n", "accuracy", "ece", "brier")}
    if target.suffix in (".csv", ".parquet", ".jsonl"):
        return write_table(bins, target, {**facts, **measured}, overwrite=overwrite)
    if target.suffix == ".json":
        with writing(target, overwrite=overwrite) as draft:
            found = {**facts, **measured, "bins": bins.to_dict("records")}
            draft.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
        return target
    return write_diagram(
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
    )
