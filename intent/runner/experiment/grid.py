"""The grid of an experiment: its conditions, and every combination of what varies between them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from intent.agents.client import Settings
from intent.agents.plan import ReplyRules
from intent.base import codebook
from intent.base.errors import DataError, GameError, LimitError, UsageError, nearest, shorten
from intent.base.registry import points
from intent.base.settings import Document, Values, checked
from intent.games.game import PayoffKind
from intent.play.match import Communication
from intent.strategies.catalogue import Strategy, named_set
from intent.strategies.sets import names_and_own, read_tables, set_of_values, strategy_tables

if TYPE_CHECKING:
    from intent.games.game import MatrixGame, PublicGoods

__all__ = [
    "ALIASES",
    "BLOCKS",
    "PATTERNS",
    "Cell",
    "Condition",
    "Design",
    "Labels",
    "alike",
    "cells",
    "check_factor",
    "combined",
    "named_prompts",
    "put",
]


class GameSpec(Values):
    """What is played; in a file also just a name: ``game: prisoner-dilemma``.

    Attributes
    ----------
    name : of the catalogue (``intent games``); any, where payoffs are given
    kind : {"reward", "penalty"}, optional
        Needed with payoffs; in place of the catalogue's otherwise.
    actions : (str, str), optional
        Labels of the two actions, in place of the catalogue's.
    payoffs : optional
        ``{T: 5, R: 3, P: 1, S: 0}`` (first action cooperates), ``[[6, 0], [10, 2]]`` (own payoff by own and
        other's action), 2x2 pairs, or ``{"A,A": [6, 6], …}`` (payoffs of both seats by joint action).
    cooperate : the action that counts as cooperation, in place of the one that the payoffs make so
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
        from intent.games.game import PublicGoods

        game = self._matrix() if self.payoffs is not None else self._named()
        if self.cooperate is not None:
            if isinstance(game, PublicGoods):
                raise GameError(f"{game.name}: cooperate is for games of two players with two actions")
            game = replace(game, cooperate=self.cooperate)
        if scale == 1.0:
            return game
        if isinstance(game, PublicGoods):
            if not (scale > 0 and math.isfinite(scale)):
                raise GameError(f"{game.name}: payoffs scaled by {scale}, expected a positive number")
            return replace(game, cost=game.cost * scale)
        return game.scaled(scale)

    def _named(self) -> MatrixGame | PublicGoods:
        from intent.games.catalogue import canonical_name, game, public_goods
        from intent.games.game import PublicGoods

        texts: dict[str, Any] = {} if self.actions is None else {"actions": self.actions}
        numbers: dict[str, Any] = {"n_players": self.n_players, "cost": self.cost, "factor": self.factor}
        stated: dict[str, Any] = {key: value for key, value in numbers.items() if value is not None}
        if canonical_name(self.name) == "public-goods":
            stage: Any = public_goods(**({"factor": 2} | stated))
        else:
            stage = game(self.name)
            if stated and isinstance(stage, PublicGoods):
                stage = public_goods(**({"factor": stage.factor} | stated))
            elif stated:
                raise GameError(f"{stage.name} has no {', '.join(stated)}, only a public goods game has")
        if self.kind is not None and self.kind != stage.kind:
            if isinstance(stage, PublicGoods):
                raise GameError(f"{stage.name} pays rewards, not {self.kind}s")
            texts["kind"] = self.kind
        changed: MatrixGame | PublicGoods = replace(stage, **texts)
        return changed

    def _matrix(self) -> MatrixGame:
        from intent.games.game import MatrixGame

        if self.kind is None:
            raise GameError(f"{self.name}: payoffs without kind, expected kind: reward or kind: penalty")
        if isinstance(self.payoffs, dict):
            if set(self.payoffs) == set("TRPS"):
                t, r, p, s = (_number(self.name, self.payoffs[key]) for key in "TRPS")
                return MatrixGame.from_trps(self.name, t, r, p, s, self.kind, self.actions or ("C", "D"))
            table = {",".join(part.strip() for part in k.split(",")): v for k, v in self.payoffs.items()}
            matrix = MatrixGame.from_json(json.dumps(table), self.name, self.kind)
            return matrix if self.actions is None else replace(matrix, actions=self.actions)
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
    scale : every payoff is multiplied by it (lambda)
    payoff_kind : {"reward", "penalty"}, optional
        In place of the game's.
    labels : two labels, or language -> two labels, optional
        In place of the game's own.
    framing : cover story: plain, prison, business
    rounds, horizon, continuation
        Rounds (at most so many with a continuation probability); known or unknown to the players.
    stop : joint actions that end a game, each a list or ``A,B``
    implementation_error : float in [0, .5)
        Probability, for every player and round, that the opposite of what was chosen is played.
    communication : {"none", "sequential", "simultaneous"}
    memory : int, optional
        Past rounds that a player is shown.
    totals : whether players are told no totals, those of the rounds shown or those of all rounds
    past : whether past rounds show choices and payoffs, or choices only
    round_told : whether a request for a choice says which round it is
    count_told : whether the past is headed by how many rounds have been played, where all are shown
    questions : list of names, or ``all``
        Comprehension questions that models are asked after every round.
    model : who plays every seat that nothing else is said of
    opponent : who plays all seats but the first
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
    others : how scripted players read more than one other
    settings : how replies are sampled
    language, prompts : str
        `prompts` is ``intent``, a folder of templates, or ``fairgame``: the templates in FAIRGAME's file.
    listed_first : ``first``, ``second`` or a label, optional
        The label that prompts list first.
    outcomes_first : ``first``, ``second`` or a label, optional
        The label whose outcomes prompts list first; by default the one that is listed first.
    goal : what prompts name as the goal: the own payoff, or also to end better than the other (``rival``)
    title : what prompts call the game; null does not tell its name
    reflect : whether requests for a choice or an answer ask to think first
    rules_in : the message in which the rules stand: that of the ``request``, or the ``system``'s
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
    totals: Literal["none", "shown", "all"] = "shown"
    past: Literal["payoffs", "choices"] = "payoffs"
    round_told: bool = True
    count_told: bool = False
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
    outcomes_first: str | None = None
    named_first: Literal["self", "other"] = "self"
    goal: Literal["own", "rival"] = "own"
    title: str | None = None
    reflect: bool = False
    rules_in: Literal["request", "system"] = "request"
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
        options = {name: {} if own is None else own for name, own in value.items()}
        stray = next((name for name, own in options.items() if not isinstance(own, dict)), None)
        if stray is not None:
            raise ValueError(f"expected options by architecture, such as {{debate: {{{stray}: …}}}}")
        return options


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


class Design(Condition):
    """Everything that decides which games are played: a condition, what varies, who meets whom, how often.

    Attributes
    ----------
    grid : factor -> levels
        A key of `Condition` (dotted: ``settings.temperature``, ``columns.NAME`` for a column of the log
        alone) with a list of values; or a word of its own with named levels, each a mapping of keys. All
        combinations are played, the last factor varying fastest.
    pairs : whom each model meets: itself; every one and itself; every other one; every one in both orders
    counterbalance : of listed_first, named_first, labels
        Alternated over the repetitions, so that 2, 4 or 8 repetitions hold every combination once.
    persona_texts : persona -> its wording, or language -> wording
    model_settings : model -> settings in place of those of all
    fairgame : what templates of FAIRGAME need to know; set where the file is FAIRGAME's
    strategies : a file of strategies, or what it lists; kept as the tables of those that the catalogue lacks
        ``scripted/NAME`` may then name them as well.
    """

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
    strategies: tuple[dict[str, Any], ...] = ()

    @property
    def own(self) -> tuple[Strategy, ...]:
        """The strategies of its tables."""
        return read_tables(self.strategies)

    @field_validator("strategies", mode="before")
    @classmethod
    def _tables(cls, value: Any) -> Any:
        """The tables of a file's strategies, or of those that are listed."""
        listed = value.get("strategies") if isinstance(value, dict) else value
        if isinstance(listed, list | tuple) and all(
            isinstance(t, dict) and "p_cooperate" in t for t in listed
        ):
            return strategy_tables(read_tables(listed))
        if isinstance(value, dict):
            return strategy_tables(set_of_values(Document(value), "strategies").strategies)
        return strategy_tables(named_set(*names_and_own(value)))

    @model_serializer(mode="wrap")
    def _without_tables(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As it was before there were tables, where there are none."""
        values: dict[str, Any] = handler(self)
        if not self.strategies:
            values.pop("strategies", None)
        return values

    @field_validator("grid", mode="before")
    @classmethod
    def _no_factors(cls, value: Any) -> Any:
        return {} if value is None else value


BLOCKS = ("grid", "sweep")
"""Keys that hold factors: varied in all combinations, or (in benchmarks) one at a time."""

ALIASES = {
    "lambda": "scale",
    "persona": "personas",
    "temperature": "settings.temperature",
    "top_p": "settings.top_p",
    "max_tokens": "settings.max_tokens",
    "n_players": "game.n_players",
    "factor": "game.factor",
    "cost": "game.cost",
    "payoffs": "game.payoffs",
    "parser": "reply.parser",
}
"""Short key -> the key it stands for, at the top of a file, in its grid and after ``--set``."""


def put(values: Mapping[str, Any], key: str | Sequence[str], value: Any) -> dict[str, Any]:
    """The mapping with the value at a dotted key; the name of a game on the way becomes ``{name: …}``.

    Raises
    ------
    UsageError
        A key below something that holds none.

    Examples
    --------
    >>> put({"game": "public-goods", "rounds": 10}, "game.factor", 1.1)
    {'game': {'name': 'public-goods', 'factor': 1.1}, 'rounds': 10}
    """
    path = key.split(".") if isinstance(key, str) else list(key)
    if not all(path):
        raise UsageError(f"key {shorten(key)!r}, expected words joined by dots")
    head, *rest = path
    if not rest:
        return {**values, head: value}
    inner = values.get(head)
    if inner is None:
        inner = {}
    elif head == "game" and isinstance(inner, str):
        inner = {"name": inner}
    if not isinstance(inner, Mapping):
        raise UsageError(f"key {'.'.join(path)!r}: {head} is {shorten(inner)!r} and has no parts")
    return {**values, head: put(inner, rest, value)}


def named_prompts() -> tuple[str, ...]:
    """Prompts that are no folder."""
    return ("intent", "fairgame", *points("intent.prompts"))


PATTERNS: dict[str, Callable[[Sequence[Any], int], Iterable[tuple[Any, ...]]]] = {
    "ordered": lambda values, n: itertools.product(values, repeat=n),
    "unordered": itertools.combinations_with_replacement,
    "different": itertools.combinations,
}
"""Word -> the seatings of some values on n seats: AA AB BA BB, AA AB BB, or AB."""

PATTERNED = ("personas", "players", "opponent_persona_probability")
"""Keys whose levels may be written so: ``personas: {unordered: [cooperative, selfish]}``."""


def is_pattern(key: str, levels: Any) -> bool:
    """Whether the levels of a factor are such a pattern."""
    return (
        key in PATTERNED and isinstance(levels, dict) and len(levels) == 1 and next(iter(levels)) in PATTERNS
    )


def misspelt_pattern(key: str, levels: Any) -> str | None:
    """The pattern that a factor's one named level, a list as in a pattern, seems to mean."""
    if key not in PATTERNED or not isinstance(levels, dict) or len(levels) != 1:
        return None
    word, values = next(iter(levels.items()))
    near = nearest(str(word), PATTERNS, cutoff=0.75)
    return near[0] if isinstance(values, list | tuple) and word not in PATTERNS and near else None


def patterned(levels: dict[str, Any], n_players: int, key: str) -> Iterator[list[Any]]:
    """The levels, one list by seat each.

    Raises
    ------
    DataError
        What is to be seated is no list of different values.
    """
    word, values = next(iter(levels.items()))
    if not isinstance(values, list | tuple) or not values:
        raise DataError(f"grid: {key}: {word} {shorten(values)!r}, expected a list")
    if len({repr(value) for value in values}) < len(values):
        raise DataError(f"grid: {key}: {word} {shorten(values)!r} lists a value twice")
    yield from map(list, PATTERNS[word](values, n_players))


T = TypeVar("T")

LIMIT_GAMES = 1_000_000

_COLUMNS: dict[str, str | None] = {
    "game.payoffs": "payoff_type",
    "personas": None,
    "players": None,
    "model": None,
    "horizon": None,
    "rounds": None,
    "labels": None,
    "listed_first": None,
    "named_first": None,
    "opponent_persona_probability": None,
    "others": None,
    "prompts": None,
}
"""Factor -> column of the log that holds its level; None where other columns say it."""

_STANDARD = frozenset(column.name for column in codebook.GAMES + codebook.SEATS)

_PAIRS = {"all": "unordered", "others": "different", "ordered": "ordered"}


@dataclass(frozen=True)
class Cell:
    """One combination of levels.

    Attributes
    ----------
    levels : factor -> level as people read it
    columns : condition columns of the log
    """

    condition: Condition
    levels: Mapping[str, Any]
    columns: Mapping[str, Any]


@dataclass(frozen=True)
class _Level:
    shown: Any
    changes: Mapping[str, Any]
    named: bool = False


def cells(design: Design) -> list[Cell]:
    """All combinations, the last factor varying fastest.

    Raises
    ------
    DataError
        A factor or level that cannot be.
    LimitError
        More than a million games.
    """
    grid = _with_pairs(design)
    for key, levels in grid.items():
        problem = check_factor(key, levels)
        if problem is not None:
            raise DataError(f"grid: {problem}")
    base = design.model_dump(include=set(Condition.model_fields))
    grid_cells: list[Cell] = []
    for values, levels in combined(base, list(grid.items()), _laid_over):
        text = ", ".join(f"{key}={shorten(level.shown, 40)}" for key, level in levels.items())
        called = f"{design.name}: grid {text}" if text else design.name
        condition = checked(Condition, Document(values), called=called)
        columns = {**condition.columns, **_columns(levels)}
        grid_cells.append(Cell(condition, {key: level.shown for key, level in levels.items()}, columns))
        if len(grid_cells) * design.repetitions > LIMIT_GAMES:
            raise LimitError(f"{design.name}: more than {LIMIT_GAMES:,} games")
    typed = alike([cell.columns for cell in grid_cells])
    return [replace(cell, columns=row) for cell, row in zip(grid_cells, typed, strict=True)]


def check_factor(key: str, levels: Any) -> str | None:
    """What is wrong with a factor, None where nothing is."""
    full = ALIASES.get(key, key)
    if not levels:
        return f"{key} has no levels"
    if isinstance(levels, list) and len({repr(level) for level in levels}) < len(levels):
        return f"{key} lists a level twice: {shorten(levels)}"
    meant = misspelt_pattern(full, levels)
    if meant is not None:
        return f"{key}: unknown pattern {shorten(next(iter(levels)))!r}; did you mean {meant}?"
    if full.split(".")[0] in Condition.model_fields:
        return None
    if isinstance(levels, dict):
        wrong = next(
            (name for name, to in levels.items() if to is not None and not isinstance(to, dict)), None
        )
        return (
            None
            if wrong is None
            else f"{key}: level {wrong} is {shorten(levels[wrong])!r}, expected a mapping"
        )
    near = nearest(key, [*Condition.model_fields, *ALIASES])
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"unknown factor {shorten(key)!r}{hint} (a column of the log alone is columns.{key})"


def _with_pairs(design: Design) -> dict[str, Any]:
    """The grid, with the factor of models turned into one of players where models meet one another."""
    grid = dict(design.grid)
    if design.pairs == "self":
        return grid
    models = grid.get("model", [design.model] if design.model else [])
    if (
        isinstance(models, dict)
        or design.players
        or design.opponent
        or "players" in grid
        or "opponent" in grid
    ):
        raise DataError(f"pairs: {design.pairs} makes players of a list of models, and needs that alone")
    players = {_PAIRS[design.pairs]: models}
    if "model" in grid:
        return {("players" if k == "model" else k): (players if k == "model" else v) for k, v in grid.items()}
    return {"players": players, **grid}


def combined(
    values: dict[str, Any],
    factors: Sequence[tuple[str, Any]],
    laid_over: Callable[[str, Any, dict[str, Any]], Iterator[tuple[T, dict[str, Any]]]],
) -> Iterator[tuple[dict[str, Any], dict[str, T]]]:
    """Values with every combination of levels laid over them, the last factor varying fastest.

    Parameters
    ----------
    factors : sequence of (key, levels)
    laid_over : from key, levels and values to each level and the values with it
    """
    if not factors:
        yield values, {}
        return
    (key, levels), *rest = factors
    for level, changed in laid_over(key, levels, values):
        for below, others in combined(changed, rest, laid_over):
            yield below, {key: level, **others}


def _laid_over(key: str, levels: Any, values: dict[str, Any]) -> Iterator[tuple[_Level, dict[str, Any]]]:
    for level in _levels(key, levels, values):
        changed = values
        for name, value in level.changes.items():
            changed = put(changed, ALIASES.get(name, name), value)
        yield level, changed


def _levels(key: str, levels: Any, values: Mapping[str, Any]) -> Iterator[_Level]:
    full = ALIASES.get(key, key)
    if is_pattern(full, levels):
        n_players = GameSpec.model_validate(values["game"]).stage().n_players
        for seats in patterned(levels, n_players, key):
            yield _Level(_shown(seats), {full: seats})
    elif isinstance(levels, dict):
        known = full.split(".")[0] in Condition.model_fields
        for name, level in levels.items():
            yield _Level(name, {full: level} if known else dict(level or {}), named=True)
    else:
        for level in levels:
            yield _Level(_shown(level), {full: level})


def _shown(level: Any) -> Any:
    if level is None:
        return "none"
    if isinstance(level, list | tuple):
        return " ".join(str(_shown(part)) for part in level)
    if isinstance(level, dict):
        return str(level.get("name") or json.dumps(level, ensure_ascii=False))
    return level


def _columns(levels: Mapping[str, _Level]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for key, level in levels.items():
        full = ALIASES.get(key, key)
        name = _COLUMNS.get(full, full.rpartition(".")[2])
        if full == "personas" and level.named:
            name = "pairing"
        if name is not None and name not in _STANDARD:
            columns[name] = level.shown
    return columns


def alike(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with columns of one type each: texts where values are of several; None stays None.

    Examples
    --------
    >>> alike([{"memory": 1}, {"memory": "all"}, {"memory": None}])
    [{'memory': '1'}, {'memory': 'all'}, {'memory': None}]
    """
    kinds: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None:
                kinds.setdefault(name, set()).add(float if type(value) is int else type(value))
    mixed = {name for name, types in kinds.items() if len(types) > 1}
    return [
        {name: str(v) if name in mixed and v is not None else v for name, v in row.items()} for row in rows
    ]
