"""The ceiling of some labelled play: exact where it can be enumerated, else the rule on that very play.

The best accuracy that any recogniser can have: that of the exact Bayes rule.

With equally frequent strategies and an opponent that does not depend on the label, the Bayes rule is right
with probability (1/K) sum_histories P(other | own) max_k P(own | other, k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import RecogniserError, UnknownNameError
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import eps_nodes, log_evidence, normalise, trajectory_likelihood
from intent.recognise.recogniser import ordered_classes
from intent.strategies.catalogue import Strategy, named_set, strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import read_tables, strategies_in

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.play.dataset import DatasetSpec


__all__ = [
    "EXACT_ROUNDS",
    "Ceiling",
    "Knowledge",
    "all_histories",
    "ceiling_of_log",
    "ceiling_of_spec",
    "exact_ceiling",
    "most_likely",
    "own_of_log",
    "sampled_ceiling",
]


Knowledge = Literal["auto", "known", "integrated"]
"""What the rule knows of the noise: the play's own (one eps, or its mixture over the play), the eps of each
trajectory, or only that it is somewhere between 0 and .2."""

INTEGRATED = (0.0, 0.2)
"""Range of the uniform prior over which the integrating rule averages."""

_MOST_NODES = 64
"""Most distinct (eps, opponent's eps) that a mixture over the noise is made of."""

_MOST_GROUPS = 256
"""Most groups of trajectories of nearly one eps, where the rule knows the eps of each."""


@dataclass(frozen=True, eq=False)
class Ceiling:
    """Accuracy of an exact Bayes rule.

    Attributes
    ----------
    value : float, or None where it cannot be known
    kind : "exact_enumeration", "monte_carlo" (the rule's accuracy on this very play), or None
    rule : the rule in words, or the reason why there is none
    standard_error : float, 0 for enumeration
    hits : (n,) bool, whether the rule is right on each trajectory of this play; None where there is no rule
    """

    value: float | None
    kind: str | None
    rule: str
    standard_error: float = 0.0
    hits: NDArray[np.bool_] | None = field(default=None, repr=False)


def ceiling_of_log(
    log: GameLog,
    X: Trajectories,
    truth: Sequence[str],
    *,
    knowledge: Knowledge = "auto",
    own: Sequence[Strategy] = (),
) -> Ceiling:
    """The ceiling of labelled play, from what its log says of the noise and the opponent.

    The rule knows how frequent each strategy is in this play, and of its noise what `knowledge` says.
    Where the opponent plays the same strategy (``self``), its moves are evidence too.

    Parameters
    ----------
    log : GameLog
    X : Trajectories with keys, the labelled ones of the log
    truth : their strategies
    knowledge : "auto", "known" or "integrated"
        The play's own noise, one eps or the mixture of those in column ``eps`` (as `intent generate`
        writes it); the eps of each trajectory; or U[0, .2] integrated out, the fair ceiling of a
        recogniser that is not told eps.
    own : sequence of Strategy
        What names mean that neither the log nor the catalogue knows.

    Raises
    ------
    UnknownNameError
        No such knowledge.
    """
    if knowledge not in get_args(Knowledge):
        raise UnknownNameError("ceiling", str(knowledge), get_args(Knowledge))
    keys = X.keys
    assert keys is not None
    unknown = "eps" not in keys or bool(keys["eps"].isna().any())
    if unknown and knowledge != "integrated":
        return Ceiling(None, None, "the noise of this play is not known (no column eps)")
    try:
        own = (*own_of_log(log), *own)
        strategies = _strategies(log, truth, own)
    except UnknownNameError as error:
        return Ceiling(None, None, f"{error}: its probabilities are not known")
    noise = None
    if not unknown:
        eps = keys[["eps"]].astype(float)
        other = keys["opponent_eps"].astype(float) if "opponent_eps" in keys else eps["eps"] * 0.0
        noise = eps.assign(other=other.fillna(0.0))
    opponents = keys["opponent"].astype("string").fillna("") if "opponent" in keys else None
    return _ceiling(strategies, X, truth, noise, opponents, knowledge, own)


def ceiling_of_spec(
    spec: DatasetSpec, X: Trajectories, truth: Sequence[str], noise: Any, met: Any
) -> Ceiling:
    """The ceiling of generated play, whose noise the rule knows as far as the spec tells it.

    Parameters
    ----------
    spec : DatasetSpec
    X : Trajectories, a sample of its play
    truth : their strategies
    noise : (n, 2) eps of own and other
    met : (n,) names of the opponents
    """
    table = pd.DataFrame(noise, columns=["eps", "other"])
    players, opponents = spec.corpus().strategies, pd.Series(met, dtype="string")
    return _ceiling(players, X, truth, table, opponents, "auto", spec.own)


def _ceiling(
    strategies: Sequence[Strategy],
    X: Trajectories,
    truth: Sequence[str],
    noise: pd.DataFrame | None,
    opponents: pd.Series[str] | None,
    knowledge: Knowledge,
    own: Sequence[Strategy] = (),
) -> Ceiling:
    place = {s.name: k for k, s in enumerate(strategies)}
    place |= {name: place[strategy(name, own).name] for name in set(truth) if name not in place}
    codes = np.array([place[name] for name in truth], dtype=np.intp)
    counts = np.bincount(codes, minlength=len(strategies))
    balanced = bool(np.ptp(counts) <= 1)
    same = np.zeros(len(X), dtype=bool)
    if opponents is not None:
        same = (opponents == "self").to_numpy(dtype=bool)
    evidence = _evidence(strategies, X, noise, same, knowledge)
    if not balanced:
        with np.errstate(divide="ignore"):
            evidence = evidence + np.log(counts / counts.sum())
    hits = most_likely(evidence) == codes
    rule = _words(noise, knowledge)
    rival = _one_opponent(opponents, own)
    one_noise = noise is not None and len(noise.round(12).drop_duplicates()) == 1
    complete = bool(X.evidence.all() and (X.other >= 0).all())
    if one_noise and complete and X.shape[1] <= EXACT_ROUNDS and rival is not None and balanced:
        assert noise is not None
        eps, other = (float(v) for v in noise.iloc[0])
        value = exact_ceiling(
            strategies,
            X.shape[1],
            eps,
            opponent=rival,
            opponent_eps=other,
            rule_eps="integrate" if knowledge == "integrated" else None,
            rule_prior=INTEGRATED,
        )
        return Ceiling(value, "exact_enumeration", rule, hits=hits)
    if not balanced:
        rule += ", and how frequent the strategies are"
    value = float(hits.mean()) if len(hits) else float("nan")
    error = (value * (1 - value) / max(len(hits), 1)) ** 0.5
    return Ceiling(value, "monte_carlo", rule, error, hits)


def _words(noise: pd.DataFrame | None, knowledge: Knowledge) -> str:
    """What the rule knows of the noise."""
    if knowledge == "integrated" or noise is None:
        return f"Bayes rule that integrates eps over U[{INTEGRATED[0]:g}, {INTEGRATED[1]:g}]"
    low, high = noise["eps"].min(), noise["eps"].max()
    if low == high:
        return f"Bayes rule that knows eps = {low:g}"
    span = f"{round(low, 4):g} to {round(high, 4):g}"
    if knowledge == "known":
        return f"Bayes rule that knows the eps of each trajectory, {span}"
    return f"Bayes rule that integrates eps over the play's own, {span}"


def _evidence(
    strategies: Sequence[Strategy],
    X: Trajectories,
    noise: pd.DataFrame | None,
    same: NDArray[np.bool_],
    knowledge: Knowledge,
) -> NDArray[np.float64]:
    """Log-probability (n, K) of own moves (and of the other's in self-play), as the rule sees it."""
    if knowledge == "known" and noise is not None and noise["eps"].nunique() > 1:
        out = np.empty((len(X), len(strategies)))
        for rows, values in _groups(noise):
            out[rows] = _mixture(strategies, X[rows], same[rows], values[None], np.ones(1))
        return out
    if knowledge == "integrated" or noise is None:
        return _mixture(strategies, X, same, *_integrating(noise, X.shape[1]))
    return _mixture(strategies, X, same, *_own_mixture(noise))


def _groups(noise: pd.DataFrame) -> list[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Rows of one eps (of nearly one, where there are many), and that eps of own and other."""
    table = noise.to_numpy(dtype=float)
    distinct, codes = np.unique(table.round(12), axis=0, return_inverse=True)
    if len(distinct) > _MOST_GROUPS:
        order = np.lexsort((table[:, 1], table[:, 0]))
        parts = np.array_split(order, _MOST_GROUPS)
        return [(rows, table[rows].mean(axis=0)) for rows in parts]
    codes = codes.reshape(-1)
    return [(np.flatnonzero(codes == i), values) for i, values in enumerate(distinct)]


def _integrating(noise: pd.DataFrame | None, rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes (M, 2) and weights that integrate eps; the opponent's is known unless it is the same."""
    nodes, weights = eps_nodes(INTEGRATED, 2 * rounds)
    shared = noise is None or bool((noise["eps"] == noise["other"]).all())
    other = nodes if shared or noise is None else np.full_like(nodes, noise["other"].mean())
    return np.stack([nodes, other], axis=1), weights


def _own_mixture(noise: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values (M, 2) and weights of the noise of the play itself."""
    nodes = noise.round(12).value_counts(normalize=True).reset_index()
    if len(nodes) <= _MOST_NODES:
        return nodes[["eps", "other"]].to_numpy(), nodes["proportion"].to_numpy()
    order = noise.sort_values(["eps", "other"]).to_numpy()
    picks = ((np.arange(_MOST_NODES) + 0.5) * len(order) / _MOST_NODES).astype(int)
    return order[picks], np.full(_MOST_NODES, 1 / _MOST_NODES)


def _mixture(
    strategies: Sequence[Strategy],
    X: Trajectories,
    same: NDArray[np.bool_],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Log-probability (n, K) averaged over values (M, 2) of the noise of own and other."""
    from scipy.special import logsumexp

    out = np.empty((len(X), len(strategies)))
    step = max(1, (1 << 21) // (len(values) * len(strategies)))
    for first in range(0, len(X), step):
        rows = slice(first, first + step)
        part, twins = X[rows], same[rows]
        ll = trajectory_likelihood(part, strategies, values[:, 0])
        if twins.any():
            mirrored = log_likelihood(part.other[twins], part.own[twins], None, strategies, values[:, 1])
            ll[twins] += mirrored
        if len(weights) == 1:
            out[rows] = ll[:, :, 0]
            continue
        with np.errstate(divide="ignore"):
            out[rows] = logsumexp(ll, axis=2, b=weights)
    return out


def own_of_log(log: GameLog) -> tuple[Strategy, ...]:
    """The strategies of somebody's own that a log says were played in it.

    Raises
    ------
    StrategyError
        Its tables are none.
    """
    tables = _spec(log).get("tables")
    return read_tables(tables) if tables else strategies_in(log.provenance)


def _spec(log: GameLog) -> dict[str, Any]:
    """The dataset spec that a log was made from, as it was written."""
    spec = log.provenance.get("spec") or log.provenance.get("origin", {}).get("spec") or {}
    return spec if isinstance(spec, dict) else {}


def _strategies(log: GameLog, truth: Sequence[str], own: Sequence[Strategy]) -> tuple[Strategy, ...]:
    """The strategies that occur, in catalogue order, with the memory of the set that the log is made from."""
    names = {strategy(name, own).name for name in set(truth)}
    strategies = tuple(strategy(name, own) for name in ordered_classes(sorted(names)).tolist())
    spec = _spec(log)
    if isinstance(spec.get("strategies"), str):
        generated = {s.name: s for s in named_set(spec["strategies"], own)}
        strategies = tuple(generated.get(s.name, s) for s in strategies)
    return strategies


def _one_opponent(opponents: pd.Series[str] | None, own: Sequence[Strategy] = ()) -> Strategy | None:
    """The one automaton that all met, None where it varies or is none."""
    if opponents is None or opponents.nunique() != 1:
        return None
    try:
        return strategy(str(opponents.iloc[0]), own)
    except UnknownNameError:
        return None


EXACT_ROUNDS = 10
"""Longest play that is enumerated (4**10 histories)."""

_CHUNK = 1 << 16
_TIE = 1e-9


def all_histories(rounds: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Every pair of move sequences: own, other (4**T, T) int8, column-major."""
    code = np.arange(4**rounds, dtype=np.int64)
    bits = np.empty((2 * rounds, len(code)), dtype=np.int8)
    for i in range(2 * rounds):
        bits[i] = (code >> i) & 1
    return bits[:rounds].T, bits[rounds:].T


def exact_ceiling(
    strategies: Sequence[Strategy],
    rounds: int,
    eps: float,
    *,
    opponent: Strategy,
    opponent_eps: float = 0.0,
    rule_eps: float | Literal["integrate"] | None = None,
    rule_prior: tuple[float, ...] = (0.0, 0.2),
) -> float:
    """Accuracy of a Bayes rule by enumeration of all histories.

    Parameters
    ----------
    strategies : sequence of K Strategy, equally frequent
    rounds : int, at most `EXACT_ROUNDS`
    eps : float
        Noise with which they play.
    opponent : Strategy
        Met by all; RANDOM for the fair coin.
    opponent_eps : float
        Its noise.
    rule_eps : float or "integrate", optional
        Noise that the rule assumes, or that it integrates; default: the true one. Ties go to the first.
    rule_prior : (low, high) or (a, b, scale)
        Over which the rule integrates, as `eps_nodes`.

    Raises
    ------
    RecogniserError
        More rounds than can be enumerated.
    """
    if not 1 <= rounds <= EXACT_ROUNDS:
        raise RecogniserError(f"{rounds} rounds, expected 1 to {EXACT_ROUNDS} for enumeration")
    every_own, every_other = all_histories(rounds)
    total = 0.0
    for first in range(0, len(every_own), _CHUNK):
        own, other = every_own[first : first + _CHUNK], every_other[first : first + _CHUNK]
        ll = log_likelihood(own, other, None, strategies, eps)
        met = np.exp(log_likelihood(other, own, None, [opponent], opponent_eps)[:, 0])
        if rule_eps is None or rule_eps == eps:
            best = ll.max(axis=1)
        else:
            rule = log_evidence(Trajectories.trusted(own, other), strategies, rule_eps, rule_prior)
            best = np.take_along_axis(ll, most_likely(rule)[:, None], axis=1)[:, 0]
        total += float(met @ np.exp(best))
    return total / len(strategies)


def most_likely(log_weights: NDArray[np.float64]) -> NDArray[np.intp]:
    """Index of the most likely class of each row; of those within 1e-9 the first, as recognisers do."""
    top = log_weights.max(axis=1, keepdims=True)
    best: NDArray[np.intp] = (log_weights >= top - _TIE).argmax(axis=1)
    return best


def sampled_ceiling(evidence: NDArray[np.float64], prior: NDArray[np.float64]) -> tuple[float, float]:
    """Accuracy of the Bayes rule on sampled play, and its standard error.

    Parameters
    ----------
    evidence : (n, K) log-probability of each sampled history under each strategy
    prior : (K,) frequencies of the strategies in the sample

    Notes
    -----
    The posterior probability of the best strategy is averaged, not the hits: the same expectation with
    less variance. A history that no strategy allows gets the highest prior.
    """
    best = normalise(evidence, prior).max(axis=1)
    return float(best.mean()), float(best.std() / np.sqrt(len(best)))
