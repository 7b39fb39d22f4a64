"""Published beside ours: verdicts against their definition, and how often they err."""

from __future__ import annotations

import html
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import intent
from intent.base.codebook import PUBLISHED, REPLICATION
from intent.base.errors import DataError
from intent.report.replication import (
    Exclusion,
    Measured,
    Measurement,
    Replication,
    claim,
    effects,
    judged,
    replication_page,
    unread_moves,
)


def printed(*values: float | None, unit: str = "points", n: int | None = None) -> pd.DataFrame:
    rows = [("Table 1", f"row {k}", "mean", v, None, n, unit, "3", "") for k, v in enumerate(values)]
    frame = pd.DataFrame(rows, columns=[c.name for c in PUBLISHED])
    return frame.astype({"value": "float64", "n": "Int64"})


def ours(k: int, value: float, **how: object) -> Measured:
    return Measured("Table 1", f"row {k}", "mean", value, **how)  # type: ignore[arg-type]


def verdicts(published: pd.DataFrame, *measured: Measured) -> list[str]:
    return list(judged(published, measured)["verdict"])


def test_columns_are_those_of_the_codebook():
    assert list(judged(printed(1.0), [])) == [c.name for c in REPLICATION]


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        ([], "not measured"),
        ([ours(0, 0.254, se=0.1, n=30)], "equal"),  # printed .25
        ([ours(0, 0.3, se=0.1, n=30)], "within error"),
        ([ours(0, 0.9, se=0.1, n=30)], "differs"),
        ([ours(0, 0.3, se=0.1, n=4)], "too few"),
        ([ours(0, 0.3)], "too few"),
        ([ours(0, 0.3, exact=True)], "differs"),
        ([ours(0, 0.2549, exact=True)], "equal"),
        ([ours(0, 0.9, se=0.1, n=30, withheld="identical copies")], "withheld"),
        ([ours(0, 1.0, verdict="unclear")], "unclear"),
    ],
)
def test_verdict_of_one_cell(measured, verdict):
    assert verdicts(printed(0.25), *measured) == [verdict]


def test_an_assumed_error_makes_no_agreement():
    """Ours .33 +- .04 beside .25: within the errors of both, but beyond ours alone."""
    how = {"se": 0.04, "n": 400, "published_se": 0.05}
    assert verdicts(printed(0.25), ours(0, 0.345, **how)) == ["within error"]
    assert verdicts(printed(0.25), ours(0, 0.345, **how, assumed=True)) == ["unclear"]
    assert verdicts(printed(0.25), ours(0, 0.30, **how, assumed=True)) == ["within error"]
    assert verdicts(printed(0.25), ours(0, 0.90, **how, assumed=True)) == ["differs"]


def test_intervals_stay_within_what_a_payoff_can_be():
    row = judged(printed(4.5), [ours(0, 4.9, se=0.5, n=8, within=(0.0, 5.0))]).iloc[0]
    assert row["high"] == 5.0
    assert 0 < row["low"] < 4.9
    assert judged(printed(4.5), [ours(0, 4.9, se=0.5, n=8)])["high"][0] > 5


def test_what_an_exclusion_changes_is_said():
    cells = [ours(0, 0.25, se=0.01, n=100), ours(1, 0.5, se=0.01, n=100)]
    other = (ours(0, 0.75, se=0.01, n=100), ours(1, 0.5, se=0.01, n=100))
    made = effects(printed(0.25, 0.5), cells, [Exclusion("left out", "3 of 9 moves", "counted", other)])
    assert made == [
        {
            "what": "left out",
            "size": "3 of 9 moves",
            "otherwise": "counted",
            "compared": 2,
            "changed": 1,
            "largest": 0.5,
            "where": "Table 1, row 0, mean",
            "verdicts": ["Table 1, row 0, mean: equal → differs"],
        }
    ]


def test_moves_that_could_not_be_read_are_measured_otherwise():
    """Three games of one player; a default in one, a missing move in another."""
    moves = (
        [("C", "parsed"), ("C", "parsed")],
        [("D", "defaulted"), ("C", "parsed")],
        [(None, "missing"), ("C", "parsed")],
    )
    log = play_log(moves)

    def share(of: intent.GameLog) -> list[Measured]:
        known = of.moves[of.moves["status"].eq("parsed") & of.moves["action"].notna()]
        return [ours(0, float(known["action"].eq("C").mean()), n=len(known))]

    made = unread_moves(log, share)
    assert [one.size for one in made] == ["1 of 6 moves", "2 of 3 games"]
    assert [round(one.cells[0].value, 3) for one in made] == [0.8, 1.0]
    assert share(log)[0].value == 1.0
    assert unread_moves(log.where({"game_id": ["g0"]}), share) == ()


def play_log(games: tuple[list[tuple[str | None, str]], ...]) -> intent.GameLog:
    """Games of one player, by its moves and their status."""
    rows = [
        {"game_id": f"g{k}", "round": n, "step": 1, "seat": 1, "action": action, "status": status}
        for k, moves in enumerate(games)
        for n, (action, status) in enumerate(moves, start=1)
    ]
    played = pd.DataFrame({"game_id": [f"g{k}" for k in range(len(games))]})
    seats = played.assign(seat=1, model="m", focal=True)
    played = played.assign(n_players=1, rounds_played=2, repetition=1)
    return intent.GameLog(played, seats, pd.DataFrame(rows))


def test_a_number_that_is_not_printed_has_no_verdict():
    assert verdicts(printed(None), ours(0, 1.0, se=0.1, n=30)) == ["withheld"]


def test_one_large_difference_among_many_is_unclear():
    many = [ours(k, 0.25, se=0.1, n=1000) for k in range(1, 40)]
    alone, among = ours(0, 0.47, se=0.1, n=1000), printed(*[0.25] * 40)
    assert verdicts(printed(0.25), alone) == ["differs"]
    assert verdicts(among, alone, *many)[0] == "unclear"


def test_p_is_that_of_student_with_both_errors():
    table = judged(printed(0.25), [ours(0, 0.5, se=0.1, n=11, published_se=0.05)])
    gap = (0.25 - 0.005) / math.hypot(0.1, 0.05)
    assert table["p"][0] == pytest.approx(2 * student.sf(gap, 10), abs=1e-8)
    assert table["low"][0] == pytest.approx(0.5 - student.ppf(0.975, 10) * 0.1)


def test_a_share_of_all_or_nothing_has_an_error():
    table = judged(printed(0.9, unit="share", n=20), [ours(0, 1.0, se=0.0, n=20)])
    assert table["verdict"][0] == "within error"
    assert 0 < table["se"][0] < 0.1
    assert table["high"][0] == 1.0


def test_the_last_digit_is_that_of_the_column():
    assert verdicts(printed(0.3, 0.25), ours(0, 0.34, exact=True)) == ["differs", "not measured"]
    assert verdicts(printed(0.3, 0.2), ours(0, 0.34, exact=True)) == ["equal", "not measured"]


def test_what_is_not_printed_or_measured_twice_is_refused():
    with pytest.raises(DataError, match="Table 1, row 7, mean: not in the published numbers"):
        judged(printed(1.0), [ours(7, 1.0)])
    with pytest.raises(DataError, match="measured twice"):
        judged(printed(1.0), [ours(0, 1.0), ours(0, 1.0)])


def test_a_page_of_equals_seldom_says_that_anything_differs():
    """Family-wise: of 300 pages of 20 true replications at most some 5 % have a cell that differs."""
    rng, wrong = np.random.default_rng(5), 0
    n, truth = 30, np.linspace(1, 3, 20)
    for _ in range(300):
        theirs, mine = rng.normal(truth, 1, (n, 20)), rng.normal(truth, 1, (n, 20))
        errors = mine.std(axis=0, ddof=1) / math.sqrt(n)
        their_errors = theirs.std(axis=0, ddof=1) / math.sqrt(n)
        cells = [
            ours(k, mine[:, k].mean(), se=errors[k], n=n, published_se=their_errors[k]) for k in range(20)
        ]
        wrong += "differs" in verdicts(printed(*theirs.mean(axis=0).round(2)), *cells)
    assert wrong / 300 <= 0.08


def test_a_page_begins_with_what_its_play_can_show(tmp_path):
    few = judged(printed(0.25, 0.5), [ours(0, 0.9, se=0.1, n=2), ours(1, 0.9, se=0.1, n=2)])
    small = Replication("mine", "A 2020", "paper, small", few, [], tmp_path, {}, small=True)
    assert "can't show whether a printed number holds (2 of the 2" in small.standing()
    assert small.standing() in html.unescape(replication_page(small))
    whole = Replication("mine", "A 2020", "paper", few, [], tmp_path, {})
    assert "this play can't show whether those hold" in whole.standing()
    none = Replication("mine", "A 2020", "paper", judged(printed(0.25), []), [], tmp_path, {})
    assert none.standing() == "None of the 1 printed numbers can be measured in this play."


def test_a_table_is_laid_out_as_printed(tmp_path):
    conditions = ("model=a,noise=0", "model=b,noise=0", "model=c,noise=0")
    cells = [(row, column) for row in conditions for column in ("bar", "guess")]
    rows = [("Table 1", row, column, 0.5, None, None, "points", "3", "") for row, column in cells]
    frame = pd.DataFrame(rows, columns=[c.name for c in PUBLISHED]).astype({"value": "float64", "n": "Int64"})
    ours_of = [Measured("Table 1", row, "bar", 0.5, se=0.1, n=30) for row in conditions[:2]]
    page = replication_page(Replication("mine", "A", "paper", judged(frame, ours_of), [], tmp_path, {}))
    assert "0.5 (0.5) =" in page
    assert "– (0.5)" in page
    laid_out, *others = page.split("<table")[2:]
    assert "Table 1 (page 3), noise=0: ours" in laid_out  # what is the same in all rows stands above
    assert "model" in laid_out
    assert ">c<" not in laid_out  # of which nothing was measured
    assert "model=c" in others[-1]
    assert "Not measured in this play: 2 printed numbers" in page


def test_the_page_shows_both_numbers_and_harms_nobody(tmp_path):
    rows = judged(printed(0.25, 0.5), [ours(0, 0.9, se=0.1, n=30, note="<script>alert(1)</script>")])
    made = Replication("mine", "A & B 2020", "paper", rows, [], tmp_path, {}, ["a caution"])
    page = replication_page(made)
    assert "0.9 ± 0.1" in page
    assert "a caution" in page
    assert "<script>alert" not in page
    assert made.counts() == {"differs": 1, "not measured": 1}
    made.write(tmp_path / "r.csv")
    assert len(pd.read_csv(tmp_path / "r.csv")) == 2
    assert Measurement(()).notes == ()
    assert isinstance(made.path, Path)


def test_a_claim_about_rates_stays_within_what_they_differ_by():
    cell = ("Table 1", "row 0", "mean")
    free, bounded = (
        judged(printed(None, unit="claim"), [claim(cell, [1.0, 0.5], [0.0, 1.0], within=within)]).iloc[0]
        for within in (None, (-1.0, 1.0))
    )
    assert free["low"] < -1
    assert (bounded["low"], bounded["high"]) == (-1, 1)
