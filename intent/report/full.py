"""The sections that only a full report has: fits of each game, all factors at once, play, examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intent.base.errors import IntentError, shorten
from intent.base.statistics import Interval
from intent.base.wording import as_sentence, in_words
from intent.comparison.groups import percent
from intent.report.page import Block, Listing, Section, Strip, Words, grid, phrase, picture
from intent.report.sections import game_strip

if TYPE_CHECKING:
    import numpy as np

    from intent.estimate.sfem_result import ShareEstimates
    from intent.report.figure_makers import Made, Subject
    from intent.report.material import Material


__all__ = [
    "estimates_section",
    "examples_section",
    "humans_blocks",
    "play_section",
    "portrait_blocks",
    "regression_section",
]

_LETTERS = 500
"""Of a caution."""


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


_SFEM_HINT = re.compile(r"; --bootstrap .*")
"""What a note of `intent sfem` says on its own options."""


def estimates_section(
    part: Material, key: str, by: Sequence[str], *, level: float, seed: int
) -> Section | None:
    """The fits of one game by the first factor; None without the moves.

    Shares, intervals and tests of the groups stand with the comparison by that factor, and nowhere twice.
    """
    from intent.estimate.sfem import sfem

    if part.log is None:
        return None
    others = part.provenance.get("others")
    title, address = phrase("estimates.title"), f"{key}-sfem"
    try:
        estimates = sfem(
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
        return Section(address, title, (Words(phrase("estimates.failed", error=error), "caution"),))
    caption = phrase("estimates.caption", by=f" by {in_words(list(by))}" if by else "")
    blocks: list[Block] = [
        Words(phrase("estimates.about", n=len(part.classes))),
        grid(caption, *estimates.fit_rows(), heads=max(1, len(by))),
        *humans_blocks(part, estimates),
    ]
    if estimates.notes:
        notes = (shorten(_SFEM_HINT.sub("", note), _LETTERS) for note in estimates.notes)
        blocks.append(Listing(tuple(map(as_sentence, notes)), "caution"))
    return Section(address, title, tuple(blocks))


_GAME = "prisoner"
"""Part of the name of the game that every published study here has in common."""


def humans_blocks(part: Material, estimates: ShareEstimates) -> list[Block]:
    """Shares of people beside the estimated ones, of the nearest set; nothing for games of no study here."""
    from intent.estimate.baselines import every_baseline, nearest_sets

    classes = part.classes
    every = nearest_sets(every_baseline(), classes) if _GAME in (part.game or "") else []
    humans = [one for one in every if one.beside(classes)]
    if not humans:
        return []
    rows: list[tuple[object, ...]] = []
    for name, fit in estimates.named_fits():
        own = dict(zip(fit.names, (share.estimate for share in fit.shares), strict=True))
        label = name if estimates.by else phrase("humans.this_log")
        rows.append((label, *(_percent(own.get(c)) for c in classes), "–"))
    for one in humans:
        beside = one.beside(classes)
        rest = sum(share for _, share, _ in one.shares) - sum(beside.values())
        treatment = ", ".join(f"{name} = {value:g}" for name, value in one.treatment)
        label = phrase("humans.people", name=one.name, treatment=f" ({treatment})" if treatment else "")
        rows.append((label, *(_percent(beside.get(c)) for c in classes), _percent(abs(rest))))
    by = f" by {in_words(list(estimates.by))}" if estimates.by else ""
    sources = " ".join(dict.fromkeys(f"{one.citation} doi:{one.doi}." for one in humans))
    ranges = "; ".join(
        f"{c} {100 * min(shares):.0f} to {100 * max(shares):.0f}%"
        for c in classes
        if (shares := [one.beside(classes)[c] for one in humans if c in one.beside(classes)])
    )
    header = ("group", *classes, phrase("humans.others"))
    return [
        Words(phrase("humans.about", n=len(humans), ranges=ranges)),
        grid(phrase("humans.caption", by=by), header, rows, folded=True),
        Words(phrase("humans.sources", sources=sources), "quiet"),
    ]


def regression_section(part: Material, key: str, factors: Sequence[str], *, level: float) -> Section | None:
    """Whether each factor matters at equal others, and the adjusted shares; None for fewer than two.

    The seat is left out: where seats and another column of them never vary apart it would stand for that
    column of the opponent; seats are compared within their games instead.
    """
    from intent.comparison.data import compared
    from intent.comparison.regression import membership_model
    from intent.comparison.requests import CompareRequest
    from intent.comparison.shares import estimator
    from intent.comparison.tables import margin_rows, term_rows
    from intent.estimate.design_units import design_units

    own = [name for name in factors if name != "seat"]
    if len(own) < 2:
        return None
    title, address, labels = phrase("regression.title"), f"{key}-logit", part.labels
    try:
        request = CompareRequest(table=labels, log=part.log, level=level)
        source = compared(request, log_needed=part.log is not None)
        units = design_units(labels, own, classes=part.classes)
        model = membership_model(estimator(request, source, labels, own, units)[0])
    except IntentError as error:
        return Section(address, title, (Words(phrase("regression.failed", error=error), "quiet"),))
    tests, tested = term_rows(model)
    margins, adjusted = margin_rows(model)
    blocks: list[Block] = [
        Words(phrase("regression.about", factors=in_words(own), unit=units.unit.noun)),
        grid(phrase("regression.tests"), tests, _named(tested)),
        grid(phrase("regression.margins"), margins, _named(adjusted), folded=True),
    ]
    if model.notes:
        notes = (shorten(as_sentence(line), _LETTERS) for line in model.notes)
        blocks.append(Listing(tuple(notes), "caution"))
    return Section(address, title, tuple(blocks))


def _named(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Names of columns and outcomes as a sentence has them."""
    return [[in_words(str(row[0])), *("no fit" if c == "no_fit" else c for c in row[1:])] for row in rows]


_FIGURES = ("cooperation", "mismatch", "personas")
"""Of `figure_makers.FIGURES`."""

_ROWS = 600
"""Rows of a table of numbers that a page holds."""


def play_section(
    part: Material, key: str, by: str, *, bootstrap: int, level: float, rng: np.random.Generator
) -> Section | None:
    """Cooperation after each outcome and by round, agreement, personas; None without the moves."""
    from intent.behaviour.means import Intervals
    from intent.behaviour.payoffs import stakes_column
    from intent.behaviour.play_table import played
    from intent.report.figure_makers import Subject, makers

    if part.log is None or not len(part.log.moves):
        return None
    table = played(part.log, keep_defaulted=bool(part.provenance.get("keep_defaulted")))
    column = by if by in table.columns else "model"
    stakes = stakes_column(table, None)
    stakes = None if stakes == column else stakes
    known = makers()
    blocks: list[Block] = []
    for name, own in zip(("portraits", *_FIGURES), rng.spawn(len(_FIGURES) + 1), strict=True):
        subject = Subject(part.game or part.name, table, column, stakes, Intervals(bootstrap, level), own)
        try:
            if name == "portraits":
                blocks += portrait_blocks(subject, part)
                continue
            figure = known[name].make(subject)
            if not isinstance(figure, str):
                blocks.append(_play_picture(figure, part, figure.intervals(subject)))
        except IntentError as error:
            blocks.append(Words(phrase("play.no_figure", name=name, error=error), "quiet"))
    return Section(f"{key}-play", phrase("play.title"), tuple(blocks)) if blocks else None


def _play_picture(figure: Made, part: Material, intervals: str) -> Block:
    columns = [str(c) for c in figure.table.columns]
    rows = figure.table.head(_ROWS).astype(object).itertuples(index=False, name=None)
    heads = next((k for k, c in enumerate(columns) if c in ("n", "n_games", "estimate")), 1)
    cut = phrase("play.cut", rows=_ROWS, n=len(figure.table)) if len(figure.table) > _ROWS else ""
    caption = phrase("play.numbers", title=figure.title, cut=cut)
    numbers = grid(caption, columns, [_plain(r) for r in rows], heads=max(1, heads), folded=True)
    title = f"{figure.title}: {part.game or part.name}"
    caption = " ".join(filter(None, (f"{figure.title}.", *figure.lines, intervals)))
    return picture(figure.draw, title, caption, caption, numbers)


def _plain(row: tuple[Any, ...]) -> list[object]:
    return [value.item() if hasattr(value, "item") else value for value in row]


def portrait_blocks(subject: Subject, part: Material) -> list[Block]:
    """A row per group, and per strategy that the recogniser knows; nothing without two-player games."""
    from intent.behaviour.measures import SITUATIONS, portraits, situation_counts
    from intent.strategies.catalogue import CATALOGUE
    from intent.strategies.sets import strategies_in

    known = {**CATALOGUE, **{s.name: s for s in strategies_in(part.provenance)}}
    counts = situation_counts(subject.table)
    if not len(counts):
        return []
    cells = portraits(counts, (subject.by,), **subject.how)
    rows: list[tuple[object, ...]] = []
    for group, own in cells.groupby(subject.by, sort=False, dropna=False, observed=True):
        values = zip(own["estimate"], own["low"], own["high"], strict=True)
        rows.append((str(group), *("–" if p != p else percent(Interval(p, *ends)) for p, *ends in values)))
    for name in part.classes:
        vector = known[name].memory_one_vector() if name in known else None
        if vector is not None:
            rows.append((phrase("portraits.rule", name=name), *(f"{100 * p:.0f}" for p in vector)))
    first, *after = phrase("portraits.first"), *(phrase("portraits.after", name=s) for s in SITUATIONS[1:])
    return [
        grid(
            phrase("portraits.caption", by=in_words(subject.by)), (in_words(subject.by), first, *after), rows
        ),
        Words(phrase("portraits.about", level=subject.intervals.level), "quiet"),
    ]


_EXAMPLES = (
    ("confident", ["fit_p", "confidence"], False),
    ("ambiguous", ["fit_p", "confidence"], False),
    ("no_fit", ["fit_p", "confidence"], True),
    ("low_confidence", ["confidence"], True),
)
"""Status, the columns that say which game shows it best, and whether the least of them."""


def examples_section(
    part: Material, key: str, varied: Sequence[str] = (), *, each: int = 1
) -> Section | None:
    """Games of each status as strips of moves, with the values of what varies; None without the moves."""
    if part.log is None or part.play is None:
        return None
    strips: dict[str, Strip] = {}
    for status, order, up in _EXAMPLES:
        rows = part.labels[(part.labels["status"] == status).to_numpy()]
        rows = rows.assign(_game=rows["game_id"].astype(str)).sort_values(
            [*order, "_game"], ascending=[up] * len(order) + [True], kind="stable"
        )
        for game in [g for g in dict.fromkeys(rows["_game"].head(200)) if g not in strips][:each]:
            strips[game] = game_strip(part, game, phrase(f"examples.{status}"), varied)
    if not strips:
        return None
    return Section(
        f"{key}-games", phrase("examples.title"), (Words(phrase("examples.about")), *strips.values())
    )
