"""Dal Bó & Fréchette 2011: all 36 printed shares come out of their choices."""

from __future__ import annotations

import pytest

from intent import read_log
from intent.estimate.baselines import baselines
from intent.estimate.sfem import sfem


@pytest.mark.data
def test_the_published_shares_come_out_of_the_choices(data_dir):
    mapping = {"player": "id", "game": "game", "round": "period", "action": "choice", "other": "other.choice"}
    log = read_log(
        data_dir / "df2011" / "choices.csv.gz", mapping={**mapping, "by": "treatment"}, cooperate="c"
    )
    fitted = sfem(log, "df2011", by="treatment", test=False).to_dict()["groups"]
    assert [group["n_subjects"] for group in fitted] == [44, 50, 46, 44, 38, 44]
    for group, published in zip(fitted, baselines(["df2011"]), strict=True):
        for name, printed, _ in published.shares:
            assert group["shares"][name]["estimate"] == pytest.approx(printed, abs=0.0055), name
