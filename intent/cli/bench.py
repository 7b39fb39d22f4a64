"""``intent bench``: benchmarks. ``gamma`` is the eight-game one.

``intent bench gamma run``: a benchmark file, or nothing -> a run folder with log and scores.

``intent bench gamma score``: saved files, runs and logs -> scores from 0 to 100.

``intent bench gamma analyse``: runs -> which differences are real, regret, levels of reasoning, memory.

``intent bench gamma leaderboard``: runs of several models -> their ranking.

``intent bench gamma questionnaire``: a user's own items, put to a language model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.jobs import job_command
from intent.cli.options import By, JsonFlag, Overwrite, Seed, parse_pairs, reads_logs
from intent.gamma.bench.run_request import BenchRunRequest

__all__ = ["Scoring", "analyse", "bench", "leaderboard", "questionnaire", "score"]


Scoring = Annotated[
    str, typer.Option("--scoring", help="code (what published numbers use) or paper (its equation 1).")
]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…", help="GAMA-Bench's saved JSON, or folders of it, run folders, game logs."
    ),
]
Table = Annotated[
    list[Path] | None, typer.Option("-o", "--output", help="Scores (.csv .parquet .jsonl .json); repeatable.")
]


@reads_logs
def score(
    files: Files,
    scoring: Scoring = "code",
    reading: dict[str, Any] | None = None,
    output: Table = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Draw the play of each game into a folder."),
    ] = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Score runs of the eight games: one row per run, in the order given.

    With the score under the other scoring, and why they differ. Files
    that cannot be scored are listed with the reason.
    """
    from intent.behaviour.requests import claim_outputs
    from intent.cli.console import note, print_json, print_table
    from intent.gamma.bench.leaderboard import Pictures
    from intent.gamma.bench.scores import score_files

    claim_outputs(output or [], overwrite=overwrite)
    pictures = Pictures.into(figures, overwrite=overwrite) if figures is not None else None
    result = score_files(files, scoring=scoring, seen=pictures.take if pictures else None, **(reading or {}))
    wrote = [result.write(path, overwrite=overwrite) for path in output or []]
    wrote += pictures.draw() if pictures is not None else []
    for line in result.notes:
        note(f"note: {line}")
    for reject in result.rejects:
        note(f"cannot score {reject['reason']}")
    if json:
        print_json(result.to_dict())
        return
    other = "paper" if scoring == "code" else "code"
    header = ("file", "game", "setting", "model", "run", "rounds", scoring, other)
    rows = [
        (r.file, r.game, r.setting, r.model, r.run, r.rounds, f"{r.score:.1f}", f"{r.other:.1f}")
        for r in result.rows
    ]
    print_table(header, rows)
    for path in wrote:
        note(f"wrote {path}")


Sources = Annotated[
    list[Path], typer.Argument(metavar="RUN|LOG…", help="Run folders, game logs, GAMA-Bench's saved JSON.")
]


@reads_logs
def analyse(
    sources: Sources,
    by: By = None,
    scoring: Scoring = "code",
    samples: Annotated[int, typer.Option(min=100, max=1_000_000, help="Of bootstrap and tests.")] = 2000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Of intervals.")] = 0.95,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    folder: Annotated[Path | None, typer.Option("-o", "--output", help="Folder to write into.")] = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Analyse runs of the eight games beyond their scores.

    Differences between models (or other --by columns) with exact paired
    tests, the regret of every move against a best reply, levels of
    reasoning in the guessing game, and what changes when a game is told
    as another story.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.gamma.bench.analysis import analyse as run

    result = run(
        sources, by=by or "model", scoring=scoring, samples=samples, level=level, seed=seed, **(reading or {})
    )
    wrote = result.write(folder, overwrite=overwrite) if folder is not None else []
    if json:
        print_json(result.to_dict())
    else:
        tables = (
            ("differences of scores", result.difference_rows()),
            ("original less story", result.difference_rows(memory=True)),
            ("regret of a move, in what the game pays", result.regret_rows()),
            ("levels of reasoning in the guessing game", result.level_rows()),
        )
        shown = [table for table in tables if table[1][1]]
        for k, (title, (header, rows)) in enumerate(shown):
            if k:
                say()
            print_table(header, rows, title=title)
    for line in result.notes:
        note(f"note: {line}")
    for path in wrote:
        note(f"wrote {path}")


ScoredSources = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE|RUN|TABLE…", help="As of score, or tables that score wrote."),
]


@reads_logs
def leaderboard(
    sources: ScoredSources = None,
    scoring: Scoring = "code",
    published: Annotated[
        bool, typer.Option("--published", help="Put four published models beside yours.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Let runs that lack games count with those they have.")
    ] = False,
    rename: Annotated[
        list[str] | None,
        typer.Option("--rename", metavar="OLD=NEW", help="Call a model NEW (repeatable); joins two names."),
    ] = None,
    reading: dict[str, Any] | None = None,
    folder: Annotated[Path | None, typer.Option("-o", "--output", help="Folder to write into.")] = None,
    overwrite: Overwrite = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    json: JsonFlag = False,
) -> None:
    """Rank models: mean and sample deviation over runs, per game, per family, overall.

    Runs of other settings than the paper's are left out. The overall
    score of a run is the mean over its eight games.
    """
    import sys

    from intent.base.errors import UsageError
    from intent.cli.console import harmless, note, print_blocks, print_json
    from intent.gamma.bench.leaderboard import leaderboard_of

    if json and markdown:
        raise UsageError("--json and --markdown, expected one of them")
    names = {old: new[-1] for old, new in parse_pairs(rename, "--rename", "OLD=NEW").items()}
    result = leaderboard_of(
        sources or [],
        scoring=scoring,
        published=published,
        partial=partial,
        rename=names,
        **(reading or {}),
    )
    wrote = result.write(folder, overwrite=overwrite) if folder is not None else []
    for line in result.notes:
        note(f"note: {line}")
    for reject in result.rejects:
        note(f"cannot score {reject['reason']}")
    if json:
        print_json(result.to_dict())
    elif markdown:
        sys.stdout.write(harmless(result.markdown()))
    else:
        print_blocks(*result.rows())
    for path in wrote:
        note(f"wrote {path}")


def questionnaire(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="YAML or CSV: name, text, low, high, reversed, subscale.")
    ],
    model: Annotated[str, typer.Option("-m", "--model", help="The language model, such as openai/gpt-4o.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for replies and results; an earlier one goes on.")
    ],
    repetitions: Annotated[int, typer.Option(min=1, max=1000, help="How often each item is asked.")] = 5,
    persona: Annotated[
        str | None, typer.Option(help="Text that the model is given first, as it stands.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Default: the endpoint's own.")] = None,
    retries: Annotated[int, typer.Option(min=0, max=100, help="Asked again where no number is read.")] = 2,
    constrained: Annotated[
        bool, typer.Option("--constrained", help="Replies can only be numbers of the scale.")
    ] = False,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Put your own items to a model and average its answers by subscale.

    Every item is asked in a conversation of its own. No items come with
    the package but a small example of everyday choices.
    """
    from intent.cli.console import note, print_json, print_table, progress
    from intent.gamma.bench.questionnaire import put_questionnaire

    with progress("asking", quiet=json) as update:
        result = put_questionnaire(
            items,
            model,
            output,
            repetitions=repetitions,
            persona=persona,
            temperature=temperature,
            retries=retries,
            constrained=constrained,
            seed=seed,
            update=update,
        )
    if json:
        print_json(result)
        return
    rows = [(s["subscale"], _number(s["mean"]), _number(s["sd"]), s["n"]) for s in result["scores"]]
    print_table(["subscale", "mean", "sd", "repetitions"], rows)
    for line in result["notes"]:
        note(f"note: {line}")
    note(f"{result['path']}: replies.jsonl, answers.csv, questionnaire.json")


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


gamma = typer.Typer(
    help="GAMA-Bench: eight games of many players, played (run), scored, compared.", no_args_is_help=True
)
gamma.command("run")(job_command(BenchRunRequest))
gamma.command("score")(score)
gamma.command("leaderboard")(leaderboard)
gamma.command("analyse")(analyse)
gamma.command("questionnaire")(questionnaire)

bench = typer.Typer(help="Benchmarks: gamma, eight games of many players.", no_args_is_help=True)
bench.add_typer(gamma, name="gamma")
