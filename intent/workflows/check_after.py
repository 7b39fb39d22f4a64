"""What an experiment wants done with its log, checked before hours of play rather than found behind them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError, nearest, shorten

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.workflows.experiment.model import After

__all__ = ["check_after", "drawn", "figure_settings", "log_columns"]

_COLUMNS_OF = ("by", "eps_by", "cluster")
"""Settings that name columns."""

_DERIVED = ("choice", "composition", "factor", "normalised", "opponent", "pairing", "rounds", "scale")
"""Columns that tables of play have beside those of the log."""


def check_after(after: After, plans: Iterable[GamePlan] = ()) -> None:
    """Refuse settings that nothing has, columns that no table will have, and readings that are not said.

    Parameters
    ----------
    after : After
    plans : of the games to be played; without them only the names of settings, figures and studies are
        checked

    Raises
    ------
    UsageError
        An unknown setting or figure, with the nearest known ones; labels or metrics of more than two players
        without ``others``.
    UnknownNameError
        A recogniser that is neither shipped nor a folder, a column, a study.
    """
    from intent.workflows.compare import compare
    from intent.workflows.label import label_log

    games = list(plans)
    columns = log_columns(games) if games else None
    if after.label is not None:
        _check_settings("label", after.label, label_log, without=("log", "reading"))
        _check_recogniser(after.label, games)
        _check_others("label", after.label, games)
        _check_columns("label", after.label, columns)
    for one in after.compare:
        _check_settings("compare", one, compare, without=("table", "log", "recogniser", "reading"))
        _check_columns("compare", one, columns)
    if after.compare and after.label is None and not all("metric" in one for one in after.compare):
        raise UsageError("after: compare counts labels, so it needs label, such as label: {}")
    if drawn(after):
        from intent.workflows.figure_makers import MAKERS
        from intent.workflows.figures import figures

        settings = figure_settings(after)
        _check_settings("figures", settings, figures, without=("source", "folder", "reading"))
        _check_columns("figures", settings, columns)
        for name in settings.get("names", ()):
            if name not in MAKERS:
                near = nearest(str(name), MAKERS)
                hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(MAKERS)}"
                raise UsageError(f"after: figures: unknown figure {shorten(name)!r}{hint}")
    if after.metrics is not None:
        from intent.workflows.metrics import metrics

        _check_settings("metrics", after.metrics, metrics, without=("log", "reading"))
        _check_others("metrics", after.metrics, games)
        _check_columns("metrics", after.metrics, columns)
    for paper in after.results:
        from intent.workflows.results import RESULTS

        if paper not in RESULTS:
            raise UnknownNameError("paper of after.results", paper, RESULTS)


def log_columns(plans: Iterable[GamePlan]) -> set[str]:
    """Every column that the log of these games, or a table made of it, can have."""
    from intent import schema
    from intent.agents.plan import GamePlan
    from intent.agents.questions import QUESTIONS
    from intent.agents.seat_columns import seat_columns

    tables = (schema.GAMES, schema.SEATS, schema.MOVES, schema.METRICS, schema.LABELS)
    known = {column.name for table in tables for column in table}
    known |= {*_DERIVED, *GamePlan.model_fields}
    known |= {f"{name}_{what}" for name in QUESTIONS for what in ("correct", "misunderstood", "n")}
    for plan in plans:
        known.update(plan.columns)
        for seat in plan.seats:
            known.update(seat_columns(seat))
    return known


def _check_recogniser(settings: Mapping[str, Any], games: Sequence[GamePlan]) -> None:
    from intent.recognise.storage import shipped_recognisers

    name = settings.get("recogniser")
    if games and isinstance(name, str) and name not in shipped_recognisers() and not Path(name).is_dir():
        raise UnknownNameError("recogniser of after.label", name, shipped_recognisers())


def _check_others(what: str, settings: Mapping[str, Any], games: Sequence[GamePlan]) -> None:
    """Refuse play of more than two that nothing reads as play of two; conditions may leave it out."""
    told = settings.get("others") is not None or settings.get("where")
    if not told and any(len(plan.seats) > 2 for plan in games):
        raise UsageError(
            f"after: {what}: games of more than two players need others (any, majority or all), such as "
            f"{what}: {{others: majority}}"
        )


def _check_columns(what: str, settings: Mapping[str, Any], known: Collection[str] | None) -> None:
    from intent.workflows.columns import column_names

    if known is None:
        return
    named = [(setting, settings[setting]) for setting in _COLUMNS_OF if settings.get(setting)]
    if isinstance(settings.get("where"), Mapping):
        named.append(("where", list(settings["where"])))
    for setting, given in named:
        several = [part for part in given if isinstance(part, str)] if isinstance(given, list | tuple) else []
        for name in column_names(given if isinstance(given, str) else several, known):
            if name not in known:
                raise UnknownNameError(f"column of after.{what}.{setting}", name, sorted(known))


def drawn(after: After) -> bool:
    return after.figures is not None and after.figures != ()


def figure_settings(after: After) -> dict[str, Any]:
    return dict(after.figures) if isinstance(after.figures, dict) else {"names": list(after.figures or ())}


def _check_settings(
    what: str, settings: Mapping[str, Any], function: Callable[..., Any], *, without: tuple[str, ...]
) -> None:
    known = [name for name in inspect.signature(function).parameters if name not in without]
    for name in settings:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(known)}"
            raise UsageError(f"after: {what}: unknown setting {shorten(name)!r}{hint}")
