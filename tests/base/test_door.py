"""Nobody but the door opens files of users: what reads is called in a few modules of `intent.base` alone."""

from __future__ import annotations

import ast
from functools import cache

from source_nodes import nodes

DOOR = {
    "base/binary.py",
    "base/files.py",
    "base/remote.py",
    "base/settings.py",
}
"""The modules that open what users give."""

READING = {
    "zipfile.ZipFile",
    "tarfile.open",
    "gzip.open",
    "gzip.decompress",
    "zlib.decompress",
    "zlib.decompressobj",
    "bz2.open",
    "lzma.open",
    "pq.ParquetFile",
    "pq.read_table",
    "pq.read_metadata",
    "pq.read_schema",
    "pq.read_pandas",
    "pq.ParquetDataset",
    "pa.csv.read_csv",
    "pa.json.read_json",
    "pa.ipc.open_file",
    "pa.ipc.open_stream",
    "pa.memory_map",
    "pd.read_csv",
    "pd.read_json",
    "pd.read_parquet",
    "pd.read_pickle",
    "pd.read_excel",
    "json.load",
    "json.loads",
    "yaml.load",
    "yaml.safe_load",
    "yaml.full_load",
    "yaml.unsafe_load",
    "yaml.load_all",
    "yaml.safe_load_all",
    "np.load",
    "np.loadtxt",
    "np.genfromtxt",
    "np.fromfile",
    "sqlite3.connect",
    "csv.reader",
    "csv.DictReader",
    "pickle.load",
    "pickle.loads",
    "torch.load",
    "joblib.load",
    "safetensors.numpy.load",
    "open",
    "read_text",
    "read_bytes",
}
"""Calls that read a file, or unpack or parse what one holds."""

ALLOWED = {
    "agents/": "replies, bounded where they come in; weights, whose hashes are checked; our own texts",
    "games/": "payoffs, one cell, bounded by the field",
    "arena/sandbox/": "messages of our own processes, bounded by their length; our own texts",
    "arena/writing/strategies.py json.loads": "a reply of a model, bounded in its characters",
    "arena/sources/writer.py read_text": "a text of ours",
    "arena/writing/task.py read_text": "a text of ours",
    "arena/streams.py": "a key of our own, 65 bytes, from a file that must be the user's alone",
    "base/tracking.py open": "the first bytes, before the door opens the database",
    "base/experiments.py csv.reader": "a text that the door has opened",
    "estimate/choice/heldout.py read_bytes": "our own code, for its hash",
    "logs/delimited.py": "a text that the door has opened",
    "base/registry.py read_text": "entry points of ours",
    "base/workers.py": "calls and results of our own processes; the address of a scheduler",
    "base/wording.py read_text": "sentences of ours, works that we cite",
    "report/page.py read_text": "pages of ours",
    "figures/style.py read_text": "a figure that was just written",
    "figures/style.py read_bytes": "a file as long as what is written, to see whether it is the same",
    "inspect/play.py json.loads": "a text of ours, the key of a memory",
    "inspect/scorers.py json.loads": "a text of ours, to have plain values",
    "runner/replicate.py json.loads": "a body that was sent, one cell of a database",
    "view/texts.py open": "copies that this process made",
    "view/app.py read_text": "pages of ours",
    "view/app.py read_bytes": "pages of ours",
    "view/game_detail.py json.loads": "a body that was sent, one cell of a database",
    "view/game_page.py json.loads": "payoffs, one cell of a table",
    "view/source.py pa.ipc.open_file": "a copy that this process made",
    "view/source.py pa.memory_map": "a copy that this process made",
    "behaviour/measures.py json.loads": "one cell of a table, cut to a length",
    "comparison/data.py json.loads": "details of a move, one cell of a table",
    "runner/caller.py json.loads": "one cell of a database, bounded by the door",
    "runner/driver.py json.loads": "one cell of a database, bounded by the door",
    "runner/store.py": "cells of a database, unpacked within a bound of their own",
    "logs/importer/sense.py json.loads": "payoffs, one cell of a table",
    "logs/importer/trees.py pa.json.read_json": "lines of a text that the door has opened, within the bounds",
    "base/tables.py pd.read_csv": "a text that the door has opened",
    "base/tables.py csv.reader": "the first line of a text that the door has opened",
    "logs/stores/__init__.py pa.csv.read_csv": "a member that the door has read",
    "logs/stores/__init__.py json.loads": "what was just written",
    "logs/stores/fairgame.py json.loads": "payoffs, one cell of a table",
    "logs/readers/compact.py json.loads": "payoffs, one cell of a table",
    "logs/readers/reader.py open": "bytes of the file for its hash, a MiB at a time",
    "recognise/classifiers.py zipfile.ZipFile": "writing an archive; members are read by the door",
    "base/job.py open": "bytes of the file for its hash",
    "recognise/study/plan.py read_bytes": "the manifest of a recogniser that was just loaded, for its hash",
    "arena/evolution/evolve.py csv.reader": "a text that the door has opened",
    "gamma/pirate.py json.loads": "a choice in one reply, bounded by the field",
    "gamma/stories.py json.loads": "what a game of ours says of itself",
    "comparison/sentences.py": "texts of ours",
    "gamma/prompts.py read_text": "texts of ours",
    "gamma/bench/questionnaire.py csv.DictReader": "a text that the door has opened",
    "estimate/baselines.py": "figures of ours",
    "games/description.py json.loads": "what a game of ours says of itself",
    "gamma/catalogue.py json.loads": "what a game of ours says of itself",
    "behaviour/metrics_pieces.py pa.ipc.open_stream": "a table that a process of ours sends",
    "behaviour/metrics_pieces.py json.loads": "metadata that were just written",
    "runner/finish.py json.loads": "what was just written",
    "cli/app.py open": "the null device",
}
"""Place, with or without one call -> why it may stand there."""


def called(node: ast.expr) -> str:
    """The dotted name of what is called, as far as it has one."""
    if isinstance(node, ast.Attribute):
        return f"{called(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def writes(call: ast.Call) -> bool:
    """Whether an `open` names a mode that only writes."""
    words = [*call.args, *(k.value for k in call.keywords if k.arg == "mode")]
    modes = [w.value for w in words if isinstance(w, ast.Constant) and isinstance(w.value, str)]
    return any(mode and set(mode) <= set("wxabt") and set(mode) & set("wxa") for mode in modes)


@cache
def readings() -> list[tuple[str, str, int]]:
    """(file, call, line) of what reads outside the door."""
    calls = []
    for place, own in nodes().items():
        if place in DOOR:
            continue
        names: dict[str, str] = {}
        for node in own:
            if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("intent"):
                names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        for node in own:
            if not isinstance(node, ast.Call):
                continue
            name = called(node.func)
            name = names.get(name, name)
            last = name.rpartition(".")[2]
            if name in ("Run.open", "webbrowser.open"):
                continue
            if (
                name in READING
                or last in ("read_text", "read_bytes")
                or (last == "open" and not writes(node))
            ):
                calls.append((place, name if name in READING else last, node.lineno))
    return calls


def is_allowed(place: str, call: str) -> bool:
    return any(
        place.startswith(where) and (not what or what == call)
        for where, _, what in (key.partition(" ") for key in ALLOWED)
    )


def test_files_of_users_are_opened_by_the_door():
    stray = [f"{place}:{line} {call}" for place, call, line in readings() if not is_allowed(place, call)]
    assert stray == []


def test_no_allowance_outlives_its_need():
    used = readings()
    for key in ALLOWED:
        where, _, what = key.partition(" ")
        assert any(place.startswith(where) and (not what or what == call) for place, call, _ in used), key
