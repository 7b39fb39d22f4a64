"""Every notebook is a numbered story stored without outputs, and runs from top to bottom to a picture."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))

each = pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
on_a_log = pytest.mark.parametrize(
    "path", [p for p in PATHS if "INTENT_DATA" in p.read_text("utf-8")], ids=lambda p: p.stem
)


def read(path: Path):
    nbformat = pytest.importorskip("nbformat", reason="pip install 'strategy-intent[dev]'")
    return nbformat.read(path, as_version=4)


def played(path: Path, folder: Path, data: Path, monkeypatch):
    """The notebook after a run in a folder of its own, with the commands of this environment."""
    client = pytest.importorskip("nbclient", reason="pip install 'strategy-intent[dev]'")
    if shutil.which("bash") is None:
        pytest.skip("cells that are commands need bash")
    monkeypatch.setenv("INTENT_DATA", str(data))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    notebook = client.NotebookClient(read(path), timeout=600, resources={"metadata": {"path": str(folder)}})
    notebook.execute()
    return notebook.nb.cells


def shows_a_picture(cell) -> bool:
    shown = [output.get("data", {}) for output in cell.outputs]
    return any("image/png" in data or "<iframe" in data.get("text/html", "") for data in shown)


def test_the_stories_are_numbered_and_listed():
    listed = re.findall(
        r"^\| (\d+) \| \[([^]]+)\]\(([^)]+)\)", (FOLDER / "README.md").read_text("utf-8"), re.M
    )
    assert [(int(n), file) for n, _, file in listed] == list(enumerate((p.name for p in PATHS), start=1))
    assert all(p.name.startswith(f"{n:02}_") for n, p in enumerate(PATHS, start=1))
    titles = [read(p).cells[0].source.partition("\n")[0] for p in PATHS]
    assert titles == [f"# {n}. {title}" for n, title, _ in listed]


@each
def test_is_stored_without_outputs(path):
    assert [c for c in read(path).cells if c.get("outputs") or c.get("execution_count")] == []


@each
def test_is_short_and_ends_with_a_sentence(path):
    cells = read(path).cells
    assert 10 <= len(cells) <= 20
    assert [c.cell_type for c in cells[-2:]] == ["code", "markdown"]


@each
def test_links_lead_somewhere(path):
    prose = "\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", prose)
    assert [link for link in links if not (FOLDER / link).exists()] == []


@each
@pytest.mark.slow
def test_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    data = Path(os.environ.get("INTENT_DATA", ROOT.parent / "shared" / "data"))
    cells = played(path, tmp_path, data, monkeypatch)
    assert all(c.execution_count for c in cells if c.cell_type == "code")
    assert shows_a_picture(cells[-2])


@on_a_log
@pytest.mark.exhaustive
def test_runs_without_the_public_logs(path, tmp_path, monkeypatch):
    assert shows_a_picture(played(path, tmp_path, tmp_path / "none", monkeypatch)[-2])
