"""Entrants -> one readable file, in the style of the Axelrod library, which can import and play it.

What an author said stands there as comments: untrusted text never leaves them, and comes back as it was.
"""

from __future__ import annotations

import hashlib
import json
import keyword
import re
import textwrap
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from intent.arena.entrant import Entrant
from intent.arena.sources.gate import gate
from intent.arena.sources.parser import MARK, clean_words, comment
from intent.base.errors import DataError, OutputError, StrategyError, located, shorten
from intent.base.files import read_object

__all__ = [
    "FORMAT",
    "manifest_path",
    "read_manifest",
    "set_text",
    "write_set",
]


FORMAT = "intent-strategies"
_VERSION = 1
_PER_STRATEGY = "strategies"


def manifest_path(path: str | Path) -> Path:
    """``set.manifest.json`` beside ``set.py``."""
    return Path(path).with_suffix(".manifest.json")


def manifest_text(file: str, text: str, entrants: Sequence[Entrant], facts: Mapping[str, Any]) -> str:
    """The manifest as JSON."""
    known = dict(facts)
    single = dict(known.pop(_PER_STRATEGY, {}))
    rows = [
        {"name": e.name, "attitude": e.group, "digest": e.digest, **dict(single.get(e.name, {}))}
        for e in entrants
    ]
    manifest = {
        "format": FORMAT,
        "version": _VERSION,
        "file": file,
        "sha256": hashlib.sha256(text.encode("utf8")).hexdigest(),
        **known,
        _PER_STRATEGY: rows,
    }
    return json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_manifest(path: str | Path) -> dict[str, Any]:
    """The manifest beside a file of strategies, or a manifest itself.

    Raises
    ------
    DataError
        It is not there, too large, or no manifest.
    """
    place = Path(path)
    target = place if place.suffix == ".json" else manifest_path(place)
    manifest = read_object(target, "a manifest")
    if manifest.get("format") != FORMAT:
        raise DataError(located(target, f"no manifest of strategies: expected format {FORMAT!r}"))
    if manifest.get("version") != _VERSION:
        got = shorten(manifest.get("version"))
        raise DataError(located(target, f"version {got} of a manifest, expected {_VERSION}"))
    return manifest


def set_text(
    entrants: Sequence[Entrant], *, title: str = "", ranks: Mapping[str, Sequence[str]] | None = None
) -> str:
    """The text of a file that holds these strategies.

    Parameters
    ----------
    entrants : sequence of Entrant
        Written ones. The words of each stand above it as comments; `read_strategies` reads them back.
    title : str
        What the set is, for people.
    ranks : mapping of attitude -> names, best first, optional

    Returns
    -------
    str
        Python that imports ``axelrod`` and holds a class per strategy; nothing untrusted but the sources,
        each of them through the gate once more.

    Raises
    ------
    StrategyError
        An automaton, a source that the gate does not let in, or two strategies of one name.
    """
    header = files("intent.arena.sources").joinpath("set_header.txt").read_text("utf8")
    blocks = [MARK, *comment(shorten(clean_words(title), 1_000)), header.rstrip("\n")]
    class_names: set[str] = {"LLM_Strategy", "axl"}
    names: set[str] = set()
    for entrant in entrants:
        if entrant.name in names:
            raise StrategyError(f"two strategies named {entrant.name!r}, expected one of each name")
        names.add(entrant.name)
        blocks.append("\n\n" + "\n".join(_class(entrant, class_names)))
    for who, order in (ranks or {}).items():
        if not re.fullmatch(r"[A-Za-z]\w{0,40}", who, re.ASCII):
            raise StrategyError(f"ranks of {shorten(who)!r}, expected the name of an attitude")
        blocks.append(f"\n\n{who}_ranks = {[str(name) for name in order]!a}")
    return "\n".join(blocks) + "\n"


def write_set(
    path: str | Path,
    entrants: Sequence[Entrant],
    *,
    facts: Mapping[str, Any],
    title: str = "",
    ranks: Mapping[str, Sequence[str]] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the file and, beside it, its manifest.

    Parameters
    ----------
    path : path of the ``.py`` file
    entrants, title, ranks
        As `set_text`.
    facts : mapping
        How the set came about, JSON-able: model, code_model, style, … As `manifest_text`.

    Raises
    ------
    StrategyError
        As `set_text`.
    OutputError
        Another suffix, a path that is taken or cannot be written.
    """
    from intent.base.outputs import claim, writing

    target = Path(path)
    if target.suffix != ".py":
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected .py")
    beside = manifest_path(target)
    claim(target, overwrite=overwrite)
    claim(beside, overwrite=overwrite)
    text = set_text(entrants, title=title, ranks=ranks)
    listed = manifest_text(target.name, text, entrants, facts)
    with writing(target, overwrite=overwrite) as draft:
        draft.write_text(text, "utf8", newline="\n")
    with writing(beside, overwrite=overwrite) as draft:
        draft.write_text(listed, "utf8", newline="\n")
    return target


def _class(entrant: Entrant, names: set[str]) -> list[str]:
    """The lines of one strategy: words, class, facts, method."""
    if entrant.automaton is not None:
        raise StrategyError(f"{entrant.name!r} is an automaton, expected written code")
    try:
        source = gate(entrant.source)
    except StrategyError as error:
        raise StrategyError(f"{shorten(entrant.name)}: {error}") from None
    name = _class_name(entrant.name, names)
    facts: list[tuple[str, object]] = []
    if name != entrant.name:
        facts.append(("name", entrant.name))
    number = re.search(r"_(\d{1,9})$", entrant.name)
    if number:
        facts.append(("n", int(number[1])))
    stated = (
        ("attitude", entrant.group),
        ("game", entrant.game),
        ("rounds", entrant.turns),
        ("noise", entrant.noise),
    )
    facts += [(key, value) for key, value in stated if value is not None]
    settings = [f"    {key} = {value!a}" for key, value in facts]
    if not entrant.scored:
        settings += [
            "    scored = False",
            f"    classifier = LLM_Strategy.classifier | {{'stochastic': {entrant.draws}}}",
        ]
    return [
        *comment(entrant.words),
        f"class {name}(LLM_Strategy):",
        *settings,
        *([""] if settings else []),
        textwrap.indent(source.rstrip("\n"), "    "),
    ]


def _class_name(name: str, names: set[str]) -> str:
    """An identifier as near to the name as can be, new in this file."""
    base = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:80] or "Strategy"
    if base[0].isdigit() or keyword.iskeyword(base):
        base = f"Strategy_{base}"
    free, k = base, 2
    while free in names:
        free, k = f"{base}_{k}", k + 1
    names.add(free)
    return free
