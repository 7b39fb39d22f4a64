"""Fixtures that many tests share."""

from __future__ import annotations

import os

# Before numpy and torch are loaded: on the small arrays of tests, threads cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# And those of the local model sleep while they wait for each other. Where torch is loaded first, they would
# wait in a loop, which takes five times the processor time, and ten times as long beside other work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import gc
import re
import tempfile
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from intent.base import registry
from intent.base.errors import MissingExtraError

try:
    from hypothesis import settings
except ModuleNotFoundError:  # what needs it is skipped (`_lack_of`)
    pass
else:
    settings.register_profile("intent", deadline=None)
    settings.load_profile("intent")

ROOT = Path(__file__).resolve().parent.parent

TOOLS = frozenset(
    [
        *("axe_playwright_python", "build", "docutils", "grimp", "hatchling", "hmmlearn", "hypothesis"),
        *(
            "importlinter",
            "inspect_ai",
            "mlcroissant",
            "myst_parser",
            "nbclient",
            "nbformat",
            "packaging",
            "playwright",
            "sphinx",
        ),
    ]
)
"""What tests use beyond the package and its extras, as it is imported."""


_STATE = tempfile.TemporaryDirectory(prefix="intent-tests-")


def pytest_configure() -> None:
    """Give tests a key of their own, the same in every run, in place of the one in the user's home.

    Tables are laid out in the width that COLUMNS asks for: processes of pytest-xdist have one, and readline,
    which pytest imports, gives the commands one that ``os.environ`` does not show.
    """
    os.environ.pop("COLUMNS", None)
    os.unsetenv("COLUMNS")
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Neighbours stay in one worker, which makes once what a module makes for all its tests.

    Dealt out one by one, as pytest-xdist does where nothing else is asked for, every worker makes all of it.
    """
    if config.option.dist != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


# Where an extra is not installed, tests that need it are skipped, and say which: those that are marked with
# its packages, those that import them, and those that fail after `intent` named the line that installs it.
# The tests of the core (`tests/core`) are none of these: they fail wherever the core alone is not enough.

_ABSENT = pytest.StashKey[list[str]]()
_INSTALLED = frozenset(name for name in registry.EXTRAS if registry.installed(name))
"""Those that are there, also while a test plays that they are not."""

_NO_MODULE = re.compile(r"No module named '(\w+)")
_NO_EXTRA = re.compile(r"(\S+) is not installed; run: pip install 'strategy-intent\[(\w+)\]'")


def _lack_of(error: object) -> str | None:
    """What is not installed, of an error that says so."""
    text = str(error)
    for name in _NO_MODULE.findall(text):
        if name in registry.EXTRAS.keys() - _INSTALLED:
            return _needed(name)
        if name in TOOLS and not registry.installed(name):
            return f"needs {name}, a tool of development"
    for library, _ in _NO_EXTRA.findall(text):
        for name in registry.EXTRAS.keys() - _INSTALLED:
            if registry.EXTRAS[name][0] == library:
                return _needed(name)
    return None


def _needed(package: str) -> str:
    return f"needs the extra `{registry.EXTRAS[package][1]}` ({package})"


@pytest.fixture(autouse=True)
def _absent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip what is marked with a package that is not there; keep what is required in vain."""
    for mark in request.node.iter_markers("extra"):
        for package in mark.args:
            if package not in _INSTALLED:
                pytest.skip(_needed(package))
    lacks = request.node.stash[_ABSENT] = []
    made = registry.MissingExtraError

    def noticed(*what: str) -> MissingExtraError:
        error = made(*what)
        lacks.append(str(error))
        return error

    # not `missing`, which modules that were loaded before have by name
    monkeypatch.setattr(registry, "MissingExtraError", noticed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails for want of an extra is skipped."""
    report = yield
    if report.failed and call.excinfo is not None and "core" not in item.path.parts:
        lacks = [_lack_of(call.excinfo.value), *map(_lack_of, item.stash.get(_ABSENT, []))]
        if reasons := [lack for lack in lacks if lack is not None]:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {reasons[0]}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file that imports what is not installed is skipped."""
    report = yield
    if report.failed and (lack := _lack_of(report.longrepr)) is not None:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {lack}")
    return report
