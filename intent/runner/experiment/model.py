"""An experiment: conditions, how they vary, who meets whom, how often, and how the run is driven.

The game of an experiment: a name of the catalogue, or its payoffs.

One condition of an experiment: everything that is the same in the games that repeat one another.

How a run is driven, whatever is played: rates, prices, failures, the cache.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PrivateAttr, field_validator, model_validator

from intent.agents.client import Settings
from intent.agents.plan import ReplyRules
from intent.base.errors import GameError, shorten
from intent.base.settings import Values
from intent.games.game import PayoffKind
from intent.play.match import Communication
from intent.runner.limits import Limits, RetryRules
from intent.runner.prices import Price

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.games.normal_form import MatrixGame, PublicGoods


__all__ = ["RUNTIME", "After", "Condition", "Experiment", "FairgameWording", "GameSpec", "Labels", "Runtime"]


class GameSpec(Values):
    """What is played; in a file also just a name: ``game: prisoner-dilemma``.

    Attributes
    ----------
    name : str
        Of the catalogue (``intent games``); any, where payoffs are given.
    kind : {"reward", "penalty"}, optional
        Needed with payoffs; in place of the catalogue's otherwise.
    actions : (str, str), optional
        Labels of the two actions, in place of the catalogue's.
    payoffs : optional
        ``{T: 5, R: 3, P: 1, S: 0}`` (first action cooperates), ``[[6, 0], [10, 2]]`` (own payoff by own and
        other's action), 2x2 pairs, or ``{"A,A": [6, 6], …}`` (payoffs of both seats by joint action).
    cooperate : str, optional
        The action that counts as cooperation, in place of the one that the payoffs make so.
    n_players, cost, factor : optional
        Of a public goods game.
    """

    name: str
    kind: PayoffKind | None = None
    actions: tuple[str, str] | None = None
    payoffs: dict[str, Any] | list[Any] | None = None
    cooperate: str | None = None
    n_players: int | None = None
    cost: float | None = None
    factor: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    def stage(self, scale: float = 1.0) -> MatrixGame | PublicGoods:
        """The game with every payoff times `scale`.

        Raises
        ------
        GameError
            Payoffs that make no game, or that do not say whether they are rewards or penalties.
        UnknownNameError
            No such game in the catalogue.
        """
        from intent.games.normal_form import PublicGoods

        made = self._matrix() if self.payoffs is not None else self._named()
        if self.cooperate is not None:
            if isinstance(made, PublicGoods):
                raise GameError(f"{made.name}: cooperate is for games of two players with two actions")
            made = replace(made, cooperate=self.cooperate)
        if scale == 1.0:
            return made
        if isinstance(made, PublicGoods):
            if not (scale > 0 and math.isfinite(scale)):
                raise GameError(f"{made.name}: payoffs scaled by {scale}, expected a positive number")
            return replace(made, cost=made.cost * scale)
        return made.scaled(scale)

    def _named(self) -> MatrixGame | PublicGoods:
        from intent.games.catalogue import canonical_name, game, public_goods
        from intent.games.normal_form import PublicGoods

        texts: dict[str, Any] = {} if self.actions is None else {"actions": self.actions}
        numbers: dict[str, Any] = {"n_players": self.n_players, "cost": self.cost, "factor": self.factor}
        given: dict[str, Any] = {key: value for key, value in numbers.items() if value is not None}
        if canonical_name(self.name) == "public-goods":
            made: Any = public_goods(**({"factor": 2} | given))
        else:
            made = game(self.name)
            if given and isinstance(made, PublicGoods):
                made = public_goods(**({"factor": made.factor} | given))
            elif given:
                raise GameError(f"{made.name} has no {', '.join(given)}, only a public goods game has")
        if self.kind is not None and self.kind != made.kind:
            if isinstance(made, PublicGoods):
                raise GameError(f"{made.name} pays rewards, not {self.kind}s")
            texts["kind"] = self.kind
        changed: MatrixGame | PublicGoods = replace(made, **texts)
        return changed

    def _matrix(self) -> MatrixGame:
        from intent.games.normal_form import MatrixGame

        if self.kind is None:
            raise GameError(f"{self.name}: payoffs without kind, expected kind: reward or kind: penalty")
        if isinstance(self.payoffs, dict):
            if set(self.payoffs) == set("TRPS"):
                t, r, p, s = (_number(self.name, self.payoffs[key]) for key in "TRPS")
                return MatrixGame.from_trps(self.name, t, r, p, s, self.kind, self.actions or ("C", "D"))
            table = {",".join(part.strip() for part in k.split(",")): v for k, v in self.payoffs.items()}
            made = MatrixGame.from_json(json.dumps(table), self.name, self.kind)
            return made if self.actions is None else replace(made, actions=self.actions)
        labels = self.actions or ("OptionA", "OptionB")
        rows: Any = self.payoffs
        cells = [cell for row in rows if isinstance(row, list) for cell in row]
        if len(cells) == 4 and not any(isinstance(cell, list) for cell in cells):
            aa, ab, ba, bb = (_number(self.name, cell) for cell in cells)
            return MatrixGame.symmetric(self.name, labels, aa, ab, ba, bb, self.kind)
        return MatrixGame(self.name, labels, rows, self.kind)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GameError(f"{name}: payoff {shorten(value)!r}, expected a number")
    return float(value)


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


class Runtime(Values):
    """What decides nothing about the games, and may differ when a run is resumed.

    Attributes
    ----------
    concurrency : int, optional
        Calls in flight per endpoint, in place of the client's own.
    window : int, optional
        Games in play at a time; by default many, and few where one model answers one call at a time.
    limits : endpoint or model -> limits of rate
    retry : rules of asking again after failures of an endpoint
    prices : model -> price per million tokens of prompt and reply: ``[2.5, 10]``
    budget : float, optional
        What the run may cost, in the currency of the prices.
    cache : bool or path
        Keeps replies for other runs, in a file of the user's own or in this one.
    """

    run_key: ClassVar[str] = ""
    """What ``run.json`` keeps it under, and what an error calls it."""

    concurrency: int | None = Field(default=None, ge=1)
    window: int | None = Field(default=None, ge=1)
    limits: dict[str, Limits] = Field(default_factory=dict)
    retry: RetryRules = RetryRules()
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: float | None = Field(default=None, gt=0)
    cache: bool | str = False


RUNTIME = frozenset({*Runtime.model_fields, "after", "description"})
"""Keys that decide nothing about the games, and may differ when a run is resumed."""


class After(Values):
    """What is done with the log of a finished run.

    Attributes
    ----------
    label : settings of `intent.recognise.labels.label.label_log`, optional
        Written to ``labels.parquet`` in the run folder.
    compare : settings of `intent.comparison.compare.compare`, or a list of them
        Written to ``comparison.json``, ``comparison.png`` (numbered from the second on).
    figures : names of figures, or settings of `intent.report.figures.figures` (names, by, …), optional
        Drawn into ``figures/``; no settings are all figures, no names are none.
    metrics : settings of `intent.behaviour.metrics.metrics`, optional
        Written to ``metrics.parquet`` and, with their means by group, to ``metrics.json``.
    results : name of a study, or several (`intent.report.results.papers`)
        All its tables and figures, written into ``results/NAME``.
    """

    label: dict[str, Any] | None = None
    compare: tuple[dict[str, Any], ...] = ()
    figures: tuple[str, ...] | dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    results: tuple[str, ...] = ()

    @field_validator("compare", "results", mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        return (value,) if isinstance(value, dict | str) else value


class FairgameWording(Values):
    """What fills FAIRGAME's templates beside the game.

    Attributes
    ----------
    weights : numbers called weight1, weight2, … in order, or the cells (row, column, seat) they stand in
    strategies : language -> labels called strategy1, strategy2
    stem : name of the template, without language
    templates : language -> template, used where prompts are ``fairgame``
    """

    weights: tuple[tuple[int, int, int] | float, ...] | None = None
    strategies: dict[str, Labels] = Field(default_factory=dict)
    stem: str | None = None
    templates: dict[str, str] | None = None


class Experiment(Condition, Runtime):
    """An experiment file as typed values: a condition, what varies, and how the run is driven.

    Attributes
    ----------
    name, description : str
    grid : factor -> levels
        A key of `Condition` (dotted: ``settings.temperature``, ``columns.NAME`` for a column of the log
        alone) with a list of values; or a word of its own with named levels, each a mapping of keys. All
        combinations are played, the last factor varying fastest.
    pairs : {"self", "all", "others", "ordered"}
        Whom each model meets: itself; every one and itself; every other one; every one in both orders.
    repetitions : int
    counterbalance : of listed_first, named_first, labels
        Alternated over the repetitions, so that 2, 4 or 8 repetitions hold every combination once.
    persona_texts : persona -> its wording, or language -> wording
    model_settings : model -> settings in place of those of all
    fairgame : FairgameWording, optional
        What templates of FAIRGAME need to know; set where the file is FAIRGAME's.
    seed : int
    after : After
    concurrency, window, limits, retry, prices, budget, cache
        As `Runtime`.
    """

    run_key: ClassVar[str] = "experiment"

    name: str
    description: str = ""
    grid: dict[str, list[Any] | dict[str, Any]] = Field(default_factory=dict)
    pairs: Literal["self", "all", "others", "ordered"] = "self"
    repetitions: int = Field(default=1, ge=1, le=1_000_000)
    counterbalance: tuple[Literal["listed_first", "named_first", "labels"], ...] = ()
    persona_texts: dict[str, str | dict[str, str]] = Field(default_factory=dict)
    model_settings: dict[str, Settings] = Field(default_factory=dict)
    fairgame: FairgameWording | None = None
    seed: int = Field(default=0, ge=0, lt=2**48)
    after: After = After()
    _notes: tuple[str, ...] = PrivateAttr(())

    @field_validator("grid", "after", mode="before")
    @classmethod
    def _none(cls, value: Any) -> Any:
        return {} if value is None else value

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should be warned of; no part of the design."""
        return self._notes

    def with_notes(self, notes: Sequence[str]) -> Experiment:
        """The experiment with such warnings."""
        noted = self.model_copy()
        noted._notes = tuple(notes)
        return noted

    def plans(self) -> list[GamePlan]:
        """The games, repetition after repetition, so that a run that is cut short stays balanced.

        Raises
        ------
        DataError
            A factor, level or seat that makes no game.
        GameError
            Payoffs that make none.
        """
        from intent.runner.experiment.plans import make_plans

        return make_plans(self)

    def design(self) -> dict[str, Any]:
        """Everything that decides which games are played, as JSON-able values."""
        return self.model_dump(mode="json", exclude=set(RUNTIME))
