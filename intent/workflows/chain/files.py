"""The tables and the page for inspection that a chain leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from intent.workflows.chain.outcome import Outcome
from intent.workflows.chain.spec import ChainSpec

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TABLE_NAMES", "chain_tables", "write_page"]

TABLE_NAMES = ("validation", "table3_cooperation", "table45_payoffs", "table6_equilibria", "line_up")
"""All that there can be; what a chain does not have leaves no file, nor one of an earlier run."""


def chain_tables(outcomes: Sequence[Outcome], seed: int) -> dict[str, tuple[pd.DataFrame, str, str | None]]:
    """Name -> table, title, and the table of the paper that it stands for.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seed : int, of the tests of compatibility
    """
    import pandas as pd

    from intent.workflows.chain import tables

    rows = [{"set": one.chain_set.name, **row} for one in outcomes for row in one.line_up]
    found: dict[str, tuple[pd.DataFrame, str, str | None]] = {
        "validation": (tables.validation_table(outcomes), "Whether each set does what was asked", None),
        "table3_cooperation": (
            tables.cooperation_table(outcomes),
            "Cooperation of the row's attitude against the column's",
            "Table 3",
        ),
        "table45_payoffs": (
            tables.payoff_table(outcomes),
            "Payoff per round of the row's attitude against the column's",
            "Tables 4 and 5",
        ),
        "table6_equilibria": (
            tables.equilibria_table(outcomes, seed),
            "Shares of Moran processes that ended with each attitude alone",
            "Table 6",
        ),
    }
    if rows:
        found["line_up"] = (pd.DataFrame(rows), "Attitude agents among others' strategies", "Figure 2")
    return found


def write_page(path: Path, outcomes: Sequence[Outcome], spec: ChainSpec) -> Path:
    """All strategies of all sets on one page.

    Raises
    ------
    OutputError
    """
    from intent.arena.sources.reading import Refused
    from intent.report.inspection_page import InspectedSet, write_inspection_page

    sets = [
        InspectedSet(
            one.chain_set.name,
            one.facts,
            tuple(Refused(name, reason) for name, reason in one.left_out.items()),
        )
        for one in outcomes
    ]
    lines = [
        f"{spec.turns:,} rounds, seed {spec.seed}; each set with the noise that it was written for. "
        "The panel: RANDOM (five matches), TFT, ALLC, ALLD and itself.",
    ]
    return write_inspection_page(
        path, sets, title=f"{spec.name}: strategies before use", lines=lines, overwrite=True
    )
