"""Files of written strategies -> entrants. The text is read with Python's parser and never run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from intent.arena.entrant import Entrant
from intent.arena.sources.found import MAX_STRATEGIES, Found, found_in
from intent.arena.sources.words import printable
from intent.errors import DataError, LimitError, StrategyError, one_line, shorten
from intent.files.text import file_bytes

__all__ = [
    "MAX_FILE",
    "MAX_FILES",
    "MAX_STRATEGIES",
    "FileFacts",
    "Refused",
    "StrategySet",
    "read_strategies",
]

MAX_FILE = 4 * 2**20
"""Bytes of one file; the largest published one has a twelfth of it."""

MAX_FILES = 500


@dataclass(frozen=True)
class Refused:
    """A strategy that cannot be played.

    Parameters
    ----------
    name : str
    reason : str, one line
    origin : str, as ``file.py line 12``
    group : str, optional
    path : str, of the file, as it can be printed
    """

    name: str
    reason: str
    origin: str = ""
    group: str | None = None
    path: str = ""


@dataclass(frozen=True)
class FileFacts:
    """What one file holds.

    Parameters
    ----------
    path : str, as it can be printed
    n : int, strategies
    ok : int, those that the gate lets in
    ranks : mapping of attitude -> names, best first, as the file lists them
    names : tuple of str, of the entrants that come from it
    """

    path: str
    n: int
    ok: int
    ranks: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class StrategySet:
    """What `read_strategies` found: entrants in the order of the files, and what is left out.

    `mended` are the names of entrants whose code the gate refused as it stood, and let in without its slips.
    """

    entrants: tuple[Entrant, ...]
    failed: tuple[Refused, ...] = ()
    files: tuple[FileFacts, ...] = ()
    mended: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of results made with them should know, one line each."""
        if not self.mended:
            return ()
        some = shorten(", ".join(self.mended))
        return (
            f"the gate let in {len(self.mended)} only after slips were mended (imports dropped, …): {some}",
        )


def read_strategies(paths: str | Path | Sequence[str | Path]) -> StrategySet:
    """Written strategies of files and folders.

    Parameters
    ----------
    paths : path, or sequence of path
        Files, or folders with ``*.py`` files, taken by name. A file holds classes with one method
        ``strategy``, as the Axelrod library and the published sets have them, or functions
        ``def NAME(self, opponent)``; see ``docs/strategy_files.md``.

    Returns
    -------
    StrategySet
        Names are those of the classes or functions; where two files share one, ``stem/name``.

    Raises
    ------
    DataError
        A path that is not there, or no strategy in all of them.
    LimitError
        More than 500 files or 2,000 strategies.

    References
    ----------
    Willis, Du, Leibo & Luck (2025), arXiv:2501.16173: the format of the published sets.
    """
    files = _files([paths] if isinstance(paths, str | Path) else paths)
    contents: list[tuple[Path, list[Found], dict[str, tuple[str, ...]]]] = []
    for path in files:
        found, ranks = _content(path)
        contents.append((path, found, ranks))
        if sum(len(f) for _, f, _ in contents) > MAX_STRATEGIES:
            raise LimitError(f"more than {MAX_STRATEGIES:,} strategies, up to {path.name}; read fewer files")
    if not any(found for _, found, _ in contents):
        where = ", ".join(p.name for p in files[:3]) + (", …" if len(files) > 3 else "")
        raise DataError(
            f"no strategy in {where}; expected classes with a method strategy(self, opponent), or functions "
            "def NAME(self, opponent)"
        )
    names = _unique(contents)
    entrants: list[Entrant] = []
    failed: list[Refused] = []
    facts: list[FileFacts] = []
    mended: list[str] = []
    for (path, found, ranks), own in zip(contents, names, strict=True):
        told = printable(str(path))
        ok = []
        for item, name in zip(found, own, strict=True):
            if item.entrant is None:
                failed.append(Refused(name, item.reason, item.origin, item.group, told))
            else:
                ok.append(name)
                entrants.append(replace(item.entrant, name=name))
                mended += [name] * item.mended
        new = {item.name: name for item, name in zip(found, own, strict=True)}
        listed = {who: tuple(new.get(n, n) for n in order) for who, order in ranks.items()}
        facts.append(FileFacts(told, len(found), len(ok), listed, tuple(ok)))
    return StrategySet(tuple(entrants), tuple(failed), tuple(facts), tuple(mended))


def _files(paths: Sequence[str | Path]) -> list[Path]:
    files: dict[Path, Path] = {}
    for given in map(Path, paths):
        try:
            given.stat()
        except (OSError, ValueError) as error:
            absent = isinstance(error, FileNotFoundError)
            what = "does not exist" if absent else f"cannot be read ({getattr(error, 'strerror', error)})"
            raise DataError(
                f"{shorten(given, 200)} {what}, expected a .py file of strategies or a folder of them"
            ) from None
        if given.is_dir():
            inside = sorted(
                p for p in given.glob("*.py") if p.is_file() and not p.name.startswith((".", "_"))
            )
            if not inside:
                raise DataError(f"{given}: no .py file in this folder, expected files of strategies")
        elif given.is_file():
            inside = [given]
        else:
            raise DataError(
                f"{given} is no file or folder, expected a .py file of strategies or a folder of them"
            )
        for path in inside:
            files.setdefault(path.resolve(), path)
        if len(files) > MAX_FILES:
            raise LimitError(f"more than {MAX_FILES} files, up to {given}; read fewer")
    if not files:
        raise DataError("no path, expected a .py file of strategies or a folder of them")
    return list(files.values())


def _content(path: Path) -> tuple[list[Found], dict[str, tuple[str, ...]]]:
    """What one file holds; a file that cannot be read stands as one strategy that fails."""
    try:
        raw = _bytes(path)
        return found_in(raw.decode("utf-8-sig"), Path(printable(path.name)))
    except UnicodeDecodeError as error:
        reason = f"no UTF-8 at byte {error.start}, expected a text file of Python"
    except StrategyError as error:
        reason = str(error)
    name = printable(path.name)
    return [Found(Path(name).stem, reason, name)], {}


def _bytes(path: Path) -> bytes:
    try:
        return file_bytes(path, MAX_FILE, "a file of strategies")
    except LimitError:
        raise StrategyError(f"more than {MAX_FILE // 2**20} MB, expected a file of strategies") from None
    except DataError as error:
        raise StrategyError(one_line(error)) from None


def _unique(
    contents: Sequence[tuple[Path, list[Found], dict[str, tuple[str, ...]]]],
) -> list[list[str]]:
    """Names of each file's strategies, with the stem in front where two files share one."""
    count = Counter(name for _, found, _ in contents for name in {item.name for item in found})
    stems = Counter(printable(path.stem) for path, _, _ in contents)
    taken: set[str] = set()
    names: list[list[str]] = []
    for path, found, _ in contents:
        stem = printable(path.stem)
        if stems[stem] > 1:
            stem = printable(f"{path.absolute().parent.name}/{path.stem}")
        own = []
        for item in found:
            name = item.name if count[item.name] == 1 else f"{stem}/{item.name}"
            free, k = name, 2
            while free in taken:
                free, k = f"{name} ({k})", k + 1
            taken.add(free)
            own.append(shorten(free, 200))
        names.append(own)
    return names
