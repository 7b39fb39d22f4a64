"""Plan a study: games and rounds that it takes to see a difference between two groups.

What is not said is read off a pilot: shares, noise, opponents, seats, repeats, and how alike these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.errors import UnknownNameError, UsageError
from intent.base.files import path_of
from intent.base.job import Result, Table, job
from intent.base.statistics import cluster_codes, grouping, n_effective
from intent.base.tables import column_names, holds_labels, read_table, strategy_classes
from intent.base.wording import counted, in_percent
from intent.base.workers import open_workers
from intent.comparison.compare import numbers as metric_numbers
from intent.comparison.groups import outcomes
from intent.comparison.planned_studies import (
    COUNTS,
    Design,
    games_needed,
    mean_power,
    play_studies,
    search,
    shifted,
    study_tests,
)
from intent.comparison.requests import PowerRequest
from intent.estimate.contrast import GroupPlay, fit_shares
from intent.estimate.counts import count_moves, patterns
from intent.estimate.design_units import design_units
from intent.logs.chunks import focal_play, only_subjects
from intent.logs.gamelog import accepted_rows
from intent.play.corpora import Recorded, SelfPlay
from intent.play.corpora import opponent as opponent_named
from intent.strategies.catalogue import strategy as catalogued
from intent.strategies.sets import names_and_own, own_strategies, strategy_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.estimate.design_units import DesignUnits
    from intent.logs.gamelog import GameLog
    from intent.play.corpora import Opponent
    from intent.strategies.catalogue import Strategy

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]
    from intent.base.workers import Workers
    from intent.comparison.planned_studies import Search

__all__ = ["PowerResult", "PowerRounds", "PowerRow", "correlation", "power", "read_pilot"]

_MOST_ROWS = 60
"""Rows of one condition that are paired with each other."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """What was measured.

    Parameters
    ----------
    source : str or None
        Name of the file.
    shares : mapping of strategy -> share, over all groups
    eps : (float, float) or None
        Noise of the two groups where there are two, else of all groups in the mean.
    opponent : Opponent or None
        Players where both seats are labelled, else the moves of the opponents on record; None where a table
        of labels does not hold them.
    seats, rounds : int
        Labelled seats and rounds of the usual game.
    repeats, returns : int
        Games of a condition, and of a subject, in the mean.
    alike, spread : float, as `intent.comparison.planned_studies.Design`
    """

    source: str | None
    by: tuple[str, ...]
    n: int
    shares: Mapping[str, float]
    eps: tuple[float, float] | None
    opponent: Opponent | None
    seats: int
    rounds: int
    repeats: int
    returns: int
    alike: float
    spread: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class MetricPilot:
    """For means: design effect, and standard deviation over rows within groups."""

    source: str | None
    by: tuple[str, ...]
    deff: float
    sd: float
    notes: tuple[str, ...]


def read_pilot(
    source: pd.DataFrame | GameLog | str | Path,
    strategies: Sequence[Strategy],
    by: str | Sequence[str] = (),
    *,
    cluster: Sequence[str] | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> Pilot:
    """The design of a log or of a table of labels, and the shares of its players.

    1. A log: shares and noise by maximum likelihood in each group (`fit_shares`). Labels: shares from their
       posteriors.
    2. The unit of independence is read off as everywhere (`design_units`): conditions that repeat, subjects
       who return, or games.
    3. The correlation of the seats of a game, and of games of a condition, at the shares of each group
       (`correlation`).

    Parameters
    ----------
    source : GameLog, table of labels, or a path of either
    strategies : K Strategy, those that are estimated
    by : columns of the groups
    cluster : columns, optional
        In place of what the design says; ``cell`` means conditions.
    where : mapping of column -> accepted values
    **reading
        As `read_log`.

    Raises
    ------
    UsageError
        Nothing to plan from.
    UnknownNameError, DataError
        As `intent compare`.
    """
    table, play, scripted = _rows(source, where or {}, reading)
    if len(table) < 2:
        raise UsageError("the pilot has fewer than two rows, expected at least two games")
    factors = column_names(by, table.columns)
    names = [s.name for s in strategies]
    groups = grouping(table, factors)
    units = design_units(table, factors, cluster, classes=names)
    parts = [np.flatnonzero(groups.codes == g) for g in range(len(groups))]
    posterior, shares, eps = _fitted(table, play, strategies, units, parts)
    games = cluster_codes(table, ["game_id"])
    rounds = int(np.median(table["n_rounds"] if play is None else play.n_rounds))
    seats, repeats, returns, alike, spread = _dependence(games, units, posterior, shares, parts)
    opponent = _opponent(seats, play)
    unknown = "the pilot's labels do not say whom players met: as --opponent says"
    weight = np.array([len(rows) for rows in parts], dtype=float)
    pooled = np.average(shares, axis=0, weights=weight)
    noise = None
    if eps is not None:
        noise = (eps[0], eps[1]) if len(parts) == 2 else (float(np.average(eps, weights=weight)),) * 2
    parts_of_note = [
        f"pilot: {len(table):,} rows of {len(np.unique(games)):,} games of {rounds} rounds",
        f"{seats} labelled seat{'s' * (seats > 1)}",
        *([f"noise {' and '.join(f'{e:.3f}' for e in dict.fromkeys(noise))}"] if noise else []),
        *([f"seats of a game alike {alike:.2f}"] if seats == 2 and returns == 1 else []),
        *([f"{repeats} games per condition, alike {spread:.2f}"] if repeats > 1 else []),
        *([f"{returns} games per subject"] if returns > 1 else []),
        *([f"left out: {counted(scripted, 'seat')} that a strategy plays"] if scripted else []),
    ]
    return Pilot(
        Path(source).name if isinstance(source, str | Path) else None,
        factors,
        len(table),
        dict(zip(names, (pooled / pooled.sum()).tolist(), strict=True)),
        noise,
        opponent,
        seats,
        rounds,
        repeats,
        returns,
        alike,
        spread,
        ("; ".join(parts_of_note), *([unknown] if opponent is None else []), *units.notes),
    )


def _dependence(
    games: Codes, units: DesignUnits, posterior: Floats, shares: Floats, parts: Sequence[Codes]
) -> tuple[int, int, int, float, float]:
    """Seats per game, games per condition and per subject, and how alike seats and games are (`Pilot`)."""
    per_game = np.bincount(games)
    seats = min(2, int(np.median(per_game[per_game > 0])))
    if units.players is not None:
        own = np.bincount(units.players)
        return seats, 1, max(1, round(float(own[own > 0].mean()))), 0.0, 0.0
    repeats, spread = 1, 0.0
    ratios = [_ratios(posterior[rows], shares[g]) for g, rows in enumerate(parts)]
    within = [games[rows] for rows in parts]
    alike = correlation(ratios, within)
    if units.unit.kind == "condition":
        conditions = [units.unit.codes[rows] for rows in parts]
        spread = correlation(ratios, conditions, apart=within)
        alike = max(0.0, (alike - spread) / (1 - spread)) if spread < 1 else 0.0
        repeats = max(1, round(len(np.unique(games)) / units.unit.n))
    return seats, repeats, 1, alike if seats == 2 else 0.0, spread


def correlation(
    ratios: Sequence[Floats], within: Sequence[Codes], apart: Sequence[Codes] | None = None
) -> float:
    """How alike the strategies of two rows of one unit are, at given shares.

    Both have the same draw with probability a, else draws of their own, so that a pair with likelihoods L and
    M of each strategy has the likelihood (1 - a) (sum_k p_k L_k) (sum_k p_k M_k) + a sum_k p_k L_k M_k. In
    posteriors: 1 - a + a R with R = sum_k P_k Q_k / p_k; a maximises the product over all pairs (composite
    likelihood; its logarithm is concave in a).

    Parameters
    ----------
    ratios : of each group (n, K), rows P / p^1/2
    within : of each group (n,), the unit of each row
    apart : of each group (n,), optional
        Rows with the same one are no pair.

    References
    ----------
    Varin, Reid & Firth (2011), Statistica Sinica 21:5 (composite likelihood).
    """
    products = []
    for g, (rows, units) in enumerate(zip(ratios, within, strict=True)):
        order = np.argsort(units, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(units[order])) + 1):
            if len(own) < 2:
                continue
            if len(own) > _MOST_ROWS:
                own = own[np.linspace(0, len(own) - 1, _MOST_ROWS).astype(int)]
            i, j = np.triu_indices(len(own), 1)
            if apart is not None:
                other = apart[g][own[i]] != apart[g][own[j]]
                i, j = i[other], j[other]
            products.append(np.einsum("nk,nk->n", rows[own[i]], rows[own[j]]))
    gain = np.concatenate(products) - 1 if products else np.zeros(0)
    if not len(gain) or gain.sum() <= 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        slope = (gain / np.maximum(1 + middle * gain, 1e-12)).sum()
        low, high = (middle, high) if slope > 0 else (low, middle)
    return round((low + high) / 2, 6)


def read_metric_pilot(
    table: pd.DataFrame | str | Path,
    metric: str,
    by: str | Sequence[str] = (),
    *,
    cluster: Sequence[str] | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
) -> MetricPilot:
    """Design effect and standard deviation of a number within the groups of a pilot.

    Parameters
    ----------
    table : metrics or any table, or its path
    metric : str, its column
    by, cluster, where : as `read_pilot`

    Raises
    ------
    UsageError
        No rows, or none with a number.
    UnknownNameError, DataError
        As `intent compare`.
    """
    rows = read_table(Path(table))[0] if isinstance(table, str | Path) else table
    rows = rows[accepted_rows(rows, where or {})]
    rows = rows[only_subjects(rows)[0]]
    numbers = metric_numbers(rows, metric)
    rows, values = rows[~np.isnan(numbers)].reset_index(drop=True), numbers[~np.isnan(numbers)][:, None]
    if rows.empty:
        raise UsageError("the pilot has no rows, expected at least two games")
    factors = column_names(by, rows.columns)
    unit = design_units(rows, factors, cluster, classes=()).unit
    groups = grouping(rows, factors)
    parts = [np.flatnonzero(groups.codes == code) for code in range(len(groups))]
    worth = sum(n_effective(values[own], unit.codes[own]) for own in parts)
    squares = sum(float(((values[own] - values[own].mean()) ** 2).sum()) for own in parts)
    deff = max(1.0, len(rows) / worth)
    note = f"pilot: {len(rows):,} rows worth {worth:,.0f}, design effect {deff:.2f}; {unit.line()}"
    source = Path(table).name if isinstance(table, str | Path) else None
    sd = (squares / max(len(rows) - len(parts), 1)) ** 0.5
    return MetricPilot(source, factors, deff, sd, (note,))


def _rows(
    source: pd.DataFrame | GameLog | str | Path,
    where: Mapping[str, Sequence[str]],
    reading: Mapping[str, Any],
) -> tuple[pd.DataFrame, Any, int]:
    """Labelled trajectories, their play (None of a table of labels), and seats of strategies left out."""
    labels = None
    if isinstance(source, pd.DataFrame):
        labels = source
    elif isinstance(source, str | Path) and not path_of(source).is_dir() and holds_labels(source):
        labels = read_table(Path(source))[0]
    if labels is not None:
        labels = labels[accepted_rows(labels, where)]
        of_subjects = only_subjects(labels)[0]
        return labels[of_subjects].reset_index(drop=True), None, int((~of_subjects).sum())
    log, X = focal_play(source, where=where, keep_scripted=False, **reading)  # type: ignore[arg-type]
    played = X.n_rounds > 0
    X = X if played.all() else X[played.nonzero()[0]]
    assert X.keys is not None
    return X.keys.reset_index(drop=True), X, log.n_scripted


def _fitted(
    table: pd.DataFrame,
    play: Any,
    strategies: Sequence[Strategy],
    units: DesignUnits,
    parts: Sequence[Codes],
) -> tuple[Floats, Floats, list[float] | None]:
    """Posterior of each row (n, K), shares of each group (G, K), and noise of each group."""
    posterior = np.zeros((len(table), len(strategies)))
    shares = np.zeros((len(parts), len(strategies)))
    if play is None:
        classes = strategy_classes(table)
        names = [s.name for s in strategies]
        unknown = [c for c in classes if c not in names]
        if unknown:
            raise UsageError(
                f"the pilot's labels know {', '.join(classes)}, expected strategies among --strategies "
                f"({', '.join(names)})"
            )
        evidence = outcomes(table, "posterior", classes=classes).weights
        places = np.array([names.index(c) for c in classes])
        for g, rows in enumerate(parts):
            own = np.full(len(classes), 1 / len(classes))
            for _ in range(500):
                joint = evidence[rows] * own
                joint /= joint.sum(axis=1, keepdims=True)
                own = joint.mean(axis=0)
            shares[g, places] = own
            posterior[rows[:, None], places] = joint
        return posterior, shares, None
    eps = []
    for g, rows in enumerate(parts):
        subject = np.arange(len(rows))
        if units.players is not None:
            subject = np.unique(units.players[rows], return_inverse=True)[1].reshape(-1)
        fit = fit_shares(GroupPlay(*patterns(count_moves(play[rows], subject, strategies))))
        shares[g] = fit.shares
        posterior[rows] = fit.posterior[subject]
        eps.append(min(fit.tremble, 0.49))
    return posterior, shares, eps


def _ratios(posterior: Floats, shares: Floats) -> Floats:
    """P / p^1/2 of the strategies that are played, so that products of rows are sum_k P_k Q_k / p_k."""
    some = shares > 1e-6
    scaled: Floats = posterior[:, some] / shares[some] ** 0.5
    return scaled


def _opponent(seats: int, play: Any) -> Opponent | None:
    if seats == 2:
        return SelfPlay()
    if play is None:
        return None
    return Recorded(play.other, name="on record in the pilot")


_DESIGN = ("opponent", "seats", "icc", "repeats", "spread", "games_per_subject", "eps", "count")
"""Settings of the studies that are played."""


@dataclass(frozen=True)
class PowerRounds:
    """What games of one length show.

    Parameters
    ----------
    rounds : int or None
        None for means.
    confident, recognised : float or None
        Where labels are counted: share of trajectories of the first group whose label is a strategy, and of
        those of the strategy in question that get its label.
    seen : float
        The difference as it is estimated or counted, in the mean of the studies of the last number.
    games_needed : mapping of power -> games per group; None where no number is enough
    checked : mapping, optional
        The number for the first power, played by new studies: target, games, power, se, studies.
    """

    rounds: int | None
    confident: float | None
    recognised: float | None
    seen: float
    games_needed: Mapping[str, int | None]
    checked: Mapping[str, float] | None = None


@dataclass(frozen=True)
class PowerRow:
    """Power of `games` per group, read off the curve; `simulated`: by studies of that number."""

    rounds: int | None
    games: int
    power: float
    simulated: float | None = None


@dataclass(frozen=True)
class PowerResult(Result):
    """A plan, with what is needed to say how it came about.

    Parameters
    ----------
    kind : "shares" or "mean"
    shares : mapping of strategy -> (first group, second group), true shares
    config : mapping, the resolved settings
    """

    noun = "a plan"

    kind: str  # type: ignore[misc]
    difference: float
    design_effect: float
    alpha: float
    shares: Mapping[str, tuple[float, float]]
    rounds: tuple[PowerRounds, ...]
    rows: tuple[PowerRow, ...]
    notes: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent power --json``."""
        design = {key: self.config.get(key) for key in _DESIGN} if self.kind == "shares" else None
        values = {name: getattr(self, name) for name in ("kind", "difference", "design_effect", "alpha")}
        return {
            **values,
            "shares": {name: list(both) for name, both in self.shares.items()},
            "rounds": [asdict(part) for part in self.rounds],
            "rows": [asdict(row) for row in self.rows],
            "design": design,
            "notes": list(self.notes),
        }

    def facts(self) -> dict[str, Any]:
        """The resolved settings."""
        return dict(self.config)

    def table(self) -> pd.DataFrame:
        """One row per design."""
        return pd.DataFrame([asdict(row) for row in self.rows])

    def parts(self) -> Iterator[Table | str]:
        """Games that it takes, and the powers of the numbers that the user names."""
        targets = list(self.rounds[0].games_needed)
        labelled = any(part.confident is not None for part in self.rounds)
        needed: list[list[object]] = []
        for part in self.rounds:
            labels = [in_percent(part.confident), in_percent(part.recognised)] if labelled else []
            enough = (part.games_needed[t] for t in targets)
            cells = [*labels, f"{part.seen:+.3f}", *("more" if n is None else f"{n:,}" for n in enough)]
            needed.append([_or_dash(part.rounds), *cells, _played(part)])
        head = ["rounds", *(["labelled %", "recognised %"] if labelled else []), "difference seen"]
        head += [*(f"games for {t}" for t in targets), "power when played"]
        columns = slice(None) if self.kind == "shares" else slice(2, -1)
        what = "share" if self.kind == "shares" else "mean"
        title = f"Games per group to see a difference of {self.difference:g} in the {what}"
        yield Table(head[columns], [row[columns] for row in needed], f"{title}, at alpha {self.alpha:g}")
        yield ""
        simulated = any(row.simulated is not None for row in self.rows)
        powers: list[list[object]] = [
            [_or_dash(r.rounds), f"{r.games:,}", in_percent(r.power)]
            + ([in_percent(r.simulated)] if simulated else [])
            for r in self.rows
        ]
        head = ["rounds", "games per group", "power %", *(["simulated %"] if simulated else [])]
        yield Table(head, powers, f"Power, with a design effect of {self.design_effect:.2f}")
        yield ""


def _or_dash(value: int | None) -> object:
    return "–" if value is None else value


def _played(part: PowerRounds) -> str:
    """Power of the number for the first target, with its Monte Carlo standard error."""
    if part.checked is None:
        return "–"
    return f"{part.checked['power']:.2f} ± {part.checked['se']:.2f}"


_ROUNDS = (5, 10, 20)
_EPS = 0.05
_TOGETHER = 20
"""Studies that are played at a time; each piece has its own random stream, so this is part of the seed."""
_ROWS = 200_000
"""Games that are held at a time."""


@job(PowerRequest)
def power(request: PowerRequest) -> PowerResult:
    """Power of the comparison of two groups, by rounds per game and games per group.

    1. The groups truly differ by `difference` in the share of `strategy`; the others shrink in proportion.
    2. Studies of the design are played move by move and tested as `intent compare` would (`planned_studies`).
    3. The numbers of games for the targets are searched for; the first is checked by studies of its own
       (`search`).

    With `metric` the groups differ in the mean of a number, whose standard deviation is `sd` or the pilot's:
    normal means, with the design effect.

    Raises
    ------
    UsageError
        A setting that cannot be.
    UnknownNameError
        No such strategy or column.
    """
    config = {
        **request.values(("difference", "strategy")),
        "strategies": names_and_own(request.strategies)[0],
        "games": list(request.games),
        "targets": list(request.targets),
        **request.values(("alpha", "count", "metric", "simulate", "check", "most", "seed")),
    }
    _check(request)
    if request.pilot is None and (request.where or request.by or request.cluster):
        raise UsageError("--where, --by and --cluster are of a pilot, expected --pilot")
    if request.metric is not None:
        return _of_means(request, config)
    strategy, members = request.strategy, strategy_set(request.strategies)
    names = [s.name for s in members]
    if strategy not in names:
        raise UnknownNameError("strategy", strategy, names)
    players = members if "RANDOM" in names else (*members, catalogued("RANDOM"))
    pilot: Pilot | None = None
    if request.pilot is not None:
        chosen = request.values(("cluster", "where"))
        pilot = read_pilot(request.pilot, players, request.by, **chosen, **request.file_reading())
    first = _first_shares([s.name for s in players], len(members), request.base, pilot)
    lengths = list(request.rounds or ([pilot.rounds] if pilot else _ROUNDS))
    target = names.index(strategy)
    design = _design(request, players, first, target, pilot)
    _recorded(design, lengths)
    config |= {
        "rounds": lengths,
        "eps": list(design.eps),
        "opponent": design.opponent.name,
        "seats": design.seats,
        "icc": design.alike,
        "repeats": design.repeats,
        "spread": design.spread,
        "games_per_subject": design.returns,
        "by": list(pilot.by) if pilot else [],
        "pilot": pilot.source if pilot else None,
    }
    with open_workers(request.workers) as crew:
        parts, rows = _planned(request, design, lengths, target, crew)
    shares = {
        s.name: (a, b)
        for s, a, b in zip(players, design.first, design.second, strict=True)
        if s.name in names or a > 0 or b > 0
    }
    notes = (*(pilot.notes if pilot else ()), *_notes(design, parts, request.targets))
    return PowerResult(
        "shares",
        request.difference,
        design.design_effect,
        request.alpha,
        shares,
        tuple(parts),
        tuple(rows),
        notes,
        config,
    )


def _planned(
    request: PowerRequest, design: Design, lengths: Sequence[int], target: int, crew: Workers
) -> tuple[list[PowerRounds], list[PowerRow]]:
    """The search for each length of games, and the powers of the numbers that the user names."""
    parts, rows = [], []
    usual = len(lengths) * (request.check + 260 + request.simulate * len(request.games))
    done = 0
    for length, seeds in zip(lengths, np.random.SeedSequence(request.seed).spawn(len(lengths)), strict=True):
        own = replace(design, rounds=length)
        findings: dict[int, NDArray[np.float64]] = {}

        def play(games: int, studies: int) -> int:
            nonlocal done
            size = max(1, min(_TOGETHER, _ROWS // (2 * games)))
            sizes = [min(size, studies - a) for a in range(0, studies, size)]
            items = [(games, n, s) for n, s in zip(sizes, seeds.spawn(len(sizes)), strict=True)]  # noqa: B023
            batch = []
            for part in crew.map(partial(_pieces, own, target), items):  # noqa: B023
                batch.append(part)
                done += len(part)
                request.update(done, max(usual, done + request.check // 2))
            findings[games] = np.concatenate(batch)  # noqa: B023
            return int(findings[games][:, 0].sum())  # noqa: B023

        result = search(
            play,
            request.targets,
            whole=own.whole,
            fewest=own.fewest,
            most=request.most,
            check=request.check,
            alpha=own.alpha,
        )
        parts.append(_of_rounds(length, result, request.targets, findings))
        for n in request.games:
            simulated = play(own.whole(n), request.simulate) / request.simulate if request.simulate else None
            rows.append(PowerRow(length, n, float(result.curve.power(n)), simulated))
    request.update(done, done)
    return parts, rows


def _pieces(
    design: Design, target: int, item: tuple[int, int, np.random.SeedSequence]
) -> NDArray[np.float64]:
    """Findings of some studies: games per group, how many studies, and their random stream."""
    games, studies, seed = item
    rng = np.random.default_rng(seed)
    return study_tests(play_studies(design, games, studies, rng), target, rng)


def _of_rounds(
    length: int, result: Search, targets: Sequence[float], findings: Mapping[int, NDArray[np.float64]]
) -> PowerRounds:
    needed = {f"{t:g}": n for t, n in zip(targets, result.needed, strict=True)}
    last = result.checked.games if result.checked else result.played[-1].games
    means = [None if np.isnan(column).all() else float(np.nanmean(column)) for column in findings[last].T[1:]]
    checked = None
    if result.checked:
        checked = {
            "target": float(targets[0]),
            "games": last,
            "power": result.checked.power,
            "se": result.checked.se,
            "studies": result.checked.studies,
        }
    return PowerRounds(length, means[1], means[2], means[0] or 0.0, needed, checked)


def _design(
    request: PowerRequest, players: tuple[Strategy, ...], first: Floats, target: int, pilot: Pilot | None
) -> Design:
    """What the user says, else the pilot, else the defaults."""
    noise = (_EPS, _EPS) if pilot is None or not pilot.eps else pilot.eps
    if request.eps is not None:
        noise = (request.eps, request.eps)
    own = own_strategies(players)
    met = opponent_named(request.opponent, own) if request.opponent else pilot.opponent if pilot else None
    opponent = met or opponent_named("self")
    seats, icc, spread, effect = request.seats, request.icc, request.spread, request.design_effect
    second = shifted(first, target, request.difference)
    each_other = isinstance(opponent, SelfPlay)
    if seats is None:
        seats = pilot.seats if pilot and each_other else 2 if each_other else 1
    returns = request.games_per_subject or (pilot.returns if pilot and not request.repeats else 1)
    repeats = request.repeats or (pilot.repeats if pilot and returns == 1 else 1)
    alone = pilot is None or seats == 1 or returns > 1
    alike = icc if icc is not None else 0.0 if alone or pilot is None else pilot.alike
    if spread is None:
        spread = 0.0 if repeats == 1 else pilot.spread if pilot and pilot.repeats > 1 else 0.25
    if effect is not None:
        rows = seats * repeats
        share = (effect - 1) / (rows - 1) if rows > 1 else 0.0
        if share > 1 or (rows == 1 and effect > 1):
            raise UsageError(
                f"--design-effect {effect:g}, expected at most {rows} with {seats} labelled "
                f"seat{'s' * (seats > 1)} of {repeats} game{'s' * (repeats > 1)} per condition (--repeats)"
            )
        alike, spread = (share, 0.0) if repeats == 1 else (0.0, share)
    return Design(
        players,
        tuple(map(float, first)),
        tuple(map(float, second)),
        noise,
        1,
        opponent,
        seats,
        alike if seats == 2 else 0.0,
        repeats,
        spread,
        returns,
        request.count,
        request.alpha,
    )


def _recorded(design: Design, lengths: Sequence[int]) -> None:
    if isinstance(design.opponent, Recorded) and max(lengths) > design.opponent.moves.shape[1]:
        raise UsageError(
            f"--rounds {max(lengths)}, but the pilot's opponents played {design.opponent.moves.shape[1]}: "
            "expected no more, or --opponent"
        )


def _notes(design: Design, parts: Sequence[PowerRounds], targets: Sequence[float]) -> list[str]:
    """What the numbers hold for."""
    met = (
        "players meet players of their group"
        if isinstance(design.opponent, SelfPlay)
        else f"opponent: {design.opponent.name}"
    )
    lines = [
        f"played out: {met}; {design.seats} labelled seat{'s' * (design.seats > 1)} per game"
        + (f", alike {design.alike:.2f}" if design.alike else "")
        + (f"; {design.repeats} games per condition, alike {design.spread:.2f}" if design.repeats > 1 else "")
        + (f"; {design.returns} games per subject" if design.returns > 1 else "")
        + f"; compared by --count {design.count}"
    ]
    if isinstance(design.opponent, Recorded):
        lines.append("opponents' moves are drawn from the pilot as they were: they do not answer new play")
    for part in parts:
        if part.games_needed[f"{targets[0]:g}"] is None:
            lines.append(
                f"{part.rounds} rounds: more games than are looked for (--most), or no number is enough"
            )
    return lines


def _of_means(request: PowerRequest, config: dict[str, Any]) -> PowerResult:
    seats, sd, alpha, difference = request.seats or 2, request.sd, request.alpha, request.difference
    notes: list[str] = []
    deff = request.design_effect or 1 + (seats - 1) * (request.icc or 0.0)
    by: list[str] = []
    if request.pilot is not None:
        chosen = request.values(("cluster", "where"))
        pilot = read_metric_pilot(request.pilot, str(request.metric), request.by, **chosen)  # type: ignore[arg-type]
        notes += pilot.notes
        by = list(pilot.by)
        sd = sd or pilot.sd
        deff = deff if request.design_effect or request.icc is not None else pilot.deff
    if sd is None or not sd > 0:
        raise UsageError("no standard deviation of the metric: give --sd, or --pilot with --metric")
    needed = {
        f"{target:g}": games_needed(lambda n: mean_power(difference, sd, n * seats, deff, alpha), target)
        for target in request.targets
    }
    rows = [PowerRow(None, n, mean_power(difference, sd, n * seats, deff, alpha)) for n in request.games]
    if request.simulate:
        notes.append("means are not simulated: the normal approximation is all there is")
    parts = (PowerRounds(None, None, None, difference, needed),)
    path = request.input_path()
    facts = {**config, "seats": seats, "sd": sd, "pilot": path and path.name, "by": by}
    return PowerResult("mean", difference, deff, alpha, {}, parts, tuple(rows), tuple(notes), facts)


def _first_shares(
    names: Sequence[str], members: int, base: Mapping[str, float] | None, pilot: Pilot | None
) -> NDArray[np.float64]:
    """(K,) shares of the first group: the user's, the pilot's, or equal ones of the members of the set."""
    base_shares = base or (pilot.shares if pilot else None)
    if base_shares is None:
        return np.where(np.arange(len(names)) < members, 1 / members, 0.0)
    for name in base_shares:
        if name not in names:
            raise UnknownNameError("strategy", name, names)
    shares = np.array([base_shares.get(name, 0.0) for name in names])
    if (shares < 0).any() or abs(shares.sum() - 1) > 1e-6:
        raise UsageError(f"--base: shares sum to {shares.sum():g}, expected shares of 0 to 1 that sum to 1")
    return shares


def _check(request: PowerRequest) -> None:
    if request.count not in COUNTS:
        raise UnknownNameError("count", request.count, COUNTS)
    for name, values, low, high in (
        ("--rounds", request.rounds or [], 1, 1000),
        ("--games", request.games, 2, 10_000_000),
        ("--seats", [request.seats], 1, 2 if request.metric is None else 1000),
        ("--simulate", [request.simulate], 0, 100_000),
        ("--check", [request.check], 1, 100_000),
        ("--most", [request.most], 100, 1_000_000),
        ("--repeats", [request.repeats], 1, 10_000),
        ("--games-per-subject", [request.games_per_subject], 1, 10_000),
        ("--icc", [request.icc], 0, 1),
        ("--spread", [request.spread], 0, 1),
        ("--design-effect", [request.design_effect], 1, 1e6),
    ):
        for value in values:
            if value is not None and not low <= value <= high:
                raise UsageError(f"{name} {value:g}, expected {low:g} to {high:g}")
    for name, numbers in (("--power", request.targets), ("--alpha", [request.alpha])):
        for number in numbers:
            if not 0 < number < 1:
                raise UsageError(f"{name} {number:g}, expected between 0 and 1")
    if (request.rounds is not None and not len(request.rounds)) or not request.games or not request.targets:
        raise UsageError("nothing to plan: expected at least one of --rounds, --games and --power")
    if request.eps is not None and not 0 <= request.eps < 0.5:
        raise UsageError(f"--eps {request.eps:g}, expected a probability below 0.5")
