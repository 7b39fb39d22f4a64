"""Arrays of a saved recogniser, checked one by one: the file may come from anyone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError
from intent.files.arrays import read_arrays

__all__ = ["read_tensors"]


def read_tensors(
    content: bytes, shapes: Mapping[str, tuple[int, ...]], source: str
) -> dict[str, NDArray[np.float64]]:
    """The arrays of a safetensors file, by name.

    Parameters
    ----------
    content : bytes of the file
    shapes : mapping of name -> expected shape
        Other arrays in the file are passed over.
    source : str
        Name of the file, for messages.

    Returns
    -------
    dict of name -> finite float64 of that shape, in the order of `shapes`

    Raises
    ------
    RecogniserError
        An array is missing, has another shape, or holds what is no finite floating-point number.
    """
    tensors = read_arrays(content, source)
    found = {}
    for name, shape in shapes.items():
        values = tensors.get(name)
        fits = values is not None and values.shape == shape and values.dtype.kind == "f"
        if values is None or not fits or not np.isfinite(values).all():
            got = "nothing" if values is None else f"shape {values.shape}"
            raise RecogniserError(f"{source}: {name} is {got}, expected {shape} finite numbers")
        found[name] = np.ascontiguousarray(values, dtype=float)
    return found
