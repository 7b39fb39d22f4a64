"""What a tool answers, and what every tool offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

__all__ = ["TOOL_NAME", "Advice", "Adviser"]

TOOL_NAME = "consult_adviser"
"""By which models call the tool, whichever it is."""


@dataclass(frozen=True)
class Advice:
    """The answer to a call.

    Parameters
    ----------
    action : str or None
        A label of the game; None where the arguments cannot be read.
    best : tuple of str, optional
        The actions that are best, of which `action` is one.
    stated : tuple of (argument, float), optional
        What the model stated.
    right : bool, optional
        Whether that is what the game says.
    as_text : bool
        Whether a number came as text, such as ``"5 years"``.
    problem : str, optional
        What could not be read, in names and values only, so that it reads alike in every language.
    """

    action: str | None
    best: tuple[str, ...] | None = None
    stated: tuple[tuple[str, float], ...] | None = None
    right: bool | None = None
    as_text: bool = False
    problem: str | None = None


class Adviser(Protocol):
    """A tool that advises an action.

    Attributes
    ----------
    name : str
        ``fixed``, ``nash``; the phrase ``tool_description_<name>`` describes it.
    arguments : tuple of str
        Names of the numbers that it asks for; the phrase ``argument_<name>`` describes each.
    """

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> tuple[str, ...]: ...

    def advise(self, arguments: str, rng: np.random.Generator) -> Advice:
        """The answer to a call with these arguments, a JSON object as the model wrote it."""
        ...
