"""A run: a folder of planned games, played with language models, that can be stopped and resumed anywhere.

How it is going is read from its database by any process, or told while it is played.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.agents.agent import Agent
from intent.agents.plan import GamePlan
from intent.base.errors import RunError, shorten
from intent.base.files import refuse_remote
from intent.base.job import Result, Table
from intent.base.outputs import claim, writing
from intent.logs.run_folder import (
    DATABASE,
    LOCK,
    check_prompt_names,
    is_locked,
    locked,
    read_facts,
    read_prompts,
    write_facts,
)
from intent.runner.driver import (
    Calling,
    Desk,
    Driver,
    Outcome,
    Stop,
    check_run,
    on_signals,
    outcome_of,
    stored_matches,
)
from intent.runner.store import Journal, RunStore

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog

__all__ = [
    "WINDOW",
    "Outcome",
    "Progress",
    "Run",
    "RunStatus",
    "StatusResult",
    "cost_text",
    "counted",
    "run_status",
    "status_of",
]


_RECENT = 60.0
_MOST_ERRORS = 20


@dataclass(frozen=True)
class ModelUse:
    """What one model was asked.

    Parameters
    ----------
    player : as in the plan
    models : snapshots that answered
    calls, cached : stored calls, and those of them that came from the cache
    prompt_tokens, completion_tokens : as far as the endpoint counts them
    cost : None where no call has a price
    seconds : mean of a call that was not cached
    """

    player: str
    models: tuple[str, ...]
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float | None


@dataclass(frozen=True)
class RunStatus:
    """How a run is going.

    Parameters
    ----------
    playing : whether a process plays it now
    games, finished, in_progress, interrupted, waiting : int
        Planned games, and how many of them are over, begun, set aside with an error, not begun.
    progress : float in [0, 1]
        Share of the expected rounds that have been played.
    calls, cached, resent, in_flight : int
        Stored calls; from the cache; sent again after a crash; sent and not answered (yet).
    retried : stored calls that took more than one request
    failures : dict of kind -> number of failed requests
    errors : tuple of (game_id, error) of games set aside, the first 20
    calls_per_second : in the last minute of play
    seconds : time of play in all sessions
    eta : seconds until the end at the speed of this session, None while nobody plays or knows
    stopped : why it was last stopped; None while it is played
    """

    run: str
    playing: bool
    games: int
    finished: int
    in_progress: int
    interrupted: int
    waiting: int
    progress: float
    calls: int
    cached: int
    resent: int
    in_flight: int
    retried: int
    failures: dict[str, int]
    errors: tuple[tuple[str, str], ...]
    models: tuple[ModelUse, ...]
    cost: float
    calls_per_second: float
    seconds: float
    eta: float | None
    stopped: str | None


def status_of(store: RunStore, folder: Path, run: str) -> RunStatus:
    """The status of an open run."""
    rows, count = store.file.rows, store.file.count
    playing = is_locked(folder / LOCK)
    states = dict(rows("SELECT state, count(*) FROM games GROUP BY state"))
    games = count("SELECT count(*) FROM plans")
    begun = states.get("playing", 0) + states.get("waiting", 0)
    models = _models(store)
    errors = rows(
        "SELECT game_id, error FROM games JOIN plans USING (game) WHERE state = 'interrupted' "
        "ORDER BY game LIMIT ?",
        (_MOST_ERRORS,),
    )
    progress = store.progress()
    speed, seconds, eta, stopped = _times(store, playing, progress)
    return RunStatus(
        run=run,
        playing=playing,
        games=games,
        finished=states.get("finished", 0),
        in_progress=begun,
        interrupted=states.get("interrupted", 0),
        waiting=games - sum(states.values()),
        progress=progress,
        calls=sum(m.calls for m in models),
        cached=sum(m.cached for m in models),
        resent=count("SELECT sum(sends - 1) FROM calls WHERE sends > 1")
        + count("SELECT sum(times - 1) FROM flights"),
        in_flight=count("SELECT count(*) FROM flights WHERE sent IS NOT NULL"),
        retried=count("SELECT count(*) FROM calls WHERE tries > 1"),
        failures=dict(rows("SELECT kind, count(*) AS n FROM failures GROUP BY kind ORDER BY n DESC")),
        errors=tuple((str(game_id), str(error)) for game_id, error in errors),
        models=models,
        cost=sum(m.cost or 0.0 for m in models),
        calls_per_second=speed,
        seconds=seconds,
        eta=eta,
        stopped=stopped,
    )


def _models(store: RunStore) -> tuple[ModelUse, ...]:
    snapshots: dict[str, list[str]] = {}
    for player, model in store.file.rows("SELECT DISTINCT player, model FROM calls ORDER BY player, model"):
        snapshots.setdefault(player, []).extend([] if model is None else [model])
    sql = (
        "SELECT player, count(*), sum(cached), sum(prompt_tokens), sum(completion_tokens), sum(cost), "
        "avg(CASE WHEN cached THEN NULL ELSE seconds END) FROM calls GROUP BY player ORDER BY player"
    )
    return tuple(
        ModelUse(player, tuple(snapshots[player]), calls, cached, prompts or 0, completions or 0, cost, mean)
        for player, calls, cached, prompts, completions, cost, mean in store.file.rows(sql)
    )


def _times(store: RunStore, playing: bool, progress: float) -> tuple[float, float, float | None, str | None]:
    """Calls per second, seconds of play, seconds to go, and why it was last stopped."""
    now = time.time()
    last = store.file.row("SELECT started, ended, progress, reason FROM sessions ORDER BY id DESC LIMIT 1")
    if last is None:
        return 0.0, 0.0, None, None
    started, ended, before, reason = last
    newest = store.file.row("SELECT max(stored) FROM calls WHERE id > (SELECT max(id) FROM calls) - 10000")
    # A killed session has no end of its own: its last call stands in.
    end = now if playing else ended or (newest[0] if newest and newest[0] else started)
    earlier = store.file.row(
        "SELECT sum(ended - started) FROM sessions WHERE id < (SELECT max(id) FROM sessions)"
    )
    span = max(end - started, 1e-9)
    recent = min(_RECENT, span)
    calls = store.file.count("SELECT count(*) FROM calls WHERE stored > ?", (end - recent,))
    gained = progress - before
    eta = (1 - progress) / gained * span if playing and gained > 0 else None
    seconds = span + float(earlier[0] or 0.0) if earlier else span
    return calls / recent, seconds, eta, None if playing else str(reason or "killed")


_EVERY = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    games : int, planned
    finished, interrupted : games that are over, and set aside with an error
    calls : calls stored, those of earlier sessions included
    new_calls : calls stored in this session
    seconds : since this session began
    """

    games: int
    finished: int
    interrupted: int
    calls: int
    new_calls: int
    seconds: float

    @property
    def calls_per_second(self) -> float:
        """New calls per second."""
        return self.new_calls / self.seconds if self.seconds > 0 else 0.0


class Ticker:
    """Tells of progress, at most ten times a second."""

    def __init__(self, store: RunStore, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._games = store.file.count("SELECT count(*) FROM plans")
        self._calls = store.file.count("SELECT count(*) FROM calls")
        self._states = Counter(
            state for (state,) in store.file.rows("SELECT state FROM games WHERE state = 'finished'")
        )
        self._new = 0
        self._began, self._last_line = time.monotonic(), 0.0

    def call(self) -> None:
        """A call was stored."""
        self._new += 1
        self._tick()

    def game(self, state: str) -> None:
        """A game is over or set aside."""
        self._states[state] += 1
        self._tick()

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._last_line >= _EVERY:
            self._last_line = now
            self.last()

    def last(self) -> None:
        """Tell now."""
        self._tell(
            Progress(
                self._games,
                self._states["finished"],
                self._states["interrupted"],
                self._calls + self._new,
                self._new,
                time.monotonic() - self._began,
            )
        )


WINDOW = 1024
"""Games in flight. Each takes some 40 kB; all that fit advance together (`intent.runner.driver`)."""

PATIENCE = 60.0
"""Seconds for which calls in flight are waited for when a run is stopped."""


class Run:
    """A run folder.

    Attributes
    ----------
    folder : Path
    facts : dict
        Name of the run, version, seed, resolved experiment, when it was made.

    Raises
    ------
    RunError
        The folder is none of a run, or of another version.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.facts = read_facts(self.folder)

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """The run of a folder."""
        return cls(folder)

    @classmethod
    def create(
        cls,
        folder: str | Path,
        plans: Iterable[GamePlan],
        *,
        facts: Mapping[str, Any],
        prompts: Mapping[str, str],
        beside: Callable[[Path], None] = lambda folder: None,
        journal: Journal = "wal",
        overwrite: bool = False,
    ) -> Run:
        """Make the folder of a new run.

        Its name in the log, `run`, follows from plans and prompts unless the facts have one: the same
        experiment with the same seed is the same run, wherever it is played.

        Parameters
        ----------
        facts : mapping, JSON-able
        prompts : mapping of name -> JSON of a prompt set
        beside : writes into the folder what else the games need
        journal : {"wal", "delete"}
            "delete" is slower, for network file systems that cannot share memory.
        overwrite : whether a run there may be replaced, with all its replies

        Raises
        ------
        OutputError
            The folder exists or cannot be written.
        RunError
            The run there is being played, a game_id occurs twice, or nothing is planned.
        """
        from intent.version import __version__

        check_prompt_names(prompts)
        refuse_remote(folder, "a run, which is written call by call,")
        target = claim(folder, overwrite=overwrite)
        if (target / DATABASE).is_file():
            with locked(target / LOCK):
                pass
        with writing(target, overwrite=overwrite, secret=True) as draft:
            draft.mkdir()
            digest = RunStore.create(draft / DATABASE, plans, journal)
            known = {
                "run": _run_name(facts.get("name"), digest, prompts),
                "version": __version__,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
            }
            write_facts(draft, {**known, **facts, "journal": journal}, prompts)
            beside(draft)
        return cls(target)

    def plans(self) -> Iterator[GamePlan]:
        """The plans, in order."""
        with self._store() as store:
            yield from store.games.plans()

    def prompts(self) -> dict[str, str]:
        """Name -> JSON of each prompt set."""
        return read_prompts(self.folder)

    async def play(
        self,
        caller_of: Callable[[str], Calling],
        agents_of: Callable[[GamePlan], Sequence[Agent]],
        *,
        window: int | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        patience: float = PATIENCE,
    ) -> Outcome:
        """Play what is still to be played; what was answered before is not asked again.

        A game whose call fails after all tries, or whose agent is at fault, is set aside with its error
        and tried again when the run is played next. What would stop every game (a refused key, a setting
        that cannot be honoured, the budget, SIGINT or SIGTERM) stops the run: calls in flight are waited
        for and stored. A second signal stops at once.

        Parameters
        ----------
        caller_of : from the player of a seat plan to its `Caller`
        agents_of : from a plan to its agents, by seat
            Agents must depend on nothing but view, random stream and answers.
        window : games in flight, `WINDOW` by default; 1 where a human plays
        on_progress : called at most ten times a second, and at the end
        patience : float, seconds
            How long calls in flight are waited for after a stop.

        Raises
        ------
        RunError
            Another process plays this run, the store fails, or the prompts or agents changed: a stored
            call is not what would be asked now.
        """
        began = time.monotonic()
        with locked(self.folder / LOCK), self._store(write=True) as store:
            ticker = Ticker(store, on_progress)
            desk = Desk(store.calls, caller_of, ticker.call)
            driver = Driver(store, desk, agents_of, window=window or WINDOW, on_game=ticker.game)
            at_once = asyncio.Event()

            def on_signal(name: str) -> None:
                if driver.stop is not None:
                    at_once.set()
                driver.halt(Stop("signal", f"stopped by {name}"))

            session, reason = store.begin_session(), "cancelled"
            try:
                with on_signals(on_signal):
                    stop = await driver.run(patience, at_once)
                reason = "finished" if stop is None else stop.reason
            finally:
                store.end_session(session, reason)
            ticker.last()
            outcome = outcome_of(store, session, stop, time.monotonic() - began)
        if stop is not None and stop.cause == "error" and stop.error is not None:
            raise stop.error
        return outcome

    def status(self) -> RunStatus:
        """How the run is going; also while another process plays it."""
        with self._store() as store:
            try:
                return status_of(store, self.folder, str(self.facts["run"]))
            except (TypeError, ValueError, OverflowError) as error:
                raise RunError(f"{self.folder.name}: holds what no run keeps: {shorten(error)}") from None

    def log(self, *, unfinished: bool = False) -> GameLog:
        """The game log; answers to comprehension questions are scored in it.

        Parameters
        ----------
        unfinished : also the completed rounds of games that are not finished
        """
        from intent.play.match import Scorer, to_log

        with self._store() as store:
            scorer: Scorer | None = None
            if store.file.count("SELECT EXISTS (SELECT 1 FROM answers)"):
                from intent.behaviour.questions import score as scorer
            matches = stored_matches(store.file, str(self.facts["run"]), unfinished=unfinished)
            log = to_log(matches, source="intent play", score=scorer)
        log.provenance = {"generator": "intent play", **self.facts}
        return log

    def account(self) -> dict[str, Any]:
        """The facts on the run, what it used, and how far it has come: what a report says of it."""
        status = self.status()
        return {
            **self.facts,
            "use": use_summary(status),
            "n_games": status.games,
            "n_finished": status.finished,
            "n_interrupted": status.interrupted,
            "errors": list(status.errors),
            "prompts": list(self.prompts()),
        }

    def calls(self, game_id: str | None = None) -> pd.DataFrame:
        """All calls, or those of one game, with the columns of `codebook.CALLS`."""
        from intent.runner.store import all_calls

        with self._store() as store:
            return all_calls(store, game_id)

    def call_tables(self, size: int = 10_000) -> Iterator[pd.DataFrame]:
        """All calls, so many at a time, with the columns of `codebook.CALLS`."""
        from intent.runner.store import call_tables

        with self._store() as store:
            yield from call_tables(store, size)

    def check(self) -> list[str]:
        """What is wrong with the stored run; empty where nothing is."""
        with self._store() as store:
            return check_run(store)

    @contextmanager
    def _store(self, *, write: bool = False) -> Iterator[RunStore]:
        with RunStore(self.folder / DATABASE, write=write) as store:
            yield store


def _run_name(name: object, digest: str, prompts: Mapping[str, str]) -> str:
    """The experiment's name and eight letters of a hash of plans and prompts."""
    name_hash = hashlib.sha256(digest.encode())
    for key in sorted(prompts):
        name_hash.update(f"{key}\n{prompts[key]}\n".encode())
    return "-".join(filter(None, (str(name or ""), name_hash.hexdigest()[:8])))


def run_status(folder: str | Path) -> dict[str, Any]:
    """How the run in a folder is going, as `json_objects.JSON_OBJECTS["status"]`; also while it is played.

    Raises
    ------
    RunError
        The folder is no run.
    """
    run = Run.open(folder)
    now = run.status()
    status = {**asdict(now), "models": _model_rows(now)}
    status["errors"] = [{"game_id": name, "error": error} for name, error in status["errors"]]
    state = (
        "playing" if status["playing"] else "finished" if status["finished"] == status["games"] else "stopped"
    )
    return {
        "path": str(run.folder),
        "name": str(run.facts.get("name", run.folder.name)),
        "state": state,
        **{key: value for key, value in status.items() if key != "playing"},
        "cost": status["cost"] if any(model["cost"] is not None for model in status["models"]) else None,
    }


def counted(n: int, what: str) -> str:
    """A number with its noun: ``2 games``."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def cost_text(cost: float | None) -> str:
    """A cost with four significant digits, a dash where no price is known."""
    return "–" if cost is None else f"{cost:.4g}"


@dataclass(frozen=True, eq=False)
class StatusResult(Result):
    """How a run is going.

    Attributes
    ----------
    status : dict as `run_status`
    """

    kind = "status"
    noun = "the status of a run"

    status: dict[str, Any]

    def fields(self) -> dict[str, Any]:
        """The status."""
        return self.status

    def parts(self) -> Iterator[Table | str]:
        """Games and calls, then the models and what failed."""
        now = self.status
        yield (
            f"{now['name']}: {now['state']}, {now['finished']:,} of {now['games']:,} games finished, "
            f"{now['in_progress']:,} in play, {now['interrupted']:,} set aside, {now['waiting']:,} waiting"
        )
        yield (
            f"{now['progress']:.1%} of all rounds, {now['calls']:,} calls ({now['calls_per_second']:.1f}/s), "
            f"{now['seconds']:.0f} s played"
            + (f", about {now['eta']:.0f} s to go" if now["eta"] is not None else "")
            + (f", {now['resent']:,} sent again" if now["resent"] else "")
        )
        if now["models"]:
            yield ""
            heads = ("model", "snapshot", "calls", "cached", "tokens in", "tokens out", "s per call", "cost")
            numbers = ("calls", "cached", "prompt_tokens", "completion_tokens")
            rows = [
                (
                    m["player"],
                    ", ".join(m["models"]) or "–",
                    *(f"{m[name]:,}" for name in numbers),
                    m["seconds"],
                    cost_text(m["cost"]),
                )
                for m in now["models"]
            ]
            yield Table(heads, rows)
        if now["failures"]:
            yield ""
            yield Table(("failed requests", "n"), [(kind, f"{n:,}") for kind, n in now["failures"].items()])

    def remarks(self) -> Iterator[str]:
        """Games set aside, and how to go on."""
        for error in self.status["errors"]:
            yield f"game {error['game_id']}: {error['error']}"
        if self.status["state"] == "stopped":
            why = self.status["stopped"] or "not begun"
            if why == "finished":
                why = f"games set aside with an error: {self.status['interrupted']:,}"
            yield f"{why}; intent resume {self.status['path']} goes on"


def _model_rows(status: RunStatus) -> list[dict[str, Any]]:
    return [{**asdict(model), "models": list(model.models)} for model in status.models]


def use_summary(status: RunStatus) -> dict[str, Any]:
    """Calls, tokens, cost and time of a run, and the state it is in."""
    return {
        "calls": status.calls,
        "cached": status.cached,
        "resent": status.resent,
        "failures": dict(status.failures),
        "prompt_tokens": sum(model.prompt_tokens for model in status.models),
        "completion_tokens": sum(model.completion_tokens for model in status.models),
        "cost": status.cost if any(model.cost is not None for model in status.models) else None,
        "seconds": status.seconds,
        "models": [
            {key: value for key, value in row.items() if key != "cached"} for row in _model_rows(status)
        ],
    }
