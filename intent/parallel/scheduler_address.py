"""The address of a Dask scheduler: as it was typed, or from the file that the scheduler wrote."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

from intent.errors import UsageError, shorten
from intent.offline import Contact, announce

__all__ = ["PATIENCE", "reachable"]

PATIENCE = 5.0
"""Seconds to wait for somebody to answer."""

_SCHEMES = ("tcp", "tls", "inproc")
_LONGEST_FILE = 1 << 20
_EXPECTED = "expected the address that `dask scheduler` prints, as tcp://node:8786"


def reachable(address: str) -> str:
    """The address in full, once somebody listens there.

    Parameters
    ----------
    address : str
        ``tcp://node:8786``, ``node:8786``, ``tls://…``, or the path of a scheduler's JSON file.

    Raises
    ------
    UsageError
        No address, a file that has none, or nobody listens.
    """
    place = _from_file(Path(address)) if address.endswith(".json") and "://" not in address else address
    place = place if "://" in place else f"tcp://{place}"
    scheme = place.partition("://")[0]
    if scheme not in _SCHEMES:
        raise UsageError(f"--dask {shorten(address)}, {_EXPECTED}")
    if scheme == "inproc":
        return place
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise UsageError(f"--dask {shorten(address)}: host and port are missing, {_EXPECTED}")
    announce([Contact(host, port, "Dask scheduler, and the workers that it names")])
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"--dask {shorten(address)}: no scheduler answers ({shorten(error)}), {_EXPECTED}"
        ) from None
    return place


def _from_file(path: Path) -> str:
    try:
        with path.open(encoding="utf8") as stream:
            told = json.loads(stream.read(_LONGEST_FILE))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--dask {path}: not the file of a scheduler ({shorten(error)})") from None
    found = told.get("address") if isinstance(told, dict) else None
    if not isinstance(found, str):
        raise UsageError(f"--dask {path}: the file names no address, expected that of a scheduler")
    return found
