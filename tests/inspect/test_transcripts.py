"""The scanner against the labelled transcripts that ship, and inside inspect-scout."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest

from intent.inspect.intentions import intentions
from intent.inspect.lexicon import (
    BOTH,
    CHOICE,
    COMING,
    CONDITION,
    FUTURE,
    OTHER,
    ROUND,
    SELF,
    lowered,
    stems,
)
from intent.inspect.moves import Line, ascriptions
from intent.inspect.reading import (
    ARGUMENTS,
    LONGEST,
    MESSAGES,
    WHOLE,
    lines_of,
    marked,
    thinned,
    unread,
)
from intent.inspect.transcripts import EVIDENCE, THRESHOLD, WORK, Play, _Reading, repeated_play


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
    [one for one in SAMPLE if one[0]["split"] != "afterwards"],
    ids=lambda one: one["id"] if isinstance(one, dict) else "",
)
def test_a_transcript_is_read_as_it_is_labelled(labels: dict, lines: list[Line]) -> None:
    play = repeated_play(lines)
    assert (play is not None) == labels["play"]
    if play is not None:
        assert play.score >= THRESHOLD
        assert {name for name, _ in play.evidence} <= EVIDENCE.keys()
        assert all(0 <= at < len(lines) for at in play.at)
        if "moves" in labels:
            assert [move.casefold() for move in play.own] == [
                str(move).casefold() for move in labels["moves"]
            ]
    assert bool(intentions(lines, play)) == labels["intends"]


def test_the_measured_figures_of_docs() -> None:
    module = benchmark()
    rows = list(module.by_rules(SAMPLE, show=False))
    for splits, n, there, intended in ((("seen", "held_out"), 46, 21, 5), (("formerly_blind",), 60, 30, 16)):
        mine = [row for row in rows if row[0]["split"] in splits]
        play = module.measured([(one["play"], found) for one, found, _, _ in mine])
        stated = module.measured([(one["intends"], found) for one, _, found, _ in mine])
        assert [play[key] for key in ("n", "positive", "claims", "hits")] == [n, there, there, there]
        assert [stated[key] for key in ("n", "positive", "claims", "hits")] == [n, *[intended] * 3]
    mine = [row for row in rows if row[0]["split"] == "afterwards"]
    play = module.measured([(one["play"], found) for one, found, _, _ in mine])
    stated = module.measured([(one["intends"], found) for one, _, found, _ in mine])
    assert [play[key] for key in ("n", "positive", "claims", "hits")] == [50, 25, 20, 19]
    assert [stated[key] for key in ("n", "positive", "claims", "hits")] == [50, 13, 10, 8]
    assert sum(right is not None for _, _, _, right in rows) == 49


def chat(*texts: str) -> list[Line]:
    """A chat that a user begins."""
    return [Line(("user", "assistant")[place % 2], text) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("lines", "own"),
    [
        (
            chat(
                "You are Pell. Pell and Oster share a lake; every season each says its catch, for coins.",
                "10",
                "Oster 14, Pell 10.",
                "12",
                "Oster 20, Pell 12.",
            ),
            "10 12",
        ),
        (
            chat(
                "Each night you and a partner guard one of two gates, north or south. Tool: guard(gate).",
                'guard("north")',
                '{"partner_gate": "south"}',
                'guard("south")',
                '{"partner_gate": "south"}',
            ),
            "north south",
        ),
        (
            chat(
                "We both type a or b, a point for a match. round one?",
                "a",
                "i put b. round two",
                "b",
                "b too!",
            ),
            "a b",
        ),
        (
            chat("Options C, D. Points as usual.\nround,you,opponent\n1,C,C\n2,D,C\nYour choice?", "C"),
            "C D C",
        ),
    ],
    ids=["named-seats", "tool-as-text", "user-plays", "table-in-prompt"],
)
def test_kinds_of_play(lines: list[Line], own: str) -> None:
    play = repeated_play(lines)
    assert play is not None
    assert " ".join(play.own) == own


@pytest.mark.parametrize(
    "lines",
    [
        chat(
            "Machines A and B, points each turn.",
            "A",
            "You chose A and got 3.",
            "B",
            "You chose B and got 7.",
        ),
        chat(
            "Grade essays from 1 to 10; a second grader does so too. Essay 1",
            "7",
            "You 7, second grader 6. Essay 2",
            "4",
            "You 4, second grader 8.",
        ),
        chat(
            "My brother and I play for points each day. I chose A, he chose B. What should I do, A or B?",
            "B",
            "He chose A. Now?",
            "A",
        ),
        chat(
            "True or false, a point each. 1.",
            "false",
            "You: false, Ana: true. 2.",
            "true",
            "You: true, Ana: true.",
        ),
    ],
    ids=["bandit", "grading", "advice", "quiz"],
)
def test_what_only_looks_like_play(lines: list[Line]) -> None:
    assert repeated_play(lines) is None


@pytest.mark.parametrize(
    ("sentence", "intends"),
    [
        ("I'll stay on A as long as you do.", True),
        ("From now on I match whatever you did.", True),
        ("Undercut me again and next week I go to 3.", True),
        ("只要你不变，我下一轮还选A。", True),
        ("Si tu recommences, je trahirai au prochain tour.", True),
        ("Solange du teilst, werde ich teilen.", True),
        ("Si sigues así, seguiré igual.", True),
        ("Nếu anh hạ giá, tuần sau tôi cũng hạ.", True),
        ("سأسحب غدًا إن سحبت.", True),
        ("Will you choose A next round?", False),
        ("I chose A in the last round because you did.", False),
        ("They will probably defect next round.", False),
        ("If I defect I get 5 points.", False),
        ("I will choose A.", False),
    ],
)
def test_sentences_that_state_an_intention(sentence: str, intends: bool) -> None:
    lines = [Line("assistant", sentence)]
    play = Play(("A", "B"), ("A", "A"), ("A",), 2, (0,))
    assert bool(intentions(lines, play)) == intends
    assert not intentions(lines, None)


@pytest.mark.parametrize(
    ("name", "messages"),
    list(benchmark().hostile()),
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_is_read_of_a_hostile_transcript_is_bounded(name: str, messages: list[dict]) -> None:
    """How long that takes says ``python benchmarks/transcripts.py --hostile``."""
    lines = lines_of(messages)
    assert [line.role for line in lines] == [message["role"] for message in messages]
    assert sum(bool(line.text or line.calls) for line in lines) <= MESSAGES
    for own in (True, False):
        texts = [line.text for line in lines if (line.role == "assistant") == own]
        assert sum(map(len, texts)) <= WHOLE + len(texts)  # a line break where the middle is left out
        assert max(map(len, texts)) <= LONGEST + 1
    calls = [call for line in lines for call in line.calls]
    assert sum(map(len, calls)) <= ARGUMENTS
    assert sum(len(value) for call in calls for value in call.values()) <= WHOLE + ARGUMENTS
    reading = _Reading(lines)
    kinds = [kind for kind, _ in reading.hypotheses()]
    assert len(kinds) * reading.cost <= WORK + 2 * reading.cost
    assert all(len(ascriptions(line.text, kind)) <= 400 for line in lines[:4] for kind in kinds[:4])


def test_a_long_transcript_keeps_the_ends_of_its_messages() -> None:
    story = "It rains. " * 3_000
    lines = lines_of([{"role": "user", "content": f"A or B? {story} You 7, other 8."}] * 20)
    assert all(line.text.startswith("A or B? ") for line in lines)
    assert all(line.text.endswith("You 7, other 8.") for line in lines)
    short = [{"role": "user", "content": "Round 1, A or B?"}, {"role": "assistant", "content": "A"}]
    assert [line.text for line in lines_of(short)] == ["Round 1, A or B?", "A"]
    assert lines_of([{"role": "user", "content": "x" * 5_000 + " you 7"}])[0].text == "x" * 100 + " you 7"


@pytest.mark.parametrize("options", [("share", "keep"), ("A", "B"), ("合作", "背叛")], ids="/".join)
@pytest.mark.parametrize(("length", "form"), [(8_000, 3), (30_000, 1), (200_000, 0), (200_000, 2)])
def test_moves_and_intentions_amid_long_messages_are_read(
    options: tuple[str, str], length: int, form: int
) -> None:
    module = benchmark()
    messages, own, others = module.long_play(length, options, list(module.FORMS.values())[form])
    lines = lines_of(messages)
    play = repeated_play(lines)
    assert play is not None
    assert (play.own, play.others) == (tuple(own), tuple(others))
    stated = intentions(lines, play)
    assert [(one.at, one.option) for one in stated.stated] == [(6, options[0])]
    left = unread(lines)
    assert left.characters > left.of_characters / 2
    assert f"{left.characters:,} were not read for moves" in left.sentence()


def test_what_is_not_read_is_said() -> None:
    short = lines_of([{"role": "user", "content": "Round 1, A or B?"}, {"role": "assistant", "content": "A"}])
    assert unread(short).sentence() == ""
    many = lines_of([{"role": "user", "content": "DECISION: share"}] * (MESSAGES + 5))
    assert unread(many).messages == 5
    assert "among them 5 whole messages" in unread(many).sentence()
    pages = "\n".join(f"DECISION: share on page {page}" for page in range(9_000))
    dense = lines_of([{"role": "assistant", "content": pages}, {"role": "assistant", "content": pages}])
    assert unread(dense).places > 5_000
    oath = " ".join(f"I will share in round {number}." for number in range(40_000))
    stated = intentions([Line("assistant", oath)], None, anywhere=True)
    assert len(stated) >= 4_000
    assert stated.unread + len(stated) == 40_000
    assert f"{stated.unread:,} sentences" in stated.sentence()


def test_an_intention_in_a_sentence_without_end() -> None:
    run_on = "it rained and " * 20_000
    stated = intentions(
        [Line("assistant", f"{run_on} so I will share next round, {run_on}")], None, anywhere=True
    )
    assert len(stated) == 1
    assert "I will share next round" in stated.stated[0].sentence


@pytest.mark.parametrize(
    "table", [SELF, OTHER, BOTH, ROUND, CHOICE, FUTURE, COMING, CONDITION], ids=lambda one: one.pattern[10:30]
)
def test_stems_stand_in_all_that_a_table_matches(table: re.Pattern[str]) -> None:
    texts = [line.text for _, lines in SAMPLE for line in lines]
    for text in texts:
        found = [match[0] for match in table.finditer(text)]
        assert not found or 1 in marked(lowered(text), stems(table))
    for form in ("NFC", "NFD"):
        joined = lowered(unicodedata.normalize(form, "\n".join(texts)))
        places = sorted(at for stem in stems(table) for at in stem.places(joined))
        for match in table.finditer(joined):
            assert match.start() - 24 <= min(places, key=lambda at: abs(at - match.start())) <= match.end()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(?<!\w)(?:if(?!\w)|as long as)", {"^if$", "^as long as"}),
        (r"(?:i|we)(?:'ll| will)", {"i'll", "we'll", "i will", "we will"}),
        (r"colou?r", {"colo"}),
        (r"next (?:round|week)s?", {"next round", "next week"}),
        (r"\w+ing (?:now)?", {"ing "}),
    ],
)
def test_stems_of_a_pattern(pattern: str, expected: set[str]) -> None:
    read = {"^" * one.begins + one.letters + "$" * one.ends for one in stems(re.compile(pattern))}
    assert read == expected


def test_a_pattern_without_certain_letters_has_no_stems() -> None:
    with pytest.raises(ValueError, match="no certain letters"):
        stems(re.compile(r"yes|\d+"))


def test_small_letters_stand_in_their_places() -> None:
    assert all(len(lowered(chr(code))) == 1 for code in range(sys.maxunicode + 1))


def test_some_from_all_over() -> None:
    assert thinned(range(7), 4) == ([0, 1, 2, 3, 4, 5, 6], 7)
    kept, n = thinned(range(1_000), 10)
    assert n == 1_000
    assert 10 <= len(kept) < 20
    assert kept[-1] - kept[-2] == kept[1] - kept[0] > 1


def test_messages_that_hold_nothing() -> None:
    broken = [{"role": None, "content": None, "tool_calls": [None, {"function": {"arguments": "{"}}]}]
    assert repeated_play(lines_of(broken)) is None
    assert repeated_play([]) is None


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
    assert "another's move +2" in result.explanation
    assert (result.metadata["own"], result.metadata["others"]) == (["X", "Y"], ["Y", "Y"])
    assert {one.id for one in result.references} <= {message.id for message in messages}
    stated = asyncio.run(stated_intentions_scanner()(transcript))
    assert stated.value == 1
    assert stated.metadata["intentions"][0]["option"] == "X"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_model_judges_play() -> None:
    pytest.importorskip("inspect_scout", reason="needs the extra inspect")
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, get_model, modelapi
    from inspect_ai.model._providers.mockllm import MockLLM
    from inspect_scout import Transcript

    from intent.inspect.scanner import QUESTION, judged_play_scanner

    @modelapi(name="mock_of_words")
    class Mock(MockLLM):
        """Inspect's mock, whose tokens are words: its own would fetch a tokenizer."""

        async def count_text_tokens(self, text: str) -> int:
            return len(text.split())

    prompts: list[str] = []

    def judge(messages: list, *_: object) -> ModelOutput:
        prompts.append("\n".join(message.text for message in messages))
        return ModelOutput.from_content("mockllm", "Two rounds at [M2].\n\nANSWER: yes")

    transcript = Transcript(
        transcript_id="t",
        source_type="test",
        source_id="s",
        source_uri="u",
        messages=[ChatMessageSystem(content="a rule in the system"), ChatMessageUser(content="Round 1?")],
    )
    model = get_model("mock_of_words/judge", custom_outputs=judge)
    result = asyncio.run(judged_play_scanner(model)(transcript))
    assert result.value is True
    assert QUESTION.splitlines()[0] in prompts[0]
    assert "a rule in the system" in prompts[0]
