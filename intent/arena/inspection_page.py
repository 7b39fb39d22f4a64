"""The page on which a person looks at written strategies before they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from intent.arena.inspection import ITSELF, PANEL, StrategyFacts
from intent.base.files import writing
from intent.report.page import html_page, rendered

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["InspectedSet", "LeftOut", "inspection_section", "write_inspection_page"]

_OUTCOMES = ("cc", "cd", "dc", "dd")
_FEW = 5
"""Occasions up to which a rate is shown with their number."""

_WORDS = 20_000
"""Characters of words that are shown."""

_COLUMNS = (
    ("name", False),
    ("group", False),
    ("p first", True),
    *((f"p {o.upper()}", True) for o in _OUTCOMES),
    *((f"C v {name}", True) for name in (*PANEL, ITSELF)),
    ("nearest", False),
    ("share", True),
    ("label", False),
    ("s / 1,000", True),
    ("flags", True),
)


class LeftOut(Protocol):
    """A strategy that could not be played."""

    @property
    def name(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def origin(self) -> str: ...


@dataclass(frozen=True)
class InspectedSet:
    """Strategies that belong together.

    Attributes
    ----------
    name : str, of the set; empty where there is only one
    """

    name: str
    facts: Sequence[StrategyFacts]
    failed: Sequence[LeftOut] = ()


def write_inspection_page(
    path: str | Path,
    sets: Sequence[InspectedSet],
    *,
    title: str = "Strategies before use",
    lines: Sequence[str] = (),
    overwrite: bool = False,
) -> Path:
    """Write one self-contained HTML file.

    Parameters
    ----------
    lines : sequence of str
        What a reader should know first: rules of the matches, engine, seed.

    Raises
    ------
    OutputError
        The path exists and may not be replaced, or cannot be written.
    """
    head = rendered("head.html", title=title, lines=list(lines), sets=[one.name for one in sets])
    body = head
    for number, one in enumerate(sets, 1):
        body += inspection_section(one, number)
    text = html_page(title, body)
    with writing(path, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf8", errors="backslashreplace")
    return Path(path)


def inspection_section(one_set: InspectedSet, number: int = 1) -> Markup:
    """The part of a page that shows a set: a table to sort, then one strategy after the other.

    Parameters
    ----------
    number : int
        Of the set on the page; addresses within it are made from it.
    """
    facts, failed = one_set.facts, one_set.failed
    rows = [_row(one, f"strategy-{number}-{k}") for k, one in enumerate(facts, 1)]
    faulty = sum(bool(one.faults) for one in facts)
    doubles = sum(bool(one.same_play) for one in facts)
    summary = (
        f"{len(facts)} strategies passed the gate; {faulty} of them failed in the sandbox, and {doubles} "
        f"play the panel move for move as another does. {len(failed)} did not pass."
    )
    return rendered(
        "inspection.html",
        name=one_set.name,
        place=number,
        summary=summary,
        failed=list(failed),
        columns=_COLUMNS,
        strategies=rows,
    )


def _row(one: StrategyFacts, anchor: str) -> dict[str, Any]:
    entrant, drawn = one.entrant, one.portrait
    bars = [] if drawn is None else list(_bars(one))
    values = [None] * 5 if drawn is None else [b["p"] if b["known"] else None for b in bars]
    opponents = [name for name in (*PANEL, ITSELF) if name in one.metrics]
    measured = list(one.metrics[opponents[0]]) if opponents else []
    metrics = [
        (name.replace("_", " "), [_cell(*one.metrics[opponent][name]) for opponent in opponents])
        for name in measured
    ]
    near = one.nearest[0] if one.nearest else ("–", None)
    return {
        "anchor": anchor,
        "name": entrant.name,
        "group": entrant.group or "",
        "about": "; ".join(_about(one)),
        "bars": bars,
        "portrait_values": values,
        "portrait_words": "" if drawn is None else _in_words(one),
        "cooperation": [
            one.metrics[name]["cooperation_rate"][0] if name in one.metrics else None
            for name in (*PANEL, ITSELF)
        ],
        "nearest_name": near[0],
        "nearest_share": near[1],
        "label": "–" if one.label is None else _label(one),
        "seconds": one.seconds,
        "flags": list(one.flags),
        "faulty": bool(one.faults),
        "safety": list(_safety(one)),
        "same": _same(one),
        "opponents": opponents,
        "metrics": metrics,
        "words": entrant.words[:_WORDS],
        "source": entrant.source,
    }


def _bars(one: StrategyFacts) -> Iterator[dict[str, Any]]:
    assert one.portrait is not None
    drawn = one.portrait
    matches = one.metrics["RANDOM"]["payoff"][1]
    pairs = [("first", drawn.first, matches)]
    pairs += [(o.upper(), drawn.after[o], drawn.n[o]) for o in _OUTCOMES]
    for name, share, n in pairs:
        yield {
            "name": name,
            "known": n > 0,
            "p": share.estimate,
            "low": share.low,
            "high": share.high,
            "n": n,
        }


def _in_words(one: StrategyFacts) -> str:
    assert one.portrait is not None
    near = ", ".join(f"{name} ({share:.0%})" for name, share in one.nearest)
    left = one.portrait.spread
    return (
        f"Bars: share of cooperation, lines: exact 95 % intervals. The last round leaves {left:.0%} of the "
        f"variance of its moves open (of a coin: 100 %). Moves over the panel as {near}. "
        f"First match against RANDOM: {_label(one)}."
    )


def _label(one: StrategyFacts) -> str:
    if one.label is None:
        return "–"
    return f"{one.label.best}, {one.label.status.replace('_', ' ')} ({one.label.confidence:.2f})"


def _about(one: StrategyFacts) -> Iterator[str]:
    entrant = one.entrant
    if entrant.group:
        yield entrant.group
    if entrant.origin:
        yield f"from {entrant.origin}"
    if entrant.game:
        yield f"written for {entrant.game}"
    if entrant.turns is not None:
        yield f"{entrant.turns} rounds"
    if entrant.noise is not None:
        yield f"noise {entrant.noise:g}"


def _safety(one: StrategyFacts) -> Iterator[str]:
    if one.code is not None:
        code = one.code
        yield f"{code.lines} lines, {code.characters:,} characters"
        yield f"calls {_counted(code.builtins)}"
        yield f"attributes {_counted(code.attributes)}"
        yield f"random numbers: {_counted(code.chance)}"
        deep = f", at most {code.nested_loops} within each other" if code.loops else ""
        yield f"{code.loops} loops{deep}; {code.functions} inner functions"
        yield f"remembers {', '.join(code.remembers) or 'nothing of its own'}"
        yield f"goes through whole histories: {_yes(code.whole_history)}"
        yield f"reads scores: {_yes(code.reads_scores)}; the length of the match: {_yes(code.reads_length)}"
    if one.seconds == one.seconds:
        yield f"about {one.seconds:.3f} s for 1,000 rounds, the start of the sandbox included"
    for fault in one.faults:
        at = "" if fault.turn is None else f" in round {fault.turn + 1}"
        yield f"fault ({fault.kind}){at}: {fault.reason}"


def _same(one: StrategyFacts) -> str:
    parts = [
        f"{what} as {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
        for what, names in (("Same source", one.same_code), ("Same moves on the panel", one.same_play))
        if names
    ]
    return "; ".join(parts)


def _cell(value: float, n: int) -> str:
    if n == 0:
        return "– (0)"
    return f"{value:.2f} ({n})" if n <= _FEW else f"{value:.2f}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}×" for name, n in counts.items()) or "none"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
