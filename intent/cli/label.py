"""``intent label``: any log and a recogniser -> strategy labels.

What ``intent label -r A,B,…`` does: one log, several recognisers, where they agree.

What ``intent label --hybrid`` prints: labels of the recogniser alone and hybrid ones side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from intent.base.defaults import BACKGROUND
from intent.base.errors import UsageError
from intent.cli.console import note, print_json, print_table, progress, say
from intent.cli.options import (
    Dask,
    JsonFlag,
    KeepDefaulted,
    LogPath,
    Others,
    Output,
    Overwrite,
    Rejects,
    Seed,
    Workers,
    parse_pairs,
    reads_logs,
)

if TYPE_CHECKING:
    from intent.recognise.hybrid import HybridCounts


__all__ = ["label", "label_by_several", "print_hybrid"]


@reads_logs
def label(
    log: LogPath,
    recogniser: Annotated[
        str, typer.Option("-r", "--recogniser", help="Shipped name or saved folder; several: A,B,….")
    ] = "bayes-canonical4",
    eps: Annotated[
        str | None,
        typer.Option(
            help="Noise that a recogniser that can be told it assumes: a number, integrate, or estimate."
        ),
    ] = None,
    eps_by: Annotated[
        list[str] | None,
        typer.Option("--eps-by", help="With --eps estimate: one eps per group of these columns."),
    ] = None,
    eps_prior: Annotated[
        str | None,
        typer.Option(
            "--eps-prior", help="With --eps integrate: LOW-HIGH (uniform) or A,B,SCALE (Beta on [0, SCALE])."
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="Prior of a bayes recogniser: ALLC=0.2,TFT=0.5,…, or sfem (shares estimated from the log)."
        ),
    ] = None,
    background: Annotated[
        bool,
        typer.Option(
            "--background/--no-background",
            help="Whether RANDOM competes with the strategies; play that it explains best is no_fit.",
        ),
    ] = BACKGROUND,
    per: Annotated[
        str, typer.Option(help="One row for each game of a player, or one for all of them: game, player.")
    ] = "game",
    conformal: Annotated[
        float | None,
        typer.Option(
            metavar="COVERAGE", help="Add sets of strategies that hold the true one so often, such as 0.95."
        ),
    ] = None,
    conformal_eps: Annotated[
        str | None,
        typer.Option(
            "--conformal-eps",
            metavar="EPS|LOW-HIGH",
            help="Noise for which that holds; default: what the recogniser assumes, else 0-0.2.",
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Posterior that a confident label needs.")
    ] = 0.9,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the test of fit.")] = 0.01,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    hybrid: Annotated[
        bool, typer.Option("--hybrid", help="Add labels of the rules where the recogniser is not sure.")
    ] = False,
    rules: Annotated[
        str, typer.Option(help="With --hybrid: expand (all rules that apply) or priority (the first).")
    ] = "expand",
    reading: dict[str, Any] | None = None,
    rejects: Rejects = None,
    seed: Seed = 0,
    workers: Workers = 1,
    dask: Dask = None,
    output: Output = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Label every agent of a log with the strategy it played, and say how sure that is."""
    from intent.cli.console import note, print_json
    from intent.recognise.labels.label import claim_outputs

    if "," in recogniser and not Path(recogniser).is_dir():
        single = {"--eps": eps, "--eps-by": eps_by, "--eps-prior": eps_prior, "--prior": prior}
        spread = {"--workers": workers != 1, "--dask": dask}
        label_by_several(
            log,
            recogniser,
            unused={
                **single,
                **spread,
                "--hybrid": hybrid,
                "--per": per != "game",
                "--conformal": conformal,
            },
            background=background,
            threshold=threshold,
            alpha=alpha,
            others=others,
            keep_defaulted=keep_defaulted,
            seed=seed,
            rejects=rejects,
            output=output,
            overwrite=overwrite,
            json=json,
            **(reading or {}),
        )
        return
    rejects = claim_outputs(output, rejects, overwrite=overwrite, source=log)
    settings = {
        "eps": _eps(eps),
        "eps_by": eps_by or (),
        "eps_prior": _eps_prior(eps_prior),
        "prior": _prior(prior),
        "background": background,
        "per": per,
        "conformal": conformal,
        "conformal_eps": _conformal_eps(conformal_eps, conformal),
        "threshold": threshold,
        "alpha": alpha,
        "others": others,
        "keep_defaulted": keep_defaulted,
        "seed": seed,
        **(reading or {}),
    }
    labels = None if hybrid else _streamed(log, output, recogniser, workers, dask, overwrite, json, settings)
    listed, counts = None, None
    if labels is None:
        if workers != 1 or dask:
            note("this log, or an option, needs all play at once: labelled in one process")
        labels, counts, listed = _at_once(
            log, output, recogniser, hybrid, rules, rejects, overwrite, settings
        )
    for line in labels.notes:
        note(f"note: {line}")
    if json:
        print_json(labels.summary)
    else:
        _print_summary(labels.summary, str(log), recogniser, labels.changed, per)
        _print_estimated(labels.provenance, eps, prior)
        if counts is not None:
            print_hybrid(counts, threshold, rules)
        note(f"labels: {output}" if output is not None else "nothing saved; -o FILE keeps the labels")
    if listed is not None:
        note(f"rejected rows: {listed}")


def _streamed(
    log: Path,
    output: Path | None,
    recogniser: str,
    workers: int,
    dask: str | None,
    overwrite: bool,
    quiet: bool,
    settings: dict[str, Any],
) -> Any:
    """Labels made piece by piece; None where the log or a setting does not allow that."""
    from intent.cli.console import progress
    from intent.recognise.labels.stream import stream_labels

    with progress("labelling", quiet=quiet) as update:
        return stream_labels(
            log,
            output,
            recogniser,
            workers=workers,
            dask=dask,
            overwrite=overwrite,
            update=update,
            **settings,
        )


def _at_once(
    log: Path,
    output: Path | None,
    recogniser: str,
    hybrid: bool,
    rules: str,
    rejects: Path | None,
    overwrite: bool,
    settings: dict[str, Any],
) -> tuple[Any, Any, Path | None]:
    """Labels of a log read as a whole, counts of hybrid ones (or None), where rejected rows are listed."""
    from intent.recognise.labels.label import label_log

    labels, counts = label_log(log, recogniser, **settings), None
    if hybrid:
        from intent.recognise.hybrid import with_hybrid

        labels, counts = with_hybrid(labels, settings["threshold"], rules)
    if output is not None:
        labels.write(output, overwrite=overwrite)
    return labels, counts, labels.write_rejects(rejects, overwrite=overwrite)


def _eps(text: str | None) -> float | str | None:
    if text is None or text in ("integrate", "estimate"):
        return text
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--eps {text!r}, expected a number in [0, .5), integrate or estimate") from None


def _eps_prior(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        found = tuple(float(part) for part in text.split("," if "," in text else "-"))
    except ValueError:
        found = ()
    if len(found) not in (2, 3):
        raise UsageError(f"--eps-prior {text!r}, expected LOW-HIGH or A,B,SCALE")
    return found


def _conformal_eps(text: str | None, conformal: float | None) -> tuple[float, float] | None:
    if text is None:
        return None
    if conformal is None:
        raise UsageError("--conformal-eps needs --conformal, such as --conformal 0.95")
    from intent.play.dataset import number_range

    return number_range(text, "--conformal-eps")


def _prior(text: str | None) -> dict[str, float] | Literal["sfem"] | None:
    if text is None:
        return None
    if text == "sfem":
        return "sfem"
    pairs = parse_pairs(text.split(","), "--prior")
    try:
        return {name: float(values[-1]) for name, values in pairs.items()}
    except ValueError:
        expected = "expected STRATEGY=PROBABILITY, separated by commas, or sfem"
        raise UsageError(f"--prior {text!r}, {expected}") from None


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


def _print_estimated(provenance: dict[str, Any], eps: str | None, prior: str | None) -> None:
    """The noise and the prior that were estimated from the log itself."""
    from intent.cli.console import say

    if eps == "estimate":
        found = provenance["eps"]
        by_group = found.items() if isinstance(found, dict) else [("", found)]
        say("eps estimated: " + ", ".join(f"{group} {value:.3f}".lstrip() for group, value in by_group))
    if prior == "sfem":
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


def label_by_several(
    log: Path,
    recognisers: str,
    *,
    unused: dict[str, Any],
    output: Path | None,
    rejects: Path | None,
    overwrite: bool,
    json: bool,
    **settings: Any,
) -> None:
    """Label a log by several recognisers, print how they agree, and keep table or figure.

    Parameters
    ----------
    log : path
    recognisers : names separated by commas
    unused : option -> value, of options that belong to one recogniser
    output : path of a table or figure
    rejects, overwrite, json
        As in ``intent label``.
    **settings
        Passed to `agree`.

    Raises
    ------
    UsageError
        An option that belongs to one recogniser.
    """
    from intent.behaviour.agreement import agree
    from intent.logs.result_files import check_output
    from intent.recognise.labels.label import claim_outputs

    given = [name for name, value in unused.items() if value]
    if given:
        raise UsageError(f"{', '.join(given)} belongs to a single recogniser, but -r names {recognisers}")
    if output is not None:
        check_output(output, overwrite=overwrite, origin=log)
    claim_outputs(None, rejects, overwrite=overwrite, source=log)
    with progress("labelling", quiet=json) as update:
        result = agree(log, recognisers, update=update, **settings)
    if output is not None:
        result.write(output, overwrite=overwrite)
    if rejects is not None and len(result.rejects):
        note(f"rejected rows: {result.write_rejects(rejects, overwrite=overwrite)}")
    elif len(result.rejects):
        note(f"{len(result.rejects):,} rows could not be read")
    if json:
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
