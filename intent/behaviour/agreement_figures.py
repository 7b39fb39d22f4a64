"""Heat map of agreement: every two recognisers, the share that they name alike and Cohen's kappa.

Agreement between recognisers as text: pairs, where they differ, and on which play.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from intent.base.errors import UsageError
from intent.base.statistics.intervals import Interval
from intent.behaviour.agreement_measures import Agreement
from intent.figures.style import caption, cells, column_ticks, ink_over, look, save, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure


__all__ = ["agreement_sentences", "agreement_tables", "draw_agreement", "write_agreement_figure"]


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
        f"Fleiss' kappa {value}{spread}; {level * 100:g} % intervals resample whole games"
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


_COLOURS = "YlGnBu"
_MOST = 20
_LETTERS = 13


def write_agreement_figure(
    agreement: Agreement,
    path: str | Path,
    *,
    level: float = 0.95,
    remarks: Sequence[str] = (),
    description: str = "",
    overwrite: bool = False,
) -> Path:
    """Draw the agreement of every two recognisers and write it as .png, .svg or .pdf.

    Raises
    ------
    UsageError
        More than twenty recognisers.
    OutputError
        The path cannot be written or has another suffix.
    """
    if len(agreement.names) > _MOST:
        raise UsageError(
            f"{len(agreement.names)} recognisers are too many for a figure, expected at most {_MOST}"
        )
    title = "Agreement between recognisers"
    lines = [
        f"{agreement.n:,} trajectories of {agreement.n_games:,} games. Large: share of the trajectories "
        "whose most probable strategy is the same (%); small: Cohen's kappa, the agreement beyond chance.",
        *(f"{line[0].upper()}{line[1:]}." for line in agreement_sentences(agreement, level)),
        *remarks,
    ]
    with look():
        figure = draw_agreement(agreement)
        caption(figure, title, lines)
        return save(figure, path, title=title, description=description, overwrite=overwrite)


def draw_agreement(agreement: Agreement) -> Figure:
    """A square map with the recognisers in the order given; its diagonal is left empty."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    size = len(agreement.names)
    alike, kappa = np.full((2, size, size), np.nan)
    for pair in agreement.pairs:
        alike[[pair.a, pair.b], [pair.b, pair.a]] = pair.agreement
        kappa[[pair.a, pair.b], [pair.b, pair.a]] = pair.kappa
    ticks, slant, depth = column_ticks(list(agreement.names), _LETTERS)
    figure = Figure(figsize=(max(6.4, 3.4 + 1.25 * size), 2.6 + depth + 0.75 * size), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(alike, cmap=_COLOURS, vmin=0, vmax=1, aspect="auto")
    for (i, j), share in np.ndenumerate(alike):
        if math.isnan(share):
            continue
        tone = ink_over(image, share)
        axes.text(j, i - 0.1, f"{share * 100:.1f}", ha="center", va="center", color=tone, fontsize=11)
        text = "–" if math.isnan(kappa[i, j]) else f"{kappa[i, j]:.2f}"
        axes.text(j, i + 0.25, text, ha="center", va="center", color=tone, fontsize=8)
    axes.set_xticks(range(size), ticks, **slant)
    axes.set_yticks(range(size), [wrapped(name) for name in agreement.names])
    cells(axes, size, size)
    bar = figure.colorbar(image, ax=axes, format=PercentFormatter(1, decimals=0, symbol=""), pad=0.02)
    bar.set_label("named alike (%)")
    bar.outline.set_visible(False)
    return figure
