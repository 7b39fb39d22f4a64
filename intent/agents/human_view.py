"""A view in words and numbers, for a human at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from intent.agents.prompts.history import cut_message
from intent.errors import shorten
from intent.games.game import Game, number
from intent.games.public_goods import PublicGoods
from intent.play.view import View

__all__ = ["describe", "harmless"]


def describe(view: View, names: Sequence[str], memory: int | None = None) -> str:
    """What the seat may know: round, payoffs, past rounds, messages.

    Parameters
    ----------
    view : View
    names : sequence of str, by seat
    memory : int, optional
        Past rounds to show; None is all.
    """
    players = [_player(view, seat, names) for seat in range(1, view.game.n_players + 1)]
    parts = [
        f"{view.game.name}: round {view.round}{_horizon(view)}. You are {players[view.seat - 1]}.",
        *_payoffs(view.game, view.seat),
        *_errors(view.implementation_error),
        *_past(view, players, memory),
        *(f"  {players[s - 1]} says: {_quoted(text)}" for s, text in view.said),
        *(f"  {players[s - 1]} has chosen {action or 'nothing'}" for s, action in view.earlier),
    ]
    return "\n".join(parts)


def harmless(text: str) -> str:
    """Text of others without what would steer a terminal, cut to a readable length."""
    return "".join(
        c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in cut_message(text)
    )


def _player(view: View, seat: int, names: Sequence[str]) -> str:
    name = shorten(harmless(names[seat - 1]), 40)
    return f"{name} (seat {seat}, you)" if seat == view.seat else f"{name} (seat {seat})"


def _quoted(text: str | None) -> str:
    return "(nothing)" if text is None else harmless(text)


def _horizon(view: View) -> str:
    if view.horizon is not None:
        return f" of {view.horizon}"
    if view.continuation is not None:
        return f"; after each round another one follows with probability {view.continuation:g}"
    return ""


def _payoffs(game: Game, seat: int) -> list[str]:
    better = "higher is better" if game.kind == "reward" else "lower is better"
    lines = [f"Payoffs are {'rewards' if game.kind == 'reward' else 'penalties'}: {better}."]
    if isinstance(game, PublicGoods):
        give, keep = game.actions
        return [
            *lines,
            f"  {give}: put {game.cost:g} into the pool; {keep}: put nothing in.",
            f"  The pool, times {game.factor:g}, is shared equally by all {game.n_players} players.",
        ]
    for own in game.actions:
        for other in game.actions:
            joint = (own, other) if seat == 1 else (other, own)
            payoffs = [number(float(x)) for x in game.payoff(joint)]
            mine, theirs = payoffs if seat == 1 else payoffs[::-1]
            lines.append(f"  you {own}, other {other}: you get {mine}, the other gets {theirs}")
    return lines


def _errors(error: float) -> list[str]:
    if not error:
        return []
    return [
        f"With probability {error:g}, drawn for each player in every round, the opposite of what was chosen",
        "is played; only what is played counts, and the past rounds show it.",
    ]


def _past(view: View, players: Sequence[str], memory: int | None) -> list[str]:
    played = view.round - 1
    shown = range(0 if memory is None else max(0, played - memory), played)
    lines = []
    for t in shown:
        moves = []
        for i, player in enumerate(players):
            payoff = view.payoffs_by_seat[i][t]
            gets = "" if payoff is None else f" ({number(float(payoff))})"
            moves.append(f"{player} {view.actions_by_seat[i][t] or 'no move'}{gets}")
            message = view.messages_by_seat[i][t]
            if message is not None:
                lines.append(f"  round {t + 1}: {player} said: {harmless(message)}")
        lines.append(f"  round {t + 1}: {', '.join(moves)}")
    return lines
