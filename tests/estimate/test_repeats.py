"""Cells of a design: games of one condition, identical repeats, effective numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from simulated_labels import labels, simulated

from intent.estimate.design_units import cell_codes, cell_columns, identical_cells


def test_conditions_make_the_cells_and_results_do_not(rng):
    assert cell_columns(simulated(6, rng)) == ("seat", "model", "language", "persona")
    table = simulated(60, rng).assign(anger=rng.random(120))
    assert "anger" not in cell_columns(table)


def test_a_cell_holds_whole_games(rng):
    table = simulated(90, rng)
    cells = cell_codes(table)
    assert len(np.unique(cells)) == 15
    assert (cells[::2] == cells[1::2]).all()
    assert all(len(part) == 12 for _, part in table.groupby(cells))


def test_who_sits_where_tells_cells_apart():
    table = labels("CCCCCC", persona=["a", "b", "b", "a", "a", "b"])
    assert cell_codes(table).tolist() == [0, 0, 1, 1, 0, 0]


@pytest.mark.data
def test_identical_cells_of_the_public_log(data_dir):
    from intent import read_log

    found = identical_cells(read_log(data_dir / "fairgame" / "results.csv.gz"))
    assert isinstance(found, pd.DataFrame)
    assert (len(found), int(found["identical"].sum())) == (630, 140)
    assert set(found["n_games"]) == {10}
