"""What fair coins would get: the yardstick beside every table of statuses.

A player who tosses a coin for every move has no strategy. The share of such players that a recogniser would
call confident depends on how long the games are and on what the opponents do, so it is computed for the log
at hand: every trajectory keeps the other's moves and its own gaps, its own known moves are tossed, and the
result is labelled by the same recogniser with the same settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import BayesRecogniser, class_strategies
from intent.recognise.recogniser import Recogniser, summed_by
from intent.recognise.verdict import PER_KEY, LabelSettings, distinct, judge, play_keys
from intent.strategies.likelihood import complete_rows, deviations

__all__ = [
    "SAMPLED_ROWS",
    "CoinShares",
    "Situations",
    "coin_column",
    "coin_of_labels",
    "coin_sentence",
    "coin_shares",
    "mean_coin",
    "situation_keys",
]

SAMPLED_ROWS = 1 << 13
"""Trajectories of more than 16 rounds that stand for all of a log, drawn at random."""

_MOST_MOVES = {"counted": 1 << 24, "learned": 1 << 18}
"""Moves that are tossed in all: where plays with equally many deviations are judged once, and where not."""

_CHUNK = 1 << 14
"""Rows whose deviations are counted together: as many as a processor keeps at hand."""

_MOST_PLAYS = 1 << 14
"""Sampled plays: a share of one half then has a standard error of .004."""

_MOST_SLOW_PLAYS = 1 << 12
"""Sampled plays where the test of fit itself is Monte Carlo."""


@dataclass(frozen=True)
class CoinShares:
    """Of players who toss a coin for every move, the share with each status.

    Attributes
    ----------
    shares : status -> share
    exact : bool
        Whether all sequences of tosses were counted; else they are a random sample.
    se : float, the largest standard error of the shares; 0 where exact
    plays : int, sequences that were counted or drawn
    """

    shares: dict[str, float]
    exact: bool
    se: float
    plays: int

    def to_dict(self) -> dict[str, Any]:
        """The shares by status, then ``exact``, ``se`` and ``plays``."""
        return {**self.shares, "exact": self.exact, "se": self.se, "plays": self.plays}


@dataclass(frozen=True, eq=False)
class Situations:
    """What players of a log met: the other's moves, and which own moves are known; adds up over pieces.

    Up to 16 rounds each distinct situation is kept with its number of rows. Of longer play a random sample of
    `SAMPLED_ROWS` rows is kept, chosen by a hash of game and seat, so that it is the same for any pieces.

    Attributes
    ----------
    keys : (d,) uint64, as `situation_keys`, ascending; or None of longer play
    counts : (d,) int64
    ranks : (d,) uint64, of longer play: hashes of the rows, ascending
    X : Trajectories of d rows, own moves 0 where known; None where `keys` says all
    rounds : int
    """

    rounds: int = 0
    keys: NDArray[np.uint64] | None = None
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    ranks: NDArray[np.uint64] | None = None
    X: Trajectories | None = None

    @classmethod
    def of(cls, X: Trajectories) -> Self:
        """Of trajectories with keys game_id and seat (without, the row number stands for them)."""
        if X.shape[1] <= PER_KEY:
            return cls.of_keys(situation_keys(X), np.ones(len(X), dtype=np.int64), X.shape[1])
        ranks = _row_hashes(X)
        sample = np.argsort(ranks, kind="stable")[:SAMPLED_ROWS]
        return cls(
            X.shape[1],
            None,
            np.ones(len(sample), dtype=np.int64),
            ranks[sample],
            _untossed(X[sample]),
        )

    @classmethod
    def of_keys(cls, keys: NDArray[np.uint64], counts: NDArray[np.int64], rounds: int) -> Self:
        """Of situations by their keys, and how often each occurs."""
        there, codes = np.unique(keys, return_inverse=True)
        total = np.zeros(len(there), dtype=np.int64)
        np.add.at(total, codes, counts)
        return cls(rounds, there, total)

    def __add__(self, after: Situations) -> Situations:
        """Of both, which have no row in common."""
        if not len(self.counts) or not len(after.counts):
            return self if len(self.counts) else after
        counts = np.concatenate([self.counts, after.counts])
        if self.keys is not None and after.keys is not None:
            return Situations.of_keys(np.concatenate([self.keys, after.keys]), counts, self.rounds)
        assert self.ranks is not None
        assert after.ranks is not None
        assert self.X is not None
        assert after.X is not None
        ranks = np.concatenate([self.ranks, after.ranks])
        sample = np.argsort(ranks, kind="stable")[:SAMPLED_ROWS]
        X = Trajectories.concatenated([self.X, after.X])[sample]
        return Situations(self.rounds, None, counts[sample], ranks[sample], X)

    @cached_property
    def play(self) -> Trajectories:
        """The situations as trajectories, own moves 0 where known."""
        if self.X is not None:
            return self.X
        keys = np.zeros(0, dtype=np.uint64) if self.keys is None else self.keys
        shifts = np.arange(self.rounds - 1, -1, -1, dtype=np.uint64) * np.uint64(4)
        symbols = ((keys[:, None] >> shifts) & np.uint64(15)).astype(np.int8)
        own, other = symbols // 3, symbols % 3 - np.int8(1)
        return Trajectories(np.minimum(own, 1) - 1, other, evidence=own != 3)


def situation_keys(X: Trajectories) -> NDArray[np.uint64]:
    """Numbers that tell situations of up to 16 rounds apart, (n,)."""
    return play_keys(_untossed(X))[:, 0]


def coin_shares(
    situations: Situations | Trajectories,
    recogniser: Recogniser,
    settings: LabelSettings,
    *,
    subjects: NDArray[np.intp] | None = None,
    seed: int = 0,
) -> CoinShares | None:
    """Statuses of fair coins in the situations of a log; None where it has no rows.

    Where that is affordable, every sequence of tosses is counted with its probability: 1,024 in ten rounds,
    for each distinct situation. For the exact recogniser of deterministic strategies plays that deviate
    equally often from each of them share one label, so that few are judged. Else situations are drawn in
    proportion to their rows, and tossed.

    Parameters
    ----------
    situations : Situations, or Trajectories whose subjects are judged
    recogniser : fitted Recogniser, with RANDOM among its classes where that competes
    settings : LabelSettings
    subjects : (n,) int, 0 .. S - 1, optional
        Whose games the trajectories are: each subject tosses for all of its games.
    seed : int
        Of sampled tosses, and of the Monte Carlo test of fit.
    """
    rng = np.random.default_rng([seed, 0xC0])
    counted = _is_counted(recogniser)
    if subjects is not None:
        assert isinstance(situations, Trajectories)
        if not len(situations):
            return None
        return _of_subjects(situations, subjects, recogniser, settings, counted, rng)
    met = Situations.of(situations) if isinstance(situations, Trajectories) else situations
    if not len(met.counts):
        return None
    X, weights = met.play, met.counts / met.counts.sum()
    known = (X.own >= 0).sum(axis=1)
    moves = _MOST_MOVES["counted" if counted else "learned"] // max(X.shape[1], 1)
    exact = met.keys is not None and bool(known.max(initial=0) <= 24) and int((1 << known).sum()) <= moves
    if exact:
        rows, own = _every_toss(X)
        chance = (weights / (1 << known))[rows]
    else:
        most = _MOST_PLAYS if _has_exact_fit(recogniser) else _MOST_SLOW_PLAYS
        n = max(1_000, min(most, moves // 4))
        rows = np.minimum(np.searchsorted(weights.cumsum(), (np.arange(n) + rng.random()) / n), len(X) - 1)
        own = _tosses(X[rows], rng)
        chance = np.full(n, 1 / n)
    evidence = None if X.evidence_mask is None else X.evidence[rows]
    played = Trajectories(own, X.other[rows], evidence=evidence)
    status = _statuses(played, None, recogniser, settings, counted, rng)
    return _shares(status, chance, exact)


def mean_coin(parts: list[tuple[float, CoinShares]]) -> CoinShares | None:
    """The shares over parts of a log, weighted by their rows; None where there are none."""
    total = sum(weight for weight, _ in parts)
    if len(parts) < 2 or not total:
        return parts[0][1] if parts else None
    names = parts[0][1].shares
    return CoinShares(
        {s: sum(w * coin.shares[s] for w, coin in parts) / total for s in names},
        all(coin.exact for _, coin in parts),
        float(np.sqrt(sum((w * coin.se) ** 2 for w, coin in parts)) / total),
        sum(coin.plays for _, coin in parts),
    )


def _of_subjects(
    X: Trajectories,
    subjects: NDArray[np.intp],
    recogniser: Recogniser,
    settings: LabelSettings,
    counted: bool,
    rng: np.random.Generator,
) -> CoinShares:
    """Coins that play all games of a subject, subjects in turn until enough moves are tossed."""
    order = np.argsort(subjects, kind="stable")
    sizes = np.bincount(subjects)
    starts = np.cumsum(sizes) - sizes
    moves = _MOST_MOVES["counted"] // 4 if counted else _MOST_MOVES["learned"]
    n = int(np.clip(moves / (X.shape[1] * sizes.mean()), 200, _MOST_PLAYS if counted else _MOST_SLOW_PLAYS))
    # Every subject equally often, and the rest of the draws without repeats.
    whole, rest = divmod(n, len(sizes))
    drawn = np.concatenate([np.tile(np.arange(len(sizes)), whole), rng.permutation(len(sizes))[:rest]])
    of = np.repeat(np.arange(n), sizes[drawn])
    within = np.arange(len(of)) - np.repeat(np.cumsum(sizes[drawn]) - sizes[drawn], sizes[drawn])
    rows = order[starts[drawn][of] + within]
    part = X[rows]
    played = Trajectories(_tosses(part, rng), part.other, evidence=part.evidence_mask)
    status = _statuses(played, of, recogniser, settings, counted, rng)
    return _shares(status, np.full(n, 1 / n), exact=False)


def _statuses(
    X: Trajectories,
    subjects: NDArray[np.intp] | None,
    recogniser: Recogniser,
    settings: LabelSettings,
    counted: bool,
    rng: np.random.Generator,
) -> NDArray[np.object_]:
    """Status of each play, or of each subject's: plays that cannot differ in it are judged once."""
    if counted and complete_rows(X.own, X.other, X.evidence_mask)[0].all():
        assert isinstance(recogniser, BayesRecogniser)
        rules = [s for s in recogniser.strategies_ if s.is_deterministic]
        facts = np.empty((len(X), 1 + len(rules)), dtype=np.int64)
        facts[:, 0] = X.n_rounds
        for a in range(0, len(X), _CHUNK):
            part = slice(a, a + _CHUNK)
            mask = None if X.evidence_mask is None else X.evidence_mask[part]
            facts[part, 1:] = deviations(X.own[part], X.other[part], mask, rules)
        facts = facts if subjects is None else summed_by(facts, subjects)
        first, codes = distinct(_numbered(facts))
    elif subjects is None:
        first, codes = distinct(play_keys(X))
    else:
        return judge(X, recogniser, settings, rng, subjects).status
    if subjects is None:
        return judge(X[first], recogniser, settings, rng).status[codes]
    rows = np.flatnonzero(np.isin(subjects, first))
    status = judge(X[rows], recogniser, settings, rng, np.searchsorted(first, subjects[rows])).status
    return status[codes]


def _shares(status: NDArray[np.object_], chance: NDArray[np.float64], exact: bool) -> CoinShares:
    shares = {s: float(chance[status == s].sum()) for s in reversed(codebook.STATUSES)}
    n = len(chance)
    # Of n draws one more of either kind, so that a share of which none was drawn has an error too.
    near = [(share * n + 1) / (n + 2) for share in shares.values()]
    se = 0.0 if exact else max(float(np.sqrt(p * (1 - p) / n)) for p in near)
    return CoinShares(shares, exact, se, n)


def _is_counted(recogniser: Recogniser) -> bool:
    """Whether a label depends on the numbers of moves and of deviations alone."""
    return isinstance(recogniser, BayesRecogniser) and all(
        s.is_deterministic or s.is_background for s in recogniser.strategies_
    )


def _has_exact_fit(recogniser: Recogniser) -> bool:
    return all(s.is_deterministic or s.is_background for s in class_strategies(recogniser))


def _every_toss(X: Trajectories) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Rows (m,) and own moves (m, T): every sequence of tosses in every situation."""
    n_known = (X.own >= 0).sum(axis=1)
    sizes = 1 << n_known
    rows = np.repeat(np.arange(len(X)), sizes)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    own = np.full((len(rows), X.shape[1]), -1, dtype=np.int8)
    bit = np.cumsum(X.own >= 0, axis=1) - 1
    for t in range(X.shape[1]):
        if (X.own[:, t] >= 0).all():
            own[:, t] = (number >> bit[rows, t]) & 1
        else:
            tossed = (X.own[:, t] >= 0)[rows]
            own[:, t] = np.where(tossed, (number >> np.maximum(bit[rows, t], 0)) & 1, -1)
    return rows, own


def _tosses(X: Trajectories, rng: np.random.Generator) -> NDArray[np.int8]:
    """Own moves (n, T), tossed where known."""
    coins = rng.integers(0, 2, X.shape, dtype=np.int8)
    return np.where(X.own >= 0, coins, np.int8(-1))


def _untossed(X: Trajectories) -> Trajectories:
    """The trajectories with 0 for every known own move."""
    return Trajectories(np.where(X.own >= 0, np.int8(0), np.int8(-1)), X.other, evidence=X.evidence_mask)


def _numbered(facts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """(n, 1), equal where rows of non-negative numbers are."""
    codes = np.zeros(len(facts), dtype=np.int64)
    for column in facts.T:
        codes = pd.factorize(codes * (int(column.max(initial=0)) + 1) + column)[0].astype(np.int64)
    return codes.astype(np.uint64)[:, None]


def _row_hashes(X: Trajectories) -> NDArray[np.uint64]:
    """Random-looking numbers of game and seat, (n,)."""
    keys = X.keys if X.keys is not None else pd.DataFrame({"game_id": np.arange(len(X)), "seat": 1})
    games = keys["game_id"].astype("category")
    hashes = pd.util.hash_array(games.cat.categories.astype(str).to_numpy(dtype=object), categorize=False)
    seats = keys["seat"].to_numpy(dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed: NDArray[np.uint64] = hashes[games.cat.codes.to_numpy()].astype(np.uint64) + seats
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    hashed: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return hashed


def coin_column(coin: Mapping[str, Any] | None) -> dict[str, str]:
    """Status -> share of fair coins in percent; empty where nothing is known of them.

    Parameters
    ----------
    coin : as `CoinShares.to_dict`, from a file that anybody may have written
    """
    if not isinstance(coin, Mapping) or not all(_is_share(coin.get(s)) for s in codebook.STATUSES):
        return {}
    return {s: f"{coin[s]:.1%}" for s in codebook.STATUSES}


def coin_of_labels(provenance: object, n: int) -> Mapping[str, Any] | None:
    """What a table of labels says of fair coins, where that is of as many rows as are looked at; else None.

    The coin is of the rows that the summary counts. It is no yardstick for other rows of the table: those of
    some games or seats, or those of strategies besides.

    Parameters
    ----------
    provenance : of the table, from a file that anybody may have written
    n : int
        Rows that are looked at.
    """
    summary = provenance.get("summary") if isinstance(provenance, Mapping) else None
    coin = summary.get("coin") if isinstance(summary, Mapping) and summary.get("n") == n else None
    return coin if isinstance(coin, Mapping) else None


def coin_sentence(coin: Mapping[str, Any], games: str = "these games") -> str:
    """What the column says, and how exact it is.

    Parameters
    ----------
    coin : as `coin_column`, with all statuses
    games : the games that it is of
    """
    how = "counted exactly"
    if not coin.get("exact"):
        error, plays = coin.get("se", 1.0), coin.get("plays")
        drawn = f"from {plays:,} sampled plays" if isinstance(plays, int) else "from sampled plays"
        how = drawn + (f", standard error at most {100 * error:.1f} points" if _is_share(error) else "")
    return f"fair coins get: players who toss a coin for every move of {games} ({how})"


def _is_share(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= 1 + 1e-9
