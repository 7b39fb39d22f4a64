"""All that is known of each strategy of a set before it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from intent.analysis.metrics import behaviour
from intent.arena.entrant import Entrant
from intent.arena.inspection.code_facts import CodeFacts, code_facts
from intent.arena.inspection.panel import PanelPlay, play_panel, stacked
from intent.arena.inspection.portrait import Portrait, nearest_strategies, portrait
from intent.arena.match import Engine, Fault, MatchRules
from intent.arena.streams import Salt
from intent.errors import StrategyError
from intent.logs.trajectories import Trajectories

__all__ = ["Label", "StrategyFacts", "inspect_strategies"]

_SLOW = 2.0
"""Seconds of a match of 1,000 rounds that are worth a warning."""


@dataclass(frozen=True)
class Label:
    """What the default recogniser says of the first match against RANDOM.

    Attributes
    ----------
    best : str, the most probable strategy
    confidence : float, its posterior
    status : confident, low_confidence, ambiguous or no_fit
    """

    best: str
    confidence: float
    status: str


@dataclass(frozen=True, eq=False)
class StrategyFacts:
    """One strategy: who it is, its code, its play.

    Attributes
    ----------
    entrant : Entrant
    code : CodeFacts, or None of an automaton
    faults : tuple of Fault, in matches of the panel; with one, nothing below is known
    portrait : Portrait or None
    nearest : (name, share of its moves that this one would make too), best first, at most three
    label : Label or None
    metrics : opponent -> metric -> (value, occasions); payoff among them, with matches as occasions
    seconds : float, wall time of 1,000 rounds against TFT, with the start of the sandbox
    same_play : names of others whose moves on the panel are the same, chance included
    same_code : names of others whose source is the same
    flags : what a reader should look at, in words
    """

    entrant: Entrant
    code: CodeFacts | None
    faults: tuple[Fault, ...]
    portrait: Portrait | None
    nearest: tuple[tuple[str, float], ...]
    label: Label | None
    metrics: Mapping[str, Mapping[str, tuple[float, int]]]
    seconds: float
    same_play: tuple[str, ...]
    same_code: tuple[str, ...]
    flags: tuple[str, ...]


def inspect_strategies(
    entrants: Sequence[Entrant],
    engine: Engine,
    rules: MatchRules,
    *,
    repetitions: int = 5,
    seed: int = 0,
    salt: Salt | None = None,
    recogniser: str = "bayes-canonical4",
    update: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[StrategyFacts, ...]:
    """Play each strategy against a small panel and itself, and say what is known of it.

    Parameters
    ----------
    entrants : sequence of Entrants
    engine : Engine
    rules : MatchRules
    repetitions : int, of matches that can differ
    seed : int
    salt : Salt, optional, as `play_panel`
    recogniser : name of a shipped recogniser, for the label
    update : called with (matches played, of how many)
    """
    played = play_panel(entrants, engine, rules, repetitions=repetitions, seed=seed, salt=salt, update=update)
    labels = _labels(played, recogniser, seed)
    nearest, metrics = nearest_strategies(played), _metrics(played, rules)
    same_play = _alike([_fingerprint(play) for play in played], entrants)
    same_code = _alike([e.digest if e.source else None for e in entrants], entrants)
    found = []
    for i, (entrant, play) in enumerate(zip(entrants, played, strict=True)):
        code = _code(entrant)
        seconds = play.seconds * 1000 / rules.turns
        found.append(
            StrategyFacts(
                entrant,
                code,
                tuple(play.faults),
                _portrait(entrant, play, rules),
                tuple(nearest[i][:3]),
                labels.get(i),
                metrics[i],
                seconds,
                same_play[i],
                same_code[i],
                tuple(_flags(entrant, code, play, seconds, rules)),
            )
        )
    return tuple(found)


def _code(entrant: Entrant) -> CodeFacts | None:
    try:
        return code_facts(entrant.source) if entrant.source else None
    except StrategyError:
        return None


def _portrait(entrant: Entrant, play: PanelPlay, rules: MatchRules) -> Portrait | None:
    if not play.whole:
        return None
    return portrait(play.moves["RANDOM"], opens_alike=not (entrant.draws or rules.noise))


def _metrics(played: Sequence[PanelPlay], rules: MatchRules) -> list[dict[str, dict[str, tuple[float, int]]]]:
    """Behaviour of each strategy against each opponent, all repetitions taken together."""
    found: list[dict[str, dict[str, tuple[float, int]]]] = [{} for _ in played]
    n = len(played)
    for opponent, own, other, owner in stacked(played):
        ratios = {name: metric(own, other) for name, metric in behaviour.METRICS.items()}
        counted = {
            name: [np.bincount(owner, weights=part, minlength=n) for part in (ratio.hits, ratio.occasions)]
            for name, ratio in ratios.items()
        }
        payoffs = np.asarray(rules.payoffs)[3 - 2 * own - other].mean(axis=1)
        matches = np.bincount(owner, minlength=n)
        means = np.bincount(owner, weights=payoffs, minlength=n) / np.maximum(matches, 1)
        for i in np.unique(owner).tolist():
            row = {
                name: (float(hits[i] / occasions[i]) if occasions[i] else 0.0, int(occasions[i]))
                for name, (hits, occasions) in counted.items()
            }
            found[i][opponent] = {**row, "payoff": (float(means[i]), int(matches[i]))}
    return found


def _labels(played: Sequence[PanelPlay], recogniser: str, seed: int) -> dict[int, Label]:
    from intent.recognise.background import against_random
    from intent.recognise.labels import label_table
    from intent.recognise.storage import load_recogniser
    from intent.recognise.verdict import LabelSettings

    at = [i for i, play in enumerate(played) if play.whole]
    if not at:
        return {}
    first = np.stack([played[i].moves["RANDOM"][0] for i in at]).astype(np.int8)
    X = Trajectories(first[:, 0], first[:, 1])
    table = label_table(
        X, against_random(load_recogniser(recogniser)), LabelSettings(), np.random.default_rng(seed)
    )
    rows = zip(at, table["best"], table["confidence"], table["status"], strict=True)
    return {i: Label(str(best), float(sure), str(status)) for i, best, sure, status in rows}


def _fingerprint(play: PanelPlay) -> object:
    if not play.whole:
        return None
    return tuple((name, moves[:, 0].tobytes()) for name, moves in sorted(play.moves.items()))


def _alike(keys: Sequence[object], entrants: Sequence[Entrant]) -> list[tuple[str, ...]]:
    """For each entrant the names of the others with the same key; None is like nothing."""
    by_key: dict[object, list[int]] = {}
    for i, key in enumerate(keys):
        if key is not None:
            by_key.setdefault(key, []).append(i)
    return [
        () if key is None else tuple(entrants[j].name for j in by_key[key] if j != i)
        for i, key in enumerate(keys)
    ]


def _flags(
    entrant: Entrant, code: CodeFacts | None, play: PanelPlay, seconds: float, rules: MatchRules
) -> list[str]:
    flags = [f"{fault.kind} in the sandbox: {fault.reason}" for fault in play.faults[:1]]
    if code is not None:
        if code.chance:
            flags.append("draws random numbers")
        if code.reads_scores:
            flags.append("reads scores")
        if code.reads_length:
            flags.append("reads the length of the match")
        if code.nested_loops > 1:
            flags.append(f"loops within loops, {code.nested_loops} deep")
    if seconds > _SLOW:
        flags.append(f"slow: {seconds:.1f} s for 1,000 rounds")
    if entrant.noise is not None and (entrant.noise > 0) != (rules.noise > 0):
        flags.append(f"written for noise {entrant.noise:g}, inspected at {rules.noise:g}")
    return flags
