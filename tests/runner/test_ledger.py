"""No window ever holds more than its limit, and nobody waits longer than that takes."""

import multiprocessing
import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from window_oracle import earliest, inside

from intent.base.errors import DataError
from intent.runner.limits import Account, Bound, Ledger, Limits, Slot, Wait


class Clock:
    def __init__(self, microseconds=10**9):
        self.microseconds = microseconds

    def __call__(self):
        return self.microseconds / 10**6


bounds = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 50)), max_size=3)
arrivals = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 12), st.one_of(st.none(), st.integers(0, 12))), max_size=30
)


@given(bounds, bounds, arrivals)
def test_requests_go_as_soon_as_the_limits_allow_and_not_before(requests, tokens, arrivals):
    account = Account("a", tuple(Bound("r", *b) for b in requests), tuple(Bound("t", *b) for b in tokens))
    clock = Clock()
    ledger, entries = Ledger(clock=clock), []
    for gap, estimate, actual in arrivals:
        clock.microseconds += gap
        may_go = earliest(entries, account, estimate, clock.microseconds)
        found = ledger.reserve([account], estimate)
        if isinstance(found, Wait):
            assert round(found.seconds * 10**6) == may_go - clock.microseconds
            clock.microseconds = may_go
            found = ledger.reserve([account], estimate)
        else:
            assert may_go == clock.microseconds
        assert isinstance(found, Slot)
        entries.append((clock.microseconds, estimate))
        assert all(len(inside(entries, b.window, clock.microseconds)) <= b.limit for b in account.requests)
        if actual is not None:
            ledger.settle(found, actual)
            entries[-1] = (clock.microseconds, actual)


def test_tokens_settle_in_any_order():
    clock, account = Clock(), Limits(tokens_per_minute=100).account("a")
    ledger = Ledger(clock=clock)
    first, second = ledger.reserve([account], 50), ledger.reserve([account], 50)
    assert isinstance(ledger.reserve([account], 10), Wait)
    ledger.settle(second, 20)
    ledger.settle(first, 30)
    assert isinstance(ledger.reserve([account], 51), Wait)
    assert isinstance(ledger.reserve([account], 50), Slot)


def test_more_tokens_than_the_limit_go_when_nothing_else_does():
    clock, account = Clock(), Limits(tokens_per_minute=100).account("a")
    ledger = Ledger(clock=clock)
    assert isinstance(ledger.reserve([account], 1_000), Slot)
    assert ledger.reserve([account], 1_000) == Wait(60.0, "a", "tokens_per_minute")


def test_all_accounts_or_none():
    ledger = Ledger(clock=Clock())
    endpoint, model = Limits(requests_per_hour=9).account("e"), Limits(requests_per_day=1).account("e m")
    assert isinstance(ledger.reserve([endpoint, model], 0), Slot)
    assert all(ledger.reserve([endpoint, model], 0).limit == "requests_per_day" for _ in range(20))
    assert isinstance(ledger.reserve([endpoint], 0), Slot)


def test_a_day_is_remembered_between_runs(tmp_path):
    clock, account = Clock(), Limits(requests_per_day=1).account("a")
    ledger = Ledger(tmp_path / "deep" / "limits.sqlite", clock=clock)
    ledger.reserve([account], 0)
    ledger.close()
    clock.microseconds += 3_600 * 10**6
    assert Ledger(tmp_path / "deep" / "limits.sqlite", clock=clock).reserve([account], 0).seconds == 82_800


def test_a_clock_put_back_costs_one_window_at_most():
    clock, account = Clock(10**15), Limits(requests_per_minute=2).account("a")
    ledger = Ledger(clock=clock)
    ledger.reserve([account], 0)
    ledger.reserve([account], 0)
    clock.microseconds -= 10**14
    assert ledger.reserve([account], 0).seconds == 60
    clock.microseconds += 60 * 10**6
    assert isinstance(ledger.reserve([account], 0), Slot)


def test_only_a_day_is_kept(tmp_path):
    clock, account = Clock(), Limits(requests_per_day=10**6).account("a")
    ledger = Ledger(tmp_path / "l", clock=clock)
    for _ in range(2_500):
        clock.microseconds += 80 * 10**6
        ledger.reserve([account], 1)
    ((kept,),) = sqlite3.connect(tmp_path / "l").execute("SELECT count(*) FROM requests")
    assert 1_080 <= kept <= 2_080


@pytest.mark.parametrize("content", [b"no database" * 100, None])
def test_a_file_that_is_none_of_ours(tmp_path, content):
    path = tmp_path / "limits.sqlite"
    if content is None:
        with sqlite3.connect(path) as other:
            other.execute("PRAGMA user_version=7")
        other.close()
    else:
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"limits\.sqlite"):
        Ledger(path)


WINDOW, LIMIT = 300_000, 40


def work(path, n):
    ledger, account = Ledger(path), Account("a", (Bound("r", LIMIT, WINDOW),), ())
    while n:
        found = ledger.reserve([account], 1)
        if isinstance(found, Wait):
            time.sleep(found.seconds)
        else:
            n -= 1


@pytest.mark.slow
def test_processes_share_a_ledger(tmp_path):
    path, context = tmp_path / "limits.sqlite", multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(path, 100)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    times = [t for (t,) in sqlite3.connect(path).execute("SELECT time FROM requests ORDER BY n")]
    assert len(times) == 400
    assert all(later - earlier >= WINDOW for earlier, later in zip(times, times[LIMIT:], strict=False))
