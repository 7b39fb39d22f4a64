"""Repeated-game play and stated intentions in a transcript of anybody's, by rules that can be read.

Play is repeated where the model under test decides between the same options in two rounds or more, and is
told what somebody else did:

1. *Options* are what messages to the model offer (``choose J or F``, ``options: "split", "steal"``) or words
   that name the actions of known games; numbers where amounts are asked for.
2. *Own moves* are read in the model's messages where they state one option: as the whole reply, after a word
   such as ``DECISION:``, in a field or tag called action, move or choice, or as an argument of a tool called
   so; and in histories that say what ``you`` chose.
3. *Others' moves* are options that messages to the model ascribe to somebody else.

A transcript that merely talks of games has no own moves; a quiz has no others' moves; a single decision has
no rounds.

An *intention* is a sentence of the model in the first person about what it will choose, which is not the
choice itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intent.base.json_text import json_value

__all__ = ["Intention", "Line", "Play", "intentions", "lines_of", "named_option", "repeated_play"]

LONGEST = 20_000
"""Characters of a message that are read, half of them at each end."""


@dataclass(frozen=True)
class Line:
    """A message.

    Parameters
    ----------
    role : {"system", "user", "assistant", "tool"}
    calls : arguments of the tools that it calls
    """

    role: str
    text: str
    calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Play:
    """Repeated-game play.

    Attributes
    ----------
    options : what is chosen from, as first written; empty where amounts are
    own : own moves in their order
    others : what others are said to have done, in the order of the messages that say it
    rounds : decisions of the model, those told of in a history included
    at : places of the messages that hold own moves and others' moves, from 0
    """

    options: tuple[str, ...]
    own: tuple[str, ...]
    others: tuple[str, ...]
    rounds: int
    at: tuple[int, ...]


@dataclass(frozen=True)
class Intention:
    """A stated intention.

    Attributes
    ----------
    at : place of the message, from 0
    sentence : str
    option : what it names, None where it says it otherwise
    """

    at: int
    sentence: str
    option: str | None


def lines_of(messages: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Messages of a chat log: role, content, and calls of tools in OpenAI's form or as name and arguments."""
    lines = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            content = "\n".join(part.get("text") or "" for part in content if isinstance(part, Mapping))
        calls = []
        for call in message.get("tool_calls") or ():
            function = call.get("function") if isinstance(call, Mapping) else None
            held = function if isinstance(function, Mapping) else call
            arguments = held.get("arguments") if isinstance(held, Mapping) else None
            if isinstance(arguments, str):
                arguments = _object(arguments)
            if isinstance(arguments, Mapping):
                calls.append(arguments)
        lines.append(Line(str(message.get("role")), _bounded(str(content or "")), tuple(calls)))
    return lines


def _bounded(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]}\n{text[-half:]}"


def _object(text: str) -> Any:
    try:
        return json_value(text)
    except (ValueError, RecursionError):
        return None


_KNOWN = (
    *(
        ("cooperate", "defect"),
        ("cooperation", "defection"),
        ("split", "steal"),
        ("share", "steal"),
        ("share", "keep"),
    ),
    *(
        ("silent", "confess"),
        ("silent", "betray"),
        ("silence", "confess"),
        ("stag", "hare"),
        ("swerve", "straight"),
    ),
    *(("rock", "paper", "scissors"), ("hawk", "dove"), ("trust", "betray"), ("contribute", "withhold")),
    *(
        ("heads", "tails"),
        ("opera", "football"),
        ("ballet", "football"),
        ("coopérer", "trahir"),
        ("合作", "背叛"),
    ),
    *(
        ("hợp tác", "phản bội"),
        ("kooperieren", "defektieren"),
        ("cooperar", "traicionar"),
        ("high price", "low price"),
    ),
    *(("yield", "charge"), ("peace", "war"), ("help", "refuse"), ("wait", "go")),
)
"""Words for the actions of known games."""

_MARK = "\"'“”`*«»"
_WORD = (
    rf"[{_MARK}]{{0,3}}(?:option|action|choice|strategy|button|card|door|move)?[ _-]?"
    rf"[\w][\w'-]{{0,19}}[{_MARK}]{{0,3}}"
)
_OFFER = re.compile(
    r"(?:choose|chooses|pick|picks|select|play|plays|answer|reply|respond|say|decide|press|options?|"
    r"actions?|choices?|moves?|"
    r"choisis\w*|choisir|chọn|wähle|elige|选择|选)[^.\n]{0,70}?"
    rf"(?P<one>{_WORD})\s*(?:,? or |,? and |\s*/\s*|\s*\|\s*|, | ou | oder | o | hoặc |或|"
    rf"还是)\s*(?:to )?(?P<two>{_WORD})",
    re.IGNORECASE,
)
_DULL = frozenset(
    re.findall(
        r"\w+",
        "the a an to of in is it you your they their one both either each other not yes no and or which "
        "what that this round rounds game player players points point options option action actions "
        "choice choices move moves between from with only just please then than more most less say reply "
        "answer following two three simultaneously ",
    )
)
"""Words that are no options of a game."""

_AMOUNT = re.compile(
    r"how (?:many|much)[^?\n]{0,80}(?:contribut|invest|give|put|send|offer|bid|donate)|(?:contribut\w*|"
    r"invest\w*|bid|offer|"
    r"guess)[^.\n]{0,40}(?:between|from|any (?:number|amount)|0 (?:to|and|-|–))",
    re.IGNORECASE,
)

_FIELDS = (
    "action|move|choice|decision|choose|chosen|option|play|answer|contribution|contribute|amount|bid|guess|offer|"
    "pick"
)
_TAG = re.compile(rf"<(?:{_FIELDS})>\s*([^<]{{1,60}}?)\s*</", re.IGNORECASE)
_FIELD = re.compile(
    rf"[\"'](?:my_|final_|your_)?(?:{_FIELDS})[\"']\s*:\s*[\"']?([^\"',}}\n]{{1,60}})", re.IGNORECASE
)
_STATES = re.compile(
    r"(?:\bdecision|\bfinal (?:answer|choice|decision|move)|\bmy (?:choice|move|action|decision|answer|"
    r"pick|contribution|bid)"
    r"(?: (?:is|for|this|in|round|\d+|:))*|\b(?:choice|move|action|answer)\s*(?=[:=])|\bi (?:now |"
    r"therefore |again |then |still )?(?:choose|pick|play|select|"
    r"contribute|invest|bid|go with|press|offer|guess|put)|\bi(?:'ll| will| am going to|"
    r"'m going to) (?:go with|choose|pick|play|"
    r"select|contribute|press)|\bgoing with|\bje choisis|\btôi chọn|\bich wähle|\belijo|我选择?|我选|选择)"
    r"[\s:：=*\"'“`_\-–—>(\[]{0,8}(?:to |the |option |action |button )?",
    re.IGNORECASE,
)

_WHO = (
    r"(?:(?i:(?:the |your )?(?:other|others|opponents?|partners?|rivals?|counterparts?|they|them|their|he|"
    r"she|neighbou?rs?|competitors?|"
    r"co-?players?|adversar\w+|(?:the )?(?:agent|player|bot|seat|team|participant|firm|member|"
    r"subject)[ _-]?(?:\d+|[A-Z]\b|two|one|b)|"
    r"l'autre|autre|adversaire|đối thủ|gegner|对方|对手|rival))|(?!(?:You|Your|Vous|Round|Day|Both|Option|"
    r"Choose|Pick)\b)[A-Z][a-z]{2,11})"
)
_DID = (
    r"(?:[' ]?s)?(?:[ _](?:other )?(?:player|player's|agent|side|firm|prisoner|driver|hunter|member|team|"
    r"joueu|jugado|spiele|người chơi)[rs]?)?(?:[ _](?:last|previous|latest))?"
    r"[ _\"':：=|>\-–—*(]{0,4}(?:has |have |had |also |then |both |each |all )?"
    r"(?:chose|choose|chosen|played|plays|play|picked|selected|pressed|went(?: with)?|did|answered|moved?|"
    r"actions?|choices?|decisions?|contributed|contributions?|"
    r"put in|invested|bid|a choisi|đã chọn|wählte|hat|eligió|选择了?|选了?|said|hunted|drove|threw|"
    r"decided(?: to)?|was|were|is|stayed|remained|kept)?"
    r"[\s:：=|>\"'“`*(\[\-–—]{0,5}(?:to |for |the |in |option |action |button |on )?"
)
_YOU = r"\b(?:you(?:r)?|yours|vous|bạn|du|tú|you \(.{1,20}\)|self|me)\b"


@dataclass
class _Reading:
    """What is read of one transcript."""

    options: dict[str, str]
    own: list[tuple[int, str]] = field(default_factory=list)
    own_past: dict[int, list[str]] = field(default_factory=dict)
    others: dict[int, list[str]] = field(default_factory=dict)


def repeated_play(lines: Sequence[Line]) -> Play | None:
    """The repeated-game play of a transcript, None where it has none."""
    best: Play | None = None
    for options in (*_option_sets(lines), None):
        play = _with(lines, options)
        if play is not None and (best is None or play.rounds > best.rounds):
            best = play
    return best


def _option_sets(lines: Sequence[Line]) -> Iterator[dict[str, str]]:
    """Folded option -> as first written, of every set of options that messages to the model speak of."""
    offered = "\n".join(line.text for line in lines if line.role != "assistant")
    seen: set[frozenset[str]] = set()
    for known in _KNOWN:
        if sum(_mentions(offered, word) for word in known) >= 2:
            yield from _once({word: word for word in known}, seen)
    for match in _OFFER.finditer(offered):
        pair = [_bare(match[name]) for name in ("one", "two")]
        if all(pair) and len({word.casefold() for word in pair}) == 2:
            yield from _once({word.casefold(): word for word in pair}, seen)


def _once(options: dict[str, str], seen: set[frozenset[str]]) -> Iterator[dict[str, str]]:
    key = frozenset(options)
    if key not in seen and not key & _DULL:
        seen.add(key)
        yield options


def _bare(text: str) -> str:
    return text.strip(f" {_MARK}.,;:!?()[]<>")


def _mentions(text: str, word: str) -> bool:
    return re.search(_whole(word), text, re.IGNORECASE) is not None


def _whole(word: str) -> str:
    """A pattern of the word by itself; Chinese has no spaces."""
    escaped = re.escape(word).replace(r"\ ", r"\s+")
    return escaped if re.search(r"[\u4e00-\u9fff]", word) else rf"(?<![\w]){escaped}(?:d|ed|s)?(?![\w])"


def _with(lines: Sequence[Line], options: dict[str, str] | None) -> Play | None:
    """The play with these options; None stands for amounts."""
    if options is None and not any(line.role != "assistant" and _AMOUNT.search(line.text) for line in lines):
        return None
    reading = _Reading(options or {})
    for at, line in enumerate(lines):
        if line.role == "assistant":
            move = None if at and _asks_to_talk(lines[at - 1].text) else _own_move(line, options)
            if move is not None:
                reading.own.append((at, move))
        else:
            you, them = _ascribed(line.text, options)
            reading.own_past[at], reading.others[at] = you, them
            if not them and options is not None and line.role == "user" and reading.own:
                alone = _label(_bare(line.text), options)
                if alone is not None:
                    reading.others[at] = [alone]
    longest = max((len(moves) for moves in reading.own_past.values()), default=0)
    others = [move for moves in reading.others.values() for move in moves]
    decisions = max(len(reading.own), longest + (1 if reading.own else 0))
    if not reading.own or decisions < 2 or not others:
        return None
    offered = "\n".join(line.text for line in lines if line.role != "assistant")
    if _EXAM.search(offered):
        return None
    first = reading.own[0][0]
    after = any(moves and at > first for at, moves in reading.others.items())
    if not after and longest == 0:
        return None
    distinct = sum(bool(moves) for moves in reading.others.values())
    if distinct < 2 and max(len(moves) for moves in reading.others.values()) < 2 and decisions > 2:
        return None
    past = next((moves for moves in reversed(reading.own_past.values()) if len(moves) == longest), [])
    own = [move for _, move in reading.own]
    moves = own if len(own) > longest else [*past, own[-1]]
    places = sorted({*(at for at, _ in reading.own), *(at for at, them in reading.others.items() if them)})
    return Play(tuple((options or {}).values()), tuple(moves), tuple(others), decisions, tuple(places))


_TALK = re.compile(
    r"\bmessages?\b|\bannounce|\bsay (?:something|anything)|\btalk|\bchat\b|\bdiscuss|\bmitteilung|\bmensaje",
    re.IGNORECASE,
)
_CHOOSE = re.compile(
    r"\b(?:choose|choice|pick|select|decide|decision|move|action|option|play)\b", re.IGNORECASE
)


def _asks_to_talk(text: str) -> bool:
    """Whether what is asked for at the end of a message is a message, and no choice."""
    last = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", text.strip()) if part][-1:]
    return any(_TALK.search(part) is not None and _CHOOSE.search(part) is None for part in last)


_EXAM = re.compile(
    r"\b(?:quiz|trivia|survey|questionnaire|exam|multiple[- ]choice|correct!|homework)\b", re.IGNORECASE
)


def _label(text: str, options: Mapping[str, str]) -> str | None:
    """The option that a text is, as first written."""
    folded = text.casefold().strip()
    for prefix in ("", "option ", "action ", "button "):
        if folded.removeprefix(prefix) in options:
            return options[folded.removeprefix(prefix)]
    return None


def named_option(text: str, options: Mapping[str, str]) -> str | None:
    """The option that a text names, None where it names none or several.

    Parameters
    ----------
    options : folded option -> as it is written
    """
    named = [written for folded, written in options.items() if re.search(_whole(folded), text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def _own_move(line: Line, options: dict[str, str] | None) -> str | None:
    """What the model states as its move in a message."""
    for arguments in line.calls:
        for name, value in arguments.items():
            if re.fullmatch(rf"(?:\w+_)?(?:{_FIELDS})(?:_\w+)?", str(name), re.IGNORECASE):
                move = _value(str(value), options)
                if move is not None:
                    return move
    text = line.text.strip()
    if not text:
        return None
    for pattern in (_TAG, _FIELD):
        for match in reversed(list(pattern.finditer(text))):
            move = _value(match[1], options)
            if move is not None:
                return move
    for match in reversed(list(_STATES.finditer(text))):
        rest = text[match.end() : match.end() + 40]
        move = _first(rest, options)
        if move is not None:
            return move
    last = text.splitlines()[-1]
    for part in (text, last):
        if options is None:
            number = re.fullmatch(r"\D{0,12}(\d{1,6}(?:\.\d+)?)\D{0,12}", part.strip())
            if number:
                return number[1]
        else:
            move = _label(_bare(part), options) or (
                named_option(part, options) if len(part.split()) <= 6 else None
            )
            if move is not None:
                return move
    return None


def _value(text: str, options: dict[str, str] | None) -> str | None:
    if options is None:
        number = re.fullmatch(r"\s*(\d{1,6}(?:\.\d+)?)\s*\w{0,8}\s*", text)
        return number[1] if number else None
    return _label(_bare(text), options) or named_option(text, options)


def _first(rest: str, options: dict[str, str] | None) -> str | None:
    """The option or number that a text begins with."""
    if options is None:
        number = re.match(r"\s*(\d{1,6}(?:\.\d+)?)(?![\w%])", rest)
        return number[1] if number else None
    for folded, written in options.items():
        if re.match(rf"[\s{_MARK}\[(]*(?:to |option |action )?{_whole(folded)}", rest, re.IGNORECASE):
            return written
    return None


def _ascribed(text: str, options: dict[str, str] | None) -> tuple[list[str], list[str]]:
    """What a message to the model says that the model did, and that others did."""
    you: list[str] = []
    them: list[str] = []
    for part in re.split(
        r"[\n;；]|(?<=[.。!?])\s|,(?=\s)|，|\band\b(?=\s+(?:your|the|they|player|agent|opponent|[A-Z]))", text
    ):
        moves = [] if part.rstrip().endswith(("?", "？")) else _moves_in(part, options)
        if not moves:
            cells = (
                [_bare(cell) for cell in part.strip().strip("|").split("|")] if part.count("|") >= 2 else []
            )
            named = (
                [_value(cell, options) for cell in cells[1:3]]
                if len(cells) >= 3 and cells[0].isdigit()
                else []
            )
            if len(named) == 2 and all(named):
                you.append(str(named[0]))
                them.append(str(named[1]))
            continue
        for who, move in moves:
            (you if who == "you" else them).append(move)
    return you, them


def _moves_in(part: str, options: dict[str, str] | None) -> list[tuple[str, str]]:
    """Who did what, in a part of a sentence."""
    target = r"(?P<move>\d{1,6}(?:\.\d+)?)(?![\w%])" if options is None else _any(options)
    read: list[tuple[int, str, str]] = []
    for who, pattern in (("you", _YOU), ("them", rf"(?<![\w]){_WHO}")):
        for match in re.finditer(
            rf"{pattern}{_DID}[{_MARK}]{{0,2}}{target}", part, 0 if who == "them" else re.IGNORECASE
        ):
            move = match["move"]
            if options is None and not re.search(
                r"contribut|invest|bid|put|offer|guess|gave|give|sent", part, re.IGNORECASE
            ):
                continue
            known = move if options is None else _value(move, options)
            if known is not None:
                read.append((match.start("move"), who, known))
    unique: dict[int, tuple[str, str]] = {}
    for place, who, move in read:
        unique.setdefault(place, (who, move))
    return [unique[place] for place in sorted(unique)]


def _any(options: Mapping[str, str]) -> str:
    words = "|".join(_whole(folded) for folded in sorted(options, key=len, reverse=True))
    return f"(?P<move>(?i:{words}))"


_INTENDS = re.compile(
    r"\b(?:i(?:'ll| will| shall|'m going to| am going to| intend to| plan to| promise to| mean to|"
    r" want to| propose (?:to|that)|"
    r" would (?:like|prefer) to|'d (?:like|prefer) to| am planning to)|let(?:'s| us)|my (?:plan|intention|"
    r"strategy|approach) is(?: to)?|"
    r"we should(?: both)?|je vais|tôi sẽ|ich werde|voy a|我会|我将|我打算)\b",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"\b(?:cooperat\w*|defect\w*|betray\w*|retaliat\w*|punish\w*|forgiv\w*|reciprocat\w*|match your|"
    r"mirror|copy (?:your|their|what)|"
    r"tit[- ]for[- ]tat|grim|choose|choosing|pick|play|playing|keep (?:choosing|playing|cooperating|"
    r"contributing)|contribut\w*|invest|"
    r"split|steal|share|stag|hare|swerve|stay silent|confess|trust|coopér\w*|hợp tác|合作)",
    re.IGNORECASE,
)


_CHOOSING = r"\s*(?:now |then |therefore )?(?:go with|choose|pick|play|select|press)?"


def intentions(lines: Sequence[Line], options: Sequence[str] = ()) -> list[Intention]:
    """What the model says that it will do.

    Parameters
    ----------
    options : of the play, where there is any; a sentence that merely states one of them as the decision is a
    move
    """
    stated = []
    table = {word.casefold(): word for word in options}
    for at, line in enumerate(lines):
        if line.role != "assistant":
            continue
        for sentence in re.split(r"(?<=[.!?。！？])\s+|\n+", line.text):
            match = _INTENDS.search(sentence)
            if match is None:
                continue
            rest = sentence[match.end() :]
            named = named_option(rest, table) if table else None
            if not (_ACTS.search(rest) or named):
                continue
            if re.fullmatch(rf"{_CHOOSING}\s*[{_MARK}]*[\w '-]{{1,20}}[{_MARK}]*[.!]?\s*", rest):
                bare = re.sub(rf"^{_CHOOSING}\s*", "", rest)
                if table and _label(_bare(bare), table):
                    continue
            stated.append(Intention(at, sentence.strip()[:500], named))
    return stated
