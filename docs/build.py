"""Write the reference pages from the code: docs/api.md, docs/cli.md, docs/codebook.md,
docs/strategies.md, docs/references.md.

``python docs/build.py`` writes them, ``python docs/build.py --check`` exits with 1 if one is out of date.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
WRITTEN = "<!-- Written by docs/build.py (`make docs`) from the code; edit the code instead. -->\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def codebook() -> str:
    """Every column and JSON key with its meaning."""
    from intent.base import codebook as schema

    tables = schema.TABLES | schema.RESULT_TABLES
    text = [WRITTEN, "# Codebook\n"]
    text += [
        f"Version {schema.CODEBOOK_VERSION} of columns and keys"
        " ([what its numbers mean](deprecation.md#columns-and-keys)),",
        f"version {schema.SCHEMA_VERSION} of the game log's layout. Every JSON object that a command",
        "prints begins with `codebook_version`; a file that one wrote holds the version of the package.\n",
    ]
    for name, columns in tables.items():
        rows = [(f"`{c.name}`", c.kind, presence(c), c.meaning) for c in columns]
        text += [f"## Table {name}\n", table(["column", "type", "value", "meaning"], rows)]
    text.append(
        "Further columns of games and seats are conditions. Labels also carry the columns that describe a"
    )
    text.append(
        f"trajectory and, after `confidence`, one `{schema.PROBABILITY_PREFIX}<STRATEGY>` per class. So do"
    )
    text.append(
        "metrics, with `<question>_correct`, `<question>_misunderstood` and `<question>_n` per question.\n"
    )
    text.append("## Column `details` of the moves\n")
    rows = [(a, f"`{key}`", meaning) for a, keys in schema.DETAILS.items() for key, meaning in keys.items()]
    text.append(table(["architecture", "key", "meaning"], rows))
    for command, keys in schema.JSON_OBJECTS.items():
        keys = keys | schema.JSON_EXTRAS.get(command, {})
        rows = [(f"`{key}`", meaning) for key, meaning in keys.items()]
        said = {
            "agreement": "label -r A,B",
            "dry_run": "play --dry-run",
            "replicate_dry_run": "replicate --dry-run",
            "figure_list": "figures --list",
            "check": "strategies check",
            "write": "strategies write",
            "write_dry_run": "strategies write --dry-run",
            "chain": "strategies run",
            "chain_status": "status CHAIN",
            "bench_dry_run": "bench gamma run --dry-run",
        }.get(command, command.replace("bench_", "bench gamma "))
        text += [f"## `intent {said} --json`\n", table(["key", "meaning"], rows)]
    return "\n".join(text)


def presence(column: Any) -> str:
    """Whether a column, or a value in it, may be absent."""
    return "in every row" if column.required else "column may be absent" if column.optional else "may be null"


def strategies() -> str:
    """The catalogue and the named sets."""
    from intent.strategies.catalogue import SETS, catalogue

    rows = []
    for s in catalogue():
        vector = s.memory_one_vector()
        shown = "–" if vector is None else f"({vector[0]:.3g}; {', '.join(f'{p:.3g}' for p in vector[1:])})"
        rows.append((s.name, s.rule, shown, str(s.n_states), ", ".join(s.synonyms), s.citation))
    sets = [(f"`{name}`", " ".join(members), memory) for name, (members, memory) in SETS.items()]
    return "\n".join(
        [
            WRITTEN,
            "# Strategies\n",
            "C is to cooperate, D to defect. The vector of a strategy that remembers one round is P(C) in",
            "round 1, then after CC, CD, DC, DD, own move first. Brackets set a parameter: `GTFT(0.1)`.\n",
            table(["name", "rule", "memory-one vector", "states", "also called", "citation"], rows),
            "## Sets\n",
            table(["set", "strategies, in the order that breaks ties", "memory"], sets),
        ]
    )


def references() -> str:
    """The works that the package cites."""
    from intent.base.wording import works

    text = [
        WRITTEN,
        "# References\n",
        f"The {len(works())} works that strategies, games, methods texts and reports",
    ]
    text.append("cite, from one BibTeX file that the package holds: `intent/base/references.bib`.\n")
    rows = sorted((work.printed, f"`{key}`") for key, work in works().items())
    return "\n".join([*text, table(["work", "BibTeX key"], rows)])


def cli() -> str:
    """Every command with arguments and options."""
    import typer

    from intent.cli.app import app

    root = typer.main.get_command(app)
    text = [WRITTEN, "# Commands\n", f"{root.help}\n"]
    text += ["Every error is one line with exit code 2; `intent --debug COMMAND` shows where it came from.\n"]
    text += [
        "Work that takes longer than twenty seconds says on standard error how far it is, also with `--json`:"
        " a bar on a terminal, else a line every half minute; `intent --quiet COMMAND` shows none.\n"
    ]
    commands = list(walk(root, ("intent",)))
    does = [
        (f"`{' '.join(path)}`", (command.help or "").strip().split("\n\n")[0]) for path, command in commands
    ]
    text.append(table(["command", "does"], [(name, " ".join(said.split())) for name, said in does]))
    for path, command in commands:
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        text += [
            f"## `{' '.join([*path, *map(placeholder, arguments)])}`\n",
            f"{(command.help or '').strip()}\n",
        ]
        rows = [row(p) for p in command.params if p.name != "help" and not p.hidden]
        if rows:
            text.append(table(["option", "default", "meaning"], rows))
    return "\n".join(text)


def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands below a group, in order, with the words that call them."""
    for name, child in command.commands.items():
        if hasattr(child, "commands"):
            yield from walk(child, (*path, name))
        else:
            yield (*path, name), child


def placeholder(argument: Any) -> str:
    """An argument as a usage line writes it."""
    name = (argument.metavar or argument.name).upper()
    name += "..." if argument.nargs == -1 else ""
    return name if argument.required else f"[{name}]"


def row(parameter: Any) -> tuple[str, str, str]:
    """Names, default and meaning of an argument or option."""
    names = [f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts]]
    if parameter.param_type_name == "argument":
        names = [placeholder(parameter)]
    elif parameter.metavar:
        names[-1] = f"{names[-1][:-1]} {parameter.metavar}`"
    default = "required" if parameter.required else parameter.default
    given = default is not None and default is not False and not callable(default)
    shown = str(default) if given and default not in ((), [], "") else ""
    return ", ".join(names), shown, (parameter.help or "").strip()


PYTHON = """# Python

`import intent` offers the names below and loads each when it is first used; README and notebooks need few
others. After them come the packages, a room for each subject ([how they fit together](design.md)). On the
site every name leads to its docstring, and the pages of the packages are made from the docstrings when it
is built (`make docs`); in a file viewer, read the docstrings themselves.

```python
import intent

log = intent.read_log("results.csv.gz")
labels = intent.label(log)
```

Arrays have their shape in the docstring: `own : (n, T) int8, 1 = cooperate` is n trajectories of T
rounds. What a function raises is a subclass of `IntentError`, with a message of one line.
"""


def api() -> str:
    """The names of the front door and the packages, each with its first sentence."""
    import intent

    root = Path(intent.__file__).parent
    names = [(f"`intent.{name}`", sentence(getattr(intent, name).__doc__)) for name in intent.__all__]
    packages = []
    for init in sorted(root.rglob("__init__.py")):
        path = init.parent.relative_to(root.parent)
        if len(path.parts) > 1 and path.parts[1] not in {"cli", "_shipped"}:
            text = sentence(ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))))
            packages.append((f"`{'.'.join(path.parts)}`", text))
    modules = [("`intent.features`", sentence(intent.features.__doc__))]
    return "\n".join(
        [
            WRITTEN,
            PYTHON,
            "## Names\n",
            table(["name", "is"], names),
            "## Packages\n",
            table(["package", "holds"], sorted([*packages, *modules], key=lambda row: row[0].strip("`"))),
        ]
    )


def sentence(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((docstring or "").strip().split("\n\n")[0].split())


PAGES: dict[str, Callable[[], str]] = {
    "api.md": api,
    "codebook.md": codebook,
    "strategies.md": strategies,
    "references.md": references,
    "cli.md": cli,
}


def main() -> None:
    """Write the pages, or compare them with what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a page is out of date"
    )
    check = parser.parse_args().check
    stale = []
    for name, page in PAGES.items():
        path, text = FOLDER / name, page()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
