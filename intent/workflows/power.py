"""Plan a study: games and rounds that it takes to see a difference between two groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError
from intent.workflows.power_result import PowerResult, PowerRounds, PowerRow

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.power_pilot import Pilot

__all__ = ["PowerResult", "power"]

_COUNTS = ("status", "best")


def power(
    difference: float,
    *,
    strategy: str = "TFT",
    strategies: str = "canonical4",
    base: Mapping[str, float] | None = None,
    rounds: Sequence[int] = (5, 10, 20, 50),
    games: Sequence[int] = (50, 100, 200, 500),
    targets: Sequence[float] = (0.8, 0.9),
    alpha: float = 0.05,
    eps: float = 0.05,
    opponent: str = "random",
    count: str = "status",
    seats: int = 2,
    icc: float | None = None,
    design_effect: float | None = None,
    metric: str | None = None,
    sd: float | None = None,
    pilot: pd.DataFrame | str | Path | None = None,
    by: str | Sequence[str] = (),
    cluster: Sequence[str] = ("game_id",),
    simulate: int = 0,
    seed: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> PowerResult:
    """Power of the comparison of two groups, by rounds per game and games per group.

    1. The groups truly differ by `difference` in the share of `strategy`; the others shrink in proportion.
    2. What is counted is labels: true shares times P(label | strategy, rounds, eps) (`label_confusion`).
    3. Rows of one game are worth less than independent ones, by the design effect 1 + (seats - 1) icc.
    4. Power of chi-square on all counted outcomes; with `simulate`, also of the permutation test, on so many
       simulated studies.

    With `metric` the groups differ in the mean of a number, whose standard deviation is `sd` or the pilot's.

    Parameters
    ----------
    difference : float
    strategy, strategies : str
        Which of which set.
    base : mapping of strategy -> true share in the first group, optional
        Default: the pilot's mean posterior, else equal shares.
    rounds, games, targets : sequences of numbers
        Rounds per game; games per group; powers whose games are asked for.
    alpha, eps : float
    opponent : str
        As ``intent generate --opponent``.
    count : str
        status or best.
    seats : int
        Labelled seats per game.
    icc : float, optional
        Correlation of the outcomes of two seats of a game; default 0.
    design_effect : float, optional
        In place of `icc`; repeats of one condition may take it above the number of seats.
    metric, sd
        The number, and its standard deviation over rows.
    pilot : table of labels or metrics, or its path, optional
        For what is not given: design effect, shares, standard deviation.
    by, cluster : columns
        Groups of the pilot, and what is not independent in it.
    simulate : int
        Studies per row of the table; 0 for none.
    seed : int
    update : called with (done, total)

    Raises
    ------
    UsageError
        A setting that cannot be.
    UnknownNameError
        No such strategy or column.
    """
    import numpy as np

    _check(rounds, games, targets, alpha, eps, count, seats, icc, design_effect, simulate)
    found = None if pilot is None else _pilot(pilot, by, cluster, count, metric)
    notes = [] if found is None else list(found.notes)
    deff = design_effect or (1 + (seats - 1) * icc if icc is not None else (found.deff if found else 1.0))
    config = {
        "difference": difference,
        "strategy": strategy,
        "strategies": strategies,
        "rounds": list(rounds),
        "games": list(games),
        "targets": list(targets),
        "alpha": alpha,
        "eps": eps,
        "opponent": opponent,
        "count": count,
        "seats": seats,
        "metric": metric,
        "by": list(found.by) if found else [],
        "pilot": found.source if found else None,
        "simulate": simulate,
        "seed": seed,
    }
    rng = np.random.default_rng(seed)
    if metric is not None:
        return _of_means(difference, sd or (found.sd if found else None), deff, config, notes)
    from intent.analysis.label_confusion import label_confusion
    from intent.analysis.power import games_needed, share_power, shifted, simulated_power
    from intent.play.corpora import FAIR_COIN
    from intent.play.opponents import opponent as named
    from intent.strategies.catalogue import strategy_set

    members = strategy_set(strategies)
    names = [s.name for s in members]
    if strategy not in names:
        raise UnknownNameError("strategy", strategy, names)
    first = _shares(names, base, found)
    second = shifted(first, names.index(strategy), difference)
    met = FAIR_COIN if opponent == "random" else named(opponent)
    parts, rows, done = [], [], 0
    total = len(rounds) * (1 + (len(games) if simulate else 0))
    for length, own in zip(rounds, rng.spawn(len(rounds)), strict=True):
        confusion = label_confusion(members, length, eps, count=count, opponent=met, rng=own)  # type: ignore[arg-type]
        a, b = first @ confusion, second @ confusion
        needed = {
            f"{target:g}": games_needed(lambda n: share_power(a, b, n * seats, deff, alpha), target)  # noqa: B023
            for target in targets
        }
        place = names.index(strategy)
        confident = float(first @ confusion[:, : len(names)].sum(axis=1))
        seen = float(b[place] - a[place])
        parts.append(PowerRounds(length, confident, float(confusion[place, place]), seen, needed))
        update(done := done + 1, total)
        for n in games:
            simulated = None
            if simulate:
                simulated = simulated_power(a, b, n, seats, deff, alpha=alpha, studies=simulate, rng=own)
                update(done := done + 1, total)
            rows.append(PowerRow(length, n, share_power(a, b, n * seats, deff, alpha), simulated))
    shares = {name: (float(x), float(y)) for name, x, y in zip(names, first, second, strict=True)}
    return PowerResult(
        "shares", difference, deff, alpha, shares, tuple(parts), tuple(rows), tuple(notes), config
    )


def _of_means(
    difference: float, sd: float | None, deff: float, config: dict[str, Any], notes: list[str]
) -> PowerResult:
    from intent.analysis.power import games_needed, mean_power

    if sd is None or not sd > 0:
        raise UsageError("no standard deviation of the metric: give --sd, or --pilot with --metric")
    seats, alpha = config["seats"], config["alpha"]
    needed = {
        f"{target:g}": games_needed(lambda n: mean_power(difference, sd, n * seats, deff, alpha), target)
        for target in config["targets"]
    }
    rows = [PowerRow(None, n, mean_power(difference, sd, n * seats, deff, alpha)) for n in config["games"]]
    if config["simulate"]:
        notes.append("means are not simulated: the normal approximation is all there is")
    parts = (PowerRounds(None, None, None, difference, needed),)
    facts = {**config, "sd": sd}
    return PowerResult("mean", difference, deff, alpha, {}, parts, tuple(rows), tuple(notes), facts)


def _shares(names: Sequence[str], base: Mapping[str, float] | None, pilot: Pilot | None) -> Any:
    import numpy as np

    given = base or (pilot.shares if pilot and pilot.shares and set(pilot.shares) == set(names) else None)
    if given is None:
        return np.full(len(names), 1 / len(names))
    for name in given:
        if name not in names:
            raise UnknownNameError("strategy", name, names)
    shares = np.array([given.get(name, 0.0) for name in names])
    if (shares < 0).any() or abs(shares.sum() - 1) > 1e-6:
        raise UsageError(f"--base: shares sum to {shares.sum():g}, expected shares of 0 to 1 that sum to 1")
    return shares


def _pilot(
    pilot: pd.DataFrame | str | Path,
    by: str | Sequence[str],
    cluster: Sequence[str],
    count: str,
    metric: str | None,
) -> Pilot:
    from intent.workflows.power_pilot import read_pilot

    return read_pilot(pilot, by, cluster=cluster, count=count, metric=metric)


def _check(
    rounds: Sequence[int],
    games: Sequence[int],
    targets: Sequence[float],
    alpha: float,
    eps: float,
    count: str,
    seats: int,
    icc: float | None,
    design_effect: float | None,
    simulate: int,
) -> None:
    if count not in _COUNTS:
        raise UnknownNameError("count", count, _COUNTS)
    for name, values, low, high in (
        ("--rounds", rounds, 1, 1000),
        ("--games", games, 2, 10_000_000),
        ("--seats", [seats], 1, 1000),
        ("--simulate", [simulate], 0, 100_000),
        ("--icc", [] if icc is None else [icc], 0, 1),
        ("--design-effect", [] if design_effect is None else [design_effect], 1, 1e6),
    ):
        for value in values:
            if not low <= value <= high:
                raise UsageError(f"{name} {value:g}, expected {low:g} to {high:g}")
    for name, numbers in (("--power", targets), ("--alpha", [alpha])):
        for number in numbers:
            if not 0 < number < 1:
                raise UsageError(f"{name} {number:g}, expected between 0 and 1")
    if not rounds or not games or not targets:
        raise UsageError("nothing to plan: expected at least one of --rounds, --games and --power")
    if not 0 <= eps < 0.5:
        raise UsageError(f"--eps {eps:g}, expected a probability below 0.5")
