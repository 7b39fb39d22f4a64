"""Recognisers that learn from play drawn without end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.play.corpora import Corpus, generate_arrays, stream
from intent.recognise.bayes import log_evidence, normalise
from intent.recognise.recogniser import most_probable
from intent.recognise.scores import expected_regret
from intent.strategies.catalogue import CATALOGUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.logs.gamelog import Trajectories
    from intent.play.dataset import DatasetSpec
    from intent.recognise.lstm import FreshPlay
    from intent.recognise.recogniser import Recogniser

__all__ = ["fit_endless", "fresh_play"]

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

    from intent.recognise.lstm import FreshPlay

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
