"""Language models write strategies for a repeated game: words, code, a gate, a trial, files."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError
from intent.workflows.json_values import json_values
from intent.workflows.own_loop import in_own_loop

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.arena.match import Engine
    from intent.arena.writing.attempt import Attempt
    from intent.arena.writing.desk import Desk, Place
    from intent.arena.writing.trial import Trial
    from intent.runner.caller import Caller
    from intent.workflows.writing_order import Order

__all__ = ["write_strategies"]

LOCK = "writing.lock"


def write_strategies(
    model: str | Client,
    folder: str | Path,
    *,
    code_model: str | Client | None = None,
    style: str = "default",
    attitudes: str = "Aggressive,Cooperative,Neutral",
    n: int = 25,
    game: str = "classic",
    noise: float = 0.0,
    turns: int = 1000,
    temperature: float | None = 0.7,
    max_tokens: int | None = None,
    prompts: str | Path | None = None,
    scenarios: str | None = None,
    seed: int = 0,
    attempts: int | None = None,
    seeded: bool = False,
    limits: Mapping[str, Any] | None = None,
    prices: Mapping[str, Any] | None = None,
    concurrency: int | None = None,
    cache: bool | str | Path = False,
    budget: float | None = None,
    engine: str | Engine = "auto",
    update: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Have strategies written until `n` of every attitude play, in every style.

    Every exchange is kept in ``exchanges.jsonl`` as it comes and not asked for again, every trial in
    ``trials.jsonl``: the same call goes on where an earlier one ended, however it ended. Then each style gets
    a file of strategies with a manifest beside it, and ``failures.csv`` says what became of the others.

    Parameters
    ----------
    model : str or Client
        Who writes the words; as in an experiment file.
    folder : path
        That of an earlier call goes on, or takes further sets.
    code_model : str or Client, optional
        Who turns words into code. Default: the same.
    style : str
        ``default``, ``refine``, ``prose``, ``prose+refine``; several with commas make several sets.
    attitudes : str
        Names with commas; those of `prompts` count too.
    n : int, strategies for each attitude and style
    game : str, symmetric game of the catalogue with a cooperative action
    noise : float in [0, .5), probability per move
    turns : int, rounds of a match
    temperature : float, optional
        Of words and plans; None sends none at all.
    max_tokens : int, optional
        Length of a reply. Default: 2,000 where a model needs a limit, else the endpoint's.
    prompts : path, optional
        Folder of texts in place of ours, as `intent.arena.writing.texts.load_texts` reads it.
    scenarios : str, optional
        Names of the everyday settings that prose draws from, with commas. Default: all.
    seed : int
        Of the settings drawn, and of models that take seeds.
    attempts : int, optional
        For each attitude and style, at most. Default: 3 n + 5.
    seeded : bool
        Whether a seed is sent to every model; models on this machine get one in any case.
    limits, prices : mapping, as in an experiment file
    concurrency : int, optional
        Calls in flight.
    cache : bool or path
        Whether replies are kept for other folders, and taken from there.
    budget : float, optional
        What all calls for this folder may cost.
    engine : str or Engine
        Of the sandbox.
    update : function, told of attempts done and issued

    Returns
    -------
    dict, as `schema.JSON_OBJECTS` describes ``write``

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
    from intent.arena.sandbox.engines import make_engine
    from intent.arena.writing.desk import spent_in
    from intent.arena.writing.trial import Trial
    from intent.logs.output import claim, made, remove_scratch
    from intent.runner.lock import locked
    from intent.workflows.calling import session_callers
    from intent.workflows.writing_folder import check_folder
    from intent.workflows.writing_order import limits_of, make_order, prices_of
    from intent.workflows.written_sets import write_sets

    began = time.monotonic()
    words_by = make_client(model) if isinstance(model, str) else model
    code_by = words_by if code_model is None else _client(code_model, words_by)
    order = make_order(
        words_by.name,
        code_by.name,
        style=style,
        attitudes=attitudes,
        n=n,
        game=game,
        noise=noise,
        turns=turns,
        temperature=temperature,
        max_tokens=max_tokens,
        prompts=prompts,
        scenarios=scenarios,
        seed=seed,
        attempts=attempts,
        seeded=seeded,
    )
    target = claim(folder, overwrite=True, into=True)
    clients = list({client.name: client for client in (words_by, code_by)}.values())
    for client in clients:
        client.body(order.task.words(order.attitudes[0]), order.settings)
    check_folder(target, order)
    settings: dict[str, Any] = {
        "limits": limits_of(limits),
        "prices": prices_of(prices),
        "cache": cache,
        "budget": budget,
        "concurrency": concurrency,
    }
    # refuses what cannot be, before there is a folder
    session_callers(clients, spent=0.0, **{**settings, "cache": False})
    plays = make_engine(engine, workers=1) if isinstance(engine, str) else engine
    try:
        with locked(made(target) / LOCK):
            check_folder(target, order, claim=True)
            remove_scratch(target)
            spent = 0.0 if budget is None else spent_in(target)
            callers = session_callers(clients, spent=spent, **settings)
            trial = Trial(target, plays, order.task.rules)
            session = _Session(target, order, clients, callers, trial, update)
            found, desk = in_own_loop(session.work)
            result = write_sets(target, order, found, desk)
    finally:
        if isinstance(engine, str):
            plays.close()
    result["seconds"] = time.monotonic() - began
    return dict(json_values(result))


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
        from intent.arena.writing.chain import Chain
        from intent.arena.writing.desk import Desk
        from intent.arena.writing.waves import in_waves

        order = self.order
        desk = Desk(self.folder, self.callers, order.seeded)
        groups: dict[tuple[str, str], Callable[[Place], Awaitable[Attempt]]] = {}
        for style in order.styles:
            names = (order.model, order.code_model)
            chain = Chain(desk, order.task, style, self.trial, *names, order.settings, order.scenarios)
            groups |= {(style.name, attitude): chain for attitude in order.attitudes}
        try:
            found = await in_waves(groups, n=order.n, limit=order.limit, seed=order.seed, update=self.update)
        finally:
            self.trial.close()
            for client in self.clients:
                await client.close()
        return found, desk
