"""Propose the opponent that tells a set of strategies apart best, and compare it with the usual ones.

What the search returns: values, tables and sentences for people, the figure of what each opponent reveals,
round by round, and files as their suffix says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.errors import UsageError
from intent.base.job import Result, Table, job
from intent.base.wording import listed
from intent.figures.style import (
    Drawing,
    canvas,
    columns_of,
    legend_of,
    palette,
    pt,
    ruled,
    wrapped,
)
from intent.recognise.probe.information import (
    Automata,
    adaptive_optimum,
    follow,
    search,
    tied_against,
    tied_for_ever,
)
from intent.recognise.requests import ProbeRequest
from intent.strategies.sets import strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from intent.recognise.probe.information import Design

__all__ = [
    "Opponent",
    "ProbeResult",
    "noise_in_words",
    "probe",
    "probe_figure",
    "probe_sentences",
    "probe_tables",
    "what_was_sought",
]

TitledRows = tuple[Sequence[str], list[Sequence[object]], str]


def probe_tables(result: Any) -> list[TitledRows]:
    """Header, rows and title of two tables: the probe round by round, and the opponents side by side.

    Parameters
    ----------
    result : ProbeResult
    """
    rounds = [
        (str(r["round"]), move, *_values(r))
        for r, move in zip(result.probe.rounds, result.sequence, strict=True)
    ]
    opponents: list[Sequence[object]] = [_row(result.probe)]
    if result.adaptive is not None:
        values = result.adaptive
        opponents.append(
            ("the best that reacts", f"{values['accuracy']:.4f}", f"{values['information']:.3f}", None, "")
        )
    opponents += [_row(opponent) for opponent in result.baselines]
    n = len(result.sequence)
    needed = f"rounds to {result.target * 100:g} %"
    return [
        (("round", "opponent plays", "accuracy", "bits"), list(rounds), what_was_sought(result)),
        (
            ("opponent", "accuracy", "bits", needed, "not separated"),
            opponents,
            f"After {n} round{'s' * (n > 1)}, beside other opponents",
        ),
    ]


def what_was_sought(result: Any) -> str:
    """What was looked for and how, in one line."""
    how = "all sequences compared" if result.search == "optimal" else "beam search, perhaps not the best"
    what = "most information" if result.objective == "information" else "highest accuracy"
    names = ", ".join(result.strategies)
    n = len(result.sequence)
    return f"{names} at {noise_in_words(result.eps)}: {what} in {n} round{'s' * (n > 1)} ({how})"


def noise_in_words(eps: tuple[float, float]) -> str:
    """The noise as a phrase."""
    low, high = eps
    return f"eps = {low:g}" if low == high else f"an eps unknown within {low:g} to {high:g}"


def probe_sentences(result: Any) -> list[str]:
    """The answer to how many rounds are needed, and what cannot be told apart at all."""
    goal, n = f"{result.target * 100:g} %", result.probe.rounds_needed
    lines = []
    if n is not None:
        same = result.target_sequence == result.sequence
        which = "this sequence" if same else f"the sequence {result.target_sequence}"
        lines.append(f"{goal} take {n} round{'s' * (n > 1)}, with {which}")
    elif result.accuracy_limit < result.target - 1e-9:
        why = "strategies are tied" if result.tied else "an early slip leaves some alike for ever"
        lines.append(f"no sequence reaches {goal}: the limit is {result.accuracy_limit:.4f}, since {why}")
    else:
        lines.append(f"{goal} are not reached within {result.config['max_rounds']} rounds")
    lines += [f"no opponent tells {listed(group)} apart" for group in result.tied]
    if any(r["accuracy_error"] for o in (result.probe, *result.baselines) for r in o.rounds):
        lines.append("too many histories were sampled: ± is a standard error, a band in the figure two")
    return lines


def _row(opponent: Any) -> Sequence[object]:
    groups = "; ".join(listed(group) for group in opponent.unseparated)
    return (opponent.name, *_values(opponent.last), opponent.rounds_needed, groups)


def _values(r: Any) -> tuple[str, str]:
    accuracy, bits = f"{r['accuracy']:.4f}", f"{r['information']:.3f}"
    if r["accuracy_error"] or r["information_error"]:
        return f"{accuracy} ± {r['accuracy_error']:.4f}", f"{bits} ± {r['information_error']:.3f}"
    return accuracy, bits


_MOST_LETTERS = 30
"""Rounds up to which the moves stand below the axis; longer sequences stand in the caption only."""

_TICKS = (0, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999)
_TOP = 0.9999
"""Accuracies above are drawn here."""

_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)))
_NAMES = {
    "random": "a fair coin",
    "ALLC": "always C",
    "ALLD": "always D",
    "sequence:CD": "C and D in turn",
}


def probe_figure(result: Any) -> Drawing:
    """Accuracy and information by round, for the probe and the usual opponents.

    Parameters
    ----------
    result : ProbeResult
    """
    title = "How well an opponent's moves tell strategies apart"
    return Drawing(title, lambda: _draw(result), [*_explained(result), *probe_sentences(result)])


def _explained(result: Any) -> list[str]:
    lines = [
        f"{what_was_sought(result)}. Proposed sequence: {result.sequence}. Its last move comes too late to "
        "be answered.",
        "Accuracy: probability that the most probable strategy, given all own moves, is the true one. "
        "Information: mutual information of strategy and own moves; all strategies equally frequent.",
    ]
    if result.adaptive is not None:
        lines.append("Star: the best opponent that chooses each move by the moves it has seen.")
    return lines


def _draw(result: Any) -> Figure:
    figure, (left, right) = canvas(*((10.5, 4.9, 1, 2) if columns_of(2, 2.6) == 2 else (4.8, 6.6, 2, 1)))
    tones = palette(1 + len(result.baselines))
    tones = [tones[0], "#777777", *tones[1:]]
    for axes, key in ((left, "accuracy"), (right, "information")):
        for place, opponent in reversed(list(enumerate((result.probe, *result.baselines)))):
            _line(axes, opponent, key, place, tones[place])
        if result.adaptive is not None:
            n = len(result.sequence)
            value = result.adaptive[key]
            value = min(value, _TOP) if key == "accuracy" else value
            axes.plot(n, value, "*", color=tones[0], markersize=12, markeredgecolor="white", zorder=5)
        _rounds_below(axes, result.sequence)
        ruled(axes)
    k = len(result.strategies)
    left.set_ylabel("expected accuracy (%), stretched towards 100")
    _stretch(left, result)
    _mark(left, result.target, f"target {result.target * 100:g} %")
    if result.accuracy_limit < min(result.target, 1 - 1e-9):
        _mark(left, result.accuracy_limit, f"limit {result.accuracy_limit * 100:.1f} %", below=True)
    right.set_ylabel("information on the strategy (bits)")
    _mark(right, math.log2(k), f"all: {math.log2(k):.2f} bits")
    right.set_ylim(0, 1.03 * math.log2(k))
    legend_of(figure, _legend(result, tones))
    return figure


def _line(axes: Axes, opponent: Any, key: str, place: int, tone: str) -> None:
    x = [r["round"] for r in opponent.rounds]
    y = [min(r[key], _TOP) if key == "accuracy" else r[key] for r in opponent.rounds]
    marker = "o" if place == 0 and len(x) <= _MOST_LETTERS else ""
    style = _DASHES[max(0, place - 1)]
    axes.plot(
        x, y, linestyle=style, color=tone, linewidth=2.4 if place == 0 else 1.7, marker=marker, markersize=4.5
    )
    spread = [1.96 * r[f"{key}_error"] for r in opponent.rounds]
    if any(spread):
        low, high = ([a + sign * b for a, b in zip(y, spread, strict=True)] for sign in (-1, 1))
        axes.fill_between(x, low, high, color=tone, alpha=0.18, linewidth=0)


def _rounds_below(axes: Axes, sequence: str) -> None:
    n = len(sequence)
    axes.set_xlabel("round" + (", and the proposed opponent's move in it" if n <= _MOST_LETTERS else ""))
    if n <= _MOST_LETTERS:
        step = 1 if n <= 15 else 5
        numbers = [str(t) if t % step == 0 or t == 1 else "" for t in range(1, n + 1)]
        axes.set_xticks(range(1, n + 1), [f"{a}\n{b}" for a, b in zip(numbers, sequence, strict=True)])
    axes.set_xlim(0.5, n + 0.5)


def _stretch(axes: Axes, result: Any) -> None:
    """An axis on which each halving of the error is one step."""
    import numpy as np

    values = [r["accuracy"] for o in (result.probe, *result.baselines) for r in o.rounds]
    reached = max([*values, result.target, (result.adaptive or {}).get("accuracy", 0.0)])
    ticks = [t for t in _TICKS if t <= min(values)][-1:] + [t for t in _TICKS if min(values) < t < reached]
    ticks += [t for t in _TICKS if t >= reached][:1]
    axes.set_yscale(
        "function",
        functions=(lambda a: -np.log2(1 - np.minimum(a, _TOP)), lambda b: 1 - np.exp2(-b)),
    )
    axes.set_yticks(ticks, [f"{t * 100:g}" for t in ticks], minor=False)
    axes.set_ylim(ticks[0], max(ticks[-1], min(reached, _TOP)))


def _mark(axes: Axes, value: float, text: str, *, below: bool = False) -> None:
    axes.axhline(value, color="#444444", linewidth=0.9, linestyle=(0, (3, 3)), zorder=0)
    place = axes.get_yaxis_transform()
    axes.text(
        0.01,
        value,
        text,
        transform=place,
        ha="left",
        va="top" if below else "bottom",
        fontsize=pt(8),
        color="#444444",
    )


def _legend(result: Any, tones: list[str]) -> list[Any]:
    from matplotlib.lines import Line2D

    names = ["proposed", *(wrapped(_NAMES.get(o.name, o.name), 18) for o in result.baselines)]
    return [
        Line2D(
            [],
            [],
            color=tones[i],
            linestyle=_DASHES[max(0, i - 1)],
            linewidth=2.4 if i == 0 else 1.7,
            label=name,
        )
        for i, name in enumerate(names)
    ]


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
