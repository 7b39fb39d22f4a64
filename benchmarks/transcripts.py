"""Precision and recall of the scanner on the labelled transcripts of datasets/samples/transcripts.yaml.

    python benchmarks/transcripts.py [--json] [--show]

Rules were made while looking at the transcripts of the split `seen`. Those of `held_out` were written
before and not looked at, though their figures were seen each time. With few transcripts the intervals are
wide: they are exact binomial ones (Clopper & Pearson 1934).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.base.files import shipped
from intent.base.settings import read_document
from intent.base.statistics import exact_share
from intent.inspect.transcripts import Line, intentions, repeated_play

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


def transcripts(path: Path | None = None) -> Iterator[tuple[Mapping[str, Any], list[Line]]]:
    """The labels and the messages of each transcript."""
    place = path or shipped("datasets/samples/transcripts.yaml")
    assert place is not None
    for one in read_document(place).values["transcripts"]:
        lines = []
        for message in one["messages"]:
            (key,) = message.keys() & ROLES.keys()
            calls = (message["call"]["arguments"],) if "call" in message else ()
            lines.append(Line(ROLES[key], message[key], calls))
        yield one, lines


def measured(rows: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """Precision and recall of (labelled, found by the scanner)."""
    hits = sum(a and b for a, b in rows)
    claims, there = sum(b for _, b in rows), sum(a for a, _ in rows)
    result: dict[str, Any] = {"n": len(rows), "positive": there, "claims": claims, "hits": hits}
    for name, n in (("precision", claims), ("recall", there)):
        interval = exact_share(hits, n) if n else None
        result[name] = None if interval is None else [interval.estimate, interval.low, interval.high]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--show", action="store_true", help="the transcripts of the split seen that are misread"
    )
    options = parser.parse_args()
    by_split: dict[str, dict[str, list[tuple[bool, bool]]]] = {}
    moves: dict[str, list[bool]] = {}
    for one, lines in transcripts():
        play = repeated_play(lines)
        stated = intentions(lines, play.options if play else ())
        for split in (one["split"], "all"):
            table = by_split.setdefault(split, {"play": [], "intentions": []})
            table["play"].append((one["play"], play is not None))
            table["intentions"].append((one["intends"], bool(stated)))
            if one["play"] and play is not None:
                moves.setdefault(split, []).append(
                    [m.casefold() for m in play.own] == [m.casefold() for m in one["moves"]]
                )
        wrong = one["play"] != (play is not None) or one["intends"] != bool(stated)
        wrong |= bool(
            one["play"] and play and [m.casefold() for m in play.own] != [m.casefold() for m in one["moves"]]
        )
        if options.show and wrong and one["split"] == "seen":
            print(one["id"], play, stated)
    result = {
        split: {name: measured(rows) for name, rows in table.items()} for split, table in by_split.items()
    }
    for split, whole in moves.items():
        result[split]["moves"] = {"n": len(whole), "all_right": sum(whole)}
    if options.json:
        print(json.dumps(result, indent=1))
        return
    for split, table in result.items():
        for name in ("play", "intentions"):
            row = table[name]
            shown = ", ".join(
                f"{what} {row[what][0]:.2f} ({row[what][1]:.2f} to {row[what][2]:.2f})"
                if row[what]
                else f"{what} –"
                for what in ("precision", "recall")
            )
            print(f"{split:9} {name:10} n {row['n']:3}, positive {row['positive']:3}: {shown}")
        print(
            f"{split:9} moves      of {table['moves']['n']} games read, "
            f"{table['moves']['all_right']} with every move right"
        )


if __name__ == "__main__":
    main()
