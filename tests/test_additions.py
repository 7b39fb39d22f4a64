"""CONTRIBUTING.md by doing it: in a copy of the package one file, or a file and a row; then the command line.

Nine additions: a strategy, a reader, a recogniser, a game, a figure, a metric, a column, a sentence of the
report, a command.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from play_logs import few_games
from printed import printed

import intent
from intent.behaviour import measures
from intent.logs import readers
from intent.recognise import recogniser
from intent.report import figure_makers

ROOT = Path(__file__).resolve().parent.parent
LOG = str(ROOT / "datasets" / "samples" / "scripted_players.jsonl.gz")
RUN = "from intent.cli.main import main; main()"


@dataclass
class Checkout:
    """A copy of the package, and which of its files an addition touches."""

    folder: Path
    touched: set[str] = field(default_factory=set)

    def file(self, name: str, text: str) -> None:
        """A new file."""
        path = self.folder / "intent" / name
        assert not path.exists()
        path.write_text(text, encoding="utf-8")
        self.touched.add(name)

    def row(self, name: str, place: str, text: str) -> None:
        """A text before the one place in a file that has these words."""
        self.change(name, place, text + place)

    def change(self, name: str, old: str, new: str) -> None:
        """Other words in the one place of a file that has these."""
        path = self.folder / "intent" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        self.touched.add(name)

    def intent(self, *words: str) -> str:
        """What a command prints, run in an empty folder of its own."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        command = [sys.executable, "-c", RUN, *words]
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        done = subprocess.run(
            command, cwd=out, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(Path(intent.__file__).parent, folder / "intent")  # with what is compiled already
    for name in ("datasets", "models"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture
def checkout(copied):
    return Checkout(copied)


def home(module) -> str:
    """The file of a module, as `Checkout` names it."""
    return Path(module.__file__).relative_to(Path(intent.__file__).parent).as_posix()


def test_a_strategy_is_a_row(checkout):
    row = '    Strategy.memory_one("HALF", 0.5, 1, 0, 1, 0, citation="ours", rule="a coin, then its echo"),\n'
    checkout.row("strategies/catalogue.py", ")\n\n_DELAYED = ", row)
    assert checkout.touched == {"strategies/catalogue.py"}
    assert "a coin, then its echo" in checkout.intent("strategies", "show", "HALF")


def test_a_game_is_a_row(checkout):
    row = '    ("trust", (4, 3, 1, 0), "reward", ("Give", "Keep"), "ours", "a stag hunt by another name"),\n'
    checkout.change(
        "games/catalogue.py", first := "PayoffKind, tuple[str, str], str, str], ...] = (\n", first + row
    )
    assert "stag hunt by another name" in checkout.intent("games", "trust")
    assert len(checkout.touched) == 1


READER = '''"""Diaries: a line per game, as ``diary: C-D D-D``."""

import pandas as pd

from intent.logs.gamelog import GameLog
from intent.logs.readers import tidy
from intent.logs.readers.reader import Reader


def recognises(source, settings):
    """Whether it begins as a diary."""
    return source.kind == "text" and source.text.data.startswith(b"diary: ")


def read(source, settings):
    """Its games, by way of a tidy table."""
    rows = []
    for number, line in enumerate(source.path.read_text().splitlines(), 1):
        for turn, moves in enumerate(line.removeprefix("diary: ").split(), 1):
            for player, action in zip("ab", moves.split("-"), strict=True):
                rows.append((number, turn, player, {"C": "Cooperate", "D": "Defect"}[action]))
    table = pd.DataFrame(rows, columns=["game_id", "round", "player", "action"])
    path = source.path.with_suffix(".tidy.csv")
    table.to_csv(path, index=False)
    return tidy.READER.read(type(source)(path), type(settings)(cooperate="Cooperate"))


READER = Reader("diary", "lines that begin with diary:", recognises, read)
'''


def test_a_reader_is_a_file_and_a_row(checkout, tmp_path):
    checkout.file("logs/readers/diary.py", READER)
    checkout.row(
        "logs/entry_points.txt", "[", "[intent.readers]\ndiary = intent.logs.readers.diary:READER\n\n"
    )
    (tmp_path / "mine.txt").write_text("diary: C-D D-D\ndiary: C-C C-C\n")
    assert json.loads(checkout.intent("validate", str(tmp_path / "mine.txt"), "--json"))["format"] == "diary"
    assert len(checkout.touched) == 2


RECOGNISER = '''"""A recogniser that counts: how often each class cooperates, and which comes nearest."""

from typing import ClassVar

import numpy as np

from intent.recognise.recogniser import Recogniser, as_trajectories, ordered_classes


class CountRecogniser(Recogniser):
    """Nearest mean cooperation rate."""

    kind: ClassVar[str] = "count"

    def fit(self, X, y=None):
        """Learn the rates."""
        y = np.asarray(y).astype(str)
        self.classes_ = np.array(ordered_classes(y))
        self.rates_ = [float(rates(X)[y == name].mean()) for name in self.classes_]
        return self

    def predict_proba(self, X):
        """By distance."""
        near = np.exp(-9 * np.abs(rates(X)[:, None] - np.array(self.rates_)))
        return near / near.sum(axis=1, keepdims=True)

    def to_state(self):
        """The rates."""
        return {"classes": self.classes_.tolist(), "rates": self.rates_}, {}

    def from_state(self, state, files):
        """The rates."""
        self.classes_, self.rates_ = np.array(state["classes"]), state["rates"]
        return self


def rates(X):
    X = as_trajectories(X)
    return (X.evidence & (X.own == 1)).sum(axis=1) / np.maximum(X.n_rounds, 1)
'''


def test_a_recogniser_is_a_file_and_a_row(checkout):
    checkout.file("recognise/count.py", RECOGNISER)
    checkout.row(
        home(recogniser), '    "bayes": "intent', '    "count": "intent.recognise.count:CountRecogniser",\n'
    )
    words = ("train", LOG, "-m", "count", "--no-track", "-o", "saved", "--json")
    (model,) = json.loads(checkout.intent(*words))["models"]
    assert model["name"].startswith("count")
    assert 0.3 < model["accuracy"] <= 1
    assert len(checkout.touched) == 2


FIGURE = '''def lengths(subject: Subject) -> Made | str:
    """Rounds of each game."""
    from matplotlib.figure import Figure

    table = subject.table.groupby("game_id", observed=True)["round"].max().reset_index()

    def draw() -> Figure:
        figure = Figure()
        figure.subplots().hist(table["round"])
        return figure

    return Made("Lengths", table, draw, ("Rounds of each game.",), None)


'''


def test_a_figure_is_a_function_and_its_name_in_one_file(checkout):
    checkout.row(home(figure_makers), "def _by_its_command(", FIGURE)
    checkout.row(home(figure_makers), "    _of_table(simplex,", "    _of_play(lengths),\n")
    drawn = json.loads(checkout.intent("figures", LOG, "lengths", "-o", "f", "--json"))["figures"]
    assert (checkout.folder / "out" / "f" / drawn[0]["file"]).stat().st_size > 5000
    assert len(checkout.touched) == 1


METRIC = '''def calm(own: Moves, other: Moves) -> Metric:
    """Share of rounds in which both did the same."""
    known = (own >= 0) & (other >= 0)
    hits, n = (known & (own == other)).sum(axis=1), known.sum(axis=1)
    return Metric(np.where(n > 0, hits / np.maximum(n, 1), np.nan), hits, n)


'''


def test_a_metric_is_a_function_and_its_columns(checkout):
    checkout.row(home(measures), "METRICS = {", METRIC)
    checkout.change(home(measures), "troublemaking, emulation)", "troublemaking, emulation, calm)")
    rows = '    Column("calm", "float", "both did the same"),\n    Column("calm_n", "int", "rounds"),\n'
    checkout.row("base/codebook.py", '    Column("first_move", ', rows)
    checkout.intent("metrics", LOG, "-o", "m.csv")
    head = (checkout.folder / "out" / "m.csv").read_text().splitlines()[0].split(",")
    assert {"calm", "calm_n"} <= set(head)
    assert len(checkout.touched) == 2


def test_a_column_is_a_line_where_it_is_computed_and_a_row_of_the_codebook(checkout):
    checkout.row(
        "recognise/verdict.py",
        '        "fit_p": verdict.fit_p,\n',
        '        "sure": verdict.confidence > 0.99,\n',
    )
    row = '    Column("sure", "bool", "whether confidence is above .99", optional=True),\n'
    checkout.row("base/codebook.py", '    Column("fit_p", "float", "probability, under best', row)
    checkout.intent("label", LOG, "-o", "labels.csv")
    assert "sure" in (checkout.folder / "out" / "labels.csv").read_text().splitlines()[0].split(",")
    assert len(checkout.touched) == 2


def test_a_sentence_of_the_report_is_an_entry(checkout):
    checkout.change("report/sentences.toml", "This file is complete: it", "Nothing is missing here: the page")
    checkout.intent(
        "report",
        str(few_games(checkout.folder / "few.jsonl")),
        "--short",
        "--bootstrap",
        "20",
        "--permutations",
        "20",
    )
    assert "Nothing is missing here: the page loads nothing" in (
        checkout.folder / "out" / "report.html"
    ).read_text(encoding="utf-8")
    assert checkout.touched == {"report/sentences.toml"}


COMMAND = '''"""How many games a log has."""

from dataclasses import dataclass
from pathlib import Path

from intent.base.job import JSON, Request, job, option
from intent.base.job import Result
from intent.logs.reading import LOG


class TallyRequest(Request, job="tally", function="intent.logs.tally.tally"):
    """Count the games of a log."""

    log: "str | Path" = LOG
    times: int = option(1, "What the number is multiplied by.")
    json: bool = JSON


@dataclass(frozen=True)
class Tally(Result):
    """The number."""

    kind = "tally"
    games: int

    def fields(self):
        return {"games": self.games}

    def parts(self):
        yield f"{self.games} games"


@job(TallyRequest)
def tally(request):
    """Count."""
    from intent.logs.readers import read_log

    return Tally(len(read_log(request.log)) * request.times)
'''


def test_a_command_is_a_file_and_a_row(checkout):
    checkout.file("logs/tally.py", COMMAND)
    checkout.row("cli/app.py", '    "demo": ', '    "tally": "intent.logs.tally.TallyRequest",\n')
    games = len(readers.read_log(LOG))
    assert checkout.intent("tally", LOG) == f"{games} games\n"
    assert printed(checkout.intent("tally", LOG, "--times", "2", "--json")) == {"games": 2 * games}
    assert "Count the games of a log." in checkout.intent("tally", "--help")
    assert len(checkout.touched) == 2
