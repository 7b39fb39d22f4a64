"""Chains as runs: strategies written, checked, played and evolved, with the tables of their study.

What a chain is stands beside its experiment (`experiments/llm_strategies`). Here is how `play`, `resume`,
`status` and ``strategies run`` reach it.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from intent.arena.requests import ChainRequest
from intent.base.errors import DataError, OutputError, UsageError, located, shorten
from intent.base.experiments import experiment_code
from intent.base.files import read_object
from intent.base.job import Summary, Table, Text, job
from intent.base.outputs import write_object
from intent.base.remote import Contact, contacts_line
from intent.base.settings import read_document
from intent.logs.run_folder import is_locked, locked, own_folder
from intent.runner.finish import StagedKind
from intent.runner.information import Checked, checked_matrix, first_problem, matrix_table
from intent.runner.run import cost_text

__all__ = ["CHAINS", "MARK", "Chain", "ChainCount", "ChainResult", "ChainStatus", "count_chain", "run_chain"]

KEY = "chain"
"""Key of a file that names the experiment with the code."""

MARK = f"{KEY}.json"
LOCK = "chain.lock"
STEP = "step.json"
_KEPT_EVERY = 2.0
"""Seconds between two writings of the same step."""

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
        words = f"{at['name']}: {at['state']}, {done:,} of {at['n_sets']:,} sets played"
        if at["step"] is not None:
            words += f"; {at['step']['stage']}: {at['step']['done']:,} of {at['step']['total']:,}"
        elif at["state"] == "playing":
            words += "; about to begin"
        yield words
        if at["sets"]:
            yield Table(("set", "played"), [(s["set"], "yes" if s["played"] else "no") for s in at["sets"]])

    def remarks(self) -> Iterator[str]:
        """How it goes on."""
        if self.values["state"] == "stopped":
            yield f"intent resume {self.values['path']} goes on"


@dataclass(frozen=True, eq=False)
class ChainCount(Summary):
    """What a chain would take, as `json_objects.JSON_OBJECTS["chain_dry_run"]`."""

    kind = "chain_dry_run"
    noun = "a dry run"

    def parts(self) -> Iterator[Table | str]:
        """A row for each model, game and noise; the sum; the information matrix; prompts."""
        counts = self.values
        rows = [
            (
                *(
                    f"{value:g}" if isinstance(value, float) else str(value)
                    for value in one["levels"].values()
                ),
                f"{one['n']:,}",
                f"{one['calls']:,}",
                f"{one['most_calls']:,}",
                f"{one['prompt_tokens']:,.0f}",
                f"{one['reply_tokens']:,.0f}",
                cost_text(one["cost"]),
            )
            for one in counts["orders"]
        ]
        heads = (
            "model",
            "game",
            "noise",
            "strategies",
            "calls",
            "at most",
            "tokens in",
            "tokens out",
            "cost",
        )
        yield Table(heads, rows)
        cost = counts["cost"]
        yield (
            f"\n{counts['n_strategies']:,} strategies, {counts['calls']:,} calls expected, at most "
            f"{counts['most_calls']:,}; then up to {counts['n_games']:,} matches, without a call; cost "
            + ("unknown without prices (--price)" if cost is None else cost_text(cost))
        )
        yield contacts_line(Contact(**one) for one in counts["contacts"])
        if counts["matrix"]:
            yield ""
            yield matrix_table(counts["matrix"])
        for prompt in counts["prompts"]:
            about = ", ".join(str(prompt[name]) for name in ("attitude", "scenario") if prompt[name])
            yield f"\n--- {prompt['purpose']}{about and f' ({about})'} ---\n"
            yield Text("\n\n".join(prompt[role] for role in ("system", "user") if prompt[role]))

    @property
    def exit_code(self) -> int:
        """2 where prompts are not what they should be, as of every command that refuses."""
        return 2 if self.values["problems"] else 0

    def warnings(self) -> Iterator[str]:
        """What keeps it from being run, and what somebody about to spend money should know."""
        yield from self.values["problems"]
        yield from self.notes


def count_chain(chain: Chain, *, start: Path | None = None, prompts_shown: int | None = None) -> ChainCount:
    """What a chain would take, and what its prompts tell; nobody is asked, no key is needed.

    Parameters
    ----------
    start : folder of strategies that are written, so that no model is asked
    prompts_shown : int, optional
        Prompts to show at most, of the first order.

    Raises
    ------
    IntentError
        Whatever would keep the strategies from being written, missing keys apart.
    """
    from intent.agents.clients.registry import contact_rows, job_contacts
    from intent.arena.writing.order import dry_run_writing

    spec = chain.spec
    sets = experiment_code(chain.experiment, "sets")
    orders = [] if start is not None else sets.orders(spec, chain.beside)
    rows: list[dict[str, Any]] = []
    prompts: list[dict[str, Any]] = []
    notes: list[str] = []
    for levels, order in orders:
        one = dry_run_writing(**order).values
        names = ("n", "calls", "most_calls", "prompt_tokens", "reply_tokens", "cost")
        rows.append({"levels": dict(levels), **{name: one[name] for name in names}})
        prompts += [] if prompts else one["prompts"]
        notes += one["notes"]
    costs = [row["cost"] for row in rows]
    checked = _checked(chain) if orders else None
    of_set = spec.n * len(spec.attitudes)
    pairs = of_set * (of_set + (1 if spec.tournament.self_play else -1)) // 2
    n_sets = len(spec.models or [None]) * len(spec.games) * len(spec.noise) * len(spec.styles)
    models = list(dict.fromkeys([*spec.models, spec.writing.code_model or ""])) if orders else []
    return ChainCount(
        {
            "name": chain.name,
            "n_sets": n_sets,
            "n_strategies": sum(row["n"] for row in rows) if orders else of_set * n_sets,
            "n_games": n_sets * pairs * spec.tournament.repetitions,
            "calls": sum(row["calls"] for row in rows),
            "most_calls": sum(row["most_calls"] for row in rows),
            "prompt_tokens": sum(row["prompt_tokens"] for row in rows),
            "reply_tokens": sum(row["reply_tokens"] for row in rows),
            "cost": None if None in costs else sum(costs),
            "budget": spec.writing.budget,
            "models": [name for name in models if name],
            "contacts": contact_rows(job_contacts([name for name in models if name])),
            "orders": rows,
            "prompts": prompts[:prompts_shown],
            "matrix": checked.information.to_dict() if checked else [],
            "problems": list(checked.problems) if checked else [],
            "notes": [*dict.fromkeys(notes), *(checked.notes if checked else ())],
        }
    )


def _checked(chain: Chain) -> Checked:
    """The information matrix of what models will be told, and where it is not what the file declares."""
    from intent.arena.requests import WriteRequest
    from intent.arena.writing.information import writing_information
    from intent.arena.writing.order import make_order

    orders = []
    for levels, how in experiment_code(chain.experiment, "sets").orders(chain.spec, chain.beside):
        request = WriteRequest(**how)
        orders.append((levels, make_order(how["model"], how["code_model"] or how["model"], request)))
    return checked_matrix(chain.spec, writing_information(orders))


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
    if options.get("published") is None and chain.spec.models:
        first_problem(_checked(chain))
    summary = experiment_code(chain.experiment, "chain").run_chain(
        chain.spec,
        folder,
        beside=chain.beside,
        update=_Step(folder, update),
        facts={"experiment": chain.experiment, "beside": str(chain.beside)},
        **options,
    )
    (folder / STEP).unlink(missing_ok=True)
    tables = experiment_code(chain.experiment, "tables")
    return ChainResult(summary, folder, chain.spec.model_dump(mode="json"), code=tables)


class _Step:
    """Hands on how far a chain is, and keeps it in its folder for `status`."""

    def __init__(self, folder: Path, update: Callable[[int, int], None]) -> None:
        self._file, self._update = folder / STEP, update
        self._stage, self._last = "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        self._update(done, total)
        now = time.monotonic()
        if stage == self._stage and now - self._last < _KEPT_EVERY:
            return
        self._stage, self._last = stage, now
        write_object(self._file, {"stage": stage, "done": done, "total": total}, overwrite=True)


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
            "step": None if state == "finished" else _step(folder),
            "n_sets": max(len(places), _wanted(facts)),
            "sets": [
                {"set": place.name, "played": (place / "tournament" / "tournament.json").is_file()}
                for place in places
            ],
        }
    )


def _step(folder: Path) -> dict[str, Any] | None:
    """What the chain does, or did when it was stopped; None before its first step."""
    if not (folder / STEP).is_file():
        return None
    step = read_object(folder / STEP, "a step", longest=_LONGEST)
    done, total = step.get("done"), step.get("total")
    if not (isinstance(done, int) and isinstance(total, int)):
        raise DataError(located(folder / STEP, "expected stage, done and total"))
    return {"stage": shorten(step.get("stage")), "done": done, "total": total}


def _wanted(facts: dict[str, Any]) -> int:
    """Sets that models are to write; 0 where others wrote them."""
    spec, options = facts.get(KEY), facts.get("options")
    if not isinstance(spec, dict) or (isinstance(options, dict) and options.get("published")):
        return 0
    levels = [spec.get(name) for name in ("models", "games", "noise", "styles")]
    return math.prod(len(values) for values in levels if isinstance(values, list))


CHAINS = StagedKind(load_chain, play_chain, resume_chain, chain_status, count_chain)
