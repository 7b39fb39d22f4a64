"""README.md: its commands run as they stand and print what it says, its pictures are theirs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.test_gallery import BUILD, test_a_command_parses
from tests.test_lessons import BUILD as LESSONS

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = BUILD.readme_commands()


def blocks(language: str) -> list[str]:
    """The code blocks of README.md in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.DOTALL | re.MULTILINE)


def in_order(lines: list[str], printed: list[str]) -> bool:
    """Whether all lines but the ellipses are among those printed, in this order."""
    rest = iter(printed)
    return all(line in rest for line in lines if line != "…")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An empty folder with the samples."""
    made = tmp_path_factory.mktemp("readme")
    (made / "datasets").symlink_to(ROOT / "datasets")
    return made


def printed(folder: Path, *program: str) -> list[str]:
    """What a Python program prints in the folder."""
    done = subprocess.run(
        [sys.executable, *program], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 165


@pytest.mark.parametrize("command", COMMANDS)
def test_an_intent_command_parses(command):
    test_a_command_parses(command)


def test_what_its_commands_write_is_not_taken_for_a_part_of_the_repository():
    ignored = set((ROOT / ".gitignore").read_text(encoding="utf-8").split())
    words = [word for command in COMMANDS for word in shlex.split(command)]
    written = set()
    for k, word in enumerate(words):
        if word == "-o":
            first, *rest = words[k + 1].split("/")
            written.add(f"/{first}/" if rest or "." not in first else f"/{first}")
    assert len(written) >= 8
    assert written <= ignored


def test_what_make_is_asked_for_is_there():
    targets = re.findall(r"^make (\w+)", TEXT, flags=re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets == ["demo", "test"]
    assert all(f"\n{target}:" in makefile for target in targets)


def test_the_pictures_are_small_and_drawn_by_its_commands():
    assert list(BUILD.readme_faults()) == []


def test_the_experiment_is_that_of_the_sample():
    (shown,) = map(yaml.safe_load, blocks("yaml"))
    shipped = yaml.safe_load((ROOT / "datasets/samples/smollm2_play.yaml").read_text(encoding="utf-8"))
    assert shown == {key: shipped[key] for key in shown}


@pytest.mark.slow
def test_the_commands_print_what_it_says(folder):
    lines = [line for block in blocks("text") for line in block.splitlines() if line]
    assert in_order(lines, LESSONS.output_of(COMMANDS, folder))
    assert {path.name for path in folder.glob("**/*.png")} == set(BUILD.readme_pictures())


@pytest.mark.slow
def test_the_python_prints_what_the_commands_do(folder):
    (program,) = blocks("python")
    shown = printed(folder, "-c", program)
    assert in_order(["confident         38", "low_confidence    21"], sorted(shown))
    assert "p = .014" in shown[-1]
