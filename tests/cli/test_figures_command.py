"""``intent figures`` as a user meets it."""

from __future__ import annotations

import numpy as np
import pytest
from play_logs import scaled_games
from printed import printed

from intent.base import codebook
from intent.cli.main import main
from intent.logs.stores import write_log


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log"
    write_log(scaled_games(np.random.default_rng(3), repetitions=2), path)
    return path


def run(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main([str(w) for w in words])
    return stopped.value.code, *capsys.readouterr()


def test_figures_and_their_tables(capsys, log, tmp_path):
    code, out, err = run(
        capsys, "figures", log, "choices", "radar", "-o", tmp_path / "f", "--bootstrap", "20"
    )
    assert code == 0
    assert "choices.png" in out
    assert "wrote 2 figures" in err
    assert {p.name for p in (tmp_path / "f").glob("*.png")} == {"choices.png", "radar.png"}


def test_json(capsys, log, tmp_path):
    words = ["figures", log, "personas", "-o", tmp_path / "f", "--bootstrap", "20", "--json"]
    code, out, _ = run(capsys, *words, "--persona", "selfish=neutral", "--where", "scale=10")
    found = printed(out)
    assert code == 0
    assert set(found) == set(codebook.JSON_OBJECTS["figures"])
    assert found["figures"][0]["n_games"] == 24


def test_an_unknown_figure_is_one_line(capsys, log, tmp_path):
    code, out, err = run(capsys, "figures", log, "mismach", "-o", tmp_path / "f")
    assert (code, out) == (2, "")
    assert "unknown figure 'mismach'; did you mean mismatch" in err


def test_an_image_is_no_folder(capsys, log, tmp_path):
    code, out, err = run(capsys, "figures", log, "choices", "-o", tmp_path / "choices.PNG")
    assert (code, out, list(tmp_path.glob("choices*"))) == (2, "", [])
    assert "it has the name of an image, expected a folder (--image png)" in err


def test_a_figure_of_something_else_says_of_what(capsys, log, tmp_path):
    code, _, err = run(capsys, "figures", log, "bars", "-o", tmp_path / "f")
    assert code == 2
    assert "figure 'bars' needs labels or shares or estimates, expected intent figures TABLE bars" in err
    code, _, err = run(capsys, "figures", log, "standings", "-o", tmp_path / "f")
    assert code == 2
    assert "intent tournament" in err


def test_a_file_that_is_not_there_is_told_before_its_figures(capsys, log, tmp_path):
    code, _, err = run(capsys, "figures", tmp_path / "labels.parquet", "bars", "-o", tmp_path / "f")
    assert code == 2
    assert "no such file" in err


def test_the_list_names_what_each_needs(capsys):
    code, out, _ = run(capsys, "figures", "--list", "--json")
    found = {one["name"]: one for one in printed(out)["figures"]}
    assert code == 0
    assert found["simplex"]["needs"] == "labels"
    assert found["simplex"]["made_by"].startswith("intent label")
    assert {"cooperation", "automaton", "regret"} <= set(found)


def test_a_table_and_what_is_about_play(capsys, log, tmp_path):
    run(capsys, "metrics", log, "-o", tmp_path / "metrics.csv")
    words = ["figures", tmp_path / "metrics.csv", "portraits", "-o", tmp_path / "f", "--bootstrap", "20"]
    code, out, err = run(capsys, *words, "--by", "model")
    assert code == 0
    assert "portraits.png" in out
    assert "wrote 1 figure" in err
    code, _, err = run(capsys, *words, "--stakes", "scale")
    assert code == 2
    assert "--stakes is about play" in err
    assert run(capsys, "figures")[0] == 2


def test_a_strategy_is_drawn(capsys, tmp_path):
    code, out, _ = run(capsys, "strategies", "show", "WSLS", "-o", tmp_path / "w.svg")
    assert code == 0
    assert "WSLS" in out
    assert "<svg" in (tmp_path / "w.svg").read_text(encoding="utf-8")
    assert run(capsys, "strategies", "show", "WSLS", "-o", tmp_path / "w.svg")[0] == 2
