"""How the numbers of a report were made, in words for a paper, with references, settings and versions.

How good the data are: moves that are no replies, rows that could not be read, games that have no "
"labels.

What a report leaves out, so that no reader takes it for all there is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.base.wording import in_words

if TYPE_CHECKING:
    from intent.comparison.compare import CompareResult
    from intent.logs.gamelog import GameLog
    from intent.report.document import Block, Section
    from intent.report.material import Material


__all__ = ["left_out_section", "methods_section", "quality_section", "settings_section"]


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
    from intent.comparison.sentences import WORKS
    from intent.report.document import Listing, Section, Words
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


_SHOWN = 20
"""Rejected rows that are listed, and models."""


def quality_section(material: Material, notes: list[str]) -> tuple[Section, list[str]]:
    """Moves by status and model, skipped games, rejects.

    Parameters
    ----------
    material : Material
    notes : list of str
        What is said on the data elsewhere, such as copies of one game.

    Returns
    -------
    section : Section
    findings : list of str
    """
    from intent.report.document import Listing, Section, Words

    log = material.log
    if log is None:
        blocks: list[Block] = [Words("Only labels are here; moves, replies and rejected rows are not known.")]
        blocks += [Listing(tuple(notes), "caution")] if notes else []
        return Section("quality", "Data quality", tuple(blocks)), []
    blocks, findings = _moves(log)
    skipped = log.skipped()
    if skipped:
        told = "; ".join(f"{n:,} games: {why}" for why, n in skipped.items())
        names = log.games.loc[~log.has_cooperation(), "game"].dropna().unique()
        which = f" ({', '.join(map(str, names[:6]))})" if len(names) else ""
        text = f"Games without labels{which}: {told}. They are counted here and nowhere else in this report."
        blocks.append(Words(text))
        why = told if len(skipped) > 1 else next(iter(skipped))
        findings.append(f"{sum(skipped.values()):,} of {len(log):,} games have no strategy labels ({why}).")
    blocks += _rejects(log)
    kept = [*map(str, log.provenance.get("notes") or ()), *notes]
    if kept:
        blocks.append(Listing(tuple(kept), "caution"))
    return Section("quality", "Data quality", tuple(blocks)), findings


def _moves(log: GameLog) -> tuple[list[Block], list[str]]:
    from intent.report.document import Words, grid

    status = log.moves["status"].astype(str)
    bad = {s: int((status == s).sum()) for s in ("defaulted", "missing")}
    n = len(status)
    told = " and ".join(f"{k:,} ({k / max(n, 1):.1%}) {s}" for s, k in bad.items() if k)
    if told:
        text = f"Of {n:,} moves {told}: what replaced an unreadable reply, or is absent, is no evidence."
        findings = [f"Data quality: of {n:,} moves {told}."]
    else:
        text = f"All {n:,} moves were read; none was missing, none replaced by a default."
        findings = []
    blocks: list[Block] = [Words(text)]
    if told and log.seats["model"].notna().any():
        seats = log.seats[["game_id", "seat", "model"]].astype({"game_id": str})
        moves = log.moves[["game_id", "seat"]].astype({"game_id": str}).assign(status=status)
        joined = moves.merge(seats, on=["game_id", "seat"])
        counts = (
            joined.groupby(joined["model"].fillna("(none)"))["status"].value_counts().unstack(fill_value=0)
        )
        rows = [
            (str(model), int(row.sum()), *(float(row.get(s, 0) / row.sum()) for s in bad))
            for model, row in counts.head(_SHOWN).iterrows()
        ]
        header = ("model", "moves", "share defaulted", "share missing")
        blocks.append(grid("Moves that are no reply of the model, by model", header, rows))
    return blocks, findings


def _rejects(log: GameLog) -> list[Block]:
    from intent.report.document import Words, grid

    n = len(log.rejects)
    if not n:
        return [Words("No row of the source was rejected.")]
    reasons = log.rejects["reason"].astype(str).value_counts()
    return [
        Words(f"{n:,} rows of the source could not be read; intent validate lists them all."),
        grid(
            "Why rows were rejected",
            ("reason", "rows"),
            [(str(reason)[:300], int(k)) for reason, k in reasons.head(_SHOWN).items()],
        ),
    ]


_QUICK = (
    "Shares of strategies are compared by one factor of each game only. intent report --full adds the "
    "others, the noise of the estimates, shares of people in the laboratory, a regression on all factors, "
    "sensitivity, figures of play and example games."
)
_FULL = (
    "Interactions of factors on strategies, tests between pairs of groups, the indices of steady "
    "behaviour, means of "
    "payoffs and other numbers (intent compare), and other recognisers and sets of strategies (intent label "
    "-r, intent sfem) are not on this page. Sensitivity is shown for the first factor of each game."
)


def left_out_section(
    games: Iterable[tuple[str, Material, Sequence[str], Sequence[str]]], *, full: bool
) -> Section:
    """The last words of a report before its settings.

    Parameters
    ----------
    games : (name, part, factors wanted, factors compared) of each game
    full : bool
    """
    from intent.report.document import Listing, Section

    told: dict[str, list[str]] = {}
    for name, part, wanted, made in games:
        for text in _of_game(part, wanted, made, full=full):
            told.setdefault(text, []).append(name)
    lines = [f"{', '.join(names)}: {text}." for text, names in told.items()]
    return Section("left-out", "What is left out", (Listing((_FULL if full else _QUICK, *lines)),))


def _of_game(part: Material, wanted: Sequence[str], made: Sequence[str], *, full: bool) -> list[str]:
    told = []
    if lost := [factor for factor in wanted if factor not in made]:
        told.append(f"there is no comparison by {in_words(lost)}, whose values make no groups")
    if full and (others := _not_factors(part, wanted)):
        told.append(
            f"not compared by {in_words(others)} (more than twelve values, or one to one with a factor that "
            "is compared, or beyond the eighth factor); --by compares by any column"
        )
    if part.log is None:
        told.append("what needs the moves is missing, since only labels are here")
    return told


def _not_factors(part: Material, wanted: Sequence[str]) -> list[str]:
    """Columns of the design that vary and are no factor of the report."""
    from intent.estimate.design_units import design_columns

    return [name for name in design_columns(part.labels) if name not in wanted]
