"""From an experiment to the plans of its games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from intent.agents.personas import pairing, persona_kind
from intent.agents.plan import GamePlan, SeatPlan
from intent.errors import DataError, shorten
from intent.workflows.experiment.grid import Cell, cells
from intent.workflows.experiment.prompt_names import prompt_names
from intent.workflows.experiment.relabel import relabelled
from intent.workflows.experiment.seats import seat_plans
from intent.workflows.experiment.seeds import game_seed

if TYPE_CHECKING:
    from intent.games.matrix import MatrixGame
    from intent.games.public_goods import PublicGoods
    from intent.workflows.experiment.condition import Condition
    from intent.workflows.experiment.model import Experiment

__all__ = ["make_plans"]


@dataclass(frozen=True)
class _Order:
    """How one repetition is presented.

    Attributes
    ----------
    swapped : whether the two labels stand for each other's action
    listed_first : label, or None for the game's own order
    named_first : {"self", "other"}
    """

    swapped: bool
    listed_first: str | None
    named_first: Literal["self", "other"]


def make_plans(experiment: Experiment) -> list[GamePlan]:
    """The games of an experiment, repetition after repetition.

    Each game's seed is a hash of the experiment's seed, the condition and the repetition, so that a grown
    grid leaves the games alone that it had.

    Raises
    ------
    DataError, GameError, UnknownNameError
        A condition that makes no game.
    """
    grid = cells(experiment)
    names = prompt_names(cell.condition.prompts for cell in grid)
    scaled = any(cell.condition.scale != 1 for cell in grid)
    columns = [_fixed_columns(experiment, cell, scaled) for cell in grid]
    made: list[GamePlan] = []
    for repetition in range(1, experiment.repetitions + 1):
        for cell, fixed in zip(grid, columns, strict=True):
            game_id = f"g{len(made) + 1:06d}"
            made.append(_plan(experiment, cell, fixed, repetition, game_id, names[cell.condition.prompts]))
    return made


def _plan(
    experiment: Experiment, cell: Cell, fixed: dict[str, Any], repetition: int, game_id: str, prompts: str
) -> GamePlan:
    condition = cell.condition
    base = _stage(condition)
    order = _order(experiment, condition, base.actions, repetition)
    labels = base.actions[::-1] if order.swapped else base.actions
    own = condition.game.stage().actions
    meant = {**dict(zip(own, labels, strict=True)), **dict(zip(base.actions, labels, strict=True))}
    reply = condition.reply
    _check_actions(experiment, condition, base.n_players, meant)
    if reply.default is not None:
        reply = reply.model_copy(update={"default": meant.get(reply.default, reply.default)})
    return GamePlan.of(
        relabelled(base, labels),
        game_id=game_id,
        rounds=condition.rounds,
        horizon_known=condition.horizon == "known",
        continuation=condition.continuation,
        stop=tuple(tuple(meant.get(label, label) for label in joint) for joint in condition.stop),
        implementation_error=condition.implementation_error,
        communication=condition.communication,
        language=condition.language,
        prompts=prompts,
        framing=condition.framing,
        memory=condition.memory,
        totals=condition.totals,
        questions=_questions(condition, base.n_players),
        listed_first=order.listed_first,
        named_first=order.named_first,
        reply=reply,
        seats=tuple(_advised(seat, meant) for seat in seat_plans(experiment, condition, base.n_players)),
        repetition=repetition,
        seed=game_seed(experiment.seed, condition, prompts, repetition),
        columns={**fixed, **_order_columns(experiment, cell, order, labels, base.actions)},
    )


def _advised(seat: SeatPlan, meant: Mapping[str, str]) -> SeatPlan:
    """The seat, with an attitude that names an action by the label that this has in the game."""
    label = meant.get(seat.attitude or "", seat.attitude)
    return seat if label == seat.attitude else seat.model_copy(update={"attitude": label})


def _check_actions(experiment: Experiment, condition: Condition, n: int, known: Mapping[str, str]) -> None:
    """Refuse a default or a stop that no round could ever come to."""
    labels = ", ".join(known)
    reply = condition.reply
    if reply.then == "default" and reply.default not in known:
        got = "no reply.default" if reply.default is None else f"reply.default {shorten(reply.default)!r}"
        raise DataError(f"{experiment.name}: {got}, but reply.then is default; expected one of {labels}")
    for joint in condition.stop:
        if len(joint) != n or not all(label in known for label in joint):
            raise DataError(
                f"{experiment.name}: stop {shorten(','.join(joint))!r}, expected {n} actions out of {labels}"
            )


def _stage(condition: Condition) -> MatrixGame | PublicGoods:
    spec = condition.game
    if condition.payoff_kind is not None:
        spec = spec.model_copy(update={"kind": condition.payoff_kind})
    made = spec.stage(condition.scale)
    labels = condition.labels
    if isinstance(labels, dict):
        if condition.language not in labels:
            raise DataError(f"labels in {', '.join(labels)}, expected {shorten(condition.language)} too")
        labels = labels[condition.language]
    return made if labels is None else relabelled(made, labels)


def _questions(condition: Condition, n_players: int) -> tuple[str, ...]:
    """The questions by name; of games of more than two, ``all`` leaves out those about one other player.

    Raises
    ------
    DataError
        One of them is named in a game of more.
    """
    if not condition.questions:
        return ()
    from intent.agents.questions import ABOUT_ONE_OTHER, QUESTIONS, check_questions

    names = check_questions(QUESTIONS if condition.questions == "all" else condition.questions)
    unclear = [name for name in names if name in ABOUT_ONE_OTHER and n_players > 2]
    if unclear and condition.questions != "all":
        expected = ", ".join(name for name in QUESTIONS if name not in ABOUT_ONE_OTHER)
        raise DataError(f"question {unclear[0]} in a game of {n_players} players, expected {expected}")
    return tuple(name for name in names if name not in unclear)


def _order(experiment: Experiment, condition: Condition, labels: tuple[str, str], repetition: int) -> _Order:
    """What counterbalancing makes of a repetition: its number from 0, read as binary digits."""
    turned = {
        what: bool((repetition - 1) >> place & 1) for place, what in enumerate(experiment.counterbalance)
    }
    first = condition.listed_first
    if first is not None and first not in labels:
        places = {"first": 0, "second": 1}
        if first not in places:
            raise DataError(
                f"{experiment.name}: listed_first {shorten(first)!r}, expected first, second, "
                f"{' or '.join(labels)}"
            )
        first = labels[places[first]]
    if "listed_first" in turned or ("labels" in turned and first is None):
        first = labels[turned.get("listed_first", False)]
    named = condition.named_first
    if "named_first" in turned:
        named = "other" if turned["named_first"] else "self"
    return _Order(turned.get("labels", False), first, named)


def _order_columns(
    experiment: Experiment, cell: Cell, order: _Order, labels: tuple[str, str], base: tuple[str, str]
) -> dict[str, Any]:
    """The columns that say how a game was presented, where that varies."""
    varied = {*experiment.counterbalance, *cell.levels}
    columns: dict[str, Any] = {}
    if "listed_first" in varied:
        columns["listed_first"] = order.listed_first or base[0]
    if "named_first" in varied:
        columns["named_first"] = order.named_first
    if "labels" in varied:
        columns["labels"] = ",".join(labels)
    return columns


def _fixed_columns(experiment: Experiment, cell: Cell, scaled: bool) -> dict[str, Any]:
    columns = dict(cell.columns)
    seats = seat_plans(experiment, cell.condition, cell.condition.game.stage().n_players)
    if any(seat.persona for seat in seats):
        columns.setdefault("pairing", pairing([persona_kind(seat.persona or "neutral") for seat in seats]))
    if scaled:
        columns.setdefault("scale", cell.condition.scale)
    return columns
