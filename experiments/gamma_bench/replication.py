"""gamma-bench, cell by cell: the leaderboard, single runs, temperatures, templates, prompts.

References
----------
Huang et al. 2024, arXiv:2403.11807, tables 1, 4 to 7, 10 to 12, 14 to 16, 18 to 20.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from intent.base.experiments import published_values
from intent.gamma.bench.scores import score_files
from intent.gamma.catalogue import GAMMA_GAMES
from intent.report.page import Section, grid
from intent.report.replication import Exclusion, Measured, Measurement, phrase, players_of

from .boards import board_figures, play_figures

CITATION = "Huang et al. 2024, How Far Are We on the Decision-Making of LLMs?, arXiv:2403.11807"

PLAYS: Mapping[str, Sequence[str]] = {
    "paper": ("experiment.yaml",),
    "all": ("published.yaml",),
    "own": ("own.yaml",),
    "scripted": ("scripted.yaml",),
    "small": ("small.yaml",),
}

VARIANTS: Mapping[str, str] = {
    "all": "beside the leaderboard its temperatures, templates, prompts and parameters, in one run",
    "own": "personas with goals, a rule on carrying over in public goods, options in another order",
    "scripted": "theory and chance take the place of language models",
}

MODELS: Mapping[str, str] = {
    "GPT-3.5 (0613)": r"gpt-?3\.?5.*0613",
    "GPT-3.5 (1106)": r"gpt-?3\.?5.*1106",
    "GPT-3.5 (0125)": r"gpt-?3\.?5(?!.*(0613|1106))",
    "GPT-4 Turbo (0125)": r"gpt-?4-(turbo|0125)",
    "GPT-4o (0806)": r"gpt-?4o(?!.?mini)(?!.*(0513|1120))",
    "Gemini-1.0-Pro": r"gemini-?(1\.0-)?pro",
    "Gemini-1.5-Pro": r"gemini-?1\.5-?pro",
    "LLaMA-3.1-405B": r"llama-?3\.1-?405b",
    "LLaMA-3.1-70B": r"llama-?3\.1-?70b",
    "LLaMA-3.1-8B": r"llama-?3\.1-?8b",
    "Mixtral-8x22B": r"mixtral-?8x22b",
    "Mixtral-8x7B": r"mixtral-?8x7b",
    "Qwen-2-72B": r"qwen-?2-?72b",
}
"""Model of the paper -> how it is named in logs and saved files."""

_ROUNDS = 20
"""Of a table of the paper (section 3)."""

_UNTIL_DECIDED = ("battle_royale", "pirate")
"""Games that end when they are decided."""

_CONDITIONS = (
    "temperature",
    "version",
    "chain_of_thought",
    "role",
    "persona",
    "language",
    "sweep",
    "save_point",
)


def measure(played: Sequence[Path], *, seed: int, bootstrap: int) -> Measurement:
    """The scores that the paper prints, from run folders or saved files.

    A mean over runs has the error sd / n^(1/2), the printed one likewise from its deviation. A printed single
    run stands beside our mean with the deviation that ours have; where the saved file of that very run is
    read, the score is exact.

    Parameters
    ----------
    played : paths of run folders, logs or folders of saved games
    seed, bootstrap : int
        Not needed.
    """
    scored = score_files([str(path) for path in played], plays=True)
    notes = list(scored.notes)
    table = _with_conditions(scored.table() if callable(scored.table) else scored.table)
    for reject in scored.rejects[:5]:
        notes.append(f"not scored: {reject['reason']}")
    partial = table["partial"].map(bool)
    printed = published_values(Path(__file__).parent)
    cells = _cells(table[~partial], printed, notes)
    exclusions = []
    if partial.any():
        size = phrase("replication.tables", n=int(partial.sum()), of=len(table))
        what, otherwise = phrase("replication.partial"), phrase("replication.partial_otherwise")
        exclusions.append(Exclusion(what, size, otherwise, _cells(table, printed, [])))
    source = ", ".join(path.name for path in played)
    plays = [(row, play) for row, play in scored.named_plays() if not partial[row["at"]]]
    drawings = [*play_figures(plays, table, source), *board_figures(_plain(table[~partial]))]
    return Measurement(
        cells, tuple(dict.fromkeys(notes)), _beside(table[~partial]), tuple(exclusions), tuple(drawings)
    )


def _cells(table: pd.DataFrame, printed: pd.DataFrame, notes: list[str]) -> tuple[Measured, ...]:
    """Every cell that a table of scores gives."""
    cells = [*_leaderboard(table, printed, notes), *_single(table, printed), *_sweeps(table, printed, notes)]
    return tuple({one.cell: one for one in cells}.values())


def _with_conditions(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of scores with every condition as a column, empty where it is the default."""
    rows = table.reset_index(drop=True).copy()
    given = rows["conditions"] if "conditions" in rows else pd.Series([{}] * len(rows))
    for name in (*_CONDITIONS, "partial", "stated_model"):
        said = [facts.get(name) if isinstance(facts, dict) else None for facts in given]
        own = rows[name] if name in rows else pd.Series([None] * len(rows))
        rows[name] = pd.Series(
            [a if b is None or b != b else b for a, b in zip(said, own, strict=True)], dtype=object
        )
    rows["model"] = rows["stated_model"].where(rows["stated_model"].notna(), rows["model"])
    rows["temperature"] = [_default(value, ("1", "1.0")) for value in rows["temperature"]]
    rows["version"] = [_default(value, ("v1",)) for value in rows["version"]]
    rows["language"] = [_default(value, ("en",)) for value in rows["language"]]
    rows["prompt"] = [_prompt(row) for row in _records(rows)]
    shorter = rows["rounds"].ne(_ROUNDS) & ~rows["game"].isin(_UNTIL_DECIDED)
    rows["changed"] = (
        rows["setting"].ne("default") | shorter | rows["sweep"].map(lambda v: v is not None and v == v)
    )
    return rows


def _beside(table: pd.DataFrame) -> tuple[Section, ...]:
    """Scores of tables with other players, rounds or parameters than the paper's."""
    rows = table[table["changed"]]
    if rows.empty:
        return ()
    cells = [
        (*key, float(part["score"].mean()), len(part))
        for key, part in rows.groupby(
            ["model", "game", "setting", "rounds"], sort=False, dropna=False, observed=True
        )
    ]
    shown = grid(
        phrase("replication.other_settings"),
        ("model", "game", "setting", "rounds", "score", "tables"),
        cells,
        heads=4,
    )
    return (Section("other-settings", phrase("replication.other_settings_title"), (shown,)),)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _default(value: object, usual: Sequence[str]) -> str | None:
    return None if value is None or value != value or str(value) in usual else str(value)


def _prompt(row: Mapping[str, object]) -> str | None:
    """Which prompt of table 7 it was played with; None for the default."""
    role = row["persona"] if row["role"] is None else row["role"]
    if role is not None and role == role:
        return str(role)
    chain = row["chain_of_thought"]
    return None if chain is None or chain != chain or chain in (False, 0) else "chain of thought"


def _plain(table: pd.DataFrame, *but: str) -> pd.DataFrame:
    """The tables with the paper's settings, but for some conditions."""
    keep = ~table["changed"]
    for name in ("temperature", "version", "language", "prompt"):
        if name not in but:
            keep &= table[name].isna()
    return table[keep]


def _leaderboard(table: pd.DataFrame, printed: pd.DataFrame, notes: list[str]) -> Iterator[Measured]:
    """Table 1: mean over runs, and the mean of the eight games."""
    theirs = printed[printed["table"] == "Table 1"]
    names = list(dict.fromkeys(theirs["row"].str.removeprefix("model=")))
    plain = _plain(table)
    if plain.empty:
        notes.append("no table with the paper's default settings, so that none of table 1 is compared")
        return
    for name, rows in players_of(plain, MODELS, names, notes):
        mine = {str(row["column"]): row for row in _records(theirs[theirs["row"] == f"model={name}"])}
        means: list[Measured] = []
        for game in (g for g in GAMMA_GAMES if g in mine):
            scores = rows.loc[rows["game"] == game, "score"].to_numpy(dtype=float)
            if len(scores):
                means.append(_mean(("Table 1", f"model={name}", game), scores, mine[game]))
        yield from means
        if len(means) == len(GAMMA_GAMES):
            errors = [one.se for one in means]
            known = [e for e in errors if e is not None]
            se = math.sqrt(sum(e**2 for e in known)) / len(means) if len(known) == len(means) else None
            overall = mine["overall"]
            yield Measured(
                "Table 1",
                f"model={name}",
                "overall",
                fmean(one.value for one in means),
                se=se,
                n=min(one.n or 0 for one in means),
                published_se=_printed_error(overall),
                within=(0.0, 100.0),
            )


def _printed_error(row: Mapping[str, Any]) -> float | None:
    if pd.isna(row["spread"]) or pd.isna(row["n"]):
        return None
    return float(row["spread"]) / math.sqrt(float(row["n"]))


def _mean(cell: tuple[str, str, str], scores: ArrayLike, printed: Mapping[str, Any]) -> Measured:
    values = np.asarray(scores, dtype=np.float64)
    n = len(values)
    se = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else None
    theirs = _printed_error(printed)
    if theirs is None and se is not None:
        theirs = se * math.sqrt(n)
    value, assumed = float(values.mean()), _printed_error(printed) is None
    return Measured(*cell, value=value, se=se, n=n, published_se=theirs, assumed=assumed, within=(0.0, 100.0))


def _is(name: str, form: str) -> bool:
    return re.search(form, name, re.IGNORECASE) is not None


_RUNS = ("Table 4", "Table 10", "Table 14", "Table 18")


def _single(table: pd.DataFrame, printed: pd.DataFrame) -> Iterator[Measured]:
    """Tables 4, 10, 14 and 18: scores of single runs, exact where the saved file of that run is read."""
    saved = _plain(table)
    saved = saved[saved["game_id"].isna() & saved["run"].notna()]
    theirs = printed[printed["table"].isin(_RUNS)]
    for row in _records(theirs):
        facts = dict(part.split("=", 1) for part in row["row"].split(", "))
        if not facts.get("run", "").isdecimal():
            continue
        mine = saved[
            saved["model"].map(lambda name, form=MODELS[facts["model"]]: _is(str(name), form))
            & (saved["run"].astype(float) == float(facts["run"]))
            & (saved["game"] == row["column"])
        ]
        if len(mine) == 1:
            cell = (row["table"], row["row"], row["column"])
            yield Measured(*cell, value=float(mine["score"].iloc[0]), exact=True, n=1)


_SWEEPS: Mapping[str, str] = {
    **dict.fromkeys(("Table 5", "Table 11", "Table 15", "Table 19"), "temperature"),
    **dict.fromkeys(("Table 6", "Table 12", "Table 16", "Table 20"), "version"),
    "Table 7": "prompt",
}
"""Table -> the condition of its rows."""


def _sweeps(table: pd.DataFrame, printed: pd.DataFrame, notes: list[str]) -> Iterator[Measured]:
    """Tables of temperatures, templates and prompts: a printed run beside our mean in that condition."""
    usual = {"temperature": "1", "version": "v1", "prompt": "default"}
    theirs = printed[printed["table"].isin(list(_SWEEPS))]
    for (name, row), cells in theirs.groupby(["table", "row"], sort=False, observed=True):
        factor = _SWEEPS[str(name)]
        facts = dict(part.split("=", 1) for part in str(row).split(", "))
        level = facts.get(factor)
        if level is None or level == "mean":
            continue
        part = _plain(table, factor)
        played = part[factor].fillna(usual[factor]).astype(str)
        if not (played != usual[factor]).any():
            continue  # the factor was not varied
        part = part[played == level]
        if part.empty:
            continue
        for _, rows in players_of(part, MODELS, (facts["model"],), notes):
            for cell in _records(cells):
                scores = rows.loc[rows["game"] == cell["column"], "score"]
                if len(scores) == 1 and rows["game_id"].isna().all():  # the saved file of the printed run
                    place = (str(name), str(row), cell["column"])
                    yield Measured(*place, value=float(scores.iloc[0]), exact=True, n=1)
                elif len(scores):
                    yield _mean((str(name), str(row), cell["column"]), scores, cell)
