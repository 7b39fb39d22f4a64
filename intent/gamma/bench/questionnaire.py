"""A user's own items, put to a language model by repetition, and scored.

The items of a questionnaire, from a user's file.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, UsageError
from intent.base.json_text import json_values
from intent.base.loop import in_own_loop

if TYPE_CHECKING:
    from intent.agents.client import Client, Message, Settings
    from intent.agents.plan import ReplyRules
    from intent.agents.questionnaire import Item, ItemAnswer
    from intent.runner.cache import Replies
    from intent.runner.driver import Calling


__all__ = ["put_questionnaire", "read_items"]


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


def put_questionnaire(
    items: str | Path,
    model: str | Client,
    folder: str | Path,
    *,
    repetitions: int = 5,
    persona: str | None = None,
    temperature: float | None = None,
    retries: int = 2,
    constrained: bool = False,
    seed: int = 0,
    update: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Ask every item, each in a conversation of its own, and average the answers by subscale.

    Replies are stored in ``replies.jsonl`` as they come and not asked for again; ``answers.csv`` and
    ``questionnaire.json`` are made anew each time.

    Parameters
    ----------
    items : path
        See `intent.gamma.bench.questionnaire.read_items`.
    model : str or Client
        As in an experiment file.
    folder : path
        That of an earlier call goes on.
    repetitions : int
    persona : str, optional
        The system's message, as it stands.
    temperature : float, optional
        Default: the endpoint's own.
    retries : int
        How often an item is asked again where no number can be read.
    constrained : bool
        Whether a reply can only be a number of the scale, where the endpoint has that.
    seed : int
        Of models that take seeds.
    update : callable, optional
        Told of items answered and of their number.

    Returns
    -------
    dict, as `codebook.JSON_OBJECTS` describes ``bench_questionnaire``

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
    from intent.base.files import claim
    from intent.runner.cache import Replies

    questions = read_items(items)
    if temperature is not None and not 0 <= temperature < math.inf:
        raise UsageError(f"temperature {temperature}, expected a number from 0 on")
    target = claim(folder, overwrite=True, into=True)
    client = make_client(model) if isinstance(model, str) else model
    provider = provider_of(client.name)
    settings = Settings(
        temperature=temperature,
        max_tokens=60 if provider in LIMITED else None,
        seeded=provider in SEEDED,
        constrained=constrained,
    )
    target.mkdir(parents=True, exist_ok=True)
    replies = Replies(target / "replies.jsonl", ("item", "repetition"))
    put = _Put(client, settings, ReplyRules(retries=retries), persona, seed, replies)
    answers = in_own_loop(lambda: put.all(questions, repetitions, update))
    result = json_values(_result(questions, answers, str(target), client.name))
    _write(target, result, questions, answers)
    return dict(result)


class _Put:
    """Puts items to a model; what was asked before is not asked again."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        rules: ReplyRules,
        persona: str | None,
        seed: int,
        replies: Replies,
    ) -> None:
        from intent.runner.caller import make_callers

        self._client, self._settings, self._rules = client, settings, rules
        self._persona, self._seed, self._replies = persona, seed, replies
        self._caller: Calling = make_callers([client])[client.name]

    async def all(
        self, items: Sequence[Item], repetitions: int, update: Callable[[int, int], None] | None
    ) -> list[list[ItemAnswer]]:
        """Answers by repetition and item."""
        from intent.runner.game import together

        done, whole = 0, repetitions * len(items)

        async def one(item: Item, repetition: int) -> ItemAnswer:
            nonlocal done
            answer = await self._one(item, repetition)
            done += 1
            if update is not None:
                update(done, whole)
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
        from intent.runner.cache import reply_key

        attempt = 0

        async def ask(messages: Sequence[Message], settings: Settings | None = None, **_: Any) -> Answer:
            nonlocal attempt
            attempt += 1
            used = settings or self._settings
            place = {"item": item.name, "repetition": repetition, "attempt": attempt, "seed": self._seed}
            texts = [[message.role, message.content] for message in messages]
            described = used.model_dump(mode="json", exclude_defaults=True)
            key = reply_key({"model": self._client.name, "texts": texts, "settings": described, **place})
            known = self._replies.known.get(key)
            if known is None:
                draw = f"questionnaire/{self._seed}/{repetition}/{item.name}/{attempt}"
                called = await self._caller.call(messages, used, draw=draw)
                known = {"key": key, **place, "model": called.reply.model, "text": called.reply.text}
                self._replies.add(known)
            return Answer(Reply(known["text"]), key)

        return await ask_item(item, ask, self._settings, self._rules, persona=self._persona)


def _result(
    items: Sequence[Item], answers: Sequence[Sequence[ItemAnswer]], path: str, model: str
) -> dict[str, Any]:
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
    return {
        "path": path,
        "model": model,
        "items": len(items),
        "repetitions": len(answers),
        "scores": scores,
        "unread": unread,
        "refused": sum(len(one.refused) for one in flat),
        "notes": [note] if unread else [],
    }


def _write(target: Path, result: Any, items: Sequence[Item], answers: Sequence[Sequence[ItemAnswer]]) -> None:
    import pandas as pd

    from intent.agents.questionnaire import score_items
    from intent.base.json_text import write_object
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
    facts = {"kind": "questionnaire", "model": result["model"], "repetitions": result["repetitions"]}
    write_table(table, target / "answers.csv", facts, overwrite=True)
    write_object(target / "questionnaire.json", result, overwrite=True)
