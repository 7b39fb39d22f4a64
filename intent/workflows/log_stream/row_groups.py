"""Row groups of a compact log that follow each other, read so that no game is cut in two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from intent.files.parquet import open_parquet, parquet_footer
from intent.workflows.log_stream.pieces import grouped
from intent.workflows.log_stream.together import together

__all__ = ["RowGroups", "cut_parts", "games_together"]

Place = tuple[Path, int]
"""A part, and one of its row groups."""


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of one part.

    Parameters
    ----------
    part : Path
    groups : tuple of int
    n : int, their rows
    before, after : those next to them that have rows, perhaps in another part
    """

    part: Path
    groups: tuple[int, ...]
    n: int
    before: Place | None = None
    after: Place | None = None

    def table(self, columns: Sequence[str], coded: Sequence[str] = ()) -> pa.Table:
        """The rows of the games that begin here.

        A game has two rows at most: one that began before is left to whoever reads that, and one that
        goes on after these row groups is taken whole.

        Parameters
        ----------
        columns : those to read, with game_id
        coded : those of them whose texts are read by their codes
        """
        with _open(self.part, coded) as file:
            rows = file.read_row_groups(list(self.groups), columns=list(columns), use_threads=False)
        if self.before is not None and len(rows) and self._may_share(self.groups[0], self.before):
            with _open(self.before[0]) as file:
                last = file.read_row_group(self.before[1], columns=["game_id"])["game_id"][-1].as_py()
            rows = rows.slice(_leading(rows["game_id"][:2], last))
        if self.after is not None and len(rows) and self._may_share(self.groups[-1], self.after):
            last = rows["game_id"][-1].as_py()
            n = _leading(_first_rows(self.after, ["game_id"])["game_id"], last)
            if n:
                rest = _first_rows(self.after, columns, coded).slice(0, n)
                rows = pa.concat_tables([rows, rest], promote_options="permissive")
        return rows.unify_dictionaries().combine_chunks()

    def _may_share(self, group: int, other: Place) -> bool:
        """Whether a row group may have a game in common with another, by the statistics of both."""
        mine, theirs = _ends((self.part, group)), _ends(other)
        if mine is None or theirs is None or type(mine[0]) is not type(theirs[0]):
            return True
        return bool(mine[0] <= theirs[1] and theirs[0] <= mine[1])


def cut_parts(parts: Sequence[Path], facts: Sequence[pq.FileMetaData], size: int) -> Iterator[RowGroups]:
    """Row groups of all parts in order, small ones of a part joined up to `size` rows."""
    found = []
    for part, own in zip(parts, facts, strict=True):
        sizes = [own.row_group(i).num_rows for i in range(own.num_row_groups)]
        for groups, n in grouped(sizes, size):
            filled = tuple(i for i in groups if sizes[i])
            if filled:
                found.append(RowGroups(part, filled, n))
    for i, one in enumerate(found):
        before = (found[i - 1].part, found[i - 1].groups[-1]) if i else None
        after = (found[i + 1].part, found[i + 1].groups[0]) if i + 1 < len(found) else None
        yield replace(one, before=before, after=after)


def games_together(parts: Sequence[Path], facts: Sequence[pq.FileMetaData]) -> bool:
    """Whether no game comes back in a later row group: by the statistics or, where need be, the rows."""
    places = [
        (part, i)
        for part, own in zip(parts, facts, strict=True)
        for i in range(own.num_row_groups)
        if own.row_group(i).num_rows
    ]
    ends = [_ends(place) for place in places]
    known = [end for end in ends if end is not None]
    if len(known) == len(ends) and len({type(low) for low, _ in known}) == 1:
        return all(a[1] <= b[0] for a, b in pairwise(known)) or together(lambda: _ids(places))
    return together(lambda: _ids(places))


def _ids(places: Sequence[Place]) -> Iterator[pa.Array]:
    for part, group in places:
        with _open(part) as file:
            column = file.read_row_group(group, columns=["game_id"], use_threads=False)["game_id"]
        yield pa.concat_arrays(column.cast(pa.string()).chunks)


def _first_rows(place: Place, columns: Sequence[str], coded: Sequence[str] = ()) -> pa.Table:
    """The first two rows of a row group, or the only one."""
    with _open(place[0], coded) as file:
        return pa.Table.from_batches(
            [next(file.iter_batches(2, row_groups=[place[1]], columns=list(columns)))]
        )


def _ends(place: Place) -> tuple[Any, Any] | None:
    """Lowest and highest game_id of a row group; None where the statistics do not say."""
    found = place[0].stat()
    facts = _footer(place[0], found.st_mtime_ns, found.st_size)
    names = [facts.schema.column(j).path for j in range(facts.num_columns)]
    stats = facts.row_group(place[1]).column(names.index("game_id")).statistics
    return (stats.min, stats.max) if stats is not None and stats.has_min_max else None


def _leading(ids: pa.ChunkedArray, wanted: object) -> int:
    """Rows at the start that are of a game."""
    n = 0
    for value in ids:
        if str(value.as_py()) != str(wanted):
            break
        n += 1
    return n


def _open(part: Path, coded: Sequence[str] = ()) -> pq.ParquetFile:
    found = part.stat()
    footer = _footer(part, found.st_mtime_ns, found.st_size)
    return open_parquet(part, coded=coded, footer=footer)


@lru_cache(maxsize=4)
def _footer(part: Path, changed: int, size: int) -> pq.FileMetaData:
    """The footer of a part as it was then: it names every row group, and is read once for all of them."""
    return parquet_footer(part)
