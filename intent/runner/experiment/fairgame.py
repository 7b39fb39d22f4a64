"""FAIRGAME's configuration files as experiments of ours, accepted as they are.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intent.base.errors import DataError, shorten
from intent.behaviour.personas import english_persona
from intent.games.catalogue import FAIRGAME_KINDS, FAIRGAME_TABLES, canonical_name

__all__ = ["Agents", "agents_of", "from_fairgame"]


NO_PERSONA = "None"
"""The word that FAIRGAME takes for no persona."""


@dataclass(frozen=True)
class Agents:
    """What the key ``agents`` says.

    Attributes
    ----------
    names : by position
    texts : persona -> language -> its wording
    fixed, grid : keys of an experiment that do not vary, and that do
    """

    names: list[str]
    texts: dict[str, dict[str, str]]
    fixed: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)


def agents_of(agents: Mapping[str, Any], languages: Sequence[str], permuted: bool, called: str) -> Agents:
    """The agents of a file.

    A persona is known by its English name, where the file or the published ones have it, so that
    languages can be compared; prompts word it as the file does.

    Parameters
    ----------
    agents : the key of the file
    languages : that are played
    permuted : whether every combination of personas is played, and of what is told of them

    Raises
    ------
    DataError
        Names that are not different, or personas that are not as many in every language.
    """
    names = _texts(agents.get("names"), f"{called}: agents.names")
    if len(names) < 2 or len(set(names)) < len(names):
        raise DataError(f"{called}: agents.names {shorten(names)}, expected at least two different names")
    personas, texts = _personas(agents.get("personalities"), languages, called)
    chances = agents.get("opponentPersonalityProb", [0])
    if not isinstance(chances, list) or not all(isinstance(p, int | float) for p in chances):
        raise DataError(
            f"{called}: agents.opponentPersonalityProb {shorten(chances)}, expected a list of numbers"
        )
    if permuted:
        grid: dict[str, Any] = {"personas": {"ordered": personas}}
        if len(chances) == 1:
            return Agents(names, texts, {"opponent_persona_probability": chances[0]}, grid)
        return Agents(names, texts, {}, {**grid, "opponent_persona_probability": {"ordered": chances}})
    for what, values in (("personalities", personas), ("opponentPersonalityProb", chances)):
        if len(values) != len(names):
            raise DataError(
                f"{called}: agents.{what} lists {len(values)}, expected {len(names)}, one by agent "
                "(allAgentPermutations is false)"
            )
    return Agents(names, texts, {"personas": personas, "opponent_persona_probability": chances})


def _personas(
    personalities: Any, languages: Sequence[str], called: str
) -> tuple[list[str | None], dict[str, dict[str, str]]]:
    """The personas by our names, and how each is worded in each language."""
    if not isinstance(personalities, dict):
        raise DataError(f"{called}: agents.personalities, expected language -> list")
    worded = {
        language: _texts(personalities.get(language), f"{called}: agents.personalities.{language}")
        for language in languages
    }
    lengths = {language: len(listed) for language, listed in worded.items()}
    if len(set(lengths.values())) > 1 or not all(lengths.values()):
        raise DataError(
            f"{called}: agents.personalities lists {lengths}, expected equally many in every language"
        )
    english = personalities.get("en")
    first = worded[languages[0]]
    same = isinstance(english, list) and len(english) == len(first)
    names = [
        str(english[i]) if same else english_persona(text)  # type: ignore[index]
        for i, text in enumerate(first)
    ]
    texts = {
        name: {language: listed[i] for language, listed in worded.items()}
        for i, name in enumerate(names)
        if name != NO_PERSONA
    }
    return [None if name == NO_PERSONA else name for name in names], texts


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise DataError(f"{where} is {shorten(value)}, expected a list of texts")
    return value


def strategy_labels(matrix: Mapping[str, Any], languages: Sequence[str], called: str) -> dict[str, list[str]]:
    """Language -> labels of the strategies, in the order of the file."""
    strategies = matrix.get("strategies")
    labels: dict[str, list[str]] = {}
    for language in languages:
        named = strategies.get(language) if isinstance(strategies, dict) else None
        texts = [v for v in named.values() if isinstance(v, str)] if isinstance(named, dict) else []
        if len(texts) != 2 or len(set(texts)) != 2:
            raise DataError(f"{called}: payoffMatrix.strategies has no two labels for {shorten(language)}")
        labels[language] = texts
    return labels


def joint_payoffs(matrix: Mapping[str, Any], labels: Sequence[str], called: str) -> dict[str, list[float]]:
    """Joint action (labels joined by a comma) -> payoffs by position.

    ``combinations`` maps to strategies and ``matrix`` to weights; or, compactly, ``combinations`` maps to
    pairs of a strategy and a weight. Which weight belongs where is read, never inferred from its number.

    Raises
    ------
    DataError
        A name that the file does not define, a joint action that it leaves out, a weight that is no number.
    """
    label_of = _label_of(matrix, labels, called)
    weights = matrix.get("weights")
    table: dict[str, list[float]] = {}
    for name, (strategies, parts) in _combinations(matrix, called).items():
        try:
            joint = ",".join(label_of[key] for key in strategies)
            table[joint] = [weights[key] for key in parts]  # type: ignore[index]
        except (KeyError, TypeError):
            raise DataError(
                f"{called}: payoffMatrix: {name} names a strategy or weight that is not there"
            ) from None
        wrong = next((v for v in table[joint] if isinstance(v, bool) or not isinstance(v, int | float)), None)
        if wrong is not None:
            raise DataError(
                f"{called}: payoffMatrix.weights: {shorten(wrong)!r} in {name}, expected a number"
            )
    expected = [f"{a},{b}" for a in labels for b in labels]
    missing = next((joint for joint in expected if joint not in table), None)
    if missing is not None:
        raise DataError(f"{called}: payoffMatrix has no combination for {missing}")
    return {joint: table[joint] for joint in expected}


def stop_actions(
    matrix: Mapping[str, Any], stops: Sequence[str], labels: Sequence[str], called: str
) -> list[list[str]]:
    """The joint actions of the combinations that end a game."""
    if not stops:
        return []
    label_of, known = _label_of(matrix, labels, called), _combinations(matrix, called)
    stray = next((name for name in stops if name not in known), None)
    if stray is not None:
        raise DataError(f"{called}: stopGameWhen {shorten(stray)!r}, expected one of {', '.join(known)}")
    return [[label_of[key] for key in known[name][0]] for name in stops]


def spelled_out_matrix(matrix: Mapping[str, Any], called: str) -> dict[str, Any]:
    """The matrix in the shape with four keys, whichever it was written in."""
    known = _combinations(matrix, called)
    return {
        **matrix,
        "combinations": {name: strategies for name, (strategies, _) in known.items()},
        "matrix": {name: weights for name, (_, weights) in known.items()},
    }


def _label_of(matrix: Mapping[str, Any], labels: Sequence[str], called: str) -> dict[str, str]:
    strategies = matrix.get("strategies")
    assert isinstance(strategies, dict)
    for named in strategies.values():
        if isinstance(named, dict) and len(named) == 2:
            return dict(zip(named, labels, strict=True))
    raise DataError(f"{called}: payoffMatrix.strategies, expected language -> two strategies")


def _combinations(matrix: Mapping[str, Any], called: str) -> dict[str, tuple[list[str], list[str]]]:
    """Combination -> strategies and weights by position."""
    combinations, table = matrix.get("combinations"), matrix.get("matrix")
    if not isinstance(combinations, dict):
        raise DataError(f"{called}: payoffMatrix.combinations, expected an object")
    pairs: dict[str, tuple[list[str], list[str]]] = {}
    for name, parts in combinations.items():
        try:
            if isinstance(table, dict):
                first, second = parts
                mine, theirs = table[name]
            else:
                (first, mine), (second, theirs) = parts
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{called}: payoffMatrix: combination {shorten(name)} is {shorten(parts)}, expected two "
                "strategies and, in matrix, two weights"
            ) from None
        if not all(isinstance(key, str) for key in (first, second, mine, theirs)):
            raise DataError(f"{called}: payoffMatrix: combination {shorten(name)}, expected names")
        pairs[name] = ([first, second], [mine, theirs])
    return pairs


_NAMES = {"battle-of-sexes": "battle-sexes", "prisoner's-dilemma": "prisoner-dilemma"}
"""Names in the files, folded, that our catalogue does not know."""


def from_fairgame(values: Mapping[str, Any], called: str, payoff_kind: str | None = None) -> dict[str, Any]:
    """The values of an experiment of ours.

    Languages, then personas, then what is told of them vary as in FAIRGAME, the first position slowest;
    without ``allAgentPermutations`` they go by position. Models keep their names, which are no clients
    of ours: give others with ``-m`` or ``--map-model``.

    Parameters
    ----------
    values : the file
    called : its name, for errors
    payoff_kind : {"reward", "penalty"}, optional
        What the numbers are; the files do not say, so that only known games go without.

    Raises
    ------
    DataError
        A key is missing, or its value is not what FAIRGAME knows.
    """
    file = _File(values, called)
    name = file.text("name")
    languages = file.texts("languages")
    agents = agents_of(file.mapping("agents"), languages, file.flag("allAgentPermutations"), called)
    n_players = len(agents.names)
    labels = strategy_labels(file.mapping("payoffMatrix"), languages, called)
    game, columns = _game(file, name, labels[languages[0]], n_players, payoff_kind)
    grid: dict[str, Any] = {"language": languages} if len(languages) > 1 else {}
    fixed: dict[str, Any] = {} if len(languages) > 1 else {"language": languages[0]}
    return {
        "name": re.sub(r"[^\w-]+", "-", name.replace("'", "")).strip("-").casefold() or "fairgame",
        "description": f"from {called}",
        "game": game,
        "labels": labels if len({tuple(pair) for pair in labels.values()}) > 1 else None,
        "rounds": file.number("nRounds"),
        "horizon": "known" if file.flag("nRoundsIsKnown") else "unknown",
        "communication": "sequential" if file.flag("agentsCommunicate") else "none",
        "stop": stop_actions(
            file.mapping("payoffMatrix"), file.texts("stopGameWhen"), labels[languages[0]], called
        ),
        "names": agents.names,
        "persona_texts": agents.texts,
        "columns": columns,
        **_models(file, n_players),
        **_wording(file, labels),
        **fixed,
        **agents.fixed,
        "grid": {**grid, **agents.grid},
    }


def _game(
    file: _File, name: str, labels: list[str], n_players: int, payoff_kind: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The game, and the column that says which of a game's published matrices it has."""
    if file.values.get("gameType") == "public_goods":
        settings = _File(file.mapping("publicGoodsConfig"), f"{file.called}: publicGoodsConfig")
        if int(settings.number("numAgents")) != n_players:
            raise DataError(
                f"{settings.called}: numAgents {settings.number('numAgents')}, but {n_players} names"
            )
        return {
            "name": "public-goods",
            "actions": labels,
            "n_players": n_players,
            "cost": settings.number("contributionCost"),
            "factor": settings.number("multiplicationFactor"),
        }, {}
    if n_players != 2:
        raise DataError(f"{file.called}: {n_players} agents in a matrix game, expected 2")
    folded = canonical_name(name)
    known = _NAMES.get(folded, folded)
    kind = payoff_kind or FAIRGAME_KINDS.get(known)
    if kind is None:
        raise DataError(
            f"{file.called}: {shorten(name)!r} is none of {', '.join(FAIRGAME_KINDS)}, so it has to be said "
            "whether its numbers are rewards or penalties: give --payoff-kind"
        )
    payoffs = joint_payoffs(file.mapping("payoffMatrix"), labels, file.called)
    game = {"name": known, "kind": kind, "actions": labels, "payoffs": payoffs}
    return game, {"payoff_type": kind_of} if (kind_of := _payoff_type(known, payoffs, labels)) else {}


def _payoff_type(game: str, payoffs: Mapping[str, Any], labels: list[str]) -> str | None:
    """Which of the published matrices of a game this is: conventional, harsh or mild."""
    a, b = labels
    cells = tuple(tuple(tuple(payoffs[f"{x},{y}"]) for y in (a, b)) for x in (a, b))
    for (name, payoff_type), matrices in FAIRGAME_TABLES.items():
        if name == game and any(matrix.payoffs == cells for matrix in matrices):
            return payoff_type
    return None


def _models(file: _File, n_players: int) -> dict[str, Any]:
    """``llm`` for all, or ``llms`` by position, which the published files have."""
    if "llms" not in file.values:
        return {"model": file.text("llm")} if "llm" in file.values else {}
    models = file.texts("llms")
    if len(set(models)) == 1:
        return {"model": models[0]}
    if len(models) != n_players:
        raise DataError(f"{file.called}: {len(models)} llms, expected {n_players}, one by agent")
    return {"players": models}


def _wording(file: _File, labels: Mapping[str, list[str]]) -> dict[str, Any]:
    """What FAIRGAME's templates need to know of the file, and the templates that stand in it."""
    from intent.agents.prompts.fairgame import weights_of

    matrix = spelled_out_matrix(file.mapping("payoffMatrix"), file.called)
    wording: dict[str, Any] = {"strategies": dict(labels)}
    if matrix.get("weights"):
        wording["weights"] = list(weights_of(matrix))
    if "templateFilename" in file.values:
        wording["stem"] = file.text("templateFilename")
    templates = file.values.get("promptTemplate")
    if templates is None:
        return {"fairgame": wording}
    if not isinstance(templates, dict) or not all(isinstance(text, str) for text in templates.values()):
        raise DataError(f"{file.called}: promptTemplate, expected language -> text")
    return {"fairgame": {**wording, "templates": templates}, "prompts": "fairgame"}


class _File:
    """Access to the keys of a file, each checked."""

    def __init__(self, values: Mapping[str, Any], called: str) -> None:
        self.values = values
        self.called = called

    def _value(self, key: str) -> Any:
        if key not in self.values:
            raise DataError(f"{self.called}: no key {key}, which a FAIRGAME file has")
        return self.values[key]

    def _refuse(self, key: str, expected: str) -> DataError:
        return DataError(f"{self.called}: {key} is {shorten(self.values[key])!r}, expected {expected}")

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value = self._value(key)
        if not isinstance(value, str) or not value.strip():
            raise self._refuse(key, "a text")
        return value

    def texts(self, key: str) -> list[str]:
        """A list of texts."""
        value = self._value(key)
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self._refuse(key, "a list of texts")
        if not value and key == "languages":
            raise self._refuse(key, "at least one language")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        """An object."""
        value = self._value(key)
        if not isinstance(value, dict):
            raise self._refuse(key, "an object")
        return value

    def number(self, key: str) -> int | float:
        """A number; one in quotes counts."""
        value = self._value(key)
        try:
            if isinstance(value, str):
                value = float(value)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError
        except ValueError:
            raise self._refuse(key, "a number") from None
        return int(value) if float(value).is_integer() and key in ("nRounds", "numAgents") else value

    def flag(self, key: str) -> bool:
        """A truth value, or the word for one: most published files have ``"True"`` and ``"False"``."""
        value = self._value(key)
        if isinstance(value, bool):
            return value
        word = value.strip().casefold() if isinstance(value, str) else ""
        if word not in ("true", "false"):
            raise self._refuse(key, "true or false")
        return word == "true"
