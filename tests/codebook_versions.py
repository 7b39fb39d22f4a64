"""The names that every version of the codebook promises, frozen in ``codebook_versions.json``.

    python tests/codebook_versions.py

writes the names of today under today's version (`codebook.CODEBOOK_VERSION`). It refuses where a final
release has frozen that version with other names: then the version moves first, as `least_version` says.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.version import Version

from intent.base import codebook
from intent.version import __version__

FILE = Path(__file__).with_suffix(".json")

Names = Mapping[str, list[str]]
"""Table or JSON object -> its columns (``name: type``) or keys, sorted."""


def names_of_today() -> dict[str, list[str]]:
    """Every table and JSON object of the codebook, with what it is made of."""
    tables = codebook.TABLES | codebook.RESULT_TABLES
    names = {f"table {t}": [f"{c.name}: {c.kind}" for c in columns] for t, columns in tables.items()}
    for command, keys in codebook.JSON_OBJECTS.items():
        names[f"json {command}"] = [*keys, *codebook.JSON_EXTRAS.get(command, {})]
    names |= {f"details {architecture}": list(keys) for architecture, keys in codebook.DETAILS.items()}
    return {name: sorted(parts) for name, parts in names.items()}


def frozen() -> dict[str, dict[str, Any]]:
    """Version -> package (the release that froze it) and names, in the order of versions."""
    versions = json.loads(FILE.read_text("utf8")) if FILE.is_file() else {}
    return dict(sorted(versions.items(), key=lambda item: Version(item[0])))


def changes(before: Names, after: Names) -> tuple[list[str], list[str]]:
    """What is gone, and what is new; a column of another type is both."""
    old = {f"{name}.{part}" for name, parts in before.items() for part in ("", *parts)}
    new = {f"{name}.{part}" for name, parts in after.items() for part in ("", *parts)}
    return sorted(old - new), sorted(new - old)


def least_version(version: str, before: Names, after: Names) -> str:
    """The version that names must have at least, where `before` are those of `version`."""
    gone, fresh = changes(before, after)
    major, minor = map(int, version.split("."))
    return f"{major + 1}.0" if gone else f"{major}.{minor + 1}" if fresh else version


def main() -> int:
    """Write the names of today; returns the exit code."""
    versions, today = frozen(), names_of_today()
    entry = versions.get(codebook.CODEBOOK_VERSION)
    if entry and not Version(entry["package"]).is_prerelease:
        least = least_version(codebook.CODEBOOK_VERSION, entry["names"], today)
        if least != codebook.CODEBOOK_VERSION:
            print(f"{entry['package']} froze {codebook.CODEBOOK_VERSION}: set CODEBOOK_VERSION to {least}")
        return int(least != codebook.CODEBOOK_VERSION)
    versions[codebook.CODEBOOK_VERSION] = {"package": __version__, "names": today}
    FILE.write_text(json.dumps(versions, indent=1) + "\n", encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
