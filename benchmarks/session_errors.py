"""How often arms that do not differ are called different, where subjects are rematched within few sessions.

    python benchmarks/session_errors.py [--studies N] [--json]

Each study has 4, 6 or 8 sessions of 12 subjects, half of them in each arm. Subjects are paired anew in each
of ten games within their session. A subject's rate of cooperation is a logit with an effect of its session,
one of its own, and none of its arm: the arms are alike in all sessions that could have been. Play is drawn
here, by numpy alone, and so is the first column, a t of the difference of means over subjects. Beside it what
`intent compare` says with errors by player, with errors by session, and without an option. A rate of more
than .05 (standard error .015 with 200 studies) is a claim about sessions like these that does not hold.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

import intent

SUBJECTS, GAMES, ROUNDS, ALPHA = 12, 10, 8, 0.05
OF_SUBJECTS = 1.0
"""Standard deviation of subjects' effects, on the scale of logits."""

WAYS: dict[str, dict[str, Any]] = {
    "--cluster player": {"cluster": ["player"]},
    "--cluster session": {"cluster": ["session"]},
    "no option": {},
}


def study(rng: np.random.Generator, sessions: int, spread: float) -> pd.DataFrame:
    """A row for each subject and game, with its rate of cooperation.

    Parameters
    ----------
    spread : standard deviation of the effects of sessions, on the scale of logits
    """
    rows = []
    for session in range(sessions):
        effects = rng.normal(0, OF_SUBJECTS, SUBJECTS) + rng.normal(0, spread)
        rates = 1 / (1 + np.exp(-effects))
        for period in range(GAMES):
            for pair, players in enumerate(rng.permutation(SUBJECTS).reshape(-1, 2)):
                for seat, player in enumerate(players, 1):
                    rows.append(
                        {
                            "game_id": f"s{session}-{period}-{pair}",
                            "seat": seat,
                            "player": f"s{session}-p{player}",
                            "session": f"s{session}",
                            "arm": "ab"[session % 2],
                            "cooperation": rng.binomial(ROUNDS, rates[player]) / ROUNDS,
                        }
                    )
    return pd.DataFrame(rows)


def by_subjects(table: pd.DataFrame) -> float:
    """p of the difference of the arms' means, each subject one observation (Welch 1947)."""
    means = table.groupby(["arm", "player"])["cooperation"].mean()
    a, b = (means[arm].to_numpy() for arm in "ab")
    parts = [x.var(ddof=1) / len(x) for x in (a, b)]
    error = math.sqrt(sum(parts))
    df = sum(parts) ** 2 / sum(v**2 / (len(x) - 1) for v, x in zip(parts, (a, b), strict=True))
    return float(2 * t.sf(abs(a.mean() - b.mean()) / error, df))


def printed(table: pd.DataFrame, **options: Any) -> float | None:
    """p of the headline of `intent compare`, None where it has none."""
    result = intent.compare(table, by="arm", metric="cooperation", **options)
    (line,) = result.to_dict()["headline"]
    return None if line["p"] is None else float(line["p"])


def rejected(sessions: int, spread: float, studies: int, seed: int = 0) -> dict[str, Any]:
    """Share of studies with p < .05, by way."""
    rng = np.random.default_rng([seed, sessions, round(100 * spread)])
    claims: dict[str, list[bool]] = {"t over subjects": [], **{way: [] for way in WAYS}}
    for _ in range(studies):
        table = study(rng, sessions, spread)
        claims["t over subjects"].append(by_subjects(table) < ALPHA)
        for way, options in WAYS.items():
            p = printed(table, **options)
            claims[way].append(p is not None and p < ALPHA)
    return {"sessions": sessions, "spread": spread} | {way: float(np.mean(c)) for way, c in claims.items()}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20, help="of each kind; 200 for figures")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    rows = [rejected(n, spread, options.studies) for spread in (0.0, 0.5, 1.0) for n in (4, 6, 8)]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print("  ".join(rows[0]))
    for row in rows:
        print("  ".join(f"{value:>{len(name)}.2g}" for name, value in row.items()))


if __name__ == "__main__":
    main()
