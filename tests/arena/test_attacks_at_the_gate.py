"""The gate keeps attacks out; what it cannot see is left to the engines."""

from __future__ import annotations

import pytest
from attacks import ATTACKS, HONEST

from intent.arena.sources.gate import gate
from intent.base.errors import StrategyError

WORK = """endless endless_sum endless_iterator late_loop endless_generator huge_power squaring shift digits
collisions list_bomb string_bomb dict_bomb hoard one_string format_bomb padding list_of_range nested_list
generator_drained generator_huge raises"""
"""Work or memory without end, by plain arithmetic and lists."""

VALUES = """returns_nan returns_huge_text returns_huge_number returns_class returns_method returns_function
returns_pair returns_list returns_history returns_itself returns_generator returns_cycle"""
"""A value that is no move, made rather than written down."""

COPIES = "own_list other_list"
"""Its own copies of the histories."""

ONLY_PLAY_SHOWS = frozenset(f"{WORK} {VALUES} {COPIES}".split())


@pytest.mark.parametrize("name", sorted(ATTACKS.keys() - ONLY_PLAY_SHOWS))
def test_the_gate_refuses(name: str) -> None:
    with pytest.raises(StrategyError) as refused:
        gate(ATTACKS[name].source)
    assert str(refused.value).isprintable()


def test_the_gate_lets_the_honest_pass() -> None:
    assert "axl.Action.C" in gate(HONEST)


def test_nothing_that_passes_reaches_for_the_machine() -> None:
    assert all("modules()" not in ATTACKS[name].source for name in ONLY_PLAY_SHOWS)
    assert not any(ATTACKS[name].inside for name in ONLY_PLAY_SHOWS)
