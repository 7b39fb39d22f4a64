"""What every command answers: run, and written down so that two versions can be compared.

An answer holds the exit code, both streams and every file that the command wrote: tables by column, JSON by
value, text by line, other files by their size class. What may differ between two runs (times, folders,
versions, identifiers of runs) is replaced by a word.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import json
import math
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intent.version import __version__

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ANSWERS = HERE / "answers"

PLACES = {
    "samples": ROOT / "datasets" / "samples",
    "experiments": ROOT / "experiments",
    "salt": "5a" * 32,
}

_CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\b\d{8}[-T_]\d{6}\w*"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds|minutes|min)\b"), "<duration>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<id>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
)
_OWN_VERSION = re.compile(rf"(?<![\w.]){re.escape(__version__)}(?!\w|\.\d)")
_CHANGING_KEYS = re.compile(
    r"second|duration|elapsed|created|started|finished|latency|per_minute|run_id|version|sha256|speed|host|when|memory|^bytes$"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Command:
    """One line of ``commands.txt``."""

    chapter: str
    name: str
    words: tuple[str, ...]
    fails: bool

    @property
    def answer(self) -> Path:
        """The file of its frozen answer."""
        return ANSWERS / self.chapter / f"{self.name}.txt"


def commands() -> dict[str, list[Command]]:
    """Chapter -> its commands in order."""
    chapters: dict[str, list[Command]] = {}
    chapter = ""
    for line in (HERE / "commands.txt").read_text("utf8").splitlines():
        if line.startswith("["):
            chapter = line.strip("[]")
            chapters[chapter] = []
        elif line and not line.startswith("#"):
            name, _, words = line.partition(":")
            text = re.sub(r"\{(\w+)\}", lambda m: str(PLACES[m[1]]), words)
            fails = name.endswith("!")
            chapters[chapter].append(Command(chapter, name.rstrip("!"), tuple(shlex.split(text)), fails))
    return chapters


def answer(command: Command, folder: Path) -> tuple[int, str]:
    """Run a command in a folder; its exit code and its answer."""
    before = _files(folder)
    code, out, err = _run(command.words, folder)
    parts = [
        f"intent {' '.join(command.words)}",
        f"exit {code}",
        *_stream("output", out),
        *_stream("errors", err),
    ]
    for name, stamp in sorted(_files(folder).items()):
        if before.get(name) != stamp:
            parts += [f"== file {name}", *_content(folder / name)]
    return code, _steady("\n".join(parts) + "\n", folder)


def chapter_answers(chapter: list[Command], folder: Path) -> Iterator[tuple[Command, int, str]]:
    """Commands of a chapter, each with its exit code and answer, run one after the other in a folder."""
    for command in chapter:
        code, text = answer(command, folder)
        yield command, code, text


def differences(expected: str, got: str) -> list[str]:
    """Lines that differ: in words, or in numbers by more than one in a million."""
    a, b = expected.splitlines(), got.splitlines()
    wrong = [f"- {x}\n+ {y}" for x, y in zip(a, b, strict=False) if not _alike(x, y)]
    if len(a) != len(b):
        wrong.append(f"{len(a)} lines, now {len(b)}: {(a[len(b) :] or b[len(a) :])[0]}")
    return wrong


def _alike(x: str, y: str) -> bool:
    if x == y:
        return True
    if _NUMBER.sub("#", x) != _NUMBER.sub("#", y):
        return False
    pairs = zip(_NUMBER.findall(x), _NUMBER.findall(y), strict=True)
    return all(math.isclose(float(p), float(q), rel_tol=1e-6, abs_tol=1e-9) for p, q in pairs)


def _run(words: tuple[str, ...], folder: Path) -> tuple[int, str, str]:
    from intent.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*words, "--quiet"])  # how long it took is no part of the answer
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return code, out.getvalue(), err.getvalue()


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file()
    }


def _stream(name: str, text: str) -> list[str]:
    if not text:
        return []
    try:
        value = json.loads(text)
    except ValueError:
        return [f"== {name}", *text.rstrip("\n").splitlines()]
    return [f"== {name}: json", *_leaves(value)]


def _content(path: Path) -> list[str]:
    """What a file holds, one fact per line."""
    suffixes = "".join(path.suffixes[-2:])
    if path.suffix == ".parquet":
        return _table(path)
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if suffixes.startswith(".csv"):
        return _csv(data.decode("utf8"))
    if path.suffix == ".json":
        return _leaves(json.loads(data))
    if ".jsonl" in suffixes:
        lines = data.decode("utf8").splitlines()
        return [f"{len(lines)} lines", *(_leaves(json.loads(lines[0])) if lines else [])]
    if path.suffix in (".md", ".txt", ".yaml", ".tex", ".bib"):
        return data.decode("utf8").splitlines()
    if path.suffix == ".html":
        return _page(data.decode("utf8"))
    return [f"about 2**{len(data).bit_length()} bytes"]


def _table(path: Path) -> list[str]:
    import pandas as pd

    table = pd.read_parquet(path)
    return [f"{len(table)} rows", *(_column(str(c), str(table[c].dtype), table[c].tolist()) for c in table)]


def _csv(text: str) -> list[str]:
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        return ["empty"]
    columns = list(zip(*rows[1:], strict=True)) or [()] * len(rows[0])
    return [
        f"{len(rows) - 1} rows",
        *(_column(name, "text", list(values)) for name, values in zip(rows[0], columns, strict=True)),
    ]


def _column(name: str, kind: str, values: list[Any]) -> str:
    """Name, kind, and either sums of the numbers or a digest of the texts."""
    if _CHANGING_KEYS.search(name):
        return f"{name}: {kind}"
    try:
        numbers = [float(v) for v in values if v not in ("", None) and v == v]
        total = math.fsum(numbers)
        weighted = math.fsum(v * (i % 97 + 1) for i, v in enumerate(numbers))
        return f"{name}: {kind}, {len(numbers)} numbers, sum {total:.9g}, weighted {weighted:.9g}"
    except (TypeError, ValueError):
        text = "\x1f".join(_steady(str(v), None) for v in values)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return f"{name}: {kind}, digest {digest}, first {str(values[0])[:80]!r}"


def _page(text: str) -> list[str]:
    """The words of a page."""
    text = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", "", text)
    words = re.sub(r"(?s)<[^>]+>", "\n", text)
    return [line.strip() for line in words.splitlines() if line.strip()]


def _leaves(value: Any, path: str = "") -> list[str]:
    """Every value of an object with its place."""
    if isinstance(value, dict) and value:
        return [line for k, v in value.items() for line in _leaves(v, f"{path}.{k}" if path else str(k))]
    if isinstance(value, list) and value:
        return [line for i, v in enumerate(value) for line in _leaves(v, f"{path}[{i}]")]
    if isinstance(value, int | float) and not isinstance(value, bool):
        last = path.rpartition(".")[2]
        return [f"{path} = {'<changing>' if _CHANGING_KEYS.search(last) else format(value, '.12g')}"]
    if isinstance(value, str) and _CHANGING_KEYS.search(path.rpartition(".")[2]):
        return [f"{path} = <changing>"]
    return [f"{path} = {json.dumps(value, ensure_ascii=False)}"]


def _steady(text: str, folder: Path | None) -> str:
    """The text without what differs between two runs."""
    if folder is not None:
        text = text.replace(str(folder), "<folder>")
    text = text.replace(str(ROOT), "<repository>")
    text = _OWN_VERSION.sub("<version>", text)
    for pattern, word in _CHANGING:
        text = pattern.sub(word, text)
    return text


def main() -> None:
    """Write all answers anew, or those of the chapters that are named."""
    import tempfile

    sys.path.insert(0, str(ROOT))
    os.environ |= ENVIRONMENT
    for name, chapter in commands().items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for command, code, text in chapter_answers(chapter, Path(folder)):
                command.answer.parent.mkdir(parents=True, exist_ok=True)
                command.answer.write_text(text, encoding="utf8")
                if (code != 0) != command.fails:
                    print(f"{name}/{command.name}: exit {code}", text[-600:], sep="\n")
            print(f"{name}: {len(chapter)} commands")


ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}

if __name__ == "__main__":
    main()
