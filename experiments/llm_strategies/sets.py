"""What a chain is made of: its spec, its sets, what was learned of each, and what the paper printed.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, tables 3 to 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from intent.arena.entrant import ATTITUDES
from intent.base.errors import DataError
from intent.base.experiments import published_values
from intent.base.settings import Document, Values, checked, read_document
from intent.base.statistics import Interval
from intent.runner.experiment.file import parse_setting
from intent.runner.experiment.grid import put
from intent.runner.limits import Limits, Price
from intent.runner.treatment import Treatment

if TYPE_CHECKING:
    from intent.arena.inspection import StrategyFacts
    from intent.arena.validation import Validation


__all__ = [
    "COOPERATION",
    "EQUILIBRIA",
    "LOST",
    "MODELS",
    "PAYOFFS",
    "SETS",
    "ChainSet",
    "ChainSpec",
    "Ends",
    "Evolution",
    "LineUpSpec",
    "Outcome",
    "Printed",
    "PublishedSet",
    "Tournament",
    "Writing",
    "chain_of",
    "check_sets",
    "claimed",
    "load_chain",
    "orders",
    "printed",
    "published_sets",
    "table_note",
    "written_sets",
]


class Tournament(Values):
    """The round robin of every set.

    Attributes
    ----------
    repetitions : of every pair that can differ between repetitions
    self_play : bool
    faults : ``disqualify`` or ``void``, for standings; tables 3 to 6 leave out who was at fault in any match
    fidelity : as `MatchRules`
    """

    repetitions: int = Field(default=20, ge=1, le=10_000)
    self_play: bool = True
    faults: Literal["disqualify", "void"] = "disqualify"
    fidelity: Literal["axelrod", "clean"] = "axelrod"


class Writing(Values):
    """How models write, as the options of ``intent strategies write``.

    Attributes
    ----------
    code_model : who turns words into code; None: the same
    attempts : most attempts per attitude and style; None: 3 n + 5
    temperature, max_tokens, prompts, scenarios, limits, prices, concurrency, cache, budget
        As `write_strategies`; ``prompts`` is a folder beside the file.
    """

    code_model: str | None = None
    attempts: int | None = Field(default=None, ge=1)
    temperature: float | None = 0.7
    max_tokens: int | None = Field(default=None, ge=1)
    prompts: str | None = None
    scenarios: str | None = None
    limits: dict[str, Limits] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    concurrency: int | None = Field(default=None, ge=1)
    cache: bool = False
    budget: float | None = Field(default=None, gt=0)


class LineUpSpec(Values):
    """The tournament of the three attitude agents among others' strategies.

    Attributes
    ----------
    against : opponents, as ``intent tournament --against``
    repetitions : int
    """

    against: str = "humans"
    repetitions: int = Field(default=200, ge=1, le=10_000)


class Evolution(Values):
    """Moran processes between the attitudes.

    Attributes
    ----------
    initial : individuals at the start, in the order of the attitudes
    runs : processes from each start
    """

    initial: list[tuple[int, ...]] = Field(default=[(4, 4, 4), (8, 2, 2)], min_length=1)
    runs: int = Field(default=100, ge=1, le=100_000)

    @field_validator("initial")
    @classmethod
    def _populations(cls, value: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        for counts in value:
            if min(counts, default=-1) < 0 or not 2 <= sum(counts) <= 10_000:
                raise ValueError(f"start {list(counts)}: expected 2 to 10,000 individuals, none negative")
        if len({sum(counts) for counts in value}) > 1:
            raise ValueError("expected populations of one size")
        return value


class ChainSpec(Values):
    """A chain: sets of strategies, and what is done with each of them.

    Attributes
    ----------
    name : str
    seed : int, of writing, matches, Moran processes and intervals
    models : who writes the words, as ``intent play --models``
    writing : how they do
    styles, attitudes, noise, games : a set for each combination of style, noise, game and model
    n : good strategies per attitude
    turns : rounds per match
    tournament, line_up, evolution : None leaves a part out
    inspect : whether every strategy is inspected
    bootstrap : samples of every interval
    treatment : what is declared of the texts that models are sent, as experiments declare it
    """

    name: str = "chain"
    seed: int = Field(default=0, ge=0)
    models: list[str] = Field(default_factory=list)
    writing: Writing = Field(default_factory=Writing)
    styles: list[str] = Field(default_factory=lambda: ["default", "refine", "prose"], min_length=1)
    attitudes: list[str] = Field(default_factory=lambda: list(ATTITUDES), min_length=1)
    noise: list[float] = Field(default_factory=lambda: [0.0, 0.1], min_length=1)
    games: list[str] = Field(default_factory=lambda: ["classic"], min_length=1)
    n: int = Field(default=25, ge=1, le=1000)
    turns: int = Field(default=1000, ge=1, le=100_000)
    tournament: Tournament = Field(default_factory=Tournament)
    line_up: LineUpSpec | None = Field(default_factory=LineUpSpec)
    evolution: Evolution | None = Field(default_factory=Evolution)
    inspect: bool = True
    bootstrap: int = Field(default=2000, ge=100, le=100_000)
    treatment: Treatment | None = None

    @field_validator("noise")
    @classmethod
    def _probabilities(cls, value: list[float]) -> list[float]:
        if not all(0 <= noise < 0.5 for noise in value):
            raise ValueError("expected probabilities below .5")
        return value

    @field_validator("attitudes")
    @classmethod
    def _known(cls, value: list[str]) -> list[str]:
        strange = [name for name in value if name not in ATTITUDES]
        if strange:
            raise ValueError(f"{strange[0]!r} is none of {', '.join(ATTITUDES)}")
        return value

    @field_validator("styles")
    @classmethod
    def _styles(cls, value: list[str]) -> list[str]:
        from intent.arena.writing.task import parse_style

        return [parse_style(style).name for style in value]

    @model_validator(mode="after")
    def _one_count_per_attitude(self) -> Self:
        for counts in self.evolution.initial if self.evolution is not None else ():
            if len(counts) != len(self.attitudes):
                raise ValueError(
                    f"evolution.initial: {list(counts)} are {len(counts)} numbers, expected one for each of "
                    f"{', '.join(self.attitudes)}"
                )
        return self


def load_chain(path: str | Path, settings: Sequence[str] = ()) -> ChainSpec:
    """The chain of a YAML file.

    Parameters
    ----------
    path : path
    settings : sequence of ``key=value``
        In place of the file's; a dotted key goes into a part, as ``evolution.runs=10``.

    Raises
    ------
    DataError
        No such file, or not such a chain; an unknown key is answered with the nearest known one.
    UsageError
        A setting without ``=``, of no YAML, or below something that has no parts.
    """
    source = Path(path)
    document = read_document(source)
    values = {"name": source.stem, **document.values}
    return chain_of(values, settings, called=source.name, lines=document.lines)


def chain_of(
    values: Mapping[str, Any], settings: Sequence[str] = (), *, called: str, lines: Any = None
) -> ChainSpec:
    """The chain of such values, and which lines they stand in; as `load_chain`."""
    changed = {key: value for key, value in values.items() if key != "chain"}
    for setting in settings:
        changed = put(changed, *parse_setting(setting))
    document = Document(changed) if lines is None else Document(changed, lines)
    return checked(ChainSpec, document, called=called)


Matrix = tuple[tuple[float, float, float], ...]
"""Rows and columns Aggressive, Cooperative, Neutral."""


@dataclass(frozen=True)
class PublishedSet:
    """One of the twelve sets: whose words, asked how, for play with which noise.

    Attributes
    ----------
    model : {"openai", "anthropic"}, as files are called
    style : {"default", "refine", "prose"}
    noise : float
    """

    model: str
    style: str
    noise: float

    @property
    def stem(self) -> str:
        """The name of its file, without the suffix."""
        return f"{self.model}_{self.style}{'_noise' if self.noise else ''}"


SETS: Mapping[str, PublishedSet] = {
    found.stem: found
    for found in (
        PublishedSet(model, style, noise)
        for model in ("openai", "anthropic")
        for noise in (0.0, 0.1)
        for style in ("default", "refine", "prose")
    )
}
"""Stem of a file -> its set, in the order of the tables."""

LOST: Mapping[str, str] = {
    "openai_refine_noise": "its strategies are lost upstream: only the results of their tournament are there"
}
"""Stem of a file -> why it cannot be had."""

MODELS: Mapping[str, str] = {"ChatGPT-4o": "openai", "Claude 3.5 Sonnet": "anthropic"}
"""Model as the paper prints it -> as the authors' files are called."""


@cache
def printed() -> tuple[Printed, ...]:
    """What the paper prints, from ``published.csv`` beside this file.

    Raises
    ------
    DataError
        As `intent.base.experiments.published_values`.
    """
    rows = published_values(Path(__file__).parent).to_dict("records")
    return tuple(Printed(r["table"], r["row"], r["column"], r["value"], r["unit"] == "claim") for r in rows)


@dataclass(frozen=True)
class Printed:
    """A printed number, or what the text says where it is a claim.

    Attributes
    ----------
    table, row, column : str
    value : float, NaN of a claim
    claim : bool
    """

    table: str
    row: str
    column: str
    value: float
    claim: bool

    @property
    def told(self) -> Mapping[str, str]:
        """The conditions of its row."""
        return dict(part.split("=", 1) for part in self.row.split(", "))

    @property
    def key(self) -> tuple[str, str, float]:
        """Model, style and noise of the set that it is about."""
        return MODELS[self.told["model"]], self.told["style"], float(self.told["noise"])


def _numbers(*tables: str) -> Iterator[Printed]:
    return (one for one in printed() if one.table in tables and not one.claim)


def _matrices(*tables: str) -> dict[tuple[str, str, float], Matrix]:
    """Set -> the value of each attitude (row) against each other one (column)."""
    cells: dict[tuple[str, str, float], dict[tuple[str, str], float]] = {}
    for one in _numbers(*tables):
        cells.setdefault(one.key, {})[one.told["attitude"], one.told["against"]] = one.value
    return {
        key: tuple((by["Aggressive"], by["Cooperative"], by["Neutral"]) for by in _rows(of))
        for key, of in cells.items()
    }


def _rows(cells: Mapping[tuple[str, str], float]) -> Iterator[dict[str, float]]:
    return ({column: cells[row, column] for column in ATTITUDES} for row in ATTITUDES)


def claimed(name: str) -> frozenset[tuple[str, str]]:
    """Models and styles of which the paper makes a claim; the style is empty where it is about all."""
    about = (one for one in printed() if one.claim and one.column == name)
    return frozenset((MODELS[one.told["model"]], one.told.get("style", "")) for one in about)


COOPERATION: Mapping[tuple[str, str, float], Matrix] = _matrices("Table 3")
"""Table 3, model, style, noise -> propensity to cooperate of the row against the column."""

PAYOFFS: Mapping[tuple[str, str, float], Matrix] = _matrices("Table 4", "Table 5")
"""Tables 4 (noise 0) and 5 (noise .1): mean payoff per round of the row against the column."""


def _equilibria() -> dict[tuple[str, str, float, str], tuple[int, int, int]]:
    cells: dict[tuple[str, str, float, str], dict[str, int]] = {}
    for one in _numbers("Table 6"):
        cells.setdefault((*one.key, one.told["initial"]), {})[one.told["attitude"]] = round(one.value)
    return {key: (of["Aggressive"], of["Cooperative"], of["Neutral"]) for key, of in cells.items()}


EQUILIBRIA: Mapping[tuple[str, str, float, str], tuple[int, int, int]] = _equilibria()
"""Table 6: percent of the runs that ended in A, C, N; one row sums to 102, as it was printed."""

NOTES: Mapping[str, str] = {
    "6": "The paper's Moran processes had no seeds and ran 100 times a row: its shares can only be compared "
    "within Monte-Carlo error. p: probability of two rows of runs at least as unlike, if both came from the "
    "same process (labels of runs exchanged). ChatGPT-4o, default, 4:1:1 without noise was printed as 66, 19 "
    "and 17 %, which sum to 102; it stands here as printed."
}
"""Number of a table -> what a reader must know of the printed one."""

NOTES_OF_MODELS: Mapping[tuple[str, str], str] = {
    ("3", "anthropic"): "The paper's rows Cooperative and Neutral of Claude 3.5 Sonnet are those of the "
    "authors' published result file, rounded as the others."
}
"""Number of a table and model -> what a reader must know where the table shows the model."""


def table_note(number: str, models: Iterable[str]) -> str:
    """What a reader must know of a printed table of which numbers of these models are shown."""
    shown = set(models)
    notes = [
        NOTES.get(number, ""),
        *(text for (n, m), text in NOTES_OF_MODELS.items() if n == number and m in shown),
    ]
    return " ".join(text for text in notes if text) if shown else ""


@dataclass(frozen=True)
class ChainSet:
    """One file of strategies.

    Attributes
    ----------
    name : str, its stem
    model, style, game : str
    noise : float
    path : Path, or None where it is not there
    lost : why not, or None
    published : whether it is one of the paper's sets, so that its numbers stand beside ours
    """

    name: str
    model: str
    style: str
    game: str
    noise: float
    path: Path | None = field(default=None, compare=False)
    lost: str | None = None
    published: bool = False


def check_sets(spec: ChainSpec, published: str | Path | None) -> None:
    """Refuse a folder without sets, or models that could not be asked, before anything is made.

    Raises
    ------
    DataError
        As `published_sets` and `written_sets`.
    IntentError
        As `make_client`.
    """
    if published is not None:
        published_sets(published, spec)
        return
    from intent.agents.clients.registry import make_client

    _check_models(spec)
    for model in dict.fromkeys([*spec.models, *filter(None, [spec.writing.code_model])]):
        make_client(model)


def published_sets(folder: str | Path, spec: ChainSpec) -> tuple[ChainSet, ...]:
    """The sets of the paper that the spec's styles and noises ask for, in the order of its tables.

    Parameters
    ----------
    folder : path
        With files as ``anthropic_default.py``, ``openai_prose_noise.py``.
    spec : ChainSpec

    Raises
    ------
    DataError
        No such folder, or none of the files in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError(f"{root}: no such folder, expected one of published strategies")
    sets = []
    for stem, printed in SETS.items():
        if printed.style not in spec.styles or printed.noise not in spec.noise:
            continue
        path = root / f"{stem}.py"
        there = path.is_file()
        sets.append(
            ChainSet(
                stem,
                printed.model,
                printed.style,
                spec.games[0],
                printed.noise,
                path if there else None,
                None if there else LOST.get(stem, f"no file {path.name} in {root.name}"),
                published=True,
            )
        )
    if not any(one.path for one in sets):
        names = ", ".join(f"{one.name}.py" for one in sets) or "nothing"
        raise DataError(f"{root}: holds none of {names}")
    return tuple(sets)


def written_sets(
    spec: ChainSpec,
    folder: Path,
    *,
    beside: Path,
    engine: str,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[tuple[ChainSet, ...], list[str]]:
    """The sets that the spec asks models to write, written; what is there already is not asked for again.

    Parameters
    ----------
    spec : ChainSpec
    folder : Path
        Gets a folder for each model, noise and game.
    beside : Path
        Where a folder of prompts is looked for.
    engine : str
    update : called with (attempts done, issued)

    Returns
    -------
    sets : tuple of ChainSet
    notes : list of str

    Raises
    ------
    DataError
        The spec names no model.
    EndpointError, BudgetSpent
        A model gave no answer; what was answered is kept.
    """
    from intent.arena.writing.order import plain_name
    from intent.arena.writing.strategies import write_strategies

    sets: list[ChainSet] = []
    notes: list[str] = []
    for number, (levels, order) in enumerate(orders(spec, beside), 1):
        model, game, noise = levels["model"], levels["game"], levels["noise"]
        place = folder / f"{number:02d}_{plain_name(model)}_{game}_{noise:g}"
        writing = write_strategies(folder=place, engine=engine, update=update, **order).to_dict()
        notes += [f"{model}: {note}" for note in writing["notes"]]
        for one in writing["sets"]:
            path = None if one["file"] is None else place / one["file"]
            good = sum(one["n"].values())
            lost = None if path is not None else "none of its strategies play"
            name = f"{plain_name(model)}_{one['style'].replace('+', '_')}" if path is None else path.stem
            name = name if len(spec.games) == 1 else f"{name}_{game}"
            name = _unused(name, {other.name for other in sets})
            sets.append(ChainSet(name, model, one["style"], game, noise, path, lost))
            if path is not None and good < one["wanted"]:
                notes.append(f"{name}: {good} strategies that play, of {one['wanted']} wanted")
    return tuple(sets), notes


def orders(spec: ChainSpec, beside: Path) -> list[tuple[Mapping[str, Any], dict[str, Any]]]:
    """What `write_strategies` is to be told, one for each model, game and noise, with these levels.

    Raises
    ------
    DataError
        The spec names no model.
    """
    _check_models(spec)
    options = spec.writing.model_dump()
    if options["prompts"] is not None:
        options["prompts"] = beside / options["prompts"]
    options |= {"style": ",".join(spec.styles), "attitudes": ",".join(spec.attitudes)}
    options |= {"n": spec.n, "turns": spec.turns, "seed": spec.seed}
    return [
        (
            {"model": model, "game": game, "noise": noise},
            {"model": model, "game": game, "noise": noise, **options},
        )
        for model, game, noise in product(spec.models, spec.games, spec.noise)
    ]


def _check_models(spec: ChainSpec) -> None:
    if not spec.models:
        raise DataError(f"{spec.name}: no models to write strategies; add models, or give --from FOLDER")


def _unused(name: str, taken: set[str]) -> str:
    numbers = (f"{name}-{k}" for k in range(2, len(taken) + 3))
    return name if name not in taken else next(new for new in numbers if new not in taken)


@dataclass(frozen=True)
class Ends:
    """Where the Moran processes of one start went.

    Attributes
    ----------
    initial : individuals of each name
    names : tuple of str
    counts : runs that ended with each name alone
    runs : int
    shares : name -> Interval
    exact : probabilities of ending alone, from mean payoffs; None of large populations
    mean_steps : float, NaN where none ended
    """

    initial: tuple[int, ...]
    names: tuple[str, ...]
    counts: tuple[int, ...]
    runs: int
    shares: Mapping[str, Interval]
    exact: tuple[float, ...] | None
    mean_steps: float

    @property
    def ratio(self) -> str:
        """``4:1:1`` for 8, 2, 2."""
        divisor = int(np.gcd.reduce(self.initial)) or 1
        return ":".join(str(n // divisor) for n in self.initial)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One set after validation, tournament, line-up and evolution.

    Attributes
    ----------
    chain_set : ChainSet
    n, ok : int, strategies found, and of them those that run
    left_out : name -> reason
    validation : Validation
    names : attitudes, as in the matrices
    payoffs : (m, m), mean payoff per turn of the row against the column
    draws : (B, m, m) or None, payoffs over strategies drawn anew
    intervals : row -> column -> {low, high} or None, of the payoffs
    errors : ``payoff`` and ``cooperation`` -> row -> column -> standard error over matches, or None
    ends : of each start
    line_up : rows as `codebook.STANDINGS`; agents are those whose name is an attitude
    scores : name -> (R,) score of each repetition of the line-up
    facts : of every strategy; empty where none was inspected
    figures : paths within the folder of the chain -> title
    notes : tuple of str
    """

    chain_set: ChainSet
    n: int
    ok: int
    left_out: Mapping[str, str]
    validation: Validation
    names: tuple[str, ...]
    payoffs: NDArray[np.float64]
    draws: NDArray[np.float64] | None
    intervals: Mapping[str, Mapping[str, Mapping[str, float] | None]]
    errors: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict)
    ends: tuple[Ends, ...] = ()
    line_up: Sequence[Mapping[str, Any]] = ()
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    facts: tuple[StrategyFacts, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
