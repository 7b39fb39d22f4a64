"""Probes: exact information of an opponent, ties, the search, adapting; against enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent.base.errors import RecogniserError, UnknownNameError
from intent.play.corpora import opponent
from intent.recognise.bayes import eps_nodes
from intent.recognise.ceiling import exact_ceiling
from intent.recognise.probe.information import (
    Automata,
    Tree,
    accuracy_limit,
    adaptive_optimum,
    equivalent_states,
    follow,
    search,
    tied_against,
    tied_for_ever,
)
from intent.strategies.catalogue import Strategy, catalogue, strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set

SEVERAL = "ALLC,TFT,GTFT,GRIM,TF2T,RANDOM(0.3)"


def automata(names, eps=(0.05, 0.05), rounds=10):
    return Automata.of(strategy_set(names), eps, rounds)


def moves(text):
    return np.array([letter == "C" for letter in text], dtype=np.int8)


def curve(names, x, eps=(0.05, 0.05), rounds=None, **options):
    rounds = len(x) if rounds is None else rounds
    x = moves(x) if isinstance(x, str) else x
    options = {"rng": np.random.default_rng(0), **options}
    return list(follow(automata(names, eps, rounds), rounds, x, **options))


def enumerated(names, x, eps):
    """Accuracy and information by all own histories and the likelihood of the catalogue."""
    own = np.array(list(product((0, 1), repeat=len(x))), dtype=np.int8)
    other = np.broadcast_to(moves(x), own.shape)
    nodes, weights = eps_nodes(eps, len(x)) if eps[0] < eps[1] else (np.array(eps[:1]), np.ones(1))
    p = np.exp(log_likelihood(own, other, None, strategy_set(names), nodes)) @ weights
    k = p.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p / k * np.log2(p * k / p.sum(axis=1, keepdims=True)), 0.0)
    return p.max(axis=1).sum() / k, terms.sum()


@pytest.mark.parametrize("eps", [(0.0, 0.0), (0.05, 0.05), (0.0, 0.2)])
@pytest.mark.parametrize("names", ["canonical4", SEVERAL, "rr20"])
@pytest.mark.parametrize("x", ["C", "DDC", "CDDCD"])
def test_every_round_as_by_enumeration(names, x, eps):
    found = curve(names, x, eps)
    for t, r in enumerate(found, start=1):
        assert (r.accuracy, r.information) == pytest.approx(enumerated(names, x[:t], eps), abs=1e-9)
        assert r.accuracy_error == r.information_error == 0


@pytest.mark.parametrize("names", ["canonical4", "canonical6"])
def test_long_sequences_are_those_of_the_exact_ceiling(names):
    x = "DCDCCDDCC"
    against = opponent(f"sequence:{x}").strategy
    expected = exact_ceiling(strategy_set(names), len(x), 0.05, opponent=against)
    assert curve(names, x)[-1].accuracy == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("rounds", "expected"), [(5, 0.8931), (10, 0.9836), (20, 0.9995)])
def test_fair_coin_is_the_published_ceiling(rounds, expected):
    assert curve("canonical4", None, rounds=rounds)[-1].accuracy == pytest.approx(expected, abs=1e-4)


def test_fair_coin_is_the_average_of_all_sequences():
    every = [curve("canonical5", "".join(x))[-1].accuracy for x in product("CD", repeat=5)]
    coin = exact_ceiling(strategy_set("canonical5"), 5, 0.05, opponent=strategy("RANDOM"))
    assert np.mean(every) == pytest.approx(coin, abs=1e-10)
    assert curve("canonical5", None, rounds=5)[-1].accuracy == pytest.approx(coin, abs=1e-10)


@pytest.mark.parametrize("x", ["CDDCDCCDDDCDCCCDDDCD", None])
@pytest.mark.parametrize("eps", [(0.1, 0.1), (0.0, 0.2)])
def test_information_grows_and_is_bounded(x, eps):
    bits = [r.information for r in curve("canonical4", x, eps, rounds=20)]
    assert bits[0] >= 0
    assert np.diff(bits).min() >= -1e-9
    assert bits[-1] <= 2


@pytest.mark.parametrize("x", ["CDDCDCCDDDCDCCC", None])
def test_sampled_histories_agree_with_the_exact_ones(x, rng):
    exact = curve("canonical6", x, rounds=15)
    drawn = curve("canonical6", x, rounds=15, rng=rng, most_entries=300, samples=4000)
    assert drawn[-1].accuracy_error > 0
    for a, b in zip(exact, drawn, strict=True):
        assert a.accuracy == pytest.approx(b.accuracy, abs=5 * b.accuracy_error + 1e-9)
        assert a.information == pytest.approx(b.information, abs=5 * b.information_error + 1e-9)


@pytest.mark.parametrize("objective", ["information", "accuracy"])
@pytest.mark.parametrize("names", ["canonical4", "df2011"])
def test_search_finds_the_best_of_all_sequences(names, objective):
    designs = list(search(automata(names), 6, objective=objective))
    every = [getattr(curve(names, "".join(x))[-1], objective) for x in product("CD", repeat=6)]
    assert designs[-1].optimal
    assert designs[-1].exact
    assert getattr(designs[-1], objective) == pytest.approx(max(every), abs=1e-9)


def test_search_beats_random_sequences(rng):
    *_, best = search(automata("canonical5", rounds=12), 12)
    assert not best.optimal
    drawn = [curve("canonical5", x)[-1].information for x in rng.integers(2, size=(200, 12), dtype=np.int8)]
    assert best.information > max(drawn)


def test_designs_keep_their_word():
    for best in search(automata("canonical5", (0.0, 0.2)), 10):
        x = np.array(best.moves, dtype=np.int8)
        last = curve("canonical5", x, (0.0, 0.2))[-1]
        assert (best.accuracy, best.information) == pytest.approx((last.accuracy, last.information), abs=1e-6)


def test_ten_rounds_are_searched_in_full():
    *_, best = search(automata("canonical4"), 10)
    assert best.optimal
    assert best.accuracy > 0.996
    assert best.moves[-1] == 1


def test_search_that_leaves_branches_out_says_so():
    designs = list(search(automata("canonical6"), 9, width=64, most_entries=2000))
    assert not designs[-1].exact
    last = curve("canonical6", np.array(designs[-1].moves, dtype=np.int8))[-1]
    assert designs[-1].information == pytest.approx(last.information, abs=0.2)


def test_ties_without_noise():
    listed = [s.name for s in catalogue()]
    tied = [tuple(listed[i] for i in group) for group in tied_for_ever(automata("all", (0.0, 0.0)))]
    assert tied == [("GRIM", "GRUDGER")]
    assert tied_for_ever(automata("all", (0.05, 0.05))) == []


def test_the_same_play_under_two_names_is_tied():
    twin = Strategy("twin", (1.0, 1.0), ((1, 1, 1, 1), (0, 0, 0, 0)))
    a = Automata.of((strategy("ALLD"), strategy("ALLC"), twin), (0.0, 0.1), 5)
    assert tied_for_ever(a) == [(1, 2)]


@pytest.mark.parametrize(
    ("x", "eps", "expected"),
    [("C", 0.05, [(0, 2)]), ("C", 0.0, [(0, 2, 3)]), ("D", 0.05, []), ("CCCD", 0.0, [(0, 2, 3)])],
)
def test_ties_against_one_opponent(x, eps, expected):
    """Canonical4 is ALLC, ALLD, TFT, WSLS; the last of four moves is not answered."""
    assert tied_against(automata("canonical4", (eps, eps)), moves(x), 4) == expected


def test_limit_of_the_accuracy_bounds_every_sequence():
    """GRIM that slips in round 1 is ALLD from there on."""
    a = automata("ALLD,GRIM,ALLC")
    classes = equivalent_states(a)
    after = Tree.root(a).own_moves(a).answered(a, 1)
    limit = accuracy_limit(after, classes, 1)[0]
    assert limit == pytest.approx(1 - 0.05 / 3)
    assert curve("ALLD,GRIM,ALLC", "CD", rounds=60)[-1].accuracy <= limit
    assert min(d.limit for d in search(a, 4)) <= limit + 1e-12


def adaptive_by_recursion(names, eps, rounds, own=(), other=()):
    """Best sum over own moves of the largest likelihood, by trying each next move after each history."""
    if len(own) == rounds:
        x = [*other, 1]
        row = np.array([own], dtype=np.int8), np.array([x[:rounds]], dtype=np.int8)
        return np.exp(log_likelihood(*row, None, strategy_set(names), eps)).max()
    replies = [other] if not own else [(*other, x) for x in (0, 1)]
    return max(
        sum(adaptive_by_recursion(names, eps, rounds, (*own, a), reply) for a in (0, 1)) for reply in replies
    )


@pytest.mark.parametrize("names", ["canonical4", "ALLD,GRIM,GTFT"])
def test_adaptive_optimum_as_by_recursion(names):
    accuracy, _ = adaptive_optimum(automata(names), 4, objective="accuracy")
    expected = adaptive_by_recursion(names, 0.05, 4) / len(strategy_set(names))
    assert accuracy == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("eps", [(0.05, 0.05), (0.0, 0.2)])
def test_adapting_never_hurts(eps):
    a = automata("canonical6", eps, 8)
    for objective in ("information", "accuracy"):
        accuracy, information = adaptive_optimum(a, 8, objective=objective)
        *_, best = search(a, 8, objective=objective)
        gained = information if objective == "information" else accuracy
        assert gained >= getattr(best, objective) - 1e-9
    assert adaptive_optimum(a, 8, most_entries=100) is None


def test_what_cannot_be_probed_is_refused():
    with pytest.raises(RecogniserError, match="at least two"):
        automata("TFT")
    with pytest.raises(RecogniserError, match=r"eps 0\.2 to 0\.1"):
        automata("canonical4", (0.2, 0.1))
    with pytest.raises(RecogniserError, match="GTFT randomises"):
        Automata.of((strategy("TFT"), strategy("GTFT").with_memory("intended")), (0.0, 0.0), 5)
    with pytest.raises(UnknownNameError):
        next(search(automata("canonical4"), 3, objective="beauty"))
    with pytest.raises(RecogniserError, match="at least one round"):
        next(search(automata("canonical4"), 0))
