"""Label a game log: which strategy each agent played, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from intent.errors import OutputError, UsageError
from intent.schema.defaults import BACKGROUND, DEFAULT_RECOGNISER
from intent.workflows.label_result import Labels, label_provenance, label_summary

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser

__all__ = [
    "BACKGROUND",
    "DEFAULT_RECOGNISER",
    "Labels",
    "bayes_options",
    "check_per",
    "claim_outputs",
    "label",
    "label_log",
]


def label(
    log: GameLog | str | Path, recogniser: Recogniser | str | Path = DEFAULT_RECOGNISER, **settings: Any
) -> pd.DataFrame:
    """Strategy labels of every focal trajectory of a log, one row each.

    Parameters
    ----------
    log, recogniser, **settings
        As `label_log`.

    Returns
    -------
    DataFrame
        As `schema.LABELS`. ``attrs["summary"]`` is what ``intent label --json`` prints,
        ``attrs["provenance"]`` what a label file stores on its origin, ``attrs["notes"]`` what a reader
        should know.

    Raises
    ------
    UsageError, DataError, RecogniserError
        As `label_log`.
    """
    labels = label_log(log, recogniser, **settings)
    labels.table.attrs = {
        "summary": labels.summary,
        "provenance": labels.provenance,
        "notes": list(labels.notes),
    }
    return labels.table


def label_log(
    log: GameLog | str | Path,
    recogniser: Recogniser | str | Path = DEFAULT_RECOGNISER,
    *,
    eps: float | str | None = None,
    eps_by: Sequence[str] = (),
    eps_prior: tuple[float, ...] | None = None,
    prior: Mapping[str, float] | Literal["sfem"] | None = None,
    background: bool = BACKGROUND,
    per: str = "game",
    conformal: float | None = None,
    conformal_eps: float | tuple[float, float] | None = None,
    threshold: float = 0.9,
    alpha: float = 0.01,
    others: str | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    coin: bool = True,
    **reading: Any,
) -> Labels:
    """Strategy labels of every focal trajectory of a log, or of every player.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    eps : float in [0, .5), "integrate" or "estimate"
        Noise that a Bayes recogniser, or another one that can be told it, assumes; default: what it was
        saved with (.05 for the shipped Bayes ones).
    eps_by : columns, optional
        With ``eps="estimate"``: one eps for each group of trajectories instead of one for the log.
    eps_prior : (low, high) or (a, b, scale), optional
        With ``eps="integrate"``: uniform, or Beta(a, b) on [0, scale]; default uniform on [0, .2].
    prior : mapping of strategy -> probability, or "sfem", optional
        Default: what the recogniser was saved with (uniform for the shipped). With "sfem", the shares
        estimated from the same log. One that does not name RANDOM says how the strategies share what
        RANDOM leaves them.
    background : bool
        Whether RANDOM competes for play: exactly, as one class more with the prior weight of one strategy.
        Play that it explains best is ``no_fit``.
    per : {"game", "player"}
        One row for each game of a player, or one for all of them: each game starts anew, and the player
        keeps to one strategy.
    conformal : float in (0, 1), optional
        Adds ``label_set``: strategies that hold the true one with this probability, whichever it is, on play
        against these opponents, of these lengths.
    conformal_eps : float, or (low, high) of a uniform, optional
        Noise for which that holds; default: what the recogniser assumes, U[0, .2] where it assumes none.
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
        For the Monte Carlo test of fit of stochastic strategies, the play behind label sets, and sampled
        tosses of coins.
    coin : bool
        Whether the summary says what fair coins would get in these games (`intent.recognise.coin`).
    **reading
        Passed to `read_log` where `log` is a path.

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

    from intent.recognise.coin import coin_shares, mean_coin
    from intent.recognise.conformal import check_level
    from intent.recognise.labels import label_table, subject_keys
    from intent.recognise.storage import load_recogniser
    from intent.recognise.verdict import LabelSettings
    from intent.workflows.conformal import conformal_sets, set_summary
    from intent.workflows.focal import focal_play
    from intent.workflows.label_models import recognisers_of_parts

    check_per(per, conformal)
    model = recogniser if not isinstance(recogniser, str | Path) else load_recogniser(recogniser)
    settings = LabelSettings(threshold=threshold, alpha=alpha)
    if conformal is not None:
        check_level(conformal)
    played, X = focal_play(log, where=where, others=others, keep_defaulted=keep_defaulted, **reading)
    parts = recognisers_of_parts(
        model, X, bayes_options(eps, eps_prior, prior), eps_by, background=background
    )
    subjects = _players(X) if per == "player" else None
    tables, coins, order_of = [], [], []
    for _, rows, part in parts:
        rng = np.random.default_rng(seed)
        whose, own = None, rows
        if subjects is not None:
            own, whose = np.unique(subjects[rows], return_inverse=True)
        order_of.append(own)
        if coin and (tossed := coin_shares(X[rows], part, settings, subjects=whose, seed=seed)):
            coins.append((float(len(own)), tossed))
        sets = None
        if conformal is not None:
            sets = conformal_sets(part, X[rows], conformal, rng.spawn(1)[0], eps=conformal_eps)
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
    n_games = None if X.keys is None or per == "game" else int(X.keys["game_id"].nunique())
    summary = label_summary(table, played, [str(c) for c in used.classes_], n_games=n_games)
    if coin:
        tossed = mean_coin(coins)
        summary["coin"] = None if tossed is None else tossed.to_dict()
    if conformal is not None:
        summary["conformal"] = set_summary(table["label_set"], conformal)
    changed = _changed_by_integrating(table, X, used, settings, subjects)
    provenance = label_provenance(
        played.provenance,
        str(recogniser) if isinstance(recogniser, str | Path) else model,
        used,
        changed=changed,
        settings={
            "conformal": conformal,
            "conformal_eps": conformal_eps,
            "threshold": threshold,
            "alpha": alpha,
            "others": others,
            "keep_defaulted": keep_defaulted,
            "where": where,
            "seed": seed,
            "background": background,
            "per": per,
        },
    )
    if eps_by:
        provenance["eps"] = {name: getattr(part, "eps_", None) for name, _, part in parts}
    if prior == "sfem":
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
    from intent.errors import UnknownNameError

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
    from intent.logs.log_files import is_part
    from intent.logs.tablefile import claim_table

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


def bayes_options(eps: Any, eps_prior: Any, prior: Any) -> dict[str, Any]:
    """Those settings of a Bayes recogniser that were given."""
    given = {"eps": eps, "eps_prior": eps_prior, "prior": prior}
    return {name: value for name, value in given.items() if value is not None}


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
    from intent.workflows.integrated import changed_rows, integrated, is_affordable

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
