"""Planted games come back from whatever people write them into, or the line that asks leads to them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from intent.base.errors import DataError
from intent.logs.readers import read_log

POINTS = {"CC": (51, 51), "CD": (22, 63), "DC": (63, 22), "DD": (39, 39)}
OTHER_POINTS = {"CC": (32, 32), "CD": (12, 50), "DC": (50, 12), "DD": (25, 25)}


@dataclass(frozen=True)
class Game:
    """Two players, their joint moves round by round, and what these bring."""

    session: str
    match: int
    players: tuple[str, str]
    rounds: tuple[str, ...]
    points: tuple[tuple[str, tuple[int, int]], ...] = tuple(POINTS.items())

    def own(self, i: int) -> str:
        return "".join(joint[i] for joint in self.rounds)

    def paid(self, i: int) -> list[int]:
        return [dict(self.points)[joint][i] for joint in self.rounds]


def planted(
    seed: int = 1, *, lengths: tuple[int, int] = (4, 7), points: Any = None, first: int = 1
) -> list[Game]:
    """Three matches of six players, who meet anew in each, in each of two sessions."""
    rng = random.Random(seed)
    games = []
    for session in (0, 1):
        people = [str(first + 6 * session + i) for i in range(6)]
        for match in (1, 2, 3):
            order, length = rng.sample(people, 6), rng.randint(*lengths)
            for one, two in zip(order[::2], order[1::2], strict=True):
                players = (one, two) if int(one) < int(two) else (two, one)
                rounds = tuple(rng.choice("CD") + rng.choice("CD") for _ in range(length))
                games.append(Game(f"S{session}", match, players, rounds, tuple((points or POINTS).items())))
    return games


GAMES = planted()
EVEN = planted(lengths=(5, 5))
MODELS = [
    Game("", n, ("gpt-4", "claude-3") if n % 2 else ("llama-3", "gpt-4"), game.rounds)
    for n, game in enumerate(GAMES[:6])
]
ALONE = [Game("", n, ("gpt-4", "gpt-4"), game.rounds) for n, game in enumerate(GAMES[:6])]
TREATED = [planted(1), planted(2, points=OTHER_POINTS, first=101)]

Row = tuple[Any, ...]


def by_player(games: Iterable[Game], row: Callable[..., Row]) -> list[Row]:
    """A row for each round and player, of game, round, seat, both moves (the own first), points."""
    return [
        row(game, t, i, joint[i], joint[1 - i], dict(game.points)[joint][i])
        for game in games
        for t, joint in enumerate(game.rounds, start=1)
        for i in (0, 1)
    ]


def by_round(games: Iterable[Game], row: Callable[..., Row]) -> list[Row]:
    """A row for each round, of the game, number of the round, joint move and both points."""
    return [
        row(game, t, joint, dict(game.points)[joint])
        for game in games
        for t, joint in enumerate(game.rounds, start=1)
    ]


def table(head: str, rows: Iterable[Row], mark: str = ",") -> str:
    lines = [mark.join(map(str, row)) for row in rows]
    return "\n".join([head.replace(",", mark), *lines]) + "\n"


def of_round(head: str, games: list[Game] = GAMES) -> str:
    """A row per round: session, match, round, both players, moves and points."""
    return table(
        head,
        by_round(games, lambda g, t, joint, paid: (g.session, g.match, t, *g.players, *joint, *paid)),
    )


def long_of(head: str, row: Callable[..., Row], games: list[Game] = GAMES, mark: str = ",") -> str:
    return table(head, by_player(games, row), mark)


def of_subject(head: str, row: Callable[[Game, int], Row], games: list[Game] = EVEN) -> str:
    return table(head, [row(game, i) for game in games for i in (0, 1)])


def of_pair(head: str, row: Callable[[Game], Row], games: list[Game] = GAMES) -> str:
    return table(head, map(row, games))


def numbered(pattern: str) -> str:
    return ",".join(pattern.replace("#", str(t)) for t in range(1, 6))


def by_matches() -> str:
    """A row per subject with columns for the rounds of three matches, and the partner of each."""
    people = sorted({(g.session, p) for g in EVEN for p in g.players}, key=lambda one: int(one[1]))
    rows = []
    for session, person in people:
        games = [g for g in EVEN if g.session == session and person in g.players]
        met = [g.players[1 - g.players.index(person)] for g in games]
        rows.append((session, person, *met, *(m for g in games for m in g.own(g.players.index(person)))))
    rounds = ",".join(f"m{m}_r{t}" for m in (1, 2, 3) for t in range(1, 6))
    return table(f"session,subject,partner_m1,partner_m2,partner_m3,{rounds}", rows)


def lab(g: Game, t: int, i: int, own: str, other: str, paid: int) -> Row:
    return (g.session, g.match, t, g.players[i], g.players[1 - i], own, paid)


WORDS = {"C": "kooperieren", "D": "defektieren"}
LAB = "session,match,round,subject,partner,choice,payoff"
SEATS = "session,match,round,{0}{2},{1}{2},{0}_move,{1}_move,{0}_points,{1}_points"

PLAIN: dict[str, tuple[str, str, list[Game], dict[str, Any]]] = {
    "German, with decimal commas": (
        "a.csv",
        "\ufeff"
        + long_of(
            "Sitzung,Teilnehmer,Gegner,Spiel,Runde,Entscheidung,Punkte",
            lambda g, t, i, a, b, p: (
                *(g.session, g.players[i], g.players[1 - i], g.match, t, WORDS[a]),
                f"{p},0",
            ),
            mark=";",
        ).replace("\n", "\r\n"),
        GAMES,
        {},
    ),
    "French, with accents": (
        "a.tsv",
        long_of(
            "séance,joueur,partenaire,partie,manche,choix,gain",
            lambda g, t, i, a, b, p: (
                *(g.session, g.players[i], g.players[1 - i], g.match, t),
                *({"C": "coopérer", "D": "trahir"}[a], p),
            ),
            mark="\t",
        ),
        GAMES,
        {},
    ),
    "Chinese": (
        "a.csv",
        long_of(
            "场次,玩家,对手,局,轮次,选择",
            lambda g, t, i, a, b, p: (
                *(g.session, g.players[i], g.players[1 - i], g.match, t),
                {"C": "合作", "D": "背叛"}[a],
            ),
        ),
        GAMES,
        {},
    ),
    "names of a statistics program": (
        "a.csv",
        long_of(
            "sessionid,matchnum,rnd,subjid,othersubjid,coop,pay",
            lambda g, t, i, a, b, p: (*lab(g, t, i, a, b, p)[:5], int(a == "C"), p),
        ),
        GAMES,
        {},
    ),
    "a column called after defection, with payoffs": (
        "a.csv",
        long_of(
            LAB.replace("choice", "defect"),
            lambda g, t, i, a, b, p: (*lab(g, t, i, a, b, p)[:5], int(a == "D"), p),
        ),
        GAMES,
        {},
    ),
    "amounts of money": (
        "a.csv",
        long_of(LAB, lambda g, t, i, a, b, p: (*lab(g, t, i, a, b, p)[:6], f"${p}.00")),
        GAMES,
        {},
    ),
    "intended and actual choices": (
        "a.csv",
        long_of(
            LAB.replace("choice", "intended_choice,actual_choice"),
            lambda g, t, i, a, b, p: (*lab(g, t, i, a, b, p)[:5], "C" if t == 2 else a, a, p),
        ),
        GAMES,
        {},
    ),
    "rounds by the order of rows": (
        "a.csv",
        long_of(
            "session,match,subject,partner,choice,payoff",
            lambda g, t, i, a, b, p: (g.session, g.match, *lab(g, t, i, a, b, p)[3:]),
        ),
        GAMES,
        {},
    ),
    "numbers of players called by a letter": ("a.csv", of_round(SEATS.format("A", "B", "")), GAMES, {}),
    "players called left and right": ("a.csv", of_round(SEATS.format("left", "right", "_id")), GAMES, {}),
    "ego and alter": ("a.csv", of_round(SEATS.format("ego", "alter", "")), GAMES, {}),
    "seats of two digits": (
        "a.csv",
        of_subject(
            f"session,match,subject,partner,{numbered('choice0#')},{numbered('other_choice0#')}",
            lambda g, i: (
                *(g.session, g.match, g.players[i], g.players[1 - i]),
                *(*g.own(i), *g.own(1 - i)),
            ),
        ),
        EVEN,
        {},
    ),
    "pairs whose numbers of matches repeat": (
        "a.csv",
        of_pair(
            f"session,match,subject1,subject2,{numbered('p1_r#')},{numbered('p2_r#')}",
            lambda g: (g.session, g.match, *g.players, *g.own(0), *g.own(1)),
            EVEN,
        ),
        EVEN,
        {},
    ),
    "totals beside the moves of both players in cells": (
        "a.csv",
        of_pair(
            "session,match,player1,player2,history1,history2,total1,total2",
            lambda g: (g.session, g.match, *g.players, g.own(0), g.own(1), sum(g.paid(0)), sum(g.paid(1))),
        ),
        GAMES,
        {},
    ),
    "scores beside joint moves in a cell": (
        "a.csv",
        of_pair(
            "session,match,player1,player2,history,score1,score2",
            lambda g: (g.session, g.match, *g.players, " ".join(g.rounds), sum(g.paid(0)), sum(g.paid(1))),
        ),
        GAMES,
        {},
    ),
    "the total of a subject beside its moves in a cell": (
        "a.csv",
        of_subject(
            "session,match,subject,partner,moves,total_payoff",
            lambda g, i: (
                *(g.session, g.match, g.players[i], g.players[1 - i], g.own(i)),
                sum(g.paid(i)),
            ),
            GAMES,
        ),
        GAMES,
        {},
    ),
    "matches and rounds by column": ("a.csv", by_matches(), EVEN, {}),
    "a column of cooperation for each round": (
        "a.csv",
        of_subject(
            f"match,subject,partner,{numbered('coop#')}",
            lambda g, i: (
                *(f"{g.session}-{g.match}", g.players[i], g.players[1 - i]),
                *(int(move == "C") for move in g.own(i)),
            ),
        ),
        EVEN,
        {},
    ),
    "payoffs that differ by treatment": (
        "a.csv",
        table(
            f"treatment,{LAB}",
            [
                (name, *row)
                for name, games in zip(("high", "low"), TREATED, strict=True)
                for row in by_player(
                    games, lambda *of: (f"{of[0].points[0][1][0]}-{of[0].session}", *lab(*of)[1:])
                )
            ],
        ),
        [*TREATED[0], *TREATED[1]],
        {},
    ),
    "the same, cooperation declared": (
        "a.csv",
        table(
            f"treatment,{LAB}",
            [
                (name, *row)
                for name, games in zip(("high", "low"), TREATED, strict=True)
                for row in by_player(
                    games, lambda *of: (f"{of[0].points[0][1][0]}-{of[0].session}", *lab(*of)[1:])
                )
            ],
        ),
        [*TREATED[0], *TREATED[1]],
        {"cooperate": "C"},
    ),
    "a model that plays against itself, by round": (
        "a.csv",
        table(
            "match,round,agent1,agent2,action1,action2,payoff1,payoff2",
            by_round(ALONE, lambda g, t, joint, paid: (g.match, t, *g.players, *joint, *paid)),
        ),
        ALONE,
        {},
    ),
    "a model that plays against itself, in JSON": (
        "a.json",
        json.dumps(
            [
                {
                    "id": g.match,
                    "agents": [
                        {"name": g.players[i], "moves": [*g.own(i)], "payoffs": g.paid(i)} for i in (0, 1)
                    ],
                }
                for g in ALONE
            ]
        ),
        ALONE,
        {},
    ),
    "interactions of a tournament": (
        "a.csv",
        of_subject(
            "Interaction index,Player index,Opponent index,Player name,Opponent name,Actions,Score",
            lambda g, i: (
                *(g.match, i, 1 - i, g.players[i], g.players[1 - i], g.own(i)),
                sum(g.paid(i)),
            ),
            MODELS,
        ),
        MODELS,
        {},
    ),
}
"""Layout -> file, text, the games in it, and what is said of it."""


def games_of(log: Any) -> list[Any]:
    """For each game, of each player: name, whether it cooperated in each round, and what it got."""
    names = {
        (game, seat): name
        for game, seat, name in zip(log.seats["game_id"], log.seats["seat"], log.seats["player"], strict=True)
    }
    games = []
    for game, moves in log.moves.sort_values(["round", "seat"]).groupby("game_id", observed=True):
        sides = [
            (
                names[game, seat] if isinstance(names[game, seat], str) else "",
                "".join("C" if c else "D" for c in part["cooperated"]),
                tuple(None if pd.isna(p) else float(p) for p in part["payoff"]),
            )
            for seat, part in moves.groupby("seat")
        ]
        games.append(sorted(sides, key=repr))
    return sorted(games, key=repr)


def truth(games: list[Game], *, paid: bool = True, named: bool = True) -> list[Any]:
    return sorted(
        (
            sorted(
                (
                    (
                        g.players[i] if named else "",
                        g.own(i),
                        tuple(map(float, g.paid(i))) if paid else (None,) * len(g.rounds),
                    )
                    for i in (0, 1)
                ),
                key=repr,
            )
            for g in games
        ),
        key=repr,
    )


def read(folder: Path, name: str, text: str, options: dict[str, Any]) -> Any:
    path = folder / name
    path.write_bytes(text.encode())
    return read_log(path, **options)


@pytest.mark.parametrize("layout", PLAIN)
def test_the_games_come_back(layout: str, tmp_path: Path) -> None:
    name, text, games, options = PLAIN[layout]
    log = read(tmp_path, name, text, options)
    paid = bool(log.moves["payoff"].notna().any())
    assert games_of(log) == truth(games, paid=paid)
    assert len(log.rejects) == 0
    amounts = any(word in text for word in ("pay", "Punkte", "gain", "points", "total", "score", "Score"))
    assert paid == amounts


@pytest.mark.parametrize("declared", [{}, {"cooperate": "C"}])
def test_payoffs_of_each_treatment_are_its_own(tmp_path: Path, declared: dict[str, str]) -> None:
    name, text, games, _ = PLAIN["payoffs that differ by treatment"]
    log = read(tmp_path, name, text, declared)
    best = {json.loads(payoffs)["C,C"][0] for payoffs in log.games["payoffs"]}
    assert best == {51, 32}
    of_treatment = log.games.groupby("treatment")["payoffs"].nunique()
    assert of_treatment.tolist() == [1, 1]
    assert len(games) == len(log.games)


two = EVEN[0]
ROUND_ROBIN = [
    (t, tuple(map(str, pair)), f"{'CDDCD'[(t + k) % 5]}{'DCCDC'[(t * k) % 5]}")
    for t in range(1, 6)
    for k, pair in enumerate([(t % 5, 5), ((t + 1) % 5, (t - 1) % 5), ((t + 2) % 5, (t - 2) % 5)])
]
"""Round, pair and joint move of six players of whom everybody meets everybody once."""
STRANGERS = [
    (t, k % 3 + 1, who, joint[i], 7 * t + 3 * int(who) % 5)
    for k, (t, pair, joint) in enumerate(ROUND_ROBIN)
    for i, who in enumerate(pair)
]
"""Period, group, subject, decision and the seconds that were left, as z-Tree has them."""
ASKED: dict[str, tuple[str, str, dict[str, str], list[Any]]] = {
    "two rows without a partner": (
        table("player,history", [(two.players[i], two.own(i)) for i in (0, 1)]),
        "nothing says that they played each other: give --map game_id=all",
        {"game_id": "all"},
        truth([two], paid=False),
    ),
    "two rows of rounds without a partner": (
        table(f"player,{numbered('r#')}", [(two.players[i], *two.own(i)) for i in (0, 1)]),
        "nothing says that they played each other: give --map game_id=all",
        {"game_id": "all"},
        truth([two], paid=False),
    ),
    "a model that plays against itself, row by row": (
        long_of("match,round,agent,action", lambda g, t, i, a, b, p: (g.match, t, g.players[i], a), ALONE),
        "seat=order if one plays against itself",
        {"seat": "order"},
        truth(ALONE, paid=False),
    ),
    "a model that plays against itself, as a condition": (
        long_of("match,round,model,action", lambda g, t, i, a, b, p: (g.match, t, g.players[i], a), ALONE),
        "seat=order if one plays against itself",
        {"seat": "order"},
        truth(ALONE, paid=False, named=False),
    ),
    "moves under the names of the players": (
        table("round,me,opponent", [(t, *joint) for t, joint in enumerate(two.rounds, start=1)]),
        'give --map "action=me|opponent"',
        {"action": "me|opponent"},
        truth([two], paid=False, named=False),
    ),
    "partners that change from round to round": (
        table("Period,Group,Subject,Decision,TimeOKDecision", STRANGERS),
        "each is a game of its own: give --map by=Period",
        {"by": "Period"},
        truth([Game("", 0, pair, (joint,)) for _, pair, joint in ROUND_ROBIN], paid=False),
    ),
    "numbers of groups that change from round to round": (
        table(
            "Period,Group,Subject,Decision",
            [
                (t, k % 3 + 1, g.players[i], g.rounds[t - 1][i])
                for k, g in enumerate(EVEN[:3])
                for t in range(1, 4)
                for i in (0, 1)
            ]
            + [
                (t, (k + 1) % 3 + 1, g.players[i], g.rounds[t - 1][i])
                for k, g in enumerate(EVEN[:3])
                for t in range(4, 6)
                for i in (0, 1)
            ],
        ),
        "give --map by=MATCH for a column that numbers the matches, or by=Period if each round is a game",
        {"by": "Period"},
        truth(
            [Game("", 0, g.players, (joint,)) for g in EVEN[:3] for joint in g.rounds],
            paid=False,
        ),
    ),
}
"""Layout -> text, what is asked, the answer, the games that it leads to."""


@pytest.mark.parametrize("layout", ASKED)
def test_the_answer_leads_to_the_games(layout: str, tmp_path: Path) -> None:
    text, question, answer, games = ASKED[layout]
    with pytest.raises(DataError) as refused:
        read(tmp_path, "a.csv", text, {})
    assert question in str(refused.value)
    log = read(tmp_path, "a.csv", text, {"mapping": answer})
    assert games_of(log) == games


LINES = {
    "copies of rows": (
        long_of(LAB, lab) + long_of(LAB, lab).partition("\n")[2],
        "are the same as an earlier one in all columns",
    ),
    "a title above the names": ("# data of 2020\n" + long_of(LAB, lab), "line 2 may hold them"),
    "JSON in cells": (
        "match,rounds\n" + "".join(f'{n},"[{{""a"": ""C""}}]"\n' for n in range(3)),
        "column rounds holds JSON in its cells",
    ),
}


@pytest.mark.parametrize("kind", LINES)
def test_what_cannot_be_read_is_named(kind: str, tmp_path: Path) -> None:
    text, line = LINES[kind]
    with pytest.raises(DataError, match=line):
        read(tmp_path, "a.csv", text, {})
