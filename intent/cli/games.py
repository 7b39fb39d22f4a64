"""`intent games`: the named games, or one game in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from intent.cli.console import print_json, print_table, say
from intent.cli.options import JsonFlag, PayoffKind
from intent.errors import UsageError

if TYPE_CHECKING:
    from intent.workflows.games import NamedGame

__all__ = ["games"]


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
    from intent.workflows.games import describe_game, list_games
    from intent.workflows.gamma_games import describe_gamma_game, is_gamma_game, list_gamma_games

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
    from intent.workflows.games import choose_game, custom_game

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
    from intent.workflows.gamma_games import list_gamma_games, parameters_in_words

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
    from intent.workflows.gamma_games import describe_gamma_game, gamma_facts

    say(f"{name}: {describe_gamma_game(name)['title']}\n")
    for what, text in gamma_facts(name):
        say(f"{what:<12} {text}")


def _short(row: dict[str, Any]) -> list[str | None]:
    dominant = dict.fromkeys(found["action"] for found in row["dominant"] if found)
    equilibria = "; ".join(", ".join(profile) for profile in row["equilibria"])
    return [row["cooperative_action"], ", ".join(dominant) or None, equilibria or None]


def _print_one(chosen: NamedGame) -> None:
    from intent.workflows.games import game_facts, payoff_rows

    better = "higher is better" if chosen.kind == "reward" else "lower is better"
    say(f"{chosen.name}: {chosen.kind}, {better}\n")
    print_table(*payoff_rows(chosen))
    say()
    for what, text in game_facts(chosen):
        say(f"{what:<12} {text}")
