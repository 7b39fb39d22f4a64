"""Models without a history: rates of each action, of all moves, by round, by setting and round.

A rate is shrunk to that of the next wider group: (count + k * wider rate) / (n + k), with k chosen by the
likelihood of each move left out, on the rows that it is fitted to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.ahead import Ahead, Foretold
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.features import Coding, codes_of
from intent.estimate.choice.model import ChoiceModel, Parameter
from intent.recognise.recogniser import Files

__all__ = ["Rates"]

Floats = NDArray[np.float64]
_STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)


class Rates(ChoiceModel):
    """How often each action is chosen, whatever was played before.

    Parameters
    ----------
    by_round : bool
        A rate for each round; a later round than any that was met has that of the last.
    by_setting : bool
        A rate for each combination of the covariates; one that was not met has that of all.
    """

    carries = False
    any_actions = True

    def __init__(self, *, by_round: bool = False, by_setting: bool = False) -> None:
        self.by_round = by_round
        self.by_setting = by_setting

    @property
    def uses_covariates(self) -> bool:  # type: ignore[override]
        """Whether settings have rates of their own."""
        return self.by_setting

    def _estimate(self, X: Choices) -> None:
        a, rounds = X.n_actions, X.shape[1] if self.by_round else 1
        self.coding_ = Coding.learn(X) if self.by_setting else Coding((), {}, {})
        settings = self.coding_.settings(X)
        self.settings_ = {setting: i for i, setting in enumerate(sorted(set(settings)))}
        place = codes_of(settings, self.settings_)
        counts = np.zeros((len(self.settings_), rounds, a))
        row, at = np.nonzero(X.counted)
        group = (place[row], at * self.by_round, X.chosen[row, at].astype(np.intp))
        np.add.at(counts, group, 1.0)
        self.n_moves_ = float(counts.sum())
        base = (counts.sum((0, 1)) + 0.5) / (counts.sum() + 0.5 * a)
        by_round = _shrunk(counts.sum(0), base) if self.by_round else base[None]
        self.wider_ = by_round
        self.rates_ = _shrunk(counts, by_round) if self.by_setting else by_round[None]
        self.counts_ = counts.sum(2)

    def ahead(self, X: Choices) -> Ahead:
        """The rates."""
        return Foretold(self._predicted, X)

    def _predicted(self, X: Choices) -> Floats:
        n, t = X.shape
        at = np.minimum(np.arange(t), self.rates_.shape[1] - 1)
        place = (
            codes_of(self.coding_.settings(X), self.settings_) if self.by_setting else np.zeros(n, np.intp)
        )
        rates = np.concatenate([self.rates_, self.wider_[None]])  # the last is for settings that were not met
        predicted: Floats = rates[place][:, at]
        return predicted

    def parameters(self) -> tuple[Parameter, ...]:
        """Rates of every action but the first, by round and setting."""
        rows = []
        for setting, s in self.settings_.items():
            for r in range(self.rates_.shape[1]):
                n = self.counts_[s, r]
                for a, name in list(enumerate(self.actions_))[1:]:
                    p = float(self.rates_[s, r, a])
                    se = float(np.sqrt(p * (1 - p) / n)) if n else None
                    of = " ".join([*setting, *([f"round {r + 1}"] if self.by_round else [])])
                    rows.append(Parameter(f"p_{name}", p, se, "probability", of))
        return tuple(rows)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Rates as JSON."""
        names = ("rates_", "wider_", "counts_")
        state = {name: getattr(self, name).tolist() for name in names}
        settings = [list(setting) for setting in self.settings_]
        return {**state, "settings": settings, "coding": self.coding_.to_state()}, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the rates."""
        for name in ("rates_", "wider_", "counts_"):
            setattr(self, name, np.asarray(state[name], dtype=float))
        self.settings_ = {tuple(setting): i for i, setting in enumerate(state["settings"])}
        self.coding_ = Coding.from_state(state["coding"])
        return self


def _shrunk(counts: Floats, wider: Floats) -> Floats:
    """Rates of groups (..., A), each shrunk to the wider group's by a common strength."""
    n = counts.sum(-1, keepdims=True)
    wide = np.broadcast_to(wider, counts.shape)

    def loss(k: float) -> float:
        left_out = (counts - 1 + k * wide) / np.maximum(n - 1 + k, 1e-9)
        inside = counts > 0
        return -float((counts[inside] * np.log(np.maximum(left_out[inside], 1e-9))).sum())

    k = min(_STRENGTHS, key=loss)
    rates: Floats = (counts + k * wide) / (n + k)
    return rates
