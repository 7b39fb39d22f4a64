"""Can a language model draw from a distribution? Ask it for numbers, and test them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UsageError, shorten
from intent.files.text import file_text
from intent.workflows.json_values import json_values
from intent.workflows.own_loop import in_own_loop

if TYPE_CHECKING:
    from intent.agents.client import Client, Message, Settings
    from intent.analysis.sampling.distributions import Distribution
    from intent.runner.replies import Replies

__all__ = ["DISTRIBUTIONS", "PROMPT", "sample_numbers"]

DISTRIBUTIONS = "gaussian,poisson,uniform"

PROMPT = (
    "Draw {n} independent random numbers from {law}. Write only the numbers, one per line, and nothing else: "
    "no code, no words, no numbering."
)
"""The request, in our words; {n}, {law} and {distribution} are filled in."""

_LAWS = {
    "gaussian": "a normal distribution with mean {0:g} and standard deviation {1:g}, with three decimals",
    "poisson": "a Poisson distribution with mean {0:g}",
    "uniform": "a uniform distribution between {0:g} and {1:g}, with three decimals",
}


@dataclass(frozen=True)
class _Request:
    """One request for numbers."""

    distribution: Distribution
    repetition: int
    messages: tuple[Message, ...]
    settings: Settings
    key: str
    draw: str


def sample_numbers(
    model: str | Client,
    folder: str | Path,
    *,
    n: int = 100,
    repetitions: int = 1,
    distributions: str = DISTRIBUTIONS,
    prompt: str | Path | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int = 0,
    image: str = "png",
    update: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Ask a model for numbers from each distribution, test them, and draw them.

    Replies are stored in ``replies.jsonl`` as they come and not asked for again; ``samples.csv`` (the
    numbers, and those of an honest sampler), ``samples.png`` and ``sampling.json`` are made anew each time.

    Parameters
    ----------
    model : str or Client
        As in an experiment file.
    folder : path
        That of an earlier call goes on.
    n : int
        Numbers asked for in one request.
    repetitions : int
        Requests for each distribution; their numbers are tested together.
    distributions : str
        Such as ``gaussian(0,1),poisson(4),uniform(0,1)``.
    prompt : path, optional
        A text file in place of `PROMPT`, with {n}, {law} and {distribution}.
    temperature : float, optional
        Default: the endpoint's own.
    max_tokens : int, optional
        Length of a reply. Default: room for the numbers where a model needs a limit, else the endpoint's.
    seed : int
        Of the honest sampler, and of models that take seeds.
    image : {"png", "svg", "pdf"}
    update : callable, optional
        Told of requests answered and of their number.

    Returns
    -------
    dict, as `schema.JSON_OBJECTS` describes ``sampling``

    Raises
    ------
    UsageError
        A number, distribution or model that cannot be.
    EndpointError
        The model gave no answer; what it answered before is kept.
    OutputError, DataError

    References
    ----------
    Poje et al. 2024, Entropy 26:524, hypothesis H1, figure 2: looked at histograms; the tests are ours.
    """
    import numpy as np

    from intent.agents.clients.registry import LIMITED, make_client, provider_of
    from intent.analysis.sampling.distributions import parse_distributions
    from intent.logs.output import claim
    from intent.runner.replies import Replies
    from intent.workflows.figures import check_image
    from intent.workflows.sampling_result import measured, notes_on, verdict, write_files

    check_image(image)
    if not 1 <= n <= 10_000 or not 1 <= repetitions <= 1_000:
        raise UsageError(
            f"--n {n} --repetitions {repetitions}, expected up to 10000 numbers and 1000 requests"
        )
    laws, wording = parse_distributions(distributions), _wording(prompt)
    target = claim(folder, overwrite=True, into=True)
    client = make_client(model) if isinstance(model, str) else model
    if max_tokens is None and provider_of(client.name) in LIMITED:
        max_tokens = 12 * n + 200
    sampled = {"temperature": temperature, "max_tokens": max_tokens}
    requests = [
        _request(client, law, repetition, n, wording, sampled, seed)
        for law in laws
        for repetition in range(1, repetitions + 1)
    ]
    client.body(requests[0].messages, requests[0].settings)
    target.mkdir(parents=True, exist_ok=True)
    replies = Replies(target / "replies.jsonl", ("distribution", "repetition"))
    _ask(client, [r for r in requests if r.key not in replies.known], replies, update)
    texts = {law: [replies.known[r.key]["text"] for r in requests if r.distribution == law] for law in laws}
    found, table = measured(texts, n, np.random.default_rng(seed))
    result = {
        "path": str(target),
        "model": client.name,
        "distributions": found,
        "verdict": verdict(found),
        "notes": [*notes_on(found, n, repetitions), *_cut_off(requests, replies)],
    }
    facts = {"kind": "sampling", "model": client.name, "n": n, "repetitions": repetitions, "seed": seed}
    write_files(target, json_values(result), table, laws, facts, image)
    return dict(json_values(result))


def _wording(path: str | Path | None) -> str:
    if path is None:
        return PROMPT
    try:
        text = file_text(path, 100_000, "a prompt")
    except DataError as error:
        raise DataError(f"cannot read the prompt {path}: {error}") from None
    if "{law}" not in text and "{distribution}" not in text:
        raise DataError(f"the prompt {path} holds neither {{law}} nor {{distribution}}: {shorten(text)!r}")
    return text


def _request(
    client: Client,
    law: Distribution,
    repetition: int,
    n: int,
    wording: str,
    sampled: Mapping[str, Any],
    seed: int,
) -> _Request:
    from intent.agents.client import Message, Settings
    from intent.agents.clients.registry import SEEDED, provider_of
    from intent.runner.replies import reply_key

    values = {"{n}": str(n), "{law}": _LAWS[law.name].format(*law.parameters), "{distribution}": str(law)}
    text = wording
    for place, value in values.items():
        text = text.replace(place, value)
    seeded = provider_of(client.name) in SEEDED
    settings = Settings(**sampled, seeded=seeded, timeout=600.0)
    asked = {
        "model": client.name,
        "text": text,
        "settings": settings.model_dump(mode="json", exclude_defaults=True),
        "repetition": repetition,
        "seed": seed,
    }
    draw = f"sampling/{seed}/{law}/{repetition}"
    return _Request(law, repetition, (Message("user", text),), settings, reply_key(asked), draw)


def _ask(
    client: Client,
    requests: list[_Request],
    replies: Replies,
    update: Callable[[int, int], None] | None,
) -> None:
    """Ask what is not known yet, within the limits of the endpoint."""
    from intent.runner.callers import make_callers
    from intent.runner.together import together

    caller = make_callers([client])[client.name]
    done = 0

    async def one(request: _Request) -> None:
        nonlocal done
        called = await caller.call(request.messages, request.settings, draw=request.draw)
        replies.add(_row(request, called))
        done += 1
        if update is not None:
            update(done, len(requests))

    async def work() -> None:
        try:
            await together([one(request) for request in requests])
        finally:
            await client.close()

    in_own_loop(work)


def _cut_off(requests: list[_Request], replies: Replies) -> list[str]:
    """A warning where replies ended at the limit of their length."""
    short = sum(replies.known[r.key].get("finish_reason") == "length" for r in requests)
    return (
        [f"{short} of {len(requests)} replies were cut off at their longest (--max-tokens)"] if short else []
    )


def _row(request: _Request, called: Any) -> dict[str, Any]:
    """What is kept of a reply; bodies and headers are not."""
    reply = called.reply
    return {
        "key": request.key,
        "distribution": str(request.distribution),
        "repetition": request.repetition,
        "model": reply.model,
        "prompt": request.messages[0].content,
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "seconds": round(called.seconds, 3),
    }
