"""Coins beside the labels of a library, and strategies of chance by their likelihood."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from intent import compare, generate
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.view.game_page import game_values
from intent.view.judging import fit_sentence, reason
from intent.view.library import open_library
from intent.view.list_page import list_values
from intent.view.query import PageState, Query


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_log(generate(n=60, rounds=8, eps=0.1, seed=2), tmp_path_factory.mktemp("log") / "log")


def test_coins_are_those_of_intent_label(path, tmp_path):
    expected = label_log(path).summary["coin"]
    with open_library(path, background=False) as library:
        facts = library.facts()
        assert facts.coin == expected
        page = list_values(facts, library.columns(), library.page(Query()), PageState(Query(), ()))
        assert f"{expected['confident']:.1%} confident" in page["coins"]
        assert not list_values(
            replace(facts, coin={"confident": "x"}), [], library.page(Query()), PageState(Query(), ())
        )["coins"]
    labels = label_log(path).write(tmp_path / "labels.parquet")
    with open_library(labels, background=False) as library:
        assert library.facts().coin == expected


def test_a_strategy_of_chance_fits_no_move_but_has_a_likelihood(path):
    with open_library(path, background=False) as library:
        facts = library.facts()
        game = library.game(library.page(Query()).rows[0]["game_id"])
        values = game_values(facts, game, PageState(Query(), ()), (None, None), "")
        panel = next(p for p in values["panels"] if p.strategies)
    shown = {one.name: one for one in (*panel.strategies, *panel.further)}
    assert not shown["RANDOM"].consistent
    assert shown["RANDOM"].per_move == pytest.approx(0.5)
    assert shown["RANDOM"].log_likelihood == pytest.approx(8 * math.log(0.5))
    assert shown["ALLC"].per_move is None


def test_words_for_play_that_a_coin_explains_best():
    label = {"status": "no_fit", "best": "RANDOM", "confidence": 0.97, "n_rounds": 10, "n_deviations": 0}
    assert reason(label) == (
        "No label: a coin explains these moves best (RANDOM: posterior probability 0.97, 0.50 per move, "
        "log-likelihood -6.93)."
    )
    assert fit_sentence(label) == "No strategy of the set makes all these moves without noise."


def test_labels_without_random_are_compared_with_a_note(path, tmp_path):
    labels = label_log(path, background=False).write(tmp_path / "labels.parquet")
    few = {"bootstrap": 20, "permutations": 9}
    assert any("made without RANDOM" in note for note in compare(labels, "strategy", **few).notes)
    fresh = label_log(path).write(tmp_path / "fresh.parquet")
    assert not any("made without RANDOM" in note for note in compare(fresh, "strategy", **few).notes)
