"""Counted others on the public three-player logs: one threshold reads all others as one player."""

from __future__ import annotations

import pytest

from intent import read_log
from intent.estimate.contributors import contributors
from intent.estimate.sfem import sfem

NAMES = ("en_3_agents_10_rounds_chatgpt4o_cost10_r2_0", "vn_3_agents_10_rounds_mistrallarge_cost10_r2_0")


@pytest.fixture(params=NAMES)
def log(request, data_dir):
    folder = data_dir / "fairgame_public_goods" / "results"
    return read_log(folder / f"results_public_goods_game_round_known_{request.param}.csv")


@pytest.mark.data
@pytest.mark.parametrize(("others", "k"), [("any", 1), ("majority", 2), ("all", 2)])
def test_one_threshold_reads_the_others_as_one(log, others, k):
    plain = sfem(log, "canonical4", others=others).fits[0]
    ours = sfem(log, f"ALLC,ALLD,TFT>={k},WSLS>={k}", others="count").fits[0]
    assert ours.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    assert [s.estimate for s in ours.shares] == pytest.approx([s.estimate for s in plain.shares], abs=1e-6)


@pytest.mark.data
def test_all_thresholds_explain_at_least_as_much_as_any_one(log):
    every = sfem(log, "canonical4", others="count").fits[0]
    alone = [sfem(log, "canonical4", others=how).fits[0] for how in ("any", "all")]
    assert every.log_likelihood >= max(fit.log_likelihood for fit in alone) - 1e-8


@pytest.mark.data
def test_ten_rounds_among_three_identify_few_types(log):
    found = contributors(log, bootstrap=50)
    assert len(found.table) == 81
    statuses = found.to_dict()["statuses"]
    assert statuses["identified"] < 20 < statuses["ambiguous"]
    estimated = found.groups[0].estimated
    assert max(estimated, key=lambda name: estimated[name].estimate) in ("free_rider", "conditional")
