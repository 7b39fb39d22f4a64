"""Which result table a file holds, told by its columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["TABLES", "TableKind", "table_kind"]


@dataclass(frozen=True)
class TableKind:
    """A result table that figures are made of.

    Parameters
    ----------
    name : str
    columns : tuple of str
        By which it is known.
    command : str
        What writes it.
    """

    name: str
    columns: tuple[str, ...]
    command: str


TABLES: tuple[TableKind, ...] = (
    TableKind(
        "labels", ("label", "best", "confidence", "status", "fit_p"), "intent label LOG -o labels.parquet"
    ),
    TableKind(
        "metrics",
        ("first_move", "p_cc", "p_cc_n", "p_dd", "p_dd_n"),
        "intent metrics LOG -o metrics.parquet",
    ),
    TableKind(
        "estimates",
        ("strategy", "n_subjects", "estimate", "low", "high", "tremble"),
        "intent sfem LOG --by COLUMN -o estimates.csv",
    ),
    TableKind(
        "shares",
        ("outcome", "n", "n_effective", "estimate", "low", "high"),
        "intent compare LABELS --by COLUMN -o shares.csv",
    ),
    TableKind(
        "means",
        ("metric", "n", "n_effective", "estimate", "low", "high"),
        "intent compare METRICS --by COLUMN --metric NAME -o means.csv",
    ),
    TableKind(
        "bins",
        ("class", "bin", "low", "high", "n", "confidence", "accuracy"),
        "intent evaluate LOG -o bins.csv",
    ),
    TableKind(
        "cells",
        ("recogniser", "set", "opponent", "rounds", "noise", "regret_known"),
        "intent study STUDY.yaml -o FOLDER: cells.csv.gz",
    ),
    TableKind(
        "importance",
        ("target", "feature", "mean_abs_shap", "share", "r2_in", "r2_out"),
        "intent explain METRICS --target NAME --features A,B -o FOLDER: importance.csv",
    ),
    TableKind("paths", ("start", "run", "step"), "intent evolve … -o FOLDER: paths.parquet"),
    TableKind(
        "equilibria",
        ("start", "name", "initial", "runs", "share", "low", "high", "fixation"),
        "intent evolve … -o FOLDER: equilibria.csv",
    ),
    TableKind("matrix", ("against",), "intent tournament … -o FOLDER: head_to_head_payoff.csv"),
)
"""Kinds in the order in which a file is compared with them."""


def table_kind(path: str | Path) -> str | None:
    """The kind of result table in a file; None where it is none, such as a log.

    Only its first line is looked at.
    """
    from intent.logs.table_columns import columns_of

    found = columns_of(path)
    return next((kind.name for kind in TABLES if set(kind.columns) <= set(found)), None)
