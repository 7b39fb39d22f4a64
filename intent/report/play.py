"""How a game was played: figures of play with the tables that they show.

Memory-one portraits as a table: how often groups cooperate first, and after each joint outcome.

What was run: who played what, how often, and what it took.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from intent.base.errors import shorten
from intent.base.wording import in_words

if TYPE_CHECKING:
    import numpy as np

    from intent.report.document import Block, Section
    from intent.report.figure_makers import Subject
    from intent.report.material import Material


__all__ = ["FIGURES", "play_section", "portrait_blocks", "run_section"]


FIGURES = ("cooperation", "mismatch", "personas")
"""Of `figure_makers.MAKERS`."""

_ROWS = 600
"""Rows of a table of numbers that a page holds."""


def play_section(
    part: Material, key: str, by: str, *, bootstrap: int, level: float, rng: np.random.Generator
) -> Section | None:
    """Cooperation after each outcome and by round, agreement, personas; None without the moves."""
    from intent.base.errors import IntentError
    from intent.behaviour.means import Intervals
    from intent.behaviour.payoffs import stakes_column
    from intent.behaviour.play_table import played
    from intent.report.document import Section, Words
    from intent.report.figure_makers import MAKERS, Subject

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
    from intent.figures.style import look
    from intent.report.document import Picture, grid
    from intent.report.page import inline_svg

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


def portrait_blocks(subject: Subject, part: Material) -> list[Block]:
    """A row per group, and per strategy that the recogniser knows; nothing without two-player games."""
    from intent.base.statistics.intervals import Interval
    from intent.behaviour.measures import SITUATIONS, portraits, situation_counts
    from intent.comparison.tables import percent
    from intent.report.document import Words, grid
    from intent.strategies.catalogue import CATALOGUE

    counts = situation_counts(subject.table)
    if not len(counts):
        return []
    found = portraits(counts, (subject.by,), **subject.how)
    rows: list[tuple[object, ...]] = []
    for group, cells in found.groupby(subject.by, sort=False, dropna=False):
        values = zip(cells["estimate"], cells["low"], cells["high"], strict=True)
        shown = ("–" if p != p else percent(Interval(p, low, high)) for p, low, high in values)
        rows.append((str(group), *shown))
    for name in part.classes:
        vector = CATALOGUE[name].memory_one_vector() if name in CATALOGUE else None
        if vector is not None:
            rows.append((f"{name}, by its rule", *(f"{100 * p:.0f}" for p in vector)))
    header = (in_words(subject.by), "first move", *(f"after {name}" for name in SITUATIONS[1:]))
    caption = f"Cooperation in per cent by {in_words(subject.by)}, at first and after each joint outcome"
    return [
        grid(caption, header, rows),
        Words(
            f"Own move first: after CD the player had cooperated and the other defected. In brackets: "
            f"{subject.intervals.level:.0%} intervals that resample whole games. All moves of a group are "
            "taken together, so that a mixture of players may look like none of them.",
            "quiet",
        ),
    ]


_MOST = 12
"""Values of a column that are named."""

_NAME = 60
"""Letters of each of them."""


def run_section(material: Material) -> Section:
    """Games, players and conditions; of a run also its calls, cost and failures."""
    from intent.report.document import Section, Words, grid

    labels = material.labels
    sources = {"log": "a game log", "run": "a run of our own", "labels": "a table of labels"}
    text = (
        f"{material.name} is {sources[material.kind]}: {material.counted} have labels "
        f"({'a row is a player with all games' if material.per_player else 'one seat of one game each'})."
    )
    if material.where:
        kept = "; ".join(f"{c} = {' or '.join(map(str, v))}" for c, v in material.where.items())
        text += f" Rows were chosen: {kept}."
    blocks: list[Block] = [Words(text)]
    rows = []
    for column in _described(labels):
        counts = labels[column].astype(object).fillna("(none)").astype(str).value_counts()
        shown = ", ".join(f"{shorten(value, _NAME)} ({n:,})" for value, n in counts.head(_MOST).items())
        more = f" and {len(counts) - _MOST} more" if len(counts) > _MOST else ""
        rows.append((in_words(column), len(counts), shown + more))
    rounds = labels["n_rounds"]
    shown = (
        f"{rounds.min()}"
        if rounds.nunique() == 1
        else f"{rounds.min()} to {rounds.max()}, median {rounds.median():g}"
    )
    rows.append(("rounds with a known own move", rounds.nunique(), shown))
    blocks.append(
        grid(f"Who played what (in brackets: {material.rows_in_words})", ("what", "values", "which"), rows)
    )
    if material.run is not None:
        blocks += list(_run(material.run))
    return Section("run", "What was run", tuple(blocks))


def _described(labels: Any) -> list[str]:
    from intent.base import codebook

    results = {c.name for c in codebook.LABELS}
    found = []
    for column in labels.columns:
        if column in results or column.startswith("p_") or column in ("source", "source_game_id"):
            continue
        try:
            n = labels[column].nunique()
        except TypeError:
            continue
        if 1 <= n <= max(50, len(labels) // 20):
            found.append(str(column))
    first = [c for c in ("game", "model", "language", "persona", "horizon_known") if c in found]
    return [*first, *(c for c in found if c not in first)][:20]


def _run(facts: Mapping[str, Any]) -> list[Block]:
    from intent.report.document import Listing, Words, grid

    use = facts["use"]
    cost = "its cost is not known" if use["cost"] is None else f"it cost {use['cost']:.4g}"
    cost = "it cost nothing" if use["cost"] == 0 else cost
    failed = ", ".join(f"{n:,} {kind}" for kind, n in use["failures"].items()) or "none"
    blocks: list[Block] = [
        Words(
            f"Run {facts['run']}, made {facts.get('created', 'at an unknown time')} with intent "
            f"{facts.get('version', 'of an unknown version')}: {facts['n_finished']:,} of "
            f"{facts['n_games']:,} games are finished, {facts['n_interrupted']:,} were set aside with an "
            f"error. {use['calls']:,} calls ({use['cached']:,} of them from the cache), "
            f"{use['prompt_tokens']:,} tokens of prompts and {use['completion_tokens']:,} of replies in "
            f"{use['seconds']:.0f} s of play; {cost}. Requests that failed and were tried again: {failed}. "
            f"Prompt sets: {', '.join(map(str, facts['prompts'])) or 'none'}."
        )
    ]
    if facts["errors"]:
        blocks.append(
            Listing(
                tuple(f"game {game} was set aside: {error}" for game, error in facts["errors"]), "caution"
            )
        )
    header = ("model", "answered as", "calls", "tokens in", "tokens out", "cost", "s per call")
    rows = [
        (
            m["player"],
            ", ".join(m["models"]) or "–",
            m["calls"],
            m["prompt_tokens"],
            m["completion_tokens"],
            m["cost"],
            m["seconds"],
        )
        for m in use["models"]
    ]
    if rows:
        blocks.append(grid("What each model was asked", header, rows))
    return blocks
