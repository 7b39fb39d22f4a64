"""Key findings: what differs, ranked, each with its evidence, figure, section and games; what is played.

The small figure of a finding: points with intervals, or lines that cross.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from intent.base.wording import in_words
from intent.comparison.findings import Finding
from intent.figures.style import palette, wrapped

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from intent.comparison.findings import Findings
    from intent.report.comparisons import Compared
    from intent.report.document import Block, Claim, Section
    from intent.report.material import Material


__all__ = [
    "FINDINGS_WORDS",
    "Played",
    "coin_gate",
    "cooperation_section",
    "draw_finding",
    "figure_words",
    "findings_claims",
    "games_section",
    "played",
    "questions_of",
    "with_games",
]


_CROSSED = 6
"""Factors whose interactions are looked at."""

_DRAWN = 10
"""Findings that have a figure."""

_ALIKE = 0.98
"""Share of moves that are the same from which on play cannot tell strategies apart."""

_BACKGROUND = "RANDOM"
_NAMED = 0.05

FINDINGS_WORDS = (
    "Each question (does cooperation differ by a factor, do shares of strategies, does one factor act "
    "differently at levels of another) has one p, corrected together for all questions of this page. A "
    "difference is a finding where that p is small enough, its interval leaves zero behind and it is five "
    "points or more. Order: the size that the data support at least (the end of the interval nearer to "
    "zero; half of it for a difference of two differences, unless these have opposite signs). Groups are "
    "compared as "
    "they are: what else differs between them may be the reason."
)


@dataclass(frozen=True)
class Played:
    """What most of the play is.

    Parameters
    ----------
    sentence : str
    named : bool
        Whether the play tells a strategy from the others, so that one is named.
    shares : tuple of (names, share, low, high)
        Estimated, strategies that the play does not tell apart together.
    """

    sentence: str
    named: bool
    shares: tuple[tuple[tuple[str, ...], float, float, float], ...] = ()


def questions_of(
    part: Material, factors: Sequence[str], found: Sequence[Compared], key: str, *, level: float, seed: int
) -> list[Finding]:
    """Every question on one game: cooperation by each factor and pair of factors, shares by those compared.

    Parameters
    ----------
    part : Material
    factors : columns that vary
    found : comparisons of shares of this game
    key : section of the game
    level : float in (0, 1)
    seed : int
    """
    from intent.base.errors import UsageError
    from intent.comparison.findings import interaction_of_rates, range_of_rates
    from intent.estimate.design_units import design_units

    game = part.game or ""
    made = [replace(c.finding, game=game) for c in found if c.finding is not None]
    moves = part.moves
    if moves is None:
        return made
    grouped = []
    for factor in factors:
        try:
            unit = design_units(part.labels, [factor], classes=part.classes).unit
            one = range_of_rates(moves, factor, unit, level=level, seed=seed)
        except UsageError:
            continue
        grouped.append(factor)
        made += [] if one is None else [replace(one, game=game, key=f"{key}-cooperation")]
    crossed = [factor for factor in grouped if factor != "seat"][:_CROSSED]
    for pair in combinations(crossed, 2):
        unit = design_units(part.labels, pair, classes=part.classes).unit
        one = interaction_of_rates(moves, pair, unit, level=level, seed=seed)
        made += [] if one is None else [replace(one, game=game, key=f"{key}-cooperation")]
    return made


def findings_claims(
    findings: Findings,
    parts: Mapping[str, Material],
    *,
    level: float,
    most: int | None = None,
    strips: Mapping[tuple[str, str], str] | None = None,
) -> list[Block]:
    """The ranked findings with figures and links, and what is open or not shown.

    Parameters
    ----------
    findings : Findings
    parts : name of a game -> its part
    level : float in (0, 1)
    most : int, optional
        Findings that are shown; the others are counted.
    strips : mapping of (game, game_id) -> address, optional
        Games that the page shows.
    """
    from intent.comparison.sentences import open_sentence, silent_sentence
    from intent.report.document import Claims, Words

    if not findings.n:
        return [Words("Nothing varies between these trajectories that they could be compared by.")]
    several = len(parts) > 1
    shown = findings.shown if most is None else findings.shown[:most]
    blocks: list[Block] = []
    if shown:
        claims = [
            _claim(one, findings, k, level=level, several=several, strips=strips)
            for k, one in enumerate(shown)
        ]
        blocks.append(Claims(tuple(claims)))
    else:
        blocks.append(
            Words(
                f"No difference is shown: none of the {findings.n} questions on cooperation and strategies "
                "has an answer that chance would not often give."
            )
        )
    if len(findings.shown) > len(shown):
        blocks.append(Words(f"{len(findings.shown) - len(shown)} further findings are in the longer report."))
    for text in (open_sentence(findings), silent_sentence(findings, several_games=several)):
        blocks += [Words(text)] if text else []
    return blocks


def _claim(
    one: Finding,
    findings: Findings,
    place: int,
    *,
    level: float,
    several: bool,
    strips: Mapping[tuple[str, str], str] | None,
) -> Claim:
    from intent.comparison.sentences import about, finding_sentence, remarks
    from intent.report.document import Claim

    text = finding_sentence(one, game=several)
    evidence = f"{about(one, findings.n, level=level)} {remarks(one, findings.shown[:place])}".strip()
    links = [] if strips is None else [(one.key, "The comparison")] if one.key else []
    for game in one.games:
        address = None if strips is None else strips.get((one.game, game))
        links += [(address, f"Game {game}")] if address else []
    drawn = place < _DRAWN
    return Claim(text, evidence, tuple(links), _picture(one, text, level, place) if drawn else None)


def _picture(one: Finding, text: str, level: float, place: int) -> Any:
    from intent.figures.style import look
    from intent.report.document import Picture, grid
    from intent.report.page import inline_svg

    with look():
        figure = draw_finding(one)
    caption = figure_words(one, level)
    name = f"finding {place + 1}: {caption}"
    of = "share %" if one.kind == "share" else "cooperation %"
    rows = [(*map(str, c.values), _percent(c.estimate, c.low, c.high), c.n) for c in one.cells]
    table = grid(
        f"The numbers of finding {place + 1}",
        (*(in_words(f) for f in one.factors), of, "n"),
        rows,
        heads=len(one.factors),
        folded=True,
    )
    return Picture(inline_svg(figure, name, text), caption, table, name)


def _percent(estimate: float, low: float, high: float) -> str:
    from intent.base.statistics.intervals import Interval
    from intent.comparison.tables import percent

    return percent(Interval(estimate, low, high))


def cooperation_section(
    part: Material, key: str, questions: Sequence[Finding], *, level: float
) -> Section | None:
    """How often each level cooperates, and what every question on cooperation says; None without moves."""
    from intent.base.wording import digits_of_p
    from intent.comparison.sentences import points
    from intent.report.document import Section, Words, grid

    own = [one for one in questions if one.kind != "share" and one.game == (part.game or "")]
    if not own:
        return None
    cells = [
        (f"{in_words(one.factors[0])} {cell.values[0]}", cell.n, _percent(cell.estimate, cell.low, cell.high))
        for one in own
        if one.kind == "rate"
        for cell in one.cells
    ]
    tests = []
    for one in own:
        ends = "–" if one.low != one.low else f"{points(one.low)} to {points(one.high)}"
        levels = " against ".join(map(str, one.levels))
        if one.kind == "interaction":
            name = f"{in_words(one.factors[1])} by {in_words(one.factors[0])}"
            tested = [e.level for e in one.effects]
            levels = f"{levels}, {tested[0]} against {tested[-1]}"
        else:
            name = in_words(one.factors[0])
        tests.append((name, levels, points(one.estimate), ends, digits_of_p(one.p_adjusted), one.counted))
    header = ("question", "largest difference", "points", f"{level:.0%} interval", "p Holm", "units")
    return Section(
        f"{key}-cooperation",
        "Cooperation by what varies",
        (
            Words(
                "Share of own moves that cooperate. A question on two factors asks whether the difference "
                "that the one makes is the same at all levels of the other; its number is the difference of "
                "two differences."
            ),
            grid(f"Cooperation in per cent of moves, with {level:.0%} intervals", ("group", "n", "%"), cells),
            grid("Every question on cooperation", header, tests, heads=2, folded=len(tests) > 12),
        ),
    )


def played(part: Material, *, level: float, seed: int) -> Played:
    """What most of the play is, with how much no strategy of the set explains.

    A strategy is named only where the play tells it from the others: not where their shares can be moved from
    one to another, nor where nearly all moves are the same.

    Parameters
    ----------
    part : Material
    level : float in (0, 1)
    seed : int
    """
    from intent.base.errors import IntentError
    from intent.comparison.requests import CompareRequest
    from intent.comparison.shares import estimator, joined_strategies
    from intent.comparison.source import compared
    from intent.estimate.design_units import design_units

    rows = f"{len(part.labels):,} {part.rows_in_words}"
    same = _all_alike(part)
    if same is not None:
        return Played(
            f"{same} in {rows}: every strategy of the set that starts so does the same here, so the play "
            "tells them not apart, and none is named.",
            False,
        )
    try:
        request = CompareRequest(table=part.labels, log=part.log, level=level, seed=seed)
        source = compared(request, log_needed=part.log is not None)
        units = design_units(part.labels, (), classes=part.classes)
        estimate, _, _ = estimator(request, source, part.labels, (), units)
        (group,) = estimate.comparison().groups
    except IntentError as error:
        return Played(f"What is played could not be estimated: {error}.", False)
    (fit,) = estimate.joint.fits
    names = estimate.subjects.names
    found = []
    for places in joined_strategies(names, [fit.ridge]):
        share = float(fit.shares[list(places)].sum())
        alone = group.intervals[places[0]] if len(places) == 1 else None
        ends = (float("nan"), float("nan")) if alone is None else (alone.low, alone.high)
        found.append((tuple(names[k] for k in places), share, *ends))
    found.sort(key=lambda one: -one[1])
    sentence, named = _played_words(found, rows, known=_BACKGROUND in names)
    return Played(sentence, named, tuple(found))


def _played_words(
    found: Sequence[tuple[tuple[str, ...], float, float, float]], rows: str, *, known: bool
) -> tuple[str, bool]:
    first = found[0]
    if len(first[0]) > 1:
        return (
            f"Most of the play ({first[1]:.0%} of {rows}) is what {len(first[0])} strategies of the set do "
            "alike: the play does not tell them apart, and none is named.",
            False,
        )
    single = [one for one in found if one[0] != (_BACKGROUND,) and len(one[0]) == 1]
    shown = [f"{one[0][0]} {_estimate(one)}" for one in single[:2] if one[1] >= _NAMED]
    by_chance = next((one for one in found if one[0] == (_BACKGROUND,)), None)
    rest = ""
    if by_chance is not None:
        rest = f"; {_estimate(by_chance)} follow no strategy of the set (RANDOM)"
    if first[0] == (_BACKGROUND,):
        most = f"; the largest share of a strategy is {shown[0]}" if shown else ""
        return (
            f"Most of the play follows no strategy of the set: RANDOM has an estimated {_estimate(first)} of "
            f"{rows}{most}.",
            bool(shown),
        )
    if not shown:
        return f"No strategy has an estimated share of {_NAMED:.0%} of {rows}{rest}.", False
    unknown = "" if known else " (labels were made without RANDOM, so play by chance counts for them too)"
    return (
        f"The largest estimated share{'s' * (len(shown) > 1)} of {rows}: {' and '.join(shown)}{rest}"
        f"{unknown}.",
        True,
    )


def _estimate(one: tuple[tuple[str, ...], float, float, float]) -> str:
    ends = "" if one[2] != one[2] else f" [{100 * one[2]:.0f}, {100 * one[3]:.0f}]"
    return f"{100 * one[1]:.0f} %{ends}"


def _all_alike(part: Material) -> str | None:
    """That nearly all known moves are the same, in words."""
    moves = part.moves
    if moves is None or not moves.known.sum():
        return None
    rate = float(moves.cooperated.sum() / moves.known.sum())
    if max(rate, 1 - rate) < _ALIKE:
        return None
    share, what = (rate, "cooperation") if rate > 0.5 else (1 - rate, "defection")
    return f"{'All' if share == 1 else f'{share:.1%} of the'} moves are {what}"


def coin_gate(material: Material, *, level: float) -> str | None:
    """Why no strategy may be named: labels without RANDOM that fair coins would get as often; else None."""
    from intent.base.statistics.intervals import share_intervals
    from intent.estimate.design_units import design_units
    from intent.estimate.label_weights import outcomes

    coin = material.coin
    if material.provenance.get("background") is not False or not isinstance(coin, Mapping):
        return None
    tossed = coin.get("confident")
    if not isinstance(tossed, int | float):
        return None
    counted = outcomes(material.labels, "status", classes=material.classes)
    sure = counted.weights[:, [k for k, n in enumerate(counted.names) if n in material.classes]].sum(axis=1)
    units = design_units(material.labels, (), classes=material.classes).unit
    interval = share_intervals(sure[:, None], units.codes, level=level)[0]
    if interval.low > tossed:
        return None
    return (
        f"{interval.estimate:.0%} of labels are confident, and fair coins would get {tossed:.0%} in these "
        "games: no strategy is named, and shares of strategies are no findings."
    )


def with_games(findings: Findings, parts: Mapping[str, Material]) -> Findings:
    """The findings with identifiers of games that show them."""
    shown = tuple(
        replace(one, games=_typical(parts[one.game], one)) if one.game in parts else one
        for one in findings.shown
    )
    return replace(findings, shown=shown)


def _typical(part: Material, one: Finding) -> tuple[str, ...]:
    """One game of each named group, whose player cooperates as often as the group does."""
    import numpy as np

    moves = part.moves
    if moves is None or part.per_player:
        return ()
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = moves.cooperated / moves.known
    labels = part.labels

    def rows(column: str, value: Any) -> NDArray[np.bool_]:
        own = labels[column]
        here = own.isna() if value == "(none)" else own.astype(str) == str(value)
        return np.asarray(here.to_numpy(), dtype=bool)

    if one.kind == "interaction":
        moderator, factor = one.factors
        ends = [one.effects[-1].level, one.effects[0].level]
        groups = [rows(moderator, level) & rows(factor, one.levels[0]) for level in ends]
    else:
        groups = [rows(one.factors[0], level) for level in one.levels]
    if one.kind == "share" and set(one.outcome) <= set(part.classes):
        clear = labels["best"].isin(one.outcome).to_numpy() & (labels["status"] == "confident").to_numpy()
        groups[0] = groups[0] & clear if (groups[0] & clear).any() else groups[0]
    found: list[str] = []
    for group in groups:
        places = np.flatnonzero(group & (moves.known > 0))
        if not len(places):
            continue
        mean = float(moves.cooperated[places].sum() / moves.known[places].sum())
        names = labels["game_id"].to_numpy()[places].astype(str)
        order = np.lexsort((names, np.abs(rate[places] - mean).round(9)))
        found += [str(names[order[0]])]
    return tuple(dict.fromkeys(found))


def games_section(
    findings: Findings, parts: Mapping[str, Material], varied: Mapping[str, Sequence[str]]
) -> tuple[Section | None, dict[tuple[str, str], str]]:
    """The games that show findings as strips of moves, and their addresses; None without the moves."""
    from intent.report.document import Section, Words
    from intent.report.examples import game_strip

    wanted = dict.fromkeys((one.game, game) for one in findings.shown[:_DRAWN] for game in one.games)
    made: list[Block] = []
    addresses: dict[tuple[str, str], str] = {}
    for name, game in wanted:
        part = parts[name]
        if part.log is None or part.play is None:
            continue
        address = f"finding-game-{len(addresses) + 1}"
        strip = game_strip(part, game, "its player cooperates as often as the group", varied[name])
        made.append(replace(strip, key=address))
        addresses[name, game] = address
    if not made:
        return None, {}
    words = Words(
        "Of each group that a finding names, a game in which a player cooperates as often as the group does. "
        "C cooperates, D defects; dashed: a move that the best strategy would not have made.",
        "quiet",
    )
    return Section("finding-games", "Games behind the findings", (words, *made)), addresses


_WIDTH = 4.4
_GREY = "#8A8A8A"
_FINDING_FIGURE_NAMED, _OTHER = "#0072B2", "#D55E00"
_MARKERS = "osD^vPXd<"


def draw_finding(finding: Finding) -> Figure:
    """Of a rate or share a point per level, the two that are named in colour; of an interaction lines."""
    return _lines(finding) if finding.kind == "interaction" else _points(finding)


def figure_words(finding: Finding, level: float = 0.95) -> str:
    """The caption."""
    if finding.kind == "share":
        what = f"Estimated share of {' or '.join(finding.outcome)} in per cent of trajectories"
    else:
        what = "Cooperation in per cent of moves"
    if finding.kind == "interaction":
        return f"{what}, by {in_words(finding.factors[1])} and {in_words(finding.factors[0])}."
    bars = f"; lines: {level:.0%} intervals of each alone" if _known(finding) else ""
    return f"{what}, by {in_words(finding.factors[0])}{bars}."


def _known(finding: Finding) -> bool:
    return any(not math.isnan(cell.low) for cell in finding.cells)


def _points(finding: Finding) -> Figure:
    from matplotlib.figure import Figure

    cells = sorted(finding.cells, key=lambda cell: -cell.estimate)
    figure = Figure(figsize=(_WIDTH, 0.75 + 0.3 * len(cells)), layout="constrained")
    axes = figure.subplots()
    for y, cell in enumerate(cells):
        tone = {finding.levels[0]: _FINDING_FIGURE_NAMED, finding.levels[1]: _OTHER}.get(
            cell.values[0], _GREY
        )
        if not math.isnan(cell.low):
            axes.plot([100 * cell.low, 100 * cell.high], [y, y], color=tone, linewidth=2.2)
        axes.plot(100 * cell.estimate, y, "o", color=tone, markersize=6)
    axes.set_yticks(range(len(cells)), [wrapped(cell.values[0], 20, most=2) for cell in cells])
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    _scale(axes, "x", cells)
    axes.set_xlabel(_axis(finding))
    return figure


def _lines(finding: Finding) -> Figure:
    from matplotlib.figure import Figure

    named = [effect.level for effect in finding.effects]
    order = [*reversed(finding.levels)]
    order = [
        order[0],
        *[v for v in dict.fromkeys(c.values[1] for c in finding.cells) if v not in order],
        order[1],
    ]
    order = order if len(order) <= 2 else [v for v in order if v in finding.levels]
    figure = Figure(figsize=(_WIDTH, 2.3), layout="constrained")
    axes = figure.subplots()
    tones = palette(len(named))
    shown = []
    for k, level in enumerate(named):
        own = {c.values[1]: c for c in finding.cells if c.values[0] == level}
        xs = [x for x, v in enumerate(order) if v in own]
        cells = [own[order[x]] for x in xs]
        shown += cells
        shift = 0.03 * (k - (len(named) - 1) / 2)
        for x, cell in zip(xs, cells, strict=True):
            if not math.isnan(cell.low):
                axes.plot([x + shift] * 2, [100 * cell.low, 100 * cell.high], color=tones[k], linewidth=1.4)
        axes.plot(
            [x + shift for x in xs],
            [100 * c.estimate for c in cells],
            marker=_MARKERS[k % len(_MARKERS)],
            color=tones[k],
            linewidth=2,
            markersize=6,
            label=wrapped(level, 18, most=2),
        )
    axes.set_xticks(range(len(order)), [wrapped(v, 18, most=2) for v in order])
    axes.set_xlim(-0.35, len(order) - 0.65)
    _scale(axes, "y", shown)
    axes.set_xlabel(wrapped(in_words(finding.factors[1]), 40))
    axes.set_ylabel("cooperation (%)")
    figure.legend(
        loc="outside right center", frameon=False, title=wrapped(in_words(finding.factors[0]), 18), fontsize=8
    )
    return figure


def _scale(axes, way, cells) -> None:  # type: ignore[no-untyped-def]
    top = max([100 * c.estimate for c in cells] + [100 * c.high for c in cells if not math.isnan(c.high)])
    end = min(100.0, 10 * math.ceil(top / 10) or 10)
    getattr(axes, f"set_{way}lim")(-0.02 * end, 1.02 * end)
    axes.grid(axis=way, color="#EEEEEE")
    axes.set_axisbelow(True)


def _axis(finding: Finding) -> str:
    if finding.kind == "share":
        return wrapped(f"share of {' or '.join(finding.outcome)} (%)", 50)
    return "cooperation (%)"
