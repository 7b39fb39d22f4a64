"""The calls of a run as a table."""

from __future__ import annotations

import pandas as pd
from stub_runs import make, plan, plans, play

from intent.base import codebook


def test_columns_are_those_of_the_codebook(tmp_path):
    run = make(tmp_path / "run", plans(2))
    assert list(run.calls().columns) == [c.name for c in codebook.CALLS]
    play(run)
    calls = run.calls()
    for column in codebook.CALLS:
        assert not (column.required and calls[column.name].isna().any()), column.name
    assert (len(calls), calls["round"].dtype) == (10, pd.Int64Dtype())


def test_chunks_are_the_whole(tmp_path):
    run = make(tmp_path / "run", plans(3))
    play(run)
    chunks = list(run.call_tables(4))
    assert [len(chunk) for chunk in chunks] == [4, 4, 4, 3]
    assert pd.concat(chunks, ignore_index=True).equals(run.calls())


def test_calls_of_one_game(tmp_path):
    run = make(tmp_path / "run", [plan(1), plan(2, game_id="odd/name")])
    play(run)
    assert run.calls("odd/name")["reference"].tolist() == [f"odd/name/{r}/1/1" for r in range(1, 6)]
