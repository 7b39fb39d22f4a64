"""From a log to figures and tables: which ones, where, and what is said of those that cannot be."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from course_logs import at_random, course_log
from play_logs import PD, log_of, match, scaled_games

from intent.base import codebook
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.games.catalogue import game
from intent.gamma.catalogue import gamma_game
from intent.logs.gamelog import GameLog
from intent.report.figure_makers import makers
from intent.report.figures import figures


@pytest.fixture(scope="module")
def log():
    return scaled_games(np.random.default_rng(3), repetitions=2)


def test_each_figure_has_its_table(log, tmp_path):
    made = figures(log, ["payoffs", "choices"], tmp_path, bootstrap=20)
    assert [f["file"] for f in made.figures] == ["payoffs.png", "choices.png"]
    table = pd.read_csv(tmp_path / "payoffs.csv")
    assert list(table.columns) == [
        "model", "language", "pairing", "scale", "n", "n_games", "estimate", "low", "high",
    ]  # fmt: skip
    assert len(table) == 2 * 2 * 3 * 3
    facts = json.loads((tmp_path / "payoffs.csv.meta.json").read_text("utf8"))
    assert (facts["figure"], facts["bootstrap"], facts["by"]) == ("payoffs", 20, ["model"])


def test_the_json_object_is_the_codebook_s(log, tmp_path):
    made = figures(log, ["radar"], tmp_path, bootstrap=20).to_dict()
    assert set(made) == set(codebook.JSON_OBJECTS["figures"])
    assert made["figures"][0] | {"outcome": "payoff", "missing": {}} == made["figures"][0]


def test_a_figure_does_not_depend_on_which_others_are_asked_for(log, tmp_path):
    figures(log, ["mismatch"], tmp_path / "one", bootstrap=20)
    figures(log, ["choices", "mismatch"], tmp_path / "two", bootstrap=20)
    assert (tmp_path / "one" / "mismatch.csv").read_text() == (tmp_path / "two" / "mismatch.csv").read_text()


def test_games_are_drawn_apart(tmp_path):
    log = log_of(match(PD, "CD", "CD"), match(game("battle-sexes"), "CD", "CD"))
    made = figures(log, ["cooperation", "choices"], tmp_path, bootstrap=20)
    assert [f["file"] for f in made.figures] == [
        "choices-battle-sexes.png",
        "choices-prisoner-dilemma.png",
        "cooperation-prisoner-dilemma.png",
    ]
    assert made.skipped == [
        {"name": "cooperation", "game": "battle-sexes", "why": "no action of the game is cooperation"}
    ]


def test_numbers_are_no_mismatch(tmp_path):
    numbers = course_log([(gamma_game("guessing", n_players=4), {})], at_random, 5, np.random.default_rng(1))
    with pytest.raises(UsageError, match="mismatch: players choose among more than two actions"):
        figures(numbers, ["mismatch"], tmp_path)


def test_a_log_without_games_has_no_figures(log, tmp_path):
    with pytest.raises(UsageError, match=r"no figure can be made of this play \(it has no games\)"):
        figures(GameLog(log.games[:0], log.seats[:0], log.moves[:0]), folder=tmp_path)


def test_several_columns_make_the_panels(log, tmp_path):
    figures(log, ["choices"], tmp_path, by="model,language", bootstrap=20)
    table = pd.read_csv(tmp_path / "choices.csv")
    assert set(table["model · language"]) == {"A · en", "A · vi", "B · en", "B · vi"}


def test_personas_of_the_user_s_own(tmp_path):
    log = log_of(match(PD, "C", "D", persona=("dove", "hawk")))
    kinds = {"dove": "cooperative", "hawk": "selfish"}
    figures(log, ["personas"], tmp_path, personas=kinds, bootstrap=20)
    assert set(pd.read_csv(tmp_path / "personas.csv")["persona"]) == {"cooperative", "selfish"}


def test_missing_and_defaulted_moves_are_told(tmp_path):
    made = figures(log_of(match(PD, "C.", "dC")), ["choices"], tmp_path, bootstrap=20)
    assert made.notes == (
        "1 of 4 moves are no move",
        "1 of 4 moves are a default in place of an unreadable reply",
    )


def test_seats_that_nobody_looks_at_are_not_drawn(tmp_path):
    log = log_of(match(PD, "CD", "DC"), match(game("stag-hunt"), "CD", "DC", model=[None, None]))
    log.seats["strategy"] = log.seats["strategy"].where(log.seats["model"].notna(), "TFT")
    made = figures(log, ["cooperation"], tmp_path, by="model", bootstrap=20)
    assert [skipped["why"] for skipped in made.skipped] == ["no choice is known"]
    log.seats["focal"] = False
    with pytest.raises(UsageError, match="no seat of 2 games is one to look at"):
        figures(log, ["cooperation"], tmp_path, bootstrap=20)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"names": ["radr"]}, UnknownNameError, "did you mean radar"),
        ({"by": "modle"}, UnknownNameError, "did you mean model"),
        ({"stakes": "scales"}, UnknownNameError, "did you mean scale"),
        ({"image": "gif"}, UnknownNameError, "gif"),
        ({"outcome": "regret"}, UnknownNameError, "regret"),
        ({"level": 95}, UsageError, "--level 95"),
        ({"bootstrap": 0}, UsageError, "--bootstrap 0"),
        ({"where": {"model": ["C"]}}, UsageError, "no game left"),
        ({"names": ["contributors"]}, UsageError, "the game has two players"),
    ],
)
def test_what_cannot_be(log, tmp_path, given, error, message):
    with pytest.raises(error, match=message):
        figures(log, folder=tmp_path, **given)


def test_nothing_is_written_over(log, tmp_path):
    figures(log, ["choices"], tmp_path, bootstrap=20)
    with pytest.raises(OutputError, match="choices"):
        figures(log, ["choices"], tmp_path, bootstrap=20)
    figures(log, ["choices"], tmp_path, bootstrap=20, overwrite=True)


def test_all_figures_have_a_maker_of_that_name():
    assert list(makers()) == [
        "payoffs",
        "choices",
        "cooperation",
        "contributors",
        "mismatch",
        "personas",
        "radar",
        "portraits",
    ]
