"""Trajectories: one focal player's moves and its opponent's, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Trajectories", "unseen_errors"]


class Trajectories:
    """Own and other moves of `n` trajectories of at most `T` rounds.

    Works wherever scikit-learn wants an array: it has ``shape`` and ``len`` and takes array indexing by row.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    mask : (n, T) bool, optional
        False where nothing of the round is known (not played, or missing): both moves are then unknown.
    decided : (n, T) int8, optional
        What the player chose, where the game may have played something else (an implementation error); -1:
        what was played. Decisions are the evidence about the player; states move on what was played.
    evidence : (n, T) bool, optional
        False where an own move, though known, says nothing about the player (a default replaced its
        unreadable reply). By default every known own move counts.
    other_share : (n, T) float, optional
        With more than two players, the share of the others that cooperated.
    keys : DataFrame, optional
        One row per trajectory: game_id, seat, and the columns that describe them (the way back).
    implementation_error : float or (n,) float in [0, .5), optional
        Known probability that the game plays the opposite of a decision, of trajectories whose decisions are
        not recorded; 0 where they are.

    Attributes
    ----------
    own, other : (n, T) int8, what was played
    decided : (n, T) int8, or None where every decision was played
        As `own` where the decision is unknown or no evidence.
    implementation_error : (n,) float, or None where there is none to reckon with

    Raises
    ------
    DataError
        Arrays of different shape, or values other than -1, 0 and 1.

    Examples
    --------
    >>> Trajectories([[1, 1, 0]], [[1, 0, 0]]).shape
    (1, 3)
    """

    def __init__(
        self,
        own: ArrayLike,
        other: ArrayLike,
        mask: ArrayLike | None = None,
        decided: ArrayLike | None = None,
        *,
        evidence: ArrayLike | None = None,
        other_share: ArrayLike | None = None,
        keys: pd.DataFrame | None = None,
        implementation_error: ArrayLike | None = None,
    ) -> None:
        self.own = _moves(own, "own")
        self.other = _moves(other, "other")
        if self.own.shape != self.other.shape:
            raise DataError(f"own has shape {self.own.shape} and other {self.other.shape}, expected the same")
        if mask is not None:
            known = np.asarray(mask, dtype=bool)
            if known.shape != self.own.shape:
                raise DataError(f"mask has shape {known.shape}, expected {self.own.shape}")
            if not known.all():
                self.own = np.where(known, self.own, np.int8(-1))
                self.other = np.where(known, self.other, np.int8(-1))
        self._evidence: NDArray[np.bool_] | None = None
        if evidence is not None:
            counts = np.asarray(evidence, dtype=bool)
            if counts.shape != self.own.shape:
                raise DataError(f"evidence has shape {counts.shape}, expected {self.own.shape}")
            if not (counts | (self.own < 0)).all():
                self._evidence = counts & (self.own >= 0)
        self.decided = None if decided is None else self._decisions(_moves(decided, "decided"))
        self.implementation_error = _errors(implementation_error, len(self.own))
        self.other_share = None if other_share is None else np.asarray(other_share, dtype=float)
        self.keys = keys

    def _decisions(self, decided: NDArray[np.int8]) -> NDArray[np.int8] | None:
        """Decisions that say more than the moves that were played, None where none does."""
        if decided.shape != self.own.shape:
            raise DataError(f"decided has shape {decided.shape}, expected {self.own.shape}")
        full = np.where(self.evidence & (decided >= 0), decided, self.own)
        return None if (full == self.own).all() else full

    @classmethod
    def trusted(cls, own: NDArray[np.int8], other: NDArray[np.int8]) -> Trajectories:
        """Without the checks, for arrays that this package has just made."""
        new = object.__new__(cls)
        new.own, new.other = own, other
        new._evidence, new.other_share, new.keys = None, None, None
        new.decided, new.implementation_error = None, None
        return new

    @classmethod
    def from_strings(cls, own: Sequence[str], other: Sequence[str]) -> Trajectories:
        """From strings such as ``"CCD"``; any other letter is an unknown move, shorter ones are padded."""
        horizon = max((len(text) for text in [*own, *other]), default=0)

        def decode(texts: Sequence[str]) -> NDArray[np.int8]:
            rows = [[{"C": 1, "D": 0}.get(x, -1) for x in text.upper().ljust(horizon)] for text in texts]
            return np.array(rows, dtype=np.int8).reshape(len(texts), horizon)

        return cls(decode(own), decode(other))

    @property
    def shape(self) -> tuple[int, int]:
        """(n, T)."""
        return (self.own.shape[0], self.own.shape[1])

    @property
    def ndim(self) -> int:
        """2, as for an array of n rows."""
        return 2

    @property
    def mask(self) -> NDArray[np.bool_]:
        """(n, T), True where anything of the round is known."""
        known: NDArray[np.bool_] = (self.own >= 0) | (self.other >= 0)
        return known

    @property
    def evidence(self) -> NDArray[np.bool_]:
        """(n, T), True where the own move is known and counts as evidence about the player."""
        known: NDArray[np.bool_] = self.own >= 0
        return known if self._evidence is None else self._evidence

    @property
    def evidence_mask(self) -> NDArray[np.bool_] | None:
        """`evidence`, or None where every known own move counts (which is faster to score)."""
        return self._evidence

    @property
    def n_rounds(self) -> NDArray[np.int64]:
        """(n,), own moves that count as evidence."""
        counts: NDArray[np.int64] = self.evidence.sum(axis=1)
        return counts

    def read_others(self, how: str) -> Trajectories:
        """Two-player trajectories in which the others count as one player.

        Parameters
        ----------
        how : {"any", "majority", "all"}
            The others "cooperated" when any, more than half, or all of them did.
        """
        if self.other_share is None:
            return self
        known = np.isfinite(self.other_share)
        share = np.where(known, self.other_share, 0.0)
        rules = {"any": share > 0, "majority": share > 0.5, "all": share >= 1}
        if how not in rules:
            raise DataError(f"others {how!r}, expected any, majority or all")
        other = np.where(known, rules[how].astype(np.int8), np.int8(-1))
        new = self[slice(None)]
        new.other, new.other_share = other, None
        return new

    def __len__(self) -> int:
        return int(self.own.shape[0])

    def __getitem__(self, rows: Any) -> Trajectories:
        if isinstance(rows, tuple):
            if any(part is not Ellipsis and part != slice(None) for part in rows[1:]):
                raise DataError(
                    "trajectories are indexed by row only; use truncated(rounds) for fewer rounds"
                )
            rows = rows[0]
        if isinstance(rows, int | np.integer):
            rows = [rows]
        new = object.__new__(Trajectories)
        new.own, new.other = self.own[rows], self.other[rows]
        new._evidence = None if self._evidence is None else self._evidence[rows]
        new.decided = None if self.decided is None else self.decided[rows]
        errors = self.implementation_error
        new.implementation_error = None if errors is None else errors[rows]
        new.other_share = None if self.other_share is None else self.other_share[rows]
        new.keys = None if self.keys is None else self.keys.iloc[rows].reset_index(drop=True)
        return new

    def truncated(self, rounds: int) -> Trajectories:
        """The first `rounds` rounds."""
        new = self[slice(None)]
        new.own, new.other = new.own[:, :rounds], new.other[:, :rounds]
        new._evidence = None if new._evidence is None else new._evidence[:, :rounds]
        new.decided = None if new.decided is None else new.decided[:, :rounds]
        new.other_share = None if new.other_share is None else new.other_share[:, :rounds]
        return new

    def lengthened(self, rounds: int) -> Trajectories:
        """The play alone, with unknown rounds at the end up to `rounds`."""
        ends = ((0, 0), (0, rounds - self.shape[1]))
        new = object.__new__(Trajectories)
        new.own, new.other = (np.pad(m, ends, constant_values=-1) for m in (self.own, self.other))
        new._evidence = None if self._evidence is None else np.pad(self._evidence, ends)
        new.decided = None if self.decided is None else np.pad(self.decided, ends, constant_values=-1)
        new.implementation_error, new.other_share, new.keys = self.implementation_error, None, None
        return new

    @property
    def decisions(self) -> NDArray[np.int8]:
        """(n, T), what the player chose: `decided`, or `own` where every decision was played."""
        return self.own if self.decided is None else self.decided

    @classmethod
    def concatenated(cls, parts: Sequence[Trajectories]) -> Trajectories:
        """The play of several, one below the other; shorter ones are padded, keys and shares left out.

        Raises
        ------
        DataError
            No part.
        """
        if not parts:
            raise DataError("no trajectories, expected at least one part")
        rounds = max(part.shape[1] for part in parts)
        padded = [part.lengthened(rounds) for part in parts]
        new = object.__new__(cls)
        new.own = np.concatenate([p.own for p in padded])
        new.other = np.concatenate([p.other for p in padded])
        new._evidence = new.decided = new.implementation_error = None
        new.other_share = new.keys = None
        if any(p._evidence is not None for p in padded):
            new._evidence = np.concatenate([p.evidence for p in padded])
        if any(p.decided is not None for p in padded):
            new.decided = np.concatenate([p.decisions for p in padded])
        if any(p.implementation_error is not None for p in padded):
            errors = [p.implementation_error for p in padded]
            new.implementation_error = np.concatenate(
                [np.zeros(len(p)) if e is None else e for p, e in zip(padded, errors, strict=True)]
            )
        return new

    def __repr__(self) -> str:
        return f"Trajectories(n={self.shape[0]}, T={self.shape[1]})"


def unseen_errors(errors: ArrayLike, decided: NDArray[np.int8] | None) -> NDArray[np.float64]:
    """Implementation errors (n,) that no recorded decision shows: 0 where none is known, or decisions are.

    Parameters
    ----------
    errors : (n,) float, NaN where none is known of
    decided : (n, T) int8, -1 where no decision is recorded, or None
    """
    unseen = np.nan_to_num(np.asarray(errors, dtype=float))
    return unseen if decided is None else np.where((decided >= 0).any(axis=1), 0.0, unseen)


def _errors(values: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Implementation errors (n,), None where all are zero."""
    if values is None:
        return None
    errors = np.asarray(values, dtype=float)
    if errors.shape not in ((), (n,)):
        raise DataError(f"implementation_error has shape {errors.shape}, expected one number or ({n},)")
    if not ((errors >= 0) & (errors < 0.5)).all():
        raise DataError("implementation_error is outside [0, .5), expected a probability below one half")
    return np.broadcast_to(errors, n) if errors.any() else None


def _moves(values: ArrayLike, name: str) -> NDArray[np.int8]:
    raw = np.asarray(values)
    if raw.ndim != 2:
        raise DataError(f"{name} has {raw.ndim} dimensions, expected 2: trajectories by rounds")
    if raw.dtype == np.int8:
        moves = raw
    else:
        wide = raw.astype(float) if raw.dtype.kind in "bfiu" else None
        if wide is None or not np.isin(wide, (-1.0, 0.0, 1.0)).all():
            raise DataError(f"{name} holds values other than 1 (cooperate), 0 (defect) and -1 (unknown)")
        return raw.astype(np.int8)
    if moves.size and not (moves.min() >= -1 and moves.max() <= 1):
        raise DataError(f"{name} holds values other than 1 (cooperate), 0 (defect) and -1 (unknown)")
    return moves
