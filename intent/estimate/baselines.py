"""Published shares of strategies of human subjects, to set beside those of a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from intent.base.errors import DataError, UnknownNameError
from intent.base.files import shipped
from intent.base.result import Result, Table

__all__ = ["Baseline", "BaselineList", "baselines", "every_baseline"]


@dataclass(frozen=True)
class Baseline:
    """Shares that a study published for one treatment.

    Parameters
    ----------
    treatment : tuple of (parameter, value)
        delta: probability that a game goes on after a round; R: payoff of mutual cooperation.
    n_subjects : int or None
        Of the study, over all its treatments.
    strategies : tuple of str
        Those that competed, by the catalogue's names.
    shares : tuple of (strategy, share, standard error or None)
    seen : str
        Where the numbers were read.
    """

    name: str
    citation: str
    doi: str
    bibtex: str
    game: str
    treatment: tuple[tuple[str, float], ...]
    n_subjects: int | None
    strategies: tuple[str, ...]
    shares: tuple[tuple[str, float, float | None], ...]
    seen: str
    note: str

    def beside(self, classes: Sequence[str]) -> dict[str, float]:
        """Share of each of `classes` that competed there."""
        shares = {name: share for name, share, _ in self.shares}
        return {name: shares[name] for name in classes if name in shares}

    def differences(self, classes: Sequence[str]) -> str | None:
        """Which strategies competed on one side only, in words; None where the sets are the same."""
        theirs = [name for name in self.strategies if name not in classes]
        ours = [name for name in classes if name not in self.strategies]
        lost = sum(share for name, share, _ in self.shares if name in theirs)
        parts = [f"{', '.join(theirs)} competed there ({lost:.0%} of its shares)"] if theirs else []
        parts += [f"{', '.join(ours)} did not"] if ours else []
        return f"{self.name}: {' and '.join(parts)}: shares are not of the same set" if parts else None

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "name": self.name,
            "citation": self.citation,
            "doi": self.doi,
            "game": self.game,
            "treatment": dict(self.treatment),
            "n_subjects": self.n_subjects,
            "shares": {name: {"estimate": share, "se": se} for name, share, se in self.shares},
            "seen": self.seen,
            "note": self.note,
        }


def baselines(names: Sequence[str]) -> list[Baseline]:
    """Baselines by name; the name of a study gives all its treatments.

    Raises
    ------
    UnknownNameError
        No such baseline.
    """
    every = every_baseline()
    by_name: dict[str, Baseline] = {}
    for name in names:
        own = [b for b in every if b.name == name or b.name.startswith(f"{name}-")]
        if not own:
            raise UnknownNameError("baseline", name, [b.name for b in every])
        by_name |= {b.name: b for b in own}
    return list(by_name.values())


@cache
def every_baseline() -> tuple[Baseline, ...]:
    """All baselines, in the order of the file.

    Raises
    ------
    DataError
        The installation lacks the file.
    """
    import json

    path = shipped("datasets/baselines/human_shares.json")
    if path is None:
        raise DataError("the file of human baselines is missing: this installation is incomplete")
    content = json.loads(path.read_text(encoding="utf-8"))
    return tuple(_baseline(item, content["sources"][item["source"]]) for item in content["baselines"])


def _baseline(item: dict[str, Any], source: dict[str, Any]) -> Baseline:
    errors = item.get("se", {})
    return Baseline(
        item["name"],
        source["citation"],
        source["doi"],
        source["bibtex"],
        source["game"],
        tuple(item["treatment"].items()),
        source["n_subjects"],
        tuple(source["strategies"]),
        tuple((name, share, errors.get(name)) for name, share in item["shares"].items()),
        source["seen"],
        source["note"],
    )


@dataclass(frozen=True)
class BaselineList(Result):
    """All baselines, as ``intent compare --baseline list`` shows them."""

    baselines: tuple[Baseline, ...] = field(default_factory=every_baseline)
    config: Mapping[str, Any] = field(default_factory=dict)

    kind = "baselines"

    def fields(self) -> Mapping[str, Any]:
        """The keys of the JSON object."""
        return {"baselines": [one.to_dict() for one in self.baselines]}

    def parts(self) -> Iterator[Table | str]:
        """A row per treatment, then the works."""
        rows = [
            [
                one.name,
                ", ".join(f"{k} = {v:g}" for k, v in one.treatment),
                ", ".join(f"{name} {share:.0%}" for name, share, _ in one.shares if share >= 0.005),
            ]
            for one in self.baselines
        ]
        yield Table(["name", "treatment", "shares"], rows, "Published shares of human subjects")
        yield from dict.fromkeys(one.citation for one in self.baselines)
