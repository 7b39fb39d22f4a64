"""Dominance and pure equilibria against brute force over the definitions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.games.equilibria import Dominance, dominant_actions, pure_equilibria
from intent.games.game import MatrixGame, PublicGoods

numbers = st.integers(0, 3).map(float)
cells = st.tuples(numbers, numbers)
games = st.builds(
    lambda a, b, c, d, kind: MatrixGame("any", ("A", "B"), ((a, b), (c, d)), kind),
    cells,
    cells,
    cells,
    cells,
    st.sampled_from(["reward", "penalty"]),
)


def gain(game: MatrixGame | PublicGoods, joint: tuple[str, ...], seat: int, action: str) -> float:
    """What moving alone to `action` brings a seat, rounded where public goods round."""
    moved = tuple(action if s == seat else a for s, a in enumerate(joint, start=1))
    change = game.payoff(moved)[seat - 1] - game.payoff(joint)[seat - 1]
    return round(change if game.kind == "reward" else -change, 9)


def equilibria(game: MatrixGame | PublicGoods) -> set[tuple[str, ...]]:
    seats = range(1, game.n_players + 1)
    profiles = product(game.actions, repeat=game.n_players)
    return {p for p in profiles if all(gain(game, p, s, a) <= 0 for s in seats for a in game.actions)}


def dominance(game: MatrixGame | PublicGoods, seat: int) -> Dominance | None:
    first, second = game.actions
    for action, rival in ((first, second), (second, first)):
        profiles = [p for p in product(game.actions, repeat=game.n_players) if p[seat - 1] == rival]
        gains = [gain(game, p, seat, action) for p in profiles]
        if min(gains) >= 0 and max(gains) > 0:
            return Dominance(action, strict=min(gains) > 0)
    return None


@given(games)
def test_matrix_games_agree_with_brute_force(game: MatrixGame) -> None:
    assert set(pure_equilibria(game)) == equilibria(game)
    assert dominant_actions(game) == (dominance(game, 1), dominance(game, 2))


@given(st.integers(2, 5), st.integers(1, 12), st.integers(1, 60))
def test_public_goods_agree_with_brute_force(n: int, cost: int, tenths: int) -> None:
    game = PublicGoods("any", n, cost, tenths / 10)
    assert set(pure_equilibria(game)) == equilibria(game)
    assert set(dominant_actions(game)) == {dominance(game, 1)}


def test_prisoners_dilemma() -> None:
    game = MatrixGame.from_trps("pd", 5, 3, 1, 0)
    assert pure_equilibria(game) == (("D", "D"),)
    assert dominant_actions(game) == (Dominance("D", strict=True),) * 2


def test_weak_dominance_is_told_apart() -> None:
    assert dominant_actions(MatrixGame.from_trps("pd", 5, 3, 0, 0)) == (Dominance("D", strict=False),) * 2


def test_large_public_goods_games_need_no_enumeration() -> None:
    assert pure_equilibria(PublicGoods("large", 500, 10, 2)) == (("OptionB",) * 500,)
    with pytest.raises(GameError, match="more than 4096 joint actions"):
        pure_equilibria(PublicGoods("indifferent", 500, 10, 500))
