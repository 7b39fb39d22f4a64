"""The codebook, against our own design page and the contract that scripts rely on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import intent
from intent.base import codebook

ROOT = Path(__file__).resolve().parent.parent
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
TABLES = codebook.TABLES | codebook.RESULT_TABLES


def listed(heading: str) -> dict[str, list[str]]:
    """Name -> backticked words of the items ``- **name**: …`` below a heading of docs/design.md."""
    section = DESIGN.split(f"### {heading}\n")[1].split("\n#")[0]
    items = re.findall(r"^- \*\*(\w+)\*\*:((?:.|\n(?=  ))*)", section, flags=re.MULTILINE)
    return {name: re.findall(r"`(\w+)`", text) for name, text in items}


def test_design_page_lists_the_columns():
    assert listed("Columns") == {name: [c.name for c in columns] for name, columns in TABLES.items()}


def test_design_page_lists_the_json_keys():
    assert listed("JSON objects") == {name: list(keys) for name, keys in codebook.JSON_OBJECTS.items()}


def test_design_page_lists_the_parts():
    parts = {p.stem for p in Path(intent.__file__).parent.iterdir() if not p.name.startswith(("_", "."))}
    rows = re.findall(r"^\| `(\w+)` \|", DESIGN, flags=re.MULTILINE)
    assert sorted(rows) == sorted(parts - {"py"})


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_named_once_and_say_what_they_mean(name):
    names = [c.name for c in TABLES[name]]
    assert len(set(names)) == len(names)
    assert all(c.meaning and not (c.required and c.optional) for c in TABLES[name])


@pytest.fixture
def contract(data_dir) -> str:
    """The design that scripts rely on, on one line; skipped where it is absent."""
    page = data_dir.parent / "DESIGN.md"
    if not page.is_file():
        pytest.skip(f"no {page}")
    return " ".join(page.read_text(encoding="utf-8").split())


def names_in(prose: str) -> list[str]:
    """Column names of a comma-separated sentence, remarks in brackets and connecting words aside."""
    plain = re.sub(r"\([^)]*\)", "", prose).replace(" and optionally ", " ").replace(" and ", ", ")
    first_words = [item.split()[0] for item in plain.split(",") if item.split()]
    return [word for word in first_words if word not in {"every", "keys", "one"}]


@pytest.mark.data
@pytest.mark.parametrize(("table", "least"), [("games", 13), ("seats", 9), ("moves", 14)])
def test_contract_columns_of_the_game_log(contract, table, least):
    prose = re.search(rf"`{table}`: (.*?)\. ", contract + " ").group(1)
    names = names_in(prose)
    assert len(names) >= least
    assert set(names) <= {c.name for c in codebook.TABLES[table]}


@pytest.mark.data
def test_contract_columns_of_labels(contract):
    prose = re.search(r"\*\*Labels\*\* [^:]*: (.*? status), tested", contract).group(1)
    names = names_in(prose)
    assert {"n_rounds", "best", "consistent", "status"} <= set(names) <= {c.name for c in codebook.LABELS}


def braces(text: str) -> str:
    """The text up to the brace that closes its first one."""
    depth = 0
    for i, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[: i + 1]
    raise ValueError("unbalanced braces")


@pytest.mark.data
@pytest.mark.parametrize("command", ["label", "evaluate", "train", "compare", "sfem", "predict"])
def test_contract_keys_of_json_objects(contract, command):
    promised = braces(contract.split(f"`intent {command} --json`: ")[1])
    keys = codebook.JSON_OBJECTS[command]
    words = set(re.findall(r"\w+", " ".join([*keys, *keys.values()])))
    assert set(re.findall(r'"(\w+)"', promised)) <= words
    while "{" in promised[1:-1]:
        promised = "{" + re.sub(r"[\[{][^\[\]{}]*[\]}]", "", promised[1:-1]) + "}"
    outer = re.findall(r'"(\w+)"', re.sub(r' or "\w+"', "", promised))
    assert set(outer) == set(keys)
