"""Every figure, drawn from small inputs: the registry's, those of other commands and of rooms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from contribution_logs import token_log
from play_logs import public_goods_games, scaled_games
from simulated_labels import simulated

import intent
from intent.arena.evolution.evolve import evolve
from intent.arena.tournament.tournament import tournament
from intent.behaviour.agreement import agree
from intent.behaviour.explain import explain
from intent.behaviour.figures import draw_samples
from intent.comparison.compare import compare
from intent.comparison.sweep import sweep
from intent.estimate.contributors import contributors
from intent.figures.style import Drawing, look, proofs
from intent.gamma.auction import AuctionPlays
from intent.gamma.bar import BarPlays
from intent.gamma.battle_royale import BattlePlays, Shot
from intent.gamma.bench.leaderboard import published_scores
from intent.gamma.figures import board_map, gamma_figures
from intent.gamma.guessing import GuessingPlays
from intent.gamma.pirate import PiratePlays, Vote
from intent.gamma.public_goods import GoodsPlays
from intent.gamma.ranking import leaderboard
from intent.logs.readers import read_log
from intent.recognise.discovery import discover
from intent.recognise.evaluate import evaluation
from intent.recognise.labels.label import label_log
from intent.recognise.probe.probe import probe
from intent.recognise.study.figures import (
    draw_by_opponent,
    draw_by_size,
    draw_mismatch,
    draw_regret_maps,
    draw_reliability,
)
from intent.report.figures import figures
from intent.runner.sampling import Distribution
from intent.strategies.catalogue import strategy
from intent.strategies.figures import write_automaton

SAMPLE = Path(__file__).resolve().parent.parent / "datasets" / "samples" / "scripted_players.jsonl.gz"
MODELS = ("openai/gpt-4o-mini", "mistral-large", "claude-3.5-haiku")
GENERATED = ("games", "n_rounds")

Sketch = tuple[Drawing, Sequence[str]]
"""A drawing, and the further lines of its caption."""


def sketches(folder: Path, *names: str) -> dict[str, Sketch]:
    """Name -> drawing with its remarks, of all or those named; what draws them works in a folder."""
    kept: dict[str, Sketch] = {}
    for name, draw in _makers(folder):
        if names and name not in names:
            continue

        def keep(drawing: Drawing, path: Path, remarks: Sequence[str], name: str = name) -> None:
            with look():
                drawing.draw()
            kept[name if name not in kept else f"{name}-{path.stem}"] = (drawing, remarks)

        with proofs(keep):
            draw()
    return kept


def _makers(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    rng = np.random.default_rng(1)
    log = read_log(SAMPLE)
    labels = simulated(180, rng)
    few: dict[str, Any] = {"bootstrap": 30, "permutations": 9}

    def of(result: Any, **how: Any) -> None:
        result.write(folder / "f.svg", overwrite=True, **how)

    def drawn(source: Any, *names: str, **settings: Any) -> None:
        figures(source, list(names), folder, overwrite=True, image="svg", bootstrap=30, **settings)

    def plain(title: str, lines: Sequence[str], draw: Callable[[], Any]) -> None:
        Drawing(title, draw, lines).write(folder / "f.svg", overwrite=True)

    yield from _compared(labels, few, of)
    yield "sweep", lambda: of(sweep(log, by="model", tau=(0.5, 0.7, 0.9)))
    yield "estimated-shares", lambda: of(intent.sfem(log, by="model"))
    yield "estimated-shares-one", lambda: of(intent.sfem(log))
    yield "agreement", lambda: of(agree(log, "bayes-canonical4,bayes-canonical6", bootstrap=20))
    yield "states", lambda: of(discover(log, by="model", states="3", starts=2))
    yield "choice-models", lambda: _choices(folder)
    yield "probe", lambda: of(probe("canonical4", rounds=5))
    for name in ("EXTORT2", "TFT"):
        yield "automaton", partial(write_automaton, strategy(name), folder / f"{name}.svg", overwrite=True)
    scaled = scaled_games(rng, models=MODELS, repetitions=2)
    for name in ("cooperation", "choices", "payoffs", "personas", "mismatch", "radar"):
        yield name, partial(drawn, scaled, name)
    yield "portraits", lambda: drawn(log, "portraits", where={"game": ["prisoner-dilemma"]})
    yield "contributors", lambda: drawn(public_goods_games(rng), "contributors")
    yield "simplex", lambda: _simplex(log, folder, drawn)
    yield "contributor-types", lambda: of(contributors(_tokens(rng), by="seat", bootstrap=20))
    measured = labels.assign(persona=np.resize(["cooperative", "selfish", "none"], len(labels)))
    yield (
        "shap",
        lambda: explain(measured, "cooperation_rate", "model,persona", trees=20, seeds=3).write(
            folder / "explained", overwrite=True, image="svg"
        ),
    )
    corpus = intent.generate("canonical4", 400, rounds=8, eps=0.05, opponent="random", seed=1)
    yield "reliability", lambda: of(evaluation("bayes-canonical4", corpus))
    yield from _populations(folder, drawn)
    yield from _studied(plain)
    yield "gamma", lambda: gamma_figures(_plays(), folder / "gamma")
    title, lines, draw = board_map(leaderboard(published_scores()))
    yield "scores", lambda: plain(title, lines, draw)
    yield (
        "samples",
        lambda: plain("Numbers asked for as a sample", ["Model: m, 100 numbers a request."], _samples),
    )


def _compared(
    labels: pd.DataFrame, few: dict[str, Any], of: Callable[..., None]
) -> Iterator[tuple[str, Any]]:
    by_model = compare(labels, "model", count="status", **few)
    rounds = labels.assign(horizon=np.arange(len(labels)) % 4 + 3)
    both = compare(labels, "model,language", count="status", **few)
    means = compare(labels, "persona,model", metric="cooperation_rate", **few)
    yield "bars", lambda: of(by_model, figure="bars")
    yield "bars-two", lambda: of(both, figure="bars")
    yield "ribbons", lambda: of(compare(rounds, "horizon", count="status", **few), figure="ribbons")
    yield "ribbons-text", lambda: of(by_model, figure="ribbons")
    yield "heatmap", lambda: of(both, figure="heatmap")
    yield "heatmap-one", lambda: of(by_model, figure="heatmap")
    yield "points", lambda: of(by_model, figure="points")
    yield "points-means", lambda: of(means)


def _choices(folder: Path) -> None:
    log = intent.generate("ALLC,ALLD,TFT,WSLS", 40, rounds=8, seed=1)
    models = ["round-rate", "memory-one:2", "automata:canonical4"]
    made = intent.predict(log, models=models, ceiling="trees", folds=2, checks=5)
    made.write_figures(folder / "choice", overwrite=True)


def _simplex(log: Any, folder: Path, drawn: Callable[..., None]) -> None:
    table = folder / "labels.parquet"
    label_log(log).write(table, overwrite=True)
    drawn(table, "simplex", by="model")


def _tokens(rng: np.random.Generator) -> Any:
    """Seat 1 gives nothing, 2 gives 12, 3 half of what the others gave, 4 anything."""
    games = []
    for _ in range(6):
        played = [[0, 12, 5, int(rng.integers(21))]]
        for _ in range(11):
            last = played[-1]
            played.append([0, 12, round((sum(last) - last[2]) / 3), int(rng.integers(21))])
        games.append(played)
    return token_log(games)


def _populations(folder: Path, drawn: Callable[..., None]) -> Iterator[tuple[str, Any]]:
    field = folder / "field"

    def play() -> None:
        tournament(against="ALLC,ALLD,TFT,WSLS,GTFT", output=field, turns=20, repetitions=4, noise=0.01)

    yield "standings", play
    yield "matrix", lambda: drawn(field / "head_to_head_payoff.csv", "matrix")
    starts = ["ALLD=5,TFT=3,WSLS=4"]
    yield "path", lambda: evolve([field], by="strategy", initial=starts, runs=20, output=folder / "evolved")


def _studied(plain: Callable[..., None]) -> Iterator[tuple[str, Any]]:
    rows = [
        {"label": label, "set": kind, "opponent": opponent, "rounds": rounds, "noise": noise,
         "train_noise": train, "train_size": size, "regret_known": 0.002 * (k + 1) * (1 + 9 * noise),
         "ceiling_known": 0.9}
        for k, label in enumerate(("Bayes", "forest of 200 trees", "LSTM", "rules by hand"))
        for kind in ("canonical4", "canonical6")
        for opponent in ("random", "TFT", "round robin")
        for rounds in (5, 10, 20)
        for noise in (0.0, 0.05, 0.1)
        for train in ("0", "0-0.2")
        for size in ("200", "2000")
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    bins = pd.DataFrame(
        [
            {"label": label, "set": kind, "confidence": c, "accuracy": c - 0.05, "mass": 0.2, "ece": 0.05}
            for label in ("Bayes", "forest of 200 trees", "LSTM", "rules by hand")
            for kind in ("canonical4", "canonical6")
            for c in (0.35, 0.55, 0.75, 0.95)
        ]
    )
    lines = ["Means of 500 fresh trajectories a point."]
    yield "regret", lambda: plain("Regret", lines, partial(draw_regret_maps, table))
    yield "regret-opponent", lambda: plain("Regret", lines, partial(draw_by_opponent, table))
    yield "regret-size", lambda: plain("Regret", lines, partial(draw_by_size, table, ["200", "2000"]))
    yield "regret-mismatch", lambda: plain("Regret", lines, partial(draw_mismatch, table, ["0", "0-0.2"]))
    yield "study-reliability", lambda: plain("Reliability", lines, partial(draw_reliability, bins))


def _plays() -> list[tuple[dict[str, Any], Any]]:
    played = {
        "guessing": GuessingPlays(
            n_players=2, means=(30.0, 20.0, 12.0), by_seat=((20, 40), (10, 30), (9, 15))
        ),
        "bar": BarPlays(n_players=4, goers=(1, 3, 2)),
        "public_goods": GoodsPlays(n_players=4, totals=(8.0, 4.0, 2.0)),
        "auction": AuctionPlays(n_players=2, valuations=((100, 0), (50, 10)), bids=((50, 0), (None, 5))),
        "battle_royale": BattlePlays(
            n_players=2, shots=(Shot(1, ((1, 35.0), (2, 40.0)), None), Shot(2, ((1, 35.0), (2, 40.0)), 1))
        ),
        "pirate": PiratePlays(
            n_players=3, held=(Vote((100, 0, 0), ("reject", "reject")), Vote((100, 0), ("accept",)))
        ),
    }
    return [
        (
            {
                "model": m,
                "game": game,
                "setting": setting,
                "run": run,
                "score": 40.0 + run,
                "base": setting == "default",
            },
            one,
        )
        for game, one in played.items()
        for m in MODELS[:2]
        for setting in ("default", "ratio=20%")[: 2 if game == "bar" else 1]
        for run in (1, 2)
    ]


def _samples() -> Any:
    rng = np.random.default_rng(3)
    laws = [Distribution("gaussian", (0.0, 1.0)), Distribution("poisson", (4.0,))]
    drawn = {"gaussian": rng.normal(size=100), "poisson": rng.poisson(4, 100).astype(float)}
    table = pd.DataFrame(
        [
            {"distribution": str(law), "origin": origin, "value": value}
            for law in laws
            for origin in ("model", "honest")
            for value in drawn[law.name]
        ]
    )
    return draw_samples(table, [(str(law), law.discrete, law.frozen) for law in laws])
