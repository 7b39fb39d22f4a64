"""The door to prompts: ours by name, a user's wording or folder by its path, saved ones by their JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.fairgame import KIND as FAIRGAME_KIND
from intent.agents.prompts.fairgame import (
    FairgamePrompts,
    as_weight,
    fairgame_prompts,
    is_fairgame,
    weights_of,
)
from intent.agents.prompts.prompt_set import (
    FORMAT,
    NOTHING,
    Inside,
    Phase,
    PromptKind,
    PromptSet,
    Role,
    check_names,
    facts,
    first_views,
    history,
    json_options,
    messages_text,
    spoken,
)
from intent.agents.prompts.wording import (
    ASSISTANT,
    CONDITIONS,
    DECIDER,
    DROPPED,
    FRAMINGS,
    MATRIX,
    PHRASES_FILE,
    PLAIN_PHRASES,
    POOL,
    QUESTIONS,
    SYSTEM_END,
    TEMPLATES,
    TemplateFile,
    Wording,
    block_tags,
    canonical_language,
    check_template,
    fill,
    framings,
    in_language,
    is_marking,
    our_wordings,
    parse_phrases,
    read_folder,
    resolve_blocks,
    tidy,
)
from intent.base.errors import PromptError, UnknownNameError, located, nearest, shorten
from intent.base.files import json_value
from intent.base.registry import load, point, points
from intent.games.game import PublicGoods
from intent.play.match import View

__all__ = [
    "COURSE_PROMPTS",
    "ENTRY_POINTS",
    "KINDS",
    "PHRASES_OF",
    "REQUESTS_OF",
    "FairgamePrompts",
    "Need",
    "OwnPrompts",
    "PromptSet",
    "fairgame_prompts",
    "load_prompts",
    "needs",
    "own_prompts",
    "prompts_from_json",
    "weights_of",
]


KIND = "intent"

ENTRY_POINTS = "intent.prompts"
"""Group of entry points of further prompts by name: a function that makes the `PromptSet`."""

KINDS = "intent.prompt_kinds"
"""Group of entry points of further kinds of prompts: a `PromptKind` each."""

COURSE_PROMPTS = "gamma"
"""Name of the prompts in which a human reads a game with a course where the run has none."""


_VALUES = (
    *("thought_option", "tool_protocol", "question", "answer_form", "advised"),
    *("beliefs", "expected_option", "chance"),
)


@dataclass(frozen=True)
class Need:
    """One prompt that an architecture will ask for.

    Parameters
    ----------
    phase : {"message", "choose"}
    inside : with stand-ins for values
    """

    phase: Phase
    inside: Inside

    @property
    def blocks(self) -> frozenset[str]:
        """Blocks without which the prompt would not say what it has to: the request, and what is advised
        or told."""
        advice = ("informed", "tool_basis")
        named = {tag for tag in self.inside.blocks if tag.startswith("advise") or tag in advice}
        return frozenset(named | ({self.inside.request} if self.inside.request else set()))


REQUESTS_OF: dict[str, dict[str, tuple[str, ...]]] = {
    "chain_of_thought": {"together": ("choose_reasoned",), "apart": ("think",)},
    "tool": {"native": ("choose_tool",), "prompted": ("choose_tool_prompted",)},
    "debate": {"decider": ("debate", "debate_decide"), "assistant": ("debate",)},
    "private": {"together": ("deliberate",), "apart": ("think_option", "think_deceive", "write_public")},
    "public": {"together": ("explain",), "apart": ("write_public",)},
    "informed": {"told": ("",)},
}
"""Architecture -> way of working -> requests of its choices (`Inside.request`); an empty one is that of every
player."""

PHRASES_OF: dict[str, tuple[str, ...]] = {
    "chain_of_thought": ("decide_now", "remind_decision"),
    "tool": (
        *("tool_description_fixed", "tool_description_nash", "tool_result", "tool_error", "tool_refused"),
        *("argument_temptation", "argument_reward", "argument_punishment", "argument_sucker"),
        *("tool_protocol", "decide_now", "remind_decision"),
    ),
    "debate": (
        *("outcome_assistant_self_first", "outcome_assistant_other_first"),
        *("decide_now", "remind_decision"),
    ),
    "private": ("own_thought", "decide_now", "remind_decision"),
    "public": ("decide_now", "remind_decision"),
    "informed": ("belief",),
}
"""Architecture -> phrases beside those of every prompt."""

_BLOCKS = frozenset({"chain_of_thought", "tool", "private", "public", "informed"})
"""Architectures with a block of their name."""


def needs(plan: GamePlan, seat: SeatPlan) -> tuple[Need, ...]:
    """All prompts that the seat's architecture may ask for, beside those of every player.

    Where the architecture finds out by itself how it works (``auto``), both ways count, except that a
    constrained model always works in stages.
    """
    ways = REQUESTS_OF.get(seat.architecture)
    if ways is None:
        return tuple(_question(plan, seat)) if plan.questions else ()
    prompts = []
    for way, requests in ways.items():
        if _can(way, seat):
            prompts += [_need("choose", seat, way, _variant(plan, seat, request)) for request in requests]
    if plan.communication != "none" and seat.architecture == "private":
        prompts.append(_need("message", seat, "together", "communicate_private"))
    if plan.communication != "none" and seat.architecture == "debate":
        prompts.append(_need("message", seat, "decider", "communicate"))
    return (*prompts, *_question(plan, seat)) if plan.questions else tuple(prompts)


def _variant(plan: GamePlan, seat: SeatPlan, request: str) -> str:
    """The request as the plan and the seat's options word it: for JSON alone, or for an announced choice."""
    if plan.reply.parser == "json" and f"{request}_json" in CONDITIONS:
        return f"{request}_json"
    if seat.options.get("decision") == "announced" and f"{request}_announced" in CONDITIONS:
        return f"{request}_announced"
    return request


def asks_plainly(plan: GamePlan, seat: SeatPlan, phase: Phase) -> bool:
    """Whether the seat reads the request of every player: for a choice, or a message, and nothing else.

    Strategies read nothing. The other architectures ask for a bare choice by a phrase, except that those
    which deliberate use the block once they have written a message.
    """
    if seat.kind != "model":
        return seat.kind == "human"
    if phase == "message":
        return seat.architecture not in ("private", "debate")
    own = set(REQUESTS_OF) - {"informed"} - ({"private", "public"} if plan.communication != "none" else set())
    return seat.architecture not in own


def needed_phrases(plan: GamePlan, seat: SeatPlan) -> tuple[str, ...]:
    """Phrases that the seat's architecture, the plan's questions and its totals need."""
    phrases = list(PHRASES_OF.get(seat.architecture, ()))
    if seat.architecture == "tool" and seat.options.get("advice") == "basis":
        phrases.append("tool_result_basis")
    if seat.architecture in ("private", "public") and seat.options.get("decision") == "announced":
        phrases.append("remind_announced")
    json = "_json" if plan.reply.parser == "json" else ""
    if plan.totals == "all":
        phrases.append("total_all")
    if plan.questions:
        phrases += [f"question_{name}" for name in plan.questions] + [f"answer_form{json}"]
    if "extremes" in plan.questions:
        phrases.append(f"answer_form_extremes{json}")
    return tuple(phrases)


def _question(plan: GamePlan, seat: SeatPlan) -> list[Need]:
    if seat.architecture != "debate":
        return [_need("choose", seat, "", _variant(plan, seat, "question"))]
    of_decider = [
        _need("choose", seat, "decider", request) for request in ("debate_question", "debate_answer")
    ]
    return [*of_decider, _need("choose", seat, "assistant", "debate_question")]


def _need(phase: Phase, seat: SeatPlan, way: str, request: str) -> Need:
    blocks = {seat.architecture} & _BLOCKS
    if "tool" in blocks and seat.options.get("advice") == "basis":
        blocks = {"tool_basis"}
    if way == "decider" and seat.options.get("options_told") is False:
        blocks.add("options_untold")
    if way == "assistant":
        blocks.add("advise_compute" if seat.attitude in (None, "compute") else "advise")
    role: Role = "decider" if way == "decider" else "assistant" if way == "assistant" else "player"
    return Need(phase, Inside(role, request or None, frozenset(blocks), values=dict.fromkeys(_VALUES, "…")))


def _can(way: str, seat: SeatPlan) -> bool:
    """Whether the seat's options leave this way of working open."""
    stages, protocol = seat.options.get("stages", "auto"), seat.options.get("protocol", "auto")
    if way in ("together", "apart"):
        if stages == "auto":
            return way == "apart" if seat.settings.constrained else way == "together"
        return bool(stages == way)
    if way in ("native", "prompted"):
        return protocol in ("auto", way)
    return True


@dataclass(frozen=True)
class OwnPrompts:
    """Prompts from one template per kind of game and role, and a list of phrases, per language.

    What never changes in a game stands first, then the past, the round and the request, so that
    endpoints which cache the beginning of a prompt can. All of it is one message of the user, or two
    messages where a line ``===`` in the template ends the system's.

    Parameters
    ----------
    wordings : mapping from language to Wording
    """

    name: str
    wordings: Mapping[str, Wording]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages."""
        return tuple(self.wordings)

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that could not be put into words.

        Raises
        ------
        PromptError
            No such language, game or framing; a phrase is missing; no request for what the game or
            an architecture of a seat will ask; a first-listed action that the game lacks; players of
            the same name; a framing without words for the direction of the payoffs.
        """
        check_names(plan)
        wording = self._wording(plan.language)
        models = [seat for seat in plan.seats if seat.kind == "model"]
        phrases = [name for seat in models for name in needed_phrases(plan, seat)]
        missing = [name for name in dict.fromkeys([*PLAIN_PHRASES, *phrases]) if name not in wording.phrases]
        if missing:
            raise PromptError(f"phrases_{wording.language}: no {', '.join(missing)}; expected all phrases")
        phases: list[Phase] = ["choose"] if plan.communication == "none" else ["message", "choose"]
        for view in first_views(plan):
            seat = plan.seats[view.seat - 1]
            for phase in phases:
                if plan.implementation_error and (not models or seat in models):
                    self._check_errors_mentioned(view, plan, seat)
                if not models or asks_plainly(plan, seat, phase):
                    self._check_need(view, plan, Need(phase, Inside(request=_request(plan, phase))))
            if seat in models:
                for need in needs(plan, seat):
                    self._check_need(view, plan, need)

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The messages that ask the view's seat for its message, its choice, or what `inside` requests."""
        wording = self._wording(plan.language).framed(plan.framing)
        where, text = self._template(view, plan, wording, inside.role)
        tags = block_tags(text)
        request = _in_place(inside.request or _request(plan, phase), tags)
        if inside.request and request not in tags:
            raise PromptError(f"{where}: no block {{{inside.request}}}, which is asked for")
        values = {**inside.values, **facts(view, plan, wording, inside.role)}
        values["history"] = history(view, plan, wording, inside)
        if messages := messages_text(view, plan, wording, inside):
            values["messages"] = messages
        blocks = _tags(values, view, plan, request) | {_in_place(tag, tags) for tag in inside.blocks}
        if "options_untold" not in blocks:
            blocks |= {"options_told"}
        chosen = {variant if (variant := f"{tag}_{plan.framing}") in tags else tag for tag in blocks}
        return _messages(_resolved(text, frozenset(chosen), is_marking()), values, where)

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase of the plan's language and framing."""
        return spoken(self._wording(plan.language).framed(plan.framing), phrase, plan, values)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read."""
        wording = self._wording(language)
        if parser == "json":
            return wording.say("remind_json", json_options=json_options(tuple(labels), wording))
        return wording.say("remind", options=wording.say("or").join(labels))

    def to_json(self) -> str:
        """All texts of all languages."""
        texts = {
            language: {"templates": dict(wording.templates), "phrases": dict(wording.phrases)}
            for language, wording in self.wordings.items()
        }
        table = {"format": FORMAT, "kind": KIND, "name": self.name, "languages": texts}
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _wording(self, language: str) -> Wording:
        return in_language(language, self.wordings, self.name)

    def _check_need(self, view: View, plan: GamePlan, need: Need) -> None:
        """Refuse where the template lacks a block, or the prompt cannot be rendered."""
        where, text = self._template(view, plan, self._wording(plan.language), need.inside.role)
        tags = block_tags(text)
        blocks = {_in_place(tag, tags) for tag in need.blocks} | _facts_of_plan(plan, need)
        lacking = sorted(blocks.difference(tags))
        if lacking:
            raise PromptError(f"{where}: no block {{{lacking[0]}}}, expected one to {_purpose(lacking[0])}")
        self.render(view, plan, need.phase, need.inside)

    def _check_errors_mentioned(self, view: View, plan: GamePlan, seat: SeatPlan) -> None:
        """Refuse a template that would keep implementation errors from those who play with them."""
        inside = needs(plan, seat) if seat.kind == "model" else ()
        roles: set[Role] = {"player", *(need.inside.role for need in inside)}
        for role in sorted(roles - {"assistant"}):
            where, text = self._template(view, plan, self._wording(plan.language), role)
            if "errors" not in block_tags(text):
                raise PromptError(f"{where}: no block {{errors}}, expected one to tell implementation_error")

    def _template(self, view: View, plan: GamePlan, wording: Wording, role: Role) -> tuple[str, str]:
        """Name and text of the role's template: the game's own, else that of its kind."""
        by_game = re.sub(r"[^a-z0-9]+", "_", plan.game.casefold()).strip("_")
        by_kind = POOL if isinstance(view.game, PublicGoods) else MATRIX
        stems = {
            "player": (by_game, by_kind),
            "decider": (f"{DECIDER}_{by_game}", DECIDER),
            "assistant": (f"{ASSISTANT}{by_game}", f"{ASSISTANT}{by_kind}"),
        }[role]
        stem = next((s for s in stems if s in wording.templates), None)
        if stem is None:
            raise PromptError(
                f"prompts {self.name}: no {stems[-1]}_{wording.language}.txt, needed for {shorten(plan.game)}"
            )
        where, text = f"{stem}_{wording.language}", wording.templates[stem]
        known = framings(text)
        if plan.framing not in known and plan.framing != "plain":
            remedy = f"; expected a block {{{plan.framing}}}: [text], or the framing plain"
            unknown = UnknownNameError("framing", plan.framing, known)
            raise PromptError(f"{where}: {unknown}{'' if known else remedy}")
        kinds = [kind for kind in ("reward", "penalty") if f"{kind}_{plan.framing}" in block_tags(text)]
        if kinds and view.game.kind not in kinds:
            raise PromptError(
                f"{where}: framing {plan.framing!r} has words for payoffs that are a {kinds[0]}, "
                f"{shorten(plan.game)} pays a {view.game.kind}"
            )
        return where, text


def own_prompts() -> OwnPrompts:
    """The prompts that come with the package."""
    return OwnPrompts("intent", our_wordings())


def _request(plan: GamePlan, phase: Phase) -> str:
    if phase == "message":
        return "communicate"
    return "choose_json" if plan.reply.parser == "json" else "choose"


def _purpose(request: str) -> str:
    """What a block is for, in the message about its absence."""
    purposes = {
        "communicate": "ask for a message",
        "choose": "ask for a choice",
        "choose_json": "ask for a choice, since reply.parser is json",
        "choose_tool": "ask with native calls (options: {tool: {protocol: prompted}} does without)",
        "choose_tool_prompted": "ask with written calls (options: {tool: {protocol: native}} does without)",
    }
    return purposes.get(request) or f"be kept where {CONDITIONS.get(request, 'the architecture asks for it')}"


_REFLECTED = frozenset(
    {
        *("choose", "choose_json", "choose_tool", "choose_tool_json", "choose_tool_prompted"),
        *("choose_tool_prompted_json", "question", "question_json"),
    }
)
"""Requests before which `GamePlan.reflect` asks to think; others ask for thoughts themselves, or debate."""


def _facts_of_plan(plan: GamePlan, need: Need) -> set[str]:
    """Blocks without which the plan's settings of what is told would go unheard."""
    blocks = set()
    if plan.goal == "rival":
        blocks.add(f"rival_{plan.payoff_kind}")
    if plan.title is not None and need.inside.role == "player":
        blocks.add("titled")
    return blocks


_BASES = {"tool_basis": "tool"} | {
    tag: base
    for tag in CONDITIONS
    for base in (tag.removesuffix("_json"), tag.removesuffix("_announced"))
    if base != tag and base != "choose"
}
"""Block -> the one that stands for it where a template has not both: its words then say the difference."""


def _in_place(tag: str, tags: Collection[str]) -> str:
    """The tag, or the one that the template has in its place."""
    base = _BASES.get(tag, tag)
    return base if tag not in tags and base in tags else tag


def _tags(values: Mapping[str, object], view: View, plan: GamePlan, request: str) -> set[str]:
    """The blocks that this prompt keeps."""
    tags = {plan.framing, view.game.kind, plan.communication, request}
    if request not in QUESTIONS and plan.round_told:
        tags.add("now")
    if plan.goal == "rival":
        tags.add(f"rival_{view.game.kind}")
    if plan.reflect and request in _REFLECTED:
        tags.add("reflect")
    if plan.rules_in == "system":
        tags.add("in_system")
    if view.round > 1:
        tags.add("past")
    needed = {
        "persona": "own_persona",
        "titled": "title",
        "told": "hints",
        "known": "rounds",
        "random": "continuation",
        "errors": "implementation_error",
        "said": "messages",
    }
    return tags | {tag for tag, value in needed.items() if value in values}


@lru_cache(maxsize=4096)
def _resolved(text: str, tags: frozenset[str], marked: bool) -> str:
    """The template with its blocks resolved, `marked` or not; the same for most prompts of a game."""
    return tidy(resolve_blocks(text, tags, DROPPED))


def _messages(text: str, values: Mapping[str, object], where: str) -> tuple[Message, ...]:
    """The text in one message, or in two where a line ends the system's part; split before it is filled."""
    parts = [part.strip() for part in SYSTEM_END.split(text, maxsplit=1)]
    if not parts[-1]:
        raise PromptError(f"{where}: nothing to say to the model, expected a request")
    user = Message("user", fill(parts[-1], values, where))
    if len(parts) == 1 or not parts[0]:
        return (user,)
    return (Message("system", fill(parts[0], values, where)), user)


LARGEST = 32 << 20
"""Characters of a saved prompt set."""


def load_prompts(source: str | Path) -> PromptSet:
    """The prompts of a name or a folder.

    Parameters
    ----------
    source : str or Path
        1. ``"intent"`` for our own, or a name of the group ``intent.prompts``, such as ``"gamma"`` for those
           of the gamma-bench games.
        2. A folder of a kind of the group ``intent.prompt_kinds``, such as GAMA-Bench's templates
           (``guessing_game/description_v1.txt``, …) and pieces for its games (``guessing_en.txt``,
           ``phrases_en.txt``, …).
        3. A folder of FAIRGAME's templates, told by their placeholders.
        4. A folder with another wording of ours (``two_players_en.txt``, ``public_goods_en.txt``,
           ``decider_en.txt``, ``assistant_two_players_en.txt``, ``assistant_public_goods_en.txt``,
           ``phrases_en.txt``, or a game's name as in ``stag_hunt_en.txt``, ``decider_stag_hunt_en.txt``,
           ``assistant_stag_hunt_en.txt``), where what is missing is taken from ours in the same language.

    Raises
    ------
    PromptError
        No such folder, or a file in it that is no template; says where.
    """
    if source == "intent":
        return own_prompts()
    if isinstance(source, str) and (there := point(ENTRY_POINTS, source)) is not None:
        named: PromptSet = load(there)()
        return named
    folder = Path(source)
    kinds: list[PromptKind] = [load(one) for one in points(KINDS).values()]
    for kind in kinds:
        if kind.folder is not None and (prompts := kind.folder(folder)) is not None:
            return prompts
    texts = read_folder(folder)
    name = folder.resolve().name or "prompts"
    for kind in kinds:
        if kind.texts is not None and (prompts := kind.texts(texts, name)) is not None:
            return prompts
    foreign = [key for key, text in texts.items() if is_fairgame(text)]
    if foreign and len(foreign) < len(texts):
        other = next(key for key in texts if key not in foreign)
        raise PromptError(
            f"{folder}: {'_'.join(foreign[0])} is a FAIRGAME template and {'_'.join(other)} is not; "
            "expected one kind in a folder"
        )
    return fairgame_prompts(folder, name=name) if foreign else _worded(texts, name)


def prompts_from_json(text: str) -> PromptSet:
    """The prompts that `PromptSet.to_json` wrote.

    Raises
    ------
    PromptError
        The text is none of them, or of a later version.
    """
    if len(text) > LARGEST:
        raise PromptError(f"saved prompts of {len(text):,} characters, expected at most {LARGEST:,}")
    try:
        table = json_value(text)
        if table["format"] != FORMAT:
            raise PromptError(f"saved prompts of format {shorten(table['format'])}, expected {FORMAT}")
        if table["kind"] == KIND:
            return _own_from(table)
        if table["kind"] == FAIRGAME_KIND:
            return _fairgame_from(table)
        if isinstance(table["kind"], str) and (there := point(KINDS, table["kind"])) is not None:
            kind: PromptKind = load(there)
            return kind.saved(table)
        known = ", ".join((KIND, FAIRGAME_KIND, *points(KINDS)))
        raise PromptError(f"saved prompts of kind {shorten(table['kind'])!r}, expected one of {known}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PromptError(f"saved prompts {shorten(text, 40)!r} cannot be read: {shorten(error)}") from None


def _worded(texts: dict[TemplateFile, str], name: str) -> OwnPrompts:
    """A user's wording over ours."""
    wordings = dict(our_wordings())
    parts: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    stories = [story for (stem, _), text in texts.items() if stem != PHRASES_FILE for story in framings(text)]
    for (stem, code), text in texts.items():
        where = f"{stem}_{code}"
        templates, phrases = parts.setdefault(canonical_language(code), ({}, {}))
        _check_stem(stem, where)
        if stem == PHRASES_FILE:
            phrases.update(parse_phrases(text, where, [*FRAMINGS, *stories]))
        else:
            check_template(text, stem, where)
            templates[stem.casefold().replace("-", "_")] = text
    for language, (templates, phrases) in parts.items():
        theirs = Wording(language, templates, phrases)
        wordings[language] = theirs.over(wordings[language]) if language in wordings else theirs
    return OwnPrompts(name, wordings)


def _check_stem(stem: str, where: str) -> None:
    """Refuse a slip in one of our names, which would otherwise be taken for the name of a game."""
    ours = [PHRASES_FILE, *TEMPLATES]
    if stem not in ours and (near := nearest(stem, ours, n=1, cutoff=0.85)):
        raise PromptError(located(where, f"is no template of ours; did you mean {near[0]}?"))


def _own_from(table: dict[str, Any]) -> OwnPrompts:
    wordings = {}
    for language, parts in table["languages"].items():
        templates, phrases = _texts(parts["templates"]), _texts(parts["phrases"])
        for stem, text in templates.items():
            check_template(text, stem, f"{stem}_{language}")
        wordings[language] = Wording(language, templates, phrases)
    return OwnPrompts(str(table["name"]), wordings)


def _fairgame_from(table: dict[str, Any]) -> FairgamePrompts:
    weights = table["weights"]
    stem = table["stem"]
    return FairgamePrompts(
        str(table["name"]),
        {name: _texts(texts) for name, texts in table["templates"].items()},
        None if stem is None else str(stem),
        None if weights is None else tuple(as_weight(w) for w in weights),
        {language: tuple(str(x) for x in labels) for language, labels in table["strategies"].items()},
    )


def _texts(table: dict[str, Any]) -> dict[str, str]:
    if not all(isinstance(text, str) for text in table.values()):
        raise TypeError("a text that is none")
    return dict(table)
