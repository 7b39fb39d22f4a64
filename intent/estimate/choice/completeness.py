"""What strategies leave unexplained: their completeness, beside shares that are estimated with them.

With held-out log losses per move of the base rate L_0, of the strategies L and of a flexible ceiling L_c,

    completeness = (L_0 - L) / (L_0 - L_c),

and the same for a table of rates by setting and round, which knows nothing of what was played. The ceiling
are boosted trees on the past and the settings, of one depth, so that it takes seconds; `intent predict` takes
a stronger one, and other models.

References
----------
Fudenberg, Kleinberg, Liang & Mullainathan 2022, Journal of Political Economy 130:956.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics.intervals import Interval
from intent.estimate.choice.automata import Automata
from intent.estimate.choice.baselines import Rates
from intent.estimate.choice.choices import OTHER_PREFIX, Choices, with_covariates
from intent.estimate.choice.flexible import Trees
from intent.estimate.choice.heldout import folds_of, independent
from intent.estimate.choice.model import ChoiceModel, moves_made
from intent.estimate.choice.scores import Scores
from intent.estimate.design_units import cell_columns, determines
from intent.logs.gamelog import GameLog
from intent.strategies.automaton import Strategy

__all__ = ["Completeness", "completeness"]

Floats = NDArray[np.float64]
_FOLDS = 5


@dataclass(frozen=True)
class Completeness:
    """Held-out log losses per move in nats, and shares of what the ceiling predicts beyond the base rate.

    Attributes
    ----------
    n_moves : int
    baseline, ceiling, strategies : Interval, losses
    explained : Interval, NaN where nothing can be predicted
    settings : columns of the table of rates by setting and round; none where nothing varies
    table, table_explained : Interval, of that table
    unit : what is independent, for the intervals
    """

    n_moves: int
    baseline: Interval
    ceiling: Interval
    strategies: Interval
    explained: Interval
    settings: tuple[str, ...]
    table: Interval
    table_explained: Interval
    unit: str

    def facts(self) -> dict[str, Any]:
        """As JSON values."""

        def numbers(value: Interval) -> dict[str, float | None]:
            ends = zip(("estimate", "low", "high"), (value.estimate, value.low, value.high), strict=True)
            return {name: float(x) if np.isfinite(x) else None for name, x in ends}

        names = ("baseline", "ceiling", "strategies", "explained", "table", "table_explained")
        losses = {name: numbers(getattr(self, name)) for name in names}
        return {"n_moves": self.n_moves, **losses, "settings": list(self.settings), "unit": self.unit}

    def sentence(self) -> str:
        """In words, for people who read shares."""
        e, t = self.explained, self.table_explained
        if not np.isfinite(self.baseline.low):
            return f"How much the strategies explain cannot be said: the {self.unit} are too few."
        if not np.isfinite(e.estimate):
            return "Boosted trees predict the next move no better than its base rate: nothing is to explain."
        if e.estimate > 1:
            return "The strategies predict the next move better than boosted trees do, in a log of this size."
        words = (
            f"The strategies explain {e.estimate:.0%} (95 % interval {e.low:.0%} to {e.high:.0%}) of what "
        )
        words += "can be predicted of the next move"
        if not self.settings:
            return words + "."
        more = "more" if self.table.estimate < self.strategies.estimate else "less"
        also = f"a table of rates by {', '.join(self.settings)} and round, without any history,"
        return f"{words}; {also} explains {more}: {t.estimate:.0%}."


def completeness(
    X: Choices,
    log: GameLog,
    strategies: Sequence[Strategy],
    *,
    tremble: str = "pooled",
    seed: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Completeness:
    """How much of what can be predicted strategies explain, with games left out in folds.

    Parameters
    ----------
    X : Choices of that log
    log : GameLog
    strategies : sequence of Strategy, RANDOM among them where it competes
    tremble : {"pooled", "strategy"}
    seed : int
    update : called with (folds done, in all)

    Raises
    ------
    UsageError
        Fewer than two games.
    """
    assert X.keys is not None
    settings = _settings(X, log)
    if settings:
        X = with_covariates(X, log, settings)
    folds = folds_of(X, "game", _FOLDS, rng=np.random.default_rng(seed))
    models: list[ChoiceModel] = [
        Rates(),
        Automata(tuple(strategies), background=False, tremble=tremble),  # type: ignore[arg-type]
        Rates(by_round=True, by_setting=bool(settings)),
        Trees(depths=(8,), trees=100, learning_rate=0.15, most_moves=50_000, random_state=seed),
    ]
    losses = np.zeros((len(models), *X.shape))
    for fold in range(folds.n):
        update(fold, folds.n)
        test = np.flatnonzero(folds.of == fold)
        near = np.flatnonzero(np.isin(X.subject, X.subject[test]))  # with the earlier games of its subjects
        for i, model in enumerate(models):
            model.fit(X[folds.of != fold])
            play = X[near]
            made = moves_made(model.next_move(play), play)
            losses[i, test] = -np.log(made[np.searchsorted(near, test)])
    update(folds.n, folds.n)
    of = independent(X, folds)
    scores = Scores(X, of, 0.95, None)
    base, automata, table, trees = losses
    return Completeness(
        X.n_moves,
        scores.mean(base),
        scores.mean(trees),
        scores.mean(automata),
        scores.explained(base, automata, trees),
        settings,
        scores.mean(table),
        scores.explained(base, table, trees),
        of.unit.noun,
    )


def _settings(X: Choices, log: GameLog) -> tuple[str, ...]:
    """Columns that make the cells of the design, of the other player too where they are of a seat."""
    assert X.keys is not None
    own: list[str] = []
    for name in cell_columns(X.keys):
        if X.keys[name].nunique() > 1 and not any(determines(X.keys, other, name) for other in own):
            own.append(name)
    described = [name for name in own if name in log.seats and name != "seat"]
    varying = [name for name in described if _varies_within(X, name)]
    return (*own, *(OTHER_PREFIX + name for name in varying))


def _varies_within(X: Choices, name: str) -> bool:
    """Whether the players of a game differ in a column."""
    assert X.keys is not None
    return bool((X.keys.groupby("game_id", observed=True)[name].nunique(dropna=False) > 1).any())
