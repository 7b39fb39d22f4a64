"""Codes that stand for the texts of a long table, beside pandas' own groups, and tables read by them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.files import TextFile
from intent.logs.delimited import read_delimited
from intent.logs.gamelog import Rejects
from intent.logs.readers import read_log
from intent.logs.readers.arrays import (
    amounts,
    by_value,
    coded,
    encoded,
    first_rows,
    keys_of,
    numbered,
    stacked,
    typed,
)
from intent.logs.readers.stages import NULLS, fit_matrix

parts = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.tuples(*[st.integers(-1, 3) | st.just(2**31 - 1)] * k), min_size=1, max_size=30)
)
cells = st.sampled_from(
    ["", "a", " a ", "b", "1", "01", "+2", "1.5", "-.5", "1e3", "nan", "inf", "true", "é"]
)


@given(parts)
def test_numbers_of_rows_are_those_of_groups_in_order_of_appearance(rows):
    table = pd.DataFrame(rows)
    columns = [table[c].to_numpy() for c in table]
    groups = table.groupby(list(table), sort=False).ngroup().to_numpy()
    assert numbered(columns).tolist() == groups.tolist()
    key, size = keys_of(columns)
    assert key.min() >= 0
    assert key.max() < size
    assert pd.factorize(key)[0].tolist() == groups.tolist()
    first = [int(np.flatnonzero(groups == g)[0]) for g in range(groups.max() + 1)]
    assert first_rows(groups, groups.max() + 2).tolist() == [*first, -1]


@given(st.lists(cells, min_size=1, max_size=12))
def test_codes_say_what_the_cells_say(texts):
    column = pa.array(texts, pa.string())
    values = [text.strip() or None for text in texts]
    for form in (column, encoded(column), stacked([encoded(column[:3]), encoded(column[3:])])):
        codes, distinct = by_value(form)
        assert [distinct[code] or None for code in codes] == values
        assert [None if pd.isna(value) else value for value in coded(form)] == values
        assert typed(form).equals(typed(texts))
        assert typed(form, keep_codes=True).astype(object).equals(typed(texts).astype(object))
        amount, stray = amounts(form)
        assert stray.tolist() == [
            v is not None and v.casefold() not in NULLS and not np.isfinite(_number(v)) for v in values
        ]
        fine = [_number(v) for v, bad in zip(values, stray, strict=True) if not bad]
        assert np.array_equal(amount[~stray], fine, equal_nan=True)


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return np.nan


@pytest.mark.parametrize("line", ["g,1,p,C", 'g,1,"p, and q",C', 'g,1,"p\nq",C', "ü,1,,C", "g,1,p"])
def test_coded_columns_hold_the_texts_of_plain_ones(tmp_path: Path, line: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"game,round,player,action\ng,1,q,D\n{line}\ng,2,q,D\n", encoding="utf-8")
    plain, codes = (read_delimited(TextFile(path), Rejects(path), coded=how) for how in (False, True))
    assert {k: v.to_pylist() for k, v in codes.columns.items()} == {
        k: v.to_pylist() for k, v in plain.columns.items()
    }
    assert codes.lines.tolist() == plain.lines.tolist()


def test_the_usual_scores_are_the_most_frequent_ones_wherever_they_begin() -> None:
    joint = np.repeat([0, 1, 2, 3], 9_000)
    scores = np.array([[3, 3], [0, 5], [5, 0], [1, 1]], dtype=float)[joint]
    scores[:4_000] = [9, 9]
    scores[10_000] = [7, 7]
    fit = fit_matrix(joint, scores)
    assert fit is not None
    assert fit.payoffs.tolist() == [[[3, 3], [0, 5]], [[5, 0], [1, 1]]]
    assert np.flatnonzero(~fit.explained).tolist() == [*range(4_000), 10_000]
    scores[:5_000] = [9, 9]
    first = fit_matrix(joint, scores)
    assert first is not None
    assert first.payoffs[0, 0].tolist() == [9, 9]
    scores[:9_000:3], scores[1:9_000:3] = [8, 8], [7, 7]
    assert fit_matrix(joint, scores) is None


SIDES = """subject,partner,other,round,choice,payoff
a,b,D,1,C,0
b,a,C,1,D,5
c,d,C,1,C,3
a,b,D,2,D,1
d,c,C,1,C,3
b,a,D,2,D,1
a,c,C,1,D,5
c,a,D,1,C,0
"""


def test_the_order_of_the_rows_tells_no_games_apart_where_pairs_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(SIDES)
    log = read_log(path, mapping={"player": "subject", "other_player": "partner"}, payoff_kind="reward")
    X = log.trajectories()
    assert log.games["rounds_played"].tolist() == [2, 1, 1]
    assert X.own.tolist() == [[1, 0], [0, 0], [1, -1], [1, -1], [0, -1], [1, -1]]
    assert log.seats["player"].tolist() == ["a", "b", "c", "d", "a", "c"]
