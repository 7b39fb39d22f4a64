"""The sealed-bid auction."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from course_play import play_table

from intent.base.errors import GameError
from intent.gamma.auction import Auction, deviation_gain, interim_payoffs, shading, valuations

RNG = np.random.default_rng(0)


def test_the_published_valuations_of_the_first_round() -> None:
    """GAMA-Bench's raw results for seed 42."""
    assert valuations(1, 10, 200, 10, 42) == (200, 30, 0, 80, 70, 160, 20, 110, 10, 100)


def test_each_round_has_valuations_of_its_own_seed() -> None:
    course = Auction().course(RNG)
    for k in (1, 2, 3):
        assert [course.question(s, {})["valuation"] for s in range(1, 11)] == list(
            valuations(1, 10, 200, 10, 41 + k)
        )
        course.complete(dict.fromkeys(range(1, 11)))


@pytest.mark.parametrize(("price", "paid"), [("first", 90), ("second", 60)])
def test_the_highest_bid_wins(price: str, paid: int) -> None:
    game = Auction(3, price=price)
    worth = valuations(1, 3, 200, 10, 42)
    assert worth == (200, 30, 0)
    (played,) = play_table(Auction(3, price=price, overbid=True), [[90, 60, 5]])
    assert played.outcome.payoffs == (200 - paid, 0, 0)
    assert played.outcome.values == {1: 90, 2: 60, 3: 5}
    assert played.outcome.reports[2] == {
        "valuation": 30,
        "own": 60,
        "highest": 90,
        "price": paid,
        "won": False,
        "gain": 0,
    }
    assert game.facts() == {"price": price, "top": 200}


def test_a_tie_is_drawn_and_the_second_price_is_the_tied_bid() -> None:
    wins = Counter(
        play_table(Auction(2, price="second", seed=seed), [[20, 20]], seed)[0].outcome.reports[1]["won"]
        for seed in range(400)
        if min(valuations(1, 2, 200, 10, seed)) >= 20
    )
    assert abs(wins[True] / wins.total() - 0.5) < 0.1
    (played,) = play_table(Auction(2, price="second", overbid=True), [[20, 20]])
    assert played.outcome.reports[1]["price"] == 20


def test_who_bids_alone_pays_nothing_at_the_second_price() -> None:
    (played,) = play_table(Auction(3, price="second"), [[100, None, None]])
    assert played.outcome.payoffs == (200, None, None)
    assert played.outcome.reports[3] == {
        "valuation": 0,
        "own": None,
        "highest": 100,
        "price": 0,
        "won": False,
        "gain": 0,
    }


def test_nobody_bids_and_nobody_wins() -> None:
    (played,) = play_table(Auction(2), [[None, None]])
    assert played.outcome.payoffs == (None, None)
    assert played.outcome.reports[1]["highest"] is None


@pytest.mark.parametrize("bid", [31, -1, 10.5, "thirty", "31"])
def test_bids_above_the_valuation_or_below_zero_are_refused(bid: object) -> None:
    with pytest.raises(GameError, match="whole number from 0 to 30"):
        Auction().read(bid, 2, {"valuation": 30})


def test_bids_above_the_valuation_where_the_game_takes_them() -> None:
    assert Auction(overbid=True).read(31, 2, {"valuation": 30}) == "31"


@pytest.mark.parametrize(
    "parameters", [{"n_players": 22}, {"price": "third"}, {"top": 205}, {"step": 0}, {"overbid": 1}]
)
def test_parameters_that_make_no_auction(parameters: dict[str, object]) -> None:
    with pytest.raises(GameError):
        Auction(**parameters)


def test_vickrey_the_own_valuation_is_weakly_dominant_at_the_second_price() -> None:
    """Against every pair of bids of two others, by enumeration."""
    game = Auction(3, price="second", top=6, step=1)
    for worth in range(7):
        asked = {"valuation": worth}
        bids = game.legal(1, asked) or ()
        for others in itertools.product(map(str, range(7)), repeat=2):
            gains = dict(
                zip(bids, game.gains(1, dict(zip((2, 3), others, strict=True)), asked, bids), strict=True)
            )
            assert gains[game.equilibrium(1, asked, RNG)] == max(gains.values())


def test_mcafee_mcmillan_shading_of_ten_bidders() -> None:
    assert [Auction().equilibrium(1, {"valuation": v}, RNG) for v in (0, 10, 100, 200)] == [
        "0",
        "9",
        "90",
        "180",
    ]


def test_expected_gains_are_those_of_all_draws() -> None:
    """The formula against the mean over every set of rivals, ties shared."""
    rule, n = {0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 5: 2}, 3
    for worth in rule:
        draws = list(itertools.combinations([v for v in rule if v != worth], n - 1))
        game = Auction(n, top=5, step=1)
        slow = [
            np.mean(
                [
                    game.gains(1, {2: str(rule[a]), 3: str(rule[b])}, {"valuation": worth}, (str(x),))[0]
                    for a, b in draws
                ]
            )
            for x in range(worth + 1)
        ]
        assert interim_payoffs(worth, rule, n) == pytest.approx(slow)


@pytest.mark.parametrize(("n", "top", "found"), [(2, 3, 1), (2, 5, 2), (3, 4, 2), (3, 5, 2)])
def test_the_rounded_shading_is_among_all_equilibria_of_small_grids(n: int, top: int, found: int) -> None:
    """Every rule of bids up to the valuation is tried."""
    equilibria = [
        dict(enumerate(bids))
        for bids in itertools.product(*(range(v + 1) for v in range(top + 1)))
        if deviation_gain(dict(enumerate(bids)), n) < 1e-12
    ]
    assert len(equilibria) == found
    assert shading(Auction(n, top=top, step=1)) in equilibria


def test_how_far_the_paper_s_grid_is_from_the_theory() -> None:
    """With steps of 10, the highest bidder can bid 172 instead of 180 and beat the next, who bids 171."""
    game = Auction()
    assert deviation_gain(shading(game), 10) == pytest.approx(8)
    payoffs = interim_payoffs(200, shading(game), 10)
    assert (payoffs[180], max(payoffs)) == (20, 28)


def test_the_best_bid_beats_every_other_bid() -> None:
    for price in ("first", "second"):
        game = Auction(3, price=price, top=20, step=1)
        for others in itertools.product([None, "0", "4", "5", "20"], repeat=2):
            asked, rivals = {"valuation": 5}, dict(zip((2, 3), others, strict=True))
            gains = game.gains(1, rivals, asked, game.legal(1, asked) or ())
            assert game.best(1, rivals, asked)[1] == max(gains)


@pytest.mark.parametrize(
    ("told", "bid"),
    [
        ({"highest": 40, "won": False}, "41"),
        ({"highest": 99, "won": False}, "99"),
        ({"highest": 100, "won": False}, "90"),
        ({"highest": 40, "won": True}, "90"),
        ({"highest": None, "won": False}, "90"),
    ],
)
def test_the_best_reply_tops_the_last_highest_bid(told: dict[str, object], bid: str) -> None:
    assert Auction().best_reply(1, told, {"valuation": 100}, RNG) == bid


@pytest.mark.parametrize("price", ["first", "second"])
def test_gains_are_what_a_replay_pays(price: str) -> None:
    """All bids of seat 1 that tie with none."""
    game = Auction(4, price=price, top=300, step=100, seed=5)
    others = {2: "7", 3: "40", 4: None}
    asked = game.course(RNG).question(1, {})
    bids = tuple(b for b in game.legal(1, asked) or () if b not in others.values())
    paid = [game.course(RNG).complete({1: bid, **others}).payoffs[0] for bid in bids]
    assert list(game.gains(1, others, asked, bids)) == paid
    assert max(paid) > 0
