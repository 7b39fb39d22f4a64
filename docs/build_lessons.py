"""Run the commands of the lessons, compare what they print with what is shown, and draw the pictures.

``python docs/build_lessons.py`` runs every ``sh`` block of docs/index.md and docs/tutorials in an empty
folder that has the samples, and exits with 1 if a line of a ``text`` block is not printed there, with the
nearest line that is. ``--images`` keeps the pictures in docs/figures/lessons, in few colours: what the
commands draw, and what a browser shows of the pages that they open (needs Chromium).
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PICTURES = FOLDER / "figures" / "lessons"
LARGEST = 80_000
COLOURS = 200
# Lessons in their order; those of a row go on from each other's files.
LESSONS = (
    ("index.md",),
    ("tutorials/label_a_log.md", "tutorials/write_it_up.md"),
    ("tutorials/train_a_recogniser.md",),
    ("tutorials/run_models.md",),
)
PROGRAM = "from intent.cli.main import main; main()"
ALL_OF_THEM = """
import json, shlex, sys
from intent.cli.main import main
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as ended:
        if ended.code:
            sys.exit(f"intent {shlex.join(words)} ended with {ended.code}")
"""
"""Commands in one process, which loads once what they need."""


@dataclass(frozen=True)
class Screen:
    """What a browser shows of a page that a lesson opens.

    Parameters
    ----------
    address : str
        A file that the lesson writes, or where to look in the page that ``intent view`` opens.
    height : int
        In pixels, at a width of `width`.
    """

    address: str
    height: int = 800
    width: int = 1200


SCREENS = {
    "list.png": Screen("/?where=listed_first%3DOptionA&where=opponent%3Dscripted/TFT", 620),
    "game.png": Screen("/game?id=g000005", 900),
    "report.png": Screen("report.html", 900),
    "full_report.png": Screen("full_report.html", 900),
}


def fences(page: str, language: str) -> list[tuple[str, str]]:
    """Language line and text of the fenced blocks of a page whose language it is, in order."""
    text = (FOLDER / page).read_text(encoding="utf-8")
    return re.findall(rf"^```({language}[^\n]*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[str]:
    """The commands that a reader types, in order."""
    lines = [line for _, block in fences(page, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith("intent ")]


def pictures(page: str) -> list[str]:
    """The names of the lesson's own pictures that a page shows."""
    return re.findall(r"!\[[^]]+\]\((?:\.\./)?figures/lessons/([^)]+)\)", (FOLDER / page).read_text("utf-8"))


def words(command: str) -> list[str]:
    """A command as its program gets it, without what a reader is told beside it."""
    return shlex.split(command, comments=True)[1:]


def opens(command: str) -> bool:
    """Whether a command serves a page until it is ended."""
    return words(command)[0] == "view"


@contextmanager
def classroom() -> Iterator[Path]:
    """An empty folder with the samples."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "datasets").symlink_to(FOLDER.parent / "datasets")
        yield Path(name)


def printed(page: str, folder: Path) -> list[str]:
    """Run the commands of a lesson in a folder; what they print, line by line."""
    for fence, text in fences(page, "yaml"):
        if file := fence.removeprefix("yaml").strip():
            (folder / file).write_text(text, encoding="utf-8")
    try:
        return output_of([one for one in commands(page) if not opens(one)], folder)
    except RuntimeError as error:
        raise SystemExit(f"{page}: {error}") from None


def output_of(commands: Iterable[str], folder: Path) -> list[str]:
    """What commands print in a folder, one after the other, line by line.

    Raises
    ------
    RuntimeError
        One of them ended with an error.
    """
    done = subprocess.run(
        [sys.executable, "-c", ALL_OF_THEM, json.dumps([words(command) for command in commands])],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [line.rstrip() for line in done.stdout.splitlines()]


def shown(page: str) -> list[str]:
    """The lines of output that a lesson shows."""
    return [line.rstrip() for _, block in fences(page, "text") for line in block.splitlines() if line.strip()]


def quoted(page: str) -> list[str]:
    """The sentences of a page that quote what is printed, each on one line."""
    text = (FOLDER / page).read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^> .+\n)+", text, flags=re.MULTILINE)
    return [" ".join(line.removeprefix("> ") for line in block.splitlines()) for block in blocks]


def pieces(line: str) -> list[str]:
    """What stands between the ellipses of a line."""
    return [piece.strip() for piece in line.split("…") if piece.strip()]


def faults(lines: Iterable[str], output: list[str]) -> Iterator[str]:
    """The lines that are not printed in this order, each with the nearest; … stands for anything."""
    at = 0
    for line in lines:
        parts = pieces(line)
        exact = line == "…" or parts == [line]
        for k in range(at, len(output)):
            if output[k] == line or (not exact and all(part in output[k] for part in parts)) or not parts:
                at = k
                break
        else:
            nearest = difflib.get_close_matches(line, output, 1, 0)
            yield f"  shown    {line}\n  printed  {nearest[0] if nearest else '-'}"


def draw(page: str, folder: Path) -> None:
    """Keep the pictures that a lesson shows; a screen is that of the lesson which opens it."""
    view = next((words(command) for command in commands(page) if opens(command)), [])
    for name in pictures(page):
        if screen := SCREENS.get(name):
            if not view and screen.address.startswith("/"):
                continue
            photograph(screen, view, folder, folder / name)
        small(next(folder.glob(f"**/{name}")), PICTURES / name)


def photograph(screen: Screen, view: list[str], folder: Path, path: Path) -> None:
    """A picture of a page as a browser shows it."""
    from playwright.sync_api import sync_playwright

    address, server = (folder / screen.address).as_uri(), None
    if screen.address.startswith("/"):
        command = [sys.executable, "-c", PROGRAM, *view, "--no-browser", "--no-token"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        address = server.stdout.readline().split()[-1].rstrip("/") + screen.address
    try:
        with sync_playwright() as driver:
            chromium = shutil.which("chromium") or shutil.which("google-chrome")
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": screen.width, "height": screen.height})
            page.goto(address)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=path)
            browser.close()
    finally:
        if server:
            server.terminate()
            server.wait()


def small(drawn: Path, path: Path) -> None:
    """A picture in few colours, at most 1200 pixels wide."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(drawn) as image:
        scale = min(1.0, 1200 / image.width)
        size = (round(image.width * scale), round(image.height * scale))
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
        small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            path, optimize=True
        )


def check(images: bool) -> Iterator[str]:
    """Run every lesson; a line for whatever it shows and does not print."""
    for row in LESSONS:
        with classroom() as folder:
            for page in row:
                output = printed(page, folder)
                yield from (f"{page}:\n{fault}" for fault in faults(shown(page), output))
                if images:
                    draw(page, folder)


def main() -> None:
    """Check the lessons, or keep their pictures too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", action="store_true", help="draw the pictures too")
    wrong = list(check(parser.parse_args().images))
    print("\n".join(wrong) or "every line that the lessons show is printed")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
