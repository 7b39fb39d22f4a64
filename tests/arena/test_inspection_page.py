"""The page for inspection: complete, readable, and dead to whatever the code and words say."""

from __future__ import annotations

from collections import namedtuple

import pytest
from automaton_engine import AutomatonEngine

from intent.arena.entrant import Entrant
from intent.arena.inspection import InspectedSet, inspect_strategies, write_inspection_page
from intent.arena.match import MatchRules
from intent.base.errors import OutputError
from intent.report.page import foreign_parts, visible
from intent.strategies.catalogue import strategy

Refused = namedtuple("Refused", "name reason origin")

HOSTILE = (
    "<script>alert(1)</script>",
    "</code></pre><img src=x onerror=alert(1)>",
    "</style><style>body{background:url(http://evil.example/x)}</style>",
    '"><a href="javascript:alert(1)">x</a>',
    "{{ 7 * 7 }}{% raw %}",
    "\u202eright to left\u2069 \x07 \ud800",
    "<!-- --><svg onload=alert(1)>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    source = "def strategy(self, opponent):\n    # {}\n    return axl.Action.C\n"
    hostile = [
        Entrant(f"{text} {k}", source.format(text), words=text, group=text, origin=text)
        for k, text in enumerate(HOSTILE)
    ]
    played = {e.source: strategy("TFT") for e in hostile[:-1]}
    facts = inspect_strategies(hostile, AutomatonEngine(played), MatchRules(turns=30))
    failed = [Refused(text, text, text) for text in HOSTILE]
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_inspection_page(
        path,
        [InspectedSet(HOSTILE[1], facts, failed), InspectedSet(HOSTILE[2], ())],
        title=HOSTILE[0],
        lines=HOSTILE,
    )
    return path.read_text("utf8")


def test_nothing_in_the_page_can_run_or_load_anything(page):
    assert foreign_parts(page) == []


def test_everything_hostile_stands_there_as_text(page):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7 * 7 }}" in page
    assert "⟨U+202E⟩right to left⟨U+2069⟩ ⟨U+0007⟩" in page
    assert "\u202e" not in page


def test_the_browser_is_told_to_run_nothing_else(page):
    assert "default-src 'none'" in page
    assert page.count("<script>") == 1
    assert "http" not in page.replace("http-equiv", "").replace("http://evil.example", "")


@pytest.mark.parametrize(
    "text",
    [
        "<script>1</script>",
        "<p onclick=a>",
        "<img src=x>",
        "<a href='https://a.example'>",
        "<a href='javascript:a'>",
        "<iframe>",
        "<style>p{}</style>",
        "<p style='a'>",
        "<meta http-equiv=refresh content=1>",
        "<link rel=x>",
        "<base href='#'>",
        "<object data=x>",
        "<svg><use xlink:href='a#b'/></svg>",
    ],
)
def test_the_check_sees_what_is_foreign(text):
    assert foreign_parts(text)


def test_one_strategy_has_code_words_bars_metrics_and_a_link(tmp_path):
    code = "def strategy(self, opponent):\n    return opponent.history[-1]"
    facts = inspect_strategies(
        [Entrant("Neutral_1", code, words="Tit for tat.", group="Neutral")],
        AutomatonEngine({code: strategy("TFT")}),
        MatchRules(turns=60),
    )
    text = write_inspection_page(tmp_path / "page.html", [InspectedSet("", facts)]).read_text("utf8")
    for part in (
        'href="#strategy-1-1"',
        'id="strategy-1-1"',
        "Tit for tat.",
        "<svg",
        "TFT (100%)",
        "retaliation",
    ):
        assert part in text
    with pytest.raises(OutputError, match="exists"):
        write_inspection_page(tmp_path / "page.html", [InspectedSet("", facts)])


def test_letters_that_do_not_print_are_shown_by_number():
    assert visible("a\tb\nc\u200bd") == "a\tb\nc⟨U+200B⟩d"
