"""Every architecture with every client, in every kind of game and every language, through a real run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import cycle, product
from pathlib import Path

import pandas as pd
import pytest
from opened_clients import OVER_HTTP, REMOTE, Opened, local, over, run

from intent import GameLog
from intent.agents.agent import ARCHITECTURES, make_agents
from intent.agents.client import Client, Settings
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.sources import own_prompts
from intent.base import codebook
from intent.games.catalogue import public_goods
from intent.games.game import MatrixGame
from intent.runner.caller import make_callers
from intent.runner.run import Run

LABELS = ("OptionA", "OptionB")
GAMES = {
    "rewards": MatrixGame.from_trps("rewards", 7, 5, 3, 1, actions=LABELS),
    "years": MatrixGame.from_trps("years", 0, 5, 10, 15, "penalty", LABELS),
    "pool": public_goods(1.5),
}
LANGUAGES = ("en", "fr", "ar", "zh", "vi")
ATTITUDES = {"tool": "compute", "debate": "defect"}
READABLE = ("agreeable", "agreeable_over_http", "callable_")


def plan(player: str, architecture: str, game: str, language: str, **settings: object) -> GamePlan:
    """One round against tit-for-tat, with a question about it."""
    # In a pool no tool can compute: it advises what the seat is told to.
    attitude = "cooperate" if (architecture, game) == ("tool", "pool") else ATTITUDES.get(architecture)
    tool = architecture == "tool" and player.startswith("local/")
    seat = SeatPlan(
        player=player,
        name="agent1",
        architecture=architecture,
        attitude=attitude,
        settings=Settings(max_tokens=8 if player.startswith("local/") else 16, **settings),
        options={"protocol": "prompted"} if tool else {},
    )
    others = [SeatPlan(player="scripted/TFT", name=f"agent{i}", others="all") for i in (2, 3)]
    return GamePlan.of(
        GAMES[game],
        game_id=f"{architecture}-{game}-{language}",
        rounds=1,
        seats=(seat, *others[: GAMES[game].n_players - 1]),
        language=language,
        framing="years" if game == "years" else "plain",
        questions=("opponent_next", "extremes") if game != "pool" else ("rounds_so_far",),
    )


Of = tuple[str, str]
"""Game and language."""


def seated(conditions: Sequence[Of]) -> list[tuple[str, Of]]:
    """Every architecture under every condition that it plays: an informed player is told of one other."""
    pairs = product(ARCHITECTURES, conditions)
    return [(name, of) for name, of in pairs if (name, of[0]) != ("informed", "pool")]


def played(opened: Opened, folder: Path, conditions: Sequence[Of], **settings: object) -> GameLog:
    """The log of all architectures under some conditions, whose run keeps to the rules."""

    async def use(client: Client) -> GameLog:
        plans = [plan(client.name, name, *of, **settings) for name, of in seated(conditions)]
        made = Run.create(folder / "run", plans, facts={"name": "contract"}, prompts={"intent": "{}"})
        caller = make_callers([client])[client.name]
        outcome = await made.play(
            lambda player: caller, lambda of: make_agents(of, {"intent": own_prompts()}), window=4
        )
        assert outcome.finished == len(plans)
        assert made.check() == []
        return made.log()

    return run(opened, use)


def check(log: GameLog, kind: str) -> pd.DataFrame:
    """The moves of the model, each with its game."""
    moves = log.moves[log.moves["seat"] == 1].merge(log.games, on="game_id")
    assert moves.groupby("game_id", observed=True)["round"].nunique().eq(1).all()
    assert (moves["action"].isna() == (moves["status"] == "missing")).all()
    assert set(log.questions["seat"]) == {1}
    assert set(log.questions["game_id"]) == set(log.games["game_id"])
    if kind in READABLE:
        assert set(moves["status"]) == {"parsed"}
    for game_id, details in zip(moves["game_id"], moves["details"], strict=True):
        keys = codebook.DETAILS.get(game_id.split("-")[0], {})
        found = set(json.loads(details) if isinstance(details, str) else {})
        assert found - set(codebook.DETAILS["any"]) == set(keys)
        assert "unread" not in found or kind not in READABLE
    return moves


@over(REMOTE)
def test_every_architecture_plays_with_every_client(opened: Opened, tmp_path: Path) -> None:
    # Two conditions, or one where a call crosses a socket: the whole product takes a while.
    conditions = [("years", "ar"), ("pool", "vi")][: 1 if opened in OVER_HTTP else 2]
    moves = check(played(opened, tmp_path, conditions), opened.__name__)
    assert len(moves) == len(seated(conditions))


@over(REMOTE)
def test_constrained_to_the_labels_every_move_is_one(opened: Opened, tmp_path: Path) -> None:
    moves = check(played(opened, tmp_path, [("rewards", "zh")], constrained=True), opened.__name__)
    assert set(moves["status"]) == {"parsed"}


@pytest.mark.slow
@over(REMOTE)
def test_every_game_and_every_language(opened: Opened, tmp_path: Path) -> None:
    """All pairs where a call costs nothing; where it crosses a socket, each language with one game."""
    one_each = list(zip(cycle(GAMES), LANGUAGES, strict=False))
    conditions = one_each if opened in OVER_HTTP else list(product(GAMES, LANGUAGES))
    moves = check(played(opened, tmp_path, conditions), opened.__name__)
    assert len(moves) == len(seated(conditions))


@pytest.mark.slow
@pytest.mark.exhaustive
@over(OVER_HTTP)
def test_every_pair_of_game_and_language_over_http(opened: Opened, tmp_path: Path) -> None:
    moves = check(played(opened, tmp_path, list(product(GAMES, LANGUAGES))), opened.__name__)
    assert len(moves) == len(seated(list(product(GAMES, LANGUAGES))))


@pytest.mark.slow
@pytest.mark.exhaustive
@over([local])
def test_every_architecture_plays_with_the_local_model(opened: Opened, tmp_path: Path) -> None:
    moves = check(played(opened, tmp_path, [("years", "en")], constrained=True), "local")
    assert set(moves["status"]) == {"parsed"}
