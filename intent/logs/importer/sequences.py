"""Whole games in a cell: ``CCDC``, ``C,C,D``, lists of JSON, moves of one player or of both.

A column of each seat is kept in a mapping as ``ONE | TWO``; one column with both moves of every round
(``CD CC DD``, ``[["C", "D"], …]``) is kept twice, as the own moves and as the other's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from intent.base.errors import DataError
from intent.base.files import bounds
from intent.logs.importer.columns import Column, seatings, tokens_of
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import LongTable, Proposal, Reason, Shape, kind_word
from intent.logs.importer.wide import is_id, lay_out_wide, needs, with_players
from intent.logs.importer.words import ROLES
from intent.logs.readers.arrays import TidyTable
from intent.logs.readers.reader import Settings

__all__ = ["SHAPES", "possible_sequences"]

_BAR = " | "
_PLURALS = frozenset(word + "s" for word in ROLES["action"])
"""Words for all moves of a game."""

_OPEN = ("", "action", "strategy", "player")
"""Roles of columns that may hold moves all the same: ``agent1_strategies``, ``player1``."""

_FEWEST = 3
"""Rounds of the longest game of a column that holds whole games."""

_LABELS = 3
"""Most different moves of such a column, a stray one among them."""

_WHOLE = 5.0
"""What it speaks for a reading that cells are whole games, and not moves of as many letters."""

_SAMPLE = 500
_BETWEEN = ",;|-[]() \t"
_TOKEN = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^\s,;|\-\[\]()'\"]+)")
_AMOUNT = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_INNER = re.compile(r"[\[(]([^\[\]()]*)[\])]")
_OF_ROUND = re.compile(r"['\"]?(\w+?)[-/_]?(\w)['\"]?")


def _tokens(text: str) -> list[str]:
    """The moves of a cell: ``CCDC``, ``C,D,C``, ``C-D``, ``['C', 'D']``; empty where it is no sequence."""
    bare = text.strip()
    if not re.search(r"[,;|\-\s\[]", bare):
        return list(bare)
    if _is_nested(bare) or _TOKEN.sub("", bare).strip(_BETWEEN):
        return []
    return [a or b or c for a, b, c in _TOKEN.findall(bare)]


def _amounts(text: str) -> list[str]:
    """The numbers of a cell: ``[3, 0, -1]``; empty where it holds anything else."""
    bare = text.strip()
    return _AMOUNT.findall(bare) if not _AMOUNT.sub("", bare).strip(",;|[]() \t") else []


def _is_nested(text: str) -> bool:
    """Whether a cell is a list of lists."""
    return text[:1] in ("[", "(") and bool(re.search(r"[\[(]", text[1:]))


def _lists(text: str) -> list[list[str]]:
    """The lists in a cell: ``[["C", "D"], …]``, ``C,D;C,C``, ``CD CC``; empty where it holds none."""
    bare = text.strip()
    if _is_nested(bare):
        return [[a or b or c for a, b, c in _TOKEN.findall(inner)] for inner in _INNER.findall(bare)]
    if re.search("[;|]", bare) and re.search(r"[;|][^;|]*,", bare):
        return [_tokens(part) for part in re.split("[;|]", bare)]
    pairs = [_OF_ROUND.fullmatch(part) for part in re.split(r"[,;|\s]+", bare.strip("[]() \t"))]
    return [[m[1], m[2]] for m in pairs if m] if all(m and len(m[1]) == 1 for m in pairs) else []


def _come_first(texts: Sequence[str]) -> str:
    """Whether lists are ``rounds`` or ``players``; empty where nothing tells.

    Lists of two are rounds, two lists of any other length players. A column of lists of which all games have
    two rounds may be either; two letters side by side are a round.
    """
    games = [lists for lists in map(_lists, texts) if lists]
    if all(len(one) == 2 for lists in games for one in lists):
        either = all(len(lists) == 2 for lists in games) and any(map(_is_nested, texts))
        return "" if either else "rounds"
    alike = all(len(lists) == 2 and len(lists[0]) == len(lists[1]) for lists in games)
    return "players" if alike else ""


def _both(text: str, first: str) -> tuple[list[str], list[str]]:
    """The moves of both players in a cell, by what its lists are; those that are cut short are left out."""
    lists = _lists(text)
    if first == "players":
        return (lists[0], lists[1]) if len(lists) == 2 else ([], [])
    pairs = [(one[0], one[1]) if len(one) == 2 else ("", "") for one in lists]
    return [own for own, _ in pairs], [other for _, other in pairs]


def _holds_both(column: Column) -> bool:
    """Whether cells hold both moves of every round."""
    sample = [text for text in column.filled[:_SAMPLE] if len(text) <= bounds().field]
    if not sample or not all(map(_lists, sample)) or not (first := _come_first(sample)):
        return False
    games = [_both(text, first) for text in sample]
    own, other = ({label for game in side for label in game} for side in zip(*games, strict=True))
    differ = any(a != b for one, two in games for a, b in zip(one, two, strict=True))
    longest = max(len(one) for one, _ in games)
    return longest >= _FEWEST and differ and bool(own & other) and len(own | other) <= _LABELS


def _holds_moves(column: Column) -> bool:
    """Whether cells are sequences of two or so labels, of several rounds."""
    labels: set[str] = set()
    longest = 0
    sample = column.filled[:_SAMPLE]
    for text in sample:
        moves = _tokens(text) if len(text) <= bounds().field else []
        if not moves:
            return False
        labels.update(moves)
        longest = max(longest, len(moves))
        if len(labels) > _LABELS:
            return False
    return longest >= _FEWEST and bool(labels) and not all(t.isdecimal() and len(t) < 3 for t in sample)


def _holds_amounts(column: Column) -> bool:
    """Whether cells are lists of numbers."""
    sample = column.filled[:_SAMPLE]
    cells = [_amounts(text) if len(text) <= bounds().field else [] for text in sample]
    return bool(cells) and all(cells) and max(map(len, cells)) >= _FEWEST


def _moves_of(columns: Mapping[str, Column], stated: Mapping[str, str]) -> list[Column]:
    """The columns that hold whole games: those that the user names, else by their names, else by cells."""
    named = [columns[n.strip()] for n in stated.get("action", "").split("|") if n.strip() in columns]
    if named:
        return named if all(map(_holds_moves, named)) else []
    fitting = [c for c in columns.values() if c.sense.role in ("", "action") and _holds_moves(c)]
    named = [c for c in fitting if c.sense.role == "action" or _PLURALS & {*tokens_of(c.name)}]
    return named or [c for c in fitting if not is_id(c)]


def _propose_sequences(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """A row per player or pair; all moves of a player, or of both, in one cell."""
    stated = settings.mapping.get("action", "")
    joint = [c for c in columns.values() if c.sense.role in ("", "action") and _holds_both(c)]
    joint = [c for c in joint if c.name == stated] or ([] if stated else joint)
    if len(joint) == 1:
        yield from _of_joint(joint[0], columns)
        return
    texts = _moves_of(columns, settings.mapping)
    others = [c for c in texts if c.sense.whose == "other"]
    own = [c for c in texts if c.sense.whose != "other"]
    if len(own) == 2 and not others:
        names = {"action": f"{own[0].name}{_BAR}{own[1].name}"}
        reasons = [Reason(names["action"], "action", "cells hold the moves of all rounds, of two seats")]
        yield _proposal(names, reasons, columns, seated=True)
    elif len(own) == 1:
        names = {"action": own[0].name} | ({"other": others[0].name} if others else {})
        reasons = [Reason(name, role, "cells hold the moves of all rounds") for role, name in names.items()]
        yield _proposal(names, reasons, columns, seated=False)


def _of_joint(column: Column, columns: Mapping[str, Column]) -> Iterator[Proposal]:
    """The reading of one column with both moves of every round; of a player's row, the own move first."""
    rest = [c for c in columns.values() if c is not column]
    by_row = any(
        c.sense.role == "player" and not c.sense.whose and c.sense.seat is None and not c.sense.numbers
        for c in rest
    ) and not any(c.sense.role == "player" for way in seatings(rest) for s in way.columns.values() for c in s)
    if by_row:
        names = {"action": column.name, "other": column.name}
        why = "cells hold both moves of all rounds, the own one first"
    else:
        names = {"action": f"{column.name}{_BAR}{column.name}"}
        why = "cells hold both moves of all rounds, that of seat 1 first"
    proposal = _proposal(names, [Reason(column.name, "action", why)], columns, seated=not by_row)
    options = {"lists": _come_first(column.filled[:_SAMPLE])}
    yield replace(proposal, mapping=proposal.mapping.model_copy(update={"options": options}))


def _proposal(
    names: dict[str, str], reasons: list[Reason], columns: Mapping[str, Column], *, seated: bool
) -> Proposal:
    """The proposal with the payoffs of all rounds, and with who played."""
    role_names = {name for theirs in names.values() for name in theirs.split(_BAR)}
    rest = {name: column for name, column in columns.items() if name not in role_names}
    amounts = [
        c for c in rest.values() if c.sense.role == "payoff" and not c.sense.whose and _holds_amounts(c)
    ]
    if len(amounts) == 1 + seated and not any(c.sense.total for c in amounts):
        names["payoff"] = _BAR.join(c.name for c in amounts)
        reasons.append(Reason(names["payoff"], "payoff", "cells hold the payoffs of all rounds"))
        rest = {name: column for name, column in rest.items() if column not in amounts}
    proposal = with_players(names, reasons, rest, seated=seated, shape="sequences")
    return replace(proposal, score=proposal.score + _WHOLE)


def _lay_out_sequences(table: TidyTable, mapping: LogMapping) -> LongTable:
    """A row for each round, and seat, of the moves in a cell.

    Raises
    ------
    DataError
        As `lay_out_wide`.
    """
    names = dict(mapping.columns)
    parts = {role: names[role].split(_BAR) for role in ("action", "other", "payoff") if role in names}
    if parts.get("other") == parts["action"]:
        parts = {"action": parts["action"] * 2, **{r: p for r, p in parts.items() if r == "payoff"}}
    first = str((mapping.options or {}).get("lists") or "rounds")
    games = {role: _games(table, role, theirs, first) for role, theirs in parts.items()}
    if "other" in names and "other" not in games:
        games |= {"action": games["action"][:1], "other": games["action"][1:]}
    cells: dict[str, pa.Array] = {}
    lengths: dict[str, list[int]] = {}
    for role, seats in games.items():
        name = (role == "payoff" and kind_word(names[role])) or role
        for seat, moves in enumerate(seats, start=1):
            if role != "payoff":
                lengths[_part(names[role], seat)] = [len(game) for game in moves]
            longest = max(map(len, moves), default=0)
            if longest > bounds().rounds:
                what = f"column {_part(names[role], seat)}: {longest:,} moves in a cell"
                raise DataError(f"{what}, expected at most {bounds().rounds:,}")
            for number in range(1, longest + 1):
                key = f"_{name}_{number}_{seat}" if len(seats) > 1 else f"_{name}_{number}"
                values = [game[number - 1] if len(game) >= number else "" for game in moves]
                cells[key] = pa.array(values, pa.string())
        names[role] = f"_{name}_{{round}}_{{seat}}" if len(seats) > 1 else f"_{name}_{{round}}"
    role_names = {name for theirs in parts.values() for name in theirs}
    rest = {name: column for name, column in table.columns.items() if name not in role_names}
    spread = TidyTable({**rest, **cells}, table.line, table.text)
    long = lay_out_wide(spread, mapping.model_copy(update={"columns": names}))
    return replace(long, faults=(*long.faults, *_of_lengths(lengths)))


def _part(theirs: str, seat: int) -> str:
    """The column of a seat."""
    halves = theirs.split(_BAR)
    return halves[min(seat, len(halves)) - 1]


def _games(table: TidyTable, role: str, names: Sequence[str], first: str) -> list[list[list[str]]]:
    """The moves, or payoffs, of every row in the columns of each seat; one column named twice holds both."""
    texts = {name: [text or "" for text in table.columns[name].to_pylist()] for name in names}
    if len(names) == 2 and names[0] == names[1]:
        both = [_both(text, first) for text in texts[names[0]]]
        return [[own for own, _ in both], [other for _, other in both]]
    split = _amounts if role == "payoff" else _tokens
    return [[split(text) for text in texts[name]] for name in names]


def _of_lengths(lengths: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Two columns of moves whose cells are of different length in most rows."""
    if len(lengths) != 2:
        return
    (one, first), (two, second) = lengths.items()
    unequal = [(a, b) for a, b in zip(first, second, strict=True) if a and b and a != b]
    if len(unequal) > 1 and 2 * len(unequal) > len(first):
        a, b = unequal[0]
        yield (
            f"{one} and {two} hold different numbers of moves in {len(unequal):,} of {len(first):,} rows "
            f"({a} and {b}), expected those of the same rounds: give --map action=NAME for another column"
        )


def possible_sequences(columns: Mapping[str, Column]) -> str:
    """Which columns hold whole games, where it is open whose moves they are; empty where none do.

    Parameters
    ----------
    columns : mapping of name -> column
    """
    names = [c.name for c in columns.values() if c.sense.role in _OPEN and not is_id(c) and _holds_moves(c)]
    if len(names) < 2:
        return ""
    shown = ", ".join(names[:6])
    return (
        f"columns {shown} hold whole games, and nothing says which two are those of both players: give "
        f'--map "action={names[0]}|{names[1]}" for two of them'
    )


SHAPES = (
    Shape(
        "sequences",
        "a row per player or pair with all moves in one cell",
        _propose_sequences,
        _lay_out_sequences,
        needs,
    ),
)
