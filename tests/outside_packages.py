"""A package of somebody else, installed for one test: a module, and the facts that pip would write."""

from __future__ import annotations

from pathlib import Path

import pytest


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, code: str, points: dict[str, str]
) -> None:
    """Write ``<module>.py`` into the folder, with entry points as group -> line, and put it on the path."""
    (folder / f"{module}.py").write_text(code)
    facts = folder / f"{module}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    listed = "".join(f"[{group}]\n{line}\n" for group, line in points.items())
    (facts / "entry_points.txt").write_text(listed)
    monkeypatch.syspath_prepend(str(folder))
