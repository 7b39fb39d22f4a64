"""Opening a compact log: its columns, the facts in its metadata and its sizes are checked, no row is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from intent.errors import DataError, located, shorten
from intent.files.bounds import beyond, bounds
from intent.files.json_text import json_value
from intent.files.parquet import open_parquet, parquet_footer, parquet_schema
from intent.files.text import file_head
from intent.logs.compact.layout import KIND, MOVES, VERSION, CompactLog
from intent.logs.tablefile import METADATA_KEY

__all__ = ["is_compact", "open_compact"]

_TAKEN = ("n_players", "rounds_played", "focal", "label")
_LARGEST_FACTS = 16 * 1024**2


def is_compact(path: str | Path) -> bool:
    """Whether a path is a compact log: a Parquet file, or a folder of them, with its columns."""
    try:
        parts = _parts(Path(path))
        return bool(parts) and _has_columns(parquet_schema(parts[0]))
    except (DataError, OSError, ValueError):
        return False


def open_compact(path: str | Path) -> CompactLog:
    """The facts on a compact log; a file without them is looked through once.

    Raises
    ------
    DataError
        It is none, its parts differ, or a column is not what it must be.
    LimitError
        A row group that memory should not hold.
    """
    source = Path(path)
    try:
        parts = _parts(source)
        if not parts:
            raise DataError(located(source, "no compact log, expected a Parquet file or a folder of them"))
        found = [_facts(part) for part in parts]
        for part in parts:
            _check_size(part)
        rounds = [facts.get("rounds", -1) for facts in found]
        if min(rounds) < 0:
            seen = [_looked_through(part) for part in parts]
            rounds = [longest for longest, _ in seen]
            complete = all(whole for _, whole in seen)
        else:
            complete = all(facts.get("complete") is True for facts in found)
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        raise DataError(located(source, f"not readable as a compact log: {shorten(error)}")) from None
    first = found[0]
    for part, facts in zip(parts, found, strict=True):
        if facts.get("constants") != first.get("constants") or facts.get("seat_columns") != first.get(
            "seat_columns"
        ):
            raise DataError(located(part, f"other constants or seat columns than {parts[0].name}"))
    if not 0 <= max(rounds) <= bounds().rounds:
        raise DataError(located(source, f"{max(rounds):,} rounds, expected at most {bounds().rounds:,}"))
    return CompactLog(
        source,
        tuple(parts),
        max(rounds),
        complete and len(set(rounds)) == 1,
        dict(first.get("constants") or {}),
        tuple(first.get("seat_columns") or ()),
        dict(first.get("provenance") or {}),
    )


def _parts(source: Path) -> list[Path]:
    if source.is_file():
        return [source] if file_head(source, 4) == b"PAR1" else []
    if not source.is_dir() or (source / "games.parquet").exists() or (source / "log.json").exists():
        return []
    return sorted(p for p in source.iterdir() if p.suffix == ".parquet" and p.is_file())


def _has_columns(schema: pa.Schema) -> bool:
    """Whether a Parquet file has the columns of a compact log."""
    lists = all(name in schema.names and _is_list(schema.field(name).type) for name in MOVES)
    return lists and {"game_id", "seat"} <= set(schema.names)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _facts(part: Path) -> dict[str, Any]:
    """The facts in the metadata of a part, checked; empty where there are none."""
    schema = parquet_schema(part)
    if not _has_columns(schema):
        raise DataError(located(part, "expected columns game_id, seat, and the lists own and other"))
    taken = [c for c in schema.names if c in _TAKEN]
    if taken or len(set(schema.names)) < len(schema.names):
        what = f"column {taken[0]!r} may not stand in a compact log" if taken else "a column stands twice"
        raise DataError(located(part, what))
    _check_types(part, schema)
    raw = (parquet_footer(part).metadata or {}).get(METADATA_KEY, b"{}")
    if len(raw) > _LARGEST_FACTS:
        raise DataError(located(part, f"{len(raw):,} bytes of metadata, expected at most {_LARGEST_FACTS:,}"))
    facts = json_value(raw)
    if not isinstance(facts, dict) or facts.get("kind", KIND) != KIND:
        raise DataError(located(part, f"metadata of {shorten(facts)}, expected of a {KIND}"))
    if facts.get("version", VERSION) not in range(1, VERSION + 1):
        raise DataError(located(part, f"version {shorten(facts['version'])}, expected 1 to {VERSION}"))
    _check(part, facts)
    return facts


def _check_types(part: Path, schema: pa.Schema) -> None:
    seat = schema.field("seat").type
    if not (pa.types.is_integer(seat) or pa.types.is_floating(seat) or pa.types.is_null(seat)):
        raise DataError(located(part, f"column 'seat' holds {shorten(seat)}, expected 1 and 2"))
    if "decided" in schema.names and not _is_list(schema.field("decided").type):
        what = f"column 'decided' holds {shorten(schema.field('decided').type)}, expected lists of decisions"
        raise DataError(located(part, what))
    for column in schema:
        if pa.types.is_struct(column.type) or pa.types.is_map(column.type) or pa.types.is_union(column.type):
            what = f"column {shorten(column.name)!r} holds {shorten(column.type)}"
            raise DataError(located(part, f"{what}, expected one text, number, truth value or time a row"))


def _check_size(part: Path) -> None:
    """Refuse row groups that would not fit in memory: each is read as a whole."""
    footer, allowed = parquet_footer(part), bounds()
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        values = max((group.column(j).num_values for j in range(group.num_columns)), default=0)
        for n, name, unit in (
            (group.num_rows, "row_group_rows", "rows"),
            (values, "row_group_values", "moves"),
            (group.total_byte_size, "unpacked_bytes", "bytes"),
        ):
            if n > getattr(allowed, name):
                raise beyond(part, f"a row group of {n:,} {unit} (write smaller ones)", name)


def _check(part: Path, facts: Mapping[str, Any]) -> None:
    constants, columns = facts.get("constants", {}), facts.get("seat_columns", [])
    if not isinstance(constants, dict) or not all(map(_is_constant, constants.values())):
        raise DataError(
            located(part, f"constants {shorten(constants)}, expected texts and numbers by column")
        )
    if not isinstance(columns, list) or not all(isinstance(c, str) for c in columns):
        raise DataError(located(part, f"seat_columns {shorten(columns)}, expected a list of names"))
    taken = [c for c in constants if c in {*_TAKEN, "game_id", "seat", "evidence", "decided", *MOVES}]
    if taken:
        raise DataError(located(part, f"constants name {taken[0]!r}, which no condition may be called"))
    rounds = facts.get("rounds", 0)
    if type(rounds) is not int or not isinstance(facts.get("provenance", {}), dict):
        raise DataError(located(part, f"rounds {shorten(rounds)}, expected a whole number"))


def _is_constant(value: Any) -> bool:
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))


def _looked_through(part: Path) -> tuple[int, bool]:
    """Longest list of a part, and whether all are that long and know every move."""
    low, high, whole = bounds().rounds, 0, "evidence" not in parquet_schema(part).names
    file = open_parquet(part)
    for batch in file.iter_batches(1 << 17, columns=list(MOVES), use_threads=False):
        for name in MOVES:
            lengths = pc.list_value_length(batch.column(name))
            limits = pc.min_max(lengths).as_py()
            low, high = min(low, limits["min"] or 0), max(high, limits["max"] or 0)
            whole = whole and not lengths.null_count and not batch.column(name).flatten().null_count
    return high, whole and low == high
