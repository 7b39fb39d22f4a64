"""``intent label``: any log and a recogniser -> strategy labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from intent.cli.options import (
    JsonFlag,
    LogPath,
    Output,
    Overwrite,
    Rejects,
    Seed,
    parse_pairs,
)
from intent.cli.reading import reads_logs
from intent.errors import UsageError

__all__ = ["label"]


@reads_logs
def label(
    log: LogPath,
    recogniser: Annotated[
        str, typer.Option("-r", "--recogniser", help="Shipped name or saved folder.")
    ] = "bayes-canonical4",
    eps: Annotated[
        str | None,
        typer.Option(help="Noise that a bayes recogniser assumes: a number, integrate, or estimate."),
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
        str | None, typer.Option(help="Prior of a bayes recogniser: ALLC=0.2,TFT=0.5,…; default uniform.")
    ] = None,
    background: Annotated[
        bool, typer.Option("--background", help="Let RANDOM compete for play that nothing explains.")
    ] = False,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Posterior that a confident label needs.")
    ] = 0.9,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the test of fit.")] = 0.01,
    others: Annotated[
        str | None, typer.Option(help="More than two players: others cooperated if any, majority or all did.")
    ] = None,
    keep_defaulted: Annotated[
        bool, typer.Option("--keep-defaulted", help="Count defaults for unreadable replies as own moves.")
    ] = False,
    reading: dict[str, Any] | None = None,
    rejects: Rejects = None,
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Label every agent of a log with the strategy it played, and say how sure that is."""
    from intent.cli.console import note, print_json
    from intent.workflows.label import claim_outputs, label_log

    rejects = claim_outputs(output, rejects, overwrite=overwrite, source=log)
    labels = label_log(
        log,
        recogniser,
        eps=_eps(eps),
        eps_by=[column for item in eps_by or [] for column in item.split(",")],
        eps_prior=_eps_prior(eps_prior),
        prior=_prior(prior),
        background=background,
        threshold=threshold,
        alpha=alpha,
        others=others,
        keep_defaulted=keep_defaulted,
        seed=seed,
        **(reading or {}),
    )
    if output is not None:
        labels.write(output, overwrite=overwrite)
    listed = labels.write_rejects(rejects, overwrite=overwrite)
    if json:
        print_json(labels.summary)
    else:
        _print_summary(labels.summary, str(log), recogniser, labels.changed)
        note(f"labels: {output}" if output is not None else "nothing saved; -o FILE keeps the labels")
    if listed is not None:
        note(f"rejected rows: {listed}")


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


def _prior(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    pairs = parse_pairs(text.split(","), "--prior")
    try:
        return {name: float(values[-1]) for name, values in pairs.items()}
    except ValueError:
        raise UsageError(f"--prior {text!r}, expected STRATEGY=PROBABILITY, separated by commas") from None


def _print_summary(summary: dict[str, Any], log: str, recogniser: str, changed: int | None) -> None:
    from intent.cli.console import note, print_table

    n = summary["n"]

    def share(count: int) -> str:
        return f"{count / n:.1%}" if n else "–"

    print(f"{n:,} trajectories of {summary['n_games']:,} games in {log}, by {recogniser}\n")
    statuses = list(reversed(summary["statuses"].items()))
    print_table(("status", "n", "share"), [(s, f"{c:,}", share(c)) for s, c in statuses])
    print()
    names = {"none": "no strategy", "one": "one strategy", "several": "several strategies"}
    fits = [(names[k], f"{c:,}", share(c)) for k, c in summary["consistent"].items()]
    print_table(("fits exactly", "n", "share"), fits)
    print()
    posteriors = [(k, "–" if p is None else f"{p:.1%}") for k, p in summary["mean_posterior"].items()]
    print_table(("strategy", "mean posterior"), posteriors)
    print(f"\n{summary['tied']:,} ({share(summary['tied'])}) have a best strategy that ties with another")
    if changed is not None:
        what = "labels or statuses change with the noise integrated (--eps integrate)"
        print(f"{changed:,} ({share(changed)}) {what}")
    for reason, games in summary["skipped"].items():
        note(f"{games:,} games got no labels: {reason}")
    if summary["rejects"]:
        note(f"{summary['rejects']:,} rows could not be read")
