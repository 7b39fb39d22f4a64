"""What is left out of games that are passed on: the settings of every job that writes them for others."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from intent.base.errors import UsageError
from intent.base.job import Request, option

if TYPE_CHECKING:
    from intent.logs.redaction import Without

__all__ = ["Leaving"]


class Leaving(Request, kw_only=True):
    """What is left out, and what stands in its place."""

    redact: Sequence[str] = option(
        (),
        "Leave texts out: messages, reasoning, private, prompts, replies, all, or a column's.",
        words=list[str] | None,
        metavar="KIND[,KIND…]",
    )
    redact_as: str = option("length", "What stands there instead: length, hash (keyed) or null.")
    pseudonyms: bool = option(False, "Replace the names of subjects, games and sessions.", "--pseudonyms")
    key: str | Path | None = option(
        None,
        "Key of hashes and pseudonyms; else a new one, kept nowhere.",
        words=Path | None,
        metavar="FILE",
    )

    def without(self) -> "Without | None":
        """What leaves it out; None for nothing.

        Raises
        ------
        UsageError
            A key of nothing.
        """
        if not self.redact and not self.pseudonyms:
            if self.key is not None:
                raise UsageError(
                    "--key is the key of --redact-as hash and --pseudonyms, expected one of them"
                )
            return None
        from intent.logs.redaction import leaving_out

        return leaving_out(self.redact, self.redact_as, self.pseudonyms, self.key)
