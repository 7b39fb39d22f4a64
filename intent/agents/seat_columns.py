"""What the log's seats table says of every player, whoever it is."""

from __future__ import annotations

from typing import Any

from intent.agents.plan import SeatPlan

__all__ = ["seat_columns"]


def seat_columns(seat: SeatPlan) -> dict[str, Any]:
    """Persona, architecture, attitude, name, what others are told of the persona, and further columns."""
    return {
        "persona": seat.persona,
        "architecture": seat.architecture,
        "attitude": seat.attitude,
        "agent_name": seat.name,
        "opponent_persona_probability": seat.opponent_persona_probability,
        **seat.columns,
    }
