"""Published scores of single runs, to stand beside one's own (``code`` scoring, default settings).

References
----------
Huang et al. 2024, arXiv:2403.11807, tables 4, 10, 14 and 18; implicit bar, first-price auction. The runs of
GPT-3.5 in the pirate game carry role prompts in its raw files (run 1 cooperative, 4 selfish, 5
mathematician): fine to check scores with, not as a baseline of behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PUBLISHED", "published_scores"]

PUBLISHED: Mapping[str, Mapping[str, tuple[float, ...]]] = MappingProxyType(
    {
        "GPT-3.5 (0125)": {
            "guessing": (65.4, 62.3, 63.9, 58.3, 67.3),
            "bar": (73.3, 67.5, 68.3, 67.5, 66.7),
            "divide_dollar": (68.1, 67.7, 68.7, 66.0, 72.6),
            "public_goods": (41.2, 25.4, 45.7, 38.0, 44.0),
            "diner": (4.0, 3.5, 0.0, 6.5, 0.0),
            "auction": (14.6, 14.6, 11.6, 12.9, 11.5),
            "battle_royale": (20.0, 21.4, 46.7, 23.5, 31.2),
            "pirate": (80.6, 71.2, 72.0, 74.7, 59.5),
        },
        "LLaMA-3.1-70B": {
            "guessing": (82.2, 82.7, 84.3, 84.6, 86.4),
            "bar": (64.2, 55.8, 61.7, 60.0, 56.7),
            "divide_dollar": (87.9, 92.0, 86.0, 80.8, 88.6),
            "public_goods": (93.4, 90.8, 84.7, 90.4, 93.6),
            "diner": (47.0, 41.5, 56.0, 44.5, 51.5),
            "auction": (15.6, 20.2, 13.8, 13.6, 15.4),
            "battle_royale": (70.0, 90.0, 92.9, 100.0, 35.7),
            "pirate": (42.8, 53.8, 71.4, 81.8, 70.3),
        },
        "Gemini-1.5-Pro": {
            "guessing": (96.2, 95.4, 95.1, 95.1, 95.1),
            "bar": (37.5, 40.0, 35.8, 30.8, 41.7),
            "divide_dollar": (93.8, 94.2, 94.2, 93.5, 93.5),
            "public_goods": (100.0, 100.0, 100.0, 100.0, 100.0),
            "diner": (29.0, 43.0, 33.0, 38.5, 36.0),
            "auction": (42.5, 25.3, 21.4, 27.0, 18.2),
            "battle_royale": (75.0, 90.0, 71.4, 85.0, 85.0),
            "pirate": (92.2, 83.9, 88.8, 94.0, 80.6),
        },
        "GPT-4o (0806)": {
            "guessing": (94.9, 94.8, 94.2, 94.1, 93.4),
            "bar": (95.0, 41.7, 70.8, 55.0, 87.5),
            "divide_dollar": (95.7, 95.7, 94.9, 94.0, 95.4),
            "public_goods": (94.1, 88.1, 87.4, 93.5, 91.5),
            "diner": (23.5, 4.5, 3.5, 8.0, 14.0),
            "auction": (19.2, 18.8, 17.7, 25.3, 23.0),
            "battle_royale": (89.5, 60.0, 50.0, 72.2, 65.0),
            "pirate": (77.3, 88.4, 93.7, 79.8, 82.8),
        },
    }
)
"""Model -> game -> score by run."""


def published_scores() -> pd.DataFrame:
    """The published runs as a table that `leaderboard` takes: model, game, run (from 1), score."""
    import pandas as pd

    return pd.DataFrame(
        [
            (model, game, run, score)
            for model, games in PUBLISHED.items()
            for game, scores in games.items()
            for run, score in enumerate(scores, start=1)
        ],
        columns=["model", "game", "run", "score"],
    )
