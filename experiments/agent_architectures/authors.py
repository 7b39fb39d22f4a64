"""The thesis's own files, one CSV per game, as a game log.

The thesis tells what the columns hold and not what they are called, so that they are known by what they hold:
the two columns of actions and the two of running scores in their order (the agent's first), four answers,
and settings by a part of their name. Which action is cooperation is what the actions say; the game is named
by a column or by the path, and checked against the running scores, since points of the dilemma are years of
delight.

References
----------
Cremonini 2025, The Agent's Dilemma, section 2.4.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pandas as pd

from intent.base.errors import DataError, shorten
from intent.behaviour.questions import rescore
from intent.games.game import MatrixGame
from intent.logs.gamelog import GameLog
from intent.play.match import Horizon, Match, Move, QuestionAnswer, Round, to_log

__all__ = ["read_authors"]

_YEARS = {"delight": (15, 10, 5, 0), "confusion": (5, 0, 10, 15), "dilemma": (0, 5, 10, 15)}
"""Game -> years for T, R, P, S."""

_LABELS = ("Cooperate", "Defect")
_ASKED = ("opponent_next", "rounds_so_far", "extremes", "total_so_far")
_ARCHITECTURES = {"plain": "plain", "tool": "tool", "debate": "debate", "assist": "debate"}
_OPPONENTS = {
    "cooperate": "ALLC",
    "allc": "ALLC",
    "defect": "ALLD",
    "alld": "ALLD",
    "tat": "TFT",
    "tft": "TFT",
}
_ATTITUDES = {"cooperate": "cooperate", "defect": "defect", "compute": "compute"}


def read_authors(source: str | Path) -> GameLog:
    """The log of a file, or of all CSV files in a folder and those below it.

    Parameters
    ----------
    source : path

    Returns
    -------
    GameLog
        One game per file, with the agent on seat 1, years as penalties, and the answers scored anew.

    Raises
    ------
    DataError
        No file, a file without actions, an action that is none, a game that nothing names, or scores that
        the named game does not pay: file, line where there is one, what was got and what was expected.
    """
    root = Path(source)
    files = sorted(root.rglob("*.csv")) if root.is_dir() else [root]
    if not files:
        raise DataError(f"{root}: no CSV file, expected one per game")
    log = to_log([_match(file, root) for file in files])
    if log.questions is None:
        return log
    return GameLog(
        log.games, log.seats, log.moves, rescore(log), provenance=log.provenance, rejects=log.rejects
    )


def _match(file: Path, root: Path) -> Match:
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False, sep=None, engine="python")
    except (OSError, ValueError, pd.errors.ParserError) as error:
        raise DataError(f"{file}: cannot be read as CSV: {shorten(error)}") from None
    names = {column: re.sub(r"[^a-z0-9]", "", column.casefold()) for column in map(str, table.columns)}
    own, other = _actions(table, file)
    path = " ".join(file.relative_to(root).parts if file != root else [file.name])
    game = _game(table, names, path, file)
    stage = replace(MatrixGame.from_trps(game, *_YEARS[game], "penalty", _LABELS), cooperate="Cooperate")
    payoffs = [stage.payoff(joint) for joint in zip(own, other, strict=True)]
    _check_scores(table, names, payoffs, file, game)
    advice = next((table[c] for c, n in names.items() if "advi" in n or "suggest" in n), None)
    rounds = tuple(
        Round(
            number,
            (
                Move(1, 1, mine, advice=None if advice is None else _label(advice[number - 1])),
                Move(2, 1, theirs),
            ),
            paid,
        )
        for number, (mine, theirs, paid) in enumerate(zip(own, other, payoffs, strict=True), start=1)
    )
    who = {
        "model": _setting(table, names, "model") or "(none)",
        "architecture": _known(table, names, ("arch", "agenttype"), _ARCHITECTURES) or "plain",
        "attitude": _known(table, names, ("att",), _ATTITUDES),
    }
    seats = (
        who,
        {"strategy": _known(table, names, ("opp", "strategy"), _OPPONENTS), "architecture": "scripted"},
    )
    answers = _answers(table, names)
    return Match(stage, Horizon(len(own), True), rounds, seats, {"repetition": 1}, answers)


def _label(text: str) -> str | None:
    """The action that a cell names, in any case and with quotation marks around it."""
    folded = text.strip().strip("'\"").casefold()
    return {"cooperate": "Cooperate", "c": "Cooperate", "defect": "Defect", "d": "Defect"}.get(folded)


def _actions(table: pd.DataFrame, file: Path) -> tuple[list[str], list[str]]:
    """Both players' actions: the first two columns that begin with one and vary by round or player."""
    setting = re.compile("att|opp.*str|q[1-4]|answer|advi|suggest", re.IGNORECASE)
    columns = [
        c for c in map(str, table.columns) if len(table) and _label(table[c][0]) and not setting.search(c)
    ]
    if len(columns) < 2:
        raise DataError(f"{file}: {len(columns)} columns of actions, expected two with Cooperate or Defect")
    both = []
    for column in columns[:2]:
        labels = [_label(cell) for cell in table[column]]
        if None in labels:
            at = labels.index(None)
            got = shorten(table[column][at])
            raise DataError(f"{file} line {at + 2}: {column} is {got!r}, expected Cooperate or Defect")
        both.append([str(label) for label in labels])
    return both[0], both[1]


def _game(table: pd.DataFrame, names: dict[str, str], path: str, file: Path) -> str:
    """The game that a column names, else the path."""
    cells = [
        str(table[column][0])
        for column, name in names.items()
        if re.search("game|dilemma|payoff|rules", name)
    ]
    for text in (*cells, path):
        named = [game for game in _YEARS if game in text.casefold()]
        if named:
            return named[0]
    got = ", ".join(map(shorten, cells)) or "nothing"
    raise DataError(f"{file}: the game is named by {got}, expected dilemma, delight or confusion")


def _check_scores(
    table: pd.DataFrame, names: dict[str, str], payoffs: Sequence[Sequence[float]], file: Path, game: str
) -> None:
    """Refuse running scores that are neither the years nor the points of the game."""
    columns = [column for column, name in names.items() if re.search("score|points|years|total", name)][:2]
    if len(columns) < 2:
        return
    for seat, column in enumerate(columns):
        scores = pd.to_numeric(table[column], errors="coerce").tolist()
        years = list(accumulate(pair[seat] for pair in payoffs))
        points = list(accumulate(15 - pair[seat] for pair in payoffs))
        wrong = [[i for i, one in enumerate(scores) if one != right[i]] for right in (years, points)]
        if all(wrong):
            at = max(rows[0] for rows in wrong)
            raise DataError(
                f"{file} line {at + 2}: {column} is {scores[at]:g}, expected {years[at]:g} years or "
                f"{points[at]:g} points of {game}"
            )


def _setting(table: pd.DataFrame, names: dict[str, str], part: str) -> str | None:
    cells = (str(table[column][0]).strip() for column, name in names.items() if part in name)
    return next((cell for cell in cells if cell), None)


def _known(
    table: pd.DataFrame, names: dict[str, str], parts: Sequence[str], known: dict[str, str]
) -> str | None:
    """What the first cell of a column means, by a part of its text."""
    for column, name in names.items():
        if any(part in name for part in parts) and not re.search("choice|action|move|score|answer", name):
            text = re.sub(r"[^a-z]", "", str(table[column][0]).casefold())
            if match := next((meaning for part, meaning in known.items() if part in text), None):
                return match
    return None


def _answers(table: pd.DataFrame, names: dict[str, str]) -> tuple[QuestionAnswer, ...]:
    """The four answers of every round, as given."""
    columns = [column for column, name in names.items() if re.search("q[1-4]|answer|question", name)][:4]
    if len(columns) < len(_ASKED):
        return ()
    return tuple(
        QuestionAnswer(number, 1, name, str(table[column][number - 1]))
        for number in range(1, len(table) + 1)
        for name, column in zip(_ASKED, columns, strict=True)
    )
