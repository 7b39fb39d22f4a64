"""What a caption says: of how many, what the intervals are, and where the data come from."""

from __future__ import annotations

import re

import pytest
from every_figure import sketches

from intent.base.statistics import BOOTSTRAP, PERCENTILES, WILSON
from intent.estimate.choice.heldout import CLUSTERED_T

GAMES, CONDITIONS, STRATEGIES = (f"whole {what} taken" for what in ("games", "conditions", "strategies"))
INTERVALS = {
    "bars": (WILSON, CONDITIONS),
    "bars-two": (WILSON, GAMES),
    "ribbons": (WILSON, CONDITIONS),
    "ribbons-text": (WILSON, CONDITIONS),
    "heatmap": (WILSON, GAMES),
    "heatmap-one": (WILSON, CONDITIONS),
    "points": (WILSON, CONDITIONS),
    "points-means": (WILSON, CONDITIONS),
    "estimated-shares": (WILSON, "errors take conditions as independent"),
    "estimated-shares-one": (WILSON, "errors take conditions as independent"),
    "agreement": (PERCENTILES, CONDITIONS),
    "choice-models": (CLUSTERED_T, "independence: the game"),
    "cooperation": (WILSON, GAMES),
    "choices": (WILSON, GAMES),
    "payoffs": (BOOTSTRAP, GAMES),
    "personas": (WILSON, GAMES),
    "mismatch": (WILSON, GAMES),
    "portraits": (PERCENTILES, GAMES),
    "contributor-types": (PERCENTILES, GAMES),
    "reliability": ("Wilson", ""),
    "path-equilibria": ("exact binomial", ""),
}
"""Figure -> method of its intervals, and what they take as independent; all others have none."""

SIMULATED = {"probe", "automaton", "automaton-TFT", "regret", "study-reliability", "samples"}
SIMULATED |= {f"regret-{what}" for what in ("opponent", "size", "mismatch")}
"""Not of data: computed from strategies, or of fresh play that the caption describes."""

COUNTED = "(games|trajectories|subjects|moves|choices|rows|runs|(Moran )?processes|repetitions|numbers)"
NUMBER = re.compile(rf"(?<![\w.])[\d,]+ {COUNTED}\b")
SOURCE = re.compile(r"^(Data|Play): .+|\b20 rounds, noise 0\.01\b.* seed 0\.$", re.MULTILINE)
LEVEL = re.compile(r"\b[\d.]+ % intervals \(([^()]+)\)")


def missing(caption: str, intervals: tuple[str, str] | None = None, *, of_data: bool = True) -> list[str]:
    """What a caption does not say."""
    named = LEVEL.findall(caption)
    lacks = {
        "of how many": of_data and not NUMBER.search(caption),
        "where the data come from": of_data and not SOURCE.search(caption),
        "level and method of the intervals": intervals is not None
        and not any(intervals[0] in one for one in named),
        "what is independent": intervals is not None and intervals[1] not in caption,
        "that it has intervals": intervals is None and "% interval" in caption,
    }
    return [what for what, does in lacks.items() if does]


@pytest.mark.slow
def test_every_caption_says_what_a_reader_needs(every_sketch):
    gaps = {
        name: missing(drawing.words(remarks), INTERVALS.get(name), of_data=name not in SIMULATED)
        for name, (drawing, remarks) in every_sketch.items()
    }
    gaps.pop("scores")  # drawn here from published scores, without the file that `draw_board` names
    assert {name: own for name, own in gaps.items() if own} == {}
    assert set(INTERVALS) | SIMULATED <= set(every_sketch)


def test_a_few_captions_say_it(tmp_path):
    for name, (drawing, remarks) in sketches(tmp_path, "bars", "points-means", "contributor-types").items():
        assert missing(drawing.words(remarks), INTERVALS[name]) == []


def test_a_gap_is_seen():
    whole = (
        "Lines: 95 % intervals (bootstrap-t, whole games taken as independent).\nn: 12 games.\nData: a.csv."
    )
    assert missing(whole, (BOOTSTRAP, GAMES)) == []
    assert missing(whole, (WILSON, GAMES)) == ["level and method of the intervals"]
    assert missing(whole, (BOOTSTRAP, CONDITIONS)) == ["what is independent"]
    assert missing(whole.replace("12", "some"), (BOOTSTRAP, GAMES)) == ["of how many"]
    assert missing("Data: a.csv; 3 rows.\nLines: 90 % intervals.") == ["that it has intervals"]
    assert missing("Shares by model.") == ["of how many", "where the data come from"]
