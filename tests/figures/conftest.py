"""All figures, drawn once."""

from __future__ import annotations

import pytest
from every_figure import sketches


@pytest.fixture(scope="session")
def every_sketch(tmp_path_factory):
    """Name -> drawing with its remarks."""
    return sketches(tmp_path_factory.mktemp("figures"))
