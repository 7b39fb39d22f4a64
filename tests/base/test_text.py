"""Untrusted text: every bad file is one clear line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from intent.base.errors import DataError, LimitError
from intent.base.files import TextFile

LINES = "a;b\n" + "1;2\n" * 5000


def opened(tmp_path: Path, data: bytes, name: str = "x.csv", **limits: int) -> TextFile:
    path = tmp_path / name
    path.write_bytes(data)
    return TextFile(path, **limits)


def test_gzip_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    plain = opened(tmp_path, LINES.encode(), "plain.gz")
    packed = opened(tmp_path, gzip.compress(LINES.encode()), "packed.csv")
    assert plain.data == packed.data == LINES.encode()


def test_joined_gzip_members_are_one_text(tmp_path: Path) -> None:
    twice = gzip.compress(b"a;b\n") + gzip.compress(b"1;2\n") + b"\0\0"
    assert opened(tmp_path, twice).data == b"a;b\n1;2\n"


def test_truncated_gzip_says_how_far_it_goes(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.csv: truncated gzip: it ends after [\d,]+ bytes of text, \d"):
        opened(tmp_path, gzip.compress(LINES.encode())[:-12])


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(LINES.encode()))
    packed[20] ^= 0xFF
    with pytest.raises(DataError, match="gzip"):
        opened(tmp_path, bytes(packed))


def test_gzip_bomb_stops_at_the_ratio(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="over 200 to 1"):
        opened(tmp_path, gzip.compress(b" " * (80 * 1024**2)))


def test_text_over_the_limit(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="more than 100 bytes"):
        opened(tmp_path, LINES.encode(), limit=100)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty file"),
        (b"\n \n", "empty file"),
        (b"\xef\xbb\xbf", "empty file"),
        (b"PAR1abc", "a Parquet file, expected UTF-8 text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", r"an old Office file, such as \.xls, expected UTF-8 text"),
        (b"$FL2@(#) SPSS DATA FILE", "a file of SPSS, expected UTF-8 text"),
        (b"<stata_dta><header>", "a file of Stata, expected UTF-8 text"),
        (b"a;b\n1;\0\n", r"line 2: binary data \(a NUL at byte 7\)"),
        (b"a;b\n1;\xff\n", "line 2: byte 0xff at position 7 is not UTF-8"),
        ("a;b".encode("utf-16"), "UTF-16 text"),
    ],
)
def test_what_is_no_text(tmp_path: Path, data: bytes, says: str) -> None:
    with pytest.raises(DataError, match=says):
        opened(tmp_path, data)


def test_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert opened(tmp_path, b"\xef\xbb\xbfa;b\n").data == b"a;b\n"


def test_missing_file_suggests_what_lies_beside(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("a")
    with pytest.raises(DataError, match=r"no such file: .*resutls\.csv; did you mean results\.csv\?"):
        TextFile(tmp_path / "resutls.csv")


def test_missing_file_suggests_nothing_that_is_far(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("a")
    with pytest.raises(DataError, match=r"no such file: \S*results\.csv$"):
        TextFile(tmp_path / "results.csv")


def test_lines_are_found_by_number(tmp_path: Path) -> None:
    text = opened(tmp_path, b"first\nsecond\r\nthird")
    assert [text.line(n) for n in (1, 2, 3)] == ["first", "second", "third"]


@pytest.mark.parametrize("data", [b"ab\nabcdefg\nc", b"abcdefg", b"a\nabcdefg\n", b"abcdefg\n\n\n"])
def test_a_long_line_is_seen_wherever_it_stands(tmp_path: Path, data: bytes) -> None:
    assert [opened(tmp_path, data).has_line_over(n) for n in (1, 6, 7, 8, 100)] == [
        True,
        True,
        False,
        False,
        False,
    ]
