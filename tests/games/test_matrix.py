"""2x2 games: payoffs, scaling, roles of the actions, JSON."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.games.game import Game, MatrixGame

PD = MatrixGame.symmetric("pd", ("OptionA", "OptionB"), 6, 0, 10, 2, "penalty")
BOS = MatrixGame("bos", ("A", "B"), (((10, 7), (0, 0)), ((0, 0), (7, 10))), "reward")

numbers = st.integers(-9, 9).map(float)
cells = st.tuples(numbers, numbers)
matrix_games = st.builds(
    lambda a, b, c, d, kind: MatrixGame("any", ("A", "B"), ((a, b), (c, d)), kind),
    cells,
    cells,
    cells,
    cells,
    st.sampled_from(["reward", "penalty"]),
)


def test_payoffs_are_by_seat() -> None:
    assert PD.payoff(["OptionA", "OptionB"]) == (0, 10)
    assert PD.payoff(["OptionB", "OptionA"]) == (10, 0)


def test_a_matrix_game_is_a_game() -> None:
    assert isinstance(PD, Game)
    assert PD.n_players == 2


def test_penalties_make_the_other_action_cooperation() -> None:
    assert PD.cooperative_label == "OptionB"
    assert replace(PD, kind="reward").cooperative_label == "OptionA"


def test_battle_of_the_sexes_has_no_cooperation() -> None:
    assert BOS.cooperative_action(1) is None
    assert BOS.cooperative_label is None


def test_cooperation_may_differ_by_seat() -> None:
    (aa, ab), (ba, bb) = PD.payoffs
    other_way_round = replace(PD, payoffs=((ab, aa), (bb, ba)))
    assert other_way_round.cooperative_label == "OptionB|OptionA"


def test_labels_say_nothing_about_cooperation() -> None:
    disguised = MatrixGame.from_trps("delight", 15, 10, 5, 0, "penalty", ("Cooperate", "Defect"))
    assert disguised.cooperative_label == "Defect"


def test_an_action_that_never_matters_to_the_other_is_no_cooperation() -> None:
    assert MatrixGame.symmetric("flat", ("A", "B"), 3, 3, 1, 1, "reward").cooperative_label is None


@given(matrix_games)
def test_cooperation_is_the_action_that_serves_the_other(game: MatrixGame) -> None:
    sign = 1 if game.kind == "reward" else -1
    for seat, action in product((1, 2), game.actions):
        alternative = next(a for a in game.actions if a != action)

        def to_other(mine: str, theirs: str, seat: int = seat) -> float:
            joint = (mine, theirs) if seat == 1 else (theirs, mine)
            return sign * game.payoff(joint)[2 - seat]

        gains = [to_other(action, theirs) - to_other(alternative, theirs) for theirs in game.actions]
        serves = all(g >= 0 for g in gains) and any(g > 0 for g in gains)
        assert (game.cooperative_action(seat) == action) == serves


@given(matrix_games)
def test_negated_penalties_are_rewards(game: MatrixGame) -> None:
    turned = replace(game, payoffs=replace(game, kind="penalty").utilities)
    other_kind = replace(turned, kind="penalty" if game.kind == "reward" else "reward")
    assert other_kind.cooperative_label == game.cooperative_label


@given(matrix_games)
def test_json_round_trip(game: MatrixGame) -> None:
    assert MatrixGame.from_json(game.to_json(), game.name, game.kind) == game


def test_json_is_compact_and_in_order() -> None:
    expected = (
        '{"OptionA,OptionA":[6,6],"OptionA,OptionB":[0,10],"OptionB,OptionA":[10,0],"OptionB,OptionB":[2,2]}'
    )
    assert PD.to_json() == expected


def test_scaling_does_not_round() -> None:
    assert PD.scaled(0.1).payoff(["OptionA", "OptionA"]) == (0.6000000000000001, 0.6000000000000001)
    assert PD.scaled(0.1).payoff(["OptionB", "OptionA"]) == (1.0, 0.0)


def test_trps_puts_cooperation_first() -> None:
    game = MatrixGame.from_trps("pd", 5, 3, 1, 0)
    assert [game.payoff(joint) for joint in ("CC", "CD", "DC", "DD") for joint in [tuple(joint)]] == [
        (3, 3),
        (0, 5),
        (5, 0),
        (1, 1),
    ]


def test_symmetry_is_seen() -> None:
    assert PD.is_symmetric
    assert not BOS.is_symmetric


def test_texts_do_not_count_when_games_are_compared() -> None:
    assert replace(PD, description="another text") == PD
    assert replace(PD, kind="reward") != PD


@pytest.mark.parametrize(
    ("actions", "payoffs", "kind", "message"),
    [
        (("A", "A"), PD.payoffs, "reward", "two different labels"),
        (("A", "B,C"), PD.payoffs, "reward", "without comma"),
        (("A",), PD.payoffs, "reward", "two labels"),
        (("A", "B"), ((1, 2), (3, 4)), "reward", "2x2 pairs"),
        (("A", "B"), (((1, 2), (3, float("nan"))), ((1, 1), (1, 1))), "reward", "finite"),
        (("A", "B"), PD.payoffs, "points", "'reward' or 'penalty'"),
    ],
)
def test_what_is_no_game_is_refused(actions: object, payoffs: object, kind: object, message: str) -> None:
    with pytest.raises(GameError, match=message):
        MatrixGame("bad", actions, payoffs, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[1]",
        "{}",
        '{"A,A":[1,1]}',
        '{"A,A":[1,1],"A,B":[1,1],"B,A":[1,1],"B,C":[1,1]}',
        '{"A,A":["1",1],"A,B":[1,1],"B,A":[1,1],"B,B":[1,1]}',
        '{"A,A":[1e999,1],"A,B":[1,1],"B,A":[1,1],"B,B":[1,1]}',
        "[" * 100_000,
    ],
)
def test_bad_json_is_refused(text: str) -> None:
    with pytest.raises(GameError, match=r"^pd: "):
        MatrixGame.from_json(text, "pd", "reward")


def test_unknown_actions_and_factors_are_refused() -> None:
    with pytest.raises(GameError, match="'OptionC' is not one of OptionA, OptionB"):
        PD.payoff(["OptionA", "OptionC"])
    with pytest.raises(GameError, match="expected a positive number"):
        PD.scaled(0)
    with pytest.raises(GameError, match="seat 3"):
        PD.cooperative_action(3)
