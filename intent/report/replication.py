"""Published beside ours: every printed number of a paper judged against the same quantity measured here.

References
----------
Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from intent.base.codebook import REPLICATION
from intent.base.errors import DataError, IntentError
from intent.base.job import Result, Table
from intent.base.wording import Sentences

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from intent.logs.gamelog import GameLog
    from intent.report.page import Grid, Section
    from intent.report.results import Drawn

__all__ = [
    "FEW",
    "VERDICTS",
    "Exclusion",
    "Measured",
    "Measurement",
    "Replication",
    "Verdict",
    "claim",
    "effects",
    "judged",
    "players_of",
    "replication_page",
    "unread_moves",
]

Verdict = Literal["equal", "within error", "unclear", "differs", "too few", "withheld", "not measured"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

FEW = 5
"""Observations below which a number with sampling error gets no verdict."""

_LEVEL = 0.05

_POINTS = 4
"""Numbers of a table from which a figure says more than the table."""

_SHARES = {"share": 1.0, "percent": 100.0}
"""Unit of a share -> what all of them are."""

phrase = Sentences("intent.report")


@dataclass(frozen=True)
class Measured:
    """One quantity of a paper, measured here.

    Attributes
    ----------
    table, row, column : str
        The cell, as ``published.csv`` names it.
    value : float
        In the unit of the printed number.
    se : float, optional
        Its standard error over independent observations; None: not known.
    n : int, optional
        Those observations.
    published_se : float, optional
        Standard error of the printed number. Default: of a share or percentage with `n` printed, the
        binomial one; else the printed number counts as exact.
    assumed : bool
        Whether `published_se` is made of the spread of ours, since the paper prints none. A verdict then has
        to hold with it and without it.
    within : (float, float), optional
        The least and the largest value that it can have, such as the payoffs of a game; default: those of a
        share or percentage. Intervals stay within them.
    exact : bool
        Whether there is no sampling error, as of a quantity computed from the authors' own files.
    withheld : str
        Why there can be no verdict, such as identical copies of one game.
    verdict : Verdict, optional
        Of a claim that the study judges itself, such as a hypothesis; no number is compared then.
    note : str
    """

    table: str
    row: str
    column: str
    value: float
    se: float | None = None
    n: int | None = None
    published_se: float | None = None
    assumed: bool = False
    within: tuple[float, float] | None = None
    exact: bool = False
    withheld: str = ""
    verdict: Verdict | None = None
    note: str = ""

    @property
    def cell(self) -> tuple[str, str, str]:
        """Table, row and column."""
        return self.table, self.row, self.column


@dataclass(frozen=True)
class Exclusion:
    """What a measurement leaves out or keeps, and the same cells measured otherwise.

    Attributes
    ----------
    what : str
        What is done, such as "moves that could not be read are left out".
    size : str
        How much it concerns, such as "12 of 1,650 moves".
    otherwise : str
        How `cells` are measured, such as "the default played in their place counts".
    cells : tuple of Measured
    """

    what: str
    size: str
    otherwise: str
    cells: tuple[Measured, ...]


@dataclass(frozen=True)
class Measurement:
    """What a study measures in play.

    Attributes
    ----------
    cells : tuple of Measured
    notes : tuple of str
        Whatever a reader should be warned of.
    sections : tuple of `intent.report.page.Section`, behind the tables
    exclusions : tuple of Exclusion
        What was left out, measured otherwise, so that the page can say what that changes.
    drawings : tuple of `intent.report.results.Drawn`
        Figures of the paper beside those of the study's module ``results``.
    """

    cells: tuple[Measured, ...]
    notes: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    drawings: tuple[Drawn, ...] = ()


def unread_moves(log: GameLog, measure: Callable[[GameLog], Iterable[Measured]]) -> tuple[Exclusion, ...]:
    """What becomes of the cells of a log where moves that could not be read are treated otherwise.

    1. Moves with a default in their place are left out as evidence; measured again as if they were chosen.
    2. Games with such or with missing moves stay; measured again without these games.

    Parameters
    ----------
    log : GameLog
    measure : from a log to the cells that the study measures of it
    """
    from intent.logs.gamelog import GameLog

    subjects = log.seats.loc[log.seats["focal"].astype(bool), ["game_id", "seat"]]
    moves = log.moves.merge(subjects, on=["game_id", "seat"])
    defaulted = moves["status"].eq("defaulted")
    unread = moves["status"].ne("parsed")
    exclusions = []
    if defaulted.any():
        counted = log.moves.assign(
            status=log.moves["status"].mask(log.moves["status"].eq("defaulted"), "parsed")
        )
        with_defaults = GameLog(
            log.games, log.seats, counted, log.questions, provenance=log.provenance, rejects=log.rejects
        )
        size = phrase("replication.moves", n=int(defaulted.sum()), of=len(moves))
        exclusions.append(_exclusion("defaulted", size, lambda: measure(with_defaults)))
    games = set(log.games["game_id"])
    broken = set(moves.loc[unread, "game_id"])
    if broken and broken != games:
        whole = log.where({"game_id": sorted(games - broken)})
        size = phrase("replication.games", n=len(broken), of=len(games))
        exclusions.append(_exclusion("incomplete", size, lambda: measure(whole)))
    return tuple(one for one in exclusions if one.cells)


def _exclusion(kind: str, size: str, measure: Callable[[], Iterable[Measured]]) -> Exclusion:
    """One with its sentences; without cells where so little play cannot be measured."""
    try:
        cells = tuple(measure())
    except IntentError:
        cells = ()
    what, otherwise = (phrase(f"replication.{kind}{end}") for end in ("", "_otherwise"))
    return Exclusion(what, size, otherwise, cells)


def effects(
    published: pd.DataFrame, cells: Sequence[Measured], exclusions: Iterable[Exclusion]
) -> list[dict[str, Any]]:
    """What each exclusion changes: numbers, the largest change and where, verdicts.

    Returns
    -------
    list of dict
        what, size, otherwise, compared and changed (numbers), largest (change), where (the cell),
        verdicts (list of texts).
    """
    base = judged(published, cells).set_index(["table", "row", "column"])
    rows = []
    for one in exclusions:
        other = judged(published, one.cells).set_index(["table", "row", "column"])
        both = base["ours"].notna() & other["ours"].notna()
        change = (other["ours"] - base["ours"])[both].abs()
        moved = change[change > 1e-9]
        pairs = zip(base.index, base["verdict"], other["verdict"], strict=True)
        rows.append(
            {
                "what": one.what,
                "size": one.size,
                "otherwise": one.otherwise,
                "compared": len(change),
                "changed": len(moved),
                "largest": float(moved.max()) if len(moved) else 0.0,
                "where": ", ".join(str(part) for part in moved.index[int(moved.to_numpy().argmax())])
                if len(moved)
                else "",
                "verdicts": [f"{', '.join(cell)}: {a} → {b}" for cell, a, b in pairs if a != b],
            }
        )
    return rows


def claim(
    cell: tuple[str, str, str],
    first: ArrayLike,
    second: ArrayLike | None = None,
    note: str = "",
    *,
    within: tuple[float, float] | None = None,
) -> Measured:
    """A claim in words, that a quantity is larger in one group of games than in another, as ours show it.

    With means m_1, m_2 and variances v_1, v_2 of n_1, n_2 games, the difference m_1 - m_2 has the error
    (v_1 / n_1 + v_2 / n_2)^(1/2) and Student's distribution with Welch's degrees of freedom. Where its 95 %
    interval lies above zero ours say the same ("equal"), where it lies below the contrary ("differs").

    Parameters
    ----------
    cell : table, row, column
    first, second : (n_1,), (n_2,) float
        One number a game; without `second` these are differences within games, or paired by games.
    note : str
    within : (float, float), optional
        As of `Measured`; of a difference of two rates (-1, 1).

    References
    ----------
    Welch 1947, Biometrika 34.
    """
    from scipy.stats import t as student

    groups = [np.asarray(g, dtype=float) for g in (first, second) if g is not None]
    groups = [g[np.isfinite(g)] for g in groups]
    n = min(len(g) for g in groups)
    if n == 0:
        return Measured(*cell, value=math.nan, n=0, verdict="too few", note=note, within=within)
    value = float(groups[0].mean()) - (float(groups[1].mean()) if len(groups) == 2 else 0.0)
    if n < 2:
        return Measured(*cell, value=value, n=n, verdict="too few", note=note, within=within)
    parts = [float(g.var(ddof=1)) / len(g) for g in groups]
    se = math.sqrt(sum(parts))
    if n < FEW:
        return Measured(*cell, value=value, se=se, n=n, verdict="too few", note=note, within=within)
    if se == 0:
        verdict: Verdict = "equal" if value > 0 else "differs" if value < 0 else "unclear"
        return Measured(*cell, value=value, n=n, verdict=verdict, note=note, within=within)
    df = sum(parts) ** 2 / sum(v**2 / (len(g) - 1) for v, g in zip(parts, groups, strict=True))
    half = float(student.ppf(0.975, df)) * se
    verdict = "equal" if value > half else "differs" if value < -half else "unclear"
    return Measured(*cell, value=value, se=se, n=n, verdict=verdict, note=note, within=within)


def players_of(
    table: pd.DataFrame, known: Mapping[str, str], printed: Sequence[str], notes: list[str]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each model that a paper prints numbers of.

    Where none of the paper's models played, all play stands beside each of them, and a note says so; what
    others play beside the paper's models is left out with a note.

    Parameters
    ----------
    table : DataFrame with the column ``model``
    known : model of the paper -> regular expression, as it is named by providers and in logs
    printed : models of the paper that are asked for
    notes : list of str, added to

    Yields
    ------
    name of the paper, rows of `table`
    """
    played = table["model"].astype(object).map(lambda name: "" if name is None or name != name else str(name))
    of_paper = {
        name: next((paper for paper, form in known.items() if re.search(form, name, re.IGNORECASE)), None)
        for name in played.unique()
    }
    matched = played.map(of_paper)
    others = sorted({name or "strategies" for name, paper in of_paper.items() if paper is None})
    if not matched.isin(list(known)).any():
        who = ", ".join(others)
        notes.append(f"none of the paper's models played: play by {who} stands beside each of them")
        for name in printed:
            yield name, table
        return
    if others:
        notes.append(f"not among the paper's models, left out: {', '.join(others)}")
    for name in printed:
        rows = table[matched == name]
        if len(rows):
            yield name, rows


def judged(published: pd.DataFrame, measured: Iterable[Measured]) -> pd.DataFrame:
    """Every printed number with ours and a verdict.

    With the printed value v (rounded to a unit u of its last digit), ours m, and standard errors s_v and s_m,

    1. "not measured" and "withheld" are as said, "too few": below `FEW` observations, or no error known;
    2. "equal": |m - v| <= u / 2, so that ours is printed alike;
    3. of exact values all others differ;
    4. else p = 2 P(T > (|m - v| - u / 2) / (s_m^2 + s_v^2)^(1/2)), T Student's with n - 1 degrees of
       freedom, corrected by Holm over the page: "differs" where the corrected p is below .05, "unclear" where
       only the p itself is, "within error" where neither is;
    5. where s_v is assumed, since the paper prints no error, "within error" also needs p of .05 or more with
       s_v = 0, and is "unclear" else: whether such a number agrees depends on an error that nobody knows.

    A share without variance (all or nothing) has the error of (n m + 1) / (n + 2).

    Parameters
    ----------
    published : DataFrame, as `intent.base.experiments.published_values`
    measured : iterable of Measured

    Returns
    -------
    DataFrame
        As `codebook.REPLICATION`, in the order of `published`.

    Raises
    ------
    DataError
        A cell is measured that is not printed, or is measured twice.
    """
    import pandas as pd

    from intent.comparison.groups import holm

    ours: dict[tuple[str, str, str], Measured] = {}
    for one in measured:
        if one.cell in ours:
            raise DataError(f"{', '.join(one.cell)}: measured twice, expected once")
        ours[one.cell] = one
    records: list[dict[str, Any]] = [
        {str(k): v for k, v in row.items()} for row in published.to_dict("records")
    ]
    printed = [(row["table"], row["row"], row["column"]) for row in records]
    if strange := [cell for cell in ours if cell not in set(printed)]:
        raise DataError(f"{', '.join(strange[0])}: not in the published numbers, expected a printed cell")
    units = _last_digits(published)
    rows = [
        _judged_cell(row, digit, ours.get(cell))
        for cell, row, digit in zip(printed, records, units, strict=True)
    ]
    tested = [row for row in rows if row["p"] is not None]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        if p < _LEVEL:
            row["verdict"] = "differs"
        elif row["p"] < _LEVEL:
            row["verdict"] = "unclear"
        row["p"] = p
    table = pd.DataFrame(rows, columns=[column.name for column in REPLICATION])
    kinds = {"float": "float64", "int": "Int64", "bool": "bool"}
    return table.astype({c.name: kinds[c.kind] for c in REPLICATION if c.kind in kinds})


def _judged_cell(row: Mapping[str, Any], digit: float, mine: Measured | None) -> dict[str, Any]:
    """A printed number with ours by `judged`, before the correction; p where it is tested."""
    from scipy.stats import t as student

    value = _number(row["value"])
    line: dict[str, Any] = {
        **dict.fromkeys(column.name for column in REPLICATION),
        **{name: row[name] for name in ("table", "row", "column", "unit", "page")},
        "published": value,
        "note": "; ".join(filter(None, (row["note"], "" if mine is None else mine.note or mine.withheld))),
        "assumed": False,
        "verdict": "not measured",
    }
    if mine is None:
        return line
    se, their_se = _own_error(mine, row), _their_error(mine, row)
    df = math.inf if mine.n is None else max(mine.n - 1, 1)
    line |= {"ours": mine.value, "se": se, "n": mine.n, "published_se": their_se}
    line["assumed"] = mine.assumed and their_se is not None
    if se is not None:
        half = float(student.ppf(0.975, df)) * se
        whole = _SHARES.get(row["unit"], math.inf)
        low, high = mine.within or (0.0 if math.isfinite(whole) else -math.inf, whole)
        line |= {"low": max(mine.value - half, low), "high": min(mine.value + half, high)}
    if mine.verdict is not None:
        line["verdict"] = mine.verdict
    elif mine.withheld or value is None or not math.isfinite(mine.value):
        line["verdict"] = "withheld"
    else:
        gap = max(abs(mine.value - value) - digit / 2 - 1e-9, 0.0)
        if mine.exact:
            line["verdict"] = "equal" if gap == 0 else "differs"
        elif se is None or (mine.n is not None and mine.n < FEW):
            line["verdict"] = "too few"
        else:
            spread = math.hypot(se, their_se or 0.0)
            line["p"] = 1.0 if gap == 0 else float(2 * student.sf(gap / spread, df)) if spread else 0.0
            line["verdict"] = "equal" if gap == 0 else "within error"
            if line["assumed"] and gap and 2 * student.sf(gap / se, df) < _LEVEL:
                line["verdict"] = "unclear"
    return line


def _last_digits(published: pd.DataFrame) -> list[float]:
    """Unit of the last printed digit of every row: the finest of its table and column."""
    places = published.groupby(["table", "column"], sort=False, observed=True)["value"].transform(
        lambda values: max((_places(v) for v in values.dropna()), default=0)
    )
    return [0.0 if not math.isfinite(k) else 10.0 ** -float(k) for k in places.astype(float)]


def _places(value: float) -> int:
    return len(f"{value:.10f}".rstrip("0").partition(".")[2])


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)


def _own_error(one: Measured, row: Mapping[str, Any]) -> float | None:
    whole = _SHARES.get(row["unit"])
    if one.exact:
        return 0.0
    if one.se is not None and one.se > 0:
        return one.se
    if whole is not None and one.n:
        share = (one.n * one.value / whole + 1) / (one.n + 2)
        return whole * math.sqrt(max(share * (1 - share), 0.0) / one.n)
    return None


def _their_error(one: Measured, row: Mapping[str, Any]) -> float | None:
    if one.published_se is not None:
        return one.published_se
    whole, n, value = _SHARES.get(row["unit"]), _number(row["n"]), _number(row["value"])
    if whole is None or not n or value is None or not 0 <= value <= whole:
        return None
    share = (n * value / whole + 1) / (n + 2)
    return whole * math.sqrt(share * (1 - share) / n)


@dataclass(frozen=True, eq=False)
class Replication(Result):
    """Published beside ours, with what was played.

    Parameters
    ----------
    study : str
    citation : str
    variant : str
    rows : DataFrame, as `judged`
    plays : sequence of mappings
        What was played or read: file, path, games, cost.
    path : Path, the folder with page and tables
    notes : what a reader should be warned of
    effects : as `effects` returns them
    small : whether it is a short play, made to try the study out
    """

    kind = "replication"
    noun = "a replication"

    study: str
    citation: str
    variant: str
    rows: pd.DataFrame
    plays: Sequence[Mapping[str, Any]]
    path: Path
    config: Mapping[str, Any]
    notes: Sequence[str] = ()
    effects: Sequence[Mapping[str, Any]] = ()
    small: bool = False

    def counts(self) -> dict[str, int]:
        """Verdict -> cells."""
        counts = Counter(self.rows["verdict"])
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    def fields(self) -> dict[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        return {
            "study": self.study,
            "citation": self.citation,
            "variant": self.variant,
            "path": str(self.path),
            "plays": list(self.plays),
            "verdicts": self.counts(),
            "standing": self.standing(),
            "cells": self.rows.to_dict("records"),
            "effects": [dict(one) for one in self.effects],
            "notes": list(self.notes),
        }

    def table(self) -> pd.DataFrame:
        """A row for every published cell."""
        return self.rows

    def standing(self) -> str:
        """What play of this size can show, and what it can't, in one sentence."""
        measured = self.rows[~self.rows["verdict"].isin(["not measured"])]
        few = int((measured["verdict"] == "too few").sum())
        words = {"few": few, "n": len(measured), "all": len(self.rows), "least": FEW}
        if not len(measured):
            return phrase("replication.nothing", **words)
        if self.small:
            return phrase("replication.small", **words)
        return phrase("replication.few" if few > len(measured) / 2 else "replication.enough", **words)

    def parts(self) -> Iterator[Table | str]:
        """A row for each table of the paper, the cells that differ, and what exclusions change."""
        yield self.standing()
        yield ""
        tables = list(dict.fromkeys(self.rows["table"]))
        shown = [v for v in VERDICTS if v in set(self.rows["verdict"])]
        lines = []
        for name in tables:
            counts = Counter(self.rows.loc[self.rows["table"] == name, "verdict"])
            lines.append((name, sum(counts.values()), *(counts[v] or "" for v in shown)))
        yield Table(("published", "cells", *shown), lines)
        apart = self.rows[self.rows["verdict"] == "differs"]
        if len(apart):
            yield ""
            cells = [
                (r.table, spaced(str(r.row)), r.column, r.published, r.ours, r.low, r.high)
                for r in apart.head(20).itertuples()
            ]
            title = f"Cells that differ{'' if len(apart) <= 20 else f' (20 of {len(apart)})'}"
            yield Table(("published", "row", "column", "paper", "ours", "low", "high"), cells, title)
        if self.effects:
            yield ""
            yield Table(EFFECTS, _effect_rows(self.effects), phrase("replication.effects"))

    def remarks(self) -> Iterator[str]:
        """Where the page is."""
        yield f"wrote {self.path / 'replication.html'}"


EFFECTS = ("what is done", "concerns", "otherwise", "numbers that change", "at most by", "verdicts")
"""Heads of the table of what exclusions change."""


def _effect_rows(effects: Iterable[Mapping[str, Any]]) -> list[tuple[object, ...]]:
    """A row for each exclusion."""
    return [
        (
            one["what"],
            one["size"],
            one["otherwise"],
            f"{one['changed']} of {one['compared']}",
            f"{one['largest']:.3g} ({spaced(one['where'])})" if one["where"] else "–",
            _listed(one["verdicts"]),
        )
        for one in effects
    ]


_NAMED = 3
"""Verdicts that change, as far as they are named."""


def _listed(verdicts: Sequence[str]) -> str:
    more = len(verdicts) - _NAMED
    named = "; ".join(map(spaced, verdicts[:_NAMED])) or phrase("replication.no_verdict")
    return f"{named}; {phrase('replication.more_verdicts', n=more)}" if more > 0 else named


def spaced(row: str) -> str:
    """The conditions of a row with a blank after each, so that they can be broken into lines."""
    return re.sub(r",(?! )", ", ", row)


def replication_page(result: Replication, more: Sequence[Section] = ()) -> str:
    """The page of a replication, which loads nothing and runs nothing.

    Parameters
    ----------
    result : Replication
    more : sections that stand behind the tables, such as what players were told
    """
    from intent.report.page import Listing, Section, Words, grid, report_page

    rows, counts = result.rows, result.counts()
    total = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    first: list[Any] = [
        Words(result.standing(), "caution"),
        Words(phrase("replication.total", n=len(rows), counts=total)),
    ]
    if result.notes:
        first.append(Listing(tuple(result.notes), "caution"))
    if result.effects:
        first.append(grid(phrase("replication.effects"), EFFECTS, _effect_rows(result.effects), heads=1))
    plays = [(p["file"], p["path"], p["games"], p["cost"]) for p in result.plays]
    first.append(grid(phrase("replication.plays"), ("experiment", "folder", "games", "cost"), plays))
    first.append(Words(phrase("replication.verdicts"), "quiet"))
    sections = [Section("summary", phrase("replication.summary"), tuple(first))]
    without = []
    for k, name in enumerate(dict.fromkeys(rows["table"]), start=1):
        part = rows[rows["table"] == name]
        if (part["verdict"] == "not measured").all():
            without.append((name, len(part), _pages(part)))
        else:
            sections.append(Section(f"table-{k}", name, tuple(_blocks(name, part))))
    if without:
        listed = grid(phrase("replication.unmeasured"), ("published", "numbers", "where"), without)
        sections.append(Section("unmeasured", phrase("replication.unmeasured_title"), (listed,)))
    lines = [result.citation, phrase("replication.variant", variant=result.variant)]
    return report_page(phrase("replication.title", study=result.study), [*sections, *more], lines=lines)


def _blocks(name: str, part: pd.DataFrame) -> Iterator[Any]:
    from intent.report.page import picture

    caption = phrase("replication.table", table=name, pages=_pages(part))
    both = part[part["ours"].notna() & part["published"].notna()]
    drawn = ~both["verdict"].isin(["too few", "withheld"]) & both["se"].gt(0)
    if len(both) >= _POINTS and drawn.any():  # nothing to see where all are exact, or nothing is known
        caption_of_figure = phrase("replication.figure", table=name)
        yield picture(lambda: _figure(both), name, caption_of_figure, caption_of_figure, None)
    with_any = part["row"].isin(part.loc[part["verdict"] != "not measured", "row"])
    measured = part[with_any]
    laid_out = _as_printed(caption, measured)
    if laid_out is not None:
        yield laid_out
        caption = phrase("replication.details", table=name)
    folded = laid_out is not None or len(measured) > 60
    yield from _listing(caption, measured, folded=folded)
    if len(measured) < len(part):
        unmeasured = part[~with_any]
        yield from _listing(phrase("replication.not_measured", n=len(unmeasured)), unmeasured, folded=True)


def _listing(caption: str, part: pd.DataFrame, *, folded: bool) -> Iterator[Any]:
    """A row for every cell, with its conditions, interval, verdict and note; long notes stand below."""
    from intent.report.page import Listing, grid

    names, facts, same = _conditions(list(part["row"]))
    header: tuple[str, ...] = ("measured", "paper", "ours", "95 % interval", "n", "verdict", "note")
    notes = list(dict.fromkeys(note for note in part["note"].fillna("") if len(note) > _SHORT))
    number = {note: phrase("replication.note", n=k) for k, note in enumerate(notes, start=1)}
    lines = [(*line[:-1], number.get(line[-1], line[-1])) for line in _detailed(part)]
    if part["published"].isna().all() and part["ours"].isna().all():  # claims and names: no numbers
        header, lines = (header[0], *header[-2:]), [(line[0], *line[-2:]) for line in lines]
    yield grid(
        f"{caption}{same}",
        (*names, *header),
        [(*(one.get(name, _ALL) for name in names), *line) for one, line in zip(facts, lines, strict=True)],
        heads=len(names) + 1,
        folded=folded,
    )
    if notes:
        yield Listing(tuple(f"{number[note]}: {note}" for note in notes), "quiet")


def _pages(part: pd.DataFrame) -> str:
    return ", ".join(dict.fromkeys(f"page {p}" if p[:1].isdigit() else p for p in part["page"]))


def _detailed(part: pd.DataFrame) -> list[tuple[str, ...]]:
    """Of every cell: what is measured, both values, interval, n, verdict and note."""
    records: Iterator[Any] = part.astype({"n": object}).itertuples()
    return [
        (
            r.column,
            _text(r.published, r.published_se, assumed=r.assumed),
            _text(r.ours, r.se),
            "–" if r.low != r.low else f"{r.low:.3g} to {r.high:.3g}",
            f"{r.n:,}" if isinstance(r.n, int) else "–",
            r.verdict,
            r.note or "",
        )
        for r in records
    ]


_WIDEST = 10
"""Columns of a printed table that a page has room for."""

_SHORT = 40
"""Characters of a note that stands in a cell."""

_SIGNS: Mapping[str, str] = {
    "equal": "=",
    "within error": "≈",
    "unclear": "?",
    "differs": "!",
    "too few": "·",
    "withheld": "×",
    "not measured": "",
}
"""Verdict -> the sign of it in a table that is laid out as printed."""


def _as_printed(caption: str, part: pd.DataFrame) -> Grid | None:
    """A table with the paper's rows and columns: ours, the paper's in brackets, the sign of the verdict.

    None for one that would be no smaller than the list of its cells.
    """
    from intent.report.page import grid

    columns = list(dict.fromkeys(part["column"]))
    rows = list(dict.fromkeys(part["row"]))
    if not 1 < len(columns) <= _WIDEST or len(rows) == len(part):
        return None
    names, facts, same = _conditions(rows)
    cells = {(r.row, r.column): r for r in part.itertuples()}
    lines = [
        (*(one.get(name, _ALL) for name in names), *(_cell(cells.get((row, column))) for column in columns))
        for row, one in zip(rows, facts, strict=True)
    ]
    return grid(
        f"{caption}{same}: {phrase('replication.signs')}",
        (*names, *(column.replace("_", " ") for column in columns)),
        lines,
        heads=len(names),
    )


_ALL = "all"
"""What stands under a condition that a row does not name."""

_MOST_CONDITIONS = 5


def _conditions(rows: Sequence[str]) -> tuple[list[str], list[dict[str, str]], str]:
    """Conditions that vary, their values in each row, and those of all rows in words.

    Rows that are no conditions, or have more than five that vary, stay whole under ``row``.

    Examples
    --------
    >>> _conditions(["game=a,noise=0", "game=b,noise=0"])
    (['game'], [{'game': 'a', 'noise': '0'}, {'game': 'b', 'noise': '0'}], ', noise=0')
    """
    facts = [dict(fact.strip().partition("=")[::2] for fact in row.split(",")) for row in rows]
    names = list(dict.fromkeys(name for one in facts for name in one))
    varying = [name for name in names if len({one.get(name) for one in facts}) > 1]
    if any("" in one.values() for one in facts) or not 0 < len(varying) <= _MOST_CONDITIONS:
        return ["row"], [{"row": spaced(row)} for row in rows], ""
    same = "".join(f", {name}={facts[0][name]}" for name in names if name not in varying)
    return varying, facts, same


def _cell(row: Any) -> str:
    if row is None:
        return ""
    sign = _SIGNS[row.verdict]
    known = row.ours == row.ours or row.published == row.published
    ours = "–" if row.ours != row.ours else f"{row.ours:.3g}"
    theirs = [] if row.published != row.published else [f"({row.published:.3g})"]
    numbers = [ours, *theirs] if known else []
    if not numbers and row.note and len(row.note) <= _SHORT:
        return f"{row.note} {sign}".strip()
    return " ".join([*numbers, *filter(None, [sign if numbers else row.verdict])])


def _text(value: Any, se: Any, *, assumed: bool = False) -> str:
    if value != value:
        return "–"
    if se is None or se != se or se == 0:
        return f"{value:.3g}"
    return f"{value:.3g} (± {se:.2g})" if assumed else f"{value:.3g} ± {se:.2g}"


_MARKS: Mapping[str, tuple[str, str]] = {
    "equal": ("o", "#0072b2"),
    "within error": ("o", "#56b4e9"),
    "unclear": ("s", "#e69f00"),
    "differs": ("D", "#d55e00"),
    "too few": ("x", "#777777"),
    "withheld": ("+", "#777777"),
}
"""Verdict -> mark and colour (Okabe & Ito's, which the colour-blind can tell apart)."""


def _figure(part: pd.DataFrame) -> Figure:
    """Printed numbers across, ours upwards with their intervals; on the line both are equal."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 4.2))
    axes = figure.add_subplot()
    values = part[["published", "ours", "low", "high"]].to_numpy(dtype=float)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.05 * (high - low) or 0.5
    ends = (low - margin, high + margin)
    axes.plot(ends, ends, color="#999999", linewidth=0.8, zorder=0)
    for verdict, (mark, colour) in _MARKS.items():
        chosen = part[part["verdict"] == verdict]
        if chosen.empty:
            continue
        x, y = chosen["published"].to_numpy(float), chosen["ours"].to_numpy(float)
        bars = np.stack([y - chosen["low"].to_numpy(float), chosen["high"].to_numpy(float) - y])
        axes.errorbar(x, y, np.nan_to_num(bars.clip(0)), fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.6)
        axes.scatter(x, y, marker=mark, color=colour, s=22, label=f"{verdict} ({len(chosen)})", zorder=2)
    axes.set(xlim=ends, ylim=ends, xlabel="paper", ylabel="ours")
    axes.legend(fontsize="small", loc="best", frameon=False)
    return figure
