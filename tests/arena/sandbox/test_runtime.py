"""What runs beside written code: the standard library and itself, and play that ends as it should."""

import ast
import sys
from pathlib import Path

import pytest

import intent.arena.sandbox
from intent.arena.entrant import Entrant
from intent.arena.sandbox.confined import player_spec
from intent.arena.sandbox.runtime import Rules, Seating, automaton_seat, play_match
from intent.arena.sandbox.values import C, D
from intent.strategies.catalogue import CATALOGUE, Strategy, strategy

INSIDE = ("names", "normal_form", "plain", "process", "referee", "runtime", "values", "zygote")
RULES = Rules((3.0, 0.0, 5.0, 1.0), 40, 0.0, True, True, False)


@pytest.mark.parametrize("module", INSIDE)
def test_processes_import_the_standard_library_and_each_other(module):
    text = (Path(intent.arena.sandbox.__file__).parent / f"{module}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            package, _, last = name.rpartition(".")
            assert name.split(".")[0] in sys.stdlib_module_names or (
                package == "intent.arena.sandbox" and last in INSIDE
            )


def automaton(table):
    return player_spec(Entrant(table.name, automaton=table))


@pytest.mark.parametrize("name", [n for n, s in CATALOGUE.items() if s.is_deterministic])
def test_automata_play_as_their_tables_say(name, rng):
    table = strategy(name)
    play, me, other_view, see = automaton_seat(automaton(table), 0)
    state = table.start
    for _ in range(60):
        own, other = int(rng.random() < 0.5), int(rng.random() < 0.5)
        assert play(me, other_view) is (C if table.p_cooperate[state] == 1 else D)
        see(C if own else D, C if other else D)
        intended = int(table.p_cooperate[state])
        state = table.next_code(state, own if table.memory == "realised" else intended, other)


def test_an_automaton_that_remembers_its_intention_goes_by_it():
    table = Strategy("keep", (1.0, 0.0), ((0, 0, 1, 1), (0, 0, 1, 1)), memory="intended")
    play, _, _, see = automaton_seat(automaton(table), 0)
    play(None, None)
    see(D, C)
    assert play(None, None) is C


def test_a_byte_per_round_tells_both_moves():
    seats = [Seating(automaton(strategy(n)), RULES, False) for n in ("TFT", "ALLD")]
    assert play_match(seats, RULES, (0, 0), "") == bytearray([1] + [3] * 39)


def test_noise_flips_both_after_they_moved():
    seats = [Seating(automaton(strategy(n)), RULES, False) for n in ("ALLC", "TFT")]
    assert list(play_match(seats, RULES, (0, 0), "0213" + "0" * 36))[:6] == [0, 2, 0, 3, 1, 0]
