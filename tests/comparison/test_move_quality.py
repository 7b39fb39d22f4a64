"""How many moves were defaulted, missing, or refused at first."""

from __future__ import annotations

import pytest

from intent import generate
from intent.comparison.data import move_quality, quality_of
from intent.comparison.groups import Quality


def log_of_three():
    """Three games of four rounds."""
    return generate("ALLC,TFT,ALLD", 3, rounds=4, eps=0.05, seed=1)


def test_shares_of_moves():
    log = log_of_three()
    log.moves["status"] = ["defaulted", "missing", *log.moves["status"].astype(object)[2:]]
    table = move_quality(log)
    assert int(table["n_moves"].sum()) == len(log.moves)
    found = quality_of(table)
    assert found == Quality(1 / len(log.moves), 1 / len(log.moves), None, len(log.moves))


def test_refusals_are_those_that_details_list():
    log = log_of_three()
    details = ['{"refused": ["no number"]}', '{"unread": []}', "no JSON", '{"refused": 1}']
    log.moves["details"] = [details[min(i, 3)] for i in range(len(log.moves))]
    refused = move_quality(log)["refused"]
    assert refused.sum() == 1
    assert quality_of(move_quality(log)).refused == pytest.approx(
        1 / move_quality(log).loc[refused.notna(), "n_moves"].sum()
    )


def test_where_only_refusals_are_listed_other_replies_had_none():
    log = log_of_three()
    first = log.moves["seat"] == 1
    log.moves["reply"] = ["said" if one else None for one in first]
    log.moves["details"] = ['{"refused": ["no number"]}', *[None] * (len(log.moves) - 1)]
    assert quality_of(move_quality(log)).refused == pytest.approx(1 / first.sum())
    log.moves["details"] = ['{"refused": []}', *[None] * (len(log.moves) - 1)]
    assert quality_of(move_quality(log)).refused == 0
    assert move_quality(log)["refused"].notna().sum() == 1


def test_nothing_is_no_quality():
    assert quality_of(move_quality(log_of_three()).iloc[:0]) is None
