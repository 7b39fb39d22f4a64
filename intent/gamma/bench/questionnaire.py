"""A user's own items, from a file, put to a language model by repetition, and scored."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, UsageError
from intent.base.job import Result, Table, job
from intent.gamma.bench.requests import QuestionnaireRequest
from intent.runner.caller import in_own_loop

if TYPE_CHECKING:
    from intent.agents.client import Client, Message, Settings
    from intent.agents.plan import ReplyRules
    from intent.agents.questionnaire import Item, ItemAnswer
    from intent.runner.caller import Replies
    from intent.runner.driver import Calling


__all__ = ["QuestionnaireResult", "put_questionnaire", "read_items"]


def read_items(path: str | Path) -> tuple[Item, ...]:
    """The items of a file: CSV with a header, or YAML or JSON with a list, under ``items`` or bare.

    Fields are those of `intent.agents.questionnaire.Item`; ``name`` and ``text`` are needed.

    Raises
    ------
    DataError
        It cannot be read, or holds no items; says where.
    """
    from intent.agents.questionnaire import items_of
    from intent.base.files import bounds, file_text
    from intent.base.settings import read_document

    source = Path(path)
    if source.suffix.casefold() != ".csv":
        rows = read_document(source, listed="items").values.get("items")
        if not isinstance(rows, list):
            raise DataError(f"{source.name}: no list of items, expected the key items")
        return items_of(rows, source.name)
    text = file_text(source, bounds().settings_bytes, "a questionnaire, which is never that long")
    try:
        return items_of(list(csv.DictReader(io.StringIO(text, newline=""), restkey="more")), source.name)
    except csv.Error as error:
        raise DataError(f"{source.name}: not readable as CSV ({error})") from None


@dataclass(frozen=True, repr=False)
class QuestionnaireResult(Result):
    """Means by subscale of a model's answers.

    Parameters
    ----------
    path : str
        The folder.
    model : str
    items, repetitions : int
    scores : tuple of mappings with subscale, mean, sd over repetitions, n
    unread : int
        Answers without a number.
    refused : int
        Replies that were asked for again.
    notes : tuple of str
    """

    kind = "questionnaire"

    path: str
    model: str
    items: int
    repetitions: int
    scores: tuple[Mapping[str, Any], ...]
    unread: int
    refused: int
    notes: tuple[str, ...] = ()

    def fields(self) -> dict[str, Any]:
        return dict(vars(self))

    def parts(self) -> Iterator[Table | str]:
        def shown(value: float | None) -> str | None:
            return None if value is None else f"{value:.2f}"

        rows = [(s["subscale"], shown(s["mean"]), shown(s["sd"]), s["n"]) for s in self.scores]
        yield Table(("subscale", "mean", "sd", "repetitions"), rows)

    def remarks(self) -> Iterator[str]:
        """Where everything is."""
        yield f"{self.path}: replies.jsonl, answers.csv, questionnaire.json"


@job(QuestionnaireRequest)
def put_questionnaire(request: QuestionnaireRequest) -> QuestionnaireResult:
    """Ask every item, each in a conversation of its own, and average the answers by subscale.

    Replies are stored in ``replies.jsonl`` as they come and not asked for again; ``answers.csv`` and
    ``questionnaire.json`` are made anew each time.

    Raises
    ------
    DataError
        A file that holds no items.
    UsageError, EndpointError, OutputError
        No such model; it gave no answer (what it answered before is kept); files that cannot be written.
    """
    from intent.agents.client import Settings
    from intent.agents.clients.registry import LIMITED, SEEDED, make_client, provider_of
    from intent.agents.plan import ReplyRules
    from intent.base.outputs import claim
    from intent.runner.caller import Replies

    items, temperature = read_items(request.items), request.temperature
    if temperature is not None and not 0 <= temperature < math.inf:
        raise UsageError(f"temperature {temperature}, expected a number from 0 on")
    target = claim(request.folder, overwrite=True, into=True)
    client = make_client(request.model) if isinstance(request.model, str) else request.model
    provider = provider_of(client.name)
    settings = Settings(
        temperature=temperature,
        max_tokens=60 if provider in LIMITED else None,
        seeded=provider in SEEDED,
        constrained=request.constrained,
    )
    target.mkdir(parents=True, exist_ok=True)
    replies = Replies(target / "replies.jsonl", ("item", "repetition"))
    put = _Put(request, client, settings, ReplyRules(retries=request.retries), replies)
    answers = in_own_loop(lambda: put.all(items))
    result = _result(items, answers, str(target), client.name)
    _write(target, result, items, answers)
    return result


class _Put:
    """Puts items to a model; what was asked before is not asked again."""

    def __init__(
        self,
        request: QuestionnaireRequest,
        client: Client,
        settings: Settings,
        rules: ReplyRules,
        replies: Replies,
    ) -> None:
        from intent.runner.caller import make_callers

        self._request, self._client, self._settings = request, client, settings
        self._rules, self._replies = rules, replies
        self._caller: Calling = make_callers([client])[client.name]

    async def all(self, items: Sequence[Item]) -> list[list[ItemAnswer]]:
        """Answers by repetition and item."""
        from intent.runner.driver import together

        repetitions = self._request.repetitions
        done, whole = 0, repetitions * len(items)

        async def one(item: Item, repetition: int) -> ItemAnswer:
            nonlocal done
            answer = await self._one(item, repetition)
            done += 1
            self._request.update(done, whole)
            return answer

        pairs = [(item, repetition) for repetition in range(1, repetitions + 1) for item in items]
        try:
            answers = await together([one(*pair) for pair in pairs])
        finally:
            await self._client.close()
        return [answers[i : i + len(items)] for i in range(0, whole, len(items))]

    async def _one(self, item: Item, repetition: int) -> ItemAnswer:
        from intent.agents.agent import Answer
        from intent.agents.client import Reply
        from intent.agents.questionnaire import ask_item
        from intent.runner.caller import reply_key

        attempt, seed = 0, self._request.seed

        async def ask(messages: Sequence[Message], settings: Settings | None = None, **_: Any) -> Answer:
            nonlocal attempt
            attempt += 1
            used = settings or self._settings
            place = {"item": item.name, "repetition": repetition, "attempt": attempt, "seed": seed}
            texts = [[message.role, message.content] for message in messages]
            described = used.model_dump(mode="json", exclude_defaults=True)
            key = reply_key({"model": self._client.name, "texts": texts, "settings": described, **place})
            known = self._replies.known.get(key)
            if known is None:
                draw = f"questionnaire/{seed}/{repetition}/{item.name}/{attempt}"
                called = await self._caller.call(messages, used, draw=draw)
                known = {"key": key, **place, "model": called.reply.model, "text": called.reply.text}
                self._replies.add(known)
            return Answer(Reply(known["text"]), key)

        return await ask_item(item, ask, self._settings, self._rules, persona=self._request.persona)


def _result(
    items: Sequence[Item], answers: Sequence[Sequence[ItemAnswer]], path: str, model: str
) -> QuestionnaireResult:
    from intent.agents.questionnaire import score_items

    scored = [score_items(items, {one.item: one.value for one in each}) for each in answers]
    scores = []
    for subscale in dict.fromkeys(item.subscale for item in items):
        means = [value for each in scored if (value := each[subscale]) is not None]
        spread = stdev(means) if len(means) > 1 else None
        mean = fmean(means) if means else None
        scores.append({"subscale": subscale, "mean": mean, "sd": spread, "n": len(means)})
    flat = [one for each in answers for one in each]
    unread = sum(one.value is None for one in flat)
    note = f"{unread} of {len(flat)} answers could not be read and are left out of the means"
    return QuestionnaireResult(
        path=path,
        model=model,
        items=len(items),
        repetitions=len(answers),
        scores=tuple(scores),
        unread=unread,
        refused=sum(len(one.refused) for one in flat),
        notes=(note,) if unread else (),
    )


def _write(
    target: Path, result: QuestionnaireResult, items: Sequence[Item], answers: Sequence[Sequence[ItemAnswer]]
) -> None:
    import pandas as pd

    from intent.agents.questionnaire import score_items
    from intent.base.outputs import write_object
    from intent.base.tables import write_table

    rows = [
        {
            "repetition": repetition,
            "item": item.name,
            "subscale": item.subscale,
            "value": one.value,
            "scored": score_items([item], {item.name: one.value})[item.subscale],
            "refused": len(one.refused),
        }
        for repetition, each in enumerate(answers, start=1)
        for item, one in zip(items, each, strict=True)
    ]
    table = pd.DataFrame(rows).astype({"value": "Int64", "scored": "Float64"})
    facts = {"kind": result.kind, "model": result.model, "repetitions": result.repetitions}
    write_table(table, target / "answers.csv", facts, overwrite=True)
    write_object(target / "questionnaire.json", result.to_dict(), overwrite=True)
