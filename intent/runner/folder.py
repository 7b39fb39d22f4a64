"""The folder of a run: its facts, its prompts, its database; nothing in it is believed unread."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import DataError, RunError, UsageError, one_line, shorten
from intent.files.bounds import bounds
from intent.files.json_text import json_value
from intent.files.text import file_text

__all__ = [
    "DATABASE",
    "FACTS",
    "LOCK",
    "check_prompt_names",
    "is_run",
    "read_facts",
    "read_prompts",
    "write_facts",
]

FACTS = "run.json"
DATABASE = "run.sqlite"
LOCK = "run.lock"
PROMPTS = "prompts"

VERSION = 1
"""Version of the folder's layout."""

_MOST_PROMPTS = 1_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


def is_run(path: str | Path) -> bool:
    """Whether a path looks like the folder of a run, and not like a log."""
    return (Path(path) / FACTS).is_file()


def write_facts(folder: Path, facts: Mapping[str, Any], prompts: Mapping[str, str]) -> None:
    """Write ``run.json`` and ``prompts/NAME.json``."""
    text = json.dumps({"intent_run": VERSION, **facts}, ensure_ascii=False, indent=1, default=str)
    (folder / FACTS).write_text(text + "\n", encoding="utf-8")
    (folder / PROMPTS).mkdir()
    for name, content in prompts.items():
        (folder / PROMPTS / f"{name}.json").write_text(content, encoding="utf-8")


def check_prompt_names(names: Mapping[str, str]) -> None:
    """Refuse names that make no file name.

    Raises
    ------
    UsageError
    """
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"prompt set {shorten(name)!r}, expected a name of letters, digits, dots, dashes, underscores"
            )


def read_facts(folder: Path) -> dict[str, Any]:
    """The facts on a run.

    Raises
    ------
    RunError
        The folder is none of a run, or of another version.
    """
    if not folder.is_dir():
        raise RunError(f"{folder}: no such folder, expected that of a run")
    try:
        facts = json_value(_read(folder, FACTS), halves=True)
        json.dumps(facts, ensure_ascii=False).encode()  # no lone surrogates, which no log can hold
    except (ValueError, RecursionError) as error:
        raise RunError(f"{folder.name}/{FACTS}: no JSON: {one_line(error, 80)}") from None
    if not isinstance(facts, dict) or "intent_run" not in facts:
        raise RunError(f"{folder.name}/{FACTS}: does not say intent_run, the version of the layout")
    if facts["intent_run"] != VERSION:
        raise RunError(
            f"{folder.name}/{FACTS}: version {shorten(facts['intent_run'])} of the layout, this version of "
            f"intent reads {VERSION}"
        )
    if not isinstance(facts.get("run"), str):
        raise RunError(f"{folder.name}/{FACTS}: does not say run, the name of the run")
    return facts


def read_prompts(folder: Path) -> dict[str, str]:
    """Name -> JSON of each prompt set.

    Raises
    ------
    RunError
        A file that is none of ours, or too large.
    """
    within = folder / PROMPTS
    if within.is_symlink() or not within.is_dir():
        raise RunError(f"{folder.name}: no folder {PROMPTS}")
    names = sorted(path.name for path in within.iterdir())[: _MOST_PROMPTS + 1]
    if len(names) > _MOST_PROMPTS:
        raise RunError(f"{folder.name}/{PROMPTS}: more than {_MOST_PROMPTS} files")
    found = {}
    for name in names:
        stem = name.removesuffix(".json")
        if stem == name or not _NAME.fullmatch(stem):
            raise RunError(f"{folder.name}/{PROMPTS}: file {shorten(name)!r}, expected NAME.json only")
        found[stem] = _read(folder, f"{PROMPTS}/{name}")
    return found


def _read(folder: Path, name: str) -> str:
    """The text of a file of the folder; links, which may lead out of it, are not followed."""
    path = folder / name
    where = f"{folder.name}/{name}"
    if path.is_symlink() or not path.is_file():
        raise RunError(f"{where}: no such file, expected the folder of a run")
    try:
        return file_text(path, bounds().object_bytes, "a file of a run")
    except (OSError, DataError) as error:
        raise RunError(f"{where}: cannot be read: {one_line(error)}") from None
