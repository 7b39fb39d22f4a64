"""Nothing leaves the machine unasked: telemetry is off, and hosts are named before they are contacted.

Of all libraries that this package loads, MLflow alone reports on its own. It looks its host up as soon as
it is imported, so `silence` is called when this package is, and its switch is inherited by every process
begun from here.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["LOGGER", "Contact", "announce", "contact", "contacts_line", "forget", "silence"]

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
