"""Files that a reader enters who follows a job from the command to its result.

Counted are the files of the package of which a function really runs: what is only imported is not entered.
Each job runs in a process of its own, on the shipped log of a small language model or, for ``play``, a file
of scripted players; for ``tournament``, a shipped set of written strategies. ``--package FOLDER`` counts in
another checkout; ``--list`` names the files, ``--functions`` the functions that run in each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOG = ROOT / "datasets" / "samples" / "smollm2_play.jsonl.gz"
EXPERIMENT = ROOT / "datasets" / "samples" / "demo.yaml"
STRATEGIES = ROOT / "datasets" / "samples" / "written_strategies" / "default.py"
JOBS = {
    "label": ["label", str(LOG), "-o", "labels.parquet"],
    "compare": ["compare", str(LOG), "--by", "language"],
    "sfem": ["sfem", str(LOG)],
    "metrics": ["metrics", str(LOG), "-o", "metrics.csv"],
    "play": ["play", str(EXPERIMENT), "-m", "scripted/uniform", "-o", "run", "--no-track"],
    "report": ["report", str(LOG), "-o", "report.html"],
    "tournament": ["tournament", str(STRATEGIES), "--turns", "20", "--repetitions", "2"],
}
ATMOST = {"label": 25, "compare": 30, "sfem": 30, "play": 45, "report": 45, "tournament": 40}
"""How many there should be."""

_CHILD = """
import json, sys, threading
root, words, out = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
entered = {}
inner = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")

def enter(frame, event, argument):
    code = frame.f_code
    # modules and class bodies run when they are imported, and so do the comprehensions in them;
    # functions have locals of their own
    if event != "call" or not code.co_flags & 1 or not code.co_filename.startswith(root):
        return
    around = frame
    while around.f_back is not None and around.f_code.co_name in inner:
        around = around.f_back
    if around.f_code.co_flags & 1:
        entered.setdefault(code.co_filename, set()).add(around.f_code.co_qualname)

sys.argv = ["intent", *words]
from intent.cli.main import main
threading.setprofile(enter)
sys.setprofile(enter)
try:
    main()
except SystemExit as end:
    code = end.code
finally:
    sys.setprofile(None)
    files = {name: sorted(entered[name]) for name in sorted(entered)}
    json.dump({"code": code, "files": files}, open(out, "w"))
"""


def entered(words: list[str], package: Path) -> dict[str, list[str]]:
    """Files of a checkout's package that a command enters, and the functions that run there.

    Raises
    ------
    RuntimeError
        The command failed.
    """
    root = str(package.resolve() / "intent") + os.sep
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "entered.json"
        ended = subprocess.run(
            [sys.executable, "-c", _CHILD, root, json.dumps(words), str(out)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(package.resolve())},
            capture_output=True,
            text=True,
        )
        if not out.exists():
            raise RuntimeError(ended.stderr[-2000:])
        seen = json.loads(out.read_text())
    if seen["code"]:
        raise RuntimeError(f"intent {' '.join(words)}: {ended.stderr[-2000:]}")
    return {name.removeprefix(root): functions for name, functions in seen["files"].items()}


def main() -> None:
    """Print a line for each job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, default=ROOT, metavar="FOLDER", help="a checkout to count in")
    parser.add_argument("--only", choices=JOBS, action="append", help="these jobs")
    parser.add_argument("--list", action="store_true", help="name the files")
    parser.add_argument("--functions", action="store_true", help="name the files and what runs in each")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = {job: entered(JOBS[job], options.package) for job in options.only or JOBS}
    if options.json:
        print(json.dumps({job: {"n": len(names), "files": list(names)} for job, names in files.items()}))
        return
    for job, names in files.items():
        goal = f"   (at most {ATMOST[job]})" if job in ATMOST else ""
        print(f"{job:10}{len(names):4} files{goal}")
        for name, functions in names.items():
            if options.functions:
                print(f"    {name}: {', '.join(functions)}")
            elif options.list:
                print(f"    {name}")


if __name__ == "__main__":
    main()
