"""One condition of an experiment: everything that is the same in the games that repeat one another."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from intent.agents.client import Settings
from intent.agents.plan import Communication, ReplyRules
from intent.games.game import PayoffKind
from intent.workflows.experiment.game_spec import GameSpec
from intent.workflows.values import Values

__all__ = ["Condition", "Labels"]

Labels = tuple[str, str]
BySeat = tuple[str | None, ...]
Options = dict[str, Any]


class Condition(Values):
    """What can be fixed for a whole experiment, or varied in its grid.

    Attributes
    ----------
    game : GameSpec
    scale : float
        Every payoff is multiplied by it (lambda).
    payoff_kind : {"reward", "penalty"}, optional
        In place of the game's.
    labels : two labels, or language -> two labels, optional
        In place of the game's own.
    framing : str
        Cover story: plain, prison, business.
    rounds, horizon, continuation
        Rounds (at most so many with a continuation probability); known or unknown to the players.
    stop : joint actions that end a game, each a list or ``A,B``
    implementation_error : float in [0, .5)
        Probability, for every player and round, that the opposite of what was chosen is played.
    communication : {"none", "sequential", "simultaneous"}
    memory : int, optional
        Past rounds that a player is shown.
    totals : {"shown", "all"}
        Whether players are told their totals over the rounds shown or over all rounds.
    questions : list of names, or ``all``
        Comprehension questions that models are asked after every round.
    model : str, optional
        Who plays every seat that nothing else is said of.
    opponent : str, optional
        Who plays all seats but the first.
    players : by seat, optional
        The word ``model`` stands for `model`.
    names : by seat, optional
        What prompts call the players.
    personas : one for all, or by seat
        A name, free text, or null.
    opponent_persona_probability : per cent, one for all or by seat
    attitude, architecture : one for all models, or by seat
        Strategies have neither.
    options : architecture -> its options, or by seat the options of the seat's own
        Entries for architectures that nobody has in this condition do nothing.
    others : {"any", "majority", "all"}
        How scripted players read more than one other.
    settings : Settings
        How replies are sampled.
    language, prompts : str
        `prompts` is ``intent``, a folder of templates, or ``fairgame``: the templates in FAIRGAME's file.
    listed_first : ``first``, ``second`` or a label, optional
        The label that prompts list first.
    named_first : {"self", "other"}
    reply : ReplyRules
    columns : free condition columns of the log
    """

    game: GameSpec = GameSpec(name="prisoner-dilemma")
    scale: float = Field(default=1.0, gt=0)
    payoff_kind: PayoffKind | None = None
    labels: Labels | dict[str, Labels] | None = None
    framing: str = "plain"
    rounds: int = Field(default=10, ge=1)
    horizon: Literal["known", "unknown"] = "known"
    continuation: Annotated[float, Field(ge=0, lt=1)] | None = None
    stop: tuple[tuple[str, ...], ...] = ()
    implementation_error: float = Field(default=0.0, ge=0, lt=0.5)
    communication: Communication = "none"
    memory: Annotated[int, Field(ge=0)] | None = None
    totals: Literal["shown", "all"] = "shown"
    questions: tuple[str, ...] | Literal["all"] = ()
    model: str | None = None
    opponent: str | None = None
    players: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    personas: BySeat | str | None = None
    opponent_persona_probability: tuple[float, ...] | float = 0
    attitude: BySeat | str | None = None
    architecture: tuple[str, ...] | str = "plain"
    options: tuple[Options | None, ...] | dict[str, Options] = Field(default_factory=dict)
    others: Literal["any", "majority", "all"] = "majority"
    settings: Settings = Settings()
    language: str = "en"
    prompts: str = "intent"
    listed_first: str | None = None
    named_first: Literal["self", "other"] = "self"
    reply: ReplyRules = ReplyRules()
    columns: dict[str, str | int | float | bool | None] = Field(default_factory=dict)

    @field_validator("stop", mode="before")
    @classmethod
    def _joint_actions(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        return [[part.strip() for part in v.split(",")] if isinstance(v, str) else v for v in value]

    @field_validator("questions", mode="before")
    @classmethod
    def _one_question(cls, value: Any) -> Any:
        if value is None:
            return ()
        return (value,) if isinstance(value, str) and value != "all" else value

    @field_validator("options", mode="before")
    @classmethod
    def _by_architecture(cls, value: Any) -> Any:
        if value is None:
            return {}
        if not isinstance(value, dict):
            return value
        found = {name: {} if own is None else own for name, own in value.items()}
        stray = next((name for name, own in found.items() if not isinstance(own, dict)), None)
        if stray is not None:
            raise ValueError(f"expected options by architecture, such as {{debate: {{{stray}: …}}}}")
        return found
