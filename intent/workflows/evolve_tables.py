"""Evolution as tables: for the terminal, and for the files of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.evolve_result import Evolution

__all__ = ["equilibria_table", "matrix_table", "paths_table", "printed", "runs_table", "start_name"]

_DRIFT = {"above": "above drift", "below": "below drift", "compatible": "like drift"}


def start_name(found: Evolution, k: int) -> str:
    """``Aggressive 8, Cooperative 2``: a start in words."""
    counts = zip(found.pool.names, found.mixes[k].initial, strict=True)
    return ", ".join(f"{name} {n}" for name, n in counts if n)


def equilibria_table(found: Evolution) -> pd.DataFrame:
    """A row per start and name."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for k, mix in enumerate(found.mixes):
        for i, e in enumerate(mix.equilibria):
            row: dict[str, Any] = {
                "start": start_name(found, k),
                "name": e.name,
                "individuals": mix.initial[i],
            }
            row |= {"initial": e.initial, "runs": len(mix.runs.winner)}
            if mix.long_run is None:
                row |= {"share": e.share.estimate, "low": e.share.low, "high": e.share.high}
                row |= {"verdict": e.verdict}
                row |= {"fixation": None if mix.fixation is None else float(mix.fixation[i])}
            else:
                time = mix.long_run[e.name]
                row |= {"share": time.estimate, "low": time.low, "high": time.high, "verdict": None}
                row |= {"fixation": None if mix.stationary is None else float(mix.stationary[i])}
            row |= {"replicator": float(mix.course.end[i])}
            rows.append(row)
    return pd.DataFrame(rows)


def runs_table(found: Evolution) -> pd.DataFrame:
    """A row per run: who was left alone, after how many births."""
    import pandas as pd

    parts = []
    for k, mix in enumerate(found.mixes):
        winners = [found.pool.names[w] if w >= 0 else None for w in mix.runs.winner]
        frame = pd.DataFrame({"start": start_name(found, k), "run": range(1, len(winners) + 1)})
        frame["equilibrium"], frame["steps"] = winners, mix.runs.steps
        for i, name in enumerate(found.pool.names):
            frame[f"n_{name}"] = mix.runs.final[:, i]
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def paths_table(found: Evolution) -> pd.DataFrame:
    """A row per run and step kept: individuals of each name; of a million rows on, the first runs only."""
    import numpy as np
    import pandas as pd

    parts: list[pd.DataFrame] = []
    for k, mix in enumerate(found.mixes):
        if not mix.runs.paths:
            continue
        rows = np.concatenate(mix.runs.paths)
        lengths = [len(path) for path in mix.runs.paths]
        frame = pd.DataFrame(rows[:, 1:], columns=[f"n_{n}" for n in found.pool.names])
        frame.insert(0, "step", rows[:, 0].astype(np.int64))
        frame.insert(0, "run", np.repeat(np.arange(1, len(lengths) + 1), lengths))
        frame.insert(0, "start", start_name(found, k))
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def matrix_table(found: Evolution, values: Any) -> pd.DataFrame:
    """A matrix with names, as `intent evolve` reads it again."""
    import pandas as pd

    frame = pd.DataFrame(values, columns=list(found.pool.names))
    frame.insert(0, "row", list(found.pool.names))
    return frame


def printed(found: Evolution) -> list[tuple[list[str], list[list[object]], str]]:
    """Header, rows and title of the tables that the command prints."""
    made: list[tuple[list[str], list[list[object]], str]] = []
    level = f"{found.config['level']:.0%}"
    for k, mix in enumerate(found.mixes):
        rows: list[list[object]] = []
        for i, e in enumerate(mix.equilibria):
            share = e.share if mix.long_run is None else mix.long_run[e.name]
            exact = mix.fixation if mix.long_run is None else mix.stationary
            rows.append(
                [
                    e.name,
                    f"{100 * share.estimate:.1f}",
                    f"{100 * share.low:.1f}–{100 * share.high:.1f}",
                    f"{100 * e.initial:.1f}",
                    "–" if mix.long_run is not None else _DRIFT[e.verdict],
                    None if exact is None else f"{100 * float(exact[i]):.1f}",
                    f"{100 * float(mix.course.end[i]):.1f}",
                ]
            )
        what = "alone %" if mix.long_run is None else "share %"
        header = ["name", what, f"{level} interval", "start %", "verdict", "mean payoffs %", "replicator %"]
        births = "" if mix.mean_steps is None else f", {mix.mean_steps:.0f} births on average"
        made.append((header, rows, f"{start_name(found, k)}: {len(mix.runs.winner)} runs{births}"))
    names = list(found.pool.names)
    if len(names) <= 12:
        square = [[n, *map(float, row)] for n, row in zip(names, found.payoffs, strict=True)]
        made.append((["payoff per round", *names], square, ""))
        invades = [[n, *map(float, row)] for n, row in zip(names, found.invasion, strict=True)]
        n = sum(found.mixes[0].initial)
        made.append((["takes over from 1", *names], invades, f"one of the row among {n - 1} of the column"))
        stands: list[list[object]] = [
            [s.name, _yes(s.strict_nash), _yes(s.nash), _yes(s.ess), ", ".join(found.best_replies[s.name])]
            for s in found.stable
        ]
        made.append((["name", "strict Nash", "Nash", "ESS", "best replies to it"], stands, ""))
    return made


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
