"""The sandbox's generator against numpy's legacy one."""

import numpy as np
import pytest

from intent.arena.sandbox.values import C, D, Generator

SEEDS = (0, 1, 12345, 2**31, 2**32 - 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_uniform_numbers(seed):
    ours, numpy = Generator(seed), np.random.RandomState(seed)
    assert [ours.random() for _ in range(1500)] == numpy.rand(1500).tolist()
    assert ours.random(2, 3) == numpy.rand(2, 3).tolist()


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 1),
        (0, 2),
        (3, 10),
        (-5, 5),
        (0, 2**31),
        (0, 2**32 - 1),
        (0, 2**32),
        (0, 2**32 + 1),
        (-(2**63), 2**63 - 1),
    ],
)
def test_whole_numbers(low, high):
    ours, numpy = Generator(7), np.random.RandomState(7)
    assert [ours.randint(low, high) for _ in range(40)] == [
        numpy.randint(low, high, dtype="int64") for _ in range(40)
    ]
    assert ours.randint(low, high, size=30) == numpy.randint(low, high, size=30, dtype="int64").tolist()


def test_one_bound_floats_and_shapes():
    ours, numpy = Generator(3), np.random.RandomState(3)
    assert [ours.randint(6) for _ in range(20)] == [numpy.randint(6) for _ in range(20)]
    assert ours.randint(0, 9, size=(2, 4)) == numpy.randint(0, 9, size=(2, 4)).tolist()
    assert ours.randint(0, 7.9) == numpy.randint(0, 7.9)


def test_player_seeds_are_drawn_as_upstream_draws_them():
    ours, numpy = Generator(11), np.random.RandomState(11)
    theirs = [int(numpy.randint(low=0, high=2**32 - 1, dtype="uint64")) for _ in range(50)]
    assert [ours.randint(0, 2**32 - 1) for _ in range(50)] == theirs


def test_choices():
    ours, numpy = Generator(5), np.random.RandomState(5)
    items = ["a", "b", "c", "d", "e"]
    assert [ours.choice(items) for _ in range(30)] == [str(numpy.choice(items)) for _ in range(30)]
    assert [ours.choice(9) for _ in range(30)] == [int(numpy.choice(9)) for _ in range(30)]
    p = [0.1, 0.2, 0.3, 0.0, 0.4]
    assert [ours.choice(items, p=p) for _ in range(50)] == [str(numpy.choice(items, p=p)) for _ in range(50)]
    assert ours.choice(items, 4) == numpy.choice(items, 4).tolist()


def test_a_certain_choice_draws_nothing():
    ours, numpy = Generator(2), np.random.RandomState(2)
    assert (ours.random_choice(0), ours.random_choice(1), ours.random_choice(1.0)) == (D, C, C)
    drawn = [ours.random_choice(0.7) for _ in range(100)]
    assert drawn == [C if u < 0.7 else D for u in numpy.rand(100)]


@pytest.mark.parametrize("bounds", [(3, 3), (5, 2), (0,), (2**70,), (-(2**64), 0)])
def test_bounds_that_cannot_be(bounds):
    with pytest.raises(ValueError):
        Generator(0).randint(*bounds)


@pytest.mark.parametrize(
    "arguments", [([],), (["a", "b"], None, True, [0.5, 0.6]), (["a"], None, True, [0.5, 0.5])]
)
def test_choices_that_cannot_be(arguments):
    with pytest.raises(ValueError):
        Generator(0).choice(*arguments)


def test_sampling_without_replacement_is_refused():
    with pytest.raises(NotImplementedError):
        Generator(0).choice([1, 2, 3], 2, False)
