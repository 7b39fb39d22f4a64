"""Leaderboards: the published means and deviations, and runs that are missing or odd."""

from __future__ import annotations

import pandas as pd
import pytest

from intent.base.errors import DataError
from intent.gamma.bench.leaderboard import leaderboard_of, published_scores, published_standings
from intent.gamma.catalogue import GAMMA_GAMES
from intent.gamma.ranking import Cell, cell, leaderboard, markdown, ranked_standings

MEANS = {
    "GPT-3.5 (0125)": "63.4 3.4 68.7 2.7 68.6 2.4 38.9 8.1 2.8 2.8 13.0 1.5 28.6 11.0 71.6 7.7 44.4 2.1",
    "LLaMA-3.1-70B": "84.0 1.7 59.7 3.5 87.0 4.1 90.6 3.6 48.1 5.7 15.7 2.7 77.7 26.0 64.0 15.5 65.9 3.3",
    "Gemini-1.5-Pro": "95.4 0.5 37.2 4.2 93.8 0.3 100 0 35.9 5.3 26.9 9.4 81.3 7.7 87.9 5.6 69.8 1.6",
    "GPT-4o (0806)": "94.3 0.6 70.0 22.1 95.2 0.7 90.9 3.0 10.7 8.3 20.8 3.2 67.3 14.8 84.4 6.7 66.7 4.7",
}
"""Mean and deviation of every game, then overall (tables 4, 10, 14, 18), of scores that were not rounded."""


@pytest.mark.parametrize("model", MEANS)
def test_published_means_and_deviations_follow_from_the_single_runs(model):
    (one,) = [one for one in leaderboard(published_scores()) if one.model == model]
    cells = [*(one.games[game] for game in GAMMA_GAMES), one.overall]
    found = [figure for c in cells for figure in (c.mean, c.sd)]
    assert found == pytest.approx([float(x) for x in MEANS[model].split()], abs=0.101)
    assert (one.missing, one.notes) == ((), ())


def test_published_models_rank_as_published():
    assert [one.model for one in leaderboard(published_scores())] == [
        "Gemini-1.5-Pro",
        "GPT-4o (0806)",
        "LLaMA-3.1-70B",
        "GPT-3.5 (0125)",
    ]


def test_the_thirteen_models_of_the_paper_stand_beside_ours_as_printed():
    board = leaderboard_of([], published=True)
    assert [one.model for one in board.standings][:3] == ["Gemini-1.5-Pro", "GPT-4o (0806)", "LLaMA-3.1-70B"]
    assert len(board.standings) == 13
    assert board.runs.empty
    cells = {one.model: one for one in board.standings}
    assert cells["GPT-4o (0806)"].games["divide_dollar"] == Cell(95.2, 0.7, 5)  # of the printed runs 95.1
    assert cells["Mixtral-8x7B"].overall == Cell(43.4, 2.2, 5)
    assert cells["Qwen-2-72B"].families["betraying"] == Cell(pytest.approx((81.3 + 0 + 2.5) / 3), None, 5)
    assert cells["GPT-4o (0806)"].families["cooperative"].sd == pytest.approx(7.4, abs=0.05)


def test_a_row_of_ours_takes_its_place_among_the_papers():
    mine = scores({game: [66.0] for game in GAMMA_GAMES}, "mine")
    names = [one.model for one in ranked_standings([*leaderboard(mine), *published_standings()])]
    assert names[2:4] == ["mine", "LLaMA-3.1-70B"]


def test_the_published_overall_of_a_run_is_the_mean_of_its_games():
    runs = published_scores()
    first = runs[(runs["run"] == 1) & (runs["model"] == "GPT-4o (0806)")]
    assert leaderboard(first)[0].overall == Cell(pytest.approx(73.6, abs=0.051), None, 1)


def test_families_are_means_over_their_games_run_by_run():
    (one,) = leaderboard(scores({"guessing": [90, 70], "bar": [60, 50], "divide_dollar": [30, 0]}))
    assert one.families == {"cooperative": Cell(50, pytest.approx(200**0.5), 2)}


def scores(games: dict[str, list[float]], model: str = "m") -> pd.DataFrame:
    """Runs from 1 of one model."""
    rows = [(model, game, run, x) for game, xs in games.items() for run, x in enumerate(xs, start=1)]
    return pd.DataFrame(rows, columns=["model", "game", "run", "score"])


def test_no_overall_over_missing_games_unless_asked_for():
    table = scores({"guessing": [90], "bar": [60]})
    (one,) = leaderboard(table)
    assert (one.overall, one.families) == (None, {})
    assert one.missing == tuple(GAMMA_GAMES)[2:]
    assert "no overall score" in one.notes[0]
    (one,) = leaderboard(table, partial=True)
    assert one.overall == Cell(75, None, 1)
    assert one.families == {"cooperative": Cell(75, None, 1)}


def test_only_complete_runs_count_overall():
    games = {game: [50, 60] for game in GAMMA_GAMES} | {"pirate": [50]}
    (one,) = leaderboard(scores(games))
    assert one.overall == Cell(50, None, 1)
    assert one.games["pirate"].n == 1
    assert "games differ in their runs" in one.notes[0]
    assert "1 of them count overall" in one.notes[0]


def test_models_without_an_overall_score_come_last():
    table = pd.concat([scores({"bar": [100]}, "b"), scores({game: [1] for game in GAMMA_GAMES}, "a")])
    assert [one.model for one in leaderboard(table)] == ["a", "b"]


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("game", "chess", "game 'chess', expected one of guessing"),
        ("score", float("nan"), "'nan' of m in bar, expected a number"),
        ("score", "90", "'90' of m in bar"),
        ("score", True, "'True' of m in bar"),
    ],
)
def test_rows_that_cannot_be_are_refused(column, value, told):
    table = scores({"bar": [1]}).astype({column: object})
    table.loc[0, column] = value
    with pytest.raises(DataError) as caught:
        leaderboard(table)
    assert told in str(caught.value)


def test_a_run_is_listed_once_and_columns_are_all_there():
    table = scores({"bar": [1]})
    with pytest.raises(DataError, match="run '1' of m in bar is listed twice"):
        leaderboard(pd.concat([table, table]))
    with pytest.raises(DataError, match="no column run"):
        leaderboard(table.drop(columns="run"))


def test_a_cell_of_one_run_has_no_deviation():
    assert (str(cell([50])), str(cell([50, 60]))) == ("50.0", "55.0 ± 7.1")


def test_markdown_has_a_row_per_model_and_a_column_per_game_family_and_overall():
    lines = markdown(leaderboard(published_scores())).splitlines()
    assert len(lines) == 2 + 4
    assert {line.count("|") for line in lines} == {14}
    assert lines[2].startswith("| Gemini-1.5-Pro | 95.4 ± 0.5 | 37.2 ± 4.2 |")
    assert lines[2].endswith("| 69.8 ± 1.6 |")


def test_names_of_models_stay_inside_their_cell():
    table = scores({"bar": [1]}, "a|b\n<b>[x](y)")
    assert "| a\\|b \\<b\\>\\[x\\](y) |" in markdown(leaderboard(table))


def test_closed_and_open_models_apart_as_in_the_paper():
    from intent.gamma.bench.leaderboard import leaderboard_of

    made = leaderboard_of(published=True, grouped=True)
    tables = {part.title: [row[0] for row in part.rows] for part in made.parts() if not isinstance(part, str)}
    assert {title: len(rows) for title, rows in tables.items()} == {"Closed models": 7, "Open models": 6}
    assert (tables["Closed models"][0], tables["Open models"][0]) == ("Gemini-1.5-Pro", "LLaMA-3.1-70B")
    assert made.markdown().count("## ") == 2
