"""A run as a source of games, also while another process plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import RunError, one_line
from intent.base.files import encodable
from intent.behaviour.questions import score
from intent.logs.gamelog import GameLog
from intent.logs.run_folder import DATABASE, LOCK, is_locked, read_facts
from intent.play.match import Match, Move, to_log
from intent.runner.driver import stored_matches
from intent.runner.store import RunStore, all_calls
from intent.view.source import DAMAGE

__all__ = ["RunCalls", "RunSource"]

_CHUNK = 250
_TEXTS = ("message", "private_thought", "reasoning", "advice", "details")


class RunCalls:
    """What a run's database says beside the log: calls, and how far each game came.

    Every method opens the database for itself, to read only, so that any thread may call it.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    RunError
        The folder is none of a run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.facts = folder, read_facts(folder)
        with self._store() as store:
            self.n_planned = store.file.count("SELECT count(*) FROM plans")

    def _store(self) -> RunStore:
        return RunStore(self.folder / DATABASE)

    @property
    def live(self) -> bool:
        """Whether a process plays the run now."""
        return is_locked(self.folder / LOCK)

    def n_finished(self) -> int:
        """Games that are over."""
        with self._store() as store:
            return store.file.count("SELECT count(*) FROM games WHERE state = 'finished'")

    def calls(self, game_id: str, first: int, last: int) -> pd.DataFrame:
        """The calls of a game in rounds `first` to `last`, as `codebook.CALLS`."""
        with self._store() as store:
            return all_calls(store, game_id, (first, last))

    def state(self, game_id: str) -> tuple[str | None, str | None]:
        """How far a game came, and what set it aside."""
        sql = "SELECT state, error FROM games JOIN plans USING (game) WHERE game_id = ?"
        with self._store() as store:
            row = store.file.row(sql, (game_id,))
        return (None, None) if row is None else (str(row[0]), None if row[1] is None else str(row[1]))


class RunSource:
    """The games of a run that have a completed round; a source as `intent.view.source.StoredLog`.

    Parameters
    ----------
    run : RunCalls

    Attributes
    ----------
    games, seats : Table
        A column ``state`` says how far each game came.
    seat_game : (n_seats,)
    notes : list of str
        Games that could not be read.
    """

    chunk = _CHUNK

    def __init__(self, run: RunCalls) -> None:
        self.run = run
        self.notes: list[str] = []
        self._seen: dict[int, tuple[str, int]] = {}
        self._numbers: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        empty = to_log([])
        self.games, self.seats = _arrow(empty.games.assign(state="")), _arrow(empty.seats)
        self.seat_game: NDArray[np.intp] = np.zeros(0, dtype=np.intp)

    @property
    def provenance(self) -> dict[str, Any]:
        """Facts on the run."""
        return dict(self.run.facts)

    @property
    def ready(self) -> bool:
        """Any game can be had at once."""
        return True

    def prepare(self) -> None:
        """There is nothing to prepare."""

    def refresh(self, most: int = 2_000) -> set[str] | None:
        """Read what has changed, at most so many games at a time; their names, None where nothing has."""
        with self.run._store() as store:
            sql = "SELECT game, state, rounds FROM games WHERE rounds > 0 ORDER BY game"
            now = {int(g): (str(state), int(rounds)) for g, state, rounds in store.file.rows(sql)}
            changed = [g for g, marks in now.items() if self._seen.get(g) != marks][:most]
            gone = self._seen.keys() - now.keys()
            if not changed and not gone:
                return None
            logs = [
                part
                for a in range(0, len(changed), _CHUNK)
                for part in self._read(store, changed[a : a + _CHUNK])
            ]
        for number in gone:
            del self._seen[number]
        self._seen |= {number: now[number] for number in changed}
        self._join({*gone, *changed}, logs, now)
        return {str(name) for _, log in logs for name in log.games["game_id"]}

    def _read(self, store: RunStore, numbers: list[int]) -> list[tuple[list[int], GameLog]]:
        """Games in as many logs as it takes to leave out those that are damaged."""
        try:
            return [(numbers, self._log(store, numbers))]
        except DAMAGE as error:
            if len(numbers) == 1:
                self.notes.append(one_line(error))
                return []
        half = len(numbers) // 2
        return [*self._read(store, numbers[:half]), *self._read(store, numbers[half:])]

    def _join(
        self,
        replaced: set[int],
        logs: Sequence[tuple[list[int], GameLog]],
        now: dict[int, tuple[str, int]],
    ) -> None:
        """Put games in place of what was known of them, in the order of their plans."""
        stay = ~np.isin(self._numbers, np.fromiter(replaced, dtype=np.intp))
        games, seats = [self.games.filter(stay)], [self.seats.filter(stay[self.seat_game])]
        numbers, owner = [self._numbers[stay]], [self._numbers[self.seat_game[stay[self.seat_game]]]]
        for positions, log in logs:
            games.append(_arrow(log.games.assign(state=[now[number][0] for number in positions])))
            seats.append(_arrow(log.seats))
            numbers.append(np.array(positions, dtype=np.intp))
            owner.append(np.repeat(numbers[-1], log.games["n_players"].to_numpy(dtype=np.intp)))
        every, of_seat = np.concatenate(numbers), np.concatenate(owner)
        order, seat_order = np.argsort(every), np.argsort(of_seat, kind="stable")
        self.games = pa.concat_tables(games, promote_options="permissive").take(pa.array(order))
        self.seats = pa.concat_tables(seats, promote_options="permissive").take(pa.array(seat_order))
        self._numbers = every[order]
        self.seat_game = np.searchsorted(self._numbers, of_seat[seat_order])

    def _log(self, store: RunStore, numbers: list[int]) -> GameLog:
        matches = stored_matches(store.file, str(self.run.facts["run"]), unfinished=True, only=numbers)
        return to_log(map(_encodable, matches), source="intent play", score=score)

    def log(self, games: Sequence[int] | NDArray[np.intp]) -> GameLog:
        """Some games, by their rows in `games`, as a log of their own.

        Raises
        ------
        RunError
            One is damaged.
        """
        with self.run._store() as store:
            log = self._log(store, self._numbers[np.asarray(games, dtype=np.intp)].tolist())
        if len(log) != len(games):
            raise RunError(f"{self.run.folder.name}: a game is there no more")
        return log

    def close(self) -> None:
        """Nothing is held open."""


def _arrow(table: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)


def _encodable(match: Match) -> Match:
    """The match, texts in it that no log can hold spelled out."""
    rounds = (replace(r, moves=tuple(_encodable_move(m) for m in r.moves)) for r in match.rounds)
    return replace(match, rounds=tuple(rounds))


def _encodable_move(move: Move) -> Move:
    texts = {name: text for name in _TEXTS if isinstance(text := getattr(move, name), str)}
    odd: dict[str, Any] = {
        name: spelled for name, text in texts.items() if (spelled := encodable(text)) is not text
    }
    return replace(move, **odd) if odd else move
