"""Arrays of numbers in safetensors, from untrusted hands."""

from __future__ import annotations

import struct
from typing import Any

from numpy.typing import NDArray

from intent.errors import DataError, one_line
from intent.files.bounds import beyond, bounds
from intent.files.json_text import check_json

__all__ = ["read_arrays"]


def read_arrays(content: bytes, source: str) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file, by name.

    Parameters
    ----------
    content : bytes of the file
    source : str
        Name of the file, for messages.

    Raises
    ------
    DataError
        It is none.
    LimitError
        It goes beyond ``numbers_bytes`` of `Bounds`.
    """
    from safetensors.numpy import load

    if len(content) > bounds().numbers_bytes:
        raise beyond(source, f"{len(content):,} bytes", "numbers_bytes")
    try:
        (length,) = struct.unpack("<Q", content[:8])
        if length > len(content):
            raise ValueError("its header reaches beyond its end")
        check_json(content[8 : 8 + length])
        found: dict[str, NDArray[Any]] = load(content)
    except Exception as error:  # noqa: BLE001 - the library raises types of its own, and those of NumPy
        raise DataError(f"{source}: no readable arrays ({one_line(error, 160)})") from None
    return found
