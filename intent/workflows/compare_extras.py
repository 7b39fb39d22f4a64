"""What a comparison adds when asked: a regression, sensitivity, indices, human baselines, seat effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.behaviour_indices import Index
    from intent.analysis.compare import Settings
    from intent.analysis.comparison import Comparison
    from intent.analysis.effects import Effect
    from intent.analysis.model_result import MeanModel, ShareModel
    from intent.analysis.seat_effects import SeatEffects
    from intent.analysis.sensitivity import SensitivityRow
    from intent.analysis.shares import Outcomes
    from intent.workflows.baselines import Baseline
    from intent.workflows.compare_source import Compared

__all__ = ["Extras", "extras_of"]

_MOST_PERMUTATIONS = 499
"""Permutations of each test of the table of sensitivity, which has dozens."""


@dataclass(frozen=True, eq=False)
class Extras:
    """What was asked for beside the comparison; empty or None where it was not.

    Parameters
    ----------
    model : ShareModel or MeanModel, optional
    sensitivity : tuple of SensitivityRow
    indices : tuple of Index
    baselines : tuple of Baseline
    seats : SeatEffects, optional
    widest : Effect, optional
        Between the two groups of one factor that are furthest apart.
    """

    model: ShareModel | MeanModel | None = None
    sensitivity: tuple[SensitivityRow, ...] = ()
    indices: tuple[Index, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    seats: SeatEffects | None = None
    widest: Effect | None = None

    def to_dict(self) -> dict[str, Any]:
        """The keys of ``intent compare --json`` that belong to options."""
        found: dict[str, Any] = {}
        if self.model is not None:
            found["model"] = self.model.to_dict()
        if self.sensitivity:
            found["sensitivity"] = [row.to_dict() for row in self.sensitivity]
        if self.indices:
            found["indices"] = [index.to_dict() for index in self.indices]
        if self.baselines:
            found["baselines"] = [one.to_dict() for one in self.baselines]
        if self.seats is not None:
            from dataclasses import asdict

            found["seats"] = asdict(self.seats)
        return found


def extras_of(
    given: Compared,
    rows: pd.DataFrame,
    found: Comparison,
    clusters: NDArray[np.intp],
    *,
    blocks: Mapping[str, NDArray[np.intp]],
    values: NDArray[np.float64] | None,
    counted: Outcomes | None,
    wanted: Mapping[str, Any],
    interactions: Sequence[str],
    settings: Settings,
    gate: str | None,
    seed: int,
) -> tuple[Extras, list[str]]:
    """What is wanted, and notes on it.

    Parameters
    ----------
    given : Compared
    rows : DataFrame, those that are compared
    found : Comparison
    clusters : (n,) int
    blocks : mapping of factor -> (n,) int
    values : (n,) float, of a metric
    counted : Outcomes, of labels
    wanted : mapping of model, sensitivity, indices -> bool, baseline -> names
    interactions : sequence of "factor:factor"
    settings : Settings
    gate : str, optional
    seed : int

    Raises
    ------
    UsageError
        Something that these settings cannot give.
    """
    notes: list[str] = []
    model, seats = None, None
    rowwise: list[SensitivityRow] = []
    indices: list[Index] = []
    humans: list[Baseline] = []
    if "seat" in found.by and found.count != "sfem":
        seats, more = _seats(rows, found, values, counted, clusters, settings, seed)
        notes += more
    if wanted["model"]:
        model = _model(rows, found.by, values, counted, clusters, interactions, settings.level)
        notes += [f"model: {line}" for line in model.notes]
    if wanted["sensitivity"]:
        rowwise, more = _sensitivity(given, rows, found, clusters, blocks, settings, gate, seed)
        notes += more
    if wanted["indices"]:
        from intent.workflows.compare_indices import indices_of

        indices, more = indices_of(given.behind.needed("--indices"), rows, found.by, settings, seed)
        notes += more
    names = [wanted["baseline"]] if isinstance(wanted["baseline"], str) else list(wanted["baseline"])
    if names:
        from intent.analysis.shares import ABSTENTIONS
        from intent.workflows.baselines import baselines

        if found.metric is not None:
            raise UsageError("--baseline has shares of strategies, expected no --metric")
        humans = baselines(names)
        classes = [name for name in found.outcomes if name not in ABSTENTIONS]
        notes += [line for line in (one.differences(classes) for one in humans) if line]
        if found.count != "sfem":
            notes.append(
                "human shares are estimated by maximum likelihood: --count sfem compares like with like"
            )
    widest = None
    if len(found.by) == 1 and len(found.groups) > 1 and found.count != "sfem":
        import numpy as np

        from intent.analysis.groups import grouping
        from intent.analysis.widest import widest_difference

        own = counted.weights if counted is not None else np.asarray(values)[:, None]
        widest = widest_difference(
            found,
            own,
            grouping(rows, found.by).codes,
            clusters,
            samples=settings.bootstrap,
            rng=np.random.default_rng(seed),
        )
    return Extras(model, tuple(rowwise), tuple(indices), tuple(humans), seats, widest), notes


def _seats(
    rows: pd.DataFrame,
    found: Comparison,
    values: NDArray[np.float64] | None,
    counted: Outcomes | None,
    clusters: NDArray[np.intp],
    settings: Settings,
    seed: int,
) -> tuple[SeatEffects | None, list[str]]:
    """First against second seat of games whose seats are equal in all else."""
    import numpy as np

    from intent.analysis.blocks import block_codes
    from intent.analysis.design_columns import design_columns, determines
    from intent.analysis.seat_effects import seat_effects

    if not {"game_id", "seat"} <= set(rows.columns):
        return None, []
    games = block_codes(rows, ["game_id"])
    equal = [
        name
        for name in design_columns(rows)
        if name != "seat" and not determines(rows, "seat", name) and _varies(block_codes(rows, [name]), games)
    ]
    weights = counted.weights if counted is not None else np.asarray(values)[:, None]
    try:
        made = seat_effects(
            rows.assign(_cluster=clusters),
            weights,
            found.outcomes,
            equal=equal,
            cluster=("_cluster",),
            samples=settings.permutations or settings.bootstrap,
            level=settings.level,
            rng=np.random.default_rng(seed),
        )
    except UsageError as error:
        return None, [f"seats: {error}"]
    alike = f" whose seats have the same {' and '.join(equal)}" if equal else ""
    return made, [f"seats are compared within {made.n_games:,} games{alike}; {made.left_out:,} left out"]


def _varies(codes: NDArray[np.intp], games: NDArray[np.intp]) -> bool:
    """Whether a column differs between the seats of some game."""
    import numpy as np

    return len(np.unique(np.stack([games, codes]), axis=1).T) > len(np.unique(games))


def _model(
    rows: pd.DataFrame,
    factors: Sequence[str],
    values: NDArray[np.float64] | None,
    counted: Outcomes | None,
    clusters: NDArray[np.intp],
    interactions: Sequence[str],
    level: float,
) -> ShareModel | MeanModel:
    if not factors:
        raise UsageError("--model explains by factors, expected --by COLUMN")
    crossed = []
    for text in interactions:
        parts = [part.strip() for part in text.split(":")]
        if len(parts) < 2 or not set(parts) <= set(factors):
            raise UsageError(
                f"--interactions {text!r}, expected factors of --by ({', '.join(factors)}) as a:b"
            )
        crossed.append(parts)
    if values is not None:
        from intent.analysis.linear_model import mean_model

        return mean_model(rows, factors, values, clusters, crossed, level=level)
    from intent.analysis.logit import share_model

    assert counted is not None
    return share_model(rows, factors, counted, clusters, crossed, level=level)


def _sensitivity(
    given: Compared,
    rows: pd.DataFrame,
    found: Comparison,
    clusters: NDArray[np.intp],
    blocks: Mapping[str, NDArray[np.intp]],
    settings: Settings,
    gate: str | None,
    seed: int,
) -> tuple[list[SensitivityRow], list[str]]:
    import numpy as np
    import pandas as pd

    from intent.analysis.sensitivity import Choice, sensitivity
    from intent.strategies.catalogue import strategy_set
    from intent.workflows.compare_sfem import play_of_labels

    facts: Mapping[str, Any] = given.provenance if isinstance(given.provenance, Mapping) else {}
    X = play_of_labels(given.behind.needed("--sensitivity"), facts)
    assert X.keys is not None
    wanted = pd.MultiIndex.from_arrays([rows["game_id"].map(str), rows["seat"].astype(int)])
    known = pd.MultiIndex.from_arrays([X.keys["game_id"].map(str), X.keys["seat"].astype(int)])
    places = known.get_indexer(wanted)
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
    if gate is not None:
        notes.append("sensitivity: the rows are those that passed the gate with the labels as given")
    chosen = Choice(
        count=str(found.count),
        threshold=_number(facts.get("threshold"), 0.9),
        alpha=_number(facts.get("alpha"), 0.01),
        eps=eps if isinstance(eps, str) else float(eps),
        prior="sfem" if facts.get("prior") else _prior(facts, [s.name for s in strategies]),
    )
    made = sensitivity(
        X[np.asarray(places)],
        strategies,
        rows,
        found.by,
        clusters,
        chosen=chosen,
        blocks=blocks,
        permutations=min(settings.permutations, _MOST_PERMUTATIONS),
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
