"""Changed samples of every format: each is a log with its rejects listed, or one line of error.

The changes know the format: bytes of text and of Parquet's pages and footer are turned, cells take hostile
values, rows are doubled and swapped, columns dropped and renamed, values of JSON replaced, files cut.
A few of them run each time, many with ``make test-all``.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from inspect_logs import intent_sample, log_text, zstd_archive
from test_reader_contract import SAMPLES, options

from intent import generate, read_log
from intent.base.errors import IntentError
from intent.logs.readers import READERS
from intent.logs.readers.compact import write_compact
from intent.logs.stores import write_log

CELLS = st.one_of(
    st.sampled_from(
        [
            "",
            "C",
            "NaN",
            "inf",
            "-1",
            "0",
            "1",
            "2",
            "1e999",
            "9" * 400,
            "true",
            "None",
            "[]",
            "['C']",
            "[1, 1]",
            '"',
            "'",
            "\\",
            "é",
            "\u202e",
            "\x1b[1m",
            "1.0",
            "timeout",
            "a|b",
            "=1",
            "null",
        ]
    ),
    st.text(max_size=8),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**25), 10**25), st.floats(), CELLS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(CELLS, inner, max_size=3)),
    max_leaves=4,
)
COLUMNS = st.sampled_from(
    [
        pa.array([None] * 4),
        pa.array([1.5, None, float("nan"), -1.0]),
        pa.array(["C", "", None, "x" * 50]),
        pa.array([True, None] * 2),
        pa.array([[1], [], None, [0, 1]]),
        pa.array([[True, False]] * 4),
        pa.array([b"\xff", b"C", None, b""]),
        pa.array([{"a": 1}] * 4),
        pa.array([2**62, -(2**62), 0, 1]),
        pa.array([0, 1, 2, None], pa.timestamp("ns", "UTC")),
        pa.array([1, 2, 3, 4], pa.decimal128(38, 37)),
        pa.array(["C", "D", "C", "D"]).dictionary_encode(),
        pa.array([["C"], ["D", None], [], None]),
        pa.array([1, 2, 1, 2], pa.uint64()),
    ]
)


def rows_changed(draw: Callable[..., Any], text: str) -> bytes:
    """Lines of cells: one replaced, doubled, dropped, swapped or cut."""
    lines = text.splitlines()
    mark = ";" if lines[0].count(";") > lines[0].count(",") else ","
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        cells = lines[at].split(mark)
        column = draw(st.integers(0, len(cells) - 1))
        kind = draw(st.sampled_from(["cell", "column", "double", "drop", "swap", "repeat", "wider"]))
        if kind == "cell":
            cells[column] = draw(CELLS)
        elif kind == "column":
            value = draw(CELLS)
            lines = [
                lines[0],
                *(
                    mark.join(c if i != column else value for i, c in enumerate(line.split(mark)))
                    for line in lines[1:]
                ),
            ]
            continue
        elif kind == "wider":
            cells.append(draw(CELLS))
        lines[at] = mark.join(cells)
        if kind == "double":
            lines.insert(at, lines[at])
        elif kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "swap":
            lines[at], lines[-1] = lines[-1], lines[at]
        elif kind == "repeat":
            lines += lines[1:] * 20
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def value_changed(draw: Callable[..., Any], value: Any) -> Any:
    """JSON with one value, somewhere in it, replaced, dropped or doubled."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        key = draw(st.sampled_from(sorted(value)))
        changed = dict(value)
        kind = draw(st.integers(0, 9))
        if kind == 0:
            del changed[key]
        elif kind == 1:
            changed[draw(CELLS)] = changed.pop(key)
        else:
            changed[key] = value_changed(draw, value[key])
        return changed
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        at = draw(st.integers(0, len(value) - 1))
        if not draw(st.integers(0, 5)):
            return [*value, value[at]]
        return [*value[:at], value_changed(draw, value[at]), *value[at + 1 :]]
    return draw(VALUES)


def bytes_changed(draw: Callable[..., Any], data: bytes) -> bytes:
    """Some bytes turned, taken out or doubled, or the end cut off."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        size = draw(st.sampled_from([0, 1, 1, 1, 2, 4, 8, 40]))
        put = draw(
            st.one_of(st.binary(min_size=size, max_size=size), st.sampled_from([b"", b"\xff" * 4, bytes(8)]))
        )
        data = data[:at] + put + data[at + size :]
    return data[: draw(st.integers(0, len(data)))] if not draw(st.integers(0, 6)) else data


def column_changed(draw: Callable[..., Any], table: pa.Table) -> pa.Table:
    """A Parquet table with columns of other types, names, orders or metadata."""
    names = list(table.column_names)
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(names) - 1))
        column = draw(COLUMNS)
        long = pa.chunked_array([column] * (len(table) // 4 + 1)).slice(0, len(table))
        table = table.set_column(at, draw(st.sampled_from([names[at], names[at], "note", names[0]])), long)
    told = draw(st.one_of(st.none(), VALUES))
    if told is not None:
        content = json.dumps(
            {"kind": "compact_log", "rounds": told, "constants": {"x": told}} if draw(st.booleans()) else told
        )
        table = table.replace_schema_metadata(
            {draw(st.sampled_from([b"intent", b"pandas"])): content.encode("utf-8", "replace")}
        )
    return table


def tidy_table() -> pa.Table:
    rows = [row.split(",") for row in SAMPLES["tidy"].text.splitlines()]
    return pa.table(dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True)))


def stored(kind: str, name: str) -> bytes:
    """The bytes of a log of three games in one of our own forms."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        log = generate(n=3, rounds=2, seed=1)
        if kind == "compact":
            write_compact(log, path)
        else:
            write_log(log, path)
        return path.read_bytes()


def packed(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


@st.composite
def files(draw: Any, kind: str) -> tuple[str, bytes]:
    """Name and bytes of a changed sample of a format."""
    inner = draw.__call__
    if kind in ("compact", "tidy of Parquet"):
        data = stored("compact", "x.parquet") if kind == "compact" else packed(tidy_table())
        if draw(st.booleans()):
            return "x.parquet", bytes_changed(inner, data)
        return "x.parquet", packed(column_changed(inner, pq.read_table(io.BytesIO(data))))
    if kind in ("gamelog", "runs"):
        form = draw(st.sampled_from(["x.jsonl", "x.csv.zip", "x.zip"]))
        data = stored("gamelog", form)
        if form == "x.jsonl":
            lines = [json.loads(line) for line in data.splitlines()]
            at = draw(st.integers(0, len(lines) - 1))
            lines[at] = value_changed(inner, lines[at])
            return form, b"\n".join(json.dumps(line).encode() for line in lines)
        if draw(st.booleans()):
            return form, bytes_changed(inner, data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        name = draw(st.sampled_from(sorted(members)))
        if name.endswith(".csv"):
            members[name] = rows_changed(inner, members[name].decode())
        elif name.endswith(".parquet"):
            members[name] = packed(column_changed(inner, pq.read_table(io.BytesIO(members[name]))))
        else:
            members[name] = json.dumps(value_changed(inner, json.loads(members[name]))).encode()
        return form, zstd_archive(members)
    if kind == "inspect":
        log = json.loads(log_text([intent_sample(name) for name in "ab"]))
        changed = value_changed(inner, log)
        if draw(st.booleans()) or not isinstance(changed, dict):
            return "x.json", json.dumps(changed).encode()
        samples = changed.pop("samples", [])
        members = {"header.json": json.dumps(changed).encode()}
        members |= {
            f"samples/{i}_epoch_1.json": json.dumps(s).encode()
            for i, s in enumerate(samples if isinstance(samples, list) else [])
        }
        data = zstd_archive(members)
        return "x.eval", bytes_changed(inner, data) if not draw(st.integers(0, 3)) else data
    text = SAMPLES[kind].text
    return "x.csv", bytes_changed(inner, text.encode()) if not draw(st.integers(0, 3)) else rows_changed(
        inner, text
    )


KINDS = [*READERS, "tidy of Parquet"]


def bear(kind: str, name: str, data: bytes, format: str) -> None:
    """Read a file; a log has games and lists its rejects, an error is one line."""
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / name
        if kind == "runs":  # the file is a log in a folder of them
            path.mkdir()
            (path / name).write_bytes(data)
        else:
            path.write_bytes(data)
        form = kind.split(" ")[0]
        try:
            log = read_log(path, format=form if format == "own" else "auto", **options(form))
        except IntentError as error:
            told = str(error)
        else:
            told = ""
            assert len(log) > 0
            assert log.rejects["reason"].notna().all()
            log.trajectories()
        assert "\n" not in told
        assert len(told) < 1_500
        assert [p.name for p in folder.iterdir()] == [name]
    finally:
        shutil.rmtree(folder)


QUIET = {
    "suppress_health_check": list(HealthCheck),
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_a_log_or_one_line(kind):
    @settings(max_examples=6, **QUIET)  # type: ignore[arg-type]
    @given(files(kind), st.sampled_from(["own", "auto"]))
    def check(file, format):
        bear(kind, *file, format)

    check()


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_many_changed_files_are_logs_or_one_line(kind):
    @settings(max_examples=120, **QUIET)  # type: ignore[arg-type]
    @given(files(kind), st.sampled_from(["own", "auto"]))
    def check(file, format):
        bear(kind, *file, format)

    check()
