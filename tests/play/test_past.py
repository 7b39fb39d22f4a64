"""The shared past: a tuple to those who look at it."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.play.match import Past


@given(st.lists(st.integers(0, 3)), st.integers(0, 9), st.slices(6), st.lists(st.integers(0, 3)))
def test_is_like_the_tuple_of_its_values(record: list[int], cut: int, part: slice, later: list[int]) -> None:
    n = min(cut, len(record))
    past, plain = Past(record, n), tuple(record[:n])
    record.extend(later)
    assert past == plain
    assert plain == past
    assert (len(past), list(past), hash(past), repr(past)) == (n, list(plain), hash(plain), repr(plain))
    assert past[part] == plain[part]
    assert [past[i] for i in range(-n, n)] == [plain[i] for i in range(-n, n)]
    assert (0 in past, past.count(1)) == (0 in plain, plain.count(1))


def test_a_beginning_shares_the_record() -> None:
    record = list("CDCD")
    assert Past(record, 4)[:-1] == Past(record, 3)
    assert Past(record, 3) != Past(record, 4)
    assert Past(record, 2) == Past(list("CDDD"), 2) != Past(list("CC"), 2)
    assert Past(record, 2) != ["C", "D"]


def test_copies_leave_out_what_came_later() -> None:
    past = Past(list("CDCD"), 2)
    for again in (copy.deepcopy(past), pickle.loads(pickle.dumps(past))):  # noqa: S301
        assert again == past
        assert again._record == ["C", "D"]


def test_has_no_round_beyond_its_end() -> None:
    with pytest.raises(IndexError, match="round 2 of 2"):
        Past(list("CDCD"), 2)[2]
