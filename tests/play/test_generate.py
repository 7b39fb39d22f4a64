from __future__ import annotations

import hashlib

import pytest

from intent import generate, read_log
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.play.dataset import load_spec, make_spec, parse_range, shipped_specs
from intent.play.generate import generate_to


def digest(folder):
    return [hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(folder.iterdir())]


def test_written_and_read_back(tmp_path):
    spec = make_spec({"n": 300, "rounds": (4, 6), "eps": (0, 0.2), "seed": 3})
    result = generate_to(tmp_path / "play", spec)
    assert result == {"path": str(tmp_path / "play"), "n_games": 300, "n_trajectories": 300, "seed": 3}
    log = read_log(tmp_path / "play")
    assert log.equals(generate(n=300, rounds=(4, 6), eps=(0, 0.2), seed=3))
    assert log.provenance["spec"]["eps"] == [0, 0.2]


def test_same_seed_same_bytes_whatever_the_workers(tmp_path):
    spec = make_spec({"n": 40_000, "rounds": 3, "eps": 0.05, "seed": 9})
    for workers in (1, 3):
        generate_to(tmp_path / f"w{workers}", spec, workers=workers)
    assert digest(tmp_path / "w1") == digest(tmp_path / "w3")
    generate_to(tmp_path / "other", spec.model_copy(update={"seed": 10}))
    assert digest(tmp_path / "w1") != digest(tmp_path / "other")


def test_chunks_do_not_show(tmp_path):
    generate_to(tmp_path / "play", make_spec({"n": 20_000, "rounds": 2}))
    X = read_log(tmp_path / "play").trajectories()
    assert len(X) == 20_000
    assert X.keys["game_id"].is_unique
    assert X.keys["strategy"].value_counts().tolist() == [5000] * 4


def test_an_existing_folder_is_refused(tmp_path):
    (tmp_path / "play").mkdir()
    with pytest.raises(OutputError, match="--overwrite"):
        generate_to(tmp_path / "play", make_spec({"n": 10}))
    assert generate_to(tmp_path / "play", make_spec({"n": 10}), overwrite=True)["n_games"] == 10


@pytest.mark.parametrize("name", shipped_specs())
def test_shipped_specs_load(name):
    assert load_spec(name).corpus().n >= 10_000


def test_the_papers_recipe():
    spec = load_spec("paper-eps005")
    assert (spec.n, spec.rounds, spec.eps, spec.opponent) == (10_000, (10, 10), (0.05, 0.05), "random")


def test_recorded_opponents_come_from_a_log(tmp_path):
    generate_to(tmp_path / "source", make_spec({"n": 40, "strategies": "ALLD,ALLC", "eps": 0, "rounds": 5}))
    spec = make_spec({"n": 50, "opponent": f"recorded:{tmp_path / 'source'}", "rounds": 5})
    log = generate_to(tmp_path / "play", spec)
    other = read_log(log["path"]).trajectories().other
    assert set(other.sum(axis=1).tolist()) == {0, 5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n: 0", "n is '0': expected greater"),
        ("epz: 0.1", "unknown key 'epz'; did you mean eps"),
        ("- a", "holds a list, expected a mapping"),
        ("eps: [0.1", "not readable as YAML"),
        ("rounds: many", "'many', expected a number or a range"),
        ("n: 10\neps: a-b\nn: 20", "spec.yaml line 3: key 'n' stands there twice"),
        ("seed: 1\nn: 0", "spec.yaml line 2: n is '0'"),
    ],
)
def test_bad_specs(tmp_path, text, message):
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    with pytest.raises((DataError, UsageError), match=message):
        load_spec(path)


def test_unknown_spec_and_range():
    with pytest.raises(UnknownNameError, match="did you mean paper-eps0"):
        load_spec("paper-eps")
    assert parse_range("5-100") == (5, 100)
    assert parse_range("same") is None
    assert parse_range("1e-3") == (0.001, 0.001)
    assert parse_range("1e-3-.2") == (0.001, 0.2)


def test_a_spec_that_is_no_file(tmp_path):
    with pytest.raises(DataError, match=r"no such file: .*mine\.yaml"):
        load_spec(tmp_path / "mine.yaml")
