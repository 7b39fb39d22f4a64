"""Which column of a foreign table is which of ours: from a mapping, a text, or a YAML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from intent.errors import DataError, UnknownNameError, UsageError, located, shorten

__all__ = ["KEYS", "parse_mapping", "resolve"]

KEYS: dict[str, tuple[str, ...]] = {
    "game_id": (),
    "game": (),
    "player": ("player_id", "subject"),
    "round": ("period", "turn"),
    "seat": (),
    "action": ("choice", "move", "decision"),
    "decided": (),
    "other": ("other_action", "opponent_action", "other.choice", "opponent_choice"),
    "other_player": ("opponent", "opponent_id", "partner"),
    "payoff": ("score", "points"),
    "other_payoff": ("other_score", "opponent_payoff"),
    "model": (),
    "other_model": ("opponent_model",),
    "persona": (),
    "architecture": (),
    "attitude": (),
    "strategy": (),
    "language": (),
    "message": (),
    "repetition": (),
    "run": (),
    "horizon_known": (),
    "rounds_planned": (),
    "payoff_kind": (),
    "cooperative_action": (),
    "implementation_error": (),
    "step": (),
    "value": (),
    "status": (),
    "private_thought": (),
    "reasoning": (),
    "reply": (),
    "prompt": (),
}
"""Our name -> names by which a column is taken for it where no mapping says otherwise; our own name
always counts. ``game`` is what tells games apart, as is ``game_id``; where a file has both, ``game`` is
the name of the game. ``decided`` is what the player chose, in the words of the action, where the game may
have played something else."""


def parse_mapping(given: Mapping[str, str] | str | None) -> dict[str, str]:
    """The mapping as ours -> theirs.

    Parameters
    ----------
    given : mapping, str or None
        A mapping, ``"ours=theirs,ours=theirs"``, or the path of a YAML file with one.

    Raises
    ------
    UsageError
        A pair without equals sign, or one of our names twice.
    UnknownNameError
        A name that is not ours.
    DataError
        The YAML file cannot be read as a mapping of texts.
    """
    if not given:
        return {}
    if isinstance(given, str):
        pairs = _from_yaml(Path(given)) if given.endswith((".yaml", ".yml")) else _from_text(given)
    else:
        pairs = dict(given)
    for key in pairs:
        if key not in KEYS and key != "by":
            raise UnknownNameError("column in --map", key, [*KEYS, "by"])
    return pairs


def _from_text(text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for item in text.split(","):
        ours, equals, theirs = (part.strip() for part in item.partition("="))
        if not (equals and ours and theirs):
            raise UsageError(f"--map {shorten(item)!r}, expected OURS=THEIRS, pairs cut by commas")
        if ours in pairs:
            raise UsageError(f"--map names {ours!r} twice")
        pairs[ours] = theirs
    return pairs


def _from_yaml(path: Path) -> dict[str, str]:
    from intent.files.settings import read_document

    if not path.is_file():
        raise DataError(f"no such mapping file: {path}")
    document = read_document(path, texts=True)
    pairs = {}
    for key, value in document.values.items():
        if key == "by" and isinstance(value, list) and all(isinstance(name, str) for name in value):
            value = "+".join(value)
        if not isinstance(value, str) or not value:
            where = document.where([key]) or path.name
            raise DataError(f"{where}: {shorten(key)} is {shorten(value)}, expected the name of a column")
        pairs[str(key)] = value
    return pairs


def resolve(mapping: Mapping[str, str], columns: tuple[str, ...], file: Path) -> dict[str, str]:
    """Ours -> theirs for a table: what the mapping says, then columns that bear one of our names.

    Raises
    ------
    DataError
        The mapping names a column that the table does not have, or one column for two of ours.
    """
    found: dict[str, str] = {}
    for ours, theirs in mapping.items():
        for name in theirs.split("+") if ours == "by" else [theirs]:
            if name.strip() not in columns:
                error = UnknownNameError("column", name.strip(), columns)
                raise DataError(located(file, f"--map {ours}={theirs}: {error}"))
        if ours != "by":
            if theirs in found.values():
                raise DataError(located(file, f"--map gives column {theirs!r} two meanings"))
            found[ours] = theirs
    taken = {*found.values(), *(name.strip() for name in mapping.get("by", "").split("+"))}
    folded = {column.casefold(): column for column in reversed(columns)}
    for ours, synonyms in KEYS.items():
        for name in (ours, *synonyms):
            theirs = folded.get(name, "")
            if ours not in found and theirs and theirs not in taken:
                found[ours] = theirs
                taken.add(theirs)
    return found
