"""Who may read the page: whoever was told its token, not everybody who can reach the port.

All users of a machine can reach its loopback address. So the address that the command prints carries a token,
as that of a Jupyter server does; the browser hands it in once and gets a cookie for it, which no script can
read and no page of another site can use.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

__all__ = ["TOKEN", "Entrance"]

TOKEN = "token"
"""Name of the field of an address."""

_BYTES = 24
_LONGEST = 8192


class Entrance:
    """Tokens of one server, made when it starts and forgotten when it ends.

    Parameters
    ----------
    port : int
        Of the server; browsers do not tell the cookies of ports apart, so the name of the cookie does.
    """

    def __init__(self, port: int) -> None:
        self._cookie = f"intent-view-{port}"
        self._token, self._ticket = (secrets.token_urlsafe(_BYTES) for _ in range(2))
        self._used = False

    def __repr__(self) -> str:
        return f"<Entrance: {self._cookie}>"

    def address(self, at: str) -> str:
        """An address with the token, for whoever started the server."""
        return f"{at}?{TOKEN}={self._token}"

    def once(self, at: str) -> str:
        """An address that opens the page a single time.

        A browser is handed it on its command line, which others on the machine can read.
        """
        return f"{at}?{TOKEN}={self._ticket}"

    def admits(self, cookies: Iterable[bytes]) -> bool:
        """Whether the cookies of a request hold the token."""
        found = [
            morsel.value for raw in cookies for name, morsel in _read(raw).items() if name == self._cookie
        ]
        return any(_same(value, self._token) for value in found)

    def opened_by(self, query_string: bytes) -> tuple[str, str] | None:
        """The cookie for a request that brings the token or the unused ticket, and its query without it.

        Parameters
        ----------
        query_string : bytes
            What stands behind ``?`` in the address.

        Returns
        -------
        (cookie, query) or None
        """
        parts = query_string.decode("latin-1").split("&") if len(query_string) <= _LONGEST else []
        given = [value for part in parts for name, value in parse_qsl(part) if name == TOKEN]
        if not given:
            return None
        ticket = not self._used and any(_same(value, self._ticket) for value in given)
        if not ticket and not any(_same(value, self._token) for value in given):
            return None
        self._used = self._used or ticket
        rest = "&".join(part for part in parts if not part.startswith(f"{TOKEN}="))
        return f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/", rest


def _read(raw: bytes) -> SimpleCookie:
    try:
        return SimpleCookie(raw.decode("latin-1"))
    except CookieError:
        return SimpleCookie()


def _same(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode("utf8", "surrogatepass"), expected.encode())
