"""A Parquet file of labels, written table by table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["label_writer"]


@contextmanager
def label_writer(
    target: Path | None, overwrite: bool
) -> Iterator[tuple[Callable[[pa.Table], None], Callable[[Mapping[str, Any]], None]]]:
    """Two functions: one adds rows to a Parquet file, one ends it with the facts on it.

    The file appears when the block ends without an error. Texts are written by their codes and come back as
    texts: the file keeps no types of Arrow's own.
    """
    import pyarrow.parquet as pq

    from intent.logs.output import writing
    from intent.logs.tablefile import METADATA_KEY

    if target is None:
        yield lambda table: None, lambda facts: None
        return
    with writing(target, overwrite=overwrite) as draft:
        opened: list[pq.ParquetWriter] = []

        def write(table: pa.Table) -> None:
            if not opened:
                plain = {"game_id": "DELTA_BYTE_ARRAY"}
                opened.append(
                    pq.ParquetWriter(
                        draft,
                        table.schema,
                        compression="zstd",
                        store_schema=False,
                        use_dictionary=[c for c in table.column_names if c != "game_id"],
                        column_encoding=plain,
                    )
                )
            opened[0].write_table(table, row_group_size=len(table))

        def close(facts: Mapping[str, Any]) -> None:
            opened[0].add_key_value_metadata({METADATA_KEY: json.dumps(dict(facts)).encode()})

        try:
            yield write, close
        finally:
            for writer in opened:
                writer.close()
