"""``intent bench gamma score`` and ``leaderboard``: from files to rows and ranks."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from intent.agents.plan import parse_player
from intent.agents.table import scripted_table_player
from intent.base import codebook
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.cli.app import app
from intent.gamma.bench.leaderboard import leaderboard_of
from intent.gamma.bench.scores import score_files, score_log
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log
from intent.logs.stores import write_log
from intent.play.match import Horizon, to_log
from intent.play.referee import play

BAR = {"player_num": 10, "min": 0, "max": 10, "home": 5, "ratio": 0.6, "ratio_str": "60%", "mode": "implicit"}


def bar_file(folder: Path, name: str, *goers: int, model: str | None = "m", **meta: object) -> str:
    """A saved file of the bar game."""
    head = {**BAR, "version": "v1", **meta, **({} if model is None else {"models": model})}
    path = folder / name
    path.write_text(json.dumps({"meta": head, "round_records": [{"go_num": n} for n in goers]}))
    return str(path)


def whole_log(folder: Path, repetitions: int = 2) -> str:
    """A log of all eight games, several times, played by scripted seats."""
    matches = []
    for repetition in range(1, repetitions + 1):
        for name in GAMMA_GAMES:
            game = gamma_game(name, n_players=10)
            who = parse_player("scripted/RANDOM")
            players = [scripted_table_player(who, game, seat) for seat in range(1, 11)]
            columns = {"repetition": repetition, "version": "v1", "setting": "default"}
            rng = np.random.default_rng(repetition)
            matches.append(play(game, players, Horizon(4, True), rng, columns=columns))
    return str(write_log(to_log(matches), folder / "log.parquet"))


def goods_without_answers():
    """A log of public goods that nobody gave a readable answer in."""
    game = gamma_game("public_goods", n_players=10)
    players = [scripted_table_player(parse_player("scripted/RANDOM"), game, seat) for seat in range(1, 11)]
    log = to_log([play(game, players, Horizon(2, True), np.random.default_rng(0), columns={"repetition": 1})])
    return GameLog(log.games, log.seats, log.moves.assign(action=None, status="missing"))


def run(command: str, *words: str):
    """A command's result, with standard output and standard error apart; errors of ours come through."""
    return CliRunner().invoke(app, ["bench", "gamma", command, *words], catch_exceptions=False)


def test_files_are_scored_in_the_order_given(tmp_path):
    good, bad = bar_file(tmp_path, "b_v1_2.json", 6), bar_file(tmp_path, "a_v1_1.json", 0)
    found = score_files([good, bad, good]).to_dict()
    assert list(found) == list(codebook.JSON_OBJECTS["bench_score"])
    assert [(row["file"], row["game"], round(row["score"], 6), row["run"]) for row in found["scores"]] == [
        (good, "bar", 100, 2),
        (bad, "bar", 0, 1),
        (good, "bar", 100, 2),
    ]
    assert [row["model"] for row in found["scores"]] == ["m"] * 3


def test_a_row_per_game_of_a_log(tmp_path):
    log = whole_log(tmp_path)
    rows = score_files([log]).rows
    assert [row.game for row in rows] == list(GAMMA_GAMES) * 2
    assert {row.model for row in rows} == {"scripted/RANDOM"}
    assert [row.run for row in rows] == [1] * 8 + [2] * 8
    assert all(
        (row.seats is None) == (row.game in ("bar", "divide_dollar", "battle_royale", "pirate"))
        for row in rows
    )
    kept = score_files([log], where={"game": ["bar"]}).rows
    assert [row.game for row in kept] == ["bar", "bar"]


def test_scores_and_leaderboards_say_where_moves_are_missing(tmp_path):
    (row,) = score_log(goods_without_answers())
    assert (row.score, row.note) == (100, "moves are missing: no tokens, as a free rider's")
    path = write_log(goods_without_answers(), tmp_path / "log.parquet")
    assert any("moves are missing in 1 runs" in note for note in leaderboard_of([path]).notes)


def test_the_other_scoring_stands_beside_with_the_reason(tmp_path):
    log = whole_log(tmp_path, 1)
    code, paper = score_files([log]).rows, score_files([log], scoring="paper").rows
    assert [(row.score, row.other) for row in code] == [(row.other, row.score) for row in paper]
    notes = {row.game: row.note for row in code}
    assert "a valuation of 0" in notes["auction"]
    assert notes["bar"] is None


def test_what_cannot_be_scored_is_listed_and_the_rest_kept(tmp_path):
    good, bad = bar_file(tmp_path, "good.json", 6), bar_file(tmp_path, "bad.json", 11)
    found = score_files([bad, good, tmp_path / "none.json"])
    assert [row.file for row in found.rows] == [good]
    first, second = (reject["reason"] for reject in found.rejects)
    assert first == "bad.json: round 1: go_num is 11, expected a number from 0 to 10"
    assert "none.json" in second
    for how in ({"strict": True}, {}):
        with pytest.raises(DataError, match="go_num is 11"):
            score_files([bad, *([good] if how else [])], **how)


def test_a_folder_of_saved_files_stands_for_them_in_the_order_of_their_numbers(tmp_path):
    (tmp_path / "raw" / "bar").mkdir(parents=True)
    for run in (10, 9, 1):
        bar_file(tmp_path / "raw" / "bar", f"m_v1_{run}.json", 6)
    assert [row.run for row in score_files([tmp_path / "raw"]).rows] == [1, 9, 10]
    found = leaderboard_of([tmp_path / "raw"])
    found.write(tmp_path / "board")
    assert leaderboard_of([tmp_path / "board"]).standings == found.standings


def test_results_show_themselves_in_a_line(tmp_path):
    file = bar_file(tmp_path, "b.json", 6)
    assert repr(score_files([file, tmp_path / "none"])) == "<ScoreResult by code: 1 runs, 1 left out>"
    assert repr(leaderboard_of([file])) == "<LeaderboardResult of 1 runs: m>"


def test_a_table_of_several_players_goes_by_its_name(tmp_path):
    log = read_log(whole_log(tmp_path, 1))
    log.games["table"] = "scripted/RANDOM×9, human×1"
    assert {row.model for row in score_log(log)} == {"scripted/RANDOM×9, human×1"}


def test_json_of_another_kind_is_told_what_saved_games_have(tmp_path):
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(DataError, match=r"x\.json.*; a game saved by GAMA-Bench has meta and round_records"):
        score_files([tmp_path / "x.json"])


def test_a_log_without_these_games_says_so(tmp_path):
    (tmp_path / "log.csv").write_text("game,round,player,action\n1,1,a,C\n1,1,b,D\n")
    with pytest.raises(DataError, match=r"log.csv"):
        score_files([tmp_path / "log.csv"])


def test_an_unknown_scoring_is_a_usage_error(tmp_path):
    with pytest.raises(UnknownNameError, match="scoring 'codes'; did you mean code"):
        score_files([bar_file(tmp_path, "b.json", 6)], scoring="codes")


def test_scores_are_written_and_read_back_by_the_leaderboard(tmp_path):
    log = whole_log(tmp_path)
    direct = leaderboard_of([log]).to_dict()
    for suffix in ("csv", "parquet", "jsonl", "json"):
        target = tmp_path / f"scores.{suffix}"
        score_files([log]).write(target)
        assert leaderboard_of([target]).to_dict()["leaderboard"] == direct["leaderboard"]
    table, facts = read_table(tmp_path / "scores.csv")
    known = [column.name for column in codebook.BENCH_SCORES if column.name != "base"]
    assert list(table.columns)[: len(known)] == known
    assert len(table) == 16
    assert facts["scoring"] == "code"
    with pytest.raises(DataError, match="scores of scoring code, expected paper"):
        leaderboard_of([tmp_path / "scores.csv"], scoring="paper")


def test_a_leaderboard_ranks_models_over_runs(tmp_path):
    files = [
        bar_file(tmp_path, f"{m}_v1_{run}.json", n, model=m)
        for m, n in (("a", 0), ("b", 6))
        for run in (1, 2)
    ]
    found = leaderboard_of(files).to_dict()
    assert list(found) == list(codebook.JSON_OBJECTS["bench_leaderboard"])
    best, worst = found["leaderboard"]
    assert (best["rank"], best["model"], best["games"]) == (1, "b", {"bar": {"mean": 100, "sd": 0, "n": 2}})
    assert (worst["model"], worst["overall"]) == ("a", None)
    assert any("no overall score" in note for note in found["notes"])


def test_two_names_of_a_model_are_joined_and_repeats_numbered_anew(tmp_path):
    files = [bar_file(tmp_path, "x_1.json", 6, model="m-2024"), bar_file(tmp_path, "y_1.json", 0)]
    found = leaderboard_of(files, rename={"m-2024": "m"})
    assert found.runs["run"].tolist() == [1, 2]
    assert found.standings[0].games["bar"].n == 2


def test_conditions_that_tell_repeats_apart_are_part_of_the_name(tmp_path):
    files = [bar_file(tmp_path, f"{v}_1.json", 6, version=v) for v in ("v1", "v2")]
    assert [one.model for one in leaderboard_of(files).standings] == ["m (version=v1)", "m (version=v2)"]


def test_of_two_conditions_that_say_the_same_the_name_has_one(tmp_path):
    rows = [
        {"game": "bar", "score": 1, "model": "m", "run": 1, "framing": v, "version": v} for v in ("v1", "v2")
    ]
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"scores": rows}))
    found = leaderboard_of([path])
    assert {one.model for one in found.standings} == {"m (version=v1)", "m (version=v2)"}
    assert [one.factor for one in found.sweeps] == ["version"]


def test_other_settings_are_left_out_and_counted(tmp_path):
    files = [bar_file(tmp_path, "a.json", 6), bar_file(tmp_path, "b.json", 6, mode="explicit")]
    found = leaderboard_of(files)
    assert found.standings[0].games["bar"].n == 1
    assert "1 runs of other settings" in found.notes[0]
    with pytest.raises(DataError, match="none of 1 runs has the paper's default setting"):
        leaderboard_of(files[1:])


def test_other_lengths_and_stray_names_are_noted(tmp_path):
    found = leaderboard_of([whole_log(tmp_path)], rename={"gpt": "GPT"})
    assert found.notes[0] == "12 runs have other lengths (4 rounds) than the paper's 20"
    assert found.notes[1] == "--rename gpt: no model of that name; models: scripted/RANDOM"


def test_the_table_has_the_columns_that_have_scores(tmp_path):
    (table,) = leaderboard_of([bar_file(tmp_path, "a.json", 6)]).parts()
    assert (table.header, table.rows) == (["model", "bar"], [["m", "100.0"]])
    (table,) = leaderboard_of([], published=True).parts()
    assert table.header[:3] == ["model", "overall", "cooperative"]
    assert (len(table.header), table.rows[0][:2]) == (13, ["Gemini-1.5-Pro", "69.8 ± 1.6"])


def test_published_models_stand_beside_ones_own(tmp_path):
    found = leaderboard_of([whole_log(tmp_path)], published=True)
    assert len(found.standings) == 14
    assert {"scripted/RANDOM", "GPT-4o (0806)"} <= {one.model for one in found.standings}
    assert len(leaderboard_of([], published=True).standings) == 13
    with pytest.raises(DataError, match="nothing to rank"):
        leaderboard_of([])


def test_a_model_without_a_name_is_called_unknown(tmp_path):
    assert leaderboard_of([bar_file(tmp_path, "a.json", 6, model=None)]).standings[0].model == "unknown model"


def test_the_commands_print_one_json_object(tmp_path):
    file = bar_file(tmp_path, "a_1.json", 6)
    found = json.loads(run("score", file, "--json").stdout)
    assert found["scores"][0]["score"] == 100
    found = json.loads(run("leaderboard", file, "--json", "--partial").stdout)
    assert found["leaderboard"][0]["overall"]["mean"] == 100


def test_the_commands_print_tables_and_write_files(tmp_path):
    file = bar_file(tmp_path, "a_1.json", 6)
    target, folder = tmp_path / "scores.csv", tmp_path / "board"
    shown = run("score", file, "-o", str(target))
    assert "100.0" in shown.stdout
    assert f"wrote {target}" in shown.stderr
    shown = run("leaderboard", file, "--markdown", "--published", "-o", str(folder))
    assert shown.stdout == (folder / "leaderboard.md").read_text(encoding="utf8")
    assert {path.name for path in folder.glob("*.*")} >= {
        *(f"leaderboard.{suffix}" for suffix in ("csv", "json", "png")),
        "scores.csv",
    }
    with pytest.raises(OutputError, match="exists"):
        run("leaderboard", file, "-o", str(folder))
    assert run("leaderboard", file, "-o", str(folder), "--overwrite").exit_code == 0


def test_settings_that_the_leaderboard_leaves_out_are_in_the_tables_of_what_varies(tmp_path):
    files = [bar_file(tmp_path, "a_1.json", 6), bar_file(tmp_path, "b_1.json", 2, ratio=0.2, ratio_str="20%")]
    found = leaderboard_of([*files, bar_file(tmp_path, "c_1.json", 0, version="v2")])
    over_version, over_setting = found.sweeps
    assert (over_version.about, over_version.levels) == ("m", ("v1", "v2"))
    assert (over_setting.about, over_setting.levels) == ("El Farol Bar", ("default", "ratio=20%"))
    found.write(tmp_path / "board")
    assert (tmp_path / "board" / "sweeps.md").read_text(encoding="utf8").count("El Farol Bar") == 2


def test_saved_games_are_drawn(tmp_path):
    folder = tmp_path / "figures"
    shown = run("score", bar_file(tmp_path, "a_1.json", 6, 5), "--figures", str(folder), "--json")
    assert len(json.loads(shown.stdout)["scores"]) == 1
    assert {path.name for path in folder.glob("*.png")} == {"play_bar.png", "leaderboard.png"}
    with pytest.raises(OutputError, match="exists"):
        run("score", bar_file(tmp_path, "a_1.json", 6), "--figures", str(folder))


@pytest.mark.parametrize(
    "row",
    [
        {"game": ["bar"], "score": 1},
        {"game": "bar", "score": 10**400},
        {"game": "bar", "score": "1"},
        {"game": "chess", "score": 1},
        {"game": "bar", "score": None},
    ],
    ids=str,
)
def test_odd_scores_in_a_table_are_refused(row, tmp_path):
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"scores": [row]}))
    with pytest.raises(DataError, match=r"^scores(\.json line 1)?: "):
        leaderboard_of([path])


def test_odd_runs_and_models_are_numbered_and_named(tmp_path):
    rows = [{"game": "bar", "score": 1, "run": run, "model": [1]} for run in (math.inf, "x", None)]
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"scores": rows}))
    assert leaderboard_of([path]).runs["run"].tolist() == [1, 2, 3]


def test_json_and_markdown_at_once_are_refused(tmp_path):
    with pytest.raises(UsageError, match="expected one of them"):
        run("leaderboard", bar_file(tmp_path, "a.json", 6), "--json", "--markdown")


def test_odd_files_are_one_line_or_read(tmp_path):
    twice = tmp_path / "twice.json"
    twice.write_text('{"meta": {"golds": 1, "golds": 2}, "round_records": []}')
    with pytest.raises(DataError, match=r"twice.json: no JSON \(key 'golds' stands there twice\)"):
        score_files([twice])
    text = Path(bar_file(tmp_path, "bar.json", 6)).read_bytes()
    marked = tmp_path / "m\udcff_1.json"  # a name that is no UTF-8
    marked.write_bytes(b"\xef\xbb\xbf" + text)
    result = score_files([marked])
    result.write(tmp_path / "scores.csv")
    assert result.table()["file"].tolist() == [str(marked).replace("\udcff", "\\udcff")]


def test_a_table_of_scores_may_hold_anything(tmp_path):
    path = tmp_path / "scores.json"
    row = {"game": "bar", "score": 50, "model": "\ud800m", "run": [1]}
    path.write_text(json.dumps({"scores": [row, {**row, "run": {}}]}))
    (standing,) = leaderboard_of([path], partial=True).standings
    assert (standing.model, standing.games["bar"].n) == ("m", 2)
