"""A model that answers by a function, and an engine that judges code by its text."""

from __future__ import annotations

import numpy as np

from intent.agents.client import Reply
from intent.agents.clients.registry import whole_body
from intent.agents.mock.client import request_of
from intent.arena.match import Fault, Played
from intent.arena.writing.desk import Place

GOOD = "def strategy(self, opponent):\n    return axl.Action.C"
FENCED = f"```python\n{GOOD}\n```"
PLACE = Place(0, "default", "Neutral", 1)


class Answering:
    """Says what ``answer(purpose, body)`` says, a text or an error; counts what was asked."""

    endpoint = "stand-in"
    concurrency = 8

    def __init__(self, answer, name="python/stand-in"):
        self.name, self.answer = name, answer
        self.purposes = []

    def body(self, messages, settings, tools=()):
        return whole_body(self.name, messages, settings, tools)

    async def complete(self, messages, settings, tools=()):
        body = self.body(messages, settings, tools)
        purpose = request_of(body)
        self.purposes.append(purpose)
        answer = self.answer(purpose, body)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, model="stand-in-1", sent=body, finish_reason="stop")

    async def close(self):
        pass


class JudgingEngine:
    """Every match is all cooperation, but code with the word `bad` in it fails in its first round."""

    name = "judging"

    def __init__(self, bad="BAD"):
        self.bad, self.played = bad, []

    def play(self, field, jobs, rules):
        for job in jobs:
            self.played.append((field[job.second].name, rules.turns))
            if self.bad in field[job.first].source:
                yield Fault(job, job.first, "error", "IndexError: list index out of range", 0, 0)
            else:
                yield Played(job, np.ones((len(job.seeds), 2, rules.turns), np.uint8))

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def sequence(**answers):
    """Purpose -> its answers in turn, the last one for ever; words that are not given are some words."""
    left = {purpose: list(found) for purpose, found in answers.items()}

    def answer(purpose, body):
        known = left.get(purpose) or ["Cooperate first, then repeat what the other player did last."]
        return known.pop(0) if len(known) > 1 else known[0]

    return answer
