"""Games in which not every seat moves in every round: labelled, or skipped and counted."""

from __future__ import annotations

import numpy as np
import pytest

from intent.behaviour.metrics import metrics
from intent.estimate.contributors import contributors
from intent.estimate.sfem import sfem
from intent.gamma.catalogue import gamma_game
from intent.play.match import Horizon, to_log
from intent.play.referee import play
from intent.recognise.labels.label import label_log


class Anything:
    """Any legal action, the equilibrium one where they cannot be listed."""

    def __init__(self, game):
        self.game = game

    def act(self, view, rng):
        legal = self.game.legal(view.seat, view.question)
        return (
            self.game.equilibrium(view.seat, view.question, rng) if legal is None else str(rng.choice(legal))
        )


class Matching(Anything):
    """In the public goods game: all tokens first, then the mean of what the others gave last."""

    def act(self, view, rng):
        told = view.reports[-1] if view.reports else None
        if told is None:
            return "20"
        given = [c for seat, c in enumerate(told["contributions"], start=1) if seat != view.seat]
        return str(round(sum(given) / len(given)))


def games(*names, seats=4, rounds=12, first=Anything):
    rng = np.random.default_rng(1)
    made = [gamma_game(name, n_players=seats) for name in names]
    return to_log(
        play(g, [first(g), *(Anything(g) for _ in range(seats - 1))], Horizon(rounds), rng.spawn(1)[0])
        for g in made
    )


@pytest.fixture(scope="module")
def log():
    return games("diner", "battle_royale", "pirate", "guessing")


def test_only_the_dilemma_is_labelled_and_the_rest_counted(log):
    found = label_log(log, others="majority").summary
    assert (found["n"], found["n_games"], found["skipped"]) == (4, 1, {"no cooperative action": 3})
    assert metrics(log, others="any", bootstrap=9).skipped == {"no cooperative action": 3}
    assert sfem(log, others="count", strategies="ALLC,TFT>=2").fits[0].n_subjects == 4
    assert contributors(log, bootstrap=9).skipped == {"no contributions": 3}


def test_a_log_without_dilemmas_needs_no_reading_of_others(log):
    assert label_log(log, where={"game": ["pirate"]}).summary["n"] == 0


def test_who_matches_the_others_is_a_conditional_cooperator():
    found = contributors(games("public_goods", rounds=20, first=Matching), bootstrap=9).table
    assert found["type"].iloc[0] == "conditional"
    assert found["best"].iloc[0] == "conditional"
    assert found["slope"].iloc[0] == pytest.approx(1, abs=0.1)
    assert not (found["type"].iloc[1:] == "conditional").all()
