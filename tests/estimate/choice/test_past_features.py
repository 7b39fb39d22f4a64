"""Features of the past, against the same said in loops; nothing later than a move enters."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import DataError
from intent.estimate.choice import features
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.features import Past, check_two_actions, drawn_subjects

NAMES = {2: ("defect", "cooperate"), 3: ("rock", "paper", "scissors")}


def some_play(a: int, n: int = 12, rounds: int = 6, seed: int = 0) -> Choices:
    """Random moves with gaps, three games each."""
    rng = np.random.default_rng(seed)
    own, other = (rng.integers(-1, a, (n, rounds)).astype(np.int8) for _ in range(2))
    return Choices(own, other, own, NAMES[a], rng.permutation(n) % 4)


def in_words(X: Choices, row: int, t: int) -> dict[str, float]:
    """The features of one move, counted in loops."""
    a = X.n_actions
    short = [name[0].upper() for name in X.actions]
    own, other = X.own[row].tolist(), X.other[row].tolist()
    earlier = [i for i in range(row) if X.subject[i] == X.subject[row]]

    def rate(moves: list[int], code: int) -> float:
        return (moves.count(code) + 1 / a) / (sum(m >= 0 for m in moves) + 1)

    def context(mine: list[int], theirs: list[int], at: int) -> object:
        if at == 0:
            return "first"
        pair = (mine[at - 1], theirs[at - 1])
        return "unknown" if min(pair) < 0 else pair

    out: dict[str, float] = {"round": t + 1, "first round": float(t == 0)}
    for lag in (1, 2, 3):
        for who, moves in (("own", own), ("other", other)):
            for code, s in enumerate(short):
                out[f"{who} {s} {lag} ago"] = float(t >= lag and moves[t - lag] == code)
        if a == 2 or lag == 1:
            for i, one in enumerate(short):
                for j, two in enumerate(short):
                    there = t >= lag and (own[t - lag], other[t - lag]) == (i, j)
                    out[f"{one}{two} {lag} ago"] = float(there)
    for who, moves in (("own", own), ("other", other)):
        past = moves[:t]
        run = 0
        while run < t and past[t - 1 - run] == past[t - 1]:
            run += 1
        for code, s in enumerate(short):
            out[f"{who} rate of {s}"] = rate(past, code)
            out[f"{who} ever {s}"] = float(code in past)
            out[f"{who} first {s}"] = float(t > 0 and past[0] == code)
            out[f"{who} run of {s}"] = np.log1p(run if t and past[t - 1] == code else 0)
    now = context(own, other, t)
    here = [own[u] for u in range(t) if context(own, other, u) == now]
    before = [
        X.own[i, u]
        for i in earlier
        for u in range(X.shape[1])
        if context(X.own[i].tolist(), X.other[i].tolist(), u) == now
    ]
    for code, s in enumerate(short):
        out[f"own rate of {s} in this context"] = rate(here, code)
        out[f"own rate of {s} in this context, earlier games too"] = rate(here + before, code)
    out["times in this context"] = np.log1p(sum(m >= 0 for m in here + before))
    out["earlier games"] = np.log1p(len(earlier))
    for who, all_moves in (("own", X.own), ("other", X.other)):
        games = [all_moves[i].tolist() for i in earlier]
        last = games[-1] if games else []
        for code, s in enumerate(short):
            out[f"{who} rate of {s}, earlier games"] = rate([m for game in games for m in game], code)
            out[f"{who} first move {s}, earlier games"] = rate([g[0] for g in games], code)
            out[f"{who} rate of {s}, last game"] = rate(last, code)
            out[f"{who} first move {s}, last game"] = float(bool(last) and last[0] == code)
    rounds = 0
    if earlier:
        rounds = int(((X.own[earlier[-1]] >= 0) | (X.other[earlier[-1]] >= 0)).sum())
    out["rounds of the last game"] = np.log1p(rounds)
    return out


@pytest.mark.parametrize("a", [2, 3])
def test_features_are_those_counted_in_loops(a: int) -> None:
    X = some_play(a)
    past = Past.of(X)
    values = past.rows(slice(0, len(X)))
    assert values.shape == (*X.shape, len(past.names))
    for row in range(len(X)):
        for t in range(X.shape[1]):
            words = in_words(X, row, t)
            for name, value in zip(past.names, values[row, t], strict=True):
                assert value == pytest.approx(words[name], abs=1e-6), (name, row, t)


@pytest.mark.parametrize("a", [2, 3])
def test_nothing_of_the_round_or_later_enters(a: int) -> None:
    X, turn = some_play(a, seed=1), 3
    own, other = X.own.copy(), X.other.copy()
    last = [int(np.flatnonzero(X.subject == s)[-1]) for s in np.unique(X.subject)]
    own[last, turn:], other[last, turn:] = 0, 1
    changed = Past.of(Choices(own, other, own, X.actions, X.subject)).rows(slice(0, len(X)))
    before = Past.of(X).rows(slice(0, len(X)))
    np.testing.assert_array_equal(changed[:, : turn + 1], before[:, : turn + 1])
    assert (changed[last, turn + 1 :] != before[last, turn + 1 :]).any()


def test_rows_at_a_time_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    X = some_play(2)
    past = Past.of(X)
    whole = past.rows(slice(0, len(X)))
    monkeypatch.setattr(features, "_CELLS_AT_ONCE", 3 * X.shape[1] * len(past.names))
    parts = list(past.chunks())
    assert len(parts) == 4
    np.testing.assert_array_equal(np.concatenate([past.rows(part) for part in parts]), whole)


@pytest.mark.parametrize("a", [2, 3])
def test_free_columns_follow_from_no_others(a: int) -> None:
    X = some_play(a, 600, 8, seed=2)
    X = Choices(np.maximum(X.own, 0), np.maximum(X.other, 0), X.chosen, X.actions, X.subject)
    past = Past.of(X)
    values = past.rows(slice(0, len(X))).reshape(-1, len(past.names))[:, past.free]
    table = np.column_stack([np.ones(len(values)), values]).astype(float)
    assert np.linalg.matrix_rank(table) == table.shape[1]


def test_twenty_actions_keep_the_features_few() -> None:
    rng = np.random.default_rng(0)
    moves = rng.integers(0, 20, (5, 4)).astype(np.int8)
    X = Choices(moves, moves, moves, tuple(f"action {i}" for i in range(20)), np.arange(5))
    past = Past.of(X)
    assert past.rows(slice(0, 5)).shape == (5, 4, len(past.names))
    assert len(past.names) < 500


def test_subjects_are_drawn_whole() -> None:
    X = some_play(2)
    inside, outside = drawn_subjects(X, 0.25, np.random.default_rng(0))
    assert sorted([*inside, *outside]) == list(range(len(X)))
    assert len(set(X.subject[outside])) == 1
    assert not set(X.subject[inside]) & set(X.subject[outside])


def test_one_action_alone_is_one_line() -> None:
    X = some_play(2)
    ones = np.ones_like(X.own)
    with pytest.raises(DataError, match="all 72 moves are 'cooperate', expected two actions or more"):
        check_two_actions(Choices(ones, X.other, ones, X.actions, X.subject))


def test_names_of_actions_with_one_letter_are_written_out() -> None:
    names = Past.empty(("stay", "swerve")).names
    assert "stay-swerve 1 ago" in names
    assert len(set(names)) == len(names)
