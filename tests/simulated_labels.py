"""Tables of labels made for tests, with the columns that `intent label` writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

STRATEGIES = ("ALLC", "ALLD", "TFT", "WSLS")


def labels(statuses: str, **columns: Sequence[object]) -> pd.DataFrame:
    """One row per character, two rows per game.

    ``C D T W`` are confident labels of ALLC, ALLD, TFT, WSLS; ``a`` is an ALLC that ties with TFT, ``l`` a
    TFT with low confidence, ``n`` a WSLS that fits badly.
    """
    kinds = {
        "C": ("ALLC", "confident", (), (0.97, 0.01, 0.01, 0.01)),
        "D": ("ALLD", "confident", (), (0.01, 0.97, 0.01, 0.01)),
        "T": ("TFT", "confident", (), (0.01, 0.01, 0.97, 0.01)),
        "W": ("WSLS", "confident", (), (0.01, 0.01, 0.01, 0.97)),
        "a": ("ALLC", "ambiguous", ("TFT",), (0.5, 0.0, 0.5, 0.0)),
        "l": ("TFT", "low_confidence", (), (0.2, 0.2, 0.4, 0.2)),
        "n": ("WSLS", "no_fit", (), (0.1, 0.2, 0.1, 0.6)),
    }
    rows = [kinds[c] for c in statuses]
    probabilities = np.array([r[3] for r in rows]).reshape(-1, 4)
    return pd.DataFrame(
        {
            "game_id": [f"g{i // 2}" for i in range(len(rows))],
            "seat": [1 + i % 2 for i in range(len(rows))],
            **columns,
            "n_rounds": 10,
            "label": [r[0] if r[1] == "confident" else None for r in rows],
            "best": [r[0] for r in rows],
            "tied": [bool(r[2]) for r in rows],
            "tied_with": [list(r[2]) for r in rows],
            "confidence": probabilities.max(axis=1),
            **{f"p_{name}": probabilities[:, k] for k, name in enumerate(STRATEGIES)},
            "consistent": [[r[0]] for r in rows],
            "n_deviations": 0,
            "fit_p": [0.001 if r[1] == "no_fit" else 0.8 for r in rows],
            "rule_labels": [[] for _ in rows],
            "status": [r[1] for r in rows],
        }
    )


def simulated(
    n_games: int, rng: np.random.Generator, *, effect: float = 0.0, clustered: float = 0.5
) -> pd.DataFrame:
    """Labels of two-seat games by three models in five languages.

    Parameters
    ----------
    n_games : int
    rng : Generator
    effect : float in [0, 1]
        Share of the games of model A whose players are ALLC whatever else holds.
    clustered : float in [0, 1]
        Share of the games in which both seats play alike.
    """
    letters = np.array(list("CDTWaln"))
    play = rng.choice(len(letters), size=(n_games, 2), p=(0.2, 0.3, 0.1, 0.1, 0.15, 0.05, 0.1))
    alike = rng.random(n_games) < clustered
    play[alike, 1] = play[alike, 0]
    model = np.array(["A", "B", "C"])[np.arange(n_games) % 3]
    play[(model == "A") & (rng.random(n_games) < effect)] = 0
    language = np.array(["ar", "cn", "en", "fr", "vn"])[np.arange(n_games) // 3 % 5]
    table = labels(
        "".join(letters[play.ravel()]),
        model=np.repeat(model, 2),
        language=np.repeat(language, 2),
        persona=np.tile(["cooperative", "selfish"], n_games),
        repetition=np.repeat(1 + np.arange(n_games) // 15, 2),
    )
    return table.assign(cooperation_rate=rng.random(len(table)))
