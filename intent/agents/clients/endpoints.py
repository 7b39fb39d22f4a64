"""Which hosts a model's name and a job mean, said before any is contacted, and which key may go there.

A key is sent to no host but its own:

1. ``openai/NAME`` goes to `OPENAI_BASE_URL`, or to OpenAI where that is unset, with `OPENAI_API_KEY`.
2. ``openai/NAME@URL`` takes the variable ``INTENT_KEY_<HOST>`` where it is set (a dot is ``_``, a hyphen
   ``__``: `INTENT_KEY_GPU__7_LAB_ORG` for ``gpu-7.lab.org``, so that no two hosts share one); else, for hosts
   in `KEY_VARIABLES`, the variable that the provider documents; else, for the host of `OPENAI_BASE_URL`,
   `OPENAI_API_KEY`; else none.
3. Keys of 2 other than ``INTENT_KEY_<HOST>`` go over https, or to this machine, only.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from intent.agents.clients.registry import PROVIDERS, provider_of
from intent.agents.local_models import LOCAL_MODELS, fetching, model_file
from intent.base.errors import IntentError, UsageError, shorten
from intent.base.masking import mask, redact
from intent.base.offline import Contact, contact

if TYPE_CHECKING:
    from intent.base.tracking import Tracker


__all__ = [
    "KEY_VARIABLES",
    "Endpoint",
    "Secret",
    "announce_job",
    "base_url",
    "contact_rows",
    "job_contacts",
    "limited",
    "model_contacts",
    "openai_endpoint",
    "read_key",
    "required_key",
]


class Secret:
    """A key that no repr, `vars` or pickle shows.

    Parameters
    ----------
    value : None where the endpoint takes no key
    """

    __slots__ = ("reveal",)

    def __init__(self, value: str | None) -> None:
        self.reveal: Callable[[], str | None] = lambda: value

    def hidden_in(self, text: str) -> str:
        """`text` without this key and whatever `redact` takes out."""
        return redact(text, [self.reveal()])


def read_key(variable: str) -> str | None:
    """The key in an environment variable without space around it; None where unset or empty.

    Raises
    ------
    UsageError
        It holds characters that no header can carry. The message names the variable only.
    """
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise UsageError(f"{variable} holds characters that no key has (space, line break or non-ASCII)")
    return key or None


OPENAI_URL = "https://api.openai.com/v1"

KEY_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "api.openai.com": "OPENAI_API_KEY",
        "api.anthropic.com": "ANTHROPIC_API_KEY",
        "api.mistral.ai": "MISTRAL_API_KEY",
        "api.deepseek.com": "DEEPSEEK_API_KEY",
        "api.fireworks.ai": "FIREWORKS_API_KEY",
        "api.groq.com": "GROQ_API_KEY",
        "api.together.xyz": "TOGETHER_API_KEY",
        "api.x.ai": "XAI_API_KEY",
        "generativelanguage.googleapis.com": "GEMINI_API_KEY",
        "openrouter.ai": "OPENROUTER_API_KEY",
        "router.huggingface.co": "HF_TOKEN",
    }
)
"""Host to the environment variable in which its provider documents the key. These hosts need one."""


_HOST = re.compile(r"(?!-)[a-z0-9-]+(?<!-)(\.(?!-)[a-z0-9-]+(?<!-))*")


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked.

    Parameters
    ----------
    model : as the endpoint names it
    url : without user, query and fragment
    shared : what limits are shared by: ``openai``, or the URL
    variable : the environment variable with the key; None sends none
    wanted : the variable to name where the endpoint refuses the key or asks for one
    form : the fragment of the URL: how replies are constrained (`intent.agents.clients.bodies`)
    configured : whether it comes from the environment, and not from the model's name
    """

    model: str
    url: str
    shared: str
    variable: str | None
    wanted: str
    form: str | None = None
    configured: bool = False

    @property
    def official(self) -> bool:
        """Whether this is OpenAI itself, in any region."""
        return _documented(urlsplit(self.url).hostname or "") == "OPENAI_API_KEY"

    @property
    def local(self) -> bool:
        """Whether this is a server on this machine."""
        return _local(urlsplit(self.url))


def openai_endpoint(name: str) -> Endpoint:
    """The endpoint of ``NAME``, ``NAME@URL`` or ``NAME@URL#FORM``, without the provider in front.

    Raises
    ------
    UsageError
        No model, no http(s) address, or one with a password or a query in it.
    """
    match = re.match(r"(?P<model>.+?)@(?P<url>https?://.*)$", name, re.DOTALL)
    if match is None:
        if not name or "@" in name[1:]:
            raise UsageError(
                f"model 'openai/{shorten(name)}': expected openai/NAME or openai/NAME@URL "
                "with a URL that begins with http:// or https://"
            )
        own = os.environ.get("OPENAI_BASE_URL", "").strip()
        url = base_url(own, "OPENAI_BASE_URL")[0] if own else OPENAI_URL
        return Endpoint(name, url, _shared(url), "OPENAI_API_KEY", "OPENAI_API_KEY", configured=True)
    url, form = base_url(match["url"], f"model {match['model']!r}")
    variable, wanted = _variable(urlsplit(url))
    return Endpoint(match["model"], url, _shared(url), variable, wanted, form)


def limited(name: str) -> str:
    """The endpoint or model that a limit is stated for: an address as `Endpoint.shared` has it.

    Raises
    ------
    UsageError
        It begins like an address and is none.
    """
    if not name.startswith(("http://", "https://")):
        return name
    return _shared(base_url(name, f"limits of {shorten(name.partition('@')[0])}")[0])


def base_url(text: str, where: str) -> tuple[str, str | None]:
    """The address in front of ``/chat/completions`` or ``/messages``, and its fragment.

    An address without a path gets ``/v1``. The text itself is not quoted in errors: it may hold a password.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise UsageError(f"{where}: not an address that can be read") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{where}: expected an address that begins with http:// or https://")
    known = mask(text) != text
    if parts.username is not None or parts.password is not None or parts.query or known:
        raise UsageError(
            f"{where}: expected an address without user, password, query and key; keys come from the "
            "environment"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{path}", parts.fragment or None


def required_key(endpoint: Endpoint, name: str) -> str | None:
    """The key to send; None where the endpoint takes none.

    Raises
    ------
    UsageError
        The variable is not set; the message names it.
    """
    if endpoint.variable is None:
        return None
    key = read_key(endpoint.variable)
    if key is None and not endpoint.local:
        raise UsageError(f"{name} needs a key: set the environment variable {endpoint.variable}")
    return key


def _shared(url: str) -> str:
    return "openai" if url == OPENAI_URL else url


def _variable(url: SplitResult) -> tuple[str | None, str]:
    """The variable whose key is sent, and the one to name where a key is missing."""
    host = url.hostname or ""
    own = "INTENT_KEY_" + host.upper().replace("-", "__").replace(".", "_")
    if _HOST.fullmatch(host) and read_key(own):
        return own, own
    documented = _documented(host)
    if documented is None and host == urlsplit(os.environ.get("OPENAI_BASE_URL", "").strip()).hostname:
        documented = "OPENAI_API_KEY" if read_key("OPENAI_API_KEY") else None
    if documented is None:
        return None, own
    if url.scheme != "https" and not _local(url):
        raise UsageError(f"{documented} is sent over https only; for http set {own}")
    return documented, documented


def _documented(host: str) -> str | None:
    """The variable for the hosts of known providers; OpenAI's regions are hosts of their own."""
    return KEY_VARIABLES.get("api.openai.com" if host.endswith(".api.openai.com") else host)


def _local(url: SplitResult) -> bool:
    try:
        return ipaddress.ip_address(url.hostname or "").is_loopback
    except ValueError:
        return url.hostname == "localhost"


ANTHROPIC_URL = "https://api.anthropic.com"

_NOBODY = ("gguf", "scripted")
"""Providers whose models answer within this process."""


def model_contacts(name: str) -> tuple[Contact, ...]:
    """The hosts that asking a model contacts; none for models in this process.

    What a function of the user's or a client of another package contacts is not known here.

    Parameters
    ----------
    name : as in an experiment file

    Raises
    ------
    UsageError
        A name or an address in the environment that means no endpoint.
    """
    provider = provider_of(name)
    model = name.partition("/")[2]
    if provider in _NOBODY:
        return ()
    if provider == "local":
        known = LOCAL_MODELS.get(model)
        return () if known is None or model_file(known).is_file() else (fetching(model),)
    if provider == "openai":
        at = openai_endpoint(model)
        return (contact(at.url, f"model {at.model}", direct=at.local),)
    if provider == "anthropic":
        own = os.environ.get("ANTHROPIC_BASE_URL", "").strip()
        url = base_url(own, "ANTHROPIC_BASE_URL")[0] if own else ANTHROPIC_URL
        return (contact(url, f"model {model}"),)
    who = "a function of yours" if provider in PROVIDERS else "a client of another package"
    return (Contact(f"whomever {name} contacts", None, who),)


def job_contacts(models: Iterable[str] = (), tracking: str | None = None) -> list[Contact]:
    """The hosts of some models and of a tracking URI, in this order, each once.

    Parameters
    ----------
    models : names, as in experiment files
        One that means no endpoint is left out, since it cannot be asked.
    tracking : MLflow URI or file
    """
    from intent.base.tracking import tracking_contacts

    contacts: list[Contact] = []
    for name in models:
        try:
            contacts += model_contacts(name)
        except IntentError:
            continue
    return list(dict.fromkeys([*contacts, *tracking_contacts(tracking)]))


def announce_job(models: Iterable[str] = (), tracker: Tracker | None = None) -> None:
    """Say who will be contacted, or that nobody will; before anybody is."""
    from intent.base.offline import announce

    announce(job_contacts(models, None if tracker is None else tracker.where), whole=True)


def contact_rows(contacts: Iterable[Contact]) -> list[dict[str, Any]]:
    """Contacts as JSON has them: host, port, what, proxy."""
    return [asdict(one) for one in contacts]
