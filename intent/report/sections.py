"""The sections of a report beside its findings and comparisons, each made of `Material`.

What was run, how good the data are, what the play can tell, shares, games to look at, methods, settings, and
what is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from intent.base.errors import IntentError, shorten
from intent.base.statistics import Interval
from intent.base.wording import as_sentence, in_words
from intent.comparison.groups import percent
from intent.recognise.coin import coin_column, coin_sentence
from intent.report.material import DRAWN
from intent.report.page import (
    Block,
    Listing,
    Section,
    Strip,
    StripSeat,
    Verbatim,
    Words,
    grid,
    phrase,
)
from intent.report.tables import COUNTS, counted_intervals

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.comparison.compare import CompareResult
    from intent.comparison.findings import Findings
    from intent.logs.gamelog import GameLog
    from intent.report.material import Material, Played


__all__ = [
    "game_strip",
    "games_section",
    "identified_section",
    "information_sections",
    "left_out_section",
    "methods_section",
    "quality_section",
    "run_section",
    "settings_section",
    "shares_section",
]

_LETTERS = 500
"""Of a caution, or of a message that is shown."""

_NAME = 60
"""Letters of a value that is named."""


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


# What was run.

_MOST_VALUES = 12
"""Values of a column that are named."""


def run_section(material: Material) -> Section:
    """Games, players and conditions; of a run also its calls, cost and failures."""
    labels = material.labels
    words = phrase(
        "run.about",
        name=material.name,
        kind=phrase(f"run.kind_{material.kind}"),
        counted=material.counted,
        row=phrase("run.row_player" if material.per_player else "run.row_game"),
    )
    if material.where:
        conditions = "; ".join(f"{c} = {' or '.join(map(str, v))}" for c, v in material.where.items())
        words += phrase("run.chosen", conditions=conditions)
    rows: list[tuple[object, ...]] = []
    for column in _described(labels):
        counts = (
            labels[column].astype(object).where(labels[column].notna(), "(none)").astype(str).value_counts()
        )
        values = (f"{shorten(value, _NAME)} ({n:,})" for value, n in counts.head(_MOST_VALUES).items())
        more = phrase("run.more", n=len(counts) - _MOST_VALUES) if len(counts) > _MOST_VALUES else ""
        rows.append((in_words(column), len(counts), ", ".join(values) + more))
    rounds = labels["n_rounds"]
    key = "run.rounds_one" if rounds.nunique() == 1 else "run.rounds_range"
    length = phrase(key, low=rounds.min(), high=rounds.max(), median=rounds.median())
    rows.append((phrase("run.rounds"), rounds.nunique(), length))
    caption = phrase("run.caption", rows=material.rows_in_words)
    blocks: list[Block] = [Words(words), grid(caption, phrase.lines("run.header"), rows)]
    if material.run is not None:
        blocks += _run_blocks(material.run)
    return Section("run", phrase("run.title"), tuple(blocks))


def _described(labels: pd.DataFrame) -> list[str]:
    """Columns that describe trajectories, the usual ones first."""
    from intent.base import codebook

    results = {c.name for c in codebook.LABELS} | {"source", "source_game_id"}
    names = []
    for column in (c for c in labels.columns if c not in results and not c.startswith("p_")):
        try:
            n = labels[column].nunique()
        except TypeError:
            continue
        if 1 <= n <= max(50, len(labels) // 20):
            names.append(str(column))
    first = [c for c in ("game", "model", "language", "persona", "horizon_known") if c in names]
    return [*first, *(c for c in names if c not in first)][:20]


def _run_blocks(facts: Mapping[str, Any]) -> list[Block]:
    use = facts["use"]
    cost = "cost_unknown" if use["cost"] is None else "cost_nothing" if use["cost"] == 0 else "cost"
    failures = ", ".join(f"{n:,} {kind}" for kind, n in use["failures"].items())
    words = phrase(
        "run.account",
        run=facts["run"],
        created=facts.get("created", phrase("run.created_unknown")),
        version=facts.get("version", phrase("run.version_unknown")),
        facts=facts,
        use=use,
        cost=phrase(f"run.{cost}", cost=use["cost"]),
        failed=failures or "none",
        prompts=", ".join(map(str, facts["prompts"])) or "none",
    )
    blocks: list[Block] = [Words(words)]
    if facts["errors"]:
        errors = (phrase("run.set_aside", game=game, error=error) for game, error in facts["errors"])
        blocks.append(Listing(tuple(errors), "caution"))
    numbers = ("calls", "prompt_tokens", "completion_tokens", "cost", "seconds")
    rows = [(m["player"], ", ".join(m["models"]) or "–", *(m[n] for n in numbers)) for m in use["models"]]
    if rows:
        blocks.append(grid(phrase("run.models"), phrase.lines("run.models_header"), rows))
    return blocks


def information_sections(material: Material) -> tuple[Section, ...]:
    """What each role of a run was shown, and how it answered; nothing for other logs."""
    rows = material.run.get("matrix", ()) if material.run is not None else ()
    if not rows:
        return ()
    lines = []
    for row in rows:
        where = "; ".join(
            f"{in_words(factor)} {', '.join(levels)}" for factor, levels in row["where"].items()
        )
        facts = (", ".join(map(in_words, row[which])) or "–" for which in ("shows", "withholds"))
        how = (row["reasons"], row["answers"], row["order"] or "–", row["conversation"])
        lines.append(
            (row["role"], row["stage"], shorten(where, _LETTERS) or phrase("information.all"), *how, *facts)
        )
    table = grid(phrase("information.caption"), phrase.lines("information.header"), lines, heads=2)
    return (Section("information", phrase("information.title"), (Words(phrase("information.about")), table)),)


# How good the data are.

_SHOWN = 20
"""Rejected rows that are listed, and models."""


def quality_section(material: Material, notes: list[str]) -> tuple[Section, list[str]]:
    """Moves by status and model, skipped games, rejects; and findings on them.

    Parameters
    ----------
    material : Material
    notes : list of str
        What is known of the data elsewhere, such as copies of one game.
    """
    log, title = material.log, phrase("quality.title")
    if log is None:
        blocks: list[Block] = [Words(phrase("quality.labels_only"))]
        blocks += [Listing(tuple(notes), "caution")] if notes else []
        return Section("quality", title, tuple(blocks)), []
    blocks, findings = _moves(log)
    skipped = log.skipped()
    if skipped:
        counts = "; ".join(f"{n:,} games: {why}" for why, n in skipped.items())
        names = log.games.loc[~log.has_cooperation(), "game"].dropna().unique()
        which = f" ({', '.join(map(str, names[:6]))})" if len(names) else ""
        blocks.append(Words(phrase("quality.skipped", which=which, counts=counts)))
        why = counts if len(skipped) > 1 else next(iter(skipped))
        findings.append(phrase("quality.no_labels", n=sum(skipped.values()), games=len(log), why=why))
    blocks += _rejects(log)
    cautions = (*map(str, log.provenance.get("notes") or ()), *notes)
    if cautions:
        blocks.append(Listing(cautions, "caution"))
    return Section("quality", title, tuple(blocks)), findings


def _moves(log: GameLog) -> tuple[list[Block], list[str]]:
    status = log.moves["status"].astype(str)
    bad = {s: int((status == s).sum()) for s in ("defaulted", "missing")}
    n = len(status)
    counts = " and ".join(f"{k:,} ({k / max(n, 1):.1%}) {s}" for s, k in bad.items() if k)
    if not counts:
        return [Words(phrase("quality.all_read", n=n))], []
    blocks: list[Block] = [Words(phrase("quality.bad_moves", n=n, counts=counts))]
    if log.seats["model"].notna().any():
        seats = log.seats[["game_id", "seat", "model"]].astype({"game_id": str})
        moves = log.moves[["game_id", "seat"]].astype({"game_id": str}).assign(status=status)
        joined = moves.merge(seats, on=["game_id", "seat"])
        models = joined["model"].fillna("(none)")
        by_model = joined.groupby(models, observed=True)["status"].value_counts().unstack(fill_value=0)
        rows = [
            (str(model), int(row.sum()), *(float(row.get(s, 0) / row.sum()) for s in bad))
            for model, row in by_model.head(_SHOWN).iterrows()
        ]
        blocks.append(grid(phrase("quality.by_model"), phrase.lines("quality.by_model_header"), rows))
    return blocks, [phrase("quality.finding", n=n, counts=counts)]


def _rejects(log: GameLog) -> list[Block]:
    n = len(log.rejects)
    if not n:
        return [Words(phrase("quality.no_rejects"))]
    reasons = log.rejects["reason"].astype(str).value_counts().head(_SHOWN)
    rows = [(str(reason)[:300], int(k)) for reason, k in reasons.items()]
    return [
        Words(phrase("quality.rejects", n=n)),
        grid(phrase("quality.reasons"), phrase.lines("quality.reasons_header"), rows),
    ]


# What the play can tell.

_EPS = 0.05
_STATUSES = ("confident", "ambiguous", "low_confidence", "no_fit")


def identified_section(material: Material, parts: Sequence[Material]) -> tuple[Section, list[str]]:
    """Trajectories that none, one or several strategies explain, their status, and the ceiling of accuracy.

    Findings on them stand beside it.
    """
    labels, coin = material.labels, material.coin
    classes = tuple(name for name in material.classes if name != "RANDOM")
    rows = [_identified_row(part.game or material.name, part.labels) for part in parts]
    if len(parts) > 1:
        rows.append(_identified_row("all", labels))
    tossed, coins = None, []
    if coin is not None and coin_column(coin):
        tossed = [float(str(coin[status])) for status in _STATUSES]
        rows.append((phrase("identified.coins"), *["–"] * 5, *map(_percent, tossed)))
        coins = [Words(as_sentence(coin_sentence(coin)), "quiet")]
    header = (*phrase.lines("identified.header"), *(f"{s.replace('_', ' ')} %" for s in _STATUSES))
    n, status, fits = len(labels), labels["status"], labels["consistent"].map(len)
    none, several = float((fits == 0).mean()), float((fits > 1).mean())
    about = phrase(
        "identified.about",
        n_classes=len(classes),
        classes=", ".join(classes),
        random=phrase("identified.random") if len(classes) < len(material.classes) else "",
        none=none,
        one=1 - none - several,
        several=several,
        tied=float(labels["tied"].mean()),
        n=n,
        rows=material.rows_in_words,
    )
    blocks: tuple[Block, ...] = (
        Words(about),
        grid(phrase("identified.caption"), header, rows),
        *coins,
        Words(phrase("identified.statuses"), "quiet"),
        Words(_ceiling(material)),
    )
    others = (
        phrase(f"identified.{name}", share=float((status == name).mean()), n_classes=len(classes))
        for name in ("ambiguous", "no_fit", "low_confidence")
        if (status == name).any()
    )
    finding = phrase(
        "identified.finding",
        n=n,
        rows=material.rows_in_words,
        sure=float((status == "confident").mean()),
        coins="" if tossed is None else phrase("identified.coins_get", share=tossed[0]),
        others="".join(others),
    )
    return Section("identified", phrase("identified.title"), blocks), [finding]


def _identified_row(name: str, labels: pd.DataFrame) -> tuple[object, ...]:
    fits = labels["consistent"].map(len)
    shares = [(fits == 0).mean(), (fits == 1).mean(), (fits > 1).mean(), labels["tied"].mean()]
    shares += [(labels["status"] == s).mean() for s in _STATUSES]
    return (name, len(labels), *(_percent(float(x)) for x in shares))


def _ceiling(material: Material) -> str:
    """Accuracy of the best possible rule at the usual length, where that can be enumerated."""
    from intent.recognise.ceiling import EXACT_ROUNDS, exact_ceiling
    from intent.strategies.catalogue import strategy
    from intent.strategies.sets import strategies_in

    rounds = material.labels["n_rounds"]
    usual = int(rounds.mode().iloc[0]) if len(rounds) else 0
    eps = material.provenance.get("eps")
    noise = float(eps) if isinstance(eps, float) and 0 <= eps < 0.5 else _EPS
    try:
        own = strategies_in(material.provenance)
        named = [strategy(name, own) for name in material.classes if name != "RANDOM"]
        if not usual or not 2 <= len(named) <= 8:
            return phrase("ceiling.unknown")
        turns = min(usual, EXACT_ROUNDS)
        best = exact_ceiling(named, turns, noise, opponent=strategy("RANDOM"))
    except IntentError:
        return phrase("ceiling.no_strategy")
    key = "ceiling.exact" if usual <= EXACT_ROUNDS else "ceiling.at_least"
    return phrase("ceiling.sentence", noise=noise, best=phrase(key, best=best, turns=turns, usual=usual))


# Shares: estimated, and counted in four ways.


def shares_section(part: Material, key: str, what: Played, *, level: float) -> Section:
    """Estimated shares, and labels counted in four ways, with intervals on the unit of the design."""
    from intent.comparison.groups import ABSTENTIONS

    classes = part.classes
    unit, shares = counted_intervals(part, level=level)
    by_status = shares["status"]
    names = [*classes, *(a for a in ABSTENTIONS if a in by_status and by_status[a].estimate > 0)]
    estimated = _estimated(what)

    def cells(name: str) -> Iterable[str]:
        if estimated:
            yield estimated.get(name, "–")
        for count in COUNTS:
            yield percent(shares[count][name]) if name in shares[count] else "–"

    header = phrase.lines("shares.header")
    header = header if estimated else (header[0], *header[2:])
    blocks: list[Block] = [
        Words(what.sentence),
        *([] if what.explained is None else [Words(what.explained.sentence())]),
        Words(phrase("shares.about", counted=part.counted), "quiet"),
        grid(
            phrase("shares.caption", level=level, unit=unit.noun),
            header,
            [(name.replace("_", " "), *cells(name)) for name in names],
        ),
    ]
    spread = {
        name: [shares[count][name].estimate for count in COUNTS if name in shares[count]]
        for name in classes
        if name != "RANDOM"
    }
    widest = max(spread, key=lambda name: max(spread[name]) - min(spread[name]))
    low, high = min(spread[widest]), max(spread[widest])
    if high - low > 0.05:
        blocks.append(Words(phrase("shares.depends", name=widest, low=low, high=high), "caution"))
    return Section(f"{key}-shares", phrase("shares.title"), tuple(blocks))


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


# Games to look at.

_ROUNDS = 30
_TEXTS = 6
_CLOSE = 0.02
"""Difference from the posterior in the labels up to which ours is theirs."""


def games_section(
    findings: Findings, parts: Mapping[str, Material], varied: Mapping[str, Sequence[str]]
) -> tuple[Section | None, dict[tuple[str, str], str]]:
    """The games that show findings as strips of moves, and their addresses; None without the moves."""
    wanted = dict.fromkeys((one.game, game) for one in findings.shown[:DRAWN] for game in one.games)
    strips: list[Block] = []
    addresses: dict[tuple[str, str], str] = {}
    for name, game in wanted:
        part = parts[name]
        if part.log is None or part.play is None:
            continue
        address = f"finding-game-{len(addresses) + 1}"
        strip = game_strip(part, game, phrase("claims.why_game"), varied[name])
        strips.append(replace(strip, key=address))
        addresses[name, game] = address
    if not strips:
        return None, {}
    about = Words(phrase("claims.games"), "quiet")
    return Section("finding-games", phrase("claims.games_title"), (about, *strips)), addresses


def game_strip(part: Material, game: str, why: str, varied: Sequence[str]) -> Strip:
    """One game as a strip of moves; `why` it is shown, and the values of what varies."""
    assert part.log is not None
    moves, seats, games = (
        table[(table["game_id"].astype(str) == game).to_numpy()]
        for table in (part.log.moves, part.log.seats, part.log.games)
    )
    rounds = [int(n) for n in sorted(moves["round"].unique().tolist())[:_ROUNDS]]
    own_labels = part.labels[(part.labels["game_id"].astype(str) == game).to_numpy()]
    players = []
    for _, seat in seats.sort_values("seat").iterrows():
        own = moves[(moves["seat"] == seat["seat"]).to_numpy()].drop_duplicates("round").set_index("round")
        row = own_labels[(own_labels["seat"] == seat["seat"]).to_numpy()]
        players.append(_strip_seat(part, seat, own, row, rounds))
    facts = games.iloc[0]
    values = (f"{in_words(c)} {facts[c]}" for c in varied if c in facts and not _null(facts[c]))
    last = moves["round"].max()
    about = phrase(
        "examples.strip",
        why=f"{why[0].upper()}{why[1:]}",
        conditions="; ".join(shorten(value, _NAME) for value in values) or part.game or "",
        cut=phrase("examples.cut", rounds=_ROUNDS, last=last) if last > _ROUNDS else "",
    )
    name = phrase("examples.game", game=shorten(game, _NAME))
    page = part.pages.get(game, "")
    return Strip(name, about, tuple(rounds), tuple(players), _messages(moves), page=page)


def _strip_seat(
    part: Material, seat: pd.Series[Any], own: pd.DataFrame, row: pd.DataFrame, rounds: Sequence[int]
) -> StripSeat:
    verdict, posterior, against = phrase("examples.not_labelled"), None, None
    if len(row):
        place = int(row.index[0])
        posterior, against = _posterior(part, place)
        verdict = _verdict(row.iloc[0], _by_chance(part, place))
    described = [str(seat[c]) for c in ("model", "strategy", "persona") if c in seat and not _null(seat[c])]
    after = () if posterior is None else zip(part.classes, posterior.T, strict=True)
    return StripSeat(
        name=f"seat {seat['seat']}" + (f", {shorten(', '.join(described), _NAME)}" if described else ""),
        verdict=verdict,
        moves=tuple(_move(own, n) for n in rounds),
        payoffs=tuple(_payoff(own, n) for n in rounds) if own["payoff"].notna().any() else (),
        posterior=tuple((name, tuple(f"{100 * p[n - 1]:.0f}" for n in rounds)) for name, p in after),
        marks=tuple(_mark(own, n) for n in rounds),
        contradicts=() if against is None else tuple(bool(against[n - 1]) for n in rounds),
    )


def _posterior(part: Material, row: int) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_] | None]:
    """(T, K) probabilities after each round, and (T,) moves that the best strategy would not have made."""
    import numpy as np

    from intent.logs.gamelog import Trajectories
    from intent.recognise.bayes import BayesRecogniser
    from intent.strategies.catalogue import strategy
    from intent.strategies.likelihood import deviations
    from intent.strategies.sets import strategies_in

    assert part.play is not None
    X = part.play[[row]]
    turns = X.shape[1]
    own = np.repeat(X.own, turns, axis=0)
    other = np.repeat(X.other, turns, axis=0)
    later = np.arange(turns)[None, :] > np.arange(turns)[:, None]
    counts = np.repeat(X.evidence, turns, axis=0) & ~later
    own, other = np.where(later, np.int8(-1), own), np.where(later, np.int8(-1), other)
    decided = np.repeat(X.decisions, turns, axis=0)
    errors = None if X.implementation_error is None else np.repeat(X.implementation_error, turns)
    prefixes = Trajectories(own, other, decided=decided, evidence=counts, implementation_error=errors)
    eps = part.provenance.get("eps")
    try:
        mine = strategies_in(part.provenance)
        strategies = [strategy(name, mine) for name in part.classes]
        known = isinstance(eps, float) or eps == "integrate"
        model = BayesRecogniser(strategies, eps=eps if known else 0.05).fit()  # type: ignore[arg-type]
        proba = model.predict_proba(prefixes)
        best = strategy(str(part.labels["best"].iloc[row]), mine)
        missed = deviations(prefixes.own, prefixes.other, prefixes.evidence_mask, [best], prefixes.decided)[
            :, 0
        ]
    except IntentError:
        return None, None
    theirs = part.labels[[f"p_{name}" for name in part.classes]].iloc[row].to_numpy(dtype=float)
    against = np.diff(missed, prepend=0) > 0
    return (proba if np.abs(proba[-1] - theirs).max() <= _CLOSE else None), against


def _by_chance(part: Material, row: int) -> str:
    """How probable the best strategy makes the moves, where it leaves them to chance; else nothing."""
    from intent.strategies.catalogue import strategy
    from intent.strategies.likelihood import log_likelihood
    from intent.strategies.sets import strategies_in

    assert part.play is not None
    X = part.play[[row]]
    try:
        best = strategy(str(part.labels["best"].iloc[row]), strategies_in(part.provenance))
    except IntentError:
        return ""
    n = int(X.n_rounds[0])
    eps = part.provenance.get("eps")
    if best.is_deterministic or not n:
        return ""
    noise = eps if isinstance(eps, float) and 0 <= eps < 0.5 else 0.05
    log_p = float(log_likelihood(X.own, X.other, X.evidence_mask, [best], noise)[0, 0])
    return phrase("examples.by_chance", p=math.exp(log_p / n), log_p=log_p)


def _verdict(row: pd.Series[Any], by_chance: str) -> str:
    n = int(row["n_deviations"])
    return phrase(
        "examples.verdict",
        status=str(row["status"]).replace("_", " "),
        best=row["best"],
        confidence=row["confidence"],
        tied=f", tied with {', '.join(map(str, row['tied_with']))}" if len(row["tied_with"]) else "",
        against=by_chance or phrase("examples.against_one" if n == 1 else "examples.against", n=n),
        fits=", ".join(map(str, row["consistent"])) or "none",
    )


def _move(own: pd.DataFrame, n: int) -> str:
    if n not in own.index:
        return "?"
    cooperated, action = own.at[n, "cooperated"], own.at[n, "action"]
    if not _null(cooperated):
        return "C" if bool(cooperated) else "D"
    return "?" if _null(action) else shorten(str(action), 12)


def _payoff(own: pd.DataFrame, n: int) -> str:
    value = own.at[n, "payoff"] if n in own.index else None
    return "–" if _null(value) else f"{float(value):.4g}"  # type: ignore[arg-type]


def _mark(own: pd.DataFrame, n: int) -> str:
    status = str(own.at[n, "status"]) if n in own.index else "missing"
    return "" if status == "parsed" else status


def _messages(moves: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """A few messages and thoughts of the first rounds; replies where there are no others."""
    texts: list[tuple[str, str]] = []
    for _, move in moves.sort_values(["round", "step", "seat"]).iterrows():
        for column in ("message", "private_thought", "reasoning", "reply"):
            if column in move and not _null(move[column]) and (text := str(move[column])).strip():
                more = phrase("examples.letters", n=len(text)) if len(text) > _LETTERS else ""
                place = {"round": move["round"], "seat": move["seat"], "kind": column.replace("_", " ")}
                texts.append((phrase("examples.place", **place), text[:_LETTERS] + more))
    written = [one for one in texts if not one[0].endswith("reply")] or texts
    return tuple(written[:_TEXTS])


def _null(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value)) if not isinstance(value, Sequence) or isinstance(value, str) else False


# How the numbers were made.

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
    """Methods and references, in words for a paper.

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
    from intent.base.wording import works
    from intent.strategies.catalogue import CATALOGUE
    from intent.strategies.sets import strategies_in

    facts, eps = material.provenance, material.provenance.get("eps")
    known = {**CATALOGUE, **{s.name: s for s in strategies_in(facts) if s.rule}}
    rules = tuple(
        phrase("methods.rule", name=name, rule=known[name].rule, citation=known[name].citation)
        for name in material.classes
        if name in known
    )
    paragraphs = [
        phrase(
            "methods.labels",
            each=phrase("methods.each_player" if material.per_player else "methods.each_game"),
            recogniser=facts.get("recogniser", phrase("methods.a_recogniser")),
            noise=phrase("methods.noise" if isinstance(eps, float) else "methods.noise_below", eps=eps),
            threshold=facts.get("threshold", phrase("methods.the_threshold")),
            alpha=facts.get("alpha", "alpha"),
            rival=phrase("methods.rival") if facts.get("background") else "",
        ),
        phrase("methods.shares", permutations=permutations, level=level, questions=n_questions),
        *([phrase("methods.regression", bootstrap=bootstrap)] if regression else []),
    ]
    cited = (*_CITED, *(_CITED_BY_REGRESSION if regression else ()))
    blocks: list[Block] = [
        *map(Words, paragraphs),
        Words(phrase("methods.strategies")),
        Listing(rules),
        Words(phrase("methods.references")),
        Listing(tuple(sorted(works()[key].printed for key in cited)), ordered=True),
    ]
    if main is not None:
        blocks.append(Verbatim(phrase("methods.paper"), main.methods()))
        blocks.append(Verbatim(phrase("methods.bibtex"), main.bibliography()))
    return Section("methods", phrase("methods.title"), tuple(blocks))


def settings_section(material: Material, settings: Mapping[str, Any]) -> Section:
    """Settings, versions, hashes."""
    import platform
    from importlib.metadata import version

    from intent.version import __version__

    facts = dict(material.provenance)
    log = facts.pop("log", None)
    source = log if isinstance(log, Mapping) else {}
    values = {
        "source": material.name,
        "format": source.get("format"),
        "SHA-256 of the log": source.get("sha256"),
        "intent (this report)": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "pandas")},
        **{f"report: {name}": value for name, value in settings.items()},
        **{
            f"labels: {name.replace('_', ' ')}": value
            for name, value in facts.items()
            if name not in ("kind", "summary")
        },
    }
    rows = [(name, _in_text(value)) for name, value in values.items()]
    table = grid(phrase("settings.caption"), phrase.lines("settings.header"), rows)
    return Section("settings", phrase("settings.title"), (table,))


def _in_text(value: Any) -> str:
    if value is None or value == "":
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONG else f"{text[:_LONG]} […]"


def left_out_section(
    games: Iterable[tuple[str, Material, Sequence[str], Sequence[str]]], *, full: bool
) -> Section:
    """What is not on the page, so that no reader takes it for all there is.

    Parameters
    ----------
    games : (name, part, factors wanted, factors compared) of each game
    full : bool
    """
    games_of: dict[str, list[str]] = {}
    for name, part, wanted, compared in games:
        for text in _left_out(part, wanted, compared, full=full):
            games_of.setdefault(text, []).append(name)
    lines = [f"{', '.join(names)}: {text}." for text, names in games_of.items()]
    general = phrase("left_out.full" if full else "left_out.quick")
    return Section("left-out", phrase("left_out.title"), (Listing((general, *lines)),))


def _left_out(part: Material, wanted: Sequence[str], compared: Sequence[str], *, full: bool) -> list[str]:
    from intent.estimate.design_units import design_columns

    lines = []
    if lost := [factor for factor in wanted if factor not in compared]:
        lines.append(phrase("left_out.no_groups", factors=in_words(lost)))
    others = [name for name in design_columns(part.labels) if name not in wanted] if full else []
    if others:
        lines.append(phrase("left_out.no_factors", columns=in_words(others)))
    if part.log is None:
        lines.append(phrase("left_out.no_moves"))
    return lines
