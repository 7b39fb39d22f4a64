"""What playing a benchmark would take: who is asked how often, and what the seats see first and last.

Expected calls are those of equilibrium play in which every reply can be read. Tokens of a prompt are the mean
of those of a seat's first and last request. Shown is, of every condition, the prompt of the first model's
seat when it is asked for the second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.games.payoffs import game_from_json
from intent.gamma.bench.benchmark import bench_cells
from intent.gamma.bench_game import BenchGame
from intent.gamma.catalogue import bench_game
from intent.gamma.wording import game_of
from intent.play.match import Horizon
from intent.play.referee import Referee
from intent.runner.dry_run import (
    REPLY_TOKENS,
    Counting,
    Need,
    client_notes,
    first_prompt,
    model_seats,
    priced,
    tokens_in,
)

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.plan import GamePlan
    from intent.games.game import CourseGame
    from intent.gamma.bench.benchmark import Benchmark
    from intent.play.match import View
    from intent.runner.limits import Price


__all__ = ["COUNTING", "THINKING_TOKENS", "ExpectedCourse", "expected_course", "most_moves"]


THINKING_TOKENS = 150
"""Tokens that a reply with a chain of thought is taken to have where its length is not limited."""


def _levels(benchmark: Benchmark, plans: Sequence[GamePlan]) -> list[dict[str, Any]]:
    """What tells each condition from the others."""
    return [
        {
            **({} if cell.model is None else {"model": cell.model}),
            **({"table": plan.columns["table"]} if "table" in plan.columns else {}),
            **cell.levels,
            "game": plan.game,
            "setting": cell.setting,
        }
        for cell, plan in zip(bench_cells(benchmark), plans, strict=False)
    ]


def _need(plan: GamePlan, agents: Sequence[Agent], prices: Mapping[str, Price]) -> Need:
    """What one table takes."""
    course, seats = expected_course(plan), model_seats(plan)
    calls, prompt_tokens, reply_tokens = 0.0, 0.0, 0.0
    cost: float | None = 0.0
    sizes: dict[tuple[str, float], float] = {}
    for seat in seats:
        mine, moves = plan.seats[seat - 1], course.moves[seat]
        if not moves:
            continue
        views = [course.first[seat], course.last[seat]] if seat in course.first else []
        like = (mine.player, len(views[-1].told) if views else 0)
        if like not in sizes:
            sizes[like] = _prompt_tokens(agents[seat - 1], views)
        thinks = mine.architecture == "chain_of_thought"
        reply = float(mine.settings.max_tokens or (THINKING_TOKENS if thinks else REPLY_TOKENS))
        calls += moves
        prompt_tokens += moves * sizes[like]
        reply_tokens += moves * reply
        own_cost = priced(mine.player, prices, moves * sizes[like], moves * reply)
        cost = None if cost is None or own_cost is None else cost + own_cost
    most = most_moves(plan, seats) * (1 + plan.reply.retries)
    return Need(sum(course.moves.values()), calls, most, prompt_tokens, reply_tokens, cost)


def _prompt_tokens(agent: Agent, views: Sequence[View]) -> float:
    return sum(tokens_in(first_prompt(agent, view).text) for view in views) / len(views) if views else 0.0


def _shown(plan: GamePlan, agents: Sequence[Agent]) -> list[dict[str, Any]]:
    """The prompts of one seat, which knows a round where any does; of pirates also those of a voter."""
    course = expected_course(plan)
    seats = [seat for seat in model_seats(plan) if seat in course.first]
    known = [seat for seat in seats if seat in course.second] or seats
    chosen = known[: _row(plan.game).seats_shown]
    prompts = []
    for seat in chosen:
        prompt = first_prompt(agents[seat - 1], course.second.get(seat, course.first[seat]))
        role = plan.seats[seat - 1].architecture
        prompts.append(
            {"seat": seat, "role": role, "stage": prompt.purpose, "text": prompt.text, "tools": []}
        )
    return prompts


def _notes(benchmark: Benchmark, plans: Sequence[GamePlan], cost: float | None) -> list[str]:
    notes = []
    if any(_row(plan.game).sequential for plan in plans):
        notes.append(
            "battle royale and the pirate game last as long as play makes them: calls expected are those of "
            "equilibrium play"
        )
    if benchmark.budget is not None and cost is not None and cost > benchmark.budget:
        notes.append(
            f"expected cost {cost:.4g} is above the budget of {benchmark.budget:g}: the run will stop there"
        )
    return notes + client_notes(benchmark, plans)


@dataclass(frozen=True, eq=False)
class ExpectedCourse:
    """What equilibrium play makes of a game.

    Parameters
    ----------
    moves : seat -> moves of a match, a mean
    first, second, last : seat -> what it sees when it is asked for the first, second and last time
        Of one match; a seat that is never asked is absent, one that is asked once has no second time.
    """

    moves: Mapping[int, float]
    first: Mapping[int, View]
    second: Mapping[int, View]
    last: Mapping[int, View]


def expected_course(plan: GamePlan) -> ExpectedCourse:
    """What is to be expected of a planned game, if everybody plays the equilibrium.

    Simultaneous games ask every seat in every round, whatever is played. How long sequential ones last
    depends on play: with language models a battle is longer where they miss, and pirates go overboard.

    Parameters
    ----------
    plan : GamePlan
    """
    return _course(plan.payoffs, plan.game, plan.payoff_kind, plan.rounds, plan.horizon_known)


@lru_cache(maxsize=256)
def _course(payoffs: str, name: str, kind: str, rounds: int, known: bool) -> ExpectedCourse:
    from intent.games.game import CourseGame

    game = game_from_json(payoffs, name, kind)
    assert isinstance(game, CourseGame)
    moves = dict.fromkeys(range(1, game.n_players + 1), 0.0)
    views: list[list[tuple[int, View]]] = []
    matches = _row(name).matches
    for number in range(matches):
        seen = _match(game, Horizon(rounds, known), np.random.default_rng(number), keep=number == 0)
        for seat, _ in seen:
            moves[seat] += 1 / matches
        views.append([(seat, view) for seat, view in seen if view is not None])
    first: dict[int, View] = {}
    second: dict[int, View] = {}
    last: dict[int, View] = {}
    for seat, view in views[0]:
        if seat in first:
            second.setdefault(seat, view)
        first.setdefault(seat, view)
        last[seat] = view
    return ExpectedCourse(moves, first, second, last)


def _match(
    game: CourseGame, horizon: Horizon, rng: np.random.Generator, *, keep: bool
) -> list[tuple[int, View | None]]:
    """Every request of a match in which all play the equilibrium: the seat, and what it sees."""
    chance, choice = rng.spawn(2)
    referee = Referee(game, horizon, rng=chance)
    seen: list[tuple[int, View | None]] = []
    while not referee.over:
        turn = [(seat, referee.view(seat)) for seat in referee.pending()]
        seen += [(seat, view if keep else None) for seat, view in turn]
        for seat, view in turn:
            referee.submit(seat, game.equilibrium(seat, view.asked or {}, choice))
    return seen


def most_moves(plan: GamePlan, seats: Sequence[int]) -> int:
    """Most moves of some seats together: in battle one a round, of a pirate as many as its place.

    Parameters
    ----------
    plan : GamePlan
    seats : sequence of int, from 1
    """
    return _row(plan.game).most_moves(plan.rounds, seats)


def _row(name: str) -> BenchGame:
    """Of a game, whatever its story."""
    return bench_game(game_of(name) or name)


_CAPTION = "prompt of a second turn, or of the only one, among equilibrium players"

COUNTING = Counting(_levels, _need, _shown, _notes, _CAPTION)
