"""The local model plays all eight games to their end."""

from __future__ import annotations

import pytest

from intent.gamma.bench.run import run_benchmark
from intent.gamma.catalogue import GAMMA_GAMES

pytestmark = pytest.mark.slow


REPRESENTATIVES = ("bar",)  # all at once; pirate, one after the other, is the longest
REST = tuple(game for game in GAMMA_GAMES if game not in REPRESENTATIVES)


@pytest.mark.parametrize("games", [REPRESENTATIVES, pytest.param(REST, marks=pytest.mark.exhaustive)])
def test_games_end_in_scores(local_model, tmp_path, games):
    tiny = {"players": 3, "rounds": 2, "repetitions": 1, "reply": {"retries": 0}, "figures": False}
    sampled = {"settings": {"max_tokens": 24, "constrained": True}}
    result = run_benchmark({**tiny, **sampled}, tmp_path / "run", models=[local_model], games=games)
    assert result.summary["state"] == "finished"
    assert [row["game"] for row in result.summary["scores"]] == list(games)
    assert result.summary["readable"] > 0.8
