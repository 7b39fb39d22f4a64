"""The command `intent`; its commands take a moment to load, and who interrupts then gets one line, too."""

from __future__ import annotations

import sys

from intent.base.errors import INTERRUPTED

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0, or 2 after a one-line error (1 where the error is ours).

    ``--debug``, anywhere on the line, lets the traceback through; ``--quiet`` shows no progress.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.
    """
    try:
        from intent.cli.app import run
    except KeyboardInterrupt:
        sys.stderr.write("intent: interrupted\n")
        sys.exit(INTERRUPTED)
    run(arguments)
