"""Our prompts are in our own words: no eight words in a row of the papers, or of the authors' templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXTS = (
    "intent/agents/prompts/texts/*.txt",
    "intent/gamma/texts/*.txt",
    "intent/arena/writing/texts/*.txt",
    "experiments/*/own/*.txt",
)
N = 8


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """All runs of eight words; numbers alone are no words."""
    words = re.findall(r"\w+", text.casefold())
    for k in range(len(words) - N + 1):
        run = tuple(words[k : k + N])
        if sum(word.isdigit() for word in run) < N // 2:
            yield run


@pytest.fixture
def theirs(data_dir: Path) -> set[tuple[str, ...]]:
    """Of the papers, and of the templates of GAMA-Bench and FAIRGAME."""
    return _theirs(data_dir)


@cache
def _theirs(data_dir: Path) -> set[tuple[str, ...]]:
    files = [*data_dir.parent.glob("papers/*.txt"), *data_dir.glob("gamma_bench/prompt_template/**/*.txt")]
    files += data_dir.glob("*/templates/*.txt")
    if not files:
        pytest.skip("no papers beside the public logs")
    return {run for file in files for run in runs(file.read_text("utf8", errors="replace"))}


def test_no_text_of_ours_is_theirs(theirs: set[tuple[str, ...]]) -> None:
    ours = [file for pattern in TEXTS for file in sorted(ROOT.glob(pattern))]
    assert len(ours) > 100
    alike = {
        file.name: " ".join(run) for file in ours for run in runs(file.read_text("utf8")) if run in theirs
    }
    assert alike == {}


def test_a_copied_sentence_would_be_seen(theirs: set[tuple[str, ...]]) -> None:
    copied = " ".join(next(iter(sorted(theirs)[len(theirs) // 2 :])))
    assert set(runs(f"Before. {copied.title()}, after.")) & theirs
