"""Libraries whose threads sleep while they wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = "import os; POLICY = os.environ.get('OMP_WAIT_POLICY')\n"


def run(folder: Path, code: str, **environment: str) -> tuple[str, str]:
    """Both streams of a process in which `torch` and `engine` are files of two lines."""
    for name in ("torch", "engine"):
        (folder / f"{name}.py").write_text(LIBRARY)
    clean = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    paths = os.pathsep.join([str(folder), str(Path(__file__).resolve().parents[2])])
    done = subprocess.run(
        [sys.executable, "-c", f"import os\nfrom intent.base.openmp import load_asleep as load\n{code}"],
        env={**clean, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip(), done.stderr.strip()


@pytest.mark.parametrize(
    ("environment", "policy"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE")]
)
def test_threads_sleep_unless_the_user_says_otherwise(tmp_path, environment, policy):
    code = "print(load('engine').POLICY, os.environ.get('OMP_WAIT_POLICY'))"
    assert run(tmp_path, code, **environment) == (f"{policy} {environment.get('OMP_WAIT_POLICY')}", "")


def test_torch_that_is_loaded_here_sleeps_too_and_nothing_is_said(tmp_path):
    assert run(tmp_path, "print(load('torch').POLICY, load('engine').POLICY)") == ("PASSIVE PASSIVE", "")


def test_torch_that_somebody_loaded_before_is_told_with_what_helps(tmp_path):
    out, errors = run(tmp_path, "import torch; load('engine'); load('engine'); print(torch.POLICY)")
    assert out == "None"
    assert errors.count("torch was loaded before engine") == 1
    assert "OMP_WAIT_POLICY=PASSIVE" in errors
    assert run(tmp_path, "import torch; load('engine')", OMP_WAIT_POLICY="PASSIVE") == ("", "")
