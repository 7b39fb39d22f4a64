"""How near a run comes to the time that no run can beat, and what a call costs in processor time.

An OpenAI-compatible server in a process of its own answers after a fixed latency. No run takes less than
max(rounds x latency, decisions x latency / concurrency): a game needs one answer after the other, and the
endpoint takes only so many at a time. Each case is a whole run: prompts, client, limits, retries, store.
``--full`` plays 300 games of ten rounds (94 s at 64 in flight and 1 s).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from intent.agents.agent import make_agents
from intent.agents.client import Message, Settings
from intent.agents.clients.registry import make_client
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.games.catalogue import game
from intent.runner.caller import make_callers
from intent.runner.run import Run

CASES = ((64, 1.0), (16, 0.5))
"""Calls in flight, seconds of latency."""


def plans(model: str, games: int, rounds: int) -> list[GamePlan]:
    """Games of a model against itself."""
    stage = game("prisoner-dilemma")
    settings = Settings(temperature=1.0, max_tokens=64)
    seats = tuple(SeatPlan(player=model, name=f"agent{i}", settings=settings) for i in (1, 2))
    return [
        GamePlan.of(
            stage,
            game_id=f"game_{i}",
            rounds=rounds,
            seats=seats,
            repetition=i + 1,
            seed=i,
        )
        for i in range(games)
    ]


async def played(run: Run, model: str, concurrency: int) -> tuple[float, float]:
    """Seconds that the play took, and those of the processor."""
    prompts = {name: prompts_from_json(text) for name, text in run.prompts().items()}
    client = make_client(model)
    client.body([Message("user", "A or B?")], Settings())  # loads the client's library
    callers = make_callers([client], concurrency=concurrency)
    try:
        began, cpu = time.perf_counter(), time.process_time()
        outcome = await run.play(callers.__getitem__, lambda plan: make_agents(plan, prompts))
        assert outcome.stop is None
        assert outcome.interrupted == 0
        return time.perf_counter() - began, time.process_time() - cpu
    finally:
        await client.close()


def measure(concurrency: int, latency: float, games: int, rounds: int) -> dict[str, float]:
    """One run against a server of its own."""
    command = [sys.executable, "-m", "intent.agents.scripted_server", "--latency", str(latency)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        model = f"openai/any@{server.stdout.readline().split()[-1]}"
        with tempfile.TemporaryDirectory() as folder:
            prompts = {"intent": load_prompts("intent").to_json()}
            run = Run.create(Path(folder) / "run", plans(model, games, rounds), facts={}, prompts=prompts)
            seconds, cpu = asyncio.run(played(run, model, concurrency))
            calls = run.status().calls
            assert calls == 2 * games * rounds
    finally:
        server.terminate()
        server.wait()
    bound = max(rounds * latency, 2 * games * rounds * latency / concurrency)
    return {
        "concurrency": concurrency,
        "latency": latency,
        "games": games,
        "calls": calls,
        "seconds": seconds,
        "bound": bound,
        "ratio": seconds / bound,
        "cpu_ms_per_call": 1000 * cpu / calls,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, help="games of each case (default: five times those in flight)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="300 games of 10 rounds")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results = []
    for concurrency, latency in CASES:
        games = 300 if options.full else options.games or 5 * concurrency // 2
        rounds = 10 if options.full else options.rounds
        results.append(measure(concurrency, latency, games, rounds))
        if not options.json:
            print(
                "{concurrency} in flight, {latency:g} s: {calls:,} calls in {seconds:.2f} s, bound "
                "{bound:.2f} s, ratio {ratio:.3f}, {cpu_ms_per_call:.2f} ms of processor a call".format(
                    **results[-1]
                )
            )
    if options.json:
        print(json.dumps({"cases": results}))


if __name__ == "__main__":
    main()
