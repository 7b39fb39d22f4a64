"""``intent models``: the recognisers that come with the package."""

from __future__ import annotations

from typing import Annotated

import typer

from intent.cli.options import JsonFlag

__all__ = ["models"]

models = typer.Typer(help="Shipped recognisers: list, show.", no_args_is_help=True)


@models.command("list")
def list_(json: JsonFlag = False) -> None:
    """List the recognisers that `intent label --recogniser` finds by name."""
    from intent.cli.console import print_json, print_table
    from intent.workflows.models import list_models

    rows = list_models()
    if json:
        print_json({"models": rows})
        return
    table = [
        (r["name"], r["kind"], f"{r['bytes'] / 1000:,.0f}", str(r["about"].get("summary", ""))) for r in rows
    ]
    print_table(("name", "kind", "kB", "what it is"), table)


@models.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Shipped name or saved folder.")],
    json: JsonFlag = False,
) -> None:
    """Show the model card of a recogniser."""
    import json as json_module

    from intent.cli.console import print_json, show_text
    from intent.workflows.models import show_model

    facts = show_model(name)
    if json:
        print_json(facts)
        return
    if facts["card"]:
        show_text(facts["card"])
        return
    show_text(json_module.dumps({k: v for k, v in facts.items() if k != "card"}, indent=2))
