"""The ceiling of some labelled play: exact where it can be enumerated, sampled beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.strategies.automaton import Strategy
    from intent.workflows.dataset import DatasetSpec

__all__ = ["Ceiling", "ceiling_of_log", "ceiling_of_spec"]

_MOST_NODES = 64
"""Most distinct (eps, opponent's eps) that a mixture over the noise is made of."""


@dataclass(frozen=True)
class Ceiling:
    """Accuracy of the exact Bayes rule.

    Attributes
    ----------
    value : float, or None where it cannot be known
    kind : "exact_enumeration", "monte_carlo", or None
    rule : the rule in words, or the reason why there is none
    standard_error : float, 0 for enumeration
    """

    value: float | None
    kind: str | None
    rule: str
    standard_error: float = 0.0


def ceiling_of_log(log: GameLog, X: Trajectories, truth: Sequence[str]) -> Ceiling:
    """The ceiling of labelled play, from what its log says of the noise and the opponent.

    The rule knows how frequent each strategy is in this play, and its noise: one eps, or the mixture of
    those in column ``eps`` (as `intent generate` writes it). Where the opponent plays the same strategy
    (``self``), its moves are evidence too.

    Parameters
    ----------
    log : GameLog
    X : Trajectories with keys, the labelled ones of the log
    truth : their strategies
    """
    keys = X.keys
    assert keys is not None
    if "eps" not in keys or keys["eps"].isna().any():
        return Ceiling(None, None, "the noise of this play is not known (no column eps)")
    try:
        strategies = _strategies(log, truth)
    except UnknownNameError as error:
        return Ceiling(None, None, f"{error}: its probabilities are not known")
    eps = keys[["eps"]].astype(float)
    other = keys["opponent_eps"].astype(float) if "opponent_eps" in keys else eps["eps"] * 0.0
    noise = eps.assign(other=other.fillna(0.0))
    opponents = keys["opponent"].astype("string").fillna("") if "opponent" in keys else None
    return _ceiling(strategies, X, truth, noise, opponents)


def ceiling_of_spec(
    spec: DatasetSpec, X: Trajectories, truth: Sequence[str], noise: Any, met: Any
) -> Ceiling:
    """The ceiling of generated play.

    Parameters
    ----------
    spec : DatasetSpec
    X : Trajectories, a sample of its play
    truth : their strategies
    noise : (n, 2) eps of own and other
    met : (n,) names of the opponents
    """
    import pandas as pd

    table = pd.DataFrame(noise, columns=["eps", "other"])
    return _ceiling(spec.corpus().strategies, X, truth, table, pd.Series(met, dtype="string"))


def _ceiling(
    strategies: Sequence[Strategy],
    X: Trajectories,
    truth: Sequence[str],
    noise: pd.DataFrame,
    opponents: pd.Series[str] | None,
) -> Ceiling:
    import numpy as np

    from intent.recognise.ceiling import EXACT_ROUNDS, exact_ceiling, sampled_ceiling

    names = [s.name for s in strategies]
    counts = np.array([list(truth).count(name) for name in names], dtype=float)
    pairs = noise.round(12).drop_duplicates()
    complete = bool(X.evidence.all() and (X.other >= 0).all())
    rival = _one_opponent(opponents)
    if (
        len(pairs) == 1
        and complete
        and X.shape[1] <= EXACT_ROUNDS
        and rival is not None
        and np.ptp(counts) <= 1
    ):
        eps, other = (float(v) for v in pairs.iloc[0])
        value = exact_ceiling(strategies, X.shape[1], eps, opponent=rival, opponent_eps=other)
        return Ceiling(value, "exact_enumeration", f"Bayes rule that knows eps = {eps:g}")
    same = np.zeros(len(X), dtype=bool)
    if opponents is not None:
        same = (opponents == "self").to_numpy(dtype=bool)
    evidence = _evidence(strategies, X, noise, same)
    value, error = sampled_ceiling(evidence, counts / counts.sum())
    low, high = noise["eps"].min(), noise["eps"].max()
    rule = (
        f"knows eps = {low:g}" if low == high else f"integrates eps over the play's own, {low:g} to {high:g}"
    )
    if np.ptp(counts) > 1:
        rule += ", and how frequent the strategies are"
    return Ceiling(value, "monte_carlo", f"Bayes rule that {rule}", error)


def _evidence(
    strategies: Sequence[Strategy], X: Trajectories, noise: pd.DataFrame, same: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Log-probability (n, K) of own moves (and of the other's in self-play), averaged over the noise."""
    import numpy as np
    from scipy.special import logsumexp

    from intent.strategies.likelihood import log_likelihood

    nodes = noise.round(12).value_counts(normalize=True).reset_index()
    if len(nodes) > _MOST_NODES:
        order = noise.sort_values(["eps", "other"]).to_numpy()
        picks = ((np.arange(_MOST_NODES) + 0.5) * len(order) / _MOST_NODES).astype(int)
        values, weights = order[picks], np.full(_MOST_NODES, 1 / _MOST_NODES)
    else:
        values, weights = nodes[["eps", "other"]].to_numpy(), nodes["proportion"].to_numpy()
    out = np.empty((len(X), len(strategies)))
    step = max(1, (1 << 21) // (len(values) * len(strategies)))
    for first in range(0, len(X), step):
        rows = slice(first, first + step)
        part, twins = X[rows], same[rows]
        ll = log_likelihood(part.own, part.other, part.evidence_mask, strategies, values[:, 0])
        if twins.any():
            mirrored = log_likelihood(part.other[twins], part.own[twins], None, strategies, values[:, 1])
            ll[twins] += mirrored
        with np.errstate(divide="ignore"):
            out[rows] = logsumexp(ll, axis=2, b=weights)
    return out


def _strategies(log: GameLog, truth: Sequence[str]) -> tuple[Strategy, ...]:
    """The strategies that occur, with the memory of the set that the log was generated from."""
    from intent.strategies.catalogue import strategy, strategy_set

    found = tuple(strategy(name) for name in dict.fromkeys(truth))
    spec = log.provenance.get("spec") or log.provenance.get("origin", {}).get("spec") or {}
    if isinstance(spec, dict) and isinstance(spec.get("strategies"), str):
        generated = {s.name: s for s in strategy_set(spec["strategies"])}
        found = tuple(generated.get(s.name, s) for s in found)
    return found


def _one_opponent(opponents: pd.Series[str] | None) -> Strategy | None:
    """The one automaton that all met, None where it varies or is none."""
    from intent.strategies.catalogue import strategy

    if opponents is None or opponents.nunique() != 1:
        return None
    try:
        return strategy(str(opponents.iloc[0]))
    except UnknownNameError:
        return None
