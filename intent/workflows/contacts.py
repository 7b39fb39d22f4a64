"""Which hosts a job will contact: those of its models and of its tracking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError

if TYPE_CHECKING:
    from intent.offline import Contact
    from intent.tracking.base import Tracker

__all__ = ["announce_job", "contact_rows", "job_contacts"]


def job_contacts(models: Iterable[str] = (), tracking: str | None = None) -> list[Contact]:
    """The hosts of some models and of a tracking URI, in this order, each once.

    Parameters
    ----------
    models : names, as in experiment files
        One that means no endpoint is left out, since it cannot be asked.
    tracking : str, optional
        MLflow URI or file.
    """
    from intent.agents.clients.contacts import model_contacts
    from intent.tracking.base import tracking_contacts

    contacts: list[Contact] = []
    for name in models:
        try:
            contacts += model_contacts(name)
        except IntentError:
            continue
    return list(dict.fromkeys([*contacts, *tracking_contacts(tracking)]))


def announce_job(models: Iterable[str] = (), tracker: Tracker | None = None) -> None:
    """Say who will be contacted, or that nobody will; before anybody is."""
    from intent.offline import announce

    announce(job_contacts(models, None if tracker is None else tracker.where), whole=True)


def contact_rows(contacts: Iterable[Contact]) -> list[dict[str, Any]]:
    """Contacts as JSON has them: host, port, what, proxy."""
    return [asdict(one) for one in contacts]
