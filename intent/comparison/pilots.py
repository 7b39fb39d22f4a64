"""What a pilot says for planning: shares, noise, opponents, seats, repeats, and how alike these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.estimate.design_units import DesignUnits
    from intent.logs.gamelog import GameLog
    from intent.play.corpora import Opponent
    from intent.strategies.automaton import Strategy

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

__all__ = ["MetricPilot", "Pilot", "correlation", "read_metric_pilot", "read_pilot"]

_MOST_ROWS = 60
"""Rows of one condition that are paired with each other."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """What was measured.

    Parameters
    ----------
    source : str or None
        Name of the file.
    by : tuple of str
    n : int, labelled rows
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
    notes : tuple of str
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
    import numpy as np

    from intent.base.codebook import column_names
    from intent.base.statistics.groups import grouping
    from intent.estimate.design_units import design_units

    table, play = _rows(source, where or {}, reading)
    if len(table) < 2:
        raise UsageError("the pilot has fewer than two rows, expected at least two games")
    factors = column_names(by, table.columns)
    names = [s.name for s in strategies]
    groups = grouping(table, factors)
    units = design_units(table, factors, cluster, classes=names)
    parts = [np.flatnonzero(groups.codes == g) for g in range(len(groups))]
    posterior, shares, eps = _fitted(table, play, strategies, units, parts)
    notes = []
    games = _codes(table, "game_id")
    per_game = np.bincount(games)
    seats = min(2, int(np.median(per_game[per_game > 0])))
    rounds = int(np.median(table["n_rounds"] if play is None else play.n_rounds))
    repeats = returns = 1
    alike = spread = 0.0
    if units.players is not None:
        own = np.bincount(units.players)
        returns = max(1, round(float(own[own > 0].mean())))
    else:
        ratios = [_ratios(posterior[rows], shares[g]) for g, rows in enumerate(parts)]
        within = [games[rows] for rows in parts]
        alike = correlation(ratios, within)
        if units.unit.kind == "condition":
            conditions = [units.unit.codes[rows] for rows in parts]
            spread = correlation(ratios, conditions, apart=within)
            alike = max(0.0, (alike - spread) / (1 - spread)) if spread < 1 else 0.0
            repeats = max(1, round(len(np.unique(games)) / units.unit.n))
    alike = alike if seats == 2 else 0.0
    opponent = _opponent(seats, play)
    if opponent is None:
        notes.append("the pilot's labels do not say whom players met: as --opponent says")
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
        ("; ".join(parts_of_note), *notes, *units.notes),
    )


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
    import numpy as np

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
    import numpy as np

    from intent.base.codebook import column_names
    from intent.base.errors import DataError, UnknownNameError
    from intent.base.statistics.groups import grouping
    from intent.base.statistics.intervals import n_effective
    from intent.base.tables import read_table
    from intent.estimate.design_units import design_units
    from intent.logs.gamelog import accepted_rows

    rows = read_table(Path(table))[0] if isinstance(table, str | Path) else table
    rows = rows[accepted_rows(rows, where or {})]
    if metric not in rows.columns:
        raise UnknownNameError("column", metric, map(str, rows.columns))
    try:
        numbers = rows[metric].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        raise DataError(f"column {metric!r} holds no numbers, expected numbers for --metric") from None
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
) -> tuple[pd.DataFrame, Any]:
    """One row per labelled trajectory, and the trajectories; None of a table of labels."""
    import pandas as pd

    from intent.base.tables import holds_labels, read_table
    from intent.logs.gamelog import accepted_rows
    from intent.logs.selection import focal_play

    labels = None
    if isinstance(source, pd.DataFrame):
        labels = source
    elif isinstance(source, str | Path) and not Path(source).is_dir() and holds_labels(source):
        labels = read_table(Path(source))[0]
    if labels is not None:
        return labels[accepted_rows(labels, where)].reset_index(drop=True), None
    _, X = focal_play(source, where=where, **reading)  # type: ignore[arg-type]
    played = X.n_rounds > 0
    X = X if played.all() else X[played.nonzero()[0]]
    assert X.keys is not None
    return X.keys.reset_index(drop=True), X


def _fitted(
    table: pd.DataFrame,
    play: Any,
    strategies: Sequence[Strategy],
    units: DesignUnits,
    parts: Sequence[Codes],
) -> tuple[Floats, Floats, list[float] | None]:
    """Posterior of each row (n, K), shares of each group (G, K), and noise of each group."""
    import numpy as np

    from intent.estimate.contrast import GroupPlay, fit_shares
    from intent.estimate.counts import count_moves
    from intent.estimate.label_weights import outcomes, strategy_classes
    from intent.estimate.population import patterns

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
    from intent.play.corpora import Recorded, SelfPlay

    if seats == 2:
        return SelfPlay()
    if play is None:
        return None
    return Recorded(play.other, name="on record in the pilot")


def _codes(table: pd.DataFrame, column: str) -> Codes:
    import numpy as np

    from intent.base.statistics.groups import cluster_codes

    return np.unique(cluster_codes(table, [column]), return_inverse=True)[1].reshape(-1)
