"""Tasks: ``inspect eval intent/prisoners_dilemma`` and its like.

All are experiment files of ours: the matrix games `matrix.yaml` beside this module, the others those that
come with the package. The entry point of the group ``inspect_ai`` names this module, which brings scorers,
models and agents.

Parameters are keys of these files; a list (``-T language=en,vi``) makes a factor of
the grid, except of keys that take a list themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai import Epochs, Task, task
from inspect_ai._util.error import (  # inspect-evals-lint: ignore[private_api_imports] -- has no public name
    PrerequisiteError,
)
from inspect_ai.agent import Agent
from inspect_ai.dataset import MemoryDataset
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_create

from intent.agents.plan import GamePlan
from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import IntentError, UsageError, shorten
from intent.base.files import shipped
from intent.base.settings import read_value
from intent.inspect.exchange import PACKAGE, full_name
from intent.inspect.play import MODEL, Games, play, samples
from intent.inspect.scorers import cooperation, gamma_score, regret, strategy
from intent.logs.readers.inspect_eval import KEY, PLAYED
from intent.version import __version__

__all__ = ["TASKS", "experiment_file"]

MATRIX = Path(__file__).with_name("matrix.yaml")
"""The experiment file of the matrix games."""


def _named(name: str) -> str:
    """The name of a task: ``intent/NAME`` of the package, NAME of this file by itself (``tasks.py@NAME``)."""
    return full_name(name) if __name__.startswith(f"{PACKAGE}.") else name


class TaskError(PrerequisiteError, IntentError):
    """What a task cannot be made of; Inspect prints it as a line, without a traceback."""

    def __init__(self, message: str) -> None:
        Exception.__init__(self, message)
        self.message = message


@contextmanager
def _as_line() -> Iterator[None]:
    """Our errors as those that Inspect shows as a line."""
    try:
        yield
    except IntentError as error:
        raise TaskError(str(error)) from error


def experiment_file(name: str) -> Path:
    """A path as it is, or the file of a shipped experiment: ``fairgame``, ``private_deliberation/own``.

    Raises
    ------
    UsageError
        Neither.
    """
    path = Path(name).expanduser().resolve()
    if path.is_file():
        return path
    ours = shipped("experiments")
    study, _, variant = name.partition("/")
    known = [] if ours is None else sorted(file for file in ours.glob("*/*.yaml"))
    for file in known:
        if file.parent.name == study and file.stem == (variant or "experiment"):
            return file
    listed = ", ".join(f"{file.parent.name}/{file.stem}" for file in known)
    raise UsageError(f"experiment {shorten(name)!r}, expected a file that is there, or one of {listed}")


def _of_strategies(recogniser: str) -> Callable[[Sequence[GamePlan]], list[Scorer]]:
    """The scorers of two-action games; without a cooperative action in any of them, regret alone."""

    def scorers(plans: Sequence[GamePlan]) -> list[Scorer]:
        cooperative = any(
            plan.stage().cooperative_action(seat) is not None
            for plan in plans
            for seat in range(1, len(plan.seats) + 1)
        )
        return [cooperation(), strategy(recogniser), regret()] if cooperative else [regret()]

    return scorers


def _of_benchmark(scoring: str = "code") -> Callable[[Sequence[GamePlan]], list[Scorer]]:
    """The scorers of gamma-bench."""
    return lambda plans: [gamma_score(scoring), regret()]


def _task(
    file: Path,
    scorers: Callable[[Sequence[GamePlan]], list[Scorer]],
    changes: dict[str, Any],
    set: str | Sequence[str] | None,
    agent: str | None,
) -> Task:
    """The task of an experiment file with changes."""
    texts = [set] if isinstance(set, str) else list(set or ())
    with _as_line():
        known = {key: _value(value) for key, value in changes.items() if value is not None}
        games = Games(str(file), known, tuple(texts))
        plans, _ = games.plans()
        wanted = scorers(plans)
    return Task(
        dataset=MemoryDataset(
            samples(plans), name=file.stem if file != MATRIX else str(known.get("game", "matrix"))
        ),
        solver=play(games.file, known, texts, None if agent is None else _agent(agent)),
        scorer=wanted,
        epochs=Epochs(1, "mean"),
        version=__version__,
        metadata={
            PLAYED: KEY,
            "experiment": games.source(MODEL).model_dump(mode="json", exclude={"fairgame"}),
        },
    )


def _value(value: Any) -> Any:
    """A parameter as a file would have it: texts of the command line such as ``null`` are YAML."""
    if isinstance(value, str):
        return read_value(value, "parameter") if value[:1] in "[{" or value == "null" else value
    return value


def _agent(name: str) -> Agent:
    entry: Any = registry_create("agent", name)
    agent: Agent = entry
    return agent


def _matrix_game(
    game: str = "prisoner-dilemma",
    rounds: int | list[int] | None = None,
    repetitions: int | None = None,
    language: str | list[str] | None = None,
    persona: str | list[str] | None = None,
    opponent: str | list[str] | None = None,
    implementation_error: float | list[float] | None = None,
    horizon: str | list[str] | None = None,
    continuation: float | list[float] | None = None,
    framing: str | list[str] | None = None,
    scale: float | list[float] | None = None,
    communication: str | list[str] | None = None,
    memory: int | list[int] | None = None,
    architecture: str | list[str] | None = None,
    seed: int | None = None,
    set: str | list[str] | None = None,
    agent: str | None = None,
    recogniser: str = DEFAULT_RECOGNISER,
) -> Task:
    """A repeated matrix game of two players.

    Parameters
    ----------
    game : of the catalogue (``intent games``)
    rounds, repetitions, language, persona, opponent, implementation_error, horizon, continuation, framing,
    scale, communication, memory, architecture, seed
        As in an experiment file; the opponent is the model itself, or the role ``opponent``, unless it is
        named: ``scripted/TFT``.
    set : ``key=value`` of any other key, or several
    agent : an agent of Inspect's in the place of the model, by its registered name
    recogniser : of the scorer `strategy`
    """
    changes = {
        "game": game,
        "rounds": rounds,
        "repetitions": repetitions,
        "language": language,
        "persona": persona,
        "opponent": opponent,
        "implementation_error": implementation_error,
        "horizon": horizon,
        "continuation": continuation,
        "framing": framing,
        "scale": scale,
        "communication": communication,
        "memory": memory,
        "architecture": architecture,
        "seed": seed,
    }
    return _task(MATRIX, _of_strategies(recogniser), changes, set, agent)


@task(name=_named("public_goods"))
def public_goods(
    n_players: int | None = None,
    factor: float | list[float] | None = None,
    cost: float | None = None,
    rounds: int | list[int] | None = None,
    repetitions: int | None = None,
    language: str | list[str] | None = None,
    persona: str | list[str] | None = None,
    opponent: str | list[str] | None = None,
    implementation_error: float | list[float] | None = None,
    horizon: str | list[str] | None = None,
    memory: int | list[int] | None = None,
    architecture: str | list[str] | None = None,
    seed: int | None = None,
    set: str | list[str] | None = None,
    agent: str | None = None,
    recogniser: str = DEFAULT_RECOGNISER,
) -> Task:
    """A public good in rounds, as in experiments/public_goods: three players, factor 2, English, no personas,
    ten times.

    Parameters
    ----------
    n_players, factor, cost, rounds, repetitions, language, persona, opponent, implementation_error, horizon,
    memory, architecture, seed
        As in an experiment file; ``opponent`` takes all seats but the first.
    set, agent, recogniser
        As of `matrix_game`; strategies react to what the majority of the others did.
    """
    changes: dict[str, Any] = {
        "n_players": n_players,
        "factor": 2.0 if factor is None else factor,
        "cost": cost,
        "rounds": rounds,
        "repetitions": repetitions,
        "language": "en" if language is None else language,
        "opponent": opponent,
        "implementation_error": implementation_error,
        "horizon": horizon,
        "memory": memory,
        "architecture": architecture,
        "seed": seed,
    }
    shown = "payoffs, round, horizon, own_choices, others_choices, past_payoffs"
    wanted = ["grid.personas=null", f"treatment.shows=[{shown}]"] if persona is None else []
    if persona is not None:
        changes["persona"] = persona
    texts = [*wanted, *([set] if isinstance(set, str) else list(set or ()))]
    return _task(experiment_file("public_goods"), _of_strategies(recogniser), changes, texts, agent)


@task(name=_named("gamma_bench"))
def gamma_bench(
    games: str | list[str] = "all",
    players: int | None = None,
    rounds: int | list[int] | None = None,
    repetitions: int | None = None,
    language: str | list[str] | None = None,
    version: str | list[str] | None = None,
    persona: str | list[str] | None = None,
    chain_of_thought: int | None = None,
    seed: int | None = None,
    set: str | list[str] | None = None,
    agent: str | None = None,
    scoring: str = "code",
) -> Task:
    """The eight games of gamma-bench, as in experiments/gamma_bench: ten players of one model, twenty rounds.

    Parameters
    ----------
    games : ``all``, a name or several
    players, rounds, repetitions, language, version, persona, chain_of_thought, seed
        As in a benchmark file.
    set, agent : as of `matrix_game`
    scoring : ``code`` or ``paper``, of the scorer `gamma_score`
    """
    changes = {
        "players": players,
        "rounds": rounds,
        "repetitions": repetitions,
        "language": language,
        "version": version,
        "persona": persona,
        "chain_of_thought": chain_of_thought,
        "seed": seed,
        "games": None if games == "all" else [games] if isinstance(games, str) else list(games),
    }
    return _task(experiment_file("gamma_bench"), _of_benchmark(scoring), changes, set, agent)


@task(name=_named("experiment"))
def experiment(
    file: str,
    set: str | list[str] | None = None,
    agent: str | None = None,
    recogniser: str = DEFAULT_RECOGNISER,
) -> Task:
    """Any experiment file of two-action games, or any benchmark file, with the models of the evaluation in
    its seats.

    Parameters
    ----------
    file : a path, or the name of a shipped one: ``fairgame``, ``private_deliberation/own``
    set, agent, recogniser
        As of `matrix_game`.
    """
    with _as_line():
        path = experiment_file(file)
        benchmark = Games(str(path)).source(MODEL).run_key == "benchmark"
    scorers = _of_benchmark() if benchmark else _of_strategies(recogniser)
    return _task(path, scorers, {}, set, agent)


F = TypeVar("F", bound=Callable[..., Task])


def _with_parameters(function: F) -> F:
    """The function with the parameters of `matrix_game`, but for the game."""
    whole = signature(_matrix_game)
    rest = [parameter for name, parameter in whole.parameters.items() if name != "game"]
    function.__signature__ = whole.replace(parameters=rest)  # type: ignore[attr-defined]
    function.__annotations__ = {key: v for key, v in _matrix_game.__annotations__.items() if key != "game"}
    return function


@task(name=_named("matrix_game"))
@wraps(_matrix_game)
def matrix_game(**parameters: Any) -> Task:
    """As `_matrix_game`."""
    return _matrix_game(**parameters)


@task(name=_named("prisoners_dilemma"))
@_with_parameters
def prisoners_dilemma(**parameters: Any) -> Task:
    """A repeated prisoner's dilemma of two players; parameters as of `matrix_game`."""
    return _matrix_game(game="prisoner-dilemma", **parameters)


@task(name=_named("stag_hunt"))
@_with_parameters
def stag_hunt(**parameters: Any) -> Task:
    """A repeated stag hunt of two players; parameters as of `matrix_game`."""
    return _matrix_game(game="stag-hunt", **parameters)


@task(name=_named("snow_drift"))
@_with_parameters
def snow_drift(**parameters: Any) -> Task:
    """A repeated snowdrift game of two players; parameters as of `matrix_game`."""
    return _matrix_game(game="snow-drift", **parameters)


@task(name=_named("harmony_game"))
@_with_parameters
def harmony_game(**parameters: Any) -> Task:
    """A repeated harmony game of two players; parameters as of `matrix_game`."""
    return _matrix_game(game="harmony-game", **parameters)


@task(name=_named("battle_of_the_sexes"))
@_with_parameters
def battle_of_the_sexes(**parameters: Any) -> Task:
    """A repeated battle of the sexes of two players; parameters as of `matrix_game`."""
    return _matrix_game(game="battle-sexes", **parameters)


TASKS: dict[str, Callable[..., Task]] = {
    "prisoners_dilemma": prisoners_dilemma,
    "stag_hunt": stag_hunt,
    "snow_drift": snow_drift,
    "harmony_game": harmony_game,
    "battle_of_the_sexes": battle_of_the_sexes,
    "matrix_game": matrix_game,
    "public_goods": public_goods,
    "gamma_bench": gamma_bench,
    "experiment": experiment,
}
"""Name -> task, as ``inspect eval intent/NAME`` finds it."""

# `scout scan intent/NAME` loads this module; an evaluation needs no Scout
if "inspect_scout" in sys.modules:
    import intent.inspect.scanner  # noqa: F401
