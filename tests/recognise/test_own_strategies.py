"""Strategies of one's own, from play to labels: what a file says travels with whatever is made from it."""

from __future__ import annotations

import json

import numpy as np
import own_sets
import pandas as pd
import pytest

from intent import (
    Trajectories,
    compare,
    evaluate,
    generate,
    label,
    load_recogniser,
    make_recogniser,
    read_log,
    sfem,
    strategy_set,
    train,
)
from intent.base.errors import RecogniserError, UsageError
from intent.logs.stores import write_log
from intent.play.dataset import DatasetSpec, load_spec, make_spec
from intent.recognise.bayes import class_strategies
from intent.recognise.discovery import discover
from intent.recognise.probe.probe import probe
from intent.recognise.recogniser import KINDS
from intent.strategies.catalogue import SETS, same_play

SMALL = {
    "forest": {"n_estimators": 20},
    "mlp": {"encoding": "counts", "hidden": (8,), "epochs": 20},
    "lstm": {"hidden": 8, "steps": 4, "check_every": 2},
}
LEARNING = sorted(set(KINDS) - {"rules", "hybrid"})


def written_play(tmp_path_factory, n):
    folder = tmp_path_factory.mktemp("play")
    path = own_sets.written(folder, "own.yaml")
    log = generate(path, n, rounds=20, eps=0.05, seed=1)
    write_log(log, folder / "log.jsonl")
    path.unlink()
    return folder / "log.jsonl"


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """A log of 1,000 trajectories of the set, on disk; the file that it came from is gone."""
    return written_play(tmp_path_factory, 1000)


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """The same of 250, for what does not depend on how many there are."""
    return written_play(tmp_path_factory, 250)


@pytest.fixture(scope="module")
def exact(short):
    """Labels of the short log by the exact rule."""
    return label(short, strategies=own_sets.strategies(), coin=False)


def test_a_log_keeps_the_tables(play):
    spec = read_log(play).provenance["origin"]["spec"] if "origin" in read_log(play).provenance else None
    spec = spec or read_log(play).provenance["spec"]
    assert spec["strategies"] == ",".join(own_sets.NAMES)
    assert DatasetSpec.model_validate(spec).own == own_sets_of_file()


def own_sets_of_file():
    """All but TFT, which the catalogue has; with the texts that GTFT10 takes over."""
    return tuple(
        s if s.name != "GTFT10" else s.__class__(**{**fields(s), **texts_of_gtft()})
        for s in own_sets.strategies()[1:]
    )


def fields(s):
    names = ("name", "p_cooperate", "next_state", "start", "memory")
    return {name: getattr(s, name) for name in names}


def texts_of_gtft():
    (gtft,) = strategy_set("GTFT(0.1)")
    return {"citation": gtft.citation, "rule": gtft.rule}


@pytest.mark.parametrize("kind", LEARNING)
def test_every_recogniser_takes_its_strategies_along(tmp_path, short, exact, kind):
    train(short, [kind], parameters=SMALL.get(kind), output=tmp_path)
    model = load_recogniser(next(tmp_path.glob("*/recogniser.json")).parent)
    known = {s.name: s for s in class_strategies(model)}
    for name, s in zip(own_sets.NAMES, own_sets.strategies(), strict=True):
        assert same_play(known[name], s)
    table = label(short, model, coin=False)
    assert set(own_sets.NAMES) <= {c.removeprefix("p_") for c in table.columns}
    assert table["fit_p"].notna().all()
    mine = table["best"] == exact["best"]
    assert table.loc[mine, "n_deviations"].equals(exact.loc[mine, "n_deviations"])
    assert [set(c) for c in table["consistent"]] == [set(c) for c in exact["consistent"]]
    assert [t["name"] for t in table.attrs["provenance"]["strategy_tables"]]


def test_a_saved_recogniser_with_crafted_tables_is_refused(tmp_path, short):
    train(short, ["logistic"], output=tmp_path)
    manifest = next(tmp_path.glob("*/recogniser.json"))
    content = json.loads(manifest.read_text())
    assert [t["name"] for t in content["strategies"]] != []
    for crafted in ({"a": 1}, [{"name": "EXTORT3"}], [3], "own.yaml"):
        manifest.write_text(json.dumps({**content, "strategies": crafted}))
        with pytest.raises(RecogniserError, match="not a readable recogniser"):
            load_recogniser(manifest.parent)


def test_a_recogniser_fitted_by_hand_is_told_what_its_classes_are():
    log = generate(own_sets.strategies(), 400, seed=2)
    X = log.trajectories()
    model = make_recogniser("logistic").fit(X, X.keys["strategy"])
    with pytest.raises(RecogniserError, match="labels need classes that are strategies"):
        label(log, model)
    assert len(label(log, model.knowing(own_sets.strategies()))) == 400
    with pytest.raises(RecogniserError, match="a class is no strategy"):
        model.knowing(own_sets.strategies()[:2])


@pytest.mark.parametrize("name", sorted(SETS.keys() - {"all"}))
def test_labels_by_a_shipped_set(name):
    """They are those of the exact recogniser of that set; canonical4 is the default one."""
    log = generate("df2011", 200, seed=3)
    mine = label(log, strategies=name)
    model = make_recogniser("bayes", strategies=name).fit()
    pd.testing.assert_frame_equal(mine, label(log, model))
    if name == "canonical4":
        pd.testing.assert_frame_equal(mine, label(log))
    assert "strategy_tables" not in mine.attrs["provenance"]


def test_labels_are_by_a_set_or_by_a_recogniser(play):
    with pytest.raises(UsageError, match="leave out recogniser"):
        label(play, "forest-canonical4", strategies="df2011")


def test_the_exact_rule_of_the_set_has_no_regret(play):
    """What is measured of it is the ceiling itself, where it knows the noise."""
    figures = evaluate(None, play, strategies=own_sets.strategies())
    assert figures["ceiling"] is not None
    assert figures["paired"]["value"] == pytest.approx(0, abs=1e-12)
    assert figures["unknown_classes"] == []


def test_shares_of_ones_own_strategies_are_recovered(play):
    """Each was played equally often."""
    (group,) = sfem(play, own_sets.strategies()).fields()["groups"]
    for name in own_sets.NAMES:
        share = group["shares"][name]
        assert abs(share["estimate"] - 0.2) < 4 * share["se"]


def test_labels_of_ones_own_strategies_are_compared(tmp_path, play):
    labels = label(play, strategies=own_sets.strategies())
    (group,) = compare(labels, "opponent", permutations=0).fields()["groups"]
    assert group["shares"]["TWO_STRIKES"]["estimate"] == pytest.approx(0.2, abs=0.05)


def test_probes_and_states_of_ones_own(play):
    assert probe(own_sets.strategies(), 4, max_rounds=4).strategies == own_sets.NAMES
    near = discover(play, states="1", starts=1, strategies=own_sets.strategies()).fields()
    assert {n["strategy"] for state in near["states"] for n in state["nearest"]} <= set(own_sets.NAMES)


def test_a_spec_finds_files_beside_it(tmp_path, monkeypatch):
    own_sets.written(tmp_path, "own.yaml")
    (tmp_path / "spec.yaml").write_text("{strategies: own.yaml, opponent: 'random=0.5,EXTORT3=0.5', n: 100}")
    monkeypatch.chdir("/")
    spec = load_spec(tmp_path / "spec.yaml")
    assert [s.name for s in spec.players()] == list(own_sets.NAMES)
    assert spec.corpus().opponent_names == ("RANDOM", "EXTORT3")
    assert DatasetSpec.model_validate(json.loads(spec.model_dump_json())) == spec
    assert spec.played_by("df2011").strategies == "df2011"


def test_a_spec_may_list_strategies_itself():
    values = ["TFT", {"name": "X", "memory_one": [0.5, 1, 0, 1, 0]}]
    spec = make_spec({"strategies": values, "opponent": "X"})
    assert [s.name for s in spec.players()] == ["TFT", "X"]
    assert "tables" not in make_spec({"strategies": "df2011"}).model_dump()


def test_training_on_a_shipped_spec_with_other_strategies():
    made = train(make_spec({"n": 500}), ["bayes", "logistic"], strategies=own_sets.strategies())
    for model in made["fitted"].values():
        assert set(model.classes_) == set(own_sets.NAMES)
        assert {s.name for s in class_strategies(model)} == set(own_sets.NAMES)


def test_names_of_a_log_without_tables_are_said(tmp_path):
    log = generate(own_sets.strategies(), 400, seed=2)
    log.provenance = {}
    made = train(log, ["logistic", "bayes"], strategies=own_sets.strategies())
    assert {s.name for s in class_strategies(made["fitted"]["bayes"])} == set(own_sets.NAMES)
    assert {s.name for s in class_strategies(made["fitted"]["logistic"])} == set(own_sets.NAMES)


def test_a_log_whose_names_are_files_opens_none(tmp_path):
    path = own_sets.written(tmp_path, "own.yaml")
    log = generate("canonical4", 100, seed=2)
    log.seats["strategy"] = log.seats["strategy"].replace({"TFT": str(path)})
    with pytest.raises(UsageError, match="unknown strategy"):
        train(log, ["bayes"])


def test_knowledge_travels_to_labels_of_arrays():
    model = make_recogniser("bayes", strategies=own_sets.strategies()).fit()
    X = Trajectories(np.ones((1, 3), dtype=np.int8), np.zeros((1, 3), dtype=np.int8))
    assert model.predict(X)[0] in own_sets.NAMES
