"""Which recognisers a list of names means: shipped ones, folders, or kinds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from intent.errors import UnknownNameError, UsageError

__all__ = ["resolve_names"]

_USUAL_SET = "canonical4"


def resolve_names(given: str | Sequence[str]) -> list[str]:
    """The shipped names and folders that names mean, in order.

    A shipped name and the folder of a saved recogniser stand for themselves. A kind, such as ``forest``,
    means the shipped one for the strategy set of the shipped names in the list (canonical4 where it names
    none).

    Parameters
    ----------
    given : names, or one text that separates them by commas

    Raises
    ------
    UsageError
        Fewer than two, one named twice, a kind that no shipped recogniser has for the set, or a kind beside
        shipped names of several sets.
    UnknownNameError
        Neither a shipped name nor a kind nor a folder.
    """
    from intent.recognise.registry import KINDS, recogniser_class
    from intent.recognise.storage import shipped_recognisers

    items = given.split(",") if isinstance(given, str) else list(given)
    words = [item.strip() for item in items if item.strip()]
    shipped = shipped_recognisers()
    sets = list(dict.fromkeys(word.partition("-")[2] for word in words if word in shipped))
    names = []
    for word in words:
        if word in shipped or Path(word).is_dir():
            names.append(word)
            continue
        try:
            recogniser_class(word)
        except UnknownNameError:
            raise UnknownNameError("recogniser", word, [*shipped, *KINDS]) from None
        if len(sets) > 1:
            raise UsageError(
                f"{word} could mean {' or '.join(f'{word}-{s}' for s in sets)}; name the recogniser in full"
            )
        wanted = f"{word}-{sets[0] if sets else _USUAL_SET}"
        if wanted not in shipped:
            data = f"{sets[0] if sets else _USUAL_SET}-general"
            how = f"`intent train {data} -m {word} -o FOLDER` and name FOLDER/{word}-{data}"
            raise UsageError(f"no recogniser {wanted} is shipped; train one with {how}")
        names.append(wanted)
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise UsageError(f"recogniser {twice[0]} is named twice, expected different ones to compare")
    if len(names) < 2:
        raise UsageError(f"got {len(names)} recogniser to compare, expected at least two: {','.join(words)}")
    return names
