"""Answers as players spell them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.gamma.game import one_of, whole_number


@pytest.mark.parametrize(
    "value",
    [37, 37.0, "37", " 37 ", "37.0", "37.", "+37", "037", "３７", "٣٧", "۳۷", "३७", "٣٧٫٠", "\u200f٣٧"],
)
def test_whole_numbers_in_any_spelling(value: object) -> None:
    assert whole_number(value, "bid", 0, 100) == 37


@pytest.mark.parametrize(
    "value",
    [True, False, None, 37.5, "37.5", "37,0", "thirty", "3 7", "1_0", "0x10", "1e1", "", "-", "²", "Ⅴ", "½",
     "3²", float("nan"), float("inf"), 1e300, 10**400, "9" * 19, "9" * 5000, [37], {"a": 37}, 101, -1, "-1",
     "101", "−1"],
)  # fmt: skip
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(GameError, match="expected a whole number from 0 to 100"):
        whole_number(value, "bid", 0, 100)


@given(st.integers(-(10**17), 10**17))
def test_every_spelling_of_a_number_is_the_number(x: int) -> None:
    spelt = (x, str(x), f" {x}\n", f"{x}.00", str(x).translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")))
    assert {whole_number(text, "n", -(10**17), 10**17) for text in spelt} == {x}


@given(st.one_of(st.text(max_size=80), st.floats(), st.integers(), st.booleans(), st.lists(st.integers())))
def test_any_answer_is_a_number_of_the_range_or_refused(value: object) -> None:
    with contextlib.suppress(GameError):
        assert 3 <= whole_number(value, "n", 3, 9) <= 9


@pytest.mark.parametrize("value", ["go", "GO", " Go. ", '"go"', "ｇｏ", "**go**"])
def test_labels_in_any_case_and_width(value: str) -> None:
    assert one_of(value, ("go", "stay")) == "go"


@pytest.mark.parametrize("value", ["gone", "go or stay", "", None, True, 1, ["go"], "go" * 100, "not go"])
def test_other_labels_are_refused(value: object) -> None:
    with pytest.raises(GameError, match="expected go or stay"):
        one_of(value, ("go", "stay"), "decision")
