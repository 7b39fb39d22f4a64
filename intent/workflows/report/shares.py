"""Labels counted in four ways, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["COUNTS", "shares_section"]

COUNTS = ("status", "posterior", "split", "best")


def shares_section(part: Material, key: str, *, level: float) -> tuple[Section, list[str]]:
    """Shares of strategies by each way of counting, with intervals that take the game as the unit.

    Returns
    -------
    section : Section
    findings : list of str
    """
    from intent.analysis.groups import cluster_codes
    from intent.analysis.score_interval import share_intervals
    from intent.analysis.shares import ABSTENTIONS, outcomes
    from intent.report.document import Section, Words, grid

    labels, classes = part.labels, part.classes
    codes = cluster_codes(labels, ("game_id",))
    found = {}
    for count in COUNTS:
        counted = outcomes(labels, count, classes=classes)  # type: ignore[arg-type]
        intervals = share_intervals(counted.weights, codes, level=level)
        found[count] = dict(zip(counted.names, intervals, strict=True))
    names = [
        *classes,
        *(a for a in ABSTENTIONS if found["status"].get(a) and found["status"][a].estimate > 0),
    ]
    rows = [(name.replace("_", " "), *(_cell(found[count].get(name)) for count in COUNTS)) for name in names]
    header = ("outcome", "status %", "posterior %", "split %", "best %")
    blocks: list[Block] = [
        Words(
            f"{_rows(part)}. By status a row "
            "counts for its strategy only where the label is confident; by posterior for each strategy "
            "with its probability; split shares ties equally; best takes the first of those that tie. "
            "Where the columns differ, the share depends on how uncertain labels are counted."
        ),
        grid(f"Shares in per cent, with {level:.0%} intervals ({part.units[1]} are the unit)", header, rows),
    ]
    spread = {
        name: [found[count][name].estimate for count in COUNTS if name in found[count]] for name in classes
    }
    widest = max(spread, key=lambda name: max(spread[name]) - min(spread[name]))
    low, high = min(spread[widest]), max(spread[widest])
    if high - low > 0.05:
        text = f"The share of {widest} is {low:.0%} or {high:.0%} depending on how labels are counted."
        blocks.append(Words(text, "caution"))
    top = max((c for c in classes if c != "RANDOM"), key=lambda name: found["status"][name].estimate)
    share = found["status"][top]
    finding = (
        f"the most frequent confident label is {top}, {share.estimate:.0%} of {part.units[0]} ({level:.0%} "
        f"interval {share.low:.0%} to {share.high:.0%})"
    )
    if high - low > 0.05:
        finding += f"; the share of {widest} depends most on counting ({low:.0%} to {high:.0%})"
    return Section(f"{key}-shares", "Labels and shares", tuple(blocks)), [finding]


def _rows(part: Material) -> str:
    """How many rows of how many games."""
    what, n = part.units[0], len(part.labels)
    games = part.labels["n_games"].sum() if part.per == "player" else part.labels["game_id"].nunique()
    return f"{n:,} {what} of {int(games):,} games"


def _cell(interval: object) -> str:
    from intent.report.tables import percent

    return "–" if interval is None else percent(interval)  # type: ignore[arg-type]
