"""Reads hostile files, each in a process of its own with little memory and time; prints JSON lines.

``python bounded_reading.py FOLDER FORMATS NAME ...`` makes each file and gives it to these readers.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

MEMORY = 2 * 1024**3
"""Bytes beyond what the interpreter has after its imports."""

SECONDS = 40

OPTIONS: dict[str, dict[str, str]] = {
    name: {"cooperate": "C"} for name in ("auto", "tidy", "pairs", "otree", "inspect")
}


def outcome(path: Path, format: str) -> dict[str, Any]:
    """What reading came to: a log, one line, or what must not be."""
    from intent import read_log
    from intent.base.errors import IntentError

    options = OPTIONS.get(format, {})
    try:
        try:
            log = read_log(path, format=format, **options)  # type: ignore[arg-type]
        except IntentError as error:
            if "says itself" not in str(error):
                raise
            log = read_log(path, format=format)
        return {"games": len(log), "rejects": len(log.rejects), "told": ""}
    except IntentError as error:
        return {"error": type(error).__name__, "told": str(error)[:3000]}
    except BaseException as error:  # noqa: BLE001 - whatever comes is what the test is about
        return {
            "broken": type(error).__name__,
            "told": str(error)[:300],
            "trace": traceback.format_exc()[-1500:],
        }


def bounded(path: Path, format: str) -> dict[str, Any]:
    """The same in a child, whose death is an outcome too."""
    read, write = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if not child:
        os.close(read)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(4 * SECONDS)
        warnings.simplefilter("error")
        os.chdir(path.parent)
        result = outcome(path, format)
        result["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        os.write(write, json.dumps(result).encode()[:60_000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        answer = stream.read()
    status = os.waitpid(child, 0)[1]
    found = json.loads(answer) if answer else {"broken": f"killed, status {status}", "told": ""}
    return {**found, "seconds": round(time.monotonic() - started, 2)}


def main() -> None:
    """Every file, every reader."""
    sys.path.insert(0, str(Path(__file__).parent))
    import pandas as pd  # noqa: F401 - what a child would load before it reads is loaded once, here
    from hostile_files import FILES

    from intent import read_log  # noqa: F401
    from intent.logs import readers

    for module in pkgutil.iter_modules(readers.__path__, f"{readers.__name__}."):
        importlib.import_module(module.name)

    folder, formats, names = Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
    for number, name in enumerate(names):
        place = folder / str(number)
        place.mkdir()
        path = FILES[name](place)
        before = sorted(p.name for p in place.iterdir())
        for reader in formats:
            found = bounded(path, reader)
            written = sorted({p.name for p in place.iterdir()} - set(before))
            row = {"file": name, "name": path.name, "format": reader, "written": written, **found}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
