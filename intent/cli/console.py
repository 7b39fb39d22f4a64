"""What the commands print: JSON objects, tables, notes and progress on standard error.

No number and no word of a table is ever broken: where its columns do not fit beside each other, prose and
headings are wrapped at spaces, then it stands in several tables that repeat what names a row, then in blocks
of ``name: value``, row by row.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from intent.base.outputs import json_values
from intent.base.registry import LOGGER as LACKS
from intent.base.remote import LOGGER, forget

__all__ = [
    "WIDTH",
    "Line",
    "contacts_shown",
    "filled",
    "filtered",
    "harmless",
    "messages",
    "note",
    "print_json",
    "print_table",
    "progress",
    "say",
    "show_text",
    "silence",
    "table_lines",
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


_SILENT: ContextVar[bool] = ContextVar("silent", default=False)


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
    and tables that say which columns name a row, have `WIDTH` at most.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of rows; floats are rounded, None is a dash
    title : str
        On a line of its own.
    fixed : int, optional
        Columns that name a row, as `table_lines` takes them.
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
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdecimal() and int(wanted) else None


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
    """Whom a command will contact is a note on standard error, before it does; so is what lacks an extra."""
    contacts, lacks = _Notes(), _Notes("note: ")
    level = LOGGER.level
    LOGGER.addHandler(contacts)
    LOGGER.setLevel(logging.INFO)
    LACKS.addHandler(lacks)
    try:
        yield
    finally:
        LOGGER.removeHandler(contacts)
        LOGGER.setLevel(level)
        LACKS.removeHandler(lacks)
        if contacts.shown:  # which the next command says again
            forget()


class _Notes(logging.Handler):
    def __init__(self, before: str = "") -> None:
        super().__init__()
        self.before, self.shown = before, 0

    def emit(self, record: logging.LogRecord) -> None:
        self.shown += 1
        note(f"{self.before}{record.getMessage()}")


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
def silence(wanted: bool) -> Iterator[None]:
    """No progress on standard error meanwhile, where that is wanted."""
    token = _SILENT.set(wanted)
    try:
        yield
    finally:
        _SILENT.reset(token)


@contextmanager
def progress(what: str, *, plain: bool = False, detailed: bool = False) -> Iterator[Callable[..., None]]:
    """A progress bar on a terminal, else a line now and then; yields ``update(done, total)``.

    A detailed bar, of games, begins with the first ``update(done, total, details, trouble)``.

    Parameters
    ----------
    what : str
    plain : bool
        Lines on a terminal too.
    detailed : bool
    """
    if _SILENT.get():
        yield lambda *progress: None
        return
    if plain or not sys.stderr.isatty():
        with _lines(what) as tell:
            yield tell
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


_FIRST_LINE, _NEXT_LINE = 20.0, 30.0
"""Seconds until work that goes on says so for the first time, and from each line to the next."""


@contextmanager
def _lines(what: str) -> Iterator[Callable[..., None]]:
    """Lines of progress on standard error, also while one step takes long."""
    begin, over = time.monotonic(), threading.Event()
    last: list[str] = ["at work"]

    def update(done: int, total: int, *details: str) -> None:
        last[:] = [f"{done:,} of {total:,}", *filter(None, details)]

    def tell() -> None:
        wait = _FIRST_LINE
        while not over.wait(wait):
            note(f"{what}: {'; '.join([*last, f'{time.monotonic() - begin:,.0f} s'])}")
            sys.stderr.flush()
            wait = _NEXT_LINE

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield update
    finally:
        over.set()
        teller.join()


WIDTH = 120
"""Of output that goes to no terminal, where something has to be wrapped."""

_GAP = 2
_PROSE = 24
"""Characters beyond which a cell of several words is prose, and below which prose is not squeezed."""

_TALL = 6
"""Lines of a cell beyond which a row is easier to read as a block."""

_WORDS = re.compile(r"[^\W\d_]{2,}")


class Line(NamedTuple):
    """A line of a table; headings stand out."""

    text: str
    heading: bool = False


@dataclass(frozen=True)
class _Column:
    name: str
    cells: tuple[str, ...]

    @property
    def numeric(self) -> bool:
        """Whether all cells are numbers, so that they stand to the right."""
        return bool(self.cells) and all(map(_is_number, self.cells))

    @property
    def prose(self) -> bool:
        """Whether cells may be wrapped at spaces."""
        return any(_cells(cell) > _PROSE and len(_WORDS.findall(cell)) >= 3 for cell in self.cells)

    @property
    def longest(self) -> int:
        """Width of the longest cell."""
        return max(map(_cells, self.cells), default=0)

    @property
    def natural(self) -> int:
        """Width that wraps nothing."""
        return max(self.longest, _cells(self.name))

    @property
    def headed(self) -> int:
        """Width whose heading is wrapped, and no cell."""
        return max(self.longest, _longest_word(self.name))

    @property
    def least(self) -> int:
        """Width below which a word would be broken, or prose would be squeezed."""
        if not self.prose:
            return self.headed
        words = max(_longest_word(cell) for cell in (self.name, *self.cells))
        return max(words, min(self.longest, _PROSE))


def table_lines(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None,
    fixed: int | None = None,
    apart: bool = True,
) -> list[Line]:
    """The lines of a table.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of rows of texts
    width : int or None
        Cells of a terminal; None for as many as it takes, and nothing is wrapped.
    fixed : int, optional
        Columns that name a row, and stand in every table where there are several; default: as many as it
        takes to tell rows apart.
    apart : bool
        Whether columns that say the same in all rows leave the table for a line above it.

    Examples
    --------
    >>> rows = [["A", "40", "0.25"], ["B", "40", "0.5"]]
    >>> [line.text for line in table_lines(["model", "n", "share"], rows, width=80)]
    ['the same in all rows: n 40', 'model  share', 'A       0.25', 'B        0.5']
    """
    columns = [_Column(name, tuple(row[i] for row in rows)) for i, name in enumerate(header)]
    lines: list[Line] = []
    keys = min(_keys(columns) if fixed is None else fixed, len(columns))
    if apart and len(rows) > 1 and not _is_matrix(columns):
        same = [k for k, column in enumerate(columns) if len(set(column.cells)) == 1]
        if same and len(same) < len(columns):
            items = [f"{columns[k].name} {columns[k].cells[0] or '–'}" for k in same]
            lines += [Line(text) for text in _listed("the same in all rows:", items, width)]
            keys = max(1, keys - sum(k < keys for k in same))
            columns = [column for k, column in enumerate(columns) if k not in same]
    if width is None:
        return lines + _side_by_side(columns, [column.natural for column in columns])
    widths = _widths(columns, width)
    if widths is not None and not _tall(columns, widths):
        return lines + _side_by_side(columns, widths)
    if len(rows) == 1:
        keys = 0
    parts = _parts(columns, keys, width)
    if parts is None:
        return lines + list(_stacked(columns, keys, width))
    for part in parts:
        if part is not parts[0]:
            lines.append(Line(""))
        lines += _side_by_side(part, _widths(part, width) or [column.least for column in part])
    return lines


def filled(text: str, width: int | None, *, hang: int | None = None) -> list[str]:
    """A line as lines of at most so many cells, broken at spaces only.

    Parameters
    ----------
    text : str
    width : int or None
        None breaks nothing.
    hang : int, optional
        Cells before the second and later lines; default: below the first word of a list's item, or of what
        stands behind a name and two spaces.
    """
    if width is None or _cells(text) <= width:
        return [text]
    start = text[: len(text) - len(text.lstrip())]
    if hang is None:
        item = re.match(r"\s*(?:[-•] |\S(?:\S| (?! ))*\s{2,})?", text)
        hang = _cells(item[0]) if item else 0
        hang = hang if 2 * hang <= width else len(start)
    lines, line = [], start
    for piece in re.findall(r"\S+\s*", text[len(start) :]):
        if line.strip() and _cells(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = " " * hang
        line += piece
    return [*lines, line.rstrip()]


def _listed(start: str, items: Sequence[str], width: int | None) -> Iterator[str]:
    """Items after a beginning, each on one line where it fits on one."""
    line = start
    for k, item in enumerate(items):
        piece = item if k == len(items) - 1 else f"{item};"
        if width is not None and _cells(f"{line} {piece}") > width:
            yield from filled(line, width, hang=2)
            line = " "
        line = f"{line} {piece}"
    yield from filled(line, width, hang=2)


def _cells(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _longest_word(text: str) -> int:
    return max(map(_cells, text.split()), default=0)


def _is_number(text: str) -> bool:
    if text in ("", "–"):
        return True
    try:
        float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return False
    return True


def _is_matrix(columns: Sequence[_Column]) -> bool:
    """Whether the columns are the rows again: everyone against everyone."""
    return len(columns) > 2 and [column.name for column in columns[1:]] == list(columns[0].cells)


def _keys(columns: Sequence[_Column]) -> int:
    """How many first columns name a row: texts that tell rows apart, or a rank and a text."""
    if not columns:
        return 0
    if columns[0].numeric and len(columns) > 2 and not columns[1].numeric:
        return 2
    most = next((k for k, column in enumerate(columns) if column.numeric), len(columns))
    for n in range(1, most + 1):
        if len(set(zip(*(column.cells for column in columns[:n]), strict=True))) == len(columns[0].cells):
            return n
    return max(1, min(most, len(columns) - 1))


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widths(columns: Sequence[_Column], width: int) -> list[int] | None:
    """Widths in which columns fit beside each other, prose wrapped first, then headings; None for none."""
    natural = [column.natural for column in columns]
    if _needed(natural) <= width:
        return natural
    for least in (
        [column.least if column.prose else column.natural for column in columns],
        [column.least for column in columns],
    ):
        room = width - _needed(least)
        if room >= 0:
            return _shared(natural, least, room)
    return None


def _shared(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The least widths, and what is left shared among those that want more."""
    widths = list(least)
    while room:
        narrow = [k for k, w in enumerate(widths) if w < natural[k]]
        if not narrow:
            break
        each = max(1, room // len(narrow))
        for k in narrow[:room]:
            more = min(each, natural[k] - widths[k], room)
            widths[k] += more
            room -= more
    return widths


def _tall(columns: Sequence[_Column], widths: Sequence[int]) -> bool:
    """Whether the prose of a row takes too many lines."""
    return any(
        len(filled(cell, width, hang=0)) > _TALL
        for column, width in zip(columns, widths, strict=True)
        for cell in column.cells
        if _cells(cell) > width
    )


def _parts(columns: Sequence[_Column], keys: int, width: int) -> list[list[_Column]] | None:
    """Several tables that fit, evenly where that fits too, each with what names a row; None where none do."""
    first, others = list(columns[:keys]), list(columns[keys:])
    if any((own := _widths([*first, one], width)) is None or _tall([*first, one], own) for one in others):
        return None

    def fits(part: Sequence[_Column]) -> bool:
        return len(part) == 1 or _needed([column.natural for column in (*first, *part)]) <= width

    parts: list[list[_Column]] = [[]]
    for column in others:
        if parts[-1] and not fits([*parts[-1], column]):
            parts.append([])
        parts[-1].append(column)
    most = -(-len(others) // len(parts))
    even = [others[k : k + most] for k in range(0, len(others), most)]
    return [[*first, *part] for part in (even if all(map(fits, even)) else parts)]


def _side_by_side(columns: Sequence[_Column], widths: Sequence[int]) -> list[Line]:
    """A heading and rows, cells wrapped in their width, numbers to the right."""
    lines = [Line(text, True) for text in _row([c.name for c in columns], columns, widths, below=True)]
    n = len(columns[0].cells) if columns else 0
    for k in range(n):
        lines += map(Line, _row([c.cells[k] for c in columns], columns, widths))
    return lines


def _row(
    cells: Sequence[str], columns: Sequence[_Column], widths: Sequence[int], *, below: bool = False
) -> Iterator[str]:
    wrapped = [filled(cell, width, hang=0) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, wrapped), default=0)
    for k in range(height):
        texts = []
        for column, lines, width in zip(columns, wrapped, widths, strict=True):
            place = k - (height - len(lines)) if below else k
            text = lines[place] if 0 <= place < len(lines) else ""
            space = " " * max(0, width - _cells(text))
            texts.append(space + text if column.numeric else text + space)
        yield (" " * _GAP).join(texts).rstrip()


def _stacked(columns: Sequence[_Column], keys: int, width: int) -> Iterator[Line]:
    """Each row as a block: what names it, and below it the other cells with their names."""
    others = columns[keys:]
    room = max((_cells(column.name) for column in others), default=0) + 1
    for k in range(len(columns[0].cells)):
        if k:
            yield Line("")
        for column in columns[:keys]:
            for text in filled(f"{column.name}: {column.cells[k]}", width, hang=2):
                yield Line(text, True)
        indent = 2 if keys else 0
        for column in others:
            if not column.cells[k]:
                continue
            name = " " * indent + f"{column.name}:"
            behind = indent + room + 1
            if behind + _longest_word(column.cells[k]) > width:
                behind = indent + 2
            yield from map(Line, _named(name, column.cells[k], behind, width))


def _named(name: str, cell: str, behind: int, width: int) -> Iterable[str]:
    """A name and its cell, which begins on a line of its own where it does not fit behind it."""
    if _cells(name) < behind:
        return filled(f"{name:<{behind}}{cell}", width, hang=behind)
    return [*filled(name, width), *filled(" " * behind + cell, width, hang=behind)]
