"""A folder of games as GAMA-Bench saves them: the whole log beside `json.loads` of the files, in one run.

    python benchmarks/saved_games.py [--files 1500] [--source raw_results] [--json]

Files are made up (the six long games, ten random players in twenty rounds, with messages of about the length
of the public ones), named as the public ones are, nested by game; or those of a folder, repeated under other
names.
Each of the two readings is the best of three on a clock of the processor; memory is that of a fresh process,
above what it has after one file (Linux alone).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from intent.logs.readers import read_log

PLAYERS, ROUNDS, RATIO, TIMES = 10, 20, 3.0, 3
FOLDERS = {
    "guessing": "guessing_game",
    "bar": "bar_game",
    "divide_dollar": "divide_dollar",
    "public_goods": "public_goods",
    "diner": "diner_dilemma",
    "auction": "sealed_bid_auction",
}
"""The six games whose files are long."""

META: dict[str, dict[str, Any]] = {
    "guessing": {"min": 0, "max": 100, "ratio": 2 / 3, "ratio_str": "2/3"},
    "bar": {"min": 0, "max": 10, "home": 5, "ratio": 0.6, "ratio_str": "60%", "mode": "implicit"},
    "divide_dollar": {"golds": 100},
    "public_goods": {
        "tokens": 20,
        "ratio": 2,
        "token_initialization": "fixed",
        "reset": True,
        "rand_min": 11,
    },
    "diner": {"cheap_cost": 10, "cheap_utility": 15, "exp_cost": 20, "exp_utility": 20},
    "auction": {"valuation_min": 0, "valuation_max": 200, "interval": 10, "seed": 62, "mode": "highest bid"},
}
KINDS = ("v1_{}", "v1_t3_{}", "v1_role2_{}", "v1_cot4_{}", "v2_{}")


def made_up(game: str, rng: np.random.Generator) -> dict[str, Any]:
    """A game of random players."""
    from intent.gamma.auction import valuations

    words = {"bar": ["go", "stay"], "diner": ["cheap", "costly"]}
    top = {"guessing": 101, "divide_dollar": 21, "public_goods": 21, "auction": 201}
    records, choices = [], []
    for i in range(1, ROUNDS + 1):
        worth = valuations(i, PLAYERS, 200, 10, 42)
        if game in words:
            row: list[Any] = rng.choice(words[game], PLAYERS).tolist()
        elif game == "auction":
            row = [int(rng.integers(0, worth_of + 1)) for worth_of in worth]
        else:
            row = rng.integers(0, top[game], PLAYERS).tolist()
        choices.append(row)
        figures = {
            "guessing": lambda row=row: {
                "mean": sum(row) / PLAYERS,
                "mean_ratio": sum(row) / PLAYERS * 2 / 3,
            },
            "bar": lambda row=row: {"go_num": row.count("go"), "go_ratio": row.count("go") / PLAYERS},
            "divide_dollar": lambda row=row: {"total_proposal": sum(row)},
            "public_goods": lambda row=row: {"total_tokens": sum(row)},
            "diner": lambda row=row: {"cheap_player": row.count("cheap")},
            "auction": lambda worth=worth: {"valuations": list(worth)},
        }
        shuffled = game in ("guessing", "divide_dollar")
        responses = rng.permutation(row).tolist() if shuffled else row
        records.append({"responses": responses, **figures[game]()})
    opening = f"\n\nThis is a game of {PLAYERS} players over {ROUNDS} rounds.\n\n" + "It has its rules. " * 35
    players = []
    for seat in range(PLAYERS):
        prompt = [{"role": "system", "content": opening}]
        for i, row in enumerate(choices, start=1):
            prompt += [
                {
                    "role": "user",
                    "content": f"Results of round {i}:\n\n{'Figures of the round. ' * 4}\n\nYours:",
                },
                {"role": "assistant", "content": json.dumps({"answer": str(row[seat])})},
                {"role": "user", "content": "What it has brought you."},
            ]
        own = [row[seat] for row in choices]
        players.append(
            {
                "model": "m-1",
                "id": f"player_{seat}",
                "prompt": prompt,
                "records": own,
                "utility": [0] * ROUNDS,
            }
        )
    meta = {"name_exp": game, "player_num": PLAYERS, **META[game], "round_id": ROUNDS, "version": "v1"}
    return {"meta": meta, "round_records": records, "player_data": players}


def write_folder(folder: Path, n: int, source: Path | None) -> int:
    """Files of a folder, repeated under other names, or made up; their bytes."""
    rng, total = np.random.default_rng(1), 0
    if source is not None:
        texts = [(path.parent.name, path.stem, path.read_text()) for path in sorted(source.rglob("*.json"))]
    else:
        texts = [
            (stem, f"m-1_{stem}_{kind.format(0)}", json.dumps(made_up(game, rng), indent=1))
            for kind in KINDS
            for game, stem in FOLDERS.items()
        ]
    for i in range(n):
        game, stem, text = texts[i % len(texts)]
        (folder / game).mkdir(exist_ok=True)
        total += (folder / game / f"{stem}_{i}.json").write_text(text)
    return total


def loads(folder: Path) -> int:
    """The peer: every file opened and parsed, nothing kept."""
    return sum(len(json.loads(path.read_text(encoding="utf8"))) > 0 for path in folder.rglob("*.json"))


def whole(folder: Path) -> int:
    """The whole game log."""
    return len(read_log(folder))


def memory(folder: Path) -> float:
    """MiB that a fresh process needs to read the folder, above what it needed for one file."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom intent.logs.readers import read_log\n"
        "def peak():\n    lines = Path('/proc/self/status').read_text().splitlines()\n"
        "    return int(next(line for line in lines if line.startswith('VmHWM')).split()[1])\n"
        "folder = Path(sys.argv[1])\nread_log(next(folder.rglob('*.json')))\n"
        "before = peak()\nread_log(folder)\nprint(peak() - before)"
    )
    shown = subprocess.run([sys.executable, "-c", script, str(folder)], check=True, capture_output=True)
    return int(shown.stdout) / 1024


def best(read: Any, folder: Path) -> float:
    """Processor seconds, the least of some."""
    seconds = []
    for _ in range(TIMES):
        began = time.process_time()
        read(folder)
        seconds.append(time.process_time() - began)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=1500)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        size = write_folder(folder, options.files, options.source)
        assert whole(folder) == loads(folder) == options.files
        peer, ours = best(loads, folder), best(whole, folder)
        result = {
            "files": options.files,
            "bytes": size,
            "json_seconds": peer,
            "log_seconds": ours,
            "ratio": ours / peer,
            "bound": RATIO,
            "mib": memory(folder) if sys.platform == "linux" else None,
        }
    if options.json:
        print(json.dumps(result))
        return
    print(
        f"{result['files']:,} files of {size / 1e6:.0f} MB: json.loads {peer:.2f} s, the log {ours:.2f} s, "
        f"{result['ratio']:.2f} times (bound {RATIO:g}); {result['mib'] or float('nan'):.0f} MiB"
    )


if __name__ == "__main__":
    main()
