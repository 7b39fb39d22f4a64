"""List the licences of what is installed, and the known advisories that concern it, from data on disk.

    make audit                              licences of the locked packages
    make audit ADVISORIES=osv-pypi.zip      and the advisories of a database that was downloaded before

Nothing is looked up on the network. A database of advisories is a folder, a zip archive or a file of records
in the OSV format (https://ossf.github.io/osv-schema/), as https://osv.dev publishes them for PyPI: one JSON
object per record, or a list of them. The exit code is 1 where an advisory concerns an installed version, or
where a package that users get has a licence that is unknown or binds what is built on it (GPL, AGPL).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from lock import FILES, normalised, pins
from packaging.version import InvalidVersion, Version

HERE = Path(__file__).resolve().parent

FOR_USERS = ("core", "user", "local", "torch")
"""Levels that users get with ``pip install``; the others are tools of development."""

_LARGEST = 8 * 2**20
"""Bytes of one record that are read."""

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("AGPL", r"\bAGPL|affero"),
    ("LGPL", r"\bLGPL|lesser general public"),
    ("MPL-2.0", r"\bMPL|mozilla public"),
    ("Apache-2.0", r"\bapache"),
    ("MIT", r"\bMIT\b|permission is hereby granted, free of charge"),
    ("BSD", r"\b(0|2-clause |3-clause )?BSD|redistribution and use in source and binary forms"),
    ("ISC", r"\bISC\b|permission to use, copy, modify, and/or distribute"),
    ("PSF-2.0", r"\bPSF|python software foundation"),
    ("Public domain", r"public domain|\bunlicense\b|\bCC0"),
    ("GPL", r"\bGPL|general public license"),
)
"""Family -> what names it, in the order in which they are tried."""

_BINDING = frozenset({"AGPL", "GPL"})


@dataclass(frozen=True)
class Package:
    """An installed package.

    Parameters
    ----------
    name, version : str
    level : str
        Of the lock file that has it, else ``other``.
    licence : str
        SPDX expression where the package states one, else its family, else ``unknown``.
    """

    name: str
    version: str
    level: str
    licence: str
    advisories: tuple[str, ...] = field(default=())

    @property
    def objection(self) -> str | None:
        """Why users may not get it without a decision."""
        if self.level not in FOR_USERS:
            return None
        if self.licence == "unknown":
            return "its licence is unknown"
        return None if _is_free(self.licence) else "its licence binds what is built on it"


def _is_free(expression: str) -> bool:
    """Whether one of the alternatives of an SPDX expression binds nobody."""
    alternatives = re.split(r"\s+OR\s+", expression.replace("(", " ").replace(")", " "))
    parts = (re.split(r"\s+AND\s+", alternative) for alternative in alternatives)
    return any(all(_family(part) not in _BINDING for part in all_of) for all_of in parts)


def licence(package: metadata.Distribution) -> str:
    """What a package's metadata state: expression, classifiers, licence field, text of the licence file."""
    facts = package.metadata
    expression = facts.get("License-Expression")
    if expression:
        return str(expression)
    classifiers = [
        c.rsplit(" :: ", 1)[-1] for c in facts.get_all("Classifier") or [] if c.startswith("License ::")
    ]
    families = [family for c in classifiers if (family := _family(c))]
    if families:
        return " OR ".join(dict.fromkeys(families))
    stated = _family((facts.get("License") or "")[:2000])
    return stated or _family(_licence_text(package)) or "unknown"


def _licence_text(package: metadata.Distribution) -> str:
    for file in package.files or ():
        if re.match(r"(licen[cs]e|copying)", file.name, flags=re.I) and ".dist-info" in str(file):
            return (package.read_text(str(Path(*file.parts[1:]))) or "")[:4000]
    return ""


def _family(text: str) -> str | None:
    return next((name for name, pattern in _FAMILIES if re.search(pattern, text, flags=re.I)), None)


def records(source: Path) -> Iterator[Mapping[str, Any]]:
    """The records of a database of advisories.

    Raises
    ------
    SystemExit
        It is not there, or holds no records.
    """
    if source.is_dir():
        texts: Iterable[tuple[str, bytes]] = (
            (str(path), path.read_bytes()[: _LARGEST + 1]) for path in sorted(source.rglob("*.json"))
        )
    elif zipfile.is_zipfile(source):
        texts = _members(source)
    elif source.is_file():
        texts = [(str(source), source.read_bytes())]
    else:
        raise SystemExit(f"no database of advisories at {source}, expected a folder, a zip or a JSON file")
    for name, text in texts:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SystemExit(f"{name}: no JSON ({error}), expected advisories in the OSV format") from None
        for record in read if isinstance(read, list) else [read]:
            if not (isinstance(record, dict) and isinstance(record.get("affected", []), list)):
                raise SystemExit(f"{name}: no advisory in the OSV format")
            yield record


def _members(source: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if name.endswith(".json"):
                with archive.open(name) as stream:
                    yield f"{source}: {name}", stream.read(_LARGEST + 1)


def concerns(record: Mapping[str, Any], name: str, version: str) -> bool:
    """Whether an advisory, unless withdrawn, concerns a version: listed, or within one of its ranges."""
    if record.get("withdrawn"):
        return False
    for affected in record.get("affected", []):
        package = affected.get("package", {})
        if package.get("ecosystem") != "PyPI" or normalised(package.get("name", "")) != name:
            continue
        if version in affected.get("versions", []):
            return True
        if any(
            _within(r.get("events", []), version)
            for r in affected.get("ranges", [])
            if r.get("type") != "GIT"
        ):
            return True
    return False


def _within(events: list[Mapping[str, str]], version: str) -> bool:
    """Whether the last event at or before a version leaves it affected (OSV schema, evaluation of ranges)."""
    here = Version(version)
    inside = False
    ordered = sorted(
        ((_version(v), kind) for event in events for kind, v in event.items()), key=lambda e: e[0]
    )
    for at, kind in ordered:
        if kind == "introduced" and here >= at:
            inside = True
        elif (kind == "fixed" and here >= at) or (kind == "last_affected" and here > at):
            inside = False
    return inside


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def packages(advisories: Path | None = None) -> list[Package]:
    """The installed packages, by name."""
    levels = {
        name: level for level in FILES for name in pins((HERE / f"{level}.txt").read_text(encoding="utf8"))
    }
    installed = {
        normalised(p.metadata["Name"]): p
        for p in metadata.distributions()
        if p.metadata["Name"] and p.metadata["Name"] != "strategy-intent"
    }
    known: dict[str, list[str]] = {}
    for record in records(advisories) if advisories is not None else ():
        for affected in record.get("affected", []):
            name = normalised(affected.get("package", {}).get("name", ""))
            if name in installed and concerns(record, name, installed[name].version):
                known.setdefault(name, []).append(str(record.get("id")))
    return [
        Package(
            name, p.version, levels.get(name, "other"), licence(p), tuple(dict.fromkeys(known.get(name, ())))
        )
        for name, p in sorted(installed.items())
    ]


def main(words: list[str] | None = None) -> int:
    """Print the list; returns the exit code."""
    parser = argparse.ArgumentParser(description="Licences and known advisories of what is installed.")
    parser.add_argument("--advisories", type=Path, help="OSV records on disk: a folder, a zip or a JSON file")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(words)
    listed = packages(options.advisories)
    bad = [p for p in listed if p.advisories or p.objection]
    if options.json:
        rows = [{**asdict(p), "objection": p.objection} for p in listed]
        print(json.dumps({"advisories": str(options.advisories or ""), "packages": rows}, indent=2))
        return int(bool(bad))
    for p in listed:
        print(f"{p.name:32.32} {p.version:14.14} {p.level:6} {p.licence:.60}")
    for p in bad:
        why = [*([p.objection] if p.objection else []), *p.advisories]
        print(f"! {p.name} {p.version}: {', '.join(why)}")
    count = f"{len(listed)} packages, {sum(bool(p.objection) for p in listed)} with a licence to decide on"
    if options.advisories is None:
        print(f"{count}; advisories were not looked at: name a database with --advisories (see --help)")
    else:
        print(f"{count}, {sum(bool(p.advisories) for p in listed)} with known advisories")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
