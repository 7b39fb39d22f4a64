"""A job is a request and a result, each declared once.

A request has settings, each with a type, a default, bounds and one sentence. The command line
(`intent.cli.app.command`), the Python signature (`job`), the YAML keys under ``after`` and the settings in
provenance are made from that declaration. A result is printed by the command line, written as the suffix of
its file says (a figure, a table, or the JSON object), and each of these carries how the result came about.
How figures are set on paper is declared here for every job that draws (`Printing`). The module imports no
library, since ``intent --help`` reads every request.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    ParamSpec,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

from intent.base.errors import OutputError, UsageError, nearest, shorten
from intent.base.files import is_remote, path_of, remote
from intent.base.outputs import claim, json_values, writing
from intent.base.registry import load, points
from intent.base.sheet import COLUMNS, Sheet, drawn_on, sheet_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BOOTSTRAP",
    "BY",
    "DASK",
    "FIGURE_SUFFIXES",
    "JOBS",
    "JSON",
    "LEVEL",
    "OUTPUT",
    "OUTPUTS",
    "OVERWRITE",
    "SEED",
    "TABLE_SUFFIXES",
    "UPDATE",
    "WORKERS",
    "NonNegative",
    "Positive",
    "Printing",
    "Probability",
    "Request",
    "Result",
    "Setting",
    "Summary",
    "Table",
    "Text",
    "Within",
    "argument",
    "check_bootstrap",
    "check_level",
    "check_output",
    "check_text",
    "data_line",
    "here",
    "job",
    "kept_in_words",
    "option",
    "parse_pairs",
    "source_of",
    "source_of_table",
    "write_result",
    "write_text",
]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Within:
    """Bounds of a number, both included, and how errors name them.

    Where `expected` is empty only the command line looks: the function has an error of its own.
    """

    low: float | None
    high: float | None
    expected: str = ""


Probability = Annotated[float, Within(0, 1, "a probability")]
NonNegative = Annotated[int, Within(0, None)]
Positive = Annotated[int, Within(1, None)]


@dataclass(frozen=True)
class Setting:
    """One setting of a job; `argument` and `option` make it.

    Attributes
    ----------
    help : str
        One sentence.
    default : value of the setting; `inspect.Parameter.empty` where it has to be said
    flags : tuple of str
        On the command line; empty for an argument.
    kind : type, or its text where it would need a heavy import
    words : type that the command line reads, before `parse` makes the value of it
    parse : function of these words, optional
    metavar : str, optional
    positional : bool
        Whether Python takes it without its name.
    detail : str
        What only the docstring says.
    only : {"", "command", "python"}
        The only place that has it.
    recorded : bool
        Whether provenance keeps it as it was said.
    file : bool
        Whether an experiment file can say it under ``after``.
    shown : value, optional
        Default on the command line, where that is another than in Python.
    envvar : str, optional
        Variable of the environment that says it where the command line does not.
    """

    help: str
    default: Any = inspect.Parameter.empty
    flags: tuple[str, ...] = ()
    kind: Any = None
    words: Any = None
    parse: Callable[[Any], Any] | None = None
    metavar: str | None = None
    positional: bool = False
    detail: str = ""
    only: str = ""
    recorded: bool = True
    file: bool = True
    shown: Any = None
    envvar: str | None = None

    @property
    def within(self) -> Within | None:
        """The bounds of its type."""
        marks = get_args(self.kind)[1:] if get_origin(self.kind) is Annotated else ()
        return next((b for b in marks if isinstance(b, Within)), None)

    def check(self, name: str, value: Any) -> None:
        """Refuse a number out of bounds.

        Raises
        ------
        UsageError
        """
        bounds = self.within
        if bounds is None or not bounds.expected or value is None:
            return
        low, high = bounds.low, bounds.high
        try:
            fits = (low is None or low <= value) and (high is None or value <= high)
        except TypeError:
            fits = False
        if not fits:
            shown = repr(value) if isinstance(value, str) else value
            raise UsageError(f"{name} is {shown}, expected {bounds.expected}")

    def of_words(self, words: Any) -> Any:
        """The value of what the command line read; what was not said is the default."""
        if words is None or words == []:
            return self.default
        return words if self.parse is None else self.parse(words)

    def line(self, name: str) -> str:
        """Its entry under Parameters of a docstring."""
        kind = get_args(self.kind)[0] if self.within else self.kind
        kind = getattr(kind, "__name__", None) if isinstance(kind, type) else kind
        unsaid = self.default is inspect.Parameter.empty or callable(self.default)
        default = "" if unsaid else f", default {self.default!r}"
        return f"{name} : {kind}{default}\n    {' '.join(filter(None, (self.help, self.detail)))}"


def argument(help: str, *flags: str, words: Any, **more: Any) -> Any:
    """A setting that has to be said: by its place, or on the command line by `flags`."""
    return Setting(help, flags=flags, words=words, positional=True, recorded=False, file=False, **more)


def option(default: Any, help: str, *flags: str, **more: Any) -> Any:
    """A setting with a default; on the command line ``--name`` unless `flags` say otherwise.

    Parameters
    ----------
    default : value
    help : str, one sentence
    flags : such as ``-r``, ``--recogniser``
    **more : as `Setting`
    """
    return Setting(help, default, flags, **more)


@dataclass(frozen=True)
class _Place:
    of: type[Request]


def here(inherited: type[Request]) -> Any:
    """In the body of a request: where the settings of a base class stand in the help."""
    return _Place(inherited)


JOBS: dict[str, type[Request]] = {}
"""Name of a job -> its request, which knows where the function is; filled as rooms declare their jobs."""


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(argument,))
class Request:
    """The settings of one job, frozen.

    A subclass declares them as ``name: type = option(default, "One sentence.")``. Keywords of the class are
    ``job``, its name; ``function``, the full name of what does it; ``progress``, a word for a job that takes
    a setting `update`; and ``detailed``. Its docstring is the help of the command.

    Raises
    ------
    TypeError
        A setting that there is not, with the nearest ones.
    UsageError
        A number out of its bounds.
    """

    settings: ClassVar[Mapping[str, Setting]] = {}
    function: ClassVar[str] = ""
    progress: ClassVar[str] = ""
    detailed: ClassVar[bool] = False
    """Whether `update` gets texts too, details and what is in the way; the bar begins with its first call."""
    context: ClassVar[Mapping[str, Any] | None] = None
    """How the words of the command line are read, as click's settings of a context."""

    def __init_subclass__(
        cls, *, job: str = "", function: str = "", progress: str = "", detailed: bool = False, **_: Any
    ) -> None:
        kinds = inspect.get_annotations(cls)
        inherited = {k: s for base in cls.__mro__[:0:-1] for k, s in getattr(base, "settings", {}).items()}
        settings: dict[str, Setting] = {}
        for name, value in list(vars(cls).items()):
            if isinstance(value, _Place):
                settings |= value.of.settings
            elif isinstance(value, Setting):
                flags = value.flags or (() if value.positional else (f"--{name.replace('_', '-')}",))
                settings[name] = replace(value, flags=flags, kind=kinds[name])
                if isinstance(kinds[name], str) and value.words is None and value.only != "python":
                    raise TypeError(f"{cls.__name__}.{name}: the type is a text, expected a type, or words=")
                if value.default is inspect.Parameter.empty:
                    delattr(cls, name)
                else:
                    setattr(cls, name, value.default)
        cls.settings = inherited | settings if not inherited.keys() <= settings.keys() else settings
        cls.function, cls.progress, cls.detailed = function, progress, detailed
        if job:
            JOBS[job] = cls

    def __init__(self, **values: Any) -> None:
        known = type(self).settings
        for name in values:
            if name not in known:
                raise TypeError(_unexpected(type(self).__name__, name, known))
        for name, setting in known.items():
            value = values.get(name, setting.default)
            if value is inspect.Parameter.empty:
                raise TypeError(f"{type(self).__name__}() misses {name!r}")
            setting.check(name, value)
            vars(self)[name] = remote(value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: make another one with replace()")

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.changed())
        return f"{type(self).__name__}({settings})"

    def replace(self, **values: Any) -> Self:
        """The same request but for some settings."""
        return type(self)(**{**vars(self), **values})

    def changed(self, names: Iterable[str] = ()) -> list[str]:
        """Those of the settings (default: all) that are not as by default."""
        known = type(self).settings
        return [k for k in names or known if not _same(getattr(self, k), known[k].default)]

    def values(self, of: type[Request] | Iterable[str]) -> dict[str, Any]:
        """Settings by name: those listed, or those that a request declares."""
        return {name: getattr(self, name) for name in (of.settings if isinstance(of, type) else of)}

    def config(self) -> dict[str, Any]:
        """The resolved settings as provenance keeps them."""
        return self.values(name for name, s in self.settings.items() if s.recorded and not s.only)

    def run(self) -> Any:
        """Do the job."""
        return self.call(type(self).function)

    def call(self, function: str) -> Any:
        """What a function of this request returns, given by its full name."""
        module, _, name = function.rpartition(".")
        with self.scope():
            return inspect.unwrap(getattr(importlib.import_module(module), name))(self)

    def scope(self) -> AbstractContextManager[Any]:
        """What holds while the job is done, and its result written: nothing, unless a base class says so."""
        return nullcontext()

    def finished(self, result: Any) -> Any:
        """The result as Python gets it: as it is, unless a base class adds how it is to be written."""
        return result

    def of_command(self) -> Request:
        """What the command line does of it: another job, or with other settings than Python's."""
        return self

    def interrupted(self) -> Iterable[str]:
        """What to know where the job was interrupted, one line each."""
        return ()

    def input_path(self) -> Path | None:
        """The file or folder that is read: the value of the first argument, where it is a path."""
        name = next((name for name, s in self.settings.items() if s.positional and not s.flags), "")
        value = getattr(self, name, None)
        return path_of(value) if isinstance(value, str | Path) else None

    def claim_outputs(self) -> None:
        """Refuse outputs that cannot be written, before long work.

        A request with other outputs than `OUTPUTS` replaces it, and `write_outputs`.

        Raises
        ------
        OutputError
        """
        for path in self._outputs():
            check_output(path, overwrite=self.overwrite, origin=self.input_path())  # type: ignore[attr-defined]

    def write_outputs(self, result: Any) -> list[Path]:
        """Write a result where the request says, and say which files that made."""
        return [result.write(p, overwrite=self.overwrite) for p in self._outputs()]  # type: ignore[attr-defined]

    def _outputs(self) -> Sequence[Path]:
        """Where results go: `OUTPUTS`, or the one of `OUTPUT`."""
        output = getattr(self, "output", None) or ()
        return (path_of(output),) if isinstance(output, str | Path) else output

    @classmethod
    def of_file(cls, place: str, values: Mapping[str, Any]) -> None:
        """Refuse settings of a file that says what is to be done with a log of ours, before they are used.

        Such a file says neither the log nor how it is read (settings with ``file=False``).

        Parameters
        ----------
        place : str
            Where they stand, for the errors.
        values : mapping of setting -> value

        Raises
        ------
        UsageError
            An unknown name, with the nearest known ones; a number out of bounds.
        """
        known = [name for name, s in cls.settings.items() if s.file and s.only != "command"]
        for name, value in values.items():
            if name not in known:
                near = nearest(name, known)
                hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(known)}"
                raise UsageError(f"{place}: unknown setting {shorten(name)!r}{hint}")
            cls.settings[name].check(f"{place}: {name}", value)


def job(
    request: Callable[P, Request],
) -> Callable[[Callable[[Any], R]], Callable[P, R]]:
    """A function of a request as one of its settings: ``f(log, eps=.1)``.

    The signature, with the defaults, and the Parameters of the docstring are those of the request.
    """
    declared: Any = request
    settings = {k: s for k, s in declared.settings.items() if s.only != "command"}
    kinds = inspect.Parameter
    parameters = [
        kinds(
            name,
            kinds.POSITIONAL_OR_KEYWORD if s.positional else kinds.KEYWORD_ONLY,
            default=s.default,
            annotation=s.kind,
        )
        for name, s in sorted(settings.items(), key=lambda item: not item[1].positional)
    ]

    def of_request(function: Callable[[Any], R]) -> Callable[P, R]:
        signature = inspect.signature(function, eval_str=False).replace(parameters=parameters)

        @functools.wraps(function)
        def run(*arguments: Any, **values: Any) -> R:
            for name in values:
                if name not in settings:
                    raise TypeError(_unexpected(function.__name__, name, settings))
            done = declared(**signature.bind(*arguments, **values).arguments)
            with done.scope():
                finished: R = done.finished(function(done))
                return finished

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__doc__ = _documented(function.__doc__, settings)
        return run

    return of_request


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def _unexpected(function: str, name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"{function}() got an unexpected keyword argument {name!r}{hint}"


def _documented(text: str | None, settings: Mapping[str, Setting]) -> str:
    """A docstring with the settings as its Parameters, before Returns and Raises."""
    lines = inspect.cleandoc(text or "").split("\n")
    ends = [i for i, line in enumerate(lines) if line in ("Returns", "Raises", "References")]
    place = ends[0] if ends else len(lines)
    own = ["Parameters", "----------", *(s.line(name) for name, s in settings.items()), ""]
    gap = [""] if not ends else []
    return "\n".join([*lines[:place], *gap, *own, *lines[place:]]).rstrip()


UPDATE = option(lambda done, total: None, "Called with the numbers of steps done, and in all.", only="python")
SEED = option(0, "Seed of all random numbers.")
WORKERS = option(1, "Processes that share the work; 0: all processors.")
DASK = option(
    None, "Dask scheduler that shares the work, as tcp://node:8786.", words=str | None, metavar="ADDRESS"
)
BY = option(
    (), "Columns that make the groups (repeatable).", words=list[str] | None, metavar="COLUMN[,COLUMN…]"
)
BOOTSTRAP = option(2000, "Bootstrap samples.")
LEVEL = option(0.95, "Coverage of the intervals.")
OUTPUT = option(None, "Where to write the result.", "-o", "--output", only="command")
OUTPUTS = option(
    (),
    "Figure (.png .svg .pdf) or table (.csv .parquet .jsonl .json); repeatable.",
    "-o",
    "--output",
    words=list[Path] | None,
    only="command",
)
OVERWRITE = option(False, "Replace what is at the output path.", only="command")
JSON = option(False, "Print one JSON object and nothing else.", only="command")


def parse_pairs(items: list[str] | None, option: str, expected: str = "COLUMN=VALUE") -> dict[str, list[str]]:
    """``COLUMN=VALUE`` options as column -> values.

    Raises
    ------
    UsageError
        An item without an equals sign or column.
    """
    values: dict[str, list[str]] = {}
    for item in items or []:
        column, equals, value = item.partition("=")
        if not equals or not column:
            raise UsageError(f"{option} {item!r}, expected {expected}")
        values.setdefault(column.strip(), []).append(value.strip())
    return values


def check_level(level: float) -> None:
    """Refuse a coverage that is none.

    Raises
    ------
    UsageError
    """
    if not 0 < level < 1:
        raise UsageError(f"--level {level:g}, expected between 0 and 1, such as 0.95")


def check_bootstrap(samples: int) -> None:
    """Refuse a bootstrap without samples.

    Raises
    ------
    UsageError
    """
    if samples < 1:
        raise UsageError(f"--bootstrap {samples}, expected at least 1")


FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
TABLE_SUFFIXES = (".csv", ".parquet", ".jsonl", ".json")

INPUTS = "intent.inputs"
"""Group of entry points: functions of (file, folder) that say whether the file is one of those read there."""


@dataclass(frozen=True)
class Table:
    """A table for people.

    Attributes
    ----------
    header : sequence of str
    rows : iterable of rows; floats are rounded, None is a dash
    title : str, above it
    fixed : int, optional
        Where the terminal may be too narrow: columns that stand in every block of it.
    """

    header: Sequence[str]
    rows: Iterable[Sequence[object]]
    title: str = ""
    fixed: int | None = None


class Text(str):
    """Several lines for people, such as a prompt; a plain text among the parts of a result is one line."""


class Result:
    """What a job returns: values, a table, a figure, words, and how it came about.

    A subclass says its `kind` and gives `fields`, `table`, `parts`; where it can be drawn, `draw`. The rest
    is shared.
    """

    kind: ClassVar[str]
    """Of the result, in the facts of every file."""

    noun: ClassVar[str] = "the result"
    """What it is, for errors."""

    config: Mapping[str, Any]
    """The resolved settings, the version, and path and hash of what was read; JSON-able."""

    origin: Path | None = None
    """What was read, if it was a file; never written over."""

    notes: Sequence[str] = ()
    """What a reader should be warned of, one line each."""

    sheet: Sheet | None = None
    """How its figures are set, where its request says so."""

    @property
    def exit_code(self) -> int:
        """Of the command: other than 0 where something is left to be done."""
        return 0

    def fields(self) -> Mapping[str, Any]:
        """The keys of its JSON object."""
        raise NotImplementedError

    def table(self) -> pd.DataFrame:
        """The rows of .csv, .parquet and .jsonl; a result that has them in memory may hold them instead."""
        raise NotImplementedError

    def parts(self) -> Iterator[Table | str]:
        """What a command prints: tables, and lines of text; an empty one parts what stands around it."""
        raise NotImplementedError

    def remarks(self) -> Iterator[str]:
        """Lines beside the result that warn of nothing, such as what was left out of it."""
        yield from ()

    def warnings(self) -> Iterator[str]:
        """Lines that warn, in front of what a command prints: the notes."""
        yield from self.notes

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw into a path that has been checked."""
        expected = f"{', '.join(TABLE_SUFFIXES[:-1])} or {TABLE_SUFFIXES[-1]}"
        raise OutputError(f"cannot write {target}: {self.noun} has no figure, expected {expected}")

    def to_dict(self) -> dict[str, Any]:
        """The object of ``--json``, as `codebook.JSON_OBJECTS` describes it; what is not a number is None."""
        values: dict[str, Any] = json_values(dict(self.fields()))
        return values

    def facts(self) -> dict[str, Any]:
        """How it came about, as every file of it says."""
        return {"kind": self.kind, **self.config}

    def payload(self) -> dict[str, Any]:
        """The object of a .json file: what ``--json`` prints, and the settings."""
        return {**self.to_dict(), "config": self.facts()}

    def description(self) -> str:
        """Its facts as a figure's metadata holds them, in ASCII."""
        return json.dumps(self.facts(), ensure_ascii=True, default=str)

    def write(self, path: str | Path, *, overwrite: bool = False, **how: Any) -> Path:
        """Write it as the suffix says: a figure, the table, or the JSON object with its settings.

        Parameters
        ----------
        path : path
        overwrite : bool
        **how : of the figure, as `draw` takes it; and width, font, theme as `intent.base.sheet.sheet_of`

        Raises
        ------
        UsageError
            Too much for one figure, or a width that is none.
        OutputError
            Another suffix, or a path that cannot be written.
        """
        page = self.sheet_for(how)
        return write_result(
            path,
            figure=lambda target: self._drawn(target, page, overwrite=overwrite, **how),
            table=lambda: self.table() if callable(self.table) else self.table,
            payload=self.payload,
            facts=self.facts(),
            origin=self.origin,
            overwrite=overwrite,
        )

    def _drawn(self, target: Path, page: Sheet | None, *, overwrite: bool, **how: Any) -> Path:
        with drawn_on(page):
            return self.draw(target, overwrite=overwrite, **how)

    def sheet_for(self, how: dict[str, Any]) -> Sheet | None:
        """The sheet that width, font and theme describe, which are taken out; else that of the request."""
        words = {name: how.pop(name) for name in ("width", "font", "theme") if name in how}
        return sheet_of(**words) if words else self.sheet


@dataclass(frozen=True, eq=False)
class Summary(Result):
    """A result of which no more is known than its JSON object.

    Parameters
    ----------
    values : mapping
    path : Path, optional
        The folder that the job filled.
    config : mapping
    """

    kind = "summary"

    values: Mapping[str, Any]
    path: Path | None = None
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def notes(self) -> Sequence[str]:  # type: ignore[override]
        """Those of the object."""
        return list(self.values.get("notes", ()))

    def fields(self) -> Mapping[str, Any]:
        """The values."""
        return self.values


def write_result(
    path: str | Path,
    *,
    figure: Callable[[Path], Path],
    table: Callable[[], pd.DataFrame],
    payload: Callable[[], Mapping[str, Any]],
    facts: Mapping[str, Any],
    origin: str | Path | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a result as the suffix says; only what is written is computed.

    Parameters
    ----------
    path : path
    figure : draws into a path that has been checked, and returns it
    table : the rows of .csv, .parquet and .jsonl
    payload : the object of .json
    facts : mapping
        How the result came about, JSON-able; kept with the table.
    origin : path, optional
        As `check_output`.
    overwrite : bool

    Raises
    ------
    OutputError
        As `check_output`, or the path cannot be written.
    """
    target = check_output(path, origin=origin)
    if target.suffix in FIGURE_SUFFIXES:
        return figure(target)
    if target.suffix != ".json":
        from intent.base.tables import write_table

        return write_table(table(), target, facts, overwrite=overwrite)
    from intent.base.outputs import write_object

    return write_object(target, json_values(dict(payload())), overwrite=overwrite)


def check_output(
    path: str | Path,
    *,
    overwrite: bool | None = None,
    origin: str | Path | None = None,
    texts: Sequence[str] = (),
) -> Path:
    """The path, if its suffix is one that a result can be written as.

    Parameters
    ----------
    path : path
    overwrite : bool, optional
        Where given, also whether the path may be written to (for a table with a companion file: both).
    origin : path, optional
        What is read: neither it, if a folder one of its tables, nor its companion file may be written over.
    texts : sequence of str
        Further suffixes, of texts that a result can be written as.

    Raises
    ------
    OutputError
        Another suffix, a path that cannot be written, or what is read.
    """
    target = path_of(path)
    if target.suffix not in (*FIGURE_SUFFIXES, *TABLE_SUFFIXES, *texts):
        kinds = f"a figure ({', '.join(FIGURE_SUFFIXES)}) or a table ({', '.join((*TABLE_SUFFIXES, *texts))})"
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected {kinds}")
    _spare(target, origin)
    if overwrite is not None and target.suffix in (".csv", ".jsonl"):
        from intent.base.tables import claim_table

        claim_table(target, overwrite=overwrite)
    elif overwrite is not None:
        claim(target, overwrite=overwrite)
    return target


def check_text(path: str | Path, *, overwrite: bool) -> Path:
    """The path of a text file, if it may be written to.

    Raises
    ------
    OutputError
        It may not.
    """
    return claim(path, overwrite=overwrite)


def write_text(text: str, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a text file.

    Raises
    ------
    OutputError
        The path cannot be written.
    """
    target = check_text(path, overwrite=overwrite)
    with writing(target, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf-8")
    return target


def data_line(source: str | None, *details: str, nothing: str = "log in memory") -> str:
    """The line of a caption that says what the result was made from.

    Parameters
    ----------
    source : name of a file, or None
    *details : what else is to be known; empty ones are left out
    nothing : what stands in place of a name

    Examples
    --------
    >>> data_line("results.csv", "game = chicken")
    'Data: results.csv; game = chicken.'
    """
    return f"Data: {'; '.join([source or nothing, *filter(None, details)])}."


def kept_in_words(where: Mapping[str, Any]) -> list[str]:
    """Conditions on columns as a caption names them: ``model = a or b``."""
    return [f"{column} = {' or '.join(map(str, values))}" for column, values in where.items()]


def _spare(target: Path, origin: str | Path | None) -> None:
    """Refuse to write over what is read, or over the companion file that says what its columns are.

    Nor may a result become part of a folder of tables that is read.
    """
    if origin is None:
        return
    folder = path_of(origin)
    if folder.is_dir() and any(load(part)(target, folder) for part in points(INPUTS).values()):
        raise OutputError(f"cannot write {target}: it is part of the log that is read")
    if not target.exists():
        return
    for read in (folder, folder.with_name(f"{folder.name}.meta.json")):
        if is_remote(read) == is_remote(target) and read.exists() and target.samefile(read):
            raise OutputError(f"cannot write {target}: it is the table that is read")


def source_of(log: Mapping[str, Any]) -> dict[str, Any]:
    """Name and hash of a log, from its provenance: a figure tells no paths."""
    name = Path(str(log["source"])).name if log.get("source") else None
    return {"source": name, "sha256": log.get("sha256")}


def source_of_table(path: Path) -> dict[str, Any]:
    """Name and hash of the file of a table."""
    import hashlib

    with path.open("rb") as stream:
        return {"source": path.name, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


class Printing(Request, kw_only=True):
    """How the figures of a job are set on paper."""

    width: str | float | None = option(
        None,
        f"Width of figures: single ({COLUMNS['single']:g} mm), double ({COLUMNS['double']:g} mm), or "
        "millimetres; set in small type, with the caption beside the file only.",
        words=str | None,
        metavar="COLUMN|MM",
        recorded=False,
    )
    font: str | Sequence[str] = option(
        (),
        "Family of the figures' type, such as Arial; others follow where it lacks a letter (repeatable).",
        words=list[str] | None,
        metavar="FAMILY",
        recorded=False,
    )
    theme: str | Path | Mapping[str, Any] | None = option(
        None,
        "YAML file with the colours, type and sizes of figures.",
        words=Path | None,
        metavar="FILE",
        recorded=False,
    )

    def sheet(self) -> Sheet | None:
        """The sheet that its settings describe; None where they say nothing.

        Raises
        ------
        UsageError, DataError
            As `sheet_of`.
        """
        if not self.changed(Printing.settings):
            return None
        return sheet_of(self.width, self.font, self.theme)

    def scope(self) -> AbstractContextManager[None]:
        """Figures are drawn on that sheet."""
        chosen = self.sheet()
        return nullcontext() if chosen is None else drawn_on(chosen)

    def finished(self, result: Any) -> Any:
        """A result that is drawn later, on that sheet too."""
        chosen = self.sheet()
        if chosen is not None and hasattr(type(result), "sheet"):
            object.__setattr__(result, "sheet", chosen)
        return result

    @classmethod
    def of_file(cls, place: str, values: Mapping[str, Any]) -> None:
        """Also of the sheet.

        Raises
        ------
        UsageError
            As `Request.of_file`.
        """
        super().of_file(place, values)
        sheet_of(**{name: values[name] for name in Printing.settings if name in values})
