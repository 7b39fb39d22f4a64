"""``intent export``: a run or log -> Parquet, CSV, JSON lines, FAIRGAME's CSV; and the table of calls.

``intent generate``: noisy canonical trajectories -> a labelled log.

`intent games`: the named games, or one game in full.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intent.base.errors import UsageError
from intent.cli.console import note, print_json, print_table, say
from intent.cli.options import (
    Cooperate,
    Dask,
    GameName,
    JsonFlag,
    Mapping,
    Overwrite,
    PayoffKind,
    Where,
    Workers,
    parse_pairs,
)

if TYPE_CHECKING:
    from intent.games.catalogue import NamedGame


__all__ = ["export", "games", "generate"]


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN|LOG", help="A run folder, or a game log.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="A folder (Parquet), .zip, .jsonl, .csvs (folder) or .csv.zip; .csv for FAIRGAME.",
        ),
    ] = None,
    format: Annotated[
        str, typer.Option(help="gamelog (ours), fairgame, or compact (a row of lists per seat).")
    ] = "gamelog",
    calls: Annotated[
        Path | None, typer.Option(help="Where to write the table of calls: .parquet, .csv or .jsonl.")
    ] = None,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Also completed rounds of games that are not over.")
    ] = False,
    redact: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[,KIND…]",
            help="Leave texts out: messages, reasoning, private, prompts, replies, all, or a column's.",
        ),
    ] = None,
    redact_as: Annotated[
        str, typer.Option(help="What stands there instead: length, hash (keyed) or null.")
    ] = "length",
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="Replace the names of subjects, games and sessions.")
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Key of hashes and pseudonyms; else a new one, kept nowhere."),
    ] = None,
    where: Where = None,
    map: Mapping = None,
    cooperate: Cooperate = None,
    payoff_kind: PayoffKind = None,
    game: GameName = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Write the games of a run or log as a log, and every prompt and reply of a run as a table."""
    from intent.cli.console import print_json
    from intent.runner.export import export as write

    reading = {"mapping": map, "cooperate": cooperate, "payoff_kind": payoff_kind, "game": game}
    files = write(
        run,
        output,
        format=format,
        calls=calls,
        unfinished=unfinished,
        redact=redact or (),
        redact_as=redact_as,
        pseudonyms=pseudonyms,
        key=key,
        where=parse_pairs(where, "--where"),
        reading={name: value for name, value in reading.items() if value is not None},
        overwrite=overwrite,
    )
    if json:
        print_json(files)
        return
    if files["path"]:
        note(f"{files['n_games']:,} games in {files['path']}")
    if files["calls"]:
        note(f"{files['n_calls']:,} calls in {files['calls']}")


def generate(
    spec: Annotated[str | None, typer.Argument(help="Dataset spec: a shipped name or a YAML file.")] = None,
    strategies: Annotated[str | None, typer.Option(help="Set name, or names separated by commas.")] = None,
    n: Annotated[
        int | None, typer.Option("-n", "--n", min=1, help="Trajectories, equally many of each.")
    ] = None,
    rounds: Annotated[str | None, typer.Option(help="Rounds, or a range such as 5-100.")] = None,
    eps: Annotated[str | None, typer.Option(help="Noise per move, or a range such as 0-0.2.")] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            help="random, random(p), a strategy, self, sequence:CDDC, a set, TFT=1,random=2 (a mixture), "
            "recorded:LOG, axelrod:NAME."
        ),
    ] = None,
    opponent_eps: Annotated[
        str | None, typer.Option(help="Noise of the opponent, a range, or 'same'.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random numbers.")] = None,
    form: Annotated[
        str,
        typer.Option(
            help="tables (games, seats, moves), or compact: one .parquet file, a row of lists per seat."
        ),
    ] = "tables",
    workers: Workers = 1,
    dask: Dask = None,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Where to write: a folder (Parquet), or a .jsonl or .zip file."),
    ] = Path("play"),
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Generate noisy play of known strategies (10,000 ten-round trajectories by default)."""
    from intent.cli.console import print_json, progress
    from intent.play.dataset import load_spec, make_spec, parse_range
    from intent.play.generate import generate_to

    settings: dict[str, Any] = {"strategies": strategies, "n": n, "opponent": opponent, "seed": seed}
    changes = {k: v for k, v in settings.items() if v is not None}
    for key, text in (("rounds", rounds), ("eps", eps), ("opponent_eps", opponent_eps)):
        if text is not None:
            changes[key] = parse_range(text, f"--{key.replace('_', '-')}")
    chosen = load_spec(spec, **changes) if spec else make_spec(changes)
    with progress("playing", quiet=json) as update:
        result = generate_to(
            output, chosen, form=form, workers=workers, dask=dask, overwrite=overwrite, update=update
        )
    if json:
        print_json(result)
        return
    note(f"{result['n_games']:,} games of {chosen.strategies} in {result['path']} (seed {result['seed']})")


def games(
    name: Annotated[
        str | None, typer.Argument(help="One game, such as stag-hunt; all of them without it.")
    ] = None,
    x: Annotated[float | None, typer.Option("--x", help="Temptation of the game x-parameterised.")] = None,
    scale: Annotated[float | None, typer.Option("--scale", help="Multiply every payoff by this.")] = None,
    payoffs: Annotated[
        str | None,
        typer.Option(
            "--payoffs",
            metavar="T,R,P,S",
            help="A game of your own: T,R,P,S, or eight numbers, seats 1 and 2 at CC, CD, DC, DD.",
        ),
    ] = None,
    payoff_kind: PayoffKind = None,
    json_: JsonFlag = False,
) -> None:
    """List the games with class, cooperative and dominant actions and equilibria, and those of gamma-bench.

    One game in full: also mixed and correlated equilibria, efficient outcomes, focal point. One of
    gamma-bench, such as guessing or public_goods: rules, parameters, equilibrium.
    """
    from intent.games.description import describe_game, list_games
    from intent.gamma.catalogue import describe_gamma_game, is_gamma_game, list_gamma_games

    if name is not None and is_gamma_game(name) and (x, scale, payoffs, payoff_kind) == (None,) * 4:
        if json_:
            print_json({"games": [], "gamma": [describe_gamma_game(name)]})
        else:
            _print_gamma(name)
        return
    chosen = _chosen(name, x, scale, payoffs, payoff_kind)
    if json_:
        everything = {"games": list_games(), "gamma": list_gamma_games()}
        print_json(everything if chosen is None else {"games": [describe_game(chosen)], "gamma": []})
    elif chosen is None:
        _print_list(list_games(brief=True))
        _print_gamma_list()
    else:
        _print_one(chosen)


def _chosen(
    name: str | None, x: float | None, scale: float | None, payoffs: str | None, payoff_kind: str | None
) -> NamedGame | None:
    """The one game that is asked for, None for all of them."""
    from intent.games.description import choose_game, custom_game

    if payoffs is not None:
        if name is not None or x is not None:
            raise UsageError(
                "--payoffs describes a game of your own, expected neither NAME nor --x beside it"
            )
        return custom_game(payoffs, payoff_kind or "reward", scale=scale)
    if payoff_kind is not None:
        raise UsageError("--payoff-kind goes with --payoffs; a named game knows its own")
    if name is None and (x is not None or scale is not None):
        raise UsageError("--x and --scale change one game, expected its NAME")
    return None if name is None else choose_game(name, x=x, scale=scale)


def _print_list(rows: list[dict[str, Any]]) -> None:
    header = ["name", "kind", "class", "cooperation", "dominant", "pure equilibria"]
    print_table(header, [[row["name"], row["kind"], row["class"], *_short(row)] for row in rows])


def _print_gamma_list() -> None:
    from intent.gamma.catalogue import list_gamma_games, parameters_in_words

    say("\nGames of gamma-bench (many players, rules of their own):\n")
    header = ["name", "title", "family", "answer", "cooperation", "parameters"]
    fields = header[:-2]
    print_table(
        header,
        [
            [
                *(row[what] for what in fields),
                row["cooperative_action"],
                parameters_in_words(row["parameters"]),
            ]
            for row in list_gamma_games()
        ],
    )


def _print_gamma(name: str) -> None:
    from intent.gamma.catalogue import describe_gamma_game, gamma_facts

    say(f"{name}: {describe_gamma_game(name)['title']}\n")
    for what, text in gamma_facts(name):
        say(f"{what:<12} {text}")


def _short(row: dict[str, Any]) -> list[str | None]:
    dominant = dict.fromkeys(action["action"] for action in row["dominant"] if action)
    equilibria = "; ".join(", ".join(profile) for profile in row["equilibria"])
    return [row["cooperative_action"], ", ".join(dominant) or None, equilibria or None]


def _print_one(chosen: NamedGame) -> None:
    from intent.games.description import game_facts, payoff_rows

    better = "higher is better" if chosen.kind == "reward" else "lower is better"
    say(f"{chosen.name}: {chosen.kind}, {better}\n")
    print_table(*payoff_rows(chosen))
    say()
    for what, text in game_facts(chosen):
        say(f"{what:<12} {text}")
