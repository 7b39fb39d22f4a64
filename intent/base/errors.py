"""The tree of errors that this package raises on purpose.

::

    IntentError                 everything below; the command line prints one line and exits with 2
    ├── UsageError              an argument or option that cannot be
    │   ├── UnknownNameError    a name that no registry knows; suggests the nearest three
    │   └── MissingExtraError   an optional library is not installed; says which pip line installs it
    ├── DataError               a file or table that cannot be read as what it claims to be
    │   └── LimitError          it is larger than the bound that protects memory
    ├── GameError               payoffs or actions that make no game, or moves that break its rules
    ├── StrategyError           an automaton that is not one
    ├── RecogniserError         a recogniser that is not fitted, not readable or does not fit the data
    ├── PromptError             a prompt or template that cannot be filled in
    ├── EndpointError           a language model that gave no usable answer
    │   ├── RetryableError      the same request may succeed later: overload, time-out, cut connection
    │   ├── RefusedError        the same request will fail again: key, model name, malformed request
    │   └── SettingError        a setting that the endpoint would not honour
    ├── RunError                a run folder that is damaged, in use, or of another version
    │   └── BudgetSpent         the next call might cost more than is left
    └── OutputError             a result that cannot be written where it was asked for
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = [
    "FRAME",
    "INTERRUPTED",
    "BudgetSpent",
    "DataError",
    "EndpointError",
    "GameError",
    "IntentError",
    "LimitError",
    "MissingExtraError",
    "OutputError",
    "PromptError",
    "RecogniserError",
    "RefusedError",
    "RetryableError",
    "RunError",
    "SettingError",
    "StrategyError",
    "UnknownNameError",
    "UsageError",
    "located",
    "of_file",
    "one_line",
    "shorten",
    "unit_of",
]

INTERRUPTED = 130
"""Exit code of a command that was interrupted, as shells have it."""


class IntentError(Exception):
    """Root of all errors raised on purpose; pickling one, as pools of processes do, keeps all of it."""

    details: tuple[str, ...] = ()
    """What is to be said before the error itself, a line for each, such as every file that is missing."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


class UsageError(IntentError):
    """An argument or option that cannot be."""


class UnknownNameError(UsageError):
    """A name that is not in a registry.

    Parameters
    ----------
    kind : str
        What was looked for, as in ``"strategy"``.
    got : str
    known : iterable of str
    """

    def __init__(self, kind: str, got: str, known: Iterable[str]) -> None:
        names = list(known)
        near = nearest(got, names)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        if not near and names:
            hint = f"; known: {', '.join(names[:12])}" + (", …" if len(names) > 12 else "")
        super().__init__(f"unknown {kind} {shorten(got)!r}{hint}")
        self.kind, self.got, self.suggestions = kind, got, near


class MissingExtraError(UsageError):
    """An optional library is missing."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed; run: pip install 'strategy-intent[{extra}]'")


class DataError(IntentError):
    """A file or table that cannot be read as what it claims to be."""


class LimitError(DataError):
    """Input larger than the bound that protects memory."""


class GameError(IntentError):
    """Payoffs or actions that make no game, or moves that break its rules."""


class StrategyError(IntentError):
    """An automaton that is not one."""


class RecogniserError(IntentError):
    """A recogniser that is not fitted, not readable or does not fit the data."""


class PromptError(IntentError):
    """A prompt or template that cannot be filled in."""


class EndpointError(IntentError):
    """A language model that gave no usable answer."""


class RetryableError(EndpointError):
    """The same request may succeed later.

    Parameters
    ----------
    message : str
    retry_after : float, optional
        Seconds that the endpoint asks to wait.
    status : int, optional
        Status of an HTTP answer; 429 slows down all calls to the endpoint. None where no answer came,
        or none that could be read.

    Attributes
    ----------
    failures : tuple
        All failures of a call that was tried until its rules forbade it, this one included.
    """

    failures: tuple[object, ...] = ()

    def __init__(self, message: str, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after, self.status = retry_after, status


class RefusedError(EndpointError):
    """The same request will fail again."""


class SettingError(EndpointError):
    """A setting that the endpoint would not honour."""


class RunError(IntentError):
    """A run folder that is damaged, in use, or of another version."""


class BudgetSpent(RunError):
    """The next call might cost more than is left of the budget."""


class OutputError(IntentError):
    """A result that cannot be written where it was asked for."""


def _restored(kind: type[IntentError], args: tuple[object, ...], state: dict[str, object]) -> IntentError:
    # made without __init__, whose arguments are not those that the message is made of
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


def nearest(got: str, known: Iterable[str], n: int = 3, cutoff: float = 0.5) -> list[str]:
    """The at most `n` known names nearest to `got`, case ignored, nearest first.

    Parameters
    ----------
    got : str
    known : iterable of str
    n : int
    cutoff : float in [0, 1], least similarity (`difflib.SequenceMatcher.ratio`)
    """
    by_fold = {name.casefold(): name for name in reversed(list(known))}
    return [by_fold[m] for m in difflib.get_close_matches(got.casefold(), by_fold, n=n, cutoff=cutoff)]


def shorten(text: object, limit: int = 80) -> str:
    """`text` on one line and at most `limit` characters, for quoting input in a message."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def one_line(text: object, limit: int = 200) -> str:
    """Text that nobody vouches for, as `shorten`, and without control characters."""
    line = str(text)[: 4 * limit]
    return shorten("".join(c if c.isprintable() else " " for c in line), limit)


FRAME = "DataFrame"
"""What a table in memory is called where a file has its name."""


def unit_of(path: str | Path) -> str:
    """What a place in a source is counted in: lines of a file, rows of a table in memory."""
    return "row" if str(path) == FRAME else "line"


def located(path: str | Path, message: str, line: int | None = None) -> str:
    """The message with the place in front: ``results.csv line 412: …``."""
    name = Path(path).name or str(path)
    where = f"{name} {unit_of(path)} {line}" if line is not None else name
    return f"{where}: {message}"


def of_file(path: str | Path, error: DataError) -> DataError:
    """The same error with the file in front, unless its message names that already."""
    text, name = str(error), Path(path).name
    kind = LimitError if isinstance(error, LimitError) else DataError
    return kind(text if text.startswith((f"{name}:", f"{name} {unit_of(path)} ")) else located(path, text))
