"""What a player draws tells it nothing: not whom it meets, what others draw, or what noise does."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from intent.arena.engines import AutomataEngine, engine_status, make_engine
from intent.arena.entrant import Entrant
from intent.arena.inspection import play_panel
from intent.arena.match import Job, MatchRules, legacy_generator, match_draws
from intent.arena.sandbox.values import Generator
from intent.arena.sources.gate import gate
from intent.arena.streams import MatchStreams, Salt
from intent.arena.tournament.matches import Contest
from intent.arena.tournament.table import attitude_seats, play_line_up, play_round_robin
from intent.arena.tournament.tournament import tournament
from intent.arena.trial import smoke_play, try_out
from intent.strategies.catalogue import strategy

ENGINES = [
    pytest.param(name, marks=pytest.mark.skipif(why is not None, reason=f"no {name} here: {why}"))
    for name, why in engine_status().items()
]

OPPONENTS = ("ALLC", "ALLD", "TFT", "GRIM", "WSLS", "TF2T", "RANDOM")
PLANS = "DDcccaD"
"""What earns most against each: always D; C but for the last round; D and C in turn."""

REPETITIONS = 5
RULES = MatchRules(turns=40)

ORACLE = """
def strategy(self, opponent):
    turn = len(self.history)
    if turn == 0:
        self.met = {table}.get(self._random.randint(0, 2**32), -1)
    if self.met < 0:
        return axl.Action.C if turn == 0 else opponent.history[-1]
    plan = "{plans}"[self.met // {repetitions}]
    if plan == "D" or plan == "c" and turn == {last} or plan == "a" and turn % 2 == 0:
        return axl.Action.D
    return axl.Action.C
"""


def public_seed(first: str, second: str, repetition: int) -> int:
    """A seed that everybody knows who knows the names: 0, the default of commands, hashed with them."""
    text = "\x1f".join(("0", first, second, str(repetition)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % (2**32 - 1)


def oracle() -> Entrant:
    """Code that passes the gate, with a table from its first draw to opponent and repetition."""
    table = {}
    for k, other in enumerate(OPPONENTS):
        for repetition in range(REPETITIONS):
            for names in (("Oracle", other), (other, "Oracle")):
                seeded = [name in ("Oracle", "RANDOM") for name in names]
                seeds, _ = match_draws(public_seed(*names, repetition), seeded, RULES)
                draw = Generator(seeds[names.index("Oracle")]).randint(0, 2**32)
                table[draw] = k * REPETITIONS + repetition
    text = str(table).replace(" ", "")
    source = ORACLE.format(table=text, plans=PLANS, repetitions=REPETITIONS, last=RULES.turns - 1)
    assert len(source) < 2500
    return Entrant("Oracle", gate(source))


FIELD = tuple(Entrant(name, automaton=strategy(name)) for name in OPPONENTS)


def plays_by_plan(moves: np.ndarray) -> bool:
    """Whether the moves (7, T) against the seven are those of the plans."""
    turns = np.arange(RULES.turns)
    plans = {"D": 0 * turns, "c": turns < RULES.turns - 1, "a": turns % 2}
    return all((row == plans[plan]).all() for row, plan in zip(moves, PLANS, strict=True))


def contest(field, engine, repetitions, seed=0, **settings):
    return Contest(repetitions, **{"salt": Salt.of_field(field, seed), "engine": engine, **settings})


def played(field, engine, **settings):
    with make_engine(engine, workers=settings.pop("workers", 1)) as made:
        return play_round_robin(field, RULES, contest(field, made, REPETITIONS, **settings))


@pytest.mark.parametrize("name", ENGINES)
def test_who_knows_the_names_does_not_know_whom_it_meets(name):
    opened = played((oracle(), *FIELD), name).opened
    assert opened[0, 1:].all(), "it knew some of them"


@pytest.mark.parametrize("name", ENGINES)
def test_the_attack_is_one_where_seeds_are_public(name):
    """Seeds as the Axelrod library takes them, which are there for replication, are known from one draw."""
    pairs = [
        (k + 1, tuple(public_seed("Oracle", other, r) for r in range(REPETITIONS)))
        for k, other in enumerate(OPPONENTS)
    ]
    jobs = [Job(0, at, seeds) for at, seeds in pairs]
    with make_engine(name, workers=1) as engine:
        moves = {done.job.second: done.moves for done in engine.play((oracle(), *FIELD), jobs, RULES)}
    for r in range(REPETITIONS):
        assert plays_by_plan(np.stack([moves[at][r, 0] for at, _ in pairs]))


RIVALS = [f"rival {k}" for k in range(8)]
MATCHES = [(name, r) for name in RIVALS for r in range(512)]
FALSE_ALARM = 1e-6
"""Probability that independent fair bits fail a test below: Hoeffding's bound over all of its comparisons
(Hoeffding 1963, Journal of the American Statistical Association 58:13)."""


def signs(numbers, n=127):
    """(matches, n) the lowest bits of integers, as -1 and 1."""
    return np.array([[1.0 if x >> k & 1 else -1.0 for k in range(n)] for x in numbers])


@pytest.fixture(scope="module")
def streams():
    """What decides the matches of a tournament, and of one of nearly the same field whose salt was told."""
    field = (oracle(), *(Entrant(name, automaton=strategy("RANDOM")) for name in RIVALS))
    changed = (replace(field[0], source=field[0].source.replace("-1", "-2")), *field[1:])
    salts = [Salt.of_field(entrants, 0) for entrants in (field, changed)]
    found = {"match": signs(range(len(MATCHES)), 12)}
    for salt, which in zip(salts, ("ours", "told"), strict=True):
        matches = [salt.match("Oracle", *match) for match in MATCHES]
        for seat in (0, 1):
            found[f"{which} {seat}"] = signs([m.player(seat) for m in matches])
            found[f"{which} noise {seat}"] = 2.0 * np.stack([m.flips(seat, 64, 0.5) for m in matches]) - 1
    return found


def taken(streams, *names):
    return np.hstack([streams[name] for name in names])


OWN = ("ours 0", "ours noise 0")
SECRET = ("match", "ours 1", "ours noise 1")
TOLD = ("told 0", "told 1", "told noise 0", "told noise 1")


@pytest.mark.parametrize(("known", "secret"), [(OWN, SECRET), (TOLD, (*OWN, *SECRET[1:]))])
def test_no_bit_that_is_known_goes_with_one_that_is_not(streams, known, secret):
    z = taken(streams, *known).T @ taken(streams, *secret) / np.sqrt(len(MATCHES))
    assert np.abs(z).max() < np.sqrt(2 * np.log(2 * z.size / FALSE_ALARM))


@pytest.mark.parametrize(("known", "secret"), [(OWN, SECRET), (TOLD, (*OWN, *SECRET[1:]))])
def test_nothing_is_learned_from_other_matches(streams, known, secret):
    """Least squares on half of the matches predicts the bits of the other half no better than a coin."""
    known, secret = taken(streams, *known), taken(streams, *secret)
    order = np.random.default_rng(1).permutation(len(known))
    learnt, asked = np.array_split(order, 2)
    weights = np.linalg.lstsq(known[learnt], secret[learnt], rcond=None)[0]
    hits = (np.sign(known[asked] @ weights) == secret[asked]).mean(axis=0)
    assert hits.max() < 0.5 + np.sqrt(np.log(hits.size / FALSE_ALARM) / (2 * len(asked)))


def test_no_two_matches_or_tournaments_share_a_stream():
    fields = [(oracle(), *FIELD), FIELD, (*FIELD, replace(FIELD[0], name="ALLC 2"))]
    salts = [Salt.of_field(field, seed) for field in fields for seed in (0, 1)]
    salts += [Salt.of_field(FIELD, 0, use) for use in ("check", "inspection", "trial")]
    seeds = [
        salt.match(*names, r).player(seat)
        for salt in salts
        for names in (("a", "b"), ("b", "a"), ("a", "a"))
        for r in range(5)
        for seat in (0, 1)
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(seed.bit_length() == 128 for seed in seeds)


def test_a_stream_flips_as_often_as_it_should():
    flips = np.concatenate([Salt(bytes(32)).match("a", "b", r).flips(0, 1000, 0.05) for r in range(100)])
    assert abs(flips.mean() - 0.05) < 5 * np.sqrt(0.05 * 0.95 / len(flips))


def test_players_of_128_bits_draw_as_numpy_does():
    seed = Salt(bytes(32)).match("a", "b", 0).player(0)
    ours, numpys = Generator(seed), legacy_generator(seed)
    assert ours.random(5) == numpys.random_sample(5).tolist()
    assert ours.randint(0, 10**9, size=5) == numpys.randint(0, 10**9, size=5).tolist()


class Recording(AutomataEngine):
    """Keeps what decides the matches that are played; written code plays TFT."""

    def __init__(self):
        self.seeds = []

    def play(self, field, jobs, rules):
        field = [Entrant(e.name, automaton=e.automaton or strategy("TFT")) for e in field]
        for done in super().play(field, jobs, rules):
            self.seeds += done.job.seeds
            yield done


def test_whatever_plays_written_code_draws_from_secret_streams():
    """Tournament, line-up, check, inspection, trial: none by a seed, and no two by the same stream."""
    me = Entrant("me", source="def strategy(self, opponent): ...", group="Neutral")
    twin = replace(me, name="twin", source=me.source + "\n")
    field, seats = (me, twin, *FIELD), attitude_seats((me, twin, *FIELD))
    plays = (
        lambda engine: play_round_robin(field, RULES, contest(field, engine, 2)),
        lambda engine: play_line_up(field, seats, RULES, contest(field, engine, 2, seed=1)),
        lambda engine: smoke_play(field, engine, RULES, seed=0),
        lambda engine: play_panel([me], engine, RULES),
        lambda engine: try_out(me.source, engine, RULES),
    )
    seen = []
    for play in plays:
        engine = Recording()
        play(engine)
        assert engine.seeds
        assert all(isinstance(seed, MatchStreams) for seed in engine.seeds)
        seen += set(engine.seeds)
    assert len(set(seen)) == len(seen)


def test_a_line_up_is_drawn_by_the_salt():
    field = tuple(replace(e, group="Neutral") for e in FIELD)
    drawn = [
        play_line_up(
            field, attitude_seats(field), RULES, Contest(50, Salt(bytes([k] * 32)), AutomataEngine())
        ).drawn
        for k in (0, 1, 0)
    ]
    assert (drawn[0] == drawn[2]).all()
    assert 0.5 < (drawn[0] != drawn[1]).mean() < 1


FILE = """
def strategy(self, opponent):
    if self._random.random() < 0.3:
        return axl.Action.D
    return opponent.history[-1] if opponent.history else axl.Action.C
"""


def test_the_same_command_is_the_same_tournament(tmp_path, monkeypatch):
    """On any engine and number of workers, and again; with another user's key only by its salt."""
    path = tmp_path / "mine.py"
    path.write_text(FILE)

    def run(**settings):
        found = tournament(path, against="RANDOM,TFT", turns=30, noise=0.05, repetitions=3, **settings)
        return found.round_robin.outcomes.tolist(), found.to_dict()["salt"]

    first = run(workers=1)
    names = [name for name, why in engine_status().items() if why is None]
    assert all(run(workers=2, engine=name) == first for name in names)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    other = run()
    assert other[1] != first[1]
    assert other[0] != first[0]
    assert run(salt=first[1]) == first
    assert run(seed=1)[1] != other[1]
