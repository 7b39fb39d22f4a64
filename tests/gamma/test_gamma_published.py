"""The numbers that the paper prints: they agree with each other, so that no digit was misread."""

from __future__ import annotations

from statistics import fmean, stdev

import pytest

from intent.base.experiments import published_values
from intent.base.files import shipped
from intent.gamma.bench.leaderboard import STUDY
from intent.gamma.catalogue import GAMMA_GAMES

VALUES = published_values(shipped("experiments") / STUDY)
ROUNDED = 0.1001
"""Means are of scores that were not rounded."""

MISPRINTED = {("Table 17", "battle_royale")}
"""Printed with another deviation than its cells have; the note of the cell says so."""


def summed() -> dict[tuple[str, str], tuple[list[float], float, float]]:
    """(table, game) -> printed cells, their printed mean and deviation, where all cells are legible."""
    found = {}
    for (table, game), rows in VALUES.groupby(["table", "column"]):
        last = rows["row"].str.endswith("=mean")
        cells = rows.loc[~last, "value"].tolist()
        if last.any() and rows[last]["n"].item() == len(cells):
            found[str(table), str(game)] = cells, rows[last]["value"].item(), rows[last]["spread"].item()
    return found


SUMMED = summed()


@pytest.mark.parametrize("place", SUMMED)
def test_a_printed_mean_and_deviation_follow_from_the_printed_cells(place):
    cells, mean, spread = SUMMED[place]
    assert fmean(cells) == pytest.approx(mean, abs=ROUNDED)
    if place not in MISPRINTED and spread == spread:
        assert stdev(cells) == pytest.approx(spread, abs=ROUNDED)


def test_the_overall_score_of_every_row_is_the_mean_of_its_games():
    whole = 0
    for _, rows in VALUES[VALUES["unit"] == "score"].groupby(["table", "row"]):
        cells = dict(zip(rows["column"], rows["value"], strict=True))
        if "overall" in cells:
            assert fmean(cells[game] for game in GAMMA_GAMES) == pytest.approx(cells["overall"], abs=ROUNDED)
            whole += 1
    assert whole == 13 + 1 + 4 * 6 + 4 * 7 + 5  # tables 1; 3; 4, 10, 14, 18; 5, 11, 15, 19; 7


def test_default_cells_are_the_same_wherever_they_are_printed():
    """Run 1, temperature 1, wording v1: of each of four models printed three times."""
    for tables in (("4", "5", "6"), ("10", "11", "12"), ("14", "15", "16"), ("18", "19", "20")):
        for game in GAMMA_GAMES:
            same = {
                VALUES[
                    (VALUES["table"] == f"Table {table}")
                    & (VALUES["column"] == game)
                    & VALUES["row"].str.endswith(level)
                ]["value"].item()
                for table, level in zip(tables, (", run=1", ", temperature=1", ", version=v1"), strict=True)
            }
            assert len(same) == 1, (tables, game)


def test_all_tables_of_results_are_there():
    """Table 3 lists other studies."""
    assert {f"Table {n}" for n in range(1, 22) if n != 3} < set(VALUES["table"])
