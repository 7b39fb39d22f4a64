"""Every group of players gets its share of the games in flight."""

from __future__ import annotations

from intent.runner.driver import Schedule


def test_groups_take_turns_and_keep_their_order():
    schedule = Schedule([(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "b")])
    assert [schedule.take() for _ in range(6)] == [1, 4, 2, 5, 3, None]


def test_a_slow_group_leaves_room_for_the_others():
    schedule = Schedule([(i, "slow") for i in range(1, 9)] + [(i, "fast") for i in range(11, 19)])
    in_flight = [schedule.take() for _ in range(4)]
    for game in in_flight:
        if game > 10:
            schedule.give_back(game)
    assert [schedule.take(), schedule.take()] == [13, 14]


def test_the_rest_of_one_group_fills_the_window():
    schedule = Schedule([(1, "a"), (2, "b"), (3, "b"), (4, "b")])
    assert [schedule.take() for _ in range(4)] == [1, 2, 3, 4]
    assert len(schedule) == 0
