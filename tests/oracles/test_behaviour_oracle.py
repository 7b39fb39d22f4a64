"""Behaviour metrics of games that were played, against their definitions in words and golden values."""

from __future__ import annotations

import pytest
from metrics_in_words import IN_WORDS, value

from intent.behaviour.metrics import metrics
from intent.runner.play import play_experiment

YEARS = {"kind": "penalty", "actions": ["Silent", "Talk"], "payoffs": {"T": 0, "R": 5, "P": 10, "S": 15}}
SIX = ("cooperation_rate", "niceness", "troublemaking", "retaliation", "forgiveness", "emulation")


@pytest.mark.parametrize(
    ("player", "opponent", "play", "six"),
    [
        ("ALLC", "ALLD", ("CCCCCCCCCC", "DDDDDDDDDD"), (1, 1, 0, 0, 0.9, 0)),
        ("ALLD", "ALLD", ("DDDDDDDDDD", "DDDDDDDDDD"), (0, 0, 1, 1, 0, 1)),
        ("ALLD", "ALLC", ("DDDDDDDDDD", "CCCCCCCCCC"), (0, 0, 1, 0, 0, 0)),
        ("TFT", "TFT", ("CCCCCCCCCC", "CCCCCCCCCC"), (1, 1, 0, 0, 0, 1)),
        ("TFT", "ALLD", ("CDDDDDDDDD", "DDDDDDDDDD"), (0.1, 1, 0, 1, 0, 1)),
        # Grudges of rounds 2, 4 and 5 are given up in rounds 4, 5 and 6.
        (
            "sequence:CCDCCCDC",
            "sequence:CDCDDCCC",
            ("CCDCCCDC", "CDCDDCCC"),
            (6 / 8, 1, 1 / 5, 1 / 2, 1, 4 / 7),
        ),
    ],
)
@pytest.mark.parametrize(
    "game", ["prisoner-dilemma-trps", {"name": "years", **YEARS}], ids=["points", "years"]
)
def test_golden_values_of_play(game, player, opponent, play, six) -> None:
    n = len(play[0])
    players = [f"scripted/{player}", f"scripted/{opponent}"]
    log = play_experiment({"game": game, "players": players, "rounds": n}).log
    shown = log.moves["cooperated"].map({True: "C", False: "D"})
    assert tuple("".join(shown[log.moves["seat"] == seat]) for seat in (1, 2)) == play
    row = metrics(log, bootstrap=1).table.set_index("seat").loc[1]
    assert [row[name] for name in SIX] == pytest.approx(six)


def test_noisy_play_measured_at_once_is_measured_one_by_one() -> None:
    """Denominators too, of both seats, over games as short as one round."""
    log = play_experiment(
        {
            "game": {"name": "years", **YEARS},
            "players": ["scripted/TFT@0.3", "scripted/RANDOM"],
            "grid": {"rounds": [1, 2, 3, 10, 21]},
            "repetitions": 12,
            "seed": 3,
        }
    ).log
    table = metrics(log, bootstrap=1).table
    assert len(table) == 120
    moves = log.moves.assign(one=log.moves["cooperated"].astype(int))
    plays = {key: group["one"].tolist() for key, group in moves.groupby(["game_id", "seat"], observed=True)}
    for row in table.to_dict("records"):
        m, o = plays[row["game_id"], row["seat"]], plays[row["game_id"], 3 - row["seat"]]
        for name, words in IN_WORDS.items():
            counts = words(m, o)
            assert (row[name], row[f"{name}_n"]) == (pytest.approx(value(counts)), counts[1]), (name, m, o)
