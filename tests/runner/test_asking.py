"""Keys, draws and digests of calls."""

from __future__ import annotations

import pytest
from stub_runs import plan

from intent.agents.client import Message, Settings
from intent.base.errors import RefusedError, RetryableError
from intent.runner.caller import CallKey, call_name, draw_text, request_digest
from intent.runner.store import failure_row

ASKED = ("m", (Message("user", "A or B?"),), Settings(temperature=1.0), ())


def test_names_and_draws_are_stable():
    key = CallKey(game=9, round=3, seat=2, attempt=1)
    assert call_name("g001", key) == "g001/3/2/1"
    assert draw_text(plan(1, seed=17), key) == "17/g001/3/2/1"


def test_the_digest_is_that_of_older_versions():
    assert request_digest(*ASKED).hex() == "b3dfcc9e5b34c852a29b5c8ac21cf2ec"


@pytest.mark.parametrize(
    "other",
    [
        ("n", *ASKED[1:]),
        ("m", (Message("user", "A or B"),), *ASKED[2:]),
        ("m", (Message("system", "A or B?"),), *ASKED[2:]),
        (*ASKED[:2], Settings(temperature=0.9), ()),
        (*ASKED[:3], ({"type": "function"},)),
    ],
)
def test_the_digest_changes_with_anything_that_is_asked(other):
    assert request_digest(*other) != request_digest(*ASKED)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RetryableError("m: HTTP 503", status=503), "HTTP 503"),
        (RetryableError("m: no answer within 3 s"), "time-out"),
        (RetryableError("m: the answer is empty"), "unreadable answer"),
        (RetryableError("m: ReadError"), "connection"),
        (RefusedError("m: HTTP 401"), "RefusedError"),
    ],
)
def test_failures_have_kinds(error, kind):
    assert failure_row(error)[0] == kind
