"""One condition of a benchmark: everything about its tables but the game's setting and the model.

Who sits at a table: a model in all seats, or players of several kinds.

The settings of one game that a benchmark asks for: one parameter at a time, or all combinations.

The settings of the games that GAMA-Bench was published with, as data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator

from intent.agents.client import Settings
from intent.agents.plan import ReplyRules
from intent.base.errors import DataError, LimitError, UnknownNameError, shorten
from intent.base.settings import Values
from intent.gamma.catalogue import GAMMA_GAMES, ByGame

if TYPE_CHECKING:
    import numpy as np


__all__ = [
    "BENCH_ALIASES",
    "MODEL",
    "PAPER_SETTINGS",
    "BenchCondition",
    "Games",
    "check_number",
    "combinations",
    "games_of",
    "one_at_a_time",
    "seat_players",
    "table_name",
    "wants_model",
]


BENCH_ALIASES: Mapping[str, str] = {
    "temperature": "settings.temperature",
    "top_p": "settings.top_p",
    "max_tokens": "settings.max_tokens",
}
"""Short key -> the key it stands for, at the top of a file, among its factors and after ``--set``."""

Games = dict[str, dict[str, Any]]
"""Game -> parameters that are not the paper's."""


def _all_games() -> Games:
    return {name: {} for name in GAMMA_GAMES}


class BenchCondition(Values):
    """What can be fixed for a whole benchmark, or varied in its ``sweep`` or ``grid``.

    Attributes
    ----------
    games : ``all``, a list of names, or name -> parameters
        Which games are played; parameters that are not given are the paper's.
    players : int
        Seats of every table.
    rounds : int
        At most so many; sequential games may end earlier.
    relabelled : bool
        Whether the games are played under another surface: the same strategy in other words and numbers.
    version : str
        Wording of the prompts: v1 to v5, or one that a folder of yours has.
    language, prompts : str
        `prompts` is ``gamma``, or a folder: of your wording, or of GAMA-Bench's templates.
    persona : str, optional
        cooperative, selfish, mathematician, or free text, of every model.
    chain_of_thought : {1, …, 5}, optional
        Which phrase asks for a chain of thought; None asks for none.
    told : str, optional
        What models are told about the others: equilibrium, smart, random, or free text.
    table : player -> seats, or a list of players by seat, optional
        Who sits at a table; ``model`` stands for the model, ``rest`` for all seats that are left. The seats
        of a mapping are shuffled by the seed, those of a list stand as they are listed. By default the model
        takes all seats.
    options : mapping
        Further options of the models' seats, such as a prompt transform.
    memory : int, optional
        Past rounds that a player is shown; None is all.
    settings : Settings
        How replies are sampled; temperature 1 unless it is said.
    reply : ReplyRules
        Unless it is said: the same prompt again five times, then missing (upstream asks for ever).
    defaults : game -> action
        The action of ``reply: {then: default}``, as the log spells it; a number may stand as one.
    columns : free condition columns of the log
    """

    games: Games = Field(default_factory=_all_games)
    players: int = Field(default=10, ge=2, le=1_000)
    rounds: int = Field(default=20, ge=1, le=10_000)
    relabelled: bool = False
    version: str = Field(default="v1", min_length=1, max_length=40)
    language: str = "en"
    prompts: str = "gamma"
    persona: str | None = None
    chain_of_thought: Annotated[int, Field(ge=1, le=5)] | None = None
    told: str | None = None
    table: dict[str, Annotated[int, Field(ge=0)] | Literal["rest"]] | tuple[str, ...] | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    memory: Annotated[int, Field(ge=0)] | None = None
    settings: Settings = Settings(temperature=1.0)
    reply: ReplyRules = ReplyRules(retries=5, remind=False)
    defaults: dict[str, str] = Field(default_factory=dict)
    columns: dict[str, str | int | float | bool | None] = Field(default_factory=dict)

    @field_validator("games", mode="before")
    @classmethod
    def _games(cls, value: Any) -> Any:
        try:
            return games_of(value)
        except UnknownNameError as error:
            raise ValueError(str(error)) from None

    @field_validator("defaults", mode="before")
    @classmethod
    def _spelled(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {game: str(action) if type(action) is int else action for game, action in value.items()}

    @field_validator("chain_of_thought", mode="before")
    @classmethod
    def _no_phrase(cls, value: Any) -> Any:
        return None if value is False else value

    @field_validator("settings", mode="before")
    @classmethod
    def _sampled(cls, value: Any) -> Any:
        return {"temperature": 1.0, **value} if isinstance(value, dict) else value

    @field_validator("reply", mode="before")
    @classmethod
    def _asked_again(cls, value: Any) -> Any:
        return {"retries": 5, "remind": False, **value} if isinstance(value, dict) else value


def games_of(value: Any) -> Any:
    """``all``, a name or a list of names as name -> parameters; anything else as it is.

    Raises
    ------
    UnknownNameError
        A name that no game of the benchmark has.
    """
    if isinstance(value, str):
        value = list(GAMMA_GAMES) if value == "all" else [value]
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        value = dict.fromkeys(value)
    if not isinstance(value, Mapping):
        return value
    for name in value:
        if name not in GAMMA_GAMES:
            raise UnknownNameError("gamma-bench game", str(name), GAMMA_GAMES)
    return {name: {} if own is None else own for name, own in value.items()}


MODEL = "model"
"""Stands for the model whose table it is."""

_REST = "rest"
"""Stands for the number of seats that are left."""

Table = Mapping[str, int | str] | Sequence[str] | None


def wants_model(table: Table) -> bool:
    """Whether a table has a seat for the model whose table it is.

    Examples
    --------
    >>> wants_model({"model": 9, "human": 1}), wants_model(["human", "scripted/RANDOM"]), wants_model(None)
    (True, False, True)
    """
    return table is None or MODEL in table


def seat_players(
    table: Table, model: str | None, n_players: int, rng: np.random.Generator
) -> tuple[str, ...]:
    """The players by seat; those of a mapping are shuffled.

    Parameters
    ----------
    table : player -> seats, players by seat, or None for the model in all seats
    model : str, optional
    n_players : int
    rng : numpy Generator

    Raises
    ------
    DataError
        Another number of seats than players, or no model where one is to sit.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(seat_players({"human": 1, "model": "rest"}, "local/a", 3, np.random.default_rng(0)))
    ['human', 'local/a', 'local/a']
    """
    players = _shuffled(_counts(table, n_players), rng) if isinstance(table, Mapping) else table
    listed = tuple(players) if players is not None else (MODEL,) * n_players
    if len(listed) != n_players:
        raise DataError(f"table: {len(listed)} seats ({shorten(', '.join(listed))}), expected {n_players}")
    if MODEL in listed and not model:
        raise DataError("table: no model; give `models:` in the file or -m on the command line")
    return tuple(model or "" if player == MODEL else player for player in listed)


def table_name(players: Sequence[str]) -> str:
    """Who sits there, in order of first appearance by name: ``local/a×9, scripted/constant:91×1``.

    Examples
    --------
    >>> table_name(["b", "a", "b"])
    'b×2, a×1'
    """
    counts = Counter(players)
    return ", ".join(f"{name}×{counts[name]}" for name in sorted(counts, key=lambda n: (-counts[n], n)))


def _counts(table: Mapping[str, int | str], n_players: int) -> dict[str, int]:
    fixed = {name: n for name, n in table.items() if isinstance(n, int)}
    free = [name for name in table if name not in fixed]
    left = n_players - sum(fixed.values())
    if len(free) > 1 or left < 0 or (not free and left):
        raise DataError(
            f"table: {shorten(dict(table))} is {sum(fixed.values())} seats, expected {n_players}; "
            f"one player may have {_REST}"
        )
    return {name: fixed.get(name, left) for name in table}


def _shuffled(counts: Mapping[str, int], rng: np.random.Generator) -> list[str]:
    players = [name for name, n in counts.items() for _ in range(n)]
    return [players[i] for i in rng.permutation(len(players))]


PAPER_SETTINGS: Mapping[str, tuple[Mapping[str, Any], ...]] = ByGame(lambda row: row.settings)
"""Game -> its settings in the tests of generality (Huang et al. 2024, tables 8, 13, 17 and 21)."""

_PAPER = "paper"

_MOST = 100_000
"""Conditions of a benchmark, and settings of one of its games."""


def check_number(called: str, conditions: int) -> None:
    """Refuse more conditions than anybody can play.

    Raises
    ------
    LimitError
    """
    if conditions > _MOST:
        raise LimitError(f"{called}: more than {_MOST:,} conditions")


def one_at_a_time(game: str, options: Any, base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The base, and every setting that differs from it in one parameter, or as it is listed.

    Parameters
    ----------
    game : str
    options : ``paper``, or game -> parameter -> values, or game -> list of settings
    base : parameter -> value

    Raises
    ------
    DataError
        Something else is asked for.

    Examples
    --------
    >>> one_at_a_time("bar", {"bar": {"ratio": ["20%"], "mode": ["explicit"]}}, {"home": 4})
    [{'home': 4}, {'home': 4, 'ratio': '20%'}, {'home': 4, 'mode': 'explicit'}]
    """
    own = _of_game(game, options)
    if isinstance(own, Mapping):
        own = [{key: value} for key, values in own.items() for value in _values(values)]
    return [dict(base), *({**base, **one} for one in own)]


def combinations(game: str, options: Any, base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every combination of values, or the settings that are listed, alone; the base for other games.

    Parameters and errors as `one_at_a_time`; too many of them are refused.

    Examples
    --------
    >>> combinations("bar", {"bar": {"ratio": ["20%", "60%"], "mode": ["explicit"]}}, {})
    [{'ratio': '20%', 'mode': 'explicit'}, {'ratio': '60%', 'mode': 'explicit'}]
    """
    own = _of_game(game, options)
    if isinstance(own, Mapping):
        levels = [[(key, value) for value in _values(values)] for key, values in own.items()]
        check_number(f"parameters of {game}", math.prod(map(len, levels)))
        own = [dict(chosen) for chosen in product(*levels)]
    return [{**base, **one} for one in own] or [dict(base)]


def _of_game(game: str, options: Any) -> Any:
    """Settings of the one game, a mapping or a list of mappings; none where nothing is asked of it."""
    if options is None:
        return []
    own = options.get(game, []) if isinstance(options, Mapping) else options
    if own == _PAPER:
        return PAPER_SETTINGS[game]
    if isinstance(own, Mapping) or (
        isinstance(own, list | tuple) and all(isinstance(one, Mapping) for one in own)
    ):
        return own
    raise DataError(
        f"parameters of {game}: {shorten(own)!r}, expected paper, parameter: [values] or a list of settings"
    )


def _values(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]
