"""The public goods game with tokens: how much of one's endowment to give to the common pot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import DataError, GameError, shorten
from intent.base.wording import number_text
from intent.games.game import Course, Facts, RoundOutcome
from intent.gamma.game import (
    CHOICE,
    About,
    BenchGame,
    GameWords,
    Moves,
    Picture,
    SimultaneousGame,
    Story,
    Teller,
    Templates,
    check_number,
    check_players,
    check_whole,
    number_round,
    plain,
    value_text,
    whole_moves,
    whole_number,
    whole_range,
)
from intent.gamma.plays import (
    Numbers,
    Plays,
    Scoring,
    Table,
    mean_of,
    own_scores,
    sums,
    whole_or_same,
    whole_within,
)
from intent.gamma.saved import LARGEST

if TYPE_CHECKING:
    import numpy as np

    from intent.gamma.saved import Saved

__all__ = ["PublicGoodsTokens"]

MOST_TOKENS = 1_000_000
MOST_CONTRIBUTION = 10**12
"""Where tokens are kept and multiply, holdings would outgrow every number; contributions stop here."""


@dataclass(frozen=True)
class PublicGoodsTokens(SimultaneousGame):
    """Each player puts whole tokens into a pot; the pot times `factor` is shared equally by all.

    A player who gives c gains ``total · factor / N - c``, computed exactly and then rounded to the nearest
    float; what players are told is rounded to hundredths, holdings down.

    Parameters
    ----------
    n_players : int, 2 to 1000
    tokens : int, 1 to 1,000,000
        What each player holds at the start of a round, or of the match.
    factor : int or float, 0 to 1000
        A social dilemma for 1 < factor < N.
    reset : bool
        Whether every round starts with the endowment. Otherwise tokens are carried over: the holding after a
        round is the one before plus the gain, and may be no whole number; whole tokens up to it may be given
        (at most 10^12).
    least : int, optional
        Endowments are drawn from `least` to `tokens` once for the match, all different where the range has
        room.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Samuelson 1954, Review of Economics and Statistics 36:387. Isaac & Walker 1988, Quarterly Journal of
    Economics 103:179: a token given returns factor/N to its giver, so that to give nothing is dominant for
    factor < N, to give all for factor > N; at factor = N everything is an equilibrium, of which we take the
    one where nothing is given.
    """

    tokens: int = 20
    factor: float = 2
    reset: bool = True
    least: int | None = None

    name: ClassVar[str] = "public_goods"
    answer_key: ClassVar[str] = "tokens_contributed"
    open: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        check_whole(self.name, "tokens", self.tokens, 1, MOST_TOKENS)
        object.__setattr__(self, "factor", check_number(self.name, "factor", self.factor, 0, 1000))
        if not isinstance(self.reset, bool):
            raise GameError(f"{self.name}: reset {shorten(self.reset)!r}, expected true or false")
        if self.least is not None:
            check_whole(self.name, "least", self.least, 0, self.tokens)

    def facts(self) -> Facts:
        """tokens (the endowment), factor, reset."""
        return {"tokens": self.tokens, "factor": self.factor, "reset": self.reset}

    def request(self) -> Facts:
        """tokens: a full endowment."""
        return {"tokens": self.tokens}

    def course(self, rng: np.random.Generator) -> Course:
        """A new match; endowments are drawn here."""
        return _Holdings(self, self._endowments(rng))

    def read(self, value: object, seat: int, question: Facts) -> str:
        """A whole number from 0 to what the seat holds."""
        return str(whole_number(value, "contribution", 0, self._most(question)))

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """All contributions, None where the seat holds many tokens."""
        return whole_range(0, self._most(question))

    def outcome(self, actions: Moves) -> RoundOutcome:
        """The first round of players with a full endowment."""
        return self.settle(actions, [Fraction(self.tokens)] * self.n_players)

    def settle(self, actions: Moves, holdings: list[Fraction]) -> RoundOutcome:
        """What a round comes to, for holdings by seat, which it changes to those after the round."""
        moves = whole_moves(self.name, self.n_players, actions)
        contributions = [move or 0 for move in moves]
        share = sum(contributions) * self._per_token
        gains = [share - mine for mine in contributions]
        holdings[:] = [held + gain for held, gain in zip(holdings, gains, strict=True)]
        after = tuple(_hundredths(holding) for holding in holdings)
        gain_by_contribution = {mine: plain(round(share - mine, 2)) for mine in set(contributions)}
        public = {"contributions": tuple(moves), "total": sum(contributions)}
        reports: list[Facts] = [
            {"own": move, **public, "gain": gain_by_contribution[mine], "tokens": tokens, "holdings": after}
            for move, mine, tokens in zip(moves, contributions, after, strict=True)
        ]
        return number_round(moves, gains, reports)

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """Nothing, or all that the seat may give where a token returns more than itself."""
        return str(self._most(question) if self.factor > self.n_players else 0)

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """As in equilibrium, whatever the others did: it is dominant."""
        return self.equilibrium(seat, question, rng)

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """Share of the pot less the contribution, of this round alone."""
        total = sum(int(a) for s, a in others.items() if s != seat and a is not None)
        return tuple(self.gain(total + mine, mine) for mine in map(int, actions))

    def gain(self, total: float, mine: float) -> float:
        """Share of a pot of `total` tokens less the own contribution among them."""
        per, of = self._per_token.as_integer_ratio()
        return (total * per - mine * of) / of

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """Nothing or all, as gains are linear in the contribution."""
        action = str(self._most(question) if self.factor > self.n_players else 0)
        return action, self.gains(seat, others, question, (action,))[0]

    @cached_property
    def _per_token(self) -> Fraction:
        return Fraction(str(self.factor)) / self.n_players

    def _most(self, question: Facts) -> int:
        holds = question.get("tokens")
        if isinstance(holds, bool) or not isinstance(holds, int | float) or not 0 <= holds < math.inf:
            raise GameError(f"{self.name}: tokens {holds!r} in what was asked, expected what the seat holds")
        return min(math.floor(holds), MOST_CONTRIBUTION)

    def _endowments(self, rng: np.random.Generator) -> tuple[int, ...]:
        if self.least is None:
            return (self.tokens,) * self.n_players
        size = self.tokens - self.least + 1
        drawn = rng.choice(size, self.n_players, replace=size < self.n_players)
        return tuple(self.least + int(extra) for extra in drawn)


class _Holdings:
    """The course: what each seat holds, exactly."""

    over = False

    def __init__(self, game: PublicGoodsTokens, endowments: tuple[int, ...]) -> None:
        self._game = game
        self._endowments = endowments
        self._steps = (tuple(range(1, game.n_players + 1)),)
        self._holdings = [Fraction(tokens) for tokens in endowments]
        self._shown = [_hundredths(tokens) for tokens in self._holdings]

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """All seats at once."""
        return self._steps

    def question(self, seat: int, earlier: Moves) -> Facts:
        """tokens: what the seat holds now, rounded down to hundredths."""
        return {"tokens": self._shown[seat - 1]}

    def complete(self, actions: Moves) -> RoundOutcome:
        """Share the pot; then a new endowment, or what is left and won."""
        outcome = self._game.settle(actions, self._holdings)
        if self._game.reset:
            self._holdings = [Fraction(tokens) for tokens in self._endowments]
        self._shown = [_hundredths(tokens) for tokens in self._holdings]
        return outcome


def _hundredths(tokens: Fraction) -> int | float:
    """Rounded down, so that nobody may give more than they hold."""
    return plain(100 * tokens.numerator // tokens.denominator / 100)


@dataclass(frozen=True, kw_only=True)
class GoodsPlays(Plays):
    """What was contributed.

    Parameters
    ----------
    tokens, factor, reset, least : as `PublicGoodsTokens`
    totals : tuple of float, by round
        Tokens in the pot.
    by_seat : rounds by seats of contributions, optional
    """

    game = "public_goods"
    by_round = "totals"
    settings = (
        *(("tokens", "tokens", 20), ("factor", "factor", 2)),
        *(("reset", "reset", True), ("least", "least", None)),
    )

    tokens: float = 20
    factor: float = 2
    reset: bool = True
    least: float | None = None
    totals: tuple[float, ...]
    by_seat: Numbers | None = None

    @classmethod
    def from_table(cls, game: PublicGoodsTokens, table: Table) -> dict[str, Any]:
        """A missing move is no tokens."""
        rows = table.numbers(0, game.tokens if game.reset else MOST_CONTRIBUTION)
        return {"totals": sums(rows), "by_seat": rows}

    def rules(self) -> dict[str, Any]:
        """Endowment, factor, and whether they are drawn or carried over."""
        least = None if self.least is None else whole_or_same(self.least)
        return {
            "tokens": whole_or_same(self.tokens),
            "factor": self.factor,
            "reset": self.reset,
            "least": least,
        }

    def allowed(self, stage: PublicGoodsTokens) -> bool:
        """Whole tokens of the endowment; what is held is not known where it was drawn or is carried over."""
        return self.reset and self.least is None and whole_within(self.by_seat or (), 0, stage.tokens)

    def payoffs(self, stage: PublicGoodsTokens) -> Iterator[float | None]:
        """Share of the pot less the contribution; saved files' own ``utility`` lacks the share."""
        for row, total in zip(self.by_seat or (), self.totals, strict=False):
            gains = {mine: stage.gain(total, mine) for mine in {*row} if mine is not None}
            yield from (gains[mine] for mine in row if mine is not None)

    def score(self, scoring: Scoring = "code") -> float:
        """Share of the tokens T that is kept: (T - S) / T with S the mean contribution.

        The paper has S / T where the factor is above N.
        """
        contribution = mean_of([total / self.n_players for total in self.totals])
        if scoring == "paper" and self.factor / self.n_players > 1:
            return 100 * contribution / self.tokens
        return 100 * (self.tokens - contribution) / self.tokens

    def seat_scores(self, scoring: Scoring = "code") -> tuple[float, ...] | None:
        """As if all had contributed what a seat has."""
        if self.by_seat is None:
            return None
        n = self.n_players
        return own_scores(
            self.by_seat, lambda own: replace(self, totals=tuple(n * x for x in own)).score(scoring)
        )


def _saved(saved: Saved) -> dict[str, Any]:
    """Contributions above the endowment are taken as they are, as upstream does."""
    totals, rows = saved.figures("total_tokens", sum, low=-LARGEST)
    reset = saved.meta.get("reset", True)
    if not isinstance(reset, bool):
        raise DataError(f"meta: reset is {shorten(repr(reset), 40)}, expected true or false")
    drawn = saved.meta.get("token_initialization") == "random"
    return {
        "tokens": saved.parameter("tokens", 20, low=1e-9),
        "factor": saved.parameter("ratio", 2, high=1e6),
        "reset": reset,
        "least": saved.parameter("rand_min", 11) if drawn else None,
        "totals": totals,
        "by_seat": saved.whole(rows),
    }


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": ("factor",),
        "reset": (),
        "kept": (),
        "report": ("contributions", "total", "tokens", "holdings", CHOICE),
        "request": ("tokens",),
    }
    plain: ClassVar = {"form": ("tokens",)}
    more: ClassVar = {"rules": ("name",), "report": ("named_contributions", "named_holdings")}

    def rules(self, t: Teller) -> list[str]:
        facts = t.game.facts()
        factor: Any = facts["factor"]
        rules = t.say("rules", name=t.name(t.seat), factor=number_text(factor))
        return [rules, *(t.say(piece) for piece in ("reset" if facts["reset"] else "kept",) if t.has(piece))]

    def report(self, t: Teller, facts: Facts) -> list[str]:
        lists: Any = {name: facts[name] for name in ("contributions", "holdings")}
        numbers = {name: value_text(facts[name]) for name in ("total", "tokens")}
        amounts = {name: t.values(values) for name, values in lists.items()}
        named = {f"named_{name}": t.amounts(values) for name, values in lists.items()}
        return [t.say("report", **numbers, **amounts, **named), *t.gain(facts)]

    def place(self, t: Teller, question: Facts) -> str:
        tokens: Any = question["tokens"]
        return super().place(t, {**question, "tokens": int(tokens)})


class _Templates(Templates):
    folder = "public_goods"
    inputs: ClassVar = {
        "description": ("n_players", "rounds", "factor", "role"),
        "report": ("round", "contributions", "own", "total", "gain", "tokens", "holdings"),
        "request": ("round", "tokens", "format"),
    }
    window = 10

    def range(self, rules: Facts, question: Facts) -> tuple[object, object]:
        return 0, question.get("tokens")


BENCH = BenchGame(
    "betraying",
    "Public Goods Game",
    About(
        "Public goods",
        "Each player puts whole tokens into a pot, which times factor is shared equally by all. "
        "Every round begins with the same tokens (reset) or with what is held.",
        "nothing for factor < N (and = N), everything for factor > N",
        "Samuelson 1954, Review of Economics and Statistics 36:387; Isaac & Walker 1988, "
        "Quarterly Journal of Economics 103:179",
    ),
    GoodsPlays,
    _Words(),
    _Templates(),
    # Hours that are kept, not given: compare Andreoni 1995, Quarterly Journal of Economics 110:1.
    Story(
        "hours", (("tokens_contributed", "hours_kept"),), mirrored="tokens", numbers=("own", "contributions")
    ),
    Picture(
        "Thin lines: mean contribution in a run; dots: single players.",
        "tokens contributed",
        lambda run: [total / run.n_players for total in run.totals],
        lambda run: {"endowment": run.tokens},
        choices=lambda run: run.by_seat,
    ),
    _saved,
    (("tokens",), ("total_tokens",)),
    missing="no tokens, as a free rider's",
    discrepancy="the paper rewards contributing where the factor is above the number of players, the "
    "code never",
    spellings={"tokens_contributed": ("tokens", "contribution", "contributed", "tokens_to_contribute")},
    short_names=("public_goods_game",),
    sweeps=("r",),
    settings=tuple({"factor": factor} for factor in (0, 0.5, 1, 2, 4)),
)
