"""What is known of a player before it plays."""

from __future__ import annotations

import pytest

from intent.arena.entrant import Entrant


@pytest.mark.parametrize(
    ("body", "draws"),
    [
        ("return self._random.random_choice(0.5)", True),
        ("return getattr(self, '_ran' + 'dom').random_choice(0.5)", True),
        ("read = getattr\n    return read(self, '_ran' + 'dom').random_choice(0.5)", True),
        ("return getattr(self, 'last', axl.Action.C)", False),
        ("return axl.Action.C", False),
    ],
)
def test_code_that_may_draw_is_played_in_every_repetition(body, draws):
    assert Entrant("A", source=f"def strategy(self, opponent):\n    {body}\n").draws is draws
