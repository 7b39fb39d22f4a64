"""The contract of models of choice, and their registry.

``fit(X)`` estimates; ``next_move(X)`` gives the probability of every action before every move, filtered on
the past alone: earlier rounds of the game, earlier games of the subject, and what is known before the first
move. Changing a later move changes no earlier probability.

References
----------
Fudenberg, Kleinberg, Liang & Mullainathan (2022), Journal of Political Economy 130:956 (completeness: what a
model explains of what can be predicted).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from intent.base.errors import DataError, RecogniserError, UnknownNameError, UsageError
from intent.base.registry import load, point, points, require
from intent.estimate.choice.ahead import Ahead, Anew
from intent.estimate.choice.choices import Choices, as_choices
from intent.estimate.choice.features import covariate_notes
from intent.recognise.recogniser import ClassifierGrammar, Files

if TYPE_CHECKING:
    from intent.strategies.catalogue import Strategy

__all__ = [
    "ACTS",
    "LEAST",
    "MODELS",
    "Acts",
    "ChoiceModel",
    "ChoiceType",
    "Entry",
    "Followed",
    "Parameter",
    "make_model",
    "model_entry",
    "moves_made",
    "threads_for",
]

Floats = NDArray[np.float64]
Acts = Literal["membership", "response", "both"]
ACTS: tuple[Acts, ...] = ("membership", "response", "both")
"""What covariates act on: who plays which type, how a type answers, or both."""

LEAST = 1e-6
"""No model calls a move less probable: one move that it rules out would decide a whole comparison."""

_ONE_THREAD = 200_000
"""Moves up to which a fit takes one thread. Threads that share so little work wait for each other most of the
time, and as they wait they take the processor from whatever else runs."""


@dataclass(frozen=True)
class Parameter:
    """One estimated number.

    Attributes
    ----------
    name : str
        Such as ``tremble`` or ``p_CD``.
    value : float
    se : float or None
        Standard error, None where the family has none, or the estimate lies on a bound.
    unit : str
        ``probability``, ``log odds``, ``nats``, ``payoff``, ...
    of : str
        Type, group or covariate level that it belongs to; empty for all.
    """

    name: str
    value: float
    se: float | None = None
    unit: str = ""
    of: str = ""


@dataclass(frozen=True)
class ChoiceType:
    """One way of playing in a mixture.

    Attributes
    ----------
    name : str
    share : float
        Of subjects, without regard to covariates.
    se : float or None
    strategy : Strategy
        The same table that plays, labels and is drawn; its probabilities hold the estimated noise.
    """

    name: str
    share: float
    se: float | None
    strategy: Strategy


@dataclass(frozen=True)
class Followed:
    """A mixture of automata as it is followed through a game, in the same time after every move.

    Attributes
    ----------
    names : of the K types
    strategies : tuple of K Strategy
    shares : tuple of K float, of subjects before the first move
    tremble : tuple of K float in [0, .5), probability per move that what the strategy intends is flipped
    hazard : float, probability that a subject draws its type anew before a move that counts
    gaps : bool
        Whether an unknown move is summed out: the own one by what the type would play, the other's as a coin.
    """

    names: tuple[str, ...]
    strategies: tuple[Strategy, ...]
    shares: tuple[float, ...]
    tremble: tuple[float, ...]
    hazard: float = 0.0
    gaps: bool = True


@dataclass(frozen=True)
class Entry:
    """A row of the registry.

    Attributes
    ----------
    family : str
        ``no history``, ``automata``, ``free response``, ``hidden states``, ``regression``, ``learning``,
        ``stage game`` or ``flexible``.
    source : str
        ``module:Class``.
    words : str
        One line for lists.
    argument : str
        Parameter that ``name:VALUE`` sets; empty for none.
    settings : mapping
        Parameters that make this row of its class.
    """

    family: str
    source: str
    words: str
    argument: str = ""
    settings: Mapping[str, Any] | None = None


MODELS: dict[str, Entry] = {
    "base-rate": Entry("no history", "intent.estimate.choice.baselines:Rates", "one rate for all moves"),
    "round-rate": Entry(
        "no history",
        "intent.estimate.choice.baselines:Rates",
        "a rate for each round",
        settings={"by_round": True},
    ),
    "setting-rate": Entry(
        "no history",
        "intent.estimate.choice.baselines:Rates",
        "a rate for each setting of the covariates and round",
        settings={"by_round": True, "by_setting": True},
    ),
    "automata": Entry(
        "automata",
        "intent.estimate.choice.automata:Automata",
        "a mixture of strategies that tremble, as sfem estimates it",
        "strategies",
    ),
    "drifting": Entry(
        "automata",
        "intent.estimate.choice.automata:Automata",
        "the same, but a subject draws its strategy anew now and then",
        "strategies",
        {"drifting": True},
    ),
    "memory-one": Entry(
        "free response",
        "intent.estimate.choice.free:FreeResponse",
        "types that answer the last round freely",
        argument="n_types",
    ),
    "memory-two": Entry(
        "free response",
        "intent.estimate.choice.free:FreeResponse",
        "types that answer the last two rounds freely",
        argument="n_types",
        settings={"memory": 2},
    ),
    "response": Entry(
        "free response",
        "intent.estimate.choice.strategy_responses:StrategyResponses",
        "strategies that keep their states and answer in each as estimated",
        "strategies",
    ),
    "hidden": Entry(
        "hidden states",
        "intent.estimate.choice.hidden:HiddenStates",
        "the hidden Markov model of discover",
        "states",
    ),
    "logit": Entry(
        "regression", "intent.estimate.choice.regression:Logit", "logit on the past, the round and covariates"
    ),
    "logit-settings": Entry(
        "regression",
        "intent.estimate.choice.regression:Logit",
        "logit with responses and rounds of each setting of the covariates",
        settings={"settings": True},
    ),
    "reinforcement": Entry(
        "learning",
        "intent.estimate.choice.learning:Reinforcement",
        "what paid is done again (Roth & Erev)",
    ),
    "attraction": Entry(
        "learning",
        "intent.estimate.choice.learning:Attraction",
        "what paid and what would have paid (experience-weighted attraction)",
    ),
    "belief": Entry(
        "learning",
        "intent.estimate.choice.learning:Belief",
        "noisy best replies to what the other did before (weighted fictitious play)",
    ),
    "strategy-learning": Entry(
        "learning",
        "intent.estimate.choice.strategy_learning:StrategyLearning",
        "strategies that paid are played in later games",
        "strategies",
    ),
    "quantal": Entry(
        "stage game",
        "intent.estimate.choice.stage:Quantal",
        "noisy equilibrium of one round (logit quantal response)",
    ),
    "level-k": Entry(
        "stage game",
        "intent.estimate.choice.stage:LevelK",
        "noisy best replies of a few levels of reasoning about one round",
        "levels",
    ),
    "trees": Entry(
        "flexible",
        "intent.estimate.choice.flexible:Trees",
        "gradient boosted trees on the past and covariates",
    ),
    "network": Entry(
        "flexible",
        "intent.estimate.choice.flexible:Network",
        "gated recurrent network on the past and covariates",
    ),
}
"""Name -> model. Outsiders join through the entry-point group ``intent.choice_models``: an `Entry` each."""


class ChoiceModel(ClassifierGrammar):
    """Base of all models of choice, with scikit-learn's grammar.

    ``fit(X)`` takes `Choices`, `Trajectories`, a game log or an (n, T, 2) array; ``score`` is the mean log
    probability of the moves that were made, so that `cross_val_score` gives minus the log loss.

    Attributes
    ----------
    actions_ : tuple of A names, after `fit`
    notes_ : list of str, after `fit`
        What a reader of its row should know, such as that it did not converge.
    """

    interpretable: ClassVar[bool] = True
    """Whether a person can read its parameters as a rule of play."""
    any_actions: ClassVar[bool] = False
    """Whether it takes more than two actions."""
    uses_covariates: ClassVar[bool] = False
    """Whether covariates change what it says."""
    needs_payoffs: ClassVar[bool] = False
    """Whether it looks at what the actions pay."""
    carries: ClassVar[bool] = True
    """Whether earlier games of a subject change what it says of a later one."""

    libraries: ClassVar[tuple[str, ...]] = ()
    """Packages of `intent.base.registry.EXTRAS` that it is computed with."""

    actions_: tuple[str, ...]
    notes_: list[str]

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Estimate from play.

        Parameters
        ----------
        X : Choices, or what `as_choices` makes them of
        y : ignored

        Raises
        ------
        DataError
            No move to learn from, or more actions than the model takes.
        MissingExtraError
            A library that it is computed with is not installed.
        """
        require(*self.libraries)
        choices = as_choices(X)
        if not choices.n_moves:
            raise DataError("no move to learn from")
        if choices.n_actions != 2 and not self.any_actions:
            raise DataError(f"{type(self).__name__} takes two actions, got {choices.n_actions}")
        self.actions_, self.notes_ = choices.actions, []
        with threads_for(choices.n_moves):
            self._estimate(choices)
        if self.uses_covariates:
            self.notes_ += covariate_notes(choices)
        return self

    def next_move(self, X: Any) -> Floats:
        """Probability of every action before every move, in (0, 1), summing to one: (n, T, A).

        Rounds that were not played, or whose move is unknown, have one too. Rows of one subject are read in
        order: give the earlier games of a subject with the later ones where they should count.

        Raises
        ------
        RecogniserError
            Not fitted.
        DataError
            Other actions than those it learned.
        """
        choices = as_choices(X)
        if not hasattr(self, "actions_"):
            raise RecogniserError(f"this {type(self).__name__} is not fitted; call fit first")
        if choices.actions != self.actions_:
            raise DataError(f"actions are {choices.actions}, the model learned {self.actions_}")
        return bounded(self._predicted(choices))

    def ahead(self, X: Choices) -> Ahead:
        """Says the next moves of these rows as they are played; of `X` counts alone which will be there."""
        return Anew(lambda play: bounded(self._predicted(play)), X, games=self.carries)

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Mean log probability of the moves that were made, in nats: minus the log loss."""
        choices = as_choices(X)
        likelihoods = moves_made(self.next_move(choices), choices)
        weights = None
        if sample_weight is not None:
            weights = np.broadcast_to(np.asarray(sample_weight)[:, None], likelihoods.shape)[choices.counted]
        return float(np.average(np.log(likelihoods[choices.counted]), weights=weights))

    def parameters(self) -> tuple[Parameter, ...]:
        """The estimated numbers, those that a person should read first."""
        return ()

    @property
    def n_parameters(self) -> int | None:
        """Free parameters; None where there is no such number."""
        return len(self.parameters())

    def types(self) -> tuple[ChoiceType, ...]:
        """The types of a mixture; empty for other families."""
        return ()

    def effects(self) -> tuple[Parameter, ...]:
        """Parameters by which covariates act on the responses of types."""
        return ()

    @property
    def known_covariates(self) -> tuple[str, ...]:
        """Columns that the fitted model asks of the play that it predicts."""
        coding = getattr(self, "coding_", None)
        return () if coding is None else tuple(coding.columns)

    def followed(self) -> Followed | None:
        """How a tracker follows it in constant time; None where it is asked anew after every move."""
        return None

    def without_errors(self) -> Self:
        """The same, whose next `fit` may leave out standard errors: it is only to predict."""
        return self

    def memberships(self, X: Any) -> Floats:
        """Posterior of each type given the play of each row's subject until the row's end: (n, K)."""
        raise DataError(f"{type(self).__name__} has no types, expected a mixture")

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """What was learned: a JSON object, and files of numbers; no pickle."""
        raise NotImplementedError

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore what `to_state` gave; the parameters are already set."""
        raise NotImplementedError

    def _estimate(self, X: Choices) -> None:
        """Fit; `actions_` and `notes_` are set."""
        raise NotImplementedError

    def _predicted(self, X: Choices) -> Floats:
        """(n, T, A) probabilities, or (n, T) of action 1 where there are two."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """As of a classifier that needs no target."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def bounded(p: Floats) -> Floats:
    """Probabilities (n, T, A), none of them below `LEAST`, from those or from (n, T) of action 1."""
    full = np.stack([1 - p, p], axis=-1) if p.ndim == 2 else p
    full = np.maximum(full, LEAST)
    total: Floats = full / full.sum(axis=-1, keepdims=True)
    return total


def threads_for(n_moves: int) -> AbstractContextManager[Any]:
    """Limit on the threads of BLAS and OpenMP: one for few moves, as many as the libraries take for many."""
    return nullcontext() if n_moves > _ONE_THREAD else threadpool_limits(1)


def moves_made(p: Floats, X: Choices) -> Floats:
    """Probability of the move that was made, 1 where none is counted: (n, T, A) -> (n, T)."""
    likelihoods = np.take_along_axis(p, np.maximum(X.chosen, 0)[..., None].astype(np.intp), axis=2)[..., 0]
    return np.where(X.counted, likelihoods, 1.0)


def model_entry(name: str) -> Entry:
    """The row of a name, without its argument.

    Raises
    ------
    UnknownNameError
        No such model; the nearest are suggested.
    """
    if name in MODELS:
        return MODELS[name]
    if (there := point("intent.choice_models", name)) is not None:
        entry: Entry = load(there)
        return entry
    raise UnknownNameError("model of choice", name, [*MODELS, *points("intent.choice_models")])


_NAME = re.compile(r"(?P<name>[a-z0-9-]+)(?::(?P<argument>[^@]+))?(?:@(?P<acts>[a-z]+))?")


def make_model(name: str, **parameters: Any) -> ChoiceModel:
    """An unfitted model.

    Parameters
    ----------
    name : str
        Of the registry; ``memory-two:8`` sets what its row calls the argument, ``memory-two:8@response`` says
        what covariates act on.
    **parameters
        Of its class.

    Raises
    ------
    UnknownNameError
        No such model.
    UsageError
        An argument that it does not have or cannot read.

    Examples
    --------
    >>> make_model("round-rate")
    Rates(by_round=True)
    """
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise UsageError(f"model {name!r}, expected a name such as memory-two:8 or memory-two:8@response")
    entry = model_entry(match["name"])
    settings = dict(entry.settings or {})
    if (argument := match["argument"]) is not None:
        if not entry.argument:
            raise UsageError(f"model {name!r}: {match['name']} takes nothing after a colon")
        settings[entry.argument] = int(argument) if re.fullmatch(r"[0-9]{1,6}", argument) else argument
    if (acts := match["acts"]) is not None:
        if acts not in ACTS:
            raise UsageError(f"model {name!r}: covariates act on {acts!r}, expected {', '.join(ACTS)}")
        settings["acts"] = acts
    cls = resolve_name(entry.source)
    try:
        model: ChoiceModel = cls(**{**settings, **parameters})
    except TypeError as error:
        raise UsageError(f"model {name!r}: {error}") from None
    return model
