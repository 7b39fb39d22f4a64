"""Generate noisy play of known strategies as a labelled game log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.workflows.dataset import DatasetSpec

__all__ = ["generate", "generate_to"]


def generate(
    strategies: str = "canonical4",
    n: int = 10_000,
    *,
    rounds: int | tuple[int, int] = 10,
    eps: float | tuple[float, float] = 0.05,
    opponent: str = "random",
    opponent_eps: float | tuple[float, float] | None = 0.0,
    seed: int = 0,
    workers: int = 1,
) -> GameLog:
    """Noisy play of known strategies.

    Parameters
    ----------
    strategies : set name, or names separated by commas
    n : int
        Trajectories, equally many of each strategy.
    rounds : int or (shortest, longest)
    eps : float or (low, high), probability per move that the intended move is flipped
    opponent : str
        ``random``, ``random(p)``, a strategy, ``self``, ``sequence:CDDC`` (these moves), a set, a mixture,
        ``recorded:LOG``, or ``axelrod:NAME`` (so may be the strategies; these are played one match
        after the other).
    opponent_eps : float, (low, high), or None for the same as `eps`
    seed : int
        Same seed, same log, whatever the number of workers.
    workers : int

    Returns
    -------
    GameLog
        Seat 1 is focal and carries its strategy.
    """
    from intent.logs.concat import concat_logs
    from intent.workflows.dataset import make_spec

    spec = make_spec(
        {
            "strategies": strategies,
            "n": n,
            "rounds": rounds,
            "eps": eps,
            "opponent": opponent,
            "opponent_eps": opponent_eps,
            "seed": seed,
        }
    )
    return concat_logs(list(_chunks(spec, workers)), provenance=_provenance(spec))


def generate_to(
    path: str | Path,
    spec: DatasetSpec,
    *,
    workers: int = 1,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Write a corpus to a log, chunk by chunk where the path is a Parquet folder.

    Parameters
    ----------
    path : where to write; the suffix says how, none means a Parquet folder
    spec : DatasetSpec
    workers : int
    overwrite : bool
    update : called with (done, total)

    Returns
    -------
    dict as `schema.JSON_OBJECTS["generate"]`
    """
    from intent.logs.concat import concat_logs
    from intent.logs.output import claim
    from intent.logs.stores import ParquetLogWriter, write_log

    target = claim(path, overwrite=overwrite)
    done = 0
    if target.suffix:
        logs = []
        for log in _chunks(spec, workers):
            logs.append(log)
            done += len(log)
            update(done, spec.n)
        write_log(concat_logs(logs, provenance=_provenance(spec)), target, overwrite=overwrite)
    else:
        with ParquetLogWriter(target, overwrite=overwrite, provenance=_provenance(spec)) as writer:
            for log in _chunks(spec, workers):
                writer.write(log)
                done += len(log)
                update(done, spec.n)
    return {"path": str(target), "n_games": done, "n_trajectories": done, "seed": spec.seed}


def _chunks(spec: DatasetSpec, workers: int) -> Iterator[GameLog]:
    import numpy as np

    from intent.play.library import PREFIX

    rng = np.random.default_rng(spec.seed)
    if PREFIX in spec.strategies + spec.opponent:
        yield from _library_chunks(spec, rng)
        return
    from intent.play.corpora import stream
    from intent.play.corpus_log import chunk_log

    corpus = spec.corpus()
    for chunk in stream(corpus, rng, workers=workers):
        yield chunk_log(chunk, corpus)


def _library_chunks(spec: DatasetSpec, rng: Any, size: int = 1000) -> Iterator[GameLog]:
    """Play one match after the other, with strategies of the Axelrod library on either side."""
    from dataclasses import replace

    from intent.games.catalogue import game
    from intent.play.drive import play
    from intent.play.horizon import Horizon
    from intent.play.library import PREFIX, LibraryPlayer
    from intent.play.players import AutomatonPlayer
    from intent.play.record import to_log
    from intent.strategies.catalogue import strategy

    def player(name: str, eps: float) -> Any:
        return LibraryPlayer(name, eps) if name.startswith(PREFIX) else AutomatonPlayer(strategy(name), eps)

    names = [name.strip() for name in spec.strategies.split(",")]
    stage, matches = game("prisoner-dilemma-trps"), []
    for i in range(spec.n):
        name = names[i % len(names)]
        rival = name if spec.opponent == "self" else spec.opponent
        eps = float(rng.uniform(*spec.eps))
        other = eps if spec.opponent_eps is None else float(rng.uniform(*spec.opponent_eps))
        horizon = Horizon(int(rng.integers(spec.rounds[0], spec.rounds[1] + 1)), known=False)
        columns = {
            "game_id": f"g{i + 1:07d}",
            "repetition": i // len(names) + 1,
            "eps": eps,
            "opponent_eps": other,
            "opponent": spec.opponent,
        }
        match = play(stage, [player(name, eps), player(rival, other)], horizon, rng, columns=columns)
        focal, against = match.seats
        matches.append(replace(match, seats=(focal, {**against, "focal": False})))
        if len(matches) == size or i + 1 == spec.n:
            yield to_log(matches, source="generated")
            matches = []


def _provenance(spec: DatasetSpec) -> dict[str, Any]:
    from intent.version import __version__

    return {"generator": "intent generate", "version": __version__, "spec": spec.model_dump(mode="json")}
