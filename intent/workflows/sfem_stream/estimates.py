"""Estimates of strategy shares from a log that is read piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.sfem_result import Rows, ShareEstimates

if TYPE_CHECKING:
    import pyarrow as pa

    from intent.analysis.counted import Counted
    from intent.parallel import Workers
    from intent.recognise.sfem.result import SfemResult
    from intent.workflows.log_stream.pieces import Source
    from intent.workflows.sfem_request import Request
    from intent.workflows.sfem_stream.stream import Streamed

__all__ = ["estimates_by_piece"]


def estimates_by_piece(
    path: Path,
    asked: Request,
    workers: Workers,
    update: Callable[[int, int], None],
    *,
    again: Callable[[], AbstractContextManager[Workers]],
    size: int | None = None,
    **reading: Any,
) -> ShareEstimates | None:
    """Shares in a log on disk with bounded memory; None where the log or the request needs all rows at once.

    Parameters
    ----------
    path, update, **reading
        As `intent.workflows.sfem.sfem`.
    asked : Request
    workers : Workers
    again : opens workers for a later pass (labels are counted when they are asked for)
    size : int, rows of a piece
    """
    if asked.others == "count" or asked.labels is not None or asked.contributes_from or asked.endowment:
        return None
    from intent.workflows.log_stream.sources import PIECE, open_source
    from intent.workflows.sfem_play import competitors

    chosen = competitors(asked.strategies, asked.memory)
    source = open_source(
        path, where=asked.where, others=asked.others, keep_defaulted=asked.keep_defaulted, **reading
    )
    if source is None:
        return None
    from intent.recognise.sfem.estimate import check_request
    from intent.workflows.sfem_notes import Seen, notes_of
    from intent.workflows.sfem_stream.columns import SEAT
    from intent.workflows.sfem_stream.count import Job
    from intent.workflows.sfem_stream.design import design_by_piece
    from intent.workflows.sfem_stream.stream import stream_population

    check_request(chosen, asked.tremble, asked.level)
    piece = size or PIECE
    job = Job(chosen, _named(asked.by), _named(asked.subject), _named(asked.cluster))
    design = design_by_piece(source, job, piece, workers)
    if design is None:
        return None
    seen = stream_population(source, design.job, piece, workers, update)
    if seen is None:
        return None
    independent = design.unit(seen.columns, seen.population.kinds.n_clusters)
    kind = independent.unit.kind
    found, dropped = _estimated([s.name for s in chosen], seen, asked, kind, workers, update)
    left = tuple(s for s in chosen if s.name not in dropped)
    columns, n_groups = seen.columns, len(seen.grouping)

    def count() -> list[Counted | None]:
        from intent.workflows.sfem_counts import can_label
        from intent.workflows.sfem_stream.counted import counted_by_piece

        if not can_label(left):
            return [None] * n_groups
        with again() as spread:
            return counted_by_piece(source, left, columns.by, seen.place, n_groups, piece, spread)

    def rows() -> Rows:
        from intent.parallel import SERIAL
        from intent.workflows.sfem_whole import estimates_at_once

        plain = replace(asked, bootstrap=0, test=False)
        return estimates_at_once(path, plain, SERIAL, lambda done, total: None, **reading).known

    def tables() -> Iterator[pa.Table]:
        from intent.workflows.sfem_stream.posteriors import posterior_tables

        population = seen.population
        if dropped:
            population = population.only([chosen.index(s) for s in left])[0]
        fits = [fit for _, fit in found.groups]
        with again() as spread:
            yield from posterior_tables(source, left, population, fits, columns.by, seen.place, piece, spread)

    result = ShareEstimates(
        by=seen.grouping.columns,
        values=seen.grouping.values,
        fits=tuple(fit for _, fit in found.groups),
        tests=found.tests,
        config=asked.config(
            _provenance(source, reading), chosen, columns.by, columns.subject, independent, dropped
        ),
        independent=independent.unit,
        rows=rows,
        count=count,
        tables=tables if columns.subject == SEAT else None,
        origin=path,
    )
    told = Seen(seen.skipped, seen.silent, seen.games, seen.several, independent.notes)
    result.notes.extend([*notes_of(result, told), *workers.notes])
    return result


def _named(columns: Any) -> str | tuple[str, ...]:
    return columns if isinstance(columns, str) else tuple(columns)


def _estimated(
    names: list[str],
    seen: Streamed,
    asked: Request,
    kind: str,
    workers: Workers,
    update: Callable[[int, int], None],
) -> tuple[SfemResult, list[str]]:
    """The estimate, and the strategies that selection dropped."""
    import numpy as np

    from intent.analysis.estimated import stream_of_test
    from intent.recognise.sfem.population_fit import estimate_population
    from intent.recognise.sfem.selection import select_population

    settings: dict[str, Any] = {
        "tremble": asked.tremble,
        "bootstrap": asked.bootstrap,
        "level": asked.level,
        "test": asked.test and len(seen.grouping) > 1,
        "rng": np.random.default_rng(asked.seed),
        "shares_rng": stream_of_test(asked.seed, ",".join(seen.columns.by), kind),
        "workers": workers,
        "update": update,
    }
    if asked.select is None:
        return estimate_population(names, seen.population, **settings), []
    chosen = select_population(names, seen.population, criterion=asked.select, **settings)  # type: ignore[arg-type]
    return chosen.result, [step.dropped for step in chosen.steps if step.dropped]


def _provenance(source: Source, reading: dict[str, Any]) -> dict[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers import told_provenance
    from intent.logs.readers.reader import Settings
    from intent.logs.readers.reader import Source as File

    settings = Settings(strict=bool(reading.get("strict")))
    return dict(told_provenance(source.provenance, File(source.path), source.format, settings))
