"""Tables 3 to 6: ours, with the paper's numbers beside them where the sets are the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.analysis.binomial import exact_share
from intent.arena.entrant import ATTITUDES
from intent.workflows.chain import paper_numbers
from intent.workflows.chain.compatible import same_process_p
from intent.workflows.chain.outcome import Ends, Outcome

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.chain.sets import ChainSet

__all__ = ["cooperation_table", "equilibria_table", "payoff_table", "validation_table"]


def validation_table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """The verdict on every attitude of every set."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                **_who(one.chain_set),
                "attitude": verdict.attitude,
                "n": verdict.n,
                "cooperation": verdict.cooperation,
                "verdict": verdict.verdict,
                "evidence": "; ".join(part.words().replace(" games", "") for part in verdict.parts),
                "contradicting": ", ".join(verdict.contradicting),
                "contradicting_share": verdict.share.estimate,
                "contradicting_low": verdict.share.low,
                "contradicting_high": verdict.share.high,
            }
            for one in outcomes
            for verdict in one.validation.verdicts
        ]
    )


def cooperation_table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """Cooperation of the row's attitude against the column's, as table 3."""
    import pandas as pd

    rows = []
    for one in outcomes:
        printed = _printed(paper_numbers.COOPERATION, one.chain_set)
        for row, cells in one.validation.pairings.items():
            for column, found in cells.items():
                value = {"cooperation": found.estimate, "low": found.low, "high": found.high}
                rows.append(_beside(one.chain_set, row, column, value, printed))
    return pd.DataFrame(rows)


def payoff_table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """Payoff per round of the row's attitude against the column's, as tables 4 and 5."""
    import pandas as pd

    rows = []
    for one in outcomes:
        printed = _printed(paper_numbers.PAYOFFS, one.chain_set)
        for i, row in enumerate(one.names):
            for j, column in enumerate(one.names):
                ends = one.intervals.get(row, {}).get(column) or {}
                value = {
                    "payoff": float(one.payoffs[i, j]),
                    "low": ends.get("low", float("nan")),
                    "high": ends.get("high", float("nan")),
                }
                rows.append(_beside(one.chain_set, row, column, value, printed))
    return pd.DataFrame(rows)


def equilibria_table(outcomes: Sequence[Outcome], seed: int) -> pd.DataFrame:
    """Shares of the Moran processes that ended with each attitude, as table 6."""
    import pandas as pd

    rng = np.random.default_rng([seed, 6])
    return pd.DataFrame(
        [row for one in outcomes for ends in one.ends for row in _equilibria(one.chain_set, ends, rng)]
    )


def _equilibria(one: ChainSet, ends: Ends, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    key = (one.model, one.style, one.noise, ends.ratio)
    printed = paper_numbers.EQUILIBRIA.get(key) if one.published and ends.names == ATTITUDES else None
    p = float("nan")
    if printed is not None:
        unfinished = ends.runs - sum(ends.counts)
        p = same_process_p((*ends.counts, unfinished), (*printed, 0), rng)
    for k, name in enumerate(ends.names):
        share = ends.shares[name]
        theirs = _theirs(printed, k)
        yield {
            **_who(one),
            "initial": ends.ratio,
            "individuals": sum(ends.initial),
            "attitude": name,
            "share": share.estimate,
            "low": share.low,
            "high": share.high,
            "exact": float("nan") if ends.exact is None else ends.exact[k],
            "drift": ends.initial[k] / sum(ends.initial),
            "runs": ends.runs,
            "mean_steps": ends.mean_steps,
            "paper": theirs[0],
            "paper_low": theirs[1],
            "paper_high": theirs[2],
            "p": p,
        }


def _theirs(printed: tuple[int, ...] | None, k: int) -> tuple[float, float, float]:
    """A printed share with its exact interval; NaN without."""
    if printed is None:
        return (float("nan"),) * 3
    ends = exact_share(printed[k], sum(printed))
    return printed[k] / 100, ends.low, ends.high


def _who(one: ChainSet) -> dict[str, Any]:
    return {
        "set": one.name,
        "model": one.model,
        "style": one.style,
        "noise": one.noise,
        "game": one.game,
    }


def _printed(table: Any, one: ChainSet) -> paper_numbers.Matrix | None:
    found: paper_numbers.Matrix | None = table.get((one.model, one.style, one.noise))
    return found if one.published and one.game == "classic" else None


def _beside(
    one: ChainSet, row: str, column: str, value: dict[str, float], printed: paper_numbers.Matrix | None
) -> dict[str, Any]:
    known = printed is not None and row in ATTITUDES and column in ATTITUDES
    paper = float("nan")
    if known and printed is not None:
        paper = printed[ATTITUDES.index(row)][ATTITUDES.index(column)]
    ours = next(iter(value.values()))
    return {**_who(one), "row": row, "column": column, **value, "paper": paper, "difference": ours - paper}
