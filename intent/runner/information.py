"""The information matrix: who is shown what, and how an answer is given, before anybody is sent.

A row for every role and stage of what is planned: the facts that its prompts show, whether there is room to
reason before the answer, how the answer is given, in which order options stand, and whether the conversation
is new. It is made from prompts that were rendered (`intent.runner.rehearsal`), not from what a file says of
itself: a fact is shown where a placeholder of that fact was filled in, or where words come back that somebody
said.

The treatment check holds the matrix against what an experiment file declares of its prompts
(`intent.runner.treatment`), the arms of the experiment against each other, and the answers of comprehension
questions against the prompts that ask them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from intent.agents.prompts.wording import names, pieces, visible
from intent.base.errors import UnknownNameError, UsageError
from intent.base.job import Table
from intent.base.registry import load, points
from intent.games.game import has_course
from intent.runner.rehearsal import Rehearsal, Sent, Turn, rehearsed, said_words, stand_in
from intent.runner.treatment import ATTRIBUTES, FACTS, REASONS, Treatment

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet

__all__ = [
    "ENTRY_POINTS",
    "LEAKS",
    "Checked",
    "Information",
    "Profile",
    "Row",
    "check_treatment",
    "checked_matrix",
    "checked_treatment",
    "facts_in",
    "first_problem",
    "information",
    "matrix_table",
    "profile_of",
]

ENTRY_POINTS = "intent.prompt_facts"
"""Group of entry points: mappings of names of placeholders to facts, for prompts that are none of ours."""

_PAYOFFS = (
    *(
        "outcomes",
        "own_1_1",
        "own_1_2",
        "own_2_1",
        "own_2_2",
        "other_1_1",
        "other_1_2",
        "other_2_1",
        "other_2_2",
    ),
    *("option_lines", "cost", "factor", "pool_all", "share_all", "reward_all", "share_one", "reward_one"),
    *("weight*", "contributionCost", "multiplicationFactor", "totalIfAllContribute", "payoffIfAllContribute"),
    *("netGainIfAllContribute", "soloContributionReturn", "soloContributionNet"),
)

_NAMED: dict[str, str | None] = {
    **dict.fromkeys(_PAYOFFS, "payoffs"),
    "own_choice.option": "own_choices",
    "own_choice_unpaid.option": "own_choices",
    "other_choice.option": "others_choices",
    "other_choice_unpaid.option": "others_choices",
    "own_choice.payoff": "past_payoffs",
    "other_choice.payoff": "past_payoffs",
    "sums": "totals",
    "sum": "totals",
    "shown": "rounds_played",
    "history.round": None,
    "round.round": None,
    "round.events": None,
    "round": "round",
    "currentRound": "round",
    "rounds": "horizon",
    "nRounds": "horizon",
    "continuation": "horizon",
    "implementation_error": "errors",
    "own_persona": "persona",
    "personality": "persona",
    "hints": "others_persona",
    "opponentPersonality*": "others_persona",
    "own_message.message": "own_words",
    "other_message.message": "others_words",
    "own_thought.thought": "private_thoughts",
    "tool_result.advised": "advice",
    "advise": "advice_to_give",
    "advise_compute": "advice_to_give",
    "advised": "advice_to_give",
    "beliefs": "belief",
    "chance": "belief",
    "tool_protocol": "tool",
    "title": "game_name",
}
"""Placeholder, ``phrase.placeholder``, phrase or block -> the fact that it shows; None shows none, whatever
stands around it. A star stands for any ending."""

_FAIRGAME = {"'strategy'": ("own_choices", "others_choices"), "'score'": ("past_payoffs",)}
"""What the dictionary holds that is all of FAIRGAME's ``{history}``."""

LEAKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "total_so_far": ("totals",),
        "rounds_so_far": ("rounds_played", "round"),
        "opponent_next": ("belief",),
    }
)
"""Comprehension question -> facts that are its answer: a prompt that shows one answers the question."""

_ASKS = frozenset(
    {
        *("chain_of_thought", "choose_reasoned", "think", "think_option", "think_deceive", "deliberate"),
        *("explain", "communicate_private", "debate", "debate_question", "explanation"),
        *(f"thinking_{number}" for number in range(1, 6)),
    }
)
"""Blocks and phrases that ask for reasons, beside the words that do."""

_NOT = re.compile(
    r"\b(?:without|no|not|never|sans|ne|pas|không|đừng)\b[^.:;\n]*|n['’]t\b[^.:;\n]*|[不无勿别][^。：；，\n]*|"
    r"(?:دون|بدون)\s[^.،:\n]*",
    re.IGNORECASE,
)
_THINK = re.compile(
    r"\bthinking\b|\bthink (?:about|it|the|of|in|openly|first|before|hard|carefully|aloud)|step by step|"
    r"one step at a time|\breasoning\b|chain of thought|\bexplain|brainstorm|your reasons|"
    r"réfléchi|raisonn|étape par étape|expliqu|suy nghĩ|từng bước|giải thích|lập luận|"
    r"思考|一步一步|逐步|想一想|推理|解释|"
    r"فك(?:ّ)?ر|خطوة بخطوة|استدلال|تشرح",
    re.IGNORECASE,
)
_PAST = frozenset({"history", "messages", "said", "question"})
_UNSAID = _PAST - {"question"} | {"own_persona", "personality", "hints", "told", "role"}
"""What tells of players and of the past, and asks for nothing."""

_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
_VERSION = re.compile(r"_v\d+$")


@dataclass(frozen=True)
class Row:
    """What one role is shown at one stage, and how it answers.

    Parameters
    ----------
    role : architecture, with the side in a debate
    stage : decision, advised (after a call), thoughts, advice, message, question
    shows : tuple of facts, in the order of `FACTS`
    reasons : asked, read, no; a dash where the answer is no choice
    answers : option, JSON, DECISION line, ANSWER line, call (of a tool), in text, text, unread
    order : options as the prompt lists them
    conversation : new, or same: earlier turns stand in it
    tokens : most tokens of the reply
    """

    role: str
    stage: str
    shows: tuple[str, ...]
    reasons: str
    answers: str
    order: str
    conversation: str
    tokens: int | None


@dataclass(frozen=True)
class Profile:
    """All that a seat is shown, and how it answers, for one decision, message or question.

    Parameters
    ----------
    kind : decision, message, question
    values : mapping
        ``shows`` (a frozenset), ``reasons``, ``answers``, ``order``, ``conversation``, ``tokens``.
    """

    seat: int
    kind: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Information:
    """What was found of all conditions.

    Parameters
    ----------
    levels : factor -> level, by condition
    rows : row -> the conditions (from 0) that have it
    profiles : by condition
    leaks : (question, role, fact) -> conditions in which the prompt of a question shows its answer
    failures : what kept agents from being rehearsed to the end, each once
    """

    levels: tuple[Mapping[str, Any], ...]
    rows: Mapping[Row, tuple[int, ...]] = field(default_factory=dict)
    profiles: tuple[tuple[Profile, ...], ...] = ()
    leaks: Mapping[tuple[str, str, str], tuple[int, ...]] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def where(self, conditions: Iterable[int]) -> dict[str, list[str]]:
        """The levels that conditions have, of factors of which they lack some level."""
        chosen = list(conditions)
        factors = dict.fromkeys(name for levels in self.levels for name in levels)
        named = {}
        for name in factors:
            every = dict.fromkeys(str(levels.get(name, "–")) for levels in self.levels)
            mine = dict.fromkeys(str(self.levels[place].get(name, "–")) for place in chosen)
            if len(mine) < len(every):
                named[name] = list(mine)
        return named

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as JSON-able values."""
        return [
            {
                "role": row.role,
                "stage": row.stage,
                "where": self.where(conditions),
                "n_conditions": len(conditions),
                "shows": list(row.shows),
                "withholds": [fact for fact in FACTS if fact not in row.shows],
                "reasons": row.reasons,
                "answers": row.answers,
                "order": row.order,
                "conversation": row.conversation,
                "tokens": row.tokens,
            }
            for row, conditions in self.rows.items()
        ]


def matrix_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The matrix for people, of its JSON-able rows; what differs between conditions has rows of its own."""
    shown = any(row["where"] for row in rows)
    lines = []
    for row in rows:
        where = "; ".join(f"{name} {', '.join(levels)}" for name, levels in row["where"].items())
        facts = ", ".join(fact.replace("_", " ") for fact in row["shows"])
        same = (row["reasons"], row["answers"], row["order"] or "–", row["conversation"])
        lines.append(
            (row["role"], row["stage"], *((where or "all",) if shown else ()), *same, facts or "nothing")
        )
    heads = ("role", "stage", *(("where",) if shown else ()), "reasons", "answers", "options", "conversation")
    return Table((*heads, "is shown"), lines, "What each role is shown, and how it answers", fixed=2)


def information(
    plans: Sequence[GamePlan],
    prompts: Mapping[str, PromptSet],
    levels: Sequence[Mapping[str, Any]],
    *,
    orders: int = 1,
) -> Information:
    """Rehearse what is planned and read what it showed; nobody is sent.

    Parameters
    ----------
    plans : repetition after repetition, each with all conditions
    prompts : mapping of name -> PromptSet
    levels : factor -> level, by condition
    orders : repetitions that differ in the order of options or names

    Raises
    ------
    IntentError
        A game that cannot be rehearsed, since it could not be played either.
    """
    n = max(len(levels), 1)
    alike: dict[str, int] = {}
    rehearsals: list[GamePlan] = []
    used: list[list[int]] = [[] for _ in range(n)]
    for place, plan in enumerate(plans[: n * orders]):
        if not any(seat.kind == "model" for seat in plan.seats):
            continue
        one = stand_in(plan)
        key = _like(one)
        if key not in alike:
            alike[key] = len(rehearsals)
            rehearsals.append(one)
        if alike[key] not in used[place % n]:
            used[place % n].append(alike[key])
    read = [
        _Read.of(plan, rehearsal)
        for plan, rehearsal in zip(rehearsals, rehearsed(rehearsals, prompts), strict=True)
    ]
    rows: dict[Row, list[int]] = {}
    leaks: dict[tuple[str, str, str], list[int]] = {}
    profiles: list[tuple[Profile, ...]] = []
    for condition, places in enumerate(used):
        for row in _merged([row for place in places for row in read[place].rows]):
            rows.setdefault(row, []).append(condition)
        for leak in dict.fromkeys(leak for place in places for leak in read[place].leaks):
            leaks.setdefault(leak, []).append(condition)
        profiles.append(read[places[0]].profiles if places else ())
    return Information(
        tuple(levels) or ({},),
        {row: tuple(conditions) for row, conditions in rows.items()},
        tuple(profiles),
        {leak: tuple(conditions) for leak, conditions in leaks.items()},
        tuple(dict.fromkeys(each.failure for each in read if each.failure is not None)),
    )


def _like(plan: GamePlan) -> str:
    """What two games that show alike have in common: all but numbers that stand in the same places."""
    from intent.agents.clients.registry import provider_of, takes_tools
    from intent.games.game import MatrixGame

    game = plan.stage()
    left_out = {"game_id", "columns", "repetition"}
    seats = []
    for seat in plan.seats:
        one = seat.model_dump(mode="json", exclude={"player", "columns", "settings", "table"})
        model = seat.kind == "model"
        tools = (provider_of(seat.player), takes_tools(seat.player)) if model else ()
        settings = (seat.settings.constrained, seat.settings.max_tokens)
        seats.append(str((one, model, tools, settings)))
    if has_course(game):
        return plan.model_dump_json(exclude={*left_out, "seats"}) + str(seats)
    cooperate = game.cooperative_label if isinstance(game, MatrixGame) else ""
    rules = plan.model_dump_json(exclude={*left_out, "seats", "payoffs"})
    return rules + str((game.actions, game.kind, cooperate, seats))


@dataclass
class _Read:
    """What the turns of one rehearsed game show."""

    rows: list[Row] = field(default_factory=list)
    profiles: tuple[Profile, ...] = ()
    leaks: list[tuple[str, str, str]] = field(default_factory=list)
    failure: str | None = None

    @classmethod
    def of(cls, plan: GamePlan, rehearsal: Rehearsal) -> _Read:
        read = cls(failure=rehearsal.failure)
        by_seat: dict[tuple[int, str], list[Row]] = {}
        for turn in rehearsal.turns:
            for sent in turn.requests:
                row = _row(plan, turn, sent)
                read.rows.append(row)
                if not row.role.endswith("assistant"):
                    by_seat.setdefault((turn.seat, turn.kind), []).append(row)
                if turn.question is not None:
                    answers = LEAKS.get(turn.question, ())
                    read.leaks += [(turn.question, row.role, fact) for fact in answers if fact in row.shows]
        read.profiles = tuple(profile_of(seat, kind, rows) for (seat, kind), rows in by_seat.items())
        return read


def facts_in(text: str) -> frozenset[str]:
    """The facts that a marked text shows, by the placeholders that were filled in."""
    return _read_text(text).facts


def profile_of(seat: int, kind: str, rows: Sequence[Row]) -> Profile:
    """What the rows of a seat come to, for one decision, message, question or text that it writes."""
    return Profile(seat, kind, _values(rows))


def _values(rows: Sequence[Row]) -> dict[str, Any]:
    """What the rows of a seat come to."""
    last = rows[-1]
    ways = [row.reasons for row in rows]
    tokens = [row.tokens for row in rows]
    return {
        "shows": frozenset(fact for row in rows for fact in row.shows),
        "reasons": next((way for way in REASONS if way in ways), "–"),
        "answers": last.answers,
        "order": last.order,
        "conversation": last.conversation,
        "tokens": None if None in tokens else max(n for n in tokens if n is not None),
    }


def _merged(rows: Sequence[Row]) -> list[Row]:
    """One row for each role and stage that answers alike: all that its rounds and repetitions show."""
    alike: dict[tuple[Any, ...], tuple[dict[str, None], dict[str, None], dict[str, None]]] = {}
    for row in rows:
        key = (row.role, row.stage, row.reasons, row.answers, row.tokens)
        facts, orders, talks = alike.setdefault(key, ({}, {}, {}))
        facts.update(dict.fromkeys(row.shows))
        orders.update(dict.fromkeys(filter(None, [row.order])))
        talks.update(dict.fromkeys([row.conversation]))
    return [
        Row(
            role,
            stage,
            tuple(fact for fact in FACTS if fact in facts),
            reasons,
            answers,
            " / ".join(orders),
            "same" if "same" in talks else "new",
            tokens,
        )
        for (role, stage, reasons, answers, tokens), (facts, orders, talks) in alike.items()
    ]


def _row(plan: GamePlan, turn: Turn, sent: Sent) -> Row:
    called = frozenset[str]().union(*(_read_text(message.content).names for message in sent.messages))
    shows = _shown(plan, turn, sent)
    return Row(
        _role(plan, turn, called),
        _stage(turn, sent),
        tuple(fact for fact in FACTS if fact in shows),
        _reasons(turn, sent, called),
        _answers(turn, sent, called),
        _order(turn, sent),
        "same" if any(message.role in ("assistant", "tool") for message in sent.messages) else "new",
        sent.settings.max_tokens,
    )


def _role(plan: GamePlan, turn: Turn, called: frozenset[str]) -> str:
    name = plan.seats[turn.seat - 1].architecture
    if name != "debate":
        return name
    return "debate, assistant" if called & {"advise", "advise_compute"} else "debate, decision maker"


def _stage(turn: Turn, sent: Sent) -> str:
    if turn.kind != "decision" and sent.purpose != "think":
        return turn.kind
    if sent.purpose == "choose" and sent.after_call:
        return "advised"
    stages = {"think": "thoughts", "advise": "advice", "message": "message"}
    return stages.get(sent.purpose, "decision")


def _shown(plan: GamePlan, turn: Turn, sent: Sent) -> set[str]:
    """The facts that the messages of a request show."""
    shows: set[str] = set()
    for message in sent.messages:
        shows |= _read_text(message.content).facts
        if message.role == "assistant" and has_course(turn.view.game):
            shows.add("own_choices")  # own past answers stand in a table's conversation as they were given
        for word in said_words(message.content):
            mine = word.seat == turn.seat
            if word.kind == "words":
                shows.add("own_words" if mine else "others_words")
            elif word.kind == "advice":
                shows.add("advice" if mine else "others_thoughts")
            elif word.kind == "thought":
                shows.add("private_thoughts" if mine else "others_thoughts")
            elif not mine:
                shows.add("others_thoughts")
    if sent.tools and not sent.after_call:
        shows.add("tool")
    if turn.question == "total_so_far" and not any(names(m.content) for m in sent.messages):
        shows |= _unmarked_total(plan, turn, sent)
    return shows


def _unmarked_total(plan: GamePlan, turn: Turn, sent: Sent) -> set[str]:
    """Whether prompts that cannot be marked print the own total: a number that is nothing else they tell."""
    payoffs = [x for x in turn.view.payoffs_by_seat[turn.seat - 1] if x is not None]
    known = {float(x) for row in turn.view.payoffs_by_seat for x in row if x is not None}
    known |= {float(plan.rounds), *(float(number) for number in range(turn.view.round + 1))}
    game = turn.view.game
    known |= {float(x) for row in getattr(game, "payoffs", ()) for cell in row for x in cell}
    text = "\n".join(message.content for message in sent.messages)
    numbers = {float(number) for number in _DIGITS.findall(text)}
    return {"totals"} if float(sum(payoffs)) in numbers - known else set()


class _Text(NamedTuple):
    """What the text of one message comes to.

    Parameters
    ----------
    facts : whose placeholders were filled in with something
    instructions : what it says to the model, without what is told of players and of the past
    present : all of it but the past and the question
    names : of placeholders, phrases and blocks, without the number of a wording
    """

    facts: frozenset[str]
    instructions: str
    present: str
    names: frozenset[str]


def _read_text(text: str) -> _Text:
    """What a text comes to, by the facts that the packages name which are there now."""
    return _text_of(text, tuple(points(ENTRY_POINTS)))


@lru_cache(maxsize=512)
def _text_of(text: str, packages: tuple[str, ...]) -> _Text:
    shows: set[str] = set()
    instructions, present = [], []
    for path, part in pieces(text):
        past, unsaid = _kind_of(path)
        if not unsaid:
            instructions.append(part)
        if not past:
            present.append(part)
        if not part.strip():
            continue
        if path and path[-1] == "history":
            for key, facts in _FAIRGAME.items():
                shows.update(facts if key in part else ())
        elif path and (fact := _fact_at(path, packages)) is not None:
            shows.add(fact)
    plain = frozenset(_VERSION.sub("", name) for name in names(text))
    return _Text(frozenset(shows), "".join(instructions), "".join(present), plain)


@lru_cache(maxsize=4096)
def _kind_of(path: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether a place tells of the past or asks a question; whether it tells of players or of the past."""
    past = not _PAST.isdisjoint(path)
    return past, not _UNSAID.isdisjoint(path) or any(name.startswith("persona") for name in path)


@lru_cache(maxsize=4096)
def _fact_at(path: tuple[str, ...], packages: tuple[str, ...]) -> str | None:
    """The fact of what stands in a place, by the innermost name that has one."""
    exact, beginnings = _facts(packages)
    plain = [_VERSION.sub("", name) for name in path]
    for at in range(len(plain) - 1, -1, -1):
        for called in (*(f"{outer}.{plain[at]}" for outer in reversed(plain[:at])), plain[at]):
            if called in exact:
                return exact[called]
            for beginning, fact in beginnings:
                if called.startswith(beginning):
                    return fact
    return None


@lru_cache(maxsize=8)
def _facts(packages: tuple[str, ...]) -> tuple[dict[str, str | None], list[tuple[str, str | None]]]:
    """Names of all packages -> facts: those to the letter, and beginnings."""
    named: dict[str, str | None] = dict(_NAMED)
    there = points(ENTRY_POINTS)
    for package in packages:
        named = {**load(there[package]), **named}
    beginnings = [(name[:-1], fact) for name, fact in named.items() if name.endswith("*")]
    return {name: fact for name, fact in named.items() if not name.endswith("*")}, beginnings


def _reasons(turn: Turn, sent: Sent, called: frozenset[str]) -> str:
    if sent.purpose == "think":
        return "asked"
    if turn.kind == "message":
        return "–"
    asks = (_asks(_read_text(one.content).instructions) for one in sent.messages if one.role in _OURS)
    if called & _ASKS or any(asks):
        return "asked"
    return "read" if sent.free else "no"


_OURS = ("system", "user")


@lru_cache(maxsize=512)
def _asks(instructions: str) -> bool:
    """Whether words ask for reasons, and none forbid them in the same breath."""
    return _THINK.search(_NOT.sub(" ", instructions)) is not None


def _answers(turn: Turn, sent: Sent, called: frozenset[str]) -> str:
    text = "\n".join(visible(one.content) for one in sent.messages if one.role in _OURS)
    if turn.kind == "question":
        return "ANSWER line" if "ANSWER:" in text else "text"
    if turn.kind == "message" or sent.purpose != "choose":
        return "text"
    if not turn.read:
        return "unread"
    if "DECISION:" in text and sent.form in (None, "line"):
        return "DECISION line"
    if sent.form is None:
        return "call"
    if "json_options" in called or sent.form == "json":
        return "JSON"
    return "option" if sent.form == "option" else "in text"


def _order(turn: Turn, sent: Sent) -> str:
    """The options of the game in the order in which the request first names them."""
    actions = turn.view.game.actions
    if not actions:
        return ""
    text = "\n".join(_read_text(one.content).present for one in sent.messages if one.role in _OURS)
    places = {action: re.search(rf"(?<!\w){re.escape(action)}(?!\w)", text) for action in actions}
    named = [(match.start(), action) for action, match in places.items() if match]
    return ", ".join(action for _, action in sorted(named))


_MUST_BE_EQUAL = ("reasons", "answers")


@dataclass(frozen=True)
class Checked:
    """The information matrix with what is wrong with it.

    Parameters
    ----------
    problems : one line each: file, role, stage, fact, what was got and what is expected
    notes : differences between arms that are named, and are no errors
    """

    information: Information
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def checked_treatment(
    source: Any,
    plans: Sequence[GamePlan],
    prompts: Mapping[str, PromptSet],
    levels: Sequence[Mapping[str, Any]],
) -> Checked:
    """The matrix of what is planned, and where it is not what the source declares.

    Parameters
    ----------
    source : Experiment, or a source of another kind of run
    plans, prompts : as `intent.runner.finish.checked_plans` gives them
    levels : factor -> level, by condition

    Raises
    ------
    IntentError
        As `information`.
    """
    orders = 2 ** len(getattr(source, "counterbalance", ()))
    return checked_matrix(source, information(plans, prompts, levels, orders=orders))


def checked_matrix(source: Any, matrix: Information) -> Checked:
    """A matrix, and where it is not what the source declares.

    Parameters
    ----------
    source : with `name`, `treatment` and, where it came from a file, `document`
    matrix : Information
    """
    treatment: Treatment | None = source.treatment
    document = getattr(source, "document", None)
    where = (document.where(["treatment"]) if document is not None else None) or source.name
    problems = [*_declared(matrix, treatment or Treatment()), *_leaks(matrix, treatment or Treatment())]
    notes = [f"could not be rehearsed to the end: {failure}" for failure in matrix.failures]
    notes += [
        f"{row.role}, {row.stage}: none of the answers that were tried is read ({', '.join(_FORMS)})"
        for row in matrix.rows
        if row.answers == "unread"
    ]
    for wrong, line in _arms(matrix, source, treatment):
        (problems if wrong else notes).append(line)
    return Checked(
        matrix, tuple(f"{where}: {line}" for line in dict.fromkeys(problems)), tuple(dict.fromkeys(notes))
    )


def check_treatment(
    source: Any,
    plans: Sequence[GamePlan],
    prompts: Mapping[str, PromptSet],
    levels: Sequence[Mapping[str, Any]],
) -> None:
    """Refuse what is planned where its prompts are not what they should be.

    Raises
    ------
    UsageError
        The first problem of `checked_treatment`, and how many more there are.
    """
    if not any(seat.kind == "model" for plan in plans[: len(levels)] for seat in plan.seats):
        return
    first_problem(checked_treatment(source, plans, prompts, levels))


def first_problem(checked: Checked) -> None:
    """Refuse a matrix with problems.

    Raises
    ------
    UsageError
        The first of them, and how many more there are.
    """
    if problems := checked.problems:
        more = f" (and {len(problems) - 1} more, which --dry-run lists)" if len(problems) > 1 else ""
        raise UsageError(f"{problems[0]}{more}")


def _declared(matrix: Information, treatment: Treatment) -> Iterator[str]:
    """What is shown although it is withheld, or not shown although it should be."""
    for wanted, by_stage in ((True, treatment.shows), (False, treatment.withholds)):
        for key, facts in by_stage.items():
            rows = [row for row in matrix.rows if _is(key, row.role, row.stage)]
            if not rows and matrix.rows:
                known = dict.fromkeys(name for row in matrix.rows for name in (row.role, row.stage))
                which = "shows" if wanted else "withholds"
                yield f"treatment: {which}: {UnknownNameError('role or stage', key, list(known))}"
            for row in rows:
                for fact in facts:
                    if (fact in row.shows) is not wanted:
                        got, expected = ("withheld", "shown") if wanted else ("shown", "withheld")
                        yield f"{row.role}, {row.stage}: {fact} is {got}, expected it {expected}"
    for row in matrix.rows:
        if "others_thoughts" in row.shows:
            yield (
                f"{row.role}, {row.stage}: private thoughts of somebody else are shown, expected them to "
                "stay private (a prompt that asks for them in double braces keeps them apart)"
            )


_FORMS = ("option", "JSON", "DECISION line", "in text")


def _is(key: str, role: str, stage: str) -> bool:
    named = (role, stage, f"{role}: {stage}")
    return any(fnmatchcase(name, key) for name in named)


def _leaks(matrix: Information, treatment: Treatment) -> Iterator[str]:
    """Questions whose answer stands in their prompt."""
    for question, role, fact in matrix.leaks:
        if question not in treatment.printed and role != "debate, assistant":
            yield (
                f"{role}, question {question}: the prompt shows {fact}, which is the answer, expected it "
                f"withheld (or treatment: {{printed: [{question}]}})"
            )


_FACTS_OF_THE_PAST = frozenset(
    {
        *("own_choices", "others_choices", "past_payoffs", "totals", "own_words", "others_words"),
        *("private_thoughts", "rounds_played", "conversation"),
    }
)
_FORM = frozenset({"reasons", "answers", "tokens"})
_ANYTHING = frozenset({*FACTS, *ATTRIBUTES}) - {"reasons"}

_OWN: dict[str, frozenset[str]] = {
    "horizon": frozenset({"horizon"}),
    "rounds": frozenset({"horizon", *_FACTS_OF_THE_PAST}),
    "continuation": frozenset({"horizon"}),
    "personas": frozenset({"persona", "others_persona"}),
    "persona": frozenset({"persona"}),
    "opponent_persona_probability": frozenset({"others_persona"}),
    "told": frozenset({"others_persona"}),
    "communication": frozenset({"own_words", "others_words"}),
    "memory": _FACTS_OF_THE_PAST,
    "totals": frozenset({"totals"}),
    "listed_first": frozenset({"order"}),
    "named_first": frozenset({"order"}),
    "labels": frozenset({"order"}),
    "implementation_error": frozenset({"errors"}),
    "parser": _FORM,
    "reply": _FORM,
    "chain_of_thought": _FORM,
    "max_tokens": frozenset({"tokens"}),
    "settings": frozenset({"tokens"}),
    "model_settings": frozenset({"tokens"}),
    "attitude": frozenset({"advice", "advice_to_give"}),
    "architecture": frozenset(
        {"advice", "advice_to_give", "belief", "tool", "private_thoughts", "own_words"}
    ),
    "opponent": frozenset({"others_words"}),
    "players": frozenset({"others_words"}),
    "model": frozenset({"tokens"}),
    "table": frozenset({"others_words"}),
    **dict.fromkeys(
        ("game", "games", "setting", "parameters", "relabelled", "payoff_kind", "scale", "style"), _ANYTHING
    ),
    "noise": frozenset({"errors", "mishaps"}),
}
"""Key of a file -> what a factor of that name is about, and needs no declaration."""


def _arms(matrix: Information, source: Any, treatment: Treatment | None) -> Iterator[tuple[bool, str]]:
    """Differences between conditions that differ in one factor: whether each is an error, and its line.

    What levels of a factor have in common stands in one line.
    """
    differing: dict[_Difference, dict[tuple[str, str], None]] = {}
    factors = dict.fromkeys(name for levels in matrix.levels for name in levels)
    texts = [{name: str(levels.get(name, "–")) for name in factors} for levels in matrix.levels]
    for factor in factors:
        about = _about(source, factor)
        first: dict[tuple[str, ...], int] = {}
        for place, levels in enumerate(texts):
            base = first.setdefault(tuple(level for name, level in levels.items() if name != factor), place)
            one, other = texts[base][factor], levels[factor]
            allowed = about | _allowed(treatment, factor, (one, other))
            for name, got, expected, what in _differences(matrix.profiles[base], matrix.profiles[place]):
                if name not in allowed:
                    difference = _Difference(factor, one, name, got, expected)
                    differing.setdefault(difference, {})[other, what] = None
    lines: dict[tuple[bool, str, str, str, str], dict[str, None]] = {}
    for difference, places in differing.items():
        others = ", ".join(dict.fromkeys(level for level, _ in places))
        what = ", ".join(dict.fromkeys(what for _, what in places))
        is_fact = difference.name in FACTS
        wrong = difference.name in _MUST_BE_EQUAL or treatment is not None
        kind = "" if is_fact else difference.name
        words = difference.words(others)
        lines.setdefault((wrong, difference.factor, kind, what, words), {})[difference.name] = None
    for (wrong, factor, kind, what, words), fact_names in lines.items():
        facts = ", ".join(fact_names)
        line = f"{what}: {ATTRIBUTES[kind] if kind else facts} is {words}"
        hint = f", expected the same (or treatment: {{differs: {{{factor}: [{facts}]}}}})"
        yield wrong, line + hint if wrong else f"arms differ: {line}"


@dataclass(frozen=True)
class _Difference:
    """What an arm has, and what the first arm has instead."""

    factor: str
    first: str
    name: str
    got: Any
    expected: Any

    def words(self, levels: str) -> str:
        """Both, with the levels that have it."""
        got, expected = (_worded(self.name, value) for value in (self.got, self.expected))
        return f"{got} with {self.factor} {levels}, {expected} with {self.factor} {self.first}"


def _about(source: Any, factor: str) -> frozenset[str]:
    """What a factor is about by its name, or by the keys that its levels set."""
    levels = {**(getattr(source, "grid", None) or {}), **(getattr(source, "sweep", None) or {})}.get(factor)
    keys = [factor]
    if isinstance(levels, dict):
        keys += [key for level in levels.values() if isinstance(level, dict) for key in level]
    named = [name for key in keys for name in (key, key.split(".")[0], key.rpartition(".")[2])]
    return frozenset[str]().union(*(_OWN.get(name, frozenset()) for name in named))


def _allowed(treatment: Treatment | None, factor: str, levels: tuple[str, str]) -> frozenset[str]:
    """What the file declares of a factor, or of one of two levels."""
    allowed: set[str] = set()
    for key, what in (treatment.differs if treatment is not None else {}).items():
        name, _, level = key.partition("=")
        if name.strip() == factor and (not level or any(fnmatchcase(one, level.strip()) for one in levels)):
            allowed.update(what or (*FACTS, *ATTRIBUTES))
    return frozenset(allowed)


def _differences(base: Sequence[Profile], other: Sequence[Profile]) -> Iterator[tuple[str, Any, Any, str]]:
    """What differs, what the other arm has, what the first one has, and where."""
    known = {(profile.seat, profile.kind): profile for profile in base}
    for profile in other:
        mine = known.get((profile.seat, profile.kind))
        if mine is None:
            continue
        what = f"{profile.kind} of seat {profile.seat}"
        for fact in FACTS:
            shown = [fact in one.values["shows"] for one in (profile, mine)]
            if shown[0] is not shown[1]:
                yield fact, shown[0], shown[1], what
        unknown = "unread" in (profile.values["answers"], mine.values["answers"])
        for name in ATTRIBUTES:
            if profile.values[name] != mine.values[name] and not (unknown and name in _MUST_BE_EQUAL):
                yield name, profile.values[name], mine.values[name], what


def _worded(name: str, value: Any) -> str:
    if name in FACTS:
        return "shown" if value else "withheld"
    if name == "reasons":
        return f"{value!r} ({REASONS.get(value, 'no choice')})"
    return repr(value) if value not in (None, "") else "not limited" if name == "tokens" else "none"
