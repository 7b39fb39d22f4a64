"""Language models write strategies for a repeated game: words, code, a gate, a trial, files."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.arena.requests import WriteRequest
from intent.arena.writing.order import file_of, keep_sets, read_sets
from intent.base.errors import UsageError
from intent.base.job import Summary, Table, job
from intent.base.workers import in_own_loop

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.client import Client
    from intent.arena.entrant import Entrant
    from intent.arena.trial import Trial
    from intent.arena.writing.desk import Attempt, Desk, Place
    from intent.arena.writing.order import Order
    from intent.arena.writing.task import Style
    from intent.runner.caller import Caller


__all__ = ["WrittenStrategies", "write_strategies"]


LOCK = "writing.lock"


@dataclass(frozen=True, eq=False)
class WrittenStrategies(Summary):
    """What became of an order: sets of strategies in a folder, and attempts that failed.

    Its values are those of `json_objects.JSON_OBJECTS["write"]`; its settings decide how each set comes out.
    """

    kind = "failures"
    noun = "a table of failures"

    def table(self) -> pd.DataFrame:
        """A row per attempt of this order that failed."""
        return failures_table(self.values["failures"])

    def parts(self) -> Iterator[Table | str]:
        """A row for every style and attitude: what became of the attempts."""
        result = self.values
        outcomes = [name for name, count in result["outcomes"].items() if count or name == "good"]
        rows = [
            (row["style"], row["attitude"], row["attempts"], *(row["outcomes"][name] for name in outcomes))
            for row in result["groups"]
        ]
        names = (name.replace("_", " ") for name in outcomes)
        yield Table(("style", "attitude", "attempts", *names), rows)
        cost = "unknown" if result["cost"] is None else f"{result['cost']:.4g}"
        yield f"{result['n']} of {result['wanted']} strategies, {result['calls']} calls, cost {cost}"


@job(WriteRequest)
def write_strategies(request: WriteRequest) -> WrittenStrategies:
    """Have strategies written until `n` of every attitude play, in every style.

    Every exchange is kept in ``exchanges.jsonl`` as it comes and not asked for again, every trial in
    ``trials.jsonl``: the same call goes on where an earlier one ended, however it ended. Then each style gets
    a file of strategies with a manifest beside it, and ``failures.csv`` says what became of the others.

    Returns
    -------
    WrittenStrategies
        ``to_dict()`` is the object of ``intent strategies write --json``.

    Raises
    ------
    UsageError
        A number, name or model that cannot be, or no engine.
    EndpointError, BudgetSpent
        A model gave no answer, or the next call might cost too much; what was answered is kept.
    PromptError, RunError, OutputError, DataError

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 3.2.
    """
    from intent.agents.clients.registry import make_client
    from intent.arena.engines import make_engine
    from intent.arena.trial import Trial
    from intent.arena.writing.desk import spent_in
    from intent.arena.writing.order import check_folder, make_order, validated
    from intent.base.files import claim, make_folder, remove_scratch
    from intent.logs.run_folder import locked
    from intent.runner.caller import session_callers
    from intent.runner.limits import Limits, Price

    if request.folder is None:
        raise UsageError("no folder for the strategies, expected -o FOLDER")
    began = time.monotonic()
    model, engine = request.model, request.engine
    words_by = make_client(model) if isinstance(model, str) else model
    code_by = words_by if request.code_model is None else _client(request.code_model, words_by)
    order = make_order(words_by.name, code_by.name, request)
    target = claim(request.folder, overwrite=True, into=True)
    clients = list({client.name: client for client in (words_by, code_by)}.values())
    for client in clients:
        client.body(order.task.words(order.attitudes[0]), order.settings)
    check_folder(target, order)
    settings: dict[str, Any] = {
        "limits": validated(Limits, request.limits, "limits"),
        "prices": validated(Price, request.prices, "prices"),
        **request.values(("cache", "budget", "concurrency")),
    }
    # refuses what cannot be, before there is a folder
    session_callers(clients, spent=0.0, **{**settings, "cache": False})
    plays = make_engine(engine, workers=1) if isinstance(engine, str) else engine
    try:
        with locked(make_folder(target) / LOCK):
            check_folder(target, order, claim=True)
            remove_scratch(target)
            spent = 0.0 if request.budget is None else spent_in(target)
            callers = session_callers(clients, spent=spent, **settings)
            trial = Trial(target, plays, order.task.rules)
            session = _Session(target, order, clients, callers, trial, request.update)
            made, desk = in_own_loop(session.work)
            summary = write_sets(target, order, made, desk)
    finally:
        if isinstance(engine, str):
            plays.close()
    facts = {file_of(order, style): order.facts(style) for style in order.styles}
    summary["seconds"] = time.monotonic() - began
    return WrittenStrategies(summary, target, {"sets": facts})


def _client(model: str | Client, other: Client) -> Client:
    """The client for code, the one for words where both are of the same name."""
    from intent.agents.clients.registry import make_client

    if isinstance(model, str):
        return other if model == other.name else make_client(model)
    if model is not other and model.name == other.name:
        raise UsageError(f"two clients are named {model.name!r}, expected one for words and code")
    return model


@dataclass
class _Session:
    """The asking, within one event loop."""

    folder: Path
    order: Order
    clients: list[Client]
    callers: dict[str, Caller]
    trial: Trial
    update: Callable[[int, int], None]

    async def work(self) -> tuple[dict[tuple[str, str], tuple[Attempt, ...]], Desk]:
        """The attempts of every style and attitude, and the desk with its record."""
        from intent.arena.writing.desk import Desk, in_waves
        from intent.arena.writing.questions import Chain

        order = self.order
        desk = Desk(self.folder, self.callers, order.seeded)
        groups: dict[tuple[str, str], Callable[[Place], Awaitable[Attempt]]] = {}
        for style in order.styles:
            names = (order.model, order.code_model)
            chain = Chain(desk, order.task, style, self.trial, *names, order.settings, order.scenarios)
            groups |= {(style.name, attitude): chain for attitude in order.attitudes}
        try:
            made = await in_waves(groups, n=order.n, limit=order.limit, seed=order.seed, update=self.update)
        finally:
            self.trial.close()
            for client in self.clients:
                await client.close()
        return made, desk


FAILURES = "failures.csv"

Attempts = Mapping[tuple[str, str], tuple["Attempt", ...]]


def write_sets(folder: Path, order: Order, attempts_by_group: Attempts, desk: Desk) -> dict[str, Any]:
    """Write what plays and what failed, and tell of it as `codebook.JSON_OBJECTS` describes ``write``."""
    from intent.arena.sources.writer import write_set
    from intent.arena.writing.desk import attempts_for
    from intent.arena.writing.desk import choose_attempts as chosen

    state, sets, failures, taken = read_sets(folder), [], [], 0
    for style in order.styles:
        name, made = file_of(order, style), attempts_for(attempts_by_group, style.name)
        best = {attitude: chosen(attempts, order.n) for attitude, attempts in made.items()}
        failed = [_failure(a) for attempts in made.values() for a in attempts if not a.plays]
        entrants = {a: _entrants(order, name, of) for a, of in best.items()}
        everyone = [entrant for of in entrants.values() for entrant in of]
        facts = order.facts(style) | {"strategies": _origins(entrants, best)}
        if everyone:
            write_set(folder / name, everyone, facts=facts, title=_title(order, style), overwrite=True)
        counts = {attitude: len(of) for attitude, of in best.items()}
        state[name] = {"facts": order.facts(style), "n": counts, "failures": failed}
        taken += len(everyone)
        failures += failed
        sets.append(
            {
                "file": name if everyone else None,
                "style": style.name,
                "noise": order.task.noise,
                "game": order.task.game_name,
                "n": counts,
                "wanted": order.n * len(order.attitudes),
            }
        )
    keep_sets(folder, state)
    _write_failures(folder, state)
    counted = _outcomes([attempt for attempts in attempts_by_group.values() for attempt in attempts])
    return {
        "path": str(folder),
        "model": order.model,
        "code_model": order.code_model,
        "sets": sets,
        "n": taken,
        "wanted": order.n * len(order.attitudes) * len(order.styles),
        "attempts": sum(counted.values()),
        "outcomes": counted,
        "groups": [_group(*group, attempts, order.n) for group, attempts in attempts_by_group.items()],
        "failures": failures,
        "calls": len(desk.used),
        "cost": desk.cost,
        "notes": _notes(order, attempts_by_group, desk),
    }


def _entrants(order: Order, file: str, attempts: tuple[Attempt, ...]) -> list[Entrant]:
    from intent.arena.entrant import Entrant

    task = order.task
    return [
        Entrant(
            f"{attempt.place.attitude}_{number}",
            source=attempt.source,
            group=attempt.place.attitude,
            words=attempt.words,
            origin=f"{file} attempt {attempt.place.number}",
            game=task.game_name,
            turns=task.rounds,
            noise=task.noise,
        )
        for number, attempt in enumerate(attempts, start=1)
    ]


def _origins(
    entrants: Mapping[str, list[Entrant]], best: Mapping[str, tuple[Attempt, ...]]
) -> dict[str, dict[str, Any]]:
    """Name of a strategy -> which attempt it is."""
    return {
        entrant.name: {
            "attempt": attempt.place.number,
            "outcome": attempt.outcome,
            "scenario": attempt.scenario,
        }
        for attitude, of in entrants.items()
        for entrant, attempt in zip(of, best[attitude], strict=True)
    }


def _failure(attempt: Attempt) -> dict[str, Any]:
    place = attempt.place
    return {
        "style": place.style,
        "attitude": place.attitude,
        "attempt": place.number,
        "outcome": attempt.outcome,
        "reason": attempt.reason,
    }


def _group(style: str, attitude: str, attempts: tuple[Attempt, ...], n: int) -> dict[str, Any]:
    outcomes = _outcomes(attempts)
    playing = min(n, outcomes["good"] + outcomes["repaired"])
    return {
        "style": style,
        "attitude": attitude,
        "attempts": len(attempts),
        "n": playing,
        "outcomes": outcomes,
    }


def _outcomes(attempts: Sequence[Attempt]) -> dict[str, int]:
    """Outcome -> attempts, all outcomes."""
    from intent.arena.writing.desk import OUTCOMES

    counted = Counter(attempt.outcome for attempt in attempts)
    return {outcome: counted[outcome] for outcome in OUTCOMES}


def _title(order: Order, style: Style) -> str:
    coded = "" if order.code_model == order.model else f", coded by {order.code_model}"
    return f"Strategies written by {order.model}{coded}, style {style.name}"


def _write_failures(folder: Path, state: Mapping[str, Any]) -> None:
    """One table for all sets of the folder."""
    from intent.base.tables import write_table

    rows = [{"file": file, **failure} for file, of in state.items() for failure in of["failures"]]
    write_table(failures_table(rows), folder / FAILURES, {"kind": "failures"}, overwrite=True)


def failures_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Attempts that failed, those of a folder with the file that they were meant for."""
    import pandas as pd

    names = [name for name in _FAILURE if not rows or name in rows[0]]
    table = pd.DataFrame({name: [row[name] for row in rows] for name in names})
    return table.astype({name: "int64" if name == "attempt" else "string" for name in names})


_FAILURE = ("file", "style", "attitude", "attempt", "outcome", "reason")


def _notes(order: Order, attempts_by_group: Attempts, desk: Desk) -> list[str]:
    """What a reader should be warned of."""
    notes = []
    every = [attempt for attempts in attempts_by_group.values() for attempt in attempts]
    playing = sum(attempt.plays for attempt in every)
    bad = Counter(attempt.outcome for attempt in every if not attempt.plays)
    if bad:
        why = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in bad.most_common())
        notes.append(f"{playing} of {len(every)} attempts ran: {why}")
    for (style, attitude), attempts in attempts_by_group.items():
        if (n := sum(attempt.plays for attempt in attempts)) < order.n:
            notes.append(
                f"{style}: {n} of {order.n} {attitude} strategies after {len(attempts)} attempts (--attempts)"
            )
    short = sum(row.get("finish_reason") == "length" for row in desk.used.values())
    if short:
        notes.append(f"{short} of {len(desk.used)} replies were cut off at their longest (--max-tokens)")
    never = sum("error" in row for row in desk.used.values())
    if never:
        notes.append(f"{never} of {len(desk.used)} requests got no text (error in exchanges.jsonl)")
    alike = sum(n for n in Counter(a.source for a in every if a.plays).values() if n > 1)
    if alike:
        notes.append(f"{alike} of {playing} strategies that ran share their code with another one")
    return notes
