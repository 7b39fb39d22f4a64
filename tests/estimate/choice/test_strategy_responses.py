"""Strategies with estimated responses against direct summation, a direct optimiser and planted responses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from intent.base.errors import UsageError
from intent.estimate.choice.automata import Automata
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import make_model, moves_made
from intent.estimate.choice.strategy_responses import StrategyResponses, _Cells
from intent.strategies.catalogue import Strategy, strategy

EXACT = {"smoothing": 1e-9, "tol": 1e-10, "n_iter": 20_000, "random_state": 0}
PLAYERS = (
    strategy("TFT"),
    strategy("GRIM"),
    strategy("ALLC"),
)
P = ((0.9, 0.2), (0.95, 0.05), (0.7,))
"""P(C) of each state of `PLAYERS`."""
SHARES = (0.5, 0.3, 0.2)


def planted(n: int, rounds: int = 10, games: int = 2, seed: int = 0) -> Choices:
    """Subjects of `PLAYERS` with the probabilities `P`, against coins."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(rng.choice(3, n, p=SHARES), games)
    other = rng.integers(0, 2, (n * games, rounds)).astype(np.int8)
    own = np.zeros_like(other)
    for i, k in enumerate(kind):
        state = PLAYERS[k].start
        for t in range(rounds):
            own[i, t] = rng.random() < P[k][state]
            state = PLAYERS[k].next_code(state, int(own[i, t]), int(other[i, t]))
    return Choices(own, other, own.copy(), COOPERATION, np.repeat(np.arange(n), games))


def summed(X: Choices, types: list[tuple[float, Strategy]]) -> float:
    """Log-likelihood of shares and tables, move by move in plain Python."""
    total = 0.0
    for subject in np.unique(X.subject):
        joint = 0.0
        for share, s in types:
            chance = share
            for i in np.flatnonzero(X.subject == subject):
                state = s.start
                for own, other in zip(X.own[i].tolist(), X.other[i].tolist(), strict=True):
                    chance *= s.p_cooperate[state] if own else 1 - s.p_cooperate[state]
                    state = s.next_code(state, own, other)
            joint += chance
        total += math.log(joint)
    return total


@pytest.mark.parametrize("responses", ["state", "strategy", "shared"])
def test_likelihood_is_the_sum_over_strategies_of_products_over_moves(responses: str) -> None:
    X = planted(30)
    model = StrategyResponses(("TFT", "GRIM", "TF2T", "ALLD"), responses=responses, random_state=0).fit(X)  # type: ignore[arg-type]
    types = [(t.share, t.strategy) for t in model.types()]
    assert model.log_likelihood_ == pytest.approx(summed(X, types), abs=1e-8)
    assert np.log(moves_made(model.next_move(X), X)).sum() == pytest.approx(model.log_likelihood_, abs=1e-8)


@pytest.mark.parametrize(("responses", "free"), [("state", 5), ("strategy", 4), ("shared", 2)])
def test_no_direct_search_finds_a_higher_likelihood(responses: str, free: int) -> None:
    """Shares and log odds of TF2T (three states) and GRIM (two), climbed by scipy from many places."""
    from scipy.optimize import minimize

    X = planted(40, rounds=6, games=1, seed=3)
    names = ("TF2T", "GRIM")
    model = StrategyResponses(names, responses=responses, **EXACT).fit(X)  # type: ignore[arg-type]
    places = {
        "state": ((0, 1, 2), (3, 4)),
        "strategy": ((0, 0, 1), (2, 3)),
        "shared": ((0, 0, 1), (0, 1)),
    }[responses]
    tables = [strategy(name) for name in names]

    def loss(theta: np.ndarray) -> float:
        p = 1 / (1 + np.exp(-theta[1:]))
        share = 1 / (1 + math.exp(-theta[0]))
        made = [
            replace(s, p_cooperate=tuple(p[list(at)].tolist())) for s, at in zip(tables, places, strict=True)
        ]
        return -summed(X, list(zip((share, 1 - share), made, strict=True)))

    rng = np.random.default_rng(0)
    best = min(
        minimize(loss, rng.normal(0, 2, 1 + free), method="L-BFGS-B", bounds=[(-15, 15)] * (1 + free)).fun
        for _ in range(3)
    )
    assert model.log_likelihood_ >= -best - 1e-4


def test_fewer_responses_never_fit_better() -> None:
    X = planted(80, seed=1)
    reached = [Automata(PLAYERS, background=False).fit(X).log_likelihood_]
    for responses in ("shared", "strategy", "state"):
        reached.append(StrategyResponses(PLAYERS, responses=responses, **EXACT).fit(X).log_likelihood_)  # type: ignore[arg-type]
    assert reached == sorted(reached)


def test_planted_responses_are_met_again_within_their_errors() -> None:
    X = planted(600, seed=2)
    model = StrategyResponses(PLAYERS, random_state=0, smoothing=1e-3).fit(X)
    truth = {
        **{("share", s.name): share for s, share in zip(PLAYERS, SHARES, strict=True)},
        **{("p_C1", s.name): p[0] for s, p in zip(PLAYERS, P, strict=True)},
        **{("p_D2", s.name): p[1] for s, p in zip(PLAYERS, P, strict=True) if len(p) > 1},
    }
    rows = {(p.name, p.of): p for p in model.parameters()}
    assert set(rows) == set(truth)
    for key, value in truth.items():
        assert abs(rows[key].value - value) < 4 * rows[key].se  # type: ignore[operator]
    assert model.n_parameters == len(truth) - 1


def test_errors_allow_for_subjects_who_differ() -> None:
    """Forty people who always do the same, one in four cooperating: forty draws of a coin, not 400."""
    own = np.repeat((np.arange(40) % 4 == 0).astype(np.int8), 10).reshape(40, 10)
    X = Choices(own, 1 - own, own, COOPERATION, np.arange(40))
    for errors, draws in (("subject", 39), ("information", 400)):
        model = StrategyResponses(("ALLC",), errors=errors, **EXACT).fit(X)  # type: ignore[arg-type]
        assert model.responses_[0, 0, 1] == pytest.approx(0.25, abs=1e-6)
        assert model.response_se_[0, 0, 1] == pytest.approx(math.sqrt(0.25 * 0.75 / draws), rel=1e-4)


def test_shared_responses_are_listed_once() -> None:
    rows = StrategyResponses(PLAYERS, responses="shared").fit(planted(60)).parameters()
    assert [(p.name, p.of) for p in rows if p.name != "share"] == [("p_C", ""), ("p_D", "")]


def test_strategies_of_the_same_states_have_the_name_of_what_they_play() -> None:
    """Both have one state; the rarer plays C, whatever start wins."""
    rng = np.random.default_rng(0)
    kind = rng.random(200) < 0.2
    own = (rng.random((200, 8)) < np.where(kind, 0.9, 0.15)[:, None]).astype(np.int8)
    X = Choices(own, own[::-1].copy(), own, COOPERATION, np.arange(200))
    for names in (("ALLC", "ALLD"), ("ALLD", "ALLC")):
        shares = {t.name: t.share for t in StrategyResponses(names, random_state=0).fit(X).types()}
        assert shares["ALLC"] == pytest.approx(0.2, abs=0.1)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("TFT", "C1 D2 C1 unknown C1 D2"),  # the other's third move is unknown, its fourth is known again
        ("GRIM", "C1 D2 D2 D2 D2 D2"),
        ("TF2T", "C1 C2 C1 unknown C1 C2"),
    ],
)
def test_after_an_unknown_move_the_state_is_unknown_until_it_is_known_again(name: str, cells: str) -> None:
    own, other = np.array([[1, 1, 1, 1, 1, 1]]), np.array([[0, 1, -1, 1, 0, 0]])
    s = (strategy(name),)
    laid = _Cells.laid_out(s, "state")
    X = Choices(*(a.astype(np.int8) for a in (own, other, own)), COOPERATION, np.zeros(1, np.intp))
    assert " ".join(laid.names[c] for c in laid.along(X, s)[0, :, 0]) == cells


def test_states_that_answer_alike_need_not_be_told_apart() -> None:
    s = (strategy("TF2T"),)
    laid = _Cells.laid_out(s, "strategy")
    own, other = np.ones((1, 3), np.int8), np.array([[-1, 1, 0]], np.int8)
    X = Choices(own, other, own, COOPERATION, np.zeros(1, np.intp))
    assert [laid.names[c] for c in laid.along(X, s)[0, :, 0]] == ["C", "C", "C"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"responses": "each"}, "responses is 'each', expected state, strategy, shared"),
        ({"acts": "all"}, "act on"),
        ({"errors": "all"}, "errors are 'all', expected subject, information"),
        ({"smoothing": 0}, "smoothing is 0"),
    ],
)
def test_settings_that_make_no_sense_are_one_line(settings: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        StrategyResponses(**settings).fit(planted(10))  # type: ignore[arg-type]


def test_the_name_sets_the_strategies() -> None:
    model = make_model("response:canonical4").fit(planted(40))
    assert [t.name for t in model.types()] == ["ALLC", "ALLD", "TFT", "WSLS"]
