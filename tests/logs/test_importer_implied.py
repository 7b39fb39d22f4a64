"""Tables with one side of a round and what implies the other's move; tables of payoffs, which are no logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent import GameLog, read_log
from intent.base.errors import DataError

PD = {("1", "1"): 8, ("1", "0"): 0, ("0", "1"): 10, ("0", "0"): 5}
BOS = {("1", "1"): 7, ("1", "0"): 0, ("0", "1"): 0, ("0", "0"): 10}


def read(folder: Path, text: str, **options: str) -> GameLog:
    path = folder / "implied.csv"
    path.write_text(text, encoding="utf-8")
    return read_log(path, format="import", **options)  # type: ignore[arg-type]


def refusal(folder: Path, text: str, **options: str) -> str:
    with pytest.raises(DataError) as stopped:
        read(folder, text, **options)
    assert "\n" not in str(stopped.value)
    return str(stopped.value)


def both(log: GameLog, game: str) -> tuple[str, str]:
    """The moves of both seats of a game, in the order of rounds."""
    moves = log.moves[log.moves["game_id"] == game].sort_values("round")
    one, two = (moves.loc[moves["seat"] == s, "action"].astype(object).fillna("-") for s in (1, 2))
    return "".join(one), "".join(two)


def lines(
    player: str, game: str, pairs: list[tuple[str, str]], *, score: bool = True, same: bool = True
) -> str:
    table = PD if game == "PD" else BOS
    cells = [
        [
            player,
            game,
            own,
            *([str(table[own, other])] if score else []),
            *(["10"[own != other]] if same else []),
        ]
        for own, other in pairs
    ]
    return "".join(",".join(row) + "\n" for row in cells)


PLAY = [("1", "1"), ("1", "0"), ("0", "1"), ("0", "0")]


def test_the_other_did_the_same_where_a_column_says_so(tmp_path: Path) -> None:
    text = (
        "id,game,action,coordination\n"
        + lines("a", "PD", PLAY, score=False)
        + lines("b", "PD", PLAY[::-1], score=False)
    )
    log = read(tmp_path, text, cooperate="1")
    assert both(log, "a-PD") == ("1100", "1010")
    assert both(log, "b-PD") == ("0011", "0101")
    assert log.seats["focal"].tolist() == [True, False] * 2
    assert any("the 4 rows of a id and game in their order" in note for note in log.provenance["notes"])


def test_own_payoffs_of_a_named_game_imply_the_other(tmp_path: Path) -> None:
    text = (
        "id,game,action,score\n"
        + lines("a", "PD", PLAY, same=False)
        + lines("b", "PD", PLAY[::-1], same=False)
    )
    assert "--payoff-kind reward or --payoff-kind penalty" in refusal(tmp_path, text)
    as_reward = read(tmp_path, text, payoff_kind="reward")
    assert both(as_reward, "a-PD") == ("1100", "1010")
    assert set(as_reward.games["cooperative_action"]) == {"1"}
    as_penalty = read(tmp_path, text, payoff_kind="penalty")
    assert both(as_penalty, "a-PD") == ("1100", "1010")
    assert set(as_penalty.games["cooperative_action"]) == {"0"}


def test_a_game_in_which_both_want_the_same_tells_that_scores_are_rewards(tmp_path: Path) -> None:
    text = "id,game,action,score,coordination\n" + lines("a", "PD", PLAY) + lines("a", "BoS", PLAY)
    log = read(tmp_path, text)
    assert dict(log.games[["game", "cooperative_action"]].dropna().to_numpy().tolist()) == {"PD": "1"}
    assert set(log.games["payoff_kind"]) == {"reward"}
    assert log.games.set_index("game")["payoffs"].isna().to_dict() == {"PD": False, "BoS": True}


def test_an_agreement_that_scores_contradict_is_not_used(tmp_path: Path) -> None:
    wrong = lines("a", "PD", PLAY * 3).replace("PD,1,8,1", "PD,1,8,0") + lines("a", "BoS", PLAY * 3)
    log = read(tmp_path, "id,game,action,score,coordination\n" + wrong)
    assert both(log, "a-PD") == ("1100" * 3, "1010" * 3)
    assert any("coordination contradicts it in 3 of 12 rows" in note for note in log.provenance["notes"])


def test_rows_with_a_payoff_that_their_moves_cannot_bring_are_listed(tmp_path: Path) -> None:
    text = "id,game,action,score,coordination\n" + lines("a", "PD", PLAY * 5) + lines("a", "BoS", PLAY * 5)
    text = text.replace("a,BoS,0,10,1", "a,BoS,0,7,1", 1)
    log = read(tmp_path, text)
    assert log.rejects["reason"].tolist() == ["score is 7, expected 10 for action 0 and this coordination"]
    assert len(log.moves) == 78


def test_players_with_unequal_rows_and_no_round_are_absurd(tmp_path: Path) -> None:
    text = (
        "id,game,action,coordination\n"
        + lines("a", "PD", PLAY, score=False)
        + lines("b", "PD", PLAY[:3], score=False)
    )
    assert "has 3 to 4 rows, expected one number" in refusal(tmp_path, text, cooperate="1")
    mixed = text.splitlines()
    line = refusal(tmp_path, "\n".join([mixed[0], mixed[1], mixed[5], mixed[3]]) + "\n", cooperate="1")
    assert "do not stand together: give --map round=NAME" in line


def test_scores_that_neither_agreement_nor_a_named_game_explains_are_refused(tmp_path: Path) -> None:
    cells = "".join(f"a,X,{t % 2},{t},{t % 3 % 2}\n" for t in range(12))
    assert "give --map other=NAME" in refusal(tmp_path, "id,game,action,score,coordination\n" + cells)


def test_a_table_of_payoffs_is_no_log(tmp_path: Path) -> None:
    head = "game_number,game_name," + ",".join(
        f"r{r}_c{c}_p{p}" for r in (1, 2) for c in (1, 2) for p in (1, 2)
    )
    line = refusal(tmp_path, head + "\n1,Hegemony,3,4,2,3,4,2,1,1\n")
    assert line.startswith("implied.csv: a table of the payoffs of 1 games, and no log")


@settings(max_examples=25)
@given(
    st.lists(st.lists(st.sampled_from(PLAY), min_size=4, max_size=4), min_size=1, max_size=5), st.booleans()
)
def test_random_play_is_read_back(tmp_path_factory, games, score) -> None:
    games = [*games, PLAY]
    body = "".join(lines(f"p{i}", "BoS", game, score=score) for i, game in enumerate(games))
    head = f"id,game,action,{'score,' if score else ''}coordination\n"
    log = read(tmp_path_factory.mktemp("play"), head + body, cooperate="1")
    for i, game in enumerate(games):
        assert both(log, f"p{i}-BoS") == ("".join(a for a, _ in game), "".join(b for _, b in game))


@pytest.mark.data
def test_people_against_models(data_dir: Path) -> None:
    log = read_log(data_dir / "repeatedgames" / "repgames.csv", format="import")
    assert (len(log), len(log.rejects)) == (390, 14)
    assert log.games["rounds_played"].max() == 10
    by_name = log.games.groupby("game")["cooperative_action"].first()
    assert by_name["PD"] == "1"
    assert by_name.isna()["BoS"]
    assert {"opponent", "guess"} <= {*log.games}
    assert log.games.loc[log.games["game"] == "PD", "payoffs"].iloc[0] == (
        '{"0,0":[5,5],"0,1":[10,0],"1,0":[0,10],"1,1":[8,8]}'
    )
    moves = log.moves.merge(log.games[["game_id", "game"]], on="game_id")
    people = moves[(moves["seat"] == 1) & (moves["game"] == "PD")]
    assert len(people) == 1949
    assert people["cooperated"].sum() == 931


@pytest.mark.data
def test_the_table_of_games_beside_them(data_dir: Path) -> None:
    with pytest.raises(DataError, match="a table of the payoffs of 144 games, and no log"):
        read_log(data_dir / "repeatedgames" / "144_games_info.csv", format="import")
