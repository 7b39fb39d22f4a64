"""What a reader of an evolution should be warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.arena.evolution.stability import Stability
    from intent.workflows.evolve_result import Evolution

__all__ = ["notes_on"]


def notes_on(found: Evolution) -> list[str]:
    """Notes, most important first."""
    level = f"{found.config['level']:.0%}"
    notes = [*found.source.notes]
    if found.source.left_out:
        names = list(found.source.left_out)
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        notes.append(f"{len(names)} strategies take no part, being unplayable or at fault: {listed}")
    unfinished = sum(mix.unfinished for mix in found.mixes)
    if found.config["mutation"]:
        notes.append(
            "with mutation no name stays alone: see long_run, mean shares over time after the first fifth of "
            "the steps"
        )
    elif unfinished:
        notes.append(f"{unfinished} runs had not ended after {found.config['steps']:,} births")
    exact = any(mix.fixation is not None or mix.stationary is not None for mix in found.mixes)
    if exact and not found.pool.certain:
        notes.append(
            "what is called exact is so for mean payoffs; the processes draw strategies and matches, so that "
            "their probabilities differ a little"
        )
    notes += [_margin(one, level) for one in found.stable if one.open]
    if any(not mix.course.settled for mix in found.mixes):
        notes.append("the replicator dynamics had not come to rest: its shares are the last ones")
    if len(found.pool.names) > 2 and not found.config["mutation"]:
        notes.append(
            f"each {level} interval stands alone: of {len(found.pool.names)} one may be off by chance"
        )
    return notes


def _margin(one: Stability, level: str) -> str:
    """That other strategies of the same names might make another verdict."""
    word = "no best reply to itself"
    if one.nash:
        word = "a strict best reply to itself" if one.strict_nash else "as good a reply to itself as another"
    return (
        f"{one.name} is {word}, by a margin of {one.margin:.3g} per round whose {level} interval over "
        f"strategies holds 0 ({one.low:.3g} to {one.high:.3g}): other strategies might reverse it"
    )
