"""A study of one's own, replicated: played, resumed, read; what cannot be is said in one line."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pandas as pd
import pytest

from intent.base.errors import DataError, OutputError, RunError, UnknownNameError, UsageError
from intent.cli.main import main
from intent.report.page import foreign_parts
from intent.runner.replicate import replicate, studies

CODE = """
from pathlib import Path
import intent
from intent.report.replication import Measured, Measurement

CITATION = "Nobody 2020"
PLAYS = {"paper": ("experiment.yaml",), "own": ("own.yaml",), "small": ("experiment.yaml",)}
VARIANTS = {"own": "players defect"}

def measure(played, *, seed, bootstrap):
    path = Path(played[0])
    log = intent.read_log(path / "log" if (path / "run.json").is_file() else path)
    moves = log.moves.groupby("game_id", observed=True)["cooperated"]
    rates = moves.apply(lambda c: float(c.astype(float).mean()))
    rate = Measured("Table 1", "all", "cooperation", float(rates.mean()), se=float(rates.std()), n=len(rates))
    return Measurement((rate,), ("one note",))
"""
PLAY = "name: {name}\ngame: prisoner-dilemma\nmodel: scripted/{who}\nrounds: 4\nrepetitions: 6\n"
AFTER = "after: {label: {}}\n"
RESULTS = """
from intent.report.results import Collected

def write_results(log, folder, *, seed=0, bootstrap=2000, image="png", overwrite=False):
    from matplotlib.figure import Figure
    def draw():
        figure = Figure()
        figure.add_subplot().imshow([[1, 2], [3, 4]])
        return figure
    made = Collected("mine", folder, {}, image, overwrite)
    made.add_figure("tenth", draw, "tenth", "Figure 10")
    made.add_figure("second", draw, "second", "figure 2")
    made.skip("third", "too little")
    return made
"""


@pytest.fixture
def study(tmp_path) -> Path:
    """The folder of a study whose players cooperate."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "replication.py").write_text(CODE)
    (folder / "experiment.yaml").write_text(PLAY.format(name="cooperate", who="ALLC"))
    (folder / "own.yaml").write_text(PLAY.format(name="defect", who="ALLD"))
    heading = "table,row,column,value,spread,n,unit,page,note"
    (folder / "published.csv").write_text(f"{heading}\nTable 1,all,cooperation,0.98,,200,share,3,\n")
    return folder


def test_the_paper_beside_ours(study, tmp_path):
    made = replicate(study, folder=tmp_path / "out", no_track=True)
    assert made.counts() == {"within error": 1}
    row = pd.read_csv(tmp_path / "out" / "replication.csv").iloc[0]
    assert (row["published"], row["ours"], row["n"]) == (0.98, 1.0, 6)
    page = (tmp_path / "out" / "replication.html").read_text()
    assert "Nobody 2020" in page
    assert "one note" in page
    assert json.loads((tmp_path / "out" / "replication.json").read_text())["verdicts"] == {"within error": 1}


def test_the_same_command_goes_on_and_another_is_refused(study, tmp_path):
    out = tmp_path / "out"
    first = replicate(study, folder=out, no_track=True)
    mark = (out / "plays" / "experiment" / "run.json").stat().st_mtime_ns
    again = replicate(study, folder=out, no_track=True)
    assert again.to_dict()["cells"] == first.to_dict()["cells"]
    assert (out / "plays" / "experiment" / "run.json").stat().st_mtime_ns == mark
    with pytest.raises(OutputError, match="another variant \\('paper', not 'own'\\)"):
        replicate(study, folder=out, variant="own", no_track=True)


def test_a_signal_stops_the_whole_study_and_the_same_command_goes_on(study, tmp_path):
    code = CODE.replace('"paper": ("experiment.yaml",)', '"paper": ("experiment.yaml", "own.yaml")')
    (study / "replication.py").write_text(code)
    (study / "experiment.yaml").write_text(PLAY.format(name="cooperate", who="ALLC").replace(": 6", ": 600"))
    out, sent = tmp_path / "out", []

    def update(*_):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGTERM))

    with pytest.raises(RunError, match=r"plays/experiment: .*SIGTERM.*; the same command goes on"):
        replicate(study, folder=out, no_track=True, update=update)
    assert not (out / "plays" / "own").exists()
    assert not (out / "replication.html").exists()
    assert replicate(study, folder=out, no_track=True).plays[1]["games"] == 6


def test_a_call_that_failed_claims_no_folder(study, tmp_path):
    (tmp_path / "broken.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"broken\.csv"):
        replicate(study, folder=tmp_path / "out", source=tmp_path / "broken.csv")
    assert replicate(study, folder=tmp_path / "out", no_track=True).counts() == {"within error": 1}


def test_a_folder_of_something_else_is_left_alone(study, tmp_path):
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "thesis.tex").touch()
    with pytest.raises(OutputError, match="holds something else"):
        replicate(study, folder=tmp_path / "else", no_track=True)


def test_a_variant_says_in_what_it_differs(study, tmp_path):
    made = replicate(study, folder=tmp_path / "out", variant="own", no_track=True)
    assert made.counts() == {"differs": 1}
    assert "variant own: players defect" in made.notes


def test_play_that_there_is_is_measured(study, tmp_path):
    replicate(study, folder=tmp_path / "out", no_track=True)
    log = tmp_path / "out" / "plays" / "experiment" / "log"
    made = replicate(study, folder=tmp_path / "read", source=log)
    assert made.counts() == {"within error": 1}
    assert not (tmp_path / "read" / "plays").exists()
    with pytest.raises(UsageError, match="plays nothing"):
        replicate(study, folder=tmp_path / "other", source=log, model=["scripted/TFT"])


def test_what_it_takes_is_counted_without_play(study, tmp_path):
    made = replicate(study, folder=tmp_path / "out", dry_run=True)
    assert made.to_dict()["n_games"] == 6
    assert not (tmp_path / "out").exists()


def test_the_page_shows_requests_and_the_figures_of_the_paper_in_its_order(study, tmp_path):
    (study / "experiment.yaml").write_text(PLAY.format(name="asked", who="agreeable") + AFTER)
    (study / "results.py").write_text(RESULTS)
    out = tmp_path / "out"
    replicate(study, folder=out, no_track=True)
    page = (out / "replication.html").read_text()
    assert page.index("Figure 2: second.") < page.index("Figure 10: tenth.")
    assert "no third: too little" in page
    assert "You are agent1" in page  # a request, word for word
    assert (out / "results" / "second.png").is_file()
    assert not (out / "plays" / "experiment" / "labels.parquet").exists()  # what `after` makes is made once
    assert foreign_parts(page) == []


def test_the_cost_by_role_is_part_of_the_dry_run(study, tmp_path):
    (study / "experiment.yaml").write_text(PLAY.format(name="asked", who="agreeable"))
    replicate(study, folder=tmp_path / "out", no_track=True)
    seen = tmp_path / "out" / "plays" / "experiment"
    roles = replicate(study, dry_run=True, seen=seen).to_dict()["roles"]
    assert [(one["architecture"], one["purpose"], one["calls"]) for one in roles] == [("plain", "choose", 48)]


def test_random_numbers_are_asked_of_the_model_that_played(study, tmp_path, monkeypatch):
    from intent.runner import replicate as module

    (study / "replication.py").write_text(CODE + '\nSAMPLES = {"n": 10}\n')
    asked = []
    monkeypatch.setattr(
        "intent.runner.sampling.sample_numbers", lambda *how, **more: asked.append((how, more))
    )
    plays = [{"models": ["scripted/TFT", "local/mine"]}]
    code = module.experiment_code(study, module.CODE)
    module._sampled(code, tmp_path, plays, module.ReplicateRequest(study=study))
    assert asked == [(("local/mine", tmp_path / "results" / "sampling"), {"n": 10, "seed": 0})]


def test_unknown_studies_and_variants_get_a_suggestion(study, capsys):
    with pytest.raises(UnknownNameError, match="variant of mine 'pape'"):
        replicate(study, variant="pape", dry_run=True)
    with pytest.raises(SystemExit, match="2"):
        main(["replicate", "strategy_recogniton", "--dry-run"])
    assert "strategy_recognition" in capsys.readouterr().err


@pytest.mark.parametrize("name", studies())
def test_every_shipped_study_counts_what_each_variant_takes(name):
    from intent.base.experiments import experiment_code

    for variant in (v for v in experiment_code(name, "replication").PLAYS if v != "small"):
        counts = replicate(name, variant=variant, model=["scripted/RANDOM"], dry_run=True).to_dict()
        assert counts["plays"]


def test_cost_by_role_is_that_of_replies_that_were_seen(tmp_path):
    """The same experiment again: calls and tokens by role are exactly those of the run that was seen."""
    from intent.runner.dry_run import tokens_in
    from intent.runner.play import load_source, play
    from intent.runner.replicate import replies_seen, role_needs
    from intent.runner.run import Run

    values = {
        "game": "prisoner-dilemma",
        "players": ["scripted/agreeable", "scripted/TFT"],
        "architecture": ["chain_of_thought", "plain"],
        "rounds": 3,
        "repetitions": 2,
        "prices": {"scripted/agreeable": [1, 2]},
    }
    source = load_source(values)
    play(source, tmp_path / "run")
    calls = Run.open(tmp_path / "run").calls()
    needs, unseen = role_needs(list(source.plans()), replies_seen(tmp_path / "run"), source.prices)
    assert unseen == []
    assert sum(one.calls for one in needs) == pytest.approx(len(calls))
    assert {one.purpose for one in needs} == set(calls["purpose"])
    replies = calls["completion_tokens"].astype("Float64").fillna(calls["text"].map(tokens_in))
    assert sum(one.reply_tokens for one in needs) == pytest.approx(float(replies.sum()))
    prompt, reply = (sum(getattr(one, f"{what}_tokens") for one in needs) for what in ("prompt", "reply"))
    assert sum(one.cost or 0 for one in needs) == pytest.approx((prompt + 2 * reply) / 1e6)
