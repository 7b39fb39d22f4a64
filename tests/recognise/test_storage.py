"""A saved recogniser may come from anyone: each is loaded as it was saved, or refused in one line."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tracemalloc
import zipfile
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from intent import Trajectories, load_recogniser
from intent.base.errors import OutputError, RecogniserError, UnknownNameError
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.classifiers import ForestRecogniser, LogisticRecogniser
from intent.recognise.recogniser import describe_recogniser, save_recogniser
from intent.strategies.catalogue import Strategy, strategy

NAN = float("nan")
ODD = Strategy("ODD", (1.0, 0.25), ((0, 1, 0, 1), (1, 1, 0, 0)), citation="nobody")


def play(n=60):
    moves = np.random.default_rng(0).integers(0, 2, (2, n, 6)).astype(np.int8)
    return Trajectories(*moves), np.array(["ALLC", "ALLD", "TFT"])[np.arange(n) % 3]


@pytest.fixture(scope="module")
def forest():
    return ForestRecogniser(n_estimators=3, random_state=0).fit(*play())


def rewrite(folder, change, files=()):
    """Change the manifest, and files with matching digests: what a forger would do."""
    manifest = json.loads((folder / "recogniser.json").read_text())
    for name, content in dict(files).items():
        (folder / name).write_bytes(content)
        manifest["files"][name] = hashlib.sha256(content).hexdigest()
    change(manifest)
    (folder / "recogniser.json").write_text(json.dumps(manifest))


def refusal(folder):
    with pytest.raises(RecogniserError) as caught:
        load_recogniser(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


def forged_forest(forest, folder, change):
    """The folder of a forest whose tables were changed in the file."""
    import skops.io

    model = skops.io.loads(skops.io.dumps(forest.forest_), trusted=["numpy.dtype", "sklearn.tree._tree.Tree"])
    tree = model.estimators_[1].tree_
    state = tree.__getstate__()
    state = {**state, "nodes": state["nodes"].copy(), "values": state["values"].copy()}
    change(model, state)
    tree.__setstate__(state)
    save_recogniser(forest, folder)
    rewrite(folder, lambda manifest: None, {"forest.skops": skops.io.dumps(model)})
    return folder


def node(column, value):
    def change(model, state):
        state["nodes"][column][0] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (node("left_child", 10**9), "child that does not exist"),
        (node("right_child", -7), "child that does not exist or comes before its parent"),
        (node("left_child", 0), "comes before its parent"),
        (node("left_child", -1), "child that does not exist"),
        (node("feature", 14), r"feature that does not exist, expected 0..13"),
        (node("feature", -2), "feature that does not exist"),
        (lambda model, state: state["values"].fill(2.0), "values are no 3 probabilities"),
        (lambda model, state: state["values"].fill(NAN), "values are no 3 probabilities"),
        (lambda model, state: setattr(model, "estimators_", []), "no list of trees"),
        (lambda model, state: setattr(model, "estimators_", [deepcopy(model)]), "tree 0 is a NoneType"),
    ],
)
def test_a_tree_that_leaves_its_tables_is_refused(forest, tmp_path, change, message):
    assert message in refusal(forged_forest(forest, tmp_path / "forged", change))


@pytest.mark.parametrize("count", [-1, 0, 1])
def test_a_tree_that_miscounts_its_nodes_is_refused(forest, tmp_path, count):
    path = save_recogniser(forest, tmp_path / "saved")
    forged = io.BytesIO()
    with zipfile.ZipFile(path / "forest.skops") as saved, zipfile.ZipFile(forged, "w") as archive:
        schema = json.loads(saved.read("schema.json"))
        tree = schema["content"]["content"]["estimators_"]["content"][0]["content"]["content"]["tree_"]
        tree["content"]["content"]["node_count"]["content"] = str(count)
        for name in saved.namelist():
            archive.writestr(name, json.dumps(schema) if name == "schema.json" else saved.read(name))
    rewrite(path, lambda manifest: None, {"forest.skops": forged.getvalue()})
    assert "forest.skops" in refusal(path)


def test_a_forest_for_other_features_or_classes_is_refused(forest, tmp_path):
    path = save_recogniser(forest, tmp_path / "saved")
    rewrite(path, lambda m: m["parameters"].update(encoding="moves"))
    assert "14 features, expected 1, 3 and 24" in refusal(path)
    rewrite(path, lambda m: (m["parameters"].update(encoding="counts"), m["state"]["classes"].pop()))
    assert "3 classes and 14 features, expected 1, 2 and 14" in refusal(path)


def test_another_estimator_in_place_of_the_forest_is_refused(forest, tmp_path):
    import skops.io
    from sklearn.dummy import DummyClassifier

    path = save_recogniser(forest, tmp_path / "saved")
    content = skops.io.dumps(DummyClassifier().fit([[0.0]], [0]))
    rewrite(path, lambda manifest: None, {"forest.skops": content})
    assert "holds a DummyClassifier, expected a random forest" in refusal(path)


def bomb(size, *, told=None):
    """A zip of one member of zeros, whose header says another size where told."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w") as member:
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))
    content = packed.getvalue()
    if told is not None:
        content = content.replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"))
    return content


@pytest.mark.parametrize("told", [None, 5])
def test_a_file_that_unpacks_to_much_more_is_refused_before_it_does(forest, tmp_path, monkeypatch, told):
    path = save_recogniser(forest, tmp_path / "saved")
    rewrite(path, lambda manifest: None, {"forest.skops": bomb(60 << 20, told=told)})
    monkeypatch.setenv("INTENT_LIMITS", "numbers_bytes=50MiB")
    tracemalloc.start()
    message = refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ("unpack to 62" in message) == (told is None)
    assert peak < 16 << 20


def test_a_forest_that_could_not_be_loaded_is_not_saved(forest, tmp_path, monkeypatch):
    monkeypatch.setenv("INTENT_LIMITS", "numbers_bytes=1000")
    with pytest.raises(RecogniserError, match="train fewer trees or larger leaves"):
        save_recogniser(forest, tmp_path / "saved")
    assert os.listdir(tmp_path) == []


def test_a_loaded_forest_holds_nothing_but_tables(forest, tmp_path):
    def add(model, state):
        model.verbose, model.estimators_[0].monotonic_cst, model.extra = 5, [1], "extra"

    loaded = load_recogniser(forged_forest(forest, tmp_path / "forged", add))
    assert not hasattr(loaded.forest_, "extra")
    assert (loaded.forest_.verbose, loaded.forest_.estimators_[0].monotonic_cst) == (0, None)
    assert np.array_equal(loaded.predict_proba(play()[0]), forest.predict_proba(play()[0]))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 200_000,
        b"[]",
        b"null",
        b'"text"',
        b"{}",
        b"\xff\xfe",
        b'{"format": 2}',
        b'{"format": 1, "kind": "bayes"}',
        b'{"format": ' + b"9" * 5000 + b"}",
        b" " * ((16 << 20) + 1),
    ],
    ids=lambda content: str(content[:14]),
)
def test_a_manifest_that_is_none(tmp_path, content):
    (tmp_path / "recogniser.json").write_bytes(content)
    assert "recogniser.json" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("files", []),
        ("files", {"../secret": "0"}),
        ("files", {"/etc/hostname": "0"}),
        ("files", {"a\x00b": "0"}),
        ("files", {"": "0"}),
        ("files", {"..": "0"}),
        ("files", {"gone": "0"}),
        ("files", {"recogniser.json": 7}),
        ("parameters", []),
        ("parameters", "x"),
        ("parameters", {"nosuch": 1}),
        ("kind", 5),
        ("kind", "nosuch"),
        ("state", []),
        ("state", {}),
        ("about", None),
        ("version", 1),
    ],
)
def test_a_manifest_with_a_part_that_is_wrong(tmp_path, key, value):
    path = save_recogniser(BayesRecogniser().fit(), tmp_path / "saved")
    rewrite(path, lambda manifest: manifest.update({key: value}))
    refusal(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("eps", "banana"),
        ("eps", 0.5),
        ("eps", -0.1),
        ("eps", NAN),
        ("eps", True),
        ("eps", None),
        ("eps", "estimate"),
        ("prior", [-1, 2, 0, 0]),
        ("prior", [NAN] * 4),
        ("prior", [0.5, 0.5]),
        ("prior", [0.5] * 4),
        ("prior", {"ALLC": 1}),
        ("prior", ["x"] * 4),
        ("strategies", []),
        ("strategies", {}),
        ("strategies", "canonical4"),
        ("strategies", ["TFT"] * 4),
        ("strategies", [{}] * 4),
        ("strategies", 4),
    ],
)
def test_a_state_of_bayes_that_is_wrong(tmp_path, key, value):
    path = save_recogniser(BayesRecogniser().fit(), tmp_path / "saved")
    rewrite(path, lambda manifest: manifest["state"].update({key: value}))
    assert "not a readable recogniser" in refusal(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("eps", "banana"),
        ("eps", [0.1]),
        ("eps_prior", [0.3, 0.1]),
        ("eps_prior", "ab"),
        ("eps_prior", [1, float("inf"), 0.5]),
        ("prior", [NAN] * 4),
        ("prior", "banana"),
        ("prior", {"NOSUCH": 1}),
        ("background", "yes"),
        ("strategies", 5),
        ("strategies", [5]),
    ],
)
def test_a_parameter_of_bayes_that_is_wrong(tmp_path, key, value):
    path = save_recogniser(BayesRecogniser().fit(), tmp_path / "saved")
    rewrite(path, lambda manifest: manifest["parameters"].update({key: value}))
    assert "not a readable recogniser" in refusal(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "ALLD"),
        ("name", 5),
        ("name", "A\nB"),
        ("p_cooperate", [1.5]),
        ("p_cooperate", [NAN]),
        ("p_cooperate", []),
        ("next_state", [[0, 0, 0]]),
        ("next_state", [[0, 0, 0, 1]]),
        ("next_state", [[0, 0, 0, 0.5]]),
        ("next_state", [[0, 0, 0, float("inf")]]),
        ("next_state", 0),
        ("start", 1),
        ("start", "0"),
        ("memory", "elephant"),
        ("memory", []),
    ],
)
def test_a_table_of_a_strategy_that_is_wrong(tmp_path, key, value):
    path = save_recogniser(BayesRecogniser().fit(), tmp_path / "saved")
    rewrite(path, lambda manifest: manifest["state"]["strategies"][0].update({key: value}))
    assert "not a readable recogniser" in refusal(path)


def test_a_prior_that_is_no_number_is_refused_when_fitting_too():
    for prior in ([NAN] * 4, ["x"] * 4, [[1.0], [1.0, 2.0]], {"ALLC": "x"}):
        with pytest.raises(RecogniserError, match="expected 4 probabilities that sum to one"):
            BayesRecogniser(prior=prior).fit()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["state"].update(rounds=10**12), "rounds is 1000000000000"),
        (lambda m: m["state"].update(rounds=0), "rounds is 0"),
        (lambda m: m["state"].update(classes=["ALLC", "ALLC", "TFT"]), "expected different names"),
        (lambda m: m["state"].update(classes=["ALLC", "ALLD"]), "coef is shape (3, 14), expected (2, 14)"),
        (lambda m: m["parameters"].update(encoding="nosuch"), "encoding is 'nosuch', expected one of moves"),
        (lambda m: m["parameters"].update(encoding="outcomes"), "expected (3, 84)"),
    ],
)
def test_numbers_of_a_logistic_regression_that_do_not_fit(tmp_path, change, message):
    path = save_recogniser(LogisticRecogniser().fit(*play()), tmp_path / "saved")
    rewrite(path, change)
    assert message in refusal(path)


def test_a_file_of_other_content_than_was_saved(forest, tmp_path):
    path = save_recogniser(forest, tmp_path / "saved")
    (path / "forest.skops").write_bytes(b"other")
    assert "forest.skops is not the file that was saved (its sha256 differs)" in refusal(path)


def test_a_shipped_name_is_not_shadowed_by_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_recogniser(BayesRecogniser("TFT,ALLD").fit(), "bayes-canonical4")
    assert load_recogniser("bayes-canonical4").classes_.tolist() == ["ALLC", "ALLD", "TFT", "WSLS"]
    for explicit in ("./bayes-canonical4", str(tmp_path / "bayes-canonical4"), Path("bayes-canonical4")):
        assert load_recogniser(explicit).classes_.tolist() == ["TFT", "ALLD"]


@pytest.mark.parametrize("name", ["bayes-canonical", "a\x00b", "x" * 5000, ""])
def test_neither_a_name_nor_a_folder(name):
    with pytest.raises(UnknownNameError, match="unknown recogniser"):
        load_recogniser(name)


def test_custom_strategies_are_loaded_cloned_and_fitted(tmp_path):
    fitted = BayesRecogniser([ODD, "TFT"], prior={"ODD": 0.75, "TFT": 0.25}, background=False).fit()
    loaded = load_recogniser(save_recogniser(fitted, tmp_path / "saved"))
    again = clone(loaded).fit()
    X, _ = play()
    assert again.classes_.tolist() == ["ODD", "TFT"]
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_a_name_that_means_another_table_today_yields_to_the_saved_table(tmp_path):
    mine = Strategy("TFT", strategy("DTFT").p_cooperate, strategy("DTFT").next_state)
    fitted = BayesRecogniser([mine, strategy("ALLC")]).fit()
    loaded = load_recogniser(save_recogniser(fitted, tmp_path / "saved"))
    assert clone(loaded).fit().strategies_[0].p_cooperate == mine.p_cooperate


def test_a_set_that_still_means_the_saved_tables_keeps_its_name(tmp_path):
    fitted = BayesRecogniser("rr20", background=True).fit()
    loaded = load_recogniser(save_recogniser(fitted, tmp_path / "saved"))
    assert loaded.strategies == "rr20"
    assert loaded.strategies_ == fitted.strategies_


def test_a_model_card_is_bounded(tmp_path):
    path = save_recogniser(BayesRecogniser().fit(), tmp_path / "saved")
    (path / "README.md").write_bytes(b"# card \xff")
    assert describe_recogniser(path)["card"] == "# card �"
    (path / "README.md").write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(RecogniserError, match=r"README\.md holds more than 1,048,576 bytes"):
        describe_recogniser(path)


def test_saving_over_a_folder_of_somebody_else(tmp_path):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(OutputError, match="not ours"):
        save_recogniser(BayesRecogniser().fit(), tmp_path, overwrite=True)
    assert os.listdir(tmp_path) == ["thesis.txt"]
