"""The whole story in one go: generate, train, evaluate, label, compare."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["run_demo", "sample_log"]


def sample_log() -> Path:
    """The small game log that comes with the package."""
    package = Path(__file__).resolve().parent.parent
    folders = (package / "_shipped" / "datasets", package.parent / "datasets")
    root = next(folder for folder in folders if folder.is_dir())
    return root / "samples" / "scripted_players.jsonl.gz"


def run_demo(
    output: str | Path,
    *,
    log: str | Path | None = None,
    seed: int = 0,
    track: bool = True,
    overwrite: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Run the story and write every result into one folder.

    Parameters
    ----------
    output : folder to make
    log : path of a game log, optional
        Default: the sample that comes with the package.
    seed : int
    track : bool
        Whether to record the training runs in MLflow.
    overwrite : bool
        Whether the folder may exist; what the demo does not write stays.
    say : called with lines for people

    Returns
    -------
    dict with ``files`` (list of path, what), ``train``, ``evaluate``, ``label``, ``compare``
    """
    from intent.logs.output import claim
    from intent.logs.readers import read_log
    from intent.workflows.compare import compare
    from intent.workflows.dataset import load_spec
    from intent.workflows.evaluate import evaluate
    from intent.workflows.generate import generate_to
    from intent.workflows.label import label_log
    from intent.workflows.tracker import make_tracker
    from intent.workflows.train import train

    folder = claim(output, overwrite=overwrite, into=True)
    folder.mkdir(parents=True, exist_ok=True)
    source = Path(log) if log is not None else sample_log()

    played = read_log(source)

    say("1. Generate: 10,000 trajectories of ALLC, ALLD, TFT and WSLS, 10 rounds, 5 % noise")
    spec = load_spec("paper-eps005", seed=seed + 1)
    generate_to(folder / "play", spec, overwrite=overwrite)

    say(f"2. Train: logistic regression and a random forest{', tracked in MLflow' if track else ''}")
    store = folder / "mlflow.db"
    trained = train(
        spec,
        ["logistic", "forest"],
        output=folder / "recognisers",
        seed=seed,
        tracker=make_tracker(str(store) if track else None),
        overwrite=overwrite,
    )
    say("3. Evaluate on the generated log, against the exact ceiling")
    measured = {"bayes-canonical4": evaluate("bayes-canonical4", folder / "play")}
    for model in trained["models"]:
        shown = f"{model['accuracy']:.4f} ± {model['standard_error']:.4f}"
        say(f"   {model['name']}: {shown} on fresh play (ceiling {model['ceiling']:.4f})")
        measured[model["name"]] = evaluate(model["path"], folder / "play")

    say(f"4. Label {source.name}")
    labels = label_log(played, seed=seed)
    labels.write(folder / "labels.parquet", overwrite=overwrite)
    statuses = labels.summary["statuses"]
    say("   " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items())))

    factor = next(c for c in ("model", "persona", "language", "game") if c in labels.table.columns)
    say(f"5. Compare strategy shares by {factor}")
    compared = compare(folder / "labels.parquet", [factor], seed=seed)
    compared.figure(folder / "shares.png", overwrite=overwrite)
    files = [
        {"path": str(folder / "shares.png"), "what": f"strategy shares by {factor}, with intervals"},
        {"path": str(folder / "labels.parquet"), "what": "every label with posterior, ties, fit and status"},
        {"path": str(folder / "recognisers"), "what": "the trained recognisers, ready for `intent label -r`"},
        {"path": str(folder / "play"), "what": "the generated log"},
    ]
    if track:
        show = f"mlflow ui --host 127.0.0.1 --backend-store-uri sqlite:///{store.absolute()}"
        files.append({"path": str(store), "what": f"the runs: {show}"})
    return {
        "files": files,
        "train": trained["models"],
        "evaluate": measured,
        "label": labels.summary,
        "compare": compared.to_dict(),
    }
