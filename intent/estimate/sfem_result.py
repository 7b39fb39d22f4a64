"""What an estimate of strategy shares returns: values, tables, text, figure, and what to beware of."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from intent.base import codebook
from intent.base.job import Result, Table, data_line, kept_in_words, source_of
from intent.base.statistics import group_name
from intent.base.wording import p_is
from intent.estimate.design_units import SEAT, Unit, few_clusters, pooled_games
from intent.estimate.population import MOST_GAMES
from intent.estimate.shares import Counted, GroupShares
from intent.recognise.recogniser import most_probable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.estimate.baselines import Baseline
    from intent.estimate.choice.completeness import Completeness
    from intent.estimate.resampling import GroupTest
    from intent.estimate.shares import Estimate, MixtureFit


__all__ = [
    "Rows",
    "Seen",
    "ShareEstimates",
    "fit_rows",
    "group_test_sentences",
    "notes_of",
    "percent",
    "percent_ends",
    "posterior_table",
    "share_rows",
    "subject_words",
]


@dataclass(frozen=True, eq=False)
class Rows:
    """Who the subjects of an estimate are.

    Parameters
    ----------
    keys : table of n trajectories, and what describes them
    subjects : (n,) code of the subject of each trajectory
    fits : MixtureFit of each group, with codes and posteriors of its subjects
    """

    keys: pd.DataFrame
    subjects: NDArray[np.intp]
    fits: tuple[MixtureFit, ...]


@dataclass(frozen=True, eq=False)
class ShareEstimates(Result):
    """Estimated shares of strategies by group, with what is needed to say how they came about.

    Parameters
    ----------
    by : columns that make the groups
    values : the groups, a value of each column
    fits : MixtureFit of each group
    tests : GroupTest between the groups
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    rows : gives the trajectories one by one; of a log that was read piece by piece it reads all at once
    count : gives the labels of each group, counted
    independent : Unit, what errors and tests take as independent
    tables : gives the rows of `posteriors` piece by piece, where they can be made so
    origin : the log that was read, if it was a file; never written over
    notes : what a reader should be warned of
    explained : Completeness, optional
        How much of what can be predicted the strategies explain.
    baselines : shares of people that were asked for beside
    """

    by: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    fits: tuple[MixtureFit, ...]
    tests: tuple[GroupTest, ...]
    config: Mapping[str, Any]
    rows: Callable[[], Rows]
    count: Callable[[], list[Counted | None]]
    independent: Unit
    tables: Callable[[], Iterator[pa.Table]] | None = None
    origin: Path | None = None
    notes: list[str] = field(default_factory=list)
    explained: Completeness | None = None
    baselines: tuple[Baseline, ...] = ()

    kind = "sfem"

    def __repr__(self) -> str:
        n = sum(fit.n_subjects for fit in self.fits)
        by = f" by {', '.join(self.by)}" if self.by else ""
        return f"<ShareEstimates: {n:,} subjects, {len(self.fits)} groups{by}>"

    @cached_property
    def groups(self) -> tuple[GroupShares, ...]:
        """Each group with its labels counted (which can take longer than the estimate)."""
        parts = zip(self.values, self.fits, self.count(), strict=True)
        return tuple(GroupShares(values, fit, counted) for values, fit, counted in parts)

    @cached_property
    def known(self) -> Rows:
        """The trajectories one by one, read once."""
        return self.rows()

    @property
    def unit(self) -> str:
        """What one subject is, in words."""
        return subject_words(self.config["subject"])

    def unit_line(self) -> str:
        """Which unit is independent, and why."""
        return self.independent.line()

    def named_fits(self) -> Iterator[tuple[str, MixtureFit]]:
        """Name of each group, and its fit."""
        for values, fit in zip(self.values, self.fits, strict=True):
            yield group_name(values), fit

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent sfem --json``."""
        pairs = zip(self.values, self.fits, strict=True)
        groups = [{"group": dict(zip(self.by, v, strict=True)), **_fit_facts(fit)} for v, fit in pairs]
        tests = [_group_test_facts(test, self.values) for test in self.tests]
        units = {"unit": self.independent.noun, "unit_line": self.unit_line()}
        explained = {} if self.explained is None else {"explained": self.explained.facts(self.by)}
        people = {"baselines": [one.to_dict() for one in self.baselines]} if self.baselines else {}
        return {"groups": groups, **({"tests": tests} if tests else {}), **units, **explained, **people}

    def table(self) -> pd.DataFrame:
        """One row per group and strategy: share, error, interval, counted shares, tremble, criteria."""
        return _share_table(self.groups, self.by)

    def posteriors(self) -> pd.DataFrame:
        """One row per subject: who it is, its group, its best strategy, the posterior of each."""
        return posterior_table(self) if self.tables is None else _joined_tables(self.tables())

    def fit_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of fits for people."""
        return fit_rows(list(zip(self.values, self.fits, strict=True)), self.by)

    def parts(self) -> Iterator[Table | str]:
        """The fits, the shares beside counted ones, and the tests in words."""
        n = sum(fit.n_subjects for fit in self.fits)
        yield Table(*self.fit_rows(), f"{n:,} subjects, each {self.unit}")
        yield ""
        title = f"Shares in %, with standard errors and {self.config['level'] * 100:g} % intervals"
        yield Table(*share_rows(self.groups, self.by, self.baselines), title)
        yield self.unit_line()
        if self.explained is not None:
            yield self.explained.sentence()
            yield from filter(None, [self.explained.group_table(self.by)])
        yield from self.sentences()

    def sentences(self) -> list[str]:
        """The tests between groups in words."""
        level, clustered = self.config["level"], bool(self.config["cluster"])
        return group_test_sentences(
            self.tests, self.by, level, clustered=clustered, units=self.independent.noun
        )

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw estimated shares with intervals, and counted ones beside them."""
        from intent.estimate.share_figures import shares_figure

        data = data_line(self._source()["source"], *kept_in_words(self.config["where"]))
        unit = f"One subject: {self.unit}"
        unit += f"; errors take {self.independent.noun} as independent." if self.config["cluster"] else "."
        return shares_figure(self.groups, self.by, self.config["level"]).write(
            target,
            remarks=[f"{data} {unit}", *(line[0].upper() + line[1:] + "." for line in self.notes)],
            description=json.dumps({**self.config, "log": self._source()}, ensure_ascii=True),
            overwrite=overwrite,
        )

    def write_posteriors(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the posterior of each subject to Parquet, CSV or JSON lines.

        Raises
        ------
        OutputError
            The path cannot be written.
        """
        from intent.base.tables import write_table

        if self.tables is not None and Path(path).suffix == ".parquet":
            from intent.base.tables import table_writer

            with table_writer(Path(path), overwrite) as (write, close):
                for table in self.tables():
                    write(table)
                close(self.facts())
            return Path(path)
        return write_table(self.posteriors(), Path(path), self.facts(), overwrite=overwrite)

    def payload(self) -> dict[str, Any]:
        """The object of ``intent sfem --json`` with counted labels, tests, notes and settings."""
        payload = self.to_dict()
        for group, facts in zip(self.groups, payload["groups"], strict=True):
            facts["counted"] = None if group.counted is None else asdict(group.counted)
        payload.setdefault("tests", [])
        return {**payload, "notes": self.notes, "config": dict(self.config)}

    def _source(self) -> dict[str, Any]:
        return source_of(self.config["log"])


def subject_words(subject: Sequence[str]) -> str:
    """What one subject is, by the columns that name it."""
    return "one seat of one game" if tuple(subject) == SEAT else f"all games of one {' × '.join(subject)}"


def _fit_facts(fit: MixtureFit) -> dict[str, Any]:
    """One group of ``intent sfem --json``: a tremble of each strategy is an object by strategy."""
    each = fit.tremble_kind == "strategy"
    trembles = [(t.estimate, gamma, _interval(t)) for t, gamma in zip(fit.tremble, fit.gammas, strict=True)]
    tremble, gamma, interval = (
        dict(zip(fit.names, column, strict=True)) if each else column[0]
        for column in zip(*trembles, strict=True)
    )
    return {
        "n_subjects": fit.n_subjects,
        "n_choices": fit.n_choices,
        "log_likelihood": fit.log_likelihood,
        "aic": fit.aic,
        "bic": fit.bic,
        "icl": fit.icl,
        "tremble": tremble,
        "tremble_interval": interval,
        "gamma": gamma,
        "shares": {
            name: {"estimate": share.estimate, **_interval(share)}
            for name, share in zip(fit.names, fit.shares, strict=True)
        },
        "ridge": [list(names) for names in fit.ridge],
        "best": fit.best,
        "match": fit.match,
        "converged": fit.converged,
    }


def _group_test_facts(test: GroupTest, values: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """A test between groups as a JSON object."""
    return {**asdict(test), "groups": [list(values[int(code)]) for code in test.groups]}


def _share_table(groups: Sequence[GroupShares], by: Sequence[str]) -> pd.DataFrame:
    """One row per group and strategy: share, counted shares, tremble, and the criteria of the group."""
    rows: list[dict[str, Any]] = []
    for group in groups:
        fit, counted = group.fit, group.counted
        trembles = fit.tremble if fit.tremble_kind == "strategy" else fit.tremble * len(fit.names)
        gammas = fit.gammas if fit.tremble_kind == "strategy" else fit.gammas * len(fit.names)
        for k, name in enumerate(fit.names):
            rows.append(
                {
                    **dict(zip(by, group.values, strict=True)),
                    "n_subjects": fit.n_subjects,
                    "n_choices": fit.n_choices,
                    "strategy": name,
                    **_columns("", fit.shares[k]),
                    "source": fit.shares[k].source,
                    "ridge": next((list(ridge) for ridge in fit.ridge if name in ridge), []),
                    "counted_best": _share(counted, "best", name),
                    "counted_confident": _share(counted, "confident", name),
                    **_columns("tremble", trembles[k]),
                    "gamma": gammas[k],
                    "log_likelihood": fit.log_likelihood,
                    "aic": fit.aic,
                    "bic": fit.bic,
                    "icl": fit.icl,
                    "best": fit.best,
                    "match": fit.match,
                    "converged": fit.converged,
                }
            )
    return pd.DataFrame(rows)


def posterior_table(result: ShareEstimates) -> pd.DataFrame:
    """One row per subject: who it is, its group, trajectories, best strategy, and the posterior of each.

    The columns that say who it is are those that make a subject; a strategy that selection dropped in the
    group of a subject has no posterior there.
    """
    known = result.known
    codes, first, sizes = np.unique(known.subjects, return_index=True, return_counts=True)
    columns = [c for c in ("game_id", "seat", "player") if c in result.config["subject"]]
    columns = [*dict.fromkeys([*columns, *result.config["subject"], *result.by])]
    who = known.keys[columns].iloc[first].reset_index(drop=True)
    if who.isna().any(axis=None) and "game_id" not in columns:
        seats = known.keys[[c for c in ("game_id", "seat") if c not in columns]]
        who = pd.concat([who, seats.iloc[first].reset_index(drop=True)], axis=1)
    names = list(dict.fromkeys(name for fit in known.fits for name in fit.names))
    posterior = np.full((len(codes), len(names)), np.nan)
    best = np.empty(len(codes), dtype=object)
    for fit in known.fits:
        assert fit.subjects is not None
        assert fit.posterior is not None
        rows = np.searchsorted(codes, fit.subjects)
        posterior[rows[:, None], [names.index(name) for name in fit.names]] = fit.posterior
        best[rows] = np.array(fit.names, dtype=object)[most_probable(fit.posterior)]
    return who.assign(
        n_trajectories=sizes,
        best=best,
        confidence=np.nanmax(posterior, axis=1),
        **{codebook.PROBABILITY_PREFIX + name: posterior[:, k] for k, name in enumerate(names)},
    )


def _joined_tables(tables: Iterable[pa.Table]) -> pd.DataFrame:
    """The rows of `posterior_table`, from those of all pieces."""
    whole = pa.concat_tables([table.unify_dictionaries() for table in tables]).unify_dictionaries()
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame: pd.DataFrame = whole.to_pandas(types_mapper=nullable.get)
    plain: dict[str, Any] = {}
    for column, kind in frame.dtypes.items():
        if isinstance(kind, pd.CategoricalDtype):
            plain[str(column)] = object
        elif isinstance(kind, pd.Int64Dtype | pd.BooleanDtype) and frame[column].notna().all():
            plain[str(column)] = kind.type
    return frame.astype(plain)


def _interval(value: Estimate) -> dict[str, float | None]:
    return {"se": value.se, "low": value.low, "high": value.high}


def _columns(prefix: str, value: Estimate) -> dict[str, float | None]:
    parts = {"estimate": value.estimate, **_interval(value)}
    if not prefix:
        return parts
    return {prefix if part == "estimate" else f"{prefix}_{part}": value for part, value in parts.items()}


def _share(counted: Counted | None, how: str, name: str) -> float | None:
    if counted is None:
        return None
    return (counted.best if how == "best" else counted.confident).get(name, 0.0)


_FEW = 5
"""Subjects per parameter below which errors are not to be trusted."""

_WILD = 0.25
"""Tremble from which on one may doubt that the set of strategies describes the play."""

_NAMED = 3


@dataclass(frozen=True)
class Seen:
    """What was seen of the log while its play was counted.

    Parameters
    ----------
    skipped : reason -> games that are left out
    silent : int, trajectories without a single readable move
    games : names of the games played, as `first_games`
    several : int, subjects with play in several groups
    notes : of whoever read it
    """

    skipped: Mapping[str, int]
    silent: int
    games: tuple[str, ...]
    several: int
    notes: tuple[str, ...] = ()


def notes_of(result: ShareEstimates, counts: Seen) -> list[str]:
    """Cautions on an estimate."""
    notes = [f"{n:,} games are left out: {why}" for why, n in counts.skipped.items()]
    notes += counts.notes
    if counts.silent:
        notes.append(f"{counts.silent:,} trajectories without a readable move are left out")
    notes += [
        pooled_games(counts.games, result.by, most=MOST_GAMES) or "",
        _selection(result),
        *_ridges(result),
        _boundary(result),
        _barely(result),
    ]
    notes += [
        _listed("not converged", [n for n, f in result.named_fits() if not f.converged]),
        _listed(
            f"fewer than {_FEW} subjects per parameter, errors are unreliable",
            [n for n, f in result.named_fits() if f.n_subjects < _FEW * f.n_parameters],
        ),
        _few_clusters(result),
        _fits_badly(result),
        _shared_players(result, counts.several),
    ]
    return [note for note in notes if note]


def _listed(what: str, groups: Sequence[str]) -> str:
    if not groups:
        return ""
    if list(groups) == ["all"]:
        return what
    more = f" and {len(groups) - _NAMED} more" if len(groups) > _NAMED else ""
    return f"{what}: {', '.join(groups[:_NAMED])}{more}"


def _selection(result: ShareEstimates) -> str:
    dropped = result.config["dropped"]
    if not result.config["select"]:
        return ""
    by = result.config["select"].upper()
    if not dropped:
        return f"{by} drops none of the {len(result.fits[0].names)} strategies"
    return f"{by} dropped {', '.join(dropped)}; errors do not know that a selection came before"


def _ridges(result: ShareEstimates) -> list[str]:
    sets: dict[tuple[str, ...], list[str]] = {}
    for name, fit in result.named_fits():
        for ridge in fit.ridge:
            sets.setdefault(ridge, []).append(name)
    return [
        _listed(f"this play does not tell {' and '.join(ridge)} apart, only their sum is estimated", groups)
        for ridge, groups in sets.items()
    ]


def _boundary(result: ShareEstimates) -> str:
    if result.config["bootstrap"]:
        return ""
    ridged = [{name for ridge in fit.ridge for name in ridge} for fit in result.fits]
    bare = sum(
        share.se is None and name not in known
        for fit, known in zip(result.fits, ridged, strict=True)
        for name, share in zip(fit.names, fit.shares, strict=True)
    )
    total = sum(len(fit.names) for fit in result.fits)
    if not bare:
        return ""
    return f"{bare} of {total} shares lie on the boundary and have no error; --bootstrap 1000 gives intervals"


def _barely(result: ShareEstimates) -> str:
    if result.config["bootstrap"]:
        return ""
    shares = [share for fit in result.fits for share in fit.shares if share.se is not None]
    small = sum(share.estimate < share.se for share in shares if share.se is not None)
    if not small:
        return ""
    many = "1 share is smaller than its" if small == 1 else f"{small} shares are smaller than their"
    return f"{many} standard error, the interval says little; --bootstrap 1000 gives a better one"


def _few_clusters(result: ShareEstimates) -> str:
    unit = result.independent
    if not result.config["cluster"] or unit.kind == "game":
        return ""
    numbers = [fit.n_units or 0 for fit in result.fits]
    names = [name for name, _ in result.named_fits()]
    return few_clusters(names, numbers, unit.noun) or ""


def _fits_badly(result: ShareEstimates) -> str:
    """A tremble near one half means that no strategy of the set describes the play."""
    wild = [n for n, f in result.named_fits() if any(t.estimate > _WILD - 1e-9 for t in f.tremble)]
    return _listed(f"a tremble of {_WILD:g} or more, the strategies hardly describe the play", wild)


def _shared_players(result: ShareEstimates, several: int) -> str:
    """Players who are subjects in several groups, so that the groups are not independent."""
    if not result.by or result.config["subject"] == ["game_id", "seat"] or not several:
        return ""
    return f"{several:,} of them play in several groups and count once in each: groups are not independent"


def fit_rows(
    fits: Sequence[tuple[tuple[Any, ...], MixtureFit]], by: Sequence[str]
) -> tuple[list[str], list[list[object]]]:
    """Header and rows: a group with its tremble, gamma, criteria, and its best single strategy."""
    header = [*by, "subjects", "choices", "tremble", "±", "gamma", "log L", "AIC", "BIC", "ICL"]
    rows: list[list[object]] = []
    for values, fit in fits:
        tremble = fit.tremble[0] if fit.tremble_kind != "strategy" else None
        cells: list[object] = [*map(str, values), f"{fit.n_subjects:,}", f"{fit.n_choices:,}"]
        cells += ["by strategy", "–"] if tremble is None else [_plain(tremble.estimate), _plain(tremble.se)]
        cells += ["–" if math.isnan(fit.gamma) else f"{fit.gamma:.3f}"]
        cells += [f"{value:.1f}" for value in (fit.log_likelihood, fit.aic, fit.bic, fit.icl)]
        rows.append([*cells, fit.best, f"{fit.match * 100:.1f}%"])
    return [*header, "best single", "match"], rows


def share_rows(
    groups: Sequence[GroupShares], by: Sequence[str], baselines: Sequence[Baseline] = ()
) -> tuple[list[str], list[list[object]]]:
    """Header and rows: the share of each strategy in per cent with error and interval, and the counted ones.

    The tremble of a strategy is added where each has its own. Shares of people stand below.
    """
    each = any(group.fit.tremble_kind == "strategy" for group in groups)
    counted = any(group.counted is not None for group in groups)
    header = [*by, "strategy", "share", "±", "interval", *(["tremble", "± "] if each else [])]
    header += ["counted: best", "confident"] if counted else []
    rows: list[list[object]] = []
    for group in groups:
        fit = group.fit
        for k, (name, share) in enumerate(zip(fit.names, fit.shares, strict=True)):
            cells: list[object] = [*map(str, group.values), name]
            cells += [percent(share.estimate), percent(share.se), percent_ends(share.low, share.high)]
            if each:
                own = fit.tremble[k if fit.tremble_kind == "strategy" else 0]
                cells += [_plain(own.estimate), _plain(own.se)]
            if counted and group.counted is not None:
                cells += [percent(group.counted.best.get(name, 0.0))]
                cells += [percent(group.counted.confident.get(name, 0.0))]
            rows.append(cells)
    if not baselines:
        return header, rows
    if not by:
        header, rows = ["group", *header], [["all", *row] for row in rows]
    for one in baselines:
        lead = [f"humans: {one.name}", *[""] * (len(by) - 1)]
        for name, of_people, error in one.shares:
            cells = [*lead, name, percent(of_people), percent(error)]
            rows.append([*cells, *["–"] * (len(header) - len(cells))])
    return header, rows


def group_test_sentences(
    tests: Sequence[GroupTest],
    by: Sequence[str],
    level: float,
    *,
    clustered: bool = False,
    units: str = "units",
) -> list[str]:
    """What the likelihood-ratio tests between groups say, one line each.

    The verdict is that of the permutation, where there is one, else that of the test that knows the units,
    else that of chi-square.

    Parameters
    ----------
    tests : sequence of GroupTest
    by : columns that make the groups
    level : float, tests speak at 1 - level
    clustered : bool
        Whether subjects come in clusters, which chi-square does not know of.
    units : what is independent, in the plural
    """
    return [_sentence(test, " × ".join(by), level, clustered, units) for test in tests]


def percent(value: float | None) -> str:
    """``31.2``, a dash where there is no number."""
    return "–" if value is None or math.isnan(value) else f"{value * 100:.1f}"


def _plain(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def percent_ends(low: float, high: float) -> str:
    """``28.0–34.4``, a dash where the data give no ends."""
    return "–" if math.isnan(low) or math.isnan(high) else f"{low * 100:.1f}–{high * 100:.1f}"


def _sentence(test: GroupTest, by: str, level: float, clustered: bool, units: str) -> str:
    p = next(p for p in (test.p_permutation, test.p_units, test.p) if p is not None)
    plural = test.tested != "tremble"
    verb = "differ" if plural else "differs"
    what = test.tested[0].upper() + test.tested[1:]
    head = f"{what} {verb}" if p <= 1 - level else f"No evidence that {test.tested} {verb}"
    if test.p_units is not None:
        text = f"{head} by {by}: likelihood ratio {test.statistic:.4g} ({test.df} df), {p_is(test.p_units)}"
        return f"{text} ({units} are independent; {test.draws:,} draws)"
    text = f"{head} by {by}: likelihood ratio chi-square({test.df}) = {test.statistic:.4g}, {p_is(test.p)}"
    doubts = ["an estimate lies on its boundary"] if test.boundary else []
    doubts += ["subjects of one cluster are taken as independent"] if clustered else []
    text += f" (rough: {', '.join(doubts)})" if doubts else ""
    if test.p_permutation is not None:
        text += f"; {test.permutations:,} permutations {p_is(test.p_permutation)}"
    return text
