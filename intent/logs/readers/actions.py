"""The two actions of a game in a foreign log: words for no move, what the user says, and strays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from intent.errors import DataError, UnknownNameError, UsageError, shorten
from intent.logs.readers.reader import Settings

__all__ = ["MISSING", "NULLS", "absent", "check_two", "settle"]

NULLS = frozenset({"", "na", "n/a", "nan", "none", "null"})
"""Words, in lower case, by which programs write that there is no value."""

MISSING = NULLS | {"missing", "timeout", "refused", "invalid", "error"}
"""Words, in lower case, that stand in an action cell where no move was made."""

_SHOWN = 6


def absent(words: Iterable[str], cooperate: str | None, told: Collection[str] = ()) -> list[str]:
    """The words that stand for no move; a word that the user or the file names as an action is one.

    Parameters
    ----------
    words : iterable of str
        Distinct contents of action cells.
    cooperate : str, optional
        As the user gave it: ``ACTION`` or ``COOPERATING:DEFECTING``.
    told : collection of str
        Actions that the file itself names.
    """
    named = {*told, *((cooperate, *cooperate.split(":")) if cooperate else ())}
    return [word for word in words if word.strip().casefold() in MISSING and word not in named]


def settle(settings: Settings, labels: Collection[str]) -> Settings:
    """The settings with ``COOPERATING:DEFECTING`` taken apart, once they fit the actions of the log.

    A text that is itself an action is one, whatever colons it has.

    Raises
    ------
    UsageError
        A payoff kind that is none, or half a pair of actions.
    UnknownNameError
        An action that the log does not have.
    """
    text = settings.cooperate
    if settings.payoff_kind not in (None, "reward", "penalty"):
        raise UsageError(f"--payoff-kind {settings.payoff_kind!r}, expected reward or penalty")
    if text is None or text in labels:
        return settings
    if ":" not in text:
        raise UnknownNameError("action (--cooperate)", text, map(shorten, labels))
    cuts = [i for i, letter in enumerate(text) if letter == ":"]
    pairs = [(text[:i].strip(), text[i + 1 :].strip()) for i in cuts]
    cooperating, defecting = max(pairs, key=lambda pair: len({*pair} & {*labels}))
    if not cooperating or not defecting or cooperating == defecting:
        raise UsageError(f"--cooperate {text!r}, expected ACTION or COOPERATING:DEFECTING")
    pair = {cooperating, defecting}
    unknown = [action for action in (cooperating, defecting) if action not in labels]
    if unknown and not (pair & {*labels} and {*labels} <= pair):
        raise UnknownNameError("action (--cooperate)", unknown[0], map(shorten, labels))
    return replace(settings, cooperate=cooperating, defect=defecting)


def check_two(counts: Mapping[str, int], cooperate: str | None, game: str | None = None) -> None:
    """Refuse a third action: nobody says what it is, and it is no defection by default.

    Parameters
    ----------
    counts : mapping of action -> how often it was played
    cooperate : str, optional
        The action that is cooperation.
    game : str, optional

    Raises
    ------
    DataError
    """
    actions = {*counts, *([cooperate] if cooperate is not None else [])}
    if len(actions) <= 2:
        return
    ranked = sorted(actions, key=lambda action: (-counts.get(action, 0), action))
    shown = ", ".join(f"{shorten(a, 40)} ({counts.get(a, 0):,})" for a in ranked[:_SHOWN])
    more = f" and {len(ranked) - _SHOWN:,} more" if len(ranked) > _SHOWN else ""
    first = "COOPERATING" if cooperate is None else shorten(cooperate, 40)
    of = f" of {shorten(game)}" if game else ""
    raise DataError(
        f"{len(ranked):,} actions{of}, expected two: {shown}{more}; "
        f"give --cooperate {first}:DEFECTING, which rejects rows with any other"
    )
