"""A user's folder of prompts: our English texts with some words in place of others."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

TEXTS = files("intent.agents.prompts") / "texts"


def folder_with(path: Path, stem: str, changes: dict[str, str]) -> str:
    """A folder whose file ``STEM_en.txt`` is ours with `changes`; each must be there to be changed."""
    text = (TEXTS / f"{stem}_en.txt").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{stem}_en.txt has no {old!r}"
        text = text.replace(old, new)
    path.mkdir(parents=True, exist_ok=True)
    (path / f"{stem}_en.txt").write_text(text, encoding="utf-8")
    return str(path)
