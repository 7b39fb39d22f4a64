"""Figures of a benchmark: what they show is what was played."""

import itertools

import numpy as np
import pandas as pd
import pytest

from intent.gamma.auction import AuctionPlays
from intent.gamma.bar import BarPlays
from intent.gamma.battle_royale import BattlePlays, Shot
from intent.gamma.bench.leaderboard import published_scores
from intent.gamma.diner import DinerPlays
from intent.gamma.divide_dollar import DollarPlays
from intent.gamma.figures import (
    board_map,
    draw_events,
    draw_rounds,
    draw_score_map,
    gamma_figures,
)
from intent.gamma.guessing import GuessingPlays
from intent.gamma.pirate import PiratePlays, Vote
from intent.gamma.public_goods import GoodsPlays
from intent.gamma.ranking import leaderboard

PLAYS = {
    "guessing": GuessingPlays(n_players=2, means=(30.0, 20.0), by_seat=((20, 40), (10, 30))),
    "bar": BarPlays(n_players=4, goers=(1, 3)),
    "divide_dollar": DollarPlays(n_players=4, totals=(80.0, 120.0)),
    "public_goods": GoodsPlays(n_players=4, totals=(8.0, 4.0)),
    "diner": DinerPlays(n_players=4, cheap=(4, 1), diners=(4, 3)),
    "auction": AuctionPlays(n_players=2, valuations=((100, 0), (50, 10)), bids=((50, 0), (None, 5))),
    "battle_royale": BattlePlays(
        n_players=2, shots=(Shot(1, ((1, 35.0), (2, 40.0)), None), Shot(2, ((1, 35.0), (2, 40.0)), 1))
    ),
    "pirate": PiratePlays(
        n_players=3, held=(Vote((100, 0, 0), ("reject", "reject")), Vote((100, 0), ("accept",)))
    ),
}

LINES = {
    "guessing": [30, 20],
    "bar": [0.25, 0.75],
    "divide_dollar": [80, 120],
    "public_goods": [2, 1],
    "diner": [40, 50],
    "auction": [0.5, 0.5],
}


@pytest.mark.parametrize("game", LINES)
def test_the_thick_line_is_the_mean_of_the_runs(game):
    ax = draw_rounds({"all": [PLAYS[game], PLAYS[game]]}).axes[0]
    (mean,) = (line for line in ax.lines if line.get_label() == "mean of the runs")
    assert mean.get_ydata() == pytest.approx(LINES[game])


def test_runs_of_unequal_length_are_averaged_where_they_were_played():
    runs = [BarPlays(n_players=2, goers=(0, 2)), BarPlays(n_players=2, goers=(2,))]
    (mean,) = (line for line in draw_rounds({"": runs}).axes[0].lines if line.get_linewidth() > 2)
    assert mean.get_ydata().tolist() == [0.5, 1.0]


def test_panels_share_an_axis_that_holds_the_play_of_all():
    low, high = DollarPlays(n_players=2, totals=(10.0,)), DollarPlays(n_players=2, totals=(900.0,))
    for ax in draw_rounds({"low": [low], "high": [high]}).axes:
        bottom, top = ax.get_ylim()
        assert bottom < 0
        assert top > 900


def test_a_shot_is_an_arrow_and_a_miss_on_purpose_a_dot():
    ax = draw_events({"run": PLAYS["battle_royale"]}).axes[0]
    assert [text.arrow_patch.get_edgecolor()[0] for text in ax.texts] == pytest.approx([0.478], abs=1e-3)
    assert [text.xy for text in ax.texts] == [(2, 1)]
    assert [tuple(np.ravel(line.get_xydata())) for line in ax.lines if line.get_marker() == "o"] == [(1, 1)]


def test_pirates_move_up_when_one_is_thrown_overboard():
    ax = draw_events({"run": PLAYS["pirate"]}).axes[0]
    assert [(t.get_position(), t.get_text()) for t in ax.texts][-2:] == [((2, 2), "100"), ((3, 2), "0")]


def test_cells_of_a_score_map_say_what_is_missing():
    figure = draw_score_map(["a"], ["x", "y"], [[50.0, None]], [[2.0, None]])
    assert [text.get_text() for text in figure.axes[0].texts] == ["50.0", "± 2.0", "–"]


def scored_plays():
    """Every game in two runs, one of them in two settings, with rows of scores."""

    def row(game, setting, run):
        base = setting == "default"
        return {"model": "m", "game": game, "setting": setting, "run": run, "score": 40.0, "base": base}

    plays = [(row(game, "default", run), play) for game, play in PLAYS.items() for run in (1, 2)]
    return [*plays, (row("bar", "ratio=20%", 1), PLAYS["bar"])]


def test_all_figures_of_a_run_are_written(tmp_path):
    files = gamma_figures(scored_plays(), tmp_path)
    assert {file.stem for file in files} == {*(f"play_{game}" for game in PLAYS), "leaderboard", "scores_bar"}
    assert all(file.stat().st_size > 5_000 for file in files)


@pytest.mark.slow
def test_figures_are_the_same_every_time(tmp_path):
    one, two = (gamma_figures(scored_plays(), tmp_path / name) for name in "ab")
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]


def test_a_leaderboard_has_no_empty_columns(tmp_path):
    scores = published_scores()
    board = leaderboard(scores[scores["game"].isin(["guessing", "diner"])])
    _, lines, draw = board_map(board)
    names = [label.get_text().replace("\n", " ") for label in draw().axes[0].get_xticklabels()]
    assert names == ["Guess 2/3 of the Average", "Diner's Dilemma"]
    assert lines == ["Scores from 0 to 100: mean and standard deviation of 40 runs."]


def test_a_leaderboard_has_subtotals_of_families_and_40_rows_at_most():
    standings = leaderboard(published_scores())
    title, lines, draw = board_map(standings)
    ax = draw().axes[0]
    heads = [" ".join(tick.get_text().split()) for tick in ax.get_xticklabels()]
    assert [heads[i] for i in (3, 7, 10, 11)] == ["Cooperative", "Betraying", "Sequential", "Overall"]
    assert [ax.texts[i].get_text() for i in (0, 1)] == ["95.4", "± 0.5"]
    assert (title, len(lines)) == ("Scores", 1)
    assert "The first 40 of 44" in board_map(standings * 11)[1][1]


def test_labels_of_33_conditions_do_not_overlap():
    conditions = [(t, v, c) for t in (0, 0.5, 1) for v in ("v1", "v2", "v3") for c in ("none", 1, 2, 3)][:33]
    rows = [
        (
            f"models/of-a-long-name (treatment=default, temperature={t}, version={v}, chain_of_thought={c})",
            "bar",
            1,
            50,
        )
        for t, v, c in conditions
    ]
    _, _, draw = board_map(leaderboard(pd.DataFrame(rows, columns=["model", "game", "run", "score"])))
    figure = draw()
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    assert len(boxes) == 33
    boxes.sort(key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in itertools.pairwise(boxes))
    assert not any("treatment" in label.get_text() for label in figure.axes[0].get_yticklabels())
