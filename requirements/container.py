"""Try the steps of the Dockerfile without Docker, in a copy-on-write view of this machine (Linux, as root).

    python requirements/container.py [--arg EXTRAS=view]

The root file system is the lower layer of an overlay in a mount namespace of its own: COPY, RUN and what they
write happen there, at the paths that the Dockerfile names, and nothing of it reaches the machine. The images
that FROM names are not fetched: every stage begins on this machine's system with this Python, so what a slim
image lacks does not show. What the image would start is started with ``--version``, as its user.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import string
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Stage:
    """What a Dockerfile says between two FROM lines.

    Attributes
    ----------
    name : of the stage, or its number
    steps : (word, rest) in order, such as ("RUN", "useradd intent")
    """

    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)


def stages(text: str) -> tuple[dict[str, str], list[Stage]]:
    """Arguments before the first FROM, and the stages of a Dockerfile."""
    lines = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text)).splitlines()
    steps = [line.strip().split(maxsplit=1) for line in lines if line.strip()]
    arguments: dict[str, str] = {}
    made: list[Stage] = []
    for word, rest in ((step[0].upper(), step[1] if len(step) > 1 else "") for step in steps):
        if word == "FROM":
            named = re.search(r"\sAS\s+(\S+)", rest, flags=re.I)
            made.append(Stage(named[1] if named else str(len(made))))
        elif made:
            made[-1].steps.append((word, rest))
        elif word == "ARG":
            arguments |= _pairs(rest)
    return arguments, made


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.partition("=")[::2] for pair in shlex.split(text))


def _shell(command: str, root: Path, folder: str, environment: Mapping[str, str], user: int = 0) -> None:
    """Run a line in the view of a stage."""
    inside = (
        f"cd {shlex.quote(folder)} && exec setpriv --reuid={user} --regid={user} --clear-groups /bin/sh -ec "
    )
    words = ["chroot", str(root), "/bin/sh", "-c", inside + shlex.quote(command)]
    subprocess.run(words, check=True, env=dict(environment))


def ignored(root: Path) -> Iterator[str]:
    """Patterns of .dockerignore as `shutil.ignore_patterns` takes them."""
    for line in (root / ".dockerignore").read_text("utf8").splitlines():
        if line and not line.startswith(("#", "!")):
            yield line.removeprefix("**/")


def _copy(rest: str, root: Path, earlier: Mapping[str, Path], folder: str) -> None:
    words = rest.split()
    source = earlier[words.pop(0).partition("=")[2]] if words[0].startswith("--from=") else None
    *names, target = words
    place = root / target.lstrip("/") if target.startswith("/") else root / folder.lstrip("/") / target
    place.mkdir(parents=True, exist_ok=True)
    for name in names:
        if source is not None:
            shutil.copytree(source / name.lstrip("/"), place, dirs_exist_ok=True, symlinks=True)
        elif name == ".":
            for file in tracked(list(ignored(ROOT))):
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, place / file)
        else:
            shutil.copy2(ROOT / name, place / name)


def tracked(patterns: list[str]) -> list[str]:
    """Files of the working tree that git keeps and .dockerignore lets through."""
    words = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\0")
    left = [re.compile(re.escape(p).replace(r"\*", "[^/]*") + "(/|$)") for p in patterns]
    return [f for f in files if f and (ROOT / f).is_file() and not any(p.match(f) for p in left)]


def attempt(given: Mapping[str, str], scratch: Path) -> list[str]:
    """Try every step; returns a line for each.

    Raises
    ------
    subprocess.CalledProcessError
        A step fails.
    """
    arguments, parts = stages((ROOT / "Dockerfile").read_text("utf8"))
    lines: list[str] = []
    views: dict[str, Path] = {}
    for stage in parts:
        view = scratch / stage.name
        for folder in ("upper", "work", "root"):
            (view / folder).mkdir(parents=True)
        layers = f"lowerdir=/,upperdir={view / 'upper'},workdir={view / 'work'}"
        root = view / "root"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, str(root)], check=True)
        for shared in ("dev", "proc"):
            subprocess.run(["mount", "--bind", f"/{shared}", str(root / shared)], check=True)
        views[stage.name] = root
        _provide_python(root)
        lines += _try_stage(stage, root, views, {**arguments, **given})
    return lines


def _provide_python(root: Path) -> None:
    """This Python as the image's ``python``, which every user of it may run."""
    python = root / "usr" / "local" / "bin" / "python"
    python.unlink(missing_ok=True)
    real = Path(sys.executable).resolve()
    python.write_text(
        f'#!/bin/sh\nexec "{real}" "$@"\n', encoding="utf8"
    )  # a link would find another's library
    python.chmod(0o755)
    for folder in real.parents:
        place = root / str(folder).lstrip("/")
        place.chmod(place.stat().st_mode | 0o011)


def _try_stage(stage: Stage, root: Path, views: Mapping[str, Path], given: Mapping[str, str]) -> list[str]:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", **_pip()}
    folder, user, lines = "/", 0, []
    for word, rest in stage.steps:
        if word == "ARG":
            environment |= {name: given.get(name, value) for name, value in _pairs(rest).items()}
        elif word == "ENV":
            environment |= _pairs(string.Template(rest).safe_substitute(environment))
        elif word == "WORKDIR":
            folder = rest
            (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            _copy(rest, root, views, folder)
        elif word == "RUN":
            _shell(rest, root, folder, environment)
        elif word == "USER":
            user = int(rest)
        elif word == "ENTRYPOINT":
            command = shlex.join([*json.loads(rest), "--version"])
            _shell(command, root, folder, environment, user)
        lines.append(f"{stage.name}: {word} {' '.join(rest.split())[:80]}")
    return lines


def _pip() -> dict[str, str]:
    """How pip is set up here, since the image's would be set up by PIP_ARGS."""
    return {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))
    }


def main(words: list[str] | None = None) -> int:
    """Try the steps; returns the exit code."""
    parser = argparse.ArgumentParser(description="Try the steps of the Dockerfile without Docker.")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE", help="as docker's --build-arg"
    )
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.inside:
        for line in attempt(dict(arg.partition("=")[::2] for arg in options.arg), Path(options.inside)):
            print(line)
        return 0
    if sys.platform != "linux" or os.geteuid() != 0:
        print("not tried: it needs Linux and root, for an overlay of the root file system")
        return 3
    with tempfile.TemporaryDirectory() as scratch:
        again = [sys.executable, str(Path(__file__).resolve()), "--inside", scratch]
        again += [word for arg in options.arg for word in ("--arg", arg)]
        return subprocess.run(
            ["unshare", "--mount", "--propagation", "private", *again], check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
