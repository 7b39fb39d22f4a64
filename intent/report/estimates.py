"""The fits behind estimated shares: their noise, and people in the laboratory beside them.

Estimated shares, and labels counted in four ways, side by side.

People in the laboratory: published shares of strategies beside the estimated ones.

All factors of a game at once: a logit of which strategy is played, fitted to the play itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.base.errors import shorten
from intent.base.statistics.intervals import Interval
from intent.base.wording import in_words
from intent.comparison.tables import percent

if TYPE_CHECKING:
    from intent.estimate.sfem_result import ShareEstimates
    from intent.report.document import Block, Section
    from intent.report.findings import Played
    from intent.report.material import Material


__all__ = ["COUNTS", "estimates_section", "humans_blocks", "regression_section", "shares_section"]


_HINT = re.compile(r"; --bootstrap .*")
"""What a note of `intent sfem` says on its own options."""

_LETTERS = 500
"""Of a caution."""


def estimates_section(
    part: Material, key: str, by: Sequence[str], *, level: float, seed: int
) -> Section | None:
    """The fits of one game by the first factor; None without the moves.

    Shares, intervals and tests of the groups stand with the comparison by that factor, and nowhere twice.
    """
    from intent.base.errors import IntentError
    from intent.estimate.sfem import sfem
    from intent.report.document import Listing, Section, Words, grid

    if part.log is None:
        return None
    others = part.provenance.get("others")
    title, address = "Noise of the estimates", f"{key}-sfem"
    try:
        found = sfem(
            part.log,
            list(part.classes),
            by=by,
            bootstrap=0,
            level=level,
            test=False,
            labels=part.labels,
            others=others if isinstance(others, str) else None,
            keep_defaulted=bool(part.provenance.get("keep_defaulted")),
            seed=seed,
        )
    except IntentError as error:
        return Section(address, title, (Words(f"Shares could not be estimated: {error}.", "caution"),))
    by_words = f" by {in_words(list(by))}" if by else ""
    words = (
        "Strategy frequency estimation fits the shares of a whole group at once, with one tremble per group "
        "(the probability that a move is another than the strategy says), and divides ambiguous play as the "
        f"rest suggests. It knows {len(part.classes)} strategies: play that follows none of them goes to "
        "RANDOM where that competes, else to the nearest, or into the tremble. The shares stand with the "
        "comparisons."
    )
    header, rows = found.fit_rows()
    blocks: list[Block] = [Words(words), grid(f"The fits{by_words}", header, rows, heads=max(1, len(by)))]
    blocks += humans_blocks(part, found)
    if found.notes:
        told = (shorten(_HINT.sub("", note), _LETTERS) for note in found.notes)
        blocks.append(Listing(tuple(f"{line[0].upper()}{line[1:]}." for line in told), "caution"))
    return Section(address, title, tuple(blocks))


COUNTS = ("status", "posterior", "split", "best")


def shares_section(part: Material, key: str, what: Played, *, level: float) -> Section:
    """Estimated shares, and labels counted in four ways, with intervals on the unit of the design.

    Parameters
    ----------
    part : Material
    key : str
    what : Played
        The estimate.
    level : float in (0, 1)
    """
    from intent.base.statistics.intervals import share_intervals
    from intent.estimate.design_units import design_units
    from intent.estimate.label_weights import ABSTENTIONS, outcomes
    from intent.report.document import Section, Words, grid

    labels, classes = part.labels, part.classes
    unit = design_units(labels, (), classes=classes).unit
    codes = unit.codes
    found = {}
    for count in COUNTS:
        counted = outcomes(labels, count, classes=classes)  # type: ignore[arg-type]
        intervals = share_intervals(counted.weights, codes, level=level)
        found[count] = dict(zip(counted.names, intervals, strict=True))
    names = [
        *classes,
        *(a for a in ABSTENTIONS if found["status"].get(a) and found["status"][a].estimate > 0),
    ]
    estimated = _estimated(what)
    first = ("estimated %",) if estimated else ()
    rows = [
        (
            name.replace("_", " "),
            *((estimated.get(name, "–"),) if estimated else ()),
            *(_cell(found[count].get(name)) for count in COUNTS),
        )
        for name in names
    ]
    header = ("outcome", *first, "status %", "posterior %", "split %", "best %")
    blocks: list[Block] = [
        Words(what.sentence),
        Words(
            f"{part.counted}. The estimate fits the shares of all of them at once, with their noise; "
            "findings "
            "and comparisons follow it. Counted labels describe labels: by status a row counts for its "
            "strategy only where the label is confident; by posterior for each strategy with its "
            "probability; split shares ties equally; best takes the first of those that tie. How many are "
            "called a strategy moves with noise, rounds and opponents.",
            "quiet",
        ),
        grid(f"Shares in per cent, with {level:.0%} intervals ({unit.noun} are the unit)", header, rows),
    ]
    spread = {
        name: [found[count][name].estimate for count in COUNTS if name in found[count]]
        for name in classes
        if name != "RANDOM"
    }
    widest = max(spread, key=lambda name: max(spread[name]) - min(spread[name]))
    low, high = min(spread[widest]), max(spread[widest])
    if high - low > 0.05:
        text = f"The share of labels {widest} is {low:.0%} or {high:.0%} depending on how they are counted."
        blocks.append(Words(text, "caution"))
    return Section(f"{key}-shares", "Labels and shares", tuple(blocks))


def _estimated(what: Played) -> dict[str, str]:
    """Estimated shares by strategy, as cells; strategies that are not told apart have their sum."""
    cells: dict[str, str] = {}
    for names, share, low, high in what.shares:
        for name in names:
            others = [other for other in names if other != name]
            cells[name] = percent(Interval(share, low, high))
            if others:
                cells[name] = f"{100 * share:.1f} with {' and '.join(others)}"
    return cells


def _cell(interval: object) -> str:
    return "–" if interval is None else percent(interval)  # type: ignore[arg-type]


_GAME = "prisoner"
"""Part of the name of the game that every published study here has in common."""


def humans_blocks(part: Material, found: ShareEstimates) -> list[Block]:
    """The table and what must be known to read it; nothing for games that no study here is on."""
    from intent.estimate.baselines import every_baseline
    from intent.report.document import Words, grid

    if _GAME not in (part.game or ""):
        return []
    classes = part.classes
    humans = [one for one in every_baseline() if one.beside(classes)]
    if not humans:
        return []
    rows: list[tuple[object, ...]] = []
    for name, fit in found.named_fits():
        own = dict(zip(fit.names, (share.estimate for share in fit.shares), strict=True))
        rows.append((name if found.by else "this log", *(_percent(own.get(c)) for c in classes), "–"))
    for one in humans:
        beside = one.beside(classes)
        rest = sum(share for _, share, _ in one.shares) - sum(beside.values())
        told = ", ".join(f"{name} = {value:g}" for name, value in one.treatment)
        label = f"people: {one.name}{f' ({told})' if told else ''}"
        rows.append((label, *(_percent(beside.get(c)) for c in classes), _percent(abs(rest))))
    by = f" by {in_words(list(found.by))}" if found.by else ""
    sources = " ".join(dict.fromkeys(f"{one.citation} doi:{one.doi}." for one in humans))
    ranges = "; ".join(
        f"{c} {100 * min(shares):.0f} to {100 * max(shares):.0f}%"
        for c in classes
        if (shares := [one.beside(classes)[c] for one in humans if c in one.beside(classes)])
    )
    return [
        Words(
            f"People, in {len(humans)} published treatments of the repeated Prisoner's Dilemma, estimated in "
            f"the same way: {ranges}. Other payoffs, games that end by chance (delta: the probability of one "
            "more round) and other strategies that compete: this is for orientation, and nothing is tested."
        ),
        grid(
            f"Estimated shares in per cent{by}, and of people in the laboratory",
            ("group", *classes, "others that competed"),
            rows,
            folded=True,
        ),
        Words(f"Sources: {sources}", "quiet"),
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


_LEAST = 2
"""Of a caution: names in it may be of any length."""


def regression_section(part: Material, key: str, factors: Sequence[str], *, level: float) -> Section | None:
    """Whether each factor matters at equal others, and the adjusted shares; None for fewer than two.

    The seat is left out: where seats and another column of them never vary apart it would stand for that
    column of the opponent; seats are compared within their games instead.
    """
    from intent.base.errors import IntentError
    from intent.comparison.regression import membership_model
    from intent.comparison.requests import CompareRequest
    from intent.comparison.shares import estimator
    from intent.comparison.source import compared
    from intent.comparison.tables import margin_rows, term_rows
    from intent.estimate.design_units import design_units
    from intent.report.document import Listing, Section, Words, grid

    own = [name for name in factors if name != "seat"]
    if len(own) < _LEAST:
        return None
    title, address = "All factors at once", f"{key}-logit"
    labels = part.labels
    try:
        request = CompareRequest(table=labels, log=part.log, level=level)
        source = compared(request, log_needed=part.log is not None)
        units = design_units(labels, own, classes=part.classes)
        model = membership_model(estimator(request, source, labels, own, units)[0])
    except IntentError as error:
        return Section(address, title, (Words(f"No regression: {error}.", "quiet"),))
    header, rows = term_rows(model)
    blocks: list[Block] = [
        Words(
            f"A multinomial logit of which strategy is played on {in_words(own)}, fitted to the play itself "
            f"with errors clustered by {units.unit.noun}, asks another question than the comparisons above: "
            "whether each factor matters while the others are held equal. It knows a player's own columns "
            "and "
            "not those of the opponent, and its p-values are not part of the correction above."
        ),
        grid("Does each factor matter, the others held equal: score tests", header, _named(rows)),
    ]
    header, rows = margin_rows(model)
    blocks.append(
        grid("Adjusted shares by level, and difference to the first level", header, _named(rows), folded=True)
    )
    if model.notes:
        told = tuple(shorten(f"{line[0].upper()}{line[1:]}.", _LETTERS) for line in model.notes)
        blocks.append(Listing(told, "caution"))
    return Section(address, title, tuple(blocks))


def _named(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Names of columns and outcomes as a sentence has them."""
    return [[in_words(str(row[0])), *("no fit" if c == "no_fit" else c for c in row[1:])] for row in rows]
