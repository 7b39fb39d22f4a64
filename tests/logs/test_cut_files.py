"""Packed logs that are cut short or damaged: what is there in full is kept, what is missing is one reject."""

from __future__ import annotations

import gzip
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from inspect_logs import intent_sample, write_eval

import intent
from intent.base.errors import DataError
from intent.behaviour.agreement import agree
from intent.comparison.sweep import sweep
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log
from intent.logs.readers.reader import Source
from intent.logs.stores import write_jsonl, write_log
from intent.logs.validate import validate
from intent.recognise.discovery import discover
from intent.recognise.labels.request import LabelRequest
from intent.report.figures import figures

NAMES = ("game", "round", "player", "action", "payoff")
ROWS = [
    (f"g{game}", turn, player, "CD"[(game * turn + player) % 2], (game * 7919 + turn * player) % 97)
    for game in range(200)
    for turn in range(1, 11)
    for player in (1, 2)
]
EARLY = "the compressed file ends early"


def csv() -> bytes:
    return "".join(",".join(map(str, row)) + "\n" for row in (NAMES, *ROWS)).encode()


def quoted_csv() -> bytes:
    lines = [",".join(NAMES), *(f'{game},{t},{p},{a},"{pay}\n"' for game, t, p, a, pay in ROWS)]
    return ("\n".join(lines) + "\n").encode()


def json_lines() -> bytes:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS).encode()


def nested_lines() -> bytes:
    """A game a line, with its moves in lists."""
    games: dict[str, dict[str, list[str]]] = {}
    for game, _, player, action, _ in ROWS:
        games.setdefault(game, {}).setdefault(f"player{player}", []).append(action)
    return "".join(json.dumps({"game": g, "moves": moves}) + "\n" for g, moves in games.items()).encode()


def own_lines(folder: Path) -> bytes:
    (folder / "all.csv").write_bytes(csv())
    return write_jsonl(read_log(folder / "all.csv", cooperate="C"), folder / "all.jsonl").read_bytes()


def read(path: Path, data: bytes, **settings: object) -> GameLog:
    path.write_bytes(data)
    return read_log(path, **settings)  # type: ignore[arg-type]


def full_lines(packed: bytes) -> int:
    return zlib.decompressobj(31).decompress(packed).count(b"\n")


FOREIGN: dict[str, Callable[[], bytes]] = {
    "x.csv.gz": csv,
    "x.jsonl.gz": json_lines,
    "nested.jsonl.gz": nested_lines,
}


@pytest.mark.parametrize("share", [0.3, 0.8])
@pytest.mark.parametrize("name", FOREIGN)
def test_full_lines_are_kept_and_the_rest_is_one_reject(name: str, share: float, tmp_path: Path) -> None:
    text = FOREIGN[name]()
    packed = gzip.compress(text)
    packed = packed[: int(share * len(packed))]
    n = full_lines(packed)
    log = read(tmp_path / name, packed, cooperate="C")
    assert log.rejects[["line", "reason"]].values.tolist() == [[n + 1, EARLY]]
    plain = read(
        tmp_path / name.removesuffix(".gz"), b"".join(text.splitlines(keepends=True)[:n]), cooperate="C"
    )
    assert log.moves[["round", "seat", "action"]].equals(plain.moves[["round", "seat", "action"]])
    with pytest.raises(DataError, match=rf"line {n + 1}: {EARLY}"):
        read_log(tmp_path / name, cooperate="C", strict=True)


def test_a_log_of_ours_keeps_its_full_games(tmp_path: Path) -> None:
    packed = gzip.compress(own_lines(tmp_path))[:-2000]
    n = full_lines(packed)
    log = read(tmp_path / "x.jsonl.gz", packed)
    assert len(log) == n - 1
    assert log.rejects[["line", "reason"]].values.tolist() == [[n + 1, EARLY]]
    with pytest.raises(DataError, match=EARLY):
        read_log(tmp_path / "x.jsonl.gz", strict=True)


def test_fairgame_results_keep_their_full_rows(data_dir: Path, tmp_path: Path) -> None:
    packed = (data_dir / "fairgame" / "results.csv.gz").read_bytes()
    log = read(tmp_path / "results.csv.gz", packed[: len(packed) // 2])
    assert log.provenance["format"] == "fairgame"
    assert log.rejects["reason"].tolist()[-1] == EARLY
    assert 0.3 < len(log) / len(read_log(data_dir / "fairgame" / "results.csv.gz")) < 0.7


def test_a_row_that_ends_within_quotes_is_none(tmp_path: Path) -> None:
    text = quoted_csv()
    stop = text.index(b'\n"', len(text) // 2) + 1  # after a line feed within quotes
    packed = gzip.compress(text[:stop])[:-8]
    log = read(tmp_path / "x.csv.gz", packed, cooperate="C")
    assert log.rejects[["line", "reason"]].values.tolist() == [[text[:stop].count(b"\n"), EARLY]]
    assert len(log.moves) == text[:stop].count(b'\n"')


def test_the_checksum_alone_is_missing(tmp_path: Path) -> None:
    log = read(tmp_path / "x.csv.gz", gzip.compress(csv())[:-8], cooperate="C")
    assert len(log) == 200
    assert log.rejects["line"].tolist() == [len(ROWS) + 2]


def test_members_whose_checksums_hold_are_kept(tmp_path: Path) -> None:
    """Nothing says where within a member its damage is, so none of its lines is known to be as written."""
    text = csv()
    half = text.index(b"\n", len(text) // 2) + 5  # within a line
    packed = [gzip.compress(text[:half]), gzip.compress(text[half:])]
    damaged = bytearray(packed[1])
    damaged[len(damaged) // 2] ^= 0xFF
    log = read(tmp_path / "x.csv.gz", packed[0] + bytes(damaged), cooperate="C")
    reason = "the compressed file is damaged: no checksum confirms its lines from here on"
    assert log.rejects[["line", "reason"]].values.tolist() == [[text[:half].count(b"\n") + 1, reason]]
    assert len(read(tmp_path / "x.csv.gz", b"".join(packed), cooperate="C").rejects) == 0
    with pytest.raises(DataError, match=r"^x.csv.gz: damaged gzip after \d+ bytes of text"):
        read(tmp_path / "x.csv.gz", bytes(damaged), cooperate="C")


@pytest.mark.parametrize("name", FOREIGN)
def test_what_follows_the_text_is_a_reject(name: str, tmp_path: Path) -> None:
    text = FOREIGN[name]()
    log = read(tmp_path / name, gzip.compress(text) + b"and so on", cooperate="C")
    reason = "what follows the compressed text is no gzip"
    assert log.rejects[["line", "reason"]].values.tolist() == [[text.count(b"\n") + 1, reason]]
    assert len(log) == 200


def test_a_document_is_read_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    document = json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS], indent=1).encode()
    packed = gzip.compress(document)
    with pytest.raises(DataError, match=rf"^x.json.gz line \d+: {EARLY}"):
        read(tmp_path / "x.json.gz", packed[: len(packed) // 2], cooperate="C")
    assert len(read(tmp_path / "x.json.gz", packed + b"more", cooperate="C").rejects) == 1


@pytest.mark.parametrize("data", [b"", gzip.compress(b"")], ids=["no bytes", "nothing packed"])
def test_nothing_is_no_log(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^x.csv.gz: empty file$"):
        read(tmp_path / "x.csv.gz", data)


def test_not_one_full_line_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"^x.csv.gz: truncated gzip: it ends after \d+ bytes of text, 0 full"
    ):
        read(tmp_path / "x.csv.gz", gzip.compress(csv())[:40])


def test_a_reader_that_does_not_list_it_gets_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(csv())[:-99])
    source = Source(tmp_path / "x.csv.gz")
    assert source.legible.data
    with pytest.raises(DataError, match="truncated gzip"):
        _ = source.text


def test_zeros_after_the_text_are_nothing(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).bytes(800_000).hex().encode()
    packed = gzip.compress(csv()) + gzip.compress(b'"' + noise[:9] + b'",1,1,C,3\n', 0) + b"\0" * 3 * 2**20
    assert len(read(tmp_path / "x.csv.gz", packed, cooperate="C").rejects) == 0


def test_validate_names_it(tmp_path: Path) -> None:
    packed = gzip.compress(csv())
    (tmp_path / "x.csv.gz").write_bytes(packed[: len(packed) // 2])
    line = full_lines(packed[: len(packed) // 2]) + 1
    validation = validate(tmp_path / "x.csv.gz", cooperate="C")
    assert validation.first_rejects == (f"line {line}: {EARLY}",)
    with pytest.raises(DataError, match=f"line {line}: {EARLY}"):
        validate(tmp_path / "x.csv.gz", cooperate="C", strict=True)


@pytest.mark.parametrize("zstd", [True, False])
def test_inspect_archives_keep_their_whole_samples(zstd: bool, tmp_path: Path) -> None:
    samples = [intent_sample(f"s{i}") for i in range(5)]
    path = write_eval(tmp_path / "x.eval", samples, zstd=zstd)
    data = path.read_bytes()
    at = data.index(b"samples/s3_epoch_1.json")
    log = read(path, data[: at + 60])
    assert len(log) == 3
    assert log.rejects["reason"].tolist() == ["the archive ends early, in samples/s3_epoch_1.json"]
    assert "the evaluation has status started: its samples so far" in log.provenance["notes"]
    with pytest.raises(DataError, match="the archive ends early"):
        read_log(path, strict=True)
    directory = data.index(b"PK\x01\x02")
    assert read(path, data[: directory + 9]).rejects["reason"].tolist() == ["the archive ends early"]
    damaged = bytearray(data[: at + 60])
    damaged[data.index(b"samples/s1_epoch_1.json") + 60] ^= 0xFF
    assert len(read(path, bytes(damaged))) == 2
    with pytest.raises(DataError, match=r"^x.eval: no readable zip archive"):
        read(path, data[:50])


def test_tables_of_ours_are_whole_or_one_line(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_bytes(csv())
    log = read_log(tmp_path / "all.csv", cooperate="C")
    write_log(log, tmp_path / "log.zip")
    data = (tmp_path / "log.zip").read_bytes()
    (tmp_path / "log.zip").write_bytes(data[: len(data) // 2])
    with pytest.raises(
        DataError, match=r"^log.zip: no readable zip archive: it has no directory, its end may be cut"
    ):
        read_log(tmp_path / "log.zip")
    log.games.to_parquet(tmp_path / "x.parquet")
    data = (tmp_path / "x.parquet").read_bytes()
    with pytest.raises(DataError, match=r"^x.parquet: [^\n]+$"):
        read(tmp_path / "x.parquet", data[: len(data) // 2])
    assert not zipfile.is_zipfile(tmp_path / "log.zip")


def test_who_estimates_from_a_cut_log_says_that_it_is_not_whole(tmp_path: Path) -> None:
    packed = gzip.compress(csv(), mtime=0)
    log = read(tmp_path / "x.csv.gz", packed[: len(packed) // 2], cooperate="C")
    line = f"the log is not whole: {EARLY}; what came after is not in it"
    for result in (
        intent.sfem(log),
        intent.compare(log, by="seat"),
        intent.predict(log, models="base-rate", folds=2),
        discover(log, states="1"),
    ):
        assert line in result.notes, type(result)
        assert not any("could not be read" in note for note in result.notes)
    path = tmp_path / "x.csv.gz"
    path.write_bytes(packed[: len(packed) // 2])
    for said in (
        LabelRequest(log=path, cooperate="C").run().remarks(),
        agree(path, "bayes,rules", bootstrap=20, cooperate="C").remarks(),
        sweep(path, cooperate="C").notes,
        figures(path, ["cooperation"], folder=tmp_path / "figures", bootstrap=20, cooperate="C").notes,
    ):
        lines = list(said)
        assert line in lines
        assert not any("could not be read" in one for one in lines)
