"""Closed forms, chains and brute force agree."""

from __future__ import annotations

import numpy as np
import pytest

from intent.arena.evolution.exact import (
    compositions,
    fixation_constant,
    fixation_two,
    invasion_matrix,
    moran_chain,
)
from intent.base.errors import LimitError, UsageError

HAWK_DOVE = np.array([[1.0, 6.0], [2.0, 4.0]])


def constant(r: float) -> np.ndarray:
    return np.array([[r, r], [1.0, 1.0]])


@pytest.mark.parametrize("r", [0.2, 0.9, 1.0, 1.1, 4.0])
@pytest.mark.parametrize("n", [2, 5, 12])
def test_constant_fitness_three_ways(r: float, n: int) -> None:
    formula = 1 / n if r == 1 else (1 - 1 / r) / (1 - 1 / r**n)
    assert fixation_constant(r, n) == pytest.approx(formula)
    assert fixation_two(constant(r), n) == pytest.approx(formula)
    chain = moran_chain(constant(r), n)
    assert chain.fixation()[chain.place([1, n - 1])][0] == pytest.approx(formula)


@pytest.mark.parametrize("intensity", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("i", [0, 1, 4, 7, 8])
def test_two_names_are_the_chain(intensity: float, i: int) -> None:
    chain = moran_chain(HAWK_DOVE, 8, intensity=intensity)
    share = chain.fixation()[chain.place([i, 8 - i])]
    assert fixation_two(HAWK_DOVE, 8, i, intensity=intensity) == pytest.approx(share[0])
    assert share.sum() == pytest.approx(1)


def test_no_product_overflows() -> None:
    assert fixation_constant(0.5, 5000) == pytest.approx(0.0)
    assert fixation_constant(2.0, 5000) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([[1, 0], [0, 1]], 0.0),  # alone it earns nothing
        ([[0, 0], [1, 1]], 0.0),
        ([[1, 1], [0, 0]], 1.0),
        ([[0, 0], [0, 0]], 0.25),  # nobody earns anything: drift
    ],
)
def test_fitness_of_nothing(matrix: list[list[float]], expected: float) -> None:
    payoffs = np.array(matrix, float)
    chain = moran_chain(payoffs, 4)
    assert fixation_two(payoffs, 4) == pytest.approx(expected)
    assert chain.fixation()[chain.place([1, 3])][0] == pytest.approx(expected)


@pytest.mark.parametrize("matrix", [[[3, 0], [5, 1]], [[1, 0], [0, 1]], [[0, 0], [1, 1]], [[0, 1], [0, 1]]])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_fitness_of_nothing_from_any_number(matrix: list[list[float]], n: int) -> None:
    """A lone cooperator earns nothing in the Prisoner's Dilemma; two of them do."""
    payoffs = np.array(matrix, float)
    chain = moran_chain(payoffs, n)
    for i in range(n + 1):
        expected = chain.fixation()[chain.place([i, n - i])][0]
        assert fixation_two(payoffs, n, i) == pytest.approx(expected)


def test_a_tiny_chain_by_hand() -> None:
    """n = 2, one each: f = (a(1, 2), a(2, 1)); each step ends it with probability 1/2."""
    chain = moran_chain(np.array([[9.0, 3.0], [1.0, 9.0]]), 2)
    start = chain.place([1, 1])
    assert chain.fixation()[start] == pytest.approx([0.75, 0.25])
    assert chain.mean_steps()[start] == pytest.approx(2.0)


def test_three_names_by_brute_force() -> None:
    """The sum over all births and deaths, step by step, of every population as a tuple of individuals."""
    payoffs = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0], [2.0, 5.0, 1.0]])
    now = {(0, 1, 2): 1.0}
    alone = np.zeros(3)
    for _ in range(400):
        later: dict[tuple[int, ...], float] = {}
        for people, p in now.items():
            fit = [sum(payoffs[a, b] for j, b in enumerate(people) if j != i) for i, a in enumerate(people)]
            for i, f in enumerate(fit):
                for dead in range(3):
                    after = tuple(people[i] if j == dead else b for j, b in enumerate(people))
                    weight = p * f / sum(fit) / 3
                    if len(set(after)) == 1:
                        alone[after[0]] += weight
                    else:
                        later[after] = later.get(after, 0.0) + weight
        now = later
    chain = moran_chain(payoffs, 3)
    assert chain.fixation()[chain.place([1, 1, 1])] == pytest.approx(alone)


def test_neutral_drift_of_any_number_of_names() -> None:
    chain = moran_chain(np.ones((4, 4)), 6)
    assert np.allclose(chain.fixation(), chain.states / 6)


def test_long_run_of_neutral_mutation_is_even() -> None:
    chain = moran_chain(np.ones((3, 3)), 5, mutation=0.05)
    share = chain.stationary()
    assert share @ chain.states / 5 == pytest.approx([1 / 3] * 3)
    assert share @ chain.steps == pytest.approx(share)


def test_long_run_of_a_tiny_chain_by_hand() -> None:
    """n = 2: from (1, 1) to either end with 1/4; from an end back with mu / 2."""
    chain = moran_chain(np.ones((2, 2)), 2, mutation=0.2)
    middle = chain.stationary()[chain.place([1, 1])]
    up = 0.5 * (0.8 * 0.5 + 0.2 * 0.5)
    assert middle * up == pytest.approx((1 - middle) / 2 * 0.2)


def test_invasion() -> None:
    found = invasion_matrix(np.array([[1.0, 1.0], [2.0, 2.0]]), 5)
    assert np.diag(found) == pytest.approx([0.2, 0.2])
    assert found[1, 0] == pytest.approx(fixation_constant(2.0, 5))
    assert found[0, 1] == pytest.approx(fixation_constant(0.5, 5))


def test_states_are_all_compositions() -> None:
    assert len(list(compositions(12, 3))) == 91
    assert moran_chain(np.ones((3, 3)), 12).states.shape == (91, 3)


def test_a_step_is_one_birth_and_one_death_however_many_names() -> None:
    chain = moran_chain(np.ones((60, 60)), 2, mutation=0.1)
    steps = chain.steps.tocoo()
    changed = np.abs(chain.states[steps.row] - chain.states[steps.col]).sum(axis=1)
    assert set(changed.tolist()) == {0, 2}


def test_what_is_refused() -> None:
    with pytest.raises(LimitError, match="compositions of 300"):
        moran_chain(np.ones((3, 3)), 300)
    with pytest.raises(UsageError, match="fitness -"):
        moran_chain(-np.ones((3, 3)), 4)
    with pytest.raises(UsageError, match="fitness -"):
        fixation_two(-np.ones((2, 2)), 4)
    with pytest.raises(UsageError, match="mutation"):
        moran_chain(np.ones((2, 2)), 4, mutation=0.1).fixation()
    with pytest.raises(UsageError, match="without mutation"):
        moran_chain(np.ones((2, 2)), 4).stationary()
