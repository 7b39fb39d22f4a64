"""Whole games in a cell: of one player, of both, with payoffs; and what is no such cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.errors import DataError
from intent.logs.importer.importing import import_log
from intent.logs.readers import read_log

ANN, BOB = "CCDC", "DCCD"
PAIRS = [[a, b] for a, b in zip(ANN, BOB, strict=True)]


def moves(path: Path, text: str, **options: str) -> list[str]:
    """The moves of each seat of each game in order, as letters."""
    path.write_text(text, encoding="utf-8")
    table = read_log(path, **options).moves.sort_values(["game_id", "seat", "round"], kind="stable")
    groups = table["action"].astype(str).groupby([table["game_id"].astype(str), table["seat"]])
    return groups.agg("".join).tolist()


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("game_id,p1,p2,p1_moves,p2_moves", f"ann,bob,{ANN},{BOB}"),
        ("game_id,p1,p2,p1_moves,p2_moves", f'ann,bob,"{",".join(ANN)}","{",".join(BOB)}"'),
        ("game_id,p1,p2,actions1,actions2", "ann,bob," + ",".join(f'"{[*m]}"' for m in (ANN, BOB))),
        (
            "game_id,p1,p2,actions1,actions2",
            "ann,bob," + ",".join('"[""' + '"", ""'.join(m) + '""]"' for m in (ANN, BOB)),
        ),
        ("game_id,p1,p2,history", "ann,bob,CD CC DC CD"),
        ("game_id,p1,p2,history", "ann,bob,C-D C-C D-C C-D"),
        ("game_id,p1,p2,history", 'ann,bob,"C,D;C,C;D,C;C,D"'),
        ("game_id,p1,p2,history", f'ann,bob,"{PAIRS}"'),
        ("game_id,p1,p2,history", f'ann,bob,"{[*map(tuple, PAIRS)]}"'),
        ("game_id,p1,p2,history", f'ann,bob,"{[[*ANN], [*BOB]]}"'),
        ("game_id,subject,opponent,history", "ann,bob,CD CC DC CD"),
    ],
)
def test_whole_games_in_cells(head: str, cells: str, tmp_path: Path) -> None:
    assert moves(tmp_path / "a.csv", f"{head}\n7,{cells}\n") == [ANN, BOB]
    log = read_log(tmp_path / "a.csv")
    assert log.games["game_id"].tolist() == ["7"]
    assert log.seats["player"].tolist() == ["ann", "bob"]


def test_payoffs_of_all_rounds_say_which_option_is_cooperation(tmp_path: Path) -> None:
    text = (
        "match,player1,player2,choices1,choices2,points1,points2\n"
        '1,a,b,XXYY,XYXY,"[3, 0, 5, 1]","[3, 5, 0, 1]"\n'
    )
    assert moves(tmp_path / "a.csv", text) == ["XXYY", "XYXY"]
    log = read_log(tmp_path / "a.csv")
    assert log.games["cooperative_action"].tolist() == ["X"]
    assert log.moves.sort_values(["seat", "round"])["payoff"].tolist() == [3, 0, 5, 1, 3, 5, 0, 1]


def test_models_of_both_seats_are_models(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"game,model_1,model_2,moves_1,moves_2\n1,gpt,claude,{ANN},{BOB}\n")
    assert read_log(path).seats["model"].tolist() == ["gpt", "claude"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (  # each list may be a round or a player
            "game,p1,p2,history\n" + "".join(f"{g},a,b,\"[['C', 'D'], ['D', 'D']]\"\n" for g in (1, 2)),
            "give",
        ),
        (  # both moves are not one player's, and nobody says who the other one is
            "pair,p1,p2,moves1,moves2,moves3\n1,a,b,CCD,DDC,CCC\n2,a,c,CDD,DDD,CCD\n",
            'whole games, and nothing says which two .* give --map "action=moves1|moves2"',
        ),
        (
            "p1,p2,moves1,moves2\na,b,CCDC,CCD\na,c,CCD,CCDD\n",
            "different numbers of moves in 2 of 2 rows",
        ),
        ("game,p1,p2,history\n1,a,b,CD CC XY\n2,a,b,CZ CC DD\n", "give"),
    ],
)
def test_what_is_not_sure_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=says.replace("|", r"\|")) as error:
        read_log(path)
    assert "\n" not in str(error.value)


def test_the_user_says_which_columns_hold_the_games(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"pair,p1,p2,moves1,moves2,best\n1,a,b,{ANN},{BOB},CCCC\n2,a,c,{BOB},{ANN},CCCC\n")
    assert moves(path, path.read_text(), mapping="action=moves1|moves2") == [ANN, BOB, BOB, ANN]


def test_a_mapping_of_games_in_cells_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("game,p1,p2,history\n1,a,b,CD CC DC\n")
    kept = import_log(path).mapping
    assert kept is not None
    assert kept.columns["action"] == "history | history"
    (tmp_path / "kept.yaml").write_text(kept.to_yaml())
    assert moves(
        tmp_path / "b.csv", "game,p1,p2,history\n1,c,d,DD CC\n", mapping=str(tmp_path / "kept.yaml")
    ) == [
        "DC",
        "DC",
    ]


def test_of_many_columns_of_lists_those_that_are_called_actions_are_the_moves(tmp_path: Path) -> None:
    """A table of models with scores, messages, judged intentions and truthfulness, each a list a game."""
    words = {"C": "cooperate", "D": "defect"}
    scores = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}
    pays = [scores[a + b] for a, b in PAIRS]
    cells = {
        "model_name_1": "gpt-4o-mini",
        "model_name_2": "gpt-4o-mini",
        "agent_1_scores": [own for own, _ in pays],
        "agent_2_scores": [other for _, other in pays],
        "agent_1_messages": ["Let's cooperate!"] * 4,
        "agent_2_messages": ["What's next?"] * 4,
        "agent_1_actions": [words[a] for a in ANN],
        "agent_2_actions": [words[b] for b in BOB],
        "total_rounds": 4,
        "intent_agent_1": ["cooperate"] * 4,
        "intent_agent_2": ["cooperate"] * 4,
        "truthful_agent_1": [a == "C" for a in ANN],
        "truthful_agent_2": [b == "C" for b in BOB],
    }
    row = ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells.values())
    text = f"{','.join(cells)}\n{row}\n{row}\n"
    assert moves(tmp_path / "a.csv", text) == ["".join(words[m] for m in side) for side in (ANN, BOB)] * 2
    log = read_log(tmp_path / "a.csv")
    assert log.seats["model"].tolist() == ["gpt-4o-mini"] * 4
    assert log.moves["payoff"].tolist() == [pay for pair in pays for pay in pair] * 2
    assert log.games["cooperative_action"].unique().tolist() == ["cooperate"]


def test_what_is_asked_of_lists_names_no_models_and_no_payoffs(tmp_path: Path) -> None:
    text = "model_1,model_2,a_scores,b_scores,left,right,far\n" + (
        'gpt-4o-mini,gpt-4o-mini,"[3, 0, 1]","[3, 5, 1]","[x, y, x]","[y, y, x]","[x, x, x]"\n' * 2
    )
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="columns left, right, far hold whole games"):
        read_log(tmp_path / "a.csv")
