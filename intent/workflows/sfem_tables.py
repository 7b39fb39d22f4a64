"""Estimates of strategy shares as JSON objects and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from intent.analysis.counted import Counted, GroupShares
    from intent.recognise.sfem.result import Estimate, GroupTest, MixtureFit
    from intent.workflows.sfem_result import ShareEstimates

__all__ = [
    "counted_facts",
    "fit_facts",
    "group_test_facts",
    "joined_tables",
    "posterior_table",
    "share_table",
]


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

    from intent import schema
    from intent.recognise.base import most_probable

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
        **{schema.PROBABILITY_PREFIX + name: posterior[:, k] for k, name in enumerate(names)},
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
