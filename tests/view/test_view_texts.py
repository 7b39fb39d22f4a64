"""Whatever a model wrote is a bounded text that can be encoded."""

import numpy as np
import pandas as pd
import pytest
from play_logs import PD, log_of, match
from view_library import HOSTILE

from intent.base.files import encodable
from intent.logs.gamelog import GameLog
from intent.view.columns import SeatColumn
from intent.view.detail import LIMIT_SHOWN, TextKeeper, bounded
from intent.view.game_detail import game_detail
from intent.view.judging import judge_of


def test_long_texts_are_cut_and_kept():
    text = "é" * 5_000_000
    cut = bounded(text, "1/1/1/message")
    assert (len(cut.shown), cut.length, cut.is_cut) == (LIMIT_SHOWN, 5_000_000, True)
    keeper = TextKeeper("k")
    keeper(text, "other")
    assert keeper.whole is None
    keeper(text, "k")
    assert keeper.whole == text


@pytest.mark.parametrize("value", [None, float("nan"), 3])
def test_null_is_no_text(value):
    assert bounded(value, "k") is None


def test_what_no_encoding_holds_is_spelled_out():
    assert encodable("a\ud800b") == "a⟨U+D800⟩b"
    assert encodable("\U0001f600") == "\U0001f600"


def test_hostile_text_is_data():
    log = log_of(match(PD, "CD", "DD"))
    moves = log.moves.assign(reply=HOSTILE, details='{"a": 1}')
    judge, _ = judge_of("bayes-canonical4")
    game = game_detail(GameLog(log.games, log.seats, moves), judge, (), None)
    assert game.rounds[0].moves[0].reply.shown == HOSTILE
    assert game.rounds[1].moves[1].facts == (("a", "1"),)


@pytest.mark.parametrize(
    "body", [None, "{", "[]", '{"messages": 3}', '{"messages": [1, {"role": 4}]}', "[" * 100_000]
)
def test_bodies_of_any_form(body):

    from intent.base import codebook

    log = log_of(match(PD, "CD", "DD"))
    row = {c.name: None for c in codebook.CALLS} | {
        "round": 1,
        "seat": 1,
        "attempt": 1,
        "body": body,
        "text": "C",
    }
    judge, _ = judge_of("bayes-canonical4")
    game = game_detail(log, judge, (), None, pd.DataFrame([row]))
    (call,) = game.rounds[0].moves[0].calls
    assert call.reply.shown == "C"


def test_cells_are_filled_as_pandas_has_them():
    column = SeatColumn("list", np.full(3, -1, dtype=np.int32))
    column.fill(np.array([0, 2]), pd.Series([["TFT", "WSLS"], []]))
    assert [column.cell(i) for i in range(3)] == [["TFT", "WSLS"], None, []]
