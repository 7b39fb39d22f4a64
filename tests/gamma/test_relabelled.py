"""Relabelled games are isomorphic to their originals: actions, payoffs and best replies map one to one."""

import numpy as np
import pytest

from intent.base.errors import GameError
from intent.games.game import course_from_json
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.gamma.stories import STORIES, Relabelled, relabelled

GAMES = [gamma_game(name) for name in GAMMA_GAMES]
GAMES += [
    gamma_game("guessing", low=10, high=60, ratio="4/3", n_players=4),
    gamma_game("bar", ratio="20%", mode="explicit"),
    gamma_game("auction", price="second", top=100),
    gamma_game("public_goods", factor=20, tokens=7),
    gamma_game("pirate", n_players=5, gold=4),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.to_json())


def _moves(game, course, rng):
    """A round of random legal moves, what was asked, and the outcome."""
    actions, asked = {}, {}
    for step in course.steps():
        earlier = dict(actions)
        for seat in step:
            asked[seat] = course.question(seat, earlier)
            legal = game.legal(seat, asked[seat])
            one = str(rng.choice(legal)) if legal else game.equilibrium(seat, asked[seat], rng)
            actions[seat] = None if rng.random() < 0.05 else one
    return actions, asked


@each_game
def test_payoffs_and_best_replies_map_to_those_of_the_original(game):
    """A match of the story, and the original with the actions that these stand for: all the same."""
    told = relabelled(game)
    rng = np.random.default_rng(3)
    outer, inner = told.course(np.random.default_rng(5)), game.course(np.random.default_rng(5))
    for _ in range(6):
        if outer.over:
            break
        actions, asked = _moves(told, outer, rng)
        stand_for = told.inner_moves(actions)
        for seat, facts in asked.items():
            earlier = {s: a for s, a in stand_for.items() if s in _before(outer.steps(), seat)}
            plain = inner.question(seat, earlier)
            assert told.inner_facts(facts) == plain
            legal = told.legal(seat, facts)
            if legal is not None:
                assert sorted(map(told.inner_action, legal)) == sorted(game.legal(seat, plain))
                others = {s: a for s, a in actions.items() if s != seat}
                inside = {s: a for s, a in stand_for.items() if s != seat}
                gains = told.gains(seat, others, facts, legal)
                assert gains == game.gains(seat, inside, plain, tuple(map(told.inner_action, legal)))
                assert told.best(seat, others, facts)[1] == game.best(seat, inside, plain)[1] == max(gains)
            draws = [np.random.default_rng(1), np.random.default_rng(1)]
            outside = told.equilibrium(seat, facts, draws[0])
            assert told.inner_action(outside) == game.equilibrium(seat, plain, draws[1])
        a, b = outer.complete(actions), inner.complete(stand_for)
        assert a.payoffs == b.payoffs
        assert set(a.reports) == set(b.reports)
        for seat, known in a.reports.items():
            assert _numbers(told.inner_facts(known)) == pytest.approx(_numbers(b.reports[seat]))
            assert _words(told.inner_facts(known)) == _words(b.reports[seat])
        assert outer.over == inner.over


def _numbers(facts):
    return {what: fact for what, fact in facts.items() if isinstance(fact, float)}


def _words(facts):
    return {what: fact for what, fact in facts.items() if not isinstance(fact, float)}


def _before(steps, seat):
    found = []
    for step in steps:
        if seat in step:
            return found
        found += step
    return found


@each_game
def test_actions_map_there_and_back(game, rng):
    told = relabelled(game)
    course = told.course(rng)
    seat = course.steps()[0][0]
    asked = course.question(seat, {})
    for action in told.legal(seat, asked) or (told.equilibrium(seat, asked, rng),):
        assert told.outer_action(told.inner_action(action)) == action
        assert told.read(action, seat, asked) == action


@each_game
def test_relabelled_games_are_read_again(game):
    told = relabelled(game)
    assert course_from_json(told.to_json(), told.name) == told
    assert told.n_players == game.n_players


def test_the_equilibrium_of_the_guessing_game_is_at_the_other_end(rng):
    told = relabelled(gamma_game("guessing"))
    assert told.equilibrium(1, {}, rng) == "100"
    assert told.payoff(["67"] + ["50"] * 9) == (1, *[0] * 9)


@pytest.mark.parametrize(
    ("game", "asked", "answer", "why"),
    [
        ("divide_dollar", {}, 101, "litres '101', expected a whole number"),
        ("battle_royale", {"alive": (1, 2)}, 70, "aim '70' is no player"),
        ("pirate", {"role": "propose", "left": (1, 2)}, [1, 2], "split of 3 in all"),
        ("pirate", {"role": "propose", "left": (1, 2)}, {"1": 100}, "split without a share for 2"),
        ("pirate", {"role": "propose", "left": (1, 2)}, {"9": 100}, "share for '9', expected one each"),
    ],
)
def test_answers_are_refused_in_the_words_of_the_story(game, asked, answer, why):
    with pytest.raises(GameError, match=why) as refused:
        relabelled(gamma_game(game)).read(answer, 1, asked)
    assert not any(word in str(refused.value) for word in ("bid", "target", "pirate", "proposal", "gold"))


def test_an_answer_of_the_original_is_none_of_the_story():
    told = relabelled(gamma_game("diner"))
    assert told.read("Fan", 1, {}) == "fan"
    assert (told.actions, told.cooperative_label) == (("fan", "cooler"), "fan")
    with pytest.raises(GameError, match="fan or cooler"):
        told.read("cheap", 1, {})
    with pytest.raises(GameError, match="from 0 to 100"):
        relabelled(gamma_game("guessing")).read(101, 1, {})


def test_every_game_has_a_story_with_names_of_its_own():
    assert set(STORIES) == set(GAMMA_GAMES)
    for name, story in STORIES.items():
        told = [told for _, told in (*story.labels, *story.keys)]
        assert len(set(told)) == len(told), name


@pytest.mark.parametrize(
    "refused",
    [
        lambda: relabelled(gamma_game("public_goods", reset=False)),
        lambda: relabelled(gamma_game("public_goods", least=5)),
        lambda: relabelled(gamma_game("auction", overbid=True)),
        lambda: Relabelled(relabelled(gamma_game("bar"))),
        lambda: course_from_json('{"rules": "relabelled", "story": "x"}', "bar"),
        lambda: course_from_json(
            '{"rules": "relabelled", "n_players": 9, "story": "bridge", "game": {"rules": "bar"}}', "bar"
        ),
        lambda: course_from_json(
            '{"rules": "relabelled", "n_players": 9, "story": "x", "game": {"rules": "relabelled"}}', "bar"
        ),
    ],
)
def test_what_is_no_isomorphism_is_refused(refused):
    with pytest.raises(GameError):
        refused()
