"""Keys about agents: architectures, options, attitudes, questions, totals, what counts as cooperation."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError, GameError, IntentError, UnknownNameError
from intent.behaviour.questions import QUESTIONS
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play

NAMED = {"name": "named", "kind": "reward", "actions": ["C", "D"], "cooperate": "D"}
DELIGHT = {**NAMED, "payoffs": {"T": 0, "R": 5, "P": 10, "S": 15}}


def plans(**values):
    return load_experiment({"model": "a/b", **values}).plans()


def seats(**values):
    return plans(**values)[0].seats


def test_experiments_without_these_keys_keep_the_seeds_that_they_had():
    found = plans(
        name="seeds",
        model="scripted/uniform",
        seed=7,
        grid={"game": ["prisoner-dilemma", "stag-hunt"], "temperature": [0, 1]},
        repetitions=2,
    )
    assert [plan.seed for plan in found] == [
        *(82006872484913, 153052247347219, 779066628549, 252691823824989),
        *(49294618708859, 85662826744184, 258246505289923, 134317644729710),
    ]


@pytest.mark.parametrize(
    "values",
    [
        {"options": {"plain": {"a": 1}}},
        {"totals": "all"},
        {"questions": "all"},
        {"game": {"name": "prisoner-dilemma", "cooperate": "OptionA"}},
    ],
)
def test_each_of_the_keys_makes_another_seed(values):
    assert plans(**values)[0].seed != plans()[0].seed


def test_questions_on_one_other_player_are_for_games_of_two():
    pool = {"name": "public-goods", "n_players": 3, "factor": 2, "cost": 1}
    assert plans(questions="all", game=pool)[0].questions == ("rounds_so_far", "extremes", "total_so_far")
    with pytest.raises(DataError, match="question opponent_next in a game of 3 players, expected rounds"):
        plans(questions=["extremes", "opponent_next"], game=pool)


def test_one_architecture_is_for_models_alone():
    ours, theirs = seats(architecture="private", opponent="scripted/TFT")
    assert (ours.architecture, theirs.architecture) == ("private", "plain")
    assert [seat.architecture for seat in seats(architecture=["private", "public"])] == ["private", "public"]
    assert [seat.architecture for seat in seats(architecture="public")] == ["public", "public"]


@pytest.mark.parametrize("attitude", ["cooperate", ["cooperate", "defect"]])
def test_strategies_have_no_attitude(attitude):
    attitudes = [seat.attitude for seat in seats(attitude=attitude, opponent="scripted/TFT")]
    assert attitudes == ["cooperate", None]


def test_options_are_those_of_the_seats_architecture():
    options = {"private": {"stages": "apart"}, "debate": {"turns": 3}}
    found = seats(architecture=["private", "public"], options=options)
    assert [seat.options for seat in found] == [{"stages": "apart"}, {}]
    found = seats(architecture=["private", "public"], options=[None, {"stages": "together"}])
    assert [seat.options for seat in found] == [{}, {"stages": "together"}]


def test_options_can_be_set_by_a_dotted_key_and_varied():
    found = load_experiment(
        {"model": "a/b", "architecture": "private", "grid": {"options.private.stages": ["apart", "auto"]}},
        set=["options.private.x=1"],
    ).plans()
    assert [plan.seats[0].options for plan in found] == [
        {"x": 1, "stages": "apart"},
        {"x": 1, "stages": "auto"},
    ]
    assert [plan.columns["stages"] for plan in found] == ["apart", "auto"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stages": {}}, "options: .*unknown architecture 'stages'.*such as {debate"),
        ({"privat": {}}, "did you mean private"),
        ({"stages": "apart"}, "expected options by architecture, such as {debate: {stages: …}}"),
        ([{}, {}, {}], "options .*expected 2 values, or one"),
    ],
)
def test_options_of_nothing_are_refused(options, said):
    with pytest.raises(DataError, match=said):
        plans(options=options)


def test_named_levels_set_several_keys_and_make_a_column():
    agent = {
        "plain": {"architecture": ["plain", "plain"]},
        "tool_cooperate": {"architecture": ["tool", "plain"], "attitude": ["cooperate", None]},
        "apart": {"architecture": "private", "options": {"private": {"stages": "apart"}}},
    }
    found = plans(opponent="scripted/TFT", grid={"agent": agent, "rounds": [10, 20]})
    assert [plan.columns["agent"] for plan in found[::2]] == ["plain", "tool_cooperate", "apart"]
    assert [(s.architecture, s.attitude, s.options) for s in (plan.seats[0] for plan in found[::2])] == [
        ("plain", None, {}),
        ("tool", "cooperate", {}),
        ("private", None, {"stages": "apart"}),
    ]
    assert {plan.seats[1].attitude for plan in found} == {None}


def test_questions_by_name_or_all():
    assert plans(questions="all")[0].questions == tuple(QUESTIONS)
    assert plans(questions=["extremes", "opponent_next"])[0].questions == ("extremes", "opponent_next")
    assert plans(questions="extremes")[0].questions == ("extremes",)
    assert plans()[0].questions == ()
    with pytest.raises(UnknownNameError, match="opponent_next"):
        plans(questions=["opponent_nxt"])


def test_totals():
    assert [plan.totals for plan in plans(grid={"totals": ["shown", "all"]})] == ["shown", "all"]


def test_what_counts_as_cooperation_is_kept_under_other_labels():
    def cooperation(**values):
        return [plan.stage().cooperative_label for plan in plans(game=DELIGHT, **values)]

    assert cooperation() == ["D"]
    assert cooperation(labels=["J", "F"]) == ["F"]
    assert cooperation(counterbalance=["labels"], repetitions=2) == ["D", "C"]
    assert cooperation(labels=["J", "F"], counterbalance=["labels"], repetitions=2) == ["F", "J"]
    assert cooperation(labels=["D", "C"]) == ["C"]
    with pytest.raises(GameError, match="cooperate 'X' is not one of C, D"):
        plans(game={**DELIGHT, "cooperate": "X"})


def test_an_attitude_that_names_an_action_means_it_under_other_labels():
    def attitudes(attitude, **values):
        found = plans(game=DELIGHT, attitude=attitude, counterbalance=["labels"], repetitions=2, **values)
        return [plan.seats[0].attitude for plan in found]

    assert attitudes("C") == ["C", "D"]
    assert attitudes("C", labels=["J", "F"]) == ["J", "F"]
    assert attitudes("cooperate", labels=["J", "F"]) == ["cooperate", "cooperate"]


def test_exchanged_labels_exchange_payoffs_too():
    one, two = (plan.stage() for plan in plans(game=DELIGHT, counterbalance=["labels"], repetitions=2))
    assert one.payoff(("D", "D")) == two.payoff(("C", "C")) == (10, 10)


@pytest.mark.parametrize(
    "values",
    [
        {"architecture": "plan"},
        {"architecture": "private", "options": {"private": {"stagse": "apart"}}},
        {"architecture": "private", "options": {"private": {"stages": "sideways"}}},
        {"grid": {"architecture": ["plain", "nonsense"]}},
    ],
)
def test_what_an_architecture_refuses_is_said_before_the_run(tmp_path, values):
    experiment = load_experiment({"model": "scripted/uniform", **values})
    with pytest.raises(IntentError):
        play(experiment, tmp_path / "run")
    assert not (tmp_path / "run").exists()
