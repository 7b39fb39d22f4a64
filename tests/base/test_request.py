"""A setting is declared once; command, Python signature, experiment files and provenance follow it."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import intent
from intent.base.errors import UsageError
from intent.base.job import JOBS, Probability, Request, argument, here, job, option
from intent.cli.app import app
from intent.comparison import requests
from intent.recognise.labels import request as labels
from intent.recognise.labels.label import label_log
from intent.recognise.labels.request import LabelRequest

assert dict(get_command(app).commands)  # so that all requests are in JOBS


class Cut(Request, kw_only=True):
    """How it is cut."""

    thick: float = option(1.0, "How thick a slice is.")
    strict: bool = option(False, "Stop at the crust.", file=False)


class Bake(Cut, job="bake", function="nowhere.bake"):
    """Bake a loaf."""

    dough: str = argument("What goes in.", words=str)
    name: str = option("loaf", "What it is called.", positional=True)
    cutting = here(Cut)
    crust: Probability = option(0.5, "Share that is crust.")
    output: str | None = option(None, "Where it goes.", "-o", "--output", only="command")


@job(Bake)
def bake(request: Bake) -> dict[str, object]:
    """Bake it.

    Returns
    -------
    dict
    """
    return request.config()


def test_a_function_of_a_request_takes_its_settings():
    assert bake("rye", "one", crust=0.2) == {"name": "one", "thick": 1.0, "strict": False, "crust": 0.2}
    assert str(inspect.signature(bake)).startswith("(dough: str, name: str = 'loaf', *, thick: float = 1.0,")
    assert list(Bake.settings) == ["dough", "name", "thick", "strict", "crust", "output"]
    assert "crust : float, default 0.5\n    Share that is crust.\n\nReturns\n---" in bake.__doc__


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"crust": 1.5}, "crust is 1.5, expected a probability"),
        ({"crust": float("nan")}, "crust is nan, expected a probability"),
        ({"crust": "all"}, "crust is 'all', expected a probability"),
        ({"crest": 0.5}, r"bake\(\) got an unexpected keyword argument 'crest'; did you mean crust"),
        ({"output": "here"}, r"bake\(\) got an unexpected keyword argument 'output'"),
    ],
)
def test_what_cannot_be_is_refused(values, message):
    with pytest.raises((UsageError, TypeError), match=message):
        bake("rye", **values)


def test_a_file_says_what_is_done_and_not_how_a_log_is_read():
    Bake.of_file("after: bake", {"crust": 0.1, "thick": 2})
    for values, message in (
        ({"crusty": 0.1}, "after: bake: unknown setting 'crusty'; did you mean crust"),
        ({"strict": True}, "after: bake: unknown setting 'strict'"),
        ({"crust": 2}, "after: bake: crust is 2, expected a probability"),
    ):
        with pytest.raises(UsageError, match=message):
            Bake.of_file("after: bake", values)


def test_a_request_is_frozen():
    one = Bake(dough="rye")
    with pytest.raises(AttributeError, match="frozen"):
        one.crust = 0.1
    two = one.replace(crust=0.1)
    assert (one.crust, two.crust, two.changed(), repr(two)[:5]) == (0.5, 0.1, ["dough", "crust"], "Bake(")


SEEN = """
import importlib.util, inspect, json, sys
spec = importlib.util.spec_from_file_location("intent.recognise.labels.request", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
import intent
from typer.testing import CliRunner
from intent.behaviour.agreement import agree
from intent.cli.app import app
from intent.recognise.labels.label import label_log
from intent.recognise.labels.label import label_to
from intent.recognise.verdict import LabelSettings
from intent.runner.finish import check_after, run_after
from intent.runner.experiment.file import After
from intent.base.tables import read_table
from pathlib import Path
folder = Path(sys.argv[2])
log = intent.generate("canonical4", 8, rounds=4)
from intent.logs.stores import write_log
write_log(log, folder / "log")
after = After(label={})
check_after(after)
run_after(after, folder, seed=0)
names = ("threshold", "alpha")
told = lambda provenance: [provenance[name] for name in names]
signature = lambda f: [inspect.signature(f).parameters[name].default for name in names]
print(json.dumps({
    "help": CliRunner().invoke(app, ["label", "--help"], env={"COLUMNS": "200"}).stdout,
    "label": signature(intent.label), "log": signature(label_log), "agree": signature(agree),
    "settings": [LabelSettings().threshold, LabelSettings().alpha],
    "table": told(intent.label(log).attrs["provenance"]),
    "streamed": told(label_to(folder / "log", None).provenance),
    "after": told(read_table(folder / "labels.parquet")[1]),
}))
"""


def test_a_default_that_changes_in_one_place_changes_everywhere(tmp_path: Path):
    text = Path(labels.__file__).read_text("utf8")
    assert text.count("option(0.9,") == text.count("option(0.01,") == 1
    changed = tmp_path / "request.py"
    changed.write_text(text.replace("option(0.9,", "option(0.77,").replace("option(0.01,", "option(0.03,"))
    command = [sys.executable, "-c", SEEN, str(changed), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    shown = seen.pop("help")
    for name, value in DEFAULTS.items():
        assert re.search(rf"--{name}.*\[default: {value}\]", shown), shown
    assert all(values == list(DEFAULTS.values()) for values in seen.values()), seen


DEFAULTS = {"threshold": 0.77, "alpha": 0.03}


SEEN_OF_OTHERS = """
import importlib, importlib.util, inspect, json, sys
name, path, jobs = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
spec = importlib.util.spec_from_file_location(name, path)
module = importlib.util.module_from_spec(spec)
sys.modules[name] = module
spec.loader.exec_module(module)
from typer.testing import CliRunner
from intent.base.job import JOBS
from intent.cli.app import app
import intent.estimate.contributor_types
seen = {}
for job, setting in jobs:
    shown = CliRunner().invoke(app, [job, "--help"], env={"COLUMNS": "200"}).stdout
    request = JOBS[job]
    place, _, function = request.function.rpartition(".")
    parameters = inspect.signature(getattr(importlib.import_module(place), function)).parameters
    rules = intent.estimate.contributor_types.Rules()
    needed = [n for n, s in request.settings.items() if s.default is inspect.Parameter.empty]
    seen[f"{job} {setting}"] = {
        "help": shown,
        "python": parameters[setting].default if setting in parameters else getattr(rules, setting),
        "config": request(**dict.fromkeys(needed, "x")).config().get(setting, getattr(rules, setting, None)),
    }
print(json.dumps(seen))
"""


@pytest.mark.parametrize(
    ("module", "changes"),
    [
        (
            "intent.estimate.requests",
            {
                ("sfem", "tremble"): ('option(\n        "common"', 'option(\n        "pooled"', "pooled"),
                ("contributors", "bootstrap"): ("default=1000", "default=1234", 1234),
                ("contributors", "gap"): ('0.25, "Difference', '0.33, "Difference', 0.33),
            },
        ),
        (
            "intent.behaviour.requests",
            {
                ("metrics", "level"): ("level: float = LEVEL", "level: float = option(0.77, 'L')", 0.77),
                ("explain", "trees"): ("option(10", "option(17", 17),
            },
        ),
        (
            "intent.recognise.requests",
            {
                ("evaluate", "ceiling"): ('option(\n        "auto"', 'option(\n        "known"', "known"),
                ("train", "test_share"): ("option(0.2,", "option(0.3,", 0.3),
                ("discover", "starts"): ("option(12,", "option(17,", 17),
            },
        ),
        (
            "intent.arena.requests",
            {
                ("tournament", "faults"): (
                    'option(\n        "disqualify"',
                    'option(\n        "void"',
                    "void",
                ),
                ("evolve", "runs"): ("option(100, ", "option(123, ", 123),
                ("evolve", "intensity"): ("option(1.0, ", "option(0.7, ", 0.7),
            },
        ),
    ],
)
def test_a_default_of_other_jobs_changes_everywhere(tmp_path: Path, module, changes):
    source = Path(intent.__file__).parents[1] / f"{module.replace('.', '/')}.py"
    text = source.read_text("utf8")
    for old, new, _ in changes.values():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    changed = tmp_path / "requests.py"
    changed.write_text(text)
    command = [sys.executable, "-c", SEEN_OF_OTHERS, module, str(changed), json.dumps(list(changes))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    for (job_name, setting), (_, _, value) in changes.items():
        shown = seen[f"{job_name} {setting}"]
        flag = setting.replace("_", "-")
        assert re.search(rf"--{flag}[^┃]*?\[default: {value}\]", shown.pop("help"), re.S), setting
        assert list(shown.values()) == [value, value], (setting, shown)


def test_no_other_module_says_the_defaults_of_labels():
    again = re.compile(r"\bthreshold\b[^=\n]*[=,] *0?\.9\b|\balpha\b[^=\n]*[,=] *0?\.01\b")
    root = Path(intent.__file__).parent
    found = [p.relative_to(root).as_posix() for p in root.rglob("*.py") if again.search(p.read_text("utf8"))]
    assert found == ["recognise/classifiers.py"]  # alpha of the MLP: the weight of its penalty


SEEN_OF_COMPARISONS = """
import importlib.util, inspect, json, sys
spec = importlib.util.spec_from_file_location("intent.comparison.requests", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
import pandas as pd
from typer.testing import CliRunner
from intent.cli.app import app
from intent.comparison.compare import compare
from intent.comparison.power import power
from intent.runner.experiment.file import After
from intent.runner.finish import check_after
check_after(After(compare=[{"within": "language", "metric": "score"}]))
score = [0.1, 0.2, 0.3, 0.5] * 5
table = pd.DataFrame({"model": list("aabb") * 5, "language": list("abab") * 5, "score": score})
help = lambda job: CliRunner().invoke(app, [job, "--help"], env={"COLUMNS": "200"}).stdout
default = lambda f, name: inspect.signature(f).parameters[name].default
print(json.dumps({
    "help": {job: help(job) for job in ("compare", "power")},
    "signature": [default(compare, "within"), default(power, "check"), list(default(power, "games"))],
    "config": [compare(table, "model", metric="score").config["within"]]
    + [power(0.2, metric="score", sd=0.5).config[name] for name in ("check", "games")],
}))
"""


def test_defaults_of_comparing_and_planning_are_said_once(tmp_path: Path):
    text = Path(requests.__file__).read_text("utf8")
    for old, new in (
        ('"auto",\n        "Compare', '"none",\n        "Compare'),
        ("200, 500)", "200)"),
        ("option(200,", "option(77,"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (changed := tmp_path / "requests.py").write_text(text)
    command = [sys.executable, "-c", SEEN_OF_COMPARISONS, str(changed)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    for name, option_of, value in (
        ("compare", "within", "none"),
        ("power", "check", "77"),
        ("power", "games", "50,100,200"),
    ):
        shown = seen["help"][name]
        assert re.search(rf"--{option_of} .*\[default: {value}\]", shown), shown
    assert seen["signature"] == ["none", 77, [50, 100, 200]]
    assert seen["config"] == [{}, 77, [50, 100, 200]]


@pytest.mark.parametrize("name", JOBS)
def test_a_job_is_where_its_request_says(name):
    request = JOBS[name]
    if name == "bake":
        return
    module, _, function = request.function.rpartition(".")
    made = getattr(__import__(module, fromlist=[function]), function)
    assert {k for k, s in request.settings.items() if s.only != "command"} == set(
        inspect.signature(made).parameters
    )


@pytest.mark.parametrize(
    ("name", "setting"),
    [("label", "threshold"), ("label", "per"), ("probe", "eps"), ("probe", "target"), ("validate", "format")],
)
def test_help_and_signature_have_the_default_of_the_request(name, setting):
    declared = JOBS[name].settings[setting].default
    module, _, function = JOBS[name].function.rpartition(".")
    python = inspect.signature(getattr(__import__(module, fromlist=[function]), function))
    assert python.parameters[setting].default == declared
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).stdout
    assert re.search(rf"--{setting} .*\[default: {declared}\]", shown), shown


def test_positional_settings_come_first():
    assert list(inspect.signature(label_log).parameters)[:2] == ["log", "recogniser"]
    assert LabelRequest(log="x", recogniser="y").changed() == ["log", "recogniser"]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("report", "bootstrap"),
        ("report", "permutations"),
        ("report", "path"),
        ("figures", "bootstrap"),
        ("figures", "folder"),
        ("figures", "image"),
        ("results", "bootstrap"),
        ("results", "folder"),
        ("view", "recogniser"),
        ("view", "port"),
        ("demo", "output"),
        ("generate", "form"),
        ("generate", "output"),
        ("export", "format"),
        ("export", "redact_as"),
        ("bench_score", "scoring"),
        ("bench_leaderboard", "scoring"),
        ("bench_analyse", "samples"),
        ("bench_questionnaire", "repetitions"),
        ("play", "journal"),
        ("sampling", "n"),
        ("sampling", "distributions"),
        ("sampling", "image"),
    ],
)
def test_a_default_of_a_request_is_that_of_signature_and_help(name, setting):
    from typer.testing import CliRunner

    from intent.cli.app import app

    request = JOBS[name]
    declared = request.settings[setting]
    module, _, function = request.function.rpartition(".")
    signature = inspect.signature(getattr(importlib.import_module(module), function))
    assert signature.parameters[setting].default == declared.default
    words = ["bench", "gamma", name[6:]] if name.startswith("bench_") else [name]
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).stdout
    assert re.search(rf"{declared.flags[-1]} .*\[default: {re.escape(str(declared.default))}\]", shown), shown
    assert request.settings[setting].default == getattr(request, setting)


def test_figures_of_an_experiment_are_checked_by_their_request():
    from intent.report.requests import FiguresRequest

    FiguresRequest.of_file("after: figures", {"names": ["choices"], "by": "language", "level": 0.9})
    for values, message in (
        ({"imag": "svg"}, "after: figures: unknown setting 'imag'; did you mean image"),
        ({"folder": "elsewhere"}, "after: figures: unknown setting 'folder'"),
        ({"overwrite": True}, "after: figures: unknown setting 'overwrite'"),
        ({"format": "tidy"}, "after: figures: unknown setting 'format'"),
    ):
        with pytest.raises(UsageError, match=message):
            FiguresRequest.of_file("after: figures", values)
