"""Discover ways of playing in an unlabelled log, without asking for any strategy by name.

What a discovery returns: values, text, tables, and files as their suffix says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import DataError, UsageError
from intent.base.job import Result, Table, data_line, job, kept_in_words
from intent.base.statistics import group_name, grouping
from intent.base.tables import column_names
from intent.logs.chunks import focal_play, keeps_scripted, scripted_notes, unread_rows
from intent.recognise.encoding import N_SYMBOLS_CHOICES
from intent.recognise.hmm import discover_states
from intent.recognise.requests import DiscoverRequest
from intent.strategies.sets import strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.recognise.hmm import Discovery, State


__all__ = ["DiscoverResult", "GroupShare", "discover", "parse_states"]


@dataclass(frozen=True)
class GroupShare:
    """The share of a group's moves that was made in each state.

    Attributes
    ----------
    values : values of the columns that make the groups
    n : int, trajectories
    shares : tuple of float, by state
    """

    values: tuple[Any, ...]
    n: int
    shares: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class DiscoverResult(Result):
    """A discovery, with what is needed to say how it came about.

    Parameters
    ----------
    discovery : Discovery
    by : columns that make the groups
    groups : tuple of GroupShare
    keys : DataFrame
        What describes each trajectory, and ``n_rounds``.
    skipped : mapping of reason -> games without trajectories
    config : mapping
        The resolved settings, version and origin of the log, JSON-able; kept in every file written.
    origin : Path, optional
        The log that was read; never written over.
    notes : what makes the number of states, or the states, less sure
    """

    discovery: Discovery
    by: tuple[str, ...]
    groups: tuple[GroupShare, ...]
    keys: pd.DataFrame
    skipped: Mapping[str, int]
    config: Mapping[str, Any]
    origin: Path | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        discovery = self.discovery
        return f"<DiscoverResult: {len(discovery.states)} states in {discovery.n_moves:,} moves>"

    kind = "discovery"

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent discover --json``."""
        discovery = self.discovery
        names = [state.name for state in discovery.states]
        return {
            "n": len(self.keys),
            "n_games": int(self.keys["game_id"].nunique()),
            "n_moves": discovery.n_moves,
            "n_states": len(discovery.states),
            "candidates": [
                {**asdict(c), "agreement": dict(zip(("found", "followed"), c.agreement, strict=True))}
                for c in discovery.candidates
            ],
            "states": [self._state(state, names) for state in discovery.states],
            "groups": [
                {
                    "group": dict(zip(self.by, group.values, strict=True)),
                    "n": group.n,
                    "shares": dict(zip(names, group.shares, strict=True)),
                }
                for group in self.groups
            ],
            "skipped": dict(self.skipped),
        }

    def table(self) -> pd.DataFrame:
        """One row per trajectory: what describes it, and the share of its moves in each state."""
        shares = self.discovery.shares
        columns = {f"share_{s.name}": shares[:, k] for k, s in enumerate(self.discovery.states)}
        return self.keys.assign(**columns)

    def remarks(self) -> Iterator[str]:
        """What was left out."""
        for reason, games in self.skipped.items():
            yield f"{games:,} games have no trajectories: {reason}"

    def parts(self) -> Iterator[Table | str]:
        """Numbers of states, the states, and who plays them."""
        discovery, facts = self.discovery, self.to_dict()
        yield f"{facts['n']:,} trajectories of {facts['n_games']:,} games, {facts['n_moves']:,} moves"
        yield ""
        best = len(discovery.states)
        rows: list[list[object]] = [
            [
                f"{c.n_states}{' *' if c.n_states == best else ''}",
                f"{c.log_likelihood:,.1f}",
                c.n_parameters,
                f"{c.bic:,.1f}",
                "{} of {}".format(*c.agreement),
            ]
            for c in discovery.candidates
        ]
        heads = ("states", "log-likelihood", "parameters", "BIC", "starts that agree")
        yield Table(heads, rows, "Number of states; * has the least BIC")
        yield ""
        situations = discovery.situations
        rows = []
        for k, state in enumerate(discovery.states):
            cells: list[object] = [state.name, f"{state.share:.1%}"]
            cells += [_probability(p, n) for p, n in zip(state.p_cooperate, state.moves, strict=True)]
            near = ", ".join(f"{n.strategy} ({n.eps:.2f}): {n.distance:.2f}" for n in state.nearest[:2])
            rows.append([*cells, f"{state.start:.1%}", f"{state.next[k]:.1%}", near])
        short = [f"{name[0]}*" if " " in name else name for name in situations]
        header = ["state", "play", *short, "starts", "stays", "nearest strategies (noise): distance"]
        title = "P(cooperate) by last outcome (R = CC, S = CD, T = DC, P = DD, own move first); "
        title += "? under 30 moves"
        title += "" if short == [*situations] else "; * the other had defected before"
        yield Table(header, rows, title)
        if self.groups:
            yield ""
            rows = [[*map(str, g.values), g.n, *(_percent(share) for share in g.shares)] for g in self.groups]
            names = [f"state {state.name}" for state in discovery.states]
            yield Table([*self.by, "n", *names], rows, "Share of moves made in each state, %")
        if outside := [state.name for state in discovery.states if state.outside]:
            what = "no memory-one strategy of the catalogue, even with noise of .2, plays like state"
            yield ""
            yield f"{what} {', '.join(outside)} (distance above .1)"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw the states."""
        from intent.recognise.figures import states_figure

        source = self.origin.name if self.origin else None
        count = f"{len(self.keys):,} trajectories"
        groups = [(group_name(g.values), g.n, g.shares) for g in self.groups]
        return states_figure(self.discovery, groups, " · ".join(self.by)).write(
            target,
            remarks=(data_line(source, *kept_in_words(self.config["where"]), count),),
            description=self.description(),
            overwrite=overwrite,
        )

    def _state(self, state: State, names: list[str]) -> dict[str, Any]:
        where = self.discovery.situations
        return {
            "name": state.name,
            "share": state.share,
            "start": state.start,
            "p_cooperate": dict(zip(where, state.p_cooperate, strict=True)),
            "moves": dict(zip(where, state.moves, strict=True)),
            "next": dict(zip(names, state.next, strict=True)),
            "nearest": [asdict(neighbour) for neighbour in state.nearest],
            "outside": state.outside,
        }


def _cautions(discovery: Discovery) -> Iterator[str]:
    """What makes the number of states, or the states, less sure."""
    tried = discovery.candidates
    best = next(c for c in tried if c.n_states == len(discovery.states))
    agreeing, followed = best.agreement
    if agreeing < 2 <= followed:
        yield "one start only found these states; more --starts would make them surer"
    if not best.converged:
        yield "the fit of these states had not come to rest"
    if best.n_states == max(c.n_states for c in tried) and len(tried) > 1:
        yield "the most states tried have the least BIC; --states may go further"


def _probability(p: float, moves: float) -> str:
    return "–" if math.isnan(p) or moves < 0.5 else f"{p:.2f}{'?' if moves < 30 else ''}"


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.1%}"


_MOST_STATES = 20


def parse_states(text: str) -> tuple[int, int]:
    """``4`` or ``1-6`` as (least, most) states.

    Raises
    ------
    UsageError
        Anything else, or more than 20.
    """
    match = re.fullmatch(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", text.strip())
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high <= _MOST_STATES:
        raise UsageError(f"--states {text!r}, expected a number or a range such as 1-6, up to {_MOST_STATES}")
    return low, high


@job(DiscoverRequest)
def discover(request: DiscoverRequest) -> DiscoverResult:
    """Hidden Markov states of the play of a log, as many as BIC asks for, beside the catalogue.

    With 10 symbols a state answers {nothing, R, S, T, P}; with 14, R and T also apart by whether the other
    had defected before.

    Raises
    ------
    UsageError
        Numbers of states, symbols or starts that cannot be; games of more than two players and no `others`.
    UnknownNameError
        A column that does not exist.
    DataError
        No move in a known situation.
    """
    log, symbols, starts, config = request.log, request.symbols, request.starts, request.config()
    low, high = parse_states(request.states)
    if symbols not in N_SYMBOLS_CHOICES:
        raise UsageError(f"--symbols {symbols}, expected 10 or 14")
    if not 1 <= starts <= 1000:
        raise UsageError(f"--starts {starts}, expected 1 to 1000")
    how = request.values(("where", "others", "keep_defaulted")) | keeps_scripted(request)
    played, X = focal_play(log, **how, **request.file_reading())
    if not X.n_rounds.sum():
        reasons = "; ".join(f"{n:,} games: {why}" for why, n in played.skipped().items())
        raise DataError(
            f"the log has no own move of a known kind, nothing to discover{reasons and f' ({reasons})'}"
        )
    assert X.keys is not None
    factors = column_names(request.by, X.keys.columns)
    groups = grouping(X.keys, factors) if factors else None
    discovery = discover_states(
        X,
        n_states=range(low, high + 1),
        n_symbols=symbols,
        n_starts=starts,
        strategies=strategy_set(request.strategies),
        rng=np.random.default_rng(request.seed),
        update=request.update,
    )
    shares: list[GroupShare] = []
    if groups is not None:
        moves = X.n_rounds.astype(float)
        spent = groups.sums(np.nan_to_num(discovery.shares) * moves[:, None])
        size = np.bincount(groups.codes, minlength=len(groups))
        for g, values in enumerate(groups.values):
            total = spent[g].sum()
            part = tuple((spent[g] / total).tolist()) if total else (float("nan"),) * spent.shape[1]
            shares.append(GroupShare(values, int(size[g]), part))
    order = (
        "states",
        "symbols",
        "starts",
        "by",
        "where",
        "others",
        "keep_defaulted",
        "keep_scripted",
        "seed",
    )
    config = {
        "log": played.provenance,
        **{name: config[name] for name in order},
        "by": list(factors),
        "version": __version__,
    }
    origin = Path(log) if isinstance(log, str | Path) else None
    table = X.keys.assign(n_rounds=X.n_rounds)
    notes = (*unread_rows(played), *scripted_notes(played), *_cautions(discovery))
    return DiscoverResult(discovery, factors, tuple(shares), table, played.skipped(), config, origin, notes)
