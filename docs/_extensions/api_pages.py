"""Reference of every package of `intent`, a page each, written into docs/api/ before a build (not committed).

Public are the documented classes and functions that a module defines and whose names have no leading
underscore. Modules are read, not imported, to find them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# The commands have a page of their own.
LEFT_OUT = ("intent.cli", "intent._shipped")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def public_names(tree: ast.Module) -> list[str]:
    """The documented public classes and functions of a module, in their order."""
    defined = [node for node in tree.body if isinstance(node, DEFINITIONS)]
    return [node.name for node in defined if not node.name.startswith("_") and ast.get_docstring(node)]


def first_sentence(tree: ast.Module) -> str:
    """The first paragraph of a module's docstring, on one line."""
    return " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())


def underlined(title: str, mark: str) -> str:
    """A title of reStructuredText."""
    return f"{title}\n{mark * len(title)}\n\n"


def module_section(name: str, names: list[str], indexed: bool) -> str:
    """A module with its public names; out of the index where its own name is that of a function."""
    lines = [
        f".. automodule:: {name}",
        f"   :members: {', '.join(names)}",
        *([] if indexed else ["   :no-index:"]),
    ]
    return underlined(name, "-") + "\n".join(lines) + "\n\n"


def sections(folder: Path, name: str) -> str:
    """The modules of a package that have public names, its own first."""
    public = {}
    for path in sorted(folder.glob("*.py")):
        module = name if path.stem == "__init__" else f"{name}.{path.stem}"
        public[module] = public_names(ast.parse(path.read_text(encoding="utf-8")))
    own = {f"{name}.{one}" for one in public[name]}
    return "".join(module_section(m, names, m not in own) for m, names in public.items() if names)


def package_page(folder: Path, name: str) -> str:
    """The page of one package; empty where it has nothing public of its own."""
    text = sections(folder, name)
    says = first_sentence(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    return underlined(name, "=") + f"{says}\n\n{text}" if text else ""


def front_door(package: Path) -> str:
    """The page of the names that `import intent` offers."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    text = underlined("intent", "=") + f"{first_sentence(tree)}\n\n"
    for name in values["__all__"]:
        text += f"- :py:obj:`intent.{name} <{values['_HOMES'][name]}.{name}>`\n"
    return f"{text}\n{sections(package, 'intent')}"


def pages(package: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every page."""
    yield "intent", front_door(package)
    for init in sorted(package.rglob("__init__.py")):
        name = ".".join(["intent", *init.parent.relative_to(package).parts])
        if name != "intent" and not name.startswith(LEFT_OUT) and (text := package_page(init.parent, name)):
            yield name, text


def write(app: Sphinx) -> None:
    """Write the pages that changed; drop those of packages that are gone."""
    folder = Path(app.srcdir) / "docs" / "api"
    folder.mkdir(exist_ok=True)
    written = {f"{name}.rst": text for name, text in pages(Path(app.srcdir) / "intent")}
    for path in folder.glob("*.rst"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the build looks for its sources."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
