"""A benchmark as a run: what it would take, and what is written at the end of a session.

It is played, stopped and resumed as every run is (`intent.runner.play`); log, scores, leaderboard and figures
are written. Expected calls are those of equilibrium play in which every reply can be read. Tokens of a prompt
are the mean of those of a seat's first and last request. Shown is, of every condition, the prompt of the
first model's seat when it is asked for the second time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import DataError, IntentError
from intent.base.job import Result, Table, job
from intent.games.game import game_from_json
from intent.gamma.bench.benchmark import Benchmark, Cell, bench_cells, bench_prompts, load_benchmark
from intent.gamma.bench.conditions import table_name
from intent.gamma.bench.leaderboard import SWEEP_FILES, write_sweeps
from intent.gamma.bench.requests import BenchRunRequest
from intent.gamma.catalogue import bench_game, game_of, gamma_game, setting_name
from intent.gamma.game import BenchGame
from intent.play.match import Horizon
from intent.play.referee import Referee
from intent.runner.dry_run import (
    REPLY_TOKENS,
    Counting,
    Need,
    client_notes,
    first_prompt,
    model_seats,
    priced,
    tokens_in,
)
from intent.runner.finish import PlayResult, RunKind, record, session_summary, tracked_run, written_log
from intent.runner.play import changes_of, play_loaded, play_source

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.agent import Agent
    from intent.agents.plan import GamePlan
    from intent.base.tracking import Tracker
    from intent.games.game import CourseGame
    from intent.gamma.bench.leaderboard import LeaderboardResult
    from intent.gamma.plays import Plays
    from intent.gamma.ranking import Sweep
    from intent.logs.gamelog import GameLog
    from intent.play.match import View
    from intent.runner.driver import Outcome
    from intent.runner.limits import Price
    from intent.runner.run import Run


__all__ = [
    "BENCHMARKS",
    "COUNTING",
    "BenchResult",
    "run_benchmark",
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


_Played = Mapping[str, tuple[Cell, "GamePlan"]]
"""Game -> its condition and its plan."""


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


def _who(cell: Cell, plan: GamePlan) -> str:
    """The model of a table, or its company."""
    return cell.model or table_name([seat.player for seat in plan.seats])


def _contestant(cell: Cell, plan: GamePlan) -> str:
    """Who is scored, with the levels of all that varies: those are compared in a leaderboard."""
    levels = [f"{key.rpartition('.')[2]}={level}" for key, level in cell.levels.items() if key != "table"]
    if cell.condition.relabelled and "relabelled" not in cell.levels:
        levels.append("relabelled")
    who = cell.model if cell.condition.table is None else table_name([s.player for s in plan.seats])
    return f"{who} ({', '.join(levels)})" if levels else str(who)


def _as_it_stands(cell: Cell) -> bool:
    """Whether the setting is the one that the benchmark has where no parameter is varied."""
    name, condition = cell.game.name, cell.condition
    base = gamma_game(name, **{"n_players": condition.players, **condition.games[name]})
    return cell.setting == setting_name(base)


def _scored_tables(log: GameLog, played: _Played) -> tuple[list[tuple[dict[str, Any], Plays]], list[str]]:
    """A row of scores and the record of play of every finished table, and what could not be scored.

    A row has game_id, model (who is scored), game, setting, run (the repetition), score and scoring (as the
    published numbers are computed: code), other (as the paper writes it), n_players, rounds, seats (JSON of
    the shares of the seats, or null), base (whether it is one for the leaderboard), and the condition columns
    of the log.
    """
    from intent.gamma.bench.scores import scored_games

    tables: list[tuple[dict[str, Any], Plays]] = []
    notes: list[str] = []
    for score, plays in scored_games(log):
        if isinstance(score, DataError) or plays is None:
            notes.append(f"not scored: {score}")
            continue
        cell, plan = played[str(score.game_id)]
        row = {
            "game_id": score.game_id,
            "model": _contestant(cell, plan),
            **{name: getattr(score, name) for name in ("game", "setting", "run", "score", "scoring")},
            **{name: getattr(score, name) for name in ("other", "n_players", "rounds")},
            "seats": None if score.seats is None else json.dumps(score.seats),
            "base": _as_it_stands(cell),
        }
        conditions = {column: value for column, value in score.conditions.items() if column not in row}
        tables.append(({**row, **conditions}, plays))
    return tables, notes


def _swept(rows: Iterable[Mapping[str, Any]], played: _Played) -> list[Sweep]:
    """The sweeps of a run, none where nothing was varied; another story of a game is a level, no setting."""
    from intent.gamma.ranking import sweeps_of

    labelled = []
    for row in rows:
        cell, plan = played[row["game_id"]]
        levels = {key.rpartition(".")[2]: str(level) for key, level in cell.levels.items()}
        labelled.append({**row, "model": _who(cell, plan), "setting": cell.setting, "levels": levels})
    return sweeps_of(labelled)


def _means_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mean and sample deviation over repetitions, by model, game and setting; paper: mean of the other."""
    from intent.gamma.ranking import cell

    scores_by_cell: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        key = (row["model"], row["game"], row["setting"])
        scores_by_cell.setdefault(key, []).append((row["score"], row["other"]))
    means = []
    for (model, game, setting), points in scores_by_cell.items():
        scores = cell(score for score, _ in points)
        means.append(
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
    return means


def _board_of(rows: Iterable[Mapping[str, Any]]) -> LeaderboardResult:
    """The leaderboard of those rows that are for it."""
    import pandas as pd

    from intent.gamma.bench.leaderboard import LeaderboardResult
    from intent.gamma.ranking import leaderboard

    runs = pd.DataFrame([row for row in rows if row["base"]], columns=["model", "game", "run", "score"])
    return LeaderboardResult(tuple(leaderboard(runs)), runs, "code")


def _score_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
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
    scores : DataFrame, a row per finished table: who, game, setting, run, score, conditions
    summary : dict as `json_objects.JSON_OBJECTS["bench_run"]`
    """

    kind = "bench_run"

    scores: pd.DataFrame

    def parts(self) -> Iterator[Table | str]:
        """The scores, then what every run says."""
        if self.summary["scores"]:
            yield _score_part(self.summary["scores"], self.summary["leaderboard"])
            yield ""
        yield from super().parts()


_MOST_MODELS, _MOST_KINDS = 4, 12
"""Most models that are columns of the table; most games and settings that are."""


def _score_part(rows: Sequence[Mapping[str, Any]], board: Sequence[Mapping[str, Any]]) -> Table:
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


def _finish_benchmark(run: Run, benchmark: Benchmark, outcome: Outcome, tracker: Tracker) -> BenchResult:
    """Write log, scores and tables of what has been played so far; once all is, figures; record the run."""
    log = written_log(run)
    cells = bench_cells(benchmark)
    played = {plan.game_id: (cells[i % len(cells)], plan) for i, plan in enumerate(run.plans())}
    tables, notes = _scored_tables(log, played) if len(log.games) else ([], [])
    rows = [row for row, _ in tables]
    means = _means_of(rows)
    try:
        board = _board_of(rows)
    except DataError as error:
        notes.append(f"no leaderboard: {error}")
        board = _board_of([])
    files = _write(run, benchmark, rows, means, board) if rows else []
    if sweeps := _swept(rows, played):
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
    if tracker.where is not None:
        tracked = tracked_run(run, summary, "benchmark", values, numbers, ("figures", *files))
        record(tracker, tracked, summary)
    return BenchResult(log, run.folder, summary, _score_table(rows))


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
    write_table(_score_table(rows), folder / "scores.csv", facts, overwrite=True)
    write_table(_score_table(means), folder / "means.csv", facts, overwrite=True)
    board.write_pages(folder, overwrite=True)
    return ["scores.csv", "means.csv", "leaderboard.md", "leaderboard.json"]


def _draw(tables: Sequence[tuple[Mapping[str, Any], Plays]], folder: Path, notes: list[str]) -> list[str]:
    """Draw the figures of the eight games; names of the files."""
    from intent.gamma.figures import gamma_figures

    try:
        drawn = gamma_figures(tables, folder / "figures", source=folder.name)
    except IntentError as error:
        notes.append(f"figures: {error}")
        return []
    return [f"figures/{path.name}" for path in drawn]


_THINKING_TOKENS = 150
"""Tokens that a reply with a chain of thought is taken to have where its length is not limited."""


def _need(plan: GamePlan, agents: Sequence[Agent], prices: Mapping[str, Price]) -> Need:
    """What one table takes."""
    course, seats = _expected_course(plan), model_seats(plan)
    calls, prompt_tokens, reply_tokens = 0.0, 0.0, 0.0
    cost: float | None = 0.0
    sizes: dict[tuple[str, float], float] = {}
    for seat in seats:
        mine, moves = plan.seats[seat - 1], course.moves[seat]
        if not moves:
            continue
        views = [course.first[seat], course.last[seat]] if seat in course.first else []
        like = (mine.player, len(views[-1].reports) if views else 0)
        if like not in sizes:
            sizes[like] = _prompt_tokens(agents[seat - 1], views)
        thinks = mine.architecture == "chain_of_thought"
        reply = float(mine.settings.max_tokens or (_THINKING_TOKENS if thinks else REPLY_TOKENS))
        calls += moves
        prompt_tokens += moves * sizes[like]
        reply_tokens += moves * reply
        own_cost = priced(mine.player, prices, moves * sizes[like], moves * reply)
        cost = None if cost is None or own_cost is None else cost + own_cost
    most = _most_moves(plan, seats) * (1 + plan.reply.retries)
    return Need(sum(course.moves.values()), calls, most, prompt_tokens, reply_tokens, cost)


def _prompt_tokens(agent: Agent, views: Sequence[View]) -> float:
    return sum(tokens_in(first_prompt(agent, view).text) for view in views) / len(views) if views else 0.0


def _prompts_shown(plan: GamePlan, agents: Sequence[Agent]) -> list[dict[str, Any]]:
    """The prompts of one seat, which knows a round where any does; of pirates also those of a voter."""
    course = _expected_course(plan)
    seats = [seat for seat in model_seats(plan) if seat in course.first]
    known = [seat for seat in seats if seat in course.second] or seats
    chosen = known[: _row(plan.game).seats_shown]
    prompts = []
    for seat in chosen:
        prompt = first_prompt(agents[seat - 1], course.second.get(seat, course.first[seat]))
        role = plan.seats[seat - 1].architecture
        prompts.append(
            {"seat": seat, "role": role, "stage": prompt.purpose, "text": prompt.text, "tools": []}
        )
    return prompts


def _cautions(benchmark: Benchmark, plans: Sequence[GamePlan], cost: float | None) -> list[str]:
    notes = []
    if any(_row(plan.game).sequential for plan in plans):
        notes.append(
            "battle royale and the pirate game last as long as play makes them: calls expected are those of "
            "equilibrium play"
        )
    if benchmark.budget is not None and cost is not None and cost > benchmark.budget:
        notes.append(
            f"expected cost {cost:.4g} is above the budget of {benchmark.budget:g}: the run will stop there"
        )
    return notes + client_notes(benchmark, plans)


@dataclass(frozen=True, eq=False)
class _ExpectedCourse:
    """What equilibrium play makes of a game.

    Parameters
    ----------
    moves : seat -> moves of a match, a mean
    first, second, last : seat -> what it sees when it is asked for the first, second and last time
        Of one match; a seat that is never asked is absent, one that is asked once has no second time.
    """

    moves: Mapping[int, float]
    first: Mapping[int, View]
    second: Mapping[int, View]
    last: Mapping[int, View]


def _expected_course(plan: GamePlan) -> _ExpectedCourse:
    """What is to be expected of a planned game, if everybody plays the equilibrium.

    Simultaneous games ask every seat in every round, whatever is played. How long sequential ones last
    depends on play: with language models a battle is longer where they miss, and pirates go overboard.
    """
    return _course(plan.payoffs, plan.game, plan.payoff_kind, plan.rounds, plan.horizon_known)


@lru_cache(maxsize=256)
def _course(payoffs: str, name: str, kind: str, rounds: int, known: bool) -> _ExpectedCourse:
    from intent.games.game import CourseGame

    game = game_from_json(payoffs, name, kind)
    assert isinstance(game, CourseGame)
    moves = dict.fromkeys(range(1, game.n_players + 1), 0.0)
    views: list[list[tuple[int, View]]] = []
    matches = _row(name).matches
    for number in range(matches):
        requests = _requests(game, Horizon(rounds, known), np.random.default_rng(number), keep=number == 0)
        for seat, _ in requests:
            moves[seat] += 1 / matches
        views.append([(seat, view) for seat, view in requests if view is not None])
    first: dict[int, View] = {}
    second: dict[int, View] = {}
    last: dict[int, View] = {}
    for seat, view in views[0]:
        if seat in first:
            second.setdefault(seat, view)
        first.setdefault(seat, view)
        last[seat] = view
    return _ExpectedCourse(moves, first, second, last)


def _requests(
    game: CourseGame, horizon: Horizon, rng: np.random.Generator, *, keep: bool
) -> list[tuple[int, View | None]]:
    """Every request of a match in which all play the equilibrium: the seat, and what it sees."""
    chance, choice = rng.spawn(2)
    referee = Referee(game, horizon, rng=chance)
    requests: list[tuple[int, View | None]] = []
    while not referee.over:
        turn = [(seat, referee.view(seat)) for seat in referee.pending()]
        requests += [(seat, view if keep else None) for seat, view in turn]
        for seat, view in turn:
            referee.submit(seat, game.equilibrium(seat, view.question or {}, choice))
    return requests


def _most_moves(plan: GamePlan, seats: Sequence[int]) -> int:
    """Most moves of some seats together: in battle one a round, of a pirate as many as its place."""
    return _row(plan.game).most_moves(plan.rounds, seats)


def _row(name: str) -> BenchGame:
    """Of a game, whatever its story."""
    return bench_game(game_of(name) or name)


BENCHMARKS = RunKind(
    *(Benchmark, load_benchmark, lambda benchmark, plans: None, bench_prompts, _finish_benchmark),
    announced=True,
)

_CAPTION = "prompt of a second turn, or of the only one, among equilibrium players"

COUNTING = Counting(_need, _prompts_shown, _cautions, _CAPTION)
