"""Texts in little room: prompts of one kind are alike, so each is packed with a first one as dictionary."""

from __future__ import annotations

import zlib

from intent.errors import RunError

__all__ = ["LIMIT_TEXT", "pack", "unpack"]

LIMIT_TEXT = 64 * 1024**2
"""Most bytes that a packed text may unpack to."""

_PLAIN = 120
"""Texts of at most so many bytes are kept as they are."""


def pack(text: str | None, base: bytes | None = None) -> str | bytes | None:
    """The text as it is kept: short ones as text, others deflated.

    Parameters
    ----------
    text : str or None
    base : bytes, optional
        A text that it has much in common with, which is needed again to unpack it. Requests of one
        experiment took 2.0 kB each as text, 540 bytes deflated, 105 with the first one as base.
    """
    if text is None:
        return None
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= _PLAIN and b"\0" not in raw and raw.isascii():
        return text
    packer = zlib.compressobj(6) if base is None else zlib.compressobj(6, zdict=base)
    return packer.compress(raw) + packer.flush()


def unpack(kept: object, base: bytes | None = None) -> str | None:
    """The text again.

    Raises
    ------
    RunError
        It is damaged, or longer than anything that is ever kept.
    """
    if kept is None or isinstance(kept, str):
        return kept
    if not isinstance(kept, bytes):
        raise RunError(f"a packed text is a {type(kept).__name__}, expected text or bytes")
    try:
        unpacker = zlib.decompressobj() if base is None else zlib.decompressobj(zdict=base)
        raw = unpacker.decompress(kept, LIMIT_TEXT)
        if not unpacker.eof:
            raise RunError(f"a packed text is cut short, or longer than {LIMIT_TEXT:,} bytes")
        return raw.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise RunError(f"a packed text is damaged: {error}") from None
