"""The chain in words and numbers: one page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.workflows.chain import paper_numbers
from intent.workflows.chain.markdown import cell, line, matrix, number
from intent.workflows.chain.outcome import Outcome

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.chain.sets import ChainSet
    from intent.workflows.chain.spec import ChainSpec

__all__ = ["equilibria_lines", "summary_text"]


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
    for told in sets:
        found = by_name.get(told.name)
        n, ok = ("–", "–") if found is None else (found.n, found.ok)
        yield line([told.name, told.model, told.style, f"{told.noise:g}", told.game, n, ok, told.lost or ""])
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
    for (name, start, _), part in table.groupby(["set", "initial", "individuals"], sort=False):
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
    gap = known["difference"].abs()
    yield (
        f"{len(known)} cells stand beside printed ones: largest difference {gap.max():.3f}, mean "
        f"{gap.mean():.4f}; {(gap <= 0.005 + 1e-9).mean():.0%} agree to the last printed digit."
    )
    yield ""


def _note(table: str, sets: Sequence[ChainSet]) -> list[str]:
    note = paper_numbers.table_note(table, {one.model for one in sets if one.published and one.path})
    return [note, ""] if note else []
