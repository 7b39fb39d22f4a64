"""Measures of play on the public logs, against sums over the cells of the files."""

from __future__ import annotations

import ast
import csv
import gzip
from collections import defaultdict

import numpy as np
import pytest

from intent import read_log
from intent.behaviour.means import Intervals
from intent.behaviour.payoffs import payoffs_by_condition
from intent.behaviour.play_table import cooperation_rates, played

FEW = Intervals(10, 0.95)
RATES = {
    "prisoner-dilemma": (0.518, 0.517),
    "harmony-game": (0.987, 0.503),
    "stag-hunt": (0.897, 0.264),
    "snow-drift": (0.894, 0.123),
}
"""Cooperation of the cooperative and of the selfish persona in the 6,300 games of three models."""

COOPERATES = {"prisoner-dilemma": "OptionB"}

pytestmark = pytest.mark.data


@pytest.fixture
def rows(data_dir):
    """The rows of the results, their lists parsed."""
    with gzip.open(data_dir / "fairgame" / "results.csv.gz", "rt", encoding="utf8") as file:
        found = list(csv.DictReader(file, delimiter=";"))
    for row in found:
        for name in list(row):
            if name.endswith(("_strategies", "_scores")):
                row[name] = ast.literal_eval(row[name])
    return found


@pytest.fixture
def table(data_dir):
    """Their play."""
    return played(read_log(data_dir / "fairgame" / "results.csv.gz"))


def test_cooperation_by_game_and_persona(table, rows, rng):
    counts = defaultdict(lambda: [0, 0])
    for row in rows:
        for agent in ("agent1", "agent2"):
            cell = counts[row["game"], row[f"{agent}_personality"]]
            cell[0] += row[f"{agent}_strategies"].count(COOPERATES.get(row["game"], "OptionA"))
            cell[1] += len(row[f"{agent}_strategies"])
    found = cooperation_rates(table, ["game", "persona"], rng=rng, intervals=FEW)
    estimates = {(r.game, r.persona): r.estimate for r in found.itertuples()}
    for game, rates in RATES.items():
        for persona, rate in zip(("cooperative", "selfish"), rates, strict=True):
            k, n = counts[game, persona]
            assert estimates[game, persona] == pytest.approx(k / n)
            assert round(k / n, 3) == rate
    assert not any(game == "battle-sexes" for game, _ in estimates)


def test_normalised_penalties_of_the_dilemmas(table, rows, rng):
    letters = {"cooperative": "C", "selfish": "S"}
    totals = defaultdict(list)
    for row in (r for r in rows if r["game"] == "prisoner-dilemma"):
        met = "".join(sorted(letters[row[f"agent{i}_personality"]] for i in (1, 2)))
        for i in (1, 2):
            key = (row["agent1_llm"], row["language"], met, row["payoff_type"])
            totals[key].append(sum(row[f"agent{i}_scores"]) / (10 * len(row[f"agent{i}_scores"])))
    dilemmas = table[table["game"] == "prisoner-dilemma"]
    found = payoffs_by_condition(
        dilemmas, ["model", "language", "pairing", "payoff_type"], rng=rng, intervals=FEW
    )
    assert len(found) == len(totals) == 3 * 5 * 3 * 3
    for r in found.itertuples():
        assert r.estimate == pytest.approx(np.mean(totals[r.model, r.language, r.pairing, r.payoff_type]))
        assert r.n_games == 20


@pytest.mark.parametrize(
    ("name", "cooperative", "selfish", "strategic"),
    [
        ("en_3_agents_10_rounds_chatgpt4o_cost10_r2_0", 0.693, 0.0, 0.0),
        ("en_3_agents_10_rounds_claude35haiku_cost10_r2_1", 0.822, 0.007, 0.559),
        ("vn_3_agents_10_rounds_claude35haiku_cost10_r2_0", 0.619, 0.011, 0.444),
        ("vn_3_agents_10_rounds_mistrallarge_cost10_r2_0", 0.581, 0.0, 0.226),
    ],
)
def test_contributions_by_persona(data_dir, rng, name, cooperative, selfish, strategic):
    place = (
        data_dir / "fairgame_public_goods" / "results" / f"results_public_goods_game_round_known_{name}.csv"
    )
    found = cooperation_rates(played(read_log(place)), ["persona"], rng=rng, intervals=FEW)
    rates = dict(zip(found["persona"], found["estimate"].round(3), strict=True))
    assert rates == {"cooperative": cooperative, "selfish": selfish, "strategic": strategic}
