"""What the settings of intervals may be, said as the command line says it."""

from __future__ import annotations

from intent.errors import UsageError

__all__ = ["check_bootstrap", "check_level"]


def check_level(level: float) -> None:
    """Refuse a coverage that is none.

    Raises
    ------
    UsageError
    """
    if not 0 < level < 1:
        raise UsageError(f"--level {level:g}, expected between 0 and 1, such as 0.95")


def check_bootstrap(samples: int) -> None:
    """Refuse a bootstrap without samples.

    Raises
    ------
    UsageError
    """
    if samples < 1:
        raise UsageError(f"--bootstrap {samples}, expected at least 1")
