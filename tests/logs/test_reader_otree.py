"""oTree's exports: the columns of oTree 6 (`otree test --export`), values by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from intent import read_log
from intent.base.errors import DataError

HEAD = (
    "participant.id_in_session,participant.code,participant.label,participant._is_bot,participant.visited,"
    "participant.payoff,participant.arm,session.code,session.is_demo,session.config.name,"
    "session.config.participation_fee,session.config.treatment"
)
PAY = {"11": 8, "10": 0, "01": 10, "00": 5, "": None}


def wide(
    tmp_path: Path, plays: Sequence[str], groups: Sequence[str], *, extra: str = "", cells: str = ""
) -> Path:
    """An export of all apps: plays[i][t] is 1, 0 or blank, groups[i][t] the number of the group."""
    rounds = range(1, len(plays[0]) + 1)
    fields = ["player.id_in_group", "player.role", "player.payoff", "player.cooperate", "player.timed_out"]
    fields += ["group.id_in_subsession", "subsession.round_number"]
    lines = [HEAD + "".join(f",pd.{t}.{field}" for t in rounds for field in fields) + extra]
    for i, (play, group) in enumerate(zip(plays, groups, strict=True)):
        row = f"{i + 1},p{i},someone@example.org,0,1,99.0,{'ab'[i % 2]},s1,0,demo,5.0,high"
        for t, (move, where) in enumerate(zip(play, group, strict=True)):
            own = [j for j in range(len(plays)) if groups[j][t] == where]
            other = next((plays[j][t] for j in own if j != i), " ")
            pay = PAY.get(f"{move}{other}".strip(), "")
            row += f",{own.index(i) + 1},,{pay},{move.strip()},0,{where},{t + 1}"
        lines.append(row + cells)
    path = tmp_path / "all_apps_wide-2026-01-05.csv"
    path.write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


FIXED = ("1101", "1011", "0011", "0100")


def test_a_game_named_by_the_user_is_used(tmp_path):
    log = read_log(wide(tmp_path, FIXED, ("1111", "1111", "2222", "2222")), game="prisoner-dilemma")
    assert set(log.games["game"]) == {"prisoner-dilemma"}
    assert not [note for note in log.provenance["notes"] if "not used" in note]


def test_a_group_that_stays_is_one_game(tmp_path):
    log = read_log(wide(tmp_path, FIXED, ("1111", "1111", "2222", "2222")))
    assert log.provenance["format"] == "otree"
    assert log.games["game_id"].tolist() == ["pd-s1-r1-g1", "pd-s1-r1-g2"]
    assert log.trajectories().own.tolist() == [[1, 1, 0, 1], [1, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 0]]
    assert log.seats["player"].tolist() == ["p0", "p1", "p2", "p3"]
    assert log.games["cooperative_action"].tolist() == ["1", "1"]


def test_another_partner_is_another_game_and_rounds_begin_again(tmp_path):
    log = read_log(wide(tmp_path, FIXED, ("1122", "1111", "2222", "2211")))
    assert log.games["game_id"].tolist() == ["pd-s1-r1-g1", "pd-s1-r3-g2", "pd-s1-r3-g1", "pd-s1-r1-g2"]
    assert log.games["rounds_played"].tolist() == [2, 2, 2, 2]
    assert sorted(log.moves["round"].unique()) == [1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_games_are_those_found_by_following_each_pair(tmp_path, seed):
    rng = np.random.default_rng(seed)
    partner = [[0, 0, 1, 1] if rng.random() < 0.5 else [0, 1, 0, 1] for _ in range(7)]
    plays = ["".join(map(str, rng.integers(0, 2, 7))) for _ in range(4)]
    groups = ["".join(str(found[i] + 1) for found in partner) for i in range(4)]
    expected = []
    for i, j in combinations(range(4), 2):
        together = "".join("x" if groups[i][t] == groups[j][t] else " " for t in range(7))
        spans = [run.span() for run in re.finditer("x+", together)]
        expected += [(i, j, plays[i][a:b], plays[j][a:b]) for a, b in spans]
    log = read_log(wide(tmp_path, plays, groups), cooperate="1:0")
    found = []
    for _, seats in log.seats.groupby("game_id"):
        one = log.moves[log.moves["game_id"] == seats["game_id"].iloc[0]]
        own = ["".join(one.loc[one["seat"] == s, "action"].astype(str)) for s in (1, 2)]
        found.append((*(int(p[1:]) for p in seats["player"]), *own))
    assert sorted(found) == sorted(expected)


def test_the_experiments_own_number_of_the_match_cuts_games(tmp_path):
    path = wide(tmp_path, ("11", "10"), ("11", "11"))
    text = path.read_text("utf-8").splitlines()
    text[0] += ",pd.1.subsession.match,pd.2.subsession.match"
    path.write_text("\n".join([text[0], text[1] + ",1,2", text[2] + ",1,2", ""]), "utf-8")
    assert len(read_log(path, cooperate="1:0")) == 2


def test_treatments_and_sessions_are_conditions_and_addresses_are_not_read(tmp_path):
    log = read_log(wide(tmp_path, FIXED, ("1111", "1111", "2222", "2222")))
    assert log.conditions == ["app", "session", "name", "treatment"]
    assert log.seat_conditions == ["arm"]
    assert not any("example.org" in table.to_csv() for table in log.tables().values())


def test_dropouts_are_missing_and_rounds_that_nobody_played_are_left_out(tmp_path):
    log = read_log(
        wide(tmp_path, ("1101  ", "1011  ", "0011  ", "01    "), ("1" * 6, "1" * 6, "2" * 6, "2" * 6))
    )
    assert log.games["rounds_played"].tolist() == [4, 4]
    assert log.trajectories().own.tolist()[3] == [0, 1, -1, -1]
    assert (log.moves["status"] == "missing").sum() == 2
    assert any("4 rounds that nobody played" in note for note in log.provenance["notes"])


def test_time_outs_are_defaults_and_bots_are_named(tmp_path):
    path = wide(tmp_path, FIXED, ("1111", "1111", "2222", "2222"))
    lines = path.read_text("utf-8").splitlines()
    lines[1] = lines[1].replace(",0,1,99.0,", ",1,1,99.0,").replace(",1,0,1,1,", ",1,1,1,1,", 1)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    log = read_log(path)
    assert log.moves["status"].tolist().count("defaulted") == 1
    assert log.seats["architecture"].tolist() == ["bot", "human", "human", "human"]


APP = (
    "participant.code,player.id_in_group,player.payoff,player.{},group.id_in_subsession,"
    "subsession.round_number,session.code\n"
)


def one_app(tmp_path: Path, field: str, rows: Sequence[tuple[object, ...]]) -> Path:
    """An app's own export: rows of participant, id in group, payoff, decision, group, round."""
    path = tmp_path / "dilemma_2026-01-05.csv"
    text = "".join(",".join(map(str, row)) + ",s1\n" for row in rows)
    path.write_text(APP.format(field) + text, encoding="utf-8")
    return path


PLAIN = [("a", 1, 8, "Cooperate", 1, 1), ("b", 2, 8, "Cooperate", 1, 1), ("a", 1, 0, "Cooperate", 1, 2),
         ("b", 2, 10, "Defect", 1, 2), ("a", 1, 5, "Defect", 1, 3), ("b", 2, 5, "Defect", 1, 3)]  # fmt: skip


def test_an_apps_own_export_has_the_apps_name_without_the_date(tmp_path):
    log = read_log(one_app(tmp_path, "decision", PLAIN))
    assert log.games["game"].tolist() == ["dilemma"]
    assert log.games["cooperative_action"].tolist() == ["Cooperate"]


@pytest.mark.parametrize("name", ["odd", "player.odd", "dilemma.player.odd", "dilemma.3.player.odd"])
def test_a_mapping_names_the_decision(tmp_path, name):
    assert len(read_log(one_app(tmp_path, "odd", PLAIN), mapping={"action": name})) == 1


def test_amounts_are_values_and_no_action_is_cooperation(tmp_path):
    rows = [
        (p, i, f"${20 - c}.50", f"{c}.0", 1, t)
        for t in (1, 2)
        for i, (p, c) in enumerate(zip("abc", (5, 0, t), strict=True), 1)
    ]
    log = read_log(one_app(tmp_path, "contribution", rows))
    assert log.games["n_players"].tolist() == [3]
    assert log.moves["value"].tolist() == [5, 0, 1, 5, 0, 2]
    assert log.moves["payoff"].tolist()[0] == 15.5
    assert log.skipped() == {"no cooperative action": 1}
    assert (log.moves["status"] == "parsed").all()


def test_several_fields_of_two_values_need_a_name(tmp_path):
    path = one_app(tmp_path, "left,player.right", [("a", 1, 8, "x,1", 1, 1), ("b", 2, 8, "y,0", 1, 1)])
    with pytest.raises(DataError, match="left, right have two values each; give --map action=FIELD"):
        read_log(path)


def test_an_unknown_field_suggests_the_nearest(tmp_path):
    with pytest.raises(DataError, match=r"player\.decision"):
        read_log(one_app(tmp_path, "decision", PLAIN), mapping={"action": "descision"})


def test_rows_that_say_no_place_are_rejected_with_their_line(tmp_path):
    log = read_log(
        one_app(tmp_path, "decision", [*PLAIN, ("c", "x", 5, "Defect", 1, 3), ("", 1, 5, "Defect", 1, 4)])
    )
    assert log.rejects["line"].tolist() == [8, 9]
    assert "expected a whole number from 1" in log.rejects["reason"][0]


def test_a_player_alone_is_no_game(tmp_path):
    with pytest.raises(DataError, match="no app of dilemma has a decision"):
        read_log(one_app(tmp_path, "decision", [("a", 1, 8, "C", 1, 1), ("b", 1, 8, "D", 2, 1)]))
