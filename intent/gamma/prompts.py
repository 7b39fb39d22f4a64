"""The prompt set ``gamma``: our words for the eight games, in five wordings and five languages.

The pieces of one language, ours or a user's, are checked before they are used. A piece is a whole sentence or
paragraph, so that no language has to build a sentence from parts, and tells facts of its game. Pieces of
`VERSIONED` and `_SPOKEN` exist in five wordings of the same facts (``rules_v1`` to ``rules_v5``). In a
conversation user and assistant strictly alternate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

import numpy as np

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import FORMAT, NOTHING, Inside, Phase, check_names
from intent.agents.prompts.wording import LANGUAGES, blocks, fill, in_language, line_of, placeholders
from intent.base.errors import PromptError, UnknownNameError, shorten
from intent.base.wording import number_text
from intent.games.game import CourseGame, Facts, has_course
from intent.gamma.catalogue import ByGame, bench_game, game_of
from intent.gamma.game import CHOICE, CHOICE_MARK, Teller
from intent.play.match import View

__all__ = [
    "KIND",
    "OPTIONAL",
    "PHRASES",
    "PHRASES_FILE",
    "STEMS",
    "UNSAID",
    "VERSIONED",
    "VERSIONS",
    "GammaPrompts",
    "GammaWording",
    "base_piece",
    "check_choice",
    "check_table",
    "gamma_prompts",
    "is_stem",
    "our_gamma_wordings",
    "parse_pieces",
    "pieces_of",
    "several_wordings",
    "version_of",
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
        """Whether a report of the game has a place for the own choice (`intent.gamma.game.CHOICE`)."""
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
        pieces = [f"{piece}_{version}" for piece in several if piece not in OPTIONAL] + single
        missing = [f"{game}_{self.language}: {{{tag}}}" for tag in pieces if not self.has(game, tag)]
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


def _form(t: Teller, question: Facts, explained: bool) -> str:
    """The JSON object that is asked for, with words in the place of the answer."""
    fields = [f'"explanation": "<{t.phrase("explanation")}>"'] if explained else []
    fields += [f'"{key}": {place}' for key, place in t.words.fields(t, question).items()]
    return "{" + ", ".join(fields) + "}"


def _answer(t: Teller, action: str, facts: Facts) -> str:
    """An own past action as the JSON object that was asked for."""
    return json.dumps(t.words.answer(t, action, facts), ensure_ascii=False)


class _Turns:
    """Messages in the making: what is said to the player until it answers becomes one message.

    The system's message comes first; an empty one is left out.
    """

    def __init__(self, system: str = "") -> None:
        self._messages = [Message("system", system)] if system else []
        self._paragraphs: list[str] = []

    def user(self, *parts: str) -> None:
        """Say another paragraph, each part on a line of its own."""
        if parts:
            self._paragraphs.append("\n".join(parts))

    def assistant(self, text: str) -> None:
        """What the player answered."""
        self._close()
        self._messages.append(Message("assistant", text))

    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        self._close()
        return tuple(self._messages)

    def _close(self) -> None:
        if self._paragraphs:
            self._messages.append(Message("user", "\n\n".join(self._paragraphs)))
            self._paragraphs = []


def version_of(plan: GamePlan) -> str:
    """The wording that the plan's framing names; ``plain`` is the first."""
    return VERSIONS[0] if plan.framing == "plain" else plan.framing


def check_choice(name: str, phase: Phase, inside: Inside) -> None:
    """Refuse every request but that for a choice.

    Raises
    ------
    PromptError
    """
    if phase != "choose" or inside.request or inside.role != "player":
        raise PromptError(
            f"prompts {name}: no words for {inside.request or phase} of a {inside.role}, expected a choice"
        )


def check_table(plan: GamePlan, name: str) -> CourseGame:
    """The plan's game, if it is one of the eight and nothing is planned that no table has.

    Raises
    ------
    PromptError
    """
    check_names(plan)
    game = plan.stage()
    if not isinstance(game, CourseGame) or game_of(game.name) is None:
        raise PromptError(f"prompts {name}: no words for {shorten(plan.game)}, expected a gamma-bench game")
    factors = {
        "communication": plan.communication != "none",
        "questions": bool(plan.questions),
        "listed_first": plan.listed_first is not None,
        "named_first": plan.named_first != "self",
        "totals": plan.totals != "shown",
        "opponent_persona_probability": any(seat.opponent_persona_probability for seat in plan.seats),
    }
    if stray := [what for what, is_set in factors.items() if is_set]:
        raise PromptError(
            f"prompts {name}: no words for {stray[0]} in {game.name}, expected it not to be set"
        )
    return game


KIND = "gamma"

ROUNDS_KEPT = 16_384
"""Past rounds of seats whose words are kept: every later prompt repeats them."""

Said = tuple[Literal["user", "assistant"], str]
"""A paragraph of a user's message, or an answer."""


@dataclass(frozen=True)
class GammaPrompts:
    """Conversations of a player with the table: rules, past rounds by turns, and the request.

    1. The system's message: persona, number of players and rounds, rules, what is told of the others.
    2. For each past round that is shown, as in the paper (appendix C): a user's message with the results
       that do not depend on the player, the assistant's, which is the player's own choice as the JSON
       object, whatever it had written around it, and what came of it for the player. The latter stands in
       the next user's message; so does a round in which the player had no move, or gave no valid answer.
    3. The last user's message ends with the request, which is not repeated in later rounds. What a player
       is sent in one round is therefore the beginning of what it is sent in the next, up to the beginning
       of the round.

    `GamePlan.framing` is the wording (``v1`` … ``v5``; ``plain`` is ``v1``), `SeatPlan.persona` one of the
    phrases or any text, ``SeatPlan.options["told"]`` what is told of the others: ``equilibrium``, ``smart``,
    ``random``, or any text. `GamePlan.memory` limits the past.

    Parameters
    ----------
    name : str
    wordings : mapping from language to GammaWording
    """

    name: str
    wordings: Mapping[str, GammaWording]
    _past: Callable[..., tuple[Said, ...]] = field(
        default_factory=lambda: lru_cache(ROUNDS_KEPT)(_past), init=False, repr=False, compare=False
    )

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages."""
        return tuple(self.wordings)

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that could not be put into words.

        Raises
        ------
        PromptError
            No such language or wording; a piece is missing; a game that is none of the eight; messages,
            comprehension questions, players of the same name, or factors of matrix games.
        """
        game = check_table(plan, self.name)
        wording = self._wording(plan.language)
        if game.name not in wording.pieces:
            known = [code for code, other in self.wordings.items() if game.name in other.pieces]
            hint = f"; it is told in {', '.join(known)}" if known else ""
            raise PromptError(f"no {game.name}_{plan.language}.txt, expected a text of the game{hint}")
        wording.check(game.name, version_of(plan))
        for seat in plan.seats:
            if seat.kind == "model" and seat.architecture not in ("plain", "chain_of_thought"):
                raise PromptError(
                    f"prompts {self.name}: no words for architecture {shorten(seat.architecture)!r}, "
                    "expected plain or chain_of_thought"
                )

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The conversation up to the request for the view's seat.

        Raises
        ------
        PromptError
            As for `check`, or a request of another architecture.
        """
        check_choice(self.name, phase, inside)
        t = self._teller(view, plan)
        turns = _Turns(self._system(t, view, plan))
        shown = view.round - 1 if plan.memory is None else min(view.round - 1, plan.memory)
        for index in range(view.round - 1 - shown, view.round - 1):
            if (facts := view.reports[index]) is not None:
                for say, text in self._past(t, index + 1, view.own[index], tuple(facts.items())):
                    turns.user(text) if say == "user" else turns.assistant(text)
        seat = plan.seats[view.seat - 1]
        thinks = seat.architecture == "chain_of_thought"
        turns.user(t.phrase("begin", round=view.round), *t.words.news(t, view.question))
        turns.user(*t.words.request(t, view.question))
        thinking = [t.phrase(f"thinking_{seat.options.get('phrase', 1)}")] if thinks else []
        turns.user(*thinking, t.phrase("answer", answer=_form(t, view.question, thinks)))
        return turns.messages()

    def answer_form(self, view: View, plan: GamePlan) -> str:
        """The JSON object that the seat is asked for, with words in the place of the answer."""
        seat = plan.seats[view.seat - 1]
        return _form(self._teller(view, plan), view.question, seat.architecture == "chain_of_thought")

    def treatment(self, view: View, plan: GamePlan) -> str:
        """What the seat is told of the others, empty where nothing is."""
        return _treatment(self._teller(view, plan), plan.seats[view.seat - 1], view)

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase of the plan's language and wording."""
        return self._wording(plan.language).phrase(phrase, version_of(plan), **values)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read; `labels` are forms of the answer."""
        wording = self._wording(language)
        return wording.phrase("remind", answer=wording.phrase("or").join(labels) or "{…}")

    def to_json(self) -> str:
        """All pieces of all languages."""
        texts = {
            language: {stem: dict(pieces) for stem, pieces in wording.pieces.items()}
            for language, wording in self.wordings.items()
        }
        table = {"format": FORMAT, "kind": KIND, "name": self.name, "languages": texts}
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _wording(self, language: str) -> GammaWording:
        return in_language(language, self.wordings, self.name)

    def _teller(self, view: View, plan: GamePlan) -> Teller:
        kind = game_of(view.game.name)
        if not has_course(view.game) or kind is None:
            raise PromptError(f"prompts {self.name}: no words for {shorten(view.game.name)}")
        names = tuple(seat.name for seat in plan.seats)
        words = bench_game(kind).words
        return Teller(self._wording(plan.language), version_of(plan), view.game, words, view.seat, names)

    def _system(self, t: Teller, view: View, plan: GamePlan) -> str:
        seat = plan.seats[view.seat - 1]
        opening = [t.phrase("opening", n_players=t.game.n_players)]
        if t.words.length_known:
            if view.horizon is not None:
                opening.append(t.phrase("known", rounds=view.horizon))
            elif view.continuation is not None:
                opening.append(t.phrase("random", continuation=number_text(view.continuation)))
        parts = [
            _persona(t, seat),
            "\n".join(opening),
            "\n".join(t.words.rules(t)),
            _treatment(t, seat, view),
        ]
        return "\n\n".join(part for part in parts if part)


def gamma_prompts() -> GammaPrompts:
    """The prompts that come with the package."""
    return GammaPrompts("gamma", our_gamma_wordings())


def _persona(t: Teller, seat: SeatPlan) -> str:
    """The sentence on the persona, empty without one."""
    if seat.persona_text is not None:
        return t.phrase("persona", persona=seat.persona_text) if seat.persona_text else ""
    if not seat.persona or seat.persona == "None":
        return ""
    known = f"persona_{'_'.join(seat.persona.casefold().split())}"
    if t.wording.has(PHRASES_FILE, known):
        return t.phrase(known)
    return t.phrase("persona", persona=seat.persona)


def _treatment(t: Teller, seat: SeatPlan, view: View) -> str:
    """What is told of the others, empty where nothing is."""
    treatment = seat.options.get("told")
    if not treatment:
        return ""
    known = f"told_{treatment}"
    if t.wording.has(t.game.name, known):
        action = t.game.equilibrium(view.seat, view.question, np.random.default_rng(0))
        return t.say(known, equilibrium=action)
    return t.phrase(known) if t.wording.has(PHRASES_FILE, known) else str(treatment)


def _past(t: Teller, number: int, own: str | None, items: tuple[tuple[str, object], ...]) -> tuple[Said, ...]:
    """A past round: what was told before the own choice, the choice, what was told after it.

    Reports with a place for the choice are told as the paper does: the results up to there, the choice, the
    rest. Without one the round begins, then comes the choice, then the whole report.
    """
    facts, paragraphs = dict(items), list[Said]()
    if t.wording.tells_before(t.game.name, t.version):
        return _results_first(t, number, own, facts)
    begin = (t.phrase("begin", round=number), *t.words.news(t, facts))
    if own is not None:
        paragraphs += [("user", "\n".join(begin)), ("assistant", _answer(t, own, facts))]
    elif t.words.had_a_move(t.seat, facts):
        paragraphs.append(("user", "\n".join((*begin, t.phrase("missing", round=number)))))
    if lines := t.words.report(t, facts):
        paragraphs.append(("user", "\n".join((t.phrase("results", round=number), *lines))))
    return tuple(paragraphs)


def _results_first(t: Teller, number: int, own: str | None, facts: Facts) -> tuple[Said, ...]:
    report = "\n".join(t.words.report(t, facts))
    before, mark, after = report.partition(CHOICE_MARK)
    if not mark:
        before, after = "", before
    lines = [t.phrase("results", round=number), *t.words.news(t, facts), before.strip()]
    missing = own is None and t.words.had_a_move(t.seat, facts)
    if missing:
        lines.append(t.phrase("missing", round=number))
    if own is None:
        words = "\n".join(line for line in (*lines, after.strip()) if line)
        return (("user", words),) if report or missing else ()
    talk: list[Said] = [
        ("user", "\n".join(line for line in lines if line)),
        ("assistant", _answer(t, own, facts)),
    ]
    return (*talk, ("user", after.strip())) if after.strip() else tuple(talk)
