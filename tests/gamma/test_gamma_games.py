"""What `intent games` tells of the games of gamma-bench."""

from __future__ import annotations

import json
import re

import pytest
import typer
from typer.testing import CliRunner

from intent.base import codebook
from intent.base.errors import UnknownNameError
from intent.cli.app import job_command
from intent.games.description import choose_game
from intent.games.listing import GamesRequest
from intent.gamma.catalogue import (
    GAMMA_GAMES,
    bench_game,
    describe_gamma_game,
    gamma_facts,
    gamma_game,
    list_gamma_games,
)

app = typer.Typer()
app.command()(job_command(GamesRequest))


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_every_game_has_its_text() -> None:
    assert all(re.search(r"\d{4}", bench_game(name).about.source) for name in GAMMA_GAMES)


def test_rows_have_the_keys_of_the_codebook() -> None:
    meaning = re.sub(r" \([^)]*\)", "", codebook.JSON_OBJECTS["games"]["gamma"])
    names = meaning.removeprefix("list of ").partition(":")[0]
    assert all(", ".join(row) == names for row in list_gamma_games())


@pytest.mark.parametrize("name", GAMMA_GAMES)
def test_parameters_make_the_game_again(name: str) -> None:
    assert gamma_game(name, **describe_gamma_game(name)["parameters"]) == gamma_game(name)


def test_facts_name_parameters_equilibrium_and_source() -> None:
    facts = dict(gamma_facts("diner"))
    assert facts["cooperation"] == "cheap"
    assert facts["actions"] == "cheap, costly; answered as chosen_dish"
    assert "n_players=10, cheap_price=10" in facts["parameters"]
    assert "Glance & Huberman 1994" in facts["source"]


def test_the_list_shows_all_games() -> None:
    shown, told = run(), json.loads(run("--json"))
    assert "Games of gamma-bench" in shown
    assert [row["name"] for row in told["gamma"]] == list(GAMMA_GAMES)
    assert all(row["name"] in shown for row in told["gamma"])


def test_one_game_in_full() -> None:
    assert run("guessing").startswith("guessing: Guess 2/3 of the average\n")
    told = json.loads(run("bar", "--json"))
    assert told["games"] == []
    assert told["gamma"][0]["actions"] == ["go", "stay"]
    assert json.loads(run("pd", "--json"))["gamma"] == []


def test_public_goods_is_spelled_two_ways() -> None:
    assert "tokens_contributed" in run("public_goods")
    assert "contributors" in run("public-goods") or "chosen by" in run("public-goods")


def test_names_near_a_game_of_gamma_bench_are_suggested() -> None:
    with pytest.raises(UnknownNameError, match="did you mean guessing"):
        choose_game("guesing")
