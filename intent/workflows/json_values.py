"""Results as plain JSON values."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["json_values"]


def json_values(value: Any) -> Any:
    """A value that JSON can hold: what is no finite number is None, tuples are lists, keys are text.

    Parameters
    ----------
    value : mapping, list, tuple or scalar
        numpy's scalars become Python's; other objects are left as they are.

    Examples
    --------
    >>> json_values({"p": float("nan"), "sizes": (1, 2)})
    {'p': None, 'sizes': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(key): json_values(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
