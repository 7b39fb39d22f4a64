"""A Parquet file of metrics, written piece by piece."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from intent.errors import DataError, shorten
from intent.files.parquet import open_parquet
from intent.logs.output import writing
from intent.logs.tablefile import METADATA_KEY

__all__ = ["NothingWrittenError", "TableFile", "table_file"]


class NothingWrittenError(Exception):
    """A file that has no row, and is not made."""


class TableFile:
    """A Parquet file that is being written; the first piece decides on its columns.

    Parameters
    ----------
    draft : Path, or None to write nothing
    """

    def __init__(self, draft: Path | None) -> None:
        self._draft = draft
        self._writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Add rows.

        Raises
        ------
        DataError
            A column with values that do not fit those of the pieces before.
        """
        if self._draft is None or not len(table):
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._draft, table.schema)
        try:
            fitting = table.select(self._writer.schema.names).cast(self._writer.schema)
        except (pa.ArrowException, ValueError) as error:
            raise DataError(f"pieces of the log differ in their columns: {shorten(error)}") from None
        self._writer.write_table(fitting, row_group_size=max(1, len(table)))

    def finish(self, facts: Mapping[str, Any], *, without: Collection[str] = ()) -> None:
        """Add the facts and end the file; columns `without` a single value are taken out again.

        Raises
        ------
        NothingWrittenError
            No row came.
        """
        if self._draft is None:
            return
        if self._writer is None:
            raise NothingWrittenError
        metadata = {METADATA_KEY: json.dumps(dict(facts)).encode()}
        kept = [name for name in self._writer.schema.names if name not in without]
        if len(kept) == len(self._writer.schema.names):
            self._writer.add_key_value_metadata(metadata)
            self.close()
            return
        self.close()
        fewer = self._draft.with_name(f"{self._draft.name}.fewer")
        with open_parquet(self._draft) as file:
            schema = _fewer(file.schema_arrow, kept)
            with pq.ParquetWriter(fewer, schema) as writer:
                for i in range(file.num_row_groups):
                    rows = file.read_row_group(i, columns=kept).select(kept)
                    writer.write_table(rows.cast(schema), row_group_size=max(1, len(rows)))
                writer.add_key_value_metadata(metadata)
        os.replace(fewer, self._draft)

    def close(self) -> None:
        """End the file."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def table_file(target: Path | None, *, overwrite: bool) -> Iterator[TableFile]:
    """A file that appears when the block ends without an error."""
    if target is None:
        yield TableFile(None)
        return
    with writing(target, overwrite=overwrite) as draft:
        file = TableFile(draft)
        try:
            yield file
        finally:
            file.close()


def _fewer(schema: pa.Schema, kept: Collection[str]) -> pa.Schema:
    """The schema of some of the columns, with what pandas knows of them."""
    metadata = dict(schema.metadata or {})
    told = json.loads(metadata.get(b"pandas", b"{}"))
    if told:
        told["columns"] = [column for column in told["columns"] if column["name"] in kept]
        metadata[b"pandas"] = json.dumps(told).encode()
    return pa.schema([schema.field(name) for name in kept], metadata=metadata)
