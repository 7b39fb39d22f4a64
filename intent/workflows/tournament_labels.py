"""Labels of a tournament's log, and what each strategy was taken for; some games in memory at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_labels"]

_MOVES = 1 << 19
"""Moves that are labelled together."""


def write_labels(
    log: Path,
    labels: Path,
    shares: Path,
    recogniser: str,
    names: Sequence[str],
    *,
    turns: int,
    noise: float = 0.0,
    seed: int = 0,
) -> None:
    """Write the labels of a log as ``labels.csv``, and their shares by strategy.

    Parameters
    ----------
    log : folder of the log
    labels, shares : paths to write, .csv
    recogniser : name, or folder of a saved one
    names : order of the rows of the shares; strategies without a label are left out
    turns : int, of a game
    noise : float
        Told to recognisers that can be told it; without any they keep their own.
    seed : int

    Raises
    ------
    IntentError
        As `label_to`, or a file cannot be written.
    """
    from tempfile import TemporaryDirectory

    from intent.logs.tablefile import write_table
    from intent.workflows.label_stream import label_to
    from intent.workflows.parquet_to_csv import parquet_parts, parquet_to_csv

    with TemporaryDirectory() as folder:
        table = Path(folder) / "labels.parquet"
        settings = {"seed": seed, **_noise_told(recogniser, noise)}
        made = label_to(log, table, recogniser, piece=max(1, _MOVES // (2 * turns)), **settings)
        parquet_to_csv(table, labels, {**made.provenance, "summary": made.summary})
        counts: Counter[tuple[str, str]] = Counter()
        for part in parquet_parts(table, ["strategy", "label", "status"]):
            outcome = part["label"].where(part["label"].notna(), part["status"])
            counts.update(zip(part["strategy"], outcome, strict=True))
    facts = {"kind": "label_shares", "recogniser": recogniser}
    write_table(_shares(counts, names), shares, facts, overwrite=True)


def _shares(counts: Mapping[tuple[str, str], int], names: Sequence[str]) -> pd.DataFrame:
    """One row per strategy: trajectories, then the share of each label, or status where there is none."""
    import pandas as pd

    outcomes = sorted({outcome for _, outcome in counts})
    rows = []
    for name in names:
        own = [counts.get((name, outcome), 0) for outcome in outcomes]
        if n := sum(own):
            rows.append([name, n, *(k / n for k in own)])
    return pd.DataFrame(rows, columns=["strategy", "n", *outcomes])


def _noise_told(recogniser: str, noise: float) -> dict[str, Any]:
    from intent.recognise.bayes import BayesRecogniser
    from intent.recognise.storage import load_recogniser

    return {"eps": noise} if noise and isinstance(load_recogniser(recogniser), BayesRecogniser) else {}
