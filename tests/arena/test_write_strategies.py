"""Having strategies written, from the order to the files."""

from __future__ import annotations

import json
import re

import pytest
from writing_stand_ins import FENCED, Answering, JudgingEngine, sequence

from intent.agents.client import Settings
from intent.arena.engines import make_engine
from intent.arena.match import Limits
from intent.arena.sources.reader import read_strategies
from intent.arena.writing.desk import OUTCOMES
from intent.arena.writing.order import dry_run_writing, file_name
from intent.arena.writing.strategies import write_strategies
from intent.base.errors import BudgetSpent, RunError, UnknownNameError, UsageError
from intent.base.json_objects import JSON_OBJECTS

ASKED = {"n": 3, "turns": 50}
FILES = ("scripted-strategist_default.py", "failures.csv", "writing.json")
GIVEN = {
    "style": "default",
    "attitudes": "Aggressive,Cooperative,Neutral",
    "n": 2,
    "game": "classic",
    "noise": 0.0,
    "turns": 1000,
    "temperature": 0.7,
    "max_tokens": None,
    "prompts": None,
    "scenarios": None,
    "seed": 0,
    "attempts": None,
}


@pytest.fixture
def engine():
    try:
        with make_engine("auto", workers=1, limits=Limits(cpu=0.3)) as made:
            yield made
    except UsageError as error:
        pytest.skip(str(error))


def lines(folder, file="exchanges.jsonl"):
    return [json.loads(line) for line in (folder / file).read_text("utf-8").splitlines()]


def test_a_good_writer_fills_every_set(tmp_path, engine):
    styles = "default,refine,prose,prose+refine"
    found = write_strategies(
        "scripted/strategist", tmp_path / "w", style=styles, engine=engine, **ASKED
    ).to_dict()
    assert set(found) == set(JSON_OBJECTS["write"])
    assert (found["n"], found["wanted"], found["failures"]) == (36, 36, [])
    assert [made["file"] for made in found["sets"]] == [
        f"scripted-strategist_{style}.py" for style in ("default", "refine", "prose", "prose_refine")
    ]
    read = read_strategies([tmp_path / "w" / made["file"] for made in found["sets"]])
    assert (len(read.entrants), read.failed) == (36, ())
    counts = {made["style"]: made["n"] for made in found["sets"]}
    assert counts["prose"] == {"Aggressive": 3, "Cooperative": 3, "Neutral": 3}


def test_what_is_written_can_be_read_with_its_words(tmp_path, engine):
    write_strategies("scripted/strategist", tmp_path / "w", noise=0.1, style="prose", engine=engine, **ASKED)
    read = read_strategies([tmp_path / "w" / "scripted-strategist_prose_noise.py"])
    assert [e.name for e in read.entrants][:3] == ["Aggressive_1", "Aggressive_2", "Aggressive_3"]
    first = read.entrants[0]
    assert (first.group, first.game, first.turns, first.noise) == ("Aggressive", "classic", 50, 0.1)
    plan, strategy = first.words.split("\n\n")
    told = {row["purpose"]: row["text"] for row in lines(tmp_path / "w") if row["attempt"] == 1}
    assert plan.startswith("My general line is aggressive")
    assert strategy in {row["text"] for row in lines(tmp_path / "w") if row["purpose"] == "convert"}
    assert set(told) >= {"plan", "convert", "code"}


def test_a_bad_writer_goes_through_every_branch(tmp_path, engine):
    found = write_strategies(
        "scripted/strategist-erratic", tmp_path / "w", engine=engine, n=8, turns=50
    ).to_dict()
    assert [name for name in OUTCOMES if not found["outcomes"][name]] == []
    assert found["attempts"] == sum(found["outcomes"].values()) == found["n"] + len(found["failures"])
    read = read_strategies([tmp_path / "w" / "scripted-strategist-erratic_default.py"])
    assert (len(read.entrants), read.failed) == (found["n"], ())
    assert all("\n" not in failure["reason"] for failure in found["failures"])
    text = (tmp_path / "w" / "scripted-strategist-erratic_default.py").read_text("utf-8")
    assert re.findall(r"^class (\w+)", text, re.MULTILINE)[1:] == [e.name for e in read.entrants]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_results_do_not_depend_on_the_order_of_answers(tmp_path):
    for name, concurrency in (("one", 1), ("many", 64)):
        write_strategies(
            *("scripted/strategist", tmp_path / name),
            **{
                "concurrency": concurrency,
                "engine": JudgingEngine("axl.Action.D"),
                "style": "prose",
                **ASKED,
            },
        )
    one, many = (
        {path.name: path.read_text("utf-8") for path in sorted((tmp_path / name).glob("*.[pc]*"))}
        for name in ("one", "many")
    )
    assert one == many


def test_the_same_call_asks_nothing_again_and_a_larger_one_goes_on(tmp_path):
    folder = tmp_path / "w"
    first = write_strategies("scripted/strategist", folder, engine=JudgingEngine(), **ASKED).to_dict()
    record, text = lines(folder), (folder / FILES[0]).read_text("utf-8")
    again = write_strategies("scripted/strategist", folder, engine=JudgingEngine(), **ASKED).to_dict()
    assert lines(folder) == record
    assert again["calls"] == len(record)
    assert (folder / FILES[0]).read_text("utf-8") == text
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
    more = write_strategies("scripted/strategist", folder, engine=JudgingEngine(), n=5, turns=50).to_dict()
    assert more["n"] == 15
    assert lines(folder)[: len(record)] == record
    assert len({row["key"] for row in lines(folder)}) == len(lines(folder))


def test_what_was_cut_short_anywhere_ends_alike(tmp_path):
    whole = write_strategies(
        "scripted/strategist-erratic", tmp_path / "w", engine=JudgingEngine("[0]"), **ASKED
    ).to_dict()
    record = (tmp_path / "w" / "exchanges.jsonl").read_bytes()
    for cut in (0, 1, len(record) // 3, len(record) // 2 + 7, len(record) - 1):
        folder = tmp_path / f"cut{cut}"
        folder.mkdir()
        (folder / "exchanges.jsonl").write_bytes(record[:cut])
        found = write_strategies(
            "scripted/strategist-erratic", folder, engine=JudgingEngine("[0]"), **ASKED
        ).to_dict()
        assert {**found, "seconds": 0, "path": ""} == {**whole, "seconds": 0, "path": ""}
        for file in ("scripted-strategist-erratic_default.py", "failures.csv", "writing.json"):
            assert (folder / file).read_bytes() == (tmp_path / "w" / file).read_bytes()


def test_other_orders_do_not_mix(tmp_path):
    folder = tmp_path / "w"
    write_strategies("scripted/strategist", folder, engine=JudgingEngine(), **ASKED)
    with pytest.raises(RunError, match=r"holds scripted-strategist_default.py with seed 0, not 1; choose"):
        write_strategies("scripted/strategist", folder, engine=JudgingEngine(), seed=1, **ASKED)
    write_strategies("scripted/strategist", folder, engine=JudgingEngine(), seed=1, style="refine", **ASKED)
    assert set(json.loads((folder / "writing.json").read_text("utf-8"))["sets"]) == {
        "scripted-strategist_default.py",
        "scripted-strategist_refine.py",
    }
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / FILES[0]).write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(RunError, match="was not written here"):
        write_strategies("scripted/strategist", tmp_path / "mine", engine=JudgingEngine(), **ASKED)


def test_nothing_that_plays_is_said_plainly(tmp_path):
    client = Answering(sequence(code=["I love games."], repair=["So much."]))
    found = write_strategies(
        client, tmp_path / "w", n=1, attempts=4, engine=JudgingEngine(), turns=10
    ).to_dict()
    assert (found["n"], found["outcomes"]["no_code"], found["sets"][0]["file"]) == (0, 12, None)
    assert found["notes"][0] == "0 of 12 attempts ran: 12 no code"
    assert "default: 0 of 1 Neutral strategies after 4 attempts (--attempts)" in found["notes"]
    assert not list((tmp_path / "w").glob("*.py"))


def test_words_and_code_of_different_models(tmp_path):
    words, code = Answering(sequence(), "python/words"), Answering(sequence(code=[FENCED]), "python/code")
    found = write_strategies(
        words, tmp_path / "w", code_model=code, n=1, engine=JudgingEngine(), turns=10
    ).to_dict()
    assert (found["model"], found["code_model"], found["n"]) == ("python/words", "python/code", 3)
    assert (set(words.purposes), set(code.purposes)) == ({"words"}, {"code"})
    assert found["cost"] == 0


def test_a_budget_ends_it_and_more_goes_on(tmp_path):
    client = Answering(sequence(code=[FENCED]), "openai/stand-in")
    how = {"n": 1, "engine": JudgingEngine(), "turns": 10, "prices": {"openai/stand-in": [1000, 1000]}}
    with pytest.raises(BudgetSpent):
        write_strategies(client, tmp_path / "w", budget=3.5, max_tokens=50, concurrency=1, **how)
    asked = len(client.purposes)
    assert 0 < asked < 6
    found = write_strategies(client, tmp_path / "w", budget=100.0, max_tokens=50, **how).to_dict()
    assert (len(client.purposes), found["n"]) == (6, 3)
    assert found["cost"] > 0


def test_replies_are_shared_by_a_cache(tmp_path):
    for name in ("one", "two"):
        cache = tmp_path / "cache.sqlite"
        how = {"cache": cache, "engine": JudgingEngine(), **ASKED}
        write_strategies("scripted/strategist", tmp_path / name, **how)
    assert {row["cached"] for row in lines(tmp_path / "two")} == {True}


def test_settings_are_the_same_for_the_same_seed(tmp_path):
    drawn = {}
    for model in ("scripted/strategist", "scripted/strategist-erratic"):
        how = {"style": "prose", "engine": JudgingEngine(), **ASKED}
        write_strategies(model, tmp_path / "w", **how)
        rows = [row for row in lines(tmp_path / "w") if row["purpose"] == "plan" and row["model"] == model]
        drawn[model] = {(r["attitude"], r["attempt"]): r["messages"][0]["content"] for r in rows}
    one, other = drawn.values()
    assert all(one[place] == other[place] for place in one.keys() & other.keys())
    assert len(set(one.values())) > 1


def test_a_dry_run_counts_what_is_asked(tmp_path):
    found = dry_run_writing("scripted/strategist", **{**GIVEN, "style": "default,prose+refine"}).to_dict()
    assert set(found) == set(JSON_OBJECTS["write_dry_run"])
    assert (found["n"], found["calls"]) == (12, 6 * 2 + 6 * 5)
    assert {row["purpose"] for row in found["prompts"]} == {
        *("words", "plan", "convert", "critique", "rewrite", "code", "repair")
    }
    assert dry_run_writing("openai/x", **GIVEN).to_dict()["cost"] is None
    assert dry_run_writing("openai/x", prices={"openai/x": [1, 2]}, **GIVEN).to_dict()["cost"] > 0


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"style": "defalt"}, UnknownNameError, "did you mean default"),
        ({"attitudes": "Agressive"}, UnknownNameError, "did you mean Aggressive"),
        ({"scenarios": "low"}, UnknownNameError, "did you mean law"),
        ({"game": "public-goods"}, UsageError, "expected a game of two players"),
        ({"game": "matching-pennies"}, UsageError, "no symmetric game with a cooperative action"),
        ({"n": 0}, UsageError, "expected 1 to 1000"),
        ({"attempts": 1}, UsageError, "expected at least the 2 strategies wanted"),
        ({"noise": 0.5}, UsageError, "expected a probability below .5"),
        ({"temperature": 3.0}, UsageError, "expected 0 to 2"),
    ],
)
def test_orders_that_cannot_be(wrong, error, said):
    with pytest.raises(error, match=said):
        dry_run_writing("scripted/strategist", **{**GIVEN, **wrong})


@pytest.mark.parametrize(
    ("model", "style", "noise", "name"),
    [
        ("openai/gpt-4o", "default", 0, "openai-gpt-4o_default.py"),
        ("openai/a b@http://host:1/v1", "prose+refine", 0.1, "openai-a-b_prose_refine_noise.py"),
        ("gguf:/models/../x.Q4.gguf", "refine", 0, "x.Q4_refine.py"),
        ("scripted/says:../../etc", "default", 0, "scripted-says-..-..-etc_default.py"),
    ],
)
def test_names_of_files(model, style, noise, name):
    assert file_name(model, style, noise) == name


def test_no_temperature_is_sent_where_none_is_wanted(tmp_path):
    client = Answering(sequence(code=[FENCED]))
    write_strategies(client, tmp_path / "w", n=1, temperature=None, engine=JudgingEngine(), turns=10)
    assert {row["sent"].get("temperature") for row in lines(tmp_path / "w")} == {None}
    assert Settings().temperature is None
