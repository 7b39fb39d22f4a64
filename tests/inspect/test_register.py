"""What the register of evaluations kept outside of Inspect asks of a repository, as far as tests can tell."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TASKS = {
    *("prisoners_dilemma", "stag_hunt", "snow_drift", "harmony_game", "battle_of_the_sexes", "matrix_game"),
    *("public_goods", "gamma_bench", "experiment"),
}


def test_the_project_declares_itself_and_inspect() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"]
    assert any(one.startswith("inspect-ai") for one in project["optional-dependencies"]["inspect"])
    assert project["entry-points"]["inspect_ai"] == {"intent": "intent.inspect.tasks"}


def test_every_task_stands_under_the_decorator_in_one_file() -> None:
    tree = ast.parse((ROOT / "intent" / "inspect" / "tasks.py").read_text())
    decorated = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(
            isinstance(one, ast.Call) and getattr(one.func, "id", "") == "task" for one in node.decorator_list
        )
    }
    assert decorated == TASKS
    assert all(
        ast.get_docstring(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in TASKS
    )


def test_inspect_finds_the_tasks_by_file_and_by_name() -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="needs the extra inspect")
    from inspect_ai.util import registry_info

    from intent.inspect.tasks import TASKS as ours

    assert {one.name for one in inspect_ai.list_tasks("inspect", root_dir=ROOT / "intent")} == TASKS
    assert {registry_info(made).name for made in ours.values()} == {f"intent/{name}" for name in TASKS}


def test_the_lint_of_the_register_finds_nothing_wrong() -> None:
    """Its advice on where models are made is not followed: they are made where a sample is played."""
    pytest.importorskip("inspect_evals_lint", reason="needs the development tools")
    words = ["--preset", "single-eval", "--task", "intent/inspect/tasks.py", "--output-format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "inspect_evals_lint", "--root", str(ROOT), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    lint = json.loads(done.stdout)
    assert done.returncode == 0
    assert lint["passed"]
    assert lint["summary"]["fail"] == 0 < lint["summary"]["pass"]


def test_the_file_for_the_register_names_the_tasks_and_how_long_they_are() -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra inspect")
    from intent import inspect

    stated = yaml.safe_load((ROOT / "intent" / "inspect" / "eval.yaml").read_text(encoding="utf8"))["tasks"]
    assert {one["name"] for one in stated} == {*inspect.__all__} == TASKS
    sizes = {one["name"]: one["dataset_samples"] for one in stated if "dataset_samples" in one}
    epochs = {name: getattr(inspect, name)() for name in sizes}
    assert {name: len(task.dataset) for name, task in epochs.items()} == sizes
    assert not hasattr(inspect, "chess")
