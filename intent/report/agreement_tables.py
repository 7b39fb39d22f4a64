"""Agreement between recognisers as text: pairs, where they differ, and on which play."""

from __future__ import annotations

import math

from intent.analysis.agreement import Agreement
from intent.analysis.bootstrap import Interval

__all__ = ["agreement_sentences", "agreement_tables"]

_MOST_DIFFERENCES = 3

Table = tuple[str, list[str], list[list[object]]]


def agreement_tables(found: Agreement) -> list[Table]:
    """Title, header and rows: pairs of recognisers, then rows by the status of the exact posterior."""
    pairs: list[list[object]] = []
    for pair in found.pairs:
        most = ", ".join(
            f"{found.classes[i]}/{found.classes[j]} {count:,}"
            for i, j, count in pair.differ[:_MOST_DIFFERENCES]
        )
        pairs.append(
            [
                found.names[pair.a],
                found.names[pair.b],
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
        for part in reversed(found.by_status)
    ]
    return [
        ("Pairs", ["a", "b", "alike", "Cohen kappa", "most frequent differences (a/b)"], pairs),
        (
            "By what the exact posterior says of the play",
            ["status", "n", "not unanimous", "of these rows", "of all disagreement", "Fleiss kappa"],
            statuses,
        ),
    ]


def agreement_sentences(found: Agreement, level: float) -> list[str]:
    """The result in a few lines."""
    kappa = found.kappa
    spread = f" ({kappa.low:.3f} to {kappa.high:.3f})" if not math.isnan(kappa.low) else ""
    value = "undefined: all always say the same" if math.isnan(kappa.estimate) else f"{kappa.estimate:.3f}"
    lines = [
        f"unanimous {_with_ends(found.unanimous)}, a majority {found.majority:.1%}; "
        f"Fleiss' kappa {value}{spread}; {level * 100:g} % intervals resample whole games"
    ]
    if found.n_untied < found.n and not math.isnan(found.tied_share):
        several = 1 - found.n_untied / found.n
        lines.append(
            f"{found.tied_share:.0%} of the disagreement falls on the {several:.0%} of the trajectories "
            "that several strategies explain equally well"
        )
    if found.n_untied:
        lines.append(f"of the other {found.n_untied:,}, {_with_ends(found.untied)} are named alike by all")
    return lines


def _with_ends(share: Interval) -> str:
    ends = "" if math.isnan(share.low) else f" ({share.low:.1%} to {share.high:.1%})"
    return f"{share.estimate:.1%}{ends}"


def _number(kappa: float) -> str:
    return "–" if math.isnan(kappa) else f"{kappa:.3f}"
