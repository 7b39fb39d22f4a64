"""The package is cut by subject: few whole modules, hardly any that serve one neighbour alone, no circles."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter

from source_nodes import PACKAGE, nodes, tree

import intent

MODULES, SINGLE = 400, 52
"""How many modules there may be, and how many with one importer, which stands in the same folder."""


@cache
def modules() -> dict[str, str]:
    """Dotted name -> place of the file; packages that hold nothing but words are left out."""
    named = {}
    for place in nodes():
        parts = ("intent", *place.removesuffix(".py").split("/"))
        if parts[-1] != "__init__":
            named[".".join(parts)] = place
        elif len(tree(place).body) > 1:
            named[".".join(parts[:-1])] = place
    return named


@cache
def imports() -> dict[str, set[str]]:
    """Module -> those that it imports: at its top, in functions, or for types."""
    named = modules()
    graph: dict[str, set[str]] = defaultdict(set)
    for module, place in named.items():
        for node in nodes()[place]:
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = {f"{node.module}.{alias.name}" for alias in node.names}
                graph[module] |= {part if part in named else node.module for part in parts} & set(named)
    return {module: others - {module} for module, others in graph.items()}


def test_modules_are_few():
    assert len(modules()) <= MODULES


def test_hardly_any_module_serves_one_neighbour_alone():
    users: dict[str, set[str]] = defaultdict(set)
    for module, others in imports().items():
        for other in others:
            users[other].add(module)
    single = [
        module
        for module, by in users.items()
        if len(by) == 1 and min(by).rpartition(".")[0] == module.rpartition(".")[0]
    ]
    assert len(single) <= SINGLE, sorted(single)


def test_no_circle_of_imports_also_not_through_lazy_ones():
    TopologicalSorter(imports()).prepare()


def test_no_room_hides_a_name_of_the_front_door():
    rooms = {path.stem for path in PACKAGE.iterdir()}
    assert not rooms & set(intent.__all__)


RIDDLES = {"found", "told", "asked", "said", "given", "kept"}
"""Participles that name no thing: a value is called what it is."""


def bound(among: Iterable[ast.AST]) -> set[str]:
    """Names that get a value, and those of arguments."""
    names = set()
    for node in among:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


def binding(words: set[str]) -> list[str]:
    """Functions that give a value one of these names, or take one of that name."""
    return [
        f"{place}:{function.name}"
        for place, own in nodes().items()
        if bound(own) & words
        for function in own
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and bound(ast.walk(function)) & words
    ]


def test_values_of_functions_are_called_what_they_are():
    assert binding(RIDDLES) == []


FEWER, FEW = {"made", "seen", "taken"}, 17
"""Further ones, and how many functions may have them until none has."""


def test_further_participles_get_fewer():
    assert len(functions := binding(FEWER)) <= FEW, functions


SETTINGS = {
    ("agents/table.py", "PlainTable.told"),
    ("gamma/bench/conditions.py", "BenchCondition.told"),
    ("gamma/bench/requests.py", "BenchRunRequest.told"),
    ("comparison/sweep.py", "Point.kept"),
}
"""Named as users write or read them: the setting ``told`` of gamma-bench, the key ``kept`` of sweeps."""


def test_fields_and_functions_are_called_what_they_are():
    riddles = set()
    for where, own in nodes().items():
        for node in own:
            if isinstance(node, ast.ClassDef):
                riddles |= {(where, f"{node.name}.{name}") for name in _fields(node) if _is_riddle(name)}
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_riddle(node.name):
                riddles.add((where, node.name))
            elif (
                isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_riddle(node.attr)
            ):
                riddles.add((where, ast.unparse(node)))
    assert riddles == SETTINGS


def _is_riddle(name: str) -> bool:
    return name.lstrip("_") in RIDDLES


def _fields(node: ast.ClassDef) -> set[str]:
    """Names bound in the body of a class."""
    targets = [n.target for n in node.body if isinstance(n, ast.AnnAssign)]
    targets += [target for n in node.body if isinstance(n, ast.Assign) for target in n.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def test_a_default_that_has_a_home_is_written_nowhere_else():
    from intent.base import defaults

    homes = {value for name in defaults.__all__ if isinstance(value := getattr(defaults, name), str)}
    copies = []
    for module, place in modules().items():
        for node in nodes()[place]:
            given = []
            if isinstance(node, ast.arguments):
                given = [*node.defaults, *node.kw_defaults]
            elif isinstance(node, ast.AnnAssign):
                given = [node.value]
            copies += [
                f"{module}:{value.lineno}"
                for value in given
                if isinstance(value, ast.Constant) and value.value in homes and "defaults" not in module
            ]
    assert copies == []


def bound_twice(source: str) -> list[str]:
    """Names that a module binds twice by itself, in no branch: the second value is everybody's."""
    names: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            decorators = {ast.unparse(d).rpartition(".")[2] for d in node.decorator_list}
            names += [] if decorators & {"overload", "register"} else [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [
                n.id
                for t in targets
                for n in ast.walk(t)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            ]
    return sorted({name for name in names if names.count(name) > 1 and name != "_"})


def test_no_module_binds_a_name_twice() -> None:
    assert bound_twice("A, B = 1, 2\nB: int = 3\ndef f(): ...\nclass f: ...\nif A:\n    A = 2\n") == [
        "B",
        "f",
    ]
    twice = {place: names for place in modules().values() if (names := bound_twice(ast.unparse(tree(place))))}
    assert not twice
