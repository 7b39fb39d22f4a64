"""Parameters of games, checked and made exact."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError, UnknownNameError
from intent.games.game import course_from_json
from intent.gamma.catalogue import gamma_game
from intent.gamma.game import exact, percent, plain


@pytest.mark.parametrize(
    ("value", "ratio"),
    [("2/3", Fraction(2, 3)), ("1", 1), (".5", Fraction(1, 2)), ("0.1", Fraction(1, 10)),
     (0.1, Fraction(1, 10)), ("11/6", Fraction(11, 6)), ("60%", Fraction(3, 5)), (" 12.5% ", Fraction(1, 8)),
     (0, 0), ("1.", 1)],
)  # fmt: skip
def test_ratios_are_exact(value: object, ratio: Fraction) -> None:
    assert exact("game", "ratio", value, 2) == ratio


@pytest.mark.parametrize(
    "value",
    ["", ".", "%", "/", "1/0", "0/0", "-1", -0.1, "3", 2.01, "1e9", "1e-999999", float("nan"), float("inf"),
     True, None, [1], "1" * 33, "2 / 3", "٢/٣", 10**400, 5e-324],
)  # fmt: skip
def test_other_ratios_are_refused(value: object) -> None:
    with pytest.raises(GameError, match=r"^game: ratio .*, expected a number, fraction or percentage"):
        exact("game", "ratio", value, 2)


@given(st.text(max_size=40))
def test_any_text_is_a_ratio_or_refused(text: str) -> None:
    with contextlib.suppress(GameError):
        assert 0 <= exact("game", "ratio", text, 5) <= 5


def test_numbers_as_they_are_told() -> None:
    assert [percent(Fraction(k, 10)) for k in (0, 6, 10)] == ["0%", "60%", "100%"]
    assert percent(Fraction(2, 3)) == "66.6667%"
    assert [repr(plain(x)) for x in (2.0, Fraction(4, 2), Fraction(1, 2))] == ["2", "2", "0.5"]


def test_names_of_games_and_parameters_are_suggested() -> None:
    with pytest.raises(UnknownNameError, match="did you mean divide_dollar"):
        gamma_game("divide_dolar")
    with pytest.raises(UnknownNameError, match="did you mean n_players"):
        gamma_game("diner", n_player=3)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rules":3}', '{"rules":"chess"}', '{"rules":"bar","x":1}',
                                  '{"rules":["bar"]}', "[" * 100_000])  # fmt: skip
def test_what_is_no_game_is_refused(text: str) -> None:
    with pytest.raises(GameError, match=r"^here: "):
        course_from_json(text, "here")
