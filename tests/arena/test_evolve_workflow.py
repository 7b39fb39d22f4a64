"""From strategies, tournaments and matrices to what survives."""

from __future__ import annotations

import json

import numpy as np
import pytest
from automaton_engine import AutomatonEngine

from intent.arena.evolution.evolve import evolve, evolve_pool, population, starts
from intent.arena.requests import EvolveRequest
from intent.arena.tournament.tournament import tournament
from intent.base import codebook
from intent.base.errors import DataError, IntentError, OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.strategies.catalogue import strategy

MATRIX = (
    "row,Aggressive,Cooperative,Neutral\nAggressive,1.5,1.4,1.4\nCooperative,1.4,3,3\nNeutral,1.5,3,2.9\n"
)
ATTITUDES = ("Aggressive", "Cooperative", "Neutral")
PLAYS = {"Aggressive_1": "ALLD", "Aggressive_2": "GRIM", "Cooperative_1": "ALLC", "Neutral_1": "TFT"}


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "payoff.csv"
    path.write_text(MATRIX)
    return path


@pytest.fixture
def written(tmp_path):
    """A file of written strategies, whose code stands for automata."""
    path = tmp_path / "set.py"
    lines = []
    for name, plays in PLAYS.items():
        attitude = name.split("_")[0].upper()
        lines.append(
            f"class {name}(LLM_Strategy):\n    n = {name[-1]}\n    attitude = Attitude.{attitude}\n"
            "    @auto_update_score\n    def strategy(self, opponent: axl.player.Player) -> axl.Action:\n"
            f"        return axl.Action.C if '{plays}' else axl.Action.D\n\n"
        )
    path.write_text("import axelrod as axl\n\n" + "".join(lines))
    return path


def engine_for(path):
    from intent.arena.sources.reader import read_strategies

    entrants = read_strategies([path]).entrants
    return AutomatonEngine({e.source: strategy(PLAYS[e.name]) for e in entrants})


def test_the_object_has_the_keys_of_the_codebook(matrix):
    found = evolve(matrix, "4,4,4", runs=20).to_dict()
    assert list(found) == list(codebook.JSON_OBJECTS["evolve"])
    assert list(found["equilibria"]) == list(ATTITUDES)
    assert sum(e["share"] for e in found["equilibria"].values()) == pytest.approx(1)
    assert sum(found["fixation"].values()) == pytest.approx(1)
    assert found["initial"] == dict.fromkeys(ATTITUDES, 4)
    assert found["stable"]["Cooperative"] == {
        "strict_nash": False, "nash": True, "ess": True, "margin": 0.0, "low": None, "high": None
    }  # fmt: skip
    json.dumps(found, allow_nan=False)


def test_several_starts(matrix):
    found = evolve(matrix, ["4,4,4", "Aggressive=8,Cooperative=2,Neutral=2"], runs=10).to_dict()
    both = [*codebook.JSON_OBJECTS["evolve"], *codebook.JSON_EXTRAS["evolve"]]
    assert set(found) | set(found["mixes"][0]) == set(both)
    assert [mix["initial"]["Aggressive"] for mix in found["mixes"]] == [4, 8]
    assert found["mixes"][0] == {
        key: value
        for key, value in evolve(matrix, "4,4,4", runs=10).to_dict().items()
        if key in found["mixes"][0]
    }


def test_mutation_has_a_long_run(matrix):
    found = evolve(matrix, "2,2,2", runs=4, mutation=0.1, steps=4000).to_dict()
    assert found["equilibria"] == {}
    assert (found["fixation"], found["mean_steps"], found["unfinished"]) == (None, None, 4)
    for one in found["long_run"].values():
        assert one["low"] < one["share"] < one["high"]
        assert abs(one["share"] - one["exact"]) < 0.1


def test_written_strategies_by_attitude(written):
    found = evolve(written, runs=20, turns=10, engine=engine_for(written)).to_dict()
    assert found["initial"] == dict.fromkeys(ATTITUDES, 4)
    assert found["payoff"]["Cooperative"]["Neutral"] == 3
    assert found["payoff"]["Aggressive"]["Cooperative"] == (5 + 3) / 2
    assert (found["turns"], found["noise"], found["game"]) == (10, 0, "prisoner-dilemma-trps")


def test_single_strategies(written):
    found = evolve(written, {"Aggressive_1": 3, "Neutral_1": 3}, runs=5, turns=10, by="strategy",
                   engine=engine_for(written)).to_dict()  # fmt: skip
    assert list(found["equilibria"]) == ["Aggressive_1", "Neutral_1"]
    assert found["payoff"]["Aggressive_1"]["Neutral_1"] == (5 + 9) / 10


def test_a_tournament_gives_the_same_means(written, tmp_path):
    from intent.arena.evolution.evolve import tournament_source

    tournament(against="ALLC,TFT,RANDOM", turns=20, repetitions=3, output=tmp_path / "t", figures=False)
    source = tournament_source(tmp_path / "t", None)
    told = json.loads((tmp_path / "t" / "tournament.json").read_text())
    assert source.pool.names == ("catalogue",)
    assert source.facts["turns"] == 20
    found = evolve(tmp_path / "t", by="strategy", runs=3).to_dict()
    for row, columns in told["head_to_head"]["payoff"].items():
        if row in found["payoff"]:
            assert columns == pytest.approx(found["payoff"][row])
    assert found["initial"] == {"ALLC": 4, "RANDOM": 4, "TFT": 4}
    assert "means over the repetitions" in found["notes"][0]


def test_who_was_at_fault_in_a_tournament_takes_no_part(tmp_path):
    folder = tmp_path / "t"
    tournament(against="ALLC,TFT,ALLD", turns=20, output=folder, figures=False)
    told = json.loads((folder / "tournament.json").read_text())
    told["faults"] = [{"name": "TFT", "kind": "error", "reason": "boom", "against": "ALLC"}]
    (folder / "tournament.json").write_text(json.dumps(told))
    pairs = (folder / "pairs.csv").read_text().splitlines(keepends=True)
    (folder / "pairs.csv").write_text("".join(row for row in pairs if "ALLC,catalogue,TFT" not in row))
    found = evolve(folder, by="strategy", runs=3).to_dict()
    assert set(found["initial"]) == {"ALLC", "ALLD"}
    assert found["left_out"] == [{"name": "TFT", "reason": "boom"}]


def test_the_folder(matrix, tmp_path):
    out = tmp_path / "out"
    found = evolve(matrix, ["4,4,4", "8,2,2"], runs=10, output=out)
    names = {p.name for p in out.iterdir() if not p.name.endswith(".meta.json")}
    assert names == {
        "equilibria.csv", "equilibria.png", "evolution.json", "evolution.lock", "invasion.csv", "path.png",
        "paths.parquet", "payoff.csv", "replicator.png", "runs.csv",
        "equilibria.caption.txt", "path.caption.txt", "replicator.caption.txt",
    }  # fmt: skip
    assert len(read_table(out / "runs.csv")[0]) == 20
    paths = read_table(out / "paths.parquet")[0]
    assert (paths.filter(like="n_").sum(axis=1) == 12).all()
    again = evolve(out / "payoff.csv", "4,4,4", runs=10)
    assert np.array_equal(again.payoffs, found.payoffs)
    with pytest.raises(OutputError, match="holds an evolution"):
        evolve(matrix, output=out)
    (out / ".path.png.k3x9_abq").mkdir()  # as a process leaves it that was killed
    evolve(matrix, runs=10, output=out, image="svg", overwrite=True)
    assert {p.name for p in out.glob("*.*g")} == {"equilibria.svg", "path.svg", "replicator.svg"}
    with pytest.raises(UnknownNameError, match="image"):
        evolve(matrix, image="gif")
    assert not [p.name for p in out.iterdir() if p.name.startswith(".")]


def test_a_cut_run_goes_on_from_its_matches(written, tmp_path):
    class Counting(AutomatonEngine):
        played = 0

        def play(self, field, jobs, rules):
            for result in super().play(field, jobs, rules):
                self.played += 1
                yield result

    counting = Counting(engine_for(written).stands_for)
    settings = {"runs": 5, "turns": 10, "engine": counting, "output": tmp_path / "out"}
    first = evolve(written, **settings).to_dict()
    n = counting.played
    (tmp_path / "out" / "evolution.json").unlink()
    second = evolve(written, **settings).to_dict()
    assert counting.played == n
    assert first | {"seconds": 0} == second | {"seconds": 0}


def test_same_seed_same_result_on_any_number_of_workers(matrix):
    one, two = (evolve(matrix, runs=600, workers=w, seed=3).to_dict() for w in (1, 2))
    assert one | {"seconds": 0} == two | {"seconds": 0}


def test_a_pool_in_memory():
    from intent.arena.evolution.population import pool_of_matrix

    pool = pool_of_matrix("ab", np.array([[3.0, 0.0], [5.0, 1.0]]))
    found = evolve_pool(pool, EvolveRequest(paths=(), runs=5)).to_dict()
    assert found["initial"] == {"a": 4, "b": 4}
    assert found["dominance"] == [{"dominated": "a", "by": "b", "strictly": True}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4,4,4", [(4, 4, 4)]),
        ([8, 2, 2], [(8, 2, 2)]),
        ("Neutral=3,Aggressive=1", [(1, 0, 3)]),
        (["1,2,3", {"Neutral": 6}], [(1, 2, 3), (0, 0, 6)]),
        (None, [(4, 4, 4)]),
    ],
)
def test_starts(text, expected):
    assert [population(start, ATTITUDES) for start in starts(text, ATTITUDES)] == expected


def test_numbers_are_of_the_attitudes_among_other_groups():
    assert starts("8,2,2", ("human", *ATTITUDES)) == [dict(zip(ATTITUDES, (8, 2, 2), strict=True))]


@pytest.mark.parametrize("text", ["4,4", "a,b,c", "4,4,-4", "Neutral=4,Neutral=4", "", ["4,4,4", "4,4,5"]])
def test_starts_that_cannot_be(text):
    with pytest.raises(UsageError, match="--initial"):
        starts(text, ATTITUDES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "row,a,b\na,1,2\n",
        "row,a\na,x\n",
        "row,a,b\na,1,2\nb,1\n",
        "row,a,a\na,1,2\na,3,4\n",
        "row,a\na,nan\n",
    ],
)
def test_matrices_that_are_none(text, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(IntentError):
        evolve(path)


def test_paths_that_hold_nothing(tmp_path, matrix):
    with pytest.raises(UsageError, match="nothing to evolve"):
        evolve([])
    with pytest.raises(DataError, match=r"none\.csv"):
        evolve(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="one matrix alone"):
        evolve([matrix, matrix])
    with pytest.raises(UsageError, match="did you mean"):
        evolve(matrix, "Neutrl=3,Aggressive=3")


@pytest.mark.parametrize("start", ["4,4", "4,4,x", "TFT=3,Neutral=3"])
def test_starts_that_cannot_be_are_refused_before_anything_is_played(start, written):
    class Idle(AutomatonEngine):
        def play(self, field, jobs, rules):
            raise AssertionError("played")

    with pytest.raises(UsageError):
        evolve(written, start, engine=Idle({}))
