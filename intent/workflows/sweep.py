"""Sweep the threshold of labels: retention, mean confidence and diversity, with and without the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from intent.errors import DataError, UnknownNameError, UsageError
from intent.parallel import SERIAL, open_workers
from intent.version import __version__
from intent.workflows.sweep_result import SweepResult

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.sweep import Evidence, Gate, Point
    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser

__all__ = ["SweepResult", "sweep", "thresholds"]

_MOST = 1000

_SHORT = 20_000_000
"""Thresholds times rows up to which all is done here: starting a worker takes longer."""


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


def sweep(
    source: pd.DataFrame | GameLog | str | Path,
    recogniser: Recogniser | str | None = None,
    *,
    tau: str | Sequence[float] = ".3-.95:.05",
    gate: str = "trajectory",
    by: str | Sequence[str] = (),
    rules: str = "expand",
    split: bool = True,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    seed: int = 0,
    workers: int = 1,
    dask: str | None = None,
    **reading: Any,
) -> SweepResult:
    """What every threshold keeps, by the recogniser alone and with rules where it is unsure.

    A trajectory is kept where its highest probability is at least tau; ties among the most probable count in
    equal shares. The hybrid labels add those of the rules where it is less.

    Parameters
    ----------
    source : log, label table, or the path of one
    recogniser : fitted recogniser, shipped name or folder, optional
        For a log; default ``bayes-canonical4``.
    tau : sequence of float, or ``LOW-HIGH:STEP``
    gate : str
        ``trajectory``, or ``game``: only games whose labelled seats all get a label are kept (the published
        study's rule); retention is then that of games.
    by : str or sequence of str
        Columns whose joint values make groups, each with a curve of its own.
    rules : str
        ``expand``: all rules that apply; ``priority``: the first of ALLD, ALLC, TFT, WSLS.
    split : bool
        Whether several rule labels share one trajectory, or each count fully.
    where, others, keep_defaulted, seed, **reading
        As `label_log`. A condition on a seat is applied after the gate.
    workers, dask : as `intent.parallel.open_workers`
        Who makes the labels of a log on disk and works out thresholds; the result is the same for any.

    Raises
    ------
    UnknownNameError
        A gate, mode or column that does not exist.
    UsageError
        Thresholds that are none, a recogniser for a table that is labelled already, or no rows.
    DataError
        Posteriors are missing from the table.
    """
    import numpy as np

    from intent.analysis.groups import grouping
    from intent.analysis.sweep import Gate, Sweep, SweepGroup
    from intent.recognise.rules import RuleMode
    from intent.workflows.columns import column_names
    from intent.workflows.label_source import labels_of

    taus = thresholds(tau if isinstance(tau, str) else ",".join(map(str, tau)))
    for what, got, known in (("gate", gate, get_args(Gate)), ("mode of rules", rules, get_args(RuleMode))):
        if got not in known:
            raise UnknownNameError(what, got, known)
    table, keep, origin = labels_of(
        source,
        recogniser,
        where=where,
        others=others,
        keep_defaulted=keep_defaulted,
        seed=seed,
        workers=workers,
        dask=dask,
        **reading,
    )
    evidence, classes = _evidence(table, origin, rules, split)
    factors = column_names(by, table.columns)
    groups = grouping(table[keep].reset_index(drop=True), factors)
    codes = np.full(len(table), -1, dtype=np.intp)
    codes[keep] = groups.codes
    points = partial(_points, evidence, gate, codes, len(groups))  # type: ignore[arg-type]
    with open_workers(workers, dask) as those:
        who = those if len(taus) * len(table) >= _SHORT else SERIAL
        curves = list(who.map(points, taus))
    found = [
        SweepGroup(
            values,
            int((codes == g).sum()),
            len(np.unique(evidence.games[codes == g])),
            tuple(curve[g] for curve in curves),
        )
        for g, values in enumerate(groups.values)
    ]
    config = {
        "source": _name(source),
        "labels": {k: origin.get(k) for k in ("log", "recogniser", "parameters", "eps", "version")},
        "tau": list(taus),
        "gate": gate,
        "by": list(factors),
        "rules": rules,
        "split": split,
        "where": {column: list(values) for column, values in (where or {}).items()},
        "seed": seed,
        "version": __version__,
    }
    done = Sweep(factors, taus, gate, rules, split, classes, tuple(found))  # type: ignore[arg-type]
    return SweepResult(done, config, Path(source) if isinstance(source, str | Path) else None)


def _points(
    evidence: Evidence, gate: Gate, codes: NDArray[np.intp], n_groups: int, tau: float
) -> list[tuple[Point, Point]]:
    """As `sweep_points`."""
    from intent.analysis.sweep import sweep_points

    return sweep_points(evidence, tau, gate, codes, n_groups)


def _evidence(
    table: pd.DataFrame, origin: Mapping[str, Any], rules: str, split: bool
) -> tuple[Evidence, tuple[str, ...]]:
    """What labels say, over the classes of the recogniser and of the rules."""
    import numpy as np

    from intent.analysis.groups import cluster_codes
    from intent.analysis.shares import outcomes, strategy_classes
    from intent.analysis.sweep import Evidence
    from intent.recognise.hybrid_labels import listed_rules
    from intent.recognise.rules import RULE_CLASSES, chosen_rules, label_weights

    for column in ("game_id", "confidence", "tied", "rule_labels"):
        if column not in table.columns:
            raise DataError(f"no column {column!r}, expected a table of labels made by `intent label`")
    known = strategy_classes(table, origin)
    classes = (*known, *(name for name in RULE_CLASSES if name not in known))
    best = np.zeros((len(table), len(classes)))
    best[:, : len(known)] = outcomes(table, "split", classes=known).weights
    chosen = chosen_rules(listed_rules(table["rule_labels"].tolist()), rules)  # type: ignore[arg-type]
    by_rule = np.zeros_like(best)
    by_rule[:, [classes.index(name) for name in RULE_CLASSES]] = label_weights(chosen, split=split)
    confidence = table["confidence"].to_numpy(dtype=float, na_value=np.nan)
    if np.isnan(confidence).any():
        raise DataError("column 'confidence' has nulls, expected a probability in every row")
    games = cluster_codes(table, ("game_id",))
    tied = table["tied"].to_numpy(dtype=bool, na_value=False)
    return Evidence(confidence, best, by_rule, tied, games), classes


def _name(source: Any) -> str | None:
    return Path(source).name if isinstance(source, str | Path) else None
