"""What the name of a model means: its client, the hosts that it contacts, and what is sent there.

Outsiders join with an entry point of the group ``intent.clients``: its name is the provider, its value a
callable that takes the whole name, as in ``mine/MODEL``, and returns a `intent.agents.client.Client`.

Hosts are said before any is contacted. A key is sent to no host but its own:

1. ``openai/NAME`` goes to `OPENAI_BASE_URL`, or to OpenAI where that is unset, with `OPENAI_API_KEY`.
2. ``openai/NAME@URL`` takes the variable ``INTENT_KEY_<HOST>`` where it is set (a dot is ``_``, a hyphen
   ``__``: `INTENT_KEY_GPU__7_LAB_ORG` for ``gpu-7.lab.org``, so that no two hosts share one); else, for hosts
   in `KEY_VARIABLES`, the variable that the provider documents; else, for the host of `OPENAI_BASE_URL`,
   `OPENAI_API_KEY`; else none.
3. Keys of 2 other than ``INTENT_KEY_<HOST>`` go over https, or to this machine, only.

Bodies are plain JSON, each field set once, no key inside. Replies that can only be one of
the labels are asked for in the words of each kind of endpoint:

================== =================================================== ===========================
form               field of the body                                   endpoints
================== =================================================== ===========================
json_schema        ``response_format`` with an enum                    OpenAI, Mistral, Ollama, vLLM,
                                                                       llama.cpp, OpenRouter
structured_outputs ``structured_outputs: {"choice": [...]}``           vLLM
guided_choice      ``guided_choice: [...]``                            older vLLM
grammar            ``grammar`` in GBNF                                 llama.cpp
================== =================================================== ===========================

``openai/NAME@URL#FORM`` chooses one; json_schema is the default, being the most widely understood.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import SplitResult, urlsplit

from intent.agents.client import Client, Message, Settings, Tool
from intent.agents.local_models import LOCAL_MODELS, fetching, model_file
from intent.base.errors import IntentError, SettingError, UnknownNameError, UsageError, shorten
from intent.base.masking import mask, redact
from intent.base.registry import load, point, points
from intent.base.remote import Contact, contact

if TYPE_CHECKING:
    from intent.base.tracking import Tracker

__all__ = [
    "ENTRY_POINTS",
    "FORMS",
    "KEY_VARIABLES",
    "LIMITED",
    "OWN_FIELDS",
    "PROVIDERS",
    "SEEDED",
    "Endpoint",
    "Secret",
    "announce_job",
    "base_url",
    "chat_message",
    "check_form",
    "choice_schema",
    "clean",
    "constraint",
    "contact_rows",
    "finished",
    "job_contacts",
    "limited",
    "make_client",
    "model_contacts",
    "openai_endpoint",
    "provider_of",
    "providers",
    "read_key",
    "required_key",
    "takes_tools",
    "unwrap",
    "whole_body",
]


ENTRY_POINTS = "intent.clients"

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "intent.agents.clients.openai:OpenAIClient",
        "anthropic": "intent.agents.clients.anthropic:AnthropicClient",
        "local": "intent.agents.clients.llamacpp:LlamaCppClient",
        "gguf": "intent.agents.clients.llamacpp:LlamaCppClient",
        "scripted": "intent.agents.mock.client:ScriptedClient",
        "python": "intent.agents.clients.function:CallableClient",
    }
)
"""Provider, the part before ``/`` (``:`` for gguf), to the class that is made with the whole name."""

SEEDED = ("local", "gguf", "scripted")
"""Providers whose models all take a seed."""

LIMITED = ("local", "gguf", "anthropic")
"""Providers whose models stop early unless told otherwise."""


def make_client(
    name: str, *, callables: Mapping[str, Callable[..., object]] = MappingProxyType({})
) -> Client:
    """The client of a model.

    Parameters
    ----------
    name : ``openai/NAME``, ``openai/NAME@URL``, ``anthropic/NAME``, ``local/NAME``, ``gguf:PATH``,
        ``scripted/uniform|first|last|heeds|agreeable|erratic|strategist|strategist-erratic|says:TEXT``,
        ``scripted/asked:constant:91``, ``scripted/asked:cycle:0,50``, ``scripted/asked:RANDOM``,
        ``python/NAME``, or a provider of an entry point
    callables : mapping
        Name to async function, for ``python/NAME``. Names in experiment files import nothing.

    Raises
    ------
    UnknownNameError
        No such provider, scripted model or callable.
    UsageError
        A malformed name, or a key that is not in the environment.
    MissingExtraError
        The provider's library is not installed.
    """
    provider = provider_of(name)
    if provider is None:
        raise UsageError(
            f"model {shorten(name)!r}: expected PROVIDER/NAME, as in openai/gpt-4o, or gguf:PATH"
        )
    if provider == "python":
        function = name.removeprefix("python/")
        if function not in callables:
            raise UnknownNameError("callable", function, callables)
        return cast("Client", resolve_name(PROVIDERS["python"])(name, callables[function]))
    if provider in PROVIDERS:
        return cast("Client", resolve_name(PROVIDERS[provider])(name))
    if (there := point(ENTRY_POINTS, provider)) is not None:
        return cast("Client", load(there)(name))
    raise UnknownNameError("provider of models", provider, providers())


def provider_of(name: str) -> str | None:
    """The provider in a model's name: what is before ``/``, or gguf; None where the name says none."""
    if name.startswith("gguf:"):
        return "gguf"
    provider, slash, _ = name.partition("/")
    return provider if slash else None


LABELS_ONLY = ("uniform", "first", "last", "heeds", "says")
"""Scripted models that never call anything."""


def takes_tools(player: str) -> bool:
    """Whether a model is asked through an endpoint of tool calls.

    Models that run in this process are not, nor are scripted ones that only ever say one of the labels.
    """
    provider = provider_of(player)
    if provider == "scripted":
        return player.removeprefix("scripted/").partition(":")[0] not in LABELS_ONLY
    return provider not in ("local", "gguf")


def providers() -> list[str]:
    """Names of all providers, those of entry points last."""
    return [*PROVIDERS, *points(ENTRY_POINTS)]


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
    key_name : the variable to name where the endpoint refuses the key or asks for one
    form : the fragment of the URL: how replies are constrained (`intent.agents.clients.registry`)
    configured : whether it comes from the environment, and not from the model's name
    """

    model: str
    url: str
    shared: str
    variable: str | None
    key_name: str
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
    variable, key_name = _variable(urlsplit(url))
    return Endpoint(match["model"], url, _shared(url), variable, key_name, form)


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
    contacts: list[Contact] = []
    for name in models:
        try:
            contacts += model_contacts(name)
        except IntentError:
            continue
    if tracking is not None:
        from intent.base.tracking import tracking_contacts

        contacts += tracking_contacts(tracking)
    return list(dict.fromkeys(contacts))


def announce_job(models: Iterable[str] = (), tracker: Tracker | None = None) -> None:
    """Say who will be contacted, or that nobody will; before anybody is."""
    from intent.base.remote import announce

    announce(job_contacts(models, None if tracker is None else tracker.where), whole=True)


def contact_rows(contacts: Iterable[Contact]) -> list[dict[str, Any]]:
    """Contacts as JSON has them: host, port, what, proxy."""
    return [asdict(one) for one in contacts]


OWN_FIELDS = frozenset({"model", "messages", "system", "tools", "stream", "n"})
"""Fields that `Settings.extra` may not set: they are decided by the client."""


def chat_message(message: Message) -> dict[str, Any]:
    """A message as OpenAI's chat endpoint has it."""
    row: dict[str, Any] = {"role": message.role, "content": clean(message.content)}
    if message.tool_calls:
        row["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    return row


def whole_body(
    name: str, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool]
) -> dict[str, Any]:
    """Messages, tools and settings by our names for them, for models that no endpoint stands before.

    Raises
    ------
    SettingError
        As for `finished`.
    """
    body: dict[str, Any] = {"model": name, "messages": [chat_message(m) for m in messages]}
    if tools:
        body["tools"] = [dict(tool) for tool in tools]
    body.update(settings.model_dump(mode="json", exclude={"timeout", "extra"}, exclude_defaults=True))
    return finished(body, settings.extra, name)


def finished(body: Mapping[str, Any], extra: Mapping[str, Any], who: str) -> dict[str, Any]:
    """`body` with `extra` added, as JSON gives it back.

    Raises
    ------
    SettingError
        A field of `extra` that is set already or not the user's to set, a value that JSON does not have, or
        a key in `extra`, since the body is stored.
    """
    for name in extra:
        if name in OWN_FIELDS:
            raise SettingError(f"{who}: extra.{name} cannot be set there")
        if name in body:
            raise SettingError(f"{who}: {name} is set twice, by the settings and by extra.{name}")
    try:
        text = json.dumps({**body, **extra}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingError(f"{who}: a setting is not JSON: {shorten(error)}") from None
    if extra and redact(further := json.dumps(extra, ensure_ascii=False)) != further:
        raise SettingError(f"{who}: the request holds an API key; keys come from the environment only")
    reply: dict[str, Any] = json.loads(text)
    return reply


def clean(text: str) -> str:
    """`text` without lone surrogates, which no UTF-8 file or store can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


FIELD = "choice"
"""Name of the one field of a JSON reply."""


def choice_schema(choices: Sequence[str]) -> dict[str, Any]:
    """JSON schema of an object whose one field is one of the labels."""
    return {
        "type": "object",
        "properties": {FIELD: {"type": "string", "enum": list(choices)}},
        "required": [FIELD],
        "additionalProperties": False,
    }


def gbnf(choices: Sequence[str]) -> str:
    """The grammar of llama.cpp that allows the labels and nothing else."""
    return "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)


def _json_schema(choices: Sequence[str]) -> dict[str, Any]:
    named = {"name": FIELD, "strict": True, "schema": choice_schema(choices)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


FORMS: Mapping[str, Callable[[Sequence[str]], dict[str, Any]]] = MappingProxyType(
    {
        "json_schema": _json_schema,
        "structured_outputs": lambda choices: {"structured_outputs": {"choice": list(choices)}},
        "guided_choice": lambda choices: {"guided_choice": list(choices)},
        "grammar": lambda choices: {"grammar": gbnf(choices)},
    }
)


def check_form(form: str | None) -> str:
    """`form`, or json_schema where none is given.

    Raises
    ------
    UnknownNameError
    """
    if form is not None and form not in FORMS:
        raise UnknownNameError("form of constrained output", form, FORMS)
    return form or "json_schema"


def constraint(form: str, choices: Sequence[str]) -> dict[str, Any]:
    """The fields of the body that allow `choices` only.

    Raises
    ------
    SettingError
        No labels, or one that occurs twice.
    """
    if not choices or len(set(choices)) < len(choices):
        raise SettingError(f"constrained output needs distinct labels, got {shorten(list(choices))}")
    return FORMS[form](choices)


def unwrap(text: str, choices: Sequence[str], who: str) -> str:
    """The label in a constrained reply: bare, or the one field of a JSON object.

    Raises
    ------
    SettingError
        It is none of the labels: the endpoint dropped the constraint.
    """
    inner: object = text.strip()
    if inner not in choices:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            read = None
        inner = read.get(FIELD) if isinstance(read, dict) else read
    if isinstance(inner, str) and inner in choices:
        return inner
    raise SettingError(
        f"{who} does not honour constrained: expected one of {', '.join(choices)}, got {shorten(text)!r}; "
        "choose another form with openai/NAME@URL#FORM or set constrained: false"
    )
