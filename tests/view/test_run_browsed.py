"""A run is browsed while it is played: games, labels and calls come in."""

from dataclasses import replace

import pytest
from stub_runs import StubAgent, StubCaller, make, plans, play, stub_agents

from intent.base.errors import RunError, UnknownNameError, UsageError
from intent.logs.run_folder import DATABASE, LOCK, locked
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.view.library import open_library
from intent.view.query import Filter, Query


def stop_at(n: int) -> StubCaller:
    """A model that fails for good at the n-th call."""

    def before(count: int) -> None:
        if count == n:
            raise RunError("enough")

    return StubCaller(before)


def test_a_run_as_the_command_opens_it(tmp_path):
    run = make(tmp_path / "run", plans(1))
    play(run)
    silent = {"format": "auto", "mapping": None, "cooperate": None, "game": None, "strict": False}
    with open_library(run.folder, reading=silent, background=False) as library:
        assert library.facts().n_games == 1
    with pytest.raises(UsageError, match="says itself what cooperate would say"):
        open_library(run.folder, reading={**silent, "cooperate": "A"})


def test_games_come_in(tmp_path):
    run = make(tmp_path / "run", plans(4))
    with open_library(run.folder, background=False) as library:
        assert (library.facts().n_games, library.facts().n_planned) == (0, 4)
        first = library.version()
        with pytest.raises(RunError):
            play(run, stop_at(8), window=1)
        library.refresh()
        assert library.version() != first
        one, two = library.page(Query()).rows
        assert (one["state"], two["state"]) == ("finished", "waiting")
        assert library.game("g002").n_rounds == two["rounds_played"] == 2
        play(run)
        library.refresh()
        rows = library.page(Query()).rows
        assert [r["game_id"] for r in rows] == ["g001", "g002", "g003", "g004"]
        assert {r["state"] for r in rows} == {"finished"}
        expected = label_log(run.log()).table()
        assert [s["best"] for r in rows for s in r["seats"]] == expected["best"].tolist()
        assert library.page(Query((Filter("status", "!=", ""),))).total == 4


def test_live_is_while_somebody_plays(tmp_path):
    run = make(tmp_path / "run", plans(1))
    with open_library(run.folder, background=False) as library:
        before = library.version()
        with locked(run.folder / LOCK):
            assert library.facts().live
            assert library.version() != before
        assert not library.facts().live


def test_calls_of_a_round(tmp_path):
    run = make(tmp_path / "run", plans(1))
    play(run)
    with open_library(run.folder, background=False) as library:
        move = library.game("g001").rounds[1].moves[0]
        (call,) = move.calls
        assert (call.purpose, call.model, call.reply.shown) == ("choose", "stub-1", move.action)
        ((role, prompt),) = call.prompt
        assert role == "user"
        assert prompt.shown.startswith("Your move. Round 2")
        assert library.text("g001", prompt.key) == prompt.shown
        assert library.text("g001", call.reply.key) == move.action
        assert library.game("g001").rounds[1].moves[1].calls == ()


def test_the_log_of_a_finished_run_is_what_is_read(tmp_path):
    run = make(tmp_path / "run", plans(2))
    play(run)
    with open_library(run.folder, background=False) as slow:
        rows = slow.page(Query()).rows
    write_log(run.log(), run.folder / "log")
    with open_library(run.folder, background=False) as library:
        found = library.page(Query()).rows
        assert [{k: v for k, v in row.items() if k != "state"} for row in rows] == found
        assert library.game("g002").rounds[0].moves[0].calls
        assert library.facts().kind == "run"


def test_a_damaged_game_is_left_out_and_said(tmp_path):
    import sqlite3

    run = make(tmp_path / "run", plans(3))
    play(run)
    with sqlite3.connect(run.folder / DATABASE) as db:
        db.execute("UPDATE moves SET action = 'X' WHERE game = 2 AND round = 1 AND seat = 1")
    db.close()
    with open_library(run.folder, background=False) as library:
        assert [r["game_id"] for r in library.page(Query()).rows] == ["g001", "g003"]
        assert any("g002" in note for note in library.facts().notes)
        with pytest.raises(UnknownNameError):
            library.game("g002")


def test_nothing_is_written(tmp_path):
    run = make(tmp_path / "run", plans(1))
    play(run)
    before = (run.folder / DATABASE).read_bytes()
    with open_library(run.folder, background=False) as library:
        library.page(Query())
        library.game("g001")
    assert (run.folder / DATABASE).read_bytes() == before


class Odd(StubAgent):
    """An agent whose thoughts no file can hold."""

    async def choose(self, view, ask, rng):
        made = await super().choose(view, ask, rng)
        return replace(made, private_thought="a \ud800 \u202e thought")


def test_broken_unicode_is_text(tmp_path):
    run = make(tmp_path / "run", plans(1))
    play(run, agents=lambda plan: (Odd(plan, 1), *stub_agents(plan)[1:]))
    with open_library(run.folder, background=False) as library:
        move = library.game("g001").rounds[0].moves[0]
        assert move.private_thought.shown == "a ⟨U+D800⟩ \u202e thought"
