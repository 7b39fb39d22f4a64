"""The recognisers that come with the package: which there are, what each is, and which ones names mean."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intent.base.errors import UnknownNameError, UsageError
from intent.base.job import JSON, Request, Result, Table, argument, job

__all__ = ["Model", "ModelRequest", "Models", "ModelsRequest", "list_models", "resolve_names", "show_model"]


class ModelsRequest(Request, job="models list", function="intent.recognise.models.list_models"):
    """List the recognisers that `intent label --recogniser` finds by name."""

    json: bool = JSON


class ModelRequest(Request, job="models show", function="intent.recognise.models.show_model"):
    """Show the model card of a recogniser."""

    name: "str | Path" = argument("Shipped name or saved folder.", words=str)
    json: bool = JSON


@dataclass(frozen=True)
class Models(Result):
    """Shipped recognisers, each with the facts of its manifest."""

    rows: tuple[dict[str, Any], ...]

    kind = "models"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent models list --json``."""
        return {"models": list(self.rows)}

    def parts(self) -> Iterator[Table | str]:
        """A line each."""
        yield Table(
            ("name", "kind", "kB", "what it is"),
            [
                (r["name"], r["kind"], f"{r['bytes'] / 1000:,.0f}", str(r["about"].get("summary", "")))
                for r in self.rows
            ],
        )


@dataclass(frozen=True)
class Model(Result):
    """One recogniser: the facts of its manifest, and its model card."""

    manifest: Mapping[str, Any]

    kind = "model"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent models show --json``."""
        return self.manifest

    def parts(self) -> Iterator[Table | str]:
        """The card; without one, the facts."""
        import json

        facts = {key: value for key, value in self.manifest.items() if key != "card"}
        yield from (self.manifest["card"] or json.dumps(facts, indent=2)).split("\n")


@job(ModelsRequest)
def list_models(request: ModelsRequest) -> Models:
    """Every shipped recogniser, without its card."""
    from intent.recognise.recogniser import describe_recogniser, shipped_recognisers

    described = map(describe_recogniser, shipped_recognisers())
    return Models(tuple({k: v for k, v in facts.items() if k != "card"} for facts in described))


@job(ModelRequest)
def show_model(request: ModelRequest) -> Model:
    """One recogniser, shipped or saved.

    Raises
    ------
    UnknownNameError
        Neither a shipped name nor a saved folder.
    """
    from intent.recognise.recogniser import describe_recogniser

    return Model(describe_recogniser(request.name))


_USUAL_SET = "canonical4"


def resolve_names(recognisers: str | Sequence[str]) -> list[str]:
    """The shipped names and folders that names mean, in order.

    A shipped name and the folder of a saved recogniser stand for themselves. A kind, such as ``forest``,
    means the shipped one for the strategy set of the shipped names in the list (canonical4 where it names
    none).

    Parameters
    ----------
    recognisers : names, or one text that separates them by commas

    Raises
    ------
    UsageError
        Fewer than two, one named twice, a kind that no shipped recogniser has for the set, or a kind beside
        shipped names of several sets.
    UnknownNameError
        Neither a shipped name nor a kind nor a folder.
    """
    from intent.recognise.recogniser import KINDS, recogniser_class, shipped_recognisers

    items = recognisers.split(",") if isinstance(recognisers, str) else list(recognisers)
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
        shipped_name = f"{word}-{sets[0] if sets else _USUAL_SET}"
        if shipped_name not in shipped:
            data = f"{sets[0] if sets else _USUAL_SET}-general"
            how = f"`intent train {data} -m {word} -o FOLDER` and name FOLDER/{word}-{data}"
            raise UsageError(f"no recogniser {shipped_name} is shipped; train one with {how}")
        names.append(shipped_name)
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise UsageError(f"recogniser {twice[0]} is named twice, expected different ones to compare")
    if len(names) < 2:
        raise UsageError(f"got {len(names)} recogniser to compare, expected at least two: {','.join(words)}")
    return names
