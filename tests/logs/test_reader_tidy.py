"""Long tables: columns by any name, games told apart, opponents known from others' rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log

MAP = "player=id,game=game,round=period,action=choice,other=other.choice,by=treatment"
TABLE = """id,game,period,choice,other.choice,treatment,note
a,1,1,c,d,x,n1
a,1,2,d,d,x,n2
b,1,1,d,c,x,n3
b,1,2,d,d,x,n4
a,2,1,c,c,y,n5
"""


def read(tmp_path: Path, text: str, name: str = "t.csv", **options: object) -> GameLog:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_log(path, **options)  # type: ignore[arg-type]


def test_both_sides_of_a_game_become_one_game(tmp_path: Path) -> None:
    log = read(tmp_path, TABLE, mapping=MAP, cooperate="c")
    assert log.games["game_id"].tolist() == ["1", "2"]
    assert log.games["treatment"].tolist() == ["x", "y"]
    assert log.seats["player"].fillna("?").tolist() == ["a", "b", "a", "?"]
    assert log.seats["focal"].tolist() == [True, True, True, False]
    found = log.trajectories()
    assert (found.own.tolist(), found.other.tolist()) == (
        [[1, 0], [0, 0], [1, -1]],
        [[0, 0], [1, 0], [1, -1]],
    )
    assert log.moves["note"].fillna("-").tolist() == ["n1", "n3", "n2", "n4", "n5", "-"]


def test_other_players_of_the_same_value_are_other_games(tmp_path: Path) -> None:
    text = TABLE.replace("b,1,1,d,c", "b,1,1,d,d")
    log = read(tmp_path, text, mapping=MAP, cooperate="c")
    assert log.games["game_id"].tolist() == ["1-a", "1-b", "2"]
    assert log.seats["focal"].tolist() == [True, False] * 3


def test_yaml_and_dict_mappings_are_the_same(tmp_path: Path) -> None:
    pairs = dict(item.split("=") for item in MAP.split(","))
    (tmp_path / "map.yaml").write_text("\n".join(f"{k}: {v}" for k, v in pairs.items()))
    as_text = read(tmp_path, TABLE, mapping=MAP, cooperate="c")
    assert as_text.equals(read(tmp_path, TABLE, mapping=pairs, cooperate="c"))
    assert as_text.equals(read(tmp_path, TABLE, mapping=str(tmp_path / "map.yaml"), cooperate="c"))


def test_columns_of_our_names_need_no_mapping(tmp_path: Path) -> None:
    text = "game_id\tplayer\tround\taction\ng1\tp\t1\t1\ng1\tq\t1\t0\n"
    log = read(tmp_path, text, cooperate="1")
    assert log.provenance["format"] == "tidy"
    assert log.moves["cooperated"].tolist() == [True, False]


def test_parquet_reads_as_csv_does(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"game": [1, 1], "player": ["p", "q"], "round": [1, 1], "action": [1, 0]}).to_parquet(path)
    table = "game,player,round,action\n1,p,1,1\n1,q,1,0\n"
    log = read_log(path, cooperate="1")
    assert log.moves.drop(columns="game_id").equals(
        read(tmp_path, table, cooperate="1").moves.drop(columns="game_id")
    )


def test_payoffs_and_their_kind_tell_cooperation(tmp_path: Path) -> None:
    rows = ["AA 3 3", "AB 0 5", "BA 5 0", "BB 1 1"]
    lines = ["game,player,round,action,payoff"]
    for number, row in enumerate(rows, start=1):
        play, *pay = row.split()
        lines += [f"g,{p},{number},{play[i]},{pay[i]}" for i, p in enumerate("pq")]
    text = "\n".join(lines)
    with pytest.raises(DataError, match=r"t\.csv: nothing says whether the scores \(A,A: 3,3;"):
        read(tmp_path, text)
    assert set(read(tmp_path, text, payoff_kind="reward").games["cooperative_action"]) == {"A"}
    assert set(read(tmp_path, text, payoff_kind="penalty").games["cooperative_action"]) == {"B"}
    wrong = text + "\ng,p,5,A,9\ng,q,5,A,3\ng,p,6,A,3\ng,q,6,A,3"
    log = read(tmp_path, wrong, payoff_kind="reward")
    assert log.rejects["line"].tolist() == [10, 11]
    assert log.moves["round"].max() == 6


def test_a_named_game_tells_cooperation(tmp_path: Path) -> None:
    text = "game_id,player,round,action\ng,p,1,OptionA\ng,q,1,OptionB\n"
    log = read(tmp_path, text, game="prisoner-dilemma")
    assert log.moves["cooperated"].tolist() == [False, True]
    assert log.games["game"].tolist() == ["prisoner-dilemma"]


def test_a_named_game_that_the_file_does_not_need(tmp_path: Path) -> None:
    text = "game_id,game,player,round,action\ng,pd,p,1,OptionA\ng,pd,q,1,OptionB\n"
    log = read(tmp_path, text, game="chicken")
    assert "--game chicken is not used: the file names its games" in log.provenance["notes"]
    assert set(log.games["cooperative_action"]) == {"OptionB"}
    with pytest.raises(UnknownNameError, match="did you mean chicken"):
        read(tmp_path, text, game="chiken")


def test_games_without_identifier_begin_where_rounds_restart(tmp_path: Path) -> None:
    text = "player,round,action,other\n" + "".join(f"p,{r},c,d\n" for r in (1, 2, 1, 2, 3))
    log = read(tmp_path, text, cooperate="c")
    assert log.games["rounds_played"].tolist() == [2, 3]
    assert log.games["game_id"].is_unique


def test_rounds_from_zero_are_shifted(tmp_path: Path) -> None:
    log = read(tmp_path, "game,player,round,action\ng,p,0,c\ng,q,0,d\n", cooperate="c")
    assert log.moves["round"].tolist() == [1, 1]
    assert "numbered from 0" in log.provenance["notes"][0]


def test_an_empty_action_is_a_missing_move(tmp_path: Path) -> None:
    log = read(tmp_path, "game,player,round,action\ng,p,1,c\ng,q,1,\n", cooperate="c")
    assert log.moves["status"].tolist() == ["parsed", "missing"]
    assert log.moves["cooperated"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("g,p,1,d", "a second row for game g, player p, round 1"),
        ("g,p,x,d", "round is 'x', expected a whole number"),
        ("g,p,1000000000,d", "round is '1000000000', expected 1 to 100000"),
        ("g,p,-1,d", "round is '-1', expected 1 to 100000"),
        ("g,p", "2 fields, expected 4"),
    ],
)
def test_a_bad_row_is_listed_and_the_rest_goes_on(tmp_path: Path, bad: str, says: str) -> None:
    log = read(tmp_path, f"game,player,round,action\ng,p,1,c\ng,q,1,d\n{bad}\ng,p,2,c\n", cooperate="c")
    assert len(log.moves) == 3
    assert log.rejects["line"].tolist() == [4]
    assert says in log.rejects["reason"][0]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"mapping": "player=id,round=perod"}, DataError, r"--map round=perod: .*did you mean period\?"),
        ({"mapping": "plyer=id"}, UnknownNameError, "did you mean player"),
        ({"mapping": "player"}, UsageError, "expected OURS=THEIRS"),
        ({"mapping": "player=id,player=game"}, UsageError, "names 'player' twice"),
        ({"mapping": "player=id,model=id"}, DataError, "two meanings"),
        ({"mapping": "by=treatmnt"}, DataError, "did you mean treatment"),
        ({"mapping": "no.yaml"}, DataError, r"no such mapping file: no\.yaml"),
        ({"mapping": MAP, "cooperate": "C"}, UnknownNameError, "did you mean c"),
        ({"mapping": MAP, "payoff_kind": "years"}, UsageError, "expected reward or penalty"),
        ({"mapping": MAP, "game": "prisoner-dilema"}, UnknownNameError, "did you mean prisoner-dilemma"),
        ({"mapping": MAP, "format": "tidi"}, UnknownNameError, "did you mean tidy"),
    ],
)
def test_options_that_cannot_be(
    tmp_path: Path, options: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        read(tmp_path, TABLE, **options)


def test_names_where_seats_are_numbers_are_those_of_players(tmp_path: Path) -> None:
    text = "game,who,round,action\ng,1,1,c\ng,q,1,d\n"
    log = read(tmp_path, text, mapping="seat=who", cooperate="c")
    assert log.rejects["reason"][0] == (
        "who is 'q', expected a whole number (names of players: --map player=who)"
    )


def test_yaml_that_is_no_mapping(tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text("player: [a, b]")
    with pytest.raises(DataError, match=r"player is .*, expected the name of a column"):
        read(tmp_path, TABLE, mapping=str(tmp_path / "map.yaml"))


def test_an_unknown_table_says_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"t\.csv: no column is known to hold moves, of x, y; give --map round=NAME,action"
    ):
        read(tmp_path, "x,y\n1,2\n")


def test_numbers_chosen_need_no_action(tmp_path):
    path = tmp_path / "goods.csv"
    path.write_text("game,round,player,contribution\ng,1,a,5\ng,1,b,\ng,1,c,20\n")
    log = read_log(path, mapping="value=contribution")
    assert log.moves["value"].tolist()[::2] == [5, 20]
    assert log.moves["status"].tolist() == ["parsed", "missing", "parsed"]
    assert log.skipped() == {"no cooperative action": 1}
