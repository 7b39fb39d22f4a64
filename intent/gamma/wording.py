"""The pieces of one language, ours or a user's, checked before they are used.

The pieces of text that the prompts of the eight games are made of, and the facts that each of them tells.

A piece is a whole sentence or paragraph, so that no language has to build a sentence from parts. Pieces of
`VERSIONED` and `_SPOKEN` exist in five wordings of the same facts (``rules_v1`` to ``rules_v5``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from intent.agents.prompts.wording import LANGUAGES, blocks, fill, line_of, placeholders
from intent.base.errors import PromptError, UnknownNameError, shorten
from intent.gamma.bench_game import CHOICE
from intent.gamma.catalogue import ByGame, game_of

__all__ = [
    "OPTIONAL",
    "PHRASES",
    "PHRASES_FILE",
    "STEMS",
    "UNSAID",
    "VERSIONED",
    "VERSIONS",
    "GammaWording",
    "base_piece",
    "is_stem",
    "our_gamma_wordings",
    "parse_pieces",
    "pieces_of",
    "several_wordings",
]


VERSIONS = ("v1", "v2", "v3", "v4", "v5")
"""Wordings of ours; a plan's framing names one."""

PHRASES_FILE = "phrases"

VERSIONED: Mapping[str, dict[str, tuple[str, ...]]] = ByGame(lambda row: row.words.pieces)
"""Game -> piece -> the facts it tells, each once at least; in the game's file, in five wordings."""

_PLAIN: Mapping[str, dict[str, tuple[str, ...]]] = ByGame(lambda row: row.words.plain)
"""Game -> piece -> facts; in the game's file, in one wording."""

_MORE: Mapping[str, dict[str, tuple[str, ...]]] = ByGame(lambda row: row.words.more)
"""Game -> piece -> facts that a wording of one's own may tell besides."""

_SPOKEN: dict[str, tuple[str, ...]] = {
    "opening": ("n_players",),
    "known": ("rounds",),
    "random": ("continuation",),
    "begin": ("round",),
    "results": ("round",),
    "gain": ("gain",),
    "answer": ("answer",),
}
"""Piece -> facts; in the file of phrases, for all games, in five wordings."""

PHRASES: dict[str, tuple[str, ...]] = {
    **{f"thinking_{number}": () for number in range(1, 6)},
    "explanation": (),
    "persona": ("persona",),
    "persona_cooperative": (),
    "persona_selfish": (),
    "persona_mathematician": (),
    "told_equilibrium": (),
    "told_smart": (),
    "told_random": (),
    "missing": ("round",),
    "nobody": (),
    "no_answer": (),
    "remind": ("answer",),
    "or": (),
    "comma": (),
    "player_amount": ("name", "amount"),
    "player_line": ("number", "name"),
    "rate_line": ("number", "name", "rate"),
    "share_line": ("number", "name", "amount"),
}
"""Piece -> facts; in the file of phrases, in one wording. A user's file may have further ``persona_NAME`` and
``told_NAME``."""

UNSAID = frozenset({"reset", "gain"})
"""Pieces that ours lack, since the paper says nothing of them; another wording may have them."""

OPTIONAL = UNSAID | {"told_equilibrium", "action"}
"""Pieces that a game's file may lack: there is a phrase of the same name, or nothing is said then."""


def several_wordings(stem: str) -> dict[str, tuple[str, ...]]:
    """Piece -> facts, of the pieces of a file that exist in several wordings."""
    return _with_centre(stem, _SPOKEN if stem == PHRASES_FILE else VERSIONED[game_of(stem) or stem])


def pieces_of(stem: str) -> dict[str, tuple[str, ...]]:
    """Piece, its wording left off -> facts, of all pieces of a file."""
    single = PHRASES if stem == PHRASES_FILE else _PLAIN[game_of(stem) or stem]
    return several_wordings(stem) | _with_centre(stem, single)


def _with_centre(stem: str, pieces: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Another story may also say from where its numbers are told (`intent.gamma.stories`)."""
    if stem == PHRASES_FILE or stem in VERSIONED:
        return pieces
    return {piece: (*facts, "centre") for piece, facts in pieces.items()}


STEMS = (*VERSIONED, PHRASES_FILE)
"""Files of a language, by what stands before ``_LANGUAGE.txt``; ``GAME_STORY`` may come besides."""

_FREE = ("persona_", "told_")
"""Phrases of these beginnings may be added: personas and treatments of one's own."""


@dataclass(frozen=True)
class GammaWording:
    """All pieces of one language.

    Parameters
    ----------
    language : str
    pieces : mapping of file -> piece -> text
        The files are the games' names (or ``GAME_STORY``) and ``phrases``; pieces in several wordings end in
        ``_v1`` and so on.
    """

    language: str
    pieces: Mapping[str, Mapping[str, str]]

    def __hash__(self) -> int:
        return hash(self.language)

    def versions(self, game: str) -> tuple[str, ...]:
        """The wordings that the game's file has of its rules."""
        return tuple(
            tag.removeprefix("rules_") for tag in self.pieces.get(game, ()) if tag.startswith("rules_")
        )

    def has(self, stem: str, piece: str, version: str = "") -> bool:
        """Whether there is a piece of this full name, or of this name in the wording."""
        known = self.pieces.get(stem, {})
        return piece in known or (bool(version) and f"{piece}_{version}" in known)

    def tells_before(self, game: str, version: str) -> bool:
        """Whether a report of the game has a place for the own choice (`intent.gamma.bench_game.CHOICE`)."""
        place = f"{{{CHOICE}}}"
        return any(place in text for tag, text in self.pieces[game].items() if tag.endswith(f"_{version}"))

    def say(self, stem: str, piece: str, version: str, values: Mapping[str, object]) -> str:
        """A piece with values for its placeholders; one in a single wording is the same in every version.

        Raises
        ------
        PromptError
            There is no such piece.
        """
        tag = f"{piece}_{version}"
        if not self.has(stem, tag):
            tag = f"{piece}_{VERSIONS[0]}" if stem == PHRASES_FILE and piece in _SPOKEN else piece
        if not self.has(stem, tag):
            raise PromptError(f"{stem}_{self.language}: no piece {{{piece}_{version}}} or {{{piece}}}")
        return fill(self.pieces[stem][tag], values, f"{stem}_{self.language} {{{tag}}}")

    def phrase(self, name: str, version: str = VERSIONS[0], **values: object) -> str:
        """A piece of the file of phrases."""
        return self.say(PHRASES_FILE, name, version, values)

    def check(self, game: str, version: str) -> None:
        """Refuse where a piece of the game or a phrase is missing.

        Raises
        ------
        PromptError
            Says what is missing, or which wordings there are.
        """
        if game not in self.pieces:
            raise PromptError(f"no {game}_{self.language}.txt, expected a text of the game")
        if version not in self.versions(game):
            known = self.versions(game)
            raise PromptError(f"{game}_{self.language}: {UnknownNameError('framing', version, known)}")
        several = several_wordings(game)
        single = [piece for piece in pieces_of(game) if piece not in several and piece not in OPTIONAL]
        wanted = [f"{piece}_{version}" for piece in several if piece not in OPTIONAL] + single
        missing = [f"{game}_{self.language}: {{{tag}}}" for tag in wanted if not self.has(game, tag)]
        for piece in (*_SPOKEN, *PHRASES):
            tag = f"{piece}_{VERSIONS[0]}" if piece in _SPOKEN else piece
            if not self.has(PHRASES_FILE, tag):
                missing.append(f"{PHRASES_FILE}_{self.language}: {{{tag}}}")
        if missing:
            raise PromptError(
                f"{missing[0]} is missing ({len(missing)} in all), expected a piece of that name"
            )

    def over(self, other: GammaWording) -> GammaWording:
        """These files, and those of `other` for what is not here; of phrases piece by piece."""
        phrases = {**other.pieces.get(PHRASES_FILE, {}), **self.pieces.get(PHRASES_FILE, {})}
        return GammaWording(self.language, {**other.pieces, **self.pieces, PHRASES_FILE: phrases})


def is_stem(stem: str) -> bool:
    """Whether a file of this name may hold pieces."""
    return stem == PHRASES_FILE or game_of(stem) is not None


def base_piece(stem: str, tag: str) -> str | None:
    """The piece that a tag is a wording of: ``rules`` for ``rules_v3``; None where there is none."""
    several = several_wordings(stem)
    if tag in pieces_of(stem) and tag not in several:
        return tag
    base, _, version = tag.rpartition("_")
    return base if base in several and version else None


def parse_pieces(text: str, stem: str, where: str) -> dict[str, str]:
    """Tag -> text of a file of pieces.

    Raises
    ------
    PromptError
        Not a sequence of blocks, an unknown piece, or one that asks for a fact that it does not get.
    """
    pieces = blocks(text, where)
    known = pieces_of(stem)
    more = {} if stem == PHRASES_FILE else _MORE[game_of(stem) or stem]
    for tag, piece in pieces.items():
        base = base_piece(stem, tag)
        if base is None and not (stem == PHRASES_FILE and tag.startswith(_FREE)):
            raise PromptError(f"{where}: {UnknownNameError('piece', tag, _names(stem))}")
        facts = (*known[base], *more.get(base, ())) if base else ()
        for name in placeholders(piece, f"{where} {{{tag}}}"):
            if name not in facts:
                line = f" line {line_of(text, name)}" if line_of(text, name) else ""
                expected = ", ".join(facts) or "none"
                raise PromptError(
                    f"{where}{line}: placeholder {{{shorten(name)}}} in {{{tag}}}, expected {expected}"
                )
    return pieces


def _names(stem: str) -> list[str]:
    several = several_wordings(stem)
    single = [piece for piece in pieces_of(stem) if piece not in several]
    return [*(f"{piece}_{version}" for piece in several for version in VERSIONS), *single]


@cache
def our_gamma_wordings() -> dict[str, GammaWording]:
    """Language -> our own pieces."""
    folder = files("intent.gamma") / "texts"
    texts: dict[str, dict[str, dict[str, str]]] = {language: {} for language in LANGUAGES}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        stem, _, language = path.name.removesuffix(".txt").rpartition("_")
        texts[language][stem] = parse_pieces(path.read_text(encoding="utf-8"), stem, path.name)
    return {language: GammaWording(language, pieces) for language, pieces in texts.items()}
