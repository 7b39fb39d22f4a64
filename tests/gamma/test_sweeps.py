"""Tables of what was varied: the published ones, and who is compared with whom."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError
from intent.gamma.catalogue import GAMMA_GAMES
from intent.gamma.ranking import SETTING, sweep_frame, sweep_markdown, sweeps_of

TABLE_5 = """
48.0 50.0 49.8 54.7 61.7 65.4 | 54.9 7.1
55.8 71.7 63.3 68.3 69.2 73.3 | 66.9 6.4
69.3 67.0 67.6 67.9 72.8 68.1 | 68.8 2.1
15.3 10.7 17.8 18.0 36.5 41.2 | 23.3 12.5
0.0 0.0 0.0 0.0 0.0 4.0 | 0.7 1.6
13.1 14.0 12.2 11.1 13.0 14.6 | 13.0 1.2
28.6 26.7 46.7 15.0 33.3 20.0 | 28.4 11.1
75.0 53.9 77.7 83.8 59.5 80.6 | 71.7 12.1
38.1 36.7 41.9 39.9 43.2 45.9 | 41.0 3.4
"""
"""GPT-3.5 at temperatures 0 to 1: eight games and overall; mean and deviation over temperatures."""


def row(game: str, score: float, run: int = 1, setting: str = "default", model: str = "m", **levels: object):
    """A run of a game."""
    base = setting == "default"
    found = {"model": model, "game": game, "setting": setting, "run": run, "score": score, "base": base}
    return {**found, "levels": levels}


def test_the_published_table_of_temperatures():
    lines = [line.split(" | ") for line in TABLE_5.strip().splitlines()]
    rows = [
        row(game, float(score), temperature=i / 5)
        for game, (scores, _) in zip(GAMMA_GAMES, lines[:8], strict=True)
        for i, score in enumerate(scores.split())
    ]
    (table,) = sweeps_of(reversed(rows))
    assert table.levels == ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")
    for found, (scores, published) in zip(table.rows, lines, strict=True):
        assert [cell.mean for cell in found.cells] == pytest.approx([*map(float, scores.split())], abs=0.051)
        average = [found.average.mean, found.average.sd]
        assert average == pytest.approx([*map(float, published.split())], abs=0.11)


def test_settings_of_a_game_have_a_row_per_model():
    scores = {"default": 73.3, "ratio=0%": 53.5, "ratio=20%": 61.3}
    rows = [row("bar", x, setting=name, model=m) for m in ("a", "b") for name, x in scores.items()]
    (table,) = sweeps_of(rows)
    assert (table.factor, table.levels) == (SETTING, tuple(scores))
    assert [line.model for line in table.rows] == ["a", "b"]
    assert sweep_markdown([table]).splitlines()[2:5:2] == [
        "| Model | default | ratio=0% | ratio=20% | Mean over setting |",
        "| a | 73.3 | 53.5 | 61.3 | 62.7 ± 10.0 |",
    ]


def test_cells_are_means_and_deviations_of_runs_and_overall_needs_all_games():
    rows = [
        row("bar", x, run=i, version=v)
        for v, xs in (("v1", (40, 60)), ("v2", (70, 70)))
        for i, x in enumerate(xs)
    ]
    (table,) = sweeps_of(rows)
    ((one, two),) = [line.cells for line in table.rows]
    assert (str(one), str(two)) == ("50.0 ± 14.1", "70.0 ± 0.0")
    assert [line.game for line in table.rows] == ["bar"]


def test_one_factor_is_varied_and_the_others_are_held():
    rows = [row("bar", 10, version="v1", persona="none"), row("bar", 20, version="v2", persona="none")]
    rows += [row("bar", 40, version="v1", persona="selfish")]
    over_version, over_persona = sweeps_of(rows)
    assert (over_version.about, over_version.levels) == ("m (persona=none)", ("v1", "v2"))
    assert (over_persona.about, over_persona.levels) == ("m (version=v1)", ("none", "selfish"))


def test_what_a_treatment_brings_with_it_is_no_factor_beside_it():
    levels = {"default": "m×10", "told": "m×10", "rider": "m×9, constant:0×1"}
    rows = [
        row("public_goods", i, treatment=name, table=seats) for i, (name, seats) in enumerate(levels.items())
    ]
    tables = sweeps_of(rows)
    assert tables[0].levels == ("default", "told", "rider")
    assert sweep_frame(tables[:1])["level"].fillna("").tolist() == [*levels, ""]


def test_without_variation_there_are_no_tables_and_odd_scores_are_refused():
    assert sweeps_of([row("bar", 1, version="v1"), row("diner", 2, version="v1")]) == []
    with pytest.raises(DataError, match="expected a number"):
        sweeps_of([row("bar", float("nan"))])
