"""Write the bill of materials of a wheel: what is in it, and what it asks for, in CycloneDX 1.6 (ECMA-424).

    python requirements/sbom.py dist/strategy_intent-1.0.0rc1-py3-none-any.whl -o dist/sbom.cdx.json

What is in it are files of others and trained recognisers, each with its hash. What it asks for are its own
dependencies and those of its extras, with all that these ask for, in the versions of constraints.txt;
licences and further dependencies are those that installed packages state. Nothing is looked up on the
network. A package that is not installed here has no licence in the list, and is named at the end.

References: ECMA-424, CycloneDX Bill of Materials Specification, 2nd edition (2025); Package URLs (purl).
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import re
import sys
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email.message import Message
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path
from typing import Any

from audit import licence
from lock import ROOT, normalised, pins
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

_SPDX = frozenset({"Apache-2.0", "ISC", "MIT", "MPL-2.0", "PSF-2.0"})
"""Families of `audit` that are identifiers of the SPDX list; BSD and others are names alone."""

_SHIPPED = re.compile(r"intent/_shipped/models/(?P<model>[\w-]+)/(?P<file>.+)")
_VENDORED = re.compile(r"intent/view/static/(?P<name>[a-z]+)-(?P<version>\d+(?:\.\d+)+)(?:\.min)?\.js")


def bill(wheel: Path) -> dict[str, Any]:
    """The bill of materials of a wheel.

    Parameters
    ----------
    wheel : path

    Returns
    -------
    dict, a CycloneDX document: ``metadata.component`` the wheel, ``components`` what is in it (``scope``
    required, no ``purl`` of an index) and what it asks for (``scope`` required, or optional for extras)
    """
    name, version, *_ = parse_wheel_filename(wheel.name)
    own = f"pkg:pypi/{name}@{version}"
    with zipfile.ZipFile(wheel) as archive:
        (facts,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        headers = HeaderParser().parsestr(archive.read(facts).decode())
        inside = list(_inside(archive, own))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    needs, optional = required(headers)
    refs = {package: _purl(package, at) for package, at in needs.items()}
    packages = [_package(n, v, "optional" if n in optional else "required") for n, v in needs.items()]
    direct = {normalised(r.name) for r in map(Requirement, headers.get_all("Requires-Dist") or ())}
    edges = {own: sorted({*(p["bom-ref"] for p in inside), *(refs[n] for n in direct & needs.keys())})}
    edges |= {refs[n]: sorted(refs[d] for d, _ in asked(n) if d in refs) for n in needs}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": _moment(),
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": str(name),
                "version": str(version),
                "purl": own,
                "description": headers["Summary"],
                "licenses": [{"expression": headers["License-Expression"]}],
                "hashes": [{"alg": "SHA-256", "content": digest}],
            },
        },
        "components": [*inside, *packages],
        "dependencies": [{"ref": ref, "dependsOn": on} for ref, on in edges.items()],
    }


def _moment() -> str:
    """When it was made, or as SOURCE_DATE_EPOCH says, so that it can be made again byte for byte."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    made = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC) if seconds else now
    return made.strftime("%Y-%m-%dT%H:%M:%SZ")


def _inside(archive: zipfile.ZipFile, own: str) -> Iterator[dict[str, Any]]:
    """Trained recognisers, and software of others, in a wheel."""
    models: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(archive.namelist()):
        digest = {"alg": "SHA-256", "content": hashlib.sha256(archive.read(file)).hexdigest()}
        if shipped := _SHIPPED.fullmatch(file):
            part = {"type": "file", "name": shipped["file"], "hashes": [digest]}
            models.setdefault(shipped["model"], []).append(part)
        elif vendored := _VENDORED.fullmatch(file):
            licensed = archive.read(str(Path(file).with_name(f"{vendored['name']}-LICENSE"))).decode()
            yield {
                "type": "library",
                "bom-ref": f"{own}#{file}",
                "name": vendored["name"],
                "version": vendored["version"],
                "licenses": [{"license": {"name": licensed.strip().splitlines()[0]}}],
                "hashes": [digest],
            }
    for model, files in models.items():
        yield {
            "type": "machine-learning-model",
            "bom-ref": f"{own}#models/{model}",
            "name": model,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "components": files,
        }


def required(headers: Message) -> tuple[dict[str, str], frozenset[str]]:
    """What a distribution asks for on this platform and Python, extras included, and what only extras need.

    Parameters
    ----------
    headers : of METADATA

    Returns
    -------
    needs : dict, normalised name -> version of constraints.txt, or the one that is installed, or nothing;
        without what only tools of development ask for
    optional : names that nothing but an extra asks for
    """
    pinned = pins((ROOT / "constraints.txt").read_text("utf8"))
    lines = headers.get_all("Requires-Dist") or ()
    extras = frozenset(headers.get_all("Provides-Extra") or ()) - DEVELOPMENT
    always, every = _closure(_active(lines, frozenset())), _closure(_active(lines, extras))
    every.discard(normalised(headers["Name"]))  # an extra that is made of others
    needs = {name: pinned.get(name) or installed(name) for name in sorted(every)}
    return needs, frozenset(every - always)


DEVELOPMENT = frozenset({"dev", "docs", "release"})
"""Extras that are tools of development: nobody needs them to use the package."""

Wanted = tuple[str, frozenset[str]]
"""A package's normalised name, and the extras that are wanted of it."""


def _active(lines: Iterable[str], extras: frozenset[str]) -> set[Wanted]:
    """What requirements come to with some extras, on this platform and Python."""
    return {
        (normalised(r.name), frozenset(r.extras))
        for r in map(Requirement, lines)
        if not r.marker or any(r.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    }


def _closure(wanted: Iterable[Wanted]) -> set[str]:
    """Names with all that they ask for."""
    known: set[Wanted] = set()
    waiting = list(wanted)
    while waiting:
        one = waiting.pop()
        if one not in known:
            known.add(one)
            waiting += asked(*one)
    return {name for name, _ in known}


def asked(name: str, extras: frozenset[str] = frozenset()) -> set[Wanted]:
    """What an installed package asks for with some of its extras."""
    try:
        return _active(metadata.requires(name) or (), extras)
    except metadata.PackageNotFoundError:
        return set()


def installed(name: str) -> str:
    """The version of a package here; empty where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}" if version else f"pkg:pypi/{name}"


def _package(name: str, version: str, scope: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": _purl(name, version),
        "name": name,
        **({"version": version} if version else {}),
        "scope": scope,
        "purl": _purl(name, version),
    }
    try:
        terms = licence(metadata.distribution(name))
    except metadata.PackageNotFoundError:
        return made
    if metadata.metadata(name).get("License-Expression"):
        made["licenses"] = [{"expression": terms}]
    elif terms != "unknown":
        made["licenses"] = [{"license": {"id" if terms in _SPDX else "name": terms}}]
    return made


def without_licence(document: Mapping[str, Any]) -> list[str]:
    """Names of components that state none."""
    return [c["name"] for c in document["components"] if not c.get("licenses")]


def faults(text: str) -> str:
    """What keeps a text from being CycloneDX 1.6, by the standard's own schema; empty if nothing does."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return "" if error is None else str(error)[:500]


def main(words: list[str] | None = None) -> int:
    """Write it; returns the exit code."""
    parser = argparse.ArgumentParser(description="Bill of materials of a wheel, in CycloneDX 1.6.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args(words)
    document = bill(options.wheel)
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if fault := faults(text):
        print(f"no bill of materials: {fault}")
        return 1
    options.output.write_text(text, encoding="utf8")
    bare = without_licence(document)
    print(f"{options.output}: {len(document['components'])} components, {len(bare)} without a licence")
    for name in bare:
        print(f"! {name}: no licence is stated by what is installed here")
    return 0


if __name__ == "__main__":
    sys.exit(main())
