"""What an experiment wants done with its log once all games are over: labels, figures, metrics, results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError
from intent.workflows.check_after import drawn, figure_settings

if TYPE_CHECKING:
    from intent.workflows.experiment.model import After

__all__ = ["LABELS", "run_after"]

LABELS = "labels.parquet"
METRICS = ("metrics.parquet", "metrics.json")


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
            **{"seed": seed, **figure_settings(after)},
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
    if drawn(after):
        attempt("figures", draw)
    if after.metrics is not None:
        attempt("metrics", measure)
    for paper in after.results:
        attempt(f"results of {paper}", lambda p=paper: publish(p))  # type: ignore[misc]
    return found
