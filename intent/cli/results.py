"""``intent results``: a log or a run -> all tables and figures of a published study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, Overwrite, Seed
from intent.cli.reading import reads_logs

__all__ = ["results"]

Source = Annotated[
    Path, typer.Argument(metavar="LOG|RUN", help="A game log of any known format, or a run folder.")
]


@reads_logs
def results(
    source: Source,
    paper: Annotated[
        str, typer.Option("--paper", help="Whose results: agent_architectures or private_deliberation.")
    ],
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path("results"),
    reading: dict[str, Any] | None = None,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    bootstrap: Annotated[int, typer.Option(help="Samples of intervals and tests.")] = 2000,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Make every table and figure of a published study from a log.

    Verdicts on its hypotheses stand beside the published ones. What
    the log cannot give is listed with the reason.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.workflows.results import results as run

    made = run(
        source,
        paper,
        folder,
        image=image,
        bootstrap=bootstrap,
        seed=seed,
        overwrite=overwrite,
        **(reading or {}),
    )
    if json:
        print_json(made)
        return
    listed = [("table", one) for one in made["tables"]] + [("figure", one) for one in made["figures"]]
    rows = [(kind, one["file"], one["title"], one["published"] or "") for kind, one in listed]
    print_table(("kind", "file", "what", "published as"), rows)
    if made["verdicts"]:
        say()
        verdicts = [(v["hypothesis"], v["verdict"], v["published"], v["claim"]) for v in made["verdicts"]]
        print_table(("hypothesis", "verdict", "published", "claim"), verdicts)
    for one in made["skipped"]:
        note(f"no {one['name']}: {one['why']}")
    for line in made["notes"]:
        note(line)
    note(f"wrote {len(listed)} files into {folder}")
