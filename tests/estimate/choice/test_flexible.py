"""Trees and network: what scikit-learn and torch say on the same features, and play whose loss is known."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import IntentError, UsageError
from intent.estimate.choice.features import Past
from intent.estimate.choice.flexible import Network, Trees, _network, _scores, chosen_device
from intent.estimate.choice.model import ChoiceModel, make_model, moves_made
from tests.contracts.test_choice_models import play
from tests.estimate.choice.planted_choices import noisy_copy, played

SMALL_TREES = {"leaves": (4, 16), "trees": 60}
SMALL_NETWORK = {"hidden": 16, "epochs": 25, "rows": 64}


@pytest.mark.parametrize("actions", [2, 3])
def test_trees_are_those_of_scikit_learn_on_the_same_features(actions: int) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    X = play(60, actions=actions)
    model = Trees(**SMALL_TREES).fit(X)
    past, code = Past.of(X), model.coding_.code(X)
    across = np.broadcast_to(code[:, None], (*X.shape, code.shape[1]))
    whole = np.concatenate([past.rows(slice(0, len(X))), across.astype(np.float32)], axis=2)
    theirs = HistGradientBoostingClassifier(
        max_iter=model.trees_,
        learning_rate=0.3,
        max_leaf_nodes=model.leaves_,
        early_stopping=False,
        random_state=0,
    )
    whole = whole[..., model.used_]
    theirs.fit(whole[X.counted], X.chosen[X.counted])
    expected = theirs.predict_proba(whole.reshape(-1, whole.shape[2])).reshape(*X.shape, actions)
    np.testing.assert_allclose(model.next_move(X), expected, atol=1e-6)


@pytest.mark.parametrize(("cls", "settings"), [(Trees, SMALL_TREES), (Network, SMALL_NETWORK)])
def test_the_loss_comes_near_that_of_the_rule(cls: type[ChoiceModel], settings: dict[str, object]) -> None:
    rng = np.random.default_rng(3)
    model = cls(**settings).fit(played(noisy_copy(0.1), rng, (1200, 10)))
    test = played(noisy_copy(0.1), rng, (1200, 10))
    rule = np.where(np.roll(test.other, 1, axis=1) == 1, 0.9, 0.1)
    rule[:, 0] = 0.9
    exact = np.log(np.where(test.own == 1, rule, 1 - rule)).mean()
    assert exact - 0.01 < model.score(test) < exact + 0.01


@pytest.mark.parametrize(
    "make", [lambda: Trees(**SMALL_TREES), lambda: Network(hidden=8, epochs=2, random_state=4)]
)
def test_the_same_state_gives_the_same_probabilities(make: object) -> None:
    X = play(40)
    one, two = (make().fit(X).next_move(X) for _ in range(2))  # type: ignore[operator]
    np.testing.assert_array_equal(one, two)


def test_another_state_gives_another_network() -> None:
    X = play(40)
    one, two = (Network(hidden=8, epochs=2, random_state=s).fit(X).next_move(X) for s in (0, 1))
    assert np.abs(one - two).max() > 1e-3


def test_global_random_state_of_torch_is_left_alone() -> None:
    import torch

    before = torch.random.get_rng_state()
    Network(hidden=4, epochs=1).fit(play(40))
    assert torch.equal(before, torch.random.get_rng_state())


def test_no_gradient_flows_from_later_rounds() -> None:
    import torch

    network = _network(3, 5, 2)
    inputs = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0), requires_grad=True)
    _scores(network, inputs)[:, 3].sum().backward()
    gradient = inputs.grad.abs().sum(dim=(0, 2))
    assert (gradient[:4] > 0).all()
    assert (gradient[4:] == 0).all()


def test_few_subjects_are_one_line() -> None:
    X = play(12)
    for model in (Trees(**SMALL_TREES), Network(hidden=4, epochs=1, patience=1)):
        assert "fewer than 10 subjects" in model.fit(X).notes_[0]


def test_trees_of_other_features_are_refused() -> None:
    X = play(40)
    state, files = Trees(**SMALL_TREES).fit(X).to_state()
    model = make_model("trees")
    model.actions_ = X.actions
    with pytest.raises(IntentError, match="other features"):
        model.from_state({**state, "used": state["used"][1:]}, files)
    with pytest.raises(IntentError):
        model.from_state(state, {name: content[:100] for name, content in files.items()})


def test_weights_of_another_network_are_refused() -> None:
    X = play(40)
    state, files = Network(hidden=8, epochs=1).fit(X).to_state()
    model = Network(hidden=9)
    model.actions_ = X.actions
    with pytest.raises(IntentError, match="other shapes than hidden=9"):
        model.from_state(state, files)
    with pytest.raises(IntentError, match="no readable arrays"):
        model.from_state(state, {name: content[:50] for name, content in files.items()})


def test_settings_out_of_range_are_one_line() -> None:
    X = play(20)
    for model in (Network(hidden=0), Network(device="abacus"), Trees(leaves=()), Trees(trees=0)):
        with pytest.raises(UsageError, match="expected"):
            model.fit(X)


def test_a_network_that_has_not_done_says_so() -> None:
    assert "still learning" in Network(hidden=4, epochs=1).fit(play(60)).notes_[-1]


def test_many_moves_are_drawn_by_subject() -> None:
    X = play(120)
    model = Trees(**SMALL_TREES, most_moves=300).fit(X)
    assert model.notes_[0].startswith("learned from ")
    assert np.isfinite(np.log(moves_made(model.next_move(X), X))).all()


@pytest.mark.parametrize(
    ("name", "there", "device"),
    [("auto", True, "cuda"), ("auto", False, "cpu"), ("cpu", True, "cpu"), ("cuda", True, "cuda")],
)
def test_a_gpu_is_taken_where_there_is_one(name: str, there: bool, device: str) -> None:
    assert chosen_device(name, there=there) == device


@pytest.mark.parametrize(
    ("name", "line"), [("cuda", "there is no GPU"), ("tpu", "expected auto, cpu or cuda")]
)
def test_a_device_that_is_not_there_is_one_line(name: str, line: str) -> None:
    with pytest.raises(UsageError, match=line):
        chosen_device(name, there=False)
