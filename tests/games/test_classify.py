"""Classes of dilemmas: textbook examples, invariances, and an independent reading of the orders."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.games.description import DILEMMAS, classify
from intent.games.equilibria import dominant_actions, pure_equilibria
from intent.games.game import MatrixGame, PublicGoods

numbers = st.integers(0, 4).map(float)
cells = st.tuples(numbers, numbers)
games = st.builds(
    lambda a, b, c, d, kind: MatrixGame("any", ("A", "B"), ((a, b), (c, d)), kind),
    cells,
    cells,
    cells,
    cells,
    st.sampled_from(["reward", "penalty"]),
)


@pytest.mark.parametrize(
    ("trps", "name"),
    [
        ((5, 3, 1, 0), "prisoner's dilemma"),
        ((5, 3, 0, 0), "weak prisoner's dilemma"),
        ((5, 3, 0, 1), "snowdrift (chicken)"),
        ((3, 5, 1, 0), "stag hunt"),
        ((1, 5, 1, 0), "stag hunt"),
        ((3, 5, 0, 1), "harmony"),
        ((5, 1, 3, 0), "deadlock"),
        ((0, 5, 3, 0), "coordination"),
        ((5, 1, 0, 4), "battle of the sexes"),
        ((3, 3, 1, 0), "other"),
        ((5, 1, 1, 1), "other"),
        ((1, 1, 1, 1), "no conflict"),
    ],
)
def test_symmetric_games_by_t_r_p_s(trps: tuple[float, float, float, float], name: str) -> None:
    assert classify(MatrixGame.from_trps("any", *trps)).name == name


@pytest.mark.parametrize("order", list(permutations((3, 2, 1, 0))))
def test_strict_orders_with_a_cooperative_action(order: tuple[float, float, float, float]) -> None:
    t, r, p, s = order
    game = MatrixGame.from_trps("any", t, r, p, s)
    if game.cooperative_label == "D":
        t, r, p, s = s, p, r, t
    ranked = "".join(sorted("TRPS", key=lambda x: -{"T": t, "R": r, "P": p, "S": s}[x]))
    expected = {
        "TRPS": "prisoner's dilemma",
        "TRSP": "snowdrift (chicken)",
        "RTPS": "stag hunt",
        "RTSP": "harmony",
        "RSTP": "harmony",
        "TPRS": "deadlock",
    }
    if game.cooperative_label is None:
        assert classify(game).name in {"coordination", "battle of the sexes", "no conflict", "other"}
    else:
        assert classify(game).name == expected[ranked]


def test_asymmetric_games() -> None:
    pennies = MatrixGame("any", ("H", "T"), (((1, -1), (-1, 1)), ((-1, 1), (1, -1))), "reward")
    assert classify(pennies).name == "matching pennies"
    saddle = MatrixGame("any", ("A", "B"), (((2, -2), (1, -1)), ((0, 0), (-1, 1))), "reward")
    assert classify(saddle).name == "strictly competitive (zero-sum)"
    one_sided = MatrixGame("any", ("C", "D"), (((5, 3), (1, 5)), ((3, 0), (0, 1))), "reward")
    assert classify(one_sided).name == "asymmetric dilemma"


@pytest.mark.parametrize(
    ("factor", "name"),
    [
        (0.5, "deadlock"),
        (1.1, "public goods dilemma"),
        (2.9, "public goods dilemma"),
        (3, "other"),
        (4, "harmony"),
    ],
)
def test_public_goods_by_factor(factor: float, name: str) -> None:
    assert classify(PublicGoods("any", 3, 10, factor)).name == name


@given(games, st.booleans(), st.booleans())
def test_order_and_names_of_actions_do_not_matter(game: MatrixGame, first: bool, second: bool) -> None:
    rows = game.payoffs[::-1] if first else game.payoffs
    table = tuple(row[::-1] if second else row for row in rows)
    changed = replace(game, payoffs=table, actions=("up", "down"))  # type: ignore[arg-type]
    assert classify(changed) == classify(game)


@given(games)
def test_seats_do_not_matter(game: MatrixGame) -> None:
    (aa, ab), (ba, bb) = game.payoffs
    swapped = replace(game, payoffs=((aa[::-1], ba[::-1]), (ab[::-1], bb[::-1])))
    assert classify(swapped) == classify(game)
    assert swapped.cooperative_action(1) == game.cooperative_action(2)
    assert dominant_actions(swapped) == dominant_actions(game)[::-1]
    assert {e[::-1] for e in pure_equilibria(swapped)} == set(pure_equilibria(game))


@given(games, st.floats(1e-3, 1e3))
def test_scaling_changes_nothing(game: MatrixGame, lam: float) -> None:
    scaled = game.scaled(lam)
    assert classify(scaled) == classify(game)
    assert scaled.cooperative_label == game.cooperative_label
    assert dominant_actions(scaled) == dominant_actions(game)
    assert pure_equilibria(scaled) == pure_equilibria(game)


@given(games)
def test_penalties_are_negated_rewards(game: MatrixGame) -> None:
    negated = replace(game, payoffs=replace(game, kind="penalty").utilities)
    other = replace(negated, kind="penalty" if game.kind == "reward" else "reward")
    assert classify(other) == classify(game)
    assert dominant_actions(other) == dominant_actions(game)
    assert pure_equilibria(other) == pure_equilibria(game)


def test_every_class_has_a_relation_and_a_citation() -> None:
    assert all(d.relation and d.citation and name == d.name for name, d in DILEMMAS.items())
