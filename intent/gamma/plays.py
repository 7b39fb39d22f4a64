"""What was played in one run of a gamma-bench game, as far as its score needs it: one frozen record per game.

Those of battle royale and of the pirate game are in `intent.gamma.plays`.

Figures of a round (`means`, `goers`, `totals`, `cheap`) are always there; `by_seat` has the single choices,
rounds by seats, where the source says whose they are. None stands for a move that is missing.

Records of the games that are played in turn: shots of battle royale, proposals and votes of pirates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = [
    "AuctionPlays",
    "BarPlays",
    "BattlePlays",
    "DinerPlays",
    "DollarPlays",
    "GoodsPlays",
    "GuessingPlays",
    "PiratePlays",
    "Plays",
    "Shot",
    "Vote",
]


Numbers = tuple[tuple[float | None, ...], ...]
"""Rounds by seats."""


@dataclass(frozen=True, kw_only=True)
class Plays:
    """What all games have in common.

    Parameters
    ----------
    n_players : int
    models : tuple of str or None, by seat
        Who played: a model, or the strategy of a scripted seat; None where the source does not say.
    named : str, optional
        The setting, where the source has the whole game (`intent.gamma.catalogue.setting_name`).
    """

    game: ClassVar[str]
    by_round: ClassVar[str]
    """The field that has an entry per round."""
    settings: ClassVar[tuple[tuple[str, str, object], ...]] = ()
    """Parameters that make a setting: field, its word in `setting`, value of the paper's default."""

    n_players: int = 10
    models: tuple[str | None, ...] = ()
    named: str | None = None

    @property
    def rounds(self) -> int:
        """Rounds that count: entries of the field `by_round`."""
        return len(getattr(self, self.by_round))

    @property
    def setting(self) -> str:
        """How the parameters differ from the paper's: ``default``, ``ratio=1/2``, ``gold=4, n_players=5``."""
        if self.named is not None:
            return self.named
        told = [(word, getattr(self, name), usual) for name, word, usual in self.settings]
        told.append(("n_players", self.n_players, 10))
        return (
            ", ".join(f"{word}={_written(value)}" for word, value, usual in told if value != usual)
            or "default"
        )

    @property
    def model(self) -> str | None:
        """Who sits at the table, each once, joined by " + "; None where the source does not say."""
        return " + ".join(sorted({model for model in self.models if model is not None})) or None


@dataclass(frozen=True, kw_only=True)
class GuessingPlays(Plays):
    """Guess the ratio of the average.

    Parameters
    ----------
    low, high : float
    ratio : float
    written : str
        The ratio as the rules say it.
    means : tuple of float, by round
        Average of the numbers chosen.
    by_seat : rounds by seats of numbers, optional
    """

    game = "guessing"
    by_round = "means"
    settings = (("low", "low", 0), ("high", "high", 100), ("written", "ratio", "2/3"))

    low: float = 0
    high: float = 100
    ratio: float = 2 / 3
    written: str = "2/3"
    means: tuple[float, ...]
    by_seat: Numbers | None = None


@dataclass(frozen=True, kw_only=True)
class BarPlays(Plays):
    """El Farol bar.

    Parameters
    ----------
    low, high, home : float
        Payoffs of going to a crowded bar, of going to one that is not, and of staying home.
    ratio : float
        Share of the players that the bar holds.
    written : str
        The ratio as the rules say it.
    mode : {"implicit", "explicit"}
    goers : tuple of int, by round
    by_seat : rounds by seats of ``go``, ``stay`` or None, optional
    """

    game = "bar"
    by_round = "goers"
    settings = (
        ("low", "low", 0),
        ("high", "high", 10),
        ("home", "home", 5),
        ("written", "ratio", "60%"),
        ("mode", "mode", "implicit"),
    )

    low: float = 0
    high: float = 10
    home: float = 5
    ratio: float = 0.6
    written: str = "60%"
    mode: str = "implicit"
    goers: tuple[int, ...]
    by_seat: tuple[tuple[str | None, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class DollarPlays(Plays):
    """Divide the dollar.

    Parameters
    ----------
    gold : float
    totals : tuple of float, by round
        Sum of the bids.
    by_seat : rounds by seats of bids, optional
    """

    game = "divide_dollar"
    by_round = "totals"
    settings = (("gold", "gold", 100),)

    gold: float = 100
    totals: tuple[float, ...]
    by_seat: Numbers | None = None


@dataclass(frozen=True, kw_only=True)
class GoodsPlays(Plays):
    """Public goods.

    Parameters
    ----------
    tokens : float
        Endowment of a round, or of the match where tokens are kept.
    factor : float
    reset : bool
        Whether every round starts with the endowment.
    least : float, optional
        The lowest endowment, where these were drawn.
    totals : tuple of float, by round
        Tokens in the pot.
    by_seat : rounds by seats of contributions, optional
    """

    game = "public_goods"
    by_round = "totals"
    settings = (
        ("tokens", "tokens", 20),
        ("factor", "factor", 2),
        ("reset", "reset", True),
        ("least", "least", None),
    )

    tokens: float = 20
    factor: float = 2
    reset: bool = True
    least: float | None = None
    totals: tuple[float, ...]
    by_seat: Numbers | None = None


@dataclass(frozen=True, kw_only=True)
class DinerPlays(Plays):
    """Diner's dilemma.

    Parameters
    ----------
    menu : tuple of float
        Price and utility of the cheap dish, price and utility of the costly one.
    cheap : tuple of int, by round
        Players who ordered the cheap dish.
    diners : tuple of int, by round
        Players who ordered.
    by_seat : rounds by seats of ``cheap``, ``costly`` or None, optional
    """

    game = "diner"
    by_round = "cheap"
    settings = (("menu", "menu", (10, 15, 20, 20)),)

    menu: tuple[float, float, float, float] = (10, 15, 20, 20)
    cheap: tuple[int, ...]
    diners: tuple[int, ...]
    by_seat: tuple[tuple[str | None, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class AuctionPlays(Plays):
    """Sealed-bid auction.

    Parameters
    ----------
    price : {"first", "second"}
    top : float
        Largest possible valuation.
    step : float
        Valuations are multiples of it.
    seed : int
        That they were drawn with.
    overbid : bool
        Whether the rules took bids above the valuation.
    valuations : rounds by seats of numbers
    bids : rounds by seats of numbers, None where none was made
    """

    game = "auction"
    by_round = "bids"
    settings = (
        ("price", "price", "first"),
        ("top", "top", 200),
        ("step", "step", 10),
        ("seed", "seed", 42),
        ("overbid", "overbid", False),
    )

    price: str = "first"
    top: float = 200
    step: float = 10
    seed: int = 42
    overbid: bool = False
    valuations: tuple[tuple[float, ...], ...]
    bids: Numbers


def _written(value: object) -> str:
    """A parameter as a setting names it: whole numbers without a point, several joined by ``/``."""
    if isinstance(value, tuple):
        return "/".join(map(_written, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Shot:
    """One round of battle royale.

    Parameters
    ----------
    shooter : int, seat from 1
    rates : tuple of (seat, hit rate)
        Everybody alive before the shot.
    target : int or None
        Seat; None of a miss on purpose, and of a target that is nobody at the table.
    hit : bool or None
        None where the source does not say; no score depends on it.
    """

    shooter: int
    rates: tuple[tuple[int, float], ...]
    target: int | None
    hit: bool | None = None


@dataclass(frozen=True, kw_only=True)
class BattlePlays(Plays):
    """Battle royale.

    Parameters
    ----------
    span : tuple of float
        Lowest and highest hit rate at the start, per cent.
    shots : tuple of Shot
    """

    game = "battle_royale"
    by_round = "shots"
    settings = (("span", "rates", (35, 80)),)

    span: tuple[float, float] = (35, 80)
    shots: tuple[Shot, ...]


@dataclass(frozen=True)
class Vote:
    """One round of the pirate game.

    Parameters
    ----------
    shares : tuple of float, or None
        What the proposer, then every junior, was to get; None of a proposal that is missing.
    votes : tuple of ``accept``, ``reject`` or None
        Of the juniors, in their order; None of a vote that is missing.
    """

    shares: tuple[float, ...] | None
    votes: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class PiratePlays(Plays):
    """Pirate game.

    Parameters
    ----------
    gold : float
    held : tuple of Vote, by round
        The first of all players, each further one of one player fewer.
    """

    game = "pirate"
    by_round = "held"
    settings = (("gold", "gold", 100),)

    gold: float = 100
    held: tuple[Vote, ...]
