"""Moves of the public logs, replayed through the referee, give the published scores exactly."""

from __future__ import annotations

import ast
import csv
import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from intent.games.catalogue import public_goods
from intent.games.fairgame import FAIRGAME_TABLES
from intent.games.game import Game
from intent.play.drive import play
from intent.play.horizon import Horizon
from intent.play.players import SequencePlayer

pytestmark = pytest.mark.data


def cells(row: dict[str, str], what: str, seats: int) -> list[list[object]]:
    return [ast.literal_eval(row[f"agent{seat}_{what}"]) for seat in range(1, seats + 1)]


def scores(stage: Game, moves: list[list[object]]) -> list[list[object]]:
    """Scores by seat of given moves by seat."""
    players = [SequencePlayer([str(action) for action in row]) for row in moves]
    match = play(stage, players, Horizon(len(moves[0])), np.random.default_rng(0))
    return [list(match.payoffs(seat)) for seat in range(1, len(moves) + 1)]


def fairgame_rows(folder: Path) -> Iterator[dict[str, str]]:
    with gzip.open(folder / "fairgame" / "results.csv.gz", "rt", encoding="utf-8") as file:
        yield from islice(csv.DictReader(file, delimiter=";"), 0, None, 21)


def test_fairgame_scores(data_dir: Path) -> None:
    n = 0
    for row in fairgame_rows(data_dir):
        published, moves = cells(row, "scores", 2), cells(row, "strategies", 2)
        tables = FAIRGAME_TABLES[row["game"], row["payoff_type"]]
        assert any(scores(table, moves) == published for table in tables), row["game_id"]
        n += 1
    assert n == 300


def test_public_goods_scores_to_the_last_digit(data_dir: Path) -> None:
    n = 0
    for path in (data_dir / "fairgame_public_goods" / "results").rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                published = cells(row, "scores", 3)
                assert repr(scores(public_goods(2.0), cells(row, "strategies", 3))) == repr(published), (
                    path.name
                )
                n += 1
    assert n == 4 * 27
