"""Tables 3 to 6 with the paper's numbers beside ours, for files, a terminal, and a summary in Markdown.

Names and reasons are strangers' words: in Markdown they end no cell and are no HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES
from intent.base.errors import one_line
from intent.base.statistics import exact_share
from intent.comparison.permutation import random_tables

from . import sets as paper_numbers
from .sets import ChainSpec, Ends, Outcome, table_note

if TYPE_CHECKING:
    from .sets import ChainSet


__all__ = [
    "TABLE_NAMES",
    "PrintedTable",
    "cell",
    "chain_tables",
    "equilibria_lines",
    "equilibria_table",
    "line",
    "matrix",
    "number",
    "payoff_table",
    "printed_tables",
    "same_process_p",
    "summary_text",
    "write_page",
]


def same_process_p(
    first: Sequence[int], second: Sequence[int], rng: np.random.Generator, *, samples: int = 20_000
) -> float:
    """p of a test of homogeneity: X2 of the 2 x k table, runs exchanged between the rows.

    p = (1 + tables at least as unlike) / (1 + samples), over random tables with the same margins: valid for
    counts however small.

    Parameters
    ----------
    first, second : k counts of runs by how they ended
    rng : Generator
    samples : int

    References
    ----------
    Agresti 2013, Categorical Data Analysis, 3.5; Phipson & Smyth 2010.
    """
    table = np.array([first, second], dtype=np.intp)
    table = table[:, table.sum(axis=0) > 0]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if min(rows, default=0) == 0 or len(columns) < 2:
        return 1.0
    expected = np.outer(rows, columns) / rows.sum()

    def unlike(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(((tables - expected) ** 2 / expected).sum(axis=(1, 2)))

    observed = unlike(table[None].astype(float))[0] - 1e-9
    drawn = unlike(random_tables(rows, columns, samples, rng))
    return float((1 + int((drawn >= observed).sum())) / (1 + samples))


def validation_table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """The verdict on every attitude of every set."""
    return pd.DataFrame(
        [
            {
                **_who(one.chain_set),
                "attitude": verdict.attitude,
                "n": verdict.n,
                "cooperation": verdict.cooperation,
                "verdict": verdict.verdict,
                "evidence": "; ".join(part.words().replace(" games", "") for part in verdict.parts),
                "contradicting": ", ".join(verdict.contradicting),
                "contradicting_share": verdict.share.estimate,
                "contradicting_low": verdict.share.low,
                "contradicting_high": verdict.share.high,
            }
            for one in outcomes
            for verdict in one.validation.verdicts
        ]
    )


def cooperation_table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """Cooperation of the row's attitude against the column's, as table 3."""
    rows = []
    for one in outcomes:
        printed = _printed(paper_numbers.COOPERATION, one.chain_set)
        for row, cells in one.validation.pairings.items():
            for column, share in cells.items():
                value = {"cooperation": share.estimate, "low": share.low, "high": share.high}
                rows.append(_beside(one, row, column, value, printed))
    return pd.DataFrame(rows)


def payoff_table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """Payoff per round of the row's attitude against the column's, as tables 4 and 5."""
    rows = []
    for one in outcomes:
        printed = _printed(paper_numbers.PAYOFFS, one.chain_set)
        for i, row in enumerate(one.names):
            for j, column in enumerate(one.names):
                ends = one.intervals.get(row, {}).get(column) or {}
                value = {
                    "payoff": float(one.payoffs[i, j]),
                    "low": ends.get("low", float("nan")),
                    "high": ends.get("high", float("nan")),
                }
                rows.append(_beside(one, row, column, value, printed))
    return pd.DataFrame(rows)


def equilibria_table(outcomes: Sequence[Outcome], seed: int) -> pd.DataFrame:
    """Shares of the Moran processes that ended with each attitude, as table 6."""
    rng = np.random.default_rng([seed, 6])
    return pd.DataFrame(
        [row for one in outcomes for ends in one.ends for row in _equilibria(one.chain_set, ends, rng)]
    )


def _equilibria(one: ChainSet, ends: Ends, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    key = (one.model, one.style, one.noise, ends.ratio)
    printed = paper_numbers.EQUILIBRIA.get(key) if one.published and ends.names == ATTITUDES else None
    p = float("nan")
    if printed is not None:
        unfinished = ends.runs - sum(ends.counts)
        p = same_process_p((*ends.counts, unfinished), (*printed, 0), rng)
    for k, name in enumerate(ends.names):
        share = ends.shares[name]
        theirs = _theirs(printed, k)
        yield {
            **_who(one),
            "initial": ends.ratio,
            "individuals": sum(ends.initial),
            "attitude": name,
            "share": share.estimate,
            "low": share.low,
            "high": share.high,
            "exact": float("nan") if ends.exact is None else ends.exact[k],
            "drift": ends.initial[k] / sum(ends.initial),
            "runs": ends.runs,
            "mean_steps": ends.mean_steps,
            "paper": theirs[0],
            "paper_low": theirs[1],
            "paper_high": theirs[2],
            "p": p,
        }


def _theirs(printed: tuple[int, ...] | None, k: int) -> tuple[float, float, float]:
    """A printed share with its exact interval; NaN without."""
    if printed is None:
        return (float("nan"),) * 3
    ends = exact_share(printed[k], sum(printed))
    return printed[k] / 100, ends.low, ends.high


def _who(one: ChainSet) -> dict[str, Any]:
    return {"set": one.name, "model": one.model, "style": one.style, "noise": one.noise, "game": one.game}


def _printed(table: Any, one: ChainSet) -> paper_numbers.Matrix | None:
    matrix: paper_numbers.Matrix | None = table.get((one.model, one.style, one.noise))
    return matrix if one.published and one.game == "classic" else None


def _beside(
    one: Outcome, row: str, column: str, value: dict[str, float], printed: paper_numbers.Matrix | None
) -> dict[str, Any]:
    known = printed is not None and row in ATTITUDES and column in ATTITUDES
    paper = float("nan")
    if known and printed is not None:
        paper = printed[ATTITUDES.index(row)][ATTITUDES.index(column)]
    name, ours = next(iter(value.items()))
    error = one.errors.get(name, {}).get(row, {}).get(column)
    match_se = float("nan") if error is None else error
    gap = ours - paper
    return {
        **_who(one.chain_set),
        "row": row,
        "column": column,
        **value,
        "match_se": match_se,
        "paper": paper,
        "difference": gap,
        "z": gap / np.sqrt(2 * match_se**2 + _ROUNDED**2 / 3),
    }


_ROUNDED = 0.005
"""Half a unit of the last printed digit; a uniform error of it has variance 1/3 of its square."""


@dataclass(frozen=True)
class PrintedTable:
    """A table of a finished chain.

    Attributes
    ----------
    title : str
    header : tuple of str
    rows : tuple of tuples of str
    remark : str, what a reader must know of the paper's numbers, or empty
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str


def printed_tables(result: Mapping[str, Any]) -> Iterator[PrintedTable]:
    """The tables that stand for one of the paper's, read from the folder of a chain.

    Parameters
    ----------
    result : as `run_chain` gives it
    """
    from intent.base.tables import read_table

    for one in result["tables"]:
        number = (one["published"] or "").rpartition(" ")[2]
        if not str(one["published"]).startswith("Table"):
            continue
        table, _ = read_table(Path(result["path"]) / one["file"])
        header, rows = _printed_equilibria(table) if "attitude" in table else _matrices(table)
        known = table[table["paper"].notna()]
        title = f"{one['published']}: {one['title'][0].lower()}{one['title'][1:]}"
        brackets = " (the paper's in brackets)" if len(known) else ""
        yield PrintedTable(title + brackets, header, tuple(rows), table_note(number, known["model"]))


def _matrices(table: pd.DataFrame) -> tuple[tuple[str, ...], Iterator[tuple[str, ...]]]:
    value = "payoff" if "payoff" in table else "cooperation"
    columns = tuple(dict.fromkeys(table["column"]))
    return ("set", "", *columns), _rows(table, "row", "column", columns, value, "{:.2f}")


def _printed_equilibria(table: pd.DataFrame) -> tuple[tuple[str, ...], Iterator[tuple[str, ...]]]:
    names = tuple(dict.fromkeys(table["attitude"]))
    return ("set", "start", *names), _rows(table, "initial", "attitude", names, "share", "{:.0%}")


def _rows(
    table: pd.DataFrame, row: str, column: str, columns: tuple[str, ...], value: str, form: str
) -> Iterator[tuple[str, ...]]:
    """A row for each set and value of `row`, a cell for each of `columns`.

    Starts in the same proportions are apart by their numbers of individuals, where the table tells them.
    """
    keys = ["set", row, *(name for name in ("individuals",) if name in table)]
    for (name, kind, *_), part in table.groupby(keys, sort=False, observed=True):
        cells = part.set_index(column).to_dict("index")
        yield str(name), str(kind), *(_cell(cells.get(one), value, form) for one in columns)


def _cell(one: Any, value: str, form: str) -> str:
    if one is None or one[value] != one[value]:
        return "–"
    paper = f" ({form.format(one['paper'])})" if one["paper"] == one["paper"] else ""
    return form.format(one[value]) + paper


TABLE_NAMES = ("validation", "table3_cooperation", "table45_payoffs", "table6_equilibria", "line_up")
"""All that there can be; what a chain does not have leaves no file, nor one of an earlier run."""


def chain_tables(outcomes: Sequence[Outcome], seed: int) -> dict[str, tuple[pd.DataFrame, str, str | None]]:
    """Name -> table, title, and the table of the paper that it stands for.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seed : int, of the tests of compatibility
    """
    rows = [{"set": one.chain_set.name, **row} for one in outcomes for row in one.line_up]
    tables: dict[str, tuple[pd.DataFrame, str, str | None]] = {
        "validation": (validation_table(outcomes), "Whether each set does what was asked", None),
        "table3_cooperation": (
            cooperation_table(outcomes),
            "Cooperation of the row's attitude against the column's",
            "Table 3",
        ),
        "table45_payoffs": (
            payoff_table(outcomes),
            "Payoff per round of the row's attitude against the column's",
            "Tables 4 and 5",
        ),
        "table6_equilibria": (
            equilibria_table(outcomes, seed),
            "Shares of Moran processes that ended with each attitude alone",
            "Table 6",
        ),
    }
    if rows:
        tables["line_up"] = (pd.DataFrame(rows), "Attitude agents among others' strategies", "Figure 2")
    return tables


def write_page(path: Path, outcomes: Sequence[Outcome], spec: ChainSpec) -> Path:
    """All strategies of all sets on one page.

    Raises
    ------
    OutputError
    """
    from intent.arena.inspection import InspectedSet, write_inspection_page
    from intent.arena.sources.reader import Refused

    sets = [
        InspectedSet(
            one.chain_set.name,
            one.facts,
            tuple(Refused(name, reason) for name, reason in one.left_out.items()),
        )
        for one in outcomes
    ]
    lines = [
        f"{spec.turns:,} rounds, seed {spec.seed}; each set with the noise that it was written for. "
        "The panel: RANDOM (five matches), TFT, ALLC, ALLD and itself."
    ]
    return write_inspection_page(
        path, sets, title=f"{spec.name}: strategies before use", lines=lines, overwrite=True
    )


_LONGEST = 600
_ESCAPES = (
    ("\\", "\\\\"),
    ("&", "&amp;"),
    ("<", "&lt;"),
    ("|", "\\|"),
    ("*", "\\*"),
    ("_", "\\_"),
    ("[", "\\["),
    ("`", "\\`"),
)


def cell(text: object) -> str:
    """Text on one line that ends no cell, opens no emphasis or link, and is no HTML.

    Examples
    --------
    >>> cell("a | <b>")
    'a \\\\| &lt;b>'
    """
    flat = one_line(text, _LONGEST)
    for letter, stand_in in _ESCAPES:
        flat = flat.replace(letter, stand_in)
    return flat


def line(cells: Iterable[object]) -> str:
    """A line of a table."""
    return "| " + " | ".join(cell(one) for one in cells) + " |"


def number(value: Any, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


def matrix(table: pd.DataFrame, value: str) -> Iterator[str]:
    """Rows against columns, a block per set; intervals in square, the paper's numbers in round brackets."""
    for name, part in table.groupby("set", sort=False, observed=True):
        columns = list(dict.fromkeys(part["column"]))
        yield f"**{cell(name)}**"
        yield ""
        yield line(["", *columns])
        yield line(["---"] * (len(columns) + 1))
        for row, cells in part.groupby("row", sort=False, observed=True):
            yield line([str(row), *(_with_paper(one, value) for one in cells.to_dict("records"))])
        yield ""


def _with_paper(one: Any, value: str) -> str:
    if one[value] != one[value]:
        return "–"
    ends = f" [{one['low']:.2f}, {one['high']:.2f}]" if one["low"] == one["low"] else ""
    paper = f" ({one['paper']:.2f})" if one["paper"] == one["paper"] else ""
    return f"{one[value]:.2f}{ends}{paper}"


def summary_text(
    spec: ChainSpec,
    sets: Sequence[ChainSet],
    outcomes: Sequence[Outcome],
    tables: Mapping[str, pd.DataFrame],
    verdicts: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    page: str | None,
) -> str:
    """The summary as Markdown.

    Parameters
    ----------
    spec : ChainSpec
    sets : all of them, those that are lost too
    outcomes : of those that were played
    tables : name -> table
    verdicts : as `judge_claims`
    notes : what a reader should be warned of
    page : file of the page for inspection, or None
    """
    return "\n".join(
        [
            f"# {cell(spec.name)}",
            "",
            f"Strategies written by language models for {spec.turns:,} rounds, seed {spec.seed}. "
            "After Willis, Du, Leibo & Luck 2025, arXiv:2501.16173. Numbers in round brackets are the "
            "paper's; those in square ones are 95 % intervals.",
            "",
            *([f"Every strategy with its code and its play: [{page}]({page}).", ""] if page else []),
            "## Sets",
            "",
            *_sets(sets, outcomes),
            *(_results(tables, verdicts, sets) if outcomes else ["No set can be played.", ""]),
            *(["## Notes", "", *(f"- {cell(note)}" for note in notes), ""] if notes else []),
        ]
    )


def _results(
    tables: Mapping[str, pd.DataFrame], verdicts: Sequence[Mapping[str, Any]], sets: Sequence[ChainSet]
) -> Iterator[str]:
    yield from ("## Claims", "", *_verdicts(verdicts))
    yield from ("## Do they do what was asked", "", *_validation(tables["validation"]))
    yield from ("## Cooperation by pairing (Table 3)", "")
    yield from (*matrix(tables["table3_cooperation"], "cooperation"), *_note("3", sets))
    yield from ("## Payoffs (Tables 4 and 5)", "")
    yield from (*matrix(tables["table45_payoffs"], "payoff"), *_nearness(tables["table45_payoffs"]))
    yield from ("## Equilibria of Moran processes (Table 6)", "")
    yield from (*equilibria_lines(tables["table6_equilibria"]), *_note("6", sets))


def _sets(sets: Sequence[ChainSet], outcomes: Sequence[Outcome]) -> Iterator[str]:
    by_name = {one.chain_set.name: one for one in outcomes}
    yield line(["set", "model", "style", "noise", "game", "strategies", "run", "left out because"])
    yield line(["---"] * 8)
    for chain_set in sets:
        outcome = by_name.get(chain_set.name)
        n, ok = ("–", "–") if outcome is None else (outcome.n, outcome.ok)
        yield line(
            [
                chain_set.name,
                chain_set.model,
                chain_set.style,
                f"{chain_set.noise:g}",
                chain_set.game,
                n,
                ok,
                chain_set.lost or "",
            ]
        )
    yield ""


def _verdicts(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield line(["claim", "here", "paper", "evidence"])
    yield line(["---"] * 4)
    for one in verdicts:
        yield line([one["claim"], one["verdict"], one["published"] or "–", one["evidence"]])
    yield ""
    yield (
        "Criteria: "
        + "; ".join(
            f"{cell(name)}: {cell(criterion)}"
            for name, criterion in dict.fromkeys((one["hypothesis"], one["criterion"]) for one in verdicts)
        )
        + "."
    )
    yield ""


def _validation(table: pd.DataFrame) -> Iterator[str]:
    yield line(["set", "attitude", "n", "cooperation", "as asked", "contradict it", "evidence"])
    yield line(["---"] * 7)
    for row in table.to_dict("records"):
        ends = f"[{row['contradicting_low']:.0%}, {row['contradicting_high']:.0%}]"
        yield line(
            [
                row["set"],
                row["attitude"],
                row["n"],
                number(row["cooperation"]),
                row["verdict"],
                f"{row['contradicting_share']:.0%} {ends}",
                row["evidence"],
            ]
        )
    yield ""


def equilibria_lines(table: pd.DataFrame) -> Iterator[str]:
    """Table 6 as Markdown: a row per set and start."""
    if table.empty:
        yield "No population was evolved."
        yield ""
        return
    names = list(dict.fromkeys(table["attitude"]))
    yield line(["set", "start", *names, "from mean payoffs", "drift alone", "mean births", "p"])
    yield line(["---"] * (len(names) + 6))
    for (name, start, _), part in table.groupby(["set", "initial", "individuals"], sort=False, observed=True):
        cells = part.set_index("attitude").to_dict("index")
        shares = []
        for attitude in names:
            one = cells.get(attitude)
            if one is None:
                shares.append("–")
                continue
            paper = f" ({one['paper']:.0%})" if one["paper"] == one["paper"] else ""
            shares.append(f"{one['share']:.0%} [{one['low']:.0%}, {one['high']:.0%}]{paper}")
        first = part.iloc[0]
        drift = ", ".join(f"{one['drift']:.0%}" for one in cells.values())
        exact = ", ".join(
            f"{one['exact']:.0%}" if one["exact"] == one["exact"] else "–" for one in cells.values()
        )
        yield line([name, start, *shares, exact, drift, number(first["mean_steps"]), number(first["p"], 3)])
    yield ""
    p = table.drop_duplicates(["set", "initial", "individuals"])["p"].dropna()
    if len(p):
        low = int((p < 0.05).sum())
        yield (
            f"{low} of {len(p)} rows are unlike the paper's at p < .05; {0.05 * len(p):.1f} would be so by "
            "chance if all came from the same processes."
        )
        yield ""


def _nearness(table: pd.DataFrame) -> Iterator[str]:
    """How far our payoffs are from the printed ones."""
    known = table.dropna(subset=["paper"]) if len(table) else table
    if not len(known):
        return
    gap, z = known["difference"].abs(), known["z"].abs().dropna()
    beyond = f" {int((z > 3).sum())} of {len(z)} lie further apart than three errors of matches and digits."
    yield (
        f"{len(known)} cells stand beside printed ones: largest difference {gap.max():.3f}, mean "
        f"{gap.mean():.4f}; {(gap <= 0.005 + 1e-9).mean():.0%} agree to the last printed digit."
        + (beyond if len(z) else "")
    )
    yield ""


def _note(table: str, sets: Sequence[ChainSet]) -> list[str]:
    note = paper_numbers.table_note(table, {one.model for one in sets if one.published and one.path})
    return [note, ""] if note else []
