"""Sets in the published names and format, made from our own samples: what ``--from`` starts from."""

from __future__ import annotations

from pathlib import Path

from intent.arena.entrant import ATTITUDES
from intent.arena.sources.reader import read_strategies
from intent.arena.sources.writer import write_set

SAMPLES = Path(__file__).resolve().parents[1] / "datasets" / "samples" / "written_strategies"


def make_sets(folder, stems, n=3, attitudes=ATTITUDES):
    """Files of the first `n` samples of the attitudes under the names of published sets."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem in stems:
        noisy = stem.endswith("_noise")
        found = read_strategies([SAMPLES / ("default_noise.py" if noisy else "default.py")])
        kept = [e for e in found.entrants if e.group in attitudes and int(e.name.rpartition("_")[2]) <= n]
        write_set(folder / f"{stem}.py", kept, facts={})
    return folder
