"""A benchmark as a run: what is written at the end of a session, log, scores, leaderboard and figures.

It is played, stopped and resumed as every run is (`intent.runner.play`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, IntentError
from intent.base.request import job
from intent.base.result import Result, Table
from intent.gamma.bench.benchmark import Benchmark, bench_cells, bench_prompts, load_benchmark
from intent.gamma.bench.conditions import table_name
from intent.gamma.bench.leaderboard import SWEEP_FILES, swept, write_sweeps
from intent.gamma.bench.run_request import BenchRunRequest
from intent.runner.finish import PlayResult, RunKind, record, session_summary, tracked_run, written_log
from intent.runner.play import changes_of, play_loaded, play_source

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.plan import GamePlan
    from intent.base.tracking import Tracker
    from intent.gamma.bench.leaderboard import LeaderboardResult
    from intent.gamma.plays import Plays
    from intent.logs.gamelog import GameLog
    from intent.runner.driver import Outcome
    from intent.runner.run import Run


__all__ = [
    "BENCHMARKS",
    "BenchResult",
    "board_of",
    "contestants",
    "finish_benchmark",
    "means_of",
    "run_benchmark",
    "score_table",
    "scored_tables",
]


def run_benchmark(
    benchmark: Benchmark | Mapping[str, Any] | str | Path | None = None,
    output: str | Path | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    overwrite: bool = False,
    track: str | None = None,
    **changes: Any,
) -> BenchResult:
    """Play games of GAMA-Bench and score them.

    Parameters
    ----------
    benchmark : path of a benchmark file, its values, or a Benchmark, optional
        None is the eight games as published: ten players, twenty rounds, temperature 1, five tables each.
    output : folder to make, optional
        None plays in a folder that is gone afterwards; the log stays in memory.
    callables : mapping of name -> async function, optional
        Models of your own, named ``python/NAME``: ``async (messages, tools, settings) -> text or Reply``.
    overwrite : bool
        Whether a run at `output` may be replaced, with all its replies.
    track : str, optional
        MLflow URI or SQLite file to record the run in.
    **changes
        As `load_benchmark`: keys by their new values, ``models=[...]``, ``games=[...]``.

    Returns
    -------
    BenchResult
        ``log``, ``path``, ``scores``, ``summary``.

    Raises
    ------
    IntentError
        The benchmark, its prompts or its models are not what they should be.

    Examples
    --------
    >>> result = run_benchmark(models=["scripted/equilibrium"], games=["diner"], repetitions=1, figures=False)
    >>> result.scores[["game", "score"]].to_dict("records")
    [{'game': 'diner', 'score': 100.0}]
    """
    source = load_benchmark(benchmark, **changes)
    result: BenchResult = play_source(source, output, callables=callables, overwrite=overwrite, track=track)
    return result


@job(BenchRunRequest)
def run_file(request: BenchRunRequest) -> Result:
    """Play what a benchmark file says, or count what it takes."""
    factors = (
        *("version", "language", "temperature", "persona", "chain_of_thought", "told", "prompts"),
        *("repetitions", "players", "rounds", "seed", "figures"),
    )
    changes = changes_of(request, *factors)
    source = load_benchmark(
        request.file, set=request.set, models=request.model, games=request.game, **changes
    )
    return play_loaded(request, source)


def contestants(benchmark: Benchmark, plans: Sequence[GamePlan]) -> dict[str, tuple[str, bool]]:
    """Game -> who is scored, and whether its setting is the one that the benchmark has as it stands.

    Who is scored is the model of a table, or its company, with the levels of all that varies: those are
    compared in a leaderboard.

    Parameters
    ----------
    benchmark : Benchmark
    plans : those of the run, in order
    """
    from intent.gamma.catalogue import gamma_game, setting_name

    named: list[tuple[str, bool]] = []
    cells = bench_cells(benchmark)
    for cell, plan in zip(cells, plans, strict=False):
        condition = cell.condition
        base = gamma_game(
            cell.game.name, **{"n_players": condition.players, **condition.games[cell.game.name]}
        )
        levels = [f"{key.rpartition('.')[2]}={level}" for key, level in cell.levels.items() if key != "table"]
        if condition.relabelled and "relabelled" not in cell.levels:
            levels.append("relabelled")
        who = cell.model if condition.table is None else table_name([s.player for s in plan.seats])
        label = f"{who} ({', '.join(levels)})" if levels else str(who)
        named.append((label, cell.setting == setting_name(base)))
    return {plan.game_id: named[i % len(cells)] for i, plan in enumerate(plans)}


def scored_tables(
    log: GameLog, who: Mapping[str, tuple[str, bool]]
) -> tuple[list[tuple[dict[str, Any], Plays]], list[str]]:
    """A row of scores and the record of play of every finished table, and what could not be scored.

    Parameters
    ----------
    log : GameLog
    who : as `contestants`

    Returns
    -------
    tables : list of (row, Plays)
        A row has game_id, model (who is scored), game, setting, run (the repetition), score and scoring (as
        the published numbers are computed: code), other (as the paper writes it), n_players, rounds, seats
        (JSON of the shares of the seats, or null), base (whether it is one for the leaderboard), and the
        condition columns of the log.
    notes : list of str
    """
    from intent.gamma.bench.scores import scored_games

    tables: list[tuple[dict[str, Any], Plays]] = []
    notes: list[str] = []
    for score, plays in scored_games(log):
        if isinstance(score, DataError) or plays is None:
            notes.append(f"not scored: {score}")
            continue
        name, base = who[str(score.game_id)]
        row = {
            "game_id": score.game_id,
            "model": name,
            "game": score.game,
            "setting": score.setting,
            "run": score.run,
            "score": score.score,
            "scoring": score.scoring,
            "other": score.other,
            "n_players": score.n_players,
            "rounds": score.rounds,
            "seats": None if score.seats is None else json.dumps(score.seats),
            "base": base,
        }
        conditions = {column: value for column, value in score.conditions.items() if column not in row}
        tables.append(({**row, **conditions}, plays))
    return tables, notes


def means_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mean and sample deviation over repetitions, by model, game and setting; paper: mean of the other.

    Parameters
    ----------
    rows : as `scored_tables`
    """
    from intent.gamma.ranking import cell

    scores_by_cell: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        key = (row["model"], row["game"], row["setting"])
        scores_by_cell.setdefault(key, []).append((row["score"], row["other"]))
    made = []
    for (model, game, setting), points in scores_by_cell.items():
        scores = cell(score for score, _ in points)
        made.append(
            {
                "model": model,
                "game": game,
                "setting": setting,
                "n": scores.n,
                "mean": scores.mean,
                "sd": scores.sd,
                "paper": cell(paper for _, paper in points).mean,
            }
        )
    return made


def board_of(rows: Iterable[Mapping[str, Any]]) -> LeaderboardResult:
    """The leaderboard of those rows that are for it."""
    import pandas as pd

    from intent.gamma.bench.leaderboard import LeaderboardResult
    from intent.gamma.ranking import leaderboard

    runs = pd.DataFrame([row for row in rows if row["base"]], columns=["model", "game", "run", "score"])
    return LeaderboardResult(tuple(leaderboard(runs)), runs, "code")


def score_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows as a table; without any, one of the columns that are always there."""
    import pandas as pd

    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=["model", "game", "setting", "score"])


_NUMBERS = (
    "n_games",
    "n_finished",
    "n_moves",
    "n_missing",
    "n_defaulted",
    "readable",
    "calls",
    "cost",
    "seconds",
)
"""Parts of the summary that are tracked as metrics, beside the means."""


@dataclass(frozen=True, eq=False, repr=False)
class BenchResult(PlayResult):
    """What came of playing a benchmark.

    Attributes
    ----------
    scores : DataFrame, a row per finished table as `intent.gamma.bench.run.scored_tables`
    summary : dict as `json_objects.JSON_OBJECTS["bench_run"]`
    """

    kind = "bench_run"

    scores: pd.DataFrame

    def parts(self) -> Iterator[Table | str]:
        """The scores, then what every run says."""
        if self.summary["scores"]:
            yield _score_table(self.summary["scores"], self.summary["leaderboard"])
            yield ""
        yield from super().parts()


_MOST_MODELS, _MOST_KINDS = 4, 12
"""Most models that are columns of the table; most games and settings that are."""


def _score_table(rows: Sequence[Mapping[str, Any]], board: Sequence[Mapping[str, Any]]) -> Table:
    """Games and settings by models, or the other way round; one score a row where many are empty."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    cells = {(row["model"], row["game"], row["setting"]): row for row in rows}
    kinds = list(dict.fromkeys((row["game"], row["setting"]) for row in rows))
    overall = {one["model"]: one["overall"] for one in board}
    title = "Scores (code): mean ± sd over repetitions"
    heads: tuple[str, ...] = ("model", "game", "setting", "score")
    if len(models) <= _MOST_MODELS:
        body = [[*kind, *(_shown(cells.get((model, *kind))) for model in models)] for kind in kinds]
        if any(overall.values()):
            body.append(["overall", "", *(_shown(overall.get(model)) for model in models)])
        return Table(("game", "setting", *models), body, title, fixed=2)
    if len(kinds) > _MOST_KINDS or len(rows) <= len(models) * len(kinds) / 2:
        return Table(heads, [[row["model"], row["game"], row["setting"], _shown(row)] for row in rows], title)
    heads = ("model", *(game if setting == "default" else f"{game} {setting}" for game, setting in kinds))
    body = [[model, *(_shown(cells.get((model, *kind))) for kind in kinds)] for model in models]
    if any(overall.values()):
        heads, body = (*heads, "overall"), [[*row, _shown(overall.get(row[0]))] for row in body]
    return Table(heads, body, title, fixed=1)


def _shown(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    return f"{cell['mean']:.1f}" if cell["sd"] is None else f"{cell['mean']:.1f} ± {cell['sd']:.1f}"


def finish_benchmark(run: Run, benchmark: Benchmark, outcome: Outcome, tracker: Tracker) -> BenchResult:
    """Write log, scores and tables of what has been played so far; once all is, figures; record the run.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    log = written_log(run)
    plans = list(run.plans())
    tables, notes = scored_tables(log, contestants(benchmark, plans)) if len(log.games) else ([], [])
    rows = [row for row, _ in tables]
    means = means_of(rows)
    try:
        board = board_of(rows)
    except DataError as error:
        notes.append(f"no leaderboard: {error}")
        board = board_of([])
    files = _write(run, benchmark, rows, means, board) if rows else []
    if sweeps := swept(benchmark, plans, rows):
        write_sweeps(sweeps, run.folder, {"run": run.facts["run"], "scoring": "code"}, overwrite=True)
        files += SWEEP_FILES
    figures: list[str] = []
    if outcome.stop is None and len(log.games) and benchmark.figures:
        figures = _draw(tables, run.folder, notes)
    summary, set_aside = session_summary(run, benchmark.name, outcome, log)
    summary |= {
        "labels": None,
        "comparisons": files,
        "figures": figures,
        "scores": means,
        "leaderboard": board.to_dict()["leaderboard"],
        "run_id": None,
        "notes": [*notes, *set_aside],
    }
    overall = [one["overall"]["mean"] for one in summary["leaderboard"] if one["overall"]]
    numbers = {key: summary[key] for key in _NUMBERS} | {"overall": max(overall, default=None)}
    values = benchmark.model_dump_json()
    record(tracker, tracked_run(run, summary, "benchmark", values, numbers, ("figures", *files)), summary)
    return BenchResult(log, run.folder, summary, score_table(rows))


def _write(
    run: Run,
    benchmark: Benchmark,
    rows: Sequence[Mapping[str, Any]],
    means: Sequence[Mapping[str, Any]],
    board: LeaderboardResult,
) -> list[str]:
    """Write the tables of scores into the run folder; names of the files."""
    from intent.base.tables import write_table

    folder = run.folder
    facts = {"run": run.facts["run"], "scoring": "code", "benchmark": benchmark.model_dump(mode="json")}
    write_table(score_table(rows), folder / "scores.csv", facts, overwrite=True)
    write_table(score_table(means), folder / "means.csv", facts, overwrite=True)
    board.write_pages(folder, overwrite=True)
    return ["scores.csv", "means.csv", "leaderboard.md", "leaderboard.json"]


def _draw(tables: Sequence[tuple[Mapping[str, Any], Plays]], folder: Path, notes: list[str]) -> list[str]:
    """Draw the figures of the eight games; names of the files."""
    from intent.gamma.figures import gamma_figures

    try:
        drawn = gamma_figures(tables, folder / "figures")
    except IntentError as error:
        notes.append(f"figures: {error}")
        return []
    return [f"figures/{path.name}" for path in drawn]


BENCHMARKS = RunKind(
    *(Benchmark, load_benchmark, lambda benchmark, plans: None, bench_prompts, finish_benchmark),
    announced=True,
)
