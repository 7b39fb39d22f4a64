"""How the numbers of a report were made, in words for a paper, with references, settings and versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.compare_result import CompareResult
    from intent.workflows.report.material import Material

__all__ = ["methods_section", "settings_section"]

_CITED = (
    "holm1979",
    "hothorn2008",
    "franco2019",
    "wilson1927",
    "dalbo2011",
    "fudenberg2012",
    "rotnitzky1990",
)
_CITED_BY_REGRESSION = ("mcfadden1974", "boos1992", "efron1993")
_LONG = 400


def methods_section(
    material: Material,
    *,
    bootstrap: int,
    permutations: int,
    level: float,
    n_questions: int,
    regression: bool,
    main: CompareResult | None = None,
) -> Section:
    """Methods and references.

    Parameters
    ----------
    material : Material
    bootstrap, permutations, level : as used
    n_questions : int
        Whose p-values are corrected together.
    regression : bool
        Whether all factors were fitted together, and play drawn by round.
    main : CompareResult, optional
        The main comparison, whose methods are added as `intent compare` words them.
    """
    from intent.report.document import Listing, Section, Words
    from intent.report.works import WORKS
    from intent.strategies.catalogue import CATALOGUE

    facts = material.provenance
    eps = facts.get("eps")
    noise = (
        f"a probability of error per move of {eps:g}"
        if isinstance(eps, float)
        else "noise as in the settings below"
    )
    rules = tuple(
        f"{name}: {CATALOGUE[name].rule} ({CATALOGUE[name].citation})."
        for name in material.classes
        if name in CATALOGUE
    )
    rival = (
        " RANDOM, a fair coin, competed with the strategies with the weight of one of them; play that it "
        "explains best has no label."
        if facts.get("background")
        else ""
    )
    each = (
        "All games of a player were"
        if material.per_player
        else "Each trajectory (the moves of one seat in one game) was"
    )
    paragraphs = [
        f"{each} labelled by "
        f"{facts.get('recogniser', 'a recogniser')} under {noise}. A label is given where the posterior of "
        f"the best strategy reaches {facts.get('threshold', 'the threshold')}, no other strategy explains "
        "the play equally well, and play as unlikely as this would come from it with a probability of at "
        f"least {facts.get('alpha', 'alpha')}.{rival} Which action is cooperation follows from the payoffs "
        "and from whether they are rewards or penalties.",
        "Shares of strategies were estimated from the play itself by maximum likelihood (strategy frequency "
        "estimation): each subject, here one seat of one game unless the log names players, plays one "
        "strategy throughout and errs in each move with one probability, the tremble, which each group "
        "has of "
        "its own. RANDOM stands for play that none of the strategies explains. Equal shares of groups were "
        "tested by a likelihood ratio with the units that each section names taken as independent "
        f"({permutations:,} draws of its distribution). Cooperation rates are shares of own moves, with "
        "covariances clustered by the same units; differences, and differences of differences between two "
        f"factors, have {level:.0%} intervals that hold together for all contrasts of one question. The "
        f"p-values of all {n_questions} questions of this page were corrected together by Holm's method. The "
        "effective number of trajectories is that of independent ones that would be worth as much.",
    ]
    if regression:
        paragraphs.append(
            "Where several factors vary, a multinomial logit of which strategy is played was fitted to "
            "all of "
            "them within the mixture; whether each factor matters is a generalised score test with a "
            "covariance clustered by the same units. Intervals of means by round come from "
            f"{bootstrap:,} bootstrap samples of whole games."
        )
    cited = (*_CITED, *(_CITED_BY_REGRESSION if regression else ()))
    return Section(
        "methods",
        "Methods and references",
        (
            *(Words(text) for text in paragraphs),
            Words("The strategies (C cooperates, D defects):"),
            Listing(rules),
            Words("References:"),
            Listing(tuple(sorted(WORKS[key].printed for key in cited)), ordered=True),
            *_for_a_paper(main),
        ),
    )


def _for_a_paper(main: CompareResult | None) -> list[Block]:
    """The methods of a comparison with all that it cites, to be copied."""
    from intent.report.document import Verbatim

    if main is None:
        return []
    return [
        Verbatim("Methods of the main comparison, as text for a paper", main.methods()),
        Verbatim("The works that it cites, as BibTeX", main.bibliography()),
    ]


def settings_section(material: Material, settings: Mapping[str, Any]) -> Section:
    """Settings, versions, hashes."""
    import platform
    from importlib.metadata import version

    from intent.report.document import Section, grid
    from intent.version import __version__

    facts = dict(material.provenance)
    log = facts.pop("log", None) or {}
    source = log if isinstance(log, Mapping) else {}
    rows: list[tuple[str, str]] = [
        ("source", material.name),
        ("format", _told(source.get("format"))),
        ("SHA-256 of the log", _told(source.get("sha256"))),
        ("intent (this report)", __version__),
        ("Python", platform.python_version()),
        *((name, version(name)) for name in ("numpy", "pandas")),
    ]
    rows += [(f"report: {name}", _told(value)) for name, value in settings.items()]
    rows += [
        (f"labels: {name.replace('_', ' ')}", _told(value))
        for name, value in facts.items()
        if name not in ("kind", "summary")
    ]
    return Section("settings", "Settings and versions", (grid("All settings", ("what", "value"), rows),))


def _told(value: Any) -> str:
    if value is None or value == "":
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONG else f"{text[:_LONG]} […]"
