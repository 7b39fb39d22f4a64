"""Who sits at the table of a `intent.games.game.CourseGame`: language models, scripted players, humans.

Models and humans are asked for a JSON object, and again where no legal answer is in it. Scripted players of
games whose rules depend on the past are constants, cycles, equilibrium, and best replies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from pydantic import Field

from intent.agents.agent import ARCHITECTURES, Answer, Ask, Decision, ScriptedSeat
from intent.agents.architectures.base import (
    Options,
    ask_until_read,
    decision_of,
    free,
    join_reasoning,
    read_options,
)
from intent.agents.client import Message, Settings, Tool
from intent.agents.human import HumanAgent, Terminal, harmless
from intent.agents.plan import (
    BEST_REPLY,
    CONSTANT,
    CYCLE,
    EQUILIBRIUM,
    RANDOM,
    SEQUENCE,
    TABLE_PLAYERS,
    GamePlan,
    PlayerName,
    SeatPlan,
    parse_player,
    seat_columns,
)
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.prompts.wording import canonical_language
from intent.base.errors import GameError, UsageError, shorten
from intent.base.registry import load, points
from intent.base.replies import Pairs, Reading, answer_value, is_object, loose_object, objects_in
from intent.base.replies import key as folded
from intent.games.game import CourseGame, Facts, has_course
from intent.play.match import View

__all__ = [
    "MOST",
    "HumanTableAgent",
    "ScriptedTableAgent",
    "TableAgent",
    "check_rules",
    "extent",
    "legal_near",
    "opening",
    "read_answer",
    "scripted_table_player",
    "uniform_action",
]

TREATMENTS = ("equilibrium", "smart", "random")
"""What a seat may be told of the others: that they play the equilibrium, are smart, choose at random."""

LONGEST_TOLD = 2_000
"""Characters of a treatment in the user's own words."""


class PlainTable(Options):
    """Options of ``plain``.

    Attributes
    ----------
    told : str, optional
        One of `TREATMENTS`, or a text that is told as it stands.
    """

    thinks: ClassVar[bool] = False
    told: Annotated[str, Field(min_length=1, max_length=LONGEST_TOLD)] | None = None


class ThinkingTable(PlainTable):
    """Options of ``chain_of_thought``.

    Attributes
    ----------
    phrase : int, 1 to 5
        Which of the prompt set's phrases asks for the thinking.
    """

    thinks: ClassVar[bool] = True
    phrase: int = Field(default=1, ge=1, le=5)


TABLE_ARCHITECTURES: dict[str, type[PlainTable]] = {"plain": PlainTable, "chain_of_thought": ThinkingTable}
"""The architectures that play here."""


def table_options(plan: GamePlan, seat: SeatPlan) -> PlainTable:
    """The seat's options, checked."""
    if seat.architecture not in TABLE_ARCHITECTURES:
        known = ", ".join(TABLE_ARCHITECTURES)
        what = "plays matrix games only" if seat.architecture in ARCHITECTURES else "is unknown"
        raise UsageError(
            f"{plan.game_id}: architecture {shorten(seat.architecture)!r} {what}, expected one of {known} in "
            f"{plan.game}"
        )
    return read_options(TABLE_ARCHITECTURES[seat.architecture], seat, plan)


def opening(game: CourseGame) -> dict[int, Facts]:
    """Seat -> what it is asked in round 1, of the seats that move in it; earlier steps as in equilibrium.

    What depends on chance is one example of it.
    """
    rng = np.random.default_rng(0)
    course = game.course(rng)
    earlier: dict[int, str | None] = {}
    openings: dict[int, Facts] = {}
    steps = course.steps()
    for number, step in enumerate(steps, start=1):
        questions = {seat: course.question(seat, earlier) for seat in step}
        openings |= questions
        if number < len(steps):
            earlier |= {seat: game.equilibrium(seat, facts, rng) for seat, facts in questions.items()}
    return openings


EXPLANATIONS = (
    "explanation",
    "explain",
    "reason",
    "reasoning",
    "thought",
    "thoughts",
    "rationale",
    "analysis",
)
"""Fields, in any case, that are no answer but what was thought before it."""

SPELLINGS = "intent.answer_spellings"
"""Group of entry points: mappings from a key of an answer to what models call the field instead."""


@cache
def spellings() -> Mapping[str, tuple[str, ...]]:
    """Key of an answer -> what models call the field instead, of all games that say so."""
    return MappingProxyType({k: v for there in points(SPELLINGS).values() for k, v in load(there).items()})


_COMMON = ("answer", "choice", "action", "response")

_SHOTS = ("target", "aim")
"""Keys of battle royale and of its story, whose answers may have an ``action`` beside them."""

_BARE = 200
"""Characters of a reply that may be an answer without an object around it."""

_LONGEST_NAME = 40
_AROUND = "*_`\"'“” \n"


@dataclass(frozen=True)
class TableReading:
    """An action, or why there is none.

    Parameters
    ----------
    action : as the log has it
    why : one line; None where there is an action
    explanation : what the reply says besides
    """

    action: str | None
    why: str | None = None
    explanation: str | None = None


def read_answer(text: str, game: CourseGame, seat: int, facts: Facts) -> TableReading:
    """The action of a reply.

    1. Objects are found wherever they stand (`objects_in`). The answer is the field of the game's key,
       however its words are joined; where no object has it, a field that models call it by (`spellings`),
       then ``answer``, ``choice``, ``action`` or ``response``, then the only field there is.
    2. A reply without an object is an answer where it is nothing but one, ``37``, or the field, ``bid: 37``.
    3. `CourseGame.read` takes or refuses the value. Several answers must be the same one.

    Takes any text, of any length, and never raises for what it holds.

    Parameters
    ----------
    text : str, without reasoning
    seat : int, from 1
    facts : as `Course.question` gave it to the seat
    """
    field = game.key(facts)
    objects = objects_in(text)
    explanation = _explanation(text, objects)
    if not objects:
        short = text.strip()
        fields = loose_object(short) if len(short) <= _BARE and ":" in short else None
        if fields is None:
            return _bare(short, game, seat, facts, field)
        objects = [fields]
    values = _values(objects, field)
    if not values:
        return TableReading(None, f'no field "{field}" in the JSON object', explanation)
    actions: dict[str, None] = {}
    for value in values:
        try:
            actions[game.read(_plain(value), seat, facts)] = None
        except GameError as error:
            return TableReading(None, shorten(error, 200), explanation)
    if len(actions) > 1:
        return TableReading(None, shorten(f"names {' and '.join(actions)}, expected one", 200), explanation)
    return TableReading(next(iter(actions)), explanation=explanation)


def _bare(text: str, game: CourseGame, seat: int, facts: Facts, field: str) -> TableReading:
    if text and len(text) <= _BARE:
        try:
            return TableReading(game.read(text.lstrip(_AROUND).rstrip(_AROUND + ".!"), seat, facts))
        except GameError as error:
            if "\n" not in text and len(text.split()) == 1:
                return TableReading(None, shorten(error, 200))
    got = "no JSON object" if text else "an empty reply"
    return TableReading(None, f'{got}, expected a JSON object with the field "{field}"', text or None)


def _values(objects: Sequence[Pairs], field: str) -> list[object]:
    """The answers, by the most exact of the names that any object has."""
    for names in ((field,), spellings().get(field, ()), _COMMON):
        known = {_joined(name) for name in names}
        values = [value for pairs in objects for value in _reading_named(pairs, known, field)]
        if values:
            return values
    alone = [[value for name, value in pairs if not _explains(name)] for pairs in objects]
    return [value for values in alone if len(values) == 1 for value in values if value is not None]


def _reading_named(pairs: Pairs, known: set[str], field: str) -> Iterator[object]:
    values = [value for name, value in pairs if _joined(name) in known]
    actions = [value for name, value in pairs if _joined(name) == "action"] if field in _SHOTS else []
    if len(values) == len(actions) == 1 and "action" not in known:
        # Whether to shoot stands in one field and at whom in another; the game knows which of them counts.
        yield _Shot(actions[0], values[0])
    else:
        yield from values


@dataclass(frozen=True)
class _Shot:
    """What a reply does and to whom."""

    action: object
    target: object


def _plain(value: object) -> object:
    """Objects as mappings.

    Raises
    ------
    GameError
        A field that stands twice.
    """
    if isinstance(value, _Shot):
        return {"action": _plain(value.action), "target": _plain(value.target)}
    if is_object(value):
        assert isinstance(value, list)
        values = {name: _plain(inside) for name, inside in value}
        if len(values) < len(value):
            raise GameError("a field stands twice in an object, expected it once")
        return values
    if isinstance(value, list):
        return [_plain(inside) for inside in value]
    return value


def _explanation(text: str, objects: Sequence[Pairs]) -> str | None:
    """What the fields for it say, else the text before the first object."""
    texts = [
        value.strip()
        for pairs in objects
        for name, value in pairs
        if isinstance(value, str) and _explains(name) and value.strip()
    ]
    if texts or not objects:
        return "\n\n".join(texts) or None
    return text[: text.find("{")].removesuffix("```json\n").strip() or None


def _explains(name: str) -> bool:
    return _joined(name) in EXPLANATIONS


def _joined(name: str) -> str:
    """The words of a name without what joins them."""
    return folded(name).replace("_", "").replace("-", "") if len(name) <= _LONGEST_NAME else ""


class TableAgent:
    """A language model that answers with a JSON object, as ``plain`` or ``chain_of_thought``.

    1. The prompt set renders the view.
    2. Reasoning is taken out of the reply, the object is found, and the game reads its field
       (`intent.agents.table`). ``reply.parser`` is for games of labels and not used.
    3. An answer that cannot be read, or that the seat may not give now, is asked for again up to
       ``reply.retries`` times: the same prompt, or, with ``reply.remind``, followed by the last reply, why it
       was refused, and a reminder of what is expected. Reasons are in English; in another language the
       reminder stands alone.
    4. Then the move is missing, the plan's default, or missing and the last of the game. A default that is
       not legal at that moment is a missing move.

    Every refused reply leaves its reason in the move's details. What chain of thought explains is the move's
    reasoning: no other player sees it, nor does a later prompt of the seat itself.

    With ``settings.constrained`` the reply is one of the objects with a legal answer, where the game can list
    them (1,001 at most). An explanation cannot be constrained; so with chain of thought only what is asked
    after an unreadable reply is.

    Raises
    ------
    UsageError
        Another architecture, unknown options, a message phase, or ``then: default`` with what nobody may do
        in the first round.
    """

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        self._plan, self._seat, self._prompts = plan, plan.seats[seat - 1], prompts
        self._options = table_options(plan, self._seat)
        check_rules(plan)

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per own move, as expected and at most."""
        return 1, 1 + plan.reply.retries

    @property
    def columns(self) -> Mapping[str, Any]:
        """Model, persona, architecture, and the options: ``told``, ``phrase``."""
        options = {name: value for name, value in self._options.model_dump().items() if value is not None}
        return MappingProxyType({"model": self._seat.player, **seat_columns(self._seat), **options})

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, turn = self._plan, _Turn(view)
        settings = self._seat.settings.model_copy(update={"choices": turn.objects})
        settled = await ask_until_read(
            turn.asking(ask, from_start=not self._options.thinks),
            self._prompts.render(view, plan, "choose"),
            settings if turn.objects else free(settings),
            turn.read,
            plan.reply,
            lambda: self._reminder(turn),
        )
        rules = plan.reply
        if settled.reading.action is None and rules.then == "default":
            default = turn.legal(rules.default)
            rules = rules.model_copy(update={"default": default} if default else {"then": "missing"})
        thought = turn.last.explanation if self._options.thinks else None
        return decision_of(settled, rules, reasoning=join_reasoning(settled.last.reasoning, thought))

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)

    def _reminder(self, turn: _Turn) -> str:
        """Why the answer was refused, and what is expected, by its form where the prompt set has that."""
        form = getattr(self._prompts, "answer_form", None)
        forms = turn.objects[:1] if form is None else (form(turn.view, self._plan),)
        expected = self._prompts.remind(self._plan.language, forms)
        english = canonical_language(self._plan.language) == "en"
        return f"{turn.refused[-1]}\n\n{expected}" if english else expected


class _Turn:
    """One move in the making: what may be answered, and what was refused.

    Attributes
    ----------
    objects : tuple of str
        The JSON objects of all legal answers; empty where they are too many to list.
    refused : list of str
        Why replies were refused.
    last : TableReading
    """

    def __init__(self, view: View) -> None:
        assert has_course(view.game)
        self.view, self.game = view, view.game
        key, listed = self.game.key(view.question), self.game.legal(view.seat, view.question)
        self.objects = _objects(key, listed or (), _named(view.question))
        self.refused: list[str] = []
        self.last = TableReading(None)

    def read(self, text: str) -> Reading:
        """The action of a reply."""
        self.last = read_answer(text, self.game, self.view.seat, self.view.question)
        if self.last.action is None:
            self.refused.append(self.last.why or "")
        return Reading(self.last.action, self.last.why)

    def legal(self, action: str | None) -> str | None:
        """The action as the log has it, None where it is not legal."""
        try:
            return self.game.read(action, self.view.seat, self.view.question)
        except GameError:
            return None

    def asking(self, ask: Ask, *, from_start: bool) -> Ask:
        """Asks that keep a constraint from the first request on, or from the second."""

        async def ask_loosely(
            messages: Sequence[Message],
            settings: Settings | None = None,
            *,
            purpose: str = "choose",
            tools: Sequence[Tool] = (),
        ) -> Answer:
            if settings is not None and not from_start and not self.refused:
                settings = settings.model_copy(update={"constrained": False})
            return await ask(messages, settings, purpose=purpose, tools=tools)

        return ask_loosely


def answer_object(key: str, action: str, facts: Facts) -> str:
    """An action as the JSON object that is asked for.

    Examples
    --------
    >>> answer_object("chosen_number", "37", {}), answer_object("target", "miss", {"alive": (1, 3)})
    ('{"chosen_number": 37}', '{"target": null}')
    >>> answer_object("proposal", "99,1", {"role": "propose", "left": (3, 4)})
    '{"proposal": {"3": 99, "4": 1}}'
    """
    return _objects(key, (action,), _named(facts))[0]


def _named(facts: Facts) -> tuple[int, ...]:
    """The seats that a proposal names."""
    return cast("tuple[int, ...]", facts["left"]) if facts.get("role") == "propose" else ()


@lru_cache(maxsize=64)
def _objects(key: str, actions: tuple[str, ...], named: tuple[int, ...]) -> tuple[str, ...]:
    """Actions as objects: hundreds of them, and mostly the same for all seats and rounds."""
    return tuple(json.dumps({key: answer_value(a, named)}, ensure_ascii=False) for a in actions)


def check_rules(plan: GamePlan) -> None:
    """Refuse a message phase, and a default that nobody may do in the first round.

    Raises
    ------
    UsageError
    """
    game = plan.stage()
    assert isinstance(game, CourseGame)
    if plan.communication != "none":
        raise UsageError(f"{plan.game_id}: {plan.game} has no message phase, expected communication: none")
    if plan.reply.then != "default":
        return
    why = "none is given"
    for seat, facts in opening(game).items():
        try:
            game.read(plan.reply.default if plan.reply.default is not None else "", seat, facts)
        except GameError as error:
            why = str(error)
        else:
            return
    raise UsageError(f"{plan.game_id}: reply.default {shorten(plan.reply.default)!r}: {why}")


class HumanTableAgent(HumanAgent):
    """Shows the words of the prompt set and reads the answer; nonsense is asked for again, with the reason.

    The rules are shown in the seat's first turn, and what has happened since in every one. An answer may be
    typed as it is, ``37`` or ``98,0,1,0,1``, or as the JSON object that models are asked for. The log calls
    the player ``human``, one subject across games.

    Parameters
    ----------
    seat : int, from 1
    prompts : by default the suite's own
    terminal : by default standard input and standard error

    Raises
    ------
    UsageError
        As `intent.agents.table.TableAgent`.
    """

    def __init__(
        self, plan: GamePlan, seat: int, prompts: PromptSet | None = None, terminal: Terminal | None = None
    ) -> None:
        super().__init__(plan, seat, terminal)
        self._prompts = prompts or _own_prompts()
        self._told_rules, self._last = False, ""
        check_rules(plan)

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The action that is typed.

        Raises
        ------
        UsageError
            The input has ended.
        """
        game, facts = view.game, view.question
        assert isinstance(game, CourseGame)
        key = game.key(facts)

        def reading(line: str) -> Any:
            return read_answer(line, game, self._seat, facts)

        action = await self._ask(
            f"{self._shown(view)}\nYour answer ({key}): ",
            lambda line: reading(line).action,
            lambda line: f"{harmless(reading(line).why)}. Your answer ({key}): ",
            f"an answer ({key})",
        )
        return Decision(action)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)

    def _shown(self, view: View) -> str:
        messages = self._prompts.render(view, self._plan, "choose")
        rules = [message.content for message in messages[:-1] if message.role == "system"]
        first = [] if self._told_rules else rules
        texts = [*first, *_news([message for message in messages if message.role != "system"], self._last)]
        self._told_rules, self._last = True, "\n\n".join(texts)
        lines = "\n\n".join(texts).splitlines()
        return "\n".join((f"\n[{self._plan.game_id}] round {view.round}", *map(harmless, lines)))


def _news(messages: Sequence[Message], shown: str) -> list[str]:
    """What was said since the player's last answer, and before it what was not shown yet.

    A past round tells its results before the player's own choice: these are new, too.
    """
    answered = max((i for i, one in enumerate(messages) if one.role == "assistant"), default=-1)
    before = messages[answered - 1].content.split("\n\n") if answered > 0 else []
    return [
        *(part for part in before if part not in shown),
        *(message.content for message in messages[answered + 1 :]),
    ]


def _own_prompts() -> PromptSet:
    from intent.agents.prompts.sources import COURSE_PROMPTS, load_prompts

    return load_prompts(COURSE_PROMPTS)


MOST = 2**53
"""Whole numbers are looked for up to here."""


def uniform_action(game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> str:
    """A legal action, each as likely as the others.

    1. Of actions that the game lists, one.
    2. A proposal is a uniform composition: of the C(gold + k - 1, k - 1) ways to share `gold` among the k
       that are left, each as likely (stars and bars: k - 1 bars at distinct places of gold + k - 1).
    3. Else a whole number between the smallest and the largest that are legal.

    Raises
    ------
    GameError
        Actions that are none of these.
    """
    listed = game.legal(seat, facts)
    if listed is not None:
        return listed[int(rng.integers(len(listed)))]
    if facts.get("role") == "propose":
        gold, n = _whole(game.facts()["gold"]), len(cast("tuple[Any, ...]", facts["left"]))
        bars = np.sort(rng.choice(gold + n - 1, size=n - 1, replace=False))
        shares = np.diff(np.concatenate(([-1], bars, [gold + n - 1]))) - 1
        return ",".join(str(share) for share in shares)
    low, high = extent(game, seat, facts, rng)
    return str(int(rng.integers(low, high + 1)))


def extent(game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> tuple[int, int]:
    """The smallest and the largest legal whole number, of games whose legal numbers have no gaps.

    Found by doubling steps from what equilibrium plays.

    Raises
    ------
    GameError
        That is no whole number.
    """
    start = game.equilibrium(seat, facts, rng)
    try:
        at = int(start)
    except ValueError:
        raise GameError(
            f"{game.name}: actions such as {start!r} cannot be listed, expected numbers"
        ) from None

    def farthest(sign: int) -> int:
        number, step = at, 1
        while step and abs(number) <= MOST:
            further = number + sign * step
            try:
                game.read(further, seat, facts)
            except GameError:
                if step == 1:
                    break
                step = 1
            else:
                number, step = further, 2 * step
        return number

    return farthest(-1), farthest(1)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value


Rule = Callable[[View, Facts, np.random.Generator], str]


class ScriptedTableAgent(ScriptedSeat):
    """Plays `scripted_table_player`; never asks anything, never speaks.

    Raises
    ------
    UsageError, GameError
        As `scripted_table_player`.
    """

    def __init__(self, plan: GamePlan, seat: int) -> None:
        mine, game = plan.seats[seat - 1], plan.stage()
        name = parse_player(mine.player, mine.own)
        assert isinstance(game, CourseGame)
        noise = {"eps": name.eps} if name.eps else {}
        columns = {**seat_columns(mine), "architecture": "scripted", "strategy": name.name, **noise}
        super().__init__(scripted_table_player(name, game, seat), columns)


class TablePlayer:
    """Follows a rule; depends on nothing but the view and the generator.

    Parameters
    ----------
    rule : from view, what is asked, and generator to a legal action
    """

    def __init__(self, name: PlayerName, rule: Rule) -> None:
        self.name, self._rule = name, rule

    @property
    def columns(self) -> dict[str, object]:
        """The name of the strategy."""
        return {"strategy": self.name.name}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The rule's action, or with probability eps a uniform legal one, the rule's own among them."""
        facts = view.question
        if self.name.eps and rng.random() < self.name.eps:
            return uniform_action(_course(view), view.seat, facts, rng)
        return self._rule(view, facts, rng)


def scripted_table_player(name: PlayerName, game: CourseGame, seat: int) -> TablePlayer:
    """The synchronous player of a name.

    ======================  =================================================================
    ``constant:91``         this action at every own turn
    ``cycle:0,50,100``      one action per own turn, again from the first; ``;`` between proposals
    ``sequence:0,50,100``   the same
    ``equilibrium``         `CourseGame.equilibrium`
    ``best-reply``          `CourseGame.best_reply` to the last round
    ``RANDOM``              uniform over the legal actions (`uniform_action`)
    ======================  =================================================================

    A given action that is not legal at its moment is replaced as `legal_near` says.

    Parameters
    ----------
    name : PlayerName, of kind scripted
    seat : int, from 1

    Raises
    ------
    UsageError
        A strategy of matrix games.
    GameError
        A given action that is never legal for the seat: where what is legal does not depend on the round, any
        that is not; else one that the seat could not play in place of anybody who moves in the first round,
        and that is no whole number in a game of whole numbers.
    """
    if name.name == EQUILIBRIUM:
        return TablePlayer(name, lambda view, facts, rng: _course(view).equilibrium(view.seat, facts, rng))
    if name.name == BEST_REPLY:
        return TablePlayer(name, _best_reply)
    if name.name == RANDOM:
        return TablePlayer(
            name, lambda view, facts, rng: uniform_action(_course(view), view.seat, facts, rng)
        )
    head, colon, text = name.name.partition(":")
    if head + colon not in (CONSTANT, CYCLE, SEQUENCE):
        raise UsageError(
            f"scripted/{shorten(name.name)} plays matrix games; in {game.name} expected one of "
            f"{', '.join(TABLE_PLAYERS)}"
        )
    separator = ";" if ";" in text else ","
    actions = (text,) if head + colon == CONSTANT else tuple(text.split(separator))
    facts = opening(game)
    cycle = tuple(_possible(action.strip(), game, seat, facts, name) for action in actions)
    return TablePlayer(name, lambda view, facts, rng: _next(cycle, view, facts, rng))


def legal_near(action: str, game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> str:
    """The action, where it is legal now; else the nearest legal number, else what equilibrium plays.

    The nearest number is meant where all legal actions are whole numbers and the action is one too: a bid
    above the own valuation becomes the valuation. Equilibrium stands in for a shot at a dead player, a vote
    of a proposer, a proposal of a voter.
    """
    try:
        return game.read(action, seat, facts)
    except GameError:
        number = _nearest(action, game, seat, facts, rng)
    return game.equilibrium(seat, facts, rng) if number is None else number


def _next(cycle: tuple[str, ...], view: View, facts: Facts, rng: np.random.Generator) -> str:
    turns = sum(action is not None for action in view.own)
    return legal_near(cycle[turns % len(cycle)], _course(view), view.seat, facts, rng)


def _best_reply(view: View, facts: Facts, rng: np.random.Generator) -> str:
    outcome = view.reports[-1] if view.round > 1 else None
    return _course(view).best_reply(view.seat, outcome, facts, rng)


def _course(view: View) -> CourseGame:
    """Its game, which `scripted_table_player` took; asking a protocol costs more than a move."""
    return cast("CourseGame", view.game)


def _possible(action: str, game: CourseGame, seat: int, facts: Mapping[int, Facts], name: PlayerName) -> str:
    """The action, refused where it can be told that it is never legal; `facts` as in round 1, by seat."""
    fixed = seat in facts and not facts[seat]
    problems = []
    for other in (seat,) if fixed else sorted(facts, key=lambda other: other != seat):
        try:
            game.read(action, seat, facts[other])
            return action
        except GameError as error:
            problems.append(str(error))
        if not fixed and _nearest(action, game, seat, facts[other], np.random.default_rng(0)) is not None:
            return action
    raise GameError(f"player scripted/{shorten(name.name)} in {game.name}: {problems[0]}")


def _nearest(action: str, game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> str | None:
    """The legal number nearest to a number, None where not all legal actions are numbers."""
    if not action.isdecimal() or len(action) > 18 or facts.get("role") == "propose":
        return None
    listed = game.legal(seat, facts)
    if listed is None:
        low, high = extent(game, seat, facts, rng)
        return str(min(max(int(action), low), high))
    if not listed or not all(one.isdecimal() for one in listed):
        return None
    return min(listed, key=lambda one: abs(int(one) - int(action)))
