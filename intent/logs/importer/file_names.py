"""What names of files and folders say: parts that vary from file to file become columns.

Names are cut at ``/ _ -`` and blanks into words. Words at one place of all names are one part: those that
never change are text of the pattern, the others columns, named by what stands before a number (``t0.5``,
``seed3``, ``temp=0.5``), by the word before (``round_known``), or by what they are (models, languages,
games). A pattern, such as ``{model}_{game}_v{version}_{advice?}_{repetition}``, reads other folders alike; a
question mark stands for a part that some names lack.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intent.base.errors import UsageError, one_line, shorten
from intent.games.catalogue import CATALOGUE, canonical_name

__all__ = ["NamePattern", "pattern_of_names"]

_CUT = re.compile(r"([/_ ]+|(?<!\d)\.|\.(?!\d))")
_CUT_HYPHENS = re.compile(r"([/_ -]+|(?<!\d)\.|\.(?!\d))")
_VALUE = re.compile(r"([A-Za-z]+)[-=]?(\d+(?:\.\d+)?)")
_PAIR = re.compile(r"([A-Za-z][A-Za-z0-9]*)=(.*)", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]*)(\??)\}")
_MODEL = re.compile(
    r"(?:chat)?gpt|claude|gemini|gemma|llama|mi[sxn]i?tral|qwen|qwq|deepseek|phi-?\d|o[1345](?:$|-)|grok|command|palm"
    r"|vicuna|falcon|kimi|glm|nova|olmo|granite|nemotron|sonnet|haiku|opus",
    re.IGNORECASE,
)


def is_model(text: str) -> bool:
    """Whether a text begins as names of language models do."""
    return _MODEL.match(text) is not None


_LANGUAGES = frozenset(
    re.split(
        r"\s+",
        "en fr de es it pt vn vi ar cn zh ja jp ko ru hi tr nl pl sv english french german spanish italian "
        "portuguese vietnamese arabic chinese japanese korean russian hindi turkish dutch polish swedish",
    )
)
_PREFIXES = {
    "v": "version",
    "ver": "version",
    "version": "version",
    "seed": "seed",
    "temp": "temperature",
    "temperature": "temperature",
    "rep": "repetition",
    "repetition": "repetition",
    "run": "run",
    "trial": "repetition",
    "session": "session",
    "game": "game_number",
}
_NUMERIC = {"version", "seed", "temperature", "repetition", "run", "session", "game_number"}
_GENERIC = frozenset(
    re.split(
        r"\s+",
        "results result data log logs run output out file game games exp experiment history the and with of "
        "vs test final",
    )
)
_USUAL = 0.05
"""Share of the names that have as many parts as the longest that a pattern is made for."""

_MOST_PARTS = 40


@dataclass(frozen=True)
class _Part:
    """One part of a pattern.

    Parameters
    ----------
    before : str
        What cuts it from the part before it.
    text : str
        What it begins with, or all of it where there is no column.
    column : str
        Empty where it never changes.
    optional : bool
    """

    before: str
    text: str
    column: str = ""
    optional: bool = False

    def value(self, word: str) -> str | None:
        """What a word says; None where it does not fit."""
        if not self.column:
            return "" if word == self.text else None
        if not word.startswith(self.text) or len(word) == len(self.text):
            return None
        value = word[len(self.text) :]
        if (self.text[-1:].isalpha() or self.column in _NUMERIC) and not _NUMBER.fullmatch(value):
            return None
        return value

    def __str__(self) -> str:
        mark = "?" if self.optional else ""
        return (
            f"{self.before}{self.text}{{{self.column}{mark}}}" if self.column else f"{self.before}{self.text}"
        )


@dataclass(frozen=True)
class NamePattern:
    """How names of files are cut into columns.

    Parameters
    ----------
    parts : tuple of parts
    hyphens : bool
        Whether names are cut at hyphens, too.
    """

    parts: tuple[_Part, ...]
    hyphens: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(part.column for part in self.parts if part.column)

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    @classmethod
    def of_text(cls, text: str) -> NamePattern:
        """The pattern that a text says.

        Raises
        ------
        UsageError
            Two columns of one name, or two that nothing cuts.
        """
        names = [match[1] for match in _FIELD.finditer(text)]
        twice = next((name for name, n in Counter(names).items() if n > 1), None)
        if twice is not None:
            raise UsageError(f"pattern {shorten(text)!r} names {twice!r} twice")
        plain = _FIELD.sub("x", text)
        hyphens = not re.search(r"[_ ]", plain.rpartition("/")[2]) and "-" in plain
        marks = {f"\0{i}\0": match for i, match in enumerate(_FIELD.finditer(text))}
        for mark, match in reversed(marks.items()):
            text = text[: match.start()] + mark + text[match.end() :]
        parts = []
        for before, word in _words(text, hyphens):
            inside = re.fullmatch(r"([^\0]*)(\0\d+\0)?([^\0]*)", word)
            if inside is None or (inside[2] and inside[3]):
                shown = re.sub(r"\0(\d+)\0", lambda m: marks[m[0]][0], word)
                raise UsageError(f"pattern part {shorten(shown)!r}, expected one {{column}} at its end")
            column = marks.get(inside[2] or "")
            optional = column is not None and bool(column[2])
            parts.append(_Part(before, inside[1], column[1], optional) if column else _Part(before, word))
        if not names:
            raise UsageError(f"pattern {shorten(text)!r} has no {{column}}")
        if len(parts) > _MOST_PARTS:
            raise UsageError(f"pattern of {len(parts)} parts, expected at most {_MOST_PARTS}")
        return cls(tuple(parts), hyphens)

    def values(self, name: str) -> dict[str, str] | None:
        """Column -> what a name says, empty for parts that it lacks; None where it does not fit."""
        words = _words(name, self.hyphens)
        if len(words) > len(self.parts):
            return None
        rows = [part.value(word) if before == part.before or not i else None
                for part in self.parts for i, (before, word) in enumerate(words)]  # fmt: skip
        n = len(words)
        # from the end: how well the words from i on fit the parts from j on, where they do
        best: list[list[int | None]] = [[None] * (len(self.parts) + 1) for _ in range(n + 1)]
        best[n][len(self.parts)] = 0
        for j in range(len(self.parts) - 1, -1, -1):
            part = self.parts[j]
            for i in range(n, -1, -1):
                options = []
                after = best[i + 1][j + 1] if i < n else None
                if after is not None and rows[j * n + i] is not None:
                    options.append(after + (1 if part.text or part.column in _NUMERIC else 0))
                skipped = best[i][j + 1]
                if part.optional and skipped is not None:
                    options.append(skipped)
                best[i][j] = max(options, default=None)
        if best[0][0] is None:
            return None
        values: dict[str, str] = {}
        i = 0
        for j, part in enumerate(self.parts):
            here, after = best[i][j], best[i + 1][j + 1] if i < n else None
            word = rows[j * n + i] if i < n else None
            gain = 1 if part.text or part.column in _NUMERIC else 0
            if word is not None and after is not None and here == after + gain:
                if part.column:
                    values[part.column] = word
                i += 1
            else:
                values[part.column] = ""
        return values


def _words(name: str, hyphens: bool) -> list[tuple[str, str]]:
    """The words of a name, each with what cuts it from the one before; games of several words are one."""
    pieces = (_CUT_HYPHENS if hyphens else _CUT).split(name)
    words = [(pieces[i - 1] if i else "", pieces[i]) for i in range(0, len(pieces), 2)]
    joined: list[tuple[str, str]] = []
    i = 0
    while i < len(words):
        for n in (3, 2):
            some = words[i : i + n]
            text = "".join([some[0][1], *(before + word for before, word in some[1:])])
            if len(some) == n and "/" not in text and canonical_name(text) in CATALOGUE:
                joined.append((words[i][0], text))
                i += n
                break
        else:
            joined.append(words[i])
            i += 1
    return joined


def pattern_of_names(names: Sequence[str]) -> tuple[NamePattern | None, list[str], list[str]]:
    """The pattern that names of files have in common, what it takes each part for, and questions.

    Parameters
    ----------
    names : sequence of str
        Paths below a folder, cut by ``/``, without suffixes.

    Returns
    -------
    NamePattern (None where nothing varies in places), reasons, questions
    """
    last = [name.rpartition("/")[2] for name in names]
    hyphens = sum("_" in name or " " in name for name in last) * 2 < len(last)
    cut = [_words(name, hyphens) for name in names]
    counts = Counter(len(words) for words in cut)
    usual = [n for n, times in counts.items() if times >= _USUAL * len(names) and n <= _MOST_PARTS]
    if not usual or len(names) < 2:
        return None, [], []
    size = max(usual)
    full = [words for words in cut if len(words) == size]
    slots = [Counter(words[i][1] for words in full) for i in range(size)]
    befores = [Counter(words[i][0] for words in full).most_common(1)[0][0] for i in range(size)]
    absent = [0] * size
    aligned: dict[tuple[str, ...], list[int]] = {}
    for words in cut:
        if len(words) < size and len(words) in usual:
            key = tuple(_signature(word) for _, word in words)
            if key not in aligned:
                aligned[key] = _aligned([word for _, word in words], slots)
            places = aligned[key]
            for place, (_, word) in zip(places, words, strict=True):
                slots[place][word] += 1
            for place in set(range(size)) - set(places):
                absent[place] += 1
    reasons: list[str] = []
    questions: list[str] = []
    parts: list[_Part] = []
    word_before = ""
    for i, (before, slot) in enumerate(zip(befores, slots, strict=True)):
        optional = absent[i] > 0
        texts = list(slot)
        if len(texts) == 1 and not optional:
            parts.append(_Part(before, texts[0]))
            word_before = texts[0]
            continue
        columns = {part.column for part in parts}
        part, question = _named(before, slot, word_before, i == size - 1, len(columns - {""}) + 1)
        name = part.column
        while part.column in columns:
            part = replace(part, column=f"{part.column}_{len(columns)}")
        parts.append(replace(part, optional=optional))
        shown = ", ".join(one_line(text, 30) for text in sorted(texts)[:4])
        more = f" and {len(texts) - 4:,} more" if len(texts) > 4 else ""
        lacks = f"; {absent[i]:,} names lack it" if optional else ""
        reasons.append(f"{part.column}: {shown}{more}{lacks}")
        if question:
            questions.append(f"{shown}{more}: {question} ({{{name}}} for now; a pattern can name it)")
        word_before = ""
    if not any(part.column for part in parts):
        return None, reasons, questions
    constant = [part.text for part in parts if not part.column and not part.text.isdigit()]
    if constant:
        reasons.append(f"the same in all names: {', '.join(one_line(text, 30) for text in constant[:6])}")
    return NamePattern(tuple(parts), hyphens), reasons, questions


def _signature(word: str) -> str:
    """What a word looks like."""
    if _NUMBER.fullmatch(word):
        return "0"
    match = _VALUE.fullmatch(word) or _PAIR.fullmatch(word)
    return f"{match[1]}0" if match else word


def _aligned(words: Sequence[str], slots: Sequence[Counter[str]]) -> list[int]:
    """Place of each word among the parts of the longest names, in order: where its like stands."""
    looks = [{_signature(text) for text in list(slot)[:1000]} for slot in slots]

    def fit(word: str, place: int) -> float:
        if word in slots[place]:
            return 3.0
        look = _signature(word)
        if look in looks[place]:
            return 2.0
        return 0.1 if (look == "0") == ("0" in looks[place]) else -1.0

    n, m = len(words), len(slots)
    best = [[float("-inf")] * (m + 1) for _ in range(n + 1)]
    best[n] = [0.0] * (m + 1)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            best[i][j] = max(best[i][j + 1], best[i + 1][j + 1] + fit(words[i], j))
    places, j = [], 0
    for i in range(n):
        while best[i][j] == best[i][j + 1] and m - j > n - i:
            j += 1
        places.append(j)
        j += 1
    return places


def _named(before: str, slot: Counter[str], word_before: str, last: bool, number: int) -> tuple[_Part, str]:
    """A part that varies with the name of its column, and a question where that is a guess."""
    texts = list(slot)
    pairs = [_PAIR.fullmatch(text) for text in texts]
    if all(pairs) and len({m[1] for m in pairs if m}) == 1:
        key = next(m[1] for m in pairs if m)
        return _Part(before, f"{key}=", _PREFIXES.get(key.casefold(), key)), ""
    numbered = [_VALUE.fullmatch(text) for text in texts]
    if all(numbered) and len({m[1] for m in numbered if m}) == 1:
        prefix = next(m[1] for m in numbered if m)
        start = next(m[0][: m.start(2)] for m in numbered if m)
        if not _MODEL.match(prefix):
            values = [float(m[2]) for m in numbered if m]
            if prefix == "t" and max(values) <= 2 and any("." in m[2] for m in numbered if m):
                return _Part(before, start, "temperature"), "is t the temperature?"
            if prefix.casefold() in _PREFIXES:
                return _Part(before, start, _PREFIXES[prefix.casefold()]), ""
            return _Part(before, start, prefix if len(prefix) > 1 else f"{prefix}_number"), (
                "" if len(prefix) > 1 else f"what is {prefix}?"
            )
    words = [text for text in texts if not _NUMBER.fullmatch(text)]
    if sum(_MODEL.match(text) is not None for text in words) * 2 > len(texts):
        return _Part(before, "", "model"), ""
    if all(text.casefold() in _LANGUAGES for text in texts):
        return _Part(before, "", "language"), ""
    if sum(canonical_name(text) in CATALOGUE for text in texts) * 2 > len(texts):
        return _Part(before, "", "game"), ""
    if word_before.isalpha() and len(word_before) > 2 and word_before.casefold() not in _GENERIC:
        word = word_before.casefold()
        name = f"{word}_{'number' if not words else 'kind'}" if word in ("round", "rounds", "game") else word
        return _Part(before, "", name), ""
    if not words:
        if all(re.fullmatch(r"20\d{6}", text) for text in texts):
            return _Part(before, "", "date"), ""
        whole = all(text.isdigit() for text in texts)
        if last and whole:
            return _Part(before, "", "repetition"), "" if len(texts) > 1 else "is it the repetition?"
    return _Part(before, "", f"name_{number}"), "what is it?"
