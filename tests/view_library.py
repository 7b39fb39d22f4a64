"""A small library of games for tests of the page."""

from __future__ import annotations

from pathlib import Path

from play_logs import PD, log_of, match

from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log
from intent.view.library import Library, open_library

HOSTILE = "<script>alert(1)</script>\u202egnp.exe\u0000<img src=x onerror=alert(2)>"


def sample_log() -> GameLog:
    """Six games of Prisoner's Dilemma: two models, two languages, clear, tied and unfit play, a default."""
    games = [
        ("CCDCCDDCCC", "CDCCDDCCCC", "en"),
        ("CCCCCCCCCC", "CCCCCCCCCC", "en"),
        ("DDDDDDDDDD", "CDDDDDDDDD", "fr"),
        ("CDDCDCCDCD", "DCDDCDCCDC", "fr"),
        ("CCcDDD.CCC", "CCDDDCCCCC", "en"),
        ("CDC", "CCD", HOSTILE),
    ]
    log = log_of(
        *(
            match(PD, *moves, model=["alpha", "beta"], persona=["cooperative", "selfish"], language=language)
            for *moves, language in games
        )
    )
    n = len(log.moves)
    moves = log.moves.assign(
        message=[f"I play round {r}" for r in log.moves["round"]],
        private_thought=[HOSTILE if i == n - 1 else "keep it quiet" for i in range(n)],
    )
    return GameLog(log.games, log.seats, moves)


def sample_library(folder: Path) -> Library:
    """The games, stored and opened."""
    return open_library(write_log(sample_log(), folder / "log"), background=False)
