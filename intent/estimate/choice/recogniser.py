"""A fitted model of choice as a recogniser: its types are classes, and it is saved as every recogniser is.

The posterior of a type is that of the model; tests of fit and ties read the types as strategies, whose tables
hold the estimated noise. A model without types predicts moves and labels nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, RecogniserError, shorten
from intent.estimate.choice.choices import OTHER_PREFIX, Choices, of_partner
from intent.estimate.choice.model import ChoiceModel, make_model, moves_made
from intent.logs.gamelog import Trajectories
from intent.recognise.recogniser import Files, Recogniser, as_trajectories, plain_parameters, read_classes

__all__ = ["ChoiceRecogniser"]

Floats = NDArray[np.float64]

_ROWS = 1 << 15


class ChoiceRecogniser(Recogniser):
    """P(type | play) of a model of choice.

    Parameters
    ----------
    model : str, name of the registry, such as ``memory-two:8``
    covariates : columns of the keys of trajectories that the model knows
    random_state : int or None, of models that draw random numbers

    Attributes
    ----------
    model_ : ChoiceModel, fitted
    classes_ : (K,) names of the types; none for a model without types
    strategies_ : tuple of K Strategy, the types
    shares_ : (K,) shares of the types
    eps_ : 0, since the probabilities of the types hold the noise
    """

    kind: ClassVar[str] = "choice"

    needs_labels: ClassVar[bool] = False

    eps_: float = 0.0

    def __init__(
        self,
        model: str = "memory-two",
        *,
        covariates: Sequence[str] = (),
        random_state: int | None = None,
    ) -> None:
        self.model = model
        self.covariates = covariates
        self.random_state = random_state

    @property
    def reads_keys(self) -> bool:  # type: ignore[override]
        """Whether the model knows covariates."""
        return bool(self.covariates)

    @classmethod
    def of_fitted(cls, model: ChoiceModel, name: str, covariates: Sequence[str] = ()) -> Self:
        """A recogniser of a model that is fitted already.

        Parameters
        ----------
        model : ChoiceModel, fitted
        name : as `make_model` takes it
        covariates : columns that it was fitted with
        """
        state = getattr(model, "random_state", None)
        return cls(name, covariates=tuple(covariates), random_state=state)._knowing(model)

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Estimate the model; classes are its types, and `y` is not looked at.

        Raises
        ------
        DataError
            Nothing to learn from, or a covariate that the keys do not have.
        """
        return self._knowing(self._made().fit(self.choices(as_trajectories(X))))

    def choices(self, X: Trajectories, subjects: NDArray[np.intp] | None = None) -> Choices:
        """Trajectories as choices with the model's covariates; each row a subject unless `subjects` say.

        A covariate of the other player, such as ``other_persona``, is a column of the keys or that of the
        other player's row.

        Raises
        ------
        DataError
            A covariate that the keys do not have.
        """
        covariates = self._known(X.keys) if self.covariates else None
        owners = np.arange(len(X)) if subjects is None else subjects
        return Choices.of_trajectories(X, covariates=covariates, subject=owners)

    def predict_proba(self, X: Any) -> Floats:
        """Posterior of each type, (n, K).

        Raises
        ------
        RecogniserError
            The model has no types.
        """
        self._typed()
        choices = self.choices(as_trajectories(X))
        parts = [np.empty((0, len(self.classes_)))]
        for first in range(0, len(choices), _ROWS):
            parts.append(self.model_.memberships(choices[first : first + _ROWS]))
        return np.concatenate(parts)

    def predict_proba_pooled(self, X: Any, subjects: NDArray[np.intp]) -> Floats:
        """Posterior (S, K) given all play of each subject, who is one type in all of it."""
        self._typed()
        after = self.model_.memberships(self.choices(as_trajectories(X), subjects))
        last = np.zeros(int(subjects.max(initial=-1)) + 1, dtype=np.intp)
        last[subjects] = np.arange(len(subjects))  # the last game of a subject overwrites the earlier ones
        pooled: Floats = after[last]
        return pooled

    def chances(self, X: Any) -> Floats:
        """Probability of each move that was made, given what was played before: (n, T), NaN where none."""
        choices = self.choices(as_trajectories(X))
        likelihoods = moves_made(self.model_.next_move(choices), choices)
        return np.where(choices.counted, likelihoods, np.nan)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """The model's state, its parameters and actions."""
        self._fitted()
        state, files = self.model_.to_state()
        return {
            "model": state,
            "parameters": plain_parameters(self.model_.get_params(deep=False)),
            "actions": list(self.model_.actions_),
            "notes": list(self.model_.notes_),
        }, files

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the model.

        Raises
        ------
        RecogniserError
            The state is not one that `to_state` makes.
        """
        if not isinstance(self.model, str) or not isinstance(state.get("parameters"), dict):
            raise RecogniserError(f"model is {shorten(self.model)}, expected a name, and parameters")
        parameters = {k: tuple(v) if isinstance(v, list) else v for k, v in state["parameters"].items()}
        model = make_model(self.model, **parameters)
        names, notes = state["actions"], state["notes"]
        if not all(isinstance(text, str) for text in (*names, *notes)) or len(names) < 2:
            raise RecogniserError(f"actions are {shorten(names)}, expected names of at least two")
        model.actions_, model.notes_ = tuple(names), list(notes)
        return self._knowing(model.from_state(state["model"], files))

    def _known(self, keys: pd.DataFrame | None) -> pd.DataFrame:
        """The covariates of rows with these keys."""
        frame: dict[str, Any] = {}
        for column in self.covariates:
            plain = column.removeprefix(OTHER_PREFIX)
            if keys is not None and column in keys:
                frame[column] = keys[column].to_numpy()
            elif keys is not None and plain != column and (values := of_partner(keys, plain)) is not None:
                frame[column] = values
            else:
                both = " for both players of each game" if plain != column else ""
                raise DataError(
                    f"the model knows covariate {column!r}, which these trajectories do not have{both}; "
                    "label the log that has it, or fit without"
                )
        return pd.DataFrame(frame)

    def _made(self) -> ChoiceModel:
        model = make_model(self.model)
        if "random_state" in model.get_params():
            model.set_params(random_state=self.random_state)
        return model

    def _knowing(self, model: ChoiceModel) -> Self:
        types = model.types()
        self.model_ = model
        self.classes_ = read_classes([t.name for t in types]) if types else np.array([], dtype=str)
        self.strategies_ = tuple(t.strategy for t in types)
        self.shares_ = np.array([t.share for t in types])
        return self

    def _typed(self) -> None:
        self._fitted()
        if not len(self.classes_):
            raise RecogniserError(
                f"{self.model} predicts moves but has no types to label with; "
                "expected a mixture such as memory-two, automata or drifting"
            )
