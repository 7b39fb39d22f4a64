"""A table leads back to the log that it was made from, and believes of its own words what can be true."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError
from intent.logs.reading import named_log, reading_of_named_log, reading_without_defaults, sha256_of_named_log


def test_a_log_is_found_where_it_was_or_beside_the_table(tmp_path):
    log = tmp_path / "runs" / "log.csv"
    log.parent.mkdir()
    log.touch()
    assert named_log({"log": {"source": str(log)}}) == log
    moved = {"log": {"source": "/elsewhere/log.csv"}}
    assert named_log(moved, beside=log.parent / "labels.csv") == log
    assert named_log({"log": {"source": "runs/log.csv"}}, beside=tmp_path / "labels.csv") == log
    with pytest.raises(DataError, match=r"^its log log.csv is not where it was$"):
        named_log(moved, beside=tmp_path / "labels.csv")


@pytest.mark.parametrize(
    "provenance", [None, {}, {"log": 3}, {"log": {}}, {"log": {"source": 1}}, {"log": {"source": "a\0b"}}]
)
def test_a_table_that_names_no_log(provenance):
    with pytest.raises(DataError, match="does not say which log"):
        named_log(provenance)
    assert reading_of_named_log(provenance) == {}
    assert sha256_of_named_log(provenance) is None


def test_a_name_that_no_file_can_have():
    with pytest.raises(DataError, match="is not where it was"):
        named_log({"log": {"source": "x" * 100_000}})


def test_a_log_is_read_as_before_but_for_what_is_said_now():
    facts = {"format": "tidy", "settings": {"mapping": {"action": "move"}, "cooperate": 3, "colour": "red"}}
    assert reading_of_named_log({"log": facts}) == {"format": "tidy", "mapping": {"action": "move"}}
    silent = {"format": "auto", "mapping": None, "strict": False}
    assert reading_without_defaults(silent) == {}
    assert reading_of_named_log({"log": facts}, silent)["format"] == "tidy"
    assert reading_of_named_log({"log": facts}, {"format": "pairs"})["format"] == "pairs"
