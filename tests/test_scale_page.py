"""The page on scale: its tables are those of the figures and inputs, its arithmetic is that of the page."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def scale():
    spec = importlib.util.spec_from_file_location("scale_benchmark", ROOT / "benchmarks" / "scale.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["scale_benchmark"] = module
    spec.loader.exec_module(module)
    return module


INPUTS = yaml.safe_load((ROOT / "benchmarks" / "scale_inputs.yaml").read_text(encoding="utf-8"))


def test_the_page_has_the_tables_of_the_kept_figures(scale):
    figures = json.loads((ROOT / "benchmarks" / "scale_figures.json").read_text(encoding="utf-8"))["measured"]
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    between = page.split(scale.MARKS[0])[1].split(scale.MARKS[1])[0].strip()
    assert between == scale.tables(figures, INPUTS), (
        "run benchmarks/scale.py --figures … --write docs/scale.md"
    )


def test_hours_bytes_and_prices_are_what_the_page_says(scale):
    one = {f"{what}_us": 3.6 for what in ("generate", "label", "sfem", "metrics", "write")}
    sizes = {f"{what}_bytes": 10.0 for what in ("corpus", "labels", "metrics")}
    figures = {"rounds": {"10": one | sizes}, "piece_ms": 36.0, "requests": {"first": 20.0, "further": 8.0}}
    inputs = {
        "trajectories": 10**9,
        "nodes": 2,
        "cores_per_node": 5,
        "price_core_hour": 2.0,
        "price_gb_month": 0.5,
        "price_1000_reads": 1.0,
        "price_1000_writes": 10.0,
        "node_mb_per_second": 100,
        "part_mb": 10,
        "months": 4,
        "start_minutes": 6,
    }
    made = scale.study(figures, inputs, 10)
    assert made["label_core_hours"] == pytest.approx(1.0)
    assert made["core_hours"] == pytest.approx(4.0)
    assert made["moving_hours"] == pytest.approx(60e9 / 200e6 / 3600)  # 30 GB read, 30 GB written
    assert made["array_hours"] == pytest.approx(0.1 + 0.4 + made["moving_hours"])
    assert made["pieces"] == 7630
    assert made["scheduling_hours"] == pytest.approx(7630 * 0.036 / 3600)
    assert made["dask_label_hours"] == pytest.approx(0.1 + 1.0)  # one process writes for an hour
    assert made["reads"] == pytest.approx(3 * 7630 * 8)
    assert made["writes"] == pytest.approx(3000)
    assert made["compute_price"] == pytest.approx(8)
    assert made["storage_price"] == pytest.approx(30 * 0.5 * 4)
    assert made["request_price"] == pytest.approx(183.12 + 30)
