"""Errors cross processes whole."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from intent.base import errors
from intent.base.errors import IntentError, MissingExtraError, RetryableError, UnknownNameError

MADE = {
    UnknownNameError: ("strategy", "TITFORTAT", ["TFT", "GRIM"]),
    MissingExtraError: ("torch", "neural"),
    RetryableError: ("overloaded", 2.5, 429),
}
"""Errors whose arguments are not their message."""

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, IntentError)]


def made(kind: type[IntentError]) -> IntentError:
    return kind(*MADE.get(kind, ("results.csv line 3: no number",)))


def fails(kind: type[IntentError]) -> None:
    raise made(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_survives_pickling(kind: type[IntentError]) -> None:
    error = made(kind)
    error.add_note("game 7")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    assert (type(copy), str(copy), vars(copy)) == (kind, str(error), vars(error))


def test_an_error_in_a_pool_says_what_it_says_alone() -> None:
    with (
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
        pytest.raises(UnknownNameError, match="did you mean TFT") as caught,
    ):
        list(pool.map(fails, [UnknownNameError] * 2))
    assert caught.value.suggestions[0] == "TFT"
