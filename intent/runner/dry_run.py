"""What playing an experiment would take, without asking anybody: games, calls, tokens, cost, prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from intent.base.errors import IntentError
from intent.base.job import Result, Table, Text
from intent.base.registry import load, points
from intent.base.remote import Contact, contacts_line
from intent.runner.information import checked_treatment, matrix_table
from intent.runner.run import cost_text, counted

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.client import Message
    from intent.agents.plan import GamePlan
    from intent.play.match import View
    from intent.runner.experiment.file import Experiment, Runtime
    from intent.runner.limits import Price


__all__ = [
    "COUNTING",
    "ENTRY_POINTS",
    "REPLY_TOKENS",
    "CallCount",
    "Counting",
    "DryRun",
    "Need",
    "client_notes",
    "dry_run",
    "first_prompt",
    "invented_view",
    "model_seats",
    "priced",
    "question_calls",
    "round_calls",
    "tokens_in",
]


class CallCount(NamedTuple):
    """Calls of a seat.

    Attributes
    ----------
    expected : where every reply can be read
    most : where none can
    """

    expected: float
    most: int


def round_calls(plan: GamePlan, seat: int) -> CallCount:
    """Calls of one round, those of a message phase included, questions aside.

    An architecture says itself what it takes: ``calls(plan, seat_plan) -> (expected, most)``, a class method.
    One that does not is taken to ask once, and again where its reply cannot be read.

    Raises
    ------
    UnknownNameError
        No such architecture.
    UsageError
        Options that it does not have.
    """
    from intent.agents.agent import architecture

    mine = plan.seats[seat - 1]
    stated = getattr(architecture(mine.architecture), "calls", None)
    if stated is not None:
        return CallCount(*stated(plan, mine))
    spoken = _spoken(plan)
    return CallCount(spoken + 1, spoken + 1 + plan.reply.retries)


def question_calls(plan: GamePlan, seat: int) -> CallCount:
    """Calls of one comprehension question; an answer that cannot be read is not asked for again."""
    from intent.agents.agent import architecture

    if not getattr(architecture(plan.seats[seat - 1].architecture), "answers_as_it_decides", False):
        return CallCount(1, 1)
    spoken, count = _spoken(plan), round_calls(plan, seat)
    return CallCount(count.expected - spoken, count.most - spoken - plan.reply.retries)


def _spoken(plan: GamePlan) -> int:
    return int(plan.communication != "none")


REPLY_TOKENS = 16
"""Tokens that a reply is taken to have where its length is not limited; reasoning is not counted."""


@dataclass(frozen=True)
class Need:
    """What one game is expected to take, and takes at most."""

    decisions: float
    calls: float
    most_calls: int
    prompt_tokens: float
    reply_tokens: float
    cost: float | None

    def of(self, repetitions: int) -> dict[str, Any]:
        """The numbers of so many games."""
        return {key: None if n is None else n * repetitions for key, n in asdict(self).items()}


def needed_in_all(conditions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of what conditions take; the cost is None where that of any is unknown."""
    costs = [c["cost"] for c in conditions]
    summed = ("decisions", "calls", "most_calls", "prompt_tokens", "reply_tokens")
    return {
        **{key: sum(c[key] for c in conditions) for key in summed},
        "cost": None if None in costs else sum(costs),
    }


def priced(player: str, prices: Mapping[str, Price], prompt_tokens: float, tokens: float) -> float | None:
    """What tokens of prompts and of replies cost of a player; None where no price is known."""
    from intent.runner.limits import price_of

    price = price_of(player, prices)
    return None if price is None else (prompt_tokens * price.prompt + tokens * price.completion) / 1e6


def tokens_in(text: str) -> float:
    """Tokens of a text, roughly: a quarter of its ASCII characters and three quarters of the others."""
    ascii_ = sum(character.isascii() for character in text)
    return ascii_ / 4 + (len(text) - ascii_) * 0.75


def client_notes(experiment: Runtime, plans: Sequence[GamePlan]) -> list[str]:
    """What keeps the models of some games from being asked: prices that a budget needs, keys."""
    from intent.agents.clients.registry import make_client
    from intent.runner.caller import model_names
    from intent.runner.limits import require_prices

    notes = []
    names = model_names(plans)
    if experiment.budget is not None:
        try:
            require_prices(names, experiment.prices)
        except IntentError as error:
            notes.append(str(error))
    for name in names:
        if name.startswith(("openai/", "anthropic/", "scripted/")):
            try:
                make_client(name)
            except IntentError as error:
                notes.append(f"cannot be played yet: {error}")
    return notes


ENTRY_POINTS = "intent.dry_runs"
"""Group of how what can be played is counted: key of ``run.json`` -> `Counting`."""


@dataclass(frozen=True)
class Counting:
    """How a dry run counts one kind of run (`intent.runner.play.RunKind`).

    Parameters
    ----------
    need : from a plan, its agents and prices to what one game takes
    shown : from a plan and its agents to prompts: seat, role, stage, text, tools
    notes : from the source, its plans and the expected cost to what somebody about to spend should know
    caption : what the prompts are that are shown
    """

    need: Callable[[GamePlan, Sequence[Agent], Mapping[str, Price]], Need]
    shown: Callable[[GamePlan, Sequence[Agent]], list[dict[str, Any]]]
    notes: Callable[[Any, Sequence[GamePlan], float | None], list[str]]
    caption: str = "prompt of round 2 after an invented round 1"


def dry_run(
    experiment: Any,
    *,
    prompts_shown: int | None = None,
    tracking: str | None = None,
    rehearse: bool = True,
) -> dict[str, Any]:
    """Count what an experiment takes, and render prompts; needs no key and makes nothing.

    Parameters
    ----------
    experiment : Experiment, or a source of another kind of run
    prompts_shown : int, optional
        Different prompts to render at most: of each condition, one for every role in round 2, after a first
        round made up for the purpose (round 1 of games that have one round only). Seats of different
        architecture, options or attitude are different roles; so are the two sides of a debate, and the
        stages of a decision. Other kinds choose for themselves.
    tracking : str, optional
        MLflow URI or file that the run would be recorded in.
    rehearse : bool
        Whether the information matrix is made, and held against what the file declares.

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["dry_run"]`

    Raises
    ------
    IntentError
        Whatever would keep the experiment from being played, missing keys apart.

    Notes
    -----
    Tokens are a quarter of the ASCII characters of a prompt and three quarters of the others, averaged
    over the first and the last round of a game in which everybody repeats one action. Where a decision
    takes several calls, or questions are asked, each is counted as its first prompt.
    """
    from intent.agents.agent import make_agents
    from intent.agents.clients.registry import contact_rows, job_contacts
    from intent.runner.caller import model_names
    from intent.runner.finish import checked_plans

    counting: Counting = load(points(ENTRY_POINTS)[experiment.run_key])
    plans, prompts = checked_plans(experiment)
    models = model_names(plans)
    levels_by_condition = experiment.levels(plans)
    conditions: list[dict[str, Any]] = []
    shown: dict[str, dict[str, Any]] = {}
    for plan, levels in zip(plans, levels_by_condition, strict=False):
        agents = make_agents(plan, prompts)
        conditions.append(
            {
                "levels": dict(levels),
                "game": plan.game,
                "players": [seat.player for seat in plan.seats],
                "n_games": experiment.repetitions,
                **counting.need(plan, agents, experiment.prices).of(experiment.repetitions),
            }
        )
        if prompts_shown is None or len(shown) < prompts_shown:
            for prompt in counting.shown(plan, agents):
                content = f"{prompt['text']} {prompt['tools']}"
                shown.setdefault(content, {"levels": dict(levels), **prompt})
    whole = needed_in_all(conditions)
    checked = checked_treatment(experiment, plans, prompts, levels_by_condition) if rehearse else None
    return {
        "name": experiment.name,
        "n_conditions": len(conditions),
        "repetitions": experiment.repetitions,
        "n_games": len(plans),
        **whole,
        "budget": experiment.budget,
        "models": models,
        "contacts": contact_rows(job_contacts(models, tracking)),
        "conditions": conditions,
        "prompts": list(shown.values())[:prompts_shown],
        "matrix": checked.information.to_dict() if checked else [],
        "problems": list(checked.problems) if checked else [],
        "notes": [
            *counting.notes(experiment, plans, whole["cost"]),
            *(checked.notes if checked else ()),
        ],
    }


@dataclass(frozen=True, eq=False)
class DryRun(Result):
    """What an experiment takes, and its prompts.

    Attributes
    ----------
    counts : dict as `dry_run`
    run_key : of the kind of run
    """

    kind = "dry_run"
    noun = "a dry run"

    counts: dict[str, Any]
    run_key: str

    def fields(self) -> dict[str, Any]:
        """The counts."""
        return self.counts

    def parts(self) -> Iterator[Table | str]:
        """The grid as a table, totals, and prompts."""
        counts = self.counts
        yield _grid(counts["conditions"])
        conditions, cost = counted(counts["n_conditions"], "condition"), counts["cost"]
        yield (
            f"\n{counted(counts['n_games'], 'game')} ({conditions} x {counts['repetitions']:,}), "
            f"{counts['decisions']:,.0f} decisions, {counts['calls']:,.0f} calls expected, at most "
            f"{counts['most_calls']:,}"
        )
        if counts["calls"]:
            yield (
                f"about {counts['prompt_tokens']:,.0f} tokens of prompts and {counts['reply_tokens']:,.0f} "
                "of replies (reasoning not counted); cost "
                + ("unknown without prices (--price)" if cost is None else cost_text(cost))
            )
        yield contacts_line(Contact(**one) for one in counts["contacts"])
        if counts["matrix"]:
            yield ""
            yield matrix_table(counts["matrix"])
        caption = load(points(ENTRY_POINTS)[self.run_key]).caption
        for prompt in counts["prompts"]:
            levels = ", ".join(f"{key} {value}" for key, value in prompt["levels"].items())
            who = f"seat {prompt['seat']}, {prompt['role']}, {prompt['stage']}"
            yield f"\n--- {caption}: {who}{levels and f' ({levels})'} ---\n"
            yield Text(prompt["text"])
            for tool in prompt["tools"]:
                yield Text("\ntool: " + json.dumps(tool, ensure_ascii=False))

    @property
    def exit_code(self) -> int:
        """2 where prompts are not what they should be, as of every command that refuses."""
        return 2 if self.counts["problems"] else 0

    def warnings(self) -> Iterator[str]:
        """What keeps it from being played, and what somebody about to spend money should know."""
        yield from self.counts["problems"]
        yield from self.counts["notes"]

    def remarks(self) -> Iterator[str]:
        """How to see more prompts."""
        n = sum(c["calls"] > 0 for c in self.counts["conditions"])
        if len(self.counts["prompts"]) == 1 < n:
            yield f"--prompts-shown {n} shows a prompt of every condition"


def _grid(conditions: Sequence[Mapping[str, Any]]) -> Table:
    """A row for every condition: its levels, who plays what, and what that takes."""
    factors = list(dict.fromkeys(key for c in conditions for key in c["levels"]))
    varied = any(len(set(c["players"])) > 1 for c in conditions) and "table" not in factors
    players = varied or not {"model", "players", "table"} & set(factors)
    rows = [
        [
            *(str(c["levels"].get(factor, "–")) for factor in factors),
            *(() if "game" in factors else (str(c["game"]),)),
            *((" ".join(dict.fromkeys(c["players"])),) if players else ()),
            f"{c['n_games']:,}",
            f"{c['calls']:,.0f}",
            f"{c['prompt_tokens']:,.0f}",
            cost_text(c["cost"]),
        ]
        for c in conditions
    ]
    heads = [*factors, *(() if "game" in factors else ("plays",)), *(("players",) if players else ())]
    return Table([*heads, "games", "calls", "tokens in", "cost"], rows)


def _need(plan: GamePlan, agents: Sequence[Agent], prices: Mapping[str, Price]) -> Need:
    """What one game takes."""
    from intent.agents.agent import Answering

    rounds = plan.horizon().expected
    calls, most, prompt_tokens, reply_tokens = 0.0, 0, 0.0, 0.0
    cost: float | None = 0.0
    sizes: dict[str, float] = {}
    for seat in model_seats(plan):
        player = plan.seats[seat - 1]
        each, question = round_calls(plan, seat), question_calls(plan, seat)
        n = len(plan.questions) if isinstance(agents[seat - 1], Answering) else 0
        mine = rounds * (each.expected + n * question.expected)
        like = f"{player.architecture} {player.options} {player.attitude}"
        if like not in sizes:
            sizes[like] = _prompt_tokens(plan, seat, agents[seat - 1])
        reply = float(player.settings.max_tokens or REPLY_TOKENS) * mine
        calls += mine
        most += plan.rounds * (each.most + n * question.most)
        prompt_tokens += sizes[like] * mine
        reply_tokens += reply
        own_cost = priced(player.player, prices, sizes[like] * mine, reply)
        cost = None if cost is None or own_cost is None else cost + own_cost
    return Need(rounds * len(plan.seats), calls, most, prompt_tokens, reply_tokens, cost)


def _prompt_tokens(plan: GamePlan, seat: int, agent: Agent) -> float:
    prompts = [first_prompt(agent, invented_view(plan, seat, number)) for number in (1, plan.rounds)]
    return sum(tokens_in(one.text) + sum(tokens_in(str(tool)) for tool in one.tools) for one in prompts) / 2


def _notes(experiment: Experiment, plans: Sequence[GamePlan], cost: float | None) -> list[str]:
    """What somebody about to spend money should know."""
    notes = list(experiment.notes)
    orders = 2 ** len(experiment.counterbalance)
    if experiment.repetitions % orders:
        notes.append(
            f"{experiment.repetitions} repetitions hold the {orders} counterbalanced orders unequally often; "
            f"a multiple of {orders} would balance them"
        )
    noisy = sorted({plan.implementation_error for plan in plans} - {0.0})
    if noisy:
        rates = ", ".join(f"{rate:g}" for rate in noisy)
        number = sum(plan.implementation_error > 0 for plan in plans)
        notes.append(
            f"implementation_error {rates} in {number:,} of {len(plans):,} games: moves are flipped between "
            "decision and play, and every player is told"
        )
    return notes + client_notes(experiment, plans)


UNSAID = "…"
"""Stands for a reply that nobody has given."""


class FirstPrompt(BaseException):
    """The first request of an agent; raised in place of an answer, so that no agent can go on without one.

    Parameters
    ----------
    messages : tuple of Message
    tools : tuple of mappings
    purpose : as the table of calls names it
    """

    def __init__(
        self,
        messages: Sequence[Message] = (),
        tools: Sequence[Mapping[str, Any]] = (),
        purpose: str = "choose",
    ) -> None:
        super().__init__()
        self.messages, self.tools, self.purpose = tuple(messages), tuple(tools), purpose

    @property
    def text(self) -> str:
        """The messages, one below the other."""
        return "\n\n".join(message.content for message in self.messages)


def first_prompt(agent: Agent, view: View) -> FirstPrompt:
    """The first request for a decision: of the first stage, where there are several.

    Returns
    -------
    FirstPrompt
        Without messages where the agent asks nothing.
    """
    return next(iter(stage_prompts(agent, view, most=1)), FirstPrompt())


def stage_prompts(agent: Agent, view: View, *, most: int = 10) -> list[FirstPrompt]:
    """The first request of each purpose that a decision has: thinking and choosing, advising and deciding.

    Every request before the last is answered with `UNSAID`, which later ones may show.

    Parameters
    ----------
    most : requests to collect
    """
    import numpy as np

    from intent.agents.agent import Answer
    from intent.agents.client import Reply

    prompts: list[FirstPrompt] = []

    async def ask(
        messages: Sequence[Message], settings: Any = None, *, purpose: str = "choose", tools: Any = ()
    ) -> Answer:
        if all(one.purpose != purpose for one in prompts):
            prompts.append(FirstPrompt(messages, tools, purpose))
            if len(prompts) < most:
                return Answer(Reply(text=UNSAID), "")
        raise FirstPrompt()

    choosing: Coroutine[Any, Any, Any] = agent.choose(view, ask, np.random.default_rng(0))
    try:
        choosing.send(None)
    except (FirstPrompt, StopIteration):
        pass
    finally:
        choosing.close()
    return prompts


def invented_view(plan: GamePlan, seat: int, number: int) -> View:
    """What a seat sees in a round, after others in which seats 1, 3, … took the first action.

    Parameters
    ----------
    seat, number : int, from 1
    """
    import numpy as np

    from intent.play.match import Horizon
    from intent.play.referee import Referee

    stage = plan.stage()
    horizon = plan.horizon()
    referee = Referee(stage, Horizon(max(number, plan.rounds), horizon.known), rng=np.random.default_rng(0))
    for _ in range(number - 1):
        for each in referee.pending():
            referee.submit(each, stage.actions[(each - 1) % 2])
    view = replace(referee.view(seat), implementation_error=plan.implementation_error)
    if horizon.continuation is None:
        return view
    return replace(view, horizon=None, continuation=horizon.continuation if horizon.known else None)


def model_seats(plan: GamePlan) -> list[int]:
    """Seats that language models take, from 1."""
    return [i for i, seat in enumerate(plan.seats, start=1) if seat.kind == "model"]


def shown_prompts(plan: GamePlan, agents: Sequence[Agent]) -> list[dict[str, Any]]:
    """The prompts of round 2 by role: seats that are not alike, sides of a debate, stages of a decision."""
    prompts, keys = [], set()
    for seat in model_seats(plan):
        player = plan.seats[seat - 1]
        like = f"{player.architecture} {player.options} {player.attitude}"
        if like in keys:
            continue
        keys.add(like)
        for one in stage_prompts(agents[seat - 1], invented_view(plan, seat, min(2, plan.rounds))):
            role = player.architecture
            if role == "debate":
                role = f"debate, {'assistant' if one.purpose == 'advise' else 'decision maker'}"
            facts = {"seat": seat, "role": role, "stage": one.purpose, "text": one.text}
            prompts.append({**facts, "tools": list(one.tools)})
    return prompts


COUNTING = Counting(_need, shown_prompts, _notes)
