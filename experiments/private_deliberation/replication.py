"""Private deliberation and deception, cell by cell: payoffs, utilities, equilibria.

References
----------
Poje et al. 2024, Entropy 26:524, tables 2 and 3, figures 7 to 9, listings 2 and 3.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import intent
from intent.base.experiments import published_values
from intent.estimate.design_units import copied_games
from intent.games.game import MatrixGame, stage
from intent.report.exchanges import exchange, exchange_section
from intent.report.page import Strip
from intent.report.replication import Measured, Measurement, Verdict, players_of, unread_moves
from intent.report.results import Collected

from .measures import equilibrium_rates, joint_play
from .play import ITERATIONS, Play, read_play
from .results import SAMPLING, add_verdicts

CITATION = (
    "Poje et al. 2024, Effect of Private Deliberation: Deception of Large Language Models in Game Play, "
    "Entropy 26:524"
)

PLAYS: Mapping[str, Sequence[str]] = {
    "paper": ("paper.yaml",),
    "own": ("own.yaml",),
    "scripted": ("scripted.yaml",),
    "small": ("small.yaml",),
}

VARIANTS: Mapping[str, str] = {
    "own": "the decision stands on a line of its own, and no goal beyond the own payoff is set",
    "scripted": "an artificial model takes the place of language models",
}

MODELS: Mapping[str, str] = {"GPT-3.5-turbo-0125": r"gpt.?3\.?5", "GPT-4-0613": r"gpt.?4(?!o|\.)"}
"""Model of the paper -> how it is named in logs."""

SAMPLES: Mapping[str, Any] = {"n": 100, "repetitions": 1}
"""Of `intent sampling`: numbers that the model is asked for (section 3.1)."""

_KINDS = 5
"""Games of which an exchange is shown."""

_GAMES = 10
"""Of each setting in the paper (section 4.1)."""


def measure(played: Sequence[Path], *, seed: int, bootstrap: int) -> Measurement:
    """Everything that the paper prints, from a log or run folder.

    Utilities are compared as means over games; the printed deviations are of single iterations, so the error
    of a printed mean is taken to be that of ten games with the spread of ours between games.

    Parameters
    ----------
    played : paths of run folders or logs; the first is read
    seed, bootstrap : int
        Of the intervals of rates.
    """
    path = played[0]
    log = read(path)
    sampling = path.parent.parent / "results" / SAMPLING

    def cells(of: intent.GameLog, notes: list[str]) -> tuple[Measured, ...]:
        return tuple(_cells(of, sampling, seed, bootstrap, notes))

    copies = copied_games(log)
    notes = [] if copies is None else [copies]
    made = cells(log, notes)
    unread = unread_moves(log, lambda other: cells(other, []))
    return Measurement(made, tuple(dict.fromkeys(notes)), exchange_section(_exchanges(log)), unread)


def read(path: Path) -> intent.GameLog:
    """The log of a run folder, or any that is read."""
    return intent.read_log(path / "log" if (path / "run.json").is_file() else path)


def _cells(
    log: intent.GameLog, sampling: Path, seed: int, bootstrap: int, notes: list[str]
) -> Iterator[Measured]:
    """All cells of a log."""
    play = read_play(log, seed=seed, bootstrap=bootstrap)
    printed = published_values(Path(__file__).parent)
    facts = pd.Series([_conditions(row) for row in printed["row"]], printed.index, dtype=object)
    rows = printed.assign(facts=facts)
    yield from _utilities(play, rows, copied_games(log), notes)
    yield from _payoffs(log, rows)
    yield from _temptations(play, rows)
    yield from _equilibria(play, rows)
    yield from _hypotheses(play, sampling, rows)


def _exchanges(log: intent.GameLog) -> list[Strip]:
    """Two iterations of the first game of each kind with a private agent (figure 5, listings 4 and 5)."""
    private = log.seats.loc[log.seats["architecture"].eq("private"), "game_id"].astype(str)
    games = log.games.assign(game_id=log.games["game_id"].astype(str))
    games = games[games["game_id"].isin(set(private))].drop_duplicates("game")
    return [
        exchange(log, str(row["game_id"]), str(row["game"])) for row in games.head(_KINDS).to_dict("records")
    ]


def _conditions(row: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in row.split(","))


def _utilities(play: Play, rows: pd.DataFrame, copies: str | None, notes: list[str]) -> Iterator[Measured]:
    """Figures 7 and 8: mean payoff per iteration of each agent."""
    table = play.fixed
    table = table[table["iterations"] == ITERATIONS] if (table["iterations"] == ITERATIONS).any() else table
    table = table.assign(model=table["asked"])
    spans = _spans(play.log)
    for row in rows[rows["column"] == "utility"].to_dict("records"):
        facts: dict[str, str] = row["facts"]
        part = table[
            (table["game"] == facts["game"])
            & (table["agents"] == facts["agents"])
            & (table["agent"] == facts["agent"])
        ]
        if part.empty:
            continue
        for _, of_model in players_of(part, MODELS, (facts["model"],), notes):
            means = of_model.groupby("game_id", observed=True)["payoff"].mean().dropna()
            n = len(means)
            sd = float(means.std(ddof=1)) if n > 1 else math.nan
            impossible = row["note"].startswith("infeasible")
            withheld = "the printed number cannot come from the payoffs" if impossible else ""
            yield Measured(
                row["table"],
                row["row"],
                "utility",
                float(means.mean()),
                se=sd / math.sqrt(n) if n > 1 else None,
                n=n,
                published_se=sd / math.sqrt(_GAMES) if n > 1 else None,
                assumed=True,
                within=spans.get(facts["game"]),
                withheld=withheld or ("identical copies of one game" if copies else ""),
            )


def _spans(log: intent.GameLog) -> dict[str, tuple[float, float]]:
    """Game -> least and largest payoff of a round."""
    spans = {}
    for name, text in zip(log.games["game"], log.games["payoffs"], strict=True):
        if isinstance(text, str) and str(name) not in spans:
            values = [float(x) for pair in json.loads(text).values() for x in pair]
            spans[str(name)] = (min(values), max(values))
    return spans


def _payoffs(log: intent.GameLog, rows: pd.DataFrame) -> Iterator[Measured]:
    """Listings 2 and 3: the payoff tables, as the games of the log have them."""
    tables: dict[str, dict[str, list[float]]] = {}
    for name, payoffs in zip(log.games["game"], log.games["payoffs"], strict=True):
        if isinstance(payoffs, str):
            tables.setdefault(str(name), json.loads(payoffs))
    for row in rows[rows["table"].isin(["Listing 2", "Listing 3"])].to_dict("records"):
        facts = row["facts"]
        table = tables.get(facts["game"])
        if table is None:
            continue
        names = list(dict.fromkeys(action for key in table for action in key.split(",")))
        own, other = (names["AB".index(facts[who])] for who in ("own", "other"))
        pair = table[f"{own},{other}"]
        value = pair[0] if row["column"] == "own payoff" else pair[1]
        yield Measured(row["table"], row["row"], row["column"], float(value), exact=True)


def _temptations(play: Play, rows: pd.DataFrame) -> Iterator[Measured]:
    """Table 3 and figure 9: the parameterised game and the values of x that were played."""
    if play.over_x.empty:
        return
    values = sorted(play.over_x["x"].dropna().unique())
    for row in rows[rows["table"] == "Figure 9"].to_dict("records"):
        place = int(row["column"].removeprefix("x ")) - 1
        if place < len(values):
            yield Measured("Figure 9", row["row"], row["column"], float(values[place]), exact=True)
    ids = set(play.over_x["game_id"])
    games = play.log.games[play.log.games["game_id"].astype(str).isin(ids)]
    game = stage(games["payoffs"].iloc[0])
    if not isinstance(game, MatrixGame):
        return
    letters = {"C": 0, "D": 1}
    for row in rows[rows["table"] == "Table 3"].to_dict("records"):
        facts = row["facts"]
        i, j = letters[facts["A"]], letters[facts["B"]]
        seat = 0 if row["column"] == "payoff of A" else 1
        value = float(game.payoffs[i][j][seat])
        yield Measured("Table 3", row["row"], row["column"], value, exact=True)


def _equilibria(play: Play, rows: pd.DataFrame) -> Iterator[Measured]:
    """Table 2 names a kind of equilibrium for each game; how often play reaches it stands beside."""
    joint = joint_play(play.log, play.table)
    if not len(joint):
        return
    how: dict[str, Any] = play.how
    rates = equilibrium_rates(joint, ["game"], **how).set_index(["game", "kind"])
    for row in rows[rows["table"] == "Table 2"].to_dict("records"):
        key = (row["facts"]["game"], row["note"])
        if key in rates.index:
            rate = rates.loc[key]
            said = "ours: share of rounds; the paper names the kind only"
            yield Measured("Table 2", row["row"], row["column"], float(rate["estimate"]), withheld=said)


def _hypotheses(play: Play, sampling: Path, rows: pd.DataFrame) -> Iterator[Measured]:
    """H1, H2 and the sensitivity to x, by the criteria of `results.add_verdicts`."""
    out = Collected("private_deliberation", Path(), {})
    add_verdicts(play, out, sampling)
    for row in rows[rows["column"] == "verdict"].to_dict("records"):
        name, theirs = row["facts"]["hypothesis"], str(row["note"]).partition(":")[0]
        for one in (v for v in out.verdicts if v["hypothesis"] == name):
            sides = {one["verdict"], theirs}
            verdict: Verdict = (
                "equal" if len(sides) == 1 else "unclear" if "undecided" in sides else "differs"
            )
            said = f"ours: {one['verdict']}; {one['evidence']}"
            yield Measured(row["table"], row["row"], "verdict", math.nan, verdict=verdict, note=said)
            break
