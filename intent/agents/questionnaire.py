"""Questionnaires: a user's own items, put to a language model, read as numbers, averaged by subscale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from intent.agents.agent import Ask
from intent.agents.architectures.base import ask_until_read, free
from intent.agents.client import Message, Settings
from intent.agents.plan import ReplyRules
from intent.base.errors import DataError, one_line, shorten
from intent.base.replies import Reading, digits, no_reading

__all__ = ["Item", "ItemAnswer", "ask_item", "items_of", "read_score", "score_items"]

INSTRUCTION = (
    "How much does the following statement apply to you? Answer with one whole number from {low} "
    "(not at all) to {high} (completely) and nothing else."
)
"""Said before an item, in our words; {low} and {high} are filled in."""

MOST_ITEMS = 1_000
LONGEST_TEXT = 4_000
LARGEST = 1_000
FIELDS = ("name", "text", "low", "high", "reversed", "subscale")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NUMBER = re.compile(r"[\s*_`\"'(]{0,4}([-+]?\d{1,6})[\s*_`\"').]{0,4}")


@dataclass(frozen=True)
class Item:
    """A statement with a scale.

    Parameters
    ----------
    low, high : ends of the scale, both included
    reversed : whether agreement counts against the subscale: a is scored as low + high - a
    subscale : what it is averaged with
    """

    name: str
    text: str
    low: int = 1
    high: int = 5
    reversed: bool = False
    subscale: str = "all"


@dataclass(frozen=True)
class ItemAnswer:
    """What came of one item.

    Parameters
    ----------
    item : str, its name
    value : as answered, before it is reversed; None where no reply could be read
    refused : why replies were refused, in their order
    """

    item: str
    value: int | None
    refused: tuple[str, ...] = ()


def items_of(rows: Iterable[Mapping[str, object]], where: str = "items") -> tuple[Item, ...]:
    """The items of a table: rows of a CSV file, or a list of mappings of a YAML file.

    Parameters
    ----------
    rows : ``name`` and ``text``; ``low``, ``high``, ``reversed`` (true, false, yes, no, 1, 0) and
        ``subscale`` may be left out or empty
    where : for messages

    Raises
    ------
    DataError
        No items, too many, a field that is missing, unknown or cannot be, or a name that occurs twice.
    """
    items: dict[str, Item] = {}
    for number, row in enumerate(rows, start=1):
        if number > MOST_ITEMS:
            raise DataError(f"{where}: more than {MOST_ITEMS:,} items, expected at most that many")
        item = _item(row, f"{where}, item {number}")
        if item.name in items:
            raise DataError(f"{where}, item {number}: name {shorten(item.name)!r} occurs twice")
        items[item.name] = item
    if not items:
        raise DataError(f"{where}: no items, expected rows with name and text")
    return tuple(items.values())


def item_messages(
    item: Item, instruction: str = INSTRUCTION, persona: str | None = None
) -> tuple[Message, ...]:
    """The message that asks an item, after one of the system that is `persona` as it stands."""
    text = instruction.replace("{low}", str(item.low)).replace("{high}", str(item.high))
    message = Message("user", f"{text}\n\n{item.text}")
    return (Message("system", persona), message) if persona else (message,)


def read_score(text: str, item: Item) -> Reading:
    """The number that the reply is, in the digits of any script, perhaps quoted or emphasised."""
    match = _NUMBER.fullmatch(digits(text.strip()[:100]))
    if match is None:
        return no_reading(f"no number, expected one whole number from {item.low} to {item.high}")
    value = int(match[1])
    if not item.low <= value <= item.high:
        return no_reading(f"{value}, expected a whole number from {item.low} to {item.high}")
    return Reading(str(value))


async def ask_item(
    item: Item,
    ask: Ask,
    settings: Settings | None = None,
    rules: ReplyRules | None = None,
    instruction: str = INSTRUCTION,
    persona: str | None = None,
) -> ItemAnswer:
    """Put one item; a reply that cannot be read is asked for again as ``rules`` say.

    With ``settings.constrained`` the reply is one of the numbers of the scale.
    """
    refused: list[str] = []
    used = settings or Settings()
    numbers = tuple(map(str, range(item.low, item.high + 1)))
    used = used.model_copy(update={"choices": numbers}) if used.constrained else free(used)

    def read(text: str) -> Reading:
        reading = read_score(text, item)
        if reading.action is None:
            refused.append(reading.why or "")
        return reading

    settled = await ask_until_read(
        ask,
        item_messages(item, instruction, persona),
        used,
        read,
        rules or ReplyRules(),
        lambda: refused[-1],
        purpose="questionnaire",
    )
    action = settled.reading.action
    return ItemAnswer(item.name, None if action is None else int(action), tuple(refused))


def score_items(items: Sequence[Item], answers: Mapping[str, int | None]) -> dict[str, float | None]:
    """Mean of each subscale over the items that were answered, None where none was.

    Parameters
    ----------
    answers : mapping of item's name -> int or None
        As answered; reversed items are turned here, a as low + high - a.

    Examples
    --------
    >>> items = [Item("a", "…", 1, 5, False, "s"), Item("b", "…", 1, 5, True, "s")]
    >>> score_items(items, {"a": 4, "b": 2})
    {'s': 4.0}
    """
    scored: dict[str, list[int]] = {item.subscale: [] for item in items}
    for item in items:
        value = answers.get(item.name)
        if value is not None:
            scored[item.subscale].append(item.low + item.high - value if item.reversed else value)
    return {subscale: fmean(values) if values else None for subscale, values in scored.items()}


def _item(row: Mapping[str, object], where: str) -> Item:
    if not isinstance(row, Mapping):
        raise DataError(f"{where}: {shorten(row)!r}, expected the fields {', '.join(FIELDS)}")
    stray = next((str(field) for field in row if field not in FIELDS), None)
    if stray is not None:
        raise DataError(f"{where}: unknown field {shorten(stray)!r}, expected {', '.join(FIELDS)}")
    filled = {field: value for field, value in row.items() if value is not None and value != ""}
    texts = {field: _text(filled, field, where) for field in ("name", "text")}
    low, high = (
        _whole(filled.get(field, default), field, where) for field, default in (("low", 1), ("high", 5))
    )
    if low >= high:
        raise DataError(f"{where}: scale from {low} to {high}, expected the lower end first")
    subscale = _text(filled, "subscale", where) if "subscale" in filled else "all"
    return Item(
        texts["name"], texts["text"], low, high, _truth(filled.get("reversed", False), where), subscale
    )


def _text(row: Mapping[str, object], field: str, where: str) -> str:
    value = row.get(field)
    text = " ".join(value.split()) if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    if not text or len(text) > LONGEST_TEXT:
        got = "is missing" if value is None else repr(shorten(value))
        raise DataError(f"{where}: {field} {got}, expected a text of up to {LONGEST_TEXT:,} characters")
    if _CONTROL.search(text):
        raise DataError(f"{where}: {field} {one_line(text, 40)!r} has control characters, expected none")
    return text


def _whole(value: object, field: str, where: str) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,4}", text) or abs(int(text)) > LARGEST:
        raise DataError(f"{where}: {field} {shorten(value)!r}, expected a whole number up to {LARGEST:,}")
    return int(text)


def _truth(value: object, where: str) -> bool:
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    truth = known.get(str(value).strip().casefold())
    if truth is None:
        raise DataError(f"{where}: reversed {shorten(value)!r}, expected true or false")
    return truth
