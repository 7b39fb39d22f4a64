"""From any log with contributions to types of contributors: by the literature's rules, and as a mixture.

Shares of the types in groups are counted by the rules and estimated by the mixture; the figure sets own
contributions against those of the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.codebook import column_names
from intent.base.errors import UsageError
from intent.base.job import (
    Result,
    Table,
    check_bootstrap,
    check_level,
    data_line,
    job,
    kept_in_words,
    source_of,
)
from intent.base.statistics import (
    PERCENTILES,
    WILSON,
    Interval,
    cluster_codes,
    group_name,
    grouping,
    interval_words,
    share_intervals,
)
from intent.estimate.contributions import answers, contributor_play
from intent.estimate.contributor_types import (
    STATUSES,
    TYPES,
    ContributorFit,
    Rules,
    classify,
    error_of,
    fit_contributors,
    most_error,
    resampled_shares,
)
from intent.estimate.design_units import SEAT, design_units
from intent.estimate.requests import ContributorsRequest
from intent.estimate.resampling import resampled_weights
from intent.estimate.sfem_result import percent, percent_ends, subject_words
from intent.figures.style import (
    FAINT,
    MARKERS,
    Drawing,
    canvas,
    legend_of,
    name_rows,
    palette,
    percent_axis,
    ruled,
    wrapped,
)
from intent.logs.chunks import keeps_scripted, scripted_notes, unread_rows
from intent.recognise.recogniser import most_probable
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from intent.base.statistics import Grouping
    from intent.estimate.contributions import Answers, Contributions
    from intent.estimate.contributor_types import ContributorFit, Verdict

__all__ = ["OUTCOMES", "ContributorTypes", "GroupTypes", "contributors", "group_types", "types_figure"]

OUTCOMES = (*TYPES, *STATUSES[:-1])
"""What a subject counts as: its type where that is identified, else its status."""


_EDGE = 1e-6


@dataclass(frozen=True, eq=False)
class GroupTypes:
    """The types of one group.

    Attributes
    ----------
    values : the group's value of each factor
    n : int, subjects
    counted : outcome -> share of the subjects, by the rules
    estimated : type -> share, by the mixture; empty where nobody answers anything
    fit : ContributorFit, or None
    binary : bool, whether all or nothing is given
    """

    values: tuple[Any, ...]
    n: int
    counted: Mapping[str, Interval]
    estimated: Mapping[str, Interval]
    fit: ContributorFit | None
    binary: bool

    @property
    def misfit(self) -> bool:
        """Whether the error is as large as it may be: no type describes the play."""
        return self.fit is not None and self.fit.sigma > 0.98 * most_error(1 if self.binary else 2)

    def to_dict(self, by: Sequence[str]) -> dict[str, Any]:
        """One group of ``intent contributors --json``."""
        fit = self.fit
        return {
            "group": dict(zip(by, self.values, strict=True)),
            "n": self.n,
            "types": {name: _facts(share) for name, share in self.counted.items()},
            "mixture": None
            if fit is None
            else {
                "shares": {name: _facts(share) for name, share in self.estimated.items()},
                "ridge": [list(names) for names in fit.ridge],
                "sigma": fit.sigma,
                "error": error_of(fit.sigma) if self.binary else None,
                "log_likelihood": fit.log_likelihood,
                "bic": fit.bic,
                "n_subjects": len(fit.posterior),
                "n_rounds": fit.n_rounds,
            },
        }


def group_types(
    values: tuple[Any, ...],
    outcomes: Sequence[str],
    clusters: NDArray[np.intp],
    fit: ContributorFit | None,
    of_fit: NDArray[np.intp],
    *,
    binary: bool,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> GroupTypes:
    """Shares of one group, with intervals that resample clusters.

    Parameters
    ----------
    values : the group's value of each factor
    outcomes : n names, of `OUTCOMES`
    clusters : (n,) int, such as the game of each subject
    of_fit : (m,) int, the cluster of each subject of the fit
    samples : int, of the bootstrap
    level : float in (0, 1)
    """
    weights = np.array([[name == own for name in OUTCOMES] for own in outcomes], dtype=float)
    shares = share_intervals(weights, clusters, level=level)
    estimated = {} if fit is None else _estimated(fit, of_fit, samples, level, rng)
    return GroupTypes(values, len(outcomes), dict(zip(OUTCOMES, shares, strict=True)), estimated, fit, binary)


def _estimated(
    fit: ContributorFit, clusters: NDArray[np.intp], samples: int, level: float, rng: np.random.Generator
) -> dict[str, Interval]:
    codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    if codes.max(initial=0) == 0:
        nan = float("nan")
        return {name: Interval(float(s), nan, nan) for name, s in zip(fit.types, fit.shares, strict=True)}
    drawn = resampled_shares(fit, resampled_weights(np.arange(len(codes)), codes, samples, rng))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.minimum(low, fit.shares), np.maximum(high, fit.shares)
    # Where no resample differs from 0 or 1 the end is that of the exact binomial interval, as for counts.
    reach = 1 - ((1 - level) / 2) ** (1 / (codes.max() + 1))
    high = np.where(high < _EDGE, reach, high)
    low = np.where(low > 1 - _EDGE, 1 - reach, low)
    ends = zip(fit.types, fit.shares, low, high, strict=True)
    return {name: Interval(float(s), float(a), float(b)) for name, s, a, b in ends}


def _facts(share: Interval) -> dict[str, float]:
    return {"estimate": share.estimate, "low": share.low, "high": share.high}


_MOST_GROUPS = 8
_MOST_LINES = 120
"""Subjects of a panel whose own lines are drawn."""

_GREY = "#767676"
_DARK = "#222222"
_BINS = 10
_READ = (
    "Left: subjects by their most probable type (mixture); points are means at tenths of the others' "
    "mean, larger where there are more rounds; thin lines are subjects; dashed: as much as others gave.",
    "Right: a subject counts as a type only where the rules identify it, else as its status.",
)


def types_figure(
    table: pd.DataFrame,
    pairs: Answers,
    groups: Sequence[GroupTypes],
    by: Sequence[str] = (),
    *,
    same_round: bool = False,
    level: float = 0.95,
    unit: str = "games",
) -> Drawing:
    """A row of two panels per group: contributions by type, and shares counted and estimated.

    Parameters
    ----------
    table : one row per subject, as `codebook.CONTRIBUTORS`
    pairs : Answers, the contributions of these subjects
    groups : GroupTypes
    by : columns that make the groups
    same_round : bool, whether contributions answer those of the same round
    level : float, coverage of the intervals
    unit : plural of what they take as independent

    Raises
    ------
    UsageError
        More than eight groups.
    """
    if len(groups) > _MOST_GROUPS:
        raise UsageError(
            f"{len(groups)} groups are too many for a figure, expected at most {_MOST_GROUPS} (--where)"
        )
    title = f"Types of contributors by {' and '.join(by)}" if by else "Types of contributors"
    before = "the same round" if same_round else "the round before"

    def draw() -> Figure:
        figure, grid = canvas(
            10.5, 1.7 + 3.0 * len(groups), len(groups), 2, squeeze=False, width_ratios=(1, 1.15)
        )
        for row, group in enumerate(groups):
            own = _members(table, by, group)
            _answers(grid[row, 0], table, pairs, own)
            _shares(grid[row, 1], group)
            heading = " · ".join(map(str, group.values)) or "all subjects"
            grid[row, 0].set_title(wrapped(f"{heading} (n = {group.n:,})", 44), loc="left", fontweight="bold")
            grid[row, 0].set_ylabel("own contribution (%)")
        grid[-1, 0].set_xlabel(f"mean contribution of the others in {before} (%)")
        grid[-1, 1].set_xlabel("share of subjects (%)")
        _legend(figure)
        return figure

    lines = (
        f"Lines: {interval_words(level, f'counted: {WILSON}; estimated: {PERCENTILES}', unit)}.",
        f"n: {sum(group.n for group in groups):,} subjects.",
    )
    return Drawing(title, draw, (*_READ, *lines))


def _members(table: pd.DataFrame, by: Sequence[str], group: GroupTypes) -> NDArray[np.intp]:
    from intent.base.statistics import grouping

    groups = grouping(table, by)
    return np.flatnonzero(groups.codes == groups.values.index(group.values))


def _answers(axes: Axes, table: pd.DataFrame, pairs: Answers, own: NDArray[np.intp]) -> None:
    """Mean contribution at each tenth of the others' mean, by most probable type; thin lines for subjects."""
    best = table["best"].to_numpy(dtype=object)
    tones = dict(zip(TYPES, palette(len(TYPES)), strict=True))
    marks = dict(zip(TYPES, MARKERS, strict=False))
    axes.plot([0, 1], [0, 1], color="#767676", linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
    for name in TYPES:
        members = [i for i in own if best[i] == name]
        if not members:
            continue
        x, y = (np.concatenate(part) for part in zip(*(pairs.of(i) for i in members), strict=True))
        places, means, numbers = _binned(x, y)
        if len(own) <= _MOST_LINES:
            for i in members:
                at, level, _ = _binned(*pairs.of(i))
                axes.plot(at, level, color=tones[name], linewidth=0.7, alpha=0.3, zorder=1, gid=FAINT)
        axes.plot(places, means, color=tones[name], linewidth=1.8, zorder=2)
        sizes = 14 + 70 * numbers / numbers.max()
        axes.scatter(places, means, s=sizes, color=tones[name], zorder=3, clip_on=False, marker=marks[name])
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    for axis in (axes.xaxis, axes.yaxis):
        percent_axis(axis)
    axes.grid(color="#F0F0F0", gid=FAINT)
    axes.set_axisbelow(True)


def _binned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean x and y of each tenth of x, and the number of pairs."""
    place = np.round(x * _BINS).astype(np.intp)
    used, codes = np.unique(place, return_inverse=True)
    numbers = np.bincount(codes, minlength=len(used)).astype(float)
    means = (np.bincount(codes, weights=v, minlength=len(used)) / numbers for v in (x, y))
    at, level = means
    return at, level, numbers


def _shares(axes: Axes, group: GroupTypes) -> None:
    """Counted shares as points, estimated ones as diamonds below them."""
    tones = dict(zip(TYPES, palette(len(TYPES)), strict=True))
    for y, name in enumerate(OUTCOMES):
        tone = tones.get(name, _GREY)
        for share, offset, marker in (
            (group.counted[name], -0.15, "o"),
            (group.estimated.get(name), 0.17, "D"),
        ):
            if share is None:
                continue
            if not np.isnan(share.low):
                axes.plot([share.low, share.high], [y + offset] * 2, color=tone, linewidth=1.9)
            face = tone if marker == "o" else "white"
            axes.plot(
                share.estimate, y + offset, marker, color=tone, markerfacecolor=face, markersize=5.5,
                clip_on=False, zorder=3,
            )  # fmt: skip
    name_rows(axes, [name.replace("_", " ") for name in OUTCOMES], above=0.6)
    axes.set_xlim(-0.02, 1.02)
    axes.axhline(len(TYPES) - 0.5, color="#DDDDDD", linewidth=0.9, zorder=0, gid=FAINT)
    percent_axis(axes.xaxis)
    ruled(axes, "x")


def _legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=_DARK, marker="o", linewidth=1.9, label="counted by the rules"),
        Line2D(
            [], [], color=_DARK, marker="D", markerfacecolor="white", linewidth=1.9, label="estimated mixture"
        ),
    ]
    legend_of(figure, handles)


@dataclass(frozen=True, eq=False)
class ContributorTypes(Result):
    """Types of contributors in a log.

    Parameters
    ----------
    table : one row per subject, as `codebook.CONTRIBUTORS`
    by : columns that make the groups
    groups : GroupTypes of each group
    pairs : Answers, the contributions behind the table, row by row
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    n_games : games the subjects come from
    skipped : reason -> number of games without contributions
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    independent : plural of what intervals take as independent
    """

    table: pd.DataFrame = field()  # type: ignore[assignment]
    by: tuple[str, ...]
    groups: tuple[GroupTypes, ...]
    pairs: Answers
    config: Mapping[str, Any]
    n_games: int
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    origin: Path | None = None
    independent: str = "games"

    def __repr__(self) -> str:
        return f"<ContributorTypes: {len(self.table):,} subjects, {len(self.groups)} groups>"

    kind = "contributors"

    @property
    def unit(self) -> str:
        """What one subject is, in words."""
        return subject_words(self.config["subject"])

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent contributors --json``."""
        counts = self.table["status"].value_counts()
        return {
            "n": len(self.table),
            "n_games": self.n_games,
            "by": list(self.by),
            "statuses": {status: int(counts.get(status, 0)) for status in STATUSES},
            "groups": [group.to_dict(self.by) for group in self.groups],
            "skipped": dict(self.skipped),
        }

    def parts(self) -> Iterator[Table | str]:
        """Types and statuses, counted by the rules and estimated as a mixture."""
        header = [*self.by, "type", "subjects", "counted", "interval", "estimated", "interval "]
        rows: list[list[object]] = []
        for group in self.groups:
            for name, counted in group.counted.items():
                cells = [*map(str, group.values), name, f"{round(counted.estimate * group.n):,}"]
                for share in (counted, group.estimated.get(name)):
                    cells += (
                        ["–", "–"]
                        if share is None
                        else [percent(share.estimate), percent_ends(share.low, share.high)]
                    )
                rows.append([*cells])
        n, level = len(self.table), self.config["level"] * 100
        yield Table(header, rows, f"{n:,} subjects, each {self.unit}; shares in %, {level:g} % intervals")
        yield from self.sentences()

    def sentences(self) -> list[str]:
        """What fits the subjects whose type is ambiguous, most frequent first."""
        unclear = self.table.loc[self.table["status"] == "ambiguous", "candidates"]
        if not len(unclear):
            return []
        counts = unclear.map(" or ".join).value_counts()
        return [f"ambiguous: {', '.join(f'{names} {n:,}' for names, n in counts.items())}"]

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw own contributions against those of the others, by type, and the shares of the types."""
        source = source_of(self.config["log"])
        data = data_line(source["source"], *kept_in_words(self.config["where"]))
        same_round = self.config["same_round"]
        return types_figure(
            self.table,
            self.pairs,
            self.groups,
            self.by,
            same_round=same_round,
            level=self.config["level"],
            unit=self.independent,
        ).write(
            target,
            remarks=[f"{data} One subject: {self.unit}.", *(f"{n[0].upper()}{n[1:]}." for n in self.notes)],
            description=json.dumps({**self.config, "log": source}, ensure_ascii=True),
            overwrite=overwrite,
        )

    def facts(self) -> dict[str, Any]:
        """Also what was left out."""
        return {**super().facts(), "skipped": dict(self.skipped)}

    def payload(self) -> dict[str, Any]:
        """The object of ``intent contributors --json`` with notes and settings."""
        return {**self.to_dict(), "notes": list(self.notes), "config": dict(self.config)}


@job(ContributorsRequest)
def contributors(request: ContributorsRequest) -> ContributorTypes:
    """Types of contributors in a log of a public goods game, or of any game with a cooperative action.

    A subject's contribution is set beside the mean contribution of the others in the round before.

    Returns
    -------
    ContributorTypes
        ``table`` has one row per subject, as `codebook.CONTRIBUTORS`.

    Raises
    ------
    UsageError
        A setting that cannot be, no game left or none with contributions, or a group in which some give all
        or nothing and others amounts.
    UnknownNameError
        A column that does not exist.
    DataError
        A contribution that the endowment does not allow.
    """
    check_bootstrap(request.bootstrap)
    check_level(request.level)
    rules = request.rules
    if rules is None:
        rules = Rules(**request.values(setting.name for setting in fields(Rules)))
    elif not isinstance(rules, Rules):
        rules = Rules(**rules)
    how = request.values(("where", "endowment", "keep_defaulted")) | keeps_scripted(request)
    play = contributor_play(request.log, **how, **request.file_reading())
    keys = play.play.keys
    assert keys is not None
    if not len(keys):
        raise UsageError(
            f"no contributions in {len(play.log):,} games: expected the column value and the game's tokens "
            "(or --endowment), or a cooperative action"
        )
    groups = grouping(keys, column_names(request.by, keys.columns))
    unit = column_names(request.subject, keys.columns) or (("player",) if "player" in keys else SEAT)
    who = np.arange(len(keys)) if unit == SEAT else cluster_codes(keys, unit)
    codes = np.unique(who * len(groups) + groups.codes, return_inverse=True)[1].reshape(-1)
    pairs = answers(play, codes, lag=0 if request.same_round else 1)
    rng = np.random.default_rng(request.seed)
    first = np.unique(codes, return_index=True)[1]
    of_subject = groups.codes[first]
    verdicts = _verdicts(pairs, rules, rng.spawn(1)[0], request.update)
    fits = _fits(pairs, of_subject, groups)
    independent = design_units(keys, conditions=False).unit
    clusters = independent.codes[first]
    outcomes = [v.status if v.type is None else v.type for v in verdicts]
    shares = []
    for g, fit in enumerate(fits):
        own = np.flatnonzero(of_subject == g)
        shares.append(
            group_types(
                groups.values[g],
                [outcomes[i] for i in own],
                clusters[own],
                fit,
                clusters[own if fit is None else fit.subjects],
                binary=int(pairs.units[own].max()) == 1,
                samples=request.bootstrap,
                level=request.level,
                rng=rng,
            )
        )
    order = ("endowment", "bootstrap", "level", "keep_defaulted", "keep_scripted", "where", "seed")
    settings = request.config()
    config = {
        "kind": "contributors",
        "log": play.log.provenance,
        "by": list(groups.columns),
        "subject": list(unit),
        "same_round": request.same_round,
        "rules": asdict(rules),
        **{name: settings[name] for name in order},
        "version": __version__,
    }
    missing = int((~play.log.has_cooperation()).sum())
    return ContributorTypes(
        table=_table(keys, codes, unit, groups.columns, verdicts, fits),
        by=groups.columns,
        groups=tuple(shares),
        pairs=pairs,
        config=config,
        n_games=int(keys["game_id"].nunique()),
        skipped={"no contributions": missing} if missing else {},
        notes=(*scripted_notes(play.log), *_notes(play, verdicts, shares, groups.columns)),
        origin=request.input_path(),
        independent=independent.noun,
    )


def _verdicts(
    pairs: Answers, rules: Rules, rng: np.random.Generator, update: Callable[[int, int], None]
) -> list[Verdict]:
    """What the rules say of each subject; subjects alike in their pairs draw the same permutations."""
    seed = int(rng.integers(1 << 62))
    known: dict[tuple[bytes, bytes, int], Verdict] = {}
    verdicts = []
    for i in range(pairs.n):
        x, y = pairs.of(i)
        key = (x.tobytes(), y.tobytes(), int(pairs.units[i]))
        if key not in known:
            known[key] = classify(x, y, key[2], rules, np.random.default_rng(seed))
        verdicts.append(known[key])
        update(i + 1, pairs.n)
    return verdicts


def _fits(pairs: Answers, of_subject: NDArray[np.intp], groups: Grouping) -> list[ContributorFit | None]:
    """The mixture of each group, None where nobody answers anything."""
    fits: list[ContributorFit | None] = []
    for g in range(len(groups)):
        own = np.flatnonzero(of_subject == g)
        units = np.unique(pairs.units[own])
        if len(units) > 1 and units[0] == 1:
            name = group_name(groups.values[g])
            raise UsageError(
                f"{name}: some games are all or nothing and some have up to {units[-1]} tokens; "
                "--by game or --where game=… keeps them apart"
            )
        rows = np.isin(pairs.subject, own)
        if not rows.any():
            fits.append(None)
            continue
        most = int(pairs.others[own].max())
        fit = fit_contributors(pairs.x[rows], pairs.y[rows], pairs.subject[rows], int(units.max()), most)
        fits.append(fit)
    return fits


def _table(
    keys: pd.DataFrame,
    codes: NDArray[np.intp],
    unit: Sequence[str],
    by: Sequence[str],
    verdicts: Sequence[Verdict],
    fits: Sequence[ContributorFit | None],
) -> pd.DataFrame:
    """One row per subject, as `codebook.CONTRIBUTORS`; trajectory i of `keys` is of subject ``codes[i]``."""
    _, first, sizes = np.unique(codes, return_index=True, return_counts=True)
    whole = tuple(unit) == SEAT
    columns = list(keys.columns) if whole else list(dict.fromkeys([*unit, *by]))
    who = keys[columns].iloc[first].reset_index(drop=True)
    if not whole and who.isna().any(axis=None):
        who = pd.concat([keys[["game_id", "seat"]].iloc[first].reset_index(drop=True), who], axis=1)
        who = who.loc[:, ~who.columns.duplicated()]
    facts = {f.name: [getattr(v, f.name) for v in verdicts] for f in fields(verdicts[0])}
    facts["candidates"] = [list(names) for names in facts["candidates"]]
    types = list(dict.fromkeys(name for fit in fits if fit is not None for name in fit.types))
    posterior = np.full((len(first), len(types)), np.nan)
    best = np.full(len(first), None, dtype=object)
    for fit in (fit for fit in fits if fit is not None):
        at = [types.index(name) for name in fit.types]
        posterior[fit.subjects[:, None], at] = fit.posterior
        best[fit.subjects] = np.array(fit.types, dtype=object)[most_probable(fit.posterior)]
    confidence = np.where(
        np.isnan(posterior).all(axis=1), np.nan, np.nan_to_num(posterior).max(axis=1, initial=0)
    )
    ours = {c.name for c in codebook.CONTRIBUTORS}
    doubled = [c for c in who.columns if c in ours - {"game_id", "seat"} or c.startswith("p_")]
    return who.drop(columns=doubled).assign(
        n_trajectories=sizes,
        **facts,
        best=best,
        confidence=confidence,
        **{codebook.PROBABILITY_PREFIX + name: posterior[:, k] for k, name in enumerate(types)},
    )


_TREND = 0.5
"""Rank correlation with time beyond which a conditional cooperator may merely have drifted."""


def _notes(
    play: Contributions, verdicts: Sequence[Verdict], groups: Sequence[GroupTypes], by: Sequence[str]
) -> list[str]:
    """What a reader of types should be warned of, one line each."""
    keys = play.play.keys
    assert keys is not None
    notes = unread_rows(play.log)
    missing = int((~play.log.has_cooperation()).sum())
    if missing:
        notes.append(f"{missing:,} games are left out: no contributions")
    games = sorted(map(str, keys["game"].dropna().unique())) if "game" in keys else []
    if len(games) > 1 and "game" not in by:
        notes.append(f"play of {len(games)} games is pooled ({', '.join(games)}); --by game keeps them apart")
    drifting = [v for v in verdicts if v.type == "conditional" and v.trend < -_TREND]
    conditional = sum(v.type == "conditional" for v in verdicts)
    if drifting:
        notes.append(
            f"{len(drifting):,} of {conditional:,} conditional cooperators give less and less, "
            "like the others: to follow them and to drift as they do look the same"
        )
    for status, why in (
        ("too_short", "too few rounds"),
        ("constant_others", "others who hardly varied"),
    ):
        n = sum(v.status == status for v in verdicts)
        if n:
            notes.append(f"{n:,} of {len(verdicts):,} subjects have no type: {why}")
    if play.drawn:
        notes.append("endowments that the game drew are not in the log: shares are of the largest one")
    ridges: dict[tuple[str, ...], list[str]] = {}
    for group in groups:
        for ridge in group.fit.ridge if group.fit is not None else ():
            ridges.setdefault(ridge, []).append(group_name(group.values))
    for ridge, names in ridges.items():
        where = "" if names == ["all"] else f": {', '.join(names[:3])}"
        notes.append(
            f"this play does not tell {' and '.join(ridge)} apart, only their sum is estimated{where}"
        )
    wild = [group_name(g.values) for g in groups if g.misfit]
    if wild:
        notes.append(
            f"errors as large as they may be, the types hardly describe the play: {', '.join(wild[:3])}"
        )
    return notes
