"""What a comparison of models of choice returns: values, tables, sentences, figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.job import Result, Table, data_line, kept_in_words
from intent.base.statistics import Interval
from intent.estimate.choice.checks import Check, outcome_names
from intent.estimate.choice.choices import COOPERATION
from intent.estimate.choice.heldout import Independent
from intent.estimate.choice.model import ChoiceModel
from intent.estimate.choice.portraits import Portrait, effects_table, two_round_names
from intent.estimate.choice.scores import BASELINE, ModelRow

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PredictResult"]

_MOST_PARAMETERS = 200
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class PredictResult(Result):
    """Held-out losses of models of choice, with what is needed to say how they came about.

    Parameters
    ----------
    rows : tuple of ModelRow, as they were named, then the stack and the chosen one
    best : name of the readable model with the least loss; None where none has one
    ceiling : name of the best flexible model; None without one
    gain : Interval, loss of the baseline less that of the ceiling
    by : columns that make the groups
    n, n_moves : int
    actions : tuple of str
    of : Independent
    weights : mapping of model -> mean weight in the stack
    choices : mapping of model -> folds that chose it
    checks : tuple of Check, of the best readable model
    model : ChoiceModel, optional
        The best readable model, fitted to all rows.
    config : the resolved settings, version and origin of the log, JSON-able; kept in every file written
    origin : the log that was read; never written over
    notes : what a reader should be warned of
    """

    rows: tuple[ModelRow, ...]
    best: str | None
    ceiling: str | None
    gain: Interval
    by: tuple[str, ...]
    n: int
    n_moves: int
    actions: tuple[str, ...]
    of: Independent
    weights: Mapping[str, float]
    choices: Mapping[str, int]
    checks: tuple[Check, ...]
    model: ChoiceModel | None
    config: Mapping[str, Any]
    origin: Path | None = None
    notes: tuple[str, ...] = ()

    kind = "prediction"

    def __repr__(self) -> str:
        return f"<PredictResult: {len(self.rows)} models, {self.n_moves:,} moves, best {self.best}>"

    def row(self, name: str) -> ModelRow:
        """The row of a model.

        Raises
        ------
        KeyError
            No such row.
        """
        return next((row for row in self.rows if row.name == name), None) or _missing(name)

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent predict --json``."""
        base = self.row(BASELINE)
        ceiling = None
        if self.ceiling is not None:
            gain = dict(zip(("gain", "gain_low", "gain_high"), _ends(self.gain), strict=True))
            ceiling = {"name": self.ceiling, **_loss(self.row(self.ceiling).loss), **gain}
        return {
            "unit": self.of.unit.noun,
            "held_out": self.config["held_out"],
            "models": [self._row(row) for row in self.rows],
            "ceiling": ceiling,
            "baseline": {"name": base.name, **_loss(base.loss)},
            "best": self.best,
            "n": self.n,
            "n_moves": self.n_moves,
            "actions": list(self.actions),
            "folds": self.config["folds"],
            "covariates": list(self.config["covariates"]),
            "unit_line": self.of.unit.line(),
            "stack": {"weights": dict(self.weights), "chosen": dict(self.choices)} if self.weights else None,
            "checks": [asdict(check) for check in self.checks],
            "sentences": self.sentences(),
            "notes": list(self.notes),
        }

    def _row(self, row: ModelRow) -> dict[str, Any]:
        return {
            "name": row.name,
            "kind": row.kind,
            "interpretable": row.interpretable,
            **_loss(row.loss),
            **_explained(row.explained),
            **dict(
                zip(("difference", "difference_low", "difference_high"), _ends(row.difference), strict=True)
            ),
            "n_parameters": row.n_parameters,
            "parameters": [asdict(p) for p in row.parameters[:_MOST_PARAMETERS]],
            "seconds": row.seconds,
            "note": "; ".join(row.notes) or None,
            "rounds": list(row.rounds),
            "types": [_type(portrait) for portrait in row.types],
            "groups": [
                {
                    "group": dict(zip(self.by, group.values, strict=True)),
                    "n_moves": group.n_moves,
                    **_loss(group.loss),
                    **_explained(group.explained),
                }
                for group in row.groups
            ],
        }

    def table(self) -> pd.DataFrame:
        """One row per model; with groups one per model and group."""
        import pandas as pd

        lines = []
        for row in self.rows:
            facts = {"model": row.name, "kind": row.kind, "interpretable": row.interpretable}
            rest = {"n_parameters": row.n_parameters, "seconds": row.seconds, "note": "; ".join(row.notes)}
            gaps = dict(
                zip(("difference", "difference_low", "difference_high"), _ends(row.difference), strict=True)
            )
            if not self.by:
                scores = {**_loss(row.loss), **_explained(row.explained), **gaps}
                lines.append({**facts, "n_moves": self.n_moves, **scores, **rest})
            for group in row.groups:
                scores = {**_loss(group.loss), **_explained(group.explained)}
                values = dict(zip(self.by, group.values, strict=True))
                lines.append({**values, **facts, "n_moves": group.n_moves, **scores, **rest})
        return pd.DataFrame(lines)

    def parts(self) -> Iterator[Table | str]:
        """What explains how much, the losses, curve over rounds, differences, types, parameters, checks."""
        folds, level = self.config["folds"], self.config["level"]
        held = self.of.unit
        yield (
            f"{self.n:,} trajectories, {self.n_moves:,} moves; each {' × '.join(self.config['held_out'])} "
            f"predicted by models fitted without it ({folds} folds)"
        )
        yield ""
        title = f"Held-out log loss, nats per move, with {level * 100:g} % intervals; * the ceiling"
        shares = ("explained", "interval", "less best", "interval")
        yield Table(
            ("model", "family", "log loss", "interval", *shares, "parameters", "seconds"),
            [self._cells(row) for row in self._ordered()],
            title,
        )
        for row in self.rows:
            if row.notes:
                yield f"{row.name}: {'; '.join(row.notes)}"
        yield held.line()
        yield ""
        yield from self.sentences()
        if self.by:
            yield ""
            yield self._groups()
        yield ""
        yield self._rounds()
        best = None if self.best is None else self.row(self.best)
        if best is not None and best.types:
            yield ""
            yield _types_table(best)
            if best.effects:
                yield ""
                yield effects_table(best.effects)
        if best is not None and best.parameters and not best.types:
            yield ""
            yield _parameter_table(best)
        if self.checks:
            yield ""
            yield self._checks()

    def _ordered(self) -> list[ModelRow]:
        """Rows with the largest loss first, those without one at the end."""
        return sorted(self.rows, key=lambda row: -row.loss.estimate if row.scored else math.inf)

    def _cells(self, row: ModelRow) -> list[object]:
        mark = " *" if row.name == self.ceiling else ""
        if not row.scored:
            return [row.name, row.kind, *["–"] * 7, _seconds(row.seconds)]
        return [
            f"{row.name}{mark}",
            row.kind,
            f"{row.loss.estimate:.4f}",
            _between(row.loss, "{:.4f}"),
            _percent(row.explained.estimate),
            _between(row.explained, "{:.1%}"),
            "–" if row.name == self.best or self.best is None else f"{row.difference.estimate:+.4f}",
            "–" if row.name == self.best else _between(row.difference, "{:+.4f}"),
            "–" if row.n_parameters is None else f"{row.n_parameters:,}",
            _seconds(row.seconds),
        ]

    def _groups(self) -> Table:
        scored = [row for row in self._ordered() if row.scored]
        rows: list[list[object]] = []
        for g, first in enumerate(scored[0].groups):
            cells: list[object] = [*map(str, first.values), f"{first.n_moves:,}"]
            for row in scored:
                score = row.groups[g]
                share = score.explained.estimate
                cells.append(f"{score.loss.estimate:.3f}" + ("" if math.isnan(share) else f" ({share:.0%})"))
            rows.append(cells)
        header = [*self.by, "moves", *(row.name for row in scored)]
        return Table(header, rows, "Log loss by group (share explained)", fixed=len(self.by) + 1)

    def _rounds(self) -> Table:
        scored = [row for row in self._ordered() if row.scored]
        n = len(scored[0].rounds)
        at = range(n) if n <= _SHOWN else np.unique(np.geomspace(1, n, _SHOWN).astype(int)) - 1
        rows = [[row.name, *(_number(row.rounds[t]) for t in at)] for row in scored]
        return Table(("model", *(f"round {t + 1}" for t in at)), rows, "Log loss by round", fixed=1)

    def _checks(self) -> Table:
        outside = sum(check.outside for check in self.checks)
        rows = [
            [
                _KINDS[c.kind].format(c.name),
                f"{c.n:,}",
                f"{c.observed:.3f}",
                f"{c.expected:.3f}",
                f"{c.low:.3f} to {c.high:.3f}",
                f"{c.p:.3f}" + (" *" if c.outside else ""),
            ]
            for c in self.checks
        ]
        title = f"Play simulated from {self.best} beside the log: {outside} of {len(rows)} have p <= .05, *"
        return Table(("", "n", "log", "simulated", "95 % of plays", "p"), rows, title)

    def sentences(self) -> list[str]:
        """What explains how much, in plain words."""
        rows = [row for row in self.rows if row.scored]
        best = None if self.best is None else self.row(self.best)
        lines = []
        if best is not None:
            line = (
                f"The best readable account of this play is {best.name}: {best.loss.estimate:.3f} nats per "
                f"move, base rate {self.row(BASELINE).loss.estimate:.3f}"
            )
            if math.isfinite(best.explained.estimate):
                line += f"; it explains {_share(best.explained)} of what {self.ceiling} predicts"
            lines.append(f"{line}.")
        shares = [row for row in rows if row.name not in (BASELINE, self.best, self.ceiling)]
        if self.gain.low > 0:
            listed = ", ".join(f"{row.name} {row.explained.estimate:.0%}" for row in shares)
            lines += [f"Of the same, the others explain: {listed}."] if shares else []
        elif self.ceiling is not None and math.isnan(self.gain.low):
            lines.append("One unit alone cannot tell whether anything can be predicted.")
        elif self.ceiling is not None:
            gain = f"{self.gain.estimate:.4f} ({self.gain.low:.4f} to {self.gain.high:.4f})"
            lines.append(
                f"Nothing that {self.ceiling} can predict is told from chance: its gain over the base rate "
                f"is {gain}, so no share is given."
            )
        return lines

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw losses and explained shares; ``what``: losses, rounds, types or checks."""
        from intent.estimate.choice.figures import FIGURES

        what = how.get("what", "losses")
        source = self.origin.name if self.origin else None
        facts, unit = f"{self.n:,} trajectories, {self.n_moves:,} moves", self.of.unit.line()
        return FIGURES[what](self).write(
            target,
            remarks=(data_line(source, *kept_in_words(self.config["where"]), facts), f"U{unit[1:]}."),
            description=self.description(),
            overwrite=overwrite,
        )

    def write_figures(self, folder: Path, *, overwrite: bool = False) -> list[Path]:
        """Write each figure that there is something to draw for, as .png, into a folder."""
        best = None if self.best is None else self.row(self.best)
        there = {"types": best is not None and bool(best.types), "checks": bool(self.checks)}
        names = [name for name in ("losses", "rounds", "types", "checks") if there.get(name, True)]
        return [self.write(folder / f"{name}.png", overwrite=overwrite, what=name) for name in names]


_LEAST_ERROR = 0.0005
_KINDS = {"round": "round {}", "after": "after {}", "streak": "streak of {}"}


_NO_WIDTH = 1e-9
"""Width of an interval that only says that a number is what it is by definition."""


def _missing(name: str) -> ModelRow:
    raise KeyError(name)


def _ends(value: Interval) -> tuple[float | None, ...]:
    return tuple(v if math.isfinite(v) else None for v in (value.estimate, value.low, value.high))


def _loss(value: Interval) -> dict[str, float | None]:
    return dict(zip(("log_loss", "low", "high"), _ends(value), strict=True))


def _explained(value: Interval) -> dict[str, float | None]:
    return dict(zip(("explained", "explained_low", "explained_high"), _ends(value), strict=True))


def _type(portrait: Portrait) -> dict[str, Any]:
    return {
        **{name: getattr(portrait, name) for name in ("name", "share", "se", "moves", "first")},
        "after": dict(zip(outcome_names(COOPERATION), portrait.after, strict=True)),
        "after_two": dict(zip(two_round_names(), portrait.after_two, strict=True)),
        "nearest": [asdict(near) for near in portrait.nearest],
    }


def _between(value: Interval, form: str) -> str:
    if not math.isfinite(value.low) or value.high - value.low < _NO_WIDTH:
        return "–"
    return f"{form.format(value.low)} to {form.format(value.high)}"


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1%}"


def _share(value: Interval) -> str:
    ends = "" if math.isnan(value.low) else f" ({value.low:.0%} to {value.high:.0%})"
    return f"{value.estimate:.0%}{ends}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def _types_table(row: ModelRow) -> Table:
    cells = [
        [
            portrait.name,
            f"{portrait.share:.1%}" + _error(portrait.se),
            f"{portrait.moves:,.0f}",
            *(_probability(p) for p in (portrait.first, *portrait.after)),
            ", ".join(f"{n.strategy} ({n.eps:.2f}): {n.distance:.2f}" for n in portrait.nearest[:1]),
        ]
        for portrait in row.types
    ]
    header = ("type", "share ± error", "moves", "first", *outcome_names(COOPERATION))
    title = f"Types of {row.name}: P(cooperate) first and after each outcome (own move first)"
    return Table((*header, "nearest strategy (noise): distance"), cells, title)


def _error(se: float | None) -> str:
    """A standard error; nothing where it rounds to none, as of the share of a single type."""
    return "" if se is None or se < _LEAST_ERROR else f" ± {se:.1%}"


def _probability(p: float | None) -> str:
    return "–" if p is None else f"{p:.2f}"


def _parameter_table(row: ModelRow) -> Table:
    cells = [
        [p.name, p.of or "–", f"{p.value:.4g}", "–" if p.se is None else f"{p.se:.2g}", p.unit or "–"]
        for p in row.parameters[:_SHOWN]
    ]
    more = len(row.parameters) - len(cells)
    title = f"Parameters of {row.name}" + (
        f", the first {len(cells)} of {len(row.parameters):,}" if more else ""
    )
    return Table(("parameter", "of", "value", "error", "unit"), cells, title)
