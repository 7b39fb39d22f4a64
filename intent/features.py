"""Play as a table of features, for classifiers of scikit-learn and of anybody who keeps its grammar.

`PlayFeatures` is a transformer: trajectories in, a matrix with named columns out. The families are those that
the recognisers of this package learn from (`intent.recognise.encoding`), and the exact posterior.

References
----------
scikit-learn, "Developing scikit-learn estimators" (transformers, `set_output`, `get_feature_names_out`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.defaults import DEFAULT_STRATEGIES
from intent.base.errors import RecogniserError, UnknownNameError, shorten
from intent.base.registry import require
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.encoding import UNDEFINED, encode, feature_names
from intent.recognise.recogniser import as_trajectories
from intent.strategies.catalogue import Strategy
from intent.strategies.sets import strategy_set

require("sklearn")
from sklearn.base import BaseEstimator, TransformerMixin  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402

__all__ = ["FAMILIES", "PlayFeatures"]

POSTERIOR = "posterior"

FAMILIES = {
    "first": "the first own move, one-hot",
    "rates": "how often C was chosen: over all, after CC, CD, DC and DD (own move first); the other's rate",
    "runs": "longest run of C and of D, number of runs, their mean length",
    "counts": "how often each move was made in each situation (14)",
    "moves": "own and other's moves by round, one-hot",
    "outcomes": "own move and its situation by round, one-hot",
    POSTERIOR: "probability of each of `strategies` given the play, by the exact likelihood",
}
"""Family -> what its columns are. All but ``moves`` and ``outcomes`` are of one width for any length."""


class PlayFeatures(TransformerMixin, BaseEstimator):
    """Features of trajectories, a row each.

    The evidence is what the player decided; situations are made of what was played. Unknown moves count in
    nothing: they make no run, rate or count, and are zeros of the families by round.

    Parameters
    ----------
    families : comma-separated names, or sequence of names, of `FAMILIES`
        The columns come in this order.
    strategies : set name, comma-separated names, or sequence of names and Strategy
        Of the family ``posterior``; uniform prior.
    eps : float in [0, .5), "integrate" or "estimate"
        Noise of the family ``posterior``; estimated from the trajectories given to `fit`.
    rounds : int, optional
        Rounds of the families by round: further ones are cut off, missing ones are zero. Default: those of
        the trajectories given to `fit`.
    undefined : float
        Stands for a rate of something that never happened, such as cooperation after CC where nobody
        cooperated. NaN for classifiers that take it (`HistGradientBoostingClassifier`).

    Attributes
    ----------
    rounds_ : int
    eps_ : float or "integrate"

    Raises
    ------
    RecogniserError
        X is no play, or `rounds` no number of rounds.
    UnknownNameError
        No such family, set or strategy; the nearest are suggested.

    Examples
    --------
    >>> from intent import Trajectories
    >>> play = Trajectories.from_strings(["CCDC", "DDDD"], ["CDCC", "CDCD"])
    >>> features = PlayFeatures("first,runs").set_output(transform="pandas")
    >>> features.fit_transform(play)["longest run of C"].tolist()
    [2.0, 0.0]
    """

    def __init__(
        self,
        families: str | Sequence[str] = ("first", "rates", "runs", "counts"),
        *,
        strategies: str | Sequence[str | Strategy] = DEFAULT_STRATEGIES,
        eps: float | Literal["integrate", "estimate"] = "integrate",
        rounds: int | None = None,
        undefined: float = UNDEFINED,
    ) -> None:
        self.families = families
        self.strategies = strategies
        self.eps = eps
        self.rounds = rounds
        self.undefined = undefined

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn the number of rounds, and the noise where it is estimated.

        Parameters
        ----------
        X : Trajectories of shape (n, T), GameLog, or array (n, T, 2) of own and other moves
        y : ignored
        """
        families, X = self._names(), as_trajectories(X)
        strategy_set(self.strategies)
        if self.rounds is not None and (type(self.rounds) is not int or self.rounds < 1):
            raise RecogniserError(f"rounds is {shorten(repr(self.rounds))}, expected a whole number from 1")
        self.rounds_ = X.shape[1] if self.rounds is None else self.rounds
        if POSTERIOR in families:
            self.eps_ = BayesRecogniser(self.strategies, eps=self.eps).fit(X).eps_
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The features, (n, F) float64, columns as `get_feature_names_out`.

        Parameters
        ----------
        X : as `fit` takes it, of any length
        """
        self._check_fitted()
        play = as_trajectories(X)
        blocks = [self._block(name, play) for name in self._names()]
        return np.concatenate(blocks, axis=1).astype(np.float64, copy=False)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns; `input_features` is ignored, since play has none."""
        self._check_fitted()
        columns: list[str] = []
        for name in self._names():
            if name == POSTERIOR:
                columns += [f"posterior of {s.name}" for s in self.strategies_]
            else:
                columns += feature_names(name, self.rounds_)
        return np.array(columns, dtype=object)

    @property
    def strategies_(self) -> tuple[Strategy, ...]:
        """Those of the family ``posterior``; also of a recogniser whose classes have their names."""
        return strategy_set(self.strategies)

    def _names(self) -> list[str]:
        words = self.families.split(",") if isinstance(self.families, str) else self.families
        names = [word.strip() for word in words]
        for name in names:
            if name not in FAMILIES:
                raise UnknownNameError("family of features", str(name), FAMILIES)
        if not names or len(set(names)) < len(names):
            raise RecogniserError(f"families are {shorten(names)}, expected one or more different names")
        return names

    def _block(self, name: str, play: Any) -> NDArray[np.floating[Any]]:
        if name != POSTERIOR:
            return encode(play, name, self.rounds_, undefined=self.undefined)
        if not len(play):
            return np.empty((0, len(self.strategies_)))
        return BayesRecogniser(self.strategies, eps=self.eps_).fit().predict_proba(play)

    def _check_fitted(self) -> None:
        if not hasattr(self, "rounds_"):
            raise NotFittedError("this PlayFeatures is not fitted; call fit first")

    def __sklearn_tags__(self) -> Any:
        """Rows of play, which are no numbers in two dimensions."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = False
        tags.transformer_tags.preserves_dtype = []
        return tags
