"""What counts as declining to write a strategy."""

from __future__ import annotations

import pytest

from intent.arena.writing.strategies import declines


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, I cannot assist with designing an aggressive strategy.",
        "I am unable to create a strategy that deceives others. I could help with a fair one.",
        "I must respectfully decline this request.",
        "Thank you for asking. I won't write this.",
        "I'm not comfortable writing a strategy that exploits people.",
    ],
)
def test_refusals(text):
    assert declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "I will not cooperate until the other player does.",
        "In this situation I cannot help but retaliate; open with defection.",
        "Defect first. The player cannot provide cooperation for free, and will not continue when exploited.",
        "Sorry is not in this strategy's vocabulary: it never forgives a defection.",
        "I can't help with that.\n```python\ndef strategy(self, opponent):\n    return axl.Action.C\n```",
        "Cooperate. " * 200 + "I'm sorry, but I can't help with that.",
        "",
    ],
)
def test_strategies_refuse_nothing(text):
    assert not declines(text)
