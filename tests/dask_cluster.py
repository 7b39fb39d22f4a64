"""A Dask cluster in this process, for tests; skips where the extra ``cluster`` is missing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def dask_cluster() -> Iterator[str]:
    """Address of a scheduler with two workers of one thread, all in this process."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        )
        with cluster:
            yield str(cluster.scheduler_address)
