"""What every layout of a foreign log keeps: its play, a mapping that reads it again, a list of strays."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from intent.logs.importer.mapping import LogMapping
from intent.logs.readers import read_log

PLAY = (("ann", "bob", "CCDC", "DCCD"), ("cid", "dan", "DDCC", "CDDC"), ("eve", "fay", "CDCD", "CCCD"))
"""Players and moves of three games."""

Game = tuple[str, str, str, str]


def by_player(game: Game, number: int) -> list[tuple[int, str, str, int, str, str]]:
    """Game, player, partner, round, own and other's move, row by row."""
    one, two, first, second = game
    rows = zip(range(1, 5), first, second, strict=True)
    return [(number, *row) for t, a, b in rows for row in ((one, two, t, a, b), (two, one, t, b, a))]


def table(head: str, row: Callable[..., tuple[object, ...]], games: tuple[Game, ...]) -> str:
    lines = [row(*cells) for n, game in enumerate(games) for cells in by_player(game, n)]
    return head + "\n" + "".join(",".join(map(str, line)) + "\n" for line in lines)


def per_game(head: str, row: Callable[[Game, int], tuple[object, ...]], games: tuple[Game, ...]) -> str:
    return head + "\n" + "".join(",".join(map(str, row(g, n))) + "\n" for n, g in enumerate(games))


def rounds(name: str) -> str:
    return ",".join(name.replace("#", str(t)) for t in range(1, 5))


def both_rows(games: tuple[Game, ...]) -> str:
    lines = [
        f"{n},{t},{one},{two},{a},{b}"
        for n, (one, two, first, second) in enumerate(games)
        for t, (a, b) in enumerate(zip(first, second, strict=True), start=1)
    ]
    return "\n".join(["match_id,round,agent1,agent2,agent1_move,agent2_move", *lines]) + "\n"


def records(games: tuple[Game, ...]) -> list[dict[str, object]]:
    rows = [row for n, game in enumerate(games) for row in by_player(game, n)]
    return [{"match": n, "player": p, "round": t, "move": a} for n, p, _, t, a, _ in rows]


def by_round(games: tuple[Game, ...]) -> list[dict[str, object]]:
    return [
        {
            "match": n,
            "rounds": [
                {"round": t, one: a, two: b}
                for t, (a, b) in enumerate(zip(first, second, strict=True), start=1)
            ],
        }
        for n, (one, two, first, second) in enumerate(games)
    ]


SHAPES: dict[str, tuple[str, Callable[[tuple[Game, ...]], str]]] = {
    "long with a match": (
        "a.csv",
        lambda games: table("match,subject,period,choice", lambda n, p, o, t, a, b: (n, p, t, a), games),
    ),
    "long with a partner": (
        "a.csv",
        lambda games: table("subject,partner,round,choice", lambda n, p, o, t, a, b: (p, o, t, a), games),
    ),
    "session, supergame and pair": (
        "a.csv",
        lambda games: table(
            "session,supergame,pair,subject,round,decision",
            lambda n, p, o, t, a, b: (1, 1, n, p, t, a),
            games,
        ),
    ),
    "both players in a row": ("a.csv", both_rows),
    "a row per subject": (
        "a.csv",
        lambda games: (
            f"subject,opponent,{rounds('r#')}\n"
            + "".join(
                f"{p},{o},{','.join(m)}\n"
                for one, two, a, b in games
                for p, o, m in ((one, two, a), (two, one, b))
            )
        ),
    ),
    "a row per pair": (
        "a.csv",
        lambda games: per_game(
            f"session,subject1,subject2,{rounds('r#_1')},{rounds('r#_2')}",
            lambda game, n: (n, *game[:2], *game[2], *game[3]),
            games,
        ),
    ),
    "strings of moves": (
        "a.csv",
        lambda games: per_game("player1,player2,moves1,moves2", lambda game, n: game, games),
    ),
    "lists of moves": (
        "a.csv",
        lambda games: per_game(
            "game_id,agent1,agent2,actions1,actions2",
            lambda game, n: (n, *game[:2], *(f'"{[*m]}"' for m in game[2:])),
            games,
        ),
    ),
    "words of moves": (
        "a.csv",
        lambda games: per_game(
            "player_a,player_b,moves_a,moves_b",
            lambda game, n: (*game[:2], *(f'"{",".join(m)}"' for m in game[2:])),
            games,
        ),
    ),
    "moves of a player in a cell": (
        "a.csv",
        lambda games: (
            "match,player,moves\n"
            + "".join(
                f"{n},{p},{m}\n" for n, g in enumerate(games) for p, m in zip(g[:2], g[2:], strict=True)
            )
        ),
    ),
    "both moves of all rounds in a cell": (
        "a.csv",
        lambda games: per_game(
            "game,player1,player2,history",
            lambda game, n: (n, *game[:2], " ".join(map("".join, zip(*game[2:], strict=True)))),
            games,
        ),
    ),
    "lists of both moves in a cell": (
        "a.csv",
        lambda games: per_game(
            "game,player1,player2,history",
            lambda game, n: (n, *game[:2], f'"{[*map(list, zip(*game[2:], strict=True))]}"'),
            games,
        ),
    ),
    "JSON lines": ("a.jsonl", lambda games: "".join(json.dumps(row) + "\n" for row in records(games))),
    "JSON by round": ("a.json", lambda games: json.dumps(by_round(games))),
    "JSON with names above": (
        "a.json",
        lambda games: json.dumps(
            [
                {
                    "player1": one,
                    "player2": two,
                    "rounds": [{"player1": a, "player2": b} for a, b in zip(first, second, strict=True)],
                }
                for one, two, first, second in games
            ]
        ),
    ),
    "seats that name the players": (
        "a.csv",
        lambda games: (
            "match,round,A,B,A_choice,B_choice\n"
            + "".join(
                f"{n},{t},{one},{two},{a},{b}\n"
                for n, (one, two, first, second) in enumerate(games)
                for t, (a, b) in enumerate(zip(first, second, strict=True), start=1)
            )
        ),
    ),
    "JSON by agent": (
        "a.json",
        lambda games: json.dumps(
            [
                {"id": n, "agents": {one: {"moves": [*a]}, two: {"moves": [*b]}}}
                for n, (one, two, a, b) in enumerate(games)
            ]
        ),
    ),
}
"""Layout -> name of the file, and its text for some games."""


@pytest.fixture(params=sorted(SHAPES))
def shape(request) -> str:
    return str(request.param)


def laid_out(shape: str, folder: Path, games: tuple[Game, ...] = PLAY) -> Path:
    name, text = SHAPES[shape]
    path = folder / name
    path.write_text(text(games))
    return path


def moves(log) -> list[str]:
    """The moves of every seat of a player, in order, without regard of the names of games."""
    rows = log.moves.sort_values(["game_id", "seat", "round"], kind="stable")
    joined = rows.groupby(["game_id", "seat"], observed=True)["action"].agg(lambda m: "".join(map(str, m)))
    return sorted(joined)


def test_the_play_comes_back(shape, tmp_path):
    log = read_log(laid_out(shape, tmp_path))
    assert moves(log) == sorted(m for game in PLAY for m in game[2:])
    assert len(log.games) == 3
    assert log.trajectories().own.sum() == sum(m.count("C") for game in PLAY for m in game[2:])


def test_players_are_subjects(shape, tmp_path):
    log = read_log(laid_out(shape, tmp_path))
    assert sorted(log.seats["player"]) == ["ann", "bob", "cid", "dan", "eve", "fay"]


def test_a_kept_mapping_reads_a_file_alike(shape, tmp_path):
    log = read_log(laid_out(shape, tmp_path))
    if "mapping" not in log.provenance:  # names that leave nothing open need none
        assert log.provenance["format"] == "tidy"
        return
    kept = tmp_path / "kept.yaml"
    kept.write_text(LogMapping.model_validate(log.provenance["mapping"]).to_yaml())
    again = (("gus", "hal", "CDDD", "DDCC"),)
    (tmp_path / "next").mkdir()
    assert moves(read_log(laid_out(shape, tmp_path / "next", again), mapping=str(kept))) == ["CDDD", "DDCC"]


def test_a_third_action_is_listed_and_the_rest_goes_on(shape, tmp_path):
    broken = (*PLAY, ("ivy", "joe", "CXDC", "CCDD"))
    log = read_log(laid_out(shape, tmp_path, broken), cooperate="C:D")
    assert len(log.rejects) == 1
    assert "'X', expected C or D" in log.rejects["reason"].item()
    assert [m for m in moves(log) if m in {a for game in PLAY for a in game[2:]}]


def test_a_frame_is_read_as_its_file(shape, tmp_path):
    path = laid_out(shape, tmp_path)
    if path.suffix == ".csv":
        frame = pd.read_csv(io.StringIO(path.read_text()))
        assert moves(read_log(frame)) == moves(read_log(path))


def test_a_file_cut_short_is_one_line(shape, tmp_path):
    from intent.base.errors import IntentError

    path = laid_out(shape, tmp_path)
    path.write_text(path.read_text()[:30])
    with pytest.raises(IntentError) as error:
        read_log(path)
    assert "\n" not in str(error.value)
