"""From a plan to its agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_plans import plan_of
from outside_packages import install

from intent.agents.agent import ARCHITECTURES, ScriptedAgent, architecture, make_agents
from intent.agents.human import HumanAgent
from intent.base.errors import UnknownNameError


class Echo:
    """An architecture of somebody else."""

    def __init__(self, plan: Any, seat: int, prompts: Any) -> None:
        self.made_of = (plan, seat, prompts)


def test_each_seat_gets_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ARCHITECTURES, "echo", f"{__name__}:Echo")
    plan = plan_of("scripted/TFT", "human")
    scripted, human = make_agents(plan, {})
    assert isinstance(scripted, ScriptedAgent)
    assert isinstance(human, HumanAgent)
    seats = (plan.seats[0], plan.seats[1].model_copy(update={"player": "m", "architecture": "echo"}))
    plan, words = plan.model_copy(update={"seats": seats}), object()
    agent: Any = make_agents(plan, {"intent": words})[1]  # type: ignore[dict-item]
    assert agent.made_of == (plan, 2, words)


def test_other_packages_add_architectures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "echo", "", {"intent.agents": f"theirs = {__name__}:Echo"})
    architecture.cache_clear()
    assert architecture("theirs") is Echo
    architecture.cache_clear()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown architecture 'plane'; did you mean plain"):
        architecture("plane")
    plan = plan_of("scripted/first", "scripted/TFT", prompts="ours")
    with pytest.raises(UnknownNameError, match="unknown prompt set 'ours'"):
        make_agents(plan, {"intent": object()})  # type: ignore[dict-item]


def test_the_shipped_architectures_are_there() -> None:
    for name in ARCHITECTURES:
        assert callable(architecture(name))
