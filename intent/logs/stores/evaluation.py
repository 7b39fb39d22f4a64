"""An evaluation of Inspect, ``.eval``: a sample per game, in the form that Inspect's reader and viewer take.

The store of a sample holds the game with its rows in all tables under the key ``intent``, as `game_records`
gives them; the metadata of the evaluation hold the types of the columns and where the log comes from. So the
log is read back as it was. For people a sample says what was played, round by round, and has two scores:
the share of cooperation and the mean payoff of seats that a model plays (of all, where none does).

References
----------
UK AI Security Institute, Inspect: A framework for large language model evaluations, page "Log Files".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from intent.base.binary import write_zip
from intent.base.errors import OutputError, one_line
from intent.base.outputs import writing
from intent.logs.gamelog import GameLog
from intent.logs.stores import game_records, plain_facts
from intent.version import __version__

__all__ = ["write_evaluation"]

_MOST_TEXT = 20_000
"""Characters of the play that a sample shows; the store has all of it."""


def write_evaluation(log: GameLog, path: str | Path, *, overwrite: bool = False) -> int:
    """Write a log as an Inspect evaluation, one ``.eval`` file; returns the number of its games.

    Raises
    ------
    OutputError
        No game, the path cannot be written, or a column is of a type that no store keeps.
    """
    if not len(log):
        raise OutputError(f"cannot write {path}: the log has no game, expected a sample at least")
    facts = plain_facts(log)
    header, scores = _header(log, facts), dict[str, list[float]]()
    summaries: list[dict[str, Any]] = []

    def members() -> Iterator[tuple[str, bytes]]:
        yield "_journal/start.json", _bytes({name: header[name] for name in ("version", "eval", "plan")})
        for number, game in enumerate(game_records(log), start=1):
            sample = _sample(number, game, header["eval"]["model"])
            for name, score in sample["scores"].items():
                scores.setdefault(name, []).append(score["value"])
            summaries.append({name: sample[name] for name in ("id", "epoch", "input", "target", "scores")})
            yield f"samples/{number}_epoch_1.json", _bytes(sample)
        yield "summaries.json", _bytes(summaries)
        yield "header.json", _bytes(header | {"results": _results(len(log), scores)})

    with writing(path, overwrite=overwrite) as draft:
        write_zip(draft, members(), packed=True)
    return len(log)


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _header(log: GameLog, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the evaluation, but for its results."""
    provenance = facts["provenance"]
    created = provenance.get("created")
    if not isinstance(created, str):
        created = datetime.now(UTC).isoformat(timespec="seconds")
    models = log.seats["model"].dropna().astype(str).unique().tolist()
    digest = hashlib.sha256("\n".join(log.games["game_id"]).encode("utf-8", "surrogatepass")).hexdigest()[:22]
    name = one_line(str(provenance.get("name") or provenance.get("generator") or "games"), 60)
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": digest,
            "run_id": one_line(str(provenance.get("run") or digest), 60),
            "created": created,
            "task": name,
            "task_id": digest,
            "task_version": 0,
            "dataset": {"name": name, "samples": len(log), "sample_ids": list(range(1, len(log) + 1))},
            "model": one_line(models[0], 200) if len(models) == 1 else "several" if models else "none",
            "config": {"epochs": 1},
            "packages": {"strategy-intent": __version__},
            "metadata": facts,
        },
        "plan": {"name": "plan", "steps": []},
        "stats": {"started_at": created, "completed_at": created, "model_usage": {}},
    }


def _sample(number: int, game: Mapping[str, Any], model: str) -> dict[str, Any]:
    about, play = _about(game), _play(game)
    answer = {"role": "assistant", "content": play, "source": "generate", "model": model}
    conditions = {name: value for name, value in game["games"].items() if name != "payoffs"}
    return {
        "id": number,
        "epoch": 1,
        "input": about,
        "target": "",
        "messages": [{"role": "user", "content": about, "source": "input"}, answer],
        "output": {"model": model, "choices": [{"message": answer, "stop_reason": "stop"}]},
        "scores": _scores(game),
        "metadata": conditions,
        "store": {"intent": game},
    }


def _about(game: Mapping[str, Any]) -> str:
    """The game in a few lines: what, who, payoffs."""
    facts = game["games"]
    lines = [
        f"{facts.get('game') or 'a game'} of {facts['n_players']} players, {facts['rounds_played']} rounds"
    ]
    if facts.get("payoffs"):
        lines.append(f"payoffs ({facts.get('payoff_kind') or 'of unknown kind'}): {facts['payoffs']}")
    for seat in game["seats"]:
        named = ("player", "model", "strategy", "architecture", "persona")
        who = ", ".join(f"{name} {one_line(str(seat[name]), 100)}" for name in named if seat.get(name))
        lines.append(f"seat {seat['seat']}: {who or 'nobody named'}")
    return "\n".join(lines)


def _play(game: Mapping[str, Any]) -> str:
    """The moves, a line per round."""
    rounds: dict[int, list[str]] = {}
    for move in game["moves"]:
        shown = move.get("action", move.get("value", "–"))
        payoff = f" ({move['payoff']})" if "payoff" in move else ""
        rounds.setdefault(move["round"], []).append(f"seat {move['seat']} {one_line(str(shown), 60)}{payoff}")
    lines = "\n".join(f"round {number}: {', '.join(moves)}" for number, moves in sorted(rounds.items()))
    return lines if len(lines) <= _MOST_TEXT else f"{lines[:_MOST_TEXT]} …"


def _scores(game: Mapping[str, Any]) -> dict[str, Any]:
    """Share of cooperation and mean payoff, where they are known."""
    of_models = {seat["seat"] for seat in game["seats"] if seat.get("model")}
    moves = [move for move in game["moves"] if not of_models or move["seat"] in of_models]
    whose = "seats that a model plays" if of_models else "all seats"
    scores = {}
    for name, column in (("cooperation", "cooperated"), ("payoff", "payoff")):
        values = [float(move[column]) for move in moves if isinstance(move.get(column), int | float)]
        if values:
            mean = sum(values) / len(values)
            scores[name] = {"value": mean, "explanation": f"mean of {len(values)} moves of {whose}"}
    return scores


def _results(n: int, scores: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    means = {name: sum(values) / len(values) for name, values in scores.items()}
    return {
        "total_samples": n,
        "completed_samples": n,
        "scores": [
            {"name": name, "scorer": name, "metrics": {"mean": {"name": "mean", "value": mean}}}
            for name, mean in means.items()
        ],
    }
