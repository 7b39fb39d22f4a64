"""FAIRGAME's payoffs as documented, as configured, and as scored in the public log."""

from __future__ import annotations

import ast
import csv
import gzip
import json
from pathlib import Path

import pytest

from intent.games.catalogue import FAIRGAME_KINDS, FAIRGAME_TABLES

A, B = "OptionA", "OptionB"


@pytest.mark.parametrize(
    ("game", "payoff_type", "aa", "ab", "ba", "bb", "cooperation"),
    [
        ("prisoner-dilemma", "conventional", (6, 6), (0, 10), (10, 0), (2, 2), B),
        ("prisoner-dilemma", "harsh", (8, 8), (0, 10), (10, 0), (5, 5), B),
        ("prisoner-dilemma", "mild", (8, 8), (0, 10), (10, 0), (2, 2), B),
        ("snow-drift", "conventional", (6, 6), (2, 10), (10, 2), (0, 0), A),
        ("stag-hunt", "conventional", (8, 8), (0, 6), (6, 0), (4, 4), A),
        ("harmony-game", "conventional", (10, 10), (6, 4), (4, 6), (2, 2), A),
    ],
)
def test_symmetric_games(
    game: str, payoff_type: str, aa: object, ab: object, ba: object, bb: object, cooperation: str
) -> None:
    (table,) = FAIRGAME_TABLES[game, payoff_type]
    assert [table.payoff(joint) for joint in ((A, A), (A, B), (B, A), (B, B))] == [aa, ab, ba, bb]
    assert table.cooperative_label == cooperation
    assert table.kind == FAIRGAME_KINDS[game]


def test_battle_of_the_sexes_was_scored_in_two_ways() -> None:
    config, other = FAIRGAME_TABLES["battle-sexes", "conventional"]
    assert config.payoffs == (((10, 7), (0, 0)), ((0, 0), (7, 10)))
    assert other.payoffs == (((10, 10), (0, 0)), ((0, 0), (7, 7)))
    assert config.cooperative_label is other.cooperative_label is None


def test_only_the_prisoners_dilemma_is_in_penalties() -> None:
    assert {game for game, kind in FAIRGAME_KINDS.items() if kind == "penalty"} == {"prisoner-dilemma"}
    assert {game for game, _ in FAIRGAME_TABLES} == set(FAIRGAME_KINDS)


@pytest.mark.data
def test_every_round_of_the_public_log_is_scored_by_one_of_the_tables(data_dir: Path) -> None:
    seen: dict[tuple[str, str], set[tuple[str, str, float, float]]] = {}
    with gzip.open(data_dir / "fairgame" / "results.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter=";"):
            columns = ("agent1_strategies", "agent2_strategies", "agent1_scores", "agent2_scores")
            rounds = zip(*(ast.literal_eval(row[column]) for column in columns), strict=True)
            seen.setdefault((row["game"], row["payoff_type"]), set()).update(rounds)
    assert seen.keys() == FAIRGAME_TABLES.keys()
    for key, rounds in seen.items():
        assert rounds == {
            (a, b, *table.payoff((a, b))) for table in FAIRGAME_TABLES[key] for a in (A, B) for b in (A, B)
        }


@pytest.mark.data
def test_published_configs_hold_the_first_table(data_dir: Path) -> None:
    for path in (data_dir / "fairgame" / "configs").glob("*.json"):
        matrix = json.loads(path.read_text(encoding="utf-8"))["payoffMatrix"]
        labels = next(iter(matrix["strategies"].values()))
        words = path.stem.split("_")
        game = f"{words[0]}-{words[1]}"
        table = FAIRGAME_TABLES[game, words[-1]][0]
        for key, joint in matrix["combinations"].items():
            scores = tuple(matrix["weights"][weight] for weight in matrix["matrix"][key])
            assert table.payoff([labels[option] for option in joint]) == scores, path.name
