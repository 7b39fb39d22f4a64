"""The payoff matrix of a FAIRGAME file, in both shapes that FAIRGAME accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.errors import DataError, shorten

__all__ = ["joint_payoffs", "spelled_out_matrix", "stop_actions", "strategy_labels"]


def strategy_labels(matrix: Mapping[str, Any], languages: Sequence[str], called: str) -> dict[str, list[str]]:
    """Language -> labels of the strategies, in the order of the file.

    Raises
    ------
    DataError
        A language without two labels.
    """
    found = matrix.get("strategies")
    labels: dict[str, list[str]] = {}
    for language in languages:
        named = found.get(language) if isinstance(found, dict) else None
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
    """The joint actions of the combinations that end a game.

    Raises
    ------
    DataError
        A combination that the file does not define.
    """
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
    found = matrix.get("strategies")
    assert isinstance(found, dict)
    for named in found.values():
        if isinstance(named, dict) and len(named) == 2:
            return dict(zip(named, labels, strict=True))
    raise DataError(f"{called}: payoffMatrix.strategies, expected language -> two strategies")


def _combinations(matrix: Mapping[str, Any], called: str) -> dict[str, tuple[list[str], list[str]]]:
    """Combination -> strategies and weights by position."""
    combinations, table = matrix.get("combinations"), matrix.get("matrix")
    if not isinstance(combinations, dict):
        raise DataError(f"{called}: payoffMatrix.combinations, expected an object")
    found: dict[str, tuple[list[str], list[str]]] = {}
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
        found[name] = ([first, second], [mine, theirs])
    return found
