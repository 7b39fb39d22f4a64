"""Numbers and lists read the same everywhere."""

from __future__ import annotations

import pytest

from intent.base.wording import counted, digits_of_p, in_percent, listed, p_is


@pytest.mark.parametrize(
    ("p", "digits", "said"),
    [
        (0.00009, "< 0.0001", "p < 0.0001"),
        (0.0001, "0.0001", "p = 0.0001"),
        (0.01234, "0.0123", "p = 0.0123"),
        (0.456, "0.46", "p = 0.46"),
        (1.0, "1.00", "p = 1.00"),
    ],
)
def test_p(p, digits, said):
    assert (digits_of_p(p), p_is(p)) == (digits, said)


def test_what_is_not_known_is_a_dash():
    assert digits_of_p(None) == digits_of_p(float("nan")) == in_percent(None) == "–"
    assert in_percent(0.3123) == "31.2"


def test_a_list_ends_with_and():
    assert [listed("A"), listed("AB"), listed("ABC")] == ["A", "A and B", "A, B and C"]


def test_one_is_not_many():
    assert [counted(n, "game") for n in (0, 1, 1234)] == ["0 games", "1 game", "1,234 games"]
    assert counted(2, "trajectory", "trajectories") == "2 trajectories"
