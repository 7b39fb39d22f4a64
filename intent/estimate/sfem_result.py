"""What an estimate of strategy shares returns: values, tables, and files as their suffix says.

Estimates of strategy shares as JSON objects and as tables.

What a reader of estimated shares should be warned of, one line each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.json_text import json_values
from intent.base.result import check_output, data_line, kept_in_words, source_of, write_result

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from intent.estimate.design_units import Unit
    from intent.estimate.label_weights import Counted, GroupShares
    from intent.estimate.mixture_fit import Estimate, GroupTest, MixtureFit


__all__ = [
    "Rows",
    "Seen",
    "ShareEstimates",
    "counted_facts",
    "first_games",
    "fit_facts",
    "group_test_facts",
    "joined_tables",
    "notes_of",
    "posterior_table",
    "share_table",
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
class ShareEstimates:
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
    tables : gives the rows of `posteriors` piece by piece, where they can be made so
    origin : the log that was read, if it was a file; never written over
    notes : what a reader should be warned of
    independent : Unit, what errors and tests take as independent
    """

    by: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    fits: tuple[MixtureFit, ...]
    tests: tuple[GroupTest, ...]
    config: Mapping[str, Any]
    rows: Callable[[], Rows]
    count: Callable[[], list[Counted | None]]
    tables: Callable[[], Iterator[pa.Table]] | None = None
    origin: Path | None = None
    notes: list[str] = field(default_factory=list)
    independent: Unit | None = None

    def __repr__(self) -> str:
        n = sum(fit.n_subjects for fit in self.fits)
        by = f" by {', '.join(self.by)}" if self.by else ""
        return f"<ShareEstimates: {n:,} subjects, {len(self.fits)} groups{by}>"

    @cached_property
    def groups(self) -> tuple[GroupShares, ...]:
        """Each group with its labels counted (which can take longer than the estimate)."""
        from intent.estimate.label_weights import GroupShares

        parts = zip(self.values, self.fits, self.count(), strict=True)
        return tuple(GroupShares(values, fit, counted) for values, fit, counted in parts)

    @cached_property
    def known(self) -> Rows:
        """The trajectories one by one, read once."""
        return self.rows()

    @property
    def unit(self) -> str:
        """What one subject is, in words."""
        subject = self.config["subject"]
        if subject == ["game_id", "seat"]:
            return "one seat of one game"
        return f"all games of one {' × '.join(subject)}"

    def unit_line(self) -> str:
        """Which unit is independent, and why."""
        return "" if self.independent is None else self.independent.line()

    def named_fits(self) -> Iterator[tuple[str, MixtureFit]]:
        """Name of each group, and its fit."""
        from intent.base.statistics.groups import group_name

        for values, fit in zip(self.values, self.fits, strict=True):
            yield group_name(values), fit

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent sfem --json``; what is not a number is None."""

        found = zip(self.values, self.fits, strict=True)
        groups = [{"group": dict(zip(self.by, v, strict=True)), **fit_facts(f)} for v, f in found]
        tests = [group_test_facts(test, self.values) for test in self.tests]
        noun = None if self.independent is None else self.independent.noun
        units = {"unit": noun, "unit_line": self.unit_line()}
        finite: dict[str, Any] = json_values({"groups": groups} | ({"tests": tests} if tests else {}) | units)
        return finite

    def table(self) -> pd.DataFrame:
        """One row per group and strategy: share, error, interval, counted shares, tremble, criteria."""

        return share_table(self.groups, self.by)

    def posteriors(self) -> pd.DataFrame:
        """One row per subject: who it is, its group, its best strategy, the posterior of each."""

        return posterior_table(self) if self.tables is None else joined_tables(self.tables())

    def fit_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of fits for people."""
        from intent.estimate.share_figures import fit_rows

        return fit_rows(list(zip(self.values, self.fits, strict=True)), self.by)

    def share_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of shares for people, estimated beside counted."""
        from intent.estimate.share_figures import share_rows

        return share_rows(self.groups, self.by)

    def sentences(self) -> list[str]:
        """The tests between groups in words."""
        from intent.estimate.share_figures import group_test_sentences

        clustered = bool(self.config["cluster"])
        units = "units" if self.independent is None else self.independent.noun
        return group_test_sentences(
            self.tests, self.by, self.config["level"], clustered=clustered, units=units
        )

    def figure(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Draw estimated shares with intervals, and counted ones beside them.

        Raises
        ------
        UsageError
            Too many groups to be readable.
        OutputError
            The path cannot be written, or its suffix is not .png, .svg or .pdf.
        """
        from intent.estimate.share_figures import write_shares

        return write_shares(
            self.groups,
            check_output(path, origin=self.origin),
            by=self.by,
            level=self.config["level"],
            remarks=self._remarks(),
            description=json.dumps({**self.config, "log": self._source()}, ensure_ascii=True),
            overwrite=overwrite,
        )

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, a table, or the JSON object with tests and config.

        Raises
        ------
        UsageError, OutputError
            As `figure` and `check_output`.
        """
        return write_result(
            path,
            figure=lambda target: self.figure(target, overwrite=overwrite),
            table=self.table,
            payload=self._payload,
            facts=self._facts(),
            origin=self.origin,
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
            from intent.recognise.labels.stream import label_writer

            with label_writer(Path(path), overwrite) as (write, close):
                for table in self.tables():
                    write(table)
                close(self._facts())
            return Path(path)
        return write_table(self.posteriors(), Path(path), self._facts(), overwrite=overwrite)

    def _payload(self) -> dict[str, Any]:
        """The object of ``intent sfem --json`` with counted labels, tests, notes and settings."""

        payload = self.to_dict()
        for group, facts in zip(self.groups, payload["groups"], strict=True):
            facts["counted"] = counted_facts(group.counted)
        payload.setdefault("tests", [])
        return {**payload, "notes": self.notes, "config": dict(self.config)}

    def _facts(self) -> dict[str, Any]:
        return {"kind": "sfem", **self.config}

    def _remarks(self) -> list[str]:
        data = data_line(self._source()["source"], *kept_in_words(self.config["where"]))
        unit = f"One subject: {self.unit}"
        clustered = self.independent is not None and bool(self.config["cluster"])
        unit += f"; errors take {self.independent.noun} as independent." if clustered else "."  # type: ignore[union-attr]
        return [f"{data} {unit}", *(line[0].upper() + line[1:] + "." for line in self.notes)]

    def _source(self) -> dict[str, Any]:
        return source_of(self.config["log"])


def fit_facts(fit: MixtureFit) -> dict[str, Any]:
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


def counted_facts(counted: Counted | None) -> dict[str, Any] | None:
    """Counted labels as a JSON object."""
    if counted is None:
        return None
    return {"n": counted.n, "best": counted.best, "confident": counted.confident}


def group_test_facts(test: GroupTest, values: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """A test between groups as a JSON object."""
    return {
        "tested": test.tested,
        "groups": [list(values[int(code)]) for code in test.groups],
        "statistic": test.statistic,
        "df": test.df,
        "p": test.p,
        "boundary": test.boundary,
        "p_permutation": test.p_permutation,
        "permutations": test.permutations,
        "p_units": test.p_units,
        "draws": test.draws,
    }


def share_table(groups: Sequence[GroupShares], by: Sequence[str]) -> pd.DataFrame:
    """One row per group and strategy: share, counted shares, tremble, and the criteria of the group."""
    import pandas as pd

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
    import numpy as np
    import pandas as pd

    from intent.base import codebook
    from intent.recognise.recogniser import most_probable

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


def joined_tables(tables: Iterable[pa.Table]) -> pd.DataFrame:
    """The rows of `posterior_table`, from those of all pieces."""
    import pandas as pd
    import pyarrow as pa

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


def _interval(found: Estimate) -> dict[str, float | None]:
    return {"se": found.se, "low": found.low, "high": found.high}


def _columns(prefix: str, found: Estimate) -> dict[str, float | None]:
    parts = {"estimate": found.estimate, "se": found.se, "low": found.low, "high": found.high}
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

_GAMES = 1000
"""Names of games that are kept."""


@dataclass(frozen=True)
class Seen:
    """What was seen of the log while its play was counted.

    Parameters
    ----------
    skipped : reason -> games that are left out
    silent : int, trajectories without a single readable move
    games : names of the games played, as `first_games`
    several : int, subjects with play in several groups
    told : notes of whoever read it
    """

    skipped: Mapping[str, int]
    silent: int
    games: tuple[str, ...]
    several: int
    told: tuple[str, ...] = ()


def notes_of(result: ShareEstimates, seen: Seen) -> list[str]:
    """Cautions on an estimate.

    Parameters
    ----------
    result : ShareEstimates
    seen : Seen
    """
    notes = [f"{n:,} games are left out: {why}" for why, n in seen.skipped.items()]
    notes += seen.told
    if seen.silent:
        notes.append(f"{seen.silent:,} trajectories without a readable move are left out")
    notes += [
        _pooled_games(result, seen.games),
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
        _shared_players(result, seen.several),
    ]
    return [note for note in notes if note]


def first_games(names: Iterable[object]) -> tuple[str, ...]:
    """The names sorted, as many as memory may hold."""
    return tuple(sorted(map(str, names))[: _GAMES + 1])


def _listed(what: str, groups: Sequence[str]) -> str:
    if not groups:
        return ""
    if list(groups) == ["all"]:
        return what
    more = f" and {len(groups) - _NAMED} more" if len(groups) > _NAMED else ""
    return f"{what}: {', '.join(groups[:_NAMED])}{more}"


def _pooled_games(result: ShareEstimates, games: Sequence[str]) -> str:
    from intent.estimate.cautions import pooled_games

    return pooled_games(games, result.by, most=_GAMES) or ""


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
    from intent.estimate.cautions import few_clusters

    unit = result.independent
    if not result.config["cluster"] or unit is None or unit.kind == "game":
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
