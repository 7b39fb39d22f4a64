"""From a design to the plans of its games: seats, labels, orders, seeds, and the prompts by name.

And both as the files of a run have them, which name nothing by a path, so that it is moved, and resumed
without these paths:

| named | in the files of a run | in its folder |
|---|---|---|
| player ``scripted/FOLDER`` | ``scripted/fitted:NAME`` | ``models/NAME`` |
| ``prompts: FOLDER`` | ``prompts: NAME`` | ``prompts/NAME.json``, their texts |
| ``after: label: strategies: FILE`` | ``strategies/FILE`` | that file |
| ``after: label: recogniser: FOLDER`` | ``models/NAME`` | that folder |

In memory a player and a file stay paths that are there; NAME is the last part of the path, numbered where two
have it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from intent.agents.client import Settings
from intent.agents.plan import SCRIPTED, TOLD, GamePlan, SeatPlan, name_and_noise, parse_player, saved_folder
from intent.base.errors import DataError, PromptError, UnknownNameError, shorten
from intent.behaviour.personas import pairing, persona_kind
from intent.play.players import FITTED
from intent.recognise.recogniser import is_saved
from intent.runner.experiment.grid import BLOCKS, Cell, Condition, Design, cells, named_prompts
from intent.strategies.sets import is_set_file

if TYPE_CHECKING:
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.games.game import MatrixGame, PublicGoods


__all__ = [
    "MODEL",
    "Copies",
    "copies_of",
    "design_prompts",
    "loaded_prompts",
    "make_plans",
    "placed",
    "placed_plan",
    "prompt_names",
    "prompt_sets",
    "relabelled",
]


MODEL = "model"
"""Stands in a list of players for the model of the condition."""


def seat_plans(design: Design, condition: Condition, n_players: int) -> tuple[SeatPlan, ...]:
    """The seats of a condition."""
    players = _players(design, condition, n_players)
    personas = _personas(design, condition, players)
    chances = _by_seat(
        condition.opponent_persona_probability, n_players, "opponent_persona_probability", design
    )
    own = design.own
    named = [parse_player(player, own) for player in players]
    kinds = [player.kind for player in named]
    tables = {table["name"]: table for table in design.strategies}
    attitudes = [
        None if kind == "scripted" else attitude
        for kind, attitude in zip(
            kinds, _by_seat(condition.attitude, n_players, "attitude", design), strict=True
        )
    ]
    inner = _architectures(design, condition, kinds)
    default = tuple(f"agent{seat}" for seat in range(1, n_players + 1))
    names = _by_seat(condition.names or default, n_players, "names", design)
    if len(set(names)) < n_players:
        raise DataError(f"{design.name}: names {shorten(', '.join(names))}, expected different ones")
    return tuple(
        SeatPlan(
            player=player,
            name=name,
            persona=persona,
            persona_text=_wording(design, persona, condition.language),
            opponent_persona_probability=chance,
            others=condition.others if n_players > 2 and kind == "scripted" else None,
            architecture=architecture,
            options=dict(options),
            attitude=attitude,
            settings=_settings(design, condition, player),
            table=tables.get(who.name) if kind == "scripted" else None,
        )
        for player, who, kind, name, persona, chance, attitude, (architecture, options) in zip(
            players, named, kinds, names, personas, chances, attitudes, inner, strict=True
        )
    )


def _architectures(
    design: Design, condition: Condition, kinds: Sequence[str]
) -> list[tuple[str, Mapping[str, Any]]]:
    """By seat, the architecture of a language model and its options; strategies and humans have none."""
    named = _by_seat(condition.architecture, len(kinds), "architecture", design)
    options = _options(design, condition, named)
    seats = zip(kinds, named, options, strict=True)
    return [(name, own) if kind == "model" else ("plain", {}) for kind, name, own in seats]


def _options(
    design: Design, condition: Condition, architectures: tuple[str, ...]
) -> tuple[Mapping[str, Any], ...]:
    """By seat, those of its architecture; the architecture says which there are."""
    options = condition.options
    if isinstance(options, dict):
        from intent.agents.agent import architecture

        for name in options:
            try:
                architecture(name)
            except UnknownNameError as error:
                raise DataError(
                    f"{design.name}: options: {error}; expected options by architecture, "
                    "such as {debate: {…}}"
                ) from None
        return tuple(options.get(name, {}) for name in architectures)
    listed = _by_seat(options, len(architectures), "options", design)
    return tuple(own or {} for own in listed)


def _players(design: Design, condition: Condition, n_players: int) -> tuple[str, ...]:
    listed = condition.players
    if listed is None:
        rest = MODEL if condition.opponent is None else condition.opponent
        listed = (MODEL, *(rest,) * (n_players - 1))
    if len(listed) != n_players:
        raise DataError(
            f"{design.name}: players {shorten(', '.join(listed))}, expected {n_players} "
            f"for {condition.game.name}"
        )
    if MODEL in listed and not condition.model:
        raise DataError(f"{design.name}: no model; give `model:` in the file or -m on the command line")
    return tuple(condition.model or "" if player == MODEL else player for player in listed)


def _personas(design: Design, condition: Condition, players: tuple[str, ...]) -> tuple[Any, ...]:
    """By seat; one for all is for those who read prompts, which strategies do not."""
    personas = condition.personas
    if isinstance(personas, str):
        return tuple(
            None if parse_player(player, design.own).kind == "scripted" else personas for player in players
        )
    return _by_seat(personas, len(players), "personas", design)


def _by_seat(value: Any, n_players: int, key: str, design: Design) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        return (value,) * n_players
    if len(value) != n_players:
        got = shorten(", ".join(map(str, value)))
        raise DataError(f"{design.name}: {key} {got}, expected {n_players} values, or one")
    return value


def _wording(design: Design, persona: str | None, language: str) -> str | None:
    wording = design.persona_texts.get(persona) if persona else None
    if isinstance(wording, dict):
        if language not in wording:
            raise DataError(
                f"{design.name}: persona_texts of {shorten(persona)} has {', '.join(wording)}, "
                f"expected {language} too"
            )
        return wording[language]
    return wording


def _settings(design: Design, condition: Condition, player: str) -> Settings:
    own = design.model_settings.get(player)
    if own is None:
        return condition.settings
    return Settings.model_validate({**condition.settings.model_dump(), **own.model_dump(exclude_unset=True)})


_LATER = (
    ("options",),
    ("questions",),
    ("totals",),
    *((name,) for name in TOLD),
    ("implementation_error",),
    ("game", "cooperate"),
    ("settings", "tool_choice"),
)
"""Keys that the first experiment files did not have: unset, they do not enter, so that an experiment which
uses none of them keeps the seeds, and so the games and cached replies, that it had."""


def game_seed(
    seed: int, condition: Condition, prompts: str, repetition: int, models: Mapping[str, str] | None = None
) -> int:
    """Forty-eight bits that differ with condition and repetition, and follow from them alone.

    Parameters
    ----------
    seed : of the design
    prompts : name of the prompt set, which a run has in place of its folder
    repetition : int, from 1
    models : player -> its name here, of `fitted_names`, optional
    """
    facts = condition.model_dump(mode="json", exclude={"prompts"})
    for path in _LATER:
        _drop(facts, _silent(), path)
    for key in ("model", "opponent"):
        facts[key] = (models or {}).get(facts[key], facts[key])
    if facts["players"] is not None:
        facts["players"] = [(models or {}).get(one, one) for one in facts["players"]]
    text = json.dumps([seed, facts, prompts, repetition], sort_keys=True, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


@cache
def _silent() -> dict[str, Any]:
    """A condition that says nothing."""
    return Condition().model_dump(mode="json")


def _drop(facts: dict[str, Any], unset: dict[str, Any], path: tuple[str, ...]) -> None:
    """Take a key out where it is there and has the value that it has unset."""
    *above, last = path
    for key in above:
        facts, unset = facts[key], unset[key]
    if last in facts and facts[last] == unset[last]:
        del facts[last]


def relabelled(game: MatrixGame | PublicGoods, labels: tuple[str, str]) -> MatrixGame | PublicGoods:
    """The game with its actions called otherwise; one that is declared cooperation remains so.

    Parameters
    ----------
    labels : (str, str)
        In the order of the game's actions.

    Raises
    ------
    GameError
        Labels that are not two different ones.
    """
    from intent.games.game import PublicGoods

    if isinstance(game, PublicGoods):
        return replace(game, actions=labels)
    declared = None if game.cooperate is None else labels[game.actions.index(game.cooperate)]
    return replace(game, actions=labels, cooperate=declared)


def prompt_names(sources: Iterable[str]) -> dict[str, str]:
    """Source of prompts -> a short name that a file can have, different for different sources.

    Examples
    --------
    >>> prompt_names(["intent", "/data/templates", "/mine/templates"])
    {'intent': 'intent', '/data/templates': 'templates', '/mine/templates': 'templates-2'}
    """
    return short_names(sources, "prompts", named_prompts())


def design_prompts(design: Design) -> dict[str, str]:
    """Source of prompts of a design -> its short name."""
    return prompt_names(cell.condition.prompts for cell in cells(design))


def fitted_names(players: Iterable[str]) -> dict[str, str]:
    """Player that a saved model plays -> the name it has wherever its folder lies.

    Seeds are made of these, so that an experiment plays the same games on another machine.
    """
    folders = {player: saved_folder(player) for player in dict.fromkeys(players)}
    names = short_names((folder for folder in folders.values() if folder is not None), "model", ())
    return {
        player: player.replace(folder, names[folder], 1)
        for player, folder in folders.items()
        if folder is not None
    }


def _scripted(condition: Condition) -> list[str]:
    players = (condition.model, condition.opponent, *(condition.players or ()))
    return [player for player in players if player is not None and player.startswith(SCRIPTED)]


def short_names(sources: Iterable[str], unnamed: str, taken: Collection[str]) -> dict[str, str]:
    """Source -> the last part of its path, numbered where another has it or `taken` does."""
    names: dict[str, str] = {}
    for source in dict.fromkeys(sources):
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(source).name).strip("-")[:60] or unnamed
        name, number = stem, 1
        while name in names.values() or (name in taken and source != name):
            number += 1
            name = f"{stem}-{number}"
        names[source] = name
    return names


@dataclass(frozen=True)
class _Order:
    """How one repetition is presented.

    Attributes
    ----------
    swapped : whether the two labels stand for each other's action
    listed_first : label, or None for the game's own order
    """

    swapped: bool
    listed_first: str | None
    named_first: Literal["self", "other"]


def make_plans(design: Design) -> list[GamePlan]:
    """The games of a design, repetition after repetition.

    Each game's seed is a hash of the experiment's seed, the condition and the repetition, so that a grown
    grid leaves the games alone that it had.

    Raises
    ------
    DataError, GameError, UnknownNameError
        A condition that makes no game.
    """
    grid = cells(design)
    names = prompt_names(cell.condition.prompts for cell in grid)
    models = fitted_names(player for cell in grid for player in _scripted(cell.condition))
    scaled = any(cell.condition.scale != 1 for cell in grid)
    columns = [_fixed_columns(design, cell, scaled) for cell in grid]
    plans: list[GamePlan] = []
    for repetition in range(1, design.repetitions + 1):
        for cell, fixed in zip(grid, columns, strict=True):
            game_id = f"g{len(plans) + 1:06d}"
            prompts = names[cell.condition.prompts]
            seed = game_seed(design.seed, cell.condition, prompts, repetition, models)
            plans.append(_plan(design, cell, fixed, repetition, game_id, prompts, seed))
    return plans


def _plan(
    design: Design,
    cell: Cell,
    fixed: dict[str, Any],
    repetition: int,
    game_id: str,
    prompts: str,
    seed: int,
) -> GamePlan:
    condition = cell.condition
    base = _stage(condition)
    order = _order(design, condition, base.actions, repetition)
    labels = base.actions[::-1] if order.swapped else base.actions
    own = condition.game.stage().actions
    meant = {**dict(zip(own, labels, strict=True)), **dict(zip(base.actions, labels, strict=True))}
    reply = condition.reply
    _check_actions(design, condition, base.n_players, meant)
    if reply.default is not None:
        reply = reply.model_copy(update={"default": meant.get(reply.default, reply.default)})
    return GamePlan.of(
        relabelled(base, labels),
        game_id=game_id,
        rounds=condition.rounds,
        horizon_known=condition.horizon == "known",
        continuation=condition.continuation,
        stop=tuple(tuple(meant.get(label, label) for label in joint) for joint in condition.stop),
        implementation_error=condition.implementation_error,
        communication=condition.communication,
        language=condition.language,
        prompts=prompts,
        framing=condition.framing,
        memory=condition.memory,
        totals=condition.totals,
        past=condition.past,
        round_told=condition.round_told,
        count_told=condition.count_told,
        questions=_questions(condition, base.n_players),
        listed_first=order.listed_first,
        outcomes_first=_label(design, "outcomes_first", condition.outcomes_first, labels),
        named_first=order.named_first,
        goal=condition.goal,
        title=condition.title,
        reflect=condition.reflect,
        rules_in=condition.rules_in,
        reply=reply,
        seats=tuple(_advised(seat, meant) for seat in seat_plans(design, condition, base.n_players)),
        repetition=repetition,
        seed=seed,
        columns={**fixed, **_order_columns(design, cell, order, labels, base.actions)},
    )


def _advised(seat: SeatPlan, meant: Mapping[str, str]) -> SeatPlan:
    """The seat, with an attitude that names an action by the label that this has in the game."""
    label = meant.get(seat.attitude or "", seat.attitude)
    return seat if label == seat.attitude else seat.model_copy(update={"attitude": label})


def _check_actions(design: Design, condition: Condition, n: int, known: Mapping[str, str]) -> None:
    """Refuse a default or a stop that no round could ever come to."""
    labels = ", ".join(known)
    reply = condition.reply
    if reply.then == "default" and reply.default not in known:
        got = "no reply.default" if reply.default is None else f"reply.default {shorten(reply.default)!r}"
        raise DataError(f"{design.name}: {got}, but reply.then is default; expected one of {labels}")
    for joint in condition.stop:
        if len(joint) != n or not all(label in known for label in joint):
            raise DataError(
                f"{design.name}: stop {shorten(','.join(joint))!r}, expected {n} actions out of {labels}"
            )


def _stage(condition: Condition) -> MatrixGame | PublicGoods:
    spec = condition.game
    if condition.payoff_kind is not None:
        spec = spec.model_copy(update={"kind": condition.payoff_kind})
    stage = spec.stage(condition.scale)
    labels = condition.labels
    if isinstance(labels, dict):
        if condition.language not in labels:
            raise DataError(f"labels in {', '.join(labels)}, expected {shorten(condition.language)} too")
        labels = labels[condition.language]
    return stage if labels is None else relabelled(stage, labels)


def _questions(condition: Condition, n_players: int) -> tuple[str, ...]:
    """The questions by name; of games of more than two, ``all`` leaves out those about one other player."""
    if not condition.questions:
        return ()
    from intent.behaviour.questions import ABOUT_ONE_OTHER, QUESTIONS, check_questions

    names = check_questions(QUESTIONS if condition.questions == "all" else condition.questions)
    unclear = [name for name in names if name in ABOUT_ONE_OTHER and n_players > 2]
    if unclear and condition.questions != "all":
        expected = ", ".join(name for name in QUESTIONS if name not in ABOUT_ONE_OTHER)
        raise DataError(f"question {unclear[0]} in a game of {n_players} players, expected {expected}")
    return tuple(name for name in names if name not in unclear)


def _order(design: Design, condition: Condition, labels: tuple[str, str], repetition: int) -> _Order:
    """What counterbalancing makes of a repetition: its number from 0, read as binary digits."""
    turned = {what: bool((repetition - 1) >> place & 1) for place, what in enumerate(design.counterbalance)}
    first = _label(design, "listed_first", condition.listed_first, labels)
    if "listed_first" in turned or ("labels" in turned and first is None):
        first = labels[turned.get("listed_first", False)]
    named = condition.named_first
    if "named_first" in turned:
        named = "other" if turned["named_first"] else "self"
    return _Order(turned.get("labels", False), first, named)


def _label(design: Design, key: str, stated: str | None, labels: tuple[str, str]) -> str | None:
    """The label that a key states by itself or by its place in the game's order."""
    if stated is None or stated in labels:
        return stated
    places = {"first": 0, "second": 1}
    if stated not in places:
        expected = f"first, second, {' or '.join(labels)}"
        raise DataError(f"{design.name}: {key} {shorten(stated)!r}, expected {expected}")
    return labels[places[stated]]


def _order_columns(
    design: Design, cell: Cell, order: _Order, labels: tuple[str, str], base: tuple[str, str]
) -> dict[str, Any]:
    """The columns that say how a game was presented, where that varies."""
    varied = {*design.counterbalance, *cell.levels}
    columns: dict[str, Any] = {}
    if "listed_first" in varied:
        columns["listed_first"] = order.listed_first or base[0]
    if "named_first" in varied:
        columns["named_first"] = order.named_first
    if "labels" in varied:
        columns["labels"] = ",".join(labels)
    return columns


def _fixed_columns(design: Design, cell: Cell, scaled: bool) -> dict[str, Any]:
    columns = dict(cell.columns)
    seats = seat_plans(design, cell.condition, cell.condition.game.stage().n_players)
    if any(seat.persona for seat in seats):
        columns.setdefault("pairing", pairing([persona_kind(seat.persona or "neutral") for seat in seats]))
    if scaled:
        columns.setdefault("scale", cell.condition.scale)
    return columns


def prompt_sets(design: Design, plans: Sequence[GamePlan]) -> dict[str, PromptSet]:
    """Name -> prompts, checked against every condition in which a language model plays.

    Raises
    ------
    PromptError
        A folder that holds no prompts, or a condition that has no words.
    """
    names = design_prompts(design)
    readers = [plan for plan in plans if plan.repetition <= _orders(design) and _reads_prompts(plan)]
    return loaded_prompts(names, readers, lambda source, name: _load(design, source, name))


def loaded_prompts(
    names: Mapping[str, str], plans: Sequence[GamePlan], load: Callable[[str, str], PromptSet]
) -> dict[str, PromptSet]:
    """Name -> prompts of those that any plan is asked with, checked against these plans.

    Parameters
    ----------
    names : mapping of source -> name
    plans : those in which somebody reads prompts
    load : from source and name to the prompts

    Raises
    ------
    PromptError
        As `load` and `PromptSet.check` say.
    """
    prompts: dict[str, PromptSet] = {}
    for source, name in names.items():
        mine = [plan for plan in plans if plan.prompts == name]
        if mine:
            prompts[name] = load(source, name)
        for plan in mine:
            prompts[name].check(plan)
    return prompts


def _orders(design: Design) -> int:
    """Repetitions that differ in how they are presented."""
    return int(2 ** len(design.counterbalance))


def _reads_prompts(plan: GamePlan) -> bool:
    return any(seat.kind == "model" for seat in plan.seats)


def _load(design: Design, source: str, name: str) -> PromptSet:
    from intent.agents.prompts.fairgame import FairgamePrompts, fairgame_prompts
    from intent.agents.prompts.sources import load_prompts

    wording = design.fairgame
    if source == "fairgame":
        if wording is None or wording.templates is None:
            raise PromptError(f"{design.name}: prompts fairgame, but the file holds no promptTemplate")
        return fairgame_prompts(
            None, None, wording.weights, wording.strategies, templates=wording.templates, name=name
        )
    prompts = load_prompts(source)
    if wording is None or not isinstance(prompts, FairgamePrompts):
        return prompts
    return fairgame_prompts(source, wording.stem, wording.weights, wording.strategies, name=name)


_MODELS = "models"
_FILES = "strategies"
_KEPT = SCRIPTED + FITTED

T = TypeVar("T")


@dataclass(frozen=True)
class Copies:
    """The names that paths have in the files of a run.

    Parameters
    ----------
    players : player that a saved model plays -> its name
    prompts : folder of prompts -> its name
    files : file or folder that labels are made with -> its place in the folder of the run
    """

    players: Mapping[str, str]
    prompts: Mapping[str, str]
    files: Mapping[str, str]

    def plan(self, plan: GamePlan) -> GamePlan:
        """A plan as the files of a run have it."""
        if not any(seat.player in self.players for seat in plan.seats):
            return plan
        return GamePlan.model_validate(with_names(plan.model_dump(mode="json"), self.players))

    def values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of an experiment as the files of a run have them."""
        named = with_names(dict(values), self.players)
        for key in (_PROMPTS, *BLOCKS):
            if key in named:
                named[key] = _of_prompts(key, named[key], lambda source: self.prompts.get(source, source))
        return _of_labels(named, lambda path: self.files.get(path, path))

    def write(self, folder: Path) -> None:
        """Copy saved models and files into the folder of a run; prompts are written with its facts."""
        for player, name in self.players.items():
            source = saved_folder(player)
            if source is not None:
                _copy(Path(source), folder / _MODELS / _name(name))
        for path, place in self.files.items():
            _copy(Path(path), folder / place)


def _copy(source: Path, target: Path) -> None:
    if target.exists():
        return
    target.parent.mkdir(exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def copies_of(source: Any, plans: Iterable[GamePlan]) -> Copies:
    """What a run of these plans keeps.

    Parameters
    ----------
    source : Experiment, or a source of another `intent.runner.finish.RunKind`
    plans : of its games
    """
    values = source.model_dump(mode="json")
    players = dict.fromkeys(seat.player for plan in plans for seat in plan.seats)
    of_players = fitted_names(player for player in players if player.startswith(SCRIPTED))
    named: list[str] = [*source.prompt_names()]
    for key in (_PROMPTS, *BLOCKS):
        _of_prompts(key, values.get(key), _into(named))
    paths: list[str] = []
    _of_labels(values, _into(paths))
    folders = [path for path in dict.fromkeys(paths) if is_saved(path)]
    of_models = [name_and_noise(name)[0] for name in of_players.values()]
    models = short_names(folders, "model", of_models)
    tables = _file_names(path for path in dict.fromkeys(paths) if is_set_file(path) and Path(path).is_file())
    return Copies(
        {player: _KEPT + name.removeprefix(SCRIPTED) for player, name in of_players.items()},
        prompt_names(named),
        {
            **{path: f"{_MODELS}/{name}" for path, name in models.items()},
            **{path: f"{_FILES}/{name}" for path, name in tables.items()},
        },
    )


def _into(paths: list[str]) -> Callable[[str], str]:
    """What leaves paths as they are, and adds each to a list."""

    def add(path: str) -> str:
        paths.append(path)
        return path

    return add


def _file_names(paths: Iterable[str]) -> dict[str, str]:
    """Path -> the name of its copy, with its suffix."""
    names: dict[str, str] = {}
    for path in paths:
        stem, suffix = Path(path).stem, Path(path).suffix
        name, number = f"{stem}{suffix}", 1
        while name in names.values():
            number += 1
            name = f"{stem}-{number}{suffix}"
        names[path] = name
    return names


_PROMPTS = "prompts"


def _of_prompts(key: str, value: Any, change: Callable[[str], str]) -> Any:
    """A value of an experiment, or of its grid, with the sources of prompts in it changed."""
    if isinstance(value, dict):
        return {name: _of_prompts(name, one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [_of_prompts(key, one, change) for one in value]
    return change(value) if key == _PROMPTS and isinstance(value, str) else value


def _of_labels(values: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The values of an experiment, with the paths changed that labels name strategies and a recogniser by."""
    after = values.get("after")
    label = after.get("label") if isinstance(after, dict) else None
    if not isinstance(after, dict) or not isinstance(label, dict):
        return values
    changed = dict(label)
    if isinstance(label.get("recogniser"), str):
        changed["recogniser"] = change(label["recogniser"])
    names = label.get("strategies")
    if isinstance(names, str):
        changed["strategies"] = ",".join(change(part.strip()) for part in names.split(","))
    elif isinstance(names, list):
        changed["strategies"] = [change(one) if isinstance(one, str) else one for one in names]
    return {**values, "after": {**after, "label": changed}}


def with_names(values: T, names: Mapping[str, str]) -> T:
    """JSON values with other names of players."""
    if isinstance(values, dict):
        return {key: with_names(one, names) for key, one in values.items()}  # type: ignore[return-value]
    if isinstance(values, list):
        return [with_names(one, names) for one in values]  # type: ignore[return-value]
    return names.get(values, values) if isinstance(values, str) else values  # type: ignore[return-value]


def placed(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The values of the experiment of a run, its saved models and files where their copies lie now."""

    def copy(path: str) -> str:
        within, _, name = path.partition("/")
        there = folder / path
        is_copy = within in (_MODELS, _FILES) and Path(name).name == name and not there.is_symlink()
        return str(there.resolve()) if is_copy and there.exists() else path

    return _of_labels(dict(_with_models(values, folder)), copy)


def _with_models(values: Any, folder: Path) -> Any:
    """JSON values of a run, its saved models where their copies lie now."""
    if isinstance(values, dict):
        return {key: _with_models(one, folder) for key, one in values.items()}
    if isinstance(values, list):
        return [_with_models(one, folder) for one in values]
    if not isinstance(values, str) or not values.startswith(_KEPT):
        return values
    name = _name(values)
    copy = folder / _MODELS / name
    if Path(name).name != name or copy.is_symlink() or not copy.is_dir():
        return values
    return f"{SCRIPTED}{copy.resolve()}{values.removeprefix(_KEPT + name)}"


def placed_plan(plan: GamePlan, folder: Path) -> GamePlan:
    """A plan of a run whose saved models can be read."""
    if not any(seat.player.startswith(_KEPT) for seat in plan.seats):
        return plan
    return GamePlan.model_validate(_with_models(plan.model_dump(mode="json"), folder))


def _name(player: str) -> str:
    """The name of the copy, without the noise of the player."""
    return name_and_noise(player)[0].removeprefix(FITTED)
