"""Whether a job can be played at all, the same for all engines."""

from __future__ import annotations

from intent.arena.match import Job, MatchRules
from intent.arena.sandbox.limits import Limits
from intent.arena.streams import MatchStreams
from intent.errors import UsageError

__all__ = ["check_job"]


def check_job(job: Job, n: int, rules: MatchRules, limits: Limits) -> None:
    """Nothing, where the job is one.

    Parameters
    ----------
    job : Job
    n : int, size of the field
    rules : MatchRules
    limits : Limits

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
