"""What an analysis of gamma-bench runs is made from: scores and decisions of logs, scores of saved files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.scores import Scoring
    from intent.workflows.bench.score_result import ScoreRow

__all__ = ["MODEL", "read_sources"]

MODEL = "model"
"""The column that says who sits at the table."""

_SHOWN = 5
"""Games left out that are named one by one."""

_APART = 1_000_000_000
"""By how much repetitions of runs made with different seeds are apart."""

_TOLD_BY_STORY = ("relabelled", "listed_first")
"""Conditions that a story changes with it: they keep no game from its partner."""


def read_sources(
    sources: Sequence[str | Path],
    scoring: Scoring,
    where: Mapping[str, Sequence[str]] | None,
    reading: Mapping[str, Any],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, list[str]]:
    """What files hold of scores and decisions.

    Parameters
    ----------
    sources, scoring, where, reading
        As `intent.workflows.bench.analyse.analyse`.

    Returns
    -------
    scores : DataFrame
        A row per run: game, setting, run (null of saved files), score, model, conditions.
    moves, guesses : DataFrame
        As `intent.workflows.bench.decisions.decisions`; empty where there are none.
    notes : list of str

    Raises
    ------
    DataError
        Nothing was scored.
    """
    import pandas as pd

    from intent.workflows.bench.decisions import decisions
    from intent.workflows.bench.score import score_files, score_log
    from intent.workflows.bench.sources import spread

    rows: list[dict[str, Any]] = []
    moves: list[pd.DataFrame] = []
    guesses: list[pd.DataFrame] = []
    left_out: list[str] = []
    lucks: dict[object, int] = {}
    n_saved = 0
    for source in spread(sources):
        log = _log(source, where, reading)
        if log is None:
            rows += [_flat(row) for row in score_files([source], scoring=scoring).rows]
            n_saved += 1
            continue
        luck = lucks.setdefault(log.provenance.get("seed"), len(lucks)) * _APART
        scored = score_log(log, str(source), scoring=scoring)
        if not scored:
            raise DataError(f"{Path(source).name}: no gamma-bench game, expected a run or log of some")
        for row in scored:
            if isinstance(row, DataError):
                left_out.append(str(row))
            else:
                rows.append(_flat(row, luck))
        *tables, errors = decisions(log, str(source))
        left_out += [f"{Path(source).name}: {error}" for error in errors]
        for kept, found in zip((moves, guesses), tables, strict=True):
            if len(found):
                kept.append(found)
    if not rows:
        raise DataError(left_out[0] if left_out else "no game was scored, expected some")
    notes = [f"left out: {error}" for error in left_out[:_SHOWN]]
    if len(left_out) > _SHOWN:
        notes.append(f"left out: {len(left_out) - _SHOWN} more")
    if n_saved:
        notes.append(f"{n_saved:,} files saved by GAMA-Bench: their scores alone are analysed")
    whole = [pd.concat(t, ignore_index=True) if t else pd.DataFrame() for t in (moves, guesses)]
    return _scores(rows), whole[0], whole[1], notes


def _flat(row: ScoreRow, luck: int = 0) -> dict[str, Any]:
    """A row of scores with its conditions as columns; saved files share no luck, so they have no run.

    Repetitions of another seed have other luck, and other numbers: `luck` is what theirs begin after.
    """
    kept = {
        "game": row.game,
        "setting": row.setting,
        "run": None if row.game_id is None or row.run is None else luck + row.run,
        "score": row.score,
        MODEL: row.model,
    }
    return {**{name: value for name, value in row.conditions.items() if name not in kept}, **kept}


def _scores(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The scores of runs; the story is a condition and no part of the setting."""
    import pandas as pd

    from intent.suites.gamma.plainly import ORIGINAL, STORY, setting_without_story

    table = pd.DataFrame(rows)
    if STORY in table.columns:
        table = table.drop(columns=[name for name in _TOLD_BY_STORY if name in table.columns])
        table[STORY] = table[STORY].astype(object).where(table[STORY].notna(), ORIGINAL)
        told = zip(table["setting"], table[STORY], strict=True)
        table["setting"] = [setting_without_story(setting, story) for setting, story in told]
    return table


def _log(
    source: str | Path, where: Mapping[str, Sequence[str]] | None, reading: Mapping[str, Any]
) -> GameLog | None:
    """The log at a path; None of a file saved by GAMA-Bench."""
    from intent.logs.readers import read_log
    from intent.workflows.bench.score import saved_object

    if reading.get("format", "auto") == "auto" and saved_object(Path(source)) is not None:
        return None
    log = read_log(source, **reading)
    return log.where(where) if where else log
