"""What competes for the play of a log: strategies against one other, or with thresholds against several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.recognise.sfem.thresholds import Play, Player
    from intent.strategies.automaton import Strategy

__all__ = ["competing_play", "competitors"]


def competing_play(
    log: GameLog | str | Path,
    strategies: str | Sequence[str | Strategy] | None,
    memory: str | None,
    others: str | None,
    *,
    contributes_from: float = 0.0,
    endowment: float | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    keep_defaulted: bool = False,
    **reading: Any,
) -> tuple[GameLog, Play, tuple[Player, ...]]:
    """The log's rows that meet conditions, its play, and the strategies that compete for it.

    Parameters
    ----------
    log, strategies, memory, others, contributes_from, endowment, where, keep_defaulted, **reading
        As `intent.workflows.sfem.sfem`.

    Raises
    ------
    UsageError
        No game left, games of more than two players and no `others`, or settings of counted others without.
    UnknownNameError, StrategyError
        A strategy or threshold that does not exist.
    """
    from intent.workflows.focal import contributor_play, focal_play

    chosen: tuple[Player, ...]
    if others != "count":
        if contributes_from or endowment is not None:
            raise UsageError(
                "--contributes-from and --endowment say who contributed: they need --others count"
            )
        chosen = competitors(strategies, memory)
        played, X = focal_play(log, where=where, others=others, keep_defaulted=keep_defaulted, **reading)
        return played, X, chosen
    from intent.strategies.threshold import threshold_strategies

    found = contributor_play(
        log,
        where=where,
        contributes_from=contributes_from,
        endowment=endowment,
        keep_defaulted=keep_defaulted,
        **reading,
    )
    most = int(found.others[found.rows].max(initial=1))
    chosen = threshold_strategies(_named(strategies), most)
    return found.log, found.counted(), _remembering(chosen, memory)


def competitors(
    strategies: str | Sequence[str | Strategy] | None, memory: str | None
) -> tuple[Strategy, ...]:
    """The strategies that compete against one other player, with one memory semantics (None: their own)."""
    from intent.strategies.catalogue import strategy_set

    chosen = strategy_set(_named(strategies))
    if memory is None:
        return chosen
    # RANDOM without a name has nothing to remember, and its path of one state stays known.
    plain = strategies is None
    return tuple(s if plain and s.is_background else s.with_memory(memory) for s in chosen)  # type: ignore[arg-type]


def _named(strategies: str | Sequence[str | Strategy] | None) -> str | Sequence[str | Strategy]:
    """The strategies that are named, else the default ones with RANDOM."""
    from intent.recognise.background import default_strategies

    return default_strategies() if strategies is None else strategies


def _remembering(chosen: Sequence[Player], memory: str | None) -> tuple[Player, ...]:
    """The strategies with one memory semantics."""
    return tuple(chosen) if memory is None else tuple(s.with_memory(memory) for s in chosen)  # type: ignore[arg-type]
