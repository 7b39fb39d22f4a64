"""Sets of strategies wherever one is named: a shipped set, names, a file of one's own, values from Python.

A file is YAML, of which this module knows the keys, or Python, which a higher room reads without running it
here and hands over as the same keys (group `READERS`). Either way the result is automata, checked one by one:
what a file says is stored as tables with whatever was made from it, so that nothing needs the file again.

An automaton answers one other player. Among several it answers their number: the others "cooperated" when at
least k of them did (`ThresholdStrategy`). The automata stay those of the table; k is the only thing added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeGuard

from pydantic import BeforeValidator, Field, model_validator

from intent.base.errors import DataError, IntentError, StrategyError, UsageError, nearest, one_line, shorten
from intent.base.files import require_file
from intent.base.registry import load, point
from intent.base.settings import Document, Values, checked, read_document
from intent.strategies.catalogue import OUTCOMES, SETS, Memory, Strategy, named_set, same_play, strategy

__all__ = [
    "MOST_AUTOMATA",
    "MOST_STATES",
    "MOST_STRATEGIES",
    "READERS",
    "SIGN",
    "SUFFIXES",
    "Naming",
    "OwnSet",
    "ThresholdStrategy",
    "facts_of",
    "is_set_file",
    "listens",
    "names_and_own",
    "own_strategies",
    "placed",
    "read_set",
    "read_strategy",
    "read_tables",
    "set_of_values",
    "strategies_in",
    "strategy_set",
    "strategy_table",
    "strategy_tables",
    "threshold_strategies",
    "without_files",
]


Naming = str | Path | Sequence[str | Path | Strategy]
"""How strategies are named: a set, names with commas, a file, or several names, files and strategies."""

READERS = "intent.strategy_files"
"""Group of entry points by suffix: a function of the path of a file to the `Document` of its set."""

SUFFIXES = (".yaml", ".yml", ".json", ".py")
"""What the name of a file of strategies ends with."""

MOST_STRATEGIES, MOST_STATES = 200, 256
"""Of a set, and of an automaton."""

TABLES = "strategy_tables"
"""Key of provenance."""

_LONGEST_TEXT = 2000
_NAME = re.compile(r"\w[\w .+-]{0,79}")
_RESERVED = frozenset(
    {"self", "human", "recorded", "mixture", "confident", "ambiguous", "low_confidence", "no_fit", "none"}
)
"""Words that stand for something else where strategies are named or counted."""


def _number(value: Any) -> Any:
    """A fraction such as ``8/9`` as a number, which decimals cannot say."""
    if isinstance(value, str) and (match := re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", value)):
        return int(match[1]) / int(match[2]) if int(match[2]) else value
    return value


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Chance = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1)]
Name = Annotated[str, BeforeValidator(_text)]
Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]


class StateValues(Values):
    """A state: the probability of cooperating, and the next state after each outcome, own move first.

    ``C`` and ``D`` say the next state after that move of the other, whatever the own one; ``next`` says it
    for all outcomes that are not named.
    """

    cooperate: Chance
    CC: Name | None = None
    CD: Name | None = None
    DC: Name | None = None
    DD: Name | None = None
    C: Name | None = None
    D: Name | None = None
    next: Name | None = None

    def after(self, outcome: str) -> str | None:
        """Name of the next state."""
        exact, by_other = getattr(self, outcome), getattr(self, outcome[1])
        name: str | None = exact if exact is not None else by_other if by_other is not None else self.next
        return name


class MemoryOneValues(Values):
    """Probability of cooperating first, and after each outcome, own move first."""

    first: Chance
    CC: Chance
    CD: Chance
    DC: Chance
    DD: Chance

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        if len(value) != 5:
            raise ValueError(f"{len(value)} probabilities, expected five: first, CC, CD, DC, DD")
        return dict(zip(("first", *OUTCOMES), value, strict=True))


class EntryValues(Values):
    """One strategy: the catalogue's, a memory-one vector, or states."""

    name: Name | None = None
    same_as: str | None = None
    memory_one: MemoryOneValues | None = None
    states: dict[str, StateValues] | None = Field(default=None, min_length=1, max_length=MOST_STATES)
    start: Name | None = None
    memory: Memory | None = None
    synonyms: tuple[Name, ...] = Field(default=(), max_length=20)
    rule: Text = ""
    citation: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        return {"same_as": value} if isinstance(value, str) else value


class SetValues(Values):
    """A file of strategies."""

    name: str = ""
    citation: Text = ""
    memory: Memory | None = None
    strategies: tuple[EntryValues, ...] = Field(min_length=1, max_length=MOST_STRATEGIES)


@dataclass(frozen=True)
class OwnSet:
    """Strategies of a file.

    Attributes
    ----------
    name : str
    strategies : tuple of Strategy, in the order of the file
    citation : str
    """

    name: str
    strategies: tuple[Strategy, ...]
    citation: str = ""


def is_set_file(name: object) -> TypeGuard[str | Path]:
    """Whether a name is that of a file: a Path, or a text that ends as one."""
    return isinstance(name, Path) or (
        isinstance(name, str) and name.strip().casefold().endswith(SUFFIXES) and "," not in name
    )


def strategy_set(names: Naming, own: Sequence[Strategy] = ()) -> tuple[Strategy, ...]:
    """Strategies of a set, of names separated by commas, of a file, or of a list of these and of strategies.

    Parameters
    ----------
    names : str, Path, or sequence of str, Path and Strategy
        A shipped set (``canonical4``, ``df2011``), names (``TFT,GTFT(0.1)``), a file that ends in .yaml,
        .yml, .json or .py, or several of these.
    own : sequence of Strategy
        Further strategies that names may mean.

    Returns
    -------
    tuple of Strategy

    Raises
    ------
    UnknownNameError
        A name that is neither a set nor a strategy.
    StrategyError
        An empty list, one that names a strategy twice, or two from files that no play can tell apart.
    DataError
        A file that is none of strategies; the message names the line.

    Examples
    --------
    >>> [s.name for s in strategy_set("canonical4")]
    ['ALLC', 'ALLD', 'TFT', 'WSLS']
    """
    parts = _parts(names)
    members = named_set(without_files(names), own)
    if len(parts) > 1 and any(map(is_set_file, parts)):
        _check_different(members, "these strategies")
    return members


def without_files(names: Naming) -> str | list[str | Strategy]:
    """The same with the strategies of files in their place; a text that names no file as it is.

    Raises
    ------
    DataError, StrategyError
        As `read_set`.
    """
    parts = _parts(names)
    if isinstance(names, str) and not any(is_set_file(part) for part in parts):
        return names
    chosen: list[str | Strategy] = []
    for part in parts:
        chosen += read_set(part).strategies if isinstance(part, Path) or is_set_file(part) else [part]
    return chosen


def _parts(names: Naming) -> list[str | Path | Strategy]:
    if isinstance(names, Path) or is_set_file(names):
        return [names]
    if isinstance(names, str):
        return [part.strip() for part in names.split(",") if part.strip()]
    return list(names)


def placed(names: Any, folder: Path) -> Any:
    """What names strategies in a file, with files of strategies relative to that file's folder."""
    if isinstance(names, str):
        if not any(is_set_file(part) for part in names.split(",")):
            return names
        return ",".join(_in_folder(part.strip(), folder) for part in names.split(","))
    if isinstance(names, list | tuple):
        return [placed(name, folder) if isinstance(name, str) else name for name in names]
    return names


def _in_folder(part: str, folder: Path) -> str:
    return str(folder / part) if is_set_file(part) else part


def names_and_own(names: Any, called: str = "strategies") -> tuple[str, tuple[Strategy, ...]]:
    """Strategies as text that needs no file: names with commas, and the strategies that the catalogue lacks.

    Parameters
    ----------
    names : as `strategy_set`, or a list of values as a file of strategies has them
    called : str, what stands in errors

    Returns
    -------
    text : str, the name of the set as it is where there is no strategy of one's own
    own : tuple of Strategy
    """
    if isinstance(names, str) and not any(is_set_file(part) for part in names.split(",")):
        return names, ()
    if isinstance(names, list | tuple) and any(isinstance(name, Mapping) for name in names):
        chosen = set_of_values(Document({"strategies": list(names)}), called).strategies
    else:
        chosen = strategy_set(names)
    own = own_strategies(chosen)
    try:
        for s in own:
            _check_clash(s.name, s)
    except _ValueError as error:
        raise StrategyError(f"{called}: {error}") from None
    return ",".join(s.name for s in chosen), own


def own_strategies(strategies: Iterable[Strategy]) -> tuple[Strategy, ...]:
    """Those that are not the catalogue's of that name."""
    return tuple(s for s in strategies if not _is_catalogued(s))


def _is_catalogued(s: Strategy) -> bool:
    try:
        return strategy(s.name) == s
    except IntentError:
        return False


def read_set(source: str | Path) -> OwnSet:
    """The strategies of a file.

    Parameters
    ----------
    source : path of a .yaml, .yml or .json file of `SetValues`, or a .py file

    Raises
    ------
    DataError
        No such file, or a value that cannot be, with its line; an unknown key with the nearest known ones.
    StrategyError
        Two strategies of one name, or that no play can tell apart.
    UsageError
        A suffix that is none of these.
    """
    path = Path(source)
    suffix = path.suffix.casefold()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: expected a file of strategies that ends in {', '.join(SUFFIXES)}")
    require_file(path)
    if suffix != ".py":
        return set_of_values(read_document(path, listed="strategies"), path.name)
    reader = point(READERS, suffix.lstrip("."))
    if reader is None:
        raise UsageError(f"{path}: nothing here reads Python; expected a .yaml file of strategies")
    document: Document = load(reader)(path)
    return set_of_values(document, path.name)


def set_of_values(document: Document, called: str) -> OwnSet:
    """The strategies of a mapping as a file has it.

    Parameters
    ----------
    document : Document of `SetValues`
    called : str, what stands in an error where no line is known

    Raises
    ------
    DataError, StrategyError
        As `read_set`.
    """
    values = checked(SetValues, document, called=called)
    members = []
    for i, entry in enumerate(values.strategies):
        path = ("strategies", i)
        try:
            members.append(_strategy(entry, values))
        except _ValueError as error:
            where = document.where((*path, *error.path)) or called
            raise DataError(f"{where}: {error}") from None
        except IntentError as error:
            raise DataError(f"{document.where(path) or called}: {error}") from None
    _check_names(members, called)
    _check_different(members, called)
    return OwnSet(values.name or Path(called).stem, tuple(members), values.citation)


class _ValueError(IntentError):
    """What is wrong with a strategy, and below which of its keys."""

    def __init__(self, path: tuple[str, ...], what: str) -> None:
        super().__init__(what)
        self.path = path


def _strategy(entry: EntryValues, values: SetValues) -> Strategy:
    """The automaton of one entry.

    Raises
    ------
    IntentError
    """
    forms = [key for key in ("same_as", "memory_one", "states") if getattr(entry, key) is not None]
    label = entry.name or entry.same_as or "a strategy"
    if len(forms) != 1:
        got = " and ".join(forms) or "none of them"
        raise _ValueError((), f"{shorten(label)} has {got}, expected one of same_as, memory_one, states")
    if entry.name is None and entry.same_as is None:
        raise _ValueError((forms[0],), "a strategy without a name, expected name: NAME beside it")
    if entry.start is not None and entry.states is None:
        raise _ValueError(("start",), f"{shorten(label)}: start is a state, but there are no states")
    memory = entry.memory or values.memory
    texts: dict[str, Any] = {
        "synonyms": tuple(_checked_name(name, "synonyms") for name in entry.synonyms),
        "rule": _line(entry.rule),
        "citation": _line(entry.citation or values.citation),
    }
    if entry.same_as is not None:
        base = strategy(entry.same_as)
        own = {key: text for key, text in texts.items() if text and (key != "citation" or entry.citation)}
        if entry.name is not None:
            own |= {"name": _checked_name(entry.name), "synonyms": texts["synonyms"]}
        automaton = replace(base, **own)
    elif entry.memory_one is not None:
        vector = [getattr(entry.memory_one, key) for key in ("first", *OUTCOMES)]
        automaton = Strategy.memory_one(_checked_name(entry.name), *vector, **texts)
    else:
        automaton = _of_states(entry, texts)
    automaton = automaton if memory is None else automaton.with_memory(memory)
    if entry.name is not None:
        for name in (automaton.name, *texts["synonyms"]):
            _check_clash(name, automaton)
    return automaton


def _of_states(entry: EntryValues, texts: Mapping[str, Any]) -> Strategy:
    states = entry.states
    assert states is not None
    name, place = _checked_name(entry.name), {key: i for i, key in enumerate(states)}

    def index(key: str, path: tuple[str, ...], what: str) -> int:
        if key not in place:
            near = nearest(key, place)
            hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(list(place)[:9])}"
            raise _ValueError(path, f"{name}: {what} is {shorten(repr(key))}, which is no state; {hint}")
        return place[key]

    rows = []
    for key, state in states.items():
        row = []
        for outcome in OUTCOMES:
            following = state.after(outcome)
            if following is None:
                missing = f"{outcome} ({outcome[1]}, or next)"
                raise _ValueError(("states", key), f"{name}: state {shorten(key)} misses {missing}")
            row.append(index(following, ("states", key), f"the state after {outcome} in {shorten(key)}"))
        rows.append((row[0], row[1], row[2], row[3]))
    start = 0 if entry.start is None else index(entry.start, ("start",), "start")
    chances = tuple(state.cooperate for state in states.values())
    automaton = Strategy(name, chances, tuple(rows), start, **texts)
    lost = [key for key, i in place.items() if i not in automaton.reachable()]
    if lost:
        what = f"{name}: state {shorten(lost[0])} is never reached from {list(states)[start]}"
        raise _ValueError(("states", lost[0]), what)
    return automaton


def _line(text: str) -> str:
    return one_line(text, _LONGEST_TEXT) if text else ""


def _checked_name(name: str | None, key: str = "name") -> str:
    """A name that can be told from everything else that is said where strategies are named."""
    assert name is not None
    plain = name.strip()
    if not _NAME.fullmatch(plain) or plain.casefold().endswith(SUFFIXES):
        got = shorten(repr(name))
        raise _ValueError(
            (key,), f"name {got}, expected letters, digits, spaces and . + - _ (at most 80, no file's name)"
        )
    if plain.casefold() in _RESERVED or plain in SETS:
        raise _ValueError((key,), f"name {shorten(repr(name))} means something else, expected another one")
    return plain


def _check_clash(name: str, automaton: Strategy) -> None:
    """Refuse the name of a strategy of the catalogue for another one: logs and labels hold names alone.

    Its table with the other memory semantics passes, as in the shipped sets.
    """
    try:
        known = strategy(name)
    except IntentError:
        _checked_name(name)
        return
    if not same_play(known.with_memory(automaton.memory), automaton):
        also = "" if known.name.casefold() == name.casefold() else f" (a synonym of {known.name})"
        raise _ValueError(
            ("name",),
            f"{name}{also} is in the catalogue with another table, expected another name, or "
            f"same_as: {known.name}",
        )


def _check_names(members: Sequence[Strategy], called: str) -> None:
    """Refuse names, synonyms included, that two strategies share but for their case."""
    owner: dict[str, Strategy] = {}
    for member in members:
        for name in (member.name, *member.synonyms):
            other = owner.setdefault(name.casefold(), member)
            if other is not member:
                both = f"{other.name} and {member.name}" if other.name != member.name else member.name
                raise StrategyError(f"{called}: the name {name!r} is there twice ({both}), expected it once")


def _check_different(members: Sequence[Strategy], called: str) -> None:
    """Refuse two strategies that are one automaton: every label of either would be ambiguous."""
    for i, one in enumerate(members):
        for other in members[i + 1 :]:
            if same_play(one, other):
                raise StrategyError(
                    f"{called}: {one.name} and {other.name} are the same automaton, which no play can tell "
                    "apart; leave one of them out"
                )


def strategy_table(s: Strategy) -> dict[str, Any]:
    """A strategy as JSON, without its texts; `read_strategy` takes it back."""
    return {
        "name": s.name,
        "p_cooperate": list(s.p_cooperate),
        "next_state": [list(row) for row in s.next_state],
        "start": s.start,
        "memory": s.memory,
    }


def strategy_tables(strategies: Iterable[Strategy]) -> list[dict[str, Any]]:
    """Strategies of one's own, those that the catalogue lacks, as JSON with their texts."""
    return [
        {
            **strategy_table(s),
            **{key: text for key in ("rule", "citation") if (text := getattr(s, key))},
            **({"synonyms": list(s.synonyms)} if s.synonyms else {}),
        }
        for s in own_strategies(strategies)
    ]


def facts_of(strategies: Iterable[Strategy]) -> dict[str, Any]:
    """What provenance keeps of strategies whose names alone do not say what they are, else nothing.

    Shipped sets are known by their names, whatever their memory.
    """
    chosen = tuple(strategies)
    if all(_is_catalogued(s) or _is_variant(s) for s in chosen):
        return {}
    return {TABLES: strategy_tables(chosen)}


def strategies_in(facts: Mapping[str, Any]) -> tuple[Strategy, ...]:
    """The strategies of one's own that provenance keeps.

    Raises
    ------
    StrategyError
        As `read_tables`.
    """
    return read_tables(facts.get(TABLES) or ())


def _is_variant(s: Strategy) -> bool:
    """Whether it is a table of the catalogue with other memory semantics."""
    try:
        return strategy(s.name).with_memory(s.memory) == s
    except IntentError:
        return False


def read_strategy(table: Mapping[str, Any]) -> Strategy:
    """The strategy of a table of name, p_cooperate, next_state, start and memory; texts where it has them.

    Raises
    ------
    StrategyError
        The table is no automaton, or a state is not a whole number.
    """
    try:
        states = [table["start"], *(t for row in table["next_state"] for t in row)]
        if any(type(t) is not int for t in states):
            raise StrategyError(f"strategy {shorten(table['name'])} has a state that is no whole number")
        return Strategy(
            table["name"],
            tuple(map(float, table["p_cooperate"])),
            tuple((cc, cd, dc, dd) for cc, cd, dc, dd in table["next_state"]),
            table["start"],
            memory=table["memory"],
            rule=_stored_text(table, "rule"),
            citation=_stored_text(table, "citation"),
            synonyms=tuple(str(name)[:80] for name in table.get("synonyms") or ()),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"{type(error).__name__}: {error}"
        raise StrategyError(f"a stored strategy cannot be read ({shorten(what)})") from None


def _stored_text(table: Mapping[str, Any], key: str) -> str:
    text = table.get(key, "")
    return _line(text) if isinstance(text, str) else ""


def read_tables(tables: Any) -> tuple[Strategy, ...]:
    """The strategies of a stored list of tables, which may come from anyone.

    Raises
    ------
    StrategyError
        No list of tables, more of them than a set has, or a name that is none.
    """
    if not isinstance(tables, list | tuple) or len(tables) > MOST_STRATEGIES:
        raise StrategyError(
            f"stored strategies are {shorten(tables)}, expected at most {MOST_STRATEGIES} tables"
        )
    members = []
    for table in tables:
        if not isinstance(table, Mapping):
            raise StrategyError(f"a stored strategy is {shorten(table)}, expected a table")
        name, states = table.get("name"), table.get("p_cooperate")
        if not isinstance(name, str) or not name.isprintable() or not 1 <= len(name) <= 200:
            raise StrategyError(
                f"a stored strategy is called {shorten(repr(name))}, expected a printable name"
            )
        if not isinstance(states, list | tuple) or len(states) > 10 * MOST_STATES:
            raise StrategyError(f"stored strategy {shorten(name)} has states {shorten(states)}")
        members.append(read_strategy(table))
    return tuple(members)


SIGN = ">="
"""Between name and threshold, as in ``TFT>=2``."""

MOST_AUTOMATA = 200
"""Pairs of strategy and threshold that are fitted at a time."""


@dataclass(frozen=True)
class ThresholdStrategy:
    """A strategy that takes the others to have cooperated when at least `k` of them did.

    Parameters
    ----------
    strategy : Strategy
    k : int, at least 1, or None
        None where the strategy does not listen to others, such as ALLC: any threshold is the same.

    Raises
    ------
    StrategyError
        A threshold below 1, none for a strategy that listens, or one for a strategy that does not.

    References
    ----------
    Boyd & Richerson 1988, Journal of Theoretical Biology 132:337 (T_k, "cooperate if at least k others did").
    """

    strategy: Strategy
    k: int | None

    def __post_init__(self) -> None:
        if (self.k is not None) != listens(self.strategy) or (self.k is not None and self.k < 1):
            expected = "a threshold of at least 1" if listens(self.strategy) else "none: it does not listen"
            raise StrategyError(f"{self.strategy.name}: threshold {self.k}, expected {expected}")

    @property
    def name(self) -> str:
        """``TFT>=2``; the strategy's own name where it does not listen."""
        return self.strategy.name if self.k is None else f"{self.strategy.name}{SIGN}{self.k}"

    @property
    def memory(self) -> Memory:
        """What the automaton remembers of its own moves."""
        return self.strategy.memory

    def with_memory(self, memory: Memory) -> ThresholdStrategy:
        """The same with the other memory semantics."""
        return ThresholdStrategy(self.strategy.with_memory(memory), self.k)


def listens(s: Strategy) -> bool:
    """Whether what the others do can matter: in some state that is reached they decide on the next one."""
    rows = (s.next_state[state] for state in s.reachable())
    return any(cc != cd or dc != dd for cc, cd, dc, dd in rows)


def threshold_strategies(names: str | Sequence[str | Strategy], most: int) -> tuple[ThresholdStrategy, ...]:
    """Strategies with every threshold that there can be, or with the one that is named.

    Parameters
    ----------
    names : set name, comma-separated names, or sequence of names and Strategy
        ``TFT`` stands for ``TFT>=1`` .. ``TFT>=most``, and ``TFT>=2`` for itself.
    most : int, the largest number of others

    Raises
    ------
    UnknownNameError
        A name that is neither a set nor a strategy.
    StrategyError
        A threshold that no number of others can meet, a pair listed twice, or more than 200 pairs.

    Examples
    --------
    >>> [s.name for s in threshold_strategies("ALLC,TFT,GRIM>=2", 2)]
    ['ALLC', 'TFT>=1', 'TFT>=2', 'GRIM>=2']
    """
    parts: Sequence[str | Strategy]
    if isinstance(names, str):
        parts = named_set(names) if names in SETS else [p for p in names.split(",") if p.strip()]
    else:
        parts = names
    pairs: list[ThresholdStrategy] = []
    for part in parts:
        name, sign, text = part.rpartition(SIGN) if isinstance(part, str) else ("", "", "")
        if sign:
            pairs.append(ThresholdStrategy(strategy(name), _threshold(str(part), text, most)))
            continue
        s = strategy(part) if isinstance(part, str) else part
        if listens(s) and most + len(pairs) > MOST_AUTOMATA:
            raise StrategyError(
                f"{s.name} with thresholds 1 to {most:,} makes more than {MOST_AUTOMATA} automata; "
                f"name some, as in {s.name}{SIGN}1,{s.name}{SIGN}{most}"
            )
        pairs += (
            [ThresholdStrategy(s, k) for k in range(1, most + 1)]
            if listens(s)
            else [ThresholdStrategy(s, None)]
        )
    all_names = [s.name for s in pairs]
    twice = sorted({name for name in all_names if all_names.count(name) > 1})
    if twice:
        raise StrategyError(f"strategy listed twice: {', '.join(twice)}")
    if not pairs or len(pairs) > MOST_AUTOMATA:
        raise StrategyError(f"{len(pairs)} pairs of strategy and threshold, expected 1 to {MOST_AUTOMATA}")
    return tuple(pairs)


def _threshold(part: str, text: str, most: int) -> int:
    k = int(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 8 else 0
    if not 1 <= k <= most:
        raise StrategyError(
            f"strategy {shorten(part)!r}: expected a threshold of 1 to {most}, the others there are"
        )
    return k
