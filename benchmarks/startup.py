"""Start-up time: a bare interpreter, ``import intent``, and ``intent --help``.

Each is a fresh process; one run warms the disk cache and does not count, then the median of several is taken.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python": [sys.executable, "-c", "pass"],
    "import_intent": [sys.executable, "-c", "import intent"],
    "intent_help": [sys.executable, "-c", "from intent.cli.main import main; main()", "--help"],
}


def seconds(command: list[str], runs: int) -> list[float]:
    """Wall time of each run of a command, after one that does not count."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return times[1:]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="runs per command (default 7)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = {}
    for name, command in COMMANDS.items():
        times = seconds(command, options.runs)
        result[name] = {"median": statistics.median(times), "min": min(times), "max": max(times)}
    if options.json:
        print(json.dumps({"runs": options.runs, "seconds": result}))
        return
    print(f"{'seconds, ' + str(options.runs) + ' runs':<18}{'median':>8}{'min':>8}{'max':>8}")
    for name, row in result.items():
        print(f"{name:<18}{row['median']:>8.3f}{row['min']:>8.3f}{row['max']:>8.3f}")


if __name__ == "__main__":
    main()
