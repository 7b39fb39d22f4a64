"""What an export leaves out: texts, and the names of subjects, with one key for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.logs.pseudonyms import Pseudonyms
    from intent.logs.redaction import Redaction

__all__ = ["Without", "leaving_out"]


@dataclass(frozen=True)
class Without:
    """Leaves out of logs and tables of calls what an export is not to have.

    Parameters
    ----------
    redaction : Redaction, optional
    pseudonyms : Pseudonyms, optional
    """

    redaction: Redaction | None
    pseudonyms: Pseudonyms | None

    def log(self, log: GameLog) -> GameLog:
        """The log without it."""
        from intent.logs.redaction import redact_log

        log = log if self.redaction is None else redact_log(log, self.redaction)
        return log if self.pseudonyms is None else self.pseudonyms.log(log)

    def calls(self, calls: pd.DataFrame) -> pd.DataFrame:
        """The table of calls without it."""
        from intent.logs.redaction import redact_calls

        calls = calls if self.redaction is None else redact_calls(calls, self.redaction)
        return calls if self.pseudonyms is None else self.pseudonyms.calls(calls)


def leaving_out(
    redact: Sequence[str], redact_as: str = "length", pseudonyms: bool = False, key: str | Path | None = None
) -> Without:
    """What the options of an export say.

    Parameters
    ----------
    redact : sequence of str
        Kinds of text or names of columns, also several in one by commas.
    redact_as : {"length", "hash", "null"}
    pseudonyms : bool
    key : path, optional

    Raises
    ------
    UsageError
        An empty name.
    UnknownNameError
        A mark that is none.
    DataError
        The key cannot be read.
    """
    from intent.logs.pseudonyms import Pseudonyms, read_key
    from intent.logs.redaction import Redaction

    kinds = tuple(dict.fromkeys(name.strip() for item in redact for name in item.split(",")))
    if "" in kinds:
        raise UsageError(f"--redact {','.join(redact)!r}, expected kinds of text cut by commas")
    secret = read_key(key)
    return Without(
        Redaction(kinds, redact_as, secret) if kinds else None, Pseudonyms(secret) if pseudonyms else None
    )
