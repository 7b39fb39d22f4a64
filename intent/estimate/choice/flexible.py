"""Trees and a recurrent network: how well the next move can be predicted at all.

Nobody can read them; they are the ceiling that readable models are held against. Both see the past alone
(`features.Past`) and the covariates. How large they grow is chosen on subjects that are held out of the
training part.

References
----------
Friedman (2001), Annals of Statistics 29:1189 (gradient boosting). Ke et al. (2017), LightGBM (histograms).
Cho et al. (2014), EMNLP (gated recurrent units).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, UsageError
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.features import (
    Past,
    bounded_play,
    check_two_actions,
    covariate_notes,
    drawn_subjects,
)
from intent.estimate.choice.model import ChoiceModel, Coding
from intent.recognise.outside import classifier_bytes, restored_classifier
from intent.recognise.recogniser import Files

__all__ = ["Trees"]

Floats = NDArray[np.float64]
_HELD_OUT = 0.2
_FEWEST_SUBJECTS = 10
"""With fewer subjects none is held out, and the number of trees is what the first of the sizes gets."""


_PATIENCE = 10
"""Trees without a gain on what is held out, after which no more are tried."""


class Trees(ChoiceModel):
    """Gradient boosted trees on the features of the past and the covariates.

    Subjects are held out of the training part; the depth and number of trees with the least log loss on them
    are then fitted to all.

    Parameters
    ----------
    depths : sequence of int
        Depths of the trees to try.
    trees : int
        At most as many.
    learning_rate : float
    most_moves : int
        Learn from at most as many moves, of subjects drawn at random.
    random_state : int, optional

    Attributes
    ----------
    depth_, trees_ : int, as chosen
    classifier_ : HistGradientBoostingClassifier of scikit-learn
    """

    any_actions = True
    uses_covariates = True
    interpretable: ClassVar[bool] = False

    def __init__(
        self,
        *,
        depths: Sequence[int] = (3, 6, 12),
        trees: int = 500,
        learning_rate: float = 0.06,
        most_moves: int = 500_000,
        random_state: int | None = 0,
    ) -> None:
        self.depths = depths
        self.trees = trees
        self.learning_rate = learning_rate
        self.most_moves = most_moves
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        check_two_actions(X)
        depths = tuple(self.depths)
        if not depths or min(depths) < 1 or self.trees < 1:
            raise UsageError(f"depths={depths} and trees={self.trees}, expected numbers from 1")
        rng = np.random.default_rng(self.random_state)
        X = bounded_play(X, self.most_moves, rng, self.notes_)
        self.coding_ = Coding.learn(X)
        self.notes_ += covariate_notes(X, self.coding_)
        past = Past.of(X)
        inputs = np.concatenate([self._inputs(past, part)[X.counted[part]] for part in past.chunks()])
        self.used_ = np.flatnonzero(inputs.min(0) < inputs.max(0))
        inputs = inputs[:, self.used_]
        chosen = X.chosen[X.counted].astype(np.intp)
        row = np.nonzero(X.counted)[0]
        self.depth_, self.trees_ = depths[0], min(100, self.trees)
        if len(np.unique(X.subject)) >= _FEWEST_SUBJECTS:
            _, held = drawn_subjects(X, _HELD_OUT, rng)
            test = np.isin(row, held)
            if len(np.unique(chosen[~test])) == len(np.unique(chosen)):
                best = min(
                    (*self._losses(inputs, chosen, test, depth), depth) for depth in sorted(set(depths))
                )
                self.trees_, self.depth_ = best[1], best[2]
        else:
            self.notes_.append(
                f"fewer than {_FEWEST_SUBJECTS} subjects: {self.trees_} trees of depth {self.depth_}, "
                "not chosen on held-out play"
            )
        self.classifier_ = self._classifier(self.depth_, self.trees_).fit(inputs, chosen)

    def _inputs(self, past: Past, part: slice) -> NDArray[np.float32]:
        """Features and covariates, (m, T, p + q)."""
        X = past.choices[part]
        codes = self.coding_.code(X).astype(np.float32)
        across = np.broadcast_to(codes[:, None], (*X.shape, codes.shape[1]))
        return np.concatenate([past.rows(part), across], axis=2)

    def _classifier(self, depth: int, trees: int, *, early: bool = False) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=trees,
            learning_rate=self.learning_rate,
            max_depth=depth,
            max_leaf_nodes=min(2**depth, 31),
            early_stopping=early,
            n_iter_no_change=_PATIENCE,
            random_state=0 if self.random_state is None else self.random_state,
        )

    def _losses(
        self, inputs: NDArray[np.float32], chosen: NDArray[np.intp], test: NDArray[np.bool_], depth: int
    ) -> tuple[float, int]:
        """The least log loss on what is held out, and with how many trees."""
        model = self._classifier(depth, self.trees, early=True).fit(
            inputs[~test], chosen[~test], X_val=inputs[test], y_val=chosen[test]
        )
        losses = -np.asarray(model.validation_score_)
        best = int(np.argmin(losses[1:])) + 1  # the first is that of no tree
        return float(losses[best]), best

    def _predicted(self, X: Choices) -> Floats:
        past = Past.of(X)
        out = np.zeros((*X.shape, X.n_actions))
        for part in past.chunks():
            inputs = self._inputs(past, part)[..., self.used_]
            m, rounds, p = inputs.shape
            proba = self.classifier_.predict_proba(inputs.reshape(m * rounds, p))
            out[part][..., self.classifier_.classes_] = proba.reshape(m, rounds, -1)
        return out

    @property
    def n_parameters(self) -> int | None:
        """None: trees have no number that could be compared."""
        return None

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Coding of the covariates, columns that are used, and the trees as a skops file."""
        state = {
            "coding": self.coding_.to_state(),
            "used": self.used_.tolist(),
            "depth": self.depth_,
            "trees": self.trees_,
        }
        return state, {_TREES: classifier_bytes(self.classifier_, _TREES)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the trees, every table of theirs checked.

        Raises
        ------
        RecogniserError
            The file is too large, or holds what no saved classifier may hold.
        DataError
            Its trees are of other features or actions.
        """
        self.coding_ = Coding.from_state(state["coding"])
        self.used_ = np.asarray(state["used"], dtype=np.intp)
        self.depth_, self.trees_ = int(state["depth"]), int(state["trees"])
        self.classifier_ = restored_classifier(files[_TREES], _TREES)
        classes = np.asarray(self.classifier_.classes_)
        codes = np.arange(len(self.actions_))
        if self.classifier_.n_features_in_ != len(self.used_) or not np.isin(classes, codes).all():
            raise DataError(f"{_TREES} holds trees of other features or actions than its description")
        return self


_TREES = "trees.skops"
