"""What a reader of estimated shares should be warned of, one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.workflows.sfem_result import ShareEstimates

__all__ = ["Seen", "first_games", "notes_of"]

_FEW = 5
"""Subjects per parameter below which errors are not to be trusted."""

_WILD = 0.25
"""Tremble from which on one may doubt that the set of strategies describes the play."""

_NAMED = 3

_GAMES = 1000
"""Names of games that are kept."""


@dataclass(frozen=True)
class Seen:
    """What was seen of the log while its play was counted.

    Parameters
    ----------
    skipped : reason -> games that are left out
    silent : int, trajectories without a single readable move
    games : names of the games played, as `first_games`
    several : int, subjects with play in several groups
    told : notes of whoever read it
    """

    skipped: Mapping[str, int]
    silent: int
    games: tuple[str, ...]
    several: int
    told: tuple[str, ...] = ()


def notes_of(result: ShareEstimates, seen: Seen) -> list[str]:
    """Cautions on an estimate.

    Parameters
    ----------
    result : ShareEstimates
    seen : Seen
    """
    notes = [f"{n:,} games are left out: {why}" for why, n in seen.skipped.items()]
    notes += seen.told
    if seen.silent:
        notes.append(f"{seen.silent:,} trajectories without a readable move are left out")
    notes += [
        _pooled_games(result, seen.games),
        _selection(result),
        *_ridges(result),
        _boundary(result),
        _barely(result),
    ]
    notes += [
        _listed("not converged", [n for n, f in result.named_fits() if not f.converged]),
        _listed(
            f"fewer than {_FEW} subjects per parameter, errors are unreliable",
            [n for n, f in result.named_fits() if f.n_subjects < _FEW * f.n_parameters],
        ),
        _few_clusters(result),
        _fits_badly(result),
        _shared_players(result, seen.several),
    ]
    return [note for note in notes if note]


def first_games(names: Iterable[object]) -> tuple[str, ...]:
    """The names sorted, as many as memory may hold."""
    return tuple(sorted(map(str, names))[: _GAMES + 1])


def _listed(what: str, groups: Sequence[str]) -> str:
    if not groups:
        return ""
    if list(groups) == ["all"]:
        return what
    more = f" and {len(groups) - _NAMED} more" if len(groups) > _NAMED else ""
    return f"{what}: {', '.join(groups[:_NAMED])}{more}"


def _pooled_games(result: ShareEstimates, games: Sequence[str]) -> str:
    from intent.analysis.cautions import pooled_games

    return pooled_games(games, result.by, most=_GAMES) or ""


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
    from intent.analysis.cautions import few_clusters

    unit = result.independent
    if not result.config["cluster"] or unit is None or unit.kind == "game":
        return ""
    numbers = [fit.n_units or 0 for fit in result.fits]
    names = [name for name, _ in result.named_fits()]
    return few_clusters(names, numbers, unit.noun) or ""


def _fits_badly(result: ShareEstimates) -> str:
    """A tremble near one half means that no strategy of the set describes the play."""
    wild = [n for n, f in result.named_fits() if any(t.estimate > _WILD - 1e-9 for t in f.tremble)]
    return _listed(f"a tremble of {_WILD:g} or more, the strategies hardly describe the play", wild)


def _shared_players(result: ShareEstimates, several: int) -> str:
    """Players who are subjects in several groups, so that the groups are not independent."""
    if not result.by or result.config["subject"] == ["game_id", "seat"] or not several:
        return ""
    return f"{several:,} of them play in several groups and count once in each: groups are not independent"
