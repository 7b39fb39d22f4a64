"""The settings of the games that GAMA-Bench was published with, as data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["PAPER_SETTINGS"]


def _each(parameter: str, *values: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple({parameter: value} for value in values)


def _menu(*prices: tuple[int, int, int, int]) -> tuple[Mapping[str, Any], ...]:
    names = ("cheap_price", "cheap_utility", "costly_price", "costly_utility")
    return tuple(dict(zip(names, four, strict=True)) for four in prices)


def _hit_rates(*rates: tuple[int, int]) -> tuple[Mapping[str, Any], ...]:
    return tuple({"lowest": lowest, "interval": interval} for lowest, interval in rates)


PAPER_SETTINGS: Mapping[str, tuple[Mapping[str, Any], ...]] = MappingProxyType(
    {
        "guessing": _each(
            "ratio",
            *("0", "1/6", "1/3", "1/2", "2/3", "5/6", "1", "7/6", "4/3", "3/2", "5/3", "11/6", "2"),
        ),
        "bar": _each("ratio", "0%", "20%", "40%", "60%", "80%", "100%"),
        "divide_dollar": _each("gold", 50, 100, 200, 400, 800),
        "public_goods": _each("factor", 0, 0.5, 1, 2, 4),
        "diner": _menu(
            (10, 15, 20, 20), (11, 5, 20, 7), (4, 19, 9, 20), (1, 8, 19, 12), (4, 5, 17, 7), (2, 11, 8, 13)
        ),
        "auction": _each("top", 100, 200, 400, 800),
        "battle_royale": _hit_rates((51, 1), (35, 5), (10, 10)),
        "pirate": _each("gold", 4, 5, 100, 400),
    }
)
"""Game -> its settings in the tests of generality (Huang et al. 2024, tables 8, 13, 17 and 21), the default
among them. Table 8 is damaged in print; these are the values of the published files of results."""
