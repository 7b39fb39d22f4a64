"""Commands that share their work give the same result here, on processes and on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from dask_cluster import dask_cluster
from sfem_logs import two_treatments

from intent import GameLog, generate
from intent.arena import engines as spread_engine
from intent.arena.engines import AutomataEngine, engine_status, make_engine
from intent.arena.evolution import moran
from intent.arena.evolution.evolve import evolve
from intent.arena.field import catalogue_entrants
from intent.arena.match import Engine, Fault, Job, MatchRules
from intent.behaviour.metric_table import metrics_table
from intent.behaviour.metrics import metrics, metrics_to
from intent.comparison.sweep import sweep
from intent.estimate.sfem import sfem
from intent.logs.chunks import LogInMemory
from intent.logs.readers.compact import write_compact
from intent.logs.stores import write_log


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with dask_cluster() as address:
        yield address


def test_metrics_in_chunks_are_those_of_the_whole_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intent.behaviour.metrics_pieces.CHUNK", 7)
    log = generate("canonical4", 60, rounds=(3, 9), eps=0.1)
    shuffled = GameLog(log.games, log.seats.sample(frac=1, random_state=1), log.moves)
    X = shuffled.trajectories()
    pd.testing.assert_frame_equal(metrics(shuffled, bootstrap=10).table, metrics_table(shuffled, X))


def test_metrics(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = generate("canonical4", 60, rounds=8, eps=0.1)
    whole = metrics(log, bootstrap=10)
    monkeypatch.setattr("intent.behaviour.metrics_pieces.CHUNK", 11)
    spread = metrics(log, bootstrap=10, dask=cluster)
    pd.testing.assert_frame_equal(whole.table, spread.table)
    assert whole.to_dict() == spread.to_dict()


def test_metrics_of_a_log_on_disk(cluster: str, tmp_path: Path) -> None:
    write_compact(generate("canonical4", 60, rounds=8, eps=0.1), tmp_path / "log.parquet")
    rows = pq.read_table(tmp_path / "log.parquet")
    pq.write_table(rows, tmp_path / "log.parquet", row_group_size=20)
    one, two = (
        metrics_to(tmp_path / "log.parquet", tmp_path / name, "strategy", bootstrap=10, dask=dask)
        for name, dask in (("one.parquet", None), ("two.parquet", cluster))
    )
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    assert one.to_dict()["groups"] == two.to_dict()["groups"]


@pytest.mark.parametrize("tremble", ["common", "pooled"])
def test_shares_with_bootstrap_and_permutations(
    cluster: str, monkeypatch: pytest.MonkeyPatch, tremble: str
) -> None:
    from intent.estimate import resampling

    monkeypatch.setattr(resampling, "PIECE", 2000)
    asked: dict[str, Any] = {"by": "treatment", "bootstrap": 20, "tremble": tremble, "seed": 3}
    log = two_treatments(each=8)
    one = sfem(log, "ALLC,TFT,ALLD", **asked)
    many = sfem(log, "ALLC,TFT,ALLD", dask=cluster, **asked)
    assert one.to_dict() == many.to_dict()
    assert one.tests == many.tests


def test_sweep_of_a_log_on_disk(cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = generate("canonical4", 40, rounds=(3, 9), eps=0.1)
    path = write_log(log, tmp_path / "log")
    here = sweep(path, by="strategy", gate="game")
    monkeypatch.setattr(LogInMemory, "read_from", None)
    there = sweep(path, by="strategy", gate="game", dask=cluster)
    assert here.to_dict() == there.to_dict()
    assert here.config == there.config


def played(engine: Engine, rules: MatchRules) -> dict[Job, Any]:
    field = catalogue_entrants("all")[:6]
    jobs = [Job(i, j, (7, 8)) for i in range(6) for j in range(i, 6)]
    with engine:
        results = list(engine.play(field, iter(jobs), rules))
    assert not any(isinstance(result, Fault) for result in results)
    return {result.job: result.moves.tolist() for result in results}  # type: ignore[union-attr]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_engine, "_PIECE", 200)
    monkeypatch.setattr(spread_engine, "_SHORT", 0)


@pytest.mark.usefixtures("small_pieces")
def test_matches_of_automata(cluster: str) -> None:
    rules = MatchRules(turns=30, noise=0.1)
    spread = spread_engine.SpreadEngine(AutomataEngine, dask=cluster)
    assert played(spread, rules) == played(AutomataEngine(), rules)
    assert spread.name == "automata"


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
def test_matches_in_the_sandbox_of_each_worker(cluster: str) -> None:
    if (why := engine_status()["seccomp"]) is not None:
        pytest.skip(f"no seccomp here: {why}")
    rules = MatchRules(turns=30, noise=0.1)
    make = partial(make_engine, "seccomp", workers=1)
    assert played(spread_engine.SpreadEngine(make, dask=cluster), rules) == played(make(), rules)


def test_evolution(cluster: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path = tmp_path / "payoffs.csv"
    path.write_text("row,Dove,Hawk\nDove,2,1\nHawk,4,0\n")
    asked: dict[str, Any] = {"initial": "3,3", "runs": 30, "bootstrap": 10}
    here = evolve(path, workers=1, **asked)
    monkeypatch.setattr(moran, "_SHARE", 1)
    there = evolve(path, dask=cluster, **asked)
    for one, other in zip(here.mixes, there.mixes, strict=True):
        assert np.array_equal(one.runs.steps, other.runs.steps)
        assert np.array_equal(one.runs.final, other.runs.final)
