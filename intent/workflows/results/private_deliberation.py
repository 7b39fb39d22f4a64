"""The tables and figures of the study of private deliberation, from a log of such games."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.version import __version__
from intent.workflows.results.collected import Collected
from intent.workflows.results.deliberation_choices import deceptions, histories, lengths, perceptions
from intent.workflows.results.deliberation_payoffs import cooperation, equilibria, published, utilities
from intent.workflows.results.deliberation_play import read_play
from intent.workflows.results.deliberation_verdicts import add_verdicts
from intent.workflows.results.published_deliberation import INFERRED

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["SAMPLING", "write_results"]

SAMPLING = "sampling"
"""Folder within the results in which `intent sampling` may have left its own: hypothesis H1."""


def write_results(
    log: GameLog,
    folder: str | Path,
    *,
    seed: int = 0,
    bootstrap: int = 2000,
    image: str = "png",
    overwrite: bool = False,
) -> dict[str, Any]:
    """Every table and figure of the study that the log can give.

    Parameters
    ----------
    log : GameLog
        Of one or several of ``experiments/private_deliberation``.
    folder : path
        Where files go. What ``intent sampling`` left in its folder ``sampling`` is taken up as H1.
    seed, bootstrap : int
    image : {"png", "svg", "pdf"}
    overwrite : bool

    Returns
    -------
    dict, as `schema.JSON_OBJECTS` describes ``results``

    References
    ----------
    Poje et al. 2024, Entropy 26:524.
    """
    from intent.analysis.cautions import copied_games
    from intent.workflows.figure_files import log_facts

    play = read_play(log, seed=seed, bootstrap=bootstrap)
    facts = {**log_facts(log, None), "seed": seed, "bootstrap": bootstrap, "version": __version__}
    out = Collected("private_deliberation", Path(folder), facts, image, overwrite)
    parts = (histories, perceptions, lengths, utilities, published, equilibria, cooperation, deceptions)
    for part in parts:
        out.attempt(part.__name__, partial(part, play, out))
    out.attempt("verdicts", partial(add_verdicts, play, out, Path(folder) / SAMPLING))
    out.note(copied_games(log))
    for game in dict.fromkeys(play.table["game"]):
        if game in INFERRED:
            out.note(f"{game}: {INFERRED[game]}")
    return out.to_dict()
