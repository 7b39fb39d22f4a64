"""The folder of a tournament: tables, figures, the log of moves, and the store that it resumes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from intent.workflows.figures import IMAGES
from intent.workflows.tournament_result import TournamentResult

if TYPE_CHECKING:
    import pandas as pd

    from intent.arena.tournament.agents import LineUp
    from intent.arena.tournament.store import MatchStore

__all__ = ["LABEL_SHARES", "LOCK", "LOG", "RESULT", "STORE", "kept_matches", "write_files"]

STORE = "moves.sqlite"
LOCK = "tournament.lock"
LOG = "log"
RESULT = "tournament.json"
LABELS = "labels.csv"
LABEL_SHARES = "label_shares.csv"

_OPTIONAL = (
    LABELS,
    LABEL_SHARES,
    *(f"{stem}.{ending}" for stem in ("standings", "head_to_head") for ending in IMAGES),
)
"""Files that not every tournament has."""


@contextmanager
def kept_matches(folder: Path | None, lock: str = LOCK) -> Iterator[MatchStore | None]:
    """The store of a folder, for one process at a time; None without a folder.

    The folder is made where it is absent, and scratch files of a process that was killed go.
    """
    if folder is None:
        yield None
        return
    from intent.arena.tournament.store import MatchStore
    from intent.logs.output import made, remove_scratch
    from intent.runner.lock import locked

    with locked(made(folder) / lock), MatchStore(folder / STORE) as store:
        remove_scratch(folder)
        yield store


def write_files(
    result: TournamentResult,
    folder: Path,
    store: MatchStore,
    line_up: LineUp | None,
    *,
    figures: bool = True,
    image: str = "png",
) -> None:
    """Write everything that a tournament leaves, in place of what an earlier one left in the folder.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    import pandas as pd

    from intent import schema
    from intent.arena.tournament.pairs import pair_columns
    from intent.logs.jsonfile import write_object
    from intent.logs.tablefile import write_table
    from intent.version import __version__
    from intent.workflows.json_values import json_values

    for name in _OPTIONAL:
        for path in (folder / name, folder / f"{name}.meta.json"):
            path.unlink(missing_ok=True)
    facts = {**result.config, "engine": result.engine, "version": __version__}

    def write(table: pd.DataFrame, name: str) -> None:
        write_table(table, folder / name, {"kind": Path(name).stem, **facts}, overwrite=True)

    columns = [column.name for column in schema.STANDINGS]
    write(pd.DataFrame(result.standings, columns=columns), "standings.csv")
    write(pd.DataFrame(pair_columns(result.table)), "pairs.csv")
    for name, matrix in result.head_to_head.items():
        write(
            pd.DataFrame.from_dict(matrix, orient="index").rename_axis("against").reset_index(),
            f"head_to_head_{name}.csv",
        )
    _write_log(result, folder, store, line_up)
    if result.config["label"] is not None and result.n_matches:
        _write_labels(result, folder)
    if figures:
        from intent.report.tournament_figures import write_tournament_figures

        write_tournament_figures(
            folder,
            result.table,
            standings=result.standings,
            head_to_head=result.head_to_head,
            intervals=result.intervals,
            config=result.config,
            image=image,
        )
    write_object(folder / RESULT, json_values({**result.to_dict(), "config": facts}), overwrite=True)


def _write_log(result: TournamentResult, folder: Path, store: MatchStore, line_up: LineUp | None) -> None:
    """The moves as a game log; that of an earlier run is removed where none is asked for."""
    import shutil

    path, which = folder / LOG, result.config["log"]
    if which == "none" or not result.n_matches:
        if (path / "log.json").is_file():
            shutil.rmtree(path)
        return
    from intent.arena.model_table import without_models
    from intent.arena.tournament.game_log import write_match_log
    from intent.arena.tournament.stored import line_up_matches, round_robin_matches
    from intent.version import __version__

    matches = (
        round_robin_matches(without_models(result.table), result.salt, store, which)
        if line_up is None
        else line_up_matches(line_up, result.salt, store, which)
    )
    write_match_log(
        path,
        matches,
        result.table.rules,
        result.game,
        provenance={
            "generator": "intent tournament",
            "version": __version__,
            "settings": dict(result.config),
        },
        overwrite=True,
    )


def _write_labels(result: TournamentResult, folder: Path) -> None:
    """Labels of the log, and for each strategy the shares of what it was taken for."""
    from intent.workflows.tournament_labels import write_labels

    rules = result.table.rules
    write_labels(
        folder / LOG,
        folder / LABELS,
        folder / LABEL_SHARES,
        result.config["label"],
        [entrant.name for entrant in result.matches.field],
        turns=rules.turns,
        noise=rules.noise,
        seed=int(result.config["seed"]),
    )
