"""Precision and recall of the scanner on the labelled transcripts of datasets/samples/transcripts.yaml.

    python benchmarks/transcripts.py [--json] [--show] [--file FILE] [--judge NAME]
    python benchmarks/transcripts.py --hostile
    python benchmarks/transcripts.py --long

The rules were made on its first splits, whose figures say what the rules can read; how they fare elsewhere
is said by the split `afterwards`, and by a file of your own in the same form (--file). With few
transcripts the intervals are wide: they are exact binomial ones (Clopper & Pearson 1934). --judge NAME puts
the question to a model of Inspect instead of the rules, for play alone. --hostile measures how long
transcripts take that were made to be slow, each longer than what is read. --long measures what is found of
twenty rounds in which each message is long, with the decision, what was done and one intention amid it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.base.files import shipped
from intent.base.settings import read_document
from intent.base.statistics import exact_share
from intent.inspect.intentions import intentions
from intent.inspect.moves import Line
from intent.inspect.reading import lines_of
from intent.inspect.transcripts import repeated_play

Row = tuple[Mapping[str, Any], bool, bool | None, bool | None]
"""Labels; play, intentions and whether every move is right, as they were read."""

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


def transcripts(path: Path | None = None) -> Iterator[tuple[Mapping[str, Any], list[Line]]]:
    """The labels and the messages of each transcript."""
    place = path or shipped("datasets/samples/transcripts.yaml")
    assert place is not None
    for one in read_document(place).values["transcripts"]:
        lines = []
        for message in one["messages"]:
            (key,) = message.keys() & ROLES.keys()
            calls = (message["call"]["arguments"],) if "call" in message else ()
            lines.append(Line(ROLES[key], message[key], calls))
        yield one, lines


def measured(rows: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """Precision and recall of (labelled, found by the scanner)."""
    hits = sum(a and b for a, b in rows)
    claims, there = sum(b for _, b in rows), sum(a for a, _ in rows)
    result: dict[str, Any] = {"n": len(rows), "positive": there, "claims": claims, "hits": hits}
    for name, n in (("precision", claims), ("recall", there)):
        interval = exact_share(hits, n) if n else None
        result[name] = None if interval is None else [interval.estimate, interval.low, interval.high]
    return result


def by_rules(labelled: Sequence[tuple[Mapping[str, Any], list[Line]]], show: bool) -> Iterator[Row]:
    """What the rules read of each transcript."""
    for one, lines in labelled:
        play = repeated_play(lines)
        stated = intentions(lines, play)
        moves = None
        if one["play"] and play is not None and "moves" in one:
            moves = [m.casefold() for m in play.own] == [str(m).casefold() for m in one["moves"]]
        wrong = one["play"] != (play is not None) or one["intends"] != bool(stated) or moves is False
        if show and wrong:
            print(one["id"], play, stated)
        yield one, play is not None, bool(stated), moves


def by_judge(labelled: Sequence[tuple[Mapping[str, Any], list[Line]]], model: str) -> Iterator[Row]:
    """What a model judges of each transcript."""
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
    )
    from inspect_scout import Transcript

    from intent.inspect.scanner import judged_play_scanner

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
        "tool": ChatMessageTool,
    }

    async def judged(lines: Sequence[Line]) -> bool:
        messages: list[ChatMessage] = []
        for line in lines:
            calls = "".join(f"\n{json.dumps(dict(call), ensure_ascii=False)}" for call in line.calls)
            messages.append(kinds[line.role](content=line.text + calls))
        transcript = Transcript(
            transcript_id="t", source_type="sample", source_id="s", source_uri="s", messages=messages
        )
        result: Any = await judged_play_scanner(model)(transcript)
        return result.value is True

    for one, lines in labelled:
        yield one, asyncio.run(judged(lines)), None, None


def hostile() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Transcripts longer than what is read: repeated tokens, no line breaks, many slots and messages."""

    def chat(heard: str, reply: str, times: int) -> list[dict[str, Any]]:
        pair = [{"role": "user", "content": heard}, {"role": "assistant", "content": reply}]
        return pair * times

    words = [f"w{chr(97 + a)}{chr(97 + b)}" for a in range(4) for b in range(4)]
    slots = "\n".join(f"k{place}: {word}" for place, word in enumerate(words))
    offers = " or ".join(words)
    for token in (
        *(
            "'",
            '"',
            "a_",
            "*",
            "(",
            " ",
            "-",
            "A",
            "1",
            "1 ",
            "1.1 ",
            "A ",
            "A\n",
            "a: b\n",
            "f(a,b)\n",
            "<a>",
            "f(",
        ),
        *(
            "{",
            '{"a":[',
            "[1,",
            "| a ",
            "3/4, ",
            "1,2,",
            "'A' or 'B', ",
            "A or B or ",
            "option A ",
            "if I ",
            "é",
            "سأ",
        ),
        *(
            "you 7, other 8; ",
            "Oster 7, Pell 14, ",
            "against Pell ",
            "player 1 7 ",
            "你选甲或乙，",
            "你",
            "你,",
        ),
        *(
            "I choose to the ",
            "If you choose A, I'll keep B next round. ",
            "plan: if you ",
            "i will ",
            "x" * 30 + " ",
        ),
    ):
        yield repr(token), chat(token * (20_000 // len(token)), token * (20_000 // len(token)), 20)
    pairs = " ".join(
        f"{a} or {b}, Oster{place} {a}, Pell {b}" for place, a in enumerate(words) for b in words
    )
    yield "pairs of words in one line", chat(f"you 1, other 2; {pairs}", slots * 40, 20)
    rows = "\n".join(f"{place} {words[place % 16]} / {words[place % 7]}" for place in range(2_000))
    yield "rows of pairs", chat(f"{offers} points {rows}", slots, 5)
    table = "\n".join("|" + "|".join(words * 2) + "|" for _ in range(150))
    yield "wide tables", chat(table, slots, 5)
    names = " ".join(f"N{place} {place % 7}," for place in range(2_000))
    yield "many names", chat(f"You and another, points each round. {names}", "7\n" + slots, 20)
    quoted = " ".join(f'"q{place}"' for place in range(3_000))
    yield "many options", chat(quoted, "\n".join(f"q{place}" for place in range(3_000)), 20)
    moves = ",".join(f'{{"you":"{a}","other":"{b}"}}' for a in words for b in words)
    yield "histories in JSON", chat(f'{{"history":[{moves}]}} {offers}', slots, 20)
    told = "\n".join(f"N{place}: {words[place % 16]}" for place in range(1_500))
    yield "all seats", chat(f"Play both players for points each round: {offers}", told, 5)
    turn = f"Round 1: wab or wac; you wab, other wac points {offers}"
    yield "many messages", chat(turn, slots, 5_000)
    for word in ("wab", "A", "甲", "7"):
        megabyte = f"you {word}, other {word}. " * 50_000, f"DECISION: {word}\n" * 70_000
        yield f"a megabyte a message of {word}", chat(*megabyte, 5)
    for bait in (
        "______a''''    : x x x x x x x x x x x x x x x x x x x x x x x x x\n",
        "<a>" + " " * 9 + "b " * 25,
        '"a"   :   "b',
        "my choice is for this in round ",
        "I will, if you, next round, always, until ",
        "a: " + "b " * 38 + "\n",
        "abc. ",
        "So, if I will. ",
        "\u0301",
    ):
        yield f"200,000 characters of {bait[:24]!r}", chat(*[bait * (200_000 // len(bait))] * 2, 20)
    call = {"function": {"arguments": json.dumps({f"k{place}": "wab " * 5_000 for place in range(50)})}}
    yield "long arguments", [{**one, "tool_calls": [call] * 20} for one in chat(turn, "wab", 5)]


def slowest() -> None:
    """Print how long each hostile transcript takes, the longest first."""
    rows = []
    for name, messages in hostile():
        started = time.process_time()
        lines = lines_of(messages)
        intentions(lines, repeated_play(lines), anywhere=True)
        rows.append((time.process_time() - started, name))
    for seconds, name in sorted(rows, reverse=True):
        print(f"{seconds:5.2f} s  {name}")


FORMS = {
    "a line `DECISION: …`": "\nDECISION: {}\n",
    "a tag": " <answer>{}</answer> ",
    "a field of JSON": '\n{{"action": "{}"}}\n',
    "I choose …": " I choose {}. ",
}
"""How the model decides in a long message."""

RAIN = "It rained on the market, and the train was late. "


def talk(rng: random.Random, length: int) -> str:
    """Sentences of the model in all labelled transcripts, in any order: of games, choices and rounds."""
    spoken = "\n".join(line.text for _, lines in transcripts() for line in lines if line.role == "assistant")
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|\n+", spoken) if len(part) > 20]
    return " ".join(rng.choices(sentences, k=length // 60))[:length]


def long_play(
    length: int, options: Sequence[str], form: str, talks: bool = False
) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """Twenty rounds in messages of some length, own moves and others'; an intention in the third.

    Parameters
    ----------
    form : in which the model decides, of `FORMS`
    talks : whether what stands around is of games, too
    """
    rng = random.Random(length)
    rules = f"A repeated game with another player, for points. Both choose {' or '.join(options)}."
    messages = [{"role": "system", "content": rules}]
    news, own, others = "", list[str](), list[str]()
    around = talk(rng, 4 * length) if talks else RAIN * (4 * length // len(RAIN))

    def story() -> str:
        begin = rng.randrange(3 * length)
        return around[begin : begin + length // 2]

    for number in range(1, 21):
        heard = f"{story()}\n{news}\n{story()}\nRound {number}: what do you choose?"
        own.append(rng.choice(options))
        others.append(rng.choice(options))
        note = f". I will stay with {options[0]} next round as long as you do. " if number == 3 else ""
        reply = f"{story()}{note}{form.format(own[-1])}{story()}"
        messages += [{"role": "user", "content": heard}, {"role": "assistant", "content": reply}]
        news = f"In round {number} you chose {own[-1]} and the other player chose {others[-1]}."
    return messages, own, others[:-1]


def amid_long_messages(lengths: Sequence[int] = (8_000, 30_000, 200_000, 1_000_000)) -> None:
    """Print what is found of twenty rounds in long messages, and how long that takes."""
    print("characters a message, what stands around, form, words: own moves, others' moves, intention")
    for length in lengths:
        for talks in (False, True):
            for name, form in list(FORMS.items())[: 1 if length > 200_000 else None]:
                for options in (("share", "keep"), ("A", "B"), ("合作", "背叛")):
                    messages, own, others = long_play(length, options, form, talks)
                    started = time.process_time()
                    lines = lines_of(messages)
                    play = repeated_play(lines)
                    stated = intentions(lines, play)
                    seconds = time.process_time() - started
                    row = "no play"
                    if play is not None:
                        right = sum(a == b for a, b in zip(own, play.own, strict=False))
                        theirs = sum((Counter(others) & Counter(play.others)).values())
                        row = f"{right} right of {len(play.own)}, {theirs} of {len(play.others)} (19), "
                        row += (
                            "intention" if any("stay with" in one.sentence for one in stated.stated) else "-"
                        )
                    around = "talk" if talks else "rain"
                    print(f"{length:9,} {around} {name:20} {'/'.join(options):10}: {row}; {seconds:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="the transcripts that the rules misread")
    parser.add_argument("--file", type=Path, help="labelled transcripts, as the sample")
    parser.add_argument("--judge", metavar="NAME", help="a model that judges instead")
    parser.add_argument("--hostile", action="store_true", help="seconds for transcripts made to be slow")
    parser.add_argument("--long", action="store_true", help="what is found amid long messages")
    options = parser.parse_args()
    if options.long:
        amid_long_messages()
        return
    if options.hostile:
        slowest()
        return
    by_split: dict[str, dict[str, list[tuple[bool, bool]]]] = {}
    moves: dict[str, list[bool]] = {}
    labelled = list(transcripts(options.file))
    rows = by_judge(labelled, options.judge) if options.judge else by_rules(labelled, options.show)
    for one, play, stated, right in rows:
        table = by_split.setdefault(one["split"], {"play": [], "intentions": []})
        table["play"].append((one["play"], play))
        if stated is not None:
            table["intentions"].append((one["intends"], stated))
        if right is not None:
            moves.setdefault(one["split"], []).append(right)
    result = {
        split: {name: measured(pairs) for name, pairs in table.items() if pairs}
        for split, table in by_split.items()
    }
    for split, whole in moves.items():
        result[split]["moves"] = {"n": len(whole), "all_right": sum(whole)}
    if options.json:
        print(json.dumps(result, indent=1))
        return
    for split, table in result.items():
        for name, row in table.items():
            if name == "moves":
                print(
                    f"{split:14} moves      of {row['n']} games read, {row['all_right']} with all moves right"
                )
                continue
            shown = ", ".join(
                f"{what} {row[what][0]:.2f} ({row[what][1]:.2f} to {row[what][2]:.2f})"
                if row[what]
                else f"{what} –"
                for what in ("precision", "recall")
            )
            print(f"{split:14} {name:10} n {row['n']:3}, positive {row['positive']:3}: {shown}")


if __name__ == "__main__":
    main()
