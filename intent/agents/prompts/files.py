"""Reading a folder of templates that nobody vouches for: ``NAME_LANGUAGE.txt`` and ``.rtf``."""

from __future__ import annotations

import re
from pathlib import Path

from intent.agents.prompts.template import MOST_CHARACTERS
from intent.errors import DataError, LimitError, PromptError, located, one_line, shorten
from intent.files.text import file_bytes

__all__ = ["TemplateFile", "read_folder", "rtf_text"]

MOST_FILES = 1_000
_FILE = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,99})_([A-Za-z]{2,3})\.(txt|rtf)")
_NOT_TEXT = re.compile(r"\\(field|pict|object|bin)(?![a-z])")

TemplateFile = tuple[str, str]
"""Stem and language."""


def read_folder(folder: str | Path) -> dict[TemplateFile, str]:
    """(Stem, language) -> text of all templates in a folder.

    Files of other names are left alone. Where a template is there in both formats, the text counts.
    Line ends become line feeds, and a byte order mark is dropped.

    Raises
    ------
    PromptError
        No such folder, no template in it, more than a thousand files, or one that is too large, no
        text, or a link that leads out of the folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise PromptError(f"no such folder of prompts: {root}")
    found: dict[TemplateFile, str] = {}
    names = sorted((path.name for path in root.iterdir()), key=lambda name: name.endswith(".txt"))
    templates = [match for name in names if (match := _FILE.fullmatch(name))]
    if len(templates) > MOST_FILES:
        raise PromptError(f"{root}: {len(templates):,} templates, expected at most {MOST_FILES:,}")
    for match in templates:
        stem, language, ending = match.groups()
        path = root / match.group()
        if path.resolve().parent != root.resolve():
            raise PromptError(located(path, "a link that leads out of the folder, expected a file in it"))
        data = _bytes(path)
        found[stem, language.lower()] = (
            rtf_text(data, path.name) if ending == "rtf" else _text(data, path.name)
        )
    if not found:
        raise PromptError(f"{root}: no templates, expected files such as two_players_en.txt")
    return found


def rtf_text(data: bytes, where: str) -> str:
    """The text of a document in the rich text format.

    Raises
    ------
    PromptError
        It is none, holds links or pictures, or cannot be read.
    """
    from striprtf.striprtf import rtf_to_text

    raw = data.decode("cp1252", "replace")
    if not raw.lstrip().startswith("{\\rtf"):
        raise PromptError(f"{where}: no rich text, expected it to begin with {{\\rtf")
    if special := _NOT_TEXT.search(raw):
        raise PromptError(f"{where}: holds {special.group()!r}, expected text only")
    try:
        text = rtf_to_text(raw)
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16")
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise PromptError(f"{where}: cannot be read as rich text: {shorten(error)}") from None
    return _checked(joined, where)


def _text(data: bytes, where: str) -> str:
    try:
        return _checked(data.decode("utf-8-sig"), where)
    except UnicodeDecodeError as error:
        raise PromptError(f"{where}: byte {error.start + 1:,} is not UTF-8") from None


def _checked(text: str, where: str) -> str:
    if "\0" in text or not text.strip():
        raise PromptError(f"{where}: {'binary data' if text.strip() else 'empty'}, expected text")
    if len(text) > MOST_CHARACTERS:
        raise PromptError(f"{where}: {len(text):,} characters, expected at most {MOST_CHARACTERS:,}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _bytes(path: Path) -> bytes:
    most = 4 * MOST_CHARACTERS
    try:
        return file_bytes(path, most)
    except LimitError:
        raise PromptError(located(path, f"more than {most:,} bytes, the most that is read")) from None
    except DataError as error:
        raise PromptError(located(path, f"cannot be read: {one_line(error)}")) from None
