"""A run folder is portable, believed only after a look, and played by one process at a time."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing

import pytest
from stub_runs import StubCaller, make, plans, play, stub_agents

from intent.base.errors import OutputError, RunError, UsageError
from intent.runner.run import Run


@pytest.fixture
def run(tmp_path):
    """A finished run of two games."""
    made = make(tmp_path / "run", plans(2))
    play(made)
    return made


def edit(run, *statements: str) -> None:
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db, db:
        for statement in statements:
            db.execute(statement)


def test_a_copy_reads_alike(run, tmp_path):
    shutil.copytree(run.folder, tmp_path / "copy")
    copy = Run.open(tmp_path / "copy")
    assert copy.log().equals(run.log())
    assert copy.calls().equals(run.calls())
    assert list(copy.plans()) == plans(2)
    assert copy.prompts() == {"intent": "{}"}


def test_a_folder_that_cannot_be_written_to_is_read(run, tmp_path):
    for path in (run.folder / "run.sqlite", run.folder):
        path.chmod(0o500)
    try:
        assert len(run.log()) == run.status().games == 2
    finally:
        run.folder.chmod(0o700)


def test_the_other_journal_gives_the_same_log(run, tmp_path):
    other = make(tmp_path / "other", plans(2), journal="delete")
    play(other)
    assert other.log().equals(run.log())


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("[]", "does not say intent_run"),
        ('{"intent_run": 99, "run": "x"}', "version 99 of the layout"),
        ("{", "no JSON"),
        (r'{"intent_run": 1, "run": "\ud800"}', "no JSON: 'utf-8' codec can't encode"),
        ('{"intent_run": 1}', "does not say run"),
    ],
)
def test_other_folders_are_refused(run, facts, message):
    (run.folder / "run.json").write_text(facts)
    with pytest.raises(RunError, match=message):
        Run.open(run.folder)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA user_version = 7", "layout 7, this version"),
        ("PRAGMA application_id = 1", "not the database of a run"),
        ("CREATE TRIGGER t AFTER INSERT ON calls BEGIN DELETE FROM calls; END", "holds t, expected just"),
        ("CREATE VIEW v AS SELECT 1", "holds v"),
        ("DROP TABLE failures", "holds failures"),
        ("ALTER TABLE bases ADD COLUMN more", "a table with other columns"),
    ],
)
def test_other_databases_are_refused(run, statement, message):
    edit(run, statement)
    with pytest.raises(RunError, match=message):
        run.log()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE plans SET plan = '{}'",
        "UPDATE games SET seats = '[1, 2]'",
        "UPDATE moves SET message = x'00'",
        "UPDATE moves SET status = 'odd'",
        "DELETE FROM moves WHERE round = 2",
        "DELETE FROM moves WHERE round = 5 AND seat = 1",
    ],
)
def test_damaged_rows_are_errors_of_the_run(run, statement):
    edit(run, statement)
    with pytest.raises(RunError):
        run.log()


def test_a_file_that_is_no_database_is_refused(run):
    (run.folder / "run.sqlite").write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(RunError, match="cannot be used as the database of a run"):
        run.status()


def test_links_out_of_the_folder_are_not_followed(run, tmp_path):
    outside = tmp_path / "secret.json"
    outside.write_text('"secret"')
    (run.folder / "prompts" / "more.json").symlink_to(outside)
    with pytest.raises(RunError, match="no such file"):
        run.prompts()


def test_prompt_names_stay_in_the_folder(tmp_path):
    with pytest.raises(UsageError, match="prompt set"):
        Run.create(tmp_path / "run", plans(1), facts={}, prompts={"../up": "{}"})


def test_one_process_at_a_time_plays(tmp_path):
    run = make(tmp_path / "run", plans(2))
    caller = StubCaller(latency=0.05)

    async def both() -> list:
        jobs = [run.play(lambda player: caller, stub_agents) for _ in range(2)]
        assert run.status().playing is False
        return await asyncio.gather(*jobs, return_exceptions=True)

    first, second = asyncio.run(both())
    assert first.finished == 2
    assert isinstance(second, RunError)
    assert "another process is playing" in str(second)
    assert play(run).left == 0


def test_a_run_is_not_written_over_unasked(run):
    with pytest.raises(OutputError, match="exists"):
        make(run.folder, plans(1))
    assert len(list(make(run.folder, plans(1), overwrite=True).plans())) == 1


def test_facts_are_kept(tmp_path):
    facts = {"name": "two words", "seed": 7, "experiment": {"rounds": [1, 2]}}
    run = Run.create(tmp_path / "run", plans(1), facts=facts, prompts={})
    assert {key: run.facts[key] for key in facts} == facts
    assert json.loads((run.folder / "run.json").read_text())["intent_run"] == 1
    assert run.facts["run"].startswith("two words-")
