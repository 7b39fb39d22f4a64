"""The sets of a chain: published ones from a folder, or those that models are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from intent.errors import DataError
from intent.workflows.chain.paper_numbers import LOST, SETS
from intent.workflows.chain.spec import ChainSpec

__all__ = ["ChainSet", "check_sets", "published_sets", "written_sets"]


@dataclass(frozen=True)
class ChainSet:
    """One file of strategies.

    Attributes
    ----------
    name : str, its stem
    model, style, game : str
    noise : float
    path : Path, or None where it is not there
    lost : why not, or None
    published : whether it is one of the paper's sets, so that its numbers stand beside ours
    """

    name: str
    model: str
    style: str
    game: str
    noise: float
    path: Path | None = field(default=None, compare=False)
    lost: str | None = None
    published: bool = False


def check_sets(spec: ChainSpec, published: str | Path | None) -> None:
    """Refuse a folder without sets, or models that could not be asked, before anything is made.

    Raises
    ------
    DataError
        As `published_sets` and `written_sets`.
    IntentError
        As `make_client`.
    """
    if published is not None:
        published_sets(published, spec)
        return
    from intent.agents.clients.registry import make_client

    _check_models(spec)
    for model in dict.fromkeys([*spec.models, *filter(None, [spec.writing.code_model])]):
        make_client(model)


def published_sets(folder: str | Path, spec: ChainSpec) -> tuple[ChainSet, ...]:
    """The sets of the paper that the spec's styles and noises ask for, in the order of its tables.

    Parameters
    ----------
    folder : path
        With files as ``anthropic_default.py``, ``openai_prose_noise.py``.
    spec : ChainSpec

    Raises
    ------
    DataError
        No such folder, or none of the files in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError(f"{root}: no such folder, expected one of published strategies")
    found = []
    for stem, printed in SETS.items():
        if printed.style not in spec.styles or printed.noise not in spec.noise:
            continue
        path = root / f"{stem}.py"
        there = path.is_file()
        found.append(
            ChainSet(
                stem,
                printed.model,
                printed.style,
                spec.games[0],
                printed.noise,
                path if there else None,
                None if there else LOST.get(stem, f"no file {path.name} in {root.name}"),
                published=True,
            )
        )
    if not any(one.path for one in found):
        names = ", ".join(f"{one.name}.py" for one in found) or "nothing"
        raise DataError(f"{root}: holds none of {names}")
    return tuple(found)


def written_sets(
    spec: ChainSpec,
    folder: Path,
    *,
    beside: Path,
    engine: str,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[tuple[ChainSet, ...], list[str]]:
    """The sets that the spec asks models to write, written; what is there already is not asked for again.

    Parameters
    ----------
    spec : ChainSpec
    folder : Path
        Gets a folder for each model, noise and game.
    beside : Path
        Where a folder of prompts is looked for.
    engine : str
    update : called with (attempts done, issued)

    Returns
    -------
    sets : tuple of ChainSet
    notes : list of str

    Raises
    ------
    DataError
        The spec names no model.
    EndpointError, BudgetSpent
        A model gave no answer; what was answered is kept.
    """
    from intent.workflows.write_strategies import write_strategies
    from intent.workflows.writing_folder import plain_name

    _check_models(spec)
    options = spec.writing.model_dump()
    if options["prompts"] is not None:
        options["prompts"] = beside / options["prompts"]
    found: list[ChainSet] = []
    notes: list[str] = []
    for number, (model, game, noise) in enumerate(product(spec.models, spec.games, spec.noise), 1):
        place = folder / f"{number:02d}_{plain_name(model)}_{game}_{noise:g}"
        told = write_strategies(
            model,
            place,
            style=",".join(spec.styles),
            attitudes=",".join(spec.attitudes),
            n=spec.n,
            game=game,
            noise=noise,
            turns=spec.turns,
            seed=spec.seed,
            engine=engine,
            update=update,
            **options,
        )
        notes += [f"{model}: {note}" for note in told["notes"]]
        for one in told["sets"]:
            path = None if one["file"] is None else place / one["file"]
            good = sum(one["n"].values())
            lost = None if path is not None else "none of its strategies play"
            name = f"{plain_name(model)}_{one['style'].replace('+', '_')}" if path is None else path.stem
            name = name if len(spec.games) == 1 else f"{name}_{game}"
            name = _unused(name, {other.name for other in found})
            found.append(ChainSet(name, model, one["style"], game, noise, path, lost))
            if path is not None and good < one["wanted"]:
                notes.append(f"{name}: {good} strategies that play, of {one['wanted']} wanted")
    return tuple(found), notes


def _check_models(spec: ChainSpec) -> None:
    if not spec.models:
        raise DataError(f"{spec.name}: no models to write strategies; add models, or give --from FOLDER")


def _unused(name: str, taken: set[str]) -> str:
    numbers = (f"{name}-{k}" for k in range(2, len(taken) + 3))
    return name if name not in taken else next(new for new in numbers if new not in taken)
