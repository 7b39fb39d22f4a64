"""Who enters a tournament: code that somebody wrote, or an automaton of the catalogue."""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from intent.arena.sandbox.normal_form import TOO_DEEP, syntax_tree
from intent.base.errors import StrategyError
from intent.strategies.catalogue import Strategy

__all__ = ["ATTITUDES", "MODEL_SOURCE", "Entrant", "split_origin"]

ATTITUDES = ("Aggressive", "Cooperative", "Neutral")
"""The attitudes that a strategy may be asked for, in the order of the published tables."""

MODEL_SOURCE = "# a language model, asked for every move\n"
"""Stands for the code of an entrant that has none."""


def split_origin(origin: str) -> tuple[str, int | None]:
    """File and line of ``file.py line 12``; no line where it has none."""
    file, _, line = origin.partition(" line ")
    return file, int(line) if line.isdecimal() else None


@dataclass(frozen=True)
class Entrant:
    """One strategy of a field, either `source` or `automaton`.

    Parameters
    ----------
    name : str
        Unique in its field: ``Aggressive_3``, ``TFT``.
    source : str
        ``def strategy(self, opponent): ...`` and nothing else: no decorator, no annotation, no indent.
        Untrusted; only an engine of the sandbox runs it.
    group : str, optional
        What its results are pooled by: an attitude, ``human``, ``catalogue``.
    words : str
        What its author said that it does.
    origin : str
        Where it was read, as ``file.py line 12``; for messages.
    game : str, optional
        The game that it was written for, as its file names it.
    turns : int, optional
        Rounds that it was written for.
    noise : float, optional
        Noise that it was written for.
    scored : bool
        Whether it keeps its own score, as the published strategies of language models do; for `source`
        only. False for those of people: they are seeded only if they draw, and do not change what the
        other sees of their score.

    Raises
    ------
    StrategyError
        Both or none of source and automaton.
    """

    name: str
    source: str = field(default="", repr=False)
    automaton: Strategy | None = None
    group: str | None = None
    words: str = field(default="", repr=False)
    origin: str = ""
    game: str | None = None
    turns: int | None = None
    noise: float | None = None
    scored: bool = True

    def __post_init__(self) -> None:
        if bool(self.source.strip()) == (self.automaton is not None):
            raise StrategyError(f"entrant {self.name!r} needs either source code or an automaton")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what decides how it plays, whatever its name."""
        if self.automaton is None:
            what = self.source if self.scored else "unscored\n" + self.source
        else:
            a = self.automaton
            what = json.dumps([a.p_cooperate, a.next_state, a.start, a.memory])
        return hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def file(self) -> str:
        """The file of its origin; empty where it was not read."""
        return split_origin(self.origin)[0]

    @property
    def is_model(self) -> bool:
        """Whether it is a language model, which no engine plays."""
        return self.source == MODEL_SOURCE

    @cached_property
    def draws(self) -> bool:
        """Whether its moves may depend on random numbers of its own, or it hides what it reads."""
        if self.automaton is None:
            return "_random" in self.source or _computes_names(self.source)
        return any(0 < p < 1 for p in self.automaton.p_cooperate)

    @property
    def seeded(self) -> bool:
        """Whether a match draws a seed for it: always for code that keeps its score, as published."""
        return self.keeps_score or self.draws

    @property
    def keeps_score(self) -> bool:
        """Whether it is code that keeps its own score, so that its opponent does not keep it for it."""
        return self.automaton is None and self.scored


def _computes_names(source: str) -> bool:
    """Whether code uses ``getattr`` but to read a name that is written there, so that any may be read."""
    if "getattr" not in source:
        return False
    try:
        nodes = list(ast.walk(syntax_tree(source)))
    except (SyntaxError, ValueError, *TOO_DEEP):
        return True
    plain = {
        id(node.func)
        for node in nodes
        if isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    }
    return any(
        isinstance(node, ast.Name) and node.id == "getattr" and id(node) not in plain for node in nodes
    )
