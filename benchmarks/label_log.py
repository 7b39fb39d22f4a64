"""The whole command ``intent label`` on the public FAIRGAME log: start-up, reading, labelling, writing.

Each run is a fresh process. The log is ``fairgame/results.csv.gz`` in the folder that INTENT_DATA names.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    data = Path(os.environ.get("INTENT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    log = data / "fairgame" / "results.csv.gz"
    if not log.is_file():
        print(f"no {log}: set INTENT_DATA")
        return
    times, summary = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.runs + 1):
            command = [sys.executable, "-c", "from intent.cli.main import main; main()", "label", str(log)]
            command += ["--where", "game=prisoner-dilemma", "-o", f"{folder}/labels{i}.parquet", "--json"]
            start = time.perf_counter()
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            times.append(time.perf_counter() - start)
            summary = json.loads(done.stdout)
    times = times[1:]
    result = {"median": statistics.median(times), "min": min(times), "max": max(times), "summary": summary}
    if options.json:
        print(json.dumps(result))
        return
    print(f"{summary['n']:,} labels: median {result['median']:.2f} s, {min(times):.2f} to {max(times):.2f} s")
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
