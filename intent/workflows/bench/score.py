"""From saved files and logs to the scores of gamma-bench, one row per run of a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, IntentError, located
from intent.workflows.bench.score_result import ScoreResult, ScoreRow

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.plays import Plays
    from intent.suites.gamma.scores import Scoring

__all__ = ["ScoreResult", "ScoreRow", "score_files", "score_log"]

_HEAD = 4096
"""Bytes in which an object has begun, if a file holds one."""


def score_files(
    files: Sequence[str | Path],
    *,
    scoring: str = "code",
    where: Mapping[str, Sequence[str]] | None = None,
    strict: bool = False,
    **reading: Any,
) -> ScoreResult:
    """The scores of files, in the order given.

    Parameters
    ----------
    files : sequence of path
        Files saved by GAMA-Bench, run folders, or logs in any format that `read_log` knows.
    scoring : {"code", "paper"}
    where : mapping of column -> accepted values
        Which games and seats of logs are kept.
    strict : bool
        Whether one thing that cannot be scored is an error; else it is listed under ``rejects``.
    **reading
        Passed to `read_log`.

    Raises
    ------
    UnknownNameError
        Another scoring.
    DataError
        Nothing can be scored, or `strict` and something cannot.
    """
    from intent.errors import UnknownNameError
    from intent.suites.gamma.scores import SCORINGS

    if scoring not in SCORINGS:
        raise UnknownNameError("scoring", scoring, SCORINGS)
    rows: list[ScoreRow] = []
    rejects: list[dict[str, str]] = []
    for file in files:
        try:
            for made in _scored(file, scoring, where, {**reading, "strict": strict}):
                if isinstance(made, ScoreRow):
                    rows.append(made)
                elif strict:
                    raise made
                else:
                    rejects.append({"file": str(file), "reason": str(made)})
        except IntentError as error:
            if strict or not isinstance(error, DataError):
                raise
            rejects.append({"file": str(file), "reason": str(error)})
    if rejects and not rows:
        raise DataError(rejects[0]["reason"])
    return ScoreResult(tuple(rows), scoring, tuple(rejects))


def score_log(log: GameLog, file: str = "", *, scoring: Scoring = "code") -> list[ScoreRow | DataError]:
    """The gamma-bench games of a log, in its order; errors in the place of games that cannot be scored."""
    from intent.suites.gamma.from_log import each_plays
    from intent.suites.gamma.plainly import STORY

    conditions = [name for name in dict.fromkeys(("language", *log.conditions, STORY)) if name != "setting"]
    made: list[ScoreRow | DataError] = []
    for row, plays in each_plays(log):
        try:
            if isinstance(plays, DataError):
                raise plays
            known = {name: row[name] for name in conditions if _is_there(row.get(name))}
            made.append(
                _row(
                    file,
                    plays,
                    scoring,
                    run=int(row["repetition"]),
                    game_id=str(row["game_id"]),
                    conditions=known,
                    planned=row["rounds_planned"],
                )
            )
        except DataError as error:
            made.append(DataError(located(file, str(error)) if file else str(error)))
    return made


def _scored(
    file: str | Path, scoring: Any, where: Mapping[str, Sequence[str]] | None, reading: dict[str, Any]
) -> Iterable[ScoreRow | DataError]:
    """The rows of one file."""
    saved = _saved(Path(file)) if reading.get("format", "auto") == "auto" else None
    if saved is not None:
        from intent.suites.gamma.saved import saved_plays

        try:
            meta = saved["meta"] if isinstance(saved["meta"], dict) else {}
            version = meta.get("version")
            told = {"version": version} if isinstance(version, str) else {}
            return [_row(str(file), saved_plays(saved), scoring, run=_number(Path(file)), conditions=told)]
        except DataError as error:
            raise DataError(located(file, str(error))) from None
    from intent.logs.readers import read_log

    log = read_log(file, **reading)
    made = score_log(log.where(where) if where else log, str(file), scoring=scoring)
    if not made:
        raise DataError(located(file, f"none of {len(log):,} games is one of gamma-bench"))
    return made


def _row(
    file: str,
    plays: Plays,
    scoring: Scoring,
    *,
    run: int | None,
    conditions: Mapping[str, Any],
    game_id: str | None = None,
    planned: Any = None,
) -> ScoreRow:
    from intent.suites.gamma.discrepancies import why_different
    from intent.suites.gamma.plainly import STORY, setting_of_story
    from intent.suites.gamma.scores import score, seat_scores

    notes = []
    if (why := why_different(plays)) is not None:
        notes.append(why)
    if plays.game not in ("battle_royale", "pirate") and _is_there(planned) and plays.rounds < int(planned):
        notes.append(f"{plays.rounds} of {int(planned)} rounds count")
    return ScoreRow(
        file=file,
        game=plays.game,
        score=score(plays, scoring),
        other=score(plays, "paper" if scoring == "code" else "code"),
        scoring=scoring,
        model=plays.model,
        setting=setting_of_story(plays.setting, conditions.get(STORY)),
        seats=seat_scores(plays, scoring),
        rounds=plays.rounds,
        n_players=plays.n_players,
        run=run,
        game_id=game_id,
        conditions=dict(conditions),
        note="; ".join(notes) or None,
    )


def _saved(path: Path) -> dict[str, Any] | None:
    """The object of a file that GAMA-Bench saved; None of anything else."""
    from intent.logs.jsonfile import read_object
    from intent.suites.gamma.saved import is_saved

    if not path.is_file() or path.suffix.lower() not in (".json", ""):
        return None
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD).lstrip()
    except OSError:
        return None
    if not head.startswith(b"{"):
        return None
    try:
        found = read_object(path, "a game saved by GAMA-Bench")
    except DataError:
        if path.suffix.lower() == ".json" and b'"meta"' in head:
            raise
        return None
    return found if is_saved(found) else None


def _number(path: Path) -> int | None:
    """The run that a file's name ends in, as ``…_v1_3.json``."""
    last = path.stem.rpartition("_")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) < 7 else None


def _is_there(value: object) -> bool:
    """Whether a cell has a value: no None, NaN or NA."""
    if value is None:
        return False
    try:
        return bool(value == value)
    except TypeError:  # pandas' NA is neither
        return False
