"""Engines by name."""

import pytest

from intent.arena.engines import ENGINES, engine_status, make_engine
from intent.arena.sandbox.confined import unsupported
from intent.base.errors import UnknownNameError, UsageError


def test_status_names_every_engine():
    assert ("auto", *engine_status()) == ENGINES


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_that_is_there_has_its_name(name):
    if name == "auto":
        name = next((n for n, why in engine_status().items() if why is None), "")
        wanted = "auto"
    else:
        wanted = name
    if engine_status().get(name, "none") is not None:
        with pytest.raises(UsageError):
            make_engine(wanted)
        return
    with make_engine(wanted, workers=1) as engine:
        assert engine.name == name


def test_unknown_engines_and_workers():
    with pytest.raises(UnknownNameError, match="did you mean seccomp"):
        make_engine("secomp")
    if engine_status()["seccomp"] is None:
        with pytest.raises(UsageError, match="0 workers"):
            make_engine("seccomp", workers=0)


def test_machines_without_a_filter_say_so():
    assert unsupported("linux", "x86_64") is None
    assert unsupported("darwin", "arm64") == "it needs Linux, this is darwin"
    assert unsupported("linux", "riscv64") == "it is set up for x86_64 and aarch64, this is riscv64"
