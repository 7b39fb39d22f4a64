"""One condition of a benchmark: everything about its tables but the game's setting and the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from intent.agents.client import Settings
from intent.agents.plan import ReplyRules
from intent.errors import UnknownNameError
from intent.games.gamma import GAMMA_GAMES
from intent.workflows.values import Values

__all__ = ["BENCH_ALIASES", "BenchCondition", "Games", "games_of"]

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
        Unless it is said: asked again five times with a reminder, then missing.
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
    reply: ReplyRules = ReplyRules(retries=5, remind=True)
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
        return {"retries": 5, "remind": True, **value} if isinstance(value, dict) else value


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
