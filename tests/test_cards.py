"""Every model and data set that ships has a card, and its numbers are those of the files beside it."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import intent
from intent.gamma.bench.questionnaire import read_items
from intent.recognise.recogniser import Recogniser, load_recogniser, shipped_recognisers
from intent.strategies.sets import strategy_set

ROOT = Path(__file__).parents[1]
SAMPLES, BASELINES = ROOT / "datasets" / "samples", ROOT / "datasets" / "baselines"
sys.path.insert(0, str(ROOT / "models"))

from build import identity  # noqa: E402
from regret_grid import GRID_EPS, GRID_ROUNDS, regret_grid  # noqa: E402

SECTIONS = ["Training", "Accuracy (and regret to the rule that knows eps)"]
SECTIONS += ["Regret to the rule that integrates eps over U[0, .2]"]
MODELS = {folder.name: folder for folder in sorted((ROOT / "models").iterdir()) if folder.is_dir()}
MODELS.pop("__pycache__", None)


def card(name: str) -> str:
    return (MODELS[name] / "README.md").read_text("utf8")


@cache
def recogniser(name: str) -> Recogniser:
    """A shipped one, loaded once: a forest takes half a second."""
    return load_recogniser(name)


def test_every_folder_of_models_is_a_shipped_recogniser() -> None:
    assert list(MODELS) == sorted(shipped_recognisers())


@pytest.mark.parametrize("name", MODELS)
def test_a_model_card_says_what_it_is_trained_on_how_good_it_is_and_which_files(name: str) -> None:
    text = card(name)
    headings = re.findall(r"^## (.+)$", text, flags=re.M)
    assert headings[:3] == SECTIONS
    assert headings[-2:] == ["Use and limits", "Licence and files"]
    assert text.startswith(f"# {name}\n")
    classes = re.search(r"Classes: (.+)\.", text)[1].split(", ")
    assert classes == [str(c) for c in recogniser(name).classes_]
    assert f"`python models/build.py {name}`" in text
    assert text.endswith(identity(MODELS[name])), "run python models/build.py --identity"


def accuracies(name: str) -> dict[tuple[int, float], float]:
    """Rounds and eps -> the accuracy that a card states."""
    rows = card(name).split(f"## {SECTIONS[1]}")[1].split("\n## ")[0]
    cells = {
        int(r): re.findall(r"(\d\.\d{4}) \(", row) for r, row in re.findall(r"^\| (\d+) \|(.+)", rows, re.M)
    }
    return {(t, e): float(a) for t, row in cells.items() for e, a in zip(GRID_EPS, row, strict=True)}


@pytest.mark.parametrize("name", MODELS)
def test_accuracies_of_a_model_card_are_those_of_its_files(name: str) -> None:
    """Play of another seed comes as near as 4,000 trajectories can (four standard errors)."""
    stated = accuracies(name)
    assert set(stated) == {(t, e) for t in GRID_ROUNDS for e in GRID_EPS}
    set_name = name.partition("-")[2]
    model = recogniser(name)
    for point in regret_grid(model, set_name, n=4000, seed=7, eps=(0.05,), rounds=(10,), tell=False):
        p = stated[10, 0.05]
        assert abs(point.accuracy - p) < 4 * (p * (1 - p) / 4000) ** 0.5


def test_classes_of_models_are_their_sets() -> None:
    for name in MODELS:
        names = [s.name for s in strategy_set(name.partition("-")[2])]
        assert sorted(names) == sorted(map(str, recogniser(name).classes_))


def stated_files(page: Path) -> dict[str, tuple[int, str]]:
    """File -> bytes and hash that a data card states."""
    rows = re.findall(
        r"^\| file \| `(.+?)`, ([\d,]+) bytes, SHA-256 `(\w+)` \|", page.read_text("utf8"), re.M
    )
    return {name: (int(size.replace(",", "")), digest) for name, size, digest in rows}


@pytest.mark.parametrize("folder", [SAMPLES, BASELINES], ids=lambda f: f.name)
def test_data_cards_hold_size_and_hash_of_every_file_of_data(folder: Path) -> None:
    stated = stated_files(folder / "README.md")
    files = {
        str(f.relative_to(folder)): f
        for f in folder.rglob("*")
        if f.is_file() and "__pycache__" not in f.parts
    }
    programs = {"README.md", "make_scripted_players.py", "estimate.py", "demo.yaml", "smollm2_play.yaml"}
    assert set(stated) == set(files) - programs
    for name, (size, digest) in stated.items():
        data = files[name].read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (size, digest), name


def test_data_cards_have_a_licence_and_say_who_made_it() -> None:
    parts = (SAMPLES / "README.md").read_text("utf8").split("\n## ")[1:]
    for part in [*parts, (BASELINES / "README.md").read_text("utf8")]:
        fields = set(re.findall(r"^\| (\w[\w ]*) \|", part, flags=re.M))
        assert {"what", "made by", "licence", "file"} <= fields, part[:40]


def test_counts_of_data_cards_are_those_of_the_files() -> None:
    text = (SAMPLES / "README.md").read_text("utf8")
    scripted = intent.read_log(SAMPLES / "scripted_players.jsonl.gz")
    assert (len(scripted.games), len(scripted.seats), set(scripted.games["rounds_played"])) == (
        240,
        480,
        {20},
    )
    assert "240 games of 20 rounds between scripted, noisy players; 480 trajectories" in text
    played = intent.read_log(SAMPLES / "smollm2_play.jsonl.gz")
    model = (played.seats["model"] == "local/smollm2-135m").sum()
    assert (len(played.games), len(played.moves), model) == (96, 1920, 128)
    assert "96 games of 10 rounds, 1,920 moves" in text
    assert "128 trajectories of the model" in text
    written = [SAMPLES / "written_strategies" / f"{name}.py" for name in ("default", "default_noise")]
    classes = [sum(isinstance(n, ast.ClassDef) for n in ast.parse(p.read_text("utf8")).body) for p in written]
    assert classes == [24, 6]
    assert "30 strategies" in text
    assert len(read_items(SAMPLES / "everyday_choices.yaml")) == 6
    shares = json.loads((BASELINES / "human_shares.json").read_text("utf8"))
    assert f"{len(shares['baselines'])} baselines" in (BASELINES / "README.md").read_text("utf8")
    assert [source["licence"].rpartition(", ")[2] for source in shares["sources"].values()] == [
        "GPL",
        "no licence stated",
        "MIT",
    ]


@pytest.mark.parametrize("folder", ["specs", "sets"])
def test_every_spec_and_set_is_in_the_table_of_its_folder(folder: str) -> None:
    place = ROOT / "datasets" / folder
    page = (place / "README.md").read_text("utf8")
    assert [f.name for f in place.glob("*.yaml") if not re.search(rf"`{f.stem}(\.yaml)?`", page)] == []
