"""First against second seat, among the rows that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.compare import Settings
    from intent.analysis.comparison import Comparison
    from intent.analysis.seat_effects import SeatEffects
    from intent.analysis.shares import Outcomes

__all__ = ["seats_of"]


def seats_of(
    rows: pd.DataFrame,
    found: Comparison,
    values: NDArray[np.float64] | None,
    counted: Outcomes | None,
    clusters: NDArray[np.intp],
    settings: Settings,
    seed: int,
) -> tuple[SeatEffects | None, list[str]]:
    """First against second seat of games whose seats are equal in all else, and notes.

    Parameters
    ----------
    rows, found, values, counted, clusters, settings, seed
        As `compare_extras.extras_of`.

    Returns
    -------
    SeatEffects, or None where the notes say why there are none
    notes : list of str
    """
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
