"""Play an experiment from its file to a run folder, and go on with one that was stopped.

All is checked before a folder is made; then clients, callers and agents are at play for one session.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from intent.base.errors import RunError, UsageError, one_line, shorten
from intent.base.job import Request, job
from intent.base.registry import points
from intent.base.settings import Document, checked
from intent.runner.caller import has_human, in_own_loop, make_clients, session_callers
from intent.runner.experiment.file import Experiment, Runtime, load_experiment, read_with_includes
from intent.runner.experiment.plans import copies_of, placed, placed_plan, prompt_sets
from intent.runner.finish import (
    KINDS,
    RunKind,
    check_after,
    checked_plans,
    finish,
    run_kind,
    staged_folder,
    staged_kind,
)
from intent.runner.requests import PlayRequest, ResumeRequest
from intent.runner.run import Run, cost_text, counted
from intent.strategies.sets import facts_of

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.base.job import Result
    from intent.base.tracking import Tracker
    from intent.runner.caller import Called, Caller, Event
    from intent.runner.driver import Outcome
    from intent.runner.experiment.file import Runtime
    from intent.runner.finish import PlayResult
    from intent.runner.run import Progress, Run

__all__ = [
    "EXPERIMENTS",
    "Live",
    "changes_of",
    "checked_run",
    "experiment_of",
    "load_source",
    "new_run",
    "one_or_all",
    "play",
    "play_experiment",
    "play_file",
    "play_loaded",
    "play_session",
    "play_source",
    "resume",
    "resume_folder",
    "run_matrix",
]


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

    def bar(self) -> tuple[int, int, str, str]:
        """Games over and planned, and in words: calls per second with cost, and troubles."""
        now = self.progress
        details = [f"{now.calls:,} calls", f"{now.calls_per_second:.1f}/s"]
        if self.cost:
            details.append(f"cost {self.cost:.4g}")
        if now.interrupted:
            details.append(f"{now.interrupted} set aside")
        trouble = f"{counted(self.troubles, 'trouble')}, last: {self.trouble}" if self.troubles else ""
        return now.finished, now.games, "  ".join(details), trouble


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
        Default: `intent.agents.plan.make_agents`.
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
        from intent.agents.agent import make_agents
        from intent.agents.prompts.sources import prompts_from_json

        try:
            callers = {name: _Metered(caller, self.costs) for name, caller in self._callers().items()}
            prompts = {name: prompts_from_json(text) for name, text in self.run.prompts().items()}
            return await self.run.play(
                callers.__getitem__,
                lambda plan: (self.agents_of or make_agents)(placed_plan(plan, self.run.folder), prompts),
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
        As `checked_plans`, `make_clients` and `check_treatment` say.
    """
    from intent.runner.information import check_treatment

    plans, prompts = checked_plans(experiment)
    clients = make_clients(plans, experiment, callables or {})
    check_treatment(experiment, plans, prompts, experiment.levels(plans))
    return plans, prompts, clients


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
    copies = copies_of(experiment, plans)
    run = Run.create(
        output,
        [copies.plan(plan) for plan in plans],
        facts={
            "name": experiment.name,
            "seed": experiment.seed,
            experiment.run_key: copies.values(experiment.model_dump(mode="json")),
            **facts_of(getattr(experiment, "own", ())),
        },
        prompts={name: words.to_json() for name, words in prompts.items()},
        beside=copies.write,
        journal="delete" if journal == "delete" else "wal",
        overwrite=overwrite,
    )
    return run, clients


EXPERIMENTS = RunKind(
    Experiment,
    load_experiment,
    lambda experiment, plans: check_after(experiment.after, plans, experiment.document),
    prompt_sets,
    finish,
)


def load_source(source: str | Path | Mapping[str, Any] | Runtime, **changes: Any) -> Any:
    """The experiment of a file or values, or what else they say is played.

    Parameters
    ----------
    source : path, values, or what is to be played
        One that is no experiment names its kind by a key: ``benchmark: gamma``.
    **changes
        As `load_experiment`, or what loads that kind.

    Raises
    ------
    IntentError
        As the kind's `load` says.
    """
    if isinstance(source, Runtime):
        return run_kind(source.run_key).load(source, **changes)
    values = source if isinstance(source, Mapping) else {}
    if isinstance(source, str | Path) and Path(source).suffix in (".yaml", ".yml"):
        values = read_with_includes(source, aliases={}).values
    kind = next((name for name in points(KINDS) if name in values), Experiment.run_key)
    return run_kind(kind).load(source, **changes)


def play_experiment(
    experiment: Experiment | Mapping[str, Any] | str | Path,
    output: str | Path | None = None,
    *,
    models: Mapping[str, Callable[..., Any]] | None = None,
    overwrite: bool = False,
    track: str | None = None,
    **changes: Any,
) -> PlayResult:
    """Play an experiment and return its log.

    Parameters
    ----------
    experiment : path of an experiment file (ours, or FAIRGAME's JSON), its values, or an Experiment
    output : folder to make, optional
        None plays in a folder that is gone afterwards; the log stays in memory.
    models : mapping of name -> async function, optional
        Models of your own, ``async (messages, tools, settings) -> text or Reply``. Where the experiment
        names one of them, as ``python/NAME``, they play where it says; else in place of its models.
    overwrite : whether a run at `output` may be replaced, with all its replies
    track : MLflow URI or SQLite file to record the run in
    **changes
        Keys of the experiment by their new values: ``rounds=2``, ``model="local/smollm2-135m"``,
        ``language=["en", "vi"]`` (a list makes a factor of the grid).

    Returns
    -------
    PlayResult
        ``log``, ``path``, ``summary``.

    Raises
    ------
    IntentError
        The experiment, its prompts or its models are not what they should be.

    Examples
    --------
    >>> result = play_experiment({"game": "stag-hunt", "model": "scripted/TFT", "rounds": 3})
    >>> result.summary["n_moves"], result.summary["cooperation_rate"]
    (6, 1.0)
    """
    names = [f"python/{name}" for name in models or {}]
    chosen: Any = load_source(experiment, **changes)
    if names and staged_kind(chosen.run_key) is None and not _mentions(chosen.design(), names):
        chosen = load_source(experiment, models=names, **changes)
    result: PlayResult = play_source(chosen, output, callables=models, overwrite=overwrite, track=track)
    return result


def play_source(
    source: Any,
    output: str | Path | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    overwrite: bool = False,
    track: str | None = None,
) -> Any:
    """Play what was loaded, into a folder or one that is gone afterwards; as `play_experiment`."""
    from intent.base.tracking import make_tracker

    if (staged := staged_kind(source.run_key)) is not None:
        if output is None:
            raise RunError(f"{source.name} works in stages that keep their files, expected a folder for them")
        return staged.play(source, Path(output), lambda done, total: None, overwrite=overwrite)
    settings: dict[str, Any] = {
        "callables": callables,
        "tracker": make_tracker(track),
        "overwrite": overwrite,
    }
    if output is not None:
        return play(source, output, **settings)
    with tempfile.TemporaryDirectory(prefix="intent-") as folder:
        result = play(source, Path(folder) / "run", **settings)
    return replace(result, path=None, summary={**result.summary, "path": None, "log": None})


def play(
    experiment: Any,
    output: str | Path,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    tracker: Tracker | None = None,
    overwrite: bool = False,
    journal: str = "wal",
    on_live: Callable[[Live], None] = lambda live: None,
) -> PlayResult:
    """Play an experiment into a new run folder.

    Everything that can be wrong with the experiment, its prompts, models and keys is said before the
    folder is made.

    Parameters
    ----------
    experiment : Experiment, or a source of another `RunKind`
    output : folder to make
    callables : mapping of name -> async function, for models ``python/NAME``
    journal : {"wal", "delete"}
        "delete" for network file systems.
    on_live : called at most ten times a second

    Raises
    ------
    IntentError
        As `new_run` says.
    """
    run, clients = new_run(experiment, output, callables, journal=journal, overwrite=overwrite)
    return _session(run, experiment, clients, tracker, on_live)


def one_or_all(values: list[Any] | None) -> Any:
    """The values of a repeatable option: one as itself, several as a factor, none as None."""
    return None if not values else values[0] if len(values) == 1 else values


def changes_of(request: Request, *names: str) -> dict[str, Any]:
    """What the settings of a request change in the file of what is played: key -> value.

    Parameters
    ----------
    names : settings that are keys, beside those of every run; several values of one make a factor
    """
    every = ("budget", "concurrency", "window", "prices", "limits", "cache")
    values = {name: getattr(request, name) for name in (*names, *every)}
    return {
        name: one_or_all(value) if isinstance(value, list) else value
        for name, value in values.items()
        if value not in (None, (), {}) and (name != "cache" or value)
    }


@job(PlayRequest)
def play_file(request: PlayRequest) -> Result:
    """Play what a file says, or count what it takes."""
    factors = ("language", "repetitions", "rounds", "seed", "prompts", "map_models", "payoff_kind")
    changes = changes_of(request, *factors)
    source = load_source(request.file, set=request.set, models=request.model, **changes)
    return play_loaded(request, source)


def play_loaded(request: Any, source: Any, *, start: Path | None = None) -> Result:
    """Play what was loaded, or count what it takes.

    Parameters
    ----------
    request : PlayRequest, or another with its settings from `folder` on
    source : Experiment, or a source of another `RunKind`
    start : Path, optional
        What a staged run starts from in place of its first stage, such as strategies that others wrote.
    """
    from intent.runner.dry_run import DryRun, dry_run

    if request.journal not in ("wal", "delete"):
        raise UsageError(f"--journal {shorten(request.journal)!r}, expected wal or delete")
    if (staged := staged_kind(source.run_key)) is not None:
        if request.dry_run:
            if staged.count is None:
                raise UsageError(f"--dry-run counts games, and {source.name} is a {source.run_key}")
            counted_stages: Result = staged.count(source, start=start, prompts_shown=request.prompts_shown)
            return counted_stages
        folder = _folder(request.folder, source.name)
        options = {} if start is None else {"start": start}
        stages: Result = staged.play(source, folder, request.update, overwrite=request.overwrite, **options)
        return stages
    announced = run_kind(source.run_key).announced and not request.json
    if request.dry_run or announced:
        tracking = None if request.no_track else request.tracking
        need = dry_run(
            source,
            prompts_shown=request.prompts_shown if request.dry_run else 0,
            tracking=tracking,
            rehearse=request.dry_run,
        )
        if request.dry_run:
            return DryRun(need, source.run_key)
        _announce(need, request.announce)
    has_bar = not has_human(source.plans())
    return play(
        source,
        _folder(request.folder, source.name),
        tracker=_tracker(request),
        overwrite=request.overwrite,
        journal=request.journal,
        on_live=lambda live: request.update(*live.bar()) if has_bar else None,
    )


def _announce(need: Mapping[str, Any], say: Callable[[str], None]) -> None:
    if need["calls"]:
        cost = "unknown without prices (--price)" if need["cost"] is None else cost_text(need["cost"])
        games = counted(need["n_games"], "game")
        say(f"{games}, {need['calls']:,.0f} calls expected, at most {need['most_calls']:,}; cost {cost}")
        for line in need["notes"]:
            say(line)


def _tracker(request: Any) -> Tracker:
    """Where the run is tracked: ``mlflow.db`` in the working folder by default."""
    from intent.base.tracking import NullTracker, default_tracker

    return NullTracker() if request.no_track else default_tracker(request.tracking or None)


def _folder(folder: Path | None, name: str) -> Path:
    """The folder of a run: as it stands, or the one below ``runs`` that its name says."""
    if folder is not None:
        return folder
    if not name.isprintable() or set("/\\") & set(name) or not name.strip(". ") or len(name.encode()) > 200:
        raise UsageError(f"no folder can be called {one_line(name, 40)!r}, expected -o FOLDER")
    return Path("runs") / name


@job(ResumeRequest)
def resume_folder(request: ResumeRequest) -> Result:
    """Play what is left of the run in a folder."""
    if (staged := staged_folder(Path(request.run_folder))) is not None:
        changes = {"set": request.set, **changes_of(request)}
        stages: Result = staged.resume(Path(request.run_folder), request.file, request.update, **changes)
        return stages
    return resume(
        request.run_folder,
        request.file,
        set=request.set,
        tracker=_tracker(request),
        on_live=lambda live: request.update(*live.bar()),
        **changes_of(request),
    )


def _session(
    run: Run,
    experiment: Any,
    clients: Sequence[Client],
    tracker: Tracker | None,
    on_live: Callable[[Live], None],
) -> PlayResult:
    """Play what is left of a run, and write what it comes to."""
    from intent.agents.clients.registry import announce_job
    from intent.base.tracking import NullTracker

    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, experiment, clients, on_live=on_live)
    return run_kind(experiment.run_key).finish(run, experiment, outcome, tracker or NullTracker())


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _mentions(values: Any, names: Sequence[str]) -> bool:
    """Whether any of the names stands as a value, at any depth."""
    if isinstance(values, Mapping):
        return any(_mentions(value, names) for value in values.values())
    if isinstance(values, list | tuple):
        return any(_mentions(value, names) for value in values)
    return values in names


def resume(
    folder: str | Path,
    source: str | Path | Mapping[str, Any] | Runtime | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    tracker: Tracker | None = None,
    on_live: Callable[[Live], None] = lambda live: None,
    **changes: Any,
) -> PlayResult:
    """Play what is left of a run; no stored call is made again.

    Parameters
    ----------
    folder : that of the run
    source : experiment, or what the run is of, such as a benchmark, optional
        Its limits, prices, budget and ``after`` are taken from now on; its games must be those of the run.
    callables, tracker, on_live
        As for `play`.
    **changes
        As for `load_source`; such that leave the games as they are.

    Returns
    -------
    PlayResult
        Runs of another kind may return more, such as the scores of a benchmark; a chain returns its own.

    Raises
    ------
    RunError
        The folder is no run, another process plays it, or the experiment is another one.
    """
    if (staged := staged_folder(Path(folder))) is not None:
        return cast("PlayResult", staged.resume(Path(folder), source, lambda done, total: None, **changes))
    run = Run.open(folder)
    experiment = experiment_of(run, source, **changes)
    plans = list(run.plans())
    run_kind(experiment.run_key).check(experiment, plans)
    return _session(run, experiment, make_clients(plans, experiment, callables or {}), tracker, on_live)


def experiment_of(
    run: Run, source: str | Path | Mapping[str, Any] | Runtime | None = None, **changes: Any
) -> Any:
    """The experiment of a run (or what else it is of), or a given one that plans the same games.

    Raises
    ------
    RunError
        It plans others, or the run keeps none.
    DataError
        What the run keeps is none that this version knows.
    """
    key = next((name for name in points(KINDS) if isinstance(run.facts.get(name), dict)), None)
    if key is None:
        raise RunError(f"{run.folder.name}: run.json holds no experiment, so it is no run of `intent play`")
    if isinstance(source, Runtime) and source.run_key != key:
        name = getattr(source, "name", "what was given")
        raise RunError(
            f"{run.folder.name} is the run of {_article(key)}, and {name} {_article(source.run_key)}"
        )
    kind = run_kind(key)
    stored: Any = checked(
        kind.source, Document(placed(run.facts[key], run.folder)), called=f"{run.folder.name}/run.json"
    )
    experiment = kind.load(stored if source is None else source, **changes)
    if experiment.design() == stored.design():
        return experiment
    plans = list(experiment.plans())
    copies = copies_of(experiment, plans)
    planned = {plan.game_id: copies.plan(plan) for plan in plans}
    n = 0
    for plan in run.plans():
        n += 1
        other = planned.get(plan.game_id)
        if other != plan:
            what = "is not planned" if other is None else f"differs in {_difference(plan, other)}"
            raise RunError(
                f"{run.folder.name}: the {key} is not that of the run (game {plan.game_id} {what}), "
                "expected the same games; play it into a folder of its own"
            )
    if n != len(planned):
        raise RunError(
            f"{run.folder.name}: the {key} plans {len(planned)} games, the run {n}, expected the same; "
            "play it into a folder of its own"
        )
    return experiment


def run_matrix(folder: Path) -> list[dict[str, Any]]:
    """The information matrix of a run, from the plans and prompts that it keeps; nobody is asked.

    Returns
    -------
    list of rows as `intent.runner.information.Information.to_dict`

    Raises
    ------
    IntentError
        The folder holds no experiment, or agents that this machine does not have.
    """
    from intent.agents.prompts.sources import prompts_from_json
    from intent.runner.information import information
    from intent.runner.run import Run

    run = Run.open(folder)
    source, plans = experiment_of(run), [placed_plan(plan, run.folder) for plan in run.plans()]
    prompts = {name: prompts_from_json(text) for name, text in run.prompts().items()}
    orders = 2 ** len(getattr(source, "counterbalance", ()))
    return information(plans, prompts, source.levels(plans), orders=orders).to_dict()


def _difference(one: Any, other: Any) -> str:
    """The first field in which two plans differ."""
    mine, theirs = one.model_dump(), other.model_dump()
    return next((name for name in mine if name != "seed" and mine[name] != theirs[name]), "seed")
