"""``intent study`` as a user types it."""

from __future__ import annotations

import pytest
from printed import printed

from intent.base import codebook
from intent.cli.main import main

STUDY = """
seed: 1
n_test: 120
sets: [canonical4]
points: {noise: [0.1], rounds: [4], opponents: {random: random, recorded: {log: none.csv}}}
groups:
  reference:
    recognisers:
      Bayes: {kind: bayes}
      rules: {kind: rules}
"""


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("INTENT_DATA", raising=False)
    file = tmp_path / "small.yaml"
    file.write_text(STUDY)

    def call(*options: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["study", str(file), "-o", str(tmp_path / "out"), *options])
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return call


def test_json_holds_the_promised_keys(run):
    code, out, _ = run("--json")
    found = printed(out)
    assert code == 0
    assert list(found) == list(codebook.JSON_OBJECTS["study"])
    assert (found["n_models"], found["n_points"], found["n_cells"], found["n_pending"]) == (2, 1, 2, 0)


def test_people_read_counts_what_is_left_out_and_where_to_look(run):
    _, out, err = run("--only", "kind=rules")
    assert out.splitlines()[-1].split() == ["1", "0", "1", "1", "1"]
    assert "left out: opponent recorded" in err
    assert "summary.md" in err


def test_a_dry_run_only_counts(run, tmp_path):
    _, out, _ = run("--dry-run")
    assert out.splitlines()[-1].split() == ["2", "0", "1", "2", "0"]
    assert not (tmp_path / "out").exists()


def test_a_wrong_column_is_one_line(run):
    code, _, err = run("--only", "colour=red")
    assert (code, err.count("\n")) == (2, 1)
    assert "expected one of group, recogniser" in err
