"""The command `intent`; its commands take a moment to load, and who interrupts then gets one line, too."""

from __future__ import annotations

import sys

__all__ = ["COMMANDS", "INTERRUPTED", "main"]

COMMANDS = (
    "play",
    "resume",
    "status",
    "export",
    "generate",
    "train",
    "study",
    "evaluate",
    "label",
    "sfem",
    "contributors",
    "sweep",
    "compare",
    "power",
    "report",
    "view",
    "metrics",
    "figures",
    "explain",
    "results",
    "discover",
    "validate",
    "probe",
    "tournament",
    "evolve",
    "bench",
    "sampling",
    "strategies",
    "games",
    "models",
    "demo",
)
"""Commands in the order of the help: module `intent.cli.<name>` with a function or app of that name."""

INTERRUPTED = 130
"""Exit code of a command that was interrupted, as shells have it."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0, or 2 after a one-line error (1 where the error is ours).

    ``--debug``, anywhere on the line, lets the traceback through.

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
