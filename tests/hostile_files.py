"""Files that nobody honest would send, made by code: bombs, lies and damage, each small on disk."""

from __future__ import annotations

import gzip
import json
import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from inspect_logs import intent_sample, log_text, zstd_archive

__all__ = ["FILES", "Make"]

Make = Callable[[Path], Path]
"""Makes a file or folder in a folder, and says where."""

HEAD = "game_id,round,player,action"
ROWS = "".join(f"{g},{t},{p},C\n" for g in "ab" for t in (1, 2) for p in "xy")
TIDY = f"{HEAD}\n{ROWS}"
SPEC = {"version": 2, "status": "success", "eval": {"task": "t", "run_id": "r", "model": "m"}}
NUMBERS = ("1e999", "NaN", "-1", "0", "1.5", "9" * 5000, "99999999999999999999", "0x10", "²", "1_0", "١", "")


def text(name: str, content: str | bytes) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def zipped(name: str, members: Mapping[str, str | bytes], *, zstd: bool = False, change: Any = None) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        data = {k: v.encode() if isinstance(v, str) else v for k, v in members.items()}
        if zstd:
            path.write_bytes(zstd_archive(data))
        else:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for member, content in data.items():
                    archive.writestr(member, content)
        if change:
            path.write_bytes(change(path.read_bytes()))
        return path

    return make


def parquet(columns: Mapping[str, Any], **how: Any) -> Make:
    def make(folder: Path) -> Path:
        path = folder / "x.parquet"
        table = pa.Table.from_arrays([pa.array(c) if isinstance(c, list) else c for c in columns.values()],
                                     names=list(columns))  # fmt: skip
        metadata = how.pop("metadata", None)
        pq.write_table(table.replace_schema_metadata(metadata), path, **how)
        return path

    return make


def when_made(row: Callable[[], Make]) -> Make:
    """A row whose content takes long to make, or much memory: not where the table alone is read."""
    return lambda folder: row()(folder)


def equal_rows(n: int, **more: Any) -> Make:
    codes = pa.array([0]).take(pa.array([0] * n, pa.int64())) if n < 1000 else None

    def make(folder: Path) -> Path:
        zeros = codes if codes is not None else pa.array(memoryview(bytes(4 * n)).cast("i"))
        columns = {name: pa.DictionaryArray.from_arrays(zeros, pa.array([value]))
                   for name, value in (("game_id", "g"), ("player", "x"), ("action", "C"), ("round", "1"))}  # fmt: skip
        columns |= {k: pa.DictionaryArray.from_arrays(zeros, pa.array([v])) for k, v in more.items()}
        path = folder / "x.parquet"
        pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=n, store_schema=False)
        return path

    return make


def compact(n: int = 4, facts: Mapping[str, Any] | None = None, **columns: Any) -> Make:
    table: dict[str, Any] = {
        "game_id": [f"g{i // 2}" for i in range(n)],
        "seat": [1 + i % 2 for i in range(n)],
        "own": pa.array([[True, False]] * n),
        "other": pa.array([[True, False]] * n),
    }
    told = None if facts is None else {b"intent": json.dumps(facts).encode()}
    return parquet({**table, **columns}, metadata=told)


def damaged(make: Make, change: Callable[[bytes], bytes]) -> Make:
    def damage(folder: Path) -> Path:
        path = make(folder)
        path.write_bytes(change(path.read_bytes()))
        return path

    return damage


def tables(suffix: str = ".csv", **files: str) -> Make:
    def make(folder: Path) -> Path:
        path = folder / "log"
        path.mkdir()
        for name, content in files.items():
            (path / (f"{name}.json" if name == "log" else f"{name}{suffix}")).write_text(content)
        return path

    return make


def odd_folder(folder: Path) -> Path:
    path = folder / "odd"
    path.mkdir()
    (path / "loop").symlink_to(path)
    (path / "nowhere.parquet").symlink_to(path / "absent")
    os.mkfifo(path / "games.parquet")
    (path / "log.json").write_text("{}")
    return path


def overlapping(data: bytes) -> bytes:
    """The directory's second entry points to the bytes of the first."""
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    return data[: at + 42] + struct.pack("<I", 0) + data[at + 46 :]


def patched(signature: bytes, at: int, value: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        place = data.rindex(signature) + at
        return data[:place] + value + data[place + len(value) :]

    return change


def with_value(column: int, value: str) -> str:
    row = ["a", "3", "x", "C"]
    row[column] = value
    return TIDY + ",".join(row) + "\n"


def samples(*made: Any, name: str = "x.eval", zstd: bool = False) -> Make:
    members = {"header.json": json.dumps(SPEC)}
    members |= {
        f"samples/{i}_epoch_1.json": m if isinstance(m, str) else json.dumps(m) for i, m in enumerate(made)
    }
    return zipped(name, members, zstd=zstd)


def game_line(**change: Any) -> str:
    game = {
        "games": {"game_id": "g", "n_players": 2, "rounds_played": 1},
        "seats": [{"seat": s, "focal": True} for s in (1, 2)],
        "moves": [{"round": 1, "step": 1, "seat": s, "action": "C", "cooperated": True, "status": "parsed"}
                  for s in (1, 2)],
    }  # fmt: skip
    kinds = {
        "games": {"game_id": "str", "n_players": "Int64", "rounds_played": "Int64"},
        "seats": {"game_id": "str", "seat": "Int64", "focal": "boolean"},
        "moves": {"game_id": "str", "round": "Int64", "step": "Int64", "seat": "Int64", "action": "str",
                  "cooperated": "boolean", "status": "str"},
    }  # fmt: skip
    facts = {
        "intent_log": change.pop("version", 1),
        "columns": change.pop("columns", kinds),
        "provenance": {},
    }
    return json.dumps(facts) + "\n" + json.dumps({**game, **change}) + "\n"


def move_tables(*made: Any) -> list[dict[str, Any]]:
    return [{"id": "a", "epoch": 1, "store": {"intent": {"moves": moves}}} for moves in made]


BIG = 64 * 1024**2
PANDAS = {"index_columns": [{"kind": "range", "start": 0, "stop": 10**15, "step": 0}, "absent", 7],
          "columns": [{"name": None, "numpy_type": "object"}, 3], "column_indexes": "x"}  # fmt: skip

FILES: dict[str, Make] = {
    # text
    "empty": text("x.csv", b""),
    "blank": text("x.csv", "\n" * 100_000),
    "one byte": text("x.csv", "\xe9".encode("latin-1")),
    "NUL": text("x.csv", TIDY.replace("x", "\0")),
    "UTF-16": text("x.csv", TIDY.encode("utf-16")),
    "UTF-16 without mark": text("x.csv", TIDY.encode("utf-16-le")),
    "mark alone": text("x.csv", b"\xef\xbb\xbf"),
    "two marks": text("x.csv", b"\xef\xbb\xbf\xef\xbb\xbf" + TIDY.encode()),
    "Latin-1": text("x.csv", TIDY.replace("C", "Défection").encode("latin-1")),
    "returns alone": text("x.csv", TIDY.replace("\n", "\r")),
    "one line of 3 MB": text("x.csv", "a" * 3_000_000),
    "column names alone": text("x.csv", HEAD + "\n"),
    "two names alike": text("x.csv", TIDY.replace("player", "round")),
    "30,000 columns": when_made(lambda: text("x.csv", HEAD + "," + ",".join(f"c{i}" for i in range(30_000)) + "\n" + "1," * 30_003 + "1\n")),
    "empty names": text("x.csv", f"{HEAD},,,\n" + ROWS.replace("\n", ",,,\n")),
    "an open quote": text("x.csv", TIDY + 'a,3,"x,C\n' + ROWS),
    "open quotes": text("x.csv", TIDY + 'a,"\n' * 30_000),
    "rows of other widths": text("x.csv", TIDY + "a\n" * 300_000),
    "a wide row": text("x.csv", TIDY + "," * 2_000_000 + "\n"),
    "a long cell": text("x.csv", TIDY + f"c,1,x,{'C' * 2_000_000}\n"),
    "many actions": text("x.csv", f"{HEAD}\n" + "".join(f"g,{i},x,a{i}\n" for i in range(1, 50_000))),
    "many players": text("x.csv", f"{HEAD}\n" + "".join(f"g,1,p{i},C\n" for i in range(50_000))),
    "equal rows": when_made(lambda: text("x.csv.gz", gzip.compress((f"{HEAD}\n" + "a,1,x,C\n" * 2_000_000).encode()))),
    "escapes of a terminal": text("x.csv", TIDY + "\x1b[2J,\x1b]0;x\x07,\u202e,C\n"),
    "formulas": text("x.csv", TIDY.replace("C", "=cmd|' /C calc'!A0")),
    "far seats": text("x.csv", "game_id,round,seat,action\n" + "".join(f"g,1,{s},C\n" for s in (1, 10_000))),
    "far rounds": text("x.csv", TIDY + "".join(f"{g},100000,{p},C\n" for g in "abcdefgh" for p in "xy")),
    "lists": text("x.csv", "game;agent1_strategies;agent1_scores;agent2_strategies;agent2_scores\n"
                  + f"pd;['{chr(39)}, {chr(39)}'];[{'1,' * 50_000}];[[[[;[{'9' * 5000}]\n" + "pd;[1e999];['a'];[None];nan\n"),
    "a list of backslashes": text("x.csv", "game;agent1_strategies;agent1_scores;agent2_strategies;agent2_scores\n"
                                  + f"pd;['{chr(92) * 200_000};[1];['{chr(92)}x'];[1]\n"),
    "10,000 agents": text("x.csv", ";".join(f"agent{i}_{c}" for i in range(1, 9_999) for c in ("strategies", "scores"))
                          + "\n" + ";".join(["['A']", "[1]"] * 9_998) + "\n"),
    "oTree of 5,000 rounds": text("x.csv", "participant.code," + ",".join(f"a.{r}.player.id_in_group,a.{r}.player.choice"
                                  for r in range(1, 5_000)) + "\np1" + ",1,1" * 4_999 + "\np2" + ",2,0" * 4_999 + "\n"),
    "oTree of wrong rounds": text("x.csv", "participant.code,a.999999999999.player.id_in_group,a.0.player.choice\np,1,1\n"),
    "pairs with odd rounds": text("x.csv", "round,player1,player2,answer1,answer2\n"
                                  + "".join(f"{v},x,y,C,D\n" for v in NUMBERS) + "1,x,y,C,D\n"),
    **{f"round {v[:9]!r}": text("x.csv", with_value(1, v)) for v in NUMBERS},
    # gzip
    "gzip bomb": when_made(lambda: text("x.csv.gz", gzip.compress(TIDY.encode() + b"a" * (100 * 1024**2)))),
    "cut gzip": when_made(lambda: text("x.csv.gz", gzip.compress(TIDY.encode() * 100)[:-9])),
    "damaged gzip": when_made(lambda: text("x.csv.gz", patched(b"\x1f\x8b", 14, b"\xff\xff")(gzip.compress(TIDY.encode() * 100)))),
    "gzip in gzip": text("x.csv.gz", gzip.compress(gzip.compress(TIDY.encode()))),
    "50,000 empty gzips": when_made(lambda: text("x.csv.gz", gzip.compress(b"", mtime=0) * 50_000)),
    "gzip of 64 MB of JSON": when_made(lambda: text("x.json.gz", gzip.compress(b'{"intent_log": [' + b"[]," * (BIG // 3)))),
    # JSON
    "deep objects": text("x.json", '{"a":' * 200_000),
    "deep lists": text("x.json", '{"version": 2, "status": "success", "eval": {"a": ' + "[" * 100_000),
    "deep and whole": text("x.json", '{"intent_log":' + "[" * 3_000 + "]" * 3_000 + "}"),
    "a list": text("x.json", "[1, 2]"),
    "a cut object": text("x.json", game_line()[:200]),
    "a long number": text("x.jsonl", game_line(games={"game_id": "g", "n_players": 0}).replace(": 0", ": " + "9" * 5000)),
    "a number without end": text("x.jsonl", game_line().replace('"rounds_played": 1', '"rounds_played": 1e999')),
    "not a number": text("x.jsonl", game_line().replace('"round": 1', '"round": NaN')),
    "a key twice": text("x.jsonl", game_line().replace('"seats"', '"games": 3, "seats"')),
    "half a letter": text("x.jsonl", game_line(games={"game_id": "g\ud800", "n_players": 2})),
    "200,000 empty lines of JSON": text("x.jsonl", game_line() + "{}\n" * 200_000),
    "300,000 lines that are no game": when_made(lambda: text("x.jsonl", game_line() + "3\n" * 300_000)),
    "types that are none": text("x.jsonl", game_line(columns={"games": {"game_id": [], "x": {"category": [1]}}})),
    "a version to come": text("x.jsonl", game_line(version=10**30)),
    "a log without tables": text("x.jsonl", '{"intent_log": 1, "columns": {}}\n'),
    "odd tables": text("x.jsonl", game_line(seats={"a": 1}) + game_line(moves=None).split("\n")[1] + "\n"),
    # Inspect
    "samples that are none": text("x.json", log_text([3, None, [], {}, {"store": 1}])),  # type: ignore[list-item]
    "odd moves": samples(*move_tables(
        [{"action": {}}], [{"action": [[]] * 2000}], [{"action": 1e308, "round": {}}],
        [{"action": "C", "round": 10**30, "seat": -1}], [{"actions": ["C"] * 100_000}],
        [{"action": "C", "seat": True, "payoff": "NaN"}])),
    "odd facts": samples({**intent_sample("a"), "metadata": {"a" * 10_000: 1, "game_id": [], "": 0}, "scores": 3,
                          "messages": {"a": 1}, "attachments": [1]}),
    "a bomb of a sample": when_made(lambda: samples("[" + "[]," * (BIG // 3))),
    "a bomb of a sample, zstd": when_made(lambda: samples("[" + "[]," * (BIG // 3), zstd=True)),
    "a bomb of spaces, zstd": when_made(lambda: samples(" " * (3 * BIG), zstd=True)),
    "a deep sample": samples('{"id":' + "[" * 50_000 + "]" * 50_000 + "}", intent_sample("a")),
    "a long number in a sample": samples('{"id": ' + "9" * 5_000 + "}", intent_sample("a")),
    "no evaluation": zipped("x.eval", {"header.json": '{"eval": 3}'}),
    "3,000 bad samples": samples(*["{"] * 3_000),
    # archives
    "archive of nothing": zipped("x.zip", {}),
    "cut archive": zipped("x.zip", {"a": "b" * 1000}, change=lambda data: data[:-30]),
    "archive after other bytes": zipped("x.zip", {"games.csv": "a"}, change=lambda data: b"PK\x03\x04" + data),
    "a name that leads out": zipped("x.zip", {"../../x": "a", "log.json": "{}", "games.csv": "a"}),
    "an absolute name": zipped("x.zip", {"/tmp/x": "a", "header.json": json.dumps(SPEC)}),
    "members that share bytes": zipped("x.eval", {"header.json": json.dumps(SPEC), "samples/a.json": "{}"}, change=overlapping),
    "a member twice": text("x.eval", zstd_archive({"header.json": b"{}", "headex.json": b"{}"}).replace(b"headex", b"header")),
    "a size that is a lie": zipped("x.eval", {"header.json": json.dumps(SPEC)}, change=patched(b"PK\x01\x02", 24, b"\xff\xff\xff\x7f")),
    "a size that is too small": zipped("x.eval", {"header.json": json.dumps(SPEC)}, change=patched(b"PK\x01\x02", 24, b"\2\0\0\0")),
    "a size that is too small, zstd": zipped("x.eval", {"header.json": json.dumps(SPEC)}, zstd=True,
                                             change=patched(b"PK\x01\x02", 24, b"\2\0\0\0")),
    "an encrypted member": zipped("x.eval", {"header.json": json.dumps(SPEC)}, change=patched(b"PK\x01\x02", 8, b"\1\0")),
    "a method of tomorrow": zipped("x.eval", {"header.json": json.dumps(SPEC)}, change=patched(b"PK\x01\x02", 10, b"\x63\0")),
    "a directory that is a lie": zipped("x.eval", {"header.json": json.dumps(SPEC)}, change=patched(b"PK\5\6", 12, b"\xff\xff\xff\x7f")),
    "30,000 members": when_made(lambda: zipped("x.eval", {f"samples/{i}.json": "{" for i in range(30_000)} | {"header.json": json.dumps(SPEC)})),
    "archive of bombs": when_made(lambda: zipped("x.zip", {"log.json": "{" + " " * BIG, "games.csv": "a" * (3 * BIG)})),
    # folders
    "odd folder": odd_folder,
    "empty folder": tables(),
    "tables of nothing": tables(log=game_line().split("\n")[0], games="", seats="", moves=""),
    "tables of other columns": tables(log=game_line().split("\n")[0], games="game_id\ng\n", seats="a\n1\n", moves='"\n'),
    "facts that are deep": tables(log="[" * 100_000, games="game_id\ng\n"),
    # Parquet
    "2 million equal rows": equal_rows(2_000_000),
    "40 million equal rows": equal_rows(40_000_000),
    "a long text a million times": equal_rows(1_000_000, note="x" * 900_000),
    "a column twice": lambda folder: (pq.write_table(pa.Table.from_arrays(
        [pa.array(["g"]), pa.array([1]), pa.array(["x"]), pa.array(["C"]), pa.array(["D"])],
        names=["game_id", "round", "player", "action", "action"]), folder / "x.parquet"), folder / "x.parquet")[1],
    "no columns": lambda folder: (pq.write_table(pa.table({}), folder / "x.parquet"), folder / "x.parquet")[1],
    "no rows": parquet({c: pa.array([], pa.string()) for c in HEAD.split(",")}),
    "odd types": parquet({"game_id": pa.array([1.5, None]), "round": pa.array([1, 2], pa.decimal128(30, 10)),
                          "player": pa.array([b"\xff\xfe", b""]), "action": pa.array([1, 2], pa.timestamp("ns")),
                          "d": pa.array([1, 2], pa.duration("s")), "n": pa.nulls(2), "f": pa.array([1.0, float("nan")], pa.float16())}),
    "a map": parquet({"game_id": ["g"], "round": [1], "player": ["x"], "action": ["C"],
                      "m": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))}),
    "a deep column": parquet({"game_id": ["g"], "round": [1], "player": ["x"], "action": ["C"], "s": [{"a": [{"b": [[1]]}]}]}),
    "what pandas said": parquet({"game_id": ["g", "g"], "round": [1, 1], "player": ["x", "y"], "action": ["C", "C"]},
                                metadata={b"pandas": json.dumps(PANDAS).encode(), b"intent": b"[" * 10_000}),
    "25,000 columns": when_made(lambda: parquet({f"c{i}": ["a"] for i in range(25_000)})),
    "20,000 row groups": parquet({c: ["1"] * 20_000 for c in HEAD.split(",")}, row_group_size=1),
    "16 MB of metadata": when_made(lambda: parquet({c: ["1"] for c in HEAD.split(",")}, metadata={b"a": b"x" * 2**24})),
    "a footer that is none": damaged(compact(), lambda data: data[:-200] + bytes(192) + data[-8:]),
    "a footer of 4 GB": damaged(compact(), lambda data: data[:-8] + b"\xff\xff\xff\xff" + data[-4:]),
    "an encrypted footer": damaged(compact(), lambda data: data[:-4] + b"PARE"),
    "Parquet cut": damaged(compact(), lambda data: data[:-20]),
    "Parquet's mark alone": text("x.parquet", b"PAR1"),
    "pages that are none": damaged(compact(200), lambda data: data[:4] + b"\xff" * 300 + data[304:]),
    # compact
    "moves without end": when_made(lambda: compact(2, own=pa.array([[True] * 2**24] * 2), other=pa.array([[True] * 2**24] * 2))),
    "200,000 games in which nothing moves": when_made(lambda: compact(400_000)),
    "moves that are none": compact(own=pa.array([[7, 8]] * 4), other=pa.array([[-5, None]] * 4)),
    "moves of texts": compact(own=pa.array([["C", "D"]] * 4)),
    "lists of lists": compact(own=pa.array([[[1]]] * 4)),
    "lists of other lengths": compact(own=pa.array([[True]] * 4)),
    "seats that are none": compact(seat=[1, 1, 9, None]),
    "games that come back": compact(game_id=["a", "b", "a", "b"]),
    "rounds that are a lie": compact(facts={"kind": "compact_log", "version": 2, "rounds": 10**9}),
    "complete, it says": compact(facts={"kind": "compact_log", "version": 2, "rounds": 2, "complete": True},
                                 own=pa.array([[None]] * 4), other=pa.array([[True]] * 4)),
    "constants that are none": compact(facts={"constants": {"payoffs": "[" * 9999, "cooperative_action": 3, "n_players": 9}}),
    "payoffs that are none": compact(payoffs=["[" * 9_000, '{"C,D": 1}', "9" * 5_000, "null"]),
}  # fmt: skip
