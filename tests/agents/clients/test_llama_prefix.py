"""What is taken over from earlier prompts: whole pieces, always computed alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from intent.agents.clients.llamacpp import Slots, pieces

LINE = "x" * 200 + "\n"


def chat_body(text):
    return {"messages": [{"role": "user", "content": text}], "max_tokens": 4}


def contents(requests):
    return [request["messages"][0]["content"] for request in requests]


@given(st.text(st.sampled_from("ab \n"), max_size=300), st.text(st.sampled_from("ab \n"), max_size=99))
def test_pieces_of_a_beginning_are_pieces_of_the_whole(text, more):
    cut = pieces(text, 10)
    assert text.startswith("".join(cut))
    assert pieces(text + more, 10)[: len(cut)] == cut


def test_a_new_prompt_is_built_up_piece_by_piece():
    requests = Slots(1).requests(chat_body(LINE * 2 + "end"))
    assert contents(requests) == [LINE, LINE * 2, LINE * 2 + "end"]
    assert [r["cache_prompt"] for r in requests] == [False, True, True]
    assert [r["max_tokens"] for r in requests] == [0, 0, 4]


def test_shared_pieces_are_gone_back_to_and_not_computed_again():
    slots = Slots(1)
    slots.requests(chat_body(LINE * 3 + "end"))
    requests = slots.requests(chat_body(LINE * 2 + "y" * 200 + "\nend"))
    assert [len(text) for text in contents(requests)] == [402, 603, 606]
    assert all(r["cache_prompt"] for r in requests)


def test_seats_get_slots_of_their_own():
    slots = Slots(2)
    one, two = chat_body("1" + LINE + "end"), chat_body("2" + LINE + "end")
    used = [slots.requests(body)[-1]["id_slot"] for body in (one, two, one, two)]
    assert used == [0, 1, 0, 1]


def test_what_was_used_longest_ago_gives_way():
    slots = Slots(2)
    used = [slots.requests(chat_body(mark + LINE + "end"))[-1]["id_slot"] for mark in "12132"]
    assert used == [0, 1, 0, 1, 0]


def test_nothing_is_taken_over_after_forgetting():
    slots = Slots(1)
    slots.requests(chat_body(LINE + "end"))
    slots.forget()
    assert slots.requests(chat_body(LINE + "end"))[0]["cache_prompt"] is False
