"""Strategies written by language models, cell by cell: cooperation, payoffs, equilibria, claims.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, tables 1 and 3 to 6, figures 2 and 3, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from intent.arena.match import MatchRules
from intent.base.files import read_object
from intent.base.tables import read_table
from intent.games.catalogue import game
from intent.games.game import MatrixGame
from intent.report.replication import Measured, Measurement, Verdict, players_of

CITATION = "Willis, Du, Leibo & Luck 2025, Will Systems of LLM Agents Cooperate, arXiv:2501.16173"

PLAYS: Mapping[str, Sequence[str]] = {
    "paper": ("paper.yaml",),
    "own": ("own.yaml",),
    "small": ("small.yaml",),
}

VARIANTS: Mapping[str, str] = {
    "own": "the texts name the game, describe each attitude and suggest to compare scores"
}

STAGES = True
"""``--from`` names a folder of sets that are written already, such as the authors'."""

MODELS: Mapping[str, str] = {
    "ChatGPT-4o": r"chatgpt|gpt.?4o(?!.?mini)|^openai$",
    "Claude 3.5 Sonnet": r"claude.?3.?5.?sonnet|^anthropic$",
}
"""Model of the paper -> how providers, and the authors' files, name it."""

_CELLS = (("table3_cooperation", "cooperation"), ("table45_payoffs", "payoff"))

_VERDICTS: Mapping[str, Verdict] = {
    "supported": "equal",
    "not supported": "differs",
    "undecided": "unclear",
}

_LONGEST = 256 * 2**20
_TWO_SIDED = 1.959964


def measure(played: Sequence[Path], *, seed: int, bootstrap: int) -> Measurement:
    """Everything that the paper prints, from the folder of a chain.

    The authors' own strategies differ from theirs by the draws within matches alone: the error of a cell is
    that over matches, theirs taken as large. Strategies written anew are another sample: the error is that
    over strategies, for both.

    Parameters
    ----------
    played : paths; the first is the folder of a chain
    seed, bootstrap : int
        Not needed: the chain has intervals of its own.
    """
    chain = _Chain(Path(played[0]))
    notes: list[str] = [] if chain.same else [*chain.notes]
    if not chain.same and chain.strategies:
        notes.append("strategies written anew: errors of payoffs and cooperation are those over strategies")
        notes.append(
            "shares of equilibria have the binomial error alone, as if there were no other strategies"
        )
    cells = [*_game(), *chain.matrices(notes), *chain.equilibria(notes), *chain.claims(notes)]
    first: dict[tuple[str, str, str], Measured] = {}
    for cell in cells:
        first.setdefault(cell.cell, cell)
    return Measurement(tuple(first.values()), tuple(dict.fromkeys(notes)))


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _game() -> Iterator[Measured]:
    """Table 1, and the range of payoffs."""
    classic = game("classic")
    assert isinstance(classic, MatrixGame)
    reward, sucker, temptation, punishment = MatchRules.of(classic).payoffs
    for own, other, value in (
        ("C", "C", reward),
        ("C", "D", sucker),
        ("D", "C", temptation),
        ("D", "D", punishment),
    ):
        yield Measured("Table 1", f"own={own}, other={other}", "payoff", value, exact=True)
    lowest = min(reward, sucker, temptation, punishment)
    yield Measured("Text", "game=prisoner-dilemma", "lowest mean payoff", lowest, exact=True)


_SPANS = {"payoff": (0.0, 5.0), "cooperation": (0.0, 1.0)}
"""Column -> the least and the largest value of a cell: payoffs are those of Table 1."""


class _Chain:
    """A finished chain.

    Attributes
    ----------
    same : bool
        Whether its strategies are the authors' own.
    repetitions : int, of the tournament
    runs : int, Moran processes of each start
    strategies : (set, attitude) -> number of them
    notes : of the chain, such as why a set is left out
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        mark = read_object(folder / "chain.json", "a chain", longest=_LONGEST)
        self.same = mark["options"].get("published") is not None
        self.repetitions = int(mark["chain"]["tournament"]["repetitions"])
        self.runs = int((mark["chain"]["evolution"] or {}).get("runs", 0))
        result = mark["result"] or {}
        self._verdicts, self.notes = (
            result.get("verdicts", []),
            [str(note) for note in result.get("notes", [])],
        )
        validation = self._table("validation")
        self.strategies = {(row["set"], row["attitude"]): int(row["n"]) for row in validation}

    def _table(self, name: str) -> list[dict[str, Any]]:
        path = self._folder / f"{name}.csv"
        return _records(read_table(path)[0]) if path.is_file() else []

    def _of_paper(self, rows: list[dict[str, Any]], notes: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Rows of the paper's game with the conditions of their set, by model of the paper."""
        table = pd.DataFrame([row for row in rows if row["game"] == "classic"])
        if table.empty:
            return
        for name, part in players_of(table, MODELS, list(MODELS), notes):
            for row in _records(part):
                yield f"model={name}, style={row['style']}, noise={row['noise']:g}", row

    def matrices(self, notes: list[str]) -> Iterator[Measured]:
        """Tables 3, 4 and 5."""
        for file, column in _CELLS:
            cooperation: dict[tuple[str, str, str], Measured] = {}
            for told, row in self._of_paper(self._table(file), notes):
                noisy = row["noise"] > 0
                if column == "cooperation" and (noisy or row["style"] != "default"):
                    continue
                table = "Table 3" if column == "cooperation" else "Table 5" if noisy else "Table 4"
                cell = f"{told}, attitude={row['row']}, against={row['column']}"
                measured = self._cell((table, cell, column), row)
                cooperation[told, row["row"], row["column"]] = measured
                yield measured
            if column == "cooperation":
                yield from _gap(cooperation)

    def _cell(self, cell: tuple[str, str, str], row: Mapping[str, Any]) -> Measured:
        value = float(row[cell[2]])
        if not self.same:
            se = (row["high"] - row["low"]) / (2 * _TWO_SIDED)
            n = min(self.strategies.get((row["set"], row[side]), 0) for side in ("row", "column"))
            span = _SPANS[cell[2]]
            return Measured(*cell, value, se=se, published_se=se, assumed=True, n=n, within=span)
        se = row["match_se"]
        if se == 0:
            return Measured(*cell, value, exact=True, n=self.repetitions)
        known = math.isfinite(se)
        return Measured(
            *cell,
            value,
            se=se if known else None,
            published_se=se if known else None,
            n=self.repetitions,
            within=_SPANS[cell[2]],
        )

    def equilibria(self, notes: list[str]) -> Iterator[Measured]:
        """Table 6."""
        for told, row in self._of_paper(self._table("table6_equilibria"), notes):
            share = float(row["share"])
            yield Measured(
                "Table 6",
                f"{told}, initial={row['initial']}, attitude={row['attitude']}",
                "processes that end with it alone",
                100 * share,
                se=100 * math.sqrt(share * (1 - share) / self.runs),
                n=self.runs,
            )

    def claims(self, notes: list[str]) -> Iterator[Measured]:
        """What the text says of sets, as the chain has judged it."""
        from .sets import printed

        tables = {one.column: one.table for one in printed() if one.claim}
        sets: dict[str, list[str]] = {}
        for told, row in self._of_paper(self._table("validation"), notes):
            sets.setdefault(row["set"], []).append(told)
            sets.setdefault(row["model"], []).append(told)
        theirs = {(one.table, one.row, one.column) for one in printed() if one.claim}
        for verdict in self._verdicts:
            name, about = str(verdict["hypothesis"]), verdict["claim"].partition(": ")[0]
            for told in dict.fromkeys(sets.get(about, ())):
                model = told.partition(", ")[0]
                whole = {"noise": model, "line-up improves": f"{model}, style=refine, noise=0"}
                cell = (tables.get(name, ""), whole.get(name, told), name)
                if cell in theirs:
                    known = _VERDICTS[verdict["verdict"]]
                    yield Measured(*cell, math.nan, verdict=known, note=verdict["evidence"])


def _gap(cells: Mapping[tuple[str, str, str], Measured]) -> Iterator[Measured]:
    """How much less the aggressive cooperate than the neutral whom they meet, in percentage points."""
    for (told, row, column), own in cells.items():
        other = cells.get((told, column, row))
        if (
            (row, column) != ("Aggressive", "Neutral")
            or other is None
            or not told.startswith("model=ChatGPT-4o")
        ):
            continue
        known = own.se is not None and other.se is not None
        se = 100 * math.hypot(own.se or 0.0, other.se or 0.0) if known else None
        yield Measured(
            "Text",
            f"{told}, attitude=Aggressive, against=Neutral",
            "cooperation less than that of the opponents",
            100 * (other.value - own.value),
            se=se,
            published_se=se,
            n=own.n,
            exact=own.exact and other.exact,
        )
