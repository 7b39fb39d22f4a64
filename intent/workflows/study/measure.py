"""Train the models of a study and measure them at its points; each call stands alone, in any process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.study.models import ModelPlan
from intent.workflows.study.plan import cell_key
from intent.workflows.study.points import Play, Point, play_point
from intent.workflows.study.scores import expected_scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.recognise.base import Recogniser

__all__ = ["fit_model", "is_fitted", "measure"]


def is_fitted(plan: ModelPlan, folder: Path) -> bool:
    """Whether the model of a plan is ready to be measured."""
    return not plan.trained or (folder / plan.key / "recogniser.json").is_file()


def fit_model(plan: ModelPlan, folder: Path) -> None:
    """Train the model of a plan and save it, with the seconds that took, as ``folder/<key>``.

    Play depends on the data alone, so kinds that learn from the same data learn from the same rows.
    """
    from intent.recognise.registry import recogniser_class
    from intent.recognise.storage import save_recogniser

    assert plan.data is not None
    model = recogniser_class(plan.kind)(**plan.parameters)
    start = time.perf_counter()
    if plan.size == "endless":
        from intent.workflows.endless import fit_endless

        model = fit_endless(model, plan.data, seed=plan.data.seed, update=lambda *_: None)
    else:
        import numpy as np

        from intent.play.corpora import generate_arrays

        corpus = plan.data.corpus()
        X, y = generate_arrays(corpus, np.random.default_rng(plan.data.seed))
        names = np.array([s.name for s in corpus.strategies])
        start = time.perf_counter()
        model.fit(X, names[y])
    seconds = time.perf_counter() - start
    about = {"name": plan.title, "data": plan.data.model_dump(mode="json"), "seconds": round(seconds, 2)}
    save_recogniser(model, folder / plan.key, about=about, overwrite=True)


def measure(point: Point, models: Sequence[ModelPlan], folder: Path) -> dict[str, dict[str, Any]]:
    """Scores of models at a point, as `expected_scores` with the seconds of predicting; by `cell_key`.

    The point is played once, and the exact rules are asked once.
    """
    play = play_point(point)
    found = {}
    for plan in models:
        model = _ready(plan, point, folder)
        start = time.perf_counter()
        proba = _aligned(model, play)
        seconds = time.perf_counter() - start
        scores = expected_scores(proba, play.truth, play.rule, play.classes)
        found[cell_key(plan, point)] = {**scores, "seconds": seconds}
    return found


def _aligned(model: Recogniser, play: Play) -> NDArray[np.float64]:
    """Posterior (n, J) with the play's K classes first; a class that the model does not know gets zero."""
    import numpy as np

    own = [str(c) for c in model.classes_]
    columns = [*play.classes, *(c for c in own if c not in play.classes)]
    proba = np.zeros((len(play.X), len(columns)))
    proba[:, [columns.index(c) for c in own]] = model.predict_proba(play.X)
    return proba


def _ready(plan: ModelPlan, point: Point, folder: Path) -> Recogniser:
    from intent.recognise.registry import recogniser_class

    if plan.trained:
        return _loaded(str(folder / plan.key), plan.key)
    given = dict(plan.parameters)
    if given.get("eps") == "known":
        given["eps"] = point.noise
    if plan.shipped is not None:
        return copy(_loaded(plan.shipped, plan.key)).set_params(**given)
    return recogniser_class(plan.kind)(**given).fit(None)


@lru_cache(maxsize=64)
def _loaded(name: str, key: str) -> Recogniser:
    """A saved recogniser, kept while its process measures other points; the key tells versions apart."""
    from intent.recognise.storage import load_recogniser

    return load_recogniser(name)
