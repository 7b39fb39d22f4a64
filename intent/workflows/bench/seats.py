"""Who takes which seat of a benchmark's table, and how a model there is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intent.agents.client import Settings
from intent.agents.clients.registry import SEEDED, provider_of
from intent.agents.plan import SeatPlan
from intent.agents.players import parse_player

if TYPE_CHECKING:
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.condition import BenchCondition

__all__ = ["bench_seat"]


def bench_seat(benchmark: Benchmark, condition: BenchCondition, player: str, seat: int) -> SeatPlan:
    """The plan of one seat; strategies and humans have no persona and nothing that prompts say.

    Parameters
    ----------
    benchmark : Benchmark
    condition : BenchCondition
    player : str
    seat : int, from 1
    """
    name = f"player_{seat}"
    if parse_player(player).kind != "model":
        return SeatPlan(player=player, name=name)
    thinks = condition.chain_of_thought is not None
    return SeatPlan(
        player=player,
        name=name,
        persona=condition.persona,
        architecture="chain_of_thought" if thinks else "plain",
        options={
            **condition.options,
            **({"told": condition.told} if condition.told is not None else {}),
            **({"phrase": condition.chain_of_thought} if thinks else {}),
        },
        settings=_settings(benchmark, condition, player),
    )


def _settings(benchmark: Benchmark, condition: BenchCondition, player: str) -> Settings:
    """Those of the condition, with the model's own over them; who can be seeded is, so that runs repeat."""
    own: dict[str, Any] = {}
    if player in benchmark.model_settings:
        own = benchmark.model_settings[player].model_dump(exclude_unset=True)
    if provider_of(player) in SEEDED:
        own = {"seeded": True, **own}
    return Settings.model_validate({**condition.settings.model_dump(), **own})
