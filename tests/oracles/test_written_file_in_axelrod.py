"""A file that we write is one that the Axelrod library imports, and plays as our engine does."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from axelrod_players import quiet_axelrod, sample_texts

from intent.arena.engines import make_engine
from intent.arena.field import humans, join_fields
from intent.arena.match import Fault, Job, MatchRules
from intent.arena.sources.reader import read_strategies
from intent.arena.sources.writer import write_set

pytestmark = [pytest.mark.axelrod, pytest.mark.slow]


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_imported_and_played_move_for_move(tmp_path, noise) -> None:
    try:
        axl = quiet_axelrod()
    except ImportError:
        pytest.skip("pip install 'strategy-intent[axelrod]'")
    (tmp_path / "samples.py").write_text(sample_texts()["default"], "utf8")
    written = read_strategies([tmp_path / "samples.py"]).entrants
    people = [e for e in humans() if e.automaton is None]
    path = write_set(tmp_path / "ours.py", join_fields(written, people), facts={})
    field = read_strategies([path]).entrants
    assert len(field) == len(written) + len(people)
    spec = importlib.util.spec_from_file_location("ours", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["ours"] = module
    spec.loader.exec_module(module)
    players = {cls.name: cls for cls in vars(module).values() if isinstance(cls, type)}

    n = len(field)
    rules = MatchRules(turns=60, noise=noise)
    jobs = [Job(i, (5 * i + 3) % n, (1_000 + i,)) for i in range(n)] + [Job(i, i, (7 + i,)) for i in range(n)]
    with make_engine(workers=1) as engine:
        ours = {played.job: played for played in engine.play(field, jobs, rules)}
    assert [played for played in ours.values() if isinstance(played, Fault)] == []
    for job in jobs:
        seats = [players[field[i].name]() for i in (job.first, job.second)]
        match = axl.Match(seats, turns=rules.turns, noise=noise, seed=job.seeds[0])
        theirs = np.array([[move == axl.Action.C for move in pair] for pair in match.play()]).T
        np.testing.assert_array_equal(ours[job].moves[0], theirs, err_msg=f"{field[job.first].name}")
