"""Load an experiment from a file of ours or of FAIRGAME's, with changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.errors import DataError, GameError, IntentError, shorten
from intent.files.settings import Document, read_document
from intent.workflows.experiment.aliases import ALIASES, spelled_out
from intent.workflows.experiment.changes import LISTS, changed, set_keys, with_models, with_names
from intent.workflows.experiment.condition import Condition
from intent.workflows.experiment.grid import check_factor
from intent.workflows.experiment.model import Experiment
from intent.workflows.experiment.overridden import overridden
from intent.workflows.values import checked

__all__ = ["load_experiment"]


def load_experiment(
    source: str | Path | Mapping[str, Any] | Experiment,
    *,
    set: Sequence[str] = (),
    models: Sequence[str] = (),
    map_models: Mapping[str, str] | None = None,
    payoff_kind: str | None = None,
    **changes: Any,
) -> Experiment:
    """The experiment of a file or mapping, with changes.

    Parameters
    ----------
    source : path of a .yaml file of ours or a .json file (ours or FAIRGAME's), or the values themselves
    set : ``key=value`` texts
        Laid over last; dotted keys, YAML values; a list makes a factor of the grid.
    models : names of models
        In place of those that the source names.
    map_models : name in the source -> model
    payoff_kind : {"reward", "penalty"}, optional
        What FAIRGAME's numbers are, where its game is not one of the known ones.
    **changes
        Values by key; a list makes a factor of the grid.

    Raises
    ------
    DataError
        The source is no experiment; the message names file, line and the nearest known key.
    UsageError
        A change that cannot be.
    """
    document, called = _read(source, payoff_kind)
    _check_lists(document, called)
    values = with_names(document.values, map_models or {})
    values = changed(values, changes)
    values = set_keys(values, set)
    values = with_models(values, models)
    document = Document(values, _lines(document, changes, set))
    experiment = checked(Experiment, document, called=called)
    for key, levels in experiment.grid.items():
        problem = check_factor(key, levels)
        if problem is not None:
            raise DataError(f"{document.where(['grid', key]) or called}: {problem}")
    _check_game(experiment, document, called)
    given = {key: key for key in changes} | {key: f"--set {key}" for key in map(_key, set)}
    before = source.notes if isinstance(source, Experiment) else ()
    return experiment.with_notes([*before, *overridden(experiment, given)])


def _check_game(experiment: Experiment, document: Document, called: str) -> None:
    """Refuse a game that is none where it is fixed, so that the message can say where it stands."""
    grid = {ALIASES.get(key, key).split(".")[0]: levels for key, levels in experiment.grid.items()}
    if {"game", "payoff_kind"} & grid.keys() or any(isinstance(levels, dict) for levels in grid.values()):
        return
    kind = experiment.payoff_kind
    spec = experiment.game if kind is None else experiment.game.model_copy(update={"kind": kind})
    try:
        spec.stage(experiment.scale)
    except IntentError as error:
        kind_of = GameError if isinstance(error, GameError) else DataError
        raise kind_of(f"{document.where(['game']) or called}: {error}") from None


def _check_lists(document: Document, called: str) -> None:
    """Refuse several values outside the grid, the likeliest slip of somebody new."""
    short = {full: key for key, full in ALIASES.items()}
    for key in Condition.model_fields.keys() - LISTS - {"settings", "reply", "columns"}:
        value = document.values.get(key)
        if isinstance(value, list):
            raise DataError(
                f"{document.where([key]) or called}: {short.get(key, key)} is {shorten(value)}, expected one "
                f"value; several make a factor, under grid"
            )


def _lines(
    document: Document, changes: Mapping[str, Any], items: Sequence[str]
) -> dict[tuple[str, ...], str]:
    """Where the keys stand that are still those of the source, and which ``--set`` the others come from."""
    found = {path: line for path, line in document.lines.items() if path[0] not in changes}
    for item in items:
        key = _key(item)
        found[tuple(ALIASES.get(key, key).split("."))] = f"--set {key}"
    return found


def _key(item: str) -> str:
    return item.partition("=")[0].strip()


def _read(source: Any, payoff_kind: str | None) -> tuple[Document, str]:
    from intent.workflows.experiment.fairgame import from_fairgame, is_fairgame
    from intent.workflows.experiment.merge import read_with_includes

    if isinstance(source, Experiment):
        return Document(source.model_dump(mode="json", exclude_unset=True)), source.name
    if isinstance(source, Mapping):
        document, called = Document(dict(source)), "experiment"
    else:
        path = Path(source)
        called = path.name
        document = read_document(path) if path.suffix == ".json" else read_with_includes(path)
        if not is_fairgame(document.values):
            document = Document({"name": path.stem, **document.values}, document.lines)
    if is_fairgame(document.values):
        return Document(from_fairgame(document.values, called, payoff_kind)), called
    values = spelled_out({"name": "experiment", **document.values})
    if payoff_kind is not None:
        values = changed(values, {"payoff_kind": payoff_kind})
    return Document(values, document.lines), called
