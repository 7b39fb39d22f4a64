"""Models ranked by their scores: per game, per family and overall, as published leaderboards are made.

A cell is mean and sample deviation (n - 1) over runs. A family's value of a run is the mean over its games,
the overall value of a run the mean over all eight; mean and deviation over runs come after that, not from the
cells.

References
----------
Huang et al. 2024, arXiv:2403.11807, table 1; the deviation as in its scoring notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from intent.errors import DataError, shorten
from intent.games.gamma.catalogue import FAMILIES, GAMMA_GAMES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TITLES", "Cell", "Standing", "cell", "check_score", "in_cell", "leaderboard", "markdown", "ruled"]


_LARGEST = 1e9
"""Size beyond which a number is no score; NaN is beyond."""


@dataclass(frozen=True)
class Cell:
    """Scores of several runs.

    Parameters
    ----------
    mean : float
    sd : float or None
        Sample deviation; None of a single run.
    n : int
        Runs.
    """

    mean: float
    sd: float | None
    n: int

    def __str__(self) -> str:
        return f"{self.mean:.1f}" if self.sd is None else f"{self.mean:.1f} ± {self.sd:.1f}"


@dataclass(frozen=True)
class Standing:
    """One row of the leaderboard.

    Parameters
    ----------
    model : str
    games : mapping of game -> Cell
    families : mapping of family -> Cell
        Families of which a run has all games.
    overall : Cell or None
        None where no run has all games.
    missing : tuple of str
        Games without a score.
    notes : tuple of str
        What a reader should know of the row.
    """

    model: str
    games: Mapping[str, Cell]
    families: Mapping[str, Cell]
    overall: Cell | None
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


def leaderboard(scores: pd.DataFrame, *, partial: bool = False) -> list[Standing]:
    """Standings, best first: by the overall score, those without one at the end by their games' mean.

    Parameters
    ----------
    scores : DataFrame
        Columns model, game, run, score; one row per run of a game.
    partial : bool
        Whether a run that lacks games counts with those that it has, in families and overall.

    Raises
    ------
    DataError
        A column is missing, a game is unknown, a score is no finite number, or a run of a game is listed
        twice.
    """
    found: dict[str, dict[str, dict[object, float]]] = {}
    columns = ("model", "game", "run", "score")
    if lacking := [name for name in columns if name not in scores.columns]:
        raise DataError(f"scores: no column {', '.join(lacking)}, expected {', '.join(columns)}")
    for model, game, run, score in zip(*(scores[name].tolist() for name in columns), strict=True):
        check_score(model, game, score)
        runs = found.setdefault(str(model), {}).setdefault(str(game), {})
        if run in runs:
            raise DataError(f"scores: run {shorten(run)!r} of {shorten(model)} in {game} is listed twice")
        runs[run] = float(score)
    standings = [_standing(model, games, partial=partial) for model, games in found.items()]
    return sorted(standings, key=_rank)


def check_score(model: object, game: object, score: object) -> None:
    """Raise `DataError` unless the game is one of the eight and the score is a finite number."""
    if game not in GAMMA_GAMES:
        raise DataError(f"scores: game {shorten(game)!r}, expected one of {', '.join(GAMMA_GAMES)}")
    if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) <= _LARGEST:
        raise DataError(f"scores: {shorten(score)!r} of {shorten(model)} in {game}, expected a number")


def cell(values: Iterable[float]) -> Cell:
    """Mean and sample deviation of the scores of runs.

    Examples
    --------
    >>> print(cell([93.4, 94.1, 94.2, 94.8, 94.9]))
    94.3 ± 0.6
    """
    known = list(values)
    return Cell(fmean(known), stdev(known) if len(known) > 1 else None, len(known))


def markdown(standings: Sequence[Standing], titles: Mapping[str, str] | None = None) -> str:
    """The leaderboard as a Markdown table: models by games, families and overall, ``mean ± sd``.

    Parameters
    ----------
    standings : sequence of Standing
    titles : mapping of game or family -> heading; default: `TITLES`
    """
    named = TITLES if titles is None else titles
    parts = [*GAMMA_GAMES, *FAMILIES]
    header = ["Model", *(named[part] for part in parts), "Overall"]
    rows = [
        [
            in_cell(one.model),
            *(_text({**one.games, **one.families}.get(part)) for part in parts),
            _text(one.overall),
        ]
        for one in standings
    ]
    return ruled(header, rows)


def ruled(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are safe, names at the left and numbers at the right."""
    rule = ["---", *("---:" for _ in header[1:])]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def in_cell(name: str) -> str:
    """A name that nobody vouches for, in a Markdown table: no new cell, line, link or tag."""
    return "".join(f"\\{c}" if c in "\\|[]<>*_`" else c for c in shorten(name, 100) if c.isprintable())


TITLES: Mapping[str, str] = {
    "guessing": "Guess 2/3 of the Average",
    "bar": "El Farol Bar",
    "divide_dollar": "Divide the Dollar",
    "public_goods": "Public Goods Game",
    "diner": "Diner's Dilemma",
    "auction": "Sealed-Bid Auction",
    "battle_royale": "Battle Royale",
    "pirate": "Pirate Game",
    "cooperative": "Cooperative",
    "betraying": "Betraying",
    "sequential": "Sequential",
}
"""Names of games and families as the paper's tables have them."""


def _standing(model: str, games: Mapping[str, Mapping[object, float]], *, partial: bool) -> Standing:
    missing = tuple(game for game in GAMMA_GAMES if game not in games)
    families = {
        family: made
        for family, members in FAMILIES.items()
        if (made := _over_runs(games, members, partial=partial)) is not None
    }
    overall = _over_runs(games, tuple(GAMMA_GAMES), partial=partial)
    notes = []
    if missing:
        told = "the overall score is of the others" if partial else "no overall score (--partial makes one)"
        notes.append(f"{model}: no score in {', '.join(missing)}; {told}")
    elif overall is None:
        notes.append(f"{model}: no run has all games; no overall score (--partial makes one)")
    counts = {len(runs) for runs in games.values()}
    if len(counts) > 1 or any(set(runs) != set(next(iter(games.values()))) for runs in games.values()):
        listed = ", ".join(f"{game} {len(games[game])}" for game in GAMMA_GAMES if game in games)
        used = f"; {overall.n} of them count overall" if overall is not None else ""
        notes.append(f"{model}: games differ in their runs ({listed}){used}")
    ordered = {game: cell(games[game].values()) for game in GAMMA_GAMES if game in games}
    return Standing(model, ordered, families, overall, missing, tuple(notes))


def _over_runs(
    games: Mapping[str, Mapping[object, float]], members: Sequence[str], *, partial: bool
) -> Cell | None:
    """Over runs, of the mean over games; only runs that have all of them, unless `partial`."""
    runs = dict.fromkeys(run for game in members for run in games.get(game, {}))
    values = [
        [games[game][run] for game in members if run in games.get(game, {})]
        for run in runs
        if partial or all(run in games.get(game, {}) for game in members)
    ]
    return cell(fmean(some) for some in values) if values else None


def _rank(one: Standing) -> tuple[bool, float, str]:
    best = one.overall.mean if one.overall else fmean(game.mean for game in one.games.values())
    return one.overall is None, -best, one.model


def _text(value: Cell | None) -> str:
    return "–" if value is None else str(value)
