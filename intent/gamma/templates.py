"""GAMA-Bench's own templates, from a folder of its prompts, filled in and sent as it does.

Reading a folder of GAMA-Bench's templates that nobody vouches for.

Prompts for gamma-bench from a user's files over ours, and from what was saved.

The words of the eight gamma-bench games: ours, and templates of its authors (arXiv:2403.11807).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import FORMAT, NOTHING, Inside, Phase, PromptKind, PromptSet
from intent.agents.prompts.wording import (
    MOST_CHARACTERS,
    PERSONA,
    block_tags,
    canonical_language,
    mark,
    read_folder,
)
from intent.agents.prompts.wording import PHRASES as MATRIX_PHRASES
from intent.base.errors import DataError, PromptError, UnknownNameError, located, shorten
from intent.base.files import file_text
from intent.games.game import CourseGame, Facts
from intent.gamma.catalogue import ByGame, bench_game
from intent.gamma.game import Templates, value_text
from intent.gamma.prompts import (
    PHRASES_FILE,
    STEMS,
    GammaPrompts,
    GammaWording,
    base_piece,
    check_choice,
    check_table,
    gamma_prompts,
    is_stem,
    our_gamma_wordings,
    parse_pieces,
    version_of,
)
from intent.play.match import View

__all__ = [
    "FOLDERS",
    "GAMA",
    "GAMMA",
    "INPUTS",
    "KIND",
    "GamaTemplates",
    "GammaPrompts",
    "gamma_prompts",
    "gamma_source",
    "read_gama_templates",
]


FOLDERS: Mapping[str, str] = ByGame(lambda row: row.templates.folder)
"""Game -> folder of its templates."""

INPUTS: Mapping[str, dict[str, tuple[str, ...]]] = ByGame(lambda row: row.templates.inputs)
"""Game -> template -> facts by number."""


def _rule_values(game: CourseGame, seat: int, names: Sequence[str]) -> dict[str, object]:
    """Facts of the description, apart from rounds and role."""
    return {
        **_plain(game.facts()),
        "n_players": game.n_players,
        "name": names[seat - 1],
        "rank": seat,
        **_templates(game).rule_facts(game, seat, names),
    }


def _asked_values(game: CourseGame, seat: int, names: Sequence[str], question: Facts) -> dict[str, object]:
    """Facts of the request, apart from round and format."""
    own = _templates(game).request_facts(game, names, question)
    return {**_rule_values(game, seat, names), **_plain(question), **own}


def _past_values(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    """Facts of the report, apart from the round."""
    values = {**_rule_values(game, seat, names), **_plain(facts)}
    values["own"] = "null" if facts.get("own") is None else str(facts["own"])
    return {**values, **_templates(game).report_facts(game, seat, names, facts)}


def _format_object(game: CourseGame, seat: int, question: Facts, explained: bool) -> str:
    """The JSON object that is asked for."""
    fields: dict[str, object] = {"explanation": "thinking_process"} if explained else {}
    return json.dumps(fields | _templates(game).fields(game, question), ensure_ascii=False)


def _templates(game: CourseGame) -> Templates:
    return bench_game(game.name).templates


def _plain(facts: Facts) -> dict[str, object]:
    """Facts as texts; of several values a list as Python prints it."""
    values: dict[str, object] = {}
    for name, value in facts.items():
        if isinstance(value, tuple):
            values[name] = "[" + ", ".join(value_text(each) for each in value) + "]"
        else:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            values[name] = value_text(value) if number else value
    return values


KIND = "gama"

_COT, _ROLES, _TOLD = "cot_prompts", "role_prompts", "told_prompts"
"""Folders of the chain-of-thought phrases (``cot1.txt`` …), of the roles (``role1.txt`` …), and of what is
told of the others (``smart.txt`` …), which GAMA-Bench's own does not have."""

_ROLE = {"cooperative": "role1", "selfish": "role2", "mathematician": "role3"}

_MARK = "<commentblockmarker>###</commentblockmarker>"
_PART = "<part>///</part>"
_INPUT = re.compile(r"!<INPUT (\d{1,3})>!")


@dataclass(frozen=True)
class GamaTemplates:
    """Templates as GAMA-Bench's authors wrote them, in their folders.

    1. System: the description, the role at its top (personas cooperative, selfish and mathematician are its
       roles 1 to 3; any other text stands there as it is). Below it what is told of the others: of the
       folder where it has ``told_prompts/NAME.txt``, else in our words.
    2. For each past round the three parts of the report: user, assistant with the own choice, user.
    3. The request, which is sent with the round it is for and not kept. Its last fact is a sentence that asks
       for the JSON object, after the chain-of-thought phrase where there is one; ``format`` and
       ``format_cot`` are templates of it (``!<INPUT 0>!`` is the object), which our words stand in for.

    Not repeated from upstream: empty lines at the beginning without a role; the chain-of-thought phrase that
    a proposing pirate was not given; ``-th`` after ``1-st``; a second report to who has shot.

    Parameters
    ----------
    name : str
    files : mapping of folder -> name without ending -> text
    upstream_window : bool
        Whether one message is dropped per round from round 21 on (11 in the public goods game), though a
        round has three, so that the conversation begins in the middle of a round; as upstream did.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807; its repository CUHK-ARISE/GAMABench, ``prompt_template``.
    """

    name: str
    files: Mapping[str, Mapping[str, str]]
    upstream_window: bool = field(default=False, kw_only=True)

    @property
    def languages(self) -> tuple[str, ...]:
        """English; a folder has no language."""
        return ("en",)

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that these templates cannot express.

        Raises
        ------
        PromptError
            A game that is none of the eight; a template that is missing or odd; another language than
            English; a number of rounds that is not told, where the description tells it. Missing files
            are listed, a line for each.
        """
        game = check_table(plan, self.name)
        if game.name not in FOLDERS:
            raise PromptError(f"prompts {self.name}: no templates for {shorten(game.name)}")
        if plan.language != "en":
            raise PromptError(f"prompts {self.name}: language {shorten(plan.language)!r}, expected en")
        if plan.horizon().announced_rounds is None and bench_game(game.name).words.length_known:
            raise PromptError(
                f"prompts {self.name}: the description tells the number of rounds; it is hidden"
            )
        self.check_files([plan])
        for template in INPUTS[game.name]:
            self._parts(game.name, template, version_of(plan))
        for seat in plan.seats:
            if seat.kind == "model":
                self._role(seat)
                self._thinking(seat)

    def check_files(self, plans: Iterable[GamePlan]) -> None:
        """Refuse where a file is missing that one of the plans needs.

        Raises
        ------
        PromptError
            A line for each of them.
        """
        files = dict.fromkeys(file for plan in plans for file in _files_of(plan))
        missing = [f"{folder}/{name}.txt" for folder, name in files if name not in self.files.get(folder, {})]
        if missing:
            what = f"{len(missing)} of {len(files)} files are missing"
            error = PromptError(f"prompts {self.name}: {what}: {shorten(', '.join(missing), 200)}")
            error.details = tuple(f"prompts {self.name}: {file} is missing" for file in missing)
            raise error

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The conversation up to the request.

        Raises
        ------
        PromptError
            As for `check`, or a request of another architecture.
        """
        game = view.game
        check_choice(self.name, phase, inside)
        assert isinstance(game, CourseGame)
        seat = plan.seats[view.seat - 1]
        names = [each.name for each in plan.seats]
        version = version_of(plan)
        rules = _rule_values(game, view.seat, names)
        rules |= {"rounds": view.horizon, "role": self._role(seat)}
        described = self._fill(game.name, "description", version, rules)[0]
        system = "\n\n".join(text for text in (described, self._treatment(view, plan)) if text)
        past: list[Message] = []
        first = 0 if plan.memory is None else max(0, view.round - 1 - plan.memory)
        for index in range(first, view.round - 1):
            if (facts := view.reports[index]) is not None:
                values = {**_past_values(game, view.seat, names, facts), "round": index + 1}
                parts = self._fill(game.name, _templates(game).report_name(view.seat, facts), version, values)
                roles: Sequence[Any] = ("user", "assistant", "user")
                past += [Message(role, text) for role, text in zip(roles, parts, strict=False)]
        if self.upstream_window and plan.memory is None:
            past = past[max(0, view.round - 1 - _templates(game).window) :]
        values_of_request = _asked_values(game, view.seat, names, view.question)
        values_of_request |= {"round": view.round, "format": self._format(view, seat, version)}
        request = self._fill(
            game.name, _templates(game).request_name(view.question), version, values_of_request
        )[0]
        return (Message("system", system), *past, Message("user", request))

    def answer_form(self, view: View, plan: GamePlan) -> str:
        """The JSON object that the seat is asked for."""
        game, seat = view.game, plan.seats[view.seat - 1]
        assert isinstance(game, CourseGame)
        return _format_object(game, view.seat, view.question, seat.architecture == "chain_of_thought")

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase in our words."""
        return gamma_prompts().say(phrase, plan.model_copy(update={"language": "en"}), **values)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read, in our words."""
        return gamma_prompts().remind("en", labels, parser)

    def to_json(self) -> str:
        """All templates."""
        table = {
            "format": FORMAT,
            "kind": KIND,
            "name": self.name,
            "files": {folder: dict(texts) for folder, texts in self.files.items()},
            "upstream_window": self.upstream_window,
        }
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _text(self, folder: str, name: str) -> str:
        texts = self.files.get(folder, {})
        if name not in texts:
            known = [f"{each}/{stem}.txt" for each, stems in self.files.items() for stem in stems]
            raise PromptError(
                f"prompts {self.name}: {UnknownNameError('template', f'{folder}/{name}.txt', known)}"
            )
        return texts[name]

    def _parts(self, game: str, template: str, version: str) -> list[str]:
        where = f"{FOLDERS[game]}/{template}_{version}"
        parts = _parts_of(self._text(FOLDERS[game], f"{template}_{version}"), f"{where}.txt")
        n_parts = bench_game(game).templates.parts(template)
        if len(parts) != n_parts:
            expected = f"{n_parts} with <part>///</part> between" if n_parts > 1 else "1"
            raise PromptError(f"{where}.txt: {len(parts)} parts, expected {expected}")
        if any("!<INPUT" in _INPUT.sub("", part) for part in parts):
            raise PromptError(f"{where}.txt: !<INPUT without a number, expected !<INPUT 0>!")
        for number in {int(n) for part in parts for n in _INPUT.findall(part)}:
            if number >= len(INPUTS[game][template]):
                facts = ", ".join(f"{i} {name}" for i, name in enumerate(INPUTS[game][template]))
                raise PromptError(f"{where}.txt: !<INPUT {number}>!, expected one of {facts}")
        return parts

    def _fill(self, game: str, template: str, version: str, values: Mapping[str, object]) -> list[str]:
        inputs = INPUTS[game][template]
        parts = self._parts(game, template, version)

        def value(match: re.Match[str]) -> str:
            name = inputs[int(match[1])]
            return mark(name, str(values[name]))

        return [mark(template, _INPUT.sub(value, part).strip()) for part in parts]

    def _treatment(self, view: View, plan: GamePlan) -> str:
        """What is told of the others, empty where nothing is."""
        name = str(plan.seats[view.seat - 1].options.get("told") or "")
        if name in self.files.get(_TOLD, {}):
            return _parts_of(self._text(_TOLD, name), f"{_TOLD}/{name}.txt")[0]
        return gamma_prompts().treatment(view, plan.model_copy(update={"language": "en"})) if name else ""

    def _role(self, seat: SeatPlan) -> str:
        """The text at the top of the description."""
        if seat.persona_text is not None:
            return seat.persona_text
        if not seat.persona or seat.persona == "None":
            return ""
        role = _ROLE.get(seat.persona.casefold())
        return _parts_of(self._text(_ROLES, role), f"{_ROLES}/{role}.txt")[0] if role else seat.persona

    def _thinking(self, seat: SeatPlan) -> str:
        """The chain-of-thought phrase, empty without one."""
        if seat.architecture != "chain_of_thought":
            return ""
        name = f"cot{seat.options.get('phrase', 1)}"
        return _parts_of(self._text(_COT, name), f"{_COT}/{name}.txt")[0]

    def _format(self, view: View, seat: SeatPlan, version: str) -> str:
        """The sentence that asks for the object."""
        game = view.game
        assert isinstance(game, CourseGame)
        thinking = self._thinking(seat)
        form = _format_object(game, view.seat, view.question, bool(thinking))
        name = f"format{'_cot' if thinking else ''}_{version}"
        text = self.files.get(FOLDERS[game.name], {}).get(name)
        if text is None:
            sentence = gamma_prompts().wordings["en"].phrase("answer", answer=form)
        else:
            sentence = _INPUT.sub(lambda _: form, _parts_of(text, f"{FOLDERS[game.name]}/{name}.txt")[0])
        return f"{thinking} {sentence}".strip()


def _files_of(plan: GamePlan) -> Iterator[tuple[str, str]]:
    """Folder and name of every template that a plan's prompts are made of."""
    game = plan.stage().name
    for template in INPUTS[game]:
        yield FOLDERS[game], f"{template}_{version_of(plan)}"
    for seat in plan.seats:
        if seat.kind != "model":
            continue
        role = _ROLE.get((seat.persona or "").casefold())
        if role and seat.persona_text is None:
            yield _ROLES, role
        if seat.architecture == "chain_of_thought":
            yield _COT, f"cot{seat.options.get('phrase', 1)}"


def _parts_of(text: str, where: str) -> list[str]:
    """The parts of a template below its comment."""
    pieces = text.split(_MARK)
    if len(pieces) != 2 or not pieces[1].strip():
        problem = "nothing below it" if len(pieces) == 2 else f"{len(pieces) - 1} of them"
        raise PromptError(f"{where}: {problem}, expected a text below one line {_MARK}")
    return [part.strip() for part in pieces[1].split(_PART)]


MOST_FILES = 2_000


def _is_gama_folder(folder: str | Path) -> bool:
    """Whether there is a folder of one of the games, with a description in it."""
    return any(any((Path(folder) / name).glob("description_*.txt")) for name in FOLDERS.values())


def read_gama_templates(folder: str | Path, *, upstream_window: bool = False) -> GamaTemplates:
    """The templates below a folder: ``guessing_game/description_v1.txt``, ``cot_prompts/cot1.txt``, ….

    Other folders and files are left alone. A template that a plan needs and that is missing or odd is
    reported by `GamaTemplates.check`.

    Parameters
    ----------
    folder : str or Path
        ``prompt_template`` of GAMA-Bench.
    upstream_window : bool
        See `GamaTemplates`.

    Raises
    ------
    PromptError
        No such folder, none of the games' folders in it, too many files, or one that is too large, no text,
        or a link that leads out of the folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise PromptError(f"no such folder of templates: {root}")
    paths = [
        path
        for name in (*FOLDERS.values(), _COT, _ROLES, _TOLD)
        for path in sorted((root / name).glob("*.txt"))
    ]
    if not paths:
        expected = f"{next(iter(FOLDERS.values()))}/description_v1.txt"
        raise PromptError(f"{root}: no templates of GAMA-Bench, expected files such as {expected}")
    if len(paths) > MOST_FILES:
        raise PromptError(f"{root}: {len(paths):,} templates, expected at most {MOST_FILES:,}")
    files: dict[str, dict[str, str]] = {}
    for path in paths:
        files.setdefault(path.parent.name, {})[path.stem] = _text(path, root)
    return GamaTemplates(root.resolve().name or "gama", files, upstream_window=upstream_window)


def _text(path: Path, root: Path) -> str:
    if root.resolve() not in path.resolve().parents:
        raise PromptError(located(path, "a link that leads out of the folder, expected a file in it"))
    if not path.is_file():
        raise PromptError(located(path, "no file, expected text"))
    try:
        text = file_text(path, 4 * MOST_CHARACTERS)
    except DataError as error:
        raise PromptError(str(error)) from None
    if len(text) > MOST_CHARACTERS or "\0" in text:
        raise PromptError(located(path, f"{len(text):,} characters or binary data, expected text"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _holds_pieces(stem: str, text: str) -> bool:
    """Whether a file holds pieces of ours, and not a prompt of a matrix game or its phrases."""
    if not is_stem(stem):
        return False
    tags = block_tags(text)
    if stem == PHRASES_FILE:
        tags = tuple(tag for tag in tags if tag not in MATRIX_PHRASES and not tag.startswith(PERSONA))
    return any(base_piece(stem, tag) for tag in tags)


def _gamma_from_folder(texts: Mapping[tuple[str, str], str], name: str) -> GammaPrompts:
    """A user's files over ours."""
    wordings = dict(our_gamma_wordings())
    theirs: dict[str, dict[str, dict[str, str]]] = {}
    for (stem, code), text in texts.items():
        where = f"{stem}_{code}"
        if not is_stem(stem):
            raise PromptError(f"{where}: {UnknownNameError('file of gamma-bench texts', stem, STEMS)}")
        theirs.setdefault(canonical_language(code), {})[stem] = parse_pieces(text, stem, where)
    for language, pieces in theirs.items():
        wording = GammaWording(language, pieces)
        wordings[language] = wording.over(wordings[language]) if language in wordings else wording
    return GammaPrompts(name, wordings)


def _gamma_from_saved(table: Mapping[str, Any]) -> GammaPrompts:
    """The prompts of a table that `GammaPrompts.to_json` wrote."""
    wordings = {}
    for language, stems in table["languages"].items():
        pieces = {}
        for stem, texts in stems.items():
            if not is_stem(stem):
                raise PromptError(f"saved prompts: {UnknownNameError('file', stem, STEMS)}")
            where = f"{stem}_{language}"
            text = "\n".join(f"{{{tag}}}: [{piece}]" for tag, piece in texts.items())
            pieces[stem] = parse_pieces(text, stem, where)
        wordings[str(language)] = GammaWording(str(language), pieces)
    return GammaPrompts(str(table["name"]), wordings)


def _gama_from_saved(table: Mapping[str, Any]) -> GamaTemplates:
    """The templates of a table that `GamaTemplates.to_json` wrote."""
    files = {str(folder): dict(texts) for folder, texts in table["files"].items()}
    if not all(isinstance(text, str) for texts in files.values() for text in texts.values()):
        raise TypeError("a text that is none")
    return GamaTemplates(str(table["name"]), files, upstream_window=bool(table["upstream_window"]))


def gamma_source(source: str | Path) -> PromptSet:
    """Prompts of the gamma-bench games by name or folder, whatever the files of the folder look like.

    Parameters
    ----------
    source : ``"gamma"`` for ours; a folder of GAMA-Bench's templates, or with pieces of ours

    Raises
    ------
    PromptError
        No such folder, or a file in it that is no template; says where.
    """
    if source == "gamma":
        return gamma_prompts()
    folder = Path(source)
    if _is_gama_folder(folder):
        return read_gama_templates(folder)
    return _gamma_from_folder(read_folder(folder), folder.resolve().name or "prompts")


def _gama_folder(folder: Path) -> PromptSet | None:
    return read_gama_templates(folder) if _is_gama_folder(folder) else None


def _gamma_texts(texts: dict[tuple[str, str], str], name: str) -> PromptSet | None:
    ours = any(_holds_pieces(stem, text) for (stem, _), text in texts.items())
    return _gamma_from_folder(texts, name) if ours else None


GAMMA = PromptKind(_gamma_from_saved, texts=_gamma_texts)
GAMA = PromptKind(_gama_from_saved, folder=_gama_folder)
