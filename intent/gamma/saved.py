"""GAMA-Bench's saved JSON files, as records of what was played.

A file is an object with ``meta`` (the parameters), ``round_records`` and ``player_data``; it does not name
its game, which the keys of ``meta`` tell, and those of the rounds where ``meta`` lacks them. Files differ
with their age: ``model`` or ``models``, no ``gold`` (then 100), targets as ``player_3`` or ``3``. Responses
of the guessing game and of dividing the dollar were shuffled before they were saved, so that single choices
come from ``player_data[*].records``. What else differs between games is in their own files.

Under which conditions a game was played, its name, its folders and its prompts say.

A name is ``MODEL_GAME_PARTS.json``, such as ``gpt-4o_guessing_game_v1_t0.5_cot_3``. What the file holds
(parameters, players, prompts) counts where a name says something else, and the disagreement is a remark;
what only a name says is taken from it; parts that nobody knows become columns of their own.

Notes
-----
Steps of one name: the game's own name is looked for; what stands before it is the model; the parts behind it,
cut at underscores, are read from the left:

1. a version, a mode or price, a temperature, a chain of thought, a role, a wording, a language, numbers of
   players and rounds; a keyword may stand apart from its value, but never takes the last part;
2. the letter of a sweep whose parameter the file holds (``r4``: the fifth ratio);
3. ``savept``: saved before the end;
4. a number at the end: the run;
5. anything else: column ``name_LETTERS`` of letters with a number, ``name_part_PLACE`` of the rest; but not
   in a name without a game, which is nobody's pattern.

A whole number as a temperature is either that, or a level of the paper's six (0, .2, …, 1; its table 5).
Which one is told by the files beside it: a decimal says the first, a number above 2 the second. Else it stays
a column ``name_t``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

from intent.agents.prompts.wording import LANGUAGE_ALIASES, LANGUAGES, canonical_language
from intent.base.errors import DataError, one_line, shorten
from intent.gamma.catalogue import GAMMA_GAMES, bench_game
from intent.gamma.plays import Plays

__all__ = [
    "LARGEST",
    "MOST_PLAYERS",
    "SMALLEST",
    "Conditions",
    "FileName",
    "Saved",
    "count",
    "is_condition",
    "is_saved",
    "number",
    "numbers",
    "part",
    "read_conditions",
    "saved_plays",
    "seat_of",
    "temperature_scale",
    "words",
]

LARGEST = 1e9
"""Size of a number beyond which it is no choice that anybody made."""

SMALLEST = 1e-6
"""Of what scores are divided by: beyond it they would be infinite."""

MOST_PLAYERS = 1000
_MOST_ROUNDS = 10_000

T = TypeVar("T")

_ID = re.compile(r"(?:player_)?(\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Saved:
    """The parts of a saved file.

    Parameters
    ----------
    meta : mapping
    records : list of mappings, by round
    n_players : int
    models : tuple of str or None, by player
    own : tuple of lists, by player, or None
        ``records`` of the players, which hold a choice per round; None where a player has none.
    """

    meta: Mapping[str, Any]
    records: list[Mapping[str, Any]]
    n_players: int
    models: tuple[str | None, ...]
    own: tuple[list[Any], ...] | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Saved:
        """The parts of an object.

        Raises
        ------
        DataError
            A part is missing or of another kind.
        """
        meta = part(values, "meta", dict, "the file")
        records = part(values, "round_records", list, "the file")
        if len(records) > _MOST_ROUNDS:
            raise DataError(f"{len(records):,} rounds, expected at most {_MOST_ROUNDS:,}")
        for i, record in enumerate(records, start=1):
            if not isinstance(record, dict):
                raise DataError(f"round {i}: {shorten(repr(record))}, expected an object")
        players = part(values, "player_data", list, "the file") if "player_data" in values else []
        if any(not isinstance(player, dict) for player in players):
            raise DataError("player_data: expected a list of objects")
        n_players = count(
            meta.get("player_num", len(players)), "player_num", "meta", low=2, high=MOST_PLAYERS
        )
        if players and len(players) != n_players:
            raise DataError(f"player_data of {len(players)} players, expected {n_players}")
        own = tuple(player.get("records") for player in players)
        complete = bool(own) and all(isinstance(one, list) for one in own)
        return cls(meta, records, n_players, _models(meta, players, n_players), own if complete else None)

    def responses(self, i: int) -> list[Any] | None:
        """The answers of a round, in the order of the file; None where the file has none."""
        record, at = self.records[i], f"round {i + 1}"
        if "responses" not in record:
            return None
        responses: list[Any] = part(record, "responses", list, at)
        if len(responses) != self.n_players:
            raise DataError(f"{at}: {len(responses)} responses, expected {self.n_players}")
        return responses

    def parameter(self, key: str, usual: float, *, low: float = 0.0, high: float = LARGEST) -> float:
        """A number of ``meta``, the usual one where it has none."""
        return number(self.meta.get(key, usual), key, "meta", low=low, high=high)

    def word(self, key: str, usual: str, options: tuple[str, ...]) -> str:
        """A word of ``meta`` out of options, the usual one where it has none."""
        return words([self.meta.get(key, usual)], options, key, "meta")[0]

    def written(self, usual: str, ratio: float) -> str:
        """How the rules say the ratio; the number itself where the file does not say."""
        text = self.meta.get("ratio_str")
        if isinstance(text, str) and one_line(text):
            return one_line(text, 20)
        return usual if "ratio" not in self.meta else f"{ratio:g}"

    def counts(
        self, key: str, options: tuple[str, ...], *, other: str | None = None
    ) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...] | None]:
        """How many chose the first option, by round; and who, where every round says so.

        `other` stands for texts that are no option.
        """
        figures: list[int] = []
        rows: list[tuple[str, ...] | None] = []
        for i, record in enumerate(self.records):
            at, answers = f"round {i + 1}", self.responses(i)
            if answers is not None and other is not None:
                answers = [other if isinstance(a, str) and a.lower() not in options else a for a in answers]
            row = None if answers is None else words(answers, options, "response", at)
            figure = count(record[key], key, at, high=self.n_players) if key in record else None
            figures.append(int(_agreed(figure, None if row is None else row.count(options[0]), key, at)))
            rows.append(row)
        self.has_records(len(rows))
        return tuple(figures), self.whole(rows)

    def figures(
        self, key: str, combine: Callable[[Any], float], *, low: float, high: float = LARGEST
    ) -> tuple[tuple[float, ...], list[tuple[float, ...] | None]]:
        """What the numbers of every round come to, and the numbers in the order of the file.

        Upstream checks few ranges, so numbers below 0 are taken as they are where `low` is.
        """
        figures: list[float] = []
        rows: list[tuple[float, ...] | None] = []
        for i, record in enumerate(self.records):
            at, answers = f"round {i + 1}", self.responses(i)
            row = None if answers is None else numbers(answers, "response", at, low=low, high=high)
            figure = number(record[key], key, at, low=low, high=high) if key in record else None
            figures.append(_agreed(figure, None if row is None else combine(row), key, at))
            rows.append(row)
        self.has_records(len(rows))
        return tuple(figures), rows

    @staticmethod
    def whole(rows: Sequence[tuple[T, ...] | None]) -> tuple[tuple[T, ...], ...] | None:
        """The rows, if every round has one."""
        there = [row for row in rows if row is not None]
        return tuple(there) if len(there) == len(rows) else None

    def has_records(self, rounds: int) -> bool:
        """Whether the players have a record of every round.

        Raises
        ------
        DataError
            Some player's are of more or fewer rounds than were played; old files have none of any.
        """
        if self.own is None or not any(self.own):
            return False
        for i, own in enumerate(self.own, start=1):
            if len(own) != rounds:
                raise DataError(f"player {i}: {len(own)} records, expected one for each of {rounds} rounds")
        return True

    def by_seat(
        self, rows: Sequence[tuple[float, ...] | None], low: float, high: float = LARGEST
    ) -> tuple[tuple[float, ...], ...] | None:
        """Numbers whose players are known, from their own records, which must agree with the rounds."""
        if not self.has_records(len(rows)):
            return None
        assert self.own is not None
        columns = [
            numbers(one, "record", f"player {i}", low=low, high=high) for i, one in enumerate(self.own)
        ]
        by_seat = tuple(zip(*columns, strict=True))
        for i, (row, of_seats) in enumerate(zip(rows, by_seat, strict=True), start=1):
            if row is not None and sorted(row) != sorted(of_seats):
                raise DataError(f"round {i}: the responses are not what the players' records hold")
        return by_seat


_NEAR = 1e-6
"""How far a figure of a round may be from what its single choices come to."""


def _agreed(figure: float | None, computed: float | None, key: str, at: str) -> float:
    """A figure of a round, as the file says and as its choices come to."""
    if figure is None and computed is None:
        raise DataError(f"{at}: neither {key} nor responses, expected one of them")
    if figure is None or computed is None:
        return figure if figure is not None else computed  # type: ignore[return-value]
    if not math.isclose(figure, computed, rel_tol=_NEAR, abs_tol=_NEAR):
        raise DataError(f"{at}: {key} is {figure:g}, and the responses come to {computed:g}")
    return figure


def part(values: Mapping[str, Any], key: str, kind: type, at: str) -> Any:
    """The value of a key, of a kind.

    Raises
    ------
    DataError
        None is there, or one of another kind.
    """
    if key not in values:
        raise DataError(f"{at}: no {key}, expected {_KINDS[kind]}")
    value = values[key]
    if not isinstance(value, kind):
        raise DataError(f"{at}: {key} is {shorten(repr(value), 40)}, expected {_KINDS[kind]}")
    return value


_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "a text"}


def number(value: object, name: str, at: str, *, low: float = 0.0, high: float = LARGEST) -> float:
    """A number within bounds: no truth value, no text, nothing infinite.

    Raises
    ------
    DataError
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise DataError(
            f"{at}: {name} is {shorten(repr(value), 40)}, expected a number from {low:g} to {high:g}"
        )
    return value


def count(value: object, name: str, at: str, *, low: int = 0, high: int = 10**9) -> int:
    """A whole number within bounds; 3.0 is one.

    Raises
    ------
    DataError
    """
    known = number(value, name, at, low=low, high=high)
    if known != int(known):
        raise DataError(f"{at}: {name} is {shorten(repr(value), 40)}, expected a whole number")
    return int(known)


def numbers(
    values: Sequence[object], name: str, at: str, *, low: float = 0.0, high: float = LARGEST
) -> tuple[float, ...]:
    """Numbers within bounds, named by their place.

    Raises
    ------
    DataError
    """
    if values and {*map(type, values)} <= _NUMBERS:
        known: tuple[Any, ...] = tuple(values)
        if low <= min(known) and max(known) <= high:
            total = sum(known)
            if total == total:  # no NaN among them
                return known
    return tuple(
        number(value, f"{name} {i}", at, low=low, high=high) for i, value in enumerate(values, start=1)
    )


_NUMBERS = {int, float}


def words(values: Sequence[object], options: tuple[str, ...], name: str, at: str) -> tuple[str, ...]:
    """Each value as one of the options, in lower case.

    Raises
    ------
    DataError
    """
    if {*map(type, values)} == {str} and set(options).issuperset(values):
        return tuple(map(str, values))
    known = []
    for i, value in enumerate(values, start=1):
        word = value.lower() if isinstance(value, str) else value
        if word not in options:
            raise DataError(
                f"{at}: {name} {i} is {shorten(repr(value), 40)}, expected {' or '.join(options)}"
            )
        known.append(str(word))
    return tuple(known)


def seat_of(value: object) -> int | None:
    """The seat, from 1, of ``player_3``, ``"3"`` or 3 (players count from 0); None of anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    match = _ID.fullmatch(str(value))
    return int(match[1]) + 1 if match else None


def _models(
    meta: Mapping[str, Any], players: Sequence[Mapping[str, Any]], n_players: int
) -> tuple[str | None, ...]:
    """Models by player, else that of ``meta``, each under ``model`` or ``models``."""
    of_all = _model(meta)
    return tuple(_model(player) or of_all for player in players) or (of_all,) * n_players


def _model(values: Mapping[str, Any]) -> str | None:
    name = values.get("model", values.get("models"))
    return _line(name) if isinstance(name, str) else None


@lru_cache(maxsize=1024)
def _line(name: str) -> str | None:
    return one_line(name) or None


_TOP = ("meta", "round_records")


def saved_plays(values: Mapping[str, Any]) -> Plays:
    """What the object of a saved file holds; messages do not name the file.

    Raises
    ------
    DataError
    """
    saved = Saved.of(values)
    row = bench_game(_game(saved.meta, saved.records))
    return row.plays(n_players=saved.n_players, models=saved.models, **row.saved(saved))


def is_saved(values: object) -> bool:
    """Whether an object looks like a saved game: to tell it from logs that are JSON as well."""
    return isinstance(values, Mapping) and all(key in values for key in _TOP)


def _game(meta: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The game that a file is of: all of its keys are there; of several the one that is known by fewest."""
    for where, keys in enumerate((meta, records[0] if records else {})):
        signs = {name: bench_game(name).signs[where] for name in GAMMA_GAMES}
        names = [name for name, own in signs.items() if all(key in keys for key in own)]
        if names:
            return min(names, key=lambda name: len(signs[name]))
    raise DataError(
        f"meta has {shorten(', '.join(map(str, meta)))}, expected the keys of one of {', '.join(GAMMA_GAMES)}"
    )


_CONDITIONS = (
    *("version", "temperature", "chain_of_thought", "role", "wording", "language", "treatment"),
    *("partial", "save_point", "sweep", "stated_model"),
)
_OWN = ("name_", "folder_")


def is_condition(column: str) -> bool:
    """Whether a column is one that games of one model are kept apart by, whatever their runs."""
    return column in _CONDITIONS or column.startswith(_OWN)


_MODES: Mapping[str, tuple[str, str]] = {
    "explicit": ("mode", "explicit"),
    "implicit": ("mode", "implicit"),
    "first": ("price", "first"),
    "second": ("price", "second"),
}
"""Part of a name, or a folder, -> a parameter of the game and its value."""

_ROLES = ("cooperative", "selfish", "mathematician")
_ROLE_WORDS = ("collaborative and cooperative", "selfish and greedy", "mathematician")
"""What tells the three roles of the paper's table 7 in a prompt."""

_PHRASES = ("step by step", "step-by-step", "break this down", "bit of arithmetic", "our numerical command")
"""What tells the five chain-of-thought phrases in a prompt."""

_NUMBER = r"\d{1,4}(?:\.\d{1,4})?"
_KEYED: Mapping[str, re.Pattern[str]] = {
    "temperature": re.compile(rf"(?:t|temp|temperature)-?({_NUMBER})?"),
    "chain_of_thought": re.compile(r"(?:cot|chain-?of-?thought)-?(\d{1,3})?"),
    "role": re.compile(r"(?:role|persona)-?(\d{1,3})?"),
    "wording": re.compile(r"prompt-?(\d{1,3})?"),
    "n_players": re.compile(r"(?:players?-?)(\d{1,4})?|(\d{1,4})-?(?:players?|p)"),
    "rounds": re.compile(r"(?:rounds?-?)(\d{1,5})?|(\d{1,5})-?(?:rounds?|r)"),
}
"""Condition -> a part of a name, with its value where that is not the next part."""

_NEEDS_VALUE = frozenset({"temperature", "role", "wording", "n_players", "rounds"})
_VERSION = re.compile(r"v(\d{1,3})")
_SAVE = re.compile(r"savept(\d{1,3})?|(?:partial|checkpoint)(\d{1,3})?")
_LETTERED = re.compile(r"([a-z]{1,12})(\d{1,4}(?:\.\d{1,4})?)")
_RUN = re.compile(r"\d{1,6}", re.ASCII)

_ROUNDS = re.compile(
    r"(\d{1,5})\s+(?:consecutive\s+)?(?:rounds|stages|sessions|turns|games)\b|"
    r"rounds, specifically (\d{1,5})"
)
_DIGIT = re.compile(r"\d")
_LONGEST_ROLE = 600
_HIGHEST = 2.0
"""Temperatures above are none that a service takes."""
_LEVELS = 5
"""The last of the paper's levels 0 to 5 of a temperature, each .2 more."""


@dataclass(frozen=True)
class FileName:
    """What a file is called, cut into parts.

    Parameters
    ----------
    model : str
        Before the game's name; empty where there is none.
    game : str or None
    parts : tuple of str
        Behind it, or all where the name has no game.
    """

    model: str
    game: str | None
    parts: tuple[str, ...]

    @classmethod
    def of(cls, stem: str) -> FileName:
        """The name of a file without its suffix.

        Examples
        --------
        >>> FileName.of("gpt-4o_guessing_game_v1_t0.5_cot_3")
        FileName(model='gpt-4o', game='guessing', parts=('v1', 't0.5', 'cot', '3'))
        """
        for pattern, names in _game_patterns():
            if match := pattern.search(stem.casefold()):
                game = names[match[1].replace("-", "_")]
                return cls(stem[: match.start()].strip("_- "), game, _parts(stem[match.end() :]))
        return cls("", None, _parts(stem))


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("_") if part.strip("-"))


@cache
def _game_patterns() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    """Names of games within names of files, full ones and then short ones, each with name -> game."""
    full = {bench_game(game).templates.folder: game for game in GAMMA_GAMES}
    short = {name: game for game in GAMMA_GAMES for name in bench_game(game).short_names}
    return tuple((_either(names), names) for names in (full, short))


def _either(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    either = "|".join(re.escape(name).replace("_", "[_-]") for name in longest_first)
    return re.compile(rf"(?:^|(?<=[_-]))({either})(?=[_-]|$)")


@dataclass
class Conditions:
    """What is known of one game.

    Parameters
    ----------
    columns : dict of condition column -> value
    run : int or None
        Number at the end of the name.
    models : tuple of str or None, by seat
    personas : tuple of str or None, by seat
    language : str or None
    rounds_planned : int or None
        What the prompts say.
    remarks : list of str
        Kinds of remarks, the same for files alike, each about this file.
    """

    columns: dict[str, Any] = field(default_factory=dict)
    run: int | None = None
    models: tuple[str | None, ...] = ()
    personas: tuple[str | None, ...] = ()
    language: str | None = None
    rounds_planned: int | None = None
    remarks: list[str] = field(default_factory=list)


def temperature_scale(stems: Iterable[str]) -> str:
    """What whole numbers of temperature are in files of these names: ``level``, ``value``, or ``unknown``.

    Examples
    --------
    >>> temperature_scale(["bar_game_v1_t1", "bar_game_v1_t5"]), temperature_scale(["bar_game_v1_t1"])
    ('level', 'unknown')
    """
    values = [value for stem in stems for value in _temperatures(stem)]
    if any("." in value for value in values):
        return "value"
    return "level" if any(_HIGHEST < float(value) <= _LEVELS for value in values) else "unknown"


def _temperatures(stem: str) -> list[str]:
    parts = FileName.of(stem).parts
    matches = (_KEYED["temperature"].fullmatch(part.casefold()) for part in parts)
    return [match[1] for match in matches if match and match[1]]


def read_conditions(
    values: Mapping[str, Any],
    plays: Plays,
    stem: str,
    folders: Sequence[str] = (),
    *,
    scale: str = "unknown",
    rename: Mapping[str, str] | None = None,
) -> Conditions:
    """The conditions of a saved game.

    Parameters
    ----------
    values : mapping
        The object of the file.
    plays : Plays
        What it holds of play.
    stem : str
        Name of the file without its suffix.
    folders : sequence of str
        Names of the folders between the one that is read and the file.
    scale : {"level", "value", "unknown"}
        What whole numbers of temperature are, as `temperature_scale`.
    rename : mapping of column -> name that it is to have

    Returns
    -------
    Conditions
    """
    here = Conditions(models=plays.models)
    meta = values["meta"]
    name = FileName.of(stem)
    if name.game is None and isinstance(meta.get("name_exp"), str):
        other = FileName.of(meta["name_exp"])
        name = other if other.game is not None else name
    stated = _of_name(name, plays, scale, here)
    for depth, folder in enumerate(folders, start=1):
        _of_folder(folder, depth, plays, scale, stated, here)
    _version(meta, stated, here)
    _check_models(meta, plays, name.model, here)
    _prompts(values, plays, stated, here)
    here.columns.update(stated)
    _partial(plays, here)
    if rename:
        here.columns = {rename.get(column, column): value for column, value in here.columns.items()}
    return here


def _of_name(name: FileName, plays: Plays, scale: str, here: Conditions) -> dict[str, Any]:
    """What the parts of a name say, by column."""
    if name.game not in (None, plays.game):
        here.remarks.append(f"the name says {name.game}, and what was saved is {plays.game}: that counts")
    parts = list(name.parts)
    if parts and _RUN.fullmatch(parts[-1]):
        here.run = int(parts.pop())
    stated: dict[str, Any] = {}
    place = 0
    while place < len(parts):
        part, following = parts[place], parts[place + 1] if place + 1 < len(parts) else None
        used = _known(part.casefold(), following, plays, scale, stated, here)
        if not used and name.game is not None:
            column, value = _own_column(part, place + 1)
            stated[column] = value
            here.remarks.append(
                f"nobody knows what {one_line(part, 40)!r} in the name is: column {column} "
                f"(--map by=NAME:{column} calls it NAME)"
            )
        place += max(used, 1)
    return stated


def _own_column(part: str, place: int) -> tuple[str, str]:
    lettered = _LETTERED.fullmatch(part.casefold())
    return (f"name_{lettered[1]}", lettered[2]) if lettered else (f"name_part_{place}", one_line(part, 80))


def _known(
    part: str, following: str | None, plays: Plays, scale: str, stated: dict[str, Any], here: Conditions
) -> int:
    """How many parts a condition takes up from this one on; 0 of what is none."""
    if match := _VERSION.fullmatch(part):
        stated["version"] = f"v{match[1]}"
        return 1
    word = part.removesuffix("-price")
    if word in _MODES and hasattr(plays, _MODES[word][0]):
        _check_mode(word, plays, here)
        return 2 if following is not None and following.casefold() == "price" else 1
    if part in _ROLES:
        stated["role"] = part
        return 1
    if match := _SAVE.fullmatch(part):
        stated["partial"] = True
        if point := match[1] or match[2]:
            stated["save_point"] = point
        return 1
    lettered = _LETTERED.fullmatch(part)
    if lettered and lettered[1] in bench_game(plays.game).sweeps:
        stated["sweep"] = part
        return 1
    for column, pattern in _KEYED.items():
        match = pattern.fullmatch(part)
        if match is None:
            continue
        value, used = next((group for group in match.groups() if group), None), 1
        if value is None and following is not None and re.fullmatch(_NUMBER, following):
            value, used = following, 2
        if value is None and column in _NEEDS_VALUE:
            return 0
        return used if _take(column, value, plays, scale, stated, here) else 0
    if part in LANGUAGES or part in LANGUAGE_ALIASES:
        here.language = canonical_language(part)
        return 1
    return 0


def _take(
    column: str, value: str | None, plays: Plays, scale: str, stated: dict[str, Any], here: Conditions
) -> bool:
    """Put the value of a condition where it belongs; whether it is one."""
    if column in ("n_players", "rounds"):
        actual = getattr(plays, column)
        if value is not None and int(float(value)) != actual:
            what = column.removeprefix("n_")
            here.remarks.append(f"the name says {value} {what}, and what was saved has {actual}: that counts")
        return True
    if column == "temperature":
        return _temperature(str(value), scale, stated, here)
    if column == "role":
        number = int(str(value))
        if not 1 <= number <= len(_ROLES):
            return False
        stated["role"] = _ROLES[number - 1]
        return True
    stated[column] = "yes" if value is None else value
    return True


def _temperature(text: str, scale: str, stated: dict[str, Any], here: Conditions) -> bool:
    value = float(text)
    if "." not in text and value and scale != "value":
        if value > _LEVELS:
            return False
        if scale == "unknown" and value <= _HIGHEST:
            stated["name_t"] = text
            here.remarks.append(
                f"t{text} in the name is temperature {text}, or level {text} of 0, .2, …, 1: column name_t "
                "(--map by=temperature:name_t says the first)"
            )
            return True
        stated["temperature"] = value / _LEVELS
        here.remarks.append("t0 to t5 in names are taken for temperatures 0, .2, …, 1 (the paper's table 5)")
        return True
    if value > _HIGHEST:
        return False
    stated["temperature"] = value
    return True


def _check_mode(word: str, plays: Plays, here: Conditions) -> None:
    parameter, value = _MODES[word]
    if getattr(plays, parameter) != value:
        actual = getattr(plays, parameter)
        here.remarks.append(f"the name says {word}, and what was saved is {actual}: that counts")


def _of_folder(
    folder: str, depth: int, plays: Plays, scale: str, stated: dict[str, Any], here: Conditions
) -> None:
    """What a folder's name says beside the game: the same parts; of one that says nothing else a column."""
    name = FileName.of(folder)
    if name.game is not None and not name.parts and not name.model:
        if name.game != plays.game:
            here.remarks.append(
                f"the folder says {name.game}, and what was saved is {plays.game}: that counts"
            )
        return
    parts = list(_parts(folder))
    own: dict[str, Any] = {}
    place = 0
    while place < len(parts):
        following = parts[place + 1] if place + 1 < len(parts) else None
        used = _known(parts[place].casefold(), following, plays, scale, own, here)
        if not used:
            stated[f"folder_{depth}"] = one_line(folder, 80)
            return
        place += used
    for column, value in own.items():
        if column in stated and stated[column] != value:
            here.remarks.append(f"the name and the folder differ in {column}: the name counts")
        stated.setdefault(column, value)


def _version(meta: Mapping[str, Any], stated: dict[str, Any], here: Conditions) -> None:
    saved = meta.get("version")
    if not isinstance(saved, str):
        return
    if "version" in stated and stated["version"] != saved:
        here.remarks.append("the name and the file differ in the version: the file counts")
    stated["version"] = one_line(saved)


def _check_models(meta: Mapping[str, Any], plays: Plays, stated: str, here: Conditions) -> None:
    """The models that the file says; one that only the name or ``meta`` says more exactly is a condition."""
    stated = one_line(stated) if stated else ""
    own = plays.model
    if own is None:
        if stated:
            here.models = (stated,) * plays.n_players
            here.remarks.append("no model is saved: the one of the name counts")
        return
    of_meta = next((meta[key] for key in ("model", "models") if isinstance(meta.get(key), str)), "")
    for other, where in ((stated, "name"), (one_line(of_meta), "meta")):
        if other and not own.casefold().startswith(other.casefold()):
            here.columns["stated_model"] = other
            here.remarks.append(
                f"the {where} says model {shorten(other, 40)}, the players {shorten(own, 40)}: the players' "
                "counts, the other is column stated_model"
            )
            return


def _prompts(values: Mapping[str, Any], plays: Plays, stated: dict[str, Any], here: Conditions) -> None:
    """Roles, rounds and phrases that prompts tell; they count where a name says otherwise."""
    players = values.get("player_data") or []
    prompts = [prompt if isinstance(prompt := player.get("prompt"), list) else [] for player in players]
    if not any(prompts):
        return
    openings = ["".join(map(_text, prompt[:1])) for prompt in prompts]
    here.personas = tuple(map(_role, openings))
    roles = dict.fromkeys(here.personas)
    role = next(iter(roles)) if len(roles) == 1 else "mixed"
    if "role" in stated and stated["role"] != role:
        got = "no role" if role is None else shorten(role, 40)
        here.remarks.append(
            f"the name says role {stated['role']}, the prompts {got}: the prompts count, the name's is "
            "column name_role"
        )
        stated["name_role"] = stated.pop("role")
    elif role is not None and "role" not in stated:
        here.remarks.append(f"the prompts give a role that the name does not tell ({shorten(role, 40)})")
    if role is not None:
        stated["role"] = role
    match = _ROUNDS.search(openings[0][:4000])
    if match and not bench_game(plays.game).sequential:
        here.rounds_planned = int(match[1] or match[2])
    _phrase(prompts[0], stated, here)


def _phrase(prompt: Sequence[object], stated: dict[str, Any], here: Conditions) -> None:
    """Requests are saved with some models alone, in every round; a phrase that is not there says nothing."""
    whole = "\n".join(map(_text, (*prompt[1:4], *prompt[-3:]))).casefold()
    phrase = next((str(i) for i, words in enumerate(_PHRASES, start=1) if words in whole), None)
    if phrase is None:
        if "chain_of_thought" in stated:
            here.remarks.append("chain_of_thought is from names alone: these files do not keep the requests")
        return
    if stated.get("chain_of_thought") not in (None, "yes", phrase):
        here.remarks.append(
            "the name and the prompts differ in the chain of thought: the prompts count, the name's is "
            "column name_cot"
        )
        stated["name_cot"] = stated["chain_of_thought"]
    stated["chain_of_thought"] = phrase


def _text(message: object) -> str:
    """The text of a message that was saved, in either form that upstream has; no text of anything else."""
    if not isinstance(message, dict):
        return ""
    content = message.get("content", message.get("parts"))
    if isinstance(content, list):
        return "\n".join(piece for piece in content if isinstance(piece, str))
    return content if isinstance(content, str) else ""


@lru_cache(maxsize=4096)
def _role(opening: str) -> str | None:
    """The role in the first paragraph of a description, which without one tells the number of players."""
    text = opening.strip()
    head, blank, _ = text.partition("\n\n")
    if not blank or not head or len(head) > _LONGEST_ROLE or _DIGIT.search(head):
        return None
    folded = head.casefold()
    for role, words in zip(_ROLES, _ROLE_WORDS, strict=True):
        if words in folded:
            return role
    return one_line(head)


_PAPER_ROUNDS = 20


def _partial(plays: Plays, here: Conditions) -> None:
    """Whether the game was saved before its end: by its name, by its prompts, or as play was not over."""
    planned = here.rounds_planned
    early = planned is not None and plays.rounds < planned
    if not early and bench_game(plays.game).sequential:
        early = not plays.over and plays.rounds < _PAPER_ROUNDS
    if here.columns.get("partial") and not early and planned is not None:
        here.remarks.append(
            "the name says that it was saved before the end, and the prompts tell of no more rounds: it is "
            "partial all the same"
        )
    here.columns["partial"] = bool(here.columns.get("partial")) or early
