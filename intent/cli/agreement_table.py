"""What ``intent label -r A,B,…`` does: one log, several recognisers, where they agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from intent.cli.console import note, print_json, print_table, progress, say
from intent.errors import UsageError

__all__ = ["label_by_several"]


def label_by_several(
    log: Path,
    recognisers: str,
    *,
    unused: dict[str, Any],
    output: Path | None,
    rejects: Path | None,
    overwrite: bool,
    json: bool,
    **settings: Any,
) -> None:
    """Label a log by several recognisers, print how they agree, and keep table or figure.

    Parameters
    ----------
    log : path
    recognisers : names separated by commas
    unused : option -> value, of options that belong to one recogniser
    output : path of a table or figure
    rejects, overwrite, json
        As in ``intent label``.
    **settings
        Passed to `agree`.

    Raises
    ------
    UsageError
        An option that belongs to one recogniser.
    """
    from intent.workflows.agreement import agree
    from intent.workflows.label import claim_outputs
    from intent.workflows.result_files import check_output

    given = [name for name, value in unused.items() if value]
    if given:
        raise UsageError(f"{', '.join(given)} belongs to a single recogniser, but -r names {recognisers}")
    if output is not None:
        check_output(output, overwrite=overwrite, origin=log)
    claim_outputs(None, rejects, overwrite=overwrite, source=log)
    with progress("labelling", quiet=json) as update:
        result = agree(log, recognisers, update=update, **settings)
    if output is not None:
        result.write(output, overwrite=overwrite)
    if rejects is not None and len(result.rejects):
        note(f"rejected rows: {result.write_rejects(rejects, overwrite=overwrite)}")
    elif len(result.rejects):
        note(f"{len(result.rejects):,} rows could not be read")
    if json:
        print_json(result.to_dict())
    else:
        found = result.agreement
        say(f"{found.n:,} trajectories of {found.n_games:,} games in {log}, by {', '.join(found.names)}\n")
        for title, header, rows in result.tables():
            print_table(header, rows, title=title)
            say()
        for line in result.sentences():
            say(line)
        for line in result.notes:
            note(f"note: {line}")
        note(
            f"wrote {output}" if output is not None else "nothing saved; -o FILE keeps the table or a figure"
        )
