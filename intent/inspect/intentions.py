"""What a model says that it will choose.

An *intention* is a sentence in the first person (or a note that leaves the person out) of a choice to come:
in the future tense, under a condition that another's conduct may meet, or with a time to come. Reports of the
past, questions, predictions, sums of payoffs, and the bare decision are none.

Messages are read whole, in time linear in their length: only sentences that hold letters of a word of the
future, of a condition or of a time to come (`intent.inspect.lexicon.stems`) are read by the rules, of a
sentence longer than `_LONGEST` the windows around these. The bound `READ` concerns such sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.inspect.lexicon import (
    COMING,
    CONDITION,
    FIRST_PERSON,
    FUTURE,
    PREDICTED,
    lowered,
    stems,
)
from intent.inspect.moves import MARKS, Line, bare, json_places, label
from intent.inspect.reading import BLOCK, clean, marked, thinned
from intent.inspect.transcripts import Play, named_option

__all__ = ["Intention", "Intentions", "intentions"]

_SENTENCE = re.compile(r"(?<=[.!?؟…])[\"'”’*)]{0,3}\s+|(?<=[。！？；])|\n+")
_LONGEST = 500
_BEFORE = 200

SENTENCES, READ = 4_000, 1_000_000
"""Sentences with letters of such words that are read in a transcript at least, and characters at most.

Of more, some from all over.
"""


@dataclass(frozen=True)
class Intentions:
    """The stated intentions of a transcript.

    Attributes
    ----------
    stated : in the order of the messages
    unread : sentences with words of what is to come that were not read, of a transcript with very many
    """

    stated: tuple[Intention, ...] = ()
    unread: int = 0

    def __len__(self) -> int:
        return len(self.stated)

    def sentence(self) -> str:
        """What was not read, empty if all was."""
        if not self.unread:
            return ""
        return f"{self.unread:,} sentences with words of what is to come were not read for intentions"


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


_ACTS = re.compile(
    r"\b(?:cooperat\w*|defect\w*|betray\w*|retaliat\w*|punish\w*|forgiv\w*|reciprocat\w*|"
    r"match(?:ing)? (?:your|their|you|"
    r"them)|"
    r"mirror\w*|copy(?:ing)?|tit[- ]for[- ]tat|grim|choos\w*|pick(?:ing)?|play(?:ing)?|keep(?:ing)?|"
    r"contribut\w*|"
    r"invest\w*|split|steal|share|stag|hare|swerve|silent|confess|trust|stay(?:ing)?|stick(?:ing)?|"
    r"switch\w*|"
    r"return\w*|go(?:ing)? back|turn\w* down|accept\w*|reject\w*|answer\w*|tak(?:e|ing)|bid(?:ding)?|"
    r"offer\w*|"
    r"alternat\w*|start\w*|"
    r"begin\w*|follow\w*|do the same|giv(?:e|ing))",
    re.IGNORECASE,
)
"""Verbs of choosing, in English, where sentences of all kinds stand in the future."""

_THIRD = re.compile(
    r"^\W*(?:they|he|she|it|this|that|the other|opponent|my (?:opponent|partner|rival)|you|player \w+|"
    r"对方|他|她|你|họ|"
    r"bạn|ils?|elle|vous|tu|er|sie|du|él|ella|tú|usted)(?!\w)",
    re.IGNORECASE,
)
_ELLIPTIC = re.compile(
    r"^\W*(?:(?:then |so |now )?(?:staying|sticking|keeping|going|playing|switching|returning|"
    r"continuing|cooperating|"
    r"defecting|matching|holding|moving|back)(?!\w)|will (?!they|he|she|you|it)\w+|plan(?:ning)?(?!\w)|"
    r"same (?!as)|"
    r"继续|下一?[轮次回]再?|以后|"
    r"tiếp tục|sẽ|continuer|rester|weiter|bleibe|seguir|mantener)",
    re.IGNORECASE,
)
"""How notes begin that leave out the person."""

_CONSEQUENCE = re.compile(
    r"(?<!\w)(?:gives?|results? in|leads?|risks?|means|would|could|might|may|yields?|seems?|was|were|"
    r"doesn['’]t|isn['’]t)(?!\w)",
    re.IGNORECASE,
)
_STATES_FACT = re.compile(r"\W*\w+ing(?: \w+){0,2} (?:is|are|can|will|makes?|earns?)(?!\w)", re.IGNORECASE)
_TOWARDS = re.compile(
    r"(?:as long as|if|unless|until|while|whenever|once) (?:you|they|he|she|the other)(?!\w)|只要你|"
    r"除非你|tant que (?:tu|vous)|"
    r"solange (?:du|sie)|mientras (?:tú|usted)|chừng nào (?:bạn|anh)|ما دمت",
    re.IGNORECASE,
)
"""A condition that another's conduct may meet."""
_SUBJECT = re.compile(
    r"(?<!\w)(?:i|we|i['’](?:m|d|ll|ve)|we['’](?:re|d|ll))(?!\w)|我|咱|(?<!\w)(?:tôi|mình|tớ|em|ta|"
    r"chúng ta|je|nous|ich|wir|yo|"
    r"nosotros|[وف]?س?[أن]\w{2,})(?!\w)|(?<!\w)j['’]|(?<!\w)\w{2,}(?:é|emos|amos|imos)(?!\w)",
    re.IGNORECASE,
)
_OWN_SUPPOSED = re.compile(
    r"^\W*(?:but |so |and |then )?(?:even if|(?:if|whether|should|when|suppose|since|because) (?:i|we|"
    r"both)(?!\w)|"
    r"(?:nếu|khi) (?:tôi|mình|ta)(?!\w)|si (?:je|nous|yo)(?!\w)|wenn (?:ich|wir)(?!\w)|(?:如果|要是|若)我)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:^|[,;:.—–(\"“]\s?|(?<!\w)(?:then|so|and|but|that|tomorrow|today|again|round|week|month|season|year|day|"
    r"morning|night|turn|on|otherwise|next time|"
    r"now|\d+|return|\w+ly) )\W*"
    r"(?:i|we)(?:['’]\w+)?(?!\w|\.e)",
    re.IGNORECASE,
)
"""The first person as the subject of a main clause, in English."""

_STATIVE = re.compile(
    r"(?<!\w)(?:i|we) (?:see|notice|know|have|need|feel|like|wonder|understand|agree|get|lose|earn|"
    r"benefit|gain|learn|score|win|are|"
    r"both \w+|am (?:sure|sorry|glad|not sure)|"
    r"can see|can|could|should|might|may)(?!\w)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?<!\w)(?:i|we)(?:['’]ve| have| \w+ly)?(?: both| each)? (?:been|was|were|had|did|chose|played|"
    r"went|took|kept|gave|thought|got|"
    r"lost|\w+ed)(?!\w)|我(?:上|刚|们上|已经|之前)|j['’]ai |nous avons |ich habe |wir haben |"
    r"(?<!\w)he \w+[ai]do(?!\w)|tôi đã ",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"(?<!\w)(?:the|to|of|and|is|i|they|you|a|on|in|for|if)(?!\w)", re.IGNORECASE)
_IN_ROUND = re.compile(r"(?<!\w)we(?:['’]re| are) (?:\w+ )?(?:in|on|at)(?!\w)", re.IGNORECASE)
_THIS_ROUND = re.compile(
    r"(?<!\w)(?:this (?:round|turn|time|first round)|now(?! on)|today|in the first round)(?!\w)|"
    r"这一?[轮次]",
    re.IGNORECASE,
)


def _sentences(
    spoken: Sequence[tuple[int, str, Sequence[Mapping[str, Any]]]], options: Sequence[str]
) -> Intentions:
    """The intentions of a model's messages.

    Parameters
    ----------
    spoken : place, text and arguments of called tools of each
    options : of the play; empty for numbers
    """
    table = {word.casefold(): word for word in options}
    likely, n = thinned(
        (
            (at, passage[start:end], note)
            for at, text, calls in spoken
            for passage, note in _passages(text, calls)
            for start, end in _likely(passage)
        ),
        SENTENCES,
    )
    likely = likely[:: -(-sum(len(sentence) for _, sentence, _ in likely) // READ) or 1]
    return Intentions(
        tuple(
            Intention(at, sentence.strip(), named_option(sentence, table, cased=True))
            for at, sentence, note in ((at, clean(sentence), note) for at, sentence, note in likely)
            if _intends(sentence, table, note)
        ),
        n - len(likely),
    )


_TO_COME = tuple(dict.fromkeys(part for table in (FUTURE, COMING, CONDITION) for part in stems(table)))


def _likely(passage: str) -> Iterator[tuple[int, int]]:
    """The sentences, or parts of long ones, that hold letters of a word of what is to come."""
    blocks = marked(lowered(passage), _TO_COME)
    start = 0
    for stop in _ends_of_sentences(passage) if 1 in blocks else ():
        at = blocks.find(1, start // BLOCK, stop // BLOCK + 1)
        while at >= 0 and start < stop:
            if stop - start <= _LONGEST:
                yield start, stop
                break
            begin = max(start, at * BLOCK - _BEFORE)
            yield begin, min(stop, begin + _LONGEST)
            start = begin + _LONGEST
            at = blocks.find(1, start // BLOCK, stop // BLOCK + 1)
        start = stop


def _ends_of_sentences(passage: str) -> Iterator[int]:
    yield from (match.end() for match in _SENTENCE.finditer(passage))
    yield len(passage)


def _passages(text: str, calls: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Texts of a message, and whether each is a note, which may leave out the person."""
    objects = json_places(text)
    notes = [value for source in (*(held for _, _, held in objects), *calls) for value in _strings(source)]
    if notes:
        yield from ((value, True) for value in notes)
        for start, end, _ in reversed(objects):
            text = f"{text[:start]}\n{text[end:]}"
    yield from ((match[1], True) for match in _NOTE.finditer(text))
    text = _NOTE.sub("\n", text)
    if text.strip():
        yield text, False


_NOTE = re.compile(
    r"(?im)^\W{0,4}(?:(?:private |my )?(?:notes?|reason(?:ing|s)?|thoughts?|thinking|plan|comment|"
    r"rationale|why|motivo|razón|grund|raison|lý do|ghi chú|"
    r"السبب|ملاحظة)|理由|想法|备注)\W{0,3}[:：]\s?([^\n]+)$"
)
"""A line that holds a note."""


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        if re.search(r"\s|[\u4e00-\u9fff]", value.strip()):
            yield value
    elif isinstance(value, Mapping) and depth < 4:
        for held in value.values():
            yield from _strings(held, depth + 1)


def _intends(sentence: str, table: Mapping[str, str], note: bool) -> bool:
    text = sentence.strip(f" {MARKS}*-–—>#")
    if re.search(r"[?？؟]\W*$", text) or len(text) < 4 or _OWN_SUPPOSED.search(text):
        return False
    future, coming, condition = FUTURE.search(text), COMING.search(text), CONDITION.search(text)
    later = bool(coming or condition)
    act = (
        any(re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) for word in table)
        or _ACTS.search(text) is not None
        or _ENGLISH.search(text) is None
        or re.search(r"\d", text) is not None
    )
    predicted = PREDICTED.search(text)
    if predicted is not None and (future is None or predicted.start() <= future.start() < predicted.end()):
        return False
    if future is not None and (act or later):
        return not _is_decision(text[future.end() :], table, later)
    if FIRST_PERSON.search(text) is None or _SUBJECT.search(text) is None:
        begins = (
            note
            or (_TOWARDS.search(text) and act)
            or _ELLIPTIC.search(text)
            or re.match(r"\W*(?:wenn|falls|si|如果|只要|nếu|[وف]?إن|إذا)(?!\w)", text)
        )
        whose = (
            _THIRD.search(text) or _PAST.search(text) or _CONSEQUENCE.search(text) or _STATES_FACT.match(text)
        )
        return bool(begins and later and act and not whose)
    if _PAST.search(text) or _STATIVE.search(text) or _CONSEQUENCE.search(text) or _IN_ROUND.search(text):
        return False
    if _ENGLISH.search(text) is None:
        return later
    return later and _CLAUSE.search(text) is not None and not _THIS_ROUND.search(text)


def _is_decision(rest: str, table: Mapping[str, str], later: bool) -> bool:
    """Whether a sentence merely states the decision of this round, by what stands behind "I will"."""
    if later:
        return False
    if _THIS_ROUND.search(rest):
        return True
    rest = bare(
        re.sub(
            r"^\s*(?:now |then |therefore )?(?:go with|choose|pick|play|select|press|contribute|"
            r"to)?\s*(?:to )?",
            "",
            rest,
        )
    )
    return (
        label(rest, table) is not None
        or re.fullmatch(r"\W*\d[\d.,]*(?: \w+)?", rest) is not None
        or _ACTS.fullmatch(rest) is not None
    )


def intentions(lines: Sequence[Line], play: Play | None, *, anywhere: bool = False) -> Intentions:
    """What the model says that it will choose, in the transcript of a play.

    Parameters
    ----------
    play : None where there is none
    anywhere : also where there is no play
    """
    if play is None and not anywhere:
        return Intentions()
    uncut = [(at, line.uncut or line) for at, line in enumerate(lines) if line.role == "assistant"]
    spoken = [(at, line.text, line.calls) for at, line in uncut]
    return _sentences(spoken, play.options if play is not None else ())
