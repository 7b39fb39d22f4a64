"""Columns and keys change with the codebook's version, and in no other way."""

from __future__ import annotations

from itertools import pairwise

import codebook_versions as names
import pytest
from packaging.version import Version

from intent.base.codebook import CODEBOOK_VERSION

BEFORE = {"table labels": ["label: string", "n_rounds: int"], "json label": ["n", "statuses"]}


def test_names_are_those_of_their_version():
    entry = names.frozen().get(CODEBOOK_VERSION)
    assert entry, "a new version: run python tests/codebook_versions.py"
    gone, fresh = names.changes(entry["names"], names.names_of_today())
    how = "run python tests/codebook_versions.py, which says whether CODEBOOK_VERSION has to move first"
    assert (gone, fresh) == ([], []), how


def test_every_version_is_as_far_from_the_last_as_its_names():
    for (old, before), (new, after) in pairwise(names.frozen().items()):
        assert Version(new) >= Version(names.least_version(old, before["names"], after["names"]))


@pytest.mark.parametrize(
    ("after", "least"),
    [
        (BEFORE, "1.4"),
        ({**BEFORE, "json label": ["n", "statuses", "tied"]}, "1.5"),
        ({**BEFORE, "json sfem": []}, "1.5"),
        ({**BEFORE, "json label": ["n", "status"]}, "2.0"),
        ({**BEFORE, "table labels": ["label: category", "n_rounds: int"]}, "2.0"),
        ({"table labels": BEFORE["table labels"]}, "2.0"),
    ],
)
def test_least_version(after, least):
    assert names.least_version("1.4", BEFORE, after) == least


@pytest.mark.parametrize(("package", "code"), [("1.0.0rc1", 0), ("1.0.0", 1)])
def test_what_a_final_release_froze_is_not_frozen_again(package, code, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(names, "FILE", tmp_path / "versions.json")
    monkeypatch.setattr(names, "__version__", package)
    assert names.main() == 0
    monkeypatch.setattr(names, "names_of_today", lambda: BEFORE)
    assert names.main() == code
    frozen = names.frozen()[CODEBOOK_VERSION]["names"]
    assert (frozen == BEFORE) is (code == 0)
    assert ("set CODEBOOK_VERSION to" in capsys.readouterr().out) is (code == 1)


def test_every_json_object_that_is_printed_begins_with_the_version(capsys):
    import json

    from intent.cli.main import main

    with pytest.raises(SystemExit):
        main(["strategies", "list", "--json"])
    first, value = next(iter(json.loads(capsys.readouterr().out).items()))
    assert (first, value) == ("codebook_version", CODEBOOK_VERSION)
