"""Recurrent recogniser: a posterior after every round, of play of any length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.encode.contexts import symbols
from intent.encode.packed import packed
from intent.errors import RecogniserError, shorten
from intent.recognise.base import Files, Recogniser, as_trajectories
from intent.recognise.lstm_examples import FreshPlay, example, labelled_example
from intent.recognise.lstm_posterior import log_proba_at_end, log_proba_path
from intent.recognise.saved import check_eps, read_classes
from intent.recognise.saved_tensors import read_tensors
from intent.recognise.targets import class_codes
from intent.recognise.teacher import posterior_paths

if TYPE_CHECKING:
    from intent.recognise.lstm_network import LstmNetwork
    from intent.recognise.lstm_training import Example

__all__ = ["LstmRecogniser"]

Floats = NDArray[np.float64]

_LARGEST_HIDDEN = 1024
_FILE = "weights.safetensors"
_HELD_OUT = 0.1


class LstmRecogniser(Recogniser):
    """One LSTM layer on state-action symbols (PyTorch, trained with Lightning).

    `fit` learns from labelled trajectories, with a tenth held out for early stopping; `fit_stream` from play
    drawn without end, with the exact posterior after every round as target and early stopping on regret.
    Rounds of which nothing is known are skipped. ``random_state`` fixes the training on one machine and
    number of threads.

    Parameters
    ----------
    hidden : int
        Cells.
    steps : int
        Gradient steps, at most.
    moves : int
        Moves in the examples of one step.
    learning_rate : float
        Peak of Adam's; it warms up over 50 steps and falls to zero along a cosine.
    check_every, patience : int
        Steps between two measurements, and measurements without a new best before training stops.
    eps : float in [0, .5), or None
        Noise that the posterior assumes; None: unknown, as in the play that it learned from. Only a network
        that was trained by `fit_stream` with known noise can be told.
    endless : bool
        Whether `intent train` gives it fresh play without end where the data are a spec.
    aware : bool
        Whether half of that play comes with its noise, so that the recogniser can be told it later.
    accelerator : str
        As Lightning's: ``"auto"`` takes a GPU where there is one.
    random_state : int, optional

    Attributes
    ----------
    classes_ : (K,) names
    aware_ : bool, whether it can be told the noise
    eps_prior : (low, high), range of the noise that it learned from; U[0, .2] is assumed of labelled play
    curves_ : dict of lists, ``step``, ``loss``, ``measured`` (regret, or held-out log loss)

    References
    ----------
    Hochreiter & Schmidhuber 1997, Neural Computation 9:1735. The strategy-recognition paper of the FAIRGAME
    group, section 3.2 (LSTM on state-action sequences).
    """

    kind: ClassVar[str] = "lstm"

    eps_prior: tuple[float, float] = (0.0, 0.2)

    def __init__(
        self,
        *,
        hidden: int = 64,
        steps: int = 3000,
        moves: int = 10_000,
        learning_rate: float = 4e-3,
        check_every: int = 100,
        patience: int = 10,
        eps: float | None = None,
        endless: bool = True,
        aware: bool = True,
        accelerator: str = "auto",
        random_state: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.steps = steps
        self.moves = moves
        self.learning_rate = learning_rate
        self.check_every = check_every
        self.patience = patience
        self.eps = eps
        self.endless = endless
        self.aware = aware
        self.accelerator = accelerator
        self.random_state = random_state

    @property
    def eps_(self) -> float | Literal["integrate"]:
        """Noise that the posterior assumes, as ties and fit need it."""
        if self.eps is not None:
            return self.eps
        low, high = self.eps_prior
        return low if low == high else "integrate"

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn from labelled trajectories.

        Raises
        ------
        RecogniserError
            No classes, fewer than two, not one for each trajectory, no known move, a parameter out of range,
            or an eps, which labels do not tell.
        """
        if self.eps is not None:
            raise RecogniserError(
                f"eps is {self.eps!r}: a network that learns from labels cannot be told eps"
            )
        X = as_trajectories(X)
        self.classes_, codes = class_codes(y, len(X), type(self).__name__)
        found, lengths = packed(symbols(X))
        if not lengths.any():
            raise RecogniserError("no own move in a known situation, nothing to learn from")
        rng = np.random.default_rng(self.random_state)
        order = rng.permutation(len(X))
        held, kept = np.split(order, [int(len(X) * _HELD_OUT)])
        size = max(1, self.moves // max(1, found.shape[1]))
        base = int(rng.integers(1 << 62))

        def draw(step: int) -> Example:
            rows = np.random.default_rng([base, step]).choice(kept, size=min(size, len(kept)), replace=False)
            return labelled_example(found[rows], lengths[rows], codes[rows], len(self.classes_))

        def measure(network: LstmNetwork) -> float:
            rows = held if len(held) else kept
            log_proba = log_proba_at_end(network, found[rows], lengths[rows], None)
            return float(-log_proba[np.arange(len(rows)), codes[rows]].mean())

        self._learn(draw, measure, rng, None, lambda done, total: None)
        self.aware_, self.eps_prior = False, type(self).eps_prior
        return self

    def fit_stream(
        self,
        play: FreshPlay,
        *,
        checkpoint: Path | None = None,
        update: Callable[[int, int], None] = lambda done, total: None,
    ) -> Self:
        """Learn from play drawn without end, towards the exact posterior after every round.

        Parameters
        ----------
        play : FreshPlay
        checkpoint : Path, optional
            Written while training, and read to go on where it exists.
        update : called with (steps done, steps in all)

        Raises
        ------
        RecogniserError
            A parameter out of range, an eps where the play comes without, the checkpoint of another training.
        """
        self.classes_ = np.array([s.name for s in play.strategies])
        rng = np.random.default_rng(self.random_state)
        self.aware_ = bool(np.isfinite(play.draw(0)[1]).any())
        self._check_told()
        self.eps_prior = play.eps
        low, high = play.eps

        def draw(step: int) -> Example:
            X, known = play.draw(step)
            told = np.isfinite(known)
            target = np.empty((*X.shape, len(self.classes_)), dtype=np.float32)
            fixed = np.full(int((~told).sum()), low) if low == high else None
            for rows, eps in ((told, known[told]), (~told, fixed)):
                if rows.any():
                    target[rows] = posterior_paths(
                        X.own[rows], X.other[rows], play.strategies, eps=eps, eps_prior=play.eps
                    )
            return example(symbols(X), target, eps=known if self.aware_ else None)

        def measure(network: LstmNetwork) -> float:
            tried = copy(self)
            tried.network_ = network
            return play.regret(tried)

        self._learn(draw, measure, rng, checkpoint, update)
        return self

    def with_eps(self, eps: float | None) -> Self:
        """The same network, told the noise.

        Raises
        ------
        RecogniserError
            It was not trained with known noise, or eps is no number in [0, .5).
        """
        self._fitted()
        told = copy(self)
        told.eps = eps
        told._check_told()
        return told

    def predict_proba(self, X: Any) -> Floats:
        """Posterior (n, K) after the last known round; equal probabilities where none is known."""
        self._fitted()
        found, lengths = packed(symbols(as_trajectories(X)))
        return np.exp(log_proba_at_end(self.network_, found, lengths, self.eps))

    def predict_proba_path(self, X: Any) -> Floats:
        """Posterior after every round, (n, T, K); an unknown round leaves it as it was."""
        self._fitted()
        return np.exp(log_proba_path(self.network_, symbols(as_trajectories(X)), self.eps))

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Weights as safetensors."""
        from safetensors.numpy import save

        self._fitted()
        weights = {k: np.ascontiguousarray(v.numpy()) for k, v in self.network_.state_dict().items()}
        state = {
            "classes": self.classes_.tolist(),
            "aware": self.aware_,
            "eps_prior": list(self.eps_prior),
        }
        return state, {_FILE: save(weights)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from safetensors.

        Raises
        ------
        RecogniserError
            The numbers are not those of such a network.
        """
        import torch

        from intent.recognise.lstm_network import LstmNetwork

        self.classes_ = read_classes(state["classes"])
        if type(state["aware"]) is not bool:
            raise RecogniserError(f"aware is {shorten(state['aware'])}, expected true or false")
        self.aware_ = state["aware"]
        if type(self.hidden) is not int or not 1 <= self.hidden <= _LARGEST_HIDDEN:
            raise RecogniserError(f"hidden is {shorten(self.hidden)}, expected 1 to {_LARGEST_HIDDEN} cells")
        self._check_told()
        low, high = state["eps_prior"]
        check_eps(low)
        check_eps(high)
        if low > high:
            raise RecogniserError(f"eps_prior is {low:g} to {high:g}, expected low <= high")
        self.eps_prior = (low, high)
        self.network_ = LstmNetwork(self.hidden, len(self.classes_))
        shapes = {name: tuple(value.shape) for name, value in self.network_.state_dict().items()}
        tensors = read_tensors(files[_FILE], shapes, _FILE)
        weights = {name: torch.from_numpy(values.astype(np.float32)) for name, values in tensors.items()}
        self.network_.load_state_dict(weights)
        self.network_.eval()
        return self

    def _check_told(self) -> None:
        """Refuse an eps that is no noise, or that the network was not trained to be told."""
        if self.eps is None:
            return
        if not self.aware_:
            raise RecogniserError("this lstm was trained without known noise, so it cannot be told eps")
        check_eps(self.eps)

    def _learn(
        self,
        draw: Callable[[int], Example],
        measure: Callable[[LstmNetwork], float],
        rng: np.random.Generator,
        checkpoint: Path | None,
        update: Callable[[int, int], None],
    ) -> None:
        from intent.recognise.lstm_network import LstmNetwork
        from intent.recognise.lstm_training import TrainingPlan, train_network

        for name in ("hidden", "steps", "moves", "check_every", "patience"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise RecogniserError(f"{name} is {shorten(repr(value))}, expected a whole number above 0")
        plan = TrainingPlan(
            self.steps, self.check_every, self.learning_rate, self.patience, self.accelerator, checkpoint
        )
        self.network_ = LstmNetwork(self.hidden, len(self.classes_), rng)
        self.curves_ = train_network(self.network_, draw, measure, plan, update)
