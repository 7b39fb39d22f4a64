"""A dry read of a log: what it holds, what was decided and why, and what could not be read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.job import JSON, OVERWRITE, Result, Table, here, job
from intent.base.wording import counted
from intent.logs.reading import LOG, REJECTS, Reading

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["ValidateRequest", "Validation", "validate"]


class ValidateRequest(Reading, job="validate", function="intent.logs.validate.validate"):
    """Read a log without doing anything: what it holds, what was decided, what cannot be read."""

    log: str | Path = replace(LOG, words=Path)
    reading = here(Reading)
    rejects: str | Path | None = replace(REJECTS, words=Path | None, only="", file=False)
    overwrite: bool = replace(OVERWRITE, only="", file=False)
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Nothing: the job claims the list of rejected rows."""


@dataclass(frozen=True)
class Validation(Result):
    """What a dry read shows.

    Parameters
    ----------
    name : str
        Of the file.
    format : str
        Reader that took the file.
    n_games, n_seats, n_moves : int
    n_missing, n_defaulted : int
        Moves that were not made or not readable, and defaults in the place of an unreadable reply.
    games : tuple of mappings with game, n, payoff_kind, cooperative_action, note
    conditions : mapping of condition column -> number of distinct values
    rejects : int
        Rows that could not be read.
    first_rejects : tuple of str
        The first ten of them, one line each.
    listed : where the rejected rows are listed
    notes : tuple of str
    """

    name: str
    format: str
    n_games: int
    n_seats: int
    n_moves: int
    n_missing: int
    n_defaulted: int
    games: tuple[dict[str, Any], ...]
    conditions: dict[str, int]
    rejects: int
    first_rejects: tuple[str, ...] = ()
    listed: str | Path | None = None
    notes: tuple[str, ...] = ()

    kind = "validation"

    def fields(self) -> Mapping[str, Any]:
        """The object that ``intent validate --json`` prints."""
        keys = ("format", "n_games", "n_seats", "n_moves", "n_missing", "n_defaulted")
        return {
            **{key: getattr(self, key) for key in keys},
            "games": list(self.games),
            "conditions": self.conditions,
            "rejects": self.rejects,
        }

    def parts(self) -> Iterator[Table | str]:
        """Games by payoffs and cooperative action, and how many values each condition has."""
        numbers = ((self.n_games, "game"), (self.n_seats, "seat"), (self.n_moves, "move"))
        counts = ", ".join(counted(n, noun) for n, noun in numbers)
        header = ("game", "n", "payoff_kind", "cooperative_action", "note")
        rows = [[row[key] for key in header] for row in self.games]
        yield Table(header, rows, f"{self.name}: {self.format}, {counts}")
        yield ""
        yield Table(("condition", "values"), list(self.conditions.items()))

    def remarks(self) -> Iterator[str]:
        """The first rows that could not be read."""
        if self.rejects:
            yield f"{counted(self.rejects, 'row')} cannot be read" + (
                f", listed in {self.listed}:" if self.listed else ":"
            )
        for line in self.first_rejects:
            yield f"  {line}"
        if self.rejects > len(self.first_rejects):
            yield f"  … and {self.rejects - len(self.first_rejects):,} more"


@job(ValidateRequest)
def validate(request: ValidateRequest) -> Validation:
    """Read a log and say what is in it; rows that cannot be read are listed even if there are none.

    Raises
    ------
    DataError, UsageError, OutputError
    """
    from intent.base.outputs import claim
    from intent.logs.gamelog import write_rejects
    from intent.logs.readers import read_log

    if request.rejects is not None:
        claim(request.rejects, overwrite=request.overwrite)
    log = read_log(request.log, **request.file_reading())
    if request.rejects is not None:
        write_rejects(log.rejects, request.rejects, overwrite=request.overwrite)
    summary = summarise(log.where(request.where) if request.where else log, Path(request.log).name)
    return replace(summary, listed=request.rejects)


def summarise(log: "GameLog", name: str) -> Validation:
    """What a log holds."""
    notes = [str(note) for note in log.provenance.get("notes", [])]
    repeats = _identical(log)
    if repeats:
        notes.append(f"{repeats:,} games repeat another one move for move; they are kept as repeats")
    statuses = {str(status): int(n) for status, n in log.moves["status"].value_counts().items()}
    missing, defaulted = statuses.get("missing", 0), statuses.get("defaulted", 0)
    if missing:
        notes.append(f"{missing:,} of {len(log.moves):,} moves are missing: they are no evidence")
    if defaulted:
        notes.append(
            f"{defaulted:,} of {len(log.moves):,} moves are defaults for an unreadable reply: no evidence "
            "unless label is given --keep-defaulted"
        )
    silent = int((~log.seats["focal"]).sum())
    if silent:
        notes.append(f"{silent:,} seats are opponents known only from another's record: they get no labels")
    many = log.games["n_players"]
    if (many > 2).any():
        notes.append(
            f"{int((many > 2).sum()):,} games have more than two players (up to {int(many.max()):,}): label "
            "needs --others any, majority or all"
        )
    shown = log.rejects.head(10)
    return Validation(
        name=name,
        format=str(log.provenance.get("format", "")),
        n_games=len(log.games),
        n_seats=len(log.seats),
        n_moves=len(log.moves),
        n_missing=missing,
        n_defaulted=defaulted,
        games=tuple(_by_game(log)),
        conditions={c: int(t[c].nunique()) for t, names in _conditions(log) for c in names},
        rejects=len(log.rejects),
        first_rejects=tuple(
            (f"line {line}: " if line == line and line is not None else "") + reason
            for line, reason in zip(
                shown["line"].astype(object).where(shown["line"].notna(), None), shown["reason"], strict=True
            )
        ),
        notes=tuple(notes),
    )


def _conditions(log: "GameLog") -> list[tuple[Any, list[str]]]:
    """Tables and their columns that tell games or seats apart."""
    games = [c for c in ("game", "language", "horizon_known", *log.conditions) if log.games[c].notna().any()]
    fixed = ("model", "persona", "architecture", "attitude", "strategy", "player")
    seats = [c for c in (*fixed, *log.seat_conditions) if log.seats[c].notna().any()]
    return [(log.games, games), (log.seats, seats)]


def _by_game(log: "GameLog") -> list[dict[str, Any]]:
    """Each game with its payoff kind and cooperative action, and why where there is none."""
    columns = ["game", "payoff_kind", "cooperative_action"]
    frame = log.games[[*columns, "payoffs"]]
    rows = []
    for key, part in frame.groupby(columns, dropna=False, sort=True, observed=True):
        name, kind, action = (None if value != value or value is None else str(value) for value in key)
        tables = part["payoffs"].nunique()
        reasons = []
        if tables > 1:
            reasons.append(f"{tables} payoff tables")
        if action is None:
            why = "no payoffs" if part["payoffs"].isna().all() else "undecidable by the payoffs"
            reasons.append(f"{why}: no strategy labels")
        entry = {"game": name, "n": len(part), "payoff_kind": kind, "cooperative_action": action}
        rows.append({**entry, "note": "; ".join(reasons) or None})
    return rows


def _identical(log: "GameLog") -> int:
    """Games that equal an earlier one in all conditions, players and moves."""
    import numpy as np
    import pandas as pd

    from intent.base.tables import TEXT

    def hashed(table: Any, drop: tuple[str, ...]) -> Any:
        columns = [c for c in table.columns if c not in drop]
        return pd.util.hash_pandas_object(table[columns], index=False).to_numpy(dtype=np.uint64)

    total = hashed(log.games, ("game_id", "repetition", "run"))
    place = pd.Index(log.games["game_id"])
    for table in (log.seats, log.moves):
        codes = place.get_indexer(pd.Index(table["game_id"].astype(TEXT)))
        sums = np.zeros(len(total), dtype=np.uint64)
        np.add.at(sums, codes, hashed(table, ("game_id",)))
        total = total * np.uint64(1_000_003) + sums
    return int(pd.Series(total).duplicated().sum())
