"""``intent bench``: benchmarks. ``gamma`` is the eight-game one (`intent.gamma.bench`)."""

from __future__ import annotations

import typer

from intent.cli.jobs import job_command
from intent.gamma.bench.requests import AnalyseRequest, LeaderboardRequest, QuestionnaireRequest, ScoreRequest
from intent.gamma.bench.run_request import BenchRunRequest

__all__ = ["bench"]

gamma = typer.Typer(
    help="GAMA-Bench: eight games of many players, played (run), scored, compared.", no_args_is_help=True
)
for _name, _request in (
    ("run", BenchRunRequest),
    ("score", ScoreRequest),
    ("leaderboard", LeaderboardRequest),
    ("analyse", AnalyseRequest),
    ("questionnaire", QuestionnaireRequest),
):
    gamma.command(_name)(job_command(_request))

bench = typer.Typer(help="Benchmarks: gamma, eight games of many players.", no_args_is_help=True)
bench.add_typer(gamma, name="gamma")
