"""``intent demo``: play, generate, train, evaluate, label, compare, report, in one go.

The first section of its report tells the story: what was played, against whom, who was trained.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError
from intent.base.files import shipped
from intent.base.job import JSON, OVERWRITE, SEED, NonNegative, Request, Result, Table, job, option

if TYPE_CHECKING:
    import pandas as pd

    from intent.base.tracking import Tracker
    from intent.logs.gamelog import GameLog
    from intent.play.dataset import DatasetSpec
    from intent.report.page import Block, Section


__all__ = [
    "LOCAL_MODEL",
    "OPPONENTS",
    "STAND_IN",
    "available",
    "run_demo",
    "sample_log",
    "samples",
    "story",
]


Showing = Callable[[], AbstractContextManager[Callable[..., None]]]

LOCAL_MODEL = "local/smollm2-135m"
"""Who plays the demo: a language model that needs no key."""

STAND_IN = "scripted/WSLS@0.1"
"""Who plays in its place where it cannot be had."""


class DemoRequest(Request, job="demo", function="intent.demo.run_demo"):
    """Play, generate, train, evaluate, label, compare, report; ends by naming the files to open.

    The language model (93 MB) is fetched once; where it cannot be had, a strategy plays in its place.
    """

    output: "str | Path" = option(
        "demo-output", "Folder for everything.", "-o", "--output", words=Path, positional=True
    )
    log: "str | Path | None" = option(None, "A log of yours to label, in place of play.", words=Path | None)
    model: str | None = option(
        None,
        "Who plays; by default a small language model that runs here.",
        "-m",
        "--model",
        detail="A language model, or a strategy such as `STAND_IN`; default `LOCAL_MODEL`.",
    )
    track: bool = option(
        True,
        "Do not record the runs in MLflow.",
        "--no-track",
        words=bool,
        parse=lambda without: not without,
        detail="Here the other way round: whether they are recorded.",
    )
    seed: NonNegative = SEED
    overwrite: bool = replace(
        OVERWRITE, only="", detail="Here: the folder may exist; what the demo does not write stays."
    )
    json: bool = JSON
    say: Callable[[str], None] = option(
        lambda text: None, "Called with lines for people, of each step.", only="python"
    )
    showing: Showing = option(
        lambda: nullcontext(lambda *progress: None),
        "Opened around the games; gives `update(done, total, details, trouble)`.",
        only="python",
    )

    def claim_outputs(self) -> None:
        """The job claims its folder itself."""

    def write_outputs(self, result: Any) -> list[Path]:
        """The job has written them."""
        return []


@dataclass(frozen=True, eq=False)
class DemoResult(Result):
    """Every result of the demo, as the keys of its JSON object, ``files`` (path, what) among them."""

    kind = "demo"

    results: Mapping[str, Any]

    def fields(self) -> Mapping[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        return self.results

    def parts(self) -> Iterator[Table | str]:
        """The files."""
        yield ""
        yield Table(("open", "to see"), [(f["path"], f["what"]) for f in self.results["files"]])


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


@job(DemoRequest)
def run_demo(request: DemoRequest) -> DemoResult:
    """Run the story and write every result into one folder."""
    from intent.base.outputs import claim
    from intent.base.registry import require
    from intent.base.tracking import NullTracker, default_tracker, show_runs
    from intent.comparison.compare import compare
    from intent.logs.readers import read_log
    from intent.play.dataset import load_spec
    from intent.play.generate import generate_to
    from intent.recognise.labels.label import label_log
    from intent.report.report import report

    require("sklearn", "skops")
    say, seed, overwrite = request.say, request.seed, request.overwrite
    folder = claim(request.output, overwrite=overwrite, into=True)
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "mlflow.db"
    tracker = default_tracker(None, store) if request.track else NullTracker()
    files: list[dict[str, str]] = []
    played: dict[str, Any] | None = None
    own: dict[str, list[str]] = {}
    everything: GameLog | None = None
    who: str | None = None
    if request.log is not None:
        read, name = read_log(Path(request.log)), Path(request.log).name
    else:
        who = available(request.model or LOCAL_MODEL, say)
        everything, played, own = _play(folder / "run", who, tracker, request)
        read = everything.where(own)
        name = "that play"
        files.append({"path": str(folder / "run"), "what": "every prompt, reply and move; a log to label"})

    say("2. Generate: 10,000 trajectories of ALLC, ALLD, TFT and WSLS, 10 rounds, 5 % noise")
    spec = load_spec("paper-eps005", seed=seed + 1)
    generate_to(folder / "play", spec, overwrite=overwrite)

    models, measured = _learned(folder, spec, tracker, request)

    say(f"5. Label {name}")
    labels = label_log(read, seed=seed)
    labels.write(folder / "labels.parquet", overwrite=overwrite)
    statuses = labels.summary["statuses"]
    say("   " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items())))

    factor = next(c for c in _FACTORS if c in labels.table().columns)
    say(f"6. Compare strategy shares by {factor}")
    compared = compare(folder / "labels.parquet", [factor], seed=seed)
    compared.figure(folder / "shares.png", overwrite=overwrite)
    if request.log is None:
        say("   So few games prove nothing: datasets/samples has 96 of this model, smollm2_play.jsonl.gz")

    say("7. Report: two pages, and an appendix on all of it")
    page = report(
        folder / "run" if request.log is None else read,
        folder / "report.html",
        where=own,
        seed=seed,
        overwrite=overwrite,
        story=[story(models, measured, who=who, log=everything, labels=labels.table())],
    )
    files = [
        {
            "path": str(folder / "report.html"),
            "what": "findings with their caveats; numbers in report_tables",
        },
        {"path": str(folder / "shares.png"), "what": f"strategy shares by {factor}, with intervals"},
        {"path": str(folder / "labels.parquet"), "what": "every label with posterior, ties, fit and status"},
        *files,
        {"path": str(folder / "recognisers"), "what": "the trained recognisers, ready for `intent label -r`"},
        {"path": str(folder / "play"), "what": "the generated log"},
    ]
    if tracker.where is not None:
        show = show_runs(f"sqlite:///{store.absolute()}")
        files.append({"path": str(store), "what": f"the runs: {show}"})
    return DemoResult(
        {
            "files": files,
            "play": played,
            "train": models,
            "evaluate": measured,
            "label": labels.summary,
            "compare": compared.to_dict(),
            "report": page.to_dict(),
        }
    )


def _learned(
    folder: Path, spec: "DatasetSpec", tracker: "Tracker", request: DemoRequest
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Two recognisers trained on such play, and how they and the exact posterior do on the generated log."""
    from intent.recognise.evaluate import evaluate
    from intent.recognise.train import train

    say = request.say
    say(f"3. Train: logistic regression and a random forest{', tracked in MLflow' if tracker.where else ''}")
    models: list[dict[str, Any]] = train(
        spec,
        ["logistic", "forest"],
        output=folder / "recognisers",
        seed=request.seed,
        tracker=tracker,
        overwrite=request.overwrite,
    )["models"]
    say("4. Evaluate on the generated log, against the exact ceiling")
    measured: dict[str, Any] = {"bayes-canonical4": evaluate("bayes-canonical4", folder / "play")}
    for model in models:
        accuracy = f"{model['accuracy']:.4f} ± {model['standard_error']:.4f}"
        say(f"   {model['name']}: {accuracy} on fresh play (ceiling {model['ceiling']:.4f})")
        measured[model["name"]] = evaluate(model["path"], folder / "play")
    return models, measured


def _play(
    folder: Path, model: str, tracker: "Tracker", request: DemoRequest
) -> "tuple[GameLog, dict[str, Any], dict[str, list[str]]]":
    """The log of a small grid of games, a summary, and what tells the model's own trajectories."""
    from intent.base.errors import UsageError
    from intent.runner.experiment.file import load_experiment
    from intent.runner.play import play

    experiment = load_experiment(samples() / "demo.yaml", models=[model], seed=request.seed)
    n = len(experiment.plans())
    request.say(f"1. Play: {model} in {n} games of {experiment.rounds} rounds, against itself, TFT and ALLD")
    with request.showing() as update:
        result = play(
            experiment,
            folder,
            tracker=tracker,
            overwrite=request.overwrite,
            on_live=lambda live: update(*live.bar()),
        )
    summary = result.summary
    if summary["state"] != "finished":
        raise UsageError(
            f"the demo's games stopped after {summary['n_finished']} of {n}: {summary['reason']}; "
            f"intent resume {folder} goes on"
        )
    request.say(
        f"   {summary['n_moves']} moves, {summary['calls']} calls, {summary['seconds']:.0f} s, "
        f"{100 * summary['cooperation_rate']:.0f} % cooperation"
    )
    log = result.log
    own = {"model": [model]} if (log.seats["model"] == model).any() else {}
    return log, summary, own


def available(model: str, say: Callable[[str], None]) -> str:
    """The model, or the strategy that stands in for the local one where that cannot be had."""
    from intent.agents.clients.llamacpp import engine_version as installed
    from intent.agents.local_models import fetch
    from intent.base.errors import IntentError

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


OPPONENTS = {"model": "itself", "scripted/TFT": "TFT", "scripted/ALLD": "ALLD"}
"""What the grid of the demo calls its opponents -> what the demo announces."""

_RULES = {
    "itself": "the same player in both seats",
    "TFT": "repeats the other's last move",
    "ALLD": "always defects",
}


def story(
    models: Sequence[Mapping[str, Any]],
    measured: Mapping[str, Mapping[str, Any]],
    *,
    who: str | None = None,
    log: "GameLog | None" = None,
    labels: "pd.DataFrame | None" = None,
) -> "Section":
    """What was played and by whom, results by opponent, and how the trained recognisers did.

    Parameters
    ----------
    models : what `train` says of each model
    measured : name -> what `evaluate` says of it, on the generated log
    who : str, optional
        Who played.
    log : GameLog, optional
        Of that play, all seats.
    labels : DataFrame as `codebook.LABELS`, optional
        Of that play.
    """
    from intent.report.page import Section, phrase

    blocks: list[Block] = []
    if who is not None and log is not None and labels is not None:
        blocks += _played(who, log, labels)
    blocks += _trained(models, measured)
    return Section("story", phrase("demo.title"), tuple(blocks))


def _played(who: str, log: "GameLog", labels: "pd.DataFrame") -> "list[Block]":
    from intent.report.page import Words, grid, phrase

    moves = _moves(who, log)
    n_games = moves["game_id"].nunique()
    rows, rates = [], {}
    for name in OPPONENTS.values():
        own = moves[(moves["opponent"] == name).to_numpy()]
        if not len(own):
            continue
        rates[name] = float(own["own"].mean())
        names = set(zip(own["game_id"], own["seat"], strict=True))
        keys = zip(labels["game_id"].astype(str), labels["seat"], strict=True)
        mine = labels[[key in names for key in keys]]
        rows.append(
            (
                name,
                _RULES[name],
                own["game_id"].nunique(),
                len(own),
                _percent(rates[name]),
                _percent(float(own["other"].mean())),
                _named(mine),
            )
        )
    blocks: list[Block] = [
        Words(phrase("demo.played", who=who, n=n_games)),
        grid(phrase("demo.by_opponent"), phrase.lines("demo.by_opponent_header"), rows),
    ]
    if len(rates) > 1:
        most, least = max(rates, key=lambda n: rates[n]), min(rates, key=lambda n: rates[n])
        ends = {"most": most, "least": least, "high": rates[most], "low": rates[least]}
        blocks.append(Words(phrase("demo.rates", **ends)))
    return blocks


def _moves(who: str, log: "GameLog") -> "pd.DataFrame":
    """The player's known moves, with those of the other seat: game_id, seat, opponent, own, other."""
    seats = log.seats[["game_id", "seat", "model", "strategy"]].astype({"game_id": str})
    announced = log.games.set_index(log.games["game_id"].astype(str))["opponent"].map(OPPONENTS)
    seats["opponent"] = seats["game_id"].map(announced)
    name = who.removeprefix("scripted/").partition("@")[0]
    mine = (seats["model"] == who) | (seats["strategy"] == name)
    seats = seats[(mine & (~seats["strategy"].eq(seats["opponent"]).fillna(False))).to_numpy()]
    moves = log.moves[["game_id", "round", "seat", "cooperated"]].astype({"game_id": str})
    moves = moves[moves["cooperated"].notna().to_numpy()].astype({"cooperated": float})
    other = moves.rename(columns={"seat": "_seat", "cooperated": "other"})
    joint = moves.rename(columns={"cooperated": "own"}).merge(
        seats[["game_id", "seat", "opponent"]], on=["game_id", "seat"]
    )
    joint = joint.merge(other, on=["game_id", "round"])
    return joint[(joint["_seat"] != joint["seat"]).to_numpy()].drop(columns="_seat")


def _named(labels: "pd.DataFrame") -> str:
    """How often each label was given: ``2 WSLS, 1 ambiguous``."""
    words = labels["label"].astype(object).where(labels["label"].notna(), labels["status"])
    counts = words.astype(str).str.replace("_", " ").value_counts()
    return ", ".join(f"{n} {name}" for name, n in counts.items()) or "–"


def _trained(models: Sequence[Mapping[str, Any]], measured: Mapping[str, Mapping[str, Any]]) -> "list[Block]":
    from intent.report.page import Words, grid, phrase

    rows, ends = [], []
    for one in models:
        again = measured.get(str(one["name"]), {})
        rows.append(
            (
                one["name"],
                _percent(one["accuracy"], 2),
                f"± {100 * one['standard_error']:.2f}",
                _percent(one["ceiling"], 2),
                _percent(again.get("accuracy"), 2),
            )
        )
        if one["accuracy"] is not None and one["ceiling"] is not None:
            gap = 100 * (one["ceiling"] - one["accuracy"])
            near = gap <= 200 * one["standard_error"]
            ends.append(phrase("demo.reaches" if near else "demo.misses", name=one["name"], gap=gap))
    exact = measured.get("bayes-canonical4", {})
    if exact:
        rows.append((phrase("demo.shipped"), "–", "–", "–", _percent(exact.get("accuracy"), 2)))
    reached = f" Here {'; '.join(ends)}." if ends else " "
    return [
        Words(phrase("demo.trained", reached=reached)),
        grid(phrase("demo.recognisers"), phrase.lines("demo.recognisers_header"), rows),
    ]


def _percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None or share != share else f"{100 * share:.{digits}f}"
