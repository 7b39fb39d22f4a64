"""The thesis on agent architectures, cell by cell: comprehension, behaviour, strategies, hypotheses.

References
----------
Cremonini 2025, The Agent's Dilemma, tables 3.1 to 3.8 and section 4.4.1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import intent
from intent.base.errors import DataError, IntentError
from intent.base.experiments import published_values
from intent.comparison.differences import Trial
from intent.estimate.design_units import copied_games
from intent.report.exchanges import exchange, exchange_section
from intent.report.page import Strip
from intent.report.replication import Measured, Measurement, Verdict, players_of, unread_moves
from intent.report.results import Collected
from intent.strategies.sets import strategy_set

from .authors import read_authors
from .hypotheses import judge
from .results import matches, metric_table, of_models
from .tables import BEHAVIOUR, QUESTIONS

CITATION = "Cremonini 2025, The Agent's Dilemma"

PLAYS: Mapping[str, Sequence[str]] = {
    "paper": ("experiment.yaml",),
    "own": ("own.yaml",),
    "scripted": ("scripted.yaml",),
    "small": ("small.yaml",),
}

VARIANTS: Mapping[str, str] = {
    "own": "totals are told, advice may be left, and who is advised may reason before the decision",
    "scripted": "two artificial models take the place of language models",
}

MODELS: Mapping[str, str] = {"gpt-4o-mini": r"gpt.?4o.?mini", "ministral-8b": r"ministral.?8b"}
"""Model of the thesis -> how it is named in logs."""


def measure(played: Sequence[Path], *, seed: int, bootstrap: int) -> Measurement:
    """Everything that the thesis prints, from a log, a run folder or the thesis's files of games.

    A mean over games stands beside the printed one, whose error is assumed to be that of as many games with
    the spread of ours, since the thesis prints none.

    Parameters
    ----------
    played : paths of run folders or logs; the first is read
    seed, bootstrap : int
        Of the tests of hypotheses.
    """
    log = of_models(read(played[0]))
    notes: list[str] = []
    copies = copied_games(log)
    if copies is not None:
        notes.append(copies)
    cells = _cells(log, seed, bootstrap, notes)
    unread = unread_moves(log, lambda other: _cells(of_models(other), seed, bootstrap, []))
    return Measurement(cells, tuple(dict.fromkeys(notes)), exchange_section(_exchanges(log)), unread)


def _cells(log: intent.GameLog, seed: int, bootstrap: int, notes: list[str]) -> tuple[Measured, ...]:
    """All cells of a log of subjects."""
    made = Collected("agent_architectures", Path(), {})
    table = metric_table(made, log, seed)
    notes += made.notes
    printed = published_values(Path(__file__).parent)
    known = set(zip(printed["table"], printed["row"], printed["column"], strict=True))
    sizes = dict(zip(printed["row"], printed["n"], strict=True))
    cells = [*_payoffs(log, table), *_means(table, sizes, notes), *_strategies(log, table, seed, notes)]
    cells += _hypotheses(printed, table, seed, bootstrap)
    return tuple(one for one in cells if one.cell in known)


def _exchanges(log: intent.GameLog) -> list[Strip]:
    """The first game of each agent with advice: the thesis shows one of each kind (chapter 2)."""
    seats = log.seats[log.seats["focal"].astype(bool)]
    if not {"architecture", "attitude"} <= set(seats):
        return []
    advised = seats[seats["architecture"].isin(["tool", "debate"])]
    strips = []
    for (architecture, attitude), rows in advised.groupby(
        ["architecture", "attitude"], sort=True, observed=True
    ):
        strips.append(exchange(log, str(rows["game_id"].iloc[0]), f"{architecture}, told to {attitude}"))
    return strips


def read(path: Path) -> intent.GameLog:
    """The log of a run folder, of the thesis's files (`authors.read_authors`), or of any that is read."""
    if (path / "run.json").is_file():
        return intent.read_log(path / "log")
    if path.is_dir() or path.suffix.casefold() == ".csv":
        try:
            return read_authors(path)
        except DataError as theirs:
            try:
                return intent.read_log(path)
            except IntentError as error:
                raise DataError(f"{error} (nor a file of the thesis: {theirs})") from error
    return intent.read_log(path)


def _payoffs(log: intent.GameLog, table: pd.DataFrame) -> Iterator[Measured]:
    """Section 2.1.1: the payoffs of the three games, told as years of prison."""
    kinds = dict(zip(table["game_id"].astype(str), table["incentive"], strict=True))
    shown: set[str] = set()
    columns = ("game_id", "payoffs", "cooperative_action", "payoff_kind")
    for game_id, payoffs, cooperative, unit in zip(*(log.games[c] for c in columns), strict=True):
        kind = kinds.get(str(game_id))
        if not isinstance(kind, str) or kind in shown:
            continue
        shown.add(kind)
        own = {key: float(value[0]) for key, value in json.loads(payoffs).items()}
        c = str(cooperative)
        d = next(action for key in own for action in key.split(",") if action != c)
        places = {"T": f"{d},{c}", "R": f"{c},{c}", "P": f"{d},{d}", "S": f"{c},{d}"}
        top = max(own.values())
        for name, key in places.items():
            points = top - own[key] if unit == "penalty" else own[key]
            yield Measured("Section 2.1.1", f"game={kind}", name, points, exact=True)


_TABLES: Mapping[str, tuple[str, str]] = {
    "plain": ("Table 3.1", "Table 3.2"),
    "tool": ("Table 3.3", "Table 3.4"),
    "debate": ("Table 3.6", "Table 3.7"),
}
"""Architecture -> tables of comprehension and behaviour."""


def _means(table: pd.DataFrame, sizes: Mapping[str, int], notes: list[str]) -> Iterator[Measured]:
    """Tables 3.1 to 3.4, 3.6 and 3.7: means over games."""
    for architecture, (comprehension, behaviour) in _TABLES.items():
        part = table[table["architecture"] == architecture]
        if part.empty:
            continue
        for ratio in ("correct", "misunderstood"):
            row = f"architecture={architecture},ratio={ratio}"
            for name, short in QUESTIONS.items():
                if f"{name}_{ratio}" in part:
                    yield _mean((comprehension, row, short), part[f"{name}_{ratio}"], sizes)
        by_model = players_of(part, MODELS, tuple(MODELS), notes)
        rows = [("", part), *((f",model={name}", games) for name, games in by_model)]
        for suffix, games in rows:
            for name, short in BEHAVIOUR.items():
                yield _mean((behaviour, f"architecture={architecture}{suffix}", short), games[name], sizes)


def _mean(cell: tuple[str, str, str], values: pd.Series[float], sizes: Mapping[str, int]) -> Measured:
    known = pd.to_numeric(values, errors="coerce").dropna().to_numpy(dtype=float)
    n = len(known)
    if n == 0:
        return Measured(*cell, value=math.nan, n=0, verdict="too few", note="no game has it")
    sd = float(known.std(ddof=1)) if n > 1 else math.nan
    theirs = sizes.get(cell[1])
    spread = None if n < 2 or theirs is None or pd.isna(theirs) else sd / math.sqrt(float(theirs))
    se = sd / math.sqrt(n) if n > 1 else None
    value, span = float(known.mean()), (0.0, 1.0)  # all that is measured here is a share, or a mean of shares
    return Measured(*cell, value=value, se=se, n=n, published_se=spread, assumed=True, within=span)


_BEST = {"tool": "Table 3.5", "debate": "Table 3.8"}


def _strategies(log: intent.GameLog, table: pd.DataFrame, seed: int, notes: list[str]) -> Iterator[Measured]:
    """Tables 3.5 and 3.8: the single strategy that agrees with most moves of the dilemmas."""
    dilemmas = sorted(set(table.loc[table["incentive"] == "dilemma", "game_id"].astype(str)))
    if not dilemmas:
        return
    X = log.where({"game_id": dilemmas}).trajectories()
    assert X.keys is not None
    strategies = strategy_set("rr20")
    share = matches(X, strategies)
    keys = X.keys.reset_index(drop=True)
    printed = published_values(Path(__file__).parent)
    for architecture, name in _BEST.items():
        chosen = keys[keys["architecture"].astype(object).eq(architecture)]
        if chosen.empty:
            continue
        for model, rows in players_of(chosen, MODELS, tuple(MODELS), notes):
            of_rows = share[rows.index]
            best = int(np.nanargmax(np.nanmean(of_rows, axis=0)))
            row = f"architecture={architecture},model={model}"
            theirs = printed.loc[
                (printed["table"] == name) & (printed["row"] == row) & (printed["column"] == "best"), "note"
            ]
            agree = strategies[best].name in set(theirs)
            said = f"ours: {strategies[best].name}"
            verdict: Verdict = "equal" if agree else "unclear"
            yield Measured(name, row, "best", math.nan, n=len(rows), verdict=verdict, note=said)
            yield _mean((name, row, "match"), pd.Series(of_rows[:, best]), {row: len(rows)})


def _hypotheses(printed: pd.DataFrame, table: pd.DataFrame, seed: int, bootstrap: int) -> Iterator[Measured]:
    """Section 4.4.1: the verdicts on hypotheses."""
    theirs = printed[printed["column"] == "verdict"].set_index("row")["note"]
    for one in judge(table, Trial(np.random.default_rng(seed), samples=bootstrap)):
        row = f"hypothesis={one.hypothesis.name}"
        sides = {one.verdict, theirs.get(row)}
        verdict: Verdict = "equal" if len(sides) == 1 else "unclear" if "undecided" in sides else "differs"
        said = f"ours: {one.verdict}; {one.hypothesis.claim}"
        yield Measured("Section 4.4.1", row, "verdict", math.nan, verdict=verdict, note=said)
