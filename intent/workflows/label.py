"""Label a game log: which strategy each agent played, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser

__all__ = ["DEFAULT_RECOGNISER", "label", "label_to"]

DEFAULT_RECOGNISER = "bayes-canonical4"


def label(
    log: GameLog | str | Path,
    recogniser: Recogniser | str | Path = DEFAULT_RECOGNISER,
    *,
    eps: float | str | None = None,
    threshold: float = 0.9,
    alpha: float = 0.01,
    others: str | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    **reading: Any,
) -> pd.DataFrame:
    """Strategy labels of every focal trajectory of a log.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    eps : float in [0, .5), "integrate" or "estimate"
        Noise that a Bayes recogniser assumes; default: what it was saved with (.05 for the shipped).
    threshold : float
        Posterior probability that status ``confident`` needs.
    alpha : float
        Level of the test of fit below which the status is ``no_fit``.
    others : {"any", "majority", "all"}, optional
        With more than two players: when the others count as having cooperated.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    where : mapping of column -> accepted values
    seed : int
        For the Monte Carlo test of fit of stochastic strategies.
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    DataFrame
        As `schema.LABELS`. ``attrs["summary"]`` is what ``intent label --json`` prints,
        ``attrs["provenance"]`` what the label file stores on its origin.

    Raises
    ------
    UsageError
        Games of more than two players and no `others`; `eps` for a recogniser that has none.
    DataError
        The log holds nothing to label.
    """
    import numpy as np

    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.recognise.labels import LabelSettings, label_table
    from intent.recognise.storage import load_recogniser

    model = recogniser if not isinstance(recogniser, str | Path) else load_recogniser(recogniser)
    settings = LabelSettings(threshold=threshold, alpha=alpha)
    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    if where:
        played = played.where(where)
    X = _two_players(played.trajectories(keep_defaulted=keep_defaulted), others)
    if eps is not None:
        model = _with_eps(model, eps, X)
    table = label_table(X, model, settings, np.random.default_rng(seed))
    summary = _summary(table, played, [str(c) for c in model.classes_])
    summary["changed_by_integrating_eps"] = _changed_by_integrating(table, X, model, settings)
    table.attrs["summary"] = summary
    table.attrs["provenance"] = {
        "kind": "labels",
        "log": played.provenance,
        "recogniser": recogniser
        if isinstance(recogniser, str)
        else getattr(model, "kind", type(model).__name__),
        "classes": [str(c) for c in model.classes_],
        "eps": getattr(model, "eps_", None),
        "threshold": threshold,
        "alpha": alpha,
        "others": others,
        "keep_defaulted": keep_defaulted,
        "where": {k: list(v) for k, v in (where or {}).items()},
        "seed": seed,
        "version": _version(),
    }
    table.attrs["rejects"] = played.rejects.to_dict("records")
    return table


def label_to(table: pd.DataFrame, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write labels to Parquet, CSV or JSON lines, with the path and hash of their log."""
    from intent.logs.tablefile import write_table

    bare = table.copy(deep=False)
    bare.attrs = {}
    return write_table(
        bare, path, {**table.attrs["provenance"], "summary": table.attrs["summary"]}, overwrite=overwrite
    )


def _two_players(X: Trajectories, others: str | None) -> Trajectories:
    if X.other_share is None:
        return X
    if others is None:
        raise UsageError(
            "the log has games of more than two players; "
            "say with --others any, majority or all when the others cooperated"
        )
    return X.read_others(others)


def _with_eps(model: Recogniser, eps: float | str, X: Trajectories) -> Recogniser:
    from intent.recognise.bayes import BayesRecogniser

    if not isinstance(model, BayesRecogniser):
        raise UsageError(f"--eps sets the noise of a bayes recogniser, but this one is {model.kind}")
    if eps == "estimate" and not len(X):
        raise DataError("no trajectories to estimate eps from")
    noise: Any = eps
    fresh = BayesRecogniser(model.strategies_, eps=noise, eps_prior=model.eps_prior, prior=model.prior_)
    return fresh.fit(X)


def _summary(table: pd.DataFrame, log: GameLog, classes: list[str]) -> dict[str, Any]:
    from intent import schema

    n_consistent = table["consistent"].map(len)
    counts = table["status"].value_counts()
    return {
        "n": len(table),
        "n_games": int(table["game_id"].nunique()),
        "statuses": {s: int(counts.get(s, 0)) for s in schema.STATUSES},
        "consistent": {
            "none": int((n_consistent == 0).sum()),
            "one": int((n_consistent == 1).sum()),
            "several": int((n_consistent > 1).sum()),
        },
        "tied": int(table["tied"].sum()),
        "mean_posterior": {
            c: float(table[schema.PROBABILITY_PREFIX + c].mean()) if len(table) else None for c in classes
        },
        "skipped": log.skipped(),
        "rejects": len(log.rejects),
    }


def _changed_by_integrating(table: pd.DataFrame, X: Trajectories, model: Any, settings: Any) -> int | None:
    """How many labels or statuses differ when eps is integrated out; None where that makes no sense."""
    import numpy as np

    from intent.recognise.bayes import BayesRecogniser
    from intent.recognise.labels import label_table

    if not isinstance(model, BayesRecogniser) or model.eps_ == "integrate" or not len(table):
        return None
    if not all(s.is_deterministic for s in model.strategies_):
        return None
    fresh = BayesRecogniser(
        model.strategies_, eps="integrate", eps_prior=model.eps_prior, prior=model.prior_
    ).fit()
    again = label_table(X, fresh, settings, np.random.default_rng(0))
    return int((again["label"].fillna(again["status"]) != table["label"].fillna(table["status"])).sum())


def _version() -> str:
    from intent.version import __version__

    return __version__


def claim_outputs(output: Path | None, rejects: Path | None, *, overwrite: bool) -> Path | None:
    """Make sure, before any work, that results may be written; returns where rejected rows go.

    Rejects go beside the labels (``labels.rejects.csv``) unless a path is given.
    """
    from intent.logs.tablefile import claim_table

    if output is not None:
        claim_table(output, overwrite=overwrite)
        rejects = rejects or output.with_name(f"{output.stem}.rejects.csv")
    if rejects is not None:
        claim_table(rejects, overwrite=overwrite)
    return rejects


def write_rejects(table: pd.DataFrame, path: Path | None, *, overwrite: bool) -> Path | None:
    """List the rejected rows of the log; None where there are none or no path."""
    import pandas as pd

    from intent.logs.tablefile import write_table

    rows = table.attrs.get("rejects") or []
    if path is None or not rows:
        return None
    return write_table(pd.DataFrame(rows), path, {"kind": "rejects"}, overwrite=overwrite)
