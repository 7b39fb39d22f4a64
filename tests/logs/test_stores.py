"""Stores: what is written is read back, byte for byte the same each time, and nothing else is believed."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.base.errors import DataError, OutputError, UsageError
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log
from intent.logs.stores import ParquetLogWriter, migrate, read_gamelog, write_log

SUFFIXES = ["", ".parquet", ".zip", ".jsonl", ".jsonl.gz", ".csvs", ".csv.zip"]
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=6)
cells = {
    "str": st.none() | texts,
    "Int64": st.none() | st.integers(-(2**63), 2**63 - 1),
    "float64": st.none() | st.floats(),
    "boolean": st.none() | st.booleans(),
    "bool": st.booleans(),
    "int64": st.integers(-(2**63), 2**63 - 1),
}


@st.composite
def logs(draw: Any, conditions: dict[str, str] | None = None) -> GameLog:
    """Any log of up to four games."""
    ids = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    kinds = st.dictionaries(texts.map("x_".__add__), st.sampled_from(sorted(cells)), max_size=3)
    conditions = draw(kinds) if conditions is None else conditions
    seats = [(g, seat) for g in ids for seat in (1, 2)]
    rounds = draw(st.integers(1, 3))
    places = [(g, r, s) for g in ids for r in range(1, rounds + 1) for s in (1, 2)]

    def column(kind: str, n: int) -> pd.Series[Any]:
        values = draw(st.lists(cells[kind], min_size=n, max_size=n))
        if kind == "float64":
            values = [np.nan if v is None else v for v in values]
        return pd.Series(values, dtype=kind)

    def further(n: int) -> dict[str, Any]:
        return {name: column(kind, n) for name, kind in conditions.items()}

    games = {"game_id": ids, "n_players": 2, "rounds_played": rounds, "repetition": 1}
    games |= {
        "game": column("str", len(ids)),
        "horizon_known": column("boolean", len(ids)),
        **({"implementation_error": column("float64", len(ids))} if draw(st.booleans()) else {}),
        **further(len(ids)),
    }
    who = {
        "game_id": [g for g, _ in seats],
        "seat": [s for _, s in seats],
        "focal": column("bool", len(seats)),
    }
    who |= {"model": column("str", len(seats)), **further(len(seats))}
    n = len(places)
    moves = {
        "game_id": [p[0] for p in places],
        "round": [p[1] for p in places],
        "seat": [p[2] for p in places],
    }
    moves |= {"step": 1, "action": column("str", n), "cooperated": column("boolean", n), "status": "parsed"}
    moves |= {"payoff": column("float64", n), "message": column("str", n)}
    moves |= {"decided": column("boolean", n)} if draw(st.booleans()) else {}
    questions = None
    if draw(st.booleans()):
        questions = pd.DataFrame(
            {"game_id": ids, "round": 1, "seat": 1, "question": "q", "correct": column("boolean", len(ids))}
        )
    facts = {"seed": draw(st.integers()), "note": draw(texts)}
    return GameLog(pd.DataFrame(games), pd.DataFrame(who), pd.DataFrame(moves), questions, provenance=facts)


def log_of(*ids: str, **conditions: object) -> GameLog:
    games = pd.DataFrame({"game_id": ids, "n_players": 2, "rounds_played": 1, "repetition": 1, **conditions})
    seats = pd.DataFrame({"game_id": ids, "seat": 1, "focal": True})
    moves = pd.DataFrame(
        {"game_id": ids, "round": 1, "step": 1, "seat": 1, "action": "A", "status": "parsed"}
    )
    return GameLog(games, seats, moves)


@settings(max_examples=15, deadline=None)
@given(log=logs())
def test_what_is_written_is_read(log: GameLog) -> None:
    """In every store the same logs, of which it takes longer to think than to write them."""
    for suffix in SUFFIXES:
        with tempfile.TemporaryDirectory() as folder:
            back = read_gamelog(write_log(log, Path(folder) / f"log{suffix}"))
        assert back.equals(log), suffix
        assert back.provenance == log.provenance, suffix


def contents(path: Path) -> dict[str, bytes]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_log_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "1").mkdir()
    first = contents(write_log(log_of("g", "h", c=["x", None]), tmp_path / f"log{suffix}"))
    assert contents(write_log(log_of("g", "h", c=["x", None]), tmp_path / "1" / f"log{suffix}")) == first


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_unused_categories_survive(tmp_path: Path, suffix: str) -> None:
    log = log_of("g", "h").where({"game_id": ["h"]})
    assert read_gamelog(write_log(log, tmp_path / f"log{suffix}")).equals(log)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_texts_may_be_objects_and_no_value_may_be_there(tmp_path: Path, suffix: str) -> None:
    """As pandas 2 keeps texts, also those that are put into a table by hand."""
    log = log_of("g", "h", none=pd.Series([None, None], dtype=object))
    assert read_gamelog(write_log(log, tmp_path / f"a{suffix}")).equals(log)
    log.games["topic"] = np.array(["x", None], dtype=object)
    back = read_gamelog(write_log(log, tmp_path / f"b{suffix}"))
    assert back.games["topic"].isna().tolist() == [False, True]
    assert back.games["topic"][0] == "x"


def test_an_existing_path_is_kept(tmp_path: Path) -> None:
    path = write_log(log_of("g"), tmp_path / "log.zip")
    with pytest.raises(OutputError, match="exists; choose another path or give --overwrite"):
        write_log(log_of("h"), path)
    assert read_gamelog(write_log(log_of("h"), path, overwrite=True)).games["game_id"].tolist() == ["h"]


def test_a_suffix_that_no_store_has(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"suffix '\.xlsx', expected none or "):
        write_log(log_of("g"), tmp_path / "log.xlsx")


def test_a_column_that_no_store_keeps(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot store column 'when' of table games"):
        write_log(log_of("g", when=[pd.Timestamp("2025-01-01")]), tmp_path / "log")
    assert list(tmp_path.iterdir()) == []


def test_chunks_make_one_log(tmp_path: Path) -> None:
    with ParquetLogWriter(tmp_path / "log", provenance={"seed": 7}) as writer:
        writer.write(log_of("g", c=["x"]))
        writer.write(log_of("h", c=["y"]))
    log = read_gamelog(tmp_path / "log")
    assert log.equals(log_of("g", "h", c=["x", "y"]))
    assert log.provenance == {"seed": 7}


def test_chunks_of_other_columns_are_refused(tmp_path: Path) -> None:
    def attempt() -> None:
        with ParquetLogWriter(tmp_path / "log") as writer:
            writer.write(log_of("g", c=["x"]))
            writer.write(log_of("h", c=[1]))

    with pytest.raises(OutputError, match="column 'c' of games is"):
        attempt()
    assert list(tmp_path.iterdir()) == []


def test_the_reader_door_takes_our_logs(tmp_path: Path) -> None:
    path = write_log(log_of("g"), tmp_path / "log.jsonl")
    log = read_log(path)
    assert (log.provenance["format"], len(log.provenance["sha256"])) == ("gamelog", 64)
    with pytest.raises(UsageError, match="says itself what cooperate would say"):
        read_log(path, cooperate="A")


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = write_log(log_of("g"), tmp_path / "log")
    facts = (path / "log.json").read_text()
    (path / "log.json").write_text(facts.replace('"intent_log": 2', '"intent_log": 99'))
    with pytest.raises(DataError, match="log: schema version 99, but this release reads up to 2"):
        read_log(path)


@pytest.mark.parametrize("suffix", ["", ".jsonl", ".csvs"])
def test_a_log_of_version_1_opens_as_before(tmp_path: Path, suffix: str) -> None:
    log = log_of("g", "h", c=["x", None])
    path = write_log(log, tmp_path / f"log{suffix}")
    facts = path / "log.json" if path.is_dir() else path
    text = facts.read_text()
    facts.write_text(
        text.replace('"intent_log": 2', '"intent_log": 1').replace('"intent_log":2', '"intent_log":1')
    )
    assert facts.read_text() != text
    assert read_log(path).equals(log)


def test_migrations_run_one_after_the_other() -> None:
    steps = {1: lambda t: {**t, "one": t["games"]}, 2: lambda t: {**t, "two": t["one"]}}
    table = pd.DataFrame({"x": [1]})
    assert set(migrate({"games": table}, 1, migrations=steps, current=3)) == {"games", "one", "two"}
    with pytest.raises(DataError, match="no migration from 1"):
        migrate({}, 1, migrations={}, current=2)
    with pytest.raises(DataError, match="schema version True"):
        migrate({}, True)


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return path


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({}, "an archive without games.parquet or games.csv"),
        ({"xl/workbook.xml": b""}, "an Excel workbook, expected text: save its sheet as CSV in UTF-8"),
        ({"games_parquet": b"x"}, "no member log.json"),
        ({"games_parquet": b"x", "log_json": b"{"}, "log.json is no JSON"),
        ({"games_parquet": b"x", "log_json": b"{}"}, "does not say intent_log"),
        ({"games_parquet": b"x", "log_json": b'{"intent_log": 1}'}, "does not say columns"),
        ({"games_parquet": b"x", "log_json": b'{"intent_log": 1, "columns": {}}'}, "no readable Parquet"),
        ({"games_csv": b"x\n1\n", "log_json": b'{"intent_log": 1, "columns": {}}'}, "no table seats"),
        (
            {"games_csv": b"x\n1\n", "log_json": b'{"intent_log": 1, "columns": {"games": {"x": "pickle"}}}'},
            "type pickle of column 'x'",
        ),
        (
            {"games_csv": b"x" * (80 * 1024**2), "log_json": b'{"intent_log": 1, "columns": {}}'},
            "over 200 to 1",
        ),
    ],
)
def test_archives_that_are_no_log(tmp_path: Path, members: dict[str, bytes], says: str) -> None:
    with pytest.raises(DataError, match=says):
        read_log(zipped(tmp_path / "x.zip", **members))


def test_members_outside_the_archive_are_never_written(tmp_path: Path) -> None:
    path = write_log(log_of("g"), tmp_path / "log.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../evil.txt", b"x")
    with pytest.raises(DataError, match=r"a member is called '\.\./evil\.txt', which leads out of it"):
        read_log(path)
    assert [p.name for p in tmp_path.iterdir()] == ["log.zip"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "line 2: no game as JSON"),
        ('{"games": {"game_id": "g", "odd": 1}, "seats": []}', "line 2: .*unknown column 'odd'"),
        ("[]", "line 2: no game as JSON"),
    ],
)
def test_json_lines_that_are_no_game(tmp_path: Path, line: str, says: str) -> None:
    path = write_log(log_of("g"), tmp_path / "log.jsonl")
    head = path.read_text().splitlines()[0]
    path.write_text(head + "\n" + line + "\n")
    with pytest.raises(DataError, match=says):
        read_log(path)


def test_a_first_line_that_is_no_header_is_told_by_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{oops")
    with pytest.raises(DataError, match=r"x\.json line 1: the line is no JSON"):
        read_log(tmp_path / "x.json", format="gamelog")


def test_an_identifier_that_occurs_twice(tmp_path: Path) -> None:
    path = write_log(log_of("g"), tmp_path / "log.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[1]]))
    log = read_log(path)
    assert log.rejects[["line", "reason"]].values.tolist() == [
        [3, "game_id 'g' occurs twice, expected unique identifiers"]
    ]
    assert len(log) == 1
    with pytest.raises(DataError, match=r"log\.jsonl line 3: game_id 'g' occurs twice"):
        read_log(path, strict=True)


@pytest.mark.parametrize(
    ("table", "change", "says"),
    [
        ("seats", {}, "table seats lists seat 1 twice"),
        ("seats", {"seat": 0}, "table seats: seat is 0, expected 1 to"),
        ("moves", {"seat": 3}, "seat 3 is not listed in table seats"),
        ("moves", {}, "two moves of seat 1 in round 1"),
        ("moves", {"round": "x"}, "table moves: round is x, expected 1 to"),
        ("moves", {"step": None}, "table moves: step is None, expected 1 to"),
    ],
)
def test_a_line_whose_tables_disagree_is_rejected(
    tmp_path: Path, table: str, change: dict[str, object], says: str
) -> None:
    path = write_log(log_of("g"), tmp_path / "log.jsonl")
    lines = path.read_text().splitlines()
    game = json.loads(lines[1].replace('"g"', '"h"'))
    game[table].append({**game[table][0], **change})
    path.write_text("\n".join([*lines, json.dumps(game)]))
    log = read_log(path)
    assert (log.games["game_id"].tolist(), log.rejects["line"].tolist()) == (["g"], [3])
    assert says in log.rejects["reason"][0]


@pytest.mark.parametrize("column", ["round", "seat"])
def test_numbers_that_would_take_all_memory(tmp_path: Path, column: str) -> None:
    log = log_of("g")
    log.moves[column] = 10**12
    with pytest.raises(DataError, match=f"table moves: column '{column}' goes beyond 1 to"):
        read_log(write_log(log, tmp_path / "log.zip"))


def test_damaged_archive(tmp_path: Path) -> None:
    path = write_log(log_of("g"), tmp_path / "log.csv.zip")
    data = bytearray(path.read_bytes())
    data[60:90] = b"x" * 30
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"log\.csv\.zip: "):
        read_log(path)


def test_folder_that_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a folder without files, expected tables of games"):
        read_log(tmp_path)


def test_a_folder_without_a_name_is_shown_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"^\.: a folder without"):
        read_log(".")


def test_facts_are_readable_json(tmp_path: Path) -> None:
    facts = json.loads((write_log(log_of("g"), tmp_path / "log") / "log.json").read_text())
    assert facts["intent_log"] == 2


def test_a_run_that_has_not_written_its_log_says_so(tmp_path: Path) -> None:
    for name in ("run.json", "run.sqlite"):
        (tmp_path / name).touch()
    with pytest.raises(DataError, match=r"a run that has written no log, .*intent resume"):
        read_log(tmp_path)
