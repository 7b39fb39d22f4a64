"""What the commands print: JSON objects, tables, notes on standard error, progress on a terminal.

How tables and lines are laid out is `intent.cli.layout`'s.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from intent.base.json_text import json_values
from intent.base.offline import LOGGER, forget
from intent.cli.layout import WIDTH, Line, filled, table_lines

__all__ = [
    "contacts_shown",
    "filtered",
    "harmless",
    "messages",
    "note",
    "print_json",
    "print_table",
    "progress",
    "say",
    "show_text",
    "terminal_line",
    "unfiltered",
]


_OBEYED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\ud800-\uf8ff\U000e0000-\U000e007f\U000f0000-\U0010ffff]|(?<![\u0300-\U0010ffff])[\u200c\u200d]"
)
"""What a terminal obeys or does not show: control characters, changes of direction, characters without width,
halves of surrogate pairs, private letters. The joiners of Arabic, Indic scripts and emoji stay."""

_FOLDED = 60
"""Characters up to which no cell of a table in a pipe is folded, however wide that makes the table."""


def print_json(payload: object) -> None:
    """One JSON object on standard output; numbers that are not finite become null.

    What a terminal would obey stands there as the escapes of JSON.
    """
    values = json_values(payload)
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    text = _OBEYED.sub(lambda match: json.dumps(match[0])[1:-1], text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # an ASCII terminal
        text = json.dumps(values, allow_nan=False)
    sys.stdout.write(text + "\n")


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str = "",
    fixed: int | None = None,
) -> None:
    """A table on standard output, numbers to the right, laid out in the width of the terminal.

    In a pipe columns are as wide as it takes; COLUMNS lays a table out in that width there too. Long prose,
    and tables that say which columns name a row, have `layout.WIDTH` at most.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of rows; floats are rounded, None is a dash
    title : str
        On a line of its own.
    fixed : int, optional
        Columns that name a row, as `layout.table_lines` takes them.
    """
    title, header = terminal_line(title), [terminal_line(name) for name in header]
    texts = [[terminal_line(cell if isinstance(cell, str) else _shown(cell)) for cell in row] for row in rows]
    width = _width(sys.stdout) or _columns()
    apart = width is not None
    long = any(len(cell) > _FOLDED for text in texts for cell in text)
    if width is None and (long or fixed is not None):
        width = WIDTH
    titles = [Line(text) for text in filled(title, _width(sys.stdout))] if title else []
    _print_lines(titles, style="italic")
    _print_lines(table_lines(header, texts, width=width, fixed=fixed, apart=apart))


def _print_lines(lines: Iterable[Line], style: str = "") -> None:
    """Lines on standard output, headings in bold where the terminal has it."""
    if _width(sys.stdout) is None:
        sys.stdout.write("".join(f"{line.text}\n" for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=unfiltered(sys.stdout))
    for line in lines:
        console.print(Text(line.text), style="bold" if line.heading else style, soft_wrap=True)


def _width(stream: Any) -> int | None:
    """Of the terminal that a stream goes to; None for a pipe."""
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns if stream.isatty() else None


def _columns() -> int | None:
    """What COLUMNS asks for; None for nothing."""
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdecimal() and int(asked) else None


def _shown(cell: object) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return (
            "–"
            if math.isnan(cell)
            else f"{cell:.4g}"
            if abs(cell) >= 1e4 or 0 < abs(cell) < 1e-3
            else f"{cell:.3f}"
        )
    return str(cell)


def say(text: str = "") -> None:
    """A line on standard output; line breaks around it are ours, those within it somebody else's."""
    body = text.strip("\n")
    before, behind = text.split(body, 1) if body else (text, "")
    lines = filled(terminal_line(body), _width(sys.stdout))
    sys.stdout.write(f"{before}{_joined(lines)}{behind}\n")
    sys.stdout.flush()


def show_text(text: str) -> None:
    """A text of several lines on standard output, such as a prompt."""
    sys.stdout.write(harmless(text) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """A line for people, on standard error."""
    sys.stderr.write(_joined(filled(terminal_line(text), _width(sys.stderr))) + "\n")


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def harmless(text: str) -> str:
    """The text without what a terminal would obey or cannot show: file names and replies have it."""
    return text if text.isascii() and text.isprintable() else _OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)


def terminal_line(text: str) -> str:
    """One line of printable characters: what nobody vouches for cannot look like lines of ours."""
    if text.isprintable():
        return text
    return "".join(_printable(c) for c in harmless(text))


def _printable(character: str) -> str:
    if character.isprintable() or character in "\u200c\u200d":
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


class _Filtered:
    """A stream to which nothing is written that a terminal would obey."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(harmless(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def filtered() -> Iterator[None]:
    """Whatever is written within the block, also by libraries, warnings and `print`, passes `harmless`."""
    out: Any = _Filtered(sys.stdout)
    err: Any = _Filtered(sys.stderr)
    with redirect_stdout(out), redirect_stderr(err):
        yield


@contextmanager
def contacts_shown() -> Iterator[None]:
    """Whom a command will contact is a note on standard error, before it does."""
    handler = _Notes()
    level = LOGGER.level
    forget()
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


@contextmanager
def messages(logger: str) -> Iterator[list[str]]:
    """What a logger is told meanwhile, to be shown when there is room for it.

    Parameters
    ----------
    logger : str
    """
    handler, source = _Lines(), logging.getLogger(logger)
    level = source.level
    source.addHandler(handler)
    source.setLevel(logging.INFO)
    try:
        yield handler.lines
    finally:
        source.removeHandler(handler)
        source.setLevel(level)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def unfiltered(stream: Any) -> Any:
    """The stream below, for what draws with escapes of its own and makes the texts between them harmless."""
    return stream.stream if isinstance(stream, _Filtered) else stream


@contextmanager
def progress(what: str, *, quiet: bool = False, detailed: bool = False) -> Iterator[Callable[..., None]]:
    """A progress bar on a terminal, nothing in a pipe; yields ``update(done, total)``.

    A detailed one, of games, begins with the first ``update(done, total, details, trouble)``.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda *progress: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    def text(words: str, **layout: Any) -> TextColumn:
        return TextColumn(words, table_column=Column(no_wrap=True, **layout))

    # Troubles stand last and are cut, so that the counts stay in sight on a narrow terminal.
    columns = (
        text("{task.description}", max_width=20),
        BarColumn(bar_width=16),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        text("games  {task.fields[details]}"),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        text("{task.fields[trouble]}", ratio=1),
    )
    console = Console(file=unfiltered(sys.stderr))
    bar = Progress(*columns if detailed else (), console=console, transient=True, expand=detailed)
    task = bar.add_task(escape(terminal_line(what)), total=None, details="", trouble="")

    def update(done: int, total: int, details: str = "", trouble: str = "") -> None:
        bar.start()
        texts: dict[str, Any] = {
            "details": escape(terminal_line(details)),
            "trouble": escape(terminal_line(trouble)),
        }
        bar.update(task, completed=done, total=total, **texts)

    if not detailed:
        bar.start()
    try:
        yield update
    finally:
        bar.stop()
