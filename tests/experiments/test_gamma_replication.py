"""gamma-bench replicated: which tables stand beside printed numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.gamma_bench.replication import measure
from intent import play_experiment

FILE = Path(__file__).parents[2] / "experiments" / "gamma_bench" / "experiment.yaml"


@pytest.mark.parametrize(("rounds", "compared"), [(20, True), (3, False)])
def test_a_shorter_table_stands_beside_no_printed_number(rounds: int, compared: bool, tmp_path: Path) -> None:
    changes = ["models=scripted/uniform", "games=[guessing]", f"rounds={rounds}", "repetitions=1"]
    play_experiment(str(FILE), tmp_path / "run", set=changes)
    made = measure([tmp_path / "run"], seed=0, bootstrap=100)
    assert any(cell.table == "Table 1" for cell in made.cells) == compared
    assert [section.key for section in made.sections] == ([] if compared else ["other-settings"])
    if not compared:
        (table,) = made.sections[0].blocks
        assert [row[1:4] for row in table.rows] == [("guessing", "default", "3")]
