"""Strategies planted in the dilemmas of a study are those that its table of the twenty reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import play_logs
import pytest

from intent import GameLog, generate
from intent.games.game import MatrixGame
from intent.play.match import Match
from intent.report.results import results

ACTIONS = ("Cooperate", "Defect")
DILEMMA = MatrixGame.from_trps("dilemma", 0, 5, 10, 15, "penalty", ACTIONS)
DELIGHT = replace(MatrixGame.from_trps("delight", 15, 10, 5, 0, "penalty", ACTIONS), cooperate="Cooperate")
PLANTED = {"tool": "GRIM2", "debate": "DTFT", "plain": "WSLS"}


def of_models(strategy: str, architecture: str, game: MatrixGame, n: int, eps: float) -> list[Match]:
    """Games against a coin in which a model plays a strategy, errs at a rate, and remembers what it meant."""
    moves = generate(strategy, n, rounds=20, eps=0, seed=5).moves
    rng = np.random.default_rng(5)
    seats = ({"model": "m", "architecture": architecture}, {"strategy": "RANDOM", "architecture": "scripted"})
    found = []
    for _, one in moves.groupby("game_id", observed=True):
        own, other = (one.loc[one["seat"] == seat, "cooperated"].to_numpy(dtype=bool) for seat in (1, 2))
        own = own ^ (rng.random(len(own)) < eps)
        letters = ["".join(np.where(played, "C", "D")) for played in (own, other)]
        found.append(replace(play_logs.match(game, *letters), seats=seats))
    return found


def fits_of(log: GameLog, folder: Path) -> pd.DataFrame:
    results(log, "agent_architectures", folder, bootstrap=20)
    return pd.read_csv(folder / "sfem.csv").set_index("architecture")


@pytest.mark.slow
def test_each_architectures_strategy_is_found_and_other_games_do_not_count(tmp_path: Path) -> None:
    made = [one for name, planted in PLANTED.items() for one in of_models(planted, name, DILEMMA, 24, 0.05)]
    made += [one for name in PLANTED for one in of_models("ALLC", name, DELIGHT, 24, 0.0)]
    fits = fits_of(play_logs.log_of(*made), tmp_path)
    assert fits["best"].to_dict() == PLANTED
    assert fits["n_games"].eq(24).all()
    for name, planted in PLANTED.items():
        assert fits.loc[name, f"share_{planted}"] > 0.7
        assert fits.loc[name, "match"] > 0.85


def test_shares_of_a_mixture_are_recovered(tmp_path: Path) -> None:
    truth = {"ALLD": 0.4, "TFT": 0.3, "GRIM": 0.2, "2TFT": 0.1}
    made = [one for name, s in truth.items() for one in of_models(name, "tool", DILEMMA, round(60 * s), 0.03)]
    fits = fits_of(play_logs.log_of(*made), tmp_path)
    shares = {
        name.removeprefix("share_"): fits.loc["tool", name] for name in fits if name.startswith("share_")
    }
    assert len(shares) == 20
    assert {name: shares[name] for name in truth} == pytest.approx(truth, abs=0.08)
    assert fits.loc["tool", "tremble"] == pytest.approx(0.03, abs=0.02)
