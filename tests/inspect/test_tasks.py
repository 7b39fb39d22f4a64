"""Tasks as `inspect eval` runs them: requests and moves of `intent play`, logs with nothing to map."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra inspect")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

from inspect_ai import eval as inspect_eval  # noqa: E402
from inspect_ai.log import EvalLog, read_eval_log  # noqa: E402

from intent import play_experiment, read_log  # noqa: E402
from intent.inspect.tasks import MATRIX, TASKS, experiment_file  # noqa: E402
from intent.runner.run import Run  # noqa: E402


def evaluated(
    name: str, folder: Path, model: str = "intent/tft", roles: Any = None, **parameters: Any
) -> EvalLog:
    """The log of one task."""
    (log,) = inspect_eval(
        TASKS[name](**parameters),
        model=model,
        model_roles=roles,
        log_dir=str(folder),
        display="none",
        score_display=False,
    )
    return read_eval_log(log.location, resolve_attachments=True) if log.location else log


def requests(log: EvalLog) -> list[tuple[str, list[tuple[str, str]]]]:
    """Game and messages of every request, in the order in which they were sent."""
    sent = []
    for sample in log.samples or []:
        for event in sample.events:
            if event.event == "model":
                sent.append((str(sample.id), [(m.role, m.text) for m in event.input]))
    return sorted(sent)


def calls(folder: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same of a run of ours."""
    rows = Run.open(folder).calls().to_dict("records")
    bodies = [(row["game_id"], json.loads(row["body"])["messages"]) for row in rows]
    return sorted((game, [(m["role"], m["content"]) for m in messages]) for game, messages in bodies)


def moves(log: Any) -> list[tuple[Any, ...]]:
    """Game, round, seat, action and status of every move."""
    table = log.moves.astype({"game_id": str, "action": str})
    return sorted(table[["game_id", "round", "seat", "action", "status"]].itertuples(index=False, name=None))


FILES = {
    "matrix": (MATRIX, ["rounds=4", "repetitions=2"]),
    "errors": (
        MATRIX,
        ["rounds=6", "repetitions=2", "implementation_error=0.2", "language=vi", "reply.remind=true"],
    ),
    "talk": (
        MATRIX,
        ["rounds=3", "repetitions=1", "communication=simultaneous", "architecture=chain_of_thought"],
    ),
    "questions": (MATRIX, ["rounds=2", "repetitions=1", "questions=[rounds_so_far]"]),
    "tool": (MATRIX, ["rounds=3", "repetitions=1", "architecture=tool"]),
    "public_goods": (
        experiment_file("public_goods"),
        [
            "rounds=2",
            "repetitions=1",
            "grid.language=null",
            "grid.factor=null",
            "grid.personas=null",
            "personas=selfish",
        ],
    ),
    "seeded": (MATRIX, ["rounds=3", "repetitions=2", "settings.seeded=true", "settings.temperature=0.5"]),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("model", ["scripted/uniform", "scripted/erratic"])
def test_a_model_is_asked_and_plays_as_under_intent_play(name: str, model: str, tmp_path: Path) -> None:
    file, changes = FILES[name]
    played = play_experiment(str(file), tmp_path / "run", set=changes, models=None, model=model)
    log = evaluated("experiment", tmp_path / "logs", f"intent/{model}", file=str(file), set=changes)
    assert log.status == "success", log.error
    ours, theirs = calls(tmp_path / "run"), requests(log)
    assert len(ours) > 3
    assert theirs == ours
    assert moves(read_log(log.location)) == moves(played.log)
