"""The one language that prompt templates are written in: placeholders, doubled braces, optional blocks.

``{name}`` is replaced by a value, ``{{`` and ``}}`` are braces, ``{tag}: [text]`` is a block that is kept
or dropped. Nothing else is done: no attributes, indices, conversions or formats, no files, no
includes. Values are put in once and never looked at again, so that a message of a player which says
``{history}`` stays those nine characters.

Reading a folder of templates that nobody vouches for: ``NAME_LANGUAGE.txt`` and ``.rtf``.

References
----------
Buscemi et al. 2025, arXiv:2504.14325 (FAIRGAME's templates, which are read alike).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from intent.base.errors import DataError, LimitError, PromptError, located, nearest, one_line, shorten
from intent.base.files import file_bytes

__all__ = [
    "DROPPED",
    "MOST_CHARACTERS",
    "TemplateFile",
    "block_tags",
    "blocks",
    "fill",
    "keep_blocks",
    "line_of",
    "nested_block",
    "placeholders",
    "read_folder",
    "resolve_blocks",
    "rtf_text",
    "tidy",
]


MOST_CHARACTERS = 200_000
"""Of one template."""

MOST_FILLED = 8_000_000
"""Characters of one prompt."""

DROPPED = "\0"
"""What `tidy` knows a dropped block by; no template holds it."""

_TOKEN = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")
_TAG = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}:\s*\[")
_DROPPED_LINE = re.compile(r"^[ \t]*\0[\0 \t]*\n?", re.MULTILINE)
_GAPS = re.compile(r"\n{3,}")


@lru_cache(maxsize=1024)
def block_tags(text: str) -> tuple[str, ...]:
    """The tags of the blocks of a template, each once, in order."""
    return tuple(dict.fromkeys(tag for tag, _, _ in _spans(text)))


def blocks(text: str, where: str) -> dict[str, str]:
    """Tag -> text of a file that consists of blocks only.

    Raises
    ------
    PromptError
        Anything between the blocks, or a tag that occurs twice.
    """
    texts: dict[str, str] = {}
    end = 0
    for tag, start, stop in _spans(text):
        _only_space(text[end:start], where)
        if tag in texts:
            raise PromptError(f"{where}: {{{tag}}} occurs twice, expected once")
        whole = text[start:stop]
        texts[tag] = whole[whole.index("[") + 1 : -1]
        end = stop
    _only_space(text[end:], where)
    return texts


def keep_blocks(text: str, keep: Container[str], tags: Iterable[str], dropped: str = "") -> str:
    """The template with its blocks resolved, tag by tag.

    A block is ``{tag}:``, white space, ``[`` and all up to the first ``]``. The first one of a tag
    counts; all copies that are the same to the letter are replaced with it, by the text inside or by
    `dropped`.

    Parameters
    ----------
    keep : tags whose text stays
    tags : tags to resolve, in this order
    """
    for tag in tags:
        header = re.compile(rf"\{{{re.escape(tag)}\}}:\s*\[").search(text)
        stop = text.find("]", header.end()) if header else -1
        if header and stop >= 0:
            whole = text[header.start() : stop + 1]
            text = text.replace(whole, text[header.end() : stop] if tag in keep else dropped)
    return text


def resolve_blocks(text: str, keep: Container[str], dropped: str = "") -> str:
    """The template with all of its blocks resolved, wherever and however often their tags occur.

    A tag may have several blocks with other texts, as where a tool is spoken of in two places of a
    prompt; `keep_blocks` is FAIRGAME's rule, which knows the first.

    Parameters
    ----------
    keep : tags whose text stays
    """
    parts: list[str] = []
    end = 0
    for tag, start, stop in _spans(text):
        inside = text[text.index("[", start) + 1 : stop - 1]
        parts += [text[end:start], inside if tag in keep else dropped]
        end = stop
    return "".join([*parts, text[end:]])


def nested_block(text: str) -> tuple[str, str] | None:
    """The tags of a block and of one that is opened inside it, None where no block holds another."""
    for tag, start, stop in _spans(text):
        if inner := _TAG.search(text, text.index("[", start) + 1, stop):
            return tag, inner.group(1)
    return None


def line_of(text: str, name: str) -> int | None:
    """The line of a template on which a placeholder first stands, counted from 1; None where it does not."""
    lines = (text.count("\n", 0, token.start()) + 1 for token in _TOKEN.finditer(text) if token[1] == name)
    return next(lines, None)


def tidy(text: str) -> str:
    """The template without the lines that held nothing but dropped blocks, and one empty line at most."""
    return _GAPS.sub("\n\n", _DROPPED_LINE.sub("", text).replace(DROPPED, "")).strip()


def placeholders(text: str, where: str) -> tuple[str, ...]:
    """The names in the placeholders of a template without blocks, in order, as often as they occur."""
    return tuple(name for _, name in _pieces(text, where) if name is not None)


def fill(text: str, values: Mapping[str, object], where: str) -> str:
    """The template with values for its placeholders.

    Parameters
    ----------
    text : a template whose blocks are resolved
    values : more than the template asks for does no harm
    where : file or name of the template, for messages

    Raises
    ------
    PromptError
        A placeholder without a value, a lone brace, or a prompt of more than 8 million characters.
    """
    parts: list[str] = []
    length = 0
    for literal, name in _pieces(text, where):
        parts.append(literal)
        if name is not None:
            if name not in values:
                raise PromptError(f"{where}: no value for placeholder {{{name}}}{_known(name, values)}")
            parts.append(str(values[name]))
            length += len(parts[-1])
            if length > MOST_FILLED:
                raise PromptError(f"{where}: a prompt of more than {MOST_FILLED:,} characters")
    return "".join(parts)


def _known(name: str, values: Iterable[str]) -> str:
    names = sorted(values)
    near = nearest(name, names)
    if near:
        return "; did you mean " + ", ".join(f"{{{n}}}" for n in near) + "?"
    return "; known: " + ", ".join(f"{{{n}}}" for n in names[:40])


@lru_cache(maxsize=4096)
def _pieces(text: str, where: str) -> tuple[tuple[str, str | None], ...]:
    """Literal text and the placeholder after it, in turn."""
    if len(text) > MOST_CHARACTERS:
        raise PromptError(f"{where}: {len(text):,} characters, expected at most {MOST_CHARACTERS:,}")
    pieces: list[tuple[str, str | None]] = []
    literal: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        literal.append(text[end : token.start()])
        end = token.end()
        name = token.group(1)
        if name is not None:
            pieces.append(("".join(literal), name))
            literal = []
        elif len(token.group()) == 2:
            literal.append(token.group()[0])
        else:
            line = text.count("\n", 0, token.start()) + 1
            near = shorten(text[token.start() : token.start() + 40], 40)
            raise PromptError(
                f"{where} line {line}: {near!r} is no placeholder, expected {{name}}, "
                "or {{ and }} for braces that are meant"
            )
    pieces.append(("".join([*literal, text[end:]]), None))
    return tuple(pieces)


def _spans(text: str) -> list[tuple[str, int, int]]:
    """Tag, start and end of every block, first to last."""
    spans: list[tuple[str, int, int]] = []
    end = 0
    while header := _TAG.search(text, end):
        stop = text.find("]", header.end())
        if stop < 0:
            break
        end = stop + 1
        spans.append((header.group(1), header.start(), end))
    return spans


def _only_space(text: str, where: str) -> None:
    if text.strip():
        raise PromptError(f"{where}: {shorten(text.strip(), 40)!r} between blocks, expected {{name}}: [text]")


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
    texts: dict[TemplateFile, str] = {}
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
        texts[stem, language.lower()] = (
            rtf_text(data, path.name) if ending == "rtf" else _text(data, path.name)
        )
    if not texts:
        raise PromptError(f"{root}: no templates, expected files such as two_players_en.txt")
    return texts


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
