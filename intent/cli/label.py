"""``intent label``: any log and a recogniser -> strategy labels.

What ``intent label -r A,B,…`` does: one log, several recognisers, where they agree.

What ``intent label --hybrid`` prints: labels of the recogniser alone and hybrid ones side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError
from intent.cli.console import note, print_json, print_table, progress, say
from intent.cli.options import command
from intent.recognise.labels.request import LabelRequest

if TYPE_CHECKING:
    from intent.recognise.hybrid import HybridCounts


__all__ = ["label", "label_by_several", "print_hybrid"]


@command(LabelRequest)
def label(request: LabelRequest) -> None:
    """Label every agent of a log with the strategy it played, and say how sure that is."""
    from intent.recognise.labels.label import claim_outputs

    log, output, recogniser = Path(str(request.log)), request.output, str(request.recogniser)
    if "," in recogniser and not Path(recogniser).is_dir():
        label_by_several(request)
        return
    if request.conformal_eps is not None and request.conformal is None:
        raise UsageError("--conformal-eps needs --conformal, such as --conformal 0.95")
    rejects = claim_outputs(output, request.rejects, overwrite=request.overwrite, source=log)
    labels: Any = None if request.hybrid else _streamed(request)
    listed, counts = None, None
    if labels is None:
        if request.changed(("workers", "dask")):
            note("this log, or an option, needs all play at once: labelled in one process")
        labels = request.run()
        if request.hybrid:
            from intent.recognise.hybrid import with_hybrid

            labels, counts = with_hybrid(labels, request.threshold, request.rules)
        if output is not None:
            labels.write(output, overwrite=request.overwrite)
        listed = labels.write_rejects(rejects, overwrite=request.overwrite)
    for line in labels.notes:
        note(f"note: {line}")
    if request.json:
        print_json(labels.summary)
    else:
        _print_summary(labels.summary, str(log), recogniser, labels.changed, request.per)
        _print_estimated(labels.provenance, request)
        if counts is not None:
            print_hybrid(counts, request.threshold, request.rules)
        note(f"labels: {output}" if output is not None else "nothing saved; -o FILE keeps the labels")
    if listed is not None:
        note(f"rejected rows: {listed}")


def _streamed(request: LabelRequest) -> Any:
    """Labels made piece by piece; None where the log or a setting does not allow that."""
    from intent.recognise.labels.stream import stream_labels

    with progress("labelling", quiet=request.json) as update:
        return stream_labels(request, update=update)


def _print_summary(summary: dict[str, Any], log: str, recogniser: str, changed: int | None, per: str) -> None:
    from intent.base.wording import coin_column, coin_sentence
    from intent.cli.console import note, print_table, say

    n = summary["n"]

    def share(count: int) -> str:
        return f"{count / n:.1%}" if n else "–"

    rows = "players" if per == "player" else "trajectories"
    say(f"{n:,} {rows} of {summary['n_games']:,} games in {log}, by {recogniser}\n")
    statuses = list(reversed(summary["statuses"].items()))
    coins = coin_column(summary.get("coin"))
    header = ("status", "n", "share", *(("fair coins",) if coins else ()))
    print_table(header, [(s, f"{c:,}", share(c), *((coins[s],) if coins else ())) for s, c in statuses])
    if coins:
        say(coin_sentence(summary["coin"]))
    say()
    names = {"none": "no strategy", "one": "one strategy", "several": "several strategies"}
    fits = [(names[k], f"{c:,}", share(c)) for k, c in summary["consistent"].items()]
    print_table(("fits exactly", "n", "share"), fits)
    say()
    posteriors = [(k, "–" if p is None else f"{p:.1%}") for k, p in summary["mean_posterior"].items()]
    print_table(("strategy", "mean posterior"), posteriors)
    say(f"\n{summary['tied']:,} ({share(summary['tied'])}) have a best strategy that ties with another")
    if changed is not None:
        what = "labels or statuses change with the noise integrated (--eps integrate)"
        say(f"{changed:,} ({share(changed)}) {what}")
    if "conformal" in summary:
        _print_sets(summary["conformal"], share)
    for reason, games in summary["skipped"].items():
        note(f"{games:,} games got no labels: {reason}")
    if summary["rejects"]:
        note(f"{summary['rejects']:,} rows could not be read")


def _print_estimated(provenance: dict[str, Any], request: LabelRequest) -> None:
    """The noise and the prior that were estimated from the log itself."""
    from intent.cli.console import say

    if request.eps == "estimate":
        found = provenance["eps"]
        by_group = found.items() if isinstance(found, dict) else [("", found)]
        say("eps estimated: " + ", ".join(f"{group} {value:.3f}".lstrip() for group, value in by_group))
    if request.prior == "sfem":
        for group, shares in provenance["prior"].items():
            said = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
            say(f"prior estimated{group and f', {group}'}: {said}")


def _print_sets(found: dict[str, Any], share: Callable[[int], str]) -> None:
    from intent.cli.console import print_table, say

    say()
    rows = [(size, f"{count:,}", share(count)) for size, count in found["sizes"].items()]
    mean = "–" if found["mean_size"] is None else f"{found['mean_size']:.2f}"
    title = f"label sets that hold the true strategy in {found['level']:g} of cases, mean size {mean}"
    print_table(("size of set", "n", "share"), rows, title=title)


_OF_ONE = ("eps", "eps_by", "eps_prior", "prior", "workers", "dask", "hybrid", "per", "conformal")
"""Settings that belong to one recogniser."""


def label_by_several(request: LabelRequest) -> None:
    """Label a log by several recognisers, print how they agree, and keep table or figure.

    Raises
    ------
    UsageError
        A setting that belongs to one recogniser.
    """
    from intent.base.result import check_output
    from intent.behaviour.agreement import AGREED, agree
    from intent.recognise.labels.label import claim_outputs

    log, output, rejects, overwrite = request.log, request.output, request.rejects, request.overwrite
    if unused := [f"--{name.replace('_', '-')}" for name in request.changed(_OF_ONE)]:
        single = f"{', '.join(unused)} belongs to a single recogniser"
        raise UsageError(f"{single}, but -r names {request.recogniser}")
    if output is not None:
        check_output(output, overwrite=overwrite, origin=Path(str(log)))
    claim_outputs(None, rejects, overwrite=overwrite, source=Path(str(log)))
    with progress("labelling", quiet=request.json) as update:
        result = agree(log, str(request.recogniser), update=update, **request.values(AGREED))
    if output is not None:
        result.write(output, overwrite=overwrite)
    if rejects is not None and len(result.rejects):
        note(f"rejected rows: {result.write_rejects(rejects, overwrite=overwrite)}")
    elif len(result.rejects):
        note(f"{len(result.rejects):,} rows could not be read")
    if request.json:
        print_json(result.to_dict())
    else:
        found = result.agreement
        say(f"{found.n:,} trajectories of {found.n_games:,} games in {log}, by {', '.join(found.names)}\n")
        for title, header, rows in result.tables():
            print_table(header, rows, title=title)
            say()
        for line in result.sentences():
            say(line)
        for line in result.notes:
            note(f"note: {line}")
        note(
            f"wrote {output}" if output is not None else "nothing saved; -o FILE keeps the table or a figure"
        )


def print_hybrid(counts: HybridCounts, threshold: float, rules: str) -> None:
    """How often each strategy is named, and where the labels come from."""

    def share(count: float) -> str:
        return f"{count:,.0f} ({count / counts.n:.1%})" if counts.n else "–"

    header = ["strategy", f"recogniser, p >= {threshold:g}", "hybrid, shares split"]
    several = rules == "expand"
    rows = [
        [name, share(alone), share(split), *([share(full)] if several else [])]
        for name, (alone, split, full) in counts.strategies.items()
    ]
    say()
    print_table(header + (["hybrid, each counted fully"] if several else []), rows)
    origin = ", ".join(f"{name} {share(count)}" for name, count in counts.sources.items())
    say(f"hybrid labels come from: {origin}")
