"""A saved recogniser as MLflow opens it: a log in, its labels out.

MLflow calls `_load_pyfunc` with the folder that was logged. The folder is what `save_recogniser` writes, of
JSON and arrays, each checked before it is used; no pickle, and nothing of MLflow, is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError
from intent.recognise.labels.label import label
from intent.recognise.labels.request import LabelRequest
from intent.recognise.storage import load_recogniser

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LOADER", "SETTINGS", "ServedRecogniser"]

LOADER = "intent.recognise.served"
"""Name of this module, as a logged model says it."""

SETTINGS: dict[str, str | float] = {
    **{name: LabelRequest.settings[name].default for name in ("threshold", "alpha")},
    **dict.fromkeys(("cooperate", "others", "format"), ""),
}
"""Settings of `intent label` that a call may set, and what they are if it does not; empty: as it is."""


class ServedRecogniser:
    """A recogniser that labels logs.

    Parameters
    ----------
    folder : path of a saved recogniser
    """

    def __init__(self, folder: str | Path) -> None:
        self.recogniser = load_recogniser(folder)

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Strategy labels, one row for each focal trajectory.

        Parameters
        ----------
        model_input : DataFrame, path or GameLog
            Whatever `intent label` reads: rows of moves, a file, a folder.
        params : mapping, optional
            Of `SETTINGS`.

        Raises
        ------
        UsageError
            A setting that there is not.
        DataError
            No log that can be read.
        """
        for name in params or {}:
            if name not in SETTINGS:
                raise UsageError(f"unknown setting {name!r}, expected {', '.join(SETTINGS)}")
        values = {name: value for name, value in (params or {}).items() if value not in ("", None)}
        return label(model_input, self.recogniser, **values)


def _load_pyfunc(data_path: str) -> ServedRecogniser:
    """What MLflow calls to open a logged model."""
    return ServedRecogniser(data_path)
