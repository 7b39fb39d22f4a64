"""Chains as runs: strategies written, checked, played and evolved, with the tables of their study.

What a chain is stands beside its experiment (`experiments/llm_strategies`). Here is how `play`, `resume`,
`status` and ``strategies run`` reach it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from intent.arena.requests import ChainRequest
from intent.base.errors import DataError, OutputError, UsageError, located, shorten
from intent.base.experiments import experiment_code
from intent.base.json_text import read_object
from intent.base.request import job
from intent.base.result import Summary, Table
from intent.base.settings import read_document
from intent.logs.run_folder import is_locked, locked, own_folder
from intent.runner.finish import StagedKind

__all__ = ["CHAINS", "MARK", "Chain", "ChainResult", "ChainStatus", "run_chain"]

KEY = "chain"
"""Key of a file that names the experiment with the code."""

MARK = f"{KEY}.json"
LOCK = "chain.lock"

EXPERIMENT = "llm_strategies"
"""The code of a chain whose file names none."""

_LONGEST = 256 * 2**20

_PLACES = {
    "models": "models",
    "seed": "seed",
    "rounds": "turns",
    "repetitions": "tournament.repetitions",
    **{name: f"writing.{name}" for name in ("budget", "prices", "limits", "concurrency", "cache", "prompts")},
}
"""Option of ``intent play`` -> key of a chain."""


@dataclass(frozen=True)
class Chain:
    """A chain that could be run.

    Parameters
    ----------
    spec : ChainSpec of the experiment
    experiment : whose code it is
    beside : folder of the file, where prompts are looked for
    """

    spec: Any
    experiment: str
    beside: Path

    run_key = KEY

    @property
    def name(self) -> str:
        """As the file says, or as it is called."""
        return str(self.spec.name)


@dataclass(frozen=True, eq=False)
class ChainResult(Summary):
    """What a chain has found, as `json_objects.JSON_OBJECTS["chain"]`.

    Parameters
    ----------
    code : the module of the experiment that makes tables for people
    """

    kind = "chain"
    noun = "a chain"

    code: ModuleType = field(kw_only=True)

    def parts(self) -> Iterator[Table | str]:
        """The sets, the tables that stand for one of the paper's, and the verdicts on its claims."""
        yield Table(
            ("set", "model", "style", "noise", "strategies", "run"),
            [
                (s["file"], s["model"], s["style"], f"{s['noise']:g}", s["n"], s["ok"])
                for s in self.values["sets"]
            ],
        )
        for table in self.code.printed_tables(self.values):
            yield ""
            yield Table(table.header, table.rows, table.title)
        if self.values["verdicts"]:
            yield ""
            yield Table(
                ("claim", "here", "paper"),
                [(v["claim"], v["verdict"], v["published"]) for v in self.values["verdicts"]],
            )

    def warnings(self) -> Iterator[str]:
        """Also what the tables do not say."""
        yield from (table.remark for table in self.code.printed_tables(self.values) if table.remark)
        yield from self.notes

    def remarks(self) -> Iterator[str]:
        """How the matches are played again."""
        yield self.values["replay"]


@dataclass(frozen=True, eq=False)
class ChainStatus(Summary):
    """How far a chain has come, as `json_objects.JSON_OBJECTS["chain_status"]`."""

    kind = "chain_status"

    def parts(self) -> Iterator[Table | str]:
        """A line, and a row per set that is there."""
        at = self.values
        done = sum(one["played"] for one in at["sets"])
        yield f"{at['name']}: {at['state']}, {done:,} of {len(at['sets']):,} sets played"
        if at["sets"]:
            yield Table(("set", "played"), [(s["set"], "yes" if s["played"] else "no") for s in at["sets"]])

    def remarks(self) -> Iterator[str]:
        """How it goes on."""
        if self.values["state"] == "stopped":
            yield f"intent resume {self.values['path']} goes on"


@job(ChainRequest)
def run_chain(request: ChainRequest) -> ChainResult:
    """Run a chain, or go on with it.

    Raises
    ------
    DataError, UsageError, OutputError
        As the code of the experiment says.
    """
    options = request.values(("published", "salt", "workers", "engine"))
    return _run(_of_file(request.file, request.keys), Path(request.output), request.update, **options)


def _run(chain: Chain, folder: Path, update: Callable[[int, int], None], **options: Any) -> ChainResult:
    summary = experiment_code(chain.experiment, "chain").run_chain(
        chain.spec,
        folder,
        beside=chain.beside,
        update=lambda stage, done, total: update(done, total),
        facts={"experiment": chain.experiment, "beside": str(chain.beside)},
        **options,
    )
    tables = experiment_code(chain.experiment, "tables")
    return ChainResult(summary, folder, chain.spec.model_dump(mode="json"), code=tables)


def _of_file(path: str | Path, settings: Sequence[str]) -> Chain:
    """The chain of a file, with settings in place of its keys."""
    file = Path(path)
    experiment = str(read_document(file).values.get(KEY, EXPERIMENT))
    spec = experiment_code(experiment, "sets").load_chain(file, settings)
    return Chain(spec, experiment, file.resolve().parent)


def load_chain(source: Any, *, set: Sequence[str] = (), **changes: Any) -> Chain:
    """The chain of a file, or a chain, with options of ``intent play`` in place of its keys."""
    changes = {name: value for name, value in changes.items() if value}
    if "prompts" in changes:  # a folder of who calls, not one beside the file
        changes["prompts"] = str(Path(changes["prompts"]).resolve())
    if unknown := [name for name in changes if name not in _PLACES]:
        flag = f"--{unknown[0].replace('_', '-')}"
        raise UsageError(
            f"{flag} is not for chains, expected such as {', '.join(_PLACES)}, or --set KEY=VALUE"
        )
    settings = [*(f"{_PLACES[name]}={json.dumps(value)}" for name, value in changes.items()), *set]
    if not isinstance(source, Chain):
        return _of_file(source, settings)
    values = source.spec.model_dump(mode="json")
    return replace(
        source, spec=experiment_code(source.experiment, "sets").chain_of(values, settings, called=source.name)
    )


def play_chain(
    chain: Chain,
    folder: Path,
    update: Callable[[int, int], None],
    *,
    overwrite: bool = False,
    start: Path | None = None,
) -> ChainResult:
    """Run a chain in a new folder, or in place of one that is there; `start` has sets written already."""
    own_folder(folder, kind="chain", marks=[MARK], lock=LOCK, make=False)
    if (folder / MARK).is_file():
        if not overwrite:
            raise OutputError(
                f"{folder} holds a chain; intent resume {folder} goes on, --overwrite begins anew"
            )
        with locked(folder / LOCK):  # nobody is at it
            shutil.rmtree(folder)
    return _run(chain, folder, update, published=start)


def resume_chain(
    folder: Path, source: Any, update: Callable[[int, int], None], **changes: Any
) -> ChainResult:
    """Go on with the chain of a folder: what was answered or played is not asked or played again."""
    stored, options = _stored(folder)
    chain = load_chain(stored if source is None else source, **changes)
    return _run(chain, folder, update, **options)


def _stored(folder: Path) -> tuple[Chain, dict[str, Any]]:
    """The chain of a folder, and the options that it was begun with."""
    facts = read_object(folder / MARK, "a chain", longest=_LONGEST)
    options, values = facts.get("options"), facts.get(KEY)
    if not (isinstance(options, dict) and isinstance(values, dict)):
        raise DataError(
            located(folder / MARK, "expected the chain and its options; begin with intent strategies run")
        )
    experiment, beside = str(options.pop("experiment", EXPERIMENT)), Path(options.pop("beside", "."))
    known = ("published", "salt", "engine")
    if strange := [k for k, v in options.items() if k not in known or not isinstance(v, str | None)]:
        raise DataError(
            located(folder / MARK, f"option {shorten(strange[0])!r}, expected {', '.join(known)}")
        )
    spec = experiment_code(experiment, "sets").chain_of(values, called=f"{folder.name}/{MARK}")
    return Chain(spec, experiment, beside), options


def chain_status(folder: Path) -> ChainStatus:
    """How the chain of a folder is going, also while it runs."""
    facts = read_object(folder / MARK, "a chain", longest=_LONGEST)
    state = (
        "playing" if is_locked(folder / LOCK) else "stopped" if facts.get("result") is None else "finished"
    )
    spec = facts.get(KEY)
    name = spec.get("name") if isinstance(spec, dict) else None
    places = sorted(place for place in (folder / "play").glob("*") if place.is_dir())
    return ChainStatus(
        {
            "path": str(folder),
            "name": str(name or folder.name),
            "state": state,
            "sets": [
                {"set": place.name, "played": (place / "tournament" / "tournament.json").is_file()}
                for place in places
            ],
        }
    )


CHAINS = StagedKind(load_chain, play_chain, resume_chain, chain_status)
