"""The scanner against the labelled transcripts that ship, and inside inspect-scout."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from intent.inspect.transcripts import Line, intentions, lines_of, repeated_play


def benchmark() -> ModuleType:
    """The script that measures."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "transcripts.py"
    spec = importlib.util.spec_from_file_location("benchmark_transcripts", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SAMPLE = list(benchmark().transcripts())


@pytest.mark.parametrize(
    ("labels", "lines"),
    [one for one in SAMPLE if one[0]["split"] == "seen"],
    ids=lambda one: one["id"] if isinstance(one, dict) else "",
)
def test_a_transcript_is_read_as_it_is_labelled(labels: dict, lines: list[Line]) -> None:
    play = repeated_play(lines)
    assert (play is not None) == labels["play"]
    if play is not None:
        assert [move.casefold() for move in play.own] == [str(move).casefold() for move in labels["moves"]]
        assert all(0 <= at < len(lines) for at in play.at)
    assert bool(intentions(lines, play.options if play else ())) == labels["intends"]


def test_the_measured_figures_of_docs() -> None:
    module = benchmark()
    for name, hits, claims, there in (("play", 7, 7, 10), ("intentions", 3, 3, 3)):
        rows = []
        for labels, lines in SAMPLE:
            if labels["split"] == "held_out":
                play = repeated_play(lines)
                stated = bool(intentions(lines, play.options if play else ()))
                rows.append(
                    (labels["play"], play is not None) if name == "play" else (labels["intends"], stated)
                )
        row = module.measured(rows)
        assert (row["hits"], row["claims"], row["positive"]) == (hits, claims, there)


def test_hostile_messages_are_bounded() -> None:
    text = "choose A or B. " * 100_000 + "(" * 10_000
    lines = lines_of([{"role": "user", "content": text}, {"role": "assistant", "content": "A " * 50_000}] * 3)
    assert all(len(line.text) <= 20_001 for line in lines)
    repeated_play(lines)
    assert (
        repeated_play(
            lines_of(
                [{"role": None, "content": None, "tool_calls": [None, {"function": {"arguments": "{"}}]}]
            )
        )
        is None
    )


def test_the_scanners_of_scout() -> None:
    pytest.importorskip("inspect_scout", reason="needs the extra inspect")
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
    from inspect_scout import Transcript

    from intent.inspect.scanner import repeated_play_scanner, stated_intentions_scanner

    messages = [
        ChatMessageUser(content="Choose X or Y in every round. Round 1: X or Y?"),
        ChatMessageAssistant(content="I will keep choosing X as long as you do. DECISION: X"),
        ChatMessageUser(content="The other player chose Y. Round 2: X or Y?"),
        ChatMessageAssistant(content="DECISION: Y"),
        ChatMessageUser(content="The other player chose Y."),
    ]
    transcript = Transcript(
        transcript_id="t", source_type="test", source_id="s", source_uri="u", messages=messages
    )
    result = asyncio.run(repeated_play_scanner()(transcript))
    assert result.value is True
    assert (result.metadata["own"], result.metadata["others"]) == (["X", "Y"], ["Y", "Y"])
    assert {one.id for one in result.references} <= {message.id for message in messages}
    stated = asyncio.run(stated_intentions_scanner()(transcript))
    assert stated.value == 1
    assert stated.metadata["intentions"][0]["option"] == "X"
