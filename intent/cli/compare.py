"""``intent compare``: shares or means by group, with intervals, tests and figures.

``intent power``: games and rounds that it takes to see a difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.base.errors import UsageError
from intent.cli.console import note, print_json, print_table, say, show_text
from intent.cli.options import (
    Bootstrap,
    By,
    JsonFlag,
    KeepDefaulted,
    Level,
    LogRecogniser,
    Others,
    Output,
    Overwrite,
    Seed,
    Workers,
    parse_pairs,
    reads_logs,
)

__all__ = ["POWER_CONTEXT", "compare", "power"]


CompareSource = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="Labels, metrics, any table (Parquet, CSV, JSONL, .gz), a game log, or the folder of a run.",
    ),
]
CompareOutputs = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        help="Figure (.png .svg .pdf), table (.csv .parquet .jsonl .json) or LaTeX (.tex); repeatable.",
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        help="estimate (default): shares by maximum likelihood from the play, each group with its own noise; "
        "or labels counted: status (uncertain ones apart), posterior, split (ties shared), best.",
    ),
]
Background = Annotated[
    bool | None,
    typer.Option(
        "--background/--no-background",
        help="Whether RANDOM competes for play (by default, as the labels were made).",
    ),
]
Metric = Annotated[
    str | None, typer.Option(help="Compare the mean of this numeric column instead of shares.")
]
Gate = Annotated[
    str | None,
    typer.Option(
        help="game: only games whose labelled seats all are confident; trajectory: only confident labels."
    ),
]
Cluster = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows alike in these columns are not independent; cell: conditions. By default as the design "
        "says: subjects who return, conditions that repeat, else games.",
    ),
]
Within = Annotated[
    str,
    typer.Option(
        metavar="COLUMN[,COLUMN…]",
        help="Compare at equal values of these columns too; auto: all of the design that vary; none.",
    ),
]
Interactions = Annotated[
    list[str] | None, typer.Option(metavar="A:B", help="Interactions that the model has (repeatable).")
]
Baseline = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Published shares of humans beside the groups; list shows them."),
]
Methods = Annotated[
    str | None, typer.Option(metavar="FILE|-", help="Write a methods text with citations; - prints it.")
]
Figure = Annotated[str, typer.Option(help="Kind of figure: auto, bars, stacked, ribbons, heatmap, points.")]


@reads_logs
def compare(
    reading: dict[str, Any],
    file: CompareSource = None,
    by: By = None,
    count: Count = None,
    metric: Metric = None,
    gate: Gate = None,
    cluster: Cluster = None,
    within: Within = "auto",
    pairwise: Annotated[bool, typer.Option("--pairwise", help="Test every two groups too.")] = False,
    model: Annotated[
        bool, typer.Option("--model", help="All factors together: a logit of which strategy is played.")
    ] = False,
    interactions: Interactions = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="How results hang on threshold, noise, prior, ties.")
    ] = False,
    indices: Annotated[
        bool, typer.Option("--indices", help="The four indices of how steady behaviour is, by one column.")
    ] = False,
    baseline: Baseline = None,
    background: Background = None,
    log: Annotated[
        Path | None, typer.Option(help="The log behind the labels, where it is not at its old place.")
    ] = None,
    recogniser: LogRecogniser = None,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    bootstrap: Bootstrap = 2000,
    permutations: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Permutations (or draws) per test, 0 for none; by default until p is clear of alpha.",
        ),
    ] = None,
    level: Level = 0.95,
    seed: Seed = 0,
    output: CompareOutputs = None,
    figure: Figure = "auto",
    methods: Methods = None,
    bib: Annotated[Path | None, typer.Option(help="Write the works of the methods text as BibTeX.")] = None,
    json: JsonFlag = False,
    overwrite: Overwrite = False,
) -> None:
    """Compare strategy shares, or the mean of a metric, between groups.

    Shares are estimated from the play, not counted from labels: counted labels
    also change with noise and opponents. Intervals and tests take as
    independent what the design drew: subjects, conditions or games.
    """
    from intent.base.result import check_output, check_text, write_text
    from intent.comparison.compare import compare as run

    if "list" in (baseline or []):
        _list_baselines(json)
        return
    if file is None:
        raise UsageError("nothing to compare, expected FILE: labels, metrics, any table, a log or a run")
    for path in output or []:
        check_output(path, overwrite=overwrite, origin=file, texts=(".tex",))
    texts = [Path(p) for p in (methods, bib) if p is not None and str(p) != "-"]
    for path in texts:
        check_text(path, overwrite=overwrite)
    if json and methods == "-":
        raise UsageError("--json prints one object and nothing else, expected --methods FILE")
    where = reading.pop("where")
    result = run(
        file,
        by or (),
        count=count,
        metric=metric,
        gate=gate,
        cluster=cluster,
        within=within,
        bootstrap=bootstrap,
        permutations=permutations,
        level=level,
        pairwise=pairwise,
        model=model,
        interactions=interactions or (),
        sensitivity=sensitivity,
        indices=indices,
        baseline=baseline or (),
        log=log,
        recogniser=recogniser,
        background=background,
        others=others,
        keep_defaulted=keep_defaulted,
        seed=seed,
        where=where,
        **reading,
    )
    for path in output or []:
        result.write(path, figure=figure, overwrite=overwrite)
    if methods is not None and methods != "-":
        write_text(result.methods() + "\n", methods, overwrite=overwrite)
    if bib is not None:
        write_text(result.bibliography(), bib, overwrite=overwrite)
    for line in (*result.notes, *(f"design: {line}" for line in result.confounds)):
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    _show(result, metric, level)
    if methods == "-":
        show_text(f"\nMethods. {result.methods()}")
    for path in [*(output or []), *texts]:
        note(f"wrote {path}")


def _show(result: Any, metric: str | None, level: float) -> None:
    header, rows = result.rows()
    kind = "Estimated shares" if result.comparison.count == "estimate" else "Counted labels"
    what = f"Mean of {metric}" if metric else f"{kind} in %"
    print_table(header, rows, title=f"{what}, with {level * 100:g} % intervals in brackets")
    if result.unit_line():
        say(result.unit_line())
    for line in result.sentences():
        say(line)
    header, rows = result.pairs()
    if rows:
        print_table(header, rows, title="Pairs of groups, the deciding test of each (--json has all)")
    for title, (header, rows) in result.tables():
        say()
        print_table(header, rows, title=title)
    for line in result.paper_sentences():
        say(f"\nFor a paper: {line}")
    lines = result.finding_sentences()
    if lines:
        say("\nFindings on cooperation, by the size that the data support at least:")
    for line in lines:
        say(f"- {line}")


def _list_baselines(json: bool) -> None:
    from intent.estimate.baselines import every_baseline

    every = every_baseline()
    if json:
        print_json({"baselines": [one.to_dict() for one in every]})
        return
    rows = [
        [
            one.name,
            ", ".join(f"{k} = {v:g}" for k, v in one.treatment),
            ", ".join(f"{name} {share:.0%}" for name, share, _ in one.shares if share >= 0.005),
        ]
        for one in every
    ]
    print_table(["name", "treatment", "shares"], rows, title="Published shares of human subjects")
    for citation in dict.fromkeys(one.citation for one in every):
        say(citation)


POWER_CONTEXT = {"ignore_unknown_options": True}
"""A negative difference looks like an option."""


@reads_logs
def power(
    difference: Annotated[float, typer.Argument(help="Between two groups, in a share (or a mean).")],
    strategy: Annotated[str, typer.Option(help="Whose share differs.")] = "TFT",
    strategies: Annotated[str, typer.Option(help="Set name, or names separated by commas.")] = "canonical4",
    base: Annotated[
        list[str] | None,
        typer.Option(metavar="STRATEGY=SHARE", help="True shares of the first group (repeatable)."),
    ] = None,
    rounds: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="Rounds per game: 5,10,20, or the pilot's.")
    ] = None,
    games: Annotated[str, typer.Option(metavar="N,N,…", help="Games per group.")] = "50,100,200,500",
    targets: Annotated[str, typer.Option("--power", metavar="P,P,…", help="Powers to reach.")] = "0.8,0.9",
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    eps: Annotated[
        float | None, typer.Option(help="Noise of the players per move: .05, or the pilot's.")
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(help="self (players meet each other), or whom they meet, as in intent generate."),
    ] = None,
    count: Annotated[
        str, typer.Option(help="How groups are compared: estimate, status, posterior or best.")
    ] = "estimate",
    seats: Annotated[
        int | None, typer.Option(help="Labelled seats per game: 2 where players meet each other, else 1.")
    ] = None,
    icc: Annotated[
        float | None, typer.Option(help="Correlation of the strategies of a game's seats: 0, or the pilot's.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Games of each condition: 1, or the pilot's.")] = None,
    spread: Annotated[
        float | None,
        typer.Option(help="Correlation of games of one condition: .25, or the pilot's."),
    ] = None,
    games_per_subject: Annotated[
        int | None, typer.Option(help="Games of each subject: 1, or the pilot's.")
    ] = None,
    design_effect: Annotated[
        float | None, typer.Option(help="In place of --icc, or of --spread with --repeats; of means.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="A mean differs: this number's.")] = None,
    sd: Annotated[float | None, typer.Option(help="Standard deviation of the metric over rows.")] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(help="Log, labels or metrics of a pilot study, for all that is not said."),
    ] = None,
    by: By = None,
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="What is independent in the pilot, in place of what its design says."
        ),
    ] = None,
    reading: dict[str, Any] | None = None,
    simulate: Annotated[int, typer.Option(help="Studies played for each number of --games.")] = 0,
    check: Annotated[int, typer.Option(help="Studies played of the number that is recommended.")] = 200,
    most: Annotated[int, typer.Option(help="Games per group up to which numbers are looked for.")] = 20_000,
    workers: Workers = 0,
    seed: Seed = 0,
    output: Output = None,
    json: JsonFlag = False,
    overwrite: Overwrite = False,
) -> None:
    """Plan games and rounds: the power to see a difference between two groups.

    Whole studies of the design are played and compared as intent compare does;
    the number of games that is recommended is played once more.
    """
    from intent.base.result import check_output
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.comparison.power import power as run

    if output:
        check_output(output, overwrite=overwrite, origin=pilot)
    with progress("planning", quiet=json) as update:
        result = run(
            difference,
            strategy=strategy,
            strategies=strategies,
            base=_shares(base),
            rounds=_numbers(rounds, "--rounds", int) if rounds else None,
            games=_numbers(games, "--games", int),
            targets=_numbers(targets, "--power", float),
            alpha=alpha,
            eps=eps,
            opponent=opponent,
            count=count,
            seats=seats,
            icc=icc,
            repeats=repeats,
            spread=spread,
            games_per_subject=games_per_subject,
            design_effect=design_effect,
            metric=metric,
            sd=sd,
            pilot=pilot,
            by=by or (),
            cluster=cluster,
            simulate=simulate,
            check=check,
            most=most,
            seed=seed,
            workers=workers,
            update=update,
            **(reading or {}),
        )
    if output:
        result.write(output, overwrite=overwrite)
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    for header, rows, title in result.tables():
        print_table(header, rows, title=title)
        say()
    if output:
        note(f"wrote {output}")


def _numbers(text: str, option: str, kind: type) -> list:  # type: ignore[type-arg]
    from intent.base.errors import UsageError

    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} {text!r}, expected numbers separated by commas") from None


def _shares(items: list[str] | None) -> dict[str, float] | None:
    from intent.base.errors import UsageError

    found = {}
    for name, values in parse_pairs(items, "--base", "STRATEGY=SHARE").items():
        try:
            (found[name],) = map(float, values)
        except ValueError:
            raise UsageError(f"--base {name}={values[-1]}, expected one share per strategy") from None
    return found or None
