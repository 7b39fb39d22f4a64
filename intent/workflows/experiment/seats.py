"""Who takes which seat in a condition, with which persona, name and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.agents.client import Settings
from intent.agents.plan import SeatPlan
from intent.agents.players import parse_player
from intent.errors import DataError, UnknownNameError, shorten

if TYPE_CHECKING:
    from intent.workflows.experiment.condition import Condition
    from intent.workflows.experiment.model import Experiment

__all__ = ["MODEL", "seat_plans"]

MODEL = "model"
"""Stands in a list of players for the model of the condition."""


def seat_plans(experiment: Experiment, condition: Condition, n_players: int) -> tuple[SeatPlan, ...]:
    """The seats of a condition.

    Raises
    ------
    DataError
        No model, another number of players, names or personas than the game has seats, or a persona
        without wording in the language.
    """
    players = _players(experiment, condition, n_players)
    personas = _personas(experiment, condition, players)
    chances = _by_seat(
        condition.opponent_persona_probability, n_players, "opponent_persona_probability", experiment
    )
    kinds = [parse_player(player).kind for player in players]
    attitudes = [
        None if kind == "scripted" else attitude
        for kind, attitude in zip(
            kinds, _by_seat(condition.attitude, n_players, "attitude", experiment), strict=True
        )
    ]
    inner = _architectures(experiment, condition, kinds)
    default = tuple(f"agent{seat}" for seat in range(1, n_players + 1))
    names = _by_seat(condition.names or default, n_players, "names", experiment)
    if len(set(names)) < n_players:
        raise DataError(f"{experiment.name}: names {shorten(', '.join(names))}, expected different ones")
    return tuple(
        SeatPlan(
            player=player,
            name=name,
            persona=persona,
            persona_text=_wording(experiment, persona, condition.language),
            opponent_persona_probability=chance,
            others=condition.others if n_players > 2 and kind == "scripted" else None,
            architecture=architecture,
            options=dict(options),
            attitude=attitude,
            settings=_settings(experiment, condition, player),
        )
        for player, kind, name, persona, chance, attitude, (architecture, options) in zip(
            players, kinds, names, personas, chances, attitudes, inner, strict=True
        )
    )


def _architectures(
    experiment: Experiment, condition: Condition, kinds: Sequence[str]
) -> list[tuple[str, Mapping[str, Any]]]:
    """By seat, the architecture of a language model and its options; strategies and humans have none."""
    named = _by_seat(condition.architecture, len(kinds), "architecture", experiment)
    options = _options(experiment, condition, named)
    found = zip(kinds, named, options, strict=True)
    return [(name, own) if kind == "model" else ("plain", {}) for kind, name, own in found]


def _options(
    experiment: Experiment, condition: Condition, architectures: tuple[str, ...]
) -> tuple[Mapping[str, Any], ...]:
    """By seat, those of its architecture; the architecture says which there are."""
    given = condition.options
    if isinstance(given, dict):
        from intent.agents.build import architecture

        for name in given:
            try:
                architecture(name)
            except UnknownNameError as error:
                raise DataError(
                    f"{experiment.name}: options: {error}; expected options by architecture, "
                    "such as {debate: {…}}"
                ) from None
        return tuple(given.get(name, {}) for name in architectures)
    listed = _by_seat(given, len(architectures), "options", experiment)
    return tuple(own or {} for own in listed)


def _players(experiment: Experiment, condition: Condition, n_players: int) -> tuple[str, ...]:
    listed = condition.players
    if listed is None:
        rest = MODEL if condition.opponent is None else condition.opponent
        listed = (MODEL, *(rest,) * (n_players - 1))
    if len(listed) != n_players:
        raise DataError(
            f"{experiment.name}: players {shorten(', '.join(listed))}, expected {n_players} "
            f"for {condition.game.name}"
        )
    if MODEL in listed and not condition.model:
        raise DataError(f"{experiment.name}: no model; give `model:` in the file or -m on the command line")
    return tuple(condition.model or "" if player == MODEL else player for player in listed)


def _personas(experiment: Experiment, condition: Condition, players: tuple[str, ...]) -> tuple[Any, ...]:
    """By seat; one for all is for those who read prompts, which strategies do not."""
    given = condition.personas
    if isinstance(given, str):
        return tuple(None if parse_player(player).kind == "scripted" else given for player in players)
    return _by_seat(given, len(players), "personas", experiment)


def _by_seat(value: Any, n_players: int, key: str, experiment: Experiment) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        return (value,) * n_players
    if len(value) != n_players:
        got = shorten(", ".join(map(str, value)))
        raise DataError(f"{experiment.name}: {key} {got}, expected {n_players} values, or one")
    return value


def _wording(experiment: Experiment, persona: str | None, language: str) -> str | None:
    found = experiment.persona_texts.get(persona) if persona else None
    if isinstance(found, dict):
        if language not in found:
            raise DataError(
                f"{experiment.name}: persona_texts of {shorten(persona)} has {', '.join(found)}, "
                f"expected {language} too"
            )
        return found[language]
    return found


def _settings(experiment: Experiment, condition: Condition, player: str) -> Settings:
    own = experiment.model_settings.get(player)
    if own is None:
        return condition.settings
    return Settings.model_validate({**condition.settings.model_dump(), **own.model_dump(exclude_unset=True)})
