"""What somebody orders, what asking for it would take, and what a folder of written strategies holds."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from intent.arena.requests import WriteRequest
from intent.base.errors import DataError, RunError, UnknownNameError, UsageError, located, shorten
from intent.base.job import Summary, Table, Text, job

if TYPE_CHECKING:
    from pydantic import BaseModel

    from intent.agents.client import Message, Settings
    from intent.arena.writing.task import Style, WritingTask


__all__ = [
    "Order",
    "WritingCount",
    "check_folder",
    "dry_run_writing",
    "file_name",
    "file_of",
    "keep_sets",
    "make_order",
    "plain_name",
    "read_sets",
    "validated",
    "writing_prompts",
]


M = TypeVar("M", bound="BaseModel")

MOST = 1_000
"""Strategies for an attitude."""

REPLY_TOKENS = 4_000
"""Length of a reply of models that need a limit: twice that of a plan of 1,000 words, or of long code."""


@dataclass(frozen=True, eq=False)
class Order:
    """An order, checked.

    Parameters
    ----------
    n, limit : int
        Strategies wanted, and attempts made at most, for each style and attitude.
    seeded : tuple of str, models that take seeds
    """

    model: str
    code_model: str
    styles: tuple[Style, ...]
    attitudes: tuple[str, ...]
    n: int
    limit: int
    task: WritingTask
    settings: Settings
    scenarios: tuple[str, ...]
    seed: int
    seeded: tuple[str, ...]

    def facts(self, style: Style) -> dict[str, Any]:
        """What decides how the strategies of a style come out, JSON-able."""
        texts = json.dumps(dict(sorted(self.task.texts.texts.items())), ensure_ascii=False)
        return {
            "model": self.model,
            "code_model": self.code_model,
            "style": style.name,
            "attitudes": list(self.attitudes),
            "game": self.task.game_name,
            "turns": self.task.rounds,
            "noise": self.task.noise,
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.max_tokens,
            "scenarios": list(self.scenarios) if style.prose else [],
            "seed": self.seed,
            "seeded": list(self.seeded),
            "texts": hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        }


def make_order(model: str, code_model: str, request: WriteRequest) -> Order:
    """The order that a request makes of these models; all its prompts can be put into words.

    Raises
    ------
    UsageError, UnknownNameError, PromptError
    """
    from intent.agents.client import Settings
    from intent.agents.clients.registry import LIMITED, SEEDED, provider_of
    from intent.arena.match import Limits as Bounds
    from intent.arena.writing.desk import default_limit
    from intent.arena.writing.task import WritingTask, check_attitudes, load_texts, parse_style
    from intent.games.catalogue import game as named_game
    from intent.games.game import MatrixGame

    n, game, temperature, max_tokens = request.n, request.game, request.temperature, request.max_tokens
    if not 1 <= n <= MOST:
        raise UsageError(f"--n {n}, expected 1 to {MOST} strategies of each attitude")
    limit = default_limit(n) if request.attempts is None else request.attempts
    if limit < n:
        raise UsageError(f"--attempts {limit}, expected at least the {n} strategies wanted")
    if temperature is not None and not 0 <= temperature <= 2:
        raise UsageError(f"temperature {temperature:g}, expected 0 to 2")
    played = named_game(game)
    if not isinstance(played, MatrixGame):
        raise UsageError(f"--game {shorten(game)}, expected a game of two players, such as classic")
    texts = load_texts(request.prompts)
    styles = tuple({s.name: s for s in map(parse_style, request.style.split(","))}.values())
    models = dict.fromkeys((model, code_model))
    if max_tokens is None and any(provider_of(name) in LIMITED for name in models):
        max_tokens = REPLY_TOKENS
    cpu, _ = Bounds().per_match(request.turns)
    order = Order(
        model,
        code_model,
        styles,
        check_attitudes(tuple(request.attitudes.split(",")), texts),
        n,
        limit,
        WritingTask(texts, played, game, request.turns, request.noise, cpu),
        Settings(temperature=temperature, max_tokens=max_tokens, timeout=600.0),
        _scenarios(request.scenarios, texts.scenarios),
        request.seed,
        tuple(name for name in models if request.seeded or provider_of(name) in SEEDED),
    )
    _check_prompts(order)
    return order


def validated(model: type[M], values: Mapping[str, Any] | None, what: str) -> dict[str, M]:
    """Limits of rate by endpoint or model, or prices by model, as an experiment file writes them.

    Raises
    ------
    UsageError
    """
    from pydantic import ValidationError

    try:
        return {name: model.model_validate(value) for name, value in (values or {}).items()}
    except ValidationError as error:
        raise UsageError(f"{what}: {shorten(error.errors()[0]['msg'])}, got {shorten(values)}") from None


def _scenarios(names: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    if names is None:
        return known
    chosen = tuple(dict.fromkeys(name.strip().casefold() for name in names.split(",") if name.strip()))
    for name in chosen:
        if name not in known:
            raise UnknownNameError("scenario", name, known)
    if not chosen:
        raise UsageError(f"no scenario named, expected such as {', '.join(known[:2])}")
    return chosen


def _check_prompts(order: Order) -> None:
    """Render every prompt once, so that nothing is paid for before a text turns out to be wrong."""
    for _ in writing_prompts(order):
        pass


STAND_IN = "…"
"""In the place of what models will write."""

WRITTEN_TOKENS = 400
"""Tokens that a reply is taken to have where its length is not limited; reasoning is not counted."""


Prompt = tuple[str, "tuple[Message, ...]", str | None, str | None]
"""Purpose, messages, attitude, scenario."""


def writing_prompts(order: Order) -> Iterator[Prompt]:
    """Every different prompt, with the conversation before it; `STAND_IN` for what was written."""
    from intent.agents.client import Message

    task = order.task
    purposes = {purpose for style in order.styles for purpose in style.purposes}

    def answered(messages: tuple[Message, ...]) -> tuple[Message, ...]:
        return (*messages, Message("assistant", STAND_IN))

    for attitude in order.attitudes:
        talk: tuple[Message, ...] = ()
        if "plan" in purposes:
            for scenario in order.scenarios:
                yield "plan", (plan := task.plan(attitude, scenario)), attitude, scenario
                talk = task.convert(attitude, scenario, STAND_IN, answered(plan))
                yield "convert", talk, attitude, scenario
        if "words" in purposes:
            yield "words", (talk := task.words(attitude)), attitude, None
        if "critique" in purposes:
            yield "critique", (talk := task.critique(attitude, STAND_IN, answered(talk))), attitude, None
            talk = task.rewrite(attitude, STAND_IN, STAND_IN, answered(talk))
            yield "rewrite", talk, attitude, None
    yield "code", task.code(STAND_IN), None, None
    yield "repair", task.repair(STAND_IN, STAND_IN, STAND_IN)[-1:], None, None


def _tokens(messages: tuple[Message, ...], reply: float) -> float:
    """Tokens of a prompt, with `reply` of them in the place of each text that a model will write."""
    from intent.runner.dry_run import tokens_in

    texts = "".join(message.content for message in messages)
    return tokens_in(texts) + texts.count(STAND_IN) * reply


@dataclass(frozen=True, eq=False)
class WritingCount(Summary):
    """What an order would take, as `json_objects.JSON_OBJECTS["write_dry_run"]`.

    Parameters
    ----------
    prompts : bool, whether every prompt is printed in place of the numbers
    """

    kind = "dry_run"

    prompts: bool = False

    def warnings(self) -> Iterator[str]:
        """How often something may be asked, where numbers are printed."""
        yield from () if self.prompts else self.notes

    def parts(self) -> Iterator[Table | str]:
        """Calls, tokens and cost; or the prompts."""
        counts = self.values
        for row in counts["prompts"] if self.prompts else ():
            about = (row["attitude"], row["scenario"], row["model"])
            yield f"[{row['purpose']}: {', '.join(text for text in about if text)}]"
            for role in ("system", "user"):
                if row[role]:
                    yield Text(f"{role}:\n{row[role]}\n")
        if not self.prompts:
            cost = "unknown" if counts["cost"] is None else f"{counts['cost']:.4g}"
            tokens = [f"{counts[name]:,.0f}" for name in ("prompt_tokens", "reply_tokens")]
            header = ("strategies", "calls", "at most", "prompt tokens", "reply tokens", "cost")
            yield Table(header, [(counts["n"], counts["calls"], counts["most_calls"], *tokens, cost)])


@job(WriteRequest)
def dry_run_writing(request: WriteRequest) -> WritingCount:
    """What an order would take; needs no key, asks nobody and makes nothing.

    Raises
    ------
    IntentError
        Whatever would keep the strategies from being written, missing keys apart.
    """
    from intent.agents.clients.registry import contact_rows, job_contacts
    from intent.runner.limits import Price, price_of

    model = str(request.model)
    order = make_order(model, str(request.code_model or model), request)
    known, prompts = validated(Price, request.prices, "prices"), list(writing_prompts(order))
    reply = float(order.settings.max_tokens or WRITTEN_TOKENS)
    calls = prompt_tokens = 0.0
    cost: float | None = 0.0
    for style in order.styles:
        for purpose in style.purposes:
            written = min(reply, WRITTEN_TOKENS)
            sizes = [_tokens(prompt[1], written) for prompt in prompts if prompt[0] == purpose]
            n = order.n * len(order.attitudes)
            size = sum(sizes) / len(sizes)
            who = order.code_model if purpose == "code" else order.model
            price = price_of(who, known)
            calls, prompt_tokens = calls + n, prompt_tokens + n * size
            if price is None or cost is None:
                cost = None
            else:
                cost += n * (size * price.prompt + reply * price.completion) / 1e6
    most = sum(len(style.purposes) + 1 for style in order.styles) * order.limit * len(order.attitudes)
    result = {
        "n": order.n * len(order.attitudes) * len(order.styles),
        "calls": int(calls),
        "most_calls": most,
        "prompt_tokens": prompt_tokens,
        "reply_tokens": calls * reply,
        "cost": cost,
        "contacts": contact_rows(job_contacts((order.model, order.code_model))),
        "prompts": [_row(order, *prompt) for prompt in prompts],
        "notes": [
            f"the calls are those of attempts that all play at once; at most {order.limit} attempts are made "
            "for each style and attitude, each with one repair"
        ],
    }
    return WritingCount(result, prompts=request.show_prompts)


def _row(
    order: Order,
    purpose: str,
    messages: tuple[Message, ...],
    attitude: str | None = None,
    scenario: str | None = None,
) -> dict[str, Any]:
    texts = {message.role: message.content for message in messages}
    goes_on = any(message.role == "assistant" for message in messages)
    return {
        "purpose": purpose,
        "attitude": attitude,
        "scenario": scenario,
        "model": order.code_model if purpose in ("code", "repair") else order.model,
        "system": "" if goes_on else texts.get("system", ""),
        "user": texts["user"],
    }


STATE = "writing.json"
_MOST_STATE = 256 * 1024**2


def file_name(model: str, style: str, noise: float) -> str:
    """Name of the file of a set: ``openai-gpt-4o_prose_refine_noise.py``."""
    return "_".join([plain_name(model), *style.split("+"), *["noise"] * (noise > 0)]) + ".py"


def plain_name(model: str) -> str:
    """A model as part of the name of a file, without its address or the folders of its weights.

    Examples
    --------
    >>> plain_name("openai/gpt-4o@https://a.example/v1")
    'openai-gpt-4o'
    """
    if model.startswith("gguf:"):
        model = Path(model.removeprefix("gguf:")).stem
    return re.sub(r"[^A-Za-z0-9.-]+", "-", model.partition("@")[0]).strip("-.")[:80] or "model"


def check_folder(folder: Path, order: Order, *, claim: bool = False) -> None:
    """Refuse to mix strategies of different orders in one file.

    Parameters
    ----------
    claim : bool
        Whether the folder takes note of the order.

    Raises
    ------
    RunError
        A set of the same name was ordered differently.
    DataError, OutputError
    """
    state = read_sets(folder)
    for style in order.styles:
        name, facts = file_of(order, style), order.facts(style)
        known = state.get(name, {}).get("facts", facts)
        for key, value in facts.items():
            if known.get(key) != value:
                had, now = shorten(known.get(key), 40), shorten(value, 40)
                raise RunError(f"{folder} holds {name} with {key} {had}, not {now}; choose another folder")
        if name not in state and (folder / name).exists():
            raise RunError(f"{folder} holds a file {name} that was not written here; choose another folder")
        state.setdefault(name, {"facts": facts, "n": {}, "failures": []})
    if claim:
        keep_sets(folder, state)


def read_sets(folder: Path) -> dict[str, Any]:
    """What the folder holds: file of a set -> facts, n, failures.

    Raises
    ------
    DataError
        Its record is damaged.
    """
    from intent.base.files import read_object

    path = folder / STATE
    if not path.is_file():
        return {}
    sets = read_object(path, "the sets of a folder", longest=_MOST_STATE).get("sets")
    if isinstance(sets, dict) and all(map(_is_record, sets.values())):
        return sets
    raise DataError(located(path, "a set without its facts, expected facts, n and failures of each"))


def _is_record(of_set: object) -> bool:
    return isinstance(of_set, dict) and {"facts", "n", "failures"} <= set(of_set)


def keep_sets(folder: Path, state: Mapping[str, Any]) -> None:
    """Write what the folder holds, in place of what was written before."""
    from intent.base.outputs import write_object

    write_object(folder / STATE, {"sets": dict(state)}, overwrite=True)


def file_of(order: Order, style: Style) -> str:
    """Name of the file of one of an order's sets."""
    return file_name(order.model, style.name, order.task.noise)
