"""Names of `intent.recognise.verdict`."""

from intent.recognise.verdict import (
    LIMIT_PLAYS,
    PER_KEY,
    CodedTable,
    KnownPlays,
    distinct,
    play_keys,
    with_gap,
)

__all__ = ["LIMIT_PLAYS", "PER_KEY", "CodedTable", "KnownPlays", "distinct", "play_keys", "with_gap"]
