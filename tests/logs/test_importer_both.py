"""Tables with a row per round and a column for each player, as the importer reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent import GameLog, read_log
from intent.base.errors import DataError
from intent.logs.gamelog import Rejects
from intent.logs.importer.columns import columns_of
from intent.logs.importer.mapping import read_mapping
from intent.logs.importer.shapes import SHAPES
from intent.logs.readers.arrays import open_table
from intent.logs.readers.reader import Settings, Source

PLAY = [("m1", "CCD", "CDD"), ("m2", "DC", "CC")]
"""Match, moves of seat 1, moves of seat 2."""


def read(folder: Path, text: str, **options: str) -> GameLog:
    path = folder / "both.csv"
    path.write_text(text, encoding="utf-8")
    return read_log(path, format="import", **options)  # type: ignore[arg-type]


def refusal(folder: Path, text: str, **options: str) -> str:
    with pytest.raises(DataError) as stopped:
        read(folder, text, **options)
    assert "\n" not in str(stopped.value)
    return str(stopped.value)


def play(log: GameLog) -> dict[str, str]:
    """Game and seat -> the moves in the order of rounds, - where one is missing."""
    moves = (
        log.moves.astype({"action": object}).fillna({"action": "-"}).sort_values(["game_id", "round", "seat"])
    )
    return {
        f"{g}:{s}": "".join(part["action"])
        for (g, s), part in moves.groupby(["game_id", "seat"], observed=True)
    }


def rows(head: str, lines: list[str]) -> str:
    return "\n".join([head, *lines]) + "\n"


def laid_out(head: str, *, sep: str = ",") -> str:
    lines = [
        sep.join((match, str(t), a, b))
        for match, one, two in PLAY
        for t, (a, b) in enumerate(zip(one, two, strict=True), start=1)
    ]
    return rows(head.replace(",", sep), lines)


NAMES = [
    "agent1_move,agent2_move",
    "answer1,answer2",
    "p1_choice,p2_choice",
    "row_action,col_action",
    "choice_A,choice_B",
    "a_move,b_move",
    "player_1_action,player_2_action",
    "P1Decision,P2Decision",
    "first_action,second_action",
    "agent0_action,agent1_action",
    "c1,c2",
    "player1,player2",
]


@pytest.mark.parametrize("names", NAMES)
def test_a_column_for_each_seat_under_any_naming(tmp_path: Path, names: str) -> None:
    log = read(tmp_path, laid_out(f"match,round,{names}"))
    assert play(log) == {"m1:1": "CCD", "m1:2": "CDD", "m2:1": "DC", "m2:2": "CC"}
    assert set(log.games["cooperative_action"]) == {"C"}


def test_rows_of_a_match_may_stand_in_any_order(tmp_path: Path) -> None:
    lines = laid_out("match,round,move_a,move_b").splitlines()
    log = read(tmp_path, rows(lines[0], lines[:0:-1]))
    assert play(log) == {"m1:1": "CCD", "m1:2": "CDD", "m2:1": "DC", "m2:2": "CC"}


def test_without_a_match_a_game_begins_where_players_change_or_rounds_start_again(tmp_path: Path) -> None:
    text = rows(
        "round,p1,p2,p1_choice,p2_choice",
        ["1,x,y,C,D", "2,x,y,D,D", "1,x,y,C,C", "2,x,y,C,C", "1,y,x,D,C", "2,y,x,D,D"],
    )
    log = read(tmp_path, text)
    assert play(log) == {
        "both-1:1": "CD",
        "both-1:2": "DD",
        "both-2:1": "CC",
        "both-2:2": "CC",
        "both-3:1": "DD",
        "both-3:2": "CD",
    }
    assert log.games["repetition"].tolist() == [1, 2, 1]
    assert log.seats["player"].tolist() == ["x", "y", "x", "y", "y", "x"]


def test_players_who_change_seats_within_a_match_keep_the_first_ones(tmp_path: Path) -> None:
    text = rows("match,round,p1,p2,p1_move,p2_move", ["m,1,x,y,C,D", "m,2,y,x,C,D", "m,3,x,y,D,C"])
    log = read(tmp_path, text)
    assert play(log) == {"m:1": "CDD", "m:2": "DCC"}
    assert log.seats["player"].tolist() == ["x", "y"]
    assert any("change seats within a match in 1 rows" in note for note in log.provenance["notes"])


def test_match_numbers_that_repeat_between_sessions(tmp_path: Path) -> None:
    head = "session,match,round,move_1,move_2"
    lines = [f"{s},{m},{t},{'CD'[t - 1]},C" for s in "ab" for m in (1, 2) for t in (1, 2)]
    log = read(tmp_path, rows(head, lines))
    assert play(log) == {
        f"{m}-{s}:{seat}": "CD" if seat == 1 else "CC" for s in "ab" for m in (1, 2) for seat in (1, 2)
    }


def test_without_a_round_the_rows_of_a_match_in_their_order(tmp_path: Path) -> None:
    text = rows("match,move_1,move_2", ["m,C,D", "m,D,D", "n,C,C"])
    log = read(tmp_path, text)
    assert play(log) == {"m:1": "CD", "m:2": "DD", "n:1": "C", "n:2": "C"}
    assert any(
        "the rows of a match in their order are its rounds" in note for note in log.provenance["notes"]
    )
    mixed = rows("match,move_1,move_2", ["m,C,D", "n,C,C", "m,D,D"])
    assert "the rows of a match do not stand together: give --map round=NAME" in refusal(tmp_path, mixed)


def test_a_column_of_one_seat_alone_is_of_that_seat(tmp_path: Path) -> None:
    text = rows(
        "match,round,agent1_move,agent2_move,agent1_reasoning,agent2_reasoning,agent2_message,agent1_temperature",
        ["m,1,C,D,why,because,hello,0.2", "m,2,C,D,,so,,0.2"],
    )
    log = read(tmp_path, text)
    moves = log.moves.astype(object).where(log.moves.notna(), None)
    assert moves["reasoning"].tolist() == ["why", "because", None, "so"]
    assert moves["message"].tolist() == [None, "hello", None, None]
    assert log.seats["agent1_temperature"].tolist()[0] == 0.2
    assert log.seats["agent1_temperature"].isna().tolist() == [False, True]


def test_bad_rows_are_listed_once_and_good_ones_stay(tmp_path: Path) -> None:
    more = [f"m3,{t},C,D" for t in range(1, 9)]
    text = (
        laid_out("match,round,agent1_move,agent2_move")
        + "m2,x,C,C\nm1,3,C,C\nm2,3,C,\n"
        + rows(more[0], more[1:])
    )
    log = read(tmp_path, text)
    assert list(play(log).values())[:4] == ["CCD", "CDD", "DCC", "CC-"]
    assert log.rejects[["line", "reason"]].to_numpy().tolist() == [
        [7, "round is 'x', expected a whole number from 1 to 100000"],
        [8, "a second row for match m1, round 3, expected one"],
    ]


LETTERS = """round,p1,p2,answer1,answer2,points1,points2,option1,option2,option_order
1,x,y,K,K,3,3,K,I,"[0, 1]"
2,x,y,I,K,4,1,K,I,"[1, 0]"
3,x,y,I,I,2,2,K,I,"[1, 0]"
4,x,y,K,I,1,4,K,I,"[0, 1]"
1,x,z,Y,Z,4,1,Z,Y,"[1, 0]"
2,x,z,Z,Y,1,4,Z,Y,"[0, 1]"
3,x,z,Z,Z,3,3,Z,Y,"[1, 0]"
4,x,z,Y,Y,2,2,Z,Y,"[0, 1]"
"""


def test_labels_by_row_are_options(tmp_path: Path) -> None:
    log = read(tmp_path, LETTERS)
    assert play(log) == {"both-1:1": "1221", "both-1:2": "1122", "both-2:1": "2112", "both-2:2": "1212"}
    assert log.moves["letter"].tolist()[:4] == ["K", "K", "I", "K"]
    assert set(log.games["cooperative_action"]) == {"1"}
    assert log.games["payoffs"].iloc[0] == '{"1,1":[3,3],"1,2":[1,4],"2,1":[4,1],"2,2":[2,2]}'


def test_payoffs_decide_that_the_order_numbers_the_options(tmp_path: Path) -> None:
    swap = str.maketrans("KIZY", "IKYZ")
    lines = [
        line.translate(swap) if "[1, 0]" in line and i else line
        for i, line in enumerate(LETTERS.splitlines())
    ]
    fixed = [line.replace(",I,K,", ",K,I,").replace(',Y,Z,"', ',Z,Y,"') for line in lines]
    text = "\n".join(
        ",".join((*line.split(",")[:7], *original.split(",")[7:]))
        for line, original in zip(fixed, LETTERS.splitlines(), strict=True)
    )
    log = read(tmp_path, text + "\n")
    assert play(log)["both-1:1"] == "1221"
    assert any("in the order of option_order" in note for note in log.provenance["notes"])


def test_without_payoffs_that_tell_it_is_asked_what_numbers_the_options(tmp_path: Path) -> None:
    lines = [",".join((*line.split(",")[:5], *line.split(",")[7:])) for line in LETTERS.splitlines()]
    text = "\n".join(lines) + "\n"
    line = refusal(tmp_path, text)
    assert '--map "option=option1|option2" or --map order=option_order' in line
    by_column = read(tmp_path, text, mapping="option=option1|option2", cooperate="1")
    by_order = read(tmp_path, text, mapping="order=option_order", cooperate="1")
    assert play(by_column)["both-1:1"] == "1221"
    assert play(by_order)["both-1:1"] == "1111"


def test_a_third_letter_in_a_row_is_rejected_and_many_are_absurd(tmp_path: Path) -> None:
    again = "".join(LETTERS.splitlines(keepends=True)[1:])
    log = read(tmp_path, LETTERS + again + '5,x,z,Q,Y,2,2,Z,Y,"[0, 1]"\n')
    assert log.rejects["reason"].tolist() == ["answer1 is 'Q', expected Z or Y, the labels of its row"]
    many = LETTERS.replace("2,x,y,I,K", "2,x,y,Q,K").replace("1,x,z,Y,Z", "1,x,z,W,Z")
    line = refusal(tmp_path, many, mapping="option=option1|option2")
    assert "2 of 8 rows have an answer that is no label of theirs: answer1 is 'Q', expected K or I" in line


def test_letters_that_change_from_game_to_game_without_their_options_are_refused(tmp_path: Path) -> None:
    cut = "\n".join(",".join(line.split(",")[:7]) for line in LETTERS.splitlines()) + "\n"
    assert 'no column says which option a label is: give --map "option=FIRST|SECOND"' in refusal(
        tmp_path, cut
    )


def test_columns_of_two_people_are_read_where_the_user_says_so(tmp_path: Path) -> None:
    text = laid_out("match,round,alice_move,bob_move")
    assert "hold the same two labels" in refusal(tmp_path, text)
    log = read(tmp_path, text, mapping="action=alice_move|bob_move")
    assert log.seats["side"].tolist() == ["alice", "bob"] * 2
    assert play(log) == {"m1:1": "CCD", "m1:2": "CDD", "m2:1": "DC", "m2:2": "CC"}


TOTALS = """match_id,round,agent1,agent2,agent1_move,agent2_move,agent1_total_score,agent2_total_score
a,1,x,y,C,C,3,3
b,1,x,z,C,D,3,8
b,2,x,z,C,C,3,8
c,1,y,z,D,C,6,1
c,2,y,z,D,D,6,1
d,1,y,z,D,D,1,1
"""


def test_payoffs_are_solved_from_totals_repeated_on_each_row(tmp_path: Path) -> None:
    log = read(tmp_path, TOTALS)
    assert log.games["payoffs"].iloc[0] == '{"C,C":[3,3],"C,D":[0,5],"D,C":[5,0],"D,D":[1,1]}'
    assert set(log.games["payoff_kind"]) == {"reward"}
    assert log.moves["payoff"].tolist() == [3, 3, 0, 5, 3, 3, 5, 0, 1, 1, 1, 1]


def test_totals_that_the_moves_do_not_explain_give_no_payoffs(tmp_path: Path) -> None:
    log = read(tmp_path, TOTALS + "e,1,y,z,C,C,4,4\n")
    assert log.moves["payoff"].isna().all()
    assert any("no payoffs are known" in note for note in log.provenance["notes"])


def test_running_sums_are_dropped_beside_points_and_give_them_where_there_are_none(tmp_path: Path) -> None:
    head = "round,player1,player2,answer1,answer2,points1,points2,total1,total2"
    lines = ["1,x,y,J,J,8,8,8,8", "2,x,y,J,F,0,10,8,18", "3,x,y,F,F,5,5,13,23"]
    log = read(tmp_path, rows(head, lines))
    assert {"total1", "total"}.isdisjoint({*log.games, *log.seats, *log.moves})
    cut = [",".join((*line.split(",")[:5], *line.split(",")[7:])) for line in (head, *lines)]
    alone = read(tmp_path, "\n".join(cut) + "\n", payoff_kind="reward")
    assert alone.moves["payoff"].tolist() == log.moves["payoff"].tolist() == [8, 8, 0, 10, 5, 5]


def test_points_that_contradict_the_moves_are_refused_with_the_column_that_explains_them(
    tmp_path: Path,
) -> None:
    game = {"lo": {"CC": (2, 2), "CD": (0, 3), "DC": (3, 0), "DD": (1, 1)}}
    game["hi"] = {joint: (b * 9 + 1, a * 7) for joint, (a, b) in game["lo"].items()}
    lines = [
        f"{arm}{i},{arm},{t},{joint[0]},{joint[1]},{game[arm][joint][0]},{game[arm][joint][1]}"
        for arm in game
        for i in range(3)
        for t, joint in enumerate(game[arm], start=1)
    ]
    line = refusal(tmp_path, rows("match,arm,round,move_1,move_2,points_1,points_2", lines))
    assert line.endswith(
        "points_1 and points_2 do not follow from move_1 and move_2 in 50% of the rows; they do within arm: "
        "give --map game=arm"
    )


def test_rounds_of_several_games_mixed_without_a_name_are_absurd(tmp_path: Path) -> None:
    lines = [f"{t},{'CD'[g % 2]},C" for t in (1, 2, 3) for g in range(5)]
    line = refusal(tmp_path, rows("round,move_1,move_2", lines))
    assert "games would not begin with the first round: rounds of several games lie mixed" in line


def test_names_of_payoffs_that_contradict_names_of_actions_are_asked_about(tmp_path: Path) -> None:
    lines = ["m,1,C,C,3,3", "m,2,C,D,0,5", "m,3,D,C,5,0", "m,4,D,D,1,1"]
    line = refusal(tmp_path, rows("match,round,move_1,move_2,years_1,years_2", lines))
    assert "years speaks of penalties, by which D would be cooperation and not C" in line
    assert "--payoff-kind reward or --cooperate C" in line


def test_questions_beside_moves_are_the_table_of_answers(tmp_path: Path) -> None:
    text = rows(
        "match,round,agent1_move,agent2_move,agent1_question_1,agent2_question_1,agent1_answer_q1,agent2_answer_q1,"
        "agent1_expected_1,agent2_expected_1,agent1_advice,agent2_advice",
        ["m,1,C,D,rounds,rounds,1,2,1,1,D,C", "m,2,C,D,rounds,rounds,,2,2,2,C,C"],
    )
    log = read(tmp_path, text)
    assert log.questions is not None
    columns = ["round", "seat", "question", "answer", "expected", "correct"]
    answers = log.questions[columns].astype(object).where(log.questions[columns].notna(), None)
    assert answers.to_numpy().tolist() == [
        [1, 1, "rounds", "1", "1", True],
        [2, 1, "rounds", None, "2", None],
        [1, 2, "rounds", "2", "1", False],
        [2, 2, "rounds", "2", "2", True],
    ]
    assert log.moves["advice"].tolist() == ["D", "C", "C", "C"]


def test_a_mapping_that_is_kept_lays_out_the_same_table(tmp_path: Path) -> None:
    text = rows(
        "match,round,agent1_move,agent2_move,agent2_message,agent1_mood,agent2_mood",
        ["m,1,C,D,hello,glad,sad", "m,2,C,D,,glad,sad", "n,1,D,D,so,sad,sad"],
    )
    path = tmp_path / "kept.csv"
    path.write_text(text, encoding="utf-8")
    table = open_table(Source(path), Rejects(path))
    columns = columns_of(table)
    (proposal,) = SHAPES["both"].propose(columns, Settings())
    (tmp_path / "map.yaml").write_text(proposal.mapping.to_yaml(), encoding="utf-8")
    kept = read_mapping(tmp_path / "map.yaml")
    assert kept is not None
    first, second = (SHAPES["both"].lay_out(table, m) for m in (proposal.mapping, kept))
    assert first.columns == second.columns
    assert first.table.columns == second.table.columns
    assert first.table.columns["agent2_message"].to_pylist() == ["", "", "", "hello", "", "so"]
    assert first.table.columns["agent_mood"].to_pylist() == ["glad", "glad", "sad", "sad", "sad", "sad"]


MOVES = st.lists(st.tuples(st.sampled_from("CD"), st.sampled_from("CD")), min_size=1, max_size=6)


@settings(max_examples=25)
@given(
    games=st.lists(MOVES, min_size=1, max_size=5).filter(
        lambda games: len({m for g in games for p in g for m in p}) == 2
    ),
    names=st.sampled_from(NAMES[:-2]),
    data=st.data(),
)
def test_random_play_laid_out_is_read_back(tmp_path_factory, games, names, data) -> None:
    lines = [f"g{i},{t},{a},{b}" for i, game in enumerate(games) for t, (a, b) in enumerate(game, start=1)]
    shuffled = data.draw(st.permutations(lines))
    log = read(tmp_path_factory.mktemp("play"), rows(f"match,round,{names}", shuffled))
    expected = {
        f"g{i}:{s + 1}": "".join(pair[s] for pair in game) for i, game in enumerate(games) for s in (0, 1)
    }
    assert play(log) == expected


@settings(max_examples=25)
@given(games=st.lists(MOVES, min_size=2, max_size=5), data=st.data())
def test_random_play_under_letters_by_row_is_read_back(tmp_path_factory, games, data) -> None:
    joint = {pair for game in games for pair in game}
    points = {("C", "C"): "3,3", ("C", "D"): "1,4", ("D", "C"): "4,1", ("D", "D"): "2,2"}
    lines = []
    for game in games:
        for t, pair in enumerate(game, start=1):
            first, second = data.draw(st.sampled_from(["JF", "FJ", "NB", "KI"]))
            letters = [second if move == "D" else first for move in pair]
            lines.append(f"{t},{letters[0]},{letters[1]},{points[pair]},{first},{second}")
    text = rows("round,answer1,answer2,points1,points2,option1,option2", lines)
    log = read(
        tmp_path_factory.mktemp("letters"),
        text,
        cooperate="1" if {"C"} & {m for p in joint for m in p} else "2",
    )
    got = "".join(log.moves.sort_values(["game_id", "round", "seat"])["action"].astype(str))
    assert len(log) == len(games)
    assert got == "".join("12"["CD".index(move)] for game in games for pair in game for move in pair)


@pytest.mark.data
def test_games_between_models_with_letters_by_row(data_dir: Path) -> None:
    folder = data_dir / "repeatedgames"
    logs = {n: read_log(folder / f"game_{n}.csv", format="import") for n in (1, 67, 101)}
    assert {(len(log), len(log.moves), len(log.rejects)) for log in logs.values()} == {(25, 500, 0)}
    payoffs = {n: log.games["payoffs"].iloc[0] for n, log in logs.items()}
    assert payoffs[67] == '{"1,1":[3,3],"1,2":[1,4],"2,1":[4,1],"2,2":[2,2]}'
    assert payoffs[1] == '{"1,1":[3,4],"1,2":[2,3],"2,1":[4,2],"2,2":[1,1]}'
    assert set(logs[67].games["cooperative_action"]) == {"1"}
    assert logs[101].games["cooperative_action"].isna().all()
    assert logs[67].moves["letter"].nunique() == 4


@pytest.mark.data
def test_totals_of_evolutionary_tournaments_give_the_published_payoffs(data_dir: Path) -> None:
    paths = sorted((data_dir / "strategic_llm_ipd").glob("*.csv.gz"))
    assert len(paths) == 4
    for path in paths:
        log = read_log(path, format="import")
        assert (len(log), len(log.rejects)) == (378, 0)
        assert set(log.games["payoffs"]) == {'{"C,C":[3,3],"C,D":[0,5],"D,C":[5,0],"D,D":[1,1]}'}
        assert set(log.games["cooperative_action"]) == {"C"}
        assert log.moves["reasoning"].notna().any()


def rounds_of_agents(bring: Callable[[str, str], tuple[int, int]]) -> str:
    """A game as JSON: under each round a number of each agent, its decision and its message."""
    rounds = {}
    for number, (one, two) in enumerate(zip("CDCCDDCD" * 2, "CCDCDCDD" * 2, strict=True)):
        first, second = bring(one, two)
        rounds[f"round_{number}"] = {
            "agent 1": first,
            "agent 2": second,
            "agent 1 decision": one,
            "agent 2 decision": two,
            "agent 1 message": {"role": "assistant", "content": f"I will play {one} in {number}"},
            "agent 2 message": {"role": "assistant", "content": "C"},
        }
    return json.dumps(rounds)


def test_numbers_under_the_names_of_seats_that_follow_from_the_moves_are_payoffs(tmp_path: Path) -> None:
    scores = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}
    path = tmp_path / "game.json"
    path.write_text(rounds_of_agents(lambda one, two: scores[one + two]), encoding="utf-8")
    log = read_log(path)
    assert play(log) == {
        f"{log.games['game_id'][0]}:{s}": t * 2 for s, t in ((1, "CDCCDDCD"), (2, "CCDCDCDD"))
    }
    assert log.moves["payoff"].tolist()[:4] == [3, 3, 5, 0]
    assert log.games["cooperative_action"].tolist() == ["C"]
    assert log.moves["message"].tolist()[0] == "I will play C in 0"


def test_numbers_under_the_names_of_seats_that_stay_are_who_sits_there(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(rounds_of_agents(lambda one, two: (17, 23)), encoding="utf-8")
    assert read_log(path, cooperate="C").seats["player"].tolist() == ["17", "23"]


def test_numbers_of_people_whom_their_moves_tell_apart_are_people(tmp_path: Path) -> None:
    """Two games, of people who always cooperate and who always defect: numbers follow from moves."""
    rows = [f"{r},{ids},{m},{m}" for ids, m in (("1,2", "C"), ("3,4", "D")) for r in range(1, 9)]
    log = read(tmp_path, "round,agent 1,agent 2,agent 1 move,agent 2 move\n" + "\n".join(rows), cooperate="C")
    assert log.seats["player"].tolist() == ["1", "2", "3", "4"]


def agents_beside_rounds(episodes: bool) -> str:
    """A file of JSON: of each agent its model and sums, then rounds, of one game or of two in episodes."""
    bring = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}
    score, rounds = [0, 0], []
    for number, (one, two) in enumerate(zip("CDCCDDCD", "CCDCDCDD", strict=True), start=1):
        one_round: dict[str, object] = {"round": number}
        for agent, (move, pays) in enumerate(zip((one, two), bring[one + two], strict=True)):
            score[agent] += pays
            one_round |= {f"agent_{agent}_action": move, f"agent_{agent}_reasoning": f"so {move} {number}"}
            one_round |= {f"agent_{agent}_score": score[agent], f"agent_{agent}_payoff": pays}
        rounds.append(one_round)
    of_agents = {
        f"agent_{agent}": {"model": "llama3", "final_score": score[agent], "cooperation_rate": rate}
        for agent, rate in enumerate((0.5, 0.25))
    }
    facts: dict[str, object] = {"timestamp": "2026-01-20T07:50:34", "elapsed_seconds": 21.5, **of_agents}
    if not episodes:
        return json.dumps(facts | {"num_rounds": 8, "rounds": rounds})
    sums = {"agent_0_episode_score": score[0], "agent_1_episode_score": score[1]}
    parts = [{"episode": number, "rounds": rounds, **sums} for number in (1, 2)]
    return json.dumps(facts | {"rounds_per_episode": 8, "episodes": parts})


@pytest.mark.parametrize("episodes", [False, True])
def test_rates_and_running_sums_are_neither_moves_nor_payoffs(tmp_path: Path, episodes: bool) -> None:
    for number in (1, 2):
        text = agents_beside_rounds(episodes)
        (tmp_path / f"game_2026012{number}_075034.json").write_text(text, encoding="utf-8")
    log = read_log(tmp_path)
    assert sorted(play(log).values()) == ["CCDCDCDD"] * len(log) + ["CDCCDDCD"] * len(log)
    assert len(log) == (4 if episodes else 2)
    assert log.moves.sort_values(["game_id", "seat", "round"])["payoff"].tolist()[:4] == [3, 5, 0, 3]
    assert log.games["cooperative_action"].unique().tolist() == ["C"]
    assert log.seats["model"].unique().tolist() == ["llama3"]


def test_what_was_said_beside_a_move_makes_no_rounds(tmp_path: Path) -> None:
    """Games of one round, with all messages before it as records: a game is a row, whatever was said."""
    pays = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}
    lines = []
    for number, (one, two) in enumerate(zip("CDCDDC" * 3, "CCDDCD" * 3, strict=True)):
        first, second = pays[one + two]
        said = [
            {"role": f"agent_{agent}", "content": f"I play {move}"}
            for agent, move in (("a", one), ("b", two))
        ]
        game = {"episode_id": f"e-{number}", "messages": said * 2, "action_a": one, "action_b": two}
        lines.append(json.dumps(game | {"payoff_a": first, "payoff_b": second}))
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    log = read_log(path)
    assert len(log) == 18
    assert log.games["rounds_played"].unique().tolist() == [1]
    assert any("left out: messages (18 times)" in note for note in log.provenance["notes"])


def test_calls_beside_the_move_of_a_row_are_no_rows(tmp_path: Path) -> None:
    lines = [
        {
            "game": 1,
            "round": number,
            "player": player,
            "decision": move,
            "calls": [{"model": "m", "tokens": 3}] * 2,
        }
        for number, moves in enumerate(zip("CDC", "DDC", strict=True), start=1)
        for player, move in zip("ab", moves, strict=True)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert sorted(play(read_log(path, cooperate="C")).values()) == ["CDC", "DDC"]
