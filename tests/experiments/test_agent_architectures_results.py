"""`intent results --paper agent_architectures` on logs whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd
import play_logs
import pytest

from experiments.agent_architectures.hypotheses import HYPOTHESES
from experiments.agent_architectures.results import incentives
from experiments.agent_architectures.tables import printed, sfem_of
from intent import GameLog
from intent.base import codebook
from intent.base.errors import UnknownNameError, UsageError
from intent.cli.main import main
from intent.games.game import MatrixGame
from intent.logs.stores import write_log
from intent.report.results import results

YEARS = {"dilemma": (0, 5, 10, 15), "delight": (15, 10, 5, 0), "confusion": (5, 0, 10, 15)}
GAMES = {
    name: replace(
        MatrixGame.from_trps(name, *years, "penalty", ("Cooperate", "Defect")), cooperate="Cooperate"
    )
    for name, years in YEARS.items()
}
PLAIN = (("plain", None),)
AGENTS = (*PLAIN, *product(("tool", "debate"), ("cooperate", "defect", "compute")))


def thesis_log(
    agents: Sequence[tuple[str, str | None]] = AGENTS, models: Sequence[str] = ("a", "b")
) -> GameLog:
    """The grid with agents that do what they are advised, and otherwise what pays at once."""
    made = []
    for model, (architecture, attitude), opponent, n, game in product(
        models, agents, ("ALLC", "ALLD", "TFT"), (4, 6), GAMES
    ):
        best = "D" if game == "dilemma" else "C"
        own = {"cooperate": "C", "defect": "D"}.get(str(attitude), best) * n
        other = {"ALLC": "C" * n, "ALLD": "D" * n, "TFT": "C" + own[:-1]}[opponent]
        seats = (
            {"model": model, "architecture": architecture, "attitude": attitude},
            {"strategy": opponent, "architecture": "scripted"},
        )
        made.append(replace(play_logs.match(GAMES[game], own, other), seats=seats))
    return play_logs.log_of(*made)


def test_games_are_told_apart_by_their_payoffs() -> None:
    log = thesis_log(PLAIN, "a")
    found = [incentives(log)[game_id] for game_id in log.games["game_id"]]
    assert found == log.games["game"].tolist()


def test_a_log_of_plain_agents_gives_what_it_can_and_says_what_it_cannot(tmp_path: Path) -> None:
    made = results(thesis_log(PLAIN), "agent_architectures", tmp_path / "o", bootstrap=50)
    assert set(made.to_dict()) == set(codebook.JSON_OBJECTS["results"])
    assert all((tmp_path / "o" / one["file"]).is_file() for one in (*made.tables, *made.figures))
    lost = {one["name"] for one in made.skipped}
    assert {"comprehension", "shap_tool", "shap_debate"} <= lost
    assert {one["verdict"] for one in made.verdicts} == {"undecided"}
    behaviour = pd.read_csv(tmp_path / "o" / "behaviour_plain.csv").set_index("games")
    assert behaviour.loc["all", "CR"] == pytest.approx(2 / 3)
    assert behaviour.loc["published: gpt-4o-mini", "Em"] == 0.95
    fits = pd.read_csv(tmp_path / "o" / "sfem.csv")
    assert fits[["model", "n_games", "best", "match"]].to_numpy().tolist() == [
        ["a", 6, "ALLD", 1.0],
        ["b", 6, "ALLD", 1.0],
    ]


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_whole_thesis_from_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(thesis_log(), tmp_path / "log")
    options = ["--paper", "agent_architectures", "--bootstrap", "500", "-o", str(tmp_path / "o"), "--json"]
    with pytest.raises(SystemExit) as done:
        main(["results", str(tmp_path / "log"), *options])
    assert done.value.code == 0
    made = json.loads(capsys.readouterr().out)
    verdicts = {one["hypothesis"]: one["verdict"] for one in made["verdicts"]}
    assert verdicts["HT1"] == "supported"
    assert verdicts["HD3"] == "undecided"
    assert {"shap_bars_tool", "shap_violins_debate", "behaviour_by_architecture"} <= {
        one["name"] for one in made["figures"]
    }
    games = pd.read_csv(tmp_path / "o" / "games.csv")
    assert len(games) == 252
    assert {"Model", "Arch", "OppStr", "Att", "NR", "Game", "CR", "N", "TM", "Ret", "For", "Em"} <= {*games}
    importances = pd.read_csv(tmp_path / "o" / "importances.csv")
    first = importances[(importances["target"] == "cooperation_rate")].groupby("architecture").first()
    assert first["feature"].tolist() == ["attitude", "attitude"]


def test_published_strategies_stand_beside_models_however_they_are_named() -> None:
    assert sfem_of("tool", "openai/gpt-4o-mini") == ("ALLD", 0.66)
    assert sfem_of("tool", "gpt-4o-mini-2024-07-18") == ("ALLD", 0.66)
    assert sfem_of("tool", "openai/gpt-4o") is None
    assert sfem_of("plain", "gpt-4o-mini") is None


def test_printed_numbers_are_data_and_complete() -> None:
    values = printed()
    assert values.groupby("table").size().to_dict() == {
        **dict.fromkeys(("Table 3.1", "Table 3.3", "Table 3.6"), 10),
        **dict.fromkeys(("Table 3.2", "Table 3.4", "Table 3.7"), 18),
        **dict.fromkeys(("Table 3.5", "Table 3.8"), 4),
    }
    both = values[values["column"] == "CR"].set_index(["architecture", "model"])["value"]
    for architecture in ("plain", "tool", "debate"):  # a mean of all is that of two models with as many games
        of_models = [both[architecture, model] for model in ("gpt-4o-mini", "ministral-8b")]
        assert both.loc[architecture][both.loc[architecture].index.isna()].item() == pytest.approx(
            sum(of_models) / 2, abs=0.011
        )
    assert {one.name: one.published for one in HYPOTHESES}["HD2"] == "not supported"


def test_one_game_of_an_agent_with_a_path_for_a_name_stays_in_the_folder(tmp_path: Path) -> None:
    seats = ({"model": "a", "architecture": "../../x"}, {"strategy": "TFT", "architecture": "scripted"})
    one = replace(play_logs.match(GAMES["delight"], "CDCC", "CCDC"), seats=seats)
    made = results(play_logs.log_of(one), "agent_architectures", tmp_path / "deep" / "o", bootstrap=20)
    files = {p for p in tmp_path.rglob("*") if p.is_file()}
    assert {p.parent for p in files} == {tmp_path / "deep" / "o"}
    assert "behaviour_.._.._x" not in {p.stem for p in files}
    assert "sfem" in {one["name"] for one in made.skipped}


def test_what_cannot_be_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean agent_architectures"):
        results(thesis_log(PLAIN, "a"), "agent_architecture", tmp_path)
    scripted = play_logs.log_of(
        replace(play_logs.match(GAMES["dilemma"], "CC", "CC"), seats=({"strategy": "ALLC"},) * 2)
    )
    with pytest.raises(UsageError, match="no seat of a language model"):
        results(scripted, "agent_architectures", tmp_path / "o")


def test_agents_of_whom_no_move_could_be_read_cost_no_other_result(tmp_path: Path) -> None:
    """Figures of their moves are listed as skipped; those of other agents are drawn."""
    silent = {"model": "a", "architecture": "plain", "attitude": None}
    debating = {"model": "a", "architecture": "debate", "attitude": "cooperate"}
    opponent = {"strategy": "ALLC", "architecture": "scripted"}
    one, two = (
        replace(play_logs.match(GAMES["delight"], own, "CCCC"), seats=(first, opponent))
        for own, first in (("....", silent), ("CDCC", debating))
    )
    for name, games, kept in (("both", (one, two), True), ("silent", (one,), False)):
        made = results(play_logs.log_of(*games), "agent_architectures", tmp_path / name, bootstrap=20)
        drawn = {one["name"] for one in made.figures}
        assert ("cooperation_rate_debate_by_attitude_and_game" in drawn) == kept
        assert ("behaviour_by_architecture" in drawn) == kept
        assert "cooperation_rate_plain_by_opponent_and_model" in {one["name"] for one in made.skipped}
