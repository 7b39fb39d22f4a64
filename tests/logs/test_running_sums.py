"""Running sums beside a partner, several pairs of one match number: steps are payoffs, or it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from intent.base.errors import DataError
from intent.logs.readers import read_log

PAYS = {"XX": 3, "XY": 0, "YX": 5, "YY": 1}

Row = tuple[int, str, str, int, str, int]


def lab(matches: int = 4, rounds: int = 5) -> list[Row]:
    """Match, subject, partner, round, move and payoff of eight people who meet in four pairs a match."""
    rng = np.random.default_rng(7)
    rows: list[Row] = []
    for match in range(1, matches + 1):
        order = rng.permutation(8)
        for pair in order.reshape(-1, 2):
            one, two = (f"s{i}" for i in pair)
            for t in range(1, rounds + 1):
                a, b = rng.choice(["X", "Y"], 2)
                rows += [(match, one, two, t, a, PAYS[a + b]), (match, two, one, t, b, PAYS[b + a])]
    return sorted(rows, key=lambda row: (row[0], row[3], row[1]))


def summed(rows: list[Row], key: Callable[[Row], object]) -> list[tuple[object, ...]]:
    sums: dict[object, int] = {}
    out: list[tuple[object, ...]] = []
    for row in rows:
        sums[key(row)] = sums.get(key(row), 0) + row[5]
        out.append((*row[:5], sums[key(row)]))
    return out


def written(path: Path, head: str, rows: list[tuple[object, ...]]) -> Path:
    path.write_text(head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


WAYS = {
    "anew in each match": lambda row: (row[0], row[1]),
    "of all matches": lambda row: row[1],
}


@pytest.mark.parametrize("name", ["score", "points_total", "cumulative_points"])
@pytest.mark.parametrize("way", WAYS)
def test_the_steps_of_a_sum_are_the_payoffs(way: str, name: str, tmp_path: Path) -> None:
    rows = lab()
    head = f"match,subject,partner,round,choice,{name}"
    log = read_log(written(tmp_path / "a.csv", head, summed(rows, WAYS[way])), payoff_kind="reward")
    assert f"payoffs are the steps of the running sum {name}" in log.provenance["notes"]
    moves = log.moves.merge(log.seats[["game_id", "seat", "player"]], on=["game_id", "seat"])
    moves["match"] = moves["game_id"].astype(str).str.partition("-")[0].astype(int)
    read = zip(moves["match"], moves["player"], moves["round"], moves["action"], moves["payoff"], strict=True)
    assert sorted(read) == sorted((m, who, t, a, p) for m, who, _, t, a, p in rows)
    assert log.games["cooperative_action"].unique().tolist() == ["X"]


def test_partners_without_a_number_of_the_match(tmp_path: Path) -> None:
    rows = summed(lab(), WAYS["anew in each match"])
    rows = [row[1:] for row in sorted(rows, key=lambda row: (str(row[1]), row[0], row[3]))]
    log = read_log(written(tmp_path / "a.csv", "subject,partner,round,choice,points", rows))
    assert len(log) == 16
    assert set(log.moves["payoff"]) == {0, 1, 3, 5}


def test_a_sum_that_does_not_follow_from_the_moves_is_asked(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = summed([(*row[:5], int(rng.integers(1, 9))) for row in lab()], WAYS["anew in each match"])
    path = written(tmp_path / "a.csv", "match,subject,partner,round,choice,score", rows)
    with pytest.raises(DataError, match=r"score only grows .* --map total=score") as error:
        read_log(path, payoff_kind="reward")
    assert "\n" not in str(error.value)


def test_payoffs_by_round_stay_payoffs(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "match,subject,partner,round,choice,points", [*lab()])
    log = read_log(path)
    assert set(log.moves["payoff"]) == {0, 1, 3, 5}
    assert log.games["payoff_kind"].unique().tolist() == ["reward"]
