"""Propose the opponent that tells a set of strategies apart best, and compare it with the usual ones.

What a search for a probe returns: values, tables, and files as their suffix says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.errors import UsageError
from intent.base.job import Result, Table, job
from intent.recognise.probe.information import Automata, adaptive_optimum, follow
from intent.recognise.probe.search import search, tied_against, tied_for_ever
from intent.recognise.requests import ProbeRequest
from intent.strategies.sets import strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.recognise.probe.search import Design


__all__ = ["Opponent", "ProbeResult", "probe"]


@dataclass(frozen=True)
class Opponent:
    """What one opponent reveals.

    Attributes
    ----------
    name : str, as `intent generate --opponent` takes it
    rounds : tuple of dict
        round, accuracy, information (bits), accuracy_error, information_error (0 where exact).
    rounds_needed : int or None
        Rounds until the target. For the probe they are those of the best sequence of that very length.
    unseparated : tuple of tuple of str
        Groups of strategies that play alike against it in all these rounds.
    """

    name: str
    rounds: tuple[Mapping[str, Any], ...]
    rounds_needed: int | None
    unseparated: tuple[tuple[str, ...], ...]

    @property
    def last(self) -> Mapping[str, Any]:
        """Accuracy and information after the last round."""
        return self.rounds[-1]


@dataclass(frozen=True)
class ProbeResult(Result):
    """The proposed sequence beside the usual opponents.

    Attributes
    ----------
    strategies : tuple of str
    eps : (low, high)
    objective : "information" or "accuracy"
    search : "optimal" (all sequences compared) or "beam"
    sequence : str of C and D
    probe : Opponent, the proposed one
    target : float
    target_sequence : str or None, the shortest best sequence that reaches the target
    accuracy_limit : float, accuracy that no sequence exceeds, however long
    adaptive : accuracy and information of the best opponent that reacts; None where not computed
    baselines : tuple of Opponent
    tied : groups of strategies that no opponent separates
    config : mapping, the resolved settings
    """

    strategies: tuple[str, ...]
    eps: tuple[float, float]
    objective: str
    search: str
    sequence: str
    probe: Opponent
    target: float
    target_sequence: str | None
    accuracy_limit: float
    adaptive: Mapping[str, float] | None
    baselines: tuple[Opponent, ...]
    tied: tuple[tuple[str, ...], ...]
    config: Mapping[str, Any] = field(compare=False, repr=False)

    kind = "probe"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent probe --json``."""
        return {
            "strategies": list(self.strategies),
            "eps": list(self.eps),
            "objective": self.objective,
            "search": self.search,
            "sequence": self.sequence,
            "rounds": [dict(r) for r in self.probe.rounds],
            "unseparated": [list(group) for group in self.probe.unseparated],
            "target": self.target,
            "rounds_needed": self.probe.rounds_needed,
            "target_sequence": self.target_sequence,
            "accuracy_limit": self.accuracy_limit,
            "adaptive": None if self.adaptive is None else dict(self.adaptive),
            "baselines": {
                o.name: {
                    **{key: value for key, value in o.last.items() if key != "round"},
                    "rounds_needed": o.rounds_needed,
                    "unseparated": [list(group) for group in o.unseparated],
                }
                for o in self.baselines
            },
            "tied": [list(group) for group in self.tied],
        }

    def table(self) -> pd.DataFrame:
        """One row per opponent and round; ``move`` is what the proposed opponent plays."""

        return pd.DataFrame(
            [
                {"opponent": o.name, **r, "move": self.sequence[r["round"] - 1] if o is self.probe else None}
                for o in (self.probe, *self.baselines)
                for r in o.rounds
            ]
        )

    def parts(self) -> Iterator[Table | str]:
        """The probe by round, the opponents side by side, how many rounds are needed, and how to try it."""
        from intent.recognise.probe.figures import probe_sentences, probe_tables

        for header, rows, title in probe_tables(self):
            yield Table(header, rows, title)
            yield ""
        yield from probe_sentences(self)
        low, high = self.eps
        noise = f"{low:g}" if low == high else f"{low:g}-{high:g}"
        options = f"--strategies {self.config['strategies']} --rounds {len(self.sequence)} --eps {noise}"
        yield f"to try it: intent generate {options} --opponent {self.probe.name}"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Accuracy and information by round."""
        from intent.recognise.probe.figures import probe_figure

        return probe_figure(self).write(target, description=self.description(), overwrite=overwrite)

    def facts(self) -> dict[str, Any]:
        """The resolved settings."""
        return dict(self.config)


SEQUENCE = "sequence:"
"""What a sequence of moves begins with where an opponent is named (`intent.play.corpora.opponent`)."""

_BASELINES: dict[str, tuple[int, ...] | None] = {
    "random": None,
    "ALLC": (1,),
    "ALLD": (0,),
    f"{SEQUENCE}CD": (1, 0),
}
"""Opponents to compare with, and the moves that they repeat; None for the fair coin."""


@job(ProbeRequest)
def probe(request: ProbeRequest) -> ProbeResult:
    """The sequence of opponent moves that separates some strategies best.

    The strategies are equally probable; noise in a range is unknown to the observer, uniform, and integrated
    out. The seed is that of the histories that are sampled where there are too many to be enumerated.

    Raises
    ------
    UsageError
        Numbers out of range, or an unknown objective.
    StrategyError, RecogniserError
        Fewer than two strategies, or noise out of range.
    """

    strategies, rounds, eps, target = request.strategies, request.rounds, request.eps, request.target
    max_rounds, objective = request.max_rounds, request.objective
    if not 0 < target <= 1:
        raise UsageError(f"target {target:g}, expected a probability above 0")
    if rounds < 1 or max_rounds < 1:
        raise UsageError(f"{rounds} rounds and at most {max_rounds}, expected 1 or more")
    goal = target - _ROUNDING
    low, high = eps if isinstance(eps, tuple) else (eps, eps)
    chosen = strategy_set(strategies)
    names = tuple(s.name for s in chosen)
    automata = Automata.of(chosen, (low, high), max(rounds, max_rounds))
    rng = np.random.default_rng(request.seed)
    designs = _designs(automata, rounds, goal, max_rounds, objective, request.beam, request.update)
    best, within = designs[rounds - 1], designs[-1].limit >= goal
    shortest = _shortest(automata, designs[:max_rounds], goal, rng) if within else None

    def needed(moves: tuple[int, ...] | None) -> int | None:
        return _rounds_needed(automata, moves, goal, max_rounds, rng) if within else None

    def opponent(name: str, moves: tuple[int, ...] | None, reached: int | None) -> Opponent:
        met = None if moves is None else np.array(moves, dtype=np.int8)
        curve = tuple(asdict(r) for r in islice(follow(automata, rounds, met, rng=rng), rounds))
        return Opponent(name, curve, reached, _unseparated(automata, met, rounds, names))

    sequence = _letters(best.moves)
    gained = adaptive_optimum(automata, rounds, objective=objective)
    return ProbeResult(
        strategies=names,
        eps=(low, high),
        objective=objective,
        search="optimal" if best.optimal else "beam",
        sequence=sequence,
        probe=opponent(SEQUENCE + sequence, best.moves, None if shortest is None else len(shortest)),
        target=target,
        target_sequence=None if shortest is None else _letters(shortest),
        accuracy_limit=designs[-1].limit,
        adaptive=None if gained is None else {"accuracy": gained[0], "information": gained[1]},
        baselines=tuple(opponent(name, moves, needed(moves)) for name, moves in _BASELINES.items()),
        tied=tuple(tuple(names[i] for i in group) for group in tied_for_ever(automata)),
        config={
            **request.config(),
            "strategies": strategies if isinstance(strategies, str) else ",".join(names),
            "eps": [low, high],
            "version": __version__,
        },
    )


_ROUNDING = 1e-9
"""What forgotten branches may take from an accuracy."""

_QUICK = 1 << 18
"""Weights that are followed exactly where only the first round that reaches the target is asked for."""


def _designs(
    automata: Automata,
    rounds: int,
    target: float,
    max_rounds: int,
    objective: str,
    width: int,
    update: Callable[[int, int], None],
) -> list[Design]:
    """The best design of 1, 2, … rounds: at least so many, and on while the target is in reach, not met."""

    designs: list[Design] = []
    reached = False
    total = max(rounds, max_rounds)
    for design in search(automata, total, objective=objective, width=width):
        designs.append(design)
        reached = reached or (design.exact and design.accuracy >= target)
        update(len(designs), total)
        if len(designs) >= rounds and (reached or len(designs) >= max_rounds or design.limit < target):
            break
    return designs


def _shortest(
    automata: Automata, designs: list[Design], target: float, rng: np.random.Generator
) -> tuple[int, ...] | None:
    """The shortest of the best sequences that reaches the target.

    Where accuracies are estimates, the longest sequence is followed to the round that reaches it, then
    the best ones of fewer rounds for as long as they do, too.
    """
    for design in designs:
        if design.exact and design.accuracy >= target:
            return design.moves
    n = _rounds_needed(automata, designs[-1].moves, target, len(designs), rng)
    if n is None:
        return None
    moves = (*designs[-1].moves[: n - 1], 1)
    for design in reversed(designs[: n - 1]):
        if _rounds_needed(automata, design.moves, target, len(design.moves), rng) is None:
            break
        moves = design.moves
    return moves


def _rounds_needed(
    automata: Automata,
    moves: tuple[int, ...] | None,
    target: float,
    max_rounds: int,
    rng: np.random.Generator,
) -> int | None:
    """The first round in which an opponent gives the target; None where that is not within the bound."""

    met = None if moves is None else np.array(moves, dtype=np.int8)
    groups = tied_for_ever(automata) if met is None else tied_against(automata, met, max_rounds)
    k = len(automata.start)
    if (k - sum(len(group) - 1 for group in groups)) / k < target:
        return None
    rows = follow(automata, max_rounds, met, rng=rng, most_entries=_QUICK)
    return next((r.round for r in rows if r.accuracy >= target), None)


def _unseparated(
    automata: Automata, moves: NDArray[np.int8] | None, rounds: int, names: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:

    groups = tied_for_ever(automata) if moves is None else tied_against(automata, moves, rounds)
    return tuple(tuple(names[i] for i in group) for group in groups)


def _letters(moves: Sequence[int]) -> str:
    return "".join("DC"[move] for move in moves)
