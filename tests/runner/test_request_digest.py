"""The digest of a request changes with everything that is asked, and with nothing else."""

from __future__ import annotations

import pytest

from intent.agents.client import Message, Settings
from intent.runner.caller import request_digest

ASKED = [Message("system", "You play."), Message("user", "Choose: C or D?")]
CALL = {"id": "1", "name": "advice", "arguments": "{}"}


def digest(*more, settings=None, tools=()):
    return request_digest("a/b", [*ASKED, *more], settings or Settings(temperature=0.5), tools)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Message("assistant", ""), Message("assistant", "", (CALL,))),
        (
            Message("assistant", "", (CALL,)),
            Message("assistant", "", ({**CALL, "arguments": '{"reward": 5}'},)),
        ),
        (Message("tool", "C is best", (), "1"), Message("tool", "C is best", (), "2")),
        (Message("tool", "C is best", (), "1"), Message("tool", "C is best")),
    ],
)
def test_what_messages_say_of_tools_enters(one, other):
    assert digest(one) != digest(other)
