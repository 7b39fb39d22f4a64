"""Libraries of extras are imported where `require` was called before, and nowhere else."""

from __future__ import annotations

import ast
from functools import cache

from source_nodes import nodes, tree

from intent.base.registry import EXTRAS

ONLY_BEHIND = {
    "recognise/lstm_training.py": "recognise/lstm.py asks for them before it imports it",
    "features.py": "asks for it at its top",
    "view/app.py": "view.serve asks for them before it imports it",
}
"""Files that import such libraries on conditions of their own."""

ROOM = "inspect/"
"""Inspect itself imports these modules, or what has asked for it; nothing else does (below)."""

BEFORE = {
    "agents/clients/wire.py": "the clients that make a Wire ask for httpx2",
    "agents/clients/openai.py": "its client cannot be made without",
    "agents/clients/anthropic.py": "its client cannot be made without",
    "agents/clients/llamacpp.py": "its client asks for the version first",
    "base/tracking.py": "the tracker cannot be made without",
    "base/workers.py": "a Cluster cannot be opened without",
    "estimate/choice/flexible.py": "ChoiceModel.fit asks for the libraries of a model",
    "behaviour/importance.py": "the job asks for both before anything is fitted",
    "recognise/lstm.py": "fitting and loading ask for them",
    "recognise/classifiers.py": "FeatureRecogniser.fit and load_forest ask for them",
    "recognise/outside.py": "the classifier comes from scikit-learn",
    "recognise/calibrated.py": "asks in the function",
    "view/serve.py": "the job asks for both",
}
"""Files where another function asks: who, and why that is enough."""


@cache
def lazy(place: str) -> list[tuple[str, bool, bool]]:
    """Packages of extras that are imported: name, whether at the top, whether the function asks for it."""
    rows: list[tuple[str, bool, bool]] = []

    def visit(node: ast.AST, function: ast.AST | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            inside = child if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
            names = []
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
                names = [child.module]
            elif isinstance(child, ast.Call) and getattr(child.func, "id", "") == "load_asleep":
                names = [name.value for name in child.args if isinstance(name, ast.Constant)]
            for name in {name.partition(".")[0] for name in names} & set(EXTRAS):
                calls = ast.walk(function) if function is not None else ()
                asked = any(
                    isinstance(call, ast.Call) and getattr(call.func, "id", "") == "require" for call in calls
                )
                rows.append((name, function is None, asked))
            visit(child, inside)

    visit(tree(place), None)
    return rows


def test_a_library_of_an_extra_is_asked_for() -> None:
    wrong = []
    for where in nodes():
        if where in ONLY_BEHIND or where.startswith(ROOM):
            continue
        for name, at_top, asked in lazy(where):
            if at_top:
                wrong.append(f"{where} imports {name} whenever it is imported itself")
            elif not asked and where not in BEFORE:
                wrong.append(f"{where} imports {name} without require({name!r})")
    assert wrong == []


def test_the_exceptions_are_files_that_import_such_libraries() -> None:
    there = {where for where in nodes() if lazy(where)}
    assert {*ONLY_BEHIND, *BEFORE} <= there


def test_nobody_imports_the_room_of_inspect_but_lazily_and_after_asking() -> None:
    for where in nodes():
        if where.startswith(ROOM):
            continue
        top = [ast.unparse(one) for one in tree(where).body if isinstance(one, ast.Import | ast.ImportFrom)]
        assert not [line for line in top if "intent.inspect" in line], where
