"""The host's end of a zygote: starting it, asking it, ending it."""

from __future__ import annotations

import contextlib
import json
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, Job, MatchRules, MatchSeed
from intent.arena.sandbox.draws import flips_text, match_draws
from intent.arena.sandbox.limits import INTERPRETER, Limits
from intent.errors import RunError, one_line

__all__ = ["Zygote", "player_spec", "request", "told_fault", "unpack_moves"]

_BOOT = """
import sys, types
for name in ("intent", "intent.arena", "intent.arena.sandbox"):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = []
module.__path__ = [sys.argv.pop()]
from intent.arena.sandbox.zygote import main
main()
"""


class Zygote:
    """A trusted process that forks confined children; requests and answers go through pipes.

    Raises
    ------
    RunError
        It does not start.
    """

    def __init__(self) -> None:
        # -S leaves out the site packages; the seed of hashes makes the order of sets the same in every run
        command = [
            sys.executable,
            "-S",
            "-s",
            "-B",
            "-P",
            "-W",
            "ignore",
            "-c",
            _BOOT,
            str(Path(__file__).parent),
        ]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PYTHONHASHSEED": "0"},
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(f"the sandbox does not start: {error.strerror}") from None
        word = self._receive()
        if word[:1] != b"K" or word[1:]:
            self.close()
            raise RunError(f"the sandbox does not start: {word[1:].decode() or 'its process ended'}")

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def ask(self, request: dict[str, Any]) -> tuple[str, bytes]:
        """Kind and body of the answer.

        Raises
        ------
        RunError
            The process has ended.
        """
        data = json.dumps(request).encode()
        try:
            self._send(struct.pack("<I", len(data)) + data)
            answer = self._receive()
        except (OSError, ValueError):
            answer = b""
        if not answer:
            raise RunError("a process of the sandbox has ended")
        if answer[:1] == b"E":
            raise RunError(answer[1:].decode())
        return chr(answer[0]), answer[1:]

    def hang_up(self) -> None:
        """Tell the process to end, whatever it does; for another thread than the one that asks."""
        self._process.kill()

    def close(self) -> None:
        """End the process and its children."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) or 0 :]

    def _receive(self) -> bytes:
        head = self._exactly(4)
        return self._exactly(struct.unpack("<I", head)[0]) if head else b""

    def _exactly(self, n: int) -> bytes:
        assert self._process.stdout is not None
        got = bytearray()
        while len(got) < n:
            data = self._process.stdout.read(n - len(got))
            if not data:
                return b""
            got += data
        return bytes(got)


def player_spec(entrant: Entrant) -> dict[str, Any]:
    """What a zygote is told of an entrant: how it plays, and not its name."""
    if entrant.automaton is None:
        return {"source": entrant.source, "seeded": entrant.seeded, "scored": entrant.keeps_score}
    a = entrant.automaton
    return {
        "p": a.p_cooperate,
        "next": a.next_state,
        "start": a.start,
        "intended": a.memory == "intended",
        "seeded": entrant.seeded,
    }


def request(
    what: str, players: list[dict[str, Any]], seeds: Sequence[MatchSeed], rules: MatchRules, limits: Limits
) -> dict[str, Any]:
    """A job as a zygote takes it: ``pair``, ``apart``, or ``live`` with one player and its own seed.

    Of the seed of a match it is told only what is drawn from it: the players' seeds and the flips of noise.
    """
    late = rules.fidelity == "axelrod"
    told = (rules.payoffs, rules.turns, rules.noise, late, rules.known_length, rules.reuse_instances)
    budget = (limits.memory + INTERPRETER, *limits.per_match(rules.turns), len(seeds))
    if what == "live":
        matches = [([seed for seed in seeds if isinstance(seed, int)], "")]
    else:
        seeded = [player["seeded"] for player in players]
        drawn = [match_draws(seed, seeded, rules) for seed in seeds]
        matches = [(own, flips_text(flips) if rules.noise else "") for own, flips in drawn]
    return {"op": what, "players": players, "matches": matches, "rules": told, "budget": budget}


def unpack_moves(body: bytes, repetitions: int, turns: int) -> NDArray[np.uint8]:
    """Moves (repetitions, 2, turns) uint8, 1 = cooperate, of a byte per round: 0 to 3 for CC, CD, DC, DD.

    Raises
    ------
    RunError
        Not as many rounds, or another byte; nothing that a sandbox says is taken on trust.
    """
    codes = np.frombuffer(body, np.uint8)
    if codes.size != repetitions * turns or (codes > 3).any():
        raise RunError(f"the sandbox gave {codes.size} rounds, expected {repetitions * turns} of 0 to 3")
    codes = codes.reshape(repetitions, turns)
    return np.stack([1 - (codes >> 1), 1 - (codes & 1)], axis=1)


def told_fault(job: Job, body: bytes) -> Fault:
    """The fault that a referee tells."""
    words = json.loads(body)
    return Fault(
        job,
        job.second if words["seat"] else job.first,
        words["kind"],
        one_line(words["reason"], 300),
        words["repetition"],
        words["turn"],
    )
