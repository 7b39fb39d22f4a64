"""A library of invented games in memory: what the page shows is tested apart from how logs are read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from intent.base.errors import UnknownNameError
from intent.view.detail import CallText, GameDetail, MoveDetail, QuestionDetail, RoundDetail, SeatDetail, Text
from intent.view.query import ColumnFacts, Facts, Page, Query

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\u202egnp.exe\x00\ud800{{7*7}}'
STATUSES = ("confident", "ambiguous", "low_confidence", "no_fit")
CLASSES = ("ALLC", "ALLD", "TFT", "WSLS")
SIGNS = "CCDCDDCDCC"


def cut(text: str, most: int = 400) -> Text:
    """A text as a page gets it."""
    return Text(text[:most], len(text), "0")


class Shelf:
    """Games ``g0``, ``g1``, … and one whose every text is hostile.

    Parameters
    ----------
    n : int
        Games.
    hostile : str
        Text of the last one: its name, models, messages, thoughts, replies.
    """

    def __init__(self, n: int = 120, hostile: str = HOSTILE) -> None:
        self.hostile, self.live, self.changes = hostile, False, 0
        self.names = [f"g{i}" for i in range(n - 1)] + [hostile]

    run_folder = None

    def facts(self) -> Facts:
        planned = len(self.names) + 10 if self.live else None
        return Facts(
            f"log of {self.hostile}",
            "run",
            len(self.names),
            2 * len(self.names),
            planned,
            live=self.live,
            labels="bayes-canonical4",
            labelled=1.0,
            classes=CLASSES,
        )

    def columns(self) -> list[ColumnFacts]:
        n = len(self.names)
        models = (("alpha", n), ("beta", n - 1), (self.hostile, 1))
        return [
            ColumnFacts("language", "games", "category", (("en", n // 2), ("fr", n - n // 2)), 2),
            ColumnFacts("rounds_played", "games", "number", low=10, high=10),
            ColumnFacts("model", "seats", "category", models, 3),
            ColumnFacts("total_payoff", "seats", "number", low=0, high=50),
            ColumnFacts("status", "labels", "category", tuple((s, n // 2) for s in STATUSES), 4),
            ColumnFacts("best", "labels", "category", (("TFT", n),), 1),
            ColumnFacts("confidence", "labels", "number", low=0.3, high=1.0),
        ]

    def counts(self, query: Query) -> dict[str, dict[str, int]]:
        counted: dict[str, dict[str, int]] = {}
        for name in ("language", "status", "model", "best"):
            others = tuple(one for one in query.filters if one.column != name)
            rows = self.page(replace(query, filters=others, offset=0, limit=500)).rows
            counted[name] = Counter(
                str(part[name]) for row in rows for part in (row, *row["seats"]) if name in part
            )
        return counted

    def page(self, query: Query) -> Page:
        rows = [row for row in map(self._row, range(len(self.names))) if self._meets(row, query)]
        if query.sort == "rounds_played" or query.sort == "game_id":
            rows.sort(key=lambda row: row[query.sort], reverse=query.descending)
        return Page(len(rows), rows[query.offset :][: query.limit], query.offset)

    def _row(self, i: int) -> dict[str, Any]:
        status = STATUSES[i % 4]
        model = self.hostile if self.names[i] == self.hostile else "alpha"
        label = {"status": status, "best": "TFT", "confidence": 0.3 + 0.1 * (i % 7)}
        seats = [
            {"seat": s, "model": m, "total_payoff": 20.0 + s} | label for s, m in ((1, model), (2, "beta"))
        ]
        return {
            "game_id": self.names[i],
            "language": "en" if i % 2 else "fr",
            "rounds_played": 10,
            "seats": seats,
        }

    def _meets(self, row: dict[str, Any], query: Query) -> bool:
        if query.jump and query.jump != "extreme" and row["seats"][0]["status"] != query.jump:
            return False
        for one in query.filters:
            values = [str(part[one.column]) for part in (row, *row["seats"]) if one.column in part]
            if one.op == "=" and one.value not in values:
                return False
            if one.op == "contains" and not any(one.value in value for value in values):
                return False
        return True

    def game(self, game_id: str, *, first: int = 1, most: int = 500) -> GameDetail:
        if game_id not in self.names:
            raise UnknownNameError("game", game_id, self.names)
        row = self._row(self.names.index(game_id))
        told = self.hostile if game_id == self.hostile else "let us cooperate"
        rounds = tuple(self._round(r, told) for r in range(first, min(10, first + most - 1) + 1))
        seats = tuple(self._seat(seat) for seat in row["seats"])
        columns = {"game_id": game_id, "game": "prisoners_dilemma", "language": told, "rounds_played": 10}
        payoffs = '{"A,A": [3, 3], "A,B": [0, 5], "B,A": [5, 0], "B,B": [1, 1]}'
        return GameDetail(game_id, columns, payoffs, seats, rounds, first, 10, "finished")

    def _round(self, r: int, told: str) -> RoundDetail:
        sign = SIGNS[r - 1]
        status = "defaulted" if r == 4 else "missing" if r == 7 else "parsed"
        gone = status == "missing"
        call = CallText(
            1, "choose", "snapshot-1", (("system", cut(told)), ("user", cut(told * 200))), cut(told)
        )
        moves = tuple(
            MoveDetail(
                s,
                1,
                None if gone else f"Option{'AB'[sign == 'D']}",
                None,
                None if gone else sign == "C",
                3.0,
                3.0 * r,
                status,
                cut(f"{told} {r}"),
                cut(told),
                cut(told),
                calls=(call,) if r < 3 else (),
            )
            for s in (1, 2)
        )
        asked = (QuestionDetail(1, "Which round is it?", cut(told), "3", str(r), r == 3),) if r == 3 else ()
        return RoundDetail(r, moves, asked)

    def _seat(self, row: dict[str, Any]) -> SeatDetail:
        label = row | {"tied_with": ["ALLC"], "consistent": [], "n_deviations": 2, "fit_p": 0.2}
        shares = [(0.25 + 0.05 * t, 0.25 - 0.02 * t, 0.25 - 0.02 * t, 0.25 - 0.01 * t) for t in range(11)]
        against = {"ALLC": (3, 5, 6, 8), "ALLD": (1, 2, 4, 7, 9, 10), "TFT": (), "WSLS": (2, 3), "GRIM": (9,)}
        return SeatDetail(
            row["seat"],
            {"model": row["model"], "persona": "selfish"},
            True,
            label,
            None,
            30.0,
            SIGNS,
            CLASSES,
            tuple(range(11)),
            tuple(shares),
            (*CLASSES, "GRIM"),
            dict.fromkeys(against, (1.0,) * 10),
            against,
        )

    def text(self, game_id: str, key: str) -> str:
        return self.hostile * 10

    def neighbours(self, game_id: str, query: Query) -> tuple[str | None, str | None]:
        found = [row["game_id"] for row in map(self._row, range(len(self.names))) if self._meets(row, query)]
        i = found.index(game_id) if game_id in found else -1
        if i < 0:
            return None, None
        return (found[i - 1] if i else None), (found[i + 1] if i + 1 < len(found) else None)

    def version(self) -> str:
        return f"v{self.changes}"
