"""All texts of a library in one file, searched from end to end.

Messages, private thoughts, reasoning, prompts, replies and answers are written one behind the other, once as
they are and once in lower case, as the games are gone through. A search reads the second file: the literal is
compared byte by byte, so it works in any script and at any length, and nothing in it is a command. It stops
after a while and says how far it came.
"""

from __future__ import annotations

import tempfile
import threading
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.files import encodable
from intent.logs.gamelog import GameLog

__all__ = ["KINDS", "LONGEST", "Found", "Hit", "TextStore", "folded"]

KINDS = ("message", "private_thought", "reasoning", "prompt", "reply", "details", "answer")
"""What a text is: its column in a log; of a run, prompts, replies and reasoning are those of its calls."""

LONGEST = 200
"""Characters of what is searched for."""

LIMIT_TEXTS = 8 * 1024**3
"""Most bytes of either file; later games are then not searched, which is said."""

_LIMIT_TEXT = 200_000
"""Characters of one text that are searched."""

_BUDGET, _PATIENCE = 0.35, 3.0
"""Seconds of the processor that a search may take, and seconds on the clock, where the machine is busy."""

_MOST_PLACES = 2_000_000
"""Places after which a search stops: a letter that stands everywhere finds no game."""

_PIECE = 4 * 1024**2
_AROUND = 70
_END = "\0"


def folded(text: str) -> str:
    """The text in lower case, character for character, so that places in it are places in the text."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(one if len(one := char.lower()) == 1 else char for char in text)
    return lower.replace("ς", "σ")


@dataclass(frozen=True)
class Hit:
    """A place where it stands.

    Parameters
    ----------
    kind : str, of `KINDS`
    round, seat : int
    before, match, after : str
        The text around it, as it is.
    """

    kind: str
    round: int
    seat: int
    before: str
    match: str
    after: str


@dataclass(frozen=True, eq=False)
class Found:
    """What a search came to.

    Parameters
    ----------
    games : (g,) numbers of the games that have it
    places : (g,) int, how often each has it
    texts : int
    kinds : dict of kind -> places
    share : float in (0, 1]
        Of the texts that were to be searched, those that were.
    seconds : float
    """

    games: NDArray[np.int64]
    places: NDArray[np.int64]
    texts: int
    kinds: dict[str, int]
    share: float
    seconds: float
    _docs: NDArray[np.int64] = field(repr=False)
    _at: NDArray[np.int64] = field(repr=False)
    _length: int = field(default=0, repr=False)

    def places_in(self, game: int) -> int:
        """How often a game has it."""
        return int(self.places[self.games == game].sum())


class TextStore:
    """The texts of games, by the number that each game has here.

    One thread adds, any may search.

    Attributes
    ----------
    n_texts : int
    bytes : int
        Of the texts in lower case.
    full : bool
        Whether texts were left out, beyond `LIMIT_TEXTS`.
    """

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._alive_from: list[int] = []
        self._parts: list[_Part] = []
        self._whole: _Part | None = None
        self.n_texts = 0
        self.bytes = 0
        self._plain_bytes = 0
        self.full = False

    def number(self, game_id: str) -> int:
        """The number of a game here; -1 where it has no text."""
        return self._numbers.get(game_id, -1)

    def name(self, number: int) -> str:
        """The name of a game, by its number here."""
        return self._names[number]

    def names(self) -> list[str]:
        """The names of all games that have a text, by their numbers."""
        with self._lock:
            return list(self._names)

    def begin(self, game_id: str) -> None:
        """What the game said so far counts no more: it is read anew."""
        number = self._numbers.get(game_id)
        if number is not None:
            self._alive_from[number] = self.n_texts

    def add_moves(self, log: GameLog, *, calls: bool) -> None:
        """The texts of the moves and questions of some games, for the first time or anew.

        Parameters
        ----------
        log : GameLog
        calls : bool
            Whether prompts and replies are those of calls, which come by `add_calls`.
        """
        for name in log.games["game_id"].astype(str).tolist():
            self.begin(name)
        moves = log.moves
        left_out = {"prompt", "reply"} if calls else set()
        for kind in KINDS:
            if kind in moves.columns and kind not in left_out:
                self._add(kind, moves[["game_id", "round", "seat", kind]], kind)
        if log.questions is not None:
            self._add("answer", log.questions[["game_id", "round", "seat", "answer"]], "answer")

    def add_calls(self, calls: pd.DataFrame, messages: Sequence[Sequence[tuple[str, str]]]) -> None:
        """The texts of calls: what was ask, the reply, the reasoning.

        Messages that a request repeats from an earlier one of the same game and seat are taken once.

        Parameters
        ----------
        calls : DataFrame as `codebook.CALLS`
        messages : the messages of each request, role and content
        """
        rows: list[tuple[str, int, int, str]] = []
        hashes: dict[tuple[str, int], set[int]] = {}
        names = zip(calls["game_id"], calls["round"], calls["seat"], messages, strict=True)
        for game, number, seat, sent in names:
            known = hashes.setdefault((str(game), int(seat)), set())
            for _, content in sent:
                if hash(content) not in known:
                    known.add(hash(content))
                    rows.append((str(game), int(number), int(seat), encodable(content)))
        prompts = pd.DataFrame(rows, columns=["game_id", "round", "seat", "prompt"])
        self._add("prompt", prompts, "prompt")
        self._add("reply", calls[["game_id", "round", "seat", "text"]], "text")
        self._add("reasoning", calls[["game_id", "round", "seat", "reasoning"]], "reasoning")

    def _add(self, kind: str, table: pd.DataFrame, column: str) -> None:
        texts = table[column]
        there = texts.notna().to_numpy(dtype=bool)
        if not there.any():
            return
        rows = table[there]
        texts_in = [
            (text if len(text) <= _LIMIT_TEXT else text[:_LIMIT_TEXT]).replace(_END, " ")
            for text in map(str, texts[there].tolist())
        ]
        joined = _END.join(texts_in) + _END
        plain, lower = (text.encode("utf-8", "surrogatepass") for text in (joined, folded(joined)))
        with self._lock:
            if self.full or self.bytes + len(lower) > LIMIT_TEXTS:
                self.full = True
                return
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="intent-view-", ignore_cleanup_errors=True)
            names = pd.factorize(rows["game_id"].astype(str).to_numpy(dtype=object))
            numbers = np.array([self._number(str(name)) for name in names[1]], dtype=np.int32)
            self._append("plain", plain)
            self._append("lower", lower)
            part = _Part(
                self.bytes + 1 + np.flatnonzero(np.frombuffer(lower, dtype=np.uint8) == 0),
                self._plain_bytes + 1 + np.flatnonzero(np.frombuffer(plain, dtype=np.uint8) == 0),
                numbers[names[0]],
                rows["round"].to_numpy(dtype=np.int32),
                rows["seat"].to_numpy(dtype=np.int16),
                np.full(len(rows), KINDS.index(kind), dtype=np.int8),
            )
            self.bytes += len(lower)
            self._plain_bytes += len(plain)
            self._parts.append(part)
            self._whole = None
            self.n_texts += len(texts_in)

    def _number(self, game_id: str) -> int:
        number = self._numbers.get(game_id)
        if number is None:
            number = self._numbers[game_id] = len(self._numbers)
            self._names.append(game_id)
            self._alive_from.append(0)
        return number

    def _path(self, name: str) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / name

    def _append(self, name: str, data: bytes) -> None:
        with self._path(name).open("ab") as file:
            file.write(data)

    def _all(self) -> _Part | None:
        with self._lock:
            if self._whole is None and self._parts:
                self._whole = _Part.joined(self._parts)
                self._parts = [self._whole]
            return self._whole

    def search(
        self,
        words: str,
        games: NDArray[np.int64] | None = None,
        kinds: Iterable[str] = (),
        *,
        budget: float = _BUDGET,
    ) -> Found:
        """Where a literal stands, without regard to case.

        Parameters
        ----------
        words : str
        games : numbers of the games to search; None: all
        kinds : of `KINDS`; none: all
        budget : float
            Seconds of the processor after which it stops.

        Raises
        ------
        UsageError
            Nothing to search for, or too much.
        """
        began = time.monotonic()
        needles = _needles(words)
        nothing = np.zeros(0, dtype=np.int64)
        whole = self._all()
        if whole is None or (games is not None and not len(games)):
            return Found(nothing, nothing, 0, {}, 1.0, time.monotonic() - began, nothing, nothing)
        wanted = self._wanted(whole, games, [KINDS.index(kind) for kind in kinds])
        at, share = self._scan(needles, whole, wanted, budget)
        docs = np.searchsorted(whole.ends, at, side="right")
        if wanted is not None:
            good = wanted[docs]
            at, docs = at[good], docs[good]
        every = np.bincount(whole.game[docs], minlength=1)
        hits = np.flatnonzero(every)
        by_kind = np.bincount(whole.kind[docs], minlength=len(KINDS))
        return Found(
            games=hits,
            places=every[hits],
            texts=int((np.diff(docs) > 0).sum()) + 1 if len(docs) else 0,
            kinds={KINDS[k]: int(n) for k, n in enumerate(by_kind) if n},
            share=share,
            seconds=time.monotonic() - began,
            _docs=docs,
            _at=at,
            _length=len(needles[0]),
        )

    def _wanted(
        self, whole: _Part, games: NDArray[np.int64] | None, kinds: Sequence[int]
    ) -> NDArray[np.bool_] | None:
        """(n,) texts that are to be searched; None where all are."""
        flags: list[NDArray[np.bool_]] = []
        alive = np.array(self._alive_from)
        if alive.any():
            flags.append(np.arange(len(whole.game)) >= alive[whole.game])
        if games is not None:
            among = np.zeros(len(alive), dtype=bool)
            among[games[games >= 0]] = True
            flags.append(among[whole.game])
        if kinds:
            flags.append(np.isin(whole.kind, kinds))
        return np.logical_and.reduce(flags) if flags else None

    def _scan(
        self, needles: Sequence[bytes], whole: _Part, wanted: NDArray[np.bool_] | None, budget: float
    ) -> tuple[NDArray[np.int64], float]:
        """Places of the needles in the texts that are wanted, and the share of these that was read."""
        until, latest = time.thread_time() + budget, time.monotonic() + _PATIENCE
        spans = [(0, int(whole.ends[-1]))]
        if wanted is not None:
            edges = np.flatnonzero(np.diff(wanted, prepend=False, append=False)).reshape(-1, 2)
            starts = np.where(edges[:, 0] > 0, whole.ends[edges[:, 0] - 1], 0)
            spans = _merged(starts, whole.ends[edges[:, 1] - 1])
        spans = _cut(spans, whole.ends)
        total, read, n_places = sum(b - a for a, b in spans), 0, 0
        places: list[NDArray[np.int64]] = []
        with self._path("lower").open("rb", buffering=0) as file:
            for a, b in spans:
                if time.thread_time() > until or time.monotonic() > latest or n_places >= _MOST_PLACES:
                    break
                file.seek(a)
                data = file.read(b - a)
                places += [a + hits for needle in needles if len(hits := _hits(data, needle))]
                n_places = sum(map(len, places))
                read += b - a
        every = np.concatenate(places) if places else np.zeros(0, dtype=np.int64)
        return every if len(needles) == 1 else np.unique(every), read / total if total else 1.0

    def hits(self, outcome: Found, game: int, most: int) -> list[Hit]:
        """The first places in a game, with the text around them."""
        whole = self._all()
        if whole is None:
            return []
        mine = np.flatnonzero(whole.game[outcome._docs] == game)
        order = np.lexsort((outcome._at[mine], whole.round[outcome._docs[mine]]))
        hits = []
        with self._path("lower").open("rb") as lower, self._path("plain").open("rb") as plain:
            for i in mine[order][:most]:
                doc, at = int(outcome._docs[i]), int(outcome._at[i])
                start, plain_start = (int(ends[doc - 1]) if doc else 0 for ends in (whole.ends, whole.plain))
                lower.seek(start)
                head = lower.read(at - start).decode("utf-8", "surrogatepass")
                length = len(lower.read(outcome._length).decode("utf-8", "replace"))
                plain.seek(plain_start)
                text = plain.read(int(whole.plain[doc]) - 1 - plain_start).decode("utf-8", "surrogatepass")
                place = len(head)
                hits.append(
                    Hit(
                        KINDS[int(whole.kind[doc])],
                        int(whole.round[doc]),
                        int(whole.seat[doc]),
                        _lead(text[:place]),
                        text[place : place + length],
                        _tail(text[place + length :]),
                    )
                )
        return hits

    def close(self) -> None:
        """Remove the files."""
        with self._lock:
            self._parts, self._whole, self.n_texts = [], None, 0
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


@dataclass(frozen=True, eq=False)
class _Part:
    """Some texts: where each ends in both files, and whose it is."""

    ends: NDArray[np.int64]
    plain: NDArray[np.int64]
    game: NDArray[np.int32]
    round: NDArray[np.int32]
    seat: NDArray[np.int16]
    kind: NDArray[np.int8]

    @classmethod
    def joined(cls, parts: Sequence[_Part]) -> _Part:
        names = ("ends", "plain", "game", "round", "seat", "kind")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _needles(words: str) -> list[bytes]:
    """What is looked for, in both ways to write an accented letter."""
    text = folded(words.strip())
    if not text:
        raise UsageError("nothing to search for")
    if len(text) > LONGEST:
        raise UsageError(f"a search for {len(text)} characters, expected at most {LONGEST}")
    forms = [text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))]
    needles = dict.fromkeys(form.encode("utf-8", "surrogatepass").replace(b"\0", b" ") for form in forms)
    return list(needles)


def _cut(spans: Sequence[tuple[int, int]], ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The spans in pieces that end with a text."""
    pieces = []
    for a, b in spans:
        while b - a > 2 * _PIECE:
            end = int(ends[np.searchsorted(ends, a + _PIECE)])
            pieces.append((a, min(end, b)))
            a = min(end, b)
        if b > a:
            pieces.append((a, b))
    return pieces


_NEAR = 16 * 1024


def _merged(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Spans with little between them as one: to read it costs less than to leave it out."""
    if not len(starts):
        return []
    breaks = np.flatnonzero(starts[1:] - ends[:-1] > _NEAR)
    first, last = np.append(0, breaks + 1), np.append(breaks, len(starts) - 1)
    return list(zip(starts[first].tolist(), ends[last].tolist(), strict=True))


_FEW_BYTES = 2


def _hits(data: bytes, needle: bytes) -> NDArray[np.int64]:
    """Where a needle stands in some bytes, overlaps aside."""
    if len(needle) <= _FEW_BYTES:
        array = np.frombuffer(data, dtype=np.uint8)
        flags = array == needle[0]
        if len(needle) == _FEW_BYTES:
            flags = flags[:-1] & (array[1:] == needle[1])
        return np.flatnonzero(flags)
    parts = data.split(needle)  # faster than to ask for one place after the other, where there are many
    lengths = np.fromiter(map(len, parts[:-1]), dtype=np.int64, count=len(parts) - 1)
    return np.cumsum(lengths) + len(needle) * np.arange(len(lengths))


def _lead(text: str) -> str:
    """The end of what stands before a match."""
    return text if len(text) <= _AROUND else "…" + text[-_AROUND:]


def _tail(text: str) -> str:
    return text if len(text) <= _AROUND else text[:_AROUND] + "…"
