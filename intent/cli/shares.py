"""``intent sfem``: any log -> shares of strategies, estimated with standard errors.

``intent contributors``: any log of a public good -> types of contributors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    Bootstrap,
    By,
    Dask,
    Endowment,
    JsonFlag,
    KeepDefaulted,
    Level,
    LogPath,
    Outputs,
    Overwrite,
    Seed,
    Workers,
    reads_logs,
)

__all__ = ["contributors", "sfem"]


Subject = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="What is one subject, all its games together: player, else one seat of one game.",
    ),
]
Cluster = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="What is independent, cell for conditions; default: as the design says (sessions, subjects, "
        "conditions that repeat, else games).",
    ),
]


@reads_logs
def sfem(
    log: LogPath,
    strategies: Annotated[
        str | None,
        typer.Option(
            help="Set name (df2011, rr20, …), or names separated by commas; default: canonical4 and RANDOM."
        ),
    ] = None,
    by: By = None,
    subject: Subject = None,
    cluster: Cluster = None,
    tremble: Annotated[
        str, typer.Option(help="common: one per group; strategy: one per strategy too; pooled: one in all.")
    ] = "common",
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Bootstrap samples for errors; 0: observed information.")
    ] = 0,
    level: Level = 0.95,
    memory: Annotated[
        str | None,
        typer.Option(
            help="What automata remember of their own moves: realised, intended; default: as the set."
        ),
    ] = None,
    select: Annotated[
        str | None, typer.Option(help="Drop strategies from all groups while it improves: bic, aic, icl.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Labels to count beside the estimates; default: made with the same strategies."),
    ] = None,
    others: Annotated[
        str | None,
        typer.Option(
            help="More than two players: others cooperated if any, majority or all did; count: at least k, "
            "for every k (TFT>=2)."
        ),
    ] = None,
    contributes_from: Annotated[
        float,
        typer.Option(
            help="With --others count: share of the endowment that makes a contributor; 0: any contribution."
        ),
    ] = 0.0,
    endowment: Endowment = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    workers: Workers = 1,
    dask: Dask = None,
    output: Outputs = None,
    posteriors: Annotated[
        Path | None, typer.Option(help="Where to write the posterior of each subject (.parquet .csv .jsonl).")
    ] = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Estimate shares of strategies in a population of subjects (SFEM), with standard errors.

    A finite mixture fitted by maximum likelihood: each subject plays one strategy,
    and trembles with some probability per move.
    """
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.estimate.sfem import claim_outputs
    from intent.estimate.sfem import sfem as run

    claim_outputs(output or [], posteriors, overwrite=overwrite, source=log)
    with progress("bootstrap", quiet=json) as update:
        result = run(
            log,
            strategies,
            by=by or (),
            subject=subject or (),
            cluster=cluster or (),
            tremble=tremble,
            bootstrap=bootstrap,
            level=level,
            memory=memory,
            select=select,
            labels=labels,
            others=others,
            contributes_from=contributes_from,
            endowment=endowment,
            keep_defaulted=keep_defaulted,
            seed=seed,
            workers=workers,
            dask=dask,
            update=update,
            **(reading or {}),
        )
    for path in output or []:
        result.write(path, overwrite=overwrite)
    if posteriors is not None:
        result.write_posteriors(posteriors, overwrite=overwrite)
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    n = sum(fit.n_subjects for fit in result.fits)
    header, rows = result.fit_rows()
    print_table(header, rows, title=f"{n:,} subjects, each {result.unit}")
    say()
    header, rows = result.share_rows()
    print_table(header, rows, title=f"Shares in %, with standard errors and {level * 100:g} % intervals")
    say(result.unit_line())
    for line in result.sentences():
        say(line)
    for path in [*(output or []), *([posteriors] if posteriors is not None else [])]:
        note(f"wrote {path}")


@reads_logs
def contributors(
    log: LogPath,
    by: By = None,
    subject: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="What is one subject, all its games together: player, else one seat."
        ),
    ] = None,
    same_round: Annotated[
        bool, typer.Option("--same-round", help="Contributions answer the others' of the same round.")
    ] = False,
    endowment: Endowment = None,
    correlation: Annotated[str, typer.Option(help="pearson or spearman.")] = "pearson",
    strength: Annotated[float, typer.Option(help="Correlation that makes a conditional cooperator.")] = 0.5,
    alpha: Annotated[float, typer.Option(help="Level of the permutation tests.")] = 0.05,
    tolerance: Annotated[
        float, typer.Option(help="Share of rounds in which who gives nothing, or always the same, may slip.")
    ] = 0.1,
    span: Annotated[float, typer.Option(help="Least range of the others' mean, of the endowment.")] = 0.1,
    gap: Annotated[
        float, typer.Option(help="Difference, of the endowment, that tells a flat player from a follower.")
    ] = 0.25,
    contrast: Annotated[int, typer.Option(help="Rounds in which that must show.")] = 2,
    min_rounds: Annotated[int, typer.Option(help="Rounds below which nothing is said.")] = 6,
    permutations: Annotated[int, typer.Option(help="Orders drawn for a p value.")] = 1999,
    bootstrap: Bootstrap = 1000,
    level: Level = 0.95,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    output: Outputs = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Tell free riders, unconditional and conditional cooperators apart in public goods games.

    Each subject by the rules of Fischbacher and Gächter, with the statistics behind
    them and what else would fit; and all together as a mixture of types.
    """
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.estimate.contributors import claim_outputs
    from intent.estimate.contributors import contributors as run

    claim_outputs(output or [], overwrite=overwrite, source=log)
    with progress("subjects", quiet=json) as update:
        result = run(
            log,
            by or (),
            subject=subject or (),
            same_round=same_round,
            rules={
                "min_rounds": min_rounds,
                "correlation": correlation,
                "strength": strength,
                "alpha": alpha,
                "tolerance": tolerance,
                "span": span,
                "gap": gap,
                "contrast": contrast,
                "permutations": permutations,
            },
            endowment=endowment,
            bootstrap=bootstrap,
            level=level,
            keep_defaulted=keep_defaulted,
            seed=seed,
            update=update,
            **(reading or {}),
        )
    for path in output or []:
        result.write(path, overwrite=overwrite)
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    header, rows = result.rows()
    told = f"{len(result.table):,} subjects, each {result.unit}; shares in %, {level * 100:g} % intervals"
    print_table(header, rows, title=told)
    for line in result.sentences():
        say(line)
    for path in output or []:
        note(f"wrote {path}")
