"""Names that nobody vouches for reach the terminal as one line of printable characters, whoever prints."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys

import pytest

from intent.cli.console import filtered, note, print_json, print_table, say, show_text, terminal_line
from intent.cli.main import main

HOSTILE = {
    "colour": "a\x1b[31mb",
    "clear": "a\x1b[2J\x1b[Hb",
    "title": "a\x1b]0;owned\x07b",
    "link": "a\x1b]8;;http://collector.example\x1b\\b",
    "return": "a\rintent: all is well",
    "back": "a\b\b\b\bb",
    "c1": "a\x9b31mb\x9d0;owned\x9c",
    "lines": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "break": "a\nintent: forged line",
    "bidi": "a\u202eb\u2066c\u200fd",
    "unseen": "a\u200bb\ufeffc\u2060d\u00ade\U000e0041",
    "markup": "[bold red]a[/]:skull:",
    "null": "a\x00b",
    "private": "a\ue000b\U0010fffdc",
}
NAMES = pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)


def plain(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


def said_by(capsys, *words: object) -> str:
    """All that a command writes."""
    with contextlib.suppress(SystemExit):
        main([str(word) for word in words])
    done = capsys.readouterr()
    return done.out + done.err


@pytest.fixture
def log(tmp_path):
    """Writes a tidy log in which everything that can have a name has this one."""

    def write(name: str):
        path = tmp_path / "log.csv"
        with path.open("w", encoding="utf8", newline="") as stream:
            table = csv.writer(stream)
            table.writerow(["game", "round", "player", "action", "model", f"topic {name}"])
            for game in range(6):
                for number in range(1, 9):
                    for player in "AB":
                        action = "CD"[(game + number * (player == "A")) % 2]
                        row = [f"{name} {game}", number, f"{name} {player}", action]
                        table.writerow([*row, f"{name} {game % 2}", f"{name} {game % 2}"])
        return path

    return write


@NAMES
def test_every_way_to_the_terminal(name, capsys):
    say(f"say {name}")
    note(f"note {name}")
    show_text(f"text {name}")
    print_table([f"head {name}"], [[f"cell {name}"]], f"title {name}")
    with filtered():
        print(f"print {name}")
        sys.stderr.write(f"write {name}\n")
        sys.stdout.writelines([f"lines {name}\n"])
    done = capsys.readouterr()
    assert plain(done.out + done.err)
    assert [line for line in done.out.split("\n") if line.startswith("say")] == [f"say {terminal_line(name)}"]
    print_json({name: name})
    text = capsys.readouterr().out
    assert plain(text)
    assert json.loads(text) == {name: name}


@NAMES
@pytest.mark.parametrize(
    "words",
    [
        ["label"],
        ["validate"],
        ["metrics"],
        ["label", "--json"],
        ["label", "--where", "model={name}"],
        ["compare", "--by", "{name}"],
        ["figures", "shares", "--by", "{name}"],
    ],
    ids=" ".join,
)
def test_commands_that_read_a_log(words, name, log, capsys):
    read = ["--cooperate", "C"]
    words = [word.replace("{name}", name) for word in words]
    text = said_by(capsys, words[0], log(name), *words[1:], *read)
    assert text
    assert plain(text)
    assert "intent: forged" not in text.replace("a intent", "").splitlines()


@NAMES
@pytest.mark.parametrize(
    "words",
    [
        ["label", "{}.csv"],
        ["compare", "{}.parquet", "--by", "x"],
        ["strategies", "show", "{}"],
        ["models", "show", "{}"],
        ["report", "{}"],
        ["{}"],
        ["label", "--{}"],
        ["play", "{}.yaml", "--debug"],
    ],
    ids=" ".join,
)
def test_names_that_lead_nowhere(words, name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    try:
        main([word.format(name) for word in words])
    except SystemExit:
        pass
    except Exception:  # noqa: BLE001 - what --debug lets through, as the interpreter shows it
        sys.excepthook(*sys.exc_info())
    done = capsys.readouterr()
    assert done.err
    assert plain(done.out + done.err)


@pytest.mark.parametrize("name", ["clear", "break", "bidi"])
def test_play_with_a_hostile_model(name, tmp_path, capsys):
    (tmp_path / "e.json").write_text(json.dumps({"name": HOSTILE[name], "rounds": 1}))
    for model in (f"scripted/says:{HOSTILE[name]}", f"openai/{HOSTILE[name]}@http://127.0.0.1:9"):
        text = said_by(capsys, "play", tmp_path / "e.json", "-m", model, "--dry-run")
        assert text
        assert plain(text)
    words = ["play", tmp_path / "e.json", "-m", model.replace("openai/", "scripted/says:"), "--no-track"]
    text = said_by(capsys, *words, "-o", tmp_path / "run", "--set", "retry={attempts: 1}")
    assert plain(text)
    assert plain(said_by(capsys, "status", tmp_path / "run"))


def test_a_terminal_gets_colours_of_ours_only(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", Terminal())
    with filtered():
        print_table(["name"], [[HOSTILE["colour"]], [HOSTILE["markup"]]])
    text = sys.stdout.getvalue()
    assert "\x1b[1m" in text
    assert "\x1b[31m" not in text
    assert HOSTILE["markup"] in text


def test_letters_that_join_stay():
    for text in ("می‌خواهم", "👩‍🔬", "naïve", "戦略"):
        assert terminal_line(text) == text
    assert "\u200d" not in terminal_line("pay\u200dpal")
