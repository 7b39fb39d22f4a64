"""What a comparison adds when asked: a regression, sensitivity, indices, human baselines, seat effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    from intent.analysis.behaviour_indices import Index
    from intent.analysis.compare import Settings
    from intent.analysis.comparison import Comparison
    from intent.analysis.effects import Effect
    from intent.analysis.estimated import Furthest
    from intent.analysis.model_result import MeanModel, ShareModel
    from intent.analysis.seat_effects import SeatEffects
    from intent.analysis.sensitivity import SensitivityRow
    from intent.workflows.baselines import Baseline
    from intent.workflows.compare_source import Compared
    from intent.workflows.compare_ways import Way

__all__ = ["Extras", "extras_of"]


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
    furthest : Furthest, optional
        The same, of estimated shares.
    within : float, optional
        The same difference within blocks that are alike in all else.
    """

    model: ShareModel | MeanModel | None = None
    sensitivity: tuple[SensitivityRow, ...] = ()
    indices: tuple[Index, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    seats: SeatEffects | None = None
    widest: Effect | None = None
    furthest: Furthest | None = None
    within: float | None = None

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
    way: Way,
    found: Comparison,
    *,
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
    way : Way
        The comparison with what it was made of.
    found : Comparison
        The same with the quality of its moves.
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
    rows, clusters, blocks = way.rows, way.clusters, way.blocks
    values, counted = way.values, way.counted
    notes: list[str] = []
    model, seats = None, None
    rowwise: list[SensitivityRow] = []
    indices: list[Index] = []
    humans: list[Baseline] = []
    if "seat" in found.by and found.count != "estimate":
        from intent.workflows.compare_seats import seats_of

        seats, more = seats_of(rows, found, values, counted, clusters, settings, seed)
        notes += more
    if wanted["model"]:
        model = _model(way, found.by, interactions, settings.level)
        notes += [f"model: {line}" for line in model.notes]
    if wanted["sensitivity"]:
        from intent.workflows.compare_sensitivity import sensitivity_of

        rowwise, more = sensitivity_of(given, rows, found, clusters, blocks, settings, gate, seed)
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
        if found.count != "estimate":
            notes.append(
                "human shares are estimated by maximum likelihood: --count estimate compares like with like"
            )
    widest, within, furthest = None, None, None
    if way.estimate is not None and len(found.by) == 1:
        furthest = way.estimate.furthest()
    if len(found.by) == 1 and len(found.groups) > 1 and found.count != "estimate":
        import numpy as np

        from intent.analysis.groups import grouping
        from intent.analysis.widest import difference_within, widest_difference

        own = counted.weights if counted is not None else np.asarray(values)[:, None]
        codes = grouping(rows, found.by).codes
        if found.by[0] in blocks:
            within = difference_within(found, own, codes, blocks[found.by[0]])
        widest = widest_difference(
            found,
            own,
            codes,
            clusters,
            samples=settings.bootstrap,
            rng=np.random.default_rng(seed),
            also=way.units.unit.also,
        )
    made = Extras(model, tuple(rowwise), tuple(indices), tuple(humans), seats, widest, furthest, within)
    return made, notes


def _model(
    way: Way, factors: Sequence[str], interactions: Sequence[str], level: float
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
    if way.values is not None:
        from intent.analysis.linear_model import mean_model

        return mean_model(way.rows, factors, way.values, way.clusters, crossed, level=level)
    if way.estimate is not None:
        from intent.analysis.membership import membership_model

        return membership_model(way.estimate, crossed)
    from intent.analysis.logit import share_model

    assert way.counted is not None
    return share_model(way.rows, factors, way.counted, way.clusters, crossed, level=level)
