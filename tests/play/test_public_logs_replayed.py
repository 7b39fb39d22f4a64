"""Moves of the public logs, replayed through the referee, give the published files again."""

from __future__ import annotations

import ast
import csv
import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from intent.games.catalogue import FAIRGAME_TABLES, public_goods
from intent.games.game import Game
from intent.logs.stores.fairgame import write_fairgame_csv
from intent.play.match import Horizon, Match, to_log
from intent.play.players import SequencePlayer
from intent.play.referee import play

pytestmark = pytest.mark.data

SEAT_COLUMNS = {
    "agent_name": "name",
    "model": "llm",
    "persona": "personality",
    "opponent_persona_probability": "knows_opponent_with_prob",
}


def replayed(stage: Game, row: Mapping[str, str]) -> Match:
    """The match of a row's moves, described as the row describes it."""
    seats = range(1, stage.n_players + 1)
    moves = {seat: ast.literal_eval(row[f"agent{seat}_strategies"]) for seat in seats}
    described = [{ours: row[f"agent{s}_{theirs}"] for ours, theirs in SEAT_COLUMNS.items()} for s in seats]
    horizon = Horizon(int(row["max_rounds"]), known=row["n_rounds_is_known"] == "True")
    played = play(stage, [SequencePlayer(moves[s]) for s in seats], horizon, np.random.default_rng(0))
    conditions = {"language": row["language"], "agents_communicate": False}
    return Match(stage, horizon, played.rounds, tuple(described), conditions)


def fairgame_rows(folder: Path) -> Iterator[dict[str, str]]:
    with gzip.open(folder / "fairgame" / "results.csv.gz", "rt", encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter=";")


def public_goods_rows(folder: Path) -> Iterator[dict[str, str]]:
    for path in sorted((folder / "fairgame_public_goods" / "results").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def table_of(row: Mapping[str, str]) -> Game:
    """The matrix that explains a row's scores: battle of the sexes was scored with two."""
    tables = FAIRGAME_TABLES[row["game"], row["payoff_type"]]
    if len(tables) == 1:
        return tables[0]
    strategies, scores = (
        list(zip(*(ast.literal_eval(row[f"agent{seat}_{what}"]) for seat in (1, 2)), strict=True))
        for what in ("strategies", "scores")
    )
    return next(t for t in tables if [t.payoff(joint) for joint in strategies] == scores)


def assert_written_as_published(
    matches: list[Match], rows: list[dict[str, str]], columns: list[str], tmp_path: Path
) -> None:
    """All cells are the same texts, the name of the game aside."""
    with write_fairgame_csv(to_log(matches), tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert list(written[0])[: len(columns)] == columns
    wanted = [{name: row[name] for name in columns[1:]} for row in rows]
    assert [{name: row[name] for name in columns[1:]} for row in written] == wanted


@pytest.mark.slow
def test_all_fairgame_rows_to_the_last_digit(data_dir: Path, tmp_path: Path) -> None:
    rows = list(fairgame_rows(data_dir))
    assert len(rows) == 6300
    matches = [replayed(table_of(row), row) for row in rows]
    assert_written_as_published(matches, rows, list(rows[0])[:20], tmp_path)


def test_every_thirtieth_fairgame_row(data_dir: Path, tmp_path: Path) -> None:
    rows = list(fairgame_rows(data_dir))[::30]
    matches = [replayed(table_of(row), row) for row in rows]
    assert_written_as_published(matches, rows, list(rows[0])[:20], tmp_path)


def test_public_goods_to_the_last_digit(data_dir: Path, tmp_path: Path) -> None:
    rows = list(public_goods_rows(data_dir))
    assert len(rows) == 4 * 27
    matches = [replayed(public_goods(2.0), row) for row in rows]
    assert_written_as_published(matches, rows, list(rows[0]), tmp_path)
