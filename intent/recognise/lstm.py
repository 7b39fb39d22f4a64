"""Recurrent recogniser: a posterior after every round, of play of any length.

What the recurrent recogniser learns from: play without end, and examples as the network takes them.

What a recurrent network says of histories: log-probabilities of the classes, in bounded batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import RecogniserError, shorten
from intent.base.openmp import load_asleep
from intent.base.registry import require
from intent.logs.gamelog import Trajectories
from intent.play.corpora import Corpus, generate_arrays, stream
from intent.recognise.bayes import log_evidence, normalise, posterior_paths
from intent.recognise.encoding import pack_rows, symbols
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    as_trajectories,
    check_eps,
    class_codes,
    most_probable,
    read_classes,
    read_tensors,
)
from intent.recognise.scores import expected_regret
from intent.strategies.catalogue import CATALOGUE, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.logs.gamelog import Trajectories
    from intent.play.dataset import DatasetSpec
    from intent.recognise.lstm_training import Example, LstmNetwork
    from intent.recognise.recogniser import Recogniser

__all__ = [
    "FreshPlay",
    "LstmRecogniser",
    "example",
    "fit_endless",
    "fresh_play",
    "labelled_example",
    "log_proba_at_end",
    "log_proba_path",
]


@dataclass(frozen=True, eq=False)
class FreshPlay:
    """Play to learn from, drawn without end.

    Parameters
    ----------
    strategies : sequence of K Strategy, the classes
    eps : (low, high), uniform noise that the rule integrates where it may not know it
    draw : step number -> complete Trajectories of one length, and the eps (n,) that the rule may know of
        each (nan where it may not)
    regret : recogniser -> loss of accuracy against the exact rule, on play that is never drawn
    """

    strategies: Sequence[Strategy]
    eps: tuple[float, float]
    draw: Callable[[int], tuple[Trajectories, Floats]]
    regret: Callable[[Recogniser], float]


def example(
    moves: NDArray[np.int8],
    target: NDArray[np.float32],
    lengths: NDArray[np.intp] | None = None,
    eps: Floats | None = None,
) -> Example:
    """Histories with a target after every round.

    Parameters
    ----------
    moves : (n, T) int8 symbols
    target : (n, T, K) probabilities
    lengths : (n,), optional
        Rounds that count, where not all do.
    eps : (n,), optional
        Noise that the network is told of each; nan where it is not.
    """
    load_asleep("torch")
    import torch

    from intent.recognise.lstm_training import network_input

    n, horizon = moves.shape
    weight = np.ones((n, horizon), dtype=np.float32)
    if lengths is not None:
        weight = (np.arange(horizon) < lengths[:, None]).astype(np.float32)
    return network_input(moves, eps), torch.from_numpy(target), torch.from_numpy(weight)


def labelled_example(
    moves: NDArray[np.int8], lengths: NDArray[np.intp], codes: NDArray[np.intp], k: int
) -> Example:
    """Histories whose target after every round is their class.

    Parameters
    ----------
    moves, lengths : (n, T) int8 and (n,), as `packed`
    codes : (n,) in 0 .. k - 1
    k : int, number of classes
    """
    horizon = max(1, int(lengths.max(initial=1)))
    target = np.zeros((len(moves), horizon, k), dtype=np.float32)
    target[np.arange(len(moves)), :, codes] = 1.0
    return example(moves[:, :horizon], target, lengths)


_MOVES_AT_ONCE = 1 << 16


def log_proba_at_end(
    network: LstmNetwork, moves: NDArray[np.int8], lengths: NDArray[np.intp], eps: float | None
) -> Floats:
    """Log-probability of each class after the last known round, (n, K).

    Histories of like lengths run together; one of which nothing is known has equal probabilities.

    Parameters
    ----------
    network : LstmNetwork
    moves, lengths : (n, T) int8 and (n,), as `packed`
    eps : float, or None where the noise is not told
    """
    from scipy.special import log_softmax

    out = np.zeros((len(moves), network.out.out_features))
    order = np.argsort(lengths, kind="stable")
    step = max(1, _MOVES_AT_ONCE // max(1, moves.shape[1]))
    for a in range(0, len(order), step):
        rows = order[a : a + step]
        rows = rows[lengths[rows] > 0]
        if len(rows):
            scores = _scores(network, moves[rows, : lengths[rows].max()], eps)
            out[rows] = scores[np.arange(len(rows)), lengths[rows] - 1]
    log_proba: Floats = log_softmax(out, axis=1)
    return log_proba


def log_proba_path(network: LstmNetwork, raw: NDArray[np.int8], eps: float | None) -> Floats:
    """Log-probability of each class after every round, (n, T, K); an unknown round leaves it as it was.

    Parameters
    ----------
    network : LstmNetwork
    raw : (n, T) int8 symbols, -1 where the round is unknown
    eps : float, or None where the noise is not told
    """
    from scipy.special import log_softmax

    moves, _ = pack_rows(raw)
    length = (raw >= 0).cumsum(axis=1)
    k = network.out.out_features
    out = np.full((*raw.shape, k), -np.log(k))
    step = max(1, _MOVES_AT_ONCE // max(1, raw.shape[1]))
    for a in range(0, len(raw) if moves.shape[1] else 0, step):
        rows = slice(a, a + step)
        log_proba = log_softmax(_scores(network, moves[rows], eps), axis=2)
        at = np.maximum(length[rows] - 1, 0)
        picked = np.take_along_axis(log_proba, at[:, :, None], axis=1)
        out[rows] = np.where((length[rows] > 0)[:, :, None], picked, -np.log(k))
    return out


def _scores(network: LstmNetwork, moves: NDArray[np.int8], eps: float | None) -> Floats:
    """Unnormalised log-probabilities after every round, (n, T, K)."""
    load_asleep("torch")
    import torch

    from intent.recognise.lstm_training import network_input

    noise = None if eps is None else np.full(len(moves), eps)
    device = next(network.parameters()).device
    with torch.no_grad():
        scores: Floats = network(network_input(moves, noise).to(device)).cpu().numpy().astype(float)
    return scores


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
    learns_with: ClassVar[tuple[str, ...]] = ("torch", "pytorch_lightning")

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
        require(*self.learns_with)
        X = as_trajectories(X)
        self.classes_, codes = class_codes(y, len(X), type(self).__name__)
        moves, lengths = pack_rows(symbols(X))
        if not lengths.any():
            raise RecogniserError("no own move in a known situation, nothing to learn from")
        rng = np.random.default_rng(self.random_state)
        order = rng.permutation(len(X))
        held, trained = np.split(order, [int(len(X) * _HELD_OUT)])
        size = max(1, self.moves // max(1, moves.shape[1]))
        base = int(rng.integers(1 << 62))

        def draw(step: int) -> Example:
            rows = np.random.default_rng([base, step]).choice(
                trained, size=min(size, len(trained)), replace=False
            )
            return labelled_example(moves[rows], lengths[rows], codes[rows], len(self.classes_))

        def measure(network: LstmNetwork) -> float:
            rows = held if len(held) else trained
            log_proba = log_proba_at_end(network, moves[rows], lengths[rows], None)
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
        require(*self.learns_with)
        rng = np.random.default_rng(self.random_state)
        self.aware_ = bool(np.isfinite(play.draw(0)[1]).any())
        self._check_told()
        self.eps_prior = play.eps
        low, high = play.eps

        def draw(step: int) -> Example:
            X, known = play.draw(step)
            with_noise = np.isfinite(known)
            target = np.empty((*X.shape, len(self.classes_)), dtype=np.float32)
            fixed = np.full(int((~with_noise).sum()), low) if low == high else None
            for rows, eps in ((with_noise, known[with_noise]), (~with_noise, fixed)):
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
        model = copy(self)
        model.eps = eps
        model._check_told()
        return model

    def predict_proba(self, X: Any) -> Floats:
        """Posterior (n, K) after the last known round; equal probabilities where none is known."""
        self._fitted()
        moves, lengths = pack_rows(symbols(as_trajectories(X)))
        return np.exp(log_proba_at_end(self.network_, moves, lengths, self.eps))

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
        MissingExtraError
            The extra ``train`` is not installed: Torch computes the network.
        """
        require(*self.learns_with)
        load_asleep("torch")
        import torch

        from intent.recognise.lstm_training import LstmNetwork

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
        load_asleep("torch")
        from intent.recognise.lstm_training import LstmNetwork, TrainingPlan, train_network

        for name in ("hidden", "steps", "moves", "check_every", "patience"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise RecogniserError(f"{name} is {shorten(repr(value))}, expected a whole number above 0")
        plan = TrainingPlan(
            self.steps, self.check_every, self.learning_rate, self.patience, self.accelerator, checkpoint
        )
        self.network_ = LstmNetwork(self.hidden, len(self.classes_), rng)
        self.curves_ = train_network(self.network_, draw, measure, plan, update)


_MOVES = 10_000
_STRANGERS = 0.25
_QUIET = 0.35
_TOLD = 0.5
_TRIED_ROWS = 3000
_TRIED_ROUNDS = (5, 10, 20, 50)


def fit_endless(
    recogniser: Any,
    spec: DatasetSpec,
    *,
    seed: int,
    checkpoint: Path | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Recogniser:
    """Fit a recogniser that has `fit_stream` on endless play of a spec.

    Parameters
    ----------
    recogniser : unfitted recogniser with `fit_stream`
    spec : DatasetSpec; its `n` is not used
    seed : int, of the play
    checkpoint : path of the file to go on from, optional
    update : called with (steps done, steps in all)
    """
    aware = bool(getattr(recogniser, "aware", False))
    moves = getattr(recogniser, "moves", _MOVES)
    play = fresh_play(spec, seed, moves=moves, aware=aware)
    fitted: Recogniser = recogniser.fit_stream(play, checkpoint=checkpoint, update=update)
    return fitted


def fresh_play(
    spec: DatasetSpec,
    seed: int,
    *,
    moves: int = _MOVES,
    aware: bool = False,
) -> FreshPlay:
    """Play of a spec without end, step by step, and a fixed sample to measure regret on.

    The target of learning is the exact posterior, so what is played need not be distributed as what is to
    be recognised: a quarter of the steps are by strategies outside the classes, of which real logs are
    full, and a third at low noise, where posteriors are sharpest. Lengths are log-uniform over those of the
    spec. The opponent that plays the same strategy (``self``) counts as any other.

    Parameters
    ----------
    spec : DatasetSpec
    seed : int
    moves : int, moves of one step
    aware : bool
        Whether half of the play comes with its eps.
    """
    corpus = spec.corpus()
    strangers = tuple(s for s in CATALOGUE.values() if s not in corpus.strategies)
    low, high = spec.eps

    def draw(step: int) -> tuple[Trajectories, NDArray[np.float64]]:
        rng = np.random.default_rng([seed, step])
        rounds = round(float(np.exp(rng.uniform(*np.log(spec.rounds)))))
        players = strangers if rng.random() < _STRANGERS else corpus.strategies
        top = low + (high - low) / 10 if rng.random() < _QUIET else high
        n = max(len(players), moves // rounds)
        part = Corpus(players, n, (rounds, rounds), (low, top), corpus.eps_other, corpus.opponent)
        chunk = next(stream(part, rng))
        known = np.full(len(chunk.y), np.nan)
        if aware:
            with_noise = rng.random(len(known)) < _TOLD
            known[with_noise] = _noises(rng, int(with_noise.sum()), low, high)
        return chunk.X, known

    return FreshPlay(corpus.strategies, spec.eps, draw, _regret_on_a_sample(spec, seed))


def _noises(rng: np.random.Generator, n: int, low: float, high: float) -> NDArray[np.float64]:
    """Noises that the rule is told: few values, so that posteriors are computed for many rows at once."""
    values = low + (high - low) * rng.random(8) ** 2
    chosen: NDArray[np.float64] = rng.choice(values, size=n)
    return chosen


def _regret_on_a_sample(spec: DatasetSpec, seed: int) -> Callable[[Recogniser], float]:
    """Mean regret of a recogniser, over lengths and noises, to the rule that knows only their range."""
    corpus = spec.corpus()
    strategies = corpus.strategies
    prior = np.full(len(strategies), 1 / len(strategies))
    (shortest, longest), (low, high) = spec.rounds, spec.eps
    lengths = sorted({min(max(t, shortest), longest) for t in _TRIED_ROUNDS})
    noises = sorted({low, low + (high - low) / 4, high})
    tried = []
    for i, rounds in enumerate(lengths):
        for j, eps in enumerate(noises):
            part = Corpus(
                strategies, _TRIED_ROWS, (rounds, rounds), (eps, eps), corpus.eps_other, corpus.opponent
            )
            X, _ = generate_arrays(part, np.random.default_rng([seed, 1 << 40, i, j]))
            posterior = normalise(log_evidence(X, strategies, eps), prior)
            integrated = (
                most_probable(normalise(log_evidence(X, strategies, "integrate", spec.eps), prior))
                if spec.eps[0] < spec.eps[1]
                else most_probable(posterior)
            )
            tried.append((X, posterior, integrated))

    def regret(recogniser: Recogniser) -> float:
        gaps = [
            expected_regret(posterior, rule, most_probable(recogniser.predict_proba(X))).value
            for X, posterior, rule in tried
        ]
        return float(np.mean(gaps))

    return regret
