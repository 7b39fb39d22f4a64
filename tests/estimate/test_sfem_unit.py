"""What is independent in an estimate of shares: chosen by the design, the same in pieces and at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent import GameLog, compare, generate, label, read_log, sfem
from intent.base.errors import UsageError
from intent.logs.readers.compact import write_compact

NAMES = "ALLC,ALLD,TFT"


def repeated(conditions=12, each=8, seed=0):
    """Games that repeat conditions, each of which has a strategy of its own; arms hold half of them."""
    n = conditions * each
    condition = np.repeat(np.arange(conditions), each)
    strategies = np.random.default_rng(seed).choice(["ALLC", "ALLD", "TFT"], conditions)
    log = generate(NAMES, 20 * n, rounds=8, eps=0.05, seed=seed + 1)
    focal = log.seats[log.seats["focal"]].set_index("game_id")["strategy"]
    left = {name: focal.index[focal == name].tolist() for name in set(focal)}
    ids = [left[strategies[c]].pop() for c in condition]
    place = pd.Series(condition, index=ids)
    games, seats, moves = (t[t["game_id"].isin(ids)].copy() for t in (log.games, log.seats, log.moves))
    of_game = games["game_id"].astype(str).map(place)
    games["prompt"] = [f"prompt {c}" for c in of_game]
    games["arm"] = [f"arm {c % 2}" for c in of_game]
    games["warmth"] = of_game.to_numpy() / 7
    return GameLog(games, seats, moves)


def met(n=80, pairs=10):
    """Players of pairs of rooms that meet nobody else; a few seats have no player."""
    log = generate(NAMES, n, rounds=6, eps=0.1, seed=3)
    order = pd.Series(np.arange(n), index=log.games["game_id"].astype(str))
    number = log.seats["game_id"].astype(str).map(order).to_numpy()
    draw = np.random.default_rng(0).integers(0, 3, len(number))
    log.seats["focal"] = True
    log.seats["player"] = [f"r{g % pairs}p{d}" for g, d in zip(number, draw, strict=True)]
    log.seats.loc[::11, "player"] = None
    return log


def both(log, path, **settings):
    """The estimate of the log in pieces and at once."""
    if not path.exists():
        write_compact(log, path)
    settings = {"seed": 3, **settings}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("intent.estimate.stream.PIECE", 10)
        return sfem(path, NAMES, **settings), sfem(read_log(path), NAMES, **settings)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr("intent.logs.compact.ROWS", 20)


def test_a_condition_that_repeats_is_one_unit_and_errors_are_wider():
    log = repeated()
    wide, narrow = sfem(log, NAMES), sfem(log, NAMES, cluster="game_id")
    assert wide.unit_line() == (
        "unit of independence: the condition, 12 conditions; 96 games repeat 12 conditions"
    )
    assert narrow.unit_line().startswith("unit of independence: the game, 96 games; as --cluster says")
    assert wide.to_dict()["unit"] == "conditions"
    assert (wide.config["cluster"], wide.config["unit"]) == (["cell"], wide.unit_line())
    assert all(a.se > 2 * b.se for a, b in zip(wide.fits[0].shares, narrow.fits[0].shares, strict=True))
    named = sfem(log, NAMES, cluster="cell")
    assert [s.se for s in named.fits[0].shares] == [s.se for s in wide.fits[0].shares]


def test_arms_of_conditions_do_not_differ_by_chance_alone():
    log = repeated(seed=4)
    by_condition, by_game = (sfem(log, NAMES, by="arm", **more) for more in ({}, {"cluster": "game_id"}))
    p, narrow = (next(t.p_units for t in r.tests if t.tested == "shares") for r in (by_condition, by_game))
    assert narrow < 0.05 < p
    assert "(conditions are independent; 1,999 draws)" in by_condition.sentences()[1]


def test_sfem_and_compare_say_the_same_p():
    log = repeated(seed=5)
    log.seats["strategy"] = None
    table = label(log, "bayes-canonical4")
    compared = next(t for t in compare(table, "arm", log=log, seed=4).comparison.tests if t.p is not None)
    found = sfem(log, by="arm", seed=4).tests[1]
    assert (compared.unit, found.tested) == ("conditions", "shares")
    assert found.p_units == pytest.approx(compared.p, abs=1e-12)
    assert found.statistic == pytest.approx(compared.statistic, abs=1e-6)


@pytest.mark.parametrize("settings", [{}, {"by": "arm", "bootstrap": 6}, {"cluster": "cell"}])
def test_conditions_in_pieces_are_those_at_once(small_pieces, tmp_path, settings):
    mine, theirs = both(repeated(), tmp_path / "c.parquet", **settings)
    assert mine.unit_line() == theirs.unit_line()
    assert mine.config["cluster"] == ["cell"]
    assert mine.to_dict() == theirs.to_dict()
    assert mine.notes == theirs.notes


@pytest.mark.parametrize("subject", [(), ("game_id", "seat")])
def test_subjects_who_met_are_one_unit_also_in_pieces(small_pieces, tmp_path, subject):
    mine, theirs = both(met(), tmp_path / "c.parquet", subject=subject)
    assert "groups of subjects who met" in theirs.unit_line()
    assert mine.unit_line() == theirs.unit_line()
    assert mine.to_dict() == theirs.to_dict()


def test_a_long_log_is_not_searched_and_says_so(small_pieces, tmp_path, monkeypatch):
    monkeypatch.setattr("intent.estimate.stream.MOST", 10)
    mine, _ = both(repeated(), tmp_path / "c.parquet")
    assert "the game, 96 games; a log of more than" in mine.unit_line()
    mine, _ = both(met(), tmp_path / "p.parquet")
    assert "not searched for subjects who met" in mine.unit_line()


def test_a_subject_in_two_named_clusters_is_refused():
    log = met()
    log.games["half"] = np.arange(len(log)) % 3
    with pytest.raises(UsageError, match="a subject has games in several clusters of half"):
        sfem(log, NAMES, cluster="half")
