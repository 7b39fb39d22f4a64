"""All tables and figures of a published study from one log: a registry, and the door to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError
from intent.workflows.interval_settings import check_bootstrap

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["IMAGES", "RESULTS", "check_paper", "results"]

RESULTS = {
    "agent_architectures": "intent.workflows.results.agent_architectures:write_results",
    "private_deliberation": "intent.workflows.results.private_deliberation:write_results",
}
"""Study -> ``module:function``; the function takes (log, folder, *, seed, bootstrap, image, overwrite)."""

IMAGES = ("png", "svg", "pdf")


def results(
    source: GameLog | str | Path,
    paper: str,
    folder: str | Path,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    bootstrap: int = 2000,
    image: str = "png",
    overwrite: bool = False,
    **reading: Any,
) -> dict[str, Any]:
    """Write every table and figure of a study, made from a log.

    What the log cannot give is listed with the reason, and keeps nothing else from being made.

    Parameters
    ----------
    source : GameLog, the path of a log in any format that `read_log` knows, or the folder of a run
    paper : key of `RESULTS`
    folder : path
        Files of the study are written into it.
    where : mapping of column -> accepted values, optional
    seed : int
    bootstrap : int
        Samples of intervals and tests.
    image : {"png", "svg", "pdf"}
    overwrite : bool
    **reading
        Passed to `read_log` where `source` is the path of a log.

    Returns
    -------
    dict, as `schema.JSON_OBJECTS` describes ``results``

    Raises
    ------
    UnknownNameError
        No such study or kind of image.
    UsageError
        No game left.
    OutputError
        The folder cannot be written into, or holds a file of that name and `overwrite` is false.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.output import claim
    from intent.logs.readers import read_log
    from intent.runner.folder import is_run
    from intent.workflows.focal import narrowed

    check_paper(paper)
    if image not in IMAGES:
        raise UnknownNameError("kind of image", image, IMAGES)
    check_bootstrap(bootstrap)
    target = claim(folder, overwrite=True, into=True)
    if isinstance(source, GameLog):
        log = source
    else:
        log = read_log(Path(source) / "log" if is_run(source) else source, **reading)
    module, _, name = RESULTS[paper].partition(":")
    write = getattr(import_module(module), name)
    made: dict[str, Any] = write(
        narrowed(log, where or {}),
        target,
        seed=seed,
        bootstrap=bootstrap,
        image=image,
        overwrite=overwrite,
    )
    return made


def check_paper(paper: str) -> str:
    """The name, if it is one of a study.

    Raises
    ------
    UnknownNameError
    """
    if paper not in RESULTS:
        raise UnknownNameError("paper", paper, RESULTS)
    return paper
