"""Label a game log: which strategy each agent played, and how sure that is.

What labelling a log returns: the table, its counts, and how it came about.

Which recogniser labels which part of a log: one for all, or one per group with a noise of its own.

How much labels hang on the assumed noise: the same recogniser with its noise integrated out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.defaults import BACKGROUND, DEFAULT_RECOGNISER
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.request import job
from intent.base.wording import coin_column, coin_sentence
from intent.recognise.labels.request import LabelRequest
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.recognise.recogniser import Recogniser
    from intent.recognise.verdict import LabelSettings


__all__ = [
    "BACKGROUND",
    "DEFAULT_RECOGNISER",
    "Labels",
    "bayes_options",
    "changed_rows",
    "check_per",
    "claim_outputs",
    "coin_column",
    "coin_sentence",
    "integrated",
    "is_affordable",
    "label",
    "label_log",
    "label_provenance",
    "label_summary",
    "recognisers_of_parts",
]


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of a log, and how they came about.

    Attributes
    ----------
    table : DataFrame as `codebook.LABELS`
    summary : what ``intent label --json`` prints, `JSON_OBJECTS["label"]`, and `JSON_EXTRAS` where asked for
    provenance : path and hash of the log, recogniser, settings, version
    rejects : DataFrame as `codebook.REJECTS`, rows of the log that could not be read
    changed : number of labels or statuses that differ with eps integrated out; None where it already is,
        or where a strategy randomises
    notes : what a reader should know of the table, one line each
    """

    table: pd.DataFrame
    summary: dict[str, Any]
    provenance: dict[str, Any]
    rejects: pd.DataFrame
    changed: int | None
    notes: tuple[str, ...] = ()

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table to Parquet, CSV or JSON lines, with summary and provenance."""
        from intent.base.tables import write_table

        bare = self.table.copy(deep=False)
        bare.attrs = {}
        return write_table(bare, path, {**self.provenance, "summary": self.summary}, overwrite=overwrite)

    def write_rejects(self, path: Path | None, *, overwrite: bool = False) -> Path | None:
        """List the rejected rows; None where there are none or no path."""
        from intent.base.tables import write_table

        if path is None or not len(self.rejects):
            return None
        return write_table(self.rejects, path, {"kind": "rejects"}, overwrite=overwrite)


def label_summary(
    table: pd.DataFrame, log: GameLog, classes: list[str], *, n_games: int | None = None
) -> dict[str, Any]:
    """What ``intent label --json`` prints of labels in memory, without coins.

    Parameters
    ----------
    table : DataFrame as `codebook.LABELS`
    log : GameLog
    classes : names of the strategies
    n_games : int, optional
        Games behind the rows, where the table does not name them.
    """
    from intent.base import codebook

    n_consistent = table["consistent"].map(len)
    counts = table["status"].value_counts()
    return {
        "n": len(table),
        "n_games": int(table["game_id"].nunique()) if n_games is None else n_games,
        "statuses": {s: int(counts.get(s, 0)) for s in codebook.STATUSES},
        "consistent": {
            "none": int((n_consistent == 0).sum()),
            "one": int((n_consistent == 1).sum()),
            "several": int((n_consistent > 1).sum()),
        },
        "tied": int(table["tied"].sum()),
        "mean_posterior": {
            c: float(table[codebook.PROBABILITY_PREFIX + c].mean()) if len(table) else None for c in classes
        },
        "skipped": log.skipped(),
        "rejects": len(log.rejects),
    }


def label_provenance(
    log: Mapping[str, Any], request: LabelRequest, used: Recogniser, *, changed: int | None
) -> dict[str, Any]:
    """What a label file stores on its origin.

    Parameters
    ----------
    log : provenance of the log
    request : LabelRequest
    used : the recogniser as it was told options
    changed : labels or statuses that integrating the noise changes, None where not counted
    """
    named, config = request.recogniser, request.config()
    for name in ("background", "per"):  # last, as in every file of labels so far
        config[name] = config.pop(name)
    return {
        "kind": "labels",
        "log": dict(log),
        "recogniser": str(named) if isinstance(named, str | Path) else named.kind,
        "parameters": {k: _told(v) for k, v in used.get_params(deep=False).items()},
        "classes": [str(c) for c in used.classes_],
        "eps": getattr(used, "eps_", None),
        "prior": None,
        **config,
        "changed_by_integrating_eps": changed,
        "version": __version__,
    }


def _told(value: Any) -> Any:
    """A parameter as JSON."""
    if isinstance(value, list | tuple):
        return [_told(v) for v in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return getattr(value, "name", value)


@job(LabelRequest)
def label(request: LabelRequest) -> pd.DataFrame:
    """Strategy labels of every focal trajectory of a log, one row each.

    Returns
    -------
    DataFrame
        As `codebook.LABELS`. ``attrs["summary"]`` is what ``intent label --json`` prints,
        ``attrs["provenance"]`` what a label file stores on its origin, ``attrs["notes"]`` what a reader
        should know.

    Raises
    ------
    UsageError, DataError, RecogniserError
        As `label_log`.
    """
    labels: Labels = request.run()
    labels.table.attrs = {
        "summary": labels.summary,
        "provenance": labels.provenance,
        "notes": list(labels.notes),
    }
    return labels.table


@job(LabelRequest)
def label_log(request: LabelRequest) -> Labels:
    """Strategy labels of every focal trajectory of a log, or of every player.

    RANDOM competes as one class more, with the prior weight of one strategy. Per player, each game starts
    anew, and the player keeps to one strategy. Label sets hold on play of these lengths and opponents.

    Raises
    ------
    UsageError
        Games of more than two players and no `others`; settings of a Bayes recogniser for another one; a
        coverage or noise out of range; players wanted of a log that does not name them.
    UnknownNameError
        A recogniser or column that does not exist, or rows per something else.
    RecogniserError
        A prior or eps that is none.
    """
    import numpy as np
    import pandas as pd

    from intent.logs.selection import focal_play
    from intent.recognise.coin import coin_shares, mean_coin
    from intent.recognise.labels.conformal import check_level, conformal_sets, set_summary
    from intent.recognise.storage import load_recogniser
    from intent.recognise.verdict import LabelSettings, label_table, subject_keys

    check_per(request.per, request.conformal)
    named, conformal, seed, eps_by = request.recogniser, request.conformal, request.seed, request.eps_by
    model = load_recogniser(named) if isinstance(named, str | Path) else named
    settings = LabelSettings(threshold=request.threshold, alpha=request.alpha)
    if conformal is not None:
        check_level(conformal)
    how = request.values(("where", "others", "keep_defaulted"))
    played, X = focal_play(request.log, **how, **request.file_reading())
    parts = recognisers_of_parts(model, X, bayes_options(request), eps_by, background=request.background)
    subjects = _players(X) if request.per == "player" else None
    tables, coins, order_of = [], [], []
    for _, rows, part in parts:
        rng = np.random.default_rng(seed)
        whose, own = None, rows
        if subjects is not None:
            own, whose = np.unique(subjects[rows], return_inverse=True)
        order_of.append(own)
        if request.coin and (tossed := coin_shares(X[rows], part, settings, subjects=whose, seed=seed)):
            coins.append((float(len(own)), tossed))
        sets = None
        if conformal is not None:
            sets = conformal_sets(part, X[rows], conformal, rng.spawn(1)[0], eps=request.conformal_eps)
        tables.append(label_table(X[rows], part, settings, rng, sets=sets, subjects=whose))
    order = np.argsort(np.concatenate(order_of), kind="stable")
    notes: tuple[str, ...] = ()
    if subjects is not None:
        assert X.keys is not None
        if len(order) > subjects.max(initial=-1) + 1:
            raise UsageError(
                f"--eps-by {', '.join(eps_by)} divides the games of a player, expected it not to"
            )
        dropped = subject_keys(X.keys, subjects)[1]
        tables = [table[[c for c in table.columns if c not in dropped]] for table in tables]
        named = ", ".join(c for c in dropped if c not in ("game_id", "seat"))
        notes = (f"left out, since they vary within a player: {named}",) if named else ()
    table = pd.concat(tables, ignore_index=True).iloc[order].reset_index(drop=True)
    used = parts[0][2]
    n_games = None if X.keys is None or request.per == "game" else int(X.keys["game_id"].nunique())
    summary = label_summary(table, played, [str(c) for c in used.classes_], n_games=n_games)
    if request.coin:
        tossed = mean_coin(coins)
        summary["coin"] = None if tossed is None else tossed.to_dict()
    if conformal is not None:
        summary["conformal"] = set_summary(table["label_set"], conformal)
    changed = _changed_by_integrating(table, X, used, settings, subjects)
    provenance = label_provenance(played.provenance, request, used, changed=changed)
    if eps_by:
        provenance["eps"] = {name: getattr(part, "eps_", None) for name, _, part in parts}
    if request.prior == "sfem":
        provenance["prior"] = {name: _prior(part) for name, _, part in parts}
    return Labels(table, summary, provenance, played.rejects, changed, notes)


def check_per(per: str, conformal: float | None = None) -> None:
    """Refuse rows per something that they cannot be of.

    Raises
    ------
    UnknownNameError
        Neither game nor player.
    UsageError
        Label sets of players, whose coverage nobody has shown.
    """
    from intent.base.errors import UnknownNameError

    if per not in ("game", "player"):
        raise UnknownNameError("row", per, ("game", "player"))
    if per == "player" and conformal is not None:
        raise UsageError("--conformal makes label sets of single games, but --per player pools them")


def claim_outputs(
    output: Path | None, rejects: Path | None, *, overwrite: bool, source: Path | None = None
) -> Path | None:
    """Make sure, before any work, that results may be written; returns where rejected rows go.

    The log itself (`source`) is never written over.

    Rejects go beside the labels (``labels.rejects.csv``) unless a path is given.

    Raises
    ------
    OutputError
        A path that cannot be written, or that of the log.
    """
    from intent.base.tables import claim_table
    from intent.logs.stores import is_part

    if output is not None:
        claim_table(output, overwrite=overwrite)
        rejects = rejects or output.with_name(f"{output.stem}.rejects.csv")
    if rejects is not None:
        claim_table(rejects, overwrite=overwrite)
    for path in (output, rejects):
        if path is not None and source is not None and is_part(path, source):
            what = "part of the log" if source.is_dir() else "the log"
            raise OutputError(f"cannot write {path}: it is {what} that is read")
    return rejects


def bayes_options(request: LabelRequest) -> dict[str, Any]:
    """Those settings of a Bayes recogniser that were given."""
    return request.values(
        name for name in ("eps", "eps_prior", "prior") if getattr(request, name) is not None
    )


def _players(X: Trajectories) -> NDArray[np.intp]:
    """(n,) number of the player of each trajectory, in the order of their first games.

    Raises
    ------
    UsageError
        Players without a name.
    """
    import numpy as np
    import pandas as pd

    players = None if X.keys is None or "player" not in X.keys else X.keys["player"]
    if players is None or players.isna().all():
        raise UsageError(
            "--per player needs the names of players, but the log has none (label each game, or name their "
            "column with --map player=COLUMN)"
        )
    if players.isna().any():
        n = int(players.isna().sum())
        raise UsageError(
            f"--per player: {n:,} of {len(players):,} seats have no player, expected a name for each"
        )
    return np.asarray(pd.factorize(players)[0], dtype=np.intp)


def _changed_by_integrating(
    table: pd.DataFrame, X: Trajectories, model: Any, settings: Any, subjects: NDArray[np.intp] | None
) -> int | None:
    """How many labels or statuses differ when eps is integrated out; None where that makes no sense.

    Nor is it tried on logs of more than a few million moves, where it would take longer than the labels.
    """
    from intent.strategies.likelihood import complete_rows

    fresh = integrated(model)
    if fresh is None or not len(table):
        return None
    simple, _ = complete_rows(X.own, X.other, X.evidence_mask)
    if not is_affordable(len(X), X.shape[1], bool(simple.all())):
        return None
    return int(changed_rows(table, X, fresh, settings, subjects).sum())


def _prior(model: Any) -> dict[str, float]:
    """Strategy -> prior probability of a fitted Bayes recogniser."""
    return dict(zip(map(str, model.classes_), model.prior_.tolist(), strict=True))


def recognisers_of_parts(
    model: Recogniser,
    X: Trajectories,
    options: dict[str, Any],
    eps_by: Sequence[str] = (),
    *,
    background: bool = BACKGROUND,
) -> list[tuple[str, NDArray[np.intp], Recogniser]]:
    """Group name, rows and recogniser of each part of the log that has a recogniser of its own.

    A Bayes recogniser takes all options; another one that can be told the noise (method ``with_eps``) takes
    ``eps``, where "integrate" means not to tell it and "estimate" the maximum-likelihood value under its
    own strategies, equally frequent.

    Parameters
    ----------
    model : fitted Recogniser
    X : Trajectories
    options : those of eps, eps_prior and prior that were given
    eps_by : columns
        With eps "estimate": one value for each of their groups.
    background : bool
        Whether RANDOM competes, as `intent.recognise.bayes.against_random` lets it.

    Raises
    ------
    UsageError
        An option that the recogniser does not have, or nothing to estimate from.
    UnknownNameError
        No such column.
    """
    import numpy as np

    from intent.base.codebook import column_names
    from intent.recognise.bayes import against_random

    if eps_by and options.get("eps") != "estimate":
        raise UsageError("--eps-by needs --eps estimate, which it does for each group apart")
    if not options:
        return [("", np.arange(len(X)), against_random(model, background))]
    if options.get("eps") == "estimate" and not len(X):
        raise UsageError("--eps estimate: no trajectory to estimate from")
    told = _teller(model, options, background)
    if not eps_by:
        return [("", np.arange(len(X)), told(X))]
    assert X.keys is not None
    columns = column_names(eps_by, X.keys.columns)
    return [(name, rows, told(X[rows])) for name, rows in _groups(X, columns)]


def _teller(
    model: Recogniser, options: dict[str, Any], background: bool
) -> Callable[[Trajectories], Recogniser]:
    """A function of trajectories: the recogniser that is told the options for them."""
    from intent.recognise.bayes import BayesRecogniser, against_random, prior_with_random

    if isinstance(model, BayesRecogniser):
        told = {"eps": model.eps, "eps_prior": model.eps_prior, "prior": model.prior_, **options}
        strategies = model.strategies_
        if background and not any(s.is_background for s in strategies):
            told |= {"background": True, "prior": prior_with_random(told["prior"], strategies)}
        return lambda X: BayesRecogniser(strategies, **told).fit(X)
    with_eps: Callable[[float | None], Recogniser] | None = getattr(model, "with_eps", None)
    foreign = [name for name in options if name != "eps" or with_eps is None]
    if foreign or with_eps is None:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in foreign)
        raise UsageError(f"{names} belongs to a bayes recogniser, but this one is {model.kind}")
    return lambda X: against_random(with_eps(_number(model, options["eps"], X, background)), background)


def _number(model: Recogniser, eps: Any, X: Trajectories, background: bool) -> float | None:
    """The noise to tell a recogniser that takes a number, or None."""
    import numpy as np

    from intent.recognise.evidence import estimate_eps
    from intent.recognise.storage import with_background
    from intent.recognise.verdict import class_strategies

    if eps == "integrate":
        return None
    if eps != "estimate":
        return float(eps)
    strategies = with_background(class_strategies(model), background)
    return estimate_eps(X, strategies, np.full(len(strategies), 1 / len(strategies)))


def _groups(X: Trajectories, by: Sequence[str]) -> list[tuple[str, NDArray[np.intp]]]:
    """Name and rows of each combination of values that occurs."""
    import numpy as np

    assert X.keys is not None
    for column in by:
        if column not in X.keys.columns:
            raise UnknownNameError("column", column, X.keys.columns)
    columns = X.keys[list(by)]
    codes = columns.groupby(list(by), dropna=False, sort=False, observed=True).ngroup().to_numpy()
    found = []
    for code in dict.fromkeys(codes.tolist()):
        rows = np.flatnonzero(codes == code)
        values = columns.iloc[rows[0]].tolist()
        found.append((", ".join("(none)" if v != v else str(v) for v in values), rows))
    return found


_MOST_WORK = 50_000_000


def integrated(model: Recogniser) -> Recogniser | None:
    """The recogniser with its noise integrated; None where it is none of Bayes, does so already, or where a
    strategy randomises."""
    from intent.recognise.bayes import BayesRecogniser

    if not isinstance(model, BayesRecogniser) or model.eps_ == "integrate":
        return None
    if not all(s.is_deterministic or s.is_background for s in model.strategies_):
        return None
    return BayesRecogniser(
        model.strategies_, eps="integrate", eps_prior=model.eps_prior, prior=model.prior_
    ).fit()


def is_affordable(n: int, rounds: int, complete: bool) -> bool:
    """Whether integrating takes no longer than the labels: n T^2, and fifty times that with unknown moves."""
    return 0 < n * rounds**2 * (1 if complete else 50) <= _MOST_WORK


def changed_rows(
    table: pd.DataFrame,
    X: Trajectories,
    fresh: Recogniser,
    settings: LabelSettings,
    subjects: NDArray[np.intp] | None = None,
) -> NDArray[np.bool_]:
    """(n,), labels or statuses of a table that differ when `fresh` judges the same play."""
    import numpy as np

    from intent.recognise.verdict import judge

    verdict = judge(X, fresh, settings, np.random.default_rng(0), subjects)
    again = np.where(verdict.status == "confident", fresh.classes_[verdict.best], verdict.status)
    differ: NDArray[np.bool_] = table["label"].fillna(table["status"]).to_numpy(dtype=object) != again
    return differ
