"""FAIRGAME's configuration files as experiments of ours, accepted as they are.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from intent.errors import DataError, shorten
from intent.games.catalogue import canonical_name
from intent.games.fairgame import FAIRGAME_KINDS, FAIRGAME_TABLES
from intent.workflows.experiment.fairgame_agents import agents_of
from intent.workflows.experiment.fairgame_matrix import (
    joint_payoffs,
    spelled_out_matrix,
    stop_actions,
    strategy_labels,
)

__all__ = ["from_fairgame", "is_fairgame"]

_NAMES = {"battle-of-sexes": "battle-sexes", "prisoner's-dilemma": "prisoner-dilemma"}
"""Names in the files, folded, that our catalogue does not know."""


def is_fairgame(values: Mapping[str, Any]) -> bool:
    """Whether a mapping is such a file: no experiment of ours has its keys."""
    return "payoffMatrix" in values or "nRounds" in values


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
    found = tuple(tuple(tuple(payoffs[f"{x},{y}"]) for y in (a, b)) for x in (a, b))
    for (name, payoff_type), matrices in FAIRGAME_TABLES.items():
        if name == game and any(matrix.payoffs == found for matrix in matrices):
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
    from intent.agents.prompts import weights_of

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
