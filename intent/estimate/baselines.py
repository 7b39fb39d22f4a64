"""Shares of strategies of people, to set beside those of a log: published ones, and ones estimated anew.

One file holds them, `datasets/baselines/human_shares.json`; `estimate.py` beside it writes those that are
estimated from public choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from intent.base.codebook import BASELINES
from intent.base.errors import DataError, UnknownNameError
from intent.base.files import shipped
from intent.base.job import Result, Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Baseline", "BaselineList", "baselines", "every_baseline", "nearest_sets"]

PUBLISHED = "published"


@dataclass(frozen=True)
class Baseline:
    """Shares of the people of one treatment.

    Parameters
    ----------
    name : str
        ``study-treatment``; of shares estimated anew ``study-treatment:set``.
    treatment : tuple of (parameter, value)
        delta: probability that a game goes on after a round; R: payoff of mutual cooperation; rounds: of the
        game; scot: whether the other, a model, was prompted to predict the subject first.
    licence : str
        Of the choices; none of them are here.
    how : {"published", "re-estimated"}
    n_subjects, n_choices : int
        Of the treatment.
    tremble : float or None
    strategies : tuple of str
        Those that competed, by the catalogue's names.
    shares : tuple of (strategy, share, standard error or None)
        No error: not published, or a share on the boundary.
    seen : str
        Where the numbers were read, or the command that estimates them.
    note : str
        Who played, which games these are, and how far they can be compared.
    """

    name: str
    citation: str
    doi: str
    bibtex: str
    licence: str
    game: str
    treatment: tuple[tuple[str, float], ...]
    how: str
    n_subjects: int
    n_choices: int
    tremble: float | None
    strategies: tuple[str, ...]
    shares: tuple[tuple[str, float, float | None], ...]
    seen: str
    note: str

    @property
    def people(self) -> str:
        """The name without the set."""
        return self.name.partition(":")[0]

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
        if not parts:
            return None
        same = [
            b.name for b in every_baseline() if b.people == self.people and set(b.strategies) == set(classes)
        ]
        hint = f"; --baseline {same[0]} is of this set" if same else ""
        return f"{self.name}: {' and '.join(parts)}: shares are not of the same set{hint}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "name": self.name,
            "citation": self.citation,
            "doi": self.doi,
            "licence": self.licence,
            "game": self.game,
            "treatment": dict(self.treatment),
            "how": self.how,
            "n_subjects": self.n_subjects,
            "n_choices": self.n_choices,
            "tremble": self.tremble,
            "shares": {name: {"estimate": share, "se": se} for name, share, se in self.shares},
            "seen": self.seen,
            "note": self.note,
        }


def baselines(names: Sequence[str], classes: Sequence[str] = ()) -> list[Baseline]:
    """Baselines by name; the name of a study gives all its treatments.

    A name without a set means what was published; where nothing was, the estimates with the set that is
    nearest to `classes`.

    Parameters
    ----------
    names : such as ``df2011``, ``df2011-d75-r48``, ``df2011:canonical4`` or ``akata2025-plain:df2011``
    classes : strategies that they are set beside

    Raises
    ------
    UnknownNameError
        No such baseline.
    """
    every = every_baseline()
    by_name: dict[str, Baseline] = {}
    for name in names:
        people, _, chosen = name.partition(":")
        own = [b for b in every if b.people == people or b.people.startswith(f"{people}-")]
        if chosen:
            own = [b for b in own if b.name.endswith(f":{chosen}")]
        elif any(b.how == PUBLISHED for b in own):
            own = [b for b in own if b.how == PUBLISHED]
        else:
            own = nearest_sets(own, classes)
        if not own:
            raise UnknownNameError("baseline", name, [b.name for b in every])
        by_name |= {b.name: b for b in own}
    return list(by_name.values())


def nearest_sets(every: Sequence[Baseline], classes: Sequence[str]) -> list[Baseline]:
    """Of the baselines of the same people the one whose strategies differ least from `classes`."""
    nearest: dict[str, Baseline] = {}
    for one in every:
        now = nearest.setdefault(one.people, one)
        if len(set(one.strategies) ^ set(classes)) < len(set(now.strategies) ^ set(classes)):
            nearest[one.people] = one
    return list(nearest.values())


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
    own = ("name", "how", "n_subjects", "n_choices", "tremble", "seen")
    return Baseline(
        **{key: item[key] for key in own},
        **source,
        treatment=tuple(item["treatment"].items()),
        strategies=tuple(item["strategies"]),
        shares=tuple((name, share, item["se"].get(name)) for name, share in item["shares"].items()),
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

    def table(self) -> pd.DataFrame:
        """A row for each strategy of each baseline, as `codebook.BASELINES`."""
        import pandas as pd

        rows = []
        for one in self.baselines:
            facts = {c.name: getattr(one, c.name) for c in BASELINES if hasattr(one, c.name)}
            facts["treatment"] = _in_words(one)
            rows += [facts | {"strategy": s, "share": share, "se": se} for s, share, se in one.shares]
        return pd.DataFrame(rows)[[c.name for c in BASELINES]].astype({"tremble": float, "se": float})

    def parts(self) -> Iterator[Table | str]:
        """A row per baseline, then what each study is."""
        rows = [
            [
                one.name,
                _in_words(one),
                one.n_subjects,
                one.tremble,
                ", ".join(f"{name} {share:.0%}" for name, share, _ in one.shares if share >= 0.005),
            ]
            for one in self.baselines
        ]
        header = ["name", "treatment", "subjects", "tremble", "shares"]
        yield Table(header, rows, "Shares of strategies of people: published, and estimated anew (NAME:SET)")
        for one in {b.citation: b for b in self.baselines}.values():
            yield ""
            yield f"{one.citation} doi:{one.doi}"
            yield f"{one.game}. {one.note} {one.licence[0].upper()}{one.licence[1:]}."


def _in_words(one: Baseline) -> str:
    return ", ".join(f"{k} = {v:g}" for k, v in one.treatment)
