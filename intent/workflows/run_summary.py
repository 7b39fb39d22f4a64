"""What a run came to, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.runner.run import Outcome, Run
    from intent.runner.status import RunStatus

__all__ = ["move_summary", "session_summary", "use_summary"]

_SHOWN = 5
"""Games set aside whose errors are told."""


def session_summary(run: Run, name: str, outcome: Outcome, log: GameLog) -> tuple[dict[str, Any], list[str]]:
    """How far a run has come at the end of a session, and the errors of games that were set aside.

    Parameters
    ----------
    run : Run
    name : str
        Of the experiment or benchmark.
    outcome : Outcome
    log : GameLog
        Of the finished games.

    Returns
    -------
    summary : dict, from ``path`` to ``log`` as `schema.JSON_OBJECTS["play"]`
    notes : list of str
    """
    status = run.status()
    summary = {
        "path": str(run.folder),
        "name": name,
        "run": str(run.facts["run"]),
        "state": "stopped" if outcome.stop else "incomplete" if outcome.interrupted else "finished",
        "reason": outcome.stop.reason if outcome.stop else None,
        "n_games": status.games,
        "n_finished": status.finished,
        "n_interrupted": status.interrupted,
        **move_summary(log),
        **use_summary(status),
        "new_calls": outcome.calls,
        "log": str(run.folder / "log") if len(log.games) else None,
    }
    return summary, [f"game {game}: {error}" for game, error in status.errors[:_SHOWN]]


def move_summary(log: GameLog) -> dict[str, Any]:
    """Moves of a log: how many, how many missing or defaulted, how cooperative, overall and by player.

    Returns
    -------
    dict with ``n_moves``, ``n_missing``, ``n_defaulted``, ``readable`` (share of the moves of language models
    that came from a reply; None without one), ``cooperation_rate`` (None where undecidable), ``players``
    (list of player, n_moves, readable, cooperation_rate, mean_payoff)
    """
    seats = log.seats.copy(deep=False)
    empty = seats["game_id"].iloc[:0]
    model = seats["model"] if "model" in seats.columns else empty.reindex(seats.index)
    strategy = seats["strategy"] if "strategy" in seats.columns else empty.reindex(seats.index)
    seats = seats.assign(_player=model.fillna(strategy).fillna("human"), _asked=model.notna())
    moves = log.moves.assign(game_id=log.moves["game_id"].astype(str))
    seats = seats.assign(game_id=seats["game_id"].astype(str))
    joined = moves.merge(seats[["game_id", "seat", "_player", "_asked"]], on=["game_id", "seat"])
    players = [{"player": str(name), **_numbers(part)} for name, part in joined.groupby("_player", sort=True)]
    whole = _numbers(joined)
    whole.pop("mean_payoff")
    return {
        "n_moves": whole.pop("n_moves"),
        "n_missing": int((joined["status"] == "missing").sum()),
        "n_defaulted": int((joined["status"] == "defaulted").sum()),
        **whole,
        "players": players,
    }


def _numbers(moves: pd.DataFrame) -> dict[str, Any]:
    asked = moves[moves["_asked"].astype(bool)]
    known = moves["cooperated"].dropna()
    payoffs = moves["payoff"].dropna()
    return {
        "n_moves": len(moves),
        "readable": float((asked["status"] == "parsed").mean()) if len(asked) else None,
        "cooperation_rate": float(known.astype(bool).mean()) if len(known) else None,
        "mean_payoff": float(payoffs.mean()) if len(payoffs) else None,
    }


def use_summary(status: RunStatus) -> dict[str, Any]:
    """Calls, tokens, cost and time of a run, and the state it is in."""
    return {
        "calls": status.calls,
        "cached": status.cached,
        "resent": status.resent,
        "failures": dict(status.failures),
        "prompt_tokens": sum(model.prompt_tokens for model in status.models),
        "completion_tokens": sum(model.completion_tokens for model in status.models),
        "cost": status.cost if any(model.cost is not None for model in status.models) else None,
        "seconds": status.seconds,
        "models": [
            {
                "player": model.player,
                "models": list(model.models),
                "calls": model.calls,
                "prompt_tokens": model.prompt_tokens,
                "completion_tokens": model.completion_tokens,
                "cost": model.cost,
                "seconds": model.seconds,
            }
            for model in status.models
        ],
    }
