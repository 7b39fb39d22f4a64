"""Automata as a model of choice: the mixture of `sfem`, paths summed one by one, planted numbers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.estimate.choice.automata import Automata, default_automata
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.membership import cooperation
from intent.estimate.choice.model import make_model, moves_made
from intent.estimate.choice.subjects import Drifting, Kept
from intent.estimate.counts import count_play
from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import Strategy, strategy
from intent.strategies.likelihood import filtered_cooperation, log_likelihood

SET = ("TFT", "ALLD", "WSLS")


def drifting_play(
    n: int,
    rounds: int,
    hazard: float,
    tremble: float,
    seed: int,
    games: int = 1,
    shares: tuple[float, ...] = (),
) -> Choices:
    """Subjects who draw one of `SET` and RANDOM, and draw anew with the hazard before each later move."""
    rng = np.random.default_rng(seed)
    players = [*map(strategy, SET), strategy("RANDOM")]
    weights = shares or (0.3, 0.3, 0.2, 0.2)
    own = np.empty((n * games, rounds), dtype=np.int8)
    other = rng.integers(0, 2, own.shape).astype(np.int8)
    kind = rng.choice(4, n, p=weights)
    for g in range(games):
        rows = np.arange(n) * games + g
        states = np.array([[s.start for s in players]] * n)
        for t in range(rounds):
            if g or t:
                anew = rng.random(n) < hazard
                kind = np.where(anew, rng.choice(4, n, p=weights), kind)
            p = np.array([players[k].p_cooperate[states[i, k]] for i, k in enumerate(kind)])
            own[rows, t] = rng.random(n) < p + tremble * (1 - 2 * p)
            for k, s in enumerate(players):
                codes = 3 - 2 * own[rows, t] - other[rows, t]
                states[:, k] = [s.next_state[state][o] for state, o in zip(states[:, k], codes, strict=True)]
    return Choices(own, other, own.copy(), ("defect", "cooperate"), np.arange(n * games) // games)


def gappy(n: int = 40, rounds: int = 6, seed: int = 0) -> Choices:
    """Two games each, moves and decisions missing, some decided otherwise than played, covariates."""
    rng = np.random.default_rng(seed)
    own, other = rng.integers(0, 2, (2, n, rounds)).astype(np.int8)
    chosen = np.where(rng.random(own.shape) < 0.1, 1 - own, own).astype(np.int8)
    own = np.where(rng.random(own.shape) < 0.05, -1, own).astype(np.int8)
    chosen[(own < 0) | (rng.random(own.shape) < 0.1)] = -1
    frame = pd.DataFrame({"model": np.where(rng.random(n) < 0.5, "a", "b"), "size": rng.random(n)})
    return Choices(own, other, chosen, ("defect", "cooperate"), np.arange(n) // 2, frame)


@pytest.mark.parametrize("tremble", ["pooled", "strategy"])
@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_shares_and_tremble_are_those_of_sfem(tremble: str, memory: str) -> None:
    X = gappy(300)
    players = tuple(strategy(name).with_memory(memory) for name in (*SET, "GTFT", "RANDOM"))  # type: ignore[arg-type]
    model = Automata(players, tremble=tremble).fit(X)  # type: ignore[arg-type]
    play = Trajectories(X.own, X.other, decided=X.chosen, evidence=X.counted)
    kind = "strategy" if tremble == "strategy" else "common"
    fit = estimate(play, X.subject, players, tremble=kind).groups[0][1]
    np.testing.assert_allclose(model.shares_, [s.estimate for s in fit.shares], atol=1e-6)
    trembles = np.array([t.estimate for t in fit.tremble])
    known = ~np.isnan(trembles)
    np.testing.assert_allclose(model.tremble_[known], trembles[known], atol=1e-6)
    assert model.log_likelihood_ == pytest.approx(fit.log_likelihood, abs=1e-6)
    errors = {r.of: r.se for r in model.parameters() if r.name == "share"}
    for s, share in zip(players, fit.shares, strict=True):
        if share.se is not None and errors[s.name] is not None:
            assert errors[s.name] == pytest.approx(share.se, rel=1e-6)


@pytest.mark.parametrize("name", ["TFT", "GTFT", "GRIM2", "EXTORT2"])
@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_filtered_moves_multiply_to_the_likelihood(name: str, memory: str) -> None:
    X, s = gappy(60, seed=2), strategy(name).with_memory(memory)  # type: ignore[arg-type]
    q = filtered_cooperation(X.own, X.other, X.counted, s, 0.07, X.chosen)
    made = np.where(X.counted, np.where(X.chosen == 1, q, 1 - q), 1.0)
    exact = log_likelihood(X.own, X.other, X.counted, [s], 0.07, decided=X.chosen)[:, 0]
    np.testing.assert_allclose(np.log(made).sum(1), exact, atol=1e-9)


def test_predictions_multiply_to_the_likelihood_of_the_mixture() -> None:
    X = gappy(200, seed=3)
    model = Automata(SET).fit(X)
    assert np.log(moves_made(model.next_move(X), X)).sum() == pytest.approx(model.log_likelihood_, abs=1e-6)


def test_an_implementation_error_is_one_flip_more() -> None:
    play = drifting_play(20, 5, 0.0, 0.1, 4)
    X = Choices(
        play.own, play.other, play.chosen, play.actions, play.subject,
        implementation_error=np.repeat([0.0, 0.25], 10),
    )  # fmt: skip
    q = cooperation(X, (strategy("ALLC"),), np.full((20, 1), 0.1))
    assert q[0, 0, 0] == pytest.approx(0.9)
    assert q[-1, 0, 0] == pytest.approx(0.9 * 0.75 + 0.1 * 0.25)


def test_all_paths_of_types_summed_one_by_one() -> None:
    X = drifting_play(4, 3, 0.4, 0.2, 5, games=2)
    model = Automata(SET, drifting=True).fit(drifting_play(60, 4, 0.3, 0.1, 6))
    q = cooperation(X, model.strategies_, np.full((len(X), 4), model.tremble_[0]))
    p = np.where((X.chosen == 1)[..., None], q, 1 - q)
    shares, h = np.exp(model.log_shares(X)[0]), model.hazard_
    predicted = moves_made(model.next_move(X), X)
    for subject in range(4):
        moves = p[X.subject == subject].reshape(6, 4)
        total = 0.0
        for path in product(range(4), repeat=6):
            weight = shares[path[0]] * moves[0, path[0]]
            for t in range(1, 6):
                stays = (1 - h) * (path[t] == path[t - 1])
                weight *= (stays + h * shares[path[t]]) * moves[t, path[t]]
            total += weight
        assert predicted[X.subject == subject].prod() == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("drifting", [False, True])
@pytest.mark.parametrize("tremble", ["pooled", "strategy"])
def test_slopes_are_finite_differences(drifting: bool, tremble: str) -> None:
    X = gappy(seed=7)
    model = Automata((*SET, "GTFT"), drifting=drifting, acts="both", tremble=tremble).fit(X)  # type: ignore[arg-type]
    codes = X.subject.astype(np.intp)
    if drifting:
        objective: Drifting | Kept = Drifting.of(X, model.strategies_, model.design_)
    else:
        play = Trajectories(X.own, X.other, decided=X.chosen, evidence=X.counted)
        objective = Kept.of(X, count_play(play, codes, model.strategies_), codes, model.design_)
    theta = model._theta()
    theta = theta + np.random.default_rng(0).normal(0, 0.3, len(theta))
    value, slope = objective.slopes(model._at(theta))
    steps = 1e-5 * np.eye(len(theta))
    rise = [
        objective.slopes(model._at(theta + d))[0] - objective.slopes(model._at(theta - d))[0] for d in steps
    ]
    np.testing.assert_allclose(slope, np.array(rise) / 2e-5, atol=1e-5)
    at = model._at(theta)
    model.constants_, model.membership_, model.hazard_ = at.constants, at.membership, at.hazard
    model.log_odds_, model.response_ = at.log_odds, at.response
    if not drifting:  # who drifts has the covariates of each game, and may have no move in its first
        assert np.log(moves_made(model.next_move(X), X)).sum() == pytest.approx(value)


def test_without_a_hazard_drifting_is_the_plain_mixture() -> None:
    X = drifting_play(300, 8, 0.0, 0.1, 8)
    plain, drifting = Automata(SET).fit(X), Automata(SET, drifting=True).fit(X)
    assert drifting.hazard_ < 0.01
    np.testing.assert_allclose(drifting.shares_, plain.shares_, atol=0.03)


def test_groups_of_their_own_equal_separate_fits() -> None:
    X = drifting_play(400, 8, 0.0, 0.1, 9)
    sloppy = drifting_play(400, 8, 0.0, 0.25, 10, shares=(0.1, 0.6, 0.2, 0.1))
    frame = pd.DataFrame({"model": ["a"] * 400 + ["b"] * 400})
    both = Choices(
        np.vstack([X.own, sloppy.own]), np.vstack([X.other, sloppy.other]),
        np.vstack([X.own, sloppy.own]), X.actions, np.arange(800), frame,
    )  # fmt: skip
    joint = Automata(SET, acts="both", crossed=True, ridge=0.0).fit(both)
    parts = [Automata(SET).fit(X), Automata(SET).fit(sloppy)]
    for rows, part in zip((slice(0, 400), slice(400, 800)), parts, strict=True):
        np.testing.assert_allclose(np.exp(joint.log_shares(both)[rows][0]), part.shares_, atol=0.01)
        np.testing.assert_allclose(joint.next_move(both[rows]), part.next_move(both[rows]), atol=0.02)
    total = sum(part.log_likelihood_ for part in parts)
    assert joint.log_likelihood_ == pytest.approx(total, abs=0.5)


def test_a_type_carries_over_to_the_next_game_and_its_automaton_begins_anew() -> None:
    never = Strategy("NEVER", (0.0,), ((0, 0, 0, 0),))
    X = Choices.of_trajectories(
        Trajectories.from_strings(["DDDDDD", "CCCC"], ["CCCCCC", "CDCC"]), subject=[0, 0]
    )
    model = Automata(("TFT", never)).fit(drifting_play(100, 6, 0.0, 0.05, 11))
    p = model.next_move(X)[..., 1]
    assert p[1, 0] < p[0, 0]


def test_the_set_that_no_option_names() -> None:
    names = [s.name for s in default_automata()]
    assert len(names) == 23
    assert names[-1] == "RANDOM"
    assert "GTFT" not in names


def test_a_set_as_names_as_strategies_or_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("strategies:\n- TFT\n- name: MINE\n  memory_one: [1, 1, 0, 0.5, 0]\n")
    X = drifting_play(40, 4, 0.0, 0.1, 12)
    assert make_model("automata:TFT,ALLD").fit(X).types()[-1].name == "RANDOM"
    assert [t.name for t in Automata(file).fit(X).types()] == ["TFT", "MINE", "RANDOM"]
    assert [t.name for t in Automata([strategy("TFT"), "ALLC"]).fit(X).types()] == ["TFT", "ALLC", "RANDOM"]


def test_settings_that_cannot_be_are_one_line() -> None:
    X = drifting_play(10, 3, 0.0, 0.1, 13)
    with pytest.raises(UsageError, match="tremble is 'each', expected pooled, strategy"):
        Automata(SET, tremble="each").fit(X)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="ridge is -1"):
        Automata(SET, ridge=-1).fit(X)


def test_a_covariate_that_separates_is_noted() -> None:
    n = 200
    own = np.repeat([[1] * 8, [0] * 8], n, axis=0).astype(np.int8)
    other = np.random.default_rng(0).integers(0, 2, own.shape).astype(np.int8)
    frame = pd.DataFrame({"model": ["a"] * n + ["b"] * n})
    X = Choices(own, other, own, ("defect", "cooperate"), np.arange(2 * n), frame)
    model = Automata(("ALLC", "ALLD"), acts="membership", ridge=0.0).fit(X)
    assert any("separates" in note for note in model.notes_)
    assert model.score(X) > -0.01


@pytest.mark.slow
def test_planted_hazard_and_tremble_are_covered() -> None:
    inside = np.zeros(2)
    for seed in range(40):
        model = Automata(SET, drifting=True).fit(drifting_play(200, 10, 0.1, 0.05, 100 + seed, games=2))
        rows = {r.name: r for r in model.parameters() if r.name != "share"}
        for i, (name, true) in enumerate((("hazard", 0.1), ("tremble", 0.05))):
            assert rows[name].se is not None
            inside[i] += abs(rows[name].value - true) < 1.96 * rows[name].se
    assert (inside >= 34).all()
