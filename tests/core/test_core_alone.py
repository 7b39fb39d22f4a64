"""The core does its daily work without any extra, and whatever needs one says the line that installs it.

A finder refuses every package that `pip install strategy-intent` alone does not bring, whatever is installed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from play_logs import few_games

from intent.base.registry import EXTRAS
from intent.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

RUN = """
import contextlib, importlib.abc, io, json, sys, time
refused = set(json.loads(sys.argv[1]))

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusing())
from intent.cli.main import main

answers = []
for words in json.loads(sys.argv[2]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
            code = 0
        except SystemExit as end:
            code = end.code or 0
    answers.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(answers))
"""


def name_of(requirement: str) -> str:
    """The distribution that a requirement names (PEP 503)."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()  # type: ignore[index]


def brought() -> set[str]:
    """Distributions that the core brings, with all that they need here."""
    there: set[str] = set()
    waiting = {name_of(one) for one in PROJECT["dependencies"]}
    while waiting:
        name = waiting.pop()
        there.add(name)
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        waiting |= {name_of(one) for one in needs if "extra ==" not in one} - there
    return there


def refused() -> list[str]:
    """Packages that the core does not bring: those of `EXTRAS`, and all others that are installed here."""
    core = brought()
    others = {
        package
        for package, homes in metadata.packages_distributions().items()
        if not {name_of(home) for home in homes} & (core | {"strategy-intent"})
    }
    ours = {"setuptools", "pkg_resources", "_distutils_hack", "pip"}
    return sorted((others | set(EXTRAS)) - ours - set(sys.stdlib_module_names))


def commands(folder: Path, *lines: list[str]) -> list[tuple[int, str, str]]:
    """Exit code and both outputs of commands that run one after another in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(refused()), json.dumps(lines)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [(code, out, err) for code, out, err in json.loads(done.stdout.splitlines()[-1])]


LOG = "few.jsonl"

DAILY = (
    "--help",
    "generate -n 40 -o play",
    f"label {LOG} -o labels.parquet --json",
    *(
        f"label {LOG} -r {name} -o {name}.csv"
        for name in ("logistic-canonical4", "hmm-canonical4", "rules-canonical4")
    ),
    f"sfem {LOG} --by model --json",
    f"compare {LOG} --by model --where game=prisoner-dilemma --json",
    f"metrics {LOG} -o metrics.csv",
    "compare metrics.csv --by model --metric cooperation_rate",
    f"report {LOG} -o report.html --short --bootstrap 50 --permutations 100",
    f"predict {LOG} --models memory-one --checks 0 --json",
    f"fit {LOG} --model automata -o fitted",
    f"import {LOG}",
    f"validate {LOG}",
    "evaluate play -r bayes-canonical4 --json",
    "train play -m bayes --no-track -o trained",
    "sweep labels.parquet -o sweep.png",
    "probe --rounds 4",
    "play scripted.json -o run --no-track --json",
    "status run",
    "tournament --against TFT,ALLD --turns 20 --json",
    "games chicken --json",
    "strategies show TFT",
    "models list",
)
"""What somebody does who has installed the core."""


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Command line -> what came of it, all in one folder."""
    folder = tmp_path_factory.mktemp("core")
    few_games(folder / LOG)
    (folder / "scripted.json").write_text(experiment("scripted/agreeable"), encoding="utf-8")
    return dict(zip(DAILY, commands(folder, *(line.split() for line in DAILY)), strict=True))


def experiment(model: str) -> str:
    return json.dumps({"name": "x", "model": model, "opponent": "scripted/TFT", "rounds": 2})


@pytest.mark.parametrize("line", DAILY, ids=lambda line: " ".join(Path(w).name for w in line.split()[:4]))
def test_the_core_does(line: str, day: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = day[line]
    assert code == 0, err[-1000:]
    assert out or err


def test_every_command_has_help_in_the_core(tmp_path: Path) -> None:
    answers = commands(tmp_path, *([*words.split(), "--help"] for words in COMMANDS))
    assert {
        words for words, (code, out, _) in zip(COMMANDS, answers, strict=True) if code or "Usage" not in out
    } == set()


MISSING = {
    f"label {LOG} -r forest-canonical4": "sklearn",
    f"label {LOG} -r lstm-canonical4": "train",
    f"sfem {LOG} --explained": "sklearn",
    f"compare {LOG} --by model --explained": "sklearn",
    "compare labels.parquet --by model --count status --model": "stats",
    f"predict {LOG} --models trees": "sklearn",
    f"predict {LOG} --models network": "train",
    f"fit {LOG} --model trees -o f": "sklearn",
    f"fit {LOG} --model network -o f": "train",
    "train paper-eps005 --no-track": "sklearn",
    "train paper-eps005 -m lstm --no-track": "train",
    "train paper-eps005 -m bayes --calibrate isotonic --no-track": "sklearn",
    "train paper-eps005 -m bayes --tracking runs.db": "train",
    f"evaluate {LOG} -r forest-canonical4": "sklearn",
    "explain metrics.csv": "explain",
    f"view {LOG}": "view",
    "play openai.json -o r1 --no-track": "play",
    "play anthropic.json -o r2 --no-track": "anthropic",
    "play local.json -o r3 --no-track": "local",
    "play scripted.json -o r4 --tracking runs.db": "train",
    "strategies check mine.py --engine monty": "sandbox",
    "demo -o d": "sklearn",
}
"""Command line -> the extra that it needs."""


def test_a_missing_extra_is_one_line_that_installs_it(tmp_path: Path) -> None:
    models = {"openai": "openai/gpt-4o", "anthropic": "anthropic/claude", "local": "local/smollm2-135m"}
    for name, model in {**models, "scripted": "scripted/agreeable"}.items():
        (tmp_path / f"{name}.json").write_text(experiment(model), encoding="utf-8")
    few_games(tmp_path / LOG)
    (tmp_path / "mine.py").write_text(
        "def strategy(self, opponent):\n    return axl.Action.C\n", encoding="utf-8"
    )
    before = [f"label {LOG} -o labels.parquet", f"metrics {LOG} -o metrics.csv"]
    answers = commands(tmp_path, *(line.split() for line in (*before, *MISSING)))[len(before) :]
    wrong = {}
    for (line, extra), (code, out, err) in zip(MISSING.items(), answers, strict=True):
        lines = [one for one in err.splitlines() if not one.startswith(("contacts ", "note: "))]
        wanted = rf"intent: \S+ is not installed; run: pip install 'strategy-intent\[{extra}\]'"
        if (code, out.strip()) != (2, "") or len(lines) != 1 or not re.fullmatch(wanted, lines[0]):
            wrong[line] = (code, out[-200:], err[-400:])
    assert not wrong


SAYS = """
import importlib.abc, json, sys
refused = set(json.loads(sys.argv[1]))

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusing())
import numpy as np
import intent
from intent.base.errors import MissingExtraError

assert [getattr(intent, name) for name in intent.__all__]
X, y = np.zeros((4, 3, 2), dtype=int), ["ALLC", "ALLD"] * 2

def importing(module):
    __import__(module)

def nash():
    from intent.games.equilibria import nash_equilibria
    from intent.games.game import MatrixGame
    nash_equilibria(MatrixGame("pd", ("C", "D"), (((3, 3), (0, 5)), ((5, 0), (1, 1))), "reward"))

def cluster():
    from intent.base.workers import open_workers
    with open_workers(dask="tcp://127.0.0.1:1"):
        pass

def opponent():
    from intent.play.bridges.axelrod import axelrod_library
    axelrod_library()

def tracker():
    from intent.base.tracking import make_tracker
    make_tracker("runs.db")

calls = {
    "logistic": lambda: intent.make_recogniser("logistic").fit(X, y),
    "forest": lambda: intent.make_recogniser("forest").fit(X, y),
    "mlp": lambda: intent.make_recogniser("mlp").fit(X, y),
    "lstm": lambda: intent.make_recogniser("lstm").fit(X, y),
    "load": lambda: intent.load_recogniser("lstm-canonical4"),
    "features": lambda: intent.features,
    "importing features": lambda: importing("intent.features"),
    "nash": nash, "cluster": cluster, "opponent": opponent, "tracker": tracker,
}
said = {}
for name, call in calls.items():
    try:
        call()
        said[name] = "nothing"
    except MissingExtraError as error:
        said[name] = str(error).rpartition("[")[2].partition("]")[0]
    except BaseException as error:
        said[name] = repr(error)
print(json.dumps(said))
"""


def test_functions_say_it_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SAYS, json.dumps(refused())],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    learned = dict.fromkeys(("logistic", "forest", "mlp", "features", "importing features"), "sklearn")
    others = {"nash": "games", "cluster": "cluster", "opponent": "axelrod"}
    assert json.loads(done.stdout) == {
        **learned,
        **dict.fromkeys(("lstm", "load", "tracker"), "train"),
        **others,
    }


def test_the_table_of_extras_is_that_of_the_project() -> None:
    rows = PROJECT["optional-dependencies"]
    aside = {"all", "dev", "docs", "release"}
    for package, (library, extra) in EXTRAS.items():
        own = {name_of(one) for one in rows[extra]}
        assert library in own | {"dask"}, f"{package}: the extra {extra} does not bring {library}"
    assert {extra for _, extra in EXTRAS.values()} == set(rows) - aside
    (everything,) = rows["all"]
    assert set(re.search(r"\[(.*)\]", everything)[1].split(",")) == set(rows) - aside  # type: ignore[index]
