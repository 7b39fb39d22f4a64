"""Fixtures that many tests share."""

from __future__ import annotations

import os

# Before numpy and torch are loaded: on the small arrays of tests, threads cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gc
import tempfile
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("intent", deadline=None)
settings.load_profile("intent")


_STATE = tempfile.TemporaryDirectory(prefix="intent-tests-")


def pytest_configure() -> None:
    """Give tests a key of their own, the same in every run, in place of the one in the user's home.

    Tables are laid out in the width that COLUMNS asks for, and processes of pytest-xdist have one.
    """
    os.environ.pop("COLUMNS", None)
    folder = Path(_STATE.name) / "intent"
    folder.mkdir(mode=0o700)
    key = folder / "arena.key"
    key.touch(mode=0o600)
    key.write_text("7e" * 32)
    os.environ["XDG_STATE_HOME"] = _STATE.name


def pytest_unconfigure() -> None:
    """Remove that key."""
    _STATE.cleanup()


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh, seeded generator."""
    return np.random.default_rng(20260)


@pytest.fixture
def data_dir() -> Path:
    """The folder of public logs; the test is skipped where there is none."""
    folder = Path(os.environ.get("INTENT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public logs in {folder} (set INTENT_DATA)")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay to the end: no search for garbage need go through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests alone are asked for, do not import the nine files of ten that have none."""
    if collection_path.suffix == ".py" and config.option.markexpr.startswith("(slow or axelrod)"):
        text = collection_path.read_text("utf-8")
        return None if "slow" in text or "axelrod" in text else True
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that no worker is left with a long one at the end.

    Before them all that imports the Axelrod library, which takes many seconds: workers take tests from the
    ends of each other's lists, so that these stay in one of them.
    """
    ranks: dict[Path, int] = {}
    for item in items:
        if item.get_closest_marker("axelrod"):
            rank = 0
        elif item.get_closest_marker("slow"):
            rank = 1 if "end_to_end" in item.path.parts else 2
        else:
            rank = 3
        ranks[item.path] = min(rank, ranks.get(item.path, rank))
    items.sort(key=lambda item: ranks[item.path])
