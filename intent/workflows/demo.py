"""The whole story in one go: play, generate, train, evaluate, label, compare, report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError
from intent.shipped import shipped

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.tracking.base import Tracker
    from intent.workflows.run_session import Live

Showing = Callable[[], AbstractContextManager["Callable[[Live], None]"]]

__all__ = ["LOCAL_MODEL", "STAND_IN", "available", "run_demo", "sample_log", "samples"]

LOCAL_MODEL = "local/smollm2-135m"
"""Who plays the demo: a language model that needs no key."""

STAND_IN = "scripted/WSLS@0.1"
"""Who plays in its place where it cannot be had."""

_FACTORS = ("opponent", "model", "persona", "language", "game")


def samples() -> Path:
    """The folder of small logs and experiment files that comes with the package.

    Raises
    ------
    DataError
        The installation lacks it.
    """
    folder = shipped("datasets/samples")
    if folder is None:
        raise DataError("the sample logs are missing: this installation is incomplete")
    return folder


def sample_log(name: str = "scripted_players") -> Path:
    """A small game log that comes with the package: ``scripted_players`` or ``smollm2_play``."""
    return samples() / f"{name}.jsonl.gz"


def run_demo(
    output: str | Path,
    *,
    log: str | Path | None = None,
    model: str = LOCAL_MODEL,
    seed: int = 0,
    track: bool = True,
    overwrite: bool = False,
    say: Callable[[str], None] = lambda text: None,
    showing: Showing = lambda: nullcontext(lambda live: None),
) -> dict[str, Any]:
    """Run the story and write every result into one folder.

    Parameters
    ----------
    output : folder to make
    log : path of a game log, optional
        Labelled in place of play of our own.
    model : str
        Who plays: a language model, or a strategy such as `STAND_IN`.
    seed : int
    track : bool
        Whether to record the runs in MLflow.
    overwrite : bool
        Whether the folder may exist; what the demo does not write stays.
    say : called with lines for people
    showing : opened around the games; gives what is called while they are played

    Returns
    -------
    dict with ``files`` (list of path, what), ``play`` (None where a log is given), ``train``, ``evaluate``,
    ``label``, ``compare``, ``report``
    """
    from intent.logs.output import claim
    from intent.logs.readers import read_log
    from intent.workflows.compare import compare
    from intent.workflows.dataset import load_spec
    from intent.workflows.demo_story import story
    from intent.workflows.evaluate import evaluate
    from intent.workflows.generate import generate_to
    from intent.workflows.label import label_log
    from intent.workflows.report import report
    from intent.workflows.tracker import make_tracker, show_runs
    from intent.workflows.train import train

    folder = claim(output, overwrite=overwrite, into=True)
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "mlflow.db"
    tracker = make_tracker(str(store) if track else None)
    files: list[dict[str, str]] = []
    played: dict[str, Any] | None = None
    own: dict[str, list[str]] = {}
    everything: GameLog | None = None
    who: str | None = None
    if log is not None:
        read, name = read_log(Path(log)), Path(log).name
    else:
        who = available(model, say)
        everything, played, own = _play(folder / "run", who, seed, tracker, overwrite, say, showing)
        read = everything.where(own)
        name = "that play"
        files.append({"path": str(folder / "run"), "what": "every prompt, reply and move; a log to label"})

    say("2. Generate: 10,000 trajectories of ALLC, ALLD, TFT and WSLS, 10 rounds, 5 % noise")
    spec = load_spec("paper-eps005", seed=seed + 1)
    generate_to(folder / "play", spec, overwrite=overwrite)

    say(f"3. Train: logistic regression and a random forest{', tracked in MLflow' if track else ''}")
    trained = train(
        spec,
        ["logistic", "forest"],
        output=folder / "recognisers",
        seed=seed,
        tracker=tracker,
        overwrite=overwrite,
    )
    say("4. Evaluate on the generated log, against the exact ceiling")
    measured = {"bayes-canonical4": evaluate("bayes-canonical4", folder / "play")}
    for found in trained["models"]:
        shown = f"{found['accuracy']:.4f} ± {found['standard_error']:.4f}"
        say(f"   {found['name']}: {shown} on fresh play (ceiling {found['ceiling']:.4f})")
        measured[found["name"]] = evaluate(found["path"], folder / "play")

    say(f"5. Label {name}")
    labels = label_log(read, seed=seed)
    labels.write(folder / "labels.parquet", overwrite=overwrite)
    statuses = labels.summary["statuses"]
    say("   " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items())))

    factor = next(c for c in _FACTORS if c in labels.table.columns)
    say(f"6. Compare strategy shares by {factor}")
    compared = compare(folder / "labels.parquet", [factor], seed=seed)
    compared.figure(folder / "shares.png", overwrite=overwrite)
    if log is None:
        say("   So few games prove nothing: datasets/samples has 96 of this model, smollm2_play.jsonl.gz")

    say("7. Report: one page on all of it")
    told = report(
        folder / "run" if log is None else read,
        folder / "report.html",
        where=own,
        seed=seed,
        overwrite=overwrite,
        story=[story(trained["models"], measured, who=who, log=everything, labels=labels.table)],
    )
    files = [
        {"path": str(folder / "report.html"), "what": "findings with their caveats, on one page"},
        {"path": str(folder / "shares.png"), "what": f"strategy shares by {factor}, with intervals"},
        {"path": str(folder / "labels.parquet"), "what": "every label with posterior, ties, fit and status"},
        *files,
        {"path": str(folder / "recognisers"), "what": "the trained recognisers, ready for `intent label -r`"},
        {"path": str(folder / "play"), "what": "the generated log"},
    ]
    if track:
        show = show_runs(f"sqlite:///{store.absolute()}")
        files.append({"path": str(store), "what": f"the runs: {show}"})
    return {
        "files": files,
        "play": played,
        "train": trained["models"],
        "evaluate": measured,
        "label": labels.summary,
        "compare": compared.to_dict(),
        "report": told.to_dict(),
    }


def _play(
    folder: Path,
    model: str,
    seed: int,
    tracker: Tracker,
    overwrite: bool,
    say: Callable[[str], None],
    showing: Showing,
) -> tuple[GameLog, dict[str, Any], dict[str, list[str]]]:
    """The log of a small grid of games, a summary, and what tells the model's own trajectories from "
    "others'."""
    from intent.errors import UsageError
    from intent.workflows.experiment.load import load_experiment
    from intent.workflows.play import play

    experiment = load_experiment(samples() / "demo.yaml", models=[model], seed=seed)
    n = len(experiment.plans())
    say(f"1. Play: {model} in {n} games of {experiment.rounds} rounds, against itself, TFT and ALLD")
    with showing() as on_live:
        result = play(experiment, folder, tracker=tracker, overwrite=overwrite, on_live=on_live)
    summary = result.summary
    if summary["state"] != "finished":
        raise UsageError(
            f"the demo's games stopped after {summary['n_finished']} of {n}: {summary['reason']}; "
            f"intent resume {folder} goes on"
        )
    say(
        f"   {summary['n_moves']} moves, {summary['calls']} calls, {summary['seconds']:.0f} s, "
        f"{100 * summary['cooperation_rate']:.0f} % cooperation"
    )
    log = result.log
    own = {"model": [model]} if (log.seats["model"] == model).any() else {}
    return log, summary, own


def available(model: str, say: Callable[[str], None]) -> str:
    """The model, or the strategy that stands in for the local one where that cannot be had."""
    from intent.agents.clients.llama_engine import installed
    from intent.agents.local_models import fetch
    from intent.errors import IntentError

    if model != LOCAL_MODEL:
        return model
    try:
        installed()
        fetch(model.removeprefix("local/"), say=lambda text: say(f"   {text}"))
    except IntentError as error:
        say(f"   No language model plays here: {error}")
        say(f"   A strategy takes its place: {STAND_IN}, Win-Stay Lose-Shift with 10 % noise")
        return STAND_IN
    return model
