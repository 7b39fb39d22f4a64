"""What a run will cost by role, from the replies that an earlier run really got.

A role is an architecture of a seat and what is asked of it: to choose, to speak, to think, to advise. How
many calls a choice takes of each, and how long the replies are, is taken from the calls of a run that there
is, such as a short one with the same model; how many choices there will be, from the plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from intent.base.errors import DataError
from intent.runner.dry_run import model_seats, priced, tokens_in
from intent.runner.run import Run

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.runner.limits import Price

__all__ = ["RoleNeed", "replies_seen", "role_needs"]


@dataclass(frozen=True)
class RoleNeed:
    """What one role is expected to take.

    Attributes
    ----------
    player : str, the model as the experiment names it
    architecture, purpose : str
    calls : float
    prompt_tokens, reply_tokens : float, of all these calls
    cost : float, in the currency of the prices; None without one
    """

    player: str
    architecture: str
    purpose: str
    calls: float
    prompt_tokens: float
    reply_tokens: float
    cost: float | None


def replies_seen(folder: Path) -> pd.DataFrame:
    """Calls and tokens of a choice, by role, as a run has them.

    Parameters
    ----------
    folder : that of a run

    Returns
    -------
    DataFrame
        architecture, purpose, calls (per choice), prompt_tokens, reply_tokens (means per call, reasoning
        included; a quarter of the characters where the endpoint does not count them).

    Raises
    ------
    RunError
        No run.
    DataError
        A run without a call.
    """
    run = Run.open(folder)
    calls = run.calls()
    if calls.empty:
        raise DataError(f"{folder}: holds no call of a model, expected a run that asked one")
    seats = {(plan.game_id, k): s.architecture for plan in run.plans() for k, s in enumerate(plan.seats, 1)}
    keys = zip(calls["game_id"], calls["seat"], strict=True)
    calls["architecture"] = [seats[str(game), int(seat)] for game, seat in keys]
    for column, text in (("prompt_tokens", "body"), ("completion_tokens", "text")):
        estimated = calls[text].map(tokens_in)
        calls[column] = calls[column].astype("Float64").fillna(estimated).astype(float)
    choices = calls.drop_duplicates(["game_id", "round", "seat"])["architecture"].value_counts()
    grouped = calls.groupby(["architecture", "purpose"], sort=True)
    table = grouped.agg(
        n=("reference", "size"),
        prompt_tokens=("prompt_tokens", "mean"),
        reply_tokens=("completion_tokens", "mean"),
    ).reset_index()
    table["calls"] = table["n"] / table["architecture"].map(choices)
    return table[["architecture", "purpose", "calls", "prompt_tokens", "reply_tokens"]]


def role_needs(
    plans: Sequence[GamePlan], seen: pd.DataFrame, prices: Mapping[str, Price]
) -> tuple[list[RoleNeed], list[str]]:
    """What plans will take by role, and the architectures that were not seen.

    Parameters
    ----------
    plans : sequence of GamePlan
    seen : DataFrame, as `replies_seen`
    prices : model -> price

    Returns
    -------
    needs : list of RoleNeed
    unseen : list of str, architectures of which nothing can be said
    """
    choices: Counter[tuple[str, str]] = Counter()
    for plan in plans:
        rounds = plan.horizon().expected
        for seat in model_seats(plan):
            mine = plan.seats[seat - 1]
            choices[mine.player, mine.architecture] += rounds  # type: ignore[assignment]
    needs, unseen = [], []
    for (player, architecture), n in sorted(choices.items()):
        rows: list[dict[str, Any]] = [
            {str(k): v for k, v in row.items()}
            for row in seen[seen["architecture"] == architecture].to_dict("records")
        ]
        if not rows:
            unseen.append(architecture)
        for row in rows:
            calls = n * float(row["calls"])
            prompt, reply = calls * float(row["prompt_tokens"]), calls * float(row["reply_tokens"])
            cost = priced(player, prices, prompt, reply)
            needs.append(RoleNeed(player, architecture, str(row["purpose"]), calls, prompt, reply, cost))
    return needs, list(dict.fromkeys(unseen))
