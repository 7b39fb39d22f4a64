"""Sweep the threshold of labels: retention, mean confidence and diversity, with and without the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from intent.errors import UnknownNameError, UsageError
from intent.version import __version__
from intent.workflows.label_rows import ROWS
from intent.workflows.sweep_result import SweepResult

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser

__all__ = ["SweepResult", "sweep", "thresholds"]

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
    piece: int = ROWS,
    **reading: Any,
) -> SweepResult:
    """What every threshold keeps, by the recogniser alone and with rules where it is unsure.

    A trajectory is kept where its highest probability is at least tau; ties among the most probable count in
    equal shares. The hybrid labels add those of the rules where it is less.

    A log that can be read piece by piece is, and so is a Parquet file of labels: memory holds some hundred
    thousand rows, whatever the length.

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
        Who makes the labels of a log that is read piece by piece; the result is the same for any.
    piece : int
        Rows of labels that are read at a time.

    Raises
    ------
    UnknownNameError
        A gate, mode or column that does not exist.
    UsageError
        Thresholds that are none, a recogniser for a table that is labelled already, or no rows.
    DataError
        Posteriors are missing from the table.
    """
    from intent.analysis.sweep import Gate, Sweep, SweepGroup
    from intent.logs.conditions import accepted_rows
    from intent.recognise.rules import RuleMode
    from intent.workflows.columns import column_names
    from intent.workflows.label_source import open_labels
    from intent.workflows.sweep_evidence import LISTS, NEEDED, GroupSums, evidence_of, sweep_classes

    taus = thresholds(tau if isinstance(tau, str) else ",".join(map(str, tau)))
    for what, got, known in (("gate", gate, get_args(Gate)), ("mode of rules", rules, get_args(RuleMode))):
        if got not in known:
            raise UnknownNameError(what, got, known)
    settings = {"others": others, "keep_defaulted": keep_defaulted, "seed": seed, **reading}
    with open_labels(source, recogniser, where=where, workers=workers, dask=dask, **settings) as labels:
        origin = labels.origin
        classes, n_known = sweep_classes(labels.columns, origin)
        factors = column_names(by, labels.columns)
        sums, before = GroupSums(factors), 0
        for table in labels.read([*NEEDED, *factors], joined=LISTS - {*factors}, rows=piece):
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
        "where": {column: list(values) for column, values in (where or {}).items()},
        "seed": seed,
        "version": __version__,
    }
    done = Sweep(factors, taus, gate, rules, split, classes, groups)  # type: ignore[arg-type]
    return SweepResult(done, config, Path(source) if isinstance(source, str | Path) else None)


def _name(source: Any) -> str | None:
    return Path(source).name if isinstance(source, str | Path) else None
