"""Held-out losses: what stays together, what is scored, and that nothing of a fold is known before."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.workers import open_workers
from intent.estimate.choice import heldout
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.heldout import (
    Independent,
    Parts,
    Scores,
    cross_fit,
    folds_of,
    independent,
    ratio_interval,
    stacked,
)
from intent.estimate.choice.model import make_model, moves_made
from intent.estimate.design_units import named_unit


def moves(text: str) -> np.ndarray:
    """Rows of moves from words of C and D, - where one is unknown."""
    return np.array([["DC".find(c) for c in row] for row in text.split()], dtype=np.int8)


def games(own: np.ndarray, **columns: object) -> Choices:
    """Two rows a game, one for each seat."""
    n = len(own)
    other = own.reshape(n // 2, 2, -1)[:, ::-1].reshape(own.shape)
    keys = pd.DataFrame({"game_id": np.repeat(np.arange(n // 2), 2).astype(str), "seat": [1, 2] * (n // 2)})
    keys = keys.assign(**columns)
    return Choices(own, other, own, COOPERATION, np.arange(n), keys=keys)


def coins(n: int = 60, rounds: int = 6, seed: int = 0, p: float = 0.5) -> Choices:
    """Games of fair coins."""
    return games((np.random.default_rng(seed).random((n, rounds)) < p).astype(np.int8))


def copycats(n: int = 80, rounds: int = 8, seed: int = 0) -> Choices:
    """Games in which both repeat the other's last move, nine times of ten."""
    rng = np.random.default_rng(seed)
    own = rng.integers(0, 2, (n, rounds)).astype(np.int8)
    for t in range(1, rounds):
        last = own[:, t - 1].reshape(-1, 2)[:, ::-1].reshape(-1)
        own[:, t] = np.where(rng.random(n) < 0.9, last, 1 - last)
    return games(own)


def folds(X: Choices, held_out: str | list[str] = "game", n: int = 4, seed: int = 0):
    """Folds with a generator of their own."""
    return folds_of(X, held_out, n, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("held_out", ["game", "condition", ["language"]])
def test_both_seats_of_a_game_are_in_one_fold(held_out):
    X = coins()
    X.keys["language"] = np.repeat(np.arange(30) % 6, 2)
    F = folds(X, held_out)
    assert (F.of.reshape(-1, 2)[:, 0] == F.of.reshape(-1, 2)[:, 1]).all()
    assert set(F.of) == set(range(4))
    if held_out != "game":
        assert pd.Series(F.of).groupby(np.repeat(np.arange(30) % 6, 2)).nunique().max() == 1


def test_all_games_of_a_subject_are_in_one_fold():
    X = replace(coins(), subject=np.arange(60) % 10)
    F = folds(X, "player")
    assert pd.Series(F.of).groupby(X.subject).nunique().max() == 1


def test_folds_have_as_many_moves_and_depend_on_the_seed():
    X = coins(80)
    assert set(np.bincount(folds(X).of)) == {20}
    assert (folds(X, seed=1).of == folds(X, seed=1).of).all()
    assert (folds(X, seed=1).of != folds(X, seed=2).of).any()


def test_fewer_units_than_folds_make_fewer_folds_and_one_is_refused():
    X = coins(6)
    F = folds(X, n=5)
    assert F.n == 3
    assert "3 games make 3 folds" in F.notes[0]
    with pytest.raises(UsageError, match="1 game to hold out, expected at least 2"):
        folds(coins(2))
    with pytest.raises(UsageError, match="--folds 1"):
        folds(X, n=1)
    with pytest.raises(UnknownNameError, match="lnguage"):
        folds(X, "lnguage")


def test_losses_by_hand():
    X = games(moves("CCCD DDDC CC-D DDCC"))
    F = folds(X, n=2)
    (fit,) = cross_fit(["base-rate"], X, F)
    for fold in range(2):
        train = X.chosen[F.of != fold]
        p = ((train == 1).sum() + 0.5) / ((train >= 0).sum() + 1)
        test = X.chosen[F.of == fold]
        expected = np.where(test == 1, -np.log(p), np.where(test == 0, -np.log(1 - p), 0))
        np.testing.assert_allclose(fit.losses[F.of == fold], expected, atol=1e-12)


def test_earlier_games_of_a_subject_are_its_past_also_where_they_were_trained_on():
    X = copycats()
    X = replace(X, subject=np.arange(80) % 20)
    F = folds(X)
    (fit,) = cross_fit(["memory-one:2"], X, F, whole=False)
    model = make_model("memory-one:2", random_state=0).fit(X[F.of != 1])
    whole = -np.log(moves_made(model.next_move(X), X))
    np.testing.assert_allclose(fit.losses[F.of == 1], whole[F.of == 1])
    alone = X[F.of == 1]
    assert not np.allclose(-np.log(moves_made(model.next_move(alone), alone)), whole[F.of == 1])


def test_the_interval_of_a_ratio_is_students_of_the_clusters():
    top, bottom = np.array([3.0, 1, 4, 2, 6, 2]), np.full(6, 2.0)
    of = Independent(named_unit(("game_id",), np.arange(6)))
    interval = ratio_interval(top, bottom, of, 0.9)
    values = top / 2
    away = (values - values.mean()) ** 2
    freedom = min(2 / ((away**2).sum() / away.sum() ** 2 - 1 / 6), 5)
    reach = student.ppf(0.95, freedom) * values.std(ddof=1) / np.sqrt(6) * np.sqrt(1.5)
    assert interval.estimate == pytest.approx(values.mean())
    assert interval.high - interval.estimate == pytest.approx(reach)


def test_one_heavy_cluster_leaves_few_degrees_of_freedom():
    of = Independent(named_unit(("game_id",), np.arange(40)))
    even, heavy = np.tile([0.4, 0.6], 20), np.r_[np.full(39, 0.5), 5.0]
    plain, wide = (ratio_interval(top, np.ones(40), of) for top in (even, heavy))
    error = heavy.std(ddof=1) / np.sqrt(40) * np.sqrt(1.5)
    assert (wide.high - wide.estimate) / error > 3
    assert (plain.high - plain.estimate) / (even.std(ddof=1) / np.sqrt(40) * np.sqrt(1.5)) == pytest.approx(
        student.ppf(0.975, 39)
    )


def test_the_interval_of_a_loss_ends_at_zero():
    X = coins(40)
    losses = np.zeros(X.shape)
    losses[0] = 3.0
    of = Independent(named_unit(("game_id",), np.arange(40)))
    scores = Scores(X, of, 0.95, None)
    assert scores.mean(losses).low == 0
    assert scores.mean(-losses).low < 0


def test_one_cluster_has_no_interval():
    of = Independent(named_unit(("game_id",), np.zeros(4, dtype=np.intp)))
    interval = ratio_interval(np.ones(4), np.ones(4), of)
    assert interval.estimate == 1
    assert np.isnan(interval.low)


def test_what_is_independent_is_never_less_than_the_design_says():
    X = coins(40)
    assert independent(X, folds(X)).unit.kind == "game"
    assert independent(X, folds(X, "player")).unit.kind == "game"
    X.keys["language"] = np.repeat(np.arange(20) % 5, 2)
    assert independent(X, folds(X)).unit.n == 20
    assert independent(X, folds(X, "condition")).unit.n == 5


def test_the_ceiling_explains_all_the_base_rate_nothing_and_a_better_model_more():
    X = copycats()
    F = folds(X)
    base, one, two = (f.losses for f in cross_fit(["base-rate", "memory-one:1", "round-rate"], X, F))
    scores = Scores(X, independent(X, F), 0.95, None)
    assert scores.explained(base, one, one).estimate == pytest.approx(1)
    assert scores.explained(base, base, one).estimate == pytest.approx(0)
    assert scores.explained(base, one * 0.9, one).estimate > 1
    share = scores.explained(base, (base + one) / 2, one)
    assert share.estimate == pytest.approx(0.5)
    assert abs(scores.explained(base, two, one).estimate) < 0.2


def test_where_nothing_is_predictable_there_is_no_share():
    X = coins(200)
    F = folds(X)
    base, one = (f.losses for f in cross_fit(["base-rate", "memory-one:2"], X, F))
    scores = Scores(X, independent(X, F), 0.95, None)
    assert np.isnan(scores.explained(base, one, one).estimate)


def test_what_is_peculiar_to_a_game_cannot_be_predicted_where_games_are_held_out():
    rng = np.random.default_rng(0)
    own = np.repeat(rng.integers(0, 2, 60), 2).astype(np.int8)[:, None].repeat(4, axis=1)
    X = games(own)
    X = replace(X, covariates=pd.DataFrame({"game": X.keys["game_id"]}))
    scored = {}
    for held_out in ("game", "player"):
        (fit,) = cross_fit(["setting-rate"], X, folds(X, held_out))
        scored[held_out] = fit.losses.mean()
    assert scored["game"] > np.log(2) - 0.02
    assert scored["player"] < 0.5


@pytest.mark.slow
def test_workers_change_nothing():
    X = copycats(40)
    names = ["base-rate", "memory-one:2"]
    with open_workers(2) as workers:
        spread = cross_fit(names, X, folds(X), nested=True, workers=workers)
    for one, other in zip(cross_fit(names, X, folds(X), nested=True), spread, strict=True):
        np.testing.assert_array_equal(one.losses, other.losses)
        np.testing.assert_array_equal(one.inner[0][1], other.inner[0][1])


class Stopped(Exception):
    """What a test interrupts with."""


def test_a_run_that_was_stopped_goes_on(tmp_path: Path):
    X, names = copycats(40), ["base-rate", "memory-one:2"]

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise Stopped

    with pytest.raises(Stopped):
        cross_fit(names, X, folds(X), parts=Parts(tmp_path / "fits"), update=stop)
    counts: list[tuple[int, int]] = []
    again = cross_fit(
        names, X, folds(X), parts=Parts(tmp_path / "fits"), update=lambda *count: counts.append(count)
    )
    assert counts[0] == (3, 10)
    for one, other in zip(again, cross_fit(names, X, folds(X)), strict=True):
        np.testing.assert_array_equal(one.losses, other.losses)
        np.testing.assert_allclose(one.whole.next_move(X), other.whole.next_move(X))


def test_fits_of_other_play_or_covariates_are_not_taken_over(tmp_path: Path):
    X = coins(40)
    cross_fit(["base-rate"], X, folds(X), parts=Parts(tmp_path / "fits"))

    def done_at_first(X: Choices, name: str = "base-rate") -> int:
        counts: list[int] = []
        cross_fit(
            [name], X, folds(X), parts=Parts(tmp_path / "fits"), update=lambda done, _: counts.append(done)
        )
        return counts[0]

    assert done_at_first(X) == 5
    assert done_at_first(coins(40, seed=1)) == 0
    described = replace(X, covariates=pd.DataFrame({"size": np.arange(40)}))
    assert done_at_first(described) == 0
    assert done_at_first(described, "base-rate@none") == 5
    assert done_at_first(replace(X, implementation_error=np.full(40, 0.1))) == 0
    assert done_at_first(X) == 5


@pytest.mark.parametrize("what", ["default", "version", "code", "folds"])
def test_fits_of_another_setting_version_or_code_are_not_taken_over(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    X, of = coins(40), folds(coins(40))
    cross_fit(["base-rate"], X, of, parts=Parts(tmp_path / "fits"))
    if what == "default":
        made = heldout.make_model
        monkeypatch.setattr(heldout, "make_model", lambda name: made(name, by_round=True))
    elif what == "folds":
        of = replace(of, of=of.of[::-1])
    else:
        monkeypatch.setattr(heldout, *{"version": ("__version__", "0"), "code": ("_code", lambda: "")}[what])
    counts: list[int] = []
    cross_fit(["base-rate"], X, of, parts=Parts(tmp_path / "fits"), update=lambda n, _: counts.append(n))
    assert counts[0] == 0


def test_a_folder_of_other_things_is_refused(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"holds no predict\.json"):
        Parts(tmp_path)


def test_a_broken_file_is_fitted_again(tmp_path: Path):
    X = coins(40)
    first = cross_fit(["base-rate"], X, folds(X), parts=Parts(tmp_path))
    for path in tmp_path.glob("*.safetensors"):
        path.write_bytes(b"broken")
    again = cross_fit(["base-rate"], X, folds(X), parts=Parts(tmp_path))
    np.testing.assert_array_equal(first[0].losses, again[0].losses)


def test_a_model_that_fails_says_so_and_the_others_go_on():
    rng = np.random.default_rng(0)
    own = rng.integers(0, 3, (40, 5)).astype(np.int8)
    X = replace(coins(40, 5), own=own, other=own[::-1], chosen=own, actions=("p", "r", "s"))
    good, bad = cross_fit(["base-rate", "automata"], X, folds(X))
    assert good.losses is not None
    assert bad.losses is None
    assert "two actions" in bad.error


def test_weights_and_choice_of_a_fold_do_not_know_its_moves():
    X, names = copycats(60), ["base-rate", "memory-one:1", "memory-one:2"]
    F = folds(X)
    losses, weights, chosen, alone = stacked(cross_fit(names, X, F, nested=True, whole=False), X, F)
    np.testing.assert_allclose(weights.sum(1), 1)
    inside = F.of == 2
    own = X.own.copy()
    own[inside] = 1 - own[inside]
    changed = replace(games(own), keys=X.keys)
    fits = cross_fit(names, changed, F, nested=True, whole=False)
    again = stacked(fits, changed, F)
    np.testing.assert_allclose(again[1][2], weights[2])
    assert again[2][2] == chosen[2]
    assert losses.sum() < cross_fit(["base-rate"], X, F)[0].losses.sum() * 0.6
    assert (chosen > 0).all()
    assert alone.shape == X.shape


def test_two_folds_leave_nothing_to_choose_by():
    X = coins(20)
    F = folds(X, n=2)
    with pytest.raises(UsageError, match="at least 3"):
        stacked(cross_fit(["base-rate"], X, F, nested=True), X, F)


def test_cross_validation_and_grid_search_of_scikit_learn():
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    X = copycats()
    game = pd.factorize(X.keys["game_id"])[0]
    scores = cross_val_score(make_model("memory-one:1"), X, groups=game, cv=GroupKFold(4))
    assert scores.shape == (4,)
    assert (scores > -0.5).all()
    search = GridSearchCV(make_model("round-rate"), {"by_round": [True, False]}, cv=GroupKFold(4))
    search.fit(X, groups=game)
    assert set(search.best_params_) == {"by_round"}
    assert search.best_estimator_.next_move(X).shape == (*X.shape, 2)


@pytest.mark.slow
def test_intervals_hold_the_mean_over_simulated_logs():
    """A small version of ``benchmarks/choice_heldout.py --full``, which says how far few units fall short."""
    path = Path(__file__).parents[3] / "benchmarks" / "choice_heldout.py"
    spec = importlib.util.spec_from_file_location("choice_heldout", path)
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    covered = benchmark.coverage(150, np.random.default_rng(0), games=400)
    for name in ("base", "ceiling", "difference", "explained"):
        assert 0.88 < covered[name]["coverage"] <= 1, name
