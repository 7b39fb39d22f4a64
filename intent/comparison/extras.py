"""What a comparison adds when asked: a regression, sensitivity, indices, human baselines, seat effects.

The four indices of a log by model and game, for a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from intent.behaviour.indices import Index
    from intent.comparison.coefficients import MeanModel, ShareModel
    from intent.comparison.counting import Way
    from intent.comparison.effects import Effect
    from intent.comparison.estimated_shares import Furthest
    from intent.comparison.seats import SeatEffects
    from intent.comparison.sensitivity import SensitivityRow
    from intent.comparison.share_tests import Comparison, Settings
    from intent.comparison.source import Compared
    from intent.estimate.baselines import Baseline
    from intent.logs.gamelog import GameLog


__all__ = ["Extras", "extras_of", "indices_of"]


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
        from intent.comparison.seats import seats_of

        seats, more = seats_of(rows, found, values, counted, clusters, settings, seed)
        notes += more
    if wanted["model"]:
        model = _model(way, found.by, interactions, settings.level)
        notes += [f"model: {line}" for line in model.notes]
    if wanted["sensitivity"]:
        from intent.comparison.sensitivity import sensitivity_of

        rowwise, more = sensitivity_of(given, rows, found, clusters, blocks, settings, gate, seed)
        notes += more
    if wanted["indices"]:
        indices, more = indices_of(given.behind.needed("--indices"), rows, found.by, settings, seed)
        notes += more
    names = [wanted["baseline"]] if isinstance(wanted["baseline"], str) else list(wanted["baseline"])
    if names:
        from intent.estimate.baselines import baselines
        from intent.estimate.label_weights import ABSTENTIONS

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

        from intent.base.statistics.groups import grouping
        from intent.comparison.effects import difference_within, widest_difference

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
        from intent.comparison.regression import mean_model

        return mean_model(way.rows, factors, way.values, way.clusters, crossed, level=level)
    if way.estimate is not None:
        from intent.comparison.regression import membership_model

        return membership_model(way.estimate, crossed)
    from intent.comparison.regression import share_model

    assert way.counted is not None
    return share_model(way.rows, factors, way.counted, way.clusters, crossed, level=level)


def indices_of(
    log: GameLog, rows: pd.DataFrame, factors: Sequence[str], settings: Settings, seed: int
) -> tuple[list[Index], list[str]]:
    """Internal variability, cross-language inconsistency, volatility over rounds, sensitivity to payoff.

    Parameters
    ----------
    log : GameLog
    rows : DataFrame
        What is compared: only games of it count.
    factors : columns that make the groups; one, whose values are compared
    settings : Settings
    seed : int

    Raises
    ------
    UsageError
        No factor or several.
    """
    import numpy as np

    from intent.behaviour.indices import AXES, behaviour_indices, outcome_of
    from intent.behaviour.payoffs import stakes_column
    from intent.behaviour.play_table import played

    if len(factors) != 1:
        raise UsageError("--indices are of one column, expected one --by COLUMN, such as --by model")
    if "game_id" not in rows.columns:
        raise UsageError("--indices are of games, but rows are players: labels of games have them")
    factor = factors[0]
    table = played(log)
    if factor not in table.columns:
        raise UsageError(f"--indices by {factor}: the log has no such column")
    table = table[table["game_id"].astype(str).isin(set(rows["game_id"].map(str)))]
    found, missing = [], []
    rng = np.random.default_rng(seed)
    for game in sorted(map(str, table["game"].unique())):
        part = table[(table["game"] == game).to_numpy()].reset_index(drop=True)
        part = part.assign(game_id=part["game_id"].cat.remove_unused_categories())
        column = stakes_column(part, None)
        own = behaviour_indices(
            part,
            game=game,
            model=factor,
            stakes=None if column == factor else column,
            outcome=outcome_of(part),
            bootstrap=settings.bootstrap,
            level=settings.level,
            rng=rng,
        )
        found += own
        lacking = [name for name in AXES if name not in {index.index for index in own}]
        missing += [f"indices of {game}: no cell gives {', '.join(lacking)}"] if lacking else []
    return found, missing
