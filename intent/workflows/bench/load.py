"""Load a benchmark from a file or values, with changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.errors import DataError, IntentError
from intent.files.settings import Document, read_document
from intent.workflows.bench.benchmark import Benchmark
from intent.workflows.bench.condition import BENCH_ALIASES, games_of
from intent.workflows.experiment.aliases import BLOCKS, spelled_out
from intent.workflows.experiment.merge import lay_over, read_with_includes
from intent.workflows.experiment.put import parse_setting, put
from intent.workflows.values import checked

__all__ = ["load_benchmark"]

_LISTS = frozenset({"games", "models", "settings.stop", "table"})
"""Keys that take a list themselves; for any other, a list makes a factor of the grid."""

_OWN = frozenset({*BLOCKS, "limits", "model_settings", "prices"})


def load_benchmark(
    source: str | Path | Mapping[str, Any] | Benchmark | None = None,
    *,
    set: Sequence[str] = (),
    models: Sequence[str] = (),
    games: Sequence[str] = (),
    **changes: Any,
) -> Benchmark:
    """The benchmark of a file or mapping, with changes.

    Parameters
    ----------
    source : path of a .yaml or .json file, the values themselves, or nothing: the eight games as published
    set : ``key=value`` texts
        Laid over last; dotted keys, YAML values; a list makes a factor of the grid.
    models : names
        In place of those of the source.
    games : names
        In place of those of the source, whose parameters of these games stay.
    **changes
        Values by key; a list makes a factor of the grid.

    Raises
    ------
    DataError
        The source is no benchmark; the message names file, line and the nearest known key.
    UsageError
        A change that cannot be.

    Examples
    --------
    >>> load_benchmark(games=["bar"], temperature=[0, 1], models=["scripted/RANDOM"]).grid
    {'settings.temperature': [0, 1]}
    """
    document, called = _read(source)
    values = dict(document.values)
    given = [(key, list(v) if isinstance(v, tuple) else v) for key, v in changes.items()]
    for key, value in (*given, *map(parse_setting, set)):
        values = _changed(values, key, value)
    if models:
        values["models"] = list(models)
    if games:
        values["games"] = _only(games, values.get("games", "all"))
    benchmark = checked(Benchmark, Document(values, document.lines), called=called)
    _check_games(benchmark, document, called)
    return benchmark


def _read(source: Any) -> tuple[Document, str]:
    if source is None:
        return Document({}), "gamma"
    if isinstance(source, Benchmark):
        return Document(source.model_dump(mode="json", exclude_unset=True)), source.name
    if isinstance(source, Mapping):
        return Document(spelled_out(source, BENCH_ALIASES)), str(source.get("name", "benchmark"))
    path = Path(source)
    if path.suffix == ".json":
        document = read_document(path)
        document = Document(spelled_out(document.values, BENCH_ALIASES), document.lines)
    else:
        document = read_with_includes(path, aliases=BENCH_ALIASES)
    return Document({"name": path.stem, **document.values}, document.lines), path.name


def _changed(values: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The values with one laid over them; a factor of that name ends, or begins with a list."""
    head, _, factor = key.partition(".")
    if head in BLOCKS and factor:
        name = BENCH_ALIASES.get(factor, factor)
        listed = isinstance(value, list | dict) or value is None or name == "parameters"
        return lay_over(values, {head: {name: value if listed else [value]}})
    full = BENCH_ALIASES.get(key, key)
    freed = {
        **values,
        **{block: {k: v for k, v in (values.get(block) or {}).items() if k != full} for block in BLOCKS},
    }
    if isinstance(value, list) and full not in _LISTS and full.split(".")[0] not in _OWN:
        return lay_over(freed, {"grid": {full: value}})
    return lay_over(freed if full.split(".")[0] not in _OWN else values, put({}, full, value))


def _only(names: Sequence[str], known: Any) -> Any:
    """These games, with the parameters that the source has for them."""
    games_of(list(names))
    fixed = games_of(known)
    return {name: (fixed.get(name) if isinstance(fixed, Mapping) else None) or {} for name in names}


def _check_games(benchmark: Benchmark, document: Document, called: str) -> None:
    """Refuse parameters that make no game where they are fixed, so that the message can say where."""
    from intent.games.gamma import gamma_game

    for name, parameters in benchmark.games.items():
        try:
            gamma_game(name, **{"n_players": benchmark.players, **parameters})
        except (IntentError, TypeError) as error:
            at = document.where(["games", name]) or called
            raise DataError(f"{at}: {error}") from None
