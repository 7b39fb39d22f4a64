import numpy as np
import pytest
from axelrod_players import quiet_axelrod
from numpy.testing import assert_allclose

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, Lot
from intent.arena.tournament.standings import standings
from intent.arena.tournament.table import Tally, play_round_robin
from intent.base import codebook
from intent.strategies.catalogue import strategy


def field(*names):
    return tuple(Entrant(name, automaton=strategy(name), origin="x.py line 3") for name in names)


def played(*names, turns=10, repetitions=1, noise=0.0, **settings):
    rules = MatchRules(turns=turns, noise=noise)
    entrants = field(*names)
    contest = Contest(repetitions, Salt.of_field(entrants, 1), AutomataEngine(), **settings)
    return play_round_robin(entrants, rules, contest)


def test_three_strategies_by_hand():
    """Ten rounds: ALLD earns 5 a round from ALLC and (5 + 9 * 1) / 10 = 1.4 from TFT."""
    rows = standings(played("ALLC", "ALLD", "TFT"))
    assert [row["name"] for row in rows] == ["ALLD", "TFT", "ALLC"]
    assert_allclose([row["median_score"] for row in rows], [(5 + 1.4) / 2, (3 + 0.9) / 2, 1.5])
    assert [row["wins"] for row in rows] == [2, 0, 0]
    assert [row["cooperation_rate"] for row in rows] == [0, 0.55, 1]
    assert [row["initial_c_rate"] for row in rows] == [0, 1, 1]
    assert rows[1]["cd_to_c_rate"] == 0
    assert rows[1]["dc_to_c_rate"] is None
    assert rows[0]["dc_rate"] == 0.55


def test_ties_keep_the_order_of_the_field():
    of = {f"{name}{k}": strategy(name) for name in ("ALLC", "ALLD", "TFT", "WSLS") for k in range(3)}
    entrants = tuple(Entrant(name, automaton=automaton) for name, automaton in of.items())
    rules = MatchRules(turns=7, payoffs=(3.1, 0.1, 5.7, 1.3))
    rows = standings(
        play_round_robin(entrants, rules, Contest(1, Salt.of_field(entrants, 0), AutomataEngine()))
    )
    assert [row["name"] for row in rows if row["name"].startswith("ALLD")] == ["ALLD0", "ALLD1", "ALLD2"]


def test_columns_are_those_of_the_codebook():
    (row, *_) = standings(played("ALLC", "TFT"))
    assert list(row) == [column.name for column in codebook.STANDINGS]
    assert row["file"] == "x.py"


def test_self_play_does_not_count():
    names = ("ALLC", "ALLD", "RANDOM")
    assert standings(played(*names)) == standings(played(*names, self_play=False))


def test_intervals_resample_opponents():
    table = played("ALLC", "ALLD", "TFT", "WSLS", noise=0.1, repetitions=3)
    for row in standings(table, np.random.default_rng(1)):
        assert row["score_low"] < row["mean_score"] < row["score_high"]
    assert standings(played("ALLC", "TFT"), np.random.default_rng(1))[0]["score_low"] is None


def test_one_strategy_alone_has_no_standing():
    assert standings(played("TFT")) == []


@pytest.mark.axelrod
@pytest.mark.slow
def test_equal_to_the_result_set_of_the_library(tmp_path):
    axl = quiet_axelrod()
    import pandas as pd

    players = [axl.TitForTat(), axl.Random(), axl.WinStayLoseShift(), axl.Grudger(), axl.Defector()]
    path = tmp_path / "moves.csv"
    result = axl.Tournament(players, turns=20, repetitions=5, noise=0.05, seed=2).play(
        progress_bar=False, filename=str(path)
    )
    rows = pd.read_csv(path).groupby("Interaction index")
    tally = Tally(5, 5)
    for _, pair in rows:
        first, second = pair.iloc[0], pair.iloc[1]
        moves = np.array([[[c == "C" for c in one["Actions"]] for one in (first, second)]], dtype=np.uint8)
        i, j, r = (int(first[k]) for k in ("Player index", "Opponent index", "Repetition"))
        tally.add(Lot(i, j, (r,), True), (r,), moves)
    table = tally.table(field("TFT", "RANDOM", "WSLS", "GRIM", "ALLD"), MatchRules(turns=20, noise=0.05))
    ours = standings(table, transitions="axelrod")
    theirs = result.summarise()
    names = dict(
        median_score="Median_score",
        cooperation_rate="Cooperation_rating",
        wins="Wins",
        initial_c_rate="Initial_C_rate",
        **{f"{s.lower()}_rate": f"{s}_rate" for s in ("CC", "CD", "DC", "DD")},
        **{f"{s.lower()}_to_c_rate": f"{s}_to_C_rate" for s in ("CC", "CD", "DC", "DD")},
    )
    assert [row["rank"] - 1 for row in ours] == [row.Rank for row in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert_allclose(
            [mine[a] for a in names], [getattr(other, b) for b in names.values()], err_msg=mine["name"]
        )
    from intent.arena.tournament.table import mean_cooperation, mean_payoffs

    assert_allclose(mean_payoffs(table), result.payoff_matrix)
    cooperation = np.array(result.normalised_cooperation)
    assert_allclose(mean_cooperation(table), cooperation, atol=0.005)  # the library rounds self-play down
