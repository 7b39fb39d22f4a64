"""The named games, or one in full, for reading: the command ``intent games``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError
from intent.base.job import JSON, Request, Result, Table, job, option
from intent.base.registry import load, point

if TYPE_CHECKING:
    from intent.games.catalogue import NamedGame

__all__ = ["GameList", "GamesRequest", "games"]


class GamesRequest(Request, job="games", function="intent.games.listing.games"):
    """List the games with class, cooperative and dominant actions and equilibria, and those of gamma-bench.

    One game in full: also mixed and correlated equilibria, efficient outcomes, focal point. One of
    gamma-bench, such as guessing or public_goods: rules, parameters, equilibrium.
    """

    name: str | None = option(
        None, "One game, such as stag-hunt; all of them without it.", positional=True, file=False
    )
    x: float | None = option(None, "Temptation of the game x-parameterised.")
    scale: float | None = option(None, "Multiply every payoff by this.")
    payoffs: str | None = option(
        None,
        "A game of your own: T,R,P,S, or eight numbers, seats 1 and 2 at CC, CD, DC, DD.",
        metavar="T,R,P,S",
    )
    payoff_kind: str | None = option(None, "reward or penalty, where the file is silent.")
    json: bool = JSON

    def game(self) -> "NamedGame | None":
        """The one game, None for all of them.

        Raises
        ------
        UsageError, UnknownNameError
        """
        from intent.games.description import choose_game, custom_game

        if self.payoffs is not None:
            if self.name is not None or self.x is not None:
                raise UsageError(
                    "--payoffs describes a game of your own, expected neither NAME nor --x beside it"
                )
            return custom_game(self.payoffs, self.payoff_kind or "reward", scale=self.scale)
        if self.payoff_kind is not None:
            raise UsageError("--payoff-kind goes with --payoffs; a named game knows its own")
        if self.name is None and (self.x is not None or self.scale is not None):
            raise UsageError("--x and --scale change one game, expected its NAME")
        return None if self.name is None else choose_game(self.name, x=self.x, scale=self.scale)


_CHANGES = ("x", "scale", "payoffs", "payoff_kind")


def _benchmark() -> ModuleType | None:
    """What lists the games of gamma-bench (group ``intent.listed_games``)."""
    there = point("intent.listed_games", "gamma")
    return None if there is None else load(there)


@dataclass(frozen=True)
class GameList(Result):
    """All games, one, or one of gamma-bench.

    Attributes
    ----------
    game : MatrixGame or PublicGoods, optional
    benchmark : str, optional
        Name of one of gamma-bench.
    """

    game: "NamedGame | None" = None
    benchmark: str | None = None

    kind = "games"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent games --json``."""
        from intent.games.description import describe_game, list_games

        if self.game is not None:
            return {"games": [describe_game(self.game)], "gamma": []}
        bench = _benchmark()
        if self.benchmark is not None and bench is not None:
            return {"games": [], "gamma": [bench.describe_gamma_game(self.benchmark)]}
        return {"games": list_games(), "gamma": [] if bench is None else bench.list_gamma_games()}

    def parts(self) -> Iterator[Table | str]:
        """A row for each game; of one its payoffs and all that is known of it."""
        from intent.games.description import game_facts, list_games, payoff_rows

        bench = _benchmark()
        if self.game is not None:
            better = "higher is better" if self.game.kind == "reward" else "lower is better"
            yield f"{self.game.name}: {self.game.kind}, {better}\n"
            yield Table(*payoff_rows(self.game))
            yield ""
            yield from _lines(game_facts(self.game))
        elif self.benchmark is not None and bench is not None:
            yield f"{self.benchmark}: {bench.describe_gamma_game(self.benchmark)['title']}\n"
            yield from _lines(bench.gamma_facts(self.benchmark))
        else:
            header = ("name", "kind", "class", "cooperation", "dominant", "pure equilibria")
            yield Table(header, [_row(outline) for outline in list_games(brief=True)])
            if bench is not None:
                yield "\nGames of gamma-bench (many players, rules of their own):\n"
                header = ("name", "title", "family", "answer", "cooperation", "parameters")
                yield Table(header, [_bench_row(bench, row) for row in bench.list_gamma_games()])


def _lines(facts: list[tuple[str, str]]) -> Iterator[str]:
    yield from (f"{what:<12} {text}" for what, text in facts)


def _row(outline: dict[str, Any]) -> list[str | None]:
    dominant = dict.fromkeys(action["action"] for action in outline["dominant"] if action)
    equilibria = "; ".join(", ".join(profile) for profile in outline["equilibria"])
    names = [outline[what] for what in ("name", "kind", "class", "cooperative_action")]
    return [*names, ", ".join(dominant) or None, equilibria or None]


def _bench_row(bench: ModuleType, row: dict[str, Any]) -> list[str | None]:
    names = [row[what] for what in ("name", "title", "family", "answer", "cooperative_action")]
    return [*names, bench.parameters_in_words(row["parameters"])]


@job(GamesRequest)
def games(request: GamesRequest) -> GameList:
    """The named games, or one of them, of gamma-bench or of the user's own.

    Raises
    ------
    UnknownNameError, UsageError
        No such game, or settings that do not go together.
    """
    bench = _benchmark()
    if bench is not None and bench.is_gamma_game(request.name) and not request.changed(_CHANGES):
        return GameList(benchmark=request.name)
    return GameList(request.game())
