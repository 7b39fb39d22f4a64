"""Who is one person in a foreign log, who the other one is, and which words are one action."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent import GameLog, read_log
from intent.base.errors import DataError
from intent.logs.importer.columns import columns_of, seating_of, sense_of
from intent.logs.importer.mapping import LogMapping
from intent.logs.readers.arrays import TidyTable
from intent.logs.readers.stages import spellings, words_for_no_move

ONE, TWO = "CDCC", "DCDC"
"""Moves of the players of a game."""


def read(folder: Path, head: str, rows: list[tuple[object, ...]], **options: object) -> GameLog:
    path = folder / "log.csv"
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return read_log(path, **options)


def refusal(folder: Path, head: str, rows: list[tuple[object, ...]], **options: object) -> str:
    with pytest.raises(DataError) as error:
        read(folder, head, rows, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def players(log: GameLog) -> list[str]:
    return sorted(log.seats["player"].dropna().unique())


def played(log: GameLog) -> list[tuple[str, ...]]:
    """The moves of both seats of each game."""
    moves = log.moves.sort_values(["game_id", "seat", "round"])
    return [
        tuple("".join(part.dropna().str[0].str.upper()) for _, part in game.groupby("seat")["action"])
        for _, game in moves.groupby("game_id", observed=True)
    ]


def by_subject(places: tuple[object, ...], ids: tuple[object, object] = (1, 2)) -> list[tuple[object, ...]]:
    """A game of the same two numbers at each place: place, subject, round, choice."""
    return [
        (place, number, t, move)
        for place in places
        for number, moves in zip(ids, (ONE, TWO), strict=True)
        for t, move in enumerate(moves, start=1)
    ]


SESSIONS = {
    "no match": ("session,subject,round,choice", by_subject((1, 2))),
    "a match": ("session,match,subject,round,choice", [(s, 1, *row) for s, *row in by_subject((1, 2))]),
    "our names": ("session,game_id,player,round,action", [(s, s, *row) for s, *row in by_subject((1, 2))]),
    "a partner": (
        "session,subject,partner,round,choice",
        [(s, n, 3 - n, t, a) for s, n, t, a in by_subject((1, 2))],
    ),
    "a row per subject": (
        "session,subject,partner,r1,r2,r3,r4",
        [(s, n, 3 - n, *moves) for s in (1, 2) for n, moves in ((1, ONE), (2, TWO))],
    ),
    "both in a row": (
        "session,match,round,p1_id,p2_id,p1_choice,p2_choice",
        [(s, 1, t, 1, 2, a, b) for s in (1, 2) for t, (a, b) in enumerate(zip(ONE, TWO, strict=True), 1)],
    ),
}


@pytest.mark.parametrize("form", SESSIONS)
def test_numbers_begin_anew_in_each_session(tmp_path: Path, form: str) -> None:
    head, rows = SESSIONS[form]
    log = read(tmp_path, head, rows, cooperate="C")
    assert players(log) == ["1-1", "1-2", "2-1", "2-2"]
    assert played(log) == [(ONE, TWO), (ONE, TWO)]
    assert any("begin anew" in note for note in log.provenance["notes"])


@pytest.mark.parametrize("form", sorted(set(SESSIONS) - {"our names"}))
def test_a_kept_mapping_tells_people_apart_alike(tmp_path: Path, form: str) -> None:
    head, rows = SESSIONS[form]
    log = read(tmp_path, head, rows)
    again = read(tmp_path, head, rows, mapping=LogMapping.model_validate(log.provenance["mapping"]))
    assert (players(again), played(again)) == (players(log), played(log))


@pytest.mark.parametrize(
    "head", ["dyad,subject,round,choice", "group_id,id,period,decision", "paar,player,round,choice"]
)
@pytest.mark.parametrize("ids", [(1, 2), ("A", "B"), ("P1", "P2")], ids=str)
def test_numbers_within_a_dyad_are_other_people_in_the_next_one(tmp_path, head, ids):
    log = read(tmp_path, head, by_subject((1, 2, 3), ids), cooperate="C")
    assert players(log) == sorted(f"{dyad}-{one}" for dyad in (1, 2, 3) for one in ids)
    assert played(log) == [(ONE, TWO)] * 3
    assert any("numbers begin anew in each" in note for note in log.provenance["notes"])
    same = read(
        tmp_path, head, by_subject((1, 2, 3), ids), cooperate="C", mapping=f"by={head.partition(',')[0]}"
    )
    assert players(same) == sorted(map(str, ids))
    again = read(
        tmp_path,
        head,
        by_subject((1, 2, 3), ids),
        mapping=LogMapping.model_validate(log.provenance["mapping"]),
    )
    assert (players(again), played(again)) == (players(log), played(log))


def test_members_of_a_group_stay_the_same_in_its_matches(tmp_path: Path) -> None:
    rows = [(group, match, *row) for group in (1, 2) for match, *row in by_subject((1, 2, 3))]
    log = read(tmp_path, "group,match,subject,round,choice", rows, cooperate="C")
    assert players(log) == ["1-1", "1-2", "2-1", "2-2"]
    assert played(log) == [(ONE, TWO)] * 6


@pytest.mark.parametrize("code", ["participant_code,", ""])
@pytest.mark.parametrize("place", ["id_in_group", "player.id_in_group", "number in pair"])
def test_a_place_within_the_group_is_a_seat(tmp_path: Path, code: str, place: str) -> None:
    rows = [(*((f"x{g}{n}",) if code else ()), g, n, t, move) for g, n, t, move in by_subject((1, 2))]
    log = read(tmp_path, f"{code}group_id,{place},round,choice", rows, cooperate="C")
    assert played(log) == [(ONE, TWO)] * 2
    assert players(log) == (["x11", "x12", "x21", "x22"] if code else [])


def test_two_subjects_of_several_matches_are_two(tmp_path: Path) -> None:
    log = read(tmp_path, "match,subject,round,choice", by_subject((1, 2, 3)), cooperate="C")
    assert players(log) == ["1", "2"]


def test_names_are_the_same_people_in_all_sessions(tmp_path: Path) -> None:
    log = read(tmp_path, "session,subject,round,choice", by_subject((1, 2), ("ann", "bob")))
    assert players(log) == ["ann", "bob"]


@pytest.mark.parametrize("head", ["date,match,subject,period,choice", "date,game_id,player,round,action"])
def test_a_time_of_each_row_is_no_session(tmp_path: Path, head: str) -> None:
    rows = [(f"2026-01-05 10:00:{i:02}", 1, n, t, a) for i, (_, n, t, a) in enumerate(by_subject((1,)))]
    log = read(tmp_path, head, rows, cooperate="C")
    assert players(log) == ["1", "2"]
    assert played(log) == [(ONE, TWO)]


def test_numbers_that_go_on_are_the_same_people_in_all_treatments(tmp_path: Path) -> None:
    rows = [
        (treatment, match, n, m, t, a)
        for treatment, match in (("lo", 1), ("hi", 2))
        for one, two in ((1, 2), (3, 4))
        for n, m, moves in ((one, two, ONE), (two, one, TWO))
        for t, a in enumerate(moves, start=1)
    ]
    log = read(tmp_path, "treatment,match,subject,partner,round,choice", rows)
    assert players(log) == ["1", "2", "3", "4"]
    assert len(log.games) == 4


@pytest.mark.parametrize(
    ("head", "column", "places"),
    [
        ("treatment,subject,round,choice", "treatment", ("lo", "hi")),
        ("condition,subject,round,choice", "condition", (1, 2)),
        ("condition,player,round,action", "condition", ("x", "y")),
    ],
)
def test_numbers_that_come_back_in_treatments_are_asked(
    tmp_path: Path, head: str, column: str, places: tuple[object, ...]
) -> None:
    rows = by_subject(places)
    line = refusal(tmp_path, head, rows)
    assert f"come back in each {column}" in line
    assert line.endswith(f"give --map session={column} or --map by={column}")
    others = read(tmp_path, head, rows, mapping=f"session={column}")
    same = read(tmp_path, head, rows, mapping=f"by={column}")
    assert len(players(others)) == 4
    assert players(same) == ["1", "2"]
    assert played(others) == played(same) == [(ONE, TWO), (ONE, TWO)]


def test_sessions_are_not_forgotten_by_the_plain_format(tmp_path: Path) -> None:
    rows = by_subject(("lo", "hi"))
    line = refusal(
        tmp_path, "treatment,player,round,action", rows, mapping="session=treatment", format="tidy"
    )
    assert line.endswith("--map session=NAME is not for --format tidy: leave that out")


def test_a_column_of_any_name_that_tells_rows_apart_is_asked(tmp_path: Path) -> None:
    rows = [
        (delta, n, m, t, a)
        for delta in (0.5, 0.75)
        for n, m, moves in ((1, 2, ONE), (2, 1, TWO), (3, 4, ONE), (4, 3, TWO))
        for t, a in enumerate(moves, start=1)
    ]
    line = refusal(tmp_path, "delta,subject,partner,round,choice", rows)
    assert line.endswith("give --map session=delta or --map by=delta")


@pytest.mark.parametrize("options", [{"cooperate": "C"}, {"cooperate": "C", "payoff_kind": "reward"}])
def test_supergames_whose_periods_go_on_are_games(tmp_path: Path, options: dict[str, object]) -> None:
    rows = [
        (match, 4 * (match - 1) + t, n, m, a)
        for match in (1, 2)
        for n, m, moves in ((1, 2, ONE), (2, 1, TWO), (3, 4, ONE), (4, 3, TWO))
        for t, a in enumerate(moves, start=1)
    ]
    log = read(tmp_path, "supergame,period,subject,partner,choice", rows, **options)
    assert len(log.games) == 4
    assert sorted(played(log)) == [(ONE, TWO)] * 4
    assert set(log.moves["round"]) == {1, 2, 3, 4}


ZTREE = [
    (session, 4 * (match - 1) + t, subject, group, match, move)
    for session in (1, 2)
    for match, met in ((1, ((1, 2), (3, 4))), (2, ((1, 3), (2, 4))), (3, ((1, 4), (2, 3))))
    for group, pair in enumerate(met, 1)
    for subject, moves in zip(pair, (ONE, TWO), strict=True)
    for t, move in enumerate(moves, 1)
]
"""Three matches of a session, whose periods run on, between subjects who meet anew in each."""


@pytest.mark.parametrize("last", [1, 2], ids=["from the first match", "of later matches"])
def test_rounds_that_run_on_over_a_session_begin_with_one_in_each_game(tmp_path, last):
    rows = [row for row in ZTREE if row[4] >= last]
    log = read(tmp_path, "Session,Period,Subject,Group,Match,Decision", rows, cooperate="C")
    assert played(log) == [(ONE, TWO)] * 4 * (4 - last)
    assert set(log.moves["round"]) == {1, 2, 3, 4}
    assert any(
        note.startswith("rounds run on over the games of a player") for note in log.provenance["notes"]
    )


def test_games_that_lack_their_first_rounds_are_counted(tmp_path: Path) -> None:
    rows = [(s, n, t + 2 * (s == 2), move) for s, n, t, move in by_subject((1, 2, 3), ("ann", "bob"))]
    log = read(tmp_path, "match,subject,round,choice", rows, cooperate="C")
    assert log.moves.groupby("game_id", observed=True)["round"].min().tolist() == [1, 3, 1]
    assert (
        "1 of 3 games begin after round 1: what was played before counts as unknown"
        in log.provenance["notes"]
    )


SEATED = [(g, t, *names, a, b) for g, names in enumerate((("ann", "bob"), ("cid", "ann")))
          for t, (a, b) in enumerate(zip(ONE, TWO, strict=True), 1)]  # fmt: skip


@pytest.mark.parametrize(
    "head",
    [
        "game,round,A,B,A_choice,B_choice",
        "game,round,left,right,left_move,right_move",
        "game,round,row,col,row_choice,col_choice",
        "game,round,1,2,choice_1,choice_2",
        "game,round,p1_name,p2_name,p1_choice,p2_choice",
    ],
)
def test_columns_called_as_the_seats_are_name_the_players(tmp_path: Path, head: str) -> None:
    log = read(tmp_path, head, SEATED)
    assert log.seats["player"].tolist() == ["ann", "bob", "cid", "ann"]
    assert not [name for name in (*log.seat_conditions, *log.conditions) if not name.strip()]


def test_what_both_seats_may_be_called_is_their_model(tmp_path: Path) -> None:
    rows = [(*row[:2], *(("gpt", "gpt") if row[0] else ("gpt", "claude")), *row[4:]) for row in SEATED]
    log = read(tmp_path, "game,round,A,B,A_choice,B_choice", rows)
    assert log.seats["model"].tolist() == ["gpt", "claude", "gpt", "gpt"]
    assert players(log) == []


@pytest.mark.parametrize("head", ["A,B,A_r1,B_r1,A_r2,B_r2,A_r3,B_r3,A_r4,B_r4", "A,B,A_moves,B_moves"])
def test_seats_name_the_players_of_wide_tables(tmp_path: Path, head: str) -> None:
    moves = [m for pair in zip(ONE, TWO, strict=True) for m in pair] if "r1" in head else [ONE, TWO]
    log = read(tmp_path, head, [("ann", "bob", *moves), ("cid", "ann", *moves)])
    assert log.seats["player"].tolist() == ["ann", "bob", "cid", "ann"]


def test_amounts_in_columns_called_as_the_seats_have_a_name(tmp_path: Path) -> None:
    rows = [(g, t, t * 1.5, t, a, b) for g, t, _, _, a, b in SEATED]
    log = read(tmp_path, "game,round,A,B,A_choice,B_choice", rows)
    assert "a_b" in log.moves


PEOPLE = [(g, t, a, b) for g, t, _, _, a, b in SEATED]


def test_people_and_machines_are_two_players(tmp_path: Path) -> None:
    log = read(tmp_path, "session,round,human_action,ai_action", PEOPLE)
    assert played(log) == [(ONE, TWO), (ONE, TWO)]
    assert log.seats["side"].tolist() == ["human", "ai"] * 2
    named = read(tmp_path, "participant,round,user_choice,bot_choice", PEOPLE)
    assert named.seats["player"].fillna("").tolist() == ["0", "", "1", ""]


def test_moves_of_two_names_are_asked_for_both(tmp_path: Path) -> None:
    head = "game,round,gpt4_move,claude_move,gpt4_points,claude_points"
    rows = [(*row, {"CC": 3, "CD": 0, "DC": 5, "DD": 1}[row[2] + row[3]],
             {"CC": 3, "CD": 5, "DC": 0, "DD": 1}[row[2] + row[3]]) for row in PEOPLE]  # fmt: skip
    assert refusal(tmp_path, head, rows).endswith('give --map "action=gpt4_move|claude_move"')
    log = read(tmp_path, head, rows, mapping="action=gpt4_move|claude_move")
    assert played(log) == [(ONE, TWO), (ONE, TWO)]
    assert log.seats["side"].tolist() == ["gpt4", "claude"] * 2
    assert log.moves["payoff"].notna().all()


@pytest.mark.parametrize("options", [{}, {"cooperate": "C"}])
def test_moves_of_one_side_alone_are_no_games(tmp_path: Path, options: dict[str, object]) -> None:
    line = refusal(
        tmp_path, "game,round,gpt4_move,claude_move", PEOPLE, mapping="action=gpt4_move", **options
    )
    assert "no game has a second player" in line
    assert '--map "action=gpt4_move|NAME"' in line
    alone = [(g, t, f"p{g}", a) for g, t, a, _ in PEOPLE]
    line = refusal(tmp_path, "game_id,round,player,action", alone, **options)
    assert "no game has a second player" in line


def lagged(other: str = "partner_coop_lag") -> tuple[str, list[tuple[object, ...]]]:
    rows = []
    for game in (1, 2, 3):
        for number, own, met in ((2 * game, ONE, TWO), (2 * game + 1, TWO, ONE)):
            before = ["", *met[:-1]]
            rows += [
                (game, f"s{number}", t, a, b) for t, (a, b) in enumerate(zip(own, before, strict=True), 1)
            ]
    return f"match,subject,round,choice,{other}", rows


@pytest.mark.parametrize("name", ["partner_choice_lag", "last_other_choice"])
def test_moves_of_the_last_round_are_not_read_where_both_have_rows(tmp_path: Path, name: str) -> None:
    log = read(tmp_path, *lagged(name))
    assert played(log) == [(ONE, TWO)] * 3
    assert log.seats["focal"].all()
    assert len(players(log)) == 6


def test_moves_of_the_last_round_are_read_where_one_has_rows(tmp_path: Path) -> None:
    head, rows = lagged("partner_choice_lag")
    log = read(tmp_path, head, [row for row in rows if row[1] in ("s2", "s4", "s6")])
    assert played(log) == [(ONE, TWO[:-1])] * 3


PENALTIES = {"CC": 1, "CD": 10, "DC": 0, "DD": 5}


def test_penalties_by_the_names_of_actions_alone_are_asked(tmp_path: Path) -> None:
    def rows(swap: bool = False) -> list[tuple[object, ...]]:
        rows = []
        for game in (1, 2):
            for n, own, met in ((1, "CDCD", "CCDD"), (2, "CCDD", "CDCD")):
                rows += [(game, f"g{game}p{n}", t, a, PENALTIES[a + b])
                         for t, (a, b) in enumerate(zip(own, met, strict=True), 1)]  # fmt: skip
        return rows

    line = refusal(tmp_path, "game_id,player,round,action,payoff", rows())
    assert line.endswith("give --payoff-kind penalty or --cooperate D")
    penal = read(tmp_path, "game_id,player,round,action,payoff", rows(), payoff_kind="penalty")
    assert set(penal.games["cooperative_action"]) == {"C"}
    reward = read(tmp_path, "game_id,player,round,action,payoff", rows(), cooperate="D")
    assert set(reward.games["cooperative_action"]) == {"D"}
    named = read(tmp_path, "game_id,player,round,action,years", rows())
    assert set(named.games["payoff_kind"]) == {"penalty"}


SPELT = {
    "long": ("game_id,player,round,action", lambda a, b, t: [("g", "p", t, a), ("g", "q", t, b)]),
    "other names": ("match,subject,period,choice", lambda a, b, t: [("g", "p", t, a), ("g", "q", t, b)]),
    "both": ("match,round,A_choice,B_choice", lambda a, b, t: [("g", t, a, b)]),
}


@pytest.mark.parametrize("form", SPELT)
def test_labels_that_differ_in_case_and_blanks_are_one_action(tmp_path: Path, form: str) -> None:
    head, row = SPELT[form]
    own = ["Cooperate", "cooperate ", "COOPERATE", "Defect", "NaN", "N/A"]
    met = [" defect", "Defect", "Cooperate", "Cooperate", "defect", "DEFECT"]
    rows = [line for t, (a, b) in enumerate(zip(own, met, strict=True), 1) for line in row(a, b, t)]
    log = read(tmp_path, head, rows)
    assert log.moves["action"].nunique() == 2
    assert played(log) == [("CCCD", "DDCCDD")]
    assert int((log.moves["status"] == "missing").sum()) == 2
    assert any("read as one action" in note for note in log.provenance["notes"])


def test_one_spelling_for_each_action() -> None:
    assert spellings({"C": 3, "c": 5, "D": 1}) == {"C": "c", "c": "c", "D": "D"}
    assert spellings({"C": 3, "c": 5, "D": 1}, {"C"}) == {"C": "C", "c": "C", "D": "D"}
    assert spellings({"1": 1, "1.0": 9, "0": 1}) == {"1": "1", "1.0": "1", "0": "0"}
    assert spellings({"a": 1, "A": 9}) == {"a": "a", "A": "A"}
    assert spellings({"coop": 1, "Coop": 9}) == {"coop": "Coop", "Coop": "Coop"}
    assert spellings({"rock": 1, "paper": 1, "scissors": 1}) == {w: w for w in ("rock", "paper", "scissors")}


def test_signs_stand_for_no_move_beside_two_actions_alone() -> None:
    assert words_for_no_move(["C", "D", ".", "-", "NA"], None) == ["NA", ".", "-"]
    assert words_for_no_move(["+", "-", "NA"], None) == ["NA"]


def test_names_of_seats_may_be_any_words() -> None:
    names = ["gpt4_move", "claude_move", "gpt4_points", "claude_points", "round"]
    columns = columns_of(TidyTable({name: ["x"] for name in names}, lambda row: None, lambda row: ""))
    seats = seating_of("gpt4_move", "claude_move", columns)
    assert seats is not None
    assert seats.marks == ("gpt4", "claude")
    assert [tuple(c.name for c in pair) for pair in seats.columns.values()] == [
        ("gpt4_move", "claude_move"),
        ("gpt4_points", "claude_points"),
    ]
    assert seating_of("my_move", "other_move", columns) is None
    assert seating_of("alice", "bob", columns) is None


@pytest.mark.parametrize("name", ["p1_id", "player_1_name", "agent2.id"])
def test_a_name_of_a_seat_is_its_player(name: str) -> None:
    assert (sense_of(name).role, sense_of(name).seat) == ("player", int("2" in name) + 1)


def test_the_number_of_a_partner_is_the_other_player() -> None:
    assert (sense_of("partner_id").role, sense_of("partner_id").whose) == ("player", "other")
