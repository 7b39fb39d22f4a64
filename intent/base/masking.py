"""Keys taken out of texts, in whatever form a server gives them back.

A server is sent a key and may say it again: as it is, backwards, in base64, with escapes, in halves, with
spaces between. So a text is not searched for the key alone. Both are reduced to their letters and digits,
which undoes spaces, line breaks, case and punctuation; escapes (of JSON, of addresses, of HTML) are resolved;
and pieces of the key, of its reverse and of their encodings are looked for.

==========================  ==========================================================================
key                         what is taken out
==========================  ==========================================================================
of fewer than 8 characters  nothing: such values stand for "no key" (``x``, ``none``) and are words
digits alone, few letters   every form of the whole key, as it would be a number or a pattern of ordinary text
all others                  also pieces of a third of it, at least 6 characters and 12 at most, unless they
                            read like a word
==========================  ==========================================================================

Which keys are meant: the values of environment variables that are named like a key, passwords in addresses
there, and what the process was told of (`remember`).
"""

from __future__ import annotations

import base64
import codecs
import os
import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from intent.base.errors import DataError

__all__ = ["MARK", "SHORTEST", "known_keys", "mask", "mask_values", "redact", "refuse_keys", "remember"]

MARK = "[key]"
"""What stands where a key was."""

SHORTEST = 8
"""Shorter values are placeholders for servers that need no key; words of a reply may equal them."""

LONGEST = 2048
"""Characters of a key that are looked for."""

_GRAM = 5
"""Characters that are looked up at a time; a piece of `n` holds one at every ``n - 4``-th place."""

_MOST_PLACES = 16
"""Places in the forms of a key that are tried where a gram occurs in many."""

_PIECE = (6, 12)
"""Least and greatest length of a piece that is taken out."""

_NAMES = re.compile(
    r"^INTENT_KEY_|(^|_)(API)?(KEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)"
    r"(?!.*_(FILE|PATH|DIR|SOCK|NAME)$)(_|\d*$)|(KEY|TOKEN|SECRET|PASSWORD)$"
)
_VARIED = 5
"""Different letters of a key that is no pattern."""

_IN_URL = re.compile(r"://[^/\s:@]*:([^/\s@]+)@")
_BEARER = re.compile(r"(?i)\bbearer\s+[^\s\"',}]{4,}")
_SHAPES = re.compile(r"\b(?:(?:sk|pk|rk|xai|gsk|hf)[-_]|AIza)[\w*.…-]{6,}")
_ESCAPES = re.compile(
    r"\\{1,8}(?:u\{?(?P<u>[0-9a-fA-F]{4,6})\}?|x(?P<x>[0-9a-fA-F]{2})|(?P<o>[0-3][0-7]{2})|[abfnrtv0])"
    r"|%(?:25){0,4}(?P<p>[0-9a-fA-F]{2})|=(?P<q>[0-9A-F]{2})"
    r"|&(?:amp;){0,4}#(?:[xX](?P<h>[0-9a-fA-F]{1,6})|(?P<d>[0-9]{1,7}));?"
)
"""Escapes, also of escapes; of bounded length, so that a text of backslashes takes no longer."""

_ODD = bytes(set(range(256)) - set(string.ascii_letters.encode()) - set(string.digits.encode()))
_UNLIKE_WORDS = re.compile(rb"[^aeiouy]{4}|[0-9]")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")

_REMEMBERED: dict[str, None] = {}
_MOST_REMEMBERED = 256


def remember(key: str | None) -> None:
    """A key that is in no environment variable, such as a password in an option, is taken out from now on."""
    if key and len(key) >= SHORTEST and key not in _REMEMBERED:
        while len(_REMEMBERED) >= _MOST_REMEMBERED:
            del _REMEMBERED[next(iter(_REMEMBERED))]
        _REMEMBERED[key] = None


def known_keys() -> tuple[str, ...]:
    """The keys that this process remembers or has in its environment, longest first."""
    keys = set(_REMEMBERED)
    for name, value in os.environ.items():
        if _NAMES.search(name.upper()) and not value.lstrip().startswith(("/", "~")):
            keys.add(value.strip())
        if "://" in value:
            keys.update(_IN_URL.findall(value))
    return tuple(sorted((key for key in keys if len(key) >= SHORTEST), key=lambda key: (-len(key), key)))


def mask(text: str, own: Iterable[str | None] = ()) -> str:
    """`text` without the keys in `own` and those that the process knows, in whatever form they stand there.

    It takes time in proportion to the text, whatever stands in it.

    Parameters
    ----------
    text : str
    own : iterable of str or None
    """
    keys = _keys(own)
    return _masked(text, keys) if keys else text


def mask_values(value: Any, own: Iterable[str | None] = ()) -> Any:
    """JSON with `mask` applied to every text in it, names of fields included."""
    keys = _keys(own)
    return _values(value, keys) if keys else value


def refuse_keys(values: Any, name: str) -> None:
    """Refuse values that hold a whole key which the process knows, before they are kept or sent.

    Parameters
    ----------
    values : JSON
    name : what an error calls them

    Raises
    ------
    DataError
        One of the texts, or the name of a field, holds a key.
    """
    keys = [key for key in known_keys() if not key.isalpha() or _INNER_CAPITAL.search(key)]
    places: list[tuple[str, Any]] = [("", values)] if keys else []
    while places:
        place, value = places.pop()
        if isinstance(value, Mapping):
            places += ((f"{place}.{key}".lstrip("."), item) for key, item in value.items())
        elif isinstance(value, list | tuple):
            places += ((f"{place}.{number}".lstrip("."), item) for number, item in enumerate(value))
        elif any(key in place or key in str(value) for key in keys):
            raise DataError(
                f"{name}: {mask(place) or 'the text'} holds a key: expected texts that may be sent and kept; "
                "keys are read from environment variables"
            )


def redact(text: str, own: Iterable[str | None] = ()) -> str:
    """As `mask`, and without whatever else looks like a key: for texts of errors, logs and parameters."""
    return _SHAPES.sub(MARK, _BEARER.sub(f"Bearer {MARK}", mask(text, own)))


@dataclass(frozen=True)
class _Forms:
    """What is looked for.

    Parameters
    ----------
    texts : letters and digits, in lower case, of every form of every key
    pieces : for each, the least length that is taken out
    places : gram -> (number of the form, place in it)
    step : int
        Every piece holds a gram that begins at a multiple of this.
    whole : keys with too few letters and digits for that, looked for as they are and backwards
    """

    texts: tuple[bytes, ...]
    pieces: tuple[int, ...]
    places: dict[bytes, list[tuple[int, int]]]
    step: int
    whole: tuple[str, ...]


def _keys(own: Iterable[str | None]) -> tuple[str, ...]:
    mine = {key for key in own if key and len(key) >= SHORTEST}
    return tuple(dict.fromkeys((*sorted(mine), *known_keys())))


def _values(value: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return _masked(value, keys)
    if isinstance(value, dict):
        return {_masked(name, keys): _values(inner, keys) for name, inner in value.items()}
    if isinstance(value, list):
        return [_values(inner, keys) for inner in value]
    return value


def _masked(text: str, keys: tuple[str, ...]) -> str:
    forms = _forms(keys)
    spans = _hits(text, None, forms)
    if _ESCAPES.search(text):
        spans += _hits(_ESCAPES.sub(_resolved, text), text, forms)
    for key in forms.whole:
        spans += [match.span() for match in re.finditer(re.escape(key), text)]
    if not spans:
        return text
    parts, done = [], 0
    for start, end in _merged(spans):
        parts += [text[done:start], MARK]
        done = end
    return "".join(parts) + text[done:]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same places without overlaps, in order."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _hits(text: str, escaped: str | None, forms: _Forms) -> list[tuple[int, int]]:
    """Where forms of a key stand: places in the text, or in the one with escapes that it was made of."""
    plain = _plain(text)
    places: list[tuple[int, int]] | None = None
    spans, done = [], 0
    for at in range(0, len(plain) - _GRAM + 1, forms.step):
        known = forms.places.get(plain[at : at + _GRAM])
        if known is None or at + _GRAM <= done:
            continue
        best: tuple[bool, int, int, int] | None = None
        for number, place in known:
            start, end = _extended(plain, at, forms.texts[number], place)
            if end - start >= forms.pieces[number]:
                best = max(
                    best or (False, 0, 0, 0),
                    (end - start == len(forms.texts[number]), end - start, start, end),
                )
        if best is None:
            continue
        if places is None:
            places = _places(text) if escaped is None else _places_in_escaped(escaped)
        all_of_it, _, start, end = best
        first, last = places[start][0], places[end - 1][1]
        done = end
        if all_of_it or not _reads_like_a_word(plain[start:end], (escaped or text)[first:last]):
            spans.append((first, last))
    return spans


def _extended(plain: bytes, at: int, form: bytes, place: int) -> tuple[int, int]:
    """The longest stretch around `at` in which the text is as the form around `place`."""
    back, most = 0, min(at, place)
    while back < most and plain[at - back - 1] == form[place - back - 1]:
        back += 1
    on = _GRAM
    most = min(len(plain) - at, len(form) - place)
    while on < most and plain[at + on] == form[place + on]:
        on += 1
    return at - back, at + on


def _reads_like_a_word(piece: bytes, text: str) -> bool:
    """Whether a piece of a key may be a word of some text: letters, vowels among them, no capital inside."""
    return _UNLIKE_WORDS.search(piece) is None and _INNER_CAPITAL.search(text) is None


def _plain(text: str) -> bytes:
    """Letters and digits of ASCII, in lower case."""
    return text.encode("ascii", "ignore").translate(None, _ODD).lower()


def _places(text: str) -> list[tuple[int, int]]:
    """For each letter and digit of `_plain`, where it begins and ends."""
    return [(i, i + 1) for i, c in enumerate(text) if c.isascii() and c.isalnum()]


def _places_in_escaped(text: str) -> list[tuple[int, int]]:
    """As `_places`, where an escape stands for a character."""
    places: list[tuple[int, int]] = []
    done = 0
    for escape in _ESCAPES.finditer(text):
        places += [(done + i, done + j) for i, j in _places(text[done : escape.start()])]
        places += [escape.span() for c in _resolved(escape) if c.isascii() and c.isalnum()]
        done = escape.end()
    return places + [(done + i, done + j) for i, j in _places(text[done:])]


def _resolved(escape: re.Match[str]) -> str:
    """The character that an escape stands for; nothing for white space."""
    kind, digits = escape.lastgroup, escape[escape.lastgroup] if escape.lastgroup else ""
    if kind is None:
        return ""
    number = int(digits, {"d": 10, "o": 8}.get(kind, 16))
    return chr(number) if number < 128 else ""


@lru_cache(maxsize=32)
def _forms(keys: tuple[str, ...]) -> _Forms:
    """All that the keys are looked for as."""
    pieces: dict[bytes, int] = {}
    whole: list[str] = []
    for key in keys:
        cut = key[:LONGEST]
        plain = _plain(cut)
        if len(plain) < SHORTEST or len(set(plain)) < _VARIED:
            whole += [key, key[::-1]]
            continue
        piece = min(max(len(plain) // 3, _PIECE[0]), _PIECE[1]) if not plain.isdigit() else len(plain)
        for form, size in _written(cut):
            text = _plain(form)
            least = min(round(piece * size), len(text))
            if len(text) >= _PIECE[0]:
                pieces[text] = min(least, pieces.get(text, least))
    places: dict[bytes, list[tuple[int, int]]] = {}
    for number, text in enumerate(pieces):
        for place in range(len(text) - _GRAM + 1):
            known = places.setdefault(text[place : place + _GRAM], [])
            if len(known) < _MOST_PLACES:
                known.append((number, place))
    step = max(1, min(pieces.values(), default=_PIECE[0]) - _GRAM + 1)
    return _Forms(tuple(pieces), tuple(pieces.values()), places, step, tuple(whole))


def _written(key: str) -> list[tuple[str, float]]:
    """The ways to write a key, and how many characters each takes for one of the key."""
    ways: list[tuple[str, float]] = []
    for text in (key, key[::-1]):
        ways += [(text, 1), (codecs.encode(text, "rot13"), 1)]
        for spelt in dict.fromkeys((text, text.upper(), text.lower())):
            raw = spelt.encode()
            ways += [(raw.hex(), 2), (raw.hex()[::-1], 2)]
            ways += [(form, 4 / 3) for form in _in_base(base64.b64encode, raw, 6, 3)]
        raw = text.encode()
        ways += [(form[::-1], 4 / 3) for form in _in_base(base64.b64encode, raw, 6, 3)]
        ways += [(form, 8 / 5) for form in _in_base(base64.b32encode, raw, 5, 5)]
        ways.append(("".join(str(code) for code in raw), 2.4))
    return ways


def _in_base(encode: Any, raw: bytes, bits: int, size: int) -> list[str]:
    """The characters that are the same whatever stands before and after, for every number of bytes before."""
    forms = []
    for before in range(size):
        text = encode(b"\0" * before + raw).decode()
        forms.append(text[-(-8 * before // bits) : 8 * (before + len(raw)) // bits])
    return forms
