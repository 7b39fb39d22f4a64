"""Strategy-frequency estimation as a recogniser: the posterior under estimated shares and trembles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.defaults import DEFAULT_STRATEGIES
from intent.base.errors import RecogniserError, shorten
from intent.estimate.shares import MixtureFit, estimate
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import normalise, trajectory_likelihood
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    as_trajectories,
    check_eps,
    read_classes,
    read_probabilities,
    restored_strategies,
)
from intent.strategies.sets import strategy_set, strategy_table

__all__ = ["SfemRecogniser"]

_TREMBLES = ("common", "strategy")
_SUBJECTS = ("trajectory", "player")


class SfemRecogniser(Recogniser):
    """The finite mixture of Dal Bó & Fréchette (2011), fitted without labels.

    P(k | play) is proportional to phi_k prod_t q_t(k), with the shares phi and the tremble at their
    maximum-likelihood values. Labels given to `fit` are not looked at.

    Parameters
    ----------
    strategies : set name, comma-separated names, or sequence of names and Strategy
    tremble : {"common", "strategy"}
    subjects : {"trajectory", "player"}
        What is one observation of `fit`: each trajectory, or all of a player (column ``player`` of
        ``X.keys``; a trajectory without one stays alone). The posterior is always that of one trajectory.
    bootstrap : int
        Resamples for the errors in `fit_`; 0: errors from the information.
    random_state : int or None, of the bootstrap

    Attributes
    ----------
    classes_ : (K,) names
    strategies_ : tuple of K Strategy
    shares_ : (K,)
    tremble_ : (K,) tremble of each strategy (0 where nobody plays it and it has its own)
    eps_ : float, mean tremble over the shares: the noise of tests of fit
    fit_ : MixtureFit, errors and criteria; not kept by saving

    References
    ----------
    Dal Bó & Fréchette 2011, AER 101:411.
    """

    kind: ClassVar[str] = "sfem"

    needs_labels: ClassVar[bool] = False

    fit_: MixtureFit

    def __init__(
        self,
        strategies: Any = DEFAULT_STRATEGIES,
        *,
        tremble: str = "common",
        subjects: str = "trajectory",
        bootstrap: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.strategies = strategies
        self.tremble = tremble
        self.subjects = subjects
        self.bootstrap = bootstrap
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Estimate shares and tremble.

        Raises
        ------
        RecogniserError
            A parameter that does not exist, or players asked for where none are known.
        """
        self._check_words()
        X = as_trajectories(X)
        chosen = strategy_set(self.strategies)
        rng = np.random.default_rng(self.random_state) if self.bootstrap else None
        kind: Any = self.tremble
        result = estimate(
            X, self._subjects_of(X), chosen, tremble=kind, bootstrap=self.bootstrap, test=False, rng=rng
        )
        self.fit_ = result.groups[0][1]
        self.shares_ = np.array([share.estimate for share in self.fit_.shares])
        trembles = [0.0 if np.isnan(t.estimate) else t.estimate for t in self.fit_.tremble]
        self._set(chosen, self.shares_, np.broadcast_to(np.array(trembles), len(chosen)).copy())
        return self

    @property
    def metrics_(self) -> dict[str, float]:
        """Shares, trembles, their errors (where there are any), likelihood and criteria, for a tracker."""
        fit, numbers = self.fit_, {}
        trembles = fit.names if fit.tremble_kind == "strategy" else ("",)
        for what, names, estimates in (("share", fit.names, fit.shares), ("tremble", trembles, fit.tremble)):
            for name, value in zip(names, estimates, strict=True):
                key = f"{what}_{name}" if name else what
                numbers[key] = value.estimate
                numbers[f"{key}_se"] = np.nan if value.se is None else value.se
        numbers |= {name: getattr(fit, name) for name in ("log_likelihood", "aic", "bic", "icl", "match")}
        numbers |= {"n_subjects": float(fit.n_subjects), "n_choices": float(fit.n_choices)}
        return {name: value for name, value in numbers.items() if np.isfinite(value)}

    def draw(self, folder: Path) -> list[Path]:
        """The estimated shares of the strategies in the play that it was fitted to."""
        from intent.estimate.share_figures import shares_figure
        from intent.estimate.shares import GroupShares

        return [shares_figure([GroupShares((), self.fit_)]).write(folder / "shares.png")]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior (n, K). A history that no class allows (possible without trembles) gets the shares."""
        self._fitted()
        X = as_trajectories(X)
        ll = np.empty((len(X), len(self.classes_)))
        for eps in np.unique(self.tremble_):
            same = np.flatnonzero(self.tremble_ == eps)
            chosen = [self.strategies_[k] for k in same]
            ll[:, same] = trajectory_likelihood(X, chosen, float(eps))
        return normalise(ll, self.shares_)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Strategies as tables, shares and trembles."""
        self._fitted()
        return {
            "strategies": [strategy_table(s) for s in self.strategies_],
            "shares": self.shares_.tolist(),
            "tremble": self.tremble_.tolist(),
        }, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from tables; where the parameter `strategies` no longer means them, they take its place.

        Raises
        ------
        RecogniserError
            The state or a parameter is not one that `fit` makes.
        """
        self._check_words()
        strategies, parameter = restored_strategies(self.strategies, state["strategies"])
        read_classes([s.name for s in strategies])
        shares = read_probabilities(state["shares"], len(strategies))
        tremble = state["tremble"]
        if not isinstance(tremble, list) or len(tremble) != len(strategies):
            raise RecogniserError(f"tremble is {shorten(tremble)}, expected {len(strategies)} numbers")
        for eps in tremble:
            check_eps(eps)
        self.strategies = parameter
        self._set(strategies, shares, np.array(tremble, dtype=float))
        return self

    def _set(self, strategies: Any, shares: NDArray[np.float64], tremble: NDArray[np.float64]) -> None:
        self.strategies_, self.shares_, self.tremble_ = strategies, shares, tremble
        self.classes_ = np.array([s.name for s in strategies])
        self.eps_ = float(np.minimum(shares @ tremble, 0.5 - 1e-9))

    def _subjects_of(self, X: Trajectories) -> NDArray[np.intp]:
        alone = np.arange(len(X))
        if self.subjects == "trajectory":
            return alone
        if X.keys is None or "player" not in X.keys:
            raise RecogniserError("subjects='player' needs a column 'player' in the keys of the trajectories")
        codes = X.keys["player"].factorize()[0]
        return np.where(codes >= 0, codes, alone + len(X))

    def _check_words(self) -> None:
        for name, known in (("tremble", _TREMBLES), ("subjects", _SUBJECTS)):
            if getattr(self, name) not in known:
                got = shorten(repr(getattr(self, name)))
                raise RecogniserError(f"{name} is {got}, expected {' or '.join(map(repr, known))}")
        if type(self.bootstrap) is not int or self.bootstrap < 0:
            raise RecogniserError(
                f"bootstrap is {shorten(repr(self.bootstrap))}, expected a number of resamples"
            )
