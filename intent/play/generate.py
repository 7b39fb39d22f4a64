"""Generate noisy play of known strategies as a labelled game log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from intent.base.workers import Workers
    from intent.logs.gamelog import GameLog
    from intent.play.corpora import Corpus
    from intent.play.dataset import DatasetSpec

__all__ = ["FORMS", "generate", "generate_to"]

FORMS = ("tables", "compact")


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
    n : trajectories, equally many of each strategy
    rounds : int or (shortest, longest)
    eps : float or (low, high), probability per move that the intended move is flipped
    opponent : ``random``, ``random(p)``, a strategy, ``self``, ``sequence:CDDC`` (these moves), a set, a
        mixture, ``recorded:LOG``, or ``axelrod:NAME`` (so may be the strategies; these are played one match
        after the other)
    opponent_eps : float, (low, high), or None for the same as `eps`
    seed : same seed, same log, whatever the number of workers
    workers : processes

    Returns
    -------
    GameLog
        Seat 1 is focal and carries its strategy.
    """
    from intent.logs.gamelog import concat_logs
    from intent.play.dataset import make_spec

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
    with _spread(workers, None) as spread:
        return concat_logs(list(_chunks(spec, spread)), provenance=_provenance(spec))


def generate_to(
    path: str | Path,
    spec: DatasetSpec,
    *,
    form: str = "tables",
    workers: int = 1,
    dask: str | None = None,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Write a corpus, chunk by chunk where it is a Parquet folder or in compact form.

    Parameters
    ----------
    path : where to write; the suffix says how, none means a Parquet folder
    form : {"tables", "compact"}
        A log of games, seats and moves; or one Parquet file with a row per seat and its moves as a list.
    workers, dask : as `open_workers`; what is written does not depend on them
    update : called with (done, total)

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["generate"]`

    Raises
    ------
    UsageError
        Another form, or play of the Axelrod library in compact form.
    OutputError
        A path that cannot be written.
    """
    from intent.base.files import claim
    from intent.logs.gamelog import concat_logs
    from intent.logs.stores import ParquetLogWriter, write_log

    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    target = claim(path, overwrite=overwrite)
    done = 0
    with _spread(workers, dask) as spread:
        if form == "compact":
            done = _write_compact(target, spec, spread, overwrite, update)
        elif target.suffix:
            logs = []
            for log in _chunks(spec, spread):
                logs.append(log)
                done += len(log)
                update(done, spec.n)
            write_log(concat_logs(logs, provenance=_provenance(spec)), target, overwrite=overwrite)
        else:
            with ParquetLogWriter(target, overwrite=overwrite, provenance=_provenance(spec)) as writer:
                for log in _chunks(spec, spread):
                    writer.write(log)
                    done += len(log)
                    update(done, spec.n)
    return {"path": str(target), "n_games": done, "n_trajectories": done, "seed": spec.seed}


def _spread(workers: int, dask: str | None) -> AbstractContextManager[Workers]:
    from intent.base.workers import open_workers

    return open_workers(workers, dask)


def _write_compact(
    target: Path,
    spec: DatasetSpec,
    spread: Workers,
    overwrite: bool,
    update: Callable[[int, int], None],
) -> int:
    """Write the corpus as rows of lists; returns their number."""
    import numpy as np

    from intent.logs.compact import CompactWriter
    from intent.play.corpora import CONSTANTS, starts
    from intent.play.players import PREFIX

    if target.suffix != ".parquet":
        raise OutputError(f"cannot write {target}: the compact form is one .parquet file")
    if PREFIX in spec.strategies + spec.opponent:
        raise UsageError(
            "strategies of the Axelrod library are played match by match: leave out --form compact"
        )
    corpus, done = spec.corpus(), 0
    jobs = starts(corpus, np.random.default_rng(spec.seed))
    with CompactWriter(
        target, overwrite=overwrite, constants=CONSTANTS, provenance=_provenance(spec)
    ) as writer:
        for keys, own, other in spread.map(partial(_rows, corpus), jobs):
            writer.write(keys, own, other)
            done += len(own)
            update(done, spec.n)
    return done


def _rows(corpus: Corpus, start: Any) -> Any:
    from intent.play.corpora import chunk_rows, play_chunk

    return chunk_rows(play_chunk(corpus, start), corpus)


def _log(corpus: Corpus, start: Any) -> GameLog:
    from intent.play.corpora import chunk_log, play_chunk

    return chunk_log(play_chunk(corpus, start), corpus)


def _chunks(spec: DatasetSpec, spread: Workers) -> Iterator[GameLog]:
    import numpy as np

    from intent.play.players import PREFIX

    rng = np.random.default_rng(spec.seed)
    if PREFIX in spec.strategies + spec.opponent:
        yield from _library_chunks(spec, rng)
        return
    from intent.play.corpora import starts

    corpus = spec.corpus()
    yield from spread.map(partial(_log, corpus), starts(corpus, rng))


def _library_chunks(spec: DatasetSpec, rng: Any, size: int = 1000) -> Iterator[GameLog]:
    """Play one match after the other, with strategies of the Axelrod library on either side."""
    from dataclasses import replace

    from intent.games.catalogue import game
    from intent.play.match import Horizon, to_log
    from intent.play.players import PREFIX, AutomatonPlayer, LibraryPlayer
    from intent.play.referee import play
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
