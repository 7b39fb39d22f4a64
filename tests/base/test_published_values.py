"""Numbers that a paper prints: one reader, which refuses what is no such table."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.codebook import PUBLISHED
from intent.base.errors import DataError
from intent.base.experiments import PUBLISHED_FILE, published_values
from intent.base.files import shipped

HEADING = ",".join(column.name for column in PUBLISHED)
ROW = "Table 1,model=a,cooperation,0.25,0.1,20,share,7,"


def table(folder: Path, *lines: str) -> Path:
    (folder / PUBLISHED_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_cells_have_their_kinds(tmp_path):
    values = published_values(
        table(tmp_path, HEADING, ROW, 'Table 1,"a=1, b=2",words,,,,,A.3,"illegible, a blot"')
    )
    first, second = values.loc[0], values.loc[1]
    assert (first["value"], first["spread"], first["n"], first["page"]) == (0.25, 0.1, 20, "7")
    assert second[["value", "n"]].isna().all()
    assert second["note"] == "illegible, a blot"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["table,row,value", "a,b,1"], "line 1: table,row,value, expected table,row,column"),
        ([HEADING, ROW.replace("0.25", "a quarter")], "line 2: value is 'a quarter', expected a number"),
        ([HEADING, ROW.replace("0.25", "nan")], "line 2: value is 'nan', expected a number"),
        ([HEADING, ROW.replace(",20,", ",20.5,")], "line 2: n is '20.5', expected a whole number"),
        ([HEADING, ROW.replace(",7,", ",,")], "line 2: page is empty"),
        ([HEADING, ROW + ",more"], "line 2: 10 cells, expected 9"),
        ([HEADING, ROW, ROW], "line 3: Table 1, model=a, cooperation stands on line 2 already"),
    ],
)
def test_what_is_no_such_table_is_refused_by_line(tmp_path, lines, words):
    with pytest.raises(DataError, match=words):
        published_values(table(tmp_path, *lines))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        published_values(tmp_path)


FILES = sorted(shipped("experiments").glob(f"*/{PUBLISHED_FILE}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_shipped_table_is_read(path):
    values = published_values(path.parent)
    said = (values["unit"] == "claim") | (values["note"] != "")
    assert (values["value"].notna() | said).all()
