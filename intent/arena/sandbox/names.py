"""The one list of what written code may read by name, for the gate and every engine; standard library only.

An attribute that is not listed is not there: neither the text of the code nor a computed ``getattr`` reaches
it, on any engine. That is what keeps addresses, code objects and parts of one interpreter out of the play.
"""

from __future__ import annotations

__all__ = ["OWN_METHODS", "PARTS", "RANDOM_METHODS", "TYPE_METHODS", "VALUES", "readable"]

RANDOM_METHODS = ("random_choice", "random", "randint", "choice")
"""What ``self._random`` can do."""

PARTS = frozenset({"history", "score", "cooperations", "defections", "match_attributes", "name", "value"})
"""Values that players, histories and moves have."""

OWN_METHODS = frozenset({"first_round", "total_scores", "flip", "RPST", *RANDOM_METHODS})
"""Methods of players, moves, the game and the generator."""

TYPE_METHODS = frozenset(
    [
        "append",
        "clear",
        "copy",
        "count",
        "extend",
        "index",
        "insert",
        "pop",
        "remove",
        "reverse",
        "sort",
        "get",
        "items",
        "keys",
        "popitem",
        "setdefault",
        "update",
        "values",
        "add",
        "difference",
        "discard",
        "intersection",
        "isdisjoint",
        "issubset",
        "issuperset",
        "union",
        "endswith",
        "find",
        "join",
        "lower",
        "lstrip",
        "replace",
        "rstrip",
        "split",
        "startswith",
        "strip",
        "upper",
    ]
)
"""Methods of lists and tuples; of dicts; of sets; of texts."""

VALUES = frozenset({"count", "index", "get"})
"""Methods that may be given to ``map``, ``filter`` and ``key=`` without a call."""

_BY_NAME = PARTS | OWN_METHODS


def readable(name: object, own: bool) -> bool:
    """Whether ``getattr`` and ``hasattr`` may look for a name.

    Parameters
    ----------
    own : bool
        Whether they look on the player itself, which has what it stored there.

    Raises
    ------
    AttributeError
        It is no text, or begins with two underscores.
    """
    if type(name) is not str or name.startswith("__"):
        raise AttributeError(f"{name!r} cannot be read" if type(name) is str else "a name is a text")
    return own or name in _BY_NAME
