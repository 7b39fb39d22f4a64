"""From any game log to strategy shares: a finite mixture fitted to the play, by group, with errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError, UnknownNameError, UsageError
from intent.parallel import open_workers
from intent.version import __version__
from intent.workflows.interval_settings import check_level
from intent.workflows.sfem_result import ShareEstimates

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.strategies.automaton import Strategy

__all__ = ["ShareEstimates", "claim_outputs", "sfem"]

_TREMBLES = ("common", "strategy", "pooled")
_MEMORIES = ("realised", "intended")
_CRITERIA = ("bic", "aic", "icl")

_SEAT = ("game_id", "seat")


def sfem(
    log: GameLog | str | Path,
    strategies: str | Sequence[str | Strategy] = "canonical4",
    *,
    by: str | Sequence[str] = (),
    subject: str | Sequence[str] = (),
    cluster: str | Sequence[str] = (),
    tremble: str = "common",
    bootstrap: int = 0,
    level: float = 0.95,
    memory: str | None = None,
    select: str | None = None,
    test: bool = True,
    labels: pd.DataFrame | str | Path | None = None,
    others: str | None = None,
    contributes_from: float = 0.0,
    endowment: float | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    workers: int = 1,
    dask: str | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> ShareEstimates:
    """Shares of strategies in a log, estimated by maximum likelihood, with standard errors.

    Each subject plays one strategy k, drawn with probability phi_k, and trembles with probability b per move;
    phi and b maximise prod_i sum_k phi_k prod_t [(1 - b)^match b^mismatch] (strategy frequency estimation).

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    strategies : set name, comma-separated names, or sequence of names and Strategy
    by : columns of games or seats whose joint values make the groups, each estimated apart
    subject : columns that name a subject, all of whose games count as one observation
        Default: ``player`` where the log has it; a row without one, and every row of a log without players,
        is a subject of its own (the seat of one game).
    cluster : columns; subjects alike in them are not independent, which errors and bootstrap allow for
        Default: the game where subjects are seats, else none.
    tremble : {"common", "strategy", "pooled"}
        One tremble per group, one per group and strategy, or one for all groups together.
    bootstrap : int
        Samples for errors and intervals, and permutations of the test between groups; 0: errors from the
        observed information, for estimates off the boundary.
    level : float in (0, 1)
        Coverage of the intervals.
    memory : {"realised", "intended"}, optional
        What automata remember of their own moves; default: as the set of strategies says.
    select : {"bic", "aic", "icl"}, optional
        Drop strategies one by one, from all groups, as long as this criterion of all groups improves.
    test : bool
        Whether groups are compared by likelihood-ratio tests.
    labels : table of labels or its path, optional
        What the estimates are set beside; default: the labels of a Bayes recogniser with these strategies.
    others : {"any", "majority", "all", "count"}, optional
        With more than two players: when the others count as having cooperated. With ``count`` this is
        estimated: strategies compete with every threshold k, "at least k of the others did" (``TFT>=2``).
    contributes_from : float in [0, 1]
        With ``count``: share of the endowment from which on a seat has cooperated; 0: any contribution.
    endowment : float, optional
        With ``count``: what a seat can give in a round, in games of numbers that do not say it.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    where : mapping of column -> accepted values
    seed : int
        Of the bootstrap.
    workers, dask : as `intent.parallel.open_workers`
        Who fits the bootstrap samples and permutations; the result is the same for any.
    update : called with (bootstrap samples done, in all)
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    ShareEstimates

    Raises
    ------
    UsageError
        A setting that cannot be, nothing to estimate from, or a subject that several clusters share.
    UnknownNameError
        A strategy or column that does not exist.

    References
    ----------
    Dal Bó & Fréchette 2011, AER 101:411; Fudenberg, Rand & Dreber 2012, AER 102:720; Dvorak 2023,
    Journal of the Economic Science Association 9:337.
    """
    from dataclasses import replace

    import numpy as np

    from intent.analysis.groups import grouping
    from intent.recognise.sfem.estimate import estimate
    from intent.workflows.columns import column_names
    from intent.workflows.sfem_counts import counter
    from intent.workflows.sfem_notes import notes_of
    from intent.workflows.sfem_play import competing_play

    _check(tremble, memory, select, bootstrap, level)
    played, X, chosen = competing_play(
        log,
        strategies,
        memory,
        others,
        contributes_from=contributes_from,
        endowment=endowment,
        where=where,
        keep_defaulted=keep_defaulted,
        **reading,
    )
    moved = X.n_rounds > 0
    silent = len(X) - int(moved.sum())
    X = X[np.flatnonzero(moved)] if silent else X
    if not len(X):
        said = "; ".join(f"{n:,} games: {why}" for why, n in played.skipped().items())
        raise UsageError(f"no play to estimate from in {len(played):,} games{said and f' ({said})'}")
    assert X.keys is not None
    groups = grouping(X.keys, column_names(by, X.keys.columns))
    unit = column_names(subject, X.keys.columns) or (("player",) if "player" in X.keys else _SEAT)
    players, subjects = _subjects(X.keys, unit, groups.codes, len(groups))
    within = column_names(cluster, X.keys.columns) or (("game_id",) if unit == _SEAT else ())
    settings: dict[str, Any] = {
        "groups": groups.codes if len(groups) > 1 else None,
        "tremble": tremble,
        "clusters": _clusters(X.keys, within, subjects),
        "bootstrap": bootstrap,
        "level": level,
        "test": test and len(groups) > 1,
        "rng": np.random.default_rng(seed),
        "update": update,
    }
    dropped: list[str] = []
    with open_workers(workers, dask) as settings["workers"]:
        if select is None:
            found = estimate(X, players, chosen, **settings)
        else:
            from intent.recognise.sfem.selection import select as select_strategies

            selection = select_strategies(X, players, chosen, criterion=select, **settings)  # type: ignore[arg-type]
            dropped, found = [step.dropped for step in selection.steps if step.dropped], selection.result
    config = {
        "log": played.provenance,
        "strategies": [s.name for s in chosen],
        "memory": sorted({s.memory for s in chosen}),
        "by": list(groups.columns),
        "subject": list(unit),
        "cluster": list(within),
        "tremble": tremble,
        "bootstrap": bootstrap,
        "level": level,
        "select": select,
        "dropped": dropped,
        "labels": str(labels) if isinstance(labels, str | Path) else None,
        "others": others,
        **({"contributes_from": contributes_from, "endowment": endowment} if others == "count" else {}),
        "keep_defaulted": keep_defaulted,
        "where": {column: list(values) for column, values in (where or {}).items()},
        "seed": seed,
        "version": __version__,
    }
    result = ShareEstimates(
        by=groups.columns,
        values=groups.values,
        fits=tuple(
            replace(fit, subjects=np.unique(subjects[groups.codes == g]))
            for g, (_, fit) in enumerate(found.groups)
        ),
        tests=found.tests,
        config=config,
        keys=X.keys,
        subjects=subjects,
        count=counter(X, [s for s in chosen if s.name not in dropped], groups.codes, len(groups), labels),
        origin=Path(log) if isinstance(log, str | Path) else None,
    )
    result.notes.extend([*notes_of(result, played, silent), *settings["workers"].notes])
    return result


def claim_outputs(
    outputs: Sequence[Path], posteriors: Path | None, *, overwrite: bool, source: Path | None = None
) -> None:
    """Make sure, before any work, that results may be written; the log itself is never written over.

    Raises
    ------
    OutputError
        A suffix that means nothing, two results at one path, or a path that cannot be written.
    """
    from intent.workflows.result_files import TABLE_SUFFIXES, check_output

    for path in outputs:
        check_output(path, overwrite=overwrite, origin=source)
    if posteriors is None:
        return
    check_output(posteriors, overwrite=overwrite, origin=source)
    if posteriors.suffix not in TABLE_SUFFIXES[:3]:
        known = ", ".join(TABLE_SUFFIXES[:3])
        raise OutputError(f"cannot write {posteriors}: posteriors are a table, expected one of {known}")
    if posteriors in outputs:
        raise OutputError(f"{posteriors} is named for the shares and for the posteriors, expected two files")


def _check(tremble: str, memory: str | None, select: str | None, bootstrap: int, level: float) -> None:
    for option, value, known in (
        ("tremble", tremble, _TREMBLES),
        ("memory", memory, _MEMORIES),
        ("criterion", select, _CRITERIA),
    ):
        if value is not None and value not in known:
            raise UnknownNameError(option, value, known)
    if bootstrap < 0 or bootstrap == 1:
        raise UsageError(f"--bootstrap {bootstrap}, expected 0 (none) or at least 2")
    check_level(level)


def _subjects(
    keys: pd.DataFrame, unit: Sequence[str], groups: NDArray[np.intp], n_groups: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n,) code of who plays each row, and of the subject: who plays in several groups is one in each."""
    import numpy as np

    from intent.analysis.groups import cluster_codes

    codes = np.arange(len(keys)) if tuple(unit) == _SEAT else cluster_codes(keys, unit)
    return codes, np.unique(codes * n_groups + groups, return_inverse=True)[1] if n_groups > 1 else codes


def _clusters(
    keys: pd.DataFrame, columns: Sequence[str], subjects: NDArray[np.intp]
) -> NDArray[np.intp] | None:
    """(n,) code of the cluster of each row; None where every subject is its own."""
    import numpy as np

    from intent.analysis.groups import cluster_codes

    if not columns:
        return None
    codes = cluster_codes(keys, columns)
    first = np.unique(subjects, return_index=True)[1]
    home = codes[first][np.unique(subjects, return_inverse=True)[1]]
    if (home != codes).any():
        row = int(np.flatnonzero(home != codes)[0])
        shown = ", ".join(str(keys[column].iloc[row]) for column in columns)
        raise UsageError(
            f"a subject has games in several clusters of {', '.join(columns)} (one is {shown}), "
            "expected each subject in one: cluster by what subjects share, such as a session"
        )
    return codes
