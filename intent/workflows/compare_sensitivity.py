"""How a comparison hangs on the choices of labelling: its labels, made anew under other choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.compare import Settings
    from intent.analysis.comparison import Comparison
    from intent.analysis.sensitivity import SensitivityRow
    from intent.workflows.compare_source import Compared

__all__ = ["sensitivity_of"]

_MOST_PERMUTATIONS = 499
"""Permutations of each test of the table, which has dozens."""


def sensitivity_of(
    given: Compared,
    rows: pd.DataFrame,
    found: Comparison,
    clusters: NDArray[np.intp],
    blocks: Mapping[str, NDArray[np.intp]],
    settings: Settings,
    gate: str | None,
    seed: int,
) -> tuple[list[SensitivityRow], list[str]]:
    """The rows of the table, and notes.

    Parameters
    ----------
    given, rows, found, clusters, blocks, settings, gate, seed
        As `compare_extras.extras_of`.

    Raises
    ------
    UsageError
        The log behind the labels is missing, or is not theirs.
    """
    from intent.analysis.sensitivity import Choice, sensitivity
    from intent.strategies.catalogue import strategy_set
    from intent.workflows.label_play import places_of, play_of_labels

    facts: Mapping[str, Any] = given.provenance if isinstance(given.provenance, Mapping) else {}
    X = play_of_labels(given.behind.needed("--sensitivity"), facts)
    places = places_of(rows, X)
    if (places < 0).any():
        lost = int((places < 0).sum())
        raise UsageError(f"--sensitivity: {lost:,} of {len(rows):,} labels are of no game of the log")
    strategies = strategy_set([str(c) for c in facts.get("classes") or ()] or "canonical4")
    notes = []
    eps = facts.get("eps")
    if not isinstance(eps, int | float | str):
        eps = 0.05
        notes.append("sensitivity: labels assumed no single noise; it starts from eps = 0.05")
    if not str(facts.get("recogniser", "bayes")).startswith("bayes"):
        notes.append("sensitivity: labels are made anew by the exact posterior, not by their recogniser")
    if found.count == "estimate":
        notes.append(
            "sensitivity: of labels counted by status; the estimate depends on no threshold, noise or prior"
        )
    if gate is not None:
        notes.append("sensitivity: the rows are those that passed the gate with the labels as given")
    chosen = Choice(
        count="status" if found.count == "estimate" else str(found.count),
        threshold=_number(facts.get("threshold"), 0.9),
        alpha=_number(facts.get("alpha"), 0.01),
        eps=eps if isinstance(eps, str) else float(eps),
        prior="sfem" if facts.get("prior") else _prior(facts, [s.name for s in strategies]),
    )
    made = sensitivity(
        X[places],
        strategies,
        rows,
        found.by,
        clusters,
        chosen=chosen,
        blocks=blocks,
        permutations=None
        if settings.permutations is None
        else min(settings.permutations, _MOST_PERMUTATIONS),
        level=settings.level,
        seed=seed,
    )
    return made, notes


def _number(value: object, default: float) -> float:
    """A number of a table's metadata, which may hold anything."""
    return float(value) if isinstance(value, int | float) else default


def _prior(facts: Mapping[str, Any], names: Sequence[str]) -> str | tuple[float, ...]:
    """The prior that the recogniser was given, where its parameters name one for every class."""
    parameters = facts.get("parameters")
    prior = parameters.get("prior") if isinstance(parameters, Mapping) else None
    if isinstance(prior, Mapping) and set(prior) == set(names):
        prior = [prior[name] for name in names]
    if isinstance(prior, list | tuple) and len(prior) == len(names):
        return tuple(_number(p, 0.0) for p in prior)
    return "uniform"
