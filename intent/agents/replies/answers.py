"""Actions of games with a course as they stand in the JSON objects that players answer with."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["answer_value"]


def answer_value(action: str, named: Sequence[int] = ()) -> object:
    """What the field of the object holds: the opposite of `intent.games.course.CourseGame.read`.

    Parameters
    ----------
    action : str, as the log has it
    named : sequence of int
        The seats that a proposal names, from the proposer down; empty of any other action.

    Examples
    --------
    >>> answer_value("37"), answer_value("go"), answer_value("miss")
    (37, 'go', None)
    >>> answer_value("99,1", (3, 4))
    {'3': 99, '4': 1}
    """
    if named:
        return {str(seat): int(share) for seat, share in zip(named, action.split(","), strict=True)}
    return None if action == "miss" else int(action) if action.isdecimal() else action
