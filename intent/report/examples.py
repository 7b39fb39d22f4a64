"""Games to look at: one whose label is clear, one that several strategies explain, one that none does.

What the play can tell: how many strategies fit it, and what so many rounds allow at best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.base.errors import shorten
from intent.base.wording import coin_column, coin_sentence, in_words

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.report.document import Block, Section, Strip
    from intent.report.material import Material


__all__ = ["examples_section", "game_strip", "identified_section"]


_ROUNDS = 30
_TEXTS = 6
_LETTERS = 500
_NAME = 60
_CLOSE = 0.02
"""Difference from the posterior in the labels up to which ours is theirs."""

_WHY = (
    ("confident", "a clear one", ["fit_p", "confidence"], False),
    ("ambiguous", "one that several strategies explain equally well", ["fit_p", "confidence"], False),
    ("no_fit", "one that none of the strategies explains", ["fit_p", "confidence"], True),
    ("low_confidence", "one whose best strategy is not probable enough", ["confidence"], True),
)


def examples_section(
    part: Material, key: str, varied: Sequence[str] = (), *, each: int = 1
) -> Section | None:
    """Games of each status as strips of moves, with the values of what varies; None without the moves."""
    from intent.report.document import Section, Words

    if part.log is None or part.play is None:
        return None
    strips = []
    shown: set[str] = set()
    for status, why, order, up in _WHY:
        rows = part.labels[(part.labels["status"] == status).to_numpy()]
        rows = rows.assign(_game=rows["game_id"].astype(str)).sort_values(
            [*order, "_game"], ascending=[up] * len(order) + [True], kind="stable"
        )
        for game in [g for g in dict.fromkeys(rows["_game"].head(200)) if g not in shown][:each]:
            shown.add(game)
            strips.append(game_strip(part, game, why, varied))
    if not strips:
        return None
    words = Words(
        "Not drawn at random: of each status the game that shows it best. C cooperates, D defects; dashed: "
        "a move that the best strategy would not have made; below it, how probable each strategy is after "
        "the round."
    )
    return Section(f"{key}-games", "Example games", (words, *strips))


def game_strip(part: Material, game: str, why: str, varied: Sequence[str]) -> Strip:
    """One game as a strip of moves; `why` it is shown, and the values of what varies."""
    from intent.report.document import Strip, StripSeat

    assert part.log is not None
    moves = part.log.moves[(part.log.moves["game_id"].astype(str) == game).to_numpy()]
    seats = part.log.seats[(part.log.seats["game_id"].astype(str) == game).to_numpy()]
    facts = part.log.games[(part.log.games["game_id"].astype(str) == game).to_numpy()].iloc[0]
    rounds = sorted(moves["round"].unique().tolist())[:_ROUNDS]
    found: list[StripSeat] = []
    for _, seat in seats.sort_values("seat").iterrows():
        own = moves[(moves["seat"] == seat["seat"]).to_numpy()].drop_duplicates("round").set_index("round")
        row = part.labels[
            ((part.labels["game_id"].astype(str) == game) & (part.labels["seat"] == seat["seat"])).to_numpy()
        ]
        place = int(row.index[0]) if len(row) else None
        posterior, against = _posterior(part, place) if place is not None else (None, None)
        known = [int(n) for n in rounds]
        found.append(
            StripSeat(
                name=_name(seat),
                verdict=_verdict(row.iloc[0], _by_chance(part, place))
                if place is not None
                else "not labelled",
                moves=tuple(_move(own, n) for n in known),
                payoffs=tuple(_payoff(own, n) for n in known) if own["payoff"].notna().any() else (),
                posterior=()
                if posterior is None
                else tuple(
                    (name, tuple(f"{100 * posterior[n - 1, k]:.0f}" for n in known))
                    for k, name in enumerate(part.classes)
                ),
                marks=tuple(_mark(own, n) for n in known),
                contradicts=() if against is None else tuple(bool(against[n - 1]) for n in known),
            )
        )
    shown = [f"{in_words(c)} {facts[c]}" for c in varied if c in facts and not _null(facts[c])]
    shown = [shorten(text, _NAME) for text in shown]
    cut = f"; the first {_ROUNDS} of {moves['round'].max()} rounds" if moves["round"].max() > _ROUNDS else ""
    about = f"{why[0].upper()}{why[1:]}: {'; '.join(shown) or part.game or ''}{cut}."
    return Strip(
        f"Game {shorten(game, _NAME)}", about, tuple(map(int, rounds)), tuple(found), _texts(moves, seats)
    )


def _posterior(part: Material, row: int) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_] | None]:
    """(T, K) probabilities after each round, and (T,) moves that the best strategy would not have made."""
    import numpy as np

    from intent.base.errors import IntentError
    from intent.recognise.bayes import BayesRecogniser
    from intent.strategies.catalogue import strategy
    from intent.strategies.consistency import deviations

    assert part.play is not None
    X = part.play[[row]]
    turns = X.shape[1]
    own = np.repeat(X.own, turns, axis=0)
    other = np.repeat(X.other, turns, axis=0)
    later = np.arange(turns)[None, :] > np.arange(turns)[:, None]
    counts = np.repeat(X.evidence, turns, axis=0) & ~later
    own, other = np.where(later, np.int8(-1), own), np.where(later, np.int8(-1), other)
    from intent.logs.trajectories import Trajectories

    decided = np.repeat(X.decisions, turns, axis=0)
    errors = None if X.implementation_error is None else np.repeat(X.implementation_error, turns)
    prefixes = Trajectories(own, other, decided=decided, evidence=counts, implementation_error=errors)
    eps = part.provenance.get("eps")
    try:
        strategies = [strategy(name) for name in part.classes]
        known = isinstance(eps, float) or eps == "integrate"
        model = BayesRecogniser(strategies, eps=eps if known else 0.05).fit()  # type: ignore[arg-type]
        proba = model.predict_proba(prefixes)
        best = strategy(str(part.labels["best"].iloc[row]))
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
    import math

    from intent.base.errors import IntentError
    from intent.strategies.catalogue import strategy
    from intent.strategies.likelihood import log_likelihood

    assert part.play is not None
    X = part.play[[row]]
    try:
        best = strategy(str(part.labels["best"].iloc[row]))
    except IntentError:
        return ""
    n = int(X.n_rounds[0])
    eps = part.provenance.get("eps")
    if best.is_deterministic or not n:
        return ""
    noise = eps if isinstance(eps, float) and 0 <= eps < 0.5 else 0.05
    log_p = float(log_likelihood(X.own, X.other, X.evidence_mask, [best], noise)[0, 0])
    return f"{math.exp(log_p / n):.2f} per move by chance, log-likelihood {log_p:.1f}"


def _verdict(row: pd.Series[Any], by_chance: str) -> str:
    status = str(row["status"]).replace("_", " ")
    text = f"{status}: best {row['best']} ({row['confidence']:.0%})"
    if len(row["tied_with"]):
        text += f", tied with {', '.join(map(str, row['tied_with']))}"
    n = int(row["n_deviations"])
    text += f"; {by_chance}" if by_chance else f"; {n} move{'s' * (n != 1)} against it"
    fits = ", ".join(map(str, row["consistent"])) or "none"
    return f"{text}; exactly explained by {fits}"


def _name(seat: pd.Series[Any]) -> str:
    parts = [str(seat[c]) for c in ("model", "strategy", "persona") if c in seat and not _null(seat[c])]
    return f"seat {seat['seat']}" + (f", {shorten(', '.join(parts), _NAME)}" if parts else "")


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


def _texts(moves: pd.DataFrame, seats: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """A few messages and thoughts of the first rounds."""
    said: list[tuple[str, str]] = []
    kinds = (
        ("message", "message"),
        ("private_thought", "private thought"),
        ("reasoning", "reasoning"),
        ("reply", "reply"),
    )
    for _, move in moves.sort_values(["round", "step", "seat"]).iterrows():
        for column, word in kinds:
            if column in move and not _null(move[column]) and str(move[column]).strip():
                said.append((f"Round {move['round']}, seat {move['seat']}, {word}", _cut(str(move[column]))))
    spoken = [s for s in said if not s[0].endswith("reply")] or said
    return tuple(spoken[:_TEXTS])


def _cut(text: str) -> str:
    more = f" […] ({len(text):,} characters)" if len(text) > _LETTERS else ""
    return text[:_LETTERS] + more


def _null(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value)) if not isinstance(value, Sequence) or isinstance(value, str) else False


_EPS = 0.05
_STATUSES = ("confident", "ambiguous", "low_confidence", "no_fit")


def identified_section(material: Material, parts: Sequence[Material]) -> tuple[Section, list[str]]:
    """Trajectories that none, one or several strategies explain, their status, and the ceiling of accuracy.

    Returns
    -------
    section : Section
    findings : list of str
    """
    from intent.report.document import Section, Words, grid

    labels = material.labels
    classes = tuple(name for name in material.classes if name != "RANDOM")
    random = ", and RANDOM, play by chance" if len(classes) < len(material.classes) else ""
    rows = [_row(part.game or material.name, part.labels) for part in parts]
    if len(parts) > 1:
        rows.append(_row("all", labels))
    tossed = _coins(material.coin)
    if tossed is not None:
        rows.append(("fair coins", "–", "–", "–", "–", "–", *(f"{100 * x:.1f}" for x in tossed)))
    header = (
        "game",
        "n",
        "fit none %",
        "fit one %",
        "fit several %",
        "tied %",
        *(f"{s.replace('_', ' ')} %" for s in _STATUSES),
    )
    n = len(labels)
    fits = labels["consistent"].map(len)
    none, several = float((fits == 0).mean()), float((fits > 1).mean())
    status = labels["status"]
    sure = float((status == "confident").mean())
    tied = float(labels["tied"].mean())
    coins = []
    if tossed is not None:
        assert material.coin is not None
        coins = [
            Words(f"{coin_sentence(material.coin)[0].upper()}{coin_sentence(material.coin)[1:]}.", "quiet")
        ]
    blocks: tuple[Block, ...] = (
        Words(
            f"The recogniser knows {len(classes)} strategies ({', '.join(classes)}){random}. Without any "
            "noise "
            f"{none:.0%} of the {n:,} {material.rows_in_words} are the play of none of them, "
            f"{1 - none - several:.0%} "
            f"of exactly one, and {several:.0%} of several at once. In {tied:.0%} the two best explain the "
            "play equally well, so that which of them is named first is a convention and no finding."
        ),
        grid("What the play can tell (per cent of trajectories)", header, rows),
        *coins,
        Words(
            "Statuses, tested in this order: no fit (play as unlikely under the best strategy would be "
            "rarer than the level of the test, or a coin explains it best), ambiguous (several strategies "
            "explain the play equally well), low confidence (none is probable enough), confident.",
            "quiet",
        ),
        Words(_ceiling(material)),
    )
    said = {
        "fit several strategies equally well": "ambiguous",
        f"are explained by none of the {len(classes)} that the recogniser knows": "no_fit",
        "are too uncertain to be named": "low_confidence",
    }
    others = [f"{float((status == s).mean()):.0%} {what}" for what, s in said.items() if (status == s).any()]
    beside = "" if tossed is None else f" (fair coins in the same games would get {tossed[0]:.1%})"
    findings = [
        f"Of {n:,} {material.rows_in_words} {sure:.0%} have a confident label{beside}"
        f"{''.join(f'; {o}' for o in others)}."
    ]
    return Section("identified", "What the play can tell", blocks), findings


def _coins(coin: Mapping[str, object] | None) -> list[float] | None:
    """Shares of statuses that fair coins would get, in the order of the table; None where not known."""
    if not coin_column(coin) or coin is None:
        return None
    return [float(str(coin[status])) for status in _STATUSES]


def _row(name: str, labels: pd.DataFrame) -> tuple[object, ...]:
    fits = labels["consistent"].map(len)
    shares = [(fits == 0).mean(), (fits == 1).mean(), (fits > 1).mean(), labels["tied"].mean()]
    shares += [(labels["status"] == s).mean() for s in _STATUSES]
    return (name, len(labels), *(f"{100 * float(x):.1f}" for x in shares))


def _ceiling(material: Material) -> str:
    """Accuracy of the best possible rule at the usual length, where that can be enumerated."""
    from intent.base.errors import IntentError
    from intent.recognise.ceiling import EXACT_ROUNDS, exact_ceiling
    from intent.strategies.catalogue import strategy

    rounds = material.labels["n_rounds"]
    usual = int(rounds.mode().iloc[0]) if len(rounds) else 0
    eps = material.provenance.get("eps")
    noise = float(eps) if isinstance(eps, float) and 0 <= eps < 0.5 else _EPS
    try:
        named = [strategy(name) for name in material.classes if name != "RANDOM"]
        if not usual or not 2 <= len(named) <= 8:
            return "What so many rounds allow at best is not known here."
        turns = min(usual, EXACT_ROUNDS)
        best = exact_ceiling(named, turns, noise, opponent=strategy("RANDOM"))
    except IntentError:
        return "What so many rounds allow at best is not known here: a class is no strategy of the catalogue."
    found = (
        f"no method could name the right one more often than {best:.1%} of the time in {turns} rounds"
        if usual <= EXACT_ROUNDS
        else f"the best method could name the right one {best:.1%} of the time after {turns} of the {usual} "
        "rounds, and more often after all of them"
    )
    return (
        f"If players did play one of these strategies with {noise:.0%} noise against an opponent that "
        f"tosses a coin, {found}. Opponents that do not vary their moves tell less, and players who follow "
        "none of them are not in this number."
    )
