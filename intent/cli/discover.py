"""``intent discover``: any log -> ways of playing, found without naming any strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import By, JsonFlag, KeepDefaulted, LogPath, Others, Overwrite, Seed
from intent.cli.reading import reads_logs

__all__ = ["discover"]

Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        help="Figure (.png .svg .pdf), shares by trajectory (.parquet .csv .jsonl), or .json; repeatable.",
    ),
]


@reads_logs
def discover(
    log: LogPath,
    states: Annotated[str, typer.Option(metavar="K|LOW-HIGH", help="Numbers of states to try.")] = "1-6",
    by: By = None,
    symbols: Annotated[
        int, typer.Option(help="10: moves after R, S, T, P; 14: by an earlier defection of the other too.")
    ] = 10,
    starts: Annotated[int, typer.Option(help="Random starts for each number of states.")] = 12,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    output: Outputs = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Find ways of playing in a log without naming any strategy.

    States of a hidden Markov model, as many as BIC asks for: how each
    answers every outcome, the nearest strategies of the catalogue, who plays it.
    """
    from intent.cli.console import note, print_json, progress
    from intent.workflows.discover import discover as run
    from intent.workflows.result_files import check_output

    for path in output or []:
        check_output(path, overwrite=overwrite, origin=log)
    with progress("discovering", quiet=json) as update:
        result = run(
            log,
            states=states,
            symbols=symbols,
            by=by or (),
            starts=starts,
            others=others,
            keep_defaulted=keep_defaulted,
            seed=seed,
            update=update,
            **(reading or {}),
        )
    for path in output or []:
        result.write(path, overwrite=overwrite)
    if json:
        print_json(result.to_dict())
    else:
        _print(result.to_dict())
    for path in output or []:
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
