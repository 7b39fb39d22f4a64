"""What each role is shown, and how it answers, as prompts that were rendered say it."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_folders import folder_with

from intent.agents.prompts.wording import mark, marking, pieces, visible
from intent.base.errors import IntentError
from intent.report.report import report
from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import load_experiment
from intent.runner.finish import checked_plans
from intent.runner.information import checked_treatment
from intent.runner.play import load_source, play_experiment, run_matrix
from intent.runner.treatment import ATTRIBUTES, FACTS, REASONS, Treatment

NOBODY = "openai/m@http://127.0.0.1:9/v1"
EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SHIPPED = sorted(
    path
    for path in EXPERIMENTS.glob("*/*.yaml")
    if path.parent.name != "llm_strategies"
    and path.name != "study.yaml"  # chains, and a study of recognisers
)

LARGE = {
    "agent_architectures/framings",
    "agent_architectures/own",
    "agent_architectures/scripted",
    "fairgame/communication",
    "gamma_bench/languages",
    "gamma_bench/reasoning",
    "payoff_scaling/five_languages",
    "public_goods/five_languages",
    "public_goods/three_personas",
}
"""Hundreds of games that vary another experiment of their folder."""


def shipped(path):
    name = f"{path.parent.name}/{path.stem}"
    return pytest.param(path, id=name, marks=pytest.mark.slow if name in LARGE else ())


def matrix(**values):
    """(role, stage) -> its row, of an experiment in which every role answers in one way."""
    source = load_experiment({"name": "trial", "model": NOBODY, "rounds": 3, **values})
    plans, prompts = checked_plans(source)
    rows = checked_treatment(source, plans, prompts, source.levels(plans)).information.to_dict()
    assert len({(row["role"], row["stage"]) for row in rows}) == len(rows)
    return {(row["role"], row["stage"]): row for row in rows}


def test_marks_say_what_a_text_was_filled_with():
    with marking():
        text = f"a{mark('outer', 'b' + mark('inner', 'c'))}d"
    assert visible(text) == "abcd"
    assert [(piece.path, piece.text) for piece in pieces(text)] == [
        ((), "a"),
        (("outer",), "b"),
        (("outer", "inner"), "c"),
        ((), "d"),
    ]
    assert mark("outer", "b") == "b"


def test_a_plain_player():
    row = matrix()["plain", "decision"]
    shows = "payoffs own_choices others_choices past_payoffs totals round horizon"
    assert row["shows"] == shows.split()
    assert (row["reasons"], row["answers"], row["order"]) == ("no", "option", "OptionA, OptionB")
    assert (row["conversation"], row["n_conditions"], row["where"]) == ("new", 1, {})
    assert set(row["shows"]) | set(row["withholds"]) == set(FACTS)


@pytest.mark.parametrize(
    ("values", "more", "less"),
    [
        ({"horizon": "unknown"}, [], ["horizon"]),
        ({"continuation": 0.5}, [], []),
        ({"memory": 0}, [], ["own_choices", "others_choices", "past_payoffs", "totals"]),
        ({"personas": "selfish"}, ["persona"], []),
        (
            {"personas": "selfish", "opponent_persona_probability": 50},
            ["persona", "others_persona"],
            [],
        ),
        ({"implementation_error": 0.1}, ["errors"], []),
        ({"game": "public-goods"}, [], []),
        ({"architecture": "informed", "game": "prisoner-dilemma-trps"}, ["belief"], []),
        ({"communication": "simultaneous"}, ["own_words", "others_words"], []),
        ({"opponent": "scripted/TFT", "language": "ar"}, [], []),
    ],
)
def test_what_a_setting_shows_and_withholds(values, more, less):
    plain = matrix()["plain", "decision"]["shows"]
    role = values.get("architecture", "plain")
    shows = set(matrix(**values)[role, "decision"]["shows"])
    assert shows == set(plain) - set(less) | set(more)


def test_it_is_what_was_rendered_that_counts(tmp_path):
    """A wording that leaves the payoffs of past rounds out."""
    silent = folder_with(tmp_path / "silent", "phrases", {" ({unit}: {payoff})": ""})
    plain, shows = (matrix(**more)["plain", "decision"]["shows"] for more in ({}, {"prompts": silent}))
    assert set(plain) - set(shows) == {"past_payoffs"}


def test_templates_of_fairgame(tmp_path):
    (tmp_path / "prisoner_dilemma_en.txt").write_text(
        "You are {currentPlayerName}, against {opponent1}. {intro}: [You are {personality}.] "
        "{strategy2} or {strategy1}: {weight1} {weight2} {weight3} {weight4}. "
        "{gameLength}: [{nRounds} rounds.] "
        "{history} {choose}: [Choose {strategy2} or {strategy1}.]"
    )
    values = {"prompts": str(tmp_path), "parser": "fairgame", "personas": ["selfish", None]}
    row = matrix(**values)["plain", "decision"]
    shows = "payoffs own_choices others_choices past_payoffs horizon persona"
    assert row["shows"] == shows.split()
    assert (row["order"], row["reasons"]) == ("OptionB, OptionA", "read")


def test_options_listed_both_ways():
    row = matrix(repetitions=2, counterbalance=["listed_first"])["plain", "decision"]
    assert row["order"] == "OptionA, OptionB / OptionB, OptionA"


def test_the_sides_of_a_debate():
    rows = matrix(architecture="debate", attitude="cooperate", opponent="scripted/TFT")
    adviser, decider = rows["debate, assistant", "advice"], rows["debate, decision maker", "decision"]
    assert {"payoffs", "advice_to_give"} <= set(adviser["shows"])
    assert "payoffs" not in decider["shows"]
    assert "advice" in decider["shows"]
    assert (decider["reasons"], decider["answers"]) == ("asked", "DECISION line")


@pytest.mark.parametrize("protocol", ["native", "prompted"])
def test_a_tool_before_and_after_its_call(protocol):
    options = {"tool": {"protocol": protocol}}
    rows = matrix(architecture="tool", attitude="defect", opponent="scripted/TFT", options=options)
    assert "tool" in rows["tool", "decision"]["shows"]
    assert "advice" not in rows["tool", "decision"]["shows"]
    assert "advice" in rows["tool", "advised"]["shows"]
    assert rows["tool", "advised"]["conversation"] == "same"


@pytest.mark.parametrize("stages", ["together", "apart"])
def test_private_thoughts_stay_with_who_thought_them(stages):
    rows = matrix(
        architecture=["private", "public"],
        options={name: {"stages": stages} for name in ("private", "public")},
    )
    shown = {role: set(row["shows"]) for (role, stage), row in rows.items() if stage == "decision"}
    assert "private_thoughts" in shown["private"]
    assert "others_words" in shown["public"]
    assert not any("others_thoughts" in row["shows"] for row in rows.values())


@pytest.mark.parametrize(
    ("values", "reasons", "answers"),
    [
        ({"parser": "json"}, "read", "JSON"),
        ({"architecture": "chain_of_thought"}, "asked", "DECISION line"),
        ({"settings": {"constrained": True}}, "no", "option"),
        ({"language": "vi"}, "no", "option"),
        ({"language": "zh", "architecture": "chain_of_thought"}, "asked", "DECISION line"),
    ],
)
def test_room_to_reason_and_form_of_the_answer(values, reasons, answers):
    row = matrix(**values)[values.get("architecture", "plain"), "decision"]
    assert (row["reasons"], row["answers"]) == (reasons, answers)


def test_a_table_of_gamma_bench():
    source = load_source({"benchmark": "gamma", "games": ["diner", "pirate"], "models": [NOBODY]})
    rows = {row["where"]["game"][0]: row for row in dry_run(source, prompts_shown=0)["matrix"]}
    assert {"payoffs", "own_choices", "others_choices", "round", "horizon"} <= set(rows["diner"]["shows"])
    assert rows["diner"]["order"] == "costly, cheap"
    assert {"payoffs", "others_choices"} <= set(rows["pirate"]["shows"])
    assert "horizon" not in rows["pirate"]["shows"]
    assert {row["answers"] for row in rows.values()} == {"JSON"}


@pytest.mark.parametrize("path", [shipped(path) for path in SHIPPED])
def test_every_shipped_experiment_has_a_matrix_and_is_what_it_declares(path):
    try:
        source = load_source(path)
        plans, prompts = checked_plans(source)
    except IntentError:
        source = load_source(path, models=[NOBODY])
        plans, prompts = checked_plans(source)
    checked = checked_treatment(source, plans, prompts, source.levels(plans))
    assert not checked.problems
    rows = checked.information.to_dict()
    asked = {seat.architecture for plan in plans for seat in plan.seats if seat.kind == "model"}
    assert {row["role"].partition(",")[0] for row in rows} == asked
    for row in rows:
        assert row["shows"]
        assert row["reasons"] in (*REASONS, "–")
        assert row["answers"] != "unread"


def test_nobody_is_asked_and_nothing_of_it_is_left_behind(tmp_path):
    sent: list[str] = []

    async def model(messages, tools, settings):
        sent.extend(message.content for message in messages)
        return "{{Hm.}} Let us both gain.\nDECISION: OptionA"

    values = {
        "name": "t",
        "model": "python/m",
        "architecture": "private",
        "questions": ["total_so_far"],
        "treatment": {"printed": ["total_so_far"]},
        "rounds": 2,
    }
    before = dry_run(load_experiment({**values, "model": NOBODY}))["prompts"]
    assert not sent
    result = play_experiment(values, tmp_path / "run", models={"m": model})
    assert len(sent) == 2 * 2 * 2
    assert dry_run(load_experiment({**values, "model": NOBODY}))["prompts"] == before
    texts = [
        *sent,
        *(path.read_bytes().decode("latin-1") for path in (tmp_path / "run").rglob("*") if path.is_file()),
    ]
    assert not any("\U0010fff0" in text or "Zt1r" in text or "Zw1r" in text for text in texts)
    assert result.log.moves["private_thought"].tolist() == ["Hm."] * 4


def test_the_page_has_every_fact_stage_and_difference():
    page = (EXPERIMENTS.parent / "docs" / "information_matrix.md").read_text(encoding="utf-8")
    for name in (*FACTS, *REASONS, *ATTRIBUTES, *Treatment.model_fields):
        assert f"`{name}`" in page or f"{name}:" in page, name


def test_the_matrix_of_a_run_stands_in_its_report(tmp_path):
    play_experiment(
        {"name": "t", "model": "scripted/uniform", "horizon": "unknown", "repetitions": 3}, tmp_path / "run"
    )
    result = report(tmp_path / "run", tmp_path / "report.html", bootstrap=100, permutations=100)
    page = result.path.read_text(encoding="utf-8")
    assert "What each player was shown" in page
    assert {"game_name", "rounds_played", "horizon"} <= set(run_matrix(tmp_path / "run")[0]["withholds"])
