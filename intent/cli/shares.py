"""``intent sfem``: any log -> shares of strategies, estimated with standard errors.

``intent contributors``: any log of a public good -> types of contributors.

``intent discover``: any log -> ways of playing, found without naming any strategy.
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
    command,
    reads_logs,
)
from intent.recognise.requests import DiscoverRequest

__all__ = ["contributors", "discover", "sfem"]


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


@command(DiscoverRequest)
def discover(request: DiscoverRequest) -> None:
    """Find ways of playing in a log without naming any strategy.

    States of a hidden Markov model, as many as BIC asks for: how each
    answers every outcome, the nearest strategies of the catalogue, who plays it.
    """
    from intent.cli.console import note, print_json, progress
    from intent.logs.result_files import check_output

    for path in request.output:
        check_output(path, overwrite=request.overwrite, origin=Path(str(request.log)))
    with progress("discovering", quiet=request.json) as update:
        result = request.replace(update=update).run()
    for path in request.output:
        result.write(path, overwrite=request.overwrite)
    if request.json:
        print_json(result.to_dict())
    else:
        _print(result.to_dict())
    for path in request.output:
        note(f"wrote {path}")


def _print(found: dict[str, Any]) -> None:
    from intent.cli.console import note, print_table, say

    say(f"{found['n']:,} trajectories of {found['n_games']:,} games, {found['n_moves']:,} moves\n")
    best = found["n_states"]
    rows = [
        [
            f"{c['n_states']}{' *' if c['n_states'] == best else ''}",
            f"{c['log_likelihood']:,.1f}",
            c["n_parameters"],
            f"{c['bic']:,.1f}",
            f"{c['agreement']['found']} of {c['agreement']['followed']}",
        ]
        for c in found["candidates"]
    ]
    heads = ("states", "log-likelihood", "parameters", "BIC", "starts that agree")
    print_table(heads, rows, title="Number of states; * has the least BIC")
    situations = list(found["states"][0]["p_cooperate"])
    rows = []
    for state in found["states"]:
        cells: list[object] = [state["name"], f"{state['share']:.1%}"]
        cells += [_probability(state, situation) for situation in situations]
        cells += [f"{state['start']:.1%}", f"{state['next'][state['name']]:.1%}", _nearest(state)]
        rows.append(cells)
    say()
    short = [f"{name[0]}*" if " " in name else name for name in situations]
    header = ["state", "play", *short, "starts", "stays", "nearest strategies (noise): distance"]
    title = "P(cooperate) by last outcome (R = CC, S = CD, T = DC, P = DD, own move first); ? under 30 moves"
    title += "; * the other had defected before" if short != situations else ""
    print_table(header, rows, title=title)
    if found["groups"]:
        say()
        factors = list(found["groups"][0]["group"])
        rows = [
            [*map(str, g["group"].values()), g["n"], *(_percent(x) for x in g["shares"].values())]
            for g in found["groups"]
        ]
        names = [f"state {state['name']}" for state in found["states"]]
        print_table([*factors, "n", *names], rows, title="Share of moves made in each state, %")
    outside = [state["name"] for state in found["states"] if state["outside"]]
    if outside:
        what = "no memory-one strategy of the catalogue, even with noise of .2, plays like state"
        say(f"\n{what} {', '.join(outside)} (distance above .1)")
    for c in found["candidates"]:
        if c["n_states"] == best and c["agreement"]["found"] < 2 <= c["agreement"]["followed"]:
            note("note: one start only found these states; more --starts would make them surer")
        if c["n_states"] == best and not c["converged"]:
            note("note: the fit of these states had not come to rest")
    if best == max(c["n_states"] for c in found["candidates"]) and len(found["candidates"]) > 1:
        note("note: the most states tried have the least BIC; --states may go further")
    for reason, games in found["skipped"].items():
        note(f"{games:,} games have no trajectories: {reason}")


def _probability(state: dict[str, Any], situation: str) -> str:
    p, moves = state["p_cooperate"][situation], state["moves"][situation]
    if p is None or moves < 0.5:
        return "–"
    return f"{p:.2f}{'?' if moves < 30 else ''}"


def _nearest(state: dict[str, Any]) -> str:
    return ", ".join(f"{n['strategy']} ({n['eps']:.2f}): {n['distance']:.2f}" for n in state["nearest"][:2])


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
