"""Going through all games behind the scenes: what has changed, labels, sums."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import one_line
from intent.logs.gamelog import GameLog
from intent.recognise.coin import Situations, coin_shares
from intent.view.game_table import GameTable
from intent.view.judging import SUMS, WHY, Judge, label_columns, seat_sums
from intent.view.source import DAMAGE, Source

__all__ = ["Progress"]

_MOST_NOTES = 20
_BREATH = 0.005
"""Seconds between chunks, in which a page may be served."""

_QUIET, _PATIENCE = 0.1, 0.3
"""Seconds without a request that a chunk waits for, and the most that it waits."""

_PAUSE = 1.0
"""Seconds between looks at a run."""


class Progress:
    """Keeps the table of games up to date.

    Parameters
    ----------
    source : Source
    judge : Judge
    labelled : DataFrame or None
        Labels that are there already: then none are computed.
    watch : bool
        Whether the source may change.

    Attributes
    ----------
    table : GameTable
        Replaced, never emptied, when games come in.
    notes : list of str
    coin : dict or None
        What fair coins would get, once all games are labelled here; of games that come in, nothing.
    """

    def __init__(
        self, source: Source, judge: Judge, labelled: pd.DataFrame | None = None, *, watch: bool = False
    ) -> None:
        self._source, self._judge, self._labelled, self._watch = source, judge, labelled, watch
        self._kinds = {**label_columns(judge.classes), **dict.fromkeys(SUMS, "number")}
        for name in ("moves_played", "defaulted", "missing"):
            self._kinds[name] = "whole"
        self._skipped: dict[str, str] = {}
        self.notes: list[str] = []
        self.coin: dict[str, Any] | None = None
        self._situations = Situations()
        self._lock, self._stop = threading.RLock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._asked = time.monotonic()
        self.table = self._fresh()

    def _fresh(self) -> GameTable:
        source = self._source
        table = GameTable(source.games, source.seats, source.seat_game, self._kinds)
        if self._labelled is not None:
            unknown = table.fill(self._labelled)
            if unknown and not self._watch:
                self.note(f"{unknown:,} labels are of no seat of this log")
        return table

    def note(self, text: str) -> None:
        """Remember something that a reader should know, once."""
        if text not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(text)

    def start(self) -> None:
        """Go through the games in a thread."""
        self._thread = threading.Thread(target=self._run, name="intent-view", daemon=True)
        self._thread.start()

    def give_way(self) -> None:
        """A page is asked for: the thread goes on once nobody waits for one."""
        self._asked = time.monotonic()

    def _wait_turn(self) -> None:
        latest = time.monotonic() + _PATIENCE
        while (now := time.monotonic()) < min(self._asked + _QUIET, latest) and not self._stop.is_set():
            self._stop.wait(min(self._asked + _QUIET, latest) - now)

    def close(self) -> None:
        """Stop the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                self.step()
            except DAMAGE as error:
                self.note(one_line(error))
            if not self._watch:
                return
            self._stop.wait(max(_PAUSE, 2 * (time.monotonic() - began)))

    def step(self) -> None:
        """Read what has changed, and label what is new."""
        self._source.prepare()
        while not self._stop.is_set():
            changed = self._source.refresh()
            if changed is not None:
                self._replace(changed)
            left = np.flatnonzero(~self.table.done)
            if not len(left):
                self._toss()
                return
            for a in range(0, len(left), self._source.chunk):
                if self._stop.is_set():
                    return
                self._wait_turn()
                self.label(left[a : a + self._source.chunk])
                time.sleep(_BREATH)

    def _toss(self) -> None:
        """Say what fair coins would get; a run that goes on would change it with every game."""
        if self._labelled is None and not self._watch and self.coin is None:
            judge = self._judge
            coin = coin_shares(self._situations, judge.recogniser, judge.settings, seed=judge.seed)
            self.coin = None if coin is None else coin.to_dict()

    def _replace(self, changed: set[str]) -> None:
        with self._lock:
            table = self._fresh()
            table.carry(self.table, changed)
            self.table = table

    def label(self, games: NDArray[np.intp], *, wait: bool = True) -> None:
        """Label games that are not labelled yet, by their rows; those that cannot be read are noted.

        Parameters
        ----------
        games : (n,)
        wait : bool
            Whether to wait for other games that are being labelled, or leave these to them.
        """
        if not self._lock.acquire(blocking=wait):
            return
        try:
            games = games[~self.table.done[games]]
            if len(games):
                self._label(games)
        finally:
            self._lock.release()

    def _label(self, games: NDArray[np.intp]) -> None:
        try:
            log = self._source.log(games)
            table = self.table
            table.fill(seat_sums(log))
            if self._labelled is None:
                X = self._judge.play(log)
                table.fill(self._judge.labels_of(X))
                if not self._watch:
                    self._situations += Situations.of(X)
                self._count(log)
            table.finish(games)
        except DAMAGE as error:
            if len(games) == 1:
                self.note(one_line(error))
                self.table.finish(games)
                return
            half = len(games) // 2
            self._label(games[:half])
            self._label(games[half:])

    def _count(self, log: GameLog) -> None:
        """Why games have no labels."""
        coded = log.has_cooperation()
        undecidable = log.games["cooperative_action"].isna().to_numpy()
        many = (log.games["n_players"] > 2).to_numpy(dtype=bool) & (self._judge.others is None)
        why = np.select([~coded & undecidable, ~coded, many], WHY, default="")
        for name, reason in zip(log.games["game_id"], why.tolist(), strict=True):
            if reason:
                self._skipped[str(name)] = reason
            else:
                self._skipped.pop(str(name), None)

    @property
    def skipped(self) -> tuple[tuple[str, int], ...]:
        """Reasons why games have no labels, and how many games."""
        return tuple(Counter(list(self._skipped.values())).most_common())
