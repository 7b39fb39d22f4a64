"""Repeated-game play in a transcript of anybody's, by evidence that is counted.

The model plays where it decides in the same game for two rounds or more, and is told what others did, on
whose decisions its payoffs depend too. The structure is the same in all languages and cover stories:

1. *Decisions*: the model fills one slot again and again (`intent.inspect.moves`) with numbers, or with words
   that the messages to it use as well.
2. *What others did*: messages to the model ascribe values of the same kind to somebody else, mostly beside
   the model's own (`intent.inspect.moves`). The name of the own seat is the one whose value is the
   model's each time. Where the model answers offers, others' offers are what they did. A model that acts for
   all seats writes their moves itself.
3. *Setting*: payoffs, another decision maker, decisions that come again. Words of quizzes, debates, surveys
   and board games count against play.

`EVIDENCE` says how much each is worth; play is where the sum reaches `THRESHOLD`. Nothing is play without two
decisions, another decision maker, and payoffs or rounds.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from intent.inspect.lexicon import (
    ACTING,
    AGGREGATE,
    ANSWER,
    ANSWERED,
    BOTH,
    CHOICE,
    DEED,
    DULL,
    EXAM,
    INTRODUCED,
    MAKER,
    OFFER,
    OTHER,
    OUTCOME,
    PAYOFF,
    REFUSED,
    ROUND,
    SEAT,
    SELF,
    TALK,
    WITH_USER,
)
from intent.inspect.moves import (
    NUMBER,
    Ascription,
    Kind,
    Line,
    alternatives,
    ascriptions,
    bare,
    label,
    pieces,
    plain,
    slots,
    stated,
    stated_pattern,
    word_pattern,
)

__all__ = ["EVIDENCE", "THRESHOLD", "Play", "named_option", "repeated_play"]

_SHORT = 300


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
    evidence : names in `EVIDENCE` and what each is worth here
    """

    options: tuple[str, ...]
    own: tuple[str, ...]
    others: tuple[str, ...]
    rounds: int
    at: tuple[int, ...]
    evidence: tuple[tuple[str, float], ...] = ()

    @property
    def score(self) -> float:
        """The sum of the evidence."""
        return sum(worth for _, worth in self.evidence)


EVIDENCE: Mapping[str, tuple[float, int]] = {
    "own move said back beside another's": (2.0, 2),
    "another's move": (2.0, 1),
    "another's move again": (1.0, 1),
    "move of a named seat": (1.0, 2),
    "reply that is a move": (1.0, 2),
    "answer to another's offer": (1.0, 2),
    "what all decided together": (1.0, 2),
    "another's deed of another kind": (1.0, 2),
    "payoffs of both": (1.0, 2),
    "seats played by the model": (2.0, 1),
    "payoffs": (1.0, 1),
    "another decision maker": (1.0, 1),
    "rounds": (1.0, 1),
    "quiz, debate, survey, board game or advice": (-3.0, 1),
}
"""Evidence -> what it is worth, and how often it counts."""

SETTING = frozenset(
    {"payoffs", "another decision maker", "rounds", "quiz, debate, survey, board game or advice"}
)
"""Evidence of what is spoken of, not of what is done."""

LEAST, MOST = 2.0, 4.0
"""What evidence of what is done has to sum to, and what it counts for at most."""

THRESHOLD = 4.0
"""The sum of evidence from which on there is play."""

_MOST_SETS = 24
_MOST_SLOTS = 16
_MOST_NAMED = 60
_LONGEST_CELL = 60

WORK = 400_000
"""Characters of messages that are read for hypotheses, those of a message for each; slots have half of them.

In short transcripts all hypotheses are tried; in the longest that are read the first few.
"""


@dataclass(frozen=True)
class _Decision:
    at: int
    value: str


def repeated_play(lines: Sequence[Line]) -> Play | None:
    """The repeated-game play of a transcript, as `lines_of` bounds it, None where it has none."""
    best: Play | None = None
    reading = _Reading(lines)
    for kind, own in reading.hypotheses():
        play = reading.play(kind, own)
        if play is not None and (best is None or _rank(play) > _rank(best)):
            best = play
    return best if best is not None else reading.narrated()


def _rank(play: Play) -> tuple[float, bool, int, bool, int]:
    varied = len(set(play.own)) > 1
    return play.score, len(play.options) != 1, play.rounds, varied, sum(map(len, play.own))


class _Reading:
    """A transcript with what all hypotheses on its decisions share."""

    def __init__(self, lines: Sequence[Line]):
        self.lines = lines
        self.heard = [at for at, line in enumerate(lines) if line.role != "assistant" and line.text]
        self.offered = "\n".join(lines[at].text for at in self.heard)
        self.folded = self.offered.casefold()
        self.replies = [
            at for at, line in enumerate(lines) if line.role == "assistant" and (line.text or line.calls)
        ]
        first = next((at for at, line in enumerate(lines) if line.role == "assistant"), 0)
        self.opening = "\n".join(line.text for line in lines[:first])
        self._slots = {at: slots(lines[at].text, lines[at].calls) for at in self.replies}
        self._pieces = {at: pieces(lines[at].text) for at in self.replies}
        self.spoken = frozenset(
            [piece.casefold() for held in self._pieces.values() for piece in held]
            + [bare(value).casefold() for held in self._slots.values() for value in held.values()]
        )
        self.labels = {name.removeprefix("line ") for held in self._slots.values() for name in held}
        self.with_user = WITH_USER.search(self.opening) is not None
        self._numbered: dict[int, list[Ascription]] = {}
        self._statements: dict[int, list[str]] = {}
        self._words_of: dict[tuple[re.Pattern[str], int], bool] = {}
        self._mentions: dict[str, bool] = {}
        self._possible: dict[str, bool] = {}
        self._in_opening: dict[str, bool] = {}
        self._others_names: dict[str, bool] = {}
        self.sets = alternatives(self.offered, self.spoken)
        self.cost = max(1, sum(len(lines[at].text) for at in (*self.heard, *self.replies)))
        self.tried = 0

    def hypotheses(self) -> Iterator[tuple[Kind, list[_Decision]]]:
        """Kinds of decisions, and the decisions that the model takes under each."""
        names = Counter(slot for held in self._slots.values() for slot in held)
        for slot, _ in names.most_common(_MOST_SLOTS):
            if self.tried * self.cost > WORK // 2:
                break
            held = [(at, self._slots[at][slot]) for at in self.replies if slot in self._slots[at]]
            for one in self._of_slot(held):
                self.tried += 1
                yield one
        for one in self._of_speech():
            self.tried += 1
            yield one
            if self.tried * self.cost > WORK:
                break

    def _of_slot(self, held: Sequence[tuple[int, str]]) -> Iterator[tuple[Kind, list[_Decision]]]:
        numbers = [(at, Kind(None).value(text)) for at, text in held]
        if all(number is not None for _, number in numbers):
            yield Kind(None), [_Decision(at, number) for at, number in numbers if number is not None]
            return
        kind = self._kind([bare(text) for _, text in held])
        if kind is not None:
            table = kind.options or {}
            read = [(at, kind.value(text) or named_option(text, table, cased=True)) for at, text in held]
            yield kind, [_Decision(at, value) for at, value in read if value is not None]

    def _of_speech(self) -> Iterator[tuple[Kind, list[_Decision]]]:
        """Decisions that are said, in whole replies or in statements, under each list of alternatives."""
        speech = [at for at in self.replies if not self._talks(at)]
        numbers = [(at, self._number(at)) for at in speech]
        yield Kind(None), [_Decision(at, number) for at, number in numbers if number is not None]
        short = [piece for at in speech for piece in self._pieces[at] if len(piece.split()) <= 3]
        common = [word for word, _ in Counter(short).most_common(40)]
        kinds = [self._kind(common)]
        spoken = "\n".join(self.lines[at].text for at in self.replies)
        pieces_known = {piece: piece for piece in self.spoken if len(piece) <= 8}
        for words in self.sets:
            parts = _cut(words, pieces_known)
            if any(
                part.casefold() in self.spoken or word_pattern(part).search(spoken) is not None
                for part in parts
            ):
                kinds.append(self._kind(parts, complete=True))
        sets: set[frozenset[str]] = set()
        for kind in kinds:
            if kind is None or (key := frozenset(kind.options or {})) in sets or len(sets) >= _MOST_SETS:
                continue
            sets.add(key)
            read = [(at, self._word(at, kind)) for at in speech]
            yield kind, [_Decision(at, value) for at, value in read if value is not None]

    def _talks(self, at: int) -> bool:
        return at > 0 and self.lines[at - 1].role != "assistant" and asks_to_talk(self.lines[at - 1].text)

    def _number(self, at: int) -> str | None:
        for piece in self._pieces[at]:
            word = re.match(r"[^\W\d]{1,14}[ :]{1,2}(?=[$€£]?\d)", piece)
            if word is not None and not OUTCOME.match(word[0].strip(" :")):
                piece = piece[word.end() :]
            number = Kind(None).value(piece)
            if number is not None:
                return number
        for rest in self._stated(at):
            match = re.match(rf"\s*[$€£]?({NUMBER})(?![\w%])", rest)
            if match:
                return plain(match[1])
        return None

    def _stated(self, at: int) -> list[str]:
        if at not in self._statements:
            self._statements[at] = stated(self.lines[at].text)
        return self._statements[at]

    def _word(self, at: int, kind: Kind) -> str | None:
        table = kind.options or {}
        for piece in self._pieces[at]:
            exact = label(piece, table)
            if exact is not None:
                return exact
        for rest in self._stated(at):
            for written in table.values():
                if stated_pattern(written).match(rest):
                    return written
        for piece in self._pieces[at]:
            named = (
                named_option(piece, table, cased=True)
                if len(piece.split()) <= 3 and len(piece) <= 30
                else None
            )
            if named is not None:
                return named
        return None

    def _kind(self, values: Sequence[str], complete: bool = False) -> Kind | None:
        """The kind of the words that messages to the model use too, with those offered beside them."""
        table: dict[str, str] = {}
        for word in values:
            word = re.sub(
                r"^(?:option|action|choice|decision|move|pick) (?=\w)", "", word, flags=re.IGNORECASE
            )
            folded = word.casefold()
            if folded in DULL and not word.isupper() and not (len(folded) == 1 and folded in self.spoken):
                continue
            if len(table) < 12 and self._may_be_option(folded) and self._mentioned(word):
                table.setdefault(folded, word)
        known = dict(table)
        for words in self.sets if table and not complete else ():
            parts = _cut(words, known)
            if any(part.casefold() in known for part in parts):
                for part in parts:
                    dull = part.casefold() in DULL and len(part) > 1
                    if len(table) < 16 and not dull and self._may_be_option(part.casefold()):
                        table.setdefault(part.casefold(), part)
        return Kind(table) if table else None

    def _mentioned(self, word: str) -> bool:
        if word not in self._mentions:
            self._mentions[word] = word_pattern(word).search(self.offered) is not None
        return self._mentions[word]

    def _may_be_option(self, folded: str) -> bool:
        """Whether a word may be what is decided: none that names players or counts rounds."""
        if folded not in self._possible:
            self._possible[folded] = self._no_name(folded)
        return self._possible[folded]

    def _no_name(self, folded: str) -> bool:
        return (
            0 < len(folded) <= 30
            and re.search(r"\w", folded) is not None
            and re.search(r"[\":{}=<>|]", folded) is None
            and len(folded.split()) <= 4
            and not any(table.fullmatch(folded) for table in (SELF, OTHER, BOTH, SEAT, OUTCOME, _PLAYER))
            and folded not in self._addresses
            and folded not in self.labels
            and not folded.isdigit()
        )

    def play(self, kind: Kind, own: Sequence[_Decision]) -> Play | None:
        """The play under a hypothesis, where its evidence suffices."""
        own = self._counted(own)
        if not own:
            return None
        reports = {at: ascriptions(self.lines[at].text, kind) for at in self.heard}
        decided = [decision.at for decision in own]
        before = {at: bisect_left(decided, at) for at in reports}
        selves = self._selves(own, reports, before)
        reports = {at: [one for one in map(self._known, read) if one.sort] for at, read in reports.items()}
        messages = Counter(who for read in reports.values() for who in {one.who for one in read})
        counts: Counter[str] = Counter()
        others: list[str] = []
        places = {decision.at for decision in own}
        past: list[str] = []
        skipped = 0
        for at, read in reports.items():
            number = before[at]
            last = own[number - 1].value if number else None
            ours, theirs, pairs = _sides(read, selves, last, kind, messages)
            if not number and pairs < 2 and len(own) > 1:
                continue
            if pairs > number and pairs - number > len(past) - skipped:
                past, skipped = ours[:pairs], number
            if not number and not pairs and not (ours and self._says(DEED, at)):
                continue
            reply = self._reply(at, kind) if not ours and not theirs else None
            if pairs and (not number or last in ours):
                counts["own move said back beside another's"] += pairs if pairs > number else 1
            elif any(one.sort != "named" for one in theirs):
                counts["another's move"] += 1
                counts["another's move again"] = counts["another's move"] - 1
            elif theirs:
                counts["move of a named seat"] += 1
            elif reply is not None:
                counts["reply that is a move"] += 1
                others.append(reply)
            elif self._says(AGGREGATE, at) and re.search(r"\d", self.lines[at].text):
                counts["what all decided together"] += 1
            elif number and kind.options is None and self._says(ANSWERED, at):
                counts["another's deed of another kind"] += 1
            elif ours and self._says(DEED, at):
                counts["another's deed of another kind"] += max(
                    1, min(len(ours), len(DEED.findall(self.lines[at].text)))
                )
                if len(ours) > number and len(ours) - number > len(past) - skipped:
                    past, skipped = ours, number
            elif number and kind.options is not None and self._both_paid(at):
                counts["payoffs of both"] += 1
            else:
                continue
            others.extend(one.value for one in (theirs if pairs <= 1 or not number else theirs[-1:]))
            places.add(at)
        if 2 * len(places - {decision.at for decision in own}) <= len(own) - 1:
            counts.clear()
        if all(ANSWER.match(decision.value) for decision in own):
            offers = self._offers(own)
            counts["answer to another's offer"] = len(offers)
            others = others or [offer for _, offer in offers]
            places.update(at for at, _ in offers)
        moves = [*past, *(decision.value for decision in own[skipped:])]
        beside = counts["own move said back beside another's"] > 1 and self._named(reports)
        if counts["another's move"] or counts["another's deed of another kind"] or beside:
            counts["another decision maker"] = 1
        return self._judged(kind, moves, others, sorted(places), counts)

    def _named(self, reports: Mapping[int, Sequence[Ascription]]) -> bool:
        """Whether messages name the model by a pronoun, or players by names that the opening gave them."""
        return any(
            one.sort == "own"
            or self._addressed(one.who)
            or (one.sort == "named" and self._opens_with(one.who))
            for read in reports.values()
            for one in read
        )

    def _opens_with(self, name: str) -> bool:
        if name not in self._in_opening:
            written = word_pattern(name.title(), cased=True)
            self._in_opening[name] = written.search(self.opening) is not None
        return self._in_opening[name]

    def _judged(
        self, kind: Kind, own: Sequence[str], others: Sequence[str], at: Sequence[int], counts: Counter[str]
    ) -> Play | None:
        """The play with its evidence, None where that does not suffice."""
        if len(own) < 2:
            return None
        return self._weighed(tuple((kind.options or {}).values()), own, others, len(own), at, counts)

    def _weighed(
        self,
        options: Sequence[str],
        own: Sequence[str],
        others: Sequence[str],
        rounds: int,
        at: Sequence[int],
        counts: Counter[str],
    ) -> Play | None:
        counts = counts | self._setting
        evidence = _weights(counts)
        play = Play(tuple(options), tuple(own), tuple(others), rounds, tuple(at), evidence)
        setting = counts["another decision maker"] and (counts["payoffs"] or counts["rounds"])
        structure = sum(worth for name, worth in evidence if name not in SETTING)
        return play if play.score >= THRESHOLD and structure >= LEAST and setting else None

    def _says(self, words: re.Pattern[str], at: int) -> bool:
        """Whether such words stand in a message."""
        key = words, at
        if key not in self._words_of:
            self._words_of[key] = words.search(self.lines[at].text) is not None
        return self._words_of[key]

    @cached_property
    def _setting(self) -> Counter[str]:
        """What the messages to the model speak of."""
        tables = {
            "payoffs": PAYOFF,
            "another decision maker": MAKER,
            "rounds": ROUND,
            "quiz, debate, survey, board game or advice": EXAM,
        }
        words = Counter({name: 1 for name, table in tables.items() if table.search(self.offered)})
        return words | Counter(
            {"another decision maker": int(self.with_user or SEAT.search(self.opening) is not None)}
        )

    def _counted(self, own: Sequence[_Decision]) -> list[_Decision]:
        """Decisions without those that were refused."""
        counted = []
        for decision in own:
            after = self.lines[decision.at + 1] if decision.at + 1 < len(self.lines) else None
            refused = after is not None and after.role != "assistant" and len(after.text) < _SHORT
            if not (refused and after is not None and REFUSED.search(after.text)):
                counted.append(decision)
        return counted

    def _selves(
        self,
        own: Sequence[_Decision],
        reports: Mapping[int, Sequence[Ascription]],
        before: Mapping[int, int],
    ) -> frozenset[str]:
        """Names of the model's own seat: addressed by it, or ascribed each time what the model did."""
        names = {one.who for read in reports.values() for one in read if one.sort in ("named", "seat")}
        names -= {name for name in names if self._is_introduced(name)}
        addressed = {name for name in names if self._addressed(name)}
        if addressed or any(one.sort == "own" for read in reports.values() for one in read):
            return frozenset(addressed)
        hits: Counter[str] = Counter()
        misses: set[str] = set()
        for at, read in reports.items():
            if not before[at]:
                continue
            last = own[before[at] - 1].value
            stated_of = {(one.who, one.value) for one in read}
            for name in {one.who for one in read} & names:
                same = (name, last) in stated_of
                hits[name] += same
                if not same:
                    misses.add(name)
        sure = [name for name in hits if name not in misses]
        if not sure:
            return frozenset()
        return frozenset([max(sure, key=lambda name: (hits[name], -self.folded.find(name)))])

    def _addressed(self, name: str) -> bool:
        return any(word_pattern(name, cased=True).search(rest) for rest in self._addresses)

    def _is_introduced(self, name: str) -> bool:
        if name not in self._others_names:
            written = word_pattern(name, cased=True)
            self._others_names[name] = any(written.match(rest) for rest in self._introduced)
        return self._others_names[name]

    def _known(self, one: Ascription) -> Ascription:
        """An ascription to a name that the opening introduces as another player's."""
        if one.sort == "speaker":
            return replace(one, sort="another" if self.with_user else "")
        introduced = one.sort == "named" and self._is_introduced(one.who)
        return replace(one, sort="seat") if introduced else one

    @cached_property
    def _introduced(self) -> list[str]:
        opening = self.opening.casefold()
        return [
            opening[match.end() : match.end() + 30]
            for match in islice(INTRODUCED.finditer(opening), _MOST_NAMED)
        ]

    @cached_property
    def _addresses(self) -> list[str]:
        """What the model is called, in the words behind "you are"."""
        opening = self.opening.casefold()
        return [
            " ".join(
                re.sub(r"[\W_]+", " ", re.split(_STOPS, opening[match.end() : match.end() + 30])[0]).split()[
                    :3
                ]
            )
            for match in islice(_YOU_ARE.finditer(opening), _MOST_NAMED)
        ]

    def _reply(self, at: int, kind: Kind) -> str | None:
        """The move that a user's message is: one value in few words."""
        line = self.lines[at]
        if not self.with_user or line.role != "user" or len(line.text) > _SHORT:
            return None
        if kind.options is None:
            return kind.value(re.split(r"[.!,;:。！，；\n]", line.text)[0])
        values = {kind.value(match["value"]) for match in kind.pattern.finditer(line.text)}
        short = [
            part
            for part in re.split(r"[.!,;。！，；\n]+", line.text)
            if 0 < len(part.split()) <= 3 and kind.pattern.search(part)
        ]
        return next(iter(values)) if len(values) == 1 and short else None

    def _both_paid(self, at: int) -> bool:
        """Whether a message says in numbers what the model and another got."""
        read = [one for one in self._numbers(at) if one.sort != "named" or not OUTCOME.match(one.who)]
        mine = {one.rest for one in read if one.sort == "own"}
        return any(one.sort in ("another", "seat", "named") and one.rest in mine for one in read)

    def _numbers(self, at: int) -> list[Ascription]:
        if at not in self._numbered:
            self._numbered[at] = [self._known(one) for one in ascriptions(self.lines[at].text, Kind(None))]
        return self._numbered[at]

    def _offers(self, own: Sequence[_Decision]) -> list[tuple[int, str]]:
        """Places and numbers of others' offers, one before each answer of the model."""
        offers = []
        for decision in own:
            at = decision.at - 1
            text = self.lines[at].text if at >= 0 and self.lines[at].role != "assistant" else ""
            match = OFFER.search(text)
            number = re.search(NUMBER, text[match.start() :]) if match else None
            if number is not None and MAKER.search(text + self.opening):
                offers.append((at, plain(number[0])))
        return offers

    def narrated(self) -> Play | None:
        """The play of a model that acts for all seats, in a table or in sections of its reply."""
        wanted = "\n".join(line.text for line in self.lines if line.role in ("user", "system"))
        if not ACTING.search(wanted) or _PROGRAM.search(wanted):
            return None
        counts = Counter({"seats played by the model": 1})
        for at in self.replies:
            table = columns(self.lines[at].text)
            seats = [column for head, column in table if self._of_seat(head) and self._closed(column)]
            if len(seats) >= 2:
                options = dict.fromkeys(value for column in seats for value in column)
                others = [value for row in zip(*seats[1:], strict=True) for value in row]
                return self._weighed(tuple(options), seats[0], others, len(seats[0]), (at,), counts)
        sets = [{word.casefold(): word for word in words} for words in self.sets[:_MOST_SETS]]
        for kind in (*map(Kind, sets), Kind(None)):
            named: dict[str, list[str]] = {}
            for at in self.replies:
                for one in ascriptions(_TOTALS.sub("", self.lines[at].text), kind):
                    if one.sort in ("named", "seat") and not OUTCOME.match(one.who) and one.rest == "":
                        named.setdefault(one.who, []).append(one.value)
            seats = sorted((moves for moves in named.values() if len(moves) >= 2), key=len, reverse=True)
            if len(seats) >= 2:
                rounds = len(seats[1])
                moves = named_moves(seats) if kind.options else ((), ())
                play = self._weighed(
                    tuple((kind.options or {}).values()), *moves, rounds, tuple(self.replies), counts
                )
                if play is not None:
                    return play
        return None

    def _of_seat(self, head: str) -> bool:
        """Whether the head of a column names a player: the messages do, and it is no round or outcome."""
        if len(head) > _LONGEST_CELL:
            return False
        named = re.search(r"[^\W\d]", head) and self._mentioned(head)
        return bool(named) and not OUTCOME.fullmatch(head) and not ROUND.fullmatch(head)

    def _closed(self, column: Sequence[str]) -> bool:
        """Whether the cells of a column are moves: few words again and again, that the messages speak of."""
        distinct = {value.casefold() for value in column}
        if len(column) >= 2 and all(re.fullmatch(NUMBER, value) for value in column):
            return True
        return (
            len(column) >= 2
            and len(distinct) <= 4
            and all(
                len(value) <= _LONGEST_CELL
                and re.search(r"[^\W\d]", value)
                and word_pattern(value, cased=True).search(self.folded)
                for value in distinct
            )
        )


def _weights(counts: Mapping[str, int]) -> tuple[tuple[str, float], ...]:
    """What each evidence is worth, that of what is done no more than `MOST` together."""
    evidence, left = [], MOST
    for name, (worth, times) in EVIDENCE.items():
        points = worth * min(counts[name], times)
        if name not in SETTING:
            points = min(points, left)
            left -= points
        if points:
            evidence.append((name, points))
    return tuple(evidence)


def named_moves(seats: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Moves of the first seat, and of the others."""
    return tuple(seats[0]), tuple(move for moves in seats[1:] for move in moves)


_TOTALS = re.compile(
    r"(?im)^\W{0,6}(?:final|total|overall|sum|score|总|合计|tổng|المجموع|summe|gesamt)[^\n]*"
)

_PROGRAM = re.compile(
    r"(?<!\w)(?:code|python|script|function|program|implement\w*|repo|class)(?!\w)|```", re.IGNORECASE
)
"""What is to be written is a program."""


def columns(text: str) -> list[tuple[str, list[str]]]:
    """Head and cells of the columns of the first table of a text, in Markdown."""
    rows = [
        [bare(cell) for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if line.count("|") >= 2 and not re.fullmatch(r"[\s|:=-]+", line)
    ]
    rows = [row for row in rows if len(row) == len(rows[0])]
    if len(rows) < 3:
        return []
    return [(column[0], list(column[1:])) for column in zip(*rows, strict=True)]


def _sides(
    read: Sequence[Ascription],
    selves: frozenset[str],
    last: str | None,
    kind: Kind,
    messages: Mapping[str, int],
) -> tuple[list[str], list[Ascription], int]:
    """The model's moves that a message says, others' moves, and how often they stand beside each other."""
    if last is None:
        read = [one for one in read if one.sort != "both"]
    mine = [one for one in read if one.sort in ("own", "both") or one.who in selves]
    if kind.options is None:
        shapes = {one.rest for one in mine if one.value == last and not _GAINED.search(one.rest)}
        if not shapes and last is None:
            shapes = {
                one.rest for one in mine if one.rest in ("", "json", "column") or _CHOSE.search(one.rest)
            }
    else:
        shapes = None
    ours: list[str] = []
    theirs: list[Ascription] = []
    groups = 0
    repeated = Counter(one.who for one in read)
    open_group = False
    echoed = any(one.value == last and (shapes is None or one.rest in shapes) for one in mine)
    for one in read:
        own = one.sort in ("own", "both") or one.who in selves
        if own:
            if shapes is not None and one.rest not in shapes:
                if ours and one.rest != "list":
                    break
                continue
            if last is not None and one.value != last and ours and ours[-1] == last and shapes is not None:
                break
            ours.append(one.value)
            open_group = False
        if not own or one.sort == "both":
            if one.sort == "named" and not (echoed or messages[one.who] >= 2 or repeated[one.who] >= 2):
                continue
            if shapes is not None and not _same_shape(one, shapes, echoed):
                continue
            theirs.append(one)
            groups += not open_group
            open_group = True
    if last is None and any(one.sort != "named" for one in theirs):
        theirs = [one for one in theirs if one.sort != "named"]
    return ours, theirs, min(len(ours), groups)


def _same_shape(one: Ascription, shapes: set[str], echoed: bool) -> bool:
    """Whether a number is said of another as the own number is said."""
    if one.sort == "named" and OUTCOME.match(one.who):
        return False
    if shapes:
        return one.rest in shapes or (one.rest == "list" and one.who in _SEVERAL)
    chose = _CHOSE.search(one.rest) is not None
    return not echoed and (chose or (one.sort != "named" and one.rest in ("", "json")))


_PLAYER = re.compile("玩家|对方|player|agent|opponent|round", re.IGNORECASE)
_GAINED = re.compile(PAYOFF.pattern + r"|(?<!\w)(?:minus|plus|up|down|total)(?!\w)", re.IGNORECASE)
"""Words between a name and the number that it gained."""

_SEVERAL = frozenset(
    {
        "each player",
        "each agent",
        "all players",
        "others",
        "the others",
        "they",
        "them",
        "theirs",
        "opponents",
        "partners",
        "rivals",
        "其他",
        "他们",
    }
)

_CHOSE = re.compile(
    r"had|wrote|went|contribut|invest|bid|put|offer|guess|gave|give|sent|send|chose|choose|play|pick|"
    r"took|take|ship|"
    r"set|charg|harvest|"
    r"kept|keep|garde|behält|queda|giữ|envía|envoi|schick|return|投|出|选|贡献|给|góp|chọn|a choisi|mis|"
    r"wähl|setz|eligió|puso|aport|ساهم|اختار",
    re.IGNORECASE,
)
"""Words between a name and the number that it decided on."""

_YOU_ARE = re.compile(
    r"(?:you are|you're|you play|you control|your name is|your id is|your seat is|you fly|你是|你扮演|"
    r"eres|vous êtes|tu es|du bist|sie sind|bạn là|أنت)(?!\w) ?(?:the |el |la |le |der |die |player |"
    r"agent )?"
    r"|(?<!\w)(?:agent|player|role|name|seat|id) ?[=:] ?"
)


_STOPS = re.compile(r"[.,;!?\n，。；،(]| (?:of|in|and|with|who|from|on|at|for) ")


def asks_to_talk(text: str) -> bool:
    """Whether what is wanted at the end of a message is a message, and no choice."""
    last = [part for part in re.split(r"(?<=[.!?:。！？؟])\s*|\n+", text.strip()[-400:]) if part.strip()][-1:]
    return any(TALK.search(part) is not None and CHOICE.search(part) is None for part in last)


def _cut(words: Sequence[str], table: Mapping[str, str]) -> list[str]:
    """Alternatives of a text without spaces, cut to the length of one that is known."""
    if not any(re.search(r"[\u4e00-\u9fff]", word) for word in words):
        return list(words)
    for known in table:
        if max(map(len, words)) < len(known) + 2:
            continue
        if words[0].casefold().endswith(known):
            return [known, *(word[: len(known)] for word in words[1:])]
        if words[-1].casefold().startswith(known):
            return [*(word[-len(known) :] for word in words[:-1]), known]
    return list(words)


def named_option(text: str, options: Mapping[str, str], *, cased: bool = False) -> str | None:
    """The option that a text names, None where it names none or several.

    Parameters
    ----------
    options : folded option -> as it is written
    cased : whether an option of one letter is meant only by the letter as it is written
    """
    named = [one for one in dict.fromkeys(options.values()) if word_pattern(one).search(text)]
    if not named and not cased:
        single = {one: rf"(?<!\w){re.escape(one)}(?!\w)" for one in options.values() if len(one) == 1}
        named = [one for one, pattern in single.items() if re.search(pattern, text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None
