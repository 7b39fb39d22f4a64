"""Train the models of a study and measure them at its points; each call stands alone, in any process.

Scores in expectation over the true strategy, given the play: those of counting hits, with less noise.

Where play is generated, the probability of each strategy given a history is known exactly. A recogniser that
names class g for history x is right with probability p(g | x), so the mean of p(g | x) over histories is its
accuracy without the noise of which strategy happened to produce x (Rao & Blackwell). Regret becomes
mean(max_k p(k | x) - p(g | x)): never negative against the rule that knows eps, and zero where the recogniser
names any of several tied strategies.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.play.corpora import generate_arrays
from intent.recognise.lstm import fit_endless
from intent.recognise.recogniser import load_recogniser, most_probable, recogniser_class, save_recogniser
from intent.recognise.scores import expected_calibration_error, expected_regret
from intent.recognise.study.plan import ModelPlan, Play, Point, cell_key, play_point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.recognise.recogniser import Recogniser


__all__ = ["RELIABILITY_BINS", "expected_scores", "fit_model", "is_fitted", "measure", "reliability"]


if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

RELIABILITY_BINS = 50
"""Bins of equal width over [0, 1] in which confidence is kept, so that cells can be pooled."""


def expected_scores(proba: Floats, truth: Floats, rule: Codes, classes: Sequence[str]) -> dict[str, Any]:
    """All scores of one recogniser on generated play.

    Parameters
    ----------
    proba : (n, J) its posterior; the first K columns are those of `truth`
    truth : (n, K) exact posterior, under the noise of the play
    rule : (n,) the class that the rule which integrates eps names
    classes : K names

    Returns
    -------
    dict with accuracy, ceiling_known, ceiling_integrate, regret_known, regret_integrate and the standard
    error of each regret and of the accuracy, macro_f1, f1 (name -> score), ece (top class, 15 bins of equal
    mass), brier, bins (as `reliability`)
    """
    n, k = truth.shape
    guess, best = most_probable(proba), most_probable(truth)
    padded = np.zeros(proba.shape)
    padded[:, :k] = truth
    rows = np.arange(n)
    hit = padded[rows, guess]
    known, integrated = expected_regret(padded, best, guess), expected_regret(padded, rule, guess)
    confusion = np.zeros((k, proba.shape[1]))
    np.add.at(confusion.T, guess, truth)
    named, true, both = confusion.sum(axis=0)[:k], confusion.sum(axis=1), confusion.diagonal()
    f1 = 2 * both / np.maximum(named + true, 1e-300)
    confidence = proba[rows, guess]
    right: Any = hit  # probabilities of a hit serve as well as hits
    return {
        "n": n,
        "accuracy": float(hit.mean()),
        "accuracy_se": float(hit.std() / n**0.5),
        "ceiling_known": float(truth[rows, best].mean()),
        "ceiling_integrate": float(truth[rows, rule].mean()),
        "regret_known": known.value,
        "regret_known_se": known.standard_error,
        "regret_integrate": integrated.value,
        "regret_integrate_se": integrated.standard_error,
        "macro_f1": float(f1.mean()),
        "f1": dict(zip(classes, f1.tolist(), strict=True)),
        "ece": expected_calibration_error(confidence, right),
        "brier": float(((proba**2).sum(axis=1) - 2 * (proba * padded).sum(axis=1) + 1).mean()),
        "bins": reliability(confidence, hit),
    }


def reliability(confidence: Floats, hit: Floats) -> list[list[float]]:
    """Per bin of confidence with any mass: its number, how many, sum of confidence, sum of hits.

    Parameters
    ----------
    confidence : (n,) in [0, 1]
    hit : (n,) probability of being right
    """
    at = np.minimum((confidence * RELIABILITY_BINS).astype(int), RELIABILITY_BINS - 1)
    mass, sums, hits = (
        np.bincount(at, weights, RELIABILITY_BINS) for weights in (np.ones(len(at)), confidence, hit)
    )
    return [[int(b), int(mass[b]), float(sums[b]), float(hits[b])] for b in np.flatnonzero(mass)]


def is_fitted(plan: ModelPlan, folder: Path) -> bool:
    """Whether the model of a plan is ready to be measured."""
    return not plan.trained or (folder / plan.key / "recogniser.json").is_file()


def fit_model(folder: Path, plan: ModelPlan) -> str:
    """Train the model of a plan and save it, with the seconds that took, as ``folder/<key>``; the key.

    Play depends on the data alone, so kinds that learn from the same data learn from the same rows.
    """
    assert plan.data is not None
    model = recogniser_class(plan.kind)(**plan.parameters)
    start = time.perf_counter()
    if plan.size == "endless":
        model = fit_endless(model, plan.data, seed=plan.data.seed, update=lambda *_: None)
    else:
        corpus = plan.data.corpus()
        X, y = generate_arrays(corpus, np.random.default_rng(plan.data.seed))
        names = np.array([s.name for s in corpus.strategies])
        start = time.perf_counter()
        model.fit(X, names[y])
    seconds = time.perf_counter() - start
    about = {"name": plan.title, "data": plan.data.model_dump(mode="json"), "seconds": round(seconds, 2)}
    save_recogniser(model, folder / plan.key, about=about, overwrite=True)
    return plan.key


def measure(folder: Path, at: tuple[Point, Sequence[ModelPlan]]) -> dict[str, dict[str, Any]]:
    """Scores of models at a point, as `expected_scores` with the seconds of predicting; by `cell_key`.

    The point is played once, and the exact rules are asked once.
    """
    point, models = at
    play = play_point(point)
    cells = {}
    for plan in models:
        model = _ready(plan, point, folder)
        start = time.perf_counter()
        proba = _aligned(model, play)
        seconds = time.perf_counter() - start
        scores = expected_scores(proba, play.truth, play.rule, play.classes)
        cells[cell_key(plan, point)] = {**scores, "seconds": seconds}
    return cells


def _aligned(model: Recogniser, play: Play) -> NDArray[np.float64]:
    """Posterior (n, J) with the play's K classes first; a class that the model does not know gets zero."""
    own = [str(c) for c in model.classes_]
    columns = [*play.classes, *(c for c in own if c not in play.classes)]
    proba = np.zeros((len(play.X), len(columns)))
    proba[:, [columns.index(c) for c in own]] = model.predict_proba(play.X)
    return proba


def _ready(plan: ModelPlan, point: Point, folder: Path) -> Recogniser:
    if plan.trained:
        return _loaded(str(folder / plan.key), plan.key)
    parameters = dict(plan.parameters)
    if parameters.get("eps") == "known":
        parameters["eps"] = point.noise
    if plan.shipped is not None:
        return copy(_loaded(plan.shipped, plan.key)).set_params(**parameters)
    return recogniser_class(plan.kind)(**parameters).fit(None)


@lru_cache(maxsize=64)
def _loaded(name: str, key: str) -> Recogniser:
    """A saved recogniser, kept while its process measures other points; the key tells versions apart."""
    return load_recogniser(name)
