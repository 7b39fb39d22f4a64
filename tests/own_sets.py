"""One set of five strategies in every form that a set of one's own may have."""

from __future__ import annotations

from pathlib import Path

from intent import Strategy, strategy

NAMES = ("TFT", "GTFT10", "EXTORT3", "MOSTLY_D", "TWO_STRIKES")

YAML = """\
strategies:
  - TFT
  - {name: GTFT10, same_as: GTFT(0.1)}
  - {name: EXTORT3, memory_one: {first: 1, CC: 11/13, CD: 1/2, DC: 7/26, DD: 0}}
  - {name: MOSTLY_D, memory_one: [0.1, 0.1, 0.1, 0.1, 0.1]}
  - name: TWO_STRIKES
    states:
      calm: {cooperate: 1, C: calm, D: hurt}
      hurt: {cooperate: 1, C: calm, D: angry}
      angry: {cooperate: 0, next: angry}
"""

JSON = """\
{"strategies": ["TFT", {"name": "GTFT10", "same_as": "GTFT(0.1)"},
 {"name": "EXTORT3", "memory_one": {"first": 1, "CC": "11/13", "CD": 0.5, "DC": "7/26", "DD": 0}},
 {"name": "MOSTLY_D", "memory_one": [0.1, 0.1, 0.1, 0.1, 0.1]},
 {"name": "TWO_STRIKES", "start": "0", "states": {
   "0": {"cooperate": 1, "C": 0, "D": 1}, "1": {"cooperate": 1, "C": 0, "D": 2},
   "2": {"cooperate": 0, "next": 2}}}]}
"""

PYTHON = '''\
"""My strategies."""
import axelrod as axl


def TWO_STRIKES(self, opponent):
    row = getattr(self, "row", 0)
    if self.history and row < 2:
        row = row + 1 if opponent.history[-1] == axl.Action.D else 0
    self.row = row
    return axl.Action.D if row == 2 else axl.Action.C


STRATEGIES = [
    "TFT",
    {"name": "GTFT10", "same_as": "GTFT(0.1)"},
    {"name": "EXTORT3", "memory_one": [1, 11 / 13, 1 / 2, 7 / 26, 0]},
    {"name": "MOSTLY_D", "memory_one": [0.1, 0.1, 0.1, 0.1, 0.1]},
    TWO_STRIKES,
]
'''

FILES = {"own.yaml": YAML, "own.json": JSON, "own.py": PYTHON}


def strategies() -> tuple[Strategy, ...]:
    """The same by hand."""
    states = ((0, 1, 0, 1), (0, 2, 0, 2), (2, 2, 2, 2))
    return (
        strategy("TFT"),
        Strategy.memory_one("GTFT10", 1, 1, 0.1, 1, 0.1),
        Strategy.memory_one("EXTORT3", 1, 11 / 13, 1 / 2, 7 / 26, 0),
        Strategy("MOSTLY_D", (0.1,), ((0, 0, 0, 0),)),
        Strategy("TWO_STRIKES", (1.0, 1.0, 0.0), states),
    )


def written(folder: Path, name: str) -> Path:
    """The file of that name in a folder."""
    path = folder / name
    path.write_text(FILES[name], encoding="utf8")
    return path
