"""From any log with contributions to types of contributors: by the literature's rules, and as a mixture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError
from intent.version import __version__
from intent.workflows.contributors_result import ContributorTypes
from intent.workflows.interval_settings import check_bootstrap, check_level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.analysis.groups import Grouping
    from intent.encode.answers_to_others import Answers
    from intent.logs.gamelog import GameLog
    from intent.recognise.contributors.mixture import ContributorFit
    from intent.recognise.contributors.rules import Rules, Verdict

__all__ = ["ContributorTypes", "contributors"]

_SEAT = ("game_id", "seat")


def contributors(
    log: GameLog | str | Path,
    by: str | Sequence[str] = (),
    *,
    subject: str | Sequence[str] = (),
    same_round: bool = False,
    rules: Rules | Mapping[str, Any] | None = None,
    endowment: float | None = None,
    bootstrap: int = 1000,
    level: float = 0.95,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> ContributorTypes:
    """Types of contributors in a log of a public goods game, or of any game with a cooperative action.

    A subject's contribution is set beside the mean contribution of the others in the round before.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    by : columns whose joint values make the groups; a comma in text separates columns
    subject : columns that name a subject, all of whose games count together
        Default: ``player`` where the log has it, else the seat of one game.
    same_round : bool
        Whether the others' mean is that of the same round: for logs of the strategy method, where a subject
        answers a given mean.
    rules : Rules, or a mapping of those that differ from its defaults, optional
        Thresholds of the rules.
    endowment : float, optional
        What a seat can give in a round, in games of numbers that do not say it.
    bootstrap : int
        Samples for intervals of shares, which resample games (or the subjects that play several).
    level : float in (0, 1)
        Coverage of the intervals.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own contribution.
    where : mapping of column -> accepted values
    seed : int
        Of permutations and bootstrap.
    update : called with (subjects done, in all)
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    ContributorTypes
        ``table`` has one row per subject, as `schema.CONTRIBUTORS`.

    Raises
    ------
    UsageError
        A setting that cannot be, no game left or none with contributions, or a group in which some give all
        or nothing and others amounts.
    UnknownNameError
        A column that does not exist.
    DataError
        A contribution that the endowment does not allow.
    """
    from dataclasses import asdict

    import numpy as np

    from intent.analysis.contributor_shares import group_types
    from intent.analysis.groups import cluster_codes, grouping
    from intent.analysis.unit import design_units
    from intent.encode.answers_to_others import answers
    from intent.recognise.contributors.rules import Rules
    from intent.workflows.columns import column_names
    from intent.workflows.contributors_notes import contributor_notes
    from intent.workflows.contributors_table import contributor_table
    from intent.workflows.focal import contributor_play

    check_bootstrap(bootstrap)
    check_level(level)
    thresholds = rules if isinstance(rules, Rules) else Rules(**(rules or {}))
    found = contributor_play(log, where=where, endowment=endowment, keep_defaulted=keep_defaulted, **reading)
    keys = found.play.keys
    assert keys is not None
    if not len(keys):
        raise UsageError(
            f"no contributions in {len(found.log):,} games: expected the column value and the game's tokens "
            "(or --endowment), or a cooperative action"
        )
    groups = grouping(keys, column_names(by, keys.columns))
    unit = column_names(subject, keys.columns) or (("player",) if "player" in keys else _SEAT)
    who = np.arange(len(keys)) if unit == _SEAT else cluster_codes(keys, unit)
    codes = np.unique(who * len(groups) + groups.codes, return_inverse=True)[1].reshape(-1)
    pairs = answers(found, codes, lag=0 if same_round else 1)
    rng = np.random.default_rng(seed)
    first = np.unique(codes, return_index=True)[1]
    of_subject = groups.codes[first]
    verdicts = _verdicts(pairs, thresholds, rng.spawn(1)[0], update)
    fits = _fits(pairs, of_subject, groups)
    clusters = design_units(keys, conditions=False).unit.codes[first]
    outcomes = [v.status if v.type is None else v.type for v in verdicts]
    shares = []
    for g, fit in enumerate(fits):
        own = np.flatnonzero(of_subject == g)
        shares.append(
            group_types(
                groups.values[g],
                [outcomes[i] for i in own],
                clusters[own],
                fit,
                clusters[own if fit is None else fit.subjects],
                binary=int(pairs.units[own].max()) == 1,
                samples=bootstrap,
                level=level,
                rng=rng,
            )
        )
    config = {
        "kind": "contributors",
        "log": found.log.provenance,
        "by": list(groups.columns),
        "subject": list(unit),
        "same_round": same_round,
        "rules": asdict(thresholds),
        "endowment": endowment,
        "bootstrap": bootstrap,
        "level": level,
        "keep_defaulted": keep_defaulted,
        "where": {column: list(values) for column, values in (where or {}).items()},
        "seed": seed,
        "version": __version__,
    }
    missing = int((~found.log.has_cooperation()).sum())
    return ContributorTypes(
        table=contributor_table(keys, codes, unit, groups.columns, verdicts, fits),
        by=groups.columns,
        groups=tuple(shares),
        pairs=pairs,
        config=config,
        n_games=int(keys["game_id"].nunique()),
        skipped={"no contributions": missing} if missing else {},
        notes=tuple(contributor_notes(found, verdicts, shares, groups.columns)),
        origin=Path(log) if isinstance(log, str | Path) else None,
    )


def claim_outputs(outputs: Sequence[Path], *, overwrite: bool, source: Path | None = None) -> None:
    """Make sure, before any work, that results may be written; the log itself is never written over.

    Raises
    ------
    OutputError
        A suffix that means nothing, or a path that cannot be written.
    """
    from intent.workflows.result_files import check_output

    for path in outputs:
        check_output(path, overwrite=overwrite, origin=source)


def _verdicts(
    pairs: Answers, rules: Rules, rng: np.random.Generator, update: Callable[[int, int], None]
) -> list[Verdict]:
    """What the rules say of each subject; subjects alike in their pairs draw the same permutations."""
    import numpy as np

    from intent.recognise.contributors.rules import classify

    seed = int(rng.integers(1 << 62))
    known: dict[tuple[bytes, bytes, int], Verdict] = {}
    found = []
    for i in range(pairs.n):
        x, y = pairs.of(i)
        key = (x.tobytes(), y.tobytes(), int(pairs.units[i]))
        if key not in known:
            known[key] = classify(x, y, key[2], rules, np.random.default_rng(seed))
        found.append(known[key])
        update(i + 1, pairs.n)
    return found


def _fits(pairs: Answers, of_subject: NDArray[np.intp], groups: Grouping) -> list[ContributorFit | None]:
    """The mixture of each group, None where nobody answers anything."""
    import numpy as np

    from intent.analysis.comparison import group_name
    from intent.recognise.contributors.mixture import fit_contributors

    fits: list[ContributorFit | None] = []
    for g in range(len(groups)):
        own = np.flatnonzero(of_subject == g)
        units = np.unique(pairs.units[own])
        if len(units) > 1 and units[0] == 1:
            name = group_name(groups.values[g])
            raise UsageError(
                f"{name}: some games are all or nothing and some have up to {units[-1]} tokens; "
                "--by game or --where game=… keeps them apart"
            )
        rows = np.isin(pairs.subject, own)
        if not rows.any():
            fits.append(None)
            continue
        most = int(pairs.others[own].max())
        fit = fit_contributors(pairs.x[rows], pairs.y[rows], pairs.subject[rows], int(units.max()), most)
        fits.append(fit)
    return fits
