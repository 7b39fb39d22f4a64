"""A study spelled out: every model at every point where it is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from intent.errors import UsageError
from intent.workflows.study.models import ModelPlan, noise_text, plan_models
from intent.workflows.study.points import Point, plan_points
from intent.workflows.study.spec import LeftOut, StudySpec
from intent.workflows.study.store import digest

__all__ = ["Plan", "cell_key", "make_plan", "restrict"]

_MEASURES = 1
"""Counted up whenever what is measured at a point changes, so that old cells are measured anew."""

_OF_MODEL: dict[str, Callable[[ModelPlan], str]] = {
    "group": lambda m: m.group,
    "recogniser": lambda m: m.recogniser,
    "kind": lambda m: m.kind,
    "set": lambda m: m.set,
    "train_size": lambda m: "" if m.size is None else str(m.size),
    "train_noise": lambda m: noise_text(m.noise),
}
_OF_POINT: dict[str, Callable[[Point], str]] = {
    "set": lambda p: p.set,
    "opponent": lambda p: p.opponent,
    "rounds": lambda p: str(p.rounds),
    "noise": lambda p: f"{p.noise:g}",
}


@dataclass(frozen=True, eq=False)
class Plan:
    """All of a study.

    Attributes
    ----------
    models : tuple of ModelPlan
    points : tuple of Point
    left_out : tuple of LeftOut
    """

    models: tuple[ModelPlan, ...]
    points: tuple[Point, ...]
    left_out: tuple[LeftOut, ...]

    def models_at(self, point: Point) -> list[ModelPlan]:
        """The models that are measured at a point."""
        return [
            m
            for m in self.models
            if m.set == point.set
            and (m.rounds is None or point.rounds in m.rounds)
            and (m.opponents is None or point.opponent in m.opponents)
        ]

    def cells(self) -> list[tuple[ModelPlan, Point]]:
        """Every model at every point where it is measured, point by point."""
        return [(model, point) for point in self.points for model in self.models_at(point)]


def make_plan(spec: StudySpec, *, beside: Path = Path(), logs: Path | None = None) -> Plan:
    """Spell a study out.

    Parameters
    ----------
    spec : StudySpec
    beside : folder in which dataset specs of its own are looked for
    logs : folder of public logs, for recorded opponents

    Raises
    ------
    UnknownNameError
        Something that the study names does not exist.
    """
    models, no_models = plan_models(spec, beside)
    points, no_points = plan_points(spec, logs)
    return Plan(models, points, (*no_models, *no_points))


def cell_key(model: ModelPlan, point: Point) -> str:
    """The key of one model measured at one point."""
    return digest({"model": model.key, "point": point.key, "measures": _MEASURES})


def restrict(plan: Plan, only: Mapping[str, Sequence[str]]) -> Plan:
    """The part of a plan that a user asks for.

    Parameters
    ----------
    plan : Plan
    only : column -> accepted values; columns are group, recogniser, kind, set, train_size, train_noise,
        opponent, rounds, noise

    Raises
    ------
    UsageError
        No such column, or nothing is left.
    """
    for column, values in only.items():
        if column not in _OF_MODEL and column not in _OF_POINT:
            known = ", ".join(dict.fromkeys([*_OF_MODEL, *_OF_POINT]))
            raise UsageError(f"--only {column}={values[0]}: no such column, expected one of {known}")
    models = [m for m in plan.models if all(_OF_MODEL[c](m) in v for c, v in only.items() if c in _OF_MODEL)]
    points = [p for p in plan.points if all(_OF_POINT[c](p) in v for c, v in only.items() if c in _OF_POINT)]
    part = replace(plan, models=tuple(models), points=tuple(points))
    if not part.cells():
        raise UsageError("--only leaves no model or no point of the study")
    return part
