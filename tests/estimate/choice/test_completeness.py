"""How much of what can be predicted strategies explain, beside their shares."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import intent
from intent.base.errors import UsageError


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
    assert "The strategies predict the next move better than boosted trees" in text


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
