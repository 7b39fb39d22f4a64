"""Training the recurrent recogniser with PyTorch Lightning.

The network of the recurrent recogniser: one LSTM layer over state-action symbols, a softmax after each.
"""

from __future__ import annotations

import hashlib
import logging
import math
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from intent.base.errors import RecogniserError
from intent.recognise.bayes import SMALLEST_EPS
from intent.recognise.encoding import N_SYMBOLS

__all__ = ["Example", "LstmNetwork", "TrainingPlan", "network_input", "train_network"]


_EPS_INPUTS = 2
_LOGIT_SCALE = 5.0


class LstmNetwork(nn.Module):
    """Symbols of the first t rounds -> unnormalised log-probabilities of the classes, for every t.

    Parameters
    ----------
    hidden : int
        Cells.
    n_classes : int
    rng : numpy Generator, optional
        Draws the first weights, uniform in +-1/sqrt(hidden); the forget gates start open (bias 1), so that
        evidence adds up (Gers, Schmidhuber & Cummins 2000). None: weights are to be loaded.
    """

    def __init__(self, hidden: int, n_classes: int, rng: np.random.Generator | None = None) -> None:
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(N_SYMBOLS + _EPS_INPUTS, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n_classes)
        if rng is None:
            return
        bound = hidden**-0.5
        with torch.no_grad():
            for weights in self.parameters():
                drawn = rng.uniform(-bound, bound, size=tuple(weights.shape))
                weights.copy_(torch.from_numpy(drawn.astype(np.float32)))
            for name, weights in self.lstm.named_parameters():
                if name.startswith("bias"):
                    weights[hidden : 2 * hidden] = 1.0

    def forward(self, inputs: Tensor) -> Tensor:
        """(n, T, inputs) -> (n, T, K)."""
        states, _ = self.lstm(inputs)
        scores: Tensor = self.out(states)
        return scores


def network_input(symbols: NDArray[np.int8], eps: NDArray[np.float64] | None = None) -> Tensor:
    """One-hot symbols, and what is known of the noise.

    Parameters
    ----------
    symbols : (n, T) int8, -1 for padding (all zero)
    eps : (n,) float, optional
        nan where it is not known. Two inputs: whether it is, and its log-odds / 5.

    Returns
    -------
    (n, T, 16) float32
    """
    codes = torch.from_numpy(symbols.astype(np.int64))
    inputs = torch.zeros(*symbols.shape, N_SYMBOLS + _EPS_INPUTS)
    inputs.scatter_(2, codes.clamp(min=0)[:, :, None], 1.0)
    inputs[codes < 0] = 0.0
    if eps is not None:
        known = np.isfinite(eps)
        value = np.clip(np.where(known, eps, 0.5), SMALLEST_EPS, 0.5)
        odds = np.where(known, np.log(value / (1 - value)) / _LOGIT_SCALE, 0.0)
        noise = np.stack([known.astype(np.float32), odds.astype(np.float32)], axis=1)
        inputs[:, :, N_SYMBOLS:] = torch.from_numpy(noise)[:, None, :]
    return inputs


Example = tuple[Tensor, Tensor, Tensor]
"""Inputs (n, T, 16), target probabilities (n, T, K), weights (n, T) that are zero at padding."""

_WARM_UP = 50
_PROGRESS = 1e-6
"""Least gain that counts as one: below it are rounding errors, which differ from run to run."""


@dataclass(frozen=True)
class TrainingPlan:
    """How long to train, and when to stop earlier.

    Parameters
    ----------
    steps : int
        Gradient steps; the learning rate falls from its peak to zero along a cosine.
    check_every : int
        Steps between two measurements.
    learning_rate : float
        Peak of Adam's.
    patience : int
        Measurements without a new best after which training stops.
    accelerator : str
        As Lightning's: ``"auto"`` takes a GPU where there is one.
    checkpoint : Path, optional
        File that is written at each measurement, and from which training goes on where it exists.
    """

    steps: int
    check_every: int
    learning_rate: float
    patience: int
    accelerator: str = "auto"
    checkpoint: Path | None = None


def train_network(
    network: LstmNetwork,
    draw: Callable[[int], Example],
    measure: Callable[[LstmNetwork], float],
    plan: TrainingPlan,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, list[float]]:
    """Train a network in place and leave it with its best weights.

    Parameters
    ----------
    network : LstmNetwork
    draw : step number -> examples; the same for the same number, so that a resumed run sees the same play
    measure : network -> what should be small on play that it does not learn from (regret, or log loss)
    plan : TrainingPlan
    update : called with (steps done, steps in all)

    Returns
    -------
    curves : name -> one value per measurement: ``step``, ``loss`` (mean since the last), ``measured``

    Raises
    ------
    RecogniserError
        The checkpoint cannot be read, or is that of another training.
    KeyboardInterrupt
        Ctrl-C was pressed.
    """
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    task = _Task(network, plan, measure, update, _identity(network, draw, plan))
    rounds = max(1, math.ceil(plan.steps / plan.check_every))
    resume = str(plan.checkpoint) if plan.checkpoint is not None and plan.checkpoint.is_file() else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = lightning.Trainer(
            max_epochs=rounds,
            accelerator=plan.accelerator,
            devices=1,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            gradient_clip_val=1.0,
            reload_dataloaders_every_n_epochs=1,
            num_sanity_val_steps=0,
        )
        try:
            trainer.fit(task, datamodule=_Play(draw, plan), ckpt_path=resume, weights_only=True)
        except SystemExit:  # what Lightning makes of Ctrl-C
            raise KeyboardInterrupt from None
        except (pickle.UnpicklingError, EOFError) as error:
            what = f"{plan.checkpoint} is not a checkpoint that can be read ({type(error).__name__})"
            raise RecogniserError(f"{what}; delete it, or train without resuming") from None
    if task.best_weights:
        network.load_state_dict(task.best_weights)
    network.cpu().eval()
    return task.curves


def _identity(network: LstmNetwork, draw: Callable[[int], Example], plan: TrainingPlan) -> str:
    """What tells one training from another: its plan, the size of the network, the play of the first step."""
    if plan.checkpoint is None:
        return ""
    played = (draw(0)[0] != 0).numpy()
    sizes = [tuple(weights.shape) for weights in network.parameters()]
    numbers = (plan.steps, plan.check_every, plan.learning_rate, plan.patience, sizes, played.shape)
    return hashlib.sha256(repr(numbers).encode() + played.tobytes()).hexdigest()


def _last_best(measured: Sequence[float]) -> tuple[int, float]:
    """Position and value of the last measurement that was better than all before it."""
    at, best = 0, math.inf
    for i, value in enumerate(measured):
        if value < best - _PROGRESS:
            at, best = i, value
    return at, best


class _Play(lightning.LightningDataModule):
    """Examples of one stretch of steps at a time."""

    def __init__(self, draw: Callable[[int], Example], plan: TrainingPlan) -> None:
        super().__init__()
        self.draw, self.plan = draw, plan

    def train_dataloader(self) -> _Stretch:
        assert self.trainer is not None
        first = self.trainer.current_epoch * self.plan.check_every
        return _Stretch(self.draw, first, min(first + self.plan.check_every, self.plan.steps))


class _Stretch:
    """Examples of the steps from first to last."""

    def __init__(self, draw: Callable[[int], Example], first: int, last: int) -> None:
        self.draw, self.first, self.last = draw, first, last

    def __len__(self) -> int:
        return self.last - self.first

    def __iter__(self) -> Iterator[Example]:
        return map(self.draw, range(self.first, self.last))


class _Task(lightning.LightningModule):
    """Cross-entropy after every round; measured, and checkpointed, after each stretch."""

    def __init__(
        self,
        network: LstmNetwork,
        plan: TrainingPlan,
        measure: Callable[[LstmNetwork], float],
        update: Callable[[int, int], None],
        identity: str,
    ) -> None:
        super().__init__()
        self.network, self.plan, self.identity = network, plan, identity
        self.measure, self.update = measure, update
        self.curves: dict[str, list[float]] = {"step": [], "loss": [], "measured": []}
        self.best_weights: dict[str, Tensor] = {}
        self._losses: list[Tensor] = []

    def training_step(self, batch: Example, index: int) -> Tensor:
        inputs, target, weight = batch
        log_proba = torch.log_softmax(self.network(inputs), dim=2)
        loss = -((target * log_proba).sum(dim=2) * weight).sum() / weight.sum().clamp(min=1)
        self._losses.append(loss.detach())
        return loss

    def on_train_batch_end(self, outputs: Any, batch: Example, batch_idx: int) -> None:
        self.update(self.trainer.global_step, self.plan.steps)

    def configure_optimizers(self) -> Any:
        optimiser = torch.optim.Adam(self.network.parameters(), lr=self.plan.learning_rate)
        steps = self.plan.steps
        warm_up = min(_WARM_UP, max(1, steps // 10))

        def share(step: int) -> float:
            return min(1.0, (step + 1) / warm_up) * 0.5 * (1 + math.cos(math.pi * min(step / steps, 1.0)))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, share)
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def on_train_epoch_end(self) -> None:
        trainer = self.trainer
        loss = float(torch.stack(self._losses).mean())
        self._losses.clear()
        self.network.eval()
        with torch.no_grad():
            measured = self.measure(self.network)
        self.network.train()
        best = _last_best(self.curves["measured"])[1]
        for name, value in (("step", float(trainer.global_step)), ("loss", loss), ("measured", measured)):
            self.curves[name].append(value)
        if measured < best - _PROGRESS or not self.best_weights:
            self.best_weights = {k: v.detach().cpu().clone() for k, v in self.network.state_dict().items()}
        so_far = self.curves["measured"]
        if len(so_far) - 1 - _last_best(so_far)[0] >= self.plan.patience:
            trainer.should_stop = True
        if self.plan.checkpoint is not None:
            self.plan.checkpoint.parent.mkdir(parents=True, exist_ok=True)
            draft = self.plan.checkpoint.with_suffix(".part")
            trainer.save_checkpoint(draft)
            draft.replace(self.plan.checkpoint)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["curves"], checkpoint["best_weights"] = self.curves, self.best_weights
        checkpoint["identity"] = self.identity

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        if checkpoint.get("identity") != self.identity:
            raise RecogniserError(
                f"{self.plan.checkpoint} is the checkpoint of another training (other data, seed or "
                "parameters); delete it, or train without resuming"
            )
        self.curves, self.best_weights = checkpoint["curves"], checkpoint["best_weights"]
