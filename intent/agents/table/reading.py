"""A reply in a game whose answers are JSON objects, read as an action or refused with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from intent.agents.replies.normalise import key as folded
from intent.agents.replies.objects import Pairs, is_object, loose_object, objects_in
from intent.errors import GameError, shorten
from intent.games.course import CourseGame, Facts

__all__ = ["EXPLANATIONS", "SPELLINGS", "TableReading", "read_answer"]

EXPLANATIONS = (
    "explanation",
    "explain",
    "reason",
    "reasoning",
    "thought",
    "thoughts",
    "rationale",
    "analysis",
)
"""Fields, in any case, that are no answer but what was thought before it."""

SPELLINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "chosen_number": ("number", "guess"),
        "decision": ("vote",),
        "bid_amount": ("bid", "amount"),
        "tokens_contributed": ("tokens", "contribution", "contributed", "tokens_to_contribute"),
        "chosen_dish": ("dish",),
        "bid": ("bid_amount", "amount"),
        "target": ("target_player", "player", "shoot"),
        "proposal": ("distribution", "division", "allocation", "shares"),
    }
)
"""Key of an answer -> what models call the field instead."""

_COMMON = ("answer", "choice", "action", "response")

_SHOTS = ("target", "aim")
"""Keys of battle royale and of its story, whose answers may have an ``action`` beside them."""

_BARE = 200
"""Characters of a reply that may be an answer without an object around it."""

_LONGEST_NAME = 40
_AROUND = "*_`\"'“” \n"


@dataclass(frozen=True)
class TableReading:
    """An action, or why there is none.

    Parameters
    ----------
    action : str or None
        As the log has it.
    why : str or None
        One line; None where there is an action.
    explanation : str or None
        What the reply says besides.
    """

    action: str | None
    why: str | None = None
    explanation: str | None = None


def read_answer(text: str, game: CourseGame, seat: int, asked: Facts) -> TableReading:
    """The action of a reply.

    1. Objects are found wherever they stand (`objects_in`). The answer is the field of the game's key,
       however its words are joined; where no object has it, a field that models call it by (`SPELLINGS`),
       then ``answer``, ``choice``, ``action`` or ``response``, then the only field there is.
    2. A reply without an object is an answer where it is nothing but one, ``37``, or the field, ``bid: 37``.
    3. `CourseGame.read` takes or refuses the value. Several answers must be the same one.

    Takes any text, of any length, and never raises for what it holds.

    Parameters
    ----------
    text : str, without reasoning
    game : CourseGame
    seat : int, from 1
    asked : Facts
        As `Course.asked` gave it to the seat.
    """
    wanted = game.key(asked)
    objects = objects_in(text)
    explanation = _explanation(text, objects)
    if not objects:
        short = text.strip()
        fields = loose_object(short) if len(short) <= _BARE and ":" in short else None
        if fields is None:
            return _bare(short, game, seat, asked, wanted)
        objects = [fields]
    values = _values(objects, wanted)
    if not values:
        return TableReading(None, f'no field "{wanted}" in the JSON object', explanation)
    actions: dict[str, None] = {}
    for value in values:
        try:
            actions[game.read(_plain(value), seat, asked)] = None
        except GameError as error:
            return TableReading(None, shorten(error, 200), explanation)
    if len(actions) > 1:
        return TableReading(None, shorten(f"names {' and '.join(actions)}, expected one", 200), explanation)
    return TableReading(next(iter(actions)), explanation=explanation)


def _bare(text: str, game: CourseGame, seat: int, asked: Facts, wanted: str) -> TableReading:
    if text and len(text) <= _BARE:
        try:
            return TableReading(game.read(text.lstrip(_AROUND).rstrip(_AROUND + ".!"), seat, asked))
        except GameError as error:
            if "\n" not in text and len(text.split()) == 1:
                return TableReading(None, shorten(error, 200))
    got = "no JSON object" if text else "an empty reply"
    return TableReading(None, f'{got}, expected a JSON object with the field "{wanted}"', text or None)


def _values(objects: Sequence[Pairs], wanted: str) -> list[object]:
    """The answers, by the most exact of the names that any object has."""
    for names in ((wanted,), SPELLINGS.get(wanted, ()), _COMMON):
        known = {_joined(name) for name in names}
        values = [value for pairs in objects for value in _named(pairs, known, wanted)]
        if values:
            return values
    alone = [[value for name, value in pairs if not _explains(name)] for pairs in objects]
    return [value for values in alone if len(values) == 1 for value in values if value is not None]


def _named(pairs: Pairs, known: set[str], wanted: str) -> Iterator[object]:
    found = [value for name, value in pairs if _joined(name) in known]
    actions = [value for name, value in pairs if _joined(name) == "action"] if wanted in _SHOTS else []
    if len(found) == len(actions) == 1 and "action" not in known:
        # Whether to shoot stands in one field and at whom in another; the game knows which of them counts.
        yield _Shot(actions[0], found[0])
    else:
        yield from found


@dataclass(frozen=True)
class _Shot:
    """What a reply does and to whom."""

    action: object
    target: object


def _plain(value: object) -> object:
    """Objects as mappings.

    Raises
    ------
    GameError
        A field that stands twice.
    """
    if isinstance(value, _Shot):
        return {"action": _plain(value.action), "target": _plain(value.target)}
    if is_object(value):
        assert isinstance(value, list)
        made = {name: _plain(inside) for name, inside in value}
        if len(made) < len(value):
            raise GameError("a field stands twice in an object, expected it once")
        return made
    if isinstance(value, list):
        return [_plain(inside) for inside in value]
    return value


def _explanation(text: str, objects: Sequence[Pairs]) -> str | None:
    """What the fields for it say, else the text before the first object."""
    told = [
        value.strip()
        for pairs in objects
        for name, value in pairs
        if isinstance(value, str) and _explains(name) and value.strip()
    ]
    if told or not objects:
        return "\n\n".join(told) or None
    return text[: text.find("{")].removesuffix("```json\n").strip() or None


def _explains(name: str) -> bool:
    return _joined(name) in EXPLANATIONS


def _joined(name: str) -> str:
    """The words of a name without what joins them."""
    return folded(name).replace("_", "").replace("-", "") if len(name) <= _LONGEST_NAME else ""
