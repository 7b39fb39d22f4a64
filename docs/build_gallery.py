"""Write the gallery, docs/gallery.md, and draw its pictures and those of README.md.

``python docs/build_gallery.py`` writes the page from docs/gallery.yaml. ``--check`` exits with 1 if it is out
of date, or if README.md shows a picture that is not there, too large, or drawn by none of its commands.
``--images`` runs the commands of both in an empty folder and keeps what they draw, in few colours, in
docs/figures/gallery and docs/figures/readme, with thumbnails in docs/figures/thumbnails; ``--only NAME``
does so for single figures, ``--readme`` for README.md alone, ``--thumbnails`` makes these from what is there.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PICTURES = FOLDER / "figures" / "gallery"
THUMBNAILS = FOLDER / "figures" / "thumbnails"
README = FOLDER.parent / "README.md"
README_PICTURES = FOLDER / "figures" / "readme"
LARGEST = 60_000
WRITTEN = "<!-- Written by docs/build_gallery.py (`make docs`); edit docs/gallery.yaml instead. -->\n"
WIDTH = 1000
README_WIDTH = 900
COLOURS = 240
THUMB = (260, 190)
"""Pixels of a thumbnail, at most."""
THUMB_COLOURS = 48
ACROSS = 4
"""Thumbnails beside one another."""


@dataclass(frozen=True)
class Entry:
    """A figure of the gallery.

    Parameters
    ----------
    name : str
        As ``intent figures --list`` names it.
    title : str
    reading : str
        How to read it, in a line.
    commands : tuple of str
        What draws it, from the root of the repository.
    made : str
        The picture that the last command leaves; empty where the command needs data that are not shipped.
    picture : str
        One that is in docs/figures already.
    """

    name: str
    title: str
    reading: str
    commands: tuple[str, ...]
    made: str = ""
    picture: str = ""


def gallery() -> tuple[list[str], dict[str, list[Entry]]]:
    """Commands that come first, and the figures by section."""
    import yaml

    read = yaml.safe_load((FOLDER / "gallery.yaml").read_text(encoding="utf-8"))
    sections = {
        section: [Entry(**{**one, "commands": tuple(one["commands"])}) for one in listed]
        for section, listed in read["sections"].items()
    }
    return read["prepare"], sections


def page() -> str:
    """The page in Markdown."""
    prepare, sections = gallery()
    lines = [
        WRITTEN,
        "# Gallery\n",
        "Every figure, how to read it, and the command that draws it. `intent figures --list` names them",
        "with what each needs. All can be written as `.png`, `.svg` and `.pdf`: by the ending of `-o FILE`,",
        "or by `--image` where `-o` is a folder. Captions say how many trajectories a figure rests on and",
        "what is uncertain; colours are told apart with colour-vision deficiencies too",
        "([decision](decisions/0048-figures-from-tables.md)). Commands run from the root of the repository,",
        "on play that is shipped or generated (`study.yaml` is that of [studies](study.md)). First come:\n",
        "```sh",
        *prepare,
        "```\n",
        "What the figures of a log count: [Figures of play](figures_of_play.md).",
        "In a journal's column, with other fonts and colours: [Figures for print](figures_for_print.md).\n",
        *grid([entry for listed in sections.values() for entry in listed]),
    ]
    for section, entries in sections.items():
        lines.append(f"## {section}\n")
        for entry in entries:
            lines += [f"### {entry.title}\n", f"`{entry.name}`: {entry.reading}\n"]
            lines += ["```sh", *entry.commands, "```\n"]
            shown = f"figures/gallery/{entry.name}.png" if entry.made else f"figures/{entry.picture}"
            if entry.made or entry.picture:
                lines.append(f"![{entry.title}: {entry.reading}]({shown})\n")
    return "\n".join(lines)


def grid(listed: list[Entry]) -> Iterator[str]:
    """Thumbnails of all figures as a table, each a link to where the figure stands."""
    cells = [
        f"[![{entry.title}](figures/thumbnails/{entry.name}.png)](#{anchor(entry.title)})<br>{entry.title}"
        for entry in listed
    ]
    cells += [" "] * (-len(cells) % ACROSS)
    rows = [cells[i : i + ACROSS] for i in range(0, len(cells), ACROSS)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    yield from ["|" + " |" * ACROSS, "|" + "---|" * ACROSS, *lines, ""]


def anchor(title: str) -> str:
    """The anchor of a heading: lower case, words with hyphens between them."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def source(entry: Entry) -> Path:
    """The picture of a figure that the gallery shows."""
    return PICTURES / f"{entry.name}.png" if entry.made else FOLDER / "figures" / entry.picture


def draw_thumbnails() -> None:
    """A small picture of every figure, from those that the gallery shows."""
    from PIL import Image

    THUMBNAILS.mkdir(exist_ok=True)
    for entry in entries():
        with Image.open(source(entry)) as image:
            small = image.convert("RGB")
            small.thumbnail(THUMB, Image.Resampling.LANCZOS)
            small.quantize(THUMB_COLOURS).save(THUMBNAILS / f"{entry.name}.png", optimize=True)


def entries() -> Iterator[Entry]:
    """All figures of the gallery."""
    for section in gallery()[1].values():
        yield from section


@contextmanager
def empty_folder() -> Iterator[None]:
    """Work in an empty folder that has the samples."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("datasets").symlink_to(FOLDER.parent / "datasets")
        yield


def draw(names: Collection[str] = ()) -> None:
    """Run the commands of the gallery, or of some figures, in an empty folder and keep the pictures."""
    with empty_folder():
        Path("study.yaml").write_text(_study(), encoding="utf-8")
        for command in gallery()[0]:
            run(command)
        for entry in entries():
            if not entry.made or (names and entry.name not in names):
                continue
            for command in entry.commands:
                run(command)
            keep(Path(entry.made), PICTURES / f"{entry.name}.png")


def readme_commands() -> list[str]:
    """The commands of README.md that begin with ``intent``, in order."""
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line.startswith("intent ")]


def readme_pictures() -> list[str]:
    """The names of the pictures that README.md shows, without folder."""
    return re.findall(r"!\[[^]]*\]\(docs/figures/readme/([^)]+)\)", README.read_text(encoding="utf-8"))


def readme_faults() -> Iterator[str]:
    """What is wrong with the pictures of README.md."""
    shown, there = set(readme_pictures()), {path.name for path in README_PICTURES.glob("*")}
    words = {word for command in readme_commands() for word in shlex.split(command)}
    for name in sorted(shown | there):
        if name not in there:
            yield f"{name}: README.md shows it and it is not there"
        elif name not in shown:
            yield f"{name}: README.md does not show it"
        elif not words & {name, Path(name).stem}:
            yield f"{name}: no command of README.md draws it"
        elif (size := (README_PICTURES / name).stat().st_size) > LARGEST:
            yield f"{name}: {size:,} bytes, at most {LARGEST:,}"


def draw_readme() -> None:
    """Run the commands of README.md in an empty folder and keep the pictures that it shows."""
    with empty_folder():
        for command in readme_commands():
            run(command)
        for name in readme_pictures():
            keep(next(Path().glob(f"**/{name}")), README_PICTURES / name, README_WIDTH)


def keep(drawn: Path, kept: Path, width: int = WIDTH) -> None:
    """Keep a picture in few colours, ``width`` pixels wide at most."""
    from PIL import Image

    kept.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(drawn) as image:
        size = (min(width, image.width), round(image.height * min(1.0, width / image.width)))
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(COLOURS)
        small.save(kept, optimize=True)


def run(command: str) -> None:
    """One command of the page, in this process."""
    from intent.cli.main import main

    try:
        main(shlex.split(command)[1:])
    except SystemExit as stopped:
        if stopped.code:
            raise SystemExit(f"{command}: exit code {stopped.code}") from None


def _study() -> str:
    """The study of docs/study.md."""
    text = (FOLDER / "study.md").read_text(encoding="utf-8")
    return text.split("```yaml study.yaml\n")[1].split("```")[0]


def main() -> None:
    """Write the page, compare it with what is there, or draw the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if the page is out of date"
    )
    parser.add_argument("--images", action="store_true", help="draw all pictures too")
    parser.add_argument("--readme", action="store_true", help="draw those of README.md")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="draw this figure")
    parser.add_argument("--thumbnails", action="store_true", help="make thumbnails of what is there")
    given = parser.parse_args()
    if given.images or given.only:
        draw(given.only)
    if given.images or given.only or given.thumbnails:
        draw_thumbnails()
    if given.images or given.readme:
        draw_readme()
    path, text = FOLDER / "gallery.md", page()
    stale = not path.is_file() or path.read_text(encoding="utf-8") != text
    if stale and not given.check:
        path.write_text(text, encoding="utf-8")
    faults = list(readme_faults()) if given.check else []
    print("".join(f"{fault}\n" for fault in faults), end="")
    sys.exit(1 if given.check and (stale or faults) else 0)


if __name__ == "__main__":
    main()
