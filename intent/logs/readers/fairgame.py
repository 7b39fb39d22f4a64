"""Reader of FAIRGAME results: one row per game, play in cells that hold Python lists.

The play in FAIRGAME's cells as arrays, by number of players, with every misfit named.

Columns that a FAIRGAME file has beyond FAIRGAME's own, above all in files that we wrote.

Cells that hold a Python list, such as ``['OptionA', 'OptionB']`` or ``[0, 10]``, to flat arrays.

Cells repeat (ten rounds of two options have 1,024 forms), so each distinct cell is parsed once, all of
them by Arrow's string kernels; a cell that is written in another way is read token by token. Nothing
is evaluated: a token is a quoted text, a number, a truth value or None.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, located, of_file, shorten
from intent.base.tables import TEXT
from intent.logs.delimited import Delimited
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import Play, by_value, moves_table, texts, truths, typed, whole_numbers
from intent.logs.readers.fairgame_games import TOLD_COLUMNS, Decision, Group, Told, decide
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.stages import cooperative_codes, settle, unused_game

__all__ = [
    "READER",
    "ListCells",
    "Parsed",
    "column_values",
    "defaulted",
    "further_agent_columns",
    "is_own",
    "own_ids",
    "own_repetition",
    "parse_numbers",
    "parse_play",
    "parse_texts",
    "reject_row",
]


_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<word>None|True|False|[-+]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][-+]?\d{1,4})?|nan|[-+]?inf))\s*(?P<end>,|\Z)",
    re.DOTALL,
)
_MANY = 100_000


@dataclass(frozen=True)
class ListCells:
    """A column of lists, flattened.

    Parameters
    ----------
    lengths : (n,) int64, length of each row's list; -1 where the cell is no list
    starts : (n,) int64, where the distinct list of each row begins in `values`
    values : (m,) int32 codes into `labels`, or float64; -1 or NaN for None
    labels : tuple of str
        Distinct texts in order of first appearance; empty for numbers.
    errors : dict of row -> what is wrong with the cell
    """

    lengths: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.int32] | NDArray[np.float64]
    labels: tuple[str, ...]
    errors: dict[int, str]

    def flat(self, rows: NDArray[np.intp]) -> NDArray[np.int32] | NDArray[np.float64]:
        """The values of some rows, one list after the other."""
        lengths = self.lengths[rows]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.starts[rows] - (ends - lengths), lengths)
        return self.values[shift + np.arange(len(shift))]


def parse_texts(column: pa.Array, *, strip: bool = True, nulls: bool = False) -> ListCells:
    """Lists of texts, as labels stripped of outer spaces or as they are; None is -1 where nulls may be."""
    return _parse(column, quoted=True, strip=strip, nulls=nulls)


def parse_numbers(column: pa.Array, *, nulls: bool = False) -> ListCells:
    """Lists of finite numbers; None is NaN where nulls may be."""
    return _parse(column, quoted=False, nulls=nulls)


def _parse(column: pa.Array, *, quoted: bool, strip: bool = True, nulls: bool = False) -> ListCells:
    coded = column.dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    cells = coded.dictionary
    lengths, pieces = _split(
        cells, "['" if quoted else "[", "', '" if quoted else ", ", "']" if quoted else "]"
    )
    tokens = pieces.dictionary_encode()
    token_codes = tokens.indices.to_numpy(zero_copy_only=False)
    words = tokens.dictionary.to_pylist()
    labels: dict[str, int] = {}
    if quoted:
        table = np.array([_label(word, labels, strip) for word in words], dtype=np.int32)
        bad_tokens = table < 0
    else:
        table = np.array([_number(word) for word in words], dtype=np.float64)
        bad_tokens = np.isnan(table)
    values = table[token_codes] if len(words) else table
    starts = np.cumsum(lengths) - lengths
    odd = np.zeros(len(cells), dtype=bool)
    if bad_tokens.any():
        owner = np.repeat(np.arange(len(cells)), lengths)
        odd[owner[bad_tokens[token_codes]]] = True
    odd |= lengths == 0
    errors: dict[int, str] = {}
    extra: list[NDArray[np.int32] | NDArray[np.float64]] = []
    end = len(values)
    for i in np.flatnonzero(odd):
        read = _tokens(cells[int(i)].as_py(), quoted, labels, strip, nulls)
        if isinstance(read, str):
            errors[int(i)], lengths[i] = read, -1
            continue
        extra.append(np.array(read, dtype=values.dtype))
        lengths[i], starts[i] = len(read), end
        end += len(read)
    if extra:
        values = np.concatenate([values, *extra])
    wrong = np.flatnonzero(np.isin(codes, list(errors))).tolist() if errors else []
    return ListCells(
        lengths[codes],
        starts[codes],
        values,
        tuple(labels),
        {row: errors[int(codes[row])] for row in wrong},
    )


def _split(cells: pa.Array, opening: str, between: str, closing: str) -> tuple[NDArray[np.int64], pa.Array]:
    """Lengths (0 where the cell is not written so) and the pieces of all cells in a row."""
    regular = pc.and_(pc.starts_with(cells, opening), pc.ends_with(cells, closing))
    inner = pc.utf8_slice_codeunits(cells, len(opening), -len(closing))
    lists = pc.split_pattern(inner, between)
    plain = pc.and_(regular, pc.greater(pc.utf8_length(inner), 0))
    lists = pc.if_else(plain, lists, pa.scalar([], lists.type))
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths, lists.flatten()


def _label(word: str, labels: dict[str, int], strip: bool) -> int:
    """Code of a text between two quotes, -1 where it needs the careful way."""
    if not word or not _PLAIN.fullmatch(word):
        return -1
    return labels.setdefault(word.strip() if strip else word, len(labels))


_PLAIN = re.compile(r"[^'\"\\\[\]]*")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def _number(word: str) -> float:
    """The number, NaN where it is none or not finite."""
    if len(word) > 64 or not _NUMBER.fullmatch(word):
        return float("nan")
    value = float(word)
    return value if abs(value) != float("inf") else float("nan")


def _tokens(cell: str, quoted: bool, labels: dict[str, int], strip: bool, nulls: bool) -> list[float] | str:
    """The list in a cell, read token by token, or what is wrong with it."""
    wanted = "a list of texts" if quoted else "a list of numbers"
    body = cell.strip()
    if not (body.startswith("[") and body.endswith("]")):
        return f"{shorten(cell, 40)!r}, expected {wanted}"
    body = body[1:-1].strip()
    numbers: list[float] = []
    at = 0
    while at < len(body):
        match = _TOKEN.match(body, at)
        if match is None or len(numbers) >= _MANY:
            return f"{shorten(body[at:], 40)!r} at item {len(numbers) + 1}, expected {wanted}"
        text, word = match["text"], match["word"]
        if nulls and word == "None":
            numbers.append(-1 if quoted else float("nan"))
        elif quoted:
            if text is None:
                return f"{word} at item {len(numbers) + 1}, expected {wanted}"
            try:
                label = str(ast.literal_eval(text))
            except (ValueError, SyntaxError):
                return f"{shorten(text, 40)} at item {len(numbers) + 1}, expected {wanted}"
            label = label.strip() if strip else label
            numbers.append(labels.setdefault(label, len(labels)))
        else:
            value = _number(word or "")
            if value != value:
                return f"{shorten(text or word, 40)} at item {len(numbers) + 1}, expected {wanted}"
            numbers.append(value)
        at = match.end()
    return numbers


_TEXTS = {column.name for column in (*codebook.GAMES, *codebook.SEATS) if column.kind == "string"}


def is_own(table: Delimited) -> bool:
    """Whether `write_fairgame_csv` wrote the file."""
    return set(TOLD_COLUMNS) <= table.columns.keys()


def own_ids(table: Delimited) -> pd.Series[str] | None:
    """(n,), the identifiers of a file that we wrote; None where they have to be minted."""
    if not is_own(table) or "game_id" not in table.columns:
        return None
    ids = texts(table.columns["game_id"])
    return ids if ids.notna().all() and ids.is_unique else None


def own_repetition(table: Delimited) -> Any | None:
    """(n,) int64, numbers of repeats in a file that we wrote; None where they have to be counted."""
    if not is_own(table) or "repetition" not in table.columns:
        return None
    number, missing = whole_numbers(table.columns["repetition"])
    return None if missing.any() or (number < 1).any() else number


def defaulted(table: Delimited, rows: NDArray[np.intp], play: Play) -> NDArray[np.bool_]:
    """(m, N), the moves that a file of ours says were put in the place of an unreadable reply."""
    marked = np.zeros(play.actions.shape, dtype=bool)
    for seat in range(play.n_seats):
        name = f"agent{seat + 1}_statuses"
        if is_own(table) and name in table.columns:
            cells = parse_texts(table.columns[name].take(pa.array(rows)))
            games = np.flatnonzero(cells.lengths == play.lengths)
            code = {label: i for i, label in enumerate(cells.labels)}.get("defaulted", -1)
            marked[np.isin(play.game, games), seat] = cells.flat(games) == code
    return marked & (play.actions >= 0)


def further_agent_columns(table: Delimited, n_seats: int, known: set[str]) -> list[str]:
    """Names N of columns ``agent1_N`` to ``agent<n_seats>_N`` that FAIRGAME does not have."""
    names = [match[1] for match in map(re.compile(r"agent1_(.+)").fullmatch, table.columns) if match]
    return [
        name
        for name in names
        if name not in known and all(f"agent{i}_{name}" in table.columns for i in range(1, n_seats + 1))
    ]


def column_values(name: str, column: pa.Array) -> pd.Series[Any]:
    """The values of a column of games or seats; texts of the codebook stay texts."""
    return texts(column) if name in _TEXTS else typed(column)


_STRATEGIES = re.compile(r"agent([1-9]\d{0,3})_strategies", re.ASCII)


@dataclass(frozen=True, eq=False)
class Parsed:
    """The games of one number of players.

    Parameters
    ----------
    rows : (n,) int, the row of each game in the file
    play : Play
    """

    rows: NDArray[np.intp]
    play: Play


def parse_play(table: Delimited, rejects: Rejects) -> list[Parsed]:
    """The play of all rows as arrays, by number of players; rows whose lists do not fit are rejected.

    In files that we wrote, a missing move is None, as are the scores of its round.
    """
    n_agents, nulls = _count_agents(table), is_own(table)
    agents = range(1, n_agents + 1)
    text = [parse_texts(table.columns[f"agent{i}_strategies"], nulls=nulls) for i in agents]
    scores = [parse_numbers(table.columns[f"agent{i}_scores"], nulls=nulls) for i in agents]
    labels = tuple(dict.fromkeys(label for cells in text for label in cells.labels))
    n = len(table)
    seats = np.zeros(n, dtype=np.intp)
    for i in range(n_agents):
        blank = _blank(table.columns[f"agent{i + 1}_strategies"]) & _blank(
            table.columns[f"agent{i + 1}_scores"]
        )
        seats[~blank] = i + 1
    wrong = _misfits(table, text, scores, seats)
    for row, reason in wrong.items():
        reject_row(table, rejects, row, reason)
    fine = np.ones(n, dtype=bool)
    fine[list(wrong)] = False
    parts = []
    for count in np.unique(seats[fine]):
        rows = np.flatnonzero(fine & (seats == count))
        codes = [_recoded(cells, labels).flat(rows) for cells in text[:count]]
        values = [cells.flat(rows) for cells in scores[:count]]
        play = Play(
            text[0].lengths[rows],
            np.column_stack(codes).astype(np.int32, copy=False),
            np.column_stack(values).astype(np.float64, copy=False),
            labels,
        )
        parts.append(Parsed(rows, play))
    return parts


def _count_agents(table: Delimited) -> int:
    numbers = sorted(int(m[1]) for m in map(_STRATEGIES.fullmatch, table.columns) if m)
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        columns = ", ".join(f"agent{i}_strategies" for i in numbers)
        raise DataError(
            located(table.text.path, f"columns {columns}, expected agent1_ to agentN_, N at least 2", 1)
        )
    missing = next((f"agent{i}_scores" for i in numbers if f"agent{i}_scores" not in table.columns), None)
    if missing:
        raise DataError(located(table.text.path, f"no column {missing!r} beside agent…_strategies", 1))
    return len(numbers)


def _blank(column: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(pc.equal(column, "").to_numpy(zero_copy_only=False), dtype=bool)


def _recoded(cells: ListCells, labels: tuple[str, ...]) -> ListCells:
    """The same lists with codes into labels that all agents share."""
    if cells.labels == labels[: len(cells.labels)]:
        return cells
    code = {label: i for i, label in enumerate(labels)}
    table = np.array([*(code[label] for label in cells.labels), -1], dtype=np.int32)
    return ListCells(cells.lengths, cells.starts, table[cells.values.astype(np.intp)], labels, cells.errors)


def _misfits(
    table: Delimited, text: list[ListCells], scores: list[ListCells], seats: NDArray[np.intp]
) -> dict[int, str]:
    """Row -> why its lists make no game; the first reason of each."""
    wrong: dict[int, str] = {}

    def mark(bad: NDArray[np.bool_], reason: Callable[[int], str]) -> None:
        for row in np.flatnonzero(bad).tolist():
            wrong.setdefault(row, reason(row))

    mark(seats < 2, lambda row: "fewer than two agents have strategies and scores")
    first = text[0].lengths
    for i, cells in enumerate(zip(text, scores, strict=True), start=1):
        playing = seats >= i
        for name, column in zip((f"agent{i}_strategies", f"agent{i}_scores"), cells, strict=True):
            for row, reason in column.errors.items():
                if playing[row]:
                    wrong.setdefault(row, f"{name}: {reason}")
            other = partial(_unequal, name, column.lengths, first)
            mark(playing & (column.lengths != first), other)
    for name in ("played_rounds", "max_rounds"):
        if name in table.columns:
            number, bad = whole_numbers(table.columns[name])
            stated = ~_blank(table.columns[name])
            mark(bad & stated, partial(_no_such, table, name, "a whole number"))
            if name == "played_rounds":
                mark(stated & (number != first), partial(_unequal, name, number, first))
    if "n_rounds_is_known" in table.columns:
        bad = truths(table.columns["n_rounds_is_known"])[1]
        mark(bad, partial(_no_such, table, "n_rounds_is_known", "True or False"))
    return wrong


def _unequal(name: str, got: NDArray[np.int64], wanted: NDArray[np.int64], row: int) -> str:
    what = f"is {got[row]}" if name == "played_rounds" else f"has {got[row]} items"
    return f"{name} {what}, but agent1_strategies has {wanted[row]} items"


def _no_such(table: Delimited, name: str, wanted: str, row: int) -> str:
    return f"{name} is {table.columns[name][row].as_py()!r}, expected {wanted}"


def reject_row(table: Delimited, rejects: Rejects, row: int, reason: str) -> None:
    """Reject a row of the file by its number among the rows."""
    line = int(table.lines[row])
    rejects.add(line, reason, table.text.line(line))


_AGENT_COLUMNS = {
    "llm": "model",
    "personality": "persona",
    "name": "agent_name",
    "knows_opponent_with_prob": "opponent_persona_probability",
}
_NO_PERSONA = "None"
"""What FAIRGAME calls the persona of a player without one."""

_LISTS = ("strategies", "scores", "messages", "statuses")
_FIXED = ("game_id", "language", "n_rounds_is_known", "max_rounds", "played_rounds", "game")


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the columns are FAIRGAME's."""
    return {"agent1_strategies", "agent1_scores"} <= set(source.columns)


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a results file; rows that cannot be read go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    table = source.delimited(rejects)
    parts = parse_play(table, rejects)
    labels = parts[0].play.labels if parts else ()
    if parts:
        settings = settle(settings, labels)
    groups, of_row = _groups(table)
    peers = _peers(table)
    notes: dict[str, None] = dict.fromkeys(unused_game(settings.game, [group.game for group in groups]))
    logs = []
    for part in parts:
        try:
            decision = decide(part.play, groups, of_row[part.rows], peers[part.rows], settings)
        except DataError as error:
            raise of_file(source.path, error) from None
        for game, reason in decision.wrong.items():
            reject_row(table, rejects, int(part.rows[game]), reason)
        good = np.array([i for i in range(len(part.rows)) if i not in decision.wrong], dtype=np.intp)
        if len(good):
            for stage in decision.stages:
                if stage.note:
                    notes[f"{stage.name or 'game'}: {stage.note}"] = None
            logs.append(_tables(source, table, part, decision, good, notes))
    rejected = rejects.table(sum(len(games) for games, _, _ in logs))
    games = pd.concat([log[0] for log in logs]).sort_values("_row", kind="stable")
    if "known" in table.columns and "n_rounds_is_known" in table.columns:
        notes["column known is not read: n_rounds_is_known says the same, row by row"] = None
    return GameLog(
        _numbered(games),
        pd.concat([log[1] for log in logs]),
        _stacked([log[2] for log in logs]),
        provenance={"notes": list(notes)},
        rejects=rejected,
    )


def _groups(table: Delimited) -> tuple[list[Group], NDArray[np.intp]]:
    """What each row claims to be."""
    game = next((c for c in ("game", "meta_game") if c in table.columns), None)
    columns: dict[str, Any] = {
        "game": texts(table.columns[game]) if game else None,
        "payoff_type": texts(table.columns["payoff_type"]) if "payoff_type" in table.columns else None,
        "scale": None,
    }
    if "meta_payoff_scale" in table.columns:
        scale = typed(table.columns["meta_payoff_scale"])
        columns["scale"] = pd.to_numeric(scale, errors="coerce").astype(float)
    own = is_own(table)
    columns |= {name: texts(table.columns[name]) for name in TOLD_COLUMNS if own}
    frame = pd.DataFrame({k: v for k, v in columns.items() if v is not None}, index=range(len(table)))
    if frame.empty:
        return [Group(None, None)], np.zeros(len(table), dtype=np.intp)
    codes = frame.groupby(list(frame.columns), dropna=False, sort=False, observed=True).ngroup().to_numpy()
    firsts = frame.iloc[np.unique(codes, return_index=True)[1]]
    groups = []
    for record in firsts.to_dict("records"):
        filled = {k: v for k, v in record.items() if not pd.isna(v)}
        scale = filled.get("scale", 1.0)
        stage = Told(*(filled.get(name) for name in TOLD_COLUMNS)) if own else None
        groups.append(
            Group(filled.get("game"), filled.get("payoff_type"), scale if scale > 0 else 1.0, stage)
        )
    return groups, codes.astype(np.intp)


def _peers(table: Delimited) -> NDArray[np.intp]:
    """(n,), one number for each set of models in order."""
    columns = [c for c in table.columns if re.fullmatch(r"agent\d+_llm", c)]
    if not columns:
        return np.zeros(len(table), dtype=np.intp)
    frame = pd.DataFrame({c: texts(table.columns[c]) for c in columns})
    return frame.groupby(columns, dropna=False, sort=False, observed=True).ngroup().to_numpy().astype(np.intp)


def _tables(
    source: Source,
    table: Delimited,
    part: Parsed,
    decision: Decision,
    good: NDArray[np.intp],
    notes: dict[str, None],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Games, seats and moves of the games of one number of players."""
    rows, play = part.rows[good], part.play.games(good)
    lines = table.lines
    width = len(str(int(lines[-1])))
    stem = source.stem
    own = own_ids(table)
    minted = [f"{stem}-{line:0{width}d}" for line in lines[rows].tolist()]
    ids = pd.Index(minted if own is None else own.iloc[rows], dtype=TEXT)
    which, stages = decision.which[good], decision.stages
    n, seats = play.n_games, play.n_seats

    def column(name: str) -> pa.Array | None:
        return table.columns[name].take(pa.array(rows)) if name in table.columns else None

    def of_stage(field: str) -> pd.Series[str]:
        pool = pd.array([getattr(stage, field) for stage in stages], dtype=TEXT)
        return pd.Series(pool.take(which))

    games: dict[str, Any] = {
        "game_id": ids,
        "source": pd.array([source.path.name], dtype=TEXT).take(np.zeros(n, int)),
    }
    games |= {"game": of_stage("name"), "payoffs": of_stage("payoffs"), "payoff_kind": of_stage("kind")}
    games |= {
        "cooperative_action": of_stage("label"),
        "n_players": np.full(n, seats),
        "rounds_played": play.lengths,
    }
    planned, known, language = column("max_rounds"), column("n_rounds_is_known"), column("language")
    if planned is not None:
        number, missing = whole_numbers(planned)
        games["rounds_planned"] = pd.arrays.IntegerArray(number, missing)
    if known is not None:
        games["horizon_known"] = truths(known)[0]
    if language is not None:
        games["language"] = texts(language)
    if "game_id" in table.columns and own is None:
        games["source_game_id"] = texts(table.columns["game_id"].take(pa.array(rows)))
    skip = {*_FIXED, *({"known"} if known is not None else ())}
    restored = {*TOLD_COLUMNS, "source"} if is_own(table) else set()
    for name in table.columns:
        if name not in skip | restored and not re.match(r"agent\d+_", name):
            games[name if name not in games else f"source_{name}"] = column_values(
                name, table.columns[name].take(pa.array(rows))
            )
    if restored and "source" in table.columns:
        games["source"] = texts(table.columns["source"].take(pa.array(rows)))
    games["_row"] = rows
    counted = own_repetition(table)
    if counted is not None:
        games["_repetition"] = counted[rows]
    for suffix in ("llm", "personality", "knows_opponent_with_prob"):
        for i in range(1, seats + 1):
            if f"agent{i}_{suffix}" in table.columns:
                games[f"_{suffix}_{i}"] = by_value(table.columns[f"agent{i}_{suffix}"])[0][rows]

    moves = moves_table(play, ids, cooperative_codes(stages, play.labels)[which])
    marked = defaulted(table, rows, play).ravel()
    if marked.any():
        status = moves["status"].cat.add_categories(["defaulted"])
        moves["status"] = status.mask(marked, "defaulted")
    messages = _messages(table, rows, play, notes)
    if messages is not None:
        moves["message"] = messages
    return pd.DataFrame(games), _seats(table, rows, ids, seats), moves


def _seats(table: Delimited, rows: NDArray[np.intp], ids: pd.Index[Any], seats: int) -> pd.DataFrame:
    """The seats of the games of these rows, with what the table says of their agents."""
    n = len(rows)
    by_seat = pa.array((np.arange(seats) * n + np.arange(n)[:, None]).ravel())

    def stacked(name: str) -> pa.Array | None:
        names = [f"agent{i}_{name}" for i in range(1, seats + 1)]
        if not all(name in table.columns for name in names):
            return None
        return pa.concat_arrays([table.columns[name].take(pa.array(rows)) for name in names]).take(by_seat)

    players: dict[str, Any] = {
        "game_id": ids.take(np.repeat(np.arange(n), seats)),
        "seat": np.tile(np.arange(1, seats + 1), n),
        "focal": np.ones(n * seats, dtype=bool),
    }
    for suffix, name in _AGENT_COLUMNS.items():
        cells = stacked(suffix)
        if cells is not None:
            players[name] = texts(cells) if suffix != "knows_opponent_with_prob" else typed(cells)
    if "persona" in players:
        players["persona"] = players["persona"].mask(players["persona"] == _NO_PERSONA)
    for name in further_agent_columns(table, seats, {*_AGENT_COLUMNS, *_LISTS}):
        players[name] = column_values(name, stacked(name))
    return pd.DataFrame(players)


def _messages(
    table: Delimited, rows: NDArray[np.intp], play: Play, notes: dict[str, None]
) -> pd.Series[str] | None:
    """The message of every move, None where the file has none or an empty text."""
    names = [f"agent{i}_messages" for i in range(1, play.n_seats + 1)]
    if not all(name in table.columns for name in names):
        return None
    cells = [parse_texts(table.columns[name].take(pa.array(rows)), strip=False) for name in names]
    if all((c.lengths <= 0).all() and not c.errors for c in cells):
        return None
    messages = np.full(play.actions.shape, None, dtype=object)
    for seat, column in enumerate(cells):
        fits = column.lengths == play.lengths
        odd = int((~fits & ((column.lengths > 0) | (column.lengths < 0))).sum())
        if odd:
            notes[f"{names[seat]}: {odd} cells are no list of one text per round and are left out"] = None
        games = np.flatnonzero(fits)
        pool = np.array([*(label or None for label in column.labels), None], dtype=object)
        messages[np.isin(play.game, games), seat] = pool[column.flat(games).astype(np.intp)]
    return pd.Series(messages.ravel(), dtype=TEXT)


def _numbered(games: pd.DataFrame) -> pd.DataFrame:
    """The games with the number of the repeat within identical conditions, without helping columns."""
    keys = [c for c in games.columns if c not in ("game_id", "source_game_id", "rounds_played", "_row")]
    number = games.groupby(keys, dropna=False, sort=False, observed=True).cumcount().to_numpy() + 1
    plain = games.drop(columns=[c for c in games.columns if c.startswith("_")])
    return plain.assign(repetition=games.get("_repetition", number))


def _stacked(moves: list[pd.DataFrame]) -> pd.DataFrame:
    """The moves of all parts, categories joined."""
    if len(moves) == 1:
        return moves[0]
    plain = [
        part.assign(game_id=part["game_id"].astype(TEXT), action=part["action"].astype(TEXT))
        for part in moves
    ]
    joined = pd.concat(plain, ignore_index=True)
    return joined.assign(action=joined["action"].astype("category"))


READER = Reader(
    "fairgame",
    "columns agent1_strategies and agent1_scores, one row per game",
    recognises,
    read,
)
