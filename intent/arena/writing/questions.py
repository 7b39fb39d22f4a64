"""From an attitude to code that plays: the questions of one attempt, and the code in the replies."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from intent.agents.client import Message, Settings
from intent.arena.sources.gate import gate
from intent.arena.sources.parser import MAX_CHARACTERS, parse
from intent.arena.sources.slips import mend
from intent.arena.writing.desk import Attempt, Desk, Outcome, Place, Purpose
from intent.arena.writing.task import Style, WritingTask
from intent.base.errors import StrategyError, one_line
from intent.base.statements import strip_reasoning
from intent.runner.caller import seed_of

__all__ = ["MAX_REPLY", "MOST_WORDS", "Chain", "Verdict", "declines", "extract_code", "judge"]


_LONGEST = 1_500
_OPENING = 400
_NOT = "|".join(
    [
        *("can't", "cannot", "can not", "won't", "will not", "could not"),
        *("unable to", "not able to", "not willing to", "not comfortable with", "not comfortable"),
        *("must decline to", "have to decline to", "decline to", "refuse to"),
    ]
)
_DONE = "|".join(
    [
        *("help", "assist", "write", "writing", "create", "creating", "design", "designing", "provide"),
        *("providing", "comply", "fulfil", "fulfill", "produce", "generate", "support", "take part"),
        *("participate", "engage", "do that", "do this", "continue", "give you"),
    ]
)
_PHRASES = re.compile(
    rf"\bI(?: am|'m)? (?:{_NOT}) (?:{_DONE})\b(?! but\b)"
    r"|\bI (?:must|have to) (?:respectfully )?decline\b"
    rf"|\b(?:sorry|apologi[sz]e)[,.]? (?:but )?I(?: am|'m)? (?:{_NOT})\b",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a reply says no to the request, and little else.

    Conservative: only short replies without code count, by a phrase of refusal in the first person within
    their first 400 characters. A strategy that "will not cooperate" refuses nothing.

    Examples
    --------
    >>> declines("I'm sorry, but I can't help with designing an aggressive strategy.")
    True
    >>> declines("I will not cooperate until the other player does.")
    False
    """
    plain = " ".join(text.replace("\u2019", "'")[: 4 * _LONGEST].split())
    if len(plain) > _LONGEST or re.search(r"\bdef \w", plain):
        return False
    return _PHRASES.search(plain[:_OPENING]) is not None


MAX_REPLY = 200_000
"""Characters of a reply that are looked at."""

_STARTS = ("def ", "class ", "@", "import ", "from ")
_FENCES = ("```", "~~~")


def extract_code(reply: str) -> str:
    """The code of a strategy, as the reply holds it.

    1. A fenced block, whatever its tag: the last that can be read and defines ``strategy``, else the last
       that can be read and defines a function, else the longest that does without being readable.
    2. Without fences, the first ``def`` or ``class`` at the left margin of the code with all that is
       indented below it, with further ones that follow.
    3. The same in a reply that is JSON, or that has its line ends escaped.

    Parameters
    ----------
    reply : str, untrusted; it is read, never run

    Returns
    -------
    str
        For `intent.arena.sources.slips` and `intent.arena.sources.gate`: it may hold a class, imports or
        helpers.

    Raises
    ------
    StrategyError
        An empty reply, no code, or code that Python cannot read, with the parser's line.
    """
    if not reply.strip():
        raise StrategyError("the reply is empty, expected a function")
    if len(reply) > MAX_REPLY:
        raise StrategyError(f"a reply of {len(reply):,} characters, expected at most {MAX_REPLY:,}")
    reply = _unescaped(reply.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4))
    blocks = [block for block in (_dedented(b) for b in _fenced(reply)) if _defines(block)]
    blocks = blocks or [block for block in (_dedented(_unfenced(reply)),) if block]
    if not blocks:
        raise StrategyError("no code in the reply, expected def strategy(self, opponent) in a fenced block")
    trees = {block: tree for block in blocks if (tree := _tree(block)) is not None}
    with_strategy = [b for b, tree in trees.items() if _named(tree)]
    if trees:
        return (with_strategy or list(trees))[-1]
    longest = max(blocks, key=len)
    parse(longest, characters=MAX_CHARACTERS)
    return longest


def _unescaped(reply: str) -> str:
    """Out of JSON, or with ``\\n`` written out turned into line ends."""
    text = reply.strip()
    if text[:1] in ("{", "[", '"'):
        try:
            texts = _texts(json.loads(text, parse_int=str, parse_float=str))
        except (ValueError, RecursionError):
            texts = []
        code = [t for t in texts if _defines(t) or "```" in t]
        if code:
            return max(code, key=len)
    if "\\n" in reply and not any(
        _defines(line) and line.rstrip().endswith(":") for line in reply.split("\n")
    ):
        return reply.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "    ").replace("\\'", "'")
    return reply


def _texts(value: object) -> list[str]:
    texts, stack = [], [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return texts


def _fenced(reply: str) -> list[str]:
    """The blocks between fences; one that is never closed goes to the end."""
    blocks: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in reply.split("\n"):
        mark = line.strip()[:3]
        if not fence and mark in _FENCES:
            fence, lines = mark, []
        elif fence and mark == fence and not line.strip().strip(fence[0]):
            blocks.append("\n".join(lines))
            fence = ""
        elif fence:
            lines.append(line)
    if fence:
        blocks.append("\n".join(lines))
    return blocks


def _unfenced(reply: str) -> str:
    """From the first line of code on: what begins at its margin as code does, and what is indented more."""
    code: list[str] = []
    margin: int | None = None
    inside = False
    for line in reply.split("\n"):
        indent = len(line) - len(line.lstrip())
        starts = line.lstrip().startswith(_STARTS) and _looks_like_code(line)
        if margin is None and starts:
            margin = indent
        if margin is None:
            continue
        if not line.strip() or (inside and indent > margin):
            code.append(line)
        elif indent == margin and (starts or line.lstrip().startswith((")", "#"))):
            code.append(line)
            inside = True
        else:
            inside = False
    text = "\n".join(code)
    return text if _defines(text) else ""


def _looks_like_code(line: str) -> bool:
    """Whether a line that begins like code is no prose: ``from here on``, ``import tariffs matter``."""
    text = line.strip()
    if text.startswith(("def ", "class ")):
        return "(" in text or text.endswith(":")
    return text.startswith("@") or (len(text.split()) <= 6 and not text.endswith("."))


def _defines(text: str) -> bool:
    return any(line.lstrip().startswith(("def ", "async def ", "class ")) for line in text.split("\n"))


def _dedented(text: str) -> str:
    return textwrap.dedent(text).strip("\n") + "\n" if text.strip() else ""


def _tree(text: str) -> ast.Module | None:
    try:
        return parse(text)
    except StrategyError:
        return None


def _named(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name == "strategy" for node in ast.walk(tree))


MOST_WORDS = 20_000
"""Characters of a description that are used; what follows is only kept on record."""

_MOST_CODE = 200_000

_REASON = 300
"""Characters of a reason."""


class Verdict(NamedTuple):
    """A reply that was to be code: what it is, why, and the code as far as there is any."""

    outcome: Outcome
    reason: str
    source: str


async def judge(reply: str, play: Callable[[str], Awaitable[str | None]]) -> Verdict:
    """Whether a reply holds a strategy that plays; `play` says what goes wrong when it does."""
    if not reply.strip():
        return Verdict("empty", "the reply is empty", "")
    try:
        source = extract_code(reply[:_MOST_CODE])
    except StrategyError as error:
        if declines(reply):
            return Verdict("refused", one_line(reply, _REASON), "")
        return Verdict("no_code", one_line(error, _REASON), "")
    try:
        source = gate(mend(source))
    except StrategyError as error:
        return Verdict("gate", one_line(error, _REASON), source)
    problem = await play(source)
    return Verdict("good", "", source) if problem is None else Verdict("fault", problem, source)


@dataclass(frozen=True, eq=False)
class Chain:
    """One attempt after another.

    1. Words: from the default request; or in prose a plan in a setting drawn by the seed, converted.
    2. To refine, a critique and a new version of the words. All of this is one conversation, as far as the
       texts do not quote what was written (`intent.arena.writing.task.WRITTEN`).
    3. Code, in a new conversation, by the model for code; read, mended, let in by the gate, and tried out.
    4. Where that fails for anything but a refusal or silence, one repair in the same conversation, which is
       judged alike.

    Parameters
    ----------
    play : coroutine function, as `Trial`
    settings : Settings
        Of words, plans and their conversion. Critiques have half its temperature; rewriting, code and repair
        have temperature 0. Without a temperature none is sent at all.
    scenarios : tuple of str
        Settings to draw from.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 3.2; Madaan et al. 2023, NeurIPS 36 (refining).
    """

    desk: Desk
    task: WritingTask
    style: Style
    play: Callable[[str], Awaitable[str | None]]
    model: str
    code_model: str
    settings: Settings
    scenarios: tuple[str, ...]

    async def __call__(self, place: Place) -> Attempt:
        """The attempt of a place.

        Raises
        ------
        EndpointError, BudgetSpent, OutputError, PromptError
        """
        scenario = self.scenario(place) if self.style.prose else None
        worded = await self._words(place, scenario)
        if isinstance(worded, Verdict):
            return Attempt(place, worded.outcome, worded.reason, scenario=scenario)
        words, strategy = worded
        messages = self.task.code(strategy)
        reply = await self._reply(place, "code", messages)
        verdict = await judge(reply, self.play)
        if verdict.outcome in ("no_code", "gate", "fault"):
            messages = self.task.repair(strategy, reply[:MOST_WORDS], verdict.reason)
            repaired = await judge(await self._reply(place, "repair", messages), self.play)
            outcome: Outcome = "repaired" if repaired.outcome == "good" else repaired.outcome
            verdict = Verdict(outcome, repaired.reason, repaired.source or verdict.source)
        return Attempt(place, verdict.outcome, verdict.reason, words, verdict.source, scenario)

    def scenario(self, place: Place) -> str:
        """The setting of an attempt; the same for every model."""
        return self.scenarios[seed_of(place.draw("scenario")) % len(self.scenarios)]

    async def _words(self, place: Place, scenario: str | None) -> tuple[str, str] | Verdict:
        """The words to keep and the strategy to code, or why there are none."""
        attitude, task = place.attitude, self.task
        plan = ""
        if scenario is None:
            talk = await self._talk(place, "words", task.words(attitude))
        else:
            talk = await self._talk(place, "plan", task.plan(attitude, scenario))
            if isinstance(talk, Verdict):
                return talk
            plan = talk[-1].content
            talk = await self._talk(place, "convert", task.convert(attitude, scenario, plan, talk))
        if isinstance(talk, Verdict):
            return talk
        strategy = talk[-1].content
        if self.style.refine:
            talk = await self._talk(place, "critique", task.critique(attitude, strategy, talk))
            if isinstance(talk, Verdict):
                return talk
            messages = task.rewrite(attitude, strategy, talk[-1].content, talk)
            talk = await self._talk(place, "rewrite", messages)
            if isinstance(talk, Verdict):
                return talk
            strategy = talk[-1].content
        return "\n\n".join(part for part in (plan, strategy) if part), strategy

    async def _talk(
        self, place: Place, purpose: Purpose, messages: tuple[Message, ...]
    ) -> tuple[Message, ...] | Verdict:
        """The conversation with the reply at its end, or why that is no use."""
        reply = await self._reply(place, purpose, messages)
        if (failed := _wordless(reply)) is not None:
            return failed
        return (*messages, Message("assistant", reply[:MOST_WORDS].strip()))

    async def _reply(self, place: Place, purpose: Purpose, messages: tuple[Message, ...]) -> str:
        model = self.code_model if purpose in ("code", "repair") else self.model
        settings, temperature = self.settings, self.settings.temperature
        if temperature is not None and purpose not in ("words", "plan", "convert"):
            cooler = temperature / 2 if purpose == "critique" else 0.0
            settings = settings.model_copy(update={"temperature": cooler})
        reply = await self.desk.ask(place, purpose, model, messages, settings)
        return strip_reasoning(reply)[0]


def _wordless(text: str) -> Verdict | None:
    """Why a reply that was to be words is none."""
    if not text.strip():
        return Verdict("empty", "the reply is empty", "")
    return Verdict("refused", one_line(text, _REASON), "") if declines(text) else None
