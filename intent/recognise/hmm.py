"""One hidden Markov model per class, compared by the likelihood of the agent's own moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError, UnknownNameError, shorten
from intent.recognise.base import Files, Recogniser, as_trajectories
from intent.recognise.baum_welch import fit_hidden_markov
from intent.recognise.evidence import normalise
from intent.recognise.hidden_markov import HiddenMarkov, log_likelihood
from intent.recognise.saved import read_classes
from intent.recognise.saved_tensors import read_tensors
from intent.recognise.situations import move_symbols, situations
from intent.recognise.targets import class_codes

__all__ = ["HmmRecogniser"]

_LIKELIHOODS = ("conditional", "joint")
_MOST_STATES = 100
_TOLERANCE = 1e-3
_FILE = "tables.safetensors"


class HmmRecogniser(Recogniser):
    """A categorical hidden Markov model of the play of each class.

    The symbol of a round is the own move with the outcome of the round before. With one state and the
    conditional likelihood this is a memory-one strategy with its own noise in each situation, estimated
    from counts. Classes have equal prior weight.

    Parameters
    ----------
    n_states : int
        Hidden states per class.
    symbols : 10 or 14
        Moves after {nothing, R, S, T, P}, or R and T also apart by whether the other had defected earlier
        (which tells GRUDGER from TFT).
    likelihood : {"conditional", "joint"}
        P(own moves | situations), which does not depend on who the opponent was, or P(moves and
        situations), which does: it is the plain categorical model, for comparison.
    smoothing : float >= 0
        Added to every expected count.
    n_starts : int
        Random starts per class, where there is more than one state.
    n_iter : int
        Most iterations of EM.
    random_state : int, optional

    Attributes
    ----------
    classes_ : (C,) names
    models_ : tuple of C `HiddenMarkov`
    """

    kind: ClassVar[str] = "hmm"

    def __init__(
        self,
        *,
        n_states: int = 1,
        symbols: int = 10,
        likelihood: str = "conditional",
        smoothing: float = 1.0,
        n_starts: int = 4,
        n_iter: int = 200,
        random_state: int | None = None,
    ) -> None:
        self.n_states = n_states
        self.symbols = symbols
        self.likelihood = likelihood
        self.smoothing = smoothing
        self.n_starts = n_starts
        self.n_iter = n_iter
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Fit the model of each class to the trajectories of that class.

        Raises
        ------
        RecogniserError
            No classes, fewer than two, or not one for each trajectory; a parameter out of range.
        UnknownNameError
            No such likelihood.
        """
        group = self._group()
        X = as_trajectories(X)
        self.classes_, codes = class_codes(y, len(X), type(self).__name__)
        found = move_symbols(X, self.symbols)
        rng = np.random.default_rng(self.random_state)
        self.models_ = tuple(
            fit_hidden_markov(
                found[codes == k],
                self.n_states,
                n_symbols=self.symbols,
                group=group,
                smoothing=self.smoothing,
                n_starts=self.n_starts,
                n_iter=self.n_iter,
                tol=_TOLERANCE,
                rng=child,
            ).model
            for k, child in enumerate(rng.spawn(len(self.classes_)))
        )
        return self

    def log_likelihood(self, X: Any) -> NDArray[np.float64]:
        """Log-likelihood (n, C) of each trajectory under the model of each class."""
        self._fitted()
        found = move_symbols(as_trajectories(X), self.symbols)
        return np.stack([log_likelihood(model, found) for model in self.models_], axis=1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior (n, C) by Bayes' rule; equal shares where every class rules the play out."""
        self._fitted()
        k = len(self.classes_)
        return normalise(self.log_likelihood(X), np.full(k, 1 / k))

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Start (C, K), transition (C, K, K) and emission (C, K, S) as safetensors."""
        from safetensors.numpy import save

        self._fitted()
        tensors = {name: np.stack([getattr(m, name) for m in self.models_]) for name in self._shapes()}
        return {"classes": self.classes_.tolist()}, {_FILE: save(tensors)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from safetensors, every table checked.

        Raises
        ------
        RecogniserError
            The tables are no models of these classes, states and symbols.
        """
        group = self._group()
        classes = read_classes(state["classes"])
        tensors = read_tensors(files[_FILE], self._shapes(len(classes)), _FILE)
        for name, table in tensors.items():
            if not _are_probabilities(table, group if name == "emission" else self.n_states):
                raise RecogniserError(f"{_FILE}: {name} holds other numbers, expected probabilities")
        parts = zip(*tensors.values(), strict=True)
        self.models_ = tuple(HiddenMarkov(*tables) for tables in parts)
        self.classes_ = classes
        return self

    def _shapes(self, n_classes: int = 0) -> dict[str, tuple[int, ...]]:
        k = self.n_states
        return {
            "start": (n_classes, k),
            "transition": (n_classes, k, k),
            "emission": (n_classes, k, self.symbols),
        }

    def _group(self) -> int:
        """How many symbols share a distribution; refuses parameters that make no model."""
        situations(self.symbols)
        for name, most in (("n_states", _MOST_STATES), ("n_starts", 10_000), ("n_iter", 1_000_000)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= most:
                raise RecogniserError(f"{name} is {shorten(repr(value))}, expected 1 to {most:,}")
        if not isinstance(self.smoothing, int | float | np.floating) or not 0 <= self.smoothing < np.inf:
            raise RecogniserError(f"smoothing is {shorten(repr(self.smoothing))}, expected a number >= 0")
        if self.likelihood not in _LIKELIHOODS:
            raise UnknownNameError("likelihood", str(self.likelihood), _LIKELIHOODS)
        return 2 if self.likelihood == "conditional" else self.symbols


def _are_probabilities(table: NDArray[Any], width: int) -> bool:
    """Whether numbers along the last axis are, in groups of `width`, distributions."""
    sums = table.reshape(-1, width).sum(axis=1)
    return bool((table >= 0).all() and np.allclose(sums, 1, rtol=0, atol=1e-6))
