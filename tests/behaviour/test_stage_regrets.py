"""Regret of the round in matrix games and public goods, against every action tried out."""

from __future__ import annotations

import pytest

from intent import play_experiment
from intent.behaviour.payoffs import stage_regrets
from intent.games.game import stage


@pytest.mark.parametrize("game", ["prisoner-dilemma", "stag-hunt", "public-goods"])
def test_regret_is_what_the_best_reply_would_have_paid_more(game: str) -> None:
    played = play_experiment({"game": game, "rounds": 6, "repetitions": 3, "model": "scripted/RANDOM"}).log
    table = stage_regrets(played).set_index(["game_id", "round", "seat"])["regret"]
    assert len(table) == len(played.moves)
    rules = stage(played.games["payoffs"].iloc[0], played.games["payoff_kind"].iloc[0])
    sign = 1 if rules.kind == "reward" else -1
    for (game_id, number), rows in played.moves.groupby(["game_id", "round"], observed=True):
        joint = list(rows.sort_values("seat")["action"])
        for place in range(len(joint)):
            pays = []
            for action in rules.actions:
                tried = [*joint]
                tried[place] = action
                pays.append(sign * rules.payoff(tried)[place])
            expected = max(pays) - sign * rules.payoff(joint)[place]
            assert table[(game_id, number, place + 1)] == pytest.approx(expected)


def test_what_was_chosen_counts_where_an_error_changed_it() -> None:
    values = {"game": "prisoner-dilemma", "rounds": 20, "players": ["scripted/ALLD", "scripted/ALLC"]}
    played = play_experiment({**values, "implementation_error": 0.3}).log
    means = stage_regrets(played).groupby("seat")["regret"].agg(["min", "max"])
    assert means.loc[1, "max"] == 0
    assert means.loc[2, "min"] > 0
