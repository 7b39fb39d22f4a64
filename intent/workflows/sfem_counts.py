"""Labels of the same play, counted: what estimated shares are set beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.counted import Counted
    from intent.logs.trajectories import Trajectories
    from intent.recognise.sfem.thresholds import Play, Player
    from intent.strategies.automaton import Strategy

__all__ = ["can_label", "counter", "judged_plays"]

_CHUNK = 1 << 15


def counter(
    X: Play,
    strategies: Sequence[Player],
    groups: NDArray[np.intp],
    n_groups: int,
    labels: pd.DataFrame | str | Path | None = None,
) -> Callable[[], list[Counted | None]]:
    """A function that counts labels by group when it is called, since labelling can cost more than the fit.

    Parameters
    ----------
    X : Trajectories with keys, or CountedOthers, of which no labels are made
    strategies : those that labels may name, where they are made here
    groups : (n,) group of each trajectory
    n_groups : int
    labels : table as `intent label` writes it, or its path
        Default: labels of a Bayes recogniser with these strategies, eps .05 and a uniform prior, a label
        being confident as `intent label` says.

    Raises
    ------
    DataError
        The table cannot be read, has no labels, or none of these trajectories.
    """
    given = None if labels is None else _read(labels, X)

    def count() -> list[Counted | None]:
        from intent.analysis.counted import count_labels
        from intent.logs.trajectories import Trajectories
        from intent.strategies.automaton import Strategy

        automata = [s for s in strategies if isinstance(s, Strategy)]
        if given is None and (not isinstance(X, Trajectories) or not can_label(automata)):
            return [None] * n_groups
        best, confident = _judged(X, automata) if given is None else given  # type: ignore[arg-type]
        known = best != ""
        return [
            count_labels(best[rows], confident[rows])
            for rows in (known & (groups == g) for g in range(n_groups))
        ]

    return count


def can_label(strategies: Sequence[Strategy]) -> bool:
    """Whether labels can be made: deviations from intentions that stay hidden cannot be counted."""
    return all(s.observed_path for s in strategies)


def judged_plays(
    X: Trajectories, strategies: Sequence[Strategy], *, complete: bool
) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Best strategy of each trajectory, and whether that label is confident.

    Parameters
    ----------
    X : Trajectories
    strategies : those that labels may name
    complete : bool
        Whether all play of the log is known, of which these trajectories may be a part.
    """
    import numpy as np

    from intent.recognise.bayes import BayesRecogniser
    from intent.recognise.known_plays import with_gap
    from intent.recognise.verdict import LabelSettings, judge

    model = BayesRecogniser(strategies).fit()
    best, confident = np.empty(len(X), dtype=np.intp), np.empty(len(X), dtype=bool)
    for first in range(0, len(X), _CHUNK):
        part = X[first : first + _CHUNK]
        verdict = judge(
            part if complete else with_gap(part), model, LabelSettings(), np.random.default_rng(0)
        )
        rows = slice(first, first + len(part))
        best[rows] = verdict.best[: len(part)]
        confident[rows] = verdict.status[: len(part)] == "confident"
    return model.classes_[best], confident


def _judged(X: Trajectories, strategies: Sequence[Strategy]) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Of all trajectories, each distinct play judged once."""
    from intent.recognise.distinct import distinct, play_keys

    first, codes = distinct(play_keys(X))
    complete = X.evidence_mask is None and bool((X.own >= 0).all() and (X.other >= 0).all())
    best, confident = judged_plays(X[first], strategies, complete=complete)
    return best[codes], confident[codes]


def _read(labels: pd.DataFrame | str | Path, X: Play) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Best strategy ("" where there is no label) and confidence of each trajectory, from a table."""
    import pandas as pd

    from intent.logs.tablefile import read_table

    name = str(labels) if isinstance(labels, str | Path) else "the table of labels"
    table = read_table(labels)[0] if isinstance(labels, str | Path) else labels
    missing = [column for column in ("game_id", "seat", "best", "label") if column not in table.columns]
    if missing:
        raise DataError(f"{name} has no column {missing[0]!r}, expected labels as `intent label` writes them")
    assert X.keys is not None
    where = pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"].astype(int)])
    if not where.is_unique:
        raise DataError(f"{name} has two rows for seat {where[where.duplicated()][0]}, expected one")
    wanted = pd.MultiIndex.from_arrays([X.keys["game_id"].astype(str), X.keys["seat"].astype(int)])
    rows = where.get_indexer(wanted)
    if (rows < 0).all():
        raise DataError(f"{name} holds none of the {len(X):,} trajectories, expected labels of this log")
    found = table.iloc[rows]
    best = found["best"].astype(str).where(rows >= 0, "").to_numpy(dtype=str)
    confident = found["label"].notna().to_numpy(dtype=bool) & (rows >= 0)
    return best, confident
