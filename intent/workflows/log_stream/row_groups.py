"""Row groups of a compact log that follow each other, read so that no game is cut in two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from intent.workflows.log_stream.pieces import grouped

__all__ = ["RowGroups", "cut_parts"]

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
        if self.before is not None and len(rows):
            with _open(self.before[0]) as file:
                last = file.read_row_group(self.before[1], columns=["game_id"])["game_id"][-1].as_py()
            rows = rows.slice(_leading(rows["game_id"][:2], last))
        if self.after is not None and len(rows):
            with _open(self.after[0], coded) as file:
                batch = next(file.iter_batches(2, row_groups=[self.after[1]], columns=list(columns)))
            rest = pa.Table.from_batches([batch])
            rest = rest.slice(0, _leading(rest["game_id"], rows["game_id"][-1].as_py()))
            if len(rest):
                rows = pa.concat_tables([rows, rest], promote_options="permissive")
        return rows.unify_dictionaries().combine_chunks()


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
    return pq.ParquetFile(part, read_dictionary=list(coded), metadata=footer)


@lru_cache(maxsize=4)
def _footer(part: Path, changed: int, size: int) -> pq.FileMetaData:
    """The footer of a part as it was then: it names every row group, and is read once for all of them."""
    return pq.read_metadata(part)
