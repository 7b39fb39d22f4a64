"""What was run: who played what, how often, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from intent.errors import shorten
from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["run_section"]

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
    from intent import schema

    results = {c.name for c in schema.LABELS}
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
