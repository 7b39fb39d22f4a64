"""Describe the eight games of gamma-bench: parameters, answers, equilibrium, source."""

from __future__ import annotations

import json
from typing import Any

from intent.games.gamma import GAMMA_GAMES, gamma_game
from intent.games.gamma.about import ABOUT
from intent.games.gamma.catalogue import FAMILIES

__all__ = [
    "describe_gamma_game",
    "gamma_facts",
    "is_gamma_game",
    "list_gamma_games",
    "parameters_in_words",
]


def is_gamma_game(name: str | None) -> bool:
    """Whether this is the name of one of the eight games, spelled as in their table."""
    return name in GAMMA_GAMES


def list_gamma_games() -> list[dict[str, Any]]:
    """All eight, each as `describe_gamma_game`."""
    return [describe_gamma_game(name) for name in GAMMA_GAMES]


def describe_gamma_game(name: str) -> dict[str, Any]:
    """What is to be known of one of the eight games, as plain values.

    Returns
    -------
    dict
        name, title, family, rules, parameters (name -> default, the paper's), actions (empty where they are
        numbers or depend on the round), answer (field of the JSON object of an answer in round 1),
        cooperative_action (None where there is none), equilibrium, source.

    Raises
    ------
    UnknownNameError
        No such game.
    """
    import numpy as np

    game = gamma_game(name)
    course, about = game.course(np.random.default_rng(0)), ABOUT[name]
    parameters = json.loads(game.to_json())
    del parameters["rules"]
    return {
        "name": name,
        "title": about.title,
        "family": next(family for family, members in FAMILIES.items() if name in members),
        "rules": about.rules,
        "parameters": parameters,
        "actions": list(game.actions),
        "answer": game.key(course.asked(course.steps()[0][0], {})),
        "cooperative_action": game.cooperative_label,
        "equilibrium": about.equilibrium,
        "source": about.source,
    }


def gamma_facts(name: str) -> list[tuple[str, str]]:
    """`describe_gamma_game` as lines to print: (what, text)."""
    row = describe_gamma_game(name)
    actions = ", ".join(row["actions"]) or "numbers, or what the round allows"
    return [
        ("rules", row["rules"]),
        ("parameters", parameters_in_words(row["parameters"])),
        ("actions", f"{actions}; answered as {row['answer']}"),
        ("cooperation", row["cooperative_action"] or "no single action is cooperation"),
        ("equilibrium", row["equilibrium"]),
        ("family", row["family"]),
        ("source", f"{row['source']}; parameters of Huang et al. 2024, arXiv:2403.11807"),
    ]


def parameters_in_words(parameters: dict[str, Any]) -> str:
    """``n_players=10, gold=100``."""
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in parameters.items()
    )
