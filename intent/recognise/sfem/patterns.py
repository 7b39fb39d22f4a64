"""Patterns: the distinct counts of subjects, in an order that depends on nothing but what they hold.

Two subjects with the same counts, and the same likelihoods where moves are unknown, are one pattern. Patterns
of parts of a log become those of the whole by `merged`, in any order of the parts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.distinct_rows import distinct_rows
from intent.recognise.sfem.gaps import Gaps

__all__ = ["merged", "patterns", "stacked"]

_WIDEST = 1 << 15


def patterns(counts: Counts) -> tuple[Counts, NDArray[np.intp]]:
    """Counts of the distinct subjects, sorted, and which of them each subject is (n,)."""
    gaps, rank = _sorted(counts.gaps)
    place, pattern = distinct_rows(counts.moves, counts.choices[:, None], _listed(gaps, rank, len(counts)))
    moves = counts.moves[place]
    dtype = np.int16 if moves.max(initial=0) < _WIDEST else np.int32
    new = np.full(len(counts), -1)
    new[place] = np.arange(len(place))
    keep = np.flatnonzero(new[gaps.row] >= 0)
    keep = keep[np.argsort(new[gaps.row[keep]], kind="stable")]
    own = gaps.take(keep, new[gaps.row[keep]], gaps.strategy[keep])
    return Counts(counts.p, counts.first, moves.astype(dtype), counts.choices[place], own), pattern


def merged(parts: Sequence[Counts]) -> tuple[Counts, list[NDArray[np.intp]]]:
    """The patterns of several parts, and which of them each pattern of each part is."""
    whole, pattern = patterns(stacked(parts))
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return whole, np.split(pattern, ends)


def stacked(parts: Sequence[Counts]) -> Counts:
    """Counts of the subjects of several parts, one below the other."""
    starts = np.cumsum([0, *(len(part) for part in parts)])
    gaps = Gaps.join(
        [
            part.gaps.take(np.arange(len(part.gaps)), part.gaps.row + start, part.gaps.strategy)
            for part, start in zip(parts, starts, strict=False)
        ]
    )
    moves = np.concatenate([part.moves for part in parts])
    choices = np.concatenate([part.choices for part in parts])
    return Counts(parts[0].p, parts[0].first, moves, choices, gaps)


def _sorted(gaps: Gaps) -> tuple[Gaps, NDArray[np.intp]]:
    """Gaps by subject and content, without columns that hold nothing; the rank of each one's content."""
    width = max(1, int(np.flatnonzero(gaps.coefficients.any(axis=0)).max(initial=0)) + 1)
    coefficients = np.ascontiguousarray(gaps.coefficients[:, :width])
    facts = np.stack([gaps.strategy, gaps.degree, gaps.fewest, gaps.log_scale.view(np.int64)], axis=1)
    rank = distinct_rows(facts, coefficients.view(np.int64))[1]
    order = np.lexsort([rank, gaps.row])
    trimmed = Gaps(gaps.row, gaps.strategy, gaps.degree, gaps.fewest, coefficients, gaps.log_scale)
    return trimmed.take(order, gaps.row[order], gaps.strategy[order]), rank[order]


def _listed(gaps: Gaps, rank: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Ranks (from 1) of the gaps of each subject, zeros after the last one."""
    number = np.bincount(gaps.row, minlength=n)
    start = np.cumsum(number) - number
    found = np.zeros((n, int(number.max(initial=0))), dtype=np.intp)
    found[gaps.row, np.arange(len(gaps)) - start[gaps.row]] = rank + 1
    return found
