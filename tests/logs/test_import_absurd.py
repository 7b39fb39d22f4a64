"""Readings that cannot be: each is refused with one line that says what is absurd and what would help."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from intent import GameLog, read_log
from intent.base.errors import DataError, IntentError

Payoffs = dict[tuple[str, str], tuple[int, int]]
POINTS: Payoffs = {("C", "C"): (3, 3), ("C", "D"): (0, 5), ("D", "C"): (5, 0), ("D", "D"): (1, 1)}
YEARS: Payoffs = {("C", "C"): (1, 1), ("C", "D"): (10, 0), ("D", "C"): (0, 10), ("D", "D"): (5, 5)}


@dataclass(frozen=True)
class Row:
    """What a row may say of a player's round."""

    number: int
    game: int
    round: int
    player: str
    partner: str
    own: str
    other: str
    payoff: int
    total: int
    noise: int


def table(
    head: str, row: Callable[[Row], str], *, payoffs: Payoffs = POINTS, labels: str = "CD", games: int = 6
) -> str:
    """Six games of six rounds at random; a row per game, round and player, in the words of `row`."""
    rng = random.Random(1)
    lines, number = [head], 0
    for game in range(1, games + 1):
        totals = [0, 0]
        for t in range(1, 7):
            moves = rng.choice("CD"), rng.choice("CD")
            paid = payoffs[moves]
            for s in (0, 1):
                number += 1
                totals[s] += paid[s]
                own, other = (labels["CD".index(moves[i])] for i in (s, 1 - s))
                names = f"p{2 * game + s}", f"p{2 * game + 1 - s}"
                lines.append(
                    row(Row(number, game, t, *names, own, other, paid[s], totals[s], rng.randint(0, 50)))
                )
    return "\n".join(lines) + "\n"


HEAD = "game_id,player,round,action"


def plain(**options: Any) -> str:
    return table(f"{HEAD},payoff", lambda r: f"{r.game},{r.player},{r.round},{r.own},{r.payoff}", **options)


def beside(name: str, cell: Callable[[Row], object], **options: Any) -> str:
    """A readable table with one more column."""
    return table(
        f"{HEAD},payoff,{name}",
        lambda r: f"{r.game},{r.player},{r.round},{r.own},{r.payoff},{cell(r)}",
        **options,
    )


def without_payoffs(name: str, cell: Callable[[Row], object]) -> str:
    return table(f"{HEAD},{name}", lambda r: f"{r.game},{r.player},{r.round},{r.own},{cell(r)}")


def paying(cell: Callable[[Row], object], name: str = "payoff") -> str:
    return table(f"{HEAD},{name}", lambda r: f"{r.game},{r.player},{r.round},{r.own},{cell(r)}")


def partners(cell: Callable[[Row], str]) -> str:
    return table("player,other_player,round,action", lambda r: f"{r.player},{cell(r)},{r.round},{r.own}")


def crowd() -> str:
    rng = random.Random(3)
    rows = [f"{s},{g},{t},{rng.choice('CD')}" for s in range(208) for g in (1, 2) for t in (1, 2)]
    return "\n".join(["subject,supergame,round,choice", *rows]) + "\n"


def sequences(one: int, two: int) -> str:
    rng = random.Random(5)

    def moves(n: int) -> str:
        return "".join(rng.choice("CD") for _ in range(n))

    rows = [f"{i},a{i},b{i},{moves(one)},{moves(two)}" for i in range(8)]
    return "\n".join(["session,subject1,subject2,moves1,moves2", *rows]) + "\n"


def turning_letters() -> str:
    rng = random.Random(7)
    rows = []
    for game in range(6):
        letters = ("JF", "FJ")[game % 2]
        for t in range(1, 7):
            a, b = rng.randint(0, 1), rng.randint(0, 1)
            points = (3, 0, 5, 1)
            rows.append(
                f"{t},a{game},b{game},{letters[a]},{letters[b]},{points[2 * a + b]},{points[2 * b + a]}"
            )
    return "\n".join(["round,player1,player2,answer1,answer2,points1,points2", *rows]) + "\n"


@dataclass(frozen=True)
class Absurd:
    """A file, the options it is read with, and what the line must say: what is absurd, what would help."""

    text: str
    says: str
    helps: str
    options: dict[str, str] = field(default_factory=dict)


REWARD = {"payoff_kind": "reward"}

CASES = {
    "a game of two actions and 208 players": Absurd(crowd(), "208 players", "--map other_player=PARTNER"),
    "the same, since the user says so": Absurd(
        crowd(),
        "208 players",
        "--map by=SESSION",
        {"mapping": "game_id=supergame,player=subject", "cooperate": "C"},
    ),
    "years read as rewards": Absurd(
        plain(payoffs=YEARS), "make D cooperation and C defection", "--payoff-kind penalty", REWARD
    ),
    "points read as penalties": Absurd(
        plain(), "make D cooperation and C defection", "--payoff-kind reward", {"payoff_kind": "penalty"}
    ),
    "actions named the wrong way round": Absurd(
        plain(labels="DC"), "against their names", "--cooperate D if that is meant", REWARD
    ),
    "points under the name of a game of years": Absurd(
        plain(labels="JF"), "nothing says whether the scores", "--payoff-kind", {"game": "prisoner-dilemma"}
    ),
    "payoffs at random": Absurd(
        paying(lambda r: r.noise), "does not follow from both moves", "by=NAME", REWARD
    ),
    "a payoff that is the round": Absurd(
        without_payoffs("per", lambda r: r.round),
        "round and per are the same in all rows",
        "--map payoff=NAME",
        {"mapping": "payoff=per", **REWARD},
    ),
    "a payoff that is a number of rows": Absurd(
        without_payoffs("key", lambda r: r.number),
        "key is another number in every row",
        "--map payoff=NAME",
        {"mapping": "payoff=key", **REWARD},
    ),
    "a payoff that is a total": Absurd(
        without_payoffs("sum_of_game", lambda r: 10 + r.game),
        "the same in all rounds of a player and game",
        "--map payoff=NAME",
        {"mapping": "payoff=sum_of_game", **REWARD},
    ),
    "a payoff that is a running sum": Absurd(
        paying(lambda r: r.total, "bank"),
        "bank only grows from round to round",
        "--map payoff=NAME",
        {"mapping": "payoff=bank", "cooperate": "C"},
    ),
    "a payoff with its unit": Absurd(
        paying(lambda r: f"{r.payoff} pts"), "payoff is '3 pts'", "expected a number", REWARD
    ),
    "a round that is a number of rows": Absurd(
        beside("key", lambda r: r.number),
        "key is another one in every row, and no round",
        "--map round=NAME",
        {"mapping": "round=key", **REWARD},
    ),
    "a round that is a time": Absurd(
        beside("clock", lambda r: 1000 + 37 * r.round + 13 * r.game),
        "clock numbers something else",
        "--map round=NAME",
        {"mapping": "round=clock", **REWARD},
    ),
    "a round that never changes": Absurd(
        beside("wave", lambda r: 1),
        "wave is 1 in all rows",
        "--map round=NAME",
        {"mapping": "round=wave", **REWARD},
    ),
    "a round of halves": Absurd(
        table(f"{HEAD},payoff", lambda r: f"{r.game},{r.player},{r.round}.5,{r.own},{r.payoff}"),
        "round is '1.5'",
        "expected a whole number",
        REWARD,
    ),
    "a player that is a number of rows": Absurd(
        beside("key", lambda r: r.number),
        "key is another one in every row, and no player",
        "--map player=NAME",
        {"mapping": "player=key", **REWARD},
    ),
    "a player that never changes": Absurd(
        beside("site", lambda r: "zurich"),
        "site is zurich in all rows",
        "player=NAME",
        {"mapping": "player=site", **REWARD},
    ),
    "a player that is a treatment": Absurd(
        beside("treatment", lambda r: ("low", "high")[r.game % 2]),
        "a second row for the same",
        "--map by=player",
        {"mapping": "player=treatment", **REWARD},
    ),
    "players that meet themselves": Absurd(
        partners(lambda r: r.player), "its own other_player", "--map other_player=NAME"
    ),
    "partners that nobody is": Absurd(
        partners(lambda r: f"z{r.game}"), "has no row with", "--map other_player=NAME"
    ),
    "partners who name others": Absurd(
        partners(lambda r: f"p{(int(r.player[1:]) + 2) % 14 + 2}"), "has no row with", "--map other=NAME"
    ),
    "a seat that is the round": Absurd(
        beside("place", lambda r: r.round),
        "round and place are the same",
        "--map seat=NAME",
        {"mapping": "seat=place", "cooperate": "C"},
    ),
    "the other's move is the own one": Absurd(
        without_payoffs("hers", lambda r: r.own),
        "action and column hers are the same",
        "--map other=NAME",
        {"mapping": "other=hers", "cooperate": "C"},
    ),
    "the other's move is not what the other did": Absurd(
        without_payoffs("other", lambda r: "CD"[r.noise % 2]),
        "is not what the other player of the game did",
        "--map other=NAME",
        {"cooperate": "C"},
    ),
    "the last move of the other is not what it did": Absurd(
        table(
            "id,game,period,choice,last.other",
            lambda r: f"{r.player},{r.game},{r.round},{r.own},{'CD'[r.noise % 2] if r.round > 1 else ''}",
        ),
        "is not what the other player of the game did",
        "--map other=NAME",
    ),
    "a game for each row": Absurd(
        beside("key", lambda r: f"{r.game}-{r.round}"),
        "games has one round, although rounds run to 6",
        "--map game_id=NAME",
        {"mapping": "game_id=key", **REWARD},
    ),
    "rounds of several games under one number": Absurd(
        table(
            f"{HEAD},payoff",
            lambda r: f"1,p{r.number % 2},{r.round},{r.own},{r.payoff}",
        ),
        "rows are a second one for a player and round",
        "a column that tells games apart",
        REWARD,
    ),
    "an action that is a payoff": Absurd(
        beside("points_won", lambda r: r.payoff),
        "4 actions, expected two",
        "--cooperate",
        {"mapping": "action=points_won"},
    ),
    "an action that is a time": Absurd(
        beside("time", lambda r: f"10:{r.number:02}"),
        "time holds 72 different cells",
        "--map action=NAME",
        {"mapping": "action=time"},
    ),
    "an action that is a text": Absurd(
        table(HEAD, lambda r: f"{r.game},{r.player},{r.round},I saw {r.number} and play {r.own}"),
        "action holds 72 different cells",
        "--map action=NAME",
    ),
    "an action that is an amount": Absurd(
        table(HEAD, lambda r: f"{r.game},{r.player},{r.round},{r.noise}"),
        "different cells",
        "--map value=NAME if they are amounts",
    ),
    "one action in all rows": Absurd(
        table(HEAD, lambda r: f"{r.game},{r.player},{r.round},go"), "the actions are go", "--cooperate ACTION"
    ),
    "three actions": Absurd(
        table(HEAD, lambda r: f"{r.game},{r.player},{r.round},{'RPS'[r.noise % 3]}"),
        "3 actions, expected two",
        "--cooperate COOPERATING:DEFECTING",
    ),
    "an action that nobody plays": Absurd(
        plain(), "unknown action (--cooperate) 'X'", "known: ", {"cooperate": "X"}
    ),
    "two columns that may be the action": Absurd(
        table(
            "game_id,player,round,choice,move", lambda r: f"{r.game},{r.player},{r.round},{r.own},{r.other}"
        ),
        "choice and move may both be the action",
        "--map action=choice or --map action=move",
    ),
    "a decision that never varies": Absurd(
        beside("decided", lambda r: "C"),
        "decided is C in all rows",
        "--map decided=NAME",
        {"cooperate": "C"},
    ),
    "rounds with a hole between them": Absurd(
        "subject,opponent,r1,r2,r4,r5\n" + "".join(f"s{i},s{i ^ 1},C,D,C,D\n" for i in range(8)),
        "none is between r2 and r4",
        "add the column",
    ),
    "moves of different length": Absurd(
        sequences(5, 4), "moves1 and moves2 hold different numbers of moves", "--map action=NAME"
    ),
    "letters that change their meaning": Absurd(
        turning_letters(), "do not follow from answer1 and answer2", "give --cooperate "
    ),
    "one column for two of ours": Absurd(
        plain(), "gives column 'payoff' two meanings", "--map", {"mapping": "round=payoff,payoff=payoff"}
    ),
}


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(IntentError) as stopped:
        read_log(path, **options)
    assert "\n" not in str(stopped.value)
    assert len(str(stopped.value)) < 400
    return str(stopped.value)


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_with_what_would_help(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / "log.csv"
    path.write_text(case.text, encoding="utf-8")
    line = refused(path, **case.options)
    assert case.says in line
    assert case.helps in line


def read(folder: Path, text: str, **options: Any) -> GameLog:
    path = folder / "log.csv"
    path.write_text(text, encoding="utf-8")
    return read_log(path, **options)


def test_the_tables_that_absurd_ones_are_made_of_are_read(tmp_path: Path) -> None:
    """Otherwise the cases above could be refused for another reason than theirs."""
    for text, options in (
        (plain(), {}),
        (plain(), REWARD),
        (plain(payoffs=YEARS), {"payoff_kind": "penalty"}),
        (plain(labels="JF"), REWARD),
        (beside("key", lambda r: r.number), REWARD),
        (without_payoffs("other", lambda r: r.other), {"cooperate": "C"}),
        (beside("decided", lambda r: r.own), {"cooperate": "C"}),
        (partners(lambda r: r.partner), {}),
        (sequences(5, 5), {}),
    ):
        log = read(tmp_path, text, **options)
        assert len(log.rejects) == 0
        assert log.games["cooperative_action"].isin(["C", "J"]).all()


def test_a_declared_action_counts_and_what_speaks_against_it_is_a_note(tmp_path: Path) -> None:
    log = read(tmp_path, plain(), cooperate="D", payoff_kind="reward")
    assert set(log.games["cooperative_action"]) == {"D"}
    assert log.games["payoffs"].notna().all()
    assert (
        "D counts as cooperation, as declared; payoffs of kind reward make C cooperation"
        in log.provenance["notes"]
    )
    log = read(tmp_path, plain(labels="JF"), cooperate="J", payoff_kind="reward")
    assert not [note for note in log.provenance.get("notes", []) if "declared" in note]


def test_a_mapping_kept_from_another_file(tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    kept.write_text(
        "intent_mapping: 1\nshape: long\ncolumns: {round: t, action: what, player: who, game_id: g}\n",
        "utf-8",
    )
    path = tmp_path / "log.csv"
    path.write_text(plain(), encoding="utf-8")
    line = refused(path, mapping=str(kept))
    assert "the mapping names a column that is not there" in line
    assert "unknown column" in line


def test_a_pattern_of_names_that_fits_none(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("a_1.csv", "b_2.csv"):
        (folder / name).write_text(plain(), encoding="utf-8")
    kept = tmp_path / "kept.yaml"
    kept.write_text(
        "intent_mapping: 1\nshape: long\nnames: '{model}_v{version}_{repetition}'\n"
        "columns: {round: round, action: action, player: player, game_id: game_id}\n",
        "utf-8",
    )
    assert "the name does not fit the pattern {model}_v{version}_{repetition}" in refused(
        folder, mapping=str(kept)
    )


def test_a_reading_that_the_user_names_by_its_format_is_not_second_guessed(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(plain(), encoding="utf-8")
    with pytest.raises(DataError):
        read_log(path, payoff_kind="penalty")
    log = read_log(path, payoff_kind="penalty", format="tidy")
    assert set(log.games["cooperative_action"]) == {"D"}


def test_a_column_left_over_does_not_take_the_place_of_ours(tmp_path: Path) -> None:
    """The file's own ``round`` is a further column where another one was mapped."""
    log = read(tmp_path, beside("wave", lambda r: 7 - r.round), mapping="round=wave", payoff_kind="reward")
    assert (log.moves["round"] + log.moves["source_round"] == 7).all()


@pytest.mark.parametrize("name", ["not_cooperate", "no_coop", "coop_failed", "did_not_defect"])
def test_a_name_that_turns_round_what_it_says_is_asked(name, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(f"match,subject,round,{name}\n1,ann,1,1\n1,bob,1,0\n1,ann,2,0\n1,bob,2,0\n")
    with pytest.raises(IntentError, match="--cooperate 1 or --cooperate 0"):
        read_log(path)


def test_pairs_within_a_game_are_games(tmp_path):
    path = tmp_path / "log.csv"
    rows = "".join(f"{g},{p},{p}{s},1,{'CD'[(g + s) % 2]}\n" for g in (1, 2) for p in "ab" for s in (1, 2))
    path.write_text("game,group,subject,round,choice\n" + rows)
    with pytest.raises(IntentError, match=r"two of each group.*--map by=group"):
        read_log(path, cooperate="C")
    assert read_log(path, cooperate="C", mapping="by=group").games["n_players"].tolist() == [2] * 4
