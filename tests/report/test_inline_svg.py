"""Figures in a page: nothing of them runs, loads or clashes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from intent.figures.style import look
from intent.report.page import foreign_parts, inline_svg


def drawn(title="Shares", label="model <b>"):
    from matplotlib.figure import Figure

    with look():
        figure = Figure(figsize=(4, 3))
        axes = figure.subplots()
        axes.plot([0, 1, 2], [0.123456, 0.5, 0.25], marker="o", clip_on=True)
        axes.fill_between([0, 1, 2], [0, 0, 0], [1, 1, 1], alpha=0.2)
        axes.set_xlabel(label)
        axes.set_title("bold", fontweight="bold")
        return str(inline_svg(figure, title, "what it shows"))


@pytest.fixture(scope="module")
def svg():
    return drawn()


def test_it_has_a_name_and_a_description(svg):
    tree = ElementTree.fromstring(svg)
    assert tree.attrib["role"] == "img"
    title, desc = tree[0], tree[1]
    assert (title.tag, title.text, desc.tag, desc.text) == ("title", "Shares", "desc", "what it shows")
    assert tree.attrib["aria-labelledby"] == f"{title.attrib['id']} {desc.attrib['id']}"


def test_there_is_nothing_that_a_policy_would_stop(svg):
    assert foreign_parts(svg) == []
    assert "style" not in svg
    assert "http" not in svg
    assert "xmlns" not in svg


def test_words_stay_words_and_are_escaped(svg):
    assert "model &lt;b&gt;" in svg
    assert "font-weight" in svg


def test_identifiers_are_those_that_are_referred_to(svg):
    told = set(re.findall(r'\bid="([^"]+)"', svg))
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg)) | set(
        re.search(r'aria-labelledby="([^"]+)"', svg)[1].split()
    )
    assert told == used
    assert told.isdisjoint(re.findall(r'\bid="([^"]+)"', drawn("another")))


def test_numbers_are_short_and_the_same_every_time(svg):
    assert not re.search(r"\d\.\d{3,}", re.sub(r'(?:stroke|opacity)[^"]*"[^"]*"', "", svg))
    assert svg == drawn()
