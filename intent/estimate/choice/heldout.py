"""Held-out log loss: every model is fitted to a part of the play and predicts the rest, move by move.

With p_m the probability that model m, fitted without the fold of a move, gave to it, the currency is the mean
of -log p_m, in nats per move. Of what can be predicted at all, model m explains

    R = (L_base - L_m) / (L_base - L_ceiling),

with L_base the base rate's loss and L_ceiling that of the best flexible model on the same folds with the same
information. A model that is better than the ceiling has R > 1. Means, differences and R are ratios of sums
over rows, A / B; row i adds (a_i - R b_i) / B to their error, summed within what is independent (linearised).

References
----------
Fudenberg, Kleinberg, Liang & Mullainathan (2022), Journal of Political Economy 130:956 (completeness); Kish &
Frankel (1974), Journal of the Royal Statistical Society B 36:1 (linearised ratios); Wolpert (1992), Neural
Networks 5:241 (stacking).
"""

from __future__ import annotations

import hashlib
import json
import re
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.binary import read_arrays
from intent.base.errors import DataError, IntentError, OutputError, UnknownNameError, UsageError, shorten
from intent.base.files import bounds, file_bytes, json_value
from intent.base.outputs import claim, make_folder, writing
from intent.base.statistics import Grouping, Interval, cluster_codes, two_way_variance
from intent.base.workers import SERIAL, Workers
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.model import ChoiceModel, make_model, moves_made
from intent.estimate.design_units import CELL, Unit, block_codes, cell_codes, design_units, named_unit
from intent.estimate.mixture import shares_of
from intent.recognise.recogniser import Files
from intent.version import __version__

__all__ = [
    "CONDITION",
    "GAME",
    "NOTHING",
    "NO_COVARIATES",
    "PLAYER",
    "CrossFit",
    "Fitted",
    "Folds",
    "Independent",
    "Parts",
    "Scores",
    "cross_fit",
    "folds_of",
    "independent",
    "ratio_interval",
    "stacked",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

GAME, PLAYER, CONDITION = "game", "player", "condition"
NO_COVARIATES = "@none"
"""What ends the name of a model that is to see no covariate, whatever the choices have."""
NOTHING = Interval(float("nan"), float("nan"), float("nan"))
"""What stands where a number has no meaning."""
_MOST_STACKED = 400_000
"""Moves from which the weights of a stack are estimated; of more, evenly spread ones."""
_MARK = "predict.json"
_LONGEST = 300
"""Characters of what is wrong with a model, so that what to do about it is not cut off."""


@dataclass(frozen=True, eq=False)
class Folds:
    """Which rows are predicted by models that were fitted without them.

    Attributes
    ----------
    unit : Unit
        What stays together.
    of : (n,) int, fold of each row
    n : int, folds
    notes : what a reader should know of them
    """

    unit: Unit
    of: Codes
    n: int
    notes: tuple[str, ...] = ()


def folds_of(
    X: Choices, held_out: str | Sequence[str] = GAME, n: int = 5, *, rng: np.random.Generator
) -> Folds:
    """Folds of whole games, subjects or conditions, drawn at random, with nearly as many moves each.

    A game is never in two folds, except where subjects are held out: then all games of a subject are in one,
    and the other seat of a game belongs to its own subject.

    Parameters
    ----------
    X : Choices
    held_out : str or sequence of str
        ``game``, ``player``, ``condition`` (cells of the design), or columns of the keys: games alike in them
        in both seats.
    n : int
        Folds; fewer where there are fewer units.
    rng : Generator

    Raises
    ------
    UsageError
        Fewer than two folds, or fewer than two units.
    UnknownNameError
        A column that there is not.
    """
    if n < 2:
        raise UsageError(f"--folds {n}, expected at least 2")
    unit = replace(_held_unit(X, held_out), reason="they are held out together")
    codes = np.unique(unit.codes, return_inverse=True)[1].reshape(-1)
    moves = np.bincount(codes, weights=X.counted.sum(1))
    playable = int((moves > 0).sum())
    if playable < 2:
        raise UsageError(
            f"{unit.counted(playable)} to hold out, expected at least 2: hold out another unit "
            "(--held-out game, player, condition or columns)"
        )
    notes = []
    if playable < n:
        notes.append(f"{unit.counted(playable)} make {playable} folds, fewer than the {n} asked for")
        n = playable
    order = rng.permutation(len(moves))
    order = order[np.argsort(-moves[order], kind="stable")]
    fold, loads = np.empty(len(moves), dtype=np.intp), np.zeros(n)
    for one in order:
        fold[one] = np.argmin(loads)
        loads[fold[one]] += moves[one]
    return Folds(unit, fold[codes], n, tuple(notes))


def _held_unit(X: Choices, held_out: str | Sequence[str]) -> Unit:
    keys = X.keys
    if keys is None:
        keys = pd.DataFrame({"game_id": np.arange(len(X))})
    columns = (held_out,) if isinstance(held_out, str) else tuple(held_out)
    if columns == (GAME,):
        return named_unit(("game_id",), cluster_codes(keys, ["game_id"]))
    if columns == (PLAYER,):
        return named_unit(("player",), np.asarray(X.subject))
    if columns == (CONDITION,) and CONDITION not in keys:
        return named_unit(CELL, cell_codes(keys))
    for column in columns:
        if column not in keys:
            raise UnknownNameError(
                "what to hold out", column, [GAME, PLAYER, CONDITION, *map(str, keys.columns)]
            )
    return named_unit(columns, _alike_games(keys, columns))


def _alike_games(keys: pd.DataFrame, columns: Sequence[str]) -> Codes:
    """(n,) code of each row's game by the values that its rows have in some columns, in any order."""
    games, own = cluster_codes(keys, ["game_id"]), block_codes(keys, list(columns))
    order = np.lexsort((own, games))
    kinds: dict[bytes, int] = {}
    parts = np.split(own[order], np.flatnonzero(np.diff(games[order])) + 1)
    codes = np.array([kinds.setdefault(part.tobytes(), len(kinds)) for part in parts], dtype=np.intp)
    return codes[np.unique(games, return_inverse=True)[1].reshape(-1)]


@dataclass(frozen=True, eq=False)
class Independent:
    """What errors of held-out losses take as independent.

    Attributes
    ----------
    unit : Unit
    also : (n,) int, optional
        A second way, where what is held out cuts through what the design takes as independent.
    """

    unit: Unit
    also: Codes | None = None


def independent(X: Choices, folds: Folds) -> Independent:
    """The unit held out, or that of the design where it is wider; both ways where neither holds the other.

    Repeats of a condition are separate draws for what is said of new games of these conditions, and one draw
    where conditions are held out.
    """
    held = folds.unit
    if X.keys is None:
        return Independent(held)
    design = design_units(X.keys, conditions=False).unit
    if _nested(design.codes, held.codes):
        return Independent(held)
    if _nested(held.codes, design.codes):
        return Independent(design, design.also)
    return Independent(design, held.codes if design.also is None else design.also)


def _nested(fine: Codes, coarse: Codes) -> bool:
    """Whether each unit of the first lies in one of the second."""
    one = np.unique(fine, return_inverse=True)[1].reshape(-1).astype(np.int64)
    two = np.unique(coarse, return_inverse=True)[1].reshape(-1)
    return len(np.unique(one * (int(two.max(initial=0)) + 1) + two)) == int(one.max(initial=-1)) + 1


CLUSTERED_T = "clustered t"
"""What captions call the interval of `ratio_interval`."""


def ratio_interval(top: Floats, bottom: Floats, of: Independent, level: float = 0.95) -> Interval:
    """The ratio of two sums over rows, and its clustered interval by Student's t.

    With influences z_c of C units the degrees of freedom are those of their variance (Satterthwaite),
    2 / (sum z_c^4 / (sum z_c^2)^2 - 1 / C), C - 1 at most: few where a few units weigh most. Losses of units
    that one fit predicts also share the error of that fit, which no sum over units sees. It falls with C; the
    factor 1 + 30 / C of the variance, at most 3/2, is calibrated on simulated logs of 60 and 200 games
    (`benchmarks/choice_heldout.py`).

    Parameters
    ----------
    top, bottom : (n,) float
    of : Independent
    level : float in (0, 1)

    Returns
    -------
    Interval
        Its ends are NaN where fewer than two units have anything to say.
    """
    from scipy.stats import t

    rows = np.flatnonzero((bottom != 0) | (top != 0))
    total = float(bottom[rows].sum())
    if not total:
        return Interval(float("nan"), float("nan"), float("nan"))
    estimate = float(top[rows].sum()) / total
    clusters = of.unit.codes[rows]
    also = None if of.also is None else of.also[rows]
    number = min(len(np.unique(codes)) for codes in (clusters, also) if codes is not None)
    if number < 2:
        return Interval(estimate, float("nan"), float("nan"))
    influence = (top[rows] - estimate * bottom[rows]) / total * np.sqrt(number / (number - 1))
    larger = 1 + min(_OF_FITS / number, _MOST_OF_FITS)
    error = float(np.sqrt(larger * two_way_variance(influence[:, None], clusters, also)[0]))
    if not error:
        return Interval(estimate, estimate, estimate)
    freedom = min(_freedom(influence, codes) for codes in (clusters, also) if codes is not None)
    reach = float(t.ppf((1 + level) / 2, freedom)) * error
    return Interval(estimate, estimate - reach, estimate + reach)


_OF_FITS, _MOST_OF_FITS = 30.0, 0.5
"""By how much the error of the fits raises the variance: so much over the number of units, and at most."""


def _freedom(influence: Floats, clusters: Codes) -> float:
    """Satterthwaite's degrees of freedom of a clustered variance, 1 to C - 1."""
    units = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    squares = np.bincount(units, weights=influence) ** 2
    n, total = len(squares), float(squares.sum())
    uneven = float((squares**2).sum()) / total**2 - 1 / n if total else 0.0
    return float(np.clip(2 / uneven if uneven > 0 else n - 1, 1, n - 1))


@dataclass(frozen=True)
class _Task:
    """One fit: of a model, without some folds, on which it then predicts."""

    model: str
    leave: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Fitted:
    """What one fit gave.

    Attributes
    ----------
    losses : (m, T) float, -log p of the moves of the rows that were left out, 0 where none is counted
    seconds : float
    notes : of the model
    error : why it gave nothing; empty where it did
    state, files : of the model, as `ChoiceModel.to_state`; of a fit to all rows alone
    """

    losses: Floats
    seconds: float
    notes: tuple[str, ...] = ()
    error: str = ""
    state: Mapping[str, Any] | None = None
    files: Files | None = None


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Held-out losses of a model.

    Attributes
    ----------
    name : as it was named
    model : unfitted, with its settings
    losses : (n, T) float, -log p of each move by a fit without its fold; None where one of the fits failed
    inner : fold -> ((m,) rows, (m, T) losses) of fits without that fold and another, on this other
    whole : ChoiceModel, optional
        Fitted to all rows.
    seconds : float, all fits of `losses`
    notes : tuple of str
    error : why there are no losses
    """

    name: str
    model: ChoiceModel
    losses: Floats | None
    inner: Mapping[int, tuple[Codes, Floats]]
    whole: ChoiceModel | None
    seconds: float
    notes: tuple[str, ...]
    error: str = ""


def unfitted(name: str, seed: int) -> ChoiceModel:
    """The model of a name, ``@none`` left out, with its random numbers begun at the seed."""
    model = make_model(name.removesuffix(NO_COVARIATES))
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model


def seen_by(name: str, X: Choices) -> Choices:
    """The choices as the model of that name sees them."""
    return replace(X, covariates=None) if name.endswith(NO_COVARIATES) else X


def cross_fit(
    names: Sequence[str],
    X: Choices,
    folds: Folds,
    *,
    seed: int = 0,
    nested: bool = False,
    whole: bool = True,
    workers: Workers = SERIAL,
    parts: Parts | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> list[CrossFit]:
    """Each model, fitted without each fold in turn, on the moves of that fold.

    Parameters
    ----------
    names : of models; ``@none`` after one keeps the covariates from it
    X : Choices
    folds : Folds
    seed : int
    nested : bool
        Also fits without two folds, each fold paired with the next: with three folds or more, what models
        inside of each training part is known by.
    whole : bool
        Also fits to all rows, of models that a person can read.
    workers : who does the work; the result is the same
    parts : Parts, optional
        Where fits that are done stand, and new ones go.
    update : called with the numbers of fits done, and in all

    Raises
    ------
    UnknownNameError, UsageError
        A name that makes no model.
    """
    models = {name: unfitted(name, seed) for name in names}
    k = folds.n
    leaves: list[tuple[int, ...]] = [(fold,) for fold in range(k)]
    if nested and k > 2:
        leaves += sorted({(min(pair), max(pair)) for pair in ((i, (i + 1) % k) for i in range(k))})
    tasks = [_Task(name, leave) for name in models for leave in leaves]
    if whole:
        tasks += [_Task(name, ()) for name, model in models.items() if model.interpretable]
    shape = X.shape
    results: dict[_Task, Fitted] = {}
    if parts is not None:
        parts.identify(X, folds, seed)
        for task in tasks:
            if (there := parts.read(task)) is not None:
                results[task] = there
    update(len(results), len(tasks))
    missing = [task for task in tasks if task not in results]
    for task, outcome in workers.map(partial(_fit, X, folds.of, seed), missing, ordered=False):
        results[task] = outcome
        if parts is not None:
            parts.write(task, outcome)
        update(len(results), len(tasks))
    return [_joined(name, model, X, folds, results, shape) for name, model in models.items()]


def _joined(
    name: str,
    model: ChoiceModel,
    X: Choices,
    folds: Folds,
    results: Mapping[_Task, Fitted],
    shape: tuple[int, int],
) -> CrossFit:
    outer = [results[_Task(name, (fold,))] for fold in range(folds.n)]
    error = next((one.error for one in outer if one.error), "")
    losses = np.zeros(shape)
    inner: dict[int, list[tuple[Codes, Floats]]] = {fold: [] for fold in range(folds.n)}
    if not error:
        for fold, one in enumerate(outer):
            losses[folds.of == fold] = one.losses
    for task, one in sorted(results.items(), key=lambda item: item[0].leave):  # not as they were done
        if task.model != name or len(task.leave) != 2 or one.error:
            continue
        rows = np.flatnonzero(np.isin(folds.of, task.leave))
        for fold in task.leave:  # what the training part without `fold` knows of the other
            there = folds.of[rows] != fold
            inner[fold].append((rows[there], one.losses[there]))
    there = results.get(_Task(name, ()))
    restored = None
    if there is not None and there.state is not None:
        restored = unfitted(name, 0)
        restored.actions_, restored.notes_ = X.actions, list(there.notes)
        restored.from_state(there.state, there.files or {})
    notes = [note for one in (*([there] if there is not None else []), *outer) for note in one.notes]
    if there is not None and there.error and not error:
        notes.append(f"not fitted to all rows: {there.error}")
    pooled = {
        fold: (np.concatenate([r for r, _ in both]), np.concatenate([values for _, values in both]))
        for fold, both in inner.items()
        if both
    }
    return CrossFit(
        name,
        model,
        None if error else losses,
        pooled,
        restored,
        sum(one.seconds for one in outer),
        _distinct(notes),
        error,
    )


def _distinct(notes: Sequence[str]) -> tuple[str, ...]:
    """The first of those notes that differ in their numbers alone, as those of several folds do."""
    return tuple({re.sub(r"[\d.,]+", "#", note): note for note in reversed(notes)}.values())[::-1]


def _fit(X: Choices, of: Codes, seed: int, task: _Task) -> tuple[_Task, Fitted]:
    """Fit without the folds of a task, and the losses on them; an error is part of the result."""
    begin = time.perf_counter()
    test = np.flatnonzero(np.isin(of, task.leave))
    nothing = np.zeros((len(test), X.shape[1]))
    model = unfitted(task.model, seed)
    if task.leave:
        model.without_errors()
    known = seen_by(task.model, X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(known[~np.isin(of, task.leave)] if task.leave else known)
            losses = nothing
            if task.leave:
                losses = _losses(model, known, test)
            state, files = (None, None) if task.leave else model.to_state()
        except (MemoryError, IntentError) as error:
            return task, Fitted(
                nothing, time.perf_counter() - begin, (), shorten(error, _LONGEST) or "out of memory"
            )
        except Exception as error:  # noqa: BLE001 - whatever one model does wrong, the others go on
            reason = f"{type(error).__name__}: {shorten(error, _LONGEST)}"
            return task, Fitted(nothing, time.perf_counter() - begin, (), reason)
    words = [
        shorten(str(w.message), _LONGEST) for w in caught if not issubclass(w.category, DeprecationWarning)
    ]
    notes = tuple(dict.fromkeys([*model.notes_, *words]))
    return task, Fitted(losses, time.perf_counter() - begin, notes, "", state, files)


def _losses(model: ChoiceModel, X: Choices, rows: Codes) -> Floats:
    """(m, T) of some rows, each with the earlier games of its subject as its past.

    Raises
    ------
    DataError
        A probability that is none.
    """
    near = np.flatnonzero(np.isin(X.subject, X.subject[rows]))
    play = X[near]
    likelihoods = moves_made(model.next_move(play), play)[np.searchsorted(near, rows)]
    if not np.isfinite(likelihoods).all() or likelihoods.min(initial=1.0) <= 0:
        raise DataError("it gave a move no probability above 0")
    return np.asarray(-np.log(likelihoods))


@cache
def _code() -> str:
    """Hash of the modules of this folder: between two releases a version says too little."""
    content = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        content.update(path.read_bytes())
    return content.hexdigest()


class Parts:
    """A folder in which every fit that is done stands, so that a job that was stopped goes on.

    A fit is known by everything that determines it: the play, the folds, the covariates that it sees, the
    model's name and all its settings, the seed, the version and the code of the models.

    Parameters
    ----------
    folder : path, made where absent

    Raises
    ------
    OutputError
        A folder with something else in it, or one that cannot be written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = claim(folder, overwrite=True, into=True)
        if self.folder.is_dir() and not (self.folder / _MARK).is_file() and any(self.folder.iterdir()):
            raise OutputError(
                f"{folder} is not empty and holds no {_MARK}, so no fits of ours stand there; choose another"
            )
        make_folder(self.folder)
        if not (self.folder / _MARK).is_file():
            with writing(self.folder / _MARK, overwrite=True) as draft:
                draft.write_text("{}\n", encoding="utf-8")
        self._of: dict[bool, str] = {}

    def identify(self, X: Choices, folds: Folds, seed: int) -> None:
        """What the parts are of, before any is read or written."""
        content = hashlib.sha256()
        described = (X.payoffs, X.other_payoffs, X.payoff_of, X.implementation_error)
        for values in (X.own, X.other, X.chosen, X.subject, folds.of, *described):
            content.update(b"-" if values is None else np.ascontiguousarray(values).tobytes())
        content.update(json.dumps([X.shape, X.actions, seed, __version__, _code()]).encode())
        self._of[True] = self._of[False] = content.hexdigest()
        if X.covariates is not None:
            content.update(X.covariates.to_csv(index=False).encode())
            self._of[False] = content.hexdigest()

    def _path(self, task: _Task) -> Path:
        blind = task.model.endswith(NO_COVARIATES)
        name = task.model.removesuffix(NO_COVARIATES)
        settings = sorted((key, repr(value)) for key, value in unfitted(name, 0).get_params().items())
        text = json.dumps([self._of[blind], name, settings, task.leave])
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.safetensors"

    def read(self, task: _Task) -> Fitted | None:
        """The fit, where it is done; a file that cannot be read counts as none."""
        path = self._path(task)
        if not path.is_file():
            return None
        try:
            arrays = read_arrays(file_bytes(path, bounds().numbers_bytes), path.name)
            facts = json_value(arrays["facts"].tobytes().decode("utf-8"))
            files = {
                name.removeprefix("file "): a.tobytes() for name, a in arrays.items() if name[:5] == "file "
            }
            return Fitted(
                arrays["losses"].astype(float),
                float(facts["seconds"]),
                tuple(map(str, facts["notes"])),
                str(facts["error"]),
                facts["state"],
                files,
            )
        except (IntentError, KeyError, TypeError, ValueError):
            return None

    def write(self, task: _Task, outcome: Fitted) -> None:
        """Keep a fit; one that failed is tried again next time."""
        from safetensors.numpy import save

        if outcome.error:
            return
        facts = {name: getattr(outcome, name) for name in ("seconds", "notes", "error", "state")}
        arrays = {"losses": np.ascontiguousarray(outcome.losses)}
        arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
        for name, content in (outcome.files or {}).items():
            arrays[f"file {name}"] = np.frombuffer(content, dtype=np.uint8)
        with writing(self._path(task), overwrite=True) as draft:
            draft.write_bytes(save(arrays))


def stacked(fits: Sequence[CrossFit], X: Choices, folds: Folds) -> tuple[Floats, Floats, Codes, Floats]:
    """A mixture of all models, and the best of them, both chosen inside of the training parts.

    The weights of fold k maximise sum log sum_m w_m p_m over moves of other folds, which p_m, fitted without
    these and without k, predicted.

    Parameters
    ----------
    fits : CrossFit, `nested` and without errors
    X : Choices
    folds : Folds, at least three

    Returns
    -------
    losses : (n, T) of the mixture
    weights : (folds, M)
    chosen : (folds,) index of the single model with the least loss there
    alone : (n, T) losses of the chosen one

    Raises
    ------
    UsageError
        Fewer than three folds: a training part cannot be parted once more.
    """
    if folds.n < 3:
        raise UsageError(f"{folds.n} folds, expected at least 3 to choose inside of a training part")
    losses, alone = np.zeros(X.shape), np.zeros(X.shape)
    weights, chosen = np.zeros((folds.n, len(fits))), np.zeros(folds.n, dtype=np.intp)
    for fold in range(folds.n):
        rows = fits[0].inner[fold][0]
        counted = X.counted[rows]
        log_p = np.stack([-one.inner[fold][1][counted] for one in fits], axis=1)
        step = -(-len(log_p) // _MOST_STACKED)
        weights[fold] = shares_of(log_p[::step])
        chosen[fold] = int(np.argmax(log_p.mean(0)))
        test = folds.of == fold
        mixed = np.zeros((int(test.sum()), X.shape[1]))
        for m, one in enumerate(fits):
            assert one.losses is not None
            mixed += weights[fold, m] * np.exp(-one.losses[test])
        losses[test] = np.where(X.counted[test], -np.log(mixed), 0.0)
        best = fits[int(chosen[fold])].losses
        assert best is not None
        alone[test] = best[test]
    return losses, weights, chosen, alone


@dataclass(frozen=True, eq=False)
class Scores:
    """What losses are scored on.

    Attributes
    ----------
    X : Choices
    of : Independent
    level : float
    groups : Grouping, optional
    """

    X: Choices
    of: Independent
    level: float
    groups: Grouping | None

    @property
    def moves(self) -> Floats:
        """(n,) moves that are predicted."""
        return np.asarray(self.X.counted.sum(1), dtype=float)

    @property
    def n_actions_met(self) -> int:
        """Actions that were chosen at all."""
        return len(np.unique(self.X.chosen[self.X.counted]))

    def mean(self, losses: Floats, rows: NDArray[np.bool_] | None = None) -> Interval:
        """Mean loss per move, of all rows or some; the interval of what is nowhere below 0 ends there."""
        inside = 1.0 if rows is None else rows
        mean = ratio_interval(losses.sum(1) * inside, self.moves * inside, self.of, self.level)
        return replace(mean, low=max(mean.low, 0.0)) if mean.low < 0 <= losses.min() else mean

    def gain(self, base: Floats, ceiling: Floats, rows: NDArray[np.bool_] | None = None) -> Interval:
        """What the ceiling saves per move."""
        return self.mean(base - ceiling, rows)

    def explained(
        self, base: Floats, losses: Floats, ceiling: Floats, rows: NDArray[np.bool_] | None = None
    ) -> Interval:
        """Share of that; NaN where its interval holds 0."""
        gain = self.gain(base, ceiling, rows)
        if not gain.low > 0:
            return NOTHING
        inside = 1.0 if rows is None else rows
        top, bottom = (base - losses).sum(1) * inside, (base - ceiling).sum(1) * inside
        return ratio_interval(top, bottom, self.of, self.level)

    def rounds(self, losses: Floats) -> tuple[float, ...]:
        """Mean loss by round."""
        with np.errstate(invalid="ignore"):
            means = losses.sum(0) / self.X.counted.sum(0)
        return tuple(means.tolist())
