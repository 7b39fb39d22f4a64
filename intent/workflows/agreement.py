"""Label a log by several recognisers, and show where they agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import RecogniserError, UsageError
from intent.schema.defaults import BACKGROUND
from intent.version import __version__
from intent.workflows.agreement_result import AgreementResult
from intent.workflows.interval_settings import check_level

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.unit import DesignUnits
    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser

__all__ = ["AgreementResult", "agree"]

NOTHING = "none"
"""What a recogniser says whose posterior is the same for all classes, as that of rules where none applies."""


def agree(
    log: GameLog | str | Path,
    recognisers: str | Sequence[str] | Mapping[str, Recogniser],
    *,
    background: bool = BACKGROUND,
    threshold: float = 0.9,
    alpha: float = 0.01,
    others: str | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    bootstrap: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> AgreementResult:
    """Label a log by several recognisers, and measure how they agree on the most probable strategy.

    Each recogniser names its `best` strategy of every trajectory (or RANDOM, where that competes), sure or
    not; one whose posterior is the same for all classes of its own names none, which counts as a name of its
    own. Disagreement is divided by the
    status that the exact posterior gives (`bayes`, over the strategies that any of them can name): where
    that is ``ambiguous``, the play itself does not decide between the strategies that tie.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    recognisers : names (see `resolve_names`), or fitted recognisers by name
    background, threshold, alpha, others, keep_defaulted, where, seed, **reading
        As `label_log`.
    bootstrap : int
        Samples of whole games for the intervals.
    level : float in (0, 1)
        Coverage of the intervals.
    update : called with (recognisers done, recognisers in all)

    Raises
    ------
    UsageError
        Fewer than two recognisers, one that is not shipped, or nothing to label.
    UnknownNameError
        A recogniser or column that does not exist.
    """
    import numpy as np
    import pandas as pd

    from intent import schema
    from intent.analysis.agreement import agreement, majority, name_counts
    from intent.analysis.unit import design_units
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.recognise.background import against_random
    from intent.recognise.base import ordered_classes
    from intent.workflows.label import label_log

    check_level(level)
    models = _loaded(recognisers)
    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    settings: dict[str, Any] = {"threshold": threshold, "alpha": alpha, "others": others, "where": where}
    settings |= {"keep_defaulted": keep_defaulted, "seed": seed, "background": background}
    known = {name: [str(c) for c in model.classes_] for name, model in models.items()}
    strategies = tuple(ordered_classes([c for own in known.values() for c in own]).tolist())
    made: dict[str, pd.DataFrame] = {}
    for done, (name, model) in enumerate(models.items()):
        update(done, len(models) + 1)
        made[name] = label_log(played, model, coin=False, **settings).table
    update(len(models), len(models) + 1)
    first = next(iter(made.values()))
    if first.empty:
        raise UsageError("no trajectory to label, expected at least one")
    exactly = _exact(strategies)
    judged = label_log(played, exactly, coin=False, **settings).table
    classes = tuple(map(str, against_random(exactly, background).classes_))
    exact, tied = judged["status"].to_numpy(dtype=object), judged["tied"].to_numpy(dtype=bool)
    said = {name: _said(table, known[name]) for name, table in made.items()}
    if any(NOTHING in names for names in said.values()):
        classes = (*classes, NOTHING)
    place = {name: k for k, name in enumerate(classes)}
    codes = np.array([[place[name] for name in names] for names in said.values()], dtype=np.intp).T
    design = design_units(first, classes=classes)
    games = design.unit.codes
    found = agreement(
        codes,
        exact,
        tied,
        games,
        tuple(models),
        classes,
        schema.STATUSES,
        samples=bootstrap,
        level=level,
        rng=np.random.default_rng(seed),
    )
    counts = name_counts(codes, len(classes))
    distinct = (counts > 0).sum(axis=1)
    named = np.array([*classes, None], dtype=object)
    described = [str(column) for column in first.columns]
    described = described[: described.index("n_rounds") + 1]
    columns: dict[str, Any] = {column: first[column].array for column in described}
    for name, table in made.items():
        columns |= {
            f"best_{name}": pd.Series(said[name], dtype=object).replace(NOTHING, None).array,
            f"confidence_{name}": table["confidence"].array,
            f"status_{name}": table["status"].array,
        }
    columns |= {"n_distinct": distinct, "unanimous": distinct == 1, "majority": named[majority(counts)]}
    update(len(models) + 1, len(models) + 1)
    config = {
        "kind": "agreement",
        "log": played.provenance,
        "recognisers": known,
        **{k: v for k, v in settings.items() if k != "where"},
        "where": {column: list(values) for column, values in (where or {}).items()},
        "bootstrap": bootstrap,
        "level": level,
        "version": __version__,
    }
    return AgreementResult(
        replace(found, n_games=first["game_id"].nunique()),
        pd.DataFrame({**columns, "exact_status": exact, "exact_tied": tied}),
        config,
        (*_notes(known, said), *_unit_notes(design)),
        played.rejects,
    )


def _unit_notes(design: DesignUnits) -> list[str]:
    """What is independent, where that is not the game."""
    return [design.unit.line(), *design.notes] if design.unit.kind != "game" else []


def _loaded(recognisers: str | Sequence[str] | Mapping[str, Recogniser]) -> dict[str, Recogniser]:
    """Fitted recognisers by the name under which they are shown: the last part of a path where that tells."""
    from intent.recognise.storage import load_recogniser
    from intent.workflows.recogniser_names import resolve_names

    if isinstance(recognisers, Mapping):
        if len(recognisers) < 2:
            raise UsageError(f"got {len(recognisers)} recogniser to compare, expected at least two")
        return dict(recognisers)
    names = resolve_names(recognisers)
    short = [Path(name).resolve().name if Path(name).is_dir() else name for name in names]
    shown = short if len(set(short)) == len(short) else names
    return {label: load_recogniser(name) for label, name in zip(shown, names, strict=True)}


def _said(table: pd.DataFrame, classes: Sequence[str]) -> list[str]:
    """The name that a recogniser of these classes gives to each row of its labels."""
    own = table[[f"p_{name}" for name in classes]]
    flat = own.max(axis=1) - own.min(axis=1) <= 1e-9
    return [str(name) for name in table["best"].mask(flat, NOTHING)]


def _exact(classes: Sequence[str]) -> Recogniser:
    """The exact posterior over all classes."""
    from intent.errors import IntentError
    from intent.recognise.bayes import BayesRecogniser

    try:
        return BayesRecogniser(tuple(classes)).fit()
    except IntentError as error:
        raise RecogniserError(f"agreement needs classes that are strategies: {error}") from None


def _notes(known: Mapping[str, Sequence[str]], said: Mapping[str, Sequence[str]]) -> list[str]:
    """Which recogniser cannot say what others can, and which says nothing of some trajectories."""
    union = dict.fromkeys(c for own in known.values() for c in own)
    lacking = {name: [c for c in union if c not in own] for name, own in known.items()}
    notes = [
        f"{name} cannot say {', '.join(missing)}, which others can: there it disagrees by construction"
        for name, missing in lacking.items()
        if missing
    ]
    silent = {name: sum(word == NOTHING for word in words) for name, words in said.items()}
    return notes + [
        f"{name} names none for {count:,} trajectories: all its classes are equally probable there"
        for name, count in silent.items()
        if count
    ]
