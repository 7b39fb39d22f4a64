"""GAMA-Bench's own folder of templates plays all games, and its prompts are those of its saved files.

The folder and the files are data that does not come with the package; without them the tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from table_views import views_of

from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.sources import load_prompts
from intent.gamma.bench.run import run_benchmark
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.gamma.prompts import VERSIONS
from intent.gamma.templates import GamaTemplates, read_gama_templates
from intent.play.match import View

DATA = Path(os.environ.get("INTENT_DATA", "")) / "gamma_bench"
TEMPLATES = DATA / "prompt_template"

pytestmark = pytest.mark.skipif(not TEMPLATES.is_dir(), reason="needs INTENT_DATA with gamma_bench")


def test_the_folder_is_whole_and_plays_all_games_with_scripted_players(tmp_path):
    bench = {
        "games": "all",
        "models": ["scripted/asked:RANDOM"],
        "players": 4,
        "rounds": 3,
        "repetitions": 1,
        "prompts": str(TEMPLATES),
        "figures": False,
    }
    played = run_benchmark(bench, tmp_path / "run")
    assert set(played.scores["game"]) == set(GAMMA_GAMES)
    assert played.log.moves["status"].eq("parsed").all()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("game", GAMMA_GAMES)
def test_every_wording_of_every_game_is_filled_in(game, version):
    prompts = load_prompts(TEMPLATES)
    assert isinstance(prompts, GamaTemplates)
    seat = {
        "player": "openai/none",
        "persona": "selfish",
        "architecture": "chain_of_thought",
        "options": {"phrase": int(version[1]), "told": "smart"},
    }
    plan = plan_of(game, version=version, seat=seat)
    prompts.check(plan)
    for view in views_of(plan):
        text = "\n".join(m.content for m in prompts.render(view, plan, "choose"))
        assert "!<INPUT" not in text
        assert "<part>" not in text


def plan_of(game, n_players=10, rounds=3, version="v1", seat=None, **parameters):
    stage = gamma_game(game, n_players=n_players, **parameters)
    seats = tuple(
        SeatPlan(name=f"player_{i}", **(seat or {"player": "openai/none"})) for i in range(1, n_players + 1)
    )
    return GamePlan.of(stage, game_id="g", rounds=rounds, seats=seats, prompts="gamma", framing=version)


def saved(name: str) -> dict:
    return json.loads((DATA / "raw_results" / name).read_text(encoding="utf-8"))


SAVED = {
    "guessing": "guessing_game/gpt-3.5-turbo-0613_guessing_game_v1_2.json",
    "bar": "bar/gpt-3.5-turbo-0613_bar_game_implicit_v1_2.json",
    "divide_dollar": "divide_dollar/gpt-3.5-turbo-0613_divide_dollar_v1_2.json",
    "diner": "diner_dilemma/gpt-3.5-turbo-0613_diner_dilemma_v1_2.json",
    "auction": "sealed_bid_auction/gpt-3.5-turbo-0613_sealed_bid_auction_v1_2.json",
}
"""A saved file of each game whose players were sent the whole past."""

SAME = {
    "guessing": ("Unfortunately you lost.", "Congratulation you won."),
    "bar": ("which is",),
    "divide_dollar": ("The sum exceeds", "The sum does not exceed"),
    "diner": (),
    "auction": (),
}
"""Words that stand in its code, for which ours stand in: their lines are not compared."""


@pytest.mark.parametrize("game", SAVED)
def test_prompts_are_those_of_a_saved_file(game):
    """The first five rounds of its first player, message by message."""
    file = saved(SAVED[game])
    plan = plan_of(game, rounds=20)
    views = replayed(plan, file)
    ours = read_gama_templates(TEMPLATES).render(views[5], plan, "choose")[:-1]
    theirs = file["player_data"][0]["prompt"][: len(ours)]
    assert [m.role for m in ours] == [m["role"] for m in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert lines(mine.content, game) == lines(other["content"], game)


def lines(text: str, game: str) -> list[str]:
    """Lines without those whose words are code, numbers without closing zeros."""
    words = (*SAME[game], "You lost.", "You won.", "is within", "is above", "The sum is")
    kept = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return [plain(line) for line in kept if not any(word in line for word in words)]


def plain(line: str) -> str:
    words = (re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", word).rstrip(".") for word in line.split())
    return " ".join(words)


def replayed(plan: GamePlan, file: dict) -> list[View]:
    """The views of seat 1, of a match in which all seats play what the file has."""
    import numpy as np

    from intent.play.referee import Referee

    referee = Referee(plan.stage(), plan.horizon(), rng=np.random.default_rng(0))
    found = []
    while not referee.over:
        for seat in referee.pending():
            view = referee.view(seat)
            if seat == 1:
                found.append(view)
            referee.submit(seat, str(file["player_data"][seat - 1]["records"][view.round - 1]), "parsed")
    return found
