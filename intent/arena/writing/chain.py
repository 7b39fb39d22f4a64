"""From an attitude to code that plays: the questions of one attempt, one after another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from intent.agents.client import Message, Settings
from intent.agents.replies.reasoning import strip_reasoning
from intent.arena.sources.extract import extract_code
from intent.arena.sources.gate import gate
from intent.arena.sources.mend import mend
from intent.arena.writing.attempt import Attempt, Outcome
from intent.arena.writing.desk import Desk, Place, Purpose
from intent.arena.writing.refusals import declines
from intent.arena.writing.task import Style, WritingTask
from intent.errors import StrategyError, one_line
from intent.runner.caller import seed_of

__all__ = ["MOST_WORDS", "Chain", "Verdict", "judge"]

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
    2. To refine, a critique and a new version of the words.
    3. Code, by the model for code; read, mended, let in by the gate, and tried out.
    4. Where that fails for anything but a refusal or silence, one repair in the same conversation, which is
       judged alike.

    Parameters
    ----------
    desk : Desk
    task : WritingTask
    style : Style
    play : coroutine function, as `Trial`
    model, code_model : str
    settings : Settings
        Of words and plans. Critiques have half its temperature; rewriting, conversion, code and repair have
        temperature 0. Without a temperature none is sent at all.
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
        found = await self._words(place, scenario)
        if isinstance(found, Verdict):
            return Attempt(place, found.outcome, found.reason, scenario=scenario)
        words, strategy = found
        asked = self.task.code(strategy)
        reply = await self._asked(place, "code", asked)
        verdict = await judge(reply, self.play)
        if verdict.outcome in ("no_code", "gate", "fault"):
            asked = self.task.repair(strategy, reply[:MOST_WORDS], verdict.reason)
            repaired = await judge(await self._asked(place, "repair", asked), self.play)
            outcome: Outcome = "repaired" if repaired.outcome == "good" else repaired.outcome
            verdict = Verdict(outcome, repaired.reason, repaired.source or verdict.source)
        return Attempt(place, verdict.outcome, verdict.reason, words, verdict.source, scenario)

    def scenario(self, place: Place) -> str:
        """The setting of an attempt; the same for every model."""
        return self.scenarios[seed_of(place.draw("scenario")) % len(self.scenarios)]

    async def _words(self, place: Place, scenario: str | None) -> tuple[str, str] | Verdict:
        """The words to keep and the strategy to code, or why there are none."""
        attitude, task = place.attitude, self.task
        if scenario is None:
            plan = ""
            strategy = await self._asked(place, "words", task.words(attitude))
        else:
            plan = await self._asked(place, "plan", task.plan(attitude, scenario))
            if (failed := _wordless(plan)) is not None:
                return failed
            plan = plan[:MOST_WORDS].strip()
            strategy = await self._asked(place, "convert", task.convert(attitude, scenario, plan))
        if (failed := _wordless(strategy)) is not None:
            return failed
        strategy = strategy[:MOST_WORDS].strip()
        if self.style.refine:
            critique = await self._asked(place, "critique", task.critique(attitude, strategy))
            if (failed := _wordless(critique)) is not None:
                return failed
            asked = task.rewrite(attitude, strategy, critique[:MOST_WORDS].strip())
            strategy = await self._asked(place, "rewrite", asked)
            if (failed := _wordless(strategy)) is not None:
                return failed
            strategy = strategy[:MOST_WORDS].strip()
        return "\n\n".join(part for part in (plan, strategy) if part), strategy

    async def _asked(self, place: Place, purpose: Purpose, messages: tuple[Message, ...]) -> str:
        model = self.code_model if purpose in ("code", "repair") else self.model
        settings, temperature = self.settings, self.settings.temperature
        if temperature is not None and purpose not in ("words", "plan"):
            cooler = temperature / 2 if purpose == "critique" else 0.0
            settings = settings.model_copy(update={"temperature": cooler})
        reply = await self.desk.ask(place, purpose, model, messages, settings)
        return strip_reasoning(reply)[0]


def _wordless(text: str) -> Verdict | None:
    """Why a reply that was to be words is none."""
    if not text.strip():
        return Verdict("empty", "the reply is empty", "")
    return Verdict("refused", one_line(text, _REASON), "") if declines(text) else None
