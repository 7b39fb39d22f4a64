"""What `import intent` offers, and what it leaves unloaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

import intent

HEAVY = {"torch", "mlflow", "sklearn", "matplotlib", "scipy", "pandas", "pyarrow", "shap", "axelrod"}


def loaded_by(code: str) -> set[str]:
    """Heavy libraries that a fresh interpreter has loaded after running `code`."""
    report = "import atexit, sys; atexit.register(lambda: print('\\n' + ' '.join(sys.modules)))\n"
    done = subprocess.run([sys.executable, "-c", report + code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return HEAVY & set(done.stdout.splitlines()[-1].split())


def test_names_are_sorted_and_few():
    assert intent.__all__ == sorted(intent.__all__)
    assert len(intent.__all__) <= 21


@pytest.mark.parametrize("name", intent.__all__)
def test_every_name_resolves_and_is_documented(name):
    assert getattr(intent, name).__doc__
    assert name in dir(intent)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'intent' has no attribute 'recognize'"):
        _ = intent.recognize  # type: ignore[attr-defined]


def test_import_loads_nothing_heavy():
    assert loaded_by("import intent") == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["label", "--help"]])
def test_help_loads_nothing_heavy(arguments):
    code = f"import sys; sys.argv = {['intent', *arguments]!r}\nfrom intent.cli.main import main; main()"
    assert loaded_by(code) == set()


def test_catalogue_needs_only_numpy():
    assert loaded_by("import intent; intent.strategy('TFT'); intent.catalogue()") == set()
