"""What somebody orders: how many strategies, of which kinds, by which models, for which game."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError, shorten

if TYPE_CHECKING:
    from intent.agents.client import Settings
    from intent.arena.writing.task import Style, WritingTask
    from intent.runner.limits import Limits
    from intent.runner.prices import Price

__all__ = ["Order", "limits_of", "make_order", "prices_of"]

MOST = 1_000
"""Strategies for an attitude."""

REPLY_TOKENS = 2_000
"""Length of a reply of models that need a limit."""


@dataclass(frozen=True, eq=False)
class Order:
    """An order, checked.

    Parameters
    ----------
    model, code_model : str
    styles : tuple of Style
    attitudes : tuple of str
    n, limit : int
        Strategies wanted, and attempts made at most, for each style and attitude.
    task : WritingTask
    settings : Settings
    scenarios : tuple of str
    seed : int
    seeded : tuple of str, models that take seeds
    """

    model: str
    code_model: str
    styles: tuple[Style, ...]
    attitudes: tuple[str, ...]
    n: int
    limit: int
    task: WritingTask
    settings: Settings
    scenarios: tuple[str, ...]
    seed: int
    seeded: tuple[str, ...]

    def facts(self, style: Style) -> dict[str, Any]:
        """What decides how the strategies of a style come out, JSON-able."""
        texts = json.dumps(dict(sorted(self.task.texts.texts.items())), ensure_ascii=False)
        return {
            "model": self.model,
            "code_model": self.code_model,
            "style": style.name,
            "attitudes": list(self.attitudes),
            "game": self.task.game_name,
            "turns": self.task.rounds,
            "noise": self.task.noise,
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.max_tokens,
            "scenarios": list(self.scenarios) if style.prose else [],
            "seed": self.seed,
            "seeded": list(self.seeded),
            "texts": hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        }


def make_order(
    model: str,
    code_model: str,
    *,
    style: str,
    attitudes: str,
    n: int,
    game: str,
    noise: float,
    turns: int,
    temperature: float | None,
    max_tokens: int | None,
    prompts: str | Path | None,
    scenarios: str | None,
    seed: int,
    attempts: int | None,
    seeded: bool = False,
) -> Order:
    """The order that the arguments of `write_strategies` make; all its prompts can be put into words.

    Raises
    ------
    UsageError, UnknownNameError, PromptError
    """
    from intent.agents.client import Settings
    from intent.agents.clients.registry import LIMITED, SEEDED, provider_of
    from intent.arena.sandbox.limits import Limits as Bounds
    from intent.arena.writing.task import WritingTask, check_attitudes, parse_style
    from intent.arena.writing.texts import load_texts
    from intent.arena.writing.waves import default_limit
    from intent.games.catalogue import game as named_game
    from intent.games.matrix import MatrixGame

    if not 1 <= n <= MOST:
        raise UsageError(f"--n {n}, expected 1 to {MOST} strategies of each attitude")
    limit = default_limit(n) if attempts is None else attempts
    if limit < n:
        raise UsageError(f"--attempts {limit}, expected at least the {n} strategies wanted")
    if temperature is not None and not 0 <= temperature <= 2:
        raise UsageError(f"temperature {temperature:g}, expected 0 to 2")
    played = named_game(game)
    if not isinstance(played, MatrixGame):
        raise UsageError(f"--game {shorten(game)}, expected a game of two players, such as classic")
    texts = load_texts(prompts)
    styles = tuple({s.name: s for s in map(parse_style, style.split(","))}.values())
    models = dict.fromkeys((model, code_model))
    if max_tokens is None and any(provider_of(name) in LIMITED for name in models):
        max_tokens = REPLY_TOKENS
    cpu, _ = Bounds().per_match(turns)
    order = Order(
        model,
        code_model,
        styles,
        check_attitudes(tuple(attitudes.split(",")), texts),
        n,
        limit,
        WritingTask(texts, played, game, turns, noise, cpu),
        Settings(temperature=temperature, max_tokens=max_tokens, timeout=600.0),
        _scenarios(scenarios, texts.scenarios),
        seed,
        tuple(name for name in models if seeded or provider_of(name) in SEEDED),
    )
    _check_prompts(order)
    return order


def limits_of(given: Mapping[str, Any] | None) -> dict[str, Limits]:
    """Limits of rate, by endpoint or model.

    Raises
    ------
    UsageError
    """
    from pydantic import ValidationError

    from intent.runner.limits import Limits

    try:
        return {name: Limits.model_validate(value) for name, value in (given or {}).items()}
    except ValidationError as error:
        raise UsageError(f"limits: {shorten(error.errors()[0]['msg'])}, got {shorten(given)}") from None


def prices_of(given: Mapping[str, Any] | None) -> dict[str, Price]:
    """Prices by model, each as two or three numbers per million tokens, or a mapping.

    Raises
    ------
    UsageError
    """
    from pydantic import ValidationError

    from intent.runner.prices import Price

    try:
        return {name: Price.model_validate(value) for name, value in (given or {}).items()}
    except ValidationError as error:
        raise UsageError(f"prices: {shorten(error.errors()[0]['msg'])}, got {shorten(given)}") from None


def _scenarios(names: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    if names is None:
        return known
    found = tuple(dict.fromkeys(name.strip().casefold() for name in names.split(",") if name.strip()))
    for name in found:
        if name not in known:
            raise UnknownNameError("scenario", name, known)
    if not found:
        raise UsageError(f"no scenario named, expected such as {', '.join(known[:2])}")
    return found


def _check_prompts(order: Order) -> None:
    """Render every prompt once, so that nothing is paid for before a text turns out to be wrong."""
    from intent.workflows.writing_prompts import rendered_prompts

    rendered_prompts(order)
