"""The eight games of gamma-bench: speed of scripted players, and how near a model's game comes to its bound.

1. 1,000 games of each kind (200 by default), ten scripted players, twenty rounds, through the referee:
   seconds of one core beside a bound of a minute for 1,000. Random players, or ``--player equilibrium``.
2. One game of ten model seats against an endpoint that answers after half a second, as a whole run with
   prompts, client, limits and store, the client's library being imported. All ten decide at once, so that
   twenty rounds take ten seconds at least; in sequential games each step waits for the one before, and the
   bound is the number of steps played times the latency; where one player moves at a time, an answer that is
   asked for again counts too. Guessing alone, all eight with ``--full``.
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

import numpy as np

from intent.agents.agent import make_agents
from intent.agents.client import Settings
from intent.agents.clients.registry import make_client
from intent.agents.plan import GamePlan, SeatPlan, parse_player
from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.agents.table import scripted_table_player
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.play.match import Horizon
from intent.play.referee import play
from intent.runner.caller import make_callers
from intent.runner.run import Run

PLAYERS, ROUNDS, LATENCY = 10, 20, 0.5
SECONDS = 60.0
"""Bound of 1,000 games of a kind."""

RATIO = 1.15
"""Bound of a game's time over that of its waiting alone."""


def scripted(name: str, player: str, games: int, bound: float) -> dict[str, object]:
    """Seconds of `games` games of one kind."""
    game, rounds = gamma_game(name, n_players=PLAYERS), 0
    seats = [scripted_table_player(parse_player(f"scripted/{player}"), game, s + 1) for s in range(PLAYERS)]
    began = time.process_time()
    for rng in np.random.default_rng(1).spawn(games):
        rounds += len(play(game, seats, Horizon(ROUNDS), rng).rounds)
    seconds = time.process_time() - began
    return {
        "game": name,
        "player": player,
        "games": games,
        "rounds": rounds,
        "seconds": seconds,
        "bound": bound * games / 1000,
    }


async def _played(run: Run, model: str) -> tuple[float, float]:
    """Seconds that the play took, and those of the processor; without the import of the library."""
    import openai  # noqa: F401

    prompts = {name: prompts_from_json(text) for name, text in run.prompts().items()}
    client = make_client(model)
    callers = make_callers([client], concurrency=PLAYERS)
    try:
        began, cpu = time.perf_counter(), time.process_time()
        outcome = await run.play(callers.__getitem__, lambda plan: make_agents(plan, prompts))
        assert outcome.stop is None
        return time.perf_counter() - began, time.process_time() - cpu
    finally:
        await client.close()


def against_endpoint(name: str, rounds: int, latency: float) -> dict[str, object]:
    """One game of ten model seats at a server of its own."""
    command = [sys.executable, "-m", "intent.agents.scripted_server", "--latency", str(latency)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        model = f"openai/agreeable@{server.stdout.readline().split()[-1]}"
        seat = {"player": model, "settings": Settings(temperature=1.0, max_tokens=64)}
        plan = GamePlan.of(
            gamma_game(name, n_players=PLAYERS),
            game_id=name,
            rounds=rounds,
            seats=tuple(SeatPlan(name=f"player_{i + 1}", **seat) for i in range(PLAYERS)),
            prompts="gamma",
            framing="v1",
            seed=1,
        )
        with tempfile.TemporaryDirectory() as folder:
            prompts = {"gamma": load_prompts("gamma").to_json()}
            run = Run.create(Path(folder) / "run", [plan], facts={}, prompts=prompts)
            seconds, cpu = asyncio.run(_played(run, model))
            moves = run.log().moves
            calls = run.status().calls
    finally:
        server.terminate()
        server.wait()
    steps = len(moves[["round", "step"]].drop_duplicates())
    again = calls - len(moves)
    waits = steps + (again if len(moves) == steps else 0)
    return {
        "game": name,
        "rounds": int(moves["round"].max()),
        "steps": steps,
        "calls": calls,
        "asked_again": again,
        "unread": int((moves["status"] != "parsed").sum()),
        "latency": latency,
        "seconds": seconds,
        "bound": waits * latency,
        "ratio": seconds / (waits * latency),
        "cpu_ms_per_call": 1000 * cpu / calls,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=200, help="scripted games of each kind (default 200)")
    parser.add_argument("--player", default="RANDOM", help="scripted player of all seats (default RANDOM)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds at the endpoint (default 20)")
    parser.add_argument("--latency", type=float, default=LATENCY, help="seconds (default 0.5)")
    parser.add_argument("--full", action="store_true", help="1,000 games of each kind; all at the endpoint")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    games = 1000 if options.full else options.games
    fast, slow = [], []
    for name in GAMMA_GAMES:
        fast.append(scripted(name, options.player, games, SECONDS))
        if not options.json:
            print(
                "{game}: {games:,} games of {player}, {rounds:,} rounds: {seconds:.2f} s of processor time, "
                "bound {bound:.0f} s".format(**fast[-1])
            )
    for name in GAMMA_GAMES if options.full else ("guessing",):
        slow.append(against_endpoint(name, options.rounds, options.latency))
        if not options.json:
            print(
                "{game} at {latency:g} s: {calls} calls in {rounds} rounds, {asked_again} of them again, "
                "{seconds:.2f} s, bound {bound:.2f} s, ratio {ratio:.3f}".format(**slow[-1])
                + f" (at most {RATIO}), {slow[-1]['cpu_ms_per_call']:.2f} ms of processor a call"
            )
    if options.json:
        print(json.dumps({"scripted": fast, "endpoint": slow}))


if __name__ == "__main__":
    main()
