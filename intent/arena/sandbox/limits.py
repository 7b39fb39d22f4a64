"""How much a player may use of the machine, and whether a job can be played at all, on any engine."""

from __future__ import annotations

from dataclasses import dataclass

from intent.arena.match import Job, MatchRules
from intent.arena.streams import MatchStreams
from intent.base.errors import UsageError

__all__ = ["INTERPRETER", "Limits", "check_job"]


INTERPRETER = 17 * 2**20
"""Bytes of address space that CPython takes in a confined process, beside what a player may have."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one confined process.

    Parameters
    ----------
    memory : int, bytes that a player may have, beside what its interpreter takes
    cpu : float, seconds of processor time per match of 1,000 rounds (longer ones in proportion)
    wall : float, optional
        Seconds on the clock per match; by default twice `cpu`, and ten times `cpu` where no processor time
        is known (``monty``). A process that lacks a processor meanwhile may take ten times as long.
    output : int, bytes that the matches of one pair may come to; a round is one byte

    Raises
    ------
    UsageError
    """

    memory: int = 256 * 2**20
    cpu: float = 2.0
    wall: float | None = None
    output: int = 8 * 2**20

    def __post_init__(self) -> None:
        if self.memory < 64 * 2**20:
            raise UsageError(f"{self.memory} bytes of memory, expected at least 64 MB")
        if not 0 < self.cpu <= 3600:
            raise UsageError(f"{self.cpu:g} seconds per match, expected more than 0 and at most 3600")
        if self.wall is not None and self.wall < self.cpu:
            raise UsageError(
                f"{self.wall:g} seconds on the clock, expected at least the {self.cpu:g} of work"
            )
        if self.output < 1:
            raise UsageError(f"{self.output} bytes of output, expected at least 1")

    def per_match(self, turns: int, patience: float = 2.0) -> tuple[float, float]:
        """Seconds of work and seconds on the clock that a match of `turns` rounds may take.

        Parameters
        ----------
        patience : float, seconds on the clock per second of work where `wall` is not given
        """
        scale = max(1.0, turns / 1000)
        return self.cpu * scale, (patience * self.cpu if self.wall is None else self.wall) * scale


def check_job(job: Job, n: int, rules: MatchRules, limits: Limits) -> None:
    """Nothing, where the job is one.

    Parameters
    ----------
    n : int, size of the field

    Raises
    ------
    UsageError
        Players that are not there, seeds that are none, or more rounds than one pair may come to.
    """
    if not (0 <= job.first < n and 0 <= job.second < n):
        raise UsageError(f"players {job.first} and {job.second}, expected places in a field of {n}")
    if not job.seeds or not all(isinstance(seed, MatchStreams) or 0 <= seed < 2**32 for seed in job.seeds):
        raise UsageError("a job needs streams, or a seed from 0 to 2**32 - 1, per repetition")
    if len(job.seeds) * rules.turns > limits.output:
        raise UsageError(
            f"{len(job.seeds)} matches of {rules.turns} rounds by one pair, expected at most "
            f"{limits.output} rounds; take fewer repetitions"
        )
