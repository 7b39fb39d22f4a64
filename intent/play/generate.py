"""Generate noisy play of known strategies as a labelled game log."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from intent.base.defaults import DEFAULT_STRATEGIES
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.job import (
    DASK,
    JSON,
    OVERWRITE,
    SEED,
    UPDATE,
    WORKERS,
    NonNegative,
    Request,
    Result,
    Table,
    Within,
    job,
    option,
)

if TYPE_CHECKING:
    from intent.base.workers import Workers
    from intent.logs.gamelog import GameLog
    from intent.play.corpora import Corpus
    from intent.play.dataset import DatasetSpec
    from intent.strategies.sets import Naming

__all__ = ["FORMS", "GenerateRequest", "GeneratedLog", "generate", "generate_log", "generate_to"]

FORMS = ("tables", "compact")


class GenerateRequest(
    Request, job="generate", function="intent.play.generate.generate_log", progress="playing"
):
    """Generate noisy play of known strategies (10,000 ten-round trajectories by default)."""

    spec: str | None = option(None, "Dataset spec: a shipped name or a YAML file.", positional=True)
    strategies: str | None = option(
        None, "Set name, names separated by commas, or a file of your own (.yaml, .py).", words=str | None
    )
    n: Annotated[int | None, Within(1, None)] = option(
        None, "Trajectories, equally many of each.", "-n", "--n"
    )
    rounds: str | None = option(None, "Rounds, or a range such as 5-100.")
    eps: str | None = option(None, "Noise per move, or a range such as 0-0.2.")
    opponent: str | None = option(
        None,
        "random, random(p), a strategy, self, sequence:CDDC, a set, TFT=1,random=2 (a mixture), "
        "recorded:LOG, axelrod:NAME, openspiel:NAME.",
    )
    opponent_eps: str | None = option(None, "Noise of the opponent, a range, or 'same'.")
    seed: Annotated[int | None, Within(0, None)] = replace(SEED, default=None)
    form: str = option(
        "tables", "tables (games, seats, moves), or compact: one .parquet file, a row of lists per seat."
    )
    workers: NonNegative = WORKERS
    dask: str | None = DASK
    output: Path = option(
        Path("play"), "Where to write: a folder (Parquet), or a .jsonl or .zip file.", "-o", "--output"
    )
    overwrite: bool = replace(OVERWRITE, only="")
    json: bool = JSON
    update: Callable[[int, int], None] = UPDATE

    def claim_outputs(self) -> None:
        """Nothing: the log is claimed once its spec is known."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: the log was written as it was played."""
        return []

    def dataset(self) -> "DatasetSpec":
        """What is to be played: the spec, with the settings that are said in its place."""
        from intent.play.dataset import load_spec, make_spec, parse_range

        changes = {
            name: getattr(self, name) for name in self.changed(("strategies", "n", "opponent", "seed"))
        }
        for name in self.changed(("rounds", "eps", "opponent_eps")):
            changes[name] = parse_range(getattr(self, name), f"--{name.replace('_', '-')}")
        return load_spec(self.spec, **changes) if self.spec else make_spec(changes)


@dataclass(frozen=True)
class GeneratedLog(Result):
    """A log that was played and written.

    Attributes
    ----------
    path : Path
    n_games : int, as many as trajectories
    spec : DatasetSpec
    """

    path: Path
    n_games: int
    spec: "DatasetSpec"

    kind = "generated log"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent generate --json``."""
        n = self.n_games
        return {"path": str(self.path), "n_games": n, "n_trajectories": n, "seed": self.spec.seed}

    def parts(self) -> Iterator[Table | str]:
        """Nothing."""
        yield from ()

    def remarks(self) -> Iterator[str]:
        """What was played, and where it is."""
        yield f"{self.n_games:,} games of {self.spec.strategies} in {self.path} (seed {self.spec.seed})"


@job(GenerateRequest)
def generate_log(request: GenerateRequest) -> GeneratedLog:
    """Play a dataset spec, shipped or by its settings, and write the log."""
    spec, settings = request.dataset(), request.values(("form", "workers", "dask", "overwrite", "update"))
    written = generate_to(request.output, spec, **settings)
    return GeneratedLog(request.output, written["n_games"], spec)


def generate(
    strategies: "Naming" = DEFAULT_STRATEGIES,
    n: int = 10_000,
    *,
    rounds: int | tuple[int, int] = 10,
    eps: float | tuple[float, float] = 0.05,
    opponent: str = "random",
    opponent_eps: float | tuple[float, float] | None = 0.0,
    seed: int = 0,
    workers: int = 1,
) -> "GameLog":
    """Noisy play of known strategies.

    Parameters
    ----------
    strategies : set name, names separated by commas, a file, or a sequence of names and Strategy
    n : trajectories, equally many of each strategy
    rounds : int or (shortest, longest)
    eps : float or (low, high), probability per move that the intended move is flipped
    opponent : ``random``, ``random(p)``, a strategy, ``self``, ``sequence:CDDC`` (these moves), a set, a
        mixture, ``recorded:LOG``, or a player of another library such as ``axelrod:NAME`` (so may be the
        strategies; these are played one match after the other)
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
    spec: "DatasetSpec",
    *,
    form: str = GenerateRequest.form,
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
        Another form, or players of other libraries in compact form.
    OutputError
        A path that cannot be written.
    """
    from intent.base.outputs import claim
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


def _spread(workers: int, dask: str | None) -> "AbstractContextManager[Workers]":
    from intent.base.workers import open_workers

    return open_workers(workers, dask)


def _write_compact(
    target: Path,
    spec: "DatasetSpec",
    spread: "Workers",
    overwrite: bool,
    update: Callable[[int, int], None],
) -> int:
    """Write the corpus as rows of lists; returns their number."""
    import numpy as np

    from intent.logs.compact import CompactWriter
    from intent.play.corpora import CONSTANTS, starts
    from intent.play.players import plays_by_library

    if target.suffix != ".parquet":
        raise OutputError(f"cannot write {target}: the compact form is one .parquet file")
    if plays_by_library(f"{spec.strategies},{spec.opponent}"):
        raise UsageError("players of other libraries are played match by match: leave out --form compact")
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


def _rows(corpus: "Corpus", start: Any) -> Any:
    from intent.play.corpora import chunk_rows, play_chunk

    return chunk_rows(play_chunk(corpus, start), corpus)


def _log(corpus: "Corpus", start: Any) -> "GameLog":
    from intent.play.corpora import chunk_log, play_chunk

    return chunk_log(play_chunk(corpus, start), corpus)


def _chunks(spec: "DatasetSpec", spread: "Workers") -> "Iterator[GameLog]":
    import numpy as np

    from intent.play.players import plays_by_library

    rng = np.random.default_rng(spec.seed)
    if plays_by_library(f"{spec.strategies},{spec.opponent}"):
        yield from _library_chunks(spec, rng)
        return
    from intent.play.corpora import starts

    corpus = spec.corpus()
    yield from spread.map(partial(_log, corpus), starts(corpus, rng))


def _library_chunks(spec: "DatasetSpec", rng: Any, size: int = 1000) -> "Iterator[GameLog]":
    """Play one match after the other, with players of other libraries on either side."""
    from dataclasses import replace

    from intent.games.catalogue import game
    from intent.play.match import Horizon, to_log
    from intent.play.players import named_player, plays_by_library
    from intent.play.referee import play

    own = spec.own
    ours = not plays_by_library(spec.strategies)
    names = (
        [s.name for s in spec.players()] if ours else [name.strip() for name in spec.strategies.split(",")]
    )
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
        players = [named_player(name, eps, own=own), named_player(rival, other, own=own)]
        match = play(stage, players, horizon, rng, columns=columns)
        focal, against = match.seats
        matches.append(replace(match, seats=(focal, {**against, "focal": False})))
        if len(matches) == size or i + 1 == spec.n:
            yield to_log(matches, source="generated")
            matches = []


def _provenance(spec: "DatasetSpec") -> dict[str, Any]:
    from intent.version import __version__

    return {"generator": "intent generate", "version": __version__, "spec": spec.model_dump(mode="json")}
