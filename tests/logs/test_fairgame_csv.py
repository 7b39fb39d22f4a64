"""FAIRGAME's results file, written and read back."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from course_logs import at_random, course_log

from intent.base.errors import OutputError
from intent.games.catalogue import game, public_goods
from intent.games.game import Game
from intent.gamma.catalogue import gamma_game
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log
from intent.logs.stores.fairgame import left_out, write_fairgame_csv
from intent.play.match import Horizon, Match, to_log
from intent.play.referee import Referee

PD = game("prisoner-dilemma")
SEATS = ({"model": "openai/m", "persona": "selfish"}, {"strategy": "TFT", "eps": 0.1})


def played(stage: Game, *rounds: str, seats: tuple = (), said: tuple = (), **columns: object) -> Match:
    """A match of rounds such as ``"AB"``, with the messages of each round by seat where there are any."""
    referee = Referee(stage, Horizon(len(rounds)), communication="sequential" if said else "none")
    for number, joint in enumerate(rounds):
        for seat in range(1, stage.n_players + 1) if said else ():
            referee.speak(seat, said[number][seat - 1])
        for seat, letter in enumerate(joint, start=1):
            referee.submit(seat, f"Option{letter}")
    return Match(stage, Horizon(len(rounds)), referee.record, seats, columns)


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def assert_alike(log: GameLog, back: GameLog) -> None:
    """The tables hold the same rows, in whatever order and aside from columns that the format always has."""
    for name, table in log.tables().items():
        keys = [key for key in ("game_id", "round", "seat") if key in table]
        one, two = (
            frame[table.columns].astype({"game_id": str}).sort_values(keys, ignore_index=True)
            for frame in (table, back.tables()[name])
        )
        pd.testing.assert_frame_equal(one, two, check_categorical=False, check_dtype=False)


def test_cells_are_fairgames(tmp_path: Path) -> None:
    log = to_log([played(PD, "AB", "BB", seats=SEATS, language="en")])
    (row,) = cells(write_fairgame_csv(log, tmp_path / "out.csv"))
    assert list(row.values())[:20] == [
        *("game_0", "en", "True", "2", "2", "False"),
        *("agent1", "openai/m", "selfish", "0", "['OptionA', 'OptionB']", "[0, 2]", "[]"),
        *("agent2", "", "None", "0", "['OptionB', 'OptionB']", "[10, 2]", "[]"),
    ]
    assert list(row)[6:13] == [
        f"agent1_{name}"
        for name in (
            "name",
            "llm",
            "personality",
            "knows_opponent_with_prob",
            "strategies",
            "scores",
            "messages",
        )
    ]


def test_scores_of_public_goods_and_of_scaled_games_are_floats(tmp_path: Path) -> None:
    log = to_log([played(public_goods(2), "AAB"), played(PD.scaled(0.1), "AA"), played(PD.scaled(10), "AA")])
    rows = cells(write_fairgame_csv(log, tmp_path / "out.csv"))
    assert [row["agent1_scores"] for row in rows] == ["[3.333333333333334]", "[0.6000000000000001]", "[60]"]


@pytest.mark.parametrize(
    "matches",
    [
        [played(PD, "AB", "BB", seats=SEATS, language="vn"), played(PD, "AB", "BB", seats=SEATS)],
        [played(PD.scaled(0.1), "AA", payoff_scale=0.1), played(game("battle-sexes"), "AB", "AA")],
        [played(public_goods(2.9), "AAB", "BBB", seats=({"persona": "hợp tác, «x»"},)), played(PD, "BB")],
        [played(PD, "AB", "BB", said=((' it\'s "so"\n', "[], ', '"), (None, "\u202e<b>")))],
        [played(PD, "AB", seats=({"focal": True}, {"focal": False}), run="007", note="a\r\nb;\rc")],
    ],
)
def test_reads_back_as_it_was(matches: list[Match], tmp_path: Path) -> None:
    log = to_log(matches, source="here")
    back = read_log(write_fairgame_csv(log, tmp_path / "out.csv"))
    assert back.provenance["format"] == "fairgame"
    assert_alike(log, back)
    assert not len(back.rejects)


def test_kind_and_cooperation_come_back_whatever_the_name_says(tmp_path: Path) -> None:
    stage = type(PD)("prisoner-dilemma", PD.actions, PD.payoffs, "reward")
    log = to_log([played(stage, "AB")])
    back = read_log(write_fairgame_csv(log, tmp_path / "out.csv"))
    assert back.games["cooperative_action"].tolist() == ["OptionA"]
    assert back.moves["cooperated"].tolist() == [True, False]
    assert read_log(tmp_path / "out.csv", payoff_kind="penalty").moves["cooperated"].tolist() == [False, True]


def test_chance_may_end_the_game(tmp_path: Path) -> None:
    referee = Referee(PD, Horizon(50, continuation=0.0), rng=np.random.default_rng(0))
    for seat in (1, 2):
        referee.submit(seat, "OptionA")
    log = to_log([Match(PD, referee.horizon, referee.record)])
    path = write_fairgame_csv(log, tmp_path / "out.csv")
    assert (cells(path)[0]["max_rounds"], cells(path)[0]["n_rounds_is_known"]) == ("", "False")
    assert_alike(log, read_log(path))


@pytest.mark.parametrize(
    ("wrong", "right", "reason"),
    [
        ("[9]", "[10]", "round 1: OptionA, OptionB scored 0, 9, expected 0, 10"),
        ("fine,", "penalty,", "payoff_kind 'fine', expected reward or penalty"),
        ('""OptionC,', '""OptionA,', "expected all four pairs of two actions"),
        ("['OptionC']", "['OptionB']", "action 'OptionC' is not one of OptionA, OptionB"),
        ("[None]", "['OptionB']", "round 1: OptionA, no move scored 0, 10, expected nan, nan"),
        ("[None]", "[10]", "round 1: OptionA, OptionB scored 0, nan, expected 0, 10"),
    ],
)
def test_what_a_damaged_file_says_of_its_game_is_checked(
    wrong: str, right: str, reason: str, tmp_path: Path
) -> None:
    path = write_fairgame_csv(to_log([played(PD, "AB"), played(PD, "AA")]), tmp_path / "out.csv")
    text = path.read_text()
    assert right in text
    path.write_text(text.replace(right, wrong, 1))
    (got,) = read_log(path).rejects["reason"]
    assert reason in got


def test_missing_and_defaulted_moves_come_back(tmp_path: Path) -> None:
    referee = Referee(PD, Horizon(3))
    for first, second in ((None, "OptionB"), ("OptionA", "OptionB"), (None, None)):
        referee.submit(1, first, "missing" if first is None else "defaulted")
        referee.submit(2, second, "missing" if second is None else "parsed")
    log = to_log([Match(PD, Horizon(3), referee.record), played(PD, "AB"), played(public_goods(2), "AAA")])
    path = write_fairgame_csv(log, tmp_path / "out.csv")
    first = cells(path)[0]
    assert first["agent1_strategies"] == "[None, 'OptionA', None]"
    assert first["agent2_scores"] == "[None, 10, None]"
    assert first["agent1_statuses"] == "['missing', 'defaulted', 'missing']"
    assert_alike(log, read_log(path))


def test_what_the_format_cannot_say_is_refused(tmp_path: Path) -> None:
    referee = Referee(PD, Horizon(1), order=[[2], [1]])
    referee.submit(2, "OptionA")
    referee.submit(1, "OptionA")
    with pytest.raises(OutputError, match="no steps within a round: game game_0, round 1, seat 1"):
        write_fairgame_csv(to_log([Match(PD, Horizon(1), referee.record)]), tmp_path / "out.csv")
    guesses = course_log([(gamma_game("guessing", n_players=3), {})], at_random, 1, np.random.default_rng(1))
    with pytest.raises(OutputError, match=r"no moves that are numbers: game .*, round 1, seat 1"):
        write_fairgame_csv(guesses, tmp_path / "out.csv")
    with pytest.raises(OutputError, match="column 'known' has a name"):
        write_fairgame_csv(to_log([played(PD, "AB", known="x")]), tmp_path / "out.csv")
    whole = to_log([played(PD, "AB", "AA")])
    short = GameLog(whole.games, whole.seats, whole.moves.iloc[:-1])
    with pytest.raises(OutputError, match="has 3 moves, expected one of 2 seats in each of 2 rounds"):
        write_fairgame_csv(short, tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_only_our_own_files_may_have_missing_moves(tmp_path: Path) -> None:
    path = write_fairgame_csv(to_log([played(PD, "AB"), played(PD, "AA")]), tmp_path / "out.csv")
    text = path.read_text().replace("payoff_kind", "kind").replace("['OptionB']", "[None]")
    path.write_text(text)
    (reason,) = read_log(path).rejects["reason"]
    assert "None at item 1, expected a list of texts" in reason


def test_what_is_left_out_is_said() -> None:
    referee = Referee(PD, Horizon(1))
    referee.submit(1, "OptionA", reasoning="I think", reply="g/1/1/1")
    referee.submit(2, "OptionA")
    log = to_log([Match(PD, Horizon(1), referee.record)])
    assert left_out(log) == ("moves: reasoning", "moves: reply")
    assert left_out(to_log([played(PD, "AB")])) == ()


@pytest.mark.data
def test_public_files_read_and_written_read_alike(data_dir: Path, tmp_path: Path) -> None:
    files = [data_dir / "fairgame" / "results.csv.gz", *(data_dir / "fairgame_public_goods").rglob("*.csv")]
    assert len(files) == 5
    for i, file in enumerate(files):
        log = read_log(file)
        assert_alike(log, read_log(write_fairgame_csv(log, tmp_path / f"{i}.csv")))
