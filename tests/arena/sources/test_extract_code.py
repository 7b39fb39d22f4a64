"""The code is found in whatever form a model replied."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.arena.writing.strategies import MAX_REPLY, extract_code
from intent.base.errors import StrategyError

CODE = """def strategy(self, opponent):
    if not self.history:
        return axl.Action.C
    return axl.Action.D
"""
OLD = CODE.replace("axl.Action.D", "axl.Action.C")
INDENTED = "".join(f"  {line}\n" for line in CODE.splitlines())


@pytest.mark.parametrize(
    "reply",
    [
        CODE,
        f"```python\n{CODE}```",
        f"Sure!\n\n~~~ py3\n{CODE}~~~\nIt works.",
        f"```\n{CODE}",
        f"A first try:\n```python\n{OLD}```\nBetter:\n```python\n{CODE}```\n"
        "Run it:\n```bash\npython x.py\n```",
        f"```python\n{CODE}```\nand not\n```python\ndef strategy(self\n```",
        f"```python\n{CODE}```\nUse it so:\n```python\ndef test():\n    pass\n```",
        f"Here it is.\n\n{CODE}\nThis strategy is fair.\nfrom now on it defects.",
        f"* item\n  ```python\n{INDENTED}  ```\n",
        INDENTED,
        json.dumps({"explanation": "x", "code": CODE}),
        json.dumps([{"code": f"```python\n{CODE}```"}]),
        json.dumps(CODE),
        CODE.replace("\n", "\\n"),
        CODE.replace("\n", "\r\n"),
    ],
)
def test_the_function_is_found(reply: str) -> None:
    assert extract_code(reply) == CODE


def test_class_and_helpers_stay_for_mending() -> None:
    wrapped = f"import axelrod as axl\n\nclass Fair(axl.Player):\n  name = 'x'\n\n{INDENTED}"
    assert extract_code(f"```python\n{wrapped}```") == wrapped
    helped = f"def last(h):\n    return h[-1]\n\n{CODE}"
    assert extract_code(f"Look:\n\n{helped}\nDone.") == helped


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("I cannot help with that.", "no code"),
        ("```python\nx = 1\n```", "no code"),
        ("import tariffs matter here and everywhere.", "no code"),
        ("```python\ndef strategy(self, opponent):\n    return (\n```", "line 2: no Python"),
        ("x" * (MAX_REPLY + 1), "characters"),
    ],
)
def test_what_holds_no_code(reply: str, word: str) -> None:
    with pytest.raises(StrategyError, match=word):
        extract_code(reply)


@given(st.text(st.sampled_from('`~\ndef class(x):{}[]"\\ n@'), max_size=120))
def test_any_reply_is_read_or_refused(reply: str) -> None:
    with suppress(StrategyError):
        assert "def " in extract_code(reply) or "class " in extract_code(reply)
