"""Tables of the chain on a terminal: ours, and the paper's in brackets where there is one."""

from __future__ import annotations

import pytest

from experiments.llm_strategies.sets import table_note
from experiments.llm_strategies.tables import printed_tables

FILES = {
    "table3_cooperation": (
        "Table 3",
        "set,model,row,column,cooperation,paper\na,openai,A,A,0.255,0.3\na,openai,A,C,0.621,\n",
    ),
    "table45_payoffs": (
        "Tables 4 and 5",
        "set,model,row,column,payoff,paper\na,openai,A,A,1.5,\na,openai,C,A,,\n",
    ),
    "table6_equilibria": (
        "Table 6",
        "set,model,initial,attitude,share,paper\na,openai,1:1:1,A,0.25,0.14\na,openai,1:1:1,C,0.75,0.86\n",
    ),
    "line_up": ("Figure 2", "set,name\na,TFT\n"),
}


@pytest.fixture
def tables(tmp_path):
    for name, (_, text) in FILES.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    told = [{"file": f"{name}.csv", "title": "Shares", "published": n} for name, (n, _) in FILES.items()]
    return list(printed_tables({"path": str(tmp_path), "tables": told}))


def test_numbers_stand_beside_the_papers(tables):
    cooperation, payoffs, ends = tables
    assert cooperation.header == ("set", "", "A", "C")
    assert cooperation.rows == (("a", "A", "0.26 (0.30)", "0.62"),)
    assert payoffs.rows == (("a", "A", "1.50"), ("a", "C", "–"))
    assert ends.rows == (("a", "1:1:1", "25% (14%)", "75% (86%)"),)


def test_what_must_be_known_of_the_papers_numbers_is_said(tables):
    cooperation, payoffs, ends = tables
    assert cooperation.title == "Table 3: shares (the paper's in brackets)"
    assert (payoffs.title, payoffs.remark) == ("Tables 4 and 5: shares", "")
    assert "had no seeds" in ends.remark


def test_what_concerns_one_model_is_said_where_it_is_shown(tables):
    assert tables[0].remark == ""
    assert "Claude" in table_note("3", ["openai", "anthropic"])
