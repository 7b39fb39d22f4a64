"""Which recogniser labels which part of a log: one for all, or one per group with a noise of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError
from intent.schema.defaults import BACKGROUND

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser

__all__ = ["recognisers_of_parts"]


def recognisers_of_parts(
    model: Recogniser,
    X: Trajectories,
    options: dict[str, Any],
    eps_by: Sequence[str] = (),
    *,
    background: bool = BACKGROUND,
) -> list[tuple[str, NDArray[np.intp], Recogniser]]:
    """Group name, rows and recogniser of each part of the log that has a recogniser of its own.

    A Bayes recogniser takes all options; another one that can be told the noise (method ``with_eps``) takes
    ``eps``, where "integrate" means not to tell it and "estimate" the maximum-likelihood value under its
    own strategies, equally frequent.

    Parameters
    ----------
    model : fitted Recogniser
    X : Trajectories
    options : those of eps, eps_prior and prior that were given
    eps_by : columns
        With eps "estimate": one value for each of their groups.
    background : bool
        Whether RANDOM competes, as `intent.recognise.background.against_random` lets it.

    Raises
    ------
    UsageError
        An option that the recogniser does not have, or nothing to estimate from.
    UnknownNameError
        No such column.
    """
    import numpy as np

    from intent.recognise.background import against_random
    from intent.workflows.columns import column_names

    if eps_by and options.get("eps") != "estimate":
        raise UsageError("--eps-by needs --eps estimate, which it does for each group apart")
    if not options:
        return [("", np.arange(len(X)), against_random(model, background))]
    if options.get("eps") == "estimate" and not len(X):
        raise UsageError("--eps estimate: no trajectory to estimate from")
    told = _teller(model, options, background)
    if not eps_by:
        return [("", np.arange(len(X)), told(X))]
    assert X.keys is not None
    columns = column_names(eps_by, X.keys.columns)
    return [(name, rows, told(X[rows])) for name, rows in _groups(X, columns)]


def _teller(
    model: Recogniser, options: dict[str, Any], background: bool
) -> Callable[[Trajectories], Recogniser]:
    """A function of trajectories: the recogniser that is told the options for them."""
    from intent.recognise.background import against_random, prior_with_random
    from intent.recognise.bayes import BayesRecogniser

    if isinstance(model, BayesRecogniser):
        told = {"eps": model.eps, "eps_prior": model.eps_prior, "prior": model.prior_, **options}
        strategies = model.strategies_
        if background and not any(s.is_background for s in strategies):
            told |= {"background": True, "prior": prior_with_random(told["prior"], strategies)}
        return lambda X: BayesRecogniser(strategies, **told).fit(X)
    with_eps: Callable[[float | None], Recogniser] | None = getattr(model, "with_eps", None)
    foreign = [name for name in options if name != "eps" or with_eps is None]
    if foreign or with_eps is None:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in foreign)
        raise UsageError(f"{names} belongs to a bayes recogniser, but this one is {model.kind}")
    return lambda X: against_random(with_eps(_number(model, options["eps"], X, background)), background)


def _number(model: Recogniser, eps: Any, X: Trajectories, background: bool) -> float | None:
    """The noise to tell a recogniser that takes a number, or None."""
    import numpy as np

    from intent.recognise.evidence import estimate_eps
    from intent.recognise.saved_strategies import with_background
    from intent.recognise.verdict import class_strategies

    if eps == "integrate":
        return None
    if eps != "estimate":
        return float(eps)
    strategies = with_background(class_strategies(model), background)
    return estimate_eps(X, strategies, np.full(len(strategies), 1 / len(strategies)))


def _groups(X: Trajectories, by: Sequence[str]) -> list[tuple[str, NDArray[np.intp]]]:
    """Name and rows of each combination of values that occurs."""
    import numpy as np

    assert X.keys is not None
    for column in by:
        if column not in X.keys.columns:
            raise UnknownNameError("column", column, X.keys.columns)
    columns = X.keys[list(by)]
    codes = columns.groupby(list(by), dropna=False, sort=False, observed=True).ngroup().to_numpy()
    found = []
    for code in dict.fromkeys(codes.tolist()):
        rows = np.flatnonzero(codes == code)
        values = columns.iloc[rows[0]].tolist()
        found.append((", ".join("(none)" if v != v else str(v) for v in values), rows))
    return found
