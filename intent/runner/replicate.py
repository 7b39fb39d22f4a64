"""``intent replicate``: play what a paper played, measure what it measured, and set both side by side.

A study is the folder of an experiment with a module ``replication`` and the paper's numbers in
``published.csv``. The module has

``CITATION``
    The paper.
``PLAYS``
    Variant -> experiment files of the folder, each played into a run folder of its own. ``paper`` is the
    paper's treatment and ``small`` a short one; other names differ from the paper on purpose.
``STAGES``, optional
    Whether ``--from`` names what the stages of a chain start from; else it is a log to be measured.
``VARIANTS``, optional
    Variant -> in what it differs from the paper, one sentence.
``SAMPLES``, optional
    Settings of `intent sampling`, where the paper asks for random numbers; replies lie in ``sampling``.
``measure(played, *, seed, bootstrap)``
    From the paths of what was played, or of what the user has, to a `intent.report.replication.Measurement`.
``read(path)``, optional
    The log of one of these paths; default: as `intent.read_log` reads it.

Where the folder has a module ``results`` (`intent.report.results`), its tables and figures are written into
``results``, and the page shows the figures in the order of the paper. What the experiment files themselves
want done ``after`` play is left out: it would be the same once more.

The page shows requests and replies of a run, one of each kind, as they were sent. What a run will cost by
role is taken from the calls of a run that there is, such as a short one with the same model: how many a
choice takes, and how long the replies are. A role is an architecture of a seat and what is asked of it: to
choose, to speak, to think, to advise. How many choices there will be comes from the plans.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pandas as pd

from intent.base.errors import DataError, OutputError, RunError, UnknownNameError, UsageError
from intent.base.experiments import experiment_code, experiment_folder, experiments, published_values
from intent.base.files import read_object
from intent.base.job import Result, Table, job
from intent.base.wording import Sentences
from intent.report.exchanges import figures_section
from intent.report.page import Section, Verbatim, Words
from intent.report.replication import Measurement, Replication, effects, judged, replication_page
from intent.runner.dry_run import DryRun, dry_run, model_seats, priced, tokens_in
from intent.runner.finish import PLAYS, REPLICATION, staged_folder, staged_kind
from intent.runner.play import changes_of, load_source, play_loaded, resume_folder
from intent.runner.requests import PAPER, PlayRequest, ReplicateRequest
from intent.runner.run import Run, cost_text
from intent.version import __version__

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.report.page import Section
    from intent.report.results import Collected, Drawn
    from intent.runner.limits import Price

__all__ = [
    "CODE",
    "MARK",
    "Replicating",
    "RoleNeed",
    "replicate",
    "replies_seen",
    "requests_section",
    "role_needs",
    "studies",
]

_MOST = 24
"""Kinds of requests that are shown of a run."""

_LETTERS = 12_000

phrase = Sentences("intent.report")


def requests_section(folders: Sequence[Path]) -> list[Section]:
    """The first request of each kind that each run sent, with its reply; of round 2 where there is one.

    A kind is an architecture, what it is asked to do, and how many turns stand in the conversation before.

    Parameters
    ----------
    folders : of runs; others are passed over
    """
    shown: list[Verbatim] = []
    for folder in folders:
        if (folder / "run.json").is_file():
            shown += _of_run(folder)
    if not shown:
        return []
    about = Words(phrase("replication.requests_about"), "quiet")
    return [Section("requests", phrase("replication.requests"), (about, *shown))]


def _of_run(folder: Path) -> list[Verbatim]:
    run = Run.open(folder)
    seats = {(plan.game_id, k): s for plan in run.plans() for k, s in enumerate(plan.seats, 1)}
    first: dict[tuple[str, ...], tuple[int, str]] = {}
    for table in run.call_tables():
        for row in table.sort_values(["round", "attempt"], kind="stable").to_dict("records"):
            seat = seats[str(row["game_id"]), int(row["seat"])]
            role = ", ".join(filter(None, [seat.architecture, seat.attitude]))
            try:
                messages = json.loads(row["body"]).get("messages", [])
            except (TypeError, ValueError, AttributeError):
                continue
            turns = sum(m.get("role") == "assistant" for m in messages if isinstance(m, dict))
            key = (role, str(row["purpose"]), str(turns))
            number = int(row["round"])
            if key not in first or (first[key][0] < 2 <= number):
                first[key] = (number, _words(messages, row))
    return [
        Verbatim(phrase("replication.request", role=role, purpose=f"{purpose}, round {number}"), text)
        for (role, purpose, _), (number, text) in list(first.items())[:_MOST]
    ]


def _words(messages: Sequence[Any], row: dict[Any, Any]) -> str:
    """A conversation to be read, with the reply at its end."""
    parts = [f"[{m.get('role')}]\n{_content(m)}" for m in messages if isinstance(m, dict)]
    for name, column in (("reasoning", "reasoning"), ("tool call", "tool_calls"), ("reply", "text")):
        value = row.get(column)
        if value is not None and value == value and str(value).strip():
            parts.append(f"[{name}]\n{value}")
    text = "\n\n".join(parts)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]} […] ({len(text):,} characters)"


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return json.dumps(message.get("tool_calls") or content, ensure_ascii=False)


@dataclass(frozen=True)
class RoleNeed:
    """What one role is expected to take.

    Attributes
    ----------
    player : str, the model as the experiment names it
    architecture, purpose : str
    calls : float
    prompt_tokens, reply_tokens : float, of all these calls
    cost : float, in the currency of the prices; None without one
    """

    player: str
    architecture: str
    purpose: str
    calls: float
    prompt_tokens: float
    reply_tokens: float
    cost: float | None


def replies_seen(folder: Path) -> pd.DataFrame:
    """Calls and tokens of a choice, by role, as a run has them.

    Parameters
    ----------
    folder : that of a run

    Returns
    -------
    DataFrame
        architecture, purpose, calls (per choice), prompt_tokens, reply_tokens (means per call, reasoning
        included; a quarter of the characters where the endpoint does not count them).

    Raises
    ------
    RunError
        No run.
    DataError
        A run without a call.
    """
    run = Run.open(folder)
    calls = run.calls()
    if calls.empty:
        raise DataError(f"{folder}: holds no call of a model, expected a run that asked one")
    seats = {(plan.game_id, k): s.architecture for plan in run.plans() for k, s in enumerate(plan.seats, 1)}
    keys = zip(calls["game_id"], calls["seat"], strict=True)
    calls["architecture"] = [seats[str(game), int(seat)] for game, seat in keys]
    for column, text in (("prompt_tokens", "body"), ("completion_tokens", "text")):
        estimated = calls[text].map(tokens_in)
        calls[column] = calls[column].astype("Float64").fillna(estimated).astype(float)
    choices = calls.drop_duplicates(["game_id", "round", "seat"])["architecture"].value_counts()
    grouped = calls.groupby(["architecture", "purpose"], sort=True, observed=True)
    table = grouped.agg(
        n=("reference", "size"),
        prompt_tokens=("prompt_tokens", "mean"),
        reply_tokens=("completion_tokens", "mean"),
    ).reset_index()
    table["calls"] = table["n"] / table["architecture"].map(choices)
    return table[["architecture", "purpose", "calls", "prompt_tokens", "reply_tokens"]]


def role_needs(
    plans: Sequence[GamePlan], replies: pd.DataFrame, prices: Mapping[str, Price]
) -> tuple[list[RoleNeed], list[str]]:
    """What plans will take by role, and the architectures that were not seen.

    Parameters
    ----------
    plans : sequence of GamePlan
    replies : DataFrame, as `replies_seen`
    prices : model -> price

    Returns
    -------
    needs : list of RoleNeed
    unseen : list of str, architectures of which nothing can be said
    """
    choices: Counter[tuple[str, str]] = Counter()
    for plan in plans:
        rounds = plan.horizon().expected
        for seat in model_seats(plan):
            mine = plan.seats[seat - 1]
            choices[mine.player, mine.architecture] += rounds  # type: ignore[assignment]
    needs, unseen = [], []
    for (player, architecture), n in sorted(choices.items()):
        rows: list[dict[str, Any]] = [
            {str(k): v for k, v in row.items()}
            for row in replies[replies["architecture"] == architecture].to_dict("records")
        ]
        if not rows:
            unseen.append(architecture)
        for row in rows:
            calls = n * float(row["calls"])
            prompt, reply = calls * float(row["prompt_tokens"]), calls * float(row["reply_tokens"])
            cost = priced(player, prices, prompt, reply)
            needs.append(RoleNeed(player, architecture, str(row["purpose"]), calls, prompt, reply, cost))
    return needs, list(dict.fromkeys(unseen))


CODE = "replication"
"""Module of an experiment that says what its paper played and how its numbers are measured."""

MARK = REPLICATION
"""In the folder of a replication: what is replicated, so that a second call goes on with it."""

SMALL = "small"

RESULTS = "results"
"""Module of an experiment that writes the tables and figures of its paper, and their folder."""

SAMPLING = "sampling"
"""In that folder: numbers that a model was asked for."""

TABLE = "replication.csv"

_LONGEST = 2**20

_IN_WORDS = {"what": "source", "models": "model", "set": "--set"}

_LIMITS = ("budget", "prices", "concurrency", "window", "limits", "cache")
"""Settings that a run takes anew each time it goes on."""


@dataclass(frozen=True, eq=False)
class Replicating(Result):
    """What a replication takes.

    Parameters
    ----------
    study, variant : str
    counts : file -> what `dry_run` says, or the reason why it cannot be counted
    roles : what each role takes, from the replies of a run that there is
    notes : what a reader should be warned of
    """

    kind = "replicate_dry_run"
    noun = "a dry run"

    study: str
    variant: str
    counts: Mapping[str, Mapping[str, Any] | str]
    roles: Sequence[RoleNeed] = ()
    notes: Sequence[str] = ()
    config: Mapping[str, Any] = field(default_factory=dict)

    def _sum(self, name: str) -> Any:
        values = [c[name] for c in self.counts.values() if not isinstance(c, str)]
        return None if None in values or len(values) < len(self.counts) else sum(values)

    def fields(self) -> dict[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        sums = {name: self._sum(name) for name in ("n_games", "calls", "most_calls", "cost")}
        return {
            "study": self.study,
            "variant": self.variant,
            **sums,
            "plays": [
                {
                    "file": file,
                    "counts": None if isinstance(c, str) else dict(c),
                    "note": c if isinstance(c, str) else "",
                }
                for file, c in self.counts.items()
            ],
            "roles": [asdict(one) for one in self.roles],
            "notes": list(self.notes),
        }

    def parts(self) -> Iterator[Table | str]:
        """A row for every file, and the sum."""
        rows = []
        for file, c in self.counts.items():
            if isinstance(c, str):
                rows.append((file, "", "", "", c))
                continue
            cost = "unknown without prices (--price)" if c["cost"] is None else cost_text(c["cost"])
            rows.append((file, f"{c['n_games']:,}", f"{c['calls']:,.0f}", f"{c['most_calls']:,}", cost))
        yield Table(
            ("experiment", "games", "calls", "at most", "cost"), rows, f"{self.study}, variant {self.variant}"
        )
        if self.roles:
            yield ""
            by_role = [
                (
                    one.player,
                    one.architecture,
                    one.purpose,
                    f"{one.calls:,.0f}",
                    f"{one.prompt_tokens:,.0f}",
                    f"{one.reply_tokens:,.0f}",
                    "unknown" if one.cost is None else cost_text(one.cost),
                )
                for one in self.roles
            ]
            header = ("model", "architecture", "asked to", "calls", "prompt tokens", "reply tokens", "cost")
            yield Table(header, by_role, "By role, with replies as long as those of the run")


def studies() -> list[str]:
    """Names of the studies that can be replicated."""
    return list(experiments(CODE))


@job(ReplicateRequest)
def replicate(request: ReplicateRequest) -> Result:
    """Play what a paper played, measure what it measured, and judge every printed number.

    Raises
    ------
    UnknownNameError
        No such study or variant.
    UsageError
        Settings of play beside `source`, which plays nothing.
    OutputError
        The folder holds another replication, or something else.
    DataError
        A log that cannot be measured.
    RunError
        The play was stopped, by a signal or its budget: nothing is measured.
    """
    code = experiment_code(request.study, CODE)
    place = experiment_folder(request.study, CODE)
    published = published_values(place)
    files = _files(code, request, place.name)
    if request.dry_run:
        counts = {file: _counted(place / file, request) for file in files}
        roles, unseen = _roles([place / file for file in files], request)
        return Replicating(place.name, request.variant, counts, roles, [*_own_notes(request, code), *unseen])
    folder = request.folder or Path("replications") / place.name
    if request.source is not None and not getattr(code, "STAGES", False):
        if request.model:
            raise UsageError(
                f"--from {request.source} plays nothing, and -m says who plays: expected one of them"
            )
        _claimed(folder, place.name, request, [str(request.source)])
        plays: list[dict[str, Any]] = [
            {"file": "", "path": str(request.source), "games": None, "cost": None, "models": []}
        ]
    else:
        _claimed(folder, place.name, request, files)
        plays = [_played(place / file, folder / PLAYS / _stem(file), request) for file in files]
        _sampled(code, folder, plays, request)
    played = [Path(str(one["path"])) for one in plays]
    measurement: Measurement = code.measure(played, seed=request.seed or 0, bootstrap=request.bootstrap)
    drawings, left_out = _results(code, place, played, folder / RESULTS, request)
    variant = f"{request.variant}, {SMALL}" if request.small else request.variant
    result = Replication(
        study=place.name,
        citation=code.CITATION,
        variant=variant,
        rows=judged(published, measurement.cells),
        plays=plays,
        path=folder,
        config={
            "study": place.name,
            "variant": variant,
            "models": list(request.model),
            "source": None if request.source is None else str(request.source),
            "seed": request.seed,
            "bootstrap": request.bootstrap,
            "version": __version__,
        },
        notes=[*_own_notes(request, code), *measurement.notes],
        effects=effects(published, measurement.cells, measurement.exclusions),
        small=request.small,
    )
    sections = [*measurement.sections, *figures_section([*measurement.drawings, *drawings], left_out)]
    _write(result, [*sections, *requests_section(played)])
    return result


def _own_notes(request: ReplicateRequest, code: ModuleType) -> Iterator[str]:
    """What tells this replication from the paper."""
    if request.variant != PAPER:
        why = getattr(code, "VARIANTS", {}).get(
            request.variant, "differs from the paper's treatment on purpose"
        )
        yield f"variant {request.variant}: {why}"
    if request.set:
        yield f"settings other than the paper's: {', '.join(request.set)}"


def _files(code: ModuleType, request: ReplicateRequest, name: str) -> Sequence[str]:
    """The experiment files of a variant."""
    plays: Mapping[str, Sequence[str]] = code.PLAYS
    variants = [key for key in plays if key != SMALL]
    if request.variant not in variants:
        raise UnknownNameError(f"variant of {name}", request.variant, variants)
    return plays[SMALL] if request.small and request.variant == PAPER else plays[request.variant]


def _stem(file: str) -> str:
    """The name of a run folder: of a file of the study its stem, of another study's the name of that."""
    path = Path(file)
    return path.stem if path.parent == Path() else f"{path.parent.name}_{path.stem}"


def _changes(request: ReplicateRequest) -> dict[str, Any]:
    return changes_of(request, "prompts", "seed")


def _counted(file: Path, request: ReplicateRequest) -> Mapping[str, Any] | str:
    """What one file takes."""
    source = load_source(file, set=request.set, models=request.model, **_changes(request))
    if (staged := staged_kind(source.run_key)) is not None:
        if staged.count is None:
            return f"a {source.run_key} of stages, whose calls depend on what is written"
        stages: Mapping[str, Any] = staged.count(source, start=request.source, prompts_shown=0).to_dict()
        return stages
    return DryRun(dry_run(source, prompts_shown=0), source.run_key).fields()


def _roles(files: Sequence[Path], request: ReplicateRequest) -> tuple[list[RoleNeed], list[str]]:
    """What each role takes, where a run tells how long replies are."""
    if request.seen is None:
        return [], []
    replies = replies_seen(request.seen)
    plans: list[GamePlan] = []
    prices: dict[str, Any] = {}
    notes = []
    for file in files:
        source = load_source(file, set=request.set, models=request.model, **_changes(request))
        if staged_kind(source.run_key) is None:
            plans += source.plans()
            prices |= source.prices
    needs, unseen = role_needs(plans, replies, prices)
    if unseen:
        notes.append(f"{request.seen} holds no call of {', '.join(unseen)}: nothing is said of their cost")
    return needs, notes


def _claimed(folder: Path, study: str, request: ReplicateRequest, what: Sequence[str]) -> None:
    """Make the folder, or see that it holds this replication."""
    facts = {
        "study": study,
        "variant": request.variant,
        "small": request.small,
        "models": list(request.model),
        "what": list(what),
        "set": list(request.set),
        "prompts": request.prompts,
        "seed": request.seed,
    }
    mark = folder / MARK
    begun = (folder / PLAYS).exists() or (folder / TABLE).exists()  # a mark alone is of one that failed
    if mark.is_file() and begun and not request.overwrite:
        known = read_object(mark, "a replication", longest=_LONGEST)
        if known != facts:
            apart = next((k for k, v in facts.items() if known.get(k) != v), "version")
            had, wanted = known.get(apart), facts.get(apart)
            raise OutputError(
                f"{folder} holds a replication with another {_IN_WORDS.get(apart, apart)} "
                f"({had!r}, not {wanted!r}), expected a folder of its own with -o, or --overwrite"
            )
        return
    if folder.is_dir() and any(folder.iterdir()) and not mark.is_file():
        raise OutputError(f"{folder} holds something else, expected a new folder or that of a replication")
    from intent.base.outputs import make_folder, writing

    make_folder(folder)
    with writing(mark, overwrite=True) as draft:
        draft.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf8")


def _played(file: Path, target: Path, request: ReplicateRequest) -> dict[str, Any]:
    """Play one file, or what is left of it.

    Raises
    ------
    RunError
        It was stopped.
    """
    common = {name: getattr(request, name) for name in ("tracking", "no_track", "update")}
    limits = {name: getattr(request, name) for name in request.changed(_LIMITS)}
    begun = staged_folder(target) is not None or (target / "run.json").is_file()
    if begun and not request.overwrite:
        result: Result = resume_folder(target, **common, **limits)
    else:
        play = PlayRequest(
            file=file,
            folder=target,
            overwrite=request.overwrite,
            journal=request.journal,
            json=request.json,
            announce=request.announce,
            **common,
        )
        source = load_source(file, set=request.set, models=request.model, **_changes(request))
        if hasattr(source, "after"):
            source = source.model_copy(update={"after": type(source.after)()})
        result = play_loaded(play, source, start=request.source)
    facts = result.to_dict()
    if facts.get("state") == "stopped":  # by a signal or the budget, which is meant for all that is left
        raise RunError(f"{target}: {facts.get('reason') or 'stopped'}; the same command goes on")
    if facts.get("state") == "incomplete":
        request.announce(f"{target}: incomplete, games were set aside; the same command plays them again")
    return {
        "file": file.name,
        "path": str(target),
        "games": facts.get("n_finished"),
        "cost": facts.get("cost"),
        "models": [one["player"] for one in facts.get("models") or () if isinstance(one, dict)],
    }


def _sampled(
    code: ModuleType, folder: Path, plays: Sequence[Mapping[str, Any]], request: ReplicateRequest
) -> None:
    """Ask the first language model that played for random numbers, where the paper did."""
    how: Mapping[str, Any] = getattr(code, "SAMPLES", {})
    models = [name for one in plays for name in one["models"] if not name.startswith("scripted/")]
    if not how or not models:
        return
    from intent.runner.sampling import sample_numbers

    sample_numbers(models[0], folder / RESULTS / SAMPLING, **how, seed=request.seed or 0)


def _results(
    code: ModuleType, place: Path, played: Sequence[Path], folder: Path, request: ReplicateRequest
) -> tuple[list[Drawn], list[str]]:
    """The tables and figures of the study, where its folder has code for them, and what cannot be made."""
    if not (place / f"{RESULTS}.py").is_file():
        return [], []
    from intent.base.outputs import make_folder
    from intent.logs.readers import read_log

    read = getattr(code, "read", None) or read_log
    write = experiment_code(request.study, RESULTS).write_results
    how = {"seed": request.seed or 0, "bootstrap": request.bootstrap, "overwrite": True}
    collected: Collected = write(read(played[0]), make_folder(folder), **how)
    return collected.drawings, [
        f"no {one['name'].replace('_', ' ')}: {one['why']}" for one in collected.skipped
    ]


def _write(result: Replication, sections: Sequence[Section]) -> None:
    """The page, the table and the JSON object."""
    from intent.base.outputs import writing

    with writing(result.path / "replication.html", overwrite=True) as draft:
        draft.write_text(replication_page(result, sections), encoding="utf8")
    result.write(result.path / TABLE, overwrite=True)
    result.write(result.path / "replication.json", overwrite=True)
