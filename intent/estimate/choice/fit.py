"""One model of choice fitted to a log: its parameters, its types, and the folder that labels and plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import UsageError
from intent.base.job import Result, Table, job
from intent.base.registry import require
from intent.estimate.choice.choices import COOPERATION, choices_of_log
from intent.estimate.choice.model import make_model, model_entry
from intent.estimate.choice.portraits import effects_table
from intent.estimate.choice.prediction import covariate_names
from intent.estimate.choice.recogniser import ChoiceRecogniser
from intent.estimate.requests import FitRequest
from intent.logs.chunks import focal_play, keeps_scripted, scripted_notes, unread_rows
from intent.recognise.recogniser import save_recogniser
from intent.strategies.catalogue import Strategy
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FitResult", "fit_model"]

_SHOWN = 40
"""Parameters that are printed."""


@dataclass(frozen=True, eq=False)
class FitResult(Result):
    """A model of choice, fitted to all moves of a log.

    Parameters
    ----------
    recogniser : ChoiceRecogniser
        It holds the fitted model (``recogniser.model_``).
    n, n_subjects, n_moves : rows, subjects and moves that it was fitted to
    log_loss, base_loss : float
        Of the model and of one rate for all moves, in nats per move, on the moves that it was fitted to.
    config : mapping, the resolved settings
    skipped : mapping of reason -> games without moves to learn from
    path : Path, optional, the folder that was written
    origin : Path, optional
    notes : tuple of str
    """

    recogniser: ChoiceRecogniser
    n: int
    n_subjects: int
    n_moves: int
    log_loss: float
    base_loss: float
    config: Mapping[str, Any]
    skipped: Mapping[str, int]
    path: Path | None = None
    origin: Path | None = None
    notes: tuple[str, ...] = ()

    kind = "fit"
    noun = "a fitted model"

    def __repr__(self) -> str:
        return f"<FitResult: {self.recogniser.model}, {self.n_moves:,} moves, log loss {self.log_loss:.4f}>"

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent fit --json``."""
        model, name = self.recogniser.model_, self.recogniser.model
        return {
            "model": name,
            "kind": model_entry(name.partition(":")[0].partition("@")[0]).family,
            "interpretable": model.interpretable,
            "n": self.n,
            "n_subjects": self.n_subjects,
            "n_moves": self.n_moves,
            "log_loss": self.log_loss,
            "base_loss": self.base_loss,
            "n_parameters": model.n_parameters,
            "parameters": [asdict(p) for p in model.parameters()],
            "types": [
                {"name": t.name, "share": t.share, "se": t.se, "p_cooperate": situations(t.strategy)}
                for t in model.types()
            ],
            "path": None if self.path is None else str(self.path),
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
        }

    def table(self) -> pd.DataFrame:
        """One row for each parameter."""
        import pandas as pd

        columns = ["name", "of", "value", "se", "unit"]
        return pd.DataFrame([asdict(p) for p in self.recogniser.model_.parameters()], columns=columns)

    def remarks(self) -> Iterator[str]:
        """What was left out."""
        for reason, games in self.skipped.items():
            yield f"{games:,} games have no trajectories: {reason}"

    def parts(self) -> Iterator[Table | str]:
        """What was fitted, the types, and the parameters."""
        model = self.recogniser.model_
        yield (
            f"{self.recogniser.model}: {self.n_moves:,} moves of {self.n_subjects:,} subjects, log loss "
            f"{self.log_loss:.4f} nats a move on the moves that it was fitted to (one rate for all: "
            f"{self.base_loss:.4f}); intent predict measures it on moves that it was not"
        )
        if types := model.types():
            portraits = [situations(t.strategy) for t in types]
            heads = list(dict.fromkeys(name for portrait in portraits for name in portrait))
            rows: list[list[object]] = [
                [t.name, t.share, t.se, *(portrait.get(head) for head in heads)]
                for t, portrait in zip(types, portraits, strict=True)
            ]
            yield ""
            yield Table(
                ["type", "share", "s.e.", *heads],
                rows,
                "Types: P(cooperate) in the first round, and after each outcome (own move first)",
            )
        if effects := model.effects():
            yield ""
            yield effects_table(effects)
        parameters = model.parameters()
        if parameters and not types:
            yield ""
            rows = [[p.name, p.of, p.value, p.se, p.unit] for p in parameters[:_SHOWN]]
            more = len(parameters) - _SHOWN
            title = "Parameters" + (f" ({more:,} more with -o or --json)" if more > 0 else "")
            yield Table(["parameter", "of", "estimate", "s.e.", "unit"], rows, title)
        yield ""
        yield from self._next()

    def _next(self) -> Iterator[str]:
        """What a user does next with the model."""
        typed = bool(self.recogniser.model_.types())
        if self.path is None:
            uses = "labels logs (intent label LOG -r FOLDER) and plays" if typed else "plays"
            yield f"not saved; with -o FOLDER it is, {uses} (player scripted/FOLDER of an experiment)"
            return
        yield f"saved to {self.path}"
        if typed:
            yield f"label a log with its types: intent label LOG -r {self.path}"
        yield f"each move's probability: intent view LOG -r {self.path}"
        yield f"play against it: player scripted/{self.path} in an experiment for intent play"


def situations(s: Strategy) -> dict[str, float]:
    """P(cooperate) first and after each outcome of the first round, CC, CD, DC, DD.

    The state that an automaton is in after one outcome from its start: all that there is to know of a
    memory-one type, and the first two rounds of any other.
    """
    after = {o: s.p_cooperate[s.next_state[s.start][i]] for i, o in enumerate(("CC", "CD", "DC", "DD"))}
    return {"first": s.p_cooperate[s.start], **after}


@job(FitRequest)
def fit_model(request: FitRequest) -> FitResult:
    """Fit one model of choice to a log.

    Raises
    ------
    UnknownNameError
        No such model or covariate.
    UsageError, DataError
        A setting that cannot be, or nothing to learn from.
    OutputError
        The folder exists, or cannot be written.
    """
    how = request.values(("where", "others", "keep_defaulted")) | keeps_scripted(request)
    log, X = focal_play(request.log, **how, **request.file_reading())
    subject = (request.subject,) if isinstance(request.subject, str) else tuple(request.subject)
    covariates = covariate_names(request.covariates)
    choices = choices_of_log(log, X, covariates=covariates, subject=subject)
    model = make_model(request.model)
    require(*model.libraries)
    if "random_state" in model.get_params():
        model.set_params(random_state=request.seed)
    if covariates and not model.uses_covariates:
        raise UsageError(
            f"--covariates: {request.model} does not use any; expected a model that does, such as "
            "memory-two, setting-rate, logit or automata@membership"
        )
    model.fit(choices)
    request.update(1, 1)
    recogniser = ChoiceRecogniser.of_fitted(model, request.model, covariates)
    result = FitResult(
        recogniser,
        len(choices),
        len(np.unique(choices.subject)),
        choices.n_moves,
        -model.score(choices),
        -make_model("base-rate").fit(choices).score(choices),
        {
            "log": log.provenance,
            **{name: request.config()[name] for name in ("model", "covariates", "subject", "seed")},
            **how,
            "version": __version__,
        },
        log.skipped() if choices.actions == COOPERATION else {},
        path=None if request.output is None else Path(request.output),
        origin=Path(request.log) if isinstance(request.log, str | Path) else None,
        notes=(*unread_rows(log), *scripted_notes(log), *model.notes_),
    )
    if request.output is not None:
        measured = {"log_loss": result.log_loss, "base_loss": result.base_loss}
        about = {"name": Path(request.output).name, "data": result.config, "measured": measured}
        save_recogniser(recogniser, request.output, about=about, overwrite=request.overwrite)
    return result
