"""Where `table_writer` was."""

from intent.base.tables import table_writer as label_writer

__all__ = ["label_writer"]
