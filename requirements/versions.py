"""Try the oldest and the newest libraries that pyproject.toml allows, each in an empty environment.

    make versions                                    the core in every row of `ENVIRONMENTS`
    make versions VERSIONS='lowest pandas2'          some of them
    make versions PYTEST_ARGS='tests/core'           other tests, or further options for pytest

Each row is an environment in a temporary folder, resolved and installed by uv (which asks the package
index): what the core brings, pytest and Hypothesis. There the tests run that need no extra; what needs one
is skipped and says so. ``--extra NAME`` installs an extra besides, ``--keep FOLDER`` leaves the
environments. The exit code is 1 where tests fail in any row. A table of versions and outcomes ends the
output.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("pytest>=8.3", "hypothesis>=6.120")
FAST = "not slow and not axelrod and not exhaustive"
SHOWN = ("numpy", "pandas", "scipy", "pyarrow", "pydantic", "matplotlib", "typer")


@dataclass(frozen=True)
class Environment:
    """Versions to try.

    Parameters
    ----------
    resolution : of uv: ``highest``, or ``lowest-direct``, which takes the oldest of what pyproject.toml names
    also : further requirements
    options : of pytest
    """

    resolution: str = "highest"
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


ENVIRONMENTS: Mapping[str, Environment] = {
    # an old library warns of what newer ones that it stands on are about to drop; users see no such warnings
    "lowest": Environment("lowest-direct", options=("-W", "ignore::DeprecationWarning")),
    "newest": Environment(),
    "pandas2": Environment(also=("pandas<3",)),
    "pandas3": Environment(also=("pandas>=3",)),
}


def uv(*words: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run uv of this environment.

    Raises
    ------
    SystemExit
        It fails; with what it says.
    """
    command = [sys.executable, "-m", "uv", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"uv {' '.join(map(str, words[:2]))}: {done.stderr.strip()}")
    return done  # type: ignore[no-any-return]


def python_of(venv: Path) -> Path:
    """The interpreter of an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def made(venv: Path, environment: Environment, extras: Sequence[str], python: str) -> dict[str, str]:
    """Make an environment with the working copy in it; name -> version of all that it holds."""
    uv("venv", "--quiet", "--seed", "--python", python, venv)  # with pip, which a test calls
    project = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    # torch without a pin may bring gigabytes of CUDA
    pinned = extras and environment.resolution == "highest"
    limits = ["--constraint", str(ROOT / "constraints.txt")] if pinned else []
    where = ("pip", "install", "--quiet", "--python", python_of(venv), "--resolution", environment.resolution)
    uv(*where, *limits, "--editable", project, *environment.also, *TOOLS)
    listed = json.loads(uv("pip", "list", "--quiet", "--python", python_of(venv), "--format", "json").stdout)
    return {row["name"]: row["version"] for row in listed}


def tested(venv: Path, arguments: Sequence[str]) -> tuple[int, str]:
    """Run the tests of the working copy; exit code and pytest's last line."""
    command = [str(python_of(venv)), "-m", "pytest", "--no-header", "-m", FAST, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        last = ""
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return running.returncode, re.sub(r"^=+ | =+$", "", last)


@contextlib.contextmanager
def place(keep: Path | None) -> Iterator[Path]:
    """Where the environments are made."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="intent-versions-") as folder:
        yield Path(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make every environment, run the tests, and print what came out."""
    parser = argparse.ArgumentParser(description="Try the oldest and newest libraries that are allowed.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(ENVIRONMENTS)}; default: all"
    )
    parser.add_argument("--extra", action="append", default=[], help="install an extra, too (repeatable)")
    parser.add_argument(
        "--python", default=sys.executable, help="the interpreter that makes the environments"
    )
    parser.add_argument("--keep", type=Path, help="folder that keeps the environments")
    options, more = parser.parse_known_args(arguments)
    unknown = [name for name in options.names if name not in ENVIRONMENTS]
    if unknown:
        parser.error(f"unknown {', '.join(unknown)}; known: {', '.join(ENVIRONMENTS)}")
    rows, worst = [], 0
    with place(options.keep) as folder:
        for name in options.names or ENVIRONMENTS:
            print(f"== {name}", flush=True)
            start = time.monotonic()
            there = made(folder / name, ENVIRONMENTS[name], options.extra, options.python)
            print("   " + ", ".join(f"{lib} {there[lib]}" for lib in SHOWN), flush=True)
            code, line = tested(folder / name, [*ENVIRONMENTS[name].options, *more])
            worst = worst or code
            versions = ", ".join(f"{lib} {there[lib]}" for lib in SHOWN)
            rows.append(f"{name}: {versions}: {line} ({time.monotonic() - start:.0f} s in all)")
    print("\n".join(["", *rows]))
    return int(worst != 0)


if __name__ == "__main__":
    raise SystemExit(main())
