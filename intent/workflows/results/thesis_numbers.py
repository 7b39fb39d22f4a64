"""What the thesis printed: means over its 252 games, to set beside ours.

References
----------
Cremonini 2025, The Agent's Dilemma, tables 3.1 to 3.8.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BEHAVIOUR", "COMPREHENSION", "SFEM", "TABLES", "sfem_of"]

COMPREHENSION: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "plain": {"correct": (0.79, 0.99, 0.92, 0.64, 0.46), "misunderstood": (0.01, 0.0, 0.06, 0.06, 0.01)},
    "tool": {"correct": (0.64, 0.77, 0.88, 0.76, 0.63), "misunderstood": (0.0, 0.0, 0.03, 0.05, 0.01)},
    "debate": {"correct": (0.49, 0.71, 0.67, 0.48, 0.35), "misunderstood": (0.06, 0.09, 0.14, 0.14, 0.24)},
}
"""Architecture -> ratio -> Q1, Q2, Q3-max, Q3-min, Q4."""

BEHAVIOUR: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "plain": {
        "all": (0.52, 0.64, 0.23, 0.29, 0.28, 0.78),
        "gpt-4o-mini": (0.73, 1.0, 0.0, 0.30, 0.20, 0.95),
        "ministral-8b": (0.31, 0.27, 0.45, 0.26, 0.36, 0.61),
    },
    "tool": {
        "all": (0.47, 0.35, 0.51, 0.18, 0.24, 0.63),
        "gpt-4o-mini": (0.49, 0.44, 0.51, 0.17, 0.22, 0.65),
        "ministral-8b": (0.46, 0.26, 0.51, 0.18, 0.25, 0.62),
    },
    "debate": {
        "all": (0.42, 0.23, 0.53, 0.21, 0.34, 0.64),
        "gpt-4o-mini": (0.30, 0.20, 0.61, 0.25, 0.22, 0.69),
        "ministral-8b": (0.54, 0.26, 0.45, 0.16, 0.45, 0.58),
    },
}
"""Architecture -> models -> CR, N, TM, Ret, For, Em."""

SFEM: Mapping[tuple[str, str], tuple[str, float]] = {
    ("tool", "gpt-4o-mini"): ("ALLD", 0.66),
    ("tool", "ministral-8b"): ("ALLD", 0.71),
    ("debate", "gpt-4o-mini"): ("ALLD", 0.71),
    ("debate", "ministral-8b"): ("GRIM2", 0.63),
}
"""Architecture and model -> best strategy, share of choices that agree."""

TABLES: Mapping[str, tuple[str, str]] = {
    "plain": ("Table 3.1", "Table 3.2"),
    "tool": ("Table 3.3", "Table 3.4"),
    "debate": ("Table 3.6", "Table 3.7"),
}
"""Architecture -> its tables of comprehension and of behaviour."""


def sfem_of(architecture: str, model: str) -> tuple[str, float] | None:
    """What the thesis found for a model, by whatever provider, address or version it is named.

    Examples
    --------
    >>> sfem_of("debate", "openai/ministral-8b-latest@https://api.mistral.ai/v1")
    ('GRIM2', 0.63)
    """
    name = model.partition("@")[0].rpartition("/")[2].casefold()
    found = [
        value for (kind, known), value in SFEM.items() if kind == architecture and name.startswith(known)
    ]
    return found[0] if found else None
