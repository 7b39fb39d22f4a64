"""Whether the cases that are not marked `exhaustive` enter all lines and branches that all cases enter.

    .venv/bin/pip install coverage
    .venv/bin/python tests/representatives.py tests/contracts/test_choice_models.py [options of pytest]

Cases without the mark run first, so that what a module makes once is theirs. Prints what only marked cases
enter, and which of them: one of these has to lose its mark. The exit code is 1 where there is any.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "intent"
KEPT = "kept"


class Contexts:
    """Says to coverage whose lines come next."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.marked = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: item.get_closest_marker("exhaustive") is not None)
        self.marked = sum(item.get_closest_marker("exhaustive") is not None for item in items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.measured.switch_context(item.nodeid if item.get_closest_marker("exhaustive") else KEPT)
        return (yield)


def main(words: list[str]) -> int:
    """Run the tests, and compare."""
    measured = coverage.Coverage(data_file=None, branch=True, source=[str(PACKAGE)], config_file=False)
    contexts = Contexts(measured)
    measured.start()
    status = pytest.main(["-q", *words], plugins=[contexts])
    measured.stop()
    if status:
        return int(status)
    data = measured.get_data()
    cases = sorted(data.measured_contexts() - {KEPT, ""})
    lost: dict[str, set[tuple[int, int]]] = {}
    reached: set[tuple[str, tuple[int, int]]] = set()
    for context in ("", KEPT, *cases):
        data.set_query_context(context)
        here = {(file, arc) for file in data.measured_files() for arc in data.arcs(file) or ()}
        if context in cases:
            for file, arc in sorted(here - reached):
                lost.setdefault(f"{Path(file).relative_to(PACKAGE)}", set()).add(arc)
                print(f"only {context}: {Path(file).relative_to(PACKAGE)} {arc[0]} -> {arc[1]}")
        else:
            reached |= here
    print(
        f"{len(reached):,} branches (steps from line to line) are entered by cases without the mark;"
        f" {sum(map(len, lost.values()))} by none of them but by some of the {contexts.marked} marked ones"
    )
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
