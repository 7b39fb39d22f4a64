"""The folder of an evolution: tables, figures, the JSON object, and the matches that it rests on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import OutputError

if TYPE_CHECKING:
    from intent.workflows.evolve_result import Evolution

__all__ = ["LOCK", "claim_folder", "write_files"]

MARK = "evolution.json"
LOCK = "evolution.lock"


def claim_folder(path: str | Path, *, overwrite: bool) -> Path:
    """The folder, not yet made; one of an evolution that was cut short goes on.

    Raises
    ------
    OutputError
        It holds results and `overwrite` is false, something else, or its place cannot be written to.
    """
    from intent.workflows.own_folder import own_folder
    from intent.workflows.tournament_files import STORE

    if (Path(path) / MARK).exists() and not overwrite:
        raise OutputError(
            f"{path} holds an evolution that is finished; give --overwrite to write its results anew "
            "(matches in it are used again), or choose another path"
        )
    return own_folder(path, kind="evolution", marks=[MARK, STORE], lock=LOCK, make=False)


def write_files(found: Evolution, folder: Path, image: str = "png") -> None:
    """Write everything; ``evolution.json`` last, so that it says that the rest is there.

    Raises
    ------
    OutputError
    """
    from intent.logs.jsonfile import write_object
    from intent.logs.output import made, remove_scratch
    from intent.logs.tablefile import write_table
    from intent.runner.lock import locked
    from intent.version import __version__
    from intent.workflows import evolve_tables as tables
    from intent.workflows.evolve_figures import write_figures

    facts = {"kind": "evolution", "source": found.source.read, **found.config, **found.source.facts}
    facts["version"] = __version__
    with locked(made(folder) / LOCK):
        remove_scratch(folder)
        write_table(tables.equilibria_table(found), folder / "equilibria.csv", facts, overwrite=True)
        write_table(tables.runs_table(found), folder / "runs.csv", facts, overwrite=True)
        write_table(tables.paths_table(found), folder / "paths.parquet", facts, overwrite=True)
        write_table(tables.matrix_table(found, found.payoffs), folder / "payoff.csv", facts, overwrite=True)
        write_table(
            tables.matrix_table(found, found.invasion), folder / "invasion.csv", facts, overwrite=True
        )
        write_figures(found, folder, facts, image)
        write_object(folder / MARK, {**found.to_dict(), "config": facts}, overwrite=True)
