"""The command `intent`; its commands take a moment to load, and who interrupts then gets one line, too."""

from __future__ import annotations

import sys

__all__ = ["COMMANDS", "INTERRUPTED", "main"]

COMMANDS = {
    "play": "play",
    "resume": "play",
    "status": "play",
    "export": "logs",
    "generate": "logs",
    "train": "recognisers",
    "study": "recognisers",
    "evaluate": "recognisers",
    "label": "label",
    "sfem": "shares",
    "contributors": "shares",
    "sweep": "compare",
    "compare": "compare",
    "power": "compare",
    "report": "report",
    "view": "report",
    "metrics": "behaviour",
    "figures": "report",
    "explain": "behaviour",
    "results": "report",
    "discover": "shares",
    "validate": "logs",
    "probe": "recognisers",
    "tournament": "tournament",
    "evolve": "tournament",
    "bench": "bench",
    "sampling": "behaviour",
    "strategies": "strategies",
    "games": "logs",
    "models": "recognisers",
    "demo": "demo",
}
"""Command -> module of `intent.cli` with a function or app of that name, in the order of the help."""

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
