"""Strategies that players say, and those that sit opposite them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

import intent
from intent.logs.chunks import of_subjects, scripted_notes
from intent.logs.readers.stated import STATED

Seat = Mapping[str, str]
"""player, moves, and strategy or model where there is one."""


def seat(player: str, moves: str, strategy: str = "", model: str = "") -> Seat:
    return {"player": player, "moves": moves, "strategy": strategy, "model": model}


def write(folder: Path, games: Sequence[Sequence[Seat]], *without: str) -> Path:
    """A long table of games."""
    rows = [
        {
            "game": number,
            **{name: one[name] for name in ("player", "strategy", "model") if name not in without},
            "round": played,
            "action": action,
        }
        for number, seats in enumerate(games)
        for one in seats
        for played, action in enumerate(one["moves"], 1)
    ]
    path = folder / "table.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


PEOPLE = [
    [seat("ann", "CCDC"), seat("bob", "CDCC")],
    [seat("ann", "CCCD", "TFT"), seat("bob", "CCDD", "GRIM")],
    [seat("cem", "CCCC"), seat("dan", "DDDD")],
    [seat("cem", "CDDC", "always C unless betrayed"), seat("dan", "DDDD", "ALLD")],
]
"""Who writes down a strategy in the second game."""

BOTS = [
    [seat("ann", "CCDC"), seat("bot1", "CCCD", "TFT")],
    [seat("bob", "DDDD"), seat("bot2", "CDDD", "GRIM")],
    [seat("ann", "CCCC"), seat("bob", "CCCC")],
]
MODELS = [
    [seat("one", "CCDC", model="gpt"), seat("two", "CCCD", "TFT")],
    [seat("one", "CCCC", "TFT", model="gpt"), seat("two", "CCCC", model="gpt")],
    [seat("one", "CCCC", "TFT"), seat("two", "DDDD", "ALLD")],
]
LEAGUE = [
    [seat("gpt", "CCDC"), seat("TFT", "CCCD", "TFT")],
    [seat("TFT", "CDDD", "TFT"), seat("ALLD", "DDDD", "ALLD")],
    [seat("gpt", "CDCC"), seat("ALLD", "DDDD", "ALLD")],
]
"""Players who bear the names of strategies, as far as they are some."""

ASKED = [
    [seat("ann", "CCDC"), seat("bob", "CDCC")],
    [seat("cem", "CCDC", "TFT"), seat("dan", "CDCC", "GRIM")],
]
"""Some sessions were asked, and people do not do what they say."""

LABELS = [
    [seat("1", "CCDC"), seat("2", "CDCC")],
    [seat("1", "CCDC"), seat("2", "CCCD", "TFT")],
]
"""Players are places at the table."""


@pytest.mark.parametrize(
    ("games", "left_out"),
    [(BOTS, 2), (LEAGUE, 4), (LABELS, 1)],
    ids=["people against bots", "a league", "players that are places"],
)
def test_strategies_opposite_people_are_played(
    tmp_path: Path, games: Sequence[Sequence[Seat]], left_out: int
) -> None:
    log = intent.read_log(write(tmp_path, games, "model"), game="prisoner-dilemma", cooperate="C")
    assert STATED not in log.seats.columns
    narrowed = of_subjects(log)
    assert narrowed.n_scripted == left_out
    assert "--keep-scripted" in scripted_notes(narrowed)[0]


def test_strategies_opposite_models_are_played(tmp_path: Path) -> None:
    log = intent.read_log(write(tmp_path, MODELS), game="prisoner-dilemma", cooperate="C")
    assert STATED not in log.seats.columns
    assert of_subjects(log).n_scripted == 3


@pytest.mark.parametrize(
    ("games", "why"),
    [
        (PEOPLE, "4 players with a strategy in some games and none in others"),
        (ASKED, "that the named strategy never makes, in 1 game"),
    ],
    ids=["in later games", "in some sessions"],
)
def test_what_people_say_that_they_play_leaves_them_in(
    tmp_path: Path, games: Sequence[Sequence[Seat]], why: str
) -> None:
    path = write(tmp_path, games, "model")
    log = intent.read_log(path, game="prisoner-dilemma", cooperate="C")
    assert set(log.seats[STATED].dropna()) >= {"TFT", "GRIM"}
    assert of_subjects(log) is log
    (note,) = [one for one in log.provenance["notes"] if STATED in one]
    assert why in note
    assert "--map strategy=NAME" in note
    kept = intent.GameLog(*(log.tables()[name] for name in ("games", "seats", "moves")))
    assert of_subjects(kept) is kept


def test_the_user_names_the_column_of_scripted_opponents(tmp_path: Path) -> None:
    path = write(tmp_path, PEOPLE, "model")
    log = intent.read_log(path, mapping={"strategy": "strategy"}, game="prisoner-dilemma", cooperate="C")
    assert STATED not in log.seats.columns
    assert of_subjects(log).n_scripted == 4


def test_where_all_have_a_strategy_all_count(tmp_path: Path) -> None:
    log = intent.read_log(write(tmp_path, ASKED[1:], "model"), game="prisoner-dilemma", cooperate="C")
    assert STATED not in log.seats.columns
    assert of_subjects(log) is log
