"""What the play can tell: how many strategies fit it, and what so many rounds allow at best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from intent.report.coin_words import coin_column, coin_sentence

if TYPE_CHECKING:
    import pandas as pd

    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["identified_section"]

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
    from intent.errors import IntentError
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
