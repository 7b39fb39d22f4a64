"""The catalogue of strategies, for reading: the commands ``intent strategies list`` and ``show``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.job import (
    JSON,
    OUTPUT,
    OVERWRITE,
    Printing,
    Request,
    Result,
    Table,
    argument,
    here,
    job,
    option,
)

if TYPE_CHECKING:
    from intent.strategies.catalogue import Strategy

__all__ = [
    "ListRequest",
    "ShowRequest",
    "ShownStrategy",
    "StrategyList",
    "draw_strategy",
    "list_strategies",
    "show_strategy",
]


class ListRequest(Request, function="intent.strategies.listing.list_strategies"):
    """List strategies with their rule, number of states and memory-one vector."""

    names: str = option(
        "all", "A set (canonical4, df2011, rr20, all), names, or a file (.yaml, .py).", positional=True
    )
    json: bool = JSON


class ShowRequest(Printing, function="intent.strategies.listing.show_strategy"):
    """Draw one automaton, with its memory-one vector, synonyms and citation."""

    name: str = argument("Name or synonym, such as TFT or 'GTFT(0.1)'.", words=str)
    strategies: str | None = option(
        None, "Set, or file, in which the name is looked up first.", words=str | None, metavar="FILE"
    )
    output: Path | None = replace(OUTPUT, help="Draw the automaton into a .svg, .png or .pdf.")
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Nothing: a picture takes no time."""

    def write_outputs(self, result: "ShownStrategy") -> list[Path]:
        """The picture."""
        if self.output is None:
            return []
        own = () if self.strategies is None else _strategies(self.strategies)
        return [draw_strategy(self.name, self.output, overwrite=self.overwrite, own=own)]


@dataclass(frozen=True)
class StrategyList(Result):
    """Facts on the strategies of a set or list."""

    rows: tuple[dict[str, Any], ...]

    kind = "strategies"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent strategies list --json``."""
        return {"strategies": list(self.rows)}

    def parts(self) -> Iterator[Table | str]:
        """A row for each."""
        yield Table(
            ("name", "rule", "states", "memory-one (p0; CC, CD, DC, DD)"),
            [(r["name"], r["rule"], str(r["states"]), _vector(r["memory_one"])) for r in self.rows],
        )


@dataclass(frozen=True)
class ShownStrategy(Result):
    """Facts on one strategy.

    Attributes
    ----------
    properties : mapping
    drawing : str, the automaton in letters
    """

    properties: Mapping[str, Any]
    drawing: str

    kind = "strategy"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent strategies show --json``."""
        return self.properties

    def parts(self) -> Iterator[Table | str]:
        """Names, the automaton, its vector, sets and source."""
        facts = self.properties
        yield f"{facts['name']}: {facts['rule']}" if facts["rule"] else str(facts["name"])
        if facts["synonyms"]:
            yield f"also called {', '.join(facts['synonyms'])}"
        yield ""
        yield from self.drawing.split("\n")
        yield ""
        yield "outcomes: own move first"
        if facts["memory_one"] is None:
            yield "memory-one vector: none (play depends on more than the last outcome)"
        else:
            yield f"memory-one vector (p0; p_CC, p_CD, p_DC, p_DD): {_vector(facts['memory_one'])}"
        if facts["sets"]:
            yield f"in the sets: {', '.join(facts['sets'])}"
        if facts["citation"]:
            yield f"source: {facts['citation']}"


@job(ListRequest)
def list_strategies(request: ListRequest) -> StrategyList:
    """The strategies of a set or list."""
    return StrategyList(tuple(_facts(s) for s in _strategies(request.names)))


@job(ShowRequest)
def show_strategy(request: ShowRequest) -> ShownStrategy:
    """One strategy, with its states and a drawing of the automaton."""
    from intent.strategies.catalogue import SETS, draw_automaton, state_names, strategy

    s = strategy(request.name, () if request.strategies is None else _strategies(request.strategies))
    facts = {
        **_facts(s),
        "first_state": s.start,
        "p_cooperate": dict(zip(state_names(s), s.p_cooperate, strict=True)),
        "next_state": [list(row) for row in s.next_state],
        "sets": [set_name for set_name, (members, _) in SETS.items() if s.name in members],
    }
    return ShownStrategy(facts, draw_automaton(s))


def draw_strategy(
    name: str, path: str | Path, *, overwrite: bool = False, own: "Sequence[Strategy]" = ()
) -> Path:
    """Draw the automaton of a strategy into a .png, .svg or .pdf.

    Parameters
    ----------
    name : str
    path : path
    overwrite : bool
    own : sequence of Strategy
        Strategies of the user's own, whose names come first.

    Raises
    ------
    UnknownNameError
        No such strategy.
    OutputError
        The path cannot be written or has another suffix.
    """
    import json

    from intent.strategies.catalogue import strategy
    from intent.strategies.figures import write_automaton
    from intent.version import __version__

    s = strategy(name, own)
    facts = {"kind": "automaton", "strategy": s.name, "version": __version__}
    return write_automaton(s, path, description=json.dumps(facts), overwrite=overwrite)


def _strategies(names: str) -> "tuple[Strategy, ...]":
    from intent.strategies.sets import strategy_set

    return strategy_set(names)


def _facts(s: "Strategy") -> dict[str, Any]:
    vector = s.memory_one_vector()
    return {
        "name": s.name,
        "synonyms": list(s.synonyms),
        "rule": s.rule,
        "states": s.n_states,
        "memory_one": None if vector is None else list(vector),
        "citation": s.citation,
    }


def _vector(values: list[float] | None) -> str:
    if values is None:
        return "–"
    first, *rest = (f"{v:.4g}" for v in values)
    return f"({first}; {', '.join(rest)})"
