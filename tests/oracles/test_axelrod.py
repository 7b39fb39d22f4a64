"""Play against the Axelrod library: an independent implementation of the same strategies.

Ours without a counterpart there: 2WSLS, T2, CTOD, GRIM and GRIM2, GRIM3 (its Grudger listens to the other
only, as our GRUDGER does), DTF2T, DTF3T, DGRIM2, DGRIM3.
"""

from __future__ import annotations

import numpy as np
import pytest
from axelrod_players import quiet_axelrod

from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import CATALOGUE, OUTCOMES
from intent.strategies.likelihood import deviations, log_likelihood

pytestmark = [pytest.mark.axelrod, pytest.mark.slow]

DETERMINISTIC = {
    "ALLC": ("Cooperator", {}),
    "ALLD": ("Defector", {}),
    "TFT": ("TitForTat", {}),
    "DTFT": ("SuspiciousTitForTat", {}),
    "WSLS": ("WinStayLoseShift", {}),
    "GRUDGER": ("Grudger", {}),
    "TF2T": ("TitFor2Tats", {}),
    "TF3T": ("NTitsForMTats", {"N": 1, "M": 3}),
    "2TFT": ("TwoTitsForTat", {}),
    "2TF2T": ("HardTitFor2Tats", {}),
    "DC": ("Cycler", {"cycle": "DC"}),
    "BULLY": ("Bully", {}),
}
STOCHASTIC = {
    "GTFT": ("GTFT", {"p": 1 / 3}),
    "FBF": ("FirmButFair", {}),
    "EXTORT2": ("ZDExtort2", {}),
    "ZDGTFT2": ("ZDGTFT2", {}),
}
NONE = {"2WSLS", "T2", "CTOD", "GRIM", "GRIM2", "GRIM3", "DTF2T", "DTF3T", "DGRIM2", "DGRIM3"}


@pytest.fixture(scope="module")
def axl():
    """The library, imported when first needed: that takes seconds."""
    try:
        return quiet_axelrod()
    except ImportError:
        pytest.skip("pip install 'strategy-intent[axelrod]'")


def intended(axl, player, own: str, other: str) -> str:
    """What a player of the library intends in each round of a history whose realised moves are given."""
    opponent, moves = axl.MockPlayer(), ""
    for a, b in zip(own, other, strict=True):
        moves += str(player.strategy(opponent))
        mine, theirs = axl.Action.from_char(a), axl.Action.from_char(b)
        player.update_history(mine, theirs)
        opponent.update_history(theirs, mine)
    return moves


def random_strings(rng, n: int, rounds: int) -> list[str]:
    return ["".join(moves) for moves in rng.choice(["C", "D"], size=(n, rounds))]


def our_intentions(name: str, own: list[str], other: list[str]) -> list[str]:
    """What our automaton intends: where a realised move deviates, the opposite one."""
    s, found = CATALOGUE[name], []
    for mine, theirs in zip(own, other, strict=True):
        state, moves = s.start, ""
        for a, b in zip(mine, theirs, strict=True):
            moves += "C" if s.p_cooperate[state] == 1 else "D"
            state = s.next_code(state, a == "C", b == "C")
        found.append(moves)
    return found


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_move_for_move_on_any_realised_history(axl, name, rng):
    cls, settings = DETERMINISTIC[name]
    own, other = random_strings(rng, 60, 25), random_strings(rng, 60, 25)
    theirs = [intended(axl, getattr(axl, cls)(**settings), a, b) for a, b in zip(own, other, strict=True)]
    assert our_intentions(name, own, other) == theirs


@pytest.mark.parametrize("name", DETERMINISTIC)
@pytest.mark.parametrize(
    "opponent", ["Cooperator", "Defector", "TitForTat", "Alternator", "Random", "CyclerCCCD"]
)
def test_matches_are_consistent_with_our_automaton(axl, name, opponent):
    cls, settings = DETERMINISTIC[name]
    match = axl.Match([getattr(axl, cls)(**settings), getattr(axl, opponent)()], turns=40, seed=5)
    own, other = ("".join(str(move) for move in moves) for moves in zip(*match.play(), strict=True))
    played = Trajectories.from_strings([own], [other])
    assert deviations(played.own, played.other, None, [CATALOGUE[name]])[0, 0] == 0


@pytest.mark.parametrize("name", [*DETERMINISTIC, *STOCHASTIC])
def test_noisy_matches_are_as_likely_as_our_own(axl, name):
    """Mean log-likelihood per game of its play, against its expectation under our automaton."""
    cls, settings = (DETERMINISTIC | STOCHASTIC)[name]
    n, rounds, eps = 400, 10, 0.1
    players = [getattr(axl, cls)(**settings), axl.Random()]
    match = axl.Match(players, turns=rounds, noise=eps, seed=11)
    games = [match.play() for _ in range(n)]
    moves = np.array([[[str(m) == "C" for m in pair] for pair in game] for game in games]).astype(np.int8)
    own, other = (np.ascontiguousarray(moves[:, :, i]) for i in (0, 1))
    s = CATALOGUE[name]
    seen = log_likelihood(own, other, None, [s], eps)[:, 0]
    q_path = [conditional(s, own, other, t, eps) for t in range(rounds)]
    entropy = sum(
        np.where(q > 0, q * np.log(q), 0) + np.where(q < 1, (1 - q) * np.log(1 - q), 0) for q in q_path
    )
    surprise = seen - entropy
    assert abs(surprise.mean()) < 5 * surprise.std() / np.sqrt(n) + 1e-9


def conditional(s, own, other, t, eps):
    """P(C in round t | the rounds before), (n,)."""
    cooperating = own[:, : t + 1].copy()
    cooperating[:, t] = 1
    with_c = log_likelihood(cooperating, other[:, : t + 1], None, [s], eps)[:, 0]
    return np.exp(with_c - log_likelihood(own[:, :t], other[:, :t], None, [s], eps)[:, 0])


@pytest.mark.parametrize("name", STOCHASTIC)
def test_memory_one_vectors(axl, name):
    cls, settings = STOCHASTIC[name]
    player = getattr(axl, cls)(**settings)
    vector = [float(player._four_vector[tuple(map(axl.Action.from_char, outcome))]) for outcome in OUTCOMES]
    assert CATALOGUE[name].memory_one_vector() == pytest.approx([float(str(player._initial) == "C"), *vector])


def test_random_is_a_fair_coin_there_too(axl):
    assert axl.Random().p == CATALOGUE["RANDOM"].memory_one_vector()[0]


def test_every_strategy_is_compared_or_known_to_have_no_counterpart():
    compared = {*DETERMINISTIC, *STOCHASTIC, "RANDOM"}
    assert compared | NONE == set(CATALOGUE)
    assert not compared & NONE


@pytest.mark.parametrize(
    ("names", "ceiling"),
    [
        (["Cooperator", "Defector", "TitForTat", "WinStayLoseShift"], 0.9836),
        (["Cooperator", "Defector", "TitForTat", "WinStayLoseShift", "GTFT"], 0.8850),
        (["Cooperator", "Defector", "TitForTat", "WinStayLoseShift", "GTFT", "Grudger"], 0.8774),
    ],
)
def test_accuracy_on_the_librarys_own_noisy_play_is_the_exact_ceiling(axl, names, ceiling):
    """Play of the library, its noise, its random opponent; our posterior (T = 10, eps .05)."""
    from intent.recognise.bayes import BayesRecogniser

    per_class, rounds, eps = 800, 10, 0.05
    own, other, truth = [], [], []
    for k, name in enumerate(names):
        for i in range(per_class):
            player = getattr(axl, name)(**STOCHASTIC["GTFT"][1] if name == "GTFT" else {})
            played = axl.Match([player, axl.Random(0.5)], turns=rounds, noise=eps, seed=1000 * k + i).play()
            own.append("".join(str(a) for a, _ in played))
            other.append("".join(str(b) for _, b in played))
            truth.append(k)
    model = BayesRecogniser(f"canonical{len(names)}", eps=eps).fit()
    accuracy = (model.predict_proba(Trajectories.from_strings(own, other)).argmax(axis=1) == truth).mean()
    error = np.sqrt(ceiling * (1 - ceiling) / len(truth))
    assert accuracy == pytest.approx(ceiling, abs=4 * error)


@pytest.mark.parametrize("name", ["TitForTat", "WinStayLoseShift", "HardTitFor2Tats", "Bully"])
def test_a_library_strategy_at_our_table_plays_as_in_its_own_matches(axl, name):
    from intent.play.generate import generate

    log = generate(f"axelrod:{name}", 5, rounds=30, eps=0.0, opponent="axelrod:Alternator", seed=1)
    X = log.trajectories()
    own = axl.Match([getattr(axl, name)(), axl.Alternator()], turns=30).play()
    assert X.own.tolist() == [[int(a == axl.Action.C) for a, _ in own]] * 5
    assert X.keys["strategy"].unique().tolist() == [f"axelrod:{name}"]
    assert X.keys["opponent"].unique().tolist() == ["axelrod:Alternator"]


def test_library_play_under_noise_has_the_likelihood_of_ours(axl):
    from intent.play.generate import generate

    X = generate("axelrod:TitForTat", 300, rounds=20, eps=0.1, opponent="random", seed=2).trajectories()
    missed = deviations(X.own, X.other, None, [CATALOGUE["TFT"]])
    assert missed.mean() / 20 == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 6000))


def test_the_same_seed_gives_the_same_library_play(axl):
    from intent.play.generate import generate

    first, second = (
        generate("axelrod:Random,TFT", 20, eps=0.1, opponent="axelrod:GTFT", seed=3) for _ in "ab"
    )
    assert first.equals(second)


def test_an_unknown_library_strategy_is_suggested(axl):
    from intent.base.errors import UnknownNameError
    from intent.play.bridges.axelrod import LibraryPlayer

    with pytest.raises(UnknownNameError, match="did you mean TitForTat"):
        LibraryPlayer("axelrod:TitForTatt")
