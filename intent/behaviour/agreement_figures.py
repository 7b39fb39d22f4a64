"""Heat map of agreement: every two recognisers, the share that they name alike and Cohen's kappa.

Agreement between recognisers as text: pairs, where they differ, and on which play.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from intent.base.errors import UsageError
from intent.base.statistics.intervals import PERCENTILES, Interval, interval_words
from intent.behaviour.agreement_measures import Agreement
from intent.figures.style import Drawing, canvas, colour_bar, column_ticks, text_map, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure


__all__ = ["agreement_figure", "agreement_sentences", "agreement_tables", "draw_agreement"]


_MOST_DIFFERENCES = 3

Table = tuple[str, list[str], list[list[object]]]


def agreement_tables(agreement: Agreement) -> list[Table]:
    """Title, header and rows: pairs of recognisers, then rows by the status of the exact posterior."""
    pairs: list[list[object]] = []
    for pair in agreement.pairs:
        most = ", ".join(
            f"{agreement.classes[i]}/{agreement.classes[j]} {count:,}"
            for i, j, count in pair.differ[:_MOST_DIFFERENCES]
        )
        pairs.append(
            [
                agreement.names[pair.a],
                agreement.names[pair.b],
                f"{pair.agreement:.1%}",
                _number(pair.kappa),
                most + (", …" if len(pair.differ) > _MOST_DIFFERENCES else ""),
            ]
        )
    statuses: list[list[object]] = [
        [
            part.status,
            f"{part.n:,}",
            f"{part.disagree:,}",
            f"{part.disagree / part.n:.1%}" if part.n else "–",
            "–" if math.isnan(part.share) else f"{part.share:.1%}",
            _number(part.kappa),
        ]
        for part in reversed(agreement.by_status)
    ]
    return [
        ("Pairs", ["a", "b", "alike", "Cohen kappa", "most frequent differences (a/b)"], pairs),
        (
            "By what the exact posterior says of the play",
            ["status", "n", "not unanimous", "of these rows", "of all disagreement", "Fleiss kappa"],
            statuses,
        ),
    ]


def agreement_sentences(agreement: Agreement, level: float) -> list[str]:
    """The result in a few lines."""
    kappa = agreement.kappa
    spread = f" ({kappa.low:.3f} to {kappa.high:.3f})" if not math.isnan(kappa.low) else ""
    value = "undefined: all always say the same" if math.isnan(kappa.estimate) else f"{kappa.estimate:.3f}"
    lines = [
        f"unanimous {_with_ends(agreement.unanimous)}, a majority {agreement.majority:.1%}; "
        f"Fleiss' kappa {value}{spread}; {interval_words(level, PERCENTILES, agreement.unit)}"
    ]
    if agreement.n_untied < agreement.n and not math.isnan(agreement.tied_share):
        several = 1 - agreement.n_untied / agreement.n
        lines.append(
            f"{agreement.tied_share:.0%} of the disagreement falls on the {several:.0%} of the trajectories "
            "that several strategies explain equally well"
        )
    if agreement.n_untied:
        lines.append(
            f"of the other {agreement.n_untied:,}, {_with_ends(agreement.untied)} are named alike by all"
        )
    return lines


def _with_ends(share: Interval) -> str:
    ends = "" if math.isnan(share.low) else f" ({share.low:.1%} to {share.high:.1%})"
    return f"{share.estimate:.1%}{ends}"


def _number(kappa: float) -> str:
    return "–" if math.isnan(kappa) else f"{kappa:.3f}"


_MOST = 20
_LETTERS = 13


def agreement_figure(agreement: Agreement, level: float = 0.95) -> Drawing:
    """The agreement of every two recognisers; `level` is that of the intervals.

    Raises
    ------
    UsageError
        More than twenty recognisers.
    """
    if len(agreement.names) > _MOST:
        raise UsageError(
            f"{len(agreement.names)} recognisers are too many for a figure, expected at most {_MOST}"
        )
    lines = [
        f"{agreement.n:,} trajectories of {agreement.n_games:,} games. Large: share of the trajectories "
        "whose most probable strategy is the same (%); small: Cohen's kappa, the agreement beyond chance.",
        *(f"{line[0].upper()}{line[1:]}." for line in agreement_sentences(agreement, level)),
    ]
    return Drawing("Agreement between recognisers", lambda: draw_agreement(agreement), lines)


def draw_agreement(agreement: Agreement) -> Figure:
    """A square map with the recognisers in the order given; its diagonal is left empty."""
    size = len(agreement.names)
    alike, kappa = np.full((2, size, size), np.nan)
    for pair in agreement.pairs:
        alike[[pair.a, pair.b], [pair.b, pair.a]] = pair.agreement
        kappa[[pair.a, pair.b], [pair.b, pair.a]] = pair.kappa
    texts = [["" for _ in row] for row in alike]
    for (i, j), share in np.ndenumerate(alike):
        if not math.isnan(share):
            texts[i][j] = f"{share * 100:.1f}\n" + ("–" if math.isnan(kappa[i, j]) else f"{kappa[i, j]:.2f}")
    ticks, slant, depth = column_ticks(list(agreement.names), _LETTERS)
    figure, axes = canvas(max(6.4, 3.4 + 1.25 * size), 2.6 + depth + 0.75 * size)
    image = text_map(axes, alike, texts, sizes=(11, 8), places=(0.1, 0.25), vmin=0, vmax=1)
    axes.set_xticks(range(size), ticks, **slant)
    axes.set_yticks(range(size), [wrapped(name) for name in agreement.names])
    colour_bar(figure, image, axes, "named alike (%)", percent=True)
    return figure
