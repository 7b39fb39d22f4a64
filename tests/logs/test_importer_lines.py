"""What people write that no exact name says: each is read, or asked with an option that is then enough."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from intent import read_log
from intent.base.errors import DataError, IntentError
from intent.logs.importer import import_log
from intent.logs.importer.importing import Imported

POINTS = {"CC": 3, "CD": 0, "DC": 5, "DD": 1}
HUNT = {"CC": 4, "CD": 0, "DC": 3, "DD": 3}
WORDS = {"C": "X", "D": "Y"}

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "lab.csv"
        path.write_text(text)
        return path

    return write


def matches(n: int = 8, rounds: int = 10) -> Iterator[tuple[int, list[str]]]:
    """Number of each match and its joint moves; the first two matches have all four of them."""
    rng = random.Random(3)
    for number in range(1, n + 1):
        yield (
            number,
            ["CC", "CD", "DC", "DD", *(rng.choice("CD") + rng.choice("CD") for _ in range(rounds - 4))],
        )


def long(row: Callable[[int, int, int, str, str], str], head: str, **options: Any) -> str:
    """A row for each match, subject and round: ``row(match, subject, round, own move, other's)``."""
    lines = [head]
    for number, joint in matches(**options):
        for t, (a, b) in enumerate(joint, start=1):
            lines.append(row(number, 2 * number - 1, t, a, b))
            lines.append(row(number, 2 * number, t, b, a))
    return "\n".join(lines) + "\n"


def pairs(row: Callable[[int, int, str, str], str], head: str) -> str:
    """A row for each match and round: ``row(match, round, moves of both)``."""
    lines = [row(m, t, *ab) for m, joint in matches() for t, ab in enumerate(joint, start=1)]
    return "\n".join([head, *lines]) + "\n"


def plays(log: Any) -> list[str]:
    """The joint moves of each game, in letters of cooperation."""
    seats = dict(iter(log.moves.groupby(["game_id", "seat"], observed=True, sort=False)))
    games = {}
    for (game, _), part in sorted(seats.items()):
        letters = ["?" if pd.isna(c) else "DC"[bool(c)] for c in part.sort_values("round")["cooperated"]]
        games.setdefault(str(game), []).append(letters)
    return ["".join(a + b for a, b in zip(*both, strict=True)) for _, both in sorted(games.items())]


TRUE = ["".join(joint) for _, joint in matches()]
"""The plays of the made-up matches; their numbers have one digit, so that texts sort as they do."""

PLAIN = "match,subject,round,choice"


def followed(path: Path, **options: Any) -> Imported:
    """What is read once every question was answered by its first option that can be given as it stands."""
    return import_log(path, ask=lambda text, answers: 0, **options)


# What is open, not what a plainer reading trips over


def test_a_third_label_is_the_question(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{'Z' if (m, t) == (3, 5) else WORDS[a]}", PLAIN))
    with pytest.raises(DataError, match=r"3 actions, expected two: .*--cooperate (X:Y|Y:X)"):
        read_log(path)
    log = read_log(path, cooperate="X:Y")
    assert (len(log.rejects), len(log)) == (2, 8)


def test_words_decide_which_of_the_two_usual_labels_comes_first(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{'Z' if (m, t) == (3, 5) else a}", PLAIN))
    with pytest.raises(DataError, match="give --cooperate C:D, which"):
        read_log(path)


def test_who_names_both_actions_leaves_any_share_of_others_out(write):
    rng = random.Random(1)
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{rng.choice('RPS')}", PLAIN))
    with pytest.raises(DataError, match="3 actions, expected two"):
        read_log(path)
    assert read_log(path, cooperate="R:P").rejects["reason"].str.contains("expected R or P").all()


def test_a_word_for_no_move_is_no_third_label(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{'NaN' if (m, t) == (3, 5) else WORDS[a]}", PLAIN))
    imported = import_log(path)
    assert imported.questions[0].answers == ("--cooperate X", "--cooperate Y")
    assert read_log(path, cooperate="X").moves["status"].eq("missing").sum() == 2


def test_the_kind_of_payoffs_is_the_question(write):
    head = f"{PLAIN},payoff"
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{WORDS[a]},{POINTS[a + b]}", head))
    imported = import_log(path)
    assert imported.question is not None
    assert imported.question[1] == ("--payoff-kind reward", "--payoff-kind penalty")
    assert imported.exit_code == 2
    assert plays(followed(path).games) == TRUE


def test_a_payoff_that_is_not_known_costs_no_move(write):
    head = f"{PLAIN},payoff"
    path = write(
        long(lambda m, s, t, a, b: f"{m},{s},{t},{a},{'NaN' if (m, t) == (2, 7) else POINTS[a + b]}", head)
    )
    log = read_log(path)
    assert (len(log.rejects), plays(log)) == (0, TRUE)


def test_what_is_open_is_said_once(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{WORDS[a]}", PLAIN))
    assert len(list(import_log(path).remarks())) == 1


# Words that tell which action is cooperation


@pytest.mark.parametrize("words", [("C", "D"), ("cooperate", "defect")])
def test_words_tell_the_kind_of_payoffs_in_games_of_several(write, words):
    def row(m: int, s: int, t: int, a: str, b: str) -> str:
        pays = (POINTS if m % 2 else HUNT)[a + b]
        return f"{'PD' if m % 2 else 'SH'},{m},{s},{t},{words['CD'.index(a)]},{pays}"

    log = read_log(write(long(row, "game,match,subject,round,choice,payoff")))
    assert plays(log) == TRUE
    assert log.games["payoffs"].nunique() == 2


def test_words_tell_beside_the_name_of_a_game_whose_actions_are_called_otherwise(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{a}", PLAIN))
    assert plays(read_log(path, game="prisoners_dilemma")) == TRUE


def test_words_tell_where_payoffs_are_too_few(write):
    rows = [
        f"{m},{s},{t},{a},{3 if a == 'C' else 1}"
        for m in (1, 2)
        for s in (1, 2)
        for t, a in ((1, "C"), (2, "D"))
    ]
    log = read_log(
        write("\n".join([f"{PLAIN},payoff", *(r.replace(",1,", f",{r[0]}1,", 1) for r in rows)]) + "\n")
    )
    assert set(log.games["cooperative_action"]) == {"C"}


def test_a_name_that_many_pairs_share_is_no_number_of_a_game(write):
    rows = [
        f"{'PD' if m % 2 else 'SH'},a{m},b{m},{''.join(a for a, _ in joint)},{''.join(b for _, b in joint)}"
        for m, joint in matches()
    ]
    log = read_log(write("\n".join(["game,subject1,subject2,moves1,moves2", *rows]) + "\n"))
    assert plays(log) == TRUE
    assert set(log.games["game"]) == {"PD", "SH"}


# Sums


def sums(labels: dict[str, str], head: str) -> str:
    total: dict[tuple[int, int], int] = {}

    def row(m: int, s: int, t: int, a: str, b: str) -> str:
        total[m, s] = total.get((m, s), 0) + POINTS[a + b]
        return f"{m},{s},{t},{labels[a]},{total[m, s]}"

    return long(row, head)


@pytest.mark.parametrize("name", ["score", "payoff", "total_score", "cumulative_payoff"])
def test_steps_of_running_sums_are_payoffs_where_they_follow_from_the_moves(write, name):
    log = read_log(write(sums({"C": "C", "D": "D"}, f"{PLAIN},{name}")))
    assert plays(log) == TRUE
    own = log.moves.sort_values(["game_id", "seat", "round"])["payoff"].tolist()
    assert own == [POINTS["".join(ab)] for joint in TRUE for ab in _of_both(joint)]


def test_running_sums_of_subjects_whose_numbers_begin_anew_in_each_session(write):
    once = sums({"C": "C", "D": "D"}, f"{PLAIN},score").splitlines()
    rows = [f"{session},{row}" for session in "ab" for row in once[1:]]
    log = read_log(write("\n".join([f"session,{once[0]}", *rows]) + "\n"))
    assert sorted(plays(log)) == sorted([*TRUE, *TRUE])
    assert log.seats["player"].nunique() == 4 * len(TRUE)
    games = log.moves.sort_values(["seat", "round"]).groupby("game_id", observed=True)
    points = {str(game): part["payoff"].tolist() for game, part in games}
    assert [points[game] for game in sorted(points)] == [_paid(joint) for joint in plays(log)]


def _paid(joint: str) -> list[int]:
    """Points of the first seat and of the second, round by round."""
    pairs = [joint[i : i + 2] for i in range(0, len(joint), 2)]
    return [*(POINTS[ab] for ab in pairs), *(POINTS[ab[::-1]] for ab in pairs)]


def _of_both(joint: str) -> Iterator[tuple[str, str]]:
    rounds = [(joint[i], joint[i + 1]) for i in range(0, len(joint), 2)]
    return itertools.chain(rounds, ((b, a) for a, b in rounds))


def test_running_sums_of_both_players(write):
    total = [0, 0]

    def row(m: int, t: int, a: str, b: str) -> str:
        total[:] = [POINTS[a + b] + total[0] * (t > 1), POINTS[b + a] + total[1] * (t > 1)]
        return f"{m},{t},{a},{b},{total[0]},{total[1]}"

    log = read_log(write(pairs(row, "match,round,agent1_move,agent2_move,agent1_score,agent2_score")))
    assert plays(log) == TRUE
    assert set(log.moves["payoff"]) == {0, 1, 3, 5}


def test_sums_that_no_move_explains_are_no_payoffs(write):
    rng, total = random.Random(5), dict.fromkeys(range(100), 0.0)

    def row(m: int, s: int, t: int, a: str, b: str) -> str:
        total[s] += rng.random()
        return f"{m},{s},{t},{a},{total[s]:.3f}"

    path = write(long(row, "game_id,player,round,action,payoff"))
    with pytest.raises(DataError, match="--map payoff=NAME"):
        read_log(path)


def test_payoffs_that_only_grow_by_chance_are_no_sums(write):
    path = write(
        "match,subject,round,choice,payoff\n"
        + "".join(
            f"{m},{s},{t},{a},{POINTS[a + b]}\n"
            for m in range(1, 5)
            for s, (x, y) in ((2 * m, ("CDC", "DDC")), (2 * m + 1, ("DDC", "CDC")))
            for t, (a, b) in enumerate(zip(x, y, strict=True), start=1)
        )
    )
    log = read_log(path, cooperate="C")
    assert set(log.moves["payoff"]) == {0, 1, 3, 5}


# Practice


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("practice", "1", "0"),
        ("practice", "1.0", "0.0"),
        ("practice", "yes", ""),
        ("is_practice", "True", "False"),
        ("phase", "practice", "main"),
    ],
)
def test_practice_counts_unless_it_is_said_to_be_left_out(write, name, yes, no):
    head = f"{PLAIN},{name}"
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{a},{yes if t <= 2 else no}", head))
    log = read_log(path)
    (note,) = [n for n in log.provenance["notes"] if "practice" in n]
    assert note.startswith(f"32 of 160 rows are practice by column {name}")
    assert f"--map practice={name}" in note
    assert plays(log) == TRUE
    short = read_log(path, mapping=f"practice={name}")
    assert plays(short) == [joint[4:] for joint in TRUE]
    assert short.moves["round"].min() == 1


@pytest.mark.parametrize("first", [-1, -2])
def test_rounds_below_one_are_asked_about(write, first):
    def row(m: int, s: int, t: int, a: str, b: str) -> str:
        return f"{m},{s},{t - 2 if t > 2 or first == -1 else t - 3},{a}"

    path = write(long(row, PLAIN))
    with pytest.raises(DataError, match=r"32 of 160 rows have a round below 1, .*--map practice=round"):
        read_log(path)
    assert plays(read_log(path, mapping="practice=round")) == [joint[4:] for joint in TRUE]


def test_a_kept_mapping_leaves_practice_out_of_files_alike(write, tmp_path):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{a},{int(m <= 2)}", f"{PLAIN},practice"))
    kept = import_log(path, mapping="practice=practice").mapping
    (tmp_path / "kept.yaml").write_text(kept.to_yaml())
    assert plays(read_log(path, mapping=str(tmp_path / "kept.yaml"))) == TRUE[2:]
    path.write_text(long(lambda m, s, t, a, b: f"{m},{s},{t},{a},0", f"{PLAIN},practice"))
    assert plays(read_log(path, mapping=str(tmp_path / "kept.yaml"))) == TRUE


@pytest.mark.parametrize(
    ("name", "says"), [("match", "no row would be practice"), ("practise", "did you mean practice")]
)
def test_columns_that_mark_no_practice(write, name, says):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{a},{int(t < 3)}", f"{PLAIN},practice"))
    with pytest.raises(IntentError, match=says):
        read_log(path, mapping=f"practice={name}")


def test_practice_is_left_out_where_numbers_begin_anew_in_each_session(write):
    head = "session,game_id,player,round,action,practice"
    once = long(lambda m, s, t, a, b: f"{m},{s},{t},{a},{int(t < 3)}", "").splitlines()[1:]
    rows = [f"{session},{row}" for session in "ab" for row in once]
    log = read_log(write("\n".join([head, *rows]) + "\n"), mapping="practice=practice")
    assert sorted(plays(log)) == sorted(joint[4:] for joint in (*TRUE, *TRUE))
    assert log.seats["player"].nunique() == 4 * len(TRUE)


def test_zeros_are_the_first_rounds_unless_said(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t - 1},{a}", PLAIN))
    assert plays(read_log(path)) == TRUE
    assert plays(read_log(path, mapping="practice=round")) == [joint[2:] for joint in TRUE]


# Columns


@pytest.mark.parametrize(
    "order", [(0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (3, 0, 2, 5, 1, 4), (1, 5, 0, 4, 3, 2)]
)
def test_the_order_of_columns_says_nothing(write, order):
    names = ["treatment", "match", "subject", "round", "choice", "payoff"]

    def row(m: int, s: int, t: int, a: str, b: str) -> str:
        cells = [m % 2, m, s, t, a, POINTS[a + b]]
        return ",".join(str(cells[i]) for i in order)

    log = read_log(write(long(row, ",".join(names[i] for i in order))))
    assert (plays(log), log.games["treatment"].tolist()) == (TRUE, [1, 0] * 4)


def test_a_column_within_which_numbers_of_matches_make_pairs_is_named_and_enough(write):
    def row(m: int, s: int, t: int, a: str, b: str) -> str:
        return f"{'hi' if m % 2 else 'lo'},{(m + 1) // 2},{s},{t},{a}"

    path = write(long(row, f"treatment,{PLAIN}"))
    with pytest.raises(DataError, match=r"two of each treatment have one, give --map by=treatment"):
        read_log(path)
    assert sorted(plays(read_log(path, mapping="by=treatment"))) == sorted(TRUE)


@pytest.mark.parametrize("amounts", ["plain", "thousands"])
def test_decimal_commas(write, amounts):
    def written(own: int) -> str:
        return f"{own},5" if amounts == "plain" else f"{own}.000,50"

    path = write(
        long(
            lambda m, s, t, a, b: f"{m};{s};{t};{a};{written(POINTS[a + b])}",
            f"{PLAIN},payoff".replace(",", ";"),
        )
    )
    log = read_log(path)
    scale = 1 if amounts == "plain" else 1000
    assert set(log.moves["payoff"]) == {x * scale + 0.5 for x in (0, 1, 3, 5)}
    assert plays(log) == TRUE


@pytest.mark.parametrize(
    "cells", [["1,234", "2,345", "12,000"], ["0,1", "1,0", "1,1"], ["3,3", "0,5", "5,0"], ["1,2", "x"]]
)
def test_commas_that_need_be_no_decimal_ones_stay(cells):
    log = read_log(
        pd.DataFrame(
            [
                (m, s, t, "CD"[(s + t) % 2], cells[t % len(cells)])
                for m in (1, 2)
                for s in (2 * m, 2 * m + 1)
                for t in range(1, 7)
            ],
            columns=["match", "subject", "round", "choice", "note"],
        )
    )
    assert set(log.moves["note"]) == {*cells}


@pytest.mark.parametrize("form", ["{}{}", "{}-{}", "({}, {})", "{}/{}"])
def test_a_cell_with_both_moves(form):
    rows = [(m, t, form.format(a, b)) for m, joint in matches() for t, (a, b) in enumerate(joint, start=1)]
    assert plays(read_log(pd.DataFrame(rows, columns=["match", "round", "outcome"]))) == TRUE


def test_cells_with_both_moves_in_several_spellings_and_one_that_says_there_is_none(write):
    cases = itertools.cycle([str.upper, str.upper, str.lower])
    texts = (next(cases)("-".join(joint)) for _, every in matches() for joint in every)
    path = write(
        pairs(
            lambda m, t, a, b: f"{m},{t},{'no answer' if (m, t) == (2, 6) else next(texts)}",
            "match,round,outcome",
        )
    )
    log = read_log(path)
    assert log.moves["action"].dropna().unique().tolist() == ["C", "D"]
    assert log.moves["action"].isna().sum() == 2


def test_a_cell_with_both_moves_of_a_player_has_the_own_one_first(write, tmp_path):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{a}{b}", "match,subject,round,joint"))
    imported = import_log(path)
    assert plays(imported.games) == TRUE
    assert any("the own one first" in note for note in imported.notes)
    (tmp_path / "kept.yaml").write_text(imported.mapping.to_yaml())
    assert plays(read_log(path, mapping=str(tmp_path / "kept.yaml"))) == TRUE


def test_both_moves_beside_seats_of_letters(write):
    text = pairs(
        lambda m, t, a, b: f"{m},{t},{a}{b},{POINTS[a + b]},{POINTS[b + a]}",
        "match,round,outcome,pay_a,pay_b",
    )
    log = read_log(write(text))
    assert (plays(log), set(log.moves["payoff"])) == (TRUE, {0, 1, 3, 5})


def test_an_outcome_beside_a_choice_is_a_condition(write):
    path = write(long(lambda m, s, t, a, b: f"{m},{s},{t},{a},{a}{b}", f"{PLAIN},outcome"))
    assert "outcome" in read_log(path).moves


# Numbered questions of a survey


def survey(first: int, name: str, labels: str = "CD", headings: bool = False) -> str:
    names = [name.format(i) for i in range(first, first + 10)]
    lines = [",".join(["ResponseId", "pair", *names, "Q99", "StartDate"])]
    if headings:
        lines.append(",".join(["Response ID", "pair", *["What do you choose?"] * 10, "Age?", "Start"]))
        lines.append(",".join(['"{""ImportId"":""x""}"'] * 14))
    for m, joint in matches():
        for seat in (0, 1):
            moves = [labels["CD".index(ab[seat])] for ab in joint]
            lines.append(",".join([f"R_{m}{seat}", str(m), *moves, str(20 + m + seat), f"{m}:{seat}"]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("first", "name", "pattern"),
    [(1, "Q12_{}", "Q12_{round}"), (1, "Q12.{}", "Q12.{round}"), (12, "Q{}", "Q{round:12-21}")],
)
@pytest.mark.parametrize("headings", [False, True])
def test_numbered_questions_are_asked_about_and_mapped_by_a_pattern(write, first, name, pattern, headings):
    path = write(survey(first, name, headings=headings))
    with pytest.raises(DataError, match="hold C and D, as moves of rounds would") as error:
        read_log(path)
    assert str(error.value).endswith(f"give --map action={pattern}")
    log = read_log(path, mapping=f"action={pattern}")
    assert (plays(log), log.moves["round"].min()) == (TRUE, 1)
    assert set(log.seats["player"]) == {f"R_{m}{s}" for m in range(1, 9) for s in (0, 1)}
    assert plays(followed(path).games) == TRUE


def test_a_pattern_is_kept(write, tmp_path):
    path = write(survey(12, "Q{}", "ab"))
    kept = import_log(path, mapping="action=Q{round:12-21}", cooperate="a").mapping
    (tmp_path / "kept.yaml").write_text(kept.to_yaml())
    assert plays(read_log(path, mapping=str(tmp_path / "kept.yaml"))) == TRUE


def test_a_pattern_that_no_column_has(write):
    with pytest.raises(DataError, match=r"no column has a name such as Q13_\{round\}"):
        read_log(write(survey(1, "Q12_{}")), mapping="action=Q13_{round}")


# Numbers as moves


GIVEN = [
    (group, 4 * group + i, t, (7 * group + 3 * i + t) % 21)
    for group in (1, 2)
    for i in range(4)
    for t in range(1, 6)
]


@pytest.mark.parametrize(
    ("name", "mapping"), [("contribution", None), ("tokens", "value=tokens"), ("choice", "value=choice")]
)
def test_contributions_are_values(write, name, mapping):
    path = write(
        "\n".join([f"group,subject,round,{name}", *(",".join(map(str, row)) for row in GIVEN)]) + "\n"
    )
    if mapping:
        with pytest.raises(DataError, match=r"value=NAME if (moves|they) are"):
            read_log(path)
    log = read_log(path, mapping=mapping)
    assert (log.games["n_players"].tolist(), log.moves["value"].tolist()) == ([4, 4], _values(log))


def _values(log: Any) -> list[float]:
    amounts = {(f"{subject}", t): float(value) for _, subject, t, value in GIVEN}
    who = log.seats.set_index(["game_id", "seat"])["player"]
    return [
        amounts[str(who[g, s]), t]
        for g, s, t in zip(log.moves["game_id"], log.moves["seat"], log.moves["round"], strict=True)
    ]


def test_contributions_in_a_column_for_each_round(write):
    rows: dict[tuple[int, int], list[int]] = {}
    for group, subject, _, value in GIVEN:
        rows.setdefault((group, subject), []).append(value)
    lines = [f"{g},{s},{','.join(map(str, values))}" for (g, s), values in rows.items()]
    head = "group,subject," + ",".join(f"contribution_{t}" for t in range(1, 6))
    log = read_log(write("\n".join([head, *lines]) + "\n"))
    assert log.moves["value"].tolist() == _values(log)


@pytest.mark.parametrize("name", ["contribution", "choice"])
def test_a_table_without_rounds_says_that_they_are_missing(write, name):
    text = "\n".join([f"group,subject,{name}", *(f"{g},{s},{v}" for g, s, t, v in GIVEN if t == 1)]) + "\n"
    with pytest.raises(
        DataError, match=f"column {name} may hold moves, and no column is known to be the round"
    ):
        read_log(write(text))


def test_numbers_of_a_single_player_are_no_game(write):
    rows = "\n".join(f"{name},{t},10" for name in ("a", "b") for t in (1, 2, 3))
    text = rows.replace("a,", "g1,a,").replace("b,", "g2,b,")
    with pytest.raises(DataError, match="numbers of one player in each game"):
        read_log(write(f"group,player,round,contribution\n{text}\n"))


def test_asking_ends_where_no_answer_helps(write):
    rng = random.Random(2)
    rows = [f"{m},{s},{t},{rng.choice('CD')}" for m in (1, 2) for s in range(30) for t in (1, 2, 3)]
    imported = followed(write("\n".join([PLAIN, *rows]) + "\n"))
    assert (imported.games, imported.question) == (None, None)
    assert "if all of them played together" not in imported.refusal
    assert "30 players" in imported.refusal
