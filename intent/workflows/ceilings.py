"""The ceiling of some labelled play: exact where it can be enumerated, Monte Carlo beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.strategies.automaton import Strategy

__all__ = ["Ceiling", "PlayFacts", "ceiling_of", "facts_of_log"]


@dataclass(frozen=True)
class PlayFacts:
    """What is known of how labelled play came about.

    Parameters
    ----------
    strategies : tuple of Strategy, the classes that occur
    rounds : (shortest, longest)
    eps : (low, high) noise of the focal player, or None where nobody knows
    opponent : Strategy that all meet, or None where it varies
    opponent_eps : float
    balanced : bool
        Whether the classes are equally frequent.
    """

    strategies: tuple[Strategy, ...]
    rounds: tuple[int, int]
    eps: tuple[float, float] | None
    opponent: Strategy | None
    opponent_eps: float
    balanced: bool


@dataclass(frozen=True)
class Ceiling:
    """Accuracy of the exact Bayes rule.

    Attributes
    ----------
    value : float, or None where it cannot be known
    kind : "exact_enumeration", "monte_carlo", or None
    rule : the rule in words
    standard_error : float, 0 for enumeration
    """

    value: float | None
    kind: str | None
    rule: str
    standard_error: float = 0.0


def facts_of_log(log: GameLog, truth: Sequence[str]) -> PlayFacts:
    """What a labelled log says of itself in the columns that `intent generate` writes."""
    from collections import Counter

    from intent.strategies.catalogue import strategy

    games = log.games
    counts = Counter(truth)
    rounds = games["rounds_played"]
    eps = None
    if "eps" in games and games["eps"].notna().all():
        eps = (float(games["eps"].min()), float(games["eps"].max()))
    opponent, opponent_eps = None, 0.0
    if "opponent" in games and games["opponent"].nunique(dropna=False) == 1:
        try:
            opponent = strategy(str(games["opponent"].iloc[0]))
        except Exception:  # noqa: BLE001 - self, recorded: no single automaton
            opponent = None
        if "opponent_eps" in games:
            opponent_eps = float(games["opponent_eps"].iloc[0])
            if games["opponent_eps"].nunique() > 1:
                opponent = None
    return PlayFacts(
        tuple(strategy(name) for name in counts),
        (int(rounds.min()), int(rounds.max())),
        eps,
        opponent,
        opponent_eps,
        max(counts.values()) - min(counts.values()) <= 1,
    )


def ceiling_of(facts: PlayFacts, X: Trajectories) -> Ceiling:
    """The ceiling of play with these facts; `X` is the play itself, sampled from where needed.

    With one eps the rule knows it; with a range the fair rule integrates eps over that range.
    """
    import numpy as np

    from intent.recognise.bayes import log_evidence
    from intent.recognise.ceiling import EXACT_ROUNDS, exact_ceiling

    if facts.eps is None:
        return Ceiling(None, None, "the noise of this play is not known")
    fixed = facts.eps[0] == facts.eps[1]
    short = facts.rounds[0] == facts.rounds[1] <= EXACT_ROUNDS
    if fixed and short and facts.opponent is not None and facts.balanced:
        value = exact_ceiling(
            facts.strategies,
            facts.rounds[0],
            facts.eps[0],
            opponent=facts.opponent,
            opponent_eps=facts.opponent_eps,
        )
        return Ceiling(value, "exact_enumeration", f"Bayes rule that knows eps = {facts.eps[0]:g}")
    evidence = log_evidence(X, facts.strategies, facts.eps[0] if fixed else "integrate", facts.eps)
    top = evidence.max(axis=1, keepdims=True)
    best: NDArray[np.float64] = 1.0 / np.exp(evidence - np.where(np.isfinite(top), top, 0.0)).sum(axis=1)
    best = np.minimum(best, 1.0)
    rule = (
        f"knows eps = {facts.eps[0]:g}"
        if fixed
        else f"integrates eps over {facts.eps[0]:g} to {facts.eps[1]:g}"
    )
    error = float(best.std() / np.sqrt(max(len(best), 1)))
    return Ceiling(float(best.mean()), "monte_carlo", f"Bayes rule that {rule}", error)


def facts_of_spec(spec: Any) -> PlayFacts:
    """What a dataset spec says of its play."""
    from intent.play.opponents import Automaton

    corpus = spec.corpus()
    opponent = corpus.opponent.strategy if isinstance(corpus.opponent, Automaton) else None
    noise = corpus.eps if corpus.eps_other is None else corpus.eps_other
    if noise[0] != noise[1]:
        opponent = None
    return PlayFacts(corpus.strategies, corpus.rounds, corpus.eps, opponent, noise[0], True)
