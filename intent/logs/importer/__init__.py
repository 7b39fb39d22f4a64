"""What a foreign log is read as, and why: proposals, what each explains, questions, and a mapping to keep."""

from __future__ import annotations

from intent.logs.importer.importing import import_log

__all__ = ["import_log"]
