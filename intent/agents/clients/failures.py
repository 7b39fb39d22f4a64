"""What an HTTP answer other than success means for the request that got it.

=============================== ==================================================================
answer                          error
=============================== ==================================================================
408, 409, 425, 429, 5xx         RetryableError, with the seconds of ``Retry-After``
429 for a quota that is used up RefusedError: waiting does not help
400, 422 that name a setting    SettingError
anything else                   RefusedError
=============================== ==================================================================
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Collection, Mapping
from email.utils import parsedate_to_datetime

from intent.errors import EndpointError, RefusedError, RetryableError, SettingError, shorten

__all__ = ["failure", "retry_after"]

PASSING = frozenset({408, 409, 425, 429})
USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})

_COMPLAINT = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|deprecated|"
    r"invalid|must be|out of range|not available|does not accept|incompatible|range",
    re.IGNORECASE,
)


def failure(
    who: str,
    status: int,
    text: str,
    headers: Mapping[str, str],
    *,
    sent: Collection[str],
    wanted: str,
    hide: Callable[[str], str],
) -> EndpointError:
    """The error for an answer with a status other than 200.

    Parameters
    ----------
    who : str, name of the client
    status : int
    text : str
        Body of the answer.
    headers : mapping, names in any case
    sent : collection of str
        Settings in the body that was sent.
    wanted : str
        The environment variable that the key is read from.
    hide : callable
        Takes keys out of a text, since servers echo what they were sent.
    """
    message, code, parameter = _said(text)
    message = hide(message[:20_000])
    got = f"{who}: HTTP {status}" + (f": {shorten(message, 240)}" if message else "")
    if status == 429 and code in USED_UP:
        return RefusedError(got)
    if status in PASSING or status >= 500:
        return RetryableError(got, retry_after(headers, time.time()), status)
    if status in (400, 422):
        named = _setting(message, parameter, sent)
        if named is not None:
            return SettingError(f"{who} refuses the setting {named}: {shorten(message, 240)}")
    if status in (401, 403):
        return RefusedError(f"{got} (the key is read from {wanted})")
    if 300 <= status < 400:
        return RefusedError(f"{got}: it redirects; name the address it redirects to")
    return RefusedError(got)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or a date); never negative.

    A date counts from the endpoint's own ``Date`` where it tells it, so that clocks need not agree.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(lower[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    until = _date(lower.get("retry-after"))
    if until is None:
        return None
    since = _date(lower.get("date"))
    return max(0.0, until - (now if since is None else since))


def _date(text: str | None) -> float | None:
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _said(text: str) -> tuple[str, str | None, str | None]:
    """Message, code and parameter of an error body; servers agree on little."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text, None, None
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return str(error), None, None
    message = error.get("message") or error.get("detail") or error
    message = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    code = error.get("code") or error.get("type")
    parameter = error.get("param")
    return (
        message,
        code if isinstance(code, str) else None,
        parameter if isinstance(parameter, str) else None,
    )


def _setting(message: str, parameter: str | None, sent: Collection[str]) -> str | None:
    """The setting that the endpoint complains about, if it is one that was sent."""
    if parameter:
        top = re.split(r"[.\[]", parameter)[0]
        return top if top in sent else None
    if not _COMPLAINT.search(message):
        return None
    named = [name for name in sent if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message)]
    return min(named, key=message.index) if named else None
