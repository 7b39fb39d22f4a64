"""What a command may write beside the log that it reads."""

from __future__ import annotations

import pytest

from intent import generate
from intent.base.errors import OutputError
from intent.base.job import check_output
from intent.logs.readers.compact import write_compact
from intent.logs.stores import is_part, write_log
from intent.recognise.labels.request import LabelRequest
from intent.runner.export import export


@pytest.fixture
def logs(tmp_path):
    """A log in tables, and a folder of parts of a compact one."""
    log = generate(n=2, seed=1)
    write_log(log, tmp_path / "log")
    (tmp_path / "parts").mkdir()
    write_compact(log, tmp_path / "parts" / "1.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("log", "name", "part"),
    [
        ("log", "log/games.parquet", True),
        ("log", "log/log.json", True),
        ("log", "log/labels.parquet", False),
        ("log", "log/games.csv", False),
        ("log", "parts/1.parquet", False),
        ("log", "no/games.parquet", False),
        ("parts", "parts/1.parquet", True),
        ("parts", "parts/labels.parquet", True),
        ("parts", "parts/labels.csv", False),
        ("parts/1.parquet", "parts/1.parquet", True),
        ("parts/1.parquet", "parts/2.parquet", False),
    ],
)
def test_parts_of_a_log(logs, log, name, part):
    assert is_part(logs / name, logs / log) == part


@pytest.mark.parametrize(("log", "name"), [("log", "games.parquet"), ("parts", "labels.parquet")])
def test_no_result_is_written_into_the_log_that_is_read(logs, log, name):
    for claim in (
        lambda: check_output(logs / log / name, overwrite=True, origin=logs / log),
        lambda: LabelRequest(log=logs / log, output=logs / log / name, overwrite=True).claim_outputs(),
        lambda: export(logs / log, logs / log / name, format="compact", overwrite=True),
    ):
        with pytest.raises(OutputError, match="it is part of the log that is read"):
            claim()
