"""What is beyond this machine: hosts are named before they are contacted, and object storage is a path.

Nothing leaves the machine unasked. Of all libraries that this package loads, MLflow alone reports on its
own. It looks its host up as soon as it is imported, so `silence` is called when this package is, and its
switch is inherited by every process begun from here.

``s3://BUCKET/KEY`` stands wherever the one path of data reads a log or writes a result. A `RemotePath`
answers what a path of this machine answers, by fsspec and s3fs (extra ``cloud``). Keys come from the
environment or a profile, as the AWS tools read them, never from an address: one that holds a key is refused
before anything is done with it. What is written is made whole on this machine and sent when it is complete.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

from intent.base.errors import DataError, IntentError, OutputError, UsageError, one_line
from intent.base.masking import redact, remember
from intent.base.registry import require

__all__ = [
    "ADDRESS",
    "LOGGER",
    "SCHEMES",
    "Contact",
    "RemotePath",
    "announce",
    "contact",
    "contacts_line",
    "forget",
    "listing_sha256",
    "remote_path",
    "require_bucket",
    "send",
    "silence",
    "storage",
]

LOGGER = logging.getLogger("intent.contacts")
"""Told, at level INFO, which hosts will be contacted. The command line shows it on standard error."""

_SAID: set[Contact] = set()

_SWITCH = "MLFLOW_DISABLE_TELEMETRY"
_PORTS = {"https": 443, "http": 80, "postgresql": 5432, "mysql": 3306, "mssql": 1433, "databricks": 443}
_TRUE = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True)
class Contact:
    """A host that will be contacted.

    Parameters
    ----------
    host : str
        Name or address; or words, where only somebody else's configuration knows the host.
    port : int or None
        None where it is not known.
    what : str
        What for: ``model gpt-4o``.
    proxy : str or None
        Host and port of a proxy from the environment that stands between.
    """

    host: str
    port: int | None
    what: str
    proxy: str | None = None

    @property
    def place(self) -> str:
        """Host and port, and the proxy on the way."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port is not None else ""
        return f"{host}{port}{f' through proxy {self.proxy}' if self.proxy else ''}"


def silence(environment: MutableMapping[str, str] = os.environ) -> None:
    """Switch MLflow's telemetry off for this process and those it starts.

    Who has set the switch, to whatever value, has decided. Where the general ``DO_NOT_TRACK`` is set as well,
    the more private of both wins.

    Parameters
    ----------
    environment : mapping, changed in place
    """
    refused = environment.get("DO_NOT_TRACK", "").strip().lower() in _TRUE
    if refused or _SWITCH not in environment:
        environment[_SWITCH] = "true"
    if environment[_SWITCH].strip().lower() in ("0", "false"):
        return
    client = sys.modules.get("mlflow.telemetry.client")
    if client is not None:  # MLflow was imported before this package
        running = getattr(client, "_MLFLOW_TELEMETRY_CLIENT", None)
        if running is not None:
            running._is_stopped = True
            client._set_telemetry_client(None)


def contact(url: str, what: str, *, direct: bool = False) -> Contact:
    """The contact behind an address; user, password, path and query are left out.

    Parameters
    ----------
    url : str
    what : str
    direct : bool
        Whether proxies of the environment are passed by.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or url.partition(":")[0], parts.port
    except ValueError:
        return Contact("an address that cannot be read", None, what)
    scheme = parts.scheme.partition("+")[0].lower()
    proxy = None if direct or scheme not in ("http", "https") else _proxy(scheme, host)
    return Contact(host, port or _PORTS.get(scheme), what, proxy)


def contacts_line(contacts: Iterable[Contact]) -> str:
    """One line: ``contacts api.openai.com:443 (model gpt-4o)``, or ``contacts nobody``."""
    by_place: dict[str, list[str]] = {}
    for one in contacts:
        purposes = by_place.setdefault(one.place, [])
        if one.what not in purposes:
            purposes.append(one.what)
    shown = [f"{place} ({', '.join(purposes)})" for place, purposes in by_place.items()]
    return f"contacts {', '.join(shown) or 'nobody'}"


def announce(contacts: Iterable[Contact], *, whole: bool = False) -> None:
    """Say to `LOGGER` who will be contacted; before anybody is.

    What was said in this process is not said again: a job says all that it will contact, and whatever then
    opens a connection says its own part, if nobody has.

    Parameters
    ----------
    contacts : iterable of Contact
    whole : bool
        These are all of a job, so that none means nobody.
    """
    listed = list(contacts)
    if (whole and not listed) or not _SAID.issuperset(listed):
        LOGGER.info("%s", contacts_line(listed))
    if LOGGER.isEnabledFor(logging.INFO):  # somebody listens
        _SAID.update(listed)


def forget() -> None:
    """Say everything again: another command begins."""
    _SAID.clear()


def _proxy(scheme: str, host: str) -> str | None:
    """Host and port of the environment's proxy for a host, without its user and password."""
    from urllib.request import getproxies, proxy_bypass  # takes longer to load than all of the package

    proxies = getproxies()
    url = proxies.get(scheme) or proxies.get("all")
    if not url or proxy_bypass(host):
        return None
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return "of the environment"
    return f"{name}{f':{port}' if port else ''}" if name else "of the environment"


ADDRESS = re.compile(r"(?P<scheme>s3a?|gs|gcs|az|abfss?|adl|hdfs|https?|ftp):/{1,2}(?P<rest>.*)", re.DOTALL)
SCHEMES = ("s3", "s3a")
"""Of the addresses that are read and written; others may be of servers."""
_SECRET = re.compile(r"^(?P<user>[^/@]*)@|[?#].*$", re.DOTALL)
_PATTERNS = re.compile(r"[*\[\]]")
_SYSTEM = type(Path())
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


class RemotePath(_SYSTEM):  # type: ignore[misc, valid-type]
    """A place in object storage, which knows nothing but its address, so that it can go to other processes.

    `remote_path` makes it. Bucket and key are its parts; a folder is what has keys below it.
    """

    def __str__(self) -> str:
        return f"s3://{self.key}" if self.parts[:1] == ("s3:",) else "/".join(self.parts)

    def __repr__(self) -> str:
        return f"RemotePath({str(self)!r})"

    def __fspath__(self) -> str:
        return str(self)

    @property
    def key(self) -> str:
        """Bucket and key: ``bucket/games/log.json``."""
        return "/".join(self.parts[1:])

    def exists(self, **_: Any) -> bool:
        """Whether an object or a folder is there."""
        return self._info() is not None

    def is_dir(self, **_: Any) -> bool:
        """Whether keys are below it."""
        info = self._info()
        return info is not None and info["type"] == "directory"

    def is_file(self, **_: Any) -> bool:
        """Whether it is an object."""
        info = self._info()
        return info is not None and info["type"] == "file"

    def is_symlink(self) -> bool:
        """Never."""
        return False

    def stat(self, **_: Any) -> Any:
        """With ``st_size``, bytes, and ``st_mtime_ns``, when it was written."""
        with storage(self) as files:
            info = files.info(self.key)
        written = info.get("LastModified")
        stamp = 0 if written is None else int(written.timestamp() * 1e9)
        return SimpleNamespace(st_size=int(info["size"]), st_mtime_ns=stamp)

    def iterdir(self) -> Iterator[Any]:
        """What is directly below it."""
        with storage(self) as files:
            names = [str(name) for name in files.ls(self.key, detail=False)]
        yield from (self / name.rstrip("/").rpartition("/")[2] for name in sorted(names) if name != self.key)

    def open(self, mode: str = "rb", *_: Any, **__: Any) -> Any:
        """The object, to be read."""
        if mode != "rb":
            raise OutputError(
                f"cannot write {self} in place; expected a result to be sent when it is complete"
            )
        with storage(self) as files:
            return files.open(self.key, "rb")

    def absolute(self) -> RemotePath:
        """Itself."""
        return self

    def resolve(self, strict: bool = False) -> RemotePath:
        """Itself."""
        return self

    def samefile(self, other: Any) -> bool:
        """Whether both have one address."""
        return ADDRESS.match(str(other)) is not None and str(remote_path(str(other))) == str(self)

    def _info(self) -> Any:
        with storage(self) as files:
            try:
                return files.info(self.key)
            except FileNotFoundError:
                return None


def remote_path(address: str) -> RemotePath:
    """The place that an address of object storage names; `intent.base.files.path_of` makes any path.

    Raises
    ------
    UsageError
        An address that holds a key, of another kind of storage, or without a bucket; no key is in the
        message.
    """
    match = ADDRESS.match(address)
    assert match is not None
    scheme, rest = match["scheme"], match["rest"]
    if (secret := _SECRET.search(rest)) is not None:
        for part in re.split(r"[:=&@?#]", secret[0]):
            remember(part or None)
        bare = _SECRET.sub("", rest).partition("?")[0]
        raise UsageError(
            f"{scheme}://…{one_line(bare, 80)}: an address with a user, key or query in it; keys come from "
            "the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from a profile (AWS_PROFILE)"
        )
    if scheme not in SCHEMES:
        raise UsageError(
            f"{scheme}://{one_line(rest, 80)}: expected a path of this machine, or s3://BUCKET/…"
        )
    parts = [part for part in rest.split("/") if part]
    if not parts or any(part in (".", "..") for part in parts) or _PATTERNS.search(rest):
        raise UsageError(f"s3://{one_line(rest, 80)}: expected s3://BUCKET/KEY, without patterns")
    return RemotePath("s3:", *parts)


def require_bucket(path: RemotePath, writing: bool = False) -> None:
    """Make sure that the bucket is there and may be looked into.

    Raises
    ------
    DataError, OutputError
    """
    with storage(path, writing=writing) as files:
        try:
            files.call_s3("list_objects_v2", Bucket=path.parts[1], MaxKeys=1)
        except FileNotFoundError:
            raise _problem(path, f"no such bucket: {path.parts[1]}", writing) from None


@contextmanager
def storage(path: RemotePath, writing: bool = False) -> Iterator[Any]:
    """The file system of fsspec that holds a path; what it complains of is one line without keys.

    Raises
    ------
    MissingExtraError
        s3fs is not installed.
    DataError, OutputError
        No such bucket or key, denied, no keys, or nobody answers; an OutputError where something is
        `writing`.
    """
    files = _files(path)
    try:
        yield files
    except (IntentError, KeyboardInterrupt):
        raise
    except FileNotFoundError as error:
        if writing or "bucket" in str(error).casefold():
            raise _problem(path, f"no such bucket: {path.parts[1]}", writing) from None
        raise
    except Exception as error:  # noqa: BLE001 - botocore, aiohttp and s3fs raise types of their own
        raise _problem(path, _why(error), writing) from None


def send(draft: Path, target: RemotePath) -> None:
    """Send a file, or a folder: its list of contents last, so that nobody takes it for whole before.

    What a folder held before and does not now is removed.

    Raises
    ------
    OutputError
    """
    with storage(target, writing=True) as files:
        if draft.is_file():
            files.put_file(str(draft), target.key)
            return
        before = {str(name) for name in files.find(target.key)}
        names = sorted(
            (one.relative_to(draft).as_posix() for one in draft.rglob("*") if one.is_file()),
            key=lambda name: (name == "log.json", name),
        )
        for name in names:
            files.put_file(str(draft / name), f"{target.key}/{name}")
        stray = before - {f"{target.key}/{name}" for name in names}
        if stray:
            files.rm(sorted(stray))


def listing_sha256(path: RemotePath) -> str:
    """SHA-256 of names, sizes and marks (ETag) of the objects at or below a path, which reads none of
    them."""
    import hashlib  # with OpenSSL, which `intent --help` needs not load

    with storage(path) as files:
        objects = files.find(path.key, detail=True)
    digest = hashlib.sha256()
    for name, facts in sorted(objects.items()):
        below = str(name).removeprefix(path.key)
        digest.update(f"{below}\0{facts['size']}\0{facts.get('ETag', '')}\n".encode())
    return digest.hexdigest()


def _files(path: RemotePath) -> Any:
    require("s3fs")
    import fsspec

    announce([_host(path)])
    # listings are not remembered: somebody else may write to the bucket
    return fsspec.filesystem("s3", use_listings_cache=False)


def _host(path: RemotePath) -> Contact:
    address = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), None)
    what = f"object storage, bucket {path.parts[1]}"
    return contact(address, what) if address else Contact("S3 as the AWS configuration says", None, what)


def _problem(path: RemotePath, why: str, writing: bool) -> IntentError:
    kind, verb = (OutputError, "write") if writing else (DataError, "read")
    return kind(f"cannot {verb} {path}: {why}")


def _why(error: BaseException) -> str:
    name = type(error).__name__
    if isinstance(error, PermissionError):
        return "denied: these keys may not do that"
    if "NoCredentials" in name or "PartialCredentials" in name:
        return "no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    if "NoSuchBucket" in str(error):
        return "no such bucket"
    if "Connect" in name or "Timeout" in name or "Connect" in str(error):
        return "nobody answers at the address of the storage"
    return f"{name}: {redact(one_line(cast(Any, error), 160))}"
