"""Every figure as a journal would get it: its size, smallest type, fonts in its PDF, what is wrong with it.

``python benchmarks/figures_for_print.py -o FOLDER`` draws every figure of tests/every_figure.py in a single
and in a double column, as PDF, SVG and PNG, with captions; asks ``pdffonts`` (poppler) which fonts each PDF
holds, or the file itself where there is no such program; and prints a table in Markdown: millimetres, the
smallest type in points, fonts, and what `intent.figures.proof` finds wrong. ``--check`` ends with 1 where
something is.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from every_figure import sketches

from intent.base.sheet import COLUMNS, drawn_on, sheet_of
from intent.figures.proof import faults, type3_fonts
from intent.figures.style import Drawing, caption_path, look, save


def fonts(path: Path) -> str:
    """Names and kinds of the fonts in a PDF file."""
    data = path.read_bytes()
    if shutil.which("pdffonts") is None:
        named = sorted({name.decode() for name in re.findall(rb"/FontName /([\w+-]+)", data)})
        return f"{', '.join(named)}; {type3_fonts(data)} of Type 3"
    listed = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout
    lines = listed.splitlines()
    if len(lines) < 3:
        return "none"
    name, kind, rest = lines[1].split(" ")[0], lines[1].split(" ")[1], lines[1].index(" ") + 1
    end = rest + len(kind)
    rows = [(line[: len(name)].strip().partition("+")[2], line[rest:end].strip()) for line in lines[2:]]
    return ", ".join(f"{font} ({kind})" for font, kind in sorted(set(rows)))


def main() -> None:
    """Draw, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="folder for the files; default: none is kept")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--check", action="store_true", help="end with 1 where something is wrong")
    parser.add_argument("names", nargs="*", help="figures, as tests/every_figure.py calls them")
    chosen = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        kept = chosen.output or Path(scratch) / "drawn"
        kept.mkdir(parents=True, exist_ok=True)
        drawn = sketches(Path(scratch), *chosen.names)
        if not chosen.json:
            print(f"| {' | '.join(COLUMN_NAMES)} |\n|{'---|' * len(COLUMN_NAMES)}")
        for name, (drawing, remarks) in drawn.items():
            for column in COLUMNS:
                rows.append(row(name, drawing, remarks, column, kept))
                if not chosen.json:
                    print(f"| {' | '.join(map(str, rows[-1].values()))} |", flush=True)
    if chosen.json:
        print(json.dumps({"figures": rows}))
    sys.exit(1 if chosen.check and any(one["wrong"] != "–" for one in rows) else 0)


COLUMN_NAMES = ("figure", "column", "width", "height", "type", "fonts", "wrong")


def row(
    name: str, drawing: Drawing, remarks: Sequence[str], column: str, folder: Path
) -> dict[str, str | float]:
    """Draw one, and what is measured: millimetres, the smallest type in points, fonts, faults."""
    from matplotlib.text import Text

    with drawn_on(sheet_of(column)), look():
        figure = drawing.made(remarks)
        seen = faults(figure)
        figure.set_layout_engine("none")
        paths = [folder / f"{name}-{column}.{suffix}" for suffix in ("pdf", "svg", "png")]
        for path in paths:
            save(figure, path, title=drawing.title, description="", overwrite=True)
        caption_path(paths[0]).write_text(drawing.words(remarks), encoding="utf-8")
        width, height = figure.get_size_inches() * 25.4
        least = min(t.get_fontsize() for t in figure.findobj(Text) if t.get_visible() and t.get_text())
    if type3_fonts(paths[0].read_bytes()):
        seen.append("a font of Type 3")
    values = (name, column, round(width), round(height), least, fonts(paths[0]), "; ".join(seen) or "–")
    return dict(zip(COLUMN_NAMES, values, strict=True))


if __name__ == "__main__":
    main()
