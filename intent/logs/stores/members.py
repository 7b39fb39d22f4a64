"""Named members in a folder or a zip archive, read with bounds and never unpacked to disk."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from intent.errors import DataError, LimitError, located
from intent.logs.limits import LIMIT_BYTES

__all__ = ["list_members", "read_member", "write_zip"]

_EPOCH = (1980, 1, 1, 0, 0, 0)
_RATIO = 1000
_RATIO_FROM = 64 * 1024**2


def list_members(path: Path) -> set[str]:
    """Names of the files in a folder or archive."""
    if path.is_dir():
        return {p.name for p in path.iterdir() if p.is_file()}
    try:
        with zipfile.ZipFile(path) as archive:
            return set(archive.namelist())
    except (zipfile.BadZipFile, OSError, NotImplementedError, zlib.error) as error:
        raise DataError(located(path, f"no readable zip archive: {error}")) from None


def read_member(path: Path, name: str, *, limit: int = LIMIT_BYTES) -> bytes:
    """The bytes of one member.

    Raises
    ------
    DataError
        There is none, or it is damaged.
    LimitError
        It holds more than `limit` bytes, or more than 1,000 times its compressed size past 64 MiB.
    """
    try:
        if path.is_dir():
            file = path / name
            if file.stat().st_size > limit:
                raise LimitError(
                    located(path, f"{name} holds more than {limit:,} bytes, the most that is read")
                )
            return file.read_bytes()
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
            packed = max(1, archive.getinfo(name).compress_size)
            bound = min(limit, max(_RATIO_FROM, _RATIO * packed))
            data = stream.read(bound + 1)
    except KeyError:
        raise DataError(located(path, f"no member {name}")) from None
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise DataError(located(path, f"cannot read {name}: {error}")) from None
    if len(data) > bound:
        raise LimitError(located(path, f"{name} unpacks to more than {bound:,} bytes, the most that is read"))
    return data


def write_zip(
    path: Path, members: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, packed: bool
) -> None:
    """An archive of the members, byte for byte the same for the same members."""
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items() if isinstance(members, Mapping) else members:
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            info.create_system = 3
            archive.writestr(info, data, compress_type=method)
