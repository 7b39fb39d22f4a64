"""``intent label`` on logs that are read piece by piece, and what makes them."""

from __future__ import annotations

import json

import pytest

from intent.cli.main import main


@pytest.fixture
def intent(capsys):
    def run(*words: object):
        with pytest.raises(SystemExit) as stopped:
            main([str(w) for w in words])
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return run


def test_from_a_compact_corpus_to_labels(intent, tmp_path):
    corpus, labels = tmp_path / "corpus.parquet", tmp_path / "labels.parquet"
    code, out, _ = intent("generate", "-n", 80, "--form", "compact", "-o", corpus, "--json")
    assert (code, json.loads(out)["n_games"]) == (0, 80)
    code, out, err = intent("label", corpus, "-o", labels, "--json")
    assert (code, json.loads(out)["n"], err) == (0, 80, f"wrote {labels}\n")
    for command in ("metrics", "validate"):
        code, out, _ = intent(command, corpus, "--json")
        assert (code, json.loads(out)["n_games"]) == (0, 80)
    code, out, _ = intent("sfem", corpus, "--json", "--bootstrap", 0)
    assert code == 0


def test_any_log_becomes_compact(intent, tmp_path):
    intent("generate", "-n", 12, "-o", tmp_path / "play")
    code, out, _ = intent(
        "export", tmp_path / "play", "--format", "compact", "-o", tmp_path / "c.parquet", "--json"
    )
    assert (code, json.loads(out)["n_games"]) == (0, 12)
    _, folder, _ = intent("label", tmp_path / "play", "--json")
    _, compact, _ = intent("label", tmp_path / "c.parquet", "--json")
    assert json.loads(folder)["statuses"] == json.loads(compact)["statuses"]


def test_what_workers_cannot_share_is_said(intent, tmp_path):
    corpus = tmp_path / "corpus.parquet"
    intent("generate", "-n", 40, "--form", "compact", "-o", corpus)
    labels = tmp_path / "labels.csv"
    code, _, err = intent("label", corpus, "-o", labels, "--workers", 2, "--json")
    said = "note: this log, or an option, needs all play at once: labelled in one process"
    assert (code, err) == (0, f"{said}\nwrote {labels}\n")
    code, _, err = intent("label", corpus, "--eps", "estimate", "--workers", 2, "--json")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["generate", "--form", "long"], "unknown form 'long'"),
        (["generate", "--form", "compact", "-o", "x.csv"], "the compact form is one .parquet file"),
        (["label", "c.parquet", "--workers", "2", "--dask", "tcp://here:1"], "expected one of them"),
        (["label", "c.parquet", "--cooperate", "C"], "says itself what cooperate would say"),
    ],
)
def test_what_does_not_go_together(intent, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    intent("generate", "-n", 4, "--form", "compact", "-o", "c.parquet")
    code, out, err = intent(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
