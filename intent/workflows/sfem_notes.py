"""What a reader of estimated shares should be warned of, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.workflows.focal import unread_rows

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.workflows.sfem_result import ShareEstimates

__all__ = ["notes_of"]

_FEW = 5
"""Subjects per parameter below which errors are not to be trusted."""

_WILD = 0.25
"""Tremble above which one may doubt that the set of strategies describes the play."""

_NAMED = 3


def notes_of(result: ShareEstimates, log: GameLog, silent: int) -> list[str]:
    """Cautions on an estimate.

    Parameters
    ----------
    result : ShareEstimates
    log : GameLog it comes from
    silent : int, trajectories without a single readable move
    """
    notes = [f"{n:,} games are left out: {why}" for why, n in log.skipped().items()]
    notes += unread_rows(log)
    if silent:
        notes.append(f"{silent:,} trajectories without a readable move are left out")
    notes += [_pooled_games(result), _selection(result), *_ridges(result), _boundary(result), _barely(result)]
    notes += [
        _listed("not converged", [n for n, f in result.named_fits() if not f.converged]),
        _listed(
            f"fewer than {_FEW} subjects per parameter, errors are unreliable",
            [n for n, f in result.named_fits() if f.n_subjects < _FEW * f.n_parameters],
        ),
        _few_clusters(result),
        _fits_badly(result),
        _shared_players(result),
    ]
    return [note for note in notes if note]


def _listed(what: str, groups: Sequence[str]) -> str:
    if not groups:
        return ""
    if list(groups) == ["all"]:
        return what
    more = f" and {len(groups) - _NAMED} more" if len(groups) > _NAMED else ""
    return f"{what}: {', '.join(groups[:_NAMED])}{more}"


def _pooled_games(result: ShareEstimates) -> str:
    if "game" not in result.keys or "game" in result.by:
        return ""
    games = sorted(map(str, result.keys["game"].dropna().unique()))
    if len(games) < 2:
        return ""
    apart = "--by game or --where game=… keeps them apart"
    return f"play of {len(games)} games is pooled ({', '.join(games)}); {apart}"


def _selection(result: ShareEstimates) -> str:
    dropped = result.config["dropped"]
    if not result.config["select"]:
        return ""
    by = result.config["select"].upper()
    if not dropped:
        return f"{by} drops none of the {len(result.fits[0].names)} strategies"
    return f"{by} dropped {', '.join(dropped)}; errors do not know that a selection came before"


def _ridges(result: ShareEstimates) -> list[str]:
    sets: dict[tuple[str, ...], list[str]] = {}
    for name, fit in result.named_fits():
        for ridge in fit.ridge:
            sets.setdefault(ridge, []).append(name)
    return [
        _listed(f"this play does not tell {' and '.join(ridge)} apart, only their sum is estimated", groups)
        for ridge, groups in sets.items()
    ]


def _boundary(result: ShareEstimates) -> str:
    if result.config["bootstrap"]:
        return ""
    ridged = [{name for ridge in fit.ridge for name in ridge} for fit in result.fits]
    bare = sum(
        share.se is None and name not in known
        for fit, known in zip(result.fits, ridged, strict=True)
        for name, share in zip(fit.names, fit.shares, strict=True)
    )
    total = sum(len(fit.names) for fit in result.fits)
    if not bare:
        return ""
    return f"{bare} of {total} shares lie on the boundary and have no error; --bootstrap 1000 gives intervals"


def _barely(result: ShareEstimates) -> str:
    if result.config["bootstrap"]:
        return ""
    shares = [share for fit in result.fits for share in fit.shares if share.se is not None]
    small = sum(share.estimate < share.se for share in shares if share.se is not None)
    if not small:
        return ""
    many = "1 share is smaller than its" if small == 1 else f"{small} shares are smaller than their"
    return f"{many} standard error, the interval says little; --bootstrap 1000 gives a better one"


def _few_clusters(result: ShareEstimates) -> str:
    import numpy as np

    from intent.analysis.cautions import few_clusters
    from intent.analysis.groups import cluster_codes, grouping

    cluster = result.config["cluster"]
    if not cluster or cluster == ["game_id"]:
        return ""
    codes, groups = cluster_codes(result.keys, cluster), grouping(result.keys, result.by).codes
    numbers = [len(np.unique(codes[groups == g])) for g in range(len(result.fits))]
    names = [name for name, _ in result.named_fits()]
    return few_clusters(names, numbers, f"clusters of {' × '.join(cluster)}") or ""


def _fits_badly(result: ShareEstimates) -> str:
    """A tremble near one half means that no strategy of the set describes the play."""
    wild = [n for n, f in result.named_fits() if any(t.estimate > _WILD for t in f.tremble)]
    return _listed(f"a tremble above {_WILD:g}, the strategies hardly describe the play", wild)


def _shared_players(result: ShareEstimates) -> str:
    """Players who are subjects in several groups, so that the groups are not independent."""
    import pandas as pd

    unit = list(result.config["subject"])
    if not result.by or unit == ["game_id", "seat"]:
        return ""
    subjects = pd.DataFrame({"subject": result.subjects}).join(result.keys[unit]).drop_duplicates("subject")
    several = int((subjects.groupby(unit, observed=True).size() > 1).sum())
    if not several:
        return ""
    return f"{several:,} of them play in several groups and count once in each: groups are not independent"
