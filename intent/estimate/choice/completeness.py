"""What strategies leave unexplained: their completeness, beside shares that are estimated with them.

With held-out log losses per move of the base rate L_0, of the strategies L and of a flexible ceiling L_c,

    completeness = (L_0 - L) / (L_0 - L_c),

and the same for a table of rates by setting and round, which knows nothing of what was played. The ceiling is
a mixture of boosted trees on the past and the settings, of that table, of the strategies themselves and,
where moves are few, of types with free responses; its weights for a fold are those that predict the other
folds best. Trees alone learn too little from a few hundred games: strategies would seem to explain it all.
Where shares are estimated by group, strategies and base rate are those of each group; all else knows the
groups as settings.

References
----------
Fudenberg, Kleinberg, Liang & Mullainathan 2022, Journal of Political Economy 130:956; van der Laan, Polley &
Hubbard 2007, Statistical Applications in Genetics and Molecular Biology 6:25 (mixtures by held-out loss).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.job import Table
from intent.base.registry import require
from intent.base.statistics import Grouping, Interval
from intent.estimate.choice.automata import Automata
from intent.estimate.choice.baselines import Rates
from intent.estimate.choice.choices import OTHER_PREFIX, Choices, with_covariates
from intent.estimate.choice.features import drawn_subjects
from intent.estimate.choice.flexible import Trees
from intent.estimate.choice.free import FreeResponse
from intent.estimate.choice.heldout import NOTHING, Folds, Independent, Scores, folds_of, independent
from intent.estimate.choice.model import ChoiceModel, moves_made
from intent.estimate.design_units import cell_columns, determines
from intent.estimate.mixture import shares_of
from intent.logs.gamelog import GameLog
from intent.strategies.catalogue import Strategy

__all__ = ["CEILING", "ENOUGH_UNITS", "FEWEST_UNITS", "Completeness", "completeness"]

Floats = NDArray[np.float64]
_FOLDS = 5

FEWEST_UNITS = 30
"""Independent units below which no share is said, since its interval would be wide, and still too short."""

ENOUGH_UNITS = 1000
"""Independent units below which a share is an upper bound. In simulations with a true share of 86 % the mean
estimate is 98 % from 60 games, 92 % from 200, 88 % from 600: what is not learned yet is not missed."""

CEILING = Trees.libraries
"""Needed beyond the core: without its trees, the ceiling would be too low and every share too large."""

_FEW_MOVES = 20_000
"""Moves up to which types are in the mixture, and trees are fitted once more to all that they may see; then
both add little but time."""
_TYPES = 4

_ALL = 0.995
_MOST_MOVES = 100_000
"""Of more, subjects are drawn at random: a share of what can be predicted is then known to a per cent."""


@dataclass(frozen=True)
class Completeness:
    """Held-out log losses per move in nats, and shares of what the ceiling predicts beyond the base rate.

    Attributes
    ----------
    n_moves : int, that are predicted
    n_units : int, that are independent
    unit : what they are, in the plural
    baseline, ceiling, strategies : Interval, losses
    explained : Interval, NaN where nothing can be predicted, or too few units tell
    settings : columns of the table of rates by setting and round; none where nothing varies
    table, table_explained : Interval, of that table
    group : values of the columns that make the groups; none of the whole
    groups : Completeness of each group
    upper_bound : whether units are too few to learn all that can be predicted (`ENOUGH_UNITS`)
    """

    n_moves: int
    n_units: int
    unit: str
    baseline: Interval = NOTHING
    ceiling: Interval = NOTHING
    strategies: Interval = NOTHING
    explained: Interval = NOTHING
    settings: tuple[str, ...] = ()
    table: Interval = NOTHING
    table_explained: Interval = NOTHING
    group: tuple[Any, ...] = ()
    groups: tuple[Completeness, ...] = ()
    upper_bound: bool = False

    def facts(self, by: Sequence[str] = ()) -> dict[str, Any]:
        """As JSON values; groups by the columns that make them."""

        def numbers(value: Interval) -> dict[str, float | None]:
            ends = zip(("estimate", "low", "high"), (value.estimate, value.low, value.high), strict=True)
            return {name: float(x) if np.isfinite(x) else None for name, x in ends}

        names = ("baseline", "ceiling", "strategies", "explained", "table", "table_explained")
        losses = {name: numbers(getattr(self, name)) for name in names}
        words = {"settings": list(self.settings), "unit": self.unit, "sentence": self.sentence()}
        groups = [{"group": dict(zip(by, one.group, strict=True)), **one.facts()} for one in self.groups]
        return {
            "n_moves": self.n_moves,
            "n_units": self.n_units,
            **losses,
            **words,
            "upper_bound": self.upper_bound,
            **({"groups": groups} if groups else {}),
        }

    def share_in_words(self) -> str:
        """The share of the strategies: an interval, or ``at most 97%`` where it is an upper bound."""
        bound = f"at most {min(self.explained.high, 1):.0%}"
        return bound if self.upper_bound else in_words(self.explained)

    def sentence(self) -> str:
        """In words, for people who read shares."""
        e, t = self.explained, self.table_explained
        if self.n_units < FEWEST_UNITS:
            return (
                "How much of what can be predicted the strategies explain cannot be told from "
                f"{self.n_units} {self.unit} (at least {FEWEST_UNITS})."
            )
        if not np.isfinite(e.estimate):
            return (
                "Nothing of the next move is predicted beyond its base rate, also not by boosted trees: "
                "there is nothing that strategies could explain."
            )
        if e.estimate >= _ALL:
            return (
                "The strategies explain all that can be predicted of the next move in a log of this size: "
                "boosted trees and types with free responses add nothing."
            )
        words = f"The strategies explain {self.share_in_words()} of what can be predicted of the next move"
        if self.upper_bound:
            words += f" (from {self.n_units:,} {self.unit} alone, not all of that can be learned)"
        if not self.settings:
            return words + "."
        more = "more" if self.table.estimate < self.strategies.estimate else "less"
        also = f"a table of rates by {', '.join(self.settings)} and round, without any history,"
        return f"{words}; {also} explains {more}: {t.estimate:.0%}."

    def group_table(self, by: Sequence[str]) -> Table | None:
        """A row for each group: moves, units, shares of strategies and of the table; None without groups."""
        if not self.groups:
            return None
        rows: list[list[object]] = []
        for one in self.groups:
            share = "cannot be told" if one.n_units < FEWEST_UNITS else "nothing to explain"
            if np.isfinite(one.explained.estimate):
                share = one.share_in_words()
            table = one.table_explained.estimate
            cells = [share, f"{table:.0%}" if self.settings and np.isfinite(table) else "–"]
            rows.append([*map(str, one.group), f"{one.n_moves:,}", f"{one.n_units:,}", *cells])
        header = (*by, "moves", self.unit, "explained by the strategies", "by a table of rates")
        return Table(header, rows, "Of what can be predicted of the next move, with 95 % intervals")


def in_words(value: Interval) -> str:
    """A share with its interval: ``42% (40 to 43)``."""
    low, high = (f"{100 * end:.0f}" for end in (value.low, value.high))
    return f"{value.estimate:.0%} ({low} to {high})"


def completeness(
    X: Choices,
    log: GameLog,
    strategies: Sequence[Strategy],
    *,
    groups: Grouping | None = None,
    tremble: str = "pooled",
    seed: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Completeness:
    """How much of what can be predicted strategies explain, with games left out in folds.

    With fewer than 30 independent units, or one action alone, nothing is fitted and no share is said.

    Parameters
    ----------
    X : Choices of that log
    log : GameLog
    strategies : sequence of Strategy, RANDOM among them where it competes
    groups : Grouping of the rows of X, optional
        Each has its own shares, tremble and base rate, and a share of its own.
    tremble : {"pooled", "strategy"}
    seed : int
    update : called with (folds done, in all)

    Raises
    ------
    UsageError
        Fewer than two games.
    MissingExtraError
        The extra ``sklearn`` is not installed.
    """
    require(*CEILING)
    assert X.keys is not None
    parts = Grouping((), ((),), np.zeros(len(X), dtype=np.intp)) if groups is None else groups
    X, codes = _bounded(X, parts.codes, np.random.default_rng(seed))
    folds = folds_of(X, "game", _FOLDS, rng=np.random.default_rng(seed))
    of = independent(X, folds)
    whole = np.ones(len(X), dtype=bool)
    insides = [] if groups is None else [codes == g for g in range(len(parts))]
    one_action = len(np.unique(X.chosen[X.counted])) < 2
    if _n_units(X, of, whole) < FEWEST_UNITS or one_action:
        there = tuple(_untold(X, of, inside, v) for inside, v in zip(insides, parts.values, strict=False))
        return _untold(X, of, whole, (), there)
    settings = _settings(X, log)
    if settings:
        X = with_covariates(X, log, settings)
    few = X.n_moves <= _FEW_MOVES
    pooled: list[ChoiceModel] = [
        Rates(),
        Rates(by_round=True, by_setting=bool(settings)),
        Trees(refit=few or not settings, random_state=seed),
        *([FreeResponse(n_types=_TYPES, combinations=False, random_state=seed)] if few else []),
    ]
    own = [Rates(), Automata(tuple(strategies), background=False, tremble=tremble)]  # type: ignore[arg-type]
    losses, of_groups = np.zeros((len(pooled), *X.shape)), np.zeros((2, *X.shape))
    for fold in range(folds.n):
        update(fold, folds.n)
        train, test = folds.of != fold, folds.of == fold
        for i, model in enumerate(pooled):
            losses[i, test] = _held_out(model, X, train, test)
        for g in range(len(parts)):
            here = codes == g
            if not (test & here).any():
                continue
            known = train & here if X.counted[train & here].any() else train
            for i, model in enumerate(own):
                of_groups[i, test & here] = _held_out(model, X, known, test & here)
    update(folds.n, folds.n)
    scores = Scores(X, of, 0.95, None)
    base, table = losses[:2]
    own_base, automata = of_groups
    ceiling = _mixed(np.stack([*losses[1:], automata]), X, folds)

    few_units = _n_units(X, of, whole) < ENOUGH_UNITS

    def scored(base: Floats, inside: NDArray[np.bool_], values: tuple[Any, ...]) -> Completeness:
        n_units = _n_units(X, of, inside)
        if n_units < FEWEST_UNITS:
            return _untold(X, of, inside, values)
        return Completeness(
            int(X.counted[inside].sum()),
            n_units,
            of.unit.noun,
            scores.mean(base, inside),
            scores.mean(ceiling, inside),
            scores.mean(automata, inside),
            scores.explained(base, automata, ceiling, inside),
            settings,
            scores.mean(table, inside),
            scores.explained(base, table, ceiling, inside),
            values,
            upper_bound=few_units,
        )

    there = tuple(scored(own_base, inside, v) for inside, v in zip(insides, parts.values, strict=False))
    return replace(scored(base, whole, ()), groups=there)


def _bounded(
    X: Choices, codes: NDArray[np.intp], rng: np.random.Generator
) -> tuple[Choices, NDArray[np.intp]]:
    """At most so many moves, of subjects drawn at random, and the groups of their rows."""
    if X.n_moves <= _MOST_MOVES:
        return X, codes
    _, rows = drawn_subjects(X, _MOST_MOVES / X.n_moves, rng)
    return X[rows], codes[rows]


def _held_out(model: ChoiceModel, X: Choices, train: NDArray[np.bool_], test: NDArray[np.bool_]) -> Floats:
    """(m, T) losses on some rows, each with the earlier games of its subject as its past."""
    near = np.flatnonzero(np.isin(X.subject, X.subject[test]))
    model.fit(X[train])
    play = X[near]
    likelihoods = moves_made(model.next_move(play), play)
    return np.asarray(-np.log(likelihoods[np.searchsorted(near, np.flatnonzero(test))]))


def _mixed(losses: Floats, X: Choices, folds: Folds) -> Floats:
    """(n, T) losses of a mixture of models, whose weights for each fold are the best in the other folds."""
    mixed = np.zeros(X.shape)
    for fold in range(folds.n):
        test = folds.of == fold
        others = X.counted & ~test[:, None]
        weights = shares_of(-losses[:, others].T)
        mixed[test] = -np.log(np.tensordot(weights, np.exp(-losses[:, test]), 1))
    return np.where(X.counted, mixed, 0.0)


def _n_units(X: Choices, of: Independent, inside: NDArray[np.bool_]) -> int:
    """Units of some rows that have a move; of two ways, the fewer."""
    rows = inside & X.counted.any(1)
    ways = (of.unit.codes, of.also)
    return min(len(np.unique(codes[rows])) for codes in ways if codes is not None)


def _untold(
    X: Choices,
    of: Independent,
    inside: NDArray[np.bool_],
    values: tuple[Any, ...],
    groups: tuple[Completeness, ...] = (),
) -> Completeness:
    n_moves = int(X.counted[inside].sum())
    return Completeness(n_moves, _n_units(X, of, inside), of.unit.noun, group=values, groups=groups)


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
