"""The FAIRGAME reader: roles of the actions, rows that cannot be, and the public files."""

from __future__ import annotations

import ast
import csv
import gzip
import io
from pathlib import Path

import fairgame_files as files
import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError, UnknownNameError
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log

BOS = {"AA": (10, 10), "AB": (0, 0), "BA": (0, 0), "BB": (7, 7)}
BOS_CONFIG = {"AA": (10, 7), "AB": (0, 0), "BA": (0, 0), "BB": (7, 10)}
GOOD = files.row("AB BB AA")


def read(tmp_path: Path, *rows: str, header: str = files.HEADER, **options: object) -> GameLog:
    return read_log(files.write(tmp_path / "r.csv", *rows, header=header), **options)  # type: ignore[arg-type]


def without(columns: str, *rows: str) -> tuple[str, list[str]]:
    """Header and rows without some columns."""
    drop = columns.split()
    keep = [i for i, name in enumerate(files.HEADER.split(";")) if name not in drop]
    cut = [";".join(line.split(";")[i] for i in keep) for line in (files.HEADER, *rows)]
    return cut[0], cut[1:]


def moves(log: GameLog, seat: int) -> str:
    own = log.moves[log.moves["seat"] == seat]
    return "".join("?" if pd.isna(c) else "C" if c else "D" for c in own["cooperated"])


def test_option_b_cooperates_where_scores_are_penalties(tmp_path: Path) -> None:
    log = read(tmp_path, files.row("AB BB AA"))
    assert (moves(log, 1), moves(log, 2)) == ("DCD", "CCD")
    assert log.games["payoff_kind"][0] == "penalty"
    assert log.moves["payoff"].tolist() == [0, 10, 2, 2, 6, 6]


def test_columns_find_their_place(tmp_path: Path) -> None:
    log = read(tmp_path, files.row(agent2_llm="N", n_rounds_is_known=False))
    assert log.seats["model"].tolist() == ["M", "N"]
    assert log.seats["persona"].tolist() == ["selfish", "selfish"]
    assert log.games["horizon_known"].tolist() == [False]
    assert log.games["game_id"].tolist() == ["r-2"]
    assert log.conditions == ["source_game_id", "agents_communicate", "payoff_type"]
    assert log.provenance["format"] == "fairgame"
    assert "column known is not read" in log.provenance["notes"][0]


def test_identical_rows_are_repeats(tmp_path: Path) -> None:
    log = read(tmp_path, GOOD, files.row("AB BB AA", language="fr"), GOOD, files.row("BB"))
    assert log.games["repetition"].tolist() == [1, 1, 2, 1]


def test_each_battle_of_the_sexes_row_finds_its_own_matrix(tmp_path: Path) -> None:
    told = {"game": "battle-sexes", "agent1_llm": "X"}
    log = read(
        tmp_path,
        files.row("AA AB", BOS, **told),
        files.row("AB BA", BOS, **told),
        files.row("BB", BOS_CONFIG, game="battle-sexes"),
        files.row("AB", BOS_CONFIG, game="battle-sexes"),
    )
    assert [p.count("[10,10]") for p in log.games["payoffs"]] == [1, 1, 0, 0]
    assert log.games["cooperative_action"].isna().all()
    assert log.moves["cooperated"].isna().all()
    assert log.skipped() == {"no cooperative action": 4}


def test_scaled_scores_are_recognised(tmp_path: Path) -> None:
    scaled = {k: (a * 0.1, b * 0.1) for k, (a, b) in files.PD.items()}
    header = files.HEADER.replace("known;payoff_type", "meta_payoff_scale;payoff_type")
    log = read(tmp_path, files.row("AA AB", scaled, known=0.1), header=header)
    assert "0.6000000000000001" in log.games["payoffs"][0]
    assert log.games["meta_payoff_scale"].tolist() == [0.1]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (
            files.row(agent1_strategies="['OptionC', 'OptionB']"),
            "action 'OptionC' of agent 1 in round 1 is not",
        ),
        (
            files.row(agent2_strategies="['OptionB']"),
            "agent2_strategies has 1 items, but agent1_strategies has 2",
        ),
        (files.row(agent1_scores="[0]"), "agent1_scores has 1 items"),
        (files.row(played_rounds=3), "played_rounds is 3, but agent1_strategies has 2"),
        (files.row(max_rounds="ten"), "max_rounds is 'ten', expected a whole number"),
        (files.row(agent1_strategies="OptionA"), "agent1_strategies: 'OptionA', expected a list of texts"),
        (files.row(agent1_scores="['a', 1]"), "agent1_scores: 'a' at item 1"),
        (files.row(agent1_scores="[0, 3]"), "round 2: OptionB, OptionB scored 3, 2, expected 2, 2"),
        (files.row(n_rounds_is_known="maybe"), "n_rounds_is_known is 'maybe', expected True or False"),
        ("a;b;c", "3 fields, expected 23"),
        (files.row(language="x" * 1_000_001), "more than 1,000,000 characters"),
    ],
)
def test_a_bad_row_is_listed_and_the_rest_goes_on(tmp_path: Path, bad: str, says: str) -> None:
    log = read(tmp_path, GOOD, bad, GOOD)
    assert len(log) == 2
    assert log.rejects["line"].tolist() == [3]
    assert says in log.rejects["reason"][0]
    with pytest.raises(DataError, match=r"r\.csv line 3: "):
        read(tmp_path, GOOD, bad, GOOD, strict=True)


def test_a_file_of_another_delimiter_than_its_header(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not one of 2 rows can be read; the first in line 2: 1 fields"):
        read(tmp_path, GOOD.replace(";", "|"), GOOD.replace(";", "|"))


def test_unknown_game_needs_a_word_from_the_user(tmp_path: Path) -> None:
    line = files.row("AA AB BA BB", game="mystery")
    with pytest.raises(DataError, match=r"OptionA,OptionB: 0,10.*give --payoff-kind reward or penalty"):
        read(tmp_path, line)
    assert moves(read(tmp_path, line, payoff_kind="reward"), 1) == "CCDD"
    assert moves(read(tmp_path, line, payoff_kind="penalty"), 1) == "DDCC"
    assert moves(read(tmp_path, line, game="prisoner-dilemma"), 1) == "DDCC"
    assert moves(read(tmp_path, line, cooperate="OptionA"), 1) == "CCDD"
    with pytest.raises(UnknownNameError, match="did you mean OptionA"):
        read(tmp_path, line, cooperate="optiona")


def test_engine_files_without_a_game_column(tmp_path: Path) -> None:
    header, rows = without("game known payoff_type", files.row("AA AB BA BB"))
    with pytest.raises(DataError, match=r"r\.csv: nothing says whether the scores"):
        read(tmp_path, *rows, header=header)
    log = read(tmp_path, *rows, header=header, game="prisoner-dilemma")
    assert (log.games["game"][0], log.games["payoff_kind"][0], moves(log, 1)) == (
        "prisoner-dilemma",
        "penalty",
        "DDCC",
    )


def test_payoffs_that_no_table_has_are_inferred(tmp_path: Path) -> None:
    own = {"AA": (7, 7), "AB": (0, 9), "BA": (9, 0), "BB": (3, 3)}
    log = read(tmp_path, files.row("AA AB BB", own), files.row("BA AA", own))
    assert log.games["payoffs"][0].startswith('{"OptionA,OptionA":[7,7]')
    assert moves(log, 1) == "DDCCD"
    assert any("no row follows the documented payoffs" in note for note in log.provenance["notes"])


def test_messages_go_to_the_moves(tmp_path: Path) -> None:
    line = files.row("AB BB", agent1_messages=["let's go", "ok"], agent2_messages=["hm", 'a "b"'])
    log = read(tmp_path, line, GOOD)
    assert log.moves["message"].tolist()[:4] == ["let's go", "hm", "ok", 'a "b"']
    assert log.moves["message"][4:].isna().all()


def three_players(plays: list[str], cost: float, factor: float) -> str:
    names = ["game_id", *(f"agent{i}_{w}" for i in (1, 2, 3) for w in ("strategies", "scores"))]
    lines = [",".join(names)]
    for number, play in enumerate(plays):
        cells = [f"game_{number}"]
        for i in range(3):
            rounds = play.split()
            score = [r.count("A") * cost * factor / 3 - (cost if r[i] == "A" else 0) for r in rounds]
            cells += [f'"{[f"Option{r[i]}" for r in rounds]}"', f'"{score}"']
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def test_public_goods_cost_and_factor_are_read_off_the_scores(tmp_path: Path) -> None:
    path = tmp_path / "pg.csv"
    path.write_text(three_players(["AAB ABB BBB", "BBB BBB", "AAA ABA"], 10, 1.1))
    log = read_log(path)
    assert set(log.games["payoffs"]) == {
        '{"n_players":3,"cost":10,"factor":1.1,"actions":["OptionA","OptionB"]}'
    }
    assert moves(log, 1) == "CCDDDCC"


def test_free_riders_alone_leave_the_factor_open(tmp_path: Path) -> None:
    path = tmp_path / "pg.csv"
    path.write_text(three_players(["BBB BBB"], 10, 2))
    log = read_log(path)
    assert log.games["payoffs"].isna().all()
    assert moves(log, 3) == "DD"


def test_public_goods_row_with_wrong_scores_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "pg.csv"
    text = three_players(["AAB ABB BBB"] * 4, 10, 2).splitlines()
    text[2] = text[2].replace("3.333", "4.333", 1)
    path.write_text("\n".join(text))
    log = read_log(path)
    assert (len(log), log.rejects["line"].tolist()) == (3, [3])


@pytest.mark.parametrize("word", ["timeout", "None", "OptionC", ""])
def test_no_option_is_guessed(tmp_path: Path, word: str) -> None:
    bad = files.row(agent1_strategies=["OptionA", word])
    log = read(tmp_path, GOOD, bad)
    assert (len(log), log.rejects["line"].tolist()) == (1, [3])
    assert repr(word) in log.rejects["reason"][0]


def test_both_actions_named_by_the_user(tmp_path: Path) -> None:
    names = ["X", "Z", "Y", "Z", "Z", "Z"]
    other = files.row("AB BB AA AB BA AA", game="mine", agent1_strategies=names, agent2_strategies=names)
    plain = {f"agent{i}_strategies": ["X", "Y"] for i in (1, 2)}
    log = read(tmp_path, files.row(game="mine", **plain), other, cooperate="X:Y", payoff_kind="reward")
    assert (moves(log, 1), log.rejects["line"].tolist()) == ("CD", [3])
    assert "action 'Z' of agent 1 in round 2 is not one of X, Y" in log.rejects["reason"][0]


def test_the_cooperative_action_of_another_game_is_refused(tmp_path: Path) -> None:
    own = files.row(game="mine", agent1_strategies=["X", "Y"], agent2_strategies=["X", "Y"])
    says = "the actions of prisoner-dilemma are OptionA, OptionB, but --cooperate says X"
    with pytest.raises(DataError, match=says):
        read(tmp_path, GOOD, own, cooperate="X")


def test_a_game_that_the_file_does_not_need(tmp_path: Path) -> None:
    log = read(tmp_path, GOOD, game="chicken")
    assert log.provenance["notes"][0] == "--game chicken is not used: the file names its games"
    with pytest.raises(UnknownNameError, match="unknown game 'chiken'; did you mean chicken"):
        read(tmp_path, GOOD, game="chiken")


def test_identifiers_of_long_names_are_short_and_differ(tmp_path: Path) -> None:
    long = "results_of_a_game_with_a_very_long_name_"
    ids = [
        read_log(files.write(tmp_path / f"{long}{i}.csv", GOOD)).games["game_id"][0] for i in ("1", "2", "1")
    ]
    assert ids[0] == ids[2] != ids[1]
    assert ids[0].startswith("results_of_a_game_with_a-")
    assert len(ids[0]) == 24 + 1 + 8 + 2


@pytest.mark.data
def test_public_log(data_dir: Path) -> None:
    log = read_log(data_dir / "fairgame" / "results.csv.gz")
    assert (len(log), len(log.rejects)) == (6300, 0)
    told = log.games[["game", "payoff_kind", "cooperative_action"]].drop_duplicates().set_index("game")
    assert told["payoff_kind"].eq("penalty").to_dict() == {g: g == "prisoner-dilemma" for g in told.index}
    assert told["cooperative_action"].fillna("none").to_dict() == {
        "battle-sexes": "none",
        "harmony-game": "OptionA",
        "prisoner-dilemma": "OptionB",
        "snow-drift": "OptionA",
        "stag-hunt": "OptionA",
    }
    assert log.games["repetition"].value_counts().tolist() == [630] * 10
    bos = log.games[log.games["game"] == "battle-sexes"].merge(
        log.seats[log.seats["seat"] == 1], on="game_id"
    )
    flat = bos["payoffs"].str.contains("[10,10]", regex=False)
    assert bos.groupby("model")["payoffs"].nunique().eq(1).all()
    assert set(bos["model"][flat]) == {"MistralLarge", "OpenAIGPT4o"}


@pytest.mark.data
def test_public_log_equals_an_independent_parse(data_dir: Path) -> None:
    path = data_dir / "fairgame" / "results.csv.gz"
    log = read_log(path)
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = list(csv.DictReader(io.StringIO(stream.read()), delimiter=";"))
    for seat in (1, 2):
        own = log.moves[log.moves["seat"] == seat]
        actions = [a for r in rows for a in ast.literal_eval(r[f"agent{seat}_strategies"])]
        scores = [s for r in rows for s in ast.literal_eval(r[f"agent{seat}_scores"])]
        assert own["action"].tolist() == actions
        assert np.array_equal(own["payoff"], scores)
        assert log.seats.loc[log.seats["seat"] == seat, "model"].tolist() == [
            r[f"agent{seat}_llm"] for r in rows
        ]


@pytest.mark.data
def test_public_goods_files(data_dir: Path) -> None:
    for path in sorted((data_dir / "fairgame_public_goods" / "results").glob("*.csv")):
        log = read_log(path)
        assert (len(log), len(log.seats), len(log.rejects)) == (27, 81, 0)
        assert set(log.games["payoffs"]) == {
            '{"n_players":3,"cost":10,"factor":2,"actions":["OptionA","OptionB"]}'
        }
        assert set(log.games["cooperative_action"]) == {"OptionA"}
