"""What a label is made of: posterior, ties, consistency, rules, goodness of fit, status.

Each distinct play is judged once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base import codebook
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import (
    assumed_noise,
    class_strategies,
    eps_nodes,
    log_evidence,
    trajectory_likelihood,
)
from intent.recognise.labels.request import LabelRequest
from intent.recognise.recogniser import Recogniser, most_probable, summed_by
from intent.strategies.catalogue import Strategy, replay
from intent.strategies.likelihood import (
    complete_rows,
    composed,
    cooperation_probability,
    deviations,
    log_likelihood,
)

__all__ = [
    "LIMIT_PLAYS",
    "PER_KEY",
    "RULE_CLASSES",
    "TIE",
    "CodedTable",
    "KnownPlays",
    "LabelSettings",
    "Verdict",
    "distinct",
    "fit_probability",
    "judge",
    "label_table",
    "play_keys",
    "satisfied_rules",
    "subject_keys",
    "with_gap",
]


Floats = NDArray[np.float64]
Moves = NDArray[np.int8]


def fit_probability(
    X: Trajectories,
    strategies: Sequence[Strategy],
    best: NDArray[np.intp],
    eps: float | str,
    rng: np.random.Generator,
    *,
    eps_prior: tuple[float, ...] = (0.0, 0.2),
    samples: int = 2000,
    subjects: NDArray[np.intp] | None = None,
) -> Floats:
    """Probability, under the best strategy and eps, of play at least as unlikely as seen.

    Deterministic strategies: the number of deviations m is Binomial(n_rounds, eps), so P(M >= m), exact.
    Stochastic ones: the log-likelihood of `samples` plays of the strategy against the same opponent moves,
    p = (1 + #{ll* <= ll}) / (1 + samples).

    With eps integrated, a posterior predictive p (Gelman, Meng & Stern 1996): the mean of p over the
    posterior of eps, exact for deterministic strategies (a polynomial of degree 2T); for stochastic ones
    each play is made, and judged, at an eps from that posterior. It is milder than one at a known eps,
    since play that fits badly makes a large eps likely.

    Where the game flips decisions, decisions are judged, and plays that are made are flipped in the same
    rounds; where decisions are not recorded, the moves are judged at eps and the known error together (of
    several games of a subject, at the mean of their errors).

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    best : (n,) index of the best strategy
    eps : float in [0, .5), or "integrate"
    rng : numpy Generator
        One number is drawn, from which each distinct history gets a stream of its own.
    eps_prior : as `eps_nodes`
    samples : int
    subjects : (n,) int, 0 .. S - 1, optional
        Whose histories each are: those of one subject are judged together, and `best` is (S,).

    Returns
    -------
    (n,) or (S,), in [0, 1]

    References
    ----------
    Gelman, Meng & Stern 1996, Statistica Sinica 6:733.
    """
    owners = np.arange(len(X)) if subjects is None else subjects
    if eps == "integrate":
        most = X.shape[1] if subjects is None else np.bincount(owners, weights=X.n_rounds).max(initial=1)
        nodes, weights = eps_nodes(eps_prior, 2 * int(most))
    else:
        nodes, weights = np.array([float(eps)]), np.ones(1)
    base = int(rng.integers(1 << 62))
    p = np.empty(len(best))
    errors = np.zeros(len(best))
    if X.implementation_error is not None:
        errors = summed_by(X.implementation_error, owners) / np.bincount(owners, minlength=len(best))
    for k, error in product(np.unique(best), np.unique(errors)):
        whose, s = np.flatnonzero((best == k) & (errors == error)), strategies[k]
        if not len(whose):
            continue
        if s.is_background:
            p[whose] = 1.0
            continue
        rows = whose if subjects is None else np.flatnonzero(np.isin(owners, whose))
        part, noise = X[rows], composed(nodes, error)
        part.implementation_error = None
        codes = None if subjects is None else np.searchsorted(whose, owners[rows])
        posterior, possible = _posterior(part, s, noise, weights, codes)
        if s.is_deterministic:
            p[whose] = (_binomial(part, s, noise, codes) * posterior).sum(axis=1)
        elif codes is None:
            p[whose] = _sampled(part, s, noise, posterior, base, samples)
        else:
            p[whose] = _sampled_together(part, s, noise, posterior, base, samples, codes)
        p[whose[~possible]] = 0.0
    return p


def _posterior(
    X: Trajectories, s: Strategy, nodes: Floats, weights: Floats, codes: NDArray[np.intp] | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Posterior of eps on the nodes (n, E), and whether any node allows the history (n,)."""
    if len(nodes) == 1:
        n = len(X) if codes is None else int(codes.max(initial=-1)) + 1
        return np.ones((n, 1)), np.ones(n, dtype=bool)
    ll = trajectory_likelihood(X, [s], nodes)[:, 0, :]
    if codes is not None:
        ll = summed_by(ll, codes)
    top = ll.max(axis=1, keepdims=True)
    possible = np.isfinite(top[:, 0])
    posterior = np.exp(ll - np.where(possible[:, None], top, 0.0)) * weights
    posterior[~possible] = weights
    return posterior / posterior.sum(axis=1, keepdims=True), possible


def _binomial(X: Trajectories, s: Strategy, nodes: Floats, codes: NDArray[np.intp] | None) -> Floats:
    """P(M >= m) for M ~ Binomial(n_rounds, eps): (n, E)."""
    from scipy.special import bdtrc

    m = deviations(X.own, X.other, X.evidence_mask, [s], X.decided)[:, 0]
    n = X.n_rounds
    if codes is not None:
        m, n = summed_by(m, codes), summed_by(n, codes)
    tail = np.where(m[:, None] == 0, 1.0, bdtrc(np.maximum(m - 1, 0)[:, None], n[:, None], nodes[None, :]))
    return np.where((nodes == 0)[None, :] & (m > 0)[:, None], 0.0, tail)


def _sampled(
    X: Trajectories, s: Strategy, nodes: Floats, posterior: Floats, base: int, samples: int
) -> Floats:
    """Monte Carlo p against the recorded opponent, once per distinct history: (n,).

    Every history has a random stream of its own, so that its p does not depend on the rest of the log. The
    plays are shared out among the nodes in proportion to the posterior of eps.
    """
    packed = np.concatenate([X.own, X.other, X.evidence.astype(np.int8), X.decisions], axis=1)
    _, first, back = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    every = X[first]
    observed = trajectory_likelihood(every, [s], nodes)[:, 0]
    known_path = complete_rows(every.own, every.other, every.evidence_mask)[0] & s.observed_path
    places = (np.arange(samples) + 0.5) / samples
    out = np.empty(len(first))
    for i in range(len(first)):
        node = np.minimum(np.searchsorted(posterior[first[i]].cumsum(), places), len(nodes) - 1)
        drawn = _drawn(every, i, s, nodes, node, [base], bool(known_path[i]))
        out[i] = (1 + (drawn <= observed[i, node] + 1e-9).sum()) / (1 + samples)
    return out[back.reshape(-1)]


def _sampled_together(
    X: Trajectories,
    s: Strategy,
    nodes: Floats,
    posterior: Floats,
    base: int,
    samples: int,
    codes: NDArray[np.intp],
) -> Floats:
    """As `_sampled`, of all histories of each subject: in a draw its games are played anew at one eps."""
    observed = summed_by(trajectory_likelihood(X, [s], nodes)[:, 0], codes)
    known_path = complete_rows(X.own, X.other, X.evidence_mask)[0] & s.observed_path
    places = (np.arange(samples) + 0.5) / samples
    out = np.empty(len(observed))
    rows_of = np.split(np.argsort(codes, kind="stable"), np.bincount(codes).cumsum()[:-1])
    for g, rows in enumerate(rows_of):
        node = np.minimum(np.searchsorted(posterior[g].cumsum(), places), len(nodes) - 1)
        # Equal histories of one subject are different games: their number tells their streams apart.
        drawn = np.zeros(samples)
        for number, i in enumerate(rows.tolist()):
            drawn += _drawn(X, i, s, nodes, node, [base, number], bool(known_path[i]))
        out[g] = (1 + (drawn <= observed[g, node] + 1e-9).sum()) / (1 + samples)
    return out


def _drawn(
    X: Trajectories,
    i: int,
    s: Strategy,
    nodes: Floats,
    node: NDArray[np.intp],
    seed: list[int],
    known_path: bool,
) -> Floats:
    """Log-likelihoods (m,) of plays of a strategy against the opponent of history i, each at its own eps."""
    own, other, counts = X.own[i], X.other[i], X.evidence[i]
    last = int(np.flatnonzero((own >= 0) | (other >= 0)).max(initial=-1)) + 1
    flipped = (X.decisions[i] != X.own[i])[:last]
    own, other, counts = own[:last], other[:last], counts[:last]
    text = own.tobytes() + other.tobytes() + counts.tobytes() + (flipped.tobytes() if flipped.any() else b"")
    digest = hashlib.blake2b(text, digest_size=8).digest()
    rng = np.random.default_rng([*seed, int.from_bytes(digest, "little")])
    played, states = replay(s, np.repeat(other[None], len(node), axis=0), nodes[node], rng, flipped)
    if known_path:
        return _along_path(s, played, states, counts, nodes, node)
    return _by_node(s, np.where(own < 0, np.int8(-1), played), other, counts, nodes, node, flipped)


def _along_path(
    s: Strategy,
    played: Moves,
    states: NDArray[np.intp],
    counts: NDArray[np.bool_],
    nodes: Floats,
    node: NDArray[np.intp],
) -> Floats:
    """Log-likelihood (m,) of plays whose states are known, each at its own eps."""
    q = cooperation_probability(s.arrays()[0], nodes)
    with np.errstate(divide="ignore"):
        table = np.stack([np.log1p(-q), np.log(q)])
    total: Floats = table[played[:, counts], states[:, counts], node[:, None]].sum(axis=1)
    return total


def _by_node(
    s: Strategy,
    played: Moves,
    other: Moves,
    counts: NDArray[np.bool_],
    nodes: Floats,
    node: NDArray[np.intp],
    flipped: NDArray[np.bool_],
) -> Floats:
    """Log-likelihood (m,) of plays with unknown moves or intentions, each at its own eps."""
    out = np.empty(len(played))
    for e in np.unique(node):
        rows = np.flatnonzero(node == e)
        met, mask = np.repeat(other[None], len(rows), axis=0), np.repeat(counts[None], len(rows), axis=0)
        decided = played[rows]
        own = np.where(flipped & (decided >= 0), np.int8(1) - decided, decided)
        out[rows] = log_likelihood(own, met, mask, [s], nodes[e], decided=decided)[:, 0]
    return out


TIE = 1e-9
"""Log-likelihoods nearer than this tie."""


@dataclass(frozen=True)
class LabelSettings:
    """When a label is given.

    Parameters
    ----------
    threshold : float in [0, 1]
        Posterior probability that ``confident`` needs.
    alpha : float in [0, 1]
        Level of the test of fit.
    samples : int
        Monte Carlo plays of the test of fit of stochastic strategies.

    Raises
    ------
    UsageError
        A number out of range.
    """

    threshold: float = LabelRequest.threshold
    alpha: float = LabelRequest.alpha
    samples: int = 2000

    def __post_init__(self) -> None:
        for name in ("threshold", "alpha"):
            LabelRequest.settings[name].check(name, getattr(self, name))


@dataclass(frozen=True, eq=False)
class Verdict:
    """What labels are made of, as arrays over n trajectories and K classes.

    Attributes
    ----------
    proba : (n, K) posterior
    best : (n,) index of the most probable class
    ties : (n, K) bool, other classes whose log-likelihood is that of the best
    explains : (n, K) bool, strategies that play exactly so without noise
    n_deviations : (n,) of the best
    fit_p, confidence : (n,)
    status : (n,) names
    """

    proba: NDArray[np.float64]
    best: NDArray[np.intp]
    ties: NDArray[np.bool_]
    explains: NDArray[np.bool_]
    n_deviations: NDArray[np.int64]
    fit_p: NDArray[np.float64]
    confidence: NDArray[np.float64]
    status: NDArray[np.object_]


def judge(
    X: Trajectories,
    recogniser: Recogniser,
    settings: LabelSettings,
    rng: np.random.Generator,
    subjects: NDArray[np.intp] | None = None,
) -> Verdict:
    """Posterior, ties, consistency, fit and status of trajectories; parameters as `label_table`.

    Play that RANDOM explains best is ``no_fit``, and RANDOM ties with nothing. With `subjects` ((n,) int,
    0 .. S - 1) the arrays have a row for each subject, whose trajectories are games that each start anew.

    Raises
    ------
    RecogniserError
        A class that is no strategy.
    """
    strategies = class_strategies(recogniser)
    eps, eps_prior = assumed_noise(recogniser)
    proba = recogniser.predict_proba(X) if subjects is None else recogniser.predict_proba_pooled(X, subjects)
    best = most_probable(proba)
    evidence = log_evidence(X, strategies, eps, eps_prior, subjects=subjects)
    own_evidence = np.take_along_axis(evidence, best[:, None], axis=1)
    with np.errstate(invalid="ignore"):
        near = np.abs(evidence - own_evidence) <= TIE
    coin = np.array([s.is_background for s in strategies])
    ties = near & (np.arange(len(strategies)) != best[:, None]) & ~coin & ~coin[best][:, None]
    missed = deviations(X.own, X.other, X.evidence_mask, strategies, X.decided)
    if subjects is not None:
        missed = summed_by(missed, subjects)
    random = np.array([all(0 < p < 1 for p in s.p_cooperate) for s in strategies])  # allows every play
    fit_p = fit_probability(
        X, strategies, best, eps, rng, eps_prior=eps_prior, samples=settings.samples, subjects=subjects
    )
    confidence = np.take_along_axis(proba, best[:, None], axis=1)[:, 0]
    status = np.select(
        [(fit_p < settings.alpha) | coin[best], ties.any(axis=1), confidence < settings.threshold],
        list(codebook.STATUSES[:3]),
        default=codebook.STATUSES[3],
    ).astype(object)
    return Verdict(
        proba,
        best,
        ties,
        (missed == 0) & ~random,
        np.take_along_axis(missed, best[:, None], axis=1)[:, 0],
        fit_p,
        confidence,
        status,
    )


RULE_CLASSES = ("ALLC", "ALLD", "TFT", "WSLS")


def satisfied_rules(X: Trajectories, tolerance: float = 0.1) -> NDArray[np.bool_]:
    """Which rules each history satisfies, by what the player decided after what was played.

    ALLC: all C. ALLD: all D. TFT: first move C and at most f (N - 1) mismatches to the other's last move.
    WSLS: any first move, stay after CC and DC, shift after CD and DD (own move first), at most f (N - 1)
    mismatches.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    tolerance : float in [0, 1)
        f. N is the number of known own moves.

    Returns
    -------
    (n, 4) bool, columns as `RULE_CLASSES`. A move whose situation is unknown is no mismatch; a history of
    no known move satisfies nothing.

    References
    ----------
    The strategy-recognition paper of the FAIRGAME group, appendix (rule labels; f = 0.1, so no mismatch at
    N = 10).
    """
    own, other, counts, chosen = X.own, X.other, X.evidence, X.decisions
    played = counts.sum(axis=1)
    all_c = ~(counts & (chosen == 0)).any(axis=1)
    all_d = ~(counts & (chosen == 1)).any(axis=1)
    now, before, theirs = chosen[:, 1:], own[:, :-1], other[:, :-1]
    bound = tolerance * (played - 1) + 1e-12
    tft = (counts[:, 1:] & (theirs >= 0) & (now != theirs)).sum(axis=1) <= bound
    first_c = (counts[:, 0] & (chosen[:, 0] == 1)) if own.shape[1] else np.zeros(len(X), dtype=bool)
    known = counts[:, 1:] & (before >= 0) & (theirs >= 0)
    expected = np.where(theirs == 1, before, 1 - before)
    wsls = (known & (now != expected)).sum(axis=1) <= bound
    hits: NDArray[np.bool_] = np.stack([all_c, all_d, first_c & tft, wsls], axis=1) & (played > 0)[:, None]
    return hits


def label_table(
    X: Trajectories,
    recogniser: Recogniser,
    settings: LabelSettings,
    rng: np.random.Generator,
    *,
    sets: NDArray[np.bool_] | None = None,
    subjects: NDArray[np.intp] | None = None,
) -> pd.DataFrame:
    """Labels of trajectories, one row each, as `codebook.LABELS`; with `subjects`, one row per subject.

    The status is the first that applies: ``no_fit`` (fit_p < alpha, or RANDOM is best), ``ambiguous``
    (another strategy's log-likelihood within 1e-9 of the best one's), ``low_confidence`` (posterior below the
    threshold), ``confident``.

    Of a subject all games are one piece of evidence: each starts anew, their likelihoods multiply, rounds and
    deviations add, and a strategy or rule is consistent with the play if it is with every game.

    A condition column of the log that has the name of a computed one is kept as ``<name>_in_log``.

    Parameters
    ----------
    X : Trajectories with keys
    recogniser : fitted Recogniser whose classes are catalogue strategies
    settings : LabelSettings
    rng : numpy Generator, for the test of fit of stochastic strategies
    sets : (n, K) bool, optional
        Conformal label sets, as `intent.recognise.labels.conformal.label_sets`.
    subjects : (n,) int, 0 .. S - 1, optional
        Whose game each trajectory is. The keys are then `subject_keys`.

    Raises
    ------
    RecogniserError
        A class that is no strategy, so that fit and ties cannot be computed.
    """
    verdict = judge(X, recogniser, settings, rng, subjects)
    rules, rounds = satisfied_rules(X), X.n_rounds
    if subjects is not None:
        rules = summed_by((~rules).astype(np.int64), subjects) == 0
        rounds = summed_by(rounds.astype(np.int64), subjects)
    classes = [str(c) for c in recogniser.classes_]
    names = np.array(classes, dtype=object)
    best, status = verdict.best, verdict.status
    computed = {
        **({} if subjects is None else {"n_games": np.bincount(subjects)}),
        "n_rounds": rounds,
        "label": pd.Series(names[best], dtype=object).where(status == "confident"),
        "best": names[best],
        "tied": verdict.ties.any(axis=1),
        "tied_with": _lists(verdict.ties, classes),
        "confidence": verdict.confidence,
        **{codebook.PROBABILITY_PREFIX + name: verdict.proba[:, k] for k, name in enumerate(classes)},
        "consistent": _lists(verdict.explains, classes),
        "n_deviations": verdict.n_deviations,
        "fit_p": verdict.fit_p,
        "rule_labels": _lists(rules, RULE_CLASSES),
        "status": status,
        **({} if sets is None else {"label_set": _lists(sets, classes)}),
    }
    keys = X.keys if X.keys is not None else _numbered(len(X))
    if subjects is not None:
        keys = subject_keys(keys, subjects)[0]
    renamed = {c: f"{c}_in_log" if c in computed else c for c in keys.columns}
    return pd.DataFrame({**{renamed[c]: keys[c].array for c in keys.columns}, **computed})


def subject_keys(keys: pd.DataFrame, subjects: NDArray[np.intp]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """What is known of each subject, and the columns that are left out because they vary within one.

    Parameters
    ----------
    keys : DataFrame of n rows with column player
    subjects : (n,) int, 0 .. S - 1

    Returns
    -------
    DataFrame of S rows : player first, then every column with one value (nulls are one, too) per subject
    tuple of str : columns that are left out, game_id and seat always among them
    """
    first = np.unique(subjects, return_index=True)[1]
    constant, dropped = ["player"], list[str]()
    for column in keys.columns:
        if column == "player":
            continue
        codes = pd.factorize(keys[column], use_na_sentinel=False)[0]
        is_constant = column not in ("game_id", "seat") and bool((codes == codes[first][subjects]).all())
        (constant if is_constant else dropped).append(str(column))
    return keys[constant].iloc[first].reset_index(drop=True), tuple(dropped)


def _numbered(rows: int) -> pd.DataFrame:
    return pd.DataFrame({"game_id": np.arange(1, rows + 1).astype(str), "seat": np.ones(rows, dtype=int)})


def _lists(flags: NDArray[np.bool_], names: Sequence[str]) -> list[list[str]]:
    """Names of the true columns of each row; equal rows share no list."""
    patterns, codes = np.unique(flags, axis=0, return_inverse=True)
    chosen = [[name for name, flag in zip(names, row, strict=True) if flag] for row in patterns.tolist()]
    return [list(chosen[c]) for c in codes.reshape(-1).tolist()]


PER_KEY = 16
"""Rounds that one number holds, four bits each."""

_BITS = 64


def play_keys(X: Trajectories) -> NDArray[np.uint64]:
    """Numbers that are equal exactly where own moves, other's moves, evidence and decisions are.

    A round is one of 15 symbols: own move unknown, D or C as evidence, D or C that is none; times the other's
    move unknown, D or C. Where decisions were not always played, further columns say in which rounds; where
    an implementation error is reckoned with, a last one says how large it is.

    Parameters
    ----------
    X : Trajectories of shape (n, T)

    Returns
    -------
    (n, ceil(T / 16)) uint64, at least one column; more where there are implementation errors
    """
    n, rounds = X.shape
    own = (X.own + np.int8(1)).view(np.uint8)
    if X.evidence_mask is not None:
        own = np.where((X.own >= 0) & ~X.evidence_mask, own + np.uint8(2), own)
    symbols = own * np.uint8(3) + (X.other + np.int8(1)).view(np.uint8)
    keys = np.zeros((n, max(1, -(-rounds // PER_KEY))), dtype=np.uint64)
    for t in range(rounds):
        column = keys[:, t // PER_KEY]
        column <<= np.uint64(4)
        column |= symbols[:, t]
    more = []
    if X.decided is not None:
        flips = np.zeros((n, -(-rounds // _BITS)), dtype=np.uint64)
        for t in range(rounds):
            column = flips[:, t // _BITS]
            column <<= np.uint64(1)
            column |= (X.decided[:, t] != X.own[:, t]).astype(np.uint64)
        more.append(flips)
    if X.implementation_error is not None:
        errors = np.ascontiguousarray(X.implementation_error + 0.0)
        more.append(errors.view(np.uint64)[:, None])
    return np.concatenate([keys, *more], axis=1) if more else keys


def distinct(keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First row of each distinct one, and which of these each row is.

    Parameters
    ----------
    keys : (n, W) uint64

    Returns
    -------
    first : (d,) intp, ascending
    codes : (n,) intp
    """
    codes = pd.factorize(keys[:, 0])[0]
    for j in range(1, keys.shape[1]):
        more, values = pd.factorize(keys[:, j])
        codes = pd.factorize(codes * max(len(values), 1) + more)[0]
    first = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
    return first, codes


LIMIT_PLAYS = 1 << 20
"""Distinct plays that are kept; ten rounds of two players have no more where every move is known."""


class CodedTable:
    """A growing table in which texts and lists are numbers of words, so that rows are copied fast.

    Parameters
    ----------
    capacity : int
        Rows that it can hold.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity, self.size = capacity, 0
        self.columns: dict[str, NDArray[Any]] = {}
        self.words: dict[str, dict[Any, int]] = {}
        self.kinds: dict[str, Any] = {}

    def append(self, table: pd.DataFrame) -> None:
        """Add rows of the same columns."""
        rows = slice(self.size, self.size + len(table))
        for name in table.columns:
            values = table[name]
            self.kinds[name] = values.dtype
            if values.dtype.kind in "fib":
                added = values.to_numpy()
            else:
                known = self.words.setdefault(name, {})
                cells = [tuple(c) if isinstance(c, list) else None if c != c else c for c in values.tolist()]
                added = np.array([known.setdefault(c, len(known)) for c in cells], dtype=np.int32)
            if name not in self.columns:
                self.columns[name] = np.empty(self.capacity, dtype=added.dtype)
            self.columns[name][rows] = added
        self.size = rows.stop

    def frame(self, rows: NDArray[np.intp]) -> pd.DataFrame:
        """Rows by number: lists that no two rows share, texts with NaN where there is none, numbers."""
        columns: dict[str, Any] = {}
        for name, values in self.columns.items():
            columns[name] = values[rows]
            if name in self.words:
                words = [np.nan if word is None else word for word in self.words[name]]
                listed = [words[code] for code in columns[name].tolist()]
                cells = [list(cell) if isinstance(cell, tuple) else cell for cell in listed]
                columns[name] = pd.Series(cells, dtype=self.kinds[name])
        return pd.DataFrame(columns)

    def take(self, rows: NDArray[np.intp]) -> dict[str, pa.Array]:
        """Rows by number, as Arrow arrays: lists of texts, texts coded by a dictionary, numbers."""
        columns = {}
        for name, values in self.columns.items():
            codes = pa.array(values[rows])
            columns[name] = codes if name not in self.words else _spelled(self.words[name], codes)
        return columns


class KnownPlays:
    """Looks up the labels of plays that it has seen, and has the others judged.

    Parameters
    ----------
    judge : callable of Trajectories -> DataFrame
        One row per trajectory, of which every value depends on that trajectory alone.
    limit : int
        Plays kept at a time. Plays of more than sixteen rounds are judged once per call and not kept.
    """

    def __init__(self, judge: Callable[[Trajectories], pd.DataFrame], limit: int = LIMIT_PLAYS) -> None:
        self._judge, self._limit = judge, limit
        self._forget(limit)

    def _forget(self, capacity: int) -> None:
        self.table = CodedTable(capacity)
        self._keys = np.empty(capacity, dtype=np.uint64)
        self._levels: list[tuple[int, pd.Index]] = []

    def look_up(self, X: Trajectories) -> tuple[CodedTable, NDArray[np.intp]]:
        """A table of plays, and its row for each trajectory; valid until the next call."""
        rows = self._rows(X)
        return self.table, rows

    def _rows(self, X: Trajectories) -> NDArray[np.intp]:
        keys = play_keys(X)
        if keys.shape[1] > 1:
            first, codes = distinct(keys)
            self._forget(len(first))
            self.table.append(self._judge(X[first]))
            return codes
        rows = self._look_up(keys[:, 0])
        missing = np.flatnonzero(rows < 0)
        if not len(missing) and self.table.columns:
            return rows
        first, codes = distinct(keys[missing])
        if self.table.size + len(first) > self.table.capacity:
            missing = np.arange(len(X))
            first, codes = distinct(keys)
            self._forget(max(self._limit, len(first)))
        new = missing[first]
        start = self.table.size
        self.table.append(self._judge(X[new]))
        self._keys[start : self.table.size] = keys[new, 0]
        self._add_level(start)
        rows[missing] = start + codes
        return rows

    def _look_up(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        rows = np.full(len(keys), -1, dtype=np.intp)
        open_rows = np.arange(len(keys))
        for start, index in self._levels:
            at = index.get_indexer(pd.Index(keys[open_rows]))
            rows[open_rows] = np.where(at < 0, -1, at + start)
            open_rows = open_rows[at < 0]
            if not len(open_rows):
                break
        return rows

    def _add_level(self, start: int) -> None:
        """Index the rows from `start`, joined with the last levels that are not larger."""
        while self._levels and len(self._levels[-1][1]) <= self.table.size - start:
            start = self._levels.pop()[0]
        self._levels.append((start, pd.Index(self._keys[start : self.table.size].copy())))


def with_gap(X: Trajectories) -> Trajectories:
    """The trajectories and one that ends early.

    Play with unknown moves is scored by another route than complete play; with it every part of a log takes
    the same, so that a label does not depend on what it is judged together with.
    """
    rounds = X.shape[1]
    gap = np.full((1, rounds), -1, dtype=np.int8)
    gap[:, : rounds - 1][:, :1] = 1
    return Trajectories.concatenated([X, Trajectories.trusted(gap, gap)])


def _spelled(words: Mapping[Any, int], codes: pa.Array) -> pa.Array:
    """The words of codes: lists as lists, texts coded by a dictionary."""
    if any(isinstance(word, tuple) for word in words):
        return pa.array([list(word) for word in words], pa.list_(pa.string())).take(codes)
    texts = pa.array(list(words), pa.string())
    return (
        pa.DictionaryArray.from_arrays(codes, texts)
        if not texts.null_count
        else texts.take(codes).dictionary_encode()
    )
