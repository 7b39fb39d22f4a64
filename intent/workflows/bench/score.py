"""From saved files and logs to the scores of gamma-bench, one row per run of a game."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, IntentError, located, one_line, shorten
from intent.workflows.bench.score_result import ScoreResult, ScoreRow
from intent.workflows.bench.sources import spread

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.plays import Plays
    from intent.suites.gamma.scores import Scoring

__all__ = ["ScoreResult", "ScoreRow", "saved_object", "score_files", "score_log", "scored_games"]

_MISSING = {
    "guessing": "nobody's guess",
    "bar": "at home",
    "divide_dollar": "no bid",
    "public_goods": "no tokens, as a free rider's",
    "diner": "no dish",
    "auction": "no bid",
    "battle_royale": "a miss on purpose",
    "pirate": "a wrong vote, or the plan that is farthest off",
}
"""What a missing move counts as."""

_HEAD = 4096
"""Bytes in which an object has begun, if a file holds one."""


def score_files(
    files: Sequence[str | Path],
    *,
    scoring: str = "code",
    where: Mapping[str, Sequence[str]] | None = None,
    strict: bool = False,
    seen: Callable[[ScoreRow, Plays], object] | None = None,
    **reading: Any,
) -> ScoreResult:
    """The scores of files, in the order given.

    Parameters
    ----------
    files : sequence of path
        Files saved by GAMA-Bench or folders of them, run folders, logs in any format that `read_log` knows.
    scoring : {"code", "paper"}
    where : mapping of column -> accepted values
        Which games and seats of logs are kept.
    strict : bool
        Whether one thing that cannot be scored is an error; else it is listed under ``rejects``.
    seen : function, optional
        Is given every row with the record of play that it was computed from.
    **reading
        Passed to `read_log`.

    Raises
    ------
    UnknownNameError
        Another scoring.
    DataError
        Nothing can be scored, or `strict` and something cannot.
    """
    from intent.suites.gamma.scores import check_scoring

    check_scoring(scoring)
    rows: list[ScoreRow] = []
    rejects: list[dict[str, str]] = []
    for file in spread(files):
        try:
            for made, plays in _scored(file, scoring, where, {**reading, "strict": strict}):
                if isinstance(made, ScoreRow):
                    rows.append(made)
                    if seen is not None and plays is not None:
                        seen(made, plays)
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
    return [row for row, _ in scored_games(log, file, scoring=scoring)]


def scored_games(
    log: GameLog, file: str = "", *, scoring: Scoring = "code"
) -> Iterator[tuple[ScoreRow, Plays] | tuple[DataError, None]]:
    """As `score_log`, each row with the record of play that it was computed from."""
    from intent.suites.gamma.from_log import each_plays
    from intent.suites.gamma.plainly import STORY

    conditions = [name for name in dict.fromkeys(("language", *log.conditions, STORY)) if name != "setting"]
    gone = set(log.moves["game_id"][log.moves["status"].astype(object) == "missing"])
    for row, plays in each_plays(log):
        try:
            if isinstance(plays, DataError):
                raise plays
            known = {name: row[name] for name in conditions if _is_there(row.get(name))}
            where: dict[str, Any] = {"run": int(row["repetition"]), "game_id": str(row["game_id"])}
            where |= {"planned": row["rounds_planned"], "missing": row["game_id"] in gone}
            found = _row(file, plays, scoring, conditions=known, **where)
        except DataError as error:
            told = str(error) if error is plays else f"game {shorten(row['game_id'])!r}: {error}"
            yield DataError(located(file, told) if file else told), None
        else:
            yield found, plays


def _scored(
    file: str | Path, scoring: Any, where: Mapping[str, Sequence[str]] | None, reading: dict[str, Any]
) -> Iterable[tuple[ScoreRow, Plays] | tuple[DataError, None]]:
    """The rows of one file, with what they were computed from."""
    saved = saved_object(Path(file)) if reading.get("format", "auto") == "auto" else None
    if saved is not None:
        from intent.suites.gamma.saved import saved_plays

        try:
            meta = saved["meta"] if isinstance(saved["meta"], dict) else {}
            version = meta.get("version")
            told = {"version": one_line(version)} if isinstance(version, str) else {}
            plays = saved_plays(saved)
            return [(_row(str(file), plays, scoring, run=_number(Path(file)), conditions=told), plays)]
        except DataError as error:
            raise DataError(located(file, str(error))) from None
    from intent.logs.readers import read_log

    try:
        log = read_log(file, **reading)
    except DataError as error:
        if Path(file).suffix.lower() != ".json":
            raise
        raise DataError(f"{error}; a game saved by GAMA-Bench has meta and round_records") from None
    made = list(scored_games(log.where(where) if where else log, str(file), scoring=scoring))
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
    missing: bool = False,
) -> ScoreRow:
    from intent.suites.gamma.discrepancies import why_different
    from intent.suites.gamma.plainly import STORY, setting_of_story
    from intent.suites.gamma.scores import score, seat_scores

    notes = []
    if (why := why_different(plays)) is not None:
        notes.append(why)
    if plays.game not in ("battle_royale", "pirate") and _is_there(planned) and plays.rounds < int(planned):
        notes.append(f"{plays.rounds} of {int(planned)} rounds count")
    if missing:
        notes.append(f"moves are missing: {_MISSING[plays.game]}")
    table = conditions.get("table")
    return ScoreRow(
        file=file.encode(errors="backslashreplace").decode(),  # names of files need be no text
        game=plays.game,
        score=score(plays, scoring),
        other=score(plays, "paper" if scoring == "code" else "code"),
        scoring=scoring,
        model=table if isinstance(table, str) else plays.model,
        setting=setting_of_story(plays.setting, conditions.get(STORY)),
        seats=seat_scores(plays, scoring),
        rounds=plays.rounds,
        n_players=plays.n_players,
        run=run,
        game_id=game_id,
        conditions=dict(conditions),
        note="; ".join(notes) or None,
    )


def saved_object(path: Path) -> dict[str, Any] | None:
    """The object of a file that GAMA-Bench saved; None of anything else.

    Raises
    ------
    DataError
        It begins like such a file and is no JSON object.
    """
    from intent.files.text import file_head
    from intent.logs.jsonfile import read_object
    from intent.suites.gamma.saved import is_saved

    if not path.is_file() or path.suffix.lower() not in (".json", ""):
        return None
    try:
        head = file_head(path, _HEAD).removeprefix(BOM_UTF8).lstrip()
    except DataError:
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
