"""Factors that do not vary apart, and combinations that were never played."""

from __future__ import annotations

import pandas as pd
import pytest

from intent.comparison.data import confounds, missing_cells, one_sided
from intent.estimate.design_units import design_columns, determines


def design(**columns: str) -> pd.DataFrame:
    """One row per character."""
    return pd.DataFrame({name: list(text) for name, text in columns.items()})


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("AABB", "xxyy", "identical"),
        ("AABB", "xyzz", "nested"),
        ("AABB", "xyxy", None),
        ("AAAB", "xxyy", "associated"),
    ],
)
def test_how_two_factors_go_together(a, b, kind):
    found = confounds(design(a=a, b=b), ["a"], ["b"])
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_what_follows_from_a_factor_describes_it():
    assert confounds(design(game="psps", payoffs="1212"[::1], rounds="abab"), ["game"], ["rounds"]) != []
    assert confounds(design(game="pqr", kind="xxy"), ["game"], ["kind"]) == []


def test_cramers_v_is_that_of_the_table():
    (one,) = confounds(design(seat="111222", persona="CCSCSS"), ["seat"], ["persona"])
    assert one.v == pytest.approx(1 / 3)


def test_missing_and_unequal_cells():
    table = design(game="ppss" + "p" * 4, language="efee" + "f" * 4)
    cells = missing_cells(table, ["game", "language"])
    assert cells.missing == (("s", "f"),)
    assert (cells.n_cells, cells.least, cells.most) == (4, 1, 5)
    assert str(cells) == "1 of 4 combinations of game × language never occur: s × f"
    assert not missing_cells(design(a="xy", b="uu"), ["a", "b"]).unbalanced


def test_pairs_that_have_one_order_only():
    table = pd.DataFrame({"game_id": list("aabbcc"), "seat": [1, 2] * 3, "persona": list("CCCSSS")})
    assert one_sided(table, "persona") == [("S", "C")]
    assert one_sided(pd.concat([table, table.assign(seat=3 - table["seat"])]), "persona") == []


def test_columns_of_the_design():
    table = pd.DataFrame(
        {
            "game_id": ["a", "b"],
            "seat": [1, 1],
            "model": ["A", "B"],
            "temperature": [0.5, 1.0],
            "repetition": [1, 2],
            "n_rounds": [10, 9],
            "best": ["TFT", "ALLC"],
            "late": [1, 2],
        }
    )
    assert design_columns(table) == ["model"]
    assert design_columns(pd.DataFrame({"language": ["en", "fr"], "won": [True, False]})) == ["language"]


def test_one_column_tells_another():
    table = design(a="1122", b="xxyy", c="1212")
    assert determines(table, "a", "b")
    assert not determines(table, "a", "c")


def test_games_have_no_other_side():
    rows = pd.DataFrame({"game_id": ["g", "g"], "seat": [1, 2]})
    assert one_sided(rows, "game_id") == []
