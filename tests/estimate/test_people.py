"""Shares of people: one file, names, sets, and what is said where sets differ."""

from __future__ import annotations

import pytest

from intent import generate, sfem
from intent.base.codebook import BASELINES
from intent.base.errors import UnknownNameError, UsageError
from intent.base.job import Table
from intent.estimate.baselines import BaselineList, baselines, every_baseline, nearest_sets
from intent.estimate.requests import SfemRequest
from intent.strategies.catalogue import CATALOGUE

DEFAULT = ("ALLC", "ALLD", "TFT", "WSLS", "RANDOM")


def names(chosen, classes=()):
    return [one.name for one in baselines(chosen, classes)]


def test_every_baseline_says_where_it_comes_from_and_its_shares_are_whole():
    for one in every_baseline():
        assert sum(share for _, share, _ in one.shares) == pytest.approx(1, abs=0.011), one.name
        assert {name for name, _, _ in one.shares} == set(one.strategies) <= set(CATALOGUE), one.name
        assert all((one.citation, one.doi in one.bibtex, one.licence, one.seen, one.note)), one.name
        assert (one.how == "re-estimated") == (":" in one.name) == one.seen.startswith("python datasets/")
    assert len({one.name for one in every_baseline()}) == len(every_baseline())


def test_more_than_two_studies():
    assert len({one.citation for one in every_baseline()}) == 3
    assert {one.how for one in every_baseline()} == {"published", "re-estimated"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("df2011-d75-r48", ["df2011-d75-r48"]),
        ("df2011-d75-r48:rr20", ["df2011-d75-r48:rr20"]),
        ("df2011-d75", ["df2011-d75-r32", "df2011-d75-r40", "df2011-d75-r48"]),
        ("akata2025:df2011", ["akata2025-plain:df2011", "akata2025-scot:df2011"]),
        ("rr2018", ["rr2018-example"]),
    ],
)
def test_names_of_studies_treatments_and_sets(name, expected):
    assert names([name]) == expected


def test_where_nothing_was_published_the_set_is_the_nearest_to_what_competes():
    assert names(["akata2025"], DEFAULT) == ["akata2025-plain:canonical4", "akata2025-scot:canonical4"]
    assert names(["rr2018-t1"], ("ALLC", "ALLD", "GRIM", "TFT", "T2", "WSLS")) == ["rr2018-t1:df2011"]


def test_of_the_same_people_the_nearest_set_is_taken():
    chosen = nearest_sets(every_baseline(), DEFAULT)
    assert len({one.people for one in chosen}) == len(chosen)
    assert {one.name.partition(":")[2] for one in chosen if one.people != "rr2018-example"} == {"canonical4"}


def test_a_difference_of_sets_is_said_with_the_name_that_has_none():
    (published,) = baselines(["df2011-d75-r48"])
    assert published.differences(DEFAULT) == (
        "df2011-d75-r48: GRIM, T2 competed there (36% of its shares) and RANDOM did not: shares are not of "
        "the same set; --baseline df2011-d75-r48:canonical4 is of this set"
    )
    assert baselines(["df2011-d75-r48:canonical4"])[0].differences(DEFAULT) is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [("df2011-d75-r47", "df2011-d75-r48"), ("akata2025:cannonical4", "akata2025-"), ("frd", "")],
)
def test_an_unknown_name_suggests_the_nearest(name, hint):
    with pytest.raises(UnknownNameError, match=f"unknown baseline '{name}'.*{hint}"):
        baselines([name])


def test_the_table_is_that_of_the_codebook():
    table = BaselineList().table()
    assert list(table) == [column.name for column in BASELINES]
    assert len(table) == sum(len(one.shares) for one in every_baseline())
    assert table.groupby("name")["share"].sum().sub(1).abs().max() < 0.011


@pytest.fixture(scope="module")
def log():
    return generate(n=40, rounds=8, seed=1)


@pytest.mark.parametrize("by", ["", "strategy"])
def test_shares_of_people_stand_below_those_of_a_log(log, by):
    estimates = SfemRequest(log=log, by=by, test=False, baseline="df2011-d75-r48").run()
    (one,) = baselines(["df2011-d75-r48"])
    assert estimates.to_dict()["baselines"] == [one.to_dict()]
    table = next(
        part for part in estimates.parts() if isinstance(part, Table) and part.title.startswith("Shares")
    )
    below = [row for row in table.rows if str(row[0]).startswith("humans")]
    assert [(row[0], row[1], row[2]) for row in below] == [
        ("humans: df2011-d75-r48", name, f"{100 * share:.1f}") for name, share, _ in one.shares
    ]
    assert {len(row) for row in table.rows} == {len(table.header)}
    assert table.header[0] == (by or "group")
    assert one.differences(DEFAULT) in estimates.notes


def test_without_a_name_nothing_stands_beside(log):
    assert "baselines" not in SfemRequest(log=log).run().to_dict()


def test_names_are_looked_up_before_anything_is_estimated():
    with pytest.raises(UnknownNameError, match="unknown baseline 'nobody'"):
        sfem("nowhere.csv", baseline="nobody")
    with pytest.raises(UsageError, match="not with --others count"):
        sfem("nowhere.csv", baseline="df2011", others="count")
    assert isinstance(SfemRequest(log="nowhere.csv", baseline="list").run(), BaselineList)
