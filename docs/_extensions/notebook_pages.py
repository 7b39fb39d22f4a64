"""Notebooks as pages of the site, as they ran when it was built.

A notebook is executed in an empty folder, on the samples that ship, and its cells become Markdown with their
outputs. What came out is kept in docs/_build/notebooks until the notebook or the package changes.
`-D run_notebooks=0` shows the cells without outputs.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NOTEBOOKS = "notebooks/*.ipynb"
OUTPUTS = "docs/_build/notebooks"
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
STYLE = re.compile(r"<style.*?</style>| border=\"1\"", flags=re.DOTALL)
ROOT = f"{Path(__file__).resolve().parents[2]}{os.sep}"
COLOURS = 200
TIMEOUT = 1800


def digest(paths: Iterable[Path]) -> str:
    """A hash of files, by name and content."""
    seen = hashlib.sha256()
    for path in sorted(paths):
        seen.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return seen.hexdigest()


def key(path: Path, root: Path) -> str:
    """What the outputs of a notebook follow from: itself, the package, what ships with it, this module."""
    shipped = (
        one for folder in ("models", "datasets") for one in (root / folder).rglob("*") if one.is_file()
    )
    return digest([path, Path(__file__), *(root / "intent").rglob("*.py"), *shipped])


def executed(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook after a run from top to bottom in an empty folder, without public logs."""
    import nbformat
    from nbclient import NotebookClient

    words = {name: value for name, value in os.environ.items() if name != "INTENT_DATA"}
    words["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), words.get("PATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(notebook, timeout=TIMEOUT, resources={"metadata": {"path": folder}})
        client.execute(env=words, stderr=subprocess.DEVNULL)  # what the kernel itself warns of
    return notebook.cells


def run(path: Path, root: Path) -> bool:
    """Execute a notebook whose outputs are not there or of another version; whether that was so."""
    outputs, current = root / OUTPUTS / f"{path.stem}.json", key(path, root)
    if outputs.is_file() and json.loads(outputs.read_text(encoding="utf-8"))["key"] == current:
        return False
    cells = executed(path)
    outputs.parent.mkdir(parents=True, exist_ok=True)
    outputs.write_text(json.dumps({"key": current, "cells": cells}), encoding="utf-8")
    return True


def fenced(text: str, language: str) -> str:
    """Text in a fence that it does not end."""
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", text)), 3)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def small_picture(data: str) -> bytes:
    """A picture in few colours."""
    from PIL import Image

    small = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        image.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(small, "png", optimize=True)
    return small.getvalue()


def shown(output: Mapping[str, Any], picture: Path) -> str:
    """An output as Markdown; a picture is written to the path."""
    kinds = output.get("data", {})
    if "image/png" in kinds:
        picture.write_bytes(small_picture(kinds["image/png"]))
        return f"![What the cell above draws](/{OUTPUTS}/{picture.name})\n"
    if "text/html" in kinds:
        table = STYLE.sub("", kinds["text/html"])
        return fenced(f'<div class="cell-output" tabindex="0">{table}</div>', "{raw} html")
    text = COLOUR.sub("", output.get("text", kinds.get("text/plain", ""))).replace(ROOT, "")
    return fenced(text, "{code-block} text\n:class: cell-output\n") if text.strip() else ""


def pieces(cells: Iterable[Mapping[str, Any]], stem: str, folder: Path) -> Iterator[str]:
    """The cells as Markdown, in their order."""
    title = True
    for k, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            head, _, rest = source.partition("\n")
            note = f"\n*A notebook, as it ran when this site was built: {{download}}`{stem}.ipynb`.*\n"
            yield f"{head}\n{note}{rest}\n" if title else f"{source}\n"
            title = False
            continue
        yield fenced(source, "bash" if source.startswith("%%bash") else "python")
        streams = merged(cell.get("outputs", ()))
        yield from (shown(output, folder / f"{stem}-{k}-{n}.png") for n, output in enumerate(streams))


def merged(outputs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Outputs with pieces of the same stream joined."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        name = output.get("name")
        if name and joined and joined[-1].get("name") == name:
            joined[-1]["text"] += output["text"]
        else:
            joined.append(dict(output))
    return joined


def run_all(app: Sphinx) -> None:
    """Execute the notebooks that need it, as many at a time as there are processors."""
    if not app.config.run_notebooks:
        return
    root = Path(app.srcdir)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda path: run(path, root), sorted(root.glob(NOTEBOOKS))))


def as_markdown(app: Sphinx, page: str, content: list[str]) -> None:
    """Turn a notebook into Markdown as it is read."""
    path = Path(app.env.doc2path(page))
    if path.suffix != ".ipynb":
        return
    folder = Path(app.srcdir) / OUTPUTS
    outputs, cells = folder / f"{path.stem}.json", json.loads(content[0])["cells"]
    if app.config.run_notebooks:
        cells = json.loads(outputs.read_text(encoding="utf-8"))["cells"]
        app.env.note_dependency(str(outputs))
    content[0] = "\n".join(pieces(cells, path.stem, folder))


def setup(app: Sphinx) -> dict[str, bool]:
    """Execute before the build looks for its sources; join the reading of pages before others do."""
    app.add_config_value("run_notebooks", True, "env", types=frozenset({bool, str}))
    app.connect("builder-inited", run_all)
    app.connect("source-read", as_markdown, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
