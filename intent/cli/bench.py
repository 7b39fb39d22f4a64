"""``intent bench``: benchmarks. ``gamma`` is the eight-game one."""

from __future__ import annotations

import typer

from intent.cli.bench_analyse import analyse
from intent.cli.bench_leaderboard import leaderboard
from intent.cli.bench_questionnaire import questionnaire
from intent.cli.bench_run import run
from intent.cli.bench_score import score

__all__ = ["bench"]

gamma = typer.Typer(
    help="GAMA-Bench: eight games of many players, played (run), scored, compared.", no_args_is_help=True
)
gamma.command("run")(run)
gamma.command("score")(score)
gamma.command("leaderboard")(leaderboard)
gamma.command("analyse")(analyse)
gamma.command("questionnaire")(questionnaire)

bench = typer.Typer(help="Benchmarks: gamma, eight games of many players.", no_args_is_help=True)
bench.add_typer(gamma, name="gamma")
