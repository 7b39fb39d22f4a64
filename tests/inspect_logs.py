"""Inspect logs made by hand, in the form that inspect-ai 0.3 writes."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

PAY = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}
SPEC = {"task": "pd", "run_id": "r1", "model": "mock/m", "task_args": {"rounds": 4}}


def moves(one: str, two: str) -> list[dict[str, Any]]:
    """A table of moves, one object per seat and round."""
    table = []
    for t, pair in enumerate(zip(one, two, strict=True), start=1):
        pay = PAY["".join(pair)]
        table += [{"round": t, "seat": s + 1, "action": pair[s], "payoff": pay[s]} for s in (0, 1)]
    return table


def sample(name: str, store: Mapping[str, Any], epoch: int = 1, **more: Any) -> dict[str, Any]:
    """A sample whose store holds the play."""
    return {
        "id": name,
        "epoch": epoch,
        "input": "Play.",
        "store": dict(store),
        "metadata": {},
        "scores": {},
        **more,
    }


def intent_sample(name: str, one: str = "CCDD", two: str = "CCCD", **more: Any) -> dict[str, Any]:
    """A sample by our convention: the model against tit for tat."""
    players = [{"player": "model"}, {"player": "tft", "strategy": "TFT"}]
    record = {"payoff_kind": "reward", "players": players, "moves": moves(one, two)}
    return sample(name, {"intent": record}, **more)


def log_text(samples: Sequence[Mapping[str, Any]], **spec: Any) -> str:
    """A ``.json`` log."""
    return json.dumps(
        {"version": 2, "status": "success", "eval": {**SPEC, **spec}, "samples": list(samples)}, indent=2
    )


def write_eval(
    path: Path, samples: Sequence[Mapping[str, Any]], *, zstd: bool = True, header: bool = True
) -> Path:
    """An ``.eval`` archive; members packed by zstd (method 93), as inspect-ai writes them, or by deflate."""
    facts = {"version": 2, "status": "success", "eval": SPEC}
    members = {"_journal/start.json": {k: v for k, v in facts.items() if k != "status"}}
    members |= {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    members |= {"header.json": facts} if header else {}
    data = {name: json.dumps(member).encode() for name, member in members.items()}
    if not zstd:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in data.items():
                archive.writestr(name, text)
        return path
    path.write_bytes(zstd_archive(data))
    return path


def zstd_archive(members: Mapping[str, bytes]) -> bytes:
    """A zip archive with members of method 93, which Python's zipfile writes from 3.14 on."""
    body, directory = b"", b""
    for name, text in members.items():
        packed = pa.compress(text, "zstd", asbytes=True)
        common = struct.pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(text), len(packed), len(text), len(name), 0
        )
        directory += (
            b"PK\x01\x02" + struct.pack("<H", 63) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        )
        directory += name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    count = len(members)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end
