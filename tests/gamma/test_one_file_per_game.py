"""All that is known of a game is in its file and its texts: a new rule or other words enter no other."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from source_nodes import PACKAGE, nodes

from intent.gamma.catalogue import GAMMA_GAMES, bench_game, gamma_game
from intent.gamma.game import BenchGame

SOURCES = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}

ELSEWHERE = {
    "guessing": {"gamma/bench/decisions.py"},  # levels of reasoning are a theory of this game
    "bar": {  # of bars among stars, and of charts
        "agents/mock/requests.py",
        "report/summary.py",
        "view/charts_page.py",
    },
    "battle_royale": {"agents/table.py"},  # an answer may have an action beside its target
}
"""Game -> modules that know it, or have its name for another thing."""

COMMON = {"decision", "bid", "bid_amount", "target", "proposal", "no bid", "public_goods"}
"""Words that other games or rooms have too; public goods are also a game of two actions."""


def words_in_code(own: Sequence[ast.AST]) -> set[str]:
    """Classes that are named or imported, and texts as they stand alone: what code could decide by."""
    names = {node.id for node in own if isinstance(node, ast.Name)}
    names |= {alias.name for node in own if isinstance(node, ast.ImportFrom) for alias in node.names}
    texts = {node.value for node in own if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {name for name in names if name[:1].isupper()}


@cache
def code() -> dict[str, set[str]]:
    """Words of every module."""
    return {place: words_in_code(own) for place, own in nodes().items()}


@pytest.mark.parametrize("game", GAMMA_GAMES)
def test_no_other_module_knows_a_game(game):
    """Neither its name, classes and title, nor the fields of its answers, nor what a missing move is."""
    row, rules = bench_game(game), type(gamma_game(game))
    words = {game, rules.__name__, row.plays.__name__, row.title, row.templates.folder, row.missing}
    words |= {key for key, _ in row.story.keys}
    knowing = {place for place, own in code().items() if (words - COMMON) & own} - {f"gamma/{game}.py"}
    assert knowing <= ELSEWHERE.get(game, set())


@pytest.mark.parametrize("game", GAMMA_GAMES)
def test_a_row_is_whole(game):
    row = bench_game(game)
    assert isinstance(row, BenchGame)
    assert row.plays.game == game
    assert row.settings
    texts = {path.name.split("_en")[0] for path in (PACKAGE / "gamma" / "texts").glob(f"{game}*_en.txt")}
    assert texts == {game, f"{game}_{row.story.name}"}


def test_the_rules_of_the_diner_are_written_once():
    """What a dish costs and is worth is a word of one module; the rest of the package asks the game."""
    words = {"cheap_price", "costly_price", "cheap_utility", "costly_utility", "cheap", "costly"}
    assert {place for place, path in SOURCES.items() if words & tokens(path)} == {"gamma/diner.py"}


def tokens(path: Path) -> set[str]:
    """Names and quoted words of a module, those in docstrings and comments left out."""
    text = path.read_text(encoding="utf-8")
    if "cheap" not in text and "costly" not in text:
        return set()
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.string.strip("\"'") for token in found if token.type in (tokenize.NAME, tokenize.STRING)}
