"""How a game was played: figures of play with the tables that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["FIGURES", "play_section"]

FIGURES = ("cooperation", "mismatch", "personas")
"""Of `figure_makers.MAKERS`."""

_ROWS = 600
"""Rows of a table of numbers that a page holds."""


def play_section(
    part: Material, key: str, by: str, *, bootstrap: int, level: float, rng: np.random.Generator
) -> Section | None:
    """Cooperation after each outcome and by round, agreement, personas; None without the moves."""
    from intent.analysis.means import Intervals
    from intent.analysis.played import played
    from intent.analysis.stakes import stakes_column
    from intent.errors import IntentError
    from intent.report.document import Section, Words
    from intent.workflows.figure_makers import MAKERS
    from intent.workflows.figure_subject import Subject
    from intent.workflows.report.portraits import portrait_blocks

    if part.log is None or not len(part.log.moves):
        return None
    table = played(part.log, keep_defaulted=bool(part.provenance.get("keep_defaulted")))
    column = by if by in table.columns else "model"
    stakes = stakes_column(table, None)
    blocks: list[Block] = []
    for name, own in zip(("portraits", *FIGURES), rng.spawn(len(FIGURES) + 1), strict=True):
        subject = Subject(
            part.game or part.name,
            table,
            column,
            None if stakes == column else stakes,
            Intervals(bootstrap, level),
            own,
        )
        try:
            if name == "portraits":
                blocks += portrait_blocks(subject, part)
                continue
            made = MAKERS[name](subject)
            if not isinstance(made, str):
                blocks.append(_picture(made, part))
        except IntentError as error:
            blocks.append(Words(f"No figure of {name}: {error}.", "quiet"))
    return Section(f"{key}-play", "How it was played", tuple(blocks)) if blocks else None


def _picture(made: Any, part: Material) -> Block:
    from intent.report.document import Picture, grid
    from intent.report.inline_svg import inline_svg
    from intent.report.style import look

    with look():
        figure = made.draw()
    columns = [str(c) for c in made.table.columns]
    rows = made.table.head(_ROWS).astype(object).itertuples(index=False, name=None)
    heads = next((k for k, c in enumerate(columns) if c in ("n", "n_games", "estimate")), 1)
    cut = f" (first {_ROWS} of {len(made.table):,} rows)" if len(made.table) > _ROWS else ""
    numbers = grid(
        f"{made.title}: the numbers{cut}",
        columns,
        [_plain(r) for r in rows],
        heads=max(1, heads),
        folded=True,
    )
    title = f"{made.title}: {part.game or part.name}"
    caption = " ".join(
        (f"{made.title}.", *made.lines, "Bands and lines: intervals that resample whole games.")
    )
    return Picture(inline_svg(figure, title, caption), caption, numbers, title)


def _plain(row: tuple[Any, ...]) -> list[object]:
    return [value.item() if hasattr(value, "item") else value for value in row]
