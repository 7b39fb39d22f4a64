"""Whole matches against the Axelrod library, move for move: people's strategies and the samples."""

from __future__ import annotations

import numpy as np
import pytest
from axelrod_players import moves_of, quiet_axelrod, sample_texts, written_players

from intent.arena.engines import engine_status, make_engine
from intent.arena.field import humans, join_fields, opponents
from intent.arena.match import Job, MatchRules
from intent.arena.sources.reader import read_strategies

pytestmark = [pytest.mark.axelrod, pytest.mark.slow]

LIBRARY = {"Gradual": "OriginalGradual"}
"""Ours -> the library's name, where it is another."""

PAYOFFS = {"prisoner": (3.0, 0.0, 4.0, 1.0), "stag": (4.0, 0.0, 3.0, 1.0)}


@pytest.fixture(scope="module")
def axl():
    try:
        return quiet_axelrod()
    except ImportError:
        pytest.skip("pip install 'strategy-intent[axelrod]'")


@pytest.fixture(scope="module")
def engine():
    with make_engine(workers=2) as made:
        yield made


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """All samples, those for noise with their file's name in front."""
    folder = tmp_path_factory.mktemp("samples")
    for stem, text in sample_texts().items():
        (folder / f"{stem}.py").write_text(text, encoding="utf-8")
    found = read_strategies([folder])
    assert not found.failed
    return found.entrants


@pytest.fixture(scope="module")
def field(samples):
    return join_fields(samples, humans(), opponents("Gradual"))


@pytest.fixture(scope="module")
def make(axl, samples):
    """Entrant -> a fresh player of the library."""
    classes = {stem: written_players(axl, text) for stem, text in sample_texts().items()}
    by_words = {}
    for made in classes.values():
        for cls in made.values():
            by_words[cls.attitude, cls.n, float(cls.noise)] = cls

    def player(entrant):
        if entrant.group == "human":
            return getattr(axl, LIBRARY.get(entrant.name, entrant.name))()
        number = int(entrant.name.rpartition("_")[2])
        return by_words[entrant.group, number, float(entrant.noise)]()

    return player


def cover(field, flip: bool):
    """Each sample with each human, every third pair of samples, humans among themselves, self-play."""
    n = len(field)
    written = [e.group != "human" for e in field]
    for i in range(n):
        for j in range(i, n):
            if i == j or written[i] != written[j] or not written[i] or (i + j) % 3 == 0:
                yield (j, i) if flip else (i, j)


def first_difference(ours, theirs) -> str:
    turns = np.flatnonzero((ours != theirs).any(axis=0))
    return "" if not turns.size else f"turn {turns[0]}"


def disagreements(axl, engine, field, make, jobs, rules) -> list[str]:
    """Jobs that are no match of the library, by name."""
    wrong = []
    game = axl.Game(r=rules.payoffs[0], s=rules.payoffs[1], t=rules.payoffs[2], p=rules.payoffs[3])
    for done in engine.play(field, jobs, rules):
        a, b = field[done.job.first], field[done.job.second]
        if not hasattr(done, "moves"):
            wrong.append(f"{a.name} {b.name}: {done.kind} {done.reason}")
            continue
        pair = (make(a), make(b))
        for repetition, seed in enumerate(done.job.seeds):
            if not rules.reuse_instances:
                pair = (make(a), make(b))
            match = axl.Match(pair, turns=rules.turns, noise=rules.noise, game=game, seed=seed)
            match.play()
            where = first_difference(done.moves[repetition], moves_of(axl, match))
            if where:
                wrong.append(f"{a.name} {b.name} repetition {repetition}: {where}")
    return wrong


LONG = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("turns", "noise"), [(300, 0.1), pytest.param(1000, 0.0, marks=LONG), pytest.param(1000, 0.1, marks=LONG)]
)
def test_matches_are_those_of_the_library(axl, engine, field, make, turns, noise):
    jobs = [Job(i, j, (1_000_003 * i + 7919 * j + (noise > 0),)) for i, j in cover(field, flip=noise > 0)]
    assert disagreements(axl, engine, field, make, jobs, MatchRules(turns=turns, noise=noise)) == []


@pytest.mark.parametrize("name", ["strict", "monty"])
def test_every_engine_plays_as_the_library(axl, field, make, name):
    if (why := engine_status()[name]) is not None:
        pytest.skip(why)
    jobs = [Job(i, j, (5, 6)) for i, j in list(cover(field, flip=False))[::11]]
    with make_engine(name, workers=2) as engine:
        assert disagreements(axl, engine, field, make, jobs, MatchRules(turns=150, noise=0.05)) == []


@pytest.mark.parametrize("game", PAYOFFS)
def test_scores_are_those_of_the_game(axl, engine, field, make, game):
    rules = MatchRules(payoffs=PAYOFFS[game], turns=200, noise=0.05)
    scored = [i for i, e in enumerate(field) if "score" in e.source]
    jobs = [Job(i, j, (7, 8)) for i in scored for j in (*scored, len(field) - 3) if i <= j]
    assert disagreements(axl, engine, field, make, jobs, rules) == []


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32 - 2])
def test_any_seed_and_both_seats(axl, engine, field, make, seed):
    drawing = [i for i, e in enumerate(field) if e.draws]
    jobs = [Job(i, j, (seed,)) for i in drawing[::2] for j in drawing[1::2]]
    jobs += [Job(j, i, (seed,)) for i in drawing[::2] for j in drawing[1::2]]
    assert disagreements(axl, engine, field, make, jobs, MatchRules(turns=120, noise=0.02)) == []


@pytest.mark.parametrize("reuse", [False, True])
def test_custom_attributes_live_on_only_where_asked(axl, engine, field, make, reuse):
    leaky = next(i for i, e in enumerate(field) if "sour_moods" in e.source)
    rules = MatchRules(turns=400, noise=0.1, reuse_instances=reuse)
    jobs = [Job(leaky, j, (3, 4, 5)) for j in (leaky, *range(0, len(field), 4))]
    assert disagreements(axl, engine, field, make, jobs, rules) == []


def test_a_custom_attribute_that_lives_on_changes_play(engine, field):
    leaky = next(i for i, e in enumerate(field) if "sour_moods" in e.source)
    job = Job(leaky, leaky, (3, 4, 5))
    fresh, kept = (
        next(iter(engine.play(field, [job], MatchRules(turns=400, noise=0.1, reuse_instances=reuse)))).moves
        for reuse in (False, True)
    )
    assert (fresh[0] == kept[0]).all()
    assert (fresh[1:] != kept[1:]).any()


def test_the_catalogues_strategies_draw_as_the_librarys(axl, engine):
    names = {"GTFT": ("GTFT", {"p": 1 / 3}), "FBF": ("FirmButFair", {}), "RANDOM": ("Random", {})}
    field = opponents(",".join(names))

    def make(entrant):
        cls, settings = names[entrant.name]
        return getattr(axl, cls)(**settings)

    jobs = [Job(i, j, (11,)) for i in range(3) for j in range(3)]
    assert disagreements(axl, engine, field, make, jobs, MatchRules(noise=0.05)) == []


def test_means_of_a_round_robin_are_those_of_the_librarys_tournament(axl, engine, field, make):
    from intent.arena.streams import Salt
    from intent.arena.tournament.matches import Contest
    from intent.arena.tournament.table import play_round_robin

    chosen = tuple(e for e in field if not e.draws)[::3]
    table = play_round_robin(chosen, MatchRules(turns=100), Contest(1, Salt.of_field(chosen, 0), engine))
    tournament = axl.Tournament([make(e) for e in chosen], turns=100, repetitions=1, seed=0)
    theirs = tournament.play(progress_bar=False)
    np.testing.assert_allclose(table.payoffs()[:, :, 0], theirs.payoff_matrix, atol=1e-12)
    off = ~np.eye(len(chosen), dtype=bool)
    coop = np.array(theirs.normalised_cooperation)
    np.testing.assert_allclose(table.cooperation()[:, :, 0][off], coop[off], atol=1e-12)
