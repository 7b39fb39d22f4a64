"""Measure a recogniser on labelled play, against the ceiling; and the play it is trained and measured on.

That is generated play, or the labelled part of a log, split by setting and never by row: repeats of one
condition stay on one side. The reliability of probabilities is a table of bins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.job import Result, Table, job
from intent.logs.gamelog import GameLog, Trajectories
from intent.logs.readers import read_log
from intent.play.corpora import generate_arrays, stream
from intent.play.dataset import DatasetSpec, load_spec, shipped_specs
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.ceiling import Ceiling, ceiling_of_log, ceiling_of_spec, own_of_log
from intent.recognise.recogniser import as_recogniser, describe_recogniser, most_probable, ordered_classes
from intent.recognise.requests import EvaluateRequest
from intent.recognise.scores import ECE_BINS, paired_regret, reliability_bins, score_table
from intent.strategies.catalogue import Strategy
from intent.strategies.sets import own_strategies, strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.logs.gamelog import Trajectories
    from intent.recognise.recogniser import Recogniser

__all__ = [
    "TEST_ROWS",
    "TOP",
    "Evaluation",
    "Material",
    "MeasuredPlay",
    "evaluate",
    "evaluation",
    "gather",
    "grouped_split",
    "labelled_play",
    "measured_play",
    "open_data",
    "posteriors",
    "reliability_table",
    "scores_of",
    "setting_groups",
]

TEST_ROWS = 100_000
"""Fresh trajectories on which recognisers of generated play are measured."""


@dataclass(frozen=True, eq=False)
class Material:
    """Play to learn from, other play to be measured on, and what is known of both.

    Attributes
    ----------
    X, X_test : Trajectories
    y, y_test : their strategies; None where the play is not labelled, with nothing to be measured on
    strategies : text that names the classes, as `strategy_set` takes it; None where nobody says
    ceiling : Ceiling of the play measured on
    config : JSON-able origin
    own : strategies of somebody's own that names of classes mean
    """

    X: Trajectories
    y: Sequence[str] | None
    X_test: Trajectories
    y_test: Sequence[str] | None
    strategies: str | None
    ceiling: Ceiling
    config: dict[str, Any]
    own: tuple[Strategy, ...] = ()


def open_data(
    data: DatasetSpec | GameLog | str | Path,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> tuple[str, DatasetSpec | GameLog]:
    """The name of the data, and the dataset spec or log that it is.

    Raises
    ------
    UnknownNameError
        Neither a spec nor a file.
    """
    if isinstance(data, DatasetSpec):
        return data.name, data
    if isinstance(data, GameLog):
        return "log", data.where(where) if where else data
    if str(data) in shipped_specs() or Path(data).suffix in (".yaml", ".yml"):
        spec = load_spec(data)
        return spec.name, spec
    if not Path(data).exists():
        raise UnknownNameError("dataset spec or log file", str(data), shipped_specs())
    log = read_log(data, **reading)
    return Path(data).name.split(".")[0], log.where(where) if where else log


def gather(
    data: DatasetSpec | GameLog,
    test_share: float,
    seed: int,
    *,
    labelled: bool = True,
    own: Sequence[Strategy] = (),
) -> Material:
    """Material of generated play (measured on fresh play) or of a log (on held-out settings).

    Parameters
    ----------
    data : DatasetSpec or GameLog
    test_share : float in (0, 1), share of the settings of a log that is held out
    seed : int, of the split of a log
    labelled : bool
        Whether learning needs labels. If not, a log without any is learned from as a whole.
    own : sequence of Strategy
        What the strategies of a log mean that neither it nor the catalogue knows.

    Raises
    ------
    DataError
        A log without labelled play where it is needed, or of one setting.
    """
    if not isinstance(data, GameLog):
        return _of_spec(data)
    if not labelled and data.seats.loc[data.seats["focal"], "strategy"].isna().all():
        return _of_unlabelled(data)
    return _of_log(data, test_share, seed, (*own, *own_of_log(data)))


def labelled_play(log: GameLog) -> tuple[Trajectories, list[str]]:
    """Trajectories whose seat carries a strategy, and that strategy.

    Raises
    ------
    DataError
        No focal seat has one.
    """
    X = log.trajectories()
    if X.keys is None or "strategy" not in X.keys or X.keys["strategy"].notna().sum() == 0:
        raise DataError(
            "the log has no focal seat with a strategy in column 'strategy', expected labelled play"
        )
    rows = np.flatnonzero(X.keys["strategy"].notna().to_numpy())
    return X[rows], X.keys["strategy"].iloc[rows].astype(str).tolist()


def _of_spec(spec: DatasetSpec) -> Material:
    corpus = spec.corpus()
    names = np.array([s.name for s in corpus.strategies])
    rng, test_rng = np.random.default_rng(spec.seed).spawn(2)
    X, y = generate_arrays(corpus, rng)
    chunks = list(stream(spec.model_copy(update={"n": TEST_ROWS}).corpus(), test_rng))
    X_test = Trajectories(
        np.concatenate([c.X.own for c in chunks]), np.concatenate([c.X.other for c in chunks])
    )
    truth = names[np.concatenate([c.y for c in chunks])].tolist()
    met = np.array(corpus.opponent_names)[np.concatenate([c.opponent for c in chunks])]
    noise = np.concatenate([c.eps for c in chunks])
    ceiling = ceiling_of_spec(spec, X_test, truth, noise, met)
    return Material(
        X,
        names[y].tolist(),
        X_test,
        truth,
        spec.strategies,
        ceiling,
        spec.model_dump(mode="json"),
        own_strategies(spec.players()) if spec.tables else (),
    )


def _of_unlabelled(log: GameLog) -> Material:
    X = log.trajectories()
    ceiling = Ceiling(None, None, "the play is not labelled")
    return Material(X, None, X[:0], None, None, ceiling, {"log": log.provenance})


def _of_log(log: GameLog, test_share: float, seed: int, own: Sequence[Strategy]) -> Material:
    X, truth = labelled_play(log)
    assert X.keys is not None
    train_rows, test_rows = grouped_split(setting_groups(X.keys), test_share, np.random.default_rng(seed))
    tested = [truth[row] for row in test_rows]
    return Material(
        X[train_rows],
        [truth[row] for row in train_rows],
        X[test_rows],
        tested,
        ",".join(ordered_classes(truth).tolist()),
        ceiling_of_log(log, X[test_rows], tested, own=own),
        {"log": log.provenance, "test_share": test_share},
        tuple(s for s in own if s.name in set(truth)),
    )


_NOT_A_SETTING = {"seat", "player", "strategy", "repetition", "run", "source", "source_game_id"}


def setting_groups(keys: pd.DataFrame) -> NDArray[np.intp]:
    """Group of each trajectory: games that share all condition columns are one setting.

    Where a log has fewer than four settings, the game is the group. The seats of a game always stay together.

    Parameters
    ----------
    keys : DataFrame
        `Trajectories.keys`.

    Returns
    -------
    (n,) intp
    """
    columns = [c for c in keys.columns if c not in _NOT_A_SETTING and c != "game_id"]
    if columns:
        per_seat = keys.groupby(columns, dropna=False, sort=False, observed=True).ngroup()
        groups = (
            per_seat.groupby(keys["game_id"], sort=False, observed=True)
            .transform("min")
            .to_numpy(dtype=np.intp)
        )
        if len(np.unique(groups)) >= 4:
            return groups
    return np.asarray(pd.factorize(keys["game_id"])[0], dtype=np.intp)


def grouped_split(
    groups: Sequence[int] | NDArray[np.intp], share: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on and rows to test on, no group on both sides.

    Parameters
    ----------
    groups : (n,) int
    share : float in (0, 1)
        Share of the groups that is tested on.
    rng : numpy Generator

    Returns
    -------
    train, test : row indices, ascending

    Raises
    ------
    DataError
        Fewer than two groups.
    """
    groups = np.asarray(groups)
    names = np.unique(groups)
    if len(names) < 2:
        raise DataError(
            f"{len(names)} group of trajectories, expected at least 2 to split into train and test"
        )
    n_test = min(max(1, round(share * len(names))), len(names) - 1)
    tested = np.isin(groups, rng.choice(names, size=n_test, replace=False))
    return np.flatnonzero(~tested), np.flatnonzero(tested)


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """How good a recogniser is on labelled play.

    Attributes
    ----------
    request : EvaluateRequest
    values : mapping as `evaluate` returns it
    bins : DataFrame as `reliability_table`
    config : mapping
        Log, recogniser, rows and version, JSON-able.
    origin : Path, optional
        The log that was read.
    """

    request: EvaluateRequest
    values: Mapping[str, Any]
    bins: pd.DataFrame
    config: Mapping[str, Any]
    origin: Path | None = None

    kind = "reliability"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent evaluate --json``."""
        return {key: self.values[key] for key in codebook.JSON_OBJECTS["evaluate"]}

    def facts(self) -> dict[str, Any]:
        """Also the scores."""
        return super().facts() | {name: self.values[name] for name in ("n", "accuracy", "ece", "brier")}

    def payload(self) -> dict[str, Any]:
        """The bins of a .json file, and how they came about."""
        return {**self.facts(), "bins": self.values["reliability"]}

    def table(self) -> pd.DataFrame:
        """The bins."""
        return self.bins

    def parts(self) -> Iterator[Table | str]:
        """Scores by class, scores over all, and the regret."""
        values, request = self.values, self.request
        classes = values["per_class"].items()
        rows = [(name, s["precision"], s["recall"], s["f1"], s["n"]) for name, s in classes]
        header = ("strategy", "precision", "recall", "F1", "n")
        by = request.recogniser if request.strategies is None else "the exact Bayes rule of its strategies"
        yield Table(header, rows, f"{by} on {request.log}")
        yield (
            f"accuracy {values['accuracy']:.4f} ± {values['standard_error']:.4f}   "
            f"macro F1 {values['macro_f1']:.4f}   ECE {values['ece']:.4f}   Brier {values['brier']:.4f}"
        )
        if values["ceiling"] is None:
            yield f"no ceiling: {values['ceiling_rule']}"
            return
        kind, paired = str(values["ceiling_kind"]).replace("_", " "), values["paired"]
        yield f"ceiling {values['ceiling']:.4f} ({values['ceiling_rule']}, {kind})"
        if values["ceiling_kind"] == "exact_enumeration":
            regret = f"{values['regret']:+.4f} ± {values['standard_error']:.4f}"
            yield f"regret {regret} to that expectation"
        yield (
            f"regret {paired['value']:+.5f} ± {paired['standard_error']:.5f} to that rule on this very play, "
            f"at most {paired['bound']:.5f} with 95 % confidence"
        )

    def remarks(self) -> Iterator[str]:
        """Classes that it does not know, and whether it was trained on this log."""
        if self.values["unknown_classes"]:
            yield f"this recogniser cannot name {', '.join(self.values['unknown_classes'])}"
        if self.values["trained_on_this"]:
            yield "it was trained on part of this very log: the figures flatter it"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """The reliability diagram."""
        from intent.recognise.figures import reliability_figure

        values = self.values
        return reliability_figure(self.bins, f"Reliability of {Path(self.config['recogniser']).name}").write(
            target,
            remarks=[
                f"Accuracy {values['accuracy']:.4f}, "
                f"ECE {values['ece']:.4f} (most probable class), Brier score {values['brier']:.4f}.",
                f"Play: {self.config['log'].get('source', 'a log in memory')}",
            ],
            description=self.description(),
            overwrite=overwrite,
        )


@job(EvaluateRequest)
def evaluate(request: EvaluateRequest) -> dict[str, Any]:
    """Accuracy, F1, calibration, and regret to a named ceiling.

    Where the ceiling is enumerated, the regret is to that expectation; else to the accuracy of the rule on
    this very play, so that only trajectories on which the two differ make it uncertain.

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["evaluate"]`; for people ``n``, ``ceiling_rule``, ``paired`` (value,
    standard_error and bound of the regret on this play; None without a rule), ``reliability`` (the bins)

    Raises
    ------
    DataError
        The log is not labelled.
    OutputError
        The output cannot be written.
    """
    request.claim_outputs()
    measured: Evaluation = request.run()
    request.write_outputs(measured)
    return dict(measured.values)


@job(EvaluateRequest)
def evaluation(request: EvaluateRequest) -> Evaluation:
    """Measure a recogniser; nothing is written.

    Raises
    ------
    DataError
        The log is not labelled.
    """
    recogniser: Recogniser | str | Path | None = request.recogniser
    log = request.log
    if request.strategies is not None:
        recogniser = BayesRecogniser(strategy_set(request.strategies)).fit()
    if recogniser is None:
        raise UsageError("no recogniser, expected a name, a folder, a fitted one, or strategies")
    saved = isinstance(recogniser, str | Path)
    model = as_recogniser(recogniser)
    played = log if isinstance(log, GameLog) else read_log(log, **request.file_reading())
    if request.where:
        played = played.where(request.where)
    X, truth = labelled_play(played)
    proba, codes, classes = posteriors(model, X, truth)
    scores = _scores(proba, codes, classes, len(model.classes_))
    own: tuple[Strategy, ...] = getattr(model, "strategies_", ())
    limit = ceiling_of_log(played, X, truth, knowledge=request.ceiling, own=own_strategies(own))
    hit = most_probable(proba) == codes
    bins = reliability_table(proba, codes, classes, per_class=request.per_class)
    values = {
        "n": len(X),
        **scores,
        "ceiling": limit.value,
        "ceiling_kind": limit.kind,
        "ceiling_rule": limit.rule,
        "ceiling_error": limit.standard_error,
        "trained_on_this": _trained_on(recogniser, played),
        "regret": None if limit.value is None else limit.value - scores["accuracy"],
        "paired": None if limit.hits is None else asdict(paired_regret(limit.hits, hit)),
        "reliability": bins.to_dict("records"),
    }
    config = {
        "log": played.provenance,
        "recogniser": str(recogniser) if saved else model.kind,
        "where": request.config()["where"],
        "version": __version__,
    }
    return Evaluation(request, values, bins, config, request.input_path())


def posteriors(
    model: Recogniser, X: Trajectories, truth: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.intp], list[str]]:
    """Posteriors (n, K), the true classes (n,) as indices, and the K names.

    The classes that the recogniser does not know come last, with probability zero.
    """
    classes = [str(c) for c in model.classes_]
    classes += [name for name in dict.fromkeys(truth) if name not in classes]
    index = {name: k for k, name in enumerate(classes)}
    codes: NDArray[np.intp] = np.array([index[name] for name in truth], dtype=np.intp)
    proba = np.zeros((len(X), len(classes)))
    proba[:, : len(model.classes_)] = model.predict_proba(X)
    return proba, codes, classes


@dataclass(frozen=True, eq=False)
class MeasuredPlay:
    """Labelled play as a recogniser sees it.

    Attributes
    ----------
    proba : (n, K), truth : (n,) int, classes : K names, as `posteriors`
    scores : as `scores_of`
    """

    proba: NDArray[np.float64]
    truth: NDArray[np.intp]
    classes: tuple[str, ...]
    scores: Mapping[str, Any]

    @property
    def guess(self) -> NDArray[np.intp]:
        """(n,), the most probable class."""
        return most_probable(self.proba)


def measured_play(model: Recogniser, X: Trajectories, truth: Sequence[str]) -> MeasuredPlay:
    """Posteriors and scores of a fitted recogniser on labelled play."""
    proba, codes, classes = posteriors(model, X, truth)
    return MeasuredPlay(proba, codes, tuple(classes), _scores(proba, codes, classes, len(model.classes_)))


def scores_of(model: Recogniser, X: Trajectories, truth: Sequence[str]) -> dict[str, Any]:
    """Scores of a fitted recogniser, and the standard error of its accuracy.

    A class that the recogniser does not know is listed with recall 0 and counts in the macro F1.
    """
    return dict(measured_play(model, X, truth).scores)


def _scores(
    proba: NDArray[np.float64], codes: NDArray[np.intp], classes: Sequence[str], known: int
) -> dict[str, Any]:
    scores = score_table(proba, codes, classes)
    accuracy = scores["accuracy"]
    return {
        **scores,
        "unknown_classes": list(classes[known:]),
        "standard_error": (accuracy * (1 - accuracy) / max(len(codes), 1)) ** 0.5,
    }


def _trained_on(recogniser: Recogniser | str | Path, log: GameLog) -> bool:
    """Whether a saved recogniser was trained on this very log."""
    if not isinstance(recogniser, str | Path) or "sha256" not in log.provenance:
        return False
    data = describe_recogniser(recogniser)["about"].get("data") or {}
    trained: bool = (data.get("log") or {}).get("sha256") == log.provenance["sha256"]
    return trained


TOP = "(most probable)"
"""Name of the bins of the most probable class, which the ECE is computed from."""


def reliability_table(
    proba: NDArray[np.float64],
    truth: NDArray[np.intp],
    classes: Sequence[str],
    *,
    per_class: bool = False,
) -> pd.DataFrame:
    """Bins of the most probable class, and of every class where asked.

    Parameters
    ----------
    proba : (n, K)
    truth : (n,), index of the true class
    classes : K names
    per_class : bool

    Returns
    -------
    DataFrame with columns class, bin, low, high, n, confidence, accuracy
    """
    curves = {}
    if len(proba):
        curves[TOP] = (proba.max(axis=1), most_probable(proba) == truth)
    if per_class:
        curves |= {name: (proba[:, k], truth == k) for k, name in enumerate(classes)}
    rows = [
        {"class": name, "bin": i, **asdict(row)}
        for name, curve in curves.items()
        for i, row in enumerate(reliability_bins(*curve, ECE_BINS), 1)
    ]
    columns = ["class", "bin", "low", "high", "n", "confidence", "accuracy"]
    return pd.DataFrame(rows, columns=columns)
