"""Discover ways of playing in an unlabelled log, without asking for any strategy by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UsageError
from intent.version import __version__
from intent.workflows.discover_result import DiscoverResult, GroupShare

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["DiscoverResult", "discover", "parse_states"]

_MOST_STATES = 20


def parse_states(text: str) -> tuple[int, int]:
    """``4`` or ``1-6`` as (least, most) states.

    Raises
    ------
    UsageError
        Anything else, or more than 20.
    """
    found = re.fullmatch(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", text.strip())
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high <= _MOST_STATES:
        raise UsageError(f"--states {text!r}, expected a number or a range such as 1-6, up to {_MOST_STATES}")
    return low, high


def discover(
    log: GameLog | str | Path,
    *,
    states: str = "1-6",
    symbols: int = 10,
    by: str | Sequence[str] = (),
    starts: int = 12,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    seed: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> DiscoverResult:
    """Hidden Markov states of the play of a log, as many as BIC asks for, beside the catalogue.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    states : str
        Numbers of states to try: ``4`` or ``1-6``.
    symbols : 10 or 14
        Moves after {nothing, R, S, T, P}, or R and T also apart by whether the other had defected before.
    by : columns that make the groups
    starts : int
        Random starts for each number of states.
    where : mapping of column -> accepted values
    others : {"any", "majority", "all"}, optional
        With more than two players: when the others count as having cooperated.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    seed : int
    update : called with (numbers of states done, in all)
    **reading
        Passed to `read_log` where `log` is a path.

    Raises
    ------
    UsageError
        Numbers of states, symbols or starts that cannot be; games of more than two players and no `others`.
    UnknownNameError
        A column that does not exist.
    DataError
        No move in a known situation.
    """
    import numpy as np

    from intent.analysis.groups import grouping
    from intent.recognise.hmm_discovery import discover_states
    from intent.recognise.situations import N_SYMBOLS_CHOICES
    from intent.strategies.catalogue import catalogue
    from intent.workflows.columns import column_names
    from intent.workflows.focal import focal_play

    low, high = parse_states(states)
    if symbols not in N_SYMBOLS_CHOICES:
        raise UsageError(f"--symbols {symbols}, expected 10 or 14")
    if not 1 <= starts <= 1000:
        raise UsageError(f"--starts {starts}, expected 1 to 1000")
    played, X = focal_play(log, where=where, others=others, keep_defaulted=keep_defaulted, **reading)
    if not X.n_rounds.sum():
        said = "; ".join(f"{n:,} games: {why}" for why, n in played.skipped().items())
        raise DataError(
            f"the log has no own move of a known kind, nothing to discover{said and f' ({said})'}"
        )
    assert X.keys is not None
    factors = column_names(by, X.keys.columns)
    groups = grouping(X.keys, factors) if factors else None
    found = discover_states(
        X,
        n_states=range(low, high + 1),
        n_symbols=symbols,
        n_starts=starts,
        strategies=catalogue(),
        rng=np.random.default_rng(seed),
        update=update,
    )
    shares: list[GroupShare] = []
    if groups is not None:
        moves = X.n_rounds.astype(float)
        spent = groups.sums(np.nan_to_num(found.shares) * moves[:, None])
        size = np.bincount(groups.codes, minlength=len(groups))
        for g, values in enumerate(groups.values):
            total = spent[g].sum()
            part = tuple((spent[g] / total).tolist()) if total else (float("nan"),) * spent.shape[1]
            shares.append(GroupShare(values, int(size[g]), part))
    config = {
        "log": played.provenance,
        "states": states,
        "symbols": symbols,
        "starts": starts,
        "by": list(factors),
        "where": {k: list(v) for k, v in (where or {}).items()},
        "others": others,
        "keep_defaulted": keep_defaulted,
        "seed": seed,
        "version": __version__,
    }
    origin = Path(log) if isinstance(log, str | Path) else None
    table = X.keys.assign(n_rounds=X.n_rounds)
    return DiscoverResult(found, factors, tuple(shares), table, played.skipped(), config, origin)
