"""Trees and a recurrent network: how well the next move can be predicted at all.

Nobody can read them; they are the ceiling that readable models are held against. Both see the past alone
(`features.Past`) and the covariates. How large they grow is chosen on subjects that are held out of the
training part.

References
----------
Friedman (2001), Annals of Statistics 29:1189 (gradient boosting). Ke et al. (2017), LightGBM (histograms).
Cho et al. (2014), EMNLP (gated recurrent units).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.binary import read_arrays
from intent.base.errors import DataError, UsageError, shorten
from intent.base.openmp import load_asleep
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.features import (
    Coding,
    Past,
    bounded_play,
    check_columns,
    check_two_actions,
    drawn_subjects,
)
from intent.estimate.choice.model import ChoiceModel, threads_for
from intent.recognise.outside import classifier_bytes, restored_classifier
from intent.recognise.recogniser import Files

__all__ = ["Network", "Trees", "chosen_device"]

Floats = NDArray[np.float64]
_HELD_OUT = 0.2
_HELD_OUT_ALONE = 0.1
"""Part of the subjects that the number of trees is chosen on; less, where what was held out stays out."""
_FEWEST_SUBJECTS = 10
"""With fewer subjects none is held out, and the number of trees is what the first of the sizes gets."""
_FEW_TREES = 20
_PATIENCE = 5
"""Trees without a gain on what is held out, after which no more are tried."""


class Trees(ChoiceModel):
    """Gradient boosted trees on the features of the past and the covariates.

    Subjects are held out of the training part; the size and number of trees with the least log loss on them
    are then fitted to all. Columns that follow from others (the complement of a flag, or one that is equal
    to another in this play) are left out, since they cost time and tell a tree nothing.

    Parameters
    ----------
    leaves : sequence of int
        Leaves of a tree, at most: the sizes to try, the largest first; a smaller one is tried where few trees
        of the larger are best. Few leaves suit small logs, many suit conditions that matter together.
    trees : int
        At most as many.
    learning_rate : float
    refit : bool
        Whether the trees are fitted once more, to all subjects; without it a fit takes half the time, and a
        tenth of the subjects is held out.
    most_moves : int
        Learn from at most as many moves, of subjects drawn at random.
    random_state : int, optional

    Attributes
    ----------
    leaves_, trees_ : int, as chosen
    classifier_ : HistGradientBoostingClassifier of scikit-learn
    """

    any_actions = True
    uses_covariates = True
    interpretable: ClassVar[bool] = False
    libraries: ClassVar[tuple[str, ...]] = ("sklearn",)

    def __init__(
        self,
        *,
        leaves: Sequence[int] = (8, 127),
        trees: int = 40,
        learning_rate: float = 0.3,
        refit: bool = True,
        most_moves: int = 500_000,
        random_state: int | None = 0,
    ) -> None:
        self.leaves = leaves
        self.trees = trees
        self.learning_rate = learning_rate
        self.refit = refit
        self.most_moves = most_moves
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        check_two_actions(X)
        sizes = tuple(self.leaves)
        if not sizes or min(sizes) < 2 or self.trees < 1:
            raise UsageError(f"leaves={sizes} and trees={self.trees}, expected numbers from 2 and from 1")
        rng = np.random.default_rng(self.random_state)
        X = bounded_play(X, self.most_moves, rng, self.notes_)
        self.coding_ = Coding.learn(X)
        past = Past.of(X)
        inputs = np.concatenate([self._inputs(past, part)[X.counted[part]] for part in past.chunks()])
        self.used_ = _telling(inputs, past)
        inputs = inputs[:, self.used_]
        chosen = X.chosen[X.counted].astype(np.intp)
        row = np.nonzero(X.counted)[0]
        self.leaves_, self.trees_ = sizes[0], min(_FEW_TREES, self.trees)
        tried = None
        if len(np.unique(X.subject)) >= _FEWEST_SUBJECTS:
            _, held = drawn_subjects(X, _HELD_OUT if self.refit else _HELD_OUT_ALONE, rng)
            test = np.isin(row, held)
            if len(np.unique(chosen[~test])) == len(np.unique(chosen)):
                fits = []
                for size in sorted(set(sizes), reverse=True):
                    fits.append(self._stopped(inputs, chosen, test, size))
                    if fits[-1][1] > _FEW_TREES:
                        break
                _, self.trees_, self.leaves_, tried = min(fits, key=lambda fit: fit[0])
        else:
            self.notes_.append(
                f"fewer than {_FEWEST_SUBJECTS} subjects: {self.trees_} trees of {self.leaves_} leaves, "
                "not chosen on held-out play"
            )
        if tried is None or self.refit:
            tried = self._classifier(self.leaves_, self.trees_).fit(inputs, chosen)
        self.classifier_ = tried

    def _inputs(self, past: Past, part: slice) -> NDArray[np.float32]:
        """Features and covariates, (m, T, p + q)."""
        X = past.choices[part]
        codes = self.coding_.code(X).astype(np.float32)
        across = np.broadcast_to(codes[:, None], (*X.shape, codes.shape[1]))
        return np.concatenate([past.rows(part), across], axis=2)

    def _classifier(self, leaves: int, trees: int, *, early: bool = False) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=trees,
            learning_rate=self.learning_rate,
            max_leaf_nodes=leaves,
            early_stopping=early,
            n_iter_no_change=_PATIENCE,
            random_state=0 if self.random_state is None else self.random_state,
        )

    def _stopped(
        self, inputs: NDArray[np.float32], chosen: NDArray[np.intp], test: NDArray[np.bool_], leaves: int
    ) -> tuple[float, int, int, Any]:
        """The least log loss on what is held out, with how many trees of what size, and those trees."""
        model = self._classifier(leaves, self.trees, early=True).fit(
            inputs[~test], chosen[~test], X_val=inputs[test], y_val=chosen[test]
        )
        losses = -np.asarray(model.validation_score_)
        best = int(np.argmin(losses[1:])) + 1  # the first is that of no tree
        return float(losses[best]), best, leaves, model

    def _predicted(self, X: Choices) -> Floats:
        past = Past.of(X)
        out = np.zeros((*X.shape, X.n_actions))
        with threads_for(X.n_moves):
            for part in past.chunks():
                inputs = self._inputs(past, part)[..., self.used_]
                m, rounds, p = inputs.shape
                proba = self.classifier_.predict_proba(inputs.reshape(m * rounds, p))
                out[part][..., self.classifier_.classes_] = proba.reshape(m, rounds, -1)
        return out

    @property
    def n_parameters(self) -> int | None:
        """None: trees have no number that could be compared."""
        return None

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Coding of the covariates, columns that are used, and the trees as a skops file."""
        state = {
            "coding": self.coding_.to_state(),
            "used": self.used_.tolist(),
            "leaves": self.leaves_,
            "trees": self.trees_,
        }
        return state, {_TREES: classifier_bytes(self.classifier_, _TREES)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the trees, every table of theirs checked.

        Raises
        ------
        RecogniserError
            The file is too large, or holds what no saved classifier may hold.
        DataError
            Its trees are of other features or actions.
        """
        self.coding_ = Coding.from_state(state["coding"])
        self.used_ = np.asarray(state["used"], dtype=np.intp)
        check_columns(self.used_, len(Past.empty(self.actions_).names) + len(self.coding_.names))
        self.leaves_, self.trees_ = int(state["leaves"]), int(state["trees"])
        self.classifier_ = restored_classifier(files[_TREES], _TREES)
        classes = np.asarray(self.classifier_.classes_)
        codes = np.arange(len(self.actions_))
        if self.classifier_.n_features_in_ != len(self.used_) or not np.isin(classes, codes).all():
            raise DataError(f"{_TREES} holds trees of other features or actions than its description")
        return self


_TREES = "trees.skops"


def _telling(inputs: NDArray[np.float32], past: Past) -> NDArray[np.intp]:
    """Columns of (m, p + q) inputs that vary, and neither follow from others by rule nor equal one before."""
    free = {0, *past.free.tolist(), *range(len(past.names), inputs.shape[1])}  # 0 is the round
    distinct: dict[bytes, int] = {}
    for column in sorted(free):
        values = inputs[:, column]
        if values.min() < values.max():
            distinct.setdefault(sha256(values.tobytes()).digest(), column)
    return np.array(sorted(distinct.values()), dtype=np.intp)


class Network(ChoiceModel):
    """Gated recurrent units over the rounds, on the features of the past and the covariates.

    Subjects are held out of the training part; training stops when the log loss on them has not fallen for
    some epochs, and the best weights count. ``random_state`` fixes the training on one machine and number of
    threads.

    Parameters
    ----------
    hidden : int
        Units.
    epochs : int
        Passes over the training part, at most.
    patience : int
        Epochs without a gain before training stops; the learning rate halves after half of them.
    rows : int
        Rows of one step.
    learning_rate : float
    most_moves : int
        Learn from at most as many moves, of subjects drawn at random.
    device : "auto", "cpu" or "cuda"
        Where it learns; "auto" takes a GPU where there is one.
    random_state : int, optional

    Attributes
    ----------
    weights_ : dict of float32 arrays
    curve_ : list of float, held-out log loss after each epoch; of the training part where nothing is held out
    """

    any_actions = True
    uses_covariates = True
    interpretable: ClassVar[bool] = False
    libraries: ClassVar[tuple[str, ...]] = ("torch",)

    def __init__(
        self,
        *,
        hidden: int = 64,
        epochs: int = 80,
        patience: int = 8,
        rows: int = 128,
        learning_rate: float = 3e-3,
        most_moves: int = 500_000,
        device: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        self.hidden = hidden
        self.epochs = epochs
        self.patience = patience
        self.rows = rows
        self.learning_rate = learning_rate
        self.most_moves = most_moves
        self.device = device
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        load_asleep("torch")
        import torch

        check_two_actions(X)
        for name in ("hidden", "epochs", "patience", "rows"):
            if not isinstance(value := getattr(self, name), int) or not 1 <= value <= _LARGEST:
                raise UsageError(f"{name}={shorten(repr(value))}, expected a whole number, 1 to {_LARGEST:,}")
        rng = np.random.default_rng(self.random_state)
        X = bounded_play(X, self.most_moves, rng, self.notes_)
        self.coding_ = Coding.learn(X)
        past = Past.of(X)
        self._standardise(past)
        trained, held = np.arange(len(X)), np.arange(len(X))
        if len(np.unique(X.subject)) >= _FEWEST_SUBJECTS:
            trained, held = drawn_subjects(X, _HELD_OUT, rng)
        else:
            self.notes_.append(f"fewer than {_FEWEST_SUBJECTS} subjects: none held out to stop the training")
        with torch.random.fork_rng():
            torch.manual_seed(int(rng.integers(1 << 31)))
            self._train(past, trained, held, rng)

    def _standardise(self, past: Past) -> None:
        """Mean and spread of every input over the counted moves."""
        total = squares = np.zeros(1)
        for part in past.chunks():
            values = self._raw(past, np.arange(part.start, part.stop))[past.choices.counted[part]]
            total = total + values.sum(0, dtype=float)
            squares = squares + np.square(values, dtype=float).sum(0)
        self.mean_ = total / past.choices.n_moves
        spread = np.sqrt(np.maximum(squares / past.choices.n_moves - self.mean_**2, 0))
        self.spread_ = np.where(spread > 1e-6, spread, np.inf)

    def _raw(self, past: Past, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Features and covariates, (m, T, p)."""
        X = past.choices[rows]
        codes = self.coding_.code(X).astype(np.float32)
        across = np.broadcast_to(codes[:, None], (*X.shape, codes.shape[1]))
        return np.concatenate([past.rows(rows), across], axis=2)

    def _inputs(self, past: Past, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        raw = self._raw(past, rows)
        scaled: NDArray[np.float32] = ((raw - self.mean_) / self.spread_).astype(np.float32)
        return scaled

    def _train(
        self, past: Past, trained: NDArray[np.intp], held: NDArray[np.intp], rng: np.random.Generator
    ) -> None:
        import torch

        X, device = past.choices, _device(self.device)
        network = _network(len(self.mean_), self.hidden, X.n_actions).to(device)
        small = X.shape[0] * X.shape[1] * len(self.mean_) <= _MOST_CACHED
        inputs = self._inputs(past, np.arange(len(X))) if small else None
        optimiser = torch.optim.AdamW(network.parameters(), lr=self.learning_rate, weight_decay=0.01)

        def loss(rows: NDArray[np.intp]) -> Any:
            values = self._inputs(past, rows) if inputs is None else inputs[rows]
            target = torch.from_numpy(X.chosen[rows].astype(np.int64)).to(device)
            scores = _scores(network, torch.from_numpy(values).to(device))
            return torch.nn.functional.cross_entropy(
                scores.flatten(0, 1), target.flatten(), ignore_index=-1, reduction="sum"
            )

        best, waited, self.curve_ = np.inf, 0, []
        for _ in range(self.epochs):
            network.train()
            order = rng.permutation(trained)
            for start in range(0, len(order), self.rows):
                rows = order[start : start + self.rows]
                if not (moves := int(np.count_nonzero(X.counted[rows]))):
                    continue
                optimiser.zero_grad()
                (loss(rows) / moves).backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimiser.step()
            network.eval()
            with torch.no_grad():
                parts = np.array_split(held, max(1, len(held) // 1024))
                now = sum(float(loss(rows)) for rows in parts) / max(1, X[held].n_moves)
            self.curve_.append(now)
            waited += 1
            if now < best - 1e-5:
                best, waited = now, 0
                self.weights_ = {k: v.detach().cpu().numpy().copy() for k, v in network.state_dict().items()}
            elif waited == (self.patience + 1) // 2:
                for group in optimiser.param_groups:
                    group["lr"] /= 2
            if waited >= self.patience:
                return
        self.notes_.append(f"still learning after {self.epochs} epochs, the most that were allowed")

    def _predicted(self, X: Choices) -> Floats:
        load_asleep("torch")
        import torch

        past = Past.of(X)
        network = _network(len(self.mean_), self.hidden, X.n_actions)
        network.load_state_dict({name: torch.from_numpy(value) for name, value in self.weights_.items()})
        network = network.double().eval()
        out = np.empty((*X.shape, X.n_actions))
        with torch.no_grad():
            for part in past.chunks():
                values = self._inputs(past, np.arange(part.start, part.stop)).astype(np.float64)
                out[part] = torch.softmax(_scores(network, torch.from_numpy(values)), dim=2).numpy()
        return out

    @property
    def n_parameters(self) -> int | None:
        """Weights."""
        return int(sum(value.size for value in self.weights_.values()))

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Coding of the covariates, and all numbers as safetensors."""
        from safetensors.numpy import save

        scales = {"mean": self.mean_, "spread": self.spread_}
        weights = {name: np.ascontiguousarray(value) for name, value in self.weights_.items()}
        return {"coding": self.coding_.to_state(), "curve": self.curve_}, {_WEIGHTS: save(scales | weights)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from safetensors.

        Raises
        ------
        DataError
            The numbers are not those of such a network.
        """
        self.coding_ = Coding.from_state(state["coding"])
        self.curve_ = [float(value) for value in state["curve"]]
        arrays = read_arrays(files[_WEIGHTS], _WEIGHTS)
        inputs = arrays["mean"].size if "mean" in arrays else 0
        expected = len(Past.empty(self.actions_).names) + len(self.coding_.names)
        if type(self.hidden) is not int or not 1 <= self.hidden <= _LARGEST or inputs != expected:
            size = f"{shorten(repr(self.hidden))} units, {inputs:,} inputs"
            raise DataError(f"{_WEIGHTS} is of {size}, expected 1 to {_LARGEST:,} and {expected:,}")
        network = _network(inputs, self.hidden, len(self.actions_))
        shapes = {name: tuple(value.shape) for name, value in network.state_dict().items()}
        shapes |= {"mean": (inputs,), "spread": (inputs,)}
        if {name: value.shape for name, value in arrays.items()} != shapes:
            raise DataError(f"{_WEIGHTS} holds arrays of other shapes than hidden={self.hidden} makes")
        self.mean_, self.spread_ = arrays.pop("mean").astype(float), arrays.pop("spread").astype(float)
        self.weights_ = {name: value.astype(np.float32) for name, value in arrays.items()}
        return self


_WEIGHTS = "weights.safetensors"
_LARGEST = 4096
_MOST_CACHED = 1 << 27


def _network(inputs: int, hidden: int, actions: int) -> Any:
    """Recurrent layer and read-out."""
    from torch import nn

    return nn.ModuleDict({"gru": nn.GRU(inputs, hidden, batch_first=True), "out": nn.Linear(hidden, actions)})


def _scores(network: Any, inputs: Any) -> Any:
    """(m, T, p) -> (m, T, A) log odds but for a constant."""
    states, _ = network["gru"](inputs)
    return network["out"](states)


def _device(name: str) -> str:
    """Where to learn on this machine."""
    import torch

    return chosen_device(name, there=torch.cuda.is_available())


def chosen_device(name: str, *, there: bool) -> str:
    """Where to learn: a GPU where there is one, unless the processor is wanted.

    Parameters
    ----------
    name : "auto", "cpu" or "cuda"
    there : whether there is a GPU

    Raises
    ------
    UsageError
        No such device, or no GPU where one is wanted.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise UsageError(f"device={shorten(repr(name))}, expected auto, cpu or cuda")
    if name == "cuda" and not there:
        raise UsageError("device='cuda', but there is no GPU; take device='cpu'")
    return "cuda" if there and name != "cpu" else "cpu"
