"""What may be written over, and what is left when writing fails."""

from __future__ import annotations

import os

import pytest

from intent.base.errors import OutputError
from intent.base.outputs import claim, remove_scratch, writing


def write_folder(path, name, **options):
    with writing(path, **options) as draft:
        draft.mkdir()
        (draft / name).write_text("new")


def write_file(path, **options):
    with writing(path, **options) as draft:
        draft.write_text("new")


def test_what_exists_needs_overwrite(tmp_path):
    write_file(tmp_path / "a.csv")
    with pytest.raises(OutputError, match=r"a\.csv exists; choose another path or give --overwrite"):
        write_file(tmp_path / "a.csv")
    write_file(tmp_path / "a.csv", overwrite=True)
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("mark", ["log.json", "recogniser.json"])
def test_a_folder_of_ours_is_replaced_whole(tmp_path, mark):
    write_folder(tmp_path / "play", mark)
    (tmp_path / "play" / "old.parquet").touch()
    write_folder(tmp_path / "play", mark, overwrite=True)
    assert os.listdir(tmp_path / "play") == [mark]
    assert os.listdir(tmp_path) == ["play"]


def test_an_empty_folder_is_replaced(tmp_path):
    (tmp_path / "play").mkdir()
    write_folder(tmp_path / "play", "log.json", overwrite=True)
    assert os.listdir(tmp_path / "play") == ["log.json"]


def test_a_folder_of_somebody_else_stays(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("years")
    with pytest.raises(
        OutputError,
        match=r"holds none of log\.json, recogniser\.json, run\.json, bundle\.json, so it is not ours",
    ):
        claim(tmp_path / "work", overwrite=True)
    with pytest.raises(OutputError, match="cannot replace"):
        write_folder(tmp_path / "work", "log.json", overwrite=True)
    assert (tmp_path / "work" / "thesis.txt").read_text() == "years"
    assert os.listdir(tmp_path) == ["work"]


def test_a_folder_that_fills_while_we_write_stays(tmp_path):
    (tmp_path / "work").mkdir()

    def meanwhile():
        with writing(tmp_path / "work", overwrite=True) as draft:
            draft.mkdir()
            (tmp_path / "work" / "thesis.txt").touch()

    with pytest.raises(OutputError, match="cannot replace"):
        meanwhile()
    assert os.listdir(tmp_path / "work") == ["thesis.txt"]


def test_a_file_does_not_replace_a_folder_nor_a_folder_a_file(tmp_path):
    write_folder(tmp_path / "play", "log.json")
    write_file(tmp_path / "table")
    with pytest.raises(OutputError, match="play: it is a folder, which a file does not replace"):
        write_file(tmp_path / "play", overwrite=True)
    with pytest.raises(OutputError, match="table: it is a file, which a folder does not replace"):
        write_folder(tmp_path / "table", "log.json", overwrite=True)
    assert (tmp_path / "play" / "log.json").read_text() == (tmp_path / "table").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["play", "table"]


def test_a_link_to_a_folder_is_not_replaced(tmp_path):
    write_folder(tmp_path / "play", "log.json")
    (tmp_path / "link").symlink_to("play")
    with pytest.raises(OutputError, match="link to a folder"):
        write_folder(tmp_path / "link", "log.json", overwrite=True)


def test_what_was_there_survives_a_failure(tmp_path):
    write_folder(tmp_path / "play", "log.json")

    def fail(error):
        with writing(tmp_path / "play", overwrite=True) as draft:
            draft.mkdir()
            raise error

    with pytest.raises(KeyError):
        fail(KeyError())
    with pytest.raises(OutputError, match=r"cannot write .*play: no space left"):
        fail(OSError(28, "no space left"))
    assert (tmp_path / "play" / "log.json").read_text() == "new"
    assert os.listdir(tmp_path) == ["play"]


def test_writing_into_a_folder_keeps_it(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "notes.txt").touch()
    assert claim(tmp_path / "demo", overwrite=True, into=True).is_dir()
    with pytest.raises(OutputError, match=r"notes\.txt: it is a file, expected a folder"):
        claim(tmp_path / "demo" / "notes.txt", overwrite=True, into=True)


@pytest.mark.parametrize("name", ["file/a.csv", "file/deep/a.csv"])
def test_a_folder_that_cannot_be(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="not a folder that can be written to"):
        claim(tmp_path / name)


def test_drafts_of_a_killed_process_go(tmp_path):
    left = tmp_path / ".standings.png.k3x9_abq"
    mine = tmp_path / ".standings.png.mine1234"
    for folder, name in ((left, "standings.png"), (mine, "notes.txt")):
        folder.mkdir()
        (folder / name).touch()
    (tmp_path / ".hidden").mkdir()
    remove_scratch(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {mine.name, ".hidden"}
