"""The page on reading foreign logs: its samples are read by its commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from intent.cli.main import main
from intent.logs.readers import read_log
from intent.logs.readers.reader import KEYS
from intent.logs.readers.stages import MISSING
from intent.logs.readers.tidy_games import PLAYERS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reading.md").read_text(encoding="utf-8")
SAMPLES = dict(re.findall(r"^```(?:csv|yaml|json) (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S) for line in block.splitlines()
]


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with all samples, as the working directory."""
    for name, text in SAMPLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_runs(samples: Path) -> None:
    assert len(COMMANDS) >= 8
    for line in COMMANDS:
        program, *words = shlex.split(line)
        with pytest.raises(SystemExit) as done:
            main(words)
        assert (program, done.value.code) == ("intent", 0), line


@pytest.mark.parametrize(
    ("name", "options", "n_games", "n_moves", "rejected"),
    [
        ("tidy.csv", {"cooperate": "C"}, 1, 4, []),
        ("scores.csv", {"mapping": "game=match,player=who", "payoff_kind": "reward"}, 1, 6, []),
        ("arms.csv", {"mapping": "map.yaml", "cooperate": "C"}, 2, 4, []),
        ("dbf.csv", {"cooperate": "c:d"}, 4, 10, []),
        *((name, {}, 1, 6, []) for name in ("partner.csv", "subjects.csv", "couples.csv", "strings.csv")),
        *((name, {}, 1, 6, []) for name in ("joint.csv", "agents.json", "rounds.json", "events.jsonl")),
        ("pairs.csv", {}, 2, 8, []),
        ("totals.csv", {}, 4, 12, []),
        ("letters.csv", {}, 2, 10, []),
        ("people.csv", {}, 2, 12, []),
        ("fairgame.csv", {}, 2, 8, [4, 5]),
        ("dilemma_2026-01-05.csv", {}, 1, 6, []),
        ("eval.json", {"cooperate": "C:D"}, 1, 4, []),
    ],
)
def test_samples_hold_what_the_page_says(
    samples: Path, name: str, options: dict[str, str], n_games: int, n_moves: int, rejected: list[int]
) -> None:
    log = read_log(name, **options)  # type: ignore[arg-type]
    assert (len(log), len(log.moves), log.rejects["line"].tolist()) == (n_games, n_moves, rejected)


def test_the_page_names_every_key_name_and_word() -> None:
    shown = set(re.findall(r"`([^`\s]+)`", PAGE))
    assert {*KEYS, "by", *(name for names in KEYS.values() for name in names), *PLAYERS} <= shown
    assert [word for word in sorted(MISSING - {""}) if f"`{word}`" not in PAGE.casefold()] == []
