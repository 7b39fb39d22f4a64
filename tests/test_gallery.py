"""The gallery has every figure, and its commands are commands."""

from __future__ import annotations

import importlib.util
import shlex
from pathlib import Path

import pytest

from intent.report.figures import figure_list

DOCS = Path(__file__).resolve().parent.parent / "docs"


def _script():
    spec = importlib.util.spec_from_file_location("build_gallery", DOCS / "build_gallery.py")
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["build_gallery"] = module
    spec.loader.exec_module(module)
    return module


BUILD = _script()
ENTRIES = list(BUILD.entries())
COMMANDS = [*BUILD.gallery()[0], *(command for entry in ENTRIES for command in entry.commands)]


def test_every_figure_is_there_once():
    names = [entry.name for entry in ENTRIES]
    assert sorted(names) == sorted({one.name for one in figure_list()})


def test_the_page_is_current():
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == BUILD.page(), "run `make docs`"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_parses(command):
    import typer

    from intent.cli.app import app

    node, path = typer.main.get_command(app), shlex.split(command)
    assert path.pop(0) == "intent"
    while hasattr(node, "commands"):
        node = node.commands[path.pop(0)]
    node.make_context(node.name, path)


def test_pictures_are_small():
    made = {entry.name for entry in ENTRIES if entry.made}
    pictures = {path.stem: path.stat().st_size for path in BUILD.PICTURES.glob("*.png")}
    assert set(pictures) == made
    assert sum(pictures.values()) < 2_000_000


def test_every_figure_has_a_small_thumbnail():
    sizes = {path.stem: path.stat().st_size for path in BUILD.THUMBNAILS.glob("*.png")}
    assert set(sizes) == {entry.name for entry in ENTRIES}
    assert sum(sizes.values()) < 400_000
    assert all(BUILD.source(entry).is_file() for entry in ENTRIES)


@pytest.mark.exhaustive
def test_the_commands_draw_the_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(BUILD, "PICTURES", tmp_path)
    monkeypatch.chdir(tmp_path)
    BUILD.draw()
    assert {path.stem for path in tmp_path.glob("*.png")} == {entry.name for entry in ENTRIES if entry.made}
