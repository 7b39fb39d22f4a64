"""A benchmark file, and changes from the command line."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError
from intent.gamma.bench.benchmark import load_benchmark


def test_values_that_are_left_out_stay_those_of_the_paper():
    benchmark = load_benchmark({"settings": {"max_tokens": 9}, "reply": {"retries": 1}})
    assert (benchmark.settings.temperature, benchmark.settings.max_tokens) == (1, 9)
    assert (benchmark.reply.retries, benchmark.reply.remind, benchmark.reply.then) == (1, False, "missing")


def test_a_value_from_outside_ends_a_factor_and_a_list_begins_one():
    file = {"sweep": {"temperature": [0, 1], "version": ["v1", "v2"]}}
    changed = load_benchmark(file, temperature=0.5, language=["en", "fr"])
    assert changed.sweep == {"version": ["v1", "v2"]}
    assert changed.grid == {"language": ["en", "fr"]}
    assert changed.settings.temperature == 0.5


def test_games_from_outside_keep_their_parameters():
    file = {"games": {"bar": {"mode": "explicit"}, "diner": None}}
    assert load_benchmark(file, games=["bar"]).games == {"bar": {"mode": "explicit"}}
    assert load_benchmark(games=["pirate"]).games == {"pirate": {}}


def test_set_lays_over_any_key():
    changed = load_benchmark(
        set=["settings.seeded=true", "sweep.version=[v1, v3]", "games.bar.ratio=20%", "reply.retries=0"]
    )
    assert changed.settings.seeded
    assert changed.sweep == {"version": ["v1", "v3"]}
    assert changed.games["bar"] == {"ratio": "20%"}
    assert changed.reply.retries == 0


def test_a_file_includes_others_and_an_error_says_its_line(tmp_path):
    (tmp_path / "base.yaml").write_text("games: [bar]\nsweep:\n  version: [v1, v2]\n")
    file = tmp_path / "mine.yaml"
    file.write_text("include: [base.yaml]\nsweep:\n  temperature: [0, 1]\n")
    assert load_benchmark(file).sweep == {
        "version": ["v1", "v2"],
        "settings.temperature": [0, 1],
    }
    assert load_benchmark(file).name == "mine"
    file.write_text("include: [base.yaml]\ngames:\n  bar:\n    ratio: -1\n")
    with pytest.raises(DataError, match=r"^mine.yaml line 3: bar: ratio '-1'"):
        load_benchmark(file)
    file.write_text("rounds: 0\n")
    with pytest.raises(DataError, match=r"^mine.yaml line 1: rounds is '0'"):
        load_benchmark(file)


def test_a_benchmark_is_what_its_saved_values_make():
    one = load_benchmark(
        {"models": "a/b", "sweep": {"parameters": "paper"}, "table": {"model": 2, "human": "rest"}}
    )
    saved = type(one).model_validate(one.model_dump(mode="json"))
    assert saved == one
    assert load_benchmark(one) == one
