"""The codebook: name, type and meaning of every column and JSON object that leaves this package.

A column is defined here once; stores, readers, results and docs take it from here. Types are
``string``, ``int``, ``float``, ``bool``, ``strings`` and ``bools`` (lists), and ``category`` (few distinct
strings).
"""

from __future__ import annotations

from intent.schema.column import Column, Kind
from intent.schema.json_objects import JSON_EXTRAS, JSON_OBJECTS
from intent.schema.log import DETAILS, GAMES, MOVE_STATUSES, MOVES, QUESTIONS, SCHEMA_VERSION, SEATS, TABLES
from intent.schema.results import (
    BENCH_SCORES,
    CALLS,
    COMPACT,
    CONTRIBUTORS,
    LABELS,
    METRICS,
    PROBABILITY_PREFIX,
    REJECTS,
    RESULT_TABLES,
    STANDINGS,
    STATUSES,
)

__all__ = [
    "BENCH_SCORES",
    "CALLS",
    "COMPACT",
    "CONTRIBUTORS",
    "DETAILS",
    "GAMES",
    "JSON_EXTRAS",
    "JSON_OBJECTS",
    "LABELS",
    "METRICS",
    "MOVES",
    "MOVE_STATUSES",
    "PROBABILITY_PREFIX",
    "QUESTIONS",
    "REJECTS",
    "RESULT_TABLES",
    "SCHEMA_VERSION",
    "SEATS",
    "STANDINGS",
    "STATUSES",
    "TABLES",
    "Column",
    "Kind",
]
