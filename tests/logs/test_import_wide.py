"""Wide tables: a row per player or pair, a column or a letter for each round."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.base.errors import DataError
from intent.logs.importer.wide import families
from intent.logs.readers import read_log

ANN, BOB = "CCDC", "DCCD"


def moves(path: Path, text: str, **options: str) -> list[str]:
    """The moves of each seat in order, as letters; a dot where one is missing."""
    path.write_text(text, encoding="utf-8")
    log = read_log(path, **options)
    table = log.moves.sort_values(["game_id", "seat", "round"], kind="stable")
    letters = table["action"].astype(object).where(table["action"].notna(), ".")
    return letters.groupby([table["game_id"].astype(str), table["seat"]]).agg("".join).tolist()


def rounds(pattern: str, n: int = 4) -> str:
    return ",".join(pattern.replace("#", str(t)) for t in range(1, n + 1))


LAYOUTS = {
    "a row per subject": (
        f"subject,opponent,{rounds('r#')}\nann,bob,{','.join(ANN)}\nbob,ann,{','.join(BOB)}\n",
        [ANN, BOB],
    ),
    "own and other": (
        f"id,{rounds('choice#')},{rounds('other_choice#')}\nann,{','.join(ANN)},{','.join(BOB)}\n",
        [ANN, BOB],
    ),
    "a row per pair": (
        f"session,subject1,subject2,{rounds('r#_1')},{rounds('r#_2')}\n"
        f"s,ann,bob,{','.join(ANN)},{','.join(BOB)}\n",
        [ANN, BOB],
    ),
    "seat before round": (
        f"player1,player2,{rounds('p1_move#')},{rounds('p2_move#')}\nann,bob,{','.join(ANN)},{','.join(BOB)}\n",
        [ANN, BOB],
    ),
    "letters for seats": (
        f"pair,name_a,name_b,{rounds('r#_a')},{rounds('r#_b')}\n7,ann,bob,{','.join(ANN)},{','.join(BOB)}\n",
        [ANN, BOB],
    ),
    "strings": (f"p1,p2,moves1,moves2\nann,bob,{ANN},{BOB}\n", [ANN, BOB]),
    "own and other strings": (f"id,own_moves,opponent_moves\nann,{ANN},{BOB}\n", [ANN, BOB]),
    "lists": (f'agent1,agent2,strategies1,strategies2\nann,bob,"{[*ANN]}","{[*BOB]}"\n', [ANN, BOB]),
    "words cut by dashes": (
        f"p1,p2,moves1,moves2\nann,bob,{'-'.join(ANN)},{'-'.join(BOB)}\n",
        [ANN, BOB],
    ),
    "games of different lengths": (
        f"player1,player2,{rounds('r#_1')},{rounds('r#_2')}\na,b,C,D,,,C,D,,\na,c,C,,D,C,C,D,D,C\n",
        ["CD", "CD", "C.DC", "CDDC"],
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, tmp_path: Path) -> None:
    text, expected = LAYOUTS[layout]
    assert moves(tmp_path / "w.csv", text) == expected


def test_the_file_counts_rounds_from_zero(tmp_path: Path) -> None:
    text = f"p1,p2,{','.join(f't{t}_1,t{t}_2' for t in range(4))}\na,b,C,D,C,C,D,C,C,D\n"
    assert moves(tmp_path / "w.csv", text) == [ANN, BOB]


def test_payoffs_by_round_decide_which_action_is_cooperation(tmp_path: Path) -> None:
    pay = {"XX": (3, 3), "XY": (0, 5), "YX": (5, 0), "YY": (1, 1)}
    one, two = "XXYYX", "XYXYX"
    cells = [pay[a + b] for a, b in zip(one, two, strict=True)]
    n = len(one)
    head = ",".join(
        [rounds("move#_1", n), rounds("move#_2", n), rounds("payoff#_1", n), rounds("payoff#_2", n)]
    )
    row = ",".join([*one, *two, *(str(a) for a, _ in cells), *(str(b) for _, b in cells)])
    path = tmp_path / "w.csv"
    path.write_text(f"player1,player2,{head}\na,b,{row}\n")
    log = read_log(path, payoff_kind="reward")
    assert log.games["cooperative_action"].tolist() == ["X"]


REFUSED = {
    f"id,{rounds('choice#')}\na,C,C,D,D\nb,C,D,D,D\nc,C,C,C,C\n": "3 players, and nothing says who met",
    f"subject,opponent,{rounds('r#')}\na,b,1,0,1,0\nb,a,1,1,1,0\n": "--cooperate 1 or --cooperate 0",
    f"p1,p2,{rounds('r#_1')},{rounds('r#_2')}\na,b,C,D,E,F,F,E,D,C\n": "4 actions, expected two",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_sure_is_a_question(text: str, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=REFUSED[text]):
        read_log(path)


@pytest.mark.parametrize(
    ("names", "pattern", "n"),
    [
        (["r1", "r2", "r3"], ["r{round}"], 3),
        (["r1_1", "r1_2", "r2_1", "r2_2"], ["r{round}_{seat}"], 2),
        (["p1_r1", "p2_r1", "p1_r2", "p2_r2", "p1_r3", "p2_r3"], ["p{seat}_r{round}"], 3),
        (["answer1", "answer2"], [], 0),
        (["age", "x2"], [], 0),
    ],
)
def test_families_of_names(names: list[str], pattern: list[str], n: int) -> None:
    of_rounds = families(names)
    assert [f.pattern for f in of_rounds] == pattern
    assert [len(f.rounds) for f in of_rounds] == [n] * len(pattern)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(*[st.text("CD", min_size=4, max_size=4)] * 2), min_size=1, max_size=5), st.booleans()
)
def test_random_play_laid_out_wide_is_read_back(tmp_path_factory, play, as_text) -> None:
    if {*"".join(a + b for a, b in play)} != {"C", "D"}:
        return
    path = tmp_path_factory.mktemp("wide") / "w.csv"
    head = "moves1,moves2" if as_text else f"{rounds('r#_1')},{rounds('r#_2')}"
    cells = [f"{a},{b}" if as_text else ",".join(a + b) for a, b in play]
    rows = "".join(f"p{i},q{i},{row}\n" for i, row in enumerate(cells))
    assert moves(path, f"player1,player2,{head}\n{rows}") == [m for pair in play for m in pair]
