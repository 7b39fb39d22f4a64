"""The job `predict`: what explains how much, types, simulated play, in words, tables and figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import intent
from intent.base.errors import UnknownNameError, UsageError
from intent.base.outputs import json_values
from intent.cli.app import run
from intent.estimate.choice.checks import _streaks, predictive_checks, simulate
from intent.estimate.choice.choices import COOPERATION, Choices, choices_of_log
from intent.estimate.choice.model import ChoiceModel, ChoiceType
from intent.estimate.choice.portraits import portraits
from intent.estimate.choice.prediction import DEFAULTS, WITH_COVARIATES
from intent.logs.gamelog import GameLog
from intent.strategies.catalogue import catalogue, strategy


class Copycat(ChoiceModel):
    """Does what the other did last; the first move by coin."""

    def __init__(self, slip: float = 0.0) -> None:
        self.slip = slip

    def _estimate(self, X: Choices) -> None:
        pass

    def _predicted(self, X: Choices) -> np.ndarray:
        p = np.full(X.shape, 0.5)
        p[:, 1:] = np.where(X.other[:, :-1] == 1, 1 - self.slip, self.slip)
        return p

    def types(self) -> tuple[ChoiceType, ...]:
        """Two of them."""
        return ChoiceType("one", 0.4, 0.1, strategy("ALLD")), ChoiceType("two", 0.6, None, strategy("TFT"))

    def memberships(self, X: Any) -> np.ndarray:
        """All of the second."""
        return np.tile([0.0, 1.0], (len(X), 1))


def play(n: int = 40, rounds: int = 8, seed: int = 0, slip: float = 0.1) -> Choices:
    """Copycats who slip, against coins; rows without a partner."""
    rng = np.random.default_rng(seed)
    other = rng.integers(0, 2, (n, rounds)).astype(np.int8)
    own = np.c_[rng.integers(0, 2, n), other[:, :-1]].astype(np.int8)
    own = np.where(rng.random(own.shape) < slip, 1 - own, own).astype(np.int8)
    return Choices(own, other, own, COOPERATION, np.arange(n))


def test_simulated_play_answers_the_others_moves_as_they_were():
    X = play()
    model = Copycat().fit(X)
    own, other = simulate(model, X, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(other, X.other)
    np.testing.assert_array_equal(own[:, 1:], X.other[:, :-1])


def test_both_seats_are_simulated_together():
    X = play()
    partner = np.arange(40).reshape(-1, 2)[:, ::-1].reshape(-1)
    own, other = simulate(Copycat().fit(X), X, partner=partner, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(own[partner], other)
    np.testing.assert_array_equal(own[:, 1:], other[:, :-1])


def test_moves_that_nobody_decided_stay_as_they_are():
    X = play()
    own = X.own.copy()
    own[:, 3] = -1
    X = replace(X, own=own, chosen=own)
    simulated, _ = simulate(Copycat().fit(X), X, rng=np.random.default_rng(0))
    assert (simulated[:, 3] == -1).all()


def test_later_games_follow_the_earlier_ones_as_simulated():
    class First(Copycat):
        """Repeats what it did in the first round of its first game."""

        def _predicted(self, X: Choices) -> np.ndarray:
            first = X.before(np.where(X.counted[:, :1], X.own[:, :1], 0).astype(float))[:, 0]
            p = np.where(first > 0, 1.0, 0.0)[:, None].repeat(X.shape[1], axis=1)
            p[X.before(np.ones(len(X))) == 0] = 0.5
            return p

    X = replace(play(), subject=np.arange(40) // 2)
    own, _ = simulate(First().fit(X), X, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(own[1::2].min(1), own[::2, 0])
    np.testing.assert_array_equal(own[1::2].max(1), own[::2, 0])


def test_streaks_by_hand():
    own = np.array([[1, 1, 0, 0, 0], [1, -1, 1, 0, 1]], dtype=np.int8)
    lengths, copies = _streaks(own, own >= 0, np.array([0, 1]))
    assert lengths.tolist() == [2, 3, 1, 1, 1, 1]
    assert copies.tolist() == [0, 0, 1, 1, 1, 1]


def test_a_true_model_passes_its_checks_and_a_wrong_one_does_not():
    X = play(200, slip=0.1)
    rng = np.random.default_rng(0)
    true = predictive_checks(Copycat(0.1).fit(X), X, samples=60, rng=rng)
    wrong = predictive_checks(Copycat(0.35).fit(X), X, samples=60, rng=rng)
    assert sum(check.outside for check in true) <= 4
    assert {check.name for check in wrong if check.kind == "after" and check.outside} == {
        "CC",
        "CD",
        "DC",
        "DD",
    }
    after = {check.name: check for check in true if check.kind == "after"}
    last = (X.own[:, :-1] == 1) & (X.other[:, :-1] == 0)
    assert after["CD"].observed == pytest.approx(X.own[:, 1:][last].mean())
    assert after["CD"].expected == pytest.approx(0.1, abs=0.03)
    assert after["CD"].n == last.sum()


def test_a_portrait_is_what_the_type_does_where_it_plays():
    X = play()
    two, one = portraits(Copycat().fit(X), X, catalogue())
    assert (two.name, two.share, two.se, two.first) == ("two", 0.6, None, 1.0)
    assert two.after == (1, 0, 1, 0)
    assert two.after_two == (1, 0, 1, 0) * 4
    assert two.nearest[0].strategy == "TFT"
    assert two.nearest[0].distance == 0
    assert one.moves == 0
    assert one.after == (None,) * 4


@pytest.fixture(scope="module")
def log() -> Any:
    """Games of four strategies, simulated, with a column that says who plays."""
    return intent.generate("ALLC,ALLD,TFT,WSLS", 40, rounds=8, seed=1)


@pytest.fixture(scope="module")
def result(log: Any) -> Any:
    """A small comparison."""
    return intent.predict(
        log,
        models=["round-rate", "automata:canonical4", "memory-one:3"],
        covariates="strategy",
        ceiling="none",
        folds=3,
        stack=True,
        checks=20,
        by="strategy",
    )


def test_every_model_has_a_row_and_the_base_rate_is_there(result):
    names = [row.name for row in result.rows]
    assert names == ["base-rate", "round-rate", "automata:canonical4", "memory-one:3", "stack", "chosen"]
    assert result.best in ("automata:canonical4", "memory-one:3")
    assert result.row("chosen").loss.estimate <= result.row("round-rate").loss.estimate
    assert all(row.loss.low < row.loss.estimate < row.loss.high for row in result.rows)
    assert sum(result.weights.values()) == pytest.approx(1)


def test_the_json_object_is_plain_and_says_that_there_is_no_share(result):
    values = json.loads(json.dumps(json_values(dict(result.fields()))))
    assert values["ceiling"] is None
    assert {row["explained"] for row in values["models"]} == {None}
    assert "--ceiling trees" in " ".join(values["notes"])
    assert values["models"][0]["parameters"][0]["unit"] == "probability"


def test_groups_are_scored_apart(result):
    row = result.row("base-rate")
    assert [group.values for group in row.groups] == [("ALLC",), ("ALLD",), ("TFT",), ("WSLS",)]
    n = sum(group.n_moves for group in row.groups)
    total = sum(group.n_moves * group.loss.estimate for group in row.groups)
    assert n == result.n_moves
    assert total / n == pytest.approx(row.loss.estimate)


def test_the_table_has_a_row_for_each_model_and_group(result):
    table = result.table()
    assert len(table) == 6 * 4
    assert {"model", "strategy", "log_loss", "explained", "n_parameters"} <= set(table.columns)


def test_figures_are_drawn(result, tmp_path: Path):
    paths = result.write_figures(tmp_path)
    assert [path.name for path in paths] == ["losses.png", "rounds.png", "types.png", "checks.png"]
    assert all(path.stat().st_size > 10_000 for path in paths)


def test_a_log_whose_design_is_not_used_says_what_could_be_named(log):
    described = GameLog(log.games.assign(language=["en", "fr"] * 20), log.seats, log.moves)
    small: Any = {"models": "round-rate", "ceiling": "none", "folds": 2, "checks": 0}
    notes = intent.predict(described, **small).notes
    assert any("--covariates language" in note for note in notes)
    assert not any("--covariates" in note for note in intent.predict(log, **small).notes)


def test_what_cannot_be_is_one_line(log):
    with pytest.raises(UnknownNameError, match="memory-one"):
        intent.predict(log, models="memory-on", ceiling="none")
    with pytest.raises(UnknownNameError, match="covariate"):
        intent.predict(log, covariates="moodel", ceiling="none")
    with pytest.raises(UsageError, match="named twice"):
        intent.predict(log, covariates="strategy,strategy", ceiling="none")


def test_a_flexible_model_is_the_ceiling_and_explains_all(log):
    result = intent.predict(log, models="memory-one:2", ceiling="trees", folds=2, checks=0)
    assert result.ceiling == "trees"
    assert result.row("trees").explained.estimate == pytest.approx(1)
    assert result.row("base-rate").explained.estimate == pytest.approx(0)
    assert "explains" in result.sentences()[0]


def test_a_model_without_a_result_has_a_row_that_says_why(log):
    result = intent.predict(log, models="setting-rate,attraction", ceiling="none", folds=2, checks=0)
    for row in result.rows:
        assert row.scored or row.notes


def test_defaults_are_names_of_models():
    from intent.estimate.choice.model import make_model

    for name in {*DEFAULTS, *WITH_COVARIATES}:
        make_model(name.removesuffix("@none"))


def test_the_command(log, tmp_path: Path, capsys):
    from intent.logs.stores import write_jsonl

    path = tmp_path / "log.jsonl"
    write_jsonl(log, path)
    words = ["predict", str(path), "--models", "round-rate,memory-one:2", "--ceiling", "none", "--folds", "2"]
    with pytest.raises(SystemExit) as end:
        run([*words, "--json", "-o", str(tmp_path / "rows.csv"), "--keep", str(tmp_path / "fits")])
    assert not end.value.code
    values = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in values["models"]] == ["base-rate", "round-rate", "memory-one:2"]
    assert len(pd.read_csv(tmp_path / "rows.csv")) == 3


def test_games_of_three_actions():
    rng = np.random.default_rng(0)
    rows = [
        {"game_id": f"{g}", "round": t + 1, "step": 1, "seat": s, "action": "rps"[rng.integers(3)]}
        for g in range(12)
        for t in range(4)
        for s in (1, 2)
    ]
    moves = pd.DataFrame(rows).assign(status="ok")
    seats = moves[["game_id", "seat"]].drop_duplicates().assign(focal=True)
    games = seats[["game_id"]].drop_duplicates().assign(n_players=2, rounds_played=4, repetition=1)
    log = GameLog(games, seats, moves)
    assert choices_of_log(log).n_actions == 3
    result = intent.predict(log, models="round-rate,automata", ceiling="none", folds=2, checks=5)
    assert "two actions" in result.row("automata").notes[0]
    assert {check.kind for check in result.checks} == {"round", "after", "streak"}


def test_a_star_says_that_p_is_small_and_a_width_of_zero_is_no_interval():
    from intent.base.statistics import Interval
    from intent.estimate.choice.checks import Check
    from intent.estimate.choice.explained import _between, _error

    check = Check("round", "10", 1000, 0.538, 0.563, 0.539, 0.594, 0.059)
    assert not check.outside
    assert Check("round", "10", 1000, 0.538, 0.563, 0.539, 0.594, 0.05).outside
    assert _between(Interval(1.0, 1.0, 1.0), "{:.1%}") == "–"
    assert [_error(se) for se in (None, 2e-16, 0.021)] == ["", "", " ± 2.1%"]
