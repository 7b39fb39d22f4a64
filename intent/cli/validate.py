"""``intent validate``: a dry read of a log."""

from __future__ import annotations

from typing import Any

from intent.cli.console import note, print_json, print_table, say
from intent.cli.options import JsonFlag, LogPath, Overwrite, Rejects
from intent.cli.reading import reads_logs

__all__ = ["validate"]


@reads_logs
def validate(
    log: LogPath,
    reading: dict[str, Any] | None = None,
    rejects: Rejects = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Read a log without doing anything: what it holds, what was decided, what cannot be read."""
    from intent.workflows.validate import validate as run

    found = run(log, **(reading or {}), rejects=rejects, overwrite=overwrite)
    if json:
        print_json(found.to_json())
        return
    counts = f"{found.n_games:,} games, {found.n_seats:,} seats, {found.n_moves:,} moves"
    title = f"{log.name}: {found.format}, {counts}"
    header = ("game", "n", "payoff_kind", "cooperative_action", "note")
    print_table(header, [[row[key] for key in header] for row in found.games], title)
    say()
    print_table(("condition", "values"), list(found.conditions.items()))
    for line in found.notes:
        note(f"note: {line}")
    if found.rejects:
        note(f"{found.rejects:,} rows cannot be read" + (f", listed in {rejects}:" if rejects else ":"))
    for line in found.first_rejects:
        note(f"  {line}")
    if found.rejects > len(found.first_rejects):
        note(f"  … and {found.rejects - len(found.first_rejects):,} more")
