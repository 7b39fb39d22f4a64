"""FAIRGAME's configuration files, as published and in its other shapes."""

from __future__ import annotations

import json

import pytest

from intent.base.errors import DataError
from intent.games.catalogue import FAIRGAME_TABLES
from intent.runner.experiment.file import load_experiment

STRATEGIES = {"strategy1": "Left", "strategy2": "Right"}


@pytest.fixture
def config(tmp_path):
    """A small file of a Prisoner's Dilemma, with changes."""

    def write(**changes):
        values = {
            "name": "Prisoner's Dilemma",
            "nRounds": 4,
            "nRoundsIsKnown": "False",
            "llm": "Stub",
            "languages": ["en"],
            "allAgentPermutations": "True",
            "agents": {
                "names": ["a", "b"],
                "personalities": {"en": ["cooperative", "None"]},
                "opponentPersonalityProb": [0],
            },
            "payoffMatrix": {
                "weights": {"w1": 6, "w2": 10, "w3": 0, "w4": 2},
                "strategies": {"en": STRATEGIES},
                "combinations": {
                    "c1": ["strategy1", "strategy1"],
                    "c2": ["strategy1", "strategy2"],
                    "c3": ["strategy2", "strategy1"],
                    "c4": ["strategy2", "strategy2"],
                },
                "matrix": {"c1": ["w1", "w1"], "c2": ["w3", "w2"], "c3": ["w2", "w3"], "c4": ["w4", "w4"]},
            },
            "stopGameWhen": [],
            "agentsCommunicate": False,
            **changes,
        }
        path = tmp_path / "config.json"
        path.write_text(json.dumps({k: v for k, v in values.items() if v is not None}))
        return path

    return write


def played(path, **changes):
    return load_experiment(path, models=["scripted/TFT"], **changes).plans()


def test_permutations_keep_positions(config):
    found = played(config())
    assert [[s.persona for s in p.seats] for p in found] == [
        ["cooperative", "cooperative"],
        ["cooperative", None],
        [None, "cooperative"],
        [None, None],
    ]
    assert (found[0].rounds, found[0].horizon_known) == (4, False)
    assert [s.name for s in found[0].seats] == ["a", "b"]


def test_what_is_told_of_personas_varies_fastest(config):
    agents = {
        "names": ["a", "b"],
        "personalities": {"en": ["x", "y"]},
        "opponentPersonalityProb": [0, 50],
    }
    found = played(config(agents=agents))
    told = [[(s.persona, s.opponent_persona_probability) for s in p.seats] for p in found]
    assert len(told) == 16
    assert told[:3] == [[("x", 0), ("x", 0)], [("x", 0), ("x", 50)], [("x", 50), ("x", 0)]]
    assert told[4] == [("x", 0), ("y", 0)]


def test_by_position_without_permutations(config):
    (plan,) = played(
        config(
            allAgentPermutations=False,
            agents={
                "names": ["a", "b"],
                "personalities": {"en": ["x", "None"]},
                "opponentPersonalityProb": [0, 30],
            },
        )
    )
    assert [(s.persona, s.opponent_persona_probability) for s in plan.seats] == [("x", 0), (None, 30)]


def test_the_compact_matrix(config):
    matrix = {
        "weights": {"w1": 6, "w2": 10, "w3": 0, "w4": 2},
        "strategies": {"en": STRATEGIES},
        "combinations": {
            "c1": [["strategy1", "w1"], ["strategy1", "w1"]],
            "c2": [["strategy1", "w3"], ["strategy2", "w2"]],
            "c3": [["strategy2", "w2"], ["strategy1", "w3"]],
            "c4": [["strategy2", "w4"], ["strategy2", "w4"]],
        },
    }
    assert played(config(payoffMatrix=matrix))[0].payoffs == played(config())[0].payoffs


def test_stops_and_messages(config):
    (plan, *_) = played(config(stopGameWhen=["c4"], agentsCommunicate="True"))
    assert plan.stop == (("Right", "Right"),)
    assert plan.communication == "sequential"


def test_models_by_agent_are_named_and_replaced(config):
    path = config(llm=None, llms=["X", "Y"])
    found = load_experiment(path, map_models={"X": "a/x", "Y": "a/y"}).plans()
    assert [s.player for s in found[0].seats] == ["a/x", "a/y"]
    assert [s.player for s in played(path)[0].seats] == ["scripted/TFT", "scripted/TFT"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nRounds": None}, "config.json: no key nRounds"),
        ({"nRoundsIsKnown": "perhaps"}, "nRoundsIsKnown is 'perhaps', expected true or false"),
        ({"name": "Ultimatum"}, "'Ultimatum' is none of prisoner-dilemma.* give --payoff-kind"),
        ({"languages": ["fr"]}, "agents.personalities.fr is None"),
        ({"languages": []}, "languages is .*, expected at least one language"),
        ({"stopGameWhen": ["c9"]}, "stopGameWhen 'c9', expected one of c1, c2, c3, c4"),
        ({"agents": {"names": ["a", "a"]}}, "expected at least two different names"),
        ({"allAgentPermutations": False}, "opponentPersonalityProb lists 1, expected 2"),
        ({"payoffMatrix": {"strategies": {"en": {"s": "A"}}}}, "no two labels for en"),
    ],
)
def test_files_that_are_refused(config, changes, message):
    with pytest.raises(DataError, match=message):
        played(config(**changes))


def test_a_weight_that_is_no_number_is_named_with_its_file(config):
    path = config()
    path.write_text(path.read_text().replace('"w2": 10', '"w2": "ten"'))
    with pytest.raises(DataError, match=r"config.json: payoffMatrix.weights: 'ten' in c2, expected a number"):
        played(path)


def test_a_game_nobody_knows_needs_its_kind(config):
    found = load_experiment(config(name="Ultimatum"), payoff_kind="reward", models=["a/b"]).plans()
    assert (found[0].game, found[0].payoff_kind) == ("ultimatum", "reward")


@pytest.mark.data
def test_published_files(data_dir):
    files = sorted((data_dir / "fairgame" / "configs").glob("*.json"))
    assert len(files) == 14
    for path in files:
        found = played(path)
        languages = json.loads(path.read_text())["languages"]
        assert len(found) == 4 * len(languages)
        for plan in found:
            matrices = FAIRGAME_TABLES[plan.game, plan.columns["payoff_type"]]
            assert plan.stage().payoffs == matrices[0].payoffs
            assert plan.payoff_kind == ("penalty" if plan.game == "prisoner-dilemma" else "reward")
            assert {s.persona for s in plan.seats} <= {"cooperative", "selfish"}
            assert plan.columns["payoff_type"] in path.stem


@pytest.mark.data
def test_published_public_goods_files(data_dir):
    files = sorted((data_dir / "fairgame_public_goods" / "configs").glob("*.json"))
    assert len(files) == 3
    for path in files:
        found = played(path)
        assert len(found) == 8 * len(json.loads(path.read_text())["languages"])
        stage = found[0].stage()
        assert (stage.n_players, stage.cost, stage.factor) == (3, 10, 2)
        assert stage.cooperative_action(1) == "OptionA"
        assert [s.persona for s in found[1].seats] == ["cooperative", "cooperative", "selfish"]
