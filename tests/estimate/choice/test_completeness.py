"""How much of what can be predicted strategies explain, beside their shares."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import intent
from intent.base.errors import UsageError
from intent.base.statistics import Interval
from intent.estimate.choice.choices import choices_of_log
from intent.estimate.choice.completeness import Completeness, completeness
from intent.recognise.bayes import default_strategies
from intent.report.report import report


def log_of(games: int, rounds: int, *, prompted: bool) -> intent.GameLog:
    """TFT and ALLD against coins; or coins whose bias the condition alone sets."""
    rng = np.random.default_rng(0)
    rows = []
    for game in range(games):
        harsh = game % 2 == 0
        kind = rng.random() < 0.5
        other, last = rng.integers(0, 2, rounds), 1
        for t in range(rounds):
            p = (0.1 if harsh else 0.9) if prompted else (0.95 if kind and last else 0.05)
            own, last = int(rng.random() < p), int(other[t])
            condition = "harsh" if harsh else "mild"
            for role, move in (("me", own), ("coin", last)):
                rows.append((f"g{game}", t + 1, f"{role}{game}", "CD"[1 - move], condition, role))
    columns = ["game", "round", "player", "action", "payoff_type", "role"]
    frame = pd.DataFrame(rows, columns=columns)
    return intent.read_log(frame, cooperate="C")


@pytest.fixture(scope="module")
def explained() -> intent.ShareEstimates:
    return intent.sfem(log_of(300, 8, prompted=False), where={"role": ["me"]}, explained=True)


def test_strategies_that_are_played_explain_the_play(explained: intent.ShareEstimates) -> None:
    facts = explained.fields()["explained"]
    assert facts["strategies"]["estimate"] < facts["baseline"]["estimate"]
    assert facts["explained"]["estimate"] > 0.9
    assert facts["table"]["estimate"] > facts["strategies"]["estimate"]


def test_the_sentence_stands_below_the_shares(explained: intent.ShareEstimates) -> None:
    text = " ".join(part for part in explained.parts() if isinstance(part, str))
    assert "The strategies explain " in text
    assert explained.fields()["explained"]["upper_bound"] is True


@pytest.mark.parametrize(("few", "words"), [(True, "at most 97% of"), (False, "95% (94 to 97) of")])
def test_a_share_from_few_units_is_an_upper_bound(few: bool, words: str) -> None:
    one = Completeness(900, 120, "games", explained=Interval(0.95, 0.94, 0.97), upper_bound=few)
    assert words in one.sentence()


def test_what_the_prompt_alone_sets_is_explained_by_the_table() -> None:
    result = intent.sfem(log_of(200, 8, prompted=True), where={"role": ["me"]}, explained=True)
    facts = json.loads(json.dumps(result.fields()["explained"]))
    assert "payoff_type" in facts["settings"]
    assert facts["table_explained"]["estimate"] > facts["explained"]["estimate"]
    assert "explains more" in result.explained.sentence()


def test_without_the_option_there_is_no_such_key() -> None:
    assert "explained" not in intent.sfem(log_of(6, 4, prompted=False)).fields()


def test_counted_others_are_refused() -> None:
    with pytest.raises(UsageError, match="not with --others count"):
        intent.sfem(log_of(6, 4, prompted=False), others="count", explained=True)


def test_few_units_are_no_share() -> None:
    result = intent.sfem(log_of(29, 4, prompted=False), where={"role": ["me"]}, explained=True)
    facts = result.fields()["explained"]
    assert facts["explained"] == {"estimate": None, "low": None, "high": None}
    assert facts["n_units"] == 29
    assert "cannot be told from 29 games (at least 30)" in result.explained.sentence()


def test_groups_have_a_share_each_where_they_are_large_enough() -> None:
    log = log_of(76, 6, prompted=False)
    log = log.where({"game_id": [f"g{g}" for g in range(76) if g % 2 == 0 or g < 40]})
    result = intent.sfem(log, by="payoff_type", where={"role": ["me"]}, explained=True)
    groups = {one["group"]["payoff_type"]: one for one in result.fields()["explained"]["groups"]}
    assert [groups[name]["n_units"] for name in ("harsh", "mild")] == [38, 20]
    assert groups["harsh"]["explained"]["estimate"] > 0.8
    assert groups["mild"]["explained"]["estimate"] is None
    table = next(
        part for part in result.parts() if getattr(part, "header", ("",))[-1] == "by a table of rates"
    )
    assert [row[3] for row in table.rows][1] == "cannot be told"


def test_one_action_alone_leaves_nothing_to_explain() -> None:
    frame = pd.DataFrame(
        [(f"g{g}", t, f"{p}{g}", "C") for g in range(40) for t in (1, 2, 3) for p in "ab"],
        columns=["game", "round", "player", "action"],
    )
    X = choices_of_log(log := intent.read_log(frame, cooperate="C"))
    told = completeness(X, log, default_strategies())
    assert np.isnan(told.explained.estimate)
    assert "there is nothing that strategies could explain" in told.sentence()


def test_shares_beside_a_comparison_are_those_of_the_estimate() -> None:
    log = log_of(80, 6, prompted=False)
    how = {"by": "payoff_type", "where": {"role": ["me"]}, "explained": True}
    compared = intent.compare(log, permutations=0, **how)
    facts = compared.fields()["explained"]
    assert facts == intent.sfem(log, **how).fields()["explained"]
    assert [one["group"]["payoff_type"] for one in facts["groups"]] == ["harsh", "mild"]
    assert compared.extras.explained.sentence() in list(compared.parts())
    assert "explained" not in intent.compare(log, by="payoff_type", permutations=0).fields()


def test_means_have_no_strategies_to_explain() -> None:
    with pytest.raises(UsageError, match="--explained is of strategies, expected no --metric"):
        intent.compare(log_of(6, 4, prompted=False), metric="cooperation_rate", explained=True)


def test_a_report_says_what_the_strategies_explain(tmp_path: Path) -> None:
    log = log_of(80, 6, prompted=False)
    how = {"where": {"role": ["me"]}, "bootstrap": 50, "permutations": 50}
    made = report(log, tmp_path / "with.html", **how)
    (one,) = made.fields()["explained"]
    assert one["explained"]["estimate"] > 0.8
    assert one["sentence"] in (tmp_path / "with.html").read_text(encoding="utf8").replace("&#x27;", "'")
    made = report(log, tmp_path / "without.html", explained=False, **how)
    assert made.fields()["explained"] == []
