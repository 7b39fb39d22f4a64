"""One session of a run: all checked before a folder is made, then clients, callers and agents at play."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.loop import in_own_loop
from intent.base.masking import refuse_keys
from intent.base.registry import load, points
from intent.runner.caller import session_callers

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.base.tracking import Tracker
    from intent.runner.caller import Called, Caller, Event
    from intent.runner.driver import Outcome
    from intent.runner.experiment.model import Runtime
    from intent.runner.finish import PlayResult
    from intent.runner.run import Run
    from intent.runner.status import Progress


__all__ = [
    "ENTRY_POINTS",
    "FEW_GAMES",
    "Live",
    "RunKind",
    "StagedKind",
    "check_agents",
    "checked_plans",
    "checked_run",
    "has_human",
    "in_folder",
    "make_clients",
    "model_names",
    "new_run",
    "play_session",
    "run_kind",
    "staged_folder",
    "staged_kind",
]


def model_names(plans: Iterable[GamePlan]) -> list[str]:
    """The language models of some plans, each a name that a client could be made of; no key is needed.

    Raises
    ------
    UsageError
        A name that says no provider, such as those in FAIRGAME's files.
    UnknownNameError
        A provider that is not there, or a scripted strategy that is none.
    """
    from intent.agents.clients.registry import provider_of, providers
    from intent.agents.plan import parse_player

    players = dict.fromkeys(seat.player for plan in plans for seat in plan.seats)
    models = [name for name in players if parse_player(name).kind == "model"]
    known = providers()
    for name in models:
        provider = provider_of(name)
        if provider is None:
            raise UsageError(
                f"model {shorten(name)!r} says no provider, expected a name such as openai/gpt-4o; -m NAME "
                f"plays another model instead, intent play --map-model {shorten(name)}=NAME this one by its "
                "name here"
            )
        if provider not in known:
            raise UnknownNameError("provider of models", provider, known)
    return models


def has_human(plans: Iterable[GamePlan]) -> bool:
    """Whether a human has a seat in one of the plans."""
    return any(seat.kind == "human" for plan in plans for seat in plan.seats)


def make_clients(
    plans: Iterable[GamePlan], experiment: Runtime, callables: Mapping[str, Callable[..., Any]]
) -> list[Client]:
    """A client for every language model, which takes the settings that its seats ask for.

    Raises
    ------
    IntentError
        A name, key, file, library or price that is missing, or a setting that the endpoint does not have.
    """
    from intent.agents.client import Message
    from intent.agents.clients.registry import make_client
    from intent.runner.prices import require_prices

    games = list(plans)
    names = model_names(games)
    if experiment.budget is not None:
        require_prices(names, experiment.prices)
    clients = {name: make_client(name, callables=callables) for name in names}
    checked: set[tuple[str, str]] = set()
    for plan in games:
        for seat in plan.seats:
            pair = (seat.player, seat.settings.model_dump_json())
            if seat.player in clients and pair not in checked:
                checked.add(pair)
                labels = plan.stage().actions or ("A", "B")
                settings = seat.settings.model_copy(update={"choices": labels})
                clients[seat.player].body([Message("user", "A or B?")], settings)
    return list(clients.values())


if TYPE_CHECKING:
    AgentsOf = Callable[[GamePlan, Mapping[str, PromptSet]], Sequence[Agent]]

FEW_GAMES = 4
"""Games in play at a time where all calls go one after another."""


@dataclass(frozen=True)
class Live:
    """What is known of a run while it is played.

    Attributes
    ----------
    cost : float, of the calls of this session
    troubles : int, requests of this session that failed or had to wait
    trouble : str, the latest of them in words
    """

    progress: Progress
    cost: float
    troubles: int
    trouble: str


def play_session(
    run: Run,
    experiment: Runtime,
    clients: Sequence[Client],
    *,
    on_live: Callable[[Live], None] = lambda live: None,
    agents_of: AgentsOf | None = None,
) -> Outcome:
    """Play what is left of a run.

    In a thread of its own where a loop runs already, as in a notebook.

    Parameters
    ----------
    experiment : its limits, prices, budget and the like; the games are those of the run
    clients : one for every language model of the run; closed at the end
    on_live : called at most ten times a second
    agents_of : from a plan and the prompt sets of the run to the agents, by seat, optional
        Default: `intent.agents.build.make_agents`.
    """
    work = _Session(run, experiment, clients, on_live, agents_of).play
    return in_own_loop(work)


@dataclass
class _Session:
    run: Run
    experiment: Runtime
    clients: Sequence[Client]
    on_live: Callable[[Live], None]
    agents_of: AgentsOf | None = None
    costs: list[float] = field(default_factory=lambda: [0.0])
    troubles: int = 0
    trouble: str = ""

    async def play(self) -> Outcome:
        from intent.agents.build import make_agents
        from intent.agents.prompts.sources import prompts_from_json

        try:
            callers = {name: _Metered(caller, self.costs) for name, caller in self._callers().items()}
            prompts = {name: prompts_from_json(text) for name, text in self.run.prompts().items()}
            return await self.run.play(
                callers.__getitem__,
                lambda plan: (self.agents_of or make_agents)(plan, prompts),
                window=self._window(),
                on_progress=self._report,
            )
        finally:
            for client in self.clients:
                await client.close()

    def _window(self) -> int | None:
        """Games in play at a time, None for as many as the run likes.

        A model that answers one call at a time, such as one in this process, gains nothing by many games,
        and loses the beginnings of prompts that it remembers.
        """
        if has_human(self.run.plans()):
            return 1
        at_once = [self.experiment.concurrency or client.concurrency for client in self.clients]
        return self.experiment.window or (FEW_GAMES if at_once == [1] else None)

    def _callers(self) -> dict[str, Caller]:
        experiment = self.experiment
        return session_callers(
            self.clients,
            limits=experiment.limits,
            prices=experiment.prices,
            cache=experiment.cache,
            budget=experiment.budget,
            spent=self.run.status().cost if experiment.budget is not None else 0.0,
            concurrency=experiment.concurrency,
            retry=experiment.retry,
            listener=self._listen,
        )

    def _listen(self, event: Event) -> None:
        self.troubles += 1
        self.trouble = f"{event.kind}, {event.text}, {event.model}"

    def _report(self, progress: Progress) -> None:
        self.on_live(Live(progress, self.costs[0], self.troubles, self.trouble))


class _Metered:
    """A caller whose costs are added up."""

    def __init__(self, caller: Caller, costs: list[float]) -> None:
        self._caller, self._costs = caller, costs

    async def call(self, *words: Any, **how: Any) -> Called:
        """As `Caller.call`."""
        called = await self._caller.call(*words, **how)
        self._costs[0] += called.cost or 0.0
        return called


R = TypeVar("R", bound="PlayResult")


ENTRY_POINTS = "intent.runs"
"""Group of what can be played: the key of ``run.json`` that keeps it, to its `RunKind`. A file that is no
experiment names its kind by that key: ``benchmark: gamma``."""


@dataclass(frozen=True)
class RunKind:
    """How one kind of run is loaded, prepared and finished; played, stopped and resumed are all alike.

    Parameters
    ----------
    source : type
        What is planned, such as `Experiment`; its `run_key` is the name of the entry point.
    load : from a path, values or such a source, with changes by key, to the source
    check : from the source and its plans; raises what would be found after hours of play
    prompts : from the source and its plans to prompts by name
    finish : from run, source, outcome and tracker to the result, with all that is written into the folder
    """

    source: type[Runtime]
    load: Callable[..., Any]
    check: Callable[[Any, Sequence[GamePlan]], None]
    prompts: Callable[[Any, Sequence[GamePlan]], dict[str, PromptSet]]
    finish: Callable[[Run, Any, Outcome, Tracker], PlayResult]


@dataclass(frozen=True)
class StagedKind:
    """A kind of run that plays no plans: it works in stages that go on from what its folder holds.

    A file ``KEY.json`` marks its folder, as ``run.json`` does that of others. What is run has a `name` and
    the `run_key`.

    Parameters
    ----------
    load : from a path or what is run, with changes by key, to what is run
    play : from it, a folder and a function of steps done and in all to a `Result`, with `overwrite`
    resume : from a folder, a source or None, and such a function to a `Result`, with changes by key
    status : from a folder to a `Result`, whose field ``state`` is playing, stopped or finished
    """

    load: Callable[..., Any]
    play: Callable[..., Any]
    resume: Callable[..., Any]
    status: Callable[[Path], Any]


def run_kind(key: str) -> RunKind:
    """The kind of runs that ``run.json`` keeps under a key."""
    kind: RunKind = load(points(ENTRY_POINTS)[key])
    return kind


def staged_kind(key: str) -> StagedKind | None:
    """The kind of staged runs of a key; None where runs of it play plans."""
    kind = load(points(ENTRY_POINTS)[key])
    return kind if isinstance(kind, StagedKind) else None


def staged_folder(folder: Path) -> StagedKind | None:
    """The kind of the staged run that a folder holds, if any."""
    if (folder / "run.json").is_file():
        return None
    key = next((key for key in points(ENTRY_POINTS) if (folder / f"{key}.json").is_file()), None)
    return None if key is None else staged_kind(key)


def checked_plans(experiment: Any) -> tuple[list[GamePlan], dict[str, PromptSet]]:
    """Plans and prompts of an experiment that could be played with the keys it needs.

    Parameters
    ----------
    experiment : Experiment, or a source of another `RunKind`

    Raises
    ------
    IntentError
        As the kind's `check` and `prompts`, `model_names`, `check_agents` and `refuse_keys` say.
    """
    kind = run_kind(experiment.run_key)
    plans = experiment.plans()
    kind.check(experiment, plans)
    model_names(plans)
    prompts = kind.prompts(experiment, plans)
    texts = {name: words.to_json() for name, words in prompts.items()}
    refuse_keys({**experiment.model_dump(mode="json"), "prompts": texts}, experiment.name)
    check_agents(plans, prompts)
    return plans, prompts


def checked_run(
    experiment: Any, callables: Mapping[str, Callable[..., Any]] | None = None
) -> tuple[list[GamePlan], dict[str, PromptSet], list[Client]]:
    """Plans, prompts and clients of an experiment that could be played; nothing is written, nobody is asked.

    Parameters
    ----------
    experiment : Experiment, or a source of another `RunKind`
    callables : mapping of name -> async function, for models ``python/NAME``

    Raises
    ------
    IntentError
        As `checked_plans` and `make_clients` say.
    """
    plans, prompts = checked_plans(experiment)
    return plans, prompts, make_clients(plans, experiment, callables or {})


def new_run(
    experiment: Any,
    output: str | Path,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    *,
    journal: str = "wal",
    overwrite: bool = False,
) -> tuple[Run, list[Client]]:
    """The run folder of an experiment, and the clients of its language models.

    Parameters
    ----------
    experiment : Experiment, or a source of another `RunKind`
        ``run.json`` keeps it for resuming.
    output : folder to make
    callables : mapping of name -> async function, for models ``python/NAME``
    journal : {"wal", "delete"}
        "delete" for network file systems.

    Raises
    ------
    IntentError
        As `checked_run` and `Run.create` say.
    """
    from intent.runner.run import Run

    plans, prompts, clients = checked_run(experiment, callables)
    values = experiment.model_dump(mode="json")
    run = Run.create(
        output,
        plans,
        facts={"name": experiment.name, "seed": experiment.seed, experiment.run_key: values},
        prompts={name: words.to_json() for name, words in prompts.items()},
        journal="delete" if journal == "delete" else "wal",
        overwrite=overwrite,
    )
    return run, clients


def in_folder(output: str | Path | None, play: Callable[[Path], R]) -> R:
    """What `play` makes in the folder; without one, in a folder that is gone afterwards.

    Parameters
    ----------
    output : folder to make, optional
    play : from the run folder to the result
    """
    if output is not None:
        return play(Path(output))
    with tempfile.TemporaryDirectory(prefix="intent-") as folder:
        result = play(Path(folder) / "run")
    return replace(result, path=None, summary={**result.summary, "path": None, "log": None})


def check_agents(plans: Iterable[GamePlan], prompts: Mapping[str, PromptSet]) -> None:
    """Make the agents of every different game, and let them go again.

    What an architecture refuses (an option, an attitude, a game) is so said before the first call. Games
    that differ in repetition, seed, identifier and columns alone are alike.

    Parameters
    ----------
    prompts : mapping of name -> PromptSet

    Raises
    ------
    IntentError
        As `intent.agents.build.make_agents`.
    """
    from intent.agents.build import make_agents

    seen: set[str] = set()
    for plan in plans:
        like = plan.model_dump_json(exclude={"game_id", "repetition", "seed", "columns"})
        if like not in seen:
            seen.add(like)
            make_agents(plan, prompts)
