"""Skips what needs the kernel's confinement, in one word."""

import pytest

from intent.arena.sandbox.confined import confinement

needs_seccomp = pytest.mark.skipif(confinement() is not None, reason=f"no seccomp: {confinement()}")
