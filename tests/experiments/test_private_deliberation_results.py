"""All tables and figures of private deliberation from games whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from deliberation_logs import deliberation, honest, liar, log_with, silent

from experiments.private_deliberation.play import paged
from experiments.private_deliberation.results import write_results
from intent.base.errors import UsageError
from intent.logs.gamelog import GameLog

L = ("OptionA", "OptionB")
VERDICT = {"hypothesis", "claim", "criterion", "verdict", "evidence", "published", "beside"}
PD, SH = "prisoner-dilemma-deliberation", "stag-hunt-deliberation"


@pytest.fixture(scope="module")
def log() -> GameLog:
    """The private agent lies and exploits; the public one is honest and cooperates."""
    games = [deliberation(PD, [(liar(1, L), honest(0, L))] * 15, repetition=r) for r in range(1, 6)]
    games += [deliberation(SH, [(silent(0, L), silent(0, L))] * 15)]
    games += [
        deliberation(f"x-parameterised({x})", [(silent(a, L), silent(0, L))] * 15, ("private", "TFT"))
        for x, a in ((1, 0), (10, 1))
        for _ in range(3)
    ]
    types = [
        ("game_0", r, s, "private", "public" if s == 1 else "private") for r in (1, 2, 3) for s in (1, 2)
    ]
    return log_with(*games, types=types)


@pytest.fixture(scope="module")
def made(log: GameLog, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    folder = tmp_path_factory.mktemp("results")
    (folder / "sampling").mkdir()
    found = {"model": "m", "verdict": "none compatible", "distributions": []}
    (folder / "sampling" / "sampling.json").write_text(json.dumps(found))
    return write_results(log, folder, bootstrap=50), folder


def table(made: tuple[dict, Path], name: str) -> pd.DataFrame:
    return pd.read_csv(made[1] / f"{name}.csv")


@pytest.mark.slow
def test_every_part_is_there(made: tuple[dict, Path]) -> None:
    result, folder = made
    published = {one["published"] for one in (*result.tables, *result.figures)}
    assert {
        "figure 3",
        "figure 4",
        "figure 6",
        "figure 7a, 7b",
        "figure 8a",
        "figure 9",
        "table 2",
    } <= published
    assert all((folder / one["file"]).is_file() for one in (*result.tables, *result.figures))
    assert result.skipped == []


@pytest.mark.slow
def test_the_game_over_x_has_its_own_planes(made: tuple[dict, Path]) -> None:
    drawn = {one["name"]: one["published"] for one in made[0].figures}
    assert drawn["equilibria"] == "table 2"
    assert drawn["equilibria_over_x"] is None
    assert not any(name.startswith("utility-x") for name in drawn)
    by_iteration = table(made, "utility_by_iteration")
    assert set(by_iteration["game"]) == set(table(made, "equilibria")["game"])


@pytest.mark.slow
def test_verdicts_follow_the_play(made: tuple[dict, Path]) -> None:
    verdicts = {v["claim"]: v["verdict"] for v in made[0].verdicts}
    assert verdicts[f"{PD}: the private agent does better than public"] == "supported"
    assert verdicts[f"{SH}: the private agent does better than public"] == "undecided"  # one game
    assert all(set(v) == VERDICT for v in made[0].verdicts)
    assert verdicts["m can sample from a distribution"] == "not supported"
    assert verdicts["models cooperate less at x = 10 than at x = 1"] == "undecided"  # three games say little


@pytest.mark.slow
def test_published_numbers_stand_beside_ours(made: tuple[dict, Path]) -> None:
    rows = table(made, "utilities").set_index(["game", "agent", "panel"])
    row = rows.loc[(PD, "private", "7b")]
    assert (row["estimate"], row["sd"], row["published_mean"]) == (0, 0, 1.43)
    assert rows.loc[(SH, "private", "8a"), "note"].startswith("infeasible")
    assert any("stag hunt" in note for note in made[0].notes)


@pytest.mark.slow
def test_models_are_judged_apart_and_five_games_are_needed(tmp_path: Path) -> None:
    games = [
        deliberation(f"x-parameterised({x})", [(silent(a, L), silent(0, L))] * 3, ("private", "TFT"), model=m)
        for m, n in (("one", 5), ("two", 4))
        for x, a in ((1, 0), (10, 1))
        for _ in range(n)
    ]
    found = write_results(log_with(*games), tmp_path, bootstrap=100).verdicts
    told = {v["claim"].partition(":")[0]: v["verdict"] for v in found if v["hypothesis"] == "sensitivity"}
    assert told == {"one": "supported", "two": "undecided"}


@pytest.mark.slow
def test_what_the_study_did_not_play_has_no_published_verdict(made: tuple[dict, Path]) -> None:
    told = {v["claim"]: v["published"] for v in made[0].verdicts}
    assert told[f"{PD}: the private agent does better than public"] == "supported"
    elsewhere = [claim for claim in told if claim.startswith("stag-hunt") and claim.endswith("TFT")]
    assert all(told[claim] is None for claim in elsewhere)


def test_many_groups_are_shown_on_several_pages() -> None:
    assert list(paged("abcde", 2)) == [("-1", "ab"), ("-2", "cd"), ("-3", "e")]
    assert list(paged("ab", 2)) == [("", "ab")]
    assert list(paged("", 2)) == []


@pytest.mark.slow
def test_rows_beside_no_published_number_stand_once(made: tuple[dict, Path]) -> None:
    rows = table(made, "utilities")
    assert not rows.duplicated().any()


@pytest.mark.slow
def test_the_liar_is_found(made: tuple[dict, Path]) -> None:
    rows = table(made, "deception").query(f"game == '{PD}'").set_index(["measure", "agent"])["estimate"]
    assert rows["intended_deceptive", "private"] == 1
    assert rows["deceptive", "public"] == 0


@pytest.mark.slow
def test_equilibria_stand_beside_the_play(made: tuple[dict, Path]) -> None:
    rates = table(made, "equilibrium_rates").set_index(["game", "kind"])
    assert rates.loc[(SH, "pareto"), ["estimate", "published_kind"]].tolist() == [1, True]
    assert rates.loc[(PD, "nash"), "estimate"] == 0


@pytest.mark.slow
def test_what_a_log_cannot_give_is_listed(tmp_path: Path) -> None:
    result = write_results(log_with(deliberation(PD, [(silent(0, L), silent(1, L))])), tmp_path, bootstrap=20)
    names = {one["name"] for one in result.skipped}
    assert {"opponent_types", "cooperation_over_x", "deception", "H1", "H2"} <= names


def test_games_of_three_are_refused(tmp_path: Path) -> None:
    games = pd.DataFrame({"game_id": ["g"], "n_players": [3], "rounds_played": [0], "repetition": [1]})
    seats = pd.DataFrame({"game_id": ["g"] * 3, "seat": [1, 2, 3], "focal": [True] * 3})
    moves = pd.DataFrame(
        {"game_id": ["g"], "round": [1], "step": [1], "seat": [1], "action": ["a"], "status": ["parsed"]}
    )
    with pytest.raises(UsageError, match="two players"):
        write_results(GameLog(games, seats, moves), tmp_path)
