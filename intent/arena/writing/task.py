"""What strategies are asked for: a game, a number of rounds, noise; and how that is put to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from intent.agents.client import Message
from intent.agents.prompts.wording import (
    DROPPED,
    SYSTEM_END,
    block_tags,
    blocks,
    fill,
    nested_block,
    placeholders,
    read_folder,
    resolve_blocks,
    tidy,
)
from intent.arena.match import MatchRules
from intent.arena.sources.parser import BUILTINS
from intent.base.errors import PromptError, UnknownNameError, UsageError, located, nearest
from intent.games.description import classify
from intent.games.game import MatrixGame, number

__all__ = [
    "PARTS",
    "STYLES",
    "Style",
    "WritingTask",
    "WritingTexts",
    "check_attitudes",
    "load_texts",
    "parse_style",
]


LANGUAGE = "en"
ATTITUDE, SCENARIO = "attitude_", "scenario_"
"""Beginnings of names that a user may add to: attitudes, and everyday settings."""

WRITTEN = frozenset({"plan", "strategy", "critique"})
"""Placeholders for what the model wrote before. A text with one of them is asked in a conversation of its
own; a text without goes on with the conversation."""

PARTS = (
    "role",
    "situation",
    "cooperate",
    "defect",
    "both_cooperate",
    "self_defects",
    "other_defects",
    "both_defect",
    "goal",
    "mishap",
)
"""Blocks of a scenario: who the model is, what happens, what the two moves mean, the four outcomes from its
side, what the strategy is for, and how moves go wrong."""


@dataclass(frozen=True, eq=False)
class WritingTexts:
    """Templates by name.

    Parameters
    ----------
    texts : mapping
        ``words``, ``critique``, ``rewrite``, ``plan``, ``convert``, ``code``, ``repair``, ``game``, and one
        ``attitude_…`` for every attitude and ``scenario_…`` for every setting.
    """

    texts: Mapping[str, str]

    @property
    def attitudes(self) -> tuple[str, ...]:
        """Names that strategies may be asked for, capitalised as in the published tables."""
        return tuple(name.capitalize() for name in self._named(ATTITUDE))

    @property
    def scenarios(self) -> tuple[str, ...]:
        """Names of the settings."""
        return self._named(SCENARIO)

    def _named(self, start: str) -> tuple[str, ...]:
        return tuple(sorted(name.removeprefix(start) for name in self.texts if name.startswith(start)))

    def say(self, name: str, values: Mapping[str, object], shown: frozenset[str] = frozenset()) -> str:
        """A text with its blocks resolved and its placeholders filled.

        Raises
        ------
        PromptError
            A placeholder that gets no value.
        """
        return fill(tidy(resolve_blocks(self.texts[name], shown, DROPPED)), values, f"{name}_{LANGUAGE}")

    def messages(
        self, name: str, values: Mapping[str, object], shown: frozenset[str] = frozenset()
    ) -> tuple[Message, ...]:
        """One message of the user, after one of the system where a line ``===`` ends that part.

        Raises
        ------
        PromptError
            As `say`.
        """
        where = f"{name}_{LANGUAGE}"
        text = tidy(resolve_blocks(self.texts[name], shown, DROPPED))
        head, *rest = [part.strip() for part in SYSTEM_END.split(text, maxsplit=1)]
        if not rest or not head:
            return (Message("user", fill((rest or [head])[0], values, where)),)
        return Message("system", fill(head, values, where)), Message("user", fill(rest[0], values, where))

    def scenario(self, name: str, values: Mapping[str, object]) -> dict[str, str]:
        """The blocks of a scenario by name, filled.

        Raises
        ------
        PromptError
            A block is missing, or asks for what it does not get.
        """
        where = f"{SCENARIO}{name}_{LANGUAGE}"
        parts = blocks(self.texts[f"{SCENARIO}{name}"], where)
        missing = [part for part in PARTS if part not in parts]
        if missing:
            raise PromptError(f"{where}: no block {{{missing[0]}}}, expected {', '.join(PARTS)}")
        return {part: " ".join(fill(parts[part], values, f"{where} {{{part}}}").split()) for part in PARTS}


@cache
def _ours() -> dict[str, str]:
    folder = files("intent.arena.writing") / "texts"
    ending = f"_{LANGUAGE}.txt"
    texts = {f.name.removesuffix(ending): f for f in folder.iterdir() if f.name.endswith(ending)}
    return {name: texts[name].read_text("utf-8") for name in sorted(texts)}


def load_texts(folder: str | Path | None = None) -> WritingTexts:
    """Our texts, and in place of them those of a folder with files such as ``words_en.txt``.

    ``attitude_NAME_en.txt`` and ``scenario_NAME_en.txt`` of new names add to ours.

    Raises
    ------
    PromptError
        No such folder; a file that is none of ours, with a suggestion; braces that make no template.
    """
    texts = dict(_ours())
    if folder is not None:
        root = Path(folder)
        theirs = read_folder(root)
        for path in sorted(root.glob("*.txt")):
            stem, _, language = path.stem.rpartition("_")
            if language != LANGUAGE or (stem, language) not in theirs:
                known = [f"{name}_{LANGUAGE}.txt" for name in texts]
                raise PromptError(located(root, str(UnknownNameError("text", path.name, known))))
        for (stem, language), text in theirs.items():
            name = stem.casefold().replace("-", "_")
            if language != LANGUAGE:
                raise PromptError(f"{stem}_{language}: expected texts in English, such as words_en.txt")
            _check_name(name, texts)
            if nested := nested_block(text):
                raise PromptError(f"{name}_{LANGUAGE}: block {{{nested[1]}}} begins inside {{{nested[0]}}}")
            texts[name] = text
    for name, text in texts.items():
        if len(SYSTEM_END.findall(resolve_blocks(text, block_tags(text)))) > 1:
            raise PromptError(
                f"{name}_{LANGUAGE}: more than one line ===, expected one after the system's part"
            )
    return WritingTexts(texts)


def _check_name(name: str, known: Mapping[str, str]) -> None:
    """Refuse what is neither a text of ours nor a new attitude or scenario, or nearly one of ours."""
    if name in _ours():
        return
    added = name.startswith((ATTITUDE, SCENARIO))
    near = nearest(name, _ours(), n=1, cutoff=0.88)
    if added and not near:
        return
    raise PromptError(f"{name}_{LANGUAGE}.txt: {UnknownNameError('text', name, near or known)}")


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
    game : MatrixGame
        Symmetric, with a cooperative action.
    game_name : str
        As the user names it; for files.
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
    def _blocks(self) -> frozenset[str]:
        return _NOISE if self.noise else frozenset()

    def _values_for(self, attitude: str | None = None) -> dict[str, object]:
        values = {**self._values, "game": self.texts.say("game", self._values, self._blocks)}
        if attitude is not None:
            words = self._attitude_words(attitude)
            values["attitude"], values["article"] = words, "an" if words[:1] in _VOWELS else "a"
        return values

    def _attitude_words(self, attitude: str) -> str:
        if attitude not in self.texts.attitudes:
            raise UnknownNameError("attitude", attitude, self.texts.attitudes)
        return self.texts.say(ATTITUDE + attitude.casefold(), self._values, self._blocks)

    def _request(self, name: str, attitude: str | None, **values: object) -> tuple[Message, ...]:
        return self.texts.messages(name, {**self._values_for(attitude), **values}, self._blocks)

    def _next(
        self, name: str, attitude: str, before: tuple[Message, ...], **values: object
    ) -> tuple[Message, ...]:
        """A request after others: at the end of their conversation, or of one of its own (`WRITTEN`)."""
        messages = self._request(name, attitude, **values)
        if self._stands_alone(name):
            return messages
        if len(messages) > 1:
            names = ", ".join(f"{{{one}}}" for one in sorted(WRITTEN))
            raise PromptError(
                f"{name}_{LANGUAGE}: a part for the system within a conversation, expected none, or one of "
                f"{names}, by which the text stands alone"
            )
        return (*before, *messages)

    def _stands_alone(self, name: str) -> bool:
        text = resolve_blocks(self.texts.texts[name], self._blocks, DROPPED)
        return not WRITTEN.isdisjoint(placeholders(text, f"{name}_{LANGUAGE}"))

    def words(self, attitude: str) -> tuple[Message, ...]:
        """The request for a strategy in words."""
        return self._request("words", attitude)

    def plan(self, attitude: str, scenario: str) -> tuple[Message, ...]:
        """The request for a plan in an everyday setting, which names no game."""
        parts = self.texts.scenario(scenario, self._values)
        return self._request("plan", attitude, **parts, ranking=self._ranking(parts))

    def convert(
        self, attitude: str, scenario: str, plan: str, before: tuple[Message, ...] = ()
    ) -> tuple[Message, ...]:
        """The request to turn a plan into a strategy for the game.

        Parameters
        ----------
        before : the conversation up to the plan, which the request goes on with if it does not quote it
        """
        parts = self.texts.scenario(scenario, self._values)
        return self._next("convert", attitude, before, **parts, plan=plan)

    def critique(self, attitude: str, strategy: str, before: tuple[Message, ...] = ()) -> tuple[Message, ...]:
        """The request to criticise a strategy; `before` as in `convert`."""
        return self._next("critique", attitude, before, strategy=strategy)

    def rewrite(
        self, attitude: str, strategy: str, critique: str, before: tuple[Message, ...] = ()
    ) -> tuple[Message, ...]:
        """The request to write a strategy anew, given its critique; `before` as in `convert`."""
        return self._next("rewrite", attitude, before, strategy=strategy, critique=critique)

    def code(self, strategy: str) -> tuple[Message, ...]:
        """The request for the function; the attitude is not told again."""
        return self._request("code", None, strategy=strategy)

    def repair(self, strategy: str, reply: str, problem: str) -> tuple[Message, ...]:
        """The request for a better function, in the same conversation."""
        messages = self._request("repair", None, strategy=strategy, problem=problem)
        return (*self.code(strategy), Message("assistant", reply), *messages)

    def _ranking(self, parts: dict[str, str]) -> str:
        """The four outcomes, those that pay alike together: best, second best, worst, second worst."""
        names = ("both_cooperate", "other_defects", "self_defects", "both_defect")
        worth = dict(zip(names, self.rules.payoffs, strict=True))
        ranks = sorted(set(worth.values()), reverse=True)
        groups = [", or, just as well, ".join(parts[n] for n in names if worth[n] == rank) for rank in ranks]
        order = _RANKS[len(groups)]
        return "; ".join(f"{word}: {groups[place]}" for word, place in order) + "."


_VOWELS = frozenset("aeiouAEIOU")

_RANKS = {
    1: (("All is alike for you", 0),),
    2: (("Best for you", 0), ("worst", 1)),
    3: (("Best for you", 0), ("second best", 1), ("worst", 2)),
    4: (("Best for you", 0), ("second best", 1), ("worst", 3), ("second worst", 2)),
}
"""Number of different payoffs -> what the outcomes are called and their places, in the order of telling."""


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
    chosen = tuple(dict.fromkeys(name.strip().capitalize() for name in names if name.strip()))
    if not chosen:
        raise UsageError("no attitude named, expected such as Aggressive,Cooperative,Neutral")
    for name in chosen:
        if name not in texts.attitudes:
            raise UnknownNameError("attitude", name, texts.attitudes)
    return chosen
