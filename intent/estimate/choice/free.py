"""Types with free response and one or two rounds of memory, as models of choice.

A situation is the start of a game, the joint outcome of the last round (memory one), or those of the last two
rounds (memory two); a type chooses each action with a probability of its own in each of them, and a subject
is of one type in all its games (`response_types` has the likelihood and EM). With an unknown move in the last
round the situation is one of its own; with an unknown move in the round before it, that of memory one.

References
----------
Breitmoser (2015), American Economic Review 105:2882 (memory-one types in humans); Romero & Rosokha (2023),
American Economic Journal: Microeconomics 15:1 (mixed strategies of memory one).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, UsageError
from intent.estimate.choice.ahead import Ahead, Answers, TypesAhead
from intent.estimate.choice.choices import COOPERATION, Choices, as_choices
from intent.estimate.choice.membership import SEPARATED, Membership, SubjectCoding, beliefs, separated_types
from intent.estimate.choice.model import ACTS, Acts, ChoiceModel, ChoiceType, Followed, Parameter, moves_made
from intent.estimate.choice.response_types import (
    Design,
    Evidence,
    Fitted,
    Mixed,
    described,
    evidence,
    fit_types,
)
from intent.recognise.recogniser import Files
from intent.strategies.catalogue import Strategy

__all__ = ["FreeResponse", "ResponseTypes", "situations"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Moves = NDArray[np.int8]

_NUMBERS = 1 << 22
"""Numbers (rows x rounds x types) in memory at a time."""
MOST_TYPES = 64
_MOST_CELLS = 100_000
Errors = Literal["subject", "information", "none"]
ERRORS: tuple[Errors, ...] = ("subject", "information", "none")
_TRIED = (1, 2, 4, 8, 16)
"""Numbers of types that are tried where none is said."""
_INNER_FOLDS = 3
_INNER_STARTS = 12
_SAME = 1e-3
"""Difference of probabilities below which two types answer alike."""
_MET = 0.5
"""Expected moves of a type from which on a situation tells how it answers."""
_FEW = 0.5
"""Share of the starts followed to the end that end at the best value, up to which that is a note."""


def situations(X: Choices, memory: int) -> Ints:
    """Situation of each move: (n, T) int.

    0 is the start, 1 + o what follows outcome o, and with memory two 1 + A^2 + o' A^2 + o what follows o' and
    then o; the last code is for an unknown move in the last round. Outcome o = (A - 1 - own) A + (A - 1 -
    other), so that outcomes of two actions are CC, CD, DC, DD.
    """
    a = X.n_actions
    own, other = X.own.astype(np.intp), X.other.astype(np.intp)
    outcome = np.where((own >= 0) & (other >= 0), (a - 1 - own) * a + (a - 1 - other), -1)
    unknown = n_situations(a, memory) - 1
    at = np.full(own.shape, unknown, dtype=np.intp)
    at[:, :1] = 0
    last = outcome[:, :-1]
    at[:, 1:] = np.where(last >= 0, 1 + last, unknown)
    if memory == 2:
        before, last = outcome[:, :-2], outcome[:, 1:-1]
        both = (before >= 0) & (last >= 0)
        at[:, 2:] = np.where(both, 1 + a * a + before * a * a + last, at[:, 2:])
    return at


class _Situations:
    """Situations of types in the games of some rows, as their moves become known."""

    def __init__(self, model: FreeResponse, X: Choices, shift: Floats) -> None:
        self._model, self._X, self._shift = model, X, shift
        nothing = X.own[:, :0]
        self._own, self._other = nothing, nothing

    def now(self) -> Floats:
        """P(action | type) in the round that is next, (m, K, A)."""
        next_one = np.zeros((len(self._X), 1), dtype=np.int8)  # no situation looks at it
        own, other = (np.hstack([moves, next_one]) for moves in (self._own, self._other))
        play = replace(self._X, own=own, other=other, chosen=own)
        p: Floats = self._model._answers(self._model._cells(play)[:, -1:], self._shift)[:, 0]
        return p

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        """What was played in it; rounds that no situation looks back to are let go."""
        first = max(0, self._own.shape[1] + 1 - self._model.memory)
        self._own = np.hstack([self._own, own[:, None]])[:, first:]
        self._other = np.hstack([self._other, other[:, None]])[:, first:]


def n_situations(n_actions: int, memory: int) -> int:
    """How many codes `situations` has."""
    pairs = n_actions * n_actions
    return 2 + pairs + (pairs * pairs if memory == 2 else 0)


class ResponseTypes(ChoiceModel):
    """What models of K types with estimated responses share: fitting, beliefs, parameters, saving.

    Attributes
    ----------
    responses_ : (K, C, A), P(action | cell) of each type, those with the largest share first
    response_se_ : (K, C, A), NaN where a type has no such cell
    moves_ : (K, C), expected number of moves of each type in each cell
    shares_, share_se_ : (K,), of subjects
    membership_ : Membership
    shift_, shift_se_ : (R, A), log odds that covariates add to every response
    log_likelihood_ : float, of the moves it was fitted to
    """

    uses_covariates: ClassVar[bool] = True

    acts: Acts
    smoothing: float
    ridge: float
    n_starts: int
    n_iter: int
    tol: float
    errors: Errors
    random_state: int | None

    def _checked(self) -> None:
        if self.acts not in ACTS:
            raise UsageError(f"covariates act on {self.acts!r}, expected {', '.join(ACTS)}")
        if self.errors not in ERRORS:
            raise UsageError(f"errors are {self.errors!r}, expected {', '.join(ERRORS)}")
        for name, least in (("smoothing", 0.0), ("ridge", 0.0), ("tol", 0.0)):
            value = getattr(self, name)
            if not value > least and not (name == "ridge" and value == 0):
                raise UsageError(f"{name} is {value}, expected a positive number")

    def without_errors(self) -> Self:
        """The same, with no standard errors."""
        return self.set_params(errors="none")

    # what a family says

    def _cells(self, X: Choices) -> NDArray[np.integer[Any]]:
        """(n, T) cell of each move, or (n, T, K) where types have cells of their own."""
        raise NotImplementedError

    def _n_cells(self, n_actions: int) -> int:
        raise NotImplementedError

    def _answering(self, X: Choices, shift: Floats) -> Answers:
        """How the types answer in the games of some rows, whose covariates shift them (m, R)."""
        raise NotImplementedError

    def _owner(self) -> Ints | None:
        """Type of each cell, None where all types have all cells."""
        return None

    def _tied(self) -> Ints | None:
        """Class of each cell, where cells of several types have one response."""
        return None

    # fitting

    def _design(self, X: Choices) -> tuple[Floats, Floats]:
        """Covariates of rows that act on membership (n, P), the first column ones, and on the response."""
        design = self.coding_.design(X)
        member, shift = self.acts in ("membership", "both"), self.acts in ("response", "both")
        return design if member else design[:, :1], design[:, 1:] if shift else design[:, :0]

    def _design_widths(self) -> tuple[int, int]:
        """P and R."""
        n = len(self.coding_.names)
        return 1 + n * (self.acts != "response"), n * (self.acts != "membership")

    def _evidence(self, X: Choices) -> Evidence:
        _, first, subject = np.unique(X.subject, return_index=True, return_inverse=True)
        membership, shift = self._design(X)
        return evidence(
            self._cells(X),
            X.chosen,
            subject.reshape(-1),
            Design(membership[first], shift, self.ridge),
            n_cells=self._n_cells(X.n_actions),
            n_actions=X.n_actions,
            owner=self._owner(),
            tied=self._tied(),
        )

    def _take(self, e: Evidence, mixed: Mixed) -> None:
        """What prediction needs of a fit."""
        self.responses_, self.membership_ = mixed.responses, mixed.membership
        self.shift_, self.shift_mean_ = mixed.shift, e.shift_mean

    def _describe(self, e: Evidence, fit: Fitted, X: Choices) -> None:
        """Take over a fit with its errors and notes, the types in the order of their shares."""
        mixed = self._ordered(e, fit.mixed)
        there = described(e, mixed, self._pseudo(e), errors=self.errors)
        self._take(e, mixed)
        self.shares_, self.share_se_ = there.shares, there.share_se
        self.response_se_, self.moves_ = there.response_se, there.moves
        self.membership_se_, self.shift_se_ = there.membership_se, there.shift_se
        self.log_likelihood_ = fit.log_likelihood
        self.n_subjects_ = int(e.weights.sum())
        if not fit.converged:
            self.notes_.append(f"did not converge in {self.n_iter:,} iterations")
        reached, followed = fit.agreement
        if followed > 1 and reached <= _FEW * followed:
            self.notes_.append(
                f"{reached} of the {followed} starts that were followed ended at the best value: more starts "
                "may find types that fit better"
            )
        n, different = len(mixed.responses), self._n_different()
        if different < n:
            self.notes_.append(
                f"{n} types, of which {different} different: fewer types fit this play as well"
            )
        self._note_covariates(X)

    def _n_different(self) -> int:
        """How many types are played and answer differently in some situation that both met."""
        if self._owner() is not None:
            return len(self.responses_)
        different: list[int] = []
        for k in np.flatnonzero((self.moves_ > _MET).any(axis=1)).tolist():
            for j in different:
                both = (self.moves_[[j, k]] > _MET).all(axis=0)
                away = np.abs(self.responses_[j, both] - self.responses_[k, both]).max(initial=0.0)
                if both.any() and away < _SAME:
                    break
            else:
                different.append(k)
        return len(different)

    def _note_covariates(self, X: Choices) -> None:
        """Covariates that separate the types, and those that change from game to game of a subject."""
        if not self.coding_.names:
            return
        tables = {"membership": self.membership_.coefficients[1:], "response": self.shift_}
        for acts, table in tables.items():
            extreme = [
                n for n, r in zip(self.coding_.names, table, strict=False) if np.abs(r).max() > SEPARATED
            ]
            if extreme:
                self.notes_.append(
                    f"{', '.join(extreme[:3])}: separates {acts} almost perfectly, log odds beyond "
                    f"{SEPARATED:g} (a larger ridge keeps them smaller)"
                )
        if self.acts == "response":
            return
        self.notes_ += separated_types(self.coding_.coding, X, self.memberships(X), ridge=self.ridge > 0)
        if len(np.unique(X.subject)) < len(X):
            design = self.coding_.design(X)
            _, first, subject = np.unique(X.subject, return_index=True, return_inverse=True)
            if (design != design[first][subject.reshape(-1)]).any():
                self.notes_.append(
                    "covariates change between games of a subject: those of its first game decide its type"
                )

    def _ordered(self, e: Evidence, mixed: Mixed) -> Mixed:
        """The types in the order in which they are listed: by their shares of subjects."""
        weights = e.by_group(e.weights[:, None])[:, 0]
        order = np.argsort(-(weights @ np.exp(mixed.membership.log_shares(e.design))), kind="stable")
        return Mixed(mixed.responses[order], mixed.membership.taken(order), mixed.shift)

    def _pseudo(self, e: Evidence) -> Floats:
        """(C, A): `smoothing` moves in each cell, divided as all subjects' moves there are."""
        pooled = e.pooled
        base = (pooled.sum(0) + 0.5) / (pooled.sum() + 0.5 * e.n_actions)
        rates = pooled + 2 * base
        pseudo: Floats = self.smoothing * rates / rates.sum(axis=1, keepdims=True)
        return pseudo

    # prediction

    def _pieces(self, X: Choices) -> Iterator[Ints]:
        """Rows of whole subjects, a bounded number at a time."""
        order = np.argsort(X.subject, kind="stable")
        subject = X.subject[order]
        ends = np.flatnonzero(np.r_[subject[1:] != subject[:-1], True]) + 1
        step = max(1, _NUMBERS // max(1, X.shape[1] * len(self.responses_) * X.n_actions))
        start = 0
        while start < len(order):
            stop = int(ends[np.searchsorted(ends, min(start + step, len(order)))])
            yield order[start:stop]
            start = stop

    def _answers(self, cells: NDArray[np.integer[Any]], shift: Floats) -> Floats:
        """P(action | type) in the cells of n rows, (n, T, K, A)."""
        p: Floats
        if cells.ndim == 2:
            p = np.moveaxis(self.responses_, 0, 1)[cells]
        else:
            p = self.responses_[np.arange(cells.shape[2]), cells]
        if shift.shape[1]:
            eta = (shift - self.shift_mean_) @ self.shift_
            p = p * np.exp(eta - eta.max(1, keepdims=True))[:, None, None]
            p /= p.sum(axis=3, keepdims=True)
        return p

    def _believed(self, X: Choices) -> tuple[Floats, Floats, Floats]:
        """Conditional probabilities (n, T, K, A), beliefs before every move (n, T, K) and after the last."""
        p = self._answers(self._cells(X), self._design(X)[1])
        made = np.take_along_axis(p, np.maximum(X.chosen, 0)[..., None, None].astype(np.intp), axis=3)[..., 0]
        log_p = np.where(X.counted[..., None], np.log(np.maximum(made, 1e-300)), 0.0)
        before, after = beliefs(log_p, self._log_shares(X), X)
        return p, before, after

    def _log_shares(self, X: Choices) -> Floats:
        """Log probability of each type before any move, by row: (n, K)."""
        membership, _ = self._design(X)
        _, first, subject = np.unique(X.subject, return_index=True, return_inverse=True)
        return self.membership_.log_shares(membership[first])[subject.reshape(-1)]

    def ahead(self, X: Choices) -> Ahead:
        """The types, each with its situation, and what is believed of them."""
        shift = self._design(X)[1]

        def answers(rows: Ints) -> Answers:
            return self._answering(X[rows], shift[rows])

        return TypesAhead(X, self._log_shares(X), answers)

    def _predicted(self, X: Choices) -> Floats:
        out = np.empty((*X.shape, X.n_actions))
        for rows in self._pieces(X):
            p, before, _ = self._believed(X[rows])
            out[rows] = np.einsum("ntk,ntka->nta", before, p)
        return out

    def memberships(self, X: Any) -> Floats:
        """Posterior of each type given the play of each row's subject until the row's end: (n, K)."""
        choices = as_choices(X)
        self.next_move(choices[:0])
        out = np.empty((len(choices), len(self.responses_)))
        for rows in self._pieces(choices):
            out[rows] = self._believed(choices[rows])[2]
        return out

    # what a reader sees

    def _cell_names(self) -> list[str]:
        """Of all cells."""
        raise NotImplementedError

    def _listed(self, k: int) -> Ints:
        """Cells of type k that parameters list."""
        return np.flatnonzero(self.moves_[k] > 0)

    def _type_names(self) -> list[str]:
        raise NotImplementedError

    def followed(self) -> Followed | None:
        """The types as they play, until a move is unknown; None where covariates are to be known."""
        types = self.types()
        if self.known_covariates or not types:
            return None
        names, strategies = tuple(t.name for t in types), tuple(t.strategy for t in types)
        return Followed(names, strategies, tuple(self.shares_), (0.0,) * len(types), gaps=False)

    def parameters(self) -> tuple[Parameter, ...]:
        """Shares of the types, their responses, and what covariates do."""
        names, cells = self._type_names(), self._cell_names()
        rows = [
            Parameter("share", float(p), number(se), "probability", name)
            for name, p, se in zip(names, self.shares_, self.share_se_, strict=True)
        ]
        two = self.actions_ == COOPERATION
        for k, name in enumerate(names):
            for c in self._listed(k):
                for a in range(1, len(self.actions_)):
                    what = f"p_{cells[c]}" if two else f"p_{self.actions_[a]}_{cells[c]}"
                    p, se = float(self.responses_[k, c, a]), number(self.response_se_[k, c, a])
                    of = name if self._tied() is None else ""
                    rows.append(Parameter(what, p, se, "probability", of))
        coefficients = zip(
            self.coding_.names, self.membership_.coefficients[1:], self.membership_se_[1:], strict=False
        )
        for column, row, error in coefficients:
            for k in range(1, len(names)):
                where = f"{column}, {names[k]}"
                rows.append(Parameter("membership", float(row[k]), number(error[k]), "log odds", where))
        for column, row, error in zip(self.coding_.names, self.shift_, self.shift_se_, strict=False):
            for a in range(1, len(self.actions_)):
                what = "shift" if two else f"shift_{self.actions_[a]}"
                rows.append(Parameter(what, float(row[a]), number(error[a]), "log odds", column))
        return tuple(rows)

    def effects(self) -> tuple[Parameter, ...]:
        """What covariates add to the log odds of every response; types are shown at their mean."""
        return tuple(p for p in self.parameters() if p.name.startswith("shift"))

    @property
    def n_parameters(self) -> int:
        """Free ones: shares sum to one."""
        return len(self.parameters()) - 1

    # saving

    _tables: ClassVar[tuple[str, ...]] = (
        *("responses_", "response_se_", "moves_", "shares_", "share_se_", "membership_se_"),
        *("shift_", "shift_se_", "shift_mean_"),
    )

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Tables as JSON."""
        return {
            **{name: _listed(getattr(self, name)) for name in self._tables},
            "membership": self.membership_.coefficients.tolist(),
            "coding": self.coding_.to_state(),
            "log_likelihood": self.log_likelihood_,
            "n_subjects": self.n_subjects_,
        }, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the tables.

        Raises
        ------
        DataError
            Tables that do not fit each other, or numbers that are no probabilities.
        """
        for name in self._tables:
            setattr(self, name, np.asarray(state[name], dtype=float))
        n_shift = len(self.shift_mean_) if self.shift_mean_.ndim == 1 else -1
        for name in ("shift_", "shift_se_"):
            setattr(self, name, getattr(self, name).reshape(n_shift, len(self.actions_)))
        self.membership_ = Membership(np.asarray(state["membership"], dtype=float))
        self.coding_ = SubjectCoding.from_state(state["coding"])
        self.log_likelihood_, self.n_subjects_ = float(state["log_likelihood"]), int(state["n_subjects"])
        shape, b = self.responses_.shape, self.membership_.coefficients
        k, cells, a = shape if len(shape) == 3 else (0, 0, 0)
        fits = (
            0 < k <= MOST_TYPES
            and a == len(self.actions_)
            and self.response_se_.shape == shape
            and self.moves_.shape == (k, cells)
            and self.shares_.shape == self.share_se_.shape == (k,)
            and b.shape == (self._design_widths()[0], k)
            and n_shift == self._design_widths()[1]
            and self.membership_se_.shape == b.shape
            and cells == self._n_cells(a)
        )
        if not fits or not ((self.responses_ > 0).all() and np.allclose(self.responses_.sum(2), 1)):
            raise DataError("tables of types do not fit each other, expected probabilities of K types")
        return self


def _listed(values: Floats) -> Any:
    """Nested lists, with None for what is no number."""
    return np.where(np.isfinite(values), values.astype(object), None).tolist()  # type: ignore[call-overload]


def number(value: float) -> float | None:
    """The same, None where it is no number."""
    return float(value) if np.isfinite(value) else None


class FreeResponse(ResponseTypes):
    """Finite mixture of types that choose freely in every situation.

    Parameters
    ----------
    memory : {1, 2}, rounds
    n_types : int, optional
        K; else the one of 1, 2, 4, 8, 16 that predicts whole subjects or games left out best.
    acts : {"membership", "response", "both"}
        What covariates act on, where there are any.
    smoothing : float, pseudo-moves in each situation of each type, divided as the moves of all subjects
    ridge : float, of covariates' coefficients
    combinations : bool
        Whether combinations of categories have memberships of their own, beside those of levels.
    n_starts, n_iter : int
    tol : float, nats per subject that a step of EM must gain to go on
    errors : {"subject", "information", "none"}
        Whether errors allow for subjects of one type that differ, or trust that they do not; or no errors.
    random_state : int, optional
    """

    any_actions: ClassVar[bool] = True

    def __init__(
        self,
        *,
        memory: int = 1,
        n_types: int | None = None,
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
        self.memory = memory
        self.n_types = n_types
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
        if self.memory not in (1, 2):
            raise UsageError(f"memory of {self.memory} rounds, expected 1 or 2")
        k = self.n_types
        if k is not None and not (isinstance(k, int) and 1 <= k <= MOST_TYPES):
            raise UsageError(f"{k!r} types, expected a whole number from 1 to {MOST_TYPES}")
        if self._n_cells(X.n_actions) * X.n_actions > _MOST_CELLS:
            raise DataError(
                f"{X.n_actions} actions make {self._n_cells(X.n_actions):,} situations of memory two, "
                f"expected at most {_MOST_CELLS // X.n_actions:,}: use memory-one"
            )
        rng = np.random.default_rng(self.random_state)
        if k is None:
            k = self._chosen(X, rng)
        self.coding_ = SubjectCoding.learn(X, combinations=self.combinations)
        e = self._evidence(X)
        n = int(e.weights.sum())
        if k > n:
            self.notes_.append(f"{k} types of {n} subjects: {n} types")
            k = n
        self._describe(e, self._fitted_types(e, k, rng), X)

    def _fitted_types(self, e: Evidence, k: int, rng: np.random.Generator) -> Fitted:
        return fit_types(
            e, k, self._pseudo(e), n_starts=self.n_starts, n_iter=self.n_iter, tol=self.tol, rng=rng
        )

    def _chosen(self, X: Choices, rng: np.random.Generator) -> int:
        """The number of types with the least loss on whole units left out."""
        unit = _units(X)
        n = int(unit.max()) + 1
        if n < 2 * _INNER_FOLDS:
            return 1
        fold = rng.permutation(n)[unit] % _INNER_FOLDS
        seed = int(rng.integers(1 << 31))
        losses: dict[int, float] = {}
        for k in _TRIED:
            if k > n // 4 and k > 1:
                break
            total = 0.0
            for f in range(_INNER_FOLDS):
                part = FreeResponse(
                    **{**self.get_params(), "n_types": k, "n_starts": _INNER_STARTS, "random_state": seed}
                )
                inside, outside = X[fold != f], X[fold == f]
                if not inside.n_moves:
                    continue
                part._fit_plainly(inside)
                made = moves_made(part.next_move(outside), outside)
                total -= float(np.log(made).sum())
            losses[k] = total / max(X.n_moves, 1)
            if len(losses) > 1 and losses[k] > min(losses.values()) + 1e-3:
                break
        return min(losses, key=lambda k: losses[k])

    def _fit_plainly(self, X: Choices) -> None:
        """Fit without standard errors and names."""
        self.actions_, self.notes_ = X.actions, []
        self.coding_ = SubjectCoding.learn(X, combinations=self.combinations)
        e = self._evidence(X)
        rng = np.random.default_rng(self.random_state)
        fit = self._fitted_types(e, min(self.n_types or 1, int(e.weights.sum())), rng)
        self._take(e, fit.mixed)

    def _cells(self, X: Choices) -> Ints:
        return situations(X, self.memory)

    def _answering(self, X: Choices, shift: Floats) -> Answers:
        return _Situations(self, X, shift)

    def _n_cells(self, n_actions: int) -> int:
        return n_situations(n_actions, self.memory)

    def _cell_names(self) -> list[str]:
        """``start``, ``CD``, ``CC,CD`` (the round before, the last), ``unknown``."""
        letters = ["D", "C"] if self.actions_ == COOPERATION else list(self.actions_)
        joint = "" if all(len(a) == 1 for a in letters) else "-"
        ones = [f"{a}{joint}{b}" for a in reversed(letters) for b in reversed(letters)]
        twos = [f"{a},{b}" for a in ones for b in ones] if self.memory == 2 else []
        return ["start", *ones, *twos, "unknown"]

    def _type_names(self) -> list[str]:
        near = [self._nearest(k) for k in range(len(self.shares_))]
        return [f"type {i}{name}" for i, name in enumerate(near, 1)]

    def _nearest(self, k: int) -> str:
        from intent.recognise.hmm import nearest_strategies
        from intent.strategies.catalogue import catalogue

        if self.actions_ != COOPERATION:
            return ""
        p, moves = self.responses_[k, :-1, 1], self.moves_[k, :-1]
        near = nearest_strategies(p, moves, catalogue(), 1, slips=False)
        if not near:
            return ""
        return f" ({near[0].strategy} {near[0].distance:.2f})".replace(" 0.", " .")

    def types(self) -> tuple[ChoiceType, ...]:
        """The types as automata, a state for each situation; empty for more than two actions."""
        if self.actions_ != COOPERATION:
            return ()
        steps = _next_situations(self.memory)
        return tuple(
            ChoiceType(
                name,
                float(self.shares_[k]),
                number(self.share_se_[k]),
                Strategy(name, tuple(self.responses_[k, :-1, 1].tolist()), steps),
            )
            for k, name in enumerate(self._type_names())
        )


def _next_situations(memory: int) -> tuple[tuple[int, int, int, int], ...]:
    """Situation after each outcome, from each situation but the unknown one."""
    if memory == 1:
        return ((1, 2, 3, 4),) * 5
    after_one = [tuple(5 + 4 * o + last for last in range(4)) for o in range(4)]
    rows = [(1, 2, 3, 4), *after_one, *(after_one[last] for _ in range(4) for last in range(4))]
    return tuple((r[0], r[1], r[2], r[3]) for r in rows)


def _units(X: Choices) -> Ints:
    """What is left out together: subjects, or games where every row is a subject of its own."""
    _, unit = np.unique(X.subject, return_inverse=True)
    single = int(unit.max()) + 1 == len(X)
    if single and X.keys is not None and "game_id" in X.keys:
        _, unit = np.unique(X.keys["game_id"].astype(str).to_numpy(), return_inverse=True)
    codes: Ints = unit.reshape(-1).astype(np.intp)
    return codes
