"""An automaton as text: states, arrows, memory-one vector."""

from __future__ import annotations

from intent.strategies.automaton import OUTCOMES, Strategy

__all__ = ["draw_automaton", "state_names"]


def state_names(strategy: Strategy) -> tuple[str, ...]:
    """Short names of the states: C1, D2, … by what they play, numbered from 1; M for a mixed state."""
    letters = ["C" if p == 1 else "D" if p == 0 else "M" for p in strategy.p_cooperate]
    return tuple(f"{letter}{i}" for i, letter in enumerate(letters, start=1))


def draw_automaton(strategy: Strategy) -> str:
    """The reachable states, one a line, with the outcomes (own move first) that lead on from each."""
    names = state_names(strategy)
    lines = []
    for s in strategy.reachable():
        p = strategy.p_cooperate[s]
        plays = "plays C" if p == 1 else "plays D" if p == 0 else f"plays C with probability {p:.4g}"
        by_target: dict[int, list[str]] = {}
        for outcome, target in zip(OUTCOMES, strategy.next_state[s], strict=True):
            by_target.setdefault(target, []).append(outcome)
        arrow = " → " if s == strategy.start else "   "
        lines.append(f"{arrow}({names[s]}) {plays}")
        for target, outcomes in by_target.items():
            what = "any outcome" if len(outcomes) == 4 else ", ".join(outcomes)
            where = "stays" if target == s else f"({names[target]})"
            lines.append(f"       ├─ {what:<14} ──▶ {where}")
        lines[-1] = lines[-1].replace("├", "└")
    return "\n".join(lines)
