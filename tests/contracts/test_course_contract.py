"""What every game with a course keeps; a new row of `GAMMA_GAMES` brings these tests."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from course_play import equilibrium_policy, play_policy, play_round, random_policy

from intent.base.errors import GameError
from intent.games.game import CourseGame, Facts, course_from_json, game_from_json
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game

SMALL = {"n_players": 4}

VARIANTS = [
    *((name, SMALL) for name in GAMMA_GAMES),
    ("guessing", {"n_players": 3, "low": 2, "high": 9, "ratio": "11/6"}),
    ("guessing", {"n_players": 2, "high": 7, "ratio": 1}),
    ("bar", {"n_players": 3, "ratio": 0.4, "mode": "explicit", "low": -1.5, "high": 4, "home": 0}),
    ("divide_dollar", {"n_players": 3, "gold": 7}),
    ("public_goods", {"n_players": 3, "tokens": 5, "factor": 1.1, "reset": False, "least": 2}),
    ("public_goods", {"n_players": 2, "tokens": 3, "factor": 4, "reset": False}),
    ("diner", {"n_players": 3, "costly_utility": 16}),
    ("auction", {"n_players": 3, "price": "second", "top": 60, "step": 20}),
    ("battle_royale", {"n_players": 3, "lowest": 30, "interval": 30}),
    ("pirate", {"n_players": 3, "gold": 4}),
]

WITHOUT_LUCK = {"guessing", "bar", "divide_dollar", "public_goods", "diner"}
"""Games in which a round of simultaneous moves pays what `gains` says, with nothing to follow."""

PURE = WITHOUT_LUCK - {"bar"}
"""Of these, the ones with an equilibrium in pure strategies that `equilibrium` plays."""


def label(variant: tuple[str, dict[str, object]]) -> str:
    name, parameters = variant
    return name if parameters is SMALL else f"{name}-{'-'.join(str(v) for v in parameters.values())}"


@pytest.fixture(params=VARIANTS, ids=label)
def game(request: pytest.FixtureRequest) -> CourseGame:
    name, parameters = request.param
    return gamma_game(name, **parameters)


def some(actions: tuple[str, ...] | None, least: int = 5) -> tuple[str, ...]:
    """A few of many actions: the ends and some between."""
    every = actions or ()
    return tuple(dict.fromkeys([*every[:2], *every[2 :: max(1, len(every) // least)], *every[-1:]]))


def test_is_a_course_game_with_the_name_of_its_rules(game: CourseGame) -> None:
    assert isinstance(game, CourseGame)
    assert game.name in GAMMA_GAMES
    assert game.kind == "reward"
    assert all(game.cooperative_action(s) == game.cooperative_label for s in range(1, game.n_players + 1))


def test_comes_back_from_its_json(game: CourseGame) -> None:
    table = json.loads(game.to_json())
    assert list(table)[:2] == ["rules", "n_players"]
    again = course_from_json(game.to_json(), "any")
    assert again == game
    assert hash(again) == hash(game)
    assert game_from_json(game.to_json(), "any", None) == game
    assert course_from_json(again.to_json(), "any").to_json() == game.to_json()


@pytest.mark.parametrize("n_players", [0, 1, -3, 1001, True, "ten", 2.5, None, [4]])
def test_impossible_numbers_of_players_are_refused(game: CourseGame, n_players: object) -> None:
    text = json.dumps(json.loads(game.to_json()) | {"n_players": n_players})
    with pytest.raises(GameError, match="players"):
        course_from_json(text, "any")


@pytest.mark.parametrize("junk", [float("nan"), float("inf"), -1e300, "x", [], {}, 10**400, True])
def test_impossible_parameters_are_refused(game: CourseGame, junk: object) -> None:
    for key in json.loads(game.to_json()):
        if key in ("rules", "reset", "n_players") or (junk is True and isinstance(getattr(game, key), bool)):
            continue
        text = json.dumps(json.loads(game.to_json()) | {key: junk})
        with pytest.raises(GameError):
            course_from_json(text, "any")


def test_legal_actions_are_read_as_they_are(game: CourseGame) -> None:
    for played in play_policy(game, random_policy(game), rounds=3, seed=5):
        for seat, asked in played.questions.items():
            assert isinstance(game.key(asked), str)
            for action in (*some(game.legal(seat, asked)), played.actions[seat]):
                assert action is not None
                assert game.read(action, seat, asked) == action


NONSENSE = [
    None,
    True,
    float("nan"),
    float("-inf"),
    -1,
    "-1",
    2.5,
    "1/2",
    "",
    "x" * 5000,
    [],
    {},
    [[]],
    "1e3",
]


@pytest.mark.parametrize("answer", NONSENSE)
def test_illegal_actions_are_refused_in_one_line(game: CourseGame, answer: object) -> None:
    course = game.course(np.random.default_rng(1))
    seat = course.steps()[0][0]
    asked = course.question(seat, {})
    if (answer is None or answer in ("", "-1", -1)) and game.name == "battle_royale":
        pytest.skip("a miss on purpose")
    with pytest.raises(GameError) as caught:
        game.read(answer, seat, asked)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_same_seed_is_the_same_course(game: CourseGame) -> None:
    one, two = (play_policy(game, random_policy(game), rounds=4, seed=9) for _ in range(2))
    assert one == two


def test_luck_does_not_depend_on_what_is_played(game: CourseGame) -> None:
    lucks = [np.random.default_rng(3) for _ in range(2)]
    courses = [game.course(luck) for luck in lucks]
    policies = [equilibrium_policy(game), random_policy(game)]
    own = np.random.default_rng(4)
    for _ in range(4):
        if any(course.over for course in courses):
            break
        for course, policy in zip(courses, policies, strict=True):
            play_round(game, course, lambda seat, asked, p=policy: p(seat, asked, None, own))
        assert lucks[0].bit_generator.state == lucks[1].bit_generator.state


def test_every_round_has_payoffs_and_news_for_those_in_play(game: CourseGame) -> None:
    for played in play_policy(game, random_policy(game), rounds=5, seed=2):
        moved = [seat for step in played.steps for seat in step]
        assert len(set(moved)) == len(moved)
        assert set(moved) == set(played.actions)
        assert len(played.outcome.payoffs) == game.n_players
        assert set(played.outcome.values) == set(moved)
        assert set(played.outcome.reports) <= set(range(1, game.n_players + 1))


def test_missing_moves_pay_nothing_and_stop_nothing(game: CourseGame) -> None:
    for played in play_policy(game, lambda seat, asked, told, rng: None, rounds=6):
        assert all(played.outcome.payoffs[seat - 1] is None for seat in played.actions)
        assert all(value is None for value in played.outcome.values.values())


def test_players_cope_with_moves_that_are_missing(game: CourseGame) -> None:
    """Whatever is missing, replies stay legal and gains finite."""
    uniform, own = random_policy(game), np.random.default_rng(13)

    def forgetful(seat: int, asked: Facts, told: Facts | None, rng: np.random.Generator) -> str | None:
        reply = game.best_reply(seat, told, asked, own)
        assert game.read(reply, seat, asked) == reply
        return None if rng.random() < 0.4 else uniform(seat, asked, told, rng)

    for seed in range(3):
        for played in play_policy(game, forgetful, rounds=4, seed=seed):
            for seat, asked in played.questions.items():
                others = {s: a for s, a in played.actions.items() if s != seat}
                action, gain = game.best(seat, others, asked)
                assert game.read(action, seat, asked) == action
                assert np.isfinite(gain)
                known = {s: a for s, a in others.items() if a is not None}
                if len(played.steps) == 1:
                    assert game.best(seat, known, asked) == (action, gain)


def test_best_is_the_largest_gain(game: CourseGame) -> None:
    for played in play_policy(game, random_policy(game), rounds=4, seed=11):
        for seat, asked in played.questions.items():
            others = {s: a for s, a in played.actions.items() if s != seat}
            action, gain = game.best(seat, others, asked)
            assert game.read(action, seat, asked) == action
            assert game.gains(seat, others, asked, (action,)) == (pytest.approx(gain),)
            legal = game.legal(seat, asked)
            if legal is not None:
                assert gain == pytest.approx(max(game.gains(seat, others, asked, legal)))


def test_gains_are_what_a_replay_pays(game: CourseGame) -> None:
    if game.name not in WITHOUT_LUCK:
        pytest.skip("gains are expectations over luck, or of play to come")
    course, own = game.course(np.random.default_rng(6)), np.random.default_rng(7)
    for _ in range(3):
        before = copy.deepcopy(course)
        played = play_round(
            game,
            course,
            lambda seat, asked: random_policy(game)(seat, asked, None, own) if seat > 1 else None,
        )
        for seat, asked in played.questions.items():
            tried = some(game.legal(seat, asked))
            others = {s: a for s, a in played.actions.items() if s != seat}
            replays = [copy.deepcopy(before).complete({**others, seat: action}) for action in tried]
            paid = tuple(outcome.payoffs[seat - 1] for outcome in replays)
            assert game.gains(seat, others, asked, tried) == paid


def test_equilibrium_play_is_a_best_reply_to_itself(game: CourseGame) -> None:
    if game.name not in PURE:
        pytest.skip("mixed, or over luck: tested with the game")
    for played in play_policy(game, equilibrium_policy(game), rounds=2):
        for seat, asked in played.questions.items():
            others = {s: a for s, a in played.actions.items() if s != seat}
            mine = game.gains(seat, others, asked, (str(played.actions[seat]),))[0]
            assert mine == max(game.gains(seat, others, asked, game.legal(seat, asked) or ()))


def test_best_reply_is_best_against_the_same_play_of_the_others(game: CourseGame) -> None:
    if game.name not in WITHOUT_LUCK:
        pytest.skip("valuations, hits and votes change from round to round")
    course, own = game.course(np.random.default_rng(8)), np.random.default_rng(9)
    played = play_round(game, course, lambda s, asked: random_policy(game)(s, asked, None, own))
    for seat, told in played.outcome.reports.items():
        if game.name == "bar" and "went" not in told:
            continue
        reply = game.best_reply(seat, told, played.questions[seat], own)
        others = {s: a for s, a in played.actions.items() if s != seat}
        gain = game.gains(seat, others, played.questions[seat], (reply,))[0]
        if game.name == "guessing":
            nearest = int(game.best(seat, others, played.questions[seat])[0])
            assert abs(int(reply) - nearest) <= 1
        else:
            assert gain == game.best(seat, others, played.questions[seat])[1]


def test_the_first_round_is_played_as_in_equilibrium(game: CourseGame) -> None:
    course = game.course(np.random.default_rng(1))
    for seat in course.steps()[0]:
        asked = course.question(seat, {})
        rngs = [np.random.default_rng(2) for _ in range(2)]
        assert game.best_reply(seat, None, asked, rngs[0]) == game.equilibrium(seat, asked, rngs[1])
