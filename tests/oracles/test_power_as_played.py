"""The games recommended for 80 %, played by code of its own and compared: do 80 % of studies find it?"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from intent.comparison.power import power
from intent.comparison.shares import EstimatedShares, Subjects
from intent.estimate.contrast import GroupPlay
from intent.estimate.counts import count_moves, patterns
from intent.estimate.design_units import design_units
from intent.strategies.catalogue import strategy

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "inference.py"
NAMES = ("ALLC", "ALLD", "TFT", "WSLS", "RANDOM")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("inference_as_planned", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def rejects(log) -> bool:
    """Whether the estimate says that groups differ, on the unit that the log's design has."""
    X = log.trajectories()
    table = X.keys.reset_index(drop=True)
    units = design_units(table, ("group",))
    who = np.arange(len(table)) if units.players is None else units.players
    players = [strategy(name) for name in NAMES]

    def play(rows, subject):
        return GroupPlay(*patterns(count_moves(X[rows], subject, players)))

    tests = EstimatedShares(Subjects(table, who, units, NAMES, play), ("group",), 0.95, 0).tests(("group",))
    return tests[0].p <= 0.05


def log_as_planned(script, rng, plan, games):
    """Games of both groups as the design says, move by move."""
    design, eps = plan["design"], plan["design"]["eps"][0]
    repeats, spread, returns = (design[key] for key in ("repeats", "spread", "games_per_subject"))
    index = np.arange(games)
    kinds, players = [], []
    for g in (0, 1):
        shares = np.array([plan["shares"].get(name, (0, 0))[g] for name in NAMES])
        subject = np.arange(2 * games).reshape(-1, 2)
        if returns > 1:
            rounds = [rng.permutation(2 * games // returns).reshape(-1, 2) for _ in range(returns)]
            subject = np.concatenate(rounds)
        own = rng.choice(5, int(subject.max()) + 1, p=shares)[subject]
        if repeats > 1:
            some = shares > 0
            cells = np.zeros((games // repeats, 5))
            cells[:, some] = rng.dirichlet(shares[some] * (1 - spread) / spread, len(cells))
            own = np.stack([[rng.choice(5, p=cells[i // repeats]) for i in index] for _ in (1, 2)], axis=1)
        kinds.append(own)
        players.append(subject + g * 2 * games)
    kinds = np.concatenate(kinds)
    noise = np.full((2 * games, 2), eps)
    if design["opponent"] == "TFT":
        kinds[:, 1], noise[:, 1] = script.TFT, 0
    columns = {"group": np.array(["a", "b"]).repeat(games)}
    if repeats > 1:
        columns |= {"story": np.char.add("s", np.tile(index // repeats, 2).astype(str))}
    names = np.char.add("p", np.concatenate(players).astype(str)) if returns > 1 else None
    seats = {} if names is None else {"player": names}
    return script.log_of(script.play(rng, kinds, noise), columns, seats, focal=design["seats"])


def share_found(script, rng, studies, **options):
    plan = power(0.15, rounds=[10], games=[100], targets=[0.8], **options).to_dict()
    games = plan["rounds"][0]["games_needed"]["0.8"]
    return np.mean([rejects(log_as_planned(script, rng, plan, games)) for _ in range(studies)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [{}, {"opponent": "TFT"}, {"repeats": 10}, {"games_per_subject": 10}])
def test_four_of_five_studies_find_it(options, script, rng):
    assert share_found(script, rng, 400, **options) == pytest.approx(0.8, abs=0.07)


@pytest.mark.exhaustive
def test_four_of_five_studies_find_it_where_a_log_is_the_pilot(data_dir, script, rng):
    pilot = data_dir / "fairgame" / "results.csv.gz"
    if not pilot.is_file():
        pytest.skip(f"no {pilot}")
    where = {"game": ["prisoner-dilemma"]}
    assert share_found(script, rng, 400, pilot=pilot, where=where) == pytest.approx(0.8, abs=0.07)


def test_play_for_the_check_is_as_planned(script, rng):
    plan = {
        "design": {
            "repeats": 5,
            "spread": 0.2,
            "games_per_subject": 1,
            "eps": [0, 0],
            "opponent": "TFT",
            "seats": 1,
        },
        "shares": {"ALLD": (1.0, 0.0), "TFT": (0.0, 1.0)},
    }
    X = log_as_planned(script, rng, plan, 10).trajectories()
    assert len(X) == 20
    assert not X.own[:10].any()
    assert X.own[10:].all()
