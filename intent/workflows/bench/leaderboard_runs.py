"""Rows of scores as the runs of a leaderboard: what a model is called, and which repeat is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, located, one_line, shorten
from intent.workflows.bench.score_result import ScoreRow

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cautions", "labelled", "numbers_of", "runs_of", "table_rows"]

_NEEDED = frozenset(("game", "score"))
_TABLES = (".csv", ".parquet", ".jsonl")
_FIXED = frozenset(ScoreRow.__dataclass_fields__)

_UNKNOWN = "unknown model"

_ROUNDS = 20
"""Of the paper's games; sequential ones end when they end."""


def table_rows(path: Path, scoring: str) -> list[dict[str, Any]] | None:
    """The rows of a file of scores, as ``bench gamma score`` writes them; None of any other file.

    Raises
    ------
    DataError
        The scores are of the other scoring.
    """
    rows = _of_json(path) if path.suffix == ".json" else _of_table(path) if path.suffix in _TABLES else None
    if rows is None:
        return None
    other = {str(row["scoring"]) for row in rows if row.get("scoring") not in (None, scoring)}
    if other:
        told = f"scores of scoring {one_line(', '.join(sorted(other)), 40)}, expected {scoring}"
        raise DataError(located(path, told))
    conditions = dict.fromkeys(name for row in rows for name in row if name not in _FIXED)
    return [
        {
            **row,
            "game": one_line(row["game"]),
            "model": one_line(row["model"]) if row.get("model") is not None else None,
            "run": run if isinstance(run := row.get("run"), int | float | str) else None,
            "setting": row.get("setting") or "default",
            "conditions": given
            if isinstance(given := row.get("conditions"), dict)
            else {name: row[name] for name in conditions if row.get(name) is not None},
        }
        for row in rows
    ]


def _of_table(path: Path) -> list[dict[str, Any]] | None:
    """The rows of a table that has a score for a game; None of any other."""
    from intent.files.text import TextFile
    from intent.logs.delimited import header_of
    from intent.logs.tablefile import read_table

    if not path.is_file():
        return None
    try:
        if path.suffix == ".csv" and not set(header_of(TextFile(path))[0]) >= _NEEDED:
            return None
        table, _ = read_table(path)
    except DataError:
        return None
    if not set(table.columns) >= _NEEDED:
        return None
    plain = table.astype(object).where(table.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def _of_json(path: Path) -> list[dict[str, Any]] | None:
    """The ``scores`` of a JSON object; None of any other."""
    from intent.logs.jsonfile import read_object

    try:
        listed = read_object(path, "scores").get("scores")
    except DataError:
        return None
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        return None
    return [dict(row) for row in listed] if all(row.keys() >= _NEEDED for row in listed) else None


def cautions(rows: Sequence[Mapping[str, Any]], rename: Mapping[str, str]) -> list[str]:
    """What a reader should know of the runs: other lengths than the paper's, missing moves, stray names."""
    given: list[Any] = [
        row.get("rounds") for row in rows if row.get("game") not in ("battle_royale", "pirate")
    ]
    lengths = [int(n) for n in given if _is_whole(n) and n != _ROUNDS]
    found = []
    if lengths:
        few = sorted(set(lengths))
        told = ", ".join(map(str, few[:3])) + (", …" if len(few) > 3 else "")
        found.append(f"{len(lengths):,} runs have other lengths ({told} rounds) than the paper's {_ROUNDS}")
    if lacking := sum("moves are missing" in str(row.get("note")) for row in rows):
        found.append(
            f"moves are missing in {lacking:,} runs; intent bench gamma score says what they count as"
        )
    models = dict.fromkeys(str(row.get("model")) for row in rows)
    for name in rename:
        if name not in models:
            found.append(
                f"--rename {shorten(name)}: no model of that name; models: {shorten(', '.join(models), 200)}"
            )
    return found


def labelled(rows: Sequence[Mapping[str, Any]], rename: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows with a name in ``model``: the model's, and the conditions that tell its repeats apart.

    A condition is part of the name where games of one model, game and repeat differ in it: two wordings of
    the prompts make two rows of a leaderboard, not ten runs of one. The name alone is ``plain``, and those
    conditions are ``levels``. Of two that say the same of every row, one does.
    """
    named = [
        {**row, "model": rename.get(str(row.get("model")), row.get("model")) or _UNKNOWN} for row in rows
    ]
    seen: dict[tuple[object, ...], dict[str, set[str]]] = {}
    for row in named:
        values = seen.setdefault((row["model"], row["game"], row.get("run")), {})
        for name, value in (row.get("conditions") or {}).items():
            values.setdefault(name, set()).add(str(value))
    telling = [
        name
        for name in dict.fromkeys(name for row in named for name in row.get("conditions") or {})
        if any(len(values.get(name, ())) > 1 for values in seen.values())
    ]
    told_by = {name: [str((row.get("conditions") or {}).get(name)) for row in named] for name in telling}
    telling = [
        name for i, name in enumerate(telling) if told_by[name] not in map(told_by.get, telling[i + 1 :])
    ]
    for row in named:
        given = row.get("conditions") or {}
        row["plain"], row["levels"] = row["model"], {name: given[name] for name in telling if name in given}
        if told := [f"{name}={value}" for name, value in row["levels"].items()]:
            row["model"] = f"{row['model']} ({', '.join(told)})"
    return named


def runs_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Columns model, game, run, score; repeats keep their numbers where a model's game has each once.

    Else they are numbered from 1 in the order given: files without a number, or several sources.
    """
    import pandas as pd

    groups: dict[tuple[object, object], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["model"], row["game"]), []).append(row)
    table = []
    for (model, game), members in groups.items():
        table += [
            (model, game, n, member["score"]) for n, member in zip(numbers_of(members), members, strict=True)
        ]
    return pd.DataFrame(table, columns=["model", "game", "run", "score"])


def numbers_of(members: Sequence[Mapping[str, Any]]) -> list[int]:
    """Numbers of the repeats of one thing: their own where each has one, else from 1."""
    numbers: list[Any] = [member.get("run") for member in members]
    kept = all(map(_is_whole, numbers)) and len(set(numbers)) == len(numbers)
    return [int(number) for number in numbers] if kept else list(range(1, len(numbers) + 1))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
