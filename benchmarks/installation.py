"""What an installation weighs: an empty environment per extra, its size, seconds to install, what runs.

Each row is made in a temporary folder with ``python -m venv`` and pip, as a user does, from the wheel of
this working copy, within constraints.txt (an unpinned torch may bring gigabytes of CUDA). Size: bytes of
all files of its site-packages without pip and setuptools, bytecode included, in units of 10^6. Seconds: of
``pip install`` alone, with what pip has in its cache (``--no-cache``: all downloaded anew), beside the
processor time that it used, which other work on the machine does not lengthen. ``--extra NAME``
(repeatable) measures these alone, ``--full`` all of them; ``--uv`` installs by uv in place of pip.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORE = "core"

TRIED = {
    CORE: "import intent; from intent.demo import sample_log; len(intent.label(sample_log()))",
    "sklearn": "import intent; intent.load_recogniser('forest-canonical4')",
    "train": "import intent; intent.load_recogniser('lstm-canonical4'); import mlflow, pytorch_lightning",
    "explain": "import shap, sklearn",
    "play": "from intent.agents.clients.registry import make_client; make_client('openai/m@http://127.0.0.1:9/v1')",
    "anthropic": "import anthropic, httpx2",
    "local": "from intent.agents.clients.llamacpp import engine_version; engine_version(); import xllamacpp",
    "view": "import starlette, uvicorn; import intent.view.app",
    "stats": "from statsmodels.discrete.discrete_model import MNLogit",
    "games": "from intent.games.equilibria import nash_equilibria; "
    "from intent.games.game import MatrixGame; "
    "nash_equilibria(MatrixGame('pd', ('C', 'D'), (((3, 3), (0, 5)), ((5, 0), (1, 1))), 'reward'))",
    "sandbox": "from intent.arena.engines import make_engine; make_engine('monty').close()",
    "cluster": "import distributed",
    "axelrod": "import importlib.util as u; assert u.find_spec('axelrod')",
    "bridges": "from intent.games.catalogue import game; game('openspiel:matrix_pd'); import pettingzoo",
    "cloud": "import s3fs; from intent.base.files import path_of; path_of('s3://bucket/key')",
    "inspect": "from intent.inspect.tasks import prisoners_dilemma; prisoners_dilemma()",
    "all": "import torch, sklearn, shap, openai, intent; intent.load_recogniser('lstm-canonical4')",
}
"""Extra -> code that needs it, and must run where it is installed; without a row: importing the package."""

START = "import time; t = time.perf_counter(); import intent; print(time.perf_counter() - t)"
_ASIDE = ("pip", "setuptools", "pkg_resources", "_distutils_hack")


def extras() -> list[str]:
    """The extras of pyproject.toml for users, the core first, all of them last."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = [
        name for name in project["optional-dependencies"] if name not in ("all", "dev", "docs", "release")
    ]
    return [CORE, *rows, "all"]


def size(site: Path) -> int:
    """Bytes of all files but those of pip and setuptools."""
    total = 0
    for folder, folders, files in os.walk(site):
        if Path(folder) == site:
            folders[:] = [name for name in folders if not name.lower().startswith(_ASIDE)]
        total += sum(os.lstat(os.path.join(folder, name)).st_size for name in files)
    return total


def built(folder: Path) -> Path:
    """The wheel of the working copy."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def measured(extra: str, wheel: Path, folder: Path, *, cache: bool, uv: bool) -> dict[str, Any]:
    """Install the wheel with an extra into an empty environment, and try it."""
    venv = folder / extra
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    wanted = str(wheel) if extra == CORE else f"{wheel}[{extra}]"
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if uv:
        install = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "-q",
            "--python",
            python,
            "--compile-bytecode",
        ]
    install += ["-c", str(ROOT / "constraints.txt"), wanted, *([] if cache else ["--no-cache-dir"])]
    before, start = os.times(), time.monotonic()
    subprocess.run(install, check=True, capture_output=True)
    seconds, after = time.monotonic() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    site = Path(_output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]))
    begin = min(float(_output([python, "-c", START])) for _ in range(3))
    tried = subprocess.run(
        [python, "-W", "ignore", "-c", TRIED.get(extra, "import intent")],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    distributions = len(list(site.glob("*.dist-info"))) - len(
        [*site.glob("pip-*.dist-info"), *site.glob("setuptools-*.dist-info")]
    )
    return {
        "extra": extra,
        "megabytes": round(size(site) / 1e6, 1),
        "packages": distributions,
        "seconds": round(seconds, 1),
        "processor_seconds": round(used, 1),
        "import_seconds": round(begin, 3),
        "runs": tried.returncode == 0,
        "error": "" if tried.returncode == 0 else tried.stderr.strip().splitlines()[-1],
    }


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Print a row for each extra."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--extra", action="append", choices=extras(), help="measure this one (repeatable)")
    parser.add_argument("--full", action="store_true", help="every extra; by default the core alone")
    parser.add_argument("--no-cache", action="store_true", help="download everything anew")
    parser.add_argument("--uv", action="store_true", help="install by uv")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.extra or (extras() if options.full else [CORE])
    rows = []
    with tempfile.TemporaryDirectory(prefix="intent-installation-") as folder:
        wheel = built(Path(folder))
        for name in names:
            place = Path(folder) / "environments"
            place.mkdir(exist_ok=True)
            rows.append(measured(name, wheel, place, cache=not options.no_cache, uv=options.uv))
            subprocess.run(
                [sys.executable, "-c", f"import shutil; shutil.rmtree({str(place)!r})"], check=True
            )
            if not options.json:
                _print_row(rows[-1], header=len(rows) == 1)
    if options.json:
        print(json.dumps(rows, indent=1))


def _print_row(row: dict[str, Any], *, header: bool) -> None:
    if header:
        print(
            f"{'extra':10} {'MB':>8} {'packages':>8} {'seconds':>8} {'processor s':>11} {'import s':>8}  runs"
        )
    print(
        f"{row['extra']:10} {row['megabytes']:8.0f} {row['packages']:8} {row['seconds']:8.1f} "
        f"{row['processor_seconds']:11.1f} {row['import_seconds']:8.2f}  {row['error'] or 'yes'}",
        flush=True,
    )


if __name__ == "__main__":
    main()
