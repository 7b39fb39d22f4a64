"""What a comparison adds in ranked sentences: cooperation by each factor, and by pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.analysis.findings import Findings
    from intent.workflows.compare_source import Compared
    from intent.workflows.compare_ways import Way

__all__ = ["cooperation_findings"]


def cooperation_findings(
    given: Compared, way: Way, factors: Sequence[str], *, named: bool, level: float, seed: int
) -> Findings | None:
    """Ranked findings on cooperation in the play that is compared; None where the moves are not at hand.

    Parameters
    ----------
    given : Compared
    way : Way
    factors : sequence of str
    named : bool
        Whether the user named the unit, which then holds; else it is that of each factor's design.
    level : float in (0, 1)
    seed : int
    """
    import numpy as np

    from intent.analysis.findings import Moves, interaction_of_rates, range_of_rates, ranked
    from intent.analysis.unit import design_units
    from intent.workflows.label_play import places_of, play_of_labels

    rows = way.rows
    if given.behind.log is None or not {"game_id", "seat"} <= set(rows.columns) or not factors:
        return None
    X = play_of_labels(given.behind.log, given.provenance or {})
    places = places_of(rows, X)
    if (places < 0).any():
        return None
    play = X[places]
    counts = play.evidence
    known, cooperated = (each.sum(axis=1).astype(np.intp) for each in (counts, counts & (play.own == 1)))
    moves = Moves(rows, known, cooperated)
    questions = []
    for chosen in [*((factor,) for factor in factors), *combinations(factors, 2)]:
        unit = way.units.unit if named else design_units(rows, chosen).unit
        if len(chosen) == 1:
            one = range_of_rates(moves, chosen[0], unit, level=level, seed=seed)
        else:
            one = interaction_of_rates(moves, chosen, unit, level=level, seed=seed)
        questions += [] if one is None else [one]
    return ranked(questions, level=level)
