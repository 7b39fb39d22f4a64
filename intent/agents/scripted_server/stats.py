"""What a scripted server counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TextIO

__all__ = ["Stats"]


@dataclass
class Stats:
    """Counters of a scripted server.

    Attributes
    ----------
    requests, answered : int
        Requests for a completion, and those answered in full without a fault.
    faults : Counter of str
    in_flight, max_in_flight : int
    bodies, answers : Counter of str
        By the first 16 hexadecimal digits of the body's SHA-256: requests, and full answers.
    """

    requests: int = 0
    answered: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    in_flight: int = 0
    max_in_flight: int = 0
    bodies: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)

    def begin(self, key: str) -> int:
        """Count a request; returns how often this body has come."""
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.bodies[key] += 1
        return self.bodies[key]

    def end(self, key: str, fault: str | None, *, answered: bool) -> None:
        """Count what became of it; `answered` is whether the whole answer was written."""
        self.in_flight -= 1
        if fault is not None:
            self.faults[fault] += 1
        elif answered:
            self.answered += 1
            self.answers[key] += 1

    def summary(self, *, by_body: bool = False) -> dict[str, Any]:
        """JSON object of ``/stats``; ``/stats?bodies=1`` adds the counts of each body."""
        made: dict[str, Any] = {
            "requests": self.requests,
            "answered": self.answered,
            "faults": dict(self.faults),
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "distinct": len(self.bodies),
            "answered_again": sum(times - 1 for times in self.answers.values()),
        }
        if by_body:
            made["bodies"] = {key: [times, self.answers[key]] for key, times in self.bodies.items()}
        return made

    @staticmethod
    def log(file: TextIO, key: str, time: int, fault: str | None, body: dict[str, Any]) -> None:
        """Write one request as one line of JSON."""
        file.write(json.dumps({"key": key, "time": time, "fault": fault, "body": body}) + "\n")
        file.flush()
