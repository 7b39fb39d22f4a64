"""A planned study, played out: games by the strategies' own tables, and the test that a comparison makes.

Two groups differ in the shares of their strategies. Whole studies of the design are played move by move, so
that who meets whom, which seats are labelled, repeats of a condition and subjects who return cost what they
cost; the share of studies whose test finds the difference is the power.

How likely a difference between two groups is to be found, and how many games that takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.comparison.groups import ABSTENTIONS
from intent.comparison.sensitivity import weights_under
from intent.comparison.shares import EstimatedShares, Subjects
from intent.comparison.tests import share_tests
from intent.estimate.contrast import GroupPlay
from intent.estimate.counts import Counts, count_moves, patterns
from intent.estimate.design_units import FEWEST, DesignUnits, Unit
from intent.logs.gamelog import Trajectories
from intent.play.corpora import Automaton, Mixture, Opponent, Recorded, SelfPlay, play_matches
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.verdict import LabelSettings, judge
from intent.strategies.catalogue import Strategy

__all__ = [
    "COUNTS",
    "MOST_GAMES",
    "Curve",
    "Design",
    "Played",
    "Search",
    "games_needed",
    "mean_power",
    "play_studies",
    "search",
    "shifted",
    "study_tests",
]


COUNTS = ("estimate", "status", "posterior", "best")
"""What is compared: estimated shares, or labels in one of the ways in which they are counted."""

EACH_OTHER = SelfPlay()
"""Players of a group meet each other."""

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

_DRAWS = 499
"""From the distribution of each test's statistic; a study is one of hundreds."""

_PERMUTATIONS = 499


@dataclass(frozen=True)
class Design:
    """A study of two groups with equally many games.

    Parameters
    ----------
    strategies : tuple of K Strategy
        Those that are played, and whose mixture is estimated.
    first, second : tuple of K float, true shares of the two groups
    eps : (float, float) in [0, .5)
        Noise of the players of each group, per move.
    opponent : Opponent
        ``SelfPlay``: a player of the same group, drawn from its shares like any other. Opponents that are
        named play without noise.
    seats : int
        Labelled seats of a game: 2 where players meet each other, else 1.
    alike : float in [0, 1]
        Probability that the second seat of a game has the strategy of the first, whatever its own draw:
        the correlation of the seats at given shares.
    repeats : int
        Games of each condition. Conditions differ between the groups.
    spread : float in [0, 1]
        How much shares vary between conditions: those of a condition are drawn from a Dirichlet distribution
        with the group's shares as mean, such that two games of a condition are correlated by so much.
    returns : int
        Games of each subject, all with one strategy. Subjects meet others of their group at random.
    count : str
        Of `COUNTS`.
    alpha : float in (0, 1), level of the test

    Raises
    ------
    UsageError
        Settings that exclude each other.
    """

    strategies: tuple[Strategy, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    eps: tuple[float, float]
    rounds: int
    opponent: Opponent = EACH_OTHER
    seats: int = 2
    alike: float = 0.0
    repeats: int = 1
    spread: float = 0.0
    returns: int = 1
    count: str = "estimate"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.seats == 2 and not isinstance(self.opponent, SelfPlay):
            raise UsageError(
                f"--seats 2 against {self.opponent.name}: opponents that are named are not labelled, "
                "expected --seats 1, or --opponent self"
            )
        if self.returns > 1 and (self.repeats > 1 or self.alike > 0):
            raise UsageError(
                "--games-per-subject: subjects meet others at random, expected neither --repeats nor --icc"
            )

    @property
    def step(self) -> int:
        """Games per group come in multiples of this: whole conditions, subjects who all play as often."""
        return max(self.repeats, self.returns)

    @property
    def fewest(self) -> int:
        """Games per group from which the claim is about conditions (or subjects) like these."""
        return max(FEWEST * self.step, 8)

    @property
    def design_effect(self) -> float:
        """Labelled rows over the independent rows that they are worth, for the share of a strategy.

        1 + (m - 1) a + m (r - 1) s, for m seats correlated by a = s + (1 - s) alike, r repeats and spread s;
        the games of a subject where subjects return.
        """
        if self.returns > 1:
            return float(self.returns)
        same = self.spread + (1 - self.spread) * self.alike
        return 1 + (self.seats - 1) * same + self.seats * (self.repeats - 1) * self.spread

    def whole(self, games: float) -> int:
        """The least number of games per group, no less than so many, of which the design can be made."""
        return self.step * max(2, -(-int(np.ceil(games - 1e-9)) // self.step))

    def unit(self, games: int) -> Unit:
        """The unit of independence of one study, by labelled subject, as `design_units` reads it off."""
        size = self.subjects(games)
        both = np.arange(2 * size)
        if self.returns > 1:
            return Unit("player", both, ("player",), "among subjects like these", "subjects return")
        if self.repeats > 1 and games // self.repeats >= FEWEST:
            of = both // (self.seats * self.repeats)
            return Unit("condition", of, ("cell",), "in conditions like these", "games repeat conditions")
        return Unit("game", both // self.seats, ("game_id",), "in these conditions", "games are drawn")

    def subjects(self, games: int) -> int:
        """Labelled subjects of a group."""
        return games * self.seats // self.returns


@dataclass(frozen=True, eq=False)
class PlayedStudies:
    """Several studies of one design.

    Parameters
    ----------
    X : Trajectories of S x 2 x games x seats rows, study by study, group by group
    kind : (n,) strategy of each row
    subject : (n,) subject of each row, numbered study by study, group by group
    """

    design: Design
    games: int
    X: Trajectories
    kind: Codes
    subject: Codes


def play_studies(design: Design, games: int, studies: int, rng: np.random.Generator) -> PlayedStudies:
    """Play so many studies of `games` games per group.

    1. Strategies of the seats are drawn, and of the opponents (`Design`).
    2. Games of the same two strategies are played at once (`play_matches`).

    Parameters
    ----------
    games : int, per group; a multiple of `Design.step`
    """
    drawn = [_kinds(design, g, games, studies, rng) for g in (0, 1)]
    kinds, subject = (np.stack([d[i] for d in drawn], axis=1) for i in (0, 1))
    size = design.subjects(games)
    start = size * np.arange(2 * studies).reshape(studies, 2, 1, 1)
    flat = kinds.reshape(-1, 2)
    eps = np.broadcast_to(np.asarray(design.eps)[None, :, None], kinds.shape[:3]).reshape(-1)
    own = np.empty((design.rounds, len(flat)), dtype=np.uint8)
    other = np.empty_like(own)
    for places, strategy, against in _pairings(design, flat, rng):
        x = np.empty((design.rounds, len(places)), dtype=np.uint8)
        y = np.empty_like(x)
        noise = np.zeros((len(places), 2))
        noise[:, 0] = eps[places]
        if isinstance(against, _Player):
            noise[:, 1] = eps[places]
            against = against.automaton
        play_matches(x, y, strategy, against, noise, rng)
        own[:, places], other[:, places] = x, y
    if design.seats == 2:
        mine = np.stack([own, other], axis=2).reshape(design.rounds, -1)
        theirs = np.stack([other, own], axis=2).reshape(design.rounds, -1)
        kind = flat.reshape(-1)
    else:
        mine, theirs, kind = own, other, flat[:, 0]
    of = (subject[..., : design.seats] + start).reshape(-1)
    X = Trajectories(mine.T.view(np.int8), theirs.T.view(np.int8), (theirs < 2).T)
    return PlayedStudies(design, games, X, kind, of)


@dataclass(frozen=True)
class _Player:
    """An opponent who is a player of the group."""

    automaton: Automaton


def _kinds(
    design: Design, group: int, games: int, studies: int, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """(studies, games, 2) strategies of the seats, and the subject of each within its study and group.

    Where opponents are named, the second seat is not used.
    """
    shares = np.asarray((design.first, design.second)[group])
    shape = (studies, games, 2)
    if design.returns > 1:
        size = design.subjects(games)
        own = _drawn(np.broadcast_to(shares, (studies, size, len(shares))), rng)
        if design.seats == 1:
            subject = np.tile(np.arange(games)[:, None] // design.returns, (studies, 1, 2))
            met = _drawn(np.broadcast_to(shares, (studies, games, len(shares))), rng)
            return np.stack([np.take_along_axis(own, subject[..., 0], axis=1), met], axis=2), subject
        order = rng.random((studies, design.returns, size)).argsort(axis=2)
        subject = order.reshape(studies, -1)[:, : 2 * games].reshape(shape)
        return np.take_along_axis(own, subject.reshape(studies, -1), axis=1).reshape(shape), subject
    cells = -(-games // design.repeats)
    of_cells = _dirichlet(shares, design.spread if design.repeats > 1 else 0.0, (studies, cells), rng)
    of_games = of_cells.repeat(design.repeats, axis=1)[:, :games]
    kinds = _drawn(of_games[:, :, None, :].repeat(2, axis=2), rng)
    same = rng.random((studies, games)) < design.alike
    kinds[..., 1] = np.where(same, kinds[..., 0], kinds[..., 1])
    subject = np.broadcast_to(
        np.arange(games * design.seats).reshape(games, design.seats), (studies, games, design.seats)
    )
    return kinds, np.asarray(subject)


def _drawn(shares: Floats, rng: np.random.Generator) -> Codes:
    """One of K, with probabilities `shares` (..., K)."""
    ends = shares.cumsum(axis=-1)[..., :-1]
    return np.asarray((rng.random(shares.shape[:-1])[..., None] >= ends).sum(axis=-1), dtype=np.intp)


def _dirichlet(shares: Floats, spread: float, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """(*shape, K) shares of conditions: mean `shares`, variance p (1 - p) spread."""
    if spread <= 0:
        return np.broadcast_to(shares, (*shape, len(shares)))
    if spread >= 1:
        return np.eye(len(shares))[_drawn(np.broadcast_to(shares, (*shape, len(shares))), rng)]
    out = np.zeros((*shape, len(shares)))
    some = shares > 0
    out[..., some] = rng.dirichlet(shares[some] * (1 - spread) / spread, shape)
    return out


def _pairings(
    design: Design, kinds: Codes, rng: np.random.Generator
) -> Iterator[tuple[Codes, Strategy, Automaton | Recorded | _Player]]:
    """Games of the same two strategies: their places, the first seat's strategy, whom it meets."""
    players = [_Player(Automaton(s)) for s in design.strategies]
    parts = design.opponent.parts if isinstance(design.opponent, Mixture) else (design.opponent,)
    weights = np.asarray(design.opponent.weights if isinstance(design.opponent, Mixture) else (1.0,))
    part = rng.choice(len(parts), size=len(kinds), p=weights / weights.sum())
    for i, opponent in enumerate(parts):
        for k, strategy in enumerate(design.strategies):
            mine = (part == i) & (kinds[:, 0] == k)
            if not isinstance(opponent, SelfPlay):
                if mine.any():
                    yield np.flatnonzero(mine), strategy, opponent
                continue
            for j, player in enumerate(players):
                places = np.flatnonzero(mine & (kinds[:, 1] == j))
                if len(places):
                    yield places, strategy, player


def study_tests(played: PlayedStudies, target: int, rng: np.random.Generator) -> Floats:
    """What each study finds.

    Parameters
    ----------
    played : PlayedStudies of S studies
    target : int, the strategy whose share differs

    Returns
    -------
    (S, 4) float
        1 where the groups differ at level alpha, else 0; the difference in the share of `target` as it is
        estimated or counted; and where labels are counted, the shares of the first group's rows, and of the
        rows that play `target`, that are labelled with a strategy, and with `target` (else NaN).
    """
    if played.design.count == "estimate":
        return _by_estimates(played, target, rng)
    return _by_labels(played, target, rng)


def _by_estimates(played: PlayedStudies, target: int, rng: np.random.Generator) -> Floats:
    design = played.design
    counts = count_moves(played.X, played.subject, design.strategies)
    size = design.subjects(played.games)
    unit = design.unit(played.games)
    both = 2 * size
    table = pd.DataFrame({"group": np.arange(2).repeat(size)})
    names = tuple(s.name for s in design.strategies)
    out = np.full((len(counts) // both, 4), np.nan)
    for s in range(len(out)):
        subjects = Subjects(
            table, np.arange(both), DesignUnits(unit), names, partial(_play, counts, s * both)
        )
        shares = EstimatedShares(
            subjects, ("group",), 1 - design.alpha, int(rng.integers(2**31)), draws=_DRAWS
        )
        first, second = shares.joint.fits
        tests = shares.tests(("group",))
        out[s, 0] = float(bool(tests) and tests[0].p <= design.alpha + 1e-12)
        out[s, 1] = second.shares[target] - first.shares[target]
    return out


def _play(counts: Counts, start: int, rows: Codes, subject: Codes) -> GroupPlay:
    return GroupPlay(*patterns(counts.take(start + rows)))


def _by_labels(played: PlayedStudies, target: int, rng: np.random.Generator) -> Floats:
    """The labels of the exact Bayes recogniser that knows the noise of each group."""
    design, n = played.design, len(played.X)
    k = len(design.strategies)
    per_study = 2 * played.games * design.seats
    group = np.tile(np.arange(2).repeat(per_study // 2), n // per_study)
    weights = np.zeros((n, k + len(ABSTENTIONS)))
    for g, eps in enumerate(design.eps):
        rows = np.flatnonzero(group == g)
        recogniser = BayesRecogniser(design.strategies, eps=eps).fit()
        verdict = judge(played.X[rows], recogniser, LabelSettings(), rng)
        counted = weights_under(verdict, [s.name for s in design.strategies], design.count).weights
        weights[rows, : counted.shape[1]] = counted
    units = design.unit(played.games).codes
    out = np.empty((n // per_study, 4))
    for s in range(len(out)):
        part = slice(s * per_study, (s + 1) * per_study)
        own, of = weights[part], group[part]
        clusters = units[played.subject[part] - played.subject[part].min()]
        tests = share_tests("group", own, of, clusters, permutations=_PERMUTATIONS, rng=rng)
        decisive = next((t for t in tests if t.test == "permutation"), tests[-1] if tests else None)
        out[s, 0] = float(decisive is not None and decisive.p <= design.alpha + 1e-12)
        out[s, 1] = own[of == 1, target].mean() - own[of == 0, target].mean()
        out[s, 2] = own[of == 0, :k].sum(axis=1).mean()
        plays = played.kind[part] == target
        out[s, 3] = own[plays, target].mean() if plays.any() else np.nan
    return out


MOST_GAMES = 10_000_000
"""Games per group beyond which none are said to be enough."""


def shifted(shares: Floats, which: int, difference: float) -> Floats:
    """Shares with one of them larger by `difference`, the others smaller in proportion.

    Raises
    ------
    UsageError
        A share would leave [0, 1].
    """
    own = float(shares[which]) + difference
    if not 0 <= own <= 1 or (shares[which] >= 1 and difference != 0):
        raise UsageError(
            f"a difference of {difference:g} from a share of {shares[which]:g}, "
            "expected shares within 0 and 1"
        )
    others = shares * (1 - own) / (1 - shares[which]) if shares[which] < 1 else shares.copy()
    others[which] = own
    return np.asarray(others)


def mean_power(difference: float, sd: float, rows: float, deff: float = 1.0, alpha: float = 0.05) -> float:
    """Power of the two-sided test of two means, normal approximation.

    With d = |difference| / (sd (2 deff / rows)^1/2): P(|Z + d| > z).

    Parameters
    ----------
    rows : float
        Per group.
    deff : float, at least 1
        Kish's design effect.
    alpha : float in (0, 1)
    """
    from scipy.special import ndtr, ndtri

    d, z = abs(difference) / (sd * math.sqrt(2 * deff / rows)), float(ndtri(1 - alpha / 2))
    return float(ndtr(d - z) + ndtr(-d - z))


def games_needed(power: Callable[[float], float], target: float) -> int | None:
    """The fewest games per group whose power reaches the target; None beyond `MOST_GAMES`.

    Parameters
    ----------
    power : callable
        Games -> power, never falling.
    target : float in (0, 1)
    """
    if power(MOST_GAMES) < target:
        return None
    low, high = 1, MOST_GAMES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle + 1, high)
    return low


@dataclass(frozen=True)
class Played:
    """Studies of one size: so many games per group, so many studies, and those of them that rejected."""

    games: int
    studies: int
    rejected: int

    @property
    def power(self) -> float:
        """Share of the studies."""
        return self.rejected / self.studies

    @property
    def se(self) -> float:
        """Its Monte Carlo standard error, of a share that is not quite 0 or 1."""
        near = (self.rejected + 2) / (self.studies + 4)
        return float(np.sqrt(near * (1 - near) / (self.studies + 4)))


@dataclass(frozen=True)
class Curve:
    """Power of a test of level alpha whose statistic is noncentral chi-square: lambda = per_game x games.

    Parameters
    ----------
    df : float, not a whole number: shares near zero cost less than one each
    """

    alpha: float
    df: float
    per_game: float

    def power(self, games: Any) -> Any:
        """Of studies of so many games per group."""
        from scipy.special import chdtri, chndtr

        return 1 - chndtr(chdtri(self.df, self.alpha), self.df, np.asarray(games) * self.per_game)

    def games(self, target: float) -> float:
        """Games per group for that power."""
        from scipy.special import chdtri, chndtrinc

        reach = float(chndtrinc(chdtri(self.df, self.alpha), self.df, 1 - target))
        return reach / self.per_game

    @classmethod
    def fitted(cls, played: Sequence[Played], alpha: float) -> Curve:
        """The curve by maximum likelihood."""
        from scipy.optimize import minimize

        games = np.array([p.games for p in played], dtype=float)
        yes = np.array([p.rejected for p in played], dtype=float)
        no = np.array([p.studies for p in played]) - yes

        def deviance(at: Floats) -> float:
            power = np.clip(cls(alpha, *np.exp(at)).power(games), 1e-6, 1 - 1e-6)
            return -float((yes * np.log(power) + no * np.log1p(-power)).sum())

        ends = [(0.0, math.log(_MOST_DF)), (-25.0, 5.0)]
        middle = math.log(10 / float(np.average(games, weights=yes + no)))
        begins = [np.array([math.log(4.0), middle + more]) for more in (-1.5, 0.0, 1.5)]
        optima = [minimize(deviance, at, method="L-BFGS-B", bounds=ends) for at in begins]
        best = min(optima, key=lambda one: float(one.fun))
        return cls(alpha, *map(float, np.exp(best.x)))


@dataclass(frozen=True)
class Search:
    """What was played on the way to the numbers of games, and what came of it.

    Parameters
    ----------
    needed : tuple of int or None, games per group for each target
    checked : Played or None, studies of the number for the first target, played once that was fixed
    played : tuple of Played, all of them
    """

    curve: Curve
    needed: tuple[int | None, ...]
    checked: Played | None
    played: tuple[Played, ...]


_FIRST, _MOST_DF, _CHECKS = 32, 30.0, 4

_NEAR, _TOLERANCE = 0.02, 0.03
"""A number is recommended whose power is so near to its target: by all that was played, and by its check."""


def search(
    play: Callable[[int, int], int],
    targets: Sequence[float],
    *,
    whole: Callable[[float], int],
    fewest: int = 8,
    most: int = 20_000,
    check: int = 200,
    alpha: float = 0.05,
) -> Search:
    """The fewest games per group that reach each power, by playing studies.

    1. Few studies of few games, of twice as many, ... until most of them reject.
    2. A curve through all of them (`Curve`); more studies where it reaches the targets; and again.
    3. `check` new studies of the number for the first target; where they, or all studies together, say that
       its power is off, the number is moved and checked again.

    Parameters
    ----------
    play : callable
        Games per group and studies -> studies that reject.
    targets : sequence of float in (0, 1)
    whole : callable
        The least number of games of which the design can be made, no less than so many.
    fewest, most : int, games per group
    check : int, studies
    alpha : float, level of the test
    """
    played: list[Played] = []

    def add(games: int, studies: int) -> Played:
        played.append(Played(games, studies, play(games, studies)))
        return played[-1]

    def needed(target: float) -> int:
        return whole(min(max(Curve.fitted(played, alpha).games(target), fewest), 2 * most))

    n = whole(max(fewest, _FIRST))
    while add(n, 16).power < max(0.75, *(t - 0.1 for t in targets)) and n < most:
        n = whole(min(2 * n, most))
    first, *others = targets
    for target, studies in ((first, 60), *((t, 40) for t in others), (first, 80)):
        if needed(target) <= most:
            add(needed(target), studies)
    checked, n = None, needed(first)
    for _ in range(_CHECKS if n <= most else 0):
        checked = add(n, check)
        better = needed(first)
        off = abs(float(Curve.fitted(played, alpha).power(n)) - first)
        alone = abs(checked.power - first)
        if better == n or better > most or (off <= _NEAR and alone <= _TOLERANCE):
            break
        n = better
    numbers = [needed(t) for t in targets]
    if checked is not None:
        numbers[0] = checked.games
        numbers = [max(a, numbers[0]) if t > first else a for a, t in zip(numbers, targets, strict=True)]
    within = tuple(a if a <= most else None for a in numbers)
    return Search(Curve.fitted(played, alpha), within, checked, tuple(played))
