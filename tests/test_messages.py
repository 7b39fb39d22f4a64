"""What messages keep of text that nobody vouches for."""

from __future__ import annotations

import pytest

from intent.arena.entrant import split_origin
from intent.base.errors import one_line


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\x1b[2J\u202eb\r\nc\x00", "a [2J b c"),
        ("x" * 10**6, "x" * 9 + "…"),
        (ValueError("two\nlines"), "two lines"),
    ],
)
def test_text_of_strangers_is_one_bounded_line(text: object, kept: str) -> None:
    assert one_line(text, 10) == kept


@pytest.mark.parametrize(
    ("origin", "place"),
    [("a.py line 12", ("a.py", 12)), ("a.py attempt 3", ("a.py attempt 3", None)), ("", ("", None))],
)
def test_an_origin_is_a_file_and_a_line(origin: str, place: tuple[str, int | None]) -> None:
    assert split_origin(origin) == place
