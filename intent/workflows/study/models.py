"""The models of a study: which recognisers, trained on what, and what makes two of them the same."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError
from intent.workflows.study.spec import Entry, Group, LeftOut, Shipped, Size, StudySpec
from intent.workflows.study.store import digest

if TYPE_CHECKING:
    from intent.workflows.dataset import DatasetSpec

__all__ = ["ModelPlan", "noise_text", "plan_models", "set_tables"]

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ModelPlan:
    """One recogniser, trained once and measured everywhere.

    Attributes
    ----------
    group, recogniser : names in the study
    kind : key of the registry
    set : its strategies
    size : training trajectories, "endless", or None where nothing is learned
    noise : range of eps trained with, or None
    parameters : of the recogniser; eps "known" is the noise of the point
    data : what to train on, or None
    shipped : name of a recogniser that is ready, or None
    rounds, opponents : restrict where it is measured
    key : of everything that determines the fitted recogniser
    """

    group: str
    recogniser: str
    kind: str
    set: str
    size: Size | None
    noise: Range | None
    parameters: Mapping[str, Any]
    data: DatasetSpec | None
    shipped: str | None
    rounds: tuple[int, ...] | None
    opponents: tuple[str, ...] | None
    key: str = ""

    @property
    def trained(self) -> bool:
        """Whether it is trained here, once, and kept."""
        return self.data is not None

    @property
    def title(self) -> str:
        """Recogniser, set, size and noise of training in a few words."""
        learned = f", {self.size} rows, eps {noise_text(self.noise)}" if self.trained else ""
        return f"{self.recogniser} ({self.group}), {self.set}{learned}"


def plan_models(spec: StudySpec, beside: Path = Path()) -> tuple[tuple[ModelPlan, ...], tuple[LeftOut, ...]]:
    """All models of a study, and those that cannot be had with the reason.

    Parameters
    ----------
    spec : StudySpec
    beside : folder in which dataset specs of its own are looked for

    Raises
    ------
    UnknownNameError
        A set, kind, shipped recogniser or dataset spec that does not exist.
    """
    models: list[ModelPlan] = []
    left_out: list[LeftOut] = []
    for name, group in spec.groups.items():
        for recogniser, entry in group.recognisers.items():
            for found in _of_entry(spec, name, group, recogniser, entry, beside):
                if isinstance(found, LeftOut):
                    left_out.append(found)
                else:
                    models.append(found)
    return tuple(models), tuple(dict.fromkeys(left_out))


def noise_text(noise: Range | None) -> str:
    """A range of eps as text: ``0.05``, ``0-0.2``, or nothing."""
    if noise is None:
        return ""
    return f"{noise[0]:g}" if noise[0] == noise[1] else f"{noise[0]:g}-{noise[1]:g}"


def set_tables(set_name: str) -> list[Any]:
    """The strategies of a set, as what determines their play."""
    from intent.strategies.catalogue import strategy_set

    return [[s.name, s.p_cooperate, s.next_state, s.start, s.memory] for s in strategy_set(set_name)]


def _of_entry(
    spec: StudySpec, group_name: str, group: Group, recogniser: str, entry: Entry, beside: Path
) -> Iterator[ModelPlan | LeftOut]:
    for set_name in entry.sets or group.sets or spec.sets:
        plain = ModelPlan(
            group_name,
            recogniser,
            entry.kind,
            set_name,
            None,
            None,
            _parameters(entry, set_name, spec.seed),
            None,
            None,
            None if group.rounds is None else tuple(group.rounds),
            None if group.opponents is None else tuple(group.opponents),
        )
        if group.data is not None:
            yield from _trained(spec, group, entry, plain, beside)
        elif entry.shipped is not None:
            yield _shipped(plain, entry.shipped)
        else:
            yield replace(plain, key=_key(plain))


def _trained(
    spec: StudySpec, group: Group, entry: Entry, plain: ModelPlan, beside: Path
) -> Iterator[ModelPlan | LeftOut]:
    sizes: Sequence[Size | None] = (group.sizes if entry.sizes is None else entry.sizes) or [None]
    noises: Sequence[Range | None] = (group.noise if entry.noise is None else entry.noise) or [None]
    ready = entry.shipped
    for size in sizes:
        if size == "endless" and not _learns_from_streams(plain.kind):
            what = f"{plain.recogniser} ({plain.group}), endless"
            yield LeftOut(what, f"{plain.kind} learns from a table of fixed size")
            continue
        for noise in noises:
            if ready is not None and (ready.size, ready.noise) == (size, noise):
                yield _shipped(plain, ready)
                continue
            data = _data(str(group.data), plain.set, size, noise, spec.seed, beside)
            full = replace(plain, size=size or data.n, noise=noise or data.eps, data=data)
            yield replace(full, key=_key(full))


def _parameters(entry: Entry, set_name: str, seed: int) -> dict[str, Any]:
    from intent.recognise.registry import recogniser_class

    accepted = recogniser_class(entry.kind)().get_params()
    for name in entry.parameters:
        if name not in accepted:
            raise UnknownNameError(f"parameter of {entry.kind}", name, list(accepted))
    usual = {k: v for k, v in {"strategies": set_name, "random_state": seed}.items() if k in accepted}
    given = entry.parameters.items()
    return usual | {k: v.replace("{set}", set_name) if isinstance(v, str) else v for k, v in given}


def _data(
    name: str, set_name: str, size: Size | None, noise: Range | None, seed: int, beside: Path
) -> DatasetSpec:
    from intent.workflows.dataset import load_spec

    text = name.replace("{set}", set_name)
    changes: dict[str, Any] = {"strategies": set_name, "seed": seed}
    if isinstance(size, int):
        changes["n"] = size
    if noise is not None:
        changes["eps"] = noise
    return load_spec(beside / text if (beside / text).is_file() else text, **changes)


def _key(plan: ModelPlan) -> str:
    from intent.recognise.storage import shipped_recognisers
    from intent.version import __version__

    named = {v for v in plan.parameters.values() if isinstance(v, str)}
    data = None if plan.data is None else plan.data.model_dump(mode="json", exclude={"name"})
    if data is not None and plan.size == "endless":
        del data["n"]
    return digest(
        {
            "version": __version__,
            "kind": plan.kind,
            "parameters": dict(plan.parameters),
            "strategies": set_tables(plan.set),
            "endless": plan.size == "endless",
            "data": data,
            "shipped": {name: _manifest(at) for name, at in shipped_recognisers().items() if name in named},
        }
    )


def _shipped(plain: ModelPlan, ready: Shipped) -> ModelPlan:
    from intent.recognise.storage import describe_recogniser

    name, given = ready.name.replace("{set}", plain.set), dict(ready.parameters)
    facts = describe_recogniser(name)
    key = digest({"shipped": _manifest(Path(facts["path"])), "parameters": given})
    found = replace(plain, kind=facts["kind"], parameters=given, shipped=name, key=key)
    return replace(found, size=ready.size, noise=ready.noise)


def _manifest(folder: Path) -> str:
    """SHA-256 of the manifest of a saved recogniser, which lists those of its files."""
    return hashlib.sha256((folder / "recogniser.json").read_bytes()).hexdigest()


def _learns_from_streams(kind: str) -> bool:
    from intent.recognise.registry import recogniser_class

    found = importlib.util.find_spec("intent.workflows.endless")
    return found is not None and hasattr(recogniser_class(kind), "fit_stream")
