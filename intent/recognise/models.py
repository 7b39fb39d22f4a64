"""The recognisers that come with the package: which there are, and what each is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intent.base.request import JSON, Request, argument, job
from intent.base.result import Result, Table

__all__ = ["Model", "ModelRequest", "Models", "ModelsRequest", "list_models", "show_model"]


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
    from intent.recognise.storage import describe_recogniser, shipped_recognisers

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
    from intent.recognise.storage import describe_recogniser

    return Model(describe_recogniser(request.name))
