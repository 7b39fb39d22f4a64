"""What the commands print: JSON objects, tables, notes on standard error, progress on a terminal.

Wide tables for people: the columns in blocks that fit the terminal, below each other.
"""

from __future__ import annotations

import io
import json
import logging
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from intent.base.json_text import json_values
from intent.base.offline import LOGGER, forget

__all__ = [
    "blocks",
    "contacts_shown",
    "filtered",
    "harmless",
    "messages",
    "note",
    "print_blocks",
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


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """A table on standard output, numbers to the right; plain columns in a pipe.

    The title stands above on a line of its own, however wide the table is.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    title, header = terminal_line(title), [terminal_line(name) for name in header]
    texts = [[terminal_line(cell if isinstance(cell, str) else _shown(cell)) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(header):
        numeric = bool(texts) and all(_is_number(row[i]) for row in texts)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for text in texts:
        table.add_row(*(Text(cell) for cell in text))
    console = Console(file=unfiltered(sys.stdout))
    if console.is_terminal:
        if title:
            console.print(Text(title), style="italic", soft_wrap=True)
        console.print(table)
        return
    plain = io.StringIO()
    short = all(len(cell) <= _FOLDED for text in texts for cell in text)
    Console(file=plain, width=10_000 if short else max(120, console.width)).print(table)
    lines = [*([title] if title else []), *plain.getvalue().splitlines()]
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in lines))


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


def _is_number(text: str) -> bool:
    if text in ("", "–"):
        return True
    try:
        float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return False
    return True


def say(text: str = "") -> None:
    """A line on standard output; line breaks around it are ours, those within it somebody else's."""
    body = text.strip("\n")
    before, behind = text.split(body, 1) if body else (text, "")
    sys.stdout.write(f"{before}{terminal_line(body)}{behind}\n")
    sys.stdout.flush()


def show_text(text: str) -> None:
    """A text of several lines on standard output, such as a prompt."""
    sys.stdout.write(harmless(text) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """A line for people, on standard error."""
    sys.stderr.write(terminal_line(text) + "\n")


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


WIDTH = 120
"""Of output that goes to no terminal."""

_GAP = 2


def blocks(header: Sequence[str], rows: Sequence[Sequence[str]], width: int, fixed: int = 1) -> list[range]:
    """Columns after the first ones that fit beside these, block by block, evenly where that fits too.

    Where the first columns are long, the others have half of the width all the same.

    Examples
    --------
    >>> blocks(["m", "aa", "bb", "cc"], [["x", "1", "2", "3"]], width=9)
    [range(1, 3), range(3, 4)]
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    room = max(width - sum(widths[:fixed]) - _GAP * (fixed - 1), width // 2)
    parts: list[range] = []
    start = fixed
    for i in range(fixed + 1, len(widths)):
        if _needed(widths, range(start, i + 1)) > room:
            parts.append(range(start, i))
            start = i
    parts.append(range(start, len(widths)))
    most = -(-(len(widths) - fixed) // len(parts))
    even = [range(k, min(k + most, len(widths))) for k in range(fixed, len(widths), most)]
    return even if all(_needed(widths, columns) <= room for columns in even) else parts


def _needed(widths: Sequence[int], columns: range) -> int:
    return sum(widths[i] + _GAP for i in columns)


def print_blocks(
    header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", fixed: int = 1
) -> None:
    """Print a table, with its first columns again in every block where not all fit beside each other.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of rows of texts
    title : str, above the first block
    fixed : int, columns that stand in every block
    """
    from shutil import get_terminal_size

    for k, columns in enumerate(blocks(header, rows, get_terminal_size((WIDTH, 24)).columns, fixed)):
        if k:
            say()
        chosen = [*range(fixed), *columns]
        body = [[row[i] for i in chosen] for row in rows]
        print_table([header[i] for i in chosen], body, title="" if k else title)
