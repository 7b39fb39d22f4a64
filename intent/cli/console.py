"""What the commands print: JSON objects, tables, notes on standard error, progress on a terminal."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from intent.workflows.json_values import json_values

__all__ = ["harmless", "note", "print_json", "print_table", "progress"]


_OBEYED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, changes of direction and halves of surrogate pairs."""

_FOLDED = 60
"""Characters up to which no cell of a table in a pipe is folded, however wide that makes the table."""


def print_json(payload: object) -> None:
    """One JSON object on standard output; numbers that are not finite become null.

    What a terminal would obey stands there as the escapes of JSON.
    """
    values = json_values(payload)
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    text = _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
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
    from rich.markup import escape
    from rich.table import Table

    title, header = harmless(title), [harmless(name) for name in header]
    texts = [[harmless(cell if isinstance(cell, str) else _shown(cell)) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(header):
        numeric = bool(texts) and all(_is_number(row[i]) for row in texts)
        table.add_column(escape(name), justify="right" if numeric else "left", overflow="fold")
    for text in texts:
        table.add_row(*(escape(cell) for cell in text))
    console = Console()
    if console.is_terminal:
        if title:
            console.print(title, style="italic", markup=False, highlight=False, soft_wrap=True)
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


def note(text: str) -> None:
    """A line for people, on standard error."""
    sys.stderr.write(harmless(text) + "\n")


def harmless(text: str) -> str:
    """The text without what a terminal would obey or cannot show: models, endpoints, file names have it."""
    return _OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing in a pipe; yields ``update(done, total)``."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
