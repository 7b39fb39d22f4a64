"""From any game log to strategy shares: a finite mixture fitted to the play, by group, with errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError
from intent.parallel import open_workers
from intent.workflows.sfem_request import Request
from intent.workflows.sfem_result import ShareEstimates

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.strategies.automaton import Strategy

__all__ = ["ShareEstimates", "claim_outputs", "sfem"]


def sfem(
    log: GameLog | str | Path,
    strategies: str | Sequence[str | Strategy] | None = None,
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

    A compact log, or a Parquet folder written chunk by chunk, is read piece by piece: memory holds one piece,
    the distinct plays, and a row for each subject that has a name. The result is that of the log read whole.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    strategies : set name, comma-separated names, or sequence of names and Strategy, optional
        Default: canonical4 and RANDOM, so that play by chance is no strategy's. A set that is named is
        fitted as it is.
    by : columns of games or seats whose joint values make the groups, each estimated apart
    subject : columns that name a subject, all of whose games count as one observation
        Default: ``player`` where the log has it; a row without one, and every row of a log without players,
        is a subject of its own (the seat of one game).
    cluster : columns; subjects alike in them are not independent, which errors, bootstrap and tests allow for
        Default: as the design says (`intent.analysis.unit.design_units`): the session or the subjects who
        met, the subject, the condition that repeats, else the game. ``cell``: the condition.
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
        Who counts pieces and fits bootstrap samples and permutations; the result is the same for any.
    update : called with (rows read, or bootstrap samples done; in all)
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
    from intent.workflows.sfem_stream.estimates import estimates_by_piece
    from intent.workflows.sfem_whole import estimates_at_once

    asked = Request(
        strategies,
        by,
        subject,
        cluster,
        tremble,
        bootstrap,
        level,
        memory,
        select,
        test,
        labels,
        others,
        contributes_from,
        endowment,
        keep_defaulted,
        where,
        seed,
    )
    with open_workers(workers, dask) as spread:
        found = None
        if isinstance(log, str | Path):
            again = partial(open_workers, workers, dask)
            found = estimates_by_piece(Path(log), asked, spread, update, again=again, **reading)
        return found or estimates_at_once(log, asked, spread, update, **reading)


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
