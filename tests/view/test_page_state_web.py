"""The address of a page: what it says is what is asked, and what it cannot mean is one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import UsageError
from intent.view.query import OPERATORS, Filter, PageState, Query, game_address, pairs_of, read_state

COLUMNS = ["game_id", "model", "model two", "rounds_played", "-odd"]


def read(address: str) -> PageState:
    return read_state(pairs_of(address.partition("?")[2].encode()), COLUMNS)


def test_an_address_in_words():
    state = read(
        "/?where=model%3Da&where=rounds_played%3E%3D8&sort=-model&column=model&offset=50&jump=no_fit"
    )
    filters = (Filter("model", "=", "a"), Filter("rounds_played", ">=", "8"))
    assert state == PageState(Query(filters, "model", True, 50, 50, "no_fit"), ("model",))


values = st.text(st.characters(exclude_categories=()), max_size=8)
some_filters = st.builds(
    Filter, st.sampled_from(COLUMNS[:3]), st.sampled_from(("=", "!=", "contains")), values
)


@given(
    st.lists(some_filters, max_size=4, unique=True).map(tuple),
    st.sampled_from([None, *COLUMNS]),
    st.integers(0, 10**6),
)
def test_every_state_comes_back_from_its_address(filters, sort, offset):
    state = PageState(Query(filters, sort, sort == "model", offset))
    assert read(state.address()) == state


def test_forms_become_filters_and_empty_fields_nothing():
    state = read("/?min:rounds_played=3&max:rounds_played=&has:game_id=ab&add=cd")
    wanted = (
        Filter("rounds_played", ">=", "3"),
        Filter("game_id", "contains", "ab"),
        Filter("game_id", "contains", "cd"),
    )
    assert (state.query.filters, state.plain) == (wanted, False)
    assert read(state.address()).plain


def test_sorting_goes_up_then_down_then_off():
    state = PageState(Query(offset=50))
    up = state.sorted_by("model")
    down = up.sorted_by("model")
    assert [
        (s.query.sort, s.query.descending, s.query.offset) for s in (up, down, down.sorted_by("model"))
    ] == [
        ("model", False, 0),
        ("model", True, 0),
        (None, False, 0),
    ]


def test_the_address_of_a_game_holds_any_name():
    name = "a/../b?c#d&e=\ud800\u202e"
    assert dict(pairs_of(game_address(name).partition("?")[2].encode()))["id"] == name


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/?where=persona%3Dx", "where 'persona=x', expected COLUMN=VALUE"),
        ("/?where=rounds_played%3E%3Dmany", "rounds_played >= 'many', expected a number"),
        ("/?sort=persona", "no column 'persona'"),
        ("/?column=%3Cscript%3E", "no column '<script>'"),
        ("/?jump=away", "expected"),
        ("/?offset=-1", "offset '-1', expected a whole number"),
        ("/?limit=100000", "limit 100000"),
        ("/?" + "where=model%3Da&" * 600, "more than 500 fields"),
        ("/?add=" + "a" * 5000, "add of 5000 characters"),
        ("/?add=%ff", "not UTF-8"),
        ("/?add=" + "a" * 70000, "bytes"),
    ],
)
def test_what_no_address_can_mean_is_said_in_a_line(address, message):
    with pytest.raises(UsageError, match=message):
        read(address)


def test_operators_are_those_of_queries():
    for sign in ("=", "!=", "<=", ">=", "~"):
        (one,) = read(f"/?add=rounds_played{sign}3").query.filters
        assert one.op in OPERATORS
