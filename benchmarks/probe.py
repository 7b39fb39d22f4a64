"""Probes for the named sets: how far a chosen sequence beats a fair coin, and how long the search takes.

Accuracies after ten rounds are exact; ``--beam`` compares the beam search of fourteen rounds with all 8,192
sequences.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from intent.recognise.probe.information import Automata, search
from intent.recognise.probe.probe import probe
from intent.strategies.sets import strategy_set

SETS = ("canonical4", "canonical5", "canonical6", "df2011")
NOISES = (0.0, 0.05, 0.1)


def probes(rounds: int, max_rounds: int) -> list[dict[str, Any]]:
    """The most informative sequence for each set and noise, beside the coin and the best that reacts."""
    rows = []
    for name in SETS:
        for eps in NOISES:
            start = time.perf_counter()
            found = probe(name, rounds, eps, max_rounds=max_rounds).to_dict()
            seconds = time.perf_counter() - start
            last, coin = found["rounds"][-1], found["baselines"]["random"]
            rows.append(
                {
                    "set": name,
                    "eps": eps,
                    "sequence": found["sequence"],
                    "accuracy": last["accuracy"],
                    "random": coin["accuracy"],
                    "adaptive": (found["adaptive"] or {}).get("accuracy"),
                    "rounds_needed": found["rounds_needed"],
                    "random_needed": coin["rounds_needed"],
                    "limit": found["accuracy_limit"],
                    "seconds": seconds,
                }
            )
    return rows


def beam(rounds: int = 14) -> list[dict[str, Any]]:
    """Information of the beam's best sequence and of the best of all."""
    rows = []
    for name in SETS[:3]:
        automata = Automata.of(strategy_set(name), (0.05, 0.05), rounds)
        kept, full = (
            list(search(automata, rounds, width=width, most_entries=1 << 24))[-1] for width in (512, 1 << 13)
        )
        rows.append({"set": name, "beam": kept.information, "all": full.information, "optimal": full.optimal})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--max-rounds", type=int, default=20)
    parser.add_argument("--beam", action="store_true", help="also compare beam and full search (a minute)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = {"probes": probes(options.rounds, options.max_rounds), "beam": beam() if options.beam else []}
    if options.json:
        print(json.dumps(result))
        return
    for row in result["probes"]:
        print("  ".join(f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
    for row in result["beam"]:
        print(f"{row['set']}: beam {row['beam']:.5f} bits, all sequences {row['all']:.5f}")


if __name__ == "__main__":
    main()
