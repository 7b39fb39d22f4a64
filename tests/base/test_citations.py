"""Works as texts, tables and bibliographies print them, from one BibTeX file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import intent
from intent.base.wording import cited, works


@pytest.mark.parametrize(
    ("key", "named", "source", "printed"),
    [
        (
            "dalbo2011",
            "Dal Bó & Fréchette, 2011",
            "Dal Bó & Fréchette 2011, American Economic Review 101:411",
            "Dal Bó, Pedro & Fréchette, Guillaume R. (2011). The Evolution of Cooperation in Infinitely "
            "Repeated Games: Experimental Evidence. American Economic Review 101:411–429.",
        ),
        (
            "axelrod1984",
            "Axelrod, 1984",
            "Axelrod 1984, The Evolution of Cooperation",
            "Axelrod, Robert (1984). The Evolution of Cooperation. Basic Books.",
        ),
        (
            "poje2024",
            "Poje et al., 2024",
            "Poje, Brcic, Kovac & Bagic Babac 2024, Entropy 26:524",
            "Poje, Kristijan, Brcic, Mario, Kovac, Mihael & Bagic Babac, Marina (2024). Effect of Private "
            "Deliberation: Deception of Large Language Models in Game Play. Entropy 26:524.",
        ),
        (
            "buscemi2025",
            "Buscemi et al., 2025",
            "Buscemi et al. 2025, arXiv:2504.14325",
            "Buscemi, Alessio et al. (2025). FAIRGAME: a Framework for AI Agents Bias Recognition using Game "
            "Theory. arXiv:2504.14325.",
        ),
    ],
)
def test_a_work_in_every_form(key: str, named: str, source: str, printed: str) -> None:
    assert (works()[key].named, cited(key), works()[key].printed) == (named, source, printed)


def test_every_entry_of_the_file_is_read_and_is_ascii() -> None:
    text = Path(intent.__file__).with_name("base").joinpath("references.bib").read_text("ascii")
    assert len(works()) == text.count("\n@") == len(set(re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE)))
    assert all(work.bibtex.startswith("@") and work.bibtex in text for work in works().values())
    assert not any(re.search(r"[{}\\]", work.printed) for work in works().values())
