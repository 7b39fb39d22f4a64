"""The figures of gamma-bench's page, in the paper's order; labels of strategy recognition, made once."""

from __future__ import annotations

import pandas as pd

from experiments.gamma_bench.boards import play_figures
from experiments.strategy_recognition import replication
from intent.gamma.bar import BarPlays
from intent.gamma.guessing import GuessingPlays
from intent.gamma.pirate import PiratePlays, Vote

BAR = BarPlays(n_players=4, goers=(1, 3, 2))
GUESSING = GuessingPlays(n_players=2, means=(30.0, 20.0), by_seat=((20, 40), (10, 30)))
PIRATE = PiratePlays(n_players=2, held=(Vote((100, 0), ("accept",)),))


def drawn(rows):
    """Place, title and caption of the figures of some runs: (what was played, its conditions)."""
    names = ("temperature", "version", "prompt", "language")
    table = pd.DataFrame(
        [{**dict.fromkeys(names), "setting": "default", **conditions} for _, conditions in rows], dtype=object
    )
    plays = [
        ({"model": "m", "setting": table["setting"][at], "run": at + 1, "at": at, "base": True}, play)
        for at, (play, _) in enumerate(rows)
    ]
    return [(one.published, one.title, one.lines) for one in play_figures(plays, table, "saved")]


def test_play_stands_where_the_paper_shows_it():
    rows = [(BAR, {}), (BAR, {}), (GUESSING, {}), (GUESSING, {"temperature": "0.2"}), (PIRATE, {})]
    made = drawn([*rows, (BAR, {"setting": "mode=explicit"})])
    assert [(place, title) for place, title, _ in made] == [
        ("Figure 1", "Guess 2/3 of the Average"),
        ("Figure 1", "El Farol Bar"),
        ("Table 2", "Pirate Game"),
        ("Figure 4", "El Farol Bar, run by run"),
        ("Figure 5", "Guess 2/3 of the Average by temperature"),
        ("Figure 8", "El Farol Bar by setting"),
    ]
    assert all("Data: saved." in lines for _, _, lines in made)


def test_what_differs_in_two_conditions_is_in_no_figure():
    assert [place for place, _, _ in drawn([(BAR, {}), (BAR, {"prompt": "cot", "version": "v2"})])] == [
        "Figure 1"
    ]


def test_a_log_is_labelled_once(monkeypatch):
    labelled = []
    monkeypatch.setattr(
        replication, "_sure_labels", lambda log, notes: labelled.append(log) or notes.append("n")
    )
    sure, log, notes = replication.SureLabels(), object(), []
    for _ in range(3):
        assert sure.of(log, notes) is None
    sure.of(object(), [])
    assert (len(labelled), notes) == (2, ["n", "n", "n"])
