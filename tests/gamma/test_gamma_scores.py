"""Scores, against published figures, a slow reference, and round records written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from saved_files import META, saved, saved_games, shots, votes
from slow_scores import slow_score

from intent.base.errors import DataError, UnknownNameError
from intent.gamma.auction import AuctionPlays
from intent.gamma.bar import BarPlays
from intent.gamma.bench.scores import score, seat_scores, why_different
from intent.gamma.catalogue import bench_game
from intent.gamma.diner import DinerPlays
from intent.gamma.divide_dollar import DollarPlays
from intent.gamma.guessing import GuessingPlays
from intent.gamma.pirate import PiratePlays, Vote
from intent.gamma.public_goods import GoodsPlays
from intent.gamma.saved import saved_plays

REAL = json.loads((Path(__file__).parent / "published_rounds.json").read_text())
RUNS = [(game, run) for game, runs in REAL.items() if game != "source" for run in runs]


def of_figures(game: str, run: dict) -> float:
    """The score of a real run from the figures of its rounds."""
    simple = {
        "guessing": lambda: GuessingPlays(means=run["means"], ratio=run.get("ratio", 2 / 3)),
        "bar": lambda: BarPlays(goers=run["goers"]),
        "divide_dollar": lambda: DollarPlays(totals=run["totals"]),
        "public_goods": lambda: GoodsPlays(totals=run["totals"]),
        "diner": lambda: DinerPlays(cheap=run["cheap"], diners=[10] * len(run["cheap"])),
        "auction": lambda: AuctionPlays(
            valuations=[v for v, _ in run["rounds"]], bids=[b for _, b in run["rounds"]]
        ),
    }
    if game in simple:
        return simple[game]().score()
    if game == "battle_royale":
        return score(saved_plays(saved(game, *shots(run["shots"]))))
    return score(saved_plays(saved(game, *votes(*run["rounds"]), gold=run.get("gold", 100))))


@pytest.mark.parametrize(("game", "run"), RUNS, ids=[f"{game} {run['run']}" for game, run in RUNS])
def test_real_runs_score_as_published_to_the_printed_digit(game, run):
    assert f"{of_figures(game, run):.1f}" == f"{run['score']:.1f}"


@pytest.mark.parametrize("game", META)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_scores_equal_the_slow_reference(game, data):
    found = data.draw(saved_games(game))
    plays = saved_plays(found)
    for scoring in ("code", "paper"):
        expected = slow_score(game, found, scoring)
        if expected is None:
            with pytest.raises(DataError, match="no bid"):
                score(plays, scoring)
        else:
            assert score(plays, scoring) == pytest.approx(float(expected), abs=1e-9)


@pytest.mark.parametrize("game", ["guessing", "public_goods", "diner", "auction"])
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_seats_share_the_score_where_they_have_shares(game, data):
    found = data.draw(saved_games(game))
    for i, player in enumerate(found["player_data"]):
        player["records"] = [record["responses"][i] for record in found["round_records"]]
    plays = saved_plays(found)
    shares = seat_scores(plays)
    if game == "guessing" and plays.ratio == 1:
        assert shares is None
    else:
        assert sum(shares) / plays.n_players == pytest.approx(score(plays))


def test_below_one_the_least_number_divides_the_scorings():
    assert GuessingPlays(means=[40], low=20, ratio=0.5).score() == pytest.approx(100)
    assert GuessingPlays(means=[40], low=20, ratio=0.5).score("paper") == pytest.approx(75)


def test_at_a_ratio_of_one_the_middle_is_best_and_above_it_the_largest():
    assert [GuessingPlays(means=[x], ratio=1).score() for x in (0, 50, 100)] == [0, 100, 0]
    assert GuessingPlays(means=[100], ratio=4 / 3).score() == 100


def test_a_bar_filled_to_the_ratio_scores_100_and_its_worst_0():
    assert BarPlays(goers=[6, 6]).score() == 100
    assert BarPlays(goers=[0]).score() == pytest.approx(0)
    assert BarPlays(goers=[10], ratio=0.2).score() == pytest.approx(0)


def test_bids_far_above_the_gold_score_nothing():
    assert DollarPlays(totals=[1000]).score() == 0


def test_the_paper_rewards_contributing_where_it_pays():
    plays = saved_plays(saved("public_goods", {"total_tokens": 15}, n=3, ratio=4))
    assert score(plays) == pytest.approx(75)
    assert score(plays, "paper") == pytest.approx(25)
    assert why_different(plays) == bench_game("public_goods").discrepancy


def test_a_valuation_of_zero_and_a_bid_above_it():
    plays = AuctionPlays(n_players=3, valuations=((0, 100, 50),), bids=((0, 40, 100),))
    assert score(plays) == pytest.approx(100 * (0 + 0.6 + 0) / 3)
    assert score(plays, "paper") == pytest.approx(100 * (0.6 - 1) / 2)
    assert seat_scores(plays, "paper") == (None, pytest.approx(60), pytest.approx(-100))


def test_bids_that_are_missing_do_not_count():
    plays = AuctionPlays(n_players=2, valuations=((100, 100),), bids=((None, 90),))
    assert score(plays) == pytest.approx(10)
    assert seat_scores(plays) is None


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("0>9", 1),
        ("0>8", 0),
        ("9>8", 1),  # the best shooter's best is the second
        ("9-", 0),
        ("0>9! 1>8 2>9", 2),  # 9 is out, so that the last shot is at nobody
        ("0>9! 1>8! 2>7! 3>6! 4>5! 0-", 5),
    ],
)
def test_shots_at_the_best_of_the_others(text, hits):
    plays = saved_plays(saved("battle_royale", *shots(text)))
    assert score(plays) == pytest.approx(100 * hits / len(text.split()))
    assert score(plays, "paper") == pytest.approx(score(plays) / 10)


def test_to_the_last_two():
    plays = saved_plays(saved("battle_royale", *shots("0>2! 1>0!", n=3), n=3))
    assert score(plays) == 100


def test_player_10_is_not_player_1():
    plays = saved_plays(saved("battle_royale", *shots("0>11 0>1", n=12), n=12))
    assert score(plays) == 50


def test_of_players_who_shoot_equally_well_any_is_the_best():
    plays = saved_plays(saved("battle_royale", *shots("0>1 0>2", n=3, step=0), n=3, interval=0))
    assert score(plays) == 100


def test_one_coin_at_an_odd_distance():
    plays = saved_plays(saved("pirate", *votes("99,1 r"), n=2))
    assert score(plays) == pytest.approx(50 * 198 / 200)
    assert score(plays, "paper") == pytest.approx(50 * 198 / 200 + 50)
    assert "odd distance" in why_different(plays)


def test_published_run_whose_scorings_differ():
    (run,) = [r for r in REAL["pirate"] if "paper" in r]
    plays = saved_plays(saved("pirate", *votes(*run["rounds"])))
    assert f"{score(plays, 'paper'):.1f}" == f"{run['paper']:.1f}"


def test_equilibrium_among_ten_pirates_scores_100():
    plays = saved_plays(saved("pirate", *votes("96,0,1,0,1,0,1,0,1,0 rarararar")))
    assert score(plays) == score(plays, "paper") == 100


@pytest.mark.parametrize(("gold", "code"), [(4, 52), (5, 62), (400, 98.5)])
def test_equilibrium_of_other_gold_scores_100_on_paper_alone(gold, code):
    """The published code takes one coin of four for 25 of 100; tables 8, 17 and 21 have its numbers."""
    plays = saved_plays(saved("pirate", *votes(f"{gold - 4},0,1,0,1,0,1,0,1,0 rarararar"), gold=gold))
    assert score(plays) == pytest.approx(code)
    assert score(plays, "paper") == 100
    assert "gold other than 100" in why_different(plays)


def test_missing_proposals_and_votes_in_the_pirate_game():
    held = (Vote(None, (None, None)), Vote((100, 0), (None,)))
    assert score(PiratePlays(n_players=3, held=held)) == pytest.approx(50 * (200 - 100) / 200)
    assert score(PiratePlays(n_players=3, held=held[:1])) == 0
    assert score(PiratePlays(n_players=3, gold=4, held=held[:1]), "paper") == 0


def test_who_ordered_nothing_is_not_counted():
    plays = DinerPlays(n_players=3, cheap=(1,), diners=(2,), by_seat=(("cheap", "costly", None),))
    assert score(plays) == 50
    assert seat_scores(plays) is None


def test_no_rounds_make_no_score():
    with pytest.raises(DataError, match="no round was played"):
        score(BarPlays(goers=()))


def test_an_unknown_scoring_is_named():
    with pytest.raises(UnknownNameError, match="scoring 'papers'"):
        score(BarPlays(goers=(6,)), "papers")
