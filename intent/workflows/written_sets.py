"""The files of written strategies: a set for each style, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.writing_folder import file_of, keep_sets, read_sets

if TYPE_CHECKING:
    from intent.arena.entrant import Entrant
    from intent.arena.writing.attempt import Attempt
    from intent.arena.writing.desk import Desk
    from intent.arena.writing.task import Style
    from intent.workflows.writing_order import Order

__all__ = ["write_sets"]

FAILURES = "failures.csv"

Found = Mapping[tuple[str, str], tuple["Attempt", ...]]


def write_sets(folder: Path, order: Order, found: Found, desk: Desk) -> dict[str, Any]:
    """Write what plays and what failed, and tell of it as `schema.JSON_OBJECTS` describes ``write``.

    Raises
    ------
    OutputError
    """
    from intent.arena.sources.writing import write_set
    from intent.arena.writing.waves import attempts_for, chosen

    state, sets, failures, taken = read_sets(folder), [], [], 0
    for style in order.styles:
        name, made = file_of(order, style), attempts_for(found, style.name)
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
    counted = _outcomes([attempt for attempts in found.values() for attempt in attempts])
    return {
        "path": str(folder),
        "model": order.model,
        "code_model": order.code_model,
        "sets": sets,
        "n": taken,
        "wanted": order.n * len(order.attitudes) * len(order.styles),
        "attempts": sum(counted.values()),
        "outcomes": counted,
        "groups": [_group(*group, attempts, order.n) for group, attempts in found.items()],
        "failures": failures,
        "calls": len(desk.used),
        "cost": desk.cost,
        "notes": _notes(order, found, desk),
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
    from intent.arena.writing.attempt import OUTCOMES

    counted = Counter(attempt.outcome for attempt in attempts)
    return {outcome: counted[outcome] for outcome in OUTCOMES}


def _title(order: Order, style: Style) -> str:
    coded = "" if order.code_model == order.model else f", coded by {order.code_model}"
    return f"Strategies written by {order.model}{coded}, style {style.name}"


def _write_failures(folder: Path, state: Mapping[str, Any]) -> None:
    """One table for all sets of the folder."""
    import pandas as pd

    from intent.logs.tablefile import write_table

    names = ("file", "style", "attitude", "attempt", "outcome", "reason")
    rows = [{"file": file, **failure} for file, of in state.items() for failure in of["failures"]]
    table = pd.DataFrame({name: [row[name] for row in rows] for name in names})
    for name in names:
        table[name] = table[name].astype("int64" if name == "attempt" else "string")
    write_table(table, folder / FAILURES, {"kind": "failures"}, overwrite=True)


def _notes(order: Order, found: Found, desk: Desk) -> list[str]:
    """What a reader should be warned of."""
    notes = []
    every = [attempt for attempts in found.values() for attempt in attempts]
    playing = sum(attempt.plays for attempt in every)
    bad = Counter(attempt.outcome for attempt in every if not attempt.plays)
    if bad:
        why = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in bad.most_common())
        notes.append(f"{playing} of {len(every)} attempts ran: {why}")
    for (style, attitude), attempts in found.items():
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
