"""Automata whose responses are estimated: strategies keep their states, and play them as the log says.

Strategy k goes from state to state as its table says, on the moves that were played, and chooses each action
in state s with an estimated probability p_ks, where the mixture of `automata` has the action of the table and
a tremble. A subject is of one strategy in all its games (`response_types` has the likelihood and EM). After
an unknown move a strategy may be in one of several states; until they answer alike again, its situation is
one of its own. An automaton that remembers what it intended is read as the one on realised moves that its
table makes it.

Responses may be shared: by states of a strategy that would play the same, or by such states of all of them,
which is a tremble in cooperating and another one in defecting.

References
----------
Breitmoser (2015), American Economic Review 105:2882; Dvorak (2023), stratEst, Journal of the Economic Science
Association 9:337 (automata with estimated responses, and restrictions on them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.choice.ahead import Answers
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.free import MOST_TYPES, Errors, ResponseTypes, number
from intent.estimate.choice.membership import SubjectCoding, next_states
from intent.estimate.choice.model import Acts, ChoiceType
from intent.estimate.choice.response_types import Evidence, Mixed, fit_types
from intent.recognise.recogniser import Files, restored_strategies
from intent.strategies.catalogue import Strategy, state_names
from intent.strategies.sets import strategy_set, strategy_table

__all__ = ["StrategyResponses"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Responses = Literal["state", "strategy", "shared"]
_RESPONSES: tuple[Responses, ...] = ("state", "strategy", "shared")
_TREMBLES = (0.05, 0.2)
"""Of the strategies as they are named, from which the search begins, beside starts at random."""


@dataclass(frozen=True, eq=False)
class _Cells:
    """Which response each state of each strategy has.

    Attributes
    ----------
    of : K arrays (S_k,), cell of each state
    unknown : (K,), cell of a state that is not known
    owner : (C,), strategy of each cell
    p : (C,), what the strategy's table says; NaN where the state is unknown
    tied : (C,) class of each cell, or None where each has a response of its own
    names : C
    """

    of: tuple[Ints, ...]
    unknown: Ints
    owner: Ints
    p: Floats
    tied: Ints | None
    names: tuple[str, ...]

    @classmethod
    def laid_out(cls, strategies: Sequence[Strategy], responses: Responses) -> _Cells:
        """By strategy: its states, or what they play, and then the unknown state."""
        of: list[Ints] = []
        unknown: list[int] = []
        owner: list[int] = []
        p: list[float] = []
        names: list[str] = []
        for k, s in enumerate(strategies):
            first = len(owner)
            if responses == "state":
                cell, levels, labels = np.arange(s.n_states), list(s.p_cooperate), list(state_names(s))
            else:
                levels = list(dict.fromkeys(s.p_cooperate))
                cell = np.array([levels.index(x) for x in s.p_cooperate], dtype=np.intp)
                labels = [{1.0: "C", 0.0: "D"}.get(x, f"C at {x:.4g}") for x in levels]
            of.append(first + cell.astype(np.intp))
            unknown.append(first + len(levels))
            owner += [k] * (len(levels) + 1)
            p += [*levels, np.nan]
            names += [*labels, "unknown"]
        values = np.array(p)
        tied = None
        if responses == "shared":
            tied = np.unique(np.where(np.isnan(values), -1.0, values), return_inverse=True)[1].reshape(-1)
        return cls(tuple(of), np.array(unknown), np.array(owner), values, tied, tuple(names))

    def __len__(self) -> int:
        return len(self.owner)

    def along(self, X: Choices, strategies: Sequence[Strategy]) -> NDArray[np.int32]:
        """(n, T, K), cell of every move under each strategy."""
        out = np.empty((*X.shape, len(strategies)), dtype=np.int32)
        gaps = ((X.own < 0) | (X.other < 0)).any(axis=1)
        whole, rest = np.flatnonzero(~gaps), np.flatnonzero(gaps)
        for k, s in enumerate(strategies):
            following = s.arrays()[1]
            out[whole, :, k] = self.of[k][_path(X.own[whole], X.other[whole], s.start, following)]
            out[rest, :, k] = self._of_sets(X[rest], k, s.start, following)
        return out

    def _of_sets(self, X: Choices, k: int, start: int, following: Ints) -> Ints:
        """Cells (m, T) where moves are unknown: that of all states that it may be in, or the unknown one."""
        out = np.empty(X.shape, dtype=np.intp)
        may = np.zeros((len(X), len(following)), dtype=np.intp)
        may[:, start] = 1
        for t in range(X.shape[1]):
            out[:, t] = self.of_set(k, may)
            may = _reached(may, X.own[:, t], X.other[:, t], following)
        return out

    def of_set(self, k: int, may: Ints) -> Ints:
        """Cell (m,) of rows that may be in some states of strategy k: (m, S) 0 or 1."""
        cells, members = np.unique(self.of[k], return_inverse=True)
        belongs = (members.reshape(-1)[:, None] == np.arange(len(cells))).astype(np.intp)
        met = may @ belongs > 0
        of: Ints = np.where(met.sum(1) == 1, cells[met.argmax(1)], self.unknown[k])
        return of


def _path(own: NDArray[np.int8], other: NDArray[np.int8], start: int, following: Ints) -> Ints:
    """States (n, T) before every move, where all moves are known."""
    out = np.empty(own.shape, dtype=np.intp)
    state = np.full(len(own), start, dtype=np.intp)
    for t in range(own.shape[1]):
        out[:, t] = state
        state = next_states(state, own[:, t], other[:, t], following)
    return out


def _reached(
    may: Ints, own: NDArray[np.int8], other: NDArray[np.int8], following: NDArray[np.intp]
) -> NDArray[np.intp]:
    """States (m, S) 0 or 1 that a strategy may be in after a round of moves (m,), some of them unknown."""
    leads = (following[:, :, None] == np.arange(len(following))).astype(np.intp)  # (S, outcome, S)
    after = np.zeros_like(may)
    for outcome in range(4):
        mine, theirs = 1 - outcome // 2, 1 - outcome % 2
        possible = np.isin(own, (mine, -1)) & np.isin(other, (theirs, -1))
        after += possible[:, None] * (may @ leads[:, outcome])
    return (after > 0).astype(np.intp)


class _Followed:
    """Cells of strategies in the games of some rows, as their moves become known.

    A row has a state until a move is unknown, and from then on the set of states that it may be in.
    """

    def __init__(self, model: StrategyResponses, X: Choices, shift: Floats) -> None:
        self._model, self._shift = model, shift
        self._following = [s.arrays()[1] for s in model.strategies_]
        self._at = [np.full(len(X), s.start, dtype=np.intp) for s in model.strategies_]
        self._may: list[Ints] = [np.zeros((0, len(table)), dtype=np.intp) for table in self._following]
        self._unsure = np.zeros(0, dtype=np.intp)

    def now(self) -> Floats:
        """P(action | strategy) in the round that is next, (m, K, A)."""
        cells = self._model.cells_
        of = np.stack([cells.of[k][at] for k, at in enumerate(self._at)], axis=1)
        for k, may in enumerate(self._may):
            of[self._unsure, k] = cells.of_set(k, may)
        p: Floats = self._model._answers(of[:, None], self._shift)[:, 0]
        return p

    def moved(self, own: NDArray[np.int8], other: NDArray[np.int8], chosen: NDArray[np.int8]) -> None:
        """What was played in it."""
        gaps = (own < 0) | (other < 0)
        gaps[self._unsure] = False
        fresh, rows = np.flatnonzero(gaps), np.r_[self._unsure, np.flatnonzero(gaps)]
        for k, following in enumerate(self._following):
            begun = (self._at[k][fresh, None] == np.arange(len(following))).astype(np.intp)
            self._may[k] = _reached(np.vstack([self._may[k], begun]), own[rows], other[rows], following)
            self._at[k] = next_states(self._at[k], own, other, following)
        self._unsure = rows


class StrategyResponses(ResponseTypes):
    """A mixture of strategies that keep their states and have estimated responses.

    Parameters
    ----------
    strategies : set, names, file, or sequence of names and Strategy
    responses : {"state", "strategy", "shared"}
        Whether each state has a response of its own, or states of a strategy that play the same share one,
        or such states of all strategies.
    acts : {"membership", "response", "both"}
        What covariates act on, where there are any.
    smoothing : float, pseudo-moves in each state, divided as the moves of all subjects there
        Near 0 the estimates are those of maximum likelihood.
    ridge : float, of covariates' coefficients
    combinations : bool
        Whether combinations of categories have memberships of their own, beside those of levels.
    n_starts, n_iter : int
        Starts at random, beside those from the strategies as they are named.
    tol : float, nats per subject that a step of EM must gain to go on
    errors : {"subject", "information", "none"}
        Whether errors allow for subjects of one strategy that differ, or trust that they do not; or none.
    random_state : int, optional

    Attributes
    ----------
    strategies_ : tuple of K Strategy, as they are named
    responses_ : (K, C, A), of the C cells: a type's own ones count
    """

    def __init__(
        self,
        strategies: str | Path | Sequence[str | Path | Strategy] = "df2011",
        *,
        responses: Responses = "state",
        acts: Acts = "membership",
        smoothing: float = 1.0,
        ridge: float = 1.0,
        combinations: bool = True,
        n_starts: int = 48,
        n_iter: int = 2000,
        tol: float = 1e-6,
        errors: Errors = "subject",
        random_state: int | None = None,
    ) -> None:
        self.strategies = strategies
        self.responses = responses
        self.acts = acts
        self.smoothing = smoothing
        self.ridge = ridge
        self.combinations = combinations
        self.n_starts = n_starts
        self.n_iter = n_iter
        self.tol = tol
        self.errors = errors
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        self._checked()
        named = tuple(strategy_set(self.strategies))
        if len(named) > MOST_TYPES:
            raise UsageError(f"{len(named)} strategies, expected at most {MOST_TYPES}")
        self._lay_out(named)
        self.coding_ = SubjectCoding.learn(X, combinations=self.combinations)
        e, cells = self._evidence(X), self.cells_
        begin = []
        for b in _TREMBLES:
            p = np.where(np.isnan(cells.p), 0.5, b + (1 - 2 * b) * np.nan_to_num(cells.p))
            begin.append(np.tile(np.stack([1 - p, p], axis=1), (len(named), 1, 1)))
        fit = fit_types(
            e,
            len(named),
            self._pseudo(e),
            n_starts=self.n_starts,
            n_iter=self.n_iter,
            tol=self.tol,
            rng=np.random.default_rng(self.random_state),
            begin=begin,
        )
        self._describe(e, fit, X)

    def _lay_out(self, strategies: tuple[Strategy, ...]) -> None:
        if self.responses not in _RESPONSES:
            raise UsageError(f"responses is {self.responses!r}, expected {', '.join(_RESPONSES)}")
        self.strategies_ = strategies
        self.cells_ = _Cells.laid_out(strategies, self.responses)

    def _cells(self, X: Choices) -> NDArray[np.int32]:
        return self.cells_.along(X, self.strategies_)

    def _answering(self, X: Choices, shift: Floats) -> Answers:
        return _Followed(self, X, shift)

    def _n_cells(self, n_actions: int) -> int:
        return len(self.cells_)

    def _owner(self) -> Ints:
        return self.cells_.owner

    def _tied(self) -> Ints | None:
        return self.cells_.tied

    def _ordered(self, e: Evidence, mixed: Mixed) -> Mixed:
        """In the order of the set; of strategies with the same states, each the one that it is most like."""
        from scipy.optimize import linear_sum_assignment

        if self._tied() is not None:
            return mixed
        alike: dict[Any, list[int]] = {}
        for k, s in enumerate(self.strategies_):
            cells = tuple((self.cells_.of[k] - self.cells_.of[k].min()).tolist())
            key = (s.start, tuple(map(tuple, s.arrays()[1].tolist())), cells)
            alike.setdefault(key, []).append(k)
        order, p = np.arange(len(self.strategies_)), mixed.responses.copy()
        for members in alike.values():
            own = [np.flatnonzero(self.cells_.owner == k) for k in members]
            met = np.stack([mixed.responses[k, c] for k, c in zip(members, own, strict=True)])
            nominal = np.stack([self.cells_.p[c] for c in own])
            away = np.nansum(np.abs(met[:, None, :, 1] - nominal[None]), axis=2)
            for i, j in zip(*linear_sum_assignment(away), strict=True):
                order[members[j]] = members[i]
                p[members[j], own[j]] = met[i]
        return Mixed(p, mixed.membership.taken(order), mixed.shift)

    def _cell_names(self) -> list[str]:
        return list(self.cells_.names)

    def _listed(self, k: int) -> Ints:
        """Cells that occur; a response that is shared is listed with the first strategy that has it."""
        met = self.moves_[k] > 0
        if (tied := self.cells_.tied) is not None:
            before = np.unique(tied[np.nonzero(self.moves_[:k] > 0)[1]])
            met = met & ~np.isin(tied, before)
        return np.flatnonzero(met)

    def _type_names(self) -> list[str]:
        return [s.name for s in self.strategies_]

    def types(self) -> tuple[ChoiceType, ...]:
        """The strategies, with the estimated responses as the probabilities of their states."""
        rows = []
        for k, s in enumerate(self.strategies_):
            following = tuple((int(a), int(b), int(c), int(d)) for a, b, c, d in s.arrays()[1])
            p = tuple(self.responses_[k, self.cells_.of[k], 1].tolist())
            played = replace(s, p_cooperate=p, next_state=following, memory="realised")
            rows.append(ChoiceType(s.name, float(self.shares_[k]), number(self.share_se_[k]), played))
        return tuple(rows)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Strategies as they are named, and tables as JSON."""
        state, files = super().to_state()
        return {"strategies": [strategy_table(s) for s in self.strategies_], **state}, files

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the tables.

        Raises
        ------
        DataError
            As `ResponseTypes.from_state`.
        """
        self._lay_out(restored_strategies(self.strategies, state["strategies"])[0])
        return super().from_state(state, files)
