"""The pieces of text that the prompts of the eight games are made of, and the facts that each of them tells.

A piece is a whole sentence or paragraph, so that no language has to build a sentence from parts. Pieces of
`VERSIONED` and `SPOKEN` exist in five wordings of the same facts (``rules_v1`` to ``rules_v5``).
"""

from __future__ import annotations

__all__ = [
    "OPTIONAL",
    "PHRASES",
    "PHRASES_FILE",
    "PLAIN",
    "SPOKEN",
    "VERSIONED",
    "VERSIONS",
    "game_of",
    "pieces_of",
    "several_wordings",
]

VERSIONS = ("v1", "v2", "v3", "v4", "v5")
"""Wordings of ours; a plan's framing names one."""

PHRASES_FILE = "phrases"

_PAYOFFS = ("low", "high", "home", "ratio")
_WENT = ("went", "stayed", "share", "ratio")
_VOTES = ("proposer", "proposal", "accepted", "voters")
_PLACE = ("name", "rates", "hit_rate", "rank")

VERSIONED: dict[str, dict[str, tuple[str, ...]]] = {
    "guessing": {
        "rules": ("low", "high", "ratio"),
        "report": ("mean", "ratio", "target", "winning"),
        "won": (),
        "lost": (),
        "request": ("ratio",),
    },
    "bar": {"rules": _PAYOFFS, "crowded": _WENT, "roomy": _WENT, "request": ("ratio",)},
    "divide_dollar": {
        "rules": ("gold",),
        "within": ("total", "gold"),
        "exceeds": ("total", "gold"),
        "request": ("gold",),
    },
    "public_goods": {
        "rules": ("name", "factor"),
        "reset": (),
        "kept": (),
        "report": ("contributions", "total", "tokens", "holdings"),
        "request": ("tokens",),
    },
    "diner": {
        "rules": ("cheap_price", "cheap_utility", "costly_price", "costly_utility"),
        "report": ("costly", "cheap", "total_cost", "share"),
        "request": (),
    },
    "auction": {
        "rules": (),
        "first": (),
        "second": (),
        "valuation": ("valuation",),
        "report": ("highest", "price"),
        "won": (),
        "lost": (),
        "request": ("valuation",),
    },
    "battle_royale": {
        "rules": _PLACE,
        "hit": ("shooter", "target", "left"),
        "missed": ("shooter", "target", "left"),
        "on_purpose": ("shooter", "left"),
        "request": _PLACE,
    },
    "pirate": {
        "rules": ("gold", "pirates", "name", "number"),
        "thrown": _VOTES,
        "passed": _VOTES,
        "propose": ("gold",),
        "vote": ("proposer", "gold", "proposal", "share"),
    },
}
"""Game -> piece -> the facts it tells, each once at least; in the game's file, in five wordings."""

PLAIN: dict[str, dict[str, tuple[str, ...]]] = {
    "guessing": {"form": ("low", "high"), "told_equilibrium": ("equilibrium",)},
    "bar": {},
    "divide_dollar": {"form": ("gold",)},
    "public_goods": {"form": ("tokens",)},
    "diner": {},
    "auction": {"form": ("valuation",)},
    "battle_royale": {"form": ()},
    "pirate": {"form": (), "no_plan": ("proposer",)},
}
"""Game -> piece -> facts; in the game's file, in one wording.

``form`` is what stands in the JSON object that is asked for, as in ``{"bid": <whole number from 0 to 70>}``.
"""

SPOKEN: dict[str, tuple[str, ...]] = {
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

OPTIONAL = frozenset({"told_equilibrium"})
"""Pieces that a game's file may lack, since there is a phrase of the same name."""


def game_of(stem: str) -> str | None:
    """The game of a file: ``guessing`` of ``guessing`` and of ``guessing_dials``, another story of it."""
    return next((game for game in VERSIONED if stem == game or stem.startswith(f"{game}_")), None)


def several_wordings(stem: str) -> dict[str, tuple[str, ...]]:
    """Piece -> facts, of the pieces of a file that exist in several wordings."""
    return _with_centre(stem, SPOKEN if stem == PHRASES_FILE else VERSIONED[game_of(stem) or stem])


def pieces_of(stem: str) -> dict[str, tuple[str, ...]]:
    """Piece, its wording left off -> facts, of all pieces of a file."""
    single = PHRASES if stem == PHRASES_FILE else PLAIN[game_of(stem) or stem]
    return several_wordings(stem) | _with_centre(stem, single)


def _with_centre(stem: str, pieces: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Another story may also say from where its numbers are told (`intent.games.gamma.relabelled`)."""
    if stem == PHRASES_FILE or stem in VERSIONED:
        return pieces
    return {piece: (*facts, "centre") for piece, facts in pieces.items()}
