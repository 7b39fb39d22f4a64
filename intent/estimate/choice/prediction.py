"""Which account of behaviour predicts the next move best, and how much of the play each explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, UsageError
from intent.base.job import check_level, job
from intent.base.registry import missing, require
from intent.base.statistics import Interval, grouping
from intent.base.tables import column_names
from intent.base.workers import open_workers
from intent.estimate.choice.checks import Check, predictive_checks
from intent.estimate.choice.choices import OTHER_PREFIX, Choices, choices_of_log
from intent.estimate.choice.explained import PredictResult
from intent.estimate.choice.heldout import (
    NO_COVARIATES,
    NOTHING,
    CrossFit,
    Folds,
    Parts,
    Scores,
    cross_fit,
    folds_of,
    independent,
    stacked,
)
from intent.estimate.choice.model import MODELS, ChoiceModel, make_model, model_entry
from intent.estimate.choice.portraits import portraits
from intent.estimate.choice.scores import BASELINE, CHOSEN, STACK, GroupScore, ModelRow
from intent.estimate.design_units import design_columns
from intent.estimate.requests import PredictRequest
from intent.logs.chunks import focal_play, keeps_scripted, scripted_notes, unread_rows
from intent.strategies.catalogue import catalogue
from intent.version import __version__

__all__ = ["DEFAULTS", "WITH_COVARIATES", "covariate_names", "predict"]

Floats = NDArray[np.float64]

DEFAULTS = ("base-rate", "round-rate", "automata", "memory-one", "memory-two", "logit")
WITH_COVARIATES = (
    *("base-rate", "round-rate", "setting-rate", "automata@none", "memory-two:4@none"),
    *("memory-two:4", "logit", "logit-settings"),
)
"""Those that a newcomer should see, in a time that one waits for."""

_NO_MODEL = "none"
_SPELLED = 8


@job(PredictRequest)
def predict(request: PredictRequest) -> PredictResult:
    """Held-out log loss of models of choice, how much each explains, and what the best readable one says.

    Returns
    -------
    PredictResult

    Raises
    ------
    UsageError
        Fewer than two units to hold out, no model, or games of more than two players and no `others`.
    UnknownNameError
        A model or column that there is not.
    DataError
        No move to predict.
    """
    check_level(request.level)
    how = request.values(("where", "others", "keep_defaulted")) | keeps_scripted(request)
    played, play = focal_play(request.log, **how, **request.file_reading())
    covariates = covariate_names(request.covariates)
    X = choices_of_log(played, play, covariates=covariates, subject=_columns(request.subject))
    if not X.n_moves:
        reasons = "; ".join(f"{n:,} games: {why}" for why, n in played.skipped().items())
        raise DataError(f"the log has no move to predict{reasons and f' ({reasons})'}")
    assert X.keys is not None
    by = column_names(request.by, X.keys.columns)
    groups = grouping(X.keys, by) if by else None
    names, ceilings, notes = _named(request, X)
    rng = np.random.default_rng(request.seed)
    held_out = _columns(request.held_out)
    folds = folds_of(X, held_out, request.folds, rng=rng)
    notes += [*unread_rows(played), *folds.notes, *scripted_notes(played)]
    nested = bool(request.stack) and folds.n > 2
    if request.stack and not nested:
        notes.append(f"no stack: a training part of {folds.n} folds cannot be parted once more")
    parts = None if request.keep is None else Parts(request.keep)
    with open_workers(request.workers, request.dask) as workers:
        notes += workers.notes
        fits = cross_fit(
            names,
            X,
            folds,
            seed=request.seed,
            nested=nested,
            workers=workers,
            parts=parts,
            update=request.update,
        )
    scores = Scores(X, independent(X, folds), request.level, groups)
    scored, weights, chosen = _rows(fits, X, folds, scores, nested=nested)
    rows, best, ceiling, gain = _compared(scored, fits, scores, ceilings)
    model = next((fit.whole for fit in fits if fit.name == best), None)
    known = replace(X, covariates=None) if best is not None and best.endswith(NO_COVARIATES) else X
    checks: tuple[Check, ...] = ()
    if model is not None and request.checks:
        checks = predictive_checks(model, known, samples=request.checks, rng=rng)
    notes += _cautions(X, covariates, ceiling, ceilings)
    order = (
        "by",
        "where",
        "others",
        "keep_defaulted",
        "keep_scripted",
        "seed",
        "level",
        "ceiling",
        "subject",
        "checks",
    )
    config = request.config()
    config = {
        "log": played.provenance,
        "models": list(names),
        "covariates": list(covariates),
        "held_out": list(held_out),
        "folds": folds.n,
        **{name: config[name] for name in order},
        "by": list(by),
        "version": __version__,
    }
    origin = Path(request.log) if isinstance(request.log, str | Path) else None
    return PredictResult(
        tuple(rows),
        best,
        ceiling,
        gain,
        by,
        len(X),
        X.n_moves,
        X.actions,
        scores.of,
        weights,
        chosen,
        checks,
        model,
        config,
        origin,
        tuple(notes),
    )


def _columns(value: str | Sequence[str]) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else list(value)
    return tuple(part.strip() for item in items for part in item.split(",") if part.strip())


def covariate_names(value: str | Sequence[str]) -> tuple[str, ...]:
    """The columns that a user names, also several in one text.

    Raises
    ------
    UsageError
        One of them twice.
    """
    columns = _columns(value)
    for i, column in enumerate(columns):
        if column in columns[:i]:
            raise UsageError(f"covariate {column!r} is named twice, expected different columns")
    return columns


def _named(request: PredictRequest, X: Choices) -> tuple[list[str], list[str], list[str]]:
    """Names of all models, those of them that are ceilings, and notes on models that were left out.

    Raises
    ------
    UnknownNameError, UsageError
        As `make_model`.
    MissingExtraError
        A model that is named needs a library that is not installed.
    """
    notes: list[str] = []
    ceilings = [name for name in _columns(request.ceiling) if name != _NO_MODEL]
    names = list(_columns(request.models))
    if not names:
        defaults = [n for n in (WITH_COVARIATES if X.covariates is not None else DEFAULTS) if _there(n)]
        names = [n for n in defaults if X.n_actions == 2 or _model(n).any_actions]
        if len(names) < len(defaults):
            out = ", ".join(n for n in defaults if n not in names)
            notes.append(f"left out, since they take two actions and there are {X.n_actions}: {out}")
    if not request.changed(("ceiling",)):
        for name in [name for name in ceilings if name not in names]:
            if (lack := missing(*_model(name).libraries)) is not None:
                ceilings.remove(name)
                notes.append(f"how much can be predicted at all is not measured: {lack}")
    names = list(dict.fromkeys([BASELINE, *names, *ceilings]))
    for name in names:
        require(*_model(name).libraries)
    flexible = [name for name in names if not _model(name).interpretable]
    blind = X.covariates is not None
    return names, [n for n in flexible if not (blind and n.endswith(NO_COVARIATES))], notes


def _model(name: str) -> ChoiceModel:
    return make_model(_plain(name))


def _plain(name: str) -> str:
    return name.removesuffix(NO_COVARIATES)


def _there(name: str) -> bool:
    return _plain(name).partition(":")[0].partition("@")[0] in MODELS


def _rows(
    fits: Sequence[CrossFit], X: Choices, folds: Folds, scores: Scores, *, nested: bool
) -> tuple[list[tuple[ModelRow, Floats | None]], dict[str, float], dict[str, int]]:
    """Rows with the losses behind them; mean weights of the stack; how many folds chose each model."""
    rows: list[tuple[ModelRow, Floats | None]] = []
    for fit in fits:
        family = model_entry(_plain(fit.name).partition(":")[0].partition("@")[0]).family
        if fit.losses is None:
            rows.append(
                (
                    ModelRow(
                        fit.name,
                        family,
                        fit.model.interpretable,
                        NOTHING,
                        seconds=fit.seconds,
                        notes=(f"no result: {fit.error}",),
                    ),
                    None,
                )
            )
            continue
        choices = replace(X, covariates=None) if fit.name.endswith(NO_COVARIATES) else X
        whole = fit.whole
        row = ModelRow(
            fit.name,
            family,
            fit.model.interpretable,
            scores.mean(fit.losses),
            n_parameters=None if whole is None else whole.n_parameters,
            parameters=() if whole is None else whole.parameters(),
            seconds=fit.seconds,
            notes=fit.notes,
            rounds=scores.rounds(fit.losses),
            types=() if whole is None else portraits(whole, choices, catalogue()),
            effects=() if whole is None else whole.effects(),
        )
        rows.append((row, fit.losses))
    weights: dict[str, float] = {}
    chosen: dict[str, int] = {}
    whole_fits = [fit for fit in fits if fit.losses is not None and len(fit.inner) == folds.n]
    readable = [fit for fit in whole_fits if fit.model.interpretable]
    if nested and len(whole_fits) > 1:
        mixed, share, _, _ = stacked(whole_fits, X, folds)
        weights = dict(zip((fit.name for fit in whole_fits), share.mean(0).tolist(), strict=True))
        most = sorted(weights.items(), key=lambda item: -item[1])[:3]
        words = "weights " + ", ".join(f"{name} {weight:.2f}" for name, weight in most if weight >= 0.005)
        stack = ModelRow(STACK, "mixture of models", False, scores.mean(mixed), notes=(words,))
        rows.append((replace(stack, rounds=scores.rounds(mixed)), mixed))
    if nested and len(readable) > 1:
        _, _, best, alone = stacked(readable, X, folds)
        chosen = dict(Counter(readable[i].name for i in best).most_common())
        words = ", ".join(f"{name} in {n} of {folds.n} folds" for name, n in chosen.items())
        one = ModelRow(CHOSEN, "chosen in training", True, scores.mean(alone), notes=(words,))
        rows.append((replace(one, rounds=scores.rounds(alone)), alone))
    return rows, weights, chosen


def _compared(
    rows: Sequence[tuple[ModelRow, Floats | None]],
    fits: Sequence[CrossFit],
    scores: Scores,
    ceilings: Sequence[str],
) -> tuple[list[ModelRow], str | None, str | None, Interval]:
    """The rows with what each explains, the best readable one, the ceiling, and its gain."""
    losses = {row.name: values for row, values in rows if values is not None}
    total = {name: float(values.sum()) for name, values in losses.items()}
    base = losses.get(BASELINE)
    if base is None:
        error = next(fit.error for fit in fits if fit.name == BASELINE)
        raise DataError(f"the base rate itself has no result: {error}")
    readable = [fit.name for fit in fits if fit.name in losses and fit.model.interpretable]
    if scores.n_actions_met < 2:
        readable = []  # whatever says that action always is as good as any other
    best = min(readable, key=total.__getitem__, default=None)
    ceiling = min((n for n in ceilings if n in losses), key=total.__getitem__, default=None)
    top = None if ceiling is None else losses[ceiling]
    groups = scores.groups
    complete = []
    for row, values in rows:
        if values is None:
            complete.append(row)
            continue
        explained = NOTHING if top is None else scores.explained(base, values, top)
        difference = NOTHING if best is None else scores.mean(values - losses[best])
        by_group = []
        for g, of in enumerate(groups.values if groups is not None else ()):
            assert groups is not None
            inside = groups.codes == g
            share = NOTHING if top is None else scores.explained(base, values, top, inside)
            n_moves = int(scores.moves[inside].sum())
            by_group.append(GroupScore(of, n_moves, scores.mean(values, inside), share))
        complete.append(replace(row, explained=explained, difference=difference, groups=tuple(by_group)))
    gain = NOTHING if top is None else scores.gain(base, top)
    return complete, best, ceiling, gain


def _cautions(
    X: Choices, covariates: Sequence[str], ceiling: str | None, ceilings: Sequence[str]
) -> Iterator[str]:
    """What makes the shares say less than they seem to."""
    assert X.keys is not None
    met = np.unique(X.chosen[X.counted])
    if len(met) < 2:
        yield (
            f"all {X.n_moves:,} moves are {X.actions[int(met[0])]!r}: nothing tells one account of them from "
            "another"
        )
        return
    if not covariates:
        columns = [c for c in design_columns(X.keys) if c not in ("game_id", "strategy")]
        more = [OTHER_PREFIX + c for c in ("model", "persona") if c in columns]
        named = ",".join([*columns, *more][:_SPELLED])
        if columns:
            yield (
                "models see the moves alone; what was set before play may predict more than the past does: "
                f"--covariates {named}"
            )
    if ceiling is None and not ceilings:
        yield "no flexible model says how much can be predicted, so no share is given: --ceiling trees"
    elif ceiling is None:
        yield f"none of the flexible models ({', '.join(ceilings)}) has a result, so no share is given"
