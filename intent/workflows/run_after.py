"""What an experiment wants done with its log once all games are over: labels, figures, metrics, results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError, UnknownNameError, UsageError, nearest, shorten

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.workflows.experiment.model import After

__all__ = ["LABELS", "check_after", "run_after"]

LABELS = "labels.parquet"
METRICS = ("metrics.parquet", "metrics.json")


def check_after(after: After, plans: Iterable[GamePlan] = ()) -> None:
    """Refuse settings that nothing has, before hours of play rather than behind them.

    Parameters
    ----------
    after : After
    plans : of the games to be played; without them only the names of settings and figures are checked

    Raises
    ------
    UsageError
        An unknown setting or figure, with the nearest known ones; labels of more than two players without
        ``others``.
    UnknownNameError
        A recogniser that is neither shipped nor a folder.
    """
    from intent.workflows.compare import compare
    from intent.workflows.label import label_log

    if after.label is not None:
        _check_settings("label", after.label, label_log, without=("log", "reading"))
        _check_label(after.label, plans)
    for one in after.compare:
        _check_settings("compare", one, compare, without=("table",))
    if after.compare and after.label is None and not all("metric" in one for one in after.compare):
        raise UsageError("after: compare counts labels, so it needs label, such as label: {}")
    if _drawn(after):
        from intent.workflows.figure_makers import MAKERS
        from intent.workflows.figures import figures

        settings = _figure_settings(after)
        _check_settings("figures", settings, figures, without=("source", "folder", "reading"))
        for name in settings.get("names", ()):
            if name not in MAKERS:
                near = nearest(str(name), MAKERS)
                hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(MAKERS)}"
                raise UsageError(f"after: figures: unknown figure {shorten(name)!r}{hint}")
    if after.metrics is not None:
        from intent.workflows.metrics import metrics

        _check_settings("metrics", after.metrics, metrics, without=("log", "reading"))
    for paper in after.results:
        from intent.workflows.results import RESULTS

        if paper not in RESULTS:
            raise UnknownNameError("paper of after.results", paper, RESULTS)


def run_after(after: After, folder: Path, *, seed: int) -> dict[str, Any]:
    """Do it, with the files in the run folder; one part that cannot be done does not keep others from it.

    Parameters
    ----------
    after : After
    folder : Path
        That of the run, with ``log/``.
    seed : int

    Returns
    -------
    dict with ``labels`` (summary or None), the files ``comparisons`` (with metrics) and ``figures`` (with
    results), and ``notes``
    """
    found: dict[str, Any] = {"labels": None, "comparisons": [], "figures": [], "notes": []}

    def attempt(what: str, act: Callable[[], None]) -> None:
        try:
            act()
        except IntentError as error:
            found["notes"].append(f"{what}: {error}")

    def label() -> None:
        from intent.workflows.label import label_log

        labels = label_log(folder / "log", **{"seed": seed, **(after.label or {})})
        labels.write(folder / LABELS, overwrite=True)
        found["labels"] = labels.summary

    def compare(number: int, settings: Mapping[str, Any]) -> None:
        from intent.workflows.compare import compare as compared

        result = compared(folder / LABELS, **{"seed": seed, **settings})
        stem = "comparison" if number == 1 else f"comparison-{number}"
        for name in (f"{stem}.json", f"{stem}.png"):
            result.write(folder / name, overwrite=True)
            found["comparisons"].append(name)

    def draw() -> None:
        from intent.workflows.figures import figures

        result = figures(
            folder / "log",
            folder=folder / "figures",
            overwrite=True,
            **{"seed": seed, **_figure_settings(after)},
        )
        found["figures"] = [f"figures/{one['file']}" for one in result.figures]
        found["notes"] += [f"figure {one['name']}: {one['why']}" for one in result.skipped]

    def measure() -> None:
        from intent.workflows.metrics import metrics

        measured = metrics(folder / "log", **{"seed": seed, **(after.metrics or {})})
        for name in METRICS:
            measured.write(folder / name, overwrite=True)
            found["comparisons"].append(name)

    def publish(paper: str) -> None:
        from intent.workflows.results import results

        made = results(folder / "log", paper, folder / "results" / paper, seed=seed, overwrite=True)
        for one in (*made["tables"], *made["figures"]):
            found["figures"].append(f"results/{paper}/{one['file']}")
        found["notes"] += [f"results of {paper}: no {one['name']}: {one['why']}" for one in made["skipped"]]

    if after.label is not None:
        attempt("labels", label)
    labelled = after.label is None or found["labels"] is not None
    for number, settings in enumerate(after.compare if labelled else (), start=1):
        attempt("comparison", lambda n=number, s=settings: compare(n, s))  # type: ignore[misc]
    if _drawn(after):
        attempt("figures", draw)
    if after.metrics is not None:
        attempt("metrics", measure)
    for paper in after.results:
        attempt(f"results of {paper}", lambda p=paper: publish(p))  # type: ignore[misc]
    return found


def _check_label(settings: Mapping[str, Any], plans: Iterable[GamePlan]) -> None:
    from intent.recognise.storage import shipped_recognisers

    games = list(plans)
    name = settings.get("recogniser")
    if games and isinstance(name, str) and name not in shipped_recognisers() and not Path(name).is_dir():
        raise UnknownNameError("recogniser of after.label", name, shipped_recognisers())
    if "others" not in settings and any(len(plan.seats) > 2 for plan in games):
        raise UsageError(
            "after: label: games of more than two players need others (any, majority or all), such as "
            "label: {others: majority}"
        )


def _drawn(after: After) -> bool:
    return after.figures is not None and after.figures != ()


def _figure_settings(after: After) -> dict[str, Any]:
    return dict(after.figures) if isinstance(after.figures, dict) else {"names": list(after.figures or ())}


def _check_settings(
    what: str, settings: Mapping[str, Any], function: Callable[..., Any], *, without: tuple[str, ...]
) -> None:
    known = [name for name in inspect.signature(function).parameters if name not in without]
    for name in settings:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(known)}"
            raise UsageError(f"after: {what}: unknown setting {shorten(name)!r}{hint}")
