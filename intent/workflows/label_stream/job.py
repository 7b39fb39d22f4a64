"""What every piece is labelled by, and the labels of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser
from intent.recognise.coin import situation_keys
from intent.recognise.distinct import PER_KEY
from intent.recognise.known_plays import KnownPlays, with_gap
from intent.recognise.labels import label_table
from intent.recognise.verdict import LabelSettings
from intent.schema.defaults import BACKGROUND
from intent.workflows.integrated import changed_rows, integrated
from intent.workflows.label_stream.tally import Counted, Tally
from intent.workflows.log_stream.pieces import Piece, named

__all__ = ["Job", "forget", "label_piece", "told_recogniser"]

_CHANGED = "changed by integrating"
_SITUATION = "situation of a coin"


@dataclass(frozen=True)
class Job:
    """How the pieces of a log are labelled.

    Parameters
    ----------
    token : str
        Tells this job from every other; plays judged once serve the whole job.
    recogniser : fitted recogniser, or name or folder of one
    options : those of eps, eps_prior and prior that were given
    settings : LabelSettings
    background : bool
        Whether RANDOM competes.
    seed : int
    complete : bool
        Whether every move of the log is known.
    compare : bool
        Whether labels that integrating the noise would change are counted.
    table : bool
        Whether the rows are wanted, or the counts alone.
    """

    token: str
    recogniser: Any = field(compare=False)
    options: dict[str, Any] = field(compare=False)
    settings: LabelSettings = field(compare=False)
    background: bool = BACKGROUND
    seed: int = 0
    complete: bool = False
    compare: bool = False
    table: bool = True


def told_recogniser(recogniser: Recogniser | str, options: dict[str, Any], background: bool) -> Recogniser:
    """The recogniser of that name, told the options, with RANDOM as a rival where there is a background."""
    from intent.recognise.storage import load_recogniser
    from intent.workflows.label_models import recognisers_of_parts

    model = load_recogniser(recogniser) if isinstance(recogniser, str) else recogniser
    nothing = Trajectories(np.empty((0, 1), dtype=np.int8), np.empty((0, 1), dtype=np.int8))
    return recognisers_of_parts(model, nothing, options, background=background)[0][2]


def label_piece(job: Job, piece: Piece) -> tuple[pa.Table | None, Tally]:
    """Labels of a piece as `schema.LABELS` (None where not wanted), and their counts."""
    play = piece.read()
    table, rows = _plays(job).look_up(play.X)
    counted = Counted(_CHANGED if job.compare else None, _SITUATION)
    tally = Tally.of(table, rows, play, counted)
    if not job.table:
        return None, tally
    computed = table.take(rows)
    computed.pop(_CHANGED, None)
    computed.pop(_SITUATION, None)
    renamed = [(f"{c}_in_log" if c in computed else c, play.keys.column(c)) for c in play.keys.column_names]
    return named([*renamed, *computed.items()]).combine_chunks(), tally


def forget() -> None:
    """Let go of the plays judged in this process."""
    _plays.cache_clear()


@lru_cache(maxsize=1)
def _plays(job: Job) -> KnownPlays:
    model = told_recogniser(job.recogniser, job.options, job.background)
    fresh = integrated(model) if job.compare else None

    def judge(X: Trajectories) -> pd.DataFrame:
        judged = X if job.complete else with_gap(X)
        table = label_table(judged, model, job.settings, np.random.default_rng(job.seed))
        if fresh is not None:
            table[_CHANGED] = changed_rows(table, judged, fresh, job.settings)
        table = table.iloc[: len(X)].drop(columns=["game_id", "seat"])
        if X.shape[1] <= PER_KEY:
            table[_SITUATION] = situation_keys(X).view(np.int64)
        return table

    return KnownPlays(judge)
