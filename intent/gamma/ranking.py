"""Models ranked by their scores: per game, per family and overall, as published leaderboards are made.

A cell is mean and sample deviation (n - 1) over runs. A family's value of a run is the mean over its games,
the overall value of a run the mean over all eight; mean and deviation over runs come after that, not from the
cells.

Scores over the levels of what was varied, as the paper lays them out: games by levels, settings by game.

References
----------
Huang et al. 2024, arXiv:2403.11807, table 1; the deviation as in its scoring notebook.
Huang et al. 2024, arXiv:2403.11807, tables 5 to 8 and 11 to 21: a score per level, and at the right the mean
and the sample deviation over levels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, shorten
from intent.gamma.catalogue import GAMMA_GAMES, ByGame, families

if TYPE_CHECKING:
    import pandas as pd


__all__ = [
    "OVERALL",
    "SETTING",
    "TITLES",
    "Cell",
    "Standing",
    "Sweep",
    "cell",
    "grouped",
    "leaderboard",
    "markdown",
    "ranked_standings",
    "sweep_frame",
    "sweep_markdown",
    "sweeps_of",
    "weights_of",
]


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
    scores_by_model: dict[str, dict[str, dict[object, float]]] = {}
    columns = ("model", "game", "run", "score")
    if lacking := [name for name in columns if name not in scores.columns]:
        raise DataError(f"scores: no column {', '.join(lacking)}, expected {', '.join(columns)}")
    for model, game, run, score in zip(*(scores[name].tolist() for name in columns), strict=True):
        _check_score(model, game, score)
        runs = scores_by_model.setdefault(str(model), {}).setdefault(str(game), {})
        if run in runs:
            raise DataError(f"scores: run {shorten(run)!r} of {shorten(model)} in {game} is listed twice")
        runs[run] = float(score)
    standings = [_standing(model, games, partial=partial) for model, games in scores_by_model.items()]
    return ranked_standings(standings)


def ranked_standings(standings: Iterable[Standing]) -> list[Standing]:
    """Standings, best first: by the overall score, those without one at the end by their games' mean."""
    return sorted(standings, key=_rank)


WEIGHTS: Mapping[str, str] = {
    "closed": r"gpt-?[3-9](?!.*oss)|chatgpt|\bo[1-9]\b|claude|gemini|grok|command-r",
    "open": r"llama|mi[sx]tral|qwen|gemma|phi-?\d|deepseek|falcon|olmo|smollm|gpt-oss|^local/|^gguf:",
}
"""Kind of a model, as the paper's tables 1a and 1b and figures 9 and 10 tell them apart -> names of such."""


def weights_of(model: str) -> str:
    """Whether the weights of a model are closed or open, by its name; other where the name does not say.

    Examples
    --------
    >>> [weights_of(name) for name in ("GPT-4o (0806)", "openai/gpt-oss-20b", "LLaMA-3.1-8B", "mine")]
    ['closed', 'open', 'open', 'other']
    """
    kinds = (kind for kind, form in WEIGHTS.items() if re.search(form, model, re.IGNORECASE))
    return next(kinds, "other")


def grouped(standings: Iterable[Standing]) -> dict[str, list[Standing]]:
    """Standings by closed, open and other models, those that there are, each in the order given."""
    groups: dict[str, list[Standing]] = {kind: [] for kind in (*WEIGHTS, "other")}
    for one in standings:
        groups[weights_of(one.model)].append(one)
    return {kind: rows for kind, rows in groups.items() if rows}


def _check_score(model: object, game: object, score: object) -> None:
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
    titles : mapping of game or family -> heading, in place of `TITLES` and the families' names
    """
    named = {**TITLES, **{family: family.capitalize() for family in families()}, **(titles or {})}
    parts = [*GAMMA_GAMES, *families()]
    header = ["Model", *(named[part] for part in parts), "Overall"]
    rows = [
        [
            _in_cell(one.model),
            *(_text({**one.games, **one.families}.get(part)) for part in parts),
            _text(one.overall),
        ]
        for one in standings
    ]
    return _ruled(header, rows)


def _ruled(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are safe, names at the left and numbers at the right."""
    rule = ["---", *("---:" for _ in header[1:])]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def _in_cell(name: str) -> str:
    """A name that nobody vouches for, in a Markdown table: no new cell, line, link or tag."""
    return "".join(f"\\{c}" if c in "\\|[]<>*_`" else c for c in shorten(name, 100) if c.isprintable())


TITLES: Mapping[str, str] = ByGame(lambda row: row.title)
"""Names of games as the paper's tables have them."""


def _standing(model: str, games: Mapping[str, Mapping[object, float]], *, partial: bool) -> Standing:
    missing = tuple(game for game in GAMMA_GAMES if game not in games)
    by_family = {
        family: average
        for family, members in families().items()
        if (average := _over_runs(games, members, partial=partial)) is not None
    }
    overall = _over_runs(games, tuple(GAMMA_GAMES), partial=partial)
    notes = []
    if missing:
        meaning = (
            "the overall score is of the others" if partial else "no overall score (--partial makes one)"
        )
        notes.append(f"{model}: no score in {', '.join(missing)}; {meaning}")
    elif overall is None:
        notes.append(f"{model}: no run has all games; no overall score (--partial makes one)")
    counts = {len(runs) for runs in games.values()}
    if len(counts) > 1 or any(set(runs) != set(next(iter(games.values()))) for runs in games.values()):
        listed = ", ".join(f"{game} {len(games[game])}" for game in GAMMA_GAMES if game in games)
        used = f"; {overall.n} of them count overall" if overall is not None else ""
        notes.append(f"{model}: games differ in their runs ({listed}){used}")
    ordered = {game: cell(games[game].values()) for game in GAMMA_GAMES if game in games}
    return Standing(model, ordered, by_family, overall, missing, tuple(notes))


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


SETTING = "setting"
"""The factor whose levels are parameters of a game."""

OVERALL = "overall"


@dataclass(frozen=True)
class _SweepRow:
    """One line of a sweep.

    Parameters
    ----------
    model : str
        With the levels of what is held.
    game : str, or `OVERALL`
    setting : str
        That of all cells, unless settings are the levels.
    cells : tuple of Cell or None, by level
        Mean and deviation over runs.
    """

    model: str
    game: str
    setting: str
    cells: tuple[Cell | None, ...]

    @property
    def average(self) -> Cell:
        """Mean and sample deviation over the levels that were played."""
        return cell(one.mean for one in self.cells if one is not None)


@dataclass(frozen=True)
class Sweep:
    """Scores over the levels of one factor, all else held.

    Parameters
    ----------
    factor : str
    about : str
        Who it is of; the game, where settings are the levels.
    levels : tuple of str
    rows : tuple of _SweepRow
        One per game and at last overall; one per model, where settings are the levels.
    """

    factor: str
    about: str
    levels: tuple[str, ...]
    rows: tuple[_SweepRow, ...]


def sweeps_of(rows: Iterable[Mapping[str, Any]]) -> list[Sweep]:
    """A table for every factor of which a model has two levels or more, and for every game with two settings.

    Parameters
    ----------
    rows : of mappings with
        model, game, setting, run, score; base (whether the setting is the one that counts overall); levels
        (factor -> level). One row per run.

    Notes
    -----
    A factor that another one determines (the company, where a treatment names it) is not held beside it.

    Raises
    ------
    DataError
        As `intent.gamma.ranking.check_score`.
    """
    rows = list(rows)
    for row in rows:
        _check_score(row["model"], row["game"], row["score"])
    factors = list(dict.fromkeys(factor for row in rows for factor in row["levels"]))
    sweeps = [one for factor in factors for one in _over_levels(factor, factors, rows)]
    return sweeps + [one for game in GAMMA_GAMES if (one := _over_settings(game, rows)) is not None]


def sweep_markdown(sweeps: Sequence[Sweep]) -> str:
    """One Markdown table per sweep, under a line with what varies and whose scores they are."""
    parts = []
    for one in sweeps:
        first = "Model" if one.factor == SETTING else "Game"
        header = [first, *(_in_cell(level) for level in one.levels), f"Mean over {_in_cell(one.factor)}"]
        body = []
        for row in one.rows:
            name = row.model if one.factor == SETTING else _titled(row)
            shown = ["–" if c is None else str(c) for c in row.cells]
            body.append([_in_cell(name), *shown, str(row.average)])
        parts.append(f"**{_in_cell(one.factor)}** · {_in_cell(one.about)}\n\n{_ruled(header, body)}")
    return "\n".join(parts)


def sweep_frame(sweeps: Sequence[Sweep]) -> pd.DataFrame:
    """One row per cell: factor, model, game, setting, level, mean, sd, n.

    A row without a level has mean and deviation over levels, with n of them.
    """
    import pandas as pd

    columns = ["factor", "model", "game", "setting", "level", "mean", "sd", "n"]
    table = []
    for one in sweeps:
        for row in one.rows:
            for level, c in (*zip(one.levels, row.cells, strict=True), (None, row.average)):
                setting = level if one.factor == SETTING else row.setting
                if c is not None:
                    table.append((one.factor, row.model, row.game, setting, level, c.mean, c.sd, c.n))
    return pd.DataFrame(table, columns=columns)


def _over_levels(factor: str, factors: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[Sweep]:
    """The sweeps of one factor: one per model and levels of the others."""
    mine = [row for row in rows if factor in row["levels"]]
    held = [other for other in factors if other != factor and not _determined(other, factor, mine)]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in mine:
        groups.setdefault(_who(row, held), []).append(row)
    sweeps = []
    for who, members in groups.items():
        levels = _ordered({str(row["levels"][factor]) for row in members}, members, factor)
        if len(levels) < 2:
            continue
        by_level = {level: [r for r in members if str(r["levels"][factor]) == level] for level in levels}
        keys = dict.fromkeys((row["game"], row["setting"]) for row in members)
        lines = [
            _SweepRow(who, game, setting, tuple(_cell(by_level[level], game, setting) for level in levels))
            for game, setting in sorted(keys, key=lambda key: list(GAMMA_GAMES).index(key[0]))
        ]
        lines.append(_SweepRow(who, OVERALL, "", tuple(_overall(by_level[level]) for level in levels)))
        shown = tuple(line for line in lines if sum(c is not None for c in line.cells) > 1)
        if shown:
            sweeps.append(Sweep(factor, who, tuple(levels), shown))
    return sweeps


def _over_settings(game: str, rows: Sequence[Mapping[str, Any]]) -> Sweep | None:
    """The settings of a game: a row per model and levels of all factors."""
    mine = [row for row in rows if row["game"] == game]
    settings = list(dict.fromkeys(str(row["setting"]) for row in mine))
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in mine:
        groups.setdefault(_who(row, list(row["levels"])), []).append(row)
    lines = tuple(
        _SweepRow(who, game, "", tuple(_cell(members, game, setting) for setting in settings))
        for who, members in groups.items()
        if len({row["setting"] for row in members}) > 1
    )
    return Sweep(SETTING, TITLES[game], tuple(settings), lines) if lines else None


def _determined(other: str, factor: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every level of a factor comes with one level of the other, and the other varies."""
    others: dict[Any, set[str]] = {}
    for row in rows:
        others.setdefault(row["levels"][factor], set()).add(str(row["levels"].get(other)))
    return all(len(values) == 1 for values in others.values()) and len(set().union(*others.values())) > 1


def _who(row: Mapping[str, Any], held: Sequence[str]) -> str:
    parts = [f"{name}={row['levels'][name]}" for name in held if name in row["levels"]]
    return f"{row['model']} ({', '.join(parts)})" if parts else str(row["model"])


def _ordered(levels: set[str], rows: Sequence[Mapping[str, Any]], factor: str) -> list[str]:
    """Numbers by size, others as they come."""
    try:
        return sorted(levels, key=float)
    except ValueError:
        return list(dict.fromkeys(str(row["levels"][factor]) for row in rows))


def _cell(rows: Iterable[Mapping[str, Any]], game: str, setting: str) -> Cell | None:
    scores = [row["score"] for row in rows if (row["game"], row["setting"]) == (game, setting)]
    return cell(scores) if scores else None


def _overall(rows: Iterable[Mapping[str, Any]]) -> Cell | None:
    """Over runs, of the mean over the eight games; None where no run has them all."""
    runs: dict[Any, dict[str, float]] = {}
    for row in rows:
        if row["base"]:
            runs.setdefault(row["run"], {})[row["game"]] = row["score"]
    whole = [fmean(games.values()) for games in runs.values() if len(games) == len(GAMMA_GAMES)]
    return cell(whole) if whole else None


def _titled(row: _SweepRow) -> str:
    title = TITLES.get(row.game, "Overall")
    return title if row.setting in ("", "default") else f"{title} ({row.setting})"
