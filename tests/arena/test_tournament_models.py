"""Language models in a tournament: what they play joins the table."""

from __future__ import annotations

import numpy as np
import pytest
from automaton_engine import AutomatonEngine

from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.requests import TournamentRequest
from intent.arena.sandbox.confined import confinement
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest
from intent.arena.tournament.models import model_experiment, play_models
from intent.arena.tournament.table import play_round_robin
from intent.base.errors import RunError, UsageError
from intent.games.catalogue import game
from intent.runner.dry_run import dry_run
from intent.strategies.catalogue import strategy

GAME = game("classic")
SALT = Salt(bytes(32))
ALLC = Entrant("kind", automaton=strategy("ALLC"), group="catalogue")
TFT = Entrant("TFT", automaton=strategy("TFT"), group="catalogue")
COPIES = Entrant(
    "copies",
    source="def strategy(self, opponent):\n"
    "    return opponent.history[-1] if self.history else axl.Action.C\n",
    group="Neutral",
)
FAILS = Entrant("fails", source="def strategy(self, opponent):\n    return 1 / 0\n", group="Neutral")
DEFECTS = "scripted/says:D"
confined = pytest.mark.skipif(bool(confinement()), reason=f"no confinement: {confinement()}")


def table(*field, turns=5, repetitions=2):
    engine = AutomatonEngine({COPIES.source: strategy("TFT"), FAILS.source: strategy("ALLC")})
    rules = MatchRules(turns=turns)
    return play_round_robin(field, rules, Contest(repetitions, Salt.of_field(field, 0), engine))


def played(of, models, folder, **settings):
    return play_models(of, TournamentRequest(models=models, **settings), GAME, folder, SALT)


def test_a_model_beside_automata(tmp_path):
    joined = played(table(ALLC, TFT), [DEFECTS], tmp_path).table
    assert [e.name for e in joined.field] == ["kind", "TFT", DEFECTS]
    assert joined.payoffs()[2].tolist() == [[5, 5], [1.8, 1.8], [1, 1]]
    assert joined.payoffs()[:, 2].tolist() == [[0, 0], [0.8, 0.8], [1, 1]]
    assert joined.payoffs()[0, 1].tolist() == [3, 3]


@confined
def test_a_model_against_written_code(tmp_path):
    found = played(table(COPIES), ["scripted/says:D", "scripted/says:C"], tmp_path)
    assert found.table.payoffs()[1, 0].tolist() == [1.8, 1.8]
    assert found.table.payoffs()[0].mean(axis=1).tolist() == [3, 0.8, 3]
    assert found.table.payoffs()[1, 2].tolist() == [5, 5]


@confined
def test_moves_of_written_code_are_those_of_its_automaton(tmp_path):
    """Against a random model, the code and the automaton that it is make the same table."""
    code = played(table(COPIES, turns=12), ["scripted/uniform"], tmp_path / "a").table
    cells = played(table(TFT, turns=12), ["scripted/uniform"], tmp_path / "b").table
    for found in (code, cells):
        after = found.cooperated_after[0, 1].sum(axis=0)
        followed = found.followed[0, 1].sum(axis=0)
        assert after.tolist() == [followed[0], 0, followed[2], 0]
        assert found.opened[0, 1].tolist() == [1, 1]


@confined
def test_code_that_fails_at_the_table_spoils_that_game_alone(tmp_path):
    found = played(table(FAILS, ALLC), [DEFECTS], tmp_path)
    assert not found.table.played[2, 0].any()
    assert found.table.played[2, 1].all()
    assert any("2 of 6 games" in note for note in found.notes)
    assert any("ZeroDivisionError" in note for note in found.notes)


def test_a_finished_run_is_not_asked_again(tmp_path):
    asked = []

    async def model(messages, tools, settings):
        asked.append(messages)
        return "D"

    settings = {"callables": {"mine": model}}
    first = played(table(ALLC), ["python/mine"], tmp_path, **settings)
    n = len(asked)
    second = played(table(ALLC), ["python/mine"], tmp_path, **settings)
    assert n == len(asked) == 5 * 2 * 3
    assert np.array_equal(first.table.outcomes, second.table.outcomes)
    with pytest.raises(RunError):
        played(table(ALLC, TFT), ["python/mine"], tmp_path, **settings)


def test_unreadable_replies_do_not_count(tmp_path):
    with pytest.raises(RunError, match="none of 4 games"):
        played(table(ALLC), ["scripted/says:perhaps"], tmp_path)


def test_calls_are_counted_before_they_are_paid():
    experiment, pairs = model_experiment(
        (ALLC, COPIES),
        TournamentRequest(models=["openai/gpt-4o"]),
        MatchRules(turns=10),
        GAME,
        repetitions=3,
        left_out=frozenset({0}),
    )
    assert list(pairs.values()) == [(2, 1), (2, 2)]
    assert dry_run(experiment)["calls"] == 3 * 10 * (1 + 2)


@pytest.mark.parametrize(
    ("models", "rules", "changes", "word"),
    [
        ([DEFECTS], MatchRules(noise=0.1), {}, "noise 0.1"),
        ([DEFECTS, DEFECTS], MatchRules(), {}, "each once"),
        ([], MatchRules(), {}, "one or more"),
        (["scripted/TFT"], MatchRules(), {}, "no language model"),
        ([DEFECTS], MatchRules(), {"rounds": 3}, "tournament's to decide"),
    ],
)
def test_what_cannot_be(models, rules, changes, word):
    with pytest.raises(UsageError, match=word):
        model_experiment((ALLC,), TournamentRequest(models=models, model_settings=changes), rules, GAME)
