"""What a browser makes of a page: numbers stay in one line, and the information matrix within its column."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from browser import chromium

from intent.report.page import Words, prose, report_page
from intent.report.sections import Section, information_sections

FACTS = [f"what is shown {k}" for k in range(18)]
ROWS = [
    {
        "role": role,
        "stage": stage,
        "reasons": "not asked for",
        "answers": "words, then an option",
        "order": "OptionA, OptionB",
        "conversation": "new",
        "shows": FACTS[:9],
        "withholds": FACTS[9:],
        "where": where,
    }
    for role, stage, where in (
        ("plain", "decision", {}),
        ("chain of thought", "question rounds", {"architecture": ["chain_of_thought", "debate", "private"]}),
    )
]
SENTENCE = "Cooperation differs (p = 0.0022, V = 0.58, p < 0.001) by 48 points [37, 59], 75 % against 27 %. "

_BROKEN = r"""() => {
  const broken = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = texts.nextNode();)
    for (const match of node.data.matchAll(/\w+ [=<>] [\d.]+|\[\d+, \d+\]|\d+ %|\d[\d.,]*\d/g)) {
      const range = document.createRange();
      range.setStart(node, match.index); range.setEnd(node, match.index + match[0].length);
      const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      if (tops.size > 1) broken.push(match[0]);
    }
  return broken;
}"""

_WIDE = """() => [...document.querySelectorAll('.wide')]
  .filter(box => box.scrollWidth > box.clientWidth).length
  + (document.documentElement.scrollWidth > document.documentElement.clientWidth)"""


@pytest.mark.slow
def test_numbers_stay_whole_and_the_matrix_fits(tmp_path: Path) -> None:
    words = tuple(Words("x" * (k % 41) + " " + SENTENCE * 4) for k in range(41))
    sections = information_sections(SimpleNamespace(run={"matrix": ROWS}))  # type: ignore[arg-type]
    page = tmp_path / "page.html"
    page.write_text(report_page("Widths", [Section("a", "Words", words), *sections]), "utf-8")
    with chromium() as browser:
        for media, width in (
            ("screen", 390),
            ("screen", 933),
            ("screen", 1280),
            ("print", 680),
            ("print", 703),
        ):
            tab = browser.new_page(viewport={"width": width, "height": 900})
            tab.goto(page.as_uri())
            tab.emulate_media(media=media)
            assert tab.evaluate(_BROKEN) == [], (media, width)
            if width > 390:  # there the table goes on to the right, its first column stays
                assert tab.evaluate(_WIDE) == 0, (media, width)
            tab.close()


def test_what_stays_in_one_line() -> None:
    whole = '<span class="whole">{}</span>'.format
    assert str(prose("a (p = 0.45)")) == f"a ({whole('p = 0.45')})"
    assert str(prose("p < .001; 3 of 7")) == f"{whole('p &lt; .001')}; 3 of 7"
    assert str(prose("48 points [37, 59]")) == f"48 points {whole('[37, 59]')}"
    assert str(prose("<b> = 1")) == "&lt;b&gt; = 1"
