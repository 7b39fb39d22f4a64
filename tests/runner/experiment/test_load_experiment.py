"""Experiment files: includes, changes, errors that say where."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError, UsageError
from intent.runner.experiment.file import After, Experiment, load_experiment

BASE = {"model": "local/a", "rounds": 3}


@pytest.fixture
def write(tmp_path):
    def file(name: str, text: str):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return file


def test_a_file_in_full(write):
    path = write(
        "scaling.yaml",
        """
game: prisoner-dilemma
lambda: 0.1
persona: cooperative
temperature: 0.7
grid:
  model: [local/a, local/b]
  language: [en, vi]
repetitions: 2
prices: {local/a: [2.5, 10]}
limits: {local: {requests_per_minute: 60}}
""",
    )
    found = load_experiment(path)
    assert (found.name, found.scale, found.personas) == ("scaling", 0.1, "cooperative")
    assert found.settings.temperature == 0.7
    assert found.prices["local/a"].completion == 10
    assert len(found.plans()) == 8


def test_later_files_win(write):
    write(
        "shared/base.yaml",
        "rounds: 10\nsettings: {temperature: 1, max_tokens: 5}\ngrid: {language: [en, fr]}\n",
    )
    path = write(
        "x.yaml", "include: [shared/base.yaml]\nmodel: local/a\nsettings: {temperature: 0}\nlanguage: vi\n"
    )
    found = load_experiment(path)
    assert (found.rounds, found.settings.temperature, found.settings.max_tokens) == (10, 0, 5)
    assert (found.language, found.grid) == ("vi", {})


def test_files_that_include_one_another(write):
    write("a.yaml", "include: b.yaml\n")
    path = write("b.yaml", "include: a.yaml\n")
    with pytest.raises(DataError, match=r"files that include one another \(b.yaml -> a.yaml -> b.yaml\)"):
        load_experiment(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model: a/b\nlangauge: en\n", "x.yaml line 2: unknown key 'langauge'; did you mean language?"),
        (
            "settings:\n  temprature: 1\n",
            "x.yaml line 2: unknown key 'settings.temprature'; did you mean temperature?",
        ),
        (
            "model: [a/b, c/d]\n",
            r"x.yaml line 1: model is \['a/b', 'c/d'\], expected one value; several make",
        ),
        ("lambda: [1, 2]\n", r"x.yaml line 1: lambda is \[1, 2\], expected one value"),
        ("prices: {a: 3}\n", "x.yaml line 1: prices.a is '3': expected a mapping"),
        ("horizon: maybe\n", "x.yaml line 1: horizon is 'maybe': expected 'known' or 'unknown'"),
        ("rounds: many\n", "x.yaml line 1: rounds is 'many'"),
        ("grid:\n  modle: [a]\n", "x.yaml line 2: unknown factor 'modle'; did you mean model?"),
        ("grid:\n  model: []\n", "x.yaml line 2: model has no levels"),
        ("grid:\n  language: [en, en]\n", "x.yaml line 2: language lists a level twice"),
        ("lambda: 1\nscale: 2\n", "x.yaml: lambda and scale are the same"),
        ("include: ../x.txt\n", r"x.yaml line 1: include '../x.txt', expected a .yaml file"),
        ("include: [y.yaml]\n", "no such file: .*y.yaml"),
        ("prices: {a: [1]}\n", "x.yaml line 1: prices.a.completion"),
    ],
)
def test_errors_say_where(write, text, message):
    with pytest.raises(DataError, match=message):
        load_experiment(write("x.yaml", text))


@pytest.mark.parametrize(
    ("item", "key", "value"),
    [
        ("rounds=5", "rounds", 5),
        ("temperature=0", "settings", {"temperature": 0.0}),
        ("settings.max_tokens=9", "settings", {"max_tokens": 9}),
        ("grid.model=[a/b, c/d]", "grid", {"model": ["a/b", "c/d"]}),
        ("language=[en, fr]", "grid", {"language": ["en", "fr"]}),
        ("personas=[cooperative, selfish]", "personas", ("cooperative", "selfish")),
    ],
)
def test_keys_set_on_the_command_line(item, key, value):
    found = load_experiment(BASE, set=[item]).model_dump(exclude_unset=True)
    assert found[key] == value


def test_a_key_that_is_set_ends_its_factor():
    found = load_experiment(
        {**BASE, "grid": {"language": ["en", "fr"], "temperature": [0, 1]}}, set=["temperature=1"]
    )
    assert found.grid == {"language": ["en", "fr"]}
    assert load_experiment(found, set=["grid.language=null"]).grid == {}


def test_a_named_level_is_dropped():
    grid = {"stakes": {"low": {"lambda": 1}, "x_2.9": {"lambda": 10}}, "language": ["en"]}
    assert load_experiment({**BASE, "grid": grid}, set=["grid.stakes.x_2.9=null"]).grid == {
        "stakes": {"low": {"lambda": 1}},
        "language": ["en"],
    }
    with pytest.raises(DataError, match=r"grid\.stakes: unknown level 'lwo'; did you mean low"):
        load_experiment({**BASE, "grid": grid}, set=["grid.stakes.lwo=null"])


def test_null_is_none_of_it():
    full = {**BASE, "grid": {"language": ["en"]}, "after": {"label": {}}, "questions": "all"}
    found = load_experiment(full, set=["questions=null", "options=null", "grid=null", "after=null"])
    assert (found.questions, found.options, found.grid, found.after) == ((), {}, {}, After())
    assert load_experiment(full, set=["grid=null"], models=["scripted/first"]).model == "scripted/first"


@pytest.mark.parametrize(
    ("item", "error", "message"),
    [
        ("rounds", UsageError, "--set 'rounds', expected KEY=VALUE"),
        ("runds=3", DataError, "unknown key 'runds'; did you mean rounds"),
        ("rounds=[", UsageError, "--set rounds"),
        ("rounds.x=1", DataError, "rounds is .*expected a whole number"),
    ],
)
def test_settings_that_cannot_be(item, error, message):
    with pytest.raises(error, match=message):
        load_experiment(BASE, set=[item])


@pytest.mark.parametrize(
    ("values", "models", "players"),
    [
        ({"model": "a/b"}, ["c/d"], [("c/d", "c/d")]),
        ({"grid": {"model": ["a/b", "e/f"]}}, ["c/d"], [("c/d", "c/d")]),
        ({"model": "a/b"}, ["c/d", "e/f"], [("c/d", "c/d"), ("e/f", "e/f")]),
        ({"model": "a/b", "opponent": "scripted/TFT"}, ["c/d"], [("c/d", "scripted/TFT")]),
        ({"players": ["a/b", "scripted/TFT"]}, ["c/d"], [("c/d", "scripted/TFT")]),
        ({"model": "a/b", "pairs": "all"}, ["c/d", "e/f"], [("c/d", "c/d"), ("c/d", "e/f"), ("e/f", "e/f")]),
        ({"grid": {"players": {"different": ["a/b", "scripted/TFT"]}}}, ["c/d"], [("c/d", "scripted/TFT")]),
        ({"grid": {"players": [["a/b", "a/b"], ["x/y", "x/y"]]}}, ["c/d"], [("c/d", "c/d")]),
    ],
)
def test_other_models(values, models, players):
    plans = load_experiment(values, models=models).plans()
    assert [tuple(seat.player for seat in plan.seats) for plan in plans] == players


def test_names_are_mapped():
    found = load_experiment(
        {"grid": {"model": ["Gemini", "GPT"]}}, map_models={"Gemini": "openai/g@http://x/v1"}
    )
    assert found.grid["model"] == ["openai/g@http://x/v1", "GPT"]
    with pytest.raises(UsageError, match="--map-model Claude: no player"):
        load_experiment(found, map_models={"Claude": "a/b"})


def test_an_experiment_survives_json():
    found = load_experiment({**BASE, "grid": {"lambda": [0.1, 1], "persona": {"unordered": ["a", "b"]}}})
    again = Experiment.model_validate(found.model_dump(mode="json"))
    assert again == found
    assert again.plans() == found.plans()


def test_a_game_that_is_none_is_named_with_its_line(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("name: x\ngame: prisoner-dilema\nmodel: scripted/TFT\n")
    with pytest.raises(DataError, match=r"x.yaml line 2: unknown game .*did you mean prisoner-dilemma"):
        load_experiment(path)
