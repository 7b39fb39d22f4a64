"""What a player draws tells it nothing: not whom it meets, what others draw, or what noise does."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.sandbox.draws import match_draws
from intent.arena.sandbox.engines import engine_status, make_engine
from intent.arena.sandbox.generator import Generator
from intent.arena.sources.gate import gate
from intent.arena.tournament.round_robin import play_round_robin
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


@pytest.mark.parametrize("name", ENGINES)
def test_who_knows_the_names_does_not_know_whom_it_meets(name):
    field = (oracle(), *FIELD)
    with make_engine(name, workers=1) as engine:
        table = play_round_robin(field, RULES, repetitions=REPETITIONS, seed=0, engine=engine)
    opened = table.opened[0, 1:]
    assert opened.all(), "it knew some of them"
