"""Every notebook runs from top to bottom and is stored without outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.parametrize(
    "path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda p: getattr(p, "stem", "none yet")
)


def read(path: Path):
    nbformat = pytest.importorskip("nbformat", reason="pip install 'strategy-intent[dev]'")
    return nbformat.read(path, as_version=4)


def test_is_stored_without_outputs(path):
    assert [cell for cell in read(path).cells if cell.get("outputs")] == []


@pytest.mark.slow
def test_runs_from_top_to_bottom(path, tmp_path):
    client = pytest.importorskip("nbclient", reason="pip install 'strategy-intent[dev]'")
    notebook = client.NotebookClient(read(path), timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    notebook.execute()
    assert all(cell.get("execution_count") for cell in notebook.nb.cells if cell.cell_type == "code")
