"""Models in the names of players, in cells of both players, and in seats that several of them take."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.logs.importer.importing import import_log
from intent.logs.readers import read_log

GAMES = (
    ("gpt-4", "claude-3", "CCD", "DCC"),
    ("llama-3", "gpt-4", "DDC", "CDC"),
    ("claude-3", "llama-3", "CDC", "CCD"),
)


def by_player(labels: tuple[str, str]) -> list[tuple[object, ...]]:
    """Game, round, label of the seat, model, move."""
    return [
        (g, t, who, model, moves[t - 1])
        for g, (one, two, a, b) in enumerate(GAMES, start=1)
        for t in (1, 2, 3)
        for who, model, moves in ((labels[0], one, a), (labels[1], two, b))
    ]


def written(path: Path, head: str, rows: object) -> Path:
    path.write_text(head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))  # type: ignore[attr-defined]
    return path


def seats(log) -> list[tuple[str, int, str]]:
    return sorted(zip(log.seats["game_id"].astype(str), log.seats["seat"], log.seats["model"], strict=True))


EXPECTED = [
    (str(g), s, m) for g, (one, two, _, _) in enumerate(GAMES, start=1) for s, m in ((1, one), (2, two))
]


@pytest.mark.parametrize("labels", [("1", "2"), ("A", "B"), ("player_1", "player_2")])
@pytest.mark.parametrize("options", [{}, {"cooperate": "C"}])
def test_labels_of_seats_are_no_subjects_where_models_change(labels, options, tmp_path):
    log = read_log(
        written(tmp_path / "a.csv", "game,round,player,model,action", by_player(labels)), **options
    )
    assert seats(log) == EXPECTED
    assert log.seats["player"].isna().all()


def test_a_player_with_one_model_stays_a_player(tmp_path):
    rows = [
        (g, t, who, {"ann": "gpt-4", "bob": "claude-3"}[who], move)
        for g, t, who, _, move in by_player(("ann", "bob"))
    ]
    log = read_log(written(tmp_path / "a.csv", "game,round,player,model,action", rows), cooperate="C")
    assert set(log.seats["player"]) == {"ann", "bob"}


def test_models_tell_seats_apart_where_no_player_is_named(tmp_path):
    rows = [(g, t, model, move) for g, t, _, model, move in by_player(("", ""))]
    log = read_log(written(tmp_path / "a.csv", "game,round,model,action", rows))
    assert {(g, m) for g, _, m in seats(log)} == {(g, m) for g, _, m in EXPECTED}
    assert log.seats["player"].isna().all()
    assert log.trajectories().own.sum() == sum(m.count("C") for game in GAMES for m in game[2:])


def test_players_called_as_models_are_subjects_unless_the_user_says_condition(tmp_path):
    rows = [(g, t, model, move) for g, t, _, model, move in by_player(("", ""))]
    path = written(tmp_path / "a.csv", "match,round,player,action", rows)
    log = read_log(path)
    assert set(log.seats["player"]) == {"gpt-4", "claude-3", "llama-3"}
    assert any("--map model=player makes it a condition" in note for note in log.provenance["notes"])
    other = read_log(path, mapping="model=player")
    assert {(g, m) for g, _, m in seats(other)} == {(g, m) for g, _, m in EXPECTED}
    assert other.seats["player"].isna().all()


@pytest.mark.parametrize("between", [" vs ", " vs. ", "_vs_", " versus ", "-vs-"])
@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("game,matchup,moves1,moves2", lambda g, names, a, b: [(g, names, a, b)]),
        (
            "game,matchup,round,choice1,choice2",
            lambda g, names, a, b: [(g, names, t + 1, a[t], b[t]) for t in range(3)],
        ),
    ],
)
def test_a_cell_that_names_both_is_taken_apart(head, row, between, tmp_path):
    rows = [
        line
        for g, (one, two, a, b) in enumerate(GAMES, start=1)
        for line in row(g, one + between + two, a, b)
    ]
    path = written(tmp_path / "a.csv", head, rows)
    log = read_log(path)
    assert seats(log) == EXPECTED
    assert "matchup names both models of a game, that of seat 1 first" in log.provenance["notes"]
    kept = import_log(path).mapping
    (tmp_path / "kept.yaml").write_text(kept.to_yaml())
    assert seats(read_log(path, mapping=str(tmp_path / "kept.yaml"))) == EXPECTED


def test_people_in_such_a_cell_are_players(tmp_path):
    path = written(
        tmp_path / "a.csv",
        "pairing,moves1,moves2",
        [("ann vs bob", "CCD", "DCC"), ("ann vs cid", "DDC", "CCC")],
    )
    assert read_log(path).seats["player"].tolist() == ["ann", "bob", "ann", "cid"]


def test_a_cell_with_both_names_in_part_is_a_condition(tmp_path):
    path = written(
        tmp_path / "a.csv", "pairing,moves1,moves2", [("ann vs bob", "CCD", "DCC"), ("alone", "DDC", "CCC")]
    )
    log = read_log(path)
    assert log.seats["player"].isna().all()
    assert log.games["pairing"].tolist() == ["ann vs bob", "alone"]
