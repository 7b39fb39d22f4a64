"""What was asked of each endpoint in the last day, shared by processes and remembered between runs.

Each request of an account is a row: its ordinal n, its time, its tokens and the tokens of all rows up to
it. Both columns grow with n, so that a window's content is a difference of two rows, found by bisection:

- a further request keeps a limit of R in windows of W if row n + 1 - R is at least W old;
- one of k tokens keeps a limit of L if the rows of the last W hold at most L - k tokens, that is, if the
  first row whose running total reaches (total + k - L) is at least W old.

Either says to the microsecond when the request may go.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from intent.agents.cache_folder import cache_folder
from intent.runner.database import SharedFile
from intent.runner.limits import DAY, SECOND, Account

__all__ = ["Ledger", "Slot", "Wait", "ledger_path"]

SCHEMA = """
CREATE TABLE requests (
    account TEXT NOT NULL, n INTEGER NOT NULL, time INTEGER NOT NULL,
    tokens INTEGER NOT NULL, total INTEGER NOT NULL,
    PRIMARY KEY (account, n)
) WITHOUT ROWID
"""

PRUNE_EVERY = 1_000


def ledger_path() -> Path:
    """The user's own ledger."""
    return cache_folder() / "limits.sqlite"


@dataclass(frozen=True)
class Slot:
    """A request that has been entered: its row in every account, and the tokens set down for it."""

    rows: tuple[tuple[str, int], ...]
    tokens: int


@dataclass(frozen=True)
class Wait:
    """A request that may not go yet.

    Parameters
    ----------
    seconds : float
        Until it may, if nothing else is asked or given back meanwhile.
    account, limit : str
        What it waits for.
    """

    seconds: float
    account: str
    limit: str


class Ledger:
    """Enters requests, as soon as their limits allow.

    A clock that was put back makes entries that lie in the future count as made now, so that no limit
    is exceeded and nobody waits longer than one window.

    Parameters
    ----------
    path : Path, optional
        None keeps it in memory, for one process and one run.
    clock : function that returns seconds since 1970
    """

    def __init__(self, path: Path | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._file = SharedFile(path, SCHEMA, version=1)
        self._clock = clock

    def reserve(self, accounts: Sequence[Account], tokens: int) -> Slot | Wait:
        """Enter a request that is about to be sent in all its accounts, or in none.

        Parameters
        ----------
        accounts : sequence of Account
        tokens : int
            Estimate for prompt and reply. More than a limit allows counts as just as many.

        Raises
        ------
        DataError
            The file is damaged or locked.
        """
        with self._file.transaction():
            now = round(self._clock() * SECOND)
            waits = [self._wait(account, tokens, now) for account in accounts]
            longest = max(waits, key=lambda wait: wait.seconds)
            if longest.seconds > 0:
                return longest
            return Slot(tuple((a.key, self._enter(a.key, tokens, now)) for a in accounts), tokens)

    def settle(self, slot: Slot, tokens: int) -> None:
        """Put the tokens that a request really took in place of its estimate."""
        if more := tokens - slot.tokens:
            with self._file.transaction() as connection:
                for account, n in slot.rows:
                    connection.execute(
                        "UPDATE requests SET total = total + ?, tokens = tokens + ? * (n = ?)"
                        " WHERE account = ? AND n >= ?",
                        (more, more, n, account, n),
                    )

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def _wait(self, account: Account, tokens: int, now: int) -> Wait:
        key = account.key
        last, time, total = self._last(key)
        if time > now:
            sql = "UPDATE requests SET time = ? WHERE account = ? AND time > ?"
            self._file.connection.execute(sql, (now, key, now))
        free, limit = now, ""
        for bound in account.requests:
            if last >= bound.limit and (row := self._row(key, last + 1 - bound.limit)):
                free, limit = max((free, limit), (row[0] + bound.window, bound.name))
        for bound in account.tokens:
            oldest = self._reaching(key, total + min(tokens, bound.limit) - bound.limit, last)
            if oldest is not None:
                free, limit = max((free, limit), (oldest + bound.window, bound.name))
        return Wait((free - now) / SECOND, key, limit)

    def _reaching(self, key: str, total: int, last: int) -> int | None:
        """The time of the first row whose running total is at least so much; None: before the first."""
        first = self._first(key)
        if first is None or total <= first[2] - first[1]:
            return None
        rows = range(first[0], last + 1)
        n = rows[bisect_left(rows, total, key=lambda n: self._row(key, n)[1])]
        return self._row(key, n)[0]

    def _enter(self, key: str, tokens: int, now: int) -> int:
        n, _, total = self._last(key)
        self._file.connection.execute(
            "INSERT INTO requests VALUES (?, ?, ?, ?, ?)", (key, n + 1, now, tokens, total + tokens)
        )
        if n % PRUNE_EVERY == 0 and (first := self._first(key)):
            rows = range(first[0], n + 1)
            old = first[0] + bisect_left(rows, now - DAY, key=lambda n: self._row(key, n)[0])
            self._file.connection.execute("DELETE FROM requests WHERE account = ? AND n < ?", (key, old))
        return n + 1

    def _first(self, key: str) -> tuple[int, int, int] | None:
        sql = "SELECT n, tokens, total FROM requests WHERE account = ? ORDER BY n LIMIT 1"
        row: tuple[int, int, int] | None = self._file.connection.execute(sql, (key,)).fetchone()
        return row

    def _last(self, key: str) -> tuple[int, int, int]:
        sql = "SELECT n, time, total FROM requests WHERE account = ? ORDER BY n DESC LIMIT 1"
        row: tuple[int, int, int] | None = self._file.connection.execute(sql, (key,)).fetchone()
        return row or (0, 0, 0)

    def _row(self, key: str, n: int) -> tuple[int, int]:
        sql = "SELECT time, total FROM requests WHERE account = ? AND n = ?"
        row: tuple[int, int] = self._file.connection.execute(sql, (key, n)).fetchone()
        return row
