"""Language models write strategies for a repeated game: words, code, a gate, a trial, files.

From an attitude to code that plays: the questions of one attempt, and the code in the replies.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from intent.agents.client import Message, Settings
from intent.arena.requests import WriteRequest
from intent.arena.sources.gate import gate
from intent.arena.sources.parser import MAX_CHARACTERS, parse
from intent.arena.sources.slips import mend
from intent.arena.writing.desk import Attempt, Desk, Outcome, Place, Purpose
from intent.arena.writing.order import file_of, keep_sets, read_sets
from intent.arena.writing.task import Style, WritingTask
from intent.base.errors import StrategyError, UsageError, one_line
from intent.base.job import Summary, Table, job
from intent.base.replies import strip_reasoning
from intent.runner.caller import in_own_loop, seed_of

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.client import Client
    from intent.arena.entrant import Entrant
    from intent.arena.trial import Trial
    from intent.arena.writing.desk import Attempt, Desk, Place
    from intent.arena.writing.order import Order
    from intent.arena.writing.task import Style
    from intent.runner.caller import Caller

__all__ = [
    "MAX_REPLY",
    "MOST_WORDS",
    "Chain",
    "Verdict",
    "WrittenStrategies",
    "declines",
    "extract_code",
    "judge",
    "write_strategies",
]

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


LOCK = "writing.lock"


@dataclass(frozen=True, eq=False)
class WrittenStrategies(Summary):
    """What became of an order: sets of strategies in a folder, and attempts that failed.

    Its values are those of `json_objects.JSON_OBJECTS["write"]`; its settings decide how each set comes out.
    """

    kind = "failures"
    noun = "a table of failures"

    def table(self) -> pd.DataFrame:
        """A row per attempt of this order that failed."""
        return failures_table(self.values["failures"])

    def parts(self) -> Iterator[Table | str]:
        """A row for every style and attitude: what became of the attempts."""
        result = self.values
        outcomes = [name for name, count in result["outcomes"].items() if count or name == "good"]
        rows = [
            (row["style"], row["attitude"], row["attempts"], *(row["outcomes"][name] for name in outcomes))
            for row in result["groups"]
        ]
        names = (name.replace("_", " ") for name in outcomes)
        yield Table(("style", "attitude", "attempts", *names), rows)
        cost = "unknown" if result["cost"] is None else f"{result['cost']:.4g}"
        yield f"{result['n']} of {result['wanted']} strategies, {result['calls']} calls, cost {cost}"


@job(WriteRequest)
def write_strategies(request: WriteRequest) -> WrittenStrategies:
    """Have strategies written until `n` of every attitude play, in every style.

    Every exchange is kept in ``exchanges.jsonl`` as it comes and not asked for again, every trial in
    ``trials.jsonl``: the same call goes on where an earlier one ended, however it ended. Then each style gets
    a file of strategies with a manifest beside it, and ``failures.csv`` says what became of the others.

    Returns
    -------
    WrittenStrategies
        ``to_dict()`` is the object of ``intent strategies write --json``.

    Raises
    ------
    UsageError
        A number, name or model that cannot be, or no engine.
    EndpointError, BudgetSpent
        A model gave no answer, or the next call might cost too much; what was answered is kept.
    PromptError, RunError, OutputError, DataError

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 3.2.
    """
    from intent.agents.clients.registry import make_client
    from intent.arena.engines import make_engine
    from intent.arena.trial import Trial
    from intent.arena.writing.desk import spent_in
    from intent.arena.writing.order import check_folder, make_order, validated
    from intent.base.outputs import claim, make_folder, remove_scratch
    from intent.logs.run_folder import locked
    from intent.runner.caller import session_callers
    from intent.runner.limits import Limits, Price

    if request.folder is None:
        raise UsageError("no folder for the strategies, expected -o FOLDER")
    began = time.monotonic()
    model, engine = request.model, request.engine
    words_by = make_client(model) if isinstance(model, str) else model
    code_by = words_by if request.code_model is None else _client(request.code_model, words_by)
    order = make_order(words_by.name, code_by.name, request)
    target = claim(request.folder, overwrite=True, into=True)
    clients = list({client.name: client for client in (words_by, code_by)}.values())
    for client in clients:
        client.body(order.task.words(order.attitudes[0]), order.settings)
    check_folder(target, order)
    settings: dict[str, Any] = {
        "limits": validated(Limits, request.limits, "limits"),
        "prices": validated(Price, request.prices, "prices"),
        **request.values(("cache", "budget", "concurrency")),
    }
    # refuses what cannot be, before there is a folder
    session_callers(clients, spent=0.0, **{**settings, "cache": False})
    plays = make_engine(engine, workers=1) if isinstance(engine, str) else engine
    try:
        with locked(make_folder(target) / LOCK):
            check_folder(target, order, claim=True)
            remove_scratch(target)
            spent = 0.0 if request.budget is None else spent_in(target)
            callers = session_callers(clients, spent=spent, **settings)
            trial = Trial(target, plays, order.task.rules)
            session = _Session(target, order, clients, callers, trial, request.update)
            attempts, desk = in_own_loop(session.work)
            summary = write_sets(target, order, attempts, desk)
    finally:
        if isinstance(engine, str):
            plays.close()
    facts = {file_of(order, style): order.facts(style) for style in order.styles}
    summary["seconds"] = time.monotonic() - began
    return WrittenStrategies(summary, target, {"sets": facts})


def _client(model: str | Client, other: Client) -> Client:
    """The client for code, the one for words where both are of the same name."""
    from intent.agents.clients.registry import make_client

    if isinstance(model, str):
        return other if model == other.name else make_client(model)
    if model is not other and model.name == other.name:
        raise UsageError(f"two clients are named {model.name!r}, expected one for words and code")
    return model


@dataclass
class _Session:
    """The asking, within one event loop."""

    folder: Path
    order: Order
    clients: list[Client]
    callers: dict[str, Caller]
    trial: Trial
    update: Callable[[int, int], None]

    async def work(self) -> tuple[dict[tuple[str, str], tuple[Attempt, ...]], Desk]:
        """The attempts of every style and attitude, and the desk with its record."""
        from intent.arena.writing.desk import Desk, in_waves

        order = self.order
        desk = Desk(self.folder, self.callers, order.seeded)
        groups: dict[tuple[str, str], Callable[[Place], Awaitable[Attempt]]] = {}
        for style in order.styles:
            names = (order.model, order.code_model)
            chain = Chain(desk, order.task, style, self.trial, *names, order.settings, order.scenarios)
            groups |= {(style.name, attitude): chain for attitude in order.attitudes}
        try:
            attempts = await in_waves(
                groups, n=order.n, limit=order.limit, seed=order.seed, update=self.update
            )
        finally:
            self.trial.close()
            for client in self.clients:
                await client.close()
        return attempts, desk


FAILURES = "failures.csv"

Attempts = Mapping[tuple[str, str], tuple["Attempt", ...]]


def write_sets(folder: Path, order: Order, attempts_by_group: Attempts, desk: Desk) -> dict[str, Any]:
    """Write what plays and what failed, and tell of it as `codebook.JSON_OBJECTS` describes ``write``."""
    from intent.arena.sources.writer import write_set
    from intent.arena.writing.desk import attempts_for
    from intent.arena.writing.desk import choose_attempts as chosen

    state, sets, failures, total = read_sets(folder), [], [], 0
    for style in order.styles:
        name, attempts_by_attitude = file_of(order, style), attempts_for(attempts_by_group, style.name)
        best = {attitude: chosen(attempts, order.n) for attitude, attempts in attempts_by_attitude.items()}
        failed = [_failure(a) for attempts in attempts_by_attitude.values() for a in attempts if not a.plays]
        entrants = {a: _entrants(order, name, of) for a, of in best.items()}
        everyone = [entrant for of in entrants.values() for entrant in of]
        facts = order.facts(style) | {"strategies": _origins(entrants, best)}
        if everyone:
            write_set(folder / name, everyone, facts=facts, title=_title(order, style), overwrite=True)
        counts = {attitude: len(of) for attitude, of in best.items()}
        state[name] = {"facts": order.facts(style), "n": counts, "failures": failed}
        total += len(everyone)
        failures += failed
        sets.append(
            {
                "file": name if everyone else None,
                "style": style.name,
                "noise": order.task.noise,
                "game": order.task.game_name,
                "n": counts,
                "wanted": order.n * len(order.attitudes),
            }
        )
    keep_sets(folder, state)
    _write_failures(folder, state)
    counted = _outcomes([attempt for attempts in attempts_by_group.values() for attempt in attempts])
    return {
        "path": str(folder),
        "model": order.model,
        "code_model": order.code_model,
        "sets": sets,
        "n": total,
        "wanted": order.n * len(order.attitudes) * len(order.styles),
        "attempts": sum(counted.values()),
        "outcomes": counted,
        "groups": [_group(*group, attempts, order.n) for group, attempts in attempts_by_group.items()],
        "failures": failures,
        "calls": len(desk.used),
        "cost": desk.cost,
        "notes": _notes(order, attempts_by_group, desk),
    }


def _entrants(order: Order, file: str, attempts: tuple[Attempt, ...]) -> list[Entrant]:
    from intent.arena.entrant import Entrant

    task = order.task
    return [
        Entrant(
            f"{attempt.place.attitude}_{number}",
            source=attempt.source,
            group=attempt.place.attitude,
            words=attempt.words,
            origin=f"{file} attempt {attempt.place.number}",
            game=task.game_name,
            turns=task.rounds,
            noise=task.noise,
        )
        for number, attempt in enumerate(attempts, start=1)
    ]


def _origins(
    entrants: Mapping[str, list[Entrant]], best: Mapping[str, tuple[Attempt, ...]]
) -> dict[str, dict[str, Any]]:
    """Name of a strategy -> which attempt it is."""
    return {
        entrant.name: {
            "attempt": attempt.place.number,
            "outcome": attempt.outcome,
            "scenario": attempt.scenario,
        }
        for attitude, of in entrants.items()
        for entrant, attempt in zip(of, best[attitude], strict=True)
    }


def _failure(attempt: Attempt) -> dict[str, Any]:
    place = attempt.place
    return {
        "style": place.style,
        "attitude": place.attitude,
        "attempt": place.number,
        "outcome": attempt.outcome,
        "reason": attempt.reason,
    }


def _group(style: str, attitude: str, attempts: tuple[Attempt, ...], n: int) -> dict[str, Any]:
    outcomes = _outcomes(attempts)
    playing = min(n, outcomes["good"] + outcomes["repaired"])
    return {
        "style": style,
        "attitude": attitude,
        "attempts": len(attempts),
        "n": playing,
        "outcomes": outcomes,
    }


def _outcomes(attempts: Sequence[Attempt]) -> dict[str, int]:
    """Outcome -> attempts, all outcomes."""
    from intent.arena.writing.desk import OUTCOMES

    counted = Counter(attempt.outcome for attempt in attempts)
    return {outcome: counted[outcome] for outcome in OUTCOMES}


def _title(order: Order, style: Style) -> str:
    coded = "" if order.code_model == order.model else f", coded by {order.code_model}"
    return f"Strategies written by {order.model}{coded}, style {style.name}"


def _write_failures(folder: Path, state: Mapping[str, Any]) -> None:
    """One table for all sets of the folder."""
    from intent.base.tables import write_table

    rows = [{"file": file, **failure} for file, of in state.items() for failure in of["failures"]]
    write_table(failures_table(rows), folder / FAILURES, {"kind": "failures"}, overwrite=True)


def failures_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Attempts that failed, those of a folder with the file that they were meant for."""
    import pandas as pd

    names = [name for name in _FAILURE if not rows or name in rows[0]]
    table = pd.DataFrame({name: [row[name] for row in rows] for name in names})
    return table.astype({name: "int64" if name == "attempt" else "string" for name in names})


_FAILURE = ("file", "style", "attitude", "attempt", "outcome", "reason")


def _notes(order: Order, attempts_by_group: Attempts, desk: Desk) -> list[str]:
    """What a reader should be warned of."""
    notes = []
    every = [attempt for attempts in attempts_by_group.values() for attempt in attempts]
    playing = sum(attempt.plays for attempt in every)
    bad = Counter(attempt.outcome for attempt in every if not attempt.plays)
    if bad:
        why = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in bad.most_common())
        notes.append(f"{playing} of {len(every)} attempts ran: {why}")
    for (style, attitude), attempts in attempts_by_group.items():
        if (n := sum(attempt.plays for attempt in attempts)) < order.n:
            notes.append(
                f"{style}: {n} of {order.n} {attitude} strategies after {len(attempts)} attempts (--attempts)"
            )
    short = sum(row.get("finish_reason") == "length" for row in desk.used.values())
    if short:
        notes.append(f"{short} of {len(desk.used)} replies were cut off at their longest (--max-tokens)")
    never = sum("error" in row for row in desk.used.values())
    if never:
        notes.append(f"{never} of {len(desk.used)} requests got no text (error in exchanges.jsonl)")
    alike = sum(n for n in Counter(a.source for a in every if a.plays).values() if n > 1)
    if alike:
        notes.append(f"{alike} of {playing} strategies that ran share their code with another one")
    return notes
