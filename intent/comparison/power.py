"""Plan a study: games and rounds that it takes to see a difference between two groups.

What a plan returns: values, text, tables, and files as their suffix says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.json_text import json_values
from intent.base.result import write_result

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.base.workers import Workers
    from intent.comparison.pilots import Pilot
    from intent.comparison.planned_studies import Design, Search
    from intent.logs.gamelog import GameLog
    from intent.strategies.automaton import Strategy


__all__ = ["PowerResult", "PowerRounds", "PowerRow", "power"]


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
class PowerResult:
    """A plan, with what is needed to say how it came about.

    Parameters
    ----------
    kind : "shares" or "mean"
    difference, design_effect, alpha : float
    shares : mapping of strategy -> (first group, second group), true shares
    rounds : tuple of PowerRounds
    rows : tuple of PowerRow
    notes : tuple of str
    config : mapping, the resolved settings
    """

    kind: str
    difference: float
    design_effect: float
    alpha: float
    shares: Mapping[str, tuple[float, float]]
    rounds: tuple[PowerRounds, ...]
    rows: tuple[PowerRow, ...]
    notes: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent power --json``, as `codebook.JSON_OBJECTS` describes it."""
        found: dict[str, Any] = json_values(
            {
                "kind": self.kind,
                "difference": self.difference,
                "design_effect": self.design_effect,
                "alpha": self.alpha,
                "shares": {name: list(both) for name, both in self.shares.items()},
                "rounds": [asdict(part) for part in self.rounds],
                "rows": [asdict(row) for row in self.rows],
                "design": {key: self.config.get(key) for key in _DESIGN} if self.kind == "shares" else None,
                "notes": list(self.notes),
            }
        )
        return found

    def table(self) -> pd.DataFrame:
        """One row per design."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])

    def tables(self) -> list[tuple[list[str], list[list[object]], str]]:
        """Header, rows and title of the tables for people."""
        from intent.base.wording import in_percent

        targets = list(self.rounds[0].games_needed)
        labelled = any(part.confident is not None for part in self.rounds)
        needed: list[list[object]] = []
        for part in self.rounds:
            labels = [in_percent(part.confident), in_percent(part.recognised)] if labelled else []
            enough = (part.games_needed[t] for t in targets)
            cells = [*labels, f"{part.seen:+.3f}", *("more" if n is None else f"{n:,}" for n in enough)]
            needed.append([_or_dash(part.rounds), *cells, _played(part)])
        head = [
            "rounds",
            *(["labelled %", "recognised %"] if labelled else []),
            "difference seen",
            *(f"games for {t}" for t in targets),
            "power when played",
        ]
        simulated = any(row.simulated is not None for row in self.rows)
        powers: list[list[object]] = [
            [
                _or_dash(r.rounds),
                f"{r.games:,}",
                in_percent(r.power),
                *([in_percent(r.simulated)] if simulated else []),
            ]
            for r in self.rows
        ]
        what = "share" if self.kind == "shares" else "mean"
        title = f"Games per group to see a difference of {self.difference:g} in the {what}"
        title += f", at alpha {self.alpha:g}"
        columns = ["rounds", "games per group", "power %", *(["simulated %"] if simulated else [])]
        shown = slice(None) if self.kind == "shares" else slice(2, -1)
        return [
            (head[shown], [row[shown] for row in needed], title),
            (columns, powers, f"Power, with a design effect of {self.design_effect:.2f}"),
        ]

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table of designs, or the JSON object with its config.

        Raises
        ------
        OutputError
            A figure, another suffix, or a path that cannot be written.
        """

        def figure(target: Path) -> Path:
            raise OutputError(
                f"cannot write {target}: a plan has no figure, expected .csv, .parquet, .jsonl or .json"
            )

        return write_result(
            path,
            figure=figure,
            table=self.table,
            payload=lambda: {**self.to_dict(), "config": dict(self.config)},
            facts=self.config,
            overwrite=overwrite,
        )


def _or_dash(value: int | None) -> object:
    return "–" if value is None else value


def _played(part: PowerRounds) -> str:
    """Power of the number for the first target, with its Monte Carlo standard error."""
    if part.checked is None:
        return "–"
    return f"{part.checked['power']:.2f} ± {part.checked['se']:.2f}"


_COUNTS = ("estimate", "status", "posterior", "best")
_ROUNDS = (5, 10, 20)
_EPS = 0.05
_TOGETHER = 20
"""Studies that are played at a time; each piece has its own random stream, so this is part of the seed."""

_ROWS = 200_000
"""Games that are held at a time."""


def power(
    difference: float,
    *,
    strategy: str = "TFT",
    strategies: str = "canonical4",
    base: Mapping[str, float] | None = None,
    rounds: Sequence[int] | None = None,
    games: Sequence[int] = (50, 100, 200, 500),
    targets: Sequence[float] = (0.8, 0.9),
    alpha: float = 0.05,
    eps: float | None = None,
    opponent: str | None = None,
    count: str = "estimate",
    seats: int | None = None,
    icc: float | None = None,
    repeats: int | None = None,
    spread: float | None = None,
    games_per_subject: int | None = None,
    design_effect: float | None = None,
    metric: str | None = None,
    sd: float | None = None,
    pilot: pd.DataFrame | GameLog | str | Path | None = None,
    by: str | Sequence[str] = (),
    cluster: Sequence[str] | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    simulate: int = 0,
    check: int = 200,
    most: int = 20_000,
    seed: int = 0,
    workers: int = 1,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> PowerResult:
    """Power of the comparison of two groups, by rounds per game and games per group.

    1. The groups truly differ by `difference` in the share of `strategy`; the others shrink in proportion.
    2. Studies of the design are played move by move and tested as `intent compare` would (`planned`).
    3. The numbers of games for the targets are searched for; the first is checked by studies of its own
       (`search`).

    With `metric` the groups differ in the mean of a number, whose standard deviation is `sd` or the pilot's:
    normal means, with the design effect.

    Parameters
    ----------
    difference : float
    strategy, strategies : str
        Which of which set. What is estimated is the set and RANDOM.
    base : mapping of strategy -> true share in the first group, optional
        Default: the pilot's, else equal shares of the set.
    rounds, games, targets : sequences of numbers
        Rounds per game (default: the pilot's, else 5, 10 and 20); games per group; powers whose games are
        asked for.
    alpha : float
    eps : float, optional
        Noise of the players; default: the pilot's in each group, else .05.
    opponent : str, optional
        ``self``: players of the group meet each other; or as ``intent generate --opponent``, without noise.
        Default: as in the pilot, else self.
    count : str
        estimate, status, posterior or best.
    seats : int, optional
        Labelled seats per game; default: the pilot's, else 2 where players meet each other.
    icc : float, optional
        Correlation of the strategies of a game's seats; default: the pilot's, else 0.
    repeats : int, optional
        Games of each condition; default: the pilot's, else 1.
    spread : float, optional
        How much shares vary between conditions: correlation of the strategies of two games of a condition;
        default: the pilot's, else .25 (where conditions repeat).
    games_per_subject : int, optional
        Default: the pilot's, else 1.
    design_effect : float, optional
        Of means; else in place of `icc`, or of `spread` where conditions repeat.
    metric, sd
        The number, and its standard deviation over rows.
    pilot : log, table of labels or metrics, or a path, optional
        For what is not said.
    by, cluster : columns
        Groups of the pilot, and what is independent in it, in place of what its design says.
    where : mapping of column -> accepted values, of the pilot
    simulate : int
        Studies per row of the table; 0: powers are read off the curve.
    check : int
        Studies of the number that is recommended for the first target.
    most : int
        Games per group beyond which no number is looked for.
    seed : int
    workers : int, processes; results do not depend on it
    update : called with (done, total); how many studies it takes in all is not known before
    **reading
        As `read_log`, for a pilot that is a log.

    Raises
    ------
    UsageError
        A setting that cannot be.
    UnknownNameError
        No such strategy or column.
    """
    config: dict[str, Any] = {
        "difference": difference,
        "strategy": strategy,
        "strategies": strategies,
        "games": list(games),
        "targets": list(targets),
        "alpha": alpha,
        "count": count,
        "metric": metric,
        "simulate": simulate,
        "check": check,
        "most": most,
        "seed": seed,
    }
    _check(config, rounds, eps, seats, icc, repeats, spread, games_per_subject, design_effect)
    if pilot is None and (where or by or cluster):
        raise UsageError("--where, --by and --cluster are of a pilot, expected --pilot")
    if metric is not None:
        return _of_means(
            difference, metric, sd, seats or 2, icc, design_effect, config, pilot, by, cluster, where
        )
    from intent.base.workers import open_workers
    from intent.play.corpora import opponent as named
    from intent.strategies.catalogue import strategy as catalogued
    from intent.strategies.catalogue import strategy_set

    members = strategy_set(strategies)
    names = [s.name for s in members]
    if strategy not in names:
        raise UnknownNameError("strategy", strategy, names)
    players = members if "RANDOM" in names else (*members, catalogued("RANDOM"))
    study: Pilot | None = None
    if pilot is not None:
        from intent.comparison.pilots import read_pilot

        study = read_pilot(pilot, players, by, cluster=cluster, where=where, **reading)
    first = _shares([s.name for s in players], len(members), base, study)
    lengths = list(rounds or ([study.rounds] if study else _ROUNDS))
    noise = (eps, eps) if eps is not None else (study.eps if study and study.eps else (_EPS, _EPS))
    met = named(opponent) if opponent else (study.opponent if study else None) or named("self")
    design = _design(
        players, first, names.index(strategy), difference, noise, met, study,
        seats=seats, icc=icc, repeats=repeats, spread=spread, returns=games_per_subject,
        effect=design_effect, count=count, alpha=alpha,
    )  # fmt: skip
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
        "by": list(study.by) if study else [],
        "pilot": study.source if study else None,
    }
    with open_workers(workers) as crew:
        parts, rows = _planned(design, lengths, names.index(strategy), config, crew, update)
    shares = {
        s.name: (a, b)
        for s, a, b in zip(players, design.first, design.second, strict=True)
        if s.name in names or a > 0 or b > 0
    }
    notes = [*(study.notes if study else ()), *_notes(design, parts, targets)]
    return PowerResult(
        "shares",
        difference,
        design.design_effect,
        alpha,
        shares,
        tuple(parts),
        tuple(rows),
        tuple(notes),
        config,
    )


def _planned(
    design: Design,
    lengths: Sequence[int],
    target: int,
    config: Mapping[str, Any],
    crew: Workers,
    update: Callable[[int, int], None],
) -> tuple[list[PowerRounds], list[PowerRow]]:
    """The search for each length of games, and the powers of the numbers that the user names."""
    from dataclasses import replace

    import numpy as np

    from intent.comparison.planned_studies import search

    parts, rows = [], []
    usual = len(lengths) * (config["check"] + 260 + config["simulate"] * len(config["games"]))
    done = 0
    for length, seeds in zip(
        lengths, np.random.SeedSequence(config["seed"]).spawn(len(lengths)), strict=True
    ):
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
                update(done, max(usual, done + config["check"] // 2))
            findings[games] = np.concatenate(batch)  # noqa: B023
            return int(findings[games][:, 0].sum())  # noqa: B023

        result = search(
            play,
            config["targets"],
            whole=own.whole,
            fewest=own.fewest,
            most=config["most"],
            check=config["check"],
            alpha=own.alpha,
        )
        parts.append(_of_rounds(length, result, config["targets"], findings))
        for n in config["games"]:
            simulated = (
                play(own.whole(n), config["simulate"]) / config["simulate"] if config["simulate"] else None
            )
            rows.append(PowerRow(length, n, float(result.curve.power(n)), simulated))
    update(done, done)
    return parts, rows


def _pieces(
    design: Design, target: int, item: tuple[int, int, np.random.SeedSequence]
) -> NDArray[np.float64]:
    """Findings of some studies: games per group, how many studies, and their random stream."""
    import numpy as np

    from intent.comparison.planned_studies import play_studies, study_tests

    games, studies, seed = item
    rng = np.random.default_rng(seed)
    return study_tests(play_studies(design, games, studies, rng), target, rng)


def _of_rounds(
    length: int, result: Search, targets: Sequence[float], findings: Mapping[int, NDArray[np.float64]]
) -> PowerRounds:
    import numpy as np

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
    players: tuple[Strategy, ...],
    first: NDArray[np.float64],
    target: int,
    difference: float,
    noise: tuple[float, float],
    opponent: Any,
    pilot: Pilot | None,
    *,
    seats: int | None,
    icc: float | None,
    repeats: int | None,
    spread: float | None,
    returns: int | None,
    effect: float | None,
    count: str,
    alpha: float,
) -> Design:
    """What the user says, else the pilot, else the defaults."""
    from intent.comparison.planned_studies import Design, shifted
    from intent.play.corpora import SelfPlay

    second = shifted(first, target, difference)
    each_other = isinstance(opponent, SelfPlay)
    if seats is None:
        seats = pilot.seats if pilot and each_other else 2 if each_other else 1
    returns = returns or (pilot.returns if pilot and not repeats else 1)
    repeats = repeats or (pilot.repeats if pilot and returns == 1 else 1)
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
        count,
        alpha,
    )


def _recorded(design: Design, lengths: Sequence[int]) -> None:
    from intent.play.corpora import Recorded

    if isinstance(design.opponent, Recorded) and max(lengths) > design.opponent.moves.shape[1]:
        raise UsageError(
            f"--rounds {max(lengths)}, but the pilot's opponents played {design.opponent.moves.shape[1]}: "
            "expected no more, or --opponent"
        )


def _notes(design: Design, parts: Sequence[PowerRounds], targets: Sequence[float]) -> list[str]:
    """What the numbers hold for."""
    from intent.play.corpora import Recorded, SelfPlay

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


def _of_means(
    difference: float,
    metric: str,
    sd: float | None,
    seats: int,
    icc: float | None,
    design_effect: float | None,
    config: dict[str, Any],
    pilot: pd.DataFrame | GameLog | str | Path | None,
    by: str | Sequence[str],
    cluster: Sequence[str] | None,
    where: Mapping[str, Sequence[str]] | None,
) -> PowerResult:
    from intent.comparison.pilots import read_metric_pilot
    from intent.comparison.planned_studies import games_needed, mean_power

    notes: list[str] = []
    deff = design_effect or 1 + (seats - 1) * (icc or 0.0)
    by_columns: list[str] = []
    if pilot is not None:
        study = read_metric_pilot(pilot, metric, by, cluster=cluster, where=where)  # type: ignore[arg-type]
        notes += study.notes
        by_columns = list(study.by)
        sd = sd or study.sd
        deff = deff if design_effect or icc is not None else study.deff
    if sd is None or not sd > 0:
        raise UsageError("no standard deviation of the metric: give --sd, or --pilot with --metric")
    alpha = config["alpha"]
    needed = {
        f"{target:g}": games_needed(lambda n: mean_power(difference, sd, n * seats, deff, alpha), target)
        for target in config["targets"]
    }
    rows = [PowerRow(None, n, mean_power(difference, sd, n * seats, deff, alpha)) for n in config["games"]]
    if config["simulate"]:
        notes.append("means are not simulated: the normal approximation is all there is")
    parts = (PowerRounds(None, None, None, difference, needed),)
    source = Path(pilot).name if isinstance(pilot, str | Path) else None
    facts = {**config, "seats": seats, "sd": sd, "pilot": source, "by": by_columns}
    return PowerResult("mean", difference, deff, alpha, {}, parts, tuple(rows), tuple(notes), facts)


def _shares(
    names: Sequence[str], members: int, base: Mapping[str, float] | None, pilot: Pilot | None
) -> NDArray[np.float64]:
    """(K,) shares of the first group: the user's, the pilot's, or equal ones of the members of the set."""
    import numpy as np

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


def _check(
    config: Mapping[str, Any],
    rounds: Sequence[int] | None,
    eps: float | None,
    seats: int | None,
    icc: float | None,
    repeats: int | None,
    spread: float | None,
    returns: int | None,
    design_effect: float | None,
) -> None:
    if config["count"] not in _COUNTS:
        raise UnknownNameError("count", config["count"], _COUNTS)
    for name, values, low, high in (
        ("--rounds", rounds or [], 1, 1000),
        ("--games", config["games"], 2, 10_000_000),
        ("--seats", [seats], 1, 2 if config["metric"] is None else 1000),
        ("--simulate", [config["simulate"]], 0, 100_000),
        ("--check", [config["check"]], 1, 100_000),
        ("--most", [config["most"]], 100, 1_000_000),
        ("--repeats", [repeats], 1, 10_000),
        ("--games-per-subject", [returns], 1, 10_000),
        ("--icc", [icc], 0, 1),
        ("--spread", [spread], 0, 1),
        ("--design-effect", [design_effect], 1, 1e6),
    ):
        for value in values:
            if value is not None and not low <= value <= high:
                raise UsageError(f"{name} {value:g}, expected {low:g} to {high:g}")
    for name, numbers in (("--power", config["targets"]), ("--alpha", [config["alpha"]])):
        for number in numbers:
            if not 0 < number < 1:
                raise UsageError(f"{name} {number:g}, expected between 0 and 1")
    if rounds == () or rounds == [] or not config["games"] or not config["targets"]:
        raise UsageError("nothing to plan: expected at least one of --rounds, --games and --power")
    if eps is not None and not 0 <= eps < 0.5:
        raise UsageError(f"--eps {eps:g}, expected a probability below 0.5")
