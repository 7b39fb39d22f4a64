"""Every figure as a journal would get it: its size, smallest type, fonts in its PDF, what is wrong with it.

``python benchmarks/figures_for_print.py -o FOLDER`` draws every figure of tests/every_figure.py in a single
and in a double column, as PDF, SVG and PNG, with captions; asks ``pdffonts`` (poppler) which fonts each PDF
holds, or the file itself where there is no such program; and prints a table in Markdown. It ends with 1 where
a font is of Type 3, a type is smaller than 6 pt, or `intent.figures.proof` sees something else.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from every_figure import sketches

from intent.base.sheet import COLUMNS, drawn_on, sheet_of
from intent.figures.proof import faults, type3_fonts
from intent.figures.style import caption_path, look, save


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
    parser.add_argument("names", nargs="*", help="figures, as tests/every_figure.py calls them")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kept = chosen.output or Path(scratch) / "drawn"
        kept.mkdir(parents=True, exist_ok=True)
        drawn = sketches(Path(scratch), *chosen.names)
        print(
            "| figure | column | mm | smallest type | fonts in the PDF | wrong |\n|---|---|---|---|---|---|"
        )
        wrong = 0
        for name, (drawing, remarks) in drawn.items():
            for column in COLUMNS:
                wrong += row(name, drawing, remarks, column, kept)
    sys.exit(1 if wrong else 0)


def row(name: str, drawing: object, remarks: object, column: str, folder: Path) -> int:
    """Draw one, print its row; how many faults it has."""
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
    held = fonts(paths[0])
    if "Type 3" in held and not held.endswith("0 of Type 3"):
        seen.append("Type 3")
    cells = (name, column, f"{width:.0f} × {height:.0f}", f"{least:g} pt", held, "; ".join(seen) or "–")
    print(f"| {' | '.join(cells)} |", flush=True)
    return len(seen)


if __name__ == "__main__":
    main()
