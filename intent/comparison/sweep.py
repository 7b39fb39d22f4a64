"""Sweep the threshold of labels: retention, mean confidence and diversity, with and without the rules.

What labels say to a sweep, and the groups that its pieces have in common.

What a sweep returns: values, text, tables, and files as their suffix says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from intent.base.errors import DataError, UnknownNameError, UsageError, shorten
from intent.base.request import job
from intent.base.result import Result, Table, data_line, kept_in_words
from intent.comparison.requests import SweepRequest
from intent.logs.reading import Reading
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.comparison.thresholds import Evidence, Gate, Point, Sweep, SweepSums


__all__ = [
    "LISTS",
    "NEEDED",
    "GroupSums",
    "SweepResult",
    "evidence_of",
    "sweep",
    "sweep_classes",
    "thresholds",
]


NEEDED = ("game_id", "best", "tied", "tied_with", "confidence", "rule_labels")
"""Columns of labels that a sweep reads."""

_NEVER = -1.0
"""A confidence that no threshold lets through."""

LISTS = frozenset({"tied_with", "rule_labels"})
"""Those of them that hold lists."""


def sweep_classes(columns: Sequence[str], origin: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """The classes of the recogniser and then of the rules, and how many of them the recogniser has.

    Raises
    ------
    DataError
        Columns that labels have are missing.
    """
    import pandas as pd

    from intent.estimate.label_weights import strategy_classes
    from intent.recognise.rules import RULE_CLASSES

    for column in NEEDED:
        if column not in columns:
            raise DataError(f"no column {column!r}, expected a table of labels made by `intent label`")
    known = strategy_classes(pd.DataFrame(columns=pd.Index(columns)), origin)
    return (*known, *(name for name in RULE_CLASSES if name not in known)), len(known)


def evidence_of(
    table: pd.DataFrame, classes: tuple[str, ...], n_known: int, rules: str, split: bool, before: int = 0
) -> Evidence:
    """What rows of labels say, over the classes of `sweep_classes`; `before` them stand others.

    Raises
    ------
    DataError
        Values that labels cannot have.
    """
    import numpy as np
    import pandas as pd

    from intent.base.statistics.groups import cluster_codes
    from intent.comparison.thresholds import Evidence
    from intent.estimate.label_weights import outcomes
    from intent.recognise.hybrid import listed_rules
    from intent.recognise.rules import RULE_CLASSES, chosen_rules, label_weights

    kinds = np.zeros(len(table), dtype=np.intp)
    for column in ("best", "tied_with", "rule_labels"):
        codes, found = pd.factorize(_texts(table[column]), use_na_sentinel=False)
        kinds = np.unique(kinds * (len(found) + 1) + codes, return_inverse=True)[1]
    _, first = np.unique(kinds, return_index=True)
    some = table.iloc[first].reset_index(drop=True)
    best, by_rule = (np.zeros((len(some), len(classes))) for _ in range(2))
    places = [classes.index(name) for name in RULE_CLASSES]

    def weigh(part: slice) -> None:
        rows = some.iloc[part]
        best[part, :n_known] = outcomes(rows, "split", classes=classes[:n_known]).weights
        chosen = chosen_rules(listed_rules(rows["rule_labels"].tolist()), rules)  # type: ignore[arg-type]
        by_rule[part, places] = label_weights(chosen, split=split)

    try:
        weigh(slice(None))
    except DataError:
        _find_row(weigh, first + before)
        raise
    # RANDOM is no label that a threshold could let through, however sure.
    named = (table["best"] != "RANDOM").to_numpy(dtype=bool)
    return Evidence(
        np.where(named, _probabilities(table["confidence"]), _NEVER),
        kinds,
        best,
        by_rule,
        table["tied"].to_numpy(dtype=bool, na_value=False),
        cluster_codes(table, ("game_id",)),
    )


@dataclass
class GroupSums:
    """Sums of groups, filled piece by piece.

    Attributes
    ----------
    factors : tuple of str, columns that make the groups
    n : int, rows that count
    """

    factors: tuple[str, ...]
    n: int = 0
    _heads: pd.DataFrame | None = None
    _sums: SweepSums | None = None

    def add(
        self,
        evidence: Evidence,
        table: pd.DataFrame,
        keep: NDArray[np.bool_],
        taus: Sequence[float],
        gate: Gate,
    ) -> None:
        """Count a piece of whole games, of which the rows in `keep` stand in groups.

        Raises
        ------
        UnknownNameError, UsageError
            As `intent.base.statistics.groups.grouping`.
        """
        import numpy as np

        from intent.base.statistics.groups import grouping
        from intent.comparison.thresholds import sweep_sums

        chosen = table.loc[keep, list(self.factors)].reset_index(drop=True)
        if not len(chosen):
            return
        own = grouping(chosen, self.factors)
        codes = np.full(len(table), -1, dtype=np.intp)
        codes[keep] = own.codes
        found = sweep_sums(evidence, taus, gate, codes, len(own))
        self.n += len(chosen)
        self._join(chosen.iloc[np.unique(own.codes, return_index=True)[1]], found)

    def groups(self) -> tuple[tuple[tuple[Any, ...], ...], SweepSums]:
        """Values of each group, sorted, and the sums in that order."""
        from intent.base.statistics.groups import grouping

        assert self._heads is not None
        assert self._sums is not None
        return grouping(self._heads, self.factors).values, self._sums

    def _join(self, heads: pd.DataFrame, found: SweepSums) -> None:
        """Add sums of groups of which `heads` has a row each, in the order of the groups."""
        import numpy as np
        import pandas as pd

        from intent.base.statistics.groups import grouping

        if self._heads is None or self._sums is None:
            self._heads, self._sums = heads.reset_index(drop=True), found
            return
        both = pd.concat([self._heads, heads], ignore_index=True)
        joint = grouping(both, self.factors)
        n, old = len(joint), len(self._heads)
        self._sums = self._sums.at(joint.codes[:old].tolist(), n) + found.at(joint.codes[old:].tolist(), n)
        self._heads = both.iloc[np.unique(joint.codes, return_index=True)[1]].reset_index(drop=True)


def _find_row(weigh: Callable[[slice], None], rows: NDArray[np.intp]) -> None:
    """Raise what is wrong with the first row that is, with its number in the whole table.

    Raises
    ------
    DataError
    """
    for k in rows.argsort().tolist():
        try:
            weigh(slice(k, k + 1))
        except DataError as error:
            told = str(error)
            at = f"row {rows[k] + 1}{told.removeprefix('row 1')}" if told.startswith("row 1:") else told
            raise DataError(at) from None


def _texts(cells: pd.Series[Any]) -> pd.Series[Any]:
    """A column whose lists are texts joined by ``|``."""
    from intent.base.tables import LIST_SEPARATOR, is_list

    if cells.dtype != object:
        return cells
    return cells.map(lambda cell: LIST_SEPARATOR.join(map(str, cell)) if is_list(cell) else cell)


def _probabilities(column: pd.Series[Any]) -> NDArray[np.float64]:
    import numpy as np

    try:
        found = column.to_numpy(dtype=float, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise DataError(f"column 'confidence' holds no probabilities: {shorten(error)}") from None
    if np.isnan(found).any():
        raise DataError("column 'confidence' has nulls, expected a probability in every row")
    outside = (found < 0) | (found > 1 + 1e-6)
    if outside.any():
        got = shorten(float(found[outside][0]))
        raise DataError(f"column 'confidence' holds {got}, expected a probability in every row")
    return np.asarray(found)


WAYS = ("model", "hybrid")
"""Ways to label: by the recogniser alone, and with rules where it is unsure."""


@dataclass(frozen=True)
class SweepResult(Result):
    """A sweep, with what is needed to say how it came about.

    Parameters
    ----------
    sweep : Sweep
    config : mapping
        The resolved settings, version and origin of the labels, JSON-able; kept in every file written.
    origin : Path, optional
        The file that was read; never written over.
    """

    sweep: Sweep
    config: Mapping[str, Any] = field(compare=False)
    origin: Path | None = field(default=None, compare=False)

    kind = "sweep"

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent sweep --json``."""
        sweep = self.sweep
        groups = [
            {
                "group": dict(zip(sweep.by, group.values, strict=True)),
                "n": group.n,
                "n_games": group.n_games,
                "points": [
                    {"tau": tau, **{way: self._point(p) for way, p in zip(WAYS, both, strict=True)}}
                    for tau, both in zip(sweep.taus, group.points, strict=True)
                ],
            }
            for group in sweep.groups
        ]
        return {
            "by": list(sweep.by),
            "gate": sweep.gate,
            "rules": sweep.rules,
            "split": sweep.split,
            "classes": list(sweep.classes),
            "groups": groups,
        }

    def table(self) -> pd.DataFrame:
        """One row per group, threshold and way to label, one column ``share_<STRATEGY>`` per class."""
        import pandas as pd

        rows = []
        for group in self.sweep.groups:
            factors = dict(zip(self.sweep.by, group.values, strict=True))
            for tau, both in zip(self.sweep.taus, group.points, strict=True):
                for way, point in zip(WAYS, both, strict=True):
                    facts = asdict(point)
                    shares = dict(zip(self.sweep.classes, facts.pop("shares"), strict=True))
                    rows.append(
                        {
                            **factors,
                            "tau": tau,
                            "labels": way,
                            "n": group.n,
                            **facts,
                            **{f"share_{name}": share for name, share in shares.items()},
                        }
                    )
        return pd.DataFrame(rows)

    def parts(self) -> Iterator[Table | str]:
        """Model-only and hybrid figures side by side, and what to beware of."""
        sweep = self.sweep
        header = [*sweep.by, "tau", "kept", "+rules", "confidence", "+rules", "diversity", "+rules"]
        header += ["tied", *sweep.classes]
        rows: list[list[object]] = []
        for group in sweep.groups:
            for tau, (model, hybrid) in zip(sweep.taus, group.points, strict=True):
                shares = [
                    f"{_percent(a)} / {_percent(b)}" for a, b in zip(model.shares, hybrid.shares, strict=True)
                ]
                cells: list[object] = [*map(str, group.values), f"{tau:g}"]
                cells += [_percent(model.retention), _percent(hybrid.retention)]
                cells += [model.mean_confidence, hybrid.mean_confidence, model.diversity, hybrid.diversity]
                rows.append([*cells, _percent(model.tied), *shares])
        units = "games" if sweep.gate == "game" else "trajectories"
        n = sum(group.n for group in sweep.groups)
        title = (
            f"{n:,} trajectories; % of {units} kept, shares of labels in %: recogniser alone / with rules "
            f"({sweep.rules}{'' if sweep.split else ', counted fully'}) below tau"
        )
        yield Table(header, rows, title)
        yield "kept says that a label is probable, not that it fits: no test of fit is applied here"
        tied = max(both[0].tied for group in sweep.groups for both in group.points if both[0].kept)
        if tied > 0:
            yield f"tied: up to {tied:.0%} of the kept labels are shared among strategies that tie"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw what every threshold keeps.

        Raises
        ------
        UsageError
            Too many groups for a figure.
        """
        from intent.comparison.lines import write_sweep_figure

        labels, config = self.config["labels"], self.config
        by = f"labelled by {labels['recogniser']}" if labels.get("recogniser") else ""
        data = data_line(config["source"], by, *kept_in_words(config["where"]), nothing="table in memory")
        return write_sweep_figure(
            self.sweep, target, remarks=(data,), description=self.description(), overwrite=overwrite
        )

    def _point(self, point: Point) -> dict[str, Any]:
        facts = asdict(point)
        facts["shares"] = dict(zip(self.sweep.classes, facts["shares"], strict=True))
        return facts


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share * 100:.1f}"


_MOST = 1000


def thresholds(text: str) -> tuple[float, ...]:
    """The thresholds that ``LOW-HIGH:STEP`` or numbers separated by commas mean.

    Raises
    ------
    UsageError
        Neither, or not 1 to 1,000 probabilities.
    """
    try:
        if ":" in text:
            ends, step = text.split(":")
            low, high = (float(part) for part in ends.split("-"))
            size = float(step)
            count = int((high - low) / size + 1e-9) + 1 if size > 0 and high >= low else 0
            found = [round(low + i * size, 10) for i in range(min(count, _MOST + 1))]
        else:
            found = sorted({float(part) for part in text.split(",")})
    except (ValueError, OverflowError):
        found = []
    if not 1 <= len(found) <= _MOST or not all(0 <= tau <= 1 for tau in found):
        raise UsageError(f"--tau {text!r}, expected LOW-HIGH:STEP or probabilities separated by commas")
    return tuple(found)


@job(SweepRequest)
def sweep(request: SweepRequest) -> SweepResult:
    """What every threshold keeps, by the recogniser alone and with rules where it is unsure.

    A trajectory is kept where its highest probability is at least tau; ties among the most probable count in
    equal shares. The hybrid labels add those of the rules where it is less. With gate ``game``, the published
    study's rule, retention is that of games. A condition on a seat is applied after the gate.

    A log that can be read piece by piece is, and so is a Parquet file of labels: memory holds some hundred
    thousand rows, whatever the length.

    Raises
    ------
    UnknownNameError
        A gate, mode or column that does not exist.
    UsageError
        Thresholds that are none, a recogniser for a table that is labelled already, or no rows.
    DataError
        Posteriors are missing from the table.
    """
    from intent.base.codebook import column_names
    from intent.comparison.thresholds import Gate, Sweep, SweepGroup
    from intent.logs.gamelog import accepted_rows
    from intent.recognise.labels.sources import open_labels
    from intent.recognise.rules import RuleMode

    source, tau, gate, rules, split = request.source, request.tau, request.gate, request.rules, request.split
    taus = thresholds(tau if isinstance(tau, str) else ",".join(map(str, tau)))
    for what, got, known in (("gate", gate, get_args(Gate)), ("mode of rules", rules, get_args(RuleMode))):
        if got not in known:
            raise UnknownNameError(what, got, known)
    settings = request.values((*Reading.settings, "others", "keep_defaulted", "seed", "workers", "dask"))
    with open_labels(source, request.recogniser, **settings) as labels:
        origin = labels.origin
        classes, n_known = sweep_classes(labels.columns, origin)
        factors = column_names(request.by, labels.columns)
        sums, before = GroupSums(factors), 0
        for table in labels.read([*NEEDED, *factors], joined=LISTS - {*factors}, rows=request.piece):
            evidence = evidence_of(table, classes, n_known, rules, split, before)
            sums.add(evidence, table, accepted_rows(table, labels.conditions), taus, gate)  # type: ignore[arg-type]
            before += len(table)
        if not sums.n:
            raise labels.nothing()
    values, found = sums.groups()
    groups = tuple(
        SweepGroup(value, int(found.n[g]), int(found.n_games[g]), found.points(g, gate))  # type: ignore[arg-type]
        for g, value in enumerate(values)
    )
    config = {
        "source": _name(source),
        "labels": {k: origin.get(k) for k in ("log", "recogniser", "parameters", "eps", "version")},
        "tau": list(taus),
        "gate": gate,
        "by": list(factors),
        "rules": rules,
        "split": split,
        **{name: request.config()[name] for name in ("where", "seed")},
        "version": __version__,
    }
    done = Sweep(factors, taus, gate, rules, split, classes, groups)  # type: ignore[arg-type]
    return SweepResult(done, config, Path(source) if isinstance(source, str | Path) else None)


def _name(source: Any) -> str | None:
    return Path(source).name if isinstance(source, str | Path) else None
