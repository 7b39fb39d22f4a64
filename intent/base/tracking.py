"""The tracker that jobs talk to, and two that need no MLflow.

The tracker that the user's options ask for.

Runs in MLflow: by default a local SQLite store beside the user's work.

An MLflow store in an SQLite file: checked before MLflow opens it, at home wherever its folder is moved.

MLflow keeps the place of artifacts as an absolute address, once for the experiment and once for every run.
A file from elsewhere could so have runs written to any folder or server, and a project that is moved would
go on writing where it was. Here a store may keep artifacts below its own folder only. Experiments of ours say
in a tag (`TAG`) that theirs are in ``mlartifacts`` beside the store; whenever such a store is opened and has
moved, the addresses follow it, so that MLflow and its page find the artifacts, too.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import shlex
import sqlite3
import stat
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from intent.base.binary import open_database, transaction
from intent.base.errors import UsageError, one_line, shorten
from intent.base.masking import redact, remember
from intent.base.outputs import private
from intent.base.registry import LOGGER, missing, require
from intent.base.remote import Contact, announce, contact, silence

__all__ = [
    "ARTIFACTS",
    "TAG",
    "MLflowTracker",
    "MemoryTracker",
    "NullTracker",
    "TrackedData",
    "TrackedModel",
    "TrackedRun",
    "Tracker",
    "check_artifacts",
    "check_store",
    "default_tracker",
    "make_tracker",
    "runs_page",
    "show_runs",
    "store_path",
    "tracking_contacts",
]


@dataclass(frozen=True)
class TrackedData:
    """Play that a run learned from or was measured on.

    Parameters
    ----------
    name : str
    digest : str, which other play does not have
    source : str, file, or name of a dataset spec
    context : str, such as ``training``
    rows : int, trajectories
    """

    name: str
    digest: str
    source: str
    context: str
    rows: int


@dataclass(frozen=True)
class TrackedModel:
    """A fitted model that is kept with a run, and can be opened and registered from there.

    Parameters
    ----------
    folder : saved model
    loader : module with a function ``_load_pyfunc`` that opens the folder
    settings : of its ``predict``, with their defaults
    card : what a user of it should know, in Markdown
    version : of this package, which opens it
    """

    folder: Path
    loader: str
    settings: Mapping[str, str | float]
    card: str
    version: str


@dataclass(frozen=True)
class TrackedRun:
    """What is recorded of one run.

    Parameters
    ----------
    name : str
    parameters : mapping of str -> JSON-able value; an object becomes a field for each of its values
    metrics : mapping of str -> float
    curves : mapping of str -> values by step; ``step``, if there, says which steps those are
    artifacts : files and folders to keep with the run
    pictures : files to keep in its folder ``pictures``
    tags : what runs are searched by
    data : play that it is of, last that which its metrics are of
    model : TrackedModel, optional
    began, ended : float, seconds since 1970; by default the time at which it is recorded
    parts : runs within this one
    note : what it is, in Markdown
    """

    name: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, float]
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    artifacts: Sequence[Path] = ()
    pictures: Sequence[Path] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    data: Sequence[TrackedData] = ()
    model: TrackedModel | None = None
    began: float | None = None
    ended: float | None = None
    parts: Sequence[TrackedRun] = ()
    note: str = ""


class Tracker(Protocol):
    """Records finished runs, each in one write."""

    def record(self, run: TrackedRun) -> str | None:
        """Keep a run; returns its identifier, None where nothing is kept."""
        ...

    @property
    def where(self) -> str | None:
        """Where people find the runs; None where nothing is kept, so that nothing need be recorded."""
        ...

    @property
    def page(self) -> str | None:
        """Address of the page that shows them, once there are any."""
        ...


def tracking_contacts(uri: str | None) -> list[Contact]:
    """Whom a tracking URI means; nobody where it is a file, or none."""
    if uri is None or uri.lower().startswith(("sqlite:", "file:")):
        return []
    if uri.startswith("databricks"):
        return [Contact("the Databricks workspace that is configured", None, "MLflow")]
    return [contact(uri, "MLflow")] if "://" in uri else []


class NullTracker:
    """Keeps nothing (``--no-track``)."""

    where: str | None = None
    page: str | None = None

    def record(self, run: TrackedRun) -> str | None:
        """Forget the run."""
        return None


class MemoryTracker:
    """Keeps runs in a list, for tests and notebooks."""

    where: str | None = "memory"
    page: str | None = None

    def __init__(self) -> None:
        self.runs: list[TrackedRun] = []

    def record(self, run: TrackedRun) -> str | None:
        """Append the run; its identifier is its number."""
        self.runs.append(run)
        return str(len(self.runs))


def make_tracker(uri: str | None, experiment: str = "intent") -> Tracker:
    """MLflow at a URI or SQLite file; None keeps nothing.

    Raises
    ------
    MissingExtraError
        MLflow is not installed.
    """
    return NullTracker() if uri is None else MLflowTracker(uri, experiment=experiment)


def default_tracker(uri: str | None, store: Path = Path("mlflow.db"), experiment: str = "intent") -> Tracker:
    """The tracker of a command that records unless told otherwise: in a store of its own if no URI is named.

    Without MLflow it keeps nothing then, and says so (`intent.base.registry.LOGGER`); a named URI needs
    MLflow.

    Raises
    ------
    MissingExtraError
        MLflow is not installed, but a URI is named.
    """
    if uri is None and (lack := missing("mlflow")) is not None:
        LOGGER.warning("the runs are not recorded: %s", lack)
        return NullTracker()
    return make_tracker(str(store) if uri is None else uri, experiment)


def show_runs(uri: str) -> str:
    """The command that shows the runs of a store, with MLflow's telemetry off."""
    switch = "" if os.name == "nt" else "MLFLOW_DISABLE_TELEMETRY=true "
    return f"{switch}mlflow ui --host 127.0.0.1 --backend-store-uri {shlex.quote(uri)}"


def runs_page(uri: str, experiment_id: str) -> str:
    """Where the page of a server, or that of `show_runs`, has the runs of an experiment.

    MLflow 3 keeps in the browser whether it shows model training or generative AI, begins with the latter,
    and then opens an experiment on its traces, whatever kind its tag names; from its list of experiments also
    where the address says the former. The address of the runs themselves is followed.
    """
    server = uri.rstrip("/") if uri.startswith(("http:", "https:")) else "http://127.0.0.1:5000"
    return f"{server}/#/experiments/{experiment_id}/runs?workflowType=machine_learning"


TAG = "intent.artifacts"
"""Tag of an experiment whose artifacts are in a folder beside the store; its value is the folder's name."""

ARTIFACTS = "mlartifacts"
"""Folder beside the store."""

_MARK = "INSERT OR REPLACE INTO experiment_tags (key, value, experiment_id) VALUES (?, ?, ?)"
_LONGEST_TEXT = 2**20
_HEAD = b"SQLite format 3\0"
_WAY_OUT = "name a store of your own with --tracking, or move this one away, or --no-track"
_ITS_TRIGGERS = "secrets"
"""The one table that MLflow itself gives a trigger."""


def store_path(uri: str) -> Path | None:
    """The file that a tracking URI means: a path, or ``sqlite:///PATH``; None for a server.

    Raises
    ------
    UsageError
        An SQLite or file address with other parts than a path.
    """
    if "://" not in uri and not uri.lower().startswith(("sqlite:", "file:")):
        return None if uri in ("databricks", "databricks-uc") else Path(uri)
    scheme = uri.partition(":")[0].lower()
    if scheme.partition("+")[0] == "sqlite":
        place = uri.partition("///")[2]
        if not place or uri.partition("///")[0] != f"{uri.partition(':')[0]}:" or "?" in place:
            raise UsageError(f"--tracking {one_line(uri, 80)}, expected a path or sqlite:///PATH")
        return Path(place)
    if scheme == "file":
        raise UsageError(
            f"--tracking {one_line(uri, 80)}: stores that are folders of files are not written, expected the "
            "path of an SQLite file or the address of a server"
        )
    return None


def check_store(path: Path, experiment: str) -> None:
    """Refuse a store that is not what it should be; let one of ours that was moved follow its folder.

    Parameters
    ----------
    path : Path
        An absolute path. A file that is absent or empty is a new store.
    experiment : str
        The experiment that will be written to.

    Raises
    ------
    UsageError
        It is a link, no SQLite database, damaged, would run statements of its own (views, triggers), or the
        experiment keeps its artifacts elsewhere.
    """
    if "?" in str(path):
        raise _refused(path, "has a question mark in its path, which ends an SQLite address")
    if path.is_symlink():
        raise _refused(path, "is a link, expected the store itself")
    try:
        facts = path.stat()
    except FileNotFoundError:
        _check_folder(path, path.parent / ARTIFACTS, "")
        return
    except OSError as error:
        raise _refused(path, f"cannot be read ({error.strerror or error})") from None
    if not stat.S_ISREG(facts.st_mode):
        raise _refused(path, "is no file, expected an SQLite database of MLflow")
    for beside in ("-journal", "-wal", "-shm"):
        if Path(f"{path}{beside}").is_symlink():
            raise _refused(path, f"has a link {path.name}{beside} beside it")
    if not facts.st_size:
        _check_folder(path, path.parent / ARTIFACTS, "")
        return
    with path.open("rb") as stream:
        if stream.read(len(_HEAD)) != _HEAD:
            raise UsageError(
                f"MLflow cannot open sqlite:///{one_line(path)}: it is no SQLite database; {_WAY_OUT}"
            )
    try:
        database = open_database(f"{path.as_uri()}?mode=rw", uri=True, timeout=30, cell=_LONGEST_TEXT)
        with closing(database) as db:
            _check_schema(db, path)
            _settle(db, path, experiment)
    except sqlite3.Error as error:
        raise _refused(path, f"is damaged, or none of MLflow ({one_line(error, 80)})") from None


def check_artifacts(path: Path, location: str) -> None:
    """Refuse a place of artifacts that is not below the folder of the store.

    Parameters
    ----------
    path : Path, of the store
    location : str, path or address

    Raises
    ------
    UsageError
    """
    place = _local(location)
    if place is None:
        raise _refused(path, f"sends artifacts to {_shown(location)}, expected a folder beside it")
    _check_folder(path, place, location)


def _check_schema(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what computes when the store is read or written."""
    sql = "SELECT type, name FROM sqlite_master WHERE type = 'view' OR (type = 'trigger' AND tbl_name <> ?)"
    odd = db.execute(sql, (_ITS_TRIGGERS,)).fetchone()
    if odd is not None:
        raise _refused(path, f"holds the {odd[0]} {one_line(odd[1], 40)!r}, which no store of MLflow has")


def _settle(db: sqlite3.Connection, path: Path, experiment: str) -> None:
    """Let addresses follow the store, mark what is ours, refuse what leads elsewhere."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"experiments", "experiment_tags", "runs"} <= tables:
        return  # MLflow will make its tables, or say why it does not
    home = (path.parent / ARTIFACTS).as_uri()
    sql = (
        "SELECT e.experiment_id, e.name, e.artifact_location, t.value "
        "FROM experiments e LEFT JOIN experiment_tags t ON t.experiment_id = e.experiment_id AND t.key = ? "
        "WHERE e.name = ? OR t.value IS NOT NULL LIMIT 1000"
    )
    for number, name, location, folder in db.execute(sql, (TAG, experiment)).fetchall():
        if not isinstance(location, str):
            raise _refused(path, f"says no place for the artifacts of experiment {one_line(name, 40)!r}")
        if location != home and folder == ARTIFACTS and _local(location) is not None and _named(location):
            _check_folder(path, path.parent / ARTIFACTS, home)
            _move(db, number, location, home)
            location = home
        if name == experiment:
            check_artifacts(path, location)
        if location == home and folder != ARTIFACTS:
            db.execute(_MARK, (TAG, ARTIFACTS, number))


def _move(db: sqlite3.Connection, number: int, old: str, new: str) -> None:
    """The addresses of an experiment, its runs and models, in one transaction."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    with transaction(db):
        db.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (new, number))
        for table, column in _ADDRESSES:
            if table in tables:
                db.execute(
                    f"UPDATE {table} SET {column} = ? || substr({column}, ?) "
                    f"WHERE experiment_id = ? AND substr({column}, 1, ?) = ?",
                    (new, len(old) + 1, number, len(old) + 1, f"{old}/"),
                )
        if "model_versions" in tables:
            db.execute(
                "UPDATE model_versions SET storage_location = ? || substr(storage_location, ?) "
                "WHERE substr(storage_location, 1, ?) = ?",
                (new, len(old) + 1, len(old) + 1, f"{old}/"),
            )


_ADDRESSES = (("runs", "artifact_uri"), ("logged_models", "artifact_location"))
"""Tables of an experiment that hold addresses of artifacts."""


def _named(location: str) -> bool:
    """Whether a place is called as ours are, and so may be where the store was."""
    return location.rsplit("/", 1)[-1] == ARTIFACTS


def _local(location: str) -> Path | None:
    """The folder that a location means; None where it is on no disk of this machine."""
    if "://" not in location and not location.lower().startswith("file:"):
        return Path(location)
    parts = urlsplit(location)
    if (
        parts.scheme.lower() != "file"
        or parts.netloc not in ("", "localhost")
        or parts.query
        or parts.fragment
    ):
        return None
    return Path(url2pathname(parts.path))


def _check_folder(path: Path, place: Path, location: str) -> None:
    """Refuse a folder that is, once links are followed, not below that of the store."""
    home = path.parent.resolve()
    real = Path(os.path.realpath(place)) if place.is_absolute() else None
    if real is None or home not in real.parents:
        way = "is a link to" if place.is_symlink() else "sends artifacts to"
        what = f"{place.name} beside it {way} {one_line(real, 120)}" if place.is_symlink() else ""
        raise _refused(
            path,
            what or f"sends artifacts to {_shown(location)}, expected a folder below {one_line(home, 120)}",
        )


def _shown(location: str) -> str:
    """A location for a message, without user and password."""
    before, at, rest = location.partition("://")
    if not at:
        return one_line(location, 120)
    host, slash, tail = rest.partition("/")
    return one_line(f"{before}://{host.rpartition('@')[2]}{slash}{tail}", 120)


def _refused(path: Path, why: str) -> UsageError:
    return UsageError(f"MLflow store {one_line(path, 120)} {why}; {_WAY_OUT}")


_LONGEST_PARAMETER = 6000
_LONGEST_KEY = 240
_LARGEST_BATCH = 1000
_MOST_PARAMETERS = 100
"""Parameters of one request, as servers allow."""
_MOST_FIELDS = 1000
_LONGEST_DIGEST = 36
_NOTE, _PARENT = "mlflow.note.content", "mlflow.parentRunId"
_KIND, _OPENS_ON_RUNS = "mlflow.experimentKind", "custom_model_development"
"""Tag of the kind of an experiment, and the kind whose runs come first."""
_PLAIN_MODEL = re.compile(r"[^A-Za-z0-9_\- ]+")
_FOREIGN = re.compile(r"[^A-Za-z0-9_.\- ]+")
_PASSWORD = re.compile(r"(?<=://)[^/@]*@")


class MLflowTracker:
    """Records runs through MLflow's client, all numbers of a run in one batch.

    Parameters
    ----------
    uri : str or Path, optional
        A path or ``sqlite:///PATH`` means an SQLite file, with artifacts in ``mlartifacts/`` beside it, both
        for their user's eyes only; another URI means a server. Default: ``mlflow.db`` in the working folder.
    experiment : str
        Name of the MLflow experiment.

    Raises
    ------
    MissingExtraError
        The extra ``train`` is not installed.
    UsageError
        The path cannot be written, or the store there is refused (`intent.base.tracking`).

    Notes
    -----
    MLflow allows letters, digits and ``_-. `` in the names of metrics and parameters; here every run of other
    characters becomes one ``_``, and ``_``, ``.`` and blanks at the ends go: ``f1_GTFT(0.1)`` is kept as
    ``f1_GTFT_0.1``. Where two names fall together, the second gets ``_2``.
    """

    def __init__(self, uri: str | Path | None = None, *, experiment: str = "intent") -> None:
        require("mlflow")
        store = Path("mlflow.db") if uri is None else uri
        path = store if isinstance(store, Path) else store_path(store)
        self._path = None if path is None else path.absolute()
        if self._path is not None:
            place = self._path if self._path.exists() else self._path.parent
            if self._path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
                raise UsageError(
                    f"MLflow cannot keep runs in {store}: no file can be written there (or --no-track)"
                )
            check_store(self._path, experiment)
            self._uri = f"sqlite:///{self._path}"
        else:
            self._uri = str(store)
            remember(unquote(urlsplit(self._uri).password or ""))
        self.where: str = _PASSWORD.sub("***@", self._uri)
        self.experiment = experiment
        self._client: Any = None
        self._experiment_id = ""

    @property
    def page(self) -> str | None:
        """Address of the runs on MLflow's page, once a run is kept."""
        return runs_page(self.where, self._experiment_id) if self._experiment_id else None

    def record(self, run: TrackedRun) -> str | None:
        """Write parameters, metrics, curves and artifacts of a finished run; returns its run_id.

        Raises
        ------
        UsageError
            MLflow cannot open the store, or refuses any part of the run, which is then kept as FAILED.
        """
        with _quiet(), private(self._path is not None):
            return self._recorded(self._connect(), run, None)

    def _recorded(self, client: Any, run: TrackedRun, parent: str | None) -> str:
        """Write a run, within another one where there is one, and the runs within it."""
        run_id: str | None = None
        status = "FAILED"
        now = time.time()
        ended = now if run.ended is None else run.ended
        tags = dict(run.tags) | ({_NOTE: run.note} if run.note else {})
        try:
            created = client.create_run(
                self._experiment_id,
                start_time=_milliseconds(ended if run.began is None else run.began),
                run_name=run.name,
                tags={name: _text(value) for name, value in tags.items()}
                | ({_PARENT: parent} if parent else {}),
            ).info
            run_id = str(created.run_id)
            if self._path is not None:
                check_artifacts(self._path, created.artifact_uri)
            model_id = None if run.model is None else self._log_model(client, run_id, run, run.model)
            _write(client, run_id, run, model_id, _milliseconds(ended))
            for part in run.parts:
                self._recorded(client, part, run_id)
            status = "FINISHED"
        except UsageError:
            raise
        except Exception as error:  # stores and artifact clients each raise errors of their own
            raise UsageError(
                f"MLflow at {self.where} could not keep run {run.name!r}: {self._reason(error)}"
            ) from error
        finally:
            if run_id is not None:
                self._end(client, run_id, status, _milliseconds(ended))
        return run_id

    def _log_model(self, client: Any, run_id: str, run: TrackedRun, model: TrackedModel) -> str | None:
        """Keep the model as MLflow's own, or, where a server knows no such thing, in the run's folder."""
        from tempfile import TemporaryDirectory

        from mlflow.entities import LoggedModelOutput

        tags = {**run.tags, _NOTE: model.card}
        try:
            logged = client.create_logged_model(
                self._experiment_id,
                name=_PLAIN_MODEL.sub("_", run.name)[:_LONGEST_KEY],
                source_run_id=run_id,
                tags={name: _text(value) for name, value in tags.items()},
                params=dict(_fields(run.parameters)),
                model_type="strategy recogniser",
            )
        except Exception:  # noqa: BLE001 - servers before MLflow 3, each with errors of its own
            logged = None
        if logged is not None and self._path is not None:
            check_artifacts(self._path, logged.artifact_location)
        with TemporaryDirectory() as drafts:
            folder = Path(drafts) / "model"
            _save_model(folder, model, run_id, None if logged is None else logged.model_id)
            if logged is None:
                client.log_artifacts(run_id, str(folder), artifact_path="model")
                return None
            client.log_model_artifacts(logged.model_id, str(folder))
        client.finalize_logged_model(logged.model_id, "READY")
        client.log_outputs(run_id, [LoggedModelOutput(logged.model_id, step=0)])
        return str(logged.model_id)

    def _end(self, client: Any, run_id: str, status: str, ended: int) -> None:
        """Close a run; a failure to close one that failed would only hide why."""
        try:
            client.set_terminated(run_id, status, end_time=ended)
        except Exception as error:
            if status == "FINISHED":
                raise UsageError(
                    f"MLflow at {self.where} could not close run {run_id}: {self._reason(error)}"
                ) from error

    def _connect(self) -> Any:
        if self._client is None:
            from mlflow.tracking import MlflowClient

            announce(tracking_contacts(self._uri))
            try:
                if self._path is not None:
                    check_store(self._path, self.experiment)  # again: a run may have taken days
                client = MlflowClient(tracking_uri=self._uri)
                there = client.get_experiment_by_name(self.experiment)
                self._experiment_id = there.experiment_id if there is not None else self._new(client)
                if there is not None and _KIND not in there.tags:
                    client.set_experiment_tag(self._experiment_id, _KIND, _OPENS_ON_RUNS)
            except UsageError:
                raise
            except Exception as error:  # as in `record`
                raise UsageError(f"MLflow cannot open {self.where}: {self._reason(error)}") from error
            self._client = client
        return self._client

    def _new(self, client: Any) -> str:
        """The experiment, made; in a file of ours its artifacts are beside it."""
        if self._path is None:
            return str(client.create_experiment(self.experiment, tags={_KIND: _OPENS_ON_RUNS}))
        home = (self._path.parent / ARTIFACTS).as_uri()
        tags = {TAG: ARTIFACTS, _KIND: _OPENS_ON_RUNS}
        return str(client.create_experiment(self.experiment, artifact_location=home, tags=tags))

    def _reason(self, error: Exception) -> str:
        """The first line of an error, without the keys that the URI may hold."""
        lines = str(error).splitlines() or [type(error).__name__]
        return shorten(redact(lines[0].replace(self._uri, self.where)), 300)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what MLflow and its libraries say of themselves from the user's terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        silence()
        import_module("mlflow.tracking")  # sets the levels of its loggers when imported, so comes first
        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        yield


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def _save_model(folder: Path, model: TrackedModel, run_id: str, model_id: str | None) -> None:
    """Write a model as MLflow has them, by a module that opens it; without pickle."""
    from mlflow import pyfunc
    from mlflow.models import Model, ModelSignature
    from mlflow.types import ParamSchema, ParamSpec

    settings = [
        ParamSpec(name, "string" if isinstance(value, str) else "double", value)
        for name, value in model.settings.items()
    ]
    pyfunc.save_model(
        str(folder),
        loader_module=model.loader,
        data_path=str(model.folder),
        mlflow_model=Model(run_id=run_id, model_id=model_id),
        signature=ModelSignature(params=ParamSchema(settings)) if settings else None,
        pip_requirements=[f"strategy-intent=={model.version}"],
    )
    (folder / "README.md").write_text(model.card, encoding="utf-8")


def _write(client: Any, run_id: str, run: TrackedRun, model_id: str | None, now: int) -> None:
    from mlflow.entities import Metric, Param

    points = [(name, 0, value) for name, value in run.metrics.items()]
    curves = dict(run.curves)
    steps = [int(step) for step in curves.pop("step", range(max(map(len, curves.values()), default=0)))]
    points += [(name, steps[i], value) for name, curve in curves.items() for i, value in enumerate(curve)]
    keys = _keys([*run.metrics, *curves])
    of_model = {} if model_id is None else {"model_id": model_id, "run_id": run_id}
    if of_model and run.data:
        measured_on = _data_input(run.data[-1]).dataset
        of_model |= {"dataset_name": measured_on.name, "dataset_digest": measured_on.digest}
    metrics = [
        Metric(keys[name], float(v), now, step, **of_model) for name, step, v in points if math.isfinite(v)
    ]
    parameters = [Param(name, value) for name, value in _fields(run.parameters)]
    client.log_batch(run_id, metrics=metrics[:_LARGEST_BATCH], params=parameters[:_MOST_PARAMETERS])
    for start in range(_LARGEST_BATCH, len(metrics), _LARGEST_BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + _LARGEST_BATCH])
    for start in range(_MOST_PARAMETERS, len(parameters), _MOST_PARAMETERS):
        client.log_batch(run_id, params=parameters[start : start + _MOST_PARAMETERS])
    if run.data:
        client.log_inputs(run_id, [_data_input(data) for data in run.data])
    for artifact in run.artifacts:
        if artifact.is_dir():
            client.log_artifacts(run_id, str(artifact), artifact_path=artifact.name)
        else:
            client.log_artifact(run_id, str(artifact))
    for picture in run.pictures:
        client.log_artifact(run_id, str(picture), artifact_path="pictures")


def _data_input(data: TrackedData) -> Any:
    """Play as MLflow's dataset."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    dataset = Dataset(
        name=shorten(data.name, 200),
        digest=data.digest[:_LONGEST_DIGEST],
        source_type="local",
        source=json.dumps({"uri": shorten(data.source, 1000)}),
        profile=json.dumps({"trajectories": data.rows}),
    )
    return DatasetInput(dataset, [InputTag("mlflow.data.context", data.context)])


def _fields(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Key and text of each parameter; objects as a field for each value, lists of values in one line."""
    flat = dict(_flat("", parameters))
    keys = _keys(flat)
    return [(keys[name], _text(value)) for name, value in list(flat.items())[:_MOST_FIELDS]]


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), inner)
    elif isinstance(value, list | tuple):
        if any(isinstance(inner, Mapping | list | tuple) for inner in value):
            for i, inner in enumerate(value, 1):
                yield from _flat(f"{prefix}.{i}", inner)
        else:
            yield prefix, ", ".join(map(_text, value))
    else:
        yield prefix, value


def _keys(names: Iterable[str]) -> dict[str, str]:
    """Name -> the key that MLflow accepts, different for different names."""
    keys: dict[str, str] = {}
    for name in dict.fromkeys(names):
        stem = key = _FOREIGN.sub("_", name).strip("_. ")[:_LONGEST_KEY] or "_"
        number = 1
        while key in keys.values():
            number += 1
            key = f"{stem}_{number}"
        keys[name] = key
    return keys


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else "none" if value is None else json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_PARAMETER else text[: _LONGEST_PARAMETER - 1] + "…"
