"""The end of a session: the log beside the run, what the experiment wants done with it, the tracked run.

What is wanted is checked before hours of play rather than found behind them.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.agents.agent import check_agents
from intent.base.errors import IntentError, UnknownNameError, UsageError, nearest, shorten
from intent.base.job import JOBS, Result, Table, job
from intent.base.masking import refuse_keys
from intent.base.registry import load, points
from intent.base.settings import Document
from intent.runner.caller import model_names
from intent.runner.requests import StatusRequest
from intent.runner.run import StatusResult, cost_text, counted, run_status, use_summary

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.base.tracking import TrackedRun, Tracker
    from intent.logs.gamelog import GameLog
    from intent.runner.driver import Outcome
    from intent.runner.experiment.file import After, Experiment, Runtime
    from intent.runner.run import Run


__all__ = [
    "KINDS",
    "LABELS",
    "PLAYS",
    "REPLICATION",
    "PlayResult",
    "RunKind",
    "StagedKind",
    "check_after",
    "checked_plans",
    "finish",
    "log_columns",
    "record",
    "run_after",
    "run_kind",
    "session_summary",
    "staged_folder",
    "staged_kind",
    "status_of_folder",
    "tracked_run",
    "written_log",
]


_COLUMNS_OF = ("by", "eps_by", "cluster")
"""Settings that name columns."""

_DERIVED = ("choice", "composition", "factor", "normalised", "opponent", "pairing", "rounds", "scale")
"""Columns that tables of play have beside those of the log."""

_NOWHERE = Document({})

REPLICATION, PLAYS = "replicate.json", "plays"
"""What marks the folder of a replication, and where its runs stand."""


def check_after(after: After, plans: Iterable[GamePlan] = (), document: Document = _NOWHERE) -> None:
    """Refuse settings that nothing has, columns that no table will have, and readings that are not said.

    Parameters
    ----------
    plans : of the games to be played; without them only the names of settings, figures and studies are
        checked
    document : tells where the settings stand

    Raises
    ------
    UsageError
        An unknown setting or figure, with the nearest known ones; labels or metrics of more than two players
        without ``others``.
    UnknownNameError
        A recogniser that is neither shipped nor a folder, a column, a study.
    """
    games = list(plans)
    several = ("after", "compare", "0") in document.lines
    steps: list[tuple[tuple[str, ...], dict[str, Any] | None]] = [
        (("label",), after.label),
        *((("compare", str(i)) if several else ("compare",), one) for i, one in enumerate(after.compare)),
        (("figures",), figure_settings(after)),
        (("metrics",), after.metrics),
    ]

    @cache
    def known() -> set[str]:
        return log_columns(games)

    for path, settings in steps:
        if settings is None:
            continue
        name, at = path[0], partial(_located, document, *path)
        importlib.import_module(_REQUESTS[name])
        for key, value in settings.items():
            with at(key):
                JOBS[name].of_file(f"after: {name}", {key: value})
        if name == "label":
            with at("recogniser"):
                _check_recogniser(settings, games)
        if name in ("label", "metrics"):
            with at():
                _check_others(name, settings, games)
        for key, columns in _named_columns(settings) if games else ():
            with at(key):
                _check_columns(f"{name}.{key}", columns, known())
        if name == "figures":
            listed = () if ("after", "figures", "0") in document.lines else ("names",)
            for i, figure in enumerate(settings.get("names", ())):
                with at(*listed, str(i)):
                    _check_figure(figure)
    if after.compare and after.label is None and not all("metric" in one for one in after.compare):
        with _located(document, "compare"):
            raise UsageError("after: compare counts labels, so it needs label, such as label: {}")
    for i, paper in enumerate(after.results):
        from intent.report.results import papers

        if paper not in papers():
            with _located(document, "results", str(i)):
                raise UnknownNameError("paper of after.results", paper, papers())


@contextmanager
def _located(document: Document, *path: str) -> Iterator[None]:
    """Errors say where the setting stands, if that is known."""
    try:
        yield
    except UsageError as error:
        if where := document.where(("after", *path)):
            error.args = (f"{where}: {error}",)
        raise


def log_columns(plans: Iterable[GamePlan]) -> set[str]:
    """Every column that the log of these games, or a table made of it, can have."""
    from intent.agents.plan import GamePlan, seat_columns
    from intent.base import codebook
    from intent.behaviour.questions import QUESTIONS

    tables = (codebook.GAMES, codebook.SEATS, codebook.MOVES, codebook.METRICS, codebook.LABELS)
    known = {column.name for table in tables for column in table}
    known |= {*_DERIVED, *GamePlan.model_fields}
    known |= {f"{name}_{what}" for name in QUESTIONS for what in ("correct", "misunderstood", "n")}
    for plan in plans:
        known.update(plan.columns)
        for seat in plan.seats:
            known.update(seat_columns(seat))
    return known


def _check_recogniser(settings: Mapping[str, Any], games: Sequence[GamePlan]) -> None:
    from intent.recognise.recogniser import shipped_recognisers

    name = settings.get("recogniser")
    if games and isinstance(name, str) and name not in shipped_recognisers() and not Path(name).is_dir():
        raise UnknownNameError("recogniser of after.label", name, shipped_recognisers())


def _check_others(what: str, settings: Mapping[str, Any], games: Sequence[GamePlan]) -> None:
    """Refuse play of more than two that nothing reads as play of two; conditions may leave it out."""
    is_read = settings.get("others") is not None or settings.get("where")
    if not is_read and any(len(plan.seats) > 2 for plan in games):
        raise UsageError(
            f"after: {what}: games of more than two players need others (any, majority or all), such as "
            f"{what}: {{others: majority}}"
        )


def _named_columns(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each setting that names columns, and these."""
    yield from ((setting, settings[setting]) for setting in _COLUMNS_OF if settings.get(setting))
    if isinstance(settings.get("where"), Mapping):
        yield "where", list(settings["where"])


def _check_columns(setting: str, value: Any, known: set[str]) -> None:
    """Refuse columns that no table has."""
    from intent.base.tables import column_names

    several = [part for part in value if isinstance(part, str)] if isinstance(value, list | tuple) else []
    for name in column_names(value if isinstance(value, str) else several, known):
        if name not in known:
            raise UnknownNameError(f"column of after.{setting}", name, sorted(known))


def _check_figure(name: object) -> None:
    from intent.report.figure_makers import makers

    if name not in makers():
        near = nearest(str(name), makers())
        hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(makers())}"
        raise UsageError(f"after: figures: unknown figure {shorten(name)!r}{hint}")


def figure_settings(after: After) -> dict[str, Any] | None:
    """Of the figures to be drawn; None where there are none."""
    if after.figures is None or after.figures == ():
        return None
    return dict(after.figures) if isinstance(after.figures, dict) else {"names": list(after.figures)}


_REQUESTS = {
    "label": "intent.recognise.labels.request",
    "compare": "intent.comparison.requests",
    "figures": "intent.report.requests",
    "metrics": "intent.behaviour.requests",
}
"""Job -> module that declares its request."""


LABELS = "labels.parquet"
METRICS = ("metrics.parquet", "metrics.json")


def run_after(after: After, folder: Path, *, seed: int) -> dict[str, Any]:
    """Do it, with the files in the run folder; one part that cannot be done does not keep others from it.

    Parameters
    ----------
    folder : that of the run, with ``log/``

    Returns
    -------
    dict with ``labels`` (summary or None), the files ``comparisons`` (with metrics) and ``figures`` (with
    results), and ``notes``
    """
    done: dict[str, Any] = {"labels": None, "comparisons": [], "figures": [], "notes": []}

    @cache
    def log() -> GameLog:
        from intent.logs.readers import read_log

        return read_log(folder / "log", format="gamelog")

    @contextmanager
    def attempt(what: str) -> Iterator[None]:
        try:
            yield
        except IntentError as error:
            done["notes"].append(f"{what}: {error}")

    def written(result: Result, *names: str) -> None:
        for name in names:
            result.write(folder / name, overwrite=True)
            done["comparisons"].append(name)

    if after.label is not None:
        from intent.recognise.labels.label import label_log

        with attempt("labels"):
            labels = label_log(log(), **{"seed": seed, **after.label})
            labels.write(folder / LABELS, overwrite=True)
            done["labels"] = labels.summary
    labelled = after.label is None or done["labels"] is not None
    for number, settings in enumerate(after.compare if labelled else (), start=1):
        from intent.comparison.compare import compare

        stem = "comparison" if number == 1 else f"comparison-{number}"
        with attempt("comparison"):
            result = compare(folder / LABELS, **{"seed": seed, **settings})
            written(result, f"{stem}.json", f"{stem}.png")
    if (drawn := figure_settings(after)) is not None:
        from intent.report.figures import figures

        with attempt("figures"):
            drawing = figures(log(), folder=folder / "figures", overwrite=True, **{"seed": seed, **drawn})
            done["figures"] = [f"figures/{one['file']}" for one in drawing.figures]
            done["notes"] += [f"figure {one['name']}: {one['why']}" for one in drawing.skipped]
    if after.metrics is not None:
        from intent.behaviour.metrics import metrics

        with attempt("metrics"):
            written(metrics(log(), **{"seed": seed, **after.metrics}), *METRICS)
    for paper in after.results:
        from intent.report.results import results

        with attempt(f"results of {paper}"):
            collected = results(folder / "log", paper, folder / "results" / paper, seed=seed, overwrite=True)
            done["figures"] += [
                f"results/{paper}/{one['file']}" for one in (*collected.tables, *collected.figures)
            ]
            done["notes"] += [
                f"results of {paper}: no {one['name']}: {one['why']}" for one in collected.skipped
            ]
    return done


_NUMBERS = (
    "n_games",
    "n_finished",
    "n_moves",
    "n_missing",
    "n_defaulted",
    "readable",
    "cooperation_rate",
    "calls",
    "cached",
    "resent",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "seconds",
)
"""Parts of the summary that are tracked as metrics."""


@dataclass(frozen=True, eq=False)
class PlayResult(Result):
    """What came of playing an experiment.

    Attributes
    ----------
    log : the finished games
    path : the run folder; None where it was not kept
    summary : dict as `json_objects.JSON_OBJECTS["play"]`
    """

    kind = "play"
    noun = "a run"

    log: GameLog
    path: Path | None
    summary: dict[str, Any]

    def __repr__(self) -> str:
        done = f"{self.summary['n_finished']} of {self.summary['n_games']} games"
        return f"<{type(self).__name__} {self.summary['name']}: {done}, {self.summary['state']}>"

    def fields(self) -> dict[str, Any]:
        """The summary."""
        return self.summary

    def facts(self) -> dict[str, Any]:
        """Which run it is."""
        return {"kind": self.kind, **{key: self.summary[key] for key in ("path", "name", "run")}}

    def table(self) -> pd.DataFrame:
        """A row for every player."""
        import pandas as pd

        return pd.DataFrame(self.summary["players"])

    @property
    def exit_code(self) -> int:
        """3 where games are left."""
        return 0 if self.summary["state"] == "finished" else 3

    def parts(self) -> Iterator[Table | str]:
        """One table of players, lines around it."""
        summary = self.summary
        done, planned = summary["n_finished"], summary["n_games"]
        yield f"{summary['name']}: {done:,} of {planned:,} games, {summary['n_moves']:,} moves\n"
        use = {model["player"]: model for model in summary["models"]}
        heads = ("player", "moves", "readable", "cooperation", "mean payoff", "calls", "tokens", "cost")
        if summary["players"]:
            yield Table(heads, [_player_row(one, use.get(one["player"])) for one in summary["players"]])
        failed = sum(summary["failures"].values())
        yield (
            f"\n{summary['new_calls']:,} new calls, {summary['seconds']:.1f} s of play in all"
            + (f", {summary['resent']:,} sent again" if summary["resent"] else "")
            + (f", {counted(failed, 'request')} failed" if failed else "")
        )
        if summary["labels"] is not None:
            statuses = summary["labels"]["statuses"]
            yield "labels: " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items()))
        for name in (*summary["comparisons"], *summary["figures"]):
            yield f"{summary['path']}/{name}"

    def warnings(self) -> Iterator[str]:
        """What went wrong, and what a reader should beware of."""
        yield from self.summary["notes"]

    def remarks(self) -> Iterator[str]:
        """Where it is, or how to go on."""
        summary = self.summary
        if summary["state"] == "finished":
            yield f"run: {summary['path']}, log: {summary['log']}"
            return
        why = summary["reason"] or f"{counted(summary['n_interrupted'], 'game')} set aside with an error"
        yield f"{why}; intent resume {summary['path']} goes on"


def _player_row(player: Mapping[str, Any], use: Mapping[str, Any] | None) -> tuple[object, ...]:
    return (
        player["player"],
        f"{player['n_moves']:,}",
        *("–" if player[k] is None else f"{player[k]:.1%}" for k in ("readable", "cooperation_rate")),
        player["mean_payoff"],
        f"{use['calls']:,}" if use else "–",
        f"{use['prompt_tokens'] + use['completion_tokens']:,}" if use else "–",
        cost_text(use["cost"] if use else None),
    )


KINDS = "intent.runs"
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
    announced : whether people are told what it takes before it is played
    """

    source: type[Runtime]
    load: Callable[..., Any]
    check: Callable[[Any, Sequence[GamePlan]], None]
    prompts: Callable[[Any, Sequence[GamePlan]], dict[str, PromptSet]]
    finish: Callable[[Run, Any, Outcome, Tracker], PlayResult]
    announced: bool = False


@dataclass(frozen=True)
class StagedKind:
    """A kind of run that plays no plans: it works in stages that go on from what its folder holds.

    A file ``KEY.json`` marks its folder, as ``run.json`` does that of others. What is run has a `name` and
    the `run_key`.

    Parameters
    ----------
    load : from a path or what is run, with changes by key, to what is run
    play : from it, a folder and a function of steps done and in all to a `Result`, with `overwrite`, and
        `start`, a folder that takes the place of the first stage
    resume : from a folder, a source or None, and such a function to a `Result`, with changes by key
    status : from a folder to a `Result`, whose field ``state`` is playing, stopped or finished
    count : from what is run and `start` to a `Result` that says what it takes, with the fields n_games,
        calls, most_calls and cost, as a dry run does; None where that cannot be said
    """

    load: Callable[..., Any]
    play: Callable[..., Any]
    resume: Callable[..., Any]
    status: Callable[[Path], Any]
    count: Callable[..., Any] | None = None


def run_kind(key: str) -> RunKind:
    """The kind of runs that ``run.json`` keeps under a key."""
    kind: RunKind = load(points(KINDS)[key])
    return kind


def staged_kind(key: str) -> StagedKind | None:
    """The kind of staged runs of a key; None where runs of it play plans."""
    kind = load(points(KINDS)[key])
    return kind if isinstance(kind, StagedKind) else None


def staged_folder(folder: Path) -> StagedKind | None:
    """The kind of the staged run that a folder holds, if any."""
    if (folder / "run.json").is_file():
        return None
    key = next((key for key in points(KINDS) if (folder / f"{key}.json").is_file()), None)
    return None if key is None else staged_kind(key)


def checked_plans(experiment: Any, *, providers: bool = True) -> tuple[list[GamePlan], dict[str, PromptSet]]:
    """Plans and prompts of an experiment that could be played with the keys it needs.

    Parameters
    ----------
    experiment : Experiment, or a source of another `RunKind`
    providers : whether models must be of providers that are known here; not where somebody else asks them

    Raises
    ------
    IntentError
        As the kind's `check` and `prompts`, `model_names`, `check_agents` and `refuse_keys` say.
    """
    kind = run_kind(experiment.run_key)
    plans = experiment.plans()
    kind.check(experiment, plans)
    if providers:
        model_names(plans)
    prompts = kind.prompts(experiment, plans)
    texts = {name: words.to_json() for name, words in prompts.items()}
    refuse_keys({**experiment.model_dump(mode="json"), "prompts": texts}, experiment.name)
    check_agents(plans, prompts)
    return plans, prompts


def finish(run: Run, experiment: Experiment, outcome: Outcome, tracker: Tracker) -> PlayResult:
    """Write the log, do what the experiment wants done after the last game, and record the run.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    log = written_log(run)
    after: dict[str, Any] = {"labels": None, "comparisons": [], "figures": [], "notes": []}
    if outcome.stop is None and len(log.games):
        after = run_after(experiment.after, run.folder, seed=experiment.seed)
    summary, set_aside = session_summary(run, experiment.name, outcome, log)
    notes = [*experiment.notes, *after.pop("notes"), *set_aside]
    summary |= {**after, "run_id": None, "notes": notes}
    values = experiment.model_dump_json(exclude={"fairgame"})
    files = ("labels.parquet", "figures", *summary["comparisons"])
    numbers = {key: summary[key] for key in _NUMBERS}
    if tracker.where is not None:
        record(tracker, tracked_run(run, summary, "experiment", values, numbers, files), summary)
    return PlayResult(log, run.folder, summary)


_SHOWN = 5
"""Games set aside of which the summary says the error."""


def session_summary(run: Run, name: str, outcome: Outcome, log: GameLog) -> tuple[dict[str, Any], list[str]]:
    """How far a run has come at the end of a session, and the errors of games that were set aside.

    Parameters
    ----------
    name : of the experiment or benchmark
    log : of the finished games

    Returns
    -------
    summary : dict, from ``path`` to ``log`` as `json_objects.JSON_OBJECTS["play"]`
    notes : list of str
    """
    status = run.status()
    summary = {
        "path": str(run.folder),
        "name": name,
        "run": str(run.facts["run"]),
        "state": "stopped" if outcome.stop else "incomplete" if outcome.interrupted else "finished",
        "reason": outcome.stop.reason if outcome.stop else None,
        "n_games": status.games,
        "n_finished": status.finished,
        "n_interrupted": status.interrupted,
        **move_summary(log),
        **use_summary(status),
        "new_calls": outcome.calls,
        "log": str(run.folder / "log") if len(log.games) else None,
    }
    return summary, [f"game {game}: {error}" for game, error in status.errors[:_SHOWN]]


def move_summary(log: GameLog) -> dict[str, Any]:
    """Moves of a log: how many, how many missing or defaulted, how cooperative, overall and by player.

    Returns
    -------
    dict with ``n_moves``, ``n_missing``, ``n_defaulted``, ``readable`` (share of the moves of language models
    that came from a reply; None without one), ``cooperation_rate`` (None where undecidable), ``players``
    (list of player, n_moves, readable, cooperation_rate, mean_payoff)
    """
    seats = log.seats.copy(deep=False)
    empty = seats["game_id"].iloc[:0]
    model = seats["model"] if "model" in seats.columns else empty.reindex(seats.index)
    strategy = seats["strategy"] if "strategy" in seats.columns else empty.reindex(seats.index)
    seats = seats.assign(_player=model.fillna(strategy).fillna("human"), _asked=model.notna())
    moves = log.moves.assign(game_id=log.moves["game_id"].astype(str))
    seats = seats.assign(game_id=seats["game_id"].astype(str))
    joined = moves.merge(seats[["game_id", "seat", "_player", "_asked"]], on=["game_id", "seat"])
    players = [
        {"player": str(name), **_numbers(part)}
        for name, part in joined.groupby("_player", sort=True, observed=True)
    ]
    whole = _numbers(joined)
    whole.pop("mean_payoff")
    return {
        "n_moves": whole.pop("n_moves"),
        "n_missing": int((joined["status"] == "missing").sum()),
        "n_defaulted": int((joined["status"] == "defaulted").sum()),
        **whole,
        "players": players,
    }


def _numbers(moves: pd.DataFrame) -> dict[str, Any]:
    of_models = moves[moves["_asked"].astype(bool)]
    known = moves["cooperated"].dropna()
    payoffs = moves["payoff"].dropna()
    return {
        "n_moves": len(moves),
        "readable": float((of_models["status"] == "parsed").mean()) if len(of_models) else None,
        "cooperation_rate": float(known.astype(bool).mean()) if len(known) else None,
        "mean_payoff": float(payoffs.mean()) if len(payoffs) else None,
    }


def written_log(run: Run) -> GameLog:
    """The log of the finished games, written into the run folder if there are any.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    from intent.logs.stores import write_log

    log = run.log()
    if len(log.games):
        write_log(log, run.folder / "log", overwrite=True)
    return log


def tracked_run(
    run: Run,
    summary: Mapping[str, Any],
    what: str,
    values: str,
    numbers: Mapping[str, float | None],
    files: Sequence[str],
) -> TrackedRun:
    """The run as it is tracked: what was to be played, numbers, and files of the run folder.

    Parameters
    ----------
    summary : mapping, as `session_summary`
    what : what the values are of, before the name of each parameter
    values : JSON object; keys that look like secrets are taken out
    numbers : mapping of metric -> value, None where there is none
    files : names of files beside the run's own, if they are there
    """
    from intent.base.masking import redact
    from intent.base.tracking import TrackedRun

    facts = {"run": summary["run"], "state": summary["state"], "version": run.facts.get("version")}
    return TrackedRun(
        name=summary["name"],
        parameters={**{f"{what}.{key}": value for key, value in json.loads(redact(values)).items()}, **facts},
        metrics={key: float(value) for key, value in numbers.items() if value is not None},
        artifacts=[path for name in ("run.json", "log", *files) if (path := run.folder / name).exists()],
        tags={
            "kind": {"experiment": "play"}.get(what, what),
            "version": str(run.facts.get("version") or ""),
            "log": summary["log"] or "",
        },
        began=_created(run.facts.get("created")),
    )


def _created(text: object) -> float | None:
    """When a run was begun, in seconds since 1970; None where its folder does not say."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return None


def record(tracker: Tracker, tracked: TrackedRun, summary: dict[str, Any]) -> None:
    """Put the identifier of the tracked run into the summary, or a note on why there is none."""
    try:
        summary["run_id"] = tracker.record(tracked)
    except IntentError as error:
        summary["notes"].append(f"not tracked: {error}")


def _written_last(folder: Path) -> Path:
    """The folder, or of a replication the run that was written to last."""
    runs = [place for place in (folder / PLAYS).glob("*") if place.is_dir()]
    if not (folder / REPLICATION).is_file() or not runs:
        return folder
    return max(runs, key=lambda place: place.stat().st_ctime_ns)


@job(StatusRequest)
def status_of_folder(request: StatusRequest) -> Result:
    """How the run in a folder is going."""
    folder = _written_last(Path(request.run_folder))
    staged = staged_folder(folder)
    status: Result = StatusResult(run_status(folder)) if staged is None else staged.status(folder)
    return status
