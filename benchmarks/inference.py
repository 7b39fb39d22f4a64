"""What a headline of `intent compare` may say: level, coverage and power of the defaults on simulated play.

Every design is play that a user could have: games are simulated here, move by move, by code that shares
nothing with the package, then compared with the package's defaults, and with counted labels beside, which
describe labels. Printed are the measured figure with its Monte Carlo standard error, and what must hold:
``ok``; ``NOT``; or ``few`` where the figure is outside, but within two standard errors, so that more data
sets must tell. ``--full`` makes 1,000 data sets per design.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import intent
from intent.comparison.power import power

ALPHA = 0.05
ROUNDS = 10
NAMES = ("ALLC", "ALLD", "TFT", "WSLS")
ALLC, ALLD, TFT, WSLS, COIN = range(5)
EQUAL = np.full(4, 0.25)
MORE_TFT = np.array([0.2, 0.2, 0.4, 0.2])
NARROW, WIDE = "in these conditions", "in conditions like these"
LEVEL, NEAR_LEVEL, COVERAGE = (0.0, 0.07), (0.03, 0.07), (0.93, 0.97)
DECIDING = ("permutation_within", "permutation", "likelihood_ratio", "chi_square")
"""Where a result has no headline: tests in the order in which the sentence follows them."""

APART = re.compile(r"percentage points apart \[([-−]?[\d.]+), ([-−]?[\d.]+)\]")
COINS = 4000
PAYOFFS = json.dumps({"C,C": [3, 3], "C,D": [0, 5], "D,C": [5, 0], "D,D": [1, 1]})


# Play and logs, by numpy alone.


def play(
    rng: np.random.Generator, kinds: np.ndarray, tremble: Any, coin: Any = 0.5, rounds: int = ROUNDS
) -> np.ndarray:
    """(games, 2, rounds) moves, 1 = cooperate, of strategies `kinds` (games, 2) that meet each other.

    A move is flipped with probability `tremble`; ``COIN`` cooperates with probability `coin` and has no
    tremble. All start with cooperation but ALLD; TFT repeats the other's last move, WSLS cooperates where the
    last moves were equal.
    """
    kinds = np.asarray(kinds)
    flip, rate = (np.broadcast_to(x, kinds.shape) for x in (tremble, coin))
    flip = np.where(kinds == COIN, 0, flip)
    moves = np.empty((*kinds.shape, rounds), dtype=np.int8)
    own = other = np.ones(kinds.shape, dtype=np.int8)
    for t in range(rounds):
        meant = np.choose(kinds, [1, 0, other, own == other, rng.random(kinds.shape) < rate])
        own = np.where(rng.random(kinds.shape) < flip, 1 - meant, meant).astype(np.int8)
        other = own[:, ::-1]
        moves[:, :, t] = own
    return moves


def log_of(
    moves: np.ndarray, games: Mapping[str, Any], seats: Mapping[str, Any] | None = None, *, focal: int = 2
) -> intent.GameLog:
    """A log of `moves` (games, 2, rounds); `games` columns are (games,), `seats` columns (games, 2).

    The first `focal` seats of a game are labelled, the others are opponents known from its record.
    """
    n, _, rounds = moves.shape
    ids = pd.Index([f"g{i:05d}" for i in range(n)])
    of_games = {
        "source": "simulated",
        "game": "prisoner-dilemma",
        "payoffs": PAYOFFS,
        "payoff_kind": "reward",
        "cooperative_action": "C",
        "n_players": 2,
        "rounds_planned": rounds,
        "rounds_played": rounds,
        "repetition": 1,
    }
    of_seats = {name: np.asarray(values).reshape(-1) for name, values in (seats or {}).items()}
    flat = moves.transpose(0, 2, 1).reshape(-1)
    codes = np.zeros(len(flat), dtype=np.int8)
    return intent.GameLog(
        pd.DataFrame({"game_id": ids, **of_games, **games}),
        pd.DataFrame(
            {
                "game_id": ids.repeat(2),
                "seat": np.tile([1, 2], n),
                "focal": np.tile([True, focal > 1], n),
                **of_seats,
            }
        ),
        pd.DataFrame(
            {
                "game_id": pd.Categorical.from_codes(np.arange(n).repeat(2 * rounds), categories=ids),
                "round": np.tile(np.arange(1, rounds + 1).repeat(2), n),
                "step": 1,
                "seat": np.tile([1, 2], n * rounds),
                "action": pd.Categorical.from_codes(1 - flat, categories=["C", "D"]),
                "cooperated": flat.astype(bool),
                "status": pd.Categorical.from_codes(codes, categories=["parsed"]),
            }
        ),
    )


def against_coins(
    rng: np.random.Generator,
    kinds: np.ndarray,
    tremble: Any,
    coin: Any,
    games: Mapping[str, Any],
    **seats: Any,
) -> intent.GameLog:
    """One labelled seat per game, against opponents that cooperate independently with probability `coin`."""
    both = np.stack([kinds, np.full(len(kinds), COIN)], axis=1)
    trembles, coins = (np.broadcast_to(x, (len(kinds),))[:, None] for x in (tremble, coin))
    columns = {name: np.stack([x, np.full(len(x), None)], axis=1) for name, x in seats.items()}
    return log_of(play(rng, both, trembles, coins), games, columns, focal=1)


def alike(rng: np.random.Generator, games: int, rho: Any, shares: np.ndarray = EQUAL) -> np.ndarray:
    """(games, 2) strategies with `shares` at each seat, the seats of a game correlated by `rho`."""
    each = rng.choice(4, (games, 2), p=shares)
    same = rng.random(games) < rho
    each[same, 1] = each[same, 0]
    return each


# Designs. Each makes one data set; unless it says otherwise no group differs from another in its true shares.


@dataclass(frozen=True)
class Data:
    """A simulated log, the factors to compare by, and the question that decides where there are two."""

    log: intent.GameLog
    by: tuple[str, ...]
    question: str = NARROW


def two_groups(
    rng: np.random.Generator,
    tremble: tuple[float, float] = (0.1, 0.1),
    coin: tuple[float, float] = (0.9, 0.9),
    shares: tuple[np.ndarray, np.ndarray] = (EQUAL, EQUAL),
) -> Data:
    """Two groups of 200 games, a factor between games, one labelled seat against a biased coin."""
    group = np.arange(2).repeat(200)
    kinds = np.concatenate([rng.choice(4, 200, p=p) for p in shares])
    log = against_coins(
        rng, kinds, np.take(tremble, group), np.take(coin, group), {"group": np.array(["a", "b"])[group]}
    )
    return Data(log, ("group",))


def tremble(rng: np.random.Generator) -> Data:
    """Equal shares; tremble .05 in one group and .15 in the other; opponents cooperate half of the time."""
    return two_groups(rng, tremble=(0.05, 0.15), coin=(0.5, 0.5))


def opponents(rng: np.random.Generator) -> Data:
    """Equal shares, tremble .1; opponents cooperate .9 of the time in one group and .5 in the other."""
    return two_groups(rng, coin=(0.9, 0.5))


def nothing(rng: np.random.Generator) -> Data:
    """Nothing differs: equal shares, tremble .1, opponents who cooperate .9 of the time."""
    return two_groups(rng)


def tft(rng: np.random.Generator) -> Data:
    """TFT's true share is .25 in one group, .40 in the other (the rest equal); tremble .1, opponents .9."""
    return two_groups(rng, shares=(EQUAL, MORE_TFT))


def subjects(rng: np.random.Generator) -> Data:
    """266 subjects of one strategy each in 2,604 games against coins (9.8 each); a sham arm per subject."""
    kind, arm = rng.choice(4, 266), rng.integers(0, 2, 266)
    who = rng.permutation(np.arange(2604) % 266)
    names = np.array([f"s{i:03d}" for i in range(266)], dtype=object)[who]
    arms = np.array(["control", "sham"], dtype=object)[arm[who]]
    return Data(against_coins(rng, kind[who], 0.05, 0.5, {}, player=names, arm=arms), ("arm",))


def met(rng: np.random.Generator) -> Data:
    """266 subjects who meet each other at random in 1,302 games, without sessions: all are connected."""
    return _meetings(rng, groups=1)


def sessions(rng: np.random.Generator) -> Data:
    """The same in 19 sessions of 14 subjects who meet only each other, correlated by .1; the log has them."""
    return _meetings(rng, groups=19)


def _meetings(rng: np.random.Generator, groups: int) -> Data:
    """266 subjects in `groups` sessions, 1,302 games of two subjects (9.8 each); a sham arm per subject."""
    size = 266 // groups
    session = np.arange(266) // size
    common = rng.choice(4, groups)[session]
    kind = np.where(rng.random(266) < (0.1**0.5 if groups > 1 else 0), common, rng.choice(4, 266))
    arm = rng.integers(0, 2, 266)
    pairs: list[np.ndarray] = []
    while sum(map(len, pairs)) < 1302:
        order = np.argsort(session + rng.random(266))
        pairs.append(order.reshape(-1, 2))
    who = np.concatenate(pairs)[:1302]
    seats = {
        "player": np.array([f"s{i:03d}" for i in range(266)])[who],
        "arm": np.array(["control", "sham"])[arm[who]],
    }
    games = (
        {"session": np.array([f"w{i:02d}" for i in range(groups)])[session[who[:, 0]]]} if groups > 1 else {}
    )
    return Data(log_of(play(rng, kind[who], 0.05), games, seats), ("arm",))


def conditions(rng: np.random.Generator) -> Data:
    """2 models x 24 conditions (4 languages x 6 stories) x 10 repeats against coins.

    Each model has shares of its own in each condition, drawn from Dirichlet(.75, .75, .75, .75): equal means,
    and games of one condition are correlated by 1 / (1 + 3) = .25. Whether models differ *in conditions like
    these* decides; in these very conditions they do differ.
    """
    shares = rng.dirichlet(np.full(4, 0.75), 48)
    cell = np.arange(48).repeat(10)
    kinds = (rng.random((480, 1)) > shares[cell].cumsum(axis=1)[:, :3]).sum(axis=1)
    games = {
        "language": np.array(["ar", "cn", "en", "fr"])[cell % 4],
        "story": np.array([f"story{i}" for i in range(6)])[cell // 4 % 6],
        "repetition": np.tile(np.arange(1, 11), 48),
    }
    model = np.array(["A", "B"], dtype=object)[cell // 24]
    return Data(against_coins(rng, kinds, 0.05, 0.5, games, model=model), ("model",), WIDE)


def _models(
    rng: np.random.Generator, games: Sequence[int], rho: Sequence[float], tremble: float = 0.05
) -> Data:
    """Models in self-play, both seats labelled, so many games of each, seats correlated by `rho`."""
    model = np.arange(len(games)).repeat(games)
    kinds = alike(rng, len(model), np.take(rho, model))
    names = np.array(["A", "B", "C"], dtype=object)[model]
    return Data(
        log_of(play(rng, kinds, tremble), {}, {"model": names[:, None].repeat(2, axis=1)}), ("model",)
    )


def correlated(rng: np.random.Generator) -> Data:
    """30 games of a model whose seats are correlated by .65, 300 of one whose seats are by .30; self-play."""
    return _models(rng, (30, 300), (0.65, 0.30))


def equal_seats(rng: np.random.Generator) -> Data:
    """20 games in which both seats play the same strategy, 200 in which they are independent; self-play."""
    return _models(rng, (20, 200), (1.0, 0.0))


def widest(rng: np.random.Generator) -> Data:
    """Three groups of 100 games, four strategies; the interval of the widest range should hold 0."""
    group = np.arange(3).repeat(100)
    games = {"group": np.array(["a", "b", "c"])[group]}
    return Data(against_coins(rng, rng.choice(4, 300), 0.05, 0.5, games), ("group",))


def three_models(rng: np.random.Generator) -> Data:
    """3 models of 15, 35 and 70 games in self-play, seats correlated by .6."""
    return _models(rng, (15, 35, 70), (0.6, 0.6, 0.6))


def few_games(rng: np.random.Generator) -> Data:
    """A model with 6 games beside one with 114, in self-play, seats correlated by .6."""
    return _models(rng, (6, 114), (0.6, 0.6))


def persona_seat(rng: np.random.Generator) -> Data:
    """120 games; persona A always has seat 1, persona B seat 2; neither matters."""
    persona = np.tile(np.array(["A", "B"]), (120, 1))
    return Data(log_of(play(rng, alike(rng, 120, 0.3), 0.05), {}, {"persona": persona}), ("persona",))


def seat_effect(rng: np.random.Generator) -> Data:
    """The same, but seat 1 plays TFT more often (.55, seat 2 .25): the confound must be named."""
    persona = np.tile(np.array(["A", "B"]), (120, 1))
    kinds = np.stack([rng.choice(4, 120, p=[0.15, 0.15, 0.55, 0.15]), rng.choice(4, 120)], axis=1)
    return Data(log_of(play(rng, kinds, 0.05), {}, {"persona": persona}), ("persona",))


def holm(rng: np.random.Generator) -> Data:
    """3 models x 2 languages, 20 games in self-play each, seats correlated by .3; any factor rejected."""
    cell = np.arange(6).repeat(20)
    model = np.array(["A", "B", "C"], dtype=object)[cell % 3]
    games = {"language": np.array(["en", "fr"])[cell // 3], "repetition": np.tile(np.arange(1, 21), 6)}
    seats = {"model": model[:, None].repeat(2, axis=1)}
    return Data(log_of(play(rng, alike(rng, 120, 0.3), 0.05), games, seats), ("model", "language"))


def persona_within(rng: np.random.Generator) -> Data:
    """120 games, a persona drawn for each seat, seats correlated by .6."""
    persona = np.array(["A", "B"])[rng.integers(0, 2, (120, 2))]
    return Data(log_of(play(rng, alike(rng, 120, 0.6), 0.05), {}, {"persona": persona}), ("persona",))


@functools.cache
def recommended(count: str | None) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
    """Games per group for 80 % power by `intent power`, and the two groups' shares: TFT .25 against .40.

    Where power is not planned for that way of counting, the plan is the default one.
    """
    options: dict[str, Any] = {"strategy": "TFT", "rounds": [ROUNDS], "games": [100], "targets": [0.8]}
    try:
        plan = power(0.15, **options, **({} if count is None else {"count": count})).to_dict()
    except intent.IntentError:
        plan = power(0.15, **options).to_dict()
    first, second = zip(*(plan["shares"][name] for name in NAMES), strict=True)
    needed = plan["rounds"][0]["games_needed"]
    return int(next(iter(needed.values()))), first, second


def planned(rng: np.random.Generator, count: str | None = None) -> Data:
    """What `intent power` recommends for 80 %, really played: self-play, two labelled seats, tremble .05.

    The seats of a game are drawn independently from the shares of its group, and meet each other.
    """
    games, first, second = recommended(count)
    kinds = np.concatenate([alike(rng, games, 0, np.array(p) / sum(p)) for p in (first, second)])
    group = np.array(["a", "b"])[np.arange(2).repeat(games)]
    return Data(log_of(play(rng, kinds, 0.05), {"group": group}), ("group",))


def coins(rng: np.random.Generator) -> Data:
    """4,000 fair coins, ten rounds against fair coins, labelled by the default recogniser."""
    return Data(against_coins(rng, np.full(COINS, COIN), 0, 0.5, {}), ())


# What the package says of them.


@dataclass(frozen=True)
class Design:
    """Data, what is measured on them, and between which bounds it must be.

    `figures`: rejected (share of data sets in which the headline says that something differs), coverage (of
    the intervals of group shares), range (the interval shown for the widest range does not leave out 0),
    named (the confound with the seat is), confident (share of labels that are).
    `fewer`: one of so many data sets is made, of a design that takes long.
    `plain`: the bounds are those of a comparison without RANDOM, which is made as well.
    `truth`: mean true shares of `NAMES` in every group.
    """

    data: Callable[..., Data]
    figures: Mapping[str, tuple[float, float]]
    fewer: int = 1
    plain: bool = False
    truth: Sequence[float] = field(default_factory=lambda: EQUAL.tolist())


DESIGNS: dict[str, Design] = {
    "tremble": Design(tremble, {"rejected": LEVEL}),
    "opponents": Design(opponents, {"rejected": LEVEL}),
    "nothing": Design(nothing, {"rejected": NEAR_LEVEL}),
    "tft": Design(tft, {"rejected": (0.5, 1.0)}, plain=True),
    "subjects": Design(subjects, {"rejected": LEVEL}, fewer=2),
    "met": Design(met, {"rejected": LEVEL}, fewer=2),
    "sessions": Design(sessions, {"rejected": LEVEL}, fewer=2),
    "conditions": Design(conditions, {"rejected": LEVEL, "coverage": COVERAGE}),
    "correlated": Design(correlated, {"rejected": LEVEL}),
    "equal_seats": Design(equal_seats, {"rejected": (0.0, 0.10)}),
    "widest": Design(widest, {"range": (0.94, 1.0)}),
    "planned": Design(planned, {"rejected": (0.75, 0.85)}),
    "coins": Design(coins, {"confident": (0.0, 0.05)}, fewer=20),
    "three_models": Design(three_models, {"rejected": LEVEL, "coverage": COVERAGE}),
    "few_games": Design(few_games, {"rejected": LEVEL}),
    "persona_seat": Design(persona_seat, {"rejected": LEVEL, "named": (1.0, 1.0)}),
    "seat_effect": Design(seat_effect, {"named": (1.0, 1.0)}),
    "holm": Design(holm, {"rejected": LEVEL}),
    "persona_within": Design(persona_within, {"rejected": LEVEL}),
}

WAYS = {"default": None, "status": "status", "sfem": "sfem", "posterior": "posterior"}
"""Way of the comparison -> the option ``count``; None gives no option at all."""

PLAIN = (
    {"background": False},
    {"strategies": "canonical4", "background": False},
    {"strategies": "canonical4"},
)
"""Options that may leave RANDOM out of the estimate."""


def headline_p(result: Mapping[str, Any], factor: str, question: str | None = None) -> float | None:
    """p that the verdict on a factor follows, corrected for several factors; None where there is no test.

    Parameters
    ----------
    result : what ``intent compare --json`` prints
    factor : str
    question : str, optional
        Where the headline answers several, the one that is meant; default the first.
    """
    tests = [test for test in result["tests"] if test["factor"] == factor]
    if "headline" in result:
        entries = [entry for entry in result["headline"] if entry["factor"] == factor]
        entry = next((e for e in entries if e.get("question") == question), entries[0] if entries else None)
        if entry is None or entry["p"] is None:
            return None
        same = (t for t in tests if t["test"] == entry["test"] and t["p"] == entry["p"])
        own = next(same, entry)
        return float(entry.get("p_adjusted", own.get("p_adjusted", entry["p"])))
    found = {test["test"]: test["p_adjusted"] for test in tests}
    return next((float(found[name]) for name in DECIDING if name in found), None)


def rejected(result: Mapping[str, Any], question: str | None) -> float | None:
    """Whether some factor is said to make a difference, at 5 %; None where nothing is tested."""
    source = result.get("headline") or result["tests"]
    found = [headline_p(result, factor, question) for factor in dict.fromkeys(e["factor"] for e in source)]
    known = [p for p in found if p is not None]
    return float(min(known) <= ALPHA + 1e-12) if known else None


def intervals(result: Mapping[str, Any]) -> list[list[float]]:
    """Estimate, low and high of each of the four strategies in each group; NaN where there is none."""
    shares = [group["shares"].get(name) or {} for group in result["groups"] for name in NAMES]
    ends = ("estimate", "low", "high")
    return [[np.nan if s.get(end) is None else float(s[end]) for end in ends] for s in shares]


def widest_interval(result: Any) -> tuple[float, float] | None:
    """The interval of the widest range as the sentences show it; None where they show none."""
    said = result.to_dict()
    parts = [said.get("sentence") or "", *(e.get("sentence") or "" for e in said.get("headline") or ())]
    match = APART.search(" ".join(parts).replace("−", "-"))
    return None if match is None else (float(match[1]), float(match[2]))


def one(name: str, way: str, key: Sequence[int]) -> dict[str, Any]:
    """All figures of one data set of a design, compared in one way.

    Parameters
    ----------
    name : design
    way : of `WAYS`, or ``no RANDOM``
    key : seed, design and data set, whatever the way: the ways compare the same data
    """
    rng, design = np.random.default_rng(list(key)), DESIGNS[name]
    if name == "coins":
        start = time.perf_counter()
        status = intent.label(design.data(rng).log)["status"]
        return {"confident": float((status == "confident").mean()), "seconds": time.perf_counter() - start}
    count = WAYS.get(way)
    data = planned(rng, count) if name == "planned" else design.data(rng)
    start = time.perf_counter()
    result = without_random(data) if way == "no RANDOM" else _compared(data, count)
    if result is None:
        return {"absent": True}
    seconds = time.perf_counter() - start
    said = result.to_dict()
    questions = {e.get("question") for e in said.get("headline") or ()} - {None}
    ends = widest_interval(result)
    notes = [*said.get("confounds", ()), *said.get("notes", ()), *getattr(result, "notes", ())]
    return {
        "count": said.get("count"),
        "plain": "RANDOM" not in said["groups"][0]["shares"],
        "rejected": rejected(said, data.question),
        **({f"rejected {q}": rejected(said, q) for q in sorted(questions)} if len(questions) > 1 else {}),
        "intervals": intervals(said),
        "shown": float(ends is not None),
        "range": float(ends is None or ends[0] <= 0 <= ends[1]),
        "named": float(any("persona" in line and "seat" in line for line in notes)),
        "seconds": seconds,
    }


def _compared(data: Data, count: str | None) -> Any:
    return intent.compare(data.log, by=list(data.by), **({} if count is None else {"count": count}))


def without_random(data: Data) -> Any:
    """The estimate without RANDOM; None where the package has no option for that."""
    for options in PLAIN:
        try:
            result = intent.compare(data.log, by=list(data.by), **options)
        except (TypeError, intent.IntentError):
            continue
        said = result.to_dict()
        if said.get("count") in ("estimate", "sfem") and "RANDOM" not in said["groups"][0]["shares"]:
            return result
    return None


def coverage(rows: Sequence[dict[str, Any]], truth: Sequence[float]) -> np.ndarray:
    """(sets,) share of the intervals of each data set that hold the truth.

    The truth of counted labels is not that of the players: there it is the mean count over all data sets.
    """
    ends = np.array([row["intervals"] for row in rows])
    counted = rows[0]["count"] not in ("estimate", "sfem")
    true = ends[:, :, 0].mean(axis=0) if counted else np.tile(truth, ends.shape[1] // len(truth))
    held = (ends[:, :, 1] <= true + 1e-12) & (true <= ends[:, :, 2] + 1e-12)
    return np.asarray(np.where(np.isnan(ends[:, :, 1:]).any(axis=2), np.nan, held))


def figure(values: np.ndarray, draws: int = 1) -> tuple[float, float]:
    """Mean and its Monte Carlo standard error.

    Parameters
    ----------
    values : (sets,) share of `draws` independent ones in each data set, or (sets, k) that are dependent
    draws : int
    """
    if values.ndim > 1:
        means = np.nanmean(values, axis=1)
        error = means.std(ddof=1) / len(means) ** 0.5 if len(means) > 1 else 0.5
        return float(np.nanmean(values)), float(error)
    n, total = len(values) * draws, float(values.sum()) * draws
    near = (total + 2) / (n + 4)
    return total / n, (near * (1 - near) / (n + 4)) ** 0.5


def verdict(value: float, error: float, bounds: tuple[float, float]) -> str:
    """ok within the bounds, NOT beyond two standard errors of them or not measured, few between."""
    if np.isnan(value):
        return "NOT"
    away = max(bounds[0] - value, value - bounds[1], 0)
    return "ok" if away <= 1e-9 else "NOT" if away > 2 * error or bounds[0] == bounds[1] else "few"


def measure(
    name: str, way: str, sets: int, seed: int, spread: Callable[..., Any] = map
) -> list[dict[str, Any]]:
    """The figures of a design compared in one way, over so many data sets."""
    design, rows = DESIGNS[name], []
    place = list(DESIGNS).index(name)
    for row in spread(functools.partial(one, name, way), [(seed, place, i) for i in range(sets)]):
        rows.append(row)
        progress(f"{name}, {way}: {len(rows)} of {sets}")
    judged = way == "no RANDOM" or (way == "default" and (not design.plain or rows[0]["plain"]))
    more = sorted({key for row in rows for key in row if key.startswith("rejected ")})
    lines = []
    for key in [*design.figures, *more, *(["shown"] if "range" in design.figures else [])]:
        if key == "coverage":
            value, error = figure(coverage(rows, design.truth))
        else:
            values = np.array([row[key] for row in rows if row.get(key) is not None], dtype=float)
            value, error = (
                figure(values, COINS if key == "confident" else 1) if len(values) else (np.nan, np.nan)
            )
        if key == "range" and not any(row["shown"] for row in rows):
            value = np.nan
        bounds = design.figures.get(key) if judged else None
        measured = not np.isnan(value)
        lines.append(
            {
                "design": name,
                "way": way,
                "count": rows[0].get("count"),
                "figure": key,
                "value": value if measured else None,
                "error": error if measured else None,
                "must": bounds,
                "verdict": verdict(value, error, bounds) if bounds else None,
                "n": sets,
                "seconds": float(np.mean([row["seconds"] for row in rows])),
            }
        )
    return lines


def table(
    names: Sequence[str], ways: Sequence[str], sets: int, seed: int, spread: Callable[..., Any] = map
) -> Iterator[dict[str, Any]]:
    """The figures of all designs in all ways, line by line."""
    for name in names:
        own = max(-(-sets // DESIGNS[name].fewer), 1)
        counts: set[str | None] = set()
        for way in [*ways, *(["no RANDOM"] if DESIGNS[name].plain and "default" in ways else [])]:
            if (name == "coins" and way != "default") or WAYS.get(way) in counts:
                continue
            if way == "no RANDOM" and "absent" in one(name, way, (seed, 0, 0)):
                continue
            lines = measure(name, way, own, seed, spread)
            counts |= {line["count"] for line in lines}
            yield from lines


def progress(text: str) -> None:
    """Said on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<60}")


def line_of(row: Mapping[str, Any]) -> str:
    """A figure in a line."""
    way = f"{row['way']} ({row['count']})" if row["way"] == "default" and row["count"] else row["way"]
    name = row["figure"].replace("rejected in", "rej. in")
    if row["must"] is None:
        must = "describes labels" if row["count"] not in ("estimate", "sfem") else ""
    else:
        low, high = row["must"]
        must = f"{row['verdict']:<4}" + (
            f"<= {high:g}" if low == 0 else f">= {low:g}" if high == 1 else f"{low:g}-{high:g}"
        )
    value = "none shown    " if row["value"] is None else f"{row['value']:6.3f} ({row['error']:.3f})"
    return f"{row['design']:<15}{way:<19}{name:<30}{value}{row['n']:6d}{row['seconds']:7.2f} s  {must}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="1,000 data sets per design")
    parser.add_argument("--repetitions", type=int, metavar="N", help="data sets per design (12)")
    parser.add_argument("--design", action="append", choices=DESIGNS, help="only this one (repeatable)")
    parser.add_argument("--count", action="append", choices=WAYS, help="way to compare (default and status)")
    parser.add_argument("--workers", type=int, default=1, help="processes; the figures do not depend on it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    sets = options.repetitions or (1000 if options.full else 12)
    names, ways = options.design or list(DESIGNS), options.count or ["default", "status"]
    start, rows = time.perf_counter(), []
    if not options.json:
        print(f"{'design':<15}{'compared by':<19}{'figure':<30}value  (m.c. s.e.)  sets  each    must hold")
    with ProcessPoolExecutor(options.workers) as pool:
        spread = map if options.workers == 1 else functools.partial(pool.map, chunksize=4)
        for row in table(names, ways, sets, options.seed, spread):
            rows.append(row)
            if not options.json:
                print(line_of(row), flush=True)
    seconds = time.perf_counter() - start
    if options.json:
        print(json.dumps({"figures": rows, "seconds": seconds}))
        return
    failed = sum(row["verdict"] == "NOT" for row in rows)
    print(
        f"\n{failed} of {sum(row['must'] is not None for row in rows)} figures do not hold; {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
