"""Utilities, histories, perceived types, lengths and equilibria of games whose numbers are known."""

from __future__ import annotations

import numpy as np
import pytest
from deliberation_logs import deliberation, honest, liar, log_with, silent

from experiments.private_deliberation.measures import (
    cooperation_ratio,
    equilibrium_rates,
    joint_play,
    play_distribution,
    pooled_utility,
    utility_by_round,
)
from experiments.private_deliberation.play import seated, temptation
from experiments.private_deliberation.tables import (
    choices_by_history,
    choices_by_perception,
    perceived_types,
    text_lengths,
    thought_lengths,
    type_recognition,
)

L = ("OptionA", "OptionB")
PD, SH = "prisoner-dilemma-deliberation", "stag-hunt-deliberation"


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def plays(one: str, two: str) -> list:
    return [(silent(int(a), L), silent(int(b), L)) for a, b in zip(one, two, strict=True)]


def test_agents_have_names() -> None:
    table = seated(
        log_with(deliberation(PD, plays("0", "0")), deliberation(PD, plays("0", "1"), ("private", "TFT")))
    )
    assert list(table["agents"].unique()) == ["private v public", "TFT v private"]
    assert list(table["agent"]) == ["private", "public", "private", "TFT"]
    assert list(table["other"]) == ["public", "private", "TFT", "private"]


def test_average_utility_of_an_iteration_is_the_mean_over_games() -> None:
    table = seated(log_with(deliberation(PD, plays("01", "01")), deliberation(PD, plays("11", "01"))))
    means = utility_by_round(table, ["agent"], rng=rng()).set_index(["agent", "round"])["estimate"]
    assert means["private", 1] == 0.5  # penalties 1 and 0
    assert means["public", 1] == 3.0
    pooled = pooled_utility(table, ["agent"], rng=rng()).set_index("agent")
    assert pooled.loc["private", "estimate"] == np.mean([1, 3, 0, 3])
    assert pooled.loc["private", "sd"] == pytest.approx(np.std([1, 3, 0, 3]))
    assert pooled.loc["private", "total"] == np.mean([4, 3])


def test_choices_by_history_count_what_came_before() -> None:
    table = seated(log_with(*[deliberation(PD, plays("0111", "0000"))] * 2))
    found = choices_by_history(table, ["agent"], rng=rng()).set_index(["agent", "history", "action"])
    assert found.loc[("private", "0", "OptionA"), "estimate"] == 1
    assert found.loc[("private", "1", "OptionB"), "estimate"] == 1
    assert found.loc[("private", "2+", "OptionB"), ["n", "estimate"]].tolist() == [4, 1]


def test_the_products_of_equation_4_sum_to_the_choices() -> None:
    types = [
        ("game_0", r, s, "private" if r % 2 else "public", "public") for r in range(1, 6) for s in (1, 2)
    ]
    log = log_with(deliberation(PD, plays("011010", "010011")), types=types)
    table, seen = seated(log), perceived_types(log)
    found = choices_by_perception(table, seen, ["agent"], rng=rng())
    sums = found.groupby(["agent", "history", "action"])["product"].sum()
    direct = choices_by_history(table, ["agent"], rng=rng()).set_index(["agent", "history", "action"])[
        "estimate"
    ]
    for key, value in sums.items():
        assert value == pytest.approx(direct[key])


def test_recognition_counts_unread_answers_as_wrong_and_shows_bias() -> None:
    said = ["private", "private", "private", None]
    types = [("game_0", r, 1, answer, "public" if r == 1 else "private") for r, answer in enumerate(said, 1)]
    log = log_with(deliberation(PD, plays("0000", "0000")), types=types)
    found = type_recognition(perceived_types(log), [], rng=rng()).set_index("measure")["estimate"]
    assert found.to_dict() == {"accuracy": 0.5, "said_private": 1.0, "true_private": 0.75, "read": 0.75}


def test_a_log_without_questions_has_no_perceived_types() -> None:
    log = log_with(deliberation(PD, plays("0", "0")))
    assert perceived_types(log).empty
    assert type_recognition(perceived_types(log), [], rng=rng()).empty


def test_lengths_are_characters_per_game() -> None:
    log = log_with(deliberation(PD, [((0, "ab", "abcd"), (0, "x", None))] * 3))
    lengths = thought_lengths(log).set_index(["seat", "text"])["characters"]
    assert lengths.to_dict() == {(1, "private"): 12, (2, "private"): 0, (1, "public"): 6, (2, "public"): 3}
    assert len(text_lengths(thought_lengths(log), ["seat"], rng=rng())) == 4


def test_rates_of_reaching_equilibria() -> None:
    stag = deliberation(SH, plays("0001", "0011"))
    log = log_with(stag, stag)
    joint = joint_play(log, seated(log))
    rates = equilibrium_rates(joint, ["game"], rng=rng()).set_index("kind")["estimate"]
    assert rates.to_dict() == {"nash": 0.75, "pareto": 0.5, "focal": 0.5, "correlated": 0.5}
    by_round = equilibrium_rates(joint, ["game", "round"], rng=rng()).set_index(["kind", "round"])["estimate"]
    assert by_round["nash", 3] == 0


def test_distance_of_play_to_correlated_equilibria() -> None:
    best = deliberation("chicken", plays("0001", "0010"))
    swerving = deliberation("chicken", plays("0000", "0000"), ("public", "public"))
    log = log_with(best, best, swerving)
    found = play_distribution(joint_play(log, seated(log)), ["game", "agents"], rng=rng()).set_index("agents")
    assert found.loc["private v public", "distance"] == 0
    assert found.loc["private v public", "p_11"] == 0.5
    assert found.loc["public v public", ["gain", "distance"]].tolist() == [1, 0.5]


def test_head_tail_has_a_focal_point_and_battle_has_none() -> None:
    log = log_with(
        deliberation("head-tail", plays("0", "0")), deliberation("battle-sexes-2-1", plays("0", "0"))
    )
    joint = joint_play(log, seated(log)).set_index("game")
    assert joint.loc["head-tail", "focal"] == 1
    assert np.isnan(joint.loc["battle-sexes-2-1", "focal"])


def test_cooperation_ratio_over_x() -> None:
    matches = [deliberation(f"x-parameterised({x})", plays("01", "11")) for x in (1, 2.9)]
    log = log_with(*matches)
    table = seated(log)
    table["x"] = table["game_id"].map(temptation(log))
    found = cooperation_ratio(table, ["agent", "x"], rng=rng()).set_index(["agent", "x"])
    assert found.loc[("private", 2.9), "estimate"] == 0.5
    assert found.loc[("public", 1.0), "estimate"] == 0


def test_said_and_done() -> None:
    assert liar(1, L)[1] == honest(0, L)[1]
