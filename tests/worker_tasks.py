"""Work that tests give to other processes, which import it by name."""

from __future__ import annotations

import os
import time

from intent.base.errors import UnknownNameError


def squared(n: int) -> int:
    return n * n


def patient(n: int) -> int:
    time.sleep(0.02 * (n % 3))
    return n


def refused(n: int) -> int:
    raise UnknownNameError("strategy", f"TFTT{n}", ["TFT", "ALLD"])


def ended(n: int) -> None:
    os._exit(3)


def threads(n: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")
