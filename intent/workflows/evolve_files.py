"""The folder of an evolution: tables, figures, the JSON object, and the matches that it rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import OutputError

if TYPE_CHECKING:
    from intent.workflows.evolve_result import Evolution

__all__ = ["claim_folder", "write_files"]

MARK = "evolution.json"


def claim_folder(path: str | Path, *, overwrite: bool) -> Path:
    """The folder, made; one of an evolution that was cut short goes on.

    Raises
    ------
    OutputError
        It holds results and `overwrite` is false, something else, or it cannot be made.
    """
    from intent.logs.output import claim
    from intent.workflows.tournament_files import STORE

    target = claim(path, overwrite=True, into=True)
    if (target / MARK).exists() and not overwrite:
        raise OutputError(f"{target} holds an evolution; choose another path or give --overwrite")
    ours = (target / MARK).exists() or (target / STORE).exists()
    try:
        if target.exists() and not ours and any(target.iterdir()):
            raise OutputError(f"{target} is not empty and holds no evolution; choose another path")
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    return target


def write_files(found: Evolution, folder: Path) -> None:
    """Write everything; ``evolution.json`` last, so that it says that the rest is there.

    Raises
    ------
    OutputError
    """
    from intent.logs.output import writing
    from intent.logs.tablefile import write_table
    from intent.version import __version__
    from intent.workflows import evolve_tables as tables
    from intent.workflows.evolve_figures import write_figures

    facts = {"kind": "evolution", "source": found.source.read, **found.config, **found.source.facts}
    facts["version"] = __version__
    write_table(tables.equilibria_table(found), folder / "equilibria.csv", facts, overwrite=True)
    write_table(tables.runs_table(found), folder / "runs.csv", facts, overwrite=True)
    write_table(tables.paths_table(found), folder / "paths.parquet", facts, overwrite=True)
    write_table(tables.matrix_table(found, found.payoffs), folder / "payoff.csv", facts, overwrite=True)
    write_table(tables.matrix_table(found, found.invasion), folder / "invasion.csv", facts, overwrite=True)
    write_figures(found, folder, facts)
    with writing(folder / MARK, overwrite=True) as draft:
        text = json.dumps({**found.to_dict(), "config": facts}, ensure_ascii=False, indent=2, allow_nan=False)
        draft.write_text(text + "\n", "utf8")
