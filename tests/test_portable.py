"""Only the engine that Linux has needs a POSIX system, and every file has a name that all systems take."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from source_nodes import nodes

ROOT = Path(__file__).parents[1]
CONFINED = {f"intent/arena/sandbox/{name}.py" for name in ("process", "referee", "zygote")}
"""What the engines `seccomp` and `strict` run in processes of their own."""

MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    *("fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getuid", "killpg", "mkfifo", "nice"),
    *("chown", "sched_getaffinity", "setsid", "setuid", "sysconf", "uname", "WNOHANG", "waitid"),
    *(
        "SIGCHLD",
        "SIGHUP",
        "SIGKILL",
        "SIGSYS",
        "SIGUSR1",
        "SIGUSR2",
        "SIGXCPU",
        "pthread_sigmask",
        "AF_UNIX",
    ),
}
GUARDED = {("intent/arena/streams.py", "getuid"), ("intent/base/workers.py", "sched_getaffinity")}
"""Used where the system has them: behind ``_POSIX`` and ``hasattr``."""


def files() -> dict[str, tuple[ast.AST, ...]]:
    return {f"intent/{place}": own for place, own in nodes().items()}


def modules_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [str(node.module)] if isinstance(node, ast.ImportFrom) else []


def test_only_the_engine_of_linux_needs_modules_and_calls_of_posix():
    own = files()
    imported = {f for f, nodes_of in own.items() for node in nodes_of if MODULES & set(modules_of(node))}
    assert imported == {"intent/arena/sandbox/process.py"}
    used = {
        (f, node.attr)
        for f, nodes_of in own.items()
        for node in nodes_of
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in ("os", "signal", "socket") and node.attr in NAMES and f not in CONFINED
    }
    assert used == GUARDED


def test_nothing_but_that_engine_imports_it():
    confined = {f.removesuffix(".py").replace("/", ".") for f in CONFINED}
    importers = {
        f for f, nodes_of in files().items() for node in nodes_of if confined & set(modules_of(node))
    }
    assert importers <= CONFINED


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("no git repository")
    return [name for name in done.stdout.split("\0") if name]


def test_names_of_files_are_names_on_every_system():
    names = tracked()
    reserved = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
    assert [n for n in names if re.search(r'[<>:"|?*\\]|[. ](/|$)', n)] == []
    assert [n for n in names if any(reserved.match(part) for part in n.split("/"))] == []
    assert [n for n, count in Counter(n.casefold() for n in names).items() if count > 1] == []
    assert max(map(len, names)) <= 150
