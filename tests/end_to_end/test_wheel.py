"""The built wheel, alone in an empty environment, labels a log with a shipped recogniser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from functools import partial
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LARGEST_MODEL = 5_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(words, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_carries_models_samples_prompts_and_pages(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    models = [info for info in zipfile.ZipFile(wheel).infolist() if "/_shipped/models/" in info.filename]
    assert len([m for m in models if m.filename.endswith("recogniser.json")]) == 16
    assert max(m.file_size for m in models) <= LARGEST_MODEL
    assert any(name.endswith("samples/scripted_players.jsonl.gz") for name in names)
    assert "intent/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]
    texts = {
        str(p.relative_to(ROOT)) for p in (ROOT / "intent" / "agents" / "prompts" / "texts").glob("*.txt")
    }
    assert len(texts) >= 30
    assert texts <= set(names)
    texts = {str(p.relative_to(ROOT)) for p in (ROOT / "intent/gamma").rglob("*.txt")}
    assert len(texts) >= 50
    assert texts <= set(names)
    texts = {str(p.relative_to(ROOT)) for p in (ROOT / "intent" / "arena").rglob("*.txt")}
    assert (
        {"intent/arena/sources/set_header.txt", "intent/arena/writing/texts/code_en.txt"}
        < texts
        <= set(names)
    )
    assert {f"written_strategies/{name}.py" for name in ("default", "default_noise")} <= {
        "/".join(name.rsplit("/", 2)[1:]) for name in names if "/_shipped/datasets/samples/" in name
    }
    assert {str(p.relative_to(ROOT)) for p in (ROOT / "intent").rglob("*.py")} <= set(names)
    folders = ("intent/report/pages", "intent/view/static", "intent/view/templates")
    pages = {str(p.relative_to(ROOT)) for folder in folders for p in (ROOT / folder).iterdir() if p.is_file()}
    assert len(pages) >= 15
    assert pages <= set(names)
    assert "intent/report/sentences.toml" in names
    assert "intent/_shipped/datasets/baselines/human_shares.json" in names
    code = {f"intent/_shipped/{p.relative_to(ROOT)}" for p in (ROOT / "experiments").rglob("*.py")}
    assert len(code) >= 10
    assert code <= set(names)


def distribution_of(wheel: Path) -> Distribution:
    """What a wheel says of itself."""
    archive = zipfile.Path(wheel)
    return PathDistribution(
        next(folder for folder in archive.iterdir() if folder.name.endswith(".dist-info"))
    )


def needed(of: Distribution) -> dict[str, Distribution]:
    """Name -> what a distribution asks for, extras apart, and all that this asks for, in fitting versions."""
    found: dict[str, Distribution] = {}
    waiting = [(of, frozenset({""}))]
    done = set()
    while waiting:
        asking, extras = waiting.pop()
        for requirement in map(Requirement, asking.requires or ()):
            marker, name = requirement.marker, canonicalize_name(requirement.name)
            if marker and not any(marker.evaluate({"extra": extra}) for extra in extras):
                continue
            found[name] = distribution(name)
            assert requirement.specifier.contains(found[name].version, prereleases=True), str(requirement)
            wanted = (name, frozenset({"", *requirement.extras}))
            if wanted not in done:
                done.add(wanted)
                waiting.append((found[name], wanted[1]))
    return found


@pytest.mark.parametrize(
    "ways",
    [pytest.param("linked", marks=pytest.mark.slow), pytest.param("pip", marks=pytest.mark.exhaustive)],
)
def test_it_labels_in_an_empty_environment(wheel, tmp_path, ways):
    """What the wheel asks for is linked from here, or fetched by pip, and nothing else is there."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    packages = needed(distribution_of(wheel))
    assert "numpy" in packages
    assert "pytest" not in packages
    for package in packages.values() if ways == "linked" else ():
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(package.locate_file(top))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    how = ["--no-deps"] if ways == "linked" else ["-c", str(ROOT / "constraints.txt")]
    # Compiled is what is imported, not all that is installed.
    subprocess.run([*pip, "install", "-qq", "--no-compile", *how, str(wheel)], check=True, cwd=tmp_path)
    sample = "from intent.demo import sample_log; print(sample_log())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = partial(subprocess.run, check=True, capture_output=True, text=True, cwd=tmp_path, env=environment)
    where = run([str(python), "-c", sample])
    assert str(tmp_path) in where.stdout
    words = [str(python.with_name("intent")), "label", where.stdout.strip(), "-o", "labels.parquet", "--json"]
    done = run([*words, "-r", "logistic-canonical4"])
    assert json.loads(done.stdout)["n"] == 480
    assert (tmp_path / "labels.parquet").is_file()
    forest = run([*words, "-r", "forest-canonical4", "--overwrite"], check=False)
    assert (forest.returncode, forest.stdout) == (2, "")
    assert "pip install 'strategy-intent[sklearn]'" in forest.stderr
