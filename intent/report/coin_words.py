"""What fair coins would get, in words: beside a table of statuses wherever one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["coin_column", "coin_sentence"]


def coin_column(coin: Mapping[str, Any] | None) -> dict[str, str]:
    """Status -> share of fair coins in percent; empty where nothing is known of them.

    Parameters
    ----------
    coin : as `intent.recognise.coin.CoinShares.to_dict`, from a file that anybody may have written
    """
    from intent import schema

    if not isinstance(coin, Mapping) or not all(_is_share(coin.get(s)) for s in schema.STATUSES):
        return {}
    return {s: f"{coin[s]:.1%}" for s in schema.STATUSES}


def coin_sentence(coin: Mapping[str, Any]) -> str:
    """What the column says, and how exact it is.

    Parameters
    ----------
    coin : as `coin_column`, with all statuses
    """
    how = "counted exactly"
    if not coin.get("exact"):
        error, plays = coin.get("se", 1.0), coin.get("plays")
        drawn = f"from {plays:,} sampled plays" if isinstance(plays, int) else "from sampled plays"
        how = drawn + (f", standard error at most {100 * error:.1f} points" if _is_share(error) else "")
    return f"fair coins get: players who toss a coin for every move of these games ({how})"


def _is_share(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= 1 + 1e-9
