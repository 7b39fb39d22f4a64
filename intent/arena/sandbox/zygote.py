"""The trusted process that forks a confined child for every pair; standard library only.

It reads jobs from standard input and writes results to standard output, each with its length in front, and
ends when its input does. The environment, the site packages and the rights of root are gone before the first
job.

Code that reads its moves in one look-up; standard library only.

``axl.Action.C`` is three look-ups, several times per round. Code that has played before is compiled with a
global name in its place, which no source can write or read otherwise.

What every pair does, done once before the first child is forked; standard library only.

A child inherits what the interpreter learns here: names that were looked up, code that was specialised. It
would otherwise learn it anew for every pair, in pages of its own.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import os
import signal
import struct
import sys
import unicodedata  # noqa: F401 - the compiler needs it for names that are not ASCII, and a child cannot load it
from collections.abc import Sequence
from types import CodeType
from typing import Any

from intent.arena.sandbox.normal_form import TOO_DEEP, Family, normalise, syntax_tree
from intent.arena.sandbox.process import (
    WRITE_FD,
    Budget,
    EndedOutside,
    HostGone,
    NotConfined,
    be_private,
    confine_here,
    filter_program,
    fork_child,
)
from intent.arena.sandbox.referee import Nursery, Remote, Spoiled, play_apart, wait_for_player
from intent.arena.sandbox.runtime import Foul, Rules, Seating, play_match, play_pair, reads_counts
from intent.arena.sandbox.runtime import compile_source as compiled

__all__ = ["compiled_short", "main", "warm"]


def compiled_short(source: str) -> CodeType:
    """The code of a source whose moves are read as globals; nothing of it is run.

    A source that gives the name ``axl`` to anything is compiled as it is.

    Raises
    ------
    SyntaxError, ValueError, or one of `TOO_DEEP`
        It does not compile.
    """
    tree = normalise(syntax_tree(source), native=True)
    family = Family(tree)
    if not _gives_axl(source, family.nodes):
        family.replace(_global_move)
    return compile(tree, "<strategy>", "exec", dont_inherit=True)


def _global_move(node: ast.AST) -> ast.Name | None:
    match node:
        case ast.Attribute(ast.Attribute(ast.Name("axl"), "Action"), "C" | "D", ast.Load()):
            return ast.Name(f"axl.Action.{node.attr}", ast.Load())
    return None


def _gives_axl(source: str, nodes: list[ast.AST]) -> bool:
    """Whether the name ``axl`` may stand where it is not read."""
    read = sum(type(n) is ast.Name and n.id == "axl" and type(n.ctx) is ast.Load for n in nodes)
    # each time that the letters stand in the text is a name that is read: no need to look at every field
    if source.isascii() and source.count("axl") == read:
        return False
    return any(_names_axl(node) for node in nodes)


def _names_axl(node: ast.AST) -> bool:
    """Whether a node has the word in another place than a name that is read."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return False
    names: list[object] = []
    for _, value in ast.iter_fields(node):
        names += value if isinstance(value, list) else [value]
    return "axl" in names


_TURNS = 120

_OURS = """
def strategy(self, opponent):
    if self.first_round():
        self.angry = 0
        return axl.Action.C
    recent = opponent.history[-5:]
    betrayed = sum(1 for move in recent if move == axl.Action.D)
    self.angry = max(self.angry, betrayed / len(recent))
    if recent.count(axl.Action.D) > 3 or self._random.random_choice(0.9) == axl.Action.D:
        return axl.Action.D
    if len(self.history) > 50 and self.score < opponent.score:
        return axl.Action.D if opponent.history.defections > 5 else opponent.history[-1]
    return getattr(self, "mood", self.history[-1])
"""

_PLAIN = """
def strategy(self, opponent):
    if not opponent.history:
        return axl.Action.C
    return opponent.history[-1]
"""


def warm() -> None:
    """Play our own code against itself; nothing of it is kept."""
    rules = Rules((3.0, 0.0, 5.0, 1.0), _TURNS, 0.1, True, True, False)
    for source in (_OURS, _PLAIN):
        specs = [{"source": source, "seeded": True, "scored": True, "code": compiled(source)}] * 2
        seats = [Seating(spec, rules, late=i == 0) for i, spec in enumerate(specs)]
        play_match(seats, rules, (1, 2), "0123" * (_TURNS // 4))


NOBODY = 65534
"""User and group that root turns into: those of the kernel's overflow ids."""

REMEMBERED = 512
"""Sources whose code is kept."""

LONGEST_REMEMBERED = 1 << 16
"""Characters of a source whose code is kept: compiling takes place here, where no clock runs against it."""

MOVES, SPOILED, SUSPECT, DONE, PROBLEM = b"M", b"F", b"S", b"K", b"E"
"""What an answer is: moves; whose fault, as JSON; a pair to be replayed apart; a word; no player's fault."""


def main() -> None:
    """Serve until standard input ends."""
    forget_signals()
    problem = drop_rights()
    be_private()
    sys.stdin = sys.stdout = sys.stderr = None
    os.environ.clear()
    warm()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # children are short-lived: looking for rubbish costs more than it frees
    zygote = _Zygote()
    with contextlib.suppress(HostGone, BrokenPipeError):
        _send(DONE + (problem or "").encode())
        zygote.nursery.fill()
        while request := _receive():
            _send(zygote.serve(json.loads(request)))
            request = b""
            zygote.nursery.fill()
    zygote.leave_table()
    zygote.nursery.close()


def forget_signals() -> None:
    """Undo what a host ignored or blocked: without ``SIGCHLD``, nobody is told how a child ended."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)


def drop_rights() -> str | None:
    """Stop being root, for good; why that cannot be, or None."""
    if os.geteuid() != 0 and os.getuid() != 0:
        return None
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        return f"root cannot become user {NOBODY} here: {error.strerror}"
    return None


class _Zygote:
    def __init__(self) -> None:
        machine = os.uname().machine
        self._filter = filter_program(machine, reads=False)
        reading = filter_program(machine, reads=True)
        self.nursery = Nursery(lambda parent: wait_for_player(reading, parent))
        self._live: Remote | None = None
        self._known: dict[str, dict[str, Any]] = {}

    def serve(self, request: dict[str, Any]) -> bytes:
        """The answer to a request."""
        try:
            return self._served(request)
        except NotConfined:
            return PROBLEM + b"the kernel no longer confines processes"
        except EndedOutside:
            self.leave_table()
            return (
                PROBLEM
                + b"a player's process was ended from outside, as where memory runs out; take fewer workers"
            )

    def _served(self, request: dict[str, Any]) -> bytes:
        what = request["op"]
        if what == "probe":
            return DONE + self._probe(Budget(*request["budget"])).encode()
        if what == "tell":
            return self._tell(request["own"], request["other"])
        rules, budget = Rules(*request["rules"]), Budget(*request["budget"])
        players, matches = request["players"], request["matches"]
        if what == "live":
            self.leave_table()
            self._live = Remote(self.nursery.take(), players[0], rules, False, budget)
            self._live.begin(matches[0][0][0])
            return self._answer()
        if what == "pair" and any("source" in player for player in players):
            return self._pair(players, rules, matches, budget)
        try:
            return MOVES + play_apart(players, rules, matches, self.nursery, budget)
        except Spoiled as spoiled:
            return _fault_reply(spoiled.foul, spoiled.seat, spoiled.repetition, spoiled.turn)

    def leave_table(self) -> None:
        if self._live is not None:
            self._live.close()
            self._live = None

    def _pair(
        self,
        players: Sequence[dict[str, Any]],
        rules: Rules,
        games: Sequence[tuple[Sequence[int], str]],
        budget: Budget,
    ) -> bytes:
        """The moves of a pair in one child, or a word that the pair must be replayed apart."""
        specs = [player | self._known.get(player.get("source", ""), {}) for player in players]

        def task() -> None:
            confine_here(self._filter, budget)
            play_pair(specs, rules, games, WRITE_FD)

        child = fork_child(task, budget)
        expected = rules.turns * len(games)
        played = bytearray()
        matches = 0
        try:
            # one byte more than there may be shows a child that writes too much
            while data := child.receive(min(1 << 16, expected + 1 - len(played))):
                played += data
                if len(played) > expected:
                    break
                if len(played) // rules.turns > matches:
                    matches = len(played) // rules.turns
                    child.begin_match()
        except Foul:
            child.end()
            return SUSPECT
        except HostGone:
            child.end()
            raise
        if len(played) != expected:
            child.end()
            return SUSPECT
        if child.ended() is not None or played.translate(None, b"\x00\x01\x02\x03"):
            return SUSPECT
        for player in players:
            self._remember(player.get("source", ""))
        return MOVES + played

    def _remember(self, source: str) -> None:
        """Compile what has compiled and played in a confined child, so that the next child inherits it.

        Compiling runs nothing, and what it costs was within the bounds of the child.
        """
        if not source or source in self._known or len(source) > LONGEST_REMEMBERED:
            return
        if len(self._known) >= REMEMBERED:
            self._known.pop(next(iter(self._known)))
        with contextlib.suppress(SyntaxError, ValueError, *TOO_DEEP):
            self._known[source] = {"code": compiled_short(source), "counts": reads_counts(source)}

    def _tell(self, own: int, other: int) -> bytes:
        if self._live is None:
            return _fault_reply(Foul("killed", "its process has ended"), 0, 0, 0)
        self._live.tell(own, other)
        return self._answer()

    def _answer(self) -> bytes:
        if self._live is None:
            return SUSPECT
        try:
            return MOVES + bytes((self._live.answer(),))
        except Foul as foul:
            self.leave_table()
            return _fault_reply(foul, 0, 0, 0)

    def _probe(self, budget: Budget) -> str:
        """Why children cannot be confined, or an empty text."""

        def breaks_out() -> None:
            confine_here(self._filter, budget)
            os.open("/dev/null", os.O_RDONLY)

        def plays() -> None:
            confine_here(self._filter, budget)
            os.write(WRITE_FD, b"\x01")

        honest = fork_child(plays, budget)
        answer = honest.receive(2)
        try:
            foul = honest.ended()
        except NotConfined:
            return "the kernel refuses the seccomp filter"
        if foul is not None:
            return f"a confined child fails: {foul.reason}"
        if answer != b"\x01":
            return "a confined child cannot answer"
        wild = fork_child(breaks_out, budget)
        wild.receive(1)
        foul = wild.ended()
        if foul is None or "system call" not in foul.reason:
            return "the seccomp filter does not stop a child from opening files"
        return ""


def _fault_reply(foul: Foul, seat: int, repetition: int, turn: int) -> bytes:
    words = {"seat": seat, "kind": foul.kind, "reason": foul.reason, "repetition": repetition, "turn": turn}
    return SPOILED + json.dumps(words).encode()


def _receive() -> bytes:
    head = _exactly(4)
    return _exactly(struct.unpack("<I", head)[0]) if head else b""


def _exactly(n: int) -> bytes:
    got = bytearray()
    while len(got) < n:
        data = os.read(0, min(n - len(got), 1 << 20))
        if not data:
            return b""
        got += data
    return bytes(got)


def _send(answer: bytes) -> None:
    view = memoryview(struct.pack("<I", len(answer)) + answer)
    while view:
        view = view[os.write(1, view) :]
