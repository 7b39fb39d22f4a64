"""The end of a session: the log beside the run, what the experiment wants done with it, the tracked run.

What is wanted is checked before hours of play rather than found behind them.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import IntentError, UnknownNameError, UsageError, nearest, shorten
from intent.base.registry import load, points
from intent.base.request import JOBS
from intent.base.result import Result, Table
from intent.runner.run import cost_text, counted, session_summary

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
    "PlayResult",
    "RunKind",
    "check_after",
    "finish",
    "log_columns",
    "record",
    "run_after",
    "run_kind",
    "tracked_run",
    "written_log",
]


_COLUMNS_OF = ("by", "eps_by", "cluster")
"""Settings that name columns."""

_DERIVED = ("choice", "composition", "factor", "normalised", "opponent", "pairing", "rounds", "scale")
"""Columns that tables of play have beside those of the log."""


def check_after(after: After, plans: Iterable[GamePlan] = ()) -> None:
    """Refuse settings that nothing has, columns that no table will have, and readings that are not said.

    Parameters
    ----------
    plans : of the games to be played; without them only the names of settings, figures and studies are
        checked

    Raises
    ------
    UsageError
        An unknown setting or figure, with the nearest known ones; labels or metrics of more than two players
        without ``others``.
    UnknownNameError
        A recogniser that is neither shipped nor a folder, a column, a study.
    """
    games = list(plans)
    if after.label is not None:
        _check_settings("label", after.label)
        _check_recogniser(after.label, games)
        _check_others("label", after.label, games)
        _check_columns("label", after.label, games)
    for one in after.compare:
        _check_settings("compare", one)
        _check_columns("compare", one, games)
    if after.compare and after.label is None and not all("metric" in one for one in after.compare):
        raise UsageError("after: compare counts labels, so it needs label, such as label: {}")
    if draws_figures(after):
        from intent.report.figure_makers import makers

        settings = figure_settings(after)
        _check_settings("figures", settings)
        _check_columns("figures", settings, games)
        for name in settings.get("names", ()):
            if name not in makers():
                near = nearest(str(name), makers())
                hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(makers())}"
                raise UsageError(f"after: figures: unknown figure {shorten(name)!r}{hint}")
    if after.metrics is not None:
        _check_settings("metrics", after.metrics)
        _check_others("metrics", after.metrics, games)
        _check_columns("metrics", after.metrics, games)
    for paper in after.results:
        from intent.report.results import papers

        if paper not in papers():
            raise UnknownNameError("paper of after.results", paper, papers())


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
    from intent.recognise.storage import shipped_recognisers

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


def _check_columns(what: str, settings: Mapping[str, Any], games: Sequence[GamePlan]) -> None:
    """Refuse columns that no table of these games has; without games nothing is known of them."""
    from intent.base.codebook import column_names

    named = [(setting, settings[setting]) for setting in _COLUMNS_OF if settings.get(setting)]
    if isinstance(settings.get("where"), Mapping):
        named.append(("where", list(settings["where"])))
    if not named or not games:
        return
    known = log_columns(games)
    for setting, value in named:
        several = [part for part in value if isinstance(part, str)] if isinstance(value, list | tuple) else []
        for name in column_names(value if isinstance(value, str) else several, known):
            if name not in known:
                raise UnknownNameError(f"column of after.{what}.{setting}", name, sorted(known))


def draws_figures(after: After) -> bool:
    return after.figures is not None and after.figures != ()


def figure_settings(after: After) -> dict[str, Any]:
    return dict(after.figures) if isinstance(after.figures, dict) else {"names": list(after.figures or ())}


_FUNCTIONS = {
    "label": ("intent.recognise.labels.request", "", ()),
    "compare": ("intent.comparison.compare", "compare", ("table", "log", "recogniser", "reading")),
    "figures": ("intent.report.figures", "figures", ("source", "folder", "reading")),
    "metrics": ("intent.behaviour.metrics", "metrics", ("log", "reading")),
}
"""Job -> module, function and parameters that no file says. The module declares the request of the job, if it
has one; only where it has none does the function count."""


def _check_settings(job: str, settings: Mapping[str, Any]) -> None:
    """Refuse settings that the request of the job refuses or, where it has none, that its function lacks."""
    module, function, unsaid = _FUNCTIONS[job]
    declared = importlib.import_module(module)
    if job in JOBS:
        JOBS[job].of_file(f"after: {job}", settings)
        return
    known = [name for name in inspect.signature(getattr(declared, function)).parameters if name not in unsaid]
    for name in settings:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(known)}"
            raise UsageError(f"after: {job}: unknown setting {shorten(name)!r}{hint}")


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

    def attempt(what: str, act: Callable[[], None]) -> None:
        try:
            act()
        except IntentError as error:
            done["notes"].append(f"{what}: {error}")

    def label() -> None:
        from intent.recognise.labels.label import label_log

        labels = label_log(log(), **{"seed": seed, **(after.label or {})})
        labels.write(folder / LABELS, overwrite=True)
        done["labels"] = labels.summary

    def compare(number: int, settings: Mapping[str, Any]) -> None:
        from intent.comparison.compare import compare as compared

        result = compared(folder / LABELS, **{"seed": seed, **settings})
        stem = "comparison" if number == 1 else f"comparison-{number}"
        for name in (f"{stem}.json", f"{stem}.png"):
            result.write(folder / name, overwrite=True)
            done["comparisons"].append(name)

    def draw() -> None:
        from intent.report.figures import figures

        result = figures(
            log(),
            folder=folder / "figures",
            overwrite=True,
            **{"seed": seed, **figure_settings(after)},
        )
        done["figures"] = [f"figures/{one['file']}" for one in result.figures]
        done["notes"] += [f"figure {one['name']}: {one['why']}" for one in result.skipped]

    def measure() -> None:
        from intent.behaviour.metrics import metrics

        measured = metrics(log(), **{"seed": seed, **(after.metrics or {})})
        for name in METRICS:
            measured.write(folder / name, overwrite=True)
            done["comparisons"].append(name)

    def publish(paper: str) -> None:
        from intent.report.results import results

        made = results(folder / "log", paper, folder / "results" / paper, seed=seed, overwrite=True)
        for one in (*made.tables, *made.figures):
            done["figures"].append(f"results/{paper}/{one['file']}")
        done["notes"] += [f"results of {paper}: no {one['name']}: {one['why']}" for one in made.skipped]

    if after.label is not None:
        attempt("labels", label)
    labelled = after.label is None or done["labels"] is not None
    for number, settings in enumerate(after.compare if labelled else (), start=1):
        attempt("comparison", lambda n=number, s=settings: compare(n, s))  # type: ignore[misc]
    if draws_figures(after):
        attempt("figures", draw)
    if after.metrics is not None:
        attempt("metrics", measure)
    for paper in after.results:
        attempt(f"results of {paper}", lambda p=paper: publish(p))  # type: ignore[misc]
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


def run_kind(key: str) -> RunKind:
    """The kind of runs that ``run.json`` keeps under a key."""
    kind: RunKind = load(points(KINDS)[key])
    return kind


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
    record(tracker, tracked_run(run, summary, "experiment", values, numbers, files), summary)
    return PlayResult(log, run.folder, summary)


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
    )


def record(tracker: Tracker, tracked: TrackedRun, summary: dict[str, Any]) -> None:
    """Put the identifier of the tracked run into the summary, or a note on why there is none."""
    try:
        summary["run_id"] = tracker.record(tracked)
    except IntentError as error:
        summary["notes"].append(f"not tracked: {error}")
