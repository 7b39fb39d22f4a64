"""What the R package stratEst prints of the choices of Dal Bó & Fréchette (2011), met again.

Its tests print shares and the coefficients of a latent class regression, to two or three digits, and no
log-likelihood of these data (the ones it prints are of rock-paper-scissors choices that are not here). So
likelihoods are held against sums of ours move by move, and covariates against separate fits.

References
----------
Dvorak (2023), stratEst, Journal of the Economic Science Association 9:337; its tests `tests.paper.R`,
`tests.examples.R` and `test.example3.R` (github.com/fdvorak/stratEst).
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from intent.estimate.choice.automata import Automata
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.strategy_responses import StrategyResponses
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set

FILE = Path(os.environ.get("INTENT_DATA", "data")) / "df2011" / "choices.csv.gz"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the choices of Dal Bó & Fréchette are not here")

TREATMENTS = ("D5R32", "D5R40", "D5R48", "D75R32", "D75R40", "D75R48")
PUBLISHED = {
    "ALLD": (0.92, 0.78, 0.53, 0.65, 0.11, 0.00),
    "ALLC": (0.00, 0.08, 0.07, 0.00, 0.30, 0.08),
    "GRIM": (0.00, 0.04, 0.00, 0.00, 0.27, 0.12),
    "TFT": (0.08, 0.10, 0.38, 0.35, 0.33, 0.56),
    "WSLS": (0.00, 0.00, 0.02, 0.00, 0.00, 0.00),
    "T2": (0.00, 0.00, 0.00, 0.00, 0.00, 0.24),
}
EXACT = {"smoothing": 1e-9, "ridge": 1e-9, "tol": 1e-11, "n_iter": 20_000, "random_state": 0}


@cache
def df2011() -> Choices:
    """All choices, a row a game, with the treatment as covariate."""
    table = pd.read_csv(FILE)
    table["row"] = table.groupby(["treatment", "id", "game"], sort=False).ngroup()
    shape = (int(table["row"].max()) + 1, int(table["period"].max()))
    own, other = np.full((2, *shape), -1, dtype=np.int8)
    own[table["row"], table["period"] - 1] = table["choice"] == "c"
    other[table["row"], table["period"] - 1] = table["other.choice"] == "c"
    first = table.drop_duplicates("row")
    subject = pd.factorize(first["treatment"] + " " + first["id"].astype(str))[0]
    covariates = pd.DataFrame({"treatment": first["treatment"].to_numpy()})
    return Choices(own, other, own, COOPERATION, subject, covariates)


def of(treatment: str) -> Choices:
    X = df2011()
    assert X.covariates is not None
    return replace(X[np.flatnonzero(X.covariates["treatment"] == treatment)], covariates=None)


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_shares_of_each_treatment(treatment: str) -> None:
    model = Automata("df2011", background=False).fit(of(treatment))
    place = TREATMENTS.index(treatment)
    for s, share in zip(model.strategies_, model.shares_, strict=True):
        assert round(float(share), 2) == PUBLISHED[s.name][place]


def test_the_tremble_of_the_first_treatment() -> None:
    """stratEst prints gamma = .362, where a tremble is 1 / (1 + exp(1 / gamma))."""
    b = float(Automata("df2011", background=False).fit(of("D5R32")).tremble_[0])
    assert 1 / math.log((1 - b) / b) == pytest.approx(0.362, abs=5e-4)


def test_latent_class_regression_on_the_continuation_probability() -> None:
    """ALLD .52, TFT .48; log odds of TFT -1.12, and 2.19 more where games go on with probability 3/4."""
    X = df2011()
    assert X.covariates is not None
    late = X.covariates["treatment"].str.startswith("D75").map({True: "yes", False: "no"})
    X = replace(X, covariates=pd.DataFrame({"late": late.to_numpy()}))
    model = Automata(("ALLD", "TFT"), background=False, acts="membership", ridge=0.0).fit(X)
    assert np.round(model.shares_, 2).tolist() == [0.52, 0.48]
    (coefficient,) = (p.value for p in model.parameters() if p.name == "late=yes")
    assert round(-float(model.constants_[0]), 2) == -1.12
    assert round(-coefficient, 2) == 2.19


def separate(likelihoods: np.ndarray) -> float:
    """The greatest log-likelihood by shares alone, (m, K) likelihoods of subjects: EM, a concave problem."""
    top = likelihoods.max(1, keepdims=True)
    p = np.exp(likelihoods - top)
    shares = np.full(p.shape[1], 1 / p.shape[1])
    for _ in range(5_000):
        r = p * shares
        shares = (r / r.sum(1, keepdims=True)).mean(0)
    return float((np.log(p @ shares) + top[:, 0]).sum())


def test_automata_with_the_treatment_as_covariate_are_separate_fits() -> None:
    X = df2011()
    model = Automata("df2011", background=False, acts="membership", ridge=0.0).fit(X)
    b, total = float(model.tremble_[0]), 0.0
    for treatment in TREATMENTS:
        Y = of(treatment)
        _, subject = np.unique(Y.subject, return_inverse=True)
        rows = log_likelihood(Y.own, Y.other, Y.counted, strategy_set("df2011"), b)
        each = np.zeros((subject.max() + 1, rows.shape[1]))
        np.add.at(each, subject, rows)
        total += separate(each)
    assert model.log_likelihood_ == pytest.approx(total, abs=0.02)  # shares of 0 are approached, not met
    assert model.log_likelihood_ <= total + 1e-6


@pytest.mark.parametrize("responses", ["state", "strategy", "shared"])
def test_responses_with_the_treatment_as_covariate_are_separate_fits(responses: str) -> None:
    """Given the responses, shares by treatment reach what the regression on the treatment reaches."""
    X = df2011()
    model = StrategyResponses(responses=responses, **{**EXACT, "tol": 1e-9}).fit(X)  # type: ignore[arg-type]
    total = 0.0
    for treatment in TREATMENTS:
        Y = of(treatment)
        _, subject = np.unique(Y.subject, return_inverse=True)
        each = np.zeros((subject.max() + 1, len(model.types())))
        for k, kind in enumerate(model.types()):
            for i, who in enumerate(subject):
                each[who, k] += along(kind.strategy, Y.own[i].tolist(), Y.other[i].tolist())
        total += separate(each)
    assert model.log_likelihood_ == pytest.approx(total, abs=0.05)
    assert model.log_likelihood_ <= total + 1e-6


def along(s, own: list[int], other: list[int]) -> float:
    """Log-likelihood of one game, by the table, in plain Python."""
    state, total = s.start, 0.0
    for mine, theirs in zip(own, other, strict=True):
        if mine < 0:
            break
        p = s.p_cooperate[state]
        total += math.log(p if mine else 1 - p)
        state = s.next_code(state, mine, theirs)
    return total
