"""Write the lock files: every pin of ``constraints.txt`` with the hashes of its files, one file per level.

Run by ``make lock`` after a version in ``constraints.txt`` or an extra changed; it asks the package index.
The levels are those of the Makefile and build on each other: ``core.txt`` is what ``pip install strategy-
intent`` brings; ``make demo`` adds ``user.txt``, what the extra ``all`` brings, and ``local.txt`` where the
platform has llama.cpp; ``make check`` and ``make test`` add ``dev.txt``; the docs add ``full.txt``. An
extra that joins ``all`` in pyproject.toml is locked without a word here.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

APART = "local"
"""The extra of `all` whose library has no wheel for some platforms: a level of its own."""


def extras_for_users() -> tuple[str, ...]:
    """The extras that ``all`` names, but for that which is `APART`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    (everything,) = project["optional-dependencies"]["all"]
    names = re.search(r"\[(.+)\]", everything)
    assert names is not None, "the extra `all` is strategy-intent[NAME,...]"
    return tuple(name for name in names[1].split(",") if name != APART)


LEVELS: Mapping[str, tuple[str, ...]] = {
    "core": (),
    "user": extras_for_users(),
    "local": (APART,),
    "dev": ("dev",),
    "full": ("docs",),
}
"""Level -> extras of pyproject.toml that it adds to the level before it."""

BUILD = ("hatchling", "editables")
"""What an editable installation of the project itself is made with; part of the first level."""

FILES = (*LEVELS, "torch")
"""Lock files; each pin stands in one. That of torch stands alone: ``torch-cpu.txt`` is tried before it."""

CPU_BUILD = """\
torch=={version}+cpu \\
    --hash=sha256:6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b
"""
"""The build without CUDA for CPython 3.11 on Linux x86_64, where an index or a folder offers it.

pip prefers a file whose hash the index states, so a list of all builds would bring gigabytes of CUDA.
"""

_CUDA = re.compile(r"nvidia-|cuda-|triton")
"""What a CUDA build of torch brings in versions that it pins itself: not installed by default, not locked."""

_HEAD = """\
# Part {level!r} of the locked environment: versions of constraints.txt with the hashes of their files.
# Written by `make lock`; `make` installs it with pip's --require-hashes. Do not edit.
"""


def pins(text: str) -> dict[str, str]:
    """Normalised name -> version of the lines ``name==version`` of a constraints or lock file."""
    found = re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", text, flags=re.M)
    return {normalised(name): version for name, version in found}


def normalised(name: str) -> str:
    """The name as package indices compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def entries(text: str) -> dict[str, str]:
    """Normalised name -> its whole entry, hashes included, of a lock file."""
    parts = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.M)
    return {normalised(part.split("==")[0]): part.rstrip("\n") for part in parts if "==" in part}


def _compiled(extras: tuple[str, ...]) -> str:
    """A resolution of the project with extras within constraints.txt, with hashes."""
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder) / "build.in"
        build.write_text("\n".join(BUILD) + "\n", encoding="utf8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--python-platform", "linux"]
        command += ["--constraint", str(ROOT / "constraints.txt"), str(ROOT / "pyproject.toml"), str(build)]
        command += [word for extra in extras for word in ("--extra", extra)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _write(name: str, text: str) -> None:
    (HERE / f"{name}.txt").write_text(_HEAD.format(level=name) + text, encoding="utf8")


def main() -> None:
    """Write the lock files, and say which pins of constraints.txt nothing needs."""
    written: dict[str, str] = {}
    extras: tuple[str, ...] = ()
    for level, more in LEVELS.items():
        extras += more
        new = {
            name: entry
            for name, entry in entries(_compiled(extras)).items()
            if name not in written and not _CUDA.match(name)
        }
        _write(level, "".join(f"{entry}\n" for name, entry in sorted(new.items()) if name != "torch"))
        written |= new
        print(f"requirements/{level}.txt: {len(new)} packages")
    _write("torch", written["torch"] + "\n")
    _write("torch-cpu", CPU_BUILD.format(version=pins(written["torch"])["torch"]))
    constraints = pins((ROOT / "constraints.txt").read_text(encoding="utf8"))
    for name in sorted(written.keys() - constraints.keys()):
        print(f"not in constraints.txt: {pins(written[name])}")
    for name in sorted(constraints.keys() - written.keys()):
        print(f"needed by nothing: {name}=={constraints[name]}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--users"]:
        print(",".join(extras_for_users()))
    else:
        main()
