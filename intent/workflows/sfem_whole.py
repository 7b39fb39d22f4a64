"""Estimates of strategy shares from a log that is read at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError
from intent.workflows.sfem_result import Rows, ShareEstimates
from intent.workflows.sfem_unit import SEAT

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.parallel import Workers
    from intent.recognise.sfem.thresholds import Play
    from intent.workflows.sfem_request import Request

__all__ = ["estimates_at_once"]


def estimates_at_once(
    log: GameLog | str | Path,
    asked: Request,
    workers: Workers,
    update: Callable[[int, int], None],
    **reading: Any,
) -> ShareEstimates:
    """Shares in a log whose rows are all in memory.

    Parameters
    ----------
    log, update, **reading
        As `intent.workflows.sfem.sfem`.
    asked : Request
    workers : Workers
    """
    from dataclasses import replace

    import numpy as np

    from intent.analysis.estimated import stream_of_test
    from intent.analysis.groups import grouping
    from intent.recognise.sfem.estimate import estimate
    from intent.workflows.columns import column_names
    from intent.workflows.focal import unread_rows
    from intent.workflows.sfem_counts import counter
    from intent.workflows.sfem_notes import Seen, first_games, notes_of
    from intent.workflows.sfem_play import competing_play
    from intent.workflows.sfem_unit import subject_unit

    played, X, chosen = competing_play(
        log,
        asked.strategies,
        asked.memory,
        asked.others,
        contributes_from=asked.contributes_from,
        endowment=asked.endowment,
        where=asked.where,
        keep_defaulted=asked.keep_defaulted,
        **reading,
    )
    moved = X.n_rounds > 0
    silent = len(X) - int(moved.sum())
    X = X[np.flatnonzero(moved)] if silent else X
    if not len(X):
        said = "; ".join(f"{n:,} games: {why}" for why, n in played.skipped().items())
        raise UsageError(f"no play to estimate from in {len(played):,} games{said and f' ({said})'}")
    assert X.keys is not None
    groups = grouping(X.keys, column_names(asked.by, X.keys.columns))
    unit = column_names(asked.subject, X.keys.columns) or (("player",) if "player" in X.keys else SEAT)
    players, subjects = _subjects(X.keys, unit, groups.codes, len(groups))
    named = column_names(asked.cluster, X.keys.columns)
    independent = subject_unit(X.keys, groups.columns, unit, players, named)
    settings: dict[str, Any] = {
        "groups": groups.codes if len(groups) > 1 else None,
        "tremble": asked.tremble,
        "clusters": independent.clusters,
        "bootstrap": asked.bootstrap,
        "level": asked.level,
        "test": asked.test and len(groups) > 1,
        "rng": np.random.default_rng(asked.seed),
        "shares_rng": stream_of_test(asked.seed, ",".join(groups.columns), independent.unit.kind),
        "update": update,
        "workers": workers,
    }
    dropped: list[str] = []
    if asked.select is None:
        found = estimate(X, players, chosen, **settings)
    else:
        from intent.recognise.sfem.selection import select

        selection = select(X, players, chosen, criterion=asked.select, **settings)  # type: ignore[arg-type]
        dropped, found = [step.dropped for step in selection.steps if step.dropped], selection.result
    fits = tuple(
        replace(fit, subjects=np.unique(subjects[groups.codes == g]))
        for g, (_, fit) in enumerate(found.groups)
    )
    left = [s for s in chosen if s.name not in dropped]
    result = ShareEstimates(
        by=groups.columns,
        values=groups.values,
        fits=fits,
        tests=found.tests,
        config=asked.config(played.provenance, chosen, groups.columns, unit, independent, dropped),
        independent=independent.unit,
        rows=_given(Rows(X.keys, subjects, fits)),
        count=counter(X, left, groups.codes, len(groups), asked.labels),
        origin=Path(log) if isinstance(log, str | Path) else None,
    )
    games = first_games(X.keys["game"].dropna().unique()) if "game" in X.keys else ()
    several = _several(players, groups.codes, len(groups))
    told = (*unread_rows(played), *_unseen(X), *independent.notes)
    seen = Seen(played.skipped(), silent, games, several, told)
    result.notes.extend([*notes_of(result, seen), *workers.notes])
    return result


def _unseen(X: Play) -> tuple[str, ...]:
    """What to say where the game flips decisions that the log does not have."""
    errors = X.implementation_error
    n = 0 if errors is None else int((errors > 0).sum())
    if not n:
        return ()
    return (
        f"{n:,} trajectories have an implementation error and no decisions: the tremble is beside that error",
    )


def _given(rows: Rows) -> Callable[[], Rows]:
    return lambda: rows


def _subjects(
    keys: pd.DataFrame, unit: Sequence[str], groups: NDArray[np.intp], n_groups: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n,) code of who plays each row, and of the subject: who plays in several groups is one in each."""
    import numpy as np

    from intent.analysis.groups import cluster_codes

    codes = np.arange(len(keys)) if tuple(unit) == SEAT else cluster_codes(keys, unit)
    return codes, np.unique(codes * n_groups + groups, return_inverse=True)[1] if n_groups > 1 else codes


def _several(players: NDArray[np.intp], groups: NDArray[np.intp], n_groups: int) -> int:
    """Players with rows in several groups."""
    import numpy as np

    return int((np.bincount(np.unique(players * n_groups + groups) // n_groups) > 1).sum())
