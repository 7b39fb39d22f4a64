"""What strategies are asked for: a game, a number of rounds, noise; and how that is put to a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from intent.agents.client import Message
from intent.arena.match import MatchRules
from intent.arena.sources.allowed import BUILTINS
from intent.arena.writing.texts import ATTITUDE, CONDUCT, WritingTexts
from intent.errors import UnknownNameError, UsageError
from intent.games.classify import classify
from intent.games.game import number
from intent.games.matrix import MatrixGame

__all__ = ["STYLES", "Style", "WritingTask", "check_attitudes", "parse_style"]

_NOISE = frozenset({"noise"})


@dataclass(frozen=True)
class Style:
    """A way of asking: `prose` begins with an everyday setting, `refine` adds critique and rewriting.

    Raises
    ------
    UsageError
    """

    prose: bool = False
    refine: bool = False

    @property
    def name(self) -> str:
        """``default``, ``refine``, ``prose`` or ``prose+refine``."""
        return "+".join([*["prose"] * self.prose, *["refine"] * self.refine]) or "default"

    @property
    def purposes(self) -> tuple[str, ...]:
        """What is asked, in order, when nothing goes wrong."""
        first = ("plan", "convert") if self.prose else ("words",)
        return (*first, *(("critique", "rewrite") if self.refine else ()), "code")


STYLES = ("default", "refine", "prose", "prose+refine")
"""Names of all ways of asking (Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, Table 2)."""


def parse_style(name: str) -> Style:
    """The way of asking of a name; the parts may stand in any order.

    Raises
    ------
    UnknownNameError
    """
    parts = sorted(part.strip().casefold() for part in name.split("+"))
    if parts == ["default"]:
        return Style()
    if parts and set(parts) <= {"prose", "refine"} and len(set(parts)) == len(parts):
        return Style("prose" in parts, "refine" in parts)
    raise UnknownNameError("style", name, STYLES)


@dataclass(frozen=True, eq=False)
class WritingTask:
    """A task and the texts that it is put in.

    Parameters
    ----------
    texts : WritingTexts
    game : MatrixGame
        Symmetric, with a cooperative action.
    game_name : str
        As the user names it; for files.
    rounds : int
    noise : float in [0, .5)
    cpu_seconds : float
        Processor time of a match, as the code is told.

    Raises
    ------
    UsageError
        Another game, or rounds or noise that no match can have.
    """

    texts: WritingTexts
    game: MatrixGame
    game_name: str = "classic"
    rounds: int = 1000
    noise: float = 0.0
    cpu_seconds: float = 2.0

    def __post_init__(self) -> None:
        _ = self.rules

    @cached_property
    def rules(self) -> MatchRules:
        """Rules of the match that the strategy is written for."""
        return MatchRules.of(self.game, turns=self.rounds, noise=self.noise)

    @cached_property
    def _values(self) -> dict[str, object]:
        names = ("reward", "sucker", "temptation", "punishment")
        payoffs = dict(zip(names, map(_number, self.rules.payoffs), strict=True))
        return {
            **payoffs,
            "dilemma": _titled(classify(self.game).name),
            "rounds": self.rounds,
            "noise_percent": _number(100 * self.noise),
            "seconds": f"{self.cpu_seconds:g} seconds",
            "builtins": ", ".join(sorted(BUILTINS)),
        }

    @property
    def _kept(self) -> frozenset[str]:
        return _NOISE if self.noise else frozenset()

    def _values_for(self, attitude: str | None = None) -> dict[str, object]:
        values = {**self._values, "game": self.texts.say("game", self._values, self._kept)}
        if attitude is not None:
            values["attitude"] = self._told(ATTITUDE, attitude)
            values["conduct"] = self._told(CONDUCT, attitude)
        return values

    def _told(self, kind: str, attitude: str) -> str:
        if attitude not in self.texts.attitudes:
            raise UnknownNameError("attitude", attitude, self.texts.attitudes)
        return self.texts.say(kind + attitude.casefold(), self._values, self._kept)

    def _asked(self, name: str, attitude: str | None, **values: object) -> tuple[Message, ...]:
        return self.texts.messages(name, {**self._values_for(attitude), **values}, self._kept)

    def words(self, attitude: str) -> tuple[Message, ...]:
        """The request for a strategy in words."""
        return self._asked("words", attitude)

    def plan(self, attitude: str, scenario: str) -> tuple[Message, ...]:
        """The request for a plan in an everyday setting, which names no game."""
        parts = self.texts.scenario(scenario, self._values)
        return self._asked("plan", attitude, **parts, ranking=self._ranking(parts))

    def convert(self, attitude: str, scenario: str, plan: str) -> tuple[Message, ...]:
        """The request to turn a plan into a strategy for the game."""
        return self._asked("convert", attitude, **self.texts.scenario(scenario, self._values), plan=plan)

    def critique(self, attitude: str, strategy: str) -> tuple[Message, ...]:
        """The request to criticise a strategy."""
        return self._asked("critique", attitude, strategy=strategy)

    def rewrite(self, attitude: str, strategy: str, critique: str) -> tuple[Message, ...]:
        """The request to write a strategy anew, given its critique."""
        return self._asked("rewrite", attitude, strategy=strategy, critique=critique)

    def code(self, strategy: str) -> tuple[Message, ...]:
        """The request for the function; the attitude is not told again."""
        return self._asked("code", None, strategy=strategy)

    def repair(self, strategy: str, reply: str, problem: str) -> tuple[Message, ...]:
        """The request for a better function, in the same conversation."""
        told = self._asked("repair", None, strategy=strategy, problem=problem)
        return (*self.code(strategy), Message("assistant", reply), *told)

    def _ranking(self, parts: dict[str, str]) -> str:
        """The four outcomes from best to worst, equal ones together."""
        names = ("both_cooperate", "other_defects", "self_defects", "both_defect")
        worth = dict(zip(names, self.rules.payoffs, strict=True))
        ranks = sorted(set(worth.values()), reverse=True)
        groups = [" or, just as well, ".join(parts[n] for n in names if worth[n] == rank) for rank in ranks]
        return f"from best to worst: {'; '.join(groups)}."


def _number(value: float) -> str:
    return str(number(round(value, 10) + 0.0))


def _titled(name: str) -> str:
    """``prisoner's dilemma`` as it is written in a sentence."""
    return name.title().replace("'S", "'s") if name.endswith("dilemma") else name


def check_attitudes(names: tuple[str, ...], texts: WritingTexts) -> tuple[str, ...]:
    """The attitudes of names in any case, each once.

    Raises
    ------
    UnknownNameError, UsageError
    """
    found = tuple(dict.fromkeys(name.strip().capitalize() for name in names if name.strip()))
    if not found:
        raise UsageError("no attitude named, expected such as Aggressive,Cooperative,Neutral")
    for name in found:
        if name not in texts.attitudes:
            raise UnknownNameError("attitude", name, texts.attitudes)
    return found
