"""The personas of a log's seats."""

from __future__ import annotations

import pandas as pd

from intent.behaviour.play_table import seat_personas


def test_a_game_with_an_unknown_persona_has_no_pairing():
    seats = pd.DataFrame(
        {"game_id": ["a", "b", "a", "b"], "seat": [2, 1, 1, 2], "persona": ["ích kỷ", "x", "hợp tác", None]}
    )
    found = seat_personas(seats)
    assert found["persona"].tolist()[:3] == ["selfish", "x", "cooperative"]
    assert found["pairing"].fillna("?").tolist() == ["CS", "?", "CS", "?"]
    assert found["composition"].fillna("?").tolist() == ["mixed", "?", "mixed", "?"]
