"""The texts of prompts: templates and phrases of one language, ours or a user's, and how they are written.

Templates have placeholders, doubled braces and optional blocks: ``{name}`` is replaced by a value, ``{{`` and
``}}`` are braces, ``{tag}: [text]`` is a block that is kept or dropped. Nothing else is done: no attributes,
indices, conversions or formats, no files, no includes. Values are put in once and never looked at again, so
that a message of a player which says ``{history}`` stays those nine characters.

Folders of templates that nobody vouches for are read with care: ``NAME_LANGUAGE.txt`` and ``.rtf``.

Where `marking` is on, each piece of a rendered prompt is marked with its placeholder: what fills a
placeholder, a phrase or a block is enclosed in characters that no text has (the last private plane of
Unicode), together with its name. A prompt that was rendered so says by itself which facts it shows,
whatever a file claims of it; `visible` is the prompt as a model would read it.

References
----------
Buscemi et al. 2025, arXiv:2504.14325 (FAIRGAME's templates, which are read alike).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from intent.base.errors import (
    DataError,
    LimitError,
    PromptError,
    UnknownNameError,
    located,
    nearest,
    one_line,
    shorten,
)
from intent.base.files import file_bytes

__all__ = [
    "ASSISTANT",
    "CONDITIONS",
    "DECIDER",
    "DROPPED",
    "FRAMINGS",
    "INSIDE_PHRASES",
    "INSIDE_PLACEHOLDERS",
    "LANGUAGES",
    "LANGUAGE_ALIASES",
    "MATRIX",
    "MOST_CHARACTERS",
    "OPTIONAL",
    "PERSONA",
    "PHRASES",
    "PHRASES_FILE",
    "PLAIN_PHRASES",
    "POOL",
    "QUESTIONS",
    "SHARED_PLACEHOLDERS",
    "SYSTEM_END",
    "TEMPLATES",
    "Piece",
    "TemplateFile",
    "Wording",
    "block_tags",
    "blocks",
    "canonical_language",
    "check_template",
    "fill",
    "framings",
    "in_language",
    "is_marking",
    "keep_blocks",
    "known_as",
    "known_placeholders",
    "line_of",
    "mark",
    "marking",
    "names",
    "nested_block",
    "our_wordings",
    "parse_phrases",
    "pieces",
    "placeholders",
    "read_folder",
    "resolve_blocks",
    "rtf_text",
    "tidy",
    "variant_of",
    "visible",
]

_OPEN, _CLOSE, _END = "\U0010fff0", "\U0010fff1", "\U0010fff2"
_MARK = re.compile(f"([{_OPEN}{_CLOSE}])([^{_OPEN}{_CLOSE}{_END}]{{0,100}}){_END}")
_ON: ContextVar[bool] = ContextVar("marking", default=False)


class Piece(NamedTuple):
    """A piece of text, and the names of what it lies in, the outermost first."""

    path: tuple[str, ...]
    text: str


@contextmanager
def marking() -> Iterator[None]:
    """Prompts that are rendered inside are marked; never those that a model is sent."""
    token = _ON.set(True)
    try:
        yield
    finally:
        _ON.reset(token)


def is_marking() -> bool:
    """Whether prompts are marked here."""
    return _ON.get()


def mark(name: str, text: str) -> str:
    """The text, marked as what `name` was filled with; as it stands where nothing is marked."""
    return f"{_OPEN}{name}{_END}{text}{_CLOSE}{name}{_END}" if _ON.get() else text


def visible(text: str) -> str:
    """The text without marks."""
    return _MARK.sub("", text)


def names(text: str) -> frozenset[str]:
    """The names of all that was filled in."""
    return frozenset(name for _, name in _MARK.findall(text))


def pieces(text: str) -> Iterator[Piece]:
    """The text between marks, in order; a mark that is opened or closed alone encloses nothing.

    Examples
    --------
    >>> with marking():
    ...     text = f"You are {mark('name', 'Ann')}."
    >>> [(piece.path, piece.text) for piece in pieces(text)]
    [((), 'You are '), (('name',), 'Ann'), ((), '.')]
    """
    path: list[str] = []
    at = 0
    for tag in _MARK.finditer(text):
        if tag.start() > at:
            yield Piece(tuple(path), text[at : tag.start()])
        at = tag.end()
        if tag[1] == _OPEN:
            path.append(tag[2])
        elif tag[2] in path:
            del path[len(path) - 1 - path[::-1].index(tag[2]) :]
    if at < len(text):
        yield Piece(tuple(path), text[at:])


MOST_CHARACTERS = 200_000
"""Of one template."""

MOST_FILLED = 8_000_000
"""Characters of one prompt."""

DROPPED = "\0"
"""What `tidy` knows a dropped block by; no template holds it."""

_TOKEN = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")
_TAG = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}:\s*\[")
_DROPPED_LINE = re.compile(r"^[ \t]*\0[\0 \t]*\n?", re.MULTILINE)
_GAPS = re.compile(r"\n{3,}")


@lru_cache(maxsize=1024)
def block_tags(text: str) -> tuple[str, ...]:
    """The tags of the blocks of a template, each once, in order."""
    return tuple(dict.fromkeys(tag for tag, _, _ in _spans(text)))


def blocks(text: str, where: str) -> dict[str, str]:
    """Tag -> text of a file that consists of blocks only.

    Raises
    ------
    PromptError
        Anything between the blocks, or a tag that occurs twice.
    """
    texts: dict[str, str] = {}
    end = 0
    for tag, start, stop in _spans(text):
        _only_space(text[end:start], where)
        if tag in texts:
            raise PromptError(f"{where}: {{{tag}}} occurs twice, expected once")
        whole = text[start:stop]
        texts[tag] = whole[whole.index("[") + 1 : -1]
        end = stop
    _only_space(text[end:], where)
    return texts


def keep_blocks(text: str, keep: Container[str], tags: Iterable[str], dropped: str = "") -> str:
    """The template with its blocks resolved, tag by tag.

    A block is ``{tag}:``, white space, ``[`` and all up to the first ``]``. The first one of a tag
    counts; all copies that are the same to the letter are replaced with it, by the text inside or by
    `dropped`.

    Parameters
    ----------
    keep : tags whose text stays
    tags : tags to resolve, in this order
    """
    for tag in tags:
        header = re.compile(rf"\{{{re.escape(tag)}\}}:\s*\[").search(text)
        stop = text.find("]", header.end()) if header else -1
        if header and stop >= 0:
            whole = text[header.start() : stop + 1]
            text = text.replace(whole, text[header.end() : stop] if tag in keep else dropped)
    return text


def resolve_blocks(text: str, keep: Container[str], dropped: str = "") -> str:
    """The template with all of its blocks resolved, wherever and however often their tags occur.

    A tag may have several blocks with other texts, as where a tool is spoken of in two places of a
    prompt; `keep_blocks` is FAIRGAME's rule, which knows the first.

    Parameters
    ----------
    keep : tags whose text stays
    """
    parts: list[str] = []
    end = 0
    for tag, start, stop in _spans(text):
        inside = text[text.index("[", start) + 1 : stop - 1]
        parts += [text[end:start], mark(tag, inside) if tag in keep else dropped]
        end = stop
    return "".join([*parts, text[end:]])


def nested_block(text: str) -> tuple[str, str] | None:
    """The tags of a block and of one that is opened inside it, None where no block holds another."""
    for tag, start, stop in _spans(text):
        if inner := _TAG.search(text, text.index("[", start) + 1, stop):
            return tag, inner.group(1)
    return None


def line_of(text: str, name: str) -> int | None:
    """The line of a template on which a placeholder first stands, counted from 1; None where it does not."""
    lines = (text.count("\n", 0, token.start()) + 1 for token in _TOKEN.finditer(text) if token[1] == name)
    return next(lines, None)


def tidy(text: str) -> str:
    """The template without the lines that held nothing but dropped blocks, and one empty line at most."""
    return _GAPS.sub("\n\n", _DROPPED_LINE.sub("", text).replace(DROPPED, "")).strip()


def placeholders(text: str, where: str) -> tuple[str, ...]:
    """The names in the placeholders of a template without blocks, in order, as often as they occur."""
    return tuple(name for _, name in _pieces(text, where) if name is not None)


def fill(text: str, values: Mapping[str, object], where: str) -> str:
    """The template with values for its placeholders.

    Parameters
    ----------
    text : a template whose blocks are resolved
    values : more than the template asks for does no harm
    where : file or name of the template, for messages

    Raises
    ------
    PromptError
        A placeholder without a value, a lone brace, or a prompt of more than 8 million characters.
    """
    parts: list[str] = []
    length = 0
    for literal, name in _pieces(text, where):
        parts.append(literal)
        if name is not None:
            if name not in values:
                raise PromptError(f"{where}: no value for placeholder {{{name}}}{_known(name, values)}")
            parts.append(mark(name, str(values[name])))
            length += len(parts[-1])
            if length > MOST_FILLED:
                raise PromptError(f"{where}: a prompt of more than {MOST_FILLED:,} characters")
    filled = "".join(parts)
    return mark(where[where.rindex("{") + 1 : -1], filled) if is_marking() and where.endswith("}") else filled


def _known(name: str, values: Iterable[str]) -> str:
    names = sorted(values)
    near = nearest(name, names)
    if near:
        return "; did you mean " + ", ".join(f"{{{n}}}" for n in near) + "?"
    return "; known: " + ", ".join(f"{{{n}}}" for n in names[:40])


@lru_cache(maxsize=4096)
def _pieces(text: str, where: str) -> tuple[tuple[str, str | None], ...]:
    """Literal text and the placeholder after it, in turn."""
    if len(text) > MOST_CHARACTERS:
        raise PromptError(f"{where}: {len(text):,} characters, expected at most {MOST_CHARACTERS:,}")
    pieces: list[tuple[str, str | None]] = []
    literal: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        literal.append(text[end : token.start()])
        end = token.end()
        name = token.group(1)
        if name is not None:
            pieces.append(("".join(literal), name))
            literal = []
        elif len(token.group()) == 2:
            literal.append(token.group()[0])
        else:
            line = text.count("\n", 0, token.start()) + 1
            near = shorten(text[token.start() : token.start() + 40], 40)
            raise PromptError(
                f"{where} line {line}: {near!r} is no placeholder, expected {{name}}, "
                "or {{ and }} for braces that are meant"
            )
    pieces.append(("".join([*literal, text[end:]]), None))
    return tuple(pieces)


def _spans(text: str) -> list[tuple[str, int, int]]:
    """Tag, start and end of every block, first to last."""
    spans: list[tuple[str, int, int]] = []
    end = 0
    while header := _TAG.search(text, end):
        stop = text.find("]", header.end())
        if stop < 0:
            break
        end = stop + 1
        spans.append((header.group(1), header.start(), end))
    return spans


def _only_space(text: str, where: str) -> None:
    if text.strip():
        raise PromptError(f"{where}: {shorten(text.strip(), 40)!r} between blocks, expected {{name}}: [text]")


MOST_FILES = 1_000
_FILE = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,99})_([A-Za-z]{2,3})\.(txt|rtf)")
_NOT_TEXT = re.compile(r"\\(field|pict|object|bin)(?![a-z])")

TemplateFile = tuple[str, str]
"""Stem and language."""


def read_folder(folder: str | Path) -> dict[TemplateFile, str]:
    """(Stem, language) -> text of all templates in a folder.

    Files of other names are left alone. Where a template is there in both formats, the text counts.
    Line ends become line feeds, and a byte order mark is dropped.

    Raises
    ------
    PromptError
        No such folder, no template in it, more than a thousand files, or one that is too large, no
        text, or a link that leads out of the folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise PromptError(f"no such folder of prompts: {root}")
    texts: dict[TemplateFile, str] = {}
    names = sorted((path.name for path in root.iterdir()), key=lambda name: name.endswith(".txt"))
    templates = [match for name in names if (match := _FILE.fullmatch(name))]
    if len(templates) > MOST_FILES:
        raise PromptError(f"{root}: {len(templates):,} templates, expected at most {MOST_FILES:,}")
    for match in templates:
        stem, language, ending = match.groups()
        path = root / match.group()
        if path.resolve().parent != root.resolve():
            raise PromptError(located(path, "a link that leads out of the folder, expected a file in it"))
        data = _bytes(path)
        texts[stem, language.lower()] = (
            rtf_text(data, path.name) if ending == "rtf" else _text(data, path.name)
        )
    if not texts:
        raise PromptError(f"{root}: no templates, expected files such as two_players_en.txt")
    return texts


def rtf_text(data: bytes, where: str) -> str:
    """The text of a document in the rich text format.

    Raises
    ------
    PromptError
        It is none, holds links or pictures, or cannot be read.
    """
    from striprtf.striprtf import rtf_to_text

    raw = data.decode("cp1252", "replace")
    if not raw.lstrip().startswith("{\\rtf"):
        raise PromptError(f"{where}: no rich text, expected it to begin with {{\\rtf")
    if special := _NOT_TEXT.search(raw):
        raise PromptError(f"{where}: holds {special.group()!r}, expected text only")
    try:
        text = rtf_to_text(raw)
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16")
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise PromptError(f"{where}: cannot be read as rich text: {shorten(error)}") from None
    return _checked(joined, where)


def _text(data: bytes, where: str) -> str:
    try:
        return _checked(data.decode("utf-8-sig"), where)
    except UnicodeDecodeError as error:
        raise PromptError(f"{where}: byte {error.start + 1:,} is not UTF-8") from None


def _checked(text: str, where: str) -> str:
    if "\0" in text or not text.strip():
        raise PromptError(f"{where}: {'binary data' if text.strip() else 'empty'}, expected text")
    if len(text) > MOST_CHARACTERS:
        raise PromptError(f"{where}: {len(text):,} characters, expected at most {MOST_CHARACTERS:,}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _bytes(path: Path) -> bytes:
    most = 4 * MOST_CHARACTERS
    try:
        return file_bytes(path, most)
    except LimitError:
        raise PromptError(located(path, f"more than {most:,} bytes, the most that is read")) from None
    except DataError as error:
        raise PromptError(located(path, f"cannot be read: {one_line(error)}")) from None


PERSONA = "persona_"
"""Phrases that begin so are personas: ``persona_selfish`` words the persona ``selfish``."""

FRAMINGS = ("plain", "prison", "business", "years")
"""Cover stories of our own templates."""

_VOCABULARY: dict[str, dict[str, Any]] = tomllib.loads(
    (files("intent.agents.prompts") / "vocabulary.toml").read_text(encoding="utf-8")
)
"""What templates and phrases may ask for, and when blocks are kept; the file says what each table is."""

PLAIN_PHRASES, INSIDE_PHRASES, OPTIONAL = (
    {phrase: tuple(names) for phrase, names in _VOCABULARY[f"{which}_phrases"].items()}
    for which in ("plain", "inside", "optional")
)

PHRASES = PLAIN_PHRASES | INSIDE_PHRASES
"""Phrase -> its placeholders."""


def variant_of(name: str, framings: Container[str]) -> str | None:
    """The phrase that `name` is a variant of: ``unpaid`` for ``unpaid_years``; None where it is none."""
    base, _, framing = name.rpartition("_")
    return base if base in PHRASES and name not in PHRASES and framing in framings else None


MATRIX, POOL = "two_players", "public_goods"
"""Templates of the two kinds of games, for players."""

DECIDER = "decider"
"""Template of the one who decides in a debate, for all games: the payoffs are not told."""

ASSISTANT = "assistant_"
"""Templates of the assistant in a debate begin so: ``assistant_two_players``."""

PHRASES_FILE = "phrases"

SHARED_PLACEHOLDERS: dict[str, str] = _VOCABULARY["placeholders"]
INSIDE_PLACEHOLDERS: dict[str, str] = _VOCABULARY["inside_placeholders"]
_GAMES: dict[str, dict[str, str]] = {kind: _VOCABULARY[kind] for kind in (MATRIX, POOL)}

TEMPLATES: dict[str, dict[str, str]] = {
    **_GAMES,
    DECIDER: {},
    **{f"{ASSISTANT}{kind}": names for kind, names in _GAMES.items()},
}
"""Template -> its placeholders, beside the shared ones, with their meaning."""

CONDITIONS: dict[str, str] = _VOCABULARY["conditions"]
"""Block -> when it is kept. ``TAG_FRAMING`` takes the place of ``TAG`` in a framing that the template has;
any other block is a framing, kept where the game's framing is its name."""

QUESTIONS = frozenset({"question", "question_json", "debate_question", "debate_answer"})
"""Requests for an answer to a comprehension question."""


def known_placeholders(stem: str) -> dict[str, str]:
    """What the template of a stem may ask for; a game's own template has all of both kinds of games."""
    if stem in TEMPLATES:
        special = TEMPLATES[stem]
    else:
        special = {} if stem.startswith(f"{DECIDER}_") else _GAMES[MATRIX] | _GAMES[POOL]
    return SHARED_PLACEHOLDERS | INSIDE_PLACEHOLDERS | special


T = TypeVar("T")

LANGUAGES: dict[str, str] = _VOCABULARY["languages"]
"""Code (ISO 639-1) -> language of our own prompts."""

LANGUAGE_ALIASES: dict[str, str] = _VOCABULARY["language_aliases"]
"""Code in FAIRGAME's files -> code (ISO 639-1)."""


def canonical_language(code: str) -> str:
    """The code that our prompts are filed under: small letters, ``cn`` as ``zh``, ``vn`` as ``vi``."""
    folded = code.strip().casefold()
    return LANGUAGE_ALIASES.get(folded, folded)


def known_as(code: str, known: Iterable[str]) -> str | None:
    """The one of the `known` codes that means the language of `code`, None where there is none."""
    codes = list(known)
    if code in codes:
        return code
    return next((other for other in codes if canonical_language(other) == canonical_language(code)), None)


def in_language(code: str, texts: Mapping[str, T], prompts: str) -> T:
    """The texts of the language, from those by language of the prompts of this name.

    Raises
    ------
    PromptError
        There are none.
    """
    match = known_as(code, texts)
    if match is None:
        raise PromptError(f"prompts {prompts}: {UnknownNameError('language', code, texts)}")
    return texts[match]


SYSTEM_END = re.compile(r"^===[ \t]*$", re.MULTILINE)
"""The line of a template above which the system message stands."""


@dataclass(frozen=True)
class Wording:
    """All texts of one language.

    Parameters
    ----------
    templates : mapping from ``two_players``, ``public_goods``, … or a game's name to text
    phrases : mapping from name to text
        ``unpaid_years`` is what stands in place of ``unpaid`` in the framing ``years``.
    """

    language: str
    templates: Mapping[str, str]
    phrases: Mapping[str, str]

    def say(self, phrase: str, **values: object) -> str:
        """A phrase with values for its placeholders.

        Raises
        ------
        PromptError
            The language has no such phrase, or it asks for another value.
        """
        if phrase not in self.phrases:
            raise PromptError(f"{PHRASES_FILE}_{self.language}: no phrase {{{phrase}}}")
        return fill(self.phrases[phrase], values, f"{PHRASES_FILE}_{self.language} {{{phrase}}}")

    def persona(self, name: str) -> str:
        """The wording of a persona, the name itself where there is none."""
        folded = "_".join(name.casefold().split())
        return self.phrases.get(f"{PERSONA}{folded}", name)

    def framed(self, framing: str) -> Wording:
        """These texts with the variants of phrases that the framing has in place of the phrases."""
        variants = {
            base: text
            for name, text in self.phrases.items()
            if name.endswith(f"_{framing}") and (base := variant_of(name, {framing}))
        }
        return Wording(self.language, self.templates, {**self.phrases, **variants}) if variants else self

    def over(self, other: Wording) -> Wording:
        """These texts, and those of `other` for what is not here."""
        return Wording(
            self.language, {**other.templates, **self.templates}, {**other.phrases, **self.phrases}
        )


def parse_phrases(text: str, where: str, stories: Collection[str] = FRAMINGS) -> dict[str, str]:
    """Name -> text of a file of phrases, with variants ``PHRASE_FRAMING`` for the framings in `stories`.

    Raises
    ------
    PromptError
        Not a sequence of blocks, an unknown phrase, or one that asks for what it does not get.
    """
    phrases = blocks(text, where)
    for name, phrase in phrases.items():
        known = variant_of(name, stories) or name
        if known not in PHRASES and not name.startswith(PERSONA):
            raise PromptError(f"{where}: {UnknownNameError('phrase', name, PHRASES)}")
        values = (*PHRASES.get(known, ()), *OPTIONAL.get(known, ()))
        _check_names(placeholders(phrase, where), values, f"{where} {{{name}}}")
    return phrases


def check_template(text: str, stem: str, where: str) -> None:
    """Refuse a template that asks for what no game gives it.

    Raises
    ------
    PromptError
        A placeholder that is not known, a block within a block, braces that are no placeholder, or two
        lines ``===``.
    """
    if nested := nested_block(text):
        outer, inner = nested
        raise PromptError(
            f"{where}: block {{{inner}}} begins inside block {{{outer}}}, expected one after the other "
            f"(the first ] ends a block; {{{outer}}} may be opened again)"
        )
    whole = resolve_blocks(text, block_tags(text))
    _check_names(placeholders(whole, where), tuple(known_placeholders(stem)), where, text)
    if len(SYSTEM_END.findall(whole)) > 1:
        raise PromptError(f"{where}: more than one line ===, expected one between system and user")


@lru_cache(maxsize=1024)
def framings(text: str) -> tuple[str, ...]:
    """The cover stories of a template: its blocks that no condition decides on, and that are no variants."""
    tags = block_tags(text)
    free = [tag for tag in tags if tag not in CONDITIONS]
    return tuple(tag for tag in free if not _is_variant(tag, free))


def _is_variant(tag: str, free: Collection[str]) -> bool:
    return any(tag == f"{condition}_{other}" for condition in CONDITIONS for other in free)


def _check_names(names: tuple[str, ...], known: tuple[str, ...], where: str, text: str = "") -> None:
    for name in names:
        if name not in known:
            line = line_of(text, name)
            place = f"{where} line {line}" if line else where
            raise PromptError(f"{place}: {UnknownNameError('placeholder', name, known)}")


@cache
def our_wordings() -> dict[str, Wording]:
    """Language -> our own texts."""
    folder = files("intent.agents.prompts") / "texts"

    def text(stem: str, language: str) -> str:
        return (folder / f"{stem}_{language}.txt").read_text(encoding="utf-8")

    return {
        language: Wording(
            language,
            {stem: text(stem, language) for stem in TEMPLATES},
            parse_phrases(text(PHRASES_FILE, language), f"{PHRASES_FILE}_{language}.txt"),
        )
        for language in LANGUAGES
    }
