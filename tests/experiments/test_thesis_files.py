"""The thesis's own files, written as it describes them, are read with cooperation the right way round."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from experiments.agent_architectures.authors import read_authors
from experiments.agent_architectures.results import incentives
from intent.base.errors import DataError

POINTS = {"dilemma": (15, 10, 5, 0), "delight": (0, 5, 10, 15), "confusion": (10, 15, 5, 0)}
HEADING = (
    "round,agent_choice,opponent_choice,agent_score,opponent_score,Q1,Q2,Q3,Q4,attitude,n_rounds,architecture"
)
NAMED = {"C": "Cooperate", "D": "Defect"}


def written(
    folder: Path, game: str, own: str, other: str, *, column: bool = True, years: bool = False
) -> Path:
    t, r, p, s = ((15 - one if years else one) for one in POINTS[game])
    pays = {"CC": (r, r), "CD": (s, t), "DC": (t, s), "DD": (p, p)}
    joint = [pays[a + b] for a, b in zip(own, other, strict=True)]
    totals = [list(accumulate(pair[seat] for pair in joint)) for seat in (0, 1)]
    path = folder / f"{game}.csv"
    lines = [HEADING + ",opponent_strategy,model" + (",Dilemma" if column else "")]
    for k, (a, b) in enumerate(zip(own, other, strict=True)):
        sums = ",".join(str(total[k]) for total in totals)
        answers = f'cooperate,{k + 1},"MAXIMUM:15, MINIMUM:0",99'
        named = f",Prisoner's {game}" if column else ""
        lines.append(
            f"{k + 1},{NAMED[a]},{NAMED[b].lower()},{sums},{answers},defect,{len(own)},tool,TitForTat,"
            f"gpt-4o-mini{named}"
        )
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("years", [False, True])
@pytest.mark.parametrize("column", [False, True])
def test_each_game_keeps_its_incentive_and_cooperation_its_side(
    tmp_path: Path, column: bool, years: bool
) -> None:
    for game in POINTS:
        written(tmp_path, game, "CDD", "CCD", column=column, years=years)
    log = read_authors(tmp_path)
    assert sorted(incentives(log).values()) == ["confusion", "delight", "dilemma"]
    assert all(
        incentives(log)[i] == game for i, game in zip(log.games["game_id"], log.games["game"], strict=True)
    )
    assert set(log.games["cooperative_action"]) == {"Cooperate"}
    agent = log.moves[log.moves["seat"] == 1]
    assert agent["cooperated"].tolist() == [True, False, False] * 3
    seat = log.seats[log.seats["seat"] == 1].iloc[0]
    assert (seat["model"], seat["architecture"], seat["attitude"]) == ("gpt-4o-mini", "tool", "defect")
    assert set(log.seats.loc[log.seats["seat"] == 2, "strategy"]) == {"TFT"}
    assert log.questions is not None
    right = log.questions.groupby("question")["correct"].agg(lambda one: sum(one == True))  # noqa: E712
    assert (right["rounds_so_far"], right["maximum"], right["total_so_far"]) == (9, 9, 0)


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, "dilemma", "CD", "CC")
    path.write_text(path.read_text().replace("Defect,cooperate", "Maybe,cooperate"))
    with pytest.raises(
        DataError, match=r"dilemma.csv line 3: agent_choice is 'Maybe', expected Cooperate or Defect"
    ):
        read_authors(path)
    path = written(tmp_path, "dilemma", "CD", "CC")
    path.write_text(path.read_text().replace("Prisoner's dilemma", "Confusion"))
    with pytest.raises(
        DataError, match=r"line \d: agent_score is 10, expected 0 years or 15 points of confusion"
    ):
        read_authors(path)
    path = written(tmp_path, "delight", "CD", "CC", column=False).rename(tmp_path / "x.csv")
    with pytest.raises(DataError, match="named by nothing, expected dilemma, delight or confusion"):
        read_authors(path)
