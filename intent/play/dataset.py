"""Dataset specs: what play to generate, as typed values from a file, a name or options."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from intent.base.defaults import DEFAULT_STRATEGIES
from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.files import require_file, shipped
from intent.base.settings import Document, Values, checked, read_document
from intent.strategies.catalogue import named_set
from intent.strategies.sets import (
    Naming,
    names_and_own,
    placed,
    read_tables,
    strategy_tables,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from intent.play.corpora import Corpus
    from intent.strategies.catalogue import Strategy

__all__ = ["DatasetSpec", "load_spec", "number_range", "parse_range", "recorded_moves", "shipped_specs"]

_NUMBER = r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?"


class DatasetSpec(Values):
    """A corpus of noisy play.

    Attributes
    ----------
    strategies : set name, or names separated by commas; a file or a list becomes the names and `tables`
    n : trajectories
    rounds : (shortest, longest)
    eps : (low, high), noise of the focal player, drawn per trajectory where they differ
    opponent : text as `intent.play.corpora.opponent`, or ``recorded:LOG``
    opponent_eps : (low, high), or None for the same eps as the focal player
    tables : strategies of one's own that players and opponents are, as `strategy_tables` writes them
    """

    name: str = "custom"
    strategies: str = DEFAULT_STRATEGIES
    n: int = Field(default=10_000, ge=1)
    rounds: tuple[int, int] = (10, 10)
    eps: tuple[float, float] = (0.05, 0.05)
    opponent: str = "random"
    opponent_eps: tuple[float, float] | None = (0.0, 0.0)
    seed: int = Field(default=0, ge=0)
    tables: tuple[dict[str, Any], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_files(cls, values: Any) -> Any:
        """The names and tables of the files that players and opponents are in."""
        if not isinstance(values, dict):
            return values
        tables = list(values.get("tables") or ())
        known = {table.get("name") for table in tables if isinstance(table, dict)}
        changes = {}
        for key in ("strategies", "opponent"):
            if key in values and not _is_library(values[key]):
                text, own = names_and_own(values[key], key)
                several = key == "opponent" and own and "(" in text
                changes[key] = ",".join(f"{name}=1" for name in text.split(",")) if several else text
                fresh = [table for table in strategy_tables(own) if table["name"] not in known]
                tables += fresh
                known |= {table["name"] for table in fresh}
        return {**values, **changes, **({"tables": tables} if tables else {})}

    @model_serializer(mode="wrap")
    def _without_tables(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As it was before there were tables, where there are none."""
        values: dict[str, Any] = handler(self)
        if not self.tables:
            values.pop("tables", None)
        return values

    @field_validator("rounds", "eps", "opponent_eps", mode="before")
    @classmethod
    def _widen(cls, value: Any) -> Any:
        if isinstance(value, str):
            return parse_range(value)
        return (value, value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    @property
    def own(self) -> tuple[Strategy, ...]:
        """The strategies of its tables."""
        return read_tables(self.tables)

    def players(self) -> tuple[Strategy, ...]:
        """Whose play it is, in order.

        Raises
        ------
        UnknownNameError
            A strategy that does not exist.
        """
        return named_set(self.strategies, self.own)

    def played_by(self, strategies: Naming) -> DatasetSpec:
        """The same play by other strategies; opponents that are named stay who they are."""
        values = self.model_dump(exclude={"strategies"})
        return checked(DatasetSpec, Document({**values, "strategies": strategies}), called=self.name)

    def corpus(self) -> Corpus:
        """The corpus to play.

        Raises
        ------
        UnknownNameError
            A strategy or opponent that does not exist.
        UsageError
            A number out of range.
        """
        from intent.play.corpora import Corpus, Recorded, opponent

        head, recorded, log = self.opponent.partition("recorded:")
        met = Recorded(recorded_moves(log)) if recorded and not head else opponent(self.opponent, self.own)
        return Corpus(
            self.players(),
            self.n,
            rounds=self.rounds,
            eps=self.eps,
            eps_other=self.opponent_eps,
            opponent=met,
        )


def parse_range(text: str, name: str = "range") -> tuple[float, float] | None:
    """``0.05`` or ``0-0.2`` as (low, high); ``same`` as None.

    Raises
    ------
    UsageError
        Anything else.
    """
    return None if text == "same" else number_range(text, name)


def number_range(text: str, name: str = "range") -> tuple[float, float]:
    """``0.05`` or ``0-0.2`` as (low, high).

    Raises
    ------
    UsageError
        Anything else.
    """
    match = re.fullmatch(rf"({_NUMBER})(?:-({_NUMBER}))?", text.strip())
    if match is None:
        raise UsageError(f"{name} {text!r}, expected a number or a range such as 5-100")
    return float(match[1]), float(match[2] or match[1])


def load_spec(source: str | Path, **changes: Any) -> DatasetSpec:
    """The spec of a shipped name or YAML file, with changes.

    Raises
    ------
    UnknownNameError
        Neither a YAML file nor a shipped spec; the nearest names are suggested.
    DataError
        No such file, or it is no such spec; an unknown key is answered with the nearest known one.
    """
    known = shipped_specs()
    path = known.get(str(source), Path(source))
    if path.suffix not in (".yaml", ".yml"):
        raise UnknownNameError("dataset spec", str(source), known)
    original = read_document(require_file(path))
    beside = {
        k: placed(v, path.parent) for k, v in original.values.items() if k in ("strategies", "opponent")
    }
    lines = {keys: line for keys, line in original.lines.items() if keys[0] not in changes}
    document = Document({"name": path.stem, **original.values, **beside, **changes}, lines)
    return checked(DatasetSpec, document, called=path.name)


def make_spec(values: dict[str, Any], *, where: str = "options") -> DatasetSpec:
    """A checked spec.

    Raises
    ------
    DataError
        A value is not what it should be; one line.
    """
    return checked(DatasetSpec, Document(values), called=where)


def _is_library(names: Any) -> bool:
    """Whether players of other libraries are named, or moves, which no set has."""
    from intent.play.players import plays_by_library

    return isinstance(names, str) and (
        plays_by_library(names) or any(word in names for word in ("recorded:", "sequence:"))
    )


def shipped_specs() -> dict[str, Path]:
    """Name -> file of the specs that come with this package."""
    root = shipped("datasets/specs")
    return {path.stem: path for path in sorted(root.glob("*.yaml"))} if root else {}


def recorded_moves(path: str | Path, where: Mapping[str, Sequence[str]] | None = None) -> NDArray[np.int8]:
    """Moves (m, T) of all players of a log, to take opponents from.

    Raises
    ------
    DataError
        There are none of games of two players.
    """
    from intent.logs.readers import read_log

    log = read_log(path)
    X = (log if where is None else log.where(where)).trajectories()
    if X.other_share is not None or not len(X) or not X.shape[1]:
        raise DataError(f"{path}: no two-player moves to take opponents from")
    return X.own
