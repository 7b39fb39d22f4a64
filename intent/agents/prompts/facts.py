"""What a prompt says of the game, apart from the past: names, personas, payoffs, the pool."""

from __future__ import annotations

import json

from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.inside import Role
from intent.agents.prompts.numerals import written
from intent.agents.prompts.wording import Wording
from intent.errors import PromptError, shorten
from intent.games.game import Game
from intent.games.matrix import MatrixGame
from intent.games.public_goods import PublicGoods
from intent.play.view import View

__all__ = ["facts", "json_options", "listed", "persona"]


def facts(view: View, plan: GamePlan, wording: Wording, role: Role = "player") -> dict[str, object]:
    """Placeholder -> value, all but those of the past; for a decider all but the payoffs too.

    Raises
    ------
    PromptError
        A game that there are no words for.
    """
    others = [plan.seats[seat - 1] for seat in view.other_seats]
    own = persona(plan.seats[view.seat - 1], wording)
    options = listed(view.game.actions, plan.listed_first)
    values: dict[str, object] = {
        "name": plan.seats[view.seat - 1].name,
        "others": wording.say("comma").join(seat.name for seat in others),
        "options": wording.say("or").join(options),
        "option_1": options[0],
        "option_2": options[1],
        "json_options": json_options(options, wording),
        "unit": wording.say(f"unit_{view.game.kind}"),
        "round": view.round,
    }
    if own is not None:
        values["own_persona"] = own
    if told := _hints(others, wording):
        values["hints"] = told
    if view.horizon is not None:
        values["rounds"] = view.horizon
    elif view.continuation is not None:
        values["continuation"] = written(view.continuation)
    if view.implementation_error:
        values["implementation_error"] = written(view.implementation_error)
    if role == "decider":
        return values
    if isinstance(view.game, MatrixGame):
        return values | _matrix(view, options, plan, wording, role)
    if isinstance(view.game, PublicGoods):
        return values | _pool(view.game, options, wording)
    raise PromptError(f"{view.game.name}: no prompts for a {type(view.game).__name__}")


def listed(actions: tuple[str, ...], first: str | None) -> tuple[str, ...]:
    """The actions in the order in which they are listed.

    Raises
    ------
    PromptError
        The one to be listed first is no action.
    """
    if first is None:
        return tuple(actions)
    if first not in actions:
        raise PromptError(f"listed_first {shorten(first)!r} is not one of {', '.join(actions)}")
    return (first, *(action for action in actions if action != first))


def json_options(options: tuple[str, ...], wording: Wording) -> str:
    """The options as the JSON objects that are asked for."""
    return wording.say("or").join(json.dumps({"choice": option}, ensure_ascii=False) for option in options)


def persona(seat: SeatPlan, wording: Wording) -> str | None:
    """The words that complete “You are …”, None for a player without persona."""
    if seat.persona_text is not None:
        return seat.persona_text or None
    if not seat.persona or seat.persona == "None":
        return None
    return wording.persona(seat.persona)


def _hints(others: list[SeatPlan], wording: Wording) -> str:
    """What is told of the personas of those whose plan says a probability."""
    told = [
        wording.say("hint", player=seat.name, persona=words, probability=written(probability))
        for seat in others
        if (probability := seat.opponent_persona_probability) and (words := persona(seat, wording))
    ]
    return "\n".join(told)


def _matrix(
    view: View, options: tuple[str, ...], plan: GamePlan, wording: Wording, role: Role
) -> dict[str, object]:
    game, seat = view.game, view.seat
    name, other = plan.seats[seat - 1].name, plan.seats[2 - seat].name
    values: dict[str, object] = {"other": other}
    lines = []
    line = f"outcome_assistant_{plan.named_first}" if role == "assistant" else f"outcome_{plan.named_first}"
    unit = wording.say(f"unit_{game.kind}")
    for i, first in enumerate(options, start=1):
        for j, second in enumerate(options, start=1):
            mine, theirs = _payoffs(game, seat, first, second)
            values[f"own_{i}_{j}"], values[f"other_{i}_{j}"] = mine, theirs
            own, others = (first, second) if plan.named_first == "self" else (second, first)
            mine, theirs = _payoffs(game, seat, own, others)
            lines.append(
                wording.say(
                    f"{line}_first",
                    name=name,
                    own_option=own,
                    other=other,
                    other_option=others,
                    unit=unit,
                    own_payoff=mine,
                    other_payoff=theirs,
                )
            )
    return values | {"outcomes": "\n".join(lines)}


def _payoffs(game: Game, seat: int, own: str, other: str) -> tuple[str, str]:
    """Own payoff and the other's."""
    joint = (own, other) if seat == 1 else (other, own)
    pair = game.payoff(joint)
    return written(pair[seat - 1]), written(pair[2 - seat])


def _pool(game: PublicGoods, options: tuple[str, ...], wording: Wording) -> dict[str, object]:
    give, keep = game.actions
    n, c, m = game.n_players, game.cost, game.factor
    line = {give: "give_line", keep: "keep_line"}
    return {
        "n_players": n,
        "cost": written(c),
        "factor": written(m),
        "give": give,
        "keep": keep,
        "option_lines": "\n".join(wording.say(line[o], option=o, cost=written(c)) for o in options),
        "pool_all": written(c * n),
        "share_all": written(n * c * m / n),
        "reward_all": written(n * c * m / n - c),
        "share_one": written(c * m / n),
        "reward_one": written(c * m / n - c),
    }
