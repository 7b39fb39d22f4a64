"""The Moran process against closed forms, exact chains and drift."""

from __future__ import annotations

import numpy as np
import pytest

from intent.arena.entrant import Entrant
from intent.arena.evolution.exact import fixation_constant, fixation_two, moran_chain
from intent.arena.evolution.moran import MoranRuns, equilibria, long_run, moran
from intent.arena.evolution.population import Pool, mean_payoffs, pool_of, pool_of_matrix
from intent.arena.match import Fault, Job, MatchRules
from intent.arena.tournament.table import RoundRobin
from intent.base.errors import UsageError
from intent.base.workers import open_workers

HAWK_DOVE = np.array([[1.0, 6.0], [2.0, 4.0]])
DILEMMA = np.array([[3.0, 0.5], [5.0, 1.0]])
THREE = np.array([[1.5, 2.3, 1.9], [1.6, 3.0, 2.8], [1.9, 2.7, 2.9]])


def shares(found: MoranRuns) -> np.ndarray:
    return np.bincount(found.winner, minlength=len(found.names)) / len(found.winner)


def near(share: float, p: float, runs: int) -> bool:
    return abs(share - p) < 4.5 * np.sqrt(p * (1 - p) / runs)


def table(outcomes: np.ndarray, groups: list[str | None], faults: tuple[Fault, ...] = ()) -> RoundRobin:
    """A round robin by its counts; what came after what is of no matter here."""
    field = tuple(
        Entrant(f"s{i}", source="def strategy(self, opponent): pass", group=g) for i, g in enumerate(groups)
    )
    rules = MatchRules(turns=int(outcomes.sum(axis=-1).max()))
    opened = np.zeros(outcomes.shape[:3], np.int8)
    return RoundRobin(field, rules, outcomes.astype(np.int32), outcomes, outcomes, opened, faults)


def random_table(rng: np.random.Generator, groups: list[str | None], repetitions: int = 3) -> RoundRobin:
    n = len(groups)
    ahead = rng.multinomial(10, [0.25] * 4, size=(n, n, repetitions))
    for i in range(n):
        for j in range(i):
            ahead[i, j] = ahead[j, i][:, [0, 2, 1, 3]]
    return table(ahead, groups)


@pytest.mark.parametrize("r", [0.5, 1.0, 1.5, 3.0])
def test_constant_fitness(r: float) -> None:
    pool = pool_of_matrix(["mutant", "resident"], np.array([[r, r], [1.0, 1.0]]))
    found = moran(pool, [1, 5], runs=4000, rng=np.random.default_rng(1))
    assert near(shares(found)[0], fixation_constant(r, 6), 4000)


@pytest.mark.parametrize("matrix", [HAWK_DOVE, DILEMMA], ids=["hawk-dove", "dilemma"])
@pytest.mark.parametrize("intensity", [1.0, 0.3])
def test_frequency_dependent_fitness(matrix: np.ndarray, intensity: float) -> None:
    pool = pool_of_matrix(["a", "b"], matrix)
    found = moran(pool, [3, 5], runs=4000, rng=np.random.default_rng(2), intensity=intensity)
    assert near(shares(found)[0], fixation_two(matrix, 8, 3, intensity=intensity), 4000)


@pytest.mark.parametrize("n", range(2, 8))
def test_neutral_drift_gives_one_in_n(n: int) -> None:
    pool = pool_of_matrix(["mutant", "resident"], np.ones((2, 2)))
    found = moran(pool, [1, n - 1], runs=3000, rng=np.random.default_rng(n))
    assert near(shares(found)[0], 1 / n, 3000)


def test_three_names_as_the_exact_chain() -> None:
    chain = moran_chain(THREE, 12)
    found = moran(pool_of_matrix("ACN", THREE), [4, 4, 4], runs=4000, rng=np.random.default_rng(3))
    start = chain.place([4, 4, 4])
    assert all(near(s, p, 4000) for s, p in zip(shares(found), chain.fixation()[start], strict=True))
    error = found.steps.std() / np.sqrt(4000)
    assert abs(found.steps.mean() - chain.mean_steps()[start]) < 4.5 * error


def test_mutation_as_the_stationary_chain() -> None:
    chain = moran_chain(THREE, 6, mutation=0.1)
    found = moran(
        pool_of_matrix("ACN", THREE),
        [2, 2, 2],
        runs=40,
        rng=np.random.default_rng(4),
        steps=4000,
        mutation=0.1,
    )
    expected = chain.stationary() @ chain.states / 6
    for (share, low, high), p in zip(
        ((i.estimate, i.low, i.high) for i in (long_run(found, level=0.999) or {}).values()),
        expected,
        strict=True,
    ):
        assert low < p < high
        assert low < share < high
    assert set(found.winner) == {-1}


def test_batches_of_a_run_that_stays_where_it_is_are_no_independent_ones() -> None:
    """Ten runs, each at a share of its own for all of its 20 batches, are ten numbers and not 200."""
    share = np.linspace(0.1, 0.9, 10)
    batches = np.repeat(np.stack([share, 1 - share], axis=1)[:, None], 20, axis=1)
    runs = MoranRuns(
        ("a", "b"),
        (4, 4),
        -np.ones(10, int),
        np.zeros(10, int),
        np.zeros((10, 2)),
        (),
        np.zeros((1, 3)),
        batches,
    )
    found = (long_run(runs) or {})["a"]
    assert found.high - 0.5 == pytest.approx(2.2622 * share.std(ddof=1) / np.sqrt(10), abs=1e-4)


def test_drawn_matches_of_like_strategies_are_as_the_matrix() -> None:
    """A name of two strategies that play alike is one strategy."""
    block = np.kron(DILEMMA, np.ones((2, 2)))[..., None].repeat(2, axis=2)
    pool = Pool(("a", "b"), (("a1", "a2"), ("b1", "b2")), block, np.einsum("iir->ir", block).copy())
    found = moran(pool, [3, 3], runs=3000, rng=np.random.default_rng(5))
    assert near(shares(found)[0], fixation_two(DILEMMA, 6, 3), 3000)


def test_one_match_of_self_play_has_two_seats() -> None:
    """The first seat earns 3 and the second nothing: together as much as two that earn 1.5 each."""
    unequal = Pool(
        ("a", "b"), (("a",), ("b",)), np.array([[3.0, 1.0], [1.0, 1.5]])[..., None], np.array([[0.0], [1.5]])
    )
    found = moran(unequal, [3, 3], runs=3000, rng=np.random.default_rng(5))
    assert near(shares(found)[0], fixation_two(mean_payoffs(unequal), 6, 3), 3000)


def test_every_match_is_one_that_was_played() -> None:
    """Mean fitness over many draws is the mean payoff, that of both seats of self-play included."""
    from intent.arena.evolution.moran import Generation

    pool, _ = pool_of(random_table(np.random.default_rng(6), ["Neutral", "Neutral", "Aggressive"]))
    rule = Generation(pool, 3)
    types = np.zeros((40_000, 3), np.intp) + np.array([0, 1, 1])
    earned = rule._drawn(types, np.random.default_rng(7).random((40_000, rule.n_uniforms))[:, :-3])
    means = mean_payoffs(pool)
    expected = [2 * means[0, 1], means[1, 0] + means[1, 1]]
    found = [earned[:, 0].mean(), earned[:, 1:].mean()]
    assert pool.names == ("Aggressive", "Neutral")
    assert np.allclose(found, expected, atol=0.03)


@pytest.mark.slow
def test_same_seed_same_runs_on_any_number_of_workers() -> None:
    pool, _ = pool_of(random_table(np.random.default_rng(8), ["a", "a", "b"]))
    long = {"runs": 41, "mutation": 0.1, "steps": 8000}
    one = moran(pool, [3, 3], rng=np.random.default_rng(9), **long)
    with open_workers(2) as workers:
        two = moran(pool, [3, 3], rng=np.random.default_rng(9), workers=workers, **long)
    assert np.array_equal(one.final, two.final)
    assert np.array_equal(one.shares, two.shares)
    assert all(np.array_equal(a, b) for a, b in zip(one.paths, two.paths, strict=True))


def test_a_run_is_the_same_among_fewer_or_more() -> None:
    pool, _ = pool_of(random_table(np.random.default_rng(8), ["a", "a", "b"]))
    few = moran(pool, [3, 3], runs=10, rng=np.random.default_rng(9))
    many = moran(pool, [3, 3], runs=450, rng=np.random.default_rng(9))
    assert np.array_equal(few.steps, many.steps[:10])
    assert all(np.array_equal(a, b) for a, b in zip(few.paths, many.paths[:10], strict=True))


def test_a_path_begins_at_the_start_and_ends_alone() -> None:
    found = moran(pool_of_matrix("ab", DILEMMA), [3, 3], runs=3, rng=np.random.default_rng(0))
    for path, steps, winner in zip(found.paths, found.steps, found.winner, strict=True):
        assert path[0].tolist() == [0, 3, 3]
        assert path[-1][0] == steps
        assert path[-1][1 + winner] == 6
        assert np.abs(np.diff(path[:, 1])).max() <= 1


def test_paths_of_the_first_runs_are_kept_and_the_typical_one() -> None:
    pool, _ = pool_of(random_table(np.random.default_rng(8), ["a", "a", "b"]))
    every = moran(pool, [3, 3], runs=450, rng=np.random.default_rng(9))
    room = sum(map(len, every.paths[:7])) + 1
    some = moran(pool, [3, 3], runs=450, rng=np.random.default_rng(9), path_rows=room)
    assert len(every.paths) == 450
    assert len(some.paths) == 7
    assert all(np.array_equal(a, b) for a, b in zip(some.paths, every.paths, strict=False))
    run = int(np.abs(every.steps - np.median(every.steps)).argmin())
    assert run >= 7
    assert np.array_equal(every.typical, every.paths[run])
    assert np.array_equal(some.typical, every.paths[run])


def test_a_long_path_is_thinned() -> None:
    found = moran(pool_of_matrix("ab", HAWK_DOVE), [40, 40], runs=1, rng=np.random.default_rng(0), steps=5000)
    assert found.winner.tolist() == [-1]
    assert len(found.paths[0]) <= 1025
    assert found.paths[0][-1][0] == 5000


def test_alone_from_the_start() -> None:
    found = moran(pool_of_matrix("ab", DILEMMA), [0, 4], runs=2, rng=np.random.default_rng(0))
    assert found.steps.tolist() == [0, 0]
    assert [e.verdict for e in equilibria(found)] == ["compatible", "compatible"]


def test_verdicts_beside_drift() -> None:
    winner = np.array([0] * 60 + [1] * 20 + [2] * 20)
    runs = MoranRuns(("a", "b", "c"), (4, 4, 4), winner, winner, np.zeros((100, 3)), (), np.zeros((1, 4)))
    found = equilibria(runs)
    assert [e.verdict for e in found] == ["above", "below", "below"]
    assert found[0].share.low == pytest.approx(0.4972, abs=1e-4)


@pytest.mark.parametrize(
    ("initial", "settings", "word"),
    [
        ([1, 2, 3], {}, "3 numbers"),
        ([-1, 3], {}, "none < 0"),
        ([1, 0], {}, "two or more"),
        ([2, 2], {"mutation": 2}, "mutation 2"),
        ([2, 2], {"steps": 0}, "0 steps"),
    ],
)
def test_what_cannot_be(initial: list[int], settings: dict[str, float], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        moran(pool_of_matrix("ab", DILEMMA), initial, runs=2, rng=np.random.default_rng(0), **settings)


def test_negative_fitness_is_refused() -> None:
    with pytest.raises(UsageError, match="a has fitness -"):
        moran(pool_of_matrix("ab", DILEMMA - [[4], [0]]), [2, 2], runs=2, rng=np.random.default_rng(0))


def test_a_strategy_at_fault_takes_no_part() -> None:
    found = random_table(np.random.default_rng(0), ["a", "a", "b"])
    fault = Fault(Job(1, 2, (0,)), 1, "time", "ran on")
    pool, left_out = pool_of(RoundRobin(**{**vars(found), "faults": (fault,)}))
    assert pool.members == (("s0",), ("s2",))
    assert left_out == {"s1": "time: ran on"}


def test_pairs_played_once_count_in_all_repetitions() -> None:
    found = random_table(np.random.default_rng(0), ["a", "b"])
    found.outcomes[0, 1, 1:] = 0
    pool, _ = pool_of(found)
    assert len(set(pool.payoffs[0, 1])) == 1


def test_a_pair_that_was_not_played_is_named() -> None:
    found = random_table(np.random.default_rng(0), ["a", None])
    found.outcomes[1, 1] = 0
    with pytest.raises(UsageError, match="s1 against s1 was not played"):
        pool_of(found)
    with pytest.raises(UsageError, match="s1 has no group"):
        pool_of(found, "group")
