"""``intent contributors``: any log of a public good -> types of contributors."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from intent.cli.options import (
    Bootstrap,
    By,
    Endowment,
    JsonFlag,
    KeepDefaulted,
    Level,
    LogPath,
    Outputs,
    Overwrite,
    Seed,
)
from intent.cli.reading import reads_logs

__all__ = ["contributors"]


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
    from intent.workflows.contributors import claim_outputs
    from intent.workflows.contributors import contributors as run

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
