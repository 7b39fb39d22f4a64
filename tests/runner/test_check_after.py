"""What cannot be done with a log is said before the games."""

import json
from unittest import mock

import pytest

from intent.base.errors import UnknownNameError, UsageError
from intent.base.job import JOBS, Probability, Request, option
from intent.behaviour.metrics import metrics
from intent.behaviour.play_table import played
from intent.recognise.labels.label import label
from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import After, load_experiment
from intent.runner.finish import check_after, log_columns
from intent.runner.play import play_experiment

PD = {"model": "scripted/uniform", "rounds": 2}
ALL = {
    **PD,
    "grid": {"scale": [1, 10], "persona": {"mean": ["selfish", None]}, "columns.wave": [1, 2]},
    "questions": ["opponent_next"],
}


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        ({"metrics": {"by": "architecture,modle"}}, "column of after.metrics.by 'modle'; did you mean model"),
        ({"metrics": {"where": {"gane": ["x"]}}}, "column of after.metrics.where 'gane'"),
        ({"label": {}, "compare": {"by": ["languag"]}}, "after.compare.by 'languag'; did you mean language"),
        ({"label": {"eps_by": ["modell"]}}, "after.label.eps_by 'modell'"),
        ({"figures": {"by": "wav"}}, "after.figures.by 'wav'"),
        ({"results": "agent_architecture"}, "paper of after.results .*did you mean agent_architectures"),
    ],
)
def test_names_that_nothing_has(after, problem):
    with pytest.raises(UnknownNameError, match=problem):
        dry_run(load_experiment({**PD, "after": after}))


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        (
            "label:\n    treshold: .8",
            "line 6: after: label: unknown setting 'treshold'; did you mean threshold?",
        ),
        ("label:\n\n    threshold: 8", "line 7: after: label: threshold is 8, expected a probability"),
        ("label:\n    recogniser: bays", "line 6: unknown recogniser of after.label 'bays'"),
        (
            "label:\n    others: any\n    eps_by: modle",
            "line 7: unknown column of after.label.eps_by 'modle'",
        ),
        ("label:\n    {}", "line 5: after: label: games of more than two players"),
        ("compare:\n    levl: .9", "line 6: after: compare: unknown setting 'levl'"),
        (
            "compare:\n  - by: model\n  - level: .9\n    by: modle",
            "line 8: unknown column of after.compare.by",
        ),
        ("compare:\n    by: model", "line 5: after: compare counts labels"),
        ("figures:\n  - payoffs\n  - choice", "line 7: after: figures: unknown figure 'choice'"),
        ("figures:\n    names:\n    - choice", "line 7: after: figures: unknown figure 'choice'"),
        ("figures:\n    levl: 9", "line 6: after: figures: unknown setting 'levl'"),
        ("results:\n  - x", "line 6: unknown paper of after.results 'x'"),
    ],
)
def test_an_error_says_where_the_setting_stands(after, problem, tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text(f"model: scripted/uniform\nrounds: 2\ngame: public-goods\nafter:\n  {after}\n")
    with pytest.raises(UsageError) as error:
        dry_run(load_experiment(path))
    assert str(error.value).startswith(f"plan.yaml {problem}")


@pytest.mark.parametrize("how", ["plan.json", "--set after.metrics.levl", None])
def test_without_lines_it_says_the_file_or_what_set_it(how, tmp_path):
    source, path = {**PD, "after": {"metrics": {"levl": 0.9}}}, tmp_path / "plan.json"
    path.write_text(json.dumps(source))
    sources = {"plan.json": path, "--set after.metrics.levl": PD, None: source}
    changes = ["after.metrics.levl=0.9"] if how == "--set after.metrics.levl" else []
    with pytest.raises(UsageError) as error:
        dry_run(load_experiment(sources[how], set=changes))
    assert str(error.value).startswith(f"{how}: after: metrics: unk" if how else "after: metrics: unknown")


class Baking(Request):
    by: str = option("", "What is baked.")
    heat: Probability = option(0.5, "How hot.")
    oven: str = option("", "Which oven.", file=False)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"heat": 2}, "after: metrics: heat is 2, expected a probability"),
        ({"hea": 1}, "after: metrics: unknown setting 'hea'; did you mean heat"),
        ({"oven": "wide"}, "after: metrics: unknown setting 'oven'"),
    ],
)
def test_a_job_with_a_request_is_checked_by_it(settings, problem):
    with mock.patch.dict(JOBS, {"metrics": Baking}):
        check_after(After(metrics={"heat": 0.2, "by": "wave"}))
        with pytest.raises(UsageError, match=problem):
            check_after(After(metrics=settings))


@pytest.mark.parametrize("job", ["label", "compare", "figures", "metrics"])
def test_what_no_job_has_is_refused(job):
    with pytest.raises(UsageError, match=f"after: {job}: unknown setting 'sed'; did you mean seed"):
        check_after(After(**{"label": {}, job: {"sed": 1}}))


@pytest.mark.parametrize("what", ["label", "metrics"])
def test_more_than_two_players_have_to_be_read_somehow(what):
    goods = {**PD, "game": "public-goods"}
    with pytest.raises(UsageError, match=f"after: {what}: games of more than two players need others"):
        dry_run(load_experiment({**goods, "after": {what: {}}}))
    dry_run(load_experiment({**goods, "after": {what: {"others": "majority"}}}))
    dry_run(load_experiment({**goods, "after": {what: {"where": {"game": ["prisoner-dilemma"]}}}}))


@pytest.mark.slow
def test_no_column_of_a_log_or_of_what_is_made_of_it_is_refused():
    known = log_columns(load_experiment(ALL).plans())
    log = play_experiment(ALL).log
    tables = (log.games, log.seats, log.moves, played(log), metrics(log, bootstrap=20).table, label(log))
    made = {name for table in tables for name in table.columns if not name.startswith("p_")}
    assert made <= known
