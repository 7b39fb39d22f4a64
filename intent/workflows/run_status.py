"""How a run is going."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

__all__ = ["run_status"]


def run_status(folder: str | Path) -> dict[str, Any]:
    """How the run in a folder is going, as `schema.JSON_OBJECTS["status"]`; also while it is played.

    Raises
    ------
    RunError
        The folder is no run.
    """
    from intent.runner.run import Run

    run = Run.open(folder)
    status = asdict(run.status())
    status["errors"] = [{"game_id": name, "error": error} for name, error in status["errors"]]
    status["models"] = [{**model, "models": list(model["models"])} for model in status["models"]]
    state = (
        "playing" if status["playing"] else "finished" if status["finished"] == status["games"] else "stopped"
    )
    return {
        "path": str(run.folder),
        "name": str(run.facts.get("name", run.folder.name)),
        "state": state,
        **{key: value for key, value in status.items() if key != "playing"},
        "cost": status["cost"] if any(model["cost"] is not None for model in status["models"]) else None,
    }
