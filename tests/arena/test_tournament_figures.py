import numpy as np
import pytest
from matplotlib.colors import to_rgba

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.figures import draw_standings, write_tournament_figures
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest
from intent.arena.tournament.standings import groups_of, head_to_head, head_to_head_intervals, standings
from intent.arena.tournament.table import play_round_robin
from intent.figures.populations import draw_head_to_head
from intent.figures.style import colour, look
from intent.strategies.catalogue import strategy

NAMES = {"ALLC": "Cooperative", "TFT": "Cooperative", "ALLD": "Aggressive", "GRIM": "Aggressive"}
FIELD = tuple(Entrant(name, automaton=strategy(name), group=group) for name, group in NAMES.items())
CONFIG = {"game": "prisoner-dilemma-trps", "repetitions": 6, "seed": 1, "agents": False}


@pytest.fixture(scope="module")
def table():
    rules = MatchRules(turns=30, noise=0.1)
    return play_round_robin(FIELD, rules, Contest(6, Salt.of_field(FIELD, 1), AutomataEngine()))


def test_a_violin_for_each_and_a_colour_for_each_group():
    scores = np.array([1.0, 1.1, 1.3, 1.2, 1.5, np.nan])
    with look():
        figure = draw_standings([("a", "x", scores), ("b", "y", scores + 1), ("c", "y", scores[:2])])
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b", "c"]
    assert axes.lines[0].get_xdata()[0] == pytest.approx(1.2)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x", "y"]


def test_attitudes_have_the_colours_of_the_figures_of_evolution():
    scores = np.array([1.0, 2.0])
    with look():
        figure = draw_standings(
            [("a", "Cooperative", scores), ("b", "Aggressive", scores), ("c", None, scores)]
        )
    found = [patch.get_facecolor() for patch in figure.legends[0].get_patches()]
    assert found[:2] == [to_rgba(colour("Aggressive")), to_rgba(colour("Cooperative"))]
    assert len(set(found)) == 3


def test_cells_hold_means_and_intervals(table):
    groups = groups_of(FIELD)
    found = head_to_head(table, groups)
    ends = head_to_head_intervals(table, groups, np.random.default_rng(1))
    with look():
        figure = draw_head_to_head(found, ends)
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert f"{found['payoff']['Aggressive']['Cooperative']:.2f}" in texts
    assert len(texts) == 8


def test_a_cell_without_a_match_is_empty():
    with look():
        figure = draw_head_to_head({"payoff": {"a": {"a": None}}, "cooperation": {"a": {"a": 0.5}}})
    assert [len(axes.texts) for axes in figure.axes[:2]] == [0, 1]


def test_files_are_the_same_every_time(table, tmp_path):
    settings = {
        "standings": standings(table),
        "head_to_head": head_to_head(table),
        "intervals": None,
        "config": CONFIG,
    }
    first = [path.read_bytes() for path in write_tournament_figures(tmp_path, table, **settings)]
    assert first == [path.read_bytes() for path in write_tournament_figures(tmp_path, table, **settings)]
    assert len(first) == 2


def test_without_a_match_there_is_no_figure(table, tmp_path):
    settings = {"standings": [], "head_to_head": {}, "intervals": None, "config": CONFIG}
    assert write_tournament_figures(tmp_path, table, **settings) == []
