"""From any log with contributions to types of contributors: by the literature's rules, and as a mixture.

What the types of contributors return: a table, shares by group, and files as their suffix says.

One row per subject: who it is, what the rules say, what the mixture says.

What a reader of types of contributors should be warned of, one line each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError
from intent.base.json_text import json_values
from intent.base.result import check_output, data_line, kept_in_words, source_of, write_result
from intent.estimate.intervals import check_bootstrap, check_level
from intent.logs.selection import unread_rows
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.base.statistics.groups import Grouping
    from intent.estimate.contributions import Answers, Contributions
    from intent.estimate.contributor_mixture import ContributorFit
    from intent.estimate.contributor_rules import Rules, Verdict
    from intent.estimate.contributor_shares import GroupTypes
    from intent.logs.gamelog import GameLog


__all__ = ["ContributorTypes", "contributor_notes", "contributor_table", "contributors"]


@dataclass(frozen=True, eq=False)
class ContributorTypes:
    """Types of contributors in a log.

    Parameters
    ----------
    table : one row per subject, as `codebook.CONTRIBUTORS`
    by : columns that make the groups
    groups : GroupTypes of each group
    pairs : Answers, the contributions behind the table, row by row
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    n_games : games the subjects come from
    skipped : reason -> number of games without contributions
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    """

    table: pd.DataFrame
    by: tuple[str, ...]
    groups: tuple[GroupTypes, ...]
    pairs: Answers
    config: Mapping[str, Any]
    n_games: int
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    origin: Path | None = None

    def __repr__(self) -> str:
        return f"<ContributorTypes: {len(self.table):,} subjects, {len(self.groups)} groups>"

    @property
    def unit(self) -> str:
        """What one subject is, in words."""
        subject = self.config["subject"]
        if subject == ["game_id", "seat"]:
            return "one seat of one game"
        return f"all games of one {' × '.join(subject)}"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent contributors --json``; what is not a number is None."""
        from intent.estimate.contributor_rules import STATUSES

        counts = self.table["status"].value_counts()
        found: dict[str, Any] = json_values(
            {
                "n": len(self.table),
                "n_games": self.n_games,
                "by": list(self.by),
                "statuses": {status: int(counts.get(status, 0)) for status in STATUSES},
                "groups": [group.to_dict(self.by) for group in self.groups],
                "skipped": dict(self.skipped),
            }
        )
        return found

    def rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows for people: types and statuses, counted by the rules and estimated as a mixture."""
        from intent.estimate.share_figures import percent, percent_ends

        header = [*self.by, "type", "subjects", "counted", "interval", "estimated", "interval "]
        rows: list[list[object]] = []
        for group in self.groups:
            for name, counted in group.counted.items():
                estimated = group.estimated.get(name)
                cells = [*map(str, group.values), name, f"{round(counted.estimate * group.n):,}"]
                for share in (counted, estimated):
                    cells += (
                        ["–", "–"]
                        if share is None
                        else [percent(share.estimate), percent_ends(share.low, share.high)]
                    )
                rows.append([*cells])
        return header, rows

    def sentences(self) -> list[str]:
        """What fits the subjects whose type is ambiguous, most frequent first."""
        unclear = self.table.loc[self.table["status"] == "ambiguous", "candidates"]
        if not len(unclear):
            return []
        counts = unclear.map(" or ".join).value_counts()
        return [f"ambiguous: {', '.join(f'{names} {n:,}' for names, n in counts.items())}"]

    def figure(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Draw own contributions against those of the others, by type, and the shares of the types.

        Raises
        ------
        UsageError
            Too many groups to be readable.
        OutputError
            The path cannot be written, or its suffix is not .png, .svg or .pdf.
        """
        from intent.estimate.contributor_figures import write_contributor_types

        return write_contributor_types(
            self.table,
            self.pairs,
            self.groups,
            check_output(path, origin=self.origin),
            by=self.by,
            same_round=self.config["same_round"],
            remarks=self._remarks(),
            description=json.dumps({**self.config, "log": self._source()}, ensure_ascii=True),
            overwrite=overwrite,
        )

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table, a figure, or the JSON object with notes and settings, as the suffix says.

        Raises
        ------
        UsageError, OutputError
            As `figure` and `check_output`.
        """
        return write_result(
            path,
            figure=lambda target: self.figure(target, overwrite=overwrite),
            table=lambda: self.table,
            payload=lambda: {**self.to_dict(), "notes": list(self.notes), "config": dict(self.config)},
            facts={**self.config, "skipped": dict(self.skipped)},
            origin=self.origin,
            overwrite=overwrite,
        )

    def _remarks(self) -> Sequence[str]:
        data = data_line(self._source()["source"], *kept_in_words(self.config["where"]))
        return [f"{data} One subject: {self.unit}.", *(f"{n[0].upper()}{n[1:]}." for n in self.notes)]

    def _source(self) -> dict[str, Any]:
        return source_of(self.config["log"])


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
        ``table`` has one row per subject, as `codebook.CONTRIBUTORS`.

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

    from intent.base.codebook import column_names
    from intent.base.statistics.groups import cluster_codes, grouping
    from intent.estimate.contributions import answers, contributor_play
    from intent.estimate.contributor_rules import Rules
    from intent.estimate.contributor_shares import group_types
    from intent.estimate.design_units import design_units

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
    from intent.base.result import check_output

    for path in outputs:
        check_output(path, overwrite=overwrite, origin=source)


def _verdicts(
    pairs: Answers, rules: Rules, rng: np.random.Generator, update: Callable[[int, int], None]
) -> list[Verdict]:
    """What the rules say of each subject; subjects alike in their pairs draw the same permutations."""
    import numpy as np

    from intent.estimate.contributor_rules import classify

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

    from intent.base.statistics.groups import group_name
    from intent.estimate.contributor_mixture import fit_contributors

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


def contributor_table(
    keys: pd.DataFrame,
    codes: NDArray[np.intp],
    unit: Sequence[str],
    by: Sequence[str],
    verdicts: Sequence[Verdict],
    fits: Sequence[ContributorFit | None],
) -> pd.DataFrame:
    """The table `codebook.CONTRIBUTORS`.

    Parameters
    ----------
    keys : table of trajectories, and what describes them
    codes : (trajectories,) int in 0 .. n - 1, their subjects
    unit : columns that name a subject
    by : columns that make the groups
    verdicts : n Verdict
    fits : of each group, whose `subjects` are these codes
    """
    import numpy as np
    import pandas as pd

    from intent.base import codebook
    from intent.recognise.recogniser import most_probable

    _, first, sizes = np.unique(codes, return_index=True, return_counts=True)
    whole = tuple(unit) == ("game_id", "seat")
    columns = list(keys.columns) if whole else list(dict.fromkeys([*unit, *by]))
    who = keys[columns].iloc[first].reset_index(drop=True)
    if not whole and who.isna().any(axis=None):
        who = pd.concat([keys[["game_id", "seat"]].iloc[first].reset_index(drop=True), who], axis=1)
        who = who.loc[:, ~who.columns.duplicated()]
    said = {f.name: [getattr(v, f.name) for v in verdicts] for f in fields(verdicts[0])}
    said["candidates"] = [list(names) for names in said["candidates"]]
    types = list(dict.fromkeys(name for fit in fits if fit is not None for name in fit.types))
    posterior = np.full((len(first), len(types)), np.nan)
    best = np.full(len(first), None, dtype=object)
    for fit in (fit for fit in fits if fit is not None):
        at = [types.index(name) for name in fit.types]
        posterior[fit.subjects[:, None], at] = fit.posterior
        best[fit.subjects] = np.array(fit.types, dtype=object)[most_probable(fit.posterior)]
    confidence = np.where(
        np.isnan(posterior).all(axis=1), np.nan, np.nan_to_num(posterior).max(axis=1, initial=0)
    )
    ours = {c.name for c in codebook.CONTRIBUTORS}
    taken = [c for c in who.columns if c in ours - {"game_id", "seat"} or c.startswith("p_")]
    return who.drop(columns=taken).assign(
        n_trajectories=sizes,
        **said,
        best=best,
        confidence=confidence,
        **{codebook.PROBABILITY_PREFIX + name: posterior[:, k] for k, name in enumerate(types)},
    )


_TREND = 0.5
"""Rank correlation with time beyond which a conditional cooperator may merely have drifted."""


def contributor_notes(
    found: Contributions, verdicts: Sequence[Verdict], groups: Sequence[GroupTypes], by: Sequence[str]
) -> list[str]:
    """Cautions on types.

    Parameters
    ----------
    found : Contributions
    verdicts : of all subjects
    groups : their shares
    by : columns that make the groups
    """
    from intent.base.statistics.groups import group_name

    keys = found.play.keys
    assert keys is not None
    notes = unread_rows(found.log)
    missing = int((~found.log.has_cooperation()).sum())
    if missing:
        notes.append(f"{missing:,} games are left out: no contributions")
    games = sorted(map(str, keys["game"].dropna().unique())) if "game" in keys else []
    if len(games) > 1 and "game" not in by:
        notes.append(f"play of {len(games)} games is pooled ({', '.join(games)}); --by game keeps them apart")
    drifting = [v for v in verdicts if v.type == "conditional" and v.trend < -_TREND]
    conditional = sum(v.type == "conditional" for v in verdicts)
    if drifting:
        notes.append(
            f"{len(drifting):,} of {conditional:,} conditional cooperators give less and less, "
            "like the others: to follow them and to drift as they do look the same"
        )
    for status, why in (
        ("too_short", "too few rounds"),
        ("constant_others", "others who hardly varied"),
    ):
        n = sum(v.status == status for v in verdicts)
        if n:
            notes.append(f"{n:,} of {len(verdicts):,} subjects have no type: {why}")
    if found.drawn:
        notes.append("endowments that the game drew are not in the log: shares are of the largest one")
    ridges: dict[tuple[str, ...], list[str]] = {}
    for group in groups:
        for ridge in group.fit.ridge if group.fit is not None else ():
            ridges.setdefault(ridge, []).append(group_name(group.values))
    for ridge, names in ridges.items():
        where = "" if names == ["all"] else f": {', '.join(names[:3])}"
        notes.append(
            f"this play does not tell {' and '.join(ridge)} apart, only their sum is estimated{where}"
        )
    wild = [group_name(g.values) for g in groups if g.misfit]
    if wild:
        notes.append(
            f"errors as large as they may be, the types hardly describe the play: {', '.join(wild[:3])}"
        )
    return notes
