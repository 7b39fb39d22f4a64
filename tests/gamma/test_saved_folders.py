"""Folders of saved games as one log: rules, payoffs and conditions, and what is said of names and prompts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from saved_files import saved, saved_games, shots, votes
from typer.testing import CliRunner

from intent.base.errors import DataError
from intent.cli.app import app
from intent.gamma.bench.analysis import analyse
from intent.gamma.bench.leaderboard import leaderboard_of
from intent.gamma.bench.scores import score, score_files
from intent.gamma.catalogue import GAMMA_GAMES
from intent.gamma.records import each_replayed, plays_of
from intent.gamma.saved import FileName, saved_plays, temperature_scale
from intent.logs.readers import read_log
from intent.logs.validate import validate

ROLE = "You are a selfish and greedy player."


def guesses(rounds: int = 3, *, role: str = "", planned: int = 3, first: int = 30, **meta) -> dict:
    """A saved guessing game of three players with prompts."""
    rows = [[first - r, 20, 10] for r in range(rounds)]
    game = saved("guessing", *({"responses": sorted(row), "mean": sum(row) / 3} for row in rows), n=3, **meta)
    for seat, player in enumerate(game["player_data"]):
        opening = f"{role}\n\nA game of 3 players over {planned} rounds.\n\nRules."
        player["prompt"] = [{"role": "system", "content": opening}, {"role": "user", "content": "Round 1"}]
        player["records"] = [row[seat] for row in rows]
    return game


def write(folder: Path, name: str, values: object) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(values if isinstance(values, str) else json.dumps(values), encoding="utf8")
    return path


def row_of(path: Path, **reading) -> dict:
    """The row of the only game."""
    return read_log(path, **reading).games.iloc[0].dropna().to_dict()


@pytest.mark.parametrize(
    ("stem", "parts"),
    [
        ("gpt-4o_guessing_game_v1_t0.5_cot_3", ("gpt-4o", "guessing", ("v1", "t0.5", "cot", "3"))),
        ("gpt-4-0125-pirate_game_v1_1", ("gpt-4-0125", "pirate", ("v1", "1"))),
        ("bar_game_explicit_v1_savept1_0", ("", "bar", ("explicit", "v1", "savept1", "0"))),
        ("gpt-3.5_1106_sealed_bid_auction_v1_5", ("gpt-3.5_1106", "auction", ("v1", "5"))),
        ("bar-7b_divide_dollar_v2", ("bar-7b", "divide_dollar", ("v2",))),
        ("run_7", ("", None, ("run", "7"))),
    ],
)
def test_names_are_model_game_and_parts(stem, parts):
    name = FileName.of(stem)
    assert (name.model, name.game, name.parts) == parts


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("m_guessing_game_v1_t0.5_cot_3", {"temperature": 0.5, "chain_of_thought": "yes", "run": "3"}),
        ("m_guessing_game_v1_t0", {"temperature": 0.0}),
        ("m_guessing_game_v1_t3_2", {"temperature": 0.6, "run": "2"}),
        ("m_guessing_game_v1_temp_1.5_2", {"temperature": 1.5, "run": "2"}),
        ("m_guessing_game_v1_cot4", {"chain_of_thought": "4"}),
        ("m_guessing_game_v1_r4", {"sweep": "r4"}),
        ("m_guessing_game_v1_prompt2_1", {"wording": "2", "run": "1"}),
        ("m_guessing_game_v1_fr_1", {"language": "fr", "run": "1"}),
        ("m_guessing_game_v1_3players_1", {"run": "1"}),
        ("m_guessing_game_v1_s1", {"name_s": "1"}),
        ("m_guessing_game_v1_smart_2", {"name_part_2": "smart", "run": "2"}),
        ("m_guessing_game_v1_savept2_7", {"save_point": "2", "run": "7", "partial": True}),
    ],
)
def test_conditions_are_read_from_names(tmp_path, name, columns):
    row = row_of(write(tmp_path, f"{name}.json", guesses()))
    fixed = {"game_id", "source", "game", "payoffs", "payoff_kind", "n_players", "rounds_planned"}
    fixed |= {"rounds_played", "horizon_known", "repetition", "file", "setting", "version"}
    own = {key: value for key, value in row.items() if key not in fixed}
    assert own == {"partial": False, **columns}
    assert row["version"] == "v1"


def test_a_whole_temperature_is_a_level_or_a_value_only_where_files_beside_it_say_so(tmp_path):
    path = write(tmp_path, "m_guessing_game_v1_t1.json", guesses())
    log = read_log(path)
    assert log.games["name_t"].tolist() == ["1"]
    assert "temperature" not in log.games
    assert "--map by=temperature:name_t" in log.provenance["notes"][0]
    assert row_of(path, mapping="by=temperature:name_t")["temperature"] == "1"
    write(tmp_path, "m_guessing_game_v1_t5.json", guesses(first=29))
    assert row_of(path)["temperature"] == 0.2
    assert temperature_scale(["bar_game_v1_t1", "bar_game_v1_t0.5"]) == "value"


def test_prompts_count_where_a_name_says_another_role(tmp_path):
    path = write(tmp_path, "m_guessing_game_v1_role3.json", guesses(role=ROLE))
    log = read_log(path)
    assert (log.games["role"][0], log.games["name_role"][0]) == ("selfish", "mathematician")
    assert log.seats["persona"].tolist() == ["selfish"] * 3
    assert "the prompts count" in log.provenance["notes"][0]
    silent = read_log(write(tmp_path, "m_guessing_game_v1_cot4.json", guesses(role=ROLE)))
    assert silent.games["role"].tolist() == ["selfish"]
    assert any("a role that the name does not tell" in note for note in silent.provenance["notes"])


def test_another_model_or_number_in_the_name_is_said_and_kept(tmp_path):
    log = read_log(write(tmp_path, "other_guessing_game_v1_9players_1.json", guesses()))
    assert log.seats["model"].unique().tolist() == ["m"]
    assert log.games["stated_model"].tolist() == ["other"]
    players, model = log.provenance["notes"]
    assert "the name says 9 players, and what was saved has 3" in players
    assert "the name says model other, the players m" in model


def test_a_folder_is_one_log_and_what_is_none_is_listed(tmp_path):
    write(tmp_path, "guessing_game/m_guessing_game_v1_1.json", guesses())
    write(tmp_path, "guessing_game/m_guessing_game_v1_10.json", guesses(first=28))
    write(tmp_path, "guessing_game/m_guessing_game_v1_2.json", guesses(first=29))
    write(tmp_path, "bar/cut.json", json.dumps(guesses())[:-20])
    write(tmp_path, "bar/other.json", {"a": 1})
    short = guesses()
    short["player_data"][1]["records"].pop()
    write(tmp_path, "bar/short.json", short)
    write(tmp_path, "table.csv", "a,b\n1,2\n")
    write(tmp_path, "README.md", "words")
    log = read_log(tmp_path)
    assert log.provenance["format"] == "gamabench"
    assert log.games["run"].tolist() == ["1", "2", "10"]
    assert log.games["file"][0] == "guessing_game/m_guessing_game_v1_1.json"
    reasons = dict(zip(log.rejects["file"], log.rejects["reason"], strict=True))
    assert "no JSON" in reasons["bar/cut.json"]
    assert "expected meta and round_records" in reasons["bar/other.json"]
    assert "player 2: 2 records, expected one for each of 3 rounds" in reasons["bar/short.json"]
    assert "a file .csv" in reasons["table.csv"]
    assert "1 other files are passed over (.md)" in log.provenance["notes"]
    with pytest.raises(DataError, match=r"bar/cut\.json: no JSON"):
        read_log(tmp_path, strict=True)


def test_folders_below_are_conditions(tmp_path):
    for folder in ("t0.5", "t0", "lab"):
        write(tmp_path, f"guessing_game/{folder}/m_guessing_game_v1_1.json", guesses())
    games = read_log(tmp_path).games.set_index("file")
    assert games["temperature"].dropna().to_dict() == {
        "guessing_game/t0/m_guessing_game_v1_1.json": 0.0,
        "guessing_game/t0.5/m_guessing_game_v1_1.json": 0.5,
    }
    assert games["folder_2"].dropna().tolist() == ["lab"]


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    out = write(tmp_path, "out/m_guessing_game_v1_2.json", guesses())
    write(tmp_path, "in/m_guessing_game_v1_1.json", guesses())
    (tmp_path / "in" / "x.json").symlink_to(out)
    assert "leaves the folder" in read_log(tmp_path / "in").rejects["reason"][0]


def test_partial_saves_are_flagged_and_what_they_repeat_is_named(tmp_path):
    write(tmp_path, "m_guessing_game_v1_1.json", guesses(3))
    write(tmp_path, "m_guessing_game_v1_2.json", guesses(2))
    write(tmp_path, "m_guessing_game_v1_savept1.json", guesses(1, planned=1))
    log = read_log(tmp_path)
    assert log.games["partial"].tolist() == [False, True, True]
    assert log.games["repeats"].tolist()[1:] == ["m_guessing_game_v1_1"] * 2
    assert log.games["rounds_planned"].tolist() == [3, 3, 1]
    notes = validate(tmp_path).notes
    assert any("2 files, the first m_guessing_game_v1_2.json: saved before the end" in note for note in notes)


def test_sequential_games_are_partial_where_play_was_not_over(tmp_path):
    files = {
        "battle_royale": (shots("0>2! 1-", n=3), shots("0>2! 1>0!", n=3)),
        "pirate": (votes("98,1,1 rr"), votes("98,1,1 aa")),
    }
    for game, (cut, over) in files.items():
        cut_row = row_of(write(tmp_path, f"{game}_v1_1.json", saved(game, *cut, n=3)))
        over_row = row_of(write(tmp_path, f"{game}_v1_2.json", saved(game, *over, n=3)))
        assert (cut_row["partial"], over_row["partial"]) == (True, False)


@pytest.mark.parametrize("game", GAMMA_GAMES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_payoffs_are_those_of_the_rules_and_scores_those_of_the_file(tmp_path, game, data):
    """Played again under its rules, a game has the payoffs of its log: `replay` is the oracle."""
    values = data.draw(saved_games(game))
    n = values["meta"]["player_num"]
    if game in ("guessing", "divide_dollar", "public_goods"):
        for seat, player in enumerate(values["player_data"]):
            player["records"] = [record["responses"][seat] for record in values["round_records"]]
    log = read_log(write(tmp_path, f"m_{game}_v1_1.json", values))
    (_, plays), before = plays_of(log)[0], saved_plays(values)
    for scoring in ("code", "paper"):
        try:
            expected = score(before, scoring)
        except DataError:
            continue
        assert math.isclose(score(plays, scoring), expected, abs_tol=1e-9)
    assert plays.setting == before.setting
    played = list(each_replayed(log))
    refusals = [str(one) for one in played if isinstance(one, DataError)]  # of moves beyond the rules
    assert not any("do not follow from the moves" in refusal for refusal in refusals)
    assert not (refusals and game in ("bar", "diner"))
    assert bool(played) == (game != "auction"), "what bidders value is not kept"
    for one in (one for one in played if not isinstance(one, DataError)):
        assert log.moves["payoff"].notna().all()
        assert one.game.n_players == n
        assert sum(len(stage.moves) for stage in one.rounds) == len(log.moves)


def test_the_leaderboard_keeps_conditions_apart_unless_told_to_pool(tmp_path):
    for kind in ("1", "t0", "t0.5", "cot1", "role2", "savept1"):
        write(tmp_path, f"m_guessing_game_v1_{kind}.json", guesses(first=30, min=0, max=100) | {})
    for path in tmp_path.glob("*.json"):
        values = json.loads(path.read_text())
        values["meta"]["player_num"] = 10
        values["player_data"] = [values["player_data"][i % 3] for i in range(10)]
        for record in values["round_records"]:
            record["responses"] = [record["responses"][0]] * 10
            record["mean"] = record["responses"][0]
        for player in values["player_data"]:
            player["records"] = [record["responses"][0] for record in values["round_records"]]
            if "role2" in path.name:
                player["prompt"] = [
                    {"role": "system", "content": f"{ROLE}\n\nA game of 10 players over 3 rounds."}
                ]
        path.write_text(json.dumps(values))
    names = {one.model for one in leaderboard_of([tmp_path]).standings}
    assert names == {
        "m",
        "m (temperature=0.0)",
        "m (temperature=0.5)",
        "m (chain_of_thought=1)",
        "m (role=selfish)",
        "m (save_point=1, partial=True)",
    }
    shown = CliRunner().invoke(app, ["bench", "gamma", "leaderboard", str(tmp_path), "--pool", "--json"])
    (one,) = json.loads(shown.stdout)["leaderboard"]
    assert (one["model"], one["games"]["guessing"]["n"]) == ("m", 6)


def test_regret_and_levels_are_those_of_saved_games(tmp_path):
    write(tmp_path, "m_guessing_game_v1_1.json", guesses())
    write(tmp_path, "m_guessing_game_v1_role2.json", guesses(role=ROLE))
    found = analyse([tmp_path], by="role")
    assert {row["group"]["role"]: row["n_games"] for row in found.regret} == {"(none)": 1, "selfish": 1}
    assert {row["group"]["role"] for row in found.levels} == {"(none)", "selfish"}
    assert len(found.moves) == 18


def test_an_analysis_keeps_conditions_of_saved_games_apart_unless_told_to_pool(tmp_path):
    """Temperature, role, chain of thought and partial saves are kept apart, also in differences."""
    for kind in ("1", "t0.5_1", "cot1_1", "savept1_1"):
        write(tmp_path, f"m_guessing_game_v1_{kind}.json", guesses())
    write(tmp_path, "m_guessing_game_v1_role2.json", guesses(role=ROLE))
    other = guesses(first=50)
    for player in other["player_data"]:
        player["model"] = "other"
    write(tmp_path, "other_guessing_game_v1_t0.5_1.json", other)
    found = analyse([tmp_path], samples=100)
    rows = [row["group"] for row in found.regret]
    assert len(rows) == 6
    assert {row["role"] for row in rows} == {"(none)", "selfish"}
    assert all(row["n_games"] == 1 for row in found.regret)
    assert [dict(one.within)["temperature"] for one in found.differences] == ["0.5"]
    assert any("each is analysed by itself" in note for note in found.notes)
    pooled = analyse([tmp_path], samples=100, pool=True)
    assert {row["group"]["model"]: row["n_games"] for row in pooled.regret} == {"m": 5, "other": 1}
    assert any("put them together" in note for note in pooled.notes)


def test_scores_of_a_folder_are_those_of_its_files(tmp_path):
    paths = [write(tmp_path, f"bar/bar_game_v1_{i}.json", saved("bar", {"go_num": i})) for i in (1, 2)]
    whole, single = score_files([tmp_path]), score_files(paths)
    assert [(row.file, row.score, row.run) for row in whole.rows] == [
        (row.file, row.score, row.run) for row in single.rows
    ]


def test_another_mapping_is_refused(tmp_path):
    path = write(tmp_path, "m_guessing_game_v1_1.json", guesses())
    with pytest.raises(DataError, match=r"--map action=…: saved games have no columns"):
        read_log(path, mapping={"action": "x"})
    with pytest.raises(DataError, match="expected NEW:COLUMN"):
        read_log(path, mapping="by=x")
    with pytest.raises(DataError, match="game is a column of every log"):
        read_log(path, mapping="by=game:version")


PUBLISHED = {"t3": 54.7, "role2": 14.5, "m3": 63.9, "r4": 94.9}
"""Scores of the guessing game in tables 5, 7 and 8 of the paper, and run 1 of GPT-4o."""


def test_public_files_are_games_with_the_payoffs_that_they_saved(data_dir):
    """Published scores to the digit; utilities of the files, except of public goods, which lack the pot."""
    folder = data_dir / "gamma_bench" / "raw_results"
    if not folder.is_dir():
        pytest.skip("no public files of GAMA-Bench")
    log = read_log(folder)
    assert (len(log), len(log.rejects), "saved" in log.games) == (15, 0, False)
    for row in score_files([folder]).rows:
        kind = Path(row.file).stem.rpartition("_")[2]
        if row.game == "guessing" and kind in PUBLISHED:
            assert round(row.score, 1) == PUBLISHED[kind]
    paid = log.moves.assign(game_id=log.moves["game_id"].astype(str)).set_index(["game_id", "round", "seat"])
    for game_id, game, file in log.games[["game_id", "game", "file"]].itertuples(index=False):
        players = json.loads((folder / file).read_text())["player_data"]
        if game in ("bar", "diner", "divide_dollar", "auction"):
            own = [
                paid["payoff"].loc[(game_id, number, seat)] == pytest.approx(gain)
                for seat, player in enumerate(players, start=1)
                for number, gain in enumerate(player["utility"], start=1)
            ]
            assert own
            assert all(own)
    assert not any(isinstance(one, DataError) for one in each_replayed(log))
    games = log.games.set_index(log.games["file"].str.rpartition("/")[2])
    assert games["temperature"].dropna().to_dict() == {"guessing_game_v1_t3.json": 0.6}
    assert games["role"].dropna().to_dict() == {
        "guessing_game_v1_role2.json": "selfish",
        "sealed_bid_auction_v1_cot4.json": "selfish",
    }
    assert games.index[games["partial"]].tolist() == ["guessing_game_v1_savept1_1.json"]
