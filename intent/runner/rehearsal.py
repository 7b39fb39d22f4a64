"""Rehearses games: plays their first rounds with a scripted model, and keeps every prompt as it was rendered.

Nobody is asked. The model says words that stand nowhere else, so that a word which comes back in a later
prompt tells whose it was and whether it was private; prompts are marked (`intent.agents.prompts.wording`), so
that it is known which placeholder each piece of them came from.

The model gives the longest answer that is read: first with text before the answer, then without. What it had
to leave out is what the seat has no room for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from intent.agents.prompts.wording import marking, names, visible
from intent.base.errors import IntentError, one_line

if TYPE_CHECKING:
    import numpy as np

    from intent.agents.agent import Agent, Answer, Decision
    from intent.agents.client import Message, Settings, Tool
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.play.match import QuestionAnswer, Round, View

__all__ = ["ROUNDS", "Rehearsal", "Sent", "Turn", "Word", "rehearsed", "said_words", "stand_in"]

ROUNDS = 2
"""Rounds that are rehearsed: the first has no past, the second has; questions after it look back on two."""

_MOST = 60
"""Requests of one turn after which it is given up."""

WordKind = Literal["words", "thought", "advice", "answer"]
_KINDS: dict[str, WordKind] = {"w": "words", "t": "thought", "a": "advice", "q": "answer"}
_WORD = re.compile(r"Z([wtaq])(\d+)r(\d+)n(\d+)z")


class Word(NamedTuple):
    """What a rehearsed model said: public words, a private thought, an adviser's turn, or an answer."""

    kind: WordKind
    seat: int
    round: int


def said_words(text: str) -> frozenset[Word]:
    """The words of the rehearsed model that stand in a text."""
    return frozenset(
        Word(_KINDS[kind], int(seat), int(number)) for kind, seat, number, _ in _WORD.findall(text)
    )


@dataclass(frozen=True)
class Sent:
    """One request that was answered with something that could be read.

    Parameters
    ----------
    messages : tuple of Message, marked
    form : how the answer was given that was read: option, json, line, text; None of what may be any text
    free : whether text stood before that answer
    after_call : whether a tool had been called before in this turn
    """

    purpose: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    settings: Settings
    form: str | None
    free: bool
    after_call: bool


@dataclass(frozen=True)
class Turn:
    """All requests of one seat for one decision, message or answer.

    Parameters
    ----------
    kind : {"decision", "message", "question"}
    question : str, optional
        Name of the comprehension question.
    read : whether an answer was found that could be read
    """

    seat: int
    kind: Literal["decision", "message", "question"]
    view: View
    requests: tuple[Sent, ...]
    question: str | None = None
    read: bool = True


class _Enough(BaseException):
    """All rounds that are rehearsed have been played."""


def stand_in(plan: GamePlan) -> GamePlan:
    """The plan as it is rehearsed: the same prompts, and players beside the models that need no loading.

    Of a table where all move at once one seat of each kind is asked; the others, which read the same, choose
    by chance.
    """
    import numpy as np

    from intent.agents.agent import TRANSFORM
    from intent.agents.plan import SeatPlan
    from intent.games.game import has_course

    keys: set[str] = set()
    seats = []
    game = plan.stage()
    alone = has_course(game) and len(game.course(np.random.default_rng(0)).steps()[0]) == len(plan.seats)
    for seat in plan.seats:
        like = seat.model_dump_json(exclude={"name", "columns"})
        if seat.kind != "model" or (alone and like in keys):
            named: dict[str, Any] = {
                "name": seat.name,
                "persona": seat.persona,
                "persona_text": seat.persona_text,
            }
            chance = seat.opponent_persona_probability
            named["opponent_persona_probability"] = chance
            seats.append(SeatPlan(player="scripted/RANDOM", **named))
            continue
        keys.add(like)
        options = {key: value for key, value in seat.options.items() if key != TRANSFORM}
        seats.append(seat.model_copy(update={"options": options}))
    rules = plan.reply.model_copy(update={"retries": 8, "then": "missing", "remind": False})
    changes: dict[str, Any] = {"seats": tuple(seats), "reply": rules, "stop": (), "seed": 1, "repetition": 1}
    changes["rounds"] = min(plan.rounds, 10) if plan.continuation is None else 10
    if plan.continuation is not None:
        changes["continuation"] = 0.999
    return plan.model_copy(update=changes)


@dataclass(frozen=True)
class Rehearsal:
    """The turns of the first rounds of a game, and what kept an agent from going on, if anything did."""

    turns: tuple[Turn, ...]
    failure: str | None = None


def rehearsed(plans: Sequence[GamePlan], prompts: Mapping[str, PromptSet]) -> list[Rehearsal]:
    """The first rounds of each game; a fault of an agent in one of them is not one of the others.

    Parameters
    ----------
    plans : as `stand_in` makes them
    prompts : mapping of name -> PromptSet
        Read anew, so that nothing that is marked stays behind in those of the run.

    Raises
    ------
    IntentError
        Agents that cannot be made.
    """
    from intent.agents.agent import make_agents
    from intent.agents.prompts.sources import prompts_from_json
    from intent.runner.caller import in_own_loop

    own: dict[str, PromptSet] = {}
    for name, words in prompts.items():
        try:
            own[name] = prompts_from_json(words.to_json())
        except IntentError:
            own[name] = words

    async def work() -> list[Rehearsal]:
        with marking():
            return [await _one(plan, make_agents(plan, own)) for plan in plans]

    return in_own_loop(work)


async def _one(plan: GamePlan, agents: Sequence[Agent]) -> Rehearsal:
    from intent.runner.driver import play_game

    turns: list[Turn] = []
    models = {seat for seat, each in enumerate(plan.seats, start=1) if each.kind == "model"}
    watched = [
        _Watched(agent, plan, turns) if seat in models else agent
        for seat, agent in enumerate(agents, start=1)
    ]

    def keep(played: Round, ended: bool, cut: bool, answers: tuple[QuestionAnswer, ...]) -> None:
        if played.number >= ROUNDS:
            raise _Enough

    if models:
        try:
            await play_game(plan, watched, lambda number, seat: _nobody, keep)
        except _Enough:
            return Rehearsal(tuple(turns))
        except Exception as error:  # noqa: BLE001 (what an agent makes of replies that no model gave)
            return Rehearsal(tuple(turns), f"{type(error).__name__}: {one_line(error)}")
    return Rehearsal(tuple(turns))


async def _nobody(*args: Any, **more: Any) -> Answer:
    raise AssertionError("a watched agent brings its own ask")


class _Watched:
    """An agent that is played with, whose requests are answered here and kept."""

    def __init__(self, agent: Agent, plan: GamePlan, turns: list[Turn]) -> None:
        from intent.agents.agent import Answering

        self._agent, self._plan, self._turns = agent, plan, turns
        if isinstance(agent, Answering):
            self.answer = self._answer

    @property
    def columns(self) -> Mapping[str, Any]:
        return self._agent.columns

    async def choose(self, view: View, ask: Any, rng: np.random.Generator) -> Decision:
        return await self._turn("decision", view, lambda own: self._agent.choose(view, own, rng))

    async def speak(self, view: View, ask: Any, rng: np.random.Generator) -> Decision:
        return await self._turn("message", view, lambda own: self._agent.speak(view, own, rng))

    async def _answer(self, question: str, view: View, ask: Any, rng: np.random.Generator) -> Decision:
        agent: Any = self._agent
        return await self._turn(
            "question", view, lambda own: agent.answer(question, view, own, rng), question
        )

    async def _turn(
        self,
        kind: Literal["decision", "message", "question"],
        view: View,
        act: Callable[[Any], Any],
        question: str | None = None,
    ) -> Decision:
        replies = _Replies(self._plan, view)
        decision: Decision = await act(replies.ask)
        read = kind != "decision" or decision.status == "parsed"
        self._turns.append(Turn(view.seat, kind, view, tuple(replies.requests()), question, read))
        return decision


@dataclass
class _Replies:
    """What the model says in one turn: to every request the longest answer that is read."""

    plan: GamePlan
    view: View
    sent: list[tuple[tuple[str, ...], Sent]] = field(default_factory=list)
    place: int = 0
    called: bool = False
    words: int = 0
    text: str = ""
    blocks: frozenset[str] = frozenset()

    async def ask(
        self,
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        """The reply; the same request again means that the last answer could not be read."""
        from intent.agents.agent import Answer
        from intent.agents.client import Reply

        if len(self.sent) >= _MOST:
            raise _Enough
        mine = self.plan.seats[self.view.seat - 1]
        used = mine.settings if settings is None else settings
        key = (purpose, *(message.content for message in messages))
        again = bool(self.sent) and self.sent[-1][0] == key
        self.place = self.place + 1 if again else 0
        if not again:
            self.text, self.blocks = visible(messages[-1].content), names(messages[-1].content)
        called, call = self.called, None if self.called else _call(self.text, tools, used)
        form, free, reply = None, True, ""
        if call is None:
            form, free, reply = self._reply(purpose, used)
        self.called = called or call is not None
        self.sent.append((key, Sent(purpose, tuple(messages), tuple(tools), used, form, free, called)))
        answer = call if call is not None else Reply(text=reply)
        return Answer(answer, f"{self.plan.game_id}/{self.view.round}/{self.view.seat}/{len(self.sent)}")

    def requests(self) -> Iterator[Sent]:
        """The requests whose answers were taken: of those that were put again, the last."""
        for number, (key, sent) in enumerate(self.sent):
            if number + 1 == len(self.sent) or self.sent[number + 1][0] != key:
                yield sent

    def _reply(self, purpose: str, settings: Settings) -> tuple[str | None, bool, str]:
        """Form, whether text comes first, and the reply."""
        if purpose == "think":
            return None, True, self._word("t")
        before = self._before()
        if purpose in ("message", "advise", "questionnaire"):
            return None, True, self._word("a") if purpose == "advise" else before
        if purpose == "question":
            return None, True, f"{self._word('q')}\nANSWER: 1"
        ways = list(self._ways(before, settings))
        return ways[min(self.place, len(ways) - 1)]

    def _before(self) -> str:
        """Private thoughts where they are asked for, in the way in which they are, and public words.

        Who is not told to put thoughts into braces does not.
        """
        if "{{" in self.text:
            return f"{{{{{self._word('t')}}}}} {self._word('w')}"
        if self.blocks & {"deliberate", "communicate_private"}:
            return f"{self._word('t')} {self._word('w')}"
        return self._word("w")

    def _ways(self, before: str, settings: Settings) -> Iterator[tuple[str, bool, str]]:
        """Answers in the order in which they are tried."""
        from intent.games.game import has_course

        if has_course(self.view.game):
            yield from self._at_table(before)
            return
        labels = settings.choices or self.view.actions
        label = labels[(self.view.round + self.view.seat) % len(labels)]
        chosen = json.dumps({"choice": label}, ensure_ascii=False)
        if not settings.constrained:
            yield "line", True, f"{before}\nDECISION: {label}"
            yield "text", True, f"{before}\nI will choose {label}."
            yield "text", True, f"{before}\nI will choose action {label}."
            yield "json", True, f"{before}\n{chosen}"
            yield "json", False, chosen
        yield "option", False, label

    def _at_table(self, before: str) -> Iterator[tuple[str, bool, str]]:
        import numpy as np

        from intent.agents.table import answer_object

        game: Any = self.view.game
        question = self.view.question
        named = [action for action in game.legal(self.view.seat, question) or () if not action.isdigit()]
        if named:  # the last of a vote, since a plan that is accepted ends the game before it has a past
            action = named[-1] if question.get("role") == "vote" else named[0]
        else:
            action = game.equilibrium(self.view.seat, question, np.random.default_rng(0))
        answer = answer_object(game.key(question), action, question)
        yield "json", True, f"{before}\n{answer}"
        yield "json", False, answer
        yield "option", False, action

    def _word(self, kind: str) -> str:
        self.words += 1
        return f"Z{kind}{self.view.seat}r{self.view.round}n{self.words}z"


_ARGUMENTS = ("temptation", "reward", "punishment", "sucker")


def _call(text: str, tools: Sequence[Tool], settings: Settings) -> Any:
    """A reply that calls the tool that is offered, None where there is none."""
    from intent.agents.client import Reply

    if tools and settings.tool_choice != "none":
        function = tools[0]["function"]
        named = function.get("parameters", {}).get("properties", {})
        arguments = json.dumps({name: place for place, name in enumerate(named)})
        return Reply(text="", tool_calls=({"id": "1", "name": function["name"], "arguments": arguments},))
    if match := re.search(r'CALL: \{"name": "(\w+)"', text):
        numbers = {name: place for place, name in enumerate(_ARGUMENTS) if name in text}
        return Reply(text="CALL: " + json.dumps({"name": match[1], "arguments": numbers}))
    return None
